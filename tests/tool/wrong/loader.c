/* A Vulkan loader, before the real one, whose device goes wrong, or says of itself what its driver does not: it is
 * found by LD_LIBRARY_PATH, for tests of who must notice.
 *
 * The environment:
 *   VKDML_TEST_WRONG_WAIT=N  after the N-th vkWaitForFences(), from 1, a bit of all memory that is mapped is another
 *   VKDML_TEST_LOST_SUBMIT=N the N-th vkQueueSubmit() returns VK_ERROR_DEVICE_LOST, and so do all after it
 *   VKDML_TEST_HANG_SUBMIT=N what the N-th vkQueueSubmit() submits never ends: "hangs" is on stderr at the first wait
 * for it, and all end with VK_TIMEOUT
 *   VKDML_TEST_DRIVER_INFO=TEXT the driver is lavapipe, and TEXT is its driverInfo
 *   VKDML_TEST_KEEPS_HALVES=1  the driver states that FLOAT16's denormals are kept */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "harness/real_loader.h"

#define MAX_MAPPINGS 64

static pthread_once_t once = PTHREAD_ONCE_INIT;
static PFN_vkGetInstanceProcAddr get_real;
static PFN_vkGetDeviceProcAddr get_of_device;
static PFN_vkMapMemory map_memory;
static PFN_vkFreeMemory free_memory;
static PFN_vkWaitForFences wait_for_fences;
static PFN_vkQueueSubmit queue_submit;
static PFN_vkGetPhysicalDeviceProperties2 get_properties;

static long wrong_wait, lost_submit, hang_submit;
static long waits, submits;

static struct {
    VkDeviceMemory memory; /* VK_NULL_HANDLE: a free place */
    unsigned char *bytes;
} mappings[MAX_MAPPINGS];

static long number(const char *variable) {
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : 0;
}

static void open_real(void) {
    get_real = real_loader(vkGetInstanceProcAddr, "the wrong device");
    wrong_wait = number("VKDML_TEST_WRONG_WAIT");
    lost_submit = number("VKDML_TEST_LOST_SUBMIT");
    hang_submit = number("VKDML_TEST_HANG_SUBMIT");
}

static VKAPI_ATTR VkResult VKAPI_CALL map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                          VkDeviceSize size, VkMemoryMapFlags flags, void **data) {
    const VkResult result = map_memory(device, memory, offset, size, flags, data);
    for (size_t i = 0; i < MAX_MAPPINGS && result == VK_SUCCESS; i++) {
        if (mappings[i].memory == VK_NULL_HANDLE) {
            mappings[i].memory = memory;
            mappings[i].bytes = *data;
            break;
        }
    }
    return result;
}

/* Which unmaps it. */
static VKAPI_ATTR void VKAPI_CALL forget(VkDevice device, VkDeviceMemory memory,
                                         const VkAllocationCallbacks *callbacks) {
    for (size_t i = 0; i < MAX_MAPPINGS && memory != VK_NULL_HANDLE; i++) {
        if (mappings[i].memory == memory) {
            mappings[i].memory = VK_NULL_HANDLE;
        }
    }
    free_memory(device, memory, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all,
                                           uint64_t timeout) {
    const VkResult result = wait_for_fences(device, count, fences, all, timeout);
    if (hang_submit != 0 && submits >= hang_submit) {
        static bool told;
        fputs(told ? "" : "hangs\n", stderr);
        told = true;
        return VK_TIMEOUT;
    }
    waits += result == VK_SUCCESS; /* and not those that somebody asks in between whether to go on */
    if (result == VK_SUCCESS && waits == wrong_wait) {
        for (size_t i = 0; i < MAX_MAPPINGS; i++) {
            if (mappings[i].memory != VK_NULL_HANDLE) {
                mappings[i].bytes[0] ^= 0x40;
            }
        }
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits_,
                                             VkFence fence) {
    submits++;
    return lost_submit != 0 && submits >= lost_submit ? VK_ERROR_DEVICE_LOST
                                                      : queue_submit(queue, count, submits_, fence);
}

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *told) {
    const char *info = getenv("VKDML_TEST_DRIVER_INFO");
    const bool keeps_halves = number("VKDML_TEST_KEEPS_HALVES") != 0;
    get_properties(device, told);
    for (VkBaseOutStructure *next = told->pNext; next; next = next->pNext) {
        if (keeps_halves && next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES) {
            ((VkPhysicalDeviceFloatControlsProperties *)next)->shaderDenormPreserveFloat16 = VK_TRUE;
        }
        if (info && next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            VkPhysicalDeviceDriverProperties *driver = (VkPhysicalDeviceDriverProperties *)next;
            driver->driverID = VK_DRIVER_ID_MESA_LLVMPIPE;
            snprintf(driver->driverInfo, sizeof driver->driverInfo, "%s", info);
        }
    }
}

static PFN_vkVoidFunction of_device(VkDevice device, const char *name);

#define REPLACE(wanted, real, own)                                                                                     \
    if (strcmp(name, wanted) == 0) {                                                                                   \
        memcpy(&(real), &found, sizeof found);                                                                         \
        return (PFN_vkVoidFunction)(own);                                                                              \
    }

/* What is asked for, or what stands before it. */
static PFN_vkVoidFunction replace(const char *name, PFN_vkVoidFunction found) {
    if (!found) {
        return found;
    }
    REPLACE("vkMapMemory", map_memory, map)
    REPLACE("vkFreeMemory", free_memory, forget)
    REPLACE("vkWaitForFences", wait_for_fences, wait)
    REPLACE("vkQueueSubmit", queue_submit, submit)
    REPLACE("vkGetPhysicalDeviceProperties2", get_properties, properties)
    REPLACE("vkGetDeviceProcAddr", get_of_device, of_device)
    return found;
}

static PFN_vkVoidFunction of_device(VkDevice device, const char *name) {
    return replace(name, get_of_device(device, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    pthread_once(&once, open_real);
    return replace(name, get_real(instance, name));
}
