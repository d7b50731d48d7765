// x * scale + bias on every element, in any data type, bit for bit what dml_types.h says of it.
// arguments: the bits of scale and bias; as FLOAT64 where that is what is computed in, of FLOAT64 and of integers of up to 16
// bits; or where FIXED_POINT says so both as integers: see scale_bias_fixed().
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gather.glsl"
#include "gather_input.glsl"
#include "float64.glsl"
#include "real.glsl"

// DML_TENSOR_DATA_TYPE's values
const uint FLOAT32 = 1;
const uint FLOAT16 = 2;
const uint UINT32 = 3;
const uint UINT16 = 4;
const uint UINT8 = 5;
const uint FLOAT64 = 9;
const uint UINT64 = 10;
layout(constant_id = 7) const uint DATA_TYPE = FLOAT32;
layout(constant_id = 8) const uint FIXED_POINT = 0;
const uint FIXED_NONE = 0;
const uint FIXED_WIDE = 1;
const uint FIXED_NARROW = 2;
const uint TAME = 3; // of FLOAT16: scale and bias are so near to 1 that nothing in between leaves FLOAT32's normal numbers
const uint TABLE = 4; // of integers of 8 bits: all results are looked up
const bool IS_FIXED = FIXED_POINT == FIXED_WIDE || FIXED_POINT == FIXED_NARROW;
const bool IS_SIGNED = DATA_TYPE != UINT8 && DATA_TYPE != UINT16 && DATA_TYPE != UINT32 && DATA_TYPE != UINT64;

uvec2 scale_bias_float64(uvec2 x)
{
    return add_float64(multiply_float64(x, parameters.arguments.xy), parameters.arguments.zw, false);
}

// FLOAT64 holds any product of two FLOAT32, and so many more bits that a sum rounded to it first is the same.
uint scale_bias_slow(uint x)
{
    uvec2 product = multiply_float64(float64_of_float32(x), float64_of_float32(parameters.arguments.x));
    product = float64_of_float32(float32_of_float64(product));
    return float32_of_float64(add_float64(product, float64_of_float32(parameters.arguments.y), false));
}

bool is_normal(uint float32_bits)
{
    uint biased = (float32_bits >> 23) & 0xFF;
    return biased - 1 < 254;
}

// In hardware where operands, product and sum are all normal numbers, far from what devices disagree on; rounding to
// nearest even is what all of them do there. Zeros, of which data is full, by their bits.
bool scale_bias_fast(uint x, out uint result)
{
    uint scale = parameters.arguments.x;
    uint bias = parameters.arguments.y;
    bool x_zero = (x << 1) == 0;
    bool bias_zero = (bias << 1) == 0;
    uint product_exponent = ((x >> 23) & 0xFF) + ((scale >> 23) & 0xFF); // biased twice
    bool normal = is_normal(x) && product_exponent - 129 < 127 + 254 - 129;
    precise float product = uintBitsToFloat(x) * uintBitsToFloat(scale);
    precise float sum = product + uintBitsToFloat(bias);
    uint product_bits = x_zero ? (x ^ scale) & 0x80000000u : floatBitsToUint(product);
    bool cancels = (product_bits ^ bias) == 0x80000000u;
    if (x_zero)
        result = bias_zero ? product_bits & bias : bias;
    else if (bias_zero)
        result = product_bits;
    else
        result = cancels ? 0 : floatBitsToUint(sum);
    return is_normal(scale) && (bias_zero || is_normal(bias)) && (x_zero || (normal && (cancels || is_normal(result))));
}

// FLOAT16 by way of FLOAT32, which holds products of FLOAT16 and FLOAT32 no better: the reference does the same.
uint widen(uint x)
{
    uint magnitude = x & 0x7FFF;
    uint wide = (magnitude + (112 << 10)) << 13;
    if (magnitude < 0x400)
        wide = floatBitsToUint(float(magnitude) * uintBitsToFloat((127 - 24) << 23)); // denormal: a product that is normal
    else if (magnitude >= 0x7C00)
        wide = 0x7F800000 | (magnitude << 13);
    return ((x & 0x8000) << 16) | wide;
}

// The same back, rounded to nearest even; NaN is the quiet one without payload.
uint narrow(uint wide)
{
    uint magnitude = wide & 0x7FFFFFFF;
    uint rounded = (magnitude - (112 << 23) + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
    if (magnitude < 113 << 23) {
        uint shift = min(126 - (magnitude >> 23), 31); // to units of 2^-24: at least 14, and 25 leaves nothing
        uint significand = (magnitude & 0x7FFFFF) | 0x800000;
        rounded = shift > 25 ? 0 : (significand + (1u << (shift - 1)) - 1 + ((significand >> shift) & 1)) >> shift;
    } else if (magnitude > 0x7F800000) {
        return 0x7E00;
    } else if (magnitude >= 143 << 23) {
        rounded = 0x7C00;
    }
    return ((wide >> 16) & 0x8000) | rounded;
}

// An integer of up to 16 bits, whose product FLOAT64 holds. Only the magnitude's high word is left of a sum that is in range.
uint scale_bias_narrow(uint x)
{
    float value = IS_SIGNED ? float(int(x << (32 - ELEMENT_BITS & 31u)) >> (32 - ELEMENT_BITS & 31u)) : float(x);
    uvec2 product = multiply_float64(float64_of_float32(floatBitsToUint(value)), parameters.arguments.xy);
    uvec2 sum = add_float64(product, parameters.arguments.zw, true);
    if (is_nan(sum))
        return 0;
    bool negative = (sum.y & SIGN) != 0;
    int exponent = int(exponent_of(sum)) - 1023;
    uint limit = !IS_SIGNED ? (negative ? 0 : ELEMENT_MASK) : (ELEMENT_MASK >> 1) + (negative ? 1 : 0);
    uint magnitude = ((sum.y & (IMPLICIT_BIT - 1)) | IMPLICIT_BIT) >> (20 - clamp(exponent, 0, 20));
    magnitude = exponent < 0 ? 0 : min(magnitude, limit);
    return (negative ? -magnitude : magnitude) & ELEMENT_MASK;
}

// FLOAT32, or FLOAT16.
uint scale_bias_float(uint x)
{
    uint result;
    if (DATA_TYPE == FLOAT16)
        x = widen(x);
    if (!scale_bias_fast(x, result))
        result = scale_bias_slow(x);
    return DATA_TYPE == FLOAT16 ? narrow(result) : result;
}

uvec3 negate(uvec3 v)
{
    uint low = -v.x;
    uint middle = ~v.y + (low == 0 ? 1 : 0);
    return uvec3(low, middle, ~v.z + ((low | middle) == 0 ? 1 : 0));
}

// (x * arguments.x + arguments.zy) / 2^arguments.w truncated toward zero, of an integer: the planner saw to it that no sum
// needs more than 31 bits beyond those of x, or in FIXED_NARROW 31.
uvec2 scale_bias_fixed64(uvec2 x)
{
    uint scale = parameters.arguments.x;
    uint shift = parameters.arguments.w;
    uint middle, addend, carry;
    uvec3 sum;
    umulExtended(x.x, scale, addend, sum.x);
    umulExtended(x.y, scale, sum.z, middle);
    sum.y = uaddCarry(middle, addend, carry);
    sum.z += carry;
    if (int(scale) < 0) { // x * 2^32 less
        sum.y = usubBorrow(sum.y, x.x, carry);
        sum.z -= x.y + carry;
    }
    sum.z -= IS_SIGNED && int(x.y) < 0 ? scale : 0;
    sum.x = uaddCarry(sum.x, parameters.arguments.y, carry);
    uint bias = parameters.arguments.z + carry;
    sum.y = uaddCarry(sum.y, bias, carry);
    sum.z += carry - (int(bias) < 0 ? 1 : 0);

    bool negative = int(sum.z) < 0;
    if (negative)
        sum = negate(sum);
    sum = shift_right(uvec4(sum, 0), shift).xyz;
    bool huge = sum.z != 0 || (IS_SIGNED && int(sum.y) < 0);
    if (!IS_SIGNED)
        return negative ? uvec2(0) : huge ? uvec2(0xFFFFFFFFu) : sum.xy;
    if (huge)
        return negative ? uvec2(0, 0x80000000u) : uvec2(0xFFFFFFFFu, 0x7FFFFFFF);
    return negative ? negate(sum).xy : sum.xy;
}

// The same of up to 32 bits.
uint scale_bias_fixed(uint x)
{
    uint scale = parameters.arguments.x;
    uint shift = parameters.arguments.w;
    uint low, high;
    if (IS_SIGNED && ELEMENT_BITS < 32)
        x = uint(int(x << (32 - ELEMENT_BITS & 31u)) >> (32 - ELEMENT_BITS & 31u));
    uint limit = IS_SIGNED ? ELEMENT_MASK >> 1 : ELEMENT_MASK;
    if (FIXED_POINT == FIXED_NARROW) {
        int sum = int(x * scale + parameters.arguments.y);
        low = uint(abs(sum)) >> shift;
        high = uint(sum) >> 31;
        low = min(low, high == 0 ? limit : IS_SIGNED ? limit + 1 : 0);
        return high == 0 ? low : -low;
    }
    umulExtended(x, scale, high, low);
    high -= (int(scale) < 0 ? x : 0) + (IS_SIGNED && int(x) < 0 ? scale : 0);
    uint carry;
    low = uaddCarry(low, parameters.arguments.y, carry);
    high += parameters.arguments.z + carry;
    bool negative = int(high) < 0;
    if (negative) {
        low = -low;
        high = ~high + (low == 0 ? 1 : 0);
    }
    if (shift >= 32) {
        low = high >> (shift & 31);
        high = 0;
    } else if (shift != 0) {
        low = (low >> shift) | (high << (32 - shift));
        high >>= shift;
    }
    limit = !negative ? limit : IS_SIGNED ? limit + 1 : 0;
    if (high != 0 || low > limit)
        low = limit;
    return negative ? -low : low;
}

const bool CONVERTS = true;

// Integers of 8 bits are few: each workgroup computes them all.
#define HAS_TABLE
const bool BY_TABLE = FIXED_POINT == TABLE;
const uint TABLE_SIZE = BY_TABLE ? 256 : 1;
shared uint table[TABLE_SIZE];

void fill_table()
{
    if (BY_TABLE) {
        for (uint x = gl_LocalInvocationIndex; x < TABLE_SIZE; x += gl_WorkGroupSize.x)
            table[x] = scale_bias_narrow(x);
        barrier();
    }
}

uvec2 convert(uvec2 x)
{
    if (DATA_TYPE == FLOAT32 || DATA_TYPE == FLOAT16)
        return uvec2(scale_bias_float(x.x), 0);
    if (DATA_TYPE == FLOAT64)
        return scale_bias_float64(x);
    if (IS_FIXED)
        return ELEMENT_BITS == 64 ? scale_bias_fixed64(x) : uvec2(scale_bias_fixed(x.x) & ELEMENT_MASK, 0);
    if (ELEMENT_BITS < 32)
        return uvec2(BY_TABLE ? table[x.x] : scale_bias_narrow(x.x), 0);
    Real scale = unpack(parameters.arguments.x);
    Real bias = unpack(parameters.arguments.y);
    Real result = add(multiply(unpack_integer(x, ELEMENT_BITS, IS_SIGNED), scale), bias);
    return pack_integer(result, ELEMENT_BITS, IS_SIGNED);
}

// FLOAT16 where scale and bias are tame, if operand and result are normal numbers, or the operand is zero.
bool scale_bias_tame(uint x, out uint result)
{
    uint scale = parameters.arguments.x;
    float bias = uintBitsToFloat(parameters.arguments.y);
    uint magnitude = x & 0x7FFF;
    bool x_zero = magnitude == 0;
    bool stays_zero = x_zero && bias == 0;
    uint wide = ((x & 0x8000) << 16) | (x_zero ? 0 : (magnitude + (112 << 10)) << 13);
    precise float product = uintBitsToFloat(wide) * uintBitsToFloat(scale);
    precise float sum = product + bias;
    uint bits = floatBitsToUint(sum);
    uint wide_magnitude = bits & 0x7FFFFFFF;
    result = ((bits >> 16) & 0x8000) | ((wide_magnitude - (112 << 23) + 0xFFF + ((bits >> 13) & 1)) >> 13);
    if (stays_zero)
        result = (x ^ (scale >> 16)) & 0x8000 & (parameters.arguments.y >> 16);
    return (x_zero || magnitude - 0x400 < 0x7800) && (stays_zero || wide_magnitude - (113 << 23) < 29 << 23);
}

// An element of up to 32 bits.
bool convert_fast(uint x, out uint converted)
{
    bool good = true;
    if (DATA_TYPE == FLOAT32)
        good = scale_bias_fast(x, converted);
    else if (DATA_TYPE == FLOAT16)
        good = scale_bias_tame(x, converted);
    else if (BY_TABLE)
        converted = table[x];
    else
        converted = scale_bias_fixed(x) & ELEMENT_MASK;
    return good;
}

const bool HAS_FAST = DATA_TYPE == FLOAT32 || DATA_TYPE == FLOAT64 || FIXED_POINT != FIXED_NONE;

bool convert_at_once(uvec4 bits, out uvec4 converted)
{
    bool good = HAS_FAST;
    converted = uvec4(0);
    if (HAS_FAST && ELEMENT_BITS == 64) {
        [[unroll]] for (uint k = 0; k < 2; ++k)
            bits = uvec4(bits.zw, convert(bits.xy));
        converted = bits;
    } else if (HAS_FAST) {
        [[unroll]] for (uint word = 0; word < 4; ++word) {
            [[unroll]] for (uint k = 0; k < ELEMENTS_PER_WORD; ++k) {
                uint element;
                good = convert_fast((bits[word] >> (k * ELEMENT_BITS & 31u)) & ELEMENT_MASK, element) && good;
                converted[word] |= element << (k * ELEMENT_BITS & 31u);
            }
        }
    }
    return good;
}

struct Row {
    uint base;
};

Row begin_row()
{
    return Row(0);
}

void enter(inout Row row, uint d, uint coordinate)
{
    row.base += input_distance(d, coordinate);
}

uvec2 element(Row row, uint x)
{
    return input_element(row.base, x);
}

bool has_chunk(Row row, uint x)
{
    return has_input_chunk();
}

uvec4 chunk(Row row, uint x)
{
    return input_chunk(row.base, x);
}

#include "gather_main.glsl"
