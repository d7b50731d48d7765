#include "graph_fixture.h"

#include <assert.h>
#include <string.h>

void graph_begin(struct graph *graph, uint32_t inputs, uint32_t outputs) {
    memset(graph, 0, sizeof *graph);
    graph->desc = (DML_GRAPH_DESC){.InputCount = inputs,
                                   .OutputCount = outputs,
                                   .Nodes = graph->nodes,
                                   .InputEdges = graph->edges[0],
                                   .OutputEdges = graph->edges[1],
                                   .IntermediateEdges = graph->edges[2]};
}

void graph_end(struct graph *graph) {
    for (uint32_t n = 0; n < graph->desc.NodeCount; n++) {
        if (graph->nodes[n].Type == DML_GRAPH_NODE_TYPE_OPERATOR) {
            vkdmlDestroyOperator((VkdmlOperator)(void *)graph->operators[n].Operator);
        }
    }
    graph->desc.NodeCount = 0;
}

uint32_t graph_operator(struct graph *graph, VkdmlOperator op, const char *name) {
    const uint32_t n = graph->desc.NodeCount++;
    assert(n < GRAPH_MOST);
    graph->operators[n] = (DML_OPERATOR_GRAPH_NODE_DESC){vkdmlGraphOperator(op), name};
    graph->nodes[n] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_OPERATOR, &graph->operators[n]};
    return n;
}

uint32_t graph_constant(struct graph *graph, const void *data, size_t bytes, const char *name) {
    const uint32_t n = graph->desc.NodeCount++;
    assert(n < GRAPH_MOST);
    graph->constants[n] = (DML_CONSTANT_DATA_GRAPH_NODE_DESC){data, bytes, name};
    graph->nodes[n] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_CONSTANT, &graph->constants[n]};
    return n;
}

void graph_input(struct graph *graph, uint32_t input, uint32_t node, uint32_t node_input) {
    const uint32_t e = graph->desc.InputEdgeCount++;
    graph->input_edges[e] = (DML_INPUT_GRAPH_EDGE_DESC){input, node, node_input, NULL};
    graph->edges[0][e] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INPUT, &graph->input_edges[e]};
}

void graph_output(struct graph *graph, uint32_t node, uint32_t node_output, uint32_t output) {
    const uint32_t e = graph->desc.OutputEdgeCount++;
    graph->output_edges[e] = (DML_OUTPUT_GRAPH_EDGE_DESC){node, node_output, output, NULL};
    graph->edges[1][e] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_OUTPUT, &graph->output_edges[e]};
}

void graph_join(struct graph *graph, uint32_t from, uint32_t from_output, uint32_t to, uint32_t to_input) {
    const uint32_t e = graph->desc.IntermediateEdgeCount++;
    graph->intermediate_edges[e] = (DML_INTERMEDIATE_GRAPH_EDGE_DESC){from, from_output, to, to_input, NULL};
    graph->edges[2][e] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &graph->intermediate_edges[e]};
}

VkdmlResult graph_reference(const struct graph *graph, const VkdmlHostBinding *inputs,
                            const VkdmlHostBinding *outputs) {
    const VkdmlReferenceGraphInfo info = {.structSize = sizeof info,
                                          .desc = &graph->desc,
                                          .inputCount = graph->desc.InputCount,
                                          .inputs = inputs,
                                          .outputCount = graph->desc.OutputCount,
                                          .outputs = outputs};
    return vkdmlReferenceExecuteGraph(&info);
}
