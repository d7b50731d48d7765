#include "stub_driver.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

unsigned stub_calls;

/* A new object: what Vulkan's handles are is a number or a pointer, by platform. */
#define NEW_HANDLE(type) ((type)(uintptr_t)(++handles))
static uintptr_t handles = 100;

static VKAPI_ATTR void VKAPI_CALL stub_GetPhysicalDeviceProperties(VkPhysicalDevice device,
                                                                   VkPhysicalDeviceProperties *properties) {
    (void)device;
    VkPhysicalDeviceLimits *limits = &properties->limits;
    memset(properties, 0, sizeof *properties);
    memset(limits, 0xFF, sizeof *limits);
    properties->apiVersion = VK_MAKE_API_VERSION(0, 1, 3, 0);
    snprintf(properties->deviceName, sizeof properties->deviceName, "stub");
    limits->maxStorageBufferRange = STUB_STORAGE_BUFFER_RANGE;
    limits->minUniformBufferOffsetAlignment = limits->minStorageBufferOffsetAlignment = 1;
}

static VKAPI_ATTR void VKAPI_CALL stub_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                                    VkPhysicalDeviceProperties2 *properties) {
    stub_GetPhysicalDeviceProperties(device, &properties->properties);
    for (VkBaseOutStructure *at = properties->pNext; at != NULL; at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            VkPhysicalDeviceSubgroupProperties *subgroup = (VkPhysicalDeviceSubgroupProperties *)at;
            subgroup->subgroupSize = 32;
            subgroup->supportedStages = VK_SHADER_STAGE_ALL;
            subgroup->supportedOperations = 0xFF;
            subgroup->quadOperationsInAllStages = VK_TRUE;
        }
    }
}

/* The VkBool32 members of a struct from one offset to another. */
static void set_all(void *start, size_t first, size_t last) {
    for (size_t offset = first; offset <= last; offset += sizeof(VkBool32)) {
        memcpy((char *)start + offset, &(VkBool32){VK_TRUE}, sizeof(VkBool32));
    }
}

static VKAPI_ATTR void VKAPI_CALL stub_GetPhysicalDeviceFeatures(VkPhysicalDevice device,
                                                                 VkPhysicalDeviceFeatures *features) {
    (void)device;
    set_all(features, 0, sizeof *features - sizeof(VkBool32));
}

static VKAPI_ATTR void VKAPI_CALL stub_GetPhysicalDeviceFeatures2(VkPhysicalDevice device,
                                                                  VkPhysicalDeviceFeatures2 *features) {
    stub_GetPhysicalDeviceFeatures(device, &features->features);
    for (VkBaseOutStructure *at = features->pNext; at != NULL; at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            set_all(at, offsetof(VkPhysicalDeviceVulkan12Features, samplerMirrorClampToEdge),
                    offsetof(VkPhysicalDeviceVulkan12Features, subgroupBroadcastDynamicId));
        }
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL stub_EnumerateDeviceExtensionProperties(VkPhysicalDevice device,
                                                                              const char *layer, uint32_t *count,
                                                                              VkExtensionProperties *properties) {
    (void)device;
    (void)layer;
    (void)properties;
    *count = 3;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL stub_CreateDevice(VkPhysicalDevice physical_device,
                                                        const VkDeviceCreateInfo *info,
                                                        const VkAllocationCallbacks *callbacks, VkDevice *device) {
    (void)physical_device;
    (void)info;
    (void)callbacks;
    stub_calls++;
    *device = STUB_DEVICE;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL stub_DestroyDevice(VkDevice device, const VkAllocationCallbacks *callbacks) {
    (void)device;
    (void)callbacks;
    stub_calls++;
}

#define STUB_CREATE(name, info_type, handle_type)                                                                      \
    static VKAPI_ATTR VkResult VKAPI_CALL stub_##name(VkDevice device, const info_type *info,                          \
                                                      const VkAllocationCallbacks *callbacks, handle_type *handle) {   \
        (void)device;                                                                                                  \
        (void)info;                                                                                                    \
        (void)callbacks;                                                                                               \
        stub_calls++;                                                                                                  \
        *handle = NEW_HANDLE(handle_type);                                                                             \
        return VK_SUCCESS;                                                                                             \
    }
STUB_CREATE(CreateShaderModule, VkShaderModuleCreateInfo, VkShaderModule)
STUB_CREATE(CreateDescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout)
STUB_CREATE(CreatePipelineLayout, VkPipelineLayoutCreateInfo, VkPipelineLayout)

#define STUB_DESTROY(name, handle_type)                                                                                \
    static VKAPI_ATTR void VKAPI_CALL stub_##name(VkDevice device, handle_type handle,                                 \
                                                  const VkAllocationCallbacks *callbacks) {                            \
        (void)device;                                                                                                  \
        (void)handle;                                                                                                  \
        (void)callbacks;                                                                                               \
        stub_calls++;                                                                                                  \
    }
STUB_DESTROY(DestroyShaderModule, VkShaderModule)
STUB_DESTROY(DestroyDescriptorSetLayout, VkDescriptorSetLayout)

static VKAPI_ATTR VkResult VKAPI_CALL stub_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                  uint32_t count,
                                                                  const VkComputePipelineCreateInfo *infos,
                                                                  const VkAllocationCallbacks *callbacks,
                                                                  VkPipeline *pipelines) {
    (void)device;
    (void)cache;
    (void)infos;
    (void)callbacks;
    stub_calls++;
    for (uint32_t i = 0; i < count; i++) {
        pipelines[i] = NEW_HANDLE(VkPipeline);
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL stub_UpdateDescriptorSets(VkDevice device, uint32_t write_count,
                                                            const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                                            const VkCopyDescriptorSet *copies) {
    (void)device;
    (void)write_count;
    (void)writes;
    (void)copy_count;
    (void)copies;
    stub_calls++;
}

static VKAPI_ATTR void VKAPI_CALL stub_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    (void)commands;
    (void)x;
    (void)y;
    (void)z;
    stub_calls++;
}

static VKAPI_ATTR void VKAPI_CALL stub_CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout,
                                                        VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                                        const void *values) {
    (void)commands;
    (void)layout;
    (void)stages;
    (void)offset;
    (void)size;
    (void)values;
    stub_calls++;
}

static VKAPI_ATTR void VKAPI_CALL stub_CmdCopyBuffer(VkCommandBuffer commands, VkBuffer source, VkBuffer target,
                                                     uint32_t count, const VkBufferCopy *regions) {
    (void)commands;
    (void)source;
    (void)target;
    (void)count;
    (void)regions;
    stub_calls++;
}

static VKAPI_ATTR void VKAPI_CALL stub_CmdFillBuffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                                     VkDeviceSize size, uint32_t value) {
    (void)commands;
    (void)buffer;
    (void)offset;
    (void)size;
    (void)value;
    stub_calls++;
}

static VKAPI_ATTR void VKAPI_CALL stub_CmdUpdateBuffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                                       VkDeviceSize size, const void *data) {
    (void)commands;
    (void)buffer;
    (void)offset;
    (void)size;
    (void)data;
    stub_calls++;
}

static VKAPI_ATTR void VKAPI_CALL stub_unknown(void) {
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL stub_GetDeviceProcAddr(VkDevice device, const char *name) {
    (void)device;
    return stub_get_instance_proc_addr(STUB_INSTANCE, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL stub_get_instance_proc_addr(VkInstance instance, const char *name) {
    (void)instance;
#define STUB(function)                                                                                                 \
    if (strcmp(name, "vk" #function) == 0) {                                                                           \
        return (PFN_vkVoidFunction)stub_##function;                                                                    \
    }
#include "stub_functions.inc"
    return stub_unknown; /* it has every function */
}

void stub_load(struct stub_functions *functions, PFN_vkGetInstanceProcAddr get) {
    functions->GetDeviceProcAddr = (PFN_vkGetDeviceProcAddr)get(STUB_INSTANCE, "vkGetDeviceProcAddr");
    PFN_vkGetDeviceProcAddr device_get = functions->GetDeviceProcAddr;
#define STUB(name) functions->name = (PFN_vk##name)device_get(STUB_DEVICE, "vk" #name);
#include "stub_functions.inc"
}
