/* Cases of CONVOLUTION. */
#include <math.h>
#include <string.h>

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/support.h"
#include "cases/terms.h"
#include "harness/case_data.h"

#define MAX_RANK        DML_TENSOR_DIMENSION_COUNT_MAX1
#define MOST_SPATIAL    3
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The fields' places in the descriptor, which are the tensors' slots. */
enum { IN, FILTER, BIAS, OUT, MODE, DIRECTION, DIMENSIONS, STRIDES, DILATIONS, START, END, OUTPUT_PADDING, GROUPS };

static uint32_t word_of(const struct operator_case *c, uint32_t field) {
    return c->fields[field].words[0];
}

static bool is_backward(const struct operator_case *c) {
    return word_of(c, DIRECTION) == DML_CONVOLUTION_DIRECTION_BACKWARD;
}

/* ---- what results may be ---- */

/* Where an output element and an element of the filter meet the input along spatial dimension s; -1: in padding. */
static int64_t place_of(const struct operator_case *c, uint32_t s, int64_t out, int64_t element) {
    const int64_t stride = c->fields[STRIDES].words[s], start = c->fields[START].words[s];
    const int64_t offset = element * c->fields[DILATIONS].words[s];
    const int64_t size = c->tensors[IN].sizes[2 + s];
    int64_t place = out * stride + offset - start;
    if (is_backward(c)) {
        place = out + start - offset;
        place = place % stride == 0 ? place / stride : -1;
    } else if (out >= (int64_t)c->tensors[OUT].sizes[2 + s] - c->fields[OUTPUT_PADDING].words[s]) {
        return -1;
    }
    return place < size ? place : -1;
}

static struct terms terms_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const uint32_t spatial = word_of(c, DIMENSIONS), groups = word_of(c, GROUPS);
    const uint32_t channels = c->tensors[IN].sizes[1] / groups, made = c->tensors[OUT].sizes[1] / groups;
    const uint32_t first = at[1] / made * channels;
    struct case_tensor box = {.rank = spatial};
    struct terms terms = {.depth = channels};
    uint32_t element[MAX_RANK] = {0}, of_input[MAX_RANK] = {at[0]}, of_filter[MAX_RANK] = {0}, of_bias[MAX_RANK] = {0};
    for (uint32_t s = 0; s < spatial; s++) {
        box.sizes[s] = c->tensors[FILTER].sizes[2 + s];
        terms.depth *= box.sizes[s];
    }
    do {
        bool is_there = true;
        for (uint32_t s = 0; s < spatial; s++) {
            const int64_t place = place_of(c, s, at[2 + s], element[s]);
            is_there = is_there && place >= 0;
            of_input[2 + s] = (uint32_t)place;
            of_filter[2 + s] =
                word_of(c, MODE) == DML_CONVOLUTION_MODE_CONVOLUTION ? box.sizes[s] - 1 - element[s] : element[s];
        }
        for (uint32_t i = 0; i < channels; i++) {
            of_input[1] = first + i;
            of_filter[0] = is_backward(c) ? first + i : at[1];
            of_filter[1] = is_backward(c) ? at[1] % made : i;
            const double weight = terms_number(c, tensors, FILTER, of_filter);
            if (is_there) {
                const double product = terms_number(c, tensors, IN, of_input) * weight;
                terms.value += product;
                terms.magnitudes += fabs(product);
            }
            terms.is_open = terms.is_open || (!is_there && !isfinite(weight)); /* times 0, or nothing */
        }
    } while (case_next_coordinates(&box, element));
    terms.largest = terms.magnitudes;
    if (c->fields[BIAS].present) {
        of_bias[1] = at[1];
        const double bias = terms_number(c, tensors, BIAS, of_bias);
        terms.value += bias;
        terms.magnitudes += fabs(bias);
    }
    return terms;
}

static struct accuracy_bounds convolution_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                                 const uint32_t *at) {
    const struct terms t = terms_at(c, tensors, at);
    return terms_bounds(c, &t, (t.depth + 6) * 0x1p-24 * t.magnitudes + (2 * t.depth + 4) * 0x1p-126);
}

static struct accuracy_exact convolution_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                               const uint32_t *at) {
    const struct terms t = terms_at(c, tensors, at);
    return terms_exact(c, &t);
}

/* ---- random cases ---- */

/* Of a convolution, a word per spatial dimension. */
struct shape {
    uint32_t spatial, batches, groups, channels, made; /* channels in a group: of the input and the output */
    uint32_t filter[MOST_SPATIAL], strides[MOST_SPATIAL], dilations[MOST_SPATIAL];
    uint32_t start[MOST_SPATIAL], end[MOST_SPATIAL], output_padding[MOST_SPATIAL];
    uint32_t places[MOST_SPATIAL]; /* where the filter is put: of the output, or backward of the input */
    uint32_t left_over;            /* elements of the input behind the last place, below the strides */
    bool is_backward;
};

static uint32_t reach_of(const struct shape *shape, uint32_t s) {
    return (shape->filter[s] - 1) * shape->dilations[s] + 1;
}

/* What padding is taken from, or added to. */
static uint32_t whole_of(const struct shape *shape, uint32_t s) {
    const uint32_t left_over = shape->left_over % shape->strides[s];
    return (shape->places[s] - 1) * shape->strides[s] + reach_of(shape, s) +
           (shape->is_backward ? shape->output_padding[s] : left_over);
}

static void set_shape(struct operator_case *c, DML_TENSOR_DATA_TYPE type, const struct shape *shape) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *filter = case_tensor(c, "FilterTensor"),
                       *output = case_tensor(c, "OutputTensor");
    struct case_tensor *const all[] = {input, filter, output};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        all[i]->type = type;
        all[i]->rank = 2 + shape->spatial;
    }
    input->sizes[0] = output->sizes[0] = shape->batches;
    input->sizes[1] = shape->groups * shape->channels;
    output->sizes[1] = shape->groups * shape->made;
    filter->sizes[0] = shape->is_backward ? input->sizes[1] : output->sizes[1];
    filter->sizes[1] = shape->is_backward ? shape->made : shape->channels;
    for (uint32_t s = 0; s < shape->spatial; s++) {
        const uint32_t kept = whole_of(shape, s) - shape->start[s] - shape->end[s];
        input->sizes[2 + s] = shape->is_backward ? shape->places[s] : kept;
        output->sizes[2 + s] = shape->is_backward ? kept : shape->places[s] + shape->output_padding[s];
        filter->sizes[2 + s] = shape->filter[s];
    }
    case_set_uint(c, "Direction",
                  shape->is_backward ? DML_CONVOLUTION_DIRECTION_BACKWARD : DML_CONVOLUTION_DIRECTION_FORWARD);
    case_set_uint(c, "DimensionCount", shape->spatial);
    case_set(c, "Strides", shape->spatial, shape->strides);
    case_set(c, "Dilations", shape->spatial, shape->dilations);
    case_set(c, "StartPadding", shape->spatial, shape->start);
    case_set(c, "EndPadding", shape->spatial, shape->end);
    case_set(c, "OutputPadding", shape->spatial, shape->output_padding);
    case_set_uint(c, "GroupCount", shape->groups);
}

static void choose_padding(struct random *random, struct shape *shape) {
    const uint32_t kind = random_below(random, 3);
    for (uint32_t s = 0; s < shape->spatial; s++) {
        const uint32_t reach = reach_of(shape, s);
        shape->output_padding[s] =
            random_chance(random, shape->is_backward ? 30 : 8) ? random_between(random, 1, shape->strides[s] + 1) : 0;
        if (kind == 1) { /* as many places as elements */
            shape->start[s] = (reach - 1) / 2;
            shape->end[s] = reach / 2;
        } else if (kind == 2) {
            shape->start[s] = random_below(random, reach + 2);
            shape->end[s] = random_below(random, reach + 2);
        }
        if (shape->start[s] + shape->end[s] >= whole_of(shape, s)) {
            shape->start[s] = shape->end[s] = 0;
        }
    }
}

/* What is left of a number of products, one at least. */
static uint32_t spend(uint32_t left, uint32_t by) {
    return left < by ? 1 : left / by;
}

static struct shape choose_shape(struct random *random) {
    static const uint32_t filters[] = {1, 1, 1, 2, 3, 3, 3, 3, 4, 5, 7, 11};
    static const uint32_t steps[] = {1, 1, 1, 1, 2, 2, 3, 5}, dilations[] = {1, 1, 1, 1, 2, 2, 3, 7};
    struct shape shape = {.spatial = random_between(random, 1, 3), .groups = 1, .channels = 1, .made = 1};
    uint32_t left = 16 * generate_budget(random); /* products */
    uint32_t order[2 + MOST_SPATIAL];
    uint32_t *const sizes[] = {&shape.channels, &shape.made, &shape.places[0], &shape.places[1], &shape.places[2]};
    shape.is_backward = random_chance(random, 40);
    shape.left_over = random_below(random, 5);
    const bool steps_wide = random_chance(random, 50), dilates = random_chance(random, 30);
    for (uint32_t s = 0; s < shape.spatial; s++) {
        const uint32_t size = RANDOM_OF(random, filters);
        shape.filter[s] = size < left ? size : left;
        shape.strides[s] = steps_wide ? RANDOM_OF(random, steps) : 1;
        shape.dilations[s] = dilates ? RANDOM_OF(random, dilations) : 1;
        left = spend(left, shape.filter[s] * shape.strides[s]);
    }
    const bool is_depthwise = random_chance(random, 20);
    if (is_depthwise || random_chance(random, 20)) {
        shape.groups = is_depthwise ? generate_tile_size(random, left) : random_between(random, 2, 5);
        left = spend(left, shape.groups);
    }
    shape.batches = random_chance(random, 40) ? random_between(random, 1, left < 4 ? left : 4) : 1;
    left = spend(left, shape.batches);
    random_permutation(random, 2 + shape.spatial, order);
    for (uint32_t i = 0; i < 2 + shape.spatial; i++) {
        const bool is_channels = order[i] < 2;
        uint32_t *size = sizes[order[i]];
        *size = is_depthwise && is_channels ? 1 : generate_tile_size(random, left);
        left = spend(left, *size);
    }
    shape.made *= is_depthwise && random_chance(random, 30) ? 2 : 1;
    choose_padding(random, &shape);
    return shape;
}

static void generate_convolution(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_UNIT, CASE_FILL_UNIT, CASE_FILL_SMALL, CASE_FILL_BITS,
                                           CASE_FILL_SPECIAL};
    case_begin(c, family->type);
    const struct shape shape = choose_shape(random);
    const DML_TENSOR_DATA_TYPE type = generate_type(random, c, "InputTensor");
    set_shape(c, type, &shape);
    case_set_uint(c, "Mode",
                  random_chance(random, 70) ? DML_CONVOLUTION_MODE_CROSS_CORRELATION
                                            : DML_CONVOLUTION_MODE_CONVOLUTION);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *filter = case_tensor(c, "FilterTensor");
    input->fill = RANDOM_OF(random, fills);
    filter->fill = input->fill == CASE_FILL_SPECIAL ? CASE_FILL_UNIT : input->fill;
    generate_input_layout(random, input);
    generate_input_layout(random, filter);
    if (random_chance(random, 50)) {
        struct case_tensor *bias = case_tensor(c, "BiasTensor");
        bias->type = type;
        bias->rank = input->rank;
        for (uint32_t d = 0; d < bias->rank; d++) {
            bias->sizes[d] = d == 1 ? shape.groups * shape.made : 1;
        }
        bias->fill = CASE_FILL_UNIT;
        generate_input_layout(random, bias);
    }
    generate_output_layout(random, case_tensor(c, "OutputTensor"));
    if (random_chance(random, 30)) {
        terms_fuse(random, c);
    }
    generate_call(random, c);
}

#define CONVOLUTION_SUPPORT CASE_SUPPORT(AT_LEVEL(1_0, 4, 5, FLOATS), AT_LEVEL(4_0, 3, 5, FLOATS))
static const struct case_tensor_support convolution_support[] = {{"InputTensor", CONVOLUTION_SUPPORT},
                                                                 {"FilterTensor", CONVOLUTION_SUPPORT},
                                                                 {"BiasTensor", CONVOLUTION_SUPPORT},
                                                                 {"OutputTensor", CONVOLUTION_SUPPORT}};

#define CONVOLUTION "CONVOLUTION "
#define FORWARD     " Mode=CROSS_CORRELATION Direction=FORWARD"
#define TURNED      " Mode=CONVOLUTION Direction=FORWARD"
#define BACKWARD    " Mode=CROSS_CORRELATION Direction=BACKWARD"
#define ARRAYS(count, strides, dilations, start, end, output, groups)                                                  \
    " DimensionCount=" count " Strides=" strides " Dilations=" dilations " StartPadding=" start " EndPadding=" end     \
    " OutputPadding=" output " GroupCount=" groups
#define PLAIN ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "0,0", "1")
static const char *const convolution_fixed[] = {
    /* A level's oldest form. */
    CONVOLUTION "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,4,5,6,7,8,9 FilterTensor=FLOAT32[1,1,2,2] "
                "FilterTensor.data=1,2,3,4 OutputTensor=FLOAT32[1,1,2,2] OutputTensor.data=37,47,67,77" FORWARD PLAIN,
};

#define REFUSED(input, filter, output)                                                                                 \
    CONVOLUTION "InputTensor=FLOAT32" input " FilterTensor=FLOAT32" filter " OutputTensor=FLOAT32" output
static const struct case_refusal convolution_refused[] = {
    {REFUSED("[1,1,3,3]", "[1,1,2,2]", "[1,1,2,3]") FORWARD PLAIN,
     "DML_OPERATOR_CONVOLUTION: OutputTensor.Sizes[3] is 3, must be 2 = 2 places of the filter + OutputPadding[1] (0)"},
};

const struct case_family vkdml_cases_convolution = {
    .type = DML_OPERATOR_CONVOLUTION,
    .support = convolution_support,
    .support_count = COUNT_OF(convolution_support),
    .fixed = convolution_fixed,
    .fixed_count = COUNT_OF(convolution_fixed),
    .has_frame = true,
    .refused = convolution_refused,
    .refused_count = COUNT_OF(convolution_refused),
    .generate = generate_convolution,
    .bounds = convolution_bounds,
    .exact = convolution_exact,
};
