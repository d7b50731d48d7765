// Quotients within a few ULP, by + - x alone.
#include "prelude.glsl"
#ifndef VKDML_MATH_QUOTIENT
#define VKDML_MATH_QUOTIENT

// 1 / d, or less by up to 2^-19 of it, for normal d up to 2^125: a straight line through its bits, and two steps of
// Newton's.
MATH float math_reciprocal_estimate(float d)
{
    precise float y = uintBitsToFloat(0x7EF33408u - floatBitsToUint(d));
    y = y * (2.00128108f - d * y);
    y = y * (2.0f - d * y);
    return y;
}

// n / d within 1.5 ULP, where n, d and the quotient are far from being denormal.
MATH float math_quotient(float n, float d)
{
    precise float y = math_reciprocal_estimate(d);
    precise float q = n * y;
    precise float rest = n - q * d;
    q = q + rest * y;
    return q;
}

#endif
