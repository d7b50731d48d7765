/* The elements of a reduction: those that differ in some dimensions alone. */
#ifndef VKDML_REFERENCE_REDUCTION_H
#define VKDML_REFERENCE_REDUCTION_H

#include "reference/element.h"

/* One after another in row-major order. */
struct vkdml_reduction {
    const struct vkdml_tensor *input;
    const void *memory;
    uint32_t folded; /* dimensions, a bit each */
    struct vkdml_coordinate at;
};

uint64_t vkdml_reduction_element(const struct vkdml_reduction *reduction);

/* A float element as a number. */
double vkdml_reduction_float(const struct vkdml_reduction *reduction);

/* Steps to the next; false, and at the first again, after the last. */
bool vkdml_reduction_next(struct vkdml_reduction *reduction);

/* Steps `at` to the next reduction's first element; false, and at the first again, after the last. */
bool vkdml_reduction_step(const struct vkdml_reduction *reduction, struct vkdml_coordinate *at);

double vkdml_reduction_count(const struct vkdml_reduction *reduction);

/* Of floats: the greatest or the least; NaN wins. */
double vkdml_reduction_extreme(struct vkdml_reduction *reduction, bool least);

/* The place of the first or the last among the least or the greatest elements; NaN comes before all others. */
uint64_t vkdml_reduction_place(struct vkdml_reduction *reduction, bool least, bool last);

#endif
