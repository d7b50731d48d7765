// FLOAT32 arithmetic by the hardware, where it is sure to be IEEE 754's; elsewhere glsl/math's serves. And FLOAT32's
// order.
//
// Vulkan lets a device flush denormals, operands and results, unless it says that it does not (IS_EXACT). A fast
// function says by `good` whether that can have mattered, by looking at the result: a sum of at least 2^-100 is the
// same whether or not a denormal was taken for zero, since that is less than half of its last bit, and so is one of a
// number and its negative; a product that is a normal number had no denormal operand that was flushed. NaNs are the
// device's own and need not be good.
#ifndef VKDML_FLOAT32_GLSL
#define VKDML_FLOAT32_GLSL

#include "../math/math.glsl"

bool is_normal(uint x)
{
    return (x & ~SIGN_BIT) - 0x00800000u < 0x7F000000u;
}

uint canonical(uint x)
{
    return is_nan(x) ? QUIET_NAN : x;
}

uint add_fast(uint a, uint b, inout bool good)
{
    precise float sum = uintBitsToFloat(a) + uintBitsToFloat(b);
    uint bits = floatBitsToUint(sum);
    bool large = (bits & ~SIGN_BIT) - (27u << 23) < 228u << 23;
    if (!IS_EXACT)
        good = good && (large || math_is_zero(a | b) || (bits == 0 && (a ^ b) == SIGN_BIT));
    return bits;
}

uint multiply_fast(uint a, uint b, inout bool good)
{
    precise float product = uintBitsToFloat(a) * uintBitsToFloat(b);
    uint bits = floatBitsToUint(product);
    bool is_zero = math_is_zero(bits) && (math_is_zero(a) || math_is_zero(b));
    if (!IS_EXACT)
        good = good && (is_normal(bits) || is_zero);
    return bits;
}

uint divide_fast(uint a, uint b, inout bool good)
{
    math_bounds bounds = math_quotient_bounds(a, math_divisor_of(b));
    bool may_be = (math_may_divide(a) || math_is_zero(a)) && math_may_divide(b);
    good = good && may_be && bounds.low == bounds.high;
    return floatBitsToUint(bounds.low) | ((a ^ b) & SIGN_BIT); // that of zero, too
}

uint sqrt_fast(uint x, inout bool good)
{
    uint root = math_sqrt_common(x);
    good = good && math_sqrt_is_common(x, root);
    return root;
}

// a * scale + bias, rounded twice. A product that was flushed is less than half of the last bit of a sum of at least
// 2^-100, and so is one of a denormal a, if it is not made larger than 4 times that.
uint scale_fast(uint a, uint scale, uint bias, inout bool good)
{
    precise float product = uintBitsToFloat(a) * uintBitsToFloat(scale);
    precise float sum = product + uintBitsToFloat(bias);
    uint bits = floatBitsToUint(sum);
    bool large = (bits & ~SIGN_BIT) - (27u << 23) < 228u << 23;
    bool keeps = (scale & ~SIGN_BIT) <= 0x40800000u || (a & INFINITY) != 0 || math_is_zero(a);
    if (!IS_EXACT)
        good = good && keeps && (large || math_is_zero(a | bias)) && (is_normal(scale) || math_is_zero(scale));
    return bits;
}

uint scale_slow(uint a, uint scale, uint bias)
{
    return math_add(math_multiply(a, scale), bias);
}

// An order of the bits of FLOAT32, without NaN, as integers.
int order_of(uint x)
{
    return int(x) ^ (int(x) >> 31 & 0x7FFFFFFF);
}

bool less(uint a, uint b)
{
    if (IS_EXACT)
        return uintBitsToFloat(a) < uintBitsToFloat(b);
    bool numbers = !is_nan(a) && !is_nan(b);
    bool zeros = math_is_zero(a | b);
    return numbers && !zeros && order_of(a) < order_of(b);
}

// Compared with what is the same for all elements, so that most of it is computed once: in that order -0 lies below 0,
// and a bound of 0 is taken for the one that has no zero beyond it.
bool is_above(uint x, uint bound)
{
    if (IS_EXACT)
        return uintBitsToFloat(x) > uintBitsToFloat(bound);
    int least = math_is_zero(bound) ? 0 : order_of(bound);
    return !is_nan(bound) && uint(order_of(x) - least - 1) < uint(int(INFINITY) - least);
}

bool is_below(uint x, uint bound)
{
    return is_above(x ^ SIGN_BIT, bound ^ SIGN_BIT);
}

// From 0 to 1: 1 where it is above, 0 where it is not above 0. NaN stays.
uint clamp_to_one(uint x)
{
    return is_nan(x) ? QUIET_NAN : uint(clamp(int(x), 0, 0x3F800000));
}

bool equal_floats(uint a, uint b)
{
    if (IS_EXACT)
        return uintBitsToFloat(a) == uintBitsToFloat(b);
    return math_is_zero(a | b) || (a == b && !is_nan(a));
}

// NaN where either is; -0 is less than 0.
uint min_float(uint a, uint b)
{
    if (IS_EXACT) {
        float x = uintBitsToFloat(a);
        float y = uintBitsToFloat(b);
        return x < y ? a : x > y ? b : x == y ? a | b : QUIET_NAN;
    }
    return is_nan(a) || is_nan(b) ? QUIET_NAN : order_of(a) < order_of(b) ? a : b;
}

uint max_float(uint a, uint b)
{
    if (IS_EXACT) {
        float x = uintBitsToFloat(a);
        float y = uintBitsToFloat(b);
        return x > y ? a : x < y ? b : x == y ? a & b : QUIET_NAN;
    }
    return is_nan(a) || is_nan(b) ? QUIET_NAN : order_of(a) < order_of(b) ? b : a;
}

#endif
