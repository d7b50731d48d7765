/* The ACTIVATION_ operators that map elements. */
#include <string.h>

#include "frames/gather/copy.h"
#include "operators/mapping.h"

static VkdmlResult plan_identity(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    planning->builder->plan->keeps_input = true;
    return vkdml_plan_input_copy(planning);
}

/* Fused, it is no function. */
const struct vkdml_operator vkdml_operator_activation_identity = {.plan = plan_identity, .moves = vkdml_moves_input};

/* Recurrent networks are given 0, which stands for 1 there. */
static bool is_of_a_network(const struct vkdml_instance *instance) {
    static const char role[] = "ActivationDescs";
    return instance->role != NULL && strncmp(instance->role, role, sizeof(role) - 1) == 0;
}

/* Below feature level 6_4 the steepness is at least 1. */
static void check_steepness(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC *desc = instance->desc;
    if (desc->Steepness == 0 && is_of_a_network(instance)) {
        return;
    }
    if (instance->level < DML_FEATURE_LEVEL_6_4 && !(desc->Steepness >= 1)) {
        vkdml_report_invalid(report,
                             "Steepness is %g, must be at least 1 below DML_FEATURE_LEVEL_6_4; the feature level is %s",
                             (double)desc->Steepness, vkdml_level_name(instance->level));
    }
}

/* Integers are compared with Threshold and -Threshold, and Bias is subtracted, as elements of their type; floats of
 * both widths with the FLOAT32 numbers. */
static void set_shrink_arguments(const struct vkdml_instance *instance, DML_TENSOR_DATA_TYPE elements,
                                 struct vkdml_epilogue_step *step) {
    const DML_ACTIVATION_SHRINK_OPERATOR_DESC *desc = instance->desc;
    const DML_TENSOR_DATA_TYPE type =
        elements == DML_TENSOR_DATA_TYPE_FLOAT16 ? DML_TENSOR_DATA_TYPE_FLOAT32 : elements;
    vkdml_mapping_float_argument(desc->Bias, type, &step->arguments[0]);
    vkdml_mapping_float_argument(desc->Threshold, type, &step->arguments[1]);
    vkdml_mapping_float_argument(-desc->Threshold, type, &step->arguments[2]);
}

/* Divisors that are powers of two, as 1 is, are multiplied by: the second argument is the inverse of the first, where
 * that is a number of FLOAT32's, and normal. */
static void set_inverse(const struct vkdml_instance *instance, DML_TENSOR_DATA_TYPE type,
                        struct vkdml_epilogue_step *step) {
    const uint32_t bits = step->arguments[0];
    const uint32_t exponent = bits >> 23 & 0xFF;
    (void)instance;
    (void)type;
    if ((bits & 0x7FFFFF) == 0 && exponent > 0 && exponent < 254) {
        step->arguments[1] = (bits & 0x80000000) | (254 - exponent) << 23;
    }
}

/* clang-format off */
#define PLAIN .attributes = VKDML_ATTRIBUTES_AS_FLOATS
#define ACTIVATION(name, ...) const struct vkdml_operator vkdml_operator_activation_##name = VKDML_MAPPING(__VA_ARGS__)

ACTIVATION(celu, FIRST, CELU, PLAIN, .adjust = set_inverse);
ACTIVATION(elu, FIRST, ELU, PLAIN);
ACTIVATION(gelu, FIRST, GELU, PLAIN);
ACTIVATION(hard_sigmoid, FIRST, HARD_SIGMOID, PLAIN);
ACTIVATION(hard_swish, FIRST, HARD_SWISH, PLAIN);
ACTIVATION(leaky_relu, FIRST, LEAKY_RELU, PLAIN);
ACTIVATION(linear, FIRST, LINEAR, PLAIN);
ACTIVATION(parameterized_relu, PARAMETERIZED_RELU, NONE, PLAIN);
ACTIVATION(parametric_softplus, FIRST, PARAMETRIC_SOFTPLUS, PLAIN);
ACTIVATION(relu, FIRST, RELU, PLAIN);
ACTIVATION(relu_grad, RELU_GRAD, NONE, PLAIN);
ACTIVATION(scaled_elu, FIRST, SCALED_ELU, PLAIN);
ACTIVATION(scaled_tanh, FIRST, SCALED_TANH, PLAIN);
ACTIVATION(shrink, FIRST, SHRINK, .adjust = set_shrink_arguments);
ACTIVATION(sigmoid, FIRST, SIGMOID, PLAIN);
ACTIVATION(softsign, FIRST, SOFTSIGN, PLAIN);
ACTIVATION(swish, FIRST, SWISH, PLAIN);
ACTIVATION(tanh, FIRST, TANH, PLAIN);
ACTIVATION(thresholded_relu, FIRST, THRESHOLDED_RELU, PLAIN);
/* clang-format on */

const struct vkdml_operator vkdml_operator_activation_softplus = {
    .rules = check_steepness,
    .plan = vkdml_plan_mapping,
    .mapping = {.operation = VKDML_MAP_FIRST, .function = VKDML_FUNCTION_SOFTPLUS, .adjust = set_inverse},
};
