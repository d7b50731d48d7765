/* Dispatchables on the device under test, with all that they read and write in host memory before and after. */
#ifndef GRAPH_EXECUTE_H
#define GRAPH_EXECUTE_H

#include "cases/gpu.h"
#include "random_graph.h"

/* Bytes of an input; NULL where nothing is bound. */
struct given {
    const unsigned char *data;
    uint32_t bytes;
    bool is_owned;
};

/* Where the results of the two executions go. */
struct result {
    unsigned char *data[2];
    uint32_t bytes; /* 0: nothing is bound */
};

struct execution {
    VkdmlDispatchable compiled;
    bool has_store; /* its weights are in a store, which is initialized region by region */
    uint32_t input_count;
    struct given inputs[GRAPH_MAX_BINDINGS];
    uint32_t output_count;
    struct result outputs[GRAPH_MAX_BINDINGS];
};

/* Initializes and executes twice. Before each execution temporary memory and outputs have another pattern in them, and
 * what is OWNED_BY_DML is no longer what it was. Nothing else in the buffer may change, guards around everything
 * included. False, with the reason, where it did or something failed. */
bool execute_twice(struct gpu *gpu, const struct execution *execution, uint64_t seed, char *text, size_t size);

/* Frees what execute_twice() keeps from call to call. */
void execute_end(void);

#endif
