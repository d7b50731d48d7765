// A workgroup makes a tile of QUERIES rows by COLUMNS columns, walking keys by KEYS at once: scores of queries and
// keys, of which DEPTH elements at once lie in shared memory; weights, which go there; and sums of values by these. An
// invocation has eight rows, of scores as of values.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "attention.glsl"
#include "store.glsl"

layout(constant_id = 4) const uint QUERIES = 64; // a multiple of eight
layout(constant_id = 5) const uint KEYS = 64;    // of four for each invocation beside another
layout(constant_id = 6) const uint COLUMNS = 64; // the same
layout(constant_id = 7) const uint DEPTH = 16;   // of queries and keys, and keys of values, in shared memory at once

const uint ROWS = 8; // of an invocation: four, and four half a tile behind
const uint ACROSS = gl_WorkGroupSize.x / (QUERIES / ROWS);
const uint SCORES = KEYS / ACROSS / 4; // fours of a row
const uint SUMS = COLUMNS / ACROSS / 4;

// In vectors of four along rows, keys and columns.
const uint PITCH_Q = QUERIES / 4 + 1;
const uint PITCH_K = KEYS / 4 + 1;
const uint PITCH_V = COLUMNS / 4 + 1;
const uint K_CELLS = DEPTH * PITCH_Q;
const uint LOADED = PITCH_Q + PITCH_K > PITCH_V ? PITCH_Q + PITCH_K : PITCH_V;
shared vec4 cells[DEPTH * LOADED];
shared vec4 weights[KEYS * PITCH_Q]; // before them, what invocations beside one another have of a row
shared float greatest[QUERIES];
shared float factors[QUERIES];
shared uint q_places[QUERIES]; // where rows begin

vec4 scores[ROWS * SCORES];
vec4 sums[ROWS * SUMS];
float totals[ROWS]; // of an invocation's own keys

// The place of a row of an invocation in the tile.
#define ROW(r) (down * 4 + ((r) & 3u) + ((r) < 4 ? 0u : QUERIES / 2))

void put_four(uint place, uint pitch, uint row, vec4 x)
{
    cells[place + row / 4][row % 4] = x.x;
    cells[place + pitch + row / 4][row % 4] = x.y;
    cells[place + 2 * pitch + row / 4][row % 4] = x.z;
    cells[place + 3 * pitch + row / 4][row % 4] = x.w;
}

// Elements [first, first + DEPTH) of the tile's queries and of keys.
void load_operands(uint key_first, uint first)
{
    const uint fours = DEPTH / 4;
    [[unroll]] for (uint i = 0; i < (QUERIES * fours + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; ++i) {
        uint unit = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        if (EITHER(QUERIES * fours % gl_WorkGroupSize.x == 0, unit < QUERIES * fours)) {
            uint row = unit / fours;
            uint element = unit % fours * 4;
            put_four(element * PITCH_Q, PITCH_Q, row, q_four(q_places[row], first + element));
        }
    }
    [[unroll]] for (uint i = 0; i < (KEYS * fours + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; ++i) {
        uint unit = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        if (EITHER(KEYS * fours % gl_WorkGroupSize.x == 0, unit < KEYS * fours)) {
            uint key = unit / fours;
            uint element = unit % fours * 4;
            uint at = k_first + min(key_first + key, parameters.keys - 1) * parameters.key_steps[0].y;
            put_four(K_CELLS + element * PITCH_K, PITCH_K, key, k_four(at, first + element));
        }
    }
}

// DEPTH values, of the tile's columns.
void load_values(uint key_first, uint end, uint column_first)
{
    const uint fours = COLUMNS / 4;
    [[unroll]] for (uint i = 0; i < (DEPTH * fours + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; ++i) {
        uint unit = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        if (EITHER(DEPTH * fours % gl_WorkGroupSize.x == 0, unit < DEPTH * fours)) {
            uint key = unit / fours;
            uint four = unit % fours;
            uint at = v_first + min(key_first + key, end - 1) * parameters.key_steps[0].z;
            cells[key * PITCH_V + four] = v_four(at, column_first + four * 4);
        }
    }
}

void add_scores(uint down, uint across)
{
    [[unroll]] for (uint d = 0; d < DEPTH; ++d) {
        vec4 low = cells[d * PITCH_Q + down];
        vec4 high = cells[d * PITCH_Q + down + QUERIES / 8];
        [[unroll]] for (uint c = 0; c < SCORES; ++c) {
            vec4 k = cells[K_CELLS + d * PITCH_K + across + c * ACROSS];
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                scores[r * SCORES + c] = fma(vec4(r < 4 ? low[r % 4] : high[r % 4]), k, scores[r * SCORES + c]);
        }
    }
}

void add_values(uint key, uint down, uint across)
{
    [[unroll]] for (uint d = 0; d < DEPTH; ++d) {
        vec4 low = weights[(key + d) * PITCH_Q + down];
        vec4 high = weights[(key + d) * PITCH_Q + down + QUERIES / 8];
        [[unroll]] for (uint c = 0; c < SUMS; ++c) {
            vec4 v = cells[d * PITCH_V + across + c * ACROSS];
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                sums[r * SUMS + c] = fma(vec4(r < 4 ? low[r % 4] : high[r % 4]), v, sums[r * SUMS + c]);
        }
    }
}

// Lets the second row of an array be the first, and so on. Where much is done for each row that is done for the first,
// again and again, not for any of them: compilers keep in registers only arrays whose indices are all constants.
#define TURN(name, array, count)                                                                                       \
    void name()                                                                                                        \
    {                                                                                                                  \
        vec4 first[count];                                                                                             \
        [[unroll]] for (uint i = 0; i < count; ++i)                                                                    \
            first[i] = array[i];                                                                                       \
        [[unroll]] for (uint i = 0; i < (ROWS - 1) * count; ++i)                                                       \
            array[i] = array[i + count];                                                                               \
        [[unroll]] for (uint i = 0; i < count; ++i)                                                                    \
            array[(ROWS - 1) * count + i] = first[i];                                                                  \
    }
TURN(turn_scores, scores, SCORES)
TURN(turn_sums, sums, SUMS)

// Where nothing is beside the scale scores are not looked at one by one.
const bool IS_PLAIN = HAS_BIAS ? false : MASK == NONE;

void scale_scores(uint key_first, uint end, uint across)
{
    [[unroll]] for (uint i = 0; i < ROWS * SCORES; ++i)
        scores[i] *= uintBitsToFloat(parameters.scale);
    if (key_first + KEYS <= end)
        return;
    [[unroll]] for (uint c = 0; c < SCORES; ++c) {
        uvec4 key = key_first + (across + c * ACROSS) * 4 + uvec4(0, 1, 2, 3);
        bvec4 is_beyond = greaterThanEqual(key, uvec4(end));
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            scores[r * SCORES + c] = mix(scores[r * SCORES + c], vec4(MINUS_INFINITY), is_beyond);
    }
}

void finish_scores(uint row_first, uint key_first, uint end, uint down, uint across)
{
    if (IS_PLAIN) {
        scale_scores(key_first, end, across);
        return;
    }
    [[dont_unroll]] for (uint r = 0; r < ROWS; ++r) {
        Row row = find_row(min(row_first + ROW(r), parameters.rows - 1));
        uint own_end = min(end, row.key_count);
        [[unroll]] for (uint c = 0; c < SCORES; ++c) {
            [[unroll]] for (uint v = 0; v < 4; ++v) {
                uint key = key_first + (across + c * ACROSS) * 4 + v;
                float score = score_of(scores[c][v], row, key);
                scores[c][v] = key < own_end ? score : MINUS_INFINITY;
            }
        }
        turn_scores();
    }
}

float part_of(uint part, uint row)
{
    return weights[part * (QUERIES / 4) + row / 4][row % 4];
}

// What an invocation has of each of its rows, for those beside it.
void put_parts(vec4 low, vec4 high, uint down, uint across)
{
    uint place = across * (QUERIES / 4) + down;
    weights[place] = low;
    weights[place + QUERIES / 8] = high;
}

void find_greatest(uint down, uint across)
{
    float parts[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        vec4 most = scores[r * SCORES];
        [[unroll]] for (uint c = 1; c < SCORES; ++c)
            most = max(most, scores[r * SCORES + c]);
        parts[r] = max(max(most.x, most.y), max(most.z, most.w));
    }
    put_parts(vec4(parts[0], parts[1], parts[2], parts[3]), vec4(parts[4], parts[5], parts[6], parts[7]), down, across);
    barrier();
    for (uint row = gl_LocalInvocationIndex; row < QUERIES; row += gl_WorkGroupSize.x) {
        float known = greatest[row];
        float most = known;
        [[unroll]] for (uint part = 0; part < ACROSS; ++part)
            most = max(most, part_of(part, row));
        greatest[row] = most;
        factors[row] = weight_of(known - most);
    }
    barrier();
}

// Of the first four rows scores become weights beside the greatest up to now.
void weigh_four(uint place, uint first_row)
{
    [[unroll]] for (uint r = 0; r < 4; ++r) {
        float most = greatest[first_row + r];
        vec4 total = vec4(0.0);
        [[unroll]] for (uint c = 0; c < SCORES; ++c) {
            vec4 x = scores[r * SCORES + c] - most;
            x = vec4(weight_of(x.x), weight_of(x.y), weight_of(x.z), weight_of(x.w));
            total += x;
            scores[r * SCORES + c] = x;
        }
        totals[r] = totals[r] * factors[first_row + r] + ((total.x + total.y) + (total.z + total.w));
    }
    [[unroll]] for (uint c = 0; c < SCORES; ++c) {
        [[unroll]] for (uint v = 0; v < 4; ++v)
            weights[place + (c * ACROSS * 4 + v) * PITCH_Q] =
                vec4(scores[c][v], scores[SCORES + c][v], scores[2 * SCORES + c][v], scores[3 * SCORES + c][v]);
    }
}

// And what was summed is scaled. Scores are done with after that.
void weigh(uint down, uint across)
{
    find_greatest(down, across);
    [[dont_unroll]] for (uint r = 0; r < ROWS; r += 4) {
        weigh_four(across * 4 * PITCH_Q + down + r / 4 * (QUERIES / 8), ROW(r));
        [[unroll]] for (uint i = 0; i < 4 * SCORES; ++i)
            scores[i] = scores[4 * SCORES + i];
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            float first = totals[i];
            totals[i] = totals[4 + i];
            totals[4 + i] = first;
        }
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        float factor = factors[ROW(r)];
        [[unroll]] for (uint c = 0; c < SUMS; ++c)
            sums[r * SUMS + c] *= factor;
    }
}

void take_keys(uint row_first, uint key_first, uint end, uint column_first, uint down, uint across)
{
    [[unroll]] for (uint i = 0; i < ROWS * SCORES; ++i)
        scores[i] = vec4(0.0);
    [[dont_unroll]] for (uint element = 0; element < parameters.depth; element += DEPTH) {
        barrier();
        load_operands(key_first, element);
        barrier();
        add_scores(down, across);
    }
    finish_scores(row_first, key_first, end, down, across);
    weigh(down, across);
    [[dont_unroll]] for (uint key = 0; key < KEYS; key += DEPTH) {
        if (key_first + key >= end)
            break;
        barrier();
        load_values(key_first + key, end, column_first);
        barrier();
        add_values(key, down, across);
    }
}

// The sum of a row's weights is in parts, too.
void finish(uint row_first, uint share, uint column_first, bool is_first, uint down, uint across)
{
    barrier();
    put_parts(vec4(totals[0], totals[1], totals[2], totals[3]), vec4(totals[4], totals[5], totals[6], totals[7]), down,
              across);
    barrier();
    [[dont_unroll]] for (uint r = 0; r < ROWS; ++r) {
        uint number = row_first + ROW(r);
        if (number < parameters.rows) {
            float total = 0.0;
            [[unroll]] for (uint part = 0; part < ACROSS; ++part)
                total += part_of(part, ROW(r));
            Row row = find_row(number);
            if (TO_SUMS && is_first && across == 0)
                store_statistics(row.destination, share, greatest[ROW(r)], total);
            float factor = factor_of(total);
            [[unroll]] for (uint c = 0; c < SUMS; ++c)
                store_four(row.destination, share, column_first + (across + c * ACROSS) * 4, sums[c], factor);
        }
        turn_sums();
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint row_tile = group % parameters.row_tiles;
    group /= parameters.row_tiles;
    uint column_tile = group % parameters.column_tiles;
    group /= parameters.column_tiles;
    uint share = group % parameters.share_count;
    group /= parameters.share_count;
    find_head(group / parameters.heads, group % parameters.heads);
    uint across = gl_LocalInvocationIndex % ACROSS;
    uint down = gl_LocalInvocationIndex / ACROSS;
    for (uint row = gl_LocalInvocationIndex; row < QUERIES; row += gl_WorkGroupSize.x) {
        greatest[row] = LEAST;
        q_places[row] = find_row(min(row_tile * QUERIES + row, parameters.rows - 1)).q;
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        totals[r] = 0.0;
    [[unroll]] for (uint i = 0; i < ROWS * SUMS; ++i)
        sums[i] = vec4(0.0);
    uint end = min((share + 1) * parameters.share, last_seen(row_tile * QUERIES, QUERIES));
    [[dont_unroll]] for (uint key = share * parameters.share; key < end; key += KEYS)
        take_keys(row_tile * QUERIES, key, end, column_tile * COLUMNS, down, across);
    finish(row_tile * QUERIES, share, column_tile * COLUMNS, column_tile == 0, down, across);
}
