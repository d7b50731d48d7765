/* Explanations of graphs: a plan, and what became of each node. */
#include "api/check.h"
#include "api/error.h"
#include "api/explain.h"
#include "api/graph.h"
#include "api/operator.h"
#include "base/memory.h"
#include "graph/outline.h"
#include "graph/plan.h"
#include "vulkan/device.h"

struct explaining {
    VkdmlDevice device;
    struct vkdml_graph *graph;
    const struct vkdml_outline *outline;
    const struct vkdml_plan *plan;
    struct vkdml_report *report;
};

/* The node that does a node's work in the end. */
static uint32_t group_of(const struct vkdml_graph *graph, uint32_t node) {
    uint32_t group = node;
    for (uint32_t hops = 0; graph->nodes[group].is_gone && graph->nodes[group].into != 0 && hops < graph->node_count;
         ++hops) {
        group = graph->nodes[group].into - 1;
    }
    return group;
}

static VkdmlNodeRole role_of(const struct explaining *e, uint32_t n) {
    const struct vkdml_outline_node *outlined = &e->outline->nodes[n];
    if (outlined->schema == NULL) {
        return VKDML_NODE_ROLE_CONSTANT;
    }
    if (e->graph->nodes[n].is_gone) {
        return VKDML_NODE_ROLE_FUSED;
    }
    if (outlined->is_fixed) {
        return VKDML_NODE_ROLE_INITIALIZED;
    }
    return outlined->steps.count > 0 ? VKDML_NODE_ROLE_EXECUTED : VKDML_NODE_ROLE_VIEW;
}

static void tell_node(const struct explaining *e, uint32_t n, VkdmlExplainedNode *told) {
    const struct vkdml_outline_node *outlined = &e->outline->nodes[n];
    const char *name = e->graph->nodes[n].name;
    *told = (VkdmlExplainedNode){.name = name != NULL ? name : "",
                                 .operatorName = outlined->schema != NULL ? outlined->schema->name : NULL,
                                 .role = role_of(e, n),
                                 .group = group_of(e->graph, n),
                                 .level = outlined->level,
                                 .outputBytes = outlined->output_bytes,
                                 .initialStep = outlined->init_steps.first,
                                 .initialStepCount = outlined->init_steps.count,
                                 .step = e->plan->init_steps.count + outlined->steps.first,
                                 .stepCount = outlined->steps.count};
}

static uint64_t bytes_of(const struct vkdml_graph *graph, bool outputs) {
    const uint32_t count = outputs ? graph->output_count : graph->input_count;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; ++i) {
        bytes += graph->values[outputs ? graph->outputs[i] : i].bytes;
    }
    return bytes;
}

static VkdmlResult tell(const struct explaining *e, const struct vkdml_notes *notes,
                        const VkdmlExplanation **explanation) {
    const size_t bytes = e->graph->node_count * sizeof(VkdmlExplainedNode);
    VkdmlExplainedNode *nodes = vkdml_allocate(e->device->callbacks, bytes);
    if (nodes == NULL) {
        return vkdml_report_out_of_memory(e->report, bytes, "what is told of a graph's nodes");
    }
    for (uint32_t n = 0; n < e->graph->node_count; ++n) {
        tell_node(e, n, &nodes[n]);
    }
    const struct vkdml_subject subject = {.name = "graph",
                                          .input_count = e->graph->input_count,
                                          .output_count = e->graph->output_count,
                                          .input_bytes = bytes_of(e->graph, false),
                                          .output_bytes = bytes_of(e->graph, true),
                                          .node_count = e->graph->node_count,
                                          .level_count = e->outline->level_count,
                                          .nodes = nodes,
                                          .level_bytes = e->outline->level_bytes,
                                          .least_bytes = e->outline->least_bytes};
    const VkdmlResult result = vkdml_explain_plan(e->device, &subject, e->plan, notes, e->report, explanation);
    vkdml_free(e->device->callbacks, nodes);
    return result;
}

/* Fuses and plans, as compiling does. */
static VkdmlResult plan_graph(struct explaining *e, const VkdmlCompileInfo *info, struct vkdml_plan *plan) {
    struct vkdml_compilation compilation;
    VkdmlResult result = vkdml_read_compile_info(e->device, info, e->report, &compilation);
    if (result == VKDML_SUCCESS && (compilation.flags & VKDML_COMPILE_FLAG_NODE_BY_NODE) == 0) {
        result = vkdml_graph_fuse(e->graph, e->device->level, &compilation.limits, e->report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_graph_plan(e->graph, &compilation.limits, compilation.flags, e->report, plan);
    }
    vkdml_plan_synchronize(plan, 0, 0);
    return result;
}

static VkdmlResult explain(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkdmlCompileInfo *info,
                           struct vkdml_report *report, const VkdmlExplanation **explanation) {
    struct vkdml_plan plan;
    struct vkdml_notes notes;
    struct explaining e = {.device = device, .plan = &plan, .report = report};
    struct vkdml_outline *outline = NULL;
    VkdmlResult result = vkdml_read_graph(device, desc, device->callbacks, report, &e.graph);
    vkdml_plan_begin(&plan, device->callbacks);
    vkdml_notes_begin(&notes, device->callbacks, report);
    if (result == VKDML_SUCCESS) {
        outline = vkdml_outline_create(e.graph, report);
        e.outline = outline;
        result = outline != NULL ? plan_graph(&e, info, &plan) : VKDML_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result == VKDML_SUCCESS) {
        result = tell(&e, &notes, explanation);
    }
    vkdml_notes_end(&notes, report);
    vkdml_plan_end(&plan);
    vkdml_outline_destroy(outline);
    vkdml_graph_destroy(e.graph);
    return result;
}

VkdmlResult vkdmlExplainGraph(VkdmlDevice device, const DML_GRAPH_DESC *desc, const VkdmlCompileInfo *info,
                              const VkdmlExplanation **explanation) {
    struct vkdml_report *report = vkdml_error_begin();
    if (explanation != NULL) {
        *explanation = NULL;
    }
    VkdmlResult result = vkdml_check_device_given(device, explanation, "explanation", report);
    if (result == VKDML_SUCCESS) {
        result = explain(device, desc, info, report, explanation);
    }
    return vkdml_end_on_object(report, result, device);
}
