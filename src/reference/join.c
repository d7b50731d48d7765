#include "reference/element.h"
#include "reference/reference.h"

void vkdml_reference_split(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_SPLIT_OPERATOR_DESC *desc = instance->desc;
    uint32_t before = 0;
    for (uint32_t t = 0; t < instance->output_count; t++) {
        const struct vkdml_tensor *output = &instance->outputs[t];
        struct vkdml_coordinate to = {{0}};
        do {
            struct vkdml_coordinate from = to;
            from.index[desc->Axis] += before;
            vkdml_element_move(&instance->inputs[0], memory->inputs[0], &from, output, memory->outputs[t], &to);
        } while (vkdml_coordinate_next(output, &to));
        before += output->sizes[desc->Axis];
    }
}

void vkdml_reference_join(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_JOIN_OPERATOR_DESC *desc = instance->desc;
    uint32_t before = 0;
    for (uint32_t t = 0; t < instance->input_count; t++) {
        const struct vkdml_tensor *input = &instance->inputs[t];
        struct vkdml_coordinate from = {{0}};
        do {
            struct vkdml_coordinate to = from;
            to.index[desc->Axis] += before;
            vkdml_element_move(input, memory->inputs[t], &from, &instance->outputs[0], memory->outputs[0], &to);
        } while (vkdml_coordinate_next(input, &from));
        before += input->sizes[desc->Axis];
    }
}
