/* A graph of each thing that compiling does something for: a constant, an owned input, nodes that are fixed. */
#ifndef GRAPH_SMALL_GRAPH_H
#define GRAPH_SMALL_GRAPH_H

#include <stdbool.h>

#include "unit/graph_fixture.h"

#define SMALL_COUNT 64 /* elements of every tensor */
#define SMALL_BYTES ((size_t)4 * SMALL_COUNT)

/* The operators' tensors are float; owned: DML_TENSOR_FLAG_OWNED_BY_DML on the first input. */
VkdmlOperator small_add(VkdmlDevice device, bool owned);
VkdmlOperator small_relu(VkdmlDevice device);

/* output 0 = relu(input 1, owned, + constant) + input 0; output 1 = relu(output 0); input 2 is unused. */
void small_graph(VkdmlDevice device, struct graph *graph);

#endif
