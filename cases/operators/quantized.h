/* What cases of quantized matrices and pictures have in common: scales and zero points, one for all or one for each
 * coordinate of a dimension. */
#ifndef CASES_QUANTIZED_H
#define CASES_QUANTIZED_H

#include "cases/case.h"
#include "cases/random.h"
#include "cases/support.h"

#define BYTES (CASE_TYPE(UINT8) | CASE_TYPE(INT8))

/* Which dimension has several: that of rows or columns of a matrix, of channels of a picture. */
enum quantized_along { QUANTIZED_ROWS, QUANTIZED_COLUMNS, QUANTIZED_CHANNELS };

/* A tensor of such numbers with so many dimensions, of `count` of them or of one. */
void quantized_choose(struct random *random, struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type,
                      uint32_t rank, enum quantized_along along, uint32_t count);

/* The same where it is optional. */
void quantized_choose_optional(struct random *random, struct operator_case *c, const char *field,
                               DML_TENSOR_DATA_TYPE type, uint32_t rank, enum quantized_along along, uint32_t count);

/* Bytes of all kinds, as benchmarks have them. */
void quantized_fill(struct random *random, struct case_tensor *tensor);

/* One number. */
void quantized_set(struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type, uint32_t rank, double value);

#endif
