/* A part of a gather, small enough to bind: what the kinds of its steps share. */
#ifndef VKDML_FRAMES_GATHER_GATHER_PART_H
#define VKDML_FRAMES_GATHER_GATHER_PART_H

#include "frames/gather/gather.h"
#include "plan/boxes.h"

struct vkdml_gather_part {
    struct vkdml_box box;
    struct vkdml_window output;
    struct vkdml_window input;
    uint64_t input_base; /* the element that the input's window begins with, from the gather's first on, modulo 2^64 */
};

/* A step's parameter block, and the windows it binds: for those who fill in the rest. */
void vkdml_gather_bind_step(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                            const void *parameters, size_t parameter_bytes, struct vkdml_plan_step *step);

#endif
