/* An application's own Vulkan, for tests that import it: instance, device, queue, one buffer and one command buffer. */
#ifndef UNIT_VULKAN_FIXTURE_H
#define UNIT_VULKAN_FIXTURE_H

#include <stdatomic.h>
#include <stddef.h>

#include <volk.h>

#include "vkdml/vkdml.h"

/* Bytes of the buffer that all tensors of a test share. */
#define VULKAN_BUFFER_BYTES ((VkDeviceSize)1 << 20)

struct vulkan {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger; /* with VK_EXT_debug_utils */
    atomic_uint message_count;          /* validation messages; any fails the group's teardown */
    VkPhysicalDevice physical_device;
    VkPhysicalDeviceProperties properties;
    VkDevice device;
    uint32_t queue_family;
    VkQueue queue;
    VkCommandPool command_pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkBuffer buffer; /* VULKAN_BUFFER_BYTES, for storage and transfer */
    VkBuffer other;  /* the same again, in memory of its own */
    VkDeviceMemory memory;
    VkDeviceMemory other_memory;
    unsigned char *bytes; /* of buffer, coherent */
    unsigned char *other_bytes;
};

/* Fails the test where there is no Vulkan device. */
void vulkan_create(struct vulkan *vulkan);
/* With VK_EXT_debug_utils, and a messenger that counts what a validation layer, where one is switched on, has to say.
 */
void vulkan_create_with_debug_utils(struct vulkan *vulkan);
void vulkan_destroy(struct vulkan *vulkan);

/* How it is imported, with all defaults and no one between the library and Vulkan. */
VkdmlDeviceCreateInfo vulkan_device_info(const struct vulkan *vulkan);

/* Fails the test unless the reason of the latest failure has this in it. */
void assert_reason(const char *part);

/* The command buffer, recording. */
VkCommandBuffer vulkan_begin(struct vulkan *vulkan);

/* Submits what was recorded and waits. */
void vulkan_run(struct vulkan *vulkan);

/* Submits the same commands once more, and waits. */
void vulkan_run_again(struct vulkan *vulkan);

/* Host memory that counts, and fails when told to. */
struct allocations {
    atomic_int live;  /* allocations not freed yet */
    atomic_int made;  /* allocations asked for */
    atomic_int fails; /* the allocation, from 1, that returns NULL; 0: none */
};

VkAllocationCallbacks counting_callbacks(struct allocations *allocations);

#endif
