/* The gather kernels proper (glsl/gather/gather_main.glsl and gather_runs_main.glsl): each invocation computes elements
 * that lie side by side in the output. They serve every gather. */
#ifndef VKDML_FRAMES_GATHER_GATHER_ELEMENTS_H
#define VKDML_FRAMES_GATHER_GATHER_ELEMENTS_H

#include "frames/gather/gather_part.h"

VkdmlResult vkdml_gather_elements(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                                  const struct vkdml_gather_part *part, const struct vkdml_plan_limits *limits,
                                  struct vkdml_report *report, struct vkdml_plan_step *step);

/* Makes a step's kernel that of copies in general plans. */
void vkdml_gather_set_general_copy(uint32_t element_bytes, const struct vkdml_plan_limits *limits,
                                   struct vkdml_plan_step *step);

#endif
