/* Places of many tensors that must be disjoint, in n log n steps. Allocates nothing: recording uses it. */
#ifndef VKDML_BASE_OVERLAPS_H
#define VKDML_BASE_OVERLAPS_H

#include "base/aliases.h"

/* A place in a buffer, and the index of what lies there. Neither may be empty. */
struct vkdml_taken {
    uint64_t buffer; /* any number that is the buffer's only */
    struct vkdml_place place;
    size_t index;
};

/* By buffer, then first byte, then index. */
void vkdml_taken_sort(struct vkdml_taken *taken, size_t count);

bool vkdml_taken_overlaps(const struct vkdml_taken *a, const struct vkdml_taken *b);

/* Of places that are sorted and disjoint: the first that overlaps another one, or `count`. Others that do follow it. */
size_t vkdml_taken_find(const struct vkdml_taken *taken, size_t count, const struct vkdml_taken *other);

#endif
