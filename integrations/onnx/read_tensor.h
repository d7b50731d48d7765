/* Reading TensorProto. */
#ifndef ONNX_READ_TENSOR_H
#define ONNX_READ_TENSOR_H

#include "onnx/external.h"
#include "onnx/graph.h"

/* What readers share. */
struct onnx_reading {
    struct onnx_arena *arena;  /* of what is read */
    struct onnx_arena scratch; /* freed once it is */
    struct onnx_error *error;
    struct onnx_external external;
    const unsigned char *bytes, *mapped; /* of a model's file: what was read of it, and where it is mapped, or NULL */
    size_t length;                       /* of both */
};

/* Returns false, so that it can be returned. */
bool onnx_out_of_memory(struct onnx_reading *reading);

/* A tensor and its name, in memory of the arena; "" where it has none. */
bool onnx_tensor_read(struct onnx_reading *reading, struct onnx_wire wire, struct onnx_data *tensor, const char **name);

#endif
