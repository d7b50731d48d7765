/* Cases of the operators that take the elements around a place: LOCAL_RESPONSE_NORMALIZATION, UPSAMPLE_2D and FOLD. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"
#include "cases/support.h"

#define MAX_RANK        DML_TENSOR_DIMENSION_COUNT_MAX1
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL, CASE_FILL_UNIT,
                                       CASE_FILL_ABOVE_ONE};

static const uint32_t *words_of(const struct operator_case *c, const char *field) {
    uint32_t i = 0;
    while (strcmp(c->schema->fields[i].name, field) != 0) {
        i++;
    }
    return c->fields[i].words;
}

static float float_of(const struct operator_case *c, const char *field) {
    float value;
    memcpy(&value, words_of(c, field), sizeof(value));
    return value;
}

/* All operators here have one input, of slot 0, and one output. */
static double number_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const struct case_tensor *input = &c->tensors[0];
    uint32_t strides[MAX_RANK];
    case_strides(input, strides);
    return number_decode(input->type, case_read_element(input, tensors[0], case_element_position(input, strides, at)));
}

/* FLOAT32 denormals may be taken for 0. */
static double denormal_of(const struct operator_case *c) {
    return c->tensors[0].type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 0x1p-126 : 0;
}

static double sum_error(double terms) {
    return (66 + terms / 64) * 0x1p-24;
}

static void lay_out(struct random *random, struct case_tensor *input, struct case_tensor *output) {
    input->fill = RANDOM_OF(random, fills);
    generate_input_layout(random, input);
    generate_output_layout(random, output);
}

static const struct accuracy_bounds anything = {-INFINITY, INFINITY, true};
static const struct accuracy_exact no_exact = {(double)NAN, (double)NAN};

/* One rounding of FLOAT32. */
static struct accuracy_exact exact_beside(double value, double magnitudes) {
    return (struct accuracy_exact){value, 0x1p-24 * magnitudes + 0x1p-126};
}

/* ---- LOCAL_RESPONSE_NORMALIZATION ---- */

struct squares {
    double sum, count, x;
};

static struct squares squares_around(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *at) {
    const struct case_tensor *input = &c->tensors[0];
    const bool is_across = *words_of(c, "CrossChannel") != 0;
    const uint32_t size = *words_of(c, "LocalSize");
    struct case_tensor box = {.rank = input->rank};
    uint32_t first[MAX_RANK], in_box[MAX_RANK] = {0};
    struct squares squares = {0, 0, number_at(c, tensors, at)};
    for (uint32_t d = 0; d < input->rank; d++) {
        const bool is_around = is_across ? d == 1 : d >= 2;
        const int64_t low = (int64_t)at[d] - (is_around ? (size - 1) / 2 : 0);
        const int64_t high = (int64_t)at[d] + (is_around ? size / 2 : 0);
        first[d] = low < 0 ? 0 : (uint32_t)low;
        box.sizes[d] = (uint32_t)(high > input->sizes[d] - 1 ? input->sizes[d] - 1 : high) - first[d] + 1;
    }
    do {
        uint32_t from[MAX_RANK];
        for (uint32_t d = 0; d < input->rank; d++) {
            from[d] = first[d] + in_box[d];
        }
        const double x = number_at(c, tensors, from);
        squares.sum += x * x;
        squares.count++;
    } while (case_next_coordinates(&box, in_box));
    return squares;
}

/* As include/vkdml/dml_operators.h promises it: the sum, the divisor, its power and the quotient have an error each. */
static struct accuracy_bounds lrn_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                         const uint32_t *at) {
    const struct squares s = squares_around(c, tensors, at);
    const double bias = (double)float_of(c, "Bias"), beta = (double)float_of(c, "Beta");
    const double scale = (double)(float)((double)float_of(c, "Alpha") / *words_of(c, "LocalSize"));
    if (!isfinite(s.sum) || !isfinite(bias) || !isfinite(scale) || !isfinite(beta)) {
        return anything;
    }
    const double sum_distance = s.sum * sum_error(s.count) + s.count * 0x1p-126;
    const double product = scale * s.sum;
    const double distance =
        fabs(scale) * sum_distance + fabs(product) * 0x1p-23 + fabs(bias + product) * 0x1p-23 + 0x1p-125;
    const double low = bias + product - distance, high = bias + product + distance;
    if (low <= 0x1p-126) {
        return anything;
    }
    const double error = 0x1p-19, a = s.x * pow(low, -beta), b = s.x * pow(high, -beta);
    struct accuracy_bounds bounds = {fmin(a, b), fmax(a, b), false};
    const double flushed = denormal_of(c) * fmax(1, fmax(pow(low, -beta), pow(high, -beta)));
    bounds.least -= fabs(bounds.least) * error + flushed;
    bounds.greatest += fabs(bounds.greatest) * error + flushed;
    /* What is beyond FLOAT32 is infinite on the way, powers too, or 0. */
    const double greatest = (double)FLT_MAX * (1 - 0x1p-10);
    const double power = fmax(pow(low, beta), pow(high, beta)), least_power = fmin(pow(low, beta), pow(high, beta));
    if (s.sum + sum_distance > greatest || fabs(product) > greatest || high > greatest || power > 0x1p240) {
        bounds = (struct accuracy_bounds){fmin(bounds.least, beta > 0 ? 0 : -INFINITY),
                                          fmax(bounds.greatest, beta > 0 ? 0 : INFINITY), true};
    }
    if (least_power < 0x1p-125) {
        return anything;
    }
    return isnan(a) || isnan(b) ? anything : bounds;
}

/* Where nothing cancels and nothing leaves FLOAT32. */
static struct accuracy_exact lrn_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                       const uint32_t *at) {
    const struct squares s = squares_around(c, tensors, at);
    const double bias = (double)float_of(c, "Bias"), beta = (double)float_of(c, "Beta");
    const double scale = (double)(float)((double)float_of(c, "Alpha") / *words_of(c, "LocalSize"));
    const double divisor = bias + scale * s.sum, power = pow(divisor, beta);
    if (scale < 0 || bias < 0 || s.sum > 0x1p120 || divisor < 0x1p-100 || divisor > 0x1p120 || power < 0x1p-100 ||
        power > 0x1p100) {
        return no_exact;
    }
    return exact_beside(s.x / power, fabs(s.x / power));
}

static void set_lrn(struct operator_case *c, uint32_t across, uint32_t size, float alpha, float beta, float bias) {
    case_set_uint(c, "CrossChannel", across);
    case_set_uint(c, "LocalSize", size);
    case_set_float(c, "Alpha", alpha);
    case_set_float(c, "Beta", beta);
    case_set_float(c, "Bias", bias);
}

static void generate_lrn(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const uint32_t small[] = {1, 2, 3, 4, 5, 5, 5, 7, 8, 9, 10, 11};
    static const float betas[] = {0.75f, 0.75f, 0.5f, 1, 0.6f, 0.25f, 2, 0, -0.75f};
    static const float alphas[] = {1e-4f, 1, 0.5f, 3, 0, 1e-20f, -0.1f};
    static const float biases[] = {1, 1, 2, 0.1f, 0, 1e20f};
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = 4;
    generate_sizes(random, generate_budget(random) / 8 + 1, input);
    *output = *input;
    const bool across = random_chance(random, 50);
    const uint32_t most = across                              ? input->sizes[1]
                          : input->sizes[2] < input->sizes[3] ? input->sizes[3]
                                                              : input->sizes[2];
    const uint32_t large[] = {most, 2 * most, 2 * most + 1, UINT32_MAX};
    uint32_t size = RANDOM_OF(random, small);
    if (random_chance(random, 20) && most < (across ? 2000 : 60)) {
        size = RANDOM_OF(random, large);
    }
    set_lrn(c, across, size, RANDOM_OF(random, alphas), RANDOM_OF(random, betas), RANDOM_OF(random, biases));
    lay_out(random, input, output);
    input->fill = random_chance(random, 50) ? CASE_FILL_UNIT : input->fill;
    generate_call(random, c);
}

#define LRN_SUPPORT CASE_SUPPORT(AT_LEVEL(1_0, 4, 4, FLOATS))
static const struct case_tensor_support local_response_normalization_support[] = {{"InputTensor", LRN_SUPPORT},
                                                                                  {"OutputTensor", LRN_SUPPORT}};

#define LRN "LOCAL_RESPONSE_NORMALIZATION "
static const char *const local_response_normalization_fixed[] = {
    /* Across channels: of the second the sum is 1 + 4, of the last 9. */
    LRN "InputTensor=FLOAT32[1,4,1,1] InputTensor.data=0,1,2,3 OutputTensor=FLOAT32[1,4,1,1] "
        "OutputTensor.data=0,0.2,0.153846154,0.333333333 CrossChannel=1 LocalSize=2 Alpha=2 Beta=1 Bias=0",
    LRN "InputTensor=FLOAT32[1,3,1,1] InputTensor.data=1,2,3 OutputTensor=FLOAT32[1,3,1,1] "
        "OutputTensor.data=0.375,0.35294116,0.5625 CrossChannel=1 LocalSize=3 Alpha=1 Beta=1 Bias=1",
    /* Within a channel: all four squares, divided by LocalSize, not by its square. */
    LRN "InputTensor=FLOAT16[1,1,2,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT16[1,1,2,2] "
        "OutputTensor.data=0.0909118652,0.181762695,0.272705078,0.363525391 CrossChannel=0 LocalSize=3 Alpha=1 Beta=1 "
        "Bias=1",
    LRN "InputTensor=FLOAT32[1,1,1,2] InputTensor.data=3,4 OutputTensor=FLOAT32[1,1,1,2] OutputTensor.data=0.6,0.8 "
        "CrossChannel=0 LocalSize=5 Alpha=5 Beta=0.5 Bias=0",
    LRN "InputTensor=FLOAT32[1,1,1,2] InputTensor.data=3,4 OutputTensor=FLOAT32[1,1,1,2] "
        "OutputTensor.data=0.375,0.5 CrossChannel=0 LocalSize=5 Alpha=0 Beta=0.75 Bias=16",
    LRN "InputTensor=FLOAT32[1,3,1,2] InputTensor.data=1,inf,2,nan,0,1 OutputTensor=FLOAT32[1,3,1,2] "
        "CrossChannel=1 LocalSize=5 Alpha=1 Beta=0.75 Bias=1",
    LRN "seed=1 InputTensor=FLOAT32[2,64,17,19] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,64,17,19] "
        "CrossChannel=1 LocalSize=5 Alpha=0.0001 Beta=0.75 Bias=1",
    LRN "seed=2 InputTensor=FLOAT16[2,70,16,16] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,70,16,16] "
        "CrossChannel=1 LocalSize=9 Alpha=1 Beta=0.75 Bias=1",
    LRN "seed=3 InputTensor=FLOAT32[1,300,3,5] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,300,3,5] "
        "CrossChannel=1 LocalSize=401 Alpha=1 Beta=0.6 Bias=1",
    LRN "seed=4 InputTensor=FLOAT32[2,3,40,50] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,40,50] "
        "CrossChannel=0 LocalSize=5 Alpha=1 Beta=0.75 Bias=1",
    LRN "seed=5 InputTensor=FLOAT16[2,3,41,57] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,3,41,57] "
        "CrossChannel=0 LocalSize=8 Alpha=1 Beta=0.5 Bias=1",
    LRN "seed=6 InputTensor=FLOAT16[1,2,90,120] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,2,90,120] "
        "CrossChannel=0 LocalSize=101 Alpha=1 Beta=0.75 Bias=1",
    /* Channels side by side. */
    LRN "seed=7 InputTensor=FLOAT32[1,64,9,10] InputTensor.strides=5760,1,640,64 InputTensor.fill=UNIT "
        "OutputTensor=FLOAT32[1,64,9,10] OutputTensor.strides=5760,1,640,64 CrossChannel=1 LocalSize=5 Alpha=1 "
        "Beta=0.75 Bias=1",
    LRN "seed=8 InputTensor=FLOAT16[1,64,9,10] InputTensor.strides=5760,1,640,64 InputTensor.fill=UNIT "
        "OutputTensor=FLOAT16[1,64,9,10] OutputTensor.strides=5760,1,640,64 CrossChannel=0 LocalSize=5 Alpha=1 "
        "Beta=1 Bias=1",
};

static const struct case_refusal local_response_normalization_refused[] = {
    {LRN "InputTensor=FLOAT32[1,1,1,1] OutputTensor=FLOAT32[1,1,1,1] CrossChannel=0 LocalSize=0 Alpha=1 Beta=1 Bias=1",
     "DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION: LocalSize is 0, must be at least 1"},
};

static void make_lrn(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    benchmark_images(input, bytes, type);
    input->fill = CASE_FILL_UNIT;
    *case_tensor(c, "OutputTensor") = *input;
    set_lrn(c, argument & 1, argument >> 1, 1e-4f, 0.75f, 1);
}

/* x^-0.75, as all benchmarks have it. */
static void lrn_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *t = &c->tensors[0];
    const bool across = *words_of(c, "CrossChannel") != 0;
    const uint32_t size = *words_of(c, "LocalSize");
    const ptrdiff_t before = (size - 1) / 2, behind = size / 2;
    const ptrdiff_t channels = t->sizes[1], height = t->sizes[2], width = t->sizes[3], plane = height * width;
    const float scale = float_of(c, "Alpha") / (float)size, bias = float_of(c, "Bias");
    static float row[65536];
    for (ptrdiff_t i = 0; i < (ptrdiff_t)t->sizes[0] * channels * height; i++) {
        const ptrdiff_t y = i % height, channel = i / height % channels;
        const ptrdiff_t at = across ? channel : y, end = across ? channels : height;
        memset(row, 0, (size_t)width * sizeof(row[0]));
        for (ptrdiff_t k = -before; k <= behind; k++) {
            const size_t from = (size_t)(i * width + k * (across ? plane : width));
            for (ptrdiff_t x = 0; at + k >= 0 && at + k < end && x < width; x++) {
                if (across) {
                    const float v = loop_load(tensors[0], t->type, from + (size_t)x);
                    row[x] += v * v;
                } else {
                    for (ptrdiff_t j = x < before ? 0 : x - before; j <= x + behind && j < width; j++) {
                        const float v = loop_load(tensors[0], t->type, from + (size_t)j);
                        row[x] += v * v;
                    }
                }
            }
        }
        for (ptrdiff_t x = 0; x < width; x++) {
            const size_t place = (size_t)(i * width + x);
            const float root = sqrtf(bias + scale * row[x]);
            loop_store(tensors[1], t->type, place, loop_load(tensors[0], t->type, place) / (root * sqrtf(root)));
        }
    }
}

static const struct case_benchmark lrn_benchmarks[] = {
    {"lrn/across", FLOATS, 1 | 5 << 1, 0, make_lrn, lrn_loop},
    {"lrn/within", FLOATS, 0 | 5 << 1, 0, make_lrn, lrn_loop},
    {"lrn/within_large", FLOATS, 0 | 31 << 1, 0, make_lrn, NULL},
};

const struct case_family vkdml_cases_local_response_normalization = {
    .type = DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION,
    .support = local_response_normalization_support,
    .support_count = COUNT_OF(local_response_normalization_support),
    .fixed = local_response_normalization_fixed,
    .fixed_count = COUNT_OF(local_response_normalization_fixed),
    .has_frame = true,
    .refused = local_response_normalization_refused,
    .refused_count = COUNT_OF(local_response_normalization_refused),
    .generate = generate_lrn,
    .group = "window",
    .benchmarks = lrn_benchmarks,
    .benchmark_count = COUNT_OF(lrn_benchmarks),
    .bounds = lrn_bounds,
    .exact = lrn_exact,
};

/* ---- UPSAMPLE_2D ---- */

/* Pixel centres: an element's share of two neighbours. */
static void between(uint32_t c, uint32_t factor, uint32_t size, uint32_t *places, double *weights) {
    const int64_t halves = 2 * (int64_t)c + 1 - factor, whole = 2 * (int64_t)factor;
    const int64_t first = halves / whole - (halves % whole < 0);
    const double far = (double)(halves - first * whole) / (double)whole;
    places[0] = first < 0 ? 0 : (uint32_t)first;
    places[1] = first + 1 > size - 1 ? size - 1 : (uint32_t)(first + 1);
    weights[0] = places[0] == places[1] ? 1 : 1 - far;
    weights[1] = places[0] == places[1] ? 0 : far;
}

struct blend {
    double sum, magnitudes, greatest; /* of the elements that have a weight */
};

static struct blend blend_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const struct case_tensor *input = &c->tensors[0];
    const uint32_t *scale = words_of(c, "ScaleSize");
    const uint32_t h = input->rank - 2, w = input->rank - 1;
    uint32_t places[2][2], from[MAX_RANK];
    double weights[2][2];
    struct blend blend = {0, 0, 0};
    between(at[h], scale[1], input->sizes[h], places[0], weights[0]);
    between(at[w], scale[0], input->sizes[w], places[1], weights[1]);
    memcpy(from, at, sizeof(from));
    for (int i = 0; i < 4; i++) {
        const double weight = weights[0][i / 2] * weights[1][i % 2];
        from[h] = places[0][i / 2];
        from[w] = places[1][i % 2];
        const double x = number_at(c, tensors, from);
        blend.sum += weight == 0 ? 0 : weight * x;
        blend.magnitudes += weight == 0 ? 0 : weight * fabs(x);
        blend.greatest = weight != 0 && fabs(x) > blend.greatest ? fabs(x) : blend.greatest;
    }
    return blend;
}

static struct accuracy_bounds upsample_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                              const uint32_t *at) {
    if (*words_of(c, "InterpolationMode") != DML_INTERPOLATION_MODE_LINEAR) {
        return (struct accuracy_bounds){NAN, NAN, false}; /* exact */
    }
    const struct blend b = blend_at(c, tensors, at);
    /* Weights of elements far from one another may be off by so much of 1. */
    const double error =
        isfinite(b.magnitudes) ? b.magnitudes * 0x1p-21 + b.greatest * 0x1p-23 + 4 * denormal_of(c) : 0;
    return (struct accuracy_bounds){b.sum - error, b.sum + error, isnan(b.sum)};
}

static struct accuracy_exact upsample_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                            const uint32_t *at) {
    if (*words_of(c, "InterpolationMode") != DML_INTERPOLATION_MODE_LINEAR) {
        return no_exact;
    }
    const struct blend b = blend_at(c, tensors, at);
    return exact_beside(b.sum, b.magnitudes);
}

static void generate_upsample(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const uint32_t factors[] = {1, 2, 2, 2, 3, 4, 5, 8, 17};
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_between(random, 4, 5);
    generate_sizes(random, generate_budget(random) / 16 + 1, input);
    *output = *input;
    const uint32_t scale[] = {RANDOM_OF(random, factors), RANDOM_OF(random, factors)};
    output->sizes[input->rank - 1] *= scale[0];
    output->sizes[input->rank - 2] *= scale[1];
    case_set(c, "ScaleSize", 2, scale);
    case_set_uint(c, "InterpolationMode", random_chance(random, 70));
    lay_out(random, input, output);
    generate_call(random, c);
}

#define UPSAMPLE_SUPPORT CASE_SUPPORT(AT_LEVEL(1_0, 4, 5, FLOATS))
static const struct case_tensor_support upsample_2d_support[] = {{"InputTensor", UPSAMPLE_SUPPORT},
                                                                 {"OutputTensor", UPSAMPLE_SUPPORT}};

static const char *const upsample_2d_fixed[] = {
    "UPSAMPLE_2D InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT32[1,1,4,6] "
    "OutputTensor.data=1,1,1,2,2,2,1,1,1,2,2,2,3,3,3,4,4,4,3,3,3,4,4,4 ScaleSize=3,2 "
    "InterpolationMode=NEAREST_NEIGHBOR",
    "UPSAMPLE_2D InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT32[1,1,4,4] "
    "OutputTensor.data=1,1.25,1.75,2,1.5,1.75,2.25,2.5,2.5,2.75,3.25,3.5,3,3.25,3.75,4 ScaleSize=2,2 "
    "InterpolationMode=LINEAR",
    "UPSAMPLE_2D InputTensor=FLOAT16[1,1,1,3] InputTensor.data=0,3,6 OutputTensor=FLOAT16[1,1,1,9] "
    "OutputTensor.data=0,0,1,2,3,4,5,6,6 ScaleSize=3,1 InterpolationMode=LINEAR",
    /* What has no weight does not count. */
    "UPSAMPLE_2D InputTensor=FLOAT32[1,1,1,3] InputTensor.data=1,inf,nan OutputTensor=FLOAT32[1,1,1,9] "
    "OutputTensor.data=1,1,inf,inf,inf,nan,nan,nan,nan ScaleSize=3,1 InterpolationMode=LINEAR",
    "UPSAMPLE_2D seed=1 InputTensor=FLOAT16[1,2,3,37,41] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,2,3,185,82] "
    "ScaleSize=2,5 InterpolationMode=LINEAR",
    "UPSAMPLE_2D seed=2 InputTensor=FLOAT32[1,1,1,3] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,1,1,99999] "
    "ScaleSize=33333,1 InterpolationMode=LINEAR",
    "UPSAMPLE_2D seed=3 InputTensor=FLOAT32[2,3,20,20] InputTensor.strides=1200,1,60,3 InputTensor.fill=UNIT "
    "OutputTensor=FLOAT32[2,3,40,40] OutputTensor.strides=4800,1,120,3 ScaleSize=2,2 InterpolationMode=LINEAR",
};

static const struct case_refusal upsample_2d_refused[] = {
    {"UPSAMPLE_2D InputTensor=FLOAT32[1,1,2,2] OutputTensor=FLOAT32[1,1,2,2] ScaleSize=1,0 InterpolationMode=LINEAR",
     "DML_OPERATOR_UPSAMPLE_2D: ScaleSize is 1 x 0 (Width x Height), must be at least 1 x 1"},
    {"UPSAMPLE_2D InputTensor=FLOAT32[1,1,2,2] OutputTensor=FLOAT32[2,1,4,5] ScaleSize=2,2 InterpolationMode=LINEAR",
     "DML_OPERATOR_UPSAMPLE_2D: OutputTensor.Sizes[0] is 2, must be 1 = InputTensor.Sizes[0] (1) * 1\n"
     "DML_OPERATOR_UPSAMPLE_2D: OutputTensor.Sizes[3] is 5, must be 4 = InputTensor.Sizes[3] (2) * 2"},
};

static void make_upsample(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t mode, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_UPSAMPLE_2D);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    benchmark_images(input, bytes / 4, type);
    input->fill = CASE_FILL_UNIT;
    *output = *input;
    output->sizes[2] *= 2;
    output->sizes[3] *= 2;
    case_set(c, "ScaleSize", 2, (const uint32_t[]){2, 2});
    case_set_uint(c, "InterpolationMode", mode);
}

/* Rows at once, by twice the input's elements. */
static void upsample_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *t = &c->tensors[0];
    const bool linear = *words_of(c, "InterpolationMode") == DML_INTERPOLATION_MODE_LINEAR;
    const size_t planes = (size_t)t->sizes[0] * t->sizes[1], height = t->sizes[2], width = t->sizes[3];
    static float row[65536];
    for (size_t p = 0; p < planes * 2 * height; p++) {
        const size_t y = p % (2 * height), plane = p / (2 * height);
        const size_t near_row = y / 2,
                     far_row = y % 2 != 0 ? near_row + (near_row + 1 < height) : near_row - (near_row > 0);
        const size_t near_at = (plane * height + near_row) * width, far_at = (plane * height + far_row) * width;
        const size_t out = p * 2 * width;
        for (size_t x = 0; x < width; x++) {
            const float v = loop_load(tensors[0], t->type, near_at + x);
            row[x] = linear ? 0.75f * v + 0.25f * loop_load(tensors[0], t->type, far_at + x) : v;
        }
        for (size_t x = 0; x < width; x++) {
            const float left = row[x > 0 ? x - 1 : 0], right = row[x + 1 < width ? x + 1 : x];
            loop_store(tensors[1], t->type, out + 2 * x, linear ? 0.75f * row[x] + 0.25f * left : row[x]);
            loop_store(tensors[1], t->type, out + 2 * x + 1, linear ? 0.75f * row[x] + 0.25f * right : row[x]);
        }
    }
}

static const struct case_benchmark upsample_benchmarks[] = {
    {"upsample/nearest_x2", FLOATS, DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR, 0, make_upsample, upsample_loop},
    {"upsample/linear_x2", FLOATS, DML_INTERPOLATION_MODE_LINEAR, 0, make_upsample, upsample_loop},
};

const struct case_family vkdml_cases_upsample_2d = {
    .type = DML_OPERATOR_UPSAMPLE_2D,
    .support = upsample_2d_support,
    .support_count = COUNT_OF(upsample_2d_support),
    .fixed = upsample_2d_fixed,
    .fixed_count = COUNT_OF(upsample_2d_fixed),
    .has_frame = true,
    .refused = upsample_2d_refused,
    .refused_count = COUNT_OF(upsample_2d_refused),
    .generate = generate_upsample,
    .group = "window",
    .benchmarks = upsample_benchmarks,
    .benchmark_count = COUNT_OF(upsample_benchmarks),
    .bounds = upsample_bounds,
    .exact = upsample_exact,
};

/* ---- FOLD ---- */

#define SPATIAL (MAX_RANK - 2)

struct folding {
    uint32_t windows[SPATIAL], strides[SPATIAL], dilations[SPATIAL], start[SPATIAL], end[SPATIAL];
};

static uint32_t block_count(const struct folding *f, uint32_t s, uint32_t size) {
    return (size + f->start[s] + f->end[s] - f->dilations[s] * (f->windows[s] - 1) - 1) / f->strides[s] + 1;
}

static struct folding read_folding(const struct operator_case *c) {
    struct folding f;
    memcpy(f.windows, words_of(c, "WindowSizes"), sizeof(f.windows));
    memcpy(f.strides, words_of(c, "Strides"), sizeof(f.strides));
    memcpy(f.dilations, words_of(c, "Dilations"), sizeof(f.dilations));
    memcpy(f.start, words_of(c, "StartPadding"), sizeof(f.start));
    memcpy(f.end, words_of(c, "EndPadding"), sizeof(f.end));
    return f;
}

static void set_folding(struct operator_case *c, uint32_t spatial, const struct folding *f) {
    case_set_uint(c, "DimensionCount", spatial);
    case_set(c, "WindowSizes", spatial, f->windows);
    case_set(c, "Strides", spatial, f->strides);
    case_set(c, "Dilations", spatial, f->dilations);
    case_set(c, "StartPadding", spatial, f->start);
    case_set(c, "EndPadding", spatial, f->end);
}

struct folded {
    double sum, magnitudes, count;
};

/* All blocks are tried. */
static struct folded folded_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const struct case_tensor *input = &c->tensors[0], *output = &c->tensors[1];
    const struct folding f = read_folding(c);
    const uint32_t spatial = output->rank - 2;
    struct case_tensor blocks = {.rank = spatial};
    uint32_t block[MAX_RANK] = {0};
    struct folded t = {0, 0, 0};
    for (uint32_t s = 0; s < spatial; s++) {
        blocks.sizes[s] = block_count(&f, s, output->sizes[2 + s]);
    }
    do {
        uint32_t from[MAX_RANK] = {0}, row = at[1], column = 0;
        bool is_there = true;
        for (uint32_t s = 0; s < spatial; s++) {
            const int64_t distance = (int64_t)at[2 + s] + f.start[s] - (int64_t)block[s] * f.strides[s];
            const int64_t element = distance / f.dilations[s];
            is_there = is_there && distance >= 0 && distance % f.dilations[s] == 0 && element < f.windows[s];
            row = row * f.windows[s] + (uint32_t)element;
            column = column * blocks.sizes[s] + block[s];
        }
        if (is_there) {
            from[input->rank - 3] = at[0];
            from[input->rank - 2] = row;
            from[input->rank - 1] = column;
            const double x = number_at(c, tensors, from);
            t.sum += x;
            t.magnitudes += fabs(x);
            t.count++;
        }
    } while (case_next_coordinates(&blocks, block));
    return t;
}

static struct accuracy_bounds fold_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                          const uint32_t *at) {
    if (!number_is_float(c->tensors[0].type)) {
        return (struct accuracy_bounds){NAN, NAN, false}; /* exact */
    }
    const struct folded t = folded_at(c, tensors, at);
    if (isfinite(t.magnitudes) && t.magnitudes > (double)FLT_MAX * (1 - 0x1p-10)) {
        return anything; /* sums on the way may be infinite */
    }
    const double error = isfinite(t.magnitudes) ? t.magnitudes * sum_error(t.count) + t.count * denormal_of(c) : 0;
    return (struct accuracy_bounds){t.sum - error, t.sum + error, isnan(t.sum)};
}

static struct accuracy_exact fold_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *at) {
    const struct folded t = folded_at(c, tensors, at);
    return t.magnitudes > 0x1p120 ? no_exact : exact_beside(t.sum, t.magnitudes);
}

static void generate_fold(const struct case_family *family, struct random *random, struct operator_case *c) {
    struct folding f;
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    output->type = generate_type(random, c, "OutputTensor");
    output->rank = random_chance(random, 60) ? 4 : random_between(random, 3, MAX_RANK);
    generate_sizes(random, generate_budget(random) / 16 + 1, output);
    const uint32_t spatial = output->rank - 2;
    const bool is_padded = random_chance(random, 50), tiles = random_chance(random, 15);
    uint32_t window = 1, blocks = 1, room = 64;
    for (uint32_t s = 0; s < spatial; s++) {
        f.start[s] = is_padded ? random_below(random, 3) : 0;
        f.end[s] = is_padded ? random_below(random, 3) : 0;
        const uint32_t padded = output->sizes[2 + s] + f.start[s] + f.end[s];
        const uint32_t most = padded < 4 ? padded : 4;
        f.windows[s] = random_between(random, 1, most < room ? most : room);
        room /= f.windows[s];
        const uint32_t farthest = f.windows[s] > 1 ? (padded - 1) / (f.windows[s] - 1) : 3;
        const uint32_t near = farthest < 3 ? farthest : 3;
        f.dilations[s] =
            random_chance(random, 50) ? 1 : random_between(random, 1, random_chance(random, 70) ? near : farthest);
        f.strides[s] = random_chance(random, 40) ? 1 : random_between(random, 1, 4);
        if (tiles) {
            f.strides[s] = f.windows[s];
            f.dilations[s] = 1;
        }
        window *= f.windows[s];
        blocks *= block_count(&f, s, output->sizes[2 + s]);
    }
    set_folding(c, spatial, &f);
    input->type = output->type;
    input->rank = random_chance(random, 50) ? 3 : output->rank;
    for (uint32_t d = 0; d < input->rank; d++) {
        input->sizes[d] = 1;
    }
    input->sizes[input->rank - 3] = output->sizes[0];
    input->sizes[input->rank - 2] = output->sizes[1] * window;
    input->sizes[input->rank - 1] = blocks;
    lay_out(random, input, output);
    generate_call(random, c);
}

#define FOLD_SUPPORT CASE_SUPPORT(AT_LEVEL(6_4, 1, 8, NUMBERS))
static const struct case_tensor_support fold_support[] = {{"InputTensor", FOLD_SUPPORT},
                                                          {"OutputTensor", FOLD_SUPPORT}};

static const char *const fold_fixed[] = {
    "FOLD InputTensor=FLOAT32[1,4,2] InputTensor.data=1,2,3,4,5,6,7,8 OutputTensor=FLOAT32[1,2,3] "
    "OutputTensor.data=1,5,4,5,13,8 DimensionCount=1 WindowSizes=2 Strides=1 Dilations=1 StartPadding=0 EndPadding=0",
    "FOLD InputTensor=INT8[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 OutputTensor=INT8[1,1,2,2] "
    "OutputTensor.data=13,10,7,4 DimensionCount=2 WindowSizes=2,2 Strides=2,2 Dilations=1,1 StartPadding=1,1 "
    "EndPadding=1,1",
    /* Integers wrap around. */
    "FOLD InputTensor=INT64[1,2,2] InputTensor.data=0,0x7fffffffffffffff,0x7fffffffffffffff,0 "
    "OutputTensor=INT64[1,1,3] OutputTensor.data=0,0xfffffffffffffffe,0 DimensionCount=1 WindowSizes=2 Strides=1 "
    "Dilations=1 StartPadding=0 EndPadding=0",
    /* Places that no window reaches, and steps that share a factor, or none. */
    "FOLD InputTensor=UINT16[1,2,2] InputTensor.data=1,2,3,4 OutputTensor=UINT16[1,1,6] OutputTensor.data=1,0,3,2,0,4 "
    "DimensionCount=1 WindowSizes=2 Strides=3 Dilations=2 StartPadding=0 EndPadding=0",
    "FOLD InputTensor=FLOAT16[1,3,2] InputTensor.data=1,2,3,4,5,6 OutputTensor=FLOAT16[1,1,8] "
    "OutputTensor.data=1,0,5,0,9,0,6,0 DimensionCount=1 WindowSizes=3 Strides=2 Dilations=2 StartPadding=0 "
    "EndPadding=0",
    "FOLD seed=1 InputTensor=FLOAT32[2,27,1200] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,30,40] DimensionCount=2 "
    "WindowSizes=3,3 Strides=1,1 Dilations=1,1 StartPadding=1,1 EndPadding=1,1",
    "FOLD seed=2 InputTensor=FLOAT16[2,27,1064] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,3,30,40] DimensionCount=2 "
    "WindowSizes=3,3 Strides=1,1 Dilations=1,1 StartPadding=0,0 EndPadding=0,0",
    "FOLD seed=3 InputTensor=FLOAT32[1,300,5] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,1,304] DimensionCount=1 "
    "WindowSizes=300 Strides=1 Dilations=1 StartPadding=0 EndPadding=0",
    "FOLD seed=4 InputTensor=FLOAT16[1,200,200] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,1,399] DimensionCount=1 "
    "WindowSizes=200 Strides=1 Dilations=1 StartPadding=0 EndPadding=0",
    "FOLD seed=5 InputTensor=INT16[2,64,64] InputTensor.fill=BITS OutputTensor=INT16[2,1,3,3,3,3,3,3] "
    "DimensionCount=6 WindowSizes=2,2,2,2,2,2 Strides=1,1,1,1,1,1 Dilations=1,1,1,1,1,1 StartPadding=0,0,0,0,0,0 "
    "EndPadding=0,0,0,0,0,0",
    "FOLD seed=6 InputTensor=UINT8[1,12,300] InputTensor.fill=BITS OutputTensor=UINT8[1,3,20,60] DimensionCount=2 "
    "WindowSizes=2,2 Strides=2,2 Dilations=1,1 StartPadding=0,0 EndPadding=0,0",
};

#define FOLDED "InputTensor=FLOAT32[1,4,2] OutputTensor=FLOAT32[1,2,3] "
static const struct case_refusal fold_refused[] = {
    {"FOLD " FOLDED "DimensionCount=2 WindowSizes=2,1 Strides=1,1 Dilations=1,1 StartPadding=0,0 EndPadding=0,0",
     "DML_OPERATOR_FOLD: OutputTensor.DimensionCount is 3, must be 4 = DimensionCount (2, 1 to 6) + 2"},
    {"FOLD " FOLDED "DimensionCount=1 WindowSizes=2 Strides=1 Dilations=0 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_FOLD: Dilations[0] is 0, must be at least 1"},
    {"FOLD " FOLDED "DimensionCount=1 WindowSizes=2 Strides=1 Dilations=2 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_FOLD: InputTensor.Sizes[2] is 2, must be 1, the number of windows"},
    {"FOLD " FOLDED "DimensionCount=1 WindowSizes=1 Strides=1 Dilations=1 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_FOLD: InputTensor.Sizes[1] is 4, must be 2, the channels times the elements of a window\n"
     "DML_OPERATOR_FOLD: InputTensor.Sizes[2] is 2, must be 3, the number of windows"},
};

/* What a convolution of so many squared reads, added up; the argument: the window's side, and 16 times the stride. */
static void make_fold(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_FOLD);
    const uint32_t side = argument & 15, stride = argument >> 4;
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    benchmark_images(output, bytes / (side * side) * (stride * stride), type);
    const uint32_t length = (output->sizes[2] - side) / stride + 1;
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 3,
                     (const uint32_t[]){output->sizes[0], output->sizes[1] * side * side, length * length});
    case_tensor(c, "InputTensor")->fill = CASE_FILL_UNIT;
    const struct folding f = {{side, side}, {stride, stride}, {1, 1}, {0, 0}, {0, 0}};
    set_folding(c, 2, &f);
}

/* Zeros, and onto them window element by window element. */
static void fold_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *output = &c->tensors[1];
    const size_t planes = (size_t)output->sizes[0] * output->sizes[1], height = output->sizes[2],
                 width = output->sizes[3];
    const size_t side = *words_of(c, "WindowSizes"), stride = *words_of(c, "Strides");
    const size_t down = (height - side) / stride + 1, along = (width - side) / stride + 1;
    static float image[1u << 20];
    for (size_t p = 0; p < planes; p++) {
        memset(image, 0, height * width * sizeof(image[0]));
        for (size_t e = 0; e < side * side; e++) {
            const size_t from = (p * side * side + e) * down * along;
            for (size_t y = 0; y < down; y++) {
                float *row = &image[(y * stride + e / side) * width + e % side];
                for (size_t x = 0; x < along; x++) {
                    row[x * stride] += loop_load(tensors[0], output->type, from + y * along + x);
                }
            }
        }
        for (size_t i = 0; i < height * width; i++) {
            loop_store(tensors[1], output->type, p * height * width + i, image[i]);
        }
    }
}

static const struct case_benchmark fold_benchmarks[] = {
    {"fold/windows_3x3", FLOATS, 3 | 1 << 4, 0, make_fold, fold_loop},
    {"fold/windows_3x3_by_2", FLOATS, 3 | 2 << 4, 0, make_fold, fold_loop},
    {"fold/tiles_2x2", FLOATS, 2 | 2 << 4, 0, make_fold, fold_loop},
};

const struct case_family vkdml_cases_fold = {
    .type = DML_OPERATOR_FOLD,
    .support = fold_support,
    .support_count = COUNT_OF(fold_support),
    .fixed = fold_fixed,
    .fixed_count = COUNT_OF(fold_fixed),
    .has_frame = true,
    .transfers = true,
    .refused = fold_refused,
    .refused_count = COUNT_OF(fold_refused),
    .generate = generate_fold,
    .group = "window",
    .benchmarks = fold_benchmarks,
    .benchmark_count = COUNT_OF(fold_benchmarks),
    .bounds = fold_bounds,
    .exact = fold_exact,
};
