/* Steps of the gradient kernels. */
#ifndef VKDML_FRAMES_NEIGHBOURS_GRADIENT_STEP_H
#define VKDML_FRAMES_NEIGHBOURS_GRADIENT_STEP_H

#include "frames/neighbours/gradient.h"
#include "frames/neighbours/neighbours_step.h"

/* Terms of a sum in one dispatch: lavapipe ends an invocation's loops after 65,535 turns in total, and eight sums that
 * are made at once may have no terms in common. */
#define VKDML_GRADIENT_MOST_TERMS 5000

/* A plan's table, in pairs of words: of each walk a pair for each of the target's coordinates, and where elements have
 * shares one for each of the source's. */
struct vkdml_gradient_table {
    struct vkdml_origin at;
    uint64_t pairs;
    uint32_t walk_count;
    uint32_t walks[VKDML_GRADIENT_WALKS]; /* dimensions, outermost first */
    uint64_t first[VKDML_GRADIENT_WALKS];
};

/* Adds the steps of a pass: of at most three walks. */
VkdmlResult vkdml_gradient_plan_pass(const struct vkdml_gradient *gradient, struct vkdml_builder *builder);

/* Whether small windows are taken by one step, and that: gradient_windows.c. */
bool vkdml_gradient_windows_take(const struct vkdml_gradient *gradient, const struct vkdml_plan_limits *limits);
VkdmlResult vkdml_gradient_windows_plan(const struct vkdml_gradient *gradient, struct vkdml_builder *builder);

/* Whether resampling by whole numbers gives what a pool sums, and that. */
bool vkdml_gradient_as_pool(const struct vkdml_gradient *gradient, struct vkdml_neighbours *pool);

/* Whether it gives to small windows that are taken by one step, and those: of each the first `skipped` taps get
 * nothing. */
bool vkdml_gradient_as_windows(const struct vkdml_gradient *gradient, const struct vkdml_plan_limits *limits,
                               struct vkdml_gradient *windows);

/* Whether the table has what elements give. */
bool vkdml_gradient_has_shares(const struct vkdml_gradient *gradient);

/* Fills in the step that makes the table. */
VkdmlResult vkdml_gradient_fill_table(const struct vkdml_gradient *gradient, const struct vkdml_gradient_table *table,
                                      const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                      struct vkdml_plan_step *step);

/* Fills in a step that adds up: a part's box has steps of walks behind the dimensions. */
VkdmlResult vkdml_gradient_fill_step(const struct vkdml_gradient *gradient, const struct vkdml_gradient_table *table,
                                     const struct vkdml_neighbours_part *part, const struct vkdml_plan_limits *limits,
                                     struct vkdml_report *report, struct vkdml_plan_step *step);

/* How far the coordinates of the source are apart that a coordinate of the target takes in a dimension. */
uint32_t vkdml_gradient_apart(const struct vkdml_neighbours_dimension *dimension);

#endif
