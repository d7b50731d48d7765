/* Networks whose sizes change, as graphs of operators, for measuring what a new size costs the host. */
#ifndef BENCH_HOST_NETWORK_H
#define BENCH_HOST_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include <vkdml/vkdml.h>

enum {
    NETWORK_NODES = 1024,
    NETWORK_EDGES = 3 * NETWORK_NODES,
    NETWORK_INPUTS = 1024,
    NETWORK_OUTPUTS = 64,
    NETWORK_OPERATORS = 64,
};

/* Points into itself: it must stay where it is. */
struct network {
    VkdmlDevice device;
    bool failed;
    VkdmlOperator operators[NETWORK_OPERATORS]; /* blocks of one kind share them; NULL: not created yet */
    DML_OPERATOR_GRAPH_NODE_DESC node_descs[NETWORK_NODES];
    DML_GRAPH_NODE_DESC nodes[NETWORK_NODES];
    DML_INPUT_GRAPH_EDGE_DESC inputs[NETWORK_EDGES];
    DML_INTERMEDIATE_GRAPH_EDGE_DESC intermediates[NETWORK_EDGES];
    DML_OUTPUT_GRAPH_EDGE_DESC outputs[NETWORK_OUTPUTS];
    DML_GRAPH_EDGE_DESC edges[3][NETWORK_EDGES]; /* to inputs, between nodes, from outputs */
    uint64_t input_bytes[NETWORK_INPUTS];
    uint64_t weight_ids[NETWORK_INPUTS]; /* 0: no weight */
    uint64_t output_bytes[NETWORK_OUTPUTS];
    DML_GRAPH_DESC desc;
};

/* Describes a network for a size, from nothing; operators are created, and are to be destroyed whatever comes of it.
 * False with the reason on stderr. */
typedef bool network_describe(struct network *network, VkdmlDevice device, uint32_t size);

/* Convolutions, then blocks that mix by attention, over lines of text of a width: 433 nodes. */
bool network_recognizer(struct network *network, VkdmlDevice device, uint32_t width);

/* 24 layers of a decoder that reads one token after `past` others. */
bool network_decoder(struct network *network, VkdmlDevice device, uint32_t past);

void network_destroy(struct network *network);

#endif
