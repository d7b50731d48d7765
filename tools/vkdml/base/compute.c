#include "base/compute.h"

bool compute_create(VkDevice device, const uint32_t *words, size_t bytes, VkPipelineLayout layout,
                    VkShaderModule *module, VkPipeline *pipeline) {
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
    if (vkCreateShaderModule(device, &module_info, NULL, module) != VK_SUCCESS) {
        return false;
    }
    const VkComputePipelineCreateInfo pipeline_info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = *module,
                  .pName = "main"},
        .layout = layout};
    return vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, pipeline) == VK_SUCCESS;
}

bool compute_create_with_set(VkDevice device, const uint32_t *words, size_t bytes, VkDescriptorType first,
                             uint32_t constant_bytes, struct compute *compute) {
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, first, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    const VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    const VkDescriptorPoolSize sizes[] = {{first, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
    const VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, constant_bytes};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &compute->set_layout,
                                               .pushConstantRangeCount = constant_bytes != 0,
                                               .pPushConstantRanges = &constants};
    if (vkCreateDescriptorSetLayout(device, &set_layout, NULL, &compute->set_layout) != VK_SUCCESS ||
        vkCreateDescriptorPool(device, &pool, NULL, &compute->pool) != VK_SUCCESS ||
        vkCreatePipelineLayout(device, &layout, NULL, &compute->layout) != VK_SUCCESS) {
        return false;
    }
    const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = compute->pool,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &compute->set_layout};
    return vkAllocateDescriptorSets(device, &set, &compute->set) == VK_SUCCESS &&
           compute_create(device, words, bytes, compute->layout, &compute->module, &compute->pipeline);
}

void compute_destroy(VkDevice device, const struct compute *compute) {
    vkDestroyPipeline(device, compute->pipeline, NULL);
    vkDestroyShaderModule(device, compute->module, NULL);
    vkDestroyPipelineLayout(device, compute->layout, NULL);
    vkDestroyDescriptorPool(device, compute->pool, NULL);
    vkDestroyDescriptorSetLayout(device, compute->set_layout, NULL);
}
