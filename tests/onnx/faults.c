#include "faults.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include "harness/real_loader.h"

enum { MOST_DEVICES = 64, MOST_FENCES = 256, MOST_NAME = 64 };

/* ---- state ---- */

struct device {
    VkDevice device; /* VK_NULL_HANDLE: a free place */
    VkQueue queue;
    bool is_lost;
    int32_t live; /* objects of it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device devices[MOST_DEVICES];
static VkFence signaled[MOST_FENCES];
static char failing[MOST_NAME];
static int32_t fail_at;
static uint32_t calls, failed, misuses;
static VkResult failure;
static int32_t live;

/* This thread's submissions that it did not wait for: sessions share a device, and each waits for its own. */
static _Thread_local uint32_t pending;

static struct device *find(VkDevice device) {
    for (size_t i = 0; i < MOST_DEVICES; i++) {
        if (devices[i].device == device) {
            return &devices[i];
        }
    }
    abort();
}

static struct device *find_queue(VkQueue queue) {
    for (size_t i = 0; i < MOST_DEVICES; i++) {
        if (devices[i].device != VK_NULL_HANDLE && devices[i].queue == queue) {
            return &devices[i];
        }
    }
    abort();
}

/* Takes a fence out of those that are signaled; whether it was one. */
static bool unsignal(VkFence fence) {
    for (size_t i = 0; i < MOST_FENCES && fence != VK_NULL_HANDLE; i++) {
        if (signaled[i] == fence) {
            signaled[i] = VK_NULL_HANDLE;
            return true;
        }
    }
    return false;
}

static void set_signaled(VkFence fence) {
    unsignal(fence);
    for (size_t i = 0; i < MOST_FENCES; i++) {
        if (signaled[i] == VK_NULL_HANDLE) {
            signaled[i] = fence;
            return;
        }
    }
    abort();
}

/* What a call is to return instead of what it does; VK_SUCCESS: nothing. */
static VkResult fault(const char *name, struct device *device) {
    VkResult result = VK_SUCCESS;
    calls += strcmp(failing, name) == 0;
    if (strcmp(failing, name) == 0 && (fail_at < 0 ? calls >= (uint32_t)-fail_at : calls == (uint32_t)fail_at)) {
        failed++;
        result = failure;
        if (device != NULL && result == VK_ERROR_DEVICE_LOST) {
            device->is_lost = true;
        }
    }
    return result == VK_SUCCESS && device != NULL && device->is_lost ? VK_ERROR_DEVICE_LOST : result;
}

__attribute__((visibility("default"))) void faults_set(const char *function, int32_t nth, int32_t result);
__attribute__((visibility("default"))) uint32_t faults_calls(void);
__attribute__((visibility("default"))) uint32_t faults_failed(void);
__attribute__((visibility("default"))) int32_t faults_live(void);
__attribute__((visibility("default"))) uint32_t faults_misuses(void);

void faults_set(const char *function, int32_t nth, int32_t result) {
    pthread_mutex_lock(&lock);
    snprintf(failing, sizeof failing, "%s", function == NULL ? "" : function);
    fail_at = nth;
    failure = (VkResult)result;
    calls = 0;
    failed = 0;
    pthread_mutex_unlock(&lock);
}

#define TOLD(type, name, value)                                                                                        \
    type name(void) {                                                                                                  \
        pthread_mutex_lock(&lock);                                                                                     \
        const type told = value;                                                                                       \
        pthread_mutex_unlock(&lock);                                                                                   \
        return told;                                                                                                   \
    }
TOLD(uint32_t, faults_calls, calls)
TOLD(uint32_t, faults_failed, failed)
TOLD(int32_t, faults_live, live)
TOLD(uint32_t, faults_misuses, misuses)

/* ---- functions of devices ---- */

static struct {
#define FAULT_CREATE(name, object)                PFN_vkCreate##name Create##name;
#define FAULT_DESTROY(function, object)           PFN_vk##function function;
#define FAULT_REPORT(name, parameters, arguments) PFN_vk##name name;
#include "faults.inc"
    PFN_vkAllocateMemory AllocateMemory;
    PFN_vkCreateComputePipelines CreateComputePipelines;
    PFN_vkGetDeviceQueue GetDeviceQueue;
    PFN_vkQueueSubmit QueueSubmit;
    PFN_vkWaitForFences WaitForFences;
    PFN_vkResetFences ResetFences;
    PFN_vkDestroyFence DestroyFence;
    PFN_vkDestroyDevice DestroyDevice;
} next;

static VkResult begin(const char *name, VkDevice device) {
    pthread_mutex_lock(&lock);
    const VkResult result = fault(name, find(device));
    pthread_mutex_unlock(&lock);
    return result;
}

static void count(VkDevice device, int32_t more) {
    pthread_mutex_lock(&lock);
    find(device)->live += more;
    live += more;
    pthread_mutex_unlock(&lock);
}

/* Objects that a queue may use end where it is done with them. */
static void end(VkDevice device, bool is_there) {
    pthread_mutex_lock(&lock);
    misuses += is_there && pending != 0 && !find(device)->is_lost;
    pthread_mutex_unlock(&lock);
    count(device, is_there ? -1 : 0);
}

#define FAULT_CREATE(name, object)                                                                                     \
    static VKAPI_ATTR VkResult VKAPI_CALL faulty_Create##name(VkDevice device, const Vk##name##CreateInfo *info,       \
                                                              const VkAllocationCallbacks *callbacks, object *made) {  \
        VkResult result = begin("vkCreate" #name, device);                                                             \
        if (result == VK_SUCCESS) {                                                                                    \
            result = next.Create##name(device, info, callbacks, made);                                                 \
            count(device, result == VK_SUCCESS);                                                                       \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define FAULT_DESTROY(function, object)                                                                                \
    static VKAPI_ATTR void VKAPI_CALL faulty_##function(VkDevice device, object gone,                                  \
                                                        const VkAllocationCallbacks *callbacks) {                      \
        end(device, gone != VK_NULL_HANDLE);                                                                           \
        next.function(device, gone, callbacks);                                                                        \
    }
#define FAULT_REPORT(name, parameters, arguments)                                                                      \
    static VKAPI_ATTR VkResult VKAPI_CALL faulty_##name parameters {                                                   \
        const VkResult result = begin("vk" #name, device);                                                             \
        return result == VK_SUCCESS ? next.name arguments : result;                                                    \
    }
#include "faults.inc"

static VKAPI_ATTR VkResult VKAPI_CALL faulty_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                            const VkAllocationCallbacks *callbacks,
                                                            VkDeviceMemory *made) {
    VkResult result = begin("vkAllocateMemory", device);
    if (result == VK_SUCCESS) {
        result = next.AllocateMemory(device, info, callbacks, made);
        count(device, result == VK_SUCCESS);
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL faulty_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                    uint32_t pipeline_count,
                                                                    const VkComputePipelineCreateInfo *infos,
                                                                    const VkAllocationCallbacks *callbacks,
                                                                    VkPipeline *pipelines) {
    const VkResult result = begin("vkCreateComputePipelines", device);
    if (result != VK_SUCCESS) {
        memset(pipelines, 0, pipeline_count * sizeof *pipelines);
        return result;
    }
    const VkResult made = next.CreateComputePipelines(device, cache, pipeline_count, infos, callbacks, pipelines);
    count(device, made == VK_SUCCESS ? (int32_t)pipeline_count : 0);
    return made;
}

static VKAPI_ATTR void VKAPI_CALL faulty_GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index,
                                                        VkQueue *queue) {
    next.GetDeviceQueue(device, family, index, queue);
    pthread_mutex_lock(&lock);
    find(device)->queue = *queue;
    pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL faulty_QueueSubmit(VkQueue queue, uint32_t submit_count,
                                                         const VkSubmitInfo *submits, VkFence fence) {
    pthread_mutex_lock(&lock);
    struct device *device = find_queue(queue);
    VkResult result = fault("vkQueueSubmit", device);
    misuses += result == VK_SUCCESS && unsignal(fence);
    pending += result == VK_SUCCESS;
    pthread_mutex_unlock(&lock);
    return result == VK_SUCCESS ? next.QueueSubmit(queue, submit_count, submits, fence) : result;
}

/* What was submitted is done in any case: what a device that is lost did not do is not to be looked at. */
static VKAPI_ATTR VkResult VKAPI_CALL faulty_WaitForFences(VkDevice device, uint32_t fence_count, const VkFence *fences,
                                                           VkBool32 all, uint64_t timeout) {
    pthread_mutex_lock(&lock);
    const bool was_lost = find(device)->is_lost;
    pthread_mutex_unlock(&lock);
    const VkResult waited =
        was_lost ? VK_ERROR_DEVICE_LOST : next.WaitForFences(device, fence_count, fences, all, timeout);
    pthread_mutex_lock(&lock);
    struct device *found = find(device);
    const VkResult result = fault("vkWaitForFences", found);
    for (uint32_t i = 0; waited == VK_SUCCESS && i < fence_count; i++) {
        set_signaled(fences[i]);
    }
    pending = result == VK_ERROR_DEVICE_LOST || waited == VK_ERROR_DEVICE_LOST ? 0
              : pending != 0 && result == VK_SUCCESS && waited == VK_SUCCESS   ? pending - 1
                                                                               : pending;
    pthread_mutex_unlock(&lock);
    return result != VK_SUCCESS ? result : waited;
}

static VKAPI_ATTR VkResult VKAPI_CALL faulty_QueueWaitIdle(VkQueue queue);
static PFN_vkQueueWaitIdle next_queue_wait_idle;

static VKAPI_ATTR VkResult VKAPI_CALL faulty_QueueWaitIdle(VkQueue queue) {
    const VkResult waited = next_queue_wait_idle(queue);
    pthread_mutex_lock(&lock);
    struct device *device = find_queue(queue);
    const VkResult result = fault("vkQueueWaitIdle", device);
    pending = result == VK_SUCCESS ? 0 : pending;
    pthread_mutex_unlock(&lock);
    return result != VK_SUCCESS ? result : waited;
}

static VKAPI_ATTR VkResult VKAPI_CALL faulty_ResetFences(VkDevice device, uint32_t fence_count, const VkFence *fences) {
    VkResult result = begin("vkResetFences", device);
    if (result == VK_SUCCESS) {
        result = next.ResetFences(device, fence_count, fences);
        pthread_mutex_lock(&lock);
        for (uint32_t i = 0; i < fence_count; i++) {
            unsignal(fences[i]);
        }
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL faulty_DestroyFence(VkDevice device, VkFence fence,
                                                      const VkAllocationCallbacks *callbacks) {
    end(device, fence != VK_NULL_HANDLE);
    pthread_mutex_lock(&lock);
    unsignal(fence);
    pthread_mutex_unlock(&lock);
    next.DestroyFence(device, fence, callbacks);
}

static VKAPI_ATTR void VKAPI_CALL faulty_DestroyDevice(VkDevice device, const VkAllocationCallbacks *callbacks) {
    if (device == VK_NULL_HANDLE) {
        return;
    }
    pthread_mutex_lock(&lock);
    struct device *found = find(device);
    misuses += found->live != 0;
    live -= found->live + 1;
    *found = (struct device){0};
    pthread_mutex_unlock(&lock);
    next.DestroyDevice(device, callbacks);
}

/* ---- functions of instances ---- */

static PFN_vkGetInstanceProcAddr get_next;
static PFN_vkGetDeviceProcAddr next_get_device;
static PFN_vkCreateInstance next_create_instance;
static PFN_vkDestroyInstance next_destroy_instance;
static PFN_vkCreateDevice next_create_device;

static VKAPI_ATTR VkResult VKAPI_CALL faulty_CreateInstance(const VkInstanceCreateInfo *info,
                                                            const VkAllocationCallbacks *callbacks,
                                                            VkInstance *instance) {
    pthread_mutex_lock(&lock);
    VkResult result = fault("vkCreateInstance", NULL);
    pthread_mutex_unlock(&lock);
    if (result == VK_SUCCESS) {
        result = next_create_instance(info, callbacks, instance);
        pthread_mutex_lock(&lock);
        live += result == VK_SUCCESS;
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL faulty_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *callbacks) {
    pthread_mutex_lock(&lock);
    live -= instance != VK_NULL_HANDLE;
    pthread_mutex_unlock(&lock);
    next_destroy_instance(instance, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL faulty_CreateDevice(VkPhysicalDevice physical_device,
                                                          const VkDeviceCreateInfo *info,
                                                          const VkAllocationCallbacks *callbacks, VkDevice *device) {
    pthread_mutex_lock(&lock);
    VkResult result = fault("vkCreateDevice", NULL);
    pthread_mutex_unlock(&lock);
    if (result == VK_SUCCESS) {
        result = next_create_device(physical_device, info, callbacks, device);
        pthread_mutex_lock(&lock);
        if (result == VK_SUCCESS) {
            *find(VK_NULL_HANDLE) = (struct device){.device = *device};
            live++;
        }
        pthread_mutex_unlock(&lock);
    }
    return result;
}

/* ---- which are replaced ---- */

static PFN_vkVoidFunction replace(const char *name, PFN_vkVoidFunction found) {
    if (found == NULL) {
        return NULL;
    }
#define REPLACE(place, type, function)                                                                                 \
    if (strcmp(name, "vk" #function) == 0) {                                                                           \
        place = (type)found;                                                                                           \
        return (PFN_vkVoidFunction)faulty_##function;                                                                  \
    }
#define REPLACE_NEXT(function)                    REPLACE(next.function, PFN_vk##function, function)
#define FAULT_CREATE(name, object)                REPLACE_NEXT(Create##name)
#define FAULT_DESTROY(function, object)           REPLACE_NEXT(function)
#define FAULT_REPORT(name, parameters, arguments) REPLACE_NEXT(name)
#include "faults.inc"
    REPLACE_NEXT(AllocateMemory)
    REPLACE_NEXT(CreateComputePipelines)
    REPLACE_NEXT(GetDeviceQueue)
    REPLACE_NEXT(QueueSubmit)
    REPLACE_NEXT(WaitForFences)
    REPLACE_NEXT(ResetFences)
    REPLACE_NEXT(DestroyFence)
    REPLACE_NEXT(DestroyDevice)
    REPLACE(next_queue_wait_idle, PFN_vkQueueWaitIdle, QueueWaitIdle)
    REPLACE(next_create_instance, PFN_vkCreateInstance, CreateInstance)
    REPLACE(next_destroy_instance, PFN_vkDestroyInstance, DestroyInstance)
    REPLACE(next_create_device, PFN_vkCreateDevice, CreateDevice)
    return found;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice device, const char *name) {
    return replace(name, next_get_device(device, name));
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_next(void) {
    get_next = real_loader(vkGetInstanceProcAddr, "faults");
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    pthread_once(&once, open_next);
    const PFN_vkVoidFunction found = get_next(instance, name);
    if (found != NULL && strcmp(name, "vkGetDeviceProcAddr") == 0) {
        next_get_device = (PFN_vkGetDeviceProcAddr)found;
        return (PFN_vkVoidFunction)get_device;
    }
    return replace(name, found);
}
