/* A model's graph as the library takes it. */
#ifndef GRAPH_BUILD_H
#define GRAPH_BUILD_H

#include <vkdml/graph.h>

#include "model/model.h"

struct graph_build {
    DML_GRAPH_DESC desc;
    VkdmlOperator *operators; /* by node */
    void *memory;             /* what desc points to */
};

/* Creates the operators of a graph and describes it. False, with the reason on stderr, on failure; to be ended either
 * way. */
bool graph_build_begin(struct graph_build *build, const struct model *model, const struct dispatchable *dispatchable,
                       VkdmlDevice device);

/* What was compiled of it lives on. */
void graph_build_end(struct graph_build *build);

#endif
