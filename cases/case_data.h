/* What is in an input's memory. */
#ifndef CASES_CASE_DATA_H
#define CASES_CASE_DATA_H

#include "cases/case.h"
#include "cases/random.h"

/* The bits of the element at a position in storage, counted in elements; `bytes` is the tensor's first. Writing leaves
 * all others as they are, the other half of a byte too. */
uint64_t case_read_element(const struct case_tensor *tensor, const unsigned char *bytes, uint64_t position);
void case_write_element(const struct case_tensor *tensor, uint64_t bits, uint64_t position, unsigned char *bytes);

/* The same element as a number, at coordinates of the tensor in a slot; `tensors` are by slot, each from its first
 * element on. */
double case_number(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                   const uint32_t *at);

/* Writes case_total_bytes(tensor) bytes: every element slot in storage order by the tensor's fill, gaps and slack
 * included, then the typed-in elements, if any, at their places. */
void case_write_input(const struct case_tensor *tensor, struct random *random, unsigned char *bytes);

#endif
