// Conversions from and to 64 bits that need few instructions, of the numbers that most are. By `good` they say whether
// they were right; number64.glsl's are right of all.
#ifndef VKDML_FAST_CONVERSIONS64_GLSL
#define VKDML_FAST_CONVERSIONS64_GLSL

#include "integer64.glsl"
#include "../math/prelude.glsl"

const bool FROM_FLOATS = IS_FLOAT(TYPE_A);
const bool TO_FLOATS = IS_FLOAT(TYPE_OUT);

// FLOAT32 has 23 bits of significand and a bias of 127, FLOAT64 52 and 1023.
uvec2 double_of_float(uint x, inout bool good)
{
    uint magnitude = x & ~SIGN_BIT;
    good = good && (magnitude - 0x00800000u < 0x7F000000u || math_is_zero(x));
    uint high = math_is_zero(x) ? 0 : (magnitude >> 3) + (896u << 20);
    return uvec2(x << 29, (x & SIGN_BIT) | high);
}

uvec2 double_of_integer(uint x, bool signs)
{
    bool negative = signs && int(x) < 0;
    uint magnitude = negative ? -x : x;
    int top = findMSB(magnitude);
    uint significand = magnitude << (31 - top); // 0 where the magnitude is
    // the implicit bit counts the exponent up
    uint high = magnitude == 0 ? 0 : (uint(top + 1022) << 20) + (significand >> 11);
    return uvec2(significand << 21, (negative ? SIGN_BIT : 0) | high);
}

// Rounded to nearest even, or to_odd: truncated, and the last bit set where anything was lost, so that rounding what
// this gives once more is one rounding.
uint float_of_double(uvec2 x, bool to_odd, inout bool good)
{
    uint magnitude = x.y & ~SIGN_BIT;
    bool is_zero = (magnitude | x.x) == 0;
    good = good && (magnitude - (897u << 20) < (253u << 20) || is_zero); // below 2^127
    uint kept = is_zero ? 0 : ((magnitude - (896u << 20)) << 3) | (x.x >> 29);
    uint lost = x.x << 3;
    if (to_odd)
        kept |= lost != 0 ? 1 : 0;
    else
        kept += lost > SIGN_BIT || (lost == SIGN_BIT && (kept & 1) != 0) ? 1 : 0;
    return (x.y & SIGN_BIT) | kept;
}

// Rounded to nearest even: of the highest 32 bits, with the last one set where one below is.
uint float_of_integer64(uvec2 x, bool signs)
{
    bool negative = signs && int(x.y) < 0;
    uvec2 magnitude = negative ? negate64(x) : x;
    uint n = magnitude.y != 0 ? 31 - findMSB(magnitude.y) : 32;
    uvec2 shifted = n == 32 ? uvec2(0, magnitude.x) : shift_left64(magnitude, n);
    uint bits = floatBitsToUint(float(shifted.y | (shifted.x != 0 ? 1 : 0)));
    return (negative ? SIGN_BIT : 0) | (bits == 0 ? 0 : bits + ((32 - n) << 23));
}

// Truncated toward zero, of numbers below 2^31.
uvec2 integer_of_float_fast(uint x, bool signs, inout bool good)
{
    good = good && (x & ~SIGN_BIT) < 0x4F000000u && (signs || x < SIGN_BIT);
    int whole = int(uintBitsToFloat(x));
    return uvec2(whole, whole >> 31);
}

// The same of numbers whose whole part has up to 31 bits, saturated to a type of so many.
uvec2 integer_of_double(uvec2 x, uint bits, bool signs, inout bool good)
{
    uint exponent = x.y >> 20 & 0x7FF;
    good = good && exponent < 1023 + 31 && (signs || x.y < SIGN_BIT);
    uint significand = SIGN_BIT | (x.y << 11) | (x.x >> 21);
    uint whole = exponent < 1023 ? 0 : significand >> (1023 + 31 - exponent & 31);
    int value = x.y >= SIGN_BIT ? -int(whole) : int(whole);
    if (bits < 32)
        value = clamp(value, signs ? -1 << (bits - 1) : 0, signs ? (1 << (bits - 1)) - 1 : (1 << bits) - 1);
    return uvec2(value, value >> 31);
}

#endif
