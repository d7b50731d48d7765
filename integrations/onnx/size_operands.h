/* Operands that decide the sizes of outputs, such as the shape of Reshape and the limits of Range. */
#ifndef ONNX_SIZE_OPERANDS_H
#define ONNX_SIZE_OPERANDS_H

#include "onnx/graph.h"

/* The inputs of a node whose elements a plan must know, as a bit for each of the first 32. */
uint32_t onnx_size_operands(const struct onnx_node *node);

/* For each value whether the device computes its elements, from weights or from large inputs. A plan computes other
 * integers, such as sums of a mask and products of sizes, on the host. `known`: of onnx_find_known(). Memory is the
 * arena's; NULL where it is out. */
bool *onnx_find_computed(const struct onnx_graph *graph, const bool *known, struct onnx_arena *arena);

/* Whether sizes of a node's outputs depend on such elements: it runs in a later stage, which is planned when they are
 * read back. */
bool onnx_waits_for_sizes(const struct onnx_node *node, const bool *computed);

#endif
