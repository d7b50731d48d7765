/* Passes over a graph. */
#include "base/memory.h"
#include "graph/chains.h"
#include "graph/pattern.h"
#include "graph/tails.h"

/* In order: what copies is out of the way first, and what an activation is behind takes its addend before. Parts of a
 * normalization are found before others take them, and attention once its first product has scale and mask. A filter
 * that takes in a normalization is behind its own addend, and before the activation, which a product of integers takes
 * in. Products that are joined have all that they take in. */
static const struct vkdml_pattern *const patterns[] = {
    &vkdml_pattern_identity,
    &vkdml_pattern_round_trip,
    &vkdml_pattern_attention_casts,
    &vkdml_pattern_normalization,
    &vkdml_pattern_normalization_scale,
    &vkdml_pattern_padding,
    &vkdml_pattern_scale,
    &vkdml_pattern_bias,
    &vkdml_pattern_attention,
    &vkdml_pattern_batch,
    &vkdml_pattern_activation,
    &vkdml_pattern_quantized,
    &vkdml_pattern_dequantized,
    &vkdml_pattern_projections,
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

static VkdmlResult apply_patterns(struct vkdml_fusion *fusion) {
    VkdmlResult result = VKDML_SUCCESS;
    find_fixed(fusion);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0] && result == VKDML_SUCCESS; ++p) {
        result = apply(fusion, patterns[p]);
    }
    drop_unread(fusion->graph);
    return result == VKDML_SUCCESS ? vkdml_graph_order(fusion->graph, fusion->report) : result;
}

/* What operators do behind their own work, and of what is left chains. */
static VkdmlResult join_maps(struct vkdml_fusion *fusion) {
    find_fixed(fusion);
    const VkdmlResult result = vkdml_fusion_join_tails(fusion);
    return result == VKDML_SUCCESS ? vkdml_fusion_join_chains(fusion) : result;
}

static VkdmlResult fuse(struct vkdml_graph *graph, DML_FEATURE_LEVEL level, const struct vkdml_plan_limits *limits,
                        bool has_chains, struct vkdml_report *report) {
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
    VkdmlResult result = apply_patterns(&fusion);
    if (result == VKDML_SUCCESS && has_chains) {
        result = join_maps(&fusion);
    }
    vkdml_free(graph->callbacks, fusion.fixed);
    return result;
}

VkdmlResult vkdml_graph_fuse(struct vkdml_graph *graph, DML_FEATURE_LEVEL level, const struct vkdml_plan_limits *limits,
                             struct vkdml_report *report) {
    return fuse(graph, level, limits, true, report);
}

VkdmlResult vkdml_graph_fuse_patterns(struct vkdml_graph *graph, DML_FEATURE_LEVEL level,
                                      const struct vkdml_plan_limits *limits, struct vkdml_report *report) {
    return fuse(graph, level, limits, false, report);
}
