#include "graph/outline.h"

#include <string.h>

#include "base/memory.h"

static size_t bytes_of_nodes(size_t nodes) {
    return nodes * (sizeof(struct vkdml_outline_node) + sizeof(uint64_t)) + sizeof(uint64_t);
}

static void outline_node(struct vkdml_outline *outline, const struct vkdml_graph *graph, uint32_t n) {
    const struct vkdml_graph_node *node = &graph->nodes[n];
    outline->nodes[n].schema = node->instance != NULL ? node->instance->schema : NULL;
    for (uint32_t i = 0; i < node->output_count; ++i) {
        outline->nodes[n].output_bytes += graph->values[node->first_value + i].bytes;
    }
}

struct vkdml_outline *vkdml_outline_create(struct vkdml_graph *graph, struct vkdml_report *report) {
    const size_t bytes = sizeof(struct vkdml_outline) + bytes_of_nodes(graph->node_count);
    struct vkdml_outline *outline = vkdml_allocate(graph->callbacks, bytes);
    if (outline == NULL) {
        vkdml_report_out_of_memory(report, bytes, "what is told of a graph");
        return NULL;
    }
    outline->callbacks = graph->callbacks;
    outline->node_count = outline->room = graph->node_count;
    outline->nodes = (struct vkdml_outline_node *)(outline + 1);
    outline->level_bytes = (uint64_t *)(outline->nodes + graph->node_count);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        outline_node(outline, graph, n);
    }
    graph->outline = outline;
    return outline;
}

VkdmlResult vkdml_outline_add_node(struct vkdml_graph *graph, struct vkdml_report *report) {
    struct vkdml_outline *outline = graph->outline;
    if (outline == NULL) {
        return VKDML_SUCCESS;
    }
    if (graph->node_count > outline->room) { /* levels come after all nodes */
        const uint32_t room = graph->node_count + graph->node_count / 2;
        struct vkdml_outline_node *nodes = vkdml_allocate(outline->callbacks, bytes_of_nodes(room));
        if (nodes == NULL) {
            return vkdml_report_out_of_memory(report, bytes_of_nodes(room), "what is told of a graph");
        }
        memcpy(nodes, outline->nodes, outline->node_count * sizeof *nodes);
        vkdml_free(outline->callbacks, outline->grown);
        outline->grown = outline->nodes = nodes;
        outline->level_bytes = (uint64_t *)(nodes + room);
        outline->room = room;
    }
    outline->node_count = graph->node_count;
    outline_node(outline, graph, graph->node_count - 1);
    return VKDML_SUCCESS;
}

void vkdml_outline_destroy(struct vkdml_outline *outline) {
    if (outline != NULL) {
        vkdml_free(outline->callbacks, outline->grown);
        vkdml_free(outline->callbacks, outline);
    }
}

void vkdml_outline_begin_node(struct vkdml_outline *outline, uint32_t node, bool is_fixed, uint32_t level,
                              const struct vkdml_plan *plan) {
    if (outline != NULL) {
        outline->nodes[node].is_fixed = is_fixed;
        outline->nodes[node].level = level;
        outline->nodes[node].steps.first = plan->steps.count;
        outline->nodes[node].init_steps.first = plan->init_steps.count;
    }
}

void vkdml_outline_end_node(struct vkdml_outline *outline, uint32_t node, const struct vkdml_plan *plan) {
    if (outline != NULL) {
        struct vkdml_outline_node *outlined = &outline->nodes[node];
        outlined->steps.count = plan->steps.count - outlined->steps.first;
        outlined->init_steps.count = plan->init_steps.count - outlined->init_steps.first;
    }
}

void vkdml_outline_memory(struct vkdml_outline *outline, const struct vkdml_block *blocks, uint32_t count) {
    if (outline == NULL) {
        return;
    }
    for (uint32_t b = 0; b < count; ++b) {
        if (blocks[b].last + 1 > outline->level_count) {
            outline->level_count = blocks[b].last + 1;
        }
    }
    if (outline->level_count > 0) {
        outline->least_bytes = vkdml_place_bound(blocks, count, outline->level_bytes, outline->level_count);
    }
}
