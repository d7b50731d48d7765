// Elements, and records {mean, factor, offset, slope} that each serve many of them: (a - mean) * factor + offset + b
// and a function of that, where b may be absent, or its gradient factor * ((b - offset) - (a - mean) * slope). The mean
// is subtracted first: what a large one has in common with the elements must be gone before anything is rounded beside
// it. Denormals that a device flushes are next to nothing of what results are held to.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define OPERANDS 3
#define ELEMENT uint
#define NO_OPERATIONS
#define HAS_RECORDS
#include "map.glsl"
#include "operations.glsl"
#include "float_operations.glsl"

const bool IS_GRADIENT = OPERATION == OP_NORMALIZE_GRAD_BY_RECORD;

uint compute(uint a, uint b, vec4 record)
{
    precise float distance = uintBitsToFloat(a) - record.x;
    if (IS_GRADIENT) {
        precise float rest = uintBitsToFloat(b) - record.z;
        precise float along = distance * record.w;
        precise float gradient = record.y * (rest - along);
        return floatBitsToUint(gradient);
    }
    precise float scaled = distance * record.y;
    precise float result = scaled + record.z;
    if (ROWS_b != ABSENT)
        result = result + uintBitsToFloat(b);
    return floatBitsToUint(result);
}

void compute_pair(uint k, inout bool good)
{
    uvec2 a = pair_a(k);
    uvec2 b = pair_b(k);
    uvec2 result = uvec2(float_function_fast(compute(a.x, b.x, record_of[k]), good),
                         float_function_fast(compute(a.y, b.y, record_of[k + 1]), good));
    uint word = k * BITS_OUT >> 5;
    if (TYPE_OUT == FLOAT16) {
        packed_out[0][word] = narrow_to_halves(result, good);
    } else {
        packed_out[0][word] = canonical(result.x);
        packed_out[0][word + 1] = canonical(result.y);
    }
}

// By no loop, for the reason that map_words.glsl gives.
bool compute_item()
{
    bool good = true;
    packed_out[0] = uvec4(0);
    compute_pair(0, good);
    if (ITEM > 2)
        compute_pair(2, good);
    if (ITEM > 4) {
        compute_pair(4, good);
        compute_pair(6, good);
    }
    return good;
}

uint compute_element()
{
    uint result = canonical(float_function_slow(compute(single_a(), single_b(), record_of[0])));
    return TYPE_OUT == FLOAT16 ? narrow_to_half(result) : result;
}

#include "map_main.glsl"
