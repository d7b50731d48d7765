/* Graphs of operators: what is known of one between reading and planning it. */
#ifndef VKDML_GRAPH_GRAPH_H
#define VKDML_GRAPH_GRAPH_H

#include "base/report.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "vkdml/graph.h"

#define VKDML_GRAPH_NONE UINT32_MAX

struct vkdml_epilogue;
struct vkdml_program;

/* Bytes that a graph input, a constant or a node's output is: whoever reads them has sizes and strides of its own. */
struct vkdml_graph_value {
    uint64_t bytes;     /* TotalTensorSizeInBytes of all that meet here; 0: unused */
    uint32_t node;      /* that makes it; VKDML_GRAPH_NONE: it is a graph input */
    uint32_t output;    /* which of its outputs, or of the graph's inputs */
    uint32_t readers;   /* inputs of nodes */
    uint32_t outputs;   /* of the graph that it is */
    bool owned;         /* a graph input that is OWNED_BY_DML */
    uint32_t alignment; /* the greatest GuaranteedBaseOffsetAlignment of its readers; 0: none */
};

struct vkdml_graph_node {
    const struct vkdml_instance *instance; /* NULL: a constant, a program, or gone */
    struct vkdml_instance *own;            /* NULL, or the same made by a pass: freed with the graph */
    struct vkdml_program *program;         /* NULL, or what is done in place of an operator's work: the graph's own */
    struct vkdml_epilogue *tail; /* NULL, or what becomes of output 0: the graph's own; its operands are the inputs
                                    behind the operator's, by index */
    bool is_gone;                /* its work is another's now: it has neither inputs nor outputs */
    uint32_t into;               /* whose work it is then, one more than the index; 0: nobody's */
    const char *name;            /* the caller's; may be NULL */
    char *own_name;              /* NULL, or the name of a node that a pass added: freed with the graph */
    const void *data;            /* of a constant, the caller's */
    size_t data_bytes;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t first_source; /* of its inputs among the graph's sources */
    uint32_t first_value;  /* of its outputs among the graph's values */
};

/* How many its arrays have room for. */
struct vkdml_graph_room {
    uint32_t nodes;
    uint32_t sources;
    uint32_t values;
};

/* Whether there is something to do for a node: its operator's work, or a program's, whose operands are then its inputs.
 */
static inline bool vkdml_graph_works(const struct vkdml_graph_node *node) {
    return node->instance != NULL || node->program != NULL;
}

/* Made by vkdml_graph_read(), freed by vkdml_graph_destroy(). Borrows the operators' instances, names and data. */
struct vkdml_graph {
    const VkAllocationCallbacks *callbacks;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t node_count;
    uint32_t value_count;
    uint32_t source_count;
    uint32_t given_count; /* nodes of the descriptor: they come first, those that passes add behind them */
    struct vkdml_graph_room room;
    void *grown; /* NULL, or the memory of the arrays that grew */
    struct vkdml_graph_node *nodes;
    struct vkdml_graph_value *values; /* the graph's inputs, then the nodes' outputs, in order */
    uint32_t *sources;                /* by node input: the value that it reads; VKDML_GRAPH_NONE of an absent one */
    uint32_t *outputs;                /* by graph output: the value that it is */
    uint64_t *written;                /* by graph output: bytes from the first on that each execution writes */
    uint32_t *levels;                 /* by node: 0 where it reads no other, else one more than the greatest of those */
    uint32_t *order;                  /* nodes by level */
    struct vkdml_outline *outline;    /* NULL: nobody asks what becomes of it; else the asker's */
};

/* Nodes, inputs and outputs of a graph, at most. */
#define VKDML_GRAPH_MOST (1 << 20)

/* Whether a descriptor's pointers and counts can be read; else the report has why. */
bool vkdml_graph_is_readable(const DML_GRAPH_DESC *desc, struct vkdml_report *report);

/* Copies a readable descriptor and holds it to the rules. instances: the nodes', NULL for constants; those of operators
 * that could not be read were reported. All failures are in the report, with nothing left behind. */
VkdmlResult vkdml_graph_read(const DML_GRAPH_DESC *desc, const struct vkdml_instance *const *instances,
                             const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                             struct vkdml_graph **graph);

/* NULL is ignored. */
void vkdml_graph_destroy(struct vkdml_graph *graph);

/* Finds the nodes' order. VKDML_ERROR_INVALID_ARGUMENT where they go in a circle, which the report then names. */
VkdmlResult vkdml_graph_order(struct vkdml_graph *graph, struct vkdml_report *report);

/* Joins nodes to fewer that give the same, by all passes that there are, and finds their order again. level: of the
 * device. Notes say what was done, and what was not and why. */
VkdmlResult vkdml_graph_fuse(struct vkdml_graph *graph, DML_FEATURE_LEVEL level, const struct vkdml_plan_limits *limits,
                             struct vkdml_report *report);

/* The same by patterns alone, which know operators: no maps are joined to programs behind them. */
VkdmlResult vkdml_graph_fuse_patterns(struct vkdml_graph *graph, DML_FEATURE_LEVEL level,
                                      const struct vkdml_plan_limits *limits, struct vkdml_report *report);

/* Gives a node another operator of the same inputs and outputs, by index, which the graph owns from then on. */
void vkdml_graph_replace(struct vkdml_graph *graph, uint32_t node, struct vkdml_instance *own);

/* Lets input `index` of a node read another value, VKDML_GRAPH_NONE for none. */
void vkdml_graph_set_source(struct vkdml_graph *graph, uint32_t node, uint32_t index, uint32_t value);

/* Lets all who read a value, the graph's outputs among them, read another of as many bytes. */
void vkdml_graph_redirect(struct vkdml_graph *graph, uint32_t from, uint32_t to);

/* Takes a node away, of whose outputs nobody reads any. */
void vkdml_graph_drop(struct vkdml_graph *graph, uint32_t node);

/* Gives a node an input more, behind its others, that reads a value. Pointers to the graph's arrays end here. */
VkdmlResult vkdml_graph_add_input(struct vkdml_graph *graph, uint32_t node, uint32_t value,
                                  struct vkdml_report *report);

/* Adds a node behind the others: an operator, whose outputs nobody reads yet and whose inputs are to be set. The graph
 * owns it, and destroys it where memory is out. The name is copied. Pointers into the graph's arrays end here. */
VkdmlResult vkdml_graph_add_node(struct vkdml_graph *graph, struct vkdml_instance *own, const char *name,
                                 struct vkdml_report *report, uint32_t *node);

/* The same of a constant, whose data is borrowed: its size is a multiple of 4. */
VkdmlResult vkdml_graph_add_constant(struct vkdml_graph *graph, const void *data, size_t bytes, const char *name,
                                     struct vkdml_report *report, uint32_t *node);

/* The value that input `index` of a node reads, or VKDML_GRAPH_NONE; and the one that an output of it is. */
uint32_t vkdml_graph_source(const struct vkdml_graph *graph, uint32_t node, uint32_t index);
uint32_t vkdml_graph_value_of(const struct vkdml_graph *graph, uint32_t node, uint32_t output);

/* "Nodes[3] (conv1)": what reasons call a node. At least 10 characters are left. */
struct vkdml_graph_text {
    char text[96];
};

struct vkdml_graph_text vkdml_graph_node_text(uint32_t index, const char *name);

#endif
