#include "reference/element.h"
#include "reference/indices.h"
#include "reference/reference.h"

void vkdml_reference_reverse_subsequences(const struct vkdml_instance *instance,
                                          const struct vkdml_reference_memory *memory) {
    const DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        const struct vkdml_coordinate at = vkdml_indices_sequence(&to, desc->Axis);
        const uint64_t length = vkdml_element_read(&instance->inputs[1], memory->inputs[1], &at);
        const uint32_t size = output->sizes[desc->Axis], count = length < size ? (uint32_t)length : size;
        struct vkdml_coordinate from = to;
        if (to.index[desc->Axis] < count) {
            from.index[desc->Axis] = count - 1 - to.index[desc->Axis];
        }
        vkdml_element_write(output, memory->outputs[0], &to, vkdml_element_read(input, memory->inputs[0], &from));
    } while (vkdml_coordinate_next(output, &to));
}
