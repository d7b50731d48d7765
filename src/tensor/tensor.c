#include "tensor/tensor.h"

#include <assert.h>
#include <stddef.h>

#include "base/checked.h"

struct data_type {
    const char *name;
    uint32_t bits; /* 0: no type of an element */
    bool is_float;
};

#define DATA_TYPE(NAME, bits, is_float) [DML_TENSOR_DATA_TYPE_##NAME] = {"DML_TENSOR_DATA_TYPE_" #NAME, bits, is_float}

static const struct data_type data_types[] = {
    DATA_TYPE(UNKNOWN, 0, false), DATA_TYPE(FLOAT32, 32, true), DATA_TYPE(FLOAT16, 16, true),
    DATA_TYPE(UINT32, 32, false), DATA_TYPE(UINT16, 16, false), DATA_TYPE(UINT8, 8, false),
    DATA_TYPE(INT32, 32, false),  DATA_TYPE(INT16, 16, false),  DATA_TYPE(INT8, 8, false),
    DATA_TYPE(FLOAT64, 64, true), DATA_TYPE(UINT64, 64, false), DATA_TYPE(INT64, 64, false),
    DATA_TYPE(UINT4, 4, false),   DATA_TYPE(INT4, 4, false),
};

static const struct data_type *find_data_type(DML_TENSOR_DATA_TYPE type) {
    const uint32_t index = (uint32_t)type;
    return index < sizeof data_types / sizeof data_types[0] ? &data_types[index] : NULL;
}

const char *vkdml_data_type_name(DML_TENSOR_DATA_TYPE type) {
    const struct data_type *found = find_data_type(type);
    return found != NULL ? found->name : NULL;
}

uint32_t vkdml_data_type_bits(DML_TENSOR_DATA_TYPE type) {
    const struct data_type *found = find_data_type(type);
    return found != NULL ? found->bits : 0;
}

uint32_t vkdml_data_type_size(DML_TENSOR_DATA_TYPE type) {
    return vkdml_data_type_bits(type) / 8;
}

bool vkdml_data_type_is_float(DML_TENSOR_DATA_TYPE type) {
    const struct data_type *found = find_data_type(type);
    return found != NULL && found->is_float;
}

void vkdml_tensor_set_data_type(struct vkdml_tensor *tensor, DML_TENSOR_DATA_TYPE type) {
    tensor->data_type = type;
    tensor->element_size = vkdml_data_type_size(type);
    tensor->element_bits = vkdml_data_type_bits(type);
}

bool vkdml_packed_strides(uint32_t dimension_count, const uint32_t *sizes, uint32_t *strides) {
    uint64_t stride = 1;
    for (uint32_t i = dimension_count; i-- > 0;) {
        if (stride > UINT32_MAX) {
            return false;
        }
        strides[i] = (uint32_t)stride;
        stride *= sizes[i]; /* two factors below 2^32 */
    }
    return true;
}

bool vkdml_element_count(uint32_t dimension_count, const uint32_t *sizes, uint64_t *count) {
    bool fits = true;
    *count = 1;
    for (uint32_t i = 0; i < dimension_count; i++) {
        if (sizes[i] == 0) { /* whatever came before */
            *count = 0;
            return true;
        }
        fits = fits && vkdml_checked_multiply(*count, sizes[i], count);
    }
    return fits;
}

/* The distance in elements from the first element to the last. */
static bool last_element(uint32_t dimension_count, const uint32_t *sizes, const uint32_t *strides, uint64_t *last) {
    *last = 0;
    for (uint32_t i = 0; i < dimension_count; i++) {
        assert(sizes[i] > 0);
        if (!vkdml_checked_add(*last, (uint64_t)(sizes[i] - 1) * strides[i], last)) {
            return false;
        }
    }
    return true;
}

bool vkdml_minimum_bytes(uint32_t element_bits, uint32_t dimension_count, const uint32_t *sizes,
                         const uint32_t *strides, uint64_t *bytes) {
    uint64_t elements;
    if (strides == NULL) {
        if (!vkdml_element_count(dimension_count, sizes, &elements)) {
            return false;
        }
    } else if (!last_element(dimension_count, sizes, strides, &elements) ||
               !vkdml_checked_add(elements, 1, &elements)) {
        return false;
    }
    const uint64_t shared = element_bits < 8 ? 8 / element_bits : 1; /* elements in a byte */
    const uint32_t element_bytes = element_bits < 8 ? 1 : element_bits / 8;
    return vkdml_checked_multiply(vkdml_divide_up(elements, shared), element_bytes, bytes) &&
           vkdml_checked_align(*bytes, 4, bytes);
}

uint64_t vkdml_dense_bytes(const struct vkdml_tensor *tensor) {
    uint64_t count, last;
    const bool dense = vkdml_element_count(tensor->dimension_count, tensor->sizes, &count) && count != 0 &&
                       last_element(tensor->dimension_count, tensor->sizes, tensor->strides, &last) && last + 1 == count;
    return dense && tensor->dimension_count != 0 ? count * tensor->element_bits / 8 : 0;
}

uint32_t vkdml_tensor_elements(const struct vkdml_tensor *tensor) {
    uint64_t count = 0;
    bool fits = vkdml_element_count(tensor->dimension_count, tensor->sizes, &count);
    assert(fits && count <= UINT32_MAX);
    (void)fits;
    return (uint32_t)count;
}

uint32_t vkdml_effective_rank(const struct vkdml_tensor *tensor) {
    uint32_t leading_ones = 0;
    while (leading_ones < tensor->dimension_count && tensor->sizes[leading_ones] == 1) {
        leading_ones++;
    }
    return tensor->dimension_count - leading_ones;
}

bool vkdml_same_layout(const struct vkdml_tensor *a, const struct vkdml_tensor *b) {
    if (a->data_type != b->data_type || a->dimension_count != b->dimension_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->dimension_count; i++) {
        if (a->sizes[i] != b->sizes[i] || (a->sizes[i] > 1 && a->strides[i] != b->strides[i])) {
            return false;
        }
    }
    return true;
}
