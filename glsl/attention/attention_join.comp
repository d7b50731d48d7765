// Joins the sums of a row's shares of keys, four columns an invocation. In place of queries are those sums.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "attention.glsl"
#include "store.glsl"

vec4 sums_at(uint first, uint share, uint element)
{
    return uintBitsToFloat(queries_vectors.vectors[(first + share * parameters.out_share + element) / 4]);
}

void main()
{
    uint unit = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (unit >= parameters.unit_count)
        return;
    uint tile = unit % parameters.column_tiles;
    uint rest = unit / parameters.column_tiles;
    uint number = rest % parameters.rows;
    rest /= parameters.rows;
    uint batch = rest / parameters.heads;
    uint head = rest % parameters.heads;
    uint group = number / parameters.queries;
    uint query = number - group * parameters.queries;
    uvec4 at = parameters.firsts[0] + batch * parameters.batch_steps[0] + head * parameters.head_steps[0] +
               group * parameters.group_steps[0] + query * parameters.query_steps[0];
    uint first = at.x + push.base_bytes[0] / 4;
    float greatest = LEAST;
    for (uint share = 0; share < parameters.share_count; ++share)
        greatest = max(greatest, sums_at(first, share, 0).x);
    float sum = 0.0;
    vec4 sums = vec4(0.0);
    for (uint share = 0; share < parameters.share_count; ++share) {
        vec4 statistics = sums_at(first, share, 0);
        float factor = weight_of(statistics.x - greatest);
        sum += statistics.y * factor;
        sums += sums_at(first, share, SUMS_FIRST + tile * 4) * factor;
    }
    store_four(at.w + push.base_bytes[1] * 8 / BITS_OF(TYPE), 0, tile * 4, sums, factor_of(sum));
}
