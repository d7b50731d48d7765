#include "operators/plan_step.h"

#include <assert.h>
#include <inttypes.h>

#include "base/checked.h"

uint64_t vkdml_tensor_span(const struct vkdml_tensor *tensor) {
    uint64_t bytes = 0;
    bool fits =
        vkdml_minimum_bytes(tensor->element_size, tensor->dimension_count, tensor->sizes, tensor->strides, &bytes);
    assert(fits); /* validation saw to it */
    (void)fits;
    return bytes;
}

uint32_t vkdml_local_size(const struct vkdml_plan_limits *limits, uint32_t wanted) {
    while (wanted > 1 && (wanted > limits->max_workgroup_size[0] || wanted > limits->max_workgroup_invocations)) {
        wanted /= 2;
    }
    return wanted;
}

VkdmlResult vkdml_grid(uint64_t group_count, const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                       uint32_t groups[3]) {
    uint64_t rows = vkdml_divide_up(group_count, limits->max_workgroup_count[0]);
    if (rows > limits->max_workgroup_count[1]) {
        return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "needs %" PRIu64 " workgroups, more than maxComputeWorkGroupCount (%" PRIu32
                                " x %" PRIu32 ") allows",
                                group_count, limits->max_workgroup_count[0], limits->max_workgroup_count[1]);
    }
    groups[0] = (uint32_t)vkdml_divide_up(group_count, rows);
    groups[1] = (uint32_t)rows;
    groups[2] = 1;
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_step_buffer(struct vkdml_plan_step *step, enum vkdml_plan_resource resource, uint32_t index,
                              uint64_t size, const char *what, const struct vkdml_plan_limits *limits,
                              struct vkdml_report *report) {
    /* Tensors are bound at multiples of 16, descriptors at multiples of the device's alignment, the rest before them.
     */
    uint32_t alignment = limits->min_storage_buffer_offset_alignment;
    uint64_t rest =
        alignment > DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT ? alignment - DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT : 0;
    if (rest > limits->max_storage_buffer_range || size > limits->max_storage_buffer_range - rest) {
        return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "%s spans %" PRIu64 " bytes, and up to %" PRIu64
                                " for alignment, more than maxStorageBufferRange (%" PRIu64 ")",
                                what, size, rest, limits->max_storage_buffer_range);
    }
    assert(step->buffer_count < VKDML_PLAN_MAX_BUFFERS);
    step->buffers[step->buffer_count++] =
        (struct vkdml_plan_buffer){.resource = resource, .index = index, .offset = 0, .size = size};
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_step_input(struct vkdml_plan_step *step, const struct vkdml_instance *instance, uint32_t index,
                             const struct vkdml_plan_limits *limits, struct vkdml_report *report) {
    return vkdml_step_buffer(step, VKDML_PLAN_INPUT, index, vkdml_tensor_span(&instance->inputs[index]),
                             vkdml_input_name(instance, index), limits, report);
}

VkdmlResult vkdml_step_output(struct vkdml_plan_step *step, const struct vkdml_instance *instance, uint32_t index,
                              const struct vkdml_plan_limits *limits, struct vkdml_report *report) {
    return vkdml_step_buffer(step, VKDML_PLAN_OUTPUT, index, vkdml_tensor_span(&instance->outputs[index]),
                             vkdml_output_name(instance, index), limits, report);
}
