/* The order of nodes. */
#ifndef ONNX_SORT_H
#define ONNX_SORT_H

#include "onnx/error.h"
#include "onnx/graph.h"

/* Puts each node behind those whose outputs it, or a body of it, reads; nodes that are in order stay. False where
 * some depend on themselves, or memory, which is the arena's, is out. */
bool onnx_sort(struct onnx_graph *graph, struct onnx_arena *arena, struct onnx_error *error);

#endif
