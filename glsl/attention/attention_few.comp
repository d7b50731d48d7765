// Few rows, up to ROWS of a head of keys, and many keys, of which a workgroup has a share, KEYS at once: what it takes
// is to read keys and values. Eight invocations beside one another have a key, a part of its elements each, and the
// products of these with all rows meet in shared memory; and COLUMNS / 4 have a value, its columns. So each is read
// once for all rows.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "attention.glsl"
#include "store.glsl"

layout(constant_id = 4) const uint ROWS = 4;      // a multiple of four
layout(constant_id = 5) const uint KEYS = 128;    // at most four for each invocation and row
layout(constant_id = 6) const uint COLUMNS = 128; // four for a power of two of invocations
layout(constant_id = 7) const uint DEPTH = 128;   // elements of queries and keys, a multiple of 32

const uint LANES = 8;
const uint SLOTS = gl_WorkGroupSize.x / LANES; // keys side by side
const uint FOURS = COLUMNS / 4;
const uint VALUE_SLOTS = gl_WorkGroupSize.x / FOURS;
const uint KEY_FOURS = KEYS / 4;
const uint PARTS = ROWS * LANES * KEY_FOURS;
const uint SUMS_CELLS = gl_WorkGroupSize.x * 4;

shared vec4 q_cells[ROWS * DEPTH / 4];
shared vec4 parts[PARTS > SUMS_CELLS ? PARTS : SUMS_CELLS]; // of products: row, lane, key; and in the end sums
shared vec4 weights[KEYS * ROWS / 4];                         // key, row
shared float most_parts[ROWS * KEY_FOURS];
shared float total_parts[ROWS * KEY_FOURS];
shared float most[ROWS]; // of a row up to now

vec4 sums[ROWS];

void load_queries()
{
    for (uint i = gl_LocalInvocationIndex; i < ROWS * DEPTH / 4; i += gl_WorkGroupSize.x) {
        Row row = find_row(min(i / (DEPTH / 4), parameters.rows - 1));
        q_cells[i] = q_four(row.q, i % (DEPTH / 4) * 4);
    }
}

// Of four keys at once, so that as many loads are on their way.
const uint TURN = KEYS / SLOTS < 4 ? KEYS / SLOTS : 4;

void find_products(uint key_first, uint end)
{
    uint lane = gl_LocalInvocationIndex % LANES;
    uint slot = gl_LocalInvocationIndex / LANES;
    [[dont_unroll]] for (uint first = 0; first < KEYS; first += TURN * SLOTS) {
        float products[ROWS * TURN];
        [[unroll]] for (uint i = 0; i < ROWS * TURN; ++i)
            products[i] = 0.0;
        [[unroll]] for (uint d = 0; d < DEPTH / 4; d += LANES) {
            vec4 k[TURN];
            [[unroll]] for (uint i = 0; i < TURN; ++i) {
                uint key = min(key_first + first + i * SLOTS + slot, end - 1);
                k[i] = k_four(k_first + key * parameters.key_steps[0].y, (d + lane) * 4);
            }
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                vec4 q = q_cells[r * (DEPTH / 4) + d + lane];
                [[unroll]] for (uint i = 0; i < TURN; ++i)
                    products[r * TURN + i] += dot(q, k[i]);
            }
        }
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            [[unroll]] for (uint i = 0; i < TURN; ++i) {
                uint key = first + i * SLOTS + slot;
                parts[(r * LANES + lane) * KEY_FOURS + key / 4][key % 4] = products[r * TURN + i];
            }
        }
    }
}

// What an invocation has of a row: four keys, its greatest score and the sum of its own weights.
float greatest;
float total;

void weigh(uint key_first, uint end)
{
    uint number = gl_LocalInvocationIndex / KEY_FOURS;
    uint four = gl_LocalInvocationIndex % KEY_FOURS;
    bool has_keys = number < ROWS;
    vec4 x = vec4(MINUS_INFINITY);
    if (has_keys) {
        vec4 products = vec4(0.0);
        [[unroll]] for (uint lane = 0; lane < LANES; ++lane)
            products += parts[(number * LANES + lane) * KEY_FOURS + four];
        Row row = find_row(min(number, parameters.rows - 1));
        uint own_end = min(end, row.key_count);
        [[unroll]] for (uint v = 0; v < 4; ++v) {
            uint key = key_first + four * 4 + v;
            float score = score_of(products[v], row, key);
            x[v] = key < own_end ? score : MINUS_INFINITY;
        }
        most_parts[number * KEY_FOURS + four] = max(max(x.x, x.y), max(x.z, x.w));
    }
    barrier();
    if (has_keys) {
        float known = greatest;
        [[dont_unroll]] for (uint i = 0; i < KEY_FOURS; ++i)
            greatest = max(greatest, most_parts[number * KEY_FOURS + i]);
        if (four == 0)
            most[number] = greatest;
        vec4 w = x - greatest;
        w = vec4(weight_of(w.x), weight_of(w.y), weight_of(w.z), weight_of(w.w));
        total = total * weight_of(known - greatest) + ((w.x + w.y) + (w.z + w.w));
        [[unroll]] for (uint v = 0; v < 4; ++v)
            weights[(four * 4 + v) * (ROWS / 4) + number / 4][number % 4] = w[v];
    }
    barrier();
}

// Of each row, for those that sum its values: the greatest score up to now, which all have seen in the last keys.
float rows_greatest[ROWS];

void scale_sums()
{
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        float known = rows_greatest[r];
        rows_greatest[r] = most[r];
        sums[r] *= weight_of(known - rows_greatest[r]);
    }
}

void add_values(uint key_first, uint end)
{
    const uint turn = KEYS / VALUE_SLOTS < 4 ? KEYS / VALUE_SLOTS : 4;
    uint column = gl_LocalInvocationIndex % FOURS * 4;
    uint slot = gl_LocalInvocationIndex / FOURS;
    if (column >= parameters.columns)
        return;
    [[dont_unroll]] for (uint first = 0; first < KEYS; first += turn * VALUE_SLOTS) {
        vec4 v[turn];
        [[unroll]] for (uint i = 0; i < turn; ++i) {
            uint key = min(key_first + first + i * VALUE_SLOTS + slot, end - 1);
            v[i] = v_four(v_first + key * parameters.key_steps[0].z, column);
        }
        [[unroll]] for (uint i = 0; i < turn; ++i) {
            [[unroll]] for (uint r = 0; r < ROWS / 4; ++r) {
                vec4 w = weights[(first + i * VALUE_SLOTS + slot) * (ROWS / 4) + r];
                sums[4 * r] += w.x * v[i];
                sums[4 * r + 1] += w.y * v[i];
                sums[4 * r + 2] += w.z * v[i];
                sums[4 * r + 3] += w.w * v[i];
            }
        }
    }
}

float total_of(uint number)
{
    float sum = 0.0;
    [[dont_unroll]] for (uint i = 0; i < KEY_FOURS; ++i)
        sum += total_parts[number * KEY_FOURS + i];
    return sum;
}

// Four rows at once: the first, behind which the others move up, as only constants index what lies in registers.
void finish(uint share)
{
    if (gl_LocalInvocationIndex < ROWS * KEY_FOURS)
        total_parts[gl_LocalInvocationIndex] = total;
    [[dont_unroll]] for (uint first = 0; first < ROWS; first += 4) {
        barrier();
        [[unroll]] for (uint r = 0; r < 4; ++r)
            parts[r * gl_WorkGroupSize.x + gl_LocalInvocationIndex] = sums[r];
        [[unroll]] for (uint r = 4; r < ROWS; ++r)
            sums[r - 4] = sums[r];
        barrier();
        for (uint i = gl_LocalInvocationIndex; i < 4 * FOURS; i += gl_WorkGroupSize.x) {
            uint number = first + i / FOURS;
            uint four = i % FOURS;
            vec4 sum = vec4(0.0);
            [[unroll]] for (uint slot = 0; slot < VALUE_SLOTS; ++slot)
                sum += parts[i / FOURS * gl_WorkGroupSize.x + slot * FOURS + four];
            if (number < parameters.rows) {
                Row row = find_row(number);
                float whole = total_of(number);
                if (TO_SUMS && four == 0) {
                    store_statistics(row.destination, share, most[number], whole);
                }
                store_four(row.destination, share, four * 4, sum, factor_of(whole));
            }
        }
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint share = group % parameters.share_count;
    group /= parameters.share_count;
    find_head(group / parameters.heads, group % parameters.heads);
    load_queries();
    greatest = LEAST;
    total = 0.0;
    for (uint r = gl_LocalInvocationIndex; r < ROWS; r += gl_WorkGroupSize.x)
        most[r] = LEAST;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        sums[r] = vec4(0.0);
        rows_greatest[r] = LEAST;
    }
    uint end = min((share + 1) * parameters.share, last_seen(0, parameters.rows));
    [[dont_unroll]] for (uint key = share * parameters.share; key < end; key += KEYS) {
        barrier();
        find_products(key, end);
        barrier();
        weigh(key, end);
        scale_sums();
        add_values(key, end);
    }
    finish(share);
}
