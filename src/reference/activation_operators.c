/* The ACTIVATION_ operators that map elements. */
#include <stddef.h>

#include "reference/element.h"
#include "reference/mapping.h"
#include "reference/number.h"

/* ---- floats of those that cannot be fused ---- */

static float parameterized_relu_floats(const float *x, const struct vkdml_map_context *context) {
    (void)context;
    return x[0] >= 0 ? x[0] : x[1] * x[0];
}

static float relu_grad_floats(const float *x, const struct vkdml_map_context *context) {
    (void)context;
    return x[0] > 0 ? x[1] : 0;
}

/* ---- integers ---- */

static uint64_t relu_integers(const uint64_t *x, const struct vkdml_map_context *context) {
    (void)context;
    return (int64_t)x[0] > 0 ? x[0] : 0;
}

static uint64_t parameterized_relu_integers(const uint64_t *x, const struct vkdml_map_context *context) {
    (void)context;
    return (int64_t)x[0] >= 0 ? x[0] : x[0] * x[1];
}

static uint64_t relu_grad_integers(const uint64_t *x, const struct vkdml_map_context *context) {
    (void)context;
    return (int64_t)x[0] > 0 ? x[1] : 0;
}

/* 32 bits with a sign hold every type's elements but UINT32's, which 64 do. */
static uint64_t shrink_integers(const uint64_t *x, const struct vkdml_map_context *context) {
    const DML_ACTIVATION_SHRINK_OPERATOR_DESC *desc = context->desc;
    const float negated = -desc->Threshold;
    const uint64_t bias = vkdml_integer_extend(context->type, vkdml_convert_attribute(&desc->Bias, context->type));
    const int64_t high =
        (int64_t)vkdml_integer_extend(context->type, vkdml_convert_attribute(&desc->Threshold, context->type));
    const int64_t low = (int64_t)vkdml_integer_extend(context->type, vkdml_convert_attribute(&negated, context->type));
    const int64_t value = (int64_t)x[0];
    return value > high ? x[0] - bias : value < low ? x[0] + bias : 0;
}

/* ---- the rows ---- */

VKDML_REFERENCE_MAP(activation_parameterized_relu, .floats = parameterized_relu_floats,
                    .integers = parameterized_relu_integers)
VKDML_REFERENCE_MAP(activation_relu_grad, .floats = relu_grad_floats, .integers = relu_grad_integers)

/* Of the others the functions are those that are fused. */
#define ACTIVATION(name, of_integers)                                                                                  \
    void vkdml_reference_activation_##name(const struct vkdml_instance *instance,                                      \
                                           const struct vkdml_reference_memory *memory) {                              \
        const struct vkdml_map_reference map = {.floats = vkdml_reference_activation(instance->schema->type),          \
                                                .integers = (of_integers)};                                            \
        vkdml_reference_map(&map, instance, memory);                                                                   \
    }

ACTIVATION(celu, NULL)
ACTIVATION(elu, NULL)
ACTIVATION(gelu, NULL)
ACTIVATION(hard_sigmoid, NULL)
ACTIVATION(hard_swish, NULL)
ACTIVATION(leaky_relu, NULL)
ACTIVATION(linear, NULL)
ACTIVATION(parametric_softplus, NULL)
ACTIVATION(relu, relu_integers)
ACTIVATION(scaled_elu, NULL)
ACTIVATION(scaled_tanh, NULL)
ACTIVATION(shrink, shrink_integers)
ACTIVATION(sigmoid, NULL)
ACTIVATION(softplus, NULL)
ACTIVATION(softsign, NULL)
ACTIVATION(swish, NULL)
ACTIVATION(tanh, NULL)
ACTIVATION(thresholded_relu, NULL)

void vkdml_reference_activation_identity(const struct vkdml_instance *instance,
                                         const struct vkdml_reference_memory *memory) {
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_element_write(&instance->outputs[0], memory->outputs[0], &at,
                            vkdml_element_read(&instance->inputs[0], memory->inputs[0], &at));
    } while (vkdml_coordinate_next(&instance->outputs[0], &at));
}
