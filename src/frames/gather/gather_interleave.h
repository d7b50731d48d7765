/* Copies that interleave the elements of a few planes, or separate them: steps of glsl/gather/interleave.comp. */
#ifndef VKDML_FRAMES_GATHER_GATHER_INTERLEAVE_H
#define VKDML_FRAMES_GATHER_GATHER_INTERLEAVE_H

#include "frames/gather/gather_part.h"

/* Fills in a step for a part of a gather that copies; false, with the step as it was, where it is none of these copies
 * or not all of it begins and ends at multiples of 16 bytes. *result is that of the filling. */
bool vkdml_gather_interleave(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                             const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                             struct vkdml_plan_step *step, VkdmlResult *result);

#endif
