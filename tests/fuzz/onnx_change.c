#include "onnx_change.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 20000
#define MOST_DEPTH  40

/* What a field of so many bytes holds. */
enum kind {
    TEXT,
    DATA,
    MODEL,
    GRAPH,
    NODE,
    ATTRIBUTE,
    TENSOR,
    VALUE,
    TYPE,
    TENSOR_TYPE,
    SHAPE,
    DIMENSION,
    OPSET,
    FUNCTION,
    ENTRY,
};

static const struct {
    enum kind message;
    uint32_t number;
    enum kind kind;
} schema[] = {
    {MODEL, 7, GRAPH},      {MODEL, 8, OPSET},      {MODEL, 25, FUNCTION}, {GRAPH, 1, NODE},
    {GRAPH, 5, TENSOR},     {GRAPH, 11, VALUE},     {GRAPH, 12, VALUE},    {GRAPH, 13, VALUE},
    {NODE, 5, ATTRIBUTE},   {ATTRIBUTE, 5, TENSOR}, {ATTRIBUTE, 6, GRAPH}, {ATTRIBUTE, 10, TENSOR},
    {ATTRIBUTE, 11, GRAPH}, {ATTRIBUTE, 7, DATA},   {ATTRIBUTE, 8, DATA},  {TENSOR, 1, DATA},
    {TENSOR, 4, DATA},      {TENSOR, 5, DATA},      {TENSOR, 7, DATA},     {TENSOR, 9, DATA},
    {TENSOR, 10, DATA},     {TENSOR, 11, DATA},     {TENSOR, 13, ENTRY},   {VALUE, 2, TYPE},
    {TYPE, 1, TENSOR_TYPE}, {TYPE, 4, TYPE},        {TYPE, 9, TYPE},       {TENSOR_TYPE, 2, SHAPE},
    {SHAPE, 1, DIMENSION},  {FUNCTION, 7, NODE},    {FUNCTION, 9, OPSET},  {FUNCTION, 11, ATTRIBUTE},
    {FUNCTION, 12, VALUE},
};

struct message;

struct field {
    uint32_t number, wire;
    uint64_t value; /* of a number */
    enum kind kind; /* of what has bytes */
    const unsigned char *bytes;
    size_t length;
    struct message *message;
};

struct message {
    enum kind kind;
    uint32_t count, room;
    struct field *fields;
};

struct place {
    struct message *message;
    uint32_t index;
};

struct changing {
    uint64_t random;
    void **memory;
    size_t memory_count, memory_room;
    struct place *places; /* of all fields */
    uint32_t place_count;
    bool is_broken;
};

static uint32_t next(struct changing *c, uint32_t below) {
    c->random = c->random * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(c->random >> 33) % below;
}

static void *take(struct changing *c, size_t size) {
    if (c->memory_count == c->memory_room) {
        const size_t room = c->memory_room * 2 + 64;
        void **grown = realloc(c->memory, room * sizeof *grown);
        if (grown == NULL) {
            abort();
        }
        c->memory = grown;
        c->memory_room = room;
    }
    void *memory = calloc(1, size + 1);
    if (memory == NULL) {
        abort();
    }
    c->memory[c->memory_count++] = memory;
    return memory;
}

static void end(struct changing *c) {
    for (size_t i = 0; i < c->memory_count; i++) {
        free(c->memory[i]);
    }
    free(c->memory);
    free(c->places);
}

/* ---- reading ---- */

static struct field *add(struct changing *c, struct message *message, struct field field) {
    if (message->count == message->room) {
        const uint32_t room = message->room * 2 + 4;
        struct field *fields = take(c, room * sizeof *fields);
        if (message->count != 0) {
            memcpy(fields, message->fields, message->count * sizeof *fields);
        }
        message->fields = fields;
        message->room = room;
    }
    message->fields[message->count] = field;
    return &message->fields[message->count++];
}

static bool read_number(const unsigned char **at, const unsigned char *last, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; shift < 64 && *at < last; shift += 7) {
        const unsigned char byte = *(*at)++;
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return true;
        }
    }
    return false;
}

static enum kind kind_of(enum kind message, uint32_t number) {
    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++) {
        if (schema[i].message == message && schema[i].number == number) {
            return schema[i].kind;
        }
    }
    return TEXT;
}

/* NULL where it is none. */
static struct message *read(struct changing *c, enum kind kind, const unsigned char *at, size_t length,
                            uint32_t depth) {
    const unsigned char *last = at + length;
    struct message *message = take(c, sizeof *message);
    message->kind = kind;
    while (at < last) {
        uint64_t tag, size;
        if (depth > MOST_DEPTH || c->memory_count > MOST_FIELDS || !read_number(&at, last, &tag)) {
            return NULL;
        }
        struct field field = {.number = (uint32_t)(tag >> 3), .wire = tag & 7};
        if (field.wire == 0 && read_number(&at, last, &field.value)) {
            add(c, message, field);
            continue;
        }
        size = field.wire == 1 ? 8 : 4;
        if ((field.wire != 1 && field.wire != 2 && field.wire != 5) ||
            (field.wire == 2 && !read_number(&at, last, &size)) || size > (size_t)(last - at)) {
            return NULL;
        }
        field.bytes = at;
        field.length = (size_t)size;
        field.kind = field.wire == 2 ? kind_of(kind, field.number) : DATA;
        at += size;
        if (field.kind >= MODEL) {
            field.message = read(c, field.kind, field.bytes, field.length, depth + 1);
            if (field.message == NULL) {
                return NULL;
            }
        }
        add(c, message, field);
    }
    return message;
}

/* ---- writing ---- */

struct writing {
    unsigned char *bytes;
    size_t length, room;
};

static void write_bytes(struct writing *w, const unsigned char *bytes, size_t length) {
    if (w->length <= w->room && length <= w->room - w->length) {
        if (length != 0) {
            memcpy(w->bytes + w->length, bytes, length);
        }
        w->length += length;
    } else {
        w->length = w->room + 1;
    }
}

static void write_number(struct writing *w, uint64_t number) {
    unsigned char bytes[10];
    size_t length = 0;
    do {
        bytes[length++] = (unsigned char)((number & 127) | (number > 127 ? 128 : 0));
        number >>= 7;
    } while (number != 0);
    write_bytes(w, bytes, length);
}

static void write(struct writing *w, const struct message *message) {
    for (uint32_t i = 0; i < message->count && w->length <= w->room; i++) {
        const struct field *field = &message->fields[i];
        write_number(w, (uint64_t)field->number << 3 | field->wire);
        if (field->wire == 0) {
            write_number(w, field->value);
        } else if (field->message != NULL) {
            /* Into what is left of the room, and then to where it belongs, behind its length. */
            const size_t reserved = 10;
            if (w->length + reserved > w->room) {
                w->length = w->room + 1;
                return;
            }
            struct writing inner = {w->bytes + w->length + reserved, 0, w->room - w->length - reserved};
            write(&inner, field->message);
            if (inner.length > inner.room) {
                w->length = w->room + 1;
                return;
            }
            write_number(w, inner.length);
            memmove(w->bytes + w->length, inner.bytes, inner.length);
            w->length += inner.length;
        } else {
            if (field->wire == 2) {
                write_number(w, field->length);
            }
            write_bytes(w, field->bytes, field->length);
        }
    }
}

/* ---- changes ---- */

static void find_places(struct changing *c, struct message *message) {
    for (uint32_t i = 0; i < message->count && c->place_count < MOST_FIELDS; i++) {
        c->places[c->place_count++] = (struct place){message, i};
        if (message->fields[i].message != NULL) {
            find_places(c, message->fields[i].message);
        }
    }
}

static struct field *at(struct place place) {
    return &place.message->fields[place.index];
}

static uint64_t change_number(struct changing *c, uint64_t number) {
    static const int64_t numbers[] = {0,         1,         2,         3,         4,         7,          8,
                                      9,         16,        255,       1024,      65535,     65536,      -1,
                                      -2,        -3,        -8,        INT32_MAX, INT32_MIN, UINT32_MAX, 1LL << 32,
                                      INT64_MAX, INT64_MIN, 1LL << 31, 1LL << 16, 1000000,   1LL << 62,  1LL << 40,
                                      5,         6,         10,        11,        12,        -65536,     100};
    switch (next(c, 4)) {
    case 0:
        return number + next(c, 5) - 2;
    case 1:
        return next(c, 24);
    default:
        return (uint64_t)numbers[next(c, sizeof numbers / sizeof *numbers)];
    }
}

static void change_data(struct changing *c, struct field *field) {
    const size_t more = field->wire == 2 && next(c, 4) == 0 ? next(c, 16) : 0;
    unsigned char *copy = take(c, field->length + more);
    if (field->length != 0) {
        memcpy(copy, field->bytes, field->length);
    }
    field->bytes = copy;
    if (field->wire == 2 && next(c, 4) == 0) {
        field->length = field->length == 0 ? 0 : next(c, (uint32_t)field->length);
        return;
    }
    field->length += more;
    if (field->length >= 8 && next(c, 2) == 0) {
        const uint64_t number = change_number(c, 1);
        memcpy(copy + next(c, (uint32_t)(field->length / 8)) * 8, &number, 8);
    } else if (field->length >= 4 && next(c, 2) == 0) {
        static const uint32_t floats[] = {0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 1, 0xBF800000, 0x4F000000};
        memcpy(copy + next(c, (uint32_t)(field->length / 4)) * 4, &floats[next(c, 8)], 4);
    } else if (field->length != 0) {
        copy[next(c, (uint32_t)field->length)] = (unsigned char)next(c, 256);
    }
}

/* Of another field of that kind, in the whole model; as likely what is told here. */
static void change_text(struct changing *c, struct field *field) {
    static const char *const texts[] = {"",
                                        "x",
                                        "../x",
                                        "/etc/passwd",
                                        "axis",
                                        "axes",
                                        "If",
                                        "Loop",
                                        "Scan",
                                        "Reshape",
                                        "Expand",
                                        "Tile",
                                        "Pad",
                                        "Range",
                                        "Slice",
                                        "Resize",
                                        "Constant",
                                        "Gather",
                                        "Conv",
                                        "Concat",
                                        "Split",
                                        "Squeeze",
                                        "Shape",
                                        "Cast",
                                        "ReduceSum",
                                        "OneHot",
                                        "TopK",
                                        "NonZero",
                                        "EyeLike",
                                        "Einsum",
                                        "ConstantOfShape",
                                        "SequenceInsert",
                                        "MatMul",
                                        "Transpose",
                                        "com.microsoft",
                                        "location",
                                        "offset",
                                        "length"};
    if (next(c, 4) == 0) {
        const char *text = texts[next(c, sizeof texts / sizeof *texts)];
        field->bytes = (const unsigned char *)text;
        field->length = strlen(text);
        return;
    }
    for (uint32_t i = 0; i < 50; i++) {
        const struct field *other = at(c->places[next(c, c->place_count)]);
        if (other->wire == 2 && other->kind == TEXT && other != field) {
            field->bytes = other->bytes;
            field->length = other->length;
            return;
        }
    }
}

static void insert(struct changing *c, struct message *message, uint32_t index, struct field field) {
    add(c, message, field);
    for (uint32_t i = message->count - 1; i > index; i--) {
        message->fields[i] = message->fields[i - 1];
    }
    message->fields[index] = field;
}

static void remove_field(struct message *message, uint32_t index) {
    for (uint32_t i = index + 1; i < message->count; i++) {
        message->fields[i - 1] = message->fields[i];
    }
    message->count--;
}

/* Another field of the same kind, of anywhere, in its place or beside it. Messages may then stand in two places, and
 * one within a copy of itself: what is written is a copy of what was read. */
static void copy_other(struct changing *c, struct place place) {
    for (uint32_t i = 0; i < 50; i++) {
        const struct place from = c->places[next(c, c->place_count)];
        const struct field *other = at(from);
        struct field *field = at(place);
        if (other == field || other->wire != field->wire || other->kind != field->kind) {
            continue;
        }
        struct field copy = *other;
        copy.number = field->number;
        copy.message = copy.wire == 2 && copy.kind >= MODEL ? read(c, copy.kind, copy.bytes, copy.length, 0) : NULL;
        if (copy.kind >= MODEL && copy.wire == 2 && copy.message == NULL) {
            return;
        }
        if (next(c, 2) == 0) {
            *field = copy;
        } else {
            insert(c, place.message, place.index, copy);
        }
        return;
    }
}

static void change_once(struct changing *c, struct message *model) {
    c->place_count = 0;
    find_places(c, model);
    if (c->place_count == 0) {
        return;
    }
    const struct place place = c->places[next(c, c->place_count)];
    struct field *field = at(place);
    switch (next(c, 10)) {
    case 0:
        remove_field(place.message, place.index);
        return;
    case 1: {
        const struct field copy = *field;
        insert(c, place.message, next(c, place.message->count), copy);
        return;
    }
    case 2: {
        struct field *other = &place.message->fields[next(c, place.message->count)];
        const struct field copy = *other;
        *other = *field;
        *field = copy;
        return;
    }
    case 3:
        copy_other(c, place);
        return;
    default:
        if (field->wire == 0) {
            field->value = change_number(c, field->value);
        } else if (field->wire != 2 || field->kind == DATA) {
            change_data(c, field);
        } else if (field->kind == TEXT) {
            change_text(c, field);
        } else {
            copy_other(c, place);
        }
    }
}

static size_t finish(struct changing *c, const struct message *model, unsigned char *to, size_t room, size_t length) {
    unsigned char *bytes = take(c, room);
    struct writing writing = {bytes, 0, room};
    write(&writing, model);
    if (writing.length <= room) {
        memcpy(to, bytes, writing.length);
        length = writing.length;
    }
    end(c);
    return length;
}

static struct message *begin(struct changing *c, const unsigned char *bytes, size_t length, uint64_t seed) {
    *c = (struct changing){.random = seed * 2862933555777941757U + 3037000493U};
    c->places = malloc(MOST_FIELDS * sizeof *c->places);
    if (c->places == NULL) {
        abort();
    }
    return read(c, MODEL, bytes, length, 0);
}

size_t onnx_change(unsigned char *bytes, size_t length, size_t room, uint64_t seed) {
    struct changing c;
    struct message *model = begin(&c, bytes, length, seed);
    if (model == NULL) {
        end(&c);
        return length;
    }
    for (uint32_t count = 1 + next(&c, 3); count > 0; count--) {
        change_once(&c, model);
    }
    return finish(&c, model, bytes, room, length);
}

size_t onnx_cross(const unsigned char *bytes, size_t length, const unsigned char *other, size_t other_length,
                  unsigned char *to, size_t room, uint64_t seed) {
    struct changing c;
    struct message *model = begin(&c, bytes, length, seed);
    struct message *from = model == NULL ? NULL : read(&c, MODEL, other, other_length, 0);
    if (from == NULL || length > room) {
        end(&c);
        return 0;
    }
    memcpy(to, bytes, length);
    find_places(&c, from);
    const uint32_t first = c.place_count;
    find_places(&c, model);
    for (uint32_t i = 0; i < 200 && first != 0 && c.place_count > first; i++) {
        const struct field *field = at(c.places[next(&c, first)]);
        const struct place place = c.places[first + next(&c, c.place_count - first)];
        if (field->kind < GRAPH || field->wire != 2 || kind_of(place.message->kind, field->number) != field->kind) {
            continue;
        }
        insert(&c, place.message, place.index, *field);
        break;
    }
    return finish(&c, model, to, room, length);
}
