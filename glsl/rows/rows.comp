// Rows that fit a workgroup's registers: each element of the input is read once, what all of a row give together is found, and each
// is written once. A row is what differs in the folded dimensions alone. It lies side by side, and LANES neighbouring invocations
// hold it, four elements an item; or (ACROSS) rows lie side by side, an item is an element of four of them, and LANES invocations
// hold these four. An invocation holds HELD items, LANES apart. FLOAT16 arithmetic is left in a pipeline's module where
// FLOAT_CONTROLS say that the device has it.
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
const bool ACROSS = (SHAPE & 1u) != 0;
const bool HAS_SCALE = (SHAPE & 2u) != 0;        // MOMENTS
const bool HAS_BIAS = (SHAPE & 4u) != 0;
const bool SCALE_IS_VECTOR = (SHAPE & 8u) != 0;  // the four elements of an item have scales side by side; else one
const bool BIAS_IS_VECTOR = (SHAPE & 16u) != 0;
const bool OPTION = (SHAPE & 32u) != 0;
const bool PAIRED = (SHAPE & 64u) != 0;          // of FLOAT16: items 2 k and 2 k + 1 of an invocation lie side by side, 16 bytes
layout(constant_id = 4) const uint LANES = 1;    // 1, 4, 8, 16, and of rows 32, 64, 128, 256
layout(constant_id = 5) const uint HELD = 1;     // 1, 2, 4, 8 or 16
layout(constant_id = 6) const uint KEPT_RANK = 8;
layout(constant_id = 7) const uint FULL = 0;     // of an invocation's items the first that every row and invocation has

const uint SOFTMAX = 0;
const uint LOG_SOFTMAX = 1;
const uint MOMENTS = 2; // (x - mean) / sqrt(variance + an argument), times the scale, plus the bias
const uint NORM = 3;    // x / max(norm, an argument)
const bool ABOUT_ZERO = OPTION; // MOMENTS: 0 takes the mean's place
const bool SQUARES = OPTION;    // NORM: L2, else L1

// Mirrored by struct rows_parameters. In elements; an item's of a scale or bias that is no vector.
layout(std140, binding = 0) uniform Parameters {
    uint group_count;
    uint unit_count;    // rows, or ACROSS fours of them
    uint item_count;    // of a row
    uint inverse_count; // 1 / the elements of a row, as FLOAT32
    uvec4 steps;        // between items: of the input, the output, the scale, the bias
    uint argument;      // FLOAT32
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
const uint UNITS = gl_WorkGroupSize.x / LANES;

// ---- elements ----

vec4 halves(uvec2 words)
{
    return uintBitsToFloat(uvec4(widen_halves(words.x), widen_halves(words.y)));
}

float half_at(uint word, uint element)
{
    return uintBitsToFloat(widen_half((word >> (element % 2 * 16)) & 0xFFFF));
}

#define LOAD_VECTOR(name, element, second)                                                                             \
    (TYPE == FLOAT32 ? uintBitsToFloat(name##_vectors.vectors[(element) / 4])                                          \
     : PAIRED        ? halves((second) ? name##_vectors.vectors[(element) / 8].zw : name##_vectors.vectors[(element) / 8].xy) \
                     : halves(name##_pairs.pairs[(element) / 4]))
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
            words = uvec2(narrow_to_half(bits.x) | narrow_to_half(bits.y) << 16, narrow_to_half(bits.z) | narrow_to_half(bits.w) << 16);
        return uvec4(words, 0, 0);
    }
    return may_be_nan ? uvec4(quiet(bits.x), quiet(bits.y), quiet(bits.z), quiet(bits.w)) : bits;
}

// ---- inverses ----

// 1 / x and 1 / sqrt(x), within 2^-22, of x from 2^-60 to 2^60: the device's estimate, which may be off by some units, and a step
// of Newton's.
bool is_moderate(float x)
{
    return x >= 8.67361738e-19 && x <= 1.15292150e18;
}

float inverse_of(float x)
{
    if (!is_moderate(x))
        return uintBitsToFloat(math_divide(ONE, floatBitsToUint(x)));
    precise float root = inversesqrt(x);
    precise float estimate = root * root;
    precise float rest = 1.0 - x * estimate;
    precise float inverse = estimate + estimate * rest;
    return inverse;
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

shared uvec4 row_cells[ACROSS ? 1 : gl_WorkGroupSize.x / 4];
shared uvec4 more_row_cells[ACROSS ? 1 : FUNCTION == MOMENTS ? gl_WorkGroupSize.x / 4 : 1];
const uint GROUP = LANES == 32 ? 8 : LANES < 16 ? LANES : 16; // cells that are joined at once
shared uint group_cells[LANES > 16 ? gl_WorkGroupSize.x / GROUP : 1];
shared uint more_group_cells[LANES > 16 ? (FUNCTION == MOMENTS ? gl_WorkGroupSize.x / GROUP : 1) : 1];
shared uvec4 cells[ACROSS ? gl_WorkGroupSize.x : 1];
shared uvec4 more_cells[ACROSS ? (FUNCTION == MOMENTS ? gl_WorkGroupSize.x : 1) : 1];

// Sums, or the greater of unsigned integers.
uvec4 joined(uvec4 a, uvec4 b, bool adds)
{
    precise vec4 sum = uintBitsToFloat(a) + uintBitsToFloat(b);
    return adds ? floatBitsToUint(sum) : max(a, b);
}

uint joined_across(uvec4 a, bool adds)
{
    precise float first = uintBitsToFloat(a.x) + uintBitsToFloat(a.y);
    precise float second = uintBitsToFloat(a.z) + uintBitsToFloat(a.w);
    precise float sum = first + second;
    return adds ? floatBitsToUint(sum) : max(max(a.x, a.y), max(a.z, a.w));
}

// Of up to sixteen cells that begin at a multiple of four.
uint joined_cells(uint first, uint count, bool adds)
{
    uvec4 all = row_cells[first];
    if (count > 4)
        all = joined(all, row_cells[first + 1], adds);
    if (count > 8)
        all = joined(all, joined(row_cells[first + 2], row_cells[first + 3], adds), adds);
    return joined_across(all, adds);
}

uint joined_more_cells(uint first, uint count)
{
    uvec4 all = more_row_cells[first];
    if (count > 4)
        all = joined(all, more_row_cells[first + 1], true);
    if (count > 8)
        all = joined(all, joined(more_row_cells[first + 2], more_row_cells[first + 3], true), true);
    return joined_across(all, true);
}

// Of an invocation's value and, if `both`, of another that is added.
uvec2 of_row(uint value, uint more, bool adds, bool both)
{
    if (LANES == 1)
        return uvec2(value, more);
    uint slot = gl_LocalInvocationIndex;
    barrier();
    row_cells[slot / 4][slot % 4] = value;
    if (both)
        more_row_cells[slot / 4][slot % 4] = more;
    barrier();
    uint first = slot / GROUP * (GROUP / 4);
    value = joined_cells(first, GROUP, adds);
    if (both)
        more = joined_more_cells(first, GROUP);
    if (LANES > 16) {
        if (slot % GROUP == 0) {
            group_cells[slot / GROUP] = value;
            if (both)
                more_group_cells[slot / GROUP] = more;
        }
        barrier();
        if (slot < gl_WorkGroupSize.x / GROUP) {
            row_cells[slot / 4][slot % 4] = group_cells[slot];
            if (both)
                more_row_cells[slot / 4][slot % 4] = more_group_cells[slot];
        }
        barrier();
        const uint groups = LANES / GROUP;
        first = slot / LANES * (groups / 4);
        value = joined_cells(first, groups, adds);
        if (both)
            more = joined_more_cells(first, groups);
    }
    return uvec2(value, more);
}

void of_columns(inout uvec4 value, inout uvec4 more, bool adds, bool both)
{
    if (LANES == 1)
        return;
    uint slot = gl_LocalInvocationIndex;
    barrier();
    cells[slot] = value;
    if (both)
        more_cells[slot] = more;
    barrier();
    uint first = slot % UNITS;
    value = cells[first];
    more = both ? more_cells[first] : more;
    [[dont_unroll]] for (uint lane = 1; lane < LANES; ++lane) {
        value = joined(value, cells[first + lane * UNITS], adds);
        if (both)
            more = joined(more, more_cells[first + lane * UNITS], true);
    }
}

// Of four values of an invocation: those of one row, or of four.
void of_all(inout uvec4 value, inout uvec4 more, bool adds, bool both)
{
    if (ACROSS) {
        of_columns(value, more, adds, both);
    } else {
        uvec2 row = of_row(joined_across(value, adds), joined_across(more, true), adds, both);
        value = uvec4(row.x);
        more = uvec4(row.y);
    }
}

// ---- an invocation's items ----

vec4 held[16];
uint lane;
uint item_count; // of a row

// What is done with each item, by its number: no loop, since arrays in registers have constant indices, and loops that are unrolled
// lose what is precise (see glsl/map/map_words.glsl).
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

// Counted along the row; PAIRED: of the first of two.
uint item_of(uint n)
{
    return PAIRED ? (lane + n / 2 * LANES) * 2 : lane + n * LANES;
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
        uint coordinate = unit; // the outermost is not divided by its size
        if (d != 0) {
            uint quotient = divide(unit, parameters.kept[d].y, parameters.kept[d].z);
            coordinate = unit - quotient * parameters.kept[d].x;
            unit = quotient;
        }
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
    return LOAD_VECTOR(source, source_first + item_of(n) * SOURCE_STEP, n % 2 != 0);
}

vec4 scale_at(uint n)
{
    if (SCALE_IS_VECTOR)
        return LOAD_VECTOR(scales, scale_first + item_of(n) * SCALE_STEP, n % 2 != 0);
    return LOAD_ONE(scales, scale_first + (ACROSS ? item_of(n) * SCALE_STEP : 0));
}

vec4 bias_at(uint n)
{
    if (BIAS_IS_VECTOR)
        return LOAD_VECTOR(biases, bias_first + item_of(n) * BIAS_STEP, n % 2 != 0);
    return LOAD_ONE(biases, bias_first + (ACROSS ? item_of(n) * BIAS_STEP : 0));
}

void load(uint n)
{
    held[n] = exists(n) ? item_at(n) : vec4(0.0);
}

void store_packed(uint n, bool may_be_nan)
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
        store_packed(n, false);
}

void store_any(uint n)
{
    if (exists(n))
        store_packed(n, true);
}

uvec4 first_value;
uvec4 second_value;

#include "softmax.glsl"
#include "moments.glsl"
#include "norms.glsl"

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint slot = gl_LocalInvocationIndex;
    uint unit = group * UNITS + (ACROSS ? slot % UNITS : slot / LANES);
    lane = ACROSS ? slot / UNITS : slot % LANES;
    item_count = parameters.item_count;
    find_row(min(unit, parameters.unit_count - 1)); // all of a workgroup meet at the barriers
    EACH(load)
    if (EITHER(FUNCTION == SOFTMAX, FUNCTION == LOG_SOFTMAX))
        softmax();
    else if (FUNCTION == MOMENTS)
        normalize();
    else
        divide_by_norm();
    if (unit >= parameters.unit_count)
        return;
    if (is_ordinary) {
        EACH(store_ordinary)
    } else {
        EACH(store_any)
    }
}
