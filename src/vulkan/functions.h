/* Tables of the Vulkan functions, filled through a vkGetInstanceProcAddr: the library links to no Vulkan symbol and
 * defines none. */
#ifndef VKDML_VULKAN_FUNCTIONS_H
#define VKDML_VULKAN_FUNCTIONS_H

#include <vulkan/vulkan_core.h>

struct vkdml_functions_global {
#define VKDML_VK_GLOBAL(name) PFN_vk##name name;
#include "vulkan/functions.inc"
};

struct vkdml_functions_instance {
#define VKDML_VK_INSTANCE(name) PFN_vk##name name;
#include "vulkan/functions.inc"
};

struct vkdml_functions_opening {
#define VKDML_VK_OPENING(name) PFN_vk##name name;
#include "vulkan/functions.inc"
};

struct vkdml_functions_device {
#define VKDML_VK_DEVICE(name) PFN_vk##name name;
#include "vulkan/functions.inc"
};

/* Each fills a table and returns NULL, or the name of the first function that is missing. */
const char *vkdml_functions_load_global(PFN_vkGetInstanceProcAddr get, struct vkdml_functions_global *functions);
const char *vkdml_functions_load_instance(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                                          struct vkdml_functions_instance *functions);
const char *vkdml_functions_load_opening(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                                         struct vkdml_functions_opening *functions);
const char *vkdml_functions_load_device(PFN_vkGetDeviceProcAddr get, VkDevice device,
                                        struct vkdml_functions_device *functions);

#endif
