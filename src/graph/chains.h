/* Chains of maps as programs. */
#ifndef VKDML_GRAPH_CHAINS_H
#define VKDML_GRAPH_CHAINS_H

#include "graph/graph.h"

/* Makes one node of operators that map elements and whose results only they read: the last of them gets a program, the
 * others are gone. The last pass: instances no longer say what nodes do. Of nodes that stay apart notes say why. */
VkdmlResult vkdml_graph_join_chains(struct vkdml_graph *graph, const struct vkdml_plan_limits *limits,
                                    struct vkdml_report *report);

#endif
