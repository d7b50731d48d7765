/* Runs on the CPU reference. */
#include <stdlib.h>
#include <string.h>

#include "onnx/run.h"

/* An input of the model as the plan has it. */
static bool bind_padded(const struct onnx_run *run, VkdmlHostBinding *binding, uint32_t input, size_t bytes,
                        struct onnx_arena *copies) {
    *binding = (VkdmlHostBinding){onnx_allocate(copies, ROUND_UP(bytes, 4), 1), ROUND_UP(bytes, 4)};
    if (binding->data != NULL) {
        onnx_run_write_input(run, input, bytes, binding->data);
    }
    return binding->data != NULL;
}

/* An input of the reference, which is only read: a copy where it does not lie as the reference wants it. */
static bool bind_input(VkdmlHostBinding *binding, const void *data, size_t bytes, struct onnx_arena *copies) {
    const union {
        const void *constant;
        void *data;
    } place = {data};
    *binding = (VkdmlHostBinding){place.data, ROUND_UP(bytes, 4)};
    if (bytes % 4 != 0 || (uintptr_t)data % 8 != 0) {
        binding->data = onnx_allocate(copies, ROUND_UP(bytes, 4), 1);
        if (binding->data != NULL) {
            memcpy(binding->data, data, bytes);
        }
    }
    return binding->data != NULL;
}

/* On the CPU reference, with outputs in memory of their own: they need room for whole words. */
static bool execute_by_reference(struct onnx_run *run, unsigned char *const *memory, struct onnx_error *error) {
    const struct onnx_plan *plan = run->plan;
    const uint32_t input_count = onnx_plan_input_count(plan), output_count = onnx_plan_graph_output_count(run->plan);
    struct onnx_plan_graph *graph;
    if (!onnx_plan_graph_create(plan, onnx_device_vkdml(run->session->device), &graph, error)) {
        return false;
    }
    VkdmlHostBinding *bindings = calloc((size_t)input_count + output_count + 1, sizeof *bindings);
    struct onnx_arena copies = {0};
    bool done = bindings != NULL || onnx_fail_memory(error);
    for (uint32_t i = 0; done && i < input_count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(plan)[i];
        const void *data = input->input == ONNX_NONE ? input->data : run->begun[input->input].data;
        const bool is_padded = input->input != ONNX_NONE && onnx_run_is_padded(run, input->input);
        done = (is_padded ? bind_padded(run, &bindings[i], input->input, input->bytes, &copies)
                          : bind_input(&bindings[i], data, input->bytes, &copies)) ||
               onnx_fail_memory(error);
    }
    for (uint32_t i = 0; done && i < onnx_plan_output_count(plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(plan)[i];
        if (output->output != ONNX_NONE) {
            bindings[input_count + output->output] =
                (VkdmlHostBinding){memory[output->output], ROUND_UP(output->bytes, 4)};
        }
    }
    const uint32_t unread = onnx_plan_unread_count(plan), first = output_count - unread;
    for (uint32_t i = 0; done && i < unread; ++i) {
        bindings[input_count + first + i] =
            (VkdmlHostBinding){memory[first + i], ROUND_UP(onnx_plan_unread_bytes(plan)[i], 4)};
    }
    const VkdmlReferenceGraphInfo info = {.structSize = sizeof info,
                                          .desc = onnx_plan_graph_desc(graph),
                                          .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED,
                                          .inputCount = input_count,
                                          .inputs = bindings,
                                          .outputCount = output_count,
                                          .outputs = bindings == NULL ? NULL : bindings + input_count};
    done = done && onnx_check(vkdmlReferenceExecuteGraph(&info), error);
    free(bindings);
    onnx_arena_free(&copies);
    onnx_plan_graph_free(graph);
    return done;
}

bool onnx_run_by_reference(struct onnx_run *run, void *const *outputs, struct onnx_error *error) {
    const uint32_t count = onnx_plan_graph_output_count(run->plan), model_count = onnx_plan_output_count(run->plan);
    unsigned char **memory = calloc(count + 1, sizeof *memory);
    bool done = memory != NULL;
    for (uint32_t i = 0; done && i < model_count; ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(run->plan)[i];
        if (output->output != ONNX_NONE) {
            memory[output->output] = calloc(1, output->bytes + 8);
            done = memory[output->output] != NULL;
        }
    }
    const uint32_t unread = onnx_plan_unread_count(run->plan);
    for (uint32_t i = 0; done && i < unread; ++i) {
        memory[count - unread + i] = calloc(1, onnx_plan_unread_bytes(run->plan)[i] + 8);
        done = memory[count - unread + i] != NULL;
    }
    done = done ? execute_by_reference(run, memory, error) : onnx_fail_memory(error);
    for (uint32_t i = 0; done && i < model_count; ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(run->plan)[i];
        if (output->output != ONNX_NONE && outputs[i] != NULL) {
            onnx_run_read_output(run, i, memory[output->output], outputs[i]);
        }
    }
    for (uint32_t i = 0; memory != NULL && i < count; ++i) {
        free(memory[i]);
    }
    free(memory);
    return done;
}
