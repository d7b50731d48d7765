#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The field with the input (or output) at a binding index: an array has those from its own on. */
static const VkdmlFieldSchema *find_tensor_field(const VkdmlOperatorSchema *schema, VkdmlFieldKind kind,
                                                 uint32_t index) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        if (field->kind == kind && (field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ? index >= field->bindingIndex
                                                                                      : index == field->bindingIndex)) {
            return field;
        }
    }
    return NULL;
}

struct model_tensor model_tensor(const struct dispatchable *dispatchable, VkdmlFieldKind kind, uint32_t index) {
    struct model_tensor tensor = {.field = find_tensor_field(dispatchable->schema, kind, index)};
    const DML_TENSOR_DESC *first = NULL;
    tensor.element = index - tensor.field->bindingIndex;
    memcpy(&first, (const unsigned char *)dispatchable->desc.Desc + tensor.field->offset, sizeof(first));
    tensor.desc = first ? first[tensor.element].Desc : NULL;
    if (tensor.field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
        snprintf(tensor.name, sizeof(tensor.name), "%s[%u]", tensor.field->name, tensor.element);
    } else {
        snprintf(tensor.name, sizeof(tensor.name), "%s", tensor.field->name);
    }
    return tensor;
}

struct resource *model_find_resource(struct model *model, struct json_object *name, const char *owner) {
    const char *text = json_object_get_string(name);
    struct resource *resource = names_find(&model->resource_names, text);
    if (!resource) {
        char hint[SUGGEST_SIZE];
        document_error(&model->document, name, "%s: no resource is called '%s'%s", owner, text,
                       names_hint(&model->resource_names, text, hint));
    }
    return resource;
}

static void free_graph(struct graph *graph) {
    for (uint32_t n = 0; graph && graph->nodes && n < graph->node_count; n++) {
        if (graph->nodes[n].constant) {
            free(graph->nodes[n].constant->contents);
        }
    }
    if (graph) {
        names_free(&graph->names);
    }
}

void model_free(struct model *model) {
    for (size_t i = 0; i < model->resource_count; i++) {
        free(model->resources[i].contents);
    }
    for (size_t i = 0; i < model->dispatchable_count; i++) {
        free_graph(model->dispatchables[i].graph);
    }
    for (size_t i = 0; i < model->command_count; i++) {
        if (model->commands[i].expectation) {
            free(model->commands[i].expectation->values);
        }
    }
    names_free(&model->resource_names);
    names_free(&model->dispatchable_names);
    arena_free(&model->arena);
    document_free(&model->document);
    *model = (struct model){0};
}

/* The member of an operator or tensor, inline or in its `desc`. */
static struct json_object *find_member(struct json_object *value, const char *name) {
    struct json_object *member = document_member(value, name);
    struct json_object *inner = document_either(value, "Desc", "desc");
    return !member && json_object_is_type(inner, json_type_object) ? document_member(inner, name) : member;
}

/* The node that "Nodes[3] (conv): .." begins with, else the graph. */
static struct json_object *find_node(const struct graph *graph, const char *reason) {
    static const char prefix[] = "Nodes[";
    char *end = NULL;
    const unsigned long index =
        strncmp(reason, prefix, strlen(prefix)) == 0 ? strtoul(reason + strlen(prefix), &end, 10) : 0;
    return end && index < graph->node_count ? graph->nodes[index].json : NULL;
}

/* The JSON value that a reason such as "DML_OPERATOR_JOIN: InputTensors[1].Sizes[2] is 7, .." or ".._GEMM:
 * FusedActivation: Alpha is .." speaks of: as far as its path can be followed from the descriptor's fields. */
static const struct json_object *find_subject(const struct dispatchable *dispatchable, const char *reason) {
    const char *colon = strstr(reason, ": ");
    const char *at = colon ? colon + 2 : reason;
    struct json_object *value = dispatchable->fields;
    if (dispatchable->graph) {
        struct json_object *node = find_node(dispatchable->graph, at);
        return node ? node : dispatchable->json;
    }
    for (;;) {
        char name[64];
        size_t length = strcspn(at, ".[ ,:\n");
        if (length == 0 || length >= sizeof(name) || !json_object_is_type(value, json_type_object)) {
            return value;
        }
        memcpy(name, at, length);
        name[length] = 0;
        struct json_object *member = find_member(value, name);
        if (!member) {
            return value;
        }
        value = member;
        at += length;
        if (*at == '[' && json_object_is_type(value, json_type_array)) {
            char *end;
            struct json_object *element = json_object_array_get_idx(value, strtoul(at + 1, &end, 10));
            if (!element || *end != ']') {
                return value;
            }
            value = element;
            at = end + 1;
        }
        if (*at != '.' && strncmp(at, ": ", 2) != 0) {
            return value;
        }
        at += *at == '.' ? 1 : 2;
    }
}

bool model_report_refusal(const struct model *model, const struct dispatchable *dispatchable,
                          const struct json_object *where) {
    const char *reason = vkdmlGetErrorMessage();
    if (!*reason) {
        return document_error(&model->document, where, "dispatchable '%s': failed without a reason",
                              dispatchable->name);
    }
    while (*reason) {
        size_t length = strcspn(reason, "\n");
        document_error(&model->document, where ? where : find_subject(dispatchable, reason), "dispatchable '%s': %.*s",
                       dispatchable->name, (int)length, reason);
        reason += length + (reason[length] == '\n');
    }
    return false;
}

static bool validate(const struct model *model, const struct dispatchable *dispatchable, DML_FEATURE_LEVEL level) {
    const struct graph *graph = dispatchable->graph;
    bool good = true;
    if (!graph) {
        return !dispatchable->schema || vkdmlValidateOperator(&dispatchable->desc, level) == VKDML_SUCCESS ||
               model_report_refusal(model, dispatchable, NULL);
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        /* Those that stand for themselves, too, have their own turn. */
        const struct dispatchable *op = graph->nodes[n].op;
        good = (!dispatchable->schema || !op || !op->within || validate(model, op, level)) && good;
    }
    return good;
}

bool model_validate(const struct model *model, DML_FEATURE_LEVEL level) {
    bool good = true;
    for (size_t i = 0; i < model->dispatchable_count; i++) {
        good = validate(model, &model->dispatchables[i], level) && good;
    }
    return good;
}
