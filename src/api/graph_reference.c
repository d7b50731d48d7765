/* Graphs on the CPU, node by node. */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "api/check.h"
#include "api/error.h"
#include "api/graph.h"
#include "base/memory.h"
#include "base/overlaps.h"
#include "reference/reference.h"

static void check_binding(const VkdmlHostBinding *binding, const char *list, uint32_t index, uint64_t bytes,
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
    }
}

static struct vkdml_taken taken_by(const VkdmlHostBinding *binding, uint64_t bytes, uint32_t index) {
    return (struct vkdml_taken){.place = {.first = (uintptr_t)binding->data, .bytes = bytes}, .index = index};
}

static void report_overlap(size_t output, const char *what, size_t other, struct vkdml_report *report) {
    vkdml_report_invalid(report, "outputs[%zu] overlaps %s[%zu], must be disjoint", output, what, other);
}

/* Outputs apart from one another and from inputs. */
static void check_apart(const VkdmlReferenceGraphInfo *info, const struct vkdml_graph *graph,
                        struct vkdml_taken *outputs, struct vkdml_report *report) {
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        outputs[i] = taken_by(&info->outputs[i], graph->values[graph->outputs[i]].bytes, i);
    }
    vkdml_taken_sort(outputs, graph->output_count);
    for (uint32_t i = 1; i < graph->output_count; ++i) {
        const struct vkdml_taken *a = &outputs[i - 1], *b = &outputs[i];
        if (vkdml_taken_overlaps(a, b)) {
            report_overlap(a->index > b->index ? a->index : b->index, "outputs",
                           a->index > b->index ? b->index : a->index, report);
        }
    }
    const bool disjoint = report->count == 0;
    for (uint32_t i = 0; i < graph->input_count && disjoint; ++i) {
        if (info->inputs[i].data == NULL || graph->values[i].bytes == 0) {
            continue;
        }
        const struct vkdml_taken input = taken_by(&info->inputs[i], graph->values[i].bytes, i);
        size_t at = vkdml_taken_find(outputs, graph->output_count, &input);
        for (; at < graph->output_count && vkdml_taken_overlaps(&outputs[at], &input); ++at) {
            report_overlap(outputs[at].index, "inputs", i, report);
        }
    }
}

static VkdmlResult check_memory(const VkdmlReferenceGraphInfo *info, const struct vkdml_graph *graph,
                                struct vkdml_report *report) {
    const VkdmlCompileFlags known =
        VKDML_COMPILE_FLAG_ZERO_UNDEFINED | VKDML_COMPILE_FLAG_NODE_BY_NODE | VKDML_COMPILE_FLAG_PARALLEL |
        VKDML_COMPILE_FLAG_OPEN_SIZES | VKDML_COMPILE_FLAG_GENERAL_PIPELINES;
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
        check_binding(&info->outputs[i], "outputs", i, graph->values[graph->outputs[i]].bytes, report);
    }
    if (report->count > 0) {
        return report->result;
    }
    const size_t bytes = (graph->output_count + (size_t)1) * sizeof(struct vkdml_taken);
    struct vkdml_taken *outputs = vkdml_allocate(NULL, bytes);
    if (outputs == NULL) {
        return vkdml_report_out_of_memory(report, bytes, "the order of the outputs");
    }
    check_apart(info, graph, outputs, report);
    vkdml_free(NULL, outputs);
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
        result = vkdml_read_graph(NULL, resolved.desc, NULL, report, &graph);
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
