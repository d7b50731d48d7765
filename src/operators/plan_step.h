/* What planners of all families need: buffers within the device's limits, workgroup sizes and grids. */
#ifndef VKDML_OPERATORS_PLAN_STEP_H
#define VKDML_OPERATORS_PLAN_STEP_H

#include "base/report.h"
#include "kernels/plan.h"
#include "schema/schema.h"

/* The bytes of a tensor that its elements lie in, rounded up to 4. */
uint64_t vkdml_tensor_span(const struct vkdml_tensor *tensor);

/* The invocations per workgroup to ask for: `wanted`, a power of two, or as many as the device allows. */
uint32_t vkdml_local_size(const struct vkdml_plan_limits *limits, uint32_t wanted);

/* Folds `group_count` workgroups into a grid. VKDML_ERROR_LIMIT_EXCEEDED where the device cannot. */
VkdmlResult vkdml_grid(uint64_t group_count, const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                       uint32_t groups[3]);

/* Adds the next storage buffer of a step. VKDML_ERROR_LIMIT_EXCEEDED, naming `what`, where it is larger than the device
 * can bind at any offset. */
VkdmlResult vkdml_step_buffer(struct vkdml_plan_step *step, enum vkdml_plan_resource resource, uint32_t index,
                              uint64_t size, const char *what, const struct vkdml_plan_limits *limits,
                              struct vkdml_report *report);

/* Adds input or output tensor `index` of the instance as the next storage buffer. */
VkdmlResult vkdml_step_input(struct vkdml_plan_step *step, const struct vkdml_instance *instance, uint32_t index,
                             const struct vkdml_plan_limits *limits, struct vkdml_report *report);
VkdmlResult vkdml_step_output(struct vkdml_plan_step *step, const struct vkdml_instance *instance, uint32_t index,
                              const struct vkdml_plan_limits *limits, struct vkdml_report *report);

#endif
