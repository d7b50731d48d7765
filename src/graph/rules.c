/* The rules on a whole graph: what meets at its edges, and that there are edges enough. */
#include <inttypes.h>
#include <stdio.h>

#include "graph/reading.h"
#include "operators/operators.h"

static void check_bytes(struct vkdml_graph_reading *reading, uint32_t node, uint32_t index, uint64_t bytes,
                        uint32_t v) {
    struct vkdml_graph_value *value = &reading->graph->values[v];
    const struct vkdml_graph_node *to = &reading->graph->nodes[node];
    if (value->bytes == 0) {
        value->bytes = bytes;
    } else if (value->bytes != bytes) {
        const bool input = value->node == VKDML_GRAPH_NONE;
        char other[160];
        if (input) {
            snprintf(other, sizeof other, "that of others that GraphInputIndex %" PRIu32 " feeds", value->output);
        } else {
            snprintf(other, sizeof other, "that of what feeds it, output %" PRIu32 " of %s", value->output,
                     vkdml_reading_node_text(reading, value->node).text);
        }
        vkdml_report_invalid(reading->report, "%s.%s.TotalTensorSizeInBytes is %" PRIu64 ", must be %" PRIu64 ", %s",
                             vkdml_reading_node_text(reading, node).text, vkdml_input_name(to->instance, index), bytes,
                             value->bytes, other);
    }
}

/* Whether a constant has the bytes of a reader's elements. What its last word has behind them may be missing. */
static void check_constant(struct vkdml_graph_reading *reading, uint32_t node, uint32_t index, uint32_t v) {
    const struct vkdml_graph *graph = reading->graph;
    const struct vkdml_graph_node *constant = &graph->nodes[graph->values[v].node];
    const struct vkdml_tensor *tensor = vkdml_reading_input(reading, node, index);
    uint64_t bytes = 0;
    vkdml_minimum_bytes(tensor->element_bits, tensor->dimension_count, tensor->sizes, tensor->strides, &bytes);
    if (constant->data_bytes < UINT64_MAX - 3 && ((uint64_t)constant->data_bytes + 3) / 4 * 4 < bytes) {
        vkdml_report_invalid(
            reading->report, "%s.%s needs %" PRIu64 " bytes, DataSize of %s is %" PRIu64,
            vkdml_reading_node_text(reading, node).text, vkdml_input_name(graph->nodes[node].instance, index), bytes,
            vkdml_reading_node_text(reading, graph->values[v].node).text, (uint64_t)constant->data_bytes);
    }
}

static void check_owned(struct vkdml_graph_reading *reading, uint32_t node, uint32_t index, uint32_t v) {
    struct vkdml_graph_value *value = &reading->graph->values[v];
    const bool owned = (vkdml_reading_input(reading, node, index)->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
    const char *name = vkdml_input_name(reading->graph->nodes[node].instance, index);
    if (value->node != VKDML_GRAPH_NONE) {
        if (owned) {
            vkdml_report_invalid(
                reading->report, "%s.%s is OWNED_BY_DML, must not be, as %s feeds it: only inputs of the graph may be",
                vkdml_reading_node_text(reading, node).text, name, vkdml_reading_node_text(reading, value->node).text);
        }
    } else if (value->readers == 0) {
        value->owned = owned;
    } else if (value->owned != owned) {
        vkdml_report_invalid(reading->report,
                             "%s.%s is %sOWNED_BY_DML, must be as others that GraphInputIndex %" PRIu32 " feeds are",
                             vkdml_reading_node_text(reading, node).text, name, owned ? "" : "not ", value->output);
    }
}

static void check_inputs(struct vkdml_graph_reading *reading, uint32_t node) {
    struct vkdml_graph *graph = reading->graph;
    for (uint32_t i = 0; i < graph->nodes[node].input_count; ++i) {
        const struct vkdml_tensor *tensor = vkdml_reading_input(reading, node, i);
        const uint32_t v = vkdml_graph_source(graph, node, i);
        if (tensor->dimension_count == 0) {
            continue;
        }
        if (v == VKDML_GRAPH_NONE) {
            if (reading->source_names[graph->nodes[node].first_source + i] == NULL) {
                vkdml_report_invalid(reading->report, "%s.%s has no edge, must have one",
                                     vkdml_reading_node_text(reading, node).text,
                                     vkdml_input_name(graph->nodes[node].instance, i));
            }
            continue;
        }
        struct vkdml_graph_value *value = &graph->values[v];
        if (value->node != VKDML_GRAPH_NONE && graph->nodes[value->node].instance == NULL) {
            check_constant(reading, node, i, v);
            value->bytes = tensor->total_bytes > value->bytes ? tensor->total_bytes : value->bytes;
        } else {
            check_bytes(reading, node, i, tensor->total_bytes, v);
        }
        check_owned(reading, node, i, v);
        value->alignment = tensor->base_alignment > value->alignment ? tensor->base_alignment : value->alignment;
        ++value->readers;
    }
}

/* An output without a reader is computed and lost, as in DirectML, but a node without any is a mistake. */
static void check_outputs(struct vkdml_graph_reading *reading, uint32_t node) {
    const struct vkdml_graph_node *from = &reading->graph->nodes[node];
    for (uint32_t i = 0; i < from->output_count; ++i) {
        const struct vkdml_graph_value *value = &reading->graph->values[from->first_value + i];
        if (value->readers + value->outputs > 0 || from->instance == NULL) {
            return;
        }
    }
    vkdml_report_invalid(reading->report, "%s.%s has no edge, must have one",
                         vkdml_reading_node_text(reading, node).text, vkdml_output_name(from->instance, 0));
}

static void check_graph_outputs(struct vkdml_graph_reading *reading) {
    struct vkdml_graph *graph = reading->graph;
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        if (reading->output_edges[i] == VKDML_GRAPH_NONE) {
            vkdml_report_invalid(reading->report, "GraphOutputIndex %" PRIu32 " is that of no edge, must be of one", i);
        } else if (graph->outputs[i] != VKDML_GRAPH_NONE) {
            struct vkdml_graph_value *value = &graph->values[graph->outputs[i]];
            const struct vkdml_graph_node *node = &graph->nodes[value->node];
            ++value->outputs;
            graph->written[i] = node->instance != NULL ? vkdml_output_written(node->instance, value->output) : 0;
            if (node->instance == NULL) { /* a constant, of all that there is */
                value->bytes = (uint64_t)(node->data_bytes / 4 + (node->data_bytes % 4 != 0)) * 4;
            }
        }
    }
}

void vkdml_graph_check(struct vkdml_graph_reading *reading) {
    struct vkdml_graph *graph = reading->graph;
    check_graph_outputs(reading);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        check_inputs(reading, n);
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        check_outputs(reading, n);
    }
}
