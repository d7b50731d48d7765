/* Nodes that passes add to a graph, behind those of its descriptor. */
#include <string.h>

#include "base/memory.h"
#include "graph/outline.h"

static uint32_t grow(uint32_t room, uint32_t needed) {
    return needed > room ? needed + needed / 2 : room;
}

/* Copies an array to where there is more room. */
static void *move(unsigned char **memory, const void *array, uint32_t count, uint32_t room, size_t size) {
    void *moved = *memory;
    memcpy(moved, array, count * size);
    *memory += (room * size + 15) / 16 * 16;
    return moved;
}

/* Makes room for a node more, in one allocation for all arrays: each time for half as much again. */
static VkdmlResult reserve(struct vkdml_graph *graph, uint32_t sources, uint32_t values, struct vkdml_report *report) {
    const struct vkdml_graph_room room = {grow(graph->room.nodes, graph->node_count + 1),
                                          grow(graph->room.sources, graph->source_count + sources),
                                          grow(graph->room.values, graph->value_count + values)};
    if (room.nodes == graph->room.nodes && room.sources == graph->room.sources && room.values == graph->room.values) {
        return VKDML_SUCCESS;
    }
    const uint64_t bytes =
        (uint64_t)room.nodes * (sizeof *graph->nodes + sizeof *graph->levels + sizeof *graph->order) +
        (uint64_t)room.values * sizeof *graph->values + (uint64_t)room.sources * sizeof *graph->sources +
        UINT64_C(16) * 5;
    void *grown = bytes <= SIZE_MAX ? vkdml_allocate(graph->callbacks, (size_t)bytes) : NULL;
    unsigned char *memory = grown;
    if (grown == NULL) {
        return vkdml_report_out_of_memory(report, (size_t)bytes, "nodes that are added to a graph");
    }
    graph->nodes = move(&memory, graph->nodes, graph->node_count, room.nodes, sizeof *graph->nodes);
    graph->values = move(&memory, graph->values, graph->value_count, room.values, sizeof *graph->values);
    graph->sources = move(&memory, graph->sources, graph->source_count, room.sources, sizeof *graph->sources);
    graph->levels = move(&memory, graph->levels, graph->node_count, room.nodes, sizeof *graph->levels);
    graph->order = move(&memory, graph->order, graph->node_count, room.nodes, sizeof *graph->order);
    vkdml_free(graph->callbacks, graph->grown);
    graph->grown = grown;
    graph->room = room;
    return VKDML_SUCCESS;
}

static char *copy_name(const struct vkdml_graph *graph, const char *name, struct vkdml_report *report) {
    const size_t bytes = strlen(name) + 1;
    char *copy = vkdml_allocate(graph->callbacks, bytes);
    if (copy == NULL) {
        vkdml_report_out_of_memory(report, bytes, "the name of a node that is added to a graph");
        return NULL;
    }
    return memcpy(copy, name, bytes);
}

/* The node is the graph's last, and comes last in its order, until that is found again. */
static VkdmlResult append(struct vkdml_graph *graph, const struct vkdml_graph_node *added, const uint64_t *bytes,
                          struct vkdml_report *report, uint32_t *index) {
    const uint32_t n = graph->node_count;
    VkdmlResult result = reserve(graph, added->input_count, added->output_count, report);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct vkdml_graph_node *node = &graph->nodes[n];
    *node = *added;
    node->first_source = graph->source_count;
    node->first_value = graph->value_count;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        graph->sources[graph->source_count++] = VKDML_GRAPH_NONE;
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        graph->values[graph->value_count++] = (struct vkdml_graph_value){
            .node = n, .output = i, .bytes = bytes != NULL ? *bytes : node->instance->outputs[i].total_bytes};
    }
    graph->levels[n] = 0;
    graph->order[n] = n;
    *index = n;
    ++graph->node_count; /* what the node owns is the graph's from here on */
    return VKDML_SUCCESS;
}

static VkdmlResult add(struct vkdml_graph *graph, struct vkdml_graph_node *node, const uint64_t *bytes,
                       const char *name, struct vkdml_report *report, uint32_t *index) {
    node->own_name = copy_name(graph, name, report);
    node->name = node->own_name;
    const VkdmlResult result =
        node->own_name != NULL ? append(graph, node, bytes, report, index) : VKDML_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VKDML_SUCCESS) {
        vkdml_free(graph->callbacks, node->own_name);
        vkdml_instance_destroy(node->own, graph->callbacks);
        return result;
    }
    return vkdml_outline_add_node(graph, report);
}

VkdmlResult vkdml_graph_add_input(struct vkdml_graph *graph, uint32_t node, uint32_t value,
                                  struct vkdml_report *report) {
    const uint32_t count = graph->nodes[node].input_count;
    const VkdmlResult result = reserve(graph, count + 1, 0, report);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    uint32_t *before = graph->sources + graph->nodes[node].first_source;
    uint32_t *after = graph->sources + graph->source_count;
    for (uint32_t i = 0; i < count; ++i) {
        after[i] = before[i];
        before[i] = VKDML_GRAPH_NONE; /* nobody's place */
    }
    after[count] = VKDML_GRAPH_NONE;
    graph->nodes[node].first_source = graph->source_count;
    graph->nodes[node].input_count = count + 1;
    graph->source_count += count + 1;
    vkdml_graph_set_source(graph, node, count, value);
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_graph_add_node(struct vkdml_graph *graph, struct vkdml_instance *own, const char *name,
                                 struct vkdml_report *report, uint32_t *node) {
    struct vkdml_graph_node added = {
        .instance = own, .own = own, .input_count = own->input_count, .output_count = own->output_count};
    return add(graph, &added, NULL, name, report, node);
}

VkdmlResult vkdml_graph_add_constant(struct vkdml_graph *graph, const void *data, size_t bytes, const char *name,
                                     struct vkdml_report *report, uint32_t *node) {
    struct vkdml_graph_node added = {.data = data, .data_bytes = bytes, .output_count = 1};
    const uint64_t value_bytes = bytes;
    return add(graph, &added, &value_bytes, name, report, node);
}
