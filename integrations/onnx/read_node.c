/* Reading NodeProto. */
#include <inttypes.h>
#include <string.h>

#include "onnx/scope.h"

#define MAX_ATTRIBUTES 1024 /* of a node: a list that is looked through from end to end */

/* A NodeProto's fields but for its lists. */
struct header {
    struct onnx_wire wire;
    struct onnx_text name, op, domain, overload;
    size_t input_count, output_count, attribute_count;
};

/* ---- calls of functions ---- */

static bool version_of(struct onnx_scope *scope, const char *domain, uint32_t *version) {
    for (uint32_t i = 0; i < scope->opsets->count; i++) {
        if (strcmp(scope->opsets->items[i].domain, domain) == 0) {
            *version = scope->opsets->items[i].version;
            return true;
        }
    }
    return onnx_fail(scope->reading->error, "no operator set is imported for domain \"%s\"",
                     *domain != 0 ? visible_text(domain).text : "ai.onnx");
}

static const struct onnx_function *find_function(const struct onnx_scope *scope, const struct header *header) {
    const struct onnx_functions *functions = scope->functions;
    const struct onnx_name *name = onnx_names_find(&functions->names, header->op);
    for (uint32_t i = name != NULL ? name->number : ONNX_NONE; i != ONNX_NONE; i = functions->items[i].next) {
        if (onnx_text_equals(functions->items[i].domain, header->domain) &&
            onnx_text_equals(functions->items[i].overload, header->overload)) {
            return &functions->items[i];
        }
    }
    return NULL;
}

/* Where a function's output is one of its inputs, or another output. */
static bool add_identity(struct onnx_scope *scope, uint32_t from, uint32_t to) {
    uint32_t *values = onnx_scope_allocate(scope, 2, sizeof *values);
    struct onnx_node node = {.name = "", .domain = "", .op = "Identity", .input_count = 1, .output_count = 1};
    if (values == NULL || !version_of(scope, "", &node.version)) {
        return false;
    }
    values[0] = from;
    values[1] = to;
    node.inputs = values;
    node.outputs = values + 1;
    return onnx_add_node(scope, node);
}

/* Gives a function's inputs, or outputs, the values of the call. */
static bool bind(struct onnx_scope *scope, uint32_t number, uint32_t count, const uint32_t *values, bool is_output) {
    struct onnx_wire wire = scope->call->function->wire;
    struct onnx_field field;
    uint32_t i = 0;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_text text;
        if (field.number != number) {
            continue;
        }
        if (!onnx_wire_text(&wire, &field, &text)) {
            return false;
        }
        const uint32_t value = i < count ? values[i] : ONNX_NONE;
        const struct onnx_name *name = onnx_names_find(&scope->names, text);
        i++;
        if (is_output && value == ONNX_NONE) {
            continue;
        }
        if (is_output && name != NULL) {
            if (!add_identity(scope, name->number, value)) {
                return false;
            }
            continue;
        }
        if (name != NULL) {
            return onnx_fail(scope->reading->error, "input \"%s\" of a function is there twice", onnx_show(text).text);
        }
        if (!onnx_name_value(scope, text, value)) {
            return false;
        }
        scope->names.entries[scope->names.count - 1].is_promised = is_output;
    }
    return (i >= count && !wire.is_broken) ||
           onnx_fail(scope->reading->error, "%" PRIu32 " %s, the function has %" PRIu32, count,
                     is_output ? "outputs" : "inputs", i);
}

static bool read_nodes_of(struct onnx_scope *scope, const struct onnx_function *function) {
    return onnx_nodes_define(scope, function->wire, 7) && onnx_value_infos_read(scope, function->wire, 12) &&
           onnx_nodes_read(scope, function->wire, 7);
}

static bool inline_call(struct onnx_scope *scope, const struct onnx_function *function, const struct onnx_node *node) {
    const struct onnx_scope_call call = {function, node->attributes, node->attribute_count};
    struct onnx_scope inner = {.reading = scope->reading,
                               .functions = scope->functions,
                               .opsets = &function->opsets,
                               .call = &call,
                               .draft = scope->draft,
                               .names = {.arena = &scope->reading->scratch},
                               .depth = scope->depth + 1};
    if (inner.depth > ONNX_MAX_DEPTH) {
        return onnx_fail(scope->reading->error, "functions and bodies are more than %d deep, or call themselves",
                         ONNX_MAX_DEPTH);
    }
    if (!onnx_charge(scope, (size_t)(function->wire.end - function->wire.at)) ||
        !bind(&inner, 4, node->input_count, node->inputs, false) ||
        !bind(&inner, 5, node->output_count, node->outputs, true) || !read_nodes_of(&inner, function)) {
        return false;
    }
    for (uint32_t i = 0; i < inner.names.count; i++) {
        const struct onnx_name *name = &inner.names.entries[i];
        if (name->is_promised) {
            return onnx_fail(scope->reading->error, "the function does not make its output \"%s\"",
                             onnx_show(name->text).text);
        }
    }
    return true;
}

/* ---- nodes ---- */

static const char *copy_domain(struct onnx_scope *scope, struct onnx_text text) {
    return onnx_text_equals(text, (struct onnx_text){"ai.onnx", 7}) ? "" : onnx_scope_text(scope, text);
}

static bool read_header(struct onnx_wire wire, struct header *header) {
    struct onnx_field field;
    *header = (struct header){.wire = wire, .name = {"", 0}, .op = {"", 0}, .domain = {"", 0}, .overload = {"", 0}};
    while (onnx_wire_next(&wire, &field)) {
        switch (field.number) {
        case 1:
            header->input_count++;
            break;
        case 2:
            header->output_count++;
            break;
        case 3:
            onnx_wire_text(&wire, &field, &header->name);
            break;
        case 4:
            onnx_wire_text(&wire, &field, &header->op);
            break;
        case 5:
            header->attribute_count++;
            break;
        case 7:
            onnx_wire_text(&wire, &field, &header->domain);
            break;
        case 8:
            onnx_wire_text(&wire, &field, &header->overload);
            break;
        default:
            break;
        }
    }
    if (onnx_text_equals(header->domain, (struct onnx_text){"ai.onnx", 7})) {
        header->domain.length = 0;
    }
    return !wire.is_broken;
}

/* Puts a node before the reason; of many, one in another, the innermost. The first output names a node without a name.
 */
static bool fail_in_node(struct onnx_scope *scope, const struct header *header) {
    struct onnx_error *error = scope->reading->error;
    const struct onnx_error inner = *error;
    if (strlen(inner.text) > 250) {
        return false;
    }
    struct onnx_text name = header->name;
    struct onnx_wire wire = header->wire;
    struct onnx_field field;
    while (name.length == 0 && onnx_wire_next(&wire, &field)) {
        if (field.number == 2 && field.kind == ONNX_WIRE_BYTES) {
            name = (struct onnx_text){(const char *)field.bytes, field.length};
        }
    }
    error->text[0] = 0;
    return onnx_fail_with(error, inner.result, "node \"%s\" (%s): %s", onnx_show(name).text,
                          onnx_show(header->op).text, inner.text);
}

/* Values of a field's names; empty ones are absent. */
static bool read_values(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number, size_t count,
                        const uint32_t **list, uint32_t *listed) {
    struct onnx_field field;
    if (count >= ONNX_NONE) {
        return onnx_fail(scope->reading->error, "too many inputs or outputs");
    }
    uint32_t *values = onnx_scope_allocate(scope, count, sizeof *values);
    *list = values;
    *listed = 0;
    while (values != NULL && onnx_wire_next(&wire, &field)) {
        struct onnx_text text;
        if (field.number != number) {
            continue;
        }
        if (!onnx_wire_text(&wire, &field, &text)) {
            return false;
        }
        values[*listed] = ONNX_NONE;
        if (text.length != 0 && !onnx_resolve(scope, text, &values[*listed])) {
            return false;
        }
        ++*listed;
    }
    return values != NULL && !wire.is_broken;
}

static bool read_attributes(struct onnx_scope *scope, const struct header *header, struct onnx_node *node) {
    struct onnx_wire wire = header->wire;
    struct onnx_field field;
    if (header->attribute_count > MAX_ATTRIBUTES) {
        return onnx_fail(scope->reading->error, "more than %d attributes", MAX_ATTRIBUTES);
    }
    struct onnx_attribute *attributes = onnx_scope_allocate(scope, header->attribute_count, sizeof *attributes);
    node->attributes = attributes;
    while (attributes != NULL && onnx_wire_next(&wire, &field)) {
        struct onnx_wire message;
        bool is_absent;
        if (field.number != 5) {
            continue;
        }
        if (!onnx_wire_message(&wire, &field, &message) ||
            !onnx_attribute_read(scope, message, &attributes[node->attribute_count], &is_absent)) {
            return false;
        }
        node->attribute_count += !is_absent;
    }
    return attributes != NULL && !wire.is_broken;
}

static bool read_node(struct onnx_scope *scope, const struct header *header) {
    struct onnx_node node = {.name = onnx_scope_text(scope, header->name),
                             .domain = copy_domain(scope, header->domain),
                             .op = onnx_scope_text(scope, header->op)};
    if (node.name == NULL || node.domain == NULL || node.op == NULL ||
        !read_values(scope, header->wire, 1, header->input_count, &node.inputs, &node.input_count) ||
        !read_values(scope, header->wire, 2, header->output_count, &node.outputs, &node.output_count) ||
        !read_attributes(scope, header, &node)) {
        return false;
    }
    const struct onnx_function *function = find_function(scope, header);
    if (function != NULL) {
        return inline_call(scope, function, &node);
    }
    return version_of(scope, node.domain, &node.version) && onnx_add_node(scope, node);
}

static bool define_outputs(struct onnx_scope *scope, const struct header *header) {
    struct onnx_wire wire = header->wire;
    struct onnx_field field;
    if (header->op.length == 0) {
        return onnx_fail(scope->reading->error, "it has no operator");
    }
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_text text;
        uint32_t value;
        if (field.number == 2 &&
            (!onnx_wire_text(&wire, &field, &text) || (text.length != 0 && !onnx_define(scope, text, &value)))) {
            return false;
        }
    }
    return !wire.is_broken;
}

/* Applies something to each node of a field. */
static bool for_nodes(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number,
                      bool (*apply)(struct onnx_scope *scope, const struct header *header)) {
    struct onnx_field field;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire message;
        struct header header;
        if (field.number != number) {
            continue;
        }
        if (!onnx_wire_message(&wire, &field, &message) || !read_header(message, &header)) {
            return false;
        }
        if (!apply(scope, &header)) {
            return fail_in_node(scope, &header);
        }
    }
    return !wire.is_broken;
}

bool onnx_nodes_define(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number) {
    return for_nodes(scope, wire, number, define_outputs);
}

bool onnx_nodes_read(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number) {
    return for_nodes(scope, wire, number, read_node);
}
