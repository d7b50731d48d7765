// Trigonometric functions of FLOAT16's grade: see half.glsl.
#include "half_arithmetic.glsl"
#include "half_exponential.glsl"
#include "inverse_trigonometric.glsl"
#include "paths.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#include "trigonometric.glsl"
#ifndef VKDML_MATH_HALF_TRIGONOMETRIC
#define VKDML_MATH_HALF_TRIGONOMETRIC

// x - n * pi for |x| up to 2^16: n has 16 bits with the half of the cosine, the first part of pi 8, and the second 8.
// None is negative, so that -0 stays.
MATH float math_half_less_pi(float x, float n)
{
    precise float r = x - n * 3.140625f;
    r = r - n * 0.0009651184f;
    r = r - n * 2.5351817e-6f;
    return r;
}

// The sine of r, |r| up to pi / 2.
MATH float math_half_sine(float r)
{
    precise float s = r * r;
    precise float p = s * -0.000184864417f + 0.00831184536f;
    p = p * s - 0.166655496f;
    p = p * s + 0.999999046f;
    p = p * r;
    return p;
}

MATH bool math_half_sin_is_common(uint x)
{
    return math_half_is_finite(x);
}

MATH uint math_half_sin_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = a * 0.318309873f + 12582912.0f;
    precise float r = math_half_less_pi(a, shifted - 12582912.0f);
    return floatBitsToUint(math_half_sine(r)) ^ (floatBitsToUint(shifted) << 31);
}

MATH_ELSE_WHOLE(sin)

MATH bool math_half_cos_is_common(uint x)
{
    return math_half_is_finite(x);
}

// By the odd multiple of pi / 2 that is nearest.
MATH uint math_half_cos_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = (a * 0.318309873f - 0.5f) + 12582913.0f;
    precise float r = math_half_less_pi(a, (shifted - 12582913.0f) + 0.5f);
    return floatBitsToUint(math_half_sine(r)) ^ (floatBitsToUint(shifted) << 31);
}

MATH_ELSE_WHOLE(cos)

MATH bool math_half_tan_is_common(uint x)
{
    return math_half_is_finite(x);
}

// r / w, or where x is nearer to an odd multiple of pi / 2 -w / r: w is r / tan(r). n has 16 bits, both first parts 8.
MATH uint math_half_tan_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float shifted = a * 0.636619747f + 12582912.0f;
    precise float k = shifted - 12582912.0f;
    precise float r = a - k * 1.5703125f;
    r = r - k * 0.0004825592f;
    r = r - k * 1.2675908e-6f;
    precise float s = r * r;
    precise float w = (s * -0.0243881326f - 0.332798988f) * s + 0.999980032f;
    uint is_odd = floatBitsToUint(shifted) << 31;
    precise float n = is_odd == 0u ? r : w;
    precise float d = is_odd == 0u ? w : r;
    precise float result = n * math_reciprocal_estimate(d);
    return floatBitsToUint(result) ^ is_odd;
}

MATH_ELSE_WHOLE(tan)

MATH bool math_half_atan_is_common(uint x)
{
    return math_half_is_finite(x);
}

// From 1 on by the reciprocal.
MATH uint math_half_atan_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    bool is_large = (x & 0x7FFFFFFFu) > 0x3F800000u;
    precise float y = math_reciprocal_estimate(a);
    precise float t = is_large ? y : a;
    precise float s = t * t;
    precise float p = s * 0.0244153459f - 0.093057923f;
    p = p * s + 0.185924262f;
    p = p * s - 0.331832737f;
    p = p * s + 0.999974608f;
    p = p * t;
    precise float other = uintBitsToFloat((x & 0x80000000u) | 0x3FC90FDBu) - p;
    return floatBitsToUint(is_large ? other : p);
}

MATH_ELSE_WHOLE(atan)

MATH bool math_half_asin_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x3F800000u;
}

// From 1/2 on by the half angle.
MATH uint math_half_asin_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    bool is_large = magnitude > 0x3F000000u;
    precise float a = uintBitsToFloat(magnitude);
    precise float half_square = 0.5f - a * 0.5f;
    precise float square = a * a;
    precise float root = math_half_root(half_square);
    precise float t = is_large ? root : a;
    precise float s = is_large ? half_square : square;
    precise float p = (s * 0.0959877819f + 0.16453896f) * s + 1.0000310f;
    p = p * t;
    precise float other = 1.57079637f - (p + p);
    return floatBitsToUint(is_large ? other : p) | (x & 0x80000000u);
}

MATH_ELSE_WHOLE(asin)

MATH bool math_half_acos_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x3F800000u;
}

// The root of 1 - |x| times a polynomial, and of negative x what is left of pi.
MATH uint math_half_acos_common(uint x)
{
    precise float a = uintBitsToFloat(x & 0x7FFFFFFFu);
    precise float p = a * 0.00859161653f - 0.0356430858f;
    p = p * a + 0.0845963657f;
    p = p * a - 0.214110777f;
    p = p * a + 1.57078743f;
    precise float m = 1.0f - a;
    p = p * m * math_half_root_inverse(m);
    precise float other = 3.14159274f - p;
    return floatBitsToUint(x >= 0x80000000u ? other : p);
}

MATH_ELSE_WHOLE(acos)

#endif
