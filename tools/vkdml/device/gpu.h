/* The Vulkan side of running models: buffers, one command buffer, timestamps. One thread, one submission at a time. */
#ifndef GPU_H
#define GPU_H

#include <volk.h>

#include <stdbool.h>
#include <stdint.h>

#include <vkdml/device.h>

struct gpu_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
    void *mapped; /* of host-visible buffers */
};

struct gpu {
    VkdmlDevice device;
    VkdmlVulkanHandles handles;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool queries;     /* two timestamps; VK_NULL_HANDLE where the queue has none */
    uint64_t timestamp_mask; /* their valid bits */
    struct gpu_buffer staging;
};

/* Before gpu_open(): Mesa's and NVIDIA's drivers are to compile anew what they find compiled in their own files. What
 * the environment says already stays. */
void gpu_leave_driver_caches(void);

/* All return false with the reason on stderr, and what was made so far is released by gpu_close(). */
bool gpu_open(struct gpu *gpu, const VkdmlDeviceOpenInfo *info);
void gpu_close(struct gpu *gpu);

/* A storage buffer in the device's memory, or, host-visible, for copying through. */
bool gpu_create_buffer(struct gpu *gpu, VkDeviceSize size, bool host_visible, struct gpu_buffer *buffer);
void gpu_destroy_buffer(struct gpu *gpu, struct gpu_buffer *buffer);

bool gpu_upload(struct gpu *gpu, const struct gpu_buffer *buffer, const void *bytes, VkDeviceSize size);
bool gpu_download(struct gpu *gpu, const struct gpu_buffer *buffer, VkDeviceSize offset, VkDeviceSize size,
                  void *bytes);

/* Starts the command buffer: everything submitted before is visible to it. */
bool gpu_begin(struct gpu *gpu);

/* What was recorded before is visible to shaders, copies and the host after. */
void gpu_barrier(struct gpu *gpu);

/* index 0: where timing starts, 1: where it ends. */
void gpu_timestamp(struct gpu *gpu, uint32_t index);

/* Submits the command buffer and waits until it is done. */
bool gpu_submit(struct gpu *gpu);

/* Milliseconds between the two timestamps of the latest submission; NAN where the queue has none. */
double gpu_elapsed(struct gpu *gpu);

#endif
