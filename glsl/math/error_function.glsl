// The error function, and what is made of it.
#include "exponential.glsl"
#include "paths.glsl"
#include "prelude.glsl"
#ifndef VKDML_MATH_ERROR_FUNCTION
#define VKDML_MATH_ERROR_FUNCTION

// Zero, or 2^-100 up to infinity.
MATH bool math_erf_is_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    return magnitude - 0x0D800000u <= 0x7F800000u - 0x0D800000u || math_is_zero(x);
}

// erf(x) = 1 - e^-h, where h = -ln(1 - erf(x)) is x times a polynomial: where h is small the 1 falls out.
MATH uint math_erf_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    precise float a = uintBitsToFloat(magnitude < 0x407C0000u ? magnitude : 0x407C0000u); // from 3.94 on erf is 1
    precise float p = a * -9.43427677e-6f + 0.000119230797f;
    p = p * a - 0.000638513302f;
    p = p * a + 0.00167741778f;
    p = p * a - 0.000170908097f;
    p = p * a - 0.0191472713f;
    p = p * a + 0.102776267f;
    p = p * a + 0.636619449f;
    p = p * a + 0.128379181f;
    precise float h = p * a + a;
    precise float shifted = 12583039.0f - h * 1.44269502f;
    precise float r = (12583039.0f - shifted) * 0.693147182f - h;
    precise float scale = math_shifted_power(shifted);
    precise float result = (1.0f - scale) - math_exp_polynomial(r) * scale;
    return floatBitsToUint(result) | (x & 0x80000000u);
}

MATH uint math_erf_rare(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
        return 0x7FC00000u;
    if (magnitude >= 0x00800000u)
        return math_erf_common(x + 0x20000000u) - 0x20000000u; // 2^64 times x
    uint part = magnitude * 0x20DD7504u; // 2 / sqrt(pi) - 1
    return x + math_multiply_high(magnitude, 0x20DD7504u) + (part >> 31);
}

MATH_OF_PATHS(erf)

// Zero, or 2^-100 to 13: results are normal.
MATH bool math_gelu_is_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    return magnitude - 0x0D800000u <= 0x41500000u - 0x0D800000u || math_is_zero(x);
}

// -gelu(-a) = a * (1 - erf(a / sqrt(2))) / 2 = 2 v * e^(p / 2 - a^2 / 2), where v = a / (a + 4), and p is a polynomial
// of v. a^2 is needed with some 32 bits: a_high has 12, whose square is exact.
MATH uint math_gelu_tail(uint magnitude, bool is_common)
{
    precise float a = uintBitsToFloat(magnitude);
    precise float v = math_quotient(a, a + 4.0f);
    precise float p = v * 0.335135341f - 1.64485443f;
    p = p * v + 2.87971592f;
    p = p * v - 1.78973448f;
    p = p * v - 0.283602536f;
    p = p * v - 0.0399868675f;
    p = p * v + 1.27125192f;
    p = p * v + 0.430446088f;
    p = p * v - 4.38306618f;
    p = p * v;
    precise float a_high = uintBitsToFloat(magnitude & 0xFFFFF000u);
    precise float high = a_high * a_high;
    precise float low = (a - a_high) * (a + a_high);
    precise float shifted = (p - high) * 0.721347511f + 12583040.0f;
    precise float n = 12583040.0f - shifted;
    precise float r = ((n * 1.3862915f - high + p) + (n * 2.85721354e-6f - low)) * 0.5f;
    precise float scaled = math_exp_polynomial(r) * v + v;
    if (!is_common)
        return math_scale(scaled, 1 - math_round(n));
    precise float tail = scaled * math_shifted_power(shifted);
    return floatBitsToUint(tail);
}

// What is left of x, given -gelu(-|x|).
MATH uint math_gelu_of_tail(uint x, uint tail)
{
    precise float difference = uintBitsToFloat(x) - uintBitsToFloat(tail);
    return x >= 0x80000000u ? tail | 0x80000000u : floatBitsToUint(difference);
}

MATH uint math_gelu_common(uint x)
{
    return math_gelu_of_tail(x, math_gelu_tail(x & 0x7FFFFFFFu, true));
}

// x / 2, which it is where |x| is small.
MATH uint math_half_of(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    if (magnitude >= 0x01000000u)
        return x - 0x00800000u;
    return (x & 0x80000000u) | ((magnitude >> 1) + ((magnitude & 3u) == 3u ? 1u : 0u));
}

MATH uint math_gelu_rare(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
        return 0x7FC00000u;
    if (magnitude < 0x3F800000u)
        return math_half_of(x);
    if (x < 0x80000000u)
        return x;
    return magnitude > 0x41680000u ? 0x80000000u : math_gelu_tail(magnitude, false) | 0x80000000u; // 14.5
}

MATH_OF_PATHS(gelu)

// Zero, or 2^-100 to 10: results are normal.
MATH bool math_gelu_tanh_is_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    return magnitude - 0x0D800000u <= 0x41200000u - 0x0D800000u || math_is_zero(x);
}

// -gelu_tanh(-a) = a * e^-w / (1 + e^-w), w = 2 sqrt(2 / pi) * (a + 0.044715 a^3), which is needed with some 32 bits:
// a, its square, and what they are multiplied by are cut in parts of 12 bits, whose products are exact, and what is
// left.
MATH uint math_gelu_tanh_tail(uint magnitude, bool is_common)
{
    precise float a = uintBitsToFloat(magnitude);
    precise float a_high = uintBitsToFloat(magnitude & 0xFFFFF000u);
    precise float a_low = a - a_high;
    precise float square = a * a;
    precise float square_high = uintBitsToFloat(floatBitsToUint(square) & 0xFFFFF000u);
    precise float square_low = (a_high * a_high - square_high) + a_low * (a + a_high);
    precise float factor_high = uintBitsToFloat(floatBitsToUint(1.59576917f + square * 0.0713548139f) & 0xFFFFF000u);
    precise float factor_low = (square_high * 0.0713500977f - (factor_high - 1.59570312f)) +
                               ((square_high * 4.71861631e-6f + 6.59966026e-5f) + square_low * 0.0713548139f);
    precise float high = a_high * factor_high;
    precise float low = a_low * factor_high + a * factor_low;
    precise float shifted = 12583039.0f - high * 1.44269502f;
    precise float n = 12583039.0f - shifted;
    precise float r = (n * 0.693145752f - high) + (n * 1.42860677e-6f - low);
    precise float c = math_exp_coth(r);
    precise float scale = is_common ? math_shifted_power(shifted) : 0.0f;
    precise float y = math_reciprocal_estimate((c + r) * scale + (c - r));
    precise float q = (c + r) * y;
    precise float u = 1.0f - q * scale;
    precise float rest = (u - q) * c + (u + q) * r;
    q = q + rest * y;
    precise float scaled = q * a;
    if (!is_common)
        return math_scale(scaled, 0 - math_round(n));
    precise float tail = scaled * scale;
    return floatBitsToUint(tail);
}

MATH uint math_gelu_tanh_common(uint x)
{
    return math_gelu_of_tail(x, math_gelu_tanh_tail(x & 0x7FFFFFFFu, true));
}

MATH uint math_gelu_tanh_rare(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
        return 0x7FC00000u;
    if (magnitude < 0x3F800000u)
        return math_half_of(x);
    if (x < 0x80000000u)
        return x;
    return magnitude > 0x41300000u ? 0x80000000u : math_gelu_tanh_tail(magnitude, false) | 0x80000000u; // 11
}

MATH_OF_PATHS(gelu_tanh)

#endif
