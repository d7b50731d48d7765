/* An ONNX model as it is written: nodes, values and attributes, before any shape is known. It is read out of a file
 * (file.h), or made node by node of whatever holds a model. Immutable after that, and then free-threaded. */
#ifndef ONNX_GRAPH_H
#define ONNX_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx/arena.h"
#include "onnx/expansion.h"

/* TensorProto.DataType. */
enum onnx_type {
    ONNX_UNDEFINED,
    ONNX_FLOAT,
    ONNX_UINT8,
    ONNX_INT8,
    ONNX_UINT16,
    ONNX_INT16,
    ONNX_INT32,
    ONNX_INT64,
    ONNX_STRING,
    ONNX_BOOL,
    ONNX_FLOAT16,
    ONNX_DOUBLE,
    ONNX_UINT32,
    ONNX_UINT64,
    ONNX_COMPLEX64,
    ONNX_COMPLEX128,
    ONNX_BFLOAT16,
    ONNX_UINT4 = 21,
    ONNX_INT4 = 22,
};

#define ONNX_NONE     UINT32_MAX
#define ONNX_MAX_RANK 8 /* DirectML's */

/* Elements on the host, in C order and little-endian, 4-bit ones two to a byte. Of strings `data` is NULL. */
struct onnx_data {
    enum onnx_type type;
    uint32_t rank;
    uint32_t sizes[ONNX_MAX_RANK];
    const void *data; /* aligned to its elements, unless it lies in a mapped file */
    size_t bytes;
};

/* AttributeProto.AttributeType; others are refused where they are read. */
enum onnx_attribute_kind {
    ONNX_ATTRIBUTE_FLOAT = 1,
    ONNX_ATTRIBUTE_INT,
    ONNX_ATTRIBUTE_STRING,
    ONNX_ATTRIBUTE_TENSOR,
    ONNX_ATTRIBUTE_GRAPH,
    ONNX_ATTRIBUTE_FLOATS,
    ONNX_ATTRIBUTE_INTS,
    ONNX_ATTRIBUTE_STRINGS,
};

struct onnx_attribute {
    const char *name;
    enum onnx_attribute_kind kind;
    size_t count;         /* of FLOATS, INTS and STRINGS; 1 of the others */
    const float *floats;  /* of FLOAT and FLOATS */
    const int64_t *ints;  /* of INT and INTS */
    const char **strings; /* of STRING and STRINGS, each with a zero behind it */
    struct onnx_data tensor;
    struct onnx_graph *graph; /* of GRAPH; NULL: whoever gave the graph runs the body, and the node with it */
};

struct onnx_node {
    const char *name;   /* "" where it has none */
    const char *domain; /* "" is ai.onnx */
    const char *op;
    uint32_t version; /* of the operator set that the model imports for the domain */
    uint32_t input_count, output_count;
    const uint32_t *inputs;  /* values; ONNX_NONE: absent */
    const uint32_t *outputs; /* likewise */
    uint32_t attribute_count;
    const struct onnx_attribute *attributes;
};

/* What a value is, by the fields of TypeProto. Only tensors are computed with. */
enum onnx_kind {
    ONNX_KIND_TENSOR, /* or not stated */
    ONNX_KIND_SEQUENCE,
    ONNX_KIND_MAP,
    ONNX_KIND_OPTIONAL,
    ONNX_KIND_SPARSE_TENSOR,
    ONNX_KIND_OPAQUE,
};

/* A value of a graph, or of an outer one that a body reads. What the model says of its shape may be missing. */
struct onnx_value {
    const char *name;
    enum onnx_kind kind;
    enum onnx_type type; /* UNDEFINED: not said, or no tensor */
    bool has_shape;
    bool is_input; /* in spite of an initializer */
    uint32_t rank;
    int64_t sizes[ONNX_MAX_RANK];       /* -1: not said */
    const char *symbols[ONNX_MAX_RANK]; /* names of sizes that are not said, or NULL */
    const struct onnx_data *constant;   /* an initializer's */
    uint32_t outer;                     /* of a body: the value of the graph around it, or ONNX_NONE */
};

struct onnx_graph {
    const char *name;
    uint32_t value_count, node_count, input_count, output_count;
    struct onnx_value *values;
    struct onnx_node *nodes; /* each behind those whose outputs it reads */
    const uint32_t *inputs; /* values: those that must be given, then `optional_count` that have initializers */
    const uint32_t *outputs;
    uint32_t optional_count; /* input_count does not count these */
};

struct onnx_opset {
    const char *domain; /* "" is ai.onnx */
    uint32_t version;
};

struct onnx_model {
    struct onnx_arena arena; /* of all that is below */
    int64_t ir_version;
    const char *producer;
    struct onnx_opset *opsets;
    uint32_t opset_count;
    struct onnx_expansion expansion; /* what functions left of the budget */
    struct onnx_graph graph;
};

/* How many elements a tensor of these sizes has; UINT64_MAX where that is beyond 64 bits. */
uint64_t onnx_elements(uint32_t rank, const uint32_t *sizes);

/* Whether DirectML can have so many: 2^32 - 1 at most. Products of some of the sizes are then of 64 bits. */
bool onnx_is_countable(uint32_t rank, const uint32_t *sizes);

/* Bytes of so many elements; SIZE_MAX where that is beyond size_t. 0 for strings and what is no type. */
size_t onnx_bytes_of(enum onnx_type type, uint64_t elements);

/* "a map"; the text is static. */
const char *onnx_kind_name(enum onnx_kind kind);

/* "FLOAT16", or "type 99". The text lives as long as the library or until the thread's next call. */
const char *onnx_type_name(enum onnx_type type);

#endif
