/* Plans of integer_depthwise.comp: convolutions of bytes by groups of few channels, which tiles of sums would be much
 * too large for. Nothing is packed. */
#ifndef VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_DEPTHWISE_H
#define VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_DEPTHWISE_H

#include "frames/integer_product/integer_product.h"

/* A dimension of pixels: coordinate c of the output takes tap t at c * step + t * tap_step - start of the input. */
struct vkdml_integer_axis {
    uint32_t source_size, source_stride;
    uint32_t taps, filter_stride;
    uint32_t size, out_stride;
    uint32_t step, tap_step, start;
};

/* Origins and strides of a convolution's tensors: a is the filter, b the input. */
struct vkdml_integer_depthwise {
    uint32_t pictures, groups;
    uint32_t made, channels; /* of a group: of the output, and of the input */
    struct vkdml_origin a, b, out;
    uint32_t a_strides[2]; /* between channels that are made, and channels of the input */
    uint32_t b_strides[2]; /* between pictures, and channels */
    uint32_t out_strides[2];
    struct vkdml_integer_axis columns, rows;
    bool is_scaled;
    struct vkdml_integer_term terms[VKDML_INTEGER_TERM_TERM_COUNT];
};

/* Whether a filter is one for this kernel: of few channels, and of taps that registers have room for, if columns of the
 * output are `step` apart in the input. It does not depend on how large the input is. */
bool vkdml_integer_depthwise_suits_filter(const struct vkdml_integer_depthwise *depthwise, uint32_t step);

/* Whether an input can be bound too, of a filter that is one for this kernel. */
bool vkdml_integer_depthwise_suits(const struct vkdml_integer_depthwise *depthwise,
                                   const struct vkdml_plan_limits *limits);

/* Adds the steps: one where all tensors can be bound whole, else one for each part. */
VkdmlResult vkdml_integer_depthwise_plan(const struct vkdml_integer_depthwise *depthwise,
                                         struct vkdml_builder *builder);

#endif
