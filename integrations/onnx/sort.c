#include "onnx/sort.h"

#include <string.h>

#include "text/visible_text.h"

/* What each node reads: nodes, from first[node] up to first[node + 1]. */
struct reads {
    size_t *first;
    uint32_t *nodes;
};

static void add_read(uint32_t value, const uint32_t *makers, uint32_t *nodes, size_t *count) {
    if (value != ONNX_NONE && makers[value] != ONNX_NONE) {
        if (nodes != NULL) {
            nodes[*count] = makers[value];
        }
        ++*count;
    }
}

/* Counts what nodes read, and lists it where there is a list. */
static void list_reads(const struct onnx_graph *graph, const uint32_t *makers, size_t *first, uint32_t *nodes) {
    size_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct onnx_node *node = &graph->nodes[i];
        first[i] = count;
        for (uint32_t input = 0; input < node->input_count; input++) {
            add_read(node->inputs[input], makers, nodes, &count);
        }
        for (uint32_t a = 0; a < node->attribute_count; a++) {
            const struct onnx_graph *body = node->attributes[a].graph;
            for (uint32_t value = 0; body != NULL && value < body->value_count; value++) {
                add_read(body->values[value].outer, makers, nodes, &count);
            }
        }
    }
    first[graph->node_count] = count;
}

static bool find_reads(const struct onnx_graph *graph, struct onnx_arena *arena, struct reads *reads) {
    uint32_t *makers = onnx_allocate(arena, graph->value_count, sizeof *makers);
    reads->first = onnx_allocate(arena, (size_t)graph->node_count + 1, sizeof *reads->first);
    if (makers == NULL || reads->first == NULL) {
        return false;
    }
    memset(makers, 255, graph->value_count * sizeof *makers);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t output = 0; output < graph->nodes[i].output_count; output++) {
            if (graph->nodes[i].outputs[output] != ONNX_NONE) {
                makers[graph->nodes[i].outputs[output]] = i;
            }
        }
    }
    list_reads(graph, makers, reads->first, NULL);
    reads->nodes = onnx_allocate(arena, reads->first[graph->node_count], sizeof *reads->nodes);
    if (reads->nodes == NULL) {
        return false;
    }
    list_reads(graph, makers, reads->first, reads->nodes);
    return true;
}

enum { NEW, OPEN, DONE };

/* A walk from each node to what it reads, that is not of the C stack. */
struct walk {
    size_t *next; /* of each node: where in its reads it is */
    unsigned char *state;
    uint32_t *stack, *order;
    uint32_t depth, done;
};

static bool visit(const struct onnx_graph *graph, const struct reads *reads, struct walk *walk, uint32_t root,
                  struct onnx_error *error) {
    walk->stack[walk->depth++] = root;
    walk->state[root] = OPEN;
    while (walk->depth > 0) {
        const uint32_t node = walk->stack[walk->depth - 1];
        if (walk->next[node] == reads->first[node + 1]) {
            walk->state[node] = DONE;
            walk->order[walk->done++] = node;
            walk->depth--;
            continue;
        }
        const uint32_t read = reads->nodes[walk->next[node]++];
        if (walk->state[read] == OPEN) {
            return onnx_fail(error, "node \"%s\" (%s) depends on itself", visible_text(graph->nodes[read].name).text,
                             visible_text(graph->nodes[read].op).text);
        }
        if (walk->state[read] == NEW) {
            walk->state[read] = OPEN;
            walk->stack[walk->depth++] = read;
        }
    }
    return true;
}

bool onnx_sort(struct onnx_graph *graph, struct onnx_arena *arena, struct onnx_error *error) {
    const uint32_t count = graph->node_count;
    struct reads reads;
    struct walk walk = {
        .next = onnx_allocate(arena, count, sizeof *walk.next),
        .state = onnx_allocate(arena, count, sizeof *walk.state),
        .stack = onnx_allocate(arena, count, sizeof *walk.stack),
        .order = onnx_allocate(arena, count, sizeof *walk.order),
    };
    struct onnx_node *nodes = onnx_allocate(arena, count, sizeof *nodes);
    if (walk.next == NULL || walk.state == NULL || walk.stack == NULL || walk.order == NULL || nodes == NULL ||
        !find_reads(graph, arena, &reads)) {
        return onnx_fail_memory(error);
    }
    memcpy(walk.next, reads.first, count * sizeof *walk.next);
    for (uint32_t i = 0; i < count; i++) {
        if (walk.state[i] == NEW && !visit(graph, &reads, &walk, i, error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = graph->nodes[walk.order[i]];
    }
    memcpy(graph->nodes, nodes, count * sizeof *nodes);
    return true;
}
