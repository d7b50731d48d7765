/* Windows: a gather whose tensors a device cannot bind whole is cut into boxes that it can. */
#include <stdio.h>

#include "base/notes.h"
#include "frames/gather/gather.h"
#include "frames/gather/gather_step.h"
#include "plan/boxes.h"
#include "plan/step.h"

/* A run of input coordinates; count 0: none. */
struct run {
    uint32_t first;
    uint32_t count;
};

static struct vkdml_span output_span(const struct vkdml_gather *gather, const struct vkdml_box *box) {
    struct vkdml_span span = {gather->output.first, 1};
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

static void include_source(const struct vkdml_gather *gather, const struct vkdml_gather_dimension *dimension,
                           uint64_t c, struct run *run) {
    include(run, gather->source(dimension, gather->source_mode, (uint32_t)c));
}

/* Includes what fills output coordinates [begin, end), all before the input's own or all behind them. From one of them
 * to the next it stays or moves by one, on and on in a direction, but where it turns or begins again: at coordinates
 * that are periods away from the input's first. Two periods have all of it. */
static void include_rim(const struct vkdml_gather *gather, const struct vkdml_gather_dimension *dimension,
                        uint64_t begin, uint64_t end, struct run *run) {
    if (end <= begin) {
        return;
    }
    const uint64_t period = dimension->period, start = dimension->start;
    const uint64_t last = end - begin > 2 * period ? begin + 2 * period : end - 1;
    include_source(gather, dimension, begin, run);
    include_source(gather, dimension, last, run);
    const uint64_t rest = begin < start ? (start - begin) % period : (period - (begin - start) % period) % period;
    for (uint64_t c = begin + rest; c <= last; c += period) {
        include_source(gather, dimension, c > begin ? c - 1 : c, run);
        include_source(gather, dimension, c, run);
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

static struct vkdml_span input_span(const struct vkdml_gather *gather, const struct vkdml_box *box) {
    struct vkdml_span span = {gather->input.first, 1};
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *dimension = &gather->dimensions[d];
        const struct run run = input_run(gather, dimension, box->origin[d], box->size[d]);
        if (run.count == 0) {
            return (struct vkdml_span){0, 0}; /* all of the box is filled with the value */
        }
        if (dimension->is_backward) {
            span.first -= ((uint64_t)run.first + run.count - 1) * dimension->input_stride;
        } else {
            span.first += (uint64_t)run.first * dimension->input_stride;
        }
        span.count += (uint64_t)(run.count - 1) * dimension->input_stride;
    }
    return span;
}

struct windows {
    const struct vkdml_gather *gather;
    const struct vkdml_gather_use *use;
    struct vkdml_builder *builder;
};

/* The tensors, in the order in which they are made to fit. */
enum { OUTPUT, INPUT, TENSOR_COUNT };

static uint64_t reach(void *context, uint32_t tensor, const struct vkdml_box *box, uint32_t d) {
    const struct windows *w = context;
    const struct vkdml_gather_dimension *dimension = &w->gather->dimensions[d];
    if (tensor == OUTPUT) {
        return (uint64_t)(box->size[d] - 1) * dimension->output_stride;
    }
    const struct run run = input_run(w->gather, dimension, box->origin[d], box->size[d]);
    return run.count != 0 ? (uint64_t)(run.count - 1) * dimension->input_stride : 0;
}

static struct vkdml_span span_of(const struct windows *w, uint32_t tensor, const struct vkdml_box *box) {
    if (tensor == OUTPUT) {
        return output_span(w->gather, box);
    }
    struct vkdml_span span = vkdml_gather_has_input(w->gather) ? input_span(w->gather, box) : (struct vkdml_span){0, 0};
    if (span.count == 0) {
        span.count = 1; /* bound, not read */
    }
    return span;
}

static uint64_t bytes(void *context, uint32_t tensor, const struct vkdml_box *box, bool *fits) {
    const struct windows *w = context;
    const struct vkdml_window window = vkdml_window_of(span_of(w, tensor, box), 8 * w->gather->element_bytes);
    const struct vkdml_origin *origin =
        tensor == OUTPUT || !vkdml_gather_has_input(w->gather) ? &w->gather->output : &w->gather->input;
    *fits = vkdml_fits(w->builder->limits, origin->offset + window.offset, window.size);
    return window.size;
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    const struct windows *w = context;
    const uint32_t bits = 8 * w->gather->element_bytes;
    const struct vkdml_span input = span_of(w, INPUT, box);
    struct vkdml_gather_part part = {
        .box = *box, .output = vkdml_window_of(span_of(w, OUTPUT, box), bits), .input = vkdml_window_of(input, bits)};
    part.input_base = input.first - part.input.lead - w->gather->input.first; /* modulo 2^64 */
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(w->builder, &step);
    return result == VKDML_SUCCESS
               ? vkdml_gather_fill_step(w->gather, w->use, &part, w->builder->limits, w->builder->report, step)
               : result;
}

static void note_dimensions(const struct vkdml_gather *gather, struct vkdml_report *report) {
    const struct vkdml_gather_dimension *first = gather->dimensions;
    const struct vkdml_note_column columns[] = {
        {"sizes", &first->size},
        {"output strides", &first->output_stride},
        {vkdml_gather_has_input(gather) ? "input strides" : NULL, &first->input_stride},
        {gather->source != NULL ? "input sizes" : NULL, &first->input_size}};
    char what[64];
    if (report->notes != NULL) {
        snprintf(what, sizeof(what), "gather of elements of %u bytes, collapsed", (unsigned)gather->element_bytes);
        vkdml_note_dimensions(report, what, gather->count, sizeof(*first), columns, 4);
    }
}

VkdmlResult vkdml_gather_plan(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                              struct vkdml_builder *builder) {
    struct windows w = {gather, use, builder};
    const struct vkdml_covering covering = {&w, gather->count, TENSOR_COUNT, builder, bytes, reach, add};
    note_dimensions(gather, builder->report);
    struct vkdml_box whole = vkdml_box_of(gather->count, &gather->dimensions->size, sizeof(*gather->dimensions));
    return vkdml_cover(&covering, &whole);
}
