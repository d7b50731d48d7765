/* The wire format of protocol buffers, read where it lies. */
#ifndef ONNX_WIRE_H
#define ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx/arena.h"
#include "onnx/error.h"

/* A message, or what is left of it. */
struct onnx_wire {
    const unsigned char *at, *end;
    const unsigned char *first; /* of the file: reasons tell where they are in it */
    bool is_broken;
    struct onnx_error *error;
};

enum onnx_wire_kind {
    ONNX_WIRE_VARINT = 0,
    ONNX_WIRE_FIXED64 = 1,
    ONNX_WIRE_BYTES = 2,
    ONNX_WIRE_FIXED32 = 5,
};

struct onnx_field {
    uint32_t number;
    enum onnx_wire_kind kind;
    uint64_t value;             /* of what is not BYTES */
    const unsigned char *bytes; /* of BYTES */
    size_t length;
};

struct onnx_text {
    const char *text; /* no zero behind it */
    size_t length;
};

struct onnx_wire onnx_wire_begin(const unsigned char *bytes, size_t length, struct onnx_error *error);

/* The next field; groups are left out. False at the end, and where the bytes are none: then is_broken is set, for good,
 * and the reason told. */
bool onnx_wire_next(struct onnx_wire *wire, struct onnx_field *field);

/* What a field holds. False, and the wire broken, where it is of another kind. Texts have no zeros in them. */
bool onnx_wire_int(struct onnx_wire *wire, const struct onnx_field *field, int64_t *value);
bool onnx_wire_float(struct onnx_wire *wire, const struct onnx_field *field, float *value);
bool onnx_wire_bytes(struct onnx_wire *wire, const struct onnx_field *field, struct onnx_text *bytes);
bool onnx_wire_text(struct onnx_wire *wire, const struct onnx_field *field, struct onnx_text *text);
bool onnx_wire_message(struct onnx_wire *wire, const struct onnx_field *field, struct onnx_wire *message);

/* All numbers of a repeated field of what is left, packed or one by one: how many, and the lowest `size` bytes of each
 * into an array. `kind` is what one number is. False where the wire is broken. */
bool onnx_wire_count(struct onnx_wire wire, uint32_t number, enum onnx_wire_kind kind, size_t *count);
bool onnx_wire_store(struct onnx_wire wire, uint32_t number, enum onnx_wire_kind kind, size_t size, void *elements);

/* Fields of what is left that have a number. */
bool onnx_wire_fields(struct onnx_wire wire, uint32_t number, size_t *count);

#endif
