/**
 * @file infer.h
 * @brief The sizes of outputs, found from inputs and attributes: what an engine else works out by hand for each
 * operator.
 *
 * The rules are those by which vkdmlCreateOperator() checks a descriptor, and what is found is checked by them: a
 * descriptor with the sizes that were found is valid.
 */
#ifndef VKDML_INFER_H
#define VKDML_INFER_H

#include "vkdml/dml_operators.h"
#include "vkdml/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An output tensor as it must be; how it is laid out in memory is the caller's. */
typedef struct VkdmlTensorShape {
    DML_TENSOR_DATA_TYPE dataType;                   /**< UNKNOWN where neither rules nor the caller say it */
    uint32_t dimensionCount;                         /**< 0: an optional output that is NULL, else 1 to 8 */
    uint32_t sizes[DML_TENSOR_DIMENSION_COUNT_MAX1]; /**< dimensionCount of them, the others 0 */
} VkdmlTensorShape;

/**
 * Finds the dimension counts and sizes of an operator's outputs, and data types where rules say them.
 *
 * The descriptor is as for vkdmlCreateOperator(), inputs and attributes complete, except for its output tensors. Of
 * these their DataType, DimensionCount and Sizes are read, as far as they are given:
 *
 * - A required output may be NULL, and so may the Desc and the Sizes of an output; a DataType may be UNKNOWN, and 0 a
 *   DimensionCount and each of the sizes. What is left out so is found.
 * - What is given stays as it is, and is held to the rules.
 * - An optional output that is NULL is absent. To ask for it, let it point to a DML_TENSOR_DESC whose Desc is NULL.
 * - Flags, Strides, TotalTensorSizeInBytes and GuaranteedBaseOffsetAlignment are ignored.
 *
 * Most sizes follow. Where rules leave a choice, it is the usual one, unless the caller gives another:
 *
 * - AVERAGE_POOLING_GRAD: the least that has so many windows, and no fewer elements than 1.
 * - NONZERO_COORDINATES: as many rows as InputTensor has elements, which rules ask for, and a column for each of its
 *   dimensions, leading ones of size 1 too.
 * - RESAMPLE, RESAMPLE1, RESAMPLE2, RESAMPLE3: floor(size * Scales[d]), at least 1; none where that is beyond
 *   32 bits.
 * - RESAMPLE_GRAD, RESAMPLE_GRAD1: size / Scales[d], the nearest integer, at least 1; none beyond 32 bits.
 * - MULTIHEAD_ATTENTION and MULTIHEAD_ATTENTION1: three dimensions, and four of keys and values.
 * - SLICE1: all elements of the window.
 * - SPLIT: equal parts, where none has a size along Axis and they can be equal; where all have but one, the rest.
 * - UNFOLD: three dimensions.
 *
 * Where sizes do not follow the caller gives them, or is told so: all of FILL_VALUE_CONSTANT's, FILL_VALUE_SEQUENCE's,
 * DIAGONAL_MATRIX's, MAX_UNPOOLING's and SLICE_GRAD's (whose dimension counts follow), RANDOM_GENERATOR's OutputTensor,
 * and DIAGONAL_MATRIX1's without InputTensor; FOLD's from dimension 2 on; ONE_HOT's along Axis; ROI_ALIGN's and
 * ROI_ALIGN1's height and width; those of ROI_ALIGN_GRAD's OutputGradientTensor without InputTensor, but for the
 * channels; MULTIHEAD_ATTENTION1's room for keys and values, with PastSequenceLengthsTensor; SPLIT's along Axis where
 * parts cannot be equal.
 *
 * Data types do not follow of CAST and DIAGONAL_MATRIX, of places and truths where several types are allowed (TOP_K's
 * indices, comparisons), and of quantized outputs without a zero point; they are UNKNOWN then, and all else is found
 * all the same.
 *
 * Thread-safe. Nothing is kept: the descriptor is read during the call, and `outputs` is the caller's.
 *
 * @param desc        its outputs as far as they are known
 * @param level       that the descriptor is held to; 0 means the newest.
 * @param outputCount length of outputs: the operator's output tensors, absent ones too, and those of an array, of which
 *                    the descriptor says how many it has
 * @param[out] outputs in the order of bindings; not written on failure
 * @return VKDML_SUCCESS; VKDML_ERROR_INVALID_ARGUMENT, with the reasons in vkdmlGetErrorMessage(), where the descriptor
 *         breaks a rule whatever its outputs are, where what is given of them does, or where a size does not follow and
 *         is not given; VKDML_ERROR_NOT_IMPLEMENTED; VKDML_ERROR_OUT_OF_HOST_MEMORY.
 */
VKDML_API VkdmlResult vkdmlInferOutputSizes(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                            uint32_t outputCount, VkdmlTensorShape *outputs);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_INFER_H */
