/* Graphs on the CPU, node by node. */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "api/check.h"
#include "api/error.h"
#include "api/graph.h"
#include "base/aliases.h"
#include "base/memory.h"
#include "reference/reference.h"

static bool check_binding(const VkdmlHostBinding *binding, const char *list, uint32_t index, uint64_t bytes,
                          struct vkdml_report *report) {
    if (binding->data == NULL) {
        vkdml_report_invalid(report, "%s[%" PRIu32 "].data is NULL", list, index);
    } else if (binding->size < bytes) {
        vkdml_report_invalid(report,
                             "%s[%" PRIu32 "].size is %zu, must be at least %" PRIu64 " = TotalTensorSizeInBytes", list,
                             index, binding->size, bytes);
    } else if ((uintptr_t)binding->data % sizeof(uint64_t) != 0) {
        vkdml_report_invalid(report, "%s[%" PRIu32 "].data is 0x%" PRIxPTR ", must be a multiple of 8", list, index,
                             (uintptr_t)binding->data);
    } else {
        return true;
    }
    return false;
}

static struct vkdml_place place_of(const VkdmlHostBinding *binding, uint64_t bytes) {
    return (struct vkdml_place){.first = (uintptr_t)binding->data, .bytes = bytes};
}

/* An output apart from the inputs and from the outputs before it. */
static void check_apart(const VkdmlReferenceGraphInfo *info, const struct vkdml_graph *graph, uint32_t index,
                        struct vkdml_report *report) {
    const struct vkdml_place output = place_of(&info->outputs[index], graph->values[graph->outputs[index]].bytes);
    for (uint32_t i = 0; i < graph->input_count + index; ++i) {
        const bool is_input = i < graph->input_count;
        const uint32_t other = is_input ? i : i - graph->input_count;
        const VkdmlHostBinding *binding = is_input ? &info->inputs[other] : &info->outputs[other];
        const struct vkdml_graph_value *value = &graph->values[is_input ? other : graph->outputs[other]];
        const struct vkdml_place place = place_of(binding, value->bytes);
        if (binding->data != NULL && value->bytes > 0 && vkdml_places_overlap(&output, &place)) {
            vkdml_report_invalid(report, "outputs[%" PRIu32 "] overlaps %s[%" PRIu32 "], must be disjoint", index,
                                 is_input ? "inputs" : "outputs", other);
        }
    }
}

static VkdmlResult check_memory(const VkdmlReferenceGraphInfo *info, const struct vkdml_graph *graph,
                                struct vkdml_report *report) {
    const VkdmlCompileFlags known =
        VKDML_COMPILE_FLAG_ZERO_UNDEFINED | VKDML_COMPILE_FLAG_NODE_BY_NODE | VKDML_COMPILE_FLAG_PARALLEL;
    if ((info->flags & ~known) != 0) {
        vkdml_report_invalid(report, "flags is 0x%" PRIx32 ", must hold VkdmlCompileFlagBits only", info->flags);
    }
    if (info->inputCount != graph->input_count || info->outputCount != graph->output_count) {
        return vkdml_report_invalid(report,
                                    "inputCount and outputCount are %" PRIu32 " and %" PRIu32
                                    ", must be the graph's, %" PRIu32 " and %" PRIu32,
                                    info->inputCount, info->outputCount, graph->input_count, graph->output_count);
    }
    if ((info->inputs == NULL && graph->input_count > 0) || (info->outputs == NULL && graph->output_count > 0)) {
        return vkdml_report_invalid(report, "%s is NULL", info->inputs == NULL ? "inputs" : "outputs");
    }
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        if (graph->values[i].readers > 0) {
            check_binding(&info->inputs[i], "inputs", i, graph->values[i].bytes, report);
        }
    }
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        if (check_binding(&info->outputs[i], "outputs", i, graph->values[graph->outputs[i]].bytes, report)) {
            check_apart(info, graph, i, report);
        }
    }
    return report->result;
}

/* What a graph's execution has: where each value lies. */
struct execution {
    const struct vkdml_graph *graph;
    unsigned char **values;
    const void **inputs; /* of one node, and its outputs behind them */
};

static VkdmlResult allocate_values(const struct execution *execution, struct vkdml_report *report) {
    const struct vkdml_graph *graph = execution->graph;
    for (uint32_t v = graph->input_count; v < graph->value_count; ++v) {
        const struct vkdml_graph_node *node = &graph->nodes[graph->values[v].node];
        uint64_t bytes = graph->values[v].bytes;
        if (bytes == 0) {
            continue;
        }
        execution->values[v] = bytes <= SIZE_MAX ? vkdml_allocate(NULL, (size_t)bytes) : NULL;
        if (execution->values[v] == NULL) {
            return vkdml_report_out_of_memory(report, (size_t)bytes, "an intermediate tensor");
        }
        if (node->instance == NULL) {
            memcpy(execution->values[v], node->data, bytes < node->data_bytes ? (size_t)bytes : node->data_bytes);
        }
    }
    return VKDML_SUCCESS;
}

static VkdmlResult execute_node(const struct execution *execution, uint32_t n, VkdmlCompileFlags flags,
                                struct vkdml_report *report) {
    const struct vkdml_graph *graph = execution->graph;
    const struct vkdml_graph_node *node = &graph->nodes[n];
    void **outputs = (void **)execution->inputs + node->input_count;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t v = vkdml_graph_source(graph, n, i);
        execution->inputs[i] = v != VKDML_GRAPH_NONE ? execution->values[v] : NULL;
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        outputs[i] = execution->values[node->first_value + i];
    }
    const struct vkdml_reference_memory memory = {
        .inputs = execution->inputs, .outputs = outputs, .flags = flags, .report = report};
    vkdml_reference(node->instance, &memory);
    return report->result;
}

/* Nodes write memory of their own: bytes of outputs that are of no element stay as they are. */
static void copy_output(const struct execution *execution, const VkdmlReferenceGraphInfo *info, uint32_t index) {
    const struct vkdml_graph_value *value = &execution->graph->values[execution->graph->outputs[index]];
    memcpy(info->outputs[index].data, execution->values[execution->graph->outputs[index]], (size_t)value->bytes);
}

static VkdmlResult execute(const VkdmlReferenceGraphInfo *info, const struct vkdml_graph *graph,
                           struct vkdml_report *report) {
    const size_t count = 2 * (size_t)graph->value_count + graph->source_count;
    struct execution execution = {.graph = graph, .values = vkdml_allocate(NULL, count * sizeof(void *))};
    if (execution.values == NULL) {
        return vkdml_report_out_of_memory(report, count * sizeof(void *), "the tensors of a graph");
    }
    execution.inputs = (const void **)(execution.values + graph->value_count);
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        execution.values[i] = info->inputs[i].data;
    }
    VkdmlResult result = allocate_values(&execution, report);
    for (uint32_t i = 0; i < graph->output_count && result == VKDML_SUCCESS; ++i) {
        const uint32_t v = graph->outputs[i];
        if (graph->nodes[graph->values[v].node].instance != NULL) {
            memcpy(execution.values[v], info->outputs[i].data, (size_t)graph->values[v].bytes);
        }
    }
    for (uint32_t at = 0; at < graph->node_count && result == VKDML_SUCCESS; ++at) {
        if (graph->nodes[graph->order[at]].instance != NULL) {
            result = execute_node(&execution, graph->order[at], info->flags, report);
        }
    }
    for (uint32_t i = 0; i < graph->output_count && result == VKDML_SUCCESS; ++i) {
        copy_output(&execution, info, i);
    }
    for (uint32_t v = graph->input_count; v < graph->value_count; ++v) {
        vkdml_free(NULL, execution.values[v]);
    }
    vkdml_free(NULL, execution.values);
    return result;
}

VkdmlResult vkdmlReferenceExecuteGraph(const VkdmlReferenceGraphInfo *info) {
    struct vkdml_report *report = vkdml_error_begin();
    struct vkdml_graph *graph = NULL;
    VkdmlReferenceGraphInfo resolved;
    VkdmlResult result =
        vkdml_read_info(&resolved, sizeof resolved, sizeof resolved, info, "VkdmlReferenceGraphInfo", report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_read_graph(NULL, resolved.desc, report, &graph);
    }
    if (result == VKDML_SUCCESS) {
        result = check_memory(&resolved, graph, report);
    }
    if (result == VKDML_SUCCESS) {
        result = execute(&resolved, graph, report);
    }
    vkdml_graph_destroy(graph);
    return vkdml_error_end(report, result);
}
