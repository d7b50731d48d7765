/* A part of a gather, small enough to bind: what the kinds of its steps share. */
#ifndef VKDML_FRAMES_GATHER_PART_H
#define VKDML_FRAMES_GATHER_PART_H

#include "frames/gather.h"

/* A part of the output: a run of coordinates in each dimension. */
struct vkdml_gather_box {
    uint32_t origin[VKDML_MAX_DIMENSIONS];
    uint32_t size[VKDML_MAX_DIMENSIONS];
};

/* What is bound of a tensor: bytes, from a multiple of 4 to a multiple of 4. */
struct vkdml_gather_window {
    uint64_t offset;
    uint64_t size;
    uint32_t lead; /* elements between offset and the first that is used */
};

struct vkdml_gather_part {
    struct vkdml_gather_box box;
    struct vkdml_gather_window output;
    struct vkdml_gather_window input;
    uint64_t input_base; /* the input's element that its window begins with */
};

/* A step's parameter block, and the windows it binds: for those who fill in the rest. */
void vkdml_gather_bind_step(const struct vkdml_gather_use *use, const struct vkdml_gather_part *part,
                            const void *parameters, size_t parameter_bytes, struct vkdml_plan_step *step);

#endif
