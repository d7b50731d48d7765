/* Graphs whose nodes have names: {"type": "graph", "inputs": .., "nodes": .., "outputs": ..}. */
#include "model/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/descriptor.h"
#include "model/element.h"
#include "model/graph_source.h"
#include "model/initializer.h"

static bool has_type(struct json_object *json, const char *name) {
    struct json_object *type =
        json_object_is_type(json, json_type_object) ? document_either(json, "type", "Type") : NULL;
    return json_object_is_type(type, json_type_string) && strcasecmp(json_object_get_string(type), name) == 0;
}

bool graph_is(const struct dispatchable *dispatchable) {
    return has_type(dispatchable->json, "graph") || has_type(dispatchable->json, "DML_GRAPH_DESC");
}

/* ---- nodes ---- */

/* {"type": "constant", "DataType": .., "Sizes": .., "values": ..} */
bool graph_load_constant(struct model *model, const struct graph *graph, struct graph_node *node) {
    static const char *const known[] = {"type", "Type", "DataType", "Sizes", "values", "name", "Name", NULL};
    const struct document *document = &model->document;
    const char *owner = arena_join(&model->arena, arena_join(&model->arena, graph->name, "."), node->name);
    struct resource *constant = arena_allocate(&model->arena, 1, sizeof(*constant));
    if (!owner || !constant) {
        return false;
    }
    document_warn_unknown(document, node->json, known, owner);
    struct json_object *type = document_require(document, node->json, "DataType", json_type_string, owner);
    struct json_object *sizes = document_require(document, node->json, "Sizes", json_type_array, owner);
    struct json_object *values = document_member(node->json, "values");
    if (!type || !sizes) {
        return false;
    }
    *constant =
        (struct resource){.name = owner, .json = node->json, .member = "values", .is_expected = true, .count = 1};
    if (!element_type_from_name(json_object_get_string(type), &constant->type)) {
        char hint[SUGGEST_SIZE];
        return document_error(document, type, "%s: DataType is \"%s\", no data type%s", owner,
                              json_object_get_string(type), element_type_hint(json_object_get_string(type), hint));
    }
    for (size_t i = 0; i < json_object_array_length(sizes); i++) {
        uint64_t size = 0;
        if (!document_read_unsigned(json_object_array_get_idx(sizes, i), UINT32_MAX, &size) || size == 0 ||
            constant->count > UINT64_MAX / size) {
            return document_error(document, sizes, "%s: Sizes must hold whole numbers from 1 to 4294967295", owner);
        }
        constant->count *= size;
    }
    const uint64_t count = constant->count;
    node->constant = constant;
    if (!initializer_load_values(model, constant, values)) {
        return false;
    }
    return constant->count == count ||
           document_error(document, values, "%s: %llu values are given, must be %llu = the product of Sizes", owner,
                          (unsigned long long)constant->count, (unsigned long long)count);
}

static bool begin_node(struct model *model, struct graph *graph, uint32_t index, const char *name,
                       struct json_object *json) {
    struct graph_node *node = &graph->nodes[index];
    struct graph_source *named = arena_allocate(&model->arena, 1, sizeof(*named));
    *node = (struct graph_node){.name = name, .json = json};
    if (!named) {
        return false;
    }
    *named = (struct graph_source){.node = index};
    if (names_find(&graph->names, name)) {
        return document_error(&model->document, json, "'%s': '%s' is an input and a node, must be one of them",
                              graph->name, name);
    }
    if (!names_add(&graph->names, name, named)) {
        return document_error(&model->document, json, "out of memory");
    }
    if (has_type(json, "constant")) {
        return true;
    }
    node->op = arena_allocate(&model->arena, 1, sizeof(*node->op));
    char *prefix = arena_join(&model->arena, graph->name, ".");
    if (!node->op || !prefix) {
        return false;
    }
    *node->op = (struct dispatchable){.name = arena_join(&model->arena, prefix, name), .json = json, .within = graph};
    return node->op->name && descriptor_find(model, node->op);
}

/* What a tensor of a node's descriptor reads: a text, or the member "from" of an object. */
static struct json_object *source_text(struct json_object *value) {
    return json_object_is_type(value, json_type_object) ? document_member(value, "from") : value;
}

static bool load_sources(struct model *model, struct graph *graph, struct graph_node *node) {
    bool good = true;
    node->sources = arena_allocate(&model->arena, (size_t)node->op->input_count + 1, sizeof(*node->sources));
    for (uint32_t i = 0; node->sources && i < node->op->input_count; i++) {
        const struct model_tensor tensor = model_tensor(node->op, VKDML_FIELD_KIND_INPUT_TENSOR, i);
        struct json_object *value = document_member(node->op->fields, tensor.field->name);
        char owner[256];
        if (tensor.field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
            value = json_object_array_get_idx(value, tensor.element);
        }
        if (!tensor.desc) {
            continue;
        }
        snprintf(owner, sizeof(owner), "dispatchable '%.100s': %s", node->op->name, tensor.name);
        struct json_object *text = source_text(value);
        if (!text) {
            good = document_error(&model->document, value,
                                  "%s reads nothing, must name an input or a node, in \"from\"", owner);
        } else {
            good = graph_find_source(model, graph, text, owner, &node->sources[i]) && good;
            node->sources[i].is_alone = text == value;
        }
    }
    return node->sources && good;
}

static bool load_nodes(struct model *model, struct graph *graph, struct json_object *object) {
    bool good = true;
    uint32_t index = 0;
    json_object_object_foreach(object, name, value) {
        good = begin_node(model, graph, index++, name, value) && good;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct graph_node *node = &graph->nodes[i];
        if (!node->op && has_type(node->json, "constant")) {
            good = graph_load_constant(model, graph, node) && good;
        } else if (node->op && node->op->schema) {
            good = descriptor_load(model, node->op) && good;
        }
    }
    for (uint32_t i = 0; good && i < graph->node_count; i++) {
        good = !graph->nodes[i].op || load_sources(model, graph, &graph->nodes[i]);
    }
    return good;
}

/* ---- inputs and outputs ---- */

static bool add_input(struct model *model, struct graph *graph, uint32_t index, const char *name,
                      struct json_object *json) {
    struct graph_source *named = arena_allocate(&model->arena, 1, sizeof(*named));
    if (!named) {
        return false;
    }
    *named = (struct graph_source){.node = GRAPH_INPUT, .index = index};
    graph->inputs[index] = (struct graph_end){.name = name, .json = json};
    if (names_find(&graph->names, name)) {
        return document_error(&model->document, json, "'%s': input '%s' is given twice", graph->name, name);
    }
    return names_add(&graph->names, name, named) || document_error(&model->document, json, "out of memory");
}

/* An array of names, or an object of names and descriptors. */
static bool load_inputs(struct model *model, struct graph *graph, struct json_object *inputs) {
    bool good = true;
    uint32_t index = 0;
    if (json_object_is_type(inputs, json_type_array)) {
        for (; index < graph->input_count; index++) {
            struct json_object *name = json_object_array_get_idx(inputs, index);
            good = (json_object_is_type(name, json_type_string)
                        ? add_input(model, graph, index, json_object_get_string(name), name)
                        : document_error(&model->document, name ? name : inputs,
                                         "'%s': inputs must be names, or an object of names and descriptors",
                                         graph->name)) &&
                   good;
        }
        return good;
    }
    json_object_object_foreach(inputs, name, value) {
        if (value && !json_object_is_type(value, json_type_object)) {
            good = document_error(&model->document, value, "'%s': input '%s' must be a tensor's descriptor, or null",
                                  graph->name, name);
        }
        good = add_input(model, graph, index++, name, value) && good;
    }
    return good;
}

static bool load_outputs(struct model *model, struct graph *graph, struct json_object *outputs) {
    bool good = true;
    uint32_t index = 0;
    json_object_object_foreach(outputs, name, value) {
        char owner[256];
        snprintf(owner, sizeof(owner), "dispatchable '%.100s': output '%.100s'", graph->name, name);
        struct graph_end *output = &graph->outputs[index++];
        *output = (struct graph_end){.name = name, .json = value ? value : outputs};
        good = (value ? graph_find_source(model, graph, value, owner, &output->source)
                      : document_error(&model->document, outputs, "%s is null, must name a node", owner)) &&
               good;
    }
    return good;
}

static bool load_named(struct model *model, struct dispatchable *dispatchable) {
    static const char *const known[] = {"type",    "Type",     "inputs",         "nodes",
                                        "outputs", "bindings", "executionFlags", NULL};
    const struct document *document = &model->document;
    struct graph *graph = dispatchable->graph;
    struct json_object *inputs = document_member(dispatchable->json, "inputs");
    document_warn_unknown(document, dispatchable->json, known, dispatchable->name);
    struct json_object *nodes =
        document_require(document, dispatchable->json, "nodes", json_type_object, dispatchable->name);
    struct json_object *outputs =
        document_require(document, dispatchable->json, "outputs", json_type_object, dispatchable->name);
    if (!nodes || !outputs) {
        return false;
    }
    const bool listed = json_object_is_type(inputs, json_type_array);
    if (inputs && !listed && !json_object_is_type(inputs, json_type_object)) {
        return document_error(document, inputs, "'%s': inputs must be names, or an object of names and descriptors",
                              graph->name);
    }
    const size_t input_count = listed   ? json_object_array_length(inputs)
                               : inputs ? (size_t)json_object_object_length(inputs)
                                        : 0;
    graph->node_count = (uint32_t)json_object_object_length(nodes);
    graph->output_count = (uint32_t)json_object_object_length(outputs);
    graph->input_count = (uint32_t)input_count;
    graph->nodes = arena_allocate(&model->arena, (size_t)graph->node_count + 1, sizeof(*graph->nodes));
    graph->inputs = arena_allocate(&model->arena, (size_t)graph->input_count + 1, sizeof(*graph->inputs));
    graph->outputs = arena_allocate(&model->arena, (size_t)graph->output_count + 1, sizeof(*graph->outputs));
    if (!graph->nodes || !graph->inputs || !graph->outputs ||
        !names_create(&graph->names, input_count + graph->node_count)) {
        return false;
    }
    return (!inputs || load_inputs(model, graph, inputs)) && load_nodes(model, graph, nodes) &&
           load_outputs(model, graph, outputs);
}

bool graph_load(struct model *model, struct dispatchable *dispatchable) {
    struct graph *graph = arena_allocate(&model->arena, 1, sizeof(*graph));
    if (!graph) {
        return false;
    }
    graph->name = dispatchable->name;
    dispatchable->graph = graph;
    dispatchable->fields = dispatchable->json;
    return descriptor_load_flags(model, dispatchable) &&
           (has_type(dispatchable->json, "graph") ? load_named(model, dispatchable)
                                                  : graph_desc_load(model, dispatchable)) &&
           graph_check(model, dispatchable);
}
