/* Words for those who look at a device's objects and commands: VK_EXT_debug_utils. */
#ifndef VKDML_VULKAN_DEBUG_H
#define VKDML_VULKAN_DEBUG_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "vkdml/device.h"

/* Of a device whose instance has the extension; all NULL without. */
struct vkdml_debug {
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
    PFN_vkCmdBeginDebugUtilsLabelEXT begin;
    PFN_vkCmdEndDebugUtilsLabelEXT end;
};

/* The extension's functions. It is an instance's: where it is not enabled, Vulkan gives NULL for them. */
struct vkdml_debug vkdml_debug_load(PFN_vkGetInstanceProcAddr get, VkInstance instance);

bool vkdml_debug_is_on(const struct VkdmlDevice_T *device);

/* Names an object of the device; does nothing where it is off. */
void vkdml_debug_name(VkdmlDevice device, VkObjectType type, uint64_t object, const char *format, ...)
    VKDML_PRINTF(4, 5);

/* Begins and ends a labelled part of a command buffer; only where it is on. */
void vkdml_debug_begin(const struct vkdml_debug *debug, VkCommandBuffer commands, const char *label);
void vkdml_debug_end(const struct vkdml_debug *debug, VkCommandBuffer commands);

#endif
