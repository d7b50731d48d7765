/* A legal descriptor of some operators, every part of it within reach, to be bent and broken by tests. */
#ifndef VKDML_TESTS_INVALID_SAMPLE_H
#define VKDML_TESTS_INVALID_SAMPLE_H

#include "vkdml/dml_types.h"

/* One more than DirectML allows, so that a DimensionCount one too large still points at memory. */
#define SAMPLE_MAX_DIMENSIONS (DML_TENSOR_DIMENSION_COUNT_MAX1 + 1)

/* The operators that have a sample. Others need none: what holds of every operator is tested on its family of cases
 * (cases/family.h). */
#define SAMPLE_OPERATOR_COUNT 4
extern const DML_OPERATOR_TYPE sample_operators[SAMPLE_OPERATOR_COUNT];

struct sample_tensor {
    uint32_t sizes[SAMPLE_MAX_DIMENSIONS];
    uint32_t strides[SAMPLE_MAX_DIMENSIONS]; /* referred to only after sample_set_strides() */
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
};

/* Points into itself: not to be copied. */
struct sample {
    DML_OPERATOR_DESC op;
    DML_FEATURE_LEVEL level;
    union {
        DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity;
        DML_PADDING_OPERATOR_DESC padding;
        DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal;
        DML_NONZERO_COORDINATES_OPERATOR_DESC nonzero;
    };
    struct sample_tensor input;
    struct sample_tensor output;      /* NONZERO_COORDINATES has count and coordinates instead */
    struct sample_tensor count;       /* OutputCountTensor */
    struct sample_tensor coordinates; /* OutputCoordinatesTensor */
    uint32_t start[SAMPLE_MAX_DIMENSIONS];
    uint32_t end[SAMPLE_MAX_DIMENSIONS];
    DML_SCALE_BIAS scale_bias;
};

/*
 * Makes the legal descriptor of an operator at the newest level:
 *   ELEMENT_WISE_IDENTITY: {2,3,4,5} FLOAT32 with ScaleBias
 *   PADDING:               {1,1,4,4} FLOAT32, StartPadding {0,0,1,2}, EndPadding {0,0,3,4}, CONSTANT
 *   DIAGONAL_MATRIX:       {1,1,3,3} FLOAT32
 *   NONZERO_COORDINATES:   {1,1,2,4} FLOAT32, count {1,1,1,1}, coordinates {1,1,8,3}
 * All tensors are packed, without strides, as large as they need be.
 */
void sample_init(struct sample *sample, DML_OPERATOR_TYPE type);

/* Gives a tensor as many dimensions as sizes are listed, and its size in bytes. */
#define SAMPLE_SIZES(tensor, ...)                                                                                      \
    sample_set_sizes(tensor, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
void sample_set_sizes(struct sample_tensor *tensor, const uint32_t *sizes, uint32_t count);

/* Gives a tensor strides, DimensionCount of them, and its size in bytes. */
#define SAMPLE_STRIDES(tensor, ...) sample_set_strides(tensor, (const uint32_t[]){__VA_ARGS__})
void sample_set_strides(struct sample_tensor *tensor, const uint32_t *strides);

/* Sets DataType and the size in bytes. */
void sample_set_type(struct sample_tensor *tensor, DML_TENSOR_DATA_TYPE type);

/* Bits of an element as DirectML defines the types; 0 for UNKNOWN and unknown ones. */
uint32_t sample_element_bits(DML_TENSOR_DATA_TYPE type);

#endif
