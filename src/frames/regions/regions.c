/* What a device cannot bind whole is cut along the output, and where that does not help along the input: pictures, and
 * rows and columns, whose parts add up in the output, a dispatch after the other. */
#include "frames/regions/regions.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/gather/copy.h"
#include "frames/map/map.h"
#include "frames/regions/regions_step.h"

/* What is made to fit, in that order: of the first step the first three, of the second the others. */
enum { FIRST_OF_RECORDS = VKDML_REGIONS_CORNERS, FIRST_OF_BINS = VKDML_REGIONS_RECORDS, TURNS = VKDML_REGIONS_TENSORS };

#define RECORD_BITS (8 * VKDML_REGIONS_RECORD_BYTES)

struct windows {
    const struct vkdml_regions_bins *bins;
    struct vkdml_builder *builder;
    uint32_t first;    /* tensor */
    bool is_rehearsal; /* nothing is added */
    bool accumulates;  /* found: parts of planes */
};

/* ---- covering ---- */

/* What points take beside their first element. */
static uint32_t halo(const struct windows *w, const struct vkdml_box *box, uint32_t d) {
    const struct vkdml_regions *regions = w->bins->regions;
    const uint32_t size = regions->input.sizes[d == VKDML_REGIONS_Y ? 2 : 3];
    const bool is_plane = d == VKDML_REGIONS_Y || d == VKDML_REGIONS_X;
    return is_plane && regions->interpolates && (uint64_t)box->origin[d] + box->size[d] < size ? 1 : 0;
}

static struct vkdml_span span_of(const struct windows *w, uint32_t t, const struct vkdml_box *box) {
    const struct vkdml_regions_tensor *tensor = &w->bins->tensors[t];
    struct vkdml_span span = {tensor->at.first, 1};
    for (uint32_t d = 0; d < VKDML_REGIONS_RANK; ++d) {
        const uint64_t more = t == VKDML_REGIONS_INPUT ? halo(w, box, d) : 0;
        span.first += (uint64_t)box->origin[d] * tensor->strides[d];
        span.count += (box->size[d] - 1 + more) * tensor->strides[d];
    }
    if (t == VKDML_REGIONS_TARGET && w->bins->regions->result == VKDML_REGIONS_CORNER_TERMS) {
        span.count += 3;
    }
    if (t == VKDML_REGIONS_CORNERS) {
        span.count += (!vkdml_view_exists(&w->bins->regions->indices) ? 4 : 3) * (uint64_t)tensor->column_stride;
    }
    return span;
}

static struct vkdml_window window_of(const struct windows *w, uint32_t t, const struct vkdml_box *box) {
    const DML_TENSOR_DATA_TYPE type = w->bins->tensors[t].at.type;
    return vkdml_window_of(span_of(w, t, box), t == VKDML_REGIONS_RECORDS ? RECORD_BITS : vkdml_data_type_bits(type));
}

static uint64_t bytes(void *context, uint32_t n, const struct vkdml_box *box, bool *fits) {
    const struct windows *w = context;
    const uint32_t t = w->first + n;
    if (t == TURNS) {
        const uint64_t turns =
            vkdml_regions_turns(w->bins->regions, box->size[VKDML_REGIONS_Y], box->size[VKDML_REGIONS_X]);
        *fits = turns <= VKDML_REGIONS_MOST_TURNS;
        return vkdml_divide_up(turns, VKDML_REGIONS_MOST_TURNS) * w->builder->limits->max_storage_buffer_range;
    }
    if ((t == VKDML_REGIONS_INDICES && !vkdml_view_exists(&w->bins->regions->indices)) ||
        (t == VKDML_REGIONS_GRADIENT && !vkdml_view_exists(&w->bins->regions->gradient))) {
        *fits = true;
        return 0;
    }
    const struct vkdml_window window = window_of(w, t, box);
    *fits = vkdml_fits(w->builder->limits, w->bins->tensors[t].at.offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t n, const struct vkdml_box *box, uint32_t d) {
    const struct windows *w = context;
    const uint32_t t = w->first + n;
    if (t == TURNS) {
        return d == VKDML_REGIONS_Y || d == VKDML_REGIONS_X ? box->size[d] : 0;
    }
    return (uint64_t)(box->size[d] - 1) * w->bins->tensors[t].strides[d];
}

static VkdmlResult refuse_parts(struct vkdml_builder *builder) {
    return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "maxStorageBufferRange (%" PRIu64 ") is too small for a picture",
                            builder->limits->max_storage_buffer_range);
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    struct windows *w = context;
    const struct vkdml_view *input = &w->bins->regions->input;
    struct vkdml_regions_part part = {.is_first = w->first == FIRST_OF_RECORDS, .box = *box};
    part.has_parts = box->size[VKDML_REGIONS_PICTURE] != input->sizes[0] ||
                     box->size[VKDML_REGIONS_Y] != input->sizes[2] || box->size[VKDML_REGIONS_X] != input->sizes[3];
    part.accumulates = box->origin[VKDML_REGIONS_Y] != 0 || box->origin[VKDML_REGIONS_X] != 0;
    w->accumulates = w->accumulates || part.accumulates;
    if (part.accumulates && w->bins->regions->result != VKDML_REGIONS_POOLED) {
        return refuse_parts(w->builder);
    }
    if (w->is_rehearsal) {
        return VKDML_SUCCESS;
    }
    for (uint32_t t = 0; t < VKDML_REGIONS_TENSORS; ++t) {
        part.spans[t] = span_of(w, t, box);
    }
    if (part.accumulates) { /* a covering comes to an element's first part first */
        vkdml_builder_phase(w->builder);
    }
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(w->builder, &step);
    if (result == VKDML_SUCCESS) {
        result = vkdml_regions_fill_step(w->bins, &part, w->builder->limits, w->builder->report, step);
    }
    return result;
}

/* Adds the steps from tensor `first` on. */
static VkdmlResult cover(struct windows *w, uint32_t first) {
    const struct vkdml_view *input = &w->bins->regions->input, *output = &w->bins->regions->output;
    const bool is_first = first == FIRST_OF_RECORDS;
    const struct vkdml_covering covering = {
        w, VKDML_REGIONS_RANK, is_first ? 3 : TURNS + 1 - first, w->builder, bytes, reach, add};
    struct vkdml_box whole = {{0}, {output->sizes[0], 1, 1, 1, 1, 1, 1}};
    if (!is_first) {
        memcpy(whole.size, output->sizes, 4 * sizeof(whole.size[0]));
        whole.size[VKDML_REGIONS_PICTURE] = input->sizes[0];
        whole.size[VKDML_REGIONS_Y] = input->sizes[2];
        whole.size[VKDML_REGIONS_X] = input->sizes[3];
    }
    w->first = first;
    return vkdml_cover_until(&covering, &whole, w->is_rehearsal ? &w->accumulates : NULL);
}

/* ---- packing ---- */

/* Whether so many elements can be bound wherever they begin. */
static bool can_bind(const struct vkdml_plan_limits *limits, uint64_t elements, DML_TENSOR_DATA_TYPE type) {
    return vkdml_fits(limits, 4, elements * vkdml_data_type_size(type) + 6);
}

static void add_dimension(struct vkdml_gather *gather, uint32_t size, uint32_t stride) {
    gather->dimensions[gather->count++] =
        (struct vkdml_gather_dimension){.size = size, .input_stride = stride, .input_size = size};
}

/* Where not even a region's numbers can be bound. */
static VkdmlResult pack_corners(const struct windows *w, struct vkdml_regions_tensor *tensor) {
    const uint32_t columns = !vkdml_view_exists(&w->bins->regions->indices) ? 5 : 4;
    if (can_bind(w->builder->limits, 1 + (columns - 1) * (uint64_t)tensor->column_stride, tensor->at.type)) {
        return VKDML_SUCCESS;
    }
    struct vkdml_gather gather = {0};
    add_dimension(&gather, w->bins->regions->output.sizes[0], tensor->strides[VKDML_REGIONS_REGION]);
    add_dimension(&gather, columns, tensor->column_stride);
    tensor->strides[VKDML_REGIONS_REGION] = columns;
    tensor->column_stride = 1;
    return vkdml_copy_pack(&gather, &tensor->at, w->builder);
}

/* Where not even a point's four elements can be bound. The shorter of rows and columns comes to lie together. */
static VkdmlResult pack_input(const struct windows *w, struct vkdml_regions_tensor *tensor) {
    const struct vkdml_view *input = &w->bins->regions->input;
    const uint64_t down = input->sizes[2] > 1 ? tensor->strides[VKDML_REGIONS_Y] : 0;
    const uint64_t along = input->sizes[3] > 1 ? tensor->strides[VKDML_REGIONS_X] : 0;
    if (!w->bins->regions->interpolates || can_bind(w->builder->limits, 1 + down + along, tensor->at.type)) {
        return VKDML_SUCCESS;
    }
    const uint32_t shorter = input->sizes[2] < input->sizes[3] ? VKDML_REGIONS_Y : VKDML_REGIONS_X;
    const uint32_t longer = shorter == VKDML_REGIONS_Y ? VKDML_REGIONS_X : VKDML_REGIONS_Y;
    const uint32_t order[] = {VKDML_REGIONS_PICTURE, VKDML_REGIONS_CHANNEL, longer, shorter};
    const uint32_t sizes[VKDML_REGIONS_RANK] = {
        [VKDML_REGIONS_PICTURE] = input->sizes[0],
        [VKDML_REGIONS_CHANNEL] = input->sizes[1],
        [VKDML_REGIONS_Y] = input->sizes[2],
        [VKDML_REGIONS_X] = input->sizes[3],
    };
    struct vkdml_gather gather = {0};
    for (uint32_t n = 0; n < 4; ++n) {
        add_dimension(&gather, sizes[order[n]], tensor->strides[order[n]]);
    }
    const VkdmlResult result = vkdml_copy_pack(&gather, &tensor->at, w->builder);
    for (uint32_t n = 0; n < 4; ++n) {
        tensor->strides[order[n]] = gather.dimensions[n].output_stride;
    }
    return result;
}

/* ---- plans ---- */

static void set_tensors(const struct vkdml_regions *regions, struct vkdml_regions_bins *bins) {
    const struct vkdml_view *corners = &regions->corners, *indices = &regions->indices;
    const uint32_t last = corners->rank - 1;
    const uint32_t *input = regions->input.strides;
    bins->regions = regions;
    bins->tensors[VKDML_REGIONS_CORNERS] = (struct vkdml_regions_tensor){
        .at = corners->at, .strides = {corners->strides[last - 1]}, .column_stride = corners->strides[last]};
    if (vkdml_view_exists(indices)) {
        bins->tensors[VKDML_REGIONS_INDICES] =
            (struct vkdml_regions_tensor){.at = indices->at, .strides = {indices->strides[indices->rank - 1]}};
    }
    bins->tensors[VKDML_REGIONS_INPUT] = (struct vkdml_regions_tensor){
        .at = regions->input.at, .strides = {0, input[1], 0, 0, input[0], input[2], input[3]}};
    bins->tensors[VKDML_REGIONS_TARGET] = (struct vkdml_regions_tensor){.at = regions->output.at};
    memcpy(bins->tensors[VKDML_REGIONS_TARGET].strides, regions->output.strides, 4 * sizeof(uint32_t));
    bins->tensors[VKDML_REGIONS_GRADIENT] = (struct vkdml_regions_tensor){.at = regions->gradient.at};
    memcpy(bins->tensors[VKDML_REGIONS_GRADIENT].strides, regions->gradient.strides, 4 * sizeof(uint32_t));
}

/* Averages of FLOAT16 that add up: numbers in the temporary resource first, which are rounded once. */
static VkdmlResult plan_in_two(struct windows *w, const struct vkdml_regions_bins *bins) {
    const struct vkdml_view *output = &bins->regions->output;
    const struct vkdml_view averages =
        vkdml_builder_scratch(w->builder, "averages", output, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_regions_bins sums = *bins;
    sums.tensors[VKDML_REGIONS_TARGET].at = averages.at;
    memcpy(sums.tensors[VKDML_REGIONS_TARGET].strides, averages.strides, 4 * sizeof(uint32_t));
    struct vkdml_map map;
    vkdml_map_begin(&map, *output);
    map.operation = VKDML_MAP_CAST;
    vkdml_map_set_operand(&map, 0, averages);
    w->bins = &sums;
    const VkdmlResult result = cover(w, FIRST_OF_BINS);
    vkdml_builder_phase(w->builder);
    return result == VKDML_SUCCESS ? vkdml_map_plan(&map, w->builder) : result;
}

VkdmlResult vkdml_regions_begin(const struct vkdml_regions *regions, struct vkdml_regions_bins *bins,
                                struct vkdml_builder *builder) {
    const struct windows w = {.bins = bins, .builder = builder};
    set_tensors(regions, bins);
    vkdml_note(builder->report,
               "regions: what the bins of a region share is computed first, into a record of %d bytes for each",
               VKDML_REGIONS_RECORD_BYTES);
    return pack_corners(&w, &bins->tensors[VKDML_REGIONS_CORNERS]);
}

VkdmlResult vkdml_regions_plan_records(struct vkdml_regions_bins *bins, const struct vkdml_origin *records,
                                       struct vkdml_builder *builder) {
    struct windows w = {.bins = bins, .builder = builder};
    bins->tensors[VKDML_REGIONS_RECORDS] = (struct vkdml_regions_tensor){.at = *records, .strides = {1}};
    vkdml_builder_phase(builder);
    return cover(&w, FIRST_OF_RECORDS);
}

VkdmlResult vkdml_regions_plan(const struct vkdml_regions *regions, struct vkdml_builder *builder) {
    struct vkdml_regions_bins bins = {0};
    struct windows w = {.bins = &bins, .builder = builder};
    VkdmlResult result = vkdml_regions_begin(regions, &bins, builder);
    if (result == VKDML_SUCCESS) {
        result = pack_input(&w, &bins.tensors[VKDML_REGIONS_INPUT]);
    }
    const struct vkdml_origin records = vkdml_builder_region(
        builder, "records of regions", (uint64_t)regions->output.sizes[0] * VKDML_REGIONS_RECORD_BYTES,
        DML_TENSOR_DATA_TYPE_UNKNOWN);
    if (result == VKDML_SUCCESS) {
        result = vkdml_regions_plan_records(&bins, &records, builder);
    }
    w.is_rehearsal = true;
    if (result == VKDML_SUCCESS) {
        result = cover(&w, FIRST_OF_BINS);
    }
    w.is_rehearsal = false;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const bool rounds = regions->averages && regions->output.at.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    vkdml_builder_phase(builder);
    return w.accumulates && rounds ? plan_in_two(&w, &bins) : cover(&w, FIRST_OF_BINS);
}
