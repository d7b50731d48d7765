/* Reading AttributeProto. */
#include <inttypes.h>
#include <string.h>

#include "onnx/scope.h"

static bool read_strings(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number,
                         struct onnx_attribute *attribute) {
    struct onnx_field field;
    size_t i = 0;
    if (!onnx_wire_fields(wire, number, &attribute->count)) {
        return false;
    }
    attribute->strings = onnx_scope_allocate(scope, attribute->count, sizeof *attribute->strings);
    while (attribute->strings != NULL && onnx_wire_next(&wire, &field)) {
        struct onnx_text text;
        if (field.number != number) {
            continue;
        }
        if (!onnx_wire_bytes(&wire, &field, &text)) {
            return false;
        }
        attribute->strings[i] = onnx_scope_text(scope, text);
        if (attribute->strings[i++] == NULL) {
            return false;
        }
    }
    return attribute->strings != NULL && !wire.is_broken;
}

static void *read_numbers(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number, enum onnx_wire_kind kind,
                          size_t size, size_t *count) {
    if (!onnx_wire_count(wire, number, kind, count)) {
        return NULL;
    }
    void *numbers = onnx_scope_allocate(scope, *count, size);
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
    static const unsigned char kinds[] = {
        [2] = ONNX_ATTRIBUTE_FLOAT,  [3] = ONNX_ATTRIBUTE_INT,    [4] = ONNX_ATTRIBUTE_STRING,
        [5] = ONNX_ATTRIBUTE_TENSOR, [6] = ONNX_ATTRIBUTE_GRAPH,  [7] = ONNX_ATTRIBUTE_FLOATS,
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

static bool read_float(struct onnx_scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    float *number = onnx_scope_allocate(scope, 1, sizeof *number);
    if (number != NULL) {
        *number = written->number;
    }
    attribute->floats = number;
    return number != NULL;
}

static bool read_int(struct onnx_scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    int64_t *number = onnx_scope_allocate(scope, 1, sizeof *number);
    if (number != NULL) {
        *number = written->integer;
    }
    attribute->ints = number;
    return number != NULL;
}

static bool read_string(struct onnx_scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    attribute->strings = onnx_scope_allocate(scope, 1, sizeof *attribute->strings);
    return attribute->strings != NULL && (attribute->strings[0] = onnx_scope_text(scope, written->string)) != NULL;
}

static bool read_tensor(struct onnx_scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    const char *name;
    if (!written->has_tensor) {
        return onnx_fail(scope->reading->error, "attribute \"%s\" lacks its tensor",
                         visible_text(attribute->name).text);
    }
    return onnx_tensor_read(scope->reading, written->tensor, &attribute->tensor, &name);
}

static bool read_body(struct onnx_scope *scope, const struct written *written, struct onnx_attribute *attribute) {
    if (!written->has_graph) {
        return onnx_fail(scope->reading->error, "attribute \"%s\" lacks its graph", visible_text(attribute->name).text);
    }
    attribute->graph = onnx_scope_allocate(scope, 1, sizeof *attribute->graph);
    return attribute->graph != NULL && onnx_body_read(scope, written->graph, attribute->graph);
}

static bool read_content(struct onnx_scope *scope, const struct written *written, struct onnx_attribute *attribute) {
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
        return onnx_fail(scope->reading->error, "attribute \"%s\" is of kind %" PRId64 ", which is not supported",
                         visible_text(attribute->name).text, written->type);
    }
}

/* The default that a function has for an attribute. */
static bool read_default(struct onnx_scope *scope, struct onnx_text text, struct onnx_attribute *attribute,
                         bool *is_absent) {
    struct onnx_wire wire = scope->call->function->wire;
    struct onnx_field field;
    if (!onnx_charge(scope, (size_t)(wire.end - wire.at) / 16)) {
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
                                   "attribute \"%s\" of a function is a graph, which is not "
                                   "supported",
                                   onnx_show(text).text);
        }
    }
    return !wire.is_broken;
}

/* What a function's node takes from the call; absent where neither the call nor the function has it. */
static bool read_reference(struct onnx_scope *scope, const struct written *written, struct onnx_attribute *attribute,
                           bool *is_absent) {
    const struct onnx_scope_call *call = scope->call;
    const struct onnx_text text = written->reference;
    if (call == NULL) {
        return onnx_fail(scope->reading->error, "attribute \"%s\" refers to \"%s\", but is in no function",
                         visible_text(attribute->name).text, onnx_show(text).text);
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
        return onnx_fail(scope->reading->error, "attribute \"%s\" of a function is a graph, which is not supported",
                         onnx_show(text).text);
    }
    if (!*is_absent && written->type != 0 && written->type != (int64_t)attribute->kind) {
        return onnx_fail(scope->reading->error, "attribute \"%s\" is of kind %" PRId64 ", \"%s\" of kind %d",
                         visible_text(name).text, written->type, onnx_show(text).text, (int)attribute->kind);
    }
    return true;
}

bool onnx_attribute_read(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_attribute *attribute,
                         bool *is_absent) {
    struct written written;
    *attribute = (struct onnx_attribute){.count = 0};
    *is_absent = false;
    if (!read_written(wire, &written)) {
        return false;
    }
    attribute->name = onnx_scope_text(scope, written.name);
    if (attribute->name == NULL) {
        return false;
    }
    return written.reference.length != 0 ? read_reference(scope, &written, attribute, is_absent)
                                         : read_content(scope, &written, attribute);
}
