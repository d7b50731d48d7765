/* ROI_ALIGN_GRAD: points as ROI_ALIGN1 has them, computed in FLOAT32, a rounding for each operation, and so are the
 * numbers of which the greatest is found; what points give is added up in double. */
#include <float.h>
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

#define MOST_SAMPLES 160

/* Of places and of what they are computed of: denormal numbers count as 0. */
static float normal(float x) {
    return fpclassify(x) == FP_SUBNORMAL ? 0 : x;
}

struct gradients {
    const struct vkdml_instance *instance;
    const struct vkdml_reference_memory *memory;
    bool is_linear, is_maximum, to_corners;
    float scales[2]; /* of x, y */
    float input_offset, output_offset;
    uint32_t least, most;
    uint32_t planes[4]; /* sizes */
};

/* A region's points along an axis. */
struct axis {
    float start, step;
    uint32_t samples, bins, size;
    double steps; /* from the first point to the last */
    bool is_finite;
};

static float place_of(const struct gradients *g, const struct axis *axis, float sample) {
    return (sample - g->output_offset) * axis->step + axis->start - g->input_offset;
}

static float number_of(const struct gradients *g, uint32_t region, uint32_t number) {
    const struct vkdml_tensor *tensor = &g->instance->inputs[2];
    struct vkdml_coordinate at = {{0}};
    at.index[tensor->dimension_count - 2] = region;
    at.index[tensor->dimension_count - 1] = number;
    return normal((float)vkdml_number_read(tensor, g->memory->inputs[2], &at));
}

static struct axis axis_of(const struct gradients *g, uint32_t region, uint32_t a) {
    const float low = number_of(g, region, a), high = number_of(g, region, 2 + a);
    struct axis axis = {.bins = g->instance->inputs[1].sizes[3 - a], .size = g->planes[3 - a]};
    axis.start = low * g->scales[a];
    const float size = high * g->scales[a] - axis.start;
    const float wanted = ceilf(size / (float)axis.bins);
    axis.samples = wanted > (float)g->least ? (wanted < (float)g->most ? (uint32_t)wanted : g->most) : g->least;
    const uint32_t samples = axis.bins * axis.samples;
    axis.steps = !g->to_corners ? samples : samples > 1 ? samples - 1 : 1;
    axis.step = normal(size / (float)axis.steps);
    axis.is_finite = isfinite(place_of(g, &axis, 0)) && isfinite(place_of(g, &axis, (float)(samples - 1)));
    return axis;
}

/* Between two elements, and how far from the first. */
struct point {
    uint32_t elements[2];
    float far;
    bool is_inside;
};

static struct point point_of(const struct gradients *g, const struct axis *axis, uint32_t sample) {
    const float place = place_of(g, axis, (float)sample);
    struct point p = {{0, 0}, 0, place >= -1 && place <= (float)axis->size};
    if (p.is_inside && place >= FLT_MIN) {
        const bool is_last = place >= (float)(axis->size - 1);
        p.elements[0] = is_last ? axis->size - 1 : (uint32_t)place;
        p.elements[1] = is_last ? axis->size - 1 : p.elements[0] + 1;
        p.far = is_last ? 0 : place - (float)p.elements[0];
    }
    if (!g->is_linear) {
        p.elements[0] = p.elements[1] = p.elements[p.far > 0.5f];
        p.far = 0;
    }
    return p;
}

/* ---- a bin ---- */

struct bin {
    uint32_t picture;
    struct vkdml_coordinate at;
    struct axis x, y;
    double gradient;
};

static float element_at(const struct gradients *g, const struct bin *bin, uint32_t y, uint32_t x) {
    const struct vkdml_coordinate from = {{bin->picture, bin->at.index[1], y, x}};
    return (float)vkdml_number_read(&g->instance->inputs[0], g->memory->inputs[0], &from);
}

static float weighted(float weight, float number) {
    return weight == 0 ? 0 : weight * number;
}

static float blend(float far, float a, float b) {
    const float near = 1 - far;
    return weighted(near, a) + weighted(far, b);
}

static float value_at(const struct gradients *g, const struct bin *bin, const struct point *y, const struct point *x) {
    const float above = blend(x->far, element_at(g, bin, y->elements[0], x->elements[0]),
                              element_at(g, bin, y->elements[0], x->elements[1]));
    const float below = blend(x->far, element_at(g, bin, y->elements[1], x->elements[0]),
                              element_at(g, bin, y->elements[1], x->elements[1]));
    return blend(y->far, above, below);
}

/* NaN is the greatest, and -0 is below 0. */
static bool is_above(float x, float y) {
    return isnan(y) ? false : isnan(x) || x > y || (x == 0 && y == 0 && !signbit(x) && signbit(y));
}

/* The number of a bin's greatest point, the first of equal ones; all bits where none is inside. */
static uint32_t winner_of(const struct gradients *g, const struct bin *bin) {
    uint32_t winner = UINT32_MAX;
    float greatest = 0;
    for (uint32_t n = 0; n < bin->x.samples * bin->y.samples; n++) {
        const struct point x = point_of(g, &bin->x, bin->at.index[3] * bin->x.samples + n % bin->x.samples);
        const struct point y = point_of(g, &bin->y, bin->at.index[2] * bin->y.samples + n / bin->x.samples);
        if (x.is_inside && y.is_inside) {
            const float value = value_at(g, bin, &y, &x);
            if (winner == UINT32_MAX || is_above(value, greatest)) {
                winner = n;
                greatest = value;
            }
        }
    }
    return winner;
}

/* A picture's sums of a channel, and a region's. */
typedef void take_point(const struct gradients *g, const struct bin *bin, const struct point *y, const struct point *x,
                        const uint32_t samples[2], double share, double *sums);

static void take_bin(const struct gradients *g, const struct bin *bin, take_point *take, double *sums) {
    const uint32_t count = bin->x.samples * bin->y.samples;
    const uint32_t winner = g->is_maximum ? winner_of(g, bin) : 0;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t samples[] = {bin->at.index[3] * bin->x.samples + n % bin->x.samples,
                                    bin->at.index[2] * bin->y.samples + n / bin->x.samples};
        const struct point x = point_of(g, &bin->x, samples[0]), y = point_of(g, &bin->y, samples[1]);
        if (x.is_inside && y.is_inside && (!g->is_maximum || n == winner)) {
            take(g, bin, &y, &x, samples, g->is_maximum ? 1 : 1.0 / count, sums);
        }
    }
}

/* Of one element of a picture: sums[1] is its row, sums[2] its column. */
static void take_element(const struct gradients *g, const struct bin *bin, const struct point *y, const struct point *x,
                         const uint32_t samples[2], double share, double *sums) {
    (void)g;
    (void)samples;
    for (int i = 0; i < 4; i++) {
        const double weight =
            (i / 2 == 0 ? 1 - (double)y->far : (double)y->far) * (i % 2 == 0 ? 1 - (double)x->far : (double)x->far);
        if (weight != 0 && y->elements[i / 2] == sums[1] && x->elements[i % 2] == sums[2]) {
            sums[0] += weight * share * bin->gradient;
        }
    }
}

/* Of a region's numbers: how a point's place changes with them, and its value with its place if not nearest. */
static void take_region(const struct gradients *g, const struct bin *bin, const struct point *y, const struct point *x,
                        const uint32_t samples[2], double share, double *sums) {
    double e[4], slopes[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        e[i] = (double)element_at(g, bin, y->elements[i / 2], x->elements[i % 2]);
    }
    if (x->far != 0) {
        slopes[0] = (y->far == 1 ? 0 : (1 - (double)y->far) * (e[1] - e[0])) +
                    (y->far == 0 ? 0 : (double)y->far * (e[3] - e[2]));
    }
    if (y->far != 0) {
        slopes[1] = (1 - (double)x->far) * (e[2] - e[0]) + (x->far == 0 ? 0 : (double)x->far * (e[3] - e[1]));
    }
    for (int a = 0; a < 2; a++) {
        const struct axis *axis = a == 0 ? &bin->x : &bin->y;
        const double part = ((double)samples[a] - (double)g->output_offset) / axis->steps;
        const double slope = slopes[a] * (double)g->scales[a] * share;
        sums[a] += slope == 0 ? 0 : slope * (1 - part) * bin->gradient;
        sums[2 + a] += slope == 0 ? 0 : slope * part * bin->gradient;
    }
}

/* ---- regions ---- */

/* False where the region or its picture is not there. */
static bool begin_region(const struct gradients *g, uint32_t region, struct bin *bin) {
    const struct vkdml_tensor *indices = &g->instance->inputs[3];
    struct vkdml_coordinate at = {{0}};
    at.index[indices->dimension_count - 1] = region;
    const uint64_t picture = vkdml_element_read(indices, g->memory->inputs[3], &at);
    *bin = (struct bin){.picture = (uint32_t)picture, .x = axis_of(g, region, 0), .y = axis_of(g, region, 1)};
    bin->at.index[0] = region;
    return picture < g->planes[0] && bin->x.is_finite && bin->y.is_finite;
}

/* Whether some of a bin's points may lie on row or column `element`. */
static bool may_reach(const struct gradients *g, const struct axis *axis, uint32_t bin, uint32_t element) {
    for (uint32_t n = 0; n < axis->samples; n++) {
        const struct point p = point_of(g, axis, bin * axis->samples + n);
        if (p.is_inside && (p.elements[0] == element || p.elements[1] == element)) {
            return true;
        }
    }
    return false;
}

static double sum_of_region(const struct gradients *g, struct bin *bin, uint32_t row, uint32_t column) {
    const struct vkdml_tensor *gradient = &g->instance->inputs[1];
    double sums[] = {0, row, column};
    for (uint32_t i = 0; i < gradient->sizes[2]; i++) {
        for (uint32_t j = 0; may_reach(g, &bin->y, i, row) && j < gradient->sizes[3]; j++) {
            if (may_reach(g, &bin->x, j, column)) {
                bin->at.index[2] = i;
                bin->at.index[3] = j;
                bin->gradient = vkdml_number_read(gradient, g->memory->inputs[1], &bin->at);
                take_bin(g, bin, take_element, sums);
            }
        }
    }
    return sums[0];
}

static void write_pictures(const struct gradients *g) {
    const struct vkdml_tensor *output = &g->instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        double sum = 0;
        for (uint32_t region = 0; region < g->instance->inputs[1].sizes[0]; region++) {
            struct bin bin;
            if (begin_region(g, region, &bin) && bin.picture == at.index[0]) {
                bin.at.index[1] = at.index[1];
                sum += sum_of_region(g, &bin, at.index[2], at.index[3]);
            }
        }
        vkdml_number_write(output, g->memory->outputs[0], &at, sum);
    } while (vkdml_coordinate_next(output, &at));
}

static void write_regions(const struct gradients *g) {
    const struct vkdml_tensor *gradient = &g->instance->inputs[1], *output = &g->instance->outputs[1];
    const uint32_t rank = output->dimension_count;
    for (uint32_t region = 0; region < gradient->sizes[0]; region++) {
        double sums[4] = {0, 0, 0, 0};
        struct bin bin;
        if (begin_region(g, region, &bin)) {
            const uint32_t count = gradient->sizes[1] * gradient->sizes[2] * gradient->sizes[3];
            for (uint32_t n = 0; n < count; n++) {
                bin.at.index[1] = n / gradient->sizes[3] / gradient->sizes[2];
                bin.at.index[2] = n / gradient->sizes[3] % gradient->sizes[2];
                bin.at.index[3] = n % gradient->sizes[3];
                bin.gradient = vkdml_number_read(gradient, g->memory->inputs[1], &bin.at);
                take_bin(g, &bin, take_region, sums);
            }
        }
        for (uint32_t n = 0; n < 4; n++) {
            struct vkdml_coordinate at = {{0}};
            at.index[rank - 2] = region;
            at.index[rank - 1] = n;
            vkdml_number_write(output, g->memory->outputs[1], &at, sums[n]);
        }
    }
}

void vkdml_reference_roi_align_grad(const struct vkdml_instance *instance,
                                    const struct vkdml_reference_memory *memory) {
    const DML_ROI_ALIGN_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *planes =
        instance->outputs[0].dimension_count != 0 ? &instance->outputs[0] : &instance->inputs[0];
    const uint32_t least = desc->MinimumSamplesPerOutput, most = desc->MaximumSamplesPerOutput;
    const struct gradients g = {
        .instance = instance,
        .memory = memory,
        .is_linear = desc->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR,
        .is_maximum = desc->ReductionFunction == DML_REDUCE_FUNCTION_MAX,
        .to_corners = desc->AlignRegionsToCorners != 0,
        .scales = {normal(desc->SpatialScaleX), normal(desc->SpatialScaleY)},
        .input_offset = desc->InputPixelOffset,
        .output_offset = normal(desc->OutputPixelOffset),
        .least = least == 0 ? 1 : least,
        .most = most > MOST_SAMPLES ? MOST_SAMPLES : most,
        .planes = {planes->sizes[0], planes->sizes[1], planes->sizes[2], planes->sizes[3]},
    };
    if (instance->outputs[0].dimension_count != 0) {
        write_pictures(&g);
    }
    if (instance->outputs[1].dimension_count != 0) {
        write_regions(&g);
    }
}
