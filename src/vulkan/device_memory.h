/* The memory of a device, which outlives it while objects of it are alive. */
#ifndef VKDML_VULKAN_DEVICE_MEMORY_H
#define VKDML_VULKAN_DEVICE_MEMORY_H

#include "base/report.h"
#include "vkdml/device.h"
#include "vulkan/handles.h"

/* The host side of a device: nothing of Vulkan's yet, but vkdml_device_destroy() takes it from here on. */
VkdmlResult vkdml_device_allocate(const VkdmlDeviceCreateInfo *info, struct vkdml_report *report, VkdmlDevice *device);

/* Gives back one reference. */
void vkdml_device_release(VkdmlDevice device);

/* Ends an object of a device, of which nothing is left but its memory; that of a device which was destroyed meanwhile
 * goes with its last object. */
void vkdml_device_end_object(struct vkdml_handle *handle);

#endif
