/* The plan of a gradient that is made at once of what is around an element across channels
 * (glsl/neighbours/response_gradient.comp). */
#ifndef VKDML_FRAMES_NEIGHBOURS_RESPONSE_GRADIENT_H
#define VKDML_FRAMES_NEIGHBOURS_RESPONSE_GRADIENT_H

#include "kernels/blocks.h"
#include "plan/builder.h"

/* With D = bias + scale * (the sum of squares of the box around x): gradient / D^power - factor * x * (the sum of
 * gradient * x / D^(power + 1) over all elements whose boxes x is in). A box has (size - 1) / 2 channels before an
 * element and size / 2 behind it. */
struct vkdml_response_gradient {
    struct vkdml_view input; /* {batch, channels, height, width} all, FLOAT32 or FLOAT16 */
    struct vkdml_view gradient;
    struct vkdml_view output; /* FLOAT32 */
    uint32_t size;
    float scale, bias, power, factor;
};

/* Whether it can be: of a small box, and tensors that can be bound whole. */
bool vkdml_response_gradient_suits(const struct vkdml_response_gradient *response,
                                   const struct vkdml_plan_limits *limits);

VkdmlResult vkdml_response_gradient_plan(const struct vkdml_response_gradient *response, struct vkdml_builder *builder);

#endif
