#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- allocators ---- */

struct allocator {
    OrtAllocator allocator; /* first: ONNX Runtime has a pointer to it */
    struct adapter *adapter;
};

static void *ORT_API_CALL allocate(OrtAllocator *allocator, size_t size) {
    return adapter_allocate(((struct allocator *)allocator)->adapter, size);
}

static void ORT_API_CALL release(OrtAllocator *allocator, void *address) {
    if (address != NULL) {
        adapter_free(((struct allocator *)allocator)->adapter, address);
    }
}

static const OrtMemoryInfo *ORT_API_CALL get_info(const OrtAllocator *allocator) {
    return ((const struct allocator *)allocator)->adapter->memory_info;
}

static void add_number(OrtKeyValuePairs *pairs, const char *key, uint64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    ort.api->AddKeyValuePair(pairs, key, text);
}

static OrtStatus *ORT_API_CALL get_statistics(const OrtAllocator *allocator, OrtKeyValuePairs **statistics) {
    struct adapter *adapter = ((const struct allocator *)allocator)->adapter;
    struct onnx_pool_facts facts = {0};
    pthread_mutex_lock(&adapter->lock);
    if (adapter->devices != NULL) {
        onnx_pool_facts(adapter->devices->pool, &facts);
    }
    pthread_mutex_unlock(&adapter->lock);
    ort.api->CreateKeyValuePairs(statistics);
    add_number(*statistics, "InUse", facts.used_bytes);
    add_number(*statistics, "MaxInUse", facts.most_used_bytes);
    add_number(*statistics, "TotalAllocated", facts.used_bytes + facts.kept_bytes);
    add_number(*statistics, "NumAllocs", facts.allocations);
    return NULL;
}

OrtAllocator *memory_create_allocator(struct adapter *adapter) {
    struct allocator *allocator = calloc(1, sizeof *allocator);
    if (allocator == NULL) {
        return NULL;
    }
    allocator->adapter = adapter;
    allocator->allocator = (OrtAllocator){.version = API_VERSION,
                                          .Alloc = allocate,
                                          .Free = release,
                                          .Info = get_info,
                                          .Reserve = allocate,
                                          .GetStats = get_statistics};
    return &allocator->allocator;
}

void memory_release_allocator(OrtAllocator *allocator) {
    free(allocator);
}

/* ---- copies ---- */

struct transfer {
    OrtDataTransferImpl transfer; /* first: ONNX Runtime has a pointer to it */
    struct adapter *adapters;
    uint32_t count;
};

static void ORT_API_CALL release_transfer(OrtDataTransferImpl *transfer) {
    free(transfer);
}

static bool is_host(const OrtMemoryDevice *memory) {
    return ort.ep->MemoryDevice_GetDeviceType(memory) == OrtMemoryInfoDeviceType_CPU;
}

static bool is_ours(const struct transfer *transfer, const OrtMemoryDevice *memory) {
    for (uint32_t i = 0; i < transfer->count; ++i) {
        const OrtMemoryDevice *own = ort.ep->MemoryInfo_GetMemoryDevice(transfer->adapters[i].memory_info);
        if (ort.ep->MemoryDevice_AreEqual(own, memory)) {
            return true;
        }
    }
    return false;
}

static bool ORT_API_CALL can_copy(const OrtDataTransferImpl *impl, const OrtMemoryDevice *from,
                                  const OrtMemoryDevice *to) {
    const struct transfer *transfer = (const struct transfer *)impl;
    const bool is_from = is_ours(transfer, from), is_to = is_ours(transfer, to);
    return (is_from || is_to) && (is_from || is_host(from)) && (is_to || is_host(to));
}

/* One end of a copy. device NULL: on the host. */
struct end {
    struct adapter_device *device;
    struct onnx_place place;
};

static bool find_end(const struct transfer *transfer, const OrtValue *value, const void *address, size_t size,
                     struct end *end, struct onnx_error *error) {
    *end = (struct end){NULL, {NULL, 0}};
    if (address == NULL) {
        return onnx_fail(error, "a tensor of %zu bytes has no memory: %s", size, adapter_allocation_error());
    }
    for (uint32_t i = 0; i < transfer->count && end->device == NULL; ++i) {
        end->device = adapter_find(&transfer->adapters[i], address, size, &end->place);
    }
    const OrtMemoryDevice *memory = ort.ep->Value_GetMemoryDevice(value);
    if (end->device != NULL || memory == NULL || is_host(memory)) {
        return true;
    }
    for (uint32_t i = 0; i < transfer->count; ++i) {
        if (transfer->adapters[i].has_inherited) {
            return onnx_fail(error, "a tensor of %zu bytes is on a device that another process opened, before fork()",
                             size);
        }
    }
    return onnx_fail(error, "a tensor of %zu bytes is not where it is said to be", size);
}

/* Between two devices by the host, which both know. */
static bool copy_between(const struct end *from, const struct end *to, size_t size, struct onnx_error *error) {
    void *copy = malloc(size);
    if (copy == NULL) {
        return onnx_fail_memory(error);
    }
    const bool done = onnx_place_read(from->device->pool, &from->place, copy, size, error) &&
                      onnx_place_write(to->device->pool, &to->place, copy, size, error);
    free(copy);
    return done;
}

static bool copy_tensor(const struct transfer *transfer, const OrtValue *from, OrtValue *to, struct onnx_error *error) {
    const void *source;
    void *target;
    size_t size;
    struct end ends[2];
    if (!ort_check(ort.api->GetTensorData(from, &source), error) ||
        !ort_check(ort.api->GetTensorMutableData(to, &target), error) ||
        !ort_check(ort.api->GetTensorSizeInBytes(from, &size), error)) {
        return false;
    }
    if (size == 0) {
        return true;
    }
    if (!find_end(transfer, from, source, size, &ends[0], error) ||
        !find_end(transfer, to, target, size, &ends[1], error)) {
        return false;
    }
    if (ends[0].device == NULL && ends[1].device == NULL) {
        memcpy(target, source, size);
        return true;
    }
    if (ends[0].device == NULL) {
        return onnx_place_write(ends[1].device->pool, &ends[1].place, source, size, error);
    }
    if (ends[1].device == NULL) {
        return onnx_place_read(ends[0].device->pool, &ends[0].place, target, size, error);
    }
    return ends[0].device == ends[1].device
               ? onnx_place_copy(ends[0].device->pool, &ends[0].place, &ends[1].place, size, error)
               : copy_between(&ends[0], &ends[1], size, error);
}

static OrtStatus *ORT_API_CALL copy_tensors(OrtDataTransferImpl *transfer, const OrtValue **from, OrtValue **to,
                                            OrtSyncStream **streams, size_t count) {
    struct onnx_error error = {0};
    bool done = true;
    (void)streams;
    for (size_t i = 0; done && i < count; ++i) {
        done = copy_tensor((const struct transfer *)transfer, from[i], to[i], &error);
    }
    return ort_status(done, &error);
}

OrtDataTransferImpl *memory_create_transfer(struct adapter *adapters, uint32_t count) {
    struct transfer *transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) {
        return NULL;
    }
    transfer->adapters = adapters;
    transfer->count = count;
    transfer->transfer = (OrtDataTransferImpl){.ort_version_supported = API_VERSION,
                                               .Release = release_transfer,
                                               .CanCopy = can_copy,
                                               .CopyTensors = copy_tensors};
    return &transfer->transfer;
}
