/* Random graphs as plain data: nodes are cases (cases/case.h), on tensors so small that a graph takes moments. */
#ifndef GRAPH_RANDOM_GRAPH_H
#define GRAPH_RANDOM_GRAPH_H

#include "cases/case.h"
#include "cases/random.h"

#define GRAPH_MAX_OPERATORS 25
#define GRAPH_MAX_NODES     80 /* constants too */
#define GRAPH_MAX_VALUES    160
#define GRAPH_MAX_BINDINGS  96                      /* inputs of a graph, and outputs */
#define GRAPH_MAX_TENSORS   8                       /* inputs of a node, and outputs */
#define GRAPH_MAX_BYTES     12288                   /* of a tensor */
#define GRAPH_ROOM          (GRAPH_MAX_BYTES + 256) /* of memory for any tensor */
#define GRAPH_NONE          UINT32_MAX

/* What is known of a tensor's elements before anything runs. */
struct graph_range {
    double most;      /* the greatest magnitude; INFINITY: not known, NaN too */
    int32_t fraction; /* elements are multiples of 2^-fraction; GRAPH_DENSE: of nothing */
    double error;     /* by how much one may differ between executions that are right; 0: all bits are the same */
};

#define GRAPH_DENSE 1000

enum graph_value_kind {
    GRAPH_ABSENT, /* an optional output that a node does not have */
    GRAPH_INPUT,
    GRAPH_CONSTANT,
    GRAPH_RESULT,
};

struct graph_value {
    enum graph_value_kind kind;
    uint32_t node;             /* that makes it, constants' too; of an input its index among the graph's */
    uint32_t output;           /* which of the node's */
    struct case_tensor tensor; /* as it is made */
    struct graph_range range;
    uint32_t bytes;      /* TotalTensorSizeInBytes of all that meet; of constants the most that a reader has */
    bool is_optional;    /* may be without an edge */
    bool is_owned;       /* an input that is OWNED_BY_DML */
    bool is_fixed;       /* known at initialization */
    bool is_private;     /* one node alone may read it */
    uint32_t readers;    /* inputs of nodes */
    uint32_t outputs;    /* of the graph that it is */
    uint32_t given;      /* of inputs and constants: bytes of data that the caller has */
    unsigned char *data; /* what they are: `bytes`, zeros behind those given; NULL of results */
};

struct graph_node {
    bool is_constant;
    struct operator_case c;              /* of operators */
    uint32_t sources[GRAPH_MAX_TENSORS]; /* values, by input; GRAPH_NONE of absent ones */
    uint32_t first_value;                /* of its outputs */
    uint32_t value_count;
    char name[24]; /* empty: none */
};

struct random_graph {
    uint64_t seed;
    bool is_rough; /* has sums whose order shows */
    uint32_t node_count;
    struct graph_node nodes[GRAPH_MAX_NODES]; /* those that a node reads come before it */
    uint32_t places[GRAPH_MAX_NODES];         /* of nodes in the descriptor, in any order */
    uint32_t value_count;
    struct graph_value values[GRAPH_MAX_VALUES];
    uint32_t input_count;
    uint32_t inputs[GRAPH_MAX_BINDINGS]; /* values, GRAPH_NONE of unused ones */
    uint32_t output_count;
    uint32_t outputs[GRAPH_MAX_BINDINGS];
};

/* Makes the graph of a seed, the same everywhere. Its data is freed by random_graph_free(), or the next one's. */
void random_graph_make(struct random_graph *graph, uint64_t seed);
void random_graph_free(struct random_graph *graph);

/* A line per node: the case, and what it reads. */
void random_graph_print(const struct random_graph *graph);

#endif
