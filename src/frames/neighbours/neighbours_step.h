/* One step of a window kernel. */
#ifndef VKDML_FRAMES_NEIGHBOURS_NEIGHBOURS_STEP_H
#define VKDML_FRAMES_NEIGHBOURS_NEIGHBOURS_STEP_H

#include "frames/neighbours/neighbours.h"
#include "plan/boxes.h"
#include "plan/step.h"

/* The parameter block, word for word that of glsl/neighbours/neighbours.glsl. */
struct window_parameters {
    uint32_t group_count;
    uint32_t item_count;
    uint32_t items_per_row;
    uint32_t row_length;
    struct vkdml_divisor row_divisor;
    uint32_t share;
    uint32_t ring_length;
    uint32_t source_first;
    uint32_t own_first;
    uint32_t target_first;
    uint32_t place_first;
    uint32_t arguments[4];
    uint32_t sizes[8][4];
    uint32_t own_strides[8];
    uint32_t target_strides[8];
    uint32_t walks[2 * VKDML_NEIGHBOURS_WALKS][4];
    uint32_t walk_strides[8];
    uint32_t place_strides[8]; /* of pools alone */
};

_Static_assert(sizeof(struct window_parameters) <= 4 * VKDML_PLAN_MAX_PARAMETERS, "must fit a parameter block");

/* What a step computes: coordinates of the dimensions, and behind them steps of the walks, in the dimensions' order. */
struct vkdml_neighbours_part {
    struct vkdml_box box;
    struct vkdml_span source; /* elements from the tensor's first */
    struct vkdml_span own;
    struct vkdml_span target;
    bool is_cut; /* there are other steps of a walk */
    bool accumulates;
};

VkdmlResult vkdml_neighbours_fill_step(const struct vkdml_neighbours *neighbours,
                                       const struct vkdml_neighbours_part *part, const struct vkdml_plan_limits *limits,
                                       struct vkdml_report *report, struct vkdml_plan_step *step);

/* The same of a pool: frames/neighbours/pool_step.c. */
VkdmlResult vkdml_pool_fill_step(const struct vkdml_neighbours *pool, const struct vkdml_neighbours_part *part,
                                 const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                 struct vkdml_plan_step *step);

#endif
