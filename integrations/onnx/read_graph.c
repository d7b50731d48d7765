#include "onnx/read_graph.h"

#include <string.h>

#include "onnx/scope.h"
#include "onnx/sort.h"

static bool read_initializer(struct onnx_scope *scope, struct onnx_wire wire) {
    struct onnx_data *tensor = onnx_scope_allocate(scope, 1, sizeof *tensor);
    const char *name;
    uint32_t number;
    if (tensor == NULL || !onnx_tensor_read(scope->reading, wire, tensor, &name)) {
        return false;
    }
    if (*name == 0) {
        return onnx_fail(scope->reading->error, "an initializer has no name");
    }
    if (!onnx_define(scope, (struct onnx_text){name, strlen(name)}, &number)) {
        return false;
    }
    struct onnx_value *value = &scope->draft->values[number];
    value->type = tensor->type;
    value->has_shape = true;
    value->rank = tensor->rank;
    value->constant = tensor;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        value->sizes[i] = tensor->sizes[i];
    }
    return true;
}

static bool read_initializers(struct onnx_scope *scope, struct onnx_wire wire) {
    struct onnx_field field;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire message;
        if (field.number == 15) {
            return onnx_fail(scope->reading->error, "sparse initializers are not supported");
        }
        if (field.number == 5 && (!onnx_wire_message(&wire, &field, &message) || !read_initializer(scope, message))) {
            return false;
        }
    }
    return !wire.is_broken;
}

/* Inputs of a graph; those that are optional have initializers, and these hold where nothing is given. */
struct inputs {
    uint32_t *needed, *optional;
    uint32_t needed_count, optional_count;
};

static bool read_input(struct onnx_scope *scope, struct onnx_wire wire, struct inputs *inputs) {
    struct onnx_wire type;
    struct onnx_text text;
    bool has_type;
    uint32_t number;
    if (!onnx_value_info_read(wire, &text, &type, &has_type)) {
        return false;
    }
    if (text.length == 0) {
        return onnx_fail(scope->reading->error, "an input of the graph has no name");
    }
    const struct onnx_name *name = onnx_names_find(&scope->names, text);
    struct onnx_value *value = name != NULL ? &scope->draft->values[name->number] : NULL;
    if (value != NULL && value->constant != NULL && !value->is_input) {
        value->is_input = true;
        inputs->optional[inputs->optional_count++] = name->number;
        return !has_type || onnx_set_input_type(scope, name->number, type);
    }
    if (!onnx_define(scope, text, &number)) {
        return false;
    }
    inputs->needed[inputs->needed_count++] = number;
    return !has_type || onnx_set_type(scope, number, type);
}

static bool read_inputs(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_graph *graph) {
    struct onnx_field field;
    struct inputs inputs = {.needed = NULL};
    size_t count;
    if (!onnx_wire_fields(wire, 11, &count)) {
        return false;
    }
    inputs.needed = onnx_scope_allocate(scope, count, sizeof *inputs.needed);
    inputs.optional = onnx_scope_allocate(scope, count, sizeof *inputs.optional);
    if (inputs.needed == NULL || inputs.optional == NULL) {
        return false;
    }
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire message;
        if (field.number == 11 &&
            (!onnx_wire_message(&wire, &field, &message) || !read_input(scope, message, &inputs))) {
            return false;
        }
    }
    memcpy(inputs.needed + inputs.needed_count, inputs.optional, inputs.optional_count * sizeof *inputs.optional);
    graph->inputs = inputs.needed;
    graph->input_count = inputs.needed_count;
    graph->optional_count = inputs.optional_count;
    return !wire.is_broken;
}

static bool read_outputs(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_graph *graph) {
    struct onnx_field field;
    size_t count;
    if (!onnx_wire_fields(wire, 12, &count)) {
        return false;
    }
    uint32_t *outputs = onnx_scope_allocate(scope, count, sizeof *outputs);
    graph->outputs = outputs;
    while (outputs != NULL && onnx_wire_next(&wire, &field)) {
        struct onnx_wire message, type;
        struct onnx_text text;
        bool has_type;
        if (field.number != 12) {
            continue;
        }
        if (!onnx_wire_message(&wire, &field, &message) || !onnx_value_info_read(message, &text, &type, &has_type) ||
            !onnx_resolve(scope, text, &outputs[graph->output_count])) {
            return false;
        }
        if (outputs[graph->output_count++] == ONNX_NONE) {
            return onnx_fail(scope->reading->error, "output \"%s\" of a body is absent", onnx_show(text).text);
        }
    }
    return outputs != NULL && !wire.is_broken;
}

static bool read_graph_name(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_graph *graph) {
    struct onnx_field field;
    struct onnx_text name = {"", 0};
    while (onnx_wire_next(&wire, &field)) {
        if (field.number == 2) {
            onnx_wire_text(&wire, &field, &name);
        }
    }
    graph->name = wire.is_broken ? NULL : onnx_scope_text(scope, name);
    return graph->name != NULL;
}

/* Out of scratch memory. */
static bool keep(struct onnx_scope *scope, struct onnx_graph *graph) {
    const struct onnx_draft *draft = scope->draft;
    graph->values = onnx_scope_allocate(scope, draft->value_count, sizeof *graph->values);
    graph->nodes = onnx_scope_allocate(scope, draft->node_count, sizeof *graph->nodes);
    if (graph->values == NULL || graph->nodes == NULL) {
        return false;
    }
    graph->value_count = draft->value_count;
    graph->node_count = draft->node_count;
    if (draft->value_count != 0) {
        memcpy(graph->values, draft->values, draft->value_count * sizeof *graph->values);
    }
    if (draft->node_count != 0) {
        memcpy(graph->nodes, draft->nodes, draft->node_count * sizeof *graph->nodes);
    }
    return onnx_sort(graph, &scope->reading->scratch, scope->reading->error);
}

/* A body of a node where there is an outer scope. Whatever the order of fields, initializers come before inputs, and
 * what is made before what is read. */
static bool read_graph(struct onnx_scope *outer, const struct onnx_scope *like, struct onnx_wire wire,
                       struct onnx_graph *graph) {
    struct onnx_draft draft = {.value_count = 0};
    struct onnx_scope scope = *like;
    scope.outer = outer;
    scope.draft = &draft;
    scope.names = (struct onnx_names){.arena = &like->reading->scratch};
    scope.depth++;
    if (scope.depth > ONNX_MAX_DEPTH) {
        return onnx_fail(scope.reading->error, "bodies are more than %d deep", ONNX_MAX_DEPTH);
    }
    return read_graph_name(&scope, wire, graph) && read_initializers(&scope, wire) &&
           read_inputs(&scope, wire, graph) && onnx_nodes_define(&scope, wire, 1) &&
           onnx_value_infos_read(&scope, wire, 12) && onnx_value_infos_read(&scope, wire, 13) &&
           onnx_nodes_read(&scope, wire, 1) && read_outputs(&scope, wire, graph) && keep(&scope, graph);
}

bool onnx_body_read(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_graph *graph) {
    return read_graph(scope, scope, wire, graph);
}

bool onnx_graph_read(struct onnx_reading *reading, struct onnx_functions *functions, const struct onnx_opsets *opsets,
                     struct onnx_wire wire, struct onnx_graph *graph) {
    const struct onnx_scope like = {.reading = reading, .functions = functions, .opsets = opsets};
    return read_graph(NULL, &like, wire, graph);
}
