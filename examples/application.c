#include "application.h"

#include <stdio.h>
#include <string.h>

bool succeeded(VkdmlResult result) {
    if (result != VKDML_SUCCESS) {
        fprintf(stderr, "%s: %s\n", vkdmlResultToString(result), vkdmlGetErrorMessage());
    }
    return result == VKDML_SUCCESS;
}

static bool good(VkResult result, const char *call) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s failed: VkResult %d\n", call, (int)result);
    }
    return result == VK_SUCCESS;
}

/* Memory that the host sees, on the device where that has plenty of such. */
static uint32_t find_memory_type(VkPhysicalDevice device, const VkMemoryRequirements *needs) {
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties properties;
    uint32_t found = VK_MAX_MEMORY_TYPES;
    vkGetPhysicalDeviceMemoryProperties(device, &properties);
    for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
        const VkMemoryType *type = &properties.memoryTypes[i];
        const bool is_local = (type->propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0 &&
                              properties.memoryHeaps[type->heapIndex].size / 4 > needs->size;
        if ((needs->memoryTypeBits & 1u << i) != 0 && (type->propertyFlags & visible) == visible &&
            (found == VK_MAX_MEMORY_TYPES || is_local)) {
            found = i;
        }
    }
    return found; /* Vulkan promises that there is one */
}

bool application_create_buffer(struct application *app, VkDeviceSize size) {
    const VkBufferCreateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements needs;
    void *mapped = NULL;
    if (!good(vkCreateBuffer(app->vk.device, &buffer_info, NULL, &app->buffer), "vkCreateBuffer")) {
        return false;
    }
    vkGetBufferMemoryRequirements(app->vk.device, app->buffer, &needs);
    memory_info.memoryTypeIndex = find_memory_type(app->vk.physicalDevice, &needs);
    memory_info.allocationSize = needs.size;
    if (!good(vkAllocateMemory(app->vk.device, &memory_info, NULL, &app->memory), "vkAllocateMemory") ||
        !good(vkBindBufferMemory(app->vk.device, app->buffer, app->memory, 0), "vkBindBufferMemory") ||
        !good(vkMapMemory(app->vk.device, app->memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory")) {
        return false;
    }
    app->bytes = mapped;
    return true;
}

static bool create_commands(struct application *app) {
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = app->vk.queueFamilyIndex};
    if (!good(vkCreateCommandPool(app->vk.device, &pool_info, NULL, &app->pool), "vkCreateCommandPool")) {
        return false;
    }
    const VkCommandBufferAllocateInfo commands_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = app->pool, .commandBufferCount = 1};
    return good(vkAllocateCommandBuffers(app->vk.device, &commands_info, &app->commands), "vkAllocateCommandBuffers");
}

bool application_open(struct application *app, const VkdmlDeviceOpenInfo *info, VkDeviceSize bytes) {
    *app = (struct application){0};
    if (!succeeded(vkdmlOpenDevice(info, &app->device)) || !succeeded(vkdmlGetVulkanHandles(app->device, &app->vk))) {
        return false;
    }
    volkInitializeCustom(app->vk.getInstanceProcAddr);
    volkLoadInstance(app->vk.instance);
    volkLoadDevice(app->vk.device);
    return (bytes == 0 || application_create_buffer(app, bytes)) && create_commands(app);
}

bool application_begin(struct application *app) {
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return good(vkResetCommandPool(app->vk.device, app->pool, 0), "vkResetCommandPool") &&
           good(vkBeginCommandBuffer(app->commands, &info), "vkBeginCommandBuffer");
}

void application_order(struct application *app) {
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdPipelineBarrier(app->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                         1, &barrier, 0, NULL, 0, NULL);
}

bool application_submit(struct application *app) {
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &app->commands};
    vkCmdPipelineBarrier(app->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &to_host, 0, NULL, 0, NULL);
    return good(vkEndCommandBuffer(app->commands), "vkEndCommandBuffer") &&
           good(vkQueueSubmit(app->vk.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit") &&
           good(vkQueueWaitIdle(app->vk.queue), "vkQueueWaitIdle");
}

void application_close(struct application *app) {
    if (app->vk.device) {
        vkDestroyCommandPool(app->vk.device, app->pool, NULL);
        vkDestroyBuffer(app->vk.device, app->buffer, NULL);
        vkFreeMemory(app->vk.device, app->memory, NULL);
    }
    vkdmlDestroyDevice(app->device);
}

void tensor_init(struct tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t dimension_count, const uint32_t *sizes) {
    memcpy(tensor->sizes, sizes, dimension_count * sizeof(sizes[0]));
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                              .DimensionCount = dimension_count,
                                              .Sizes = tensor->sizes,
                                              .TotalTensorSizeInBytes =
                                                  vkdmlCalcBufferTensorSize(type, dimension_count, sizes, NULL)};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
}

VkdmlBufferBinding binding_of(const struct application *app, const struct tensor *tensor, VkDeviceSize offset) {
    return (VkdmlBufferBinding){app->buffer, offset, tensor->buffer.TotalTensorSizeInBytes};
}

bool compile(struct application *app, const DML_OPERATOR_DESC *desc, VkdmlDispatchable *compiled,
             VkdmlBindingTable *table) {
    VkdmlOperator op = NULL;
    bool compiles =
        succeeded(vkdmlCreateOperator(app->device, desc, &op)) && succeeded(vkdmlCompileOperator(op, NULL, compiled));
    vkdmlDestroyOperator(op); /* a compiled operator does not need it */
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = *compiled};
    return compiles && succeeded(vkdmlCreateBindingTable(app->device, &info, table));
}
