// Operations and functions on FLOAT32, in two forms: float_operation_fast() and float_function_fast() say by `good`
// whether they were sure to be right, float_operation_slow() and float_function_slow() always are.
#ifndef VKDML_FLOAT_OPERATIONS_GLSL
#define VKDML_FLOAT_OPERATIONS_GLSL

#include "float32.glsl"

#if defined(IS_NORMALIZATION) || defined(NO_OPERATIONS)
#define ONLY_FUSED
#endif

#ifndef FUNCTION_ARGUMENTS
#define FUNCTION_ARGUMENTS parameters.arguments[2]
#endif

const uint ONE = 0x3F800000u;
const uint HALF = 0x3F000000u;

uint negate(uint x)
{
    return x ^ SIGN_BIT;
}

// Below 0.
bool is_negative(uint x)
{
    return x - (SIGN_BIT + 1) < INFINITY;
}

// Above 0.
bool is_positive(uint x)
{
    return x - 1 < INFINITY;
}

bool less_or_equal(uint a, uint b)
{
    return less(a, b) || equal_floats(a, b);
}

// Below -80 sigmoid and softplus, which are exp() there, come as two factors, for the digits that they lack as
// denormals. Where no denormal matters, the product is too little as well.
bool lacks_digits(uint x)
{
    return !NO_DENORMALS && is_below(x, 0xC2A00000u);
}

#ifndef NO_OPERATIONS
// Operations without arithmetic, right at once.
uint float_choice(uint a, uint b)
{
    uvec2 bounds = parameters.arguments[1].xy;
    switch (OPERATION) {
    case OP_MIN:
        return min_float(a, b);
    case OP_MAX:
        return max_float(a, b);
    case OP_EQUALS:
        return uint(equal_floats(a, b));
    case OP_GREATER_THAN:
        return uint(less(b, a));
    case OP_LESS_THAN:
        return uint(less(a, b));
    case OP_GREATER_THAN_OR_EQUAL:
        return uint(less_or_equal(b, a));
    case OP_LESS_THAN_OR_EQUAL:
        return uint(less_or_equal(a, b));
    case OP_CLIP_GRAD:
        return less_or_equal(a, bounds.x) || less_or_equal(bounds.y, a) ? 0 : canonical(b);
    case OP_RELU_GRAD:
        return is_positive(a) ? canonical(b) : 0;
    case OP_CONSTANT:
        return parameters.arguments[1].x;
    default:
        return a;
    }
}
#endif

// Functions without arithmetic.
uint float_selection(uint x)
{
    uvec2 bounds = FUNCTION_ARGUMENTS.xy;
    switch (FUNCTION) {
    case FN_ABS:
        return canonical(x & ~SIGN_BIT);
    case FN_NEGATE:
        return canonical(x ^ SIGN_BIT);
    case FN_SIGN:
        // -1 or 0 by one condition: -0 on lavapipe (Mesa 22.3)
        return is_nan(x) || math_is_zero(x) ? 0 : (x & SIGN_BIT) | ONE;
    case FN_CLIP:
        return max_float(bounds.x, min_float(x, bounds.y));
    case FN_THRESHOLD:
        return max_float(x, bounds.x);
    case FN_IS_NAN:
        return uint(is_nan(x));
    case FN_IS_INFINITY: // of the signs that bits 0 (positive) and 1 of the argument say
        return (x & ~SIGN_BIT) == INFINITY ? bounds.x >> (x >> 31) & 1 : 0;
    case FN_RELU:
        return is_nan(x) ? QUIET_NAN : is_positive(x) ? x : 0;
    case FN_THRESHOLDED_RELU:
        return is_above(x, bounds.x) ? x : 0;
    default:
        return x;
    }
}

#if defined(NO_OPERATIONS) && !defined(HAS_GRADES)
// What a kernel gives is FLOAT32 until it is rounded.
#define CALL_GRADED(name, x) CALL(name, x)
#define CALL2_GRADED(name, x, y) CALL2(name, x, y)
const bool HALVES = false;
#else
// Where FLOAT16 numbers go in, unscaled, and FLOAT16 comes out, functions of FLOAT16's grade do. The CPU reference
// takes the same.
#ifdef HAS_GRADES
const bool HALVES = BOTH(RESULT_TYPE == FLOAT16, IS_GRADED);
#else
const bool HALVES = BOTH(TYPE_OUT == FLOAT16, BOTH(TYPE_A == FLOAT16, IS_SCALED ? false : true));
#endif
#define CALL_GRADED(name, x) (HALVES ? CALL(half_##name, x) : CALL(name, x))
#define CALL2_GRADED(name, x, y) (HALVES ? CALL2(half_##name, x, y) : CALL2(name, x, y))
#endif

#define FORMULA(name) name##_fast
#define TELLS , inout bool good
#define PASSES , good
#define ADD(a, b) add_fast(a, b, good)
#define MULTIPLY(a, b) multiply_fast(a, b, good)
#define DIVIDE(a, b) divide_fast(a, b, good)
#define DIVIDE_BY_ARGUMENT(x) divide_by_argument_fast(x, good)
#define SQRT(x) sqrt_fast(x, good)
#define SCALE(x, scale, bias) scale_fast(x, scale, bias, good)
#define RARELY(condition) (good = good && !(condition), false)
#define CALL(name, x) (good = good && math_##name##_is_common(x), math_##name##_common(x))
#define CALL2(name, x, y) (good = good && math_##name##_is_common(x, y), math_##name##_common(x, y))
#include "float_formulas.glsl"

#define FORMULA(name) name##_slow
#define TELLS
#define PASSES
#define ADD(a, b) math_add(a, b)
#define MULTIPLY(a, b) math_multiply(a, b)
#define DIVIDE(a, b) math_divide(a, b)
#define DIVIDE_BY_ARGUMENT(x) divide_by_argument_slow(x)
#define SQRT(x) math_sqrt(x)
#define SCALE(x, scale, bias) scale_slow(x, scale, bias)
#define RARELY(condition) (condition)
#define CALL(name, x) math_##name(x)
#define CALL2(name, x, y) math_##name(x, y)
#include "float_formulas.glsl"
#undef CALL_GRADED
#undef CALL2_GRADED

#endif
