/* A copy of a sample in memory that may be read exactly as far as its counts say, and not be written. */
#ifndef VKDML_TESTS_INVALID_FENCE_H
#define VKDML_TESTS_INVALID_FENCE_H

#include <stddef.h>

#include "sample.h"

/* The operator, its descriptor struct, four arrays and ScaleBias of it, and four structs and arrays a tensor. */
#define FENCE_MAX_OBJECTS 24

struct fence {
    void *objects[FENCE_MAX_OBJECTS];
    size_t count;
};

/*
 * Copies every object of the sample into pages of its own, read-only, so that it ends where an inaccessible page
 * begins. What must not be read at all (the descriptor of an unknown operator, a tensor of another type, arrays whose
 * count is out of range) lies on such a page. A library that strays is killed by a signal, which the test runner
 * reports.
 *
 * Aborts where the system has no memory. To be released.
 */
const DML_OPERATOR_DESC *fence_sample(struct fence *fence, const struct sample *sample);

void fence_release(struct fence *fence);

#endif
