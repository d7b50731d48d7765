#include "operators/gather.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "operators/plan_step.h"

/* A multiple of every subgroup size in use, 4 to 128; devices that allow fewer invocations get fewer. */
#define LOCAL_SIZE 256

_Static_assert(sizeof(struct vkdml_gather_parameters) <= 4 * VKDML_PLAN_MAX_PARAMETERS, "must fit a parameter block");

void vkdml_gather_init(struct vkdml_gather *gather, const struct vkdml_tensor *output,
                       const struct vkdml_tensor *input) {
    memset(gather, 0, sizeof(*gather));
    gather->element_bytes = output->element_size;
    gather->count = output->dimension_count;
    for (uint32_t d = 0; d < gather->count; ++d) {
        gather->dimensions[d] = (struct vkdml_gather_dimension){
            .size = output->sizes[d],
            .output_stride = output->strides[d],
            .input_stride = input != NULL ? input->strides[d] : 0,
            .input_size = output->sizes[d],
        };
    }
}

static bool is_padded(const struct vkdml_gather_dimension *dimension) {
    return dimension->input_size != dimension->size;
}

/* Whether `outer` walks over whole runs of `inner`, in both tensors. */
static bool is_one_run(const struct vkdml_gather_dimension *outer, const struct vkdml_gather_dimension *inner) {
    return !is_padded(outer) && !is_padded(inner) &&
           outer->output_stride == (uint64_t)inner->output_stride * inner->size &&
           outer->input_stride == (uint64_t)inner->input_stride * inner->size;
}

static uint32_t drop_ones(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (dimensions[d].size != 1) {
            dimensions[kept++] = dimensions[d];
        }
    }
    return kept;
}

static void sort_by_output_stride(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        struct vkdml_gather_dimension moved = dimensions[i];
        uint32_t place = i;
        for (; place > 0 && dimensions[place - 1].output_stride < moved.output_stride; --place) {
            dimensions[place] = dimensions[place - 1];
        }
        dimensions[place] = moved;
    }
}

static uint32_t merge_runs(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (kept > 0 && is_one_run(&dimensions[kept - 1], &dimensions[d])) {
            struct vkdml_gather_dimension merged = dimensions[d];
            merged.size *= dimensions[kept - 1].size; /* at most all elements, which fit 32 bits */
            merged.input_size = merged.size;
            dimensions[kept - 1] = merged;
        } else {
            dimensions[kept++] = dimensions[d];
        }
    }
    return kept;
}

void vkdml_gather_collapse(struct vkdml_gather *gather, uint32_t first, uint32_t count) {
    struct vkdml_gather_dimension *dimensions = gather->dimensions + first;
    uint32_t after = gather->count - first - count;
    uint32_t kept = drop_ones(dimensions, count);
    sort_by_output_stride(dimensions, kept);
    kept = merge_runs(dimensions, kept);
    memmove(dimensions + kept, dimensions + count, after * sizeof(*dimensions));
    gather->count = first + kept + after;
    if (gather->count == 0) {
        gather->dimensions[0] =
            (struct vkdml_gather_dimension){.size = 1, .output_stride = 1, .input_stride = 1, .input_size = 1};
        gather->count = 1;
    }
}

/* Whether elements twice as wide lie side by side: the row is dense and even, and every row starts at an even element.
 */
static bool can_double(const struct vkdml_gather *gather) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    if (gather->element_bytes >= 4 || row->output_stride != 1 || row->input_stride != 1 || row->size % 2 != 0) {
        return false;
    }
    for (uint32_t d = 0; d + 1 < gather->count; ++d) {
        if (gather->dimensions[d].output_stride % 2 != 0 || gather->dimensions[d].input_stride % 2 != 0) {
            return false;
        }
    }
    return true;
}

void vkdml_gather_widen(struct vkdml_gather *gather) {
    while (can_double(gather)) {
        gather->element_bytes *= 2;
        for (uint32_t d = 0; d + 1 < gather->count; ++d) {
            gather->dimensions[d].output_stride /= 2;
            gather->dimensions[d].input_stride /= 2;
        }
        gather->dimensions[gather->count - 1].size /= 2;
        gather->dimensions[gather->count - 1].input_size /= 2;
    }
}

/* Invocations per row: a word each where narrow elements lie side by side, an element each otherwise. A row may begin
 * up to one element short of a word's end. */
static uint32_t items_per_row(const struct vkdml_gather *gather, const struct vkdml_gather_dimension *row) {
    uint32_t per_word = gather->element_bytes < 4 ? 4 / gather->element_bytes : 1;
    if (row->output_stride != 1) {
        return row->size;
    }
    return (uint32_t)vkdml_divide_up((uint64_t)row->size + per_word - 1, per_word);
}

/* ---- windows ---- */

/* A part of the output: a run of coordinates in each dimension. */
struct box {
    uint32_t origin[VKDML_MAX_DIMENSIONS];
    uint32_t size[VKDML_MAX_DIMENSIONS];
};

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

static struct span output_span(const struct vkdml_gather *gather, const struct box *box) {
    struct span span = {0, 1};
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
    if (!is_padded(dimension)) {
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

static struct span input_span(const struct vkdml_gather *gather, const struct box *box) {
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

/* A span as bytes from a multiple of 4 to a multiple of 4. */
struct window {
    uint64_t offset;
    uint64_t size;
    uint32_t lead; /* elements between offset and the span's first */
};

static struct window window_of(const struct vkdml_gather *gather, struct span span) {
    const uint64_t first = span.first * gather->element_bytes;
    const uint64_t end = (span.first + span.count) * gather->element_bytes;
    struct window window = {.offset = first & ~UINT64_C(3)};
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

static void fill_parameters(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                            const struct box *box, struct vkdml_gather_parameters *parameters) {
    const uint32_t last = gather->count - 1;
    struct vkdml_gather_dimension row = gather->dimensions[last];
    uint32_t rows = 1;
    memset(parameters, 0, sizeof(*parameters));
    for (uint32_t d = 0; d < last; ++d) {
        const struct vkdml_gather_dimension *outer = &gather->dimensions[d];
        rows *= box->size[d];
        parameters->sizes[d] = box->size[d];
        parameters->output_strides[d] = outer->output_stride;
        parameters->input_strides[d] = outer->input_stride;
        parameters->input_sizes[d] = outer->input_size;
        parameters->starts[d] = outer->start;
        parameters->origins[d] = box->origin[d];
    }
    row.size = box->size[last];
    parameters->items_per_row = items_per_row(gather, &row);
    parameters->item_count = rows * parameters->items_per_row; /* at most the elements, see there */
    parameters->row_length = row.size;
    parameters->row_output_stride = row.output_stride;
    parameters->row_input_stride = row.input_stride;
    parameters->row_input_size = row.input_size;
    parameters->row_start = row.start;
    parameters->row_origin = box->origin[last];
    memcpy(parameters->arguments, use->arguments, sizeof(parameters->arguments));
}

static VkdmlResult fill_step(const struct windows *w, const struct box *box, struct window output, struct window input,
                             uint64_t input_base, struct vkdml_plan_step *step) {
    const struct vkdml_gather_use *use = w->use;
    struct vkdml_gather_parameters parameters;
    fill_parameters(w->gather, use, box, &parameters);
    /* The kernel counts input elements from the tensor's first, modulo 2^32, which is exact within a window. */
    parameters.input_first = (uint32_t)(0 - input_base);
    parameters.output_first = output.lead;

    const uint32_t local_size = vkdml_local_size(w->limits, LOCAL_SIZE);
    const uint64_t group_count = vkdml_divide_up(parameters.item_count, local_size);
    VkdmlResult result = vkdml_grid(group_count, w->limits, w->report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;

    step->kernel = use->kernel;
    step->specializations[VKDML_SPECIALIZATION_LOCAL_SIZE] = local_size;
    step->specializations[1] = 8 * w->gather->element_bytes;
    step->specializations[2] = w->gather->count - 1;
    for (uint32_t i = 0; i < use->specialization_count; ++i) {
        step->specializations[3 + i] = use->specializations[i];
    }
    step->specialization_count = 3 + use->specialization_count;
    step->parameter_count = sizeof(parameters) / 4;
    memcpy(step->parameters, &parameters, sizeof(parameters));

    /* Without an input the kernel reads none; its binding must still hold a buffer. */
    const struct vkdml_plan_buffer out = {use->output, 0, use->output_offset + output.offset, output.size};
    const struct vkdml_plan_buffer in = {use->input, use->input_index, input.offset, input.size};
    step->buffers[0] = use->has_input ? in : out;
    step->buffers[1] = out;
    step->buffer_count = 2;
    return VKDML_SUCCESS;
}

/* The dimension of more than one coordinate along which a box reaches farthest, in elements of the output or of the
 * input; gather->count where the box is one element. */
static uint32_t widest_dimension(const struct vkdml_gather *gather, const struct box *box, bool of_input) {
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

/* The windows of a box. */
static void windows_of(const struct windows *w, const struct box *box, struct span *in, struct window *output,
                       struct window *input) {
    *output = window_of(w->gather, output_span(w->gather, box));
    *in = w->use->has_input ? input_span(w->gather, box) : (struct span){0, 0};
    if (in->count == 0) {
        in->count = 1; /* bound, not read */
    }
    *input = window_of(w->gather, *in);
}

static VkdmlResult cover(const struct windows *w, const struct box *box);

/* Covers a box by equal parts along one dimension, as many as `size` bytes are ranges. */
static VkdmlResult cover_parts(const struct windows *w, const struct box *box, uint32_t dimension, uint64_t size) {
    const uint32_t alignment = w->limits->min_storage_buffer_offset_alignment;
    const uint64_t range = w->limits->max_storage_buffer_range;
    const uint64_t usable = range > 2 * (uint64_t)alignment ? range - alignment : range;
    uint64_t parts = vkdml_divide_up(size, usable);
    parts = parts < 2 ? 2 : parts;
    const uint64_t whole = box->size[dimension];
    const uint64_t part = vkdml_divide_up(whole, parts < whole ? parts : whole);
    VkdmlResult result = VKDML_SUCCESS;
    for (uint64_t at = 0; at < whole && result == VKDML_SUCCESS; at += part) {
        struct box piece = *box;
        piece.origin[dimension] += (uint32_t)at;
        piece.size[dimension] = (uint32_t)(whole - at < part ? whole - at : part);
        result = cover(w, &piece);
    }
    return result;
}

/* Adds a step for the box where both windows can be bound, else steps for parts of it. Nests at most 32 deep per
 * dimension: each time one is at least halved. */
static VkdmlResult cover(const struct windows *w, const struct box *box) {
    struct span in;
    struct window output, input;
    windows_of(w, box, &in, &output, &input);
    const bool output_fits = vkdml_fits(w->limits, w->use->output_offset + output.offset, output.size);
    if (output_fits && vkdml_fits(w->limits, input.offset, input.size)) {
        struct vkdml_plan_step *step;
        VkdmlResult result = vkdml_plan_add(w->plan, w->steps, w->limits, w->report, &step);
        return result == VKDML_SUCCESS ? fill_step(w, box, output, input, in.first - input.lead, step) : result;
    }
    const uint32_t dimension = widest_dimension(w->gather, box, output_fits);
    if (dimension == w->gather->count) {
        return vkdml_report_add(w->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "maxStorageBufferRange (%" PRIu64 ") is too small for one element",
                                w->limits->max_storage_buffer_range);
    }
    return cover_parts(w, box, dimension, output_fits ? input.size : output.size);
}

VkdmlResult vkdml_gather_plan(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                              const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                              struct vkdml_plan *plan, struct vkdml_plan_steps *steps) {
    const struct windows w = {gather, use, limits, report, plan, steps};
    struct box whole = {{0}, {0}};
    for (uint32_t d = 0; d < gather->count; ++d) {
        whole.size[d] = gather->dimensions[d].size;
    }
    return cover(&w, &whole);
}
