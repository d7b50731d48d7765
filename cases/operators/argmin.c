/* Cases of ARGMIN and ARGMAX. */
#include "cases/operators/reduce.h"

static const char *const argmin_fixed[] = {
    "ARGMIN seed=1 level=3_0 InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,5,2 OutputTensor=UINT32[1,3] "
    "OutputTensor.data=0,1,2 AxisCount=1 Axes=0 AxisDirection=INCREASING",
    "ARGMIN seed=2 InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,5,2 OutputTensor=UINT32[3,1] "
    "OutputTensor.data=0,1,0 AxisCount=1 Axes=1 AxisDirection=INCREASING",
    "ARGMIN seed=3 InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,5,2 OutputTensor=UINT32[1,1] "
    "OutputTensor.data=4 AxisCount=2 Axes=0,1 AxisDirection=INCREASING",
    "ARGMIN seed=4 InputTensor=INT16[5] InputTensor.data=1,2,3,2,1 OutputTensor=INT32[1] OutputTensor.data=0 "
    "AxisCount=1 Axes=0 AxisDirection=INCREASING",
    "ARGMIN seed=5 InputTensor=INT64[5] InputTensor.data=1,2,3,2,1 OutputTensor=INT64[1] OutputTensor.data=4 "
    "AxisCount=1 Axes=0 AxisDirection=DECREASING",
    /* The first NaN, or the last; zeros are equal. */
    "ARGMIN seed=6 InputTensor=FLOAT32[2,4] InputTensor.data=1,nan,0xffc00001,-inf,0,0x80000000,0,1 "
    "OutputTensor=UINT32[2,1] OutputTensor.data=1,0 AxisCount=1 Axes=1 AxisDirection=INCREASING",
    "ARGMIN seed=7 InputTensor=FLOAT16[2,4] InputTensor.data=1,nan,0xfe01,-inf,0,0x8000,0,1 "
    "OutputTensor=UINT64[2,1] OutputTensor.data=2,2 AxisCount=1 Axes=1 AxisDirection=DECREASING",
    "ARGMIN seed=8 InputTensor=UINT64[2,40001] InputTensor.fill=SMALL OutputTensor=UINT64[2,1] AxisCount=1 Axes=1 "
    "AxisDirection=DECREASING",
};

static const char *const argmax_fixed[] = {
    "ARGMAX seed=1 level=3_0 InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,5,2 OutputTensor=UINT32[1,3] "
    "OutputTensor.data=1,2,1 AxisCount=1 Axes=0 AxisDirection=INCREASING",
    "ARGMAX seed=2 InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,5,2 OutputTensor=UINT32[3,1] "
    "OutputTensor.data=2,2,1 AxisCount=1 Axes=1 AxisDirection=INCREASING",
    "ARGMAX seed=3 InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,5,2 OutputTensor=UINT32[1,1] "
    "OutputTensor.data=7 AxisCount=2 Axes=0,1 AxisDirection=INCREASING",
    "ARGMAX seed=4 InputTensor=UINT8[5] InputTensor.data=3,2,1,2,3 OutputTensor=INT32[1] OutputTensor.data=0 "
    "AxisCount=1 Axes=0 AxisDirection=INCREASING",
    "ARGMAX seed=5 InputTensor=UINT8[5] InputTensor.data=3,2,1,2,3 OutputTensor=INT64[1] OutputTensor.data=4 "
    "AxisCount=1 Axes=0 AxisDirection=DECREASING",
    "ARGMAX seed=6 InputTensor=INT8[2,150001] InputTensor.fill=BITS OutputTensor=UINT32[2,1] AxisCount=1 Axes=1 "
    "AxisDirection=DECREASING",
    "ARGMAX seed=7 InputTensor=FLOAT16[90001,2] InputTensor.fill=UNIT OutputTensor=UINT32[1,2] AxisCount=1 Axes=0 "
    "AxisDirection=INCREASING",
    /* An axis that is listed twice counts once. */
    "ARGMAX InputTensor=FLOAT32[2,3] InputTensor.data=1,2,3,4,6,5 OutputTensor=UINT32[1,1] OutputTensor.data=4 "
    "AxisCount=3 Axes=1,0,1 AxisDirection=INCREASING",
};

/* Many of the greatest, and of the least. */
static const char *const argmin_repeated[] = {
    "ARGMIN seed=1 InputTensor=UINT8[2,60001] InputTensor.fill=SMALL OutputTensor=UINT32[2,1] AxisCount=1 Axes=1 "
    "AxisDirection=INCREASING",
    "ARGMIN seed=2 InputTensor=FLOAT32[5001,16] InputTensor.fill=SMALL OutputTensor=INT64[1,16] AxisCount=1 Axes=0 "
    "AxisDirection=DECREASING",
};

static const char *const argmax_repeated[] = {
    "ARGMAX seed=1 InputTensor=FLOAT32[2,60001] InputTensor.fill=SMALL OutputTensor=UINT32[2,1] AxisCount=1 Axes=1 "
    "AxisDirection=INCREASING",
    "ARGMAX seed=2 InputTensor=FLOAT32[2,60001] InputTensor.fill=SMALL OutputTensor=UINT32[2,1] AxisCount=1 Axes=1 "
    "AxisDirection=DECREASING",
    "ARGMAX seed=3 InputTensor=FLOAT16[5001,16] InputTensor.fill=SMALL OutputTensor=INT64[1,16] AxisCount=1 Axes=0 "
    "AxisDirection=INCREASING",
    "ARGMAX seed=4 InputTensor=INT64[9001,5] InputTensor.fill=SMALL OutputTensor=UINT32[1,1] AxisCount=2 Axes=1,0 "
    "AxisDirection=DECREASING",
};

static void generate_place(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    case_tensor(c, "InputTensor")->type = generate_type(random, c, "InputTensor");
    case_tensor(c, "OutputTensor")->type = generate_type(random, c, "OutputTensor");
    case_set_uint(c, "AxisDirection", random_below(random, 2));
    reduce_generate_tensors(random, c);
}

static void make_place(uint64_t bytes, DML_TENSOR_DATA_TYPE type, enum reduce_shape shape,
                       DML_OPERATOR_TYPE operator_type, struct operator_case *c) {
    case_begin(c, operator_type);
    reduce_make_shape(bytes, type, shape, c);
    case_tensor(c, "OutputTensor")->type = DML_TENSOR_DATA_TYPE_UINT32;
}

static void make_argmin(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t shape, struct operator_case *c) {
    make_place(bytes, type, (enum reduce_shape)shape, DML_OPERATOR_ARGMIN, c);
}

static void make_argmax(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t shape, struct operator_case *c) {
    make_place(bytes, type, (enum reduce_shape)shape, DML_OPERATOR_ARGMAX, c);
}

static const struct case_benchmark argmin_benchmarks[] = {
    {"rows", ORDERED, ROWS, CASE_BENCHMARK_READ, make_argmin, loop_place},
};

static const struct case_benchmark argmax_benchmarks[] = {
    {"all", ORDERED, TO_ONE, CASE_BENCHMARK_READ, make_argmax, loop_place},
    {"rows", ORDERED, ROWS, CASE_BENCHMARK_READ, make_argmax, loop_place},
    {"columns", ORDERED, COLUMNS, CASE_BENCHMARK_READ, make_argmax, loop_place},
};

static const struct case_tensor_support place_support[] = {
    {"InputTensor", CASE_SUPPORT(AT_LEVEL(3_0, 1, 8, UP_TO_32), AT_LEVEL(4_1, 1, 8, NUMBERS))},
    {"OutputTensor", CASE_SUPPORT(AT_LEVEL(3_0, 1, 8, PLACES))},
};

static const struct case_refusal argmin_refused[] = {
    {"ARGMIN seed=1 " REFUSED "UINT32[2,1] AxisCount=1 Axes=0 AxisDirection=INCREASING",
     "DML_OPERATOR_ARGMIN: OutputTensor.Sizes[0] is 2, must be 1: Axes list the dimension\n"
     "DML_OPERATOR_ARGMIN: OutputTensor.Sizes[1] is 1, must be 3 = InputTensor.Sizes[1]"},
};

static const struct case_refusal argmax_refused[] = {
    {"ARGMAX seed=1 " REFUSED "UINT32[2,1] AxisCount=2 Axes=1,7 AxisDirection=INCREASING",
     "DML_OPERATOR_ARGMAX: Axes[1] is 7, must be below 2 = InputTensor.DimensionCount"},
};

#define PLACE_FAMILY(name, NAME)                                                                                       \
    const struct case_family vkdml_cases_##name = {.type = DML_OPERATOR_##NAME,                                        \
                                                   CASE_SUPPORTED(place_support),                                      \
                                                   CASE_FIXED(name##_fixed),                                           \
                                                   CASE_REPEATED(name##_repeated),                                     \
                                                   CASE_REFUSED(name##_refused),                                       \
                                                   .generate = generate_place,                                         \
                                                   .group = #name,                                                     \
                                                   CASE_BENCHMARKS(name##_benchmarks)}

PLACE_FAMILY(argmin, ARGMIN);
PLACE_FAMILY(argmax, ARGMAX);
