#include "cases/operators/neighbours.h"

struct squares {
    double sum, count, x;
};

static struct squares squares_around(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *at) {
    const struct case_tensor *input = &c->tensors[0];
    const bool is_across = case_word(c, "CrossChannel") != 0;
    const uint32_t size = case_word(c, "LocalSize");
    struct case_tensor box = {.rank = input->rank};
    uint32_t first[CASE_MAX_RANK], in_box[CASE_MAX_RANK] = {0};
    struct squares squares = {0, 0, case_number(c, tensors, 0, at)};
    for (uint32_t d = 0; d < input->rank; d++) {
        const bool is_around = is_across ? d == 1 : d >= 2;
        const int64_t low = (int64_t)at[d] - (is_around ? (size - 1) / 2 : 0);
        const int64_t high = (int64_t)at[d] + (is_around ? size / 2 : 0);
        first[d] = low < 0 ? 0 : (uint32_t)low;
        box.sizes[d] = (uint32_t)(high > input->sizes[d] - 1 ? input->sizes[d] - 1 : high) - first[d] + 1;
    }
    do {
        uint32_t from[CASE_MAX_RANK];
        for (uint32_t d = 0; d < input->rank; d++) {
            from[d] = first[d] + in_box[d];
        }
        const double x = case_number(c, tensors, 0, from);
        squares.sum += x * x;
        squares.count++;
    } while (case_next_coordinates(&box, in_box));
    return squares;
}

/* As include/vkdml/dml_operators.h promises it: the sum, the divisor, its power and the quotient have an error each. */
static struct accuracy_bounds lrn_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                         const uint32_t *at) {
    const struct squares s = squares_around(c, tensors, at);
    const double bias = (double)case_float(c, "Bias"), beta = (double)case_float(c, "Beta");
    const double scale = (double)(float)((double)case_float(c, "Alpha") / case_word(c, "LocalSize"));
    if (!isfinite(s.sum) || !isfinite(bias) || !isfinite(scale) || !isfinite(beta)) {
        return accuracy_anything;
    }
    const double sum_distance = s.sum * accuracy_of_terms(c, s.count) + s.count * 0x1p-126;
    const double product = scale * s.sum;
    const double distance =
        fabs(scale) * sum_distance + fabs(product) * 0x1p-23 + fabs(bias + product) * 0x1p-23 + 0x1p-125;
    const double low = bias + product - distance, high = bias + product + distance;
    if (low <= 0x1p-126) {
        return accuracy_anything;
    }
    const double error = accuracy_of_result(c, s.count), a = s.x * pow(low, -beta), b = s.x * pow(high, -beta);
    struct accuracy_bounds bounds = {fmin(a, b), fmax(a, b), false};
    const double flushed = neighbours_denormal(c) * fmax(1, fmax(pow(low, -beta), pow(high, -beta)));
    bounds.least -= fabs(bounds.least) * error + flushed;
    bounds.greatest += fabs(bounds.greatest) * error + flushed;
    /* What is beyond FLOAT32 is infinite on the way, powers too, or 0. */
    const double greatest = NEIGHBOURS_GREATEST;
    const double power = fmax(pow(low, beta), pow(high, beta)), least_power = fmin(pow(low, beta), pow(high, beta));
    if (s.sum + sum_distance > greatest || fabs(product) > greatest || high > greatest || power > 0x1p240) {
        bounds = (struct accuracy_bounds){fmin(bounds.least, beta > 0 ? 0 : -INFINITY),
                                          fmax(bounds.greatest, beta > 0 ? 0 : INFINITY), true};
    }
    if (least_power < 0x1p-125) {
        return accuracy_anything;
    }
    return isnan(a) || isnan(b) ? accuracy_anything : bounds;
}

/* Where nothing cancels and nothing leaves FLOAT32. */
static struct accuracy_exact lrn_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                       const uint32_t *at) {
    const struct squares s = squares_around(c, tensors, at);
    const double bias = (double)case_float(c, "Bias"), beta = (double)case_float(c, "Beta");
    const double scale = (double)(float)((double)case_float(c, "Alpha") / case_word(c, "LocalSize"));
    const double divisor = bias + scale * s.sum, power = pow(divisor, beta);
    if (scale < 0 || bias < 0 || s.sum > 0x1p120 || divisor < 0x1p-100 || divisor > 0x1p120 || power < 0x1p-100 ||
        power > 0x1p100) {
        return accuracy_no_exact;
    }
    return accuracy_beside(s.x / power, fabs(s.x / power));
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
    neighbours_lay_out(random, input, output);
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
    const bool across = case_word(c, "CrossChannel") != 0;
    const uint32_t size = case_word(c, "LocalSize");
    const ptrdiff_t before = (size - 1) / 2, behind = size / 2;
    const ptrdiff_t channels = t->sizes[1], height = t->sizes[2], width = t->sizes[3], plane = height * width;
    const float scale = case_float(c, "Alpha") / (float)size, bias = case_float(c, "Bias");
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

CASE_FAMILY(local_response_normalization, LOCAL_RESPONSE_NORMALIZATION, .has_frame = true, .generate = generate_lrn,
            .group = "window", CASE_BENCHMARKS(lrn_benchmarks), .bounds = lrn_bounds, .exact = lrn_exact);
