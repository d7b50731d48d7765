/* A random graph as the library takes it. */
#ifndef GRAPH_BUILT_H
#define GRAPH_BUILT_H

#include "random_graph.h"
#include "unit/graph_fixture.h"

/* Creates the operators of a graph and lists nodes and edges. False where an operator is refused: the reason is
 * vkdmlGetErrorMessage(). graph_end() is due either way. */
bool build_graph(VkdmlDevice device, const struct random_graph *random, struct graph *graph);

/* A node's operator as it is by itself: with what is fixed in the graph OWNED_BY_DML, unless the node is fixed too.
 * NULL where it is refused. */
VkdmlOperator build_alone(VkdmlDevice device, const struct random_graph *random, uint32_t node,
                          struct operator_case *c);

#endif
