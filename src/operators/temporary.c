#include "operators/temporary.h"

#include "frames/map/map.h"
#include "plan/step.h"

/* The dimension, of those that have no stride yet, along which elements lie closest. */
static uint32_t innermost(const struct vkdml_tensor *tensor, uint32_t without) {
    uint32_t found = VKDML_MAX_DIMENSIONS;
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        if ((without >> d & 1) != 0 &&
            (found == VKDML_MAX_DIMENSIONS || tensor->strides[d] <= tensor->strides[found])) {
            found = d;
        }
    }
    return found;
}

struct vkdml_tensor vkdml_temporary_numbers(const struct vkdml_tensor *tensor) {
    struct vkdml_tensor numbers = *tensor;
    numbers.data_type = DML_TENSOR_DATA_TYPE_FLOAT32;
    numbers.element_bits = vkdml_data_type_bits(numbers.data_type);
    numbers.element_size = vkdml_data_type_size(numbers.data_type);
    uint32_t without = (1u << numbers.dimension_count) - 1;
    uint32_t stride = 1; /* at most 2^32-1 elements */
    while (without != 0) {
        const uint32_t d = innermost(tensor, without);
        numbers.strides[d] = stride;
        stride *= numbers.sizes[d];
        without &= ~(1u << d);
    }
    return numbers;
}

uint64_t vkdml_temporary_add(struct vkdml_builder *builder, const struct vkdml_tensor *tensor) {
    return vkdml_builder_region(builder, "numbers", vkdml_tensor_span(tensor), tensor->data_type).offset;
}

VkdmlResult vkdml_temporary_clear(const struct vkdml_tensor *tensor, uint64_t offset,
                                  const struct vkdml_planning *planning) {
    struct vkdml_map map;
    vkdml_map_begin(&map, tensor);
    vkdml_map_set_temporary(&map, VKDML_MAP_OUTPUT, offset);
    map.operation = VKDML_MAP_CONSTANT;
    return vkdml_map_plan(&map, planning->builder);
}
