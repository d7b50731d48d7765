#include "cases/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1 MiB: most cases fit, so the buffer is made anew only a few times a run. */
#define SMALLEST_BUFFER ((size_t)1 << 20)

/* How often who waits may give up. There is no other end: how slow a driver is on a busy machine nobody knows, and who
 * runs tests ends one that hangs. */
#define ASK_NANOSECONDS ((uint64_t)500 * 1000 * 1000)

void gpu_add_message(struct gpu *gpu, const char *message) {
    size_t used = strlen(gpu->messages);
    snprintf(gpu->messages + used, sizeof(gpu->messages) - used, "%s\n", message);
    gpu->message_count++;
}

void gpu_log(void *user_data, VkdmlLogLevel level, const char *message) {
    struct gpu *gpu = user_data;
    if (gpu->validation && level == VKDML_LOG_LEVEL_WARNING) {
        gpu_add_message(gpu, message);
    }
}

void gpu_clear_messages(struct gpu *gpu) {
    gpu->message_count = 0;
    gpu->messages[0] = '\0';
}

static VkdmlResult fail(struct gpu *gpu, const char *error) {
    gpu->error = error;
    return VKDML_ERROR_DRIVER;
}

static VkdmlResult create_commands(struct gpu *gpu) {
    VkDevice device = gpu->vulkan.device;
    VkPipelineCacheCreateInfo cache_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (vkCreatePipelineCache(device, &cache_info, NULL, &gpu->pipeline_cache) != VK_SUCCESS) {
        return fail(gpu, "vkCreatePipelineCache failed");
    }
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = gpu->vulkan.queueFamilyIndex};
    if (vkCreateCommandPool(device, &pool_info, NULL, &gpu->command_pool) != VK_SUCCESS) {
        return fail(gpu, "vkCreateCommandPool failed");
    }
    VkCommandBufferAllocateInfo allocate_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = gpu->command_pool,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = 1};
    if (vkAllocateCommandBuffers(device, &allocate_info, &gpu->command_buffer) != VK_SUCCESS) {
        return fail(gpu, "vkAllocateCommandBuffers failed");
    }
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (vkCreateFence(device, &fence_info, NULL, &gpu->fence) != VK_SUCCESS) {
        return fail(gpu, "vkCreateFence failed");
    }
    return VKDML_SUCCESS;
}

VkdmlResult gpu_use(struct gpu *gpu, VkdmlDevice opened) {
    gpu->opened = gpu->device = opened;
    VkdmlResult result = vkdmlGetVulkanHandles(opened, &gpu->vulkan);
    if (result != VKDML_SUCCESS) {
        gpu->error = vkdmlGetErrorMessage();
        return result;
    }
    gpu->get_instance_proc_addr = gpu->vulkan.getInstanceProcAddr;
    gpu->enabled_features = gpu->vulkan.enabledFeatures;
    volkInitializeCustom(gpu->vulkan.getInstanceProcAddr);
    volkLoadInstance(gpu->vulkan.instance);
    volkLoadDevice(gpu->vulkan.device);
    vkGetPhysicalDeviceProperties(gpu->vulkan.physicalDevice, &gpu->properties);
    return create_commands(gpu);
}

VkdmlResult gpu_import(struct gpu *gpu, DML_FEATURE_LEVEL level, VkdmlDevice *device) {
    VkdmlDeviceCreateInfo info = {.structSize = sizeof info,
                                  .headerVersion = VKDML_HEADER_VERSION,
                                  .instance = gpu->vulkan.instance,
                                  .physicalDevice = gpu->vulkan.physicalDevice,
                                  .device = gpu->vulkan.device,
                                  .queueFamilyIndex = gpu->vulkan.queueFamilyIndex,
                                  .enabledFeatures = gpu->enabled_features,
                                  .getInstanceProcAddr = gpu->get_instance_proc_addr,
                                  .featureLevel = level,
                                  .flags = gpu->flags,
                                  .logCallback = gpu_log,
                                  .logUserData = gpu,
                                  .pipelineCache = gpu->pipeline_cache,
                                  .kernelVariant = gpu->variant};
    VkdmlResult result = vkdmlCreateDevice(&info, device);
    if (result != VKDML_SUCCESS) {
        gpu->error = vkdmlGetErrorMessage();
    }
    return result;
}

static void destroy_buffer(struct gpu *gpu) {
    vkDestroyBuffer(gpu->vulkan.device, gpu->buffer, NULL);
    vkFreeMemory(gpu->vulkan.device, gpu->memory, NULL);
    gpu->buffer = VK_NULL_HANDLE;
    gpu->memory = VK_NULL_HANDLE;
    gpu->mapped = NULL;
    gpu->size = 0;
}

void gpu_release(struct gpu *gpu) {
    if (gpu->vulkan.device == VK_NULL_HANDLE) {
        return;
    }
    VkDevice device = gpu->vulkan.device;
    vkDeviceWaitIdle(device);
    destroy_buffer(gpu);
    for (uint32_t i = 0; i < gpu->level_count; i++) {
        vkdmlDestroyDevice(gpu->levels[i].device);
    }
    if (gpu->device != gpu->opened) {
        vkdmlDestroyDevice(gpu->device);
    }
    vkDestroyFence(device, gpu->fence, NULL);
    vkDestroyCommandPool(device, gpu->command_pool, NULL);
    vkDestroyPipelineCache(device, gpu->pipeline_cache, NULL);
    gpu->vulkan.device = VK_NULL_HANDLE;
}

VkdmlDevice gpu_device_at(struct gpu *gpu, DML_FEATURE_LEVEL level) {
    if ((int)level == 0) {
        return gpu->device;
    }
    for (uint32_t i = 0; i < gpu->level_count; i++) {
        if (gpu->levels[i].level == level) {
            return gpu->levels[i].device;
        }
    }
    if (gpu->level_count == GPU_MAX_LEVELS) {
        return NULL;
    }
    struct gpu_level *slot = &gpu->levels[gpu->level_count];
    if (gpu_import(gpu, level, &slot->device) != VKDML_SUCCESS) {
        return NULL;
    }
    slot->level = level;
    gpu->level_count++;
    return slot->device;
}

/* Memory that the host reads fast (cached) where there is some; host-visible coherent memory always is. */
static uint32_t choose_memory_type(struct gpu *gpu, uint32_t allowed) {
    const VkMemoryPropertyFlags wanted[] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                                VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu->vulkan.physicalDevice, &memory);
    for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++) {
        for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
            bool fits = (memory.memoryTypes[i].propertyFlags & wanted[w]) == wanted[w];
            if (fits && (allowed >> i & 1) != 0) {
                return i;
            }
        }
    }
    return UINT32_MAX;
}

bool gpu_reserve(struct gpu *gpu, size_t size) {
    if (size <= gpu->size) {
        return true;
    }
    destroy_buffer(gpu);
    size_t rounded = SMALLEST_BUFFER;
    while (rounded < size) {
        rounded *= 2;
    }
    VkDevice device = gpu->vulkan.device;
    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = rounded,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    VkMemoryRequirements requirements;
    VkMemoryAllocateInfo allocate_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    void *mapped = NULL;
    if (vkCreateBuffer(device, &buffer_info, NULL, &gpu->buffer) != VK_SUCCESS) {
        goto fail;
    }
    vkGetBufferMemoryRequirements(device, gpu->buffer, &requirements);
    allocate_info.allocationSize = requirements.size;
    allocate_info.memoryTypeIndex = choose_memory_type(gpu, requirements.memoryTypeBits);
    if (vkAllocateMemory(device, &allocate_info, NULL, &gpu->memory) != VK_SUCCESS ||
        vkBindBufferMemory(device, gpu->buffer, gpu->memory, 0) != VK_SUCCESS ||
        vkMapMemory(device, gpu->memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS) {
        goto fail;
    }
    gpu->mapped = mapped;
    gpu->size = rounded;
    return true;
fail:
    destroy_buffer(gpu);
    gpu->error = "no host-visible buffer of the size needed";
    return false;
}

VkCommandBuffer gpu_begin_commands(struct gpu *gpu) {
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (vkResetCommandPool(gpu->vulkan.device, gpu->command_pool, 0) != VK_SUCCESS ||
        vkBeginCommandBuffer(gpu->command_buffer, &info) != VK_SUCCESS) {
        gpu->error = "vkBeginCommandBuffer failed";
        return VK_NULL_HANDLE;
    }
    return gpu->command_buffer;
}

/* One that hangs will run nothing else either. */
static bool fail_submission(struct gpu *gpu, VkResult result, const char *error) {
    gpu->error = error;
    if (result == VK_ERROR_DEVICE_LOST) {
        vkdmlReportDeviceLost(gpu->device, error);
    }
    return false;
}

static VkResult wait_for_fence(struct gpu *gpu) {
    VkResult result;
    do {
        result = vkWaitForFences(gpu->vulkan.device, 1, &gpu->fence, VK_TRUE, ASK_NANOSECONDS);
    } while (result == VK_TIMEOUT && !(gpu->gives_up != NULL && gpu->gives_up()));
    return result;
}

bool gpu_submit_and_wait(struct gpu *gpu) {
    const VkPipelineStageFlags device_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT};
    vkCmdPipelineBarrier(gpu->command_buffer, device_stages, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0,
                         NULL);
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &gpu->command_buffer};
    VkDevice device = gpu->vulkan.device;
    VkResult result = vkEndCommandBuffer(gpu->command_buffer);
    result = result == VK_SUCCESS ? vkResetFences(device, 1, &gpu->fence) : result;
    result = result == VK_SUCCESS ? vkQueueSubmit(gpu->vulkan.queue, 1, &submit, gpu->fence) : result;
    if (result != VK_SUCCESS) {
        return fail_submission(gpu, result, "the submission failed");
    }
    result = wait_for_fence(gpu);
    if (result == VK_TIMEOUT) {
        return fail_submission(gpu, VK_ERROR_DEVICE_LOST, "interrupted before the GPU had finished");
    }
    if (result != VK_SUCCESS) {
        return fail_submission(gpu, result, "waiting for the GPU failed");
    }
    return true;
}
