/* FILL_VALUE_CONSTANT and FILL_VALUE_SEQUENCE */
#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

/* A scalar of a tensor's type lies as an element of it does. */
static uint64_t scalar(const struct vkdml_tensor *tensor, const DML_SCALAR_UNION *value) {
    const struct vkdml_coordinate first = {{0}};
    return vkdml_element_read(tensor, value, &first);
}

void vkdml_reference_fill_value_constant(const struct vkdml_instance *instance,
                                         const struct vkdml_reference_memory *memory) {
    const DML_FILL_VALUE_CONSTANT_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *output = &instance->outputs[0];
    const uint64_t value = scalar(output, &desc->Value);
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_element_write(output, memory->outputs[0], &at, value);
    } while (vkdml_coordinate_next(output, &at));
}

void vkdml_reference_fill_value_sequence(const struct vkdml_instance *instance,
                                         const struct vkdml_reference_memory *memory) {
    const DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *output = &instance->outputs[0];
    const DML_TENSOR_DATA_TYPE type = output->data_type;
    const uint64_t start = scalar(output, &desc->ValueStart), delta = scalar(output, &desc->ValueDelta);
    uint32_t index = 0;
    struct vkdml_coordinate at = {{0}};
    do {
        uint64_t bits = start + index * delta;
        if (vkdml_data_type_is_float(type)) {
            const float product = (float)index * vkdml_element_to_float(type, delta);
            bits = vkdml_float_to_element(type, vkdml_element_to_float(type, start) + product);
        }
        vkdml_element_write(output, memory->outputs[0], &at, bits);
        index++;
    } while (vkdml_coordinate_next(output, &at));
}
