/* FOLD: sums of the elements of windows that lie in one place, and copies where one element is all there is. */
#include <inttypes.h>

#include "frames/neighbours/neighbours.h"
#include "operators/copying.h"
#include "operators/neighbourhood.h"
#include "operators/operators.h"
#include "operators/unfolding.h"

static void check_fold(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_unfolding unfolding = vkdml_unfolding_of_fold(instance);
    vkdml_unfolding_check(&unfolding, report);
}

/* Where the elements of a spatial dimension's windows, and the windows, lie in the columns. */
struct spread {
    uint32_t blocks;
    uint64_t window_stride;
    uint64_t block_stride;
};

/* Whether windows lie side by side and fill the image. */
static bool is_tiling(const struct vkdml_unfolding *u, const struct spread *spreads) {
    for (uint32_t s = 0; s < u->dimension_count; ++s) {
        const bool is_dense = u->dilations[s] == 1 || u->window_sizes[s] == 1;
        if (!is_dense || u->strides[s] != u->window_sizes[s] || u->start[s] != 0 ||
            (uint64_t)spreads[s].blocks * u->strides[s] != u->image->sizes[2 + s]) {
            return false;
        }
    }
    return true;
}

static VkdmlResult plan_tiling(const struct vkdml_unfolding *u, const struct spread *spreads, uint64_t channel_stride,
                               const struct vkdml_planning *planning) {
    const struct vkdml_tensor *image = u->image;
    struct vkdml_gather gather = vkdml_copying_begin(planning->instance, 0, 0);
    bool fits = vkdml_copy_add(&gather, image->sizes[0], image->strides[0],
                               u->columns->strides[u->columns->dimension_count - 3]);
    fits &= vkdml_copy_add(&gather, image->sizes[1], image->strides[1], channel_stride);
    for (uint32_t s = 0; s < u->dimension_count; ++s) {
        const uint64_t stride = image->strides[2 + s];
        fits &= vkdml_copy_add(&gather, spreads[s].blocks, stride * u->strides[s], spreads[s].block_stride);
        fits &= vkdml_copy_add(&gather, u->window_sizes[s], stride, spreads[s].window_stride);
    }
    return fits ? vkdml_copy_plan(&gather, true, planning->builder) : vkdml_refuse_stride(planning);
}

/* An element at p of the padded image is element w of window b where b * Strides + w * Dilations is p. Of the two
 * numbers the steps are the one that counts by ones, so that all steps lead somewhere, or the one that there are fewer
 * of. */
static bool walk_windows(const struct vkdml_unfolding *u, const struct spread *spread, uint32_t s,
                         struct vkdml_neighbours_dimension *dimension) {
    const uint32_t stride = u->strides[s];
    const uint32_t dilation = u->window_sizes[s] == 1 ? 1 : u->dilations[s];
    const uint32_t window = u->window_sizes[s];
    const bool by_windows = dilation == 1 ? true : stride == 1 ? window <= spread->blocks : window < spread->blocks;
    dimension->is_walked = true;
    dimension->start = u->start[s];
    dimension->taps = by_windows ? window : spread->blocks;
    dimension->tap_step = by_windows ? dilation : stride;
    dimension->tap_stride = (uint32_t)(by_windows ? spread->window_stride : spread->block_stride);
    dimension->source_size = by_windows ? spread->blocks : window;
    dimension->source_step = by_windows ? stride : dilation;
    dimension->source_stride = (uint32_t)(by_windows ? spread->block_stride : spread->window_stride);
    return spread->window_stride <= UINT32_MAX && spread->block_stride <= UINT32_MAX;
}

static VkdmlResult refuse_padding(const struct vkdml_planning *planning, uint32_t s, uint64_t size) {
    return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "the padded output is %" PRIu64 " elements long in spatial dimension %" PRIu32
                            ", must be at most %" PRId32,
                            size, s, INT32_MAX);
}

static VkdmlResult plan_fold(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_unfolding u = vkdml_unfolding_of_fold(planning->instance);
    const struct vkdml_tensor *image = u.image;
    const uint32_t *strides = &u.columns->strides[u.columns->dimension_count - 3];
    struct spread spreads[VKDML_MAX_DIMENSIONS];
    uint64_t window_stride = strides[1];
    uint64_t block_stride = strides[2];
    (void)op;
    for (uint32_t s = u.dimension_count; s-- > 0;) {
        const uint64_t size = (uint64_t)image->sizes[2 + s] + u.start[s] + u.end[s];
        if (size > INT32_MAX) {
            return refuse_padding(planning, s, size);
        }
        spreads[s] = (struct spread){(uint32_t)vkdml_unfolding_blocks(&u, s), window_stride, block_stride};
        window_stride *= u.window_sizes[s];
        block_stride *= spreads[s].blocks;
    }
    if (is_tiling(&u, spreads)) {
        return plan_tiling(&u, spreads, window_stride, planning);
    }
    struct vkdml_neighbours neighbours = vkdml_neighbours_begin(planning->instance);
    bool fits = window_stride <= UINT32_MAX;
    neighbours.count = image->dimension_count;
    for (uint32_t d = 0; d < neighbours.count; ++d) {
        struct vkdml_neighbours_dimension *dimension = &neighbours.dimensions[d];
        dimension->size = image->sizes[d];
        dimension->target_stride = image->strides[d];
        dimension->source_stride = d == 0 ? strides[0] : (uint32_t)window_stride;
        if (d >= 2) {
            fits &= walk_windows(&u, &spreads[d - 2], d - 2, dimension);
        }
    }
    return fits ? vkdml_neighbours_plan(&neighbours, planning->builder) : vkdml_refuse_stride(planning);
}

const struct vkdml_operator vkdml_operator_fold = {.rules = check_fold, .plan = plan_fold};
