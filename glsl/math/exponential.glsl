// Exponentials.
#include "paths.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#include "scaling.glsl"
#ifndef VKDML_MATH_EXPONENTIAL
#define VKDML_MATH_EXPONENTIAL

// To x + 1.5 * 2^23 + 127 the nearest integer to x is the last bits but for 127, the exponent's bias: shifted left by
// 23 they are the bits of 2^n.
MATH float math_exp_shifted(float x)
{
    precise float shifted = x * 1.44269502f + 12583039.0f;
    return shifted;
}

MATH float math_shifted_integer(float shifted)
{
    precise float n = shifted - 12583039.0f;
    return n;
}

MATH float math_shifted_power(float shifted)
{
    return uintBitsToFloat(floatBitsToUint(shifted) << 23);
}

// x - n * ln(2). n has up to 8 bits, and the first constant 15.
MATH float math_exp_reduced(float x, float n)
{
    precise float r = x - n * 0.693145752f;
    r = r - n * 1.42860677e-6f;
    return r;
}

// e^r - 1 for |r| up to ln(2)/2.
MATH float math_exp_polynomial(float r)
{
    precise float p = r * 0.00137824647f + 0.00836867001f;
    p = p * r + 0.0416689627f;
    p = p * r + 0.166665211f;
    p = p * r + 0.499999911f;
    precise float rr = r * r;
    precise float q = p * rr + r;
    return q;
}

// r / tanh(r / 2) for |r| up to ln(2)/2: e^r is (this + r) / (this - r).
MATH float math_exp_coth(float r)
{
    precise float rr = r * r;
    precise float c = rr * -0.00276672491f + 0.166666254f;
    c = c * rr + 2.0f;
    return c;
}

MATH bool math_exp_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x42AE0000u; // 87: the result is normal
}

MATH uint math_exp_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = math_exp_shifted(a);
    precise float r = math_exp_reduced(a, math_shifted_integer(shifted));
    precise float result = (1.0f + math_exp_polynomial(r)) * math_shifted_power(shifted);
    return floatBitsToUint(result);
}

MATH uint math_exp_rare(uint x)
{
    if ((x & 0x7FFFFFFFu) > 0x7F800000u)
        return 0x7FC00000u;
    if (x >= 0xC2D00000u) // -104
        return 0u;
    if (math_int(x) >= 0x42B20000) // 89
        return 0x7F800000u;
    precise float a = uintBitsToFloat(x);
    precise float n = math_shifted_integer(math_exp_shifted(a));
    precise float p = 1.0f + math_exp_polynomial(math_exp_reduced(a, n));
    return math_scale(p, math_round(n));
}

MATH_OF_PATHS(exp)

// 2^r for |r| up to 1/2.
MATH float math_exp2_polynomial(float r)
{
    precise float p = r * 0.000152412846f + 0.00133913022f;
    p = p * r + 0.00961883366f;
    p = p * r + 0.0555035882f;
    p = p * r + 0.240226448f;
    p = p * r + 0.693147182f;
    p = p * r + 1.0f;
    return p;
}

MATH bool math_exp2_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x42FA0000u; // 125
}

MATH uint math_exp2_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = a + 12583039.0f;
    precise float r = a - math_shifted_integer(shifted);
    precise float result = math_exp2_polynomial(r) * math_shifted_power(shifted);
    return floatBitsToUint(result);
}

MATH uint math_exp2_rare(uint x)
{
    if ((x & 0x7FFFFFFFu) > 0x7F800000u)
        return 0x7FC00000u;
    if (x >= 0xC3190000u) // -153
        return 0u;
    if (math_int(x) >= 0x43000000) // 128
        return 0x7F800000u;
    precise float a = uintBitsToFloat(x);
    precise float n = math_shifted_integer(a + 12583039.0f);
    precise float r = a - n;
    return math_scale(math_exp2_polynomial(r), math_round(n));
}

MATH_OF_PATHS(exp2)

MATH bool math_expm1_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x42AE0000u; // 87
}

MATH uint math_expm1_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = math_exp_shifted(a);
    precise float q = math_exp_polynomial(math_exp_reduced(a, math_shifted_integer(shifted)));
    precise float scale = math_shifted_power(shifted);
    precise float result = q * scale + (scale - 1.0f);
    return (x & 0x7FFFFFFFu) < 0x33800000u ? x : floatBitsToUint(result); // below 2^-24 x is nearer
}

MATH uint math_expm1_rare(uint x)
{
    return math_int(x) >= 0 ? math_exp_rare(x) : x > 0xFF800000u ? 0x7FC00000u : 0xBF800000u;
}

MATH_OF_PATHS(expm1)

MATH bool math_sigmoid_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x428A0000u; // 69
}

MATH uint math_sigmoid_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = math_exp_shifted(a);
    precise float r = math_exp_reduced(a, math_shifted_integer(shifted));
    precise float scale = math_shifted_power(shifted);
    precise float c = math_exp_coth(r);
    precise float n = (c + r) * scale;
    precise float y = math_reciprocal_estimate(n + (c - r));
    precise float q = n * y;
    precise float u = scale - q * scale;
    precise float rest = (u - q) * c + (u + q) * r;
    q = q + rest * y;
    return floatBitsToUint(q);
}

MATH uint math_sigmoid_rare(uint x)
{
    return math_int(x) >= 0 && x <= 0x7F800000u ? 0x3F800000u : math_exp_rare(x);
}

MATH_OF_PATHS(sigmoid)

MATH bool math_softplus_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x42AE0000u; // 87
}

// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|), a polynomial of e^-|x|.
MATH uint math_softplus_common(uint x)
{
    precise float a = uintBitsToFloat(x | 0x80000000u);
    precise float shifted = math_exp_shifted(a);
    precise float r = math_exp_reduced(a, math_shifted_integer(shifted));
    precise float e = (1.0f + math_exp_polynomial(r)) * math_shifted_power(shifted);
    precise float p = e * -0.00329400389f + 0.0200911909f;
    p = p * e - 0.0574444979f;
    p = p * e + 0.106574215f;
    p = p * e - 0.15341118f;
    p = p * e + 0.196901813f;
    p = p * e - 0.249575064f;
    p = p * e + 0.333303988f;
    p = p * e - 0.499999285f;
    p = p * e * e + e;
    precise float result = p + uintBitsToFloat(x >= 0x80000000u ? 0u : x);
    return floatBitsToUint(result);
}

MATH uint math_softplus_rare(uint x)
{
    return x <= 0x7F800000u ? x : math_exp_rare(x);
}

MATH_OF_PATHS(softplus)

#endif
