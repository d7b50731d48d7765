#include <assert.h>
#include <stdio.h>

#include "vkdml/dml_types.h"
#include "vulkan/device.h"
#include "vulkan/dispatchable.h"

static bool is_live(VkdmlDevice device, VkdmlDispatchable compiled, uint32_t index, struct vkdml_report *report) {
    char name[32]; /* "operators[4294967295]" */
    snprintf(name, sizeof name, "operators[%u]", index);
    return vkdml_handle_check(compiled, VKDML_HANDLE_DISPATCHABLE, device, name, report) == VKDML_SUCCESS;
}

/* Counts of the whole, or a failure where an element of `operators` is none of this device's compiled operators. */
static VkdmlResult check_operators(VkdmlDevice device, uint32_t count, const VkdmlDispatchable *operators,
                                   struct vkdml_report *report, struct vkdml_dispatchable_info *info) {
    uint64_t inputs = 0;
    uint64_t steps = 0;
    uint64_t temporary_bytes = 0; /* of operators in memory: no overflow */
    for (uint32_t i = 0; i < count; i++) {
        if (!operators[i]) {
            vkdml_report_invalid(report, "operators[%u] is NULL, must be a compiled operator", i);
        } else if (!is_live(device, operators[i], i, report)) {
            continue;
        } else if (operators[i]->kind != VKDML_COMPILED_OPERATOR) {
            vkdml_report_invalid(report, "operators[%u] is an operator initializer, must be a compiled operator", i);
        } else if (operators[i]->weights) {
            vkdml_report_invalid(report,
                                 "operators[%u] has its weights in a weight store, must be initialized by "
                                 "vkdmlCreateWeightInitializer()",
                                 i);
        } else if (operators[i]->handle.device != device) {
            vkdml_report_invalid(report, "operators[%u] is of another device, must be of the given one", i);
        } else {
            inputs += operators[i]->input_count;
            steps += operators[i]->init_step_count;
            temporary_bytes += operators[i]->init_temporary_bytes;
        }
    }
    if (report->count > 0) {
        return report->result;
    }
    if (inputs > UINT32_MAX || steps > UINT32_MAX) {
        return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED, "%u operators have too many inputs in all", count);
    }
    info->input_count = (uint32_t)inputs;
    info->step_count = (uint32_t)steps;
    info->temporary_bytes = temporary_bytes;
    return VKDML_SUCCESS;
}

struct vkdml_bind_point vkdml_initializer_input(const struct vkdml_bind_point *input, uint32_t operator_index) {
    struct vkdml_bind_point point = *input;
    point.operator_index = operator_index;
    point.unbound =
        input->owned ? NULL : "only tensors flagged DML_TENSOR_FLAG_OWNED_BY_DML are bound at initialization";
    return point;
}

static struct vkdml_bind_point init_output(VkdmlDispatchable compiled, uint32_t operator_index) {
    struct vkdml_bind_point point = *compiled->persistent;
    point.operator_index = operator_index;
    point.owner = compiled;
    return point;
}

/* A step of operator `operator_index`, whose inputs begin at `first_input` and its temporary memory at `temporary`, as
 * a step of the initializer. */
static struct vkdml_step init_step(const struct vkdml_step *step, uint32_t operator_index, uint32_t first_input,
                                   uint64_t temporary) {
    struct vkdml_step remapped = *step;
    for (uint32_t i = 0; i < step->buffer_count; i++) {
        struct vkdml_plan_buffer *buffer = &remapped.buffers[i];
        assert(buffer->resource != VKDML_PLAN_OUTPUT);
        if (buffer->resource == VKDML_PLAN_INPUT) {
            buffer->index += first_input;
        } else if (buffer->resource == VKDML_PLAN_TEMPORARY) {
            buffer->offset += temporary;
        } else {
            buffer->resource = VKDML_PLAN_OUTPUT;
            buffer->index = operator_index;
        }
    }
    return remapped;
}

VkdmlResult vkdml_initializer_create(VkdmlDevice device, uint32_t count, const VkdmlDispatchable *operators,
                                     struct vkdml_report *report, VkdmlDispatchable *initializer) {
    struct vkdml_dispatchable_info info = {
        .kind = VKDML_OPERATOR_INITIALIZER, .context = "operator initializer", .output_count = count};
    *initializer = NULL;
    VkdmlResult result = check_operators(device, count, operators, report, &info);
    if (result == VKDML_SUCCESS) {
        result = vkdml_dispatchable_create(device, &info, report, initializer);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    if ((*initializer)->label) {
        snprintf((*initializer)->label, VKDML_LABEL_CAPACITY, "operator initializer of %u operator%s", count,
                 count == 1 ? "" : "s");
    }
    uint32_t input = 0;
    uint64_t temporary = 0;
    struct vkdml_step *step = (*initializer)->steps;
    for (uint32_t i = 0; i < count; i++) {
        const VkdmlDispatchable compiled = operators[i];
        for (uint32_t k = 0; k < compiled->init_step_count; k++) {
            *step++ = init_step(&compiled->init_steps[k], i, input, temporary);
        }
        temporary += compiled->init_temporary_bytes;
        for (uint32_t k = 0; k < compiled->input_count; k++) {
            (*initializer)->inputs[input++] = vkdml_initializer_input(&compiled->inputs[k], i);
        }
        (*initializer)->outputs[i] = init_output(compiled, i);
    }
    return VKDML_SUCCESS;
}
