/* Softmax as a step of other operators. */
#ifndef VKDML_OPERATORS_SOFTMAX_H
#define VKDML_OPERATORS_SOFTMAX_H

#include "operators/operators.h"

/* Whether an operator that is fused is SOFTMAX or SOFTMAX1. */
bool vkdml_is_softmax(const struct vkdml_instance *fused);

/* Its rules about the tensor that it is fused to, of the name given. */
void vkdml_softmax_check_fused(const struct vkdml_instance *fused, const struct vkdml_tensor *tensor, const char *name,
                               struct vkdml_report *report);

/* Plans what it makes of FLOAT32 numbers, which steps before leave in the temporary resource: output 0. */
VkdmlResult vkdml_softmax_plan_fused(const struct vkdml_instance *fused, const struct vkdml_view *numbers,
                                     const struct vkdml_planning *planning);

#endif
