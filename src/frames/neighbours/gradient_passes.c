/* Sums of several dimensions whose terms are many go dimension by dimension: what shrinks most first, so that what lies
 * between has no more elements than the larger of both tensors. */
#include <string.h>

#include "frames/neighbours/gradient_step.h"

/* More terms than these are worth a tensor in between. */
#define MOST_AT_ONCE 32

static uint32_t order_walks(const struct vkdml_neighbours *n, uint32_t *order) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < n->count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        uint32_t place = count;
        if (!dimension->is_walked) {
            continue;
        }
        for (; place > 0; --place) {
            const struct vkdml_neighbours_dimension *before = &n->dimensions[order[place - 1]];
            if ((uint64_t)before->size * dimension->source_size <= (uint64_t)dimension->size * before->source_size) {
                break;
            }
            order[place] = order[place - 1];
        }
        order[place] = d;
        ++count;
    }
    return count;
}

/* How many of the next walks go together. */
static uint32_t walks_of_pass(const struct vkdml_gradient *gradient, const uint32_t *order, uint32_t count) {
    uint64_t terms = 1;
    uint32_t walks = 0;
    while (walks < count && walks < VKDML_GRADIENT_WALKS) {
        terms *= vkdml_gradient_steps(&gradient->neighbours.dimensions[order[walks]]);
        if (walks > 0 && terms > MOST_AT_ONCE && gradient->kind != VKDML_GRADIENT_WINNERS) {
            break;
        }
        ++walks;
    }
    return walks;
}

/* Numbers in between: packed, in the order of dimensions. */
static void place_between(struct vkdml_neighbours *pass, struct vkdml_builder *builder) {
    uint32_t stride = 1; /* at most 2^32-1 elements */
    for (uint32_t d = pass->count; d-- > 0;) {
        pass->dimensions[d].target_stride = stride;
        stride *= pass->dimensions[d].size;
    }
    pass->target = vkdml_builder_region(builder, "numbers", (uint64_t)stride * 4, DML_TENSOR_DATA_TYPE_FLOAT32);
}

VkdmlResult vkdml_gradient_plan(const struct vkdml_gradient *gradient, struct vkdml_builder *builder) {
    struct vkdml_gradient rest = *gradient; /* what is left to do */
    uint32_t order[VKDML_MAX_DIMENSIONS];
    const uint32_t count = order_walks(&rest.neighbours, order);
    struct vkdml_gradient windows;
    struct vkdml_neighbours pool;
    if (vkdml_gradient_as_pool(gradient, &pool)) {
        return vkdml_neighbours_plan(&pool, builder);
    }
    if (vkdml_gradient_as_windows(gradient, builder->limits, &windows)) {
        return vkdml_gradient_windows_plan(&windows, builder);
    }
    if (vkdml_gradient_windows_take(gradient, builder->limits)) {
        return vkdml_gradient_windows_plan(gradient, builder);
    }
    for (uint32_t at = 0;;) {
        struct vkdml_gradient pass = rest;
        const uint32_t walks = walks_of_pass(&rest, &order[at], count - at);
        if (at + walks == count) {
            return vkdml_gradient_plan_pass(&rest, builder);
        }
        for (uint32_t w = at; w < count; ++w) {
            struct vkdml_neighbours_dimension *dimension = &pass.neighbours.dimensions[order[w]];
            if (w >= at + walks) { /* later */
                dimension->is_walked = false;
                dimension->size = dimension->source_size;
            }
        }
        pass.factor = 1;
        place_between(&pass.neighbours, builder);
        const VkdmlResult result = vkdml_gradient_plan_pass(&pass, builder);
        if (result != VKDML_SUCCESS) {
            return result;
        }
        rest.neighbours.source = pass.neighbours.target;
        for (uint32_t d = 0; d < rest.neighbours.count; ++d) {
            rest.neighbours.dimensions[d].source_stride = pass.neighbours.dimensions[d].target_stride;
        }
        for (uint32_t w = at; w < at + walks; ++w) {
            rest.neighbours.dimensions[order[w]].is_walked = false;
        }
        at += walks;
    }
}
