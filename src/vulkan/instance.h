/* An instance of the library's own, for vkdmlOpenDevice() and vkdmlEnumeratePhysicalDevices(). */
#ifndef VKDML_VULKAN_INSTANCE_H
#define VKDML_VULKAN_INSTANCE_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "vulkan/functions.h"
#include "vulkan/log.h"

/* Zeroed but for callbacks and log: not created yet. */
struct vkdml_own_instance {
    const VkAllocationCallbacks *callbacks; /* borrowed; NULL: malloc */
    const struct vkdml_log *log;            /* borrowed until destruction; where validation messages go */
    void *library;
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    uint32_t layer_version; /* of Vulkan, which the validation layer knows; 0: there is no layer */
    struct vkdml_functions_global global;
    struct vkdml_functions_instance vk;
    struct vkdml_functions_opening opening;
};

/* A physical device with what choosing among several needs. */
struct vkdml_candidate {
    VkPhysicalDevice physical_device;
    VkPhysicalDeviceProperties properties;
    uint8_t uuid[VK_UUID_SIZE];  /* of the device; zeros where Vulkan is older than 1.1 */
    const char *unusable;        /* NULL, or why; static */
    uint32_t queue_family_index; /* where usable */
};

/* Loads Vulkan and creates an instance, with what the device flags ask for. After a failure it is only good to be
 * destroyed. */
VkdmlResult vkdml_own_instance_create(struct vkdml_own_instance *own, VkdmlDeviceFlags flags,
                                      struct vkdml_report *report);

/* Half-built is fine. */
void vkdml_own_instance_destroy(struct vkdml_own_instance *own);

/* The physical devices, best first: usable before unusable; discrete, integrated, virtual, CPU. Free *candidates with
 * the instance's callbacks. No device at all is no failure. */
VkdmlResult vkdml_own_instance_candidates(const struct vkdml_own_instance *own, struct vkdml_report *report,
                                          uint32_t *count, struct vkdml_candidate **candidates);

#endif
