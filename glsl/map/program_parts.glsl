// What all instructions of a program share.
#ifndef VKDML_PROGRAM_PARTS_GLSL
#define VKDML_PROGRAM_PARTS_GLSL

const uint ONE = 0x3F800000u;
const uint HALF = 0x3F000000u;

uint negate(const uint x)
{
    return x ^ SIGN_BIT;
}

bool is_negative(const uint x)
{
    return x - (SIGN_BIT + 1) < INFINITY;
}

bool is_positive(const uint x)
{
    return x - 1 < INFINITY;
}

// See float_operations.glsl.
bool lacks_digits(const uint x)
{
    return !NO_DENORMALS && is_below(x, 0xC2A00000u);
}

// What is moved keeps the bits that its NaNs have; those that are computed have none.
uint narrow_keeping_payload(const uint x)
{
    return is_nan(x) ? (x >> 16 & 0x8000) | 0x7C00 | (x >> 13 & 0x3FF) : narrow_to_half(x);
}

uint least(const uint a, const uint b)
{
    return min_float(a, b);
}

uint greatest(const uint a, const uint b)
{
    return max_float(a, b);
}

uint equal(const uint a, const uint b)
{
    return uint(equal_floats(a, b));
}

uint is_less(const uint a, const uint b)
{
    return uint(less(a, b));
}

uint is_at_most(const uint a, const uint b)
{
    return uint(less(a, b) || equal_floats(a, b));
}

uint clip_gradient(const uint a, const uint b, const uvec2 bounds)
{
    return (is_at_most(a, bounds.x) | is_at_most(bounds.y, a)) != 0 ? 0 : canonical(b);
}

uint relu_gradient(const uint a, const uint b)
{
    return is_positive(a) ? canonical(b) : 0;
}

uint logical_and(const uint a, const uint b)
{
    return uint(a != 0 && b != 0);
}

uint logical_or(const uint a, const uint b)
{
    return uint((a | b) != 0);
}

uint logical_xor(const uint a, const uint b)
{
    return uint((a != 0) != (b != 0));
}

uint logical_not(const uint x)
{
    return uint(x == 0);
}

uint choice(const uint a, const uint b, const uint condition)
{
    return condition != 0 ? a : b;
}

uint absolute(const uint x)
{
    return canonical(x & ~SIGN_BIT);
}

uint negative(const uint x)
{
    return canonical(x ^ SIGN_BIT);
}

// See float_operations.glsl.
uint sign_of(const uint x)
{
    return is_nan(x) || math_is_zero(x) ? 0 : (x & SIGN_BIT) | ONE;
}

uint not_a_number(const uint x)
{
    return uint(is_nan(x));
}

// Of the signs that bits 0 (positive) and 1 say.
uint infinite(const uint x, const uint signs)
{
    return (x & ~SIGN_BIT) == INFINITY ? signs >> (x >> 31) & 1 : 0;
}

uint relu(const uint x)
{
    return is_nan(x) ? QUIET_NAN : is_positive(x) ? x : 0;
}

uint thresholded_relu(const uint x, const uint alpha)
{
    return is_above(x, alpha) ? x : 0;
}

// Whether what was computed fast is sure to be right, of the item that is computed.
bool good;

uvec2 rounded_pair(const uvec2 x)
{
    good = good && are_numbers(x);
    return widen_halves(narrow_numbers(x));
}

uint rounded_single(const uint x)
{
    return widen_half(narrow_to_half(x));
}

uvec2 canonical_pair(const uvec2 x)
{
    return uvec2(canonical(x.x), canonical(x.y));
}

#define FORMULA(name) PASTE(fast_, name)
#define ADD(a, b) add_fast(a, b, good)
#define MULTIPLY(a, b) multiply_fast(a, b, good)
#define DIVIDE(a, b) divide_fast(a, b, good)
#define SQRT(x) sqrt_fast(x, good)
#define SCALE(x, scale, bias) scale_fast(x, scale, bias, good)
#define CAST(x) (good = good && !is_nan(x), x)
#define RARELY(condition) (good = good && !(condition), false)
#define CALL(name, x) (good = good && math_##name##_is_common(x), math_##name##_common(x))
#define CALL2(name, x, y) (good = good && math_##name##_is_common(x, y), math_##name##_common(x, y))
#include "program_functions.glsl"

#define FORMULA(name) PASTE(slow_, name)
#define ADD(a, b) math_add(a, b)
#define MULTIPLY(a, b) math_multiply(a, b)
#define DIVIDE(a, b) math_divide(a, b)
#define SQRT(x) math_sqrt(x)
#define SCALE(x, scale, bias) scale_slow(x, scale, bias)
#define CAST(x) canonical(x)
#define RARELY(condition) (condition)
#define CALL(name, x) math_##name(x)
#define CALL2(name, x, y) math_##name(x, y)
#include "program_functions.glsl"

#endif
