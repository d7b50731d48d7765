#include "plan/boxes.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/notes.h"

struct vkdml_box vkdml_box_of(uint32_t rank, const uint32_t *sizes, size_t stride) {
    struct vkdml_box box = {{0}, {0}};
    for (uint32_t d = 0; d < rank; ++d) {
        box.size[d] = *(const uint32_t *)(const void *)((const char *)sizes + d * stride);
    }
    return box;
}

struct vkdml_window vkdml_window_of(struct vkdml_span span, uint32_t bits) {
    const uint64_t first = vkdml_whole_bytes_of(span.first, bits);
    const uint64_t end = vkdml_bytes_of(span.first + span.count, bits);
    struct vkdml_window window = {.offset = first & ~UINT64_C(3)};
    window.size = ((end + 3) & ~UINT64_C(3)) - window.offset;
    window.lead = (uint32_t)(span.first - (window.offset / bits * 8 + window.offset % bits * 8 / bits));
    return window;
}

/* The dimension of more than one coordinate along which a tensor reaches farthest; the rank where the box is one
 * element. */
static uint32_t widest_dimension(const struct vkdml_covering *covering, const struct vkdml_box *box, uint32_t tensor) {
    uint32_t widest = covering->rank;
    uint64_t farthest = 0;
    for (uint32_t d = 0; d < covering->rank; ++d) {
        const uint64_t reach = box->size[d] > 1 ? covering->reach(covering->context, tensor, box, d) : 0;
        if (box->size[d] > 1 && (widest == covering->rank || reach > farthest)) {
            widest = d;
            farthest = reach;
        }
    }
    return widest;
}

struct run {
    const struct vkdml_covering *covering;
    const bool *is_over; /* of a rehearsal; else NULL */
    uint64_t boxes;      /* that are to get a step */
};

static bool is_over(const struct run *run) {
    return run->is_over != NULL && *run->is_over;
}

static VkdmlResult cover(struct run *run, const struct vkdml_box *box);

/* Covers a box by equal parts along one dimension, as many as `bytes` are ranges. Nests at most 32 deep per dimension:
 * each time one is at least halved. */
static VkdmlResult cover_parts(struct run *run, const struct vkdml_box *box, uint32_t dimension, uint64_t bytes) {
    const struct vkdml_builder *builder = run->covering->builder;
    const uint32_t alignment = builder->limits->min_storage_buffer_offset_alignment;
    const uint64_t range = builder->limits->max_storage_buffer_range;
    const uint64_t usable = range > 2 * (uint64_t)alignment ? range - alignment : range;
    uint64_t parts = vkdml_divide_up(bytes, usable);
    parts = parts < 2 ? 2 : parts;
    const uint64_t whole = box->size[dimension];
    const uint64_t part = vkdml_divide_up(whole, parts < whole ? parts : whole);
    vkdml_note(builder->report,
               "windows: maxStorageBufferRange (%" PRIu64 ") cannot bind all, which is cut along dimension %" PRIu32,
               range, dimension);
    run->boxes += vkdml_divide_up(whole, part) - 1; /* in place of one */
    VkdmlResult result = vkdml_builder_expect(builder, run->boxes);
    for (uint64_t at = 0; at < whole && result == VKDML_SUCCESS && !is_over(run); at += part) {
        struct vkdml_box piece = *box;
        piece.origin[dimension] += (uint32_t)at;
        piece.size[dimension] = (uint32_t)(whole - at < part ? whole - at : part);
        result = cover(run, &piece);
    }
    return result;
}

static VkdmlResult cover(struct run *run, const struct vkdml_box *box) {
    const struct vkdml_covering *covering = run->covering;
    for (uint32_t t = 0; t < covering->tensor_count; ++t) {
        bool fits;
        const uint64_t bytes = covering->bytes(covering->context, t, box, &fits);
        if (fits) {
            continue;
        }
        const uint32_t dimension = widest_dimension(covering, box, t);
        if (dimension == covering->rank) {
            return vkdml_report_add(covering->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                    "maxStorageBufferRange (%" PRIu64 ") is too small for one element",
                                    covering->builder->limits->max_storage_buffer_range);
        }
        return cover_parts(run, box, dimension, bytes);
    }
    run->boxes -= run->is_over == NULL; /* a rehearsal's steps are yet to come */
    return covering->add(covering->context, box);
}

VkdmlResult vkdml_cover_until(const struct vkdml_covering *covering, const struct vkdml_box *box, const bool *is_over) {
    struct run run = {covering, is_over, 1};
    return cover(&run, box);
}

VkdmlResult vkdml_cover(const struct vkdml_covering *covering, const struct vkdml_box *box) {
    return vkdml_cover_until(covering, box, NULL);
}
