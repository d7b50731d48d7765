/* Reading operator sets and FunctionProto. */
#include <inttypes.h>

#include "onnx/scope.h"

/* Lists that are looked through from end to end are not to be long: time would grow by their square. */
#define MAX_OPSETS    1024
#define MAX_OVERLOADS 64

/* Later operator sets may give operators other meanings. */
#define NEWEST_OPSET 28

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
        return onnx_fail(reading->error, "operator set \"%s\" has version %" PRId64, onnx_show(domain).text,
                         version);
    }
    const bool is_default = domain.length == 0 || onnx_text_equals(domain, (struct onnx_text){"ai.onnx", 7});
    if (is_default && version > NEWEST_OPSET) {
        return onnx_fail(reading->error,
                         "operator set %" PRId64 " of ai.onnx is not supported: %d is the newest that is known",
                         version, NEWEST_OPSET);
    }
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
            return onnx_fail(reading->error, "function \"%s\" is there twice, or in more than %d overloads",
                             onnx_show(function->name).text, MAX_OVERLOADS);
        }
    }
    function->next = name->number;
    name->number = number;
    return true;
}

bool onnx_functions_read(struct onnx_reading *reading, struct onnx_wire wire, uint32_t number,
                         struct onnx_functions *functions) {
    struct onnx_field field;
    size_t count;
    functions->names = (struct onnx_names){.arena = &reading->scratch};
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
