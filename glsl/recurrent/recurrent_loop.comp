// All steps of a chunk in one dispatch, of networks that are small: a workgroup makes all units of EACH sequences,
// whose states stay in shared memory. An invocation adds up a share of k of one unit, for all of these; the first of
// them go on to the states. The first weights of a share stay in registers.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "recurrent.glsl"

layout(constant_id = 9) const uint HELD = 0; // fours of a share that are held, of each gate

const uint SUMS = GATES * EACH;
const uint FOURS = UNITS / 4 * EACH; // of a state: those of a sequence behind another's
const uint HELD_WORDS = HELD == 0 ? 1 : HELD * GATES;

shared float cells[SHARES * SUMS * UNITS];
shared vec4 states[STEP_TURNS][FOURS]; // and what is multiplied in a second turn

uvec4 held[HELD_WORDS];
float sums[SUMS];

void add_four(uvec4 words, uint gate, uint k)
{
    vec4 w = weights_of(words);
    [[unroll]] for (uint i = 0; i < EACH; ++i)
        sums[gate * EACH + i] += product_of(w, states[STEP_TURNS == 1 ? 0 : turn % 2][i * (UNITS / 4) + k]);
}

void add_up(uint first_weight, uint share)
{
    [[unroll]] for (uint n = 0; n < SUMS; ++n)
        sums[n] = 0.0;
    if (HELD > 0) {
        [[unroll]] for (uint n = 0; n < HELD; ++n) {
            [[unroll]] for (uint gate = 0; gate < GATES; ++gate) {
                if (is_made(gate))
                    add_four(held[n * GATES + gate], gate, share + n * SHARES);
            }
        }
    }
    for (uint k = share + HELD * SHARES; k < parameters.fours; k += SHARES) {
        [[unroll]] for (uint gate = 0; gate < GATES; ++gate) {
            if (is_made(gate))
                add_four(weight_words(first_weight + (k * GATES + gate) * UNITS), gate, k);
        }
    }
}

// Of the unit and sequence that an invocation goes on to.
vec4 joined(uint own)
{
    vec4 of_gates = vec4(0.0);
    [[unroll]] for (uint gate = 0; gate < GATES; ++gate) {
        float sum = cells[gate * EACH * UNITS + own];
        for (uint other = 1; other < SHARES; ++other)
            sum += cells[(other * SUMS + gate * EACH) * UNITS + own];
        of_gates[gate] = sum;
    }
    return of_gates;
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint rest = group / parameters.batch_tiles;
    direction = parameters.first_direction + rest;
    uint first_row = (group - rest * parameters.batch_tiles) * EACH;
    uint own = gl_LocalInvocationIndex;
    uint share = own / UNITS;
    uint lane = own % UNITS;
    uint first_weight = weights_base + direction * parameters.fours * GATES * UNITS + lane;
    if (HELD > 0) {
        [[unroll]] for (uint n = 0; n < HELD; ++n) {
            [[unroll]] for (uint gate = 0; gate < GATES; ++gate)
                held[n * GATES + gate] =
                    weight_words(first_weight + ((share + n * SHARES) * GATES + gate) * UNITS);
        }
    }
    // The share-th sequence is an invocation's to go on with, if there is one.
    bool goes_on = share < EACH;
    uint four = share * (UNITS / 4) + lane / 4;
    Unit unit = unit_at(lane, first_row + share);
    vec4 x = vec4(0.0);
    begin_turn(0, 0);
    if (goes_on) {
        unit.before = state_at(parameters.hidden_areas.x + hidden_place(unit));
        states[0][four][lane % 4] = unit.exists ? unit.before : 0.0;
        if (RESETS_FIRST)
            states[STEP_TURNS - 1][four][lane % 4] = 0.0;
        x = given_to(unit);
    }
    barrier();
    for (uint step_number = 0; step_number < parameters.chunk_steps; ++step_number) {
        vec4 ahead = vec4(0.0);
        if (goes_on) {
            begin_turn(min(step_number + 1, parameters.chunk_steps - 1), 0);
            ahead = given_to(unit);
        }
        [[unroll]] for (uint turn_of_step = 0; turn_of_step < STEP_TURNS; ++turn_of_step) {
            begin_turn(step_number, turn_of_step);
            add_up(first_weight, share);
            [[unroll]] for (uint n = 0; n < SUMS; ++n)
                cells[(share * SUMS + n) * UNITS + lane] = sums[n];
            barrier();
            if (goes_on) {
                vec4 of_gates = joined(own);
                if (BOTH(RESETS_FIRST, turn_of_step == 0)) {
                    float kept = reset(x, of_gates, unit);
                    states[STEP_TURNS - 1][four][lane % 4] = unit.exists ? kept : 0.0;
                } else {
                    unit.before = uintBitsToFloat(stepped(x, of_gates, unit));
                    states[0][four][lane % 4] = unit.exists ? unit.before : 0.0;
                }
            }
            barrier();
        }
        x = ahead;
    }
    if (goes_on && unit.exists) {
        uint bits = floatBitsToUint(unit.before);
        set_state(parameters.hidden_areas.x + hidden_place(unit), bits);
        if (CELL == LSTM)
            set_state(parameters.cell_area + unit.place, floatBitsToUint(unit.cell));
        if (is_last_step())
            store_last(unit, bits);
    }
}
