// Sine, cosine, tangent.
#include "paths.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#ifndef VKDML_MATH_TRIGONOMETRIC
#define VKDML_MATH_TRIGONOMETRIC

// pi, or half of it, is taken off n times in four parts. n has 13 bits at most where x is less than 2^13; the first
// part is 3217 / 2^10 and the second -2391 / 2^28, of which n times is less than 2^24 units; the third has 11 bits. So
// all is exact while x - n * pi is small.

// x - n * pi, within 0.6 ULP where that is not small: what the second subtraction rounds off is put right by the third.
MATH float math_less_pi(float x, float n)
{
    precise float first = x - n * 3.14160156f;
    precise float part = n * -8.9071691e-6f;
    precise float second = first - part;
    precise float rounded = (first - second) - part;
    precise float r = second - (n * -1.74122761e-9f - rounded);
    r = r - n * 1.24467439e-13f;
    return r;
}

// x - n * pi / 2
MATH float math_less_half_pi(float x, float n)
{
    precise float r = x - n * 1.57080078f;
    r = r - n * -4.45358455e-6f;
    r = r - n * -8.7038643e-10f;
    r = r - n * -1.65139956e-13f;
    return r;
}

// The sine of r, |r| up to pi / 2.
MATH float math_sin_polynomial(float r)
{
    precise float rr = r * r;
    precise float p = rr * 2.60498268e-6f - 0.000198096604f;
    p = p * rr + 0.00833308604f;
    p = p * rr - 0.166666627f;
    precise float s = p * r * rr + r;
    return s;
}

// r / tan(r), |r| up to pi / 4.
MATH float math_tan_polynomial(float r)
{
    precise float rr = r * r;
    precise float p = rr * -0.000248020107f - 0.00209643319f;
    p = p * rr - 0.022226505f;
    p = p * rr - 0.333333045f;
    p = p * rr + 1.0f;
    return p;
}

// Larger ones need more of 1 / pi: 32 bits of it, from bit 32 * (i - 1) behind its point on.
MATH uint math_inverse_pi(uint i)
{
    if (i == 0u)
        return 0u;
    if (i == 1u)
        return 0x517CC1B7u;
    if (i == 2u)
        return 0x27220A94u;
    if (i == 3u)
        return 0xFE13ABE8u;
    if (i == 4u)
        return 0xFA9A6EE0u;
    if (i == 5u)
        return 0x6DB14ACCu;
    if (i == 6u)
        return 0x9E21C820u;
    return 0xFF28B1D5u;
}

MATH uint math_inverse_pi_from(uint bit)
{
    uint high = math_inverse_pi(bit >> 5);
    uint low = math_inverse_pi((bit >> 5) + 1u);
    uint shift = bit & 31u;
    return shift == 0u ? high : (high << shift) | (low >> (32u - shift));
}

// 64 bits of |x| / pi modulo 2, of which this is one half: the integer part is the highest bit. For |x| from 1 on.
MATH uint math_turns(uint x, bool is_high)
{
    uint significand = (x & 0x7FFFFFu) | 0x800000u;
    uint bit = ((x >> 23) & 0xFFu) - 119u; // what is left of it adds even numbers
    uint second = math_inverse_pi_from(bit + 32u);
    uint third = math_inverse_pi_from(bit + 64u);
    uint middle = significand * second;
    uint carried = math_multiply_high(significand, third);
    uint low = middle + carried;
    if (!is_high)
        return low;
    return significand * math_inverse_pi_from(bit) + math_multiply_high(significand, second) +
           (low < carried ? 1u : 0u);
}

// pi times the fraction, a number from -1/2 to 1/2 in units of 2^-64.
MATH float math_turned(uint high, uint low)
{
    uint sign = high & 0x80000000u;
    if (sign != 0u) {
        low = 0u - low;
        high = ~high + (low == 0u ? 1u : 0u);
    }
    uint shift = 0u;
    if (high == 0u) {
        high = low;
        low = 0u;
        shift = 32u;
    }
    if (high == 0u)
        return 0.0f; // no float is so near
    uint zeros = math_leading_zeros(high);
    if (zeros != 0u)
        high = (high << zeros) | (low >> (32u - zeros));
    shift = shift + zeros;
    high = math_multiply_high(high, 0xC90FDAA2u); // pi / 4
    if (high < 0x80000000u) {
        high = high << 1;
        shift = shift + 1u;
    }
    high = (high >> 8) + ((high >> 7) & 1u);
    uint bits = floatBitsToUint(math_float(math_int(high))); // in units of 2^-22
    return uintBitsToFloat((bits - ((22u + shift) << 23)) | sign);
}

MATH bool math_sin_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x45D60000u; // 6848
}

MATH uint math_sin_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = a * 0.318309873f + 12582912.0f;
    precise float r = math_less_pi(a, shifted - 12582912.0f);
    uint result = floatBitsToUint(math_sin_polynomial(r)) ^ (floatBitsToUint(shifted) << 31);
    return (x & 0x7FFFFFFFu) < 0x39800000u ? x : result; // below 2^-12 x is nearer
}

MATH uint math_sin_rare(uint x)
{
    if ((x & 0x7FFFFFFFu) >= 0x7F800000u)
        return 0x7FC00000u;
    uint high = math_turns(x, true);
    uint low = math_turns(x, false);
    precise float r = math_turned((high << 1) | (low >> 31), low << 1);
    uint is_odd = (high + 0x40000000u) & 0x80000000u;
    return floatBitsToUint(math_sin_polynomial(r)) ^ is_odd ^ (x & 0x80000000u);
}

MATH_OF_PATHS(sin)

MATH bool math_cos_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x45D60000u; // 6848
}

// By the odd multiple of pi / 2 that is nearest.
MATH uint math_cos_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = (a * 0.318309873f - 0.5f) + 12582913.0f;
    precise float r = math_less_pi(a, (shifted - 12582913.0f) + 0.5f);
    return floatBitsToUint(math_sin_polynomial(r)) ^ (floatBitsToUint(shifted) << 31);
}

MATH uint math_cos_rare(uint x)
{
    if ((x & 0x7FFFFFFFu) >= 0x7F800000u)
        return 0x7FC00000u;
    uint high = math_turns(x, true) - 0x40000000u; // a half less
    uint low = math_turns(x, false);
    precise float r = math_turned((high << 1) | (low >> 31), low << 1);
    uint is_odd = (high + 0x40000000u) & 0x80000000u;
    return floatBitsToUint(math_sin_polynomial(r)) ^ is_odd ^ 0x80000000u;
}

MATH_OF_PATHS(cos)

MATH bool math_tan_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x46000000u; // 2^13
}

// The tangent of r, or where the highest bit of is_odd is set of r + pi / 2.
MATH uint math_tan_quotient(float r, uint is_odd)
{
    precise float w = math_tan_polynomial(r);
    precise float n = is_odd == 0u ? r : w;
    precise float d = is_odd == 0u ? w : r;
    return floatBitsToUint(math_quotient(n, d)) ^ is_odd;
}

MATH uint math_tan_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = a * 0.636619747f + 12582912.0f;
    precise float r = math_less_half_pi(a, shifted - 12582912.0f);
    uint result = math_tan_quotient(r, floatBitsToUint(shifted) << 31);
    return (x & 0x7FFFFFFFu) < 0x39800000u ? x : result; // below 2^-12 x is nearer
}

MATH uint math_tan_rare(uint x)
{
    if ((x & 0x7FFFFFFFu) >= 0x7F800000u)
        return 0x7FC00000u;
    uint high = math_turns(x, true);
    uint low = math_turns(x, false);
    high = (high << 1) | (low >> 31); // of |x| / (pi / 2)
    low = low << 1;
    precise float r = math_turned((high << 1) | (low >> 31), low << 1) * 0.5f;
    return math_tan_quotient(r, (high + 0x40000000u) & 0x80000000u) ^ (x & 0x80000000u);
}

MATH_OF_PATHS(tan)

#endif
