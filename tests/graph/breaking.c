#include "breaking.h"

#include <string.h>

#include "cases/family.h"

static uint32_t below(const struct breaking *breaking, uint32_t count) {
    return random_below(breaking->random, count);
}

/* Which node of the random graph stands at a place of the descriptor. */
static const struct graph_node *node_at(const struct breaking *breaking, uint32_t place) {
    uint32_t n = 0;
    while (breaking->made->places[n] != place) {
        n++;
    }
    return &breaking->made->nodes[n];
}

static uint32_t beyond(const struct breaking *breaking, uint32_t count) {
    return random_chance(breaking->random, 50) ? count : count + below(breaking, UINT32_MAX - count) + 1;
}

/* ---- edges ---- */

static void drop_input_edge(struct graph *graph, uint32_t e) {
    graph->input_edges[e] = graph->input_edges[--graph->desc.InputEdgeCount];
}

static void drop_intermediate_edge(struct graph *graph, uint32_t e) {
    graph->intermediate_edges[e] = graph->intermediate_edges[--graph->desc.IntermediateEdgeCount];
}

static bool lose_input_edge(const struct breaking *breaking) {
    if (breaking->graph->desc.InputEdgeCount == 0) {
        return false;
    }
    drop_input_edge(breaking->graph, below(breaking, breaking->graph->desc.InputEdgeCount));
    return true;
}

static bool lose_intermediate_edge(const struct breaking *breaking) {
    if (breaking->graph->desc.IntermediateEdgeCount == 0) {
        return false;
    }
    drop_intermediate_edge(breaking->graph, below(breaking, breaking->graph->desc.IntermediateEdgeCount));
    return true;
}

static bool lose_output_edge(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    const uint32_t e = below(breaking, graph->desc.OutputEdgeCount);
    graph->output_edges[e] = graph->output_edges[--graph->desc.OutputEdgeCount];
    return true;
}

/* Removes a graph output that is the only output of its node and has no other reader. */
static bool lose_output(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    for (uint32_t i = 0; i < breaking->made->output_count; i++) {
        const struct graph_value *value = &breaking->made->values[breaking->made->outputs[i]];
        if (value->readers == 0 && value->outputs == 1 && breaking->made->nodes[value->node].value_count == 1) {
            const uint32_t last = --graph->desc.OutputCount;
            graph->output_edges[i] = graph->output_edges[last];
            graph->output_edges[i].GraphOutputIndex = i;
            graph->desc.OutputEdgeCount--;
            return true;
        }
    }
    return false;
}

static bool repeat_input_edge(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    if (graph->desc.InputEdgeCount == 0) {
        return false;
    }
    const DML_INPUT_GRAPH_EDGE_DESC edge = graph->input_edges[below(breaking, graph->desc.InputEdgeCount)];
    graph_input(graph, edge.GraphInputIndex, edge.ToNodeIndex, edge.ToNodeInputIndex);
    return true;
}

static bool repeat_intermediate_edge(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    if (graph->desc.IntermediateEdgeCount == 0) {
        return false;
    }
    const DML_INTERMEDIATE_GRAPH_EDGE_DESC edge =
        graph->intermediate_edges[below(breaking, graph->desc.IntermediateEdgeCount)];
    graph_join(graph, edge.FromNodeIndex, edge.FromNodeOutputIndex, edge.ToNodeIndex, edge.ToNodeInputIndex);
    return true;
}

static bool repeat_output_edge(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    const DML_OUTPUT_GRAPH_EDGE_DESC edge = graph->output_edges[below(breaking, graph->desc.OutputEdgeCount)];
    graph_output(graph, edge.FromNodeIndex, edge.FromNodeOutputIndex, edge.GraphOutputIndex);
    return true;
}

static bool miss_input_index(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    if (graph->desc.InputEdgeCount == 0) {
        return false;
    }
    DML_INPUT_GRAPH_EDGE_DESC *edge = &graph->input_edges[below(breaking, graph->desc.InputEdgeCount)];
    switch (below(breaking, 3)) {
    case 0:
        edge->GraphInputIndex = beyond(breaking, graph->desc.InputCount);
        break;
    case 1:
        edge->ToNodeInputIndex = beyond(breaking, case_input_count(&node_at(breaking, edge->ToNodeIndex)->c));
        break;
    default:
        edge->ToNodeIndex = beyond(breaking, graph->desc.NodeCount);
        break;
    }
    return true;
}

static bool miss_intermediate_index(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    if (graph->desc.IntermediateEdgeCount == 0) {
        return false;
    }
    DML_INTERMEDIATE_GRAPH_EDGE_DESC *edge =
        &graph->intermediate_edges[below(breaking, graph->desc.IntermediateEdgeCount)];
    switch (below(breaking, 4)) {
    case 0:
        edge->FromNodeIndex = beyond(breaking, graph->desc.NodeCount);
        break;
    case 1:
        edge->FromNodeOutputIndex = beyond(breaking, node_at(breaking, edge->FromNodeIndex)->value_count);
        break;
    case 2:
        edge->ToNodeIndex = beyond(breaking, graph->desc.NodeCount);
        break;
    default:
        edge->ToNodeInputIndex = beyond(breaking, case_input_count(&node_at(breaking, edge->ToNodeIndex)->c));
        break;
    }
    return true;
}

static bool miss_output_index(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    DML_OUTPUT_GRAPH_EDGE_DESC *edge = &graph->output_edges[below(breaking, graph->desc.OutputEdgeCount)];
    switch (below(breaking, 3)) {
    case 0:
        edge->FromNodeIndex = beyond(breaking, graph->desc.NodeCount);
        break;
    case 1:
        edge->FromNodeOutputIndex = beyond(breaking, node_at(breaking, edge->FromNodeIndex)->value_count);
        break;
    default:
        edge->GraphOutputIndex = beyond(breaking, graph->desc.OutputCount);
        break;
    }
    return true;
}

static bool mistake_edge(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    const uint32_t list = below(breaking, 3);
    const uint32_t counts[] = {graph->desc.InputEdgeCount, graph->desc.OutputEdgeCount,
                               graph->desc.IntermediateEdgeCount};
    if (counts[list] == 0) {
        return false;
    }
    DML_GRAPH_EDGE_DESC *edge = &graph->edges[list][below(breaking, counts[list])];
    if (random_chance(breaking->random, 50)) {
        edge->Desc = NULL;
    } else {
        edge->Type = (DML_GRAPH_EDGE_TYPE)(edge->Type == 3 ? 1 : edge->Type + 1);
    }
    return true;
}

/* ---- nodes ---- */

/* A node that reads what it makes: where bytes are others, that is told first. */
static bool close_circle(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    for (uint32_t e = 0; e < graph->desc.IntermediateEdgeCount; e++) {
        DML_INTERMEDIATE_GRAPH_EDGE_DESC *edge = &graph->intermediate_edges[e];
        const struct graph_node *to = node_at(breaking, edge->ToNodeIndex);
        const struct graph_value *made = &breaking->made->values[to->first_value];
        const struct graph_value *read = &breaking->made->values[to->sources[edge->ToNodeInputIndex]];
        /* The value loses no reader that it needs. */
        if (made->bytes == read->bytes && read->kind == GRAPH_RESULT && read->readers + read->outputs > 1) {
            edge->FromNodeIndex = edge->ToNodeIndex;
            edge->FromNodeOutputIndex = 0;
            return true;
        }
    }
    return false;
}

static bool differ_in_bytes(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    const uint32_t node = graph_operator(graph, breaking->other, "other bytes");
    for (uint32_t v = 0; v < breaking->made->value_count; v++) {
        const struct graph_value *value = &breaking->made->values[v];
        if (value->kind == GRAPH_RESULT) {
            graph_join(graph, breaking->made->places[value->node], value->output, node, 0);
            graph_output(graph, node, 0, graph->desc.OutputCount++);
            return true;
        }
    }
    return false;
}

static bool use_foreign_operator(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    const uint32_t node = graph_operator(graph, breaking->foreign, "foreign");
    const uint32_t input = graph->desc.InputCount++;
    graph_input(graph, input, node, 0);
    graph_output(graph, node, 0, graph->desc.OutputCount++);
    return true;
}

static bool lack_operator(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    const uint32_t n = below(breaking, graph->desc.NodeCount);
    if (graph->nodes[n].Type != DML_GRAPH_NODE_TYPE_OPERATOR) {
        return false;
    }
    graph->operators[n].Operator = NULL;
    return true;
}

static bool mistake_node(const struct breaking *breaking) {
    DML_GRAPH_NODE_DESC *node = &breaking->graph->nodes[below(breaking, breaking->graph->desc.NodeCount)];
    if (random_chance(breaking->random, 50)) {
        node->Desc = NULL;
    } else {
        node->Type = (DML_GRAPH_NODE_TYPE)(random_chance(breaking->random, 50) ? 0 : 77);
    }
    return true;
}

static bool lack_list(const struct breaking *breaking) {
    DML_GRAPH_DESC *desc = &breaking->graph->desc;
    switch (below(breaking, 3)) {
    case 0:
        desc->Nodes = NULL;
        return true;
    case 1:
        desc->OutputEdges = NULL;
        return true;
    default:
        desc->IntermediateEdges = NULL;
        return desc->IntermediateEdgeCount > 0;
    }
}

/* ---- constants and owned inputs ---- */

/* A constant that is read, by the edge. */
static DML_CONSTANT_DATA_GRAPH_NODE_DESC *read_constant(const struct breaking *breaking, uint32_t *edge) {
    struct graph *graph = breaking->graph;
    for (uint32_t e = 0; e < graph->desc.IntermediateEdgeCount; e++) {
        const uint32_t n = graph->intermediate_edges[e].FromNodeIndex;
        if (graph->nodes[n].Type == DML_GRAPH_NODE_TYPE_CONSTANT) {
            *edge = e;
            return &graph->constants[n];
        }
    }
    return NULL;
}

static bool lack_data(const struct breaking *breaking) {
    uint32_t edge;
    DML_CONSTANT_DATA_GRAPH_NODE_DESC *constant = read_constant(breaking, &edge);
    if (constant == NULL) {
        return false;
    }
    if (random_chance(breaking->random, 50)) {
        constant->Data = NULL;
    } else {
        constant->DataSize = 0;
    }
    return true;
}

static bool shorten_constant(const struct breaking *breaking) {
    uint32_t e;
    DML_CONSTANT_DATA_GRAPH_NODE_DESC *constant = read_constant(breaking, &e);
    if (constant == NULL) {
        return false;
    }
    const DML_INTERMEDIATE_GRAPH_EDGE_DESC *edge = &breaking->graph->intermediate_edges[e];
    const struct graph_node *to = node_at(breaking, edge->ToNodeIndex);
    for (struct case_at at = case_first(&to->c); at.tensor != NULL; at = case_next(&to->c, at)) {
        if (at.is_input && at.binding == edge->ToNodeInputIndex && case_minimum_bytes(at.tensor) > 4) {
            constant->DataSize = (size_t)case_minimum_bytes(at.tensor) - 4 - below(breaking, 4);
            return constant->DataSize > 0;
        }
    }
    return false;
}

static bool feed_owned_from_node(const struct breaking *breaking) {
    static const unsigned char data[GRAPH_ROOM];
    struct graph *graph = breaking->graph;
    for (uint32_t e = 0; e < graph->desc.InputEdgeCount; e++) {
        const DML_INPUT_GRAPH_EDGE_DESC edge = graph->input_edges[e];
        if (breaking->made->values[breaking->made->inputs[edge.GraphInputIndex]].is_owned) {
            drop_input_edge(graph, e);
            graph_join(graph, graph_constant(graph, data, sizeof data, "zeros"), 0, edge.ToNodeIndex,
                       edge.ToNodeInputIndex);
            return true;
        }
    }
    return false;
}

/* One of several readers is not what the others are. */
static bool mix_owned(const struct breaking *breaking) {
    struct graph *graph = breaking->graph;
    for (uint32_t e = 1; e < graph->desc.InputEdgeCount; e++) {
        const struct graph_value *value =
            &breaking->made->values[breaking->made->inputs[graph->input_edges[e].GraphInputIndex]];
        const struct graph_value *first =
            &breaking->made->values[breaking->made->inputs[graph->input_edges[0].GraphInputIndex]];
        if (value->is_owned != first->is_owned) {
            graph->input_edges[e].GraphInputIndex = graph->input_edges[0].GraphInputIndex;
            return true;
        }
    }
    return false;
}

const struct way ways[] = {
    {"an input edge less", lose_input_edge, " has no edge, must have one"},
    {"an intermediate edge less", lose_intermediate_edge, " has no edge, must have one"},
    {"an output edge less", lose_output_edge, " is that of no edge, must be of one"},
    {"an output less", lose_output, " has no edge, must have one"},
    {"an input edge twice", repeat_input_edge, " too, must be by one edge"},
    {"an intermediate edge twice", repeat_intermediate_edge, " too, must be by one edge"},
    {"an output edge twice", repeat_output_edge, " too, must be of one edge"},
    {"an index of an input edge", miss_input_index, "InputEdges["},
    {"an index of an intermediate edge", miss_intermediate_index, "IntermediateEdges["},
    {"an index of an output edge", miss_output_index, "OutputEdges["},
    {"an edge's type or struct", mistake_edge, "Edges["},
    {"a circle", close_circle, "nodes must not depend on themselves"},
    {"other bytes", differ_in_bytes, "must be"},
    {"a foreign operator", use_foreign_operator, "(foreign).Operator is of another device"},
    {"no operator", lack_operator, ".Operator is NULL"},
    {"a node's type or struct", mistake_node, "Nodes["},
    {"no list", lack_list, " is NULL, must point to "},
    {"no data", lack_data, "must be the bytes of a tensor"},
    {"a constant too short", shorten_constant, " bytes, DataSize of "},
    {"an owned input that a node feeds", feed_owned_from_node, " is OWNED_BY_DML, must not be, as "},
    {"an input both owned and not", mix_owned, "OWNED_BY_DML, must be as others that GraphInputIndex "},
};
const uint32_t way_count = sizeof ways / sizeof ways[0];
