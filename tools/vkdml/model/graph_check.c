/* The rules of a graph, and what of it bindings see: its inputs and outputs as tensors of a descriptor of its own. */
#include <stdio.h>
#include <string.h>

#include "model/graph.h"

const DML_BUFFER_TENSOR_DESC *graph_source_desc(const struct graph *graph, const struct graph_source *source) {
    if (source->node == GRAPH_INPUT) {
        return graph->inputs[source->index].desc;
    }
    const struct graph_node *node = &graph->nodes[source->node];
    return node->op ? model_tensor(node->op, VKDML_FIELD_KIND_OUTPUT_TENSOR, source->index).desc : NULL;
}

static bool is_owned(const DML_BUFFER_TENSOR_DESC *desc) {
    return (desc->Flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
}

/* ---- edges ---- */

struct checking {
    struct model *model;
    struct graph *graph;
    const struct graph_node *node;
    const struct graph_source *source;
    struct model_tensor tensor; /* the node's, that reads the source */
};

static bool fail(const struct checking *at, const char *message) {
    return document_error(&at->model->document, at->source->json ? at->source->json : at->node->json,
                          "dispatchable '%s': %s %s", at->node->op->name, at->tensor.name, message);
}

static bool check_bytes(const struct checking *at, uint64_t bytes, bool at_most) {
    char message[160];
    const uint64_t own = at->tensor.desc->TotalTensorSizeInBytes;
    if (own == bytes || (at_most && own < bytes)) {
        return true;
    }
    snprintf(message, sizeof(message), "has a TotalTensorSizeInBytes of %llu, must be %s%llu, what it reads",
             (unsigned long long)own, at_most ? "at most " : "", (unsigned long long)bytes);
    return fail(at, message);
}

static bool check_input(const struct checking *at) {
    struct graph_end *input = &at->graph->inputs[at->source->index];
    if (!input->desc || at->source->is_alone) {
        input->desc = at->tensor.desc;
    }
    if (is_owned(input->desc) != is_owned(at->tensor.desc)) {
        return fail(at, "and others that read the same input must all be OWNED_BY_DML, or none");
    }
    return check_bytes(at, input->desc->TotalTensorSizeInBytes, false);
}

static bool check_edge(const struct checking *at) {
    if (!at->source->json) {
        return fail(at, "reads nothing, must have an edge");
    }
    if (at->source->node == GRAPH_INPUT) {
        return check_input(at);
    }
    const struct graph_node *from = &at->graph->nodes[at->source->node];
    from->readers[at->source->index]++;
    if (is_owned(at->tensor.desc)) {
        return fail(at, "is OWNED_BY_DML, must then read an input of the graph");
    }
    const DML_BUFFER_TENSOR_DESC *desc = graph_source_desc(at->graph, at->source);
    if (from->op && !desc) {
        return fail(at, "reads an output that is absent");
    }
    return desc ? check_bytes(at, desc->TotalTensorSizeInBytes, false)
                : check_bytes(at, (from->constant->values_size + 3) & ~(uint64_t)3, true);
}

static bool check_node(struct model *model, struct graph *graph, const struct graph_node *node) {
    bool good = true;
    for (uint32_t i = 0; i < node->op->input_count; i++) {
        const struct checking at = {model, graph, node, &node->sources[i],
                                    model_tensor(node->op, VKDML_FIELD_KIND_INPUT_TENSOR, i)};
        if (at.tensor.desc) {
            good = check_edge(&at) && good;
        } else if (at.source->json) {
            good = fail(&at, "is absent, must have no edge");
        }
    }
    return good;
}

/* Outputs of nodes are read, or optional. */
static bool check_readers(const struct model *model, const struct graph_node *node) {
    bool good = true;
    for (uint32_t i = 0; i < node->op->output_count; i++) {
        const struct model_tensor tensor = model_tensor(node->op, VKDML_FIELD_KIND_OUTPUT_TENSOR, i);
        if (tensor.desc && node->readers[i] == 0 && !tensor.field->optional) {
            good = document_error(&model->document, node->json,
                                  "dispatchable '%s': nobody reads %s, it must have an edge or be an output",
                                  node->op->name, tensor.name);
        }
    }
    return good;
}

static bool check_outputs(struct model *model, struct graph *graph) {
    bool good = true;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        struct graph_end *output = &graph->outputs[i];
        if (output->source.node == GRAPH_INPUT) {
            good = document_error(&model->document, output->json,
                                  "dispatchable '%s': output '%s' is an input, must come from a node", graph->name,
                                  output->name);
            continue;
        }
        const struct graph_node *from = &graph->nodes[output->source.node];
        from->readers[output->source.index]++;
        output->desc = graph_source_desc(graph, &output->source);
        if (!output->desc && from->op) {
            good = document_error(&model->document, output->json,
                                  "dispatchable '%s': output '%s' is an output of '%s' that is absent", graph->name,
                                  output->name, from->name);
        }
    }
    return good;
}

/* A constant as a tensor, for who binds an output that is one. */
static bool describe_constants(struct model *model, struct graph *graph) {
    for (uint32_t i = 0; i < graph->output_count; i++) {
        struct graph_end *output = &graph->outputs[i];
        if (output->desc) {
            continue;
        }
        const struct resource *constant = graph->nodes[output->source.node].constant;
        DML_BUFFER_TENSOR_DESC *desc = arena_allocate(&model->arena, 1, sizeof(*desc));
        uint32_t *sizes = arena_allocate(&model->arena, 1, sizeof(*sizes));
        if (!desc || !sizes) {
            return false;
        }
        *sizes = (uint32_t)constant->count;
        *desc = (DML_BUFFER_TENSOR_DESC){.DataType = constant->type,
                                         .DimensionCount = 1,
                                         .Sizes = sizes,
                                         .TotalTensorSizeInBytes = (constant->values_size + 3) & ~(uint64_t)3};
        output->desc = desc;
    }
    return true;
}

/* ---- order ---- */

/* Operators that a node waits for: by its inputs. */
static uint32_t count_before(const struct graph *graph, const struct graph_node *node) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->op->input_count; i++) {
        const struct graph_source *source = &node->sources[i];
        count += source->json && source->node != GRAPH_INPUT && graph->nodes[source->node].op;
    }
    return count;
}

static bool fail_circle(const struct model *model, const struct graph *graph, const uint32_t *waiting) {
    for (uint32_t n = 0; n < graph->node_count; n++) {
        if (graph->nodes[n].op && waiting[n] > 0) {
            return document_error(&model->document, graph->nodes[n].json,
                                  "dispatchable '%s': reads what it makes, by way of other nodes",
                                  graph->nodes[n].op->name);
        }
    }
    return true;
}

/* Takes nodes that wait for nothing, until none is left. Of nodes that could come next it is the first. */
static bool find_order(struct model *model, struct graph *graph) {
    uint32_t *waiting = arena_allocate(&model->arena, (size_t)graph->node_count + 1, sizeof(*waiting));
    graph->order = arena_allocate(&model->arena, (size_t)graph->node_count + 1, sizeof(*graph->order));
    if (!waiting || !graph->order) {
        return false;
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        waiting[n] = graph->nodes[n].op ? count_before(graph, &graph->nodes[n]) : 0;
        if (graph->nodes[n].op && waiting[n] == 0) {
            graph->order[graph->operator_count++] = n;
        }
    }
    for (uint32_t at = 0; at < graph->operator_count; at++) {
        for (uint32_t n = 0; n < graph->node_count; n++) {
            const struct graph_node *node = &graph->nodes[n];
            for (uint32_t i = 0; node->op && waiting[n] > 0 && i < node->op->input_count; i++) {
                const struct graph_source *source = &node->sources[i];
                if (source->json && source->node == graph->order[at] && --waiting[n] == 0) {
                    graph->order[graph->operator_count++] = n;
                }
            }
        }
    }
    return fail_circle(model, graph, waiting);
}

/* ---- as a descriptor ---- */

static void add_field(VkdmlFieldSchema *field, const struct graph_end *end, VkdmlFieldKind kind, uint32_t index,
                      uint32_t place) {
    *field = (VkdmlFieldSchema){.name = end->name,
                                .kind = kind,
                                .type = VKDML_FIELD_TYPE_TENSOR_DESC,
                                .offset = (uint32_t)(place * sizeof(DML_TENSOR_DESC *)),
                                .optional = !end->desc,
                                .countField = VKDML_NONE,
                                .typeField = VKDML_NONE,
                                .bindingIndex = index};
}

static bool make_schema(struct model *model, struct dispatchable *dispatchable) {
    struct graph *graph = dispatchable->graph;
    const uint32_t count = graph->input_count + graph->output_count;
    VkdmlFieldSchema *fields = arena_allocate(&model->arena, (size_t)count + 1, sizeof(*fields));
    DML_TENSOR_DESC *tensors = arena_allocate(&model->arena, (size_t)count + 1, sizeof(*tensors));
    const DML_TENSOR_DESC **desc = arena_allocate(&model->arena, (size_t)count + 1, sizeof(*desc));
    if (!fields || !tensors || !desc) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool is_input = i < graph->input_count;
        const uint32_t index = is_input ? i : i - graph->input_count;
        const struct graph_end *end = is_input ? &graph->inputs[index] : &graph->outputs[index];
        add_field(&fields[i], end, is_input ? VKDML_FIELD_KIND_INPUT_TENSOR : VKDML_FIELD_KIND_OUTPUT_TENSOR, index, i);
        tensors[i] = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, end->desc};
        desc[i] = end->desc ? &tensors[i] : NULL;
    }
    graph->schema = (VkdmlOperatorSchema){.name = "graph",
                                          .fieldCount = count,
                                          .fields = fields,
                                          .inputCount = graph->input_count,
                                          .outputCount = graph->output_count};
    dispatchable->desc = (DML_OPERATOR_DESC){.Desc = desc};
    dispatchable->input_count = graph->input_count;
    dispatchable->output_count = graph->output_count;
    dispatchable->schema = &graph->schema;
    return true;
}

bool graph_check(struct model *model, struct dispatchable *dispatchable) {
    struct graph *graph = dispatchable->graph;
    bool good = true;
    if (graph->output_count == 0 || graph->node_count == 0) {
        return document_error(&model->document, dispatchable->json, "dispatchable '%s' has no %s", graph->name,
                              graph->node_count ? "outputs" : "nodes");
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        struct graph_node *node = &graph->nodes[n];
        const size_t outputs = node->op ? node->op->output_count : 1;
        node->readers = arena_allocate(&model->arena, outputs + 1, sizeof(*node->readers));
        if (!node->readers) {
            return false;
        }
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        good = (!graph->nodes[n].op || check_node(model, graph, &graph->nodes[n])) && good;
    }
    good = check_outputs(model, graph) && good;
    for (uint32_t n = 0; good && n < graph->node_count; n++) {
        good = !graph->nodes[n].op || check_readers(model, &graph->nodes[n]);
    }
    return good && find_order(model, graph) && describe_constants(model, graph) && make_schema(model, dispatchable);
}
