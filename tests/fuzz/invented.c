#include "invented.h"

#include <stdlib.h>
#include <string.h>

#include "require.h"

#define DEVICE_USES 20000 /* that a device is for: it keeps their pipelines */

static VKAPI_ATTR void VKAPI_CALL invented_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                                        VkPhysicalDeviceProperties2 *properties) {
    (void)device;
    memset(&properties->properties, 0, sizeof properties->properties);
    memset(&properties->properties.limits, 0x7F, sizeof properties->properties.limits);
    properties->properties.apiVersion = VK_API_VERSION_1_2;
    properties->properties.vendorID = INVENTED_VENDOR;
    properties->properties.deviceID = INVENTED_DEVICE;
    memset(properties->properties.pipelineCacheUUID, INVENTED_UUID, VK_UUID_SIZE);
    properties->properties.limits.maxStorageBufferRange = 0x40000000;
    properties->properties.limits.minUniformBufferOffsetAlignment = 4;
    properties->properties.limits.minStorageBufferOffsetAlignment = 4;
}

static VKAPI_ATTR void VKAPI_CALL
invented_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *properties) {
    (void)device;
    memset(properties, 0, sizeof *properties);
    properties->memoryTypeCount = 1;
    properties->memoryTypes[0].propertyFlags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    properties->memoryHeapCount = 1;
}

static VKAPI_ATTR void VKAPI_CALL invented_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device,
                                                                                  uint32_t *count,
                                                                                  VkQueueFamilyProperties *families) {
    (void)device;
    if (families != NULL) {
        memset(families, 0, sizeof *families);
        families->queueFlags = VK_QUEUE_COMPUTE_BIT;
        families->queueCount = 1;
    }
    *count = 1;
}

#define INVENTED_CREATE(function, handle_type)                                                                         \
    static VKAPI_ATTR VkResult VKAPI_CALL invented_##function(VkDevice device, const Vk##function##Info *info,         \
                                                              const VkAllocationCallbacks *callbacks,                  \
                                                              handle_type *handle) {                                   \
        (void)device;                                                                                                  \
        (void)info;                                                                                                    \
        (void)callbacks;                                                                                               \
        *handle = (handle_type)(uintptr_t)64;                                                                          \
        return VK_SUCCESS;                                                                                             \
    }
#define VkCreateBufferInfo              VkBufferCreateInfo
#define VkCreateDescriptorPoolInfo      VkDescriptorPoolCreateInfo
#define VkCreateDescriptorSetLayoutInfo VkDescriptorSetLayoutCreateInfo
#define VkCreatePipelineLayoutInfo      VkPipelineLayoutCreateInfo
#define VkCreateShaderModuleInfo        VkShaderModuleCreateInfo
INVENTED_CREATE(CreateBuffer, VkBuffer)
INVENTED_CREATE(CreateDescriptorPool, VkDescriptorPool)
INVENTED_CREATE(CreateDescriptorSetLayout, VkDescriptorSetLayout)
INVENTED_CREATE(CreatePipelineLayout, VkPipelineLayout)
INVENTED_CREATE(CreateShaderModule, VkShaderModule)

#define INVENTED_DESTROY(function, handle_type)                                                                        \
    static VKAPI_ATTR void VKAPI_CALL invented_##function(VkDevice device, handle_type handle,                         \
                                                          const VkAllocationCallbacks *callbacks) {                    \
        (void)device;                                                                                                  \
        (void)handle;                                                                                                  \
        (void)callbacks;                                                                                               \
    }
INVENTED_DESTROY(DestroyBuffer, VkBuffer)
INVENTED_DESTROY(DestroyDescriptorPool, VkDescriptorPool)
INVENTED_DESTROY(DestroyDescriptorSetLayout, VkDescriptorSetLayout)
INVENTED_DESTROY(DestroyPipeline, VkPipeline)
INVENTED_DESTROY(DestroyPipelineCache, VkPipelineCache)
INVENTED_DESTROY(DestroyPipelineLayout, VkPipelineLayout)
INVENTED_DESTROY(DestroyShaderModule, VkShaderModule)

struct invented_cache invented_cache;

/* Reads all that it is given, as a driver may. */
static VKAPI_ATTR VkResult VKAPI_CALL invented_CreatePipelineCache(VkDevice device,
                                                                   const VkPipelineCacheCreateInfo *info,
                                                                   const VkAllocationCallbacks *callbacks,
                                                                   VkPipelineCache *cache) {
    (void)device;
    (void)callbacks;
    const unsigned char *bytes = info->pInitialData;
    invented_cache = (struct invented_cache){invented_cache.created + 1, info->initialDataSize, 0};
    for (size_t i = 0; i < info->initialDataSize; i++) {
        invented_cache.sum += bytes[i];
    }
    *cache = (VkPipelineCache)(uintptr_t)64;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL invented_MergePipelineCaches(VkDevice device, VkPipelineCache cache,
                                                                   uint32_t count, const VkPipelineCache *caches) {
    (void)device;
    (void)cache;
    REQUIRE(count == 1 && caches[0] != VK_NULL_HANDLE);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL invented_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                      uint32_t count,
                                                                      const VkComputePipelineCreateInfo *infos,
                                                                      const VkAllocationCallbacks *callbacks,
                                                                      VkPipeline *pipelines) {
    (void)device;
    (void)cache;
    (void)infos;
    (void)callbacks;
    for (uint32_t i = 0; i < count; i++) {
        pipelines[i] = (VkPipeline)(uintptr_t)64;
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL invented_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                                       VkMemoryRequirements *requirements) {
    (void)device;
    (void)buffer;
    *requirements = (VkMemoryRequirements){.size = 1 << 20, .alignment = 16, .memoryTypeBits = 1};
}

static VKAPI_ATTR VkResult VKAPI_CALL invented_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                              const VkAllocationCallbacks *callbacks,
                                                              VkDeviceMemory *memory) {
    (void)device;
    (void)callbacks;
    void *bytes = calloc(1, info->allocationSize);
    *memory = (VkDeviceMemory)(uintptr_t)bytes;
    return bytes == NULL ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL invented_FreeMemory(VkDevice device, VkDeviceMemory memory,
                                                      const VkAllocationCallbacks *callbacks) {
    (void)device;
    (void)callbacks;
    free((void *)(uintptr_t)memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL invented_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                         VkDeviceSize size, VkMemoryMapFlags flags, void **data) {
    (void)device;
    (void)size;
    (void)flags;
    *data = (char *)(uintptr_t)memory + offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL invented_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                                VkDeviceSize offset) {
    (void)device;
    (void)buffer;
    (void)memory;
    (void)offset;
    return VK_SUCCESS;
}

/* Of the features that it is asked for it has none: they are false before. */
static VKAPI_ATTR void VKAPI_CALL invented_GetPhysicalDeviceFeatures2(VkPhysicalDevice physical_device,
                                                                      VkPhysicalDeviceFeatures2 *features) {
    (void)physical_device;
    (void)features;
}

/* What compiling does not call: recording, and what tables of bindings have. */
static VKAPI_ATTR void VKAPI_CALL uncalled(void) {
    abort();
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice device, const char *name);

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char *name) {
    (void)instance;
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device},
#define INVENTED(name) {"vk" #name, (PFN_vkVoidFunction)invented_##name},
        INVENTED(GetPhysicalDeviceFeatures2) INVENTED(GetPhysicalDeviceProperties2)
            INVENTED(GetPhysicalDeviceMemoryProperties) INVENTED(GetPhysicalDeviceQueueFamilyProperties)
                INVENTED(CreateBuffer) INVENTED(CreateDescriptorPool) INVENTED(CreateDescriptorSetLayout)
                    INVENTED(CreatePipelineCache) INVENTED(CreatePipelineLayout) INVENTED(CreateShaderModule)
                        INVENTED(CreateComputePipelines) INVENTED(DestroyBuffer) INVENTED(DestroyDescriptorPool)
                            INVENTED(DestroyDescriptorSetLayout) INVENTED(DestroyPipeline)
                                INVENTED(DestroyPipelineCache) INVENTED(DestroyPipelineLayout)
                                    INVENTED(DestroyShaderModule) INVENTED(GetBufferMemoryRequirements)
                                        INVENTED(AllocateMemory) INVENTED(FreeMemory) INVENTED(MapMemory)
                                            INVENTED(BindBufferMemory) INVENTED(MergePipelineCaches)};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return functions[i].function;
        }
    }
    return strstr(name, "EXT") != NULL ? NULL : (PFN_vkVoidFunction)uncalled;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice device, const char *name) {
    (void)device;
    return get(VK_NULL_HANDLE, name);
}

VkdmlDeviceCreateInfo invented_info(void) {
    return (VkdmlDeviceCreateInfo){.structSize = sizeof(VkdmlDeviceCreateInfo),
                                   .headerVersion = VKDML_HEADER_VERSION,
                                   .instance = (VkInstance)(uintptr_t)64,
                                   .physicalDevice = (VkPhysicalDevice)(uintptr_t)64,
                                   .device = (VkDevice)(uintptr_t)64,
                                   .getInstanceProcAddr = get};
}

static VkdmlDevice device;
static unsigned device_age;

VkdmlDevice invented_device(void) {
    if (++device_age > DEVICE_USES) {
        invented_end();
    }
    const VkdmlDeviceCreateInfo info = invented_info();
    REQUIRE(device != NULL || vkdmlCreateDevice(&info, &device) == VKDML_SUCCESS);
    return device;
}

void invented_end(void) {
    vkdmlDestroyDevice(device);
    device = NULL;
    device_age = 0;
}
