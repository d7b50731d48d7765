// Hyperbolic functions of FLOAT16's grade: see half.glsl.
#include "half_arithmetic.glsl"
#include "half_exponential.glsl"
#include "hyperbolic.glsl"
#include "inverse_hyperbolic.glsl"
#include "paths.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#ifndef VKDML_MATH_HALF_HYPERBOLIC
#define VKDML_MATH_HALF_HYPERBOLIC

MATH bool math_half_tanh_is_common(uint x)
{
    return math_half_is_number(x);
}

// x times a quotient of polynomials of x^2, up to 4.6, where tanh is 1 in FLOAT16.
MATH uint math_half_tanh_common(uint x)
{
    precise float a = math_half_clamped(x, 0x40933333u, 0xC0933333u);
    precise float s = a * a;
    precise float n = (s + 146.036026f) * s + 1409.23267f;
    precise float d = (s * 18.5982914f + 615.498108f) * s + 1409.27783f;
    precise float result = n * a * math_reciprocal_estimate(d);
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(tanh)

MATH bool math_half_sinh_is_common(uint x)
{
    return math_half_is_number(x);
}

// Up to 12, from where on it is infinity. With p = 2 sinh(x / 9), that of 3 times as much is p * (p^2 + 3).
MATH uint math_half_sinh_common(uint x)
{
    precise float a = math_half_clamped(x, 0x41400000u, 0xC1400000u);
    precise float s = a * a;
    precise float p = s * 8.7085214e-11f + 2.81886912e-7f;
    p = p * s + 0.000457257527f;
    p = p * s + 0.222222179f;
    p = p * a;
    p = (p * p + 3.0f) * p;
    p = (p * p + 3.0f) * p;
    precise float result = p * 0.5f;
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(sinh)

MATH bool math_half_cosh_is_common(uint x)
{
    return math_half_is_number(x);
}

// Up to 12. With p = 2 cosh(x / 12), that of 3 times as much is p * (p^2 - 3), of twice as much p^2 - 2.
MATH uint math_half_cosh_common(uint x)
{
    precise float a = math_half_clamped(x, 0x41400000u, 0xC1400000u);
    precise float s = a * a;
    precise float p = s * 9.64031521e-10f + 4.01572015e-6f;
    p = p * s + 0.00694453251f;
    p = p * s + 1.99999964f;
    p = (p * p - 3.0f) * p;
    p = p * p - 2.0f;
    precise float result = p * p * 0.5f - 1.0f;
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(cosh)

MATH bool math_half_asinh_is_common(uint x)
{
    return math_half_is_finite(x);
}

// ln(|x| + sqrt(x^2 + 1)); below 1/8, where that loses digits, a polynomial.
MATH uint math_half_asinh_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    precise float a = uintBitsToFloat(magnitude);
    precise float s = a * a;
    precise float w = a + math_half_root(s + 1.0f);
    uint large = math_half_log_common(floatBitsToUint(w));
    precise float small = (s * -0.165505171f + 0.999997735f) * a;
    return (magnitude < 0x3E000000u ? floatBitsToUint(small) : large) | (x & 0x80000000u);
}

MATH_ELSE_WHOLE(asinh)

MATH bool math_half_acosh_is_common(uint x)
{
    return x - 0x3F800000u < 0x7F800000u - 0x3F800000u;
}

// ln(x + sqrt(x^2 - 1))
MATH uint math_half_acosh_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float w = a + math_half_root((a - 1.0f) * (a + 1.0f));
    return math_half_log_common(floatBitsToUint(w));
}

MATH_ELSE_WHOLE(acosh)

MATH bool math_half_atanh_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) < 0x3F800000u;
}

// Half the logarithm of (1 + |x|) / (1 - |x|), which is 2^k * (1 + s) / (1 - s). Below 2^-8 x is near enough.
MATH uint math_half_atanh_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    precise float a = uintBitsToFloat(magnitude);
    precise float less = 1.0f - a;
    precise float more = 1.0f + a;
    uint k = (floatBitsToUint(more) - floatBitsToUint(less)) & 0xFF800000u;
    precise float scaled = less * uintBitsToFloat(k + 0x3F800000u);
    precise float s = (more - scaled) * math_reciprocal_estimate(more + scaled);
    precise float ss = s * s;
    precise float p = (ss * 0.231478363f + 0.331738353f) * ss + 1.00001180f;
    precise float result = p * s + math_float(math_int(k)) * 4.13147915e-8f;
    return magnitude < 0x3B800000u ? x : floatBitsToUint(result) | (x & 0x80000000u);
}

MATH_ELSE_WHOLE(atanh)

#endif
