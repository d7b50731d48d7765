/* A Vulkan device of one's own: its queue, buffers, and pipelines that are kept in a file. */
#ifndef ONNX_DEVICE_H
#define ONNX_DEVICE_H

#include <vkdml/vkdml.h>

#include "onnx/error.h"

struct onnx_device;

struct onnx_device_options {
    const char *name;         /* as VkdmlDeviceOpenInfo::name */
    const char *cache_folder; /* as of onnx_device_use_cache(), or NULL */
    VkdmlKernelVariant variant;
    bool labels;          /* VKDML_DEVICE_FLAG_DEBUG_UTILS */
    VkdmlLogCallback log;  /* what vkdml and Vulkan report; NULL: silent */
    VkdmlLogCallback warn; /* once for each cache that cannot be read or written, and why; NULL: silent */
    void *log_data;        /* of both, until the device is closed */
};

/* Opens a device. options NULL: the best, all defaults. Closed by onnx_device_close(), behind everything on it. */
bool onnx_device_open(const struct onnx_device_options *options, struct onnx_device **device, struct onnx_error *error);

/* Writes what pipelines were made since the last time, too. NULL is ignored. */
void onnx_device_close(struct onnx_device *device);

VkdmlDevice onnx_device_vkdml(const struct onnx_device *device);
const char *onnx_device_name(const struct onnx_device *device);
/* Lost, or inherited. */
bool onnx_device_is_lost(const struct onnx_device *device);

/* Whether another process opened the device, of which this one is a fork. No call of Vulkan returns on it, threads that
 * held its locks are not there, and what they were changing is half changed: it and all that was made of it can only be
 * left behind. Closing it, and freeing sessions and pools of it, does nothing; calls that can fail do at once. */
bool onnx_device_is_inherited(const struct onnx_device *device);
/* Fails with VKDML_ERROR_DEVICE_LOST for one that is inherited. */
bool onnx_device_check_process(const struct onnx_device *device, struct onnx_error *error);

/* Keeps pipelines in a folder, in a file for each device and driver (cache.h), and takes up those that it holds. The
 * folder of the latest call counts. Fails if the folder is "" or memory is out. A cache that cannot be read or written
 * is no failure: the `warn` callback gets the reason, and pipelines are compiled. Thread-safe. */
bool onnx_device_use_cache(struct onnx_device *device, const char *folder, struct onnx_error *error);

/* Writes pipelines to the cache if there are new ones. Thread-safe. */
void onnx_device_keep_pipelines(struct onnx_device *device);

/* A piece of memory, of the device's own or of what the host sees. */
struct onnx_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
    void *mapped; /* NULL: the host does not see it */
};

enum onnx_memory {
    ONNX_MEMORY_DEVICE,
    ONNX_MEMORY_HOST,   /* cached where the device has such memory, and coherent */
    ONNX_MEMORY_SHARED, /* the device's own that the host sees and caches, see onnx_device_shares_memory() */
    ONNX_MEMORY_OPEN,   /* the device's own; mapped where the host may write into all such memory, without a cache */
};

/* Whether the host reads and writes the device's memory as its own: integrated devices, and processors. */
bool onnx_device_shares_memory(const struct onnx_device *device);

/* Of at least 1 byte. On failure there is nothing to free. */
bool onnx_buffer_create(struct onnx_device *device, VkDeviceSize size, enum onnx_memory memory,
                        struct onnx_buffer *buffer, struct onnx_error *error);
void onnx_buffer_free(struct onnx_device *device, struct onnx_buffer *buffer);

/* A command buffer that may be submitted again and again, and a fence. */
struct onnx_commands {
    VkCommandPool pool;
    VkCommandBuffer buffer;
    VkFence fence;
};

bool onnx_commands_begin(struct onnx_device *device, struct onnx_commands *commands, struct onnx_error *error);
void onnx_commands_barrier(struct onnx_device *device, const struct onnx_commands *commands);
void onnx_commands_copy(struct onnx_device *device, const struct onnx_commands *commands, VkBuffer from,
                        VkDeviceSize from_offset, VkBuffer to, VkDeviceSize to_offset, VkDeviceSize size);
/* With zeros; the offset and the size are multiples of 4. */
void onnx_commands_clear(struct onnx_device *device, const struct onnx_commands *commands, VkBuffer buffer,
                         VkDeviceSize offset, VkDeviceSize size);
bool onnx_commands_end(struct onnx_device *device, const struct onnx_commands *commands, struct onnx_error *error);

/* Submits and waits. Thread-safe: submissions to the queue are one at a time. */
bool onnx_commands_run(struct onnx_device *device, const struct onnx_commands *commands, struct onnx_error *error);
/* Submits up to three command buffers, in order, and waits. Skips those that were never begun; at least one was. */
bool onnx_commands_run_all(struct onnx_device *device, uint32_t count, const struct onnx_commands *const *commands,
                           struct onnx_error *error);
void onnx_commands_free(struct onnx_device *device, struct onnx_commands *commands);

#endif
