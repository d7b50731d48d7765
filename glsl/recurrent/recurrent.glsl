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

// A step of the chunk, and a turn of it.
void begin_turn(uint step_number, uint turn_of_step)
{
    uint number = parameters.first_step + step_number;
    bool is_backward = (parameters.backward >> direction & 1) != 0;
    turn = number * STEP_TURNS + turn_of_step;
    time = is_backward ? parameters.steps - 1 - number : number;
    chunk_time = is_backward ? parameters.chunk_steps - 1 - step_number : step_number;
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

// ---- what an invocation has of its unit of a sequence ----

struct Unit {
    bool exists;
    uint index;
    uint row;
    uint place;       // among all directions' and sequences'
    uint count;       // of the sequence's steps
    vec4 biases;      // of all gates, but that GRU's last has
    float state_bias; // .. this of its own
    vec3 peepholes;
    float before;     // the hidden state
    float cell;       // .. and LSTM's cell, or of two turns what the first leaves
};

Unit unit_at(uint index, uint row)
{
    bool exists = index < parameters.hidden && row < parameters.batch;
    index = min(index, parameters.hidden - 1);
    row = min(row, parameters.batch - 1);
    uint place = (direction * parameters.batch + row) * parameters.hidden + index;
    Unit unit = Unit(exists, index, row, place, parameters.steps, vec4(0.0), 0.0, vec3(0.0), 0.0, 0.0);
    if (HAS_LENGTHS)
        unit.count = min(state.words[state_base + parameters.lengths_area + row], parameters.steps);
    if (HAS_BIAS) {
        [[unroll]] for (uint gate = 0; gate < GATES; ++gate)
            unit.biases[gate] = bias_at(gate, index) + (CELL == GRU && gate == 2 ? 0.0 : bias_at(GATES + gate, index));
        if (CELL == GRU)
            unit.state_bias = bias_at(GATES + 2, index);
    }
    if (HAS_PEEPHOLE)
        unit.peepholes = vec3(peephole_at(0, index), peephole_at(1, index), peephole_at(2, index));
    if (CELL != RNN)
        unit.cell = state_at(parameters.cell_area + place);
    return unit;
}

// Where its hidden state lies in an area of fours.
uint hidden_place(Unit unit)
{
    return ((direction * parameters.fours + unit.index / 4) * parameters.batch + unit.row) * 4 + unit.index % 4;
}

// What the input and the biases give to its gates.
vec4 given_to(Unit unit)
{
    uint row = (direction * parameters.chunk_steps + chunk_time) * parameters.batch + unit.row;
    uint first = given_base + row * GATES * parameters.hidden + unit.index;
    vec4 x = unit.biases;
    [[unroll]] for (uint gate = 0; gate < GATES; ++gate)
        x[gate] += uintBitsToFloat(given.words[first + gate * parameters.hidden]);
    return x;
}

bool is_active(Unit unit)
{
    return time < unit.count;
}

// ---- cells: the hidden state that follows from sums of gates ----

float clipped(float x)
{
    float clip = uintBitsToFloat(parameters.clip);
    return !CLIPS ? x : x > clip ? clip : x < -clip ? -clip : x;
}

float lstm(vec4 sums, inout Unit unit)
{
    float cell = unit.cell;
    float entering = f_of(clipped(HAS_PEEPHOLE ? sums.x + unit.peepholes.x * cell : sums.x));
    float kept = 1.0 - entering;
    if (!COUPLES)
        kept = f_of(clipped(HAS_PEEPHOLE ? sums.z + unit.peepholes.z * cell : sums.z));
    float next = kept * cell + entering * g_of(clipped(sums.w));
    float shown = f_of(clipped(HAS_PEEPHOLE ? sums.y + unit.peepholes.y * next : sums.y));
    if (is_active(unit))
        unit.cell = uintBitsToFloat(canonical(floatBitsToUint(next)));
    return shown * h_of(next);
}

float gru(vec4 x, vec4 sums, Unit unit)
{
    float own = sums.z + unit.state_bias;
    float update = unit.cell;
    if (!RESETS_FIRST) {
        update = f_of(x.x + sums.x);
        own *= f_of(x.y + sums.y);
    }
    return (1.0 - update) * g_of(x.z + own) + update * unit.before;
}

// The first of two turns: how much of the state is kept, and the state that is multiplied next.
float reset(vec4 x, vec4 sums, inout Unit unit)
{
    unit.cell = f_of(x.x + sums.x);
    return f_of(x.y + sums.y) * unit.before;
}

// The state that is kept behind a step, which goes to the sequence too.
uint stepped(vec4 x, vec4 sums, inout Unit unit)
{
    float next;
    if (CELL == LSTM)
        next = lstm(x + sums, unit);
    else if (CELL == GRU)
        next = gru(x, sums, unit);
    else
        next = f_of(x.x + sums.x);
    uint bits = canonical(floatBitsToUint(next));
    bool goes_on = is_active(unit);
    if (HAS_SEQUENCE && unit.exists) {
        uint element = parameters.sequence_firsts[direction] + chunk_time * parameters.sequence_step +
                       unit.row * parameters.sequence_row + unit.index * parameters.sequence_unit;
        sequence.words[sequence_base + element] = goes_on ? bits : 0;
    }
    return goes_on ? bits : floatBitsToUint(unit.before);
}

// What is left behind the last step of all: nothing of a sequence that has none.
void store_last(Unit unit, uint bits)
{
    bool is_empty = unit.count == 0;
    set_state(parameters.last_area + unit.place, is_empty ? 0 : bits);
    if (CELL == LSTM && is_empty)
        set_state(parameters.cell_area + unit.place, 0);
}

// ---- weights ----

// Four along k of a row, as they lie.
uvec4 weight_words(uint four)
{
    if (TYPE == FLOAT16)
        return uvec4(weight_pairs.pairs[four], 0, 0);
    return weight_vectors.vectors[four];
}

vec4 weights_of(uvec4 words)
{
    if (TYPE == FLOAT16)
        return uintBitsToFloat(uvec4(widen_halves(words.x), widen_halves(words.y)));
    return uintBitsToFloat(words);
}

uint weights_base = push.base_bytes[0] / (BITS_OF(TYPE) / 2);

float product_of(vec4 w, vec4 x)
{
    return w.x * x.x + w.y * x.y + w.z * x.z + w.w * x.w;
}

// Whether a gate is made in this turn.
bool is_made(uint gate)
{
    return !RESETS_FIRST ? true : (gate == 2) == (turn % 2 == 1);
}

#endif
