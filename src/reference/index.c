#include <assert.h>

#include "reference/element.h"
#include "reference/reference.h"

/* Not a coordinate. */
#define NONE (-1)

/* The coordinate that an index names in a dimension of `size`: a negative one counts from the end. */
static int64_t named_coordinate(const struct vkdml_tensor *indices, uint64_t bits, uint32_t size) {
    int64_t index;
    switch (indices->data_type) {
    case DML_TENSOR_DATA_TYPE_INT32:
        index = (int32_t)(uint32_t)bits;
        break;
    case DML_TENSOR_DATA_TYPE_INT64:
        index = (int64_t)bits;
        break;
    default:
        assert(indices->data_type == DML_TENSOR_DATA_TYPE_UINT32 || indices->data_type == DML_TENSOR_DATA_TYPE_UINT64);
        return bits < size ? (int64_t)bits : NONE;
    }
    if (index < 0) {
        index += size;
    }
    return index >= 0 && index < size ? index : NONE;
}

/* The coordinate that the index at `at` names in dimension `d` of the input. */
static int64_t read_index(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                          const struct vkdml_coordinate *at, uint32_t d) {
    const struct vkdml_tensor *indices = &instance->inputs[1];
    return named_coordinate(indices, vkdml_element_read(indices, memory->inputs[1], at), instance->inputs[0].sizes[d]);
}

/* Writes the input's element; 0 where one of its coordinates is none. */
static void write_element(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                          const struct vkdml_coordinate *to, const int64_t *from) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_coordinate place = {{0}};
    bool found = true;
    for (uint32_t d = 0; d < input->dimension_count; d++) {
        found = found && from[d] != NONE;
        place.index[d] = found ? (uint32_t)from[d] : 0;
    }
    vkdml_element_write(&instance->outputs[0], memory->outputs[0], to,
                        found ? vkdml_element_read(input, memory->inputs[0], &place) : 0);
}

/* Goes through the output's elements as through all combinations of the input's coordinates before Axis, the indices'
 * coordinates, and the input's after Axis: dimensions of size 1 that the output has or lacks change no order. */
void vkdml_reference_gather(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *indices = &instance->inputs[1];
    struct vkdml_tensor before = *input, after = *input;
    for (uint32_t d = 0; d < input->dimension_count; d++) {
        before.sizes[d] = d < desc->Axis ? input->sizes[d] : 1;
        after.sizes[d] = d > desc->Axis ? input->sizes[d] : 1;
    }
    struct vkdml_coordinate outer = {{0}}, middle = {{0}}, inner = {{0}}, to = {{0}};
    do {
        do {
            const int64_t named = read_index(instance, memory, &middle, desc->Axis);
            do {
                int64_t from[VKDML_MAX_DIMENSIONS];
                for (uint32_t d = 0; d < input->dimension_count; d++) {
                    from[d] = d < desc->Axis ? outer.index[d] : d > desc->Axis ? inner.index[d] : named;
                }
                write_element(instance, memory, &to, from);
                vkdml_coordinate_next(&instance->outputs[0], &to);
            } while (vkdml_coordinate_next(&after, &inner));
        } while (vkdml_coordinate_next(indices, &middle));
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
        from[desc->Axis] = read_index(instance, memory, &to, desc->Axis);
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
            from[d] = read_index(instance, memory, &index, d);
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

/* The coordinate of what a tensor has one of for each sequence along `axis`. */
static struct vkdml_coordinate sequence_of(const struct vkdml_coordinate *coordinate, uint32_t axis) {
    struct vkdml_coordinate at = *coordinate;
    at.index[axis] = 0;
    return at;
}

void vkdml_reference_reverse_subsequences(const struct vkdml_instance *instance,
                                          const struct vkdml_reference_memory *memory) {
    const DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    struct vkdml_coordinate to = {{0}};
    do {
        const struct vkdml_coordinate at = sequence_of(&to, desc->Axis);
        const uint64_t length = vkdml_element_read(&instance->inputs[1], memory->inputs[1], &at);
        const uint32_t size = output->sizes[desc->Axis], count = length < size ? (uint32_t)length : size;
        struct vkdml_coordinate from = to;
        if (to.index[desc->Axis] < count) {
            from.index[desc->Axis] = count - 1 - to.index[desc->Axis];
        }
        vkdml_element_write(output, memory->outputs[0], &to, vkdml_element_read(input, memory->inputs[0], &from));
    } while (vkdml_coordinate_next(output, &to));
}

void vkdml_reference_one_hot(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ONE_HOT_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *indices = &instance->inputs[0], *values = &instance->inputs[1];
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate value = {{0}}, to = {{0}};
    const uint64_t off = vkdml_element_read(values, memory->inputs[1], &value);
    vkdml_coordinate_next(values, &value); /* along the innermost dimension that has a second element */
    const uint64_t on = vkdml_element_read(values, memory->inputs[1], &value);
    do {
        const struct vkdml_coordinate at = sequence_of(&to, desc->Axis);
        const uint64_t bits = vkdml_element_read(indices, memory->inputs[0], &at);
        const int64_t hot = named_coordinate(indices, bits, output->sizes[desc->Axis]);
        vkdml_element_write(output, memory->outputs[0], &to, hot == to.index[desc->Axis] ? on : off);
    } while (vkdml_coordinate_next(output, &to));
}

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
        if (to[d] == NONE) {
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
        to[desc->Axis] = read_index(instance, memory, &at, desc->Axis);
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
            to[first + k] = read_index(instance, memory, &index, first + k);
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
