/* What passes change a graph by. */
#include <assert.h>

#include "graph/graph.h"

void vkdml_graph_replace(struct vkdml_graph *graph, uint32_t node, struct vkdml_instance *own) {
    struct vkdml_graph_node *replaced = &graph->nodes[node];
    assert(own->input_count == replaced->input_count && own->output_count == replaced->output_count);
    vkdml_instance_destroy(replaced->own, graph->callbacks);
    replaced->own = own;
    replaced->instance = own;
}

void vkdml_graph_set_source(struct vkdml_graph *graph, uint32_t node, uint32_t index, uint32_t value) {
    uint32_t *source = &graph->sources[graph->nodes[node].first_source + index];
    if (*source != VKDML_GRAPH_NONE) {
        --graph->values[*source].readers;
    }
    *source = value;
    if (value != VKDML_GRAPH_NONE) {
        ++graph->values[value].readers;
    }
}

/* Readers come behind who makes what they read, as a rule, and soon: the search begins there, and goes around. */
static void redirect_readers(struct vkdml_graph *graph, uint32_t from, uint32_t to) {
    const uint32_t node = graph->values[from].node;
    const uint32_t first = node != VKDML_GRAPH_NONE ? graph->nodes[node].first_source : 0;
    for (uint32_t i = 0; i < graph->source_count && graph->values[from].readers > 0; ++i) {
        const uint32_t s = i < graph->source_count - first ? first + i : first + i - graph->source_count;
        if (graph->sources[s] == from) {
            graph->sources[s] = to;
            --graph->values[from].readers;
            ++graph->values[to].readers;
        }
    }
}

void vkdml_graph_redirect(struct vkdml_graph *graph, uint32_t from, uint32_t to) {
    if (graph->values[from].node != VKDML_GRAPH_NONE) {
        graph->nodes[graph->values[from].node].into = graph->values[to].node + 1; /* NONE: 0 */
    }
    redirect_readers(graph, from, to);
    for (uint32_t i = 0; i < graph->output_count && graph->values[from].outputs > 0; ++i) {
        if (graph->outputs[i] == from) {
            graph->outputs[i] = to;
            --graph->values[from].outputs;
            ++graph->values[to].outputs;
        }
    }
}

void vkdml_graph_drop(struct vkdml_graph *graph, uint32_t node) {
    struct vkdml_graph_node *dropped = &graph->nodes[node];
    for (uint32_t i = 0; i < dropped->input_count; ++i) {
        vkdml_graph_set_source(graph, node, i, VKDML_GRAPH_NONE);
    }
    for (uint32_t i = 0; i < dropped->output_count; ++i) {
        struct vkdml_graph_value *value = &graph->values[dropped->first_value + i];
        assert(value->readers == 0 && value->outputs == 0);
        value->bytes = 0;
    }
    dropped->is_gone = true;
    dropped->instance = NULL;
    dropped->data = NULL;
    dropped->input_count = 0;
    dropped->output_count = 0;
}
