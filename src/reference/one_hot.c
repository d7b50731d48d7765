#include "reference/element.h"
#include "reference/indices.h"
#include "reference/reference.h"

void vkdml_reference_one_hot(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ONE_HOT_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *indices = &instance->inputs[0], *values = &instance->inputs[1];
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate value = {{0}}, to = {{0}};
    const uint64_t off = vkdml_element_read(values, memory->inputs[1], &value);
    vkdml_coordinate_next(values, &value); /* along the innermost dimension that has a second element */
    const uint64_t on = vkdml_element_read(values, memory->inputs[1], &value);
    do {
        const struct vkdml_coordinate at = vkdml_indices_sequence(&to, desc->Axis);
        const uint64_t bits = vkdml_element_read(indices, memory->inputs[0], &at);
        const int64_t hot = vkdml_indices_named(indices, bits, output->sizes[desc->Axis]);
        vkdml_element_write(output, memory->outputs[0], &to, hot == to.index[desc->Axis] ? on : off);
    } while (vkdml_coordinate_next(output, &to));
}
