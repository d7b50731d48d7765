/* Cases of ROI_ALIGN and ROI_ALIGN1. */
#include "cases/operators/regions.h"

#include <float.h>
#include <math.h>

#include "cases/case_data.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"
#include "cases/support.h"

#define MOST_SAMPLES 160

struct align {
    float scales[2], input_offset, output_offset;
    double outside;
    uint32_t least, most;
    bool is_linear, is_average, to_corners;
};

static struct align align_of(const struct operator_case *c) {
    const bool is_new = c->schema->type == DML_OPERATOR_ROI_ALIGN1;
    const DML_TENSOR_DATA_TYPE type = c->tensors[INPUT].type;
    const float outside = regions_float(c, "OutOfBoundsInputValue");
    const uint32_t least = *regions_words(c, "MinimumSamplesPerOutput"),
                   most = *regions_words(c, "MaximumSamplesPerOutput");
    return (struct align){
        {regions_float(c, "SpatialScaleX"), regions_float(c, "SpatialScaleY")},
        is_new ? regions_float(c, "InputPixelOffset") : 0.5f,
        is_new ? regions_float(c, "OutputPixelOffset") : -0.5f,
        number_decode(type, number_encode(type, (double)outside)),
        least == 0 ? 1 : least,
        most > MOST_SAMPLES ? MOST_SAMPLES : most,
        *regions_words(c, "InterpolationMode") == DML_INTERPOLATION_MODE_LINEAR,
        *regions_words(c, "ReductionFunction") == DML_REDUCE_FUNCTION_AVERAGE,
        is_new && *regions_words(c, "AlignRegionsToCorners") != 0,
    };
}

/* The places of an output element's samples along an axis, all FLOAT32. */
struct places {
    uint32_t count;
    float of[MOST_SAMPLES];
    bool are_good;
};

static float normal(float x) {
    return fabsf(x) < FLT_MIN ? 0 : x;
}

static struct places places_of(const struct align *a, int axis, float low, float high, uint32_t bin, uint32_t bins) {
    struct places p;
    const float scale = normal(a->scales[axis]), start = normal(low) * scale, size = normal(high) * scale - start;
    const float wanted = ceilf(size / (float)bins), offset = normal(a->output_offset);
    p.count = a->least;
    while (p.count < a->most && (float)p.count < wanted) {
        p.count++;
    }
    const uint32_t all = bins * p.count, steps = a->to_corners ? (all > 1 ? all - 1 : 1) : all;
    const float step = normal(size / (float)steps);
    p.are_good = true;
    for (uint32_t i = 0; i < p.count + 2; i++) {
        const uint32_t n = i < p.count ? bin * p.count + i : i == p.count ? 0 : all - 1;
        float place = (float)n - offset;
        place *= step;
        place += start;
        place -= a->input_offset;
        p.are_good = p.are_good && (i < p.count || isfinite(place));
        if (i < p.count) {
            p.of[i] = place;
        }
    }
    return p;
}

struct sample {
    double value, magnitude;
};

/* Where a place lies: between two elements, nearer to one of them. */
static uint32_t between(const struct align *a, float place, uint32_t size, uint32_t step, double *weight) {
    const float inside = fminf(place < FLT_MIN ? 0 : place, (float)(size - 1));
    const double low = floor((double)inside);
    const double far = (double)inside - low;
    const double shares[] = {a->is_linear ? 1 - far : far <= 0.5, a->is_linear ? far : far > 0.5};
    *weight = shares[step];
    return (uint32_t)low + step < size ? (uint32_t)low + step : size - 1;
}

static struct sample sample_at(const struct operator_case *c, const unsigned char *const *tensors,
                               const struct align *a, const uint32_t *plane, float y, float x) {
    const struct case_tensor *input = &c->tensors[INPUT];
    const bool is_inside = y >= -1 && y <= (float)input->sizes[2] && x >= -1 && x <= (float)input->sizes[3];
    struct sample s = {a->outside, fabs(a->outside)};
    if (is_inside) {
        s = (struct sample){0, 0};
        for (uint32_t i = 0; i < 4; i++) {
            double weights[2];
            const uint32_t from[] = {plane[0], plane[1], between(a, y, input->sizes[2], i / 2, &weights[0]),
                                     between(a, x, input->sizes[3], i % 2, &weights[1])};
            const double weight = weights[0] * weights[1];
            const double e = weight == 0 ? 0 : regions_number_at(c, tensors, INPUT, from);
            s.value += weight * e;
            s.magnitude += weight * fabs(e);
        }
    }
    return s;
}

struct pooled {
    double value, magnitude, count; /* of all samples; of the greatest its bounds */
    double finite;                  /* magnitudes */
    struct accuracy_bounds greatest;
    double row; /* samples of a row and of a column */
};

static struct pooled pooled_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const struct align a = align_of(c);
    const struct case_tensor *roi = &c->tensors[ROI], *indices = &c->tensors[INDICES], *output = &c->tensors[OUTPUT];
    uint32_t number[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0}, index[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0};
    float corners[4];
    number[roi->rank - 2] = index[indices->rank - 1] = at[0];
    for (uint32_t n = 0; n < 4; n++) {
        number[roi->rank - 1] = n;
        corners[n] = (float)regions_number_at(c, tensors, ROI, number);
    }
    const uint64_t picture = regions_bits_at(c, tensors, INDICES, index);
    const struct places x = places_of(&a, 0, corners[0], corners[2], at[3], output->sizes[3]);
    const struct places y = places_of(&a, 1, corners[1], corners[3], at[2], output->sizes[2]);
    const uint32_t plane[] = {(uint32_t)picture, at[1]};
    struct pooled p = {0, 0, 0, 0, {-INFINITY, -INFINITY, false}, x.count + y.count};
    if (picture >= c->tensors[INPUT].sizes[0] || !x.are_good || !y.are_good) {
        return (struct pooled){a.outside, fabs(a.outside), 1, 0, {a.outside, a.outside, isnan(a.outside)}, 0};
    }
    for (uint32_t i = 0; i < y.count * x.count; i++) {
        const struct sample s = sample_at(c, tensors, &a, plane, y.of[i / x.count], x.of[i % x.count]);
        const double error = a.is_linear && isfinite(s.magnitude) ? s.magnitude * 0x1p-21 + 0x1p-124 : 0;
        p.value += s.value;
        p.magnitude += s.magnitude;
        p.finite += isfinite(s.magnitude) ? s.magnitude : 0;
        p.count++;
        p.greatest.may_be_nan = p.greatest.may_be_nan || isnan(s.value);
        p.greatest.least = fmax(p.greatest.least, s.value - error);
        p.greatest.greatest = fmax(p.greatest.greatest, s.value + error);
    }
    return p;
}

/* Sums on the way may be infinite beyond this. */
static bool overflows(const struct pooled *p) {
    return p->finite > (double)FLT_MAX * (1 - 0x1p-10);
}

static struct accuracy_bounds align_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                           const uint32_t *at) {
    const struct pooled p = pooled_at(c, tensors, at);
    if (*regions_words(c, "ReductionFunction") != DML_REDUCE_FUNCTION_AVERAGE) {
        return p.greatest.may_be_nan ? (struct accuracy_bounds){NAN, NAN, true} : p.greatest;
    }
    if (overflows(&p)) {
        return accuracy_anything;
    }
    /* FLOAT32's denormals may count as 0. */
    const double mean = p.value / p.count, magnitude = p.magnitude / p.count;
    const double error = isfinite(magnitude) ? magnitude * accuracy_of_terms(c, p.row) + 0x1p-123 : 0;
    return (struct accuracy_bounds){mean - error, mean + error, isnan(mean)};
}

static struct accuracy_exact align_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                         const uint32_t *at) {
    const struct pooled p = pooled_at(c, tensors, at);
    if (*regions_words(c, "ReductionFunction") != DML_REDUCE_FUNCTION_AVERAGE || overflows(&p)) {
        return (struct accuracy_exact){NAN, NAN};
    }
    return (struct accuracy_exact){p.value / p.count, 0x1p-24 * p.magnitude / p.count + 0x1p-126};
}

static void set_align(struct operator_case *c, uint32_t function, uint32_t mode, const float *scales, float outside,
                      uint32_t least, uint32_t most) {
    case_set_uint(c, "ReductionFunction", function);
    case_set_uint(c, "InterpolationMode", mode);
    case_set_float(c, "SpatialScaleX", scales[0]);
    case_set_float(c, "SpatialScaleY", scales[1]);
    case_set_float(c, "OutOfBoundsInputValue", outside);
    case_set_uint(c, "MinimumSamplesPerOutput", least);
    case_set_uint(c, "MaximumSamplesPerOutput", most);
}

static void set_offsets(struct operator_case *c, float input, float output, uint32_t to_corners) {
    case_set_float(c, "InputPixelOffset", input);
    case_set_float(c, "OutputPixelOffset", output);
    case_set_uint(c, "AlignRegionsToCorners", to_corners);
}

static void generate_align(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const uint32_t counts[] = {0, 1, 1, 1, 2, 2, 3, 4, 7, 40, 160};
    static const float offsets[] = {0.5f, 0.5f, 0, 0, -0.5f, 1, 0.3f, 1e-40f};
    static const float outsides[] = {0, 0, 1, -2.5f, 65504, 1e6f, INFINITY};
    uint32_t least = RANDOM_OF(random, counts), most = RANDOM_OF(random, counts);
    most = most < least || most == 0 ? (least == 0 ? 1 : least) : most;
    most = random_chance(random, 20) ? UINT32_MAX - random_below(random, 2) : most;
    const uint32_t greatest = most > MOST_SAMPLES ? MOST_SAMPLES : most;
    case_begin(c, family->type);
    regions_generate_tensors(random, c, greatest * greatest);
    struct case_tensor *roi = case_tensor(c, "ROITensor"), *indices = case_tensor(c, "BatchIndicesTensor");
    const struct case_tensor *input = &c->tensors[INPUT];
    const uint32_t regions = c->tensors[OUTPUT].sizes[0];
    regions_set(roi, random_between(random, 2, 4), regions, 4);
    indices->type = generate_type(random, c, "BatchIndicesTensor");
    indices->rank = random_between(random, 1, 4);
    for (uint32_t d = 0; d < indices->rank; d++) {
        indices->sizes[d] = d + 1 == indices->rank ? regions : 1;
    }
    indices->fill = CASE_FILL_INDICES;
    indices->fill_permille = input->sizes[0];
    const float scales[] = {regions_scale(random, input->sizes[3]), regions_scale(random, input->sizes[2])};
    set_align(c, random_chance(random, 65) ? DML_REDUCE_FUNCTION_AVERAGE : DML_REDUCE_FUNCTION_MAX,
              random_chance(random, 70), scales, RANDOM_OF(random, outsides), least, most);
    if (family->type == DML_OPERATOR_ROI_ALIGN1) {
        const bool is_odd = random_chance(random, 4);
        set_offsets(c, is_odd ? number_special_float(random) : RANDOM_OF(random, offsets),
                    is_odd ? number_special_float(random) : -RANDOM_OF(random, offsets), random_chance(random, 40));
    }
    regions_generate(random, c, scales, false);
    for (uint32_t slot = INPUT; slot <= INDICES; slot++) {
        generate_input_layout(random, &c->tensors[slot]);
    }
    generate_output_layout(random, &c->tensors[OUTPUT]);
    generate_call(random, c);
}

#define ALIGN_SUPPORT(NAME, level)                                                                                     \
    static const struct case_tensor_support NAME##_support[] = {                                                       \
        {"InputTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 4, FLOATS))},                                                  \
        {"ROITensor", CASE_SUPPORT(AT_LEVEL(level, 2, 4, FLOATS))},                                                    \
        {"BatchIndicesTensor", CASE_SUPPORT(AT_LEVEL(level, 1, 4, CASE_TYPE(UINT32)),                                  \
                                            AT_LEVEL(5_0, 1, 4, CASE_TYPE(UINT32) | CASE_TYPE(UINT64)))},              \
        {"OutputTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 4, FLOATS))},                                                 \
    };
ALIGN_SUPPORT(roi_align, 3_0)
ALIGN_SUPPORT(roi_align1, 4_0)

#define ALIGN  "ROI_ALIGN "
#define ALIGN1 "ROI_ALIGN1 "
#define FOUR   "InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,2,3,4 "
#define ONE    "BatchIndicesTensor=UINT32[1] BatchIndicesTensor.data=0 "
#define SCALED "SpatialScaleX=1 SpatialScaleY=1 OutOfBoundsInputValue=9 "
static const char *const roi_align_fixed[] = {
    /* The page of ROI_ALIGN_GRAD's illustration. */
    ALIGN SIXTEEN "ROITensor=FLOAT32[4,4] ROITensor.data=0,0,2,2,2,0,4,2,0,2,2,4,2,2,4,4 BatchIndicesTensor=UINT32[4] "
                  "BatchIndicesTensor.data=0,0,0,0 OutputTensor=FLOAT32[4,1,1,3] "
                  "OutputTensor.data=1,1,2,3,3,4,9,9,10,11,11,12 ReductionFunction=AVERAGE "
                  "InterpolationMode=NEAREST_NEIGHBOR " SCALED "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1",
    /* Samples on the elements themselves; as many as a region has elements; the greatest of these. */
    ALIGN FOUR "ROITensor=FLOAT32[1,4] ROITensor.data=0,0,2,2 " ONE "OutputTensor=FLOAT32[1,1,2,2] "
               "OutputTensor.data=1,2,3,4 ReductionFunction=AVERAGE InterpolationMode=LINEAR " SCALED
               "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=4",
    ALIGN FOUR "ROITensor=FLOAT32[1,4] ROITensor.data=0,0,2,2 " ONE "OutputTensor=FLOAT32[1,1,1,1] "
               "OutputTensor.data=2.5 ReductionFunction=AVERAGE InterpolationMode=LINEAR " SCALED
               "MinimumSamplesPerOutput=0 MaximumSamplesPerOutput=4294967295",
    ALIGN FOUR "ROITensor=FLOAT32[1,1,1,4] ROITensor.data=0,0,2,2 BatchIndicesTensor=UINT64[1,1,1] "
               "BatchIndicesTensor.data=0 OutputTensor=FLOAT32[1,1,1,1] OutputTensor.data=4 ReductionFunction=MAX "
               "InterpolationMode=LINEAR " SCALED "MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=2",
    /* Places -1 and 2 are inside, what is beyond is not. */
    ALIGN FOUR
    "ROITensor=FLOAT32[4,4] ROITensor.data=-1.5,-1.5,0.5,0.5,1.5,1.5,3.5,3.5,-1.625,0,0.375,2,0,1.625,2,3.625 "
    "BatchIndicesTensor=UINT32[4] BatchIndicesTensor.data=0,0,0,0 OutputTensor=FLOAT32[4,1,1,1] "
    "OutputTensor.data=1,4,9,9 ReductionFunction=AVERAGE InterpolationMode=LINEAR " SCALED
    "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1",
    /* Pictures and regions that there are not. */
    ALIGN FOUR
    "ROITensor=FLOAT32[7,4] ROITensor.data=0,0,2,2,0,0,2,2,nan,0,2,2,0,0,inf,2,-3e38,0,3e38,2,-1e30,-1e30,1e30,"
    "1e30,0,0,2,2 BatchIndicesTensor=UINT64[7] BatchIndicesTensor.data=1,0x100000000,0,0,0,0,0 "
    "OutputTensor=FLOAT32[7,1,1,1] OutputTensor.data=9,9,9,9,9,9,2.5 ReductionFunction=AVERAGE "
    "InterpolationMode=LINEAR " SCALED "MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=160",
    /* What has no weight does not count. */
    ALIGN
    "InputTensor=FLOAT32[1,1,1,3] InputTensor.data=1,inf,nan ROITensor=FLOAT32[1,4] ROITensor.data=0,0,3,1 " ONE
    "OutputTensor=FLOAT32[1,1,1,3] OutputTensor.data=1,inf,nan ReductionFunction=MAX InterpolationMode=LINEAR " SCALED
    "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1",
    ALIGN
    "seed=1 InputTensor=FLOAT16[2,3,30,40] InputTensor.fill=UNIT ROITensor=FLOAT16[3,4] "
    "ROITensor.data=0,0,40,30,3.5,4.25,20,28,-9,-9,60,50 BatchIndicesTensor=UINT32[3] BatchIndicesTensor.data=1,0,1 "
    "OutputTensor=FLOAT16[3,3,7,7] ReductionFunction=AVERAGE InterpolationMode=LINEAR " SCALED
    "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=4294967295",
    ALIGN "seed=2 InputTensor=FLOAT32[1,1,300,400] InputTensor.fill=UNIT ROITensor=FLOAT32[2,4] "
          "ROITensor.data=0,0,400,300,-1000,-1000,1000,1000 BatchIndicesTensor=UINT32[2] BatchIndicesTensor.data=0,0 "
          "OutputTensor=FLOAT32[2,1,1,2] ReductionFunction=AVERAGE InterpolationMode=LINEAR " SCALED
          "MinimumSamplesPerOutput=0 MaximumSamplesPerOutput=4294967295",
};

static const char *const roi_align1_fixed[] = {
    /* To the very corners, forward and mirrored; regions of no size. */
    ALIGN1 "InputTensor=FLOAT32[1,1,1,3] InputTensor.data=1,2,3 ROITensor=FLOAT32[3,4] "
           "ROITensor.data=0,0,2,0,2,0,0,0,1,0,1,0 BatchIndicesTensor=UINT32[3] BatchIndicesTensor.data=0,0,0 "
           "OutputTensor=FLOAT32[3,1,1,5] OutputTensor.data=1,1.5,2,2.5,3,3,2.5,2,1.5,1,2,2,2,2,2 "
           "ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=1 SpatialScaleY=1 InputPixelOffset=0 "
           "OutputPixelOffset=0 OutOfBoundsInputValue=9 MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 "
           "AlignRegionsToCorners=1",
    /* A row by its halves; nearest elements, of two as near the first. */
    ALIGN1 "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=1,2,3,4 ROITensor=FLOAT32[1,4] ROITensor.data=0,0,2,0 " ONE
           "OutputTensor=FLOAT32[1,1,1,4] OutputTensor.data=1,1,2,2 ReductionFunction=MAX "
           "InterpolationMode=NEAREST_NEIGHBOR SpatialScaleX=1 SpatialScaleY=1 InputPixelOffset=0 OutputPixelOffset=0 "
           "OutOfBoundsInputValue=9 MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 AlignRegionsToCorners=0",
    /* ONNX's half_pixel and output_half_pixel differ in the offset: here without it. */
    ALIGN1 FOUR "ROITensor=FLOAT32[1,4] ROITensor.data=0,0,2,2 " ONE "OutputTensor=FLOAT32[1,1,2,2] "
                "OutputTensor.data=2.5,3,3.5,4 ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=1 "
                "SpatialScaleY=1 InputPixelOffset=0 OutputPixelOffset=-0.5 OutOfBoundsInputValue=9 "
                "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 AlignRegionsToCorners=0",
    ALIGN1 "seed=1 InputTensor=FLOAT16[3,5,17,19] InputTensor.strides=1615,1,95,5 InputTensor.fill=UNIT "
           "ROITensor=FLOAT16[2,4] ROITensor.data=0.1,0.2,0.7,0.9,0.8,0.9,0.1,0 BatchIndicesTensor=UINT32[2] "
           "BatchIndicesTensor.data=2,0 OutputTensor=FLOAT16[2,5,6,4] OutputTensor.strides=120,1,20,5 "
           "ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=18 SpatialScaleY=16 InputPixelOffset=0 "
           "OutputPixelOffset=0 OutOfBoundsInputValue=0 MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=3 "
           "AlignRegionsToCorners=1",
};

#define ALIGNED                                                                                                        \
    "InputTensor=FLOAT32[1,3,4,4] ROITensor=FLOAT32[1,2,4] BatchIndicesTensor=UINT32[2] "                              \
    "OutputTensor=FLOAT32[2,3,1,1] "
#define UNSCALED "SpatialScaleX=1 SpatialScaleY=1 OutOfBoundsInputValue=0 "
static const struct case_refusal roi_align_refused[] = {
    {ALIGN ALIGNED "ReductionFunction=SUM InterpolationMode=LINEAR " UNSCALED
                   "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1",
     "DML_OPERATOR_ROI_ALIGN: ReductionFunction is 10, must be DML_REDUCE_FUNCTION_AVERAGE (2) or "
     "DML_REDUCE_FUNCTION_MAX (7)"},
    {ALIGN ALIGNED "ReductionFunction=MAX InterpolationMode=LINEAR " UNSCALED
                   "MinimumSamplesPerOutput=161 MaximumSamplesPerOutput=160",
     "DML_OPERATOR_ROI_ALIGN: MinimumSamplesPerOutput is 161, must be at most 160\n"
     "DML_OPERATOR_ROI_ALIGN: MaximumSamplesPerOutput is 160, must be at least 1 and MinimumSamplesPerOutput (161)"},
    {ALIGN ALIGNED "ReductionFunction=MAX InterpolationMode=LINEAR " UNSCALED
                   "MinimumSamplesPerOutput=0 MaximumSamplesPerOutput=0",
     "DML_OPERATOR_ROI_ALIGN: MaximumSamplesPerOutput is 0, must be at least 1 and MinimumSamplesPerOutput (0)"},
    {ALIGN "InputTensor=FLOAT32[1,3,4,4] ROITensor=FLOAT32[2,2,5] BatchIndicesTensor=UINT32[2,3] "
           "OutputTensor=FLOAT32[2,3,1,1] ReductionFunction=MAX InterpolationMode=LINEAR " UNSCALED
           "MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1",
     "DML_OPERATOR_ROI_ALIGN: ROITensor.Sizes[0] is 2, must be 1\n"
     "DML_OPERATOR_ROI_ALIGN: ROITensor.Sizes[2] is 5, must be 4, the numbers of a region\n"
     "DML_OPERATOR_ROI_ALIGN: BatchIndicesTensor.Sizes[0] is 2, must be 1\n"
     "DML_OPERATOR_ROI_ALIGN: BatchIndicesTensor.Sizes[1] is 3, must be 2 = OutputTensor.Sizes[0]"},
};

static const struct case_refusal roi_align1_refused[] = {
    {ALIGN1 ALIGNED "ReductionFunction=MAX InterpolationMode=LINEAR SpatialScaleX=1 SpatialScaleY=1 InputPixelOffset=0 "
                    "OutputPixelOffset=0 OutOfBoundsInputValue=0 MinimumSamplesPerOutput=3 MaximumSamplesPerOutput=2 "
                    "AlignRegionsToCorners=1",
     "DML_OPERATOR_ROI_ALIGN1: MaximumSamplesPerOutput is 2, must be at least 1 and MinimumSamplesPerOutput (3)"},
};

/* The argument: the samples of a bin along an axis, 0: as many as it has elements. */
static void make_align(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_ROI_ALIGN);
    regions_benchmark_planes(c, bytes, type);
    regions_benchmark(c, 4);
    benchmark_tensor(case_tensor(c, "BatchIndicesTensor"), DML_TENSOR_DATA_TYPE_UINT32, 1, (const uint32_t[]){24});
    case_tensor(c, "BatchIndicesTensor")->fill = CASE_FILL_COORDINATES;
    case_tensor(c, "BatchIndicesTensor")->fill_permille = 1;
    set_align(c, DML_REDUCE_FUNCTION_AVERAGE, DML_INTERPOLATION_MODE_LINEAR, (const float[]){64, 64}, 0,
              argument == 0 ? 1 : argument, argument == 0 ? UINT32_MAX : argument);
}

struct loop_axis {
    uint32_t samples, low[7 * 10], high[7 * 10];
    float far[7 * 10];
};

static void loop_points(float start, float size, uint32_t least, uint32_t most, struct loop_axis *axis) {
    const uint32_t wanted = size > 0 ? (uint32_t)ceilf(size / 7) : 0;
    axis->samples = wanted < least ? least : wanted > most ? most : wanted;
    for (uint32_t i = 0; i < 7 * axis->samples; i++) {
        float place = ((float)i + 0.5f) * (size / (float)(7 * axis->samples)) + start - 0.5f;
        place = place < 0 ? 0 : place;
        axis->low[i] = place < 63 ? (uint32_t)place : 63;
        axis->high[i] = axis->low[i] < 63 ? axis->low[i] + 1 : 63;
        axis->far[i] = axis->low[i] < 63 ? place - (float)axis->low[i] : 0;
    }
}

/* Points once a region; of the benchmarks, as above. */
static void align_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *t = &c->tensors[INPUT];
    const size_t channels = t->sizes[1], regions = c->tensors[ROI].sizes[2];
    const uint32_t least = *regions_words(c, "MinimumSamplesPerOutput"),
                   most = *regions_words(c, "MaximumSamplesPerOutput");
    for (size_t r = 0; r < regions; r++) {
        float corner[4];
        for (size_t n = 0; n < 4; n++) {
            corner[n] = 64 * loop_load(tensors[ROI], t->type, r * 4 + n);
        }
        struct loop_axis x, y;
        loop_points(corner[0], corner[2] - corner[0], least, most, &x);
        loop_points(corner[1], corner[3] - corner[1], least, most, &y);
        const float inverse = 1 / (float)(x.samples * y.samples);
        for (size_t i = 0; i < channels * 49; i++) {
            const size_t bin_x = i % 7 * x.samples, bin_y = i / 7 % 7 * y.samples, plane = i / 49 * 4096;
            float sum = 0;
            for (size_t v = bin_y; v < bin_y + y.samples; v++) {
                const size_t above = plane + y.low[v] * 64u, below = plane + y.high[v] * 64u;
                for (size_t u = bin_x; u < bin_x + x.samples; u++) {
                    const float far = x.far[u], near = 1 - far;
                    sum += (1 - y.far[v]) * (near * loop_load(tensors[INPUT], t->type, above + x.low[u]) +
                                             far * loop_load(tensors[INPUT], t->type, above + x.high[u])) +
                           y.far[v] * (near * loop_load(tensors[INPUT], t->type, below + x.low[u]) +
                                       far * loop_load(tensors[INPUT], t->type, below + x.high[u]));
                }
            }
            loop_store(tensors[OUTPUT], t->type, r * channels * 49 + i, sum * inverse);
        }
    }
}

static const struct case_benchmark align_benchmarks[] = {
    {"roi_align/7x7_by_2x2", FLOATS, 2, 0, make_align, align_loop},
    {"roi_align/7x7_adaptive", FLOATS, 0, 0, make_align, align_loop},
};

CASE_FAMILY(roi_align, ROI_ALIGN, .has_frame = true, .generate = generate_align, .group = "regions",
            CASE_BENCHMARKS(align_benchmarks), .bounds = align_bounds, .exact = align_exact);

CASE_FAMILY(roi_align1, ROI_ALIGN1, .generate = generate_align, .group = "regions", .bounds = align_bounds,
            .exact = align_exact);
