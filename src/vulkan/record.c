#include "vulkan/binding_table.h"
#include "vulkan/device.h"

static void record_barrier(VkdmlDevice device, VkCommandBuffer command_buffer) {
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    device->vk.CmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void record_step(const struct VkdmlBindingTable_T *table, VkCommandBuffer command_buffer, uint32_t index) {
    VkdmlDevice device = table->device;
    const struct vkdml_step *step = &table->dispatchable->steps[index];
    VkPipelineLayout layout = device->layouts[step->buffer_count - 1].pipeline;
    if (step->barrier_before) {
        record_barrier(device, command_buffer);
    }
    device->vk.CmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, step->pipeline);
    device->vk.CmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &table->sets[index],
                                     0, NULL);
    device->vk.CmdPushConstants(command_buffer, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                sizeof(struct vkdml_push_constants), &table->push_constants[index]);
    device->vk.CmdDispatch(command_buffer, step->groups[0], step->groups[1], step->groups[2]);
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
    for (uint32_t i = 0; i < table->set_count; i++) {
        record_step(table, command_buffer, i);
    }
    return VKDML_SUCCESS;
}
