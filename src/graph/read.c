/* Copies a graph's descriptor. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "graph/reading.h"

/* Which edge of the descriptor. */
struct edge {
    const char *list;
    uint32_t index;
    const char *name; /* may be NULL */
};

/* What reasons call it: "IntermediateEdges[3] (conv1 to relu1)". Texts are made where there is a reason alone: they
 * took a seventh of the time to compile a thousand nodes. */
static struct vkdml_graph_text edge_text(const struct edge *edge) {
    struct vkdml_graph_text text;
    int length = snprintf(text.text, sizeof text.text, "%s[%" PRIu32 "]", edge->list, edge->index);
    if (edge->name != NULL && edge->name[0] != '\0') {
        snprintf(text.text + length, sizeof text.text - (size_t)length, " (%.48s)", edge->name);
    }
    return text;
}

/* ---- nodes ---- */

static bool read_node(struct vkdml_graph_reading *reading, uint32_t index, const struct vkdml_instance *instance) {
    const DML_GRAPH_NODE_DESC *desc = &reading->desc->Nodes[index];
    struct vkdml_graph_node *node = &reading->graph->nodes[index];
    node->instance = instance;
    const bool is_operator = desc->Type == DML_GRAPH_NODE_TYPE_OPERATOR;
    /* The type says how large the struct is. vkdml_read_graph() has reported what cannot be read. */
    if (desc->Desc == NULL || (!is_operator && desc->Type != DML_GRAPH_NODE_TYPE_CONSTANT)) {
        return false;
    }
    if (is_operator) {
        node->name = ((const DML_OPERATOR_GRAPH_NODE_DESC *)desc->Desc)->Name;
        node->input_count = instance != NULL ? instance->input_count : 0;
        node->output_count = instance != NULL ? instance->output_count : 0;
        return instance != NULL;
    }
    const DML_CONSTANT_DATA_GRAPH_NODE_DESC *constant = desc->Desc;
    node->name = constant->Name;
    node->data = constant->Data;
    node->data_bytes = constant->DataSize;
    node->output_count = 1;
    if (constant->Data == NULL || constant->DataSize == 0) {
        vkdml_report_invalid(reading->report, "%s: %s, must be the bytes of a tensor",
                             vkdml_reading_node_text(reading, index).text,
                             constant->Data == NULL ? "Data is NULL" : "DataSize is 0");
    }
    return true;
}

/* ---- edges ---- */

static bool has_index(struct vkdml_graph_reading *reading, const struct edge *edge, const char *field, uint32_t index,
                      const char *of, uint32_t count) {
    if (index >= count) {
        vkdml_report_invalid(reading->report, "%s: %s is %" PRIu32 ", must be below %s (%" PRIu32 ")",
                             edge_text(edge).text, field, index, of, count);
    }
    return index < count;
}

static bool has_node(struct vkdml_graph_reading *reading, const struct edge *edge, const char *field, uint32_t node) {
    return has_index(reading, edge, field, node, "NodeCount", reading->graph->node_count);
}

/* Of the inputs or outputs of a node. */
static bool has_tensor(struct vkdml_graph_reading *reading, const struct edge *edge, const char *field, uint32_t index,
                       uint32_t node, const char *what, uint32_t count) {
    if (index < count) {
        return true;
    }
    struct vkdml_graph_text text;
    snprintf(text.text, sizeof text.text, "the %s of %.64s", what, vkdml_reading_node_text(reading, node).text);
    return has_index(reading, edge, field, index, text.text, count);
}

/* The value that an edge begins with at a node; VKDML_GRAPH_NONE where it cannot. */
static uint32_t read_from(struct vkdml_graph_reading *reading, const struct edge *edge, uint32_t node,
                          uint32_t output) {
    if (!has_node(reading, edge, "FromNodeIndex", node)) {
        return VKDML_GRAPH_NONE;
    }
    const struct vkdml_graph_node *from = &reading->graph->nodes[node];
    if (!has_tensor(reading, edge, "FromNodeOutputIndex", output, node, "outputs", from->output_count)) {
        return VKDML_GRAPH_NONE;
    }
    if (from->instance != NULL && from->instance->outputs[output].dimension_count == 0) {
        vkdml_report_invalid(reading->report, "%s: %s.%s is absent, must be a tensor", edge_text(edge).text,
                             vkdml_reading_node_text(reading, node).text, vkdml_output_name(from->instance, output));
        return VKDML_GRAPH_NONE;
    }
    return from->first_value + output;
}

/* Joins a value to a node's input. */
static void read_to(struct vkdml_graph_reading *reading, const struct edge *edge, uint32_t node, uint32_t input,
                    uint32_t value) {
    struct vkdml_graph *graph = reading->graph;
    if (!has_node(reading, edge, "ToNodeIndex", node)) {
        return;
    }
    const struct vkdml_graph_node *to = &graph->nodes[node];
    if (!has_tensor(reading, edge, "ToNodeInputIndex", input, node, "inputs", to->input_count)) {
        return;
    }
    const char *field = vkdml_input_name(to->instance, input);
    const uint32_t s = to->first_source + input;
    if (vkdml_reading_input(reading, node, input)->dimension_count == 0) {
        vkdml_report_invalid(reading->report, "%s: %s.%s is absent, must be a tensor", edge_text(edge).text,
                             vkdml_reading_node_text(reading, node).text, field);
    } else if (reading->source_names[s] != NULL) {
        vkdml_report_invalid(reading->report, "%s: %s.%s is fed by %s[%" PRIu32 "] too, must be by one edge",
                             edge_text(edge).text, vkdml_reading_node_text(reading, node).text, field,
                             reading->source_names[s], reading->source_edges[s]);
    } else {
        graph->sources[s] = value;
    }
}

static void remember(struct vkdml_graph_reading *reading, uint32_t node, uint32_t input, const char *list,
                     uint32_t edge) {
    const struct vkdml_graph *graph = reading->graph;
    if (node < graph->node_count && input < graph->nodes[node].input_count) {
        const uint32_t s = graph->nodes[node].first_source + input;
        if (reading->source_names[s] == NULL) {
            reading->source_names[s] = list;
            reading->source_edges[s] = edge;
        }
    }
}

static void read_input_edge(struct vkdml_graph_reading *reading, const char *list, uint32_t index, const void *desc) {
    const DML_INPUT_GRAPH_EDGE_DESC *edge = desc;
    const struct edge at = {list, index, edge->Name};
    const bool good =
        has_index(reading, &at, "GraphInputIndex", edge->GraphInputIndex, "InputCount", reading->graph->input_count);
    read_to(reading, &at, edge->ToNodeIndex, edge->ToNodeInputIndex, good ? edge->GraphInputIndex : VKDML_GRAPH_NONE);
    remember(reading, edge->ToNodeIndex, edge->ToNodeInputIndex, list, index);
}

static void read_intermediate_edge(struct vkdml_graph_reading *reading, const char *list, uint32_t index,
                                   const void *desc) {
    const DML_INTERMEDIATE_GRAPH_EDGE_DESC *edge = desc;
    const struct edge at = {list, index, edge->Name};
    const uint32_t value = read_from(reading, &at, edge->FromNodeIndex, edge->FromNodeOutputIndex);
    read_to(reading, &at, edge->ToNodeIndex, edge->ToNodeInputIndex, value);
    remember(reading, edge->ToNodeIndex, edge->ToNodeInputIndex, list, index);
}

static void read_output_edge(struct vkdml_graph_reading *reading, const char *list, uint32_t index, const void *desc) {
    const DML_OUTPUT_GRAPH_EDGE_DESC *edge = desc;
    const struct edge at = {list, index, edge->Name};
    const uint32_t value = read_from(reading, &at, edge->FromNodeIndex, edge->FromNodeOutputIndex);
    const uint32_t output = edge->GraphOutputIndex;
    if (!has_index(reading, &at, "GraphOutputIndex", output, "OutputCount", reading->graph->output_count)) {
        return;
    }
    if (reading->output_edges[output] != VKDML_GRAPH_NONE) {
        vkdml_report_invalid(reading->report,
                             "%s: GraphOutputIndex %" PRIu32 " is that of %s[%" PRIu32 "] too, must be of one edge",
                             edge_text(&at).text, output, list, reading->output_edges[output]);
        return;
    }
    reading->output_edges[output] = index;
    reading->graph->outputs[output] = value;
}

/* The edges of one list, but for those that cannot be read. */
struct edge_list {
    const char *name;
    DML_GRAPH_EDGE_TYPE type;
    uint32_t count;
    const DML_GRAPH_EDGE_DESC *edges;
    void (*read)(struct vkdml_graph_reading *reading, const char *list, uint32_t index, const void *desc);
};

static void read_edges(struct vkdml_graph_reading *reading, const struct edge_list *list) {
    for (uint32_t i = 0; i < list->count; ++i) {
        const DML_GRAPH_EDGE_DESC *edge = &list->edges[i];
        if (edge->Type != list->type) {
            vkdml_report_invalid(reading->report, "%s[%" PRIu32 "].Type is %d, must be %d, that of %s", list->name, i,
                                 (int)edge->Type, (int)list->type, list->name);
        } else if (edge->Desc == NULL) {
            vkdml_report_invalid(reading->report, "%s[%" PRIu32 "].Desc is NULL, must point to an edge", list->name, i);
        } else {
            list->read(reading, list->name, i, edge->Desc);
        }
    }
}

/* In this order: of two edges to one input reasons name the first. */
static void read_all_edges(struct vkdml_graph_reading *reading) {
    const DML_GRAPH_DESC *desc = reading->desc;
    const struct edge_list lists[] = {
        {"InputEdges", DML_GRAPH_EDGE_TYPE_INPUT, desc->InputEdgeCount, desc->InputEdges, read_input_edge},
        {"IntermediateEdges", DML_GRAPH_EDGE_TYPE_INTERMEDIATE, desc->IntermediateEdgeCount, desc->IntermediateEdges,
         read_intermediate_edge},
        {"OutputEdges", DML_GRAPH_EDGE_TYPE_OUTPUT, desc->OutputEdgeCount, desc->OutputEdges, read_output_edge}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        read_edges(reading, &lists[i]);
    }
}

/* ---- memory ---- */

static void *take(unsigned char **memory, uint64_t count, size_t size) {
    void *part = *memory;
    *memory += (count * size + 15) / 16 * 16;
    return part;
}

/* One allocation: the struct and its arrays. */
static struct vkdml_graph *allocate(const DML_GRAPH_DESC *desc, uint32_t sources, uint32_t values,
                                    const VkAllocationCallbacks *callbacks) {
    const uint64_t bytes = sizeof(struct vkdml_graph) + desc->NodeCount * (sizeof(struct vkdml_graph_node) + 8) +
                           values * sizeof(struct vkdml_graph_value) + 4 * (uint64_t)sources +
                           12 * (uint64_t)desc->OutputCount + UINT64_C(16) * 8;
    struct vkdml_graph *graph = bytes <= SIZE_MAX ? vkdml_allocate(callbacks, (size_t)bytes) : NULL;
    if (graph == NULL) {
        return NULL;
    }
    unsigned char *memory = (unsigned char *)graph;
    take(&memory, 1, sizeof *graph);
    graph->callbacks = callbacks;
    graph->input_count = desc->InputCount;
    graph->output_count = desc->OutputCount;
    graph->node_count = desc->NodeCount;
    graph->value_count = values;
    graph->source_count = sources;
    graph->given_count = desc->NodeCount;
    graph->room = (struct vkdml_graph_room){desc->NodeCount, sources, values};
    graph->nodes = take(&memory, desc->NodeCount, sizeof *graph->nodes);
    graph->values = take(&memory, values, sizeof *graph->values);
    graph->sources = take(&memory, sources, sizeof *graph->sources);
    graph->outputs = take(&memory, desc->OutputCount, sizeof *graph->outputs);
    graph->written = take(&memory, desc->OutputCount, sizeof *graph->written);
    graph->levels = take(&memory, desc->NodeCount, sizeof *graph->levels);
    graph->order = take(&memory, desc->NodeCount, sizeof *graph->order);
    return graph;
}

/* Numbers the sources and values of nodes that were read. */
static void number(struct vkdml_graph *graph) {
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        graph->values[i] = (struct vkdml_graph_value){.node = VKDML_GRAPH_NONE, .output = i};
    }
    uint32_t source = 0, value = graph->input_count;
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        struct vkdml_graph_node *node = &graph->nodes[n];
        node->first_source = source;
        node->first_value = value;
        source += node->input_count;
        value += node->output_count;
        for (uint32_t i = 0; i < node->output_count; ++i) {
            graph->values[node->first_value + i] = (struct vkdml_graph_value){
                .node = n, .output = i, .bytes = node->instance != NULL ? node->instance->outputs[i].total_bytes : 0};
        }
    }
    memset(graph->sources, 0xFF, source * sizeof *graph->sources);
    memset(graph->outputs, 0xFF, graph->output_count * sizeof *graph->outputs);
}

static void read(struct vkdml_graph_reading *reading, const struct vkdml_instance *const *instances) {
    bool good = true;
    for (uint32_t n = 0; n < reading->graph->node_count; ++n) {
        good = read_node(reading, n, instances[n]) && good;
    }
    number(reading->graph);
    if (good) { /* else edges would seem wrong that are not */
        read_all_edges(reading);
        vkdml_graph_check(reading);
    }
}

VkdmlResult vkdml_graph_read(const DML_GRAPH_DESC *desc, const struct vkdml_instance *const *instances,
                             const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                             struct vkdml_graph **graph) {
    uint64_t sources = 0, values = desc->InputCount;
    *graph = NULL;
    for (uint32_t n = 0; n < desc->NodeCount; ++n) {
        sources += instances[n] != NULL ? instances[n]->input_count : 0;
        values += instances[n] != NULL ? instances[n]->output_count : 1;
    }
    if (sources >= VKDML_GRAPH_NONE / 2 || values >= VKDML_GRAPH_NONE / 2) {
        return vkdml_report_invalid(report, "the nodes' tensors are %" PRIu64 ", must be below 2^31", sources + values);
    }
    const size_t scratch_bytes = (size_t)sources * (sizeof(char *) + 4) + (size_t)desc->OutputCount * 4 + 8;
    struct vkdml_graph_reading reading = {.desc = desc, .report = report};
    unsigned char *scratch = vkdml_allocate(callbacks, scratch_bytes);
    reading.graph = scratch != NULL ? allocate(desc, (uint32_t)sources, (uint32_t)values, callbacks) : NULL;
    if (reading.graph == NULL) {
        vkdml_free(callbacks, scratch);
        return vkdml_report_out_of_memory(report, scratch_bytes, "a graph");
    }
    reading.source_names = (const char **)scratch;
    reading.source_edges = (uint32_t *)(reading.source_names + sources);
    reading.output_edges = reading.source_edges + sources;
    memset(reading.output_edges, 0xFF, desc->OutputCount * sizeof *reading.output_edges);
    read(&reading, instances);
    vkdml_free(callbacks, scratch);
    if (report->result == VKDML_SUCCESS) {
        vkdml_graph_order(reading.graph, report);
    }
    if (report->result != VKDML_SUCCESS) {
        vkdml_graph_destroy(reading.graph);
        return report->result;
    }
    *graph = reading.graph;
    return VKDML_SUCCESS;
}
