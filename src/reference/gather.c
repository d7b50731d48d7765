#include "reference/element.h"
#include "reference/indices.h"
#include "reference/reference.h"

/* Writes the input's element; 0 where one of its coordinates is none. */
static void write_element(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                          const struct vkdml_coordinate *to, const int64_t *from) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_coordinate place = {{0}};
    bool found = true;
    for (uint32_t d = 0; d < input->dimension_count; d++) {
        found = found && from[d] != VKDML_NO_COORDINATE;
        place.index[d] = found ? (uint32_t)from[d] : 0;
    }
    vkdml_element_write(&instance->outputs[0], memory->outputs[0], to,
                        found ? vkdml_element_read(input, memory->inputs[0], &place) : 0);
}

/* The first dimension from which on a tensor's sizes are not all 1, at most `end`. */
static uint32_t first_of_many(const struct vkdml_tensor *tensor, uint32_t end) {
    uint32_t d = 0;
    while (d < end && tensor->sizes[d] == 1) {
        d++;
    }
    return d;
}

/* Where an index is: its own coordinates, after those of the batch that the input's coordinates before Axis name. */
static struct vkdml_coordinate index_place(const struct vkdml_instance *instance, const struct vkdml_coordinate *outer,
                                           const struct vkdml_coordinate *middle) {
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *indices = &instance->inputs[1];
    const uint32_t end = indices->dimension_count - desc->IndexDimensions;
    const uint32_t first_input = first_of_many(input, desc->Axis), first_index = first_of_many(indices, end);
    struct vkdml_coordinate place = *middle;
    for (uint32_t d = first_index; d < end; d++) {
        place.index[d] = outer->index[first_input + d - first_index];
    }
    return place;
}

/* Goes through the output's elements as through all combinations of the input's coordinates before Axis, the indices'
 * last coordinates, and the input's after Axis: dimensions of size 1 that the output has or lacks change no order. */
void vkdml_reference_gather(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor before = *input, after = *input, picks = instance->inputs[1];
    for (uint32_t d = 0; d < input->dimension_count; d++) {
        before.sizes[d] = d < desc->Axis ? input->sizes[d] : 1;
        after.sizes[d] = d > desc->Axis ? input->sizes[d] : 1;
        picks.sizes[d] = d + desc->IndexDimensions < picks.dimension_count ? 1 : picks.sizes[d];
    }
    struct vkdml_coordinate outer = {{0}}, middle = {{0}}, inner = {{0}}, to = {{0}};
    do {
        do {
            const struct vkdml_coordinate at = index_place(instance, &outer, &middle);
            const int64_t named = vkdml_indices_read(instance, memory, &at, desc->Axis);
            do {
                int64_t from[VKDML_MAX_DIMENSIONS];
                for (uint32_t d = 0; d < input->dimension_count; d++) {
                    from[d] = d < desc->Axis ? outer.index[d] : d > desc->Axis ? inner.index[d] : named;
                }
                write_element(instance, memory, &to, from);
                vkdml_coordinate_next(&instance->outputs[0], &to);
            } while (vkdml_coordinate_next(&after, &inner));
        } while (vkdml_coordinate_next(&picks, &middle));
    } while (vkdml_coordinate_next(&before, &outer));
}

void vkdml_reference_gather_elements(const struct vkdml_instance *instance,
                                     const struct vkdml_reference_memory *memory) {
    const DML_GATHER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        int64_t from[VKDML_MAX_DIMENSIONS];
        for (uint32_t d = 0; d < output->dimension_count; d++) {
            from[d] = to.index[d];
        }
        from[desc->Axis] = vkdml_indices_read(instance, memory, &to, desc->Axis);
        write_element(instance, memory, &to, from);
    } while (vkdml_coordinate_next(output, &to));
}

/* Goes through the tuples, in each batch the same, and for each through the input's dimensions behind it. */
static void gather_nd(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                      uint32_t input_dimensions, uint32_t indices_dimensions, uint32_t batch_dimensions) {
    const struct vkdml_tensor *input = &instance->inputs[0], *indices = &instance->inputs[1];
    const uint32_t last = indices->dimension_count - 1, tuple = indices->sizes[last];
    const uint32_t first = input->dimension_count - input_dimensions;
    const uint32_t first_index = indices->dimension_count - indices_dimensions;
    struct vkdml_tensor tuples = *indices, block = *input;
    tuples.sizes[last] = 1;
    for (uint32_t d = 0; d < first + batch_dimensions + tuple; d++) {
        block.sizes[d] = 1;
    }
    struct vkdml_coordinate at = {{0}}, inner = {{0}}, to = {{0}};
    do {
        int64_t from[VKDML_MAX_DIMENSIONS] = {0};
        struct vkdml_coordinate index = at;
        for (uint32_t d = 0; d < batch_dimensions; d++) {
            from[first + d] = at.index[first_index + d];
        }
        for (uint32_t k = 0; k < tuple; k++) {
            const uint32_t d = first + batch_dimensions + k;
            index.index[last] = k;
            from[d] = vkdml_indices_read(instance, memory, &index, d);
        }
        do {
            for (uint32_t d = first + batch_dimensions + tuple; d < input->dimension_count; d++) {
                from[d] = inner.index[d];
            }
            write_element(instance, memory, &to, from);
            vkdml_coordinate_next(&instance->outputs[0], &to);
        } while (vkdml_coordinate_next(&block, &inner));
    } while (vkdml_coordinate_next(&tuples, &at));
}

void vkdml_reference_gather_nd(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_GATHER_ND_OPERATOR_DESC *desc = instance->desc;
    gather_nd(instance, memory, desc->InputDimensionCount, desc->IndicesDimensionCount, 0);
}

void vkdml_reference_gather_nd1(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_GATHER_ND1_OPERATOR_DESC *desc = instance->desc;
    gather_nd(instance, memory, desc->InputDimensionCount, desc->IndicesDimensionCount, desc->BatchDimensionCount);
}
