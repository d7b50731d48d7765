/* A tensor as sizes, strides and type, copied out of the caller's descriptor. */
#ifndef VKDML_TENSOR_TENSOR_H
#define VKDML_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "vkdml/dml_types.h"

#define VKDML_MAX_DIMENSIONS DML_TENSOR_DIMENSION_COUNT_MAX1

struct vkdml_tensor {
    uint32_t dimension_count; /* 0: the tensor is absent (optional and NULL) */
    DML_TENSOR_DATA_TYPE data_type;
    DML_TENSOR_FLAGS flags;
    uint32_t element_size; /* bytes; 0 where two elements share one: those of 4 bits */
    uint32_t element_bits;
    uint32_t sizes[VKDML_MAX_DIMENSIONS];
    uint32_t strides[VKDML_MAX_DIMENSIONS]; /* in elements; packed ones filled in where the descriptor had none */
    bool has_strides;                       /* the descriptor gave strides */
    uint64_t total_bytes;                   /* TotalTensorSizeInBytes */
    uint32_t base_alignment;                /* GuaranteedBaseOffsetAlignment */
    /* An output of which is found what is not known: a dimension count of 0, sizes of 0, the type UNKNOWN. */
    bool is_inferred;
    uint32_t empty_dimensions; /* of that one, a bit each: those whose size comes to 0 */
};

/* "DML_TENSOR_DATA_TYPE_FLOAT32" or NULL */
const char *vkdml_data_type_name(DML_TENSOR_DATA_TYPE type);

/* Bits per element; 0 for UNKNOWN and unknown values. */
uint32_t vkdml_data_type_bits(DML_TENSOR_DATA_TYPE type);

/* Bytes per element; 0 for UNKNOWN, sub-byte and unknown values. */
uint32_t vkdml_data_type_size(DML_TENSOR_DATA_TYPE type);

bool vkdml_data_type_is_float(DML_TENSOR_DATA_TYPE type);

/* The type, and what follows from it. */
void vkdml_tensor_set_data_type(struct vkdml_tensor *tensor, DML_TENSOR_DATA_TYPE type);

/* Writes row-major strides. False where one does not fit 32 bits (the sizes' product is then above 2^32-1). */
bool vkdml_packed_strides(uint32_t dimension_count, const uint32_t *sizes, uint32_t *strides);

/* Product of the sizes; false where it does not fit 64 bits. */
bool vkdml_element_count(uint32_t dimension_count, const uint32_t *sizes, uint64_t *count);

/* DML's minimum size in bytes: that of dot(sizes - 1, strides) + 1 elements, rounded up to 4; false on overflow of 64
 * bits. Sizes must not be 0. strides NULL: packed. */
bool vkdml_minimum_bytes(uint32_t element_bits, uint32_t dimension_count, const uint32_t *sizes,
                         const uint32_t *strides, uint64_t *bytes);

/* How many bytes the elements of a valid output, of which no two share a place, fill without a gap from the first one
 * on: those of all elements where strides leave none out, as in a packed tensor or one of permuted dimensions; else 0. */
uint64_t vkdml_dense_bytes(const struct vkdml_tensor *tensor);

/* Elements of a valid tensor: at most 2^32-1. */
uint32_t vkdml_tensor_elements(const struct vkdml_tensor *tensor);

/* The dimension count without leading dimensions of size 1; 0 where all are 1. */
uint32_t vkdml_effective_rank(const struct vkdml_tensor *tensor);

enum vkdml_overlap {
    VKDML_OVERLAP_NONE,     /* no two coordinates share an element */
    VKDML_OVERLAP_FOUND,    /* two do */
    VKDML_OVERLAP_UNDECIDED /* strides so entangled that the bounded search gave up */
};

/* Whether two coordinates of a tensor fall on one element. Exact but for UNDECIDED; bounded time. */
enum vkdml_overlap vkdml_self_overlap(uint32_t dimension_count, const uint32_t *sizes, const uint32_t *strides);

/* Same type, sizes and element positions: dimensions of size 1 may differ in stride. */
bool vkdml_same_layout(const struct vkdml_tensor *a, const struct vkdml_tensor *b);

#endif
