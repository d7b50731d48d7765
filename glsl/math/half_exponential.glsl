// Exponentials and logarithms of FLOAT16's grade: see half.glsl.
#include "error_function.glsl"
#include "exponential.glsl"
#include "logarithm.glsl"
#include "paths.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#ifndef VKDML_MATH_HALF_EXPONENTIAL
#define VKDML_MATH_HALF_EXPONENTIAL

// x between two bounds, the second a negative number: of negative ones the bits grow as they fall. No NaN.
MATH float math_half_clamped(uint x, uint most, uint least)
{
    return uintBitsToFloat(math_min(math_min_signed(x, most), least));
}

MATH bool math_half_is_number(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x7F800000u;
}

MATH bool math_half_is_finite(uint x)
{
    return (x & 0x7FFFFFFFu) < 0x7F800000u;
}

// 2^t for |t| up to 126, of which 2^(the nearest integer) is taken off: the rest is a square, 2^(r / 2) within 5 *
// 2^-20.
MATH float math_half_power_of_two(float t)
{
    precise float shifted = t + 12583039.0f;
    precise float r = t - math_shifted_integer(shifted);
    precise float p = r * 0.00692756241f + 0.0602071993f;
    p = p * r + 0.346577197f;
    p = p * r + 0.999995291f;
    precise float result = p * p * math_shifted_power(shifted);
    return result;
}

// e^x for |x| up to 87.
MATH float math_half_power(float x)
{
    precise float t = x * 1.44269502f;
    return math_half_power_of_two(t);
}

MATH bool math_half_exp_is_common(uint x)
{
    return math_half_is_number(x);
}

// From -18 to 12: what is beyond becomes 0 or infinity.
MATH uint math_half_exp_common(uint x)
{
    return floatBitsToUint(math_half_power(math_half_clamped(x, 0x41400000u, 0xC1900000u)));
}

MATH_ELSE_WHOLE(exp)

MATH bool math_half_expm1_is_common(uint x)
{
    return math_half_is_number(x);
}

// From -18 to 12. Below 2^-15 x is near enough, and keeps a zero's sign.
MATH uint math_half_expm1_common(uint x)
{
    precise float t = math_half_clamped(x, 0x41400000u, 0xC1900000u) * 1.44269502f;
    precise float shifted = t + 12583039.0f;
    precise float r = t - math_shifted_integer(shifted);
    precise float p = r * 0.00961811095f + 0.0558386259f;
    p = p * r + 0.24023257f;
    p = p * r + 0.693136752f;
    precise float q = p * r;
    precise float scale = math_shifted_power(shifted);
    precise float result = q * scale + (scale - 1.0f);
    return (x & 0x7FFFFFFFu) < 0x38000000u ? x : floatBitsToUint(result);
}

MATH_ELSE_WHOLE(expm1)

// Numbers but infinity, with which x * sigmoid(x) is NaN.
MATH bool math_half_sigmoid_is_common(uint x)
{
    return math_half_is_finite(x);
}

// e^x / (1 + e^x) from -40 to 40, where x * sigmoid(x) is 0 or x. With x = (n + r) * ln(2), e^x is 2^n * (c + r) / (c -
// r), c a polynomial of r^2.
MATH uint math_half_sigmoid_common(uint x)
{
    precise float t = math_half_clamped(x, 0x42200000u, 0xC2200000u) * 1.44269502f;
    precise float shifted = t + 12583039.0f;
    precise float r = t - math_shifted_integer(shifted);
    precise float c = r * r * 0.115235776f + 2.88540816f;
    precise float n = (c + r) * math_shifted_power(shifted);
    precise float result = n * math_reciprocal_estimate(n + (c - r));
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(sigmoid)

MATH bool math_half_softplus_is_common(uint x)
{
    return (x | 0x80000000u) <= 0xC2AE0000u; // 87
}

// max(x, 0) + ln(1 + e^-|x|). Of negative x the bits exceed those of -0, which adds nothing.
MATH uint math_half_softplus_common(uint x)
{
    precise float e = math_half_power(uintBitsToFloat(x | 0x80000000u));
    precise float p = e * -0.0238691196f + 0.101222232f;
    p = p * e - 0.210048676f;
    p = p * e + 0.325206697f;
    p = p * e - 0.499361366f;
    p = p * e + 0.999991596f;
    precise float result = p * e + uintBitsToFloat(math_min(x, 0x80000000u));
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(softplus)

MATH bool math_half_erf_is_common(uint x)
{
    return math_half_is_number(x);
}

// From 2.65 on erf is 1 in FLOAT16.
MATH uint math_half_erf_common(uint x)
{
    precise float a = math_half_clamped(x, 0x4029999Au, 0xC029999Au);
    precise float s = a * a;
    precise float p = s * -8.95725861e-7f + 3.04955446e-5f;
    p = p * s - 0.000459566974f;
    p = p * s + 0.00411978876f;
    p = p * s - 0.0250496063f;
    p = p * s + 0.111284517f;
    p = p * s - 0.375593781f;
    p = p * s + 1.12834716f;
    precise float result = p * a;
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(erf)

MATH bool math_half_gelu_is_common(uint x)
{
    return (x | 0x80000000u) < 0xFF800000u;
}

// max(x, 0) - a * q(a), a = |x|: q, the normal distribution's tail, is the 32nd power of a polynomial. From 6 on it is
// nothing.
MATH uint math_half_gelu_common(uint x)
{
    precise float a = uintBitsToFloat(math_min(x | 0x80000000u, 0xC0C00000u)); // -a
    precise float p = a * 2.79099908e-7f + 1.56932128e-5f;
    p = p * a + 0.000258817337f;
    p = p * a + 0.0009112673f;
    p = p * a - 0.00940854195f;
    p = p * a + 0.024404043f;
    p = p * a + 0.978572190f;
    p = p * p;
    p = p * p;
    p = p * p;
    p = p * p;
    p = p * p;
    precise float result = p * a + uintBitsToFloat(math_min(x, 0x80000000u));
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(gelu)

MATH bool math_half_log_is_common(uint x)
{
    return x - 0x00800000u < 0x7F000000u;
}

// x is 2^k * (1 + f), its significand between 2/3 and 4/3.
MATH uint math_half_log_common(uint x)
{
    uint k = (x - 0x3F2AAAABu) & 0xFF800000u;
    precise float f = uintBitsToFloat(x - k) - 1.0f;
    precise float p = f * -0.193498433f + 0.226465702f;
    p = p * f - 0.248496905f;
    p = p * f + 0.332191974f;
    p = p * f - 0.500020206f;
    p = p * f + 1.00000715f;
    precise float result = p * f + math_float(math_int(k)) * 8.26295829e-8f;
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(log)

#endif
