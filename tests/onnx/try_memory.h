/* What becomes of a model where memory runs out. */
#ifndef ONNX_TEST_TRY_MEMORY_H
#define ONNX_TEST_TRY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocations that failed, in all; and those of them that did not matter. */
struct memory_tried {
    uint64_t read, judged, reported, planned, made, compiled, survived;
};
extern struct memory_tried memory_tried;

/* Each allocation of reading a model, judging it, telling of its nodes, planning it, making its graph and compiling
 * that for an invented device fails in turn: the code and the reason are memory's, nothing is left, and afterwards the
 * same succeeds. Says what is not so, and returns false. */
bool try_memory(const unsigned char *bytes, size_t length, const char *folder);

#endif
