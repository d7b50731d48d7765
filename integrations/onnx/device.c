#include "onnx/device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "onnx/cache.h"

struct onnx_device {
    pid_t process; /* that opened it */
    VkdmlDevice vkdml;
    VkdmlVulkanHandles handles;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkdmlLogCallback warn; /* NULL: silent */
    void *log_data;
    pthread_mutex_t lock; /* of the queue and what is below */
    char *cache_path;     /* NULL: none */
    size_t cached_bytes;  /* that were read, or written last: as many are not written again */
    bool cache_failed;    /* it could not be written, which was reported */
#define ONNX_VK_INSTANCE(name) PFN_vk##name name;
#define ONNX_VK_DEVICE(name)   PFN_vk##name name;
#include "onnx/vulkan.inc"
#undef ONNX_VK_INSTANCE
#undef ONNX_VK_DEVICE
};

static bool check(struct onnx_device *device, VkResult result, const char *call, struct onnx_error *error) {
    if (result == VK_SUCCESS) {
        return true;
    }
    if (result == VK_ERROR_DEVICE_LOST) {
        vkdmlReportDeviceLost(device->vkdml, call);
        return onnx_fail_with(error, VKDML_ERROR_DEVICE_LOST, "%s: the device is lost", call);
    }
    const VkdmlResult code = result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? VKDML_ERROR_OUT_OF_DEVICE_MEMORY
                             : result == VK_ERROR_OUT_OF_HOST_MEMORY ? VKDML_ERROR_OUT_OF_HOST_MEMORY
                                                                     : VKDML_ERROR_DRIVER;
    return onnx_fail_with(error, code, "%s: VkResult %d%s", call, (int)result,
                          code == VKDML_ERROR_DRIVER ? "" : ", memory is out");
}

/* ---- pipelines in a file ---- */

static void warn(const struct onnx_device *device, const struct onnx_error *error, const char *what) {
    char message[640];
    if (device->warn != NULL) {
        snprintf(message, sizeof message, "%s: %s", what, error->text);
        device->warn(device->log_data, VKDML_LOG_LEVEL_WARNING, message);
    }
}

/* With the lock held. */
static void read_pipelines(struct onnx_device *device) {
    struct onnx_error error = {0};
    void *data;
    size_t size;
    if (!onnx_cache_read(device->cache_path, &device->properties, &data, &size, &error) ||
        (data != NULL && !onnx_check(vkdmlMergePipelineCacheData(device->vkdml, size, data), &error))) {
        warn(device, &error, "the pipeline cache is not read");
    } else {
        device->cached_bytes = size;
    }
    free(data);
}

bool onnx_device_use_cache(struct onnx_device *device, const char *folder, struct onnx_error *error) {
    if (!onnx_device_check_process(device, error)) {
        return false;
    }
    if (folder[0] == 0) {
        return onnx_fail(error, "the cache folder is \"\", must be the name of a folder");
    }
    char *path = onnx_cache_path(folder, &device->properties);
    if (path == NULL) {
        return onnx_fail_memory(error);
    }
    pthread_mutex_lock(&device->lock);
    if (device->cache_path != NULL && strcmp(path, device->cache_path) == 0) {
        free(path);
    } else {
        free(device->cache_path);
        device->cache_path = path;
        device->cached_bytes = 0;
        device->cache_failed = false;
        read_pipelines(device);
    }
    pthread_mutex_unlock(&device->lock);
    return true;
}

/* With the lock held. A failure is reported once: the next one most likely has the same reason. */
static void write_pipelines(struct onnx_device *device, const void *data, size_t size) {
    struct onnx_error error = {0};
    device->cached_bytes = size;
    if (!onnx_cache_write(device->cache_path, &device->properties, data, size, &error) && !device->cache_failed) {
        device->cache_failed = true;
        warn(device, &error, "the pipeline cache is not written");
    }
}

void onnx_device_keep_pipelines(struct onnx_device *device) {
    size_t size = 0;
    if (onnx_device_is_inherited(device)) {
        return;
    }
    pthread_mutex_lock(&device->lock);
    if (device->cache_path != NULL && vkdmlGetPipelineCacheData(device->vkdml, &size, NULL) == VKDML_SUCCESS &&
        size != device->cached_bytes) {
        void *data = malloc(size);
        if (data != NULL && vkdmlGetPipelineCacheData(device->vkdml, &size, data) == VKDML_SUCCESS) {
            write_pipelines(device, data, size);
        }
        free(data);
    }
    pthread_mutex_unlock(&device->lock);
}

/* ---- devices ---- */

static bool load_functions(struct onnx_device *device) {
    const PFN_vkGetInstanceProcAddr get = device->handles.getInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr get_device =
        (PFN_vkGetDeviceProcAddr)get(device->handles.instance, "vkGetDeviceProcAddr");
    bool found = get_device != NULL;
#define ONNX_VK_INSTANCE(name)                                                                                         \
    device->name = found ? (PFN_vk##name)get(device->handles.instance, "vk" #name) : NULL;                             \
    found = found && device->name != NULL;
#define ONNX_VK_DEVICE(name)                                                                                           \
    device->name = found ? (PFN_vk##name)get_device(device->handles.device, "vk" #name) : NULL;                        \
    found = found && device->name != NULL;
#include "onnx/vulkan.inc"
#undef ONNX_VK_INSTANCE
#undef ONNX_VK_DEVICE
    return found;
}

static bool open_device(struct onnx_device *device, const struct onnx_device_options *options,
                        struct onnx_error *error) {
    const VkdmlDeviceOpenInfo info = {.structSize = sizeof info,
                                      .headerVersion = VKDML_HEADER_VERSION,
                                      .name = options->name,
                                      .flags = options->labels ? (VkdmlDeviceFlags)VKDML_DEVICE_FLAG_DEBUG_UTILS : 0,
                                      .logCallback = options->log,
                                      .logUserData = options->log_data,
                                      .kernelVariant = options->variant};
    if (!onnx_check(vkdmlOpenDevice(&info, &device->vkdml), error)) {
        return false;
    }
    if (vkdmlGetVulkanHandles(device->vkdml, &device->handles) != VKDML_SUCCESS || !load_functions(device)) {
        return onnx_fail_with(error, VKDML_ERROR_INITIALIZATION_FAILED, "a function of Vulkan is missing");
    }
    device->GetPhysicalDeviceProperties(device->handles.physicalDevice, &device->properties);
    device->GetPhysicalDeviceMemoryProperties(device->handles.physicalDevice, &device->memory);
    device->warn = options->warn;
    device->log_data = options->log_data;
    return options->cache_folder == NULL || onnx_device_use_cache(device, options->cache_folder, error);
}

bool onnx_device_open(const struct onnx_device_options *options, struct onnx_device **made, struct onnx_error *error) {
    static const struct onnx_device_options defaults = {0};
    struct onnx_device *device = calloc(1, sizeof *device);
    *made = NULL;
    if (device == NULL || pthread_mutex_init(&device->lock, NULL) != 0) {
        free(device);
        return onnx_fail_memory(error);
    }
    device->process = getpid();
    if (!open_device(device, options == NULL ? &defaults : options, error)) {
        onnx_device_close(device);
        return false;
    }
    *made = device;
    return true;
}

void onnx_device_close(struct onnx_device *device) {
    if (device == NULL || onnx_device_is_inherited(device)) {
        return;
    }
    onnx_device_keep_pipelines(device);
    vkdmlDestroyDevice(device->vkdml);
    pthread_mutex_destroy(&device->lock);
    free(device->cache_path);
    free(device);
}

VkdmlDevice onnx_device_vkdml(const struct onnx_device *device) {
    return device->vkdml;
}

const char *onnx_device_name(const struct onnx_device *device) {
    return device->properties.deviceName;
}

bool onnx_device_is_inherited(const struct onnx_device *device) {
    return device->process != getpid();
}

bool onnx_device_check_process(const struct onnx_device *device, struct onnx_error *error) {
    return !onnx_device_is_inherited(device) ||
           onnx_fail_with(error, VKDML_ERROR_DEVICE_LOST,
                          "the device was opened before fork(), by another process: a child process must open its own");
}

bool onnx_device_is_lost(const struct onnx_device *device) {
    return vkdmlGetDeviceLostReason(device->vkdml) == VKDML_ERROR_DEVICE_LOST;
}

/* ---- memory ---- */

#define HOST_FLAGS     (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED_FLAGS   (HOST_FLAGS | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
#define MOST_IN_WINDOW ((VkDeviceSize)64 << 10)
#define OPEN_FLAGS     (HOST_FLAGS | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)

/* The first type of those allowed that has these properties, or UINT32_MAX. */
static uint32_t find_type(const struct onnx_device *device, uint32_t allowed, VkMemoryPropertyFlags wanted) {
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; ++i) {
        if ((allowed >> i & 1) != 0 && (device->memory.memoryTypes[i].propertyFlags & wanted) == wanted) {
            return i;
        }
    }
    return UINT32_MAX;
}

bool onnx_device_shares_memory(const struct onnx_device *device) {
    return find_type(device, UINT32_MAX, CACHED_FLAGS | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != UINT32_MAX;
}

/* A GPU that opens a window of 256 MiB alone has a heap of that size for it: that is for what is small. */
static uint32_t find_open_type(const struct onnx_device *device, uint32_t allowed, VkDeviceSize size) {
    const uint32_t type = find_type(device, allowed, OPEN_FLAGS);
    const bool is_window =
        type != UINT32_MAX && size > MOST_IN_WINDOW &&
        device->memory.memoryHeaps[device->memory.memoryTypes[type].heapIndex].size <= (VkDeviceSize)256 << 20;
    return is_window ? UINT32_MAX : type;
}

static uint32_t choose_type(const struct onnx_device *device, uint32_t allowed, VkDeviceSize size,
                            enum onnx_memory memory) {
    static const VkMemoryPropertyFlags wanted[] = {
        [ONNX_MEMORY_DEVICE] = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
        [ONNX_MEMORY_HOST] = CACHED_FLAGS,
        [ONNX_MEMORY_SHARED] = CACHED_FLAGS | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
        [ONNX_MEMORY_OPEN] = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    };
    uint32_t type = memory == ONNX_MEMORY_OPEN ? find_open_type(device, allowed, size) : UINT32_MAX;
    type = type != UINT32_MAX ? type : find_type(device, allowed, wanted[memory]);
    const bool is_mapped = memory == ONNX_MEMORY_HOST || memory == ONNX_MEMORY_SHARED;
    return type != UINT32_MAX ? type : find_type(device, allowed, is_mapped ? HOST_FLAGS : 0);
}

bool onnx_buffer_create(struct onnx_device *device, VkDeviceSize size, enum onnx_memory memory,
                        struct onnx_buffer *buffer, struct onnx_error *error) {
    const VkDevice vk = device->handles.device;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    *buffer = (struct onnx_buffer){.size = size};
    if (!check(device, device->CreateBuffer(vk, &info, NULL, &buffer->buffer), "vkCreateBuffer", error)) {
        *buffer = (struct onnx_buffer){0};
        return false;
    }
    VkMemoryRequirements needs;
    device->GetBufferMemoryRequirements(vk, buffer->buffer, &needs);
    const uint32_t type = choose_type(device, needs.memoryTypeBits, size, memory);
    const bool is_mapped = memory == ONNX_MEMORY_OPEN ? type == find_open_type(device, needs.memoryTypeBits, size)
                                                      : memory != ONNX_MEMORY_DEVICE;
    const VkMemoryAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    if (!check(device, device->AllocateMemory(vk, &allocation, NULL, &buffer->memory), "vkAllocateMemory", error) ||
        !check(device, device->BindBufferMemory(vk, buffer->buffer, buffer->memory, 0), "vkBindBufferMemory", error) ||
        (is_mapped && !check(device, device->MapMemory(vk, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped),
                             "vkMapMemory", error))) {
        onnx_buffer_free(device, buffer);
        return false;
    }
    return true;
}

void onnx_buffer_free(struct onnx_device *device, struct onnx_buffer *buffer) {
    if (buffer->buffer != VK_NULL_HANDLE) {
        device->DestroyBuffer(device->handles.device, buffer->buffer, NULL);
        device->FreeMemory(device->handles.device, buffer->memory, NULL);
    }
    *buffer = (struct onnx_buffer){0};
}

/* ---- commands ---- */

static bool create_commands(struct onnx_device *device, struct onnx_commands *commands, struct onnx_error *error) {
    const VkDevice vk = device->handles.device;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = device->handles.queueFamilyIndex};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (!check(device, device->CreateCommandPool(vk, &pool, NULL, &commands->pool), "vkCreateCommandPool", error) ||
        !check(device, device->CreateFence(vk, &fence, NULL, &commands->fence), "vkCreateFence", error)) {
        return false;
    }
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = commands->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    return check(device, device->AllocateCommandBuffers(vk, &info, &commands->buffer), "vkAllocateCommandBuffers",
                 error);
}

bool onnx_commands_begin(struct onnx_device *device, struct onnx_commands *commands, struct onnx_error *error) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (commands->pool == VK_NULL_HANDLE && !create_commands(device, commands, error)) {
        onnx_commands_free(device, commands);
        return false;
    }
    return check(device, device->ResetCommandPool(device->handles.device, commands->pool, 0), "vkResetCommandPool",
                 error) &&
           check(device, device->BeginCommandBuffer(commands->buffer, &begin), "vkBeginCommandBuffer", error);
}

void onnx_commands_barrier(struct onnx_device *device, const struct onnx_commands *commands) {
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = writes,
                                     .dstAccessMask = writes | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                                                      VK_ACCESS_HOST_READ_BIT};
    device->CmdPipelineBarrier(commands->buffer, stages, stages | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL,
                               0, NULL);
}

void onnx_commands_copy(struct onnx_device *device, const struct onnx_commands *commands, VkBuffer from,
                        VkDeviceSize from_offset, VkBuffer to, VkDeviceSize to_offset, VkDeviceSize size) {
    const VkBufferCopy region = {from_offset, to_offset, size};
    device->CmdCopyBuffer(commands->buffer, from, to, 1, &region);
}

void onnx_commands_clear(struct onnx_device *device, const struct onnx_commands *commands, VkBuffer buffer,
                         VkDeviceSize offset, VkDeviceSize size) {
    device->CmdFillBuffer(commands->buffer, buffer, offset, size, 0);
}

bool onnx_commands_end(struct onnx_device *device, const struct onnx_commands *commands, struct onnx_error *error) {
    return check(device, device->EndCommandBuffer(commands->buffer), "vkEndCommandBuffer", error);
}

/* What was submitted is not used any more when this returns. */
static bool wait_for(struct onnx_device *device, const struct onnx_commands *commands, struct onnx_error *error) {
    const VkResult waited = device->WaitForFences(device->handles.device, 1, &commands->fence, VK_TRUE, UINT64_MAX);
    if (waited != VK_SUCCESS && waited != VK_ERROR_DEVICE_LOST) {
        pthread_mutex_lock(&device->lock);
        device->QueueWaitIdle(device->handles.queue);
        pthread_mutex_unlock(&device->lock);
    }
    return check(device, waited, "vkWaitForFences", error);
}

bool onnx_commands_run(struct onnx_device *device, const struct onnx_commands *commands, struct onnx_error *error) {
    return onnx_commands_run_all(device, 1, &commands, error);
}

bool onnx_commands_run_all(struct onnx_device *device, uint32_t count, const struct onnx_commands *const *all,
                           struct onnx_error *error) {
    const struct onnx_commands *commands = NULL; /* the last one: its fence is used */
    VkCommandBuffer buffers[3];
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pCommandBuffers = buffers};
    for (uint32_t i = 0; i < count; ++i) {
        if (all[i]->buffer != VK_NULL_HANDLE) {
            buffers[submit.commandBufferCount++] = all[i]->buffer;
            commands = all[i];
        }
    }
    if (commands == NULL) {
        return true;
    }
    /* Before it is used again rather than behind the wait: either may fail. */
    if (!check(device, device->ResetFences(device->handles.device, 1, &commands->fence), "vkResetFences", error)) {
        return false;
    }
    pthread_mutex_lock(&device->lock);
    const VkResult submitted = device->QueueSubmit(device->handles.queue, 1, &submit, commands->fence);
    pthread_mutex_unlock(&device->lock);
    return check(device, submitted, "vkQueueSubmit", error) && wait_for(device, commands, error);
}

void onnx_commands_free(struct onnx_device *device, struct onnx_commands *commands) {
    if (commands->pool != VK_NULL_HANDLE) {
        device->DestroyCommandPool(device->handles.device, commands->pool, NULL);
    }
    if (commands->fence != VK_NULL_HANDLE) {
        device->DestroyFence(device->handles.device, commands->fence, NULL);
    }
    *commands = (struct onnx_commands){0};
}
