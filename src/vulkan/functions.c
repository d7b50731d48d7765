#include "vulkan/functions.h"

#include <stddef.h>

/* Fills one member, or returns the missing function's name from the calling function. */
#define LOAD(get, parent, table, name)                                                                                 \
    table->name = (PFN_vk##name)get(parent, "vk" #name);                                                               \
    if (!table->name) {                                                                                                \
        return "vk" #name;                                                                                             \
    }

const char *vkdml_functions_load_global(PFN_vkGetInstanceProcAddr get, struct vkdml_functions_global *functions) {
#define VKDML_VK_GLOBAL(name) LOAD(get, VK_NULL_HANDLE, functions, name)
#include "vulkan/functions.inc"
    return NULL;
}

const char *vkdml_functions_load_instance(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                                          struct vkdml_functions_instance *functions) {
#define VKDML_VK_INSTANCE(name) LOAD(get, instance, functions, name)
#include "vulkan/functions.inc"
    return NULL;
}

const char *vkdml_functions_load_opening(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                                         struct vkdml_functions_opening *functions) {
#define VKDML_VK_OPENING(name) LOAD(get, instance, functions, name)
#include "vulkan/functions.inc"
    return NULL;
}

const char *vkdml_functions_load_device(PFN_vkGetDeviceProcAddr get, VkDevice device,
                                        struct vkdml_functions_device *functions) {
#define VKDML_VK_DEVICE(name) LOAD(get, device, functions, name)
#include "vulkan/functions.inc"
    return NULL;
}
