/* DirectML's graph of a plan. */
#include <stdlib.h>
#include <string.h>

#include "onnx/plan_parts.h"
#include "text/visible_text.h"

struct onnx_plan_graph {
    DML_GRAPH_DESC desc;
    struct onnx_arena arena;
    VkdmlOperator *operators; /* by their numbers in the plan, NULL as long as no node of the graph has them */
    uint32_t operator_count;
};

struct making {
    const struct onnx_plan *plan;
    struct onnx_plan_graph *graph;
    DML_GRAPH_NODE_DESC *nodes;
    DML_GRAPH_EDGE_DESC *inputs, *between, *outputs;
    uint32_t node_count, input_count, between_count, output_count;
    uint32_t *numbers;   /* of the plan's nodes, among the graph's */
    uint32_t *constants; /* of sources likewise; ONNX_NONE: not yet */
    struct onnx_error *error;
};

static void *take(const struct making *m, size_t count, size_t size) {
    void *memory = onnx_allocate(&m->graph->arena, count, size);
    if (memory == NULL) {
        onnx_fail_memory(m->error);
    }
    return memory;
}

static bool add_between(struct making *m, uint32_t from, uint32_t from_output, uint32_t to, uint32_t to_input) {
    DML_INTERMEDIATE_GRAPH_EDGE_DESC *edge = take(m, 1, sizeof *edge);
    if (edge == NULL) {
        return false;
    }
    *edge = (DML_INTERMEDIATE_GRAPH_EDGE_DESC){from, from_output, to, to_input, NULL};
    m->between[m->between_count++] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INTERMEDIATE, edge};
    return true;
}

static bool add_constant(struct making *m, uint32_t source) {
    if (m->constants[source] != ONNX_NONE) {
        return true;
    }
    DML_CONSTANT_DATA_GRAPH_NODE_DESC *constant = take(m, 1, sizeof *constant);
    if (constant == NULL) {
        return false;
    }
    *constant =
        (DML_CONSTANT_DATA_GRAPH_NODE_DESC){m->plan->sources[source].data, m->plan->sources[source].bytes, NULL};
    m->constants[source] = m->node_count;
    m->nodes[m->node_count++] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_CONSTANT, constant};
    return true;
}

static bool add_input_edge(struct making *m, const struct onnx_plan_node *node, uint32_t to, uint32_t input) {
    const struct onnx_source *source = &m->plan->sources[node->inputs[input]];
    if (source->kind == ONNX_SOURCE_NODE) {
        return add_between(m, m->numbers[source->number], source->output, to, input);
    }
    if (source->graph_number == ONNX_NONE) {
        return add_between(m, m->constants[node->inputs[input]], 0, to, input);
    }
    DML_INPUT_GRAPH_EDGE_DESC *edge = take(m, 1, sizeof *edge);
    if (edge == NULL) {
        return false;
    }
    *edge = (DML_INPUT_GRAPH_EDGE_DESC){source->graph_number, to, input, NULL};
    m->inputs[m->input_count++] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INPUT, edge};
    return true;
}

static bool add_output_edge(struct making *m, uint32_t source, uint32_t output) {
    const struct onnx_source *from = &m->plan->sources[source];
    DML_OUTPUT_GRAPH_EDGE_DESC *edge = take(m, 1, sizeof *edge);
    if (edge == NULL) {
        return false;
    }
    *edge = (DML_OUTPUT_GRAPH_EDGE_DESC){m->numbers[from->number], from->output, output, NULL};
    m->outputs[m->output_count++] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_OUTPUT, edge};
    return true;
}

static bool add_node(struct making *m, VkdmlDevice device, uint32_t n) {
    const struct onnx_plan_node *node = &m->plan->nodes[n];
    VkdmlOperator *op = &m->graph->operators[node->known];
    const VkdmlResult created = *op != NULL ? VKDML_SUCCESS : vkdmlCreateOperator(device, &node->desc, op);
    if (created != VKDML_SUCCESS) {
        return onnx_fail_with(m->error, created, "node '%s': %s", visible_text(node->name).text,
                              vkdmlGetErrorMessage());
    }
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const struct onnx_source *source = node->inputs[i] == ONNX_NONE ? NULL : &m->plan->sources[node->inputs[i]];
        if (source != NULL && source->kind == ONNX_SOURCE_HOST && source->graph_number == ONNX_NONE &&
            !add_constant(m, node->inputs[i])) {
            return false;
        }
    }
    DML_OPERATOR_GRAPH_NODE_DESC *desc = take(m, 1, sizeof *desc);
    if (desc == NULL) {
        return false;
    }
    *desc = (DML_OPERATOR_GRAPH_NODE_DESC){vkdmlGraphOperator(*op), node->name};
    m->numbers[n] = m->node_count;
    m->nodes[m->node_count++] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_OPERATOR, desc};
    for (uint32_t i = 0; i < node->input_count; ++i) {
        if (node->inputs[i] != ONNX_NONE && !add_input_edge(m, node, m->numbers[n], i)) {
            return false;
        }
    }
    return true;
}

static bool make_graph(struct making *m, VkdmlDevice device) {
    const struct onnx_plan *plan = m->plan;
    size_t edges = 0;
    for (uint32_t n = 0; n < plan->node_count; ++n) {
        edges += plan->nodes[n].input_count;
    }
    m->nodes = take(m, (size_t)plan->live_count + plan->source_count, sizeof *m->nodes);
    m->inputs = take(m, edges, sizeof *m->inputs);
    m->between = take(m, edges, sizeof *m->between);
    m->outputs = take(m, (size_t)plan->output_count + plan->unread_count, sizeof *m->outputs);
    m->numbers = take(m, plan->node_count, sizeof *m->numbers);
    m->constants = take(m, plan->source_count, sizeof *m->constants);
    m->graph->operators = take(m, plan->known_count, sizeof *m->graph->operators);
    if (m->nodes == NULL || m->inputs == NULL || m->between == NULL || m->outputs == NULL || m->numbers == NULL ||
        m->constants == NULL || m->graph->operators == NULL) {
        return false;
    }
    m->graph->operator_count = plan->known_count;
    for (uint32_t s = 0; s < plan->source_count; ++s) {
        m->constants[s] = ONNX_NONE;
    }
    for (uint32_t n = 0; n < plan->node_count; ++n) {
        if (plan->nodes[n].is_live && !add_node(m, device, n)) {
            return false;
        }
    }
    uint32_t output_count = 0;
    for (uint32_t s = 0; s < plan->source_count; ++s) {
        if (plan->sources[s].is_output) {
            ++output_count;
            if (!add_output_edge(m, s, plan->sources[s].graph_number)) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < plan->unread_count; ++i) {
        if (!add_output_edge(m, plan->unread[i], output_count + i)) {
            return false;
        }
    }
    m->graph->desc = (DML_GRAPH_DESC){plan->graph_input_count, output_count + plan->unread_count,
                                      m->node_count,           m->nodes,
                                      m->input_count,          m->inputs,
                                      m->output_count,         m->outputs,
                                      m->between_count,        m->between};
    return true;
}

bool onnx_plan_graph_create(const struct onnx_plan *plan, VkdmlDevice device, struct onnx_plan_graph **graph,
                            struct onnx_error *error) {
    *graph = calloc(1, sizeof **graph);
    if (*graph == NULL) {
        return onnx_fail_memory(error);
    }
    struct making m = {.plan = plan, .graph = *graph, .error = error};
    if (!make_graph(&m, device)) {
        onnx_plan_graph_free(*graph);
        *graph = NULL;
        return false;
    }
    return true;
}

const DML_GRAPH_DESC *onnx_plan_graph_desc(const struct onnx_plan_graph *graph) {
    return &graph->desc;
}

void onnx_plan_graph_free(struct onnx_plan_graph *graph) {
    if (graph != NULL) {
        for (uint32_t i = 0; i < graph->operator_count; ++i) {
            vkdmlDestroyOperator(graph->operators[i]);
        }
        onnx_arena_free(&graph->arena);
        free(graph);
    }
}
