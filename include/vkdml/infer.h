/**
 * @file infer.h
 * @brief Shape inference: the output sizes of an operator, from its inputs and attributes.
 *
 * The rules are those of vkdmlCreateOperator(). A descriptor with the inferred sizes is valid.
 */
#ifndef VKDML_INFER_H
#define VKDML_INFER_H

#include "vkdml/dml_operators.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The inferred type and sizes of an output tensor. You choose its layout. */
typedef struct VkdmlTensorShape {
    DML_TENSOR_DATA_TYPE dataType;                   /**< UNKNOWN if it is neither inferred nor given */
    uint32_t dimensionCount;                         /**< 1 to 8; 0: an optional output that is absent */
    uint32_t sizes[DML_TENSOR_DIMENSION_COUNT_MAX1]; /**< dimensionCount of them, the others 0 */
} VkdmlTensorShape;

/**
 * Infers the dimension counts, the sizes and, if possible, the data types of an operator's outputs.
 *
 * Inputs and attributes of the descriptor must be complete, as for vkdmlCreateOperator(). Of output tensors, the
 * DataType, DimensionCount and Sizes that you give are used:
 *
 * - A required output may be NULL, and so may its Desc and its Sizes. Its DataType may be UNKNOWN; its DimensionCount
 *   and each of its sizes may be 0. These values are inferred.
 * - Given values are kept and validated.
 * - An optional output that is NULL is absent. To request it, point to a DML_TENSOR_DESC whose Desc is NULL.
 * - Flags, Strides, TotalTensorSizeInBytes and GuaranteedBaseOffsetAlignment are ignored.
 *
 * Most sizes follow from the rules. If the rules allow several, a given size is used, otherwise this one:
 *
 * - AVERAGE_POOLING_GRAD: the smallest size that has this number of windows, at least 1.
 * - NONZERO_COORDINATES: one row for each element of InputTensor, and one column for each of its dimensions, including
 *   leading dimensions of size 1.
 * - RESAMPLE, RESAMPLE1, RESAMPLE2, RESAMPLE3: floor(size * Scales[d]), at least 1; not inferred if this exceeds 32
 *   bits.
 * - RESAMPLE_GRAD, RESAMPLE_GRAD1: size / Scales[d], rounded to the nearest integer, at least 1; not inferred if this
 *   exceeds 32 bits.
 * - MULTIHEAD_ATTENTION and MULTIHEAD_ATTENTION1: three dimensions; four for keys and values.
 * - SLICE1: all elements of the window.
 * - SPLIT: equal parts, if no size along Axis is given and equal parts are possible; if all but one are given, the
 *   remainder.
 * - UNFOLD: three dimensions.
 *
 * These sizes cannot be inferred. If you do not give them, the call fails with a reason:
 *
 * - all sizes of FILL_VALUE_CONSTANT, FILL_VALUE_SEQUENCE, DIAGONAL_MATRIX, DIAGONAL_MATRIX1 without InputTensor, and
 *   RANDOM_GENERATOR's OutputTensor;
 * - all sizes of MAX_UNPOOLING and SLICE_GRAD, whose dimension counts are inferred;
 * - FOLD: from dimension 2 on;
 * - ONE_HOT: the size along Axis;
 * - ROI_ALIGN and ROI_ALIGN1: height and width;
 * - ROI_ALIGN_GRAD's OutputGradientTensor without InputTensor: all but the channels;
 * - MULTIHEAD_ATTENTION1 with PastSequenceLengthsTensor: the capacity for keys and values;
 * - SPLIT: sizes along Axis, if equal parts are not possible.
 *
 * Data types cannot be inferred for CAST and DIAGONAL_MATRIX, for indices and truth values of which several types are
 * allowed (TOP_K, comparisons), and for quantized outputs without a zero point. They are then UNKNOWN; the rest is
 * inferred.
 *
 * Thread-safe.
 *
 * @param desc        read during the call only
 * @param level       for validation; 0: the newest
 * @param outputCount length of outputs: the number of the operator's output tensors, including absent ones and each
 *                    tensor of an array
 * @param[out] outputs in the order of bindings; does not change on failure
 * @return VKDML_ERROR_INVALID_ARGUMENT: inputs, attributes or given output values break a rule, or a size can neither
 *         be inferred nor is given; vkdmlGetErrorMessage() has the reasons. VKDML_ERROR_NOT_IMPLEMENTED,
 *         VKDML_ERROR_OUT_OF_HOST_MEMORY.
 */
VKDML_API VkdmlResult vkdmlInferOutputSizes(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                            uint32_t outputCount, VkdmlTensorShape *outputs);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_INFER_H */
