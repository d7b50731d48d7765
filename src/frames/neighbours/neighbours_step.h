/* One step of a window kernel. */
#ifndef VKDML_FRAMES_NEIGHBOURS_NEIGHBOURS_STEP_H
#define VKDML_FRAMES_NEIGHBOURS_NEIGHBOURS_STEP_H

#include "frames/neighbours/neighbours.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"
#include "plan/step.h"

_Static_assert(sizeof(((struct vkdml_neighbours_parameters *)NULL)->walks) == 2 * VKDML_NEIGHBOURS_WALKS * 16,
               "two records a walk");

/* What a step computes: coordinates of the dimensions, and behind them steps of the walks, in the dimensions' order. */
struct vkdml_neighbours_part {
    struct vkdml_box box;
    struct vkdml_span source; /* elements from the tensor's first */
    struct vkdml_span own;
    struct vkdml_span target;
    bool is_cut; /* there are other steps of a walk */
    bool accumulates;
    bool is_last; /* of the steps of its elements: what there is goes through the epilogue */
};

VkdmlResult vkdml_neighbours_fill_step(const struct vkdml_neighbours *neighbours,
                                       const struct vkdml_neighbours_part *part, const struct vkdml_plan_limits *limits,
                                       struct vkdml_report *report, struct vkdml_plan_step *step);

/* Whether rows of the target begin and end with items of so many elements. */
bool vkdml_neighbours_are_whole(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                                uint32_t width, const struct vkdml_plan_limits *limits);

/* What kernels know of dimension d, of which they walk `size` coordinates. */
void vkdml_neighbours_fill_dimension(const struct vkdml_neighbours_dimension *dimension, uint32_t d, uint32_t size,
                                     struct vkdml_neighbours_parameters *parameters);

/* Tells a step of the epilogue of its part, and binds the operand: once all else is bound, and before parameters are
 * set. */
void vkdml_neighbours_fill_ending(const struct vkdml_neighbours *neighbours, const struct vkdml_neighbours_part *part,
                                  struct vkdml_neighbours_parameters *parameters, struct vkdml_plan_step *step);

/* Elements of a row that a pool loads for an item at once, at the most: some of them may lie behind the last that is
 * taken. */
#define VKDML_POOL_MOST_SPAN 24

/* Fills in a step of a pool: frames/neighbours/pool_step.c. */
VkdmlResult vkdml_pool_fill_step(const struct vkdml_neighbours *pool, const struct vkdml_neighbours_part *part,
                                 const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                 struct vkdml_plan_step *step);

/* Adds to a general plan what steps of a pool for other sizes need. */
VkdmlResult vkdml_pool_add_spares(const struct vkdml_neighbours *pool, const struct vkdml_neighbours_part *part,
                                  struct vkdml_builder *builder);

/* The same of other steps. */
VkdmlResult vkdml_neighbours_add_spares(const struct vkdml_neighbours *neighbours,
                                        const struct vkdml_neighbours_part *part, struct vkdml_builder *builder);

#endif
