/* What about a case may make it slow. */
#ifndef BENCH_CAUSE_H
#define BENCH_CAUSE_H

#include <stddef.h>

#include "cases/case.h"

#define BENCH_CAUSE_CAPACITY 96

/* A name for it, from the case's tensors and the bytes that it moves alone; cases of one name are comparable. */
void bench_cause(const struct operator_case *c, uint64_t bytes, size_t capacity, char *text);

#endif
