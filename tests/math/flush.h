/* The processor's switch that flushes denormals, operands and results, as many GPUs do. */
#ifndef TESTS_MATH_FLUSH_H
#define TESTS_MATH_FLUSH_H

#include <stdbool.h>

extern const bool flush_exists;

/* Until flush_end(), on this thread. Calls to functions of other files, between the two, are not moved out. */
unsigned flush_begin(void);
void flush_end(unsigned state);

#endif
