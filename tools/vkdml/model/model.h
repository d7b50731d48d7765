/* An operator model: buffers, operators and the commands that use them. load.h reads one from a JSON file. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vkdml/operator.h>
#include <vkdml/schema.h>

#include "base/arena.h"
#include "base/document.h"
#include "base/names.h"
#include "model/compare.h"

/* A buffer and its first contents. */
struct resource {
    const char *name;
    struct json_object *json;
    const char *member;                /* of json that the values are in */
    bool is_expected;                  /* no buffer: what another resource's values are expected to be */
    DML_TENSOR_DATA_TYPE type;         /* of the initial values; UNKNOWN for a list of several types */
    const DML_TENSOR_DATA_TYPE *types; /* of a list: each value's */
    uint64_t count;                    /* values */
    uint64_t values_offset;            /* bytes before the first value */
    uint64_t values_size;              /* bytes */
    uint64_t size;                     /* of the buffer in bytes, a multiple of 4; 0 while deferred */
    bool deferred;                     /* sized by the first tensor it is bound to */
    uint32_t dimension_count;          /* of the .npy file it came from; 0: none */
    const uint64_t *dimensions;
    bool shape_checked; /* against a tensor it is bound to */
    const struct dispatchable
        *writer; /* of the last dispatch with the resource as an output, while commands are read */
    const DML_BUFFER_TENSOR_DESC *written; /* that output; NULL where it begins behind the first value */
    unsigned char *contents;               /* size bytes, malloc'ed: what the buffer holds before the first command */
    void *buffer;                          /* the executor's */
};

/* A part of a resource. */
struct binding {
    struct resource *resource; /* NULL: nothing bound */
    struct json_object *json;
    uint64_t offset; /* bytes */
    uint64_t size;
};

/* An operator, or a graph of operators. */
struct dispatchable {
    const char *name;
    struct json_object *json;
    struct graph *graph;        /* NULL: an operator. schema is then the graph's own: its inputs and outputs */
    const struct graph *within; /* the graph that it is a node of; NULL: none, or it stands for itself */
    struct json_object *fields; /* the object with the descriptor's fields: `desc`, or json itself */
    const VkdmlOperatorSchema *schema;
    DML_OPERATOR_DESC desc;
    uint32_t input_count; /* of the descriptor: with the tensors of arrays */
    uint32_t output_count;
    DML_EXECUTION_FLAGS flags;
    bool node_by_node;     /* a graph that is not to be fused */
    struct binding *owned; /* input_count, by binding index: what OWNED_BY_DML inputs are initialized with */
    void *state;           /* the executor's */
};

#define GRAPH_INPUT UINT32_MAX

/* What an input of a node reads, or what an output of a graph is. */
struct graph_source {
    struct json_object *json; /* that says so; NULL: nothing */
    uint32_t node;            /* GRAPH_INPUT: an input of the graph */
    uint32_t index;           /* of the node's outputs, or of the graph's inputs */
    bool is_alone;            /* the text is all that the reader says: it is described as what it reads */
};

struct graph_node {
    const char *name;
    struct json_object *json;
    struct dispatchable *op;      /* NULL: a constant, .. */
    struct resource *constant;    /* .. of these values */
    struct graph_source *sources; /* by input of op */
    uint32_t *readers;            /* by output: inputs of nodes, and outputs of the graph */
};

/* An input or an output of a graph. */
struct graph_end {
    const char *name;
    struct json_object *json;
    struct graph_source source;         /* of an output */
    const DML_BUFFER_TENSOR_DESC *desc; /* as the input is declared, where a node reads it so, else of who reads it
                                         * first; or of what the output is; NULL: unused */
};

/* Operators that are one dispatchable (graph.h). */
struct graph {
    const char *name;
    uint32_t node_count;
    uint32_t input_count;
    uint32_t output_count;
    struct graph_node *nodes;
    struct graph_end *inputs;
    struct graph_end *outputs;
    uint32_t operator_count;
    uint32_t *order;    /* nodes that are operators, each behind those that it reads */
    struct names names; /* of nodes and inputs: each one's graph_source */
    VkdmlOperatorSchema schema;
};

enum command_type { COMMAND_DISPATCH, COMMAND_PRINT, COMMAND_WRITE_FILE, COMMAND_EXPECT };

/* What a resource is held to. */
struct expectation {
    unsigned char *values; /* as many as the resource has, of its type */
    struct compare_tolerance tolerance;
    struct compare_shape shape; /* of the tensor or file that the values are of, to tell elements by */
};

struct command {
    enum command_type type;
    struct json_object *json;
    /* dispatch */
    struct dispatchable *dispatchable;
    struct binding *inputs;  /* the dispatchable's input_count, by binding index */
    struct binding *outputs; /* output_count */
    /* expect, print, writeFile */
    struct resource *resource;
    struct expectation *expectation;
    bool verbose;
    const char *path; /* with the output path before it */
    uint32_t dimension_count;
    const uint64_t *dimensions;
};

struct model {
    struct document document;
    struct arena arena;
    const char *input_path;  /* folder that file names are relative to; ends in '/' or is empty */
    const char *output_path; /* the same, for files written */
    uint64_t bytes;          /* of all resources */
    size_t resource_count;
    struct resource *resources;
    struct names resource_names;
    size_t dispatchable_count;
    struct dispatchable *dispatchables;
    struct names dispatchable_names;
    size_t command_count;
    struct command *commands;
};

void model_free(struct model *model);

/* The resource that a JSON string names; NULL, and a message that begins with `owner`, where there is none. */
struct resource *model_find_resource(struct model *model, struct json_object *name, const char *owner);

/* Holds all operators to the rules of a feature level (0: the newest); every reason is on stderr. */
bool model_validate(const struct model *model, DML_FEATURE_LEVEL level);

/* Puts the library's latest reasons on stderr, each with the line of the field it speaks of. Returns false. */
bool model_report_refusal(const struct model *model, const struct dispatchable *dispatchable,
                          const struct json_object *where);

/* An input or output of a dispatchable. */
struct model_tensor {
    const VkdmlFieldSchema *field;
    uint32_t element;                   /* of the field's array */
    const DML_BUFFER_TENSOR_DESC *desc; /* NULL: absent */
    char name[80];                      /* the field's, or "InputTensors[3]" */
};

/* The input (or output) at a binding index. */
struct model_tensor model_tensor(const struct dispatchable *dispatchable, VkdmlFieldKind kind, uint32_t index);

#endif
