/* A graph that is being read: what its edges are held to, and afterwards all of it to the rules. */
#ifndef VKDML_GRAPH_READING_H
#define VKDML_GRAPH_READING_H

#include "graph/graph.h"

/* What reading takes along. */
struct vkdml_graph_reading {
    const DML_GRAPH_DESC *desc;
    struct vkdml_graph *graph;
    struct vkdml_report *report;
    /* By node input and by graph output, the edge that was there first. */
    const char **source_names;
    uint32_t *source_edges;
    uint32_t *output_edges;
};

static inline struct vkdml_graph_text vkdml_reading_node_text(const struct vkdml_graph_reading *reading,
                                                              uint32_t node) {
    return vkdml_graph_node_text(node, reading->graph->nodes[node].name);
}

static inline const struct vkdml_tensor *vkdml_reading_input(const struct vkdml_graph_reading *reading, uint32_t node,
                                                             uint32_t index) {
    return &reading->graph->nodes[node].instance->inputs[index];
}

/* Holds a graph whose edges were read to the rules on the whole; counts what reads each value. */
void vkdml_graph_check(struct vkdml_graph_reading *reading);

#endif
