/* What operators share that move elements and change none: each is a copy between two tensors whose dimensions are
 * walked in some other way. */
#ifndef VKDML_OPERATORS_COPYING_H
#define VKDML_OPERATORS_COPYING_H

#include "frames/gather/copy.h"
#include "operators/operators.h"

/* Begins a copy of an input to an output, without dimensions. */
struct vkdml_gather vkdml_copying_begin(const struct vkdml_instance *instance, uint32_t input, uint32_t output);

/* Adds the copy; `fits`: what vkdml_copy_add() said. */
VkdmlResult vkdml_copying_plan(struct vkdml_gather *gather, bool fits, const struct vkdml_planning *planning);

/* A count of a descriptor's arrays must be a tensor's dimensions. */
bool vkdml_copying_check_count(const char *field, uint32_t count, const struct vkdml_tensor *tensor, const char *name,
                               struct vkdml_report *report);

#endif
