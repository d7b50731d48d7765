/* Cases of AVERAGE_POOLING, AVERAGE_POOLING1 and QUANTIZED_LINEAR_AVERAGE_POOLING. */
#include "cases/operators/pooling.h"
#include "cases/operators/quantized.h"

static double divisor_of(const struct operator_case *c, const struct pooled *p) {
    return case_word(c, "IncludePadding") != 0 ? p->size : p->count == 0 ? 1 : p->count;
}

static struct accuracy_bounds average_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                             const uint32_t *at) {
    const struct pooled p = pooling_at(c, tensors, at);
    if (p.finite > NEIGHBOURS_GREATEST) {
        return accuracy_anything; /* sums on the way may be infinite */
    }
    const double divisor = divisor_of(c, &p), average = p.sum / divisor;
    const double distance = p.magnitudes * accuracy_of_terms(c, p.count) + p.count * neighbours_denormal(c);
    const double error = isfinite(p.magnitudes) ? distance / divisor + neighbours_denormal(c) : 0;
    return (struct accuracy_bounds){average - error, average + error, isnan(average)};
}

static struct accuracy_exact average_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                           const uint32_t *at) {
    const struct pooled p = pooling_at(c, tensors, at);
    const double divisor = divisor_of(c, &p);
    return p.magnitudes > 0x1p120 ? accuracy_no_exact : accuracy_beside(p.sum / divisor, p.magnitudes / divisor);
}

#define AVERAGE "AVERAGE_POOLING "
static const char *const average_pooling_fixed[] = {
    AVERAGE "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,4,5,6,7,8,9 OutputTensor=FLOAT32[1,1,2,2] "
            "OutputTensor.data=3,4,6,7 DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 "
            "IncludePadding=0",
    /* The corner has one element of four. */
    AVERAGE "InputTensor=FLOAT32[1,1,2,3] InputTensor.data=4,8,12,16,20,24 OutputTensor=FLOAT32[1,1,2,2] "
            "OutputTensor.data=4,10,16,22 DimensionCount=2 Strides=2,2 WindowSize=2,2 StartPadding=1,1 EndPadding=1,0 "
            "IncludePadding=0",
    AVERAGE "InputTensor=FLOAT16[1,1,2,3] InputTensor.data=4,8,12,16,20,24 OutputTensor=FLOAT16[1,1,2,2] "
            "OutputTensor.data=1,5,4,11 DimensionCount=2 Strides=2,2 WindowSize=2,2 StartPadding=1,1 EndPadding=1,0 "
            "IncludePadding=1",
    /* Volumes; a window of padding alone is 0. */
    AVERAGE "InputTensor=FLOAT32[1,1,2,2,2] InputTensor.data=1,2,3,4,5,6,7,8 OutputTensor=FLOAT32[1,1,1,1,1] "
            "OutputTensor.data=4.5 DimensionCount=3 Strides=1,1,1 WindowSize=2,2,2 StartPadding=0,0,0 EndPadding=0,0,0 "
            "IncludePadding=1",
    AVERAGE "InputTensor=FLOAT32[1,1,1,2] InputTensor.data=3,5 OutputTensor=FLOAT32[1,1,1,4] OutputTensor.data=0,3,5,0 "
            "DimensionCount=2 Strides=1,1 WindowSize=1,1 StartPadding=0,1 EndPadding=0,1 IncludePadding=0",
    AVERAGE "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=inf,1,nan,-inf OutputTensor=FLOAT32[1,1,1,3] "
            "OutputTensor.data=inf,nan,nan DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
            "IncludePadding=0",
    AVERAGE "seed=1 InputTensor=FLOAT32[2,3,32,64] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,32,64] "
            "DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 IncludePadding=0",
    AVERAGE "seed=2 InputTensor=FLOAT16[2,3,32,64] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,3,16,32] "
            "DimensionCount=2 Strides=2,2 WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 IncludePadding=0",
    AVERAGE "seed=3 InputTensor=FLOAT32[1,2,41,61] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,2,11,32] "
            "DimensionCount=2 Strides=1,1 WindowSize=31,30 StartPadding=0,0 EndPadding=0,0 IncludePadding=1",
    AVERAGE "seed=6 InputTensor=FLOAT16[1,2,41,61] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,2,41,61] "
            "DimensionCount=2 Strides=1,1 WindowSize=11,21 StartPadding=5,10 EndPadding=5,10 IncludePadding=0",
    /* Channels side by side. */
    AVERAGE "seed=4 InputTensor=FLOAT16[1,64,9,10] InputTensor.strides=5760,1,640,64 InputTensor.fill=UNIT "
            "OutputTensor=FLOAT16[1,64,9,10] OutputTensor.strides=5760,1,640,64 DimensionCount=2 Strides=1,1 "
            "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 IncludePadding=0",
    /* More elements than an invocation may walk. */
    AVERAGE "seed=5 InputTensor=FLOAT32[1,1,160,251] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,1,1,2] "
            "DimensionCount=2 Strides=1,1 WindowSize=160,250 StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
    /* More windows than fit, as with ceil_mode: positions beyond the input are padding. Then fewer windows than fit. */
    AVERAGE "InputTensor=FLOAT32[1,1,1,5] InputTensor.data=1,3,5,7,9 OutputTensor=FLOAT32[1,1,1,4] "
            "OutputTensor.data=2,6,9,0 DimensionCount=2 Strides=1,2 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
            "IncludePadding=0",
    AVERAGE "InputTensor=FLOAT32[1,1,1,5] InputTensor.data=1,3,5,7,9 OutputTensor=FLOAT32[1,1,1,4] "
            "OutputTensor.data=2,6,4.5,0 DimensionCount=2 Strides=1,2 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
            "IncludePadding=1",
    AVERAGE "InputTensor=FLOAT16[1,1,3,2] InputTensor.data=1,3,5,7,9,11 OutputTensor=FLOAT16[1,1,1,1] "
            "OutputTensor.data=4 DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 "
            "IncludePadding=0",
    /* Windows larger than the padded input; all windows at one place. */
    AVERAGE "InputTensor=FLOAT32[1,1,1,3] InputTensor.data=1,3,5 OutputTensor=FLOAT32[1,1,1,2] "
            "OutputTensor.data=3,4 DimensionCount=2 Strides=1,1 WindowSize=1,5 StartPadding=0,0 EndPadding=0,1 "
            "IncludePadding=0",
    AVERAGE "InputTensor=FLOAT32[1,1,1,3] InputTensor.data=1,3,5 OutputTensor=FLOAT32[1,1,1,1] "
            "OutputTensor.data=1.125 DimensionCount=2 Strides=1,1 WindowSize=2,4 StartPadding=0,0 EndPadding=0,0 "
            "IncludePadding=1",
    AVERAGE "InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,3,5,7 OutputTensor=FLOAT32[1,1,3,5] "
            "OutputTensor.data=4,4,4,4,4,4,4,4,4,4,4,4,4,4,4 DimensionCount=2 Strides=0,0 WindowSize=2,2 "
            "StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
    AVERAGE "seed=7 InputTensor=FLOAT32[2,3,31,61] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,18,160] "
            "DimensionCount=2 Strides=2,1 WindowSize=3,3 StartPadding=1,1 EndPadding=0,0 IncludePadding=0",
    AVERAGE "seed=8 InputTensor=FLOAT16[1,2,41,61] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,2,44,66] "
            "DimensionCount=2 Strides=1,1 WindowSize=11,21 StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
};
static const struct case_refusal average_pooling_refused[] = {
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[2,1,4,4] DimensionCount=2 Strides=1,1 WindowSize=1,1 "
             "StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: OutputTensor.Sizes[0] is 2, must be 1 = InputTensor.Sizes[0]"},
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,1,4,4] DimensionCount=2 Strides=1,1 WindowSize=1,0 "
             "StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: WindowSize[1] is 0, must be at least 1"},
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4,4] OutputTensor=FLOAT32[1,1,4,4,4] DimensionCount=2 Strides=1,1 "
             "WindowSize=1,1 StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: DimensionCount is 2, must be 3 = InputTensor.DimensionCount - 2"},
};
POOLING_SUPPORT(average_pooling, 1_0)

POOLING_BENCHMARK(average, POOLING_AVERAGE, AVERAGE_POOLING)
static const struct case_benchmark average_pooling_benchmarks[] = {
    {"pool/average_3x3", FLOATS, POOLING_SIDE(3, 1), 0, make_average, average_loop},
    {"pool/average_3x3_by_2", FLOATS, POOLING_SIDE(3, 2), 0, make_average, average_loop},
    {"pool/average_global", FLOATS, POOLING_SIDE(0, 1), CASE_BENCHMARK_READ, make_average, average_loop},
};
POOLING_FAMILY(average_pooling, AVERAGE_POOLING, CASE_BENCHMARKS(average_pooling_benchmarks), .bounds = average_bounds,
               .exact = average_exact);

static const char *const average_pooling1_fixed[] = {
    "AVERAGE_POOLING1 InputTensor=FLOAT32[1,1,1,6] InputTensor.data=1,2,3,4,5,6 OutputTensor=FLOAT32[1,1,1,4] "
    "OutputTensor.data=3,2.5,3.5,4.5 DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,1 EndPadding=0,0 "
    "Dilations=1,3 IncludePadding=0",
    "AVERAGE_POOLING1 seed=1 InputTensor=FLOAT32[2,3,20,48] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,16,44] "
    "DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=0,0 EndPadding=0,0 Dilations=2,2 IncludePadding=1",
    "AVERAGE_POOLING1 InputTensor=FLOAT32[1,1,1,5] InputTensor.data=1,2,3,4,5 OutputTensor=FLOAT32[1,1,1,3] "
    "OutputTensor.data=2.5,3,5 DimensionCount=2 Strides=1,2 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
    "Dilations=1,3 IncludePadding=0",
};
static const struct case_refusal average_pooling1_refused[] = {
    {"AVERAGE_POOLING1 InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,5] DimensionCount=2 Strides=1,1 "
     "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING1: Dilations[1] is 0, must be at least 1"},
};
POOLING_SUPPORT(average_pooling1, 6_2)
POOLING_FAMILY(average_pooling1, AVERAGE_POOLING1, .has_frame = true, .bounds = average_bounds, .exact = average_exact);

/* ---- QUANTIZED_LINEAR_AVERAGE_POOLING ---- */

/* Scales and zero points of an average that is chosen. */
static void choose_quantization(struct random *random, struct operator_case *c) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    const uint32_t channels = input->sizes[1];
    input->fill = random_chance(random, 70) ? CASE_FILL_BITS : CASE_FILL_SMALL;
    output->type = random_chance(random, 50) ? DML_TENSOR_DATA_TYPE_INT8 : DML_TENSOR_DATA_TYPE_UINT8;
    quantized_choose(random, c, "InputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, random_between(random, 1, 5),
                     QUANTIZED_CHANNELS, channels);
    quantized_choose_optional(random, c, "InputZeroPointTensor", input->type, random_between(random, 1, 5),
                              QUANTIZED_CHANNELS, channels);
    quantized_choose(random, c, "OutputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, random_between(random, 1, 5),
                     QUANTIZED_CHANNELS, channels);
    quantized_choose_optional(random, c, "OutputZeroPointTensor", output->type, random_between(random, 1, 5),
                              QUANTIZED_CHANNELS, channels);
}

static void make_quantized(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    pooling_make(DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING, bytes, type, argument, c);
    quantized_set(c, "InputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 0.01);
    quantized_set(c, "InputZeroPointTensor", type, 4, 3);
    quantized_set(c, "OutputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 0.02);
    quantized_set(c, "OutputZeroPointTensor", type, 4, 7);
}

static const struct case_tensor_support quantized_linear_average_pooling_support[] = {
    {"InputTensor", CASE_SUPPORT(AT_LEVEL(6_2, 4, 5, BYTES))},
    {"InputScaleTensor", CASE_SUPPORT(AT_LEVEL(6_2, 1, 5, CASE_TYPE(FLOAT32)))},
    {"InputZeroPointTensor", CASE_SUPPORT(AT_LEVEL(6_2, 1, 5, BYTES))},
    {"OutputScaleTensor", CASE_SUPPORT(AT_LEVEL(6_2, 1, 5, CASE_TYPE(FLOAT32)))},
    {"OutputZeroPointTensor", CASE_SUPPORT(AT_LEVEL(6_2, 1, 5, BYTES))},
    {"OutputTensor", CASE_SUPPORT(AT_LEVEL(6_2, 4, 5, BYTES))},
};
#define QUANTIZED            "QUANTIZED_LINEAR_AVERAGE_POOLING "
#define SCALE(tensor, value) " " tensor "=FLOAT32[1] " tensor ".data=" value " "
#define WHOLE                                                                                                          \
    " DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,1 IncludePadding=0"
static const char *const quantized_linear_average_pooling_fixed[] = {
    QUANTIZED "InputTensor=UINT8[1,1,2,3] InputTensor.data=1,2,3,4,5,6" SCALE("InputScaleTensor", "1")
        SCALE("OutputScaleTensor", "0.5") "OutputTensor=UINT8[1,1,1,2] OutputTensor.data=6,8" WHOLE,
    /* A window that reaches beyond the input, and one that is all padding. */
    QUANTIZED "InputTensor=UINT8[1,1,2,3] InputTensor.data=1,2,3,4,5,6" SCALE("InputScaleTensor", "1")
        SCALE("OutputScaleTensor", "0.5") "OutputTensor=UINT8[1,1,1,4] OutputTensor.data=6,8,9,0" WHOLE,
    /* Halves go to even ones before the odd zero point is added: 1.5 is 2, 0.5 is 0. */
    QUANTIZED "InputTensor=INT8[1,1,2,3] InputTensor.data=0,3,-1,3,0,-4" SCALE("InputScaleTensor", "1")
        SCALE("OutputScaleTensor", "1") "OutputZeroPointTensor=UINT8[1] OutputZeroPointTensor.data=5 "
                                        "OutputTensor=UINT8[1,1,1,2] OutputTensor.data=7,5" WHOLE,
    /* The corner has one element of four, in whose place padding counts or does not; channels of their own. */
    QUANTIZED "InputTensor=UINT8[1,2,2,2] InputTensor.data=20,30,40,50,60,70,80,90 InputScaleTensor=FLOAT32[1,2,1,1] "
              "InputScaleTensor.data=1,2 InputZeroPointTensor=UINT8[1,2,1,1] InputZeroPointTensor.data=10,60 "
              "OutputScaleTensor=FLOAT32[1,2,1,1] OutputScaleTensor.data=1,4 OutputZeroPointTensor=INT8[1,2,1,1] "
              "OutputZeroPointTensor.data=-10,1 OutputTensor=INT8[1,2,1,1] OutputTensor.data=30,16 DimensionCount=2 "
              "Strides=1,1 WindowSize=2,2 StartPadding=1,1 EndPadding=0,0 Dilations=2,2 IncludePadding=0",
    QUANTIZED "InputTensor=UINT8[1,1,1,1] InputTensor.data=100" SCALE("InputScaleTensor", "1")
        SCALE("OutputScaleTensor",
              "1") "OutputTensor=UINT8[1,1,2,2] OutputTensor.data=25,25,25,25 DimensionCount=2 "
                   "Strides=1,1 WindowSize=2,2 StartPadding=1,1 EndPadding=1,1 Dilations=1,1 IncludePadding=1",
    /* Of padding alone the zero point. */
    QUANTIZED "InputTensor=UINT8[1,1,1,2] InputTensor.data=3,5" SCALE("InputScaleTensor", "1") SCALE(
        "OutputScaleTensor",
        "1") "OutputZeroPointTensor=INT8[1] OutputZeroPointTensor.data=-7 "
             "OutputTensor=INT8[1,1,1,4] OutputTensor.data=-7,-4,-2,-7 DimensionCount=2 Strides=1,1 WindowSize=1,1 "
             "StartPadding=0,1 EndPadding=0,1 Dilations=1,1 IncludePadding=0",
    QUANTIZED "seed=1 InputTensor=UINT8[2,3,32,64]" SCALE("InputScaleTensor", "0.1")
        SCALE("OutputScaleTensor", "0.07") "OutputTensor=INT8[2,3,16,32] DimensionCount=2 Strides=2,2 WindowSize=3,3 "
                                           "StartPadding=1,1 EndPadding=1,1 "
                                           "Dilations=1,1 IncludePadding=0",
    QUANTIZED "seed=2 InputTensor=INT8[1,2,160,251]" SCALE("InputScaleTensor", "0.1")
        SCALE("OutputScaleTensor", "0.001") "OutputTensor=INT8[1,2,1,2] DimensionCount=2 Strides=1,1 "
                                            "WindowSize=160,250 StartPadding=0,0 EndPadding=0,0 "
                                            "Dilations=1,1 IncludePadding=1",
};
static const struct case_refusal quantized_linear_average_pooling_refused[] = {
    {QUANTIZED "InputTensor=UINT8[1,2,2,3]" SCALE("InputScaleTensor", "1") "InputZeroPointTensor=UINT8[1,3,1] " SCALE(
         "OutputScaleTensor", "0.5") "OutputTensor=UINT8[1,2,1,3]" WHOLE,
     "DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING: InputZeroPointTensor.Sizes[1] is 3, must be 1 or 2, the number of "
     "channels"},
};
static const struct case_benchmark quantized_linear_average_pooling_benchmarks[] = {
    {"pool/quantized_average_3x3", BYTES, POOLING_SIDE(3, 1), 0, make_quantized, NULL},
    {"pool/quantized_average_3x3_by_2", BYTES, POOLING_SIDE(3, 2), 0, make_quantized, NULL},
    {"pool/quantized_average_global", BYTES, POOLING_SIDE(0, 1), CASE_BENCHMARK_READ, make_quantized, NULL},
};
POOLING_FAMILY(quantized_linear_average_pooling, QUANTIZED_LINEAR_AVERAGE_POOLING, .has_frame = true,
               .binds_whole = true, .adjust = choose_quantization,
               CASE_BENCHMARKS(quantized_linear_average_pooling_benchmarks));
