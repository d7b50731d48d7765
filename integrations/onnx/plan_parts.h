/* What a plan is made of; for the files beside this one alone. */
#ifndef ONNX_PLAN_PARTS_H
#define ONNX_PLAN_PARTS_H

#include "onnx/operators.h"

/* What tensors are views of. */
enum onnx_source_kind {
    ONNX_SOURCE_HOST,
    ONNX_SOURCE_INPUT, /* of the model's graph */
    ONNX_SOURCE_NODE,
    ONNX_SOURCE_SIZES, /* computed from growing sizes when the model runs */
};

struct onnx_source {
    enum onnx_source_kind kind;
    uint32_t number; /* of the input, the node or the size vector */
    uint32_t output; /* of the node, among its bindings */
    const void *data;
    size_t bytes;          /* of its elements; a multiple of 4 is what a buffer has */
    uint64_t depends;      /* on the elements of which inputs: a bit each, the last for all from there on */
    uint64_t of_sizes;     /* elements depend on growing sizes of these inputs alone, likewise; 0: also on others */
    uint32_t graph_number; /* of an input: its place among DirectML's; ONNX_NONE as long as no operator reads it */
    bool is_output;
    bool is_of_model; /* a constant as the model has it */
    uint32_t read_count;
    uint32_t rank; /* of what a node makes, as DirectML's operator has it: views may have other sizes */
    uint32_t sizes[ONNX_MAX_RANK];
};

/* An operator in the plan. */
struct onnx_plan_node {
    DML_OPERATOR_DESC desc; /* its struct is the plan's own copy */
    const char *name;
    uint32_t input_count, output_count;
    uint32_t *inputs;        /* sources, by binding; ONNX_NONE: absent */
    uint32_t *outputs;       /* likewise */
    const bool *is_optional; /* of each output */
    uint32_t known; /* the number of its operator, which nodes share whose descriptors are equal */
    bool is_live;
};

/* Where the one element of an input must lie. */
struct onnx_range {
    bool is_set;
    int64_t least, most;
};

/* The growing size of one input is that of another plus a number. */
struct onnx_size_relation {
    uint32_t input, of;
    int64_t added;
    struct onnx_size_relation *next;
};

/* A tensor that several nodes share. */
struct onnx_shared {
    const char *what;
    const struct onnx_tensor *of[2];
    uint32_t numbers[2];
    struct onnx_tensor *made;
    struct onnx_shared *next;
};

#define ONNX_KNOWN_BUCKETS 256

struct onnx_known_operator;

struct onnx_plan {
    struct onnx_arena arena;
    const struct onnx_model *model;
    struct onnx_expansion expansion; /* what bodies may still become */
    uint32_t fold_limit;
    bool has_float32_intermediates; /* see widen.h */
    uint64_t host_limit, host_bytes; /* of tensors that planning writes out, without small ones */
    uint64_t looked_at;              /* inputs whose elements are known, as in `depends` */
    uint64_t unknown;                /* .. that some shape depends on, and are not */
    struct onnx_source *sources;
    uint32_t source_count, source_room;
    struct onnx_plan_node *nodes;
    uint32_t node_count, node_room, live_count;
    uint32_t input_count;
    const struct onnx_plan_input *inputs; /* NULL: there are none yet */
    bool *looked_at_inputs;
    struct onnx_range *ranges; /* of inputs */
    struct onnx_growing_size *growing; /* likewise */
    struct onnx_input_readers *readers; /* likewise, see growing_sizes.c; NULL: no size grows */
    uint32_t first_cache; /* the first input that grows by what nodes append to it; ONNX_NONE: none does */
    uint32_t room;        /* new rows that a cache has room for after those of the run */
    uint32_t needed_room; /* what a node needs of that */
    bool allows_growing; /* the node that is being translated takes tensors with growing dimensions */
    uint64_t fixed;      /* inputs all of whose sizes are fixed, as in `depends` */
    uint64_t grown;      /* inputs that have a growing size */
    uint64_t stepped;    /* of these those of onnx_growing_size::is_step */
    struct onnx_growth_hints *hints; /* or NULL */
    uint64_t to_fix;     /* of these those that something needs to be fixed; one of `stepped` stands for all */
    struct onnx_size_relation *relations;
    struct onnx_size_vector *vectors;
    uint32_t vector_count, vector_room;
    struct onnx_shared *shared;
    struct onnx_known_operator *known[ONNX_KNOWN_BUCKETS];
    uint32_t known_count;
    unsigned char *key; /* scratch */
    size_t key_room;
    struct onnx_graph_input *graph_inputs;
    uint32_t graph_input_count, graph_output_count;
    struct onnx_plan_output *outputs;
    uint32_t output_count;
    uint64_t *unread_bytes;
    uint32_t *unread; /* sources */
    uint32_t unread_count;
};

/* What the values of a graph are, and those of the graph around it. */
struct onnx_scope {
    const struct onnx_graph *graph;
    struct onnx_tensor **tensors;
    const struct onnx_scope *outer;
    const bool *widened;       /* of each node: computed in FLOAT, see widen.h; NULL: none is */
    struct onnx_tensor **wide; /* of each value that such a node reads or makes: in FLOAT, or NULL */
};

/* Constants of so few bytes are nodes of DirectML's graph, which sees what is in them; larger ones are OWNED_BY_DML. */
#define ONNX_CONSTANT_BYTES 1024

/* Tensors of this many bytes at most count as nodes do, see expansion.h. */
#define ONNX_SMALL_BYTES 4096

/* The bit of an input in `depends` and its like. */
static inline uint64_t onnx_bit_of(uint32_t input) {
    return (uint64_t)1 << (input < 63 ? input : 63);
}

DML_TENSOR_DATA_TYPE onnx_dml_type(enum onnx_type type);
enum onnx_type onnx_type_of_dml(DML_TENSOR_DATA_TYPE type);

/* ONNX_NONE where memory is out. */
uint32_t onnx_add_source(struct onnx_plan *plan, const struct onnx_source *source);

/* A tensor of a source, packed; NULL where memory is out. */
struct onnx_tensor *onnx_add_tensor(struct onnx_plan *plan, enum onnx_type type, uint32_t rank, const uint32_t *sizes,
                                    uint32_t source);

/* Data on the host as a tensor: the pointer is kept. */
struct onnx_tensor *onnx_add_data(struct onnx_plan *plan, enum onnx_type type, uint32_t rank, const uint32_t *sizes,
                                  const void *data, size_t bytes, uint64_t depends);

/* Tensors of the same sizes get those by which the operator before makes one, where all lie by them, too: a graph does
 * what goes element by element with what is before it where both have the same sizes. False where memory is out. */
bool onnx_align(const struct onnx_call *call, uint32_t count, struct onnx_tensor **tensors);

/* Elements of a tensor that is known, packed: its own where they are, else a copy. */
const void *onnx_packed(struct onnx_plan *plan, const struct onnx_tensor *tensor);

/* Element i of packed data as an integer; false: of no integer type. */
bool onnx_read_int(enum onnx_type type, const unsigned char *data, uint64_t i, int64_t *value);

/* Element i of packed data as a number, of integers the nearest double; false: of no type of numbers. */
bool onnx_read_float(enum onnx_type type, const unsigned char *data, uint64_t i, double *value);

bool onnx_memory_is_out(const struct onnx_call *call);

/* Of each value whether a node that is needed reads it, or the graph's user. NULL where memory is out. */
bool *onnx_find_wanted(struct onnx_arena *arena, const struct onnx_graph *graph);
bool onnx_is_needed(const struct onnx_node *node, const bool *wanted);

/* Translates a node of a scope, which gets its outputs. */
bool onnx_translate_node(struct onnx_plan *plan, const struct onnx_scope *scope, const struct onnx_node *node,
                         const bool *wanted, struct onnx_error *error);

/* Translates nodes of a scope in their order, those whose outputs something reads. */
bool onnx_translate(struct onnx_plan *plan, const struct onnx_scope *scope, struct onnx_error *error);

/* A plan that is still empty; NULL where memory is out. */
struct onnx_plan *onnx_plan_start(const struct onnx_model *model, const struct onnx_graph *graph,
                                  const struct onnx_plan_options *options);

/* The scope of the whole graph, with its constants, and its inputs where they are not NULL. */
bool onnx_plan_scope(struct onnx_plan *plan, const struct onnx_graph *graph, const struct onnx_plan_input *inputs,
                     struct onnx_scope *scope, struct onnx_error *error);

/* Inputs, as in `depends`, that some shape depended on, that were not looked at, and that are given. */
uint64_t onnx_plan_more(const struct onnx_plan *plan, uint32_t input_count, const struct onnx_plan_input *inputs);

/* ---- growing_sizes.c ---- */

/* Finds the inputs that may grow. Call it before the inputs are added. Returns false where memory is out. */
bool onnx_find_growing(struct onnx_plan *plan, const struct onnx_graph *graph);

/* Lets a size of an input grow, if what reads the input allows it: `sizes` are then padded, otherwise the input's, and
 * `dimension` is NULL. needed_room says whether the plan's room is too little. Returns false where memory is out. */
bool onnx_grow_input(struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t index,
                     uint32_t sizes[ONNX_MAX_RANK], const struct onnx_growing_dimension **dimension);

/* Marks inputs whose growing sizes must be fixed. Returns false with a reason. */
bool onnx_fix_sizes(const struct onnx_call *call, uint64_t inputs);

/* The same because of the node's operator or types, whatever the sizes are. */
bool onnx_never_grow(const struct onnx_call *call, uint64_t inputs);

/* Integers and BOOL. */
bool onnx_is_exact_type(enum onnx_type type);

/* Whether an operator gives the same bits for operands that are constants and for operands that are not. */
bool onnx_is_exact(const DML_OPERATOR_DESC *op, uint32_t count, struct onnx_tensor *const *tensors);

/* ---- growing_parts.c ---- */

/* What a plan makes room for where a run has a growing size. It is the same for a size plus a number. */
uint32_t onnx_capacity(const struct onnx_call *call, const struct onnx_size_element *size);

/* ---- growing_nodes.c ---- */

/* Whether a node may read a tensor with a growing dimension as this input. */
bool onnx_takes_growing(const struct onnx_node *node, uint32_t input);

/* Translates a node whose inputs may have growing dimensions. False with a reason. */
bool onnx_translate_growing(const struct onnx_call *call, onnx_translation translate);

/* ---- range.c ---- */

/* Makes the plan hold only where the growing size of an input is that of another plus a number. False: now it is not,
 * or memory is out. */
bool onnx_relate_sizes(struct onnx_plan *plan, uint32_t input, uint32_t of, int64_t added);

/* Makes the plan hold only where a growing size is within a range. False: now it is not. */
bool onnx_narrow_size(const struct onnx_call *call, const struct onnx_size_element *size, int64_t least, int64_t most);

/* ---- size_nodes.c ---- */

/* Whether the elements of a tensor are computed from growing sizes by the plan's user. */
bool onnx_is_of_sizes(const struct onnx_plan *plan, const struct onnx_tensor *tensor);

/* Elements of an input of the node that are computed from sizes, or known. False: they are neither, or too many. */
bool onnx_read_size_vector(const struct onnx_call *call, uint32_t index, uint32_t *count,
                           struct onnx_size_element *elements, uint32_t most);

/* Computes a node whose inputs are computed from sizes. False: the node is to be translated as others are; or it
 * failed, with a reason. */
bool onnx_compute_sizes(const struct onnx_call *call);

/* The one element of a tensor that is computed from growing sizes; false: it is none. */
bool onnx_read_size(const struct onnx_plan *plan, const struct onnx_tensor *tensor, struct onnx_size_element *element);

/* A walk over a graph that goes on after refused nodes, with what the model states of their outputs. */
struct onnx_node_report;
struct onnx_walk {
    const struct onnx_plan_input *inputs; /* NULL: inputs too are what the model states */
    bool skips_unneeded;                  /* nodes that no output depends on are not translated */
    const struct onnx_open_sizes *open;   /* NULL: a value with an open size is not known; else: */
    const uint32_t *assumed;              /* what each open size is taken to be */
    uint32_t assumed_rank;                /* of outputs of nodes with bodies, if the model states none; 0: not known */
    const bool *chosen;                   /* the nodes to visit; NULL: all */
    const bool *ends;                     /* becomes true when `tell` has seen enough; or NULL */
    void (*tell)(void *data, const struct onnx_node_report *report); /* or NULL */
    void *data;
};
bool onnx_walk(struct onnx_plan *plan, const struct onnx_graph *graph, const struct onnx_walk *walk,
               struct onnx_error *error);

/* Which operators are live, what DirectML's graph reads and what of it is bound and not read. */
bool onnx_finish_plan(struct onnx_plan *plan);

#endif
