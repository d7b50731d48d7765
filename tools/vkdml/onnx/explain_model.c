#include "onnx/explain_model.h"

#include <stdlib.h>

#include "base/message.h"
#include "base/timing.h"
#include "onnx/conditions.h"
#include "onnx/split.h"

static bool explain_graph(const struct subject *subject, const struct onnx_plan *plan, VkdmlDevice device,
                          const VkdmlCompileInfo *info, struct explained *explained) {
    struct onnx_error error = {0};
    struct onnx_plan_graph *graph;
    VkdmlDispatchable compiled = NULL;
    if (!onnx_plan_graph_create(plan, device, &graph, &error)) {
        return subject_fail(subject, &error);
    }
    const double start = timing_now();
    VkdmlResult result = vkdmlCompileGraph(device, onnx_plan_graph_desc(graph), info, &compiled);
    explained->compile_ms = timing_now() - start;
    if (result == VKDML_SUCCESS) {
        result = vkdmlExplainGraph(device, onnx_plan_graph_desc(graph), info, &explained->explanation);
    }
    if (result != VKDML_SUCCESS) {
        onnx_fail(&error, "%s", vkdmlGetErrorMessage());
        subject_fail(subject, &error);
    }
    vkdmlDestroyDispatchable(compiled);
    onnx_plan_graph_free(graph);
    return result == VKDML_SUCCESS;
}

static bool explain_part(const struct subject *subject, const struct onnx_graph *graph, uint32_t input_count,
                         const struct onnx_plan_input *inputs, VkdmlDevice device, const VkdmlCompileInfo *info,
                         struct explained *explained) {
    struct onnx_error error = {0};
    struct onnx_plan *plan;
    const struct onnx_plan_options options = {.has_float32_intermediates = subject->request->float32_intermediates};
    if (!onnx_plan_create(subject->model, graph, input_count, inputs, &options, &plan, &error)) {
        onnx_explain_sizes(subject->model, graph, input_count, inputs, &error);
        return subject_fail(subject, &error);
    }
    bool good;
    if (onnx_plan_node_count(plan) == 0) {
        onnx_fail(&error, "all is known while planning: there is no graph to explain");
        good = subject_fail(subject, &error);
    } else {
        good = explain_graph(subject, plan, device, info, explained);
    }
    onnx_plan_free(plan);
    return good;
}

/* The first stage: sizes of the others depend on data. */
static bool explain_first(const struct subject *subject, const struct onnx_stage *stage, VkdmlDevice device,
                          const VkdmlCompileInfo *info, struct explained *explained) {
    struct onnx_error error = {0};
    const uint32_t count = stage->graph.input_count + stage->graph.optional_count;
    if (stage->is_host) {
        onnx_fail(&error, "sizes of all graphs depend on data: there is none to explain");
        return subject_fail(subject, &error);
    }
    struct onnx_plan_input *inputs = calloc((size_t)count + 1, sizeof *inputs);
    if (inputs == NULL) {
        onnx_fail_memory(&error);
        return subject_fail(subject, &error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < subject->input_count; ++k) {
            inputs[i] = subject->graph->inputs[k] == stage->inputs[i] ? subject->inputs[k] : inputs[i];
        }
    }
    message_print("%s: some sizes depend on data; this is the graph before these", subject->path);
    const bool good = explain_part(subject, &stage->graph, count, inputs, device, info, explained);
    free(inputs);
    return good;
}

bool explain_onnx_model(const struct subject *subject, VkdmlDevice device, const VkdmlCompileInfo *info,
                        struct explained *explained) {
    struct onnx_error error = {0};
    struct onnx_split split;
    *explained = (struct explained){.name = subject->name};
    if (!onnx_split(subject->graph, &split, &error)) {
        return subject_fail(subject, &error);
    }
    const bool good = split.count == 1
                          ? explain_part(subject, subject->graph, subject->input_count, subject->inputs, device, info,
                                         explained)
                          : explain_first(subject, &split.stages[0], device, info, explained);
    onnx_split_free(&split);
    return good;
}
