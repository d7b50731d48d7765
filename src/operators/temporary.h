/* Numbers between the passes of an operator, in its plan's temporary resource. */
#ifndef VKDML_OPERATORS_TEMPORARY_H
#define VKDML_OPERATORS_TEMPORARY_H

#include "operators/operators.h"

/* A packed tensor of FLOAT32, of another's sizes and in the order in which its elements lie. */
struct vkdml_tensor vkdml_temporary_numbers(const struct vkdml_tensor *tensor);

/* Makes room for a packed tensor; returns where in the resource it begins. */
uint64_t vkdml_temporary_add(struct vkdml_builder *builder, const struct vkdml_tensor *tensor);

/* Fills it with zeros. */
VkdmlResult vkdml_temporary_clear(const struct vkdml_tensor *tensor, uint64_t offset,
                                  const struct vkdml_planning *planning);

#endif
