#include "vulkan/handles.h"

#include <pthread.h>
#include <stdint.h>

#include "base/memory.h"
#include "vulkan/device.h"

/* Objects whose memory is kept back at most, and bytes of it: enough that a handle is forgotten long before its address
 * is given to another object; small beside what an application under test has. */
#define GRAVES      4096
#define GRAVE_BYTES ((size_t)16 << 20)

#define BUCKETS 1024

atomic_bool vkdml_handles_are_checked;

/* Objects of devices that check handles, live ones and those in graveyards, by address. */
static struct {
    pthread_mutex_t lock;
    struct vkdml_handle *buckets[BUCKETS];
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Devices that do not check handles: an address that is not in the list may be an object of theirs. */
static atomic_uint other_devices;

/* fork() waits for the list, so that it is whole in the child, where it is checked as before. */
static void lock_list(void) {
    pthread_mutex_lock(&list.lock);
}

static void unlock_list(void) {
    pthread_mutex_unlock(&list.lock);
}

static void watch_forks(void) {
    pthread_atfork(lock_list, unlock_list, unlock_list);
}

static bool checks_handles(VkdmlDevice device) {
    return (device->flags & VKDML_DEVICE_FLAG_CHECK_HANDLES) != 0;
}

static struct vkdml_handle **bucket_of(const void *handle) {
    /* The lowest bits are the same for all: allocations are aligned. */
    const uintptr_t address = (uintptr_t)handle / sizeof(max_align_t);
    return &list.buckets[(address ^ address / BUCKETS) % BUCKETS];
}

/* With the lock held. Compares addresses alone. */
static struct vkdml_handle *find(const void *handle) {
    struct vkdml_handle *entry = *bucket_of(handle);
    while (entry && entry != handle) {
        entry = entry->next;
    }
    return entry;
}

/* With the lock held. */
static void take_out(struct vkdml_handle *handle) {
    struct vkdml_handle **link = bucket_of(handle);
    while (*link != handle) {
        link = &(*link)->next;
    }
    *link = handle->next;
}

void vkdml_handle_begin(struct vkdml_handle *handle, enum vkdml_handle_kind kind, VkdmlDevice device, size_t bytes) {
    *handle = (struct vkdml_handle){.device = device, .kind = kind, .bytes = bytes};
    atomic_fetch_add(&device->live[kind], 1);
    atomic_fetch_add(&device->references, 1);
    if (checks_handles(device)) {
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        pthread_once(&once, watch_forks);
        pthread_mutex_lock(&list.lock);
        handle->next = *bucket_of(handle);
        *bucket_of(handle) = handle;
        pthread_mutex_unlock(&list.lock);
        atomic_store(&vkdml_handles_are_checked, true);
    } else if (kind == VKDML_HANDLE_DEVICE) {
        atomic_fetch_add(&other_devices, 1);
    }
}

/* With the lock held: what has been in the graveyard longest, out of it and out of the list. */
static struct vkdml_handle *exhume(struct vkdml_graveyard *graveyard) {
    struct vkdml_handle *handle = graveyard->first;
    graveyard->first = handle->next_dead;
    graveyard->count--;
    graveyard->bytes -= handle->bytes;
    take_out(handle);
    return handle;
}

/* Keeps an object's memory back. Returns those that have been kept long enough, chained by next_dead. */
static struct vkdml_handle *bury(struct vkdml_handle *handle, struct vkdml_graveyard *graveyard) {
    struct vkdml_handle *gone = NULL;
    pthread_mutex_lock(&list.lock);
    handle->destroyed = true;
    *(graveyard->first ? &graveyard->last->next_dead : &graveyard->first) = handle;
    graveyard->last = handle;
    graveyard->count++;
    graveyard->bytes += handle->bytes;
    while (graveyard->count > GRAVES || graveyard->bytes > GRAVE_BYTES) {
        struct vkdml_handle *oldest = exhume(graveyard);
        oldest->next_dead = gone;
        gone = oldest;
    }
    pthread_mutex_unlock(&list.lock);
    return gone;
}

/* Not under the lock: callbacks are the caller's code. */
static void free_all(const VkAllocationCallbacks *callbacks, struct vkdml_handle *handle) {
    while (handle) {
        struct vkdml_handle *next = handle->next_dead;
        vkdml_free(callbacks, handle);
        handle = next;
    }
}

void vkdml_handle_free(struct vkdml_handle *handle) {
    VkdmlDevice device = handle->device;
    atomic_fetch_sub(&device->live[handle->kind], 1);
    if (checks_handles(device)) {
        free_all(device->callbacks, bury(handle, &device->graveyard));
    } else {
        vkdml_free(device->callbacks, handle);
    }
}

void vkdml_handle_end_device(VkdmlDevice device) {
    struct vkdml_handle *gone = NULL;
    if (!checks_handles(device)) {
        atomic_fetch_sub(&other_devices, 1);
        return;
    }
    pthread_mutex_lock(&list.lock);
    take_out(&device->handle);
    while (device->graveyard.first) {
        struct vkdml_handle *oldest = exhume(&device->graveyard);
        oldest->next_dead = gone;
        gone = oldest;
    }
    pthread_mutex_unlock(&list.lock);
    free_all(device->callbacks, gone);
}

static const char *const kind_names[] = {
    [VKDML_HANDLE_DEVICE] = "VkdmlDevice",
    [VKDML_HANDLE_OPERATOR] = "VkdmlOperator",
    [VKDML_HANDLE_DISPATCHABLE] = "VkdmlDispatchable",
    [VKDML_HANDLE_BINDING_TABLE] = "VkdmlBindingTable",
    [VKDML_HANDLE_WEIGHT_STORE] = "VkdmlWeightStore",
};

/* With the lock held. entry: what is in the list at the handle's address; NULL: nothing. */
static void check_entry(const struct vkdml_handle *entry, enum vkdml_handle_kind kind, VkdmlDevice device,
                        const char *name, struct vkdml_report *report) {
    if (!entry) {
        if ((device && checks_handles(device)) || atomic_load(&other_devices) == 0) {
            vkdml_report_invalid(report, "%s is the handle of no object, must be that of a live %s", name,
                                 kind_names[kind]);
        }
    } else if (entry->destroyed) {
        vkdml_report_invalid(report, "%s is a %s that was destroyed, must be a live %s", name, kind_names[entry->kind],
                             kind_names[kind]);
    } else if (entry->kind != kind) {
        vkdml_report_invalid(report, "%s is a %s, must be a %s", name, kind_names[entry->kind], kind_names[kind]);
    } else if (device && entry->device != device) {
        vkdml_report_invalid(report, "%s is of another device, must be of the given one", name);
    }
}

VkdmlResult vkdml_handle_check(const void *handle, enum vkdml_handle_kind kind, VkdmlDevice device, const char *name,
                               struct vkdml_report *report) {
    const uint32_t before = report->count;
    if (!atomic_load_explicit(&vkdml_handles_are_checked, memory_order_relaxed)) {
        return VKDML_SUCCESS;
    }
    pthread_mutex_lock(&list.lock);
    check_entry(find(handle), kind, device, name, report);
    pthread_mutex_unlock(&list.lock);
    return report->count == before ? VKDML_SUCCESS : VKDML_ERROR_INVALID_ARGUMENT;
}

VkdmlResult vkdml_handle_retire(void *handle, enum vkdml_handle_kind kind, const char *name,
                                struct vkdml_report *report) {
    if (!atomic_load_explicit(&vkdml_handles_are_checked, memory_order_relaxed)) {
        return VKDML_SUCCESS;
    }
    pthread_mutex_lock(&list.lock);
    struct vkdml_handle *entry = find(handle);
    check_entry(entry, kind, NULL, name, report);
    if (entry && report->count == 0) {
        entry->destroyed = true;
    }
    pthread_mutex_unlock(&list.lock);
    return report->result;
}

/* With the lock held: of any device that checks handles, none where there is none. */
static struct vkdml_log any_log(void) {
    for (size_t i = 0; i < BUCKETS; i++) {
        for (const struct vkdml_handle *entry = list.buckets[i]; entry; entry = entry->next) {
            if (entry->kind == VKDML_HANDLE_DEVICE && !entry->destroyed) {
                return entry->device->log;
            }
        }
    }
    return (struct vkdml_log){.callback = NULL};
}

struct vkdml_log vkdml_handle_log(const void *handle) {
    struct vkdml_log log = {.callback = NULL};
    if (!handle) {
        return log;
    }
    if (!atomic_load_explicit(&vkdml_handles_are_checked, memory_order_relaxed)) {
        return ((const struct vkdml_handle *)handle)->device->log;
    }
    pthread_mutex_lock(&list.lock);
    const struct vkdml_handle *entry = find(handle);
    if (entry) {
        log = entry->device->log;
    } else if (atomic_load(&other_devices) == 0) {
        log = any_log();
    } else {
        log = ((const struct vkdml_handle *)handle)->device->log; /* another device's: the call relied on that too */
    }
    pthread_mutex_unlock(&list.lock);
    return log;
}
