/* The plan of the kernel that finds how far a step of Adam goes (glsl/adam/adam_step.comp), whose number only the
 * device knows. */
#ifndef VKDML_FRAMES_ADAM_ADAM_STEP_H
#define VKDML_FRAMES_ADAM_ADAM_STEP_H

#include "plan/builder.h"

struct vkdml_adam_step {
    struct vkdml_view step; /* one UINT32, T */
    float rate;             /* comes times sqrt(1 - beta2^T) / (1 - beta1^T), or where T is 0 as it is */
    float beta1;            /* from 0 to 1 */
    float beta2;
    struct vkdml_origin result; /* one FLOAT32 */
};

VkdmlResult vkdml_adam_step_plan(const struct vkdml_adam_step *adam, struct vkdml_builder *builder);

#endif
