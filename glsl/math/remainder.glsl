// Remainders, exact.
#include "arithmetic.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#include "scaling.glsl"
#ifndef VKDML_MATH_REMAINDER
#define VKDML_MATH_REMAINDER

// |x| less than |y|, or not much more: a quotient below 2^21. |y| from 2^-100 to 2^100.
MATH bool math_remainder_is_short(uint x, uint y)
{
    uint dividend = x & 0x7FFFFFFFu;
    uint divisor = y & 0x7FFFFFFFu;
    return divisor - 0x0D800000u < 0x64000000u && math_int(dividend - divisor) < 20 << 23;
}

// |x| modulo |y|. The integer next to their quotient is at most one too much; so few bits of what it leaves are not
// zero that they are known modulo 2^32.
MATH uint math_remainder_short(uint x, uint y)
{
    uint dividend = x & 0x7FFFFFFFu;
    uint divisor = y & 0x7FFFFFFFu;
    precise float n = uintBitsToFloat(dividend);
    precise float shifted = math_quotient(n, uintBitsToFloat(divisor)) + 8388608.0f;
    uint quotient = floatBitsToUint(shifted) - 0x4B000000u;
    uint units = (divisor & 0x7FFFFFu) | 0x800000u;
    uint distance = ((dividend >> 23) - (divisor >> 23)) & 31u;
    uint rest = (((dividend & 0x7FFFFFu) | 0x800000u) << distance) - quotient * units;
    rest = rest + (math_uint(math_int(rest) >> 31) & units);
    uint bits = floatBitsToUint(math_float(math_int(rest))) + (divisor & 0x7F800000u) - (150u << 23);
    bits = rest == 0u ? 0u : bits;
    return dividend < divisor ? dividend : bits;
}

// The same of any finite x and y, y not zero.
MATH uint math_remainder_long(uint x, uint y)
{
    uint dividend = x & 0x7FFFFFFFu;
    uint divisor = y & 0x7FFFFFFFu;
    if (dividend < divisor)
        return dividend;
    uint units = math_significand(divisor) >> 8;
    uint rest = math_significand(dividend) >> 8;
    int distance = math_exponent(dividend) - math_exponent(divisor);
    rest = rest % units;
    for (int step = 0; step < 36 && distance > 0; ++step) {
        rest = (rest << math_min(math_uint(distance), 8u)) % units;
        distance = distance - 8;
    }
    if (rest == 0u)
        return 0u;
    uint zeros = math_leading_zeros(rest);
    return math_rounded(0u, math_exponent(divisor) + 8 - math_int(zeros), rest << zeros);
}

MATH bool math_remainder_is_nan(uint x, uint y)
{
    return (x & 0x7FFFFFFFu) >= 0x7F800000u || math_is_nan(y) || math_is_zero(y);
}

MATH bool math_remainder_truncate_is_common(uint x, uint y)
{
    return math_remainder_is_short(x, y);
}

MATH uint math_remainder_truncate_common(uint x, uint y)
{
    return math_remainder_short(x, y) | (x & 0x80000000u);
}

MATH uint math_remainder_truncate_rare(uint x, uint y)
{
    if (math_remainder_is_nan(x, y))
        return 0x7FC00000u;
    return math_remainder_long(x, y) | (x & 0x80000000u);
}

// Of the dividend's sign.
MATH uint math_remainder_truncate(uint x, uint y)
{
    return math_remainder_is_short(x, y) ? math_remainder_truncate_common(x, y) : math_remainder_truncate_rare(x, y);
}

MATH bool math_remainder_floor_is_common(uint x, uint y)
{
    return math_remainder_is_short(x, y);
}

MATH uint math_remainder_floor_common(uint x, uint y)
{
    uint magnitude = math_remainder_short(x, y);
    uint sign = y & 0x80000000u;
    precise float other = uintBitsToFloat(y & 0x7FFFFFFFu) - uintBitsToFloat(magnitude);
    bool differs = math_int(x ^ y) < 0 && !math_is_zero(magnitude);
    return (differs ? floatBitsToUint(other) : magnitude) | sign;
}

MATH uint math_remainder_floor_rare(uint x, uint y)
{
    if (math_remainder_is_nan(x, y))
        return 0x7FC00000u;
    uint magnitude = math_remainder_long(x, y);
    uint sign = y & 0x80000000u;
    if (math_int(x ^ y) < 0 && !math_is_zero(magnitude))
        return math_add_rare(magnitude ^ sign ^ 0x80000000u, y);
    return magnitude | sign;
}

// Of the divisor's sign.
MATH uint math_remainder_floor(uint x, uint y)
{
    return math_remainder_is_short(x, y) ? math_remainder_floor_common(x, y) : math_remainder_floor_rare(x, y);
}

#endif
