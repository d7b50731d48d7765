/* Features of a device that make something faster. */
#ifndef VKDML_VULKAN_FEATURES_H
#define VKDML_VULKAN_FEATURES_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "vkdml/device.h"
#include "vulkan/functions.h"

struct vkdml_features {
    bool float16;
    bool int8;
    bool memory_model;
    bool cooperative_matrix;
    bool dot_product;
};

/* Reads what a device was created with, and reports each feature that its physical device, of Vulkan 1.2, does not
 * support. */
VkdmlResult vkdml_features_read(const struct vkdml_functions_instance *vk, const VkdmlDeviceCreateInfo *info,
                                struct vkdml_report *report, struct vkdml_features *enabled);

#endif
