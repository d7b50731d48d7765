/* Cases of ROI_ALIGN_GRAD. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/generate.h"
#include "cases/number.h"
#include "cases/operators/regions.h"
#include "cases/support.h"

#define MOST_SAMPLES 160

/* Slots. */
enum { PLANES, GRADIENT, CORNERS, PICTURES, OF_PLANES, OF_CORNERS };

/* ---- points ---- */

struct align {
    float scales[2], input_offset, output_offset;
    uint32_t least, most;
    bool is_linear, is_average, to_corners;
    uint32_t sizes[4]; /* of planes */
};

static float normal(float x) {
    return fabsf(x) < FLT_MIN ? 0 : x;
}

static struct align align_of(const struct operator_case *c) {
    const uint32_t least = case_word(c, "MinimumSamplesPerOutput"), most = case_word(c, "MaximumSamplesPerOutput");
    const struct case_tensor *planes = &c->tensors[c->fields[OF_PLANES].present ? OF_PLANES : PLANES];
    struct align a = {
        {normal(case_float(c, "SpatialScaleX")), normal(case_float(c, "SpatialScaleY"))},
        case_float(c, "InputPixelOffset"),
        normal(case_float(c, "OutputPixelOffset")),
        least == 0 ? 1 : least,
        most > MOST_SAMPLES ? MOST_SAMPLES : most,
        case_word(c, "InterpolationMode") == DML_INTERPOLATION_MODE_LINEAR,
        case_word(c, "ReductionFunction") == DML_REDUCE_FUNCTION_AVERAGE,
        case_word(c, "AlignRegionsToCorners") != 0,
        {0},
    };
    memcpy(a.sizes, planes->sizes, sizeof(a.sizes));
    return a;
}

/* A region's points along an axis. */
struct line {
    float start, apart;
    uint32_t samples, bins, size;
    double steps;
    bool is_good;
};

static float place_of(const struct align *a, const struct line *line, uint32_t n) {
    float place = (float)n - a->output_offset;
    place *= line->apart;
    place += line->start;
    return place - a->input_offset;
}

static struct line line_of(const struct operator_case *c, const unsigned char *const *tensors, const struct align *a,
                           uint32_t region, uint32_t axis) {
    const struct case_tensor *corners = &c->tensors[CORNERS];
    uint32_t at[CASE_MAX_RANK] = {0};
    float numbers[2];
    at[corners->rank - 2] = region;
    for (uint32_t n = 0; n < 2; n++) {
        at[corners->rank - 1] = axis + 2 * n;
        numbers[n] = normal((float)regions_number_at(c, tensors, CORNERS, at)) * a->scales[axis];
    }
    struct line line = {numbers[0], 0, a->least, c->tensors[GRADIENT].sizes[3 - axis], a->sizes[3 - axis], 0, false};
    const float size = numbers[1] - numbers[0], wanted = ceilf(size / (float)line.bins);
    while (line.samples < a->most && (float)line.samples < wanted) {
        line.samples++;
    }
    const uint32_t all = line.bins * line.samples;
    line.steps = a->to_corners ? (all > 1 ? all - 1 : 1) : all;
    line.apart = normal(size / (float)line.steps);
    line.is_good = isfinite(place_of(a, &line, 0)) && isfinite(place_of(a, &line, all - 1));
    return line;
}

/* Two elements and the second's share; which is none where the place is an element. */
struct point {
    uint32_t low, high;
    float far;
    bool is_inside;
};

static struct point point_of(const struct align *a, const struct line *line, uint32_t n) {
    const float place = place_of(a, line, n);
    const float inside = fminf(place < FLT_MIN ? 0 : place, (float)(line->size - 1));
    struct point p = {(uint32_t)inside, 0, 0, place >= -1 && place <= (float)line->size};
    p.far = inside - (float)p.low;
    p.high = p.low + 1 < line->size ? p.low + 1 : p.low;
    if (!a->is_linear) {
        p.low = p.far > 0.5f ? p.high : p.low;
        p.far = 0;
    }
    return p;
}

/* What a point gives to an element along an axis. */
static double share_of(const struct point *p, uint32_t element) {
    return !p->is_inside ? 0 : p->low == element ? 1 - (double)p->far : p->high == element ? (double)p->far : 0;
}

/* ---- a bin ---- */

struct bin {
    uint32_t at[4]; /* region, channel, row, column */
    uint32_t picture;
    struct line x, y;
    double gradient;
};

static float element_of(const struct operator_case *c, const unsigned char *const *tensors, const struct bin *bin,
                        uint32_t y, uint32_t x) {
    const uint32_t from[] = {bin->picture, bin->at[1], y, x};
    return (float)regions_number_at(c, tensors, PLANES, from);
}

static float mixed(float far, float a, float b) {
    const float near = 1 - far;
    const float first = near == 0 ? 0 : near * a, second = far == 0 ? 0 : far * b;
    return first + second;
}

/* Maxima are found among numbers that are rounded as FLOAT32 is, so that these are the same everywhere. */
static uint32_t winner_of(const struct operator_case *c, const unsigned char *const *tensors, const struct align *a,
                          const struct bin *bin) {
    uint32_t winner = UINT32_MAX;
    float best = 0;
    for (uint32_t n = 0; n < bin->x.samples * bin->y.samples; n++) {
        const struct point x = point_of(a, &bin->x, bin->at[3] * bin->x.samples + n % bin->x.samples);
        const struct point y = point_of(a, &bin->y, bin->at[2] * bin->y.samples + n / bin->x.samples);
        if (!x.is_inside || !y.is_inside) {
            continue;
        }
        const float above = mixed(x.far, element_of(c, tensors, bin, y.low, x.low),
                                  x.far == 0 ? 0 : element_of(c, tensors, bin, y.low, x.high));
        const float below = y.far == 0 ? 0
                                       : mixed(x.far, element_of(c, tensors, bin, y.high, x.low),
                                               x.far == 0 ? 0 : element_of(c, tensors, bin, y.high, x.high));
        const float value = mixed(y.far, above, below);
        const bool is_greater =
            !isnan(best) &&
            (isnan(value) || value > best || (value == 0 && best == 0 && signbit(best) != 0 && signbit(value) == 0));
        if (winner == UINT32_MAX || is_greater) {
            winner = n;
            best = value;
        }
    }
    return winner;
}

static bool begin_region(const struct operator_case *c, const unsigned char *const *tensors, const struct align *a,
                         uint32_t region, struct bin *bin) {
    uint32_t at[CASE_MAX_RANK] = {0};
    at[c->tensors[PICTURES].rank - 1] = region;
    const uint64_t picture = regions_bits_at(c, tensors, PICTURES, at);
    *bin = (struct bin){
        {region, 0, 0, 0}, (uint32_t)picture, line_of(c, tensors, a, region, 0), line_of(c, tensors, a, region, 1), 0};
    return picture < a->sizes[0] && bin->x.is_good && bin->y.is_good;
}

/* ---- what is exact ---- */

struct collected {
    double sum, magnitudes, count;
    bool is_open; /* it may be any number, or NaN */
};

static void add(struct collected *sum, double term, double magnitude) {
    sum->sum += term;
    sum->magnitudes += magnitude;
    sum->count++;
}

/* Whether points of a bin lie on an element. */
static bool reaches(const struct align *a, const struct line *line, uint32_t bin, uint32_t element) {
    for (uint32_t n = 0; n < line->samples; n++) {
        const struct point p = point_of(a, line, bin * line->samples + n);
        if (share_of(&p, element) != 0) {
            return true;
        }
    }
    return false;
}

static void collect_bin(const struct operator_case *c, const unsigned char *const *tensors, const struct align *a,
                        struct bin *bin, const uint32_t *at, struct collected *sum) {
    const uint32_t count = bin->x.samples * bin->y.samples;
    const uint32_t winner = a->is_average ? 0 : winner_of(c, tensors, a, bin);
    bin->gradient = regions_number_at(c, tensors, GRADIENT, bin->at);
    for (uint32_t n = 0; n < count; n++) {
        const struct point x = point_of(a, &bin->x, bin->at[3] * bin->x.samples + n % bin->x.samples);
        const struct point y = point_of(a, &bin->y, bin->at[2] * bin->y.samples + n / bin->x.samples);
        const double share = share_of(&x, at[3]) * share_of(&y, at[2]) / (a->is_average ? count : 1);
        if (share != 0 && (a->is_average || n == winner)) {
            add(sum, share * bin->gradient, share * fabs(bin->gradient));
        }
    }
}

static struct collected of_picture(const struct operator_case *c, const unsigned char *const *tensors,
                                   const uint32_t *at) {
    const struct align a = align_of(c);
    const struct case_tensor *gradient = &c->tensors[GRADIENT];
    struct collected sum = {0, 0, 0, false};
    for (uint32_t region = 0; region < gradient->sizes[0]; region++) {
        struct bin bin;
        if (!begin_region(c, tensors, &a, region, &bin) || bin.picture != at[0]) {
            continue;
        }
        bin.at[1] = at[1];
        for (bin.at[2] = 0; bin.at[2] < gradient->sizes[2]; bin.at[2]++) {
            if (!reaches(&a, &bin.y, bin.at[2], at[2])) {
                continue;
            }
            for (bin.at[3] = 0; bin.at[3] < gradient->sizes[3]; bin.at[3]++) {
                if (reaches(&a, &bin.x, bin.at[3], at[3])) {
                    collect_bin(c, tensors, &a, &bin, at, &sum);
                }
            }
        }
    }
    return sum;
}

/* How a point's value changes with its place along an axis, and the magnitudes of what that is made of. */
static void slope_of(const struct operator_case *c, const unsigned char *const *tensors, const struct bin *bin,
                     const struct point *y, const struct point *x, uint32_t axis, double *slope, double *magnitude) {
    const struct point *own = axis == 0 ? x : y, *other = axis == 0 ? y : x;
    *slope = *magnitude = 0;
    if (own->far == 0) {
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const double share = i == 0 ? 1 - (double)other->far : (double)other->far;
        const uint32_t across = i == 0 ? other->low : other->high;
        if (share != 0) {
            const double low = (double)(axis == 0 ? element_of(c, tensors, bin, across, own->low)
                                                  : element_of(c, tensors, bin, own->low, across));
            const double high = (double)(axis == 0 ? element_of(c, tensors, bin, across, own->high)
                                                   : element_of(c, tensors, bin, own->high, across));
            *slope += share * (high - low);
            *magnitude += share * (fabs(high) + fabs(low));
        }
    }
}

static void collect_corner(const struct operator_case *c, const unsigned char *const *tensors, const struct align *a,
                           struct bin *bin, uint32_t number, struct collected *sum) {
    const uint32_t count = bin->x.samples * bin->y.samples, axis = number % 2;
    const uint32_t winner = a->is_average ? 0 : winner_of(c, tensors, a, bin);
    const struct line *line = axis == 0 ? &bin->x : &bin->y;
    bin->gradient = regions_number_at(c, tensors, GRADIENT, bin->at);
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t samples[] = {bin->at[3] * bin->x.samples + n % bin->x.samples,
                                    bin->at[2] * bin->y.samples + n / bin->x.samples};
        const struct point x = point_of(a, &bin->x, samples[0]), y = point_of(a, &bin->y, samples[1]);
        if (!x.is_inside || !y.is_inside || !(a->is_average || n == winner)) {
            continue;
        }
        double slope, magnitude;
        slope_of(c, tensors, bin, &y, &x, axis, &slope, &magnitude);
        const double part = ((double)samples[axis] - (double)a->output_offset) / line->steps;
        const double factor = bin->gradient * (double)a->scales[axis] / (a->is_average ? count : 1);
        const double term = slope * factor * (number < 2 ? 1 - part : part);
        sum->is_open = sum->is_open || !isfinite(magnitude) || !isfinite(factor);
        add(sum, term, magnitude * fabs(factor) * (1 + fabs(part)));
        sum->is_open = sum->is_open || magnitude > 1e30;
    }
}

static struct collected of_region(const struct operator_case *c, const unsigned char *const *tensors,
                                  const uint32_t *at) {
    const struct align a = align_of(c);
    const struct case_tensor *gradient = &c->tensors[GRADIENT], *output = &c->tensors[OF_CORNERS];
    struct collected sum = {0, 0, 0, false};
    struct bin bin;
    if (!a.is_linear || !begin_region(c, tensors, &a, at[output->rank - 2], &bin)) {
        return sum;
    }
    for (bin.at[1] = 0; bin.at[1] < gradient->sizes[1]; bin.at[1]++) {
        for (bin.at[2] = 0; bin.at[2] < gradient->sizes[2]; bin.at[2]++) {
            for (bin.at[3] = 0; bin.at[3] < gradient->sizes[3]; bin.at[3]++) {
                collect_corner(c, tensors, &a, &bin, at[output->rank - 1], &sum);
            }
        }
    }
    return sum;
}

static struct collected collected_at(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *at) {
    return c->fields[OF_PLANES].present ? of_picture(c, tensors, at) : of_region(c, tensors, at);
}

static bool overflows(const struct collected *sum) {
    return sum->is_open || (isfinite(sum->magnitudes) && sum->magnitudes > (double)FLT_MAX * (1 - 0x1p-10));
}

static struct accuracy_bounds bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *at) {
    const struct collected sum = collected_at(c, tensors, at);
    if (overflows(&sum)) {
        return accuracy_anything;
    }
    /* FLOAT32's denormals may count as 0, of elements that are multiplied by scales too. */
    const double distance = sum.magnitudes * accuracy_of_terms(c, sum.count) + sum.count * 0x1p-110;
    return accuracy_around(sum.sum, isfinite(sum.magnitudes) ? distance : 0);
}

static struct accuracy_exact exact(const struct operator_case *c, const unsigned char *const *tensors,
                                   const uint32_t *at) {
    const struct collected sum = collected_at(c, tensors, at);
    return overflows(&sum) ? accuracy_no_exact : accuracy_beside(sum.sum, sum.magnitudes);
}

/* ---- random cases ---- */

static void set_align(struct operator_case *c, uint32_t function, uint32_t mode, const float *scales,
                      const float *offsets, uint32_t least, uint32_t most, uint32_t to_corners) {
    case_set_uint(c, "ReductionFunction", function);
    case_set_uint(c, "InterpolationMode", mode);
    case_set_float(c, "SpatialScaleX", scales[0]);
    case_set_float(c, "SpatialScaleY", scales[1]);
    case_set_float(c, "InputPixelOffset", offsets[0]);
    case_set_float(c, "OutputPixelOffset", offsets[1]);
    case_set_uint(c, "MinimumSamplesPerOutput", least);
    case_set_uint(c, "MaximumSamplesPerOutput", most);
    case_set_uint(c, "AlignRegionsToCorners", to_corners);
}

/* Planes, and regions' gradients on a grid of bins; small, since references walk all regions for each element. */
static void generate_tensors(struct random *random, struct operator_case *c, struct case_tensor *planes) {
    const uint32_t budget = generate_budget(random) / 32 + 1, small = budget > 3000 ? 3000 : budget;
    struct case_tensor *gradient = case_tensor(c, "InputGradientTensor");
    planes->type = generate_type(random, c, "InputGradientTensor");
    planes->rank = gradient->rank = 4;
    generate_sizes(random, small, planes);
    gradient->type = planes->type;
    generate_sizes(random, small, gradient);
    const uint32_t channels = gradient->sizes[1];
    gradient->sizes[0] = channels < 12 ? channels : 12;
    gradient->sizes[1] = planes->sizes[1];
    for (uint32_t d = 2; d < 4; d++) {
        gradient->sizes[d] = gradient->sizes[d] > 12 ? 12 : gradient->sizes[d];
    }
}

static void generate_regions(struct random *random, struct operator_case *c, const float *scales) {
    const uint32_t regions = c->tensors[GRADIENT].sizes[0];
    struct case_tensor *roi = case_tensor(c, "ROITensor"), *indices = case_tensor(c, "BatchIndicesTensor");
    roi->type = c->tensors[GRADIENT].type;
    regions_set(roi, random_between(random, 2, 4), regions, 4);
    indices->type = DML_TENSOR_DATA_TYPE_UINT32;
    indices->rank = random_between(random, 1, 4);
    for (uint32_t d = 0; d < indices->rank; d++) {
        indices->sizes[d] = d + 1 == indices->rank ? regions : 1;
    }
    indices->fill = CASE_FILL_INDICES;
    indices->fill_permille = c->tensors[PLANES].sizes[0];
    regions_generate(random, c, scales, false);
    generate_input_layout(random, roi);
    generate_input_layout(random, indices);
}

static void generate_outputs(struct random *random, struct operator_case *c, const struct case_tensor *planes,
                             bool has_planes, bool has_corners) {
    if (has_planes) {
        struct case_tensor *output = case_tensor(c, "OutputGradientTensor");
        *output = *planes;
        output->fill = CASE_FILL_BITS;
        generate_output_layout(random, output);
    }
    if (has_corners) {
        struct case_tensor *output = case_tensor(c, "OutputROIGradientTensor");
        const struct case_tensor *roi = &c->tensors[CORNERS];
        output->type = roi->type;
        output->rank = roi->rank;
        memcpy(output->sizes, roi->sizes, sizeof(output->sizes));
        generate_output_layout(random, output);
    }
}

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const uint32_t counts[] = {0, 1, 1, 1, 2, 2, 3, 4, 7, 20};
    static const float offsets[] = {0.5f, 0.5f, 0, 0, -0.5f, 1, 0.3f, 1e-40f};
    static const enum case_fill fills[] = {CASE_FILL_SMALL, CASE_FILL_UNIT, CASE_FILL_UNIT, CASE_FILL_INDEX,
                                           CASE_FILL_ABOVE_ONE};
    struct case_tensor planes = {0};
    const bool is_nearest = random_chance(random, 25), is_maximum = random_chance(random, 35);
    const bool has_corners = random_chance(random, 50);
    /* Of the second output zeros alone can be told, which those of nearest elements are. */
    const bool has_planes = !has_corners || (is_nearest && random_chance(random, 50));
    uint32_t least = RANDOM_OF(random, counts), most = RANDOM_OF(random, counts);
    case_begin(c, family->type);
    generate_tensors(random, c, &planes);
    most = most < least || most == 0 ? (least == 0 ? 1 : least) : most;
    most = random_chance(random, 20) ? UINT32_MAX - random_below(random, 2) : most;
    const float scales[] = {regions_scale(random, planes.sizes[3]), regions_scale(random, planes.sizes[2])};
    const float offset[] = {RANDOM_OF(random, offsets), -RANDOM_OF(random, offsets)};
    set_align(c, is_maximum ? DML_REDUCE_FUNCTION_MAX : DML_REDUCE_FUNCTION_AVERAGE,
              is_nearest ? DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR : DML_INTERPOLATION_MODE_LINEAR, scales, offset,
              least, most, random_chance(random, 40));
    c->tensors[PLANES] = planes;
    generate_regions(random, c, scales);
    if (has_corners || is_maximum || random_chance(random, 20)) {
        case_tensor(c, "InputTensor")->fill = RANDOM_OF(random, fills);
        generate_input_layout(random, &c->tensors[PLANES]);
    } else {
        c->tensors[PLANES] = (struct case_tensor){0};
    }
    c->tensors[GRADIENT].fill = RANDOM_OF(random, fills);
    generate_input_layout(random, &c->tensors[GRADIENT]);
    generate_outputs(random, c, &planes, has_planes, has_corners);
    generate_call(random, c);
}

/* ---- fixed cases ---- */

#define FLOATS_HERE CASE_SUPPORT(AT_LEVEL(4_1, 4, 4, FLOATS))
static const struct case_tensor_support roi_align_grad_support[] = {
    {"InputTensor", FLOATS_HERE},
    {"InputGradientTensor", FLOATS_HERE},
    {"ROITensor", CASE_SUPPORT(AT_LEVEL(4_1, 2, 4, FLOATS))},
    {"BatchIndicesTensor", CASE_SUPPORT(AT_LEVEL(4_1, 1, 4, CASE_TYPE(UINT32)))},
    {"OutputGradientTensor", FLOATS_HERE},
    {"OutputROIGradientTensor", CASE_SUPPORT(AT_LEVEL(4_1, 2, 4, FLOATS))},
};

#define GRAD     "ROI_ALIGN_GRAD "
#define ONE      "BatchIndicesTensor=UINT32[1] BatchIndicesTensor.data=0 "
#define UNSCALED "SpatialScaleX=1 SpatialScaleY=1 "
#define HALF     "InputPixelOffset=0.5 OutputPixelOffset=-0.5 "
#define CORNERED "InputPixelOffset=0 OutputPixelOffset=0 "
#define SAMPLE   "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 "
static const char *const roi_align_grad_fixed[] = {
    /* The page's illustration. */
    GRAD "InputGradientTensor=FLOAT32[4,1,1,3] InputGradientTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
         "ROITensor=FLOAT32[4,4] ROITensor.data=0,0,2,2,2,0,4,2,0,2,2,4,2,2,4,4 BatchIndicesTensor=UINT32[4] "
         "BatchIndicesTensor.data=0,0,0,0 OutputGradientTensor=FLOAT32[1,1,4,4] "
         "OutputGradientTensor.data=3,3,9,6,0,0,0,0,15,9,21,12,0,0,0,0 ReductionFunction=AVERAGE "
         "InterpolationMode=NEAREST_NEIGHBOR " UNSCALED HALF SAMPLE "AlignRegionsToCorners=0",
    /* Between four elements; four points of a bin; a picture that there is not, and one that no region is of. */
    GRAD "InputGradientTensor=FLOAT32[2,1,1,1] InputGradientTensor.data=16,99 ROITensor=FLOAT32[2,4] "
         "ROITensor.data=0.25,0,1.25,2,0,0,2,2 BatchIndicesTensor=UINT32[2] BatchIndicesTensor.data=1,2 "
         "OutputGradientTensor=FLOAT32[2,1,2,2] OutputGradientTensor.data=0,0,0,0,6,2,6,2 ReductionFunction=AVERAGE "
         "InterpolationMode=LINEAR " UNSCALED HALF SAMPLE "AlignRegionsToCorners=0",
    GRAD "InputGradientTensor=FLOAT32[1,1,1,1] InputGradientTensor.data=16 ROITensor=FLOAT32[1,4] "
         "ROITensor.data=0,0,2,2 " ONE "OutputGradientTensor=FLOAT32[1,1,2,2] OutputGradientTensor.data=4,4,4,4 "
         "ReductionFunction=AVERAGE InterpolationMode=LINEAR " UNSCALED HALF
         "MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=2 AlignRegionsToCorners=0",
    /* The greatest of four points; regions lie on one another. */
    GRAD "InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,4,4,3 InputGradientTensor=FLOAT32[2,1,1,1] "
         "InputGradientTensor.data=16,32 ROITensor=FLOAT32[2,4] ROITensor.data=0,0,2,2,0,0,2,2 "
         "BatchIndicesTensor=UINT32[2] BatchIndicesTensor.data=0,0 OutputGradientTensor=FLOAT32[1,1,2,2] "
         "OutputGradientTensor.data=0,48,0,0 ReductionFunction=MAX InterpolationMode=LINEAR " UNSCALED HALF
         "MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=2 AlignRegionsToCorners=0",
    /* Corner to corner: places 0.5 and 1.5 of 0, 1 and 4, along which 1 and 3 are between elements. What the ends of
     * the region give is how near to them points are. */
    GRAD
    "InputTensor=FLOAT32[1,1,1,3] InputTensor.data=0,1,4 InputGradientTensor=FLOAT32[1,1,1,2] "
    "InputGradientTensor.data=2,8 ROITensor=FLOAT32[1,4] ROITensor.data=0.5,0,1.5,0 " ONE
    "OutputGradientTensor=FLOAT32[1,1,1,3] OutputGradientTensor.data=1,5,4 OutputROIGradientTensor=FLOAT32[1,4] "
    "OutputROIGradientTensor.data=2,0,24,0 ReductionFunction=AVERAGE InterpolationMode=LINEAR " UNSCALED CORNERED SAMPLE
    "AlignRegionsToCorners=1",
    /* By scales, of points within the region, a quarter and three quarters of it from its beginning. */
    GRAD "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=0,1,4,9 InputGradientTensor=FLOAT32[1,1,1,2] "
         "InputGradientTensor.data=4,8 ROITensor=FLOAT32[1,4] ROITensor.data=0.625,0,1.625,0.25 " ONE
         "OutputROIGradientTensor=FLOAT32[1,4] OutputROIGradientTensor.data=38,0,66,0 ReductionFunction=AVERAGE "
         "InterpolationMode=LINEAR SpatialScaleX=2 SpatialScaleY=4 " HALF SAMPLE "AlignRegionsToCorners=0",
    /* Places that are elements, and places beyond the outermost, do not change. */
    GRAD
    "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=0,1,4,9 InputGradientTensor=FLOAT32[2,1,1,2] "
    "InputGradientTensor.data=4,8,16,32 ROITensor=FLOAT32[2,4] ROITensor.data=1,0,2,0,-0.5,0,4,0 "
    "BatchIndicesTensor=UINT32[2] BatchIndicesTensor.data=0,0 OutputROIGradientTensor=FLOAT32[2,4] "
    "OutputROIGradientTensor.data=0,0,0,0,0,0,0,0 ReductionFunction=AVERAGE InterpolationMode=LINEAR " UNSCALED CORNERED
        SAMPLE "AlignRegionsToCorners=1",
    /* Nor do places that are the nearest elements'. */
    GRAD "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=0,1,4,9 InputGradientTensor=FLOAT32[1,1,1,2] "
         "InputGradientTensor.data=4,8 ROITensor=FLOAT32[1,4] ROITensor.data=0.625,0,1.625,0.25 " ONE
         "OutputGradientTensor=FLOAT32[1,1,1,4] OutputGradientTensor.data=0,4,8,0 "
         "OutputROIGradientTensor=FLOAT32[1,4] OutputROIGradientTensor.data=0,0,0,0 ReductionFunction=AVERAGE "
         "InterpolationMode=NEAREST_NEIGHBOR SpatialScaleX=2 SpatialScaleY=4 " HALF SAMPLE "AlignRegionsToCorners=0",
    GRAD "seed=1 InputGradientTensor=FLOAT16[3,3,7,7] InputGradientTensor.fill=UNIT ROITensor=FLOAT16[3,4] "
         "ROITensor.data=0,0,40,30,3.5,4.25,20,28,-9,-9,60,50 BatchIndicesTensor=UINT32[3] "
         "BatchIndicesTensor.data=1,0,1 OutputGradientTensor=FLOAT16[2,3,30,40] ReductionFunction=AVERAGE "
         "InterpolationMode=LINEAR " UNSCALED HALF
         "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=4294967295 AlignRegionsToCorners=0",
    GRAD "seed=2 InputTensor=FLOAT32[3,9,17,19] InputTensor.strides=2907,1,171,9 InputTensor.fill=UNIT "
         "InputGradientTensor=FLOAT32[2,9,6,4] InputGradientTensor.strides=216,1,36,9 InputGradientTensor.fill=UNIT "
         "ROITensor=FLOAT32[2,4] ROITensor.data=0.1,0.2,0.7,0.9,0.8,0.9,0.1,0 BatchIndicesTensor=UINT32[2] "
         "BatchIndicesTensor.data=2,0 OutputGradientTensor=FLOAT32[3,9,17,19] "
         "OutputGradientTensor.strides=2907,1,171,9 ReductionFunction=MAX InterpolationMode=LINEAR SpatialScaleX=18 "
         "SpatialScaleY=16 " CORNERED "MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=3 AlignRegionsToCorners=1",
    GRAD "seed=3 InputTensor=FLOAT16[1,5,30,40] InputTensor.fill=UNIT InputGradientTensor=FLOAT16[3,5,7,7] "
         "InputGradientTensor.fill=UNIT ROITensor=FLOAT16[3,4] ROITensor.data=0,0,40,30,3.5,4.25,20,28,-9,-9,60,50 "
         "BatchIndicesTensor=UINT32[3] BatchIndicesTensor.data=0,0,0 OutputROIGradientTensor=FLOAT16[3,4] "
         "ReductionFunction=AVERAGE InterpolationMode=LINEAR " UNSCALED HALF
         "MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=2 AlignRegionsToCorners=0",
    /* More points on an element than one dispatch may walk. */
    GRAD "seed=4 InputGradientTensor=FLOAT16[12,1,40,9] InputGradientTensor.fill=UNIT ROITensor=FLOAT16[12,4] "
         "ROITensor.fill=UNIT BatchIndicesTensor=UINT32[12] BatchIndicesTensor.fill=COORDINATES:1 "
         "OutputGradientTensor=FLOAT16[1,1,3,2] ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=2 "
         "SpatialScaleY=3 " HALF "MinimumSamplesPerOutput=16 MaximumSamplesPerOutput=16 AlignRegionsToCorners=0",
};

#define TENSORS    "InputGradientTensor=FLOAT32[2,3,1,1] ROITensor=FLOAT32[1,2,4] BatchIndicesTensor=UINT32[2] "
#define ATTRIBUTES "InterpolationMode=LINEAR " UNSCALED CORNERED
static const struct case_refusal roi_align_grad_refused[] = {
    {GRAD TENSORS "OutputGradientTensor=FLOAT32[1,4,4,4] ReductionFunction=SUM " ATTRIBUTES
                  "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=0 AlignRegionsToCorners=0",
     "DML_OPERATOR_ROI_ALIGN_GRAD: OutputGradientTensor.Sizes[1] is 4, must be 3 = InputGradientTensor.Sizes[1]\n"
     "DML_OPERATOR_ROI_ALIGN_GRAD: ReductionFunction is 10, must be DML_REDUCE_FUNCTION_AVERAGE (2) or "
     "DML_REDUCE_FUNCTION_MAX (7)\n"
     "DML_OPERATOR_ROI_ALIGN_GRAD: MaximumSamplesPerOutput is 0, must be at least 1 and MinimumSamplesPerOutput (1)"},
    {GRAD TENSORS "ReductionFunction=AVERAGE " ATTRIBUTES SAMPLE "AlignRegionsToCorners=0",
     "DML_OPERATOR_ROI_ALIGN_GRAD: neither OutputGradientTensor nor OutputROIGradientTensor is there, must be one of "
     "them or both"},
    {GRAD TENSORS "OutputROIGradientTensor=FLOAT32[1,2,4] ReductionFunction=AVERAGE " ATTRIBUTES SAMPLE
                  "AlignRegionsToCorners=0",
     "DML_OPERATOR_ROI_ALIGN_GRAD: InputTensor is not there, must be where OutputROIGradientTensor is"},
    {GRAD TENSORS "OutputGradientTensor=FLOAT32[1,3,4,4] ReductionFunction=MAX " ATTRIBUTES SAMPLE
                  "AlignRegionsToCorners=0",
     "DML_OPERATOR_ROI_ALIGN_GRAD: InputTensor is not there, must be where ReductionFunction is "
     "DML_REDUCE_FUNCTION_MAX"},
    {GRAD
     "InputTensor=FLOAT32[1,5,4,4] InputGradientTensor=FLOAT32[3,3,1,1] ROITensor=FLOAT32[1,2,5] "
     "BatchIndicesTensor=UINT32[2,2] OutputGradientTensor=FLOAT32[1,5,4,4] ReductionFunction=MAX " ATTRIBUTES SAMPLE
     "AlignRegionsToCorners=0",
     "DML_OPERATOR_ROI_ALIGN_GRAD: ROITensor.Sizes[2] is 5, must be 4, the numbers of a region\n"
     "DML_OPERATOR_ROI_ALIGN_GRAD: InputGradientTensor.Sizes[0] is 3, must be 2 = ROITensor.Sizes[1]\n"
     "DML_OPERATOR_ROI_ALIGN_GRAD: BatchIndicesTensor.Sizes[0] is 2, must be 1\n"
     "DML_OPERATOR_ROI_ALIGN_GRAD: BatchIndicesTensor.Sizes[1] is 2, must be 3 = InputGradientTensor.Sizes[0]\n"
     "DML_OPERATOR_ROI_ALIGN_GRAD: InputGradientTensor.Sizes[1] is 3, must be 5 = InputTensor.Sizes[1]"},
};

static const char *const repeated[] = {
    GRAD "seed=1 InputGradientTensor=FLOAT32[70,9,5,5] InputGradientTensor.fill=UNIT ROITensor=FLOAT32[70,4] "
         "ROITensor.fill=UNIT BatchIndicesTensor=UINT32[70] BatchIndicesTensor.fill=COORDINATES:2 "
         "OutputGradientTensor=FLOAT32[2,9,20,30] ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=30 "
         "SpatialScaleY=20 " HALF "MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=2 AlignRegionsToCorners=0",
};

/* ---- benchmarks ---- */

/* 512 regions on pictures of 50 x 68, 7 x 7 bins of 2 x 2 points, and as many channels as there is room for; the
 * argument: whether the regions' gradient is made. */
static void make(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const uint32_t regions = 512, channels = benchmark_size(bytes, type, regions * 49, 1);
    const float scales[] = {68, 50}, offsets[] = {0.5f, -0.5f};
    case_begin(c, DML_OPERATOR_ROI_ALIGN_GRAD);
    struct case_tensor *roi = case_tensor(c, "ROITensor"), *indices = case_tensor(c, "BatchIndicesTensor");
    benchmark_tensor(case_tensor(c, "InputGradientTensor"), type, 4, (const uint32_t[]){regions, channels, 7, 7});
    case_tensor(c, "InputGradientTensor")->fill = CASE_FILL_UNIT;
    benchmark_tensor(roi, type, 2, (const uint32_t[]){regions, 4});
    roi->fill = CASE_FILL_UNIT;
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 1, &regions);
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = 1;
    if (argument != 0) {
        *case_tensor(c, "OutputROIGradientTensor") = *roi;
        case_tensor(c, "OutputROIGradientTensor")->fill = CASE_FILL_BITS;
        benchmark_tensor(case_tensor(c, "InputTensor"), type, 4, (const uint32_t[]){1, channels, 50, 68});
        case_tensor(c, "InputTensor")->fill = CASE_FILL_UNIT;
    } else {
        benchmark_tensor(case_tensor(c, "OutputGradientTensor"), type, 4, (const uint32_t[]){1, channels, 50, 68});
    }
    set_align(c, DML_REDUCE_FUNCTION_AVERAGE, DML_INTERPOLATION_MODE_LINEAR, scales, offsets, 2, 2, 0);
}

static const struct case_benchmark benchmarks[] = {
    {"roi_align_gradient/7x7_by_2x2", FLOATS, 0, CASE_BENCHMARK_TYPE_OF_OUTPUT, make, NULL},
    {"roi_align_gradient/of_regions", FLOATS, 1, CASE_BENCHMARK_TYPE_OF_OUTPUT, make, NULL},
};

CASE_FAMILY(roi_align_grad, ROI_ALIGN_GRAD, .has_frame = true, .binds_whole = true, .generate = generate,
            .group = "regions", CASE_BENCHMARKS(benchmarks), CASE_REPEATED(repeated), .bounds = bounds, .exact = exact);
