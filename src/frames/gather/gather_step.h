/* One dispatch of a gather, by whichever kernel serves it best. */
#ifndef VKDML_FRAMES_GATHER_GATHER_STEP_H
#define VKDML_FRAMES_GATHER_GATHER_STEP_H

#include "frames/gather/gather_part.h"

VkdmlResult vkdml_gather_fill_step(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                                   const struct vkdml_gather_part *part, const struct vkdml_plan_limits *limits,
                                   struct vkdml_report *report, struct vkdml_plan_step *step);

#endif
