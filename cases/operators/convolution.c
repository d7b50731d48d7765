/* Cases of CONVOLUTION. */
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/operators/convolution.h"
#include "cases/support.h"
#include "cases/terms.h"

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
    const int64_t reach = (int64_t)(c->tensors[FILTER].sizes[2 + s] - 1) * c->fields[DILATIONS].words[s];
    int64_t place = out * stride + offset - start;
    if (is_backward(c)) {
        place = out + start - offset;
        place = place % stride == 0 ? place / stride : -1;
    } else if (out >= (int64_t)c->tensors[OUT].sizes[2 + s] - c->fields[OUTPUT_PADDING].words[s] &&
               out * stride + reach >= size + start + c->fields[END].words[s]) {
        return -1; /* a zero of OutputPadding, where the filter does not fit any more */
    }
    return place < size ? place : -1;
}

static struct terms terms_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const uint32_t spatial = word_of(c, DIMENSIONS), groups = word_of(c, GROUPS);
    const uint32_t channels = c->tensors[IN].sizes[1] / groups, made = c->tensors[OUT].sizes[1] / groups;
    const uint32_t first = at[1] / made * channels;
    struct case_tensor box = {.rank = spatial};
    struct terms terms = {.depth = channels};
    uint32_t element[CASE_MAX_RANK] = {0}, of_input[CASE_MAX_RANK] = {at[0]}, of_filter[CASE_MAX_RANK] = {0},
             of_bias[CASE_MAX_RANK] = {0};
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
            const double weight = case_number(c, tensors, FILTER, of_filter);
            if (is_there) {
                const double factors[] = {case_number(c, tensors, IN, of_input), weight};
                terms_add_product(c, &terms, (const uint32_t[]){IN, FILTER}, factors);
            }
            terms.is_open = terms.is_open || (!is_there && !isfinite(weight)); /* times 0, or nothing */
        }
    } while (case_next_coordinates(&box, element));
    terms.largest = terms.magnitudes;
    if (c->fields[BIAS].present) {
        of_bias[1] = at[1];
        terms_add(c, &terms, BIAS, case_number(c, tensors, BIAS, of_bias), 1);
    }
    return terms;
}

static struct accuracy_bounds convolution_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                                 const uint32_t *at) {
    const struct terms t = terms_at(c, tensors, at);
    return terms_bounds(c, &t, accuracy_of_terms(c, t.depth) * t.magnitudes + (2 * t.depth + 4) * 0x1p-126);
}

static struct accuracy_exact convolution_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                               const uint32_t *at) {
    const struct terms t = terms_at(c, tensors, at);
    return terms_exact(c, &t);
}

/* ---- random cases ---- */

static uint32_t reach_of(const struct convolution_shape *shape, uint32_t s) {
    return (shape->filter[s] - 1) * shape->dilations[s] + 1;
}

/* What padding is taken from, or added to. */
static uint32_t whole_of(const struct convolution_shape *shape, uint32_t s) {
    const uint32_t left_over = shape->left_over % shape->strides[s];
    return (shape->places[s] - 1) * shape->strides[s] + reach_of(shape, s) +
           (shape->is_backward ? shape->output_padding[s] : left_over);
}

void convolution_set_shape(struct operator_case *c, DML_TENSOR_DATA_TYPE type, const struct convolution_shape *shape) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *filter = case_tensor(c, "FilterTensor"),
                       *output = case_tensor(c, "OutputTensor");
    struct case_tensor *const all[] = {input, filter, output};
    for (size_t i = 0; i < CASE_COUNT(all); i++) {
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
    if (case_has(c, "Direction")) {
        case_set_uint(c, "Direction",
                      shape->is_backward ? DML_CONVOLUTION_DIRECTION_BACKWARD : DML_CONVOLUTION_DIRECTION_FORWARD);
        case_set(c, "OutputPadding", shape->spatial, shape->output_padding);
    }
    case_set_uint(c, "DimensionCount", shape->spatial);
    case_set(c, "Strides", shape->spatial, shape->strides);
    case_set(c, "Dilations", shape->spatial, shape->dilations);
    case_set(c, "StartPadding", shape->spatial, shape->start);
    case_set(c, "EndPadding", shape->spatial, shape->end);
    case_set_uint(c, "GroupCount", shape->groups);
}

static void choose_padding(struct random *random, bool is_plain, struct convolution_shape *shape) {
    const uint32_t kind = random_below(random, 3);
    for (uint32_t s = 0; s < shape->spatial; s++) {
        const uint32_t reach = reach_of(shape, s);
        shape->output_padding[s] = !is_plain && random_chance(random, shape->is_backward ? 30 : 8)
                                       ? random_between(random, 1, shape->strides[s] + 1)
                                       : 0;
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

struct convolution_shape convolution_choose_shape(struct random *random, bool is_plain) {
    static const uint32_t filters[] = {1, 1, 1, 2, 3, 3, 3, 3, 4, 5, 7, 11};
    static const uint32_t steps[] = {1, 1, 1, 1, 2, 2, 2, 3, 3, 5, 19}, dilations[] = {1, 1, 1, 1, 2, 2, 3, 7};
    struct convolution_shape shape = {
        .spatial = random_between(random, 1, is_plain ? 2 : 3), .groups = 1, .channels = 1, .made = 1};
    uint32_t left = 16 * generate_budget(random); /* products */
    uint32_t order[2 + CONVOLUTION_SPATIAL];
    uint32_t *const sizes[] = {&shape.channels, &shape.made, &shape.places[0], &shape.places[1], &shape.places[2]};
    shape.is_backward = !is_plain && random_chance(random, 40);
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
    choose_padding(random, is_plain, &shape);
    return shape;
}

void convolution_choose_any_size(struct random *random, struct case_tensor *output) {
    for (uint32_t d = 2; d < output->rank; d++) {
        const uint32_t size = output->sizes[d];
        output->sizes[d] = random_between(random, 1, size < 4 ? size + 3 : 2 * size);
    }
}

static void generate_convolution(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_UNIT, CASE_FILL_UNIT, CASE_FILL_SMALL, CASE_FILL_BITS,
                                           CASE_FILL_SPECIAL};
    case_begin(c, family->type);
    const struct convolution_shape shape = convolution_choose_shape(random, false);
    const DML_TENSOR_DATA_TYPE type = generate_type(random, c, "InputTensor");
    convolution_set_shape(c, type, &shape);
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
    if (random_chance(random, 10)) {
        convolution_choose_any_size(random, case_tensor(c, "OutputTensor"));
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

#define CONVOLUTION     "CONVOLUTION "
#define FORWARD         " Mode=CROSS_CORRELATION Direction=FORWARD"
#define TURNED          " Mode=CONVOLUTION Direction=FORWARD"
#define BACKWARD        " Mode=CROSS_CORRELATION Direction=BACKWARD"
#define TURNED_BACKWARD " Mode=CONVOLUTION Direction=BACKWARD"
#define ARRAYS(count, strides, dilations, start, end, output, groups)                                                  \
    " DimensionCount=" count " Strides=" strides " Dilations=" dilations " StartPadding=" start " EndPadding=" end     \
    " OutputPadding=" output " GroupCount=" groups
/* Of one group without padding, and with it. */
#define PLAIN      ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "0,0", "1")
#define PADDED(by) ARRAYS("2", "1,1", "1,1", by, by, "0,0", "1")
#define PICTURE                                                                                                        \
    "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,4,5,6,7,8,9 FilterTensor=FLOAT32[1,1,2,2] "                   \
    "FilterTensor.data=1,2,3,4 "
#define SPREAD                                                                                                         \
    "InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,2,3,4 FilterTensor=FLOAT32[1,1,2,2] FilterTensor.data=5,6,7,8 "
#define POINT "InputTensor=FLOAT32[1,1,1] InputTensor.data=3 "
#define RANDOM(seed, type, input, filter, output)                                                                      \
    CONVOLUTION "seed=" seed " InputTensor=" type input " InputTensor.fill=UNIT FilterTensor=" type filter             \
                " FilterTensor.fill=UNIT OutputTensor=" type output
/* Functions of the elements themselves. */
#define FUSED(seed, type, activation)                                                                                  \
    CONVOLUTION "seed=" seed " InputTensor=" type "[1,1,10,30] InputTensor.fill=UNIT FilterTensor=" type               \
                "[1,1,1,1] FilterTensor.data=1 OutputTensor=" type "[1,1,10,30]" FORWARD PLAIN                         \
                " FusedActivation=" activation
static const char *const convolution_fixed[] = {
    CONVOLUTION PICTURE "OutputTensor=FLOAT32[1,1,2,2] OutputTensor.data=37,47,67,77" FORWARD PLAIN,
    CONVOLUTION PICTURE "OutputTensor=FLOAT32[1,1,2,2] OutputTensor.data=23,33,53,63" TURNED PLAIN,
    /* Padding at one end of each dimension, the bias, and what is made of it. */
    CONVOLUTION PICTURE "BiasTensor=FLOAT32[1,1,1,1] BiasTensor.data=-30 OutputTensor=FLOAT32[1,1,3,3] "
                        "OutputTensor.data=0,0,0,7,17,0,37,47,3" FORWARD ARRAYS("2", "1,1", "1,1", "1,0", "0,1", "0,0",
                                                                                "1") " FusedActivation=RELU",
    /* A line, every second element of it, in steps of 2. */
    CONVOLUTION "InputTensor=FLOAT16[1,1,6] InputTensor.data=1,2,3,4,5,6 FilterTensor=FLOAT16[1,1,2] "
                "FilterTensor.data=1,10 OutputTensor=FLOAT16[1,1,3] OutputTensor.data=20,42,64" FORWARD ARRAYS(
                    "1", "2", "2", "1", "0", "0", "1"),
    /* A volume, of which every second place counts. */
    CONVOLUTION "InputTensor=FLOAT32[1,1,2,1,4] InputTensor.data=1,2,3,4,5,6,7,8 FilterTensor=FLOAT32[1,1,2,1,1] "
                "FilterTensor.data=1,10 OutputTensor=FLOAT32[1,1,1,1,2] OutputTensor.data=51,73" FORWARD ARRAYS(
                    "3", "1,1,2", "1,1,1", "0,0,0", "0,0,0", "0,0,0", "1"),
    /* Two groups, of two channels each onto one; then of one channel onto two. */
    CONVOLUTION
    "InputTensor=FLOAT32[1,4,1,1] InputTensor.data=1,2,3,4 FilterTensor=FLOAT32[2,2,1,1] "
    "FilterTensor.data=1,10,100,1000 OutputTensor=FLOAT32[1,2,1,1] OutputTensor.data=21,4300" FORWARD ARRAYS(
        "2", "1,1", "1,1", "0,0", "0,0", "0,0", "2"),
    CONVOLUTION
    "InputTensor=FLOAT32[1,2,1,2] InputTensor.data=1,2,3,4 FilterTensor=FLOAT32[4,1,1,1] "
    "FilterTensor.data=1,10,100,1000 OutputTensor=FLOAT32[1,4,1,2] "
    "OutputTensor.data=1,2,10,20,300,400,3000,4000" FORWARD ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "0,0", "2"),
    /* Elements behind the last place have the bias alone, though the filter would reach the input there. */
    CONVOLUTION
    "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=1,2,3,4 FilterTensor=FLOAT32[1,1,1,2] "
    "FilterTensor.data=1,1 BiasTensor=FLOAT32[1,1,1,1] BiasTensor.data=0.5 OutputTensor=FLOAT32[1,1,2,4] "
    "OutputTensor.data=3.5,5.5,7.5,0.5,0.5,0.5,0.5,0.5" FORWARD ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "1,1", "1"),
    /* An output without place for OutputPadding's zeros, as for gradients of transposed convolutions: no zeros. */
    CONVOLUTION
    "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=1,2,3,4 FilterTensor=FLOAT32[1,1,1,2] "
    "FilterTensor.data=1,1 OutputTensor=FLOAT32[1,1,1,3] OutputTensor.data=3,5,7" FORWARD ARRAYS(
        "2", "1,1", "1,1", "0,0", "0,0", "0,1", "1"),
    /* Transposed: apart, one above the other, cut, turned, and with more at the ends. */
    CONVOLUTION SPREAD "OutputTensor=FLOAT32[1,1,4,4] OutputTensor.data=5,6,10,12,7,8,14,16,15,18,20,24,21,24,28,"
                       "32" BACKWARD ARRAYS("2", "2,2", "1,1", "0,0", "0,0", "0,0", "1"),
    CONVOLUTION SPREAD "OutputTensor=FLOAT32[1,1,3,3] OutputTensor.data=5,16,12,22,60,40,21,52,32" BACKWARD PLAIN,
    CONVOLUTION SPREAD "OutputTensor=FLOAT32[1,1,3,1] OutputTensor.data=16,60,52" BACKWARD PADDED("0,1"),
    CONVOLUTION SPREAD
    "OutputTensor=FLOAT32[1,1,3,3] OutputTensor.data=8,23,14,30,70,38,18,39,20" TURNED_BACKWARD PLAIN,
    CONVOLUTION SPREAD "BiasTensor=FLOAT32[1,1,1,1] BiasTensor.data=0.5 OutputTensor=FLOAT32[1,1,3,4] "
                       "OutputTensor.data=5.5,16.5,12.5,0.5,22.5,60.5,40.5,0.5,21.5,52.5,32.5,0.5" BACKWARD ARRAYS(
                           "2", "1,1", "1,1", "0,0", "0,0", "0,1", "1"),
    /* What end padding cuts off and output padding brings back. */
    CONVOLUTION SPREAD "OutputTensor=FLOAT32[1,1,3,3] OutputTensor.data=5,16,12,22,60,40,21,52,32" BACKWARD ARRAYS(
        "2", "1,1", "1,1", "0,0", "1,1", "1,1", "1"),
    /* Two groups, of two channels onto one, and of one onto two. */
    CONVOLUTION "InputTensor=FLOAT32[1,4,1,1] InputTensor.data=1,2,3,4 FilterTensor=FLOAT32[4,1,1,2] "
                "FilterTensor.data=1,2,10,20,100,200,1000,2000 OutputTensor=FLOAT32[1,2,1,2] "
                "OutputTensor.data=21,42,4300,8600" BACKWARD ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "0,0", "2"),
    CONVOLUTION
    "InputTensor=FLOAT32[1,2,1,1] InputTensor.data=1,2 FilterTensor=FLOAT32[2,2,1,1] "
    "FilterTensor.data=1,10,100,1000 OutputTensor=FLOAT32[1,4,1,1] OutputTensor.data=1,10,200,2000" BACKWARD ARRAYS(
        "2", "1,1", "1,1", "0,0", "0,0", "0,0", "2"),
    /* Places that nothing reaches. */
    CONVOLUTION "InputTensor=FLOAT16[1,1,3] InputTensor.data=1,2,3 FilterTensor=FLOAT16[1,1,2] FilterTensor.data=1,10 "
                "OutputTensor=FLOAT16[1,1,9] OutputTensor.data=1,0,10,2,0,20,3,0,30" BACKWARD ARRAYS("1", "3", "2", "0",
                                                                                                     "0", "0", "1"),
    /* Every other row begins within words. */
    RANDOM("1", "FLOAT16", "[1,2,2,4]", "[2,2,2,1]", "[1,2,4,4] OutputTensor.strides=48,24,6,1")
        BACKWARD ARRAYS("2", "2,1", "1,1", "0,0", "0,0", "0,0", "1"),
    /* Steps far beyond both. */
    CONVOLUTION POINT "FilterTensor=FLOAT32[1,1,1] FilterTensor.data=5 OutputTensor=FLOAT32[1,1,2] "
                      "OutputTensor.data=0,15" FORWARD ARRAYS("1", "1000000000", "1", "1000000000", "0", "0", "1"),
    CONVOLUTION POINT "FilterTensor=FLOAT32[1,1,2] FilterTensor.data=5,7 OutputTensor=FLOAT32[1,1,1] "
                      "OutputTensor.data=21" FORWARD ARRAYS("1", "4294967295", "500000000", "500000000", "0", "0", "1"),
    CONVOLUTION POINT
    "FilterTensor=FLOAT32[1,1,2] FilterTensor.data=5,7 OutputTensor=FLOAT32[1,1,1] "
    "OutputTensor.data=21" BACKWARD ARRAYS("1", "4294967295", "500000000", "500000000", "0", "0", "1"),
    CONVOLUTION "InputTensor=FLOAT32[1,1,2] InputTensor.data=3,4 FilterTensor=FLOAT32[1,1,1] FilterTensor.data=5 "
                "OutputTensor=FLOAT32[1,1,1] OutputTensor.data=20" BACKWARD ARRAYS("1", "1000000000", "4294967295",
                                                                                   "1000000000", "0", "0", "1"),
    /* Infinities and NaN stay where they are reached. */
    CONVOLUTION
    "InputTensor=FLOAT32[1,1,1,5] InputTensor.data=inf,1,1,1,nan FilterTensor=FLOAT32[1,1,1,2] "
    "FilterTensor.data=1,-1 OutputTensor=FLOAT32[1,1,1,6] OutputTensor.data=-inf,inf,0,0,nan,nan" FORWARD PADDED("0,1"),
    /* Sums of FLOAT16 products stay FLOAT32 until the end. */
    CONVOLUTION "InputTensor=FLOAT16[1,3,1,1] InputTensor.data=60000,60000,-60000 FilterTensor=FLOAT16[1,3,1,1] "
                "FilterTensor.data=1,1,1 OutputTensor=FLOAT16[1,1,1,1] OutputTensor.data=60000" FORWARD PLAIN,
    /* One bias for all channels. */
    CONVOLUTION "InputTensor=FLOAT32[1,1,1,1] InputTensor.data=2 FilterTensor=FLOAT32[3,1,1,1] FilterTensor.data=1,2,3 "
                "BiasTensor=FLOAT32[1,3,1,1] BiasTensor.strides=0,0,0,0 BiasTensor.data=1,1,1 "
                "OutputTensor=FLOAT32[1,3,1,1] OutputTensor.data=3,5,7" FORWARD PLAIN,
    /* Whole tiles, what is beyond, and shapes of networks. */
    RANDOM("1", "FLOAT32", "[1,64,16,16]", "[128,64,1,1]", "[1,128,16,16]") FORWARD PLAIN,
    RANDOM("2", "FLOAT16", "[2,32,8,8]", "[64,32,3,3]", "[2,64,8,8]") FORWARD PADDED("1,1"),
    RANDOM("3", "FLOAT32", "[3,17,13,11]", "[33,17,3,3]", "[3,33,13,11]") FORWARD PADDED("1,1"),
    RANDOM("4", "FLOAT32", "[1,3,56,56]", "[32,3,7,7]", "[1,32,28,28]")
        FORWARD ARRAYS("2", "2,2", "1,1", "3,3", "3,3", "0,0", "1"),
    RANDOM("5", "FLOAT16", "[1,24,29,29]", "[40,24,3,3]", "[1,40,15,15]")
        FORWARD ARRAYS("2", "2,2", "1,1", "1,1", "1,1", "0,0", "1"),
    RANDOM("6", "FLOAT32", "[2,19,28,28]", "[19,1,3,3]", "[2,19,28,28]")
        FORWARD ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "0,0", "19"),
    RANDOM("7", "FLOAT16", "[1,24,17,31]", "[48,1,5,5]", "[1,48,9,16]")
        FORWARD ARRAYS("2", "2,2", "1,1", "2,2", "2,2", "0,0", "24"),
    RANDOM("8", "FLOAT32", "[1,24,14,14]", "[32,6,3,3]", "[1,32,14,14]")
        FORWARD ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "0,0", "4"),
    RANDOM("9", "FLOAT32", "[1,8,33,35]", "[16,8,3,3]", "[1,16,25,33]")
        FORWARD ARRAYS("2", "1,1", "5,2", "1,1", "1,1", "0,0", "1"),
    RANDOM("10", "FLOAT16", "[2,6,5,9,7]", "[10,6,3,2,3]", "[2,10,5,8,4]")
        FORWARD ARRAYS("3", "1,1,2", "1,1,1", "1,0,1", "1,0,1", "0,0,0", "1"),
    RANDOM("11", "FLOAT32", "[2,40,200]", "[36,40,9]", "[2,36,200]") TURNED ARRAYS("1", "1", "1", "4", "4", "0", "1"),
    RANDOM("12", "FLOAT32", "[1,32,9,10]", "[32,24,4,4]", "[1,24,18,20]")
        BACKWARD ARRAYS("2", "2,2", "1,1", "1,1", "1,1", "0,0", "1"),
    RANDOM("13", "FLOAT16", "[2,18,7,5]", "[18,5,3,3]", "[2,15,14,10]")
        BACKWARD ARRAYS("2", "2,2", "1,1", "1,1", "1,1", "1,1", "3"),
    RANDOM("14", "FLOAT32", "[1,7,11,13]", "[7,1,4,4]", "[1,7,22,26]")
        BACKWARD ARRAYS("2", "2,2", "1,1", "1,1", "1,1", "0,0", "7"),
    RANDOM("15", "FLOAT32", "[1,6,3,4,5]", "[6,8,2,3,2]", "[1,8,6,6,9]")
        TURNED_BACKWARD ARRAYS("3", "2,1,1", "1,1,4", "0,0,0", "0,0,0", "0,0,0", "1"),
    /* Strides with so many phases that inputs are found by division, of one dimension or all. */
    RANDOM("20", "FLOAT32", "[1,3,3]", "[3,2,5]", "[1,2,609]") BACKWARD ARRAYS("1", "300", "2", "0", "0", "0", "1"),
    RANDOM("21", "FLOAT16", "[1,4,2,3]", "[4,2,2,50]", "[1,4,29,85]")
        TURNED_BACKWARD ARRAYS("2", "29,17", "2,1", "3,1", "0,0", "0,2", "2"),
    RANDOM("22", "FLOAT32", "[1,2,2,2]", "[2,3,3,4]", "[1,3,602,907]")
        BACKWARD ARRAYS("2", "600,900", "1,2", "0,0", "1,0", "0,0", "1"),
    /* Long sums, and thin ones. */
    RANDOM("16", "FLOAT32", "[1,700,3,3]", "[5,700,3,3]", "[1,5,1,1]") FORWARD PLAIN,
    RANDOM("17", "FLOAT16", "[1,2000,3,3]", "[3,2000,3,3]", "[1,3,3,3]") FORWARD PADDED("1,1"),
    RANDOM("18", "FLOAT32", "[1,1,300,400]", "[1,1,3,3]", "[1,1,298,398]") FORWARD PLAIN,
    RANDOM("19", "FLOAT32", "[1,1,20,20]", "[300,1,3,3]", "[1,300,18,18]") FORWARD PLAIN,
    RANDOM("60", "FLOAT32", "[1,3,70,70]", "[2,3,65,67]", "[1,2,6,4]") FORWARD PLAIN,
    /* Channels side by side. */
    CONVOLUTION "seed=61 InputTensor=FLOAT32[2,32,9,10] InputTensor.strides=2880,1,320,32 InputTensor.fill=UNIT "
                "FilterTensor=FLOAT32[48,32,3,3] FilterTensor.strides=288,1,96,32 FilterTensor.fill=UNIT "
                "BiasTensor=FLOAT32[1,48,1,1] BiasTensor.fill=UNIT OutputTensor=FLOAT32[2,48,9,10] "
                "OutputTensor.strides=4320,1,480,48" FORWARD PADDED("1,1"),
    CONVOLUTION "seed=62 InputTensor=FLOAT16[1,16,9,10] InputTensor.strides=1440,1,160,16 InputTensor.fill=UNIT "
                "FilterTensor=FLOAT16[16,1,3,3] FilterTensor.fill=UNIT OutputTensor=FLOAT16[1,16,9,10] "
                "OutputTensor.strides=1440,1,160,16" FORWARD ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "0,0", "16"),
    /* One picture for all, and one filter. */
    CONVOLUTION "seed=63 InputTensor=FLOAT32[3,16,9,10] InputTensor.strides=0,90,10,1 InputTensor.fill=UNIT "
                "FilterTensor=FLOAT32[20,16,3,3] FilterTensor.strides=0,9,3,1 FilterTensor.fill=UNIT "
                "OutputTensor=FLOAT32[3,20,9,10]" FORWARD PADDED("1,1"),
    /* Outputs smaller and larger than the formula says: gradients of a filter and of an input by torch-directml. */
    RANDOM("64", "FLOAT32", "[4,2,4,4]", "[6,2,2,2]", "[4,6,1,1]")
        FORWARD ARRAYS("2", "1,1", "2,2", "0,0", "0,0", "0,0", "1"),
    RANDOM("65", "FLOAT32", "[2,6,2,2]", "[6,4,1,1]", "[2,4,4,4]")
        BACKWARD ARRAYS("2", "2,2", "1,1", "0,0", "0,0", "0,0", "1"),
    /* .. a filter that is larger than the input, and outputs of which some see padding alone */
    RANDOM("66", "FLOAT16", "[1,3,4,4]", "[2,3,6,6]", "[1,2,3,7]") FORWARD PLAIN,
    RANDOM("67", "FLOAT32", "[1,2,2,2]", "[2,3,2,2]", "[1,3,2,9]") BACKWARD PADDED("3,3"),
    CONVOLUTION "InputTensor=FLOAT32[1,1,4] InputTensor.data=1,2,3,4 FilterTensor=FLOAT32[1,1,2] "
                "FilterTensor.data=1,10 OutputTensor=FLOAT32[1,1,7] OutputTensor.data=10,21,32,43,4,0,0" FORWARD ARRAYS(
                    "1", "1", "1", "1", "0", "0", "1"),
    CONVOLUTION
    "InputTensor=FLOAT32[1,1,2] InputTensor.data=1,2 FilterTensor=FLOAT32[1,1,2] FilterTensor.data=1,10 "
    "OutputTensor=FLOAT32[1,1,6] OutputTensor.data=1,10,2,20,0,0" BACKWARD ARRAYS("1", "2", "1", "0", "0", "0", "1"),
    CONVOLUTION "InputTensor=FLOAT32[1,1,2] InputTensor.data=1,2 FilterTensor=FLOAT32[1,1,2] FilterTensor.data=1,10 "
                "OutputTensor=FLOAT32[1,1,2] OutputTensor.data=10,2" BACKWARD ARRAYS("1", "2", "1", "1", "0", "0", "1"),
    /* .. with strides, dilations, groups, three dimensions and a bias, and depthwise */
    RANDOM("68", "FLOAT16", "[2,8,9,7]", "[12,4,3,2]", "[2,12,7,2] BiasTensor=FLOAT16[1,12,1,1] BiasTensor.fill=UNIT")
        FORWARD ARRAYS("2", "2,3", "1,2", "1,2", "0,1", "0,0", "2"),
    RANDOM("69", "FLOAT32", "[1,12,5,3]", "[12,4,3,2]", "[1,8,13,4]")
        TURNED_BACKWARD ARRAYS("2", "2,3", "1,2", "1,2", "0,1", "1,0", "2"),
    RANDOM("70", "FLOAT32", "[1,16,9,9]", "[16,1,3,3]", "[1,16,12,6]")
        FORWARD ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "0,0", "16"),
    RANDOM("71", "FLOAT16", "[1,16,9,9]", "[16,1,3,3]", "[1,16,6,23]")
        BACKWARD ARRAYS("2", "1,2", "1,1", "1,1", "1,1", "0,0", "16"),
    RANDOM("72", "FLOAT32", "[1,3,4,3,5]", "[4,3,2,2,3]", "[1,4,2,5,1]")
        FORWARD ARRAYS("3", "1,1,2", "1,1,1", "0,1,0", "0,0,0", "0,0,0", "1"),
    RANDOM("73", "FLOAT32", "[1,16,14,14]", "[16,16,3,3]", "[1,16,20,17]") FORWARD PADDED("1,1"),
    /* .. with OutputPadding, whose zeros are the last outputs, but only beyond the places of the filter */
    RANDOM("74", "FLOAT32", "[1,2,5,5]", "[3,2,2,2]", "[1,3,3,7]")
        FORWARD ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "5,1", "1"),
    /* .. with a filter that vkdml keeps */
    RANDOM("75", "FLOAT32", "[1,6,5,4]", "[6,5,3,3] FilterTensor.owned=1", "[1,5,7,12]")
        BACKWARD ARRAYS("2", "2,2", "1,1", "1,1", "1,1", "0,0", "1"),
    /* All that may be fused. */
    TERMS_FUSED(FUSED),
};

static const char *const convolution_repeated[] = {
    RANDOM("1", "FLOAT32", "[1,500,6,6]", "[40,500,3,3]", "[1,40,6,6]") FORWARD PADDED("1,1"),
    RANDOM("2", "FLOAT16", "[2,70,9,9]", "[70,36,4,4]", "[2,36,18,18]")
        BACKWARD ARRAYS("2", "2,2", "1,1", "1,1", "1,1", "0,0", "1"),
};

#define REFUSED(input, filter, output)                                                                                 \
    CONVOLUTION "InputTensor=FLOAT32" input " FilterTensor=FLOAT32" filter " OutputTensor=FLOAT32" output
#define BECAUSE "DML_OPERATOR_CONVOLUTION: "
static const struct case_refusal convolution_refused[] = {
    {REFUSED("[1,1,3,3]", "[1,1,2,2]", "[1,1,2,2]") FORWARD ARRAYS("1", "1", "1", "0", "0", "0", "1"),
     BECAUSE "DimensionCount is 1, must be 2 = InputTensor.DimensionCount - 2"},
    {REFUSED("[1,1,3,3]", "[1,1,2,2]", "[1,1,2,2]") FORWARD ARRAYS("2", "0,1", "1,0", "0,0", "0,0", "0,0", "0"),
     BECAUSE "Strides[0] is 0, must be at least 1\n" BECAUSE "Dilations[1] is 0, must be at least 1\n" BECAUSE
             "GroupCount is 0, must be at least 1"},
    {REFUSED("[2,1,3,3]", "[1,1,2,2]", "[1,1,2,2]") FORWARD PLAIN,
     BECAUSE "OutputTensor.Sizes[0] is 1, must be 2 = InputTensor.Sizes[0]"},
    {REFUSED("[1,3,3,3]", "[1,2,2,2]", "[1,1,2,2]") FORWARD PLAIN,
     BECAUSE "InputTensor.Sizes[1] is 3, must be 2 = FilterTensor.Sizes[1]"},
    {REFUSED("[1,2,3,3]", "[2,2,2,2]", "[1,2,2,2]") FORWARD ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "0,0", "2"),
     BECAUSE "InputTensor.Sizes[1] is 2, must be 4 = FilterTensor.Sizes[1] * GroupCount"},
    {REFUSED("[1,2,3,3]", "[3,1,2,2]", "[1,3,2,2]") FORWARD ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "0,0", "2"),
     BECAUSE "FilterTensor.Sizes[0] is 3, must be a multiple of GroupCount (2)"},
    {REFUSED("[1,1,3,3]", "[2,1,2,2]", "[1,1,2,2]") FORWARD PLAIN,
     BECAUSE "OutputTensor.Sizes[1] is 1, must be 2 = FilterTensor.Sizes[0]"},
    {REFUSED("[1,3,2,2]", "[2,1,2,2]", "[1,1,3,3]") BACKWARD PLAIN,
     BECAUSE "FilterTensor.Sizes[0] is 2, must be 3 = InputTensor.Sizes[1]"},
    {REFUSED("[1,3,2,2]", "[3,1,2,2]", "[1,2,3,3]") BACKWARD ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "0,0", "2"),
     BECAUSE "FilterTensor.Sizes[0] is 3, must be a multiple of GroupCount (2)"},
    {REFUSED("[1,2,2,2]", "[2,1,2,2]", "[1,1,3,3]") BACKWARD ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "0,0", "2"),
     BECAUSE "OutputTensor.Sizes[1] is 1, must be 2 = FilterTensor.Sizes[1] * GroupCount"},
    {CONVOLUTION PICTURE "BiasTensor=FLOAT32[2,3,1,4] OutputTensor=FLOAT32[1,1,2,2]" FORWARD PLAIN, BECAUSE
     "BiasTensor.Sizes[0] is 2, must be 1\n" BECAUSE
     "BiasTensor.Sizes[1] is 3, must be 1 = OutputTensor.Sizes[1]\n" BECAUSE "BiasTensor.Sizes[3] is 4, must be 1"},
    {CONVOLUTION PICTURE "OutputTensor=FLOAT32[1,1,2,2]" FORWARD PLAIN " FusedActivation=SOFTMAX",
     BECAUSE "FusedActivation: DML_OPERATOR_ACTIVATION_SOFTMAX cannot be fused, must be an activation "
             "that can"},
};

/* ---- benchmarks ---- */

/* Layers of networks, of square pictures and filters. */
struct layer {
    uint32_t channels, made, groups, side, filter, stride, padding;
    bool is_backward;
};

static const struct layer layers[] = {
    [CONVOLUTION_STEM] = {3, 64, 1, 224, 7, 2, 3, false},
    [CONVOLUTION_EARLY] = {64, 64, 1, 56, 3, 1, 1, false},
    [CONVOLUTION_LATE] = {256, 256, 1, 14, 3, 1, 1, false},
    [CONVOLUTION_POINTWISE] = {1024, 256, 1, 14, 1, 1, 0, false},
    [CONVOLUTION_STRIDED] = {128, 128, 1, 56, 3, 2, 1, false},
    [CONVOLUTION_DEPTHWISE] = {144, 144, 144, 56, 3, 1, 1, false},
    [CONVOLUTION_TRANSPOSED] = {256, 128, 1, 16, 4, 2, 1, true},
};

struct convolution_shape convolution_layer(uint64_t bytes, uint32_t element_bytes, enum convolution_layer_name name) {
    const struct layer *layer = &layers[name];
    const uint64_t plane = (uint64_t)layer->channels * element_bytes;
    uint32_t side = layer->side;
    while (side > 1 && plane * side * side > bytes) {
        side /= 2;
    }
    const uint64_t batches = bytes / (plane * side * side);
    const uint32_t padded = side + 2 * layer->padding;
    const uint32_t places = layer->is_backward ? side : (padded - layer->filter) / layer->stride + 1;
    return (struct convolution_shape){
        .spatial = 2,
        .batches = batches < 1    ? 1
                   : batches > 32 ? 32
                                  : (uint32_t)batches,
        .groups = layer->groups,
        .channels = layer->channels / layer->groups,
        .made = layer->made / layer->groups,
        .filter = {layer->filter, layer->filter},
        .strides = {layer->stride, layer->stride},
        .dilations = {1, 1},
        .start = {layer->padding, layer->padding},
        .end = {layer->padding, layer->padding},
        .places = {places, places},
        .left_over = layer->is_backward ? 0 : (padded - layer->filter) % layer->stride,
        .is_backward = layer->is_backward,
    };
}

static void make_convolution(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const struct convolution_shape shape =
        convolution_layer(bytes, type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 2 : 4, (enum convolution_layer_name)argument);
    case_begin(c, DML_OPERATOR_CONVOLUTION);
    convolution_set_shape(c, type, &shape);
    case_set_uint(c, "Mode", DML_CONVOLUTION_MODE_CROSS_CORRELATION);
    case_tensor(c, "InputTensor")->fill = CASE_FILL_UNIT;
    case_tensor(c, "FilterTensor")->fill = CASE_FILL_UNIT;
}

/* What one element of the filter, at (down, along) of it, adds to a plane: the picture at whose elements the filter is
 * put is the smaller one, of the other every stride-th element counts. */
struct loop_planes {
    float *small, *large;
    ptrdiff_t small_height, small_width, large_height, large_width, stride, padding;
    bool is_backward;
};

static void loop_element(const struct loop_planes *p, float weight, ptrdiff_t down, ptrdiff_t along) {
    const ptrdiff_t left = p->padding - along;
    const ptrdiff_t first = left > 0 ? (left + p->stride - 1) / p->stride : 0;
    const ptrdiff_t beyond = (p->large_width - 1 + left) / p->stride + 1;
    const ptrdiff_t end = beyond < p->small_width ? beyond : p->small_width;
    for (ptrdiff_t y = 0; y < p->small_height; y++) {
        const ptrdiff_t row = y * p->stride + down - p->padding;
        if (row < 0 || row >= p->large_height) {
            continue;
        }
        float *small = p->small + y * p->small_width, *large = p->large + row * p->large_width - left;
        for (ptrdiff_t x = first; x < end && p->is_backward; x++) {
            large[x * p->stride] += weight * small[x];
        }
        for (ptrdiff_t x = first; x < end && !p->is_backward; x++) {
            small[x] += weight * large[x * p->stride];
        }
    }
}

/* Packed FLOAT32 pictures without a bias. */
static void convolution_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *in = &c->tensors[IN], *filter = &c->tensors[FILTER], *out = &c->tensors[OUT];
    const bool backward = is_backward(c);
    const size_t channels = in->sizes[1] / word_of(c, GROUPS), made = out->sizes[1] / word_of(c, GROUPS);
    const size_t side = filter->sizes[2], in_plane = (size_t)in->sizes[2] * in->sizes[3],
                 out_plane = (size_t)out->sizes[2] * out->sizes[3];
    const struct case_tensor *small = backward ? in : out, *large = backward ? out : in;
    struct loop_planes p = {NULL,
                            NULL,
                            small->sizes[2],
                            small->sizes[3],
                            large->sizes[2],
                            large->sizes[3],
                            word_of(c, STRIDES),
                            word_of(c, START),
                            backward};
    memset(tensors[OUT], 0, case_element_count(out) * sizeof(float));
    for (size_t i = 0; i < (size_t)out->sizes[0] * out->sizes[1] * channels; i++) {
        const size_t channel = i % channels, target = i / channels % out->sizes[1],
                     picture = i / channels / out->sizes[1];
        const size_t source = target / made * channels + channel;
        float *from = (float *)(void *)tensors[IN] + (picture * in->sizes[1] + source) * in_plane;
        float *to = (float *)(void *)tensors[OUT] + (picture * out->sizes[1] + target) * out_plane;
        const float *weights = (const float *)(const void *)tensors[FILTER] +
                               (backward ? source * made + target % made : target * channels + channel) * side * side;
        p.small = backward ? from : to;
        p.large = backward ? to : from;
        for (size_t e = 0; e < side * side; e++) {
            loop_element(&p, weights[e], (ptrdiff_t)(e / side), (ptrdiff_t)(e % side));
        }
    }
}

/* The loop is of FLOAT32. */
#define BENCHMARK(name, layer)                                                                                         \
    {name, CASE_TYPE(FLOAT32), layer, 0, make_convolution, convolution_loop}, {                                        \
        name, CASE_TYPE(FLOAT16), layer, 0, make_convolution, NULL                                                     \
    }
static const struct case_benchmark convolution_benchmarks[] = {
    BENCHMARK("7x7_by_2/3_channels", CONVOLUTION_STEM),       BENCHMARK("3x3/64_channels", CONVOLUTION_EARLY),
    BENCHMARK("3x3/256_channels", CONVOLUTION_LATE),          BENCHMARK("1x1/1024_channels", CONVOLUTION_POINTWISE),
    BENCHMARK("3x3_by_2/128_channels", CONVOLUTION_STRIDED),  BENCHMARK("3x3/depthwise", CONVOLUTION_DEPTHWISE),
    BENCHMARK("4x4_by_2/transposed", CONVOLUTION_TRANSPOSED),
};

/* Padding counts too. */
static double convolution_operations(const struct operator_case *c) {
    const struct case_tensor *filter = &c->tensors[FILTER], *put = &c->tensors[is_backward(c) ? IN : OUT];
    double products = (double)case_element_count(put);
    for (uint32_t d = 1; d < filter->rank; d++) {
        products *= filter->sizes[d];
    }
    return 2 * products;
}

CASE_FAMILY(convolution, CONVOLUTION, CASE_REPEATED(convolution_repeated), .has_frame = true,
            .generate = generate_convolution, .group = "convolution", CASE_BENCHMARKS(convolution_benchmarks),
            .operations = convolution_operations, .bounds = convolution_bounds, .exact = convolution_exact);
