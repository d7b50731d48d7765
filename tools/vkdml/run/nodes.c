#include "run/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/operator_names.h"
#include "run/dispatch.h"
#include "run/results.h"

/* What is between the nodes, each in a buffer of its own. */
struct nodes {
    struct executor *executor;
    const struct command *command;
    const struct graph *graph;
    struct resource **values;     /* by node and output; of a constant its values */
    struct binding *bindings;     /* of one node */
    struct results_node *results; /* by place in the graph's order */
    bool on_device;
};

static bool out_of_memory(const struct nodes *nodes) {
    return document_error(&nodes->executor->model->document, nodes->command->json, "out of memory");
}

static uint32_t outputs_of(const struct graph_node *node) {
    return node->op ? node->op->output_count : 1;
}

static bool create_value(struct nodes *nodes, const struct graph_node *node, uint32_t output, struct resource *value) {
    const DML_BUFFER_TENSOR_DESC *desc =
        node->op ? model_tensor(node->op, VKDML_FIELD_KIND_OUTPUT_TENSOR, output).desc : NULL;
    if (node->op && !desc) {
        return true; /* absent */
    }
    value->name = node->name;
    value->json = node->json;
    value->size = node->op ? (desc->TotalTensorSizeInBytes + 3) & ~(uint64_t)3 : node->constant->size;
    value->contents = calloc(1, value->size);
    if (!value->contents) {
        return out_of_memory(nodes);
    }
    if (!node->op) {
        memcpy(value->contents, node->constant->contents, value->size);
    }
    return nodes->executor->operations->create_buffer(nodes->executor, value);
}

static bool create_values(struct nodes *nodes) {
    const struct graph *graph = nodes->graph;
    uint32_t most = 0;
    bool good = true;
    nodes->values = calloc((size_t)graph->node_count + 1, sizeof(*nodes->values));
    nodes->results = calloc((size_t)graph->operator_count + 1, sizeof(*nodes->results));
    for (uint32_t n = 0; good && nodes->values && n < graph->node_count; n++) {
        const struct graph_node *node = &graph->nodes[n];
        const uint32_t count = outputs_of(node);
        nodes->values[n] = calloc((size_t)count + 1, sizeof(**nodes->values));
        good = nodes->values[n] || out_of_memory(nodes);
        for (uint32_t i = 0; good && i < count; i++) {
            good = create_value(nodes, node, i, &nodes->values[n][i]);
        }
        const uint32_t bound = node->op ? node->op->input_count + node->op->output_count : 0;
        most = bound > most ? bound : most;
    }
    nodes->bindings = calloc((size_t)most + 1, sizeof(*nodes->bindings));
    return good && ((nodes->values && nodes->results && nodes->bindings) || out_of_memory(nodes));
}

static void release_values(struct nodes *nodes) {
    for (uint32_t n = 0; nodes->values && n < nodes->graph->node_count; n++) {
        for (uint32_t i = 0; nodes->values[n] && i < outputs_of(&nodes->graph->nodes[n]); i++) {
            nodes->executor->operations->release_buffer(nodes->executor, &nodes->values[n][i]);
            free(nodes->values[n][i].contents);
        }
        free(nodes->values[n]);
    }
    free(nodes->values);
    free(nodes->bindings);
    free(nodes->results);
}

/* What an input of a node is bound to: owned ones at initialization, the others in executions. */
static struct binding bind_input(const struct nodes *nodes, const struct graph_node *node, uint32_t index, bool owned) {
    const struct graph_source *source = &node->sources[index];
    const DML_BUFFER_TENSOR_DESC *desc = model_tensor(node->op, VKDML_FIELD_KIND_INPUT_TENSOR, index).desc;
    if (!desc || ((desc->Flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0) != owned) {
        return (struct binding){.resource = NULL};
    }
    if (source->node == GRAPH_INPUT) {
        return owned ? nodes->command->dispatchable->owned[source->index] : nodes->command->inputs[source->index];
    }
    return (struct binding){&nodes->values[source->node][source->index], node->json, 0, desc->TotalTensorSizeInBytes};
}

static bool run_bound(struct nodes *nodes, const struct graph_node *node, const struct command *command,
                      struct results_node *result) {
    struct executor *executor = nodes->executor;
    struct timing timing = {0};
    const bool good = dispatch_run(executor, command, executor->check, nodes_iterations(executor->options), &timing);
    if (good) {
        *result = (struct results_node){node->name, operator_names_short(node->op->schema->name),
                                        timing_median(&timing, executor->options->warmup, &nodes->on_device)};
    }
    timing_free(&timing);
    return good;
}

static bool run_node(struct nodes *nodes, const struct graph_node *node, struct results_node *result) {
    struct executor *executor = nodes->executor;
    struct dispatchable *op = node->op;
    struct command command = {.type = COMMAND_DISPATCH, .json = nodes->command->json, .dispatchable = op};
    const uint32_t n = (uint32_t)(node - nodes->graph->nodes);
    const bool is_apart = op->within == NULL; /* a dispatchable of the model, which is prepared */
    bool good = true;
    command.inputs = nodes->bindings;
    command.outputs = nodes->bindings + op->input_count;
    if (!is_apart) {
        op->owned = arena_allocate(&executor->model->arena, (size_t)op->input_count + 1, sizeof(*op->owned));
        op->flags = nodes->command->dispatchable->flags;
        for (uint32_t i = 0; op->owned && i < op->input_count; i++) {
            op->owned[i] = bind_input(nodes, node, i, true);
        }
        good = op->owned && executor->operations->prepare(executor, op);
    }
    for (uint32_t i = 0; i < op->input_count; i++) {
        command.inputs[i] = bind_input(nodes, node, i, false);
    }
    for (uint32_t i = 0; i < op->output_count; i++) {
        struct resource *value = &nodes->values[n][i];
        const DML_BUFFER_TENSOR_DESC *desc = model_tensor(op, VKDML_FIELD_KIND_OUTPUT_TENSOR, i).desc;
        command.outputs[i] = desc ? (struct binding){value, node->json, 0, desc->TotalTensorSizeInBytes}
                                  : (struct binding){.resource = NULL};
    }
    good = good && run_bound(nodes, node, &command, result);
    if (!is_apart) {
        executor->operations->release_dispatchable(executor, op);
    }
    return good;
}

/* The graph once more, of which nothing is fused. */
static bool run_unfused(struct nodes *nodes, double *milliseconds) {
    struct executor *executor = nodes->executor;
    struct dispatchable unfused = *nodes->command->dispatchable;
    struct command command = *nodes->command;
    struct timing timing = {0};
    unfused.state = NULL;
    unfused.node_by_node = true;
    command.dispatchable = &unfused;
    const bool good = executor->operations->prepare(executor, &unfused) &&
                      dispatch_run(executor, &command, NULL, nodes_iterations(executor->options), &timing);
    *milliseconds = timing_median(&timing, executor->options->warmup, &nodes->on_device);
    timing_free(&timing);
    executor->operations->release_dispatchable(executor, &unfused);
    return good;
}

uint32_t nodes_iterations(const struct run_options *options) {
    return options->iterations == 1 && options->warmup > 0 ? 2 : options->iterations;
}

bool nodes_run(struct executor *executor, const struct command *command, const struct timing *timing) {
    struct nodes nodes = {.executor = executor, .command = command, .graph = command->dispatchable->graph};
    double unfused = 0;
    bool good = create_values(&nodes);
    for (uint32_t at = 0; good && at < nodes.graph->operator_count; at++) {
        good = run_node(&nodes, &nodes.graph->nodes[nodes.graph->order[at]], &nodes.results[at]);
    }
    good = good && run_unfused(&nodes, &unfused);
    if (good) {
        const double whole = timing_median(timing, executor->options->warmup, &nodes.on_device);
        results_nodes(executor->results, command, nodes.results, nodes.graph->operator_count, whole, unfused,
                      nodes.on_device);
    }
    release_values(&nodes);
    return good;
}
