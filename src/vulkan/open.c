#include "vulkan/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/cooperative_matrix.h"
#include "vulkan/device.h"
#include "vulkan/driver.h"
#include "vulkan/instance.h"
#include "vulkan/process.h"

/* What an opened device has beyond an imported one. */
struct vkdml_opened {
    VkAllocationCallbacks callbacks_copy;
    const VkAllocationCallbacks *callbacks; /* NULL, or the copy */
    struct vkdml_log log;
    struct vkdml_own_instance own;
    VkPhysicalDeviceVulkan12Features vulkan12;
    /* Behind that, those whose extensions there are; each knows the next in any case. */
    VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dot;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
    VkPhysicalDeviceFeatures2 features; /* what is enabled, with vulkan12 behind it */
    VkDevice device;
};

/* The environment variable that names a device where the caller does not. */
#define NAME_VARIABLE "VKDML_DEVICE"

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* ASCII case ignored, in any locale */
static bool contains(const char *text, const char *part) {
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i])) {
            i++;
        }
        if (!part[i]) {
            return true;
        }
    }
    return *part == '\0';
}

/* "#1": the index among the candidates. False for what is no such text. */
static bool read_index(const char *name, unsigned long *index) {
    char *end;
    if (name[0] != '#' || name[1] < '0' || name[1] > '9') {
        return false;
    }
    *index = strtoul(name + 1, &end, 10);
    return *end == '\0';
}

/* 32 hexadecimal digits, with hyphens among them or not. False for what is no such text. */
static bool read_uuid(const char *name, uint8_t uuid[VK_UUID_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    size_t count = 0;
    for (; *name; name++) {
        const char *digit = strchr(digits, lower(*name));
        if (*name == '-') {
            continue;
        }
        if (!digit || count == (size_t)2 * VK_UUID_SIZE) {
            return false;
        }
        uuid[count / 2] = (uint8_t)((count % 2 ? uuid[count / 2] << 4 : 0) | (digit - digits));
        count++;
    }
    return count == (size_t)2 * VK_UUID_SIZE;
}

/* name: a part of it, an index or a UUID, or NULL */
static bool is_named(const struct vkdml_candidate *candidate, uint32_t index, const char *name) {
    unsigned long wanted;
    uint8_t uuid[VK_UUID_SIZE];
    if (!name) {
        return true;
    }
    if (read_index(name, &wanted)) {
        return wanted == index;
    }
    if (read_uuid(name, uuid)) {
        return memcmp(candidate->uuid, uuid, VK_UUID_SIZE) == 0;
    }
    return contains(candidate->properties.deviceName, name);
}

static VkdmlResult report_none_fits(const struct vkdml_candidate *candidates, uint32_t count, const char *name,
                                    struct vkdml_report *report) {
    const char *are = count == 1 ? "is" : "are", *plural = count == 1 ? "" : "s";
    unsigned long index;
    uint8_t uuid[VK_UUID_SIZE];
    const char *what = !name                      ? ""
                       : read_index(name, &index) ? "is number "
                       : read_uuid(name, uuid)    ? "has the UUID "
                                                  : "has a name that contains ";
    VkdmlResult result =
        name
            ? vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED,
                               "no usable Vulkan device %s\"%s\"; there %s %u device%s", what, name, are, count, plural)
            : vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED,
                               "no Vulkan device is usable; there %s %u device%s", are, count, plural);
    for (uint32_t i = 0; i < count; i++) {
        vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED, "device %u is \"%s\"%s%s", i,
                         candidates[i].properties.deviceName, candidates[i].unusable ? ", unusable: " : "",
                         candidates[i].unusable ? candidates[i].unusable : "");
    }
    return result;
}

static VkdmlResult choose(const struct vkdml_own_instance *own, const char *name, struct vkdml_report *report,
                          struct vkdml_candidate *chosen) {
    uint32_t count;
    struct vkdml_candidate *candidates;
    VkdmlResult result = vkdml_own_instance_candidates(own, report, &count, &candidates);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    uint32_t i = 0;
    while (i < count && (candidates[i].unusable || !is_named(&candidates[i], i, name))) {
        i++;
    }
    if (i < count) {
        *chosen = candidates[i];
    } else {
        result = report_none_fits(candidates, count, name, report);
    }
    vkdml_free(own->callbacks, candidates);
    return result;
}

/* What makes something faster at most, and is left out where the question fails, or where the validation layer is older
 * than `version`, from which on Vulkan knows it: it would call it an error. */
static bool has_extension(const struct vkdml_opened *opened, const struct vkdml_candidate *chosen, const char *name,
                          uint32_t version) {
    bool found = false;
    if (opened->own.layer_version != 0 && opened->own.layer_version < version) {
        return false;
    }
    uint32_t count = 0;
    VkExtensionProperties *extensions = NULL;
    if (opened->own.opening.EnumerateDeviceExtensionProperties(chosen->physical_device, NULL, &count, NULL) >= 0 &&
        count > 0) {
        extensions = vkdml_allocate(opened->callbacks, count * sizeof *extensions);
    }
    if (extensions && opened->own.opening.EnumerateDeviceExtensionProperties(chosen->physical_device, NULL, &count,
                                                                             extensions) >= 0) {
        for (uint32_t i = 0; i < count; i++) {
            found = found || strcmp(extensions[i].extensionName, name) == 0;
        }
    }
    vkdml_free(opened->callbacks, extensions);
    return found;
}

/* Enables what makes kernels faster and the device has. */
static void choose_features(struct vkdml_opened *opened, const struct vkdml_candidate *chosen) {
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    const bool has_matrix =
        has_extension(opened, chosen, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, VK_MAKE_API_VERSION(0, 1, 3, 255));
    VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dot = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR,
        .pNext = has_matrix ? &matrix : NULL};
    const bool has_dot = has_extension(opened, chosen, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME,
                                       VK_MAKE_API_VERSION(0, 1, 2, 0));
    VkPhysicalDeviceVulkan12Features there = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                              .pNext = has_dot ? (void *)&dot : dot.pNext};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &there};
    opened->own.vk.GetPhysicalDeviceFeatures2(chosen->physical_device, &all);
    opened->matrix = (VkPhysicalDeviceCooperativeMatrixFeaturesKHR){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
        .cooperativeMatrix = matrix.cooperativeMatrix};
    opened->dot = (VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR,
        .pNext = has_matrix ? &opened->matrix : NULL,
        .shaderIntegerDotProduct = dot.shaderIntegerDotProduct};
    opened->vulkan12 =
        (VkPhysicalDeviceVulkan12Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                           .pNext = has_dot ? (void *)&opened->dot : opened->dot.pNext,
                                           .shaderFloat16 = there.shaderFloat16,
                                           .shaderInt8 = there.shaderInt8,
                                           .timelineSemaphore = there.timelineSemaphore, /* for who submits */
                                           .vulkanMemoryModel = has_matrix && there.vulkanMemoryModel};
    opened->features =
        (VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &opened->vulkan12};
}

/* NVIDIA's driver 580 returns VK_ERROR_INITIALIZATION_FAILED in a child whose parent has a device. */
static VkdmlResult fail_device(struct vkdml_report *report, VkResult result) {
    const VkdmlResult failed = vkdml_vulkan_failure(NULL, report, result, "vkCreateDevice");
    return vkdml_process_number() == 0
               ? failed
               : vkdml_report_add(
                     report, failed,
                     "this process is a child of fork(), and some drivers open no device if the parent has "
                     "one: start it by exec, or fork before a device is opened");
}

static VkdmlResult create_vk_device(struct vkdml_opened *opened, const struct vkdml_candidate *chosen,
                                    struct vkdml_report *report) {
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = chosen->queue_family_index,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    const char *extensions[2];
    uint32_t extension_count = 0;
    choose_features(opened, chosen);
    if (opened->dot.pNext) {
        extensions[extension_count++] = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    }
    if (opened->vulkan12.pNext == &opened->dot) {
        extensions[extension_count++] = VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME;
    }
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &opened->features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = extension_count,
                               .ppEnabledExtensionNames = extensions};
    VkResult result =
        opened->own.opening.CreateDevice(chosen->physical_device, &info, opened->callbacks, &opened->device);
    if (result != VK_SUCCESS) {
        opened->device = VK_NULL_HANDLE;
        return fail_device(report, result);
    }
    return VKDML_SUCCESS;
}

static VkdmlResult import_own(struct vkdml_opened *opened, const struct vkdml_candidate *chosen,
                              const VkdmlDeviceOpenInfo *info, struct vkdml_report *report, VkdmlDevice *device) {
    VkdmlDeviceCreateInfo create = {.instance = opened->own.instance,
                                    .physicalDevice = chosen->physical_device,
                                    .device = opened->device,
                                    .queueFamilyIndex = chosen->queue_family_index,
                                    .getInstanceProcAddr = opened->own.get,
                                    .enabledFeatures = &opened->features,
                                    .featureLevel = info->featureLevel,
                                    .flags = info->flags & ~VKDML_OPENING_FLAGS,
                                    .allocationCallbacks = opened->callbacks,
                                    .logCallback = info->logCallback,
                                    .logUserData = info->logUserData,
                                    .pipelineCacheData = info->pipelineCacheData,
                                    .pipelineCacheDataSize = info->pipelineCacheDataSize,
                                    .kernelVariant = info->kernelVariant};
    VkdmlResult result = vkdml_device_create(&create, report, device);
    if (result == VKDML_SUCCESS) {
        opened->own.opening.GetDeviceQueue(opened->device, chosen->queue_family_index, 0, &(*device)->handles.queue);
        (*device)->handles.enabledFeatures = &opened->features;
        (*device)->flags = info->flags;
        (*device)->opened = opened;
    }
    return result;
}

static void opened_destroy(struct vkdml_opened *opened) {
    if (opened->device) {
        opened->own.opening.DestroyDevice(opened->device, opened->callbacks);
    }
    vkdml_own_instance_destroy(&opened->own);
    VkAllocationCallbacks callbacks = opened->callbacks_copy; /* outlives the struct by one call */
    vkdml_free(opened->callbacks ? &callbacks : NULL, opened);
}

static VkdmlResult opened_allocate(const VkdmlDeviceOpenInfo *info, struct vkdml_report *report,
                                   struct vkdml_opened **opened) {
    struct vkdml_opened *o = vkdml_allocate(info->allocationCallbacks, sizeof *o);
    *opened = o;
    if (!o) {
        return vkdml_report_out_of_memory(report, sizeof *o, "an opened device");
    }
    if (info->allocationCallbacks) {
        o->callbacks_copy = *info->allocationCallbacks;
        o->callbacks = &o->callbacks_copy;
    }
    o->log = (struct vkdml_log){.callback = info->logCallback, .user_data = info->logUserData};
    o->own.callbacks = o->callbacks;
    o->own.log = &o->log;
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_device_open(const VkdmlDeviceOpenInfo *info, struct vkdml_report *report, VkdmlDevice *device) {
    const VkdmlDeviceFlags known =
        VKDML_DEVICE_FLAG_ALLOW_TRANSFER | VKDML_DEVICE_FLAG_CHECK_HANDLES | VKDML_OPENING_FLAGS;
    struct vkdml_opened *opened = NULL;
    struct vkdml_candidate chosen = {.physical_device = VK_NULL_HANDLE};
    *device = NULL;
    if (info->flags & ~known) {
        vkdml_report_invalid(report, "flags is 0x%x, must be of VkdmlDeviceFlagBits only", info->flags);
    }
    if (!vkdml_check_allocation_callbacks(info->allocationCallbacks, report) || report->count > 0) {
        return report->result;
    }
    const char *name = info->name ? info->name : getenv(NAME_VARIABLE);
    if (name && !*name) {
        name = NULL; /* every name contains it */
    }
    VkdmlResult result = opened_allocate(info, report, &opened);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    result = vkdml_own_instance_create(&opened->own, info->flags, report);
    if (result != VKDML_SUCCESS) {
        goto fail;
    }
    result = choose(&opened->own, name, report, &chosen);
    if (result != VKDML_SUCCESS) {
        goto fail;
    }
    result = create_vk_device(opened, &chosen, report);
    if (result != VKDML_SUCCESS) {
        goto fail;
    }
    result = import_own(opened, &chosen, info, report, device);
    if (result != VKDML_SUCCESS) {
        goto fail;
    }
    return VKDML_SUCCESS;
fail:
    opened_destroy(opened);
    return result;
}

void vkdml_device_close(VkdmlDevice device) {
    struct vkdml_opened *opened = device ? device->opened : NULL;
    vkdml_device_destroy(device);
    if (opened) {
        opened_destroy(opened);
    }
}

static uint64_t device_local_bytes(const struct vkdml_own_instance *own, VkPhysicalDevice physical_device) {
    VkPhysicalDeviceMemoryProperties memory;
    own->vk.GetPhysicalDeviceMemoryProperties(physical_device, &memory);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++) {
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) {
            bytes += memory.memoryHeaps[i].size;
        }
    }
    return bytes;
}

static VkdmlPhysicalDeviceInfo describe(const struct vkdml_own_instance *own, const struct vkdml_candidate *candidate) {
    VkdmlPhysicalDeviceInfo info = {.apiVersion = candidate->properties.apiVersion,
                                    .vendorId = candidate->properties.vendorID,
                                    .deviceId = candidate->properties.deviceID,
                                    .type = candidate->properties.deviceType,
                                    .deviceLocalBytes = device_local_bytes(own, candidate->physical_device),
                                    .unusable = candidate->unusable};
    memcpy(info.uuid, candidate->uuid, VK_UUID_SIZE);
    snprintf(info.name, sizeof info.name, "%s", candidate->properties.deviceName);
    if (candidate->properties.apiVersion >= VK_API_VERSION_1_2) { /* else it need not know the struct */
        VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
        VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                  .pNext = &driver};
        own->vk.GetPhysicalDeviceProperties2(candidate->physical_device, &properties);
        snprintf(info.driver, sizeof info.driver, "%s", driver.driverName);
        snprintf(info.driverInfo, sizeof info.driverInfo, "%s", driver.driverInfo);
        info.warning = vkdml_driver_warning_here(&driver);
    }
    return info;
}

VkdmlResult vkdml_physical_devices(struct vkdml_report *report, uint32_t *count, VkdmlPhysicalDeviceInfo *infos) {
    const struct vkdml_log silent = {.callback = NULL};
    struct vkdml_own_instance own = {.log = &silent};
    struct vkdml_candidate *candidates = NULL;
    uint32_t found = 0;
    VkdmlResult result = vkdml_own_instance_create(&own, 0, report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_own_instance_candidates(&own, report, &found, &candidates);
    }
    if (result == VKDML_SUCCESS) {
        const uint32_t written = infos && *count < found ? *count : found;
        for (uint32_t i = 0; infos && i < written; i++) {
            infos[i] = describe(&own, &candidates[i]);
        }
        *count = written;
    }
    vkdml_free(own.callbacks, candidates);
    vkdml_own_instance_destroy(&own);
    return result;
}
