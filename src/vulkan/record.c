#include <stdio.h>

#include "vulkan/binding_table.h"
#include "vulkan/device.h"
#include "vulkan/weights.h"

/* A recording under way, with what the command buffer has been left in by it. */
struct recording {
    const struct VkdmlBindingTable_T *table;
    const struct vkdml_functions_device *vk;
    const struct vkdml_debug *debug; /* NULL: no labels */
    VkCommandBuffer commands;
    const VkBufferCopy *regions;                       /* of the next copy */
    VkPipeline pipeline;                               /* bound; VK_NULL_HANDLE: none of ours */
    const struct vkdml_push_constants *push_constants; /* pushed; NULL: none */
};

/* Of what a stage writes, and of what it may do next. */
static VkAccessFlags writes(VkPipelineStageFlags stages) {
    return (stages & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT ? VK_ACCESS_SHADER_WRITE_BIT : 0) |
           (stages & VK_PIPELINE_STAGE_TRANSFER_BIT ? VK_ACCESS_TRANSFER_WRITE_BIT : 0);
}

static VkAccessFlags reads(VkPipelineStageFlags stages) {
    return (stages & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT ? VK_ACCESS_SHADER_READ_BIT : 0) |
           (stages & VK_PIPELINE_STAGE_TRANSFER_BIT ? VK_ACCESS_TRANSFER_READ_BIT : 0);
}

/* What stages `waits_for` wrote is visible to a stage. */
static void record_barrier(const struct recording *recording, VkPipelineStageFlags waits_for,
                           VkPipelineStageFlags stage) {
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = writes(waits_for),
                               .dstAccessMask = reads(stage) | writes(stage)};
    recording->vk->CmdPipelineBarrier(recording->commands, waits_for, stage, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static bool same_push_constants(const struct vkdml_push_constants *a, const struct vkdml_push_constants *b) {
    for (uint32_t i = 0; i < VKDML_PLAN_MAX_BUFFERS; i++) {
        if (a->base_bytes[i] != b->base_bytes[i]) {
            return false;
        }
    }
    return true;
}

/* The same again, on what lies further on in the same descriptors. */
static void record_repetitions(struct recording *recording, const struct vkdml_step *step, VkPipelineLayout layout,
                               const struct vkdml_push_constants *first) {
    const VkPipelineStageFlags stage = vkdml_step_stage(step->kind);
    struct vkdml_push_constants push_constants = *first;
    for (uint32_t n = 1; n < step->repeat_count; n++) {
        for (uint32_t i = 0; i < step->buffer_count; i++) {
            push_constants.base_bytes[i] += step->repeat_strides[i];
        }
        push_constants.base_bytes[VKDML_PLAN_REPETITION] = n;
        record_barrier(recording, stage, stage);
        recording->vk->CmdPushConstants(recording->commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                        sizeof push_constants, &push_constants);
        recording->vk->CmdDispatch(recording->commands, step->groups[0], step->groups[1], step->groups[2]);
    }
    recording->push_constants = NULL; /* none that is kept */
}

/* Windows of one tensor share a pipeline and mostly their push constants. The latter outlast a pipeline with another
 * number of buffers: all layouts have the same push constant range. */
static void record_dispatch(struct recording *recording, const struct vkdml_step *step, uint32_t index) {
    const struct VkdmlBindingTable_T *table = recording->table;
    const struct vkdml_push_constants *push_constants = &table->push_constants[index];
    const VkPipelineLayout layout = table->handle.device->layouts[step->buffer_count - 1].pipeline;
    if (recording->pipeline != step->pipeline) {
        recording->vk->CmdBindPipeline(recording->commands, VK_PIPELINE_BIND_POINT_COMPUTE, step->pipeline);
        recording->pipeline = step->pipeline;
    }
    recording->vk->CmdBindDescriptorSets(recording->commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
                                         &table->sets[index], 0, NULL);
    if (!recording->push_constants || !same_push_constants(recording->push_constants, push_constants)) {
        recording->vk->CmdPushConstants(recording->commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                        sizeof *push_constants, push_constants);
        recording->push_constants = push_constants;
    }
    recording->vk->CmdDispatch(recording->commands, step->groups[0], step->groups[1], step->groups[2]);
    if (step->repeat_count > 1) {
        record_repetitions(recording, step, layout, push_constants);
    }
}

static void record_copy(struct recording *recording, const struct vkdml_step *step) {
    const VkdmlBufferBinding *source = vkdml_binding_table_bound(recording->table, &step->buffers[0]);
    const VkdmlBufferBinding *target = vkdml_binding_table_bound(recording->table, &step->buffers[1]);
    recording->vk->CmdCopyBuffer(recording->commands, source->buffer, target->buffer, step->region_count,
                                 recording->regions);
    recording->regions += step->region_count;
}

static void record_fill(const struct recording *recording, const struct vkdml_step *step) {
    const struct vkdml_plan_buffer *buffer = &step->buffers[0];
    const VkdmlBufferBinding *binding = vkdml_binding_table_bound(recording->table, buffer);
    recording->vk->CmdFillBuffer(recording->commands, binding->buffer, binding->offset + buffer->offset, buffer->size,
                                 step->fill_word);
}

static void record_step(struct recording *recording, uint32_t index) {
    const struct vkdml_step *step = &recording->table->dispatchable->steps[index];
    if (recording->debug) {
        vkdml_debug_begin(recording->debug, recording->commands, step->label);
    }
    if (step->waits_for) {
        record_barrier(recording, step->waits_for, vkdml_step_stage(step->kind));
    }
    switch (step->kind) {
    case VKDML_PLAN_DISPATCH:
        record_dispatch(recording, step, index);
        break;
    case VKDML_PLAN_COPY:
        record_copy(recording, step);
        break;
    case VKDML_PLAN_FILL:
        record_fill(recording, step);
        break;
    }
    if (recording->debug) {
        vkdml_debug_end(recording->debug, recording->commands);
    }
}

/* Whether the persistent resource has been written where the operator reads it: an initializer of the operator must
 * have been recorded before. Of an initializer, keeps that it was. */
static VkdmlResult check_initialization(const struct VkdmlBindingTable_T *table, struct vkdml_report *report) {
    const VkdmlDispatchable d = table->dispatchable;
    if (d->kind == VKDML_COMPILED_OPERATOR) {
        return d->persistent->bytes == 0 || atomic_load(&d->initialized)
                   ? VKDML_SUCCESS
                   : vkdml_report_invalid(report,
                                          "%s: no initializer of this operator was recorded, must be recorded "
                                          "and submitted before it (vkdmlCreateOperatorInitializer())",
                                          vkdml_bind_point_name(d->persistent).text);
    }
    for (uint32_t i = 0; i < d->output_count; i++) {
        char name[32]; /* "operators[4294967295]" */
        snprintf(name, sizeof name, "operators[%u]", i);
        vkdml_handle_check(d->outputs[i].owner, VKDML_HANDLE_DISPATCHABLE, d->handle.device, name, report);
    }
    for (uint32_t i = 0; i < d->output_count && report->count == 0; i++) {
        atomic_store(&d->outputs[i].owner->initialized, true);
    }
    return report->result;
}

VkdmlResult vkdml_record(VkdmlBindingTable table, VkCommandBuffer command_buffer, struct vkdml_report *report) {
    if (table->changed) {
        VkdmlResult result = vkdml_binding_table_check(table, report);
        if (result != VKDML_SUCCESS) {
            return result;
        }
        vkdml_binding_table_write(table);
        table->changed = false;
    }
    if (table->handle.device->flags & VKDML_DEVICE_FLAG_CHECK_HANDLES) {
        VkdmlResult result = check_initialization(table, report);
        if (result != VKDML_SUCCESS) {
            return result;
        }
    }
    struct vkdml_weights *weights = table->dispatchable->weights;
    if (weights && !weights->is_claim && vkdml_weights_check(weights, report) != VKDML_SUCCESS) {
        return report->result;
    }
    if (table->idle) {
        return VKDML_SUCCESS;
    }
    const VkdmlDevice device = table->handle.device;
    struct recording recording = {.table = table,
                                  .vk = &device->vk,
                                  .debug = vkdml_debug_is_on(device) ? &device->debug : NULL,
                                  .commands = command_buffer,
                                  .regions = table->regions};
    /* Nothing fails from here on: what begins also ends. */
    if (recording.debug) {
        vkdml_debug_begin(recording.debug, command_buffer, table->dispatchable->label);
    }
    for (uint32_t i = 0; i < table->step_count; i++) {
        record_step(&recording, i);
    }
    if (recording.debug) {
        vkdml_debug_end(recording.debug, command_buffer);
    }
    if (weights && weights->is_claim) {
        vkdml_weights_finish(weights);
    }
    return VKDML_SUCCESS;
}
