/* Cases of CONVOLUTION_INTEGER and QUANTIZED_LINEAR_CONVOLUTION. */
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/operators/convolution.h"
#include "cases/operators/quantized.h"

/* ---- random cases ---- */

static DML_TENSOR_DATA_TYPE random_byte(struct random *random) {
    return random_chance(random, 50) ? DML_TENSOR_DATA_TYPE_INT8 : DML_TENSOR_DATA_TYPE_UINT8;
}

static void generate_pictures(struct random *random, struct operator_case *c, DML_TENSOR_DATA_TYPE type_out) {
    const struct convolution_shape shape = convolution_choose_shape(random, true);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *filter = case_tensor(c, "FilterTensor"),
                       *output = case_tensor(c, "OutputTensor");
    convolution_set_shape(c, random_byte(random), &shape);
    filter->type = random_byte(random);
    output->type = type_out;
    quantized_fill(random, input);
    quantized_fill(random, filter);
    if (random_chance(random, 10)) {
        convolution_choose_any_size(random, output);
    }
    generate_input_layout(random, input);
    generate_input_layout(random, filter);
    generate_output_layout(random, output);
}

static void generate_plain(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_pictures(random, c, DML_TENSOR_DATA_TYPE_INT32);
    const struct case_tensor *input = case_tensor(c, "InputTensor"), *filter = case_tensor(c, "FilterTensor");
    const uint32_t rank = random_chance(random, 60) ? input->rank : random_between(random, 1, 4);
    quantized_choose_optional(random, c, "InputZeroPointTensor", input->type, rank, QUANTIZED_CHANNELS, 1);
    quantized_choose_optional(random, c, "FilterZeroPointTensor", filter->type, rank, QUANTIZED_CHANNELS,
                              filter->sizes[0]);
    generate_call(random, c);
}

static uint32_t random_rank(struct random *random) {
    return random_between(random, 1, 4);
}

static void generate_quantized(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_pictures(random, c, random_byte(random));
    const DML_TENSOR_DATA_TYPE floats = DML_TENSOR_DATA_TYPE_FLOAT32;
    const struct case_tensor *input = case_tensor(c, "InputTensor"), *filter = case_tensor(c, "FilterTensor");
    const uint32_t made = filter->sizes[0];
    quantized_choose(random, c, "InputScaleTensor", floats, random_rank(random), QUANTIZED_CHANNELS, 1);
    quantized_choose_optional(random, c, "InputZeroPointTensor", input->type, random_rank(random), QUANTIZED_CHANNELS,
                              1);
    quantized_choose(random, c, "FilterScaleTensor", floats, random_rank(random), QUANTIZED_CHANNELS, made);
    quantized_choose_optional(random, c, "FilterZeroPointTensor", filter->type, random_rank(random), QUANTIZED_CHANNELS,
                              made);
    quantized_choose(random, c, "OutputScaleTensor", floats, random_rank(random), QUANTIZED_CHANNELS, 1);
    quantized_choose_optional(random, c, "OutputZeroPointTensor", case_tensor(c, "OutputTensor")->type,
                              random_rank(random), QUANTIZED_CHANNELS, 1);
    if (random_chance(random, 50)) {
        struct case_tensor *bias = case_tensor(c, "BiasTensor");
        bias->type = DML_TENSOR_DATA_TYPE_INT32;
        bias->rank = input->rank;
        for (uint32_t d = 0; d < bias->rank; d++) {
            bias->sizes[d] = d == 1 ? made : 1;
        }
        bias->fill = random_chance(random, 80) ? CASE_FILL_SMALL : CASE_FILL_BITS;
        generate_input_layout(random, bias);
    }
    generate_call(random, c);
}

/* ---- benchmarks ---- */

/* The argument is a layer, whose filter vkdml owns, as those of networks. */
static void make_pictures(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument,
                          struct operator_case *c) {
    const struct convolution_shape shape = convolution_layer(bytes, 1, (enum convolution_layer_name)argument);
    case_begin(c, operator_type);
    convolution_set_shape(c, type, &shape);
    case_tensor(c, "FilterTensor")->type = DML_TENSOR_DATA_TYPE_INT8;
    case_tensor(c, "FilterTensor")->owned = 1;
}

static void make_plain(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_pictures(DML_OPERATOR_CONVOLUTION_INTEGER, bytes, type, argument, c);
    case_tensor(c, "OutputTensor")->type = DML_TENSOR_DATA_TYPE_INT32;
}

static void make_quantized(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_pictures(DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION, bytes, type, argument, c);
    quantized_set(c, "InputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 0.01);
    quantized_set(c, "InputZeroPointTensor", type, 4, 3);
    quantized_set(c, "FilterScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 0.02);
    quantized_set(c, "FilterZeroPointTensor", DML_TENSOR_DATA_TYPE_INT8, 4, 0);
    quantized_set(c, "OutputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 5);
    quantized_set(c, "OutputZeroPointTensor", type, 4, 7);
}

/* What one element of a filter, at (down, along) of it, adds to a plane of sums. */
struct loop_planes {
    const signed char *from;
    int32_t *to;
    ptrdiff_t height, width, out_height, out_width, stride, padding;
};

static void loop_element(const struct loop_planes *p, int32_t weight, ptrdiff_t down, ptrdiff_t along) {
    const ptrdiff_t left = p->padding - along;
    const ptrdiff_t first = left > 0 ? (left + p->stride - 1) / p->stride : 0;
    const ptrdiff_t beyond = (p->width - 1 + left) / p->stride + 1;
    const ptrdiff_t end = beyond < p->out_width ? beyond : p->out_width;
    for (ptrdiff_t y = 0; y < p->out_height; y++) {
        const ptrdiff_t row = y * p->stride + down - p->padding;
        const signed char *from = p->from + row * p->width - left;
        for (ptrdiff_t x = first; row >= 0 && row < p->height && x < end; x++) {
            p->to[y * p->out_width + x] += weight * from[x * p->stride];
        }
    }
}

/* Packed INT8 pictures without zero points. */
static void plain_loop(const struct operator_case *c, unsigned char *const *tensors) {
    enum { IN, FILTER = 2, OUT = 4 };
    const struct case_tensor *in = &c->tensors[IN], *filter = &c->tensors[FILTER], *out = &c->tensors[OUT];
    const size_t channels = filter->sizes[1], made = out->sizes[1] / case_word(c, "GroupCount");
    const size_t side = filter->sizes[2], in_plane = (size_t)in->sizes[2] * in->sizes[3],
                 out_plane = (size_t)out->sizes[2] * out->sizes[3];
    struct loop_planes p = {NULL,
                            NULL,
                            in->sizes[2],
                            in->sizes[3],
                            out->sizes[2],
                            out->sizes[3],
                            case_word(c, "Strides"),
                            case_word(c, "StartPadding")};
    memset(tensors[OUT], 0, case_element_count(out) * sizeof(int32_t));
    for (size_t i = 0; i < (size_t)out->sizes[0] * out->sizes[1] * channels; i++) {
        const size_t channel = i % channels, target = i / channels % out->sizes[1],
                     picture = i / channels / out->sizes[1];
        const size_t source = target / made * channels + channel;
        const signed char *weights = (const signed char *)tensors[FILTER] + (target * channels + channel) * side * side;
        p.from = (const signed char *)tensors[IN] + (picture * in->sizes[1] + source) * in_plane;
        p.to = (int32_t *)(void *)tensors[OUT] + (picture * out->sizes[1] + target) * out_plane;
        for (size_t e = 0; e < side * side; e++) {
            loop_element(&p, weights[e], (ptrdiff_t)(e / side), (ptrdiff_t)(e % side));
        }
    }
}

/* Padding counts too. */
static double convolution_operations(const struct operator_case *c) {
    const struct case_tensor *filter = &c->tensors[case_index(c, "FilterTensor")];
    double products = (double)case_element_count(&c->tensors[case_index(c, "OutputTensor")]);
    for (uint32_t d = 1; d < filter->rank; d++) {
        products *= filter->sizes[d];
    }
    return 2 * products;
}

#define INT8  CASE_TYPE(INT8)
#define UINT8 CASE_TYPE(UINT8)
#define BENCHMARKS(name, make, loop)                                                                                   \
    static const struct case_benchmark name##_benchmarks[] = {                                                         \
        {#name "/7x7_by_2/3_channels", INT8, CONVOLUTION_STEM, 0, make, loop},                                         \
        {#name "/3x3/64_channels", INT8, CONVOLUTION_EARLY, 0, make, loop},                                            \
        {#name "/3x3/256_channels", INT8, CONVOLUTION_LATE, 0, make, loop},                                            \
        {#name "/1x1/1024_channels", INT8, CONVOLUTION_POINTWISE, 0, make, loop},                                      \
        {#name "/3x3_by_2/128_channels", INT8, CONVOLUTION_STRIDED, 0, make, loop},                                    \
        {#name "/3x3/depthwise", INT8, CONVOLUTION_DEPTHWISE, 0, make, loop},                                          \
        {#name "/3x3/256_channels", UINT8, CONVOLUTION_LATE, 0, make, NULL},                                           \
    }
BENCHMARKS(integer, make_plain, plain_loop);
BENCHMARKS(quantized, make_quantized, NULL);

/* ---- CONVOLUTION_INTEGER ---- */

#define BYTES_FROM(least) CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, BYTES), AT_LEVEL(4_0, least, 4, BYTES))
#define WORDS(TYPE)       CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, CASE_TYPE(TYPE)), AT_LEVEL(4_0, 3, 4, CASE_TYPE(TYPE)))
#define SCALES            CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, CASE_TYPE(FLOAT32)), AT_LEVEL(4_0, 1, 4, CASE_TYPE(FLOAT32)))
static const struct case_tensor_support convolution_integer_support[] = {
    {"InputTensor", BYTES_FROM(3)},           {"InputZeroPointTensor", BYTES_FROM(1)}, {"FilterTensor", BYTES_FROM(3)},
    {"FilterZeroPointTensor", BYTES_FROM(1)}, {"OutputTensor", WORDS(INT32)},
};

#define PLAIN "CONVOLUTION_INTEGER "
#define ARRAYS(count, strides, dilations, start, end, groups)                                                          \
    " DimensionCount=" count " Strides=" strides " Dilations=" dilations " StartPadding=" start " EndPadding=" end     \
    " GroupCount=" groups
#define SIMPLE ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "1")
#define RANDOM(seed, input, filter, output)                                                                            \
    PLAIN "seed=" seed " InputTensor=" input " FilterTensor=" filter " OutputTensor=INT32" output
#define PICTURE                                                                                                        \
    "InputTensor=UINT8[1,1,3,3] InputTensor.data=2,3,4,5,6,7,8,9,10 FilterTensor=INT8[1,1,2,2] "                       \
    "FilterTensor.data=1,1,1,1 "
#define EIGHT       "255,255,255,255,255,255,255,255"
#define FORTY_EIGHT EIGHT "," EIGHT "," EIGHT "," EIGHT "," EIGHT "," EIGHT
static const char *const convolution_integer_fixed[] = {
    PLAIN PICTURE "OutputTensor=INT32[1,1,2,2] OutputTensor.data=16,20,28,32" SIMPLE,
    /* Padding is the zero point, which adds nothing. */
    PLAIN PICTURE
    "InputZeroPointTensor=UINT8[1,1,1,1] InputZeroPointTensor.data=1 OutputTensor=INT32[1,1,4,4] "
    "OutputTensor.data=1,3,5,3,5,12,16,9,11,24,28,15,7,15,17,9" ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "1"),
    PLAIN PICTURE
    "InputZeroPointTensor=UINT8[1,1,1,1] InputZeroPointTensor.data=1 FilterZeroPointTensor=INT8[1,1,1,1] "
    "FilterZeroPointTensor.data=-1 OutputTensor=INT32[1,1,4,4] "
    "OutputTensor.data=2,6,10,6,10,24,32,18,22,48,56,30,14,30,34,18" ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "1"),
    /* A zero point for each output channel; groups. */
    PLAIN
    "InputTensor=INT8[1,2,1,1] InputTensor.data=-128,127 FilterTensor=UINT8[4,1,1,1] FilterTensor.data=0,255,128,1 "
    "FilterZeroPointTensor=UINT8[1,4,1,1] FilterZeroPointTensor.data=0,1,128,2 OutputTensor=INT32[1,4,1,1] "
    "OutputTensor.data=0,-32512,0,-127" ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "2"),
    /* A line, every second element of it, in steps of 2. */
    PLAIN "InputTensor=INT8[1,1,6] InputTensor.data=1,2,3,4,5,6 FilterTensor=INT8[1,1,2] FilterTensor.data=1,10 "
          "OutputTensor=INT32[1,1,3] OutputTensor.data=20,42,64" ARRAYS("1", "2", "2", "1", "0", "1"),
    RANDOM("1", "UINT8[2,64,14,14]", "INT8[70,64,3,3]", "[2,70,14,14]") ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "1"),
    RANDOM("2", "INT8[1,3,40,41]", "INT8[64,3,7,7]", "[1,64,20,21]") ARRAYS("2", "2,2", "1,1", "3,3", "3,3", "1"),
    RANDOM("3", "UINT8[2,100,7,7]", "UINT8[33,100,1,1]", "[2,33,7,7]") SIMPLE,
    RANDOM("4", "UINT8[1,24,9,10]", "UINT8[24,1,3,3]", "[1,24,9,10]") ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "24"),
    RANDOM("5", "UINT8[1,18,9,12]", "INT8[30,6,3,2]", "[1,30,4,6]") ARRAYS("2", "2,2", "2,1", "1,0", "1,1", "3"),
    RANDOM("6", "UINT8[3,36,100]", "INT8[40,36,9]", "[3,40,100]") ARRAYS("1", "1", "1", "4", "4", "1"),
    /* Windows of padding alone. */
    RANDOM("7", "UINT8[1,2,3,3]", "INT8[3,2,2,2]", "[1,3,5,5]") ARRAYS("2", "3,3", "1,1", "6,6", "5,5", "1"),
    /* Channels side by side, one picture for all, one filter for all. */
    PLAIN "seed=8 InputTensor=UINT8[2,32,9,10] InputTensor.strides=2880,1,320,32 FilterTensor=INT8[48,32,3,3] "
          "FilterTensor.strides=288,1,96,32 OutputTensor=INT32[2,48,9,10] OutputTensor.strides=4320,1,480,48" ARRAYS(
              "2", "1,1", "1,1", "1,1", "1,1", "1"),
    PLAIN "seed=9 InputTensor=UINT8[3,16,9,10] InputTensor.strides=0,90,10,1 InputZeroPointTensor=UINT8[1] "
          "FilterTensor=INT8[20,16,3,3] FilterTensor.strides=0,9,3,1 FilterZeroPointTensor=INT8[20] "
          "OutputTensor=INT32[3,20,9,10]" ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "1"),
    /* Groups of few channels: rows that begin at any byte of a word, two channels made of one, three of two. */
    PLAIN "seed=10 InputTensor=INT8[2,5,13,15] InputZeroPointTensor=INT8[1] FilterTensor=UINT8[10,1,3,5] "
          "FilterZeroPointTensor=UINT8[10] OutputTensor=INT32[2,10,13,15]" ARRAYS("2", "1,1", "1,1", "1,2", "1,2", "5"),
    PLAIN "seed=11 InputTensor=UINT8[1,6,17,19] InputZeroPointTensor=UINT8[1] FilterTensor=INT8[9,2,3,3] "
          "FilterZeroPointTensor=INT8[1] OutputTensor=INT32[1,9,9,7]" ARRAYS("2", "2,3", "1,1", "1,2", "1,0", "3"),
    /* Taps apart; those of a column too; farther than registers hold; a long row of them. */
    RANDOM("12", "INT8[2,4,17,21]", "INT8[4,1,3,3]", "[2,4,17,21]") ARRAYS("2", "1,1", "1,4", "1,4", "1,4", "4"),
    RANDOM("13", "UINT8[1,4,15,22]", "UINT8[8,1,4,2]", "[1,8,4,10]") ARRAYS("2", "2,2", "3,3", "2,0", "0,0", "4"),
    RANDOM("14", "INT8[1,3,50,70]", "INT8[3,1,3,3]", "[1,3,50,70]") ARRAYS("2", "1,1", "30,30", "30,30", "30,30", "3"),
    RANDOM("15", "INT8[3,7,61]", "UINT8[7,1,31]", "[3,7,61]") ARRAYS("1", "1", "1", "15", "15", "7"),
    /* More than a small device binds at once. */
    RANDOM("17", "UINT8[3,6,50,62]", "INT8[12,1,3,3]", "[3,12,50,62]") ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "6"),
    /* Channels side by side, also of the output; the largest sums there are. */
    PLAIN "seed=16 InputTensor=INT8[2,12,7,9] InputTensor.strides=756,1,108,12 InputZeroPointTensor=INT8[1] "
          "FilterTensor=INT8[12,1,3,3] FilterTensor.strides=1,0,36,12 OutputTensor=INT32[2,12,7,9] "
          "OutputTensor.strides=756,1,108,12" ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "12"),
    PLAIN "InputTensor=UINT8[1,1,7,8] InputTensor.data=" FORTY_EIGHT "," EIGHT " InputZeroPointTensor=UINT8[1] "
          "InputZeroPointTensor.data=0 FilterTensor=UINT8[1,1,7,7] FilterTensor.data=" FORTY_EIGHT
          ",255 FilterZeroPointTensor=UINT8[1] FilterZeroPointTensor.data=0 OutputTensor=INT32[1,1,1,2] "
          "OutputTensor.data=3186225,3186225" ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "1"),
    /* Outputs smaller and larger than the formula says, as Microsoft's library accepts them, with a filter larger than
     * the input: what is beyond the input is the zero point. */
    PLAIN PICTURE "InputZeroPointTensor=UINT8[1,1,1,1] InputZeroPointTensor.data=1 OutputTensor=INT32[1,1,1,5] "
                  "OutputTensor.data=12,16,9,0,0" SIMPLE,
    PLAIN "InputTensor=INT8[1,1,2] InputTensor.data=3,4 FilterTensor=INT8[1,1,3] FilterTensor.data=1,10,100 "
          "OutputTensor=INT32[1,1,3] OutputTensor.data=430,43,4" ARRAYS("1", "1", "1", "1", "0", "1"),
    RANDOM("18", "UINT8[2,40,9,8]", "INT8[33,40,3,3]", "[2,33,6,12]") ARRAYS("2", "2,1", "1,2", "1,1", "1,1", "1"),
    RANDOM("19", "UINT8[1,6,9,11]", "INT8[12,1,3,3]", "[1,12,13,5]") ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "6"),
    RANDOM("20", "INT8[1,6,9,11]", "INT8[6,1,3,3]", "[1,6,4,40]") ARRAYS("2", "1,2", "2,1", "1,1", "0,0", "6"),
};
static const struct case_refusal convolution_integer_refused[] = {
    {PLAIN PICTURE "FilterZeroPointTensor=INT8[1,2,1,1] OutputTensor=INT32[1,1,2,2]" SIMPLE,
     "DML_OPERATOR_CONVOLUTION_INTEGER: FilterZeroPointTensor.Sizes[1] is 2, must be 1"},
    {PLAIN "InputTensor=UINT8[1,1,3,3] FilterTensor=INT8[2,1,2,2] FilterZeroPointTensor=INT8[1,3,1,2] "
           "OutputTensor=INT32[1,2,2,2]" SIMPLE,
     "DML_OPERATOR_CONVOLUTION_INTEGER: FilterZeroPointTensor.Sizes[1] is 3, must be 1 or 2, the number of channels\n"
     "DML_OPERATOR_CONVOLUTION_INTEGER: FilterZeroPointTensor.Sizes[3] is 2, must be 1"},
    {PLAIN PICTURE "OutputTensor=INT32[1,1,2,2]" ARRAYS("1", "1", "1", "0", "0", "1"),
     "DML_OPERATOR_CONVOLUTION_INTEGER: DimensionCount is 1, must be 2 = InputTensor.DimensionCount - 2"},
};
CASE_FAMILY(convolution_integer, CONVOLUTION_INTEGER, .has_frame = true, .binds_whole = true,
            .generate = generate_plain, .group = "convolution", CASE_BENCHMARKS(integer_benchmarks),
            .operations = convolution_operations);

/* ---- QUANTIZED_LINEAR_CONVOLUTION ---- */

static const struct case_tensor_support quantized_linear_convolution_support[] = {
    {"InputTensor", BYTES_FROM(3)},
    {"InputScaleTensor", SCALES},
    {"InputZeroPointTensor", BYTES_FROM(1)},
    {"FilterTensor", BYTES_FROM(3)},
    {"FilterScaleTensor", CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, CASE_TYPE(FLOAT32)), AT_LEVEL(4_0, 3, 4, CASE_TYPE(FLOAT32)),
                                       AT_LEVEL(5_2, 1, 4, CASE_TYPE(FLOAT32)))},
    {"FilterZeroPointTensor", BYTES_FROM(1)},
    {"BiasTensor", WORDS(INT32)},
    {"OutputScaleTensor", SCALES},
    {"OutputZeroPointTensor", BYTES_FROM(1)},
    {"OutputTensor", BYTES_FROM(3)},
};

#define QUANTIZED            "QUANTIZED_LINEAR_CONVOLUTION "
#define SCALE(tensor, value) " " tensor "=FLOAT32[1,1,1,1] " tensor ".data=" value " "
static const char *const quantized_linear_convolution_fixed[] = {
    /* 16, 20, 28 and 32 by an eighth: halves go to even ones. */
    QUANTIZED PICTURE SCALE("InputScaleTensor", "0.5") SCALE("FilterScaleTensor", "0.5")
        SCALE("OutputScaleTensor", "2") "OutputTensor=INT8[1,1,2,2] OutputTensor.data=2,2,4,4" SIMPLE,
    /* The bias counts in products of both scales, and is added to the sum before; then comes the zero point. */
    QUANTIZED PICTURE SCALE("InputScaleTensor", "0.5")
        SCALE("FilterScaleTensor", "0.5") "BiasTensor=INT32[1,1,1,1] BiasTensor.data=-17 " SCALE(
            "OutputScaleTensor",
            "0.5") "OutputZeroPointTensor=UINT8[1] OutputZeroPointTensor.data=3 OutputTensor=UINT8[1,1,2,2] "
                   "OutputTensor.data=3,5,9,11" SIMPLE,
    /* A scale and a zero point for each output channel. */
    QUANTIZED "InputTensor=INT8[1,1,1,2] InputTensor.data=4,-4" SCALE(
        "InputScaleTensor",
        "1") "FilterTensor=INT8[3,1,1,1] FilterTensor.data=2,2,2 FilterScaleTensor=FLOAT32[1,3,1,1] "
             "FilterScaleTensor.data=1,0.5,20 FilterZeroPointTensor=INT8[1,3,1,1] "
             "FilterZeroPointTensor.data=0,1,-1" SCALE(
                 "OutputScaleTensor", "1") "OutputTensor=INT8[1,3,1,2] OutputTensor.data=8,-8,2,-2,127,-128" SIMPLE,
    QUANTIZED
    "seed=1 InputTensor=UINT8[2,32,12,12] InputScaleTensor=FLOAT32[1,1,1,1] InputScaleTensor.data=0.02 "
    "InputZeroPointTensor=UINT8[1,1,1,1] FilterTensor=INT8[65,32,3,3] FilterScaleTensor=FLOAT32[1,65,1,1] "
    "FilterScaleTensor.fill=UNIT BiasTensor=INT32[1,65,1,1] BiasTensor.fill=SMALL "
    "OutputScaleTensor=FLOAT32[1,1,1,1] OutputScaleTensor.data=40 OutputZeroPointTensor=UINT8[1,1,1,1] "
    "OutputZeroPointTensor.data=128 OutputTensor=UINT8[2,65,12,12]" ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "1"),
    QUANTIZED "seed=2 InputTensor=UINT8[1,16,11,7] InputScaleTensor=FLOAT32[1] InputScaleTensor.data=0.02 "
              "FilterTensor=UINT8[32,1,3,3] FilterScaleTensor=FLOAT32[32] FilterScaleTensor.fill=UNIT "
              "FilterZeroPointTensor=UINT8[32] OutputScaleTensor=FLOAT32[1] OutputScaleTensor.data=4 "
              "OutputTensor=INT8[1,32,6,4]" ARRAYS("2", "2,2", "1,1", "1,1", "1,1", "16"),
    /* Groups of few channels, of which rows share words of the output; packed, and with gaps between pixels. */
    QUANTIZED
    "seed=3 InputTensor=UINT8[2,10,14,14] InputScaleTensor=FLOAT32[1] InputScaleTensor.data=0.02 "
    "InputZeroPointTensor=UINT8[1] FilterTensor=INT8[10,1,3,3] FilterScaleTensor=FLOAT32[10] "
    "FilterScaleTensor.fill=UNIT FilterZeroPointTensor=INT8[10] BiasTensor=INT32[1,10,1,1] "
    "BiasTensor.fill=SMALL OutputScaleTensor=FLOAT32[1] OutputScaleTensor.data=9 "
    "OutputZeroPointTensor=INT8[1] OutputTensor=INT8[2,10,14,14]" ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "10"),
    QUANTIZED "seed=4 InputTensor=INT8[3,4,7,7] InputScaleTensor=FLOAT32[1] InputScaleTensor.data=0.02 "
              "FilterTensor=UINT8[8,1,3,3] FilterScaleTensor=FLOAT32[8] FilterScaleTensor.fill=UNIT "
              "BiasTensor=INT32[1,8,1,1] BiasTensor.fill=SMALL OutputScaleTensor=FLOAT32[1] OutputScaleTensor.data=9 "
              "OutputZeroPointTensor=UINT8[1] OutputTensor=UINT8[3,8,7,7]" ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "4"),
    QUANTIZED
    "seed=5 InputTensor=INT8[1,4,9,10] InputTensor.strides=360,1,40,4 InputScaleTensor=FLOAT32[1] "
    "InputScaleTensor.data=0.02 FilterTensor=INT8[4,1,3,3] FilterScaleTensor=FLOAT32[1] "
    "FilterScaleTensor.data=0.5 OutputScaleTensor=FLOAT32[1] OutputScaleTensor.data=9 "
    "OutputTensor=INT8[1,4,9,10] OutputTensor.strides=360,1,40,4" ARRAYS("2", "1,1", "1,1", "1,1", "1,1", "4"),
    QUANTIZED "seed=7 InputTensor=UINT8[2,3,90,101] InputTensor.strides=27270,1,303,3 InputScaleTensor=FLOAT32[1] "
              "InputScaleTensor.data=0.02 InputZeroPointTensor=UINT8[1] FilterTensor=INT8[3,1,5,3] "
              "FilterScaleTensor=FLOAT32[3] FilterScaleTensor.fill=UNIT OutputScaleTensor=FLOAT32[1] "
              "OutputScaleTensor.data=9 OutputTensor=UINT8[2,3,45,99]" ARRAYS("2", "2,1", "1,1", "1,0", "2,0", "3"),
    /* Few pixels in a row. */
    QUANTIZED "seed=6 InputTensor=UINT8[2,6,3,2] InputScaleTensor=FLOAT32[1] InputScaleTensor.data=0.02 "
              "InputZeroPointTensor=UINT8[1] FilterTensor=INT8[6,2,1,2] FilterScaleTensor=FLOAT32[6] "
              "FilterScaleTensor.fill=UNIT OutputScaleTensor=FLOAT32[1] OutputScaleTensor.data=9 "
              "OutputTensor=UINT8[2,6,3,1]" ARRAYS("2", "1,1", "1,1", "0,0", "0,0", "3"),
};
static const struct case_refusal quantized_linear_convolution_refused[] = {
    {QUANTIZED PICTURE "InputScaleTensor=FLOAT32[1] FilterScaleTensor=FLOAT32[1,2,1,1] BiasTensor=INT32[1,2,1,1] "
                       "OutputScaleTensor=FLOAT32[1] OutputTensor=INT8[1,1,2,2]" SIMPLE,
     "DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION: BiasTensor.Sizes[1] is 2, must be 1 = OutputTensor.Sizes[1]\n"
     "DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION: FilterScaleTensor.Sizes[1] is 2, must be 1"},
};
CASE_FAMILY(quantized_linear_convolution, QUANTIZED_LINEAR_CONVOLUTION, .binds_whole = true,
            .generate = generate_quantized, .group = "convolution", CASE_BENCHMARKS(quantized_benchmarks),
            .operations = convolution_operations);
