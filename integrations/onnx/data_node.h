/* Nodes whose outputs' sizes depend on the elements of their inputs: NonZero, Compress, Unique, NonMaxSuppression. A
 * plan has fixed sizes, so such a node ends one, and the host computes it: see stages.h. */
#ifndef ONNX_DATA_NODE_H
#define ONNX_DATA_NODE_H

#include "onnx/plan.h"

/* Whether outputs of a node of these inputs have sizes that are known only when elements are. `known` tells for each
 * value of the graph whether its elements follow from constants and shapes: then a plan computes the node. */
bool onnx_is_data_node(const struct onnx_node *node, const bool *known);

/* Whether the host computes a node of inputs of these types; those of absent inputs, and those that are not known, are
 * UNDEFINED. */
bool onnx_data_node_takes(const struct onnx_node *node, uint32_t input_count, const enum onnx_type *types);

/* The sizes that output `index` has at most, of inputs of these sizes; NULL inputs are absent. False: they do not fit
 * the operator. */
bool onnx_data_node_most(const struct onnx_node *node, uint32_t index, uint32_t input_count,
                         struct onnx_tensor *const *inputs, enum onnx_type *type, uint32_t *rank, uint32_t *sizes);

/* Computes a graph of one node (single.h) on the host. `inputs` has one entry for each input of the graph, with data.
 * `outputs` has room for one entry for each output; the caller frees their data, also where it fails. */
bool onnx_data_node_run(const struct onnx_model *model, const struct onnx_graph *single,
                        const struct onnx_plan_input *inputs, struct onnx_plan_input *outputs,
                        struct onnx_error *error);

#endif
