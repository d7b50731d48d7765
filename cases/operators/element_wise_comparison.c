/* ELEMENT_WISE_ operators that compare, choose and limit. */
#include "cases/operators/mapping.h"

static const struct case_support limited_gradients[] = {
    AT_LEVEL(3_1, 1, 8, UP_TO_32), AT_LEVEL(5_0, 1, 8, NUMBERS), {0}};
static const struct case_support limited_below[] = {
    AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(2_1, 4, 4, UP_TO_32), AT_LEVEL(3_0, 1, 8, UP_TO_32), {0}};
static const struct case_support conditions[] = {
    AT_LEVEL(2_0, 4, 4, CASE_TYPE(UINT8)), AT_LEVEL(3_0, 1, 8, CASE_TYPE(UINT8)), {0}};
static const struct case_support chosen[] = {AT_LEVEL(2_0, 4, 4, CASE_TYPE(FLOAT16)),
                                             AT_LEVEL(3_0, 1, 8, UP_TO_32),
                                             AT_LEVEL(5_0, 1, 8, CASE_TYPES_UP_TO_64),
                                             {0}};
static const struct case_support is_infinity_outputs[] = {
    AT_LEVEL(2_1, 4, 4, CASE_TYPE(UINT8)), AT_LEVEL(3_0, 1, 8, CASE_TYPE(UINT8)), {0}};

#define INF     "0x7f800000"
#define NEG_INF "0xff800000"
#define NAN_    "0x7fc00000"
#define NEG_0   "0x80000000"

/* ---- order ---- */

#define TO_BYTES(NAME, TYPE, n, a, b, out) OF_TWO_TO(NAME, TYPE, n, a, b, UINT8, out)
#define FLOATS_A                           "1,2,0,-1," NAN_ ",0x00000001," INF
#define FLOATS_B                           "2,1," NEG_0 ",1," NAN_ ",0," INF

COMPARISON(element_wise_logical_equals, ELEMENT_WISE_LOGICAL_EQUALS, compared, logical, a == b,
           TO_BYTES(ELEMENT_WISE_LOGICAL_EQUALS, FLOAT32, 7, FLOATS_A, FLOATS_B, "0,0,1,0,0,0,1"),
           OF_TWO_TO(ELEMENT_WISE_LOGICAL_EQUALS, INT64, 2, "4294967296,-1", "0,-1", UINT32, "0,1"));
COMPARISON(element_wise_logical_greater_than, ELEMENT_WISE_LOGICAL_GREATER_THAN, compared, logical, a > b,
           TO_BYTES(ELEMENT_WISE_LOGICAL_GREATER_THAN, FLOAT32, 7, FLOATS_A, FLOATS_B, "0,1,0,0,0,1,0"),
           TO_BYTES(ELEMENT_WISE_LOGICAL_GREATER_THAN, INT8, 3, "-1,1,3", "1,-1,3", "0,1,0"),
           OF_TWO_TO(ELEMENT_WISE_LOGICAL_GREATER_THAN, UINT64, 2, "0xffffffffffffffff,1", "1,4294967296", UINT32,
                     "1,0"));
COMPARISON(element_wise_logical_less_than, ELEMENT_WISE_LOGICAL_LESS_THAN, compared, logical, a < b,
           TO_BYTES(ELEMENT_WISE_LOGICAL_LESS_THAN, FLOAT32, 7, FLOATS_A, FLOATS_B, "1,0,0,1,0,0,0"),
           TO_BYTES(ELEMENT_WISE_LOGICAL_LESS_THAN, UINT8, 3, "255,1,3", "1,255,3", "0,1,0"),
           OF_TWO_TO(ELEMENT_WISE_LOGICAL_LESS_THAN, INT64, 2, "-4294967296,1", "1,0", UINT32, "1,0"));
COMPARISON(element_wise_logical_greater_than_or_equal, ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL, compared_since_3_0,
           logical_since_3_0, a >= b,
           TO_BYTES(ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL, FLOAT32, 7, FLOATS_A, FLOATS_B, "0,1,1,0,0,1,1"),
           TO_BYTES(ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL, UINT16, 3, "65535,1,3", "1,65535,3", "1,0,1"));
COMPARISON(element_wise_logical_less_than_or_equal, ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL, compared_since_3_0,
           logical_since_3_0, a <= b,
           TO_BYTES(ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL, FLOAT32, 7, FLOATS_A, FLOATS_B, "1,0,1,1,0,0,1"),
           TO_BYTES(ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL, INT16, 3, "-32768,32767,3", "32767,-32768,3", "1,0,1"));

BINARY(element_wise_max, ELEMENT_WISE_MAX, ordered, a > b ? a : b,
       OF_TWO(ELEMENT_WISE_MAX, FLOAT32, 5, "1," NEG_0 ",0," NAN_ "," NEG_INF, "2,0," NEG_0 ",1,-1",
              "2,0,0," NAN_ ",-1"),
       OF_TWO(ELEMENT_WISE_MAX, INT8, 2, "-1,127", "1,-128", "1,127"),
       OF_TWO(ELEMENT_WISE_MAX, UINT64, 2, "0xffffffffffffffff,1", "1,4294967296", "0xffffffffffffffff,4294967296"));
BINARY(element_wise_min, ELEMENT_WISE_MIN, ordered, a < b ? a : b,
       OF_TWO(ELEMENT_WISE_MIN, FLOAT32, 5, "1," NEG_0 ",0,1," INF, "2,0," NEG_0 "," NAN_ ",1",
              "1," NEG_0 "," NEG_0 "," NAN_ ",1"),
       OF_TWO(ELEMENT_WISE_MIN, UINT8, 2, "255,3", "1,128", "1,3"),
       OF_TWO(ELEMENT_WISE_MIN, INT64, 2, "0x8000000000000000,1", "1,-4294967296", "0x8000000000000000,-4294967296"));

/* ---- limits ---- */

UNARY(element_wise_clip, ELEMENT_WISE_CLIP, ordered, fmaxf(p[0], fminf(x, p[1])),
      OF_ONE(ELEMENT_WISE_CLIP, FLOAT32, 4, "-2,0.5,3," NAN_, "-1,0.5,1," NAN_) " Min=-1 Max=1",
      OF_ONE(ELEMENT_WISE_CLIP, FLOAT32, 3, "0,3,6", "4,4,4") " Min=4 Max=2",
      /* A bound that is NaN bounds nothing. */
      OF_ONE(ELEMENT_WISE_CLIP, FLOAT32, 5, "-2,3," NAN_ "," INF "," NEG_INF, "-2,1," NAN_ ",1," NEG_INF) " Min=nan Max=1",
      OF_ONE(ELEMENT_WISE_CLIP, FLOAT16, 3, "-2,3,0x7e00", "-1,3,0x7e00") " Min=-1 Max=nan",
      OF_ONE(ELEMENT_WISE_CLIP, FLOAT32, 3, "-2,3," NAN_, "-2,3," NAN_) " Min=nan Max=nan",
      OF_ONE(ELEMENT_WISE_CLIP, INT8, 3, "-100,3,100", "-2,3,7") " Min=-2.9 Max=7.9",
      OF_ONE(ELEMENT_WISE_CLIP, UINT8, 3, "0,3,255", "0,3,255") " Min=-1000 Max=1000");
UNARY_TENSORS(element_wise_clip1, numbers_from_5_0, numbers_from_5_0);
FAMILY(element_wise_clip1, ELEMENT_WISE_CLIP1, mapping_packed, NULL, NULL,
       OF_ONE(ELEMENT_WISE_CLIP1, FLOAT32, 3, "-2,0.5,3",
              "-1,0.5,1") " MinMaxDataType=FLOAT32 Min=0xbf800000,0 Max=0x3f800000,0",
       OF_ONE(ELEMENT_WISE_CLIP1, FLOAT16, 3, "-2,3,0x7e00",
              "-1,3,0x7e00") " MinMaxDataType=FLOAT16 Min=0xbc00,0 Max=0xfe01,0",
       OF_ONE(ELEMENT_WISE_CLIP1, INT64, 3, "-9000000000,1,9000000000",
              "-8000000000,1,8000000000") " MinMaxDataType=INT64 Min=0x2329b000,0xfffffffe Max=0xdcd65000,0x1");

TENSORS(element_wise_clip_grad, {"InputTensor", limited_gradients}, {"InputGradientTensor", limited_gradients},
        {"OutputGradientTensor", limited_gradients});
LOOP_OF_TWO(element_wise_clip_grad, a <= p[0] || a >= p[1] ? 0 : b)
FAMILY(element_wise_clip_grad, ELEMENT_WISE_CLIP_GRAD, mapping_packed, element_wise_clip_grad_loop, NULL,
       "ELEMENT_WISE_CLIP_GRAD InputTensor=FLOAT32[5] InputTensor.data=-1,0,1,2," NAN_
       " InputGradientTensor=FLOAT32[5] "
       "InputGradientTensor.data=5,6,7,8,9 OutputGradientTensor=FLOAT32[5] OutputGradientTensor.data=0,6,0,0,9 Min=-1 "
       "Max=1",
       "ELEMENT_WISE_CLIP_GRAD InputTensor=FLOAT32[4] InputTensor.data=-9,9," INF "," NEG_INF
       " InputGradientTensor=FLOAT32[4] InputGradientTensor.data=5,6,7,8 OutputGradientTensor=FLOAT32[4] "
       "OutputGradientTensor.data=0,6,7,0 Min=-1 Max=nan",
       "ELEMENT_WISE_CLIP_GRAD InputTensor=UINT8[3] InputTensor.data=1,2,9 InputGradientTensor=UINT8[3] "
       "InputGradientTensor.data=5,6,7 OutputGradientTensor=UINT8[3] OutputGradientTensor.data=0,6,0 Min=1.5 Max=9");
TENSORS(element_wise_clip_grad1, {"InputTensor", numbers_from_5_0}, {"InputGradientTensor", numbers_from_5_0},
        {"OutputGradientTensor", numbers_from_5_0});
FAMILY(element_wise_clip_grad1, ELEMENT_WISE_CLIP_GRAD1, mapping_packed, NULL, NULL,
       "ELEMENT_WISE_CLIP_GRAD1 InputTensor=INT64[3] InputTensor.data=-4294967296,0,4294967296 "
       "InputGradientTensor=INT64[3] InputGradientTensor.data=5,6,7 OutputGradientTensor=INT64[3] "
       "OutputGradientTensor.data=0,6,0 MinMaxDataType=INT64 Min=0,0xffffffff Max=0xffffffff,0",
       "ELEMENT_WISE_CLIP_GRAD1 InputTensor=FLOAT16[3] InputTensor.data=-1,0,1 InputGradientTensor=FLOAT16[3] "
       "InputGradientTensor.data=5,6,7 OutputGradientTensor=FLOAT16[3] OutputGradientTensor.data=5,6,0 "
       "MinMaxDataType=FLOAT16 Min=0xc000,0 Max=0x3c00,0");
UNARY(element_wise_threshold, ELEMENT_WISE_THRESHOLD, limited_below, fmaxf(x, p[0]),
      OF_ONE(ELEMENT_WISE_THRESHOLD, FLOAT32, 3, "-2,3," NAN_, "1,3," NAN_) " Min=1",
      OF_ONE(ELEMENT_WISE_THRESHOLD, FLOAT32, 3, "-2,3," NAN_, "-2,3," NAN_) " Min=nan",
      OF_ONE(ELEMENT_WISE_THRESHOLD, INT32, 2, "-2147483648,3", "-7,3") " Min=-7.9");

/* ---- truth ---- */

#define LOGICAL_LINES(NAME, out)                                                                                       \
    OF_TWO(NAME, UINT8, 4, "0,0,2,255", "0,1,0,128", out), OF_TWO(NAME, UINT32, 4, "0,0,65536,1", "0,256,0,7", out)

BINARY_TENSORS(element_wise_logical_and, logical, logical);
FAMILY(element_wise_logical_and, ELEMENT_WISE_LOGICAL_AND, mapping_packed, NULL, NULL,
       LOGICAL_LINES(ELEMENT_WISE_LOGICAL_AND, "0,0,0,1"));
BINARY_TENSORS(element_wise_logical_or, logical, logical);
FAMILY(element_wise_logical_or, ELEMENT_WISE_LOGICAL_OR, mapping_packed, NULL, NULL,
       LOGICAL_LINES(ELEMENT_WISE_LOGICAL_OR, "0,1,1,1"));
BINARY_TENSORS(element_wise_logical_xor, logical, logical);
FAMILY(element_wise_logical_xor, ELEMENT_WISE_LOGICAL_XOR, mapping_packed, NULL, NULL,
       LOGICAL_LINES(ELEMENT_WISE_LOGICAL_XOR, "0,1,1,0"));
UNARY_TENSORS(element_wise_logical_not, logical, logical);
FAMILY(element_wise_logical_not, ELEMENT_WISE_LOGICAL_NOT, mapping_packed, NULL, NULL,
       OF_ONE(ELEMENT_WISE_LOGICAL_NOT, UINT8, 3, "0,1,128", "1,0,0"),
       OF_ONE(ELEMENT_WISE_LOGICAL_NOT, UINT32, 3, "0,1,65536", "1,0,0"));

/* ---- kinds ---- */

UNARY_TENSORS(element_wise_is_nan, floats_since_2_0, logical_since_2_0);
LOOP_OF_ONE_TO_BYTES(element_wise_is_nan, x != x)
FAMILY(element_wise_is_nan, ELEMENT_WISE_IS_NAN, mapping_packed, element_wise_is_nan_loop, NULL,
       OF_ONE_TO(ELEMENT_WISE_IS_NAN, FLOAT32, 4, "0x7f800001," NEG_INF ",0xffffffff,1", UINT8, "1,0,1,0"),
       OF_ONE_TO(ELEMENT_WISE_IS_NAN, FLOAT16, 3, "0x7c00,0xfc01,0", UINT32, "0,1,0"));
UNARY_TENSORS(element_wise_is_infinity, floats_since_2_1, is_infinity_outputs);
LOOP_OF_ONE_TO_BYTES(element_wise_is_infinity, fabsf(x) == INFINITY)
FAMILY(element_wise_is_infinity, ELEMENT_WISE_IS_INFINITY, mapping_packed, element_wise_is_infinity_loop, NULL,
       OF_ONE_TO(ELEMENT_WISE_IS_INFINITY, FLOAT32, 4, INF "," NEG_INF "," NAN_ ",1", UINT8,
                 "1,1,0,0") " InfinityMode=EITHER",
       OF_ONE_TO(ELEMENT_WISE_IS_INFINITY, FLOAT32, 3, INF "," NEG_INF ",0x7f7fffff", UINT8,
                 "1,0,0") " InfinityMode=POSITIVE",
       OF_ONE_TO(ELEMENT_WISE_IS_INFINITY, FLOAT16, 3, "0x7c00,0xfc00,0x7bff", UINT8,
                 "0,1,0") " InfinityMode=NEGATIVE");

/* ---- choice ---- */

/* With the condition along a row, as masks have it. */
static const struct case_benchmark element_wise_if_benchmarks[] = {
    MAPPING_BENCHMARK("packed", CASE_TYPES_UP_TO_64, MAPPING_PACKED),
    MAPPING_BENCHMARK("broadcast/scalar", CASE_TYPES_UP_TO_64, MAPPING_SCALAR),
};
TENSORS(element_wise_if, {"ConditionTensor", conditions}, {"ATensor", chosen}, {"BTensor", chosen},
        {"OutputTensor", chosen});
FAMILY(
    element_wise_if, ELEMENT_WISE_IF, element_wise_if_benchmarks, NULL, NULL,
    /* The documented example. */
    "ELEMENT_WISE_IF ConditionTensor=UINT8[2,2] ConditionTensor.data=1,0,1,1 ATensor=FLOAT32[2,2] ATensor.data=1,2,3,4 "
    "BTensor=FLOAT32[2,2] BTensor.data=9,8,7,6 OutputTensor=FLOAT32[2,2] OutputTensor.data=1,8,3,4",
    "ELEMENT_WISE_IF ConditionTensor=UINT8[3] ConditionTensor.data=128,0,2 ATensor=FLOAT64[3] "
    "ATensor.data=0x7ff0000000000001,1,2 BTensor=FLOAT64[3] BTensor.data=3,0xfff8000000000001,4 "
    "OutputTensor=FLOAT64[3] "
    "OutputTensor.data=0x7ff0000000000001,0xfff8000000000001,2");
