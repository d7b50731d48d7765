#include "vulkan/debug.h"

#include <stdarg.h>
#include <stdio.h>

#include "vulkan/device.h"

/* Longer names are cut. */
#define NAME_CAPACITY 512

struct vkdml_debug vkdml_debug_load(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
    const struct vkdml_debug debug = {
        .set_name = (PFN_vkSetDebugUtilsObjectNameEXT)get(instance, "vkSetDebugUtilsObjectNameEXT"),
        .begin = (PFN_vkCmdBeginDebugUtilsLabelEXT)get(instance, "vkCmdBeginDebugUtilsLabelEXT"),
        .end = (PFN_vkCmdEndDebugUtilsLabelEXT)get(instance, "vkCmdEndDebugUtilsLabelEXT"),
    };
    return debug.set_name && debug.begin && debug.end ? debug : (struct vkdml_debug){.set_name = NULL};
}

bool vkdml_debug_is_on(const struct VkdmlDevice_T *device) {
    return device->debug.set_name != NULL;
}

void vkdml_debug_name(VkdmlDevice device, VkObjectType type, uint64_t object, const char *format, ...) {
    char name[NAME_CAPACITY];
    va_list arguments;
    if (!vkdml_debug_is_on(device)) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    const VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                .objectType = type,
                                                .objectHandle = object,
                                                .pObjectName = name};
    VkResult result = device->debug.set_name(device->handles.device, &info);
    if (result != VK_SUCCESS) { /* an object without a name does as well */
        vkdml_log_message(&device->log, VKDML_LOG_LEVEL_WARNING,
                          "vkSetDebugUtilsObjectNameEXT returned %d; there will be no name \"%s\"", (int)result, name);
    }
}

void vkdml_debug_begin(const struct vkdml_debug *debug, VkCommandBuffer commands, const char *label) {
    const VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label};
    debug->begin(commands, &info);
}

void vkdml_debug_end(const struct vkdml_debug *debug, VkCommandBuffer commands) {
    debug->end(commands);
}
