/* Plans of the top-k kernels (glsl/top_k/): of rows of a tensor the first elements in an order, sorted, and their
 * places.
 */
#ifndef VKDML_FRAMES_TOP_K_TOP_K_H
#define VKDML_FRAMES_TOP_K_TOP_K_H

#include "base/report.h"
#include "plan/builder.h"
#include "tensor/tensor.h"

struct vkdml_top_k {
    struct vkdml_view input;
    struct vkdml_view values;  /* of the input's sizes, but for the axis' */
    struct vkdml_view indices; /* of 32 or 64 bits, the same sizes */
    uint32_t axis;
    bool takes_least; /* least elements come first, else greatest; NaN is the greatest */
};

VkdmlResult vkdml_top_k_plan(const struct vkdml_top_k *top_k, struct vkdml_builder *builder);

#endif
