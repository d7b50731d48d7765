/* The system's Vulkan loader, for vkdmlOpenDevice(): nothing links to it. */
#ifndef VKDML_VULKAN_LOADER_H
#define VKDML_VULKAN_LOADER_H

#include <vulkan/vulkan_core.h>

#include "base/report.h"

/* Loads it; *library is what vkdml_loader_close() takes, NULL on failure. */
VkdmlResult vkdml_loader_open(struct vkdml_report *report, void **library, PFN_vkGetInstanceProcAddr *get);

/* NULL is ignored. */
void vkdml_loader_close(void *library);

#endif
