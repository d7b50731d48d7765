// The frame of recurrent networks: a step's hidden state is made of the one before it. What the input and its weights
// give to each gate was made for many steps at once, and lies in FLOAT32; so does the state, of which there are two:
// turns go back and forth between them. The kernel is dispatched again for each turn.
#ifndef VKDML_RECURRENT_GLSL
#define VKDML_RECURRENT_GLSL

#extension GL_EXT_control_flow_attributes : require

#define HAS_EIGHT_BUFFERS // the last word of push constants is the turn's number
#include "binding.glsl"
#include "buffers.glsl"
#include "types.glsl"

layout(constant_id = 1) const uint TYPE = 1; // of the recurrence's weights
layout(constant_id = 2) const uint SHAPE = 0;
// In C: VKDML_RECURRENT_...
const bool HAS_BIAS = (SHAPE & 4u) != 0;
const bool HAS_PEEPHOLE = (SHAPE & 8u) != 0;
const bool HAS_LENGTHS = (SHAPE & 16u) != 0;
const bool CLIPS = (SHAPE & 32u) != 0;         // what goes into functions of gates
const bool COUPLES = (SHAPE & 64u) != 0;       // LSTM: what is forgotten is what no input takes the place of
const bool RESETS_FIRST = (SHAPE & 128u) != 0; // GRU: the state is reset before it is multiplied, in two turns a step
const bool HAS_SEQUENCE = (SHAPE & 256u) != 0; // all steps' states are an output
const uint CELL = SHAPE & 3u;
// In C: enum vkdml_recurrent_cell, VKDML_RECURRENT_...
const uint RNN = 0;
const uint GRU = 1;
const uint LSTM = 2;
const uint GATES = CELL == LSTM ? 4 : CELL == GRU ? 3 : 1;

layout(constant_id = 3) const uint UNITS = 4;   // of a workgroup's tile; invocations side by side have one each
layout(constant_id = 4) const uint COLUMNS = 8; // .. invocations beside these, of EACH sequences each
layout(constant_id = 5) const uint EACH = 4;
const uint TILE = UNITS * COLUMNS;
const uint SHARES = gl_WorkGroupSize.x / TILE; // of k; at least EACH, or one
layout(constant_id = 6) const uint FUNCTION_F = 0;
layout(constant_id = 7) const uint FUNCTION_G = 0;
layout(constant_id = 8) const uint FUNCTION_H = 0;

// Areas are words of the state's buffer.
layout(std140, binding = 0) uniform RecurrentParameters {
    uint group_count;
    uint hidden;
    uint batch;
    uint steps;
    uint tiles;           // of units
    uint batch_tiles;
    uint fours;           // of a state
    uint first_direction; // of those that are made
    uint backward;        // a bit for each direction that begins at the last step
    uint first_step;      // of a chunk
    uint chunk_steps;
    uint clip;            // FLOAT32
    uvec2 hidden_areas;
    uvec2 sequence_firsts; // elements of the output, for each direction: of the chunk's first time
    uint cell_area;
    uint last_area;       // the hidden state behind the last step, a row for each sequence
    uint lengths_area;
    uint bias_area;
    uint peephole_area;
    uint sequence_step;   // the output's strides
    uint sequence_row;
    uint sequence_unit;
    uvec4 arguments[6];   // of F, G and H, for each direction
} parameters;

layout(std430, binding = 1) readonly buffer WeightPairs { uvec2 pairs[]; } weight_pairs;
layout(std430, binding = 1) readonly buffer WeightVectors { uvec4 vectors[]; } weight_vectors;
BUFFER_OF_WORDS(2, readonly, Given, given);
BUFFER_OF_WORDS(3, , State, state);
BUFFER_OF_VECTORS(3, , StateVectors, state_vectors);
BUFFER_OF_WORDS(4, writeonly, Sequence, sequence);

// Of this workgroup: the direction, which turn of all it is, the step's time and where in the chunk that is.
uint direction;
uint turn;
uint time;
uint chunk_time;

uint given_base = push.base_bytes[1] / 4;
uint state_base = push.base_bytes[2] / 4;
uint sequence_base = push.base_bytes[3] / 4;

const uint STEP_TURNS = RESETS_FIRST ? 2 : 1;

void begin(uint first_direction_group)
{
    direction = parameters.first_direction + first_direction_group;
    uint chunk_turn = pushed.more_base_bytes.w;
    uint step_number = chunk_turn / STEP_TURNS;
    turn = chunk_turn + parameters.first_step * STEP_TURNS;
    time = parameters.first_step + step_number;
    chunk_time = step_number;
    if ((parameters.backward >> direction & 1) != 0) {
        time = parameters.steps - 1 - time;
        chunk_time = parameters.chunk_steps - 1 - step_number;
    }
}

bool is_last_step()
{
    return turn / STEP_TURNS + 1 == parameters.steps;
}

#define OPERATION(NAME, value, turns, work)
#define FUNCTION(NAME, value, turns, work) const uint FN_##NAME = value;
#include "operation_list.inc"

#define NO_OPERATIONS
#define FUNCTION FUNCTION_F
#define FUNCTION_ARGUMENTS parameters.arguments[direction]
#include "float_operations.glsl"
#undef FUNCTION
#undef FUNCTION_ARGUMENTS

#define ROLE(name) g_##name
#define FUNCTION FUNCTION_G
#define FUNCTION_ARGUMENTS parameters.arguments[2 + direction]
#include "role.glsl"

#define ROLE(name) h_##name
#define FUNCTION FUNCTION_H
#define FUNCTION_ARGUMENTS parameters.arguments[4 + direction]
#include "role.glsl"

#define RECURRENT_FUNCTION(name, fast, slow)                                                                           \
    float name(float x)                                                                                                \
    {                                                                                                                  \
        bool good = true;                                                                                              \
        uint y = fast(floatBitsToUint(x), good);                                                                       \
        if (!good)                                                                                                     \
            y = slow(floatBitsToUint(x));                                                                              \
        return uintBitsToFloat(y);                                                                                     \
    }
RECURRENT_FUNCTION(f_of, float_function_fast, float_function_slow)
RECURRENT_FUNCTION(g_of, g_float_function_fast, g_float_function_slow)
RECURRENT_FUNCTION(h_of, h_float_function_fast, h_float_function_slow)

float state_at(uint word)
{
    return uintBitsToFloat(state.words[state_base + word]);
}

void set_state(uint word, uint bits)
{
    state.words[state_base + word] = bits;
}

float bias_at(uint row, uint unit)
{
    return state_at(parameters.bias_area + (direction * 2 * GATES + row) * parameters.hidden + unit);
}

float peephole_at(uint gate, uint unit)
{
    return state_at(parameters.peephole_area + (direction * 3 + gate) * parameters.hidden + unit);
}

// What the input and the biases give to a gate; of GRU's last, which may be reset, without the state's bias.
float given_to(uint gate, uint unit, uint row)
{
    uint place = (direction * parameters.chunk_steps + chunk_time) * parameters.batch + row;
    float x = uintBitsToFloat(given.words[given_base + (place * GATES + gate) * parameters.hidden + unit]);
    if (HAS_BIAS) {
        x += bias_at(gate, unit);
        if (CELL != GRU || gate != 2)
            x += bias_at(GATES + gate, unit);
    }
    return x;
}

vec4 given_at(uint unit, uint row)
{
    unit = min(unit, parameters.hidden - 1);
    row = min(row, parameters.batch - 1);
    vec4 x = vec4(given_to(0, unit, row), 0.0, 0.0, 0.0);
    if (GATES > 1) {
        x.y = given_to(1, unit, row);
        x.z = given_to(2, unit, row);
    }
    if (GATES > 3)
        x.w = given_to(3, unit, row);
    return x;
}

float clipped(float x)
{
    float clip = uintBitsToFloat(parameters.clip);
    return !CLIPS ? x : x > clip ? clip : x < -clip ? -clip : x;
}

// ---- cells: the hidden state that follows from sums of gates ----

float lstm(vec4 sums, uint unit, uint cell_place, bool is_active)
{
    float cell = state_at(cell_place);
    float p_input = HAS_PEEPHOLE ? peephole_at(0, unit) * cell : 0.0;
    float p_forget = HAS_PEEPHOLE ? peephole_at(2, unit) * cell : 0.0;
    float entering = f_of(clipped(sums.x + p_input));
    float kept = 1.0 - entering;
    if (!COUPLES)
        kept = f_of(clipped(sums.z + p_forget));
    float candidate = g_of(clipped(sums.w));
    float next = kept * cell + entering * candidate;
    float p_output = HAS_PEEPHOLE ? peephole_at(1, unit) * next : 0.0;
    float shown = f_of(clipped(sums.y + p_output));
    if (is_active)
        set_state(cell_place, canonical(floatBitsToUint(next)));
    return shown * h_of(next);
}

float gru(vec4 x, vec4 sums, uint unit, uint update_place, float before)
{
    float own = sums.z;
    if (HAS_BIAS)
        own += bias_at(GATES + 2, unit);
    float update;
    if (RESETS_FIRST) {
        update = state_at(update_place);
    } else {
        update = f_of(x.x + sums.x);
        own *= f_of(x.y + sums.y);
    }
    return (1.0 - update) * g_of(x.z + own) + update * before;
}

// The first of two turns: how much of the state is kept, and the state that is multiplied next.
void reset(vec4 x, vec4 sums, uint update_place, uint to, float before)
{
    float update = f_of(x.x + sums.x);
    float kept = f_of(x.y + sums.y);
    set_state(update_place, floatBitsToUint(update));
    set_state(to, floatBitsToUint(kept * before));
}

// ---- a unit of a sequence ----

void store_sequence(uint unit, uint row, uint bits)
{
    uint element = parameters.sequence_firsts[direction] + chunk_time * parameters.sequence_step +
                   row * parameters.sequence_row + unit * parameters.sequence_unit;
    sequence.words[sequence_base + element] = bits;
}

void store_last(uint own, uint bits, bool is_empty)
{
    set_state(parameters.last_area + own, is_empty ? 0 : bits);
    if (CELL == LSTM && is_empty)
        set_state(parameters.cell_area + own, 0);
}

void finish(uint unit, uint row, vec4 x, vec4 sums)
{
    if (row >= parameters.batch || unit >= parameters.fours * 4)
        return;
    bool is_even = turn % 2 == 0;
    uint place = ((direction * parameters.fours + unit / 4) * parameters.batch + row) * 4 + unit % 4;
    uint to = place + (is_even ? parameters.hidden_areas.y : parameters.hidden_areas.x);
    if (unit >= parameters.hidden) { // what the next turn's fours have beyond the state
        set_state(to, 0);
        return;
    }
    uint own = (direction * parameters.batch + row) * parameters.hidden + unit;
    uint cell_place = parameters.cell_area + own;
    bool is_first_area = RESETS_FIRST ? true : is_even;
    float before = state_at(place + (is_first_area ? parameters.hidden_areas.x : parameters.hidden_areas.y));
    if (RESETS_FIRST && is_even) {
        reset(x, sums, cell_place, to, before);
        return;
    }
    uint count = parameters.steps;
    if (HAS_LENGTHS)
        count = min(state.words[state_base + parameters.lengths_area + row], parameters.steps);
    bool is_active = time < count;
    float next;
    if (CELL == LSTM)
        next = lstm(x + sums, unit, cell_place, is_active);
    else if (CELL == GRU)
        next = gru(x, sums, unit, cell_place, before);
    else
        next = f_of(x.x + sums.x);
    uint bits = canonical(floatBitsToUint(next));
    uint kept = is_active ? bits : floatBitsToUint(before);
    set_state(to, kept);
    if (HAS_SEQUENCE)
        store_sequence(unit, row, is_active ? bits : 0);
    if (is_last_step())
        store_last(own, kept, count == 0);
}

#endif
