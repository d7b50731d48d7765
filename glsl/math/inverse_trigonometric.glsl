// Arcsine, arccosine, arctangent.
#include "arithmetic.glsl"
#include "paths.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#include "root.glsl"
#include "scaling.glsl"
#ifndef VKDML_MATH_INVERSE_TRIGONOMETRIC
#define VKDML_MATH_INVERSE_TRIGONOMETRIC

// The arctangent of t, |t| up to 1.
MATH float math_atan_polynomial(float t)
{
    precise float tt = t * t;
    precise float p = tt * 0.00292020338f - 0.0163660031f;
    p = p * tt + 0.0432087593f;
    p = p * tt - 0.0755195171f;
    p = p * tt + 0.106658801f;
    p = p * tt - 0.142110229f;
    p = p * tt + 0.199937686f;
    p = p * tt - 0.333331525f;
    p = p * tt * t + t;
    return p;
}

MATH bool math_atan_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x7E000000u; // 2^125
}

MATH uint math_atan_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    bool is_large = magnitude > 0x3F800000u;
    precise float a = uintBitsToFloat(magnitude);
    precise float y = math_reciprocal_estimate(a);
    precise float inverse = y + (1.0f - y * a) * y;
    precise float p = math_atan_polynomial(is_large ? inverse : a);
    precise float other = 1.57079637f - p;
    uint result = floatBitsToUint(is_large ? other : p) | (x & 0x80000000u);
    return magnitude < 0x39800000u ? x : result; // below 2^-12 x is nearer
}

MATH uint math_atan_rare(uint x)
{
    return math_is_nan(x) ? 0x7FC00000u : (x & 0x80000000u) | 0x3FC90FDBu;
}

MATH_OF_PATHS(atan)

// Both from 2^-50 to 2^30.
MATH bool math_atan2_is_common(uint x, uint y)
{
    return math_max((x << 1) - (77u << 24), (y << 1) - (77u << 24)) < 80u << 24;
}

// Of x / y: x is the ordinate, as in C.
MATH uint math_atan2_common(uint x, uint y)
{
    uint ordinate = x & 0x7FFFFFFFu;
    uint abscissa = y & 0x7FFFFFFFu;
    bool is_steep = ordinate > abscissa;
    uint n = is_steep ? abscissa : ordinate;
    uint d = is_steep ? ordinate : abscissa;
    precise float p = math_atan_polynomial(math_quotient(uintBitsToFloat(n), uintBitsToFloat(d)));
    // From -+pi/2, pi or 0, one way or the other.
    bool is_left = y >= 0x80000000u;
    precise float base = is_steep ? 1.57079637f : is_left ? 3.14159274f : 0.0f;
    uint flip = (is_steep ? 0x80000000u : 0u) ^ (y & 0x80000000u);
    precise float result = base + uintBitsToFloat(floatBitsToUint(p) ^ flip);
    return floatBitsToUint(result) | (x & 0x80000000u);
}

MATH uint math_atan2_rare(uint x, uint y)
{
    uint ordinate = x & 0x7FFFFFFFu;
    uint abscissa = y & 0x7FFFFFFFu;
    if (math_max(ordinate, abscissa) > 0x7F800000u)
        return 0x7FC00000u;
    bool is_steep = ordinate > abscissa;
    bool is_left = y >= 0x80000000u;
    uint t = is_steep ? math_divide(abscissa, ordinate) : math_divide(ordinate, abscissa);
    if (ordinate == abscissa)
        t = math_is_zero(x) ? 0u : 0x3F800000u;
    precise float p = uintBitsToFloat(t);
    if (t >= 0x39800000u) // 2^-12
        p = math_atan_polynomial(p);
    uint bits = t >= 0x39800000u ? floatBitsToUint(p) : t;
    if (!is_steep && !is_left)
        return bits | (x & 0x80000000u);
    precise float base = is_steep ? 1.57079637f : 3.14159274f;
    uint flip = (is_steep ? 0x80000000u : 0u) ^ (y & 0x80000000u);
    precise float result = base + uintBitsToFloat(bits ^ flip);
    return floatBitsToUint(result) | (x & 0x80000000u);
}

MATH uint math_atan2(uint x, uint y)
{
    return math_atan2_is_common(x, y) ? math_atan2_common(x, y) : math_atan2_rare(x, y);
}

// The arcsine of t, given its square.
MATH float math_asin_polynomial(float t, float tt)
{
    precise float p = tt * 0.0421650372f + 0.0241815336f;
    p = p * tt + 0.045469638f;
    p = p * tt + 0.0749530718f;
    p = p * tt + 0.166667521f;
    p = p * tt * t + t;
    return p;
}

MATH bool math_asin_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x3F800000u;
}

// From 1/2 on by the half angle.
MATH uint math_asin_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    bool is_large = magnitude > 0x3F000000u;
    precise float a = uintBitsToFloat(magnitude);
    precise float half_square = (1.0f - a) * 0.5f;
    precise float square = a * a;
    precise float root = math_root(half_square);
    precise float p = math_asin_polynomial(is_large ? root : a, is_large ? half_square : square);
    precise float other = (0.785398185f - p) * 2.0f;
    uint result = floatBitsToUint(is_large ? other : p) | (x & 0x80000000u);
    return magnitude < 0x39800000u ? x : result; // below 2^-12 x is nearer
}

MATH_ELSE_NAN(asin)

MATH bool math_acos_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x3F800000u;
}

// pi/2 less the arcsine of small ones; else twice that of the half angle, of negative ones from pi.
MATH uint math_acos_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    bool is_large = magnitude > 0x3F000000u;
    precise float a = uintBitsToFloat(magnitude);
    precise float half_square = (1.0f - a) * 0.5f;
    precise float square = a * a;
    precise float root = math_root(half_square);
    precise float p = math_asin_polynomial(is_large ? root : a, is_large ? half_square : square);
    precise float twice = p + p;
    uint flip = (x & 0x80000000u) ^ (is_large ? 0u : 0x80000000u);
    uint part = floatBitsToUint(is_large ? twice : p) ^ flip;
    precise float base = !is_large ? 1.57079637f : x >= 0x80000000u ? 3.14159274f : 0.0f;
    precise float result = base + uintBitsToFloat(part);
    return floatBitsToUint(result);
}

MATH_ELSE_NAN(acos)

#endif
