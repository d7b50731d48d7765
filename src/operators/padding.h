/* Padding as a step of other operators. */
#ifndef VKDML_OPERATORS_PADDING_H
#define VKDML_OPERATORS_PADDING_H

#include "operators/operators.h"

/* Puts input 0 into a tensor of output 0 or of the temporary resource that is larger by `start` elements before it in
 * each dimension, and by any behind it; what is around is 0. `offset`: where the tensor begins in the resource. */
VkdmlResult vkdml_padding_plan_zeros(const struct vkdml_planning *planning, const uint32_t *start,
                                     const struct vkdml_tensor *padded, enum vkdml_plan_resource resource,
                                     uint64_t offset);

#endif
