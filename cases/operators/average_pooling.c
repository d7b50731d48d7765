/* Cases of AVERAGE_POOLING and AVERAGE_POOLING1. */
#include "cases/operators/pooling.h"

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
};
static const struct case_refusal average_pooling_refused[] = {
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,1,2,3] DimensionCount=2 Strides=2,1 WindowSize=2,2 "
             "StartPadding=0,0 EndPadding=0,1 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: OutputTensor.Sizes[3] is 3, must be 4, the number of windows"},
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[2,1,4,4] DimensionCount=2 Strides=1,1 WindowSize=1,1 "
             "StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: OutputTensor.Sizes[0] is 2, must be 1 = InputTensor.Sizes[0]"},
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,1,4,4] DimensionCount=2 Strides=0,1 WindowSize=1,0 "
             "StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: Strides[0] is 0, must be at least 1\n"
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
};
static const struct case_refusal average_pooling1_refused[] = {
    {"AVERAGE_POOLING1 InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,5] DimensionCount=2 Strides=1,1 "
     "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,3 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING1: OutputTensor.Sizes[3] is 5, must be 3, the number of windows"},
    {"AVERAGE_POOLING1 InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,5] DimensionCount=2 Strides=1,1 "
     "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING1: Dilations[1] is 0, must be at least 1"},
};
POOLING_SUPPORT(average_pooling1, 6_2)
POOLING_FAMILY(average_pooling1, AVERAGE_POOLING1, .has_frame = true, .bounds = average_bounds, .exact = average_exact);
