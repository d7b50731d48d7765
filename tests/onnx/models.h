/* Parts of ONNX models, as protocol buffers. */
#ifndef ONNX_TEST_MODELS_H
#define ONNX_TEST_MODELS_H

#include "onnx/graph.h"
#include "proto.h"

/* Names with spaces between them; "-" is an absent one. */
static inline void model_names(struct proto *proto, uint32_t field, const char *names) {
    while (*names != 0) {
        const size_t length = strcspn(names, " ");
        proto_bytes(proto, field, names, length == 1 && *names == '-' ? 0 : length);
        names += length;
        names += *names == ' ';
    }
}

static inline struct proto model_node(const char *op, const char *inputs, const char *outputs) {
    struct proto node = {NULL, 0};
    model_names(&node, 1, inputs);
    model_names(&node, 2, outputs);
    proto_text(&node, 4, op);
    return node;
}

static inline struct proto model_call(const char *domain, const char *op, const char *inputs, const char *outputs) {
    struct proto node = model_node(op, inputs, outputs);
    proto_text(&node, 7, domain);
    return node;
}

static inline struct proto model_opset(const char *domain, int64_t version) {
    struct proto opset = {NULL, 0};
    proto_text(&opset, 1, domain);
    proto_int(&opset, 2, version);
    return opset;
}

/* A tensor of FLOATs, each 1.5, raw. */
static inline struct proto model_tensor(const char *name, uint32_t rank, const int64_t *sizes) {
    struct proto tensor = {NULL, 0}, raw = {NULL, 0};
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        proto_int(&tensor, 1, sizes[i]);
        count *= sizes[i];
    }
    proto_int(&tensor, 2, ONNX_FLOAT);
    proto_text(&tensor, 8, name);
    for (int64_t i = 0; i < count; i++) {
        proto_append(&raw, &(float){1.5f}, 4);
    }
    proto_message(&tensor, 9, raw);
    return tensor;
}

/* A value of a shape; sizes are numbers or names, "?" is not said. */
static inline struct proto model_value(const char *name, enum onnx_type type, const char *sizes) {
    struct proto value = {NULL, 0}, any = {NULL, 0}, tensor = {NULL, 0}, shape = {NULL, 0};
    while (*sizes != 0) {
        struct proto size = {NULL, 0};
        const size_t length = strcspn(sizes, " ");
        if ((*sizes >= '0' && *sizes <= '9') || *sizes == '-') {
            proto_int(&size, 1, strtoll(sizes, NULL, 10));
        } else if (*sizes != '?') {
            proto_bytes(&size, 2, sizes, length);
        }
        proto_message(&shape, 1, size);
        sizes += length;
        sizes += *sizes == ' ';
    }
    proto_int(&tensor, 1, (int64_t)type);
    proto_message(&tensor, 2, shape);
    proto_message(&any, 1, tensor);
    proto_text(&value, 1, name);
    proto_message(&value, 2, any);
    return value;
}

/* A model of version 8 of the format. */
static inline struct proto model_of_set(struct proto graph, int64_t operator_set) {
    struct proto model = {NULL, 0};
    proto_int(&model, 1, 8);
    proto_text(&model, 2, "a test");
    proto_message(&model, 7, graph);
    proto_message(&model, 8, model_opset("", operator_set));
    return model;
}

static inline struct proto model_of(struct proto graph) {
    return model_of_set(graph, 17);
}

#endif
