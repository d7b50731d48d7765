/* Writes protocol buffers: models for tests. Messages are made from the inside out, and freed as they are put in. */
#ifndef ONNX_TEST_PROTO_H
#define ONNX_TEST_PROTO_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct proto {
    unsigned char *bytes;
    size_t length;
};

/* What a message of a length has room for: under a sanitizer each realloc() copies. */
static inline size_t proto_room(size_t length) {
    size_t room = 16;
    while (room < length) {
        room *= 2;
    }
    return room;
}

static inline void proto_append(struct proto *proto, const void *bytes, size_t length) {
    const size_t room = proto_room(proto->length + length);
    if (proto->bytes == NULL || room != proto_room(proto->length)) {
        unsigned char *grown = realloc(proto->bytes, room);
        if (grown == NULL) {
            abort();
        }
        proto->bytes = grown;
    }
    if (length != 0) {
        memcpy(proto->bytes + proto->length, bytes, length);
    }
    proto->length += length;
}

static inline void proto_varint(struct proto *proto, uint64_t value) {
    do {
        const unsigned char byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        proto_append(proto, &byte, 1);
        value >>= 7;
    } while (value != 0);
}

static inline void proto_int(struct proto *proto, uint32_t field, int64_t value) {
    proto_varint(proto, (uint64_t)field << 3);
    proto_varint(proto, (uint64_t)value);
}

static inline void proto_bytes(struct proto *proto, uint32_t field, const void *bytes, size_t length) {
    proto_varint(proto, (uint64_t)field << 3 | 2);
    proto_varint(proto, length);
    proto_append(proto, bytes, length);
}

static inline void proto_text(struct proto *proto, uint32_t field, const char *text) {
    proto_bytes(proto, field, text, strlen(text));
}

static inline void proto_fixed32(struct proto *proto, uint32_t field, const void *bits) {
    proto_varint(proto, (uint64_t)field << 3 | 5);
    proto_append(proto, bits, 4);
}

static inline void proto_fixed64(struct proto *proto, uint32_t field, const void *bits) {
    proto_varint(proto, (uint64_t)field << 3 | 1);
    proto_append(proto, bits, 8);
}

static inline void proto_free(struct proto *proto) {
    free(proto->bytes);
    *proto = (struct proto){NULL, 0};
}

static inline void proto_message(struct proto *proto, uint32_t field, struct proto message) {
    proto_bytes(proto, field, message.bytes, message.length);
    proto_free(&message);
}

#endif
