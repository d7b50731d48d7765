/* Sizes as rules say them: of a tensor that is there they are checked, of one that is inferred they are found. So a
 * rule is said once. */
#ifndef VKDML_TENSOR_INFER_H
#define VKDML_TENSOR_INFER_H

#include "tensor/tensor.h"

/* Whether a size has still to be found. */
bool vkdml_size_is_unknown(const struct vkdml_tensor *tensor, uint32_t dimension);

/* Whether a size is what it must be; an unknown one becomes that. False of an unknown one that does not fit 32 bits,
 * which stays 0. */
bool vkdml_size_is(struct vkdml_tensor *tensor, uint32_t dimension, uint64_t wanted);

/* Whether two sizes are the same; an unknown one becomes the other. */
bool vkdml_sizes_are_same(struct vkdml_tensor *a, uint32_t a_dimension, struct vkdml_tensor *b, uint32_t b_dimension);

/* Whether a data type is what it must be; an unknown one becomes that. */
bool vkdml_data_type_is(struct vkdml_tensor *tensor, DML_TENSOR_DATA_TYPE wanted);

/* What an unknown size, and dimension count, becomes where rules leave a choice. */
void vkdml_choose_size(struct vkdml_tensor *tensor, uint32_t dimension, uint64_t size);
void vkdml_choose_dimension_count(struct vkdml_tensor *tensor, uint32_t count);

#endif
