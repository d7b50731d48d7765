// Joins the sums of a row's shares of keys. FOURS invocations of a workgroup beside one another have the columns, and
// all such the shares in turn. In place of queries are those sums.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "attention.glsl"
#include "store.glsl"

layout(constant_id = 6) const uint COLUMNS = 64; // at once, a multiple of four
const uint FOURS = COLUMNS / 4;
const uint SLOTS = gl_WorkGroupSize.x / FOURS;
const uint TURN = 8; // shares of an invocation that are on their way at once

shared vec4 slot_sums[gl_WorkGroupSize.x];
shared vec2 slot_statistics[gl_WorkGroupSize.x];

uint row_first;
float greatest;
float total;
vec4 sums;

vec4 sums_at(uint share, uint element)
{
    return uintBitsToFloat(queries_vectors.vectors[(row_first + share * parameters.out_share + element) / 4]);
}

void add_share(vec2 statistics, vec4 share_sums)
{
    float most = max(greatest, statistics.x);
    float own = weight_of(greatest - most);
    float factor = weight_of(statistics.x - most);
    greatest = most;
    total = total * own + statistics.y * factor;
    sums = sums * own + share_sums * factor;
}

void take_shares(uint slot, uint column)
{
    greatest = LEAST;
    total = 0.0;
    sums = vec4(0.0);
    for (uint first = slot; first < parameters.share_count; first += TURN * SLOTS) {
        vec2 statistics[TURN];
        vec4 share_sums[TURN];
        [[unroll]] for (uint i = 0; i < TURN; ++i) {
            uint share = min(first + i * SLOTS, parameters.share_count - 1);
            statistics[i] = sums_at(share, 0).xy;
            share_sums[i] = sums_at(share, SUMS_FIRST + column);
        }
        [[unroll]] for (uint i = 0; i < TURN; ++i) {
            if (first + i * SLOTS < parameters.share_count)
                add_share(statistics[i], share_sums[i]);
        }
    }
}

void join_slots(uint slot, uint four)
{
    slot_sums[gl_LocalInvocationIndex] = sums;
    slot_statistics[gl_LocalInvocationIndex] = vec2(greatest, total);
    barrier();
    if (slot == 0) {
        for (uint other = 1; other < SLOTS; ++other)
            add_share(slot_statistics[other * FOURS + four], slot_sums[other * FOURS + four]);
    }
    barrier();
}

void main()
{
    uint rest = group_index();
    if (rest >= parameters.group_count)
        return;
    uint number = rest % parameters.rows;
    rest /= parameters.rows;
    uint batch = rest / parameters.heads;
    uint head = rest % parameters.heads;
    uint group = number / parameters.queries;
    uint query = number - group * parameters.queries;
    uvec4 at = parameters.firsts[0] + batch * parameters.batch_steps[0] + head * parameters.head_steps[0] +
               group * parameters.group_steps[0] + query * parameters.query_steps[0];
    row_first = at.x + push.base_bytes[0] / 4;
    uint out_place = at.w + push.base_bytes[1] * 8 / BITS_OF(TYPE);
    uint four = gl_LocalInvocationIndex % FOURS;
    uint slot = gl_LocalInvocationIndex / FOURS;
    for (uint tile = 0; tile < parameters.column_tiles; ++tile) {
        uint column = tile * COLUMNS + four * 4;
        take_shares(slot, min(column, (parameters.columns - 1) / 4 * 4));
        if (SLOTS > 1)
            join_slots(slot, four);
        if (slot == 0)
            store_four(out_place, 0, column, sums, factor_of(total));
    }
}
