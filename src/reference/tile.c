#include "reference/element.h"
#include "reference/reference.h"

void vkdml_reference_tile(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        struct vkdml_coordinate from = {{0}};
        for (uint32_t i = 0; i < output->dimension_count; i++) {
            from.index[i] = to.index[i] % input->sizes[i];
        }
        vkdml_element_move(input, memory->inputs[0], &from, output, memory->outputs[0], &to);
    } while (vkdml_coordinate_next(output, &to));
}
