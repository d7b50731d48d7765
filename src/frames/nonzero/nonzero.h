/* Plans of the select kernels (glsl/nonzero/nonzero.glsl): which elements of a tensor are not zero, and where. */
#ifndef VKDML_FRAMES_NONZERO_NONZERO_H
#define VKDML_FRAMES_NONZERO_NONZERO_H

#include "base/report.h"
#include "plan/builder.h"
#include "tensor/tensor.h"

/* Input 0's nonzero elements: their count goes to output 0, a UINT32, their coordinates to output 1. */
struct vkdml_nonzero {
    const struct vkdml_tensor *input;
    const char *input_name;                 /* for reasons */
    const struct vkdml_tensor *coordinates; /* {1, .., elements, columns} of UINT32 */
    bool zeroes_rest;                       /* rows past the count become 0 */
};

VkdmlResult vkdml_nonzero_plan(const struct vkdml_nonzero *select, struct vkdml_builder *builder);

#endif
