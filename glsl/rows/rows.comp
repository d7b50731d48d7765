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
layout(constant_id = 4) const uint LANES = 1;    // 1, 4, 8, 16, and of rows 32, 64, 128, 256
layout(constant_id = 5) const uint HELD = 1;     // 1, 2, 4, 8 or 16
layout(constant_id = 6) const uint KEPT_RANK = 8;

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

vec4 load_item(uint element)
{
    if (TYPE == FLOAT16)
        return halves(source_pairs.pairs[element / 4]);
    return uintBitsToFloat(source_vectors.vectors[element / 4]);
}

vec4 load_scale(uint element)
{
    if (SCALE_IS_VECTOR)
        return TYPE == FLOAT16 ? halves(scales_pairs.pairs[element / 4]) : uintBitsToFloat(scales_vectors.vectors[element / 4]);
    return vec4(TYPE == FLOAT16 ? half_at(scales.words[element / 2], element) : uintBitsToFloat(scales.words[element]));
}

vec4 load_bias(uint element)
{
    if (BIAS_IS_VECTOR)
        return TYPE == FLOAT16 ? halves(biases_pairs.pairs[element / 4]) : uintBitsToFloat(biases_vectors.vectors[element / 4]);
    return vec4(TYPE == FLOAT16 ? half_at(biases.words[element / 2], element) : uintBitsToFloat(biases.words[element]));
}

uint quiet(uint x)
{
    return is_nan(x) ? QUIET_NAN : x;
}

uint half_of(uint x)
{
    return narrow_to_half(x);
}

// Where a row is ordinary none of its results is NaN.
void store_item(uint element, vec4 x, bool is_ordinary)
{
    uvec4 bits = floatBitsToUint(x);
    if (TYPE == FLOAT16) {
        bool good = true;
        uvec2 words = uvec2(narrow_to_halves(bits.xy, good), narrow_to_halves(bits.zw, good));
        if (!good)
            words = uvec2(half_of(bits.x) | half_of(bits.y) << 16, half_of(bits.z) | half_of(bits.w) << 16);
        destination_pairs.pairs[element / 4] = words;
    } else {
        if (!is_ordinary)
            bits = uvec4(quiet(bits.x), quiet(bits.y), quiet(bits.z), quiet(bits.w));
        destination_vectors.vectors[element / 4] = bits;
    }
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
uint item_count; // of this row; 0 where there is none

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

uint item_of(uint n)
{
    return lane + n * LANES;
}

bool exists(uint n)
{
    return item_of(n) < item_count;
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

void load(uint n)
{
    held[n] = exists(n) ? load_item(source_first + item_of(n) * parameters.steps.x) : vec4(0.0);
}

uvec4 first_value;
uvec4 second_value;

// ---- softmax ----

// Of numbers in their order; that of NaN is the greatest.
uint key_of(uint x)
{
    return is_nan(x) ? 0xFFFFFFFFu : x ^ (uint(int(x) >> 31) | SIGN_BIT);
}

uint number_of(uint key)
{
    return key == 0xFFFFFFFFu ? QUIET_NAN : (key & SIGN_BIT) != 0 ? key ^ SIGN_BIT : ~key;
}

vec4 greatest; // of numbers; NaN may be passed over, but not in sums

void find_greatest(uint n)
{
    if (exists(n))
        greatest = max(greatest, held[n]);
}

bvec4 is_finite; // the greatest of each row

// exp(x) of what is not above 0; below -87, where exp is less than 2^-125, 0. Of NaN NaN.
float power_of(float x)
{
    float power = TYPE == FLOAT16 ? math_half_power(x) : uintBitsToFloat(math_exp_common(floatBitsToUint(x)));
    return x < -87.0 ? 0.0 : power;
}

bvec4 isnan_of(uvec4 x)
{
    return greaterThan(x & ~SIGN_BIT, uvec4(INFINITY));
}

vec4 sums;

void take_powers(uint n)
{
    precise vec4 distances = held[n] - greatest;
    vec4 powers = vec4(power_of(distances.x), power_of(distances.y), power_of(distances.z), power_of(distances.w));
    if (!all(is_finite)) // the sum of such a row tells NaN alone
        powers = mix(uintBitsToFloat(mix(uvec4(0), uvec4(QUIET_NAN), isnan_of(floatBitsToUint(held[n])))), powers, is_finite);
    if (exists(n)) {
        precise vec4 next = sums + powers;
        sums = next;
    }
    held[n] = FUNCTION == SOFTMAX ? powers : distances;
}

vec4 factors; // or what is added
bool is_ordinary;

// exp(x) / sum where the greatest is infinity: those of that sign are divided by one another.
float extraordinary(float power, float x, float most, bool is_finite_row)
{
    if (is_finite_row)
        return power;
    return floatBitsToUint(most) == INFINITY && floatBitsToUint(x) != INFINITY ? power : uintBitsToFloat(QUIET_NAN);
}

void store_softmax(uint n)
{
    if (exists(n)) {
        precise vec4 results = FUNCTION == SOFTMAX ? held[n] * factors : held[n] - factors;
        if (FUNCTION == SOFTMAX && !is_ordinary) {
            vec4 x = load_item(source_first + item_of(n) * parameters.steps.x);
            results = vec4(extraordinary(results.x, x.x, greatest.x, is_finite.x), extraordinary(results.y, x.y, greatest.y, is_finite.y),
                           extraordinary(results.z, x.z, greatest.z, is_finite.z), extraordinary(results.w, x.w, greatest.w, is_finite.w));
        }
        store_item(destination_first + item_of(n) * parameters.steps.y, results, is_ordinary);
    }
}

float factor_of(float sum)
{
    return FUNCTION == SOFTMAX ? inverse_of(sum) : uintBitsToFloat(math_log(floatBitsToUint(sum)));
}

void softmax()
{
    greatest = vec4(uintBitsToFloat(SIGN_BIT | INFINITY));
    EACH(find_greatest)
    uvec4 bits = floatBitsToUint(greatest);
    uvec4 keys = uvec4(key_of(bits.x), key_of(bits.y), key_of(bits.z), key_of(bits.w));
    uvec4 unused = uvec4(0);
    of_all(keys, unused, false, false);
    bits = uvec4(number_of(keys.x), number_of(keys.y), number_of(keys.z), number_of(keys.w));
    greatest = uintBitsToFloat(bits);
    is_finite = lessThan(bits & ~SIGN_BIT, uvec4(INFINITY));
    is_ordinary = all(is_finite);
    sums = vec4(0.0);
    EACH(take_powers)
    uvec4 totals = floatBitsToUint(sums);
    of_all(totals, unused, true, false);
    sums = uintBitsToFloat(totals);
    is_ordinary = is_ordinary && !any(isnan_of(totals));
    factors = vec4(factor_of(sums.x));
    if (ACROSS)
        factors = vec4(factors.x, factor_of(sums.y), factor_of(sums.z), factor_of(sums.w));
    factors = mix(mix(vec4(0.0), sums, isnan_of(totals)), factors, is_finite);
    EACH(store_softmax)
}

// ---- moments ----

vec4 means;
vec4 squares;

void take_elements(uint n)
{
    precise vec4 next = sums + held[n]; // 0 where there is none
    sums = next;
}

void take_distances(uint n)
{
    precise vec4 distances = held[n] - means;
    if (exists(n)) {
        precise vec4 next = sums + distances;
        precise vec4 next_squares = squares + distances * distances;
        sums = next;
        squares = next_squares;
    }
    held[n] = distances;
}

void store_normalized(uint n)
{
    if (exists(n)) {
        uint item = item_of(n);
        precise vec4 results = (held[n] - means) * factors;
        if (HAS_SCALE)
            results = results * load_scale(scale_first + item * parameters.steps.z);
        if (HAS_BIAS)
            results = results + load_bias(bias_first + item * parameters.steps.w);
        store_item(destination_first + item * parameters.steps.y, results, is_ordinary);
    }
}

vec4 means_of(uvec4 totals)
{
    precise vec4 quotients = uintBitsToFloat(totals) * uintBitsToFloat(parameters.inverse_count);
    return quotients;
}

float inverse_deviation(float variance)
{
    precise float sum = variance + uintBitsToFloat(parameters.argument);
    return inverse_root_of(sum);
}

// Twice over what is held. What the first mean lacks, since it is a FLOAT32, the distances from it have.
void normalize()
{
    uvec4 unused = uvec4(0);
    sums = vec4(0.0);
    squares = vec4(0.0);
    means = vec4(0.0);
    if (!ABOUT_ZERO) {
        EACH(take_elements)
        uvec4 totals = floatBitsToUint(sums);
        of_all(totals, unused, true, false);
        means = means_of(totals);
        sums = vec4(0.0);
    }
    EACH(take_distances)
    first_value = floatBitsToUint(sums);
    second_value = floatBitsToUint(squares);
    of_all(first_value, second_value, true, true);
    precise vec4 rests = ABOUT_ZERO ? vec4(0.0) : means_of(first_value);
    precise vec4 variances = means_of(second_value) - rests * rests;
    variances = mix(variances, vec4(0.0), lessThan(variances, vec4(0.0)));
    means = rests;
    factors = vec4(inverse_deviation(variances.x));
    if (ACROSS)
        factors = vec4(factors.x, inverse_deviation(variances.y), inverse_deviation(variances.z), inverse_deviation(variances.w));
    // Beside infinities and NaN both factor and mean are NaN; scales may be anything.
    is_ordinary = EITHER(HAS_SCALE, HAS_BIAS) ? false : all(lessThan(floatBitsToUint(factors), uvec4(INFINITY)));
    EACH(store_normalized)
}

// ---- norms ----

uvec4 most;   // magnitudes
vec4 scaling; // a power of two, which keeps squares from overflow and from vanishing

void find_most(uint n)
{
    most = max(most, floatBitsToUint(held[n]) & ~SIGN_BIT);
}

void take_magnitudes(uint n)
{
    precise vec4 terms = abs(held[n]) * scaling; // 0 where there is none
    if (SQUARES)
        terms = terms * terms;
    precise vec4 next = sums + terms;
    sums = next;
}

void store_quotients(uint n)
{
    if (exists(n)) {
        precise vec4 results = held[n] * factors;
        store_item(destination_first + item_of(n) * parameters.steps.y, results, is_ordinary);
    }
}

uint exponent_of(uint magnitude)
{
    return clamp(magnitude >> 23, 1, 253);
}

float inverse_norm(uint total, uint magnitude)
{
    uint norm = math_multiply(SQUARES ? math_sqrt(total) : total, exponent_of(magnitude) << 23);
    if (magnitude >= INFINITY)
        norm = magnitude; // infinity, or NaN
    return inverse_of(uintBitsToFloat(max(norm, parameters.argument))); // that of NaN is greater
}

void divide_by_norm()
{
    uvec4 unused = uvec4(0);
    most = uvec4(0);
    EACH(find_most)
    of_all(most, unused, false, false);
    uvec4 exponents = uvec4(exponent_of(most.x), exponent_of(most.y), exponent_of(most.z), exponent_of(most.w));
    scaling = uintBitsToFloat((254 - exponents) << 23);
    sums = vec4(0.0);
    EACH(take_magnitudes)
    uvec4 totals = floatBitsToUint(sums);
    of_all(totals, unused, true, false);
    factors = vec4(inverse_norm(totals.x, most.x));
    if (ACROSS)
        factors = vec4(factors.x, inverse_norm(totals.y, most.y), inverse_norm(totals.z, most.z), inverse_norm(totals.w, most.w));
    is_ordinary = all(lessThan(most, uvec4(INFINITY))) && all(lessThan(floatBitsToUint(factors), uvec4(INFINITY)));
    EACH(store_quotients)
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint slot = gl_LocalInvocationIndex;
    uint unit = group * UNITS + (ACROSS ? slot % UNITS : slot / LANES);
    lane = ACROSS ? slot / UNITS : slot % LANES;
    item_count = unit < parameters.unit_count ? parameters.item_count : 0;
    find_row(unit);
    EACH(load)
    if (EITHER(FUNCTION == SOFTMAX, FUNCTION == LOG_SOFTMAX))
        softmax();
    else if (FUNCTION == MOMENTS)
        normalize();
    else
        divide_by_norm();
}
