#include "onnx/read_graph.h"

#include <inttypes.h>
#include <string.h>

#include "onnx/sort.h"

#define MAX_DEPTH 64 /* of bodies and of functions that are called, one in another */

/* Lists that are looked through from end to end are not to be long: time would grow by their square. */
#define MAX_ATTRIBUTES 1024 /* of a node */
#define MAX_OPSETS     1024
#define MAX_OVERLOADS  64

/* A graph that is being read. Its arrays grow, in scratch memory. */
struct draft {
    struct onnx_value *values;
    struct onnx_node *nodes;
    uint32_t value_count, value_room, node_count, node_room;
};

/* A call of a function: what its nodes' attributes may refer to. */
struct call {
    const struct onnx_function *function;
    const struct onnx_attribute *attributes;
    uint32_t attribute_count;
};

/* Where names are looked up: of a graph, of a body, whose outer one is that of the node it belongs to, or of a function
 * that is called, whose nodes go into the caller's draft. */
struct scope {
    struct onnx_reading *reading;
    struct onnx_functions *functions;
    const struct onnx_opsets *opsets;
    const struct call *call; /* NULL: not in a function */
    struct scope *outer;
    struct draft *draft;
    struct onnx_names names; /* values of the draft, or ONNX_NONE: absent */
    uint32_t depth;
};

/* A NodeProto's fields but for its lists. */
struct header {
    struct onnx_wire wire;
    struct onnx_text name, op, domain, overload;
    size_t input_count, output_count, attribute_count;
};

static bool read_graph(struct scope *outer, const struct scope *like, struct onnx_wire wire, struct onnx_graph *graph);
static bool read_body_of(struct scope *scope, const struct onnx_function *function);

static int shown(struct onnx_text text) {
    return text.length < 100 ? (int)text.length : 100;
}

/* Room for one more element of an array. */
static bool grow(struct onnx_arena *arena, void *array, size_t size, uint32_t count, uint32_t *room) {
    void *items;
    if (count < *room) {
        return true;
    }
    const uint32_t wanted = *room != 0 ? 2 * *room : 16;
    void *made = *room < UINT32_MAX / 4 ? onnx_allocate(arena, wanted, size) : NULL;
    if (made == NULL) {
        return false;
    }
    memcpy(&items, array, sizeof items);
    if (count != 0) {
        memcpy(made, items, count * size);
    }
    memcpy(array, &made, sizeof made);
    *room = wanted;
    return true;
}

static void *allocate(struct scope *scope, size_t count, size_t size) {
    void *memory = onnx_allocate(scope->reading->arena, count, size);
    if (memory == NULL) {
        onnx_out_of_memory(scope->reading);
    }
    return memory;
}

static const char *copy_text(struct scope *scope, struct onnx_text text) {
    const char *copy = onnx_copy_text(scope->reading->arena, text.text, text.length);
    if (copy == NULL) {
        onnx_out_of_memory(scope->reading);
    }
    return copy;
}

static const char *copy_domain(struct scope *scope, struct onnx_text text) {
    return onnx_text_equals(text, (struct onnx_text){"ai.onnx", 7}) ? "" : copy_text(scope, text);
}

/* ---- values ---- */

static bool name_value(struct scope *scope, struct onnx_text text, uint32_t value) {
    return onnx_names_add(&scope->names, text, value) || onnx_out_of_memory(scope->reading);
}

static bool add_value(struct scope *scope, struct onnx_value value, uint32_t *number) {
    struct draft *draft = scope->draft;
    if (!grow(&scope->reading->scratch, &draft->values, sizeof value, draft->value_count, &draft->value_room)) {
        return onnx_out_of_memory(scope->reading);
    }
    *number = draft->value_count;
    draft->values[draft->value_count++] = value;
    return true;
}

/* A name that nothing else has made. Outputs of a call are there already: their values are the caller's. */
static bool define(struct scope *scope, struct onnx_text text, uint32_t *number) {
    struct onnx_name *name = onnx_names_find(&scope->names, text);
    if (name != NULL && name->is_promised) {
        name->is_promised = false;
        *number = name->number;
        return true;
    }
    if (name != NULL) {
        return onnx_fail(scope->reading->error, "value \"%.*s\" is made more than once", shown(text), text.text);
    }
    struct onnx_value value = {.name = copy_text(scope, text), .outer = ONNX_NONE};
    return value.name != NULL && add_value(scope, value, number) &&
           name_value(scope, (struct onnx_text){value.name, text.length}, *number);
}

/* A value that is read, of this scope or of one around it; then it becomes one of each body in between. */
static bool resolve(struct scope *scope, struct onnx_text text, uint32_t *number) {
    const struct onnx_name *name = onnx_names_find(&scope->names, text);
    if (name != NULL) {
        *number = name->number;
        return true;
    }
    if (scope->outer == NULL) {
        return onnx_fail(scope->reading->error, "value \"%.*s\" is read, but nothing makes it", shown(text), text.text);
    }
    uint32_t outer;
    if (!resolve(scope->outer, text, &outer)) {
        return false;
    }
    if (outer == ONNX_NONE) {
        *number = ONNX_NONE;
        return true;
    }
    struct onnx_value value = scope->outer->draft->values[outer];
    value.outer = outer;
    return add_value(scope, value, number) && name_value(scope, text, *number);
}

/* ---- types of values ---- */

static bool read_dimension(struct scope *scope, struct onnx_wire wire, struct onnx_value *value) {
    struct onnx_field field;
    int64_t size = -1;
    struct onnx_text symbol = {"", 0};
    if (value->rank == ONNX_MAX_RANK) {
        return onnx_fail(scope->reading->error, "value \"%.100s\" has more than %d dimensions", value->name,
                         ONNX_MAX_RANK);
    }
    while (onnx_wire_next(&wire, &field)) {
        if (field.number == 1) {
            onnx_wire_int(&wire, &field, &size);
        } else if (field.number == 2) {
            onnx_wire_text(&wire, &field, &symbol);
        }
    }
    if (wire.is_broken) {
        return false;
    }
    /* Some exporters write -1 where a size is not known. */
    if (size < -1) {
        return onnx_fail(scope->reading->error, "value \"%.100s\": dimension %" PRIu32 " is %" PRId64, value->name,
                         value->rank, size);
    }
    if (size < 0 && symbol.length != 0) {
        value->symbols[value->rank] = copy_text(scope, symbol);
        if (value->symbols[value->rank] == NULL) {
            return false;
        }
    }
    value->sizes[value->rank++] = size;
    return true;
}

static bool read_shape(struct scope *scope, struct onnx_wire wire, struct onnx_value *value) {
    struct onnx_field field;
    value->has_shape = true;
    value->rank = 0;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire dimension;
        if (field.number == 1 &&
            (!onnx_wire_message(&wire, &field, &dimension) || !read_dimension(scope, dimension, value))) {
            return false;
        }
    }
    return !wire.is_broken;
}

/* TypeProto.Tensor. */
static bool read_tensor_type(struct scope *scope, struct onnx_wire wire, struct onnx_value *value) {
    struct onnx_field field;
    int64_t type = 0;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire shape;
        if (field.number == 1) {
            onnx_wire_int(&wire, &field, &type);
        } else if (field.number == 2 &&
                   (!onnx_wire_message(&wire, &field, &shape) || !read_shape(scope, shape, value))) {
            return false;
        }
    }
    value->type = type >= 0 && type <= INT32_MAX ? (enum onnx_type)type : ONNX_UNDEFINED;
    return !wire.is_broken;
}

/* TypeProto: sequences, maps and optionals stay UNDEFINED. */
static bool read_type(struct scope *scope, struct onnx_wire wire, struct onnx_value *value) {
    struct onnx_field field;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire tensor;
        if (field.number == 1 &&
            (!onnx_wire_message(&wire, &field, &tensor) || !read_tensor_type(scope, tensor, value))) {
            return false;
        }
    }
    return !wire.is_broken;
}

/* ValueInfoProto. */
static bool read_value_info(struct onnx_wire wire, struct onnx_text *name, struct onnx_wire *type, bool *has_type) {
    struct onnx_field field;
    *name = (struct onnx_text){"", 0};
    *has_type = false;
    while (onnx_wire_next(&wire, &field)) {
        if (field.number == 1) {
            onnx_wire_text(&wire, &field, name);
        } else if (field.number == 2) {
            *has_type = onnx_wire_message(&wire, &field, type);
        }
    }
    return !wire.is_broken;
}

/* What is said first of a value holds, and what a constant is. */
static bool set_type(struct scope *scope, uint32_t number, struct onnx_wire type) {
    struct onnx_value *value = &scope->draft->values[number];
    if (value->type != ONNX_UNDEFINED || value->constant != NULL) {
        return true;
    }
    value->has_shape = false;
    value->rank = 0;
    return read_type(scope, type, value);
}

static bool read_value_infos(struct scope *scope, struct onnx_wire wire, uint32_t number) {
    struct onnx_field field;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire info, type;
        struct onnx_text text;
        bool has_type;
        if (field.number != number) {
            continue;
        }
        if (!onnx_wire_message(&wire, &field, &info) || !read_value_info(info, &text, &type, &has_type)) {
            return false;
        }
        const struct onnx_name *name = onnx_names_find(&scope->names, text);
        if (name != NULL && name->number != ONNX_NONE && has_type && !set_type(scope, name->number, type)) {
            return false;
        }
    }
    return !wire.is_broken;
}

/* ---- attributes ---- */

static bool read_node_attribute(struct scope *scope, struct onnx_wire wire, struct onnx_attribute *attribute,
                                bool *is_absent);

static bool read_strings(struct scope *scope, struct onnx_wire wire, uint32_t number,
                         struct onnx_attribute *attribute) {
    struct onnx_field field;
    size_t i = 0;
    if (!onnx_wire_fields(wire, number, &attribute->count)) {
        return false;
    }
    attribute->strings = allocate(scope, attribute->count, sizeof *attribute->strings);
    while (attribute->strings != NULL && onnx_wire_next(&wire, &field)) {
        struct onnx_text text;
        if (field.number != number) {
            continue;
        }
        if (!onnx_wire_bytes(&wire, &field, &text)) {
            return false;
        }
        attribute->strings[i] = copy_text(scope, text);
        if (attribute->strings[i++] == NULL) {
            return false;
        }
    }
    return attribute->strings != NULL && !wire.is_broken;
}

static void *read_numbers(struct scope *scope, struct onnx_wire wire, uint32_t number, enum onnx_wire_kind kind,
                          size_t size, size_t *count) {
    if (!onnx_wire_count(wire, number, kind, count)) {
        return NULL;
    }
    void *numbers = allocate(scope, *count, size);
    return numbers != NULL && onnx_wire_store(wire, number, kind, size, numbers) ? numbers : NULL;
}

/* AttributeProto as it is written. */
struct written {
    struct onnx_wire wire, tensor, graph;
    struct onnx_text name, reference, string;
    int64_t type, integer;
    float number;
    bool has_tensor, has_graph;
};

/* The kind that the field of a value is of, for models that do not say it; 0: of none. */
static int64_t kind_of_field(uint32_t number) {
    static const unsigned char kinds[] = {[2] = ONNX_ATTRIBUTE_FLOAT,  [3] = ONNX_ATTRIBUTE_INT,
                                          [4] = ONNX_ATTRIBUTE_STRING, [5] = ONNX_ATTRIBUTE_TENSOR,
                                          [6] = ONNX_ATTRIBUTE_GRAPH,  [7] = ONNX_ATTRIBUTE_FLOATS,
                                          [8] = ONNX_ATTRIBUTE_INTS,   [9] = ONNX_ATTRIBUTE_STRINGS};
    return number < sizeof kinds ? kinds[number] : 0;
}

static bool read_written(struct onnx_wire wire, struct written *written) {
    struct onnx_field field;
    int64_t guess = 0;
    *written = (struct written){.wire = wire, .name = {"", 0}, .reference = {"", 0}, .string = {"", 0}};
    while (onnx_wire_next(&wire, &field)) {
        guess = guess != 0 ? guess : kind_of_field(field.number);
        switch (field.number) {
        case 1:
            onnx_wire_text(&wire, &field, &written->name);
            break;
        case 2:
            onnx_wire_float(&wire, &field, &written->number);
            break;
        case 3:
            onnx_wire_int(&wire, &field, &written->integer);
            break;
        case 4:
            onnx_wire_bytes(&wire, &field, &written->string);
            break;
        case 5:
            written->has_tensor = onnx_wire_message(&wire, &field, &written->tensor);
            break;
        case 6:
            written->has_graph = onnx_wire_message(&wire, &field, &written->graph);
            break;
        case 20:
            onnx_wire_int(&wire, &field, &written->type);
            break;
        case 21:
            onnx_wire_text(&wire, &field, &written->reference);
            break;
        default:
            break;
        }
    }
    written->type = written->type != 0 ? written->type : guess;
    return !wire.is_broken;
}

static bool read_float(struct scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    float *number = allocate(scope, 1, sizeof *number);
    if (number != NULL) {
        *number = written->number;
    }
    attribute->floats = number;
    return number != NULL;
}

static bool read_int(struct scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    int64_t *number = allocate(scope, 1, sizeof *number);
    if (number != NULL) {
        *number = written->integer;
    }
    attribute->ints = number;
    return number != NULL;
}

static bool read_string(struct scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    attribute->strings = allocate(scope, 1, sizeof *attribute->strings);
    return attribute->strings != NULL && (attribute->strings[0] = copy_text(scope, written->string)) != NULL;
}

static bool read_tensor(struct scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    const char *name;
    if (!written->has_tensor) {
        return onnx_fail(scope->reading->error, "attribute \"%.100s\" lacks its tensor", attribute->name);
    }
    return onnx_tensor_read(scope->reading, written->tensor, &attribute->tensor, &name);
}

static bool read_body(struct scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    if (!written->has_graph) {
        return onnx_fail(scope->reading->error, "attribute \"%.100s\" lacks its graph", attribute->name);
    }
    attribute->graph = allocate(scope, 1, sizeof *attribute->graph);
    return attribute->graph != NULL && read_graph(scope, scope, written->graph, attribute->graph);
}

static bool read_content(struct scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    attribute->count = 1;
    attribute->kind = (enum onnx_attribute_kind)written->type;
    switch (written->type) {
    case ONNX_ATTRIBUTE_FLOAT:
        return read_float(scope, written, attribute);
    case ONNX_ATTRIBUTE_INT:
        return read_int(scope, written, attribute);
    case ONNX_ATTRIBUTE_STRING:
        return read_string(scope, written, attribute);
    case ONNX_ATTRIBUTE_TENSOR:
        return read_tensor(scope, written, attribute);
    case ONNX_ATTRIBUTE_GRAPH:
        return read_body(scope, written, attribute);
    case ONNX_ATTRIBUTE_FLOATS:
        attribute->floats = read_numbers(scope, written->wire, 7, ONNX_WIRE_FIXED32, sizeof(float), &attribute->count);
        return attribute->floats != NULL;
    case ONNX_ATTRIBUTE_INTS:
        attribute->ints = read_numbers(scope, written->wire, 8, ONNX_WIRE_VARINT, sizeof(int64_t), &attribute->count);
        return attribute->ints != NULL;
    case ONNX_ATTRIBUTE_STRINGS:
        return read_strings(scope, written->wire, 9, attribute);
    default:
        return onnx_fail(scope->reading->error, "attribute \"%.100s\" is of kind %" PRId64 ", which is not supported",
                         attribute->name, written->type);
    }
}

/* Of what may be read of functions; false where nothing is left. */
static bool charge(struct scope *scope, size_t bytes) {
    struct onnx_functions *functions = scope->functions;
    if (bytes >= functions->room) {
        return onnx_fail(scope->reading->error, "calls of functions make too large a graph");
    }
    functions->room -= bytes + 1;
    return true;
}

/* The default that a function has for an attribute. */
static bool read_default(struct scope *scope, struct onnx_text text, struct onnx_attribute *attribute,
                         bool *is_absent) {
    struct onnx_wire wire = scope->call->function->wire;
    struct onnx_field field;
    if (!charge(scope, (size_t)(wire.end - wire.at) / 16)) {
        return false;
    }
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire message;
        struct written written;
        if (field.number != 11) {
            continue;
        }
        if (!onnx_wire_message(&wire, &field, &message) || !read_written(message, &written)) {
            return false;
        }
        if (onnx_text_equals(written.name, text)) {
            *is_absent = false;
            return written.type != ONNX_ATTRIBUTE_GRAPH
                       ? read_content(scope, &written, attribute)
                       : onnx_fail(scope->reading->error,
                                   "attribute \"%.*s\" of a function is a graph, which is not "
                                   "supported",
                                   shown(text), text.text);
        }
    }
    return !wire.is_broken;
}

/* What a function's node takes from the call; absent where neither the call nor the function has it. */
static bool read_reference(struct scope *scope, const struct written *written, struct onnx_attribute *attribute,
                           bool *is_absent) {
    const struct call *call = scope->call;
    const struct onnx_text text = written->reference;
    if (call == NULL) {
        return onnx_fail(scope->reading->error, "attribute \"%.100s\" refers to \"%.*s\", but is in no function",
                         attribute->name, shown(text), text.text);
    }
    const char *name = attribute->name;
    *is_absent = true;
    for (uint32_t i = 0; i < call->attribute_count && *is_absent; i++) {
        if (onnx_text_equals(text, (struct onnx_text){call->attributes[i].name, strlen(call->attributes[i].name)})) {
            *attribute = call->attributes[i];
            *is_absent = false;
        }
    }
    if (*is_absent && !read_default(scope, text, attribute, is_absent)) {
        return false;
    }
    attribute->name = name;
    if (!*is_absent && attribute->kind == ONNX_ATTRIBUTE_GRAPH) {
        return onnx_fail(scope->reading->error, "attribute \"%.*s\" of a function is a graph, which is not supported",
                         shown(text), text.text);
    }
    if (!*is_absent && written->type != 0 && written->type != (int64_t)attribute->kind) {
        return onnx_fail(scope->reading->error, "attribute \"%.100s\" is of kind %" PRId64 ", \"%.*s\" of kind %d",
                         name, written->type, shown(text), text.text, (int)attribute->kind);
    }
    return true;
}

static bool read_node_attribute(struct scope *scope, struct onnx_wire wire, struct onnx_attribute *attribute,
                                bool *is_absent) {
    struct written written;
    *attribute = (struct onnx_attribute){.count = 0};
    *is_absent = false;
    if (!read_written(wire, &written)) {
        return false;
    }
    attribute->name = copy_text(scope, written.name);
    if (attribute->name == NULL) {
        return false;
    }
    return written.reference.length != 0 ? read_reference(scope, &written, attribute, is_absent)
                                         : read_content(scope, &written, attribute);
}

/* ---- functions ---- */

static const struct onnx_function *find_function(const struct scope *scope, const struct header *header) {
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

static bool add_node(struct scope *scope, struct onnx_node node) {
    struct draft *draft = scope->draft;
    if (!grow(&scope->reading->scratch, &draft->nodes, sizeof node, draft->node_count, &draft->node_room)) {
        return onnx_out_of_memory(scope->reading);
    }
    draft->nodes[draft->node_count++] = node;
    return true;
}

static bool version_of(struct scope *scope, const char *domain, uint32_t *version) {
    for (uint32_t i = 0; i < scope->opsets->count; i++) {
        if (strcmp(scope->opsets->items[i].domain, domain) == 0) {
            *version = scope->opsets->items[i].version;
            return true;
        }
    }
    return onnx_fail(scope->reading->error, "no operator set is imported for domain \"%.100s\"",
                     *domain != 0 ? domain : "ai.onnx");
}

/* Where a function's output is one of its inputs, or another output. */
static bool add_identity(struct scope *scope, uint32_t from, uint32_t to) {
    uint32_t *values = allocate(scope, 2, sizeof *values);
    struct onnx_node node = {.name = "", .domain = "", .op = "Identity", .input_count = 1, .output_count = 1};
    if (values == NULL || !version_of(scope, "", &node.version)) {
        return false;
    }
    values[0] = from;
    values[1] = to;
    node.inputs = values;
    node.outputs = values + 1;
    return add_node(scope, node);
}

/* Gives a function's inputs, or outputs, the values of the call. */
static bool bind(struct scope *scope, uint32_t number, uint32_t count, const uint32_t *values, bool is_output) {
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
            return onnx_fail(scope->reading->error, "input \"%.*s\" of a function is there twice", shown(text),
                             text.text);
        }
        if (!name_value(scope, text, value)) {
            return false;
        }
        scope->names.entries[scope->names.count - 1].is_promised = is_output;
    }
    return (i >= count && !wire.is_broken) ||
           onnx_fail(scope->reading->error, "%" PRIu32 " %s, the function has %" PRIu32, count,
                     is_output ? "outputs" : "inputs", i);
}

static bool inline_call(struct scope *scope, const struct onnx_function *function, const struct onnx_node *node) {
    const struct call call = {function, node->attributes, node->attribute_count};
    struct scope inner = {.reading = scope->reading,
                          .functions = scope->functions,
                          .opsets = &function->opsets,
                          .call = &call,
                          .draft = scope->draft,
                          .names = {.arena = &scope->reading->scratch},
                          .depth = scope->depth + 1};
    if (inner.depth > MAX_DEPTH) {
        return onnx_fail(scope->reading->error, "functions and bodies are more than %d deep, or call themselves",
                         MAX_DEPTH);
    }
    if (!charge(scope, (size_t)(function->wire.end - function->wire.at)) ||
        !bind(&inner, 4, node->input_count, node->inputs, false) ||
        !bind(&inner, 5, node->output_count, node->outputs, true) || !read_body_of(&inner, function)) {
        return false;
    }
    for (uint32_t i = 0; i < inner.names.count; i++) {
        const struct onnx_name *name = &inner.names.entries[i];
        if (name->is_promised) {
            return onnx_fail(scope->reading->error, "the function does not make its output \"%.*s\"", shown(name->text),
                             name->text.text);
        }
    }
    return true;
}

/* ---- nodes ---- */

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
static bool fail_in_node(struct scope *scope, const struct header *header) {
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
    return onnx_fail(error, "node \"%.*s\" (%.*s): %s", shown(name), name.text, shown(header->op), header->op.text,
                     inner.text);
}

/* Values of a field's names; empty ones are absent. */
static bool read_values(struct scope *scope, struct onnx_wire wire, uint32_t number, size_t count,
                        const uint32_t **list, uint32_t *listed) {
    struct onnx_field field;
    if (count >= ONNX_NONE) {
        return onnx_fail(scope->reading->error, "too many inputs or outputs");
    }
    uint32_t *values = allocate(scope, count, sizeof *values);
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
        if (text.length != 0 && !resolve(scope, text, &values[*listed])) {
            return false;
        }
        ++*listed;
    }
    return values != NULL && !wire.is_broken;
}

static bool read_attributes(struct scope *scope, const struct header *header, struct onnx_node *node) {
    struct onnx_wire wire = header->wire;
    struct onnx_field field;
    if (header->attribute_count > MAX_ATTRIBUTES) {
        return onnx_fail(scope->reading->error, "more than %d attributes", MAX_ATTRIBUTES);
    }
    struct onnx_attribute *attributes = allocate(scope, header->attribute_count, sizeof *attributes);
    node->attributes = attributes;
    while (attributes != NULL && onnx_wire_next(&wire, &field)) {
        struct onnx_wire message;
        bool is_absent;
        if (field.number != 5) {
            continue;
        }
        if (!onnx_wire_message(&wire, &field, &message) ||
            !read_node_attribute(scope, message, &attributes[node->attribute_count], &is_absent)) {
            return false;
        }
        node->attribute_count += !is_absent;
    }
    return attributes != NULL && !wire.is_broken;
}

static bool read_node(struct scope *scope, const struct header *header) {
    struct onnx_node node = {.name = copy_text(scope, header->name),
                             .domain = copy_domain(scope, header->domain),
                             .op = copy_text(scope, header->op)};
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
    return version_of(scope, node.domain, &node.version) && add_node(scope, node);
}

static bool define_outputs(struct scope *scope, const struct header *header) {
    struct onnx_wire wire = header->wire;
    struct onnx_field field;
    if (header->op.length == 0) {
        return onnx_fail(scope->reading->error, "it has no operator");
    }
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_text text;
        uint32_t value;
        if (field.number == 2 &&
            (!onnx_wire_text(&wire, &field, &text) || (text.length != 0 && !define(scope, text, &value)))) {
            return false;
        }
    }
    return !wire.is_broken;
}

/* Applies something to each node of a field. */
static bool for_nodes(struct scope *scope, struct onnx_wire wire, uint32_t number,
                      bool (*apply)(struct scope *scope, const struct header *header)) {
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

/* First what nodes make, since some stand before those whose outputs they read. */
static bool read_body_of(struct scope *scope, const struct onnx_function *function) {
    return for_nodes(scope, function->wire, 7, define_outputs) && read_value_infos(scope, function->wire, 12) &&
           for_nodes(scope, function->wire, 7, read_node);
}

/* ---- graphs ---- */

static bool read_initializer(struct scope *scope, struct onnx_wire wire) {
    struct onnx_data *tensor = allocate(scope, 1, sizeof *tensor);
    const char *name;
    uint32_t number;
    if (tensor == NULL || !onnx_tensor_read(scope->reading, wire, tensor, &name)) {
        return false;
    }
    if (*name == 0) {
        return onnx_fail(scope->reading->error, "an initializer has no name");
    }
    if (!define(scope, (struct onnx_text){name, strlen(name)}, &number)) {
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

static bool read_initializers(struct scope *scope, struct onnx_wire wire) {
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

/* An input of the graph; those that are initializers too stay constants, and are left out. */
static bool read_input(struct scope *scope, struct onnx_wire wire, uint32_t *inputs, uint32_t *count) {
    struct onnx_wire type;
    struct onnx_text text;
    bool has_type;
    uint32_t number;
    if (!read_value_info(wire, &text, &type, &has_type)) {
        return false;
    }
    if (text.length == 0) {
        return onnx_fail(scope->reading->error, "an input of the graph has no name");
    }
    const struct onnx_name *name = onnx_names_find(&scope->names, text);
    if (name != NULL && scope->draft->values[name->number].constant != NULL) {
        return true;
    }
    if (!define(scope, text, &number)) {
        return false;
    }
    inputs[(*count)++] = number;
    return !has_type || set_type(scope, number, type);
}

static bool read_inputs(struct scope *scope, struct onnx_wire wire, struct onnx_graph *graph) {
    struct onnx_field field;
    size_t count;
    if (!onnx_wire_fields(wire, 11, &count)) {
        return false;
    }
    uint32_t *inputs = allocate(scope, count, sizeof *inputs);
    graph->inputs = inputs;
    while (inputs != NULL && onnx_wire_next(&wire, &field)) {
        struct onnx_wire message;
        if (field.number == 11 &&
            (!onnx_wire_message(&wire, &field, &message) || !read_input(scope, message, inputs, &graph->input_count))) {
            return false;
        }
    }
    return inputs != NULL && !wire.is_broken;
}

static bool read_outputs(struct scope *scope, struct onnx_wire wire, struct onnx_graph *graph) {
    struct onnx_field field;
    size_t count;
    if (!onnx_wire_fields(wire, 12, &count)) {
        return false;
    }
    uint32_t *outputs = allocate(scope, count, sizeof *outputs);
    graph->outputs = outputs;
    while (outputs != NULL && onnx_wire_next(&wire, &field)) {
        struct onnx_wire message, type;
        struct onnx_text text;
        bool has_type;
        if (field.number != 12) {
            continue;
        }
        if (!onnx_wire_message(&wire, &field, &message) || !read_value_info(message, &text, &type, &has_type) ||
            !resolve(scope, text, &outputs[graph->output_count])) {
            return false;
        }
        if (outputs[graph->output_count++] == ONNX_NONE) {
            return onnx_fail(scope->reading->error, "output \"%.*s\" of a body is absent", shown(text), text.text);
        }
    }
    return outputs != NULL && !wire.is_broken;
}

static bool read_graph_name(struct scope *scope, struct onnx_wire wire, struct onnx_graph *graph) {
    struct onnx_field field;
    struct onnx_text name = {"", 0};
    while (onnx_wire_next(&wire, &field)) {
        if (field.number == 2) {
            onnx_wire_text(&wire, &field, &name);
        }
    }
    graph->name = wire.is_broken ? NULL : copy_text(scope, name);
    return graph->name != NULL;
}

/* Out of scratch memory. */
static bool keep(struct scope *scope, struct onnx_graph *graph) {
    const struct draft *draft = scope->draft;
    graph->values = allocate(scope, draft->value_count, sizeof *graph->values);
    graph->nodes = allocate(scope, draft->node_count, sizeof *graph->nodes);
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
static bool read_graph(struct scope *outer, const struct scope *like, struct onnx_wire wire, struct onnx_graph *graph) {
    struct draft draft = {.value_count = 0};
    struct scope scope = *like;
    scope.outer = outer;
    scope.draft = &draft;
    scope.names = (struct onnx_names){.arena = &like->reading->scratch};
    scope.depth++;
    if (scope.depth > MAX_DEPTH) {
        return onnx_fail(scope.reading->error, "bodies are more than %d deep", MAX_DEPTH);
    }
    return read_graph_name(&scope, wire, graph) && read_initializers(&scope, wire) &&
           read_inputs(&scope, wire, graph) && for_nodes(&scope, wire, 1, define_outputs) &&
           read_value_infos(&scope, wire, 12) && read_value_infos(&scope, wire, 13) &&
           for_nodes(&scope, wire, 1, read_node) && read_outputs(&scope, wire, graph) && keep(&scope, graph);
}

bool onnx_graph_read(struct onnx_reading *reading, struct onnx_functions *functions, const struct onnx_opsets *opsets,
                     struct onnx_wire wire, struct onnx_graph *graph) {
    const struct scope like = {.reading = reading, .functions = functions, .opsets = opsets};
    return read_graph(NULL, &like, wire, graph);
}

/* ---- operator sets and functions ---- */

static bool read_opset(struct onnx_reading *reading, struct onnx_wire wire, struct onnx_opset *opset) {
    struct onnx_field field;
    struct onnx_text domain = {"", 0};
    int64_t version = 0;
    while (onnx_wire_next(&wire, &field)) {
        if (field.number == 1) {
            onnx_wire_text(&wire, &field, &domain);
        } else if (field.number == 2) {
            onnx_wire_int(&wire, &field, &version);
        }
    }
    if (wire.is_broken) {
        return false;
    }
    if (version < 1 || version > INT32_MAX) {
        return onnx_fail(reading->error, "operator set \"%.*s\" has version %" PRId64, shown(domain), domain.text,
                         version);
    }
    const bool is_default = onnx_text_equals(domain, (struct onnx_text){"ai.onnx", 7});
    opset->domain = is_default ? "" : onnx_copy_text(reading->arena, domain.text, domain.length);
    opset->version = (uint32_t)version;
    return opset->domain != NULL || onnx_out_of_memory(reading);
}

bool onnx_opsets_read(struct onnx_reading *reading, struct onnx_wire wire, uint32_t number,
                      struct onnx_opsets *opsets) {
    struct onnx_field field;
    size_t count;
    if (!onnx_wire_fields(wire, number, &count)) {
        return false;
    }
    if (count > MAX_OPSETS) {
        return onnx_fail(reading->error, "more than %d operator sets are imported", MAX_OPSETS);
    }
    *opsets = (struct onnx_opsets){.items = onnx_allocate(reading->arena, count, sizeof *opsets->items)};
    if (opsets->items == NULL) {
        return onnx_out_of_memory(reading);
    }
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire message;
        if (field.number == number && (!onnx_wire_message(&wire, &field, &message) ||
                                       !read_opset(reading, message, &opsets->items[opsets->count++]))) {
            return false;
        }
    }
    return !wire.is_broken;
}

static bool read_function(struct onnx_reading *reading, struct onnx_wire wire, struct onnx_function *function) {
    struct onnx_field field;
    *function = (struct onnx_function){
        .wire = wire, .name = {"", 0}, .domain = {"", 0}, .overload = {"", 0}, .next = ONNX_NONE};
    while (onnx_wire_next(&wire, &field)) {
        if (field.number == 1) {
            onnx_wire_text(&wire, &field, &function->name);
        } else if (field.number == 10) {
            onnx_wire_text(&wire, &field, &function->domain);
        } else if (field.number == 13) {
            onnx_wire_text(&wire, &field, &function->overload);
        }
    }
    if (onnx_text_equals(function->domain, (struct onnx_text){"ai.onnx", 7})) {
        function->domain.length = 0;
    }
    return !wire.is_broken && onnx_opsets_read(reading, function->wire, 9, &function->opsets);
}

static bool name_function(struct onnx_reading *reading, struct onnx_functions *functions, uint32_t number) {
    struct onnx_function *function = &functions->items[number];
    struct onnx_name *name = onnx_names_find(&functions->names, function->name);
    if (name == NULL) {
        return onnx_names_add(&functions->names, function->name, number) || onnx_out_of_memory(reading);
    }
    uint32_t overloads = 1;
    for (uint32_t i = name->number; i != ONNX_NONE; i = functions->items[i].next) {
        const struct onnx_function *other = &functions->items[i];
        if (++overloads > MAX_OVERLOADS || (onnx_text_equals(other->domain, function->domain) &&
                                            onnx_text_equals(other->overload, function->overload))) {
            return onnx_fail(reading->error, "function \"%.*s\" is there twice, or in more than %d overloads",
                             shown(function->name), function->name.text, MAX_OVERLOADS);
        }
    }
    function->next = name->number;
    name->number = number;
    return true;
}

bool onnx_functions_read(struct onnx_reading *reading, struct onnx_wire wire, uint32_t number, size_t bytes,
                         struct onnx_functions *functions) {
    struct onnx_field field;
    size_t count;
    /* A function that calls one twice that calls one twice, and so on, is soon larger than memory. */
    *functions = (struct onnx_functions){.names = {.arena = &reading->scratch}, .room = ((uint64_t)4 << 20)};
    functions->room += (uint64_t)bytes * 64;
    if (!onnx_wire_fields(wire, number, &count)) {
        return false;
    }
    functions->items = onnx_allocate(&reading->scratch, count, sizeof *functions->items);
    if (functions->items == NULL || count >= ONNX_NONE) {
        return onnx_out_of_memory(reading);
    }
    for (uint32_t i = 0; onnx_wire_next(&wire, &field);) {
        struct onnx_wire message;
        if (field.number != number) {
            continue;
        }
        struct onnx_function *function = &functions->items[i];
        if (!onnx_wire_message(&wire, &field, &message) || !read_function(reading, message, function)) {
            return false;
        }
        if (!name_function(reading, functions, i++)) {
            return false;
        }
    }
    return !wire.is_broken;
}
