/* The device under test, one buffer that the host can see, and submissions to it. */
#ifndef CASES_GPU_H
#define CASES_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include <volk.h>

#include "vkdml/vkdml.h"

#define GPU_MAX_LEVELS       16
#define GPU_MESSAGE_CAPACITY 2048

struct profile; /* of the tests: tests/profiles/ */

struct gpu {
    VkdmlDevice opened; /* owns the VkDevice */
    VkdmlDevice device; /* under test, at the newest feature level: `opened`, or its VkDevice imported as the profile */
    VkdmlVulkanHandles vulkan;
    VkPhysicalDeviceProperties properties; /* as the device under test sees them */
    const struct profile *profile;         /* NULL: the device as it is */
    VkdmlKernelVariant variant;            /* of what is imported; DEFAULT: the library chooses */
    /* What is imported is imported with. */
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    const VkPhysicalDeviceFeatures2 *enabled_features;
    VkPipelineCache pipeline_cache; /* shared by the devices below */

    /* The same VkDevice imported at older feature levels, as cases ask for them. */
    uint32_t level_count;
    struct gpu_level {
        DML_FEATURE_LEVEL level;
        VkdmlDevice device;
    } levels[GPU_MAX_LEVELS];
    VkdmlDeviceFlags flags;

    VkCommandPool command_pool;
    VkCommandBuffer command_buffer;
    VkFence fence;

    VkBuffer buffer;
    VkDeviceMemory memory;
    size_t size;           /* of buffer, in bytes */
    unsigned char *mapped; /* its bytes, coherent */

    /* Messages since the last gpu_clear_messages(), the first ones' text: of validation, where it is on, and what broke
     * the profile. */
    bool validation;
    uint32_t message_count;
    char messages[GPU_MESSAGE_CAPACITY];

    /* NULL, or what is asked twice a second while the GPU computes: true ends the wait, and the device counts as lost. */
    bool (*gives_up)(void);

    const char *error; /* why the last gpu_ call failed */
};

/* Makes an opened device the one under test, which stays the caller's: commands are made for it. gpu_release() is due
 * either way. */
VkdmlResult gpu_use(struct gpu *gpu, VkdmlDevice opened);
void gpu_release(struct gpu *gpu);

/* Imports its VkDevice at a feature level; 0: the newest. */
VkdmlResult gpu_import(struct gpu *gpu, DML_FEATURE_LEVEL level, VkdmlDevice *device);

/* The device at a feature level; 0: the newest. NULL where it cannot be had. */
VkdmlDevice gpu_device_at(struct gpu *gpu, DML_FEATURE_LEVEL level);

/* Makes the buffer at least so large. Its contents are lost. */
bool gpu_reserve(struct gpu *gpu, size_t size);

/* The command buffer, ready for recording. */
VkCommandBuffer gpu_begin_commands(struct gpu *gpu);

/* Ends the command buffer, submits it and waits, however long that takes; what shaders wrote is then in `mapped`. The
 * library is told of a device that is lost. */
bool gpu_submit_and_wait(struct gpu *gpu);

void gpu_clear_messages(struct gpu *gpu);
void gpu_add_message(struct gpu *gpu, const char *message);

/* A VkdmlLogCallback, the gpu its user data. */
void gpu_log(void *user_data, VkdmlLogLevel level, const char *message);

#endif
