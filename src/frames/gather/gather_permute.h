/* Copies between layouts whose innermost dimensions are small: steps of the permutation kernel
 * (glsl/gather/permute.comp). */
#ifndef VKDML_FRAMES_GATHER_GATHER_PERMUTE_H
#define VKDML_FRAMES_GATHER_GATHER_PERMUTE_H

#include "frames/gather/gather_part.h"

/* Fills in a step for a part of a gather that copies, where blocks have longer runs than `least_run` bytes in both
 * tensors; false, with the step as it was, where they have not. *result is that of the filling. */
bool vkdml_gather_permute(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                          const struct vkdml_plan_limits *limits, uint32_t least_run, struct vkdml_report *report,
                          struct vkdml_plan_step *step, VkdmlResult *result);

#endif
