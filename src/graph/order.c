/* Which nodes come before which. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"

/* The node that makes what input `index` of a node reads, or VKDML_GRAPH_NONE. */
static uint32_t node_before(const struct vkdml_graph *graph, uint32_t node, uint32_t index) {
    const uint32_t source = vkdml_graph_source(graph, node, index);
    return source == VKDML_GRAPH_NONE ? VKDML_GRAPH_NONE : graph->values[source].node;
}

/* A node that another waits for still; there is one. */
static uint32_t awaited(const struct vkdml_graph *graph, const uint32_t *waiting, uint32_t node) {
    for (uint32_t i = 0;; ++i) {
        const uint32_t before = node_before(graph, node, i);
        if (before != VKDML_GRAPH_NONE && waiting[before] > 0) {
            return before;
        }
    }
}

#define MOST_TOLD 4

/* Who goes from waiting nodes to those that these wait for comes to a circle. */
static VkdmlResult report_circle(const struct vkdml_graph *graph, const uint32_t *waiting,
                                 struct vkdml_report *report) {
    uint32_t first = 0;
    while (waiting[first] == 0) {
        ++first;
    }
    for (uint32_t i = 0; i < graph->node_count; ++i) {
        first = awaited(graph, waiting, first);
    }
    char text[MOST_TOLD * sizeof(struct vkdml_graph_text) + 64];
    size_t length = 0;
    uint32_t node = first, count = 0;
    do {
        if (count++ < MOST_TOLD) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s reads ",
                                       vkdml_graph_node_text(node, graph->nodes[node].name).text);
        }
        node = awaited(graph, waiting, node);
    } while (node != first);
    return vkdml_report_invalid(report, "nodes must not depend on themselves: %s%s%s", text,
                                count > MOST_TOLD ? ".. reads " : "",
                                vkdml_graph_node_text(first, graph->nodes[first].name).text);
}

/* Nodes that read what others make, by the node that makes it: those of node n from starts[n] up to starts[n + 1]. */
struct readers {
    uint32_t *starts;
    uint32_t *nodes;
};

static void list_readers(const struct vkdml_graph *graph, const struct readers *readers) {
    for (uint32_t pass = 0; pass < 2; ++pass) {
        for (uint32_t n = 0; n < graph->node_count; ++n) {
            for (uint32_t i = 0; i < graph->nodes[n].input_count; ++i) {
                const uint32_t before = node_before(graph, n, i);
                if (before == VKDML_GRAPH_NONE) {
                    continue;
                }
                if (pass == 0) {
                    ++readers->starts[before];
                } else {
                    readers->nodes[--readers->starts[before]] = n;
                }
            }
        }
        /* Where a node's readers end; counted down from there they begin. */
        for (uint32_t n = 0; n < graph->node_count && pass == 0; ++n) {
            readers->starts[n + 1] += readers->starts[n];
        }
    }
}

static void sort(struct vkdml_graph *graph, const struct readers *readers, uint32_t *waiting, uint32_t *done) {
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        for (uint32_t i = 0; i < graph->nodes[n].input_count; ++i) {
            waiting[n] += node_before(graph, n, i) != VKDML_GRAPH_NONE;
        }
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        if (waiting[n] == 0) {
            graph->order[(*done)++] = n;
        }
    }
    /* What becomes ready goes to the end: levels come out ascending. */
    for (uint32_t at = 0; at < *done; ++at) {
        const uint32_t n = graph->order[at];
        for (uint32_t r = readers->starts[n]; r < readers->starts[n + 1]; ++r) {
            const uint32_t reader = readers->nodes[r];
            if (graph->levels[reader] <= graph->levels[n]) {
                graph->levels[reader] = graph->levels[n] + 1;
            }
            if (--waiting[reader] == 0) {
                graph->order[(*done)++] = reader;
            }
        }
    }
}

VkdmlResult vkdml_graph_order(struct vkdml_graph *graph, struct vkdml_report *report) {
    const size_t words = (size_t)graph->node_count * 2 + 1 + graph->source_count;
    uint32_t *memory = vkdml_allocate(graph->callbacks, words * sizeof *memory);
    if (memory == NULL) {
        return vkdml_report_out_of_memory(report, words * sizeof *memory, "the order of nodes");
    }
    uint32_t *waiting = memory;
    const struct readers readers = {waiting + graph->node_count, waiting + 2 * (size_t)graph->node_count + 1};
    uint32_t done = 0;
    memset(graph->levels, 0, graph->node_count * sizeof *graph->levels);
    list_readers(graph, &readers);
    sort(graph, &readers, waiting, &done);
    VkdmlResult result = done < graph->node_count ? report_circle(graph, waiting, report) : VKDML_SUCCESS;
    vkdml_free(graph->callbacks, memory);
    return result;
}
