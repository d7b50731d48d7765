/* From a plan to what can be recorded: compiled, and its constants on the device. */
#include <stdlib.h>
#include <string.h>

#include "onnx/run.h"

/* Whether the model leaves sizes of inputs open, so that it may run for others. */
static bool has_open_sizes(const struct onnx_graph *graph) {
    bool is_open = false;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct onnx_value *input = &graph->values[graph->inputs[i]];
        is_open = is_open || (!input->has_shape && input->constant == NULL);
        for (uint32_t d = 0; d < input->rank; d++) {
            is_open = is_open || input->sizes[d] < 0;
        }
    }
    return is_open;
}

/* A plan on the device, with its constants there. */
struct compiled {
    VkdmlDispatchable dispatchable;
    uint32_t general_count;
    uint64_t temporary_bytes;
};

static bool compile(const struct onnx_run *run, VkdmlDispatchable *compiled, struct onnx_error *error) {
    const struct onnx_session *session = run->session;
    struct onnx_plan_graph *graph;
    const VkdmlDevice device = onnx_device_vkdml(session->device);
    if (!onnx_plan_graph_create(run->plan, device, &graph, error)) {
        return false;
    }
    const VkdmlCompileInfo info = {
        .structSize = sizeof info,
        .executionFlags = session->options.allows_half ? DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION
                                                       : DML_EXECUTION_FLAG_NONE,
        .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED | VKDML_COMPILE_FLAG_PARALLEL |
                 (has_open_sizes(session->graph) ? (VkdmlCompileFlags)VKDML_COMPILE_FLAG_OPEN_SIZES : 0) |
                 (run->is_trial ? (VkdmlCompileFlags)VKDML_COMPILE_FLAG_GENERAL_PIPELINES : 0) |
                 (session->options.node_by_node ? (VkdmlCompileFlags)VKDML_COMPILE_FLAG_NODE_BY_NODE : 0)};
    const bool done = onnx_weights_compile(session->weights, onnx_plan_graph_desc(graph), &run->weight_ids, info,
                                           compiled, error);
    onnx_plan_graph_free(graph);
    return done;
}

/* After a failure the dispatchable is NULL. */
static bool compile_and_load(const struct onnx_run *run, struct compiled *compiled, struct onnx_error *error) {
    VkdmlBindingProperties needs;
    VkdmlGeneralPipelineInfo info;
    *compiled = (struct compiled){.dispatchable = NULL};
    if (!compile(run, &compiled->dispatchable, error)) {
        return false;
    }
    if (!onnx_check(vkdmlGetBindingProperties(compiled->dispatchable, &needs), error) ||
        !onnx_check(vkdmlGetGeneralPipelineInfo(compiled->dispatchable, &info), error) ||
        !onnx_weights_load(run->session->weights, run->plan, compiled->dispatchable, error)) {
        vkdmlDestroyDispatchable(compiled->dispatchable);
        compiled->dispatchable = NULL;
        return false;
    }
    compiled->general_count = info.nodeCount;
    compiled->temporary_bytes = needs.temporaryResourceSize;
    return true;
}

/* The temporary resource lies behind what nothing reads. */
static void take(struct onnx_run *run, const struct compiled *compiled) {
    run->scratch_bytes = run->scratch_bytes - run->temporary_bytes + compiled->temporary_bytes;
    run->temporary_bytes = compiled->temporary_bytes;
    run->dispatchable = compiled->dispatchable;
    run->general_count = compiled->general_count;
}

/* ---- tensors ---- */

/* Where tensors lie, one behind another: inputs of the model; its outputs; what nothing reads, and the temporary
 * resource. */
static bool place_tensors(struct onnx_run *run, struct onnx_error *error) {
    const struct onnx_plan *plan = run->plan;
    const uint32_t input_count = onnx_plan_input_count(plan), output_count = onnx_plan_graph_output_count(run->plan);
    const uint32_t unread_count = onnx_plan_unread_count(plan);
    run->places = calloc((size_t)input_count + output_count + 1, sizeof *run->places);
    if (run->places == NULL) {
        return onnx_fail_memory(error);
    }
    for (uint32_t i = 0; i < input_count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(plan)[i];
        if (input->input != ONNX_NONE) {
            run->places[i] = run->input_bytes;
            run->input_bytes += ROUND_UP(input->bytes, TENSOR_ALIGNMENT);
        }
    }
    uint64_t *outputs = run->places + input_count, *unread = outputs + output_count - unread_count;
    for (uint32_t i = 0; i < onnx_plan_output_count(plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(plan)[i];
        if (output->output != ONNX_NONE) {
            outputs[output->output] = run->output_bytes;
            run->output_bytes += ROUND_UP(output->bytes, TENSOR_ALIGNMENT);
        }
    }
    for (uint32_t i = 0; i < unread_count; ++i) {
        unread[i] = run->scratch_bytes;
        run->scratch_bytes += ROUND_UP(onnx_plan_unread_bytes(plan)[i], TENSOR_ALIGNMENT);
    }
    outputs[output_count] = run->scratch_bytes;
    return true;
}

bool onnx_run_prepare(struct onnx_run *run, struct onnx_error *error) {
    struct onnx_session *session = run->session;
    const struct onnx_session_options *options = &session->options;
    struct compiled compiled;
    if (session->weights == NULL &&
        !onnx_weights_create(session->device, session->model, options->load_callback, options->load_callback_data,
                             &session->weights, error)) {
        return false;
    }
    if (!onnx_weights_identify(session->weights, run->plan, &run->weight_ids, error) || !place_tensors(run, error) ||
        !compile_and_load(run, &compiled, error)) {
        return false;
    }
    if (session->runs == NULL) { /* later sizes do not wait for a file to be written: it is, at the end */
        onnx_device_keep_pipelines(session->device);
    }
    take(run, &compiled);
    run->may_improve = run->general_count != 0;
    return true;
}

bool onnx_run_can_improve(const struct onnx_run *run) {
    VkdmlGeneralPipelineInfo info;
    return run->may_improve && vkdmlGetGeneralPipelineInfo(run->dispatchable, &info) == VKDML_SUCCESS &&
           info.pendingCount == 0;
}

void onnx_run_improve(struct onnx_run *run) {
    const VkdmlDispatchable general = run->dispatchable;
    struct onnx_error ignored = {0};
    struct compiled better;
    run->may_improve = false;
    if (compile_and_load(run, &better, &ignored)) {
        onnx_run_free_recordings(run);
        take(run, &better);
        run->may_improve = run->general_count != 0;
        vkdmlDestroyDispatchable(general);
    }
}
