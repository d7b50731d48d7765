#include "device/gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "device/devices.h"

/* Large enough that copying dominates, small enough for any device's host-visible memory. */
#define STAGING_BYTES ((VkDeviceSize)16 << 20)

static const struct {
    VkResult result;
    const char *name;
} result_names[] = {
    {VK_TIMEOUT, "VK_TIMEOUT"},
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED"},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS"},
};

static bool check(struct gpu *gpu, VkResult result, const char *call) {
    const char *name = "";
    if (result == VK_SUCCESS) {
        return true;
    }
    for (size_t i = 0; i < sizeof(result_names) / sizeof(result_names[0]); i++) {
        if (result_names[i].result == result) {
            name = result_names[i].name;
        }
    }
    message_print("vkdml: %s: %s (VkResult %d)", call, name, (int)result);
    if (result == VK_ERROR_DEVICE_LOST) {
        vkdmlReportDeviceLost(gpu->device, call);
    }
    return false;
}

static bool create_query_pool(struct gpu *gpu) {
    /* 64: more families than any device has; the rest would go without timestamps. */
    VkQueueFamilyProperties families[64];
    uint32_t count = 64;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu->handles.physicalDevice, &count, families);
    uint32_t bits =
        gpu->handles.queueFamilyIndex < count ? families[gpu->handles.queueFamilyIndex].timestampValidBits : 0;
    if (bits == 0) {
        return true;
    }
    gpu->timestamp_mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    return check(gpu, vkCreateQueryPool(gpu->handles.device, &info, NULL, &gpu->queries), "vkCreateQueryPool");
}

static bool create_commands(struct gpu *gpu) {
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = gpu->handles.queueFamilyIndex};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (!check(gpu, vkCreateCommandPool(gpu->handles.device, &pool, NULL, &gpu->pool), "vkCreateCommandPool")) {
        return false;
    }
    const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = gpu->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    return check(gpu, vkAllocateCommandBuffers(gpu->handles.device, &commands, &gpu->commands),
                 "vkAllocateCommandBuffers") &&
           check(gpu, vkCreateFence(gpu->handles.device, &fence, NULL, &gpu->fence), "vkCreateFence");
}

void gpu_leave_driver_caches(void) {
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
    setenv("__GL_SHADER_DISK_CACHE", "0", 0);
}

bool gpu_open(struct gpu *gpu, const VkdmlDeviceOpenInfo *info) {
    *gpu = (struct gpu){0};
    if (vkdmlOpenDevice(info, &gpu->device) != VKDML_SUCCESS) {
        devices_tell_refusal(info->name);
        return false;
    }
    if (vkdmlGetVulkanHandles(gpu->device, &gpu->handles) != VKDML_SUCCESS) {
        message_print("vkdml: %s", vkdmlGetErrorMessage());
        return false;
    }
    volkInitializeCustom(gpu->handles.getInstanceProcAddr);
    volkLoadInstanceOnly(gpu->handles.instance);
    volkLoadDevice(gpu->handles.device);
    vkGetPhysicalDeviceProperties(gpu->handles.physicalDevice, &gpu->properties);
    vkGetPhysicalDeviceMemoryProperties(gpu->handles.physicalDevice, &gpu->memory);
    return create_commands(gpu) && create_query_pool(gpu) && gpu_create_buffer(gpu, STAGING_BYTES, true, &gpu->staging);
}

void gpu_close(struct gpu *gpu) {
    if (gpu->pool) {
        gpu_destroy_buffer(gpu, &gpu->staging);
        vkDestroyQueryPool(gpu->handles.device, gpu->queries, NULL);
        vkDestroyFence(gpu->handles.device, gpu->fence, NULL);
        vkDestroyCommandPool(gpu->handles.device, gpu->pool, NULL);
    }
    vkdmlDestroyDevice(gpu->device);
    *gpu = (struct gpu){0};
}

/* The first memory type allowed that has all the properties; UINT32_MAX where there is none. */
static uint32_t find_memory_type(const struct gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags wanted) {
    for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
        if ((allowed & (uint32_t)1 << i) && (gpu->memory.memoryTypes[i].propertyFlags & wanted) == wanted) {
            return i;
        }
    }
    return UINT32_MAX;
}

static uint32_t choose_memory_type(const struct gpu *gpu, uint32_t allowed, bool host_visible) {
    /* Vulkan promises host-visible coherent memory for buffers; cached memory makes reading it fast. */
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t best = find_memory_type(gpu, allowed,
                                     host_visible ? host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                                  : (VkMemoryPropertyFlags)VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    return best != UINT32_MAX ? best : find_memory_type(gpu, allowed, host_visible ? host : 0);
}

bool gpu_create_buffer(struct gpu *gpu, VkDeviceSize size, bool host_visible, struct gpu_buffer *buffer) {
    VkDevice device = gpu->handles.device;
    VkMemoryRequirements needs;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    *buffer = (struct gpu_buffer){.size = size};
    if (!check(gpu, vkCreateBuffer(device, &info, NULL, &buffer->buffer), "vkCreateBuffer")) {
        return false;
    }
    vkGetBufferMemoryRequirements(device, buffer->buffer, &needs);
    const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                             .allocationSize = needs.size,
                                             .memoryTypeIndex =
                                                 choose_memory_type(gpu, needs.memoryTypeBits, host_visible)};
    if (!check(gpu, vkAllocateMemory(device, &allocation, NULL, &buffer->memory), "vkAllocateMemory") ||
        !check(gpu, vkBindBufferMemory(device, buffer->buffer, buffer->memory, 0), "vkBindBufferMemory")) {
        goto fail;
    }
    if (host_visible &&
        !check(gpu, vkMapMemory(device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped), "vkMapMemory")) {
        goto fail;
    }
    return true;
fail:
    gpu_destroy_buffer(gpu, buffer);
    return false;
}

void gpu_destroy_buffer(struct gpu *gpu, struct gpu_buffer *buffer) {
    if (buffer->buffer) {
        vkDestroyBuffer(gpu->handles.device, buffer->buffer, NULL);
        vkFreeMemory(gpu->handles.device, buffer->memory, NULL);
    }
    *buffer = (struct gpu_buffer){0};
}

void gpu_barrier(struct gpu *gpu) {
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                                                      VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(gpu->commands, stages, stages | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

bool gpu_begin(struct gpu *gpu) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (!check(gpu, vkBeginCommandBuffer(gpu->commands, &begin), "vkBeginCommandBuffer")) {
        return false;
    }
    if (gpu->queries) {
        vkCmdResetQueryPool(gpu->commands, gpu->queries, 0, 2);
    }
    gpu_barrier(gpu);
    return true;
}

void gpu_timestamp(struct gpu *gpu, uint32_t index) {
    if (gpu->queries) {
        VkPipelineStageFlagBits stage =
            index ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
        vkCmdWriteTimestamp(gpu->commands, stage, gpu->queries, index);
    }
}

bool gpu_submit(struct gpu *gpu) {
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &gpu->commands};
    return check(gpu, vkEndCommandBuffer(gpu->commands), "vkEndCommandBuffer") &&
           check(gpu, vkQueueSubmit(gpu->handles.queue, 1, &submit, gpu->fence), "vkQueueSubmit") &&
           check(gpu, vkWaitForFences(gpu->handles.device, 1, &gpu->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences") &&
           check(gpu, vkResetFences(gpu->handles.device, 1, &gpu->fence), "vkResetFences");
}

double gpu_elapsed(struct gpu *gpu) {
    uint64_t ticks[2];
    if (!gpu->queries || vkGetQueryPoolResults(gpu->handles.device, gpu->queries, 0, 2, sizeof(ticks), ticks,
                                               sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
        return (double)NAN;
    }
    /* timestampPeriod: nanoseconds a tick. */
    return (double)((ticks[1] - ticks[0]) & gpu->timestamp_mask) * (double)gpu->properties.limits.timestampPeriod *
           1e-6;
}

/* Copies between the staging buffer and a piece of another, and waits. */
static bool copy(struct gpu *gpu, VkBuffer source, VkDeviceSize source_offset, VkBuffer target,
                 VkDeviceSize target_offset, VkDeviceSize size) {
    const VkBufferCopy region = {source_offset, target_offset, size};
    if (!gpu_begin(gpu)) {
        return false;
    }
    vkCmdCopyBuffer(gpu->commands, source, target, 1, &region);
    gpu_barrier(gpu);
    return gpu_submit(gpu);
}

bool gpu_upload(struct gpu *gpu, const struct gpu_buffer *buffer, const void *bytes, VkDeviceSize size) {
    for (VkDeviceSize done = 0; done < size;) {
        VkDeviceSize piece = size - done < STAGING_BYTES ? size - done : STAGING_BYTES;
        memcpy(gpu->staging.mapped, (const char *)bytes + done, piece);
        if (!copy(gpu, gpu->staging.buffer, 0, buffer->buffer, done, piece)) {
            return false;
        }
        done += piece;
    }
    return true;
}

bool gpu_download(struct gpu *gpu, const struct gpu_buffer *buffer, VkDeviceSize offset, VkDeviceSize size,
                  void *bytes) {
    for (VkDeviceSize done = 0; done < size;) {
        VkDeviceSize piece = size - done < STAGING_BYTES ? size - done : STAGING_BYTES;
        if (!copy(gpu, buffer->buffer, offset + done, gpu->staging.buffer, 0, piece)) {
            return false;
        }
        memcpy((char *)bytes + done, gpu->staging.mapped, piece);
        done += piece;
    }
    return true;
}
