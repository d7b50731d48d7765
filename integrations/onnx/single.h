/* A graph of one node of another graph, so that the node can be run by itself. */
#ifndef ONNX_SINGLE_H
#define ONNX_SINGLE_H

#include "onnx/graph.h"

struct onnx_single {
    struct onnx_graph graph; /* its values are copies of those that the node names */
    const uint32_t *inputs;  /* of each input of it: the value of the whole graph */
    const uint32_t *outputs; /* likewise; those that are wanted */
};

/* is_given: of each value of the whole graph whether it is an input, rather than a constant. numbers: room for a number
 * of each value of the whole graph. Memory is the arena's. False where it is out. */
bool onnx_single_make(const struct onnx_graph *whole, const struct onnx_node *node, const bool *is_given,
                      const bool *wanted, uint32_t *numbers, struct onnx_arena *arena, struct onnx_single *single);

/* Calls with each value of the graph that a node reads, also through its bodies, once or several times. */
void onnx_for_each_read(const struct onnx_node *node, void (*call)(void *data, uint32_t value), void *data);

#endif
