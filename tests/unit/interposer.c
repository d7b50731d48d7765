#include "interposer.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cooperative_matrix.h"

_Thread_local uint32_t interposer_own_calls[INTERPOSED_COUNT];
struct interposer interposer;

static PFN_vkGetInstanceProcAddr next_get_instance_proc_addr;
static PFN_vkGetDeviceProcAddr next_get_device_proc_addr;
static PFN_vkGetPhysicalDeviceFeatures2 next_get_features;
static PFN_vkGetPhysicalDeviceProperties2 next_get_properties;
static PFN_vkSetDebugUtilsObjectNameEXT next_set_name;
static PFN_vkCmdBeginDebugUtilsLabelEXT next_begin_label;
static PFN_vkCmdEndDebugUtilsLabelEXT next_end_label;
static PFN_vkGetPhysicalDeviceQueueFamilyProperties next_get_queue_families;

/* The driver's functions, by name. */
static struct {
#define INTERPOSE(name, ...) PFN_vk##name name;
#include "interposed.inc"
} next;

/* Adds a line to the trace. */
static void trace(const char *what, const char *text) {
    const size_t length = strlen(interposer.trace);
    if (interposer.traces) {
        snprintf(interposer.trace + length, sizeof interposer.trace - length, "%s%s\n", what, text);
    }
}

static bool fails(enum interposed function) {
    const uint32_t call = ++interposer.calls[function];
    interposer_own_calls[function]++;
    return interposer.failing == function && interposer.fail_at != 0 &&
           (interposer.stays ? call >= interposer.fail_at : call == interposer.fail_at);
}

/* What a test may want to see of a call's arguments. */
static void observe_UpdateDescriptorSets(uint32_t count, const VkWriteDescriptorSet *writes) {
    for (uint32_t i = 0; i < count; i++) {
        if (writes[i].descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER && writes[i].dstBinding == 1) {
            interposer.storage = *writes[i].pBufferInfo;
        }
    }
}

#define RETURNED_CREATES  VkResult
#define RETURNED_REPORTS  VkResult
#define RETURNED_DESTROYS void
#define RETURNED_RECORDS  void
#define BODY_CREATES(name, arguments)                                                                                  \
    if (fails(INTERPOSED_##name)) {                                                                                    \
        return interposer.failure;                                                                                     \
    }                                                                                                                  \
    VkResult result = next.name arguments;                                                                             \
    interposer.live += result == VK_SUCCESS;                                                                           \
    return result;
#define BODY_REPORTS(name, arguments) return fails(INTERPOSED_##name) ? interposer.failure : next.name arguments;
#define BODY_DESTROYS(name, arguments)                                                                                 \
    interposer.calls[INTERPOSED_##name]++;                                                                             \
    interposer.live--;                                                                                                 \
    next.name arguments;
#define BODY_RECORDS(name, arguments)                                                                                  \
    interposer.calls[INTERPOSED_##name]++;                                                                             \
    trace("vk", #name);                                                                                                \
    next.name arguments;

#define INTERPOSE(name, kind, parameters, arguments)                                                                   \
    static VKAPI_ATTR RETURNED_##kind VKAPI_CALL interposed_##name parameters {                                        \
        BODY_##kind(name, arguments)                                                                                   \
    }
#include "interposed.inc"

static VKAPI_ATTR void VKAPI_CALL observed_UpdateDescriptorSets(VkDevice device, uint32_t write_count,
                                                                const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                                                const VkCopyDescriptorSet *copies) {
    observe_UpdateDescriptorSets(write_count, writes);
    interposed_UpdateDescriptorSets(device, write_count, writes, copy_count, copies);
}

static VKAPI_ATTR VkResult VKAPI_CALL observed_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                      uint32_t count,
                                                                      const VkComputePipelineCreateInfo *infos,
                                                                      const VkAllocationCallbacks *callbacks,
                                                                      VkPipeline *pipelines) {
    void (*while_compiling)(void) = interposer.while_compiling;
    interposer.while_compiling = NULL;
    if (while_compiling) {
        while_compiling();
    }
    return interposed_CreateComputePipelines(device, cache, count, infos, callbacks, pipelines);
}

static VKAPI_ATTR void VKAPI_CALL observed_CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout,
                                                            VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                                            const void *values) {
    if (offset == 0 && size <= sizeof interposer.push_constants) {
        memcpy(interposer.push_constants, values, size);
    }
    interposed_CmdPushConstants(commands, layout, stages, offset, size, values);
}

static VKAPI_ATTR void VKAPI_CALL observed_CmdPipelineBarrier(
    VkCommandBuffer commands, VkPipelineStageFlags before, VkPipelineStageFlags after, VkDependencyFlags flags,
    uint32_t memory_count, const VkMemoryBarrier *memory, uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
    uint32_t image_count, const VkImageMemoryBarrier *images) {
    interposer.barrier.before = before;
    interposer.barrier.after = after;
    interposer.barrier.written = memory_count > 0 ? memory->srcAccessMask : 0;
    interposer.barrier.used = memory_count > 0 ? memory->dstAccessMask : 0;
    interposed_CmdPipelineBarrier(commands, before, after, flags, memory_count, memory, buffer_count, buffers,
                                  image_count, images);
}

static VKAPI_ATTR void VKAPI_CALL observed_CmdCopyBuffer(VkCommandBuffer commands, VkBuffer source, VkBuffer target,
                                                         uint32_t count, const VkBufferCopy *regions) {
    interposer.regions += count;
    for (uint32_t i = 0; i < count; i++) {
        interposer.copied_bytes += regions[i].size;
    }
    if (!interposer.drops_copies) {
        interposed_CmdCopyBuffer(commands, source, target, count, regions);
    }
}

static VKAPI_ATTR void VKAPI_CALL observed_CmdFillBuffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                                         VkDeviceSize size, uint32_t word) {
    interposer.filled_bytes += size;
    interposed_CmdFillBuffer(commands, buffer, offset, size, word);
}

static const char *type_name(VkObjectType type) {
    switch (type) {
    case VK_OBJECT_TYPE_BUFFER:
        return "buffer = ";
    case VK_OBJECT_TYPE_SHADER_MODULE:
        return "shader module = ";
    case VK_OBJECT_TYPE_PIPELINE:
        return "pipeline = ";
    case VK_OBJECT_TYPE_PIPELINE_LAYOUT:
        return "pipeline layout = ";
    case VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT:
        return "descriptor set layout = ";
    case VK_OBJECT_TYPE_DESCRIPTOR_SET:
        return "descriptor set = ";
    default:
        return "object = ";
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL set_name(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info) {
    trace(type_name(info->objectType), info->pObjectName);
    const VkResult result = next_set_name(device, info);
    return interposer.naming != VK_SUCCESS ? interposer.naming : result;
}

static VKAPI_ATTR void VKAPI_CALL begin_label(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label) {
    trace("{ ", label->pLabelName);
    next_begin_label(commands, label);
}

static VKAPI_ATTR void VKAPI_CALL end_label(VkCommandBuffer commands) {
    trace("}", "");
    next_end_label(commands);
}

/* Lies without asking the driver, which need not know the structs. */
static VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features) {
    if (!interposer.features) {
        next_get_features(device, features);
        return;
    }
    for (VkBaseOutStructure *s = features->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            VkPhysicalDeviceVulkan12Features *vulkan12 = (VkPhysicalDeviceVulkan12Features *)s;
            vulkan12->shaderFloat16 = vulkan12->shaderInt8 = vulkan12->vulkanMemoryModel = *interposer.features;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR) {
            ((VkPhysicalDeviceCooperativeMatrixFeaturesKHR *)s)->cooperativeMatrix = *interposer.features;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR) {
            ((VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR *)s)->shaderIntegerDotProduct = *interposer.features;
        }
    }
}

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties) {
    next_get_properties(device, properties);
    if (interposer.api_version) {
        properties->properties.apiVersion = interposer.api_version;
    }
    if (interposer.offset_alignment) {
        properties->properties.limits.minStorageBufferOffsetAlignment = interposer.offset_alignment;
    }
    if (interposer.storage_range) {
        properties->properties.limits.maxStorageBufferRange = interposer.storage_range;
    }
    if (interposer.type != VK_PHYSICAL_DEVICE_TYPE_OTHER) {
        properties->properties.deviceType = interposer.type;
    }
    if (interposer.discrete) {
        properties->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    }
    for (VkBaseOutStructure *s = properties->pNext; s; s = s->pNext) {
        if (interposer.no_subgroups && s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            ((VkPhysicalDeviceSubgroupProperties *)s)->supportedStages = VK_SHADER_STAGE_FRAGMENT_BIT;
        }
        if (interposer.driver_info && s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            VkPhysicalDeviceDriverProperties *driver = (VkPhysicalDeviceDriverProperties *)s;
            driver->driverID = VK_DRIVER_ID_MESA_LLVMPIPE;
            snprintf(driver->driverInfo, sizeof driver->driverInfo, "%s", interposer.driver_info);
        }
    }
}

static VKAPI_ATTR void VKAPI_CALL get_queue_families(VkPhysicalDevice device, uint32_t *count,
                                                     VkQueueFamilyProperties *families) {
    next_get_queue_families(device, count, families);
    for (uint32_t i = 0; families && interposer.no_compute && i < *count; i++) {
        families[i].queueFlags &= ~(VkQueueFlags)VK_QUEUE_COMPUTE_BIT;
    }
}

/* Puts the interposer's function, where it has one, in place of the driver's. */
static PFN_vkVoidFunction replace(const char *name, PFN_vkVoidFunction found) {
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } observed[] = {
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)observed_CreateComputePipelines},
        {"vkUpdateDescriptorSets", (PFN_vkVoidFunction)observed_UpdateDescriptorSets},
        {"vkCmdPushConstants", (PFN_vkVoidFunction)observed_CmdPushConstants},
        {"vkCmdPipelineBarrier", (PFN_vkVoidFunction)observed_CmdPipelineBarrier},
        {"vkCmdCopyBuffer", (PFN_vkVoidFunction)observed_CmdCopyBuffer},
        {"vkCmdFillBuffer", (PFN_vkVoidFunction)observed_CmdFillBuffer},
    };
    PFN_vkVoidFunction replaced = found;
#define INTERPOSE(function, ...)                                                                                       \
    if (found && strcmp(name, "vk" #function) == 0) {                                                                  \
        next.function = (PFN_vk##function)found;                                                                       \
        replaced = (PFN_vkVoidFunction)interposed_##function;                                                          \
    }
#include "interposed.inc"
    for (size_t i = 0; i < sizeof observed / sizeof *observed; i++) {
        if (strcmp(name, observed[i].name) == 0) {
            replaced = observed[i].function;
        }
    }
    return replaced;
}

static bool is_hidden(const char *name) {
    return interposer.hidden && strcmp(name, interposer.hidden) == 0;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name) {
    return is_hidden(name) ? NULL : replace(name, next_get_device_proc_addr(device, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL interposer_get_instance_proc_addr(VkInstance instance, const char *name) {
    PFN_vkVoidFunction found = next_get_instance_proc_addr(instance, name);
    if (is_hidden(name)) {
        return NULL;
    }
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        next_get_device_proc_addr = (PFN_vkGetDeviceProcAddr)found;
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    if (strcmp(name, "vkGetPhysicalDeviceFeatures2") == 0) {
        next_get_features = (PFN_vkGetPhysicalDeviceFeatures2)found;
        return (PFN_vkVoidFunction)get_features;
    }
    if (strcmp(name, "vkGetPhysicalDeviceProperties2") == 0) {
        next_get_properties = (PFN_vkGetPhysicalDeviceProperties2)found;
        return (PFN_vkVoidFunction)get_properties;
    }
    if (strcmp(name, "vkGetPhysicalDeviceQueueFamilyProperties") == 0) {
        next_get_queue_families = (PFN_vkGetPhysicalDeviceQueueFamilyProperties)found;
        return (PFN_vkVoidFunction)get_queue_families;
    }
    if (found && strcmp(name, "vkSetDebugUtilsObjectNameEXT") == 0) {
        next_set_name = (PFN_vkSetDebugUtilsObjectNameEXT)found;
        return (PFN_vkVoidFunction)set_name;
    }
    if (found && strcmp(name, "vkCmdBeginDebugUtilsLabelEXT") == 0) {
        next_begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)found;
        return (PFN_vkVoidFunction)begin_label;
    }
    if (found && strcmp(name, "vkCmdEndDebugUtilsLabelEXT") == 0) {
        next_end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)found;
        return (PFN_vkVoidFunction)end_label;
    }
    return replace(name, found);
}

void interposer_reset(PFN_vkGetInstanceProcAddr get) {
    memset(&interposer, 0, sizeof interposer);
    next_get_instance_proc_addr = get;
}

const char *interposed_name(enum interposed function) {
    static const char *const names[] = {
#define INTERPOSE(name, ...) "vk" #name,
#include "interposed.inc"
    };
    return names[function];
}
