#include "reference/element.h"
#include "reference/indices.h"
#include "reference/reference.h"

static void copy_input(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_element_write(&instance->outputs[0], memory->outputs[0], &at,
                            vkdml_element_read(&instance->inputs[0], memory->inputs[0], &at));
    } while (vkdml_coordinate_next(&instance->outputs[0], &at));
}

/* Writes an update, unless one of its coordinates is none. */
static void write_update(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                         const struct vkdml_coordinate *update, const int64_t *to) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate place = {{0}};
    for (uint32_t d = 0; d < output->dimension_count; d++) {
        if (to[d] == VKDML_NO_COORDINATE) {
            return;
        }
        place.index[d] = (uint32_t)to[d];
    }
    vkdml_element_write(output, memory->outputs[0], &place,
                        vkdml_element_read(&instance->inputs[2], memory->inputs[2], update));
}

/* One update after another: the last one stays. */
void vkdml_reference_scatter_elements(const struct vkdml_instance *instance,
                                      const struct vkdml_reference_memory *memory) {
    const DML_SCATTER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *updates = &instance->inputs[2];
    struct vkdml_coordinate at = {{0}};
    copy_input(instance, memory);
    do {
        int64_t to[VKDML_MAX_DIMENSIONS];
        for (uint32_t d = 0; d < updates->dimension_count; d++) {
            to[d] = at.index[d];
        }
        to[desc->Axis] = vkdml_indices_read(instance, memory, &at, desc->Axis);
        write_update(instance, memory, &at, to);
    } while (vkdml_coordinate_next(updates, &at));
}

void vkdml_reference_scatter_nd(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_SCATTER_ND_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *indices = &instance->inputs[1], *updates = &instance->inputs[2];
    const struct vkdml_tensor *output = &instance->outputs[0];
    const uint32_t last = indices->dimension_count - 1, tuple = indices->sizes[last];
    const uint32_t first = output->dimension_count - desc->InputDimensionCount;
    struct vkdml_tensor tuples = *indices, block = *output;
    tuples.sizes[last] = 1;
    for (uint32_t d = 0; d < first + tuple; d++) {
        block.sizes[d] = 1;
    }
    struct vkdml_coordinate at = {{0}}, inner = {{0}}, update = {{0}};
    copy_input(instance, memory);
    do {
        int64_t to[VKDML_MAX_DIMENSIONS] = {0};
        struct vkdml_coordinate index = at;
        for (uint32_t k = 0; k < tuple; k++) {
            index.index[last] = k;
            to[first + k] = vkdml_indices_read(instance, memory, &index, first + k);
        }
        do {
            for (uint32_t d = first + tuple; d < output->dimension_count; d++) {
                to[d] = inner.index[d];
            }
            write_update(instance, memory, &update, to);
            vkdml_coordinate_next(updates, &update);
        } while (vkdml_coordinate_next(&block, &inner));
    } while (vkdml_coordinate_next(&tuples, &at));
}
