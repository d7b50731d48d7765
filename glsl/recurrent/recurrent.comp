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

uint rows[EACH];

vec4 state_four(uint four)
{
    return uintBitsToFloat(state_vectors.vectors[four]);
}

// Of COUNT fours of a share, all of which are on their way before the first is multiplied.
#define ADD_FOURS(COUNT)                                                                                               \
    {                                                                                                                  \
        vec4 x[COUNT * EACH];                                                                                          \
        uvec4 w[COUNT * GATES];                                                                                        \
        [[unroll]] for (uint n = 0; n < COUNT * EACH; ++n)                                                             \
            x[n] = state_four(four + n / EACH * SHARES * parameters.batch + rows[n % EACH]);                           \
        [[unroll]] for (uint n = 0; n < COUNT * GATES; ++n) {                                                          \
            if (is_made(n % GATES))                                                                                    \
                w[n] = weight_words(weight + (n / GATES * SHARES * GATES + n % GATES) * UNITS);                        \
        }                                                                                                              \
        [[unroll]] for (uint n = 0; n < COUNT * GATES; ++n) {                                                          \
            if (is_made(n % GATES)) {                                                                                  \
                vec4 numbers = weights_of(w[n]);                                                                       \
                [[unroll]] for (uint i = 0; i < EACH; ++i)                                                             \
                    sums[n % GATES * EACH + i] += product_of(numbers, x[n / GATES * EACH + i]);                        \
            }                                                                                                          \
        }                                                                                                              \
        weight += COUNT * SHARES * GATES * UNITS;                                                                      \
        four += COUNT * SHARES * parameters.batch;                                                                     \
    }

void add_up(uint tile, uint unit, uint column, uint first_row, uint share)
{
    uint from = turn % 2 == 0 ? parameters.hidden_areas.x : parameters.hidden_areas.y;
    [[unroll]] for (uint i = 0; i < EACH; ++i)
        rows[i] = min(first_row + i * COLUMNS + column, parameters.batch - 1);
    [[unroll]] for (uint n = 0; n < SUMS; ++n)
        sums[n] = 0.0;
    uint weight = ((direction * parameters.tiles + tile) * parameters.fours + share) * GATES * UNITS + unit;
    weight += weights_base;
    uint four = (state_base + from) / 4 + (direction * parameters.fours + share) * parameters.batch;
    uint k = share;
    for (; k + SHARES < parameters.fours; k += 2 * SHARES)
        ADD_FOURS(2)
    if (k < parameters.fours)
        ADD_FOURS(1)
}

// Many shares are added up in two stages, so that few invocations do not do it all.
const uint PARTS = SHARES / SUMS < 8 ? 1 : 8;

void join(uint first, uint count, uint step)
{
    for (uint place = gl_LocalInvocationIndex; place < first * SUMS * TILE; place += gl_WorkGroupSize.x) {
        float sum = cells[place];
        for (uint other = step; other < count; other += step)
            sum += cells[other * SUMS * TILE + place];
        cells[place] = sum;
    }
    barrier();
}

// Adds up all shares: the first invocations have one unit and sequence each.
vec4 joined(uint lane, uint share)
{
    [[unroll]] for (uint n = 0; n < SUMS; ++n)
        cells[(share * SUMS + n) * TILE + lane] = sums[n];
    barrier();
    if (PARTS > 1)
        join(PARTS, SHARES, PARTS);
    join(1, PARTS > 1 ? PARTS : SHARES, 1);
    vec4 of_gates = vec4(0.0);
    [[unroll]] for (uint gate = 0; gate < GATES; ++gate)
        of_gates[gate] = cells[min(gate * EACH * TILE + gl_LocalInvocationIndex, CELLS - 1)];
    return of_gates;
}

Unit begin_unit(uint index, uint row)
{
    Unit unit = unit_at(index, row);
    bool is_first = RESETS_FIRST ? true : turn % 2 == 0;
    unit.before = state_at(hidden_place(unit) + (is_first ? parameters.hidden_areas.x : parameters.hidden_areas.y));
    return unit;
}

void finish(uint index, uint row, Unit unit, vec4 x, vec4 of_gates)
{
    uint to = turn % 2 == 0 ? parameters.hidden_areas.y : parameters.hidden_areas.x;
    if (!unit.exists) {
        if (row < parameters.batch && index < parameters.fours * 4) // what the fours have beyond the state
            set_state(to + ((direction * parameters.fours + index / 4) * parameters.batch + row) * 4 + index % 4, 0);
        return;
    }
    uint cell_place = parameters.cell_area + unit.place;
    if (RESETS_FIRST && turn % 2 == 0) {
        set_state(to + hidden_place(unit), floatBitsToUint(reset(x, of_gates, unit)));
        set_state(cell_place, floatBitsToUint(unit.cell));
        return;
    }
    uint bits = stepped(x, of_gates, unit);
    set_state(to + hidden_place(unit), bits);
    if (CELL == LSTM)
        set_state(cell_place, floatBitsToUint(unit.cell));
    if (is_last_step())
        store_last(unit, bits);
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint rest = group / parameters.batch_tiles;
    uint first_row = (group - rest * parameters.batch_tiles) * COLUMNS * EACH;
    uint tile = rest % parameters.tiles;
    direction = parameters.first_direction + rest / parameters.tiles;
    uint chunk_turn = pushed.more_base_bytes.w;
    begin_turn(chunk_turn / STEP_TURNS, chunk_turn % STEP_TURNS);
    uint share = gl_LocalInvocationIndex / TILE;
    uint lane = gl_LocalInvocationIndex % TILE;
    uint column = lane / UNITS;
    uint index = tile * UNITS + lane % UNITS;
    if (SHARES > 1) {
        // An invocation's own to finish: of the share-th of the EACH sequences. It loads that early.
        uint row = first_row + share * COLUMNS + column;
        Unit unit;
        vec4 x = vec4(0.0);
        if (share < EACH) {
            unit = begin_unit(index, row);
            x = given_to(unit);
        }
        add_up(tile, lane % UNITS, column, first_row, share);
        vec4 of_gates = joined(lane, share);
        if (share < EACH)
            finish(index, row, unit, x, of_gates);
        return;
    }
    add_up(tile, lane % UNITS, column, first_row, 0);
    for (uint i = 0; i < EACH; ++i) {
        uint row = first_row + i * COLUMNS + column;
        vec4 of_gates = vec4(0.0);
        [[unroll]] for (uint gate = 0; gate < GATES; ++gate)
            of_gates[gate] = sums[gate * EACH + i];
        Unit unit = begin_unit(index, row);
        finish(index, row, unit, given_to(unit), of_gates);
    }
}
