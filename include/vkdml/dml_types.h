/**
 * @file dml_types.h
 * @brief DirectML's enumerators, constants and descriptor structs; those of the operators are in dml_operators.h,
 *        which this header includes.
 *
 * Names, values and field order are DirectML's at feature level 6_4, so descriptor code written against
 * DirectML.h compiles unchanged, in C++ with flags that combine by |, &, ^, ~ and their assignments.
 *
 * The real DirectML.h, which directx-headers have from 1.614 on, may be included before or after this header; the first
 * one makes the declarations. Both define DIRECTML_H, so the second declares nothing. The real one before this header
 * must be included with DML_TARGET_VERSION 0x6400 (its default). The interfaces are incomplete types in this header:
 * code that calls them includes directml.hpp, or the real DirectML.h first.
 *
 * Windows' names. UINT8 to UINT64, INT8 to INT64, BYTE, INT, UINT, FLOAT and DOUBLE are declared, the same types as in
 * directx-headers and, where long has 64 bits, X11/Xmd.h, before or after which this header may be included. Define
 * VKDML_NO_WINDOWS_TYPES to do without them.
 *
 * BOOL is not declared: directx-headers make it uint32_t, X11/Xmd.h unsigned char, others bool, and whichever comes
 * second would not compile. DirectML's BOOL fields are int32_t here, which is what BOOL is on Windows; TRUE, FALSE,
 * true and false can be assigned to them, and so can any of those BOOLs; only in a braced initializer of C++ does one
 * of directx-headers that is no constant need a cast. Where nothing in a translation unit declares BOOL and its code
 * names it, define VKDML_WINDOWS_BOOL before the first header of vkdml, or for the compiler: then BOOL is int32_t, and
 * TRUE and FALSE are 1 and 0 where they are not defined yet. It leaves alone a BOOL of directx-headers or X11/Xmd.h
 * that was included before, so that it may be defined for a whole project whose sources include those first; any other
 * BOOL beside it is an error.
 *
 * All structs are plain data in the caller's memory. Every vkdml function that takes a descriptor copies what it
 * keeps before it returns; no pointer inside a descriptor is read afterwards.
 */
#ifndef VKDML_DML_TYPES_H
#define VKDML_DML_TYPES_H

#ifndef DIRECTML_H /* the include guard of the real DirectML.h, which has not been included */
#define DIRECTML_H
#define VKDML_DECLARES_DIRECTML

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#include <windows.h>
#else
#ifndef VKDML_NO_WINDOWS_TYPES
#ifndef XMD_H /* X11/Xmd.h, whose INT32 is long where that has 32 bits */
typedef int8_t INT8;        /**< Windows' name */
typedef int16_t INT16;      /**< Windows' name */
typedef int32_t INT32;      /**< Windows' name */
typedef int64_t INT64;      /**< Windows' name */
typedef unsigned char BYTE; /**< Windows' name */
#endif
typedef uint8_t UINT8;      /**< Windows' name */
typedef uint16_t UINT16;    /**< Windows' name */
typedef uint32_t UINT32;    /**< Windows' name */
typedef uint64_t UINT64;    /**< Windows' name */
typedef int32_t INT;        /**< Windows' name */
typedef uint32_t UINT;      /**< Windows' name */
typedef float FLOAT;        /**< Windows' name */
typedef double DOUBLE;      /**< Windows' name */
#endif
#ifdef VKDML_WINDOWS_BOOL
#if !defined(COM_NO_WINDOWS_H) && !defined(XMD_H) /* which directx-headers and X11/Xmd.h define */
typedef int32_t BOOL;       /**< Windows' name */
#endif
#ifndef TRUE
#define TRUE 1 /**< Windows' name */
#endif
#ifndef FALSE
#define FALSE 0 /**< Windows' name */
#endif
#endif
#endif

/** The DirectML.h that this header stands in for; all of it is declared, whatever an earlier definition says. */
#ifndef DML_TARGET_VERSION
#define DML_TARGET_VERSION 0x6400
#endif

/* The type of flags: a combination, or the complement of one, need not be an enumerator. */
#ifdef __cplusplus
#define VKDML_FLAGS_BASE : int
#else
#define VKDML_FLAGS_BASE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Largest DimensionCount of a tensor below feature level 3_0. */
#define DML_TENSOR_DIMENSION_COUNT_MAX 5u
/** Largest DimensionCount of a tensor from feature level 3_0 on. */
#define DML_TENSOR_DIMENSION_COUNT_MAX1 8u
/** Alignment in bytes of the offset at which a temporary resource is bound. */
#define DML_TEMPORARY_BUFFER_ALIGNMENT 256u
/** Alignment in bytes of the offset at which a persistent resource is bound. */
#define DML_PERSISTENT_BUFFER_ALIGNMENT 256u
/** Alignment in bytes of the offset at which any tensor is bound. */
#define DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT 16u

/** Element type of a tensor. */
typedef enum DML_TENSOR_DATA_TYPE {
    DML_TENSOR_DATA_TYPE_UNKNOWN = 0,
    DML_TENSOR_DATA_TYPE_FLOAT32 = 1,
    DML_TENSOR_DATA_TYPE_FLOAT16 = 2,
    DML_TENSOR_DATA_TYPE_UINT32 = 3,
    DML_TENSOR_DATA_TYPE_UINT16 = 4,
    DML_TENSOR_DATA_TYPE_UINT8 = 5,
    DML_TENSOR_DATA_TYPE_INT32 = 6,
    DML_TENSOR_DATA_TYPE_INT16 = 7,
    DML_TENSOR_DATA_TYPE_INT8 = 8,
    DML_TENSOR_DATA_TYPE_FLOAT64 = 9,
    DML_TENSOR_DATA_TYPE_UINT64 = 10,
    DML_TENSOR_DATA_TYPE_INT64 = 11,
    DML_TENSOR_DATA_TYPE_UINT4 = 12,
    DML_TENSOR_DATA_TYPE_INT4 = 13,
} DML_TENSOR_DATA_TYPE;

/** What DML_TENSOR_DESC::Desc points to. */
typedef enum DML_TENSOR_TYPE {
    DML_TENSOR_TYPE_INVALID = 0,
    DML_TENSOR_TYPE_BUFFER = 1,
} DML_TENSOR_TYPE;

/** Flags of a tensor. */
typedef enum DML_TENSOR_FLAGS VKDML_FLAGS_BASE {
    DML_TENSOR_FLAG_NONE = 0,
    DML_TENSOR_FLAG_OWNED_BY_DML = 1,
} DML_TENSOR_FLAGS;

/** The 177 operators of DirectML 6_4; vkdmlGetOperatorSchema() tells what they take. All are implemented. */
typedef enum DML_OPERATOR_TYPE {
    DML_OPERATOR_INVALID = 0,
    DML_OPERATOR_ELEMENT_WISE_IDENTITY = 1,
    DML_OPERATOR_ELEMENT_WISE_ABS = 2,
    DML_OPERATOR_ELEMENT_WISE_ACOS = 3,
    DML_OPERATOR_ELEMENT_WISE_ADD = 4,
    DML_OPERATOR_ELEMENT_WISE_ASIN = 5,
    DML_OPERATOR_ELEMENT_WISE_ATAN = 6,
    DML_OPERATOR_ELEMENT_WISE_CEIL = 7,
    DML_OPERATOR_ELEMENT_WISE_CLIP = 8,
    DML_OPERATOR_ELEMENT_WISE_COS = 9,
    DML_OPERATOR_ELEMENT_WISE_DIVIDE = 10,
    DML_OPERATOR_ELEMENT_WISE_EXP = 11,
    DML_OPERATOR_ELEMENT_WISE_FLOOR = 12,
    DML_OPERATOR_ELEMENT_WISE_LOG = 13,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND = 14,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS = 15,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN = 16,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN = 17,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT = 18,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR = 19,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR = 20,
    DML_OPERATOR_ELEMENT_WISE_MAX = 21,
    DML_OPERATOR_ELEMENT_WISE_MEAN = 22,
    DML_OPERATOR_ELEMENT_WISE_MIN = 23,
    DML_OPERATOR_ELEMENT_WISE_MULTIPLY = 24,
    DML_OPERATOR_ELEMENT_WISE_POW = 25,
    DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW = 26,
    DML_OPERATOR_ELEMENT_WISE_RECIP = 27,
    DML_OPERATOR_ELEMENT_WISE_SIN = 28,
    DML_OPERATOR_ELEMENT_WISE_SQRT = 29,
    DML_OPERATOR_ELEMENT_WISE_SUBTRACT = 30,
    DML_OPERATOR_ELEMENT_WISE_TAN = 31,
    DML_OPERATOR_ELEMENT_WISE_THRESHOLD = 32,
    DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR = 33,
    DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR = 34,
    DML_OPERATOR_ACTIVATION_ELU = 35,
    DML_OPERATOR_ACTIVATION_HARDMAX = 36,
    DML_OPERATOR_ACTIVATION_HARD_SIGMOID = 37,
    DML_OPERATOR_ACTIVATION_IDENTITY = 38,
    DML_OPERATOR_ACTIVATION_LEAKY_RELU = 39,
    DML_OPERATOR_ACTIVATION_LINEAR = 40,
    DML_OPERATOR_ACTIVATION_LOG_SOFTMAX = 41,
    DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU = 42,
    DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS = 43,
    DML_OPERATOR_ACTIVATION_RELU = 44,
    DML_OPERATOR_ACTIVATION_SCALED_ELU = 45,
    DML_OPERATOR_ACTIVATION_SCALED_TANH = 46,
    DML_OPERATOR_ACTIVATION_SIGMOID = 47,
    DML_OPERATOR_ACTIVATION_SOFTMAX = 48,
    DML_OPERATOR_ACTIVATION_SOFTPLUS = 49,
    DML_OPERATOR_ACTIVATION_SOFTSIGN = 50,
    DML_OPERATOR_ACTIVATION_TANH = 51,
    DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU = 52,
    DML_OPERATOR_CONVOLUTION = 53,
    DML_OPERATOR_GEMM = 54,
    DML_OPERATOR_REDUCE = 55,
    DML_OPERATOR_AVERAGE_POOLING = 56,
    DML_OPERATOR_LP_POOLING = 57,
    DML_OPERATOR_MAX_POOLING = 58,
    DML_OPERATOR_ROI_POOLING = 59,
    DML_OPERATOR_SLICE = 60,
    DML_OPERATOR_CAST = 61,
    DML_OPERATOR_SPLIT = 62,
    DML_OPERATOR_JOIN = 63,
    DML_OPERATOR_PADDING = 64,
    DML_OPERATOR_VALUE_SCALE_2D = 65,
    DML_OPERATOR_UPSAMPLE_2D = 66,
    DML_OPERATOR_GATHER = 67,
    DML_OPERATOR_SPACE_TO_DEPTH = 68,
    DML_OPERATOR_DEPTH_TO_SPACE = 69,
    DML_OPERATOR_TILE = 70,
    DML_OPERATOR_TOP_K = 71,
    DML_OPERATOR_BATCH_NORMALIZATION = 72,
    DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION = 73,
    DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION = 74,
    DML_OPERATOR_LP_NORMALIZATION = 75,
    DML_OPERATOR_RNN = 76,
    DML_OPERATOR_LSTM = 77,
    DML_OPERATOR_GRU = 78,
    DML_OPERATOR_ELEMENT_WISE_SIGN = 79,
    DML_OPERATOR_ELEMENT_WISE_IS_NAN = 80,
    DML_OPERATOR_ELEMENT_WISE_ERF = 81,
    DML_OPERATOR_ELEMENT_WISE_SINH = 82,
    DML_OPERATOR_ELEMENT_WISE_COSH = 83,
    DML_OPERATOR_ELEMENT_WISE_TANH = 84,
    DML_OPERATOR_ELEMENT_WISE_ASINH = 85,
    DML_OPERATOR_ELEMENT_WISE_ACOSH = 86,
    DML_OPERATOR_ELEMENT_WISE_ATANH = 87,
    DML_OPERATOR_ELEMENT_WISE_IF = 88,
    DML_OPERATOR_ELEMENT_WISE_ADD1 = 89,
    DML_OPERATOR_ACTIVATION_SHRINK = 90,
    DML_OPERATOR_MAX_POOLING1 = 91,
    DML_OPERATOR_MAX_UNPOOLING = 92,
    DML_OPERATOR_DIAGONAL_MATRIX = 93,
    DML_OPERATOR_SCATTER_ELEMENTS = 94,
    DML_OPERATOR_ONE_HOT = 95,
    DML_OPERATOR_RESAMPLE = 96,
    DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT = 97,
    DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT = 98,
    DML_OPERATOR_ELEMENT_WISE_ROUND = 99,
    DML_OPERATOR_ELEMENT_WISE_IS_INFINITY = 100,
    DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE = 101,
    DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR = 102,
    DML_OPERATOR_FILL_VALUE_CONSTANT = 103,
    DML_OPERATOR_FILL_VALUE_SEQUENCE = 104,
    DML_OPERATOR_CUMULATIVE_SUMMATION = 105,
    DML_OPERATOR_REVERSE_SUBSEQUENCES = 106,
    DML_OPERATOR_GATHER_ELEMENTS = 107,
    DML_OPERATOR_GATHER_ND = 108,
    DML_OPERATOR_SCATTER_ND = 109,
    DML_OPERATOR_MAX_POOLING2 = 110,
    DML_OPERATOR_SLICE1 = 111,
    DML_OPERATOR_TOP_K1 = 112,
    DML_OPERATOR_DEPTH_TO_SPACE1 = 113,
    DML_OPERATOR_SPACE_TO_DEPTH1 = 114,
    DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1 = 115,
    DML_OPERATOR_RESAMPLE1 = 116,
    DML_OPERATOR_MATRIX_MULTIPLY_INTEGER = 117,
    DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY = 118,
    DML_OPERATOR_CONVOLUTION_INTEGER = 119,
    DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION = 120,
    DML_OPERATOR_ELEMENT_WISE_BIT_AND = 121,
    DML_OPERATOR_ELEMENT_WISE_BIT_OR = 122,
    DML_OPERATOR_ELEMENT_WISE_BIT_XOR = 123,
    DML_OPERATOR_ELEMENT_WISE_BIT_NOT = 124,
    DML_OPERATOR_ELEMENT_WISE_BIT_COUNT = 125,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL = 126,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL = 127,
    DML_OPERATOR_ACTIVATION_CELU = 128,
    DML_OPERATOR_ACTIVATION_RELU_GRAD = 129,
    DML_OPERATOR_AVERAGE_POOLING_GRAD = 130,
    DML_OPERATOR_MAX_POOLING_GRAD = 131,
    DML_OPERATOR_RANDOM_GENERATOR = 132,
    DML_OPERATOR_NONZERO_COORDINATES = 133,
    DML_OPERATOR_RESAMPLE_GRAD = 134,
    DML_OPERATOR_SLICE_GRAD = 135,
    DML_OPERATOR_ADAM_OPTIMIZER = 136,
    DML_OPERATOR_ARGMIN = 137,
    DML_OPERATOR_ARGMAX = 138,
    DML_OPERATOR_ROI_ALIGN = 139,
    DML_OPERATOR_GATHER_ND1 = 140,
    DML_OPERATOR_ELEMENT_WISE_ATAN_YX = 141,
    DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD = 142,
    DML_OPERATOR_ELEMENT_WISE_DIFFERENCE_SQUARE = 143,
    DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD = 144,
    DML_OPERATOR_CUMULATIVE_PRODUCT = 145,
    DML_OPERATOR_BATCH_NORMALIZATION_GRAD = 146,
    DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD = 147,
    DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR = 148,
    DML_OPERATOR_ROI_ALIGN1 = 149,
    DML_OPERATOR_ROI_ALIGN_GRAD = 150,
    DML_OPERATOR_BATCH_NORMALIZATION_TRAINING = 151,
    DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD = 152,
    DML_OPERATOR_ELEMENT_WISE_CLIP1 = 153,
    DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1 = 154,
    DML_OPERATOR_PADDING1 = 155,
    DML_OPERATOR_ELEMENT_WISE_NEGATE = 156,
    DML_OPERATOR_ACTIVATION_GELU = 157,
    DML_OPERATOR_ACTIVATION_SOFTMAX1 = 158,
    DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1 = 159,
    DML_OPERATOR_ACTIVATION_HARDMAX1 = 160,
    DML_OPERATOR_RESAMPLE2 = 161,
    DML_OPERATOR_RESAMPLE_GRAD1 = 162,
    DML_OPERATOR_DIAGONAL_MATRIX1 = 163,
    DML_OPERATOR_MULTIHEAD_ATTENTION = 164,
    DML_OPERATOR_LP_POOLING1 = 165,
    DML_OPERATOR_AVERAGE_POOLING1 = 166,
    DML_OPERATOR_ACTIVATION_SWISH = 167,
    DML_OPERATOR_ACTIVATION_HARD_SWISH = 168,
    DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING = 169,
    DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT = 170,
    DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2 = 171,
    DML_OPERATOR_MULTIHEAD_ATTENTION1 = 172,
    DML_OPERATOR_QUANTIZE = 173,
    DML_OPERATOR_DEQUANTIZE = 174,
    DML_OPERATOR_RESAMPLE3 = 175,
    DML_OPERATOR_FOLD = 176,
    DML_OPERATOR_UNFOLD = 177,
    DML_OPERATOR_SCATTER = DML_OPERATOR_SCATTER_ELEMENTS, /* DirectML's alias */
} DML_OPERATOR_TYPE;

/** Feature levels; each includes all before it. */
typedef enum DML_FEATURE_LEVEL {
    DML_FEATURE_LEVEL_1_0 = 0x1000,
    DML_FEATURE_LEVEL_2_0 = 0x2000,
    DML_FEATURE_LEVEL_2_1 = 0x2100,
    DML_FEATURE_LEVEL_3_0 = 0x3000,
    DML_FEATURE_LEVEL_3_1 = 0x3100,
    DML_FEATURE_LEVEL_4_0 = 0x4000,
    DML_FEATURE_LEVEL_4_1 = 0x4100,
    DML_FEATURE_LEVEL_5_0 = 0x5000,
    DML_FEATURE_LEVEL_5_1 = 0x5100,
    DML_FEATURE_LEVEL_5_2 = 0x5200,
    DML_FEATURE_LEVEL_6_0 = 0x6000,
    DML_FEATURE_LEVEL_6_1 = 0x6100,
    DML_FEATURE_LEVEL_6_2 = 0x6200,
    DML_FEATURE_LEVEL_6_3 = 0x6300,
    DML_FEATURE_LEVEL_6_4 = 0x6400,
} DML_FEATURE_LEVEL;

/** How DML_OPERATOR_PADDING fills the rim: DML_PADDING_OPERATOR_DESC. SYMMETRIC needs feature level 3_0, WRAP 6_4. */
typedef enum DML_PADDING_MODE {
    DML_PADDING_MODE_CONSTANT = 0,
    DML_PADDING_MODE_EDGE = 1,
    DML_PADDING_MODE_REFLECTION = 2,
    DML_PADDING_MODE_SYMMETRIC = 3,
    DML_PADDING_MODE_WRAP = 4,
} DML_PADDING_MODE;

/** Mirrors DirectML's DML_REDUCE_FUNCTION. */
typedef enum DML_REDUCE_FUNCTION {
    DML_REDUCE_FUNCTION_ARGMAX = 0,
    DML_REDUCE_FUNCTION_ARGMIN = 1,
    DML_REDUCE_FUNCTION_AVERAGE = 2,
    DML_REDUCE_FUNCTION_L1 = 3,
    DML_REDUCE_FUNCTION_L2 = 4,
    DML_REDUCE_FUNCTION_LOG_SUM = 5,
    DML_REDUCE_FUNCTION_LOG_SUM_EXP = 6,
    DML_REDUCE_FUNCTION_MAX = 7,
    DML_REDUCE_FUNCTION_MIN = 8,
    DML_REDUCE_FUNCTION_MULTIPLY = 9,
    DML_REDUCE_FUNCTION_SUM = 10,
    DML_REDUCE_FUNCTION_SUM_SQUARE = 11,
} DML_REDUCE_FUNCTION;

/** Mirrors DirectML's DML_MATRIX_TRANSFORM. */
typedef enum DML_MATRIX_TRANSFORM {
    DML_MATRIX_TRANSFORM_NONE = 0,
    DML_MATRIX_TRANSFORM_TRANSPOSE = 1,
} DML_MATRIX_TRANSFORM;

/** Mirrors DirectML's DML_CONVOLUTION_MODE. */
typedef enum DML_CONVOLUTION_MODE {
    DML_CONVOLUTION_MODE_CONVOLUTION = 0,
    DML_CONVOLUTION_MODE_CROSS_CORRELATION = 1,
} DML_CONVOLUTION_MODE;

/** Mirrors DirectML's DML_CONVOLUTION_DIRECTION. */
typedef enum DML_CONVOLUTION_DIRECTION {
    DML_CONVOLUTION_DIRECTION_FORWARD = 0,
    DML_CONVOLUTION_DIRECTION_BACKWARD = 1,
} DML_CONVOLUTION_DIRECTION;

/** Mirrors DirectML's DML_INTERPOLATION_MODE. */
typedef enum DML_INTERPOLATION_MODE {
    DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR = 0,
    DML_INTERPOLATION_MODE_LINEAR = 1,
} DML_INTERPOLATION_MODE;

/** Mirrors DirectML's DML_RECURRENT_NETWORK_DIRECTION. */
typedef enum DML_RECURRENT_NETWORK_DIRECTION {
    DML_RECURRENT_NETWORK_DIRECTION_FORWARD = 0,
    DML_RECURRENT_NETWORK_DIRECTION_BACKWARD = 1,
    DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL = 2,
} DML_RECURRENT_NETWORK_DIRECTION;

/** Mirrors DirectML's DML_ROUNDING_MODE. */
typedef enum DML_ROUNDING_MODE {
    DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN = 0,
    DML_ROUNDING_MODE_TOWARD_ZERO = 1,
    DML_ROUNDING_MODE_TOWARD_INFINITY = 2,
} DML_ROUNDING_MODE;

/** Mirrors DirectML's DML_IS_INFINITY_MODE. */
typedef enum DML_IS_INFINITY_MODE {
    DML_IS_INFINITY_MODE_EITHER = 0,
    DML_IS_INFINITY_MODE_POSITIVE = 1,
    DML_IS_INFINITY_MODE_NEGATIVE = 2,
} DML_IS_INFINITY_MODE;

/** Mirrors DirectML's DML_AXIS_DIRECTION. */
typedef enum DML_AXIS_DIRECTION {
    DML_AXIS_DIRECTION_INCREASING = 0,
    DML_AXIS_DIRECTION_DECREASING = 1,
} DML_AXIS_DIRECTION;

/** Mirrors DirectML's DML_DEPTH_SPACE_ORDER. */
typedef enum DML_DEPTH_SPACE_ORDER {
    DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW = 0,
    DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH = 1,
} DML_DEPTH_SPACE_ORDER;

/** Mirrors DirectML's DML_RANDOM_GENERATOR_TYPE. */
typedef enum DML_RANDOM_GENERATOR_TYPE {
    DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10 = 0,
} DML_RANDOM_GENERATOR_TYPE;

/** Mirrors DirectML's DML_MULTIHEAD_ATTENTION_MASK_TYPE. */
typedef enum DML_MULTIHEAD_ATTENTION_MASK_TYPE {
    DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE = 0,
    DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_LENGTH = 1,
    DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START = 2,
    DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END = 3,
    DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN = 4,
} DML_MULTIHEAD_ATTENTION_MASK_TYPE;

/** Mirrors DirectML's DML_QUANTIZATION_TYPE. */
typedef enum DML_QUANTIZATION_TYPE {
    DML_QUANTIZATION_TYPE_NONE = 0,
    DML_QUANTIZATION_TYPE_SCALE = 1,
    DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT = 2,
} DML_QUANTIZATION_TYPE;

/** Flags of a compiled operator. Accepted and, as hints, without effect on results. */
typedef enum DML_EXECUTION_FLAGS VKDML_FLAGS_BASE {
    DML_EXECUTION_FLAG_NONE = 0,
    DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION = 1,
    DML_EXECUTION_FLAG_DISABLE_META_COMMANDS = 2,
    DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE = 4,
} DML_EXECUTION_FLAGS;

/** Flags of DMLCreateDevice(); vkdmlCreateDevice() takes VkdmlDeviceFlags. */
typedef enum DML_CREATE_DEVICE_FLAGS VKDML_FLAGS_BASE {
    DML_CREATE_DEVICE_FLAG_NONE = 0,
    DML_CREATE_DEVICE_FLAG_DEBUG = 1,
} DML_CREATE_DEVICE_FLAGS;

/** What vkdmlCheckFeatureSupport() is asked for. */
typedef enum DML_FEATURE {
    DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT = 0,
    DML_FEATURE_FEATURE_LEVELS = 1,
} DML_FEATURE;

/**
 * A tensor in a buffer.
 *
 * Element (i0, i1, ...) lies at byte (i0 * Strides[0] + i1 * Strides[1] + ...) * element size of the bound range.
 */
typedef struct DML_BUFFER_TENSOR_DESC {
    DML_TENSOR_DATA_TYPE DataType;
    DML_TENSOR_FLAGS Flags;
    uint32_t DimensionCount;                /**< 1 to 8; each operator narrows it by feature level */
    const uint32_t *Sizes;                  /**< DimensionCount sizes in elements, none 0, product at most 2^32-1 */
    const uint32_t *Strides;                /**< DimensionCount strides in elements, or NULL: packed, row-major */
    uint64_t TotalTensorSizeInBytes;        /**< at least the minimum that vkdmlCalcBufferTensorSize() gives */
    uint32_t GuaranteedBaseOffsetAlignment; /**< 0, or a power of two in bytes that every bound offset honours */
} DML_BUFFER_TENSOR_DESC;

/** A tensor of any type; the only type is DML_TENSOR_TYPE_BUFFER. */
typedef struct DML_TENSOR_DESC {
    DML_TENSOR_TYPE Type;
    const void *Desc; /**< a DML_BUFFER_TENSOR_DESC */
} DML_TENSOR_DESC;

/** An operator: its type, and the descriptor struct of that type. */
typedef struct DML_OPERATOR_DESC {
    DML_OPERATOR_TYPE Type;
    const void *Desc; /**< a DML_..._OPERATOR_DESC of that Type */
} DML_OPERATOR_DESC;

/** g(x) = x * Scale + Bias, applied to input elements. */
typedef struct DML_SCALE_BIAS {
    float Scale;
    float Bias;
} DML_SCALE_BIAS;

/** A two-dimensional size. */
typedef struct DML_SIZE_2D {
    uint32_t Width;
    uint32_t Height;
} DML_SIZE_2D;

/** One element of any data type; which member holds it is said beside it. */
typedef union DML_SCALAR_UNION {
    uint8_t Bytes[8];
    int8_t Int8;
    uint8_t UInt8;
    int16_t Int16;
    uint16_t UInt16;
    int32_t Int32;
    uint32_t UInt32;
    int64_t Int64;
    uint64_t UInt64;
    float Float32;
    double Float64;
} DML_SCALAR_UNION;

/** Query of DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT. */
typedef struct DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT {
    DML_TENSOR_DATA_TYPE DataType;
} DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT;

/** Answer of DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT. */
typedef struct DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT {
    int32_t IsSupported;
} DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT;

/** Query of DML_FEATURE_FEATURE_LEVELS: which of these is the newest that the device has? */
typedef struct DML_FEATURE_QUERY_FEATURE_LEVELS {
    uint32_t RequestedFeatureLevelCount;
    const DML_FEATURE_LEVEL *RequestedFeatureLevels;
} DML_FEATURE_QUERY_FEATURE_LEVELS;

/** Answer of DML_FEATURE_FEATURE_LEVELS. */
typedef struct DML_FEATURE_DATA_FEATURE_LEVELS {
    DML_FEATURE_LEVEL MaxSupportedFeatureLevel;
} DML_FEATURE_DATA_FEATURE_LEVELS;

/* ---- Bindings ----
 * Declared so that code which mentions them compiles: no function of vkdml takes them. vkdml binds VkBuffers, through
 * VkdmlBufferBinding and VkdmlBindingTable (binding.h). */

/** A Direct3D 12 buffer, of which vkdml knows nothing. */
typedef struct ID3D12Resource ID3D12Resource;
/** DirectML's dispatchable; vkdml's is VkdmlDispatchable. */
typedef struct IDMLDispatchable IDMLDispatchable;
/** DirectML's operator; vkdml's is VkdmlOperator. */
typedef struct IDMLOperator IDMLOperator;

/** @cond */
/* Incomplete here: include directml.hpp to use them, or the real DirectML.h before vkdml's first header. */
typedef struct IDMLObject IDMLObject;
typedef struct IDMLDevice IDMLDevice;
typedef struct IDMLDevice1 IDMLDevice1;
typedef struct IDMLDeviceChild IDMLDeviceChild;
typedef struct IDMLPageable IDMLPageable;
typedef struct IDMLCompiledOperator IDMLCompiledOperator;
typedef struct IDMLOperatorInitializer IDMLOperatorInitializer;
typedef struct IDMLBindingTable IDMLBindingTable;
typedef struct IDMLCommandRecorder IDMLCommandRecorder;
/** @endcond */

/** What a dispatchable of DirectML needs; vkdml tells it in VkdmlBindingProperties. */
typedef struct DML_BINDING_PROPERTIES {
    uint32_t RequiredDescriptorCount;
    uint64_t TemporaryResourceSize;
    uint64_t PersistentResourceSize;
} DML_BINDING_PROPERTIES;

/** What DML_BINDING_DESC::Desc points to. */
typedef enum DML_BINDING_TYPE {
    DML_BINDING_TYPE_NONE = 0,
    DML_BINDING_TYPE_BUFFER = 1,
    DML_BINDING_TYPE_BUFFER_ARRAY = 2,
} DML_BINDING_TYPE;

/** A binding of any type. */
typedef struct DML_BINDING_DESC {
    DML_BINDING_TYPE Type;
    const void *Desc; /**< NULL, a DML_BUFFER_BINDING or a DML_BUFFER_ARRAY_BINDING */
} DML_BINDING_DESC;

/** A range of a Direct3D 12 buffer. */
typedef struct DML_BUFFER_BINDING {
    ID3D12Resource *Buffer; /**< may be NULL */
    uint64_t Offset;
    uint64_t SizeInBytes;
} DML_BUFFER_BINDING;

/** Several of them. */
typedef struct DML_BUFFER_ARRAY_BINDING {
    uint32_t BindingCount;
    const DML_BUFFER_BINDING *Bindings;
} DML_BUFFER_ARRAY_BINDING;

#ifdef __d3d12_h__ /* d3d12.h was included before: it alone has these handles */
#define VKDML_BINDING_TABLE_DESC
/** Where in a descriptor heap a binding table lies; vkdml takes VkdmlBindingTableCreateInfo. */
typedef struct DML_BINDING_TABLE_DESC {
    IDMLDispatchable *Dispatchable;
    D3D12_CPU_DESCRIPTOR_HANDLE CPUDescriptorHandle;
    D3D12_GPU_DESCRIPTOR_HANDLE GPUDescriptorHandle;
    uint32_t SizeInDescriptors;
} DML_BINDING_TABLE_DESC;
#endif

/* ---- Graphs (2_1): see graph.h ---- */

/** What DML_GRAPH_NODE_DESC::Desc points to. */
typedef enum DML_GRAPH_NODE_TYPE {
    DML_GRAPH_NODE_TYPE_INVALID = 0,
    DML_GRAPH_NODE_TYPE_OPERATOR = 1,
    DML_GRAPH_NODE_TYPE_CONSTANT = 2, /**< from 6_2 */
} DML_GRAPH_NODE_TYPE;

/** A node of any type. */
typedef struct DML_GRAPH_NODE_DESC {
    DML_GRAPH_NODE_TYPE Type;
    const void *Desc; /**< a DML_OPERATOR_GRAPH_NODE_DESC or DML_CONSTANT_DATA_GRAPH_NODE_DESC */
} DML_GRAPH_NODE_DESC;

/** A node that executes an operator. */
typedef struct DML_OPERATOR_GRAPH_NODE_DESC {
    IDMLOperator *Operator; /**< vkdmlGraphOperator() of a VkdmlOperator */
    const char *Name;       /**< for messages; may be NULL */
} DML_OPERATOR_GRAPH_NODE_DESC;

/** A node of constant data (6_2). */
typedef struct DML_CONSTANT_DATA_GRAPH_NODE_DESC {
    const void *Data;
    size_t DataSize;  /**< bytes */
    const char *Name; /**< for messages; may be NULL */
} DML_CONSTANT_DATA_GRAPH_NODE_DESC;

/** What DML_GRAPH_EDGE_DESC::Desc points to. */
typedef enum DML_GRAPH_EDGE_TYPE {
    DML_GRAPH_EDGE_TYPE_INVALID = 0,
    DML_GRAPH_EDGE_TYPE_INPUT = 1,
    DML_GRAPH_EDGE_TYPE_OUTPUT = 2,
    DML_GRAPH_EDGE_TYPE_INTERMEDIATE = 3,
} DML_GRAPH_EDGE_TYPE;

/** An edge of any type. */
typedef struct DML_GRAPH_EDGE_DESC {
    DML_GRAPH_EDGE_TYPE Type;
    const void *Desc; /**< a DML_INPUT_, DML_OUTPUT_ or DML_INTERMEDIATE_GRAPH_EDGE_DESC */
} DML_GRAPH_EDGE_DESC;

/** From an input of the graph to an input of a node. */
typedef struct DML_INPUT_GRAPH_EDGE_DESC {
    uint32_t GraphInputIndex;
    uint32_t ToNodeIndex;
    uint32_t ToNodeInputIndex;
    const char *Name; /**< for messages; may be NULL */
} DML_INPUT_GRAPH_EDGE_DESC;

/** From an output of a node to an output of the graph. */
typedef struct DML_OUTPUT_GRAPH_EDGE_DESC {
    uint32_t FromNodeIndex;
    uint32_t FromNodeOutputIndex;
    uint32_t GraphOutputIndex;
    const char *Name; /**< for messages; may be NULL */
} DML_OUTPUT_GRAPH_EDGE_DESC;

/** From an output of a node to an input of another. */
typedef struct DML_INTERMEDIATE_GRAPH_EDGE_DESC {
    uint32_t FromNodeIndex;
    uint32_t FromNodeOutputIndex;
    uint32_t ToNodeIndex;
    uint32_t ToNodeInputIndex;
    const char *Name; /**< for messages; may be NULL */
} DML_INTERMEDIATE_GRAPH_EDGE_DESC;

/** A graph: nodes, and the edges between them and its own inputs and outputs. */
typedef struct DML_GRAPH_DESC {
    uint32_t InputCount;
    uint32_t OutputCount;
    uint32_t NodeCount;
    const DML_GRAPH_NODE_DESC *Nodes;
    uint32_t InputEdgeCount;
    const DML_GRAPH_EDGE_DESC *InputEdges;
    uint32_t OutputEdgeCount;
    const DML_GRAPH_EDGE_DESC *OutputEdges;
    uint32_t IntermediateEdgeCount;
    const DML_GRAPH_EDGE_DESC *IntermediateEdges;
} DML_GRAPH_DESC;

#ifdef __cplusplus
}

/* What DEFINE_ENUM_FLAG_OPERATORS of windows.h defines for them in DirectML.h. */
extern "C++" {
#define VKDML_FLAG_OPERATORS(Flags)                                                                                    \
    constexpr Flags operator|(Flags a, Flags b) noexcept {                                                             \
        return static_cast<Flags>(static_cast<int>(a) | static_cast<int>(b));                                          \
    }                                                                                                                  \
    constexpr Flags operator&(Flags a, Flags b) noexcept {                                                             \
        return static_cast<Flags>(static_cast<int>(a) & static_cast<int>(b));                                          \
    }                                                                                                                  \
    constexpr Flags operator^(Flags a, Flags b) noexcept {                                                             \
        return static_cast<Flags>(static_cast<int>(a) ^ static_cast<int>(b));                                          \
    }                                                                                                                  \
    constexpr Flags operator~(Flags a) noexcept {                                                                      \
        return static_cast<Flags>(~static_cast<int>(a));                                                               \
    }                                                                                                                  \
    inline Flags &operator|=(Flags &a, Flags b) noexcept {                                                             \
        return a = a | b;                                                                                              \
    }                                                                                                                  \
    inline Flags &operator&=(Flags &a, Flags b) noexcept {                                                             \
        return a = a & b;                                                                                              \
    }                                                                                                                  \
    inline Flags &operator^=(Flags &a, Flags b) noexcept {                                                             \
        return a = a ^ b;                                                                                              \
    }
VKDML_FLAG_OPERATORS(DML_TENSOR_FLAGS)
VKDML_FLAG_OPERATORS(DML_EXECUTION_FLAGS)
VKDML_FLAG_OPERATORS(DML_CREATE_DEVICE_FLAGS)
#undef VKDML_FLAG_OPERATORS
}
#endif
#undef VKDML_FLAGS_BASE

#include "vkdml/dml_operators.h"

#endif /* DIRECTML_H */
#endif /* VKDML_DML_TYPES_H */
