#include "api/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/check.h"
#include "api/error.h"
#include "api/operator.h"
#include "base/arena.h"
#include "base/memory.h"
#include "graph/plan.h"
#include "vulkan/device.h"
#include "vulkan/dispatchable.h"
#include "vulkan/weights.h"

static void need_level(DML_FEATURE_LEVEL level, DML_FEATURE_LEVEL needed, const char *what,
                       struct vkdml_report *report) {
    if (level < needed) {
        vkdml_report_invalid(report, "%s needs DML_FEATURE_LEVEL_%s; the feature level is %s", what,
                             vkdml_level_name(needed), vkdml_level_name(level));
    }
}

/* The operator of a node; NULL, and a line in the report, where there is none that can be read. */
static const struct vkdml_instance *read_operator(VkdmlDevice *device, const DML_OPERATOR_GRAPH_NODE_DESC *node,
                                                  uint32_t index, struct vkdml_report *report) {
    const VkdmlOperator op = (VkdmlOperator)(void *)node->Operator;
    struct vkdml_graph_text name = vkdml_graph_node_text(index, node->Name);
    memcpy(name.text + strlen(name.text), ".Operator", sizeof ".Operator");
    if (vkdml_check_handle(op, VKDML_HANDLE_OPERATOR, *device, name.text, report) != VKDML_SUCCESS) {
        return NULL;
    }
    *device = *device != NULL ? *device : op->handle.device;
    if (op->handle.device != *device) {
        vkdml_report_invalid(report, "%s is of another device, must be of the one that compiles", name.text);
        return NULL;
    }
    return op->instance;
}

static void read_node(VkdmlDevice *device, const DML_GRAPH_NODE_DESC *node, uint32_t index,
                      const struct vkdml_instance **instance, struct vkdml_report *report) {
    if (node->Type != DML_GRAPH_NODE_TYPE_OPERATOR && node->Type != DML_GRAPH_NODE_TYPE_CONSTANT) {
        vkdml_report_invalid(report, "%s.Type is %d, must be DML_GRAPH_NODE_TYPE_OPERATOR or _CONSTANT",
                             vkdml_graph_node_text(index, NULL).text, (int)node->Type);
    } else if (node->Desc == NULL) {
        vkdml_report_invalid(report, "%s.Desc is NULL, must point to a node", vkdml_graph_node_text(index, NULL).text);
    } else if (node->Type == DML_GRAPH_NODE_TYPE_OPERATOR) {
        *instance = read_operator(device, node->Desc, index, report);
    }
}

static void check_levels(VkdmlDevice device, const DML_GRAPH_DESC *desc, struct vkdml_report *report) {
    need_level(device->level, DML_FEATURE_LEVEL_2_1, "vkdmlCompileGraph()", report);
    for (uint32_t n = 0; n < desc->NodeCount; ++n) {
        if (desc->Nodes[n].Type == DML_GRAPH_NODE_TYPE_CONSTANT && device->level < DML_FEATURE_LEVEL_6_2) {
            char name[64];
            snprintf(name, sizeof name, "Nodes[%" PRIu32 "]: DML_GRAPH_NODE_TYPE_CONSTANT", n);
            need_level(device->level, DML_FEATURE_LEVEL_6_2, name, report);
        }
    }
}

VkdmlResult vkdml_read_graph(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkAllocationCallbacks *callbacks,
                             struct vkdml_report *report, struct vkdml_graph **graph) {
    *graph = NULL;
    report->context = "DML_GRAPH_DESC";
    if (vkdml_check_given(desc, "desc", report) != VKDML_SUCCESS || !vkdml_graph_is_readable(desc, report)) {
        return report->result;
    }
    const size_t bytes = desc->NodeCount * sizeof(struct vkdml_instance *);
    const struct vkdml_instance **instances = vkdml_allocate(callbacks, bytes);
    if (instances == NULL) {
        return vkdml_report_out_of_memory(report, bytes, "the operators of a graph");
    }
    VkdmlDevice of = device;
    for (uint32_t n = 0; n < desc->NodeCount; ++n) {
        read_node(&of, &desc->Nodes[n], n, &instances[n], report);
    }
    if (of != NULL) {
        check_levels(of, desc, report);
    }
    VkdmlResult result = vkdml_graph_read(desc, instances, callbacks, report, graph);
    vkdml_free(callbacks, (void *)instances);
    return result;
}

/* ---- compiling ---- */

static struct vkdml_bind_point point_of(const struct vkdml_graph_value *value, const char *name, uint32_t index) {
    return (struct vkdml_bind_point){.name = name,
                                     .element = index,
                                     .operator_index = VKDML_NO_INDEX,
                                     .bytes = value->bytes,
                                     .alignment = DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT,
                                     .alignment_rule = "DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT",
                                     .base_alignment = value->alignment,
                                     .owned = value->owned};
}

static void describe_points(VkdmlDispatchable compiled, const struct vkdml_graph *graph) {
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        compiled->inputs[i] = point_of(&graph->values[i], "GraphInputs", i);
        if (graph->values[i].owned) {
            compiled->inputs[i].unbound = "DML_TENSOR_FLAG_OWNED_BY_DML tensors are bound at initialization";
        } else if (graph->values[i].readers == 0) {
            compiled->inputs[i].unbound = "no edge names it";
        }
    }
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        compiled->outputs[i] = point_of(&graph->values[graph->outputs[i]], "GraphOutputs", i);
        compiled->outputs[i].written = graph->written[i];
    }
}

/* "conv1", or "Nodes[3]" of one without a name. */
static const char *node_name(const void *of, uint32_t node, char *text, size_t capacity) {
    const struct vkdml_graph *graph = of;
    const char *name = graph->nodes[node].name;
    if (name != NULL && name[0] != '\0') {
        return name;
    }
    snprintf(text, capacity, "Nodes[%" PRIu32 "]", node);
    return text;
}

/* Moves what the plan keeps to the weight store, where the caller gave one. */
static VkdmlResult place_weights(const struct vkdml_graph *graph, const struct vkdml_compilation *compilation,
                                 struct vkdml_plan *plan, struct vkdml_report *report,
                                 struct vkdml_weights **weights) {
    const uint32_t ids = compilation->weight_id_count;
    if (compilation->weight_store == NULL) {
        return VKDML_SUCCESS;
    }
    if (ids != 0 && ids != graph->input_count) {
        return vkdml_report_invalid(report, "weightIdCount is %" PRIu32 ", must be the graph's InputCount, %" PRIu32
                                            ", or 0",
                                    ids, graph->input_count);
    }
    bool *owned = vkdml_allocate(graph->callbacks, graph->input_count + (size_t)1);
    if (owned == NULL) {
        return vkdml_report_out_of_memory(report, graph->input_count + (size_t)1, "the weights of a graph");
    }
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        owned[i] = graph->values[i].owned;
    }
    const struct vkdml_weight_inputs inputs = {graph->input_count, owned, ids == 0 ? NULL : compilation->weight_ids};
    const VkdmlResult result = vkdml_weights_place(compilation->weight_store, plan, &inputs, report, weights);
    vkdml_free(graph->callbacks, owned);
    return result;
}

static VkdmlResult create(VkdmlDevice device, const struct vkdml_graph *graph, struct vkdml_plan *plan,
                          const struct vkdml_compilation *compilation, struct vkdml_report *report,
                          VkdmlDispatchable *compiled) {
    struct vkdml_weights *weights = NULL;
    VkdmlDispatchable d;
    VkdmlResult result = place_weights(graph, compilation, plan, report, &weights);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_plan_synchronize(plan, 0, 0);
    struct vkdml_dispatchable_info info = vkdml_dispatchable_of_plan(plan);
    info.context = "graph";
    info.input_count = graph->input_count;
    info.output_count = graph->output_count;
    info.page_count = weights != NULL ? weights->page_count : 0;
    result = vkdml_dispatchable_create(device, &info, report, &d);
    if (result != VKDML_SUCCESS) {
        vkdml_weights_release(weights);
        return result;
    }
    if (weights != NULL) {
        vkdml_dispatchable_take_weights(d, weights);
    }
    describe_points(d, graph);
    if (d->label != NULL) {
        snprintf(d->label, VKDML_LABEL_CAPACITY, "graph of %" PRIu32 " %s", graph->given_count,
                 graph->given_count == 1 ? "node" : "nodes");
    }
    const struct vkdml_node_names names = {graph, node_name};
    if ((compilation->flags & VKDML_COMPILE_FLAG_PARALLEL) != 0) {
        result = vkdml_pipelines_create_all(device, plan, report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_pipelines_create_spares(device, plan, report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_dispatchable_compile(d, plan, &names, report);
    }
    if (result == VKDML_SUCCESS) {
        *compiled = d;
    } else {
        vkdml_dispatchable_destroy(d);
    }
    return result;
}

/* The graph and its plan live in an arena: they are many small pieces, which end together. */
static VkdmlResult compile(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkdmlCompileInfo *info,
                           struct vkdml_report *report, VkdmlDispatchable *compiled) {
    struct vkdml_arena arena;
    struct vkdml_graph *graph = NULL;
    struct vkdml_compilation compilation;
    struct vkdml_awaited awaited = {.device = device};
    struct vkdml_plan_pipelines pipelines = vkdml_pipelines_of(&awaited);
    struct vkdml_plan plan;
    vkdml_arena_begin(&arena, device->callbacks);
    vkdml_plan_begin(&plan, &arena.callbacks);
    VkdmlResult result = vkdml_read_compile_info(device, info, report, &compilation);
    if (result == VKDML_SUCCESS) {
        result = vkdml_read_graph(device, desc, &arena.callbacks, report, &graph);
    }
    if (result == VKDML_SUCCESS && (compilation.flags & VKDML_COMPILE_FLAG_NODE_BY_NODE) == 0) {
        result = vkdml_graph_fuse(graph, device->level, &compilation.limits, report);
    }
    if (result == VKDML_SUCCESS) {
        pipelines.is_first = compilation.weight_store == NULL || !vkdml_weight_store_has_graphs(compilation.weight_store);
        compilation.limits.pipelines = compilation.limits.open_sizes ? &pipelines : NULL;
        result = vkdml_graph_plan(graph, &compilation.limits, compilation.flags, report, &plan);
    }
    if (result == VKDML_SUCCESS) {
        result = create(device, graph, &plan, &compilation, report, compiled);
    }
    if (result == VKDML_SUCCESS) {
        (*compiled)->awaited = awaited;
        if (compilation.weight_store != NULL) {
            vkdml_weight_store_note(compilation.weight_store);
        }
    } else {
        vkdml_awaited_end(&awaited);
    }
    vkdml_plan_end(&plan);
    vkdml_graph_destroy(graph);
    vkdml_arena_end(&arena);
    return result;
}

VkdmlResult vkdmlCompileGraph(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkdmlCompileInfo *info,
                              VkdmlDispatchable *compiled) {
    struct vkdml_report *report = vkdml_error_begin();
    if (compiled != NULL) {
        *compiled = NULL;
    }
    VkdmlResult result = vkdml_check_device_given(device, compiled, "compiled", report);
    if (result == VKDML_SUCCESS) {
        result = compile(device, desc, info, report, compiled);
    }
    return vkdml_end_on_object(report, result, device);
}

VkdmlResult vkdmlGetGeneralPipelineInfo(VkdmlDispatchable compiled, VkdmlGeneralPipelineInfo *info) {
    struct vkdml_report *report = vkdml_error_begin();
    const VkdmlResult result =
        vkdml_check_object_given(compiled, VKDML_HANDLE_DISPATCHABLE, "compiled", info, "info", report);
    if (result == VKDML_SUCCESS) {
        *info = (VkdmlGeneralPipelineInfo){.nodeCount = compiled->awaited.node_count,
                                           .pendingCount = vkdml_awaited_count_missing(&compiled->awaited)};
    }
    return vkdml_end_on_object(report, result, compiled);
}
