#define _POSIX_C_SOURCE 200809L /* setenv */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/profiled.h"

/* 1 MiB: most cases fit, so the buffer is made anew only a few times a run. */
#define SMALLEST_BUFFER ((size_t)1 << 20)

/* Long enough for the largest case on a CPU device under validation; past it the device counts as hung. */
#define WAIT_NANOSECONDS ((uint64_t)120 * 1000 * 1000 * 1000)

static void add_message(struct gpu *gpu, const char *message) {
    size_t used = strlen(gpu->messages);
    snprintf(gpu->messages + used, sizeof(gpu->messages) - used, "%s\n", message);
    gpu->message_count++;
}

static void on_message(void *user_data, VkdmlLogLevel level, const char *message) {
    struct gpu *gpu = user_data;
    if (gpu->validation && level == VKDML_LOG_LEVEL_WARNING) {
        add_message(gpu, message);
    }
}

/* Printed as well: what the library makes of a refused call is what the case tells as its failure. */
static void on_violation(void *user_data, const char *text) {
    add_message(user_data, text);
    printf("# %s\n", text);
    fflush(stdout);
}

void gpu_clear_messages(struct gpu *gpu) {
    gpu->message_count = 0;
    gpu->messages[0] = '\0';
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value != NULL && strcmp(value, "") != 0 && strcmp(value, "0") != 0;
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

/* The device that the machine has. */
static VkdmlResult open_device(struct gpu *gpu) {
    VkdmlDeviceOpenInfo info = {.structSize = sizeof info,
                                .headerVersion = VKDML_HEADER_VERSION,
                                .flags = gpu->flags | (gpu->validation ? VKDML_DEVICE_FLAG_VALIDATION : 0u),
                                .logCallback = on_message,
                                .logUserData = gpu};
    VkdmlResult result = vkdmlOpenDevice(&info, &gpu->opened);
    if (result == VKDML_SUCCESS) {
        gpu->device = gpu->opened;
        result = vkdmlGetVulkanHandles(gpu->opened, &gpu->vulkan);
    }
    if (result != VKDML_SUCCESS) {
        gpu->error = vkdmlGetErrorMessage();
    }
    return result;
}

/* Imports the VkDevice at a feature level, with the features it has; as the profile without any, where there is one. */
static VkdmlResult import_device(struct gpu *gpu, DML_FEATURE_LEVEL level, VkdmlDevice *device) {
    VkdmlDeviceCreateInfo info = {.structSize = sizeof info,
                                  .headerVersion = VKDML_HEADER_VERSION,
                                  .instance = gpu->vulkan.instance,
                                  .physicalDevice = gpu->vulkan.physicalDevice,
                                  .device = gpu->vulkan.device,
                                  .queueFamilyIndex = gpu->vulkan.queueFamilyIndex,
                                  .enabledFeatures = gpu->profile != NULL ? NULL : gpu->vulkan.enabledFeatures,
                                  .getInstanceProcAddr = gpu->profile != NULL ? profiled_get_instance_proc_addr
                                                                              : gpu->vulkan.getInstanceProcAddr,
                                  .featureLevel = level,
                                  .flags = gpu->flags,
                                  .logCallback = on_message,
                                  .logUserData = gpu,
                                  .pipelineCache = gpu->pipeline_cache};
    VkdmlResult result = vkdmlCreateDevice(&info, device);
    if (result != VKDML_SUCCESS) {
        gpu->error = vkdmlGetErrorMessage();
    }
    return result;
}

/* Makes the device under test one of the profile's kind. */
static VkdmlResult put_on_profile(struct gpu *gpu) {
    struct profiled_info info = {.profile = gpu->profile,
                                 .next = gpu->vulkan.getInstanceProcAddr,
                                 .instance = gpu->vulkan.instance,
                                 .physical_device = gpu->vulkan.physicalDevice,
                                 .transfer = (gpu->flags & VKDML_DEVICE_FLAG_ALLOW_TRANSFER) != 0,
                                 .on_violation = on_violation,
                                 .user_data = gpu};
    if (strstr(gpu->properties.deviceName, "as profile") != NULL) {
        return fail(gpu, "the device is a profile's before it was put on one");
    }
    if (!profiled_begin(&info)) {
        return fail(gpu, "the driver lacks what profiles need");
    }
    PFN_vkGetPhysicalDeviceProperties get_properties =
        (PFN_vkGetPhysicalDeviceProperties)profiled_get_instance_proc_addr(info.instance,
                                                                           "vkGetPhysicalDeviceProperties");
    get_properties(info.physical_device, &gpu->properties);
    gpu->device = NULL;
    VkdmlResult result = import_device(gpu, (DML_FEATURE_LEVEL)0, &gpu->device);
    if (result == VKDML_SUCCESS && profiled_violations() != 0) {
        return fail(gpu, "creating the device broke the profile");
    }
    return result;
}

VkdmlResult gpu_open(struct gpu *gpu, VkdmlDeviceFlags flags) {
    *gpu = (struct gpu){.validation = is_set("VKDML_TEST_VALIDATION"), .flags = flags};
    if (is_set("VKDML_TEST_PROFILE")) {
        gpu->profile = profile_find(getenv("VKDML_TEST_PROFILE"));
        if (gpu->profile == NULL) {
            gpu->error = "VKDML_TEST_PROFILE names no profile";
            return VKDML_ERROR_INVALID_ARGUMENT;
        }
        /* Not by tests/profiles/loader.c too: here a violation is a case's, and transfer commands are the library's. */
        setenv("VKDML_TEST_PROFILE_OWN", "1", 1);
    }
    if (gpu->validation) {
        /* The layer's own switch; a caller's choice stands. */
        setenv("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT", 0);
    }
    VkdmlResult result = open_device(gpu);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    volkInitializeCustom(gpu->vulkan.getInstanceProcAddr);
    volkLoadInstance(gpu->vulkan.instance);
    volkLoadDevice(gpu->vulkan.device);
    vkGetPhysicalDeviceProperties(gpu->vulkan.physicalDevice, &gpu->properties);
    result = create_commands(gpu);
    if (result == VKDML_SUCCESS && gpu->profile != NULL) {
        result = put_on_profile(gpu);
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

void gpu_close(struct gpu *gpu) {
    if (gpu->vulkan.device != VK_NULL_HANDLE) {
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
    }
    vkdmlDestroyDevice(gpu->opened);
    *gpu = (struct gpu){0};
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
    if (import_device(gpu, level, &slot->device) != VKDML_SUCCESS) {
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

VkCommandBuffer gpu_begin(struct gpu *gpu) {
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (vkResetCommandPool(gpu->vulkan.device, gpu->command_pool, 0) != VK_SUCCESS ||
        vkBeginCommandBuffer(gpu->command_buffer, &info) != VK_SUCCESS) {
        gpu->error = "vkBeginCommandBuffer failed";
        return VK_NULL_HANDLE;
    }
    return gpu->command_buffer;
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
    if (vkEndCommandBuffer(gpu->command_buffer) != VK_SUCCESS || vkResetFences(device, 1, &gpu->fence) != VK_SUCCESS ||
        vkQueueSubmit(gpu->vulkan.queue, 1, &submit, gpu->fence) != VK_SUCCESS) {
        gpu->error = "the submission failed";
        return false;
    }
    if (vkWaitForFences(device, 1, &gpu->fence, VK_TRUE, WAIT_NANOSECONDS) != VK_SUCCESS) {
        gpu->error = "the GPU did not finish (hung, or lost)";
        return false;
    }
    return true;
}
