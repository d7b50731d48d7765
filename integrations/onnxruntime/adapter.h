/* Vulkan devices as sessions and tensors share them: opened at the first use, and kept until the plugin goes. */
#ifndef VKDML_ORT_ADAPTER_H
#define VKDML_ORT_ADAPTER_H

#include <pthread.h>

#include <vkdml/vkdml.h>

#include "onnx/pool.h"
#include "ort.h"

/* By which ONNX Runtime tells memory of Vulkan's from other providers' memory of the same card: no vendor of cards has
 * it. Python's module knows it too. */
#define ADAPTER_MEMORY_VENDOR UINT32_C(0x766b646d)

/* An adapter's device, with what sessions and tensors have of it. Who lost it keeps it until they go; others get one
 * anew. */
struct adapter_device {
    struct adapter_device *next; /* the one that was lost before */
    struct onnx_device *device;
    struct onnx_pool *pool;
    uint64_t sessions, tensors; /* that use it; tensors: pieces of memory */
};

struct adapter {
    VkdmlPhysicalDeviceInfo info;
    uint32_t index;             /* among vkdmlEnumeratePhysicalDevices()'s */
    OrtMemoryInfo *memory_info; /* of tensors on it */
    const OrtLogger *logger;
    bool logs, labels;    /* from the first session on that asks for it; the device is opened with what was asked */
    struct adapter *next; /* of all in the process */
    bool has_inherited;   /* another process, of which this one is a fork, had devices of it */
    bool is_left;         /* the plugin was unregistered: devices go with their last user, and no others are opened */
    pthread_mutex_t lock; /* of what is below */
    struct adapter_device *devices;
};

bool adapter_init(struct adapter *adapter, const VkdmlPhysicalDeviceInfo *info, uint32_t index, const OrtLogger *logger,
                  struct onnx_error *error);
/* Closes devices that nobody uses; others work until their last user goes. The adapter stays: who was given it before
 * may still ask, and is refused. */
void adapter_leave(struct adapter *adapter);

/* What uses the devices of all adapters. Thread-safe. */
struct adapter_uses {
    uint64_t sessions, tensors;
};
struct adapter_uses adapter_count_uses(void);

/* Whether a name, of a session's options, is this one's: a part of its name, "#1", or its UUID. */
bool adapter_is_named(const struct adapter *adapter, const char *name);

/* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" */
#define ADAPTER_UUID_ROOM 37
void adapter_uuid(const struct adapter *adapter, char text[ADAPTER_UUID_ROOM]);

/* For a session, until adapter_release(). NULL with a reason. Thread-safe. */
struct adapter_device *adapter_acquire(struct adapter *adapter, bool logs, bool labels, struct onnx_error *error);
void adapter_release(struct adapter *adapter, struct adapter_device *device);

/* Memory by addresses, as of onnx_pool_allocate(). Thread-safe. */
void *adapter_allocate(struct adapter *adapter, size_t size);
/* Why the thread's last allocation failed: ONNX Runtime does not look, and hands on a tensor at no address. */
const char *adapter_allocation_error(void);
void adapter_free(struct adapter *adapter, void *address);

/* Which of its devices an address is of, or NULL. Thread-safe. */
struct adapter_device *adapter_find(struct adapter *adapter, const void *address, uint64_t size,
                                    struct onnx_place *place);

#endif
