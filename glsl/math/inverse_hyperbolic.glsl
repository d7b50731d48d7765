// Inverse hyperbolic functions: logarithms of 2^k * (1 + s) / (1 - s).
#include "logarithm.glsl"
#include "paths.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#include "root.glsl"
#ifndef VKDML_MATH_INVERSE_HYPERBOLIC
#define VKDML_MATH_INVERSE_HYPERBOLIC

// Half the logarithm of that with k = 0, |s| up to 0.36.
MATH float math_atanh_polynomial(float s)
{
    precise float ss = s * s;
    precise float p = ss * 0.14634937f + 0.13872622f;
    p = p * ss + 0.20018521f;
    p = p * ss + 0.33333078f;
    p = p * ss * s + s;
    return p;
}

MATH bool math_atanh_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) < 0x3F800000u;
}

MATH uint math_atanh_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    precise float a = uintBitsToFloat(magnitude);
    precise float less = 1.0f - a;
    precise float more = 1.0f + a;
    uint k = (floatBitsToUint(more) - floatBitsToUint(less)) & 0xFF800000u;
    precise float scaled = less * uintBitsToFloat(k + 0x3F800000u);
    precise float difference = more - scaled;
    precise float n = k == 0u ? a + a : difference;
    precise float p = math_atanh_polynomial(math_quotient(n, more + scaled));
    precise float result = p + math_float(math_int(k)) * 4.13147915e-8f;
    return magnitude < 0x39800000u ? x : floatBitsToUint(result) | (x & 0x80000000u); // below 2^-12 x is nearer
}

MATH uint math_atanh_rare(uint x)
{
    return (x & 0x7FFFFFFFu) == 0x3F800000u ? x | 0x7F800000u : 0x7FC00000u;
}

MATH_OF_PATHS(atanh)

MATH bool math_asinh_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x57800000u; // 2^48
}

// ln(w), w = |x| + sqrt(x^2 + 1) between 2^k and 2^(k + 1); s is (w - 2^k) / (w + 2^k), or as well |x| / (1 + the root)
// where k = 0.
MATH uint math_asinh_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    precise float a = uintBitsToFloat(magnitude);
    precise float root = math_root(a * a + 1.0f);
    precise float w = a + root;
    uint power = floatBitsToUint(w) & 0x7F800000u;
    precise float scale = uintBitsToFloat(power);
    precise float difference = w - scale;
    bool is_small = power == 0x3F800000u;
    precise float n = is_small ? a : difference;
    precise float d = (is_small ? root : w) + scale;
    precise float p = math_atanh_polynomial(math_quotient(n, d));
    precise float result = (p + p) + math_float(math_int(power - 0x3F800000u)) * 8.26295829e-8f;
    return magnitude < 0x39800000u ? x : floatBitsToUint(result) | (x & 0x80000000u); // below 2^-12 x is nearer
}

// ln(2 |x|)
MATH uint math_asinh_rare(uint x)
{
    if ((x & 0x7FFFFFFFu) >= 0x7F800000u)
        return x == 0xFF800000u || x == 0x7F800000u ? x : 0x7FC00000u;
    uint k = math_log_exponent(x & 0x7FFFFFFFu);
    precise float f = uintBitsToFloat((x & 0x7FFFFFFFu) - k) - 1.0f;
    precise float result = math_log_sum(math_float(math_int(k + 0x00800000u)), f);
    return floatBitsToUint(result) | (x & 0x80000000u);
}

MATH_OF_PATHS(asinh)

MATH bool math_acosh_is_common(uint x)
{
    return x - 0x3F800000u <= 0x57800000u - 0x3F800000u; // 1 to 2^48
}

// ln(w), w = x + sqrt(x^2 - 1), as above; where k = 0, s is also the square root of (x - 1) / (x + 1).
MATH uint math_acosh_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float less = a - 1.0f;
    precise float more = a + 1.0f;
    precise float root = math_root(less * more);
    precise float w = a + root;
    uint power = floatBitsToUint(w) & 0x7F800000u;
    precise float scale = uintBitsToFloat(power);
    precise float difference = w - scale;
    precise float sum = w + scale;
    bool is_small = power == 0x3F800000u;
    precise float p = math_atanh_polynomial(math_quotient(is_small ? root : difference, is_small ? more : sum));
    precise float result = (p + p) + math_float(math_int(power - 0x3F800000u)) * 8.26295829e-8f;
    return floatBitsToUint(result);
}

MATH uint math_acosh_rare(uint x)
{
    return x > 0x7F800000u || x < 0x3F800000u ? 0x7FC00000u : math_asinh_rare(x);
}

MATH_OF_PATHS(acosh)

#endif
