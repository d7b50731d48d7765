/* BATCH_NORMALIZATION and VALUE_SCALE_2D. */
#include "cases/generate.h"
#include "cases/operators/mapping.h"

static const struct case_support normalized[] = {AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(3_1, 1, 8, FLOATS), {0}};
static const struct case_support scaled_2d[] = {AT_LEVEL(1_0, 4, 4, FLOATS), {0}};

/* ---- BATCH_NORMALIZATION ---- */

/* Pictures whose channels have a mean, a variance, a scale and a bias each. */
static void make_channels(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    static const char *const of_channels[] = {"MeanTensor", "VarianceTensor", "ScaleTensor", "BiasTensor"};
    benchmark_mapping(bytes, type, argument, c);
    for (size_t i = 0; i < sizeof(of_channels) / sizeof(of_channels[0]); i++) {
        struct case_tensor *tensor = case_tensor(c, of_channels[i]);
        tensor->has_strides = 0;
        tensor->sizes[0] = tensor->sizes[2] = tensor->sizes[3] = 1;
    }
    case_tensor(c, "VarianceTensor")->fill = CASE_FILL_ABOVE_ONE;
    case_set_uint(c, "Spatial", 1);
}

static const struct case_benchmark batch_normalization_benchmarks[] = {
    {"channels", CASE_TYPES_FLOATS, MAPPING_CHANNELS, 0, make_channels, NULL},
    {"channels/relu", CASE_TYPES_FLOATS, MAPPING_CHANNELS | MAPPING_FUSED, 0, make_channels, NULL},
};
#define LOCATIONS(level, mean, variance)                                                                               \
    "BATCH_NORMALIZATION level=" level " InputTensor=FLOAT16[1,2,3,4] MeanTensor=FLOAT16" mean                         \
    " VarianceTensor=FLOAT16" variance " ScaleTensor=FLOAT16[1,2,1,1] BiasTensor=FLOAT16[1,2,1,1] "                    \
    "OutputTensor=FLOAT16[1,2,3,4] Spatial=0 Epsilon=1"
#define NOT_SPATIAL(level) " where Spatial is FALSE below DML_FEATURE_LEVEL_4_0; the feature level is " level
static const struct case_refusal batch_normalization_refused[] = {
    {LOCATIONS("3_1", "[1,1,1,4]", "[1,1,3,4]"),
     "DML_OPERATOR_BATCH_NORMALIZATION: MeanTensor.Sizes[2] is 1, must be 3 = InputTensor.Sizes[2]" NOT_SPATIAL("3_1")},
    {LOCATIONS("1_0", "[1,2,3,4]", "[1,2,3,1]"),
     "DML_OPERATOR_BATCH_NORMALIZATION: VarianceTensor.Sizes[3] is 1, must be 4 = "
     "InputTensor.Sizes[3]" NOT_SPATIAL("1_0")},
};
#define BATCH_NORMALIZATION_REFUSED                                                                                    \
    .refused = batch_normalization_refused,                                                                            \
    .refused_count = sizeof(batch_normalization_refused) / sizeof(batch_normalization_refused[0]),
TENSORS(batch_normalization, {"InputTensor", normalized}, {"MeanTensor", normalized}, {"VarianceTensor", normalized},
        {"ScaleTensor", normalized}, {"BiasTensor", normalized}, {"OutputTensor", normalized});
FAMILY_WITH(BATCH_NORMALIZATION_REFUSED, batch_normalization, BATCH_NORMALIZATION, batch_normalization_benchmarks, NULL,
            NULL,
            "BATCH_NORMALIZATION InputTensor=FLOAT32[1,2,1,3] InputTensor.data=1,2,3,4,5,6 "
            "MeanTensor=FLOAT32[1,2,1,1] MeanTensor.data=1,4 VarianceTensor=FLOAT32[1,2,1,1] VarianceTensor.data=3,15 "
            "ScaleTensor=FLOAT32[1,2,1,1] ScaleTensor.data=2,4 BiasTensor=FLOAT32[1,2,1,1] BiasTensor.data=0.5,-1 "
            "OutputTensor=FLOAT32[1,2,1,3] OutputTensor.data=0.5,1.5,2.5,-1,0,1 Spatial=1 Epsilon=1",
            /* Variances of 0, -1, infinity and NaN, and 0 by 0. */
            "BATCH_NORMALIZATION InputTensor=FLOAT16[5] InputTensor.data=1,1,1,1,0 MeanTensor=FLOAT16[1] "
            "MeanTensor.data=0 VarianceTensor=FLOAT16[5] VarianceTensor.data=0,-1,inf,0x7e01,0 ScaleTensor=FLOAT16[1] "
            "ScaleTensor.data=1 BiasTensor=FLOAT16[1] BiasTensor.data=2 OutputTensor=FLOAT16[5] "
            "OutputTensor.data=inf,0x7e00,2,0x7e00,0x7e00",
            /* Of every location its own, and each operand broadcast along another dimension. */
            LOCATIONS("1_0", "[1,2,3,4]", "[1,1,3,4]"), LOCATIONS("4_0", "[1,2,3,1]", "[1,1,1,1]"),
            "BATCH_NORMALIZATION InputTensor=FLOAT32[2,3,4,5] MeanTensor=FLOAT32[1,3,4,5] "
            "VarianceTensor=FLOAT32[2,1,4,5] VarianceTensor.fill=UNIT ScaleTensor=FLOAT32[2,3,1,5] "
            "BiasTensor=FLOAT32[2,3,4,1] OutputTensor=FLOAT32[2,3,4,5] Epsilon=0.125 FusedActivation=SWISH "
            "FusedActivation.SigmoidInputScale=1",
            "BATCH_NORMALIZATION InputTensor=FLOAT32[4] InputTensor.data=-3,0,1,5 MeanTensor=FLOAT32[1] "
            "MeanTensor.data=1 VarianceTensor=FLOAT32[1] VarianceTensor.data=4 ScaleTensor=FLOAT32[1] "
            "ScaleTensor.data=-1 BiasTensor=FLOAT32[1] BiasTensor.data=0.25 OutputTensor=FLOAT32[4] "
            "OutputTensor.data=2.25,0.75,0.25,0 FusedActivation=RELU");

/* ---- VALUE_SCALE_2D ---- */

static void count_channels(struct operator_case *c, uint32_t channels) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->sizes[1] = output->sizes[1] = channels;
    case_set_uint(c, "ChannelCount", channels);
    case_set(c, "Bias", channels, (const uint32_t[]){0x3f800000, 0xc0000000, 0x40400000}); /* 1, -2, 3 */
}

static void choose_channels(struct random *random, struct operator_case *c) {
    count_channels(c, random_chance(random, 30) ? 1 : 3);
}

static void make_pictures(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    benchmark_mapping(bytes, type, MAPPING_CHANNELS, c);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->has_strides = 0;
    input->sizes[0] = output->sizes[0] =
        benchmark_size(bytes, type, (uint64_t)argument * input->sizes[2] * input->sizes[3], 1);
    count_channels(c, argument);
}

static const struct case_benchmark value_scale_2d_benchmarks[] = {
    {"pictures", CASE_TYPES_FLOATS, 3, 0, make_pictures, NULL},
    {"pictures/gray", CASE_TYPES_FLOATS, 1, 0, make_pictures, NULL},
};
UNARY_TENSORS(value_scale_2d, scaled_2d, scaled_2d);
static const struct case_refusal value_scale_2d_refused[] = {
    {"VALUE_SCALE_2D InputTensor=FLOAT32[1,2,1,1] OutputTensor=FLOAT32[1,2,1,1] Scale=1 ChannelCount=2 Bias=0,0",
     "DML_OPERATOR_VALUE_SCALE_2D: ChannelCount is 2, must be 1 or 3"},
    {"VALUE_SCALE_2D InputTensor=FLOAT32[1,2,1,1] OutputTensor=FLOAT32[1,2,1,1] Scale=1 ChannelCount=1 Bias=0",
     "DML_OPERATOR_VALUE_SCALE_2D: ChannelCount is 1, must be 2 = InputTensor.Sizes[1]"},
};
#define VALUE_SCALE_2D_REFUSED                                                                                         \
    .refused = value_scale_2d_refused,                                                                                 \
    .refused_count = sizeof(value_scale_2d_refused) / sizeof(value_scale_2d_refused[0]),
FAMILY_WITH(VALUE_SCALE_2D_REFUSED, value_scale_2d, VALUE_SCALE_2D, value_scale_2d_benchmarks, NULL, choose_channels,
            "VALUE_SCALE_2D InputTensor=FLOAT32[1,3,1,2] InputTensor.data=1,2,3,4,5,6 OutputTensor=FLOAT32[1,3,1,2] "
            "OutputTensor.data=3,5,5,7,14,16 Scale=2 ChannelCount=3 Bias=1,-1,4",
            "VALUE_SCALE_2D InputTensor=FLOAT16[2,1,1,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT16[2,1,1,2] "
            "OutputTensor.data=1.5,2.5,3.5,4.5 Scale=1 ChannelCount=1 Bias=0.5");
