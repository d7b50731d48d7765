/* A step of an attention kernel, of a part of what is to be made. */
#ifndef VKDML_FRAMES_ATTENTION_ATTENTION_STEP_H
#define VKDML_FRAMES_ATTENTION_ATTENTION_STEP_H

#include "frames/attention/attention_way.h"

/* Kernel, constants and buffers of a step that goes a way. */
void vkdml_attention_set_kernel(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                                const struct vkdml_attention_way *way, const struct vkdml_plan_limits *limits,
                                struct vkdml_plan_step *step);

VkdmlResult vkdml_attention_fill_step(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                                      const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                      struct vkdml_plan_step *step);

#endif
