/* BATCH_NORMALIZATION */
#include <math.h>

#include "reference/element.h"
#include "reference/mapping.h"
#include "reference/number.h"

enum { INPUT, MEAN, VARIANCE, SCALE, BIAS };

/* An element at a coordinate, or where a tensor has one for several, that one. */
static float element(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory, uint32_t input,
                     const struct vkdml_coordinate *at) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    struct vkdml_coordinate own = {{0}};
    for (uint32_t d = 0; d < tensor->dimension_count; d++) {
        own.index[d] = tensor->sizes[d] == 1 ? 0 : at->index[d];
    }
    return vkdml_element_to_float(tensor->data_type, vkdml_element_read(tensor, memory->inputs[input], &own));
}

void vkdml_reference_batch_normalization(const struct vkdml_instance *instance,
                                         const struct vkdml_reference_memory *memory) {
    const DML_BATCH_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        /* A statement, a rounding. */
        const float difference = element(instance, memory, INPUT, &at) - element(instance, memory, MEAN, &at);
        const float variance = element(instance, memory, VARIANCE, &at) + desc->Epsilon;
        const float deviation = sqrtf(variance);
        const float quotient = difference / deviation;
        const float product = element(instance, memory, SCALE, &at) * quotient;
        float y = product + element(instance, memory, BIAS, &at);
        if (instance->activation_count != 0) {
            const struct vkdml_instance *activation = &instance->activations[0];
            const struct vkdml_map_context context = {.desc = activation->desc,
                                                      .type = output->data_type,
                                                      .is_half = output->data_type == DML_TENSOR_DATA_TYPE_FLOAT16};
            y = vkdml_reference_activation(activation->schema->type)(&y, &context);
        }
        vkdml_element_write(output, memory->outputs[0], &at, vkdml_float_to_element(output->data_type, y));
    } while (vkdml_coordinate_next(output, &at));
}
