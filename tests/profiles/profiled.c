#include "profiles/profiled.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "profiles/held.h"
#include "profiles/spirv.h"
#include "profiles/uncalled.h"

/* More than any machine has; those past this many do not restrict. */
#define MAX_PHYSICAL_DEVICES 16

/* The functions that are looked at, without "vk". */
#define LOOKED_AT                                                                                                      \
    X(GetPhysicalDeviceProperties)                                                                                     \
    X(GetPhysicalDeviceProperties2)                                                                                    \
    X(GetPhysicalDeviceFeatures)                                                                                       \
    X(GetPhysicalDeviceMemoryProperties)                                                                               \
    X(GetBufferMemoryRequirements)                                                                                     \
    X(AllocateMemory)                                                                                                  \
    X(GetPhysicalDeviceFeatures2)                                                                                      \
    X(EnumerateDeviceExtensionProperties)                                                                              \
    X(CreateDevice)                                                                                                    \
    X(DestroyDevice)                                                                                                   \
    X(CreateShaderModule)                                                                                              \
    X(DestroyShaderModule)                                                                                             \
    X(CreateComputePipelines)                                                                                          \
    X(CreateDescriptorSetLayout)                                                                                       \
    X(DestroyDescriptorSetLayout)                                                                                      \
    X(CreatePipelineLayout)                                                                                            \
    X(GetPipelineCacheData)                                                                                            \
    X(UpdateDescriptorSets)                                                                                            \
    X(CmdDispatch)                                                                                                     \
    X(CmdPushConstants)                                                                                                \
    X(CmdCopyBuffer)                                                                                                   \
    X(CmdFillBuffer)                                                                                                   \
    X(CmdUpdateBuffer)

/* Those of before there is an instance. */
#define LOOKED_AT_BEFORE                                                                                               \
    X(CreateInstance)                                                                                                  \
    X(EnumerateInstanceVersion)

/* The loader's functions: each serves every instance and device, of whatever driver and with whatever layers. Those
 * that vkGetDeviceProcAddr gives do not. */
static struct {
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    PFN_vkEnumeratePhysicalDevices EnumeratePhysicalDevices;
    PFN_vkDestroyInstance DestroyInstance;
#define X(name) PFN_vk##name name;
    LOOKED_AT LOOKED_AT_BEFORE
#undef X
} next;

/* Nothing in their arguments depends on a limit or a feature that profiles speak of. */
static const char *const passed[] = {
    "vkAllocateCommandBuffers",
    "vkAllocateDescriptorSets",
    "vkBeginCommandBuffer",
    "vkBindBufferMemory",
    "vkCmdBeginDebugUtilsLabelEXT",
    "vkCmdBindDescriptorSets",
    "vkCmdBindPipeline",
    "vkCmdEndDebugUtilsLabelEXT",
    "vkCmdPipelineBarrier",
    "vkCmdResetQueryPool",
    "vkCmdWriteTimestamp",
    "vkCreateBuffer",
    "vkCreateCommandPool",
    "vkCreateDebugUtilsMessengerEXT",
    "vkCreateDescriptorPool",
    "vkCreateFence",
    "vkCreatePipelineCache",
    "vkCreateQueryPool",
    "vkDestroyBuffer",
    "vkDestroyCommandPool",
    "vkDestroyDebugUtilsMessengerEXT",
    "vkDestroyDescriptorPool",
    "vkDestroyFence",
    "vkDestroyInstance",
    "vkDestroyPipeline",
    "vkDestroyPipelineCache",
    "vkDestroyPipelineLayout",
    "vkDestroyQueryPool",
    "vkDeviceWaitIdle",
    "vkEndCommandBuffer",
    "vkEnumerateInstanceExtensionProperties",
    "vkEnumerateInstanceLayerProperties",
    "vkEnumeratePhysicalDevices",
    "vkFreeCommandBuffers",
    "vkFreeDescriptorSets",
    "vkFreeMemory",
    "vkGetDeviceQueue",
    "vkGetPhysicalDeviceQueueFamilyProperties",
    "vkGetQueryPoolResults",
    "vkMapMemory",
    "vkMergePipelineCaches",
    "vkQueueSubmit",
    "vkQueueWaitIdle",
    "vkResetCommandPool",
    "vkResetFences",
    "vkSetDebugUtilsObjectNameEXT",
    "vkUnmapMemory",
    "vkWaitForFences",
};

static struct profiled_info info;
static struct held held; /* with `next`, behind the lock while there may be threads */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
    pthread_mutex_lock(&mutex);
}

/* Returns what was found out behind the lock. */
static bool unlock(bool found) {
    pthread_mutex_unlock(&mutex);
    return found;
}

static VKAPI_ATTR void VKAPI_CALL profiled_GetPhysicalDeviceProperties(VkPhysicalDevice device,
                                                                       VkPhysicalDeviceProperties *properties) {
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    next.GetPhysicalDeviceProperties(device, properties);
    memcpy(name, properties->deviceName, sizeof name);
    name[sizeof name - 1] = '\0';
    snprintf(properties->deviceName, sizeof properties->deviceName, "%.200s as profile %.32s", name,
             info.profile->name);
    properties->apiVersion = VK_API_VERSION_1_2;
    properties->vendorID = info.profile->vendor_id;
    properties->deviceType = info.profile->type;
    lock();
    profile_merge_limits(&held.limits, &properties->limits);
    unlock(true);
}

/* ---- memory: all of it is of the device's first type, whatever the profile calls it ---- */

#define CARD     VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define MAPPED   (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define MACHINES (MAPPED | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)

static VKAPI_ATTR void VKAPI_CALL profiled_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device,
                                                                             VkPhysicalDeviceMemoryProperties *memory) {
    next.GetPhysicalDeviceMemoryProperties(device, memory);
    if (info.profile->memory == PROFILE_MEMORY_DEVICES) {
        return;
    }
    const VkDeviceSize bytes = memory->memoryHeaps[0].size;
    const bool open = info.profile->memory == PROFILE_MEMORY_OPEN;
    *memory =
        (VkPhysicalDeviceMemoryProperties){.memoryTypeCount = 3,
                                           .memoryTypes = {{CARD, 0}, {MACHINES, 1}, {CARD | MAPPED, open ? 0 : 2}},
                                           .memoryHeapCount = open ? 2 : 3,
                                           .memoryHeaps = {{bytes, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT},
                                                           {bytes, 0},
                                                           {(VkDeviceSize)256 << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}}};
}

static VKAPI_ATTR void VKAPI_CALL profiled_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                                       VkMemoryRequirements *requirements) {
    next.GetBufferMemoryRequirements(device, buffer, requirements);
    if (info.profile->memory != PROFILE_MEMORY_DEVICES) {
        requirements->memoryTypeBits = requirements->memoryTypeBits & 1 ? 7 : 0;
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *allocate,
                                                              const VkAllocationCallbacks *callbacks,
                                                              VkDeviceMemory *memory) {
    VkMemoryAllocateInfo own = *allocate;
    if (info.profile->memory != PROFILE_MEMORY_DEVICES) {
        own.memoryTypeIndex = 0;
    }
    return next.AllocateMemory(device, &own, callbacks, memory);
}

static VKAPI_ATTR void VKAPI_CALL profiled_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                                        VkPhysicalDeviceProperties2 *properties) {
    lock();
    if (!unlock(held_check_properties_chain(&held, properties->pNext))) {
        return;
    }
    next.GetPhysicalDeviceProperties2(device, properties);
    profiled_GetPhysicalDeviceProperties(device, &properties->properties);
    lock();
    held_hide_properties(&held, properties->pNext);
    unlock(true);
}

static VKAPI_ATTR void VKAPI_CALL profiled_GetPhysicalDeviceFeatures(VkPhysicalDevice device,
                                                                     VkPhysicalDeviceFeatures *features) {
    VkPhysicalDeviceFeatures2 features2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    next.GetPhysicalDeviceFeatures(device, &features2.features);
    held_hide_features(&held, &features2);
    *features = features2.features;
}

static VKAPI_ATTR void VKAPI_CALL profiled_GetPhysicalDeviceFeatures2(VkPhysicalDevice device,
                                                                      VkPhysicalDeviceFeatures2 *features) {
    lock();
    if (unlock(held_check_features_chain(&held, "vkGetPhysicalDeviceFeatures2", features))) {
        next.GetPhysicalDeviceFeatures2(device, features);
        held_hide_features(&held, features);
    }
}

/* No profile has extensions: the library asks for none, and what it does not know of it cannot use. */
static VKAPI_ATTR VkResult VKAPI_CALL profiled_EnumerateDeviceExtensionProperties(VkPhysicalDevice device,
                                                                                  const char *layer, uint32_t *count,
                                                                                  VkExtensionProperties *properties) {
    (void)device;
    (void)layer;
    (void)properties;
    *count = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreateDevice(VkPhysicalDevice physical_device,
                                                            const VkDeviceCreateInfo *create,
                                                            const VkAllocationCallbacks *callbacks, VkDevice *device) {
    uint32_t enabled;
    lock();
    VkResult result = held_check_device(&held, create, &enabled);
    unlock(true);
    if (result != VK_SUCCESS) {
        return result;
    }
    result = next.CreateDevice(physical_device, create, callbacks, device);
    lock();
    if (!unlock(result != VK_SUCCESS || held_keep_device(&held, *device, enabled))) {
        next.DestroyDevice(*device, callbacks);
        result = VK_ERROR_TOO_MANY_OBJECTS;
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL profiled_DestroyDevice(VkDevice device, const VkAllocationCallbacks *callbacks) {
    lock();
    held_forget_device(&held, device);
    unlock(true);
    next.DestroyDevice(device, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreateShaderModule(VkDevice device,
                                                                  const VkShaderModuleCreateInfo *create,
                                                                  const VkAllocationCallbacks *callbacks,
                                                                  VkShaderModule *module) {
    lock();
    if (!unlock(held_check_module(&held, device, create))) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    VkResult result = next.CreateShaderModule(device, create, callbacks, module);
    lock();
    if (!unlock(result != VK_SUCCESS || held_keep_module(&held, device, *module, create))) {
        next.DestroyShaderModule(device, *module, callbacks);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL profiled_DestroyShaderModule(VkDevice device, VkShaderModule module,
                                                               const VkAllocationCallbacks *callbacks) {
    lock();
    held_forget_module(&held, device, module);
    unlock(true);
    next.DestroyShaderModule(device, module, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                      uint32_t count,
                                                                      const VkComputePipelineCreateInfo *creates,
                                                                      const VkAllocationCallbacks *callbacks,
                                                                      VkPipeline *pipelines) {
    for (uint32_t i = 0; i < count; i++) {
        lock();
        if (!unlock(held_check_pipeline(&held, device, &creates[i]))) {
            return VK_ERROR_INITIALIZATION_FAILED;
        }
    }
    return next.CreateComputePipelines(device, cache, count, creates, callbacks, pipelines);
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreateDescriptorSetLayout(VkDevice device,
                                                                         const VkDescriptorSetLayoutCreateInfo *create,
                                                                         const VkAllocationCallbacks *callbacks,
                                                                         VkDescriptorSetLayout *layout) {
    lock();
    if (!unlock(held_check_set_layout(&held, create))) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    VkResult result = next.CreateDescriptorSetLayout(device, create, callbacks, layout);
    lock();
    if (!unlock(result != VK_SUCCESS || held_keep_set_layout(&held, device, *layout, create))) {
        next.DestroyDescriptorSetLayout(device, *layout, callbacks);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL profiled_DestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout layout,
                                                                      const VkAllocationCallbacks *callbacks) {
    lock();
    held_forget_set_layout(&held, device, layout);
    unlock(true);
    next.DestroyDescriptorSetLayout(device, layout, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreatePipelineLayout(VkDevice device,
                                                                    const VkPipelineLayoutCreateInfo *create,
                                                                    const VkAllocationCallbacks *callbacks,
                                                                    VkPipelineLayout *layout) {
    lock();
    if (!unlock(held_check_pipeline_layout(&held, device, create))) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    return next.CreatePipelineLayout(device, create, callbacks, layout);
}

/* The header names the profile's vendor, as the properties do. The driver then does not take such data for its own, and
 * begins with an empty cache. */
static VKAPI_ATTR VkResult VKAPI_CALL profiled_GetPipelineCacheData(VkDevice device, VkPipelineCache cache,
                                                                    size_t *size, void *data) {
    VkResult result = next.GetPipelineCacheData(device, cache, size, data);
    const size_t at = offsetof(VkPipelineCacheHeaderVersionOne, vendorID);
    if (result >= 0 && data != NULL && *size >= at + sizeof info.profile->vendor_id) {
        memcpy((char *)data + at, &info.profile->vendor_id, sizeof info.profile->vendor_id);
    }
    return result;
}

/* The functions that return nothing reach the driver even so: one that was dropped would leave a device in a state that
 * nobody tests, a descriptor unwritten for example. */

static VKAPI_ATTR void VKAPI_CALL profiled_UpdateDescriptorSets(VkDevice device, uint32_t write_count,
                                                                const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                                                const VkCopyDescriptorSet *copies) {
    lock();
    for (uint32_t i = 0; i < write_count; i++) {
        held_check_write(&held, &writes[i]);
    }
    unlock(true);
    next.UpdateDescriptorSets(device, write_count, writes, copy_count, copies);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    lock();
    unlock(held_check_dispatch(&held, (const uint32_t[3]){x, y, z}));
    next.CmdDispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout,
                                                            VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                                            const void *values) {
    lock();
    unlock(held_check_push_constants(&held, "vkCmdPushConstants", offset, size));
    next.CmdPushConstants(commands, layout, stages, offset, size, values);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdCopyBuffer(VkCommandBuffer commands, VkBuffer source, VkBuffer target,
                                                         uint32_t count, const VkBufferCopy *regions) {
    lock();
    unlock(held_check_transfer(&held, "vkCmdCopyBuffer"));
    next.CmdCopyBuffer(commands, source, target, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdFillBuffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                                         VkDeviceSize size, uint32_t value) {
    lock();
    unlock(held_check_transfer(&held, "vkCmdFillBuffer"));
    next.CmdFillBuffer(commands, buffer, offset, size, value);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdUpdateBuffer(VkCommandBuffer commands, VkBuffer buffer,
                                                           VkDeviceSize offset, VkDeviceSize size, const void *data) {
    lock();
    unlock(held_check_transfer(&held, "vkCmdUpdateBuffer"));
    next.CmdUpdateBuffer(commands, buffer, offset, size, data);
}

static bool load(VkInstance instance) {
#define X(name) next.name = (PFN_vk##name)info.next(instance, "vk" #name);
    X(GetDeviceProcAddr)
    X(EnumeratePhysicalDevices)
    X(DestroyInstance)
    LOOKED_AT
#undef X
    return next.GetDeviceProcAddr != NULL && next.GetPhysicalDeviceProperties != NULL &&
           next.GetPhysicalDeviceProperties2 != NULL && next.GetPhysicalDeviceFeatures2 != NULL;
}

static void restrict_to(VkPhysicalDevice device) {
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroup};
    next.GetPhysicalDeviceProperties2(device, &properties);
    held_restrict(&held, &properties.properties.limits, subgroup.supportedOperations);
}

/* The first instance tells the machine's devices. All of them restrict: a call need not say whose command it records.
 */
static VkResult look_around(VkInstance instance) {
    VkPhysicalDevice devices[MAX_PHYSICAL_DEVICES];
    uint32_t count = MAX_PHYSICAL_DEVICES;
    if (held.restricted) {
        return VK_SUCCESS;
    }
    if (!load(instance)) {
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    VkResult result = next.EnumeratePhysicalDevices(instance, &count, devices);
    for (uint32_t i = 0; result >= 0 && i < count; i++) {
        restrict_to(devices[i]);
    }
    return result >= 0 ? VK_SUCCESS : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreateInstance(const VkInstanceCreateInfo *create,
                                                              const VkAllocationCallbacks *callbacks,
                                                              VkInstance *instance) {
    lock();
    if (!unlock(held_check_instance(&held, create))) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    VkResult result = next.CreateInstance(create, callbacks, instance);
    if (result == VK_SUCCESS) {
        lock();
        result = look_around(*instance);
        unlock(true);
        if (result != VK_SUCCESS && next.DestroyInstance != NULL) {
            next.DestroyInstance(*instance, callbacks);
        }
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_EnumerateInstanceVersion(uint32_t *version) {
    VkResult result = next.EnumerateInstanceVersion(version);
    if (result == VK_SUCCESS && *version > VK_API_VERSION_1_2) {
        *version = VK_API_VERSION_1_2;
    }
    return result;
}

static void tell_call(const char *name) {
    lock();
    unlock(held_violation(&held, "%s is called, but not looked at: it must be added to the profiles first", name));
}

/* What stands in for a function; `found` is the driver's. */
static PFN_vkVoidFunction replace(const char *name, PFN_vkVoidFunction found) {
    if (found == NULL) {
        return NULL;
    }
#define X(function)                                                                                                    \
    if (strcmp(name, "vk" #function) == 0) {                                                                           \
        return (PFN_vkVoidFunction)profiled_##function;                                                                \
    }
    LOOKED_AT LOOKED_AT_BEFORE
#undef X
        for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        if (strcmp(name, passed[i]) == 0) {
            return found;
        }
    }
    lock();
    PFN_vkVoidFunction uncalled = NULL;
    if (info.whole) {
        uncalled = uncalled_function(name, tell_call);
    } else {
        held_violation(&held, "%s is not looked at: it must be added to the profiles first", name);
    }
    unlock(true);
    return uncalled;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name) {
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    return replace(name, next.GetDeviceProcAddr(device, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL profiled_get_instance_proc_addr(VkInstance instance, const char *name) {
    PFN_vkVoidFunction found = info.next(instance, name);
    if (found != NULL && strcmp(name, "vkGetInstanceProcAddr") == 0) {
        return (PFN_vkVoidFunction)profiled_get_instance_proc_addr;
    }
    if (found != NULL && strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    return replace(name, found);
}

bool profiled_begin(const struct profiled_info *given) {
    info = *given;
    held_begin(&held, info.profile, info.transfer, info.on_violation, info.user_data);
    memset(&next, 0, sizeof next);
    if (info.whole) {
#define X(name) next.name = (PFN_vk##name)info.next(VK_NULL_HANDLE, "vk" #name);
        LOOKED_AT_BEFORE
#undef X
        return next.CreateInstance != NULL && next.EnumerateInstanceVersion != NULL;
    }
    if (!load(info.instance)) {
        return false;
    }
    restrict_to(info.physical_device);
    return true;
}

VkPhysicalDeviceLimits *profiled_limits(void) {
    return &held.limits;
}

unsigned profiled_violations(void) {
    return held.violations;
}
