#include "vulkan/failure.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vulkan/process.h"

static const struct failure {
    VkResult vulkan;
    VkdmlResult vkdml;
    const char *name;
} failures[] = {
#define FAILURE(vulkan, vkdml)                                                                                         \
    { VK_ERROR_##vulkan, VKDML_ERROR_##vkdml, "VK_ERROR_" #vulkan }
    FAILURE(OUT_OF_HOST_MEMORY, OUT_OF_HOST_MEMORY),
    FAILURE(MEMORY_MAP_FAILED, OUT_OF_HOST_MEMORY), /* no room in the address space */
    FAILURE(OUT_OF_DEVICE_MEMORY, OUT_OF_DEVICE_MEMORY),
    FAILURE(OUT_OF_POOL_MEMORY, OUT_OF_DEVICE_MEMORY),
    FAILURE(FRAGMENTED_POOL, OUT_OF_DEVICE_MEMORY),
    FAILURE(FRAGMENTATION, OUT_OF_DEVICE_MEMORY),
    FAILURE(TOO_MANY_OBJECTS, OUT_OF_DEVICE_MEMORY),
    FAILURE(DEVICE_LOST, DEVICE_LOST),
    FAILURE(INITIALIZATION_FAILED, INITIALIZATION_FAILED),
    FAILURE(LAYER_NOT_PRESENT, INITIALIZATION_FAILED),
    FAILURE(EXTENSION_NOT_PRESENT, INITIALIZATION_FAILED),
    FAILURE(FEATURE_NOT_PRESENT, INITIALIZATION_FAILED),
    FAILURE(INCOMPATIBLE_DRIVER, INITIALIZATION_FAILED),
    FAILURE(INVALID_SHADER_NV, DRIVER),
    FAILURE(UNKNOWN, DRIVER),
#undef FAILURE
};

VkdmlResult vkdml_vulkan_failure(struct vkdml_lost *lost, struct vkdml_report *report, VkResult result,
                                 const char *call) {
    assert(result < 0 && "an error");
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        if (failures[i].vulkan != result) {
            continue;
        }
        if (lost && result == VK_ERROR_DEVICE_LOST) {
            char reason[VKDML_LOST_REASON_CAPACITY];
            snprintf(reason, sizeof reason, "%s returned %s", call, failures[i].name);
            vkdml_lost_set(lost, reason);
        }
        return vkdml_report_add(report, failures[i].vkdml, "%s returned %s", call, failures[i].name);
    }
    return vkdml_report_add(report, VKDML_ERROR_DRIVER, "%s returned VkResult %d", call, (int)result);
}

void vkdml_lost_begin(struct vkdml_lost *lost) {
    lost->process = vkdml_process_number();
    atomic_init(&lost->lost, false);
}

bool vkdml_lost_is_inherited(const struct vkdml_lost *lost) {
    return lost->process != vkdml_process_number();
}

void vkdml_lost_set(struct vkdml_lost *lost, const char *reason) {
    if (vkdml_lost_is_inherited(lost)) {
        return;
    }
    pthread_mutex_lock(&lost->lock);
    if (!atomic_load_explicit(&lost->lost, memory_order_relaxed)) {
        /* A reason is one line: what a caller gives is cut at its first line break. */
        size_t length = strcspn(reason, "\r\n");
        if (length >= sizeof lost->reason) {
            length = sizeof lost->reason - 1;
        }
        memcpy(lost->reason, reason, length);
        lost->reason[length] = '\0';
        atomic_store_explicit(&lost->lost, true, memory_order_release);
    }
    pthread_mutex_unlock(&lost->lock);
}

VkdmlResult vkdml_lost_check(struct vkdml_lost *lost, struct vkdml_report *report) {
    if (vkdml_lost_is_inherited(lost)) {
        return vkdml_report_add(report, VKDML_ERROR_DEVICE_LOST,
                                "device is lost: it was made before fork(), by another process; this process must make "
                                "its own");
    }
    if (!atomic_load_explicit(&lost->lost, memory_order_acquire)) {
        return VKDML_SUCCESS;
    }
    return vkdml_report_add(report, VKDML_ERROR_DEVICE_LOST, "device is lost: %s", lost->reason);
}
