#include <stdlib.h>

#include "cases/operators/neighbours.h"

/* What is known of an element: what its gradient is divided by, and what it adds to those in whose boxes it is. */
struct element {
    double x, gradient, divisor, part, term, exact;
};

static struct {
    uint64_t occasion;
    struct element *items;
} known;

static uint64_t number_of(const struct case_tensor *tensor, const uint32_t *at) {
    uint64_t number = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        number = number * tensor->sizes[d] + at[d];
    }
    return number;
}

struct box {
    struct case_tensor shape;
    uint32_t first[CASE_MAX_RANK], at[CASE_MAX_RANK];
};

/* What is around an element, or mirrored what it is around. */
static struct box box_around(const struct operator_case *c, const uint32_t *at, bool is_mirrored) {
    const struct case_tensor *input = &c->tensors[0];
    const uint32_t size = case_word(c, "LocalSize"), less = (size - 1) / 2, more = size / 2;
    struct box box = {.shape = {.rank = input->rank}};
    for (uint32_t d = 0; d < input->rank; d++) {
        const bool is_around = case_word(c, "CrossChannel") != 0 ? d == 1 : d >= 2;
        const int64_t low = (int64_t)at[d] - (!is_around ? 0 : is_mirrored ? more : less);
        const int64_t high = (int64_t)at[d] + (!is_around ? 0 : is_mirrored ? less : more);
        box.first[d] = low < 0 ? 0 : (uint32_t)low;
        box.shape.sizes[d] = (uint32_t)(high > input->sizes[d] - 1 ? input->sizes[d] - 1 : high) - box.first[d] + 1;
    }
    return box;
}

static const struct element *element_in(const struct operator_case *c, const struct box *box) {
    uint32_t at[CASE_MAX_RANK];
    for (uint32_t d = 0; d < box->shape.rank; d++) {
        at[d] = box->first[d] + box->at[d];
    }
    return &known.items[number_of(&c->tensors[0], at)];
}

static double scale_of(const struct operator_case *c) {
    return (double)case_float(c, "Alpha") / case_word(c, "LocalSize");
}

static void find(const struct operator_case *c, const unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0];
    const double beta = (double)case_float(c, "Beta");
    uint32_t at[CASE_MAX_RANK] = {0};
    free(known.items);
    known.occasion = accuracy_occasion();
    known.items = calloc(case_element_count(input), sizeof(*known.items));
    if (known.items == NULL) {
        abort();
    }
    do {
        struct element *own = &known.items[number_of(input, at)];
        own->x = case_number(c, tensors, 0, at);
        own->gradient = case_number(c, tensors, 1, at);
    } while (case_next_coordinates(input, at));
    do {
        struct element *own = &known.items[number_of(input, at)];
        struct box box = box_around(c, at, false);
        double sum = 0;
        do {
            const double x = element_in(c, &box)->x;
            sum += x * x;
        } while (case_next_coordinates(&box.shape, box.at));
        own->divisor = (double)case_float(c, "Bias") + scale_of(c) * sum;
        own->part = own->gradient * pow(own->divisor, -beta);
        own->term = own->part * own->x / own->divisor;
    } while (case_next_coordinates(input, at));
}

/* Where what is divided by is well above 0 and nothing leaves FLOAT32, parts of the terms' magnitudes. */
static struct accuracy_bounds grad_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                          const uint32_t *at) {
    const double beta = (double)case_float(c, "Beta"), factor = 2 * scale_of(c) * beta;
    if (known.items == NULL || known.occasion != accuracy_occasion()) {
        find(c, tensors);
    }
    const struct element *own = &known.items[number_of(&c->tensors[0], at)];
    struct box box = box_around(c, at, true);
    double sum = 0, magnitudes = 0, least = own->divisor, most = fabs(own->part);
    do {
        const struct element *other = element_in(c, &box);
        sum += other->term;
        magnitudes += fabs(other->term);
        least = fmin(least, other->divisor);
        most = fmax(fmax(most, other->divisor), fmax(fabs(other->part), fabs(other->x * other->part)));
    } while (case_next_coordinates(&box.shape, box.at));
    const double value = own->part - factor * own->x * sum;
    const double all = fabs(own->part) + fabs(factor * own->x) * magnitudes;
    if (!(least > 0x1p-20) || !(most < 0x1p+60) || !(all < 0x1p+100) || scale_of(c) < 0 || !(fabs(own->x) < 0x1p+60)) {
        return accuracy_anything;
    }
    return accuracy_around(value, all * accuracy_of_terms(c, 1) + (1 + fabs(factor * own->x)) * 0x1p-100);
}

#define GRAD "LOCAL_RESPONSE_NORMALIZATION_GRAD "
#define OF_SIZES(TYPE, sizes)                                                                                          \
    " InputTensor=" TYPE sizes " InputTensor.fill=UNIT InputGradientTensor=" TYPE sizes                                \
    " InputGradientTensor.fill=UNIT OutputGradientTensor=" TYPE sizes
#define WITH_DATA(TYPE, sizes, x, g, out)                                                                              \
    " InputTensor=" TYPE sizes " InputTensor.data=" x " InputGradientTensor=" TYPE sizes                               \
    " InputGradientTensor.data=" g " OutputGradientTensor=" TYPE sizes " OutputGradientTensor.data=" out
static const char *const local_response_normalization_grad_fixed[] = {
    /* x / (1 + x^2): (1 - x^2) / (1 + x^2)^2. */
    GRAD WITH_DATA("FLOAT32", "[1,2,1,2]", "0,1,3,0.5", "1,1,100,25", "1,0,-8,12") " CrossChannel=1 LocalSize=1 "
                                                                                   "Alpha=1 Beta=1 Bias=1",
    /* Boxes of two: y0 = x0 / (1 + x0^2 + x1^2), y1 = x1 / (1 + x1^2); both depend on x1. */
    GRAD WITH_DATA("FLOAT32", "[1,1,1,2]", "1,1", "9,8", "1,-2") " CrossChannel=0 LocalSize=2 Alpha=2 Beta=1 Bias=1",
    GRAD WITH_DATA("FLOAT32", "[1,2,1,1]", "1,1", "9,8", "1,-2") " CrossChannel=1 LocalSize=2 Alpha=2 Beta=1 Bias=1",
    /* Without a scale it is a division. */
    GRAD WITH_DATA("FLOAT16", "[1,1,1,2]", "3,4", "2,4", "0.25,0.5") " CrossChannel=0 LocalSize=5 Alpha=0 Beta=0.75 "
                                                                     "Bias=16",
    GRAD "seed=1" OF_SIZES("FLOAT32", "[2,64,9,11]") " CrossChannel=1 LocalSize=5 Alpha=0.0001 Beta=0.75 Bias=1",
    GRAD "seed=2" OF_SIZES("FLOAT16", "[2,70,8,8]") " CrossChannel=1 LocalSize=4 Alpha=1 Beta=0.75 Bias=1",
    GRAD "seed=3" OF_SIZES("FLOAT32", "[1,200,3,3]") " CrossChannel=1 LocalSize=151 Alpha=1 Beta=0.6 Bias=1",
    GRAD "seed=4" OF_SIZES("FLOAT32", "[2,3,20,31]") " CrossChannel=0 LocalSize=5 Alpha=1 Beta=0.75 Bias=1",
    GRAD "seed=5" OF_SIZES("FLOAT16", "[2,3,21,27]") " CrossChannel=0 LocalSize=8 Alpha=1 Beta=0.5 Bias=1",
    GRAD "seed=6" OF_SIZES("FLOAT32", "[1,2,17,18]") " CrossChannel=0 LocalSize=12 Alpha=1 Beta=0.75 Bias=1",
};

static const struct case_refusal local_response_normalization_grad_refused[] = {
    {GRAD WITH_DATA("FLOAT32", "[1,1,1,1]", "1", "1", "1") " CrossChannel=0 LocalSize=0 Alpha=1 Beta=1 Bias=1",
     "DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD: LocalSize is 0, must be at least 1"},
};

static void set_grad(struct operator_case *c, uint32_t across, uint32_t size, float alpha, float beta, float bias) {
    case_set_uint(c, "CrossChannel", across);
    case_set_uint(c, "LocalSize", size);
    case_set_float(c, "Alpha", alpha);
    case_set_float(c, "Beta", beta);
    case_set_float(c, "Bias", bias);
}

static void generate_grad(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 5, 5, 7, 8, 11, UINT32_MAX};
    static const float betas[] = {0.75f, 0.75f, 0.5f, 1, 0.6f, 2, 0, -0.75f};
    static const float alphas[] = {1e-4f, 1, 0.5f, 3, 0, 1e-20f};
    static const float biases[] = {1, 1, 2, 0.1f};
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *gradient = case_tensor(c, "InputGradientTensor");
    struct case_tensor *output = case_tensor(c, "OutputGradientTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = 4;
    generate_sizes(random, generate_budget(random) / 32 + 1, input);
    *output = *gradient = *input;
    const bool across = random_chance(random, 50);
    uint32_t size = RANDOM_OF(random, sizes);
    const uint64_t around = across ? input->sizes[1] : (uint64_t)input->sizes[2] * input->sizes[3];
    if (around > 100 && size > 11) {
        size = 6; /* the reference takes the square of what is around an element */
    }
    set_grad(c, across, size, RANDOM_OF(random, alphas), RANDOM_OF(random, betas), RANDOM_OF(random, biases));
    neighbours_lay_out(random, input, output);
    generate_input_layout(random, gradient);
    gradient->fill = neighbours_fill(random);
    input->fill = random_chance(random, 70) ? CASE_FILL_UNIT : input->fill;
    gradient->fill = random_chance(random, 70) ? CASE_FILL_UNIT : gradient->fill;
    generate_call(random, c);
}

static void make_grad(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const uint32_t fitting = benchmark_size(bytes, type, 55 * 55, 1), channels = fitting < 96 ? fitting : 96;
    const uint32_t batch = benchmark_size(bytes, type, (uint64_t)channels * 55 * 55, 1);
    struct case_tensor shape = {.fill = CASE_FILL_UNIT};
    benchmark_tensor(&shape, type, 4, (const uint32_t[]){batch, channels, 55, 55});
    case_begin(c, DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD);
    *case_tensor(c, "InputTensor") = shape;
    *case_tensor(c, "InputGradientTensor") = shape;
    *case_tensor(c, "OutputGradientTensor") = shape;
    set_grad(c, argument & 1, argument >> 1, 1e-4f, 0.75f, 1);
}

#define GRAD_SUPPORT CASE_SUPPORT(AT_LEVEL(3_1, 4, 4, FLOATS))
static const struct case_tensor_support local_response_normalization_grad_support[] = {
    {"InputTensor", GRAD_SUPPORT}, {"InputGradientTensor", GRAD_SUPPORT}, {"OutputGradientTensor", GRAD_SUPPORT}};

static const struct case_benchmark grad_benchmarks[] = {
    {"across", FLOATS, 1 | 5 << 1, 0, make_grad, NULL},
    {"within", FLOATS, 0 | 5 << 1, 0, make_grad, NULL},
};

CASE_FAMILY(local_response_normalization_grad, LOCAL_RESPONSE_NORMALIZATION_GRAD, .generate = generate_grad,
            .group = "lrn_grad", CASE_BENCHMARKS(grad_benchmarks), .bounds = grad_bounds);
