/* Graphs as DirectML declares them: DML_GRAPH_DESC, whose nodes name other dispatchables. */
#include <stdio.h>
#include <string.h>

#include "model/builder.h"
#include "model/graph.h"

struct reading {
    struct model *model;
    struct dispatchable *dispatchable;
    struct graph *graph;
    struct json_object *desc;
};

static bool fail(const struct reading *reading, const struct json_object *where, const char *message) {
    return document_error(&reading->model->document, where ? where : reading->desc, "dispatchable '%s': %s",
                          reading->dispatchable->name, message);
}

/* A count, or an index below `limit`. */
static bool read_number(const struct reading *reading, struct json_object *object, const char *name, uint64_t limit,
                        uint32_t *number) {
    struct json_object *value = document_member(object, name);
    uint64_t read = 0;
    char message[160];
    if (value && document_read_unsigned(value, UINT32_MAX, &read) && read < limit) {
        *number = (uint32_t)read;
        return true;
    }
    snprintf(message, sizeof(message), "%s is %.40s, must be a whole number below %llu", name,
             value ? json_object_to_json_string(value) : "missing", (unsigned long long)limit);
    return fail(reading, value ? value : object, message);
}

/* The index-th of the nodes: {"type": "DML_GRAPH_NODE_TYPE_OPERATOR", "Operator": DISPATCHABLE}, or a constant. */
static bool read_node(const struct reading *reading, uint32_t index, struct json_object *json) {
    struct model *model = reading->model;
    struct graph_node *node = &reading->graph->nodes[index];
    struct json_object *type =
        json_object_is_type(json, json_type_object) ? document_either(json, "type", "Type") : NULL;
    const char *text = json_object_is_type(type, json_type_string) ? json_object_get_string(type) : "";
    const bool constant = builder_names(text, "DML_GRAPH_NODE_TYPE_CONSTANT", "DML_GRAPH_NODE_TYPE_");
    char name[48];
    if (!constant && !builder_names(text, "DML_GRAPH_NODE_TYPE_OPERATOR", "DML_GRAPH_NODE_TYPE_")) {
        return fail(reading, json, "a node must be an object of type DML_GRAPH_NODE_TYPE_OPERATOR or _CONSTANT");
    }
    struct json_object *named = document_either(json, "Name", "name");
    struct json_object *operator_name = constant ? NULL : document_either(json, "Operator", "operator");
    snprintf(name, sizeof(name), "Nodes[%u]", index);
    node->json = json;
    node->name = named           ? json_object_get_string(named)
                 : operator_name ? json_object_get_string(operator_name)
                                 : arena_join(&model->arena, name, "");
    if (constant) {
        return graph_load_constant(model, reading->graph, node);
    }
    if (!json_object_is_type(operator_name, json_type_string)) {
        return fail(reading, json, "Operator is missing, must name a dispatchable");
    }
    node->op = names_find(&model->dispatchable_names, json_object_get_string(operator_name));
    if (!node->op || node->op->graph || node->op == reading->dispatchable) {
        char hint[SUGGEST_SIZE];
        const bool exists = node->op != NULL;
        node->op = NULL;
        return document_error(
            &model->document, operator_name,
            exists ? "dispatchable '%s': '%s' is a graph, must be an operator%s"
                   : "dispatchable '%s': no dispatchable is called '%s'%s",
            reading->dispatchable->name, json_object_get_string(operator_name),
            exists ? "" : names_hint(&model->dispatchable_names, json_object_get_string(operator_name), hint));
    }
    if (!node->op->schema) {
        return false; /* which has been told */
    }
    node->sources = arena_allocate(&model->arena, (size_t)node->op->input_count + 1, sizeof(*node->sources));
    return node->sources != NULL;
}

static uint32_t outputs_of(const struct graph_node *node) {
    return node->op ? node->op->output_count : 1;
}

/* The input that an edge ends at takes what it begins at, if it takes nothing yet. */
static bool connect(const struct reading *reading, struct json_object *edge, struct graph_source from) {
    struct graph *graph = reading->graph;
    uint32_t node, index;
    if (!read_number(reading, edge, "ToNodeIndex", graph->node_count, &node)) {
        return false;
    }
    if (!graph->nodes[node].op) {
        return fail(reading, edge, "an edge ends at a constant, which has no inputs");
    }
    if (!read_number(reading, edge, "ToNodeInputIndex", graph->nodes[node].op->input_count, &index)) {
        return false;
    }
    struct graph_source *to = &graph->nodes[node].sources[index];
    if (to->json) {
        return fail(reading, edge, "two edges end at one input of a node");
    }
    *to = from;
    return true;
}

static const char *edge_name(const struct reading *reading, struct json_object *edge, const char *kind,
                             uint32_t index) {
    struct json_object *name = document_either(edge, "Name", "name");
    char text[48];
    snprintf(text, sizeof(text), "%s[%u]", kind, index);
    return json_object_is_type(name, json_type_string) ? json_object_get_string(name)
                                                       : arena_join(&reading->model->arena, text, "");
}

static bool read_input_edge(const struct reading *reading, struct json_object *edge) {
    uint32_t index;
    if (!read_number(reading, edge, "GraphInputIndex", reading->graph->input_count, &index)) {
        return false;
    }
    struct graph_end *input = &reading->graph->inputs[index];
    if (!input->json) {
        *input = (struct graph_end){.name = edge_name(reading, edge, "GraphInputs", index), .json = edge};
    }
    return input->name &&
           connect(reading, edge, (struct graph_source){.json = edge, .node = GRAPH_INPUT, .index = index});
}

static bool read_from(const struct reading *reading, struct json_object *edge, struct graph_source *from) {
    from->json = edge;
    return read_number(reading, edge, "FromNodeIndex", reading->graph->node_count, &from->node) &&
           read_number(reading, edge, "FromNodeOutputIndex", outputs_of(&reading->graph->nodes[from->node]),
                       &from->index);
}

static bool read_intermediate_edge(const struct reading *reading, struct json_object *edge) {
    struct graph_source from;
    return read_from(reading, edge, &from) && connect(reading, edge, from);
}

static bool read_output_edge(const struct reading *reading, struct json_object *edge) {
    struct graph_source from;
    uint32_t index;
    if (!read_from(reading, edge, &from) ||
        !read_number(reading, edge, "GraphOutputIndex", reading->graph->output_count, &index)) {
        return false;
    }
    struct graph_end *output = &reading->graph->outputs[index];
    if (output->json) {
        return fail(reading, edge, "two edges end at one output of the graph");
    }
    *output = (struct graph_end){.name = edge_name(reading, edge, "GraphOutputs", index), .json = edge, .source = from};
    return output->name != NULL;
}

static bool read_edges(const struct reading *reading, const char *name,
                       bool (*read)(const struct reading *reading, struct json_object *edge)) {
    struct json_object *array = document_member(reading->desc, name);
    bool good = true;
    if (array && !json_object_is_type(array, json_type_array)) {
        return fail(reading, array, "edges must be an array");
    }
    for (size_t i = 0; array && i < json_object_array_length(array); i++) {
        struct json_object *edge = json_object_array_get_idx(array, i);
        good = (json_object_is_type(edge, json_type_object) ? read(reading, edge)
                                                            : fail(reading, array, "an edge must be an object")) &&
               good;
    }
    return good;
}

/* Inputs that no edge names, and outputs. */
static bool name_rest(const struct reading *reading) {
    struct graph *graph = reading->graph;
    bool good = true;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (!graph->inputs[i].json) {
            graph->inputs[i] =
                (struct graph_end){.name = edge_name(reading, NULL, "GraphInputs", i), .json = reading->desc};
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        good = good && (graph->outputs[i].json || fail(reading, NULL, "an output has no edge"));
    }
    return good;
}

bool graph_desc_load(struct model *model, struct dispatchable *dispatchable) {
    static const char *const known[] = {"InputCount", "OutputCount", "NodeCount",         "Nodes",
                                        "InputEdges", "OutputEdges", "IntermediateEdges", NULL};
    struct json_object *desc = document_either(dispatchable->json, "desc", "Desc");
    struct graph *graph = dispatchable->graph;
    const struct reading reading = {model, dispatchable, graph, desc};
    if (!json_object_is_type(desc, json_type_object)) {
        return document_error(&model->document, dispatchable->json, "dispatchable '%s': 'desc' must be an object",
                              dispatchable->name);
    }
    document_warn_unknown(&model->document, desc, known, dispatchable->name);
    struct json_object *nodes = document_require(&model->document, desc, "Nodes", json_type_array, dispatchable->name);
    /* 2^20: more than any graph has. */
    if (!nodes || !read_number(&reading, desc, "InputCount", 1 << 20, &graph->input_count) ||
        !read_number(&reading, desc, "OutputCount", 1 << 20, &graph->output_count)) {
        return false;
    }
    graph->node_count = (uint32_t)json_object_array_length(nodes);
    graph->nodes = arena_allocate(&model->arena, (size_t)graph->node_count + 1, sizeof(*graph->nodes));
    graph->inputs = arena_allocate(&model->arena, (size_t)graph->input_count + 1, sizeof(*graph->inputs));
    graph->outputs = arena_allocate(&model->arena, (size_t)graph->output_count + 1, sizeof(*graph->outputs));
    bool good = graph->nodes && graph->inputs && graph->outputs;
    for (uint32_t i = 0; good && i < graph->node_count; i++) {
        good = read_node(&reading, i, json_object_array_get_idx(nodes, i));
    }
    return good && read_edges(&reading, "InputEdges", read_input_edge) &&
           read_edges(&reading, "IntermediateEdges", read_intermediate_edge) &&
           read_edges(&reading, "OutputEdges", read_output_edge) && name_rest(&reading);
}
