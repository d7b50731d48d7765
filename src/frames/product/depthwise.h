/* Plans of the depthwise kernel (glsl/product/depthwise.comp): products of a filter with what is gathered of one
 * channel alone, which a tile of sums would be much too large for. */
#ifndef VKDML_FRAMES_PRODUCT_DEPTHWISE_H
#define VKDML_FRAMES_PRODUCT_DEPTHWISE_H

#include "frames/product/product.h"

/* Whether a filter is one for this kernel: of one channel, few rows and taps that an invocation may walk. It does not
 * depend on how large b is. */
bool vkdml_depthwise_suits_filter(const struct vkdml_product *product);

/* Whether a product whose b is gathered is made so: its filter is one for this kernel, and a pixel and its taps can be
 * bound. Its a has no stride along k; tap_strides are those along each dimension of pixels. */
bool vkdml_depthwise_suits(const struct vkdml_product *product, const uint32_t *tap_strides,
                           const struct vkdml_plan_limits *limits);

/* Adds the steps: one where all tensors can be bound whole, else one for each part. */
VkdmlResult vkdml_depthwise_plan(const struct vkdml_product *product, const uint32_t *tap_strides,
                                 struct vkdml_builder *builder);

#endif
