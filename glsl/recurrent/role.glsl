// A function of a role, as common/float_operations.glsl has it for one: the includer defines ROLE(name), FUNCTION and
// FUNCTION_ARGUMENTS.

#define float_selection ROLE(selection)
uint float_selection(uint x)
{
    switch (FUNCTION) {
    case FN_RELU:
        return is_nan(x) ? QUIET_NAN : is_positive(x) ? x : 0;
    case FN_THRESHOLDED_RELU:
        return is_above(x, FUNCTION_ARGUMENTS.x) ? x : 0;
    default:
        return x;
    }
}

#define CALL_GRADED(name, x) CALL(name, x)
#define CALL2_GRADED(name, x, y) CALL2(name, x, y)

#define FORMULA(name) ROLE(name##_fast)
#define TELLS , inout bool good
#define ADD(a, b) add_fast(a, b, good)
#define MULTIPLY(a, b) multiply_fast(a, b, good)
#define DIVIDE(a, b) divide_fast(a, b, good)
#define DIVIDE_BY_ARGUMENT(x) ROLE(divide_by_argument_fast)(x, good)
#define SQRT(x) sqrt_fast(x, good)
#define SCALE(x, scale, bias) scale_fast(x, scale, bias, good)
#define RARELY(condition) (good = good && !(condition), false)
#define CALL(name, x) (good = good && math_##name##_is_common(x), math_##name##_common(x))
#define CALL2(name, x, y) (good = good && math_##name##_is_common(x, y), math_##name##_common(x, y))
#include "float_formulas.glsl"

#define FORMULA(name) ROLE(name##_slow)
#define TELLS
#define ADD(a, b) math_add(a, b)
#define MULTIPLY(a, b) math_multiply(a, b)
#define DIVIDE(a, b) math_divide(a, b)
#define DIVIDE_BY_ARGUMENT(x) ROLE(divide_by_argument_slow)(x)
#define SQRT(x) math_sqrt(x)
#define SCALE(x, scale, bias) scale_slow(x, scale, bias)
#define RARELY(condition) (condition)
#define CALL(name, x) math_##name(x)
#define CALL2(name, x, y) math_##name(x, y)
#include "float_formulas.glsl"

#undef CALL_GRADED
#undef CALL2_GRADED
#undef float_selection
#undef ROLE
#undef FUNCTION
#undef FUNCTION_ARGUMENTS
