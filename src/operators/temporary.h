/* Numbers between the passes of an operator, in its plan's temporary resource. */
#ifndef VKDML_OPERATORS_TEMPORARY_H
#define VKDML_OPERATORS_TEMPORARY_H

#include "kernels/plan.h"
#include "tensor/tensor.h"

/* A packed tensor of FLOAT32, of another's sizes and in the order in which its elements lie. */
struct vkdml_tensor vkdml_temporary_numbers(const struct vkdml_tensor *tensor);

/* Makes room for a packed tensor; returns where in the resource it begins. */
uint64_t vkdml_temporary_add(struct vkdml_plan *plan, const struct vkdml_tensor *tensor);

#endif
