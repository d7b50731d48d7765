/* What there is to a graph once it has been read. */
#include "graph/graph.h"

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

void vkdml_graph_destroy(struct vkdml_graph *graph) {
    if (graph != NULL) {
        for (uint32_t n = 0; n < graph->node_count; ++n) {
            vkdml_instance_destroy(graph->nodes[n].own, graph->callbacks);
        }
        vkdml_free(graph->callbacks, graph);
    }
}
