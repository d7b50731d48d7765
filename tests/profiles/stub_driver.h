/* An invented driver that has every feature, the largest limits, and does nothing: it counts the calls that reach it.
 */
#ifndef PROFILES_STUB_DRIVER_H
#define PROFILES_STUB_DRIVER_H

#include <vulkan/vulkan_core.h>

/* Its one device of each kind. */
#define STUB_INSTANCE        ((VkInstance)(uintptr_t)1)
#define STUB_PHYSICAL_DEVICE ((VkPhysicalDevice)(uintptr_t)2)
#define STUB_DEVICE          ((VkDevice)(uintptr_t)3)
#define STUB_COMMANDS        ((VkCommandBuffer)(uintptr_t)4)

/* The one limit of it that is not the largest there is. */
#define STUB_STORAGE_BUFFER_RANGE 0x40000000u

/* Calls that reached it; queries aside. */
extern unsigned stub_calls;

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL stub_get_instance_proc_addr(VkInstance instance, const char *name);

/* STUB(function without vk): what tests call, and the driver has. */
struct stub_functions {
#define STUB(name) PFN_vk##name name;
#include "stub_functions.inc"
};

/* Fills the functions in, asked of `get` and of the vkGetDeviceProcAddr that it gives. */
void stub_load(struct stub_functions *functions, PFN_vkGetInstanceProcAddr get);

#endif
