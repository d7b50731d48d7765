/* Reading GraphProto: names become numbers, calls of the model's functions their nodes, and nodes are sorted. */
#ifndef ONNX_READ_GRAPH_H
#define ONNX_READ_GRAPH_H

#include "onnx/read_tensor.h"

struct onnx_opsets {
    struct onnx_opset *items;
    uint32_t count;
};

/* A function of the model: FunctionProto. */
struct onnx_function {
    struct onnx_wire wire;
    struct onnx_text name, domain, overload;
    struct onnx_opsets opsets;
    uint32_t next; /* of the same name, or ONNX_NONE */
};

struct onnx_functions {
    struct onnx_function *items;
    struct onnx_names names; /* numbers of items */
    struct onnx_expansion expansion;
};

/* Operator sets of one field of a message. */
bool onnx_opsets_read(struct onnx_reading *reading, struct onnx_wire wire, uint32_t number, struct onnx_opsets *opsets);

/* Functions of one field of a message. */
bool onnx_functions_read(struct onnx_reading *reading, struct onnx_wire wire, uint32_t number,
                         struct onnx_functions *functions);

bool onnx_graph_read(struct onnx_reading *reading, struct onnx_functions *functions, const struct onnx_opsets *opsets,
                     struct onnx_wire wire, struct onnx_graph *graph);

#endif
