#include "model/graph_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An output of a node as its descriptor has it; false where that is absent. */
static bool find_output(const struct dispatchable *op, const VkdmlFieldSchema *field, uint32_t element,
                        struct json_object **json) {
    struct json_object *value = document_member(op->fields, field->name);
    if (field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
        const bool is_array = json_object_is_type(value, json_type_array);
        *json =
            is_array && element < json_object_array_length(value) ? json_object_array_get_idx(value, element) : NULL;
    } else {
        *json = element == 0 ? value : NULL;
    }
    return *json != NULL;
}

/* The only output of an operator; false where it has several, or none. */
static bool find_only_output(const struct dispatchable *op, uint32_t *index, struct json_object **json) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &op->schema->fields[i];
        struct json_object *found;
        for (uint32_t e = 0; field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR && find_output(op, field, e, &found); e++) {
            if (count++ == 0) {
                *index = field->bindingIndex + e;
                *json = found;
            }
            if (field->type != VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
                break;
            }
        }
    }
    return count == 1;
}

/* What stands behind a node's name: "OutputTensor", "OutputTensors[1]". */
static bool find_field(const struct model *model, const struct dispatchable *op, struct json_object *text,
                       const char *name, const char *owner, uint32_t *index, struct json_object **json) {
    const size_t length = strcspn(name, "[");
    struct suggest suggest = suggest_begin(name);
    char hint[SUGGEST_SIZE];
    char *end = NULL;
    const unsigned long element = name[length] ? strtoul(name + length + 1, &end, 10) : 0;
    for (uint32_t i = 0; i < op->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &op->schema->fields[i];
        if (field->kind != VKDML_FIELD_KIND_OUTPUT_TENSOR) {
            continue;
        }
        suggest_consider(&suggest, field->name);
        if (strlen(field->name) == length && strncmp(field->name, name, length) == 0 && element < UINT32_MAX &&
            (!end || strcmp(end, "]") == 0) && find_output(op, field, (uint32_t)element, json)) {
            *index = field->bindingIndex + (uint32_t)element;
            return true;
        }
    }
    return document_error(&model->document, text, "%s: '%s' has no output %s%s", owner, op->name, name,
                          suggest_hint(&suggest, hint));
}

/* An output of a node, by what stands behind its name; NULL: its only one. */
static bool find_node_output(const struct model *model, const struct graph_node *node, struct json_object *text,
                             const char *field, const char *owner, struct graph_source *source,
                             struct json_object **json) {
    if (!node->op) {
        *json = node->json;
        return !field ||
               document_error(&model->document, text, "%s: '%s' is a constant, which has no fields", owner, node->name);
    }
    if (!node->op->schema) {
        return false; /* which has been told */
    }
    if (field) {
        return find_field(model, node->op, text, field, owner, &source->index, json);
    }
    return find_only_output(node->op, &source->index, json) ||
           document_error(&model->document, text,
                          "%s: node '%s' has not one output, must be named with its field, "
                          "such as '%s.%s'",
                          owner, node->name, node->name, "OutputTensor");
}

static bool find_named(const struct model *model, struct graph *graph, struct json_object *text, const char *owner,
                       struct graph_source *source, struct json_object **json) {
    const char *name = json_object_get_string(text);
    const char *field = NULL;
    if (!json_object_is_type(text, json_type_string)) {
        return document_error(&model->document, text, "%s must be the name of an input or a node", owner);
    }
    const struct graph_source *found = names_find(&graph->names, name);
    if (!found && strchr(name, '.')) {
        char *head = strdup(name);
        if (!head) {
            return document_error(&model->document, text, "out of memory");
        }
        field = strrchr(name, '.') + 1;
        head[field - name - 1] = 0;
        found = names_find(&graph->names, head);
        free(head);
    }
    if (!found) {
        char hint[SUGGEST_SIZE];
        return document_error(&model->document, text, "%s: no input or node of '%s' is called '%s'%s", owner,
                              graph->name, name, names_hint(&graph->names, name, hint));
    }
    *source = (struct graph_source){.json = text, .node = found->node, .index = found->index};
    if (found->node == GRAPH_INPUT) {
        *json = graph->inputs[found->index].json;
        return !field || document_error(&model->document, text, "%s: '%.*s' is an input, which has no fields", owner,
                                        (int)(field - name - 1), name);
    }
    return find_node_output(model, &graph->nodes[found->node], text, field, owner, source, json);
}

bool graph_find_source(const struct model *model, struct graph *graph, struct json_object *text, const char *owner,
                       struct graph_source *source) {
    struct json_object *json = NULL;
    return find_named(model, graph, text, owner, source, &json);
}

struct json_object *graph_tensor_json(const struct builder *builder, struct json_object *text, const char *field) {
    struct graph_source source;
    struct json_object *json = NULL;
    char owner[256];
    snprintf(owner, sizeof(owner), "dispatchable '%.100s': %.100s", builder->dispatchable->name, field);
    if (!find_named(builder->model, (struct graph *)builder->dispatchable->within, text, owner, &source, &json)) {
        return NULL;
    }
    if (!json_object_is_type(json, json_type_object)) {
        document_error(&builder->model->document, text,
                       "%s: '%s' has no descriptor where it is declared, must have one here, beside \"from\"", owner,
                       json_object_get_string(text));
        return NULL;
    }
    return json;
}
