/* Breaking one thing of a graph that is good. */
#ifndef GRAPH_BREAKING_H
#define GRAPH_BREAKING_H

#include "built.h"

/* What breaking needs beside the graph. */
struct breaking {
    struct random *random;
    const struct random_graph *made;
    struct graph *graph;
    VkdmlOperator other; /* IDENTITY of `other_bytes`, which no other tensor has */
    uint32_t other_bytes;
    VkdmlOperator foreign; /* of another device */
};

/* A way to break a graph: false where this one has nothing of the kind, and is as it was. */
struct way {
    const char *name;
    bool (*break_it)(const struct breaking *breaking);
    const char *reason; /* part of it; NULL: it names a node or an edge, whichever comes first */
};

extern const struct way ways[];
extern const uint32_t way_count;

#endif
