#include "bench/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case_data.h"

static bool import_device(const VkdmlDeviceCreateInfo *info, VkdmlDevice *device) {
    if (vkdmlCreateDevice(info, device) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
        return false;
    }
    return true;
}

VkdmlDeviceCreateInfo bench_import_info(const struct bench_device *device) {
    const VkdmlVulkanHandles *handles = &device->gpu.handles;
    return (VkdmlDeviceCreateInfo){.structSize = sizeof(VkdmlDeviceCreateInfo),
                                   .headerVersion = VKDML_HEADER_VERSION,
                                   .instance = handles->instance,
                                   .physicalDevice = handles->physicalDevice,
                                   .device = handles->device,
                                   .queueFamilyIndex = handles->queueFamilyIndex,
                                   .getInstanceProcAddr = handles->getInstanceProcAddr,
                                   .enabledFeatures = handles->enabledFeatures};
}

bool bench_device_open(struct bench_device *device, const VkdmlDeviceOpenInfo *info, bool no_features) {
    const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                           .queryCount = BENCH_MAX_TIMESTAMPS};
    *device = (struct bench_device){.period = BENCH_PERIOD};
    if (!gpu_open(&device->gpu, info)) {
        return false;
    }
    const VkdmlVulkanHandles *handles = &device->gpu.handles;
    VkdmlDeviceCreateInfo import = bench_import_info(device);
    import.enabledFeatures = no_features ? NULL : handles->enabledFeatures;
    import.featureLevel = info->featureLevel;
    import.logCallback = info->logCallback;
    import.logUserData = info->logUserData;
    if (no_features) {
        VkdmlDevice without;
        if (!import_device(&import, &without)) {
            return false;
        }
        device->opened = device->gpu.device;
        device->gpu.device = without;
    }
    import.flags = VKDML_DEVICE_FLAG_ALLOW_TRANSFER;
    if (!import_device(&import, &device->transfer)) {
        return false;
    }
    if (device->gpu.queries && vkCreateQueryPool(handles->device, &queries, NULL, &device->queries) != VK_SUCCESS) {
        fprintf(stderr, "vkdml: vkCreateQueryPool failed\n");
        return false;
    }
    return true;
}

void bench_device_close(struct bench_device *device) {
    if (device->gpu.pool) {
        for (size_t i = 0; i < CASE_MAX_TENSORS; i++) {
            gpu_destroy_buffer(&device->gpu, &device->tensors[i].buffer);
        }
        gpu_destroy_buffer(&device->gpu, &device->temporary.buffer);
        gpu_destroy_buffer(&device->gpu, &device->persistent.buffer);
        if (device->queries) {
            vkDestroyQueryPool(device->gpu.handles.device, device->queries, NULL);
        }
    }
    vkdmlDestroyDevice(device->transfer);
    if (device->opened != NULL) {
        vkdmlDestroyDevice(device->gpu.device);
        device->gpu.device = device->opened;
    }
    gpu_close(&device->gpu);
}

bool bench_device_is_cpu(const struct bench_device *device) {
    return device->gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

bool bench_pool_reserve(struct bench_device *device, struct bench_pool *pool, uint64_t size) {
    pool->filled = false;
    if (size <= pool->buffer.size) {
        return true;
    }
    gpu_destroy_buffer(&device->gpu, &pool->buffer);
    return gpu_create_buffer(&device->gpu, size, false, &pool->buffer);
}

/* The bytes of one period. */
static void fill_period(uint64_t period, const struct case_tensor *tensor, unsigned char *bytes) {
    const uint32_t bits = vkdmlGetDataTypeBits(tensor->type);
    struct case_tensor flat = {.type = tensor->type,
                               .rank = 1,
                               .sizes = {(uint32_t)(period * 8 / bits)},
                               .fill = tensor->fill,
                               .fill_permille = tensor->fill_permille};
    struct random random = {.state = 1};
    case_write_input(&flat, &random, bytes);
}

/* Fills the buffer with copies of its first period. */
static bool repeat_period(struct bench_device *device, const struct gpu_buffer *buffer) {
    if (!gpu_begin(&device->gpu)) {
        return false;
    }
    /* Each copy doubles what is there; source and target never overlap. */
    for (uint64_t done = device->period; done < buffer->size; done *= 2) {
        const VkBufferCopy region = {0, done, done < buffer->size - done ? done : buffer->size - done};
        vkCmdCopyBuffer(device->gpu.commands, buffer->buffer, buffer->buffer, 1, &region);
        gpu_barrier(&device->gpu);
    }
    return gpu_submit(&device->gpu);
}

bool bench_pool_fill(struct bench_device *device, struct bench_pool *pool, uint64_t size,
                     const struct case_tensor *tensor) {
    if (size <= pool->buffer.size && pool->filled && pool->type == tensor->type && pool->fill == tensor->fill &&
        pool->permille == tensor->fill_permille) {
        return true;
    }
    unsigned char *bytes = malloc(device->period);
    if (!bytes) {
        fprintf(stderr, "vkdml: out of memory\n");
        return false;
    }
    fill_period(device->period, tensor, bytes);
    bool good = bench_pool_reserve(device, pool, size);
    good = good && gpu_upload(&device->gpu, &pool->buffer, bytes,
                              pool->buffer.size < device->period ? pool->buffer.size : device->period);
    good = good && repeat_period(device, &pool->buffer);
    free(bytes);
    pool->filled = good;
    pool->type = tensor->type;
    pool->fill = tensor->fill;
    pool->permille = tensor->fill_permille;
    return good;
}
