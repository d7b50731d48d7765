/* What REDUCE has in common with ARGMIN and ARGMAX. */
#ifndef CASES_REDUCE_H
#define CASES_REDUCE_H

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/support.h"

#define PLACES (CASE_TYPE(INT32) | CASE_TYPE(UINT32) | LONG)

#define SUMMED  (CASE_TYPES_FLOATS | CASE_TYPE(INT32) | CASE_TYPE(INT64))
#define ORDERED (SUMMED | CASE_TYPE(INT8) | CASE_TYPE(UINT8))

#define REFUSED "InputTensor=FLOAT32[2,3] OutputTensor="

/* Sizes, layouts and axes; the types are given. */
void reduce_generate_tensors(struct random *random, struct operator_case *c);

/* The shapes: an output's elements are a matrix's rows or columns, all of it, or two dimensions of four. */
enum reduce_shape { TO_ONE, ROWS, COLUMNS, INNER, OUTER };

void reduce_make_shape(uint64_t bytes, DML_TENSOR_DATA_TYPE type, enum reduce_shape shape, struct operator_case *c);

#endif
