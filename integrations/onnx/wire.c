#include "onnx/wire.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define MAX_GROUPS 64 /* one in another */

enum { GROUP_BEGIN = 3, GROUP_END = 4 };

struct onnx_wire onnx_wire_begin(const unsigned char *bytes, size_t length, struct onnx_error *error) {
    return (struct onnx_wire){.at = bytes, .end = bytes + length, .first = bytes, .error = error};
}

static bool break_off(struct onnx_wire *wire, const unsigned char *at, const char *why) {
    wire->is_broken = true;
    wire->at = wire->end;
    return onnx_fail(wire->error, "byte %zu of the file: %s", (size_t)(at - wire->first), why);
}

static bool take_varint(struct onnx_wire *wire, uint64_t *value) {
    const unsigned char *begin = wire->at;
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (wire->at == wire->end) {
            return break_off(wire, begin, "a number ends beyond its message");
        }
        const unsigned char byte = *wire->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return true;
        }
    }
    return break_off(wire, begin, "a number has more than 64 bits");
}

static bool take_fixed(struct onnx_wire *wire, size_t size, uint64_t *value) {
    *value = 0;
    if ((size_t)(wire->end - wire->at) < size) {
        return break_off(wire, wire->at, "a number ends beyond its message");
    }
    for (size_t i = 0; i < size; i++) {
        *value |= (uint64_t)*wire->at++ << 8 * i;
    }
    return true;
}

static bool take_tag(struct onnx_wire *wire, uint32_t *number, unsigned *kind) {
    const unsigned char *begin = wire->at;
    uint64_t tag;
    if (!take_varint(wire, &tag)) {
        return false;
    }
    *kind = (unsigned)(tag & 7);
    if (tag >> 3 == 0 || tag > UINT32_MAX) {
        return break_off(wire, begin, "this is no field, so the file is no ONNX model");
    }
    *number = (uint32_t)(tag >> 3);
    return true;
}

static bool take_value(struct onnx_wire *wire, const unsigned char *begin, unsigned kind, struct onnx_field *field) {
    field->value = 0;
    field->bytes = NULL;
    field->length = 0;
    switch (kind) {
    case ONNX_WIRE_VARINT:
        return take_varint(wire, &field->value);
    case ONNX_WIRE_FIXED64:
        return take_fixed(wire, 8, &field->value);
    case ONNX_WIRE_FIXED32:
        return take_fixed(wire, 4, &field->value);
    case ONNX_WIRE_BYTES: {
        uint64_t length;
        if (!take_varint(wire, &length)) {
            return false;
        }
        if (length > (size_t)(wire->end - wire->at)) {
            return break_off(wire, begin, "a field ends beyond its message");
        }
        field->bytes = wire->at;
        field->length = (size_t)length;
        wire->at += field->length;
        return true;
    }
    default:
        return break_off(wire, begin, "a field has no kind that is known, so the file is no ONNX model");
    }
}

/* From behind its beginning to behind its end. */
static bool skip_group(struct onnx_wire *wire, uint32_t number) {
    const unsigned char *begin = wire->at;
    uint32_t open[MAX_GROUPS], depth = 0;
    open[depth++] = number;
    while (depth > 0) {
        struct onnx_field field;
        const unsigned char *at = wire->at;
        unsigned kind;
        if (at == wire->end) {
            return break_off(wire, begin, "a group does not end");
        }
        if (!take_tag(wire, &number, &kind)) {
            return false;
        }
        if (kind == GROUP_BEGIN) {
            if (depth == MAX_GROUPS) {
                return break_off(wire, at, "more than 64 groups, one in another");
            }
            open[depth++] = number;
        } else if (kind == GROUP_END) {
            if (open[--depth] != number) {
                return break_off(wire, at, "the end of another group");
            }
        } else if (!take_value(wire, at, kind, &field)) {
            return false;
        }
    }
    return true;
}

bool onnx_wire_next(struct onnx_wire *wire, struct onnx_field *field) {
    while (wire->at != wire->end) {
        const unsigned char *begin = wire->at;
        unsigned kind;
        if (!take_tag(wire, &field->number, &kind)) {
            return false;
        }
        if (kind == GROUP_BEGIN) {
            if (!skip_group(wire, field->number)) {
                return false;
            }
            continue;
        }
        field->kind = (enum onnx_wire_kind)kind;
        return take_value(wire, begin, kind, field);
    }
    return false;
}

/* ---- what a field holds ---- */

static bool is_kind(struct onnx_wire *wire, const struct onnx_field *field, enum onnx_wire_kind kind) {
    return field->kind == kind || break_off(wire, wire->at, "the field before has a kind that is not its number's");
}

bool onnx_wire_int(struct onnx_wire *wire, const struct onnx_field *field, int64_t *value) {
    if (!is_kind(wire, field, ONNX_WIRE_VARINT)) {
        return false;
    }
    memcpy(value, &field->value, sizeof *value);
    return true;
}

bool onnx_wire_float(struct onnx_wire *wire, const struct onnx_field *field, float *value) {
    if (!is_kind(wire, field, ONNX_WIRE_FIXED32)) {
        return false;
    }
    const uint32_t bits = (uint32_t)field->value;
    memcpy(value, &bits, sizeof *value);
    return true;
}

bool onnx_wire_bytes(struct onnx_wire *wire, const struct onnx_field *field, struct onnx_text *bytes) {
    if (!is_kind(wire, field, ONNX_WIRE_BYTES)) {
        return false;
    }
    *bytes = (struct onnx_text){(const char *)field->bytes, field->length};
    return true;
}

bool onnx_wire_text(struct onnx_wire *wire, const struct onnx_field *field, struct onnx_text *text) {
    if (!onnx_wire_bytes(wire, field, text)) {
        return false;
    }
    return memchr(text->text, 0, text->length) == NULL || break_off(wire, field->bytes, "a name has a zero in it");
}

bool onnx_wire_message(struct onnx_wire *wire, const struct onnx_field *field, struct onnx_wire *message) {
    if (!is_kind(wire, field, ONNX_WIRE_BYTES)) {
        return false;
    }
    *message = (struct onnx_wire){
        .at = field->bytes, .end = field->bytes + field->length, .first = wire->first, .error = wire->error};
    return true;
}

/* ---- repeated fields ---- */

static size_t bytes_of(enum onnx_wire_kind kind) {
    return kind == ONNX_WIRE_FIXED32 ? 4 : 8;
}

static bool count_packed(struct onnx_wire *wire, const struct onnx_field *field, enum onnx_wire_kind kind,
                         size_t *count) {
    if (kind != ONNX_WIRE_VARINT) {
        *count += field->length / bytes_of(kind);
        return field->length % bytes_of(kind) == 0 || break_off(wire, field->bytes, "a list ends within a number");
    }
    for (size_t i = 0; i < field->length; i++) {
        *count += field->bytes[i] < 128;
    }
    return field->length == 0 || field->bytes[field->length - 1] < 128 ||
           break_off(wire, field->bytes, "a list ends within a number");
}

bool onnx_wire_count(struct onnx_wire wire, uint32_t number, enum onnx_wire_kind kind, size_t *count) {
    struct onnx_field field;
    *count = 0;
    while (onnx_wire_next(&wire, &field)) {
        if (field.number != number) {
            continue;
        }
        if (field.kind == ONNX_WIRE_BYTES) {
            if (!count_packed(&wire, &field, kind, count)) {
                return false;
            }
        } else if (!is_kind(&wire, &field, kind)) {
            return false;
        } else {
            ++*count;
        }
    }
    return !wire.is_broken;
}

static bool store_packed(struct onnx_wire *wire, const struct onnx_field *field, enum onnx_wire_kind kind, size_t size,
                         unsigned char **place) {
    struct onnx_wire list = {
        .at = field->bytes, .end = field->bytes + field->length, .first = wire->first, .error = wire->error};
    if (kind != ONNX_WIRE_VARINT && size == bytes_of(kind)) {
        if (field->length != 0) {
            memcpy(*place, field->bytes, field->length);
        }
        *place += field->length;
        return true;
    }
    while (list.at != list.end) {
        uint64_t value;
        if (!(kind == ONNX_WIRE_VARINT ? take_varint(&list, &value) : take_fixed(&list, bytes_of(kind), &value))) {
            return false;
        }
        memcpy(*place, &value, size);
        *place += size;
    }
    return true;
}

bool onnx_wire_store(struct onnx_wire wire, uint32_t number, enum onnx_wire_kind kind, size_t size, void *elements) {
    struct onnx_field field;
    unsigned char *place = elements;
    while (onnx_wire_next(&wire, &field)) {
        if (field.number != number) {
            continue;
        }
        if (field.kind == ONNX_WIRE_BYTES) {
            if (!store_packed(&wire, &field, kind, size, &place)) {
                return false;
            }
        } else {
            memcpy(place, &field.value, size);
            place += size;
        }
    }
    return !wire.is_broken;
}

bool onnx_wire_fields(struct onnx_wire wire, uint32_t number, size_t *count) {
    struct onnx_field field;
    *count = 0;
    while (onnx_wire_next(&wire, &field)) {
        *count += field.number == number;
    }
    return !wire.is_broken;
}
