#include "vkdml/device.h"

#include "api/check.h"
#include "api/error.h"
#include "schema/schema.h"
#include "vulkan/device.h"
#include "vulkan/open.h"

#define NEWEST_LEVEL DML_FEATURE_LEVEL_6_4

/* Replaces 0 by the newest level and refuses what is none. */
static VkdmlResult resolve_level(DML_FEATURE_LEVEL *level, struct vkdml_report *report) {
    if ((int)*level == 0) {
        *level = NEWEST_LEVEL;
    }
    if (!vkdml_level_name(*level)) {
        return vkdml_report_invalid(report, "featureLevel is 0x%x, must be 0 or a DML_FEATURE_LEVEL up to %s",
                                    (unsigned)*level, vkdml_level_name(NEWEST_LEVEL));
    }
    return VKDML_SUCCESS;
}

/* What both ways to a device say of versions. */
static VkdmlResult resolve_versions(uint32_t header_version, DML_FEATURE_LEVEL *level, struct vkdml_report *report) {
    const VkdmlResult result = vkdml_check_header_version(header_version, report);
    return result == VKDML_SUCCESS ? resolve_level(level, report) : result;
}

VkdmlResult vkdmlCreateDevice(const VkdmlDeviceCreateInfo *info, VkdmlDevice *device) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlDeviceCreateInfo resolved = {.structSize = sizeof resolved};
    if (device) {
        *device = NULL;
    }
    VkdmlResult result = vkdml_check_given(device, "device", report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_read_info(&resolved, sizeof resolved, sizeof resolved, info, "VkdmlDeviceCreateInfo", report);
    }
    const struct vkdml_log log = {.callback = resolved.logCallback, .user_data = resolved.logUserData};
    if (result == VKDML_SUCCESS) {
        result = resolve_versions(resolved.headerVersion, &resolved.featureLevel, report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_device_create(&resolved, report, device);
    }
    return vkdml_error_end_logged(report, result, &log);
}

VkdmlResult vkdmlOpenDevice(const VkdmlDeviceOpenInfo *info, VkdmlDevice *device) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlDeviceOpenInfo resolved = {.structSize = sizeof resolved, .headerVersion = VKDML_HEADER_VERSION};
    if (device) {
        *device = NULL;
    }
    VkdmlResult result = vkdml_check_given(device, "device", report);
    if (result == VKDML_SUCCESS && info) {
        result = vkdml_read_info(&resolved, sizeof resolved, sizeof resolved, info, "VkdmlDeviceOpenInfo", report);
    }
    const struct vkdml_log log = {.callback = resolved.logCallback, .user_data = resolved.logUserData};
    if (result == VKDML_SUCCESS) {
        result = resolve_versions(resolved.headerVersion, &resolved.featureLevel, report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_device_open(&resolved, report, device);
    }
    return vkdml_error_end_logged(report, result, &log);
}

void vkdmlDestroyDevice(VkdmlDevice device) {
    if (vkdml_check_destroy(device, VKDML_HANDLE_DEVICE, "vkdmlDestroyDevice: device")) {
        vkdml_device_close(device);
    }
}

VkdmlResult vkdmlEnumeratePhysicalDevices(uint32_t *count, VkdmlPhysicalDeviceInfo *infos) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_given(count, "count", report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_physical_devices(report, count, infos);
    }
    return vkdml_error_end(report, result);
}

VkdmlResult vkdmlGetVulkanHandles(VkdmlDevice device, VkdmlVulkanHandles *handles) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_device_given(device, handles, "handles", report);
    if (result == VKDML_SUCCESS) {
        *handles = device->handles;
    }
    return vkdml_end_on_object(report, result, device);
}

/* For functions that have no result to fail with: a wrong handle is told all the same, NULL is nothing. */
static bool is_live(VkdmlDevice device) {
    if (!device) {
        return false;
    }
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_handle_check(device, VKDML_HANDLE_DEVICE, NULL, "device", report);
    return vkdml_end_on_object(report, result, device) == VKDML_SUCCESS;
}

DML_FEATURE_LEVEL vkdmlGetFeatureLevel(VkdmlDevice device) {
    return is_live(device) ? device->level : (DML_FEATURE_LEVEL)0;
}

VkdmlKernelVariant vkdmlGetKernelVariant(VkdmlDevice device) {
    return is_live(device) ? device->variant : VKDML_KERNEL_VARIANT_DEFAULT;
}

VkdmlResult vkdmlGetDeviceLostReason(VkdmlDevice device) {
    struct vkdml_report *report = vkdml_error_begin();
    return vkdml_end_on_object(report, vkdml_check_device(device, report), device);
}

void vkdmlReportDeviceLost(VkdmlDevice device, const char *reason) {
    if (is_live(device)) {
        vkdml_lost_set(&device->lost, reason ? reason : "the application reported it, without a reason");
    }
}

void vkdmlMuteLog(VkdmlDevice device, int32_t mute) {
    if (is_live(device)) {
        atomic_store(&device->muted, mute != 0);
    }
}

/* Asks for the size first: Vulkan would truncate the data silently where the cache grew meanwhile. */
static VkdmlResult get_cache_data(VkdmlDevice device, size_t *size, void *data, struct vkdml_report *report) {
    const size_t room = *size;
    VkResult result;
    pthread_mutex_lock(&device->pipelines.lock); /* nothing is merged meanwhile */
    do {
        result = device->vk.GetPipelineCacheData(device->handles.device, device->pipeline_cache, size, NULL);
        if (result == VK_SUCCESS && data) {
            if (room < *size) {
                pthread_mutex_unlock(&device->pipelines.lock);
                return vkdml_report_invalid(report, "size is %zu, must be at least %zu", room, *size);
            }
            *size = room;
            result = device->vk.GetPipelineCacheData(device->handles.device, device->pipeline_cache, size, data);
        }
    } while (result == VK_INCOMPLETE);
    pthread_mutex_unlock(&device->pipelines.lock);
    if (result != VK_SUCCESS) {
        return vkdml_vulkan_failure(&device->lost, report, result, "vkGetPipelineCacheData");
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdmlGetPipelineCacheData(VkdmlDevice device, size_t *size, void *data) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_device_given(device, size, "size", report);
    if (result == VKDML_SUCCESS) {
        result = get_cache_data(device, size, data, report);
    }
    return vkdml_end_on_object(report, result, device);
}

VkdmlResult vkdmlMergePipelineCacheData(VkdmlDevice device, size_t size, const void *data) {
    struct vkdml_report *report = vkdml_error_begin();
    VkdmlResult result = vkdml_check_device_given(device, data, "data", report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_device_merge_cache(device, data, size, report);
    }
    return vkdml_end_on_object(report, result, device);
}
