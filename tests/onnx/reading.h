/* Parts of models, and what is asked of them, that the tests of reading share. */
#ifndef ONNX_TEST_READING_H
#define ONNX_TEST_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "models.h"
#include "onnx/file.h"

#define ENTRIES(array) (sizeof(array) / sizeof((array)[0]))

static inline void expect_read(struct proto bytes, const char *folder, struct onnx_model *model) {
    struct onnx_error error;
    if (!onnx_read_model(bytes.bytes, bytes.length, folder, model, &error)) {
        fail_msg("refused: %s", error.text);
    }
}

/* The reason has to have a text in it. */
static inline void expect_refused_in(struct proto bytes, const char *folder, const char *reason) {
    struct onnx_model model;
    struct onnx_error error;
    if (onnx_read_model(bytes.bytes, bytes.length, folder, &model, &error)) {
        fail_msg("read, must be refused: %s", reason);
    }
    if (strstr(error.text, reason) == NULL) {
        fail_msg("refused: %s\nmust be: %s", error.text, reason);
    }
    assert_null(model.arena.first);
    proto_free(&bytes);
}

static inline void expect_refused(struct proto bytes, const char *reason) {
    expect_refused_in(bytes, NULL, reason);
}

/* ---- tensors ---- */

struct kind {
    enum onnx_type type;
    uint32_t field; /* of typed data */
    size_t element; /* bytes of a number there */
    size_t numbers; /* for three elements */
};

static const struct kind kinds[] = {{ONNX_FLOAT, 4, 4, 3},     {ONNX_UINT8, 5, 1, 3},       {ONNX_INT8, 5, 1, 3},
                                    {ONNX_UINT16, 5, 2, 3},    {ONNX_INT16, 5, 2, 3},       {ONNX_INT32, 5, 4, 3},
                                    {ONNX_INT64, 7, 8, 3},     {ONNX_BOOL, 5, 1, 3},        {ONNX_FLOAT16, 5, 2, 3},
                                    {ONNX_DOUBLE, 10, 8, 3},   {ONNX_UINT32, 11, 4, 3},     {ONNX_UINT64, 11, 8, 3},
                                    {ONNX_COMPLEX64, 4, 4, 6}, {ONNX_COMPLEX128, 10, 8, 6}, {ONNX_BFLOAT16, 5, 2, 3},
                                    {ONNX_UINT4, 5, 1, 2},     {ONNX_INT4, 5, 1, 2}};

/* Elements of many bits; bools are 1 0 1. */
static inline void make_elements(const struct kind *kind, unsigned char *elements) {
    for (size_t i = 0; i < kind->element * kind->numbers; i++) {
        elements[i] = kind->type == ONNX_BOOL ? i != 1 : (unsigned char)(251 - 37 * i);
    }
}

static inline void put_number(struct proto *proto, const struct kind *kind, const unsigned char *element) {
    int64_t number = 0;
    memcpy(&number, element, kind->element);
    if (kind->type == ONNX_INT8) {
        number = (int8_t)number;
    } else if (kind->type == ONNX_INT16) {
        number = (int16_t)number;
    } else if (kind->type == ONNX_INT32) {
        number = (int32_t)number; /* ten bytes, where it is below zero */
    }
    proto_varint(proto, (uint64_t)number);
}

enum form { RAW, PACKED, ONE_BY_ONE, FORMS };

static inline struct proto make_tensor(const struct kind *kind, enum form form, const unsigned char *elements) {
    struct proto tensor = {NULL, 0}, list = {NULL, 0};
    proto_int(&tensor, 1, 3);
    proto_int(&tensor, 2, (int64_t)kind->type);
    proto_text(&tensor, 8, "t");
    for (size_t i = 0; i < kind->numbers; i++) {
        const unsigned char *element = elements + i * kind->element;
        if (form == RAW || kind->field == 4 || kind->field == 10) {
            proto_append(&list, element, kind->element);
        } else {
            put_number(&list, kind, element);
        }
        if (form == ONE_BY_ONE) {
            proto_varint(&tensor, kind->field << 3 | (kind->field == 4 ? 5u : kind->field == 10 ? 1u : 0u));
            proto_append(&tensor, list.bytes, list.length);
            list.length = 0;
        }
    }
    if (form != ONE_BY_ONE) {
        proto_bytes(&tensor, form == RAW ? 9 : kind->field, list.bytes, list.length);
    }
    proto_free(&list);
    return tensor;
}

/* ---- graphs ---- */

/* Two nodes, one behind its reader, a weight, a scalar that is an input too, and a body. */
static inline struct proto make_graph(void) {
    struct proto graph = {NULL, 0}, attribute = {NULL, 0}, body = {NULL, 0};
    proto_text(&graph, 2, "net");
    struct proto condition = model_node("If", "flag", "z");
    proto_message(&body, 1, model_node("Neg", "y", "n"));
    proto_message(&body, 12, model_value("n", ONNX_FLOAT, "2"));
    proto_text(&attribute, 1, "then_branch");
    proto_message(&attribute, 6, body);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_GRAPH);
    proto_message(&condition, 5, attribute);
    proto_message(&graph, 1, condition);
    proto_message(&graph, 1, model_node("Relu", "t", "y"));
    proto_message(&graph, 1, model_node("Clip", "x - s", "t"));
    proto_message(&graph, 1, model_node("Add", "w x", "u"));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "N 2 ?"));
    proto_message(&graph, 11, model_value("s", ONNX_FLOAT16, "7"));
    proto_message(&graph, 11, model_value("flag", ONNX_BOOL, ""));
    proto_message(&graph, 5, model_tensor("w", 2, (const int64_t[]){2, 3}));
    proto_message(&graph, 5, model_tensor("s", 0, NULL));
    proto_message(&graph, 12, model_value("z", ONNX_FLOAT, "-1 4"));
    proto_message(&graph, 12, model_value("u", ONNX_UNDEFINED, ""));
    proto_message(&graph, 13, model_value("t", ONNX_FLOAT, "M"));
    proto_message(&graph, 13, model_value("nowhere", ONNX_FLOAT, "M"));
    return graph;
}

static inline struct proto attribute_of(const char *name, int64_t kind) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    if (kind != 0) {
        proto_int(&attribute, 20, kind);
    }
    return attribute;
}

static inline struct proto function_of(const char *name, const char *inputs, const char *outputs) {
    struct proto function = {NULL, 0};
    proto_text(&function, 1, name);
    model_names(&function, 4, inputs);
    model_names(&function, 5, outputs);
    proto_message(&function, 9, model_opset("", 16));
    proto_text(&function, 10, "local");
    return function;
}

static inline struct proto with_reference(struct proto node, const char *name, const char *reference) {
    struct proto attribute = attribute_of(name, ONNX_ATTRIBUTE_FLOAT);
    proto_text(&attribute, 21, reference);
    proto_message(&node, 5, attribute);
    return node;
}

static inline struct proto with_float(struct proto node, uint32_t field, const char *name, float number) {
    struct proto attribute = attribute_of(name, ONNX_ATTRIBUTE_FLOAT);
    proto_fixed32(&attribute, 2, &number);
    proto_message(&node, field, attribute);
    return node;
}

#endif
