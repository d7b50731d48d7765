/* Tensors that are one value. */
#ifndef VKDML_OPERATORS_FILL_VALUE_H
#define VKDML_OPERATORS_FILL_VALUE_H

#include "operators/operators.h"

/* Makes every element of a tensor a value of its type, low word first. */
VkdmlResult vkdml_fill_plan(const struct vkdml_view *output, const uint32_t bits[2], struct vkdml_builder *builder);

/* Makes them 0 by kernels, whatever the device prefers: what is read at once. */
VkdmlResult vkdml_clear_plan(const struct vkdml_view *output, struct vkdml_builder *builder);

#endif
