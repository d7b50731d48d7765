/* A graph in stages, so that each has sizes that are known before it runs: nodes whose outputs' sizes depend on
 * elements (data_node.h) are stages of their own, and nodes that need what these make come in later stages. So do nodes
 * whose sizes the device computes (size_operands.h). */
#ifndef ONNX_SPLIT_H
#define ONNX_SPLIT_H

#include "onnx/error.h"
#include "onnx/graph.h"

struct onnx_stage {
    struct onnx_graph graph;
    bool is_host;                    /* one node, which the host computes; values are the stage's own */
    const uint32_t *inputs, *outputs; /* of the stage's graph: which values of the whole graph they are */
};

struct onnx_split {
    struct onnx_arena arena; /* of all that is below */
    uint32_t count;
    struct onnx_stage *stages; /* in their order. The last one is not the host's and may have no nodes; it makes those
                                  of the whole graph's outputs that no other stage makes */
};

/* The graph must live as long as the split. On failure memory is out, and the split is empty. */
bool onnx_split(const struct onnx_graph *graph, struct onnx_split *split, struct onnx_error *error);
void onnx_split_free(struct onnx_split *split);

/* Of each value of a graph whether its elements follow from constants and shapes. Memory is the arena's; NULL where it
 * is out. */
bool *onnx_find_known(const struct onnx_graph *graph, struct onnx_arena *arena);

#endif
