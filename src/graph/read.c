/* Copies a graph's descriptor and holds it to the rules. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"

struct vkdml_graph_text vkdml_graph_node_text(uint32_t index, const char *name) {
    struct vkdml_graph_text text;
    int length = snprintf(text.text, sizeof text.text, "Nodes[%" PRIu32 "]", index);
    if (name != NULL && name[0] != '\0') {
        snprintf(text.text + length, sizeof text.text - (size_t)length, " (%.64s)", name);
    }
    return text;
}

uint32_t vkdml_graph_source(const struct vkdml_graph *graph, uint32_t node, uint32_t index) {
    return graph->sources[graph->nodes[node].first_source + index];
}

uint32_t vkdml_graph_value_of(const struct vkdml_graph *graph, uint32_t node, uint32_t output) {
    return graph->nodes[node].first_value + output;
}

/* What reading takes along. */
struct reading {
    const DML_GRAPH_DESC *desc;
    struct vkdml_graph *graph;
    struct vkdml_report *report;
    /* By node input and by graph output, the edge that was there first. */
    const char **source_names;
    uint32_t *source_edges;
    uint32_t *output_edges;
};

/* What reasons call an edge: "IntermediateEdges[3] (conv1 to relu1)". */
static struct vkdml_graph_text edge_text(const char *list, uint32_t index, const char *name) {
    struct vkdml_graph_text text;
    int length = snprintf(text.text, sizeof text.text, "%s[%" PRIu32 "]", list, index);
    if (name != NULL && name[0] != '\0') {
        snprintf(text.text + length, sizeof text.text - (size_t)length, " (%.48s)", name);
    }
    return text;
}

static struct vkdml_graph_text node_text(const struct reading *reading, uint32_t node) {
    return vkdml_graph_node_text(node, reading->graph->nodes[node].name);
}

/* ---- nodes ---- */

static bool read_node(struct reading *reading, uint32_t index, const struct vkdml_instance *instance) {
    const DML_GRAPH_NODE_DESC *desc = &reading->desc->Nodes[index];
    struct vkdml_graph_node *node = &reading->graph->nodes[index];
    node->instance = instance;
    if (desc->Desc == NULL) {
        return false; /* reported by who looked for operators */
    }
    if (desc->Type == DML_GRAPH_NODE_TYPE_OPERATOR) {
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
        vkdml_report_invalid(reading->report, "%s: %s, must be the bytes of a tensor", node_text(reading, index).text,
                             constant->Data == NULL ? "Data is NULL" : "DataSize is 0");
    }
    return true;
}

/* ---- edges ---- */

static bool has_index(struct reading *reading, const struct vkdml_graph_text *edge, const char *field, uint32_t index,
                      const char *of, uint32_t count) {
    if (index >= count) {
        vkdml_report_invalid(reading->report, "%s: %s is %" PRIu32 ", must be below %s (%" PRIu32 ")", edge->text,
                             field, index, of, count);
    }
    return index < count;
}

static bool has_node(struct reading *reading, const struct vkdml_graph_text *edge, const char *field, uint32_t node) {
    return has_index(reading, edge, field, node, "NodeCount", reading->graph->node_count);
}

static struct vkdml_graph_text count_text(const struct reading *reading, uint32_t node, const char *what) {
    struct vkdml_graph_text text;
    snprintf(text.text, sizeof text.text, "the %s of %.64s", what, node_text(reading, node).text);
    return text;
}

static const struct vkdml_tensor *input_tensor(const struct reading *reading, uint32_t node, uint32_t index) {
    return &reading->graph->nodes[node].instance->inputs[index];
}

/* The value that an edge begins with at a node; VKDML_GRAPH_NONE where it cannot. */
static uint32_t read_from(struct reading *reading, const struct vkdml_graph_text *edge, uint32_t node,
                          uint32_t output) {
    if (!has_node(reading, edge, "FromNodeIndex", node)) {
        return VKDML_GRAPH_NONE;
    }
    const struct vkdml_graph_node *from = &reading->graph->nodes[node];
    const struct vkdml_graph_text of = count_text(reading, node, "outputs");
    if (!has_index(reading, edge, "FromNodeOutputIndex", output, of.text, from->output_count)) {
        return VKDML_GRAPH_NONE;
    }
    if (from->instance != NULL && from->instance->outputs[output].dimension_count == 0) {
        vkdml_report_invalid(reading->report, "%s: %s.%s is absent, must be a tensor", edge->text,
                             node_text(reading, node).text, vkdml_output_name(from->instance, output));
        return VKDML_GRAPH_NONE;
    }
    return from->first_value + output;
}

/* Joins a value to a node's input. */
static void read_to(struct reading *reading, const struct vkdml_graph_text *edge, uint32_t node, uint32_t input,
                    uint32_t value) {
    struct vkdml_graph *graph = reading->graph;
    if (!has_node(reading, edge, "ToNodeIndex", node)) {
        return;
    }
    const struct vkdml_graph_node *to = &graph->nodes[node];
    const struct vkdml_graph_text of = count_text(reading, node, "inputs");
    if (!has_index(reading, edge, "ToNodeInputIndex", input, of.text, to->input_count)) {
        return;
    }
    const struct vkdml_graph_text name = node_text(reading, node);
    const char *field = vkdml_input_name(to->instance, input);
    const uint32_t s = to->first_source + input;
    if (input_tensor(reading, node, input)->dimension_count == 0) {
        vkdml_report_invalid(reading->report, "%s: %s.%s is absent, must be a tensor", edge->text, name.text, field);
    } else if (reading->source_names[s] != NULL) {
        vkdml_report_invalid(reading->report, "%s: %s.%s is fed by %s[%" PRIu32 "] too, must be by one edge",
                             edge->text, name.text, field, reading->source_names[s], reading->source_edges[s]);
    } else {
        graph->sources[s] = value;
    }
}

/* An edge's struct; NULL where it cannot be read. */
static const void *edge_desc(struct reading *reading, const DML_GRAPH_EDGE_DESC *edges, uint32_t index,
                             DML_GRAPH_EDGE_TYPE type, const char *list) {
    if (edges[index].Type != type) {
        vkdml_report_invalid(reading->report, "%s[%" PRIu32 "].Type is %d, must be %d, that of %s", list, index,
                             (int)edges[index].Type, (int)type, list);
        return NULL;
    }
    if (edges[index].Desc == NULL) {
        vkdml_report_invalid(reading->report, "%s[%" PRIu32 "].Desc is NULL, must point to an edge", list, index);
    }
    return edges[index].Desc;
}

static void remember(struct reading *reading, uint32_t node, uint32_t input, const char *list, uint32_t edge) {
    const struct vkdml_graph *graph = reading->graph;
    if (node < graph->node_count && input < graph->nodes[node].input_count) {
        const uint32_t s = graph->nodes[node].first_source + input;
        if (reading->source_names[s] == NULL) {
            reading->source_names[s] = list;
            reading->source_edges[s] = edge;
        }
    }
}

static void read_input_edges(struct reading *reading) {
    static const char list[] = "InputEdges";
    for (uint32_t i = 0; i < reading->desc->InputEdgeCount; ++i) {
        const DML_INPUT_GRAPH_EDGE_DESC *edge =
            edge_desc(reading, reading->desc->InputEdges, i, DML_GRAPH_EDGE_TYPE_INPUT, list);
        if (edge == NULL) {
            continue;
        }
        const struct vkdml_graph_text text = edge_text(list, i, edge->Name);
        const bool good = has_index(reading, &text, "GraphInputIndex", edge->GraphInputIndex, "InputCount",
                                    reading->graph->input_count);
        read_to(reading, &text, edge->ToNodeIndex, edge->ToNodeInputIndex,
                good ? edge->GraphInputIndex : VKDML_GRAPH_NONE);
        remember(reading, edge->ToNodeIndex, edge->ToNodeInputIndex, list, i);
    }
}

static void read_intermediate_edges(struct reading *reading) {
    static const char list[] = "IntermediateEdges";
    for (uint32_t i = 0; i < reading->desc->IntermediateEdgeCount; ++i) {
        const DML_INTERMEDIATE_GRAPH_EDGE_DESC *edge =
            edge_desc(reading, reading->desc->IntermediateEdges, i, DML_GRAPH_EDGE_TYPE_INTERMEDIATE, list);
        if (edge == NULL) {
            continue;
        }
        const struct vkdml_graph_text text = edge_text(list, i, edge->Name);
        const uint32_t value = read_from(reading, &text, edge->FromNodeIndex, edge->FromNodeOutputIndex);
        read_to(reading, &text, edge->ToNodeIndex, edge->ToNodeInputIndex, value);
        remember(reading, edge->ToNodeIndex, edge->ToNodeInputIndex, list, i);
    }
}

static void read_output_edges(struct reading *reading) {
    static const char list[] = "OutputEdges";
    struct vkdml_graph *graph = reading->graph;
    for (uint32_t i = 0; i < reading->desc->OutputEdgeCount; ++i) {
        const DML_OUTPUT_GRAPH_EDGE_DESC *edge =
            edge_desc(reading, reading->desc->OutputEdges, i, DML_GRAPH_EDGE_TYPE_OUTPUT, list);
        if (edge == NULL) {
            continue;
        }
        const struct vkdml_graph_text text = edge_text(list, i, edge->Name);
        const uint32_t value = read_from(reading, &text, edge->FromNodeIndex, edge->FromNodeOutputIndex);
        const uint32_t output = edge->GraphOutputIndex;
        if (!has_index(reading, &text, "GraphOutputIndex", output, "OutputCount", graph->output_count)) {
            continue;
        }
        if (reading->output_edges[output] != VKDML_GRAPH_NONE) {
            vkdml_report_invalid(reading->report,
                                 "%s: GraphOutputIndex %" PRIu32 " is that of %s[%" PRIu32 "] too, must be of one edge",
                                 text.text, output, list, reading->output_edges[output]);
            continue;
        }
        reading->output_edges[output] = i;
        graph->outputs[output] = value;
    }
}

/* ---- rules on the whole ---- */

static void check_bytes(struct reading *reading, uint32_t node, uint32_t index, uint64_t bytes, uint32_t v) {
    struct vkdml_graph_value *value = &reading->graph->values[v];
    const struct vkdml_graph_node *to = &reading->graph->nodes[node];
    if (value->bytes == 0) {
        value->bytes = bytes;
    } else if (value->bytes != bytes) {
        const bool input = value->node == VKDML_GRAPH_NONE;
        char other[160];
        if (input) {
            snprintf(other, sizeof other, "that of others that GraphInputIndex %" PRIu32 " feeds", value->output);
        } else {
            snprintf(other, sizeof other, "that of what feeds it, output %" PRIu32 " of %s", value->output,
                     node_text(reading, value->node).text);
        }
        vkdml_report_invalid(reading->report, "%s.%s.TotalTensorSizeInBytes is %" PRIu64 ", must be %" PRIu64 ", %s",
                             node_text(reading, node).text, vkdml_input_name(to->instance, index), bytes, value->bytes,
                             other);
    }
}

/* Whether a constant has the bytes of a reader's elements. What its last word has behind them may be missing. */
static void check_constant(struct reading *reading, uint32_t node, uint32_t index, uint32_t v) {
    const struct vkdml_graph *graph = reading->graph;
    const struct vkdml_graph_node *constant = &graph->nodes[graph->values[v].node];
    const struct vkdml_tensor *tensor = input_tensor(reading, node, index);
    uint64_t bytes = 0;
    vkdml_minimum_bytes(tensor->element_bits, tensor->dimension_count, tensor->sizes, tensor->strides, &bytes);
    if (constant->data_bytes < UINT64_MAX - 3 && ((uint64_t)constant->data_bytes + 3) / 4 * 4 < bytes) {
        vkdml_report_invalid(reading->report, "%s.%s needs %" PRIu64 " bytes, DataSize of %s is %" PRIu64,
                             node_text(reading, node).text, vkdml_input_name(graph->nodes[node].instance, index), bytes,
                             node_text(reading, graph->values[v].node).text, (uint64_t)constant->data_bytes);
    }
}

static void check_owned(struct reading *reading, uint32_t node, uint32_t index, uint32_t v) {
    struct vkdml_graph_value *value = &reading->graph->values[v];
    const bool owned = (input_tensor(reading, node, index)->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
    const char *name = vkdml_input_name(reading->graph->nodes[node].instance, index);
    if (value->node != VKDML_GRAPH_NONE) {
        if (owned) {
            vkdml_report_invalid(reading->report,
                                 "%s.%s is OWNED_BY_DML, must not be, as %s feeds it: only inputs of the graph may be",
                                 node_text(reading, node).text, name, node_text(reading, value->node).text);
        }
    } else if (value->readers == 0) {
        value->owned = owned;
    } else if (value->owned != owned) {
        vkdml_report_invalid(reading->report,
                             "%s.%s is %sOWNED_BY_DML, must be as others that GraphInputIndex %" PRIu32 " feeds are",
                             node_text(reading, node).text, name, owned ? "" : "not ", value->output);
    }
}

static void check_inputs(struct reading *reading, uint32_t node) {
    struct vkdml_graph *graph = reading->graph;
    for (uint32_t i = 0; i < graph->nodes[node].input_count; ++i) {
        const struct vkdml_tensor *tensor = input_tensor(reading, node, i);
        const uint32_t v = vkdml_graph_source(graph, node, i);
        if (tensor->dimension_count == 0) {
            continue;
        }
        if (v == VKDML_GRAPH_NONE) {
            if (reading->source_names[graph->nodes[node].first_source + i] == NULL) {
                vkdml_report_invalid(reading->report, "%s.%s has no edge, must have one", node_text(reading, node).text,
                                     vkdml_input_name(graph->nodes[node].instance, i));
            }
            continue;
        }
        struct vkdml_graph_value *value = &graph->values[v];
        if (value->node != VKDML_GRAPH_NONE && graph->nodes[value->node].instance == NULL) {
            check_constant(reading, node, i, v);
            value->bytes = tensor->total_bytes > value->bytes ? tensor->total_bytes : value->bytes;
        } else {
            check_bytes(reading, node, i, tensor->total_bytes, v);
        }
        check_owned(reading, node, i, v);
        value->alignment = tensor->base_alignment > value->alignment ? tensor->base_alignment : value->alignment;
        ++value->readers;
    }
}

/* Whether an output of an operator may be left without a reader. */
static bool may_be_unused(const struct vkdml_instance *instance, uint32_t output) {
    for (uint32_t i = 0; i < instance->schema->fieldCount; ++i) {
        const VkdmlFieldSchema *field = &instance->schema->fields[i];
        if (field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR && field->bindingIndex == output) {
            return field->optional != 0;
        }
    }
    return false;
}

static void check_outputs(struct reading *reading, uint32_t node) {
    const struct vkdml_graph_node *from = &reading->graph->nodes[node];
    for (uint32_t i = 0; i < from->output_count; ++i) {
        const struct vkdml_graph_value *value = &reading->graph->values[from->first_value + i];
        if (value->readers + value->outputs > 0 || from->instance == NULL ||
            from->instance->outputs[i].dimension_count == 0 || may_be_unused(from->instance, i)) {
            continue;
        }
        vkdml_report_invalid(reading->report, "%s.%s has no edge, must have one", node_text(reading, node).text,
                             vkdml_output_name(from->instance, i));
    }
}

static void check_graph_outputs(struct reading *reading) {
    struct vkdml_graph *graph = reading->graph;
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        if (reading->output_edges[i] == VKDML_GRAPH_NONE) {
            vkdml_report_invalid(reading->report, "GraphOutputIndex %" PRIu32 " is that of no edge, must be of one", i);
        } else if (graph->outputs[i] != VKDML_GRAPH_NONE) {
            ++graph->values[graph->outputs[i]].outputs;
        }
    }
}

static void check(struct reading *reading) {
    struct vkdml_graph *graph = reading->graph;
    check_graph_outputs(reading);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        check_inputs(reading, n);
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        check_outputs(reading, n);
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
                           values * sizeof(struct vkdml_graph_value) + 4 * ((uint64_t)sources + desc->OutputCount) +
                           UINT64_C(16) * 7;
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
    graph->nodes = take(&memory, desc->NodeCount, sizeof *graph->nodes);
    graph->values = take(&memory, values, sizeof *graph->values);
    graph->sources = take(&memory, sources, sizeof *graph->sources);
    graph->outputs = take(&memory, desc->OutputCount, sizeof *graph->outputs);
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

static void read(struct reading *reading, const struct vkdml_instance *const *instances) {
    bool good = true;
    for (uint32_t n = 0; n < reading->graph->node_count; ++n) {
        good = read_node(reading, n, instances[n]) && good;
    }
    number(reading->graph);
    if (good) { /* else edges would seem wrong that are not */
        read_input_edges(reading);
        read_intermediate_edges(reading);
        read_output_edges(reading);
        check(reading);
    }
}

static bool is_given(const void *pointer, uint32_t count, const char *pointer_name, const char *count_name,
                     struct vkdml_report *report) {
    if (pointer == NULL && count > 0) {
        vkdml_report_invalid(report, "%s is NULL, must point to %s (%" PRIu32 ") of them", pointer_name, count_name,
                             count);
    }
    return pointer != NULL || count == 0;
}

bool vkdml_graph_is_readable(const DML_GRAPH_DESC *desc, struct vkdml_report *report) {
    bool good = is_given(desc->Nodes, desc->NodeCount, "Nodes", "NodeCount", report);
    good = is_given(desc->InputEdges, desc->InputEdgeCount, "InputEdges", "InputEdgeCount", report) && good;
    good = is_given(desc->OutputEdges, desc->OutputEdgeCount, "OutputEdges", "OutputEdgeCount", report) && good;
    good = is_given(desc->IntermediateEdges, desc->IntermediateEdgeCount, "IntermediateEdges", "IntermediateEdgeCount",
                    report) &&
           good;
    if (desc->NodeCount == 0) {
        vkdml_report_invalid(report, "NodeCount is 0, must be at least 1");
    }
    /* So that indices of tensors fit 32 bits, whatever operators have. */
    const struct {
        uint32_t count;
        const char *name;
    } counts[] = {{desc->NodeCount, "NodeCount"}, {desc->InputCount, "InputCount"}, {desc->OutputCount, "OutputCount"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        if (counts[i].count > VKDML_GRAPH_MOST) {
            vkdml_report_invalid(report, "%s is %" PRIu32 ", must be at most %d", counts[i].name, counts[i].count,
                                 VKDML_GRAPH_MOST);
            good = false;
        }
    }
    return good && report->result == VKDML_SUCCESS;
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
    struct reading reading = {.desc = desc, .report = report};
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

void vkdml_graph_destroy(struct vkdml_graph *graph) {
    if (graph != NULL) {
        for (uint32_t n = 0; n < graph->node_count; ++n) {
            vkdml_instance_destroy(graph->nodes[n].own, graph->callbacks);
            vkdml_free(graph->callbacks, (void *)graph->nodes[n].program);
        }
        vkdml_free(graph->callbacks, graph);
    }
}
