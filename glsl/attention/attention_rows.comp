// An invocation makes a row's sums of a share of keys alone, COLUMNS of them: for processors, and for what little there
// is.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "attention.glsl"
#include "store.glsl"

layout(constant_id = 5) const uint KEYS = 8;     // at once
layout(constant_id = 6) const uint COLUMNS = 64; // a multiple of four
const uint FOURS = COLUMNS / 4;

vec4 sums[FOURS];
float scores[KEYS];

void find_scores(Row row, uint key, uint end)
{
    [[unroll]] for (uint i = 0; i < KEYS; ++i)
        scores[i] = 0.0;
    for (uint d = 0; d < parameters.depth; d += 4) {
        vec4 q = q_four(row.q, d);
        [[unroll]] for (uint i = 0; i < KEYS; ++i)
            scores[i] += dot(q, k_four(k_first + min(key + i, end - 1) * parameters.key_steps[0].y, d));
    }
    [[unroll]] for (uint i = 0; i < KEYS; ++i)
        scores[i] = key + i < end ? score_of(scores[i], row, key + i) : MINUS_INFINITY;
}

void weigh(uint i, float greatest)
{
    scores[i] = weight_of(scores[i] - greatest);
}

// One by one, and not by a loop that is to be unrolled: spirv-opt, which SwiftShader runs, forgets in the copies that
// it makes of a loop's body what is precise, and makes x of (x + c) - c. There are two keys, or eight.
void weigh_all(float greatest)
{
    weigh(0, greatest);
    weigh(1, greatest);
    if (KEYS > 2) {
        weigh(2, greatest);
        weigh(3, greatest);
        weigh(4, greatest);
        weigh(5, greatest);
        weigh(6, greatest);
        weigh(7, greatest);
    }
}

void add_values(uint key, uint end, uint first_column, float factor)
{
    for (uint four = 0; four < FOURS; ++four) {
        vec4 sum = sums[four] * factor;
        [[unroll]] for (uint i = 0; i < KEYS; ++i)
            sum += scores[i] * v_four(v_first + min(key + i, end - 1) * parameters.key_steps[0].z,
                                      first_column + four * 4);
        sums[four] = sum;
    }
}

void main()
{
    uint unit = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (unit >= parameters.unit_count)
        return;
    uint number = unit % parameters.rows;
    uint rest = unit / parameters.rows;
    uint tile = rest % parameters.column_tiles;
    rest /= parameters.column_tiles;
    uint share = rest % parameters.share_count;
    rest /= parameters.share_count;
    find_head(rest / parameters.heads, rest % parameters.heads);
    Row row = find_row(number);
    uint first_column = tile * COLUMNS;
    float greatest = LEAST;
    float sum = 0.0;
    for (uint four = 0; four < FOURS; ++four)
        sums[four] = vec4(0.0);
    uint end = min((share + 1) * parameters.share, row.key_count);
    for (uint key = share * parameters.share; key < end; key += KEYS) {
        find_scores(row, key, end);
        float next = greatest;
        [[unroll]] for (uint i = 0; i < KEYS; ++i)
            next = max(next, scores[i]);
        float factor = weight_of(greatest - next);
        greatest = next;
        sum *= factor;
        weigh_all(greatest);
        [[unroll]] for (uint i = 0; i < KEYS; ++i)
            sum += scores[i];
        add_values(key, end, first_column, factor);
    }
    if (TO_SUMS && tile == 0)
        store_statistics(row.destination, share, greatest, sum);
    float factor = factor_of(sum);
    for (uint four = 0; four < FOURS; ++four)
        store_four(row.destination, share, first_column + four * 4, sums[four], factor);
}
