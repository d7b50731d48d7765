/* Arguments to try functions on; the same on every machine. */
#ifndef TESTS_MATH_INPUTS_H
#define TESTS_MATH_INPUTS_H

#include <stdint.h>

#include "oracle.h"

/* Every 2^spacing-th number; special values, all powers of two and wherever the function changes its path, with their
 * neighbours; then random numbers, to `count` in all. Of FLOAT16's grade: all FLOAT16 numbers, and then what else the
 * function takes, or the same again. */
void inputs_fill(const struct math_function *function, uint32_t spacing, uint32_t count, uint32_t *x);

/* How many pairs of special values there are. */
uint64_t inputs_special_pairs(void);

/* Pairs first to first + count - 1: the special values' first, then random ones. `first` is a multiple of `count`. Of
 * FLOAT16's grade: all 2^20 pairs of significands first, and then random FLOAT16 numbers. */
void inputs_fill_pairs(const struct math_function *function, uint64_t first, uint64_t count, uint32_t *x, uint32_t *y);

#endif
