/* The bound on what a model may grow to. Calls of functions are replaced by the function's nodes, and Loop, Scan and If
 * by the nodes of their bodies, so a few nested ones of a small file make more nodes than memory has room for. All of
 * them draw on one budget per model: the reader on the model's, and each plan on what the reader left of it. */
#ifndef ONNX_EXPANSION_H
#define ONNX_EXPANSION_H

#include "onnx/error.h"

#include <stddef.h>
#include <stdint.h>

/* A unit is a node or a value, or four inputs or outputs of a node: about 1 KiB of memory. */
struct onnx_expansion {
    uint64_t limit, left;
};

/* The budget of a file with this many bytes of nodes, which excludes the data of its tensors: 131,072 units, and four
 * per byte, which is enough for a Loop of 64 iterations that is not nested and whose nodes have 40 bytes each. */
struct onnx_expansion onnx_expansion_begin(size_t bytes);

/* The units of this many bytes of a file. */
uint64_t onnx_expansion_units(size_t bytes);

/* Takes units of the budget. False, with a reason that states the limit, if fewer are left. */
bool onnx_expand(struct onnx_expansion *expansion, uint64_t units, struct onnx_error *error);

#endif
