/* A Vulkan device as the library uses it: the caller's handles, its limits, and what all operators share. */
#ifndef VKDML_VULKAN_DEVICE_H
#define VKDML_VULKAN_DEVICE_H

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "plan/plan.h"
#include "vkdml/binding.h"
#include "vkdml/device.h"
#include "vulkan/debug.h"
#include "vulkan/failure.h"
#include "vulkan/functions.h"
#include "vulkan/handles.h"
#include "vulkan/log.h"
#include "vulkan/parameters.h"
#include "vulkan/pipelines.h"

/* The least apiVersion of a physical device. */
#define VKDML_VULKAN_API_VERSION VK_API_VERSION_1_2

/* Flags that are vkdmlOpenDevice()'s only. */
#define VKDML_OPENING_FLAGS ((VkdmlDeviceFlags)VKDML_DEVICE_FLAG_VALIDATION | VKDML_DEVICE_FLAG_DEBUG_UTILS)

struct vkdml_opened;

/* Layouts of all kernels with one number of storage buffers: the parameter block at binding 0, the buffers at 1, 2, ..,
 * and struct vkdml_push_constants. */
struct vkdml_layouts {
    VkDescriptorSetLayout set;
    VkPipelineLayout pipeline;
};

/* Binding tables with a descriptor pool of their own: a device takes those with it that it finds. */
struct vkdml_binding_tables {
    pthread_mutex_t lock; /* of the list */
    VkdmlBindingTable first;
};

/* Immutable after creation but for what says otherwise. */
struct VkdmlDevice_T {
    struct vkdml_handle handle;
    atomic_uint live[VKDML_HANDLE_KIND_COUNT]; /* objects there are of it, by kind, itself among them */
    atomic_uint references;                    /* the sum of these: the last one that goes frees the struct */
    atomic_bool destroyed;                     /* nothing but the struct is left, for objects that outlive it */
    struct vkdml_graveyard graveyard;
    VkdmlVulkanHandles handles;
    DML_FEATURE_LEVEL level;
    VkdmlDeviceFlags flags;
    const VkAllocationCallbacks *callbacks; /* NULL, or the copy below */
    VkAllocationCallbacks callbacks_copy;
    struct vkdml_log log;
    atomic_bool muted;     /* vkdmlMuteLog() */
    struct vkdml_lost lost; /* changes once; thread-safe */
    struct vkdml_functions_device vk;
    struct vkdml_debug debug;
    VkPhysicalDeviceMemoryProperties memory;
    struct vkdml_plan_limits limits;
    VkdmlKernelVariant variant;                           /* never DEFAULT */
    const char *variant_reason;                           /* static */
    struct vkdml_layouts layouts[VKDML_PLAN_MAX_BUFFERS]; /* by number of storage buffers, less one; up to what
                                                             the device has */
    VkPipelineCache pipeline_cache;
    VkPipelineCacheHeaderVersionOne cache_header; /* who its data is for; sizes are 0 */
    bool owns_pipeline_cache;
    struct vkdml_pipelines pipelines;   /* has its lock */
    struct vkdml_parameters parameters; /* has its lock */
    struct vkdml_binding_tables tables; /* has its lock */
    struct vkdml_opened *opened;        /* of vkdmlOpenDevice(), else NULL */
};

/* Imports a device. info->featureLevel must be a level. *device is NULL on failure. */
VkdmlResult vkdml_device_create(const VkdmlDeviceCreateInfo *info, struct vkdml_report *report, VkdmlDevice *device);

/* Adds to the device's cache, which must be its own. */
VkdmlResult vkdml_device_merge_cache(VkdmlDevice device, const void *data, size_t size, struct vkdml_report *report);

/* Destroys all but `opened`; while objects of it are alive its struct stays, for these to be destroyed. NULL is
 * ignored.
 */
void vkdml_device_destroy(VkdmlDevice device);

/* Why a physical device cannot be used, static text, or NULL. Of its queue families *family becomes the first with
 * VK_QUEUE_COMPUTE_BIT. */
const char *vkdml_physical_device_unusable(const struct vkdml_functions_instance *vk, VkPhysicalDevice physical_device,
                                           uint32_t api_version, uint32_t *family);

/* Holds callbacks, NULL among them, to Vulkan's rules: reports and returns false where one is missing. */
bool vkdml_check_allocation_callbacks(const VkAllocationCallbacks *callbacks, struct vkdml_report *report);

#endif
