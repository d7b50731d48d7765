/**
 * @file dml_operators.h
 * @brief DirectML's operator descriptors: a struct for each DML_OPERATOR_TYPE. Part of dml_types.h, which includes it.
 *
 * Names, order and types of the fields are DirectML's at feature level 6_4. All 177 are declared and implemented;
 * vkdmlGetOperatorSchema() tells what their tensors may be at which level.
 *
 * How the comments are to be read:
 *  - (2_0) behind a name is the feature level that introduced the operator; without one it is 1_0.
 *  - A pointer may be NULL only where its field is called optional, and ScaleBias and FusedActivation always.
 *  - x, a, b and out are elements of InputTensor, ATensor, BTensor and OutputTensor at the same coordinates, and these
 *    tensors then have the same sizes. With a ScaleBias x stands for x * Scale + Bias. FusedActivation is an
 *    activation applied to each result.
 *  - {N, C, H, W} are a tensor's sizes; {.., M, N} its last ones, those before being what the text says, or 1. Axis and
 *    Axes are indices of dimensions. Strides that are fields of an operator are no strides of a tensor.
 *  - quantize(v) = clamp(round(v / scale) + zero point) to the range of the type, dequantize(q) = (q - zero point) *
 *    scale, with the scale and zero point tensors of that side.
 *  - Fields that are BOOL in DirectML are int32_t here, of value 0 or 1 (dml_types.h says why).
 *  - DimensionCount is the length of the arrays that follow it.
 *
 * Where DirectML leaves results of elements open, they are defined here (docs/OPERATORS.md has all of it, and how exact
 * they are):
 *  - Floats round to nearest, ties to even, after each operation as written; denormals are kept, a result that is
 *    NaN is the positive quiet NaN without payload. FLOAT16 is computed in FLOAT32 and rounded once.
 *  - Sums, differences, products and powers of integers wrap around; quotients and remainders by 0 are 0; the least
 *    number divided by -1 is itself.
 *  - Floats become integers truncated toward zero and saturated, NaN 0; integers become narrower ones by their
 *    low bits.
 *  - Comparisons with NaN are false. Any integer but 0 is true, results are 1 and 0.
 *  - The lesser and the greater of NaN and anything are NaN, and -0 is less than +0.
 *  - Of an odd number of 4-bit elements the last half byte belongs to none, and keeps its value.
 */
#ifndef VKDML_DML_OPERATORS_H
#define VKDML_DML_OPERATORS_H

#include "vkdml/dml_types.h"

#ifdef VKDML_DECLARES_DIRECTML /* and not the real DirectML.h */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Element by element: arithmetic ---- */

/**
 * DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor[i] = InputTensor[i], or with ScaleBias
 * InputTensor[i] * Scale + Bias. Equal types and sizes; strides may differ. May run in place.
 *
 * ScaleBias on FLOAT32 and FLOAT64 multiplies, rounds, adds and rounds in that type; on FLOAT16 in FLOAT32 and rounds
 * once more to FLOAT16. Every rounding is to nearest, ties to even, denormals are kept, any NaN result is the
 * type's positive quiet NaN without payload. On integers the exact value is truncated toward zero and saturated;
 * NaN gives 0.
 */
typedef struct DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ADD: out = a + b. */
typedef struct DML_ELEMENT_WISE_ADD_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_ADD_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ADD1 (2_0): out = FusedActivation(a + b). */
typedef struct DML_ELEMENT_WISE_ADD1_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_OPERATOR_DESC *FusedActivation; /**< optional */
} DML_ELEMENT_WISE_ADD1_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_SUBTRACT: out = a - b. */
typedef struct DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_MULTIPLY: out = a * b. */
typedef struct DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_DIVIDE: out = a / b; quotients of integers are truncated, and 0 where b is. */
typedef struct DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC;

/**
 * DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE (2_1): out = a - b * trunc(a / b): the remainder with the sign of a, as
 * C's %.
 */
typedef struct DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC;

/**
 * DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR (2_1): out = a - b * floor(a / b): the remainder with the sign of b, as
 * Python's %.
 */
typedef struct DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_MAX: out = the greater of a and b. */
typedef struct DML_ELEMENT_WISE_MAX_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_MAX_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_MIN: out = the lesser of a and b. */
typedef struct DML_ELEMENT_WISE_MIN_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_MIN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_MEAN: out = (a + b) / 2; of integers the sum wraps and is halved toward zero. */
typedef struct DML_ELEMENT_WISE_MEAN_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_MEAN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_DIFFERENCE_SQUARE (3_1): out = (a - b) * (a - b). */
typedef struct DML_ELEMENT_WISE_DIFFERENCE_SQUARE_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_DIFFERENCE_SQUARE_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ABS: out = the absolute value of x. */
typedef struct DML_ELEMENT_WISE_ABS_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_ABS_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_NEGATE (5_0): out = -x. */
typedef struct DML_ELEMENT_WISE_NEGATE_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_NEGATE_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_SIGN (2_0): out = -1, 0 or 1, as x is below, neither, or above 0: 0 of NaN. */
typedef struct DML_ELEMENT_WISE_SIGN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_SIGN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_RECIP: out = 1 / x. */
typedef struct DML_ELEMENT_WISE_RECIP_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_RECIP_OPERATOR_DESC;

/* ---- Element by element: functions ---- */

/** DML_OPERATOR_ELEMENT_WISE_SQRT: out = the square root of x. */
typedef struct DML_ELEMENT_WISE_SQRT_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_SQRT_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_EXP: out = e to the power x. */
typedef struct DML_ELEMENT_WISE_EXP_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_EXP_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOG: out = the natural logarithm of x, -infinity for 0. */
typedef struct DML_ELEMENT_WISE_LOG_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_LOG_OPERATOR_DESC;

/**
 * DML_OPERATOR_ELEMENT_WISE_POW: out = x to the power e, the element of ExponentTensor, which ScaleBias does not touch.
 * A negative x needs an integral e, else out is NaN. Powers of integers by integers wrap; a negative e gives 1 divided
 * by that, truncated, and 0 for 0; by floats they are FLOAT32's, truncated and saturated.
 */
typedef struct DML_ELEMENT_WISE_POW_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ExponentTensor; /**< of InputTensor's type below 3_0 */
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_POW_OPERATOR_DESC;

/**
 * DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW: out = x to the power Exponent; NaN for a negative x unless Exponent is
 * integral.
 */
typedef struct DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
    float Exponent;
} DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC;

/**
 * DML_OPERATOR_ELEMENT_WISE_ERF (2_0): out = the error function of x, 2 / sqrt(pi) times the integral of exp(-t * t)
 * from 0 to x.
 */
typedef struct DML_ELEMENT_WISE_ERF_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_ERF_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_SIN: out = sin(x). */
typedef struct DML_ELEMENT_WISE_SIN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_SIN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_COS: out = cos(x). */
typedef struct DML_ELEMENT_WISE_COS_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_COS_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_TAN: out = tan(x). */
typedef struct DML_ELEMENT_WISE_TAN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_TAN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ASIN: out = asin(x). */
typedef struct DML_ELEMENT_WISE_ASIN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_ASIN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ACOS: out = acos(x). */
typedef struct DML_ELEMENT_WISE_ACOS_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_ACOS_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ATAN: out = atan(x). */
typedef struct DML_ELEMENT_WISE_ATAN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_ATAN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ATAN_YX (3_1): out = atan2(a, b): a is the ordinate y, b the abscissa x. */
typedef struct DML_ELEMENT_WISE_ATAN_YX_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_ATAN_YX_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_SINH (2_0): out = sinh(x). */
typedef struct DML_ELEMENT_WISE_SINH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_SINH_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_COSH (2_0): out = cosh(x). */
typedef struct DML_ELEMENT_WISE_COSH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_COSH_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_TANH (2_0): out = tanh(x). */
typedef struct DML_ELEMENT_WISE_TANH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_TANH_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ASINH (2_0): out = asinh(x) = ln(x + sqrt(x * x + 1)). */
typedef struct DML_ELEMENT_WISE_ASINH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_ASINH_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ACOSH (2_0): out = acosh(x) = ln(x + sqrt(x * x - 1)). */
typedef struct DML_ELEMENT_WISE_ACOSH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_ACOSH_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ATANH (2_0): out = atanh(x) = ln((1 + x) / (1 - x)) / 2. */
typedef struct DML_ELEMENT_WISE_ATANH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_ATANH_OPERATOR_DESC;

/* ---- Element by element: rounding, bounds, conversion, choice ---- */

/** DML_OPERATOR_ELEMENT_WISE_CEIL: out = the smallest integer not below x. */
typedef struct DML_ELEMENT_WISE_CEIL_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_CEIL_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_FLOOR: out = the largest integer not above x. */
typedef struct DML_ELEMENT_WISE_FLOOR_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
} DML_ELEMENT_WISE_FLOOR_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_ROUND (2_1): out = x rounded to an integer as RoundingMode says. */
typedef struct DML_ELEMENT_WISE_ROUND_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_ROUNDING_MODE RoundingMode;
} DML_ELEMENT_WISE_ROUND_OPERATOR_DESC;

/**
 * DML_OPERATOR_ELEMENT_WISE_CLIP: out = max(Min, min(x, Max)); Min and Max are converted to the tensor's type first.
 */
typedef struct DML_ELEMENT_WISE_CLIP_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
    float Min;
    float Max;
} DML_ELEMENT_WISE_CLIP_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_CLIP1 (5_0): CLIP with bounds of the tensor's own type. */
typedef struct DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias;     /**< optional */
    DML_TENSOR_DATA_TYPE MinMaxDataType; /**< equals OutputTensor's */
    DML_SCALAR_UNION Min;
    DML_SCALAR_UNION Max;
} DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC;

/**
 * DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD (3_1): the gradient of CLIP: where x <= Min or x >= Max it is 0, elsewhere the
 * element of InputGradientTensor. Three tensors of one type and size.
 */
typedef struct DML_ELEMENT_WISE_CLIP_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    float Min;
    float Max;
} DML_ELEMENT_WISE_CLIP_GRAD_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1 (5_0): CLIP_GRAD with bounds of the tensors' own type. */
typedef struct DML_ELEMENT_WISE_CLIP_GRAD1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    DML_TENSOR_DATA_TYPE MinMaxDataType; /**< equals OutputGradientTensor's */
    DML_SCALAR_UNION Min;
    DML_SCALAR_UNION Max;
} DML_ELEMENT_WISE_CLIP_GRAD1_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_THRESHOLD: out = max(x, Min). */
typedef struct DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_SCALE_BIAS *ScaleBias; /**< optional */
    float Min;
} DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_IF (2_0): out = condition != 0 ? a : b. */
typedef struct DML_ELEMENT_WISE_IF_OPERATOR_DESC {
    const DML_TENSOR_DESC *ConditionTensor; /**< UINT8 */
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_IF_OPERATOR_DESC;

/** DML_OPERATOR_CAST: out = x converted to OutputTensor's type. */
typedef struct DML_CAST_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_CAST_OPERATOR_DESC;

/* ---- Element by element: comparison and logic ----
 * Results are 1 for true and 0 for false. */

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS: out = a == b. */
typedef struct DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< UINT32 or UINT8, whatever the inputs are */
} DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN: out = a > b. */
typedef struct DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< UINT32 or UINT8, whatever the inputs are */
} DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL (3_0): out = a >= b. */
typedef struct DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< UINT32 or UINT8, whatever the inputs are */
} DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN: out = a < b. */
typedef struct DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< UINT32 or UINT8, whatever the inputs are */
} DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL (3_0): out = a <= b. */
typedef struct DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< UINT32 or UINT8, whatever the inputs are */
} DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND: out = a && b. */
typedef struct DML_ELEMENT_WISE_LOGICAL_AND_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_LOGICAL_AND_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR: out = a || b. */
typedef struct DML_ELEMENT_WISE_LOGICAL_OR_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_LOGICAL_OR_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR: out = !a != !b. */
typedef struct DML_ELEMENT_WISE_LOGICAL_XOR_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_LOGICAL_XOR_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT: out = !x. */
typedef struct DML_ELEMENT_WISE_LOGICAL_NOT_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_LOGICAL_NOT_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_IS_NAN (2_0): out = whether x is a NaN. */
typedef struct DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< UINT32 or UINT8 */
} DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_IS_INFINITY (2_1): out = whether x is an infinity of the sign that InfinityMode names. */
typedef struct DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< UINT8 */
    DML_IS_INFINITY_MODE InfinityMode;
} DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC;

/* ---- Element by element: bits ----
 * Whatever the type that they encode. */

/** DML_OPERATOR_ELEMENT_WISE_BIT_AND (3_0): out = a & b. */
typedef struct DML_ELEMENT_WISE_BIT_AND_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_BIT_AND_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_BIT_OR (3_0): out = a | b. */
typedef struct DML_ELEMENT_WISE_BIT_OR_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_BIT_OR_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_BIT_XOR (3_0): out = a ^ b. */
typedef struct DML_ELEMENT_WISE_BIT_XOR_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_BIT_XOR_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_BIT_NOT (3_0): out = ~x. */
typedef struct DML_ELEMENT_WISE_BIT_NOT_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_BIT_NOT_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT (2_1): out = a << b, zeros moving in: 0 for b beyond the width. */
typedef struct DML_ELEMENT_WISE_BIT_SHIFT_LEFT_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_BIT_SHIFT_LEFT_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT (2_1): out = a >> b, zeros moving in. */
typedef struct DML_ELEMENT_WISE_BIT_SHIFT_RIGHT_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_BIT_SHIFT_RIGHT_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_BIT_COUNT (3_0): out = how many bits of x are 1. */
typedef struct DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< UINT32 or UINT8 */
} DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC;

/* ---- Quantization ---- */

/**
 * DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR: out = quantize(x). Four tensors of the same sizes; OutputTensor is INT8 or
 * UINT8.
 */
typedef struct DML_ELEMENT_WISE_QUANTIZE_LINEAR_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ScaleTensor;     /**< nowhere 0 */
    const DML_TENSOR_DESC *ZeroPointTensor; /**< optional from 6_2; of OutputTensor's type */
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_QUANTIZE_LINEAR_OPERATOR_DESC;

/** DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR: out = dequantize(x). Four tensors of the same sizes. */
typedef struct DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ScaleTensor;     /**< of OutputTensor's type */
    const DML_TENSOR_DESC *ZeroPointTensor; /**< optional from 6_2; of InputTensor's type */
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC;

/**
 * DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD (4_0): out = quantize(dequantize(a) + dequantize(b)) of INT8 or UINT8.
 * Scales and zero points have one element; an absent zero point is 0.
 */
typedef struct DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *AScaleTensor;
    const DML_TENSOR_DESC *AZeroPointTensor; /**< optional */
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *BScaleTensor;
    const DML_TENSOR_DESC *BZeroPointTensor;      /**< optional */
    const DML_TENSOR_DESC *OutputScaleTensor;     /**< an input */
    const DML_TENSOR_DESC *OutputZeroPointTensor; /**< an input; optional */
    const DML_TENSOR_DESC *OutputTensor;
} DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC;

/**
 * DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR (4_0): quantizes InputTensor with a scale and zero point that it computes:
 * OutputScale = (max(x) - min(x)) / (Max - Min) and OutputZeroPoint = Min - min(x) / OutputScale, Min to Max being the
 * range of INT8 or UINT8. max(x) is at least 0 and min(x) at most 0; a scale of 0 becomes 1; halves round to even.
 */
typedef struct DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_TENSOR_DESC *OutputScaleTensor;     /**< one element, FLOAT32 */
    const DML_TENSOR_DESC *OutputZeroPointTensor; /**< one element, of OutputTensor's type */
} DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC;

/**
 * DML_OPERATOR_QUANTIZE (6_3): from FLOAT32 or FLOAT16 to 8 or 4 bits, with the tensors that QuantizationType names.
 * Each size of the scale tensor divides the input's: an element of it is for a block of so many. NaN gives the zero
 * point.
 */
typedef struct DML_QUANTIZE_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    DML_QUANTIZATION_TYPE QuantizationType;
    uint32_t QuantizationTensorCount;
    const DML_TENSOR_DESC *QuantizationTensors; /**< array of QuantizationTensorCount tensors, all inputs */
    const DML_TENSOR_DESC *OutputTensor;
} DML_QUANTIZE_OPERATOR_DESC;

/**
 * DML_OPERATOR_DEQUANTIZE (6_3): from 8 or 4 bits to FLOAT32 or FLOAT16, with the tensors that QuantizationType names.
 * Blocks are as in DML_OPERATOR_QUANTIZE; the difference is exact before it is rounded to FLOAT32 and scaled.
 */
typedef struct DML_DEQUANTIZE_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    DML_QUANTIZATION_TYPE QuantizationType;
    uint32_t QuantizationTensorCount;
    const DML_TENSOR_DESC *QuantizationTensors; /**< array of QuantizationTensorCount tensors, all inputs */
    const DML_TENSOR_DESC *OutputTensor;
} DML_DEQUANTIZE_OPERATOR_DESC;

/* ---- Activations ---- */

/** DML_OPERATOR_ACTIVATION_IDENTITY: out = x. */
typedef struct DML_ACTIVATION_IDENTITY_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_IDENTITY_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_LINEAR: out = Alpha * x + Beta. */
typedef struct DML_ACTIVATION_LINEAR_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
    float Beta;
} DML_ACTIVATION_LINEAR_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_RELU: out = max(0, x). */
typedef struct DML_ACTIVATION_RELU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_RELU_OPERATOR_DESC;

/**
 * DML_OPERATOR_ACTIVATION_RELU_GRAD (3_0): the gradient of RELU: x > 0 ? the element of InputGradientTensor : 0. Three
 * tensors of one type and size.
 */
typedef struct DML_ACTIVATION_RELU_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
} DML_ACTIVATION_RELU_GRAD_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_LEAKY_RELU: out = x >= 0 ? x : Alpha * x. */
typedef struct DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
} DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU: out = x >= 0 ? x : slope * x. */
typedef struct DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *SlopeTensor; /**< of InputTensor's type and sizes */
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU: out = x > Alpha ? x : 0. */
typedef struct DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
} DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_ELU: out = x >= 0 ? x : Alpha * (exp(x) - 1). */
typedef struct DML_ACTIVATION_ELU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
} DML_ACTIVATION_ELU_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_CELU (3_0): out = max(0, x) + min(0, Alpha * (exp(x / Alpha) - 1)). */
typedef struct DML_ACTIVATION_CELU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
} DML_ACTIVATION_CELU_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_SCALED_ELU: out = Gamma * (x > 0 ? x : Alpha * exp(x) - Alpha). */
typedef struct DML_ACTIVATION_SCALED_ELU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
    float Gamma;
} DML_ACTIVATION_SCALED_ELU_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_GELU (5_1): out = x / 2 * (1 + erf(x / sqrt(2))). */
typedef struct DML_ACTIVATION_GELU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_GELU_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_SIGMOID: out = 1 / (1 + exp(-x)). */
typedef struct DML_ACTIVATION_SIGMOID_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_SIGMOID_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_HARD_SIGMOID: out = max(0, min(Alpha * x + Beta, 1)). */
typedef struct DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
    float Beta;
} DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_SWISH (6_2): out = x * sigmoid(SigmoidInputScale * x). */
typedef struct DML_ACTIVATION_SWISH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float SigmoidInputScale;
} DML_ACTIVATION_SWISH_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_HARD_SWISH (6_2): out = x * max(0, min(Alpha * x + Beta, 1)). */
typedef struct DML_ACTIVATION_HARD_SWISH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
    float Beta;
} DML_ACTIVATION_HARD_SWISH_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_TANH: out = tanh(x). */
typedef struct DML_ACTIVATION_TANH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_TANH_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_SCALED_TANH: out = Alpha * tanh(Beta * x). */
typedef struct DML_ACTIVATION_SCALED_TANH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
    float Beta;
} DML_ACTIVATION_SCALED_TANH_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_SOFTPLUS: out = ln(1 + exp(Steepness * x)) / Steepness. */
typedef struct DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Steepness; /**< at least 1 below 6_4 */
} DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS: out = Alpha * ln(1 + exp(Beta * x)). */
typedef struct DML_ACTIVATION_PARAMETRIC_SOFTPLUS_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
    float Beta;
} DML_ACTIVATION_PARAMETRIC_SOFTPLUS_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_SOFTSIGN: out = x / (1 + abs(x)). */
typedef struct DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_SHRINK (2_0): out = x - Bias above Threshold, x + Bias below -Threshold, else 0. */
typedef struct DML_ACTIVATION_SHRINK_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Bias;
    float Threshold;
} DML_ACTIVATION_SHRINK_OPERATOR_DESC;

/**
 * DML_OPERATOR_ACTIVATION_SOFTMAX: SOFTMAX1 along the last dimension. Without leading ones InputTensor has at most two
 * dimensions.
 */
typedef struct DML_ACTIVATION_SOFTMAX_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_SOFTMAX_OPERATOR_DESC;

/**
 * DML_OPERATOR_ACTIVATION_SOFTMAX1 (5_1): out = exp(x) / the sum of exp(x) over Axes. NaN where an element is, or where
 * all are -infinity; beside infinity, which gives NaN, finite elements give 0. Computed in FLOAT32.
 */
typedef struct DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t AxisCount;
    const uint32_t *Axes; /**< AxisCount dimensions */
} DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC;

/**
 * DML_OPERATOR_ACTIVATION_LOG_SOFTMAX: LOG_SOFTMAX1 along the last dimension. Without leading ones InputTensor has at
 * most two dimensions.
 */
typedef struct DML_ACTIVATION_LOG_SOFTMAX_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_LOG_SOFTMAX_OPERATOR_DESC;

/** DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1 (5_1): out = ln(exp(x) / the sum of exp(x) over Axes), no power overflowing. */
typedef struct DML_ACTIVATION_LOG_SOFTMAX1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t AxisCount;
    const uint32_t *Axes; /**< AxisCount dimensions */
} DML_ACTIVATION_LOG_SOFTMAX1_OPERATOR_DESC;

/**
 * DML_OPERATOR_ACTIVATION_HARDMAX: HARDMAX1 along the last dimension. Without leading ones InputTensor has at most two
 * dimensions.
 */
typedef struct DML_ACTIVATION_HARDMAX_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
} DML_ACTIVATION_HARDMAX_OPERATOR_DESC;

/**
 * DML_OPERATOR_ACTIVATION_HARDMAX1 (5_1): out = 1 at the first of the greatest elements over Axes in row-major order,
 * else 0. NaN is greater than all others.
 */
typedef struct DML_ACTIVATION_HARDMAX1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t AxisCount;
    const uint32_t *Axes; /**< AxisCount dimensions */
} DML_ACTIVATION_HARDMAX1_OPERATOR_DESC;

/* ---- Matrix products ----
 * M, N and K are the last two sizes; those before them count independent products. */

/**
 * DML_OPERATOR_GEMM: out = FusedActivation(Alpha * TransA(A) x TransB(B) + Beta * C). A is {.., M, K}, or {.., K, M}
 * with TRANSPOSE; B is {.., K, N}, or {.., N, K}; C and out are {.., M, N}. One data type.
 */
typedef struct DML_GEMM_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *CTensor; /**< optional: 0 without */
    const DML_TENSOR_DESC *OutputTensor;
    DML_MATRIX_TRANSFORM TransA;
    DML_MATRIX_TRANSFORM TransB;
    float Alpha;
    float Beta;
    const DML_OPERATOR_DESC *FusedActivation; /**< optional */
} DML_GEMM_OPERATOR_DESC;

/**
 * DML_OPERATOR_MATRIX_MULTIPLY_INTEGER (2_1): {.., M, N} of INT32 = (A - AZeroPoint) x (B - BZeroPoint), A {.., M, K}
 * and B {.., K, N} of INT8 or UINT8 each.
 */
typedef struct DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *AZeroPointTensor; /**< optional; one element, or one per row: {.., M, 1} */
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *BZeroPointTensor; /**< optional; one element, or one per column: {.., 1, N} */
    const DML_TENSOR_DESC *OutputTensor;
} DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC;

/**
 * DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT (6_2): {.., M, N} = dequantize(A) x dequantize(B) + Bias, A {.., M, K}
 * and B {.., K, N} of one integer type. Scales, BiasTensor and OutputTensor have one data type.
 */
typedef struct DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *AScaleTensor;     /**< one element, or {.., M, 1}, as the next */
    const DML_TENSOR_DESC *AZeroPointTensor; /**< optional */
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *BScaleTensor;     /**< one element, or {.., 1, N}, as the next */
    const DML_TENSOR_DESC *BZeroPointTensor; /**< optional */
    const DML_TENSOR_DESC *BiasTensor;       /**< optional; of OutputTensor's sizes */
    const DML_TENSOR_DESC *OutputTensor;
} DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC;

/**
 * DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY (2_1): {.., M, N} = quantize(dequantize(A) x dequantize(B)), A {.., M,
 * K} and B {.., K, N}, all of INT8 or UINT8.
 */
typedef struct DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *AScaleTensor;     /**< one element, or {.., M, 1}, as the next */
    const DML_TENSOR_DESC *AZeroPointTensor; /**< optional */
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *BScaleTensor;          /**< one element, or {.., 1, N}, as the next */
    const DML_TENSOR_DESC *BZeroPointTensor;      /**< optional */
    const DML_TENSOR_DESC *OutputScaleTensor;     /**< an input; one element, or {.., M, 1}, as the next */
    const DML_TENSOR_DESC *OutputZeroPointTensor; /**< an input; optional */
    const DML_TENSOR_DESC *OutputTensor;
} DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC;

/* ---- Convolution ----
 * Tensors are {N, C, spatial dimensions}; arrays have DimensionCount elements, one per spatial dimension. */

/**
 * DML_OPERATOR_CONVOLUTION: convolves InputTensor with FilterTensor, adds the bias of each output channel, applies
 * FusedActivation. One to three spatial dimensions, one data type. Mode CONVOLUTION reverses the filter along every
 * spatial dimension.
 *
 * FORWARD: the filter is {output channels, input channels / GroupCount, spatial sizes}; along a spatial dimension the
 * output has (input + StartPadding + EndPadding - (filter - 1) * Dilation - 1) / Stride + 1 + OutputPadding elements,
 * of which the last OutputPadding have no products.
 *
 * BACKWARD, the transposed convolution: the filter is {input channels, output channels / GroupCount, spatial sizes};
 * input element i and filter element t add to output element i * Stride + t * Dilation - StartPadding, where there is
 * one. The output has (input - 1) * Stride + (filter - 1) * Dilation + 1 + OutputPadding - StartPadding - EndPadding
 * elements, all made alike: those that EndPadding would cut off and OutputPadding brings back have their products.
 *
 * What lies in padding or between strides is 0 or left out: with a filter element that is infinite or NaN the result is
 * open there.
 */
typedef struct DML_CONVOLUTION_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *FilterTensor;
    const DML_TENSOR_DESC *BiasTensor; /**< optional; {1, output channels, 1..} */
    const DML_TENSOR_DESC *OutputTensor;
    DML_CONVOLUTION_MODE Mode;
    DML_CONVOLUTION_DIRECTION Direction;
    uint32_t DimensionCount; /**< of the arrays: spatial dimensions */
    const uint32_t *Strides;
    const uint32_t *Dilations;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    const uint32_t *OutputPadding;            /**< elements more at the ends of the result */
    uint32_t GroupCount;                      /**< channels are convolved in so many separate groups */
    const DML_OPERATOR_DESC *FusedActivation; /**< optional */
} DML_CONVOLUTION_OPERATOR_DESC;

/**
 * DML_OPERATOR_CONVOLUTION_INTEGER (2_1): INT32 = the forward convolution of (input - its zero point) with (filter -
 * its zero point), both of INT8 or UINT8.
 */
typedef struct DML_CONVOLUTION_INTEGER_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputZeroPointTensor; /**< optional; one element */
    const DML_TENSOR_DESC *FilterTensor;
    const DML_TENSOR_DESC *FilterZeroPointTensor; /**< optional; one element, or one per output channel: {1, C, 1..} */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *Dilations;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    uint32_t GroupCount;
} DML_CONVOLUTION_INTEGER_OPERATOR_DESC;

/**
 * DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION (2_1): quantize(forward convolution of dequantize(input) with
 * dequantize(filter), plus bias), all of INT8 or UINT8. Scales and zero points have one element, the filter's may have
 * one per output channel: {1, C, 1..}.
 */
typedef struct DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputScaleTensor;
    const DML_TENSOR_DESC *InputZeroPointTensor; /**< optional */
    const DML_TENSOR_DESC *FilterTensor;
    const DML_TENSOR_DESC *FilterScaleTensor;
    const DML_TENSOR_DESC *FilterZeroPointTensor; /**< optional */
    const DML_TENSOR_DESC *BiasTensor;            /**< optional; {1, C, 1..}, INT32 */
    const DML_TENSOR_DESC *OutputScaleTensor;     /**< an input */
    const DML_TENSOR_DESC *OutputZeroPointTensor; /**< an input; optional */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *Dilations;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    uint32_t GroupCount;
} DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC;

/* ---- Pooling ----
 * Tensors and arrays as of convolutions. */

/**
 * DML_OPERATOR_AVERAGE_POOLING: the average over each window; spatial sizes of the output are (input + StartPadding +
 * EndPadding - WindowSize) / Strides + 1.
 */
typedef struct DML_AVERAGE_POOLING_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    int32_t IncludePadding; /**< 1: padding counts in the divisor */
} DML_AVERAGE_POOLING_OPERATOR_DESC;

/** DML_OPERATOR_AVERAGE_POOLING1 (6_2): AVERAGE_POOLING of elements that lie Dilations apart. */
typedef struct DML_AVERAGE_POOLING1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    const uint32_t *Dilations;
    int32_t IncludePadding; /**< 1: padding counts in the divisor */
} DML_AVERAGE_POOLING1_OPERATOR_DESC;

/**
 * DML_OPERATOR_AVERAGE_POOLING_GRAD (3_0): the gradient of AVERAGE_POOLING: spreads each element over its window,
 * shared out as the average was, and adds up.
 */
typedef struct DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    int32_t IncludePadding;
} DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC;

/**
 * DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING (6_2): quantize(AVERAGE_POOLING1 of dequantize(x)) of INT8 or UINT8.
 * Scales and zero points have one element, or one per channel: {1, C, 1..}.
 */
typedef struct DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputScaleTensor;
    const DML_TENSOR_DESC *InputZeroPointTensor;  /**< optional */
    const DML_TENSOR_DESC *OutputScaleTensor;     /**< an input */
    const DML_TENSOR_DESC *OutputZeroPointTensor; /**< an input; optional */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    const uint32_t *Dilations;
    int32_t IncludePadding; /**< 1: padding counts in the divisor */
} DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC;

/**
 * DML_OPERATOR_LP_POOLING: out = the P-th root of the sum of abs(x) to the power P over each window, P being 1 at
 * least; sizes as in AVERAGE_POOLING.
 */
typedef struct DML_LP_POOLING_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    uint32_t P;
} DML_LP_POOLING_OPERATOR_DESC;

/** DML_OPERATOR_LP_POOLING1 (6_2): LP_POOLING of elements that lie Dilations apart. */
typedef struct DML_LP_POOLING1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    const uint32_t *Dilations;
    uint32_t P;
} DML_LP_POOLING1_OPERATOR_DESC;

/**
 * DML_OPERATOR_MAX_POOLING: the maximum over each window, of padding alone -infinity or the type's least number; sizes
 * as in AVERAGE_POOLING.
 */
typedef struct DML_MAX_POOLING_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
} DML_MAX_POOLING_OPERATOR_DESC;

/**
 * DML_OPERATOR_MAX_POOLING1 (2_0): MAX_POOLING that also tells where the maximum lies, the first of equal ones; all
 * bits of the index are set where a window is padding alone.
 */
typedef struct DML_MAX_POOLING1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_TENSOR_DESC *OutputIndicesTensor; /**< optional; UINT64 or UINT32: row-major place in InputTensor */
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
} DML_MAX_POOLING1_OPERATOR_DESC;

/**
 * DML_OPERATOR_MAX_POOLING2 (2_1): MAX_POOLING1 of elements that lie Dilations apart; of equal ones the first is the
 * maximum.
 */
typedef struct DML_MAX_POOLING2_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_TENSOR_DESC *OutputIndicesTensor; /**< optional; as in DML_MAX_POOLING1_OPERATOR_DESC */
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    const uint32_t *Dilations;
} DML_MAX_POOLING2_OPERATOR_DESC;

/**
 * DML_OPERATOR_MAX_POOLING_GRAD (3_0): the gradient of MAX_POOLING2: adds each element of InputGradientTensor where the
 * maximum of its window lies in InputTensor, the first of equal ones; elsewhere 0.
 */
typedef struct DML_MAX_POOLING_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor; /**< of InputTensor's sizes */
    uint32_t DimensionCount;
    const uint32_t *Strides;
    const uint32_t *WindowSize;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
    const uint32_t *Dilations;
} DML_MAX_POOLING_GRAD_OPERATOR_DESC;

/**
 * DML_OPERATOR_MAX_UNPOOLING (2_0): writes each element where its index says, counted row-major in OutputTensor;
 * elsewhere 0. Of elements with one index the last stays; an index beyond the output writes nothing.
 */
typedef struct DML_MAX_UNPOOLING_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *IndicesTensor; /**< of InputTensor's sizes; UINT64 or UINT32, as MAX_POOLING1 gives them */
    const DML_TENSOR_DESC *OutputTensor;
} DML_MAX_UNPOOLING_OPERATOR_DESC;

/* ---- Regions of interest ----
 * Rectangles in pictures {N, C, H, W}. */

/**
 * DML_OPERATOR_ROI_POOLING: the maximum of each cell of a grid of PooledSize over each region, whose corners are
 * inclusive: round(corner * SpatialScale), halves away from 0. OutputTensor is {regions, C, PooledSize.Height,
 * PooledSize.Width}. Where a cell has no element, or the picture is not there, the result is 0.
 */
typedef struct DML_ROI_POOLING_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ROITensor; /**< {1, 1, regions, 5}: picture, x1, y1, x2, y2 */
    const DML_TENSOR_DESC *OutputTensor;
    float SpatialScale;
    DML_SIZE_2D PooledSize;
} DML_ROI_POOLING_OPERATOR_DESC;

/**
 * DML_OPERATOR_ROI_ALIGN (3_0): ROI_ALIGN1 with an InputPixelOffset of 0.5, an OutputPixelOffset of -0.5 and
 * AlignRegionsToCorners 0.
 */
typedef struct DML_ROI_ALIGN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ROITensor;
    const DML_TENSOR_DESC *BatchIndicesTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_REDUCE_FUNCTION ReductionFunction;
    DML_INTERPOLATION_MODE InterpolationMode;
    float SpatialScaleX;
    float SpatialScaleY;
    float OutOfBoundsInputValue;
    uint32_t MinimumSamplesPerOutput;
    uint32_t MaximumSamplesPerOutput;
} DML_ROI_ALIGN_OPERATOR_DESC;

/**
 * DML_OPERATOR_ROI_ALIGN1 (4_0): samples each region, its corners multiplied by SpatialScaleX and SpatialScaleY, on a
 * grid of OutputTensor's {regions, C, H, W}. Each result is the average or the maximum of (region / output size)
 * samples per axis, rounded up, clamped to MinimumSamplesPerOutput and MaximumSamplesPerOutput, and at most 160. A
 * sample at most one element outside is moved onto the picture's edge. Where the picture is not there, or a region's
 * numbers are infinite or NaN, the result is OutOfBoundsInputValue.
 */
typedef struct DML_ROI_ALIGN1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ROITensor;          /**< {.., regions, 4}: x1, y1, x2, y2 */
    const DML_TENSOR_DESC *BatchIndicesTensor; /**< {.., regions}: which picture; UINT64 or UINT32 */
    const DML_TENSOR_DESC *OutputTensor;
    DML_REDUCE_FUNCTION ReductionFunction; /**< AVERAGE or MAX */
    DML_INTERPOLATION_MODE InterpolationMode;
    float SpatialScaleX;
    float SpatialScaleY;
    float InputPixelOffset;
    float OutputPixelOffset;
    float OutOfBoundsInputValue; /**< read where a region lies outside the picture */
    uint32_t MinimumSamplesPerOutput;
    uint32_t MaximumSamplesPerOutput;
    int32_t AlignRegionsToCorners; /**< 1: the outermost samples are the region's size apart: with pixel offsets of 0
                                      they lie on its corners */
} DML_ROI_ALIGN1_OPERATOR_DESC;

/**
 * DML_OPERATOR_ROI_ALIGN_GRAD (4_1): the gradients of ROI_ALIGN1 with respect to its input and its regions; at least
 * one of them.
 */
typedef struct DML_ROI_ALIGN_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;         /**< optional with AVERAGE and without OutputROIGradientTensor */
    const DML_TENSOR_DESC *InputGradientTensor; /**< of the sizes of ROI_ALIGN1's output */
    const DML_TENSOR_DESC *ROITensor;
    const DML_TENSOR_DESC *BatchIndicesTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;    /**< optional */
    const DML_TENSOR_DESC *OutputROIGradientTensor; /**< optional; of ROITensor's sizes */
    DML_REDUCE_FUNCTION ReductionFunction;
    DML_INTERPOLATION_MODE InterpolationMode;
    float SpatialScaleX;
    float SpatialScaleY;
    float InputPixelOffset;
    float OutputPixelOffset;
    uint32_t MinimumSamplesPerOutput;
    uint32_t MaximumSamplesPerOutput;
    int32_t AlignRegionsToCorners;
} DML_ROI_ALIGN_GRAD_OPERATOR_DESC;

/* ---- Resampling ----
 * Arrays have DimensionCount elements, one per dimension. */

/** DML_OPERATOR_RESAMPLE (2_0): RESAMPLE1 with InputPixelOffsets of 0.5 and OutputPixelOffsets of -0.5. */
typedef struct DML_RESAMPLE_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_INTERPOLATION_MODE InterpolationMode;
    uint32_t ScaleCount; /**< equals the tensors' DimensionCount */
    const float *Scales;
} DML_RESAMPLE_OPERATOR_DESC;

/**
 * DML_OPERATOR_RESAMPLE1 (2_1): takes each element from input coordinate (i - OutputPixelOffset) / Scale -
 * InputPixelOffset: the nearest element, or the average of the two nearest per dimension weighted by distance. Beyond
 * the edges the input's edge goes on. vkdml computes the coordinate in FLOAT32, each operation rounded to nearest, and
 * takes what is below 2^-32 for 0, so neighbours are the same on every device; NEAREST_NEIGHBOR takes element
 * floor(coordinate + 0.5), bit for bit. LINEAR is within 2^-20 of the weighted magnitudes; FLOAT32 denormals may be
 * taken for 0, an element of weight 0 does not count, and integers are rounded to nearest. Scales must be finite and at
 * least 2^-32, offsets from -2^32 to 2^32.
 */
typedef struct DML_RESAMPLE1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_INTERPOLATION_MODE InterpolationMode;
    uint32_t DimensionCount;
    const float *Scales; /**< need not be output / input size */
    const float *InputPixelOffsets;
    const float *OutputPixelOffsets;
} DML_RESAMPLE1_OPERATOR_DESC;

/** DML_OPERATOR_RESAMPLE2 (5_1): RESAMPLE1 in which NEAREST_NEIGHBOR rounds coordinates as RoundingDirection says. */
typedef struct DML_RESAMPLE2_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_INTERPOLATION_MODE InterpolationMode;
    DML_AXIS_DIRECTION RoundingDirection; /**< INCREASING: up, DECREASING: down; without effect on LINEAR */
    uint32_t DimensionCount;
    const float *Scales;
    const float *InputPixelOffsets;
    const float *OutputPixelOffsets;
} DML_RESAMPLE2_OPERATOR_DESC;

/**
 * DML_OPERATOR_RESAMPLE3 (6_4): RESAMPLE2, which with Antialiased stretches LINEAR's support by 1 / Scale where Scale
 * is below 1, the weights normalized to a sum of 1. DirectML's pages do not describe it: what Antialiased means is
 * vkdml's definition, after ONNX's Resize: each element within 1 / Scale has the weight 1 - distance * Scale; the
 * outermost go on beyond the edges. Of n elements it is within 2^-20 + (16 + n) 2^-24 of the weighted magnitudes and
 * 2^-21 of the greatest, a dimension.
 */
typedef struct DML_RESAMPLE3_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_INTERPOLATION_MODE InterpolationMode;
    DML_AXIS_DIRECTION RoundingDirection;
    uint32_t DimensionCount;
    const float *Scales;
    const float *InputPixelOffsets;
    const float *OutputPixelOffsets;
    int32_t Antialiased;
} DML_RESAMPLE3_OPERATOR_DESC;

/**
 * DML_OPERATOR_RESAMPLE_GRAD (3_0): the gradient of RESAMPLE1: adds each element, with the weights it was sampled with,
 * to where it came from.
 */
typedef struct DML_RESAMPLE_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    DML_INTERPOLATION_MODE InterpolationMode;
    uint32_t DimensionCount;
    const float *Scales;
    const float *InputPixelOffsets;
    const float *OutputPixelOffsets;
} DML_RESAMPLE_GRAD_OPERATOR_DESC;

/** DML_OPERATOR_RESAMPLE_GRAD1 (5_1): the gradient of RESAMPLE2. */
typedef struct DML_RESAMPLE_GRAD1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    DML_INTERPOLATION_MODE InterpolationMode;
    DML_AXIS_DIRECTION RoundingDirection;
    uint32_t DimensionCount;
    const float *Scales;
    const float *InputPixelOffsets;
    const float *OutputPixelOffsets;
} DML_RESAMPLE_GRAD1_OPERATOR_DESC;

/**
 * DML_OPERATOR_UPSAMPLE_2D: enlarges the last two dimensions by the factors of ScaleSize. The page speaks of pixel
 * centres and refers to RESAMPLE, which maps centres onto centres; so does this: output element o lies at (o + 0.5) /
 * factor - 0.5 of the input. NEAREST_NEIGHBOR takes element o / factor, rounded down, bit for bit; LINEAR the weighted
 * average of the two elements around that place along height and along width; before the first and behind the last
 * centre that element. It is within 2^-21 of the weighted magnitudes and 2^-23 of the greatest; FLOAT32 denormals may
 * be taken for 0, and an element of weight 0 does not count.
 */
typedef struct DML_UPSAMPLE_2D_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_SIZE_2D ScaleSize;
    DML_INTERPOLATION_MODE InterpolationMode;
} DML_UPSAMPLE_2D_OPERATOR_DESC;

/* ---- Reductions and running totals ---- */

/**
 * DML_OPERATOR_REDUCE: Function over the elements that differ in Axes only; OutputTensor has size 1 there, else
 * InputTensor's sizes. Axes differ from one another.
 *
 * Functions take FLOAT32 and FLOAT16; from 2_1 on MULTIPLY, SUM, MIN and MAX INT32 and UINT32 as well, and ARGMIN and
 * ARGMAX integers of up to 32 bits; from 3_0 on MIN and MAX those; from 4_1 on ARGMIN and ARGMAX, from 5_0 on MIN and
 * MAX, INT64 and UINT64; and from 5_0 on MULTIPLY, SUM, L1 and SUM_SQUARE INT32, UINT32, INT64 and UINT64.
 * OutputTensor has InputTensor's type, but of ARGMIN and ARGMAX it has UINT32, from 3_0 on also INT32, INT64, UINT64.
 *
 * Integers wrap. Floats are computed in FLOAT32: a sum of n terms is within min(n, 128 + n/32, 512) * 2^-24 of the sum
 * of their magnitudes, a product of n factors within n * 2^-24 of itself, and nothing on the way overflows or vanishes
 * where the result does not; FLOAT32's denormals may count as 0. MIN and MAX: NaN wins, -0 is below +0. ARGMIN and
 * ARGMAX as the operators of those names, of equal elements the first.
 */
typedef struct DML_REDUCE_OPERATOR_DESC {
    DML_REDUCE_FUNCTION Function;
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t AxisCount;
    const uint32_t *Axes; /**< AxisCount dimensions */
} DML_REDUCE_OPERATOR_DESC;

/**
 * DML_OPERATOR_ARGMIN (3_0): the place of the least element over Axes, counted row-major within them in the order of
 * dimensions; sizes as in REDUCE. NaN is less than all others; zeros of both signs are equal.
 */
typedef struct DML_ARGMIN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< an integer of 32 or 64 bits */
    uint32_t AxisCount;
    const uint32_t *Axes;             /**< AxisCount dimensions */
    DML_AXIS_DIRECTION AxisDirection; /**< of equal ones INCREASING takes the first, DECREASING the last */
} DML_ARGMIN_OPERATOR_DESC;

/**
 * DML_OPERATOR_ARGMAX (3_0): the place of the greatest element over Axes, counted row-major within them in the order
 * of dimensions; sizes as in REDUCE. NaN is greater than all others; zeros of both signs are equal.
 */
typedef struct DML_ARGMAX_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< an integer of 32 or 64 bits */
    uint32_t AxisCount;
    const uint32_t *Axes;             /**< AxisCount dimensions */
    DML_AXIS_DIRECTION AxisDirection; /**< of equal ones INCREASING takes the first, DECREASING the last */
} DML_ARGMAX_OPERATOR_DESC;

/**
 * DML_OPERATOR_CUMULATIVE_SUMMATION (2_1): out = the sum of all elements up to this one along Axis; OutputTensor has
 * InputTensor's type and sizes, and may be bound where that is. FLOAT32, FLOAT16, INT32 and UINT32, from 5_0 on also
 * INT64 and UINT64.
 *
 * Integers wrap. Floats are added in FLOAT32: a sum of n terms is within n * 2^-24, and within 2^-13, of the sum of
 * their magnitudes; where that is too large for FLOAT32 it may be infinite or NaN, and FLOAT32's denormals may count as
 * 0. Infinities stay from where they come on; those of both signs give NaN.
 */
typedef struct DML_CUMULATIVE_SUMMATION_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t Axis;
    DML_AXIS_DIRECTION AxisDirection; /**< DECREASING: from the end */
    int32_t HasExclusiveSum;          /**< 1: without this one; the first is 0 */
} DML_CUMULATIVE_SUMMATION_OPERATOR_DESC;

/**
 * DML_OPERATOR_CUMULATIVE_PRODUCT (3_1): out = the product of all elements up to this one along Axis; tensors as in
 * CUMULATIVE_SUMMATION.
 *
 * Integers wrap. A product of n floats is within n * 2^-23 of itself; where it is too large or too small for the type
 * it is infinite or 0, and those that follow still are right.
 */
typedef struct DML_CUMULATIVE_PRODUCT_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t Axis;
    DML_AXIS_DIRECTION AxisDirection; /**< DECREASING: from the end */
    int32_t HasExclusiveProduct;      /**< 1: without this one; the first is 1 */
} DML_CUMULATIVE_PRODUCT_OPERATOR_DESC;

/** DML_OPERATOR_TOP_K: TOP_K1 with DECREASING: the greatest elements, in descending order. */
typedef struct DML_TOP_K_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputValueTensor;
    const DML_TENSOR_DESC *OutputIndexTensor; /**< UINT64 or UINT32 */
    uint32_t Axis;
    uint32_t K;
} DML_TOP_K_OPERATOR_DESC;

/**
 * DML_OPERATOR_TOP_K1 (2_1): the K least (INCREASING) or greatest (DECREASING) elements along Axis, sorted in that
 * direction, and their places in Axis; both outputs have InputTensor's sizes, but K along Axis, at most its size. Of
 * equal elements the first comes first. Zeros are equal. NaN is the greatest element, and is written as the quiet NaN.
 */
typedef struct DML_TOP_K1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputValueTensor;
    const DML_TENSOR_DESC *OutputIndexTensor; /**< UINT64 or UINT32 */
    uint32_t Axis;
    uint32_t K;
    DML_AXIS_DIRECTION AxisDirection;
} DML_TOP_K1_OPERATOR_DESC;

/* ---- Normalization ----
 * What is broadcast has InputTensor's size or 1 in each dimension. */

/**
 * DML_OPERATOR_BATCH_NORMALIZATION: out = FusedActivation(Scale * (x - Mean) / sqrt(Variance + Epsilon) + Bias); Mean,
 * Variance, Scale and Bias are broadcast.
 */
typedef struct DML_BATCH_NORMALIZATION_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *MeanTensor;
    const DML_TENSOR_DESC *VarianceTensor;
    const DML_TENSOR_DESC *ScaleTensor;
    const DML_TENSOR_DESC *BiasTensor;
    const DML_TENSOR_DESC *OutputTensor;
    int32_t Spatial; /**< without effect from 4_0; below, 0: Mean and Variance are not broadcast over H, W */
    float Epsilon;
    const DML_OPERATOR_DESC *FusedActivation; /**< optional */
} DML_BATCH_NORMALIZATION_OPERATOR_DESC;

/**
 * DML_OPERATOR_BATCH_NORMALIZATION_GRAD (3_1): the gradients of BATCH_NORMALIZATION: g * Scale / sqrt(Variance +
 * Epsilon), and summed over what is broadcast g * (x - Mean) / sqrt(Variance + Epsilon), and g, where g is the element
 * of InputGradientTensor.
 */
typedef struct DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *MeanTensor;
    const DML_TENSOR_DESC *VarianceTensor;
    const DML_TENSOR_DESC *ScaleTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    const DML_TENSOR_DESC *OutputScaleGradientTensor;
    const DML_TENSOR_DESC *OutputBiasGradientTensor;
    float Epsilon;
} DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC;

/**
 * DML_OPERATOR_BATCH_NORMALIZATION_TRAINING (4_1): BATCH_NORMALIZATION by the mean and variance of InputTensor over the
 * dimensions in which ScaleTensor has size 1, both of which it also writes; FusedAdd is added before the activation.
 */
typedef struct DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ScaleTensor;
    const DML_TENSOR_DESC *BiasTensor;     /**< of ScaleTensor's sizes, as OutputMeanTensor and OutputVarianceTensor */
    const DML_TENSOR_DESC *FusedAddTensor; /**< optional; of InputTensor's sizes */
    const DML_TENSOR_DESC *OutputTensor;
    const DML_TENSOR_DESC *OutputMeanTensor;
    const DML_TENSOR_DESC *OutputVarianceTensor;
    float Epsilon;
    const DML_OPERATOR_DESC *FusedActivation; /**< optional */
} DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC;

/**
 * DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD (4_1): the gradients of BATCH_NORMALIZATION_TRAINING with respect to
 * its input, scale and bias.
 */
typedef struct DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *MeanTensor; /**< as BATCH_NORMALIZATION_TRAINING wrote it; VarianceTensor likewise */
    const DML_TENSOR_DESC *VarianceTensor;
    const DML_TENSOR_DESC *ScaleTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    const DML_TENSOR_DESC *OutputScaleGradientTensor;
    const DML_TENSOR_DESC *OutputBiasGradientTensor;
    float Epsilon;
} DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC;

/**
 * DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION: MEAN_VARIANCE_NORMALIZATION1 of {N, C, H, W} over {H, W}, or with
 * CrossChannel over {C, H, W}.
 */
typedef struct DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ScaleTensor; /**< optional; below 5_2 only together with BiasTensor */
    const DML_TENSOR_DESC *BiasTensor;  /**< optional */
    const DML_TENSOR_DESC *OutputTensor;
    int32_t CrossChannel;
    int32_t NormalizeVariance; /**< 0: the division is left out */
    float Epsilon;
    const DML_OPERATOR_DESC *FusedActivation; /**< optional */
} DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC;

/**
 * DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1 (2_1): out = FusedActivation(Scale * (x - mean) / sqrt(variance + Epsilon)
 * + Bias), mean and variance taken over Axes; ScaleTensor and BiasTensor are broadcast.
 */
typedef struct DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ScaleTensor; /**< optional; below 5_2 only together with BiasTensor */
    const DML_TENSOR_DESC *BiasTensor;  /**< optional */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t AxisCount;
    const uint32_t *Axes;      /**< AxisCount dimensions */
    int32_t NormalizeVariance; /**< 0: the division is left out */
    float Epsilon;
    const DML_OPERATOR_DESC *FusedActivation; /**< optional */
} DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC;

/**
 * DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2 (6_3): MEAN_VARIANCE_NORMALIZATION1 with UseMean and UseVariance in place
 * of NormalizeVariance. Without UseMean 0 takes the mean's place, in the variance too: that is the mean of squares.
 * Without UseVariance nothing is divided by. DirectML's page does not say so.
 */
typedef struct DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *ScaleTensor; /**< optional */
    const DML_TENSOR_DESC *BiasTensor;  /**< optional */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t AxisCount;
    const uint32_t *Axes; /**< AxisCount dimensions */
    int32_t UseMean;
    int32_t UseVariance;
    float Epsilon;
    const DML_OPERATOR_DESC *FusedActivation; /**< optional */
} DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC;

/**
 * DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION: out = x / (Bias + Alpha / LocalSize * s) to the power Beta, s being the
 * sum of the squares in a region around x. Tensors are {N, C, H, W}. The page defines no region: with CrossChannel it
 * is LocalSize channels, as in ONNX's LRN, else LocalSize rows and columns of the channel, from (LocalSize - 1) / 2,
 * rounded down, before x on; those that there are. Alpha is divided by LocalSize either way, as the page has it,
 * however many elements that is.
 *
 * Everything is FLOAT32: sums beyond it are infinite and make 0 of finite elements, denormals may be taken for 0. The
 * sum of n squares is within (66 + n/64) 2^-24 of itself, the result within 2^-19 of what it then should be.
 */
typedef struct DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    int32_t CrossChannel;
    uint32_t LocalSize; /**< at least 1: elements of the region per dimension */
    float Alpha;
    float Beta;
    float Bias;
} DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC;

/**
 * DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD (3_1): the gradient of LOCAL_RESPONSE_NORMALIZATION. Three tensors of
 * one type and size.
 */
typedef struct DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    int32_t CrossChannel;
    uint32_t LocalSize; /**< at least 1 */
    float Alpha;
    float Beta;
    float Bias;
} DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC;

/**
 * DML_OPERATOR_LP_NORMALIZATION: divides by the norm of order P along Axis, or by Epsilon where that is greater, which
 * DirectML leaves open. FLOAT32 denormals may be taken for 0.
 */
typedef struct DML_LP_NORMALIZATION_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t Axis;
    float Epsilon;
    uint32_t P; /**< 1 or 2 */
} DML_LP_NORMALIZATION_OPERATOR_DESC;

/* ---- Moving data ---- */

/**
 * DML_OPERATOR_PADDING: OutputTensor.Sizes[i] = InputTensor.Sizes[i] + StartPadding[i] + EndPadding[i].
 *
 * PaddingValue is converted to the tensor's type: rounded to nearest even for FLOAT16, truncated toward zero and
 * saturated for integers, NaN to 0. It is ignored unless PaddingMode is DML_PADDING_MODE_CONSTANT.
 *
 * The modes go on without end: padding may be longer than the input, in each dimension by itself. Of an input {a, b, c}
 * five elements on either side are
 *
 *     CONSTANT    v v v v v | a b c | v v v v v    v: PaddingValue
 *     EDGE        a a a a a | a b c | c c c c c
 *     REFLECTION  b a b c b | a b c | b a b c b    there and back, a and c once each turn
 *     SYMMETRIC   b c c b a | a b c | c b a a b    there and back, a and c twice each turn
 *     WRAP        b c a b c | a b c | a b c a b
 *
 * and of an input of one element all modes but CONSTANT repeat it. DirectML shows padding that is shorter than the
 * input only; there the results are the same.
 */
typedef struct DML_PADDING_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_PADDING_MODE PaddingMode;
    float PaddingValue;
    uint32_t DimensionCount; /**< length of both arrays; equals the tensors' */
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
} DML_PADDING_OPERATOR_DESC;

/** DML_OPERATOR_PADDING1 (5_0): PADDING with a value of the tensor's own type. */
typedef struct DML_PADDING1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_PADDING_MODE PaddingMode;
    DML_TENSOR_DATA_TYPE PaddingValueDataType; /**< equals OutputTensor's */
    DML_SCALAR_UNION PaddingValue;
    uint32_t DimensionCount;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
} DML_PADDING1_OPERATOR_DESC;

/** DML_OPERATOR_SLICE: OutputTensor[c] = InputTensor[Offsets + Strides * c]. */
typedef struct DML_SLICE_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount; /**< of the arrays; equals the tensors' */
    const uint32_t *Offsets;
    const uint32_t *Sizes;   /**< equals OutputTensor's */
    const uint32_t *Strides; /**< at least 1 */
} DML_SLICE_OPERATOR_DESC;

/**
 * DML_OPERATOR_SLICE1 (2_1): OutputTensor[c] = InputTensor[start + InputWindowStrides * c], start being the first
 * element of the window, or its last where the stride is negative.
 */
typedef struct DML_SLICE1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount; /**< of the arrays; equals the tensors' */
    const uint32_t *InputWindowOffsets;
    const uint32_t *InputWindowSizes;
    const int32_t *InputWindowStrides; /**< not 0 */
} DML_SLICE1_OPERATOR_DESC;

/**
 * DML_OPERATOR_SLICE_GRAD (3_0): the gradient of SLICE1: writes each element back to where it was taken from; elsewhere
 * 0.
 */
typedef struct DML_SLICE_GRAD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputGradientTensor;
    const DML_TENSOR_DESC *OutputGradientTensor;
    uint32_t DimensionCount; /**< of the arrays; equals the tensors' */
    const uint32_t *InputWindowOffsets;
    const uint32_t *InputWindowSizes;
    const int32_t *InputWindowStrides; /**< not 0 */
} DML_SLICE_GRAD_OPERATOR_DESC;

/**
 * DML_OPERATOR_SPLIT: consecutive pieces of InputTensor along Axis, whose sizes add up to the input's; else all sizes
 * are equal.
 */
typedef struct DML_SPLIT_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    uint32_t OutputCount;
    const DML_TENSOR_DESC *OutputTensors; /**< array of OutputCount tensors, at least 1 */
    uint32_t Axis;
} DML_SPLIT_OPERATOR_DESC;

/** DML_OPERATOR_JOIN: the inputs one behind the other along Axis; else all sizes are equal. */
typedef struct DML_JOIN_OPERATOR_DESC {
    uint32_t InputCount;
    const DML_TENSOR_DESC *InputTensors; /**< array of InputCount tensors, at least 1 */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t Axis;
} DML_JOIN_OPERATOR_DESC;

/**
 * DML_OPERATOR_TILE: OutputTensor[c] = InputTensor[c mod its sizes]; OutputTensor.Sizes[i] = InputTensor.Sizes[i] *
 * Repeats[i].
 */
typedef struct DML_TILE_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t RepeatsCount; /**< equals the tensors' DimensionCount */
    const uint32_t *Repeats;
} DML_TILE_OPERATOR_DESC;

/** DML_OPERATOR_SPACE_TO_DEPTH: SPACE_TO_DEPTH1 with DEPTH_COLUMN_ROW. */
typedef struct DML_SPACE_TO_DEPTH_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t BlockSize;
} DML_SPACE_TO_DEPTH_OPERATOR_DESC;

/**
 * DML_OPERATOR_SPACE_TO_DEPTH1 (2_1): {N, C, H, W} to {N, C * B * B, H / B, W / B}, B = BlockSize: element (i, j) of
 * each block moves to channel (i * B + j) * C + c with DEPTH_COLUMN_ROW, c * B * B + i * B + j with COLUMN_ROW_DEPTH.
 */
typedef struct DML_SPACE_TO_DEPTH1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t BlockSize;
    DML_DEPTH_SPACE_ORDER Order;
} DML_SPACE_TO_DEPTH1_OPERATOR_DESC;

/** DML_OPERATOR_DEPTH_TO_SPACE: DEPTH_TO_SPACE1 with DEPTH_COLUMN_ROW. */
typedef struct DML_DEPTH_TO_SPACE_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t BlockSize;
} DML_DEPTH_TO_SPACE_OPERATOR_DESC;

/**
 * DML_OPERATOR_DEPTH_TO_SPACE1 (2_1): the inverse of SPACE_TO_DEPTH1 in the same Order: {N, C, H, W} to {N, C / (B *
 * B), H * B, W * B}, B = BlockSize.
 */
typedef struct DML_DEPTH_TO_SPACE1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t BlockSize;
    DML_DEPTH_SPACE_ORDER Order;
} DML_DEPTH_TO_SPACE1_OPERATOR_DESC;

/**
 * DML_OPERATOR_UNFOLD (6_4): the columns of a convolution: {N, C, spatial} to {N, C * window elements, blocks}. Rows
 * are ordered by channel, then row-major in the window; blocks are row-major; padding reads 0. A dimension has (size +
 * StartPadding + EndPadding - Dilations * (WindowSizes - 1) - 1) / Strides + 1 blocks. DirectML's pages leave ranks and
 * types open: those taken are vkdml's definition.
 */
typedef struct DML_UNFOLD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount; /**< of the arrays: spatial dimensions, 1 to 6 */
    const uint32_t *WindowSizes;
    const uint32_t *Strides;
    const uint32_t *Dilations;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
} DML_UNFOLD_OPERATOR_DESC;

/**
 * DML_OPERATOR_FOLD (6_4): the inverse of UNFOLD, {N, C * window elements, blocks} to {N, C, spatial}: blocks that
 * overlap are added up. As there, ranks are vkdml's definition, and types: all but FLOAT64. Integers wrap around;
 * floats are summed in FLOAT32, within (66 + n/64) 2^-24 of the magnitudes of the n terms; where these exceed it sums
 * may be infinite or NaN, and FLOAT32 denormals may be taken for 0.
 */
typedef struct DML_FOLD_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t DimensionCount; /**< of the arrays: spatial dimensions, 1 to 6 */
    const uint32_t *WindowSizes;
    const uint32_t *Strides;
    const uint32_t *Dilations;
    const uint32_t *StartPadding;
    const uint32_t *EndPadding;
} DML_FOLD_OPERATOR_DESC;

/**
 * DML_OPERATOR_REVERSE_SUBSEQUENCES (2_1): reverses the first SequenceLengths elements of each sequence along Axis; the
 * rest is copied.
 */
typedef struct DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *SequenceLengthsTensor; /**< of InputTensor's sizes, but 1 along Axis; UINT64 or UINT32 */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t Axis;
} DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC;

/* ---- Indices ----
 * They are integers of 32 or 64 bits; from 3_0 on negative ones count from the end. DirectML leaves open what others do
 * that name no coordinate: here they read 0 and write nothing, and no memory is touched. */

/**
 * DML_OPERATOR_GATHER: OutputTensor[.., i.., ..] = InputTensor[.., IndicesTensor[i..], ..]: the index coordinates stand
 * in place of Axis. OutputTensor has the sizes of InputTensor with those of the indices in place of Axis, without
 * leading ones that do not fit.
 */
typedef struct DML_GATHER_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *IndicesTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t Axis;
    uint32_t IndexDimensions; /**< how many trailing dimensions of IndicesTensor count */
} DML_GATHER_OPERATOR_DESC;

/**
 * DML_OPERATOR_GATHER_ELEMENTS (2_1): OutputTensor[.., i, ..] = InputTensor[.., IndicesTensor[.., i, ..], ..], i the
 * coordinate in Axis.
 */
typedef struct DML_GATHER_ELEMENTS_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *IndicesTensor; /**< of InputTensor's sizes but along Axis; OutputTensor has its sizes */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t Axis;
} DML_GATHER_ELEMENTS_OPERATOR_DESC;

/**
 * DML_OPERATOR_GATHER_ND (2_1): each tuple in the last dimension of IndicesTensor gives the first coordinates of a
 * block of InputTensor; OutputTensor has the sizes of IndicesTensor without the last, then those of a block.
 */
typedef struct DML_GATHER_ND_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *IndicesTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t InputDimensionCount;   /**< InputTensor's without leading ones that are to be ignored */
    uint32_t IndicesDimensionCount; /**< IndicesTensor's likewise */
} DML_GATHER_ND_OPERATOR_DESC;

/**
 * DML_OPERATOR_GATHER_ND1 (3_0): GATHER_ND in each of the batches that the first BatchDimensionCount dimensions of all
 * tensors count.
 */
typedef struct DML_GATHER_ND1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *IndicesTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t InputDimensionCount; /**< as in DML_GATHER_ND_OPERATOR_DESC; IndicesDimensionCount likewise */
    uint32_t IndicesDimensionCount;
    uint32_t BatchDimensionCount;
} DML_GATHER_ND1_OPERATOR_DESC;

/**
 * DML_OPERATOR_SCATTER_ELEMENTS: InputTensor, but OutputTensor[.., IndicesTensor[.., i, ..], ..] =
 * UpdatesTensor[.., i, ..], i the coordinate in Axis. Where several indices name one element, which DirectML forbids,
 * the last in row-major order decides. DirectML's headers and pages call it both this and SCATTER.
 */
typedef struct DML_SCATTER_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *IndicesTensor; /**< of InputTensor's sizes but along Axis; UpdatesTensor has its sizes */
    const DML_TENSOR_DESC *UpdatesTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< of InputTensor's sizes */
    uint32_t Axis;
} DML_SCATTER_OPERATOR_DESC;
typedef DML_SCATTER_OPERATOR_DESC DML_SCATTER_ELEMENTS_OPERATOR_DESC; /**< the same */

/**
 * DML_OPERATOR_SCATTER_ND (2_1): InputTensor, but with the blocks that IndicesTensor names, as in GATHER_ND, replaced
 * by those of UpdatesTensor. Of several tuples that name one block the last in row-major order decides.
 */
typedef struct DML_SCATTER_ND_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *IndicesTensor;
    const DML_TENSOR_DESC *UpdatesTensor;
    const DML_TENSOR_DESC *OutputTensor; /**< of InputTensor's sizes */
    uint32_t InputDimensionCount;        /**< as in DML_GATHER_ND_OPERATOR_DESC; IndicesDimensionCount likewise */
    uint32_t IndicesDimensionCount;
} DML_SCATTER_ND_OPERATOR_DESC;

/**
 * DML_OPERATOR_ONE_HOT (2_0): along Axis the on value where the coordinate is the index, elsewhere the off value; only
 * the off value where the index is beyond.
 */
typedef struct DML_ONE_HOT_OPERATOR_DESC {
    const DML_TENSOR_DESC *IndicesTensor; /**< of OutputTensor's sizes, but 1 along Axis */
    const DML_TENSOR_DESC *ValuesTensor;  /**< off value, on value */
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t Axis;
} DML_ONE_HOT_OPERATOR_DESC;

/**
 * DML_OPERATOR_NONZERO_COORDINATES (3_0): the coordinates of all nonzero elements, in ascending element order.
 *
 * OutputCountTensor has sizes {1, ..}, type UINT32. OutputCoordinatesTensor has sizes {1, .., M, N}, type UINT32, M the
 * number of input elements, N from the effective rank of InputTensor (its DimensionCount without leading ones), at
 * least 1, to its DimensionCount. -0.0 is zero, NaN is not. Rows past the count keep their bytes, or become 0 with
 * VKDML_COMPILE_FLAG_ZERO_UNDEFINED.
 */
typedef struct DML_NONZERO_COORDINATES_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputCountTensor;
    const DML_TENSOR_DESC *OutputCoordinatesTensor;
} DML_NONZERO_COORDINATES_OPERATOR_DESC;

/* ---- Tensors from nothing ---- */

/** DML_OPERATOR_FILL_VALUE_CONSTANT (2_1): every element is Value. */
typedef struct DML_FILL_VALUE_CONSTANT_OPERATOR_DESC {
    const DML_TENSOR_DESC *OutputTensor;
    DML_TENSOR_DATA_TYPE ValueDataType; /**< equals OutputTensor's */
    DML_SCALAR_UNION Value;
} DML_FILL_VALUE_CONSTANT_OPERATOR_DESC;

/** DML_OPERATOR_FILL_VALUE_SEQUENCE (2_1): element i, counted row-major, is ValueStart + i * ValueDelta. */
typedef struct DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC {
    const DML_TENSOR_DESC *OutputTensor;
    DML_TENSOR_DATA_TYPE ValueDataType; /**< equals OutputTensor's */
    DML_SCALAR_UNION ValueStart;
    DML_SCALAR_UNION ValueDelta;
} DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC;

/**
 * DML_OPERATOR_DIAGONAL_MATRIX (2_0): OutputTensor[.., y, x] = y + Offset == x ? Value : 0.
 *
 * Value is converted as PaddingValue of DML_PADDING_OPERATOR_DESC is.
 */
typedef struct DML_DIAGONAL_MATRIX_OPERATOR_DESC {
    const DML_TENSOR_DESC *OutputTensor;
    int32_t Offset;
    float Value;
} DML_DIAGONAL_MATRIX_OPERATOR_DESC;

/**
 * DML_OPERATOR_DIAGONAL_MATRIX1 (5_1): Value on the diagonals x - y in [DiagonalFillBegin, DiagonalFillEnd), or, where
 * Begin is above End, on those outside [DiagonalFillEnd, DiagonalFillBegin); elsewhere InputTensor, or 0 without it.
 */
typedef struct DML_DIAGONAL_MATRIX1_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor; /**< optional; of OutputTensor's type and sizes */
    const DML_TENSOR_DESC *OutputTensor;
    DML_TENSOR_DATA_TYPE ValueDataType; /**< equals OutputTensor's */
    DML_SCALAR_UNION Value;
    int32_t DiagonalFillBegin;
    int32_t DiagonalFillEnd;
} DML_DIAGONAL_MATRIX1_OPERATOR_DESC;

/**
 * DML_OPERATOR_RANDOM_GENERATOR (3_0): uniformly distributed bits from a state: with PHILOX_4X32_10 a 128-bit counter
 * and a 64-bit key. All tensors are UINT32.
 */
typedef struct DML_RANDOM_GENERATOR_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputStateTensor; /**< {.., 6}: counter, then key */
    const DML_TENSOR_DESC *OutputTensor;
    const DML_TENSOR_DESC *OutputStateTensor; /**< optional; the counter raised by one per 4 elements */
    DML_RANDOM_GENERATOR_TYPE Type;
} DML_RANDOM_GENERATOR_OPERATOR_DESC;

/* ---- Pictures ---- */

/** DML_OPERATOR_VALUE_SCALE_2D: out = Scale * x + Bias of the channel, {N, C, H, W}. */
typedef struct DML_VALUE_SCALE_2D_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Scale;
    uint32_t ChannelCount; /**< C: 1 or 3; length of Bias */
    const float *Bias;
} DML_VALUE_SCALE_2D_OPERATOR_DESC;

/* ---- Recurrent networks ----
 * S steps of N sequences of I inputs, through D directions (2 if BIDIRECTIONAL, else 1) of H hidden values. */

/**
 * DML_OPERATOR_RNN: h = f(X * W^T + h' * R^T + Wb + Rb) in every step, h' being that of the step before; BACKWARD
 * begins at the last.
 */
typedef struct DML_RNN_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;           /**< {1, S, N, I} */
    const DML_TENSOR_DESC *WeightTensor;          /**< {1, D, H, I} */
    const DML_TENSOR_DESC *RecurrenceTensor;      /**< {1, D, H, H} */
    const DML_TENSOR_DESC *BiasTensor;            /**< optional: 0 without; {1, 1, D, 2 * H}: Wb, Rb */
    const DML_TENSOR_DESC *HiddenInitTensor;      /**< optional: 0 without; {1, D, N, H} */
    const DML_TENSOR_DESC *SequenceLengthsTensor; /**< optional: S without; {1, 1, 1, N}, UINT32 */
    const DML_TENSOR_DESC *OutputSequenceTensor;  /**< optional; {S, D, N, H}: every step */
    const DML_TENSOR_DESC *OutputSingleTensor;    /**< optional; {1, D, N, H}: the last step */
    uint32_t ActivationDescCount;
    const DML_OPERATOR_DESC *ActivationDescs; /**< f of each direction */
    DML_RECURRENT_NETWORK_DIRECTION Direction;
} DML_RNN_OPERATOR_DESC;

/**
 * DML_OPERATOR_LSTM: long short-term memory, with gates in the order i, o, f, c. In every step, with . for the product
 * of elements and h' and C' for the hidden and cell state of the step before:
 *   i = f(X * Wi^T + h' * Ri^T + Pi . C' + Wbi + Rbi), f likewise; c = g(X * Wc^T + h' * Rc^T + Wbc + Rbc);
 *   C = f . C' + i . c; o as i, but with C in place of C'; h = o . h(C).
 */
typedef struct DML_LSTM_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;            /**< {1, S, N, I} */
    const DML_TENSOR_DESC *WeightTensor;           /**< {1, D, 4 * H, I} */
    const DML_TENSOR_DESC *RecurrenceTensor;       /**< {1, D, 4 * H, H} */
    const DML_TENSOR_DESC *BiasTensor;             /**< optional: 0 without; {1, 1, D, 8 * H}: Wb, Rb */
    const DML_TENSOR_DESC *HiddenInitTensor;       /**< optional: 0 without; {1, D, N, H} */
    const DML_TENSOR_DESC *CellMemInitTensor;      /**< optional: 0 without; {1, D, N, H} */
    const DML_TENSOR_DESC *SequenceLengthsTensor;  /**< optional: S without; {1, 1, 1, N}, UINT32 */
    const DML_TENSOR_DESC *PeepholeTensor;         /**< optional: 0 without; {1, 1, D, 3 * H}: of i, o, f */
    const DML_TENSOR_DESC *OutputSequenceTensor;   /**< optional; {S, D, N, H}: h of every step */
    const DML_TENSOR_DESC *OutputSingleTensor;     /**< optional; {1, D, N, H}: h of the last step */
    const DML_TENSOR_DESC *OutputCellSingleTensor; /**< optional; {1, D, N, H}: C of the last step */
    uint32_t ActivationDescCount;
    const DML_OPERATOR_DESC *ActivationDescs; /**< f, g, h of each direction */
    DML_RECURRENT_NETWORK_DIRECTION Direction;
    float ClipThreshold; /**< clips what the activations take to [-ClipThreshold, ClipThreshold] */
    int32_t UseClipThreshold;
    int32_t CoupleInputForget; /**< 1: f = 1 - i */
} DML_LSTM_OPERATOR_DESC;

/** DML_OPERATOR_GRU: a gated recurrent unit, with gates in the order z (update), r (reset), h (hidden). */
typedef struct DML_GRU_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputTensor;           /**< {1, S, N, I} */
    const DML_TENSOR_DESC *WeightTensor;          /**< {1, D, 3 * H, I} */
    const DML_TENSOR_DESC *RecurrenceTensor;      /**< {1, D, 3 * H, H} */
    const DML_TENSOR_DESC *BiasTensor;            /**< optional: 0 without; {1, 1, D, 6 * H}: Wb, Rb */
    const DML_TENSOR_DESC *HiddenInitTensor;      /**< optional: 0 without; {1, D, N, H} */
    const DML_TENSOR_DESC *SequenceLengthsTensor; /**< optional: S without; {1, 1, 1, N}, UINT32 */
    const DML_TENSOR_DESC *OutputSequenceTensor;  /**< optional; {S, D, N, H}: every step */
    const DML_TENSOR_DESC *OutputSingleTensor;    /**< optional; {1, D, N, H}: the last step */
    uint32_t ActivationDescCount;
    const DML_OPERATOR_DESC *ActivationDescs; /**< f, g of each direction */
    DML_RECURRENT_NETWORK_DIRECTION Direction;
    int32_t LinearBeforeReset; /**< 1: the hidden gate's recurrence is multiplied before the reset gate is applied */
} DML_GRU_OPERATOR_DESC;

/* ---- Attention ---- */

/**
 * DML_OPERATOR_MULTIHEAD_ATTENTION (6_1): softmax(query x key^T * Scale + RelativePositionBias, masked) x value, in
 * each of HeadCount heads. Query, key and value come each from one tensor, alone or stacked.
 */
typedef struct DML_MULTIHEAD_ATTENTION_OPERATOR_DESC {
    const DML_TENSOR_DESC *QueryTensor;                /**< optional; {N, S, HeadCount * head size} */
    const DML_TENSOR_DESC *KeyTensor;                  /**< optional; {N, keys, HeadCount * head size} */
    const DML_TENSOR_DESC *ValueTensor;                /**< optional; {N, keys, HeadCount * value head size} */
    const DML_TENSOR_DESC *StackedQueryKeyTensor;      /**< optional; {N, S, HeadCount, 2, head size} */
    const DML_TENSOR_DESC *StackedKeyValueTensor;      /**< optional; {N, keys, HeadCount, 2, head size} */
    const DML_TENSOR_DESC *StackedQueryKeyValueTensor; /**< optional; {N, S, HeadCount, 3, head size} */
    const DML_TENSOR_DESC *BiasTensor;                 /**< optional; of query, key and value, one behind the other */
    const DML_TENSOR_DESC *MaskTensor;                 /**< optional; INT32, as MaskType says */
    const DML_TENSOR_DESC *RelativePositionBiasTensor; /**< optional */
    const DML_TENSOR_DESC *PastKeyTensor;            /**< optional; {N, HeadCount, past, head size}, before the keys */
    const DML_TENSOR_DESC *PastValueTensor;          /**< optional; likewise before the values */
    const DML_TENSOR_DESC *OutputTensor;             /**< {N, S, HeadCount * value head size} */
    const DML_TENSOR_DESC *OutputPresentKeyTensor;   /**< optional; the keys, past ones included */
    const DML_TENSOR_DESC *OutputPresentValueTensor; /**< optional; the values likewise */
    float Scale;                                     /**< usually 1 / sqrt(head size) */
    float MaskFilterValue;                           /**< for masked places, far below 0 */
    uint32_t HeadCount;
    DML_MULTIHEAD_ATTENTION_MASK_TYPE MaskType;
} DML_MULTIHEAD_ATTENTION_OPERATOR_DESC;

/**
 * DML_OPERATOR_MULTIHEAD_ATTENTION1 (6_3): MULTIHEAD_ATTENTION with QueryHeadCount and KeyValueHeadCount in place of
 * HeadCount, and PastSequenceLengthsTensor.
 */
typedef struct DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC {
    const DML_TENSOR_DESC *QueryTensor;                /**< optional */
    const DML_TENSOR_DESC *KeyTensor;                  /**< optional */
    const DML_TENSOR_DESC *ValueTensor;                /**< optional */
    const DML_TENSOR_DESC *StackedQueryKeyTensor;      /**< optional */
    const DML_TENSOR_DESC *StackedKeyValueTensor;      /**< optional */
    const DML_TENSOR_DESC *StackedQueryKeyValueTensor; /**< optional */
    const DML_TENSOR_DESC *BiasTensor;                 /**< optional */
    const DML_TENSOR_DESC *MaskTensor;                 /**< optional */
    const DML_TENSOR_DESC *RelativePositionBiasTensor; /**< optional */
    const DML_TENSOR_DESC *PastKeyTensor;              /**< optional */
    const DML_TENSOR_DESC *PastValueTensor;            /**< optional */
    const DML_TENSOR_DESC *PastSequenceLengthsTensor;  /**< optional */
    const DML_TENSOR_DESC *OutputTensor;
    const DML_TENSOR_DESC *OutputPresentKeyTensor;   /**< optional */
    const DML_TENSOR_DESC *OutputPresentValueTensor; /**< optional */
    float Scale;
    float MaskFilterValue;
    uint32_t QueryHeadCount;
    uint32_t KeyValueHeadCount;
    DML_MULTIHEAD_ATTENTION_MASK_TYPE MaskType;
} DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC;

/* ---- Training ---- */

/**
 * DML_OPERATOR_ADAM_OPTIMIZER (3_0): step T of Adam, with gradient G, on parameters X and their first and second
 * moments M and V:
 *   M = Beta1 * M + (1 - Beta1) * G; V = Beta2 * V + (1 - Beta2) * G * G;
 *   X = X - LearningRate * sqrt(1 - Beta2^T) / (1 - Beta1^T) * M / (sqrt(V) + Epsilon).
 */
typedef struct DML_ADAM_OPTIMIZER_OPERATOR_DESC {
    const DML_TENSOR_DESC *InputParametersTensor;
    const DML_TENSOR_DESC *InputFirstMomentTensor;
    const DML_TENSOR_DESC *InputSecondMomentTensor;
    const DML_TENSOR_DESC *GradientTensor;
    const DML_TENSOR_DESC *TrainingStepTensor; /**< T, one element */
    const DML_TENSOR_DESC *OutputParametersTensor;
    const DML_TENSOR_DESC *OutputFirstMomentTensor;
    const DML_TENSOR_DESC *OutputSecondMomentTensor;
    float LearningRate;
    float Beta1;
    float Beta2;
    float Epsilon;
} DML_ADAM_OPTIMIZER_OPERATOR_DESC;

#ifdef __cplusplus
}
#endif

#endif /* VKDML_DECLARES_DIRECTML */
#endif /* VKDML_DML_OPERATORS_H */
