/* Quantized numbers, and the scales and zero points that lie along one dimension. */
#ifndef VKDML_REFERENCE_QUANTIZED_H
#define VKDML_REFERENCE_QUANTIZED_H

#include "reference/element.h"
#include "reference/reference.h"

/* clamp(round(x) + zero_point) to the type's range, as if the sum were exact; NaN is the zero point. */
uint64_t vkdml_reference_quantized(DML_TENSOR_DATA_TYPE type, float x, int64_t zero_point);

/* An integer of a tensor. */
int64_t vkdml_reference_integer(const struct vkdml_tensor *tensor, const void *memory,
                                const struct vkdml_coordinate *at);

/* Number `index` of those of an input that has one, or several along one dimension; 0 where the input is absent. */
int64_t vkdml_reference_zero_point(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                                   uint32_t input, uint32_t index);
float vkdml_reference_scale(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                            uint32_t input, uint32_t index);

#endif
