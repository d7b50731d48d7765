/* Graphs of nodes of FLOAT32 that are executed on a device, as a whole and node by node, and by the reference. */
#ifndef UNIT_GRAPH_EXECUTION_H
#define UNIT_GRAPH_EXECUTION_H

#include <stddef.h>

#include "graph_fixture.h"

#define MOST       8    /* inputs or outputs of a graph */
#define PART_BYTES 8192 /* .. each of which lies at a multiple of this */
#define OUTPUTS_AT (VULKAN_BUFFER_BYTES / 2)

extern struct graph graph;

/* Nodes more; their indices. SHRINK is in no program, and neither is a sum that it follows: each is a dispatch. */
uint32_t operator_node(DML_OPERATOR_TYPE type, const void *operator_desc, const char *name);
uint32_t relu_node(const uint32_t sizes[4]);
uint32_t add_node(const uint32_t sizes[4]);
uint32_t shrink_node(const uint32_t sizes[4]); /* 1 nearer to 0, so that what is read twice or too late shows */
uint32_t identity_node(const uint32_t sizes[4]);
uint32_t slice_node(const uint32_t sizes[4], const uint32_t offsets[4], const uint32_t taken[4]);
uint32_t split_node(const uint32_t sizes[4], uint32_t axis); /* in halves */
uint32_t join_node(const uint32_t (*parts)[4], uint32_t count, uint32_t axis);

/* The graph, empty, and edges of its inputs and outputs. */
void begin_graph(uint32_t inputs, uint32_t outputs);
void feed(uint32_t index, uint32_t to, uint32_t to_input, const uint32_t sizes[4]);
void yield_as(uint32_t from, uint32_t from_output, uint32_t index, const uint32_t sizes[4]);

/* Edges between nodes, a list of {from, its output, to, its input}. */
struct joint {
    uint32_t from;
    uint32_t output;
    uint32_t to;
    uint32_t input;
};

void join_all(const struct joint *joints, size_t count);

#define JOINTS(...) ((const struct joint[]){__VA_ARGS__})
#define JOIN(...)   join_all(JOINTS(__VA_ARGS__), sizeof JOINTS(__VA_ARGS__) / sizeof(struct joint))

struct cost {
    uint32_t dispatches;
    uint32_t barriers;
    uint64_t temporary_bytes;
};

/* Executes the graph, and its nodes one by one, each over two fillings of the temporary memory; both give what the
 * reference gives. Ends it. */
struct cost agree(void);

/* With the kernels of GPUs and of CPUs, and where buffers begin at multiples of 256 alone. */
void on_each_device(void (*check)(void));

#endif
