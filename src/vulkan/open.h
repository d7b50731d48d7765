/* Opening a device of the library's own, and listing those there are. */
#ifndef VKDML_VULKAN_OPEN_H
#define VKDML_VULKAN_OPEN_H

#include "base/report.h"
#include "vkdml/device.h"

/* info->featureLevel must be a level. *device is NULL on failure. Destroy with vkdml_device_close(). */
VkdmlResult vkdml_device_open(const VkdmlDeviceOpenInfo *info, struct vkdml_report *report, VkdmlDevice *device);

/* Destroys a device, imported or opened; of an opened one VkDevice, VkInstance and loader too. NULL is ignored. */
void vkdml_device_close(VkdmlDevice device);

/* As vkdmlEnumeratePhysicalDevices(). */
VkdmlResult vkdml_physical_devices(struct vkdml_report *report, uint32_t *count, VkdmlPhysicalDeviceInfo *infos);

#endif
