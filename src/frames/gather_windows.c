/* Windows: a gather whose tensors a device cannot bind whole is cut into boxes that it can. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "frames/gather.h"
#include "frames/gather_step.h"
#include "frames/plan_step.h"

/* Elements [first, first + count) of a tensor's memory; count 0: none. */
struct span {
    uint64_t first;
    uint64_t count;
};

/* A run of input coordinates; count 0: none. */
struct run {
    uint32_t first;
    uint32_t count;
};

static struct span output_span(const struct vkdml_gather *gather, const struct vkdml_gather_box *box) {
    struct span span = {gather->output_first, 1};
    for (uint32_t d = 0; d < gather->count; ++d) {
        const uint64_t stride = gather->dimensions[d].output_stride;
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    return span;
}

static void include(struct run *run, uint32_t c) {
    if (c == VKDML_GATHER_OUTSIDE) {
        return;
    }
    if (run->count == 0) {
        *run = (struct run){c, 1};
    } else if (c < run->first) {
        *run = (struct run){c, run->count + (run->first - c)};
    } else if (c - run->first >= run->count) {
        run->count = c - run->first + 1;
    }
}

/* Rims up to this long are walked to find which part of the input they mirror; longer ones count as all of it. */
#define WALKED_RIM 4096

/* Includes what fills output coordinates [begin, end) outside the input's own. */
static void include_rim(const struct vkdml_gather *gather, const struct vkdml_gather_dimension *dimension,
                        uint64_t begin, uint64_t end, struct run *run) {
    if (end <= begin) {
        return;
    }
    if (end - begin > WALKED_RIM) {
        if (gather->source(dimension, gather->source_mode, (uint32_t)begin) != VKDML_GATHER_OUTSIDE) {
            *run = (struct run){0, dimension->input_size};
        }
        return;
    }
    for (uint64_t c = begin; c < end; ++c) {
        include(run, gather->source(dimension, gather->source_mode, (uint32_t)c));
    }
}

/* The input coordinates that fill output coordinates [origin, origin + size) of a dimension. */
static struct run input_run(const struct vkdml_gather *gather, const struct vkdml_gather_dimension *dimension,
                            uint32_t origin, uint32_t size) {
    if (!vkdml_gather_is_padded(dimension)) {
        return (struct run){origin, size};
    }
    struct run run = {0, 0};
    const uint64_t begin = origin;
    const uint64_t end = begin + size;
    const uint64_t inner_begin = dimension->start;
    const uint64_t inner_end = inner_begin + dimension->input_size;
    const uint64_t shared_begin = begin > inner_begin ? begin : inner_begin;
    const uint64_t shared_end = end < inner_end ? end : inner_end;
    if (shared_begin < shared_end) {
        run = (struct run){(uint32_t)(shared_begin - inner_begin), (uint32_t)(shared_end - shared_begin)};
    }
    include_rim(gather, dimension, begin, end < inner_begin ? end : inner_begin, &run);
    include_rim(gather, dimension, begin > inner_end ? begin : inner_end, end, &run);
    return run;
}

static struct span input_span(const struct vkdml_gather *gather, const struct vkdml_gather_box *box) {
    struct span span = {0, 1};
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *dimension = &gather->dimensions[d];
        const struct run run = input_run(gather, dimension, box->origin[d], box->size[d]);
        if (run.count == 0) {
            return (struct span){0, 0}; /* all of the box is filled with the value */
        }
        span.first += (uint64_t)run.first * dimension->input_stride;
        span.count += (uint64_t)(run.count - 1) * dimension->input_stride;
    }
    return span;
}

/* A span as whole words. */
static struct vkdml_gather_window window_of(const struct vkdml_gather *gather, struct span span) {
    const uint64_t first = span.first * gather->element_bytes;
    const uint64_t end = (span.first + span.count) * gather->element_bytes;
    struct vkdml_gather_window window = {.offset = first & ~UINT64_C(3)};
    window.size = ((end + 3) & ~UINT64_C(3)) - window.offset;
    window.lead = (uint32_t)((first - window.offset) / gather->element_bytes);
    return window;
}

struct windows {
    const struct vkdml_gather *gather;
    const struct vkdml_gather_use *use;
    const struct vkdml_plan_limits *limits;
    struct vkdml_report *report;
    struct vkdml_plan *plan;
    struct vkdml_plan_steps *steps;
};

/* The dimension of more than one coordinate along which a box reaches farthest, in elements of the output or of the
 * input; gather->count where the box is one element. */
static uint32_t widest_dimension(const struct vkdml_gather *gather, const struct vkdml_gather_box *box, bool of_input) {
    uint32_t widest = gather->count;
    uint64_t farthest = 0;
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *dimension = &gather->dimensions[d];
        uint64_t reach = (uint64_t)(box->size[d] - 1) * dimension->output_stride;
        if (of_input) {
            const struct run run = input_run(gather, dimension, box->origin[d], box->size[d]);
            reach = run.count != 0 ? (uint64_t)(run.count - 1) * dimension->input_stride : 0;
        }
        if (box->size[d] > 1 && (widest == gather->count || reach > farthest)) {
            widest = d;
            farthest = reach;
        }
    }
    return widest;
}

static struct vkdml_gather_part part_of(const struct windows *w, const struct vkdml_gather_box *box) {
    struct span in = w->use->has_input ? input_span(w->gather, box) : (struct span){0, 0};
    if (in.count == 0) {
        in.count = 1; /* bound, not read */
    }
    struct vkdml_gather_part part = {
        .box = *box, .output = window_of(w->gather, output_span(w->gather, box)), .input = window_of(w->gather, in)};
    part.input_base = in.first - part.input.lead;
    return part;
}

static VkdmlResult cover(const struct windows *w, const struct vkdml_gather_box *box);

/* Covers a box by equal parts along one dimension, as many as `size` bytes are ranges. */
static VkdmlResult cover_parts(const struct windows *w, const struct vkdml_gather_box *box, uint32_t dimension,
                               uint64_t size) {
    const uint32_t alignment = w->limits->min_storage_buffer_offset_alignment;
    const uint64_t range = w->limits->max_storage_buffer_range;
    const uint64_t usable = range > 2 * (uint64_t)alignment ? range - alignment : range;
    uint64_t parts = vkdml_divide_up(size, usable);
    parts = parts < 2 ? 2 : parts;
    const uint64_t whole = box->size[dimension];
    const uint64_t part = vkdml_divide_up(whole, parts < whole ? parts : whole);
    VkdmlResult result = VKDML_SUCCESS;
    for (uint64_t at = 0; at < whole && result == VKDML_SUCCESS; at += part) {
        struct vkdml_gather_box piece = *box;
        piece.origin[dimension] += (uint32_t)at;
        piece.size[dimension] = (uint32_t)(whole - at < part ? whole - at : part);
        result = cover(w, &piece);
    }
    return result;
}

/* Adds a step for the box where both windows can be bound, else steps for parts of it. Nests at most 32 deep per
 * dimension: each time one is at least halved. */
static VkdmlResult cover(const struct windows *w, const struct vkdml_gather_box *box) {
    const struct vkdml_gather_part part = part_of(w, box);
    const bool output_fits = vkdml_fits(w->limits, w->use->output_offset + part.output.offset, part.output.size);
    if (output_fits && vkdml_fits(w->limits, part.input.offset, part.input.size)) {
        struct vkdml_plan_step *step;
        VkdmlResult result = vkdml_plan_add(w->plan, w->steps, w->limits, w->report, &step);
        return result == VKDML_SUCCESS ? vkdml_gather_fill_step(w->gather, w->use, &part, w->limits, w->report, step)
                                       : result;
    }
    const uint32_t dimension = widest_dimension(w->gather, box, output_fits);
    if (dimension == w->gather->count) {
        return vkdml_report_add(w->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "maxStorageBufferRange (%" PRIu64 ") is too small for one element",
                                w->limits->max_storage_buffer_range);
    }
    return cover_parts(w, box, dimension, output_fits ? part.input.size : part.output.size);
}

VkdmlResult vkdml_gather_plan(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                              const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                              struct vkdml_plan *plan, struct vkdml_plan_steps *steps) {
    const struct windows w = {gather, use, limits, report, plan, steps};
    struct vkdml_gather_box whole = {{0}, {0}};
    for (uint32_t d = 0; d < gather->count; ++d) {
        whole.size[d] = gather->dimensions[d].size;
    }
    return cover(&w, &whole);
}
