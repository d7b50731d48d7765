#include "schema/enumerations.h"

#define ENUMERATOR(NAME, level)                                                                                        \
    { #NAME, NAME, DML_FEATURE_LEVEL_##level }

/* Defines the enumeration `name` of the enumerators in the array `name`_enumerators. */
#define ENUMERATION(NAME, name)                                                                                        \
    const VkdmlEnumeration vkdml_enumeration_##name = {                                                                \
        #NAME, sizeof name##_enumerators / sizeof name##_enumerators[0], name##_enumerators}

static const VkdmlEnumerator padding_mode_enumerators[] = {
    ENUMERATOR(DML_PADDING_MODE_CONSTANT, 1_0),   ENUMERATOR(DML_PADDING_MODE_EDGE, 1_0),
    ENUMERATOR(DML_PADDING_MODE_REFLECTION, 1_0), ENUMERATOR(DML_PADDING_MODE_SYMMETRIC, 3_0),
    ENUMERATOR(DML_PADDING_MODE_WRAP, 6_4),
};
ENUMERATION(DML_PADDING_MODE, padding_mode);

/* At which level a tensor may have a type is the operator's to say, not the enumeration's. */
static const VkdmlEnumerator data_type_enumerators[] = {
    ENUMERATOR(DML_TENSOR_DATA_TYPE_FLOAT32, 1_0), ENUMERATOR(DML_TENSOR_DATA_TYPE_FLOAT16, 1_0),
    ENUMERATOR(DML_TENSOR_DATA_TYPE_UINT32, 1_0),  ENUMERATOR(DML_TENSOR_DATA_TYPE_UINT16, 1_0),
    ENUMERATOR(DML_TENSOR_DATA_TYPE_UINT8, 1_0),   ENUMERATOR(DML_TENSOR_DATA_TYPE_INT32, 1_0),
    ENUMERATOR(DML_TENSOR_DATA_TYPE_INT16, 1_0),   ENUMERATOR(DML_TENSOR_DATA_TYPE_INT8, 1_0),
    ENUMERATOR(DML_TENSOR_DATA_TYPE_FLOAT64, 1_0), ENUMERATOR(DML_TENSOR_DATA_TYPE_UINT64, 1_0),
    ENUMERATOR(DML_TENSOR_DATA_TYPE_INT64, 1_0),
};
ENUMERATION(DML_TENSOR_DATA_TYPE, data_type);

static const VkdmlEnumerator is_infinity_mode_enumerators[] = {
    ENUMERATOR(DML_IS_INFINITY_MODE_EITHER, 2_1),
    ENUMERATOR(DML_IS_INFINITY_MODE_POSITIVE, 2_1),
    ENUMERATOR(DML_IS_INFINITY_MODE_NEGATIVE, 2_1),
};
ENUMERATION(DML_IS_INFINITY_MODE, is_infinity_mode);

static const VkdmlEnumerator random_generator_type_enumerators[] = {
    ENUMERATOR(DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10, 3_0),
};
ENUMERATION(DML_RANDOM_GENERATOR_TYPE, random_generator_type);

static const VkdmlEnumerator rounding_mode_enumerators[] = {
    ENUMERATOR(DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN, 2_1),
    ENUMERATOR(DML_ROUNDING_MODE_TOWARD_ZERO, 2_1),
    ENUMERATOR(DML_ROUNDING_MODE_TOWARD_INFINITY, 2_1),
};
ENUMERATION(DML_ROUNDING_MODE, rounding_mode);

static const VkdmlEnumerator quantization_type_enumerators[] = {
    ENUMERATOR(DML_QUANTIZATION_TYPE_NONE, 6_3),
    ENUMERATOR(DML_QUANTIZATION_TYPE_SCALE, 6_3),
    ENUMERATOR(DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT, 6_3),
};
ENUMERATION(DML_QUANTIZATION_TYPE, quantization_type);

static const VkdmlEnumerator depth_space_order_enumerators[] = {
    ENUMERATOR(DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW, 2_1),
    ENUMERATOR(DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH, 2_1),
};
ENUMERATION(DML_DEPTH_SPACE_ORDER, depth_space_order);

/* In the order of their values, from 0 on. */
static const VkdmlEnumerator reduce_function_enumerators[] = {
    ENUMERATOR(DML_REDUCE_FUNCTION_ARGMAX, 1_0),      ENUMERATOR(DML_REDUCE_FUNCTION_ARGMIN, 1_0),
    ENUMERATOR(DML_REDUCE_FUNCTION_AVERAGE, 1_0),     ENUMERATOR(DML_REDUCE_FUNCTION_L1, 1_0),
    ENUMERATOR(DML_REDUCE_FUNCTION_L2, 1_0),          ENUMERATOR(DML_REDUCE_FUNCTION_LOG_SUM, 1_0),
    ENUMERATOR(DML_REDUCE_FUNCTION_LOG_SUM_EXP, 1_0), ENUMERATOR(DML_REDUCE_FUNCTION_MAX, 1_0),
    ENUMERATOR(DML_REDUCE_FUNCTION_MIN, 1_0),         ENUMERATOR(DML_REDUCE_FUNCTION_MULTIPLY, 1_0),
    ENUMERATOR(DML_REDUCE_FUNCTION_SUM, 1_0),         ENUMERATOR(DML_REDUCE_FUNCTION_SUM_SQUARE, 1_0),
};
ENUMERATION(DML_REDUCE_FUNCTION, reduce_function);

static const VkdmlEnumerator axis_direction_enumerators[] = {
    ENUMERATOR(DML_AXIS_DIRECTION_INCREASING, 1_0),
    ENUMERATOR(DML_AXIS_DIRECTION_DECREASING, 1_0),
};
ENUMERATION(DML_AXIS_DIRECTION, axis_direction);

static const VkdmlEnumerator interpolation_mode_enumerators[] = {
    ENUMERATOR(DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR, 1_0),
    ENUMERATOR(DML_INTERPOLATION_MODE_LINEAR, 1_0),
};
ENUMERATION(DML_INTERPOLATION_MODE, interpolation_mode);

static const VkdmlEnumerator matrix_transform_enumerators[] = {
    ENUMERATOR(DML_MATRIX_TRANSFORM_NONE, 1_0),
    ENUMERATOR(DML_MATRIX_TRANSFORM_TRANSPOSE, 1_0),
};
ENUMERATION(DML_MATRIX_TRANSFORM, matrix_transform);

static const VkdmlEnumerator convolution_mode_enumerators[] = {
    ENUMERATOR(DML_CONVOLUTION_MODE_CONVOLUTION, 1_0),
    ENUMERATOR(DML_CONVOLUTION_MODE_CROSS_CORRELATION, 1_0),
};
ENUMERATION(DML_CONVOLUTION_MODE, convolution_mode);

static const VkdmlEnumerator convolution_direction_enumerators[] = {
    ENUMERATOR(DML_CONVOLUTION_DIRECTION_FORWARD, 1_0),
    ENUMERATOR(DML_CONVOLUTION_DIRECTION_BACKWARD, 1_0),
};
ENUMERATION(DML_CONVOLUTION_DIRECTION, convolution_direction);

static const VkdmlEnumerator recurrent_network_direction_enumerators[] = {
    ENUMERATOR(DML_RECURRENT_NETWORK_DIRECTION_FORWARD, 1_0),
    ENUMERATOR(DML_RECURRENT_NETWORK_DIRECTION_BACKWARD, 1_0),
    ENUMERATOR(DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL, 1_0),
};
ENUMERATION(DML_RECURRENT_NETWORK_DIRECTION, recurrent_network_direction);

static const VkdmlEnumerator multihead_attention_mask_type_enumerators[] = {
    ENUMERATOR(DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE, 6_1),
    ENUMERATOR(DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_LENGTH, 6_1),
    ENUMERATOR(DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START, 6_1),
    ENUMERATOR(DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END, 6_1),
    ENUMERATOR(DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN, 6_1),
};
ENUMERATION(DML_MULTIHEAD_ATTENTION_MASK_TYPE, multihead_attention_mask_type);
