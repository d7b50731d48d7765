#include "frames/neighbours/collapse.h"

/* A walk that leads each coordinate to its own place alone. */
static void simplify(struct vkdml_neighbours_dimension *dimension) {
    if (dimension->is_walked && dimension->taps == 1 && dimension->start == 0 && dimension->source_step == 1 &&
        !dimension->is_scaled && dimension->source_size >= dimension->size) {
        dimension->is_walked = false;
    }
}

/* A dimension of one coordinate lies nowhere, so it never comes last. */
static bool lies_farther(const struct vkdml_neighbours_dimension *a, const struct vkdml_neighbours_dimension *b) {
    return b->size > 1 && (a->size == 1 || a->target_stride > b->target_stride);
}

static bool is_one_run(const struct vkdml_neighbours_dimension *outer, const struct vkdml_neighbours_dimension *inner) {
    return !outer->is_walked && !inner->is_walked &&
           outer->source_stride == (uint64_t)inner->source_stride * inner->size &&
           outer->own_stride == (uint64_t)inner->own_stride * inner->size &&
           outer->tap_stride == (uint64_t)inner->tap_stride * inner->size &&
           outer->operand_stride == (uint64_t)inner->operand_stride * inner->size &&
           outer->target_stride == (uint64_t)inner->target_stride * inner->size;
}

void vkdml_neighbours_collapse(struct vkdml_neighbours *n) {
    const struct vkdml_neighbours whole = *n;
    n->count = 0;
    for (uint32_t d = 0; d < whole.count; ++d) {
        struct vkdml_neighbours_dimension added = whole.dimensions[d];
        simplify(&added);
        if (added.size == 1 && !added.is_walked) {
            continue;
        }
        uint32_t place = n->count++;
        for (; place > 0 && lies_farther(&added, &n->dimensions[place - 1]); --place) {
            n->dimensions[place] = n->dimensions[place - 1];
        }
        n->dimensions[place] = added;
    }
    uint32_t kept = 0;
    for (uint32_t d = 0; d < n->count; ++d) {
        const struct vkdml_neighbours_dimension inner = n->dimensions[d];
        if (kept > 0 && is_one_run(&n->dimensions[kept - 1], &inner)) {
            const uint32_t size = n->dimensions[kept - 1].size * inner.size; /* all elements fit 32 bits */
            n->dimensions[kept - 1] = inner;
            n->dimensions[kept - 1].size = size;
        } else {
            n->dimensions[kept++] = inner;
        }
    }
    n->count = kept;
    if (n->count == 0) {
        n->dimensions[n->count++] = (struct vkdml_neighbours_dimension){.size = 1};
    }
}

struct order {
    uint32_t count;
    uint32_t taken[VKDML_MAX_DIMENSIONS]; /* dimensions; those of size 1 that are added: VKDML_MAX_DIMENSIONS */
};

static void take(struct order *order, const struct vkdml_neighbours *n, bool walked, uint32_t end) {
    for (uint32_t d = 0; d < end; ++d) {
        if (n->dimensions[d].is_walked == walked) {
            order->taken[order->count++] = d;
        }
    }
}

void vkdml_neighbours_make_general(struct vkdml_neighbours *n, struct vkdml_box *box, bool keeps_last) {
    const struct vkdml_neighbours few = *n;
    const struct vkdml_box old = *box;
    const uint32_t end = keeps_last ? few.count - 1 : few.count, more = VKDML_MAX_DIMENSIONS - few.count;
    struct order order = {.count = 0};
    while (order.count < more) {
        order.taken[order.count++] = VKDML_MAX_DIMENSIONS;
    }
    take(&order, &few, false, end);
    take(&order, &few, true, end);
    if (keeps_last) {
        order.taken[order.count++] = end;
    }
    uint32_t walk = n->count = order.count;
    for (uint32_t d = 0; d < order.count; ++d) {
        const uint32_t from = order.taken[d];
        const bool is_added = from == VKDML_MAX_DIMENSIONS;
        n->dimensions[d] = is_added ? (struct vkdml_neighbours_dimension){.size = 1} : few.dimensions[from];
        box->origin[d] = is_added ? 0 : old.origin[from];
        box->size[d] = is_added ? 1 : old.size[from];
    }
    for (uint32_t w = few.count, d = 0; d < few.count; ++d) { /* steps follow the dimensions, in their order */
        if (few.dimensions[d].is_walked) {
            box->origin[walk] = old.origin[w];
            box->size[walk++] = old.size[w++];
        }
    }
}
