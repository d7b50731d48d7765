#include "onnx/read_tensor.h"

#include <inttypes.h>
#include <string.h>

#include "text/visible_text.h"

/* TensorProto's fields. */
enum {
    DIMS = 1,
    DATA_TYPE = 2,
    SEGMENT = 3,
    FLOAT_DATA = 4,
    INT32_DATA = 5,
    STRING_DATA = 6,
    INT64_DATA = 7,
    NAME = 8,
    RAW_DATA = 9,
    DOUBLE_DATA = 10,
    UINT64_DATA = 11,
    EXTERNAL_DATA = 13,
    DATA_LOCATION = 14,
};

/* Where elements of a type are, but for raw ones: `size` bytes of each number of a field. */
static const struct {
    uint32_t field;
    enum onnx_wire_kind kind;
    size_t size;
} typed_fields[] = {
    [ONNX_FLOAT] = {FLOAT_DATA, ONNX_WIRE_FIXED32, 4},     [ONNX_UINT8] = {INT32_DATA, ONNX_WIRE_VARINT, 1},
    [ONNX_INT8] = {INT32_DATA, ONNX_WIRE_VARINT, 1},       [ONNX_UINT16] = {INT32_DATA, ONNX_WIRE_VARINT, 2},
    [ONNX_INT16] = {INT32_DATA, ONNX_WIRE_VARINT, 2},      [ONNX_INT32] = {INT32_DATA, ONNX_WIRE_VARINT, 4},
    [ONNX_INT64] = {INT64_DATA, ONNX_WIRE_VARINT, 8},      [ONNX_BOOL] = {INT32_DATA, ONNX_WIRE_VARINT, 1},
    [ONNX_FLOAT16] = {INT32_DATA, ONNX_WIRE_VARINT, 2},    [ONNX_DOUBLE] = {DOUBLE_DATA, ONNX_WIRE_FIXED64, 8},
    [ONNX_UINT32] = {UINT64_DATA, ONNX_WIRE_VARINT, 4},    [ONNX_UINT64] = {UINT64_DATA, ONNX_WIRE_VARINT, 8},
    [ONNX_COMPLEX64] = {FLOAT_DATA, ONNX_WIRE_FIXED32, 4}, [ONNX_COMPLEX128] = {DOUBLE_DATA, ONNX_WIRE_FIXED64, 8},
    [ONNX_BFLOAT16] = {INT32_DATA, ONNX_WIRE_VARINT, 2},   [ONNX_UINT4] = {INT32_DATA, ONNX_WIRE_VARINT, 1},
    [ONNX_INT4] = {INT32_DATA, ONNX_WIRE_VARINT, 1},
};

/* A tensor as it is written. Functions below take its name as reasons show it. */
struct written {
    struct onnx_wire wire; /* its fields */
    struct onnx_text name, raw;
    int64_t type, location;
    bool has_raw, has_segment;
};

bool onnx_out_of_memory(struct onnx_reading *reading) {
    return onnx_fail_memory(reading->error);
}

static bool read_fields(struct onnx_wire wire, struct written *written) {
    struct onnx_field field;
    *written = (struct written){.wire = wire, .name = {"", 0}};
    while (onnx_wire_next(&wire, &field)) {
        switch (field.number) {
        case DATA_TYPE:
            onnx_wire_int(&wire, &field, &written->type);
            break;
        case NAME:
            onnx_wire_text(&wire, &field, &written->name);
            break;
        case RAW_DATA:
            written->has_raw = onnx_wire_bytes(&wire, &field, &written->raw);
            break;
        case DATA_LOCATION:
            onnx_wire_int(&wire, &field, &written->location);
            break;
        case SEGMENT:
            written->has_segment = true;
            break;
        default:
            break;
        }
    }
    return !wire.is_broken;
}

/* Elements, of a product that 64 bits hold. */
static bool read_sizes(struct onnx_reading *reading, const struct written *written, const char *name,
                       struct onnx_data *tensor, uint64_t *elements) {
    int64_t sizes[ONNX_MAX_RANK];
    size_t rank;
    if (!onnx_wire_count(written->wire, DIMS, ONNX_WIRE_VARINT, &rank)) {
        return false;
    }
    if (rank > ONNX_MAX_RANK) {
        return onnx_fail(reading->error, "tensor \"%s\" has %zu dimensions, at most %d are supported", name, rank,
                         ONNX_MAX_RANK);
    }
    if (!onnx_wire_store(written->wire, DIMS, ONNX_WIRE_VARINT, sizeof sizes[0], sizes)) {
        return false;
    }
    tensor->rank = (uint32_t)rank;
    *elements = 1;
    for (size_t i = 0; i < rank; i++) {
        if (sizes[i] < 0 || sizes[i] > UINT32_MAX) {
            return onnx_fail(reading->error, "tensor \"%s\": dimension %zu is %" PRId64 ", must be of 32 bits",
                             name, i, sizes[i]);
        }
        const uint64_t size = (uint64_t)sizes[i];
        if (size != 0 && *elements > UINT64_MAX / size) {
            return onnx_fail(reading->error, "tensor \"%s\" has more than 2^64 - 1 elements", name);
        }
        tensor->sizes[i] = (uint32_t)size;
        *elements *= size;
    }
    return true;
}

/* ---- external data ---- */

static bool read_number(struct onnx_text text, uint64_t *number) {
    *number = 0;
    for (size_t i = 0; i < text.length; i++) {
        const unsigned digit = (unsigned)text.text[i] - '0';
        if (digit > 9 || *number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *number = 10 * *number + digit;
    }
    return text.length != 0;
}

static bool is_text(struct onnx_text text, const char *expected) {
    return onnx_text_equals(text, (struct onnx_text){expected, strlen(expected)});
}

struct place {
    struct onnx_text location;
    uint64_t offset, length;
    bool has_length;
};

/* StringStringEntryProto. */
static bool read_entry(struct onnx_reading *reading, struct onnx_wire wire, const char *name, struct place *place) {
    struct onnx_text key = {"", 0}, value = {"", 0};
    struct onnx_field field;
    while (onnx_wire_next(&wire, &field)) {
        if (field.number == 1 || field.number == 2) {
            onnx_wire_text(&wire, &field, field.number == 1 ? &key : &value);
        }
    }
    if (wire.is_broken) {
        return false;
    }
    bool is_number = true;
    if (is_text(key, "location")) {
        place->location = value;
    } else if (is_text(key, "offset")) {
        is_number = read_number(value, &place->offset);
    } else if (is_text(key, "length")) {
        is_number = place->has_length = read_number(value, &place->length);
    }
    return is_number ||
           onnx_fail(reading->error, "tensor \"%s\": external data's %s is no number", name,
                     visible_bytes(key.text, key.length).text);
}

static bool read_external(struct onnx_reading *reading, struct onnx_wire wire, const char *name,
                          struct onnx_data *tensor) {
    struct place place = {.location = {"", 0}};
    struct onnx_field field;
    while (onnx_wire_next(&wire, &field)) {
        struct onnx_wire entry;
        if (field.number == EXTERNAL_DATA &&
            (!onnx_wire_message(&wire, &field, &entry) || !read_entry(reading, entry, name, &place))) {
            return false;
        }
    }
    uint32_t file;
    const unsigned char *bytes;
    if (wire.is_broken || !onnx_external_find(&reading->external, place.location, &file, reading->error)) {
        return false;
    }
    if (place.has_length && place.length != tensor->bytes) {
        return onnx_fail(reading->error, "tensor \"%s\" has %" PRIu64 " bytes of data, its shape takes %zu", name,
                         place.length, tensor->bytes);
    }
    const uint64_t length = reading->external.files[file].length;
    if (place.offset > length || tensor->bytes > length - place.offset) {
        return onnx_fail(reading->error,
                         "tensor \"%s\" takes %zu bytes from byte %" PRIu64 " of a file that has %" PRIu64, name,
                         tensor->bytes, place.offset, length);
    }
    if (!onnx_external_read(&reading->external, file, place.offset, tensor->bytes, reading->arena, &bytes,
                            reading->error)) {
        return false;
    }
    tensor->data = bytes;
    return true;
}

/* ---- data ---- */

static size_t alignment_of(enum onnx_type type) {
    const size_t size = onnx_bytes_of(type, 1);
    return size < 8 ? size : 8;
}

static bool copy(struct onnx_reading *reading, const unsigned char *bytes, struct onnx_data *tensor) {
    void *copied = onnx_allocate(reading->arena, tensor->bytes, 1);
    if (copied == NULL) {
        return onnx_out_of_memory(reading);
    }
    memcpy(copied, bytes, tensor->bytes);
    tensor->data = copied;
    return true;
}

/* Bytes where they are, or a copy where they are not aligned. Of a file they are where it is mapped, if there are many,
 * and else a copy: what was read of it will be freed. */
static bool keep(struct onnx_reading *reading, const unsigned char *bytes, struct onnx_data *tensor) {
    const size_t offset = reading->mapped == NULL ? 0 : (size_t)(bytes - reading->bytes);
    const bool has_words = tensor->bytes % 4 == 0 || reading->length - offset - tensor->bytes >= 4;
    if (reading->mapped != NULL && tensor->bytes > ONNX_MOST_COPIED && has_words) {
        tensor->data = reading->mapped + offset;
        return true;
    }
    tensor->data = bytes;
    return (reading->mapped == NULL && (uintptr_t)bytes % alignment_of(tensor->type) == 0) ||
           copy(reading, bytes, tensor);
}

static bool read_raw(struct onnx_reading *reading, const struct written *written, const char *name,
                     struct onnx_data *tensor) {
    if (written->location == 1) {
        return read_external(reading, written->wire, name, tensor);
    }
    if (written->raw.length != tensor->bytes) {
        return onnx_fail(reading->error, "tensor \"%s\" has %zu bytes of data, its shape takes %zu", name,
                         written->raw.length, tensor->bytes);
    }
    return keep(reading, (const unsigned char *)written->raw.text, tensor);
}

static bool read_typed(struct onnx_reading *reading, const struct written *written, const char *name,
                       struct onnx_data *tensor) {
    const uint32_t field = typed_fields[tensor->type].field;
    const enum onnx_wire_kind kind = typed_fields[tensor->type].kind;
    const size_t size = typed_fields[tensor->type].size, wanted = tensor->bytes / size;
    size_t count;
    if (!onnx_wire_count(written->wire, field, kind, &count)) {
        return false;
    }
    if (count != wanted) {
        return onnx_fail(reading->error, "tensor \"%s\" has %zu numbers of data, its shape takes %zu", name, count,
                         wanted);
    }
    void *elements = onnx_allocate(reading->arena, count, size);
    if (elements == NULL) {
        return onnx_out_of_memory(reading);
    }
    tensor->data = elements;
    return onnx_wire_store(written->wire, field, kind, size, elements);
}

/* Bools are 0 and 1, whatever is written. */
static bool normalize(struct onnx_reading *reading, struct onnx_data *tensor) {
    const unsigned char *bytes = tensor->data;
    size_t i = 0;
    while (i < tensor->bytes && bytes[i] < 2) {
        i++;
    }
    if (i == tensor->bytes) {
        return true;
    }
    unsigned char *copy = onnx_allocate(reading->arena, tensor->bytes, 1);
    if (copy == NULL) {
        return onnx_out_of_memory(reading);
    }
    for (i = 0; i < tensor->bytes; i++) {
        copy[i] = bytes[i] != 0;
    }
    tensor->data = copy;
    return true;
}

static bool check_strings(struct onnx_reading *reading, const struct written *written, const char *name,
                          uint64_t elements) {
    size_t count;
    if (!onnx_wire_fields(written->wire, STRING_DATA, &count)) {
        return false;
    }
    return count == elements || onnx_fail(reading->error, "tensor \"%s\" has %zu texts, its shape takes %" PRIu64,
                                          name, count, elements);
}

bool onnx_tensor_read(struct onnx_reading *reading, struct onnx_wire wire, struct onnx_data *tensor,
                      const char **name) {
    struct written written;
    uint64_t elements = 0;
    *tensor = (struct onnx_data){.type = ONNX_UNDEFINED};
    if (!read_fields(wire, &written)) {
        return false;
    }
    *name = onnx_copy_text(reading->arena, written.name.text, written.name.length);
    if (*name == NULL) {
        return onnx_out_of_memory(reading);
    }
    const struct visible_text shown = visible_text(*name);
    if (written.has_segment) {
        return onnx_fail(reading->error, "tensor \"%s\" is one segment of several, which is not supported", shown.text);
    }
    if (!read_sizes(reading, &written, shown.text, tensor, &elements)) {
        return false;
    }
    tensor->type = written.type >= 0 && written.type <= INT32_MAX ? (enum onnx_type)written.type : ONNX_UNDEFINED;
    if (tensor->type == ONNX_STRING && written.location == 0) {
        return check_strings(reading, &written, shown.text, elements);
    }
    if (onnx_bytes_of(tensor->type, 1) == 0) {
        return onnx_fail(reading->error, "tensor \"%s\" is of %s, which is not supported", shown.text,
                         onnx_type_name(tensor->type));
    }
    tensor->bytes = onnx_bytes_of(tensor->type, elements);
    if (tensor->bytes == SIZE_MAX) {
        return onnx_fail(reading->error, "tensor \"%s\" has more bytes than memory can have", shown.text);
    }
    const bool is_read = written.has_raw || written.location == 1 ? read_raw(reading, &written, shown.text, tensor)
                                                                  : read_typed(reading, &written, shown.text, tensor);
    return is_read && (tensor->type != ONNX_BOOL || normalize(reading, tensor));
}
