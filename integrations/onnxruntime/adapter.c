#include "adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "onnx/device.h"

/* ---- fork() ---- */

static struct {
    pthread_mutex_t lock;
    struct adapter *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* In a child: threads that held the locks are not there, and devices are left behind as they are. Who asks gets a new
 * one. The parent's fork() does not wait for the locks: drivers fork while they open a device. */
static void leave_devices(void) {
    pthread_mutex_init(&all.lock, NULL);
    for (struct adapter *adapter = all.first; adapter != NULL; adapter = adapter->next) {
        pthread_mutex_init(&adapter->lock, NULL);
        adapter->has_inherited = adapter->has_inherited || adapter->devices != NULL;
        adapter->devices = NULL;
    }
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, leave_devices);
}

static void add_to_all(struct adapter *adapter) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&all.lock);
    adapter->next = all.first;
    all.first = adapter;
    pthread_mutex_unlock(&all.lock);
}

/* ---- adapters ---- */

bool adapter_init(struct adapter *adapter, const VkdmlPhysicalDeviceInfo *info, uint32_t index, const OrtLogger *logger,
                  struct onnx_error *error) {
    *adapter = (struct adapter){.info = *info, .index = index, .logger = logger};
    if (pthread_mutex_init(&adapter->lock, NULL) != 0) {
        return onnx_fail_memory(error);
    }
    /* Also that of a processor is memory of its own to ONNX Runtime, so that tensors stay there between runs. */
    if (!ort_check(ort.api->CreateMemoryInfo_V2("vkdml", OrtMemoryInfoDeviceType_GPU, ADAPTER_MEMORY_VENDOR,
                                                (int32_t)index, OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator,
                                                &adapter->memory_info),
                   error)) {
        pthread_mutex_destroy(&adapter->lock);
        return false;
    }
    add_to_all(adapter);
    return true;
}

static void close_device(struct adapter_device *device) {
    onnx_pool_free(device->pool);
    onnx_device_close(device->device);
    free(device);
}

void adapter_uuid(const struct adapter *adapter, char text[ADAPTER_UUID_ROOM]) {
    for (unsigned i = 0, length = 0; i < VK_UUID_SIZE; ++i) {
        length += (unsigned)snprintf(text + length, ADAPTER_UUID_ROOM - length, "%s%02x",
                                     i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", adapter->info.uuid[i]);
    }
}

bool adapter_is_named(const struct adapter *adapter, const char *name) {
    char uuid[ADAPTER_UUID_ROOM], number[16];
    adapter_uuid(adapter, uuid);
    snprintf(number, sizeof number, "#%u", (unsigned)adapter->index);
    if (strcasecmp(name, uuid) == 0 || strcmp(name, number) == 0) {
        return true;
    }
    const size_t length = strlen(name);
    bool is_part = false;
    for (const char *at = adapter->info.name; *at != 0; ++at) {
        is_part = is_part || strncasecmp(at, name, length) == 0;
    }
    return is_part;
}

/* ---- devices ---- */

static void log_message(void *data, VkdmlLogLevel severity, const char *message) {
    const struct adapter *adapter = data;
    const OrtLoggingLevel level =
        severity == VKDML_LOG_LEVEL_ERROR ? ORT_LOGGING_LEVEL_ERROR : ORT_LOGGING_LEVEL_WARNING;
    OrtStatus *status = ort.api->Logger_LogMessage(adapter->logger, level, message, ORT_FILE, __LINE__, "vkdml");
    ort.api->ReleaseStatus(status);
}

/* With the lock held. */
static struct adapter_device *open_device(struct adapter *adapter, struct onnx_error *error) {
    char name[16];
    snprintf(name, sizeof name, "#%u", (unsigned)adapter->index);
    const struct onnx_device_options options = {
        .name = name, .labels = adapter->labels, .log = adapter->logs ? log_message : NULL, .warn = log_message,
        .log_data = adapter};
    struct adapter_device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        onnx_fail_memory(error);
        return NULL;
    }
    if (!onnx_device_open(&options, &device->device, error) ||
        !onnx_pool_create(device->device, &device->pool, error)) {
        close_device(device);
        return NULL;
    }
    device->next = adapter->devices;
    adapter->devices = device;
    return device;
}

static bool is_used(const struct adapter_device *device) {
    return device->sessions != 0 || device->tensors != 0;
}

/* With the lock held: those that nobody uses and nobody will. */
static void close_unused(struct adapter *adapter) {
    struct adapter_device **link = &adapter->devices;
    while (*link != NULL) {
        struct adapter_device *device = *link;
        if (!is_used(device) && (adapter->is_left || onnx_device_is_lost(device->device))) {
            *link = device->next;
            close_device(device);
        } else {
            link = &device->next;
        }
    }
}

/* With the lock held: the one that works. */
static struct adapter_device *find_device(struct adapter *adapter, struct onnx_error *error) {
    close_unused(adapter);
    struct adapter_device *device = adapter->devices;
    if (device != NULL && !onnx_device_is_lost(device->device)) {
        return device;
    }
    if (adapter->is_left) {
        onnx_fail(error, "the plugin was unregistered");
        return NULL;
    }
    return open_device(adapter, error);
}

void adapter_leave(struct adapter *adapter) {
    pthread_mutex_lock(&adapter->lock);
    adapter->is_left = true;
    close_unused(adapter);
    pthread_mutex_unlock(&adapter->lock);
}

struct adapter_uses adapter_count_uses(void) {
    struct adapter_uses uses = {0, 0};
    pthread_mutex_lock(&all.lock);
    for (struct adapter *adapter = all.first; adapter != NULL; adapter = adapter->next) {
        pthread_mutex_lock(&adapter->lock);
        for (const struct adapter_device *device = adapter->devices; device != NULL; device = device->next) {
            uses.sessions += device->sessions;
            uses.tensors += device->tensors;
        }
        pthread_mutex_unlock(&adapter->lock);
    }
    pthread_mutex_unlock(&all.lock);
    return uses;
}

struct adapter_device *adapter_acquire(struct adapter *adapter, bool logs, bool labels, struct onnx_error *error) {
    pthread_mutex_lock(&adapter->lock);
    adapter->logs = adapter->logs || logs;
    adapter->labels = adapter->labels || labels;
    struct adapter_device *device = find_device(adapter, error);
    if (device != NULL) {
        ++device->sessions;
    }
    pthread_mutex_unlock(&adapter->lock);
    return device;
}

void adapter_release(struct adapter *adapter, struct adapter_device *device) {
    pthread_mutex_lock(&adapter->lock);
    --device->sessions;
    onnx_pool_trim(device->pool);
    close_unused(adapter);
    pthread_mutex_unlock(&adapter->lock);
}

/* ---- memory ---- */

static _Thread_local struct onnx_error allocation_error;

const char *adapter_allocation_error(void) {
    return allocation_error.text;
}

void *adapter_allocate(struct adapter *adapter, size_t size) {
    allocation_error = (struct onnx_error){0};
    pthread_mutex_lock(&adapter->lock);
    struct adapter_device *device = find_device(adapter, &allocation_error);
    void *address = device == NULL ? NULL : onnx_pool_allocate(device->pool, size, &allocation_error);
    if (address != NULL) {
        ++device->tensors;
    }
    pthread_mutex_unlock(&adapter->lock);
    return address;
}

void adapter_free(struct adapter *adapter, void *address) {
    pthread_mutex_lock(&adapter->lock);
    for (struct adapter_device *device = adapter->devices; device != NULL; device = device->next) {
        if (onnx_pool_release(device->pool, address)) {
            --device->tensors;
            break;
        }
    }
    close_unused(adapter);
    pthread_mutex_unlock(&adapter->lock);
}

struct adapter_device *adapter_find(struct adapter *adapter, const void *address, uint64_t size,
                                    struct onnx_place *place) {
    pthread_mutex_lock(&adapter->lock);
    struct adapter_device *device = adapter->devices;
    while (device != NULL && !onnx_pool_find(device->pool, address, size, place)) {
        device = device->next;
    }
    pthread_mutex_unlock(&adapter->lock);
    return device;
}
