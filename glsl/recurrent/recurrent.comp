// A turn of a recurrent network. A workgroup makes UNITS hidden units of COLUMNS * EACH sequences, all gates of them,
// so that it can go on to the state: an invocation adds up a share of k of one unit, for EACH sequences.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "recurrent.glsl"

const uint SUMS = GATES * EACH; // of an invocation: of a gate those of EACH sequences, COLUMNS apart
const uint CELLS = SHARES == 1 ? 1 : SHARES * SUMS * TILE;
shared float cells[CELLS];

float sums[SUMS];

vec4 weights_at(uint four)
{
    if (TYPE == FLOAT16) {
        uvec2 words = weight_pairs.pairs[four];
        return uintBitsToFloat(uvec4(widen_halves(words.x), widen_halves(words.y)));
    }
    return uintBitsToFloat(weight_vectors.vectors[four]);
}

// Whether a gate is made in this turn.
bool is_made(uint gate)
{
    return !RESETS_FIRST ? true : (gate == 2) == (turn % 2 == 1);
}

void add_up(uint tile, uint unit, uint column, uint first_row, uint share)
{
    uint from = turn % 2 == 0 ? parameters.hidden_areas.x : parameters.hidden_areas.y;
    uint rows[EACH];
    [[unroll]] for (uint i = 0; i < EACH; ++i)
        rows[i] = min(first_row + i * COLUMNS + column, parameters.batch - 1);
    [[unroll]] for (uint n = 0; n < SUMS; ++n)
        sums[n] = 0.0;
    uint weight = ((direction * parameters.tiles + tile) * parameters.fours + share) * GATES * UNITS + unit;
    weight += push.base_bytes[0] / (BITS_OF(TYPE) / 2);
    uint four = (state_base + from) / 4 + (direction * parameters.fours + share) * parameters.batch;
    for (uint k = share; k < parameters.fours; k += SHARES) {
        vec4 x[EACH];
        [[unroll]] for (uint i = 0; i < EACH; ++i)
            x[i] = uintBitsToFloat(state_vectors.vectors[four + rows[i]]);
        [[unroll]] for (uint gate = 0; gate < GATES; ++gate) {
            if (is_made(gate)) {
                vec4 w = weights_at(weight + gate * UNITS);
                [[unroll]] for (uint i = 0; i < EACH; ++i)
                    sums[gate * EACH + i] += w.x * x[i].x + w.y * x[i].y + w.z * x[i].z + w.w * x[i].w;
            }
        }
        weight += SHARES * GATES * UNITS;
        four += SHARES * parameters.batch;
    }
}

// Adds up all shares: the first invocations have one unit and sequence each.
vec4 joined(uint lane, uint share)
{
    [[unroll]] for (uint n = 0; n < SUMS; ++n)
        cells[(share * SUMS + n) * TILE + lane] = sums[n];
    barrier();
    uint place = gl_LocalInvocationIndex;
    for (; place < SUMS * TILE; place += gl_WorkGroupSize.x) {
        float sum = cells[place];
        for (uint other = 1; other < SHARES; ++other)
            sum += cells[other * SUMS * TILE + place];
        cells[place] = sum;
    }
    barrier();
    vec4 of_gates = vec4(0.0);
    [[unroll]] for (uint gate = 0; gate < GATES; ++gate)
        of_gates[gate] = cells[min(gate * EACH * TILE + gl_LocalInvocationIndex, CELLS - 1)];
    return of_gates;
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint rest = group / parameters.batch_tiles;
    uint first_row = (group - rest * parameters.batch_tiles) * COLUMNS * EACH;
    uint tile = rest % parameters.tiles;
    begin(rest / parameters.tiles);
    uint share = gl_LocalInvocationIndex / TILE;
    uint lane = gl_LocalInvocationIndex % TILE;
    uint column = lane / UNITS;
    uint unit = lane % UNITS;
    uint first_unit = tile * UNITS;
    if (SHARES > 1) {
        // An invocation's own to finish: of the share-th of the EACH sequences.
        uint row = first_row + share * COLUMNS + column;
        vec4 x = vec4(0.0);
        if (share < EACH)
            x = given_at(first_unit + unit, row);
        add_up(tile, unit, column, first_row, share);
        vec4 of_gates = joined(lane, share);
        if (share < EACH)
            finish(first_unit + unit, row, x, of_gates);
        return;
    }
    add_up(tile, unit, column, first_row, 0);
    for (uint i = 0; i < EACH; ++i) {
        uint row = first_row + i * COLUMNS + column;
        vec4 of_gates = vec4(0.0);
        [[unroll]] for (uint gate = 0; gate < GATES; ++gate)
            of_gates[gate] = sums[gate * EACH + i];
        finish(first_unit + unit, row, given_at(first_unit + unit, row), of_gates);
    }
}
