/* The ELEMENT_WISE_ operators. */
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "reference/element.h"
#include "reference/mapping.h"
#include "reference/number.h"
#include "reference/scale_bias.h"

void vkdml_reference_element_wise_identity(const struct vkdml_instance *instance,
                                           const struct vkdml_reference_memory *memory) {
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        uint64_t bits = vkdml_element_read(input, memory->inputs[0], &at);
        if (desc->ScaleBias != NULL) {
            bits = vkdml_scale_bias(output->data_type, bits, desc->ScaleBias);
        }
        vkdml_element_write(output, memory->outputs[0], &at, bits);
    } while (vkdml_coordinate_next(output, &at));
}

#define FLOATS(name)   static float float_##name(const float *x, const struct vkdml_map_context *context)
#define INTEGERS(name) static uint64_t integer_##name(const uint64_t *x, const struct vkdml_map_context *context)
#define TRUTH(name)    static bool truth_##name(const float *x, const struct vkdml_map_context *context)

/* One expression each; most look at nothing but the operands. */
#define FLOATS_AS(name, expression)                                                                                    \
    FLOATS(name) {                                                                                                     \
        (void)context;                                                                                                 \
        return expression;                                                                                             \
    }
#define INTEGERS_AS(name, expression)                                                                                  \
    INTEGERS(name) {                                                                                                   \
        (void)context;                                                                                                 \
        return expression;                                                                                             \
    }
#define TRUTH_AS(name, expression)                                                                                     \
    TRUTH(name) {                                                                                                      \
        (void)context;                                                                                                 \
        return expression;                                                                                             \
    }

static bool is_signed(const struct vkdml_map_context *context) {
    return vkdml_integer_range(context->type).lowest != 0;
}

static bool is_negative(const struct vkdml_map_context *context, uint64_t x) {
    return is_signed(context) && (int64_t)x < 0;
}

static uint64_t magnitude(const struct vkdml_map_context *context, uint64_t x) {
    return is_negative(context, x) ? 0 - x : x;
}

static bool less(const struct vkdml_map_context *context, uint64_t a, uint64_t b) {
    return is_signed(context) ? (int64_t)a < (int64_t)b : a < b;
}

/* As many bits as the type has, and its sign: what wraps around. */
static uint64_t wrapped(const struct vkdml_map_context *context, uint64_t x) {
    const struct vkdml_integer_range range = vkdml_integer_range(context->type);
    return vkdml_integer_extend(context->type, x & (range.lowest + range.highest));
}

/* ---- arithmetic ---- */

FLOATS_AS(add, x[0] + x[1])
FLOATS_AS(subtract, x[0] - x[1])
FLOATS_AS(multiply, x[0] * x[1])
FLOATS_AS(divide, x[0] / x[1])
FLOATS_AS(mean, (x[0] + x[1]) / 2)
FLOATS_AS(difference_square, (x[0] - x[1]) * (x[0] - x[1]))
FLOATS_AS(modulus_truncate, fmodf(x[0], x[1]))

FLOATS(modulus_floor) {
    (void)context;
    const float rest = fmodf(x[0], x[1]);
    if (rest == 0) {
        return copysignf(rest, x[1]);
    }
    return (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}

INTEGERS_AS(add, x[0] + x[1])
INTEGERS_AS(subtract, x[0] - x[1])
INTEGERS_AS(multiply, x[0] * x[1])
INTEGERS_AS(difference_square, (x[0] - x[1]) * (x[0] - x[1]))

/* Toward zero; 0 where the divisor is. */
INTEGERS(divide) {
    if (x[1] == 0) {
        return 0;
    }
    const uint64_t quotient = magnitude(context, x[0]) / magnitude(context, x[1]);
    return is_negative(context, x[0]) != is_negative(context, x[1]) ? 0 - quotient : quotient;
}

INTEGERS(mean) {
    const uint64_t operands[] = {wrapped(context, x[0] + x[1]), 2};
    return integer_divide(operands, context);
}

INTEGERS(modulus_truncate) {
    return x[1] == 0 ? 0 : x[0] - integer_divide(x, context) * x[1];
}

INTEGERS(modulus_floor) {
    const uint64_t rest = integer_modulus_truncate(x, context);
    return rest != 0 && is_negative(context, rest) != is_negative(context, x[1]) ? rest + x[1] : rest;
}

/* ---- functions ---- */

#define FUNCTION(name)                                                                                                 \
    FLOATS(name) {                                                                                                     \
        const uint32_t bits = vkdml_bits_of_float(x[0]);                                                               \
        return vkdml_float_of_bits(context->is_half ? vkdml_math_half_##name(bits) : vkdml_math_##name(bits));         \
    }
FUNCTION(acos)
FUNCTION(acosh)
FUNCTION(asin)
FUNCTION(asinh)
FUNCTION(atan)
FUNCTION(atanh)
FUNCTION(cos)
FUNCTION(cosh)
FUNCTION(erf)
FUNCTION(exp)
FUNCTION(log)
FUNCTION(sin)
FUNCTION(sinh)
FUNCTION(tan)
FUNCTION(tanh)
FLOATS_AS(atan_yx, vkdml_float_of_bits(vkdml_math_atan2(vkdml_bits_of_float(x[0]), vkdml_bits_of_float(x[1]))))
FLOATS_AS(sqrt, sqrtf(x[0]))
FLOATS_AS(recip, 1 / x[0])
FLOATS_AS(ceil, ceilf(x[0]))
FLOATS_AS(floor, floorf(x[0]))

static float power(const struct vkdml_map_context *context, float base, float exponent) {
    const uint32_t a = vkdml_bits_of_float(base), b = vkdml_bits_of_float(exponent);
    return vkdml_float_of_bits(context->is_half ? vkdml_math_half_pow(a, b) : vkdml_math_pow(a, b));
}

FLOATS(pow) {
    return power(context, x[0], x[1]);
}

FLOATS(constant_pow) {
    const DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC *desc = context->desc;
    return power(context, x[0], desc->Exponent);
}

/* Integers to an integer power wrap around; of a negative one they are the reciprocal, truncated. */
static uint64_t integer_power(const struct vkdml_map_context *context, uint64_t base, int64_t exponent) {
    if (exponent < 0) {
        const uint64_t odd_sign = exponent % 2 != 0 ? base : 1;
        return magnitude(context, base) == 1 ? odd_sign : 0;
    }
    uint64_t power = 1;
    for (; exponent != 0; exponent /= 2) {
        if (exponent % 2 != 0) {
            power *= base;
        }
        base *= base;
    }
    return power;
}

INTEGERS(pow) {
    if (context->second_type != DML_TENSOR_DATA_TYPE_FLOAT32 && context->second_type != DML_TENSOR_DATA_TYPE_FLOAT16) {
        return integer_power(context, x[0], (int64_t)x[1]);
    }
    const float base = is_signed(context) ? (float)(int64_t)x[0] : (float)x[0];
    const float exponent = vkdml_element_to_float(context->second_type, x[1]);
    return vkdml_float_to_integer(
        vkdml_float_of_bits(vkdml_math_pow(vkdml_bits_of_float(base), vkdml_bits_of_float(exponent))), context->type);
}

/* rintf() rounds halves to even, in the default mode, roundf() away from zero. */
FLOATS(round) {
    const DML_ELEMENT_WISE_ROUND_OPERATOR_DESC *desc = context->desc;
    return desc->RoundingMode == DML_ROUNDING_MODE_TOWARD_ZERO       ? truncf(x[0])
           : desc->RoundingMode == DML_ROUNDING_MODE_TOWARD_INFINITY ? roundf(x[0])
                                                                     : rintf(x[0]);
}

FLOATS_AS(abs, fabsf(x[0]))
FLOATS_AS(negate, -x[0])
FLOATS_AS(sign, x[0] > 0 ? 1.0f : x[0] < 0 ? -1.0f : 0.0f)
INTEGERS_AS(abs, magnitude(context, x[0]))
INTEGERS_AS(negate, 0 - x[0])
INTEGERS_AS(sign, is_negative(context, x[0]) ? UINT64_MAX : x[0] != 0)

/* ---- order ---- */

/* -0 is below 0, and NaN wins. */
static float smaller(float a, float b) {
    return isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b;
}

static float larger(float a, float b) {
    return isnan(a) || isnan(b) ? NAN : a > b || (a == b && !signbit(a)) ? a : b;
}

FLOATS_AS(min, smaller(x[0], x[1]))
FLOATS_AS(max, larger(x[0], x[1]))
INTEGERS_AS(min, less(context, x[1], x[0]) ? x[1] : x[0])
INTEGERS_AS(max, less(context, x[0], x[1]) ? x[1] : x[0])

/* A FLOAT attribute as an element. */
static uint64_t attribute(const struct vkdml_map_context *context, const float *value) {
    return vkdml_convert_attribute(value, context->type);
}

/* A scalar of the tensors' type: its bits lie as an element's do. */
static uint64_t scalar(const struct vkdml_map_context *context, const DML_SCALAR_UNION *value) {
    const struct vkdml_integer_range range = {0, UINT64_MAX};
    const uint32_t size = vkdml_data_type_size(context->type);
    return value->UInt64 & range.highest >> (64 - 8 * size);
}

/* A bound that is NaN bounds nothing. */
static float clip_float(const struct vkdml_map_context *context, const float *x, uint64_t least, uint64_t most) {
    const float low = vkdml_element_to_float(context->type, least), high = vkdml_element_to_float(context->type, most);
    const float below = isnan(high) ? x[0] : smaller(x[0], high);
    return isnan(low) ? below : larger(low, below);
}

static uint64_t clip_integer(const struct vkdml_map_context *context, const uint64_t *x, uint64_t least,
                             uint64_t most) {
    const uint64_t low = vkdml_integer_extend(context->type, least), high = vkdml_integer_extend(context->type, most);
    const uint64_t below = less(context, high, x[0]) ? high : x[0];
    return less(context, below, low) ? low : below;
}

static float clip_grad_float(const struct vkdml_map_context *context, const float *x, uint64_t least, uint64_t most) {
    const float low = vkdml_element_to_float(context->type, least), high = vkdml_element_to_float(context->type, most);
    return x[0] <= low || x[0] >= high ? 0 : x[1];
}

static uint64_t clip_grad_integer(const struct vkdml_map_context *context, const uint64_t *x, uint64_t least,
                                  uint64_t most) {
    const uint64_t low = vkdml_integer_extend(context->type, least), high = vkdml_integer_extend(context->type, most);
    return less(context, low, x[0]) && less(context, x[0], high) ? x[1] : 0;
}

/* Of FLOAT bounds, or of bounds of the tensors' type. */
#define BOUNDED(name, NAME, function, read)                                                                            \
    FLOATS(name) {                                                                                                     \
        const DML_ELEMENT_WISE_##NAME##_OPERATOR_DESC *desc = context->desc;                                           \
        return function##_float(context, x, read(context, &desc->Min), read(context, &desc->Max));                     \
    }                                                                                                                  \
    INTEGERS(name) {                                                                                                   \
        const DML_ELEMENT_WISE_##NAME##_OPERATOR_DESC *desc = context->desc;                                           \
        return function##_integer(context, x, read(context, &desc->Min), read(context, &desc->Max));                   \
    }

BOUNDED(clip, CLIP, clip, attribute)
BOUNDED(clip1, CLIP1, clip, scalar)
BOUNDED(clip_grad, CLIP_GRAD, clip_grad, attribute)
BOUNDED(clip_grad1, CLIP_GRAD1, clip_grad, scalar)

FLOATS(threshold) {
    const DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC *desc = context->desc;
    const float least = vkdml_element_to_float(context->type, attribute(context, &desc->Min));
    return isnan(least) ? x[0] : larger(x[0], least);
}

INTEGERS(threshold) {
    const DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC *desc = context->desc;
    const uint64_t least = vkdml_integer_extend(context->type, attribute(context, &desc->Min));
    return less(context, x[0], least) ? least : x[0];
}

/* ---- truth ---- */

TRUTH_AS(equals, x[0] == x[1])
TRUTH_AS(greater_than, x[0] > x[1])
TRUTH_AS(less_than, x[0] < x[1])
TRUTH_AS(greater_than_or_equal, x[0] >= x[1])
TRUTH_AS(less_than_or_equal, x[0] <= x[1])
TRUTH_AS(is_nan, isnan(x[0]))
INTEGERS_AS(equals, x[0] == x[1])
INTEGERS_AS(greater_than, less(context, x[1], x[0]))
INTEGERS_AS(less_than, less(context, x[0], x[1]))
INTEGERS_AS(greater_than_or_equal, !less(context, x[0], x[1]))
INTEGERS_AS(less_than_or_equal, !less(context, x[1], x[0]))
INTEGERS_AS(logical_and, x[0] != 0 && x[1] != 0)
INTEGERS_AS(logical_or, x[0] != 0 || x[1] != 0)
INTEGERS_AS(logical_xor, (x[0] != 0) != (x[1] != 0))
INTEGERS_AS(logical_not, x[0] == 0)
INTEGERS_AS(if, x[0] != 0 ? x[1] : x[2])

TRUTH(is_infinity) {
    const DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC *desc = context->desc;
    return isinf(x[0]) &&
           desc->InfinityMode != (x[0] > 0 ? DML_IS_INFINITY_MODE_NEGATIVE : DML_IS_INFINITY_MODE_POSITIVE);
}

/* ---- bits ---- */

INTEGERS_AS(bit_and, x[0] & x[1])
INTEGERS_AS(bit_or, x[0] | x[1])
INTEGERS_AS(bit_xor, x[0] ^ x[1])
INTEGERS_AS(bit_not, ~x[0])

INTEGERS(bit_shift_left) {
    return x[1] < 8 * vkdml_data_type_size(context->type) ? x[0] << x[1] : 0;
}

INTEGERS(bit_shift_right) {
    return x[1] < 8 * vkdml_data_type_size(context->type) ? x[0] >> x[1] : 0;
}

INTEGERS(bit_count) {
    (void)context;
    uint64_t count = 0;
    for (uint64_t rest = x[0]; rest != 0; rest >>= 1) {
        count += rest & 1;
    }
    return count;
}

/* ---- the rows ---- */

#define OF_FLOATS(row, name)   VKDML_REFERENCE_MAP(element_wise_##row, .floats = float_##name)
#define OF_INTEGERS(row, name) VKDML_REFERENCE_MAP(element_wise_##row, .integers = integer_##name)
#define OF_BITS(row, name)     VKDML_REFERENCE_MAP(element_wise_##row, .integers = integer_##name, .bits = true)
#define OF_NUMBERS(row, name)                                                                                          \
    VKDML_REFERENCE_MAP(element_wise_##row, .floats = float_##name, .integers = integer_##name)
#define COMPARES(row, name) VKDML_REFERENCE_MAP(element_wise_##row, .truth = truth_##name, .integers = integer_##name)

OF_NUMBERS(abs, abs)
OF_FLOATS(acos, acos)
OF_FLOATS(acosh, acosh)
OF_NUMBERS(add, add)
OF_FLOATS(add1, add)
OF_FLOATS(asin, asin)
OF_FLOATS(asinh, asinh)
OF_FLOATS(atan, atan)
OF_FLOATS(atanh, atanh)
OF_FLOATS(atan_yx, atan_yx)
OF_BITS(bit_and, bit_and)
OF_BITS(bit_count, bit_count)
OF_BITS(bit_not, bit_not)
OF_BITS(bit_or, bit_or)
OF_INTEGERS(bit_shift_left, bit_shift_left)
OF_INTEGERS(bit_shift_right, bit_shift_right)
OF_BITS(bit_xor, bit_xor)
OF_FLOATS(ceil, ceil)
OF_NUMBERS(clip, clip)
OF_NUMBERS(clip1, clip1)
OF_NUMBERS(clip_grad, clip_grad)
OF_NUMBERS(clip_grad1, clip_grad1)
OF_FLOATS(constant_pow, constant_pow)
OF_FLOATS(cos, cos)
OF_FLOATS(cosh, cosh)
OF_NUMBERS(difference_square, difference_square)
OF_NUMBERS(divide, divide)
OF_FLOATS(erf, erf)
OF_FLOATS(exp, exp)
OF_FLOATS(floor, floor)
OF_BITS(if, if)
VKDML_REFERENCE_MAP(element_wise_is_infinity, .truth = truth_is_infinity)
VKDML_REFERENCE_MAP(element_wise_is_nan, .truth = truth_is_nan)
OF_FLOATS(log, log)
OF_INTEGERS(logical_and, logical_and)
COMPARES(logical_equals, equals)
COMPARES(logical_greater_than, greater_than)
COMPARES(logical_greater_than_or_equal, greater_than_or_equal)
COMPARES(logical_less_than, less_than)
COMPARES(logical_less_than_or_equal, less_than_or_equal)
OF_INTEGERS(logical_not, logical_not)
OF_INTEGERS(logical_or, logical_or)
OF_INTEGERS(logical_xor, logical_xor)
OF_NUMBERS(max, max)
OF_NUMBERS(mean, mean)
OF_NUMBERS(min, min)
OF_NUMBERS(modulus_floor, modulus_floor)
OF_NUMBERS(modulus_truncate, modulus_truncate)
OF_NUMBERS(multiply, multiply)
OF_NUMBERS(negate, negate)
OF_NUMBERS(pow, pow)
OF_FLOATS(recip, recip)
OF_FLOATS(round, round)
OF_NUMBERS(sign, sign)
OF_FLOATS(sin, sin)
OF_FLOATS(sinh, sinh)
OF_FLOATS(sqrt, sqrt)
OF_NUMBERS(subtract, subtract)
OF_FLOATS(tan, tan)
OF_FLOATS(tanh, tanh)
OF_NUMBERS(threshold, threshold)
