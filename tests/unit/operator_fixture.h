/* Descriptors that tests of devices and tables need, with all they point to. */
#ifndef UNIT_OPERATOR_FIXTURE_H
#define UNIT_OPERATOR_FIXTURE_H

#include "vkdml/dml_types.h"

/* A packed UINT32 or FLOAT32 tensor of sizes {1, 1, 1, count}. */
struct tensor {
    uint32_t sizes[4];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

/* ELEMENT_WISE_IDENTITY of `count` FLOAT32 elements. Points into itself: not to be copied. */
struct identity {
    struct tensor input;
    struct tensor output;
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity;
    DML_OPERATOR_DESC desc;
};

void identity_init(struct identity *identity, uint32_t count);

/* DIAGONAL_MATRIX of ones in a FLOAT32 matrix of `size` rows and columns. Not to be copied. */
struct diagonal {
    struct tensor output;
    DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal;
    DML_OPERATOR_DESC desc;
};

void diagonal_init(struct diagonal *diagonal, uint32_t size);

/* NONZERO_COORDINATES of `count` UINT32 elements; coordinates have 4 columns. Not to be copied. */
struct nonzero {
    struct tensor input;
    struct tensor output_count;
    struct tensor coordinates;
    DML_NONZERO_COORDINATES_OPERATOR_DESC nonzero;
    DML_OPERATOR_DESC desc;
};

void nonzero_init(struct nonzero *nonzero, uint32_t count);

#endif
