/* Normalizations, softmax and attention that a model writes out as several nodes: their intermediate values in FLOAT
 * where the model states FLOAT16, whose squares and sums overflow beyond 65504. */
#ifndef ONNX_WIDEN_H
#define ONNX_WIDEN_H

#include "onnx/plan_parts.h"

/* Finds the nodes of such patterns in the scope's graph, where the plan's options ask for it. False: memory is out. */
bool onnx_widen_scope(struct onnx_plan *plan, struct onnx_scope *scope);

/* Whether a node of the scope is one of them. */
bool onnx_is_widened(const struct onnx_scope *scope, const struct onnx_node *node);

/* Input `value` of a node of a pattern: in FLOAT where it is of FLOAT16, else as it is. NULL where something failed. */
struct onnx_tensor *onnx_widen_input(const struct onnx_call *call, uint32_t value);

/* Sets output `value` of a node of a pattern: nodes of patterns read it as it was made, others what it is in FLOAT16,
 * where the node's first input of floats has that type. */
bool onnx_narrow_output(const struct onnx_call *call, uint32_t value, struct onnx_tensor *made);

#endif
