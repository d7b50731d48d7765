#include "vulkan/device_memory.h"

#include "base/memory.h"
#include "vulkan/device.h"

static void destroy_locks(VkdmlDevice device) {
    pthread_mutex_destroy(&device->tables.lock);
    pthread_mutex_destroy(&device->parameters.lock);
    pthread_mutex_destroy(&device->pipelines.lock);
    pthread_mutex_destroy(&device->lost.lock);
}

/* The four locks and the condition; all or none. */
static bool create_locks(VkdmlDevice device) {
    pthread_mutex_t *locks[] = {&device->lost.lock, &device->pipelines.lock, &device->parameters.lock,
                                &device->tables.lock};
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) {
        if (pthread_mutex_init(locks[i], NULL) != 0) {
            while (i > 0) {
                pthread_mutex_destroy(locks[--i]);
            }
            return false;
        }
    }
    if (pthread_cond_init(&device->pipelines.settled, NULL) != 0) {
        destroy_locks(device);
        return false;
    }
    return true;
}

VkdmlResult vkdml_device_allocate(const VkdmlDeviceCreateInfo *info, struct vkdml_report *report, VkdmlDevice *device) {
    VkdmlDevice d = vkdml_allocate(info->allocationCallbacks, sizeof *d);
    if (!d) {
        return vkdml_report_out_of_memory(report, sizeof *d, "a device");
    }
    if (!create_locks(d)) {
        vkdml_free(info->allocationCallbacks, d);
        return vkdml_report_add(report, VKDML_ERROR_OUT_OF_HOST_MEMORY,
                                "pthread_mutex_init or pthread_cond_init failed");
    }
    if (info->allocationCallbacks) {
        d->callbacks_copy = *info->allocationCallbacks;
        d->callbacks = &d->callbacks_copy;
    }
    d->handles = (VkdmlVulkanHandles){.instance = info->instance,
                                      .physicalDevice = info->physicalDevice,
                                      .device = info->device,
                                      .queueFamilyIndex = info->queueFamilyIndex,
                                      .getInstanceProcAddr = info->getInstanceProcAddr};
    d->level = info->featureLevel;
    d->flags = info->flags;
    d->log = (struct vkdml_log){.callback = info->logCallback, .user_data = info->logUserData, .muted = &d->muted};
    atomic_init(&d->lost.lost, false);
    vkdml_handle_begin(&d->handle, VKDML_HANDLE_DEVICE, d, sizeof *d);
    *device = d;
    return VKDML_SUCCESS;
}

void vkdml_device_release(VkdmlDevice device) {
    if (atomic_fetch_sub(&device->references, 1) > 1) {
        return;
    }
    vkdml_handle_end_device(device);
    pthread_cond_destroy(&device->pipelines.settled);
    destroy_locks(device);
    VkAllocationCallbacks callbacks = device->callbacks_copy; /* outlives the device by one call */
    vkdml_free(device->callbacks ? &callbacks : NULL, device);
}

void vkdml_device_end_object(struct vkdml_handle *handle) {
    VkdmlDevice device = handle->device;
    vkdml_handle_free(handle);
    vkdml_device_release(device);
}
