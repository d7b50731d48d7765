/* ROI_POOLING, ROI_ALIGN and ROI_ALIGN1. Which elements a result is made of is computed in FLOAT32, a rounding for each
 * operation, the rest in double. */
#include <float.h>
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"
#include "schema/newer.h"

static float element_at(const struct vkdml_tensor *tensor, const void *memory, const struct vkdml_coordinate *at) {
    return vkdml_element_to_float(tensor->data_type, vkdml_element_read(tensor, memory, at));
}

/* Of what places are computed of: denormal numbers count as 0. */
static float normal(float x) {
    return fpclassify(x) == FP_SUBNORMAL ? 0 : x;
}

/* One of a region's numbers: they go along the last dimension, the regions along the one before. */
static float number_of(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                       uint32_t region, uint32_t number) {
    const struct vkdml_tensor *tensor = &instance->inputs[1];
    struct vkdml_coordinate at = {{0}};
    at.index[tensor->dimension_count - 2] = region;
    at.index[tensor->dimension_count - 1] = number;
    return normal(element_at(tensor, memory->inputs[1], &at));
}

/* NaN is the greatest, and 0 is above -0. */
static double greater(double a, double b) {
    const int is_zero = a == 0 && b == 0;
    return isnan(a) || isnan(b) ? (double)NAN : is_zero ? (signbit(a) ? b : a) : a > b ? a : b;
}

/* ---- ROI_POOLING ---- */

/* The corners that a region's numbers round to; no further than 2^29, where no picture is. */
static int64_t corner(float number, float scale) {
    const float place = roundf(number * scale);
    return place > 0x1p29f ? INT64_C(1) << 29 : place < -0x1p29f ? -(INT64_C(1) << 29) : (int64_t)place;
}

struct cell {
    int64_t first, end;
};

static struct cell cell_of(int64_t low, int64_t high, uint32_t c, uint32_t count, uint32_t size) {
    const int64_t length = high < low ? 1 : high - low + 1;
    struct cell cell = {low + c * length / count, low + ((c + INT64_C(1)) * length + count - 1) / count};
    cell.first = cell.first < 0 ? 0 : cell.first;
    cell.end = cell.end > size ? size : cell.end;
    return cell;
}

void vkdml_reference_roi_pooling(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ROI_POOLING_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const float scale = normal(desc->SpatialScale);
    struct vkdml_coordinate at = {{0}};
    do {
        float numbers[5];
        int is_there = 1;
        for (uint32_t n = 0; n < 5; n++) {
            numbers[n] = number_of(instance, memory, at.index[0], n);
            is_there = is_there && !isnan(n == 0 ? numbers[n] : numbers[n] * scale);
        }
        is_there = is_there && numbers[0] > -1 && (double)numbers[0] < input->sizes[0];
        double greatest = 0;
        if (is_there) {
            int64_t corners[4];
            for (int n = 0; n < 4; n++) {
                corners[n] = corner(numbers[1 + n], scale);
            }
            const struct cell x = cell_of(corners[0], corners[2], at.index[3], output->sizes[3], input->sizes[3]);
            const struct cell y = cell_of(corners[1], corners[3], at.index[2], output->sizes[2], input->sizes[2]);
            greatest = x.first < x.end && y.first < y.end ? -(double)INFINITY : 0;
            for (int64_t i = y.first; i < y.end; i++) {
                for (int64_t j = x.first; j < x.end; j++) {
                    const struct vkdml_coordinate from = {
                        {(uint32_t)numbers[0], at.index[1], (uint32_t)i, (uint32_t)j}};
                    greatest = greater(greatest, (double)element_at(input, memory->inputs[0], &from));
                }
            }
        }
        vkdml_number_write(&instance->outputs[0], memory->outputs[0], &at, greatest);
    } while (vkdml_coordinate_next(output, &at));
}

/* ---- ROI_ALIGN and ROI_ALIGN1 ---- */

#define MOST_SAMPLES 160

struct align {
    DML_REDUCE_FUNCTION function;
    DML_INTERPOLATION_MODE mode;
    float scales[2]; /* of x, y */
    float input_offset, output_offset, outside;
    uint32_t least, most;
    int to_corners;
};

/* Along one axis. */
struct axis {
    float start, step;
    uint32_t samples; /* of an output element */
    int is_finite;
};

static float place_of(const struct align *align, const struct axis *axis, float sample) {
    return (sample - align->output_offset) * axis->step + axis->start - align->input_offset;
}

static struct axis axis_of(const struct align *align, int a, float low, float high, uint32_t outputs) {
    struct axis axis;
    axis.start = low * align->scales[a];
    const float size = high * align->scales[a] - axis.start;
    const float wanted = ceilf(size / (float)outputs);
    axis.samples =
        wanted > (float)align->least ? (wanted < (float)align->most ? (uint32_t)wanted : align->most) : align->least;
    const float samples = (float)(outputs * axis.samples);
    axis.step = size / (!align->to_corners ? samples : samples > 1 ? samples - 1 : 1);
    axis.step = normal(axis.step);
    axis.is_finite = isfinite(place_of(align, &axis, 0)) && isfinite(place_of(align, &axis, samples - 1));
    return axis;
}

/* Two elements along an axis and the second one's weight; beyond the outermost by an element at most they are these. */
struct pair {
    uint32_t places[2];
    double weight;
    int is_inside;
};

static struct pair pair_of(const struct align *align, const struct axis *axis, uint32_t sample, uint32_t size) {
    const float place = place_of(align, axis, (float)sample);
    struct pair pair = {{0, 0}, 0, place >= -1 && place <= (float)size};
    if (pair.is_inside && place >= FLT_MIN) {
        const int is_last = place >= (float)(size - 1);
        pair.places[0] = is_last ? size - 1 : (uint32_t)place;
        pair.places[1] = is_last ? size - 1 : pair.places[0] + 1;
        pair.weight = is_last ? 0 : (double)place - pair.places[0];
    }
    if (align->mode == DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR) {
        pair.places[0] = pair.places[pair.weight > 0.5];
        pair.weight = 0;
    }
    return pair;
}

static double weighted(double weight, double x) {
    return weight == 0 ? 0 : weight * x;
}

static double sample_at(const struct vkdml_tensor *input, const void *memory, uint32_t picture, uint32_t channel,
                        const struct pair *y, const struct pair *x) {
    double rows[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        const int row = i / 2, column = i % 2;
        const struct vkdml_coordinate from = {{picture, channel, y->places[row], x->places[column]}};
        const double weight = column ? x->weight : 1 - x->weight;
        rows[row] +=
            weight == 0 || (row && y->weight == 0) ? 0 : weighted(weight, (double)element_at(input, memory, &from));
    }
    return weighted(1 - y->weight, rows[0]) + weighted(y->weight, rows[1]);
}

/* The picture of a region; as many as there are pictures: none. */
static uint32_t picture_of(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                           uint32_t region) {
    const struct vkdml_tensor *indices = &instance->inputs[2];
    struct vkdml_coordinate at = {{0}};
    at.index[indices->dimension_count - 1] = region;
    const uint64_t picture = vkdml_element_read(indices, memory->inputs[2], &at);
    const uint32_t count = instance->inputs[0].sizes[0];
    return picture < count ? (uint32_t)picture : count;
}

static double aligned_at(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                         const struct align *align, const struct vkdml_coordinate *at) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const uint32_t picture = picture_of(instance, memory, at->index[0]);
    float corners[4];
    for (uint32_t n = 0; n < 4; n++) {
        corners[n] = number_of(instance, memory, at->index[0], n);
    }
    struct axis axes[2];
    for (int a = 0; a < 2; a++) {
        axes[a] = axis_of(align, a, corners[a], corners[2 + a], output->sizes[3 - a]);
    }
    const struct axis x = axes[0], y = axes[1];
    if (picture == input->sizes[0] || !x.is_finite || !y.is_finite) {
        return (double)align->outside;
    }
    double sum = 0, greatest = -(double)INFINITY;
    for (uint32_t i = 0; i < y.samples; i++) {
        const struct pair row = pair_of(align, &y, at->index[2] * y.samples + i, input->sizes[2]);
        for (uint32_t j = 0; j < x.samples; j++) {
            const struct pair column = pair_of(align, &x, at->index[3] * x.samples + j, input->sizes[3]);
            const double value = row.is_inside && column.is_inside
                                     ? sample_at(input, memory->inputs[0], picture, at->index[1], &row, &column)
                                     : (double)align->outside;
            sum += value;
            greatest = greater(greatest, value);
        }
    }
    return align->function == DML_REDUCE_FUNCTION_MAX ? greatest : sum / ((double)y.samples * x.samples);
}

static void run_align(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                      const DML_ROI_ALIGN1_OPERATOR_DESC *desc) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    const uint32_t least = desc->MinimumSamplesPerOutput, most = desc->MaximumSamplesPerOutput;
    const uint64_t outside = vkdml_float_to_element(output->data_type, desc->OutOfBoundsInputValue);
    const struct align align = {
        .function = desc->ReductionFunction,
        .mode = desc->InterpolationMode,
        .scales = {normal(desc->SpatialScaleX), normal(desc->SpatialScaleY)},
        .input_offset = desc->InputPixelOffset,
        .output_offset = normal(desc->OutputPixelOffset),
        .outside = vkdml_element_to_float(output->data_type, outside),
        .least = least == 0 ? 1 : least,
        .most = most > MOST_SAMPLES ? MOST_SAMPLES : most,
        .to_corners = desc->AlignRegionsToCorners,
    };
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_number_write(&instance->outputs[0], memory->outputs[0], &at, aligned_at(instance, memory, &align, &at));
    } while (vkdml_coordinate_next(output, &at));
}

void vkdml_reference_roi_align1(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_ROI_ALIGN1_OPERATOR_DESC desc = vkdml_roi_align1_of(instance);
    run_align(instance, memory, &desc);
}

void vkdml_reference_roi_align(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    vkdml_reference_roi_align1(instance, memory);
}
