// Conversions between any two types, by way of a sign, a significand of 64 bits and an exponent.
#ifndef VKDML_NUMBER64_GLSL
#define VKDML_NUMBER64_GLSL

#include "integer64.glsl"
#include "float64.glsl"

// (-1)^negative * significand * 2^exponent, with the significand's highest bit set; or 0, infinity, NaN.
struct Number {
    bool negative;
    bool is_nan;
    int exponent; // of zero the least there is, of infinity the largest
    uvec2 significand;
};

const int LEAST = -0x10000;
const int LARGEST = 0x10000;

Number normalized(bool negative, int exponent, uvec2 significand)
{
    if (significand == uvec2(0))
        return Number(negative, false, LEAST, uvec2(0));
    uint n = significand.y != 0 ? 31 - findMSB(significand.y) : 63 - findMSB(significand.x);
    return Number(negative, false, exponent - int(n), shift_left64(significand, n));
}

Number number_of_integer(uvec2 x, bool signs)
{
    bool negative = signs && int(x.y) < 0;
    return normalized(negative, 0, negative ? negate64(x) : x);
}

Number number_of_double(uvec2 x)
{
    uint biased = exponent_of(x);
    bool negative = (x.y & SIGN) != 0;
    uvec2 significand = uvec2(x.x, x.y & (IMPLICIT_BIT - 1));
    if (biased == 0x7FF)
        return Number(negative, significand != uvec2(0), LARGEST, uvec2(0, SIGN));
    if (biased != 0)
        return Number(negative, false, int(biased) - 1075 - 11,
                      shift_left64(uvec2(significand.x, significand.y | IMPLICIT_BIT), 11));
    return normalized(negative, -1074, significand);
}

Number number_of_float(uint x)
{
    uint biased = x >> 23 & 0xFF;
    bool negative = (x & SIGN) != 0;
    uint significand = x & 0x7FFFFF;
    if (biased == 0xFF)
        return Number(negative, significand != 0, LARGEST, uvec2(0, SIGN));
    if (biased != 0)
        return Number(negative, false, int(biased) - 150 - 40, uvec2(0, (significand | 0x800000) << 8));
    return normalized(negative, -149, uvec2(significand, 0));
}

// Truncated toward zero and saturated to an integer of so many bits; NaN gives 0.
uvec2 integer_of_number(Number a, uint bits, bool signs)
{
    uint width = signs ? bits - 1 : bits;
    uvec2 limit = shift_right64(uvec2(0xFFFFFFFFu), 64 - width);
    if (a.negative)
        limit = signs ? add64(limit, uvec2(1, 0)) : uvec2(0);
    uvec2 magnitude = a.exponent > 0     ? uvec2(0xFFFFFFFFu)
                      : a.exponent > -64 ? shift_right64(a.significand, uint(-a.exponent))
                                         : uvec2(0);
    if (less64(limit, magnitude, false))
        magnitude = limit;
    if (a.is_nan)
        return uvec2(0);
    return a.negative ? negate64(magnitude) : magnitude;
}

// Rounded to nearest even to a float with `stored` bits of significand below the implicit one, and a largest biased
// exponent, that of infinity.
uvec2 float_of_number(Number a, uint stored, int infinite)
{
    int bias = infinite >> 1;
    int biased = a.exponent + 63 + bias;
    // Bits below the last that is kept; of denormals more.
    uint drop = min(63 - stored + uint(max(1 - biased, 0)), 127u);
    uvec2 kept = drop < 64 ? shift_right64(a.significand, drop) : uvec2(0);
    uvec2 lost = drop < 64    ? shift_left64(a.significand, 64 - drop)
                 : drop == 64 ? a.significand
                              : uvec2(a.significand != uvec2(0) ? 1 : 0, 0);
    bool up = lost.y > SIGN || (lost.y == SIGN && (lost.x != 0 || (kept.x & 1) != 0));
    // The implicit bit counts the exponent up by one, and so does a carry out of the significand.
    uvec2 fields = shift_left64(uvec2(uint(max(biased - 1, 0)), 0), stored);
    uvec2 bits = add64(add64(kept, fields), uvec2(up ? 1 : 0, 0));
    uvec2 infinity = shift_left64(uvec2(uint(infinite), 0), stored);
    if (biased >= infinite || !less64(bits, infinity, false))
        bits = infinity;
    if (a.is_nan)
        return add64(infinity, shift_left64(uvec2(1, 0), stored - 1));
    uvec2 sign = shift_left64(uvec2(a.negative ? 1 : 0, 0), stored + (infinite == 0x7FF  ? 11
                                                                      : infinite == 0xFF ? 8
                                                                                         : 5));
    return bits | sign;
}

#endif
