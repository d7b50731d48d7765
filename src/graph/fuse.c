/* Passes over a graph, and what they change it by. */
#include <assert.h>

#include "base/memory.h"
#include "graph/pattern.h"

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

void vkdml_graph_redirect(struct vkdml_graph *graph, uint32_t from, uint32_t to) {
    if (graph->values[from].node != VKDML_GRAPH_NONE) {
        graph->nodes[graph->values[from].node].into = graph->values[to].node + 1; /* NONE: 0 */
    }
    for (uint32_t s = 0; s < graph->source_count && graph->values[from].readers > 0; ++s) {
        if (graph->sources[s] == from) {
            graph->sources[s] = to;
            --graph->values[from].readers;
            ++graph->values[to].readers;
        }
    }
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

/* In order: what copies is out of the way first, and what an activation is behind takes its addend before. Parts of a
 * normalization are found before others take them. A filter that takes in a normalization is behind its own addend, and
 * before the activation. Chains of maps, which take what is left, come behind these. */
static const struct vkdml_pattern *const patterns[] = {
    &vkdml_pattern_identity,      &vkdml_pattern_round_trip,
    &vkdml_pattern_normalization, &vkdml_pattern_normalization_scale,
    &vkdml_pattern_padding,       &vkdml_pattern_scale,
    &vkdml_pattern_bias,          &vkdml_pattern_batch,
    &vkdml_pattern_activation,
};

/* By value, whether it is known at initialization; outputs of the graph are made in executions. */
static void find_fixed(const struct vkdml_fusion *fusion) {
    const struct vkdml_graph *graph = fusion->graph;
    for (uint32_t v = 0; v < graph->input_count; ++v) {
        fusion->fixed[v] = graph->values[v].owned;
    }
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const struct vkdml_graph_node *node = &graph->nodes[graph->order[at]];
        bool is_fixed = true;
        for (uint32_t i = 0; i < node->input_count; ++i) {
            const uint32_t v = graph->sources[node->first_source + i];
            is_fixed = is_fixed && (v == VKDML_GRAPH_NONE || fusion->fixed[v]);
        }
        for (uint32_t i = 0; i < node->output_count; ++i) {
            is_fixed = is_fixed && (node->instance == NULL || graph->values[node->first_value + i].outputs == 0);
        }
        for (uint32_t i = 0; i < node->output_count; ++i) {
            fusion->fixed[node->first_value + i] = is_fixed;
        }
    }
}

/* To all nodes that there are. Those that it adds come in their place afterwards, for patterns to come. */
static VkdmlResult apply(struct vkdml_fusion *fusion, const struct vkdml_pattern *pattern) {
    struct vkdml_graph *graph = fusion->graph;
    const uint32_t count = graph->node_count;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t at = 0; at < count && result == VKDML_SUCCESS; ++at) {
        const struct vkdml_graph_node *node = &graph->nodes[graph->order[at]];
        if (node->instance != NULL && pattern->matches(node->instance)) {
            result = pattern->apply(fusion, graph->order[at]);
        }
    }
    if (result == VKDML_SUCCESS && graph->node_count > count) {
        result = vkdml_graph_order(graph, fusion->report);
    }
    return result;
}

/* Constants that nobody reads any more. */
static void drop_unread(struct vkdml_graph *graph) {
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        if (graph->nodes[n].data != NULL && graph->values[graph->nodes[n].first_value].readers == 0 &&
            graph->values[graph->nodes[n].first_value].outputs == 0) {
            vkdml_graph_drop(graph, n);
        }
    }
}

VkdmlResult vkdml_graph_fuse(struct vkdml_graph *graph, DML_FEATURE_LEVEL level, const struct vkdml_plan_limits *limits,
                             struct vkdml_report *report) {
    const size_t bytes = graph->value_count * sizeof(bool);
    struct vkdml_fusion fusion = {.graph = graph,
                                  .level = level,
                                  .limits = limits,
                                  .report = report,
                                  .fixed = vkdml_allocate(graph->callbacks, bytes),
                                  .fixed_room = graph->value_count,
                                  .zero = VKDML_GRAPH_NONE};
    if (fusion.fixed == NULL) {
        return vkdml_report_out_of_memory(report, bytes, "a graph's fusion");
    }
    VkdmlResult result = VKDML_SUCCESS;
    find_fixed(&fusion);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0] && result == VKDML_SUCCESS; ++p) {
        result = apply(&fusion, patterns[p]);
    }
    vkdml_free(graph->callbacks, fusion.fixed);
    drop_unread(graph);
    return result == VKDML_SUCCESS ? vkdml_graph_order(graph, report) : result;
}
