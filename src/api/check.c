#include "api/check.h"

#include <inttypes.h>
#include <string.h>

#include "api/error.h"
#include "vulkan/device.h"

VkdmlResult vkdml_check_given(const void *argument, const char *name, struct vkdml_report *report) {
    return argument ? VKDML_SUCCESS : vkdml_report_invalid(report, "%s is NULL, must be given", name);
}

/* No struct of any version is larger: what says so has no size at its beginning. */
#define LARGEST_STRUCT 4096

VkdmlResult vkdml_read_info(void *copy, size_t size, size_t oldest, const void *info, const char *type,
                            struct vkdml_report *report) {
    VkdmlResult result = vkdml_check_given(info, "info", report);
    size_t given = 0;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    memcpy(&given, info, sizeof given);
    if (given < oldest || given > LARGEST_STRUCT) {
        return vkdml_report_invalid(report, "info.structSize is %zu, must be sizeof(%s), here %zu", given, type, size);
    }
    for (size_t i = size; i < given; i++) {
        if (((const unsigned char *)info)[i] != 0) {
            return vkdml_report_invalid(
                report, "info.structSize is %zu, and byte %zu is not 0: vkdml %s knows the first %zu bytes of %s",
                given, i, VKDML_VERSION_STRING, size, type);
        }
    }
    memset(copy, 0, size);
    memcpy(copy, info, given < size ? given : size);
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_check_header_version(uint32_t version, struct vkdml_report *report) {
    /* As VKDML_MAKE_VERSION puts them together. */
    const uint32_t major = version >> 20;
    const uint32_t minor = version >> 10 & 0x3FF;
    if (major == VKDML_VERSION_MAJOR && (major > 0 || minor == VKDML_VERSION_MINOR)) {
        return VKDML_SUCCESS;
    }
    return vkdml_report_invalid(report,
                                "info.headerVersion is %" PRIu32 ".%" PRIu32 ".%" PRIu32
                                ": the program was compiled with headers of that version, vkdml %s is running; must be "
                                "VKDML_HEADER_VERSION of headers that fit it (version.h says which do)",
                                major, minor, version & 0x3FF, VKDML_VERSION_STRING);
}

VkdmlResult vkdml_check_handle(const void *handle, enum vkdml_handle_kind kind, VkdmlDevice device, const char *name,
                               struct vkdml_report *report) {
    VkdmlResult result = vkdml_check_given(handle, name, report);
    return result == VKDML_SUCCESS ? vkdml_handle_check(handle, kind, device, name, report) : result;
}

VkdmlResult vkdml_check_object(const void *handle, enum vkdml_handle_kind kind, const char *name,
                               struct vkdml_report *report) {
    VkdmlResult result = vkdml_check_handle(handle, kind, NULL, name, report);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    VkdmlDevice device = ((const struct vkdml_handle *)handle)->device;
    if (atomic_load_explicit(&device->destroyed, memory_order_relaxed)) {
        return vkdml_report_invalid(report, "device was destroyed: what is left of its objects can only be destroyed");
    }
    return vkdml_lost_check(&device->lost, report);
}

VkdmlResult vkdml_check_device(VkdmlDevice device, struct vkdml_report *report) {
    return vkdml_check_object(device, VKDML_HANDLE_DEVICE, "device", report);
}

VkdmlResult vkdml_check_object_given(const void *handle, enum vkdml_handle_kind kind, const char *name,
                                     const void *argument, const char *argument_name, struct vkdml_report *report) {
    VkdmlResult result = vkdml_check_object(handle, kind, name, report);
    return result == VKDML_SUCCESS ? vkdml_check_given(argument, argument_name, report) : result;
}

VkdmlResult vkdml_check_device_given(VkdmlDevice device, const void *argument, const char *argument_name,
                                     struct vkdml_report *report) {
    return vkdml_check_object_given(device, VKDML_HANDLE_DEVICE, "device", argument, argument_name, report);
}

bool vkdml_check_destroy(void *handle, enum vkdml_handle_kind kind, const char *name) {
    if (!handle) {
        return false;
    }
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_handle_retire(handle, kind, name, report);
    if (result != VKDML_SUCCESS) {
        vkdml_end_on_object(report, result, handle);
    }
    return result == VKDML_SUCCESS && !vkdml_lost_is_inherited(&((struct vkdml_handle *)handle)->device->lost);
}

VkdmlResult vkdml_end_on_object(struct vkdml_report *report, VkdmlResult result, const void *handle) {
    if (result == VKDML_SUCCESS) {
        return vkdml_error_end(report, result);
    }
    const struct vkdml_log log = vkdml_handle_log(handle);
    return vkdml_error_end_logged(report, result, &log);
}
