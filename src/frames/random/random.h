/* Plans of the random kernel (glsl/random/random.comp): words that are a function of a state and of their number. */
#ifndef VKDML_FRAMES_RANDOM_RANDOM_H
#define VKDML_FRAMES_RANDOM_RANDOM_H

#include "plan/builder.h"

#define VKDML_RANDOM_STATE_WORDS 6 /* a counter of four, the least significant first, and a key of two */

/* UINT32 all; elements are numbered in row-major order, however they lie. */
struct vkdml_random {
    struct vkdml_view output;
    struct vkdml_view state; /* of the last dimension's words */
    struct vkdml_view next;  /* the state that follows, elsewhere; of no tensor: it is not wanted */
};

/* Adds the steps: one where the output can be bound whole, else one per window. */
VkdmlResult vkdml_random_plan(const struct vkdml_random *random, struct vkdml_builder *builder);

#endif
