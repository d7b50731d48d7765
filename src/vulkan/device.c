#include "vulkan/device.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/variant.h"
#include "vulkan/binding_table.h"
#include "vulkan/device_memory.h"
#include "vulkan/driver.h"
#include "vulkan/features.h"

/* Physical devices have a handful of queue families; those past this many are not looked at. */
#define MAX_QUEUE_FAMILIES 32

/* Kinds of fragments that a device multiplies; those past this many are not looked at. */
#define MAX_MATRIX_PROPERTIES 64

/* Kernels see buffers as arrays of 16-byte vectors too: descriptors begin at multiples of that. */
#define VECTOR_BYTES 16

/* The environment variable that forces a variant of the kernels. */
#define VARIANT_VARIABLE "VKDML_KERNEL_VARIANT"

static uint32_t queue_families(const struct vkdml_functions_instance *vk, VkPhysicalDevice physical_device,
                               VkQueueFamilyProperties families[MAX_QUEUE_FAMILIES]) {
    uint32_t count = MAX_QUEUE_FAMILIES;
    vk->GetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families);
    return count;
}

const char *vkdml_physical_device_unusable(const struct vkdml_functions_instance *vk, VkPhysicalDevice physical_device,
                                           uint32_t api_version, uint32_t *family) {
    if (api_version < VKDML_VULKAN_API_VERSION) {
        return "its apiVersion is below 1.2";
    }
    VkQueueFamilyProperties families[MAX_QUEUE_FAMILIES];
    uint32_t count = queue_families(vk, physical_device, families);
    for (*family = 0; *family < count; ++*family) {
        if (families[*family].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            return NULL;
        }
    }
    return "it has no queue family with VK_QUEUE_COMPUTE_BIT";
}

bool vkdml_check_allocation_callbacks(const VkAllocationCallbacks *callbacks, struct vkdml_report *report) {
    uint32_t before = report->count;
    if (!callbacks) {
        return true;
    }
    if (!callbacks->pfnAllocation || !callbacks->pfnReallocation || !callbacks->pfnFree) {
        vkdml_report_invalid(report, "allocationCallbacks.%s is NULL, must be a function",
                             !callbacks->pfnAllocation     ? "pfnAllocation"
                             : !callbacks->pfnReallocation ? "pfnReallocation"
                                                           : "pfnFree");
    }
    if (!callbacks->pfnInternalAllocation != !callbacks->pfnInternalFree) {
        vkdml_report_invalid(report, "allocationCallbacks.%s is NULL, must be given with the other of the pair",
                             !callbacks->pfnInternalAllocation ? "pfnInternalAllocation" : "pfnInternalFree");
    }
    return report->count == before;
}

static void check_handles(const VkdmlDeviceCreateInfo *info, struct vkdml_report *report) {
    const struct {
        bool given;
        const char *name;
    } handles[] = {
        {info->instance != VK_NULL_HANDLE, "instance"},
        {info->physicalDevice != VK_NULL_HANDLE, "physicalDevice"},
        {info->device != VK_NULL_HANDLE, "device"},
        {info->getInstanceProcAddr != NULL, "getInstanceProcAddr"},
    };
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        if (!handles[i].given) {
            vkdml_report_invalid(report, "%s is NULL, must be given", handles[i].name);
        }
    }
}

static void check_variant(const VkdmlDeviceCreateInfo *info, struct vkdml_report *report) {
    VkdmlKernelVariant variant;
    if (info->kernelVariant != VKDML_KERNEL_VARIANT_DEFAULT && !vkdml_variant_name(info->kernelVariant)) {
        vkdml_report_invalid(report, "kernelVariant is %d, must be a VkdmlKernelVariant", (int)info->kernelVariant);
    }
    const char *name = getenv(VARIANT_VARIABLE);
    if (!vkdml_variant_parse(name, &variant)) {
        vkdml_report_invalid(report, VARIANT_VARIABLE " is \"%s\", must be portable, subgroup or serial", name);
    }
}

/* All that can be told without calling Vulkan. */
static VkdmlResult check_info(const VkdmlDeviceCreateInfo *info, struct vkdml_report *report) {
    check_handles(info, report);
    if (info->enabledFeatures && info->enabledFeatures->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
        vkdml_report_invalid(report,
                             "enabledFeatures.sType is %d, must be %d (VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)",
                             (int)info->enabledFeatures->sType, (int)VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    }
    if (info->enabledExtensionCount > 0 && !info->enabledExtensions) {
        vkdml_report_invalid(report, "enabledExtensions is NULL, must point to %u names (enabledExtensionCount)",
                             info->enabledExtensionCount);
    }
    for (uint32_t i = 0; info->enabledExtensions && i < info->enabledExtensionCount; i++) {
        if (!info->enabledExtensions[i]) {
            vkdml_report_invalid(report, "enabledExtensions[%u] is NULL, must be a name", i);
        }
    }
    const VkdmlDeviceFlags known = VKDML_DEVICE_FLAG_ALLOW_TRANSFER | VKDML_DEVICE_FLAG_CHECK_HANDLES;
    if (info->flags & VKDML_DEVICE_FLAG_VALIDATION) {
        vkdml_report_invalid(report, "flags has VKDML_DEVICE_FLAG_VALIDATION, must not: it is vkdmlOpenDevice()'s");
    }
    if (info->flags & VKDML_DEVICE_FLAG_DEBUG_UTILS) {
        vkdml_report_invalid(report, "flags has VKDML_DEVICE_FLAG_DEBUG_UTILS, must not: it is vkdmlOpenDevice()'s");
    }
    if (info->flags & ~(known | VKDML_OPENING_FLAGS)) {
        vkdml_report_invalid(report, "flags is 0x%x, must be of VkdmlDeviceFlagBits only", info->flags);
    }
    vkdml_check_allocation_callbacks(info->allocationCallbacks, report);
    if (info->pipelineCacheDataSize > 0 && !info->pipelineCacheData) {
        vkdml_report_invalid(report, "pipelineCacheData is NULL, must point to %zu bytes (pipelineCacheDataSize)",
                             info->pipelineCacheDataSize);
    }
    if (info->pipelineCacheDataSize > 0 && info->pipelineCache) {
        vkdml_report_invalid(report, "pipelineCacheData is given, must be NULL beside a pipelineCache of the caller's");
    }
    check_variant(info, report);
    return report->result;
}

/* Beside these a dispatch has one descriptor, the uniform buffer, and maxPerStageResources is at least 128. */
static uint32_t storage_buffers(const VkPhysicalDeviceLimits *limits) {
    const uint32_t of_stage = limits->maxPerStageDescriptorStorageBuffers;
    const uint32_t of_set = limits->maxDescriptorSetStorageBuffers;
    return of_stage < of_set ? of_stage : of_set;
}

/* The one rule on limits is Vulkan's own: every device has at least the minima of version 1.2. */
static struct vkdml_plan_limits plan_limits(const VkPhysicalDeviceProperties *properties, VkdmlDeviceFlags flags) {
    const VkPhysicalDeviceLimits *limits = &properties->limits;
    const uint32_t alignment = (uint32_t)limits->minStorageBufferOffsetAlignment;
    struct vkdml_plan_limits plan = {
        .max_storage_buffer_range = limits->maxStorageBufferRange,
        .min_storage_buffer_offset_alignment = alignment > VECTOR_BYTES ? alignment : VECTOR_BYTES,
        .max_workgroup_invocations = limits->maxComputeWorkGroupInvocations,
        .max_shared_memory_bytes = limits->maxComputeSharedMemorySize,
        .max_storage_buffers = storage_buffers(limits),
        .transfer_allowed = (flags & VKDML_DEVICE_FLAG_ALLOW_TRANSFER) != 0,
        .transfer_is_faster = properties->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
    };
    memcpy(plan.max_workgroup_count, limits->maxComputeWorkGroupCount, sizeof plan.max_workgroup_count);
    memcpy(plan.max_workgroup_size, limits->maxComputeWorkGroupSize, sizeof plan.max_workgroup_size);
    return plan;
}

/* Cores that the device was created with and that are known to work. A driver may fail at the question alone. */
static void import_matrix_cores(VkdmlDevice device, const VkdmlDeviceCreateInfo *info,
                                const struct vkdml_features *enabled, const struct vkdml_variant_device *described) {
    if (device->variant != VKDML_KERNEL_VARIANT_SUBGROUP || !enabled->cooperative_matrix || !enabled->memory_model ||
        !(enabled->float16 || enabled->int8) || vkdml_matrix_cores_unusable(described)) {
        return;
    }
    PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR get =
        (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)info->getInstanceProcAddr(
            info->instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    VkCooperativeMatrixPropertiesKHR properties[MAX_MATRIX_PROPERTIES];
    uint32_t count = MAX_MATRIX_PROPERTIES;
    memset(properties, 0, sizeof properties);
    for (size_t i = 0; i < MAX_MATRIX_PROPERTIES; i++) {
        properties[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    }
    if (!get || get(info->physicalDevice, &count, properties) < 0) {
        return;
    }
    if (enabled->float16) {
        device->limits.matrix_cores = vkdml_matrix_cores_choose(properties, count, described->subgroup_size);
    }
    if (enabled->int8) {
        device->limits.byte_cores = vkdml_byte_cores_choose(properties, count, described->subgroup_size);
    }
}

static VkdmlResult check_queue_family(const struct vkdml_functions_instance *vk, const VkdmlDeviceCreateInfo *info,
                                      struct vkdml_report *report) {
    VkQueueFamilyProperties families[MAX_QUEUE_FAMILIES];
    uint32_t count = queue_families(vk, info->physicalDevice, families);
    if (info->queueFamilyIndex >= count) {
        return vkdml_report_invalid(report, "queueFamilyIndex is %u, must be below %u", info->queueFamilyIndex, count);
    }
    if (!(families[info->queueFamilyIndex].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
        return vkdml_report_invalid(report, "queueFamilyIndex is %u, must be of a family with VK_QUEUE_COMPUTE_BIT",
                                    info->queueFamilyIndex);
    }
    return VKDML_SUCCESS;
}

/* Whether the header of pipeline cache data is this driver's. Drivers must ignore foreign data too, but the data comes
 * from a file, and so is looked at before a driver sees it. */
static bool is_cache_of(const VkPipelineCacheHeaderVersionOne *own, const void *data, size_t size) {
    VkPipelineCacheHeaderVersionOne header;
    if (size < sizeof header) {
        return false;
    }
    memcpy(&header, data, sizeof header);
    return header.headerSize >= sizeof header && header.headerSize <= size &&
           header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && header.vendorID == own->vendorID &&
           header.deviceID == own->deviceID &&
           memcmp(header.pipelineCacheUUID, own->pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

static VkdmlResult create_pipeline_cache(VkdmlDevice device, const VkdmlDeviceCreateInfo *info,
                                         const VkPhysicalDeviceProperties *properties, struct vkdml_report *report) {
    device->cache_header.vendorID = properties->vendorID;
    device->cache_header.deviceID = properties->deviceID;
    memcpy(device->cache_header.pipelineCacheUUID, properties->pipelineCacheUUID, VK_UUID_SIZE);
    if (info->pipelineCache) {
        device->pipeline_cache = info->pipelineCache;
        return VKDML_SUCCESS;
    }
    VkPipelineCacheCreateInfo cache_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (info->pipelineCacheDataSize > 0) {
        if (is_cache_of(&device->cache_header, info->pipelineCacheData, info->pipelineCacheDataSize)) {
            cache_info.initialDataSize = info->pipelineCacheDataSize;
            cache_info.pInitialData = info->pipelineCacheData;
        } else {
            vkdml_log_message(&device->log, VKDML_LOG_LEVEL_WARNING,
                              "pipelineCacheData is not of this device and driver; ignored");
        }
    }
    VkResult result =
        device->vk.CreatePipelineCache(device->handles.device, &cache_info, device->callbacks, &device->pipeline_cache);
    if (result != VK_SUCCESS) {
        device->pipeline_cache = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkCreatePipelineCache");
    }
    device->owns_pipeline_cache = true;
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_device_merge_cache(VkdmlDevice device, const void *data, size_t size, struct vkdml_report *report) {
    VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size, .pInitialData = data};
    VkPipelineCache other;
    if (!device->owns_pipeline_cache) {
        return vkdml_report_invalid(report, "device has a pipelineCache of the caller's, who may merge into it");
    }
    if (!is_cache_of(&device->cache_header, data, size)) {
        return vkdml_report_invalid(report, "data is not of this device and driver");
    }
    VkResult created = device->vk.CreatePipelineCache(device->handles.device, &info, device->callbacks, &other);
    if (created != VK_SUCCESS) {
        return vkdml_vulkan_failure(&device->lost, report, created, "vkCreatePipelineCache");
    }
    VkdmlResult result = vkdml_pipelines_merge(device, other, report);
    device->vk.DestroyPipelineCache(device->handles.device, other, device->callbacks);
    return result;
}

static VkdmlResult create_layouts(VkdmlDevice device, uint32_t buffer_count, struct vkdml_report *report) {
    struct vkdml_layouts *layouts = &device->layouts[buffer_count - 1];
    VkDescriptorSetLayoutBinding bindings[1 + VKDML_PLAN_MAX_BUFFERS];
    for (uint32_t i = 0; i <= buffer_count; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = i == 0 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                                              : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                .bindingCount = 1 + buffer_count,
                                                .pBindings = bindings};
    VkResult result =
        device->vk.CreateDescriptorSetLayout(device->handles.device, &set_info, device->callbacks, &layouts->set);
    if (result != VK_SUCCESS) {
        layouts->set = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkCreateDescriptorSetLayout");
    }
    VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                 .size = sizeof(struct vkdml_push_constants)};
    VkPipelineLayoutCreateInfo pipeline_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                .setLayoutCount = 1,
                                                .pSetLayouts = &layouts->set,
                                                .pushConstantRangeCount = 1,
                                                .pPushConstantRanges = &range};
    result =
        device->vk.CreatePipelineLayout(device->handles.device, &pipeline_info, device->callbacks, &layouts->pipeline);
    if (result != VK_SUCCESS) {
        layouts->pipeline = VK_NULL_HANDLE;
        return vkdml_vulkan_failure(&device->lost, report, result, "vkCreatePipelineLayout");
    }
    vkdml_debug_name(device, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, (uint64_t)layouts->set, "vkdml, %u storage buffers",
                     buffer_count);
    vkdml_debug_name(device, VK_OBJECT_TYPE_PIPELINE_LAYOUT, (uint64_t)layouts->pipeline, "vkdml, %u storage buffers",
                     buffer_count);
    return VKDML_SUCCESS;
}

/* What the user forces comes first: the environment before the caller, who may be out of reach. Both were checked. */
static VkdmlResult choose_variant(VkdmlDevice device, const VkdmlDeviceCreateInfo *info,
                                  const struct vkdml_variant_device *described, struct vkdml_report *report,
                                  const char **reason) {
    *reason = "forced";
    vkdml_variant_parse(getenv(VARIANT_VARIABLE), &device->variant);
    if (device->variant == VKDML_KERNEL_VARIANT_DEFAULT) {
        device->variant = info->kernelVariant;
    }
    if (device->variant == VKDML_KERNEL_VARIANT_DEFAULT) {
        device->variant = vkdml_variant_choose(described, reason);
    }
    const char *unusable = vkdml_variant_unusable(described, device->variant);
    if (unusable) {
        return vkdml_report_add(report, VKDML_ERROR_FEATURE_NOT_PRESENT, "the device cannot run the %s kernels: %s",
                                vkdml_variant_name(device->variant), unusable);
    }
    device->limits.variant = device->variant;
    return VKDML_SUCCESS;
}

/* Checks what only Vulkan knows, and reads what a device keeps of it. */
static VkdmlResult import_device(VkdmlDevice device, const VkdmlDeviceCreateInfo *info, struct vkdml_report *report,
                                 VkPhysicalDeviceProperties *properties, const char **variant_reason,
                                 const char **warning) {
    struct vkdml_functions_instance vk;
    const char *missing = vkdml_functions_load_instance(info->getInstanceProcAddr, info->instance, &vk);
    if (missing) {
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED,
                                "the instance has no %s; it must be created with apiVersion 1.2 or later", missing);
    }
    VkPhysicalDeviceProperties2 properties2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceFloatControlsProperties floats = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, .pNext = &subgroup};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &floats};
    vk.GetPhysicalDeviceProperties2(info->physicalDevice, &properties2);
    *properties = properties2.properties;
    if (properties->apiVersion < VKDML_VULKAN_API_VERSION) {
        return vkdml_report_add(
            report, VKDML_ERROR_INITIALIZATION_FAILED, "physicalDevice's apiVersion is %u.%u, must be at least 1.2",
            VK_API_VERSION_MAJOR(properties->apiVersion), VK_API_VERSION_MINOR(properties->apiVersion));
    }
    struct vkdml_features enabled;
    if (check_queue_family(&vk, info, report) != VKDML_SUCCESS ||
        vkdml_features_read(&vk, info, report, &enabled) != VKDML_SUCCESS) {
        return report->result;
    }
    missing = vkdml_functions_load_device(vk.GetDeviceProcAddr, info->device, &device->vk);
    if (missing) {
        return vkdml_report_add(report, VKDML_ERROR_INITIALIZATION_FAILED, "the device has no %s", missing);
    }
    device->debug = vkdml_debug_load(info->getInstanceProcAddr, info->instance);
    vk.GetPhysicalDeviceMemoryProperties(info->physicalDevice, &device->memory);
    device->limits = plan_limits(properties, info->flags);
    const uint32_t unit = VKDML_PARAMETER_UNIT_BYTES;
    const uint32_t alignment = (uint32_t)properties->limits.minUniformBufferOffsetAlignment;
    device->parameters.unit_bytes = alignment > unit ? alignment : unit; /* both powers of two */

    properties2.pNext = &driver; /* of Vulkan 1.2, which it is by now */
    vk.GetPhysicalDeviceProperties2(info->physicalDevice, &properties2);
    device->limits.float_controls = vkdml_float_controls(&floats, enabled.float16);
    const struct vkdml_variant_device described = {
        .type = properties->deviceType,
        .driver = driver.driverID,
        .vendor = properties->vendorID,
        .driver_version = properties->driverVersion,
        .subgroup_size = subgroup.subgroupSize,
        .operations = subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT ? subgroup.supportedOperations : 0};
    VkdmlResult result = choose_variant(device, info, &described, report, variant_reason);
    device->limits.dot_products = enabled.dot_product;
    device->limits.avoids_long_code = vkdml_long_code_unusable(&described) != NULL;
    import_matrix_cores(device, info, &enabled, &described);
    *warning = vkdml_driver_warning_here(&driver);
    return result;
}

static void log_cores(VkdmlDevice device, const struct vkdml_matrix_cores *cores, const char *type) {
    if (cores->subgroup_size != 0) {
        vkdml_log_message(&device->log, VKDML_LOG_LEVEL_INFO, "using matrix cores, by fragments of %u x %u x %u %s",
                          cores->m, cores->n, cores->k, type);
    }
}

VkdmlResult vkdml_device_create(const VkdmlDeviceCreateInfo *info, struct vkdml_report *report, VkdmlDevice *device) {
    VkdmlDevice d = NULL;
    *device = NULL;
    VkdmlResult result = check_info(info, report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_device_allocate(info, report, &d);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    VkPhysicalDeviceProperties properties;
    const char *variant_reason = NULL;
    const char *warning = NULL;
    result = import_device(d, info, report, &properties, &variant_reason, &warning);
    d->variant_reason = variant_reason;
    if (result != VKDML_SUCCESS) {
        goto fail;
    }
    result = create_pipeline_cache(d, info, &properties, report);
    for (uint32_t n = 1; n <= VKDML_PLAN_MAX_BUFFERS && n <= d->limits.max_storage_buffers; n++) {
        if (result == VKDML_SUCCESS) {
            result = create_layouts(d, n, report);
        }
    }
    if (result != VKDML_SUCCESS) {
        goto fail;
    }
    vkdml_log_message(&d->log, VKDML_LOG_LEVEL_INFO, "using %s, Vulkan %u.%u.%u, queue family %u, %s kernels (%s)",
                      properties.deviceName, VK_API_VERSION_MAJOR(properties.apiVersion),
                      VK_API_VERSION_MINOR(properties.apiVersion), VK_API_VERSION_PATCH(properties.apiVersion),
                      info->queueFamilyIndex, vkdml_variant_name(d->variant), variant_reason);
    log_cores(d, &d->limits.matrix_cores, "FLOAT16");
    log_cores(d, &d->limits.byte_cores, "INT8");
    if (warning) {
        vkdml_log_message(&d->log, VKDML_LOG_LEVEL_WARNING, "%s: %s", properties.deviceName, warning);
    }
    *device = d;
    return VKDML_SUCCESS;
fail:
    vkdml_device_destroy(d);
    return result;
}

/* Tells of objects that are still alive, which is an error of the caller's. */
static void report_survivors(VkdmlDevice device) {
    const uint32_t operators = atomic_load(&device->live[VKDML_HANDLE_OPERATOR]);
    const uint32_t dispatchables = atomic_load(&device->live[VKDML_HANDLE_DISPATCHABLE]);
    const uint32_t tables = atomic_load(&device->live[VKDML_HANDLE_BINDING_TABLE]);
    const uint32_t stores = atomic_load(&device->live[VKDML_HANDLE_WEIGHT_STORE]);
    if (operators + dispatchables + tables + stores > 0) {
        vkdml_log_message(&device->log, VKDML_LOG_LEVEL_WARNING,
                          "vkdmlDestroyDevice: still alive are %u operators, %u dispatchables, %u binding tables and %u weight stores "
                          "of the device, which can only be destroyed from now on",
                          operators, dispatchables, tables, stores);
    }
}

void vkdml_device_destroy(VkdmlDevice device) {
    if (!device) {
        return;
    }
    VkDevice vk_device = device->handles.device;
    report_survivors(device);
    vkdml_binding_tables_finish(device);
    vkdml_pipelines_end_requests(device);
    vkdml_pipelines_finish(device);
    vkdml_parameters_finish(device);
    for (size_t i = 0; i < VKDML_PLAN_MAX_BUFFERS; i++) {
        if (device->layouts[i].pipeline) {
            device->vk.DestroyPipelineLayout(vk_device, device->layouts[i].pipeline, device->callbacks);
        }
        if (device->layouts[i].set) {
            device->vk.DestroyDescriptorSetLayout(vk_device, device->layouts[i].set, device->callbacks);
        }
    }
    if (device->owns_pipeline_cache) {
        device->vk.DestroyPipelineCache(vk_device, device->pipeline_cache, device->callbacks);
    }
    device->log.callback = NULL; /* the caller's data may go now */
    atomic_fetch_sub(&device->live[VKDML_HANDLE_DEVICE], 1);
    atomic_store(&device->destroyed, true);
    vkdml_device_release(device);
}
