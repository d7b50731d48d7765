#define _POSIX_C_SOURCE 200809L /* setenv */
#include "harness/gpu_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/profile.h"
#include "profiles/profiled.h"

/* Printed as well: what the library makes of a refused call is what the case tells as its failure. */
static void on_violation(void *user_data, const char *text) {
    gpu_add_message(user_data, text);
    printf("# %s\n", text);
    fflush(stdout);
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value != NULL && strcmp(value, "") != 0 && strcmp(value, "0") != 0;
}

static VkdmlResult fail(struct gpu *gpu, const char *error) {
    gpu->error = error;
    return VKDML_ERROR_DRIVER;
}

/* Makes the device under test one of the profile's kind. */
static VkdmlResult put_on_profile(struct gpu *gpu) {
    struct profiled_info info = {.profile = gpu->profile,
                                 .next = gpu->vulkan.getInstanceProcAddr,
                                 .instance = gpu->vulkan.instance,
                                 .physical_device = gpu->vulkan.physicalDevice,
                                 .transfer = (gpu->flags & VKDML_DEVICE_FLAG_ALLOW_TRANSFER) != 0,
                                 .on_violation = on_violation,
                                 .user_data = gpu};
    if (strstr(gpu->properties.deviceName, "as profile") != NULL) {
        return fail(gpu, "the device is a profile's before it was put on one");
    }
    if (!profiled_begin(&info)) {
        return fail(gpu, "the driver lacks what profiles need");
    }
    PFN_vkGetPhysicalDeviceProperties get_properties =
        (PFN_vkGetPhysicalDeviceProperties)profiled_get_instance_proc_addr(info.instance,
                                                                           "vkGetPhysicalDeviceProperties");
    get_properties(info.physical_device, &gpu->properties);
    gpu->device = NULL;
    gpu->get_instance_proc_addr = profiled_get_instance_proc_addr;
    gpu->enabled_features = NULL;
    VkdmlResult result = gpu_import(gpu, (DML_FEATURE_LEVEL)0, &gpu->device);
    if (result == VKDML_SUCCESS && profiled_violations() != 0) {
        return fail(gpu, "creating the device broke the profile");
    }
    return result;
}

VkdmlResult gpu_open(struct gpu *gpu, VkdmlDeviceFlags flags) {
    *gpu = (struct gpu){.validation = is_set("VKDML_TEST_VALIDATION"), .flags = flags};
    if (is_set("VKDML_TEST_PROFILE")) {
        gpu->profile = profile_find(getenv("VKDML_TEST_PROFILE"));
        if (gpu->profile == NULL) {
            gpu->error = "VKDML_TEST_PROFILE names no profile";
            return VKDML_ERROR_INVALID_ARGUMENT;
        }
        /* Not by tests/profiles/loader.c too: here a violation is a case's, and transfer commands are the library's. */
        setenv("VKDML_TEST_PROFILE_OWN", "1", 1);
    }
    if (gpu->validation) {
        /* The layer's own switch; a caller's choice stands. */
        const bool in_shaders = strcmp(getenv("VKDML_TEST_VALIDATION"), "gpu") == 0;
        setenv("VK_LAYER_ENABLES",
               in_shaders ? "VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT"
                          : "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
               0);
    }
    const VkdmlDeviceOpenInfo info = {.structSize = sizeof info,
                                      .headerVersion = VKDML_HEADER_VERSION,
                                      .flags = flags | (gpu->validation ? VKDML_DEVICE_FLAG_VALIDATION : 0u),
                                      .logCallback = gpu_log,
                                      .logUserData = gpu};
    VkdmlDevice opened = NULL;
    VkdmlResult result = vkdmlOpenDevice(&info, &opened);
    if (result != VKDML_SUCCESS) {
        gpu->error = vkdmlGetErrorMessage();
        return result;
    }
    result = gpu_use(gpu, opened);
    if (result == VKDML_SUCCESS && gpu->profile != NULL) {
        result = put_on_profile(gpu);
    }
    return result;
}

void gpu_close(struct gpu *gpu) {
    gpu_release(gpu);
    vkdmlDestroyDevice(gpu->opened);
    *gpu = (struct gpu){0};
}
