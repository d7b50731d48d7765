// Numbers as integers, where these do not fit a float: what is rare in most functions.
#include "prelude.glsl"
#ifndef VKDML_MATH_SCALING
#define VKDML_MATH_SCALING

// The significand of a number other than zero, its highest bit in bit 31.
MATH uint math_significand(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    if (magnitude < 0x00800000u)
        return magnitude << math_leading_zeros(magnitude);
    return 0x80000000u | (x << 8);
}

// The exponent that belongs to it, biased: 1 or less of denormal numbers.
MATH int math_exponent(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    if (magnitude < 0x00800000u)
        return 9 - math_int(math_leading_zeros(magnitude));
    return math_int(magnitude >> 23);
}

// significand * 2^-shift, rounded to nearest even. shift is at least 1, and the significand has no more than 31 bits.
MATH uint math_shift_right_rounded(uint significand, uint shift)
{
    if (shift > 31u)
        return 0u;
    uint down = significand >> shift;
    uint rest = significand << (32u - shift);
    return down + (rest > 0x80000000u - (down & 1u) ? 1u : 0u);
}

// A number of a significand and an exponent as above, rounded to nearest even. The last bit of the significand is set
// where it goes on.
MATH uint math_rounded(uint sign, int exponent, uint significand)
{
    if (exponent > 254)
        return sign | 0x7F800000u;
    significand = (significand >> 1) | (significand & 1u);
    if (exponent < 1)
        return sign | math_shift_right_rounded(significand, math_uint(8 - exponent));
    return sign | ((math_uint(exponent - 1) << 23) + math_shift_right_rounded(significand, 7u));
}

// The bits of p * 2^n, p positive and normal.
MATH uint math_scale(float p, int n)
{
    uint bits = floatBitsToUint(p);
    return math_rounded(0u, math_exponent(bits) + n, math_significand(bits));
}

MATH bool math_is_nan(uint x)
{
    return (x & 0x7FFFFFFFu) > 0x7F800000u;
}

#endif
