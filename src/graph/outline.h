/* What became of a graph's nodes, for who asks: kept beside the graph while it is fused and planned. */
#ifndef VKDML_GRAPH_OUTLINE_H
#define VKDML_GRAPH_OUTLINE_H

#include "graph/graph.h"
#include "graph/place.h"

/* Steps of one kind that are a node's, one behind another. */
struct vkdml_outline_steps {
    uint32_t first;
    uint32_t count;
};

struct vkdml_outline_node {
    const VkdmlOperatorSchema *schema; /* before anything was fused; NULL: a constant */
    uint64_t output_bytes;
    bool is_fixed; /* done at initialization */
    uint32_t level;
    struct vkdml_outline_steps steps;
    struct vkdml_outline_steps init_steps;
};

/* Made before fusing, freed by vkdml_outline_destroy(). */
struct vkdml_outline {
    const VkAllocationCallbacks *callbacks;
    uint32_t node_count;
    uint32_t room; /* for nodes */
    void *grown;   /* NULL, or the arrays' memory once they grew */
    uint32_t level_count;
    struct vkdml_outline_node *nodes; /* by index */
    uint64_t *level_bytes;            /* of temporary memory that is needed at each level: room for one per node */
    uint64_t least_bytes;             /* the most of them, which no placement comes below */
};

/* NULL, and a line in the report, where memory is out. The graph has it from then on. */
struct vkdml_outline *vkdml_outline_create(struct vkdml_graph *graph, struct vkdml_report *report);
void vkdml_outline_destroy(struct vkdml_outline *outline);

/* Tells of a node more, the graph's last. */
VkdmlResult vkdml_outline_add_node(struct vkdml_graph *graph, struct vkdml_report *report);

/* Around a node's steps. Outlines may be NULL: then nothing is done. */
void vkdml_outline_begin_node(struct vkdml_outline *outline, uint32_t node, bool is_fixed, uint32_t level,
                              const struct vkdml_plan *plan);
void vkdml_outline_end_node(struct vkdml_outline *outline, uint32_t node, const struct vkdml_plan *plan);

/* Blocks of temporary memory by level. */
void vkdml_outline_memory(struct vkdml_outline *outline, const struct vkdml_block *blocks, uint32_t count);

#endif
