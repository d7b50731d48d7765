/* The operators' benchmarks as one writes them in plain C: loops for one thread, fast but not clever. Tensors are given
 * by field, each from its first element on. */
#ifndef CASES_LOOPS_H
#define CASES_LOOPS_H

#include "harness/case.h"

/* A packed matrix's transpose, in blocks that fit the first-level cache. */
void loop_transpose(const struct operator_case *c, unsigned char *const *tensors);

/* Padding of packed tensors, row by row: the inside copied whole, the borders element by element. */
void loop_padding(const struct operator_case *c, unsigned char *const *tensors);

/* Coordinates of a packed tensor: each is written, and counts only where its element is not zero. */
void loop_nonzero(const struct operator_case *c, unsigned char *const *tensors);

#endif
