#include "tensor/infer.h"

bool vkdml_size_is_unknown(const struct vkdml_tensor *tensor, uint32_t dimension) {
    return tensor->is_inferred && tensor->sizes[dimension] == 0;
}

bool vkdml_size_is(struct vkdml_tensor *tensor, uint32_t dimension, uint64_t wanted) {
    if (!vkdml_size_is_unknown(tensor, dimension)) {
        return tensor->sizes[dimension] == wanted;
    }
    if (wanted > UINT32_MAX) {
        return false;
    }
    tensor->sizes[dimension] = (uint32_t)wanted;
    if (wanted == 0) {
        tensor->empty_dimensions |= 1u << dimension;
    }
    return true;
}

bool vkdml_sizes_are_same(struct vkdml_tensor *a, uint32_t a_dimension, struct vkdml_tensor *b, uint32_t b_dimension) {
    return vkdml_size_is_unknown(a, a_dimension) ? vkdml_size_is(a, a_dimension, b->sizes[b_dimension])
                                                 : vkdml_size_is(b, b_dimension, a->sizes[a_dimension]);
}

bool vkdml_data_type_is(struct vkdml_tensor *tensor, DML_TENSOR_DATA_TYPE wanted) {
    if (tensor->is_inferred && tensor->data_type == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        vkdml_tensor_set_data_type(tensor, wanted);
    }
    return tensor->data_type == wanted;
}

void vkdml_choose_size(struct vkdml_tensor *tensor, uint32_t dimension, uint64_t size) {
    if (vkdml_size_is_unknown(tensor, dimension) && size <= UINT32_MAX) {
        tensor->sizes[dimension] = (uint32_t)size;
    }
}

void vkdml_choose_dimension_count(struct vkdml_tensor *tensor, uint32_t count) {
    if (tensor->is_inferred && tensor->dimension_count == 0) {
        tensor->dimension_count = count;
    }
}
