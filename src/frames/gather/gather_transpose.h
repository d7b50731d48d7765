/* Copies between layouts whose innermost dimensions differ: steps of the transpose kernel (glsl/gather/transpose.comp).
 */
#ifndef VKDML_FRAMES_GATHER_GATHER_TRANSPOSE_H
#define VKDML_FRAMES_GATHER_GATHER_TRANSPOSE_H

#include "frames/gather/gather_part.h"

/* Fills in a step for a part of a gather that copies, where tiles serve it (only_well: as well as they can, on devices
 * whose invocations share them); false, with the step as it was, where they do not. *result is that of the filling. */
bool vkdml_gather_transpose(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                            const struct vkdml_plan_limits *limits, bool only_well, struct vkdml_report *report,
                            struct vkdml_plan_step *step, VkdmlResult *result);

#endif
