/* Gradients of planes: of each element the regions whose points lie on it. What a device cannot bind whole is cut along
 * the target, and along regions and bins, whose sums add up, a dispatch after the other. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/map/map.h"
#include "frames/regions/region_gradient_step.h"
#include "plan/step.h"

/* What is made to fit beside the tensors. */
#define TURNS VKDML_REGION_GRADIENT_TENSORS

struct windows {
    const struct vkdml_region_gradient *gradient;
    struct vkdml_builder *builder;
    bool is_rehearsal; /* nothing is added */
    bool accumulates;  /* found: parts of sums */
};

static struct vkdml_span span_of(const struct vkdml_regions_tensor *tensor, const struct vkdml_box *box) {
    struct vkdml_span span = {tensor->at.first, 1};
    for (uint32_t d = 0; d < VKDML_REGIONS_RANK; ++d) {
        span.first += (uint64_t)box->origin[d] * tensor->strides[d];
        span.count += (uint64_t)(box->size[d] - 1) * tensor->strides[d];
    }
    return span;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* How many points of a region lie on an element along an axis, at most: as many as there are where the least number is
 * taken; where more are taken, so that they lie half an element apart or farther, those few. */
static uint64_t points_on(const struct vkdml_regions *regions, uint64_t bins) {
    const uint64_t few = 10, fewest = bins * regions->least_samples, all = bins * regions->most_samples;
    return least(fewest > few ? fewest : few, all);
}

/* Turns of an invocation's loops. */
static uint64_t turns_of(const struct vkdml_regions *regions, const struct vkdml_box *box) {
    const uint64_t rows = box->size[VKDML_REGIONS_BIN_Y], columns = box->size[VKDML_REGIONS_BIN_X];
    const uint64_t down = points_on(regions, rows), along = points_on(regions, columns);
    const uint64_t region = 4 + down + least(rows, down) * (1 + along + least(columns, along));
    return box->size[VKDML_REGIONS_REGION] * region;
}

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct windows *w = context;
    if (t == TURNS) {
        const uint64_t turns = turns_of(w->gradient->regions, box);
        *fits = turns <= VKDML_REGIONS_MOST_TURNS;
        return vkdml_divide_up(turns, VKDML_REGIONS_MOST_TURNS) * w->builder->limits->max_storage_buffer_range;
    }
    const struct vkdml_regions_tensor *tensor = &w->gradient->tensors[t];
    if (tensor->at.type == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        *fits = true;
        return 0;
    }
    const struct vkdml_window window = vkdml_window_of(span_of(tensor, box), vkdml_data_type_bits(tensor->at.type));
    *fits = vkdml_fits(w->builder->limits, tensor->at.offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct windows *w = context;
    if (t == TURNS) { /* regions first */
        return d == VKDML_REGIONS_REGION                              ? UINT64_MAX
               : d == VKDML_REGIONS_BIN_Y || d == VKDML_REGIONS_BIN_X ? box->size[d]
                                                                      : 0;
    }
    return (uint64_t)(box->size[d] - 1) * w->gradient->tensors[t].strides[d];
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    struct windows *w = context;
    struct vkdml_region_gradient_part part = {.box = *box};
    part.accumulates = box->origin[VKDML_REGIONS_REGION] != 0 || box->origin[VKDML_REGIONS_BIN_Y] != 0 ||
                       box->origin[VKDML_REGIONS_BIN_X] != 0;
    w->accumulates = w->accumulates || part.accumulates;
    if (w->is_rehearsal) {
        return VKDML_SUCCESS;
    }
    for (uint32_t t = 0; t < VKDML_REGION_GRADIENT_TENSORS; ++t) {
        part.spans[t] = span_of(&w->gradient->tensors[t], box);
    }
    if (part.accumulates) { /* a covering comes to an element's first part first */
        vkdml_builder_phase(w->builder);
    }
    struct vkdml_plan_step *step;
    const VkdmlResult result = vkdml_builder_add(w->builder, &step);
    return result != VKDML_SUCCESS
               ? result
               : vkdml_region_gradient_fill_step(w->gradient, &part, w->builder->limits, w->builder->report, step);
}

static VkdmlResult cover(struct windows *w) {
    const struct vkdml_regions *regions = w->gradient->regions;
    const struct vkdml_covering covering = {w, VKDML_REGIONS_RANK, TURNS + 1, w->builder, bytes, reach, add};
    const uint32_t *bins = regions->output.sizes, *planes = regions->input.sizes;
    const struct vkdml_box whole = {{0}, {bins[0], bins[1], bins[2], bins[3], planes[0], planes[2], planes[3]}};
    return vkdml_cover_until(&covering, &whole, w->is_rehearsal ? &w->accumulates : NULL);
}

static struct vkdml_regions_tensor of_bins(const struct vkdml_view *view) {
    return (struct vkdml_regions_tensor){
        .at = view->at, .strides = {view->strides[0], view->strides[1], view->strides[2], view->strides[3]}};
}

static struct vkdml_regions_tensor of_planes(const struct vkdml_view *view) {
    return (struct vkdml_regions_tensor){
        .at = view->at, .strides = {0, view->strides[1], 0, 0, view->strides[0], view->strides[2], view->strides[3]}};
}

static VkdmlResult plan_table(struct vkdml_region_gradient *gradient, struct vkdml_builder *builder) {
    const struct vkdml_regions *regions = gradient->regions;
    struct vkdml_regions_bins bins = {0};
    VkdmlResult result = vkdml_regions_begin(regions, &bins, builder);
    gradient->record_bytes = (uint64_t)regions->output.sizes[0] * VKDML_REGIONS_RECORD_BYTES;
    gradient->table_bytes = regions->output.sizes[0] * vkdml_region_gradient_pairs(regions) * 8;
    const uint64_t size = gradient->record_bytes + gradient->table_bytes;
    gradient->records = vkdml_builder_region(builder, "records of regions, and where their points lie", size,
                                             DML_TENSOR_DATA_TYPE_UNKNOWN);
    if (result == VKDML_SUCCESS && !vkdml_fits(builder->limits, gradient->records.offset, size)) {
        result = vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                  "maxStorageBufferRange (%" PRIu64 ") is too small for %" PRIu64
                                  " bytes that say where points of regions lie",
                                  builder->limits->max_storage_buffer_range, size);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_regions_plan_records(&bins, &gradient->records, builder);
    }
    struct vkdml_plan_step *step;
    vkdml_builder_phase(builder);
    if (result == VKDML_SUCCESS) {
        result = vkdml_builder_add(builder, &step);
    }
    return result != VKDML_SUCCESS ? result
                                   : vkdml_region_gradient_fill_table(gradient, builder->limits, builder->report, step);
}

/* Sums of FLOAT16 that add up: numbers in the temporary resource first, which are rounded once. */
static VkdmlResult plan_in_two(struct windows *w) {
    const struct vkdml_view *target = &w->gradient->regions->input;
    struct vkdml_region_gradient sums = *w->gradient;
    const struct vkdml_view numbers = vkdml_builder_scratch(w->builder, "sums", target, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_map map;
    vkdml_map_begin(&map, *target);
    map.operation = VKDML_MAP_CAST;
    vkdml_map_set_operand(&map, 0, numbers);
    sums.tensors[VKDML_REGION_GRADIENT_TARGET] = of_planes(&numbers);
    w->gradient = &sums;
    const VkdmlResult result = cover(w);
    vkdml_builder_phase(w->builder);
    return result == VKDML_SUCCESS ? vkdml_map_plan(&map, w->builder) : result;
}

VkdmlResult vkdml_region_gradient_plan(const struct vkdml_regions *regions, const struct vkdml_view *winners,
                                       struct vkdml_builder *builder) {
    struct vkdml_region_gradient gradient = {.regions = regions};
    struct windows w = {.gradient = &gradient, .builder = builder, .is_rehearsal = true};
    gradient.tensors[VKDML_REGION_GRADIENT_SOURCE] = of_bins(&regions->output);
    gradient.tensors[VKDML_REGION_GRADIENT_TARGET] = of_planes(&regions->input);
    gradient.tensors[VKDML_REGION_GRADIENT_WINNERS].at.type = DML_TENSOR_DATA_TYPE_UNKNOWN;
    if (winners != NULL) {
        gradient.tensors[VKDML_REGION_GRADIENT_WINNERS] = of_bins(winners);
    }
    VkdmlResult result = plan_table(&gradient, builder);
    if (result == VKDML_SUCCESS) {
        result = cover(&w);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    w.is_rehearsal = false;
    vkdml_builder_phase(builder);
    if (w.accumulates && regions->input.at.type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        return plan_in_two(&w);
    }
    return cover(&w);
}
