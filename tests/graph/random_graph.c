#include "random_graph.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "making.h"

/* Kinds of nodes, and how often each is tried. */
static const struct {
    node_maker *make;
    uint32_t weight;
} makers[] = {
    {make_unary, 22},
    {make_binary, 26},
    {make_comparison, 5},
    {make_choice, 3},
    {make_cast, 9},
    {make_gemm, 15},
    {make_convolution, 6},
    {make_pooling, 5},
    {make_reduce, 6},
    {make_softmax, 3},
    {make_batch_normalization, 5},
    {make_mean_variance, 3},
    {make_identity, 6},
    {make_slice, 5},
    {make_split, 6},
    {make_join, 6},
    {make_padding, 4},
    {make_gather, 4},
    {make_tile, 3},
    {make_value_scale, 3},
    {make_constant_fill, 2},
    {make_sequence, 2},
};

#define KINDS (sizeof makers / sizeof makers[0])

static bool follows(const struct random_graph *graph, DML_OPERATOR_TYPE type) {
    const struct graph_node *last = graph->node_count > 0 ? &graph->nodes[graph->node_count - 1] : NULL;
    return last != NULL && !last->is_constant && last->c.schema->type == type;
}

/* Operators that do maps behind them, too, and sums that a function is behind. */
static bool takes_tail(const struct random_graph *graph) {
    static const DML_OPERATOR_TYPE types[] = {
        DML_OPERATOR_CONVOLUTION,  DML_OPERATOR_GEMM,   DML_OPERATOR_AVERAGE_POOLING,
        DML_OPERATOR_MAX_POOLING2, DML_OPERATOR_REDUCE, DML_OPERATOR_ELEMENT_WISE_ADD,
    };
    bool found = false;
    for (size_t i = 0; graph->node_count > 0 && i < sizeof types / sizeof types[0]; i++) {
        const struct graph_node *last = &graph->nodes[graph->node_count - 1];
        found = found || (!last->is_constant && last->c.schema->type == types[i]);
    }
    return found;
}

static node_maker *choose_maker(struct making *making) {
    const struct random_graph *graph = making->graph;
    struct random *random = making->random;
    uint32_t total = 0;
    /* Filters take in what is behind them where sums need not be exact. */
    if (graph->is_rough && follows(graph, DML_OPERATOR_CONVOLUTION) && random_chance(random, 50)) {
        return make_batch_normalization;
    }
    if (follows(graph, DML_OPERATOR_GEMM) && random_chance(random, 30)) {
        return make_gemm;
    }
    if (takes_tail(graph) && random_chance(random, 75)) {
        making->continues = true;
        return random_chance(random, 35) ? make_unary : make_binary;
    }
    for (size_t k = 0; k < KINDS; k++) {
        total += makers[k].weight;
    }
    uint32_t at = random_below(random, total);
    for (size_t k = 0;; k++) {
        if (at < makers[k].weight) {
            return makers[k].make;
        }
        at -= makers[k].weight;
    }
}

/* Takes back what was made since there were so many. */
static void take_back(struct random_graph *graph, uint32_t nodes, uint32_t values, uint32_t inputs) {
    for (uint32_t v = values; v < graph->value_count; v++) {
        free(graph->values[v].data);
        graph->values[v].data = NULL;
    }
    graph->node_count = nodes;
    graph->value_count = values;
    graph->input_count = inputs;
}

/* What was read and written becomes a node. */
static void add_node(struct making *making) {
    struct random_graph *graph = making->graph;
    const uint32_t n = graph->node_count++;
    struct graph_node *node = &graph->nodes[n];
    node->is_constant = false;
    node->first_value = graph->value_count;
    node->value_count = case_output_count(making->c);
    assert(case_input_count(making->c) <= GRAPH_MAX_TENSORS &&
           graph->value_count + node->value_count <= GRAPH_MAX_VALUES);
    memset(node->sources, 0xFF, sizeof node->sources);
    node->c = *making->c;
    node->name[0] = '\0';
    if (random_chance(making->random, 70)) {
        snprintf(node->name, sizeof node->name, "node %" PRIu32, n);
    }
    memset(&graph->values[graph->value_count], 0, node->value_count * sizeof(struct graph_value));
    for (struct case_at at = case_first(&node->c); at.tensor != NULL; at = case_next(&node->c, at)) {
        if (at.is_input) {
            node->sources[at.binding] = making->sources[at.slot];
            graph->values[making->sources[at.slot]].readers++;
            continue;
        }
        graph->values[node->first_value + at.binding] =
            (struct graph_value){.kind = GRAPH_RESULT,
                                 .node = n,
                                 .output = at.binding,
                                 .tensor = *at.tensor,
                                 .range = making->results[at.slot],
                                 .bytes = (uint32_t)case_total_bytes(at.tensor),
                                 .is_optional = making->optional[at.slot]};
    }
    graph->value_count += node->value_count;
}

static bool add_random_node(struct random_graph *graph, struct random *random) {
    static struct operator_case c;
    struct making making = {.random = random, .graph = graph, .c = &c};
    const uint32_t nodes = graph->node_count, values = graph->value_count, inputs = graph->input_count;
    if (choose_maker(&making)(&making)) {
        add_node(&making);
        return true;
    }
    take_back(graph, nodes, values, inputs);
    if (values > 0) {
        graph->values[values - 1].is_private = false;
    }
    return false;
}

/* ---- the whole ---- */

static void add_output(struct random_graph *graph, uint32_t v) {
    if (graph->output_count < GRAPH_MAX_BINDINGS) {
        graph->outputs[graph->output_count++] = v;
        graph->values[v].outputs++;
    }
}

/* What nobody reads is an output; some of the others are too, and some are several. */
static void choose_outputs(struct random_graph *graph, struct random *random) {
    for (uint32_t v = 0; v < graph->value_count; v++) {
        const struct graph_value *value = &graph->values[v];
        const bool may = (value->kind == GRAPH_RESULT && !value->is_private) ||
                         (value->kind == GRAPH_CONSTANT && value->readers > 0);
        const bool must =
            value->kind == GRAPH_RESULT && value->readers == 0 && !(value->is_optional && random_chance(random, 60));
        if (must || (may && random_chance(random, value->kind == GRAPH_CONSTANT ? 5 : 15))) {
            do {
                add_output(graph, v);
            } while (random_chance(random, 8));
        }
    }
    for (uint32_t i = graph->output_count; i-- > 1;) {
        const uint32_t other = random_below(random, i + 1), v = graph->outputs[i];
        graph->outputs[i] = graph->outputs[other];
        graph->outputs[other] = v;
    }
}

/* Inputs come in any order, with unused ones between. */
static void order_inputs(struct random_graph *graph, struct random *random) {
    uint32_t order[GRAPH_MAX_BINDINGS], inputs[GRAPH_MAX_BINDINGS];
    for (uint32_t unused = random_chance(random, 25) ? random_between(random, 1, 3) : 0;
         unused > 0 && graph->input_count < GRAPH_MAX_BINDINGS; unused--) {
        graph->inputs[graph->input_count++] = GRAPH_NONE;
    }
    if (graph->input_count == 0) {
        return;
    }
    random_permutation(random, graph->input_count, order);
    memcpy(inputs, graph->inputs, sizeof inputs);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        graph->inputs[order[i]] = inputs[i];
        if (inputs[i] != GRAPH_NONE) {
            graph->values[inputs[i]].node = order[i];
        }
    }
}

/* As the library has it: a node is done at initialization where all that it reads is known then, and nothing that it
 * makes is the graph's output. */
static void find_fixed(struct random_graph *graph) {
    for (uint32_t v = 0; v < graph->value_count; v++) {
        graph->values[v].is_fixed = graph->values[v].kind == GRAPH_CONSTANT || graph->values[v].is_owned;
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct graph_node *node = &graph->nodes[n];
        bool is_fixed = true;
        for (uint32_t i = 0; i < GRAPH_MAX_TENSORS && !node->is_constant; i++) {
            is_fixed = is_fixed && (node->sources[i] == GRAPH_NONE || graph->values[node->sources[i]].is_fixed);
        }
        for (uint32_t i = 0; i < node->value_count && !node->is_constant; i++) {
            is_fixed = is_fixed && graph->values[node->first_value + i].outputs == 0;
        }
        for (uint32_t i = 0; i < node->value_count; i++) {
            graph->values[node->first_value + i].is_fixed = is_fixed;
        }
    }
}

/* Constants have as many bytes as a reader has at most, and as outputs all; zeros where the caller gives fewer. */
static void measure_constants(struct random_graph *graph) {
    for (uint32_t v = 0; v < graph->value_count; v++) {
        struct graph_value *value = &graph->values[v];
        if (value->kind == GRAPH_CONSTANT) {
            value->bytes = value->outputs > 0 ? (value->given + 3) / 4 * 4 : 0;
        }
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct graph_node *node = &graph->nodes[n];
        if (node->is_constant) {
            continue;
        }
        for (struct case_at at = case_first(&node->c); at.tensor != NULL; at = case_next(&node->c, at)) {
            if (at.is_input && graph->values[node->sources[at.binding]].kind == GRAPH_CONSTANT) {
                struct graph_value *value = &graph->values[node->sources[at.binding]];
                const uint32_t bytes = (uint32_t)case_total_bytes(at.tensor);
                value->bytes = bytes > value->bytes ? bytes : value->bytes;
            }
        }
    }
}

void random_graph_make(struct random_graph *graph, uint64_t seed) {
    struct random random = {.state = random_mix(seed, 7)};
    random_graph_free(graph);
    graph->seed = seed;
    graph->is_rough = random_chance(&random, 25);
    graph->node_count = graph->value_count = graph->input_count = graph->output_count = 0;
    const uint32_t wanted = random_chance(&random, 10)   ? 1
                            : random_chance(&random, 20) ? random_between(&random, 12, GRAPH_MAX_OPERATORS)
                                                         : random_between(&random, 2, 12);
    uint32_t operators = 0;
    for (uint32_t tries = 0; operators < wanted && tries < 40 * wanted; tries++) {
        if (graph->node_count + 8 > GRAPH_MAX_NODES || graph->value_count + 16 > GRAPH_MAX_VALUES ||
            graph->input_count + 12 > GRAPH_MAX_BINDINGS) {
            break;
        }
        operators += add_random_node(graph, &random);
    }
    choose_outputs(graph, &random);
    order_inputs(graph, &random);
    find_fixed(graph);
    measure_constants(graph);
    random_permutation(&random, graph->node_count, graph->places);
}

void random_graph_free(struct random_graph *graph) {
    for (uint32_t v = 0; v < graph->value_count; v++) {
        free(graph->values[v].data);
    }
    graph->value_count = 0;
}

static void print_value(const struct random_graph *graph, uint32_t v) {
    const struct graph_value *value = &graph->values[v];
    switch (value->kind) {
    case GRAPH_INPUT:
        printf(" input %" PRIu32 "%s", value->node, value->is_owned ? " (owned)" : "");
        break;
    case GRAPH_CONSTANT:
        printf(" constant %" PRIu32 " (%" PRIu32 " bytes)", graph->places[value->node], value->given);
        break;
    default:
        printf(" %" PRIu32 ".%" PRIu32, graph->places[value->node], value->output);
        break;
    }
}

void random_graph_print(const struct random_graph *graph) {
    static char line[CASE_MAX_LINE];
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct graph_node *node = &graph->nodes[n];
        if (node->is_constant || !case_print(&node->c, line, sizeof line)) {
            continue;
        }
        printf("#   Nodes[%" PRIu32 "]: %s; reads", graph->places[n], line);
        for (uint32_t i = 0; i < case_input_count(&node->c); i++) {
            if (node->sources[i] != GRAPH_NONE) {
                print_value(graph, node->sources[i]);
            }
        }
        printf("\n");
    }
    printf("#   outputs:");
    for (uint32_t i = 0; i < graph->output_count; i++) {
        print_value(graph, graph->outputs[i]);
    }
    printf("\n");
}
