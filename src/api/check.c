#include "api/check.h"

#include "api/error.h"
#include "vulkan/device.h"

VkdmlResult vkdml_check_given(const void *argument, const char *name, struct vkdml_report *report) {
    return argument ? VKDML_SUCCESS : vkdml_report_invalid(report, "%s is NULL, must be given", name);
}

VkdmlResult vkdml_check_device(VkdmlDevice device, struct vkdml_report *report) {
    VkdmlResult result = vkdml_check_given(device, "device", report);
    return result == VKDML_SUCCESS ? vkdml_lost_check(&device->lost, report) : result;
}

VkdmlResult vkdml_end_on_device(struct vkdml_report *report, VkdmlResult result, VkdmlDevice device) {
    return vkdml_error_end_logged(report, result, device ? &device->log : NULL);
}
