/* Making a graph node by node: what the makers of nodes share. */
#ifndef GRAPH_MAKING_H
#define GRAPH_MAKING_H

#include "cases/family.h"
#include "random_graph.h"

#define GRAPH_FLOATS   CASE_TYPES_FLOATS
#define GRAPH_INTEGERS (CASE_TYPE(INT32) | CASE_TYPE(UINT32) | CASE_TYPE(UINT8))
#define GRAPH_TYPES    (GRAPH_FLOATS | GRAPH_INTEGERS)

/* A value as a reader sees it. */
struct view {
    uint32_t value;
    struct case_tensor tensor;
    struct graph_range range;
};

/* Integers between two, over 2^fraction. */
struct numbers {
    int32_t least, greatest;
    int32_t fraction;
};

struct making {
    struct random *random;
    struct random_graph *graph;
    bool is_known;           /* new inputs are OWNED_BY_DML: weights, of which a graph may make others */
    bool continues;          /* the node is to read what the last one made, if it can, and no other one is to */
    bool needs_exact;        /* the node is not continuous: it reads nothing that may differ between executions */
    struct operator_case *c; /* of the node being made */
    uint32_t sources[CASE_MAX_TENSORS]; /* by slot: what is read there */
    struct graph_range results[CASE_MAX_TENSORS];
    bool optional[CASE_MAX_TENSORS];
};

/* Makes a node of a kind of its own; false where the graph has nothing for it, or what came was not wanted: all that it
 * made is then taken back. */
typedef bool node_maker(struct making *making);

bool make_unary(struct making *making);
bool make_binary(struct making *making);
bool make_comparison(struct making *making);
bool make_choice(struct making *making);
bool make_cast(struct making *making);
bool make_gemm(struct making *making);
bool make_convolution(struct making *making);
bool make_pooling(struct making *making);
bool make_reduce(struct making *making);
bool make_softmax(struct making *making);
bool make_batch_normalization(struct making *making);
bool make_mean_variance(struct making *making);
bool make_identity(struct making *making);
bool make_slice(struct making *making);
bool make_split(struct making *making);
bool make_join(struct making *making);
bool make_padding(struct making *making);
bool make_gather(struct making *making);
bool make_tile(struct making *making);
bool make_value_scale(struct making *making);
bool make_constant_fill(struct making *making);
bool make_sequence(struct making *making);

/* ---- what nodes read ---- */

/* A value, or a new source, of one of the types, with so many dimensions. */
bool take(struct making *making, uint32_t types, uint32_t least_rank, uint32_t most_rank, struct view *view);

/* One of exactly that type and those sizes, broadcast where it may be. */
bool take_alike(struct making *making, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes,
                bool may_broadcast, struct numbers numbers, struct view *view);

/* A new input of the graph or constant, packed. */
bool take_new(struct making *making, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes,
              struct numbers numbers, struct view *view);

/* Numbers for operands: few and small. */
struct numbers usual_numbers(struct making *making, DML_TENSOR_DATA_TYPE type);

void begin_node(struct making *making, DML_OPERATOR_TYPE type);
void read_view(struct making *making, const char *field, uint32_t element, const struct view *view);

/* An output of the node, with gaps now and then. False where it is too large or its range says that it will not do. */
bool write_result(struct making *making, const char *field, uint32_t element, DML_TENSOR_DATA_TYPE type, uint32_t rank,
                  const uint32_t *sizes, struct graph_range range);

/* ---- ranges ---- */

bool range_is_finite(const struct graph_range *range);

/* Of a sum of `terms` products of elements: exact in FLOAT32 where the range says that; else the node will do in rough
 * graphs alone. */
struct graph_range range_of_sum(const struct graph_range *a, const struct graph_range *b, uint32_t terms);
struct graph_range range_add(const struct graph_range *a, const struct graph_range *b);
struct graph_range range_multiply(const struct graph_range *a, const struct graph_range *b);
struct graph_range range_both(const struct graph_range *a, const struct graph_range *b); /* either of them */

/* Fuses an activation now and then; whether, and what becomes of the range. */
void fuse_activation(struct making *making, DML_TENSOR_DATA_TYPE type, struct graph_range *range);

#endif
