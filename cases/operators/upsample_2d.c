#include "cases/operators/neighbours.h"

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
    const uint32_t *scale = case_words(c, "ScaleSize");
    const uint32_t h = input->rank - 2, w = input->rank - 1;
    uint32_t places[2][2], from[CASE_MAX_RANK];
    double weights[2][2];
    struct blend blend = {0, 0, 0};
    between(at[h], scale[1], input->sizes[h], places[0], weights[0]);
    between(at[w], scale[0], input->sizes[w], places[1], weights[1]);
    memcpy(from, at, sizeof(from));
    for (int i = 0; i < 4; i++) {
        const double weight = weights[0][i / 2] * weights[1][i % 2];
        from[h] = places[0][i / 2];
        from[w] = places[1][i % 2];
        const double x = case_number(c, tensors, 0, from);
        blend.sum += weight == 0 ? 0 : weight * x;
        blend.magnitudes += weight == 0 ? 0 : weight * fabs(x);
        blend.greatest = weight != 0 && fabs(x) > blend.greatest ? fabs(x) : blend.greatest;
    }
    return blend;
}

static struct accuracy_bounds upsample_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                              const uint32_t *at) {
    if (case_word(c, "InterpolationMode") != DML_INTERPOLATION_MODE_LINEAR) {
        return (struct accuracy_bounds){NAN, NAN, false}; /* exact */
    }
    const struct blend b = blend_at(c, tensors, at);
    /* Weights of elements far from one another may be off by so much of 1. */
    const double error = isfinite(b.magnitudes) ? b.magnitudes * accuracy_of_terms(c, 4) + b.greatest * 0x1p-23 +
                                                      4 * neighbours_denormal(c)
                                                : 0;
    return (struct accuracy_bounds){b.sum - error, b.sum + error, isnan(b.sum)};
}

static struct accuracy_exact upsample_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                            const uint32_t *at) {
    if (case_word(c, "InterpolationMode") != DML_INTERPOLATION_MODE_LINEAR) {
        return accuracy_no_exact;
    }
    const struct blend b = blend_at(c, tensors, at);
    return accuracy_beside(b.sum, b.magnitudes);
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
    neighbours_lay_out(random, input, output);
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
    const bool linear = case_word(c, "InterpolationMode") == DML_INTERPOLATION_MODE_LINEAR;
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

CASE_FAMILY(upsample_2d, UPSAMPLE_2D, .has_frame = true, .generate = generate_upsample, .group = "window",
            CASE_BENCHMARKS(upsample_benchmarks), .bounds = upsample_bounds, .exact = upsample_exact);
