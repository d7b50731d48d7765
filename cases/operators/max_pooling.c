/* Cases of MAX_POOLING, MAX_POOLING1 and MAX_POOLING2. */
#include "cases/operators/pooling.h"

#define EVERY_NUMBER(level)                                                                                            \
    CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS), AT_LEVEL(3_0, 4, 5, FLOATS | CASE_TYPE(INT8) | CASE_TYPE(UINT8)),      \
                 AT_LEVEL(5_0, 4, 5, NUMBERS))
#define PLACES(level)                                                                                                  \
    CASE_SUPPORT(AT_LEVEL(level, 4, 5, CASE_TYPE(UINT32)), AT_LEVEL(5_0, 4, 5, CASE_TYPE(UINT32) | CASE_TYPE(UINT64)))

static const struct case_tensor_support max_pooling_support[] = {
    {"InputTensor", EVERY_NUMBER(1_0)},
    {"OutputTensor", EVERY_NUMBER(1_0)},
};
static const struct case_tensor_support max_pooling1_support[] = {
    {"InputTensor", EVERY_NUMBER(2_0)},
    {"OutputTensor", EVERY_NUMBER(2_0)},
    {"OutputIndicesTensor", PLACES(2_0)},
};
static const struct case_tensor_support max_pooling2_support[] = {
    {"InputTensor", EVERY_NUMBER(2_1)},
    {"OutputTensor", EVERY_NUMBER(2_1)},
    {"OutputIndicesTensor", PLACES(2_1)},
};

#define MAX "MAX_POOLING "
static const char *const max_pooling_fixed[] = {
    /* A window so long that no ring is walked. */
    MAX "seed=1 InputTensor=FLOAT32[1,1,3,901,8] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,1,2,2,8] "
        "DimensionCount=3 Strides=1,1,1 WindowSize=2,900,1 StartPadding=0,0,0 EndPadding=0,0,0",
    MAX "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,2,4,2,5,6,7 OutputTensor=FLOAT32[1,1,2,2] "
        "OutputTensor.data=4,4,6,7 DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0",
    /* Padding is below all; NaN above all, -0 below 0. */
    MAX "InputTensor=FLOAT16[1,1,1,6] InputTensor.data=-1,nan,-inf,-0,0,-0 OutputTensor=FLOAT16[1,1,1,7] "
        "OutputTensor.data=-1,0x7e00,0x7e00,-0,0,0,-0 DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,1 "
        "EndPadding=0,1",
    MAX "InputTensor=INT8[1,1,1,2] InputTensor.data=-5,-128 OutputTensor=INT8[1,1,1,4] "
        "OutputTensor.data=-128,-5,-128,-128 DimensionCount=2 Strides=1,1 WindowSize=1,1 StartPadding=0,1 "
        "EndPadding=0,1",
    MAX "InputTensor=UINT64[1,1,1,3] InputTensor.data=0x100000000,0xffffffff,0xffffffffffffffff "
        "OutputTensor=UINT64[1,1,1,2] OutputTensor.data=0x100000000,0xffffffffffffffff DimensionCount=2 Strides=1,1 "
        "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0",
    MAX "InputTensor=INT64[1,1,1,3] InputTensor.data=0xffffffff00000000,0xffffffffffffffff,0x8000000000000000 "
        "OutputTensor=INT64[1,1,1,2] OutputTensor.data=0xffffffffffffffff,0xffffffffffffffff DimensionCount=2 "
        "Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0",
    MAX "seed=1 InputTensor=FLOAT32[2,3,32,64] OutputTensor=FLOAT32[2,3,32,64] DimensionCount=2 Strides=1,1 "
        "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1",
    MAX "seed=2 InputTensor=FLOAT16[2,3,32,64] OutputTensor=FLOAT16[2,3,16,32] DimensionCount=2 Strides=2,2 "
        "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1",
    MAX "seed=3 InputTensor=UINT8[2,3,55,61] OutputTensor=UINT8[2,3,27,30] DimensionCount=2 Strides=2,2 "
        "WindowSize=3,3 StartPadding=0,0 EndPadding=0,0",
    MAX "seed=4 InputTensor=INT16[2,3,24,24] OutputTensor=INT16[2,3,12,12] DimensionCount=2 Strides=2,2 "
        "WindowSize=2,2 StartPadding=0,0 EndPadding=0,0",
    MAX "seed=5 InputTensor=INT32[1,2,9,16,16] OutputTensor=INT32[1,2,9,16,16] DimensionCount=3 Strides=1,1,1 "
        "WindowSize=3,3,3 StartPadding=1,1,1 EndPadding=1,1,1",
    MAX "seed=6 InputTensor=FLOAT32[1,2,40,48] OutputTensor=FLOAT32[1,2,40,48] DimensionCount=2 Strides=1,1 "
        "WindowSize=9,13 StartPadding=4,6 EndPadding=4,6",
    MAX "seed=8 InputTensor=UINT8[2,3,40,48] OutputTensor=UINT8[2,3,20,36] DimensionCount=2 Strides=2,1 "
        "WindowSize=9,13 StartPadding=4,0 EndPadding=4,0",
    MAX "seed=9 InputTensor=INT64[1,2,5,12,14] OutputTensor=INT64[1,2,1,8,10] DimensionCount=3 Strides=1,1,1 "
        "WindowSize=5,5,5 StartPadding=0,0,0 EndPadding=0,0,0",
    MAX "seed=7 InputTensor=FLOAT16[2,5,7,7] OutputTensor=FLOAT16[2,5,1,1] DimensionCount=2 Strides=1,1 "
        "WindowSize=7,7 StartPadding=0,0 EndPadding=0,0",
    /* More windows than fit, a window larger than the input, and all windows at one place. */
    MAX "InputTensor=FLOAT32[1,1,1,5] InputTensor.data=-1,-3,-5,-7,-9 OutputTensor=FLOAT32[1,1,1,4] "
        "OutputTensor.data=-1,-5,-9,-inf DimensionCount=2 Strides=1,2 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0",
    MAX "InputTensor=INT8[1,1,2,2] InputTensor.data=1,3,7,5 OutputTensor=INT8[1,1,1,1] OutputTensor.data=7 "
        "DimensionCount=2 Strides=1,1 WindowSize=5,4 StartPadding=0,0 EndPadding=0,0",
    MAX "InputTensor=FLOAT16[1,1,1,3] InputTensor.data=1,3,2 OutputTensor=FLOAT16[1,1,2,5] "
        "OutputTensor.data=3,3,3,3,3,3,3,3,3,3 DimensionCount=2 Strides=0,0 WindowSize=1,2 StartPadding=0,0 "
        "EndPadding=0,0",
    MAX "seed=10 InputTensor=FLOAT32[2,3,31,61] OutputTensor=FLOAT32[2,3,17,160] DimensionCount=2 Strides=2,1 "
        "WindowSize=3,3 StartPadding=1,1 EndPadding=0,0",
};
static const struct case_refusal max_pooling_refused[] = {
    {MAX "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,2,4,4] DimensionCount=2 Strides=1,1 WindowSize=1,1 "
         "StartPadding=0,0 EndPadding=0,0",
     "DML_OPERATOR_MAX_POOLING: OutputTensor.Sizes[1] is 2, must be 1 = InputTensor.Sizes[1]"},
};

POOLING_BENCHMARK(max, POOLING_MAXIMUM, MAX_POOLING)
static const struct case_benchmark max_pooling_benchmarks[] = {
    {"pool/max_3x3", FLOATS, POOLING_SIDE(3, 1), 0, make_max, max_loop},
    {"pool/max_3x3_by_2", FLOATS, POOLING_SIDE(3, 2), 0, make_max, max_loop},
    {"pool/max_2x2_by_2", FLOATS, POOLING_SIDE(2, 2), 0, make_max, max_loop},
    {"pool/max_global", FLOATS, POOLING_SIDE(0, 1), CASE_BENCHMARK_READ, make_max, max_loop},
};
POOLING_FAMILY(max_pooling, MAX_POOLING, CASE_BENCHMARKS(max_pooling_benchmarks));

#define MAX1 "MAX_POOLING1 "
static const char *const max_pooling1_fixed[] = {
    MAX1 "InputTensor=FLOAT32[1,1,2,4] InputTensor.data=3,5,7,1,9,4,2,8 OutputTensor=FLOAT32[1,1,2,2] "
         "OutputTensor.data=7,7,9,8 OutputIndicesTensor=UINT32[1,1,2,2] OutputIndicesTensor.data=2,2,4,7 "
         "DimensionCount=2 Strides=1,1 WindowSize=1,3 StartPadding=0,0 EndPadding=0,0",
    MAX1 "InputTensor=UINT8[1,1,1,2] InputTensor.data=1,2 OutputTensor=UINT8[1,1,1,1] OutputTensor.data=2 "
         "DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0",
    MAX1 "InputTensor=FLOAT32[1,1,1,5] InputTensor.data=1,2,3,5,4 OutputTensor=FLOAT32[1,1,1,4] "
         "OutputTensor.data=2,5,4,-inf OutputIndicesTensor=UINT32[1,1,1,4] OutputIndicesTensor.data=1,3,4,0xffffffff "
         "DimensionCount=2 Strides=1,2 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0",
};
static const struct case_refusal max_pooling1_refused[] = {
    {MAX1 "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,1,1,4] DimensionCount=1 Strides=1 WindowSize=4 "
          "StartPadding=0 EndPadding=0",
     "DML_OPERATOR_MAX_POOLING1: DimensionCount is 1, must be 2 = InputTensor.DimensionCount - 2"},
};
POOLING_FAMILY(max_pooling1, MAX_POOLING1, .benchmark_count = 0);

#define MAX2 "MAX_POOLING2 "
static const char *const max_pooling2_fixed[] = {
    MAX2 "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,2,4,2,5,6,7 OutputTensor=FLOAT32[1,1,2,2] "
         "OutputTensor.data=4,4,6,7 OutputIndicesTensor=UINT32[1,1,2,2] OutputIndicesTensor.data=4,4,7,8 "
         "DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,1",
    /* Places count in the whole tensor; the first of equal ones; -0 is below 0; without an element nowhere. */
    MAX2 "InputTensor=FLOAT32[1,2,2,2] InputTensor.data=1,1,1,1,-0,0,-0,nan OutputTensor=FLOAT32[1,2,1,1] "
         "OutputTensor.data=1,nan OutputIndicesTensor=UINT64[1,2,1,1] OutputIndicesTensor.data=0,7 DimensionCount=2 "
         "Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,1",
    MAX2 "InputTensor=FLOAT16[1,1,1,4] InputTensor.data=-0,0,-inf,-inf OutputTensor=FLOAT16[1,1,1,6] "
         "OutputTensor.data=-inf,-0,0,-inf,-inf,-inf OutputIndicesTensor=UINT32[1,1,1,6] "
         "OutputIndicesTensor.data=0xffffffff,0,1,2,3,0xffffffff DimensionCount=2 Strides=1,1 WindowSize=1,1 "
         "StartPadding=0,1 EndPadding=0,1 Dilations=1,1",
    MAX2 "InputTensor=INT32[1,1,1,3] InputTensor.data=0x80000000,0x80000000,5 OutputTensor=INT32[1,1,1,4] "
         "OutputTensor.data=0x80000000,0x80000000,5,5 OutputIndicesTensor=UINT64[1,1,1,4] "
         "OutputIndicesTensor.data=0,0,2,2 DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,1 "
         "EndPadding=0,1 Dilations=1,1",
    MAX2 "InputTensor=UINT8[1,1,1,1] InputTensor.data=0 OutputTensor=UINT8[1,1,1,3] OutputTensor.data=0,0,0 "
         "OutputIndicesTensor=UINT64[1,1,1,3] OutputIndicesTensor.data=0xffffffffffffffff,0,0xffffffffffffffff "
         "DimensionCount=2 Strides=1,1 WindowSize=1,1 StartPadding=0,1 EndPadding=0,1 Dilations=1,1",
    MAX2 "InputTensor=INT16[1,1,1,6] InputTensor.data=1,2,3,4,5,4 OutputTensor=INT16[1,1,1,3] "
         "OutputTensor.data=4,5,4 OutputIndicesTensor=UINT32[1,1,1,3] OutputIndicesTensor.data=3,4,5 DimensionCount=2 "
         "Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,3",
    MAX2 "seed=1 InputTensor=FLOAT32[2,3,32,64] InputTensor.fill=SMALL OutputTensor=FLOAT32[2,3,32,64] "
         "OutputIndicesTensor=UINT32[2,3,32,64] DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 "
         "EndPadding=1,1 Dilations=1,1",
    MAX2 "seed=2 InputTensor=FLOAT16[2,3,32,64] InputTensor.fill=SMALL OutputTensor=FLOAT16[2,3,16,32] "
         "OutputIndicesTensor=UINT64[2,3,16,32] DimensionCount=2 Strides=2,2 WindowSize=3,3 StartPadding=1,1 "
         "EndPadding=1,1 Dilations=1,1",
    MAX2 "seed=3 InputTensor=FLOAT32[1,2,9,16,16] InputTensor.fill=SMALL OutputTensor=FLOAT32[1,2,9,16,16] "
         "OutputIndicesTensor=UINT32[1,2,9,16,16] DimensionCount=3 Strides=1,1,1 WindowSize=3,3,3 "
         "StartPadding=1,1,1 EndPadding=1,1,1 Dilations=1,1,1",
    MAX2 "seed=4 InputTensor=FLOAT32[1,1,160,251] InputTensor.fill=SMALL OutputTensor=FLOAT32[1,1,1,2] "
         "OutputIndicesTensor=UINT32[1,1,1,2] DimensionCount=2 Strides=1,1 WindowSize=160,250 StartPadding=0,0 "
         "EndPadding=0,0 Dilations=1,1",
    /* Channels side by side, and columns. */
    MAX2 "seed=5 InputTensor=FLOAT16[1,64,9,10] InputTensor.strides=5760,1,640,64 InputTensor.fill=SMALL "
         "OutputTensor=FLOAT16[1,64,9,10] OutputTensor.strides=5760,1,640,64 OutputIndicesTensor=UINT32[1,64,9,10] "
         "DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 Dilations=1,1",
    MAX2 "seed=6 InputTensor=INT8[2,3,24,32] InputTensor.strides=2304,768,1,24 InputTensor.fill=SMALL "
         "OutputTensor=INT8[2,3,24,32] OutputTensor.strides=2304,768,1,24 OutputIndicesTensor=UINT64[2,3,24,32] "
         "OutputIndicesTensor.strides=2304,768,1,24 DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 "
         "EndPadding=1,1 Dilations=1,1",
};
static const struct case_refusal max_pooling2_refused[] = {
    {MAX2 "InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,4] OutputIndicesTensor=UINT32[1,1,1,4] "
          "DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,0",
     "DML_OPERATOR_MAX_POOLING2: Dilations[1] is 0, must be at least 1"},
};

POOLING_BENCHMARK(places, POOLING_MAXIMUM, MAX_POOLING2)
static const struct case_benchmark max_pooling2_benchmarks[] = {
    {"pool/max_places_3x3_by_2", FLOATS, POOLING_SIDE(3, 2) | POOLING_WITH_INDICES, 0, make_places, places_loop},
};
POOLING_FAMILY(max_pooling2, MAX_POOLING2, .has_frame = true, CASE_BENCHMARKS(max_pooling2_benchmarks));
