// Rows that fit a workgroup's registers: each element of the input is read once, what all of a row give together is
// found, and each is written once. A row is what differs in the folded dimensions alone. It lies side by side, and
// LANES neighbouring invocations hold it, four elements an item; or (ACROSS) rows lie side by side, an item is an
// element of four of them, and LANES invocations hold these four. An invocation holds HELD items, LANES apart. A row
// that is too long for that (IS_LONG) is read twice by its workgroup, block by block, the last ones first the second
// time: most of that comes from a cache. FLOAT16 arithmetic is left in a pipeline's module where FLOAT_CONTROLS say
// that the device has it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_control_flow_attributes : require

#include "binding.glsl"
#include "division.glsl"
#include "types.glsl"
#include "../math/math.glsl"

layout(constant_id = 1) const uint TYPE = 1; // of all tensors: FLOAT32 or FLOAT16
layout(constant_id = 2) const uint FUNCTION = 0;
layout(constant_id = 3) const uint SHAPE = 0;
// In C: VKDML_ROWS_...
const bool ACROSS = (SHAPE & 1u) != 0;
const bool HAS_SCALE = (SHAPE & 2u) != 0;        // MOMENTS
const bool HAS_BIAS = (SHAPE & 4u) != 0;
const bool SCALE_IS_VECTOR = (SHAPE & 8u) != 0;  // the four elements of an item have scales side by side; else one
const bool BIAS_IS_VECTOR = (SHAPE & 16u) != 0;
const bool OPTION = (SHAPE & 32u) != 0;
// a row of several blocks, each of what its invocations hold; never ACROSS
const bool IS_LONG = (SHAPE & 128u) != 0;
// of FLOAT16: items 2 k and 2 k + 1 of an invocation lie side by side, 16 bytes
const bool PAIRED = (SHAPE & 64u) != 0;
// 1, 4, 8, 16, and of rows 32, 64, .., 1024; 0: lanes, and whether items are in pairs, are parameters
layout(constant_id = 4) const uint LANES = 1;
const bool IS_OPEN = LANES == 0;
const uint FIXED_LANES = IS_OPEN ? 1 : LANES;
layout(constant_id = 5) const uint HELD = 1;     // 1, 2, 4, 8 or 16
layout(constant_id = 6) const uint KEPT_RANK = 8;
layout(constant_id = 7) const uint FULL = 0;     // of an invocation's items the first that every row and invocation has

// In C: enum vkdml_rows_function, VKDML_ROWS_...
const uint SOFTMAX = 0;
const uint LOG_SOFTMAX = 1;
const uint MOMENTS = 2; // (x - mean) / sqrt(variance + an argument), times the scale, plus the bias
const uint NORM = 3;    // x / max(norm, an argument)
const bool IS_SOFTMAX = FUNCTION <= LOG_SOFTMAX;
const bool ABOUT_ZERO = OPTION; // MOMENTS: 0 takes the mean's place
const bool SQUARES = OPTION;    // NORM: L2, else L1

// In elements; an item's of a scale or bias that is no vector.
layout(std140, binding = 0) uniform RowsParameters {
    uint group_count;
    uint unit_count;    // rows, or ACROSS fours of them
    uint item_count;    // of a row
    uint inverse_count; // 1 / the elements of a row, as FLOAT32
    uvec4 steps;        // between items: of the input, the output, the scale, the bias
    uint argument;      // FLOAT32
    uint block_count;   // of a row: 1, or IS_LONG more
    uint lanes;         // LANES and PAIRED where they are no constants
    uint is_paired;
    uvec4 kept[8];      // outermost first: a size, its multiplier and shifts for divide(), and the input's stride
    uvec4 kept_more[8]; // strides of the output, the scale, the bias
} parameters;

#define VIEWS(access, Name, name, number)                                                                              \
    layout(std430, binding = number) access buffer Name##Words { uint words[]; } name;                                 \
    layout(std430, binding = number) access buffer Name##Pairs { uvec2 pairs[]; } name##_pairs;                        \
    layout(std430, binding = number) access buffer Name##Vectors { uvec4 vectors[]; } name##_vectors;
VIEWS(readonly, Input, source, 1)
VIEWS(writeonly, Output, destination, 2)
VIEWS(readonly, Scale, scales, 3)
VIEWS(readonly, Bias, biases, 4)

const uint BITS = TYPE == FLOAT16 ? 16 : 32;
const uint ONE = 0x3F800000u;
const uint UNITS = gl_WorkGroupSize.x / FIXED_LANES;

// ---- elements ----

vec4 halves(uvec2 words)
{
    return uintBitsToFloat(uvec4(widen_halves(words.x), widen_halves(words.y)));
}

float half_at(uint word, uint element)
{
    return uintBitsToFloat(widen_half((word >> (element % 2 * 16)) & 0xFFFF));
}

#define LOAD_ITEM(name, element)                                                                                       \
    (TYPE == FLOAT32 ? uintBitsToFloat(name##_vectors.vectors[(element) / 4])                                          \
                     : halves(name##_pairs.pairs[(element) / 4]))
#define LOAD_PAIR(name, element) name##_vectors.vectors[(element) / 8]
// Of item n, the first of two, or the only one, being at an element: one load serves both.
#define LOAD_VECTOR(name, element, n)                                                                                  \
    (!PAIRED ? LOAD_ITEM(name, element)                                                                                \
             : halves((n) % 2 == 0 ? LOAD_PAIR(name, element).xy : LOAD_PAIR(name, element).zw))
#define LOAD_ONE(name, element)                                                                                        \
    vec4(TYPE == FLOAT16 ? half_at(name.words[(element) / 2], element) : uintBitsToFloat(name.words[element]))

uint quiet(uint x)
{
    return is_nan(x) ? QUIET_NAN : x;
}

bool is_ordinary; // none of the row's results is NaN

// An item as it is stored.
uvec4 packed(vec4 x, bool may_be_nan)
{
    uvec4 bits = floatBitsToUint(x);
    if (TYPE == FLOAT16) {
        bool good = true;
        uvec2 words = uvec2(narrow_to_halves(bits.xy, good), narrow_to_halves(bits.zw, good));
        if (may_be_nan && !good)
            words = uvec2(narrow_to_half(bits.x) | narrow_to_half(bits.y) << 16,
                          narrow_to_half(bits.z) | narrow_to_half(bits.w) << 16);
        return uvec4(words, 0, 0);
    }
    return may_be_nan ? uvec4(quiet(bits.x), quiet(bits.y), quiet(bits.z), quiet(bits.w)) : bits;
}

// ---- inverses ----

// 1 / x and 1 / sqrt(x), within 2^-22, of x from 2^-60 to 2^60: the device's estimate, which may be off by some units,
// and a step of Newton's.
bool is_moderate(float x)
{
    return x >= 8.67361738e-19 && x <= 1.15292150e18;
}

float inverse_of_moderate(float x)
{
    precise float root = inversesqrt(x);
    precise float estimate = root * root;
    precise float rest = 1.0 - x * estimate;
    precise float inverse = estimate + estimate * rest;
    return inverse;
}

float inverse_of(float x)
{
    return is_moderate(x) ? inverse_of_moderate(x) : uintBitsToFloat(math_divide(ONE, floatBitsToUint(x)));
}

float inverse_root_of(float x)
{
    if (!is_moderate(x))
        return uintBitsToFloat(math_divide(ONE, math_sqrt(floatBitsToUint(x))));
    precise float estimate = inversesqrt(x);
    precise float rest = 1.0 - x * estimate * estimate;
    precise float inverse = estimate + estimate * (rest * 0.5);
    return inverse;
}

// ---- what all invocations of a row have together ----

// Twice: the first turn and the second have cells of their own, so that nobody waits until all have read the first.
const uint FIRST = 0;
const uint SECOND = 1;

// Cells that are joined at once, or where lanes are no constant the fewest of those that are joined again.
const uint GROUP = EITHER(IS_OPEN, LANES == 32) ? 8 : LANES < 16 ? LANES : 16;
const uint ROW_CELLS = EITHER(ACROSS, LANES == 1) ? 1 : gl_WorkGroupSize.x / 4;
const uint GROUP_CELLS = EITHER(ACROSS, BOTH(!IS_OPEN, LANES <= 16)) ? 1 : gl_WorkGroupSize.x / GROUP / 4;
const uint COLUMN_CELLS = BOTH(ACROSS, LANES != 1) ? gl_WorkGroupSize.x : 1;
shared uvec4 row_cells[2][ROW_CELLS];
shared uvec4 group_cells[2][GROUP_CELLS];
shared uvec4 column_cells[2][COLUMN_CELLS];
shared uvec4 more_row_cells[FUNCTION == MOMENTS ? ROW_CELLS : 1];
shared uvec4 more_group_cells[FUNCTION == MOMENTS ? GROUP_CELLS : 1];
shared uvec4 more_column_cells[FUNCTION == MOMENTS ? COLUMN_CELLS : 1];

// Sums; or the greater ones, of numbers or, NORM, of magnitudes, among which NaN counts.
uvec4 joined(uvec4 a, uvec4 b, bool adds)
{
    precise vec4 sum = uintBitsToFloat(a) + uintBitsToFloat(b);
    uvec4 greater = FUNCTION == NORM ? max(a, b) : floatBitsToUint(max(uintBitsToFloat(a), uintBitsToFloat(b)));
    return adds ? floatBitsToUint(sum) : greater;
}

uint joined_across(uvec4 a, bool adds)
{
    uvec4 pairs = joined(a.xyxy, a.zwzw, adds);
    return joined(pairs.xxxx, pairs.yyyy, adds).x;
}

// Of up to sixteen cells.
#define JOINED_CELLS(cells, first, count, adds)                                                                        \
    joined_across((count) == 4   ? cells[first]                                                                        \
                  : (count) == 8 ? joined(cells[first], cells[(first) + 1], adds)                                      \
                                 : joined(joined(cells[first], cells[(first) + 1], adds),                              \
                                          joined(cells[(first) + 2], cells[(first) + 3], adds), adds),                 \
                  adds)

uvec2 of_open_row(uint value, uint more, uint turn, bool adds, bool both)
{
    uint lanes = parameters.lanes;
    if (lanes == 1)
        return uvec2(value, more);
    uint slot = gl_LocalInvocationIndex;
    row_cells[turn][slot / 4][slot % 4] = value;
    if (both)
        more_row_cells[slot / 4][slot % 4] = more;
    barrier();
    uint count = lanes == 32 ? 8 : min(lanes, 16);
    uint first = slot / count * (count / 4);
    value = JOINED_CELLS(row_cells[turn], first, count, adds);
    if (both)
        more = JOINED_CELLS(more_row_cells, first, count, true);
    if (lanes <= 16)
        return uvec2(value, more);
    uint groups = lanes / count;
    slot /= count;
    if (gl_LocalInvocationIndex % count == 0) {
        group_cells[turn][slot / 4][slot % 4] = value;
        if (both)
            more_group_cells[slot / 4][slot % 4] = more;
    }
    barrier();
    first = slot / groups * (groups / 4);
    if (groups <= 16) {
        value = JOINED_CELLS(group_cells[turn], first, groups, adds);
        if (both)
            more = JOINED_CELLS(more_group_cells, first, groups, true);
        return uvec2(value, more);
    }
    uvec4 all = group_cells[turn][0];
    uvec4 more_all = more_group_cells[0];
    [[dont_unroll]] for (uint cell = 1; cell < groups / 4; ++cell) {
        all = joined(all, group_cells[turn][cell], adds);
        if (both)
            more_all = joined(more_all, more_group_cells[cell], true);
    }
    return uvec2(joined_across(all, adds), joined_across(more_all, true));
}

// Of an invocation's value and, if `both`, of another that is added.
uvec2 of_row(uint value, uint more, uint turn, bool adds, bool both)
{
    if (LANES == 1)
        return uvec2(value, more);
    if (IS_OPEN)
        return of_open_row(value, more, turn, adds, both);
    uint slot = gl_LocalInvocationIndex;
    row_cells[turn][slot / 4][slot % 4] = value;
    if (both)
        more_row_cells[slot / 4][slot % 4] = more;
    barrier();
    uint first = slot / GROUP * (GROUP / 4);
    value = JOINED_CELLS(row_cells[turn], first, GROUP, adds);
    if (both)
        more = JOINED_CELLS(more_row_cells, first, GROUP, true);
    if (LANES > 16) {
        const uint groups = FIXED_LANES / GROUP;
        slot /= GROUP;
        if (gl_LocalInvocationIndex % GROUP == 0) {
            group_cells[turn][slot / 4][slot % 4] = value;
            if (both)
                more_group_cells[slot / 4][slot % 4] = more;
        }
        barrier();
        first = slot / groups * (groups / 4);
        if (groups <= 16) {
            value = JOINED_CELLS(group_cells[turn], first, groups, adds);
            if (both)
                more = JOINED_CELLS(more_group_cells, first, groups, true);
        } else {
            uvec4 all = group_cells[turn][0];
            uvec4 more_all = more_group_cells[0];
            [[dont_unroll]] for (uint cell = 1; cell < groups / 4; ++cell) {
                all = joined(all, group_cells[turn][cell], adds);
                if (both)
                    more_all = joined(more_all, more_group_cells[cell], true);
            }
            value = joined_across(all, adds);
            more = joined_across(more_all, true);
        }
    }
    return uvec2(value, more);
}

#define JOINED_COLUMNS(cells, first, step, adds)                                                                       \
    joined(joined(cells[first], cells[(first) + (step)], adds),                                                        \
           joined(cells[(first) + 2 * (step)], cells[(first) + 3 * (step)], adds), adds)

void of_open_columns(inout uvec4 value, inout uvec4 more, uint turn, bool adds, bool both)
{
    if (parameters.lanes == 1)
        return;
    uint units = gl_WorkGroupSize.x / parameters.lanes;
    uint slot = gl_LocalInvocationIndex;
    column_cells[turn][slot] = value;
    if (both)
        more_column_cells[slot] = more;
    barrier();
    value = JOINED_COLUMNS(column_cells[turn], slot % units, units, adds);
    if (both)
        more = JOINED_COLUMNS(more_column_cells, slot % units, units, true);
    [[dont_unroll]] for (uint first = slot % units + 4 * units; first < gl_WorkGroupSize.x; first += 4 * units) {
        value = joined(value, JOINED_COLUMNS(column_cells[turn], first, units, adds), adds);
        if (both)
            more = joined(more, JOINED_COLUMNS(more_column_cells, first, units, true), true);
    }
}

void of_columns(inout uvec4 value, inout uvec4 more, uint turn, bool adds, bool both)
{
    if (LANES == 1)
        return;
    if (IS_OPEN) {
        of_open_columns(value, more, turn, adds, both);
        return;
    }
    uint slot = gl_LocalInvocationIndex;
    column_cells[turn][slot] = value;
    if (both)
        more_column_cells[slot] = more;
    barrier();
    value = JOINED_COLUMNS(column_cells[turn], slot % UNITS, UNITS, adds);
    if (both)
        more = JOINED_COLUMNS(more_column_cells, slot % UNITS, UNITS, true);
    [[dont_unroll]] for (uint first = slot % UNITS + 4 * UNITS; first < gl_WorkGroupSize.x; first += 4 * UNITS) {
        value = joined(value, JOINED_COLUMNS(column_cells[turn], first, UNITS, adds), adds);
        if (both)
            more = joined(more, JOINED_COLUMNS(more_column_cells, first, UNITS, true), true);
    }
}

// Of four values of an invocation: those of one row, or of four.
void of_all(inout uvec4 value, inout uvec4 more, uint turn, bool adds, bool both)
{
    if (ACROSS) {
        of_columns(value, more, turn, adds, both);
    } else {
        uvec2 row = of_row(joined_across(value, adds), both ? joined_across(more, true) : 0u, turn, adds, both);
        value = uvec4(row.x);
        more = uvec4(row.y);
    }
}

// ---- an invocation's items ----

vec4 held[16];
uint lane;
uint item_count; // of a row
bool is_stored;  // there is such a row

// What is done with each item, by its number: no loop, since arrays in registers have constant indices, and loops that
// are unrolled lose what is precise (see glsl/map/map_words.glsl).
#define EACH(f)                                                                                                        \
    f(0);                                                                                                              \
    if (HELD > 1)                                                                                                      \
        f(1);                                                                                                          \
    if (HELD > 2) {                                                                                                    \
        f(2);                                                                                                          \
        f(3);                                                                                                          \
    }                                                                                                                  \
    if (HELD > 4) {                                                                                                    \
        f(4);                                                                                                          \
        f(5);                                                                                                          \
        f(6);                                                                                                          \
        f(7);                                                                                                          \
    }                                                                                                                  \
    if (HELD > 8) {                                                                                                    \
        f(8);                                                                                                          \
        f(9);                                                                                                          \
        f(10);                                                                                                         \
        f(11);                                                                                                         \
        f(12);                                                                                                         \
        f(13);                                                                                                         \
        f(14);                                                                                                         \
        f(15);                                                                                                         \
    }

const uint BLOCK = LANES * HELD;
uint block_first = 0; // the first of a block's items

// Counted along the row; PAIRED: of the first of two.
uint item_of(uint n)
{
    if (IS_OPEN) {
        uint pair = (lane + n / 2 * parameters.lanes) * 2 + n % 2;
        return block_first + (parameters.is_paired != 0 ? pair : lane + n * parameters.lanes);
    }
    return block_first + (PAIRED ? (lane + n / 2 * LANES) * 2 : lane + n * LANES);
}

bool exists(uint n)
{
    return n < FULL ? true : item_of(n) < item_count;
}

// Where the row begins in each tensor.
uint source_first;
uint destination_first;
uint scale_first;
uint bias_first;

void find_row(uint unit)
{
    source_first = push.base_bytes[0] * 8 / BITS;
    destination_first = push.base_bytes[1] * 8 / BITS;
    scale_first = push.base_bytes[2] * 8 / BITS;
    bias_first = push.base_bytes[3] * 8 / BITS;
    for (uint n = 0; n < KEPT_RANK; ++n) {
        uint d = KEPT_RANK - 1 - n;
        TAKE_COORDINATE(coordinate, unit, d == 0, parameters.kept[d].x, parameters.kept[d].y, parameters.kept[d].z)
        source_first += coordinate * parameters.kept[d].w;
        destination_first += coordinate * parameters.kept_more[d].x;
        scale_first += coordinate * parameters.kept_more[d].y;
        bias_first += coordinate * parameters.kept_more[d].z;
    }
}

// Elements between items.
#define SOURCE_STEP      (ACROSS ? parameters.steps.x : 4)
#define DESTINATION_STEP (ACROSS ? parameters.steps.y : 4)
#define SCALE_STEP       (ACROSS ? parameters.steps.z : 4)
#define BIAS_STEP        (ACROSS ? parameters.steps.w : 4)

vec4 item_at(uint n)
{
    return LOAD_VECTOR(source, source_first + item_of(n) * SOURCE_STEP, n);
}

vec4 scale_at(uint n)
{
    if (SCALE_IS_VECTOR)
        return LOAD_VECTOR(scales, scale_first + item_of(n) * SCALE_STEP, n);
    return LOAD_ONE(scales, scale_first + (ACROSS ? item_of(n) * SCALE_STEP : 0));
}

vec4 bias_at(uint n)
{
    if (BIAS_IS_VECTOR)
        return LOAD_VECTOR(biases, bias_first + item_of(n) * BIAS_STEP, n);
    return LOAD_ONE(biases, bias_first + (ACROSS ? item_of(n) * BIAS_STEP : 0));
}

void load(uint n)
{
    held[n] = exists(n) ? item_at(n) : vec4(0.0);
}

void store_held(uint n, bool may_be_nan)
{
    uint element = destination_first + item_of(n) * DESTINATION_STEP;
    uvec4 item = packed(held[n], may_be_nan);
    if (TYPE == FLOAT32)
        destination_vectors.vectors[element / 4] = item;
    else if (!PAIRED)
        destination_pairs.pairs[element / 4] = item.xy;
    else if (n % 2 == 0)
        destination_vectors.vectors[element / 8] = uvec4(item.xy, packed(held[n | 1], may_be_nan).xy);
}

void store_ordinary(uint n)
{
    if (exists(n))
        store_held(n, false);
}

void store_any(uint n)
{
    if (exists(n))
        store_held(n, true);
}

void store_item(uint n, vec4 x)
{
    uint place = (destination_first + item_of(n) * DESTINATION_STEP) / 4 + (PAIRED ? n % 2 : 0);
    uvec4 item = packed(x, true);
    if (TYPE == FLOAT32)
        destination_vectors.vectors[place] = item;
    else
        destination_pairs.pairs[place] = item.xy;
}

void load_block(uint block)
{
    block_first = block * (IS_OPEN ? parameters.lanes * HELD : BLOCK);
    EACH(load)
}

vec4 sums;
vec4 factors; // or what is added

#include "softmax.glsl"
#include "moments.glsl"
#include "norms.glsl"

// What the row's elements give together.
void survey()
{
    if (IS_SOFTMAX)
        survey_powers();
    else if (FUNCTION == MOMENTS)
        survey_moments();
    else
        survey_magnitudes();
}

// Of a block that is read for the second time.
void retake()
{
    if (IS_SOFTMAX) {
        EACH(take_powers)
    } else if (FUNCTION == MOMENTS) {
        EACH(take_distances)
    }
}

// Makes results of what survey() or retake() left of the items held, and stores them.
void finish()
{
    if (!is_stored)
        return;
    if (IS_SOFTMAX && !is_ordinary) {
        store_extraordinary();
        return;
    }
    if (IS_SOFTMAX) {
        EACH(finish_powers)
    } else if (FUNCTION == MOMENTS) {
        EACH(finish_distances)
    } else {
        EACH(finish_magnitudes)
    }
    if (is_ordinary) {
        EACH(store_ordinary)
    } else {
        EACH(store_any)
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint slot = gl_LocalInvocationIndex;
    uint unit;
    if (IS_OPEN) {
        uint units = gl_WorkGroupSize.x / parameters.lanes;
        unit = group * units + (ACROSS ? slot % units : slot / parameters.lanes);
        lane = ACROSS ? slot / units : slot % parameters.lanes;
    } else {
        unit = group * UNITS + (ACROSS ? slot % UNITS : slot / LANES);
        lane = ACROSS ? slot / UNITS : slot % LANES;
    }
    item_count = parameters.item_count;
    is_stored = unit < parameters.unit_count;
    find_row(min(unit, parameters.unit_count - 1)); // all of a workgroup meet at the barriers
    load_block(0);
    survey();
    if (IS_LONG) {
        [[dont_unroll]] for (uint block = parameters.block_count; block-- > 0;) {
            load_block(block);
            retake();
            finish();
        }
    } else {
        finish();
    }
}
