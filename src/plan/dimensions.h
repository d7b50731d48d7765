/* The dimensions that a frame of several tensors walks through. */
#ifndef VKDML_PLAN_DIMENSIONS_H
#define VKDML_PLAN_DIMENSIONS_H

#include <stdint.h>

#include "base/report.h"

/* The most tensors that are walked at once; a frame with fewer leaves strides 0. */
#define VKDML_DIMENSION_STRIDES 6

/* A size, and how far apart its coordinates are, in elements, in each tensor. */
struct vkdml_dimension {
    uint32_t size;
    uint32_t strides[VKDML_DIMENSION_STRIDES];
};

/* Leaves dimensions of more than one coordinate, outermost first as tensor `output` lies, and as few as there can be:
 * those that walk one run in every tensor become one. Returns how many are left; 0: there is one element. */
uint32_t vkdml_dimensions_collapse(struct vkdml_dimension *dimensions, uint32_t count, uint32_t output);

/* Takes those of more than one coordinate in a box of these sizes; how many there are. */
uint32_t vkdml_dimensions_take(const struct vkdml_dimension *dimensions, uint32_t count, const uint32_t *sizes,
                               struct vkdml_dimension *taken);

/* For general plans: puts dimensions of size 1 before a kernel's outer ones, up to VKDML_MAX_DIMENSIONS - 1 of them, so
 * that kernels do not depend on how many remain after collapsing. `outer` has room for these. */
void vkdml_dimensions_make_general(struct vkdml_dimension *outer, uint32_t *count);

/* How many outer dimensions are left outside of runs, which are rows of *length that lie side by side in tensor `t`;
 * *length becomes a run's. */
uint32_t vkdml_dimensions_run(const struct vkdml_dimension *outer, uint32_t count, uint32_t t, uint32_t *length);

/* Notes what is walked, with the strides of those tensors that have a name. */
void vkdml_dimensions_note(const struct vkdml_dimension *dimensions, uint32_t count, const char *what,
                           const char *const names[VKDML_DIMENSION_STRIDES], struct vkdml_report *report);

#endif
