/* What the functions on graphs share. */
#ifndef VKDML_API_GRAPH_H
#define VKDML_API_GRAPH_H

#include "graph/graph.h"
#include "vkdml/device.h"

/* Reads a graph whose operators are of a device; NULL: of that of the first. callbacks: of the graph. *graph is NULL on
 * failure. */
VkdmlResult vkdml_read_graph(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkAllocationCallbacks *callbacks,
                             struct vkdml_report *report, struct vkdml_graph **graph);

#endif
