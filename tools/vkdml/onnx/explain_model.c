#include "onnx/explain_model.h"

#include "base/timing.h"
#include "onnx/conditions.h"

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

bool explain_onnx_model(const struct subject *subject, VkdmlDevice device, const VkdmlCompileInfo *info,
                        struct explained *explained) {
    struct onnx_error error = {0};
    struct onnx_plan *plan;
    const struct onnx_plan_options options = {.has_float32_intermediates = subject->request->float32_intermediates};
    *explained = (struct explained){.name = subject->name};
    if (!onnx_plan_create(subject->model, subject->graph, subject->input_count, subject->inputs, &options, &plan,
                          &error)) {
        onnx_explain_sizes(subject->model, subject->graph, subject->input_count, subject->inputs, &error);
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
