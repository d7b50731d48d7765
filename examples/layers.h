/* Networks as one graph: each layer is a node, an operator of DirectML's, with the weights that it takes. */
#ifndef EXAMPLES_LAYERS_H
#define EXAMPLES_LAYERS_H

#include "application.h"

/* What goes from node to node: FLOAT32, of four dimensions. */
struct value {
    uint32_t sizes[4], strides[4]; /* strides count elements */
    uint64_t bytes;                /* from the first element to the last */
    bool is_input;                 /* of the graph; else what a node makes */
    uint32_t index;                /* of the input, or of the node */
};

/* What an input of the graph holds: random numbers from center - spread to center + spread. */
struct input {
    uint64_t bytes, offset; /* in the buffer */
    bool is_weight;         /* read once, when the graph is initialized (OWNED_BY_DML) */
    float center, spread;
};

struct node {
    const char *name;
    DML_OPERATOR_TYPE type;
    uint32_t sizes[4]; /* of what it makes */
};

enum { MAX_NODES = 192, MAX_INPUTS = 288, MAX_EDGES = 2 * MAX_NODES }; /* enough for ResNet-50 */

struct network {
    struct application *app;
    bool failed; /* a call did, which has been told */
    uint32_t input_count, node_count, input_edge_count, edge_count;
    struct input inputs[MAX_INPUTS];
    struct node nodes[MAX_NODES];
    VkdmlOperator operators[MAX_NODES];
    uint64_t weight_bytes, node_bytes; /* of all weights, and of what all nodes make */

    /* What the graph's description is made of. */
    DML_OPERATOR_GRAPH_NODE_DESC node_descs[MAX_NODES];
    DML_GRAPH_NODE_DESC graph_nodes[MAX_NODES];
    DML_INPUT_GRAPH_EDGE_DESC input_edges[MAX_INPUTS];
    DML_INTERMEDIATE_GRAPH_EDGE_DESC edges[MAX_EDGES];
    DML_OUTPUT_GRAPH_EDGE_DESC output_edge;
    DML_GRAPH_EDGE_DESC graph_input_edges[MAX_INPUTS], graph_edges[MAX_EDGES], graph_output_edge;
    DML_GRAPH_DESC desc;

    VkdmlDispatchable compiled, initializer;
    VkdmlBindingTable table, initializer_table;
    VkdmlBindingProperties needs;
    VkdmlBufferBinding output;
};

#define SIZES(...)   ((const uint32_t[4]){__VA_ARGS__})
#define STRIDES(...) ((const uint32_t[4]){__VA_ARGS__})

/* What the graph is given at each execution. */
struct value take(struct network *net, const uint32_t sizes[4]);

/* The same elements by other sizes and strides: no node is needed for that. */
struct value view(const struct value *value, const uint32_t sizes[4], const uint32_t strides[4]);

struct filter {
    uint32_t channels, size, stride, groups;
};

/* Each of these adds a node, and returns what it makes. */

/* Padded so that pictures keep their size, but for the stride. */
struct value convolve(struct network *net, const char *name, struct value x, struct filter filter, bool has_bias);
struct value normalize_batch(struct network *net, const char *name, struct value x);
/* Of windows that are padded as convolutions are, but for those of even sizes. */
struct value take_maxima(struct network *net, const char *name, struct value x, uint32_t size, uint32_t stride);
/* Of whole pictures. */
struct value average(struct network *net, const char *name, struct value x);
struct value add(struct network *net, const char *name, struct value a, struct value b);
struct value relu(struct network *net, struct value x);
struct value gelu(struct network *net, struct value x);
/* row x weights + bias of each row. */
struct value connect(struct network *net, const char *name, struct value x, uint32_t columns);
/* scale * a x b, or a x b transposed, where the output is. */
struct value multiply(struct network *net, const char *name, struct value a, struct value b,
                      DML_MATRIX_TRANSFORM transform, float scale, const uint32_t sizes[4], const uint32_t strides[4]);
/* Of each row. */
struct value softmax(struct network *net, const char *name, struct value x);
/* Each row to mean 0 and variance 1, then weighted. */
struct value normalize(struct network *net, const char *name, struct value x);

/* All of these return false with the reason on stderr; network_destroy() is due either way. */

/* Compiles the graph of all nodes, with one output, makes a buffer for everything, and fills the inputs. */
bool network_compile(struct network *net, struct value output);
/* Takes the weights to where the graph keeps them. */
bool network_initialize(struct network *net);
/* Executes the graph once, and tells how many milliseconds that took, submission and wait included. */
bool network_run(struct network *net, double *milliseconds);
/* Holds the latest output to the CPU reference's, within so much. */
bool network_check(struct network *net, float tolerance);
const float *network_output(const struct network *net);
void network_destroy(struct network *net);

/* Milliseconds since some point of the past. */
double now(void);

/* Prints the likeliest classes, so many, with bars. */
void print_classes(const float *probabilities, uint32_t class_count, uint32_t count);

#endif
