#include "onnx/scope.h"

#include <inttypes.h>
#include <string.h>

struct visible_text onnx_show(struct onnx_text text) {
    return visible_bytes(text.text, text.length);
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

void *onnx_scope_allocate(struct onnx_scope *scope, size_t count, size_t size) {
    void *memory = onnx_allocate(scope->reading->arena, count, size);
    if (memory == NULL) {
        onnx_out_of_memory(scope->reading);
    }
    return memory;
}

const char *onnx_scope_text(struct onnx_scope *scope, struct onnx_text text) {
    const char *copy = onnx_copy_text(scope->reading->arena, text.text, text.length);
    if (copy == NULL) {
        onnx_out_of_memory(scope->reading);
    }
    return copy;
}

bool onnx_charge(struct onnx_scope *scope, size_t bytes) {
    return onnx_expand(&scope->functions->expansion, onnx_expansion_units(bytes), scope->reading->error);
}

/* ---- values ---- */

bool onnx_name_value(struct onnx_scope *scope, struct onnx_text text, uint32_t value) {
    return onnx_names_add(&scope->names, text, value) || onnx_out_of_memory(scope->reading);
}

static bool add_value(struct onnx_scope *scope, struct onnx_value value, uint32_t *number) {
    struct onnx_draft *draft = scope->draft;
    if (!grow(&scope->reading->scratch, &draft->values, sizeof value, draft->value_count, &draft->value_room)) {
        return onnx_out_of_memory(scope->reading);
    }
    *number = draft->value_count;
    draft->values[draft->value_count++] = value;
    return true;
}

bool onnx_define(struct onnx_scope *scope, struct onnx_text text, uint32_t *number) {
    struct onnx_name *name = onnx_names_find(&scope->names, text);
    if (name != NULL && name->is_promised) {
        name->is_promised = false;
        *number = name->number;
        return true;
    }
    if (name != NULL) {
        return onnx_fail(scope->reading->error, "value \"%s\" is made more than once", onnx_show(text).text);
    }
    struct onnx_value value = {.name = onnx_scope_text(scope, text), .outer = ONNX_NONE};
    return value.name != NULL && add_value(scope, value, number) &&
           onnx_name_value(scope, (struct onnx_text){value.name, text.length}, *number);
}

bool onnx_resolve(struct onnx_scope *scope, struct onnx_text text, uint32_t *number) {
    const struct onnx_name *name = onnx_names_find(&scope->names, text);
    if (name != NULL) {
        *number = name->number;
        return true;
    }
    if (scope->outer == NULL) {
        return onnx_fail(scope->reading->error, "value \"%s\" is read, but nothing makes it", onnx_show(text).text);
    }
    uint32_t outer;
    if (!onnx_resolve(scope->outer, text, &outer)) {
        return false;
    }
    if (outer == ONNX_NONE) {
        *number = ONNX_NONE;
        return true;
    }
    struct onnx_value value = scope->outer->draft->values[outer];
    value.outer = outer;
    return add_value(scope, value, number) && onnx_name_value(scope, text, *number);
}

bool onnx_add_node(struct onnx_scope *scope, struct onnx_node node) {
    struct onnx_draft *draft = scope->draft;
    if (!grow(&scope->reading->scratch, &draft->nodes, sizeof node, draft->node_count, &draft->node_room)) {
        return onnx_out_of_memory(scope->reading);
    }
    draft->nodes[draft->node_count++] = node;
    return true;
}

/* ---- types of values ---- */

static bool read_dimension(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_value *value) {
    struct onnx_field field;
    int64_t size = -1;
    struct onnx_text symbol = {"", 0};
    if (value->rank == ONNX_MAX_RANK) {
        return onnx_fail(scope->reading->error, "value \"%s\" has more than %d dimensions",
                         visible_text(value->name).text, ONNX_MAX_RANK);
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
        return onnx_fail(scope->reading->error, "value \"%s\": dimension %" PRIu32 " is %" PRId64,
                         visible_text(value->name).text, value->rank, size);
    }
    if (size < 0 && symbol.length != 0) {
        value->symbols[value->rank] = onnx_scope_text(scope, symbol);
        if (value->symbols[value->rank] == NULL) {
            return false;
        }
    }
    value->sizes[value->rank++] = size;
    return true;
}

static bool read_shape(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_value *value) {
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
static bool read_tensor_type(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_value *value) {
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

/* TypeProto: what is no tensor stays UNDEFINED. */
static bool read_type(struct onnx_scope *scope, struct onnx_wire wire, struct onnx_value *value) {
    static const unsigned char kinds[] = {[4] = ONNX_KIND_SEQUENCE,
                                          [5] = ONNX_KIND_MAP,
                                          [7] = ONNX_KIND_OPAQUE,
                                          [8] = ONNX_KIND_SPARSE_TENSOR,
                                          [9] = ONNX_KIND_OPTIONAL};
    struct onnx_field field;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire tensor;
        if (field.number < sizeof kinds && kinds[field.number] != 0) {
            value->kind = (enum onnx_kind)kinds[field.number];
        }
        if (field.number == 1 &&
            (!onnx_wire_message(&wire, &field, &tensor) || !read_tensor_type(scope, tensor, value))) {
            return false;
        }
    }
    return !wire.is_broken;
}

bool onnx_value_info_read(struct onnx_wire wire, struct onnx_text *name, struct onnx_wire *type, bool *has_type) {
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

bool onnx_set_type(struct onnx_scope *scope, uint32_t number, struct onnx_wire type) {
    struct onnx_value *value = &scope->draft->values[number];
    if (value->type != ONNX_UNDEFINED || value->constant != NULL) {
        return true;
    }
    value->has_shape = false;
    value->rank = 0;
    return read_type(scope, type, value);
}

bool onnx_set_input_type(struct onnx_scope *scope, uint32_t number, struct onnx_wire type) {
    struct onnx_value *value = &scope->draft->values[number], stated = {.name = value->name};
    if (!read_type(scope, type, &stated)) {
        return false;
    }
    if (stated.type == value->type) {
        value->has_shape = stated.has_shape;
        value->rank = stated.rank;
        memcpy(value->sizes, stated.sizes, sizeof value->sizes);
        memcpy(value->symbols, stated.symbols, sizeof value->symbols);
    }
    return true;
}

bool onnx_value_infos_read(struct onnx_scope *scope, struct onnx_wire wire, uint32_t number) {
    struct onnx_field field;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire info, type;
        struct onnx_text text;
        bool has_type;
        if (field.number != number) {
            continue;
        }
        if (!onnx_wire_message(&wire, &field, &info) || !onnx_value_info_read(info, &text, &type, &has_type)) {
            return false;
        }
        const struct onnx_name *name = onnx_names_find(&scope->names, text);
        if (name != NULL && name->number != ONNX_NONE && has_type && !onnx_set_type(scope, name->number, type)) {
            return false;
        }
    }
    return !wire.is_broken;
}
