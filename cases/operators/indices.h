/* What the operators have in common that read and write elements where a tensor of indices says. */
#ifndef CASES_INDICES_H
#define CASES_INDICES_H

#include <string.h>

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/support.h"

#define INDEX_TYPES (LONG | CASE_TYPE(INT32) | CASE_TYPE(UINT32))

/* What is read and written, and indices, from a level on that each operator has its own of. */
#define INDEXED_FROM_3_0     AT_LEVEL(3_0, 1, 8, UP_TO_32), AT_LEVEL(4_1, 1, 8, CASE_TYPES_UP_TO_64)
#define INDEXED_FROM_2_1     AT_LEVEL(2_1, 4, 4, UP_TO_32), INDEXED_FROM_3_0
#define INDICES_SINCE(level) CASE_SUPPORT(AT_LEVEL(level, 4, 4, CASE_TYPE(UINT32)), AT_LEVEL(3_0, 1, 8, INDEX_TYPES))
#define INDEXED_SINCE(level) CASE_SUPPORT(AT_LEVEL(level, 4, 4, FLOATS), INDEXED_FROM_2_1)

#define INDICES_BENCHMARKED (CASE_TYPES_FLOATS | CASE_TYPE(UINT8) | CASE_TYPE(INT64))

/* Generates cases of the operators that take or leave single elements along Axis, and of those with tuples of indices.
 */
void indices_generate_elements(const struct case_family *family, struct random *random, struct operator_case *c);
void indices_generate_tuples(const struct case_family *family, struct random *random, struct operator_case *c);

/* The rank of a random case. */
uint32_t indices_rank(struct random *random);

/* The largest tensor's elements: windows of what is bound in parts are many where both tensors are large. */
uint32_t indices_budget(struct random *random);

DML_TENSOR_DATA_TYPE indices_type(struct random *random);

/* Sizes of the last `rank` dimensions, with a product of at most `budget`; ones before them. */
void indices_last_sizes(struct random *random, uint32_t budget, uint32_t rank, struct case_tensor *tensor);

/* The sizes given as the last ones of a tensor. */
void indices_set_last_sizes(struct case_tensor *tensor, uint32_t count, const uint32_t *sizes);

/* What ends a random case: layouts of all tensors, elements of the one that is read, and indices of a dimension of
 * `size`, or of any such. */
void indices_end(struct random *random, struct operator_case *c, struct case_tensor *input, struct case_tensor *indices,
                 uint32_t size, struct case_tensor *output);

/* Of benchmarks: indices of a dimension of `size`; input, output and updates, if any, of the same sizes. */
void indices_make(struct case_tensor *indices, uint32_t rank, const uint32_t *sizes, uint32_t size);
void indices_make_others(struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes);

/* A line of indices, each of a dimension of `size`, for a matrix with lines of `length` along Axis; the matrix's sizes.
 */
void indices_make_lines(struct operator_case *c, const char *field, uint64_t bytes, DML_TENSOR_DATA_TYPE type,
                        uint32_t axis, uint32_t length, uint32_t size, uint32_t sizes[2]);

/* Matrices of indices along Axis. */
void indices_make_elements(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis,
                           struct operator_case *c);

#endif
