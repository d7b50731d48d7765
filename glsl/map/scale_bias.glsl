// x * scale + bias of integers, as if computed exactly, truncated toward zero and saturated; see dml_types.h.
// parameters. arguments[0] holds scale and bias as SCALE_BIAS says.
#ifndef VKDML_SCALE_BIAS_GLSL
#define VKDML_SCALE_BIAS_GLSL

#include "float64.glsl"
#include "real.glsl"

layout(constant_id = 10) const uint SCALE_BIAS = 0;
// In C: enum vkdml_map_scale, VKDML_MAP_...
const uint NO_SCALE = 0;
const uint FLOAT_SCALE = 1;  // two FLOAT32, of which x may be one
const uint DOUBLE_SCALE = 2; // two FLOAT64, for integers of up to 16 bits
const uint WIDE_SCALE = 3;   // integers: (x * arguments.x + arguments.zy) / 2^arguments.w, in 32 bits more than x has
const uint NARROW_SCALE = 4; // the same in 32 bits
const uint TABLE_SCALE = 5;  // as DOUBLE_SCALE, of 8 bits: all results are computed first, and looked up

const bool IS_SCALED = SCALE_BIAS != NO_SCALE;

// From a type of so many bits, extended by its sign to 32 bits, to the same. Without branches, as scale_by_integers()
// is: those of the elements of an item, one after the other, keep SwiftShader's compiler (Subzero) from ever ending.
uint saturated(bool negative, uint magnitude, bool exceeds, uint bits, bool signs)
{
    uint most = bits < 32 ? (1u << bits) - 1u : 0xFFFFFFFFu;
    uint sign = -uint(negative);
    uint limit = signs ? (most >> 1) - sign : most & ~sign;
    uint held = min(magnitude | -uint(exceeds), limit);
    return (held ^ sign) - sign;
}

// Of up to 16 bits, whose product FLOAT64 holds. Only the magnitude's high word is left of a sum that is in range.
uint scale_by_doubles(uint x, uint bits, bool signs)
{
    float value = signs ? float(int(x)) : float(x);
    uvec2 product = multiply_float64(float64_of_float32(floatBitsToUint(value)), parameters.arguments[0].xy);
    uvec2 sum = add_float64(product, parameters.arguments[0].zw, true);
    if (is_nan(sum))
        return 0;
    int exponent = int(exponent_of(sum)) - 1023;
    uint magnitude = ((sum.y & (IMPLICIT_BIT - 1)) | IMPLICIT_BIT) >> (20 - clamp(exponent, 0, 20));
    return saturated((sum.y & SIGN) != 0, exponent < 0 ? 0 : magnitude, exponent > 20, bits, signs);
}

uint scale_by_integers(uint x, uint bits, bool signs)
{
    uint scale = parameters.arguments[0].x;
    uint shift = parameters.arguments[0].w;
    if (SCALE_BIAS == NARROW_SCALE) {
        int sum = int(x * scale + parameters.arguments[0].y);
        return saturated(sum < 0, uint(abs(sum)) >> shift, false, bits, signs);
    }
    uint low, high, carry;
    umulExtended(x, scale, high, low);
    high -= (uint(int(scale) >> 31) & x) + (signs ? uint(int(x) >> 31) & scale : 0);
    low = uaddCarry(low, parameters.arguments[0].y, carry);
    high += parameters.arguments[0].z + carry;
    uint sign = uint(int(high) >> 31);
    low = uaddCarry(low ^ sign, sign & 1, carry);
    high = (high ^ sign) + carry;
    uint words = -(shift >> 5); // all bits of one, where shift is 32 or more
    low = (high & words) | (low & ~words);
    high &= ~words;
    low = (low >> (shift & 31)) | (high << 1 << (~shift & 31));
    high >>= shift & 31;
    return saturated(sign != 0, low, high != 0, bits, signs);
}

// Any integer of up to 64 bits, extended by its sign.
uvec2 scale_by_reals(uvec2 x, uint bits, bool signs)
{
    Real scale = unpack(parameters.arguments[0].x);
    Real bias = unpack(parameters.arguments[0].y);
    return pack_integer(add(multiply(unpack_integer(x, bits, signs), scale), bias), bits, signs);
}

const bool SCALES_BY_INTEGERS = EITHER(SCALE_BIAS == WIDE_SCALE, SCALE_BIAS == NARROW_SCALE);
const bool SCALES_BY_DOUBLES = EITHER(SCALE_BIAS == DOUBLE_SCALE, SCALE_BIAS == TABLE_SCALE);

uint scale_integer(uint x, uint bits, bool signs)
{
    if (SCALES_BY_INTEGERS)
        return scale_by_integers(x, bits, signs);
    if (SCALES_BY_DOUBLES)
        return scale_by_doubles(x, bits, signs);
    return scale_by_reals(uvec2(x, 0), bits, signs).x;
}

#endif
