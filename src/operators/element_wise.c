/* The ELEMENT_WISE_ operators. */
#include "frames/gather/copy.h"
#include "operators/mapping.h"

/* A copy between two layouts, or with ScaleBias an arithmetic one. */
static VkdmlResult plan_identity(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *desc = instance->desc;
    if (desc->ScaleBias != NULL) {
        return vkdml_plan_mapping(op, planning);
    }
    planning->builder->plan->keeps_input = true;
    return vkdml_plan_input_copy(planning);
}

static bool moves_identity(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move) {
    return vkdml_instance_scale_bias(instance) == NULL && vkdml_moves_input(instance, index, move);
}

const struct vkdml_operator vkdml_operator_element_wise_identity = {.plan = plan_identity, .moves = moves_identity};

static void choose_rounding(const struct vkdml_instance *instance, DML_TENSOR_DATA_TYPE type,
                            struct vkdml_epilogue_step *step) {
    static const enum vkdml_map_function functions[] = {
        [DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN] = VKDML_FUNCTION_ROUND_HALVES_EVEN,
        [DML_ROUNDING_MODE_TOWARD_ZERO] = VKDML_FUNCTION_TRUNCATE,
        [DML_ROUNDING_MODE_TOWARD_INFINITY] = VKDML_FUNCTION_ROUND_HALVES_AWAY,
    };
    const DML_ELEMENT_WISE_ROUND_OPERATOR_DESC *desc = instance->desc;
    (void)type;
    step->function = functions[desc->RoundingMode];
}

/* Which infinities count: bit 0 the positive one, bit 1 the negative one. */
static void choose_infinities(const struct vkdml_instance *instance, DML_TENSOR_DATA_TYPE type,
                              struct vkdml_epilogue_step *step) {
    static const uint32_t signs[] = {
        [DML_IS_INFINITY_MODE_EITHER] = 3, [DML_IS_INFINITY_MODE_POSITIVE] = 1, [DML_IS_INFINITY_MODE_NEGATIVE] = 2};
    const DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC *desc = instance->desc;
    (void)type;
    step->arguments[0] = signs[desc->InfinityMode];
}

/* Replaces a bound that is NaN, which bounds nothing, by an infinity. */
static void ignore_nan(DML_TENSOR_DATA_TYPE type, uint32_t infinity, uint32_t *bound) {
    const uint32_t magnitude = *bound & 0x7FFFFFFFu;
    *bound = vkdml_data_type_is_float(type) && magnitude > 0x7F800000u ? infinity : *bound;
}

static void ignore_nan_min(const struct vkdml_instance *instance, DML_TENSOR_DATA_TYPE type,
                           struct vkdml_epilogue_step *step) {
    (void)instance;
    ignore_nan(type, 0xFF800000u, &step->arguments[0]);
}

static void ignore_nan_bounds(const struct vkdml_instance *instance, DML_TENSOR_DATA_TYPE type,
                              struct vkdml_epilogue_step *step) {
    ignore_nan_min(instance, type, step);
    ignore_nan(type, 0x7F800000u, &step->arguments[1]);
}

/* clang-format off */
#define PLAIN .attributes = VKDML_ATTRIBUTES_AS_FLOATS
#define ELEMENT_WISE(name, ...) const struct vkdml_operator vkdml_operator_element_wise_##name = VKDML_MAPPING(__VA_ARGS__)
#define OF_ELEMENTS .attributes = VKDML_ATTRIBUTES_AS_ELEMENTS

ELEMENT_WISE(abs, FIRST, ABS, PLAIN);
ELEMENT_WISE(acos, FIRST, ACOS, PLAIN);
ELEMENT_WISE(acosh, FIRST, ACOSH, PLAIN);
ELEMENT_WISE(add, ADD, NONE, PLAIN);
ELEMENT_WISE(add1, ADD, NONE, PLAIN);
ELEMENT_WISE(asin, FIRST, ASIN, PLAIN);
ELEMENT_WISE(asinh, FIRST, ASINH, PLAIN);
ELEMENT_WISE(atan, FIRST, ATAN, PLAIN);
ELEMENT_WISE(atanh, FIRST, ATANH, PLAIN);
ELEMENT_WISE(atan_yx, ATAN_YX, NONE, PLAIN);
ELEMENT_WISE(bit_and, BIT_AND, NONE, .moves_bits = true);
ELEMENT_WISE(bit_count, FIRST, BIT_COUNT, .moves_bits = true);
ELEMENT_WISE(bit_not, FIRST, BIT_NOT, .moves_bits = true);
ELEMENT_WISE(bit_or, BIT_OR, NONE, .moves_bits = true);
ELEMENT_WISE(bit_shift_left, BIT_SHIFT_LEFT, NONE, PLAIN);
ELEMENT_WISE(bit_shift_right, BIT_SHIFT_RIGHT, NONE, PLAIN);
ELEMENT_WISE(bit_xor, BIT_XOR, NONE, .moves_bits = true);
ELEMENT_WISE(ceil, FIRST, CEIL, PLAIN);
ELEMENT_WISE(clip, FIRST, CLIP, OF_ELEMENTS, .adjust = ignore_nan_bounds);
ELEMENT_WISE(clip1, FIRST, CLIP, OF_ELEMENTS, .adjust = ignore_nan_bounds);
ELEMENT_WISE(clip_grad, CLIP_GRAD, NONE, OF_ELEMENTS, .attributes_of_operation = true);
ELEMENT_WISE(clip_grad1, CLIP_GRAD, NONE, OF_ELEMENTS, .attributes_of_operation = true);
ELEMENT_WISE(constant_pow, FIRST, CONSTANT_POW, PLAIN);
ELEMENT_WISE(cos, FIRST, COS, PLAIN);
ELEMENT_WISE(cosh, FIRST, COSH, PLAIN);
ELEMENT_WISE(difference_square, DIFFERENCE_SQUARE, NONE, PLAIN);
ELEMENT_WISE(divide, DIVIDE, NONE, PLAIN);
ELEMENT_WISE(erf, FIRST, ERF, PLAIN);
ELEMENT_WISE(exp, FIRST, EXP, PLAIN);
ELEMENT_WISE(floor, FIRST, FLOOR, PLAIN);
ELEMENT_WISE(if, IF, NONE, .moves_bits = true, .puts_first_last = true);
ELEMENT_WISE(is_infinity, FIRST, IS_INFINITY, .adjust = choose_infinities);
ELEMENT_WISE(is_nan, FIRST, IS_NAN, PLAIN);
ELEMENT_WISE(log, FIRST, LOG, PLAIN);
ELEMENT_WISE(logical_and, LOGICAL_AND, NONE, PLAIN);
ELEMENT_WISE(logical_equals, EQUALS, NONE, PLAIN);
ELEMENT_WISE(logical_greater_than, GREATER_THAN, NONE, PLAIN);
ELEMENT_WISE(logical_greater_than_or_equal, GREATER_THAN_OR_EQUAL, NONE, PLAIN);
ELEMENT_WISE(logical_less_than, LESS_THAN, NONE, PLAIN);
ELEMENT_WISE(logical_less_than_or_equal, LESS_THAN_OR_EQUAL, NONE, PLAIN);
ELEMENT_WISE(logical_not, FIRST, LOGICAL_NOT, PLAIN);
ELEMENT_WISE(logical_or, LOGICAL_OR, NONE, PLAIN);
ELEMENT_WISE(logical_xor, LOGICAL_XOR, NONE, PLAIN);
ELEMENT_WISE(max, MAX, NONE, PLAIN);
ELEMENT_WISE(mean, MEAN, NONE, PLAIN);
ELEMENT_WISE(min, MIN, NONE, PLAIN);
ELEMENT_WISE(modulus_floor, MODULUS_FLOOR, NONE, PLAIN);
ELEMENT_WISE(modulus_truncate, MODULUS_TRUNCATE, NONE, PLAIN);
ELEMENT_WISE(multiply, MULTIPLY, NONE, PLAIN);
ELEMENT_WISE(negate, FIRST, NEGATE, PLAIN);
ELEMENT_WISE(pow, POW, NONE, PLAIN);
ELEMENT_WISE(recip, FIRST, RECIPROCAL, PLAIN);
ELEMENT_WISE(round, FIRST, NONE, .adjust = choose_rounding);
ELEMENT_WISE(sign, FIRST, SIGN, PLAIN);
ELEMENT_WISE(sin, FIRST, SIN, PLAIN);
ELEMENT_WISE(sinh, FIRST, SINH, PLAIN);
ELEMENT_WISE(sqrt, FIRST, SQRT, PLAIN);
ELEMENT_WISE(subtract, SUBTRACT, NONE, PLAIN);
ELEMENT_WISE(tan, FIRST, TAN, PLAIN);
ELEMENT_WISE(tanh, FIRST, TANH, PLAIN);
ELEMENT_WISE(threshold, FIRST, THRESHOLD, OF_ELEMENTS, .adjust = ignore_nan_min);
/* clang-format on */
