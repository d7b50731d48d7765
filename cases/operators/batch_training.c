/* BATCH_NORMALIZATION_TRAINING, and the gradients of it and of BATCH_NORMALIZATION. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/generate.h"
#include "cases/number.h"
#include "cases/operators/mapping.h"
#include "cases/operators/reductions.h"
#include "cases/terms.h"

static const struct case_support floats_from_4_1[] = {AT_LEVEL(4_1, 1, 8, FLOATS), {0}};

/* An element at coordinates, or where a tensor has one for several, that one. */
static double serving(const struct operator_case *c, const unsigned char *const *tensors, const char *name,
                      const uint32_t *at) {
    const uint32_t slot = case_index(c, name);
    uint32_t own[CASE_MAX_RANK] = {0};
    for (uint32_t d = 0; d < c->tensors[slot].rank; d++) {
        own[d] = c->tensors[slot].sizes[d] == 1 ? 0 : at[d];
    }
    return case_number(c, tensors, slot, own);
}

/* ---- BATCH_NORMALIZATION_TRAINING ---- */

static uint32_t folded_by(const struct operator_case *c, const char *name) {
    const struct case_tensor *input = &c->tensors[0], *small = &c->tensors[case_index(c, name)];
    uint32_t folded = 0;
    for (uint32_t d = 0; d < input->rank; d++) {
        folded |= (uint32_t)(small->sizes[d] == 1 && input->sizes[d] > 1) << d;
    }
    return folded;
}

/* As MEAN_VARIANCE_NORMALIZATION's. */
static double mean_error(const struct operator_case *c, const struct case_reduction *r) {
    return r->variance == 0 ? 0x1p-40 * fabs(r->mean)
                            : accuracy_of_terms(c, r->count) * fabs(r->mean) + accuracy_of_one(c) * sqrt(r->variance);
}

static struct accuracy_bounds moment_bounds(const struct operator_case *c, const struct case_reduction *r) {
    const double noise = mean_error(c, r);
    if (accuracy_slot() == case_index(c, "OutputMeanTensor")) {
        return accuracy_around(r->mean, noise + (double)FLT_MIN);
    }
    const double distance = r->variance * accuracy_of_result(c, r->count) + 4 * noise * noise + (double)FLT_MIN;
    return (struct accuracy_bounds){fmax(0, r->variance - distance), r->variance + distance, false};
}

static struct accuracy_bounds training_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                              const uint32_t *at) {
    const struct case_reduction *r = case_reduction_at(c, tensors, folded_by(c, "ScaleTensor"), at);
    const double variance = r->variance + (double)case_float(c, "Epsilon"), noise = mean_error(c, r);
    if (!isfinite(r->squares) || r->most > 0x1p+100 || 4 * r->most * r->most * r->count > (double)FLT_MAX) {
        return accuracy_anything;
    }
    if (accuracy_slot() != 0 && accuracy_slot() != case_index(c, "OutputTensor")) {
        return moment_bounds(c, r);
    }
    if (variance <= 16 * noise * noise || variance < 0x1p-100) {
        return accuracy_anything;
    }
    const bool has_add = c->fields[case_index(c, "FusedAddTensor")].present != 0;
    const double scale = serving(c, tensors, "ScaleTensor", at), bias = serving(c, tensors, "BiasTensor", at);
    const double add = has_add ? serving(c, tensors, "FusedAddTensor", at) : 0;
    const double x = serving(c, tensors, "InputTensor", at), z = (x - r->mean) / sqrt(variance);
    const double value = scale * z + bias + add, magnitudes = fabs(scale * z) + fabs(bias) + fabs(add);
    if (!isfinite(value) || magnitudes > (double)FLT_MAX || fabs(scale) / sqrt(variance) > 0x1p+120) {
        return accuracy_anything;
    }
    const double off = noise / sqrt(variance) + fabs(z) * (accuracy_of_result(c, r->count) + noise * noise / variance);
    const double distance =
        fabs(scale) * off + magnitudes * 0x1p-21 + (1 + fabs(scale) + fabs(x - r->mean)) * 4 * (double)FLT_MIN;
    return terms_rise(c, accuracy_around(value, distance), 0x1p-10); /* of FLOAT16's functions */
}

/* ---- gradients ---- */

/* Of what one element of the scale serves. */
struct sums {
    double count, gradients, gradient_magnitudes, products, product_magnitudes, lost, most;
};

static struct {
    uint64_t occasion;
    struct sums *items;
} known;

static uint64_t number_in(const struct case_tensor *small, const uint32_t *at) {
    uint64_t number = 0;
    for (uint32_t d = 0; d < small->rank; d++) {
        number = number * small->sizes[d] + (small->sizes[d] == 1 ? 0 : at[d]);
    }
    return number;
}

static void find_sums(const struct operator_case *c, const unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *small = &c->tensors[case_index(c, "MeanTensor")];
    uint32_t at[CASE_MAX_RANK] = {0};
    free(known.items);
    known.occasion = accuracy_occasion();
    known.items = calloc(case_element_count(small), sizeof(*known.items));
    if (known.items == NULL) {
        abort();
    }
    do {
        struct sums *sums = &known.items[number_in(small, at)];
        const double g = serving(c, tensors, "InputGradientTensor", at), x = serving(c, tensors, "InputTensor", at);
        const double distance = x - serving(c, tensors, "MeanTensor", at);
        sums->count++;
        sums->gradients += g;
        sums->gradient_magnitudes += fabs(g);
        sums->products += g * distance;
        sums->product_magnitudes += fabs(g * distance);
        sums->lost += (fabs(g) + fabs(distance)) * (double)FLT_MIN; /* of denormals that are flushed */
        sums->most = fmax(sums->most, fmax(fabs(g), fmax(fabs(x), fabs(g * distance))));
    } while (case_next_coordinates(input, at));
}

static const struct sums *sums_at(const struct operator_case *c, const unsigned char *const *tensors,
                                  const uint32_t *at) {
    if (known.items == NULL || known.occasion != accuracy_occasion()) {
        find_sums(c, tensors);
    }
    return &known.items[number_in(&c->tensors[case_index(c, "MeanTensor")], at)];
}

static struct accuracy_bounds gradient_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                              const uint32_t *at, bool is_training) {
    const struct sums *s = sums_at(c, tensors, at);
    const double of_terms = accuracy_of_terms(c, s->count), of_result = accuracy_of_result(c, s->count);
    const double mean = serving(c, tensors, "MeanTensor", at), scale = serving(c, tensors, "ScaleTensor", at);
    const double variance = serving(c, tensors, "VarianceTensor", at) + (double)case_float(c, "Epsilon");
    const double factor = scale / sqrt(variance), tiny = 16 * (double)FLT_MIN * (1 + fabs(factor)) * s->count;
    if (!(s->product_magnitudes < 0x1p+100) || !(s->most < 0x1p+60) || !(fabs(mean) < 0x1p+60) ||
        !(variance > 0x1p-60 && variance < 0x1p+60) || !(fabs(scale) < 0x1p+60)) {
        return accuracy_anything;
    }
    if (accuracy_slot() == case_index(c, "OutputBiasGradientTensor")) {
        return accuracy_around(s->gradients, s->gradient_magnitudes * of_terms + tiny);
    }
    const double product_error = s->product_magnitudes * (of_terms + of_result) + s->lost;
    if (accuracy_slot() == case_index(c, "OutputScaleGradientTensor")) {
        return accuracy_around(s->products / sqrt(variance), product_error / sqrt(variance) + tiny);
    }
    const double least_factor = 4 * (double)FLT_MIN; /* below which factors lose digits */
    const double g = serving(c, tensors, "InputGradientTensor", at);
    if (!is_training) {
        return accuracy_around(factor * g, fabs(factor * g) * of_result + fabs(g) * least_factor + tiny);
    }
    const double distance = serving(c, tensors, "InputTensor", at) - mean;
    const double offset = s->gradients / s->count, along = distance * s->products / s->count / variance;
    const double magnitudes = fabs(g) + fabs(offset) + fabs(along);
    const double error = magnitudes * of_result + s->gradient_magnitudes / s->count * of_terms +
                         fabs(distance) * (product_error / s->count / variance + 4 * (double)FLT_MIN);
    return accuracy_around(factor * (g - offset - along), fabs(factor) * error + magnitudes * least_factor + tiny);
}

static struct accuracy_bounds grad_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                          const uint32_t *at) {
    return gradient_bounds(c, tensors, at, false);
}

static struct accuracy_bounds training_grad_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                                   const uint32_t *at) {
    return gradient_bounds(c, tensors, at, true);
}

/* ---- random cases ---- */

static void choose_shape(struct random *random, struct operator_case *c, struct case_tensor *large,
                         struct case_tensor *small) {
    *large = (struct case_tensor){.type = generate_type(random, c, "InputTensor"),
                                  .rank = random_between(random, 1, CASE_MAX_RANK)};
    generate_sizes(random, generate_budget(random), large);
    const uint32_t last = large->rank - 1;
    if (large->sizes[last] < 1000 && random_chance(random, 40)) {
        large->sizes[last] *= 4;
    }
    *small = *large;
    for (uint32_t d = 0; d < small->rank; d++) {
        small->sizes[d] = random_chance(random, 50) ? small->sizes[d] : 1;
    }
}

static void add_input(struct random *random, struct operator_case *c, const char *name, const struct case_tensor *shape,
                      enum case_fill fill) {
    struct case_tensor *tensor = case_tensor(c, name);
    *tensor = *shape;
    generate_input_layout(random, tensor);
    tensor->fill = random_chance(random, 90) ? fill : CASE_FILL_SPECIAL;
}

static void add_output(struct random *random, struct operator_case *c, const char *name,
                       const struct case_tensor *shape) {
    struct case_tensor *tensor = case_tensor(c, name);
    *tensor = *shape;
    generate_output_layout(random, tensor);
}

static enum case_fill any_fill(struct random *random) {
    static const enum case_fill fills[] = {CASE_FILL_UNIT, CASE_FILL_UNIT,  CASE_FILL_SMALL,
                                           CASE_FILL_FAR,  CASE_FILL_LEVEL, CASE_FILL_BITS};
    return RANDOM_OF(random, fills);
}

static void choose_epsilon(struct random *random, struct operator_case *c) {
    static const float epsilons[] = {1e-5f, 1e-5f, 0, 0.125f, 1};
    case_set_float(c, "Epsilon", RANDOM_OF(random, epsilons));
}

static void generate_training(const struct case_family *family, struct random *random, struct operator_case *c) {
    struct case_tensor large, small;
    case_begin(c, family->type);
    choose_shape(random, c, &large, &small);
    add_input(random, c, "InputTensor", &large, any_fill(random));
    add_input(random, c, "ScaleTensor", &small, CASE_FILL_ABOVE_ONE);
    add_input(random, c, "BiasTensor", &small, CASE_FILL_UNIT);
    if (random_chance(random, 40)) {
        add_input(random, c, "FusedAddTensor", &large, CASE_FILL_UNIT);
    }
    add_output(random, c, "OutputTensor", &large);
    add_output(random, c, "OutputMeanTensor", &small);
    add_output(random, c, "OutputVarianceTensor", &small);
    choose_epsilon(random, c);
    if (random_chance(random, 40)) {
        terms_fuse(random, c);
    }
    generate_call(random, c);
}

static void generate_gradient(const struct case_family *family, struct random *random, struct operator_case *c) {
    struct case_tensor large, small;
    case_begin(c, family->type);
    choose_shape(random, c, &large, &small);
    add_input(random, c, "InputTensor", &large, any_fill(random));
    add_input(random, c, "InputGradientTensor", &large, CASE_FILL_UNIT);
    if (random_chance(random, 40)) { /* lies as the input does */
        memcpy(case_tensor(c, "InputGradientTensor")->strides, case_tensor(c, "InputTensor")->strides,
               sizeof(large.strides));
        case_tensor(c, "InputGradientTensor")->has_strides = case_tensor(c, "InputTensor")->has_strides;
    }
    add_input(random, c, "MeanTensor", &small, CASE_FILL_UNIT);
    add_input(random, c, "VarianceTensor", &small, CASE_FILL_ABOVE_ONE);
    add_input(random, c, "ScaleTensor", &small, CASE_FILL_ABOVE_ONE);
    add_output(random, c, "OutputGradientTensor", &large);
    add_output(random, c, "OutputScaleGradientTensor", &small);
    add_output(random, c, "OutputBiasGradientTensor", &small);
    choose_epsilon(random, c);
    generate_call(random, c);
}

/* ---- benchmarks ---- */

/* Pictures with statistics of each channel: channels, fewer where `bytes` hold no such picture, and the pictures' side.
 */
#define CHANNELS(count, side) ((count) << 8 | (side))

static void make_shapes(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct case_tensor *large,
                        struct case_tensor *small) {
    const uint32_t side = argument & 255, fitting = benchmark_size(bytes, type, (uint64_t)side * side, 1);
    const uint32_t channels = fitting < argument >> 8 ? fitting : argument >> 8;
    const uint32_t batch = benchmark_size(bytes, type, (uint64_t)channels * side * side, 1);
    memset(large, 0, sizeof(*large));
    memset(small, 0, sizeof(*small));
    benchmark_tensor(large, type, 4, (const uint32_t[]){batch, channels, side, side});
    benchmark_tensor(small, type, 4, (const uint32_t[]){1, channels, 1, 1});
    large->fill = CASE_FILL_UNIT;
    small->fill = CASE_FILL_ABOVE_ONE;
}

static void make_training(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    static const char *const of_channels[] = {"ScaleTensor", "BiasTensor", "OutputMeanTensor", "OutputVarianceTensor"};
    struct case_tensor large, small;
    make_shapes(bytes, type, argument, &large, &small);
    case_begin(c, DML_OPERATOR_BATCH_NORMALIZATION_TRAINING);
    *case_tensor(c, "InputTensor") = large;
    *case_tensor(c, "OutputTensor") = large;
    for (size_t i = 0; i < CASE_COUNT(of_channels); i++) {
        *case_tensor(c, of_channels[i]) = small;
    }
    case_set_float(c, "Epsilon", 1e-5f);
}

static void make_gradient_of(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type,
                             uint32_t argument, struct operator_case *c) {
    static const char *const of_channels[] = {"MeanTensor", "VarianceTensor", "ScaleTensor",
                                              "OutputScaleGradientTensor", "OutputBiasGradientTensor"};
    static const char *const whole[] = {"InputTensor", "InputGradientTensor", "OutputGradientTensor"};
    struct case_tensor large, small;
    make_shapes(bytes, type, argument, &large, &small);
    case_begin(c, operator_type);
    for (size_t i = 0; i < CASE_COUNT(whole); i++) {
        *case_tensor(c, whole[i]) = large;
    }
    for (size_t i = 0; i < CASE_COUNT(of_channels); i++) {
        *case_tensor(c, of_channels[i]) = small;
    }
    case_set_float(c, "Epsilon", 1e-5f);
}

static void make_grad(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_gradient_of(DML_OPERATOR_BATCH_NORMALIZATION_GRAD, bytes, type, argument, c);
}

static void make_training_grad(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_gradient_of(DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD, bytes, type, argument, c);
}

/* Of FLOAT32, packed, with statistics of each channel. */
#define OF_CHANNEL(c, i, channel)                                                                                      \
    for (size_t n = 0; n < (c)->tensors[0].sizes[0]; n++)                                                              \
        for (size_t plane = (size_t)(c)->tensors[0].sizes[2] * (c)->tensors[0].sizes[3],                               \
                    first = (n * (c)->tensors[0].sizes[1] + (channel)) * plane, i = first;                             \
             i < first + plane; i++)

static float *floats(const struct operator_case *c, unsigned char *const *tensors, const char *name) {
    return (float *)(void *)tensors[case_index(c, name)];
}

static void training_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const float *x = floats(c, tensors, "InputTensor"), *scale = floats(c, tensors, "ScaleTensor");
    const float *bias = floats(c, tensors, "BiasTensor");
    float *out = floats(c, tensors, "OutputTensor"), *means = floats(c, tensors, "OutputMeanTensor");
    float *variances = floats(c, tensors, "OutputVarianceTensor");
    const uint32_t channels = c->tensors[0].sizes[1];
    const float count = (float)(case_element_count(&c->tensors[0]) / channels);
    for (uint32_t k = 0; k < channels; k++) {
        double sum = 0, squares = 0;
        OF_CHANNEL(c, i, k) sum += (double)x[i];
        means[k] = (float)(sum / (double)count);
        OF_CHANNEL(c, i, k) squares += (double)((x[i] - means[k]) * (x[i] - means[k]));
        variances[k] = (float)(squares / (double)count);
        const float factor = scale[k] / sqrtf(variances[k] + case_float(c, "Epsilon"));
        OF_CHANNEL(c, i, k) out[i] = (x[i] - means[k]) * factor + bias[k];
    }
}

static void gradient_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const float *x = floats(c, tensors, "InputTensor"), *g = floats(c, tensors, "InputGradientTensor");
    const float *mean = floats(c, tensors, "MeanTensor"), *variance = floats(c, tensors, "VarianceTensor");
    const float *scale = floats(c, tensors, "ScaleTensor");
    float *out = floats(c, tensors, "OutputGradientTensor");
    const bool is_training = c->schema->type == DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD;
    const uint32_t channels = c->tensors[0].sizes[1];
    const float count = (float)(case_element_count(&c->tensors[0]) / channels);
    for (uint32_t k = 0; k < channels; k++) {
        const float inverse = 1 / sqrtf(variance[k] + case_float(c, "Epsilon"));
        double sum = 0, along = 0;
        OF_CHANNEL(c, i, k) {
            sum += (double)g[i];
            along += (double)(g[i] * (x[i] - mean[k]));
        }
        floats(c, tensors, "OutputBiasGradientTensor")[k] = (float)sum;
        floats(c, tensors, "OutputScaleGradientTensor")[k] = (float)along * inverse;
        const float offset = is_training ? (float)sum / count : 0;
        const float slope = is_training ? (float)along / count * inverse * inverse : 0;
        OF_CHANNEL(c, i, k) out[i] = scale[k] * inverse * (g[i] - offset - (x[i] - mean[k]) * slope);
    }
}

#define BENCHMARKS_OF(make, loop)                                                                                      \
    {"channels256_56x56", CASE_TYPES_FLOATS, CHANNELS(256, 56), 0, make, loop}, {                                      \
        "channels2048_7x7", CASE_TYPES_FLOATS, CHANNELS(2048, 7), 0, make, loop                                        \
    }
static const struct case_benchmark training_benchmarks[] = {BENCHMARKS_OF(make_training, training_loop)};
static const struct case_benchmark grad_benchmarks[] = {BENCHMARKS_OF(make_grad, gradient_loop)};
static const struct case_benchmark training_grad_benchmarks[] = {BENCHMARKS_OF(make_training_grad, gradient_loop)};

/* ---- families ---- */

#define TRAINING                        "BATCH_NORMALIZATION_TRAINING "
#define TENSOR(name, TYPE, sizes, data) " " name "=" TYPE sizes " " name ".data=" data
static const char *const batch_normalization_training_fixed[] = {
    /* Channels of mean 2 and 0, variance 1 and 4. */
    TRAINING TENSOR("InputTensor", "FLOAT32", "[1,2,1,2]", "1,3,-2,2")
        TENSOR("ScaleTensor", "FLOAT32", "[1,2,1,1]", "3,1") TENSOR("BiasTensor", "FLOAT32", "[1,2,1,1]", "10,0")
            TENSOR("OutputTensor", "FLOAT32", "[1,2,1,2]", "7,13,-1,1")
                TENSOR("OutputMeanTensor", "FLOAT32", "[1,2,1,1]", "2,0")
                    TENSOR("OutputVarianceTensor", "FLOAT32", "[1,2,1,1]", "1,4"),
    /* FusedAdd comes before the activation. */
    TRAINING TENSOR("InputTensor", "FLOAT16", "[4]", "1,3,1,3") TENSOR("ScaleTensor", "FLOAT16", "[1]", "2")
        TENSOR("BiasTensor", "FLOAT16", "[1]", "1") TENSOR("FusedAddTensor", "FLOAT16", "[4]", "0,0,2,-4")
            TENSOR("OutputTensor", "FLOAT16", "[4]", "0,3,1,0") TENSOR("OutputMeanTensor", "FLOAT16", "[1]", "2")
                TENSOR("OutputVarianceTensor", "FLOAT16", "[1]", "1") " FusedActivation=RELU",
    /* Each element by itself has no variance. */
    TRAINING TENSOR("InputTensor", "FLOAT32", "[2]", "5,-7") TENSOR("ScaleTensor", "FLOAT32", "[2]", "2,3")
        TENSOR("BiasTensor", "FLOAT32", "[2]", "0.5,-1") TENSOR("OutputTensor", "FLOAT32", "[2]", "0.5,-1")
            TENSOR("OutputMeanTensor", "FLOAT32", "[2]", "5,-7")
                TENSOR("OutputVarianceTensor", "FLOAT32", "[2]", "0,0") " Epsilon=1",
    /* Far from 0. */
    TRAINING
    "seed=2 InputTensor=FLOAT32[3,8,31,33] InputTensor.fill=FAR ScaleTensor=FLOAT32[1,8,1,1] "
    "ScaleTensor.fill=ABOVE_ONE BiasTensor=FLOAT32[1,8,1,1] BiasTensor.fill=UNIT FusedAddTensor=FLOAT32[3,8,31,33] "
    "FusedAddTensor.fill=UNIT OutputTensor=FLOAT32[3,8,31,33] OutputMeanTensor=FLOAT32[1,8,1,1] "
    "OutputVarianceTensor=FLOAT32[1,8,1,1] Epsilon=1e-5 FusedActivation=TANH",
    TRAINING
    "seed=3 InputTensor=FLOAT16[3,64,7,7] InputTensor.fill=UNIT ScaleTensor=FLOAT16[1,64,1,1] "
    "ScaleTensor.fill=ABOVE_ONE BiasTensor=FLOAT16[1,64,1,1] BiasTensor.fill=UNIT OutputTensor=FLOAT16[3,64,7,7] "
    "OutputMeanTensor=FLOAT16[1,64,1,1] OutputVarianceTensor=FLOAT16[1,64,1,1] Epsilon=1e-5",
    /* Channels side by side; one mean of all; of all but the batch. */
    TRAINING "seed=4 InputTensor=FLOAT32[300,96] InputTensor.fill=UNIT ScaleTensor=FLOAT32[1,96] "
             "ScaleTensor.fill=ABOVE_ONE BiasTensor=FLOAT32[1,96] BiasTensor.fill=UNIT OutputTensor=FLOAT32[300,96] "
             "OutputMeanTensor=FLOAT32[1,96] OutputVarianceTensor=FLOAT32[1,96] Epsilon=1e-5",
    TRAINING "seed=5 InputTensor=FLOAT32[300,97] InputTensor.fill=UNIT ScaleTensor=FLOAT32[1,1] "
             "BiasTensor=FLOAT32[1,1] OutputTensor=FLOAT32[300,97] OutputMeanTensor=FLOAT32[1,1] "
             "OutputVarianceTensor=FLOAT32[1,1] Epsilon=1e-5",
    TRAINING "seed=6 InputTensor=FLOAT16[30,5,97] InputTensor.fill=UNIT ScaleTensor=FLOAT16[1,5,97] "
             "BiasTensor=FLOAT16[1,5,97] OutputTensor=FLOAT16[30,5,97] OutputMeanTensor=FLOAT16[1,5,97] "
             "OutputVarianceTensor=FLOAT16[1,5,97] Epsilon=1e-5",
};

#define GRADIENT(NAME, TYPE, sizes, small, x, g, mean, variance, scale, out, scale_out, bias_out)                      \
    NAME TENSOR("InputTensor", TYPE, sizes, x) TENSOR("InputGradientTensor", TYPE, sizes, g)                           \
        TENSOR("MeanTensor", TYPE, small, mean) TENSOR("VarianceTensor", TYPE, small, variance)                        \
            TENSOR("ScaleTensor", TYPE, small, scale) TENSOR("OutputGradientTensor", TYPE, sizes, out)                 \
                TENSOR("OutputScaleGradientTensor", TYPE, small, scale_out)                                            \
                    TENSOR("OutputBiasGradientTensor", TYPE, small, bias_out)
#define SEEDED(NAME, seed, TYPE, sizes, small)                                                                         \
    NAME " seed=" seed " InputTensor=" TYPE sizes " InputTensor.fill=FAR InputGradientTensor=" TYPE sizes              \
         " InputGradientTensor.fill=UNIT MeanTensor=" TYPE small " MeanTensor.fill=FAR VarianceTensor=" TYPE small     \
         " VarianceTensor.fill=ABOVE_ONE ScaleTensor=" TYPE small                                                      \
         " ScaleTensor.fill=UNIT OutputGradientTensor=" TYPE sizes " OutputScaleGradientTensor=" TYPE small            \
         " OutputBiasGradientTensor=" TYPE small " Epsilon=1e-5"
#define ALL_SEEDED(NAME)                                                                                               \
    SEEDED(NAME, "1", "FLOAT32", "[3,8,31,33]", "[1,8,1,1]"),                                                          \
        SEEDED(NAME, "2", "FLOAT16", "[3,64,7,7]", "[1,64,1,1]"), SEEDED(NAME, "3", "FLOAT32", "[300,96]", "[1,96]"),  \
        SEEDED(NAME, "4", "FLOAT32", "[300,97]", "[1,1]"), SEEDED(NAME, "5", "FLOAT16", "[30,5,97]", "[1,5,97]"),      \
        SEEDED(NAME, "6", "FLOAT32", "[20,7]", "[20,7]"), SEEDED(NAME, "7", "FLOAT32", "[2,3,200,201]", "[1,3,1,1]")
static const char *const batch_normalization_grad_fixed[] = {
    /* Deviations of 2 and 1. */
    GRADIENT("BATCH_NORMALIZATION_GRAD", "FLOAT32", "[1,2,1,2]", "[1,2,1,1]", "1,3,-2,2", "1,2,-1,4", "2,0", "3,0",
             "4,0.5", "2,4,-0.5,2", "0.5,10", "3,3") " Epsilon=1",
    GRADIENT("BATCH_NORMALIZATION_GRAD", "FLOAT16", "[3]", "[3]", "1,2,3", "1,1,2", "0,2,4", "4,1,1", "1,2,3",
             "0.5,2,6", "0.5,0,-2", "1,1,2"),
    ALL_SEEDED("BATCH_NORMALIZATION_GRAD"),
};
static const char *const batch_normalization_training_grad_fixed[] = {
    /* Of two elements all gradient is along the scale and the bias. */
    GRADIENT("BATCH_NORMALIZATION_TRAINING_GRAD", "FLOAT32", "[1,1,1,2]", "[1,1,1,1]", "1,3", "1,2", "2", "1", "4",
             "0,0", "1", "3"),
    /* Means of gradients 2 and of gradients along 0.5, the distances -1, -1, 1, 1. */
    GRADIENT("BATCH_NORMALIZATION_TRAINING_GRAD", "FLOAT16", "[4]", "[1]", "1,1,3,3", "1,2,1,4", "2", "1", "4",
             "-2,2,-6,6", "2", "8"),
    ALL_SEEDED("BATCH_NORMALIZATION_TRAINING_GRAD"),
};

TENSORS(batch_normalization_training, {"InputTensor", floats_from_4_1}, {"ScaleTensor", floats_from_4_1},
        {"BiasTensor", floats_from_4_1}, {"FusedAddTensor", floats_from_4_1}, {"OutputTensor", floats_from_4_1},
        {"OutputMeanTensor", floats_from_4_1}, {"OutputVarianceTensor", floats_from_4_1});
#define GRADIENT_TENSORS(name, SUPPORT)                                                                                \
    TENSORS(name, {"InputTensor", SUPPORT}, {"InputGradientTensor", SUPPORT}, {"MeanTensor", SUPPORT},                 \
            {"VarianceTensor", SUPPORT}, {"ScaleTensor", SUPPORT}, {"OutputGradientTensor", SUPPORT},                  \
            {"OutputScaleGradientTensor", SUPPORT}, {"OutputBiasGradientTensor", SUPPORT})
GRADIENT_TENSORS(batch_normalization_grad, floats_from_3_1);
GRADIENT_TENSORS(batch_normalization_training_grad, floats_from_4_1);

#define TRAINED(name, NAME, group_, ...)                                                                               \
    const struct case_family vkdml_cases_##name = {.type = DML_OPERATOR_##NAME,                                        \
                                                   CASE_SUPPORTED(name##_support),                                     \
                                                   CASE_FIXED(name##_fixed),                                           \
                                                   .group = group_,                                                    \
                                                   __VA_ARGS__}
TRAINED(batch_normalization_training, BATCH_NORMALIZATION_TRAINING, "batch_normalization_training",
        .generate = generate_training, .bounds = training_bounds, CASE_BENCHMARKS(training_benchmarks));
TRAINED(batch_normalization_grad, BATCH_NORMALIZATION_GRAD, "batch_normalization_grad", .generate = generate_gradient,
        .bounds = grad_bounds, CASE_BENCHMARKS(grad_benchmarks));
TRAINED(batch_normalization_training_grad, BATCH_NORMALIZATION_TRAINING_GRAD, "batch_normalization_training_grad",
        .generate = generate_gradient, .bounds = training_grad_bounds, CASE_BENCHMARKS(training_grad_benchmarks));
