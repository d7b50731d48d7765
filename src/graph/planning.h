/* A graph on its way to a plan: what becomes of its nodes and values. */
#ifndef VKDML_GRAPH_PLANNING_H
#define VKDML_GRAPH_PLANNING_H

#include "graph/graph.h"
#include "graph/place.h"
#include "plan/builder.h"
#include "vkdml/operator.h"

/* What becomes of a node. */
struct vkdml_node_plan {
    struct vkdml_instance instance; /* the operator's, but for the flags of its inputs */
    struct vkdml_plan plan;
    bool is_fixed;  /* the same in every execution: done at initialization */
    bool is_view;   /* all that it gives lies among the bytes of other values: there is nothing to do */
    uint32_t level; /* of those that are neither: what it waits for has lower ones */
    uint32_t ready; /* the first level that may read what it gives */
};

/* What becomes of a value. */
struct vkdml_value_plan {
    struct vkdml_origin early; /* where it lies at initialization; what is not there has type UNKNOWN */
    struct vkdml_origin late;  /* where it lies in executions */
    bool is_fixed;             /* known at initialization */
    bool is_kept;              /* .. and needed afterwards */
    uint32_t whole;            /* the value among whose bytes its own lie; itself: it has bytes of its own */
    uint64_t at;               /* where they begin there */
    const uint32_t *strides;   /* NULL, or that its readers are to take, for what they have in their descriptors */
    bool is_dense;             /* some reader cannot */
    /* Of one that has bytes of its own, with all that lie among them: */
    uint32_t first;   /* level that writes any */
    uint32_t last;    /* level that reads any, at least `first` */
    uint32_t readers; /* inputs of nodes of that level that read any */
};

struct vkdml_graph_planning {
    const struct vkdml_graph *graph;
    const struct vkdml_plan_limits *limits;
    VkdmlCompileFlags flags;
    struct vkdml_report *report;
    struct vkdml_plan *plan;
    struct vkdml_builder builder; /* of executions */
    struct vkdml_builder initialization;
    struct vkdml_node_plan *nodes;
    struct vkdml_value_plan *values;
    struct vkdml_block *blocks;   /* a value's, then each node's scratch memory */
    struct vkdml_tensor *tensors; /* of a node's inputs, with other flags: by source */
    struct vkdml_origin *origins; /* of one node's tensors */
    uint32_t *order;              /* nodes by their level in executions, fixed ones last */
    uint32_t *starts;             /* scratch: where levels begin in it; by value: what no level may go beyond */
};

/* Whether a node has steps in executions. */
static inline bool vkdml_node_executes(const struct vkdml_graph_planning *planning, uint32_t node) {
    return !planning->nodes[node].is_fixed && !planning->nodes[node].is_view;
}

/* The value with bytes of its own among which those of another lie, and where. */
uint32_t vkdml_graph_whole(const struct vkdml_graph_planning *planning, uint32_t value, uint64_t *at);

/* Finds values that are read with other strides from what nodes would move to them. Before nodes are planned. */
void vkdml_graph_find_strided(struct vkdml_graph_planning *planning);

/* Finds values that need no bytes of their own because nodes only move elements: what is taken out of a value, and what
 * is put into one. The steps that would move them go from the nodes' plans. */
void vkdml_graph_find_views(struct vkdml_graph_planning *planning);

/* Lets outputs lie over inputs that nobody reads any more, where the nodes' plans allow it. Levels stand. */
void vkdml_graph_find_overwritten(struct vkdml_graph_planning *planning);

/* Finds levels, each node as early as it may, but later where less memory is then needed; the values' lifetimes; and
 * the order. */
void vkdml_graph_find_levels(struct vkdml_graph_planning *planning);

/* Finds where all values lie. */
VkdmlResult vkdml_graph_place_values(struct vkdml_graph_planning *planning);

#endif
