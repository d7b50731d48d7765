#include "reference/indices.h"

#include <assert.h>

int64_t vkdml_indices_named(const struct vkdml_tensor *indices, uint64_t bits, uint32_t size) {
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
        return bits < size ? (int64_t)bits : VKDML_NO_COORDINATE;
    }
    if (index < 0) {
        index += size;
    }
    return index >= 0 && index < size ? index : VKDML_NO_COORDINATE;
}

int64_t vkdml_indices_read(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                           const struct vkdml_coordinate *at, uint32_t d) {
    const struct vkdml_tensor *indices = &instance->inputs[1];
    return vkdml_indices_named(indices, vkdml_element_read(indices, memory->inputs[1], at),
                               instance->inputs[0].sizes[d]);
}

struct vkdml_coordinate vkdml_indices_sequence(const struct vkdml_coordinate *coordinate, uint32_t axis) {
    struct vkdml_coordinate at = *coordinate;
    at.index[axis] = 0;
    return at;
}
