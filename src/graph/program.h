/* What a node is in a program. */
#ifndef VKDML_GRAPH_PROGRAM_H
#define VKDML_GRAPH_PROGRAM_H

#include "frames/map/program.h"
#include "graph/graph.h"

/* A program as it is made. */
struct vkdml_graph_program {
    struct vkdml_program program;
    uint32_t values[VKDML_PROGRAM_OPERANDS];                    /* of the graph: what its operands are */
    const struct vkdml_tensor *tensors[VKDML_PROGRAM_OPERANDS]; /* .. and how they are read */
    uint32_t node_count;
    uint32_t nodes[VKDML_PROGRAM_INSTRUCTIONS];  /* that were added */
    uint8_t results[VKDML_PROGRAM_INSTRUCTIONS]; /* their values in the program */
};

/* Whether a node has an operator that maps elements to one output. */
bool vkdml_graph_program_takes(const struct vkdml_graph_node *node);

/* Adds what a node computes, behind those that it reads; the output is its own then. Returns why it cannot, static, or
 * NULL; the program is of no use then. */
const char *vkdml_graph_program_add(struct vkdml_graph_program *made, const struct vkdml_graph *graph, uint32_t node,
                                    const struct vkdml_plan_limits *limits);

#endif
