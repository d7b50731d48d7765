/* Pooling of regions. */
#include <string.h>

#include "onnx/operators/move.h"
#include "onnx/operators/network.h"

static bool max_roi_pool(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0), *regions = onnx_input(call, 1);
    uint32_t pooled[2], given;
    if (x == NULL || regions == NULL || x->rank != 4 || regions->rank != 2 || regions->sizes[1] != 5 ||
        onnx_is_empty(x) || onnx_ints(call, "pooled_shape", &given) == NULL) {
        return onnx_refuse(call, "inputs of these sizes, or no pooled_shape");
    }
    if (!onnx_read_sizes(call, "pooled_shape", 2, 1, 1, pooled)) {
        return false;
    }
    const uint32_t sizes[] = {regions->sizes[0], x->sizes[1], pooled[0], pooled[1]};
    struct onnx_tensor *y = onnx_declare(call, x->type, 4, sizes);
    if (y == NULL || onnx_is_empty(y)) {
        return onnx_output(call, 0, y);
    }
    DML_ROI_POOLING_OPERATOR_DESC desc = {.SpatialScale = onnx_float(call, "spatial_scale", 1),
                                          .PooledSize = {pooled[1], pooled[0]}};
    struct onnx_tensor *inputs[] = {x, onnx_pad_rank(call, regions, 4)};
    return inputs[1] != NULL && onnx_emit(call, DML_OPERATOR_ROI_POOLING, &desc, 2, inputs, 1, &y) &&
           onnx_output(call, 0, y);
}

/* ---- RoiAlign ---- */

/* Samples an axis at most of DirectML's. */
#define MOST_SAMPLES 160

/* Elements of what regions become on the way, where bins may have more samples: regions are computed in pieces. */
#define MOST_WEIGHED ((uint64_t)1 << 26)

struct alignment {
    struct onnx_tensor *x, *regions, *pictures;
    uint32_t sizes[4]; /* of the result */
    uint32_t samples;  /* an axis; 0: as many as a bin is long */
    bool is_half_pixel;
    bool is_long; /* bins may have more samples than DirectML's operator takes */
};

static bool read_alignment(const struct onnx_call *call, struct alignment *a) {
    a->x = onnx_input(call, 0);
    a->regions = onnx_input(call, 1);
    a->pictures = onnx_input(call, 2);
    const int64_t height = onnx_int(call, "output_height", 1), width = onnx_int(call, "output_width", 1);
    const int64_t samples = onnx_int(call, "sampling_ratio", 0);
    if (a->x == NULL || a->regions == NULL || a->pictures == NULL || a->x->rank != 4 || a->regions->rank != 2 ||
        a->regions->sizes[1] != 4 || a->pictures->rank != 1 || a->pictures->sizes[0] != a->regions->sizes[0] ||
        onnx_is_empty(a->x)) {
        return onnx_refuse(call, "inputs of these sizes");
    }
    if (a->pictures->type != ONNX_INT64) {
        return onnx_refuse_type(call, "batch_indices of %s", onnx_type_name(a->pictures->type));
    }
    if (strcmp(onnx_text(call, "mode", "avg"), "avg") != 0) {
        return onnx_refuse(call, "mode max: ONNX's is the greatest of weighted neighbours, DirectML's that of samples");
    }
    const char *mode = onnx_text(call, "coordinate_transformation_mode",
                                 call->node->version < 16 ? "output_half_pixel" : "half_pixel");
    a->is_half_pixel = strcmp(mode, "half_pixel") == 0;
    if (!a->is_half_pixel && strcmp(mode, "output_half_pixel") != 0) {
        return onnx_refuse(call, "coordinate_transformation_mode %s", mode);
    }
    if (height < 1 || width < 1 || height > UINT16_MAX || width > UINT16_MAX || samples < 0 || samples > UINT16_MAX) {
        return onnx_refuse(call, "sizes or a sampling_ratio of DirectML's");
    }
    /* A region as large as the picture must fit. */
    a->is_long = samples > MOST_SAMPLES || (samples == 0 && (a->x->sizes[2] > MOST_SAMPLES * height ||
                                                             a->x->sizes[3] > MOST_SAMPLES * width));
    a->sizes[0] = a->regions->sizes[0];
    a->sizes[1] = a->x->sizes[1];
    a->sizes[2] = (uint32_t)height;
    a->sizes[3] = (uint32_t)width;
    a->samples = (uint32_t)samples;
    return true;
}

/* Corners 0 and 1, or 2 and 3: {R, 2}. */
static struct onnx_tensor *corners(const struct onnx_call *call, struct onnx_tensor *regions, uint32_t first) {
    return onnx_slice_axis(call, regions, 1, first, 2, 1);
}

/* Without half pixels a region is one element long at least: never more than that by rounding, which would be another
 * sample. */
static struct onnx_tensor *lengthen(const struct onnx_call *call, struct onnx_tensor *regions) {
    struct onnx_tensor *first = corners(call, regions, 0), *second = corners(call, regions, 2);
    struct onnx_tensor *least = onnx_linear(call, first, 1, 1);
    struct onnx_tensor *excess =
        onnx_linear(call, onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, least, first), 1, -1);
    excess = onnx_unary(call, DML_OPERATOR_ACTIVATION_RELU, excess);
    least = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, least, onnx_linear(call, excess, 2, 0));
    second = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MAX, second, least);
    return onnx_join(call, 2, (struct onnx_tensor *[]){first, second}, 1);
}

/* With half pixels a region of no length has no samples where their number is its length: 0. */
static struct onnx_tensor *clear_empty(const struct onnx_call *call, const struct alignment *a,
                                       struct onnx_tensor *regions, struct onnx_tensor *y) {
    static const uint32_t axis = 1;
    struct onnx_tensor *length =
        onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, corners(call, regions, 2), corners(call, regions, 0));
    struct onnx_tensor *least = onnx_reduce(call, DML_REDUCE_FUNCTION_MIN, length, 1, &axis);
    struct onnx_tensor *is_there =
        onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN, least, onnx_number(call, regions->type, 0));
    is_there = onnx_reshape(call, is_there, 4, (const uint32_t[]){a->sizes[0], 1, 1, 1});
    return onnx_select(call, is_there, y, onnx_number(call, y->type, 0));
}

/* ---- RoiAlign of long bins: the mean of samples is a sum over elements, with a weight for each axis ---- */

/* Samples of a bin: the first, how far they are apart, how many; each {R, bins, 1}. */
struct samples {
    struct onnx_tensor *first, *step, *count;
};

static struct onnx_tensor *number(const struct onnx_call *call, double value) {
    return onnx_number(call, ONNX_FLOAT, value);
}

/* Along y (axis 1) or x (axis 0). */
static struct samples find_samples(const struct onnx_call *call, const struct alignment *a,
                                   struct onnx_tensor *regions, uint32_t axis) {
    const uint32_t count = regions == NULL ? 0 : regions->sizes[0], bins = a->sizes[3 - axis];
    const uint32_t sizes[] = {count, 1, 1};
    struct onnx_tensor *start = onnx_reshape(call, onnx_slice_axis(call, regions, 1, axis, 1, 1), 3, sizes);
    struct onnx_tensor *end = onnx_reshape(call, onnx_slice_axis(call, regions, 1, axis + 2, 1, 1), 3, sizes);
    struct onnx_tensor *size = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE, onnx_subtract(call, end, start),
                                           number(call, bins));
    struct samples s = {.count = number(call, a->samples)};
    if (a->samples == 0) {
        s.count = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MAX,
                              onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_CEIL, size), number(call, 1));
    }
    s.step = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE, size, s.count);
    struct onnx_tensor *bin = onnx_iota(call, ONNX_FLOAT, 3, 1, bins);
    start = onnx_subtract(call, start, number(call, a->is_half_pixel ? 0.5 : 0));
    s.first = onnx_add(call, onnx_add(call, start, onnx_multiply(call, bin, size)), onnx_linear(call, s.step, 0.5F, 0));
    /* Of a region that ends before it starts the last sample comes first. */
    struct onnx_tensor *last = onnx_multiply(call, s.step, onnx_linear(call, s.count, 1, -1));
    s.first = onnx_add(call, s.first, onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MIN, last, number(call, 0)));
    s.step = onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_ABS, s.step);
    s.step = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MAX, s.step, number(call, 1e-30)); /* it is a divisor */
    return s;
}

/* How many samples come before a place. */
static struct onnx_tensor *count_before(const struct onnx_call *call, const struct samples *s,
                                        struct onnx_tensor *place) {
    struct onnx_tensor *before = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE,
                                             onnx_subtract(call, place, s->first), s->step);
    before = onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_CEIL, before);
    before = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MAX, before, number(call, 0));
    return onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MIN, before, s->count);
}

/* The sum over samples `from` to `to` of how far each is from a place, which they are on one side of. */
static struct onnx_tensor *sum_distances(const struct onnx_call *call, const struct samples *s,
                                         struct onnx_tensor *from, struct onnx_tensor *to, struct onnx_tensor *place) {
    struct onnx_tensor *middle = onnx_linear(call, onnx_linear(call, onnx_add(call, from, to), 1, -1), 0.5F, 0);
    middle = onnx_add(call, s->first, onnx_multiply(call, middle, s->step));
    struct onnx_tensor *distance = onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_ABS, onnx_subtract(call, middle, place));
    return onnx_multiply(call, onnx_subtract(call, to, from), distance);
}

/* {R, bins, size}: each element counts for samples less than one away, the more the nearer they are. The first and the
 * last element count fully for samples up to one element outside. */
static struct onnx_tensor *find_weights(const struct onnx_call *call, const struct alignment *a,
                                        struct onnx_tensor *regions, uint32_t axis) {
    const struct samples s = find_samples(call, a, regions, axis);
    const uint32_t size = a->x->sizes[3 - axis];
    struct onnx_tensor *at = onnx_iota(call, ONNX_FLOAT, 3, 2, size);
    struct onnx_tensor *left = onnx_linear(call, at, 1, -1), *right = onnx_linear(call, at, 1, 1);
    struct onnx_tensor *is_last =
        onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, at, number(call, size - 1.0));
    struct onnx_tensor *is_first = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, at, number(call, 0));
    /* A sample at the picture's end is inside. */
    struct onnx_tensor *end = onnx_select(call, is_last, number(call, size * (1 + 0x1p-22)), right);
    struct onnx_tensor *from = count_before(call, &s, left), *middle = count_before(call, &s, at);
    struct onnx_tensor *to = count_before(call, &s, end);
    struct onnx_tensor *before = sum_distances(call, &s, from, middle, left);
    struct onnx_tensor *after = sum_distances(call, &s, middle, to, right);
    before = onnx_select(call, is_first, onnx_subtract(call, middle, from), before);
    after = onnx_select(call, is_last, onnx_subtract(call, to, middle), after);
    return onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_DIVIDE, onnx_add(call, before, after), s.count);
}

/* Some regions: {R, C, bins, bins}. */
static struct onnx_tensor *weigh_regions(const struct onnx_call *call, const struct alignment *a,
                                         struct onnx_tensor *x, struct onnx_tensor *regions,
                                         struct onnx_tensor *pictures) {
    struct onnx_tensor *weights[2];
    const uint32_t count = regions == NULL ? 0 : regions->sizes[0], *sizes = a->x->sizes;
    static const uint32_t turned[] = {0, 1, 3, 2};
    for (uint32_t axis = 0; axis < 2; ++axis) {
        const uint32_t bins = a->sizes[3 - axis];
        weights[axis] = onnx_reshape(call, find_weights(call, a, regions, axis), 4,
                                     (const uint32_t[]){count, 1, bins, sizes[3 - axis]});
        if (weights[axis] == NULL) {
            return NULL;
        }
    }
    weights[0] = onnx_transpose(call, weights[0], turned);
    x = sizes[0] == 1 ? x : onnx_gather(call, x, pictures, 0);
    return onnx_matmul(call, onnx_matmul(call, weights[1], x), weights[0]);
}

static struct onnx_tensor *align_long(const struct onnx_call *call, const struct alignment *a, struct onnx_tensor *x,
                                      struct onnx_tensor *regions) {
    const uint32_t count = a->sizes[0];
    const uint64_t bins = a->sizes[2] + (a->x->sizes[0] == 1 ? 0 : (uint64_t)a->x->sizes[2]);
    const uint64_t most = MOST_WEIGHED / (bins * a->x->sizes[1] * a->x->sizes[3]);
    const uint32_t piece = most == 0 ? 1 : most > count ? count : (uint32_t)most;
    struct onnx_tensor **parts = onnx_scratch(call, (size_t)count / piece + 1, sizeof(struct onnx_tensor *));
    uint32_t part_count = 0;
    for (uint32_t at = 0; parts != NULL && at < count; at += piece) {
        const uint32_t size = count - at < piece ? count - at : piece;
        struct onnx_tensor *some = onnx_slice_axis(call, regions, 0, at, size, 1);
        struct onnx_tensor *pictures = onnx_slice_axis(call, a->pictures, 0, at, size, 1);
        struct onnx_tensor *part = weigh_regions(call, a, x, some, pictures);
        if (part == NULL || !onnx_charge_plan(call, 64)) {
            return NULL;
        }
        parts[part_count++] = part;
    }
    return parts == NULL ? NULL : onnx_join(call, part_count, parts, 0);
}

static bool roi_align(const struct onnx_call *call) {
    struct alignment a;
    if (!read_alignment(call, &a)) {
        return false;
    }
    struct onnx_tensor *y = onnx_declare(call, a.x->type, 4, a.sizes);
    if (y == NULL || onnx_is_empty(y)) {
        return onnx_output(call, 0, y);
    }
    const enum onnx_type type = a.x->type;
    const bool is_half = a.x->type == ONNX_FLOAT16;
    struct onnx_tensor *x = is_half ? onnx_cast(call, a.x, ONNX_FLOAT) : a.x;
    struct onnx_tensor *regions = is_half ? onnx_cast(call, a.regions, ONNX_FLOAT) : a.regions;
    regions = onnx_linear(call, regions, onnx_float(call, "spatial_scale", 1), 0);
    regions = a.is_half_pixel ? regions : lengthen(call, regions);
    struct onnx_tensor *inputs[] = {x, regions, onnx_reinterpret(call, a.pictures, ONNX_UINT64)};
    if (x == NULL || regions == NULL || inputs[2] == NULL) {
        return false;
    }
    DML_ROI_ALIGN1_OPERATOR_DESC desc = {.ReductionFunction = DML_REDUCE_FUNCTION_AVERAGE,
                                         .InterpolationMode = DML_INTERPOLATION_MODE_LINEAR,
                                         .SpatialScaleX = 1,
                                         .SpatialScaleY = 1,
                                         .InputPixelOffset = a.is_half_pixel ? 0.5F : 0,
                                         .OutputPixelOffset = -0.5F,
                                         .MinimumSamplesPerOutput = a.samples == 0 ? 1 : a.samples,
                                         .MaximumSamplesPerOutput = a.samples == 0 ? MOST_SAMPLES : a.samples};
    y = a.is_long ? align_long(call, &a, x, regions) : onnx_declare(call, x->type, 4, a.sizes);
    if (y == NULL || (!a.is_long && !onnx_emit(call, DML_OPERATOR_ROI_ALIGN1, &desc, 3, inputs, 1, &y))) {
        return false;
    }
    y = a.is_half_pixel && a.samples == 0 ? clear_empty(call, &a, regions, y) : y;
    return onnx_output(call, 0, onnx_cast(call, y, type));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "MaxRoiPool", 1, max_roi_pool},
    {ONNX_ML, "RoiAlign", 10, roi_align},
};
ONNX_DEFINE_FAMILY(regions, rows)
