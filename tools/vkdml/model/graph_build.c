#include "model/graph_build.h"

#include <stdlib.h>

/* One allocation, cut into what the descriptor points to. */
struct parts {
    DML_GRAPH_NODE_DESC *nodes;
    DML_OPERATOR_GRAPH_NODE_DESC *operators;
    DML_CONSTANT_DATA_GRAPH_NODE_DESC *constants;
    DML_GRAPH_EDGE_DESC *edges; /* to inputs, then between nodes, then outputs */
    DML_INPUT_GRAPH_EDGE_DESC *inputs;
    DML_INTERMEDIATE_GRAPH_EDGE_DESC *between;
    DML_OUTPUT_GRAPH_EDGE_DESC *outputs;
};

/* Edges that end at nodes: from inputs of the graph, or from nodes. */
static uint32_t count_edges(const struct graph *graph, bool from_inputs) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct graph_node *node = &graph->nodes[n];
        for (uint32_t i = 0; node->op && i < node->op->input_count; i++) {
            const struct graph_source *source = &node->sources[i];
            count += source->json && (source->node == GRAPH_INPUT) == from_inputs;
        }
    }
    return count;
}

static bool allocate(struct graph_build *build, const struct graph *graph, struct parts *parts) {
    const size_t nodes = graph->node_count;
    const size_t inputs = build->desc.InputEdgeCount, between = build->desc.IntermediateEdgeCount;
    const size_t outputs = build->desc.OutputEdgeCount;
    build->operators = calloc(nodes + 1, sizeof(VkdmlOperator));
    /* Pointers first: all structs of them are a multiple of a pointer's size. */
    unsigned char *memory =
        calloc(1, nodes * (sizeof *parts->nodes + sizeof *parts->operators + sizeof *parts->constants) +
                      (inputs + between + outputs) * sizeof *parts->edges + inputs * sizeof *parts->inputs +
                      between * sizeof *parts->between + outputs * sizeof *parts->outputs);
    build->memory = memory;
    if (!memory || !build->operators) {
        return false;
    }
    parts->nodes = (DML_GRAPH_NODE_DESC *)memory;
    parts->operators = (DML_OPERATOR_GRAPH_NODE_DESC *)(parts->nodes + nodes);
    parts->constants = (DML_CONSTANT_DATA_GRAPH_NODE_DESC *)(parts->operators + nodes);
    parts->edges = (DML_GRAPH_EDGE_DESC *)(parts->constants + nodes);
    parts->inputs = (DML_INPUT_GRAPH_EDGE_DESC *)(parts->edges + inputs + between + outputs);
    parts->between = (DML_INTERMEDIATE_GRAPH_EDGE_DESC *)(parts->inputs + inputs);
    parts->outputs = (DML_OUTPUT_GRAPH_EDGE_DESC *)(parts->between + between);
    return true;
}

static void add_edges(struct graph_build *build, const struct graph *graph, struct parts parts) {
    DML_GRAPH_EDGE_DESC *input_edge = parts.edges, *between_edge = parts.edges + build->desc.InputEdgeCount;
    build->desc.InputEdges = input_edge;
    build->desc.IntermediateEdges = between_edge;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct graph_node *node = &graph->nodes[n];
        for (uint32_t i = 0; node->op && i < node->op->input_count; i++) {
            const struct graph_source *source = &node->sources[i];
            if (source->json && source->node == GRAPH_INPUT) {
                *parts.inputs = (DML_INPUT_GRAPH_EDGE_DESC){source->index, n, i, NULL};
                *input_edge++ = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INPUT, parts.inputs++};
            } else if (source->json) {
                *parts.between = (DML_INTERMEDIATE_GRAPH_EDGE_DESC){source->node, source->index, n, i, NULL};
                *between_edge++ = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INTERMEDIATE, parts.between++};
            }
        }
    }
    build->desc.OutputEdges = between_edge;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct graph_source *source = &graph->outputs[i].source;
        parts.outputs[i] = (DML_OUTPUT_GRAPH_EDGE_DESC){source->node, source->index, i, graph->outputs[i].name};
        between_edge[i] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_OUTPUT, &parts.outputs[i]};
    }
}

bool graph_build_begin(struct graph_build *build, const struct model *model, const struct dispatchable *dispatchable,
                       VkdmlDevice device) {
    const struct graph *graph = dispatchable->graph;
    struct parts parts;
    *build = (struct graph_build){.desc = {.InputCount = graph->input_count,
                                           .OutputCount = graph->output_count,
                                           .NodeCount = graph->node_count,
                                           .InputEdgeCount = count_edges(graph, true),
                                           .OutputEdgeCount = graph->output_count,
                                           .IntermediateEdgeCount = count_edges(graph, false)}};
    if (!allocate(build, graph, &parts)) {
        return document_error(&model->document, dispatchable->json, "out of memory");
    }
    build->desc.Nodes = parts.nodes;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct graph_node *node = &graph->nodes[n];
        if (!node->op) {
            parts.constants[n] =
                (DML_CONSTANT_DATA_GRAPH_NODE_DESC){node->constant->contents, (size_t)node->constant->size, node->name};
            parts.nodes[n] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_CONSTANT, &parts.constants[n]};
            continue;
        }
        if (vkdmlCreateOperator(device, &node->op->desc, &build->operators[n]) != VKDML_SUCCESS) {
            return model_report_refusal(model, node->op, NULL);
        }
        parts.operators[n] = (DML_OPERATOR_GRAPH_NODE_DESC){vkdmlGraphOperator(build->operators[n]), node->name};
        parts.nodes[n] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_OPERATOR, &parts.operators[n]};
    }
    add_edges(build, graph, parts);
    return true;
}

void graph_build_end(struct graph_build *build) {
    for (uint32_t n = 0; build->operators && n < build->desc.NodeCount; n++) {
        vkdmlDestroyOperator(build->operators[n]);
    }
    free(build->operators);
    free(build->memory);
    *build = (struct graph_build){0};
}
