#include "built.h"

#include <string.h>

static VkdmlOperator create(VkdmlDevice device, const struct operator_case *c) {
    static struct case_desc desc;
    VkdmlOperator op = NULL;
    case_build_desc(c, &desc);
    vkdmlCreateOperator(device, &desc.op, &op);
    return op;
}

static const char *name_of(const struct graph_node *node) {
    return node->name[0] != '\0' ? node->name : NULL;
}

static bool add_node(VkdmlDevice device, const struct random_graph *random, uint32_t n, struct graph *graph) {
    const struct graph_node *node = &random->nodes[n];
    if (node->is_constant) {
        const struct graph_value *value = &random->values[node->first_value];
        graph_constant(graph, value->data, value->given, name_of(node));
        return true;
    }
    VkdmlOperator op = create(device, &node->c);
    if (op != NULL) {
        graph_operator(graph, op, name_of(node));
    }
    return op != NULL;
}

static void add_edges(const struct random_graph *random, uint32_t n, struct graph *graph) {
    const struct graph_node *node = &random->nodes[n];
    for (uint32_t i = 0; i < GRAPH_MAX_TENSORS && !node->is_constant; i++) {
        if (node->sources[i] == GRAPH_NONE) {
            continue;
        }
        const struct graph_value *value = &random->values[node->sources[i]];
        if (value->kind == GRAPH_INPUT) {
            graph_input(graph, value->node, random->places[n], i);
        } else {
            graph_join(graph, random->places[value->node], value->output, random->places[n], i);
        }
    }
}

bool build_graph(VkdmlDevice device, const struct random_graph *random, struct graph *graph) {
    uint32_t at[GRAPH_MAX_NODES];
    graph_begin(graph, random->input_count, random->output_count);
    for (uint32_t n = 0; n < random->node_count; n++) {
        at[random->places[n]] = n;
    }
    for (uint32_t p = 0; p < random->node_count; p++) {
        if (!add_node(device, random, at[p], graph)) {
            return false;
        }
    }
    for (uint32_t p = 0; p < random->node_count; p++) {
        add_edges(random, at[p], graph);
    }
    for (uint32_t i = 0; i < random->output_count; i++) {
        const struct graph_value *value = &random->values[random->outputs[i]];
        graph_output(graph, random->places[value->node], value->output, i);
    }
    return true;
}

VkdmlOperator build_alone(VkdmlDevice device, const struct random_graph *random, uint32_t node,
                          struct operator_case *c) {
    const struct graph_node *of = &random->nodes[node];
    const bool is_fixed = of->value_count > 0 && random->values[of->first_value].is_fixed;
    *c = of->c;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input) {
            c->tensors[at.slot].owned = !is_fixed && random->values[of->sources[at.binding]].is_fixed;
        }
    }
    return create(device, c);
}
