// Quotients and square roots of FLOAT16's grade: see half.glsl.
#include "arithmetic.glsl"
#include "paths.glsl"
#include "prelude.glsl"
#include "quotient.glsl"
#include "root.glsl"
#ifndef VKDML_MATH_HALF_ARITHMETIC
#define VKDML_MATH_HALF_ARITHMETIC

// The square root of m within 2^-21, m zero or from 2^-100 to 2^100: math_root() with a step less.
MATH float math_half_root(float m)
{
    precise float y = uintBitsToFloat(0x5F1FFFF9u - (floatBitsToUint(m) >> 1));
    y = y * (1.68191391f - 0.703952253f * m * y * y);
    precise float s = m * y;
    s = s + y * 0.5f * (m - s * s);
    return s;
}

// An inverse square root of m by a straight line through its bits, and then times a polynomial of u = m * y^2, which is
// not far from 1: within 2^-16.
MATH float math_half_root_inverse(float m)
{
    precise float y = uintBitsToFloat(0x5F600000u - (floatBitsToUint(m) >> 1));
    precise float u = m * y * y;
    precise float p = u * 0.117229775f - 0.622581482f;
    p = p * u + 1.48658884f;
    y = y * p;
    return y;
}

// Positive numbers, and zero. The root is within an ULP of FLOAT32, and none of a FLOAT16 is as near to the middle
// between two others.
MATH bool math_half_sqrt_is_common(uint x)
{
    return x < 0x7F800000u;
}

MATH uint math_half_sqrt_common(uint x)
{
    precise float m = uintBitsToFloat(x);
    precise float y = math_half_root_inverse(m);
    precise float s = m * y;
    precise float result = s + y * 0.5f * (m - s * s);
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(sqrt)

// Numbers but zero.
MATH bool math_half_reciprocal_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) - 1u < 0x7F800000u - 1u;
}

MATH uint math_half_reciprocal_common(uint x)
{
    precise float d = uintBitsToFloat(x);
    precise float y = math_reciprocal_estimate(d);
    precise float result = y + (1.0f - y * d) * y;
    return floatBitsToUint(result);
}

MATH_ELSE_WHOLE(reciprocal)

// Two numbers, the second not zero. No number of FLOAT16's is as large as that.
MATH bool math_half_divide_is_common(uint x, uint y)
{
    return math_max(x & 0x7FFFFFFFu, (y & 0x7FFFFFFFu) - 1u) < 0x7F800000u - 1u;
}

// An estimate cut to 12 bits, whose product with the divisor is exact, and the quotient of what it leaves: where the
// quotient has 12 bits, in the middle between two FLOAT16 perhaps, the sum is exact.
MATH uint math_half_divide_common(uint x, uint y)
{
    precise float n = uintBitsToFloat(x);
    precise float d = uintBitsToFloat(y);
    precise float inverse = math_reciprocal_estimate(d);
    precise float q = uintBitsToFloat(floatBitsToUint(n * inverse) & 0xFFFFF000u);
    precise float result = q + (n - q * d) * inverse;
    return floatBitsToUint(result) | ((x ^ y) & 0x80000000u);
}

MATH uint math_half_divide(uint x, uint y)
{
    return math_half_divide_is_common(x, y) ? math_half_divide_common(x, y) : math_divide(x, y);
}

#endif
