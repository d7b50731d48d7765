/* MEAN_VARIANCE_NORMALIZATION and LP_NORMALIZATION. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"
#include "cases/operators/mapping.h"
#include "cases/operators/reductions.h"
#include "cases/support.h"
#include "cases/terms.h"

/* ---- what floats may be ---- */

/* An element of the scale or the bias, whichever of its dimensions is 1; `absent` where there is none. */
static double operand_at(const struct operator_case *c, const unsigned char *const *tensors, const char *name,
                         const uint32_t *coordinates, double absent) {
    const uint32_t slot = case_index(c, name);
    const struct case_tensor *tensor = &c->tensors[slot];
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1], own[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0};
    if (!c->fields[slot].present) {
        return absent;
    }
    for (uint32_t d = 0; d < tensor->rank; d++) {
        own[d] = tensor->sizes[d] == 1 ? 0 : coordinates[d];
    }
    case_strides(tensor, strides);
    return number_decode(tensor->type,
                         case_read_element(tensor, tensors[slot], case_element_position(tensor, strides, own)));
}

struct normalization {
    uint32_t folded;
    bool uses_mean, uses_variance;
};

/* What a mean may be off: by a rounding, and by what a sum of distances leaves; of equal elements there are none. */
static double mean_error(const struct operator_case *c, const struct case_reduction *r) {
    return r->variance == 0 ? 0x1p-40 * fabs(r->mean)
                            : accuracy_of_terms(c, r->count) * fabs(r->mean) + accuracy_of_one(c) * sqrt(r->variance);
}

/* Where the variance is lost in what the mean may be off, or leaves FLOAT32, there is nothing to hold results to. */
static struct accuracy_bounds normalized(const struct operator_case *c, const unsigned char *const *tensors,
                                         const struct normalization *n, const uint32_t *coordinates) {
    const struct case_reduction *r = case_reduction_at(c, tensors, n->folded, coordinates);
    const double x = case_reduction_element(c, tensors, coordinates);
    const double scale = operand_at(c, tensors, "ScaleTensor", coordinates, 1);
    const double bias = operand_at(c, tensors, "BiasTensor", coordinates, 0);
    const double epsilon = (double)case_float(c, "Epsilon");
    const double variance = (n->uses_mean ? r->variance : r->squares / r->count) + epsilon;
    const double noise = n->uses_mean ? mean_error(c, r) : 0;
    double distance = noise, z = n->uses_mean ? x - r->mean : x;
    if (!isfinite(r->squares) || r->most > 0x1p+100) {
        return accuracy_anything;
    }
    if (n->uses_variance) {
        if (variance <= 16 * noise * noise || variance < 0x1p-100 || 4 * r->most * r->most * r->count > FLT_MAX) {
            return accuracy_anything;
        }
        z /= sqrt(variance);
        distance = distance / sqrt(variance) + fabs(z) * (accuracy_of_result(c, r->count) + noise * noise / variance);
    }
    const double product = scale * z, value = product + bias;
    if (!isfinite(value) || fabs(product) + fabs(bias) > FLT_MAX) {
        return accuracy_anything;
    }
    distance = fabs(scale) * distance + (fabs(product) + fabs(bias)) * 0x1p-22 + (1 + fabs(scale)) * FLT_MIN;
    return terms_rise(c, accuracy_around(value, distance), 0x1p-10); /* of FLOAT16's functions */
}

static struct accuracy_bounds bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *coordinates) {
    const struct normalization n = {case_word(c, "CrossChannel") ? 0xE : 0xC, true, case_word(c, "NormalizeVariance")};
    return normalized(c, tensors, &n, coordinates);
}

static struct accuracy_bounds bounds1(const struct operator_case *c, const unsigned char *const *tensors,
                                      const uint32_t *coordinates) {
    const struct normalization n = {case_axes(c), true, case_word(c, "NormalizeVariance")};
    return normalized(c, tensors, &n, coordinates);
}

static struct accuracy_bounds bounds2(const struct operator_case *c, const unsigned char *const *tensors,
                                      const uint32_t *coordinates) {
    const struct normalization n = {case_axes(c), case_word(c, "UseMean"), case_word(c, "UseVariance")};
    return normalized(c, tensors, &n, coordinates);
}

/* Norms beyond FLOAT32 are infinite. */
static struct accuracy_bounds lp_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *coordinates) {
    const struct case_reduction *r = case_reduction_at(c, tensors, 1u << case_word(c, "Axis"), coordinates);
    const double x = case_reduction_element(c, tensors, coordinates);
    const double epsilon = (double)case_float(c, "Epsilon");
    const double norm = case_word(c, "P") == 1 ? r->magnitudes * r->count : sqrt(r->squares);
    const double divisor = norm < epsilon ? epsilon : norm, value = x / divisor;
    if (norm > FLT_MAX && isfinite(norm)) {
        return accuracy_around(0, fabs(value) * (1 + accuracy_of_result(c, 1)));
    }
    if (divisor < r->count * 0x1p-120) {
        return accuracy_anything;
    }
    /* Denormals, of elements and results, may be taken for 0. */
    const double relative = accuracy_of_result(c, 1) + (double)FLT_MIN * r->count / divisor;
    return accuracy_around(value, isinf(value) ? 0 : fabs(value) * relative + (double)FLT_MIN * (1 + 1 / divisor));
}

/* The exact value, and what one rounding of FLOAT32 takes of it and of the magnitudes that the mean is made of. */
static struct accuracy_exact exact1(const struct operator_case *c, const unsigned char *const *tensors,
                                    const uint32_t *coordinates) {
    const struct case_reduction *r = case_reduction_at(c, tensors, case_axes(c), coordinates);
    const double scale = operand_at(c, tensors, "ScaleTensor", coordinates, 1);
    const double bias = operand_at(c, tensors, "BiasTensor", coordinates, 0);
    const double variance = r->variance + (double)case_float(c, "Epsilon"), noise = mean_error(c, r);
    const double divisor = case_word(c, "NormalizeVariance") ? sqrt(variance) : 1;
    const double product = scale * (case_reduction_element(c, tensors, coordinates) - r->mean) / divisor;
    if (c->fused[0].schema != NULL || r->most > 0x1p+50 || fabs(scale) > 0x1p+50 ||
        (divisor < 1 && variance <= 16 * noise * noise + 0x1p-100)) {
        return accuracy_no_exact; /* fused, or nothing to hold results to */
    }
    return (struct accuracy_exact){
        product + bias, 0x1p-24 * (fabs(product) + fabs(bias) + fabs(scale) * r->magnitudes / divisor) + 0x1p-126};
}

static struct accuracy_exact lp_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                      const uint32_t *coordinates) {
    const struct case_reduction *r = case_reduction_at(c, tensors, 1u << case_word(c, "Axis"), coordinates);
    const double x = case_reduction_element(c, tensors, coordinates);
    const double epsilon = (double)case_float(c, "Epsilon");
    const double norm = case_word(c, "P") == 1 ? r->magnitudes * r->count : sqrt(r->squares);
    const double value = x / (norm < epsilon ? epsilon : norm);
    if (norm < r->count * 0x1p-100 || norm > 0x1p+126) {
        return accuracy_no_exact;
    }
    return (struct accuracy_exact){value, 0x1p-24 * fabs(value) + 0x1p-126};
}

/* ---- random cases ---- */

static void fill_if_given(struct operator_case *c, const char *name, enum case_fill fill) {
    const uint32_t slot = case_index(c, name);
    if (c->fields[slot].present) {
        c->tensors[slot].fill = fill;
    }
}

static void choose_numbers(struct random *random, struct operator_case *c) {
    static const float epsilons[] = {0, 1e-5f, 0.125f, 1};
    static const enum case_fill fills[] = {CASE_FILL_FAR, CASE_FILL_LEVEL};
    case_widen(random, c);
    if (random_chance(random, 40)) {
        case_tensor(c, "InputTensor")->fill = RANDOM_OF(random, fills);
        fill_if_given(c, "ScaleTensor", CASE_FILL_ABOVE_ONE);
        fill_if_given(c, "BiasTensor", CASE_FILL_UNIT);
    }
    case_set_float(c, "Epsilon", RANDOM_OF(random, epsilons));
    if (c->fused[0].schema != NULL) {
        memset(&c->fused[0], 0, sizeof(c->fused[0]));
        terms_fuse(random, c);
    }
}

static void choose(struct random *random, struct operator_case *c) {
    choose_numbers(random, c);
    case_choose_axes(random, c);
}

static void choose_lp(struct random *random, struct operator_case *c) {
    static const float epsilons[] = {0, 1e-5f, 1};
    case_widen(random, c);
    case_set_float(c, "Epsilon", RANDOM_OF(random, epsilons));
    case_set_uint(c, "Axis", random_below(random, c->tensors[0].rank));
    case_set_uint(c, "P", random_between(random, 1, 2));
}

/* ---- benchmarks ---- */

/* The argument is the length of rows, 0 of pictures: of each channel; whether there are scales and biases, of each
 * place in a row or of each channel; or across channels. */
#define SCALED  0x80000000u
#define ACROSS  0x40000000u
#define LENGTHS 0x3FFFFFFFu

static void make_tensors(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t width, struct operator_case *c) {
    benchmark_rows(bytes, type, width, c);
    case_set_float(c, "Epsilon", 1e-5f);
}

static void make_normalization(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    static const char *const names[] = {"ScaleTensor", "BiasTensor"};
    const uint32_t width = argument & LENGTHS;
    case_begin(c, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1);
    make_tensors(bytes, type, width, c);
    const uint32_t axes[] = {width != 0 || (argument & ACROSS) != 0 ? 1 : 2, 3};
    const uint32_t count = axes[0] == 2 ? 2 : 1;
    case_set_uint(c, "AxisCount", count);
    case_set(c, "Axes", count, axes);
    case_set_uint(c, "NormalizeVariance", 1);
    for (uint32_t i = 0; i < 2 && (argument & SCALED) != 0; i++) {
        const struct case_tensor *input = case_tensor(c, "InputTensor");
        struct case_tensor *tensor = case_tensor(c, names[i]);
        benchmark_tensor(tensor, type, input->rank, input->sizes);
        tensor->fill = CASE_FILL_UNIT;
        for (uint32_t d = 0; d < tensor->rank; d++) {
            tensor->sizes[d] = d == 1 ? tensor->sizes[d] : 1;
        }
    }
}

static void make_lp(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_LP_NORMALIZATION);
    make_tensors(bytes, type, argument & LENGTHS, c);
    case_set_uint(c, "Axis", 1);
    case_set_uint(c, "P", 2);
}

/* Of FLOAT32, packed: reductions of elements so far apart; what is multiplied by and added along either. */
struct loop {
    const float *in, *scale, *bias;
    float *out;
    size_t outer, length, inner, channels;
    float epsilon;
};

static struct loop loop_of(const struct operator_case *c, unsigned char *const *tensors, uint32_t first,
                           uint32_t count) {
    const struct case_tensor *input = &c->tensors[0];
    struct loop loop = {.in = (const float *)(const void *)tensors[0],
                        .out = (float *)(void *)tensors[case_index(c, "OutputTensor")],
                        .outer = 1,
                        .length = 1,
                        .inner = 1,
                        .channels = input->sizes[1],
                        .epsilon = case_float(c, "Epsilon")};
    for (uint32_t d = 0; d < input->rank; d++) {
        *(d < first ? &loop.outer : d < first + count ? &loop.length : &loop.inner) *= input->sizes[d];
    }
    return loop;
}

#define DOWN(loop, x, at) for (size_t at = (x); at < (x) + (loop).length * (loop).inner; at += (loop).inner)

static void normalization_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const uint32_t axes = case_index(c, "Axes"), scale = case_index(c, "ScaleTensor");
    struct loop loop = loop_of(c, tensors, c->fields[axes].words[0], c->fields[axes].word_count);
    const bool is_scaled = c->fields[scale].present != 0, by_place = c->fields[axes].words[0] == 1;
    loop.scale = (const float *)(const void *)tensors[scale];
    loop.bias = (const float *)(const void *)tensors[scale + 1];
    for (size_t o = 0; o < loop.outer; o++) {
        for (size_t i = 0, x = o * loop.length * loop.inner; i < loop.inner; i++, x++) {
            float sum = 0, squares = 0;
            DOWN(loop, x, at) sum += loop.in[at];
            const float mean = sum / (float)loop.length;
            DOWN(loop, x, at) squares += (loop.in[at] - mean) * (loop.in[at] - mean);
            const float factor = 1 / sqrtf(squares / (float)loop.length + loop.epsilon);
            size_t n = by_place ? 0 : o % loop.channels;
            DOWN(loop, x, at) {
                const float z = (loop.in[at] - mean) * factor;
                loop.out[at] = is_scaled ? z * loop.scale[n] + loop.bias[n] : z;
                n += by_place;
            }
        }
    }
}

static void lp_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct loop loop = loop_of(c, tensors, 1, 1);
    for (size_t o = 0; o < loop.outer; o++) {
        for (size_t i = 0, x = o * loop.length * loop.inner; i < loop.inner; i++, x++) {
            float squares = 0;
            DOWN(loop, x, at) squares += loop.in[at] * loop.in[at];
            const float norm = sqrtf(squares), factor = 1 / (norm < loop.epsilon ? loop.epsilon : norm);
            DOWN(loop, x, at) loop.out[at] = loop.in[at] * factor;
        }
    }
}

#define OF_TYPES(label, argument, make, loop)                                                                          \
    {label, CASE_TYPE(FLOAT32), argument, 0, make, loop}, {                                                            \
        label, CASE_TYPE(FLOAT16), argument, 0, make, NULL                                                             \
    }
#define OF_LENGTHS(label, argument) OF_TYPES("mean_variance/" label, argument, make_normalization, normalization_loop)

static const struct case_benchmark normalization_benchmarks[] = {
    OF_LENGTHS("rows_128", 128),
    OF_LENGTHS("rows_1024", 1024),
    OF_LENGTHS("rows_8192", 8192),
    OF_LENGTHS("rows_65536", 65536),
    OF_LENGTHS("rows_1024/scaled", 1024 | SCALED),
    OF_LENGTHS("rows_8192/scaled", 8192 | SCALED),
    OF_LENGTHS("images", 0),
    OF_LENGTHS("images/scaled", SCALED),
    OF_LENGTHS("channels", ACROSS),
};

static const struct case_benchmark lp_benchmarks[] = {
    OF_TYPES("l2/rows_1024", 1024, make_lp, lp_loop),
    OF_TYPES("l2/rows_65536", 65536, make_lp, lp_loop),
    OF_TYPES("l2/channels", 0, make_lp, lp_loop),
};

/* ---- families ---- */

#define TENSORS_OF(NAME, TYPE, sizes, in, out)                                                                         \
    NAME " InputTensor=" #TYPE sizes " InputTensor.data=" in " OutputTensor=" #TYPE sizes " OutputTensor.data=" out
#define SCALED_BY(TYPE, sizes, scale, bias)                                                                            \
    " ScaleTensor=" #TYPE sizes " ScaleTensor.data=" scale " BiasTensor=" #TYPE sizes " BiasTensor.data=" bias
/* Channels whose elements have far more in common than between them, and numbers of each. */
#define FAR_IMAGES(fill, TYPE)                                                                                         \
    " seed=11 InputTensor=" TYPE "[3,8,31,33] InputTensor.fill=" fill " ScaleTensor=" TYPE "[1,8,1,1] "                \
    "ScaleTensor.fill=ABOVE_ONE BiasTensor=" TYPE "[1,8,1,1] BiasTensor.fill=UNIT OutputTensor=" TYPE "[3,8,31,33]"
#define V0 "MEAN_VARIANCE_NORMALIZATION"
#define V1 "MEAN_VARIANCE_NORMALIZATION1"
#define V2 "MEAN_VARIANCE_NORMALIZATION2"

static const char *const fixed[] = {
    TENSORS_OF(V0, FLOAT32, "[1,2,1,2]", "1,3,-10,10", "-1,1,-10,10") " NormalizeVariance=0 ",
    TENSORS_OF(V0, FLOAT32, "[1,2,1,2]", "1,3,-10,10", "-1,1,-1,1") " NormalizeVariance=1",
    TENSORS_OF(V0, FLOAT16, "[1,2,1,2]", "1,1,3,3", "-1,-1,1,1") " CrossChannel=1 NormalizeVariance=1",
    TENSORS_OF(V0, FLOAT32, "[1,2,1,2]", "1,3,-10,10", "3,7,0,0")
        SCALED_BY(FLOAT32, "[1,2,1,1]", "2,-3", "5,-3") " NormalizeVariance=1 FusedActivation=RELU",
    V0 " seed=2 level=1_0 InputTensor=FLOAT32[3,5,31,33] OutputTensor=FLOAT32[3,5,31,33] NormalizeVariance=1 "
       "Epsilon=1e-5",
    V0 " seed=3 InputTensor=FLOAT16[2,3,100,100] InputTensor.fill=UNIT ScaleTensor=FLOAT16[2,3,1,1] "
       "BiasTensor=FLOAT16[1,1,1,100] OutputTensor=FLOAT16[2,3,100,100] CrossChannel=1 NormalizeVariance=1 "
       "Epsilon=1e-5 FusedActivation=TANH",
    /* Far from 0, and of equal elements, which have no deviation: the bias is left. */
    TENSORS_OF(V0, FLOAT32, "[1,1,1,2]", "5000.37,5000.37", "0.123,0.123")
        SCALED_BY(FLOAT32, "[1,1,1,1]", "1.5", "0.123") " NormalizeVariance=1 Epsilon=1e-5",
    TENSORS_OF(V0, FLOAT32, "[1,1,1,2]", "5000.37,5000.37", "0.123,0.123")
        SCALED_BY(FLOAT32, "[1,1,1,1]", "1.5", "0.123") " NormalizeVariance=1 Epsilon=1e-5 FusedActivation=RELU",
    V0 FAR_IMAGES("FAR", "FLOAT32") " NormalizeVariance=1 FusedActivation=RELU",
    V0 FAR_IMAGES("LEVEL", "FLOAT32") " NormalizeVariance=1 Epsilon=1e-5 CrossChannel=1",
};
static const char *const fixed1[] = {
    TENSORS_OF(V1, FLOAT32, "[2,3]", "5000.37,5000.37,5000.37,-3e7,-3e7,-3e7", "0.123,0.123,0.123,0.25,0.25,0.25")
        SCALED_BY(FLOAT32, "[2,1]", "1.5,-7", "0.123,0.25") " AxisCount=1 Axes=1 NormalizeVariance=1 Epsilon=1e-5",
    TENSORS_OF(V1, FLOAT32, "[3]", "5000.37,5000.37,5000.37", "0.123,0.5,1")
        SCALED_BY(FLOAT32, "[3]", "1.5,2,3", "0.123,0.5,1") " AxisCount=1 Axes=0 NormalizeVariance=0",
    V1 FAR_IMAGES("FAR", "FLOAT32") " AxisCount=2 Axes=2,3 NormalizeVariance=1",
    V1 FAR_IMAGES("LEVEL", "FLOAT32") " AxisCount=2 Axes=2,3 NormalizeVariance=1 Epsilon=1e-5 FusedActivation=TANH",
    V1 FAR_IMAGES("LEVEL", "FLOAT16") " AxisCount=2 Axes=2,3 NormalizeVariance=1 Epsilon=1e-5 FusedActivation=RELU",
    V1 FAR_IMAGES("FAR", "FLOAT16") " AxisCount=1 Axes=1 NormalizeVariance=1 Epsilon=1e-5 FusedActivation=RELU",
    V1 FAR_IMAGES("FAR", "FLOAT32") " AxisCount=3 Axes=0,2,3 NormalizeVariance=0",
    V1 " seed=12 InputTensor=FLOAT32[2,70001] InputTensor.fill=FAR ScaleTensor=FLOAT32[1,70001] ScaleTensor.fill=UNIT "
       "BiasTensor=FLOAT32[2,1] BiasTensor.fill=UNIT OutputTensor=FLOAT32[2,70001] AxisCount=1 Axes=1 "
       "NormalizeVariance=1 FusedActivation=RELU",
    /* A mean of 10000 beside a deviation of 1. */
    TENSORS_OF(V1, FLOAT32, "[2,4]", "9999,10001,10001,9999,-1,1,-1,1",
               "-1,1,1,-1,-1,1,-1,1") " AxisCount=1 Axes=1 NormalizeVariance=1",
    TENSORS_OF(V1, FLOAT32, "[2,2]", "1,2,3,6", "-1,-1,1,1") " AxisCount=1 Axes=0 NormalizeVariance=1",
    TENSORS_OF(V1, FLOAT32, "[4]", "-1,1,3,5", "-0.75,0.25,1.25,2.25")
        SCALED_BY(FLOAT32, "[1]", "0.5", "0.75") " AxisCount=1 Axes=0 NormalizeVariance=0",
    /* One of both alone. */
    V1
    " InputTensor=FLOAT32[2] InputTensor.data=1,3 ScaleTensor=FLOAT32[2] ScaleTensor.data=1,3 OutputTensor=FLOAT32[2] "
    "OutputTensor.data=-1,3 AxisCount=1 Axes=0 NormalizeVariance=1",
    V1 " InputTensor=FLOAT32[2] InputTensor.data=1,3 BiasTensor=FLOAT32[2] BiasTensor.data=1,3 OutputTensor=FLOAT32[2] "
       "OutputTensor.data=0,4 AxisCount=1 Axes=0 NormalizeVariance=1",
    V1 " seed=2 InputTensor=FLOAT32[3,70001] InputTensor.fill=UNIT OutputTensor=FLOAT32[3,70001] AxisCount=1 Axes=1 "
       "NormalizeVariance=1",
    V1 " seed=6 InputTensor=FLOAT16[97,16396] InputTensor.fill=UNIT ScaleTensor=FLOAT16[1,16396] "
       "OutputTensor=FLOAT16[97,16396] AxisCount=1 Axes=1 NormalizeVariance=1 Epsilon=1e-5",
    V1 " seed=3 InputTensor=FLOAT32[70,1000] InputTensor.fill=UNIT ScaleTensor=FLOAT32[1,1000] "
       "BiasTensor=FLOAT32[1,1000] OutputTensor=FLOAT32[70,1000] AxisCount=1 Axes=1 NormalizeVariance=1 Epsilon=1e-5",
    V1 " seed=5 InputTensor=FLOAT32[7,16,4,4] InputTensor.fill=SPECIAL OutputTensor=FLOAT32[7,16,4,4] AxisCount=2 "
       "Axes=2,3 NormalizeVariance=1 Epsilon=1e-5",
    V1 " seed=6 InputTensor=FLOAT32[7,16,4,8] InputTensor.fill=UNIT ScaleTensor=FLOAT32[1,16,1,1] "
       "BiasTensor=FLOAT32[7,1,1,1] OutputTensor=FLOAT32[7,16,4,8] AxisCount=2 Axes=2,3 NormalizeVariance=1",
    V1 " seed=7 InputTensor=FLOAT32[3,40,16] InputTensor.fill=UNIT ScaleTensor=FLOAT32[1,40,1] "
       "BiasTensor=FLOAT32[1,1,16] OutputTensor=FLOAT32[3,40,16] AxisCount=1 Axes=1 NormalizeVariance=1",
    V1 " seed=8 InputTensor=FLOAT16[3,40,16] InputTensor.fill=UNIT ScaleTensor=FLOAT16[3,40,16] "
       "BiasTensor=FLOAT16[3,1,1] OutputTensor=FLOAT16[3,40,16] AxisCount=1 Axes=1 NormalizeVariance=1",
    V1 " seed=4 InputTensor=FLOAT16[3,64,10,10] InputTensor.fill=UNIT ScaleTensor=FLOAT16[1,64,1,1] "
       "BiasTensor=FLOAT16[1,64,1,1] OutputTensor=FLOAT16[3,64,10,10] AxisCount=1 Axes=1 NormalizeVariance=1 "
       "Epsilon=1e-5",
};
static const char *const fixed2[] = {
    V2 " InputTensor=FLOAT32[2,2] InputTensor.data=1,3,5,9 OutputTensor=FLOAT32[2,2] OutputTensor.data=-1,1,-2,2 "
       "AxisCount=2 Axes=1,1 UseMean=1",
    TENSORS_OF(V2, FLOAT32, "[2]", "5000.37,5000.37", "0.123,0.123")
        SCALED_BY(FLOAT32, "[1]", "1.5", "0.123") " AxisCount=1 Axes=0 UseMean=1 UseVariance=1 Epsilon=1e-5",
    V2 FAR_IMAGES("LEVEL", "FLOAT32") " AxisCount=3 Axes=1,2,3 UseMean=1 UseVariance=1 Epsilon=1e-5",
    V2 FAR_IMAGES("FAR", "FLOAT32") " AxisCount=2 Axes=0,2 UseMean=1",
    TENSORS_OF(V2, FLOAT32, "[2]", "3,3", "1,1") " AxisCount=1 Axes=0 UseVariance=1",
    TENSORS_OF(V2, FLOAT32, "[2]", "3,5", "-1,1") " AxisCount=1 Axes=0 UseMean=1 UseVariance=1",
    TENSORS_OF(V2, FLOAT32, "[2]", "3,5", "-1,1") " AxisCount=1 Axes=0 UseMean=1",
    TENSORS_OF(V2, FLOAT32, "[2]", "3,5", "7,0")
        SCALED_BY(FLOAT32, "[2]", "2,-1", "1,3") " AxisCount=1 Axes=0 FusedActivation=RELU",
    V2 " seed=2 InputTensor=FLOAT16[70,1000] InputTensor.fill=UNIT ScaleTensor=FLOAT16[1,1000] "
       "OutputTensor=FLOAT16[70,1000] AxisCount=1 Axes=1 UseVariance=1 Epsilon=1e-5",
};
static const char *const lp_fixed[] = {
    TENSORS_OF("LP_NORMALIZATION", FLOAT32, "[2,2]", "3,-4,0,8", "0.6,-0.8,0,1") " Axis=1 P=2",
    TENSORS_OF("LP_NORMALIZATION", FLOAT32, "[2,2]", "1,-4,-3,0", "0.25,-1,-0.75,0") " Axis=0 P=1",
    TENSORS_OF("LP_NORMALIZATION", FLOAT16, "[2]", "0.25,0", "0.125,0") " Axis=0 P=1 Epsilon=2",
    /* Squares beyond FLOAT32; nothing to divide by; infinity. */
    TENSORS_OF("LP_NORMALIZATION", FLOAT32, "[4,2]", "0x72400000,0x72800000,0,0,inf,1,nan,1",
               "0.6,0.8,0x7fc00000,0x7fc00000,0x7fc00000,0,0x7fc00000,0x7fc00000") " Axis=1 P=2",
    /* Norms whose inverse is denormal. */
    TENSORS_OF("LP_NORMALIZATION", FLOAT32, "[2,2]", "0x7ec00000,0x7f000000,0x7e800000,0", "0.6,0.8,1,0") " Axis=1 P=2",
    TENSORS_OF("LP_NORMALIZATION", FLOAT32, "[2,2]", "0x7e800000,1,0xfe800000,-3", "0.5,0.25,-0.5,-0.75") " Axis=0 P=1",
    "LP_NORMALIZATION seed=2 InputTensor=FLOAT32[2,64,33] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,64,33] Axis=1 "
    "P=2",
    "LP_NORMALIZATION seed=4 InputTensor=FLOAT32[50,128] InputTensor.fill=SPECIAL OutputTensor=FLOAT32[50,128] Axis=1 "
    "P=2",
    "LP_NORMALIZATION seed=5 InputTensor=FLOAT32[2,64,32] InputTensor.fill=SPECIAL OutputTensor=FLOAT32[2,64,32] "
    "Axis=1 "
    "P=1",
    "LP_NORMALIZATION seed=3 InputTensor=FLOAT16[5,70001] InputTensor.fill=UNIT OutputTensor=FLOAT16[5,70001] Axis=1 "
    "P=1",
};

#define ALONE(NAME, Given, which, other)                                                                               \
    {                                                                                                                  \
        NAME " level=5_1 InputTensor=FLOAT32[1,2,1,1] " Given "=FLOAT32[1,2,1,1] OutputTensor=FLOAT32[1,2,1,1]" which, \
            "DML_OPERATOR_" NAME ": BiasTensor is " other ", must be as ScaleTensor is: both or neither below "        \
            "DML_FEATURE_LEVEL_5_2; the feature level is 5_1"                                                          \
    }
static const struct case_refusal refused[] = {
    ALONE(V0, "ScaleTensor", "", "NULL"),
    ALONE(V0, "BiasTensor", "", "given"),
};
static const struct case_refusal refused1[] = {
    ALONE(V1, "ScaleTensor", " AxisCount=1 Axes=1", "NULL"),
    {V1 " level=3_1 InputTensor=FLOAT32[1,2,1,1] ScaleTensor=FLOAT32[1,1,1,1] BiasTensor=FLOAT32[1,2,1,1] "
        "OutputTensor=FLOAT32[1,2,1,1] AxisCount=1 Axes=4",
     "DML_OPERATOR_" V1 ": Axes[0] is 4, must be below 4 = InputTensor.DimensionCount\n"
     "DML_OPERATOR_" V1
     ": ScaleTensor.Sizes[1] is 1, must be 2 = InputTensor.Sizes[1] below DML_FEATURE_LEVEL_4_0; the "
     "feature level is 3_1"},
};
static const struct case_refusal refused2[] = {
    {V2 " InputTensor=FLOAT32[2] OutputTensor=FLOAT32[2] AxisCount=2 Axes=0,1",
     "DML_OPERATOR_" V2 ": Axes[1] is 1, must be below 1 = InputTensor.DimensionCount"},
};
static const struct case_refusal lp_refused[] = {
    {"LP_NORMALIZATION InputTensor=FLOAT32[2] OutputTensor=FLOAT32[2] Axis=1 P=3",
     "DML_OPERATOR_LP_NORMALIZATION: Axis is 1, must be below 1 = InputTensor.DimensionCount\n"
     "DML_OPERATOR_LP_NORMALIZATION: P is 3, must be 1 or 2"},
};

static const struct case_support since_1_0[] = {AT_LEVEL(1_0, 4, 4, FLOATS), {0}};
static const struct case_support since_2_1[] = {AT_LEVEL(2_1, 4, 4, FLOATS), AT_LEVEL(3_1, 1, 8, FLOATS), {0}};
static const struct case_support lp_floats[] = {AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(3_1, 1, 8, FLOATS), {0}};

#define NORMALIZATION_TENSORS(name, SUPPORT)                                                                           \
    TENSORS(name, {"InputTensor", SUPPORT}, {"ScaleTensor", SUPPORT}, {"BiasTensor", SUPPORT},                         \
            {"OutputTensor", SUPPORT})
NORMALIZATION_TENSORS(mean_variance, since_1_0);
NORMALIZATION_TENSORS(mean_variance1, since_2_1);
NORMALIZATION_TENSORS(mean_variance2, floats_from_6_3);
UNARY_TENSORS(lp, lp_floats, lp_floats);

#define NORMALIZATION(NAME, name, tensors_, fixed_, refused_, adjust_, ...)                                            \
    const struct case_family vkdml_cases_##name = {.type = DML_OPERATOR_##NAME,                                        \
                                                   .support = tensors_##_support,                                      \
                                                   .support_count = CASE_COUNT(tensors_##_support),                    \
                                                   .fixed = fixed_,                                                    \
                                                   .fixed_count = CASE_COUNT(fixed_),                                  \
                                                   .refused = refused_,                                                \
                                                   .refused_count = CASE_COUNT(refused_),                              \
                                                   .generate = generate_mapping,                                       \
                                                   .adjust = adjust_,                                                  \
                                                   .group = "normalize",                                               \
                                                   __VA_ARGS__}
/* In registers, and in shares of long rows. */
static const char *const repeated[] = {
    V1 " seed=2 InputTensor=FLOAT32[37,1024] InputTensor.fill=UNIT OutputTensor=FLOAT32[37,1024] AxisCount=1 Axes=1 "
       "NormalizeVariance=1",
    V1 " seed=2 InputTensor=FLOAT16[2,70001] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,70001] AxisCount=1 Axes=1 "
       "NormalizeVariance=1",
};

#define BENCHMARKS(list) .benchmarks = list, .benchmark_count = CASE_COUNT(list)

NORMALIZATION(MEAN_VARIANCE_NORMALIZATION, mean_variance_normalization, mean_variance, fixed, refused, choose_numbers,
              .bounds = bounds);
NORMALIZATION(MEAN_VARIANCE_NORMALIZATION1, mean_variance_normalization1, mean_variance1, fixed1, refused1, choose,
              .bounds = bounds1, .exact = exact1, .repeated = repeated, .repeated_count = CASE_COUNT(repeated),
              BENCHMARKS(normalization_benchmarks));
NORMALIZATION(MEAN_VARIANCE_NORMALIZATION2, mean_variance_normalization2, mean_variance2, fixed2, refused2, choose,
              .bounds = bounds2);
NORMALIZATION(LP_NORMALIZATION, lp_normalization, lp, lp_fixed, lp_refused, choose_lp, .bounds = lp_bounds,
              .exact = lp_exact, BENCHMARKS(lp_benchmarks));
