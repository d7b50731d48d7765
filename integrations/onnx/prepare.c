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

static bool compile(struct onnx_run *run, struct onnx_error *error) {
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
                 (session->options.node_by_node ? (VkdmlCompileFlags)VKDML_COMPILE_FLAG_NODE_BY_NODE : 0)};
    const VkdmlResult compiled = vkdmlCompileGraph(device, onnx_plan_graph_desc(graph), &info, &run->dispatchable);
    onnx_plan_graph_free(graph);
    return onnx_check(compiled, error);
}

/* ---- constants ---- */

static bool bind_constants(struct onnx_run *run, const struct onnx_buffer *constants, VkdmlDispatchable initializer,
                           VkdmlBindingTable *table, struct onnx_error *error) {
    const uint32_t count = onnx_plan_input_count(run->plan);
    VkdmlBufferBinding *bindings = calloc(count + 1, sizeof *bindings);
    if (bindings == NULL) {
        return onnx_fail_memory(error);
    }
    uint64_t place = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        if (input->input == ONNX_NONE) {
            bindings[i] = (VkdmlBufferBinding){constants->buffer, place, ROUND_UP(input->bytes, 4)};
            place += ROUND_UP(input->bytes, TENSOR_ALIGNMENT);
        }
    }
    VkdmlBindingProperties needs;
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = initializer};
    const VkdmlBufferBinding persistent = {run->persistent.buffer, 0, run->persistent.size};
    const bool done =
        onnx_check(vkdmlGetBindingProperties(initializer, &needs), error) &&
        onnx_check(vkdmlCreateBindingTable(onnx_device_vkdml(run->session->device), &info, table), error) &&
        onnx_check(vkdmlBindInputs(*table, count, bindings), error) &&
        onnx_check(vkdmlBindOutputs(*table, 1, &persistent), error);
    free(bindings);
    return done;
}

static bool bind_temporary(struct onnx_run *run, VkdmlDispatchable initializer, VkdmlBindingTable table,
                           struct onnx_buffer *temporary, struct onnx_error *error) {
    VkdmlBindingProperties needs;
    if (!onnx_check(vkdmlGetBindingProperties(initializer, &needs), error)) {
        return false;
    }
    if (needs.temporaryResourceSize == 0) {
        return true;
    }
    if (!onnx_buffer_create(run->session->device, needs.temporaryResourceSize, ONNX_MEMORY_DEVICE, temporary, error)) {
        return false;
    }
    const VkdmlBufferBinding binding = {temporary->buffer, 0, needs.temporaryResourceSize};
    return onnx_check(vkdmlBindTemporaryResource(table, &binding), error);
}

/* Constants go to the device's memory, where the host does not write there through memory that it sees. */
static bool upload_constants(struct onnx_run *run, struct onnx_buffer *staging, struct onnx_buffer *constants,
                             struct onnx_commands *commands, struct onnx_error *error) {
    struct onnx_device *device = run->session->device;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < onnx_plan_input_count(run->plan); ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        bytes += input->input == ONNX_NONE ? ROUND_UP(input->bytes, TENSOR_ALIGNMENT) : 0;
    }
    const enum onnx_memory memory = onnx_device_shares_memory(device) ? ONNX_MEMORY_SHARED : ONNX_MEMORY_OPEN;
    if (!onnx_buffer_create(device, bytes + TENSOR_ALIGNMENT, memory, constants, error) ||
        (constants->mapped == NULL &&
         !onnx_buffer_create(device, bytes + TENSOR_ALIGNMENT, ONNX_MEMORY_HOST, staging, error)) ||
        !onnx_commands_begin(device, commands, error)) {
        return false;
    }
    unsigned char *to = constants->mapped != NULL ? constants->mapped : staging->mapped;
    for (uint32_t i = 0; i < onnx_plan_input_count(run->plan); ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        if (input->input == ONNX_NONE) {
            memcpy(to, input->data, input->bytes);
            to += ROUND_UP(input->bytes, TENSOR_ALIGNMENT);
        }
    }
    if (constants->mapped == NULL) {
        onnx_commands_copy(device, commands, staging->buffer, 0, constants->buffer, 0, bytes + TENSOR_ALIGNMENT);
        onnx_commands_barrier(device, commands);
    }
    return true;
}

static bool initialize(struct onnx_run *run, struct onnx_error *error) {
    struct onnx_device *device = run->session->device;
    const VkdmlDevice vkdml = onnx_device_vkdml(device);
    struct onnx_buffer staging = {0}, constants = {0}, temporary = {0};
    struct onnx_commands commands = {0};
    VkdmlDispatchable initializer = NULL;
    VkdmlBindingTable table = NULL;
    const bool done = upload_constants(run, &staging, &constants, &commands, error) &&
                      onnx_check(vkdmlCreateOperatorInitializer(vkdml, 1, &run->dispatchable, &initializer), error) &&
                      bind_constants(run, &constants, initializer, &table, error) &&
                      bind_temporary(run, initializer, table, &temporary, error) &&
                      onnx_check(vkdmlRecordDispatch(vkdml, commands.buffer, initializer, table), error) &&
                      onnx_commands_end(device, &commands, error) && onnx_commands_run(device, &commands, error);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    onnx_commands_free(device, &commands);
    onnx_buffer_free(device, &staging);
    onnx_buffer_free(device, &constants);
    onnx_buffer_free(device, &temporary);
    return done;
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
    run->scratch_bytes += run->temporary_bytes;
    return run->scratch_bytes == 0 ||
           onnx_buffer_create(run->session->device, run->scratch_bytes, ONNX_MEMORY_DEVICE, &run->scratch, error);
}

bool onnx_run_prepare(struct onnx_run *run, struct onnx_error *error) {
    VkdmlBindingProperties needs;
    if (!compile(run, error) || !onnx_check(vkdmlGetBindingProperties(run->dispatchable, &needs), error)) {
        return false;
    }
    run->temporary_bytes = needs.temporaryResourceSize;
    if (needs.persistentResourceSize != 0 && (!onnx_buffer_create(run->session->device, needs.persistentResourceSize,
                                                                  ONNX_MEMORY_DEVICE, &run->persistent, error) ||
                                              !initialize(run, error))) {
        return false;
    }
    onnx_device_keep_pipelines(run->session->device);
    return place_tensors(run, error);
}
