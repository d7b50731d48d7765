/* Plans of the select kernels (glsl/nonzero/nonzero.glsl): which elements of a tensor are not zero, and where. */
#ifndef VKDML_FRAMES_NONZERO_NONZERO_H
#define VKDML_FRAMES_NONZERO_NONZERO_H

#include "base/report.h"
#include "plan/builder.h"
#include "tensor/tensor.h"

/* A tensor's nonzero elements. */
struct vkdml_nonzero {
    struct vkdml_view input;
    const char *input_name;        /* for reasons */
    struct vkdml_view count;       /* of a UINT32 */
    struct vkdml_view coordinates; /* {1, .., elements, columns} of UINT32 */
    bool zeroes_rest;              /* rows past the count become 0 */
};

VkdmlResult vkdml_nonzero_plan(const struct vkdml_nonzero *select, struct vkdml_builder *builder);

#endif
