#include "reference/element.h"
#include "reference/reference.h"

/* Moves parts, which lie along an axis of the whole one behind another, into it or out of it. */
static void move_parts(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                       uint32_t axis, bool joins) {
    const struct vkdml_tensor *whole = joins ? &instance->outputs[0] : &instance->inputs[0];
    const uint32_t count = joins ? instance->input_count : instance->output_count;
    uint32_t before = 0;
    for (uint32_t t = 0; t < count; t++) {
        const struct vkdml_tensor *part = joins ? &instance->inputs[t] : &instance->outputs[t];
        struct vkdml_coordinate at = {{0}};
        do {
            struct vkdml_coordinate in_whole = at;
            in_whole.index[axis] += before;
            if (joins) {
                vkdml_element_move(part, memory->inputs[t], &at, whole, memory->outputs[0], &in_whole);
            } else {
                vkdml_element_move(whole, memory->inputs[0], &in_whole, part, memory->outputs[t], &at);
            }
        } while (vkdml_coordinate_next(part, &at));
        before += part->sizes[axis];
    }
}

void vkdml_reference_split(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    move_parts(instance, memory, ((const DML_SPLIT_OPERATOR_DESC *)instance->desc)->Axis, false);
}

void vkdml_reference_join(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    move_parts(instance, memory, ((const DML_JOIN_OPERATOR_DESC *)instance->desc)->Axis, true);
}
