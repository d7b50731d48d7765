/* What is in an input's memory. */
#ifndef HARNESS_CASE_DATA_H
#define HARNESS_CASE_DATA_H

#include "case.h"
#include "random.h"

/* Writes case_total_bytes(tensor) bytes: every element slot in storage order by the tensor's fill, gaps and slack
 * included, then the typed-in elements, if any, at their places. */
void case_write_input(const struct case_tensor *tensor, struct random *random, unsigned char *bytes);

#endif
