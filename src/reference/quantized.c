#include "reference/quantized.h"

#include <math.h>

#include "reference/number.h"

uint64_t vkdml_reference_quantized(DML_TENSOR_DATA_TYPE type, float x, int64_t zero_point) {
    const struct vkdml_integer_range range = vkdml_integer_range(type);
    if (isnan(x)) {
        return (uint64_t)zero_point;
    }
    /* Beyond 2^20 any sum is beyond the range. */
    const float near = x > 0x1p20f ? 0x1p20f : x < -0x1p20f ? -0x1p20f : x;
    const int64_t sum = (int64_t)rintf(near) + zero_point;
    const int64_t lowest = -(int64_t)range.lowest, highest = (int64_t)range.highest;
    return (uint64_t)(sum < lowest ? lowest : sum > highest ? highest : sum);
}

int64_t vkdml_reference_integer(const struct vkdml_tensor *tensor, const void *memory,
                                const struct vkdml_coordinate *at) {
    return (int64_t)vkdml_integer_extend(tensor->data_type, vkdml_element_read(tensor, memory, at));
}

/* Along the one dimension that has several. */
static struct vkdml_coordinate coordinate_of(const struct vkdml_tensor *tensor, uint32_t index) {
    struct vkdml_coordinate at = {{0}};
    for (uint32_t d = 0; d < tensor->dimension_count; d++) {
        at.index[d] = tensor->sizes[d] > 1 ? index : 0;
    }
    return at;
}

int64_t vkdml_reference_zero_point(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                                   uint32_t input, uint32_t index) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    const struct vkdml_coordinate at = coordinate_of(tensor, index);
    return tensor->dimension_count == 0 ? 0 : vkdml_reference_integer(tensor, memory->inputs[input], &at);
}

float vkdml_reference_scale(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                            uint32_t input, uint32_t index) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    const struct vkdml_coordinate at = coordinate_of(tensor, index);
    return vkdml_element_to_float(tensor->data_type, vkdml_element_read(tensor, memory->inputs[input], &at));
}
