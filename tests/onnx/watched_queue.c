#include "watched_queue.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vkdml/device.h>

enum { MOST_QUEUES = 64, PAUSE_NS = 20000 };

VkdmlResult __real_vkdmlGetVulkanHandles(VkdmlDevice device, VkdmlVulkanHandles *handles);
VkdmlResult __wrap_vkdmlGetVulkanHandles(VkdmlDevice device, VkdmlVulkanHandles *handles);

static struct {
    _Atomic(VkQueue) queue; /* VK_NULL_HANDLE: a free place */
    atomic_uint inside;     /* threads */
} queues[MOST_QUEUES];

static atomic_uint submissions, waits, overlaps, unwatched;
static atomic_bool waits_fail;

/* The driver's. */
static PFN_vkGetInstanceProcAddr get_next;
static PFN_vkGetDeviceProcAddr get_next_of_device;
static PFN_vkQueueSubmit next_submit;
static PFN_vkQueueWaitIdle next_wait_idle;
static PFN_vkWaitForFences next_wait_for_fences;

static uint32_t add(atomic_uint *count, uint32_t more) {
    return atomic_fetch_add_explicit(count, more, memory_order_relaxed);
}

static atomic_uint *inside_of(VkQueue queue) {
    for (size_t i = 0; i < MOST_QUEUES; i++) {
        VkQueue there = VK_NULL_HANDLE;
        if (atomic_compare_exchange_strong_explicit(&queues[i].queue, &there, queue, memory_order_relaxed,
                                                    memory_order_relaxed) ||
            there == queue) {
            return &queues[i].inside;
        }
    }
    abort();
}

/* Stays for a while, in which others come that nothing stops. */
static atomic_uint *enter(VkQueue queue) {
    const struct timespec pause = {0, PAUSE_NS};
    atomic_uint *inside = inside_of(queue);
    add(&overlaps, add(inside, 1) != 0);
    nanosleep(&pause, NULL);
    return inside;
}

static void leave(atomic_uint *inside) {
    atomic_fetch_sub_explicit(inside, 1, memory_order_relaxed);
}

static VKAPI_ATTR VkResult VKAPI_CALL watched_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                                     VkFence fence) {
    add(&submissions, 1);
    atomic_uint *inside = enter(queue);
    const VkResult result = next_submit(queue, count, submits, fence);
    leave(inside);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL watched_wait_idle(VkQueue queue) {
    add(&waits, 1);
    atomic_uint *inside = enter(queue);
    const VkResult result = next_wait_idle(queue);
    leave(inside);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL failing_wait_for_fences(VkDevice device, uint32_t count, const VkFence *fences,
                                                              VkBool32 all, uint64_t timeout) {
    return atomic_load_explicit(&waits_fail, memory_order_relaxed)
               ? VK_ERROR_OUT_OF_HOST_MEMORY
               : next_wait_for_fences(device, count, fences, all, timeout);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_of_device(VkDevice device, const char *name) {
    const PFN_vkVoidFunction found = get_next_of_device(device, name);
    if (strcmp(name, "vkQueueSubmit") == 0) {
        next_submit = (PFN_vkQueueSubmit)found;
        return (PFN_vkVoidFunction)watched_submit;
    }
    if (strcmp(name, "vkQueueWaitIdle") == 0) {
        next_wait_idle = (PFN_vkQueueWaitIdle)found;
        return (PFN_vkVoidFunction)watched_wait_idle;
    }
    if (strcmp(name, "vkWaitForFences") == 0) {
        next_wait_for_fences = (PFN_vkWaitForFences)found;
        return (PFN_vkVoidFunction)failing_wait_for_fences;
    }
    add(&unwatched, strncmp(name, "vkQueue", strlen("vkQueue")) == 0 || strcmp(name, "vkDeviceWaitIdle") == 0);
    return found;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char *name) {
    const PFN_vkVoidFunction found = get_next(instance, name);
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        get_next_of_device = (PFN_vkGetDeviceProcAddr)found;
        return (PFN_vkVoidFunction)get_of_device;
    }
    return found;
}

VkdmlResult __wrap_vkdmlGetVulkanHandles(VkdmlDevice device, VkdmlVulkanHandles *handles) {
    const VkdmlResult result = __real_vkdmlGetVulkanHandles(device, handles);
    if (result == VKDML_SUCCESS) {
        get_next = handles->getInstanceProcAddr;
        handles->getInstanceProcAddr = get;
    }
    return result;
}

struct watched_queue watched_queue_take(void) {
    return (struct watched_queue){.submissions = atomic_exchange(&submissions, 0),
                                  .waits = atomic_exchange(&waits, 0),
                                  .overlaps = atomic_exchange(&overlaps, 0),
                                  .unwatched = atomic_exchange(&unwatched, 0)};
}

void watched_queue_fail_waits(bool fail) {
    atomic_store(&waits_fail, fail);
}
