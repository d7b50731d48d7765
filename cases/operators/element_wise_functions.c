/* ELEMENT_WISE_ operators that are functions of one number, or of two. */
#include "cases/operators/mapping.h"

static const struct case_support abs_types[] = {AT_LEVEL(1_0, 4, 4, FLOATS),
                                                AT_LEVEL(2_1, 4, 4, FLOATS | SIGNED),
                                                AT_LEVEL(3_0, 1, 8, FLOATS | SIGNED),
                                                AT_LEVEL(4_1, 1, 8, FLOATS | SIGNED | CASE_TYPE(INT64)),
                                                {0}};
static const struct case_support negated[] = {AT_LEVEL(5_0, 1, 8, FLOATS | SIGNED | CASE_TYPE(INT64)), {0}};
static const struct case_support sign_types[] = {AT_LEVEL(2_0, 4, 4, FLOATS),
                                                 AT_LEVEL(2_1, 4, 4, UP_TO_32),
                                                 AT_LEVEL(3_0, 1, 8, UP_TO_32),
                                                 AT_LEVEL(4_1, 1, 8, NUMBERS),
                                                 {0}};
static const struct case_support pow_types[] = {AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(3_0, 1, 8, UP_TO_32), {0}};

#define INF     "0x7f800000"
#define NEG_INF "0xff800000"
#define NAN_    "0x7fc00000"
#define NEG_0   "0x80000000"

/* ---- signs ---- */

UNARY(element_wise_abs, ELEMENT_WISE_ABS, abs_types, fabsf(x),
      OF_ONE(ELEMENT_WISE_ABS, FLOAT32, 5, "-1.5," NEG_0 ",0x80000001," NEG_INF ",0xffc00001",
             "1.5,0,0x00000001," INF "," NAN_),
      OF_ONE(ELEMENT_WISE_ABS, FLOAT16, 3, "-2,0xfc01,0x8001", "2,0x7e00,0x0001"),
      OF_ONE(ELEMENT_WISE_ABS, INT8, 4, "-128,-127,0,5", "-128,127,0,5"),
      OF_ONE(ELEMENT_WISE_ABS, INT64, 2, "0x8000000000000000,-3", "0x8000000000000000,3"));
UNARY(element_wise_negate, ELEMENT_WISE_NEGATE, negated, -x,
      OF_ONE(ELEMENT_WISE_NEGATE, FLOAT32, 4, "-1.5,0,0x80000001,0x7f800001", "1.5," NEG_0 ",0x00000001," NAN_),
      OF_ONE(ELEMENT_WISE_NEGATE, INT16, 3, "-32768,1,-7", "-32768,-1,7"),
      OF_ONE(ELEMENT_WISE_NEGATE, INT64, 2, "0x8000000000000000,4294967296", "0x8000000000000000,-4294967296"));
UNARY(element_wise_sign, ELEMENT_WISE_SIGN, sign_types,
      x > 0   ? 1.0f
      : x < 0 ? -1.0f
              : 0.0f,
      OF_ONE(ELEMENT_WISE_SIGN, FLOAT32, 6, "-0.5,0," NEG_0 ",0x00000001," INF "," NAN_, "-1,0,0,1,1,0"),
      OF_ONE(ELEMENT_WISE_SIGN, INT32, 3, "-2147483648,0,9", "-1,0,1"),
      OF_ONE(ELEMENT_WISE_SIGN, UINT8, 3, "0,1,255", "0,1,1"),
      OF_ONE(ELEMENT_WISE_SIGN, INT64, 3, "-4294967296,0,4294967296", "-1,0,1"));

/* ---- rounding ---- */

UNARY(element_wise_ceil, ELEMENT_WISE_CEIL, floats_since_1_0, ceilf(x),
      OF_ONE(ELEMENT_WISE_CEIL, FLOAT32, 6, "-0.5,0.5,-1.5,2,8388607.5," NAN_, NEG_0 ",1,-1,2,8388608," NAN_));
UNARY(element_wise_floor, ELEMENT_WISE_FLOOR, floats_since_1_0, floorf(x),
      OF_ONE(ELEMENT_WISE_FLOOR, FLOAT32, 6, "-0.5,0.5,-1.5,2," NEG_0 "," NEG_INF, "-1,0,-2,2," NEG_0 "," NEG_INF));
UNARY(element_wise_round, ELEMENT_WISE_ROUND, floats_since_2_1, nearbyintf(x),
      OF_ONE(ELEMENT_WISE_ROUND, FLOAT32, 5, "0.5,1.5,-2.5,-0.25,2.75",
             "0,2,-2," NEG_0 ",3") " RoundingMode=HALVES_TO_NEAREST_EVEN",
      OF_ONE(ELEMENT_WISE_ROUND, FLOAT32, 4, "0.5,1.5,-2.5,-0.25", "0,1,-2," NEG_0) " RoundingMode=TOWARD_ZERO",
      OF_ONE(ELEMENT_WISE_ROUND, FLOAT32, 4, "0.5,1.5,-2.5,-0.25", "1,2,-3," NEG_0) " RoundingMode=TOWARD_INFINITY");

/* ---- roots and powers ---- */

UNARY(element_wise_recip, ELEMENT_WISE_RECIP, floats_since_1_0, 1 / x,
      OF_ONE(ELEMENT_WISE_RECIP, FLOAT32, 6, "2,3," NEG_0 "," NEG_INF ",0x7f7fffff,0x00000001",
             "0.5,0x3eaaaaab," NEG_INF "," NEG_0 ",0x00200000," INF),
      OF_ONE(ELEMENT_WISE_RECIP, FLOAT32, 2, "1,3", "0.5,0.25") " ScaleBias=1,1");
UNARY(element_wise_sqrt, ELEMENT_WISE_SQRT, floats_since_1_0, sqrtf(x),
      OF_ONE(ELEMENT_WISE_SQRT, FLOAT32, 6, "4,2," NEG_0 ",-1," INF ",0x00000001",
             "2,0x3fb504f3," NEG_0 "," NAN_ "," INF ",0x1a3504f3"));
UNARY(element_wise_constant_pow, ELEMENT_WISE_CONSTANT_POW, floats_since_1_0, powf(x, p[0]),
      OF_ONE(ELEMENT_WISE_CONSTANT_POW, FLOAT32, 5, "-2,3,0.5," INF ",1", "-8,27,0.125," INF ",1") " Exponent=3",
      OF_ONE(ELEMENT_WISE_CONSTANT_POW, FLOAT32, 3, "-2,0," NAN_, "1,1,1") " Exponent=0");

TENSORS(element_wise_pow, {"InputTensor", pow_types}, {"ExponentTensor", pow_types}, {"OutputTensor", pow_types});
LOOP_OF_TWO(element_wise_pow, powf(a, b))
FAMILY(element_wise_pow, ELEMENT_WISE_POW, mapping_packed, element_wise_pow_loop, NULL,
       "ELEMENT_WISE_POW InputTensor=FLOAT32[5] InputTensor.data=2,-2,-2,0,9 ExponentTensor=FLOAT32[5] "
       "ExponentTensor.data=10,3,0.5,-1,0.5 OutputTensor=FLOAT32[5] OutputTensor.data=1024,-8," NAN_ "," INF ",3",
       "ELEMENT_WISE_POW InputTensor=INT8[6] InputTensor.data=2,2,-1,-1,2,0 ExponentTensor=INT32[6] "
       "ExponentTensor.data=6,7,-3,-2,-1,-1 OutputTensor=INT8[6] OutputTensor.data=64,-128,-1,1,0,0",
       "ELEMENT_WISE_POW InputTensor=UINT32[3] InputTensor.data=3,0,65537 ExponentTensor=UINT8[3] "
       "ExponentTensor.data=20,0,2 OutputTensor=UINT32[3] OutputTensor.data=3486784401,1,131073",
       "ELEMENT_WISE_POW InputTensor=INT16[3] InputTensor.data=9,-4,300 ExponentTensor=FLOAT32[3] "
       "ExponentTensor.data=0.5,0.5,2 OutputTensor=INT16[3] OutputTensor.data=3,0,32767",
       "ELEMENT_WISE_POW InputTensor=FLOAT32[2] InputTensor.data=1.5,-2 ExponentTensor=INT8[2] "
       "ExponentTensor.data=2,-1 OutputTensor=FLOAT32[2] OutputTensor.data=2.25,-0.5");

/* ---- exponentials and their inverses ---- */

UNARY(element_wise_exp, ELEMENT_WISE_EXP, floats_since_1_0, expf(x),
      OF_ONE(ELEMENT_WISE_EXP, FLOAT32, 6, "0," NEG_INF "," INF "," NAN_ ",89,-104", "1,0," INF "," NAN_ "," INF ",0"),
      /* So many that an invocation of a GPU gets several items, the last of them fewer; side by side and with gaps. The
       * first is in the part of fixed cases that the portable kernels run, the second in the subgroup kernels'. */
      "ELEMENT_WISE_EXP InputTensor=FLOAT32[1025,1023] InputTensor.fill=UNIT OutputTensor=FLOAT32[1025,1023]",
      "ELEMENT_WISE_EXP InputTensor=FLOAT16[1025,1023] InputTensor.fill=SPECIAL "
      "OutputTensor=FLOAT16[1025,1023] OutputTensor.strides=2050,2",
      OF_ONE(ELEMENT_WISE_EXP, FLOAT32, 1, "3", "1") " ScaleBias=2,-6");
UNARY(element_wise_log, ELEMENT_WISE_LOG, floats_since_1_0, logf(x),
      OF_ONE(ELEMENT_WISE_LOG, FLOAT32, 5, "1,0,-1," INF "," NEG_0, "0," NEG_INF "," NAN_ "," INF "," NEG_INF));
UNARY(element_wise_erf, ELEMENT_WISE_ERF, floats_since_2_0, erff(x),
      OF_ONE(ELEMENT_WISE_ERF, FLOAT32, 5, "0," NEG_0 "," INF ",-5," NAN_, "0," NEG_0 ",1,-1," NAN_));

/* ---- trigonometry ---- */

UNARY(element_wise_sin, ELEMENT_WISE_SIN, floats_since_1_0, sinf(x),
      OF_ONE(ELEMENT_WISE_SIN, FLOAT32, 4, "0," NEG_0 "," INF ",0x00000001", "0," NEG_0 "," NAN_ ",0x00000001"));
UNARY(element_wise_cos, ELEMENT_WISE_COS, floats_since_1_0, cosf(x),
      OF_ONE(ELEMENT_WISE_COS, FLOAT32, 3, "0," NEG_INF ",0x00000001", "1," NAN_ ",1"));
UNARY(element_wise_tan, ELEMENT_WISE_TAN, floats_since_1_0, tanf(x),
      OF_ONE(ELEMENT_WISE_TAN, FLOAT32, 3, NEG_0 "," INF ",0x00000001", NEG_0 "," NAN_ ",0x00000001"));
UNARY(element_wise_asin, ELEMENT_WISE_ASIN, floats_since_1_0, asinf(x),
      OF_ONE(ELEMENT_WISE_ASIN, FLOAT32, 3, NEG_0 ",1.5," NAN_, NEG_0 "," NAN_ "," NAN_));
UNARY(element_wise_acos, ELEMENT_WISE_ACOS, floats_since_1_0, acosf(x),
      OF_ONE(ELEMENT_WISE_ACOS, FLOAT32, 3, "1,-1.5," NAN_, "0," NAN_ "," NAN_));
UNARY(element_wise_atan, ELEMENT_WISE_ATAN, floats_since_1_0, atanf(x),
      OF_ONE(ELEMENT_WISE_ATAN, FLOAT32, 3, NEG_0 ",0x00000001," NAN_, NEG_0 ",0x00000001," NAN_));
BINARY(element_wise_atan_yx, ELEMENT_WISE_ATAN_YX, floats_from_3_1, atan2f(a, b),
       OF_TWO(ELEMENT_WISE_ATAN_YX, FLOAT32, 4, "0," NEG_0 ",1," NAN_, "1,2," INF ",1", "0," NEG_0 ",0," NAN_));

/* ---- hyperbolic ---- */

UNARY(element_wise_sinh, ELEMENT_WISE_SINH, floats_since_2_0, sinhf(x),
      OF_ONE(ELEMENT_WISE_SINH, FLOAT32, 4, NEG_0 ",-90," INF "," NAN_, NEG_0 "," NEG_INF "," INF "," NAN_));
UNARY(element_wise_cosh, ELEMENT_WISE_COSH, floats_since_2_0, coshf(x),
      OF_ONE(ELEMENT_WISE_COSH, FLOAT32, 4, "0,-90," NEG_INF "," NAN_, "1," INF "," INF "," NAN_));
UNARY(element_wise_tanh, ELEMENT_WISE_TANH, floats_since_2_0, tanhf(x),
      OF_ONE(ELEMENT_WISE_TANH, FLOAT32, 4, NEG_0 ",20," NEG_INF "," NAN_, NEG_0 ",1,-1," NAN_));
UNARY(element_wise_asinh, ELEMENT_WISE_ASINH, floats_since_2_0, asinhf(x),
      OF_ONE(ELEMENT_WISE_ASINH, FLOAT32, 3, NEG_0 "," NEG_INF "," NAN_, NEG_0 "," NEG_INF "," NAN_));
UNARY_TENSORS(element_wise_acosh, floats_since_2_0, floats_since_2_0);
LOOP_OF_ONE(element_wise_acosh, acoshf(x))
FAMILY(element_wise_acosh, ELEMENT_WISE_ACOSH, mapping_above_one, element_wise_acosh_loop, NULL,
       OF_ONE(ELEMENT_WISE_ACOSH, FLOAT32, 4, "1,0.5," INF "," NAN_, "0," NAN_ "," INF "," NAN_));
UNARY(element_wise_atanh, ELEMENT_WISE_ATANH, floats_since_2_0, atanhf(x),
      OF_ONE(ELEMENT_WISE_ATANH, FLOAT32, 4, NEG_0 ",1,-1,1.5", NEG_0 "," INF "," NEG_INF "," NAN_));
