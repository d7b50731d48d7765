#include "vulkan/dispatchable.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "vkdml/dml_types.h"
#include "vulkan/device.h"

static struct vkdml_bind_point resource_point(const char *name, uint64_t bytes, uint32_t alignment,
                                              const char *alignment_rule, const char *unbound) {
    return (struct vkdml_bind_point){.name = name,
                                     .operator_index = VKDML_NO_INDEX,
                                     .unbound = bytes > 0 ? NULL : unbound,
                                     .bytes = bytes,
                                     .alignment = alignment,
                                     .alignment_rule = alignment_rule,
                                     .may_alias = VKDML_NO_INDEX};
}

/* One allocation for the struct and its four arrays. False where the size does not fit. */
static bool dispatchable_bytes(const struct vkdml_dispatchable_info *info, size_t *bytes) {
    /* Counts are 32-bit, elements below 2^10 bytes: 64 bits hold the sum. */
    uint64_t points = (uint64_t)info->input_count + info->output_count;
    uint64_t steps = (uint64_t)info->step_count + info->init_step_count;
    uint64_t sum = sizeof(struct VkdmlDispatchable_T) + points * sizeof(struct vkdml_bind_point) +
                   steps * sizeof(struct vkdml_step);
    *bytes = (size_t)sum;
    return sum <= SIZE_MAX;
}

VkdmlResult vkdml_dispatchable_create(VkdmlDevice device, const struct vkdml_dispatchable_info *info,
                                      struct vkdml_report *report, VkdmlDispatchable *dispatchable) {
    _Static_assert(sizeof(struct vkdml_step) < 1024 && sizeof(struct vkdml_bind_point) < 1024, "dispatchable_bytes()");
    _Static_assert(_Alignof(struct vkdml_step) <= _Alignof(uint64_t) &&
                       _Alignof(struct vkdml_bind_point) <= _Alignof(uint64_t) &&
                       sizeof(struct VkdmlDispatchable_T) % _Alignof(uint64_t) == 0,
                   "the arrays lie behind one another without gaps");
    size_t bytes;
    VkdmlDispatchable d = dispatchable_bytes(info, &bytes) ? vkdml_allocate(device->callbacks, bytes) : NULL;
    *dispatchable = d;
    if (!d) {
        return vkdml_report_out_of_memory(report, bytes, "a dispatchable");
    }
    d->device = device;
    d->kind = info->kind;
    d->context = info->context;
    d->input_count = info->input_count;
    d->output_count = info->output_count;
    d->step_count = info->step_count;
    d->init_step_count = info->init_step_count;
    d->steps = (struct vkdml_step *)(d + 1);
    d->init_steps = d->steps + d->step_count;
    d->inputs = (struct vkdml_bind_point *)(d->init_steps + d->init_step_count);
    d->outputs = d->inputs + d->input_count;
    d->temporary = resource_point("TemporaryResource", info->temporary_bytes, DML_TEMPORARY_BUFFER_ALIGNMENT,
                                  "DML_TEMPORARY_BUFFER_ALIGNMENT", "temporaryResourceSize is 0");
    d->persistent = resource_point("PersistentResource", info->persistent_bytes, DML_PERSISTENT_BUFFER_ALIGNMENT,
                                   "DML_PERSISTENT_BUFFER_ALIGNMENT",
                                   info->kind == VKDML_OPERATOR_INITIALIZER
                                       ? "an initializer's outputs are the operators' persistent resources"
                                       : "persistentResourceSize is 0");
    return VKDML_SUCCESS;
}

/* Whether a planner kept to what it may address. */
static bool is_within(const struct VkdmlDispatchable_T *d, const struct vkdml_plan_buffer *buffer, bool init) {
    const uint64_t end = buffer->offset + buffer->size;
    switch (buffer->resource) {
    case VKDML_PLAN_INPUT:
        return buffer->index < d->input_count && end <= d->inputs[buffer->index].bytes &&
               d->inputs[buffer->index].owned == init;
    case VKDML_PLAN_OUTPUT:
        return !init && buffer->index < d->output_count && end <= d->outputs[buffer->index].bytes;
    case VKDML_PLAN_TEMPORARY:
        return !init && end <= d->temporary.bytes;
    case VKDML_PLAN_PERSISTENT:
        return end <= d->persistent.bytes;
    }
    return false;
}

static VkdmlResult compile_step(VkdmlDispatchable d, const struct vkdml_plan_step *planned, bool init,
                                struct vkdml_step *step, struct vkdml_report *report) {
    step->buffer_count = planned->buffer_count;
    step->barrier_before = planned->barrier_before;
    memcpy(step->groups, planned->groups, sizeof step->groups);
    for (uint32_t i = 0; i < planned->buffer_count; i++) {
        assert(is_within(d, &planned->buffers[i], init));
        step->buffers[i] = planned->buffers[i];
    }
    (void)is_within; /* without assertions */
    (void)init;
    VkdmlResult result = vkdml_pipelines_get(d->device, planned, report, &step->pipeline);
    if (result == VKDML_SUCCESS) {
        result = vkdml_parameters_create(d->device, planned->parameters, planned->parameter_count, report,
                                         &step->parameters);
    }
    return result;
}

VkdmlResult vkdml_dispatchable_compile(VkdmlDispatchable dispatchable, const struct vkdml_plan *plan,
                                       struct vkdml_report *report) {
    VkdmlResult result = VKDML_SUCCESS;
    assert(plan->steps.count == dispatchable->step_count && plan->init_steps.count == dispatchable->init_step_count);
    for (uint32_t i = 0; i < plan->steps.count && result == VKDML_SUCCESS; i++) {
        result = compile_step(dispatchable, &plan->steps.items[i], false, &dispatchable->steps[i], report);
    }
    for (uint32_t i = 0; i < plan->init_steps.count && result == VKDML_SUCCESS; i++) {
        result = compile_step(dispatchable, &plan->init_steps.items[i], true, &dispatchable->init_steps[i], report);
    }
    return result;
}

uint32_t vkdml_dispatchable_storage_buffers(const struct VkdmlDispatchable_T *dispatchable) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < dispatchable->step_count; i++) {
        count += dispatchable->steps[i].buffer_count;
    }
    return count;
}

void vkdml_dispatchable_destroy(VkdmlDispatchable dispatchable) {
    if (!dispatchable) {
        return;
    }
    if (dispatchable->kind == VKDML_COMPILED_OPERATOR) { /* an initializer's blocks are its operators' */
        for (uint32_t i = 0; i < dispatchable->step_count + dispatchable->init_step_count; i++) {
            vkdml_parameters_destroy(dispatchable->device, dispatchable->steps[i].parameters); /* init_steps follow */
        }
    }
    vkdml_free(dispatchable->device->callbacks, dispatchable);
}
