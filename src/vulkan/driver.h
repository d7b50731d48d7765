/* What is known of a driver where it runs. */
#ifndef VKDML_VULKAN_DRIVER_H
#define VKDML_VULKAN_DRIVER_H

#include <vulkan/vulkan_core.h>

/* What its user must be told: static text, or NULL. Reads the environment, as the driver does. */
const char *vkdml_driver_warning_here(const VkPhysicalDeviceDriverProperties *driver);

#endif
