/* Graphs that tests build call by call: lists of a DML_GRAPH_DESC, and the operators in it. */
#ifndef UNIT_GRAPH_FIXTURE_H
#define UNIT_GRAPH_FIXTURE_H

#include "vkdml/vkdml.h"

#define GRAPH_MOST 1100

/* Not to be copied. */
struct graph {
    DML_GRAPH_DESC desc;
    DML_GRAPH_NODE_DESC nodes[GRAPH_MOST];
    DML_OPERATOR_GRAPH_NODE_DESC operators[GRAPH_MOST]; /* those of constants are unused */
    DML_CONSTANT_DATA_GRAPH_NODE_DESC constants[GRAPH_MOST];
    DML_GRAPH_EDGE_DESC edges[3][2 * GRAPH_MOST]; /* of inputs, of outputs, between nodes */
    DML_INPUT_GRAPH_EDGE_DESC input_edges[2 * GRAPH_MOST];
    DML_OUTPUT_GRAPH_EDGE_DESC output_edges[2 * GRAPH_MOST];
    DML_INTERMEDIATE_GRAPH_EDGE_DESC intermediate_edges[2 * GRAPH_MOST];
};

/* Without nodes or edges, of so many inputs and outputs. */
void graph_begin(struct graph *graph, uint32_t inputs, uint32_t outputs);

/* Destroys its operators. */
void graph_end(struct graph *graph);

/* A node more; its index. The operator is the graph's from then on. */
uint32_t graph_operator(struct graph *graph, VkdmlOperator op, const char *name);
uint32_t graph_constant(struct graph *graph, const void *data, size_t bytes, const char *name);

void graph_input(struct graph *graph, uint32_t input, uint32_t node, uint32_t node_input);
void graph_output(struct graph *graph, uint32_t node, uint32_t node_output, uint32_t output);
void graph_join(struct graph *graph, uint32_t from, uint32_t from_output, uint32_t to, uint32_t to_input);

/* What the CPU reference makes of it; as many inputs and outputs as it has. */
VkdmlResult graph_reference(const struct graph *graph, const VkdmlHostBinding *inputs, const VkdmlHostBinding *outputs);

#endif
