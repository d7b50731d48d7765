// Hyperbolic functions.
#include "exponential.glsl"
#include "paths.glsl"
#include "quotient.glsl"
#include "scaling.glsl"
#ifndef VKDML_MATH_HYPERBOLIC
#define VKDML_MATH_HYPERBOLIC

MATH bool math_tanh_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x42200000u; // 40
}

MATH uint math_tanh_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = a * 2.88539004f + 12583039.0f;
    precise float m = math_shifted_integer(shifted);
    precise float r = a - m * 0.346572876f;
    r = r - m * 7.14303385e-7f;
    precise float rr = r * r;
    precise float k = (rr * -0.022133799f + 0.333332508f) * rr;
    precise float c = 1.0f + k;
    precise float scale = math_shifted_power(shifted);
    precise float less = scale - 1.0f;
    precise float more = scale + 1.0f;
    precise float y = math_reciprocal_estimate(more * c + less * r);
    precise float q = (less * c + more * r) * y;
    precise float scaled = q * scale;
    precise float a_part = less - (scaled + q);
    precise float rest = a_part + (more - (scaled - q)) * r + a_part * k;
    q = q + rest * y;
    return (x & 0x7FFFFFFFu) < 0x39800000u ? x : floatBitsToUint(q);
}

MATH uint math_tanh_rare(uint x)
{
    return (x & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC00000u : (x & 0x80000000u) | 0x3F800000u;
}

MATH_OF_PATHS(tanh)

// With x = n * ln(2) + r, cosh and sinh of x are sums of products of those of n * ln(2), halves of sums of two powers
// of two, and those of r, polynomials.

MATH float math_hyperbolic_shifted(float x)
{
    precise float shifted = x * 1.44269502f + 12583038.0f;
    return shifted;
}

MATH float math_hyperbolic_reduced(float x, float shifted)
{
    precise float n = shifted - 12583038.0f;
    return math_exp_reduced(x, n);
}

// cosh(r) - 1 for |r| up to ln(2)/2.
MATH float math_cosh_polynomial(float r)
{
    precise float rr = r * r;
    precise float p = rr * 0.00139357627f + 0.0416664556f;
    p = (p * rr + 0.5f) * rr;
    return p;
}

// sinh(r)
MATH float math_sinh_polynomial(float r)
{
    precise float rr = r * r;
    precise float p = rr * 0.00836654007f + 0.166665435f;
    p = p * rr * r + r;
    return p;
}

MATH bool math_sinh_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x42AE0000u; // 87
}

MATH uint math_sinh_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = math_hyperbolic_shifted(a);
    precise float r = math_hyperbolic_reduced(a, shifted);
    uint power = floatBitsToUint(shifted) << 23; // 2^(n - 1)
    precise float up = uintBitsToFloat(power);
    precise float down = uintBitsToFloat(0x7E000000u - power); // 2^(-n - 1)
    precise float sinh_n = up - down;
    precise float cosh_n = up + down;
    precise float result = (math_cosh_polynomial(r) * sinh_n + math_sinh_polynomial(r) * cosh_n) + sinh_n;
    return (x & 0x7FFFFFFFu) < 0x39800000u ? x : floatBitsToUint(result); // below 2^-12 x is nearer
}

// e^|x| / 2, where the rest is too little to matter.
MATH uint math_halved_exp(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
        return 0x7FC00000u;
    if (magnitude >= 0x42B40000u) // 90
        return 0x7F800000u;
    precise float a = uintBitsToFloat(magnitude);
    precise float n = math_shifted_integer(math_exp_shifted(a));
    precise float p = 1.0f + math_exp_polynomial(math_exp_reduced(a, n));
    return math_scale(p, math_round(n) - 1);
}

MATH uint math_sinh_rare(uint x)
{
    uint result = math_halved_exp(x);
    return math_is_nan(x) ? result : result | (x & 0x80000000u);
}

MATH_OF_PATHS(sinh)

MATH bool math_cosh_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x42AE0000u; // 87
}

MATH uint math_cosh_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = math_hyperbolic_shifted(a);
    precise float r = math_hyperbolic_reduced(a, shifted);
    uint power = floatBitsToUint(shifted) << 23; // 2^(n - 1)
    precise float up = uintBitsToFloat(power);
    precise float down = uintBitsToFloat(0x7E000000u - power); // 2^(-n - 1)
    precise float sinh_n = up - down;
    precise float cosh_n = up + down;
    precise float result = (math_cosh_polynomial(r) * cosh_n + math_sinh_polynomial(r) * sinh_n) + cosh_n;
    return floatBitsToUint(result);
}

MATH uint math_cosh_rare(uint x)
{
    return math_halved_exp(x);
}

MATH_OF_PATHS(cosh)

#endif
