#include "profiles/profiled.h"

#include <stdio.h>
#include <string.h>

#include "profiles/held.h"
#include "profiles/spirv.h"

/* The device functions that are looked at, without "vk". */
#define LOOKED_AT                                                                                                      \
    X(CreateShaderModule)                                                                                              \
    X(DestroyShaderModule)                                                                                             \
    X(CreateComputePipelines)                                                                                          \
    X(CreateDescriptorSetLayout)                                                                                       \
    X(DestroyDescriptorSetLayout)                                                                                      \
    X(CreatePipelineLayout)                                                                                            \
    X(UpdateDescriptorSets)                                                                                            \
    X(CmdDispatch)                                                                                                     \
    X(CmdPushConstants)                                                                                                \
    X(CmdCopyBuffer)                                                                                                   \
    X(CmdFillBuffer)                                                                                                   \
    X(CmdUpdateBuffer)

/* Those of the instance. */
#define LOOKED_AT_BEFORE                                                                                               \
    X(GetPhysicalDeviceProperties)                                                                                     \
    X(GetPhysicalDeviceProperties2)                                                                                    \
    X(GetPhysicalDeviceFeatures)                                                                                       \
    X(GetPhysicalDeviceFeatures2)                                                                                      \
    X(EnumerateDeviceExtensionProperties)                                                                              \
    X(CreateDevice)

/* The driver's functions. */
static struct {
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
#define X(name) PFN_vk##name name;
    LOOKED_AT LOOKED_AT_BEFORE
#undef X
} next;

/* Nothing in their arguments depends on a limit or a feature that profiles speak of. */
static const char *const passed[] = {
    "vkAllocateCommandBuffers",
    "vkAllocateDescriptorSets",
    "vkAllocateMemory",
    "vkBeginCommandBuffer",
    "vkBindBufferMemory",
    "vkCmdBindDescriptorSets",
    "vkCmdBindPipeline",
    "vkCmdPipelineBarrier",
    "vkCreateBuffer",
    "vkCreateCommandPool",
    "vkCreateDescriptorPool",
    "vkCreateFence",
    "vkCreatePipelineCache",
    "vkDestroyBuffer",
    "vkDestroyCommandPool",
    "vkDestroyDescriptorPool",
    "vkDestroyDevice",
    "vkDestroyFence",
    "vkDestroyInstance",
    "vkDestroyPipeline",
    "vkDestroyPipelineCache",
    "vkDestroyPipelineLayout",
    "vkEndCommandBuffer",
    "vkFreeDescriptorSets",
    "vkFreeMemory",
    "vkGetBufferMemoryRequirements",
    "vkGetDeviceQueue",
    "vkGetPhysicalDeviceMemoryProperties",
    "vkGetPhysicalDeviceQueueFamilyProperties",
    "vkGetPipelineCacheData",
    "vkMapMemory",
    "vkQueueSubmit",
    "vkUnmapMemory",
    "vkWaitForFences",
};

static struct profiled_info info;
static struct held held;

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
    properties->limits = held.limits;
}

static VKAPI_ATTR void VKAPI_CALL profiled_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                                        VkPhysicalDeviceProperties2 *properties) {
    if (!held_check_properties_chain(&held, properties->pNext)) {
        return;
    }
    next.GetPhysicalDeviceProperties2(device, properties);
    profiled_GetPhysicalDeviceProperties(device, &properties->properties);
    held_hide_properties(&held, properties->pNext);
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
    if (held_check_features_chain(&held, "vkGetPhysicalDeviceFeatures2", features)) {
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
    VkResult result = held_check_device(&held, create);
    return result == VK_SUCCESS ? next.CreateDevice(physical_device, create, callbacks, device) : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreateShaderModule(VkDevice device,
                                                                  const VkShaderModuleCreateInfo *create,
                                                                  const VkAllocationCallbacks *callbacks,
                                                                  VkShaderModule *module) {
    if (!held_check_module(&held, create)) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    VkResult result = next.CreateShaderModule(device, create, callbacks, module);
    if (result == VK_SUCCESS && !held_keep_module(&held, *module, create)) {
        next.DestroyShaderModule(device, *module, callbacks);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL profiled_DestroyShaderModule(VkDevice device, VkShaderModule module,
                                                               const VkAllocationCallbacks *callbacks) {
    held_forget_module(&held, module);
    next.DestroyShaderModule(device, module, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                      uint32_t count,
                                                                      const VkComputePipelineCreateInfo *creates,
                                                                      const VkAllocationCallbacks *callbacks,
                                                                      VkPipeline *pipelines) {
    for (uint32_t i = 0; i < count; i++) {
        if (!held_check_pipeline(&held, &creates[i])) {
            return VK_ERROR_INITIALIZATION_FAILED;
        }
    }
    return next.CreateComputePipelines(device, cache, count, creates, callbacks, pipelines);
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreateDescriptorSetLayout(VkDevice device,
                                                                         const VkDescriptorSetLayoutCreateInfo *create,
                                                                         const VkAllocationCallbacks *callbacks,
                                                                         VkDescriptorSetLayout *layout) {
    if (!held_check_set_layout(&held, create)) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    VkResult result = next.CreateDescriptorSetLayout(device, create, callbacks, layout);
    if (result == VK_SUCCESS && !held_keep_set_layout(&held, *layout, create)) {
        next.DestroyDescriptorSetLayout(device, *layout, callbacks);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL profiled_DestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout layout,
                                                                      const VkAllocationCallbacks *callbacks) {
    held_forget_set_layout(&held, layout);
    next.DestroyDescriptorSetLayout(device, layout, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL profiled_CreatePipelineLayout(VkDevice device,
                                                                    const VkPipelineLayoutCreateInfo *create,
                                                                    const VkAllocationCallbacks *callbacks,
                                                                    VkPipelineLayout *layout) {
    return held_check_pipeline_layout(&held, create) ? next.CreatePipelineLayout(device, create, callbacks, layout)
                                                     : VK_ERROR_INITIALIZATION_FAILED;
}

/* The functions that return nothing reach the driver even so: one that was dropped would leave a device in a state that
 * nobody tests, a descriptor unwritten for example. */

static VKAPI_ATTR void VKAPI_CALL profiled_UpdateDescriptorSets(VkDevice device, uint32_t write_count,
                                                                const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                                                const VkCopyDescriptorSet *copies) {
    for (uint32_t i = 0; i < write_count; i++) {
        held_check_write(&held, &writes[i]);
    }
    next.UpdateDescriptorSets(device, write_count, writes, copy_count, copies);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    held_check_dispatch(&held, (const uint32_t[3]){x, y, z});
    next.CmdDispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout,
                                                            VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                                            const void *values) {
    held_check_push_constants(&held, "vkCmdPushConstants", offset, size);
    next.CmdPushConstants(commands, layout, stages, offset, size, values);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdCopyBuffer(VkCommandBuffer commands, VkBuffer source, VkBuffer target,
                                                         uint32_t count, const VkBufferCopy *regions) {
    held_check_transfer(&held, "vkCmdCopyBuffer");
    next.CmdCopyBuffer(commands, source, target, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdFillBuffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                                         VkDeviceSize size, uint32_t value) {
    held_check_transfer(&held, "vkCmdFillBuffer");
    next.CmdFillBuffer(commands, buffer, offset, size, value);
}

static VKAPI_ATTR void VKAPI_CALL profiled_CmdUpdateBuffer(VkCommandBuffer commands, VkBuffer buffer,
                                                           VkDeviceSize offset, VkDeviceSize size, const void *data) {
    held_check_transfer(&held, "vkCmdUpdateBuffer");
    next.CmdUpdateBuffer(commands, buffer, offset, size, data);
}

/* What stands in for a function; `found` is the driver's. */
static PFN_vkVoidFunction replace(const char *name, PFN_vkVoidFunction found) {
    if (found == NULL) {
        return NULL;
    }
#define X(function)                                                                                                    \
    if (strcmp(name, "vk" #function) == 0) {                                                                           \
        next.function = (PFN_vk##function)found;                                                                       \
        return (PFN_vkVoidFunction)profiled_##function;                                                                \
    }
    LOOKED_AT LOOKED_AT_BEFORE
#undef X
        for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        if (strcmp(name, passed[i]) == 0) {
            return found;
        }
    }
    held_violation(&held, "%s is not looked at: it must be added to the profiles first", name);
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name) {
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    return replace(name, next.GetDeviceProcAddr(device, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL profiled_get_instance_proc_addr(VkInstance instance, const char *name) {
    PFN_vkVoidFunction found = info.next(instance, name);
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        next.GetDeviceProcAddr = (PFN_vkGetDeviceProcAddr)found;
        return found != NULL ? (PFN_vkVoidFunction)get_device_proc_addr : NULL;
    }
    return replace(name, found);
}

bool profiled_begin(const struct profiled_info *given) {
    info = *given;
    held_begin(&held, info.profile, info.transfer, info.on_violation, info.user_data);
    memset(&next, 0, sizeof next);
#define X(name) next.name = (PFN_vk##name)info.next(info.instance, "vk" #name);
    LOOKED_AT_BEFORE
#undef X
    if (next.GetPhysicalDeviceProperties == NULL || next.GetPhysicalDeviceProperties2 == NULL ||
        next.GetPhysicalDeviceFeatures2 == NULL) {
        return false;
    }
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroup};
    next.GetPhysicalDeviceProperties2(info.physical_device, &properties);
    held_restrict(&held, &properties.properties.limits, subgroup.supportedOperations);
    return true;
}

VkPhysicalDeviceLimits *profiled_limits(void) {
    return &held.limits;
}

unsigned profiled_violations(void) {
    return held.violations;
}
