/* Memory that is out at one point: malloc(), calloc(), realloc() and realpath() of all that is linked into the program,
 * and what takes memory out of arenas, which have room for much. Linked with failing_memory.c and its --wrap options.
 */
#ifndef ONNX_TEST_FAILING_MEMORY_H
#define ONNX_TEST_FAILING_MEMORY_H

#include <stdbool.h>

/* The nth allocation from now on, from 1, fails; 0: none. */
void failing_memory_begin(int nth);

/* None fails any more. Whether that many were asked for. */
bool failing_memory_end(void);

/* Allocations that are there, less those that were before the first. */
int failing_memory_live(void);

#endif
