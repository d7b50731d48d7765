/* What there is to a graph once it has been read. */
#include "graph/graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

/* Without snprintf(), which took a seventh of the time to compile a thousand nodes. */
struct vkdml_graph_text vkdml_graph_node_text(uint32_t index, const char *name) {
    struct vkdml_graph_text text = {"Nodes["};
    char digits[10];
    size_t length = sizeof "Nodes[" - 1, count = 0;
    do {
        digits[count++] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    while (count > 0) {
        text.text[length++] = digits[--count];
    }
    text.text[length++] = ']';
    if (name != NULL && name[0] != '\0') {
        const char *end = memchr(name, '\0', 64);
        const size_t bytes = end != NULL ? (size_t)(end - name) : 64;
        memcpy(text.text + length, " (", 2);
        memcpy(text.text + length + 2, name, bytes);
        text.text[length + 2 + bytes] = ')';
    }
    return text;
}

uint32_t vkdml_graph_source(const struct vkdml_graph *graph, uint32_t node, uint32_t index) {
    return graph->sources[graph->nodes[node].first_source + index];
}

uint32_t vkdml_graph_value_of(const struct vkdml_graph *graph, uint32_t node, uint32_t output) {
    return graph->nodes[node].first_value + output;
}

static bool is_given(const void *pointer, uint32_t count, const char *pointer_name, const char *count_name,
                     struct vkdml_report *report) {
    if (pointer == NULL && count > 0) {
        vkdml_report_invalid(report, "%s is NULL, must point to %s (%" PRIu32 ") of them", pointer_name, count_name,
                             count);
    }
    return pointer != NULL || count == 0;
}

bool vkdml_graph_is_readable(const DML_GRAPH_DESC *desc, struct vkdml_report *report) {
    bool good = is_given(desc->Nodes, desc->NodeCount, "Nodes", "NodeCount", report);
    good = is_given(desc->InputEdges, desc->InputEdgeCount, "InputEdges", "InputEdgeCount", report) && good;
    good = is_given(desc->OutputEdges, desc->OutputEdgeCount, "OutputEdges", "OutputEdgeCount", report) && good;
    good = is_given(desc->IntermediateEdges, desc->IntermediateEdgeCount, "IntermediateEdges", "IntermediateEdgeCount",
                    report) &&
           good;
    if (desc->NodeCount == 0) {
        vkdml_report_invalid(report, "NodeCount is 0, must be at least 1");
    }
    /* So that indices of tensors fit 32 bits, whatever operators have. */
    const struct {
        uint32_t count;
        const char *name;
    } counts[] = {{desc->NodeCount, "NodeCount"}, {desc->InputCount, "InputCount"}, {desc->OutputCount, "OutputCount"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        if (counts[i].count > VKDML_GRAPH_MOST) {
            vkdml_report_invalid(report, "%s is %" PRIu32 ", must be at most %d", counts[i].name, counts[i].count,
                                 VKDML_GRAPH_MOST);
            good = false;
        }
    }
    return good && report->result == VKDML_SUCCESS;
}

void vkdml_graph_destroy(struct vkdml_graph *graph) {
    if (graph != NULL) {
        for (uint32_t n = 0; n < graph->node_count; ++n) {
            vkdml_instance_destroy(graph->nodes[n].own, graph->callbacks);
            vkdml_free(graph->callbacks, graph->nodes[n].own_name);
            vkdml_free(graph->callbacks, graph->nodes[n].program);
            vkdml_free(graph->callbacks, graph->nodes[n].tail);
        }
        vkdml_free(graph->callbacks, graph->grown);
        vkdml_free(graph->callbacks, graph);
    }
}
