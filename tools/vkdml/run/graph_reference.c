#include "run/graph_reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/watch.h"

struct execution {
    const struct executor *executor;
    const struct command *command;
    const struct graph *graph;
    const VkdmlHostBinding *bindings; /* the graph's */
    VkdmlHostBinding **outputs;       /* by node and output */
    VkdmlHostBinding *node_bindings;  /* of one node */
};

static bool out_of_memory(const struct execution *execution) {
    return document_error(&execution->executor->model->document, execution->command->json, "out of memory");
}

static bool allocate_outputs(struct execution *execution, uint32_t n) {
    const struct dispatchable *op = execution->graph->nodes[n].op;
    execution->outputs[n] = calloc((size_t)op->output_count + 1, sizeof(VkdmlHostBinding));
    for (uint32_t i = 0; execution->outputs[n] && i < op->output_count; i++) {
        const DML_BUFFER_TENSOR_DESC *desc = model_tensor(op, VKDML_FIELD_KIND_OUTPUT_TENSOR, i).desc;
        if (desc) {
            const size_t bytes = (size_t)desc->TotalTensorSizeInBytes;
            execution->outputs[n][i] = (VkdmlHostBinding){calloc(1, bytes ? bytes : 1), bytes};
            if (!execution->outputs[n][i].data) {
                return out_of_memory(execution);
            }
        }
    }
    return execution->outputs[n] || out_of_memory(execution);
}

/* What an input of a node reads. */
static VkdmlHostBinding binding_of(const struct execution *execution, const struct graph_source *source) {
    if (!source->json) {
        return (VkdmlHostBinding){NULL, 0};
    }
    if (source->node == GRAPH_INPUT) {
        return execution->bindings[source->index];
    }
    const struct graph_node *from = &execution->graph->nodes[source->node];
    return from->op ? execution->outputs[source->node][source->index]
                    : (VkdmlHostBinding){from->constant->contents, (size_t)from->constant->size};
}

/* Bytes between an output's elements are the caller's, whichever node writes it. */
static void copy_outputs(const struct execution *execution, bool back) {
    const struct graph *graph = execution->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const VkdmlHostBinding *bound = &execution->bindings[graph->input_count + i];
        const VkdmlHostBinding own = binding_of(execution, &graph->outputs[i].source);
        const size_t bytes = own.size < bound->size ? own.size : bound->size;
        if (back) {
            memcpy(bound->data, own.data, bytes);
        } else if (graph->nodes[graph->outputs[i].source.node].op) {
            memcpy(own.data, bound->data, bytes);
        }
    }
}

static bool execute_node(const struct execution *execution, uint32_t n) {
    const struct run_options *options = execution->executor->options;
    const struct graph_node *node = &execution->graph->nodes[n];
    for (uint32_t i = 0; i < node->op->input_count; i++) {
        execution->node_bindings[i] = binding_of(execution, &node->sources[i]);
    }
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &node->op->desc,
                                     .featureLevel = options->level,
                                     .flags = options->zero_undefined ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0,
                                     .inputCount = node->op->input_count,
                                     .inputs = execution->node_bindings,
                                     .outputCount = node->op->output_count,
                                     .outputs = execution->outputs[n]};
    watch_begin(node->op->name, options->reference_seconds, "--reference-seconds");
    const bool good = vkdmlReferenceExecute(&info) == VKDML_SUCCESS;
    watch_end();
    return good || model_report_refusal(execution->executor->model, node->op, NULL);
}

static bool allocate(struct execution *execution) {
    const struct graph *graph = execution->graph;
    uint32_t most = 0;
    bool good = true;
    for (uint32_t at = 0; at < graph->operator_count; at++) {
        const struct dispatchable *op = graph->nodes[graph->order[at]].op;
        most = op->input_count > most ? op->input_count : most;
    }
    execution->outputs = calloc((size_t)graph->node_count + 1, sizeof(*execution->outputs));
    execution->node_bindings = calloc((size_t)most + 1, sizeof(*execution->node_bindings));
    if (!execution->outputs || !execution->node_bindings) {
        return out_of_memory(execution);
    }
    for (uint32_t at = 0; good && at < graph->operator_count; at++) {
        good = allocate_outputs(execution, graph->order[at]);
    }
    return good;
}

static void release(struct execution *execution) {
    const struct graph *graph = execution->graph;
    for (uint32_t n = 0; execution->outputs && n < graph->node_count; n++) {
        for (uint32_t i = 0; execution->outputs[n] && i < graph->nodes[n].op->output_count; i++) {
            free(execution->outputs[n][i].data);
        }
        free(execution->outputs[n]);
    }
    free(execution->outputs);
    free(execution->node_bindings);
}

bool graph_reference_execute(const struct executor *executor, const struct command *command,
                             const VkdmlHostBinding *bindings) {
    struct execution execution = {
        .executor = executor, .command = command, .graph = command->dispatchable->graph, .bindings = bindings};
    bool good = allocate(&execution);
    if (good) {
        copy_outputs(&execution, false);
    }
    for (uint32_t at = 0; good && at < execution.graph->operator_count; at++) {
        good = execute_node(&execution, execution.graph->order[at]);
    }
    if (good) {
        copy_outputs(&execution, true);
    }
    release(&execution);
    return good;
}
