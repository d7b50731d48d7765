/* Resize and Upsample. Where an element of the output lies in the input is known when a node is translated, so each
 * axis is a table of neighbours and weights; RESAMPLE takes what it can say, the rest is gathered and weighted. */
#include <math.h>

#include "onnx/operators/resize.h"

#define MOST_TAPS 64 /* neighbours of an element along an axis that are summed one by one */

static double place_of(const struct onnx_resize *r, const struct onnx_resize_axis *a, uint32_t y) {
    const double in = a->in, width = a->width;
    switch (r->coordinates) {
    case ONNX_ALIGN_CORNERS:
        return width == 1 ? 0 : y * (in - 1) / (width - 1);
    case ONNX_ASYMMETRIC:
        return y / a->scale;
    case ONNX_TF_HALF_PIXEL_FOR_NN:
        return (y + 0.5) / a->scale;
    case ONNX_TF_CROP_AND_RESIZE:
        return a->start * (in - 1) +
               (width == 1 ? (a->end - a->start) * (in - 1) / 2 : y * (a->end - a->start) * (in - 1) / (width - 1));
    case ONNX_PYTORCH_HALF_PIXEL:
        return a->out == 1 ? 0 : (y + 0.5) / a->scale - 0.5;
    case ONNX_HALF_PIXEL_SYMMETRIC:
        return in / 2 * (1 - a->out / width) + (y + 0.5) / a->scale - 0.5;
    default:
        return (y + 0.5) / a->scale - 0.5;
    }
}

static uint32_t within(double place, uint32_t size) {
    return !(place > 0) ? 0 : place >= size - 1.0 ? size - 1 : (uint32_t)place;
}

static bool is_same(const struct onnx_resize *r, const struct onnx_resize_axis *a) {
    return a->in == a->out && fabs(a->scale - 1) <= 1e-9 &&
           (r->coordinates != ONNX_TF_CROP_AND_RESIZE || (fabs(a->start) <= 1e-9 && fabs(a->end - 1) <= 1e-9));
}

/* ---- nearest ---- */

static double nearest(const struct onnx_resize *r, const struct onnx_resize_axis *a, uint32_t y) {
    const double place = place_of(r, a, y), low = floor(place);
    switch (r->rounding) {
    case ONNX_FLOOR:
        return low;
    case ONNX_CEIL:
        return ceil(place);
    case ONNX_ROUND_PREFER_CEIL:
        return place - low >= 0.5 ? low + 1 : low;
    case ONNX_SIMPLE:
        return a->scale < 1 ? ceil(place) : low;
    default:
        return place - low > 0.5 ? low + 1 : low;
    }
}

static uint32_t *nearest_table(const struct onnx_call *call, const struct onnx_resize *r,
                               const struct onnx_resize_axis *a) {
    uint32_t *table = onnx_table(call, a->out, sizeof *table);
    for (uint32_t y = 0; table != NULL && y < a->out; ++y) {
        table[y] = is_same(r, a) ? y : within(nearest(r, a, y), a->in);
    }
    return table;
}

/* Whether centres on centres give these elements, each well off the place where another begins. */
static bool is_of_centres(const struct onnx_resize_axis *a, const uint32_t *table) {
    for (uint32_t y = 0; y < a->out; ++y) {
        const double place = (y + 0.5) * a->in / a->out, low = floor(place);
        if ((double)table[y] != low || place - low < 0.01 || place - low > 0.99) {
            return false;
        }
    }
    return a->in < 1U << 16 && a->out < 1U << 16;
}

/* RESAMPLE takes four dimensions: neighbours that stay as they are count as one. */
static uint32_t merge_axes(const struct onnx_resize *r, uint32_t rank, uint32_t *first) {
    uint32_t merged = 0;
    for (uint32_t d = 0; d < rank; ++d) {
        if (d == 0 || !is_same(r, &r->axes[d]) || !is_same(r, &r->axes[d - 1])) {
            first[merged++] = d;
        }
    }
    first[merged] = rank;
    return merged;
}

static bool is_resampled(const struct onnx_resize *r, const struct onnx_tensor *tensor) {
    uint32_t first[ONNX_MAX_RANK + 1];
    return (tensor->type == ONNX_FLOAT || tensor->type == ONNX_FLOAT16) && merge_axes(r, tensor->rank, first) <= 4;
}

static struct onnx_tensor *resample(const struct onnx_call *call, const struct onnx_resize *r,
                                    struct onnx_tensor *tensor, DML_INTERPOLATION_MODE mode, float *scales,
                                    float *input_offsets, float *output_offsets) {
    uint32_t sizes[ONNX_MAX_RANK], in[4] = {1, 1, 1, 1}, out[4] = {1, 1, 1, 1}, first[ONNX_MAX_RANK + 1];
    const uint32_t merged = merge_axes(r, tensor->rank, first);
    for (uint32_t m = 0; m < merged; ++m) {
        for (uint32_t d = first[m]; d < first[m + 1]; ++d) {
            in[m] *= r->axes[d].in;
            out[m] *= r->axes[d].out;
            sizes[d] = r->axes[d].out;
        }
        scales[m] = scales[first[m]];
        input_offsets[m] = input_offsets[first[m]];
        output_offsets[m] = output_offsets[first[m]];
    }
    const enum onnx_type type = tensor->type;
    const uint32_t rank = tensor->rank;
    tensor = onnx_reshape(call, tensor, merged, in);
    struct onnx_tensor *result = onnx_declare(call, type, merged, out);
    DML_RESAMPLE1_OPERATOR_DESC desc = {.InterpolationMode = mode,
                                        .DimensionCount = merged,
                                        .Scales = scales,
                                        .InputPixelOffsets = input_offsets,
                                        .OutputPixelOffsets = output_offsets};
    return tensor != NULL && result != NULL &&
                   onnx_emit(call, DML_OPERATOR_RESAMPLE1, &desc, ONNX_TENSORS(tensor), 1, &result)
               ? onnx_reshape(call, result, rank, sizes)
               : NULL;
}

/* Value of the axis's elements that lie outside the input. */
static struct onnx_tensor *extrapolate(const struct onnx_call *call, const struct onnx_resize *r, uint32_t axis,
                                       struct onnx_tensor *tensor) {
    const struct onnx_resize_axis *a = &r->axes[axis];
    if (tensor == NULL || r->coordinates != ONNX_TF_CROP_AND_RESIZE) {
        return tensor;
    }
    uint8_t *outside = onnx_table(call, a->out, sizeof *outside);
    uint32_t sizes[ONNX_MAX_RANK], count = 0;
    for (uint32_t y = 0; outside != NULL && y < a->out; ++y) {
        const double place = place_of(r, a, y);
        outside[y] = place < 0 || place > a->in - 1.0;
        count += outside[y];
    }
    if (outside == NULL || count == 0) {
        return outside == NULL ? NULL : tensor;
    }
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        sizes[d] = d == axis ? a->out : 1;
    }
    struct onnx_tensor *mask = onnx_constant(call, ONNX_BOOL, tensor->rank, sizes, outside);
    return onnx_select(call, mask, onnx_number(call, tensor->type, r->extrapolation), tensor);
}

static struct onnx_tensor *resize_nearest(const struct onnx_call *call, const struct onnx_resize *r,
                                          struct onnx_tensor *tensor) {
    uint32_t *tables[ONNX_MAX_RANK];
    float scales[ONNX_MAX_RANK], input_offsets[ONNX_MAX_RANK], output_offsets[ONNX_MAX_RANK];
    bool all = is_resampled(r, tensor) && r->coordinates != ONNX_TF_CROP_AND_RESIZE;
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        tables[d] = nearest_table(call, r, &r->axes[d]);
        if (tables[d] == NULL) {
            return NULL;
        }
        const bool same = is_same(r, &r->axes[d]);
        all = all && (same || is_of_centres(&r->axes[d], tables[d]));
        scales[d] = same ? 1 : (float)((double)r->axes[d].out / r->axes[d].in);
        input_offsets[d] = same ? 0 : 0.5F;
        output_offsets[d] = same ? 0 : -0.5F;
    }
    if (all) {
        return resample(call, r, tensor, DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR, scales, input_offsets,
                        output_offsets);
    }
    for (uint32_t d = 0; tensor != NULL && d < tensor->rank; ++d) {
        if (!is_same(r, &r->axes[d])) {
            tensor = extrapolate(call, r, d, onnx_take(call, tensor, d, r->axes[d].out, tables[d]));
        }
    }
    return tensor;
}

/* ---- weighted ---- */

static double cubic(double x, double a) {
    x = fabs(x);
    return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double weight_at(const struct onnx_resize *r, double distance) {
    return r->mode == ONNX_CUBIC ? cubic(distance, r->cubic_a) : fmax(0, 1 - fabs(distance));
}

/* Neighbour `tap` of an output element, counted from the lowest, and its weight. With antialias the filter is as wide
 * as a step of the output. */
struct taps {
    uint32_t count;
    int64_t first; /* of a place in [0, 1): its lowest neighbour */
    double stretch;
};

static struct taps taps_of(const struct onnx_resize *r, const struct onnx_resize_axis *a) {
    const double reach = r->mode == ONNX_CUBIC ? 2 : 1;
    const double stretch = r->antialias && a->scale < 1 ? a->scale : 1;
    const double first = floor(-reach / stretch) + 1;
    return (struct taps){.count = (uint32_t)(2 - 2 * first), .first = (int64_t)first, .stretch = stretch};
}

static void weigh(const struct onnx_resize *r, const struct onnx_resize_axis *a, const struct taps *taps, uint32_t y,
                  uint32_t *indices, double *weights) {
    const double place = place_of(r, a, y);
    double low = floor(place), total = 0;
    low -= place == low; /* so that the place is in (0, 1] from there */
    for (uint32_t t = 0; t < taps->count; ++t) {
        const double index = low + (double)taps->first + t;
        weights[t] = weight_at(r, (index - place) * taps->stretch);
        if (r->exclude_outside && (index < 0 || index > a->in - 1.0)) {
            weights[t] = 0;
        }
        total += weights[t];
        indices[t] = within(index, a->in);
    }
    for (uint32_t t = 0; (r->exclude_outside || r->antialias) && total != 0 && t < taps->count; ++t) {
        weights[t] /= total;
    }
}

/* Neighbours and weights of an axis, `count` for each element of the output, one element after another. */
struct table {
    uint32_t count;
    uint32_t *indices;
    float *weights;
};

static bool make_table(const struct onnx_call *call, const struct onnx_resize *r, const struct onnx_resize_axis *a,
                       struct table *table) {
    const struct taps taps = taps_of(r, a);
    table->count = taps.count;
    table->indices = onnx_table(call, (uint64_t)a->out * taps.count, sizeof *table->indices);
    table->weights = onnx_table(call, (uint64_t)a->out * taps.count, sizeof *table->weights);
    double *weights = onnx_table(call, taps.count, sizeof *weights);
    if (table->indices == NULL || table->weights == NULL || weights == NULL) {
        return false;
    }
    for (uint32_t y = 0; y < a->out; ++y) {
        const size_t first = (size_t)y * taps.count;
        weigh(r, a, &taps, y, table->indices + first, weights);
        for (uint32_t t = 0; t < taps.count; ++t) {
            table->weights[first + t] = (float)weights[t];
        }
    }
    return true;
}

/* For few neighbours: the sum of what is gathered for the first of each element, for the second, and so on. */
static struct onnx_tensor *sum_taps(const struct onnx_call *call, uint32_t axis, uint32_t out,
                                    const struct table *table, struct onnx_tensor *tensor) {
    float *column = onnx_table(call, out, sizeof *column);
    uint32_t *row = onnx_table(call, out, sizeof *row);
    struct onnx_tensor *sum = NULL;
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        sizes[d] = d == axis ? out : 1;
    }
    for (uint32_t t = 0; column != NULL && row != NULL && t < table->count; ++t) {
        for (uint32_t y = 0; y < out; ++y) {
            row[y] = table->indices[(size_t)y * table->count + t];
            column[y] = table->weights[(size_t)y * table->count + t];
        }
        struct onnx_tensor *part = onnx_take(call, tensor, axis, out, row);
        part = onnx_multiply(call, part, onnx_constant(call, ONNX_FLOAT, tensor->rank, sizes, column));
        sum = sum == NULL ? part : onnx_add(call, sum, part);
        if (sum == NULL) {
            return NULL;
        }
    }
    return sum;
}

/* For many: all of them are gathered at once, which is about as much as the input, and reduced. */
static struct onnx_tensor *reduce_taps(const struct onnx_call *call, uint32_t axis, uint32_t out,
                                       const struct table *table, struct onnx_tensor *tensor) {
    const uint32_t reduced = 2, rank = tensor->rank;
    uint32_t sizes[ONNX_MAX_RANK];
    if ((uint64_t)out * table->count > UINT32_MAX) {
        onnx_refuse(call, "%u filters of %u elements", (unsigned)out, (unsigned)table->count);
        return NULL;
    }
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = d == axis ? out : tensor->sizes[d];
    }
    tensor = onnx_as_three(call, tensor, axis);
    const uint32_t outer = tensor == NULL ? 0 : tensor->sizes[0], inner = tensor == NULL ? 0 : tensor->sizes[2];
    tensor = onnx_take(call, tensor, 1, out * table->count, table->indices);
    tensor = onnx_reshape(call, tensor, 4, (const uint32_t[]){outer, out, table->count, inner});
    tensor = onnx_multiply(
        call, tensor,
        onnx_constant(call, ONNX_FLOAT, 4, (const uint32_t[]){1, out, table->count, 1}, table->weights));
    return onnx_reshape(call, onnx_reduce(call, DML_REDUCE_FUNCTION_SUM, tensor, 1, &reduced), rank, sizes);
}

static struct onnx_tensor *weigh_axis(const struct onnx_call *call, const struct onnx_resize *r, uint32_t axis,
                                      struct onnx_tensor *tensor) {
    const uint32_t out = r->axes[axis].out;
    struct table table;
    if (!make_table(call, r, &r->axes[axis], &table)) {
        return NULL;
    }
    struct onnx_tensor *sum = table.count <= MOST_TAPS ? sum_taps(call, axis, out, &table, tensor)
                                                       : reduce_taps(call, axis, out, &table, tensor);
    return extrapolate(call, r, axis, sum);
}

/* Coordinates that RESAMPLE says: (y - output offset) / scale - input offset. */
static bool say_axis(const struct onnx_resize *r, const struct onnx_resize_axis *a, float *scale, float *input_offset,
                     float *output_offset) {
    *scale = (float)a->scale;
    *input_offset = *output_offset = 0;
    if (is_same(r, a)) {
        *scale = 1;
        return true;
    }
    switch (r->coordinates) {
    case ONNX_ALIGN_CORNERS:
        *scale = a->in == 1 || a->width == 1 ? 1 : (float)((a->width - 1) / (a->in - 1.0));
        return *scale > 1e-6F && (a->width != 1 || a->out == 1);
    case ONNX_ASYMMETRIC:
        return true;
    case ONNX_TF_HALF_PIXEL_FOR_NN:
        *output_offset = -0.5F;
        return true;
    case ONNX_TF_CROP_AND_RESIZE:
        return false;
    case ONNX_PYTORCH_HALF_PIXEL:
        *output_offset = a->out == 1 ? 0 : -0.5F;
        *input_offset = a->out == 1 ? 0 : 0.5F;
        return true;
    case ONNX_HALF_PIXEL_SYMMETRIC:
        *output_offset = -0.5F;
        *input_offset = (float)(0.5 - a->in / 2.0 * (1 - a->out / a->width));
        return true;
    default:
        *output_offset = -0.5F;
        *input_offset = 0.5F;
        return true;
    }
}

static struct onnx_tensor *resize_weighted(const struct onnx_call *call, const struct onnx_resize *r,
                                           struct onnx_tensor *tensor) {
    float scales[ONNX_MAX_RANK], input_offsets[ONNX_MAX_RANK], output_offsets[ONNX_MAX_RANK];
    bool all = r->mode == ONNX_LINEAR && !r->antialias && is_resampled(r, tensor);
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        all = all && say_axis(r, &r->axes[d], &scales[d], &input_offsets[d], &output_offsets[d]);
    }
    if (all) {
        return resample(call, r, tensor, DML_INTERPOLATION_MODE_LINEAR, scales, input_offsets, output_offsets);
    }
    const enum onnx_type type = tensor->type;
    if (type != ONNX_FLOAT && type != ONNX_FLOAT16) {
        onnx_refuse_type(call, "%s between elements", onnx_type_name(type));
        return NULL;
    }
    tensor = onnx_cast(call, tensor, ONNX_FLOAT);
    for (uint32_t i = 0; tensor != NULL && i < r->order_count; ++i) {
        if (!is_same(r, &r->axes[r->order[i]])) {
            tensor = weigh_axis(call, r, r->order[i], tensor);
        }
    }
    return onnx_cast(call, tensor, type);
}

bool onnx_resize(const struct onnx_call *call, const struct onnx_resize *r, struct onnx_tensor *tensor) {
    uint32_t sizes[ONNX_MAX_RANK];
    bool same = true;
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        sizes[d] = r->axes[d].out;
        same = same && is_same(r, &r->axes[d]);
        if (r->axes[d].in == 0 && r->axes[d].out != 0 ) {
            return onnx_refuse(call, "a size of %u made %u", (unsigned)r->axes[d].in, (unsigned)r->axes[d].out);
        }
    }
    struct onnx_tensor *result = same ? tensor : onnx_declare(call, tensor->type, tensor->rank, sizes);
    if (result == NULL || same || onnx_is_empty(result)) {
        return onnx_output(call, 0, result);
    }
    result = r->mode == ONNX_NEAREST ? resize_nearest(call, r, tensor) : resize_weighted(call, r, tensor);
    return onnx_output(call, 0, result);
}
