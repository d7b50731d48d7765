/* The ACTIVATION_ operators. */
#include "cases/generate.h"
#include "cases/operators/mapping.h"

static const struct case_support shrunk[] = {
    AT_LEVEL(2_0, 4, 5, FLOATS), AT_LEVEL(3_0, 1, 8, FLOATS), AT_LEVEL(5_1, 1, 8, UP_TO_32), {0}};
static const struct case_support gradients[] = {AT_LEVEL(3_0, 1, 8, FLOATS), AT_LEVEL(5_1, 1, 8, FLOATS | SIGNED), {0}};

#define INF     "0x7f800000"
#define NEG_INF "0xff800000"
#define NAN_    "0x7fc00000"
#define NEG_0   "0x80000000"

UNARY_TENSORS(activation_identity, activated, activated);
LOOP_OF_ONE(activation_identity, x)
FAMILY_WITH(TRANSFERS, activation_identity, ACTIVATION_IDENTITY, mapping_packed, activation_identity_loop, NULL,
            OF_ONE(ACTIVATION_IDENTITY, FLOAT32, 3, "0x7f800001," NEG_0 ",-2", "0x7f800001," NEG_0 ",-2"));
UNARY(activation_linear, ACTIVATION_LINEAR, activated, p[0] * x + p[1],
      OF_ONE(ACTIVATION_LINEAR, FLOAT32, 3, "1,-2," NAN_, "2.5,-3.5," NAN_) " Alpha=2 Beta=0.5");

/* ---- made of pieces ---- */

UNARY(activation_relu, ACTIVATION_RELU, activated_integers, x > 0 ? x : 0,
      OF_ONE(ACTIVATION_RELU, FLOAT32, 4, "-1," NEG_0 ",0x00000001," NAN_, "0,0,0x00000001," NAN_),
      OF_ONE(ACTIVATION_RELU, INT8, 3, "-128,0,127", "0,0,127"));
UNARY(activation_leaky_relu, ACTIVATION_LEAKY_RELU, activated, x >= 0 ? x : p[0] * x,
      OF_ONE(ACTIVATION_LEAKY_RELU, FLOAT32, 4, "-1," NEG_0 ",3," NAN_, "-0.25," NEG_0 ",3," NAN_) " Alpha=0.25");
UNARY(activation_thresholded_relu, ACTIVATION_THRESHOLDED_RELU, activated, x > p[0] ? x : 0,
      OF_ONE(ACTIVATION_THRESHOLDED_RELU, FLOAT32, 4, "-1,0.5,0.75," NAN_, "0,0,0.75,0") " Alpha=0.5");
UNARY(activation_shrink, ACTIVATION_SHRINK, shrunk,
      x > p[1]    ? x - p[0]
      : x < -p[1] ? x + p[0]
                  : 0,
      OF_ONE(ACTIVATION_SHRINK, FLOAT32, 5, "-2,-0.5,0.5,2," NAN_, "-1.75,0,0,1.75,0") " Bias=0.25 Threshold=0.5",
      OF_ONE(ACTIVATION_SHRINK, INT8, 5, "-128,-3,3,4,127", "-126,0,0,2,125") " Bias=2.5 Threshold=3.5",
      OF_ONE(ACTIVATION_SHRINK, UINT8, 3, "0,3,255", "0,0,253") " Bias=2 Threshold=3");
UNARY(activation_hard_sigmoid, ACTIVATION_HARD_SIGMOID, activated, fmaxf(0, fminf(p[0] * x + p[1], 1)),
      OF_ONE(ACTIVATION_HARD_SIGMOID, FLOAT32, 4, "-3,0,3," NAN_, "0,0.5,1," NAN_) " Alpha=0.25 Beta=0.5");
UNARY(activation_hard_swish, ACTIVATION_HARD_SWISH, floats_from_6_2, x *fmaxf(0, fminf(p[0] * x + p[1], 1)),
      OF_ONE(ACTIVATION_HARD_SWISH, FLOAT32, 4, "-3,1,3," NEG_INF, NEG_0 ",0.75,3," NAN_) " Alpha=0.25 Beta=0.5");
UNARY(activation_softsign, ACTIVATION_SOFTSIGN, activated, x / (1 + fabsf(x)),
      OF_ONE(ACTIVATION_SOFTSIGN, FLOAT32, 4, "-3,1," NEG_0 "," INF, "-0.75,0.5," NEG_0 "," NAN_));

TENSORS(activation_parameterized_relu, {"InputTensor", activated_integers}, {"SlopeTensor", activated_integers},
        {"OutputTensor", activated_integers});
LOOP_OF_TWO(activation_parameterized_relu, a >= 0 ? a : a * b)
FAMILY(activation_parameterized_relu, ACTIVATION_PARAMETERIZED_RELU, mapping_packed, activation_parameterized_relu_loop,
       NULL,
       "ACTIVATION_PARAMETERIZED_RELU InputTensor=FLOAT32[4] InputTensor.data=-1," NEG_0 ",3,-2 SlopeTensor=FLOAT32[4] "
       "SlopeTensor.data=0.25,5,5,-1 OutputTensor=FLOAT32[4] OutputTensor.data=-0.25," NEG_0 ",3,2",
       "ACTIVATION_PARAMETERIZED_RELU InputTensor=INT8[3] InputTensor.data=-3,-128,3 SlopeTensor=INT8[3] "
       "SlopeTensor.data=2,2,5 OutputTensor=INT8[3] OutputTensor.data=-6,0,3");
TENSORS(activation_relu_grad, {"InputTensor", gradients}, {"InputGradientTensor", gradients},
        {"OutputGradientTensor", gradients});
LOOP_OF_TWO(activation_relu_grad, a > 0 ? b : 0)
FAMILY(activation_relu_grad, ACTIVATION_RELU_GRAD, mapping_packed, activation_relu_grad_loop, NULL,
       "ACTIVATION_RELU_GRAD InputTensor=FLOAT32[4] InputTensor.data=-1,0,3," NAN_ " InputGradientTensor=FLOAT32[4] "
       "InputGradientTensor.data=5,6,-7,8 OutputGradientTensor=FLOAT32[4] OutputGradientTensor.data=0,0,-7,0",
       "ACTIVATION_RELU_GRAD InputTensor=INT16[3] InputTensor.data=-1,0,3 InputGradientTensor=INT16[3] "
       "InputGradientTensor.data=5,6,-7 OutputGradientTensor=INT16[3] OutputGradientTensor.data=0,0,-7");

/* ---- made of functions ---- */

UNARY(activation_sigmoid, ACTIVATION_SIGMOID, activated, 1 / (1 + expf(-x)),
      OF_ONE(ACTIVATION_SIGMOID, FLOAT32, 4, "0," NEG_INF ",20," NAN_, "0.5,0,1," NAN_));
UNARY(activation_tanh, ACTIVATION_TANH, activated, tanhf(x),
      OF_ONE(ACTIVATION_TANH, FLOAT32, 4, NEG_0 "," NEG_INF ",20," NAN_, NEG_0 ",-1,1," NAN_));
UNARY(activation_scaled_tanh, ACTIVATION_SCALED_TANH, activated, p[0] * tanhf(p[1] * x),
      OF_ONE(ACTIVATION_SCALED_TANH, FLOAT32, 3, NEG_0 ",-100,100", NEG_0 ",-3,3") " Alpha=3 Beta=0.5");
UNARY(activation_elu, ACTIVATION_ELU, activated, x >= 0 ? x : p[0] * expm1f(x),
      OF_ONE(ACTIVATION_ELU, FLOAT32, 4, NEG_0 "," NEG_INF ",3,-100", NEG_0 ",-2,3,-2") " Alpha=2");
UNARY(activation_celu, ACTIVATION_CELU, floats_from_3_0, fmaxf(0, x) + fminf(0, p[0] * expm1f(x / p[0])),
      OF_ONE(ACTIVATION_CELU, FLOAT32, 3, NEG_INF ",3,-100", "-2,3,-2") " Alpha=2",
      OF_ONE(ACTIVATION_CELU, FLOAT32, 3, NEG_INF ",3,-100", "-3,3,-3") " Alpha=3",
      /* -0.5 * expm1(20) is beyond FLOAT16, -0.0001 * expm1(16) is not. */
      OF_ONE(ACTIVATION_CELU, FLOAT16, 1, "-10", "0xfc00") " Alpha=-0.5",
      OF_ONE(ACTIVATION_CELU, FLOAT16, 1, "-0.001600265502929688", "-891") " Alpha=-0.0001");
UNARY(activation_scaled_elu, ACTIVATION_SCALED_ELU, activated, p[1] * (x > 0 ? x : p[0] * expm1f(x)),
      OF_ONE(ACTIVATION_SCALED_ELU, FLOAT32, 3, NEG_INF ",3,-100", "-6,9,-6") " Alpha=2 Gamma=3");
UNARY(activation_gelu, ACTIVATION_GELU, floats_from_5_1, 0.5f * x * (1 + erff(x * 0.707106781f)),
      OF_ONE(ACTIVATION_GELU, FLOAT32, 4, NEG_0 ",20," INF "," NAN_, NEG_0 ",20," INF "," NAN_));
UNARY(activation_swish, ACTIVATION_SWISH, floats_from_6_2, x / (1 + expf(-p[0] * x)),
      OF_ONE(ACTIVATION_SWISH, FLOAT32, 4, NEG_0 ",20," INF "," NAN_, NEG_0 ",20," INF "," NAN_) " SigmoidInputScale=1",
      /* The sigmoid is denormal, the product of all its digits. */
      OF_ONE(ACTIVATION_SWISH, FLOAT32, 2, "-100,-88", "0x80000a5f,0x83354ddc") " SigmoidInputScale=1");
UNARY(activation_parametric_softplus, ACTIVATION_PARAMETRIC_SOFTPLUS, activated, p[0] * log1pf(expf(p[1] * x)),
      OF_ONE(ACTIVATION_PARAMETRIC_SOFTPLUS, FLOAT32, 3, NEG_INF ",100," NAN_, "0,400," NAN_) " Alpha=2 Beta=2",
      OF_ONE(ACTIVATION_PARAMETRIC_SOFTPLUS, FLOAT32, 1, "-100", "0x00000a5f") " Alpha=100 Beta=1",
      /* The softplus is less than any number, and not 0. */
      OF_ONE(ACTIVATION_PARAMETRIC_SOFTPLUS, FLOAT16, 2, "139,276", "0xfc00,0xfc00") " Alpha=-inf Beta=-0.75");

/* Below feature level 6_4 the steepness is at least 1. */
static const struct case_refusal softplus_refused[] = {
    {"ACTIVATION_SOFTPLUS level=6_3 InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] Steepness=0.5",
     "DML_OPERATOR_ACTIVATION_SOFTPLUS: Steepness is 0.5, must be at least 1 below DML_FEATURE_LEVEL_6_4; the feature "
     "level is 6_3"},
    {"ACTIVATION_SOFTPLUS level=3_0 InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] Steepness=0x7fc00000",
     "DML_OPERATOR_ACTIVATION_SOFTPLUS: Steepness is nan, must be at least 1 below DML_FEATURE_LEVEL_6_4; the feature "
     "level is 3_0"},
};
#define REFUSED .refused = softplus_refused, .refused_count = sizeof(softplus_refused) / sizeof(softplus_refused[0]),
UNARY_TENSORS(activation_softplus, activated, activated);
LOOP_OF_ONE(activation_softplus, log1pf(expf(p[0] * x)) / p[0])
FAMILY_WITH(REFUSED, activation_softplus, ACTIVATION_SOFTPLUS, mapping_packed, activation_softplus_loop, NULL,
            OF_ONE(ACTIVATION_SOFTPLUS, FLOAT32, 4, NEG_INF ",100," INF "," NAN_, "0,100," INF "," NAN_) " Steepness=2",
            OF_ONE(ACTIVATION_SOFTPLUS, FLOAT32, 2, "-1000,1000", "0,1000") " Steepness=0.25");
