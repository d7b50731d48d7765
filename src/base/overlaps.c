#include "base/overlaps.h"

static bool is_before(const struct vkdml_taken *a, const struct vkdml_taken *b) {
    if (a->buffer != b->buffer) {
        return a->buffer < b->buffer;
    }
    return a->place.first != b->place.first ? a->place.first < b->place.first : a->index < b->index;
}

/* Moves an entry down the heap, of which the last in the order is on top. */
static void sift(struct vkdml_taken *heap, size_t count, size_t at) {
    const struct vkdml_taken moved = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_before(&heap[child], &heap[child + 1])) {
            ++child;
        }
        if (!is_before(&moved, &heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Heap sort: qsort() may allocate. */
void vkdml_taken_sort(struct vkdml_taken *taken, size_t count) {
    for (size_t i = count / 2; i-- > 0;) {
        sift(taken, count, i);
    }
    for (size_t end = count; end-- > 1;) {
        const struct vkdml_taken last = taken[0];
        taken[0] = taken[end];
        taken[end] = last;
        sift(taken, end, 0);
    }
}

bool vkdml_taken_overlaps(const struct vkdml_taken *a, const struct vkdml_taken *b) {
    return a->buffer == b->buffer && vkdml_places_overlap(&a->place, &b->place);
}

size_t vkdml_taken_find(const struct vkdml_taken *taken, size_t count, const struct vkdml_taken *other) {
    size_t first = 0, end = count;
    while (first < end) { /* the first that does not end before the other one */
        const size_t middle = first + (end - first) / 2;
        const struct vkdml_taken *at = &taken[middle];
        const bool begins_before =
            at->buffer != other->buffer ? at->buffer < other->buffer : at->place.first < other->place.first;
        if (begins_before && !vkdml_taken_overlaps(at, other)) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < count && vkdml_taken_overlaps(&taken[first], other) ? first : count;
}
