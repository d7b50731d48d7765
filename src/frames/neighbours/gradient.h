/* Plans of the gradient kernels (glsl/neighbours/gradient.comp): each element of a target is the sum of those elements
 * of a source whose neighbourhoods in it have it. What forward operators read is the target, what they wrote the
 * source. */
#ifndef VKDML_FRAMES_NEIGHBOURS_GRADIENT_H
#define VKDML_FRAMES_NEIGHBOURS_GRADIENT_H

#include "frames/neighbours/neighbours.h"

#define VKDML_GRADIENT_WALKS 3

/* What elements give. */
enum vkdml_gradient_kind {
    VKDML_GRADIENT_ALL,    /* themselves to each element of their windows */
    VKDML_GRADIENT_SHARED, /* in each dimension an equal share to those elements of their windows that there are */
    VKDML_GRADIENT_MAXIMA, /* themselves to the greatest element of their windows in `own`, of the target's sizes and in
                              its coordinates; of equal ones to the first, NaN before all, and -0 below 0 */
    VKDML_GRADIENT_WINNERS, /* themselves to the element of their windows that `own` names */
    VKDML_GRADIENT_NEAREST, /* themselves to the element nearest to their places */
    VKDML_GRADIENT_LINEAR,  /* shares to the two elements that their places lie between */
};

/* Of the neighbourhoods kind, squares, pool, ending, finish, arguments and epilogue do not matter, and own alone to
 * WINNERS: UINT32, the place of an element of the target as tap_strides count it. A dimension that is walked has the
 * target's size and the source's source_size; the window of coordinate o of the source has the target's coordinates
 * o * source_step + t * tap_step - start, t below taps; of scales see frames/neighbours/scaling.h, which finds for
 * coordinates of the source places in the target. Steps of own, and of the source, are those of the source's
 * coordinates. Of WINNERS at most three dimensions are walked. No o * source_step + taps * tap_step exceeds 31 bits. */
struct vkdml_gradient {
    enum vkdml_gradient_kind kind;
    float factor; /* of sums */
    struct vkdml_neighbours neighbours;
};

/* How many coordinates of the source give to one of the target, at most, in a dimension that is walked. */
uint32_t vkdml_gradient_steps(const struct vkdml_neighbours_dimension *dimension);

/* Whether maxima are found and gradients given to them in one step: of small windows on pictures whose tensors can be
 * bound whole. What is not taken so goes by the winners that a pool finds. */
bool vkdml_gradient_finds_maxima(const struct vkdml_gradient *gradient, const struct vkdml_plan_limits *limits);

/* Adds the steps: of each pass one that finds which coordinates give to which, and one that adds up, or several where
 * not all can be bound, or where sums are too long; of FLOAT16 these add up in the temporary resource. Long sums of
 * several dimensions go by passes, and small windows on pictures in one step; resampling by whole numbers goes as such
 * windows do, or as a pool. */
VkdmlResult vkdml_gradient_plan(const struct vkdml_gradient *gradient, struct vkdml_builder *builder);

#endif
