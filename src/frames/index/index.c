#include "frames/index/index.h"

#include <inttypes.h>
#include <string.h>

#include "base/notes.h"
#include "frames/gather/copy.h"
#include "frames/index/index_step.h"

#define INPUT   VKDML_INDEX_OF_INPUT
#define INDICES VKDML_INDEX_OF_INDICES
#define REST    VKDML_INDEX_OF_REST
#define OUTPUT  VKDML_INDEX_OF_OUTPUT

void vkdml_index_begin(struct vkdml_index *index, const struct vkdml_view *output, const struct vkdml_view *input,
                       const struct vkdml_view *indices) {
    memset(index, 0, sizeof(*index));
    index->element_bytes = vkdml_data_type_size(output->at.type);
    index->index_bytes = vkdml_data_type_size(indices->at.type);
    index->index_is_signed =
        indices->at.type == DML_TENSOR_DATA_TYPE_INT32 || indices->at.type == DML_TENSOR_DATA_TYPE_INT64;
    index->rank = output->rank;
    for (uint32_t d = 0; d < index->rank; ++d) {
        index->dimensions[d].size = output->sizes[d];
        index->dimensions[d].strides[OUTPUT] = output->strides[d];
    }
    index->input = input->at;
    index->indices = indices->at;
    index->output = output->at;
}

/* ---- collapsing ---- */

/* Of marks for processors: whose coordinate is the number comes last, so that an invocation may walk all that names one
 * element (index_step.c). */
static void put_numbers_last(struct vkdml_index *index) {
    for (uint32_t d = 0; d + 1 < index->rank; ++d) {
        if (index->dimensions[d].strides[INPUT] == 0 && index->dimensions[d].strides[REST] != 0) {
            const struct vkdml_dimension moved = index->dimensions[d];
            memmove(&index->dimensions[d], &index->dimensions[d + 1],
                    (index->rank - d - 1) * sizeof(index->dimensions[0]));
            index->dimensions[index->rank - 1] = moved;
            return;
        }
    }
}

static void collapse(struct vkdml_index *index) {
    index->rank = vkdml_dimensions_collapse(index->dimensions, index->rank, OUTPUT);
    if (index->rank == 0) {
        index->dimensions[0] = (struct vkdml_dimension){.size = 1};
        index->rank = 1;
    }
}

/* ---- windows ---- */

struct windows {
    const struct vkdml_index *index;
    struct vkdml_builder *builder;
    uint64_t reach; /* elements that indices lead from the first one to the last */
    bool cuts;      /* the input: it cannot be bound as far as indices reach */
};

/* The tensors, in the order in which they are made to fit. */
static const enum vkdml_index_stride tensors[] = {OUTPUT, INDICES, INPUT, REST};
#define TENSOR_COUNT (sizeof(tensors) / sizeof(tensors[0]))

/* Whether a tensor is one of those that are bound. */
static bool is_bound(const struct vkdml_index *index, enum vkdml_index_stride t) {
    return t == REST ? index->mode == VKDML_INDEX_SCATTER : t == OUTPUT ? index->mode != VKDML_INDEX_MARK : true;
}

/* How far indices lead into the input. */
static uint64_t reach_of_columns(const struct vkdml_index *index) {
    if (index->mode == VKDML_INDEX_ONE_HOT) {
        return index->columns[0].stride;
    }
    uint64_t reach = 0;
    for (uint32_t k = 0; k < index->column_count; ++k) {
        reach += (index->columns[k].size - 1) * (uint64_t)index->columns[k].stride;
    }
    return reach;
}

static uint64_t reach_of_tuple(const struct vkdml_index *index) {
    return (index->column_count - 1) * (uint64_t)index->column_index_stride;
}

/* Whether so many elements can be bound wherever they begin. */
static bool can_bind(const struct vkdml_plan_limits *limits, uint64_t elements, uint32_t element_bytes) {
    /* Up to 3 bytes before and after go to whole words. */
    return elements <= UINT64_MAX / 16 && vkdml_fits(limits, 4, elements * element_bytes + 6);
}

static const struct vkdml_origin *origin_of(const struct vkdml_index *index, enum vkdml_index_stride t) {
    return t == INPUT ? &index->input : t == INDICES ? &index->indices : t == REST ? &index->rest : &index->output;
}

static struct vkdml_span span_of(const struct windows *w, enum vkdml_index_stride t, const struct vkdml_box *box) {
    struct vkdml_span span = {origin_of(w->index, t)->first, 1 + (t == INPUT     ? w->reach
                                                                  : t == INDICES ? reach_of_tuple(w->index)
                                                                                 : 0)};
    for (uint32_t d = 0; d < w->index->rank; ++d) {
        const uint64_t stride = w->index->dimensions[d].strides[t];
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    return span;
}

static struct vkdml_window window_of(const struct windows *w, enum vkdml_index_stride t, const struct vkdml_box *box) {
    const uint32_t bytes = t == INDICES ? w->index->index_bytes : w->index->element_bytes;
    return vkdml_window_of(span_of(w, t, box), 8 * bytes);
}

static uint64_t bytes(void *context, uint32_t n, const struct vkdml_box *box, bool *fits) {
    const struct windows *w = context;
    if (!is_bound(w->index, tensors[n])) {
        *fits = true;
        return 0;
    }
    const struct vkdml_window window = window_of(w, tensors[n], box);
    *fits = (tensors[n] == INPUT && w->cuts) ||
            vkdml_fits(w->builder->limits, origin_of(w->index, tensors[n])->offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t n, const struct vkdml_box *box, uint32_t d) {
    const struct windows *w = context;
    return (uint64_t)(box->size[d] - 1) * w->index->dimensions[d].strides[tensors[n]];
}

static VkdmlResult add_step(const struct windows *w, const struct vkdml_index_part *part) {
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(w->builder, &step);
    return result == VKDML_SUCCESS ? vkdml_index_fill_step(w->index, part, w->builder->limits, w->builder->report, step)
                                   : result;
}

/* The bytes of a window of the input, a multiple of 16. */
static uint64_t window_bytes(const struct vkdml_plan_limits *limits) {
    uint64_t size = limits->max_storage_buffer_range & ~UINT64_C(15);
    while (size > 16 && !vkdml_fits(limits, 4, size)) {
        size -= 16;
    }
    return size;
}

/* A step for each part of the input that can be bound; they write each what its part has. Parts begin at multiples of 4
 * bytes, so that no two have an element in common. */
static VkdmlResult add_windows(const struct windows *w, struct vkdml_index_part *part) {
    const struct vkdml_window whole = part->input;
    const uint64_t most = window_bytes(w->builder->limits);
    if (whole.size / w->index->element_bytes > UINT32_MAX) {
        return vkdml_report_add(w->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "indices reach %" PRIu64 " elements, must be at most %" PRIu32
                                " where maxStorageBufferRange (%" PRIu64 ") cannot bind them",
                                whole.size / w->index->element_bytes, UINT32_MAX,
                                w->builder->limits->max_storage_buffer_range);
    }
    VkdmlResult result = VKDML_SUCCESS;
    part->has_windows = true;
    for (uint64_t at = 0; at < whole.size && result == VKDML_SUCCESS; at += most) {
        part->input.offset = whole.offset + at;
        part->input.size = whole.size - at < most ? whole.size - at : most;
        part->is_first_window = at == 0;
        result = add_step(w, part);
    }
    return result;
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    const struct windows *w = context;
    struct vkdml_index_part part = {.box = *box,
                                    .output = window_of(w, OUTPUT, box),
                                    .indices = window_of(w, INDICES, box),
                                    .input = window_of(w, INPUT, box)};
    if (is_bound(w->index, REST)) {
        part.rest = window_of(w, REST, box);
    }
    return vkdml_fits(w->builder->limits, w->index->input.offset + part.input.offset, part.input.size)
               ? add_step(w, &part)
               : add_windows(w, &part);
}

/* ---- packing ---- */

static void add_dimension(struct vkdml_gather *gather, uint32_t size, uint32_t stride) {
    gather->dimensions[gather->count++] =
        (struct vkdml_gather_dimension){.size = size, .input_stride = stride, .input_size = size};
}

/* Indices of which an element's lie too far apart. */
static VkdmlResult pack_indices(struct vkdml_index *index, struct vkdml_builder *builder) {
    struct vkdml_gather gather = {.count = 0};
    for (uint32_t d = 0; d < index->rank; ++d) {
        if (index->dimensions[d].strides[INDICES] != 0) {
            add_dimension(&gather, index->dimensions[d].size, index->dimensions[d].strides[INDICES]);
        }
    }
    add_dimension(&gather, index->column_count, index->column_index_stride);
    const VkdmlResult result = vkdml_copy_pack(&gather, &index->indices, builder);
    vkdml_builder_phase(builder);
    uint32_t packed = 0;
    for (uint32_t d = 0; d < index->rank; ++d) {
        if (index->dimensions[d].strides[INDICES] != 0) {
            index->dimensions[d].strides[INDICES] = gather.dimensions[packed++].output_stride;
        }
    }
    index->column_index_stride = 1;
    return result;
}

/* Two values that lie too far apart. */
static VkdmlResult pack_values(struct vkdml_index *index, struct vkdml_builder *builder) {
    struct vkdml_gather gather = {.count = 0};
    add_dimension(&gather, 2, index->columns[0].stride);
    index->columns[0].stride = 1;
    const VkdmlResult result = vkdml_copy_pack(&gather, &index->input, builder);
    vkdml_builder_phase(builder);
    return result;
}

VkdmlResult vkdml_index_plan(const struct vkdml_index *index, struct vkdml_builder *builder) {
    struct vkdml_index collapsed = *index;
    collapse(&collapsed);
    VkdmlResult result = VKDML_SUCCESS;
    if (!can_bind(builder->limits, reach_of_tuple(&collapsed) + 1, collapsed.index_bytes)) {
        vkdml_note(builder->report,
                   "index: an element's indices lie too far apart to be bound, and are packed in the temporary "
                   "resource first");
        result = pack_indices(&collapsed, builder);
        collapse(&collapsed);
    }
    struct windows w = {&collapsed, builder, reach_of_columns(&collapsed), false};
    w.cuts = !can_bind(builder->limits, w.reach + 1, collapsed.element_bytes);
    if (collapsed.mode == VKDML_INDEX_MARK && builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL) {
        put_numbers_last(&collapsed);
    }
    if (result == VKDML_SUCCESS && w.cuts && collapsed.mode == VKDML_INDEX_ONE_HOT) {
        result = pack_values(&collapsed, builder);
        w.reach = 1;
        w.cuts = false;
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    static const char *const names[VKDML_DIMENSION_STRIDES] = {
        [INPUT] = "input strides", [INDICES] = "indices strides", [OUTPUT] = "output strides"};
    vkdml_dimensions_note(collapsed.dimensions, collapsed.rank, "index, collapsed", names, builder->report);
    const struct vkdml_covering covering = {&w, collapsed.rank, TENSOR_COUNT, builder, bytes, reach, add};
    struct vkdml_box whole = vkdml_box_of(collapsed.rank, &collapsed.dimensions->size, sizeof(*collapsed.dimensions));
    return vkdml_cover(&covering, &whole);
}

VkdmlResult vkdml_index_plan_update(const struct vkdml_index *index, struct vkdml_builder *builder, bool *is_planned) {
    struct vkdml_index collapsed = *index;
    const struct vkdml_dimension updates = index->dimensions[index->rank - 1];
    collapsed.rank = vkdml_dimensions_collapse(collapsed.dimensions, index->rank - 1, OUTPUT);
    collapsed.dimensions[collapsed.rank++] = updates;
    const struct windows w = {&collapsed, builder, 0, false};
    struct vkdml_box box = vkdml_box_of(collapsed.rank, &collapsed.dimensions->size, sizeof(*collapsed.dimensions));
    struct vkdml_index_part part = {
        .box = box, .indices = window_of(&w, INDICES, &box), .input = window_of(&w, INPUT, &box)};
    box.size[collapsed.rank - 1] = collapsed.columns[0].size;
    part.output = window_of(&w, OUTPUT, &box);
    part.rest = window_of(&w, REST, &box);
    *is_planned = vkdml_fits(builder->limits, collapsed.indices.offset + part.indices.offset, part.indices.size) &&
                  vkdml_fits(builder->limits, collapsed.input.offset + part.input.offset, part.input.size) &&
                  vkdml_fits(builder->limits, collapsed.rest.offset + part.rest.offset, part.rest.size) &&
                  vkdml_fits(builder->limits, collapsed.output.offset + part.output.offset, part.output.size) &&
                  vkdml_index_has_lines(&collapsed, &part, builder->limits);
    return *is_planned ? add_step(&w, &part) : VKDML_SUCCESS;
}
