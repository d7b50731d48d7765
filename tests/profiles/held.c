#include "profiles/held.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_CAPABILITY 0xFFFFu /* of feature_list.inc */

bool held_violation(struct held *held, const char *format, ...) {
    char text[512];
    int used = snprintf(text, sizeof text, "profile %s: ", held->profile->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    held->violations++;
    if (held->on_violation != NULL) {
        held->on_violation(held->user_data, text);
    }
    return false;
}

static void forget_all(struct held *held) {
    for (size_t i = 0; i < HELD_MAX_MODULES; i++) {
        free((void *)(uintptr_t)held->modules[i].code.words);
    }
}

void held_begin(struct held *held, const struct profile *profile, bool transfer,
                void (*on_violation)(void *user_data, const char *text), void *user_data) {
    forget_all(held);
    memset(held, 0, sizeof *held);
    held->profile = profile;
    held->subgroup_operations = profile->subgroup_operations;
    held->features = profile->features | profile_guaranteed_features;
    held->transfer = transfer;
    held->on_violation = on_violation;
    held->user_data = user_data;
}

void held_restrict(struct held *held, const VkPhysicalDeviceLimits *limits, VkSubgroupFeatureFlags operations) {
    if (held->restricted) {
        profile_merge_limits(limits, &held->limits);
    } else {
        held->limits = *limits;
        held->restricted = true;
    }
    profile_restrict_limits(held->profile, &held->limits);
    held->subgroup_operations &= operations;
}

/* The structs of features: where in them the first member lies, and where they end. */
static const struct home {
    VkStructureType type;
    size_t first;
    size_t end;
} homes[] = {
#define HOME_CORE     0
#define HOME_VULKAN11 1
#define HOME_VULKAN12 2
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, offsetof(VkPhysicalDeviceFeatures2, features),
     offsetof(VkPhysicalDeviceFeatures2, features) + sizeof(VkPhysicalDeviceFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
     offsetof(VkPhysicalDeviceVulkan11Features, storageBuffer16BitAccess),
     offsetof(VkPhysicalDeviceVulkan11Features, shaderDrawParameters) + sizeof(VkBool32)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
     offsetof(VkPhysicalDeviceVulkan12Features, samplerMirrorClampToEdge),
     offsetof(VkPhysicalDeviceVulkan12Features, subgroupBroadcastDynamicId) + sizeof(VkBool32)},
};
#define HOME_COUNT (sizeof homes / sizeof *homes)

#define OFFSET_CORE(member)     (offsetof(VkPhysicalDeviceFeatures2, features) + offsetof(VkPhysicalDeviceFeatures, member))
#define OFFSET_VULKAN11(member) offsetof(VkPhysicalDeviceVulkan11Features, member)
#define OFFSET_VULKAN12(member) offsetof(VkPhysicalDeviceVulkan12Features, member)

static const struct {
    const char *name;
    size_t home;
    size_t offset;
    uint32_t capability;
} features[FEATURE_COUNT] = {
#define FEATURE(member, home, capability) {#member, HOME_##home, OFFSET_##home(member), capability},
#include "profiles/feature_list.inc"
};

static const struct home *find_home(VkStructureType type) {
    for (size_t i = 0; i < HOME_COUNT; i++) {
        if (homes[i].type == type) {
            return &homes[i];
        }
    }
    return NULL;
}

/* The feature at a place; FEATURE_COUNT: none that any profile has. */
static size_t feature_at(const struct home *home, size_t offset) {
    size_t i = 0;
    while (i < FEATURE_COUNT && !(&homes[features[i].home] == home && features[i].offset == offset)) {
        i++;
    }
    return i;
}

static bool has(uint32_t set, size_t feature) {
    return feature < FEATURE_COUNT && (set >> feature & 1) != 0;
}

bool held_check_features_chain(struct held *held, const char *call, const void *chain) {
    for (const VkBaseInStructure *at = chain; at != NULL; at = at->pNext) {
        if (find_home(at->sType) == NULL) {
            return held_violation(held, "%s: structure type %d in the chain is not known to the profiles", call,
                                  (int)at->sType);
        }
    }
    return true;
}

void held_hide_features(const struct held *held, void *chain) {
    for (VkBaseOutStructure *at = chain; at != NULL; at = at->pNext) {
        const struct home *home = find_home(at->sType);
        for (size_t offset = home->first; offset < home->end; offset += sizeof(VkBool32)) {
            if (!has(held->features, feature_at(home, offset))) {
                memset((char *)at + offset, 0, sizeof(VkBool32));
            }
        }
    }
}

bool held_check_properties_chain(struct held *held, const void *chain) {
    for (const VkBaseInStructure *at = chain; at != NULL; at = at->pNext) {
        switch ((int)at->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES:
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES:
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES:
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES:
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES:
            break;
        default:
            return held_violation(
                held, "vkGetPhysicalDeviceProperties2: structure type %d in the chain is not known to the profiles",
                (int)at->sType);
        }
    }
    return true;
}

void held_hide_properties(const struct held *held, void *chain) {
    const uint32_t size = held->profile->subgroup_size != 0 ? held->profile->subgroup_size : 1;
    for (VkBaseOutStructure *at = chain; at != NULL; at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            VkPhysicalDeviceSubgroupProperties *subgroup = (VkPhysicalDeviceSubgroupProperties *)at;
            subgroup->subgroupSize = size;
            subgroup->supportedStages &= VK_SHADER_STAGE_COMPUTE_BIT;
            subgroup->supportedOperations = held->subgroup_operations;
            subgroup->quadOperationsInAllStages = VK_FALSE;
        } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
            VkPhysicalDeviceVulkan11Properties *vulkan11 = (VkPhysicalDeviceVulkan11Properties *)at;
            vulkan11->subgroupSize = size;
            vulkan11->subgroupSupportedStages &= VK_SHADER_STAGE_COMPUTE_BIT;
            vulkan11->subgroupSupportedOperations = held->subgroup_operations;
            vulkan11->subgroupQuadOperationsInAllStages = VK_FALSE;
        } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES) {
            /* Vulkan guarantees none. */
            const size_t first = offsetof(VkPhysicalDeviceFloatControlsProperties, denormBehaviorIndependence);
            memset((char *)at + first, 0, sizeof(VkPhysicalDeviceFloatControlsProperties) - first);
        }
    }
}

/* Adds what one struct enables. */
static bool enable(struct held *held, const VkBaseInStructure *at, uint32_t *enabled) {
    const struct home *home = find_home(at->sType);
    for (size_t offset = home->first; offset < home->end; offset += sizeof(VkBool32)) {
        VkBool32 wanted;
        memcpy(&wanted, (const char *)at + offset, sizeof wanted);
        const size_t feature = feature_at(home, offset);
        if (wanted && !has(held->features, feature)) {
            if (feature < FEATURE_COUNT) {
                return held_violation(held, "vkCreateDevice: %s is enabled, but not there", features[feature].name);
            }
            return held_violation(held, "vkCreateDevice: member %zu of structure type %d is enabled, but not there",
                                  (offset - home->first) / sizeof(VkBool32), (int)at->sType);
        }
        *enabled |= wanted ? 1u << feature : 0u;
    }
    return true;
}

bool held_check_instance(struct held *held, const VkInstanceCreateInfo *create) {
    /* Those of the validation layer, which is no part of a device. */
    static const char *const known[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    if (create->pApplicationInfo != NULL && create->pApplicationInfo->apiVersion > VK_API_VERSION_1_2) {
        return held_violation(held, "vkCreateInstance: the application's apiVersion is 0x%x, must be at most 1.2",
                              create->pApplicationInfo->apiVersion);
    }
    for (uint32_t i = 0; i < create->enabledExtensionCount; i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(create->ppEnabledExtensionNames[i], known[k]) != 0) {
            k++;
        }
        if (k == sizeof known / sizeof *known) {
            return held_violation(held, "vkCreateInstance: the extension %s is enabled, but not there",
                                  create->ppEnabledExtensionNames[i]);
        }
    }
    return true;
}

VkResult held_check_device(struct held *held, const VkDeviceCreateInfo *create, uint32_t *enabled) {
    VkPhysicalDeviceFeatures2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    *enabled = 0;
    if (create->enabledExtensionCount > 0) {
        held_violation(held, "vkCreateDevice: the extension %s is enabled, but not there",
                       create->ppEnabledExtensionNames[0]);
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    }
    if (create->pEnabledFeatures != NULL) {
        core.features = *create->pEnabledFeatures;
    }
    if (!held_check_features_chain(held, "vkCreateDevice", create->pNext) ||
        !enable(held, (const VkBaseInStructure *)&core, enabled)) {
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    for (const VkBaseInStructure *at = create->pNext; at != NULL; at = at->pNext) {
        if (!enable(held, at, enabled)) {
            return VK_ERROR_FEATURE_NOT_PRESENT;
        }
    }
    return VK_SUCCESS;
}

/* HELD_MAX_DEVICES: it is not known. */
static size_t find_device(const struct held *held, VkDevice device) {
    size_t i = 0;
    while (i < HELD_MAX_DEVICES && held->devices[i].handle != device) {
        i++;
    }
    return i;
}

bool held_keep_device(struct held *held, VkDevice device, uint32_t enabled) {
    const size_t i = find_device(held, VK_NULL_HANDLE);
    if (i == HELD_MAX_DEVICES) {
        return held_violation(held, "vkCreateDevice: more than %d devices at a time", HELD_MAX_DEVICES);
    }
    held->devices[i].handle = device;
    held->devices[i].enabled = enabled;
    return true;
}

void held_forget_device(struct held *held, VkDevice device) {
    const size_t i = find_device(held, device);
    if (i < HELD_MAX_DEVICES) {
        held->devices[i].handle = VK_NULL_HANDLE;
    }
}

/* Capabilities that every device has (Shader implies Matrix), and those of subgroups: GroupNonUniform is 61, and the
 * ones for the operations follow in the order of VkSubgroupFeatureFlagBits. */
#define CAPABILITY_MATRIX            0u
#define CAPABILITY_SHADER            1u
#define CAPABILITY_GROUP_NON_UNIFORM 61u
#define SUBGROUP_OPERATIONS          8u

static bool check_capability(struct held *held, uint32_t capability, uint32_t enabled) {
    if (capability == CAPABILITY_MATRIX || capability == CAPABILITY_SHADER) {
        return true;
    }
    const uint32_t operation = capability - CAPABILITY_GROUP_NON_UNIFORM;
    if (capability >= CAPABILITY_GROUP_NON_UNIFORM && operation < SUBGROUP_OPERATIONS) {
        return (held->subgroup_operations >> operation & 1) != 0 ||
               held_violation(held,
                              "vkCreateShaderModule: capability %" PRIu32
                              " needs the subgroup operations 0x%x, which are not there",
                              capability, 1u << operation);
    }
    for (size_t i = 0; i < FEATURE_COUNT; i++) {
        if (features[i].capability == capability && capability != NO_CAPABILITY) {
            return has(enabled, i) ||
                   held_violation(held, "vkCreateShaderModule: capability %" PRIu32 " needs %s, which %s", capability,
                                  features[i].name,
                                  has(held->features, i) ? "the device was not created with" : "is not there");
        }
    }
    return held_violation(held, "vkCreateShaderModule: capability %" PRIu32 " is not known to the profiles",
                          capability);
}

/* SPIR-V extensions are refused but for those whose content Vulkan 1.2 itself has. */
static bool check_extension(struct held *held, const char *name) {
    static const char *const core[] = {
        "SPV_KHR_storage_buffer_storage_class",
        "SPV_KHR_variable_pointers",
        "SPV_KHR_16bit_storage",
        "SPV_KHR_8bit_storage",
        "SPV_KHR_physical_storage_buffer",
        "SPV_KHR_vulkan_memory_model",
    };
    for (size_t i = 0; i < sizeof core / sizeof *core; i++) {
        if (strcmp(name, core[i]) == 0) {
            return true;
        }
    }
    return held_violation(held, "vkCreateShaderModule: the SPIR-V extension %s is no part of Vulkan 1.2", name);
}

bool held_check_module(struct held *held, VkDevice device, const VkShaderModuleCreateInfo *create) {
    const uint32_t newest = 0x00010500u; /* SPIR-V 1.5, Vulkan 1.2's */
    const struct spirv module = {create->pCode, create->codeSize / sizeof(uint32_t)};
    const size_t known = find_device(held, device);
    const uint32_t enabled = known < HELD_MAX_DEVICES ? held->devices[known].enabled : 0;
    const uint32_t *at = NULL;
    if (!spirv_is_whole(&module)) {
        return held_violation(held, "vkCreateShaderModule: the code is no SPIR-V module");
    }
    if (module.words[1] > newest) {
        return held_violation(held, "vkCreateShaderModule: the module's version is 0x%x, must be at most 0x%x",
                              module.words[1], newest);
    }
    while ((at = spirv_next(&module, SPIRV_OP_CAPABILITY, at)) != NULL) {
        if (!check_capability(held, at[1], enabled)) {
            return false;
        }
    }
    if (spirv_next(&module, SPIRV_OP_EXECUTION_MODE_ID, NULL) != NULL) {
        /* LocalSizeId is the one such mode of compute shaders. */
        return held_violation(held, "vkCreateShaderModule: LocalSizeId needs maintenance4, which is of Vulkan 1.3");
    }
    while ((at = spirv_next(&module, SPIRV_OP_EXTENSION, at)) != NULL) {
        /* a string ends in its last word, whose last byte then is 0 */
        const uint32_t length = at[0] >> 16;
        if (length < 2 || at[length - 1] >> 24 != 0) {
            return held_violation(held, "vkCreateShaderModule: an extension's name does not end");
        }
        if (!check_extension(held, (const char *)(at + 1))) {
            return false;
        }
    }
    return true;
}

static struct spirv *find_module(struct held *held, VkDevice device, VkShaderModule module) {
    for (size_t i = 0; i < HELD_MAX_MODULES; i++) {
        if (held->modules[i].code.words != NULL && held->modules[i].device == device &&
            held->modules[i].handle == module) {
            return &held->modules[i].code;
        }
    }
    return NULL;
}

bool held_keep_module(struct held *held, VkDevice device, VkShaderModule module,
                      const VkShaderModuleCreateInfo *create) {
    size_t i = 0;
    while (i < HELD_MAX_MODULES && held->modules[i].code.words != NULL) {
        i++;
    }
    uint32_t *words = malloc(create->codeSize);
    if (i == HELD_MAX_MODULES || words == NULL) {
        free(words);
        return held_violation(held, "vkCreateShaderModule: more than %d modules at a time", HELD_MAX_MODULES);
    }
    memcpy(words, create->pCode, create->codeSize);
    held->modules[i].device = device;
    held->modules[i].handle = module;
    held->modules[i].code = (struct spirv){words, create->codeSize / sizeof *words};
    return true;
}

void held_forget_module(struct held *held, VkDevice device, VkShaderModule module) {
    struct spirv *code = find_module(held, device, module);
    if (code != NULL) {
        free((void *)(uintptr_t)code->words);
        code->words = NULL;
    }
}

bool held_check_pipeline(struct held *held, VkDevice device, const VkComputePipelineCreateInfo *create) {
    const struct spirv *module = find_module(held, device, create->stage.module);
    const VkPhysicalDeviceLimits *limits = &held->limits;
    struct spirv_usage usage = {.shared_bytes = 0};
    const char *why = "its module is not known";
    uint64_t invocations = 1;
    if (module == NULL || !spirv_usage(module, create->stage.pName, &usage, &why)) {
        return held_violation(held, "vkCreateComputePipelines: the shader cannot be held to the profile: %s", why);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (usage.local_size[i] == 0 || usage.local_size[i] > limits->maxComputeWorkGroupSize[i]) {
            return held_violation(held,
                                  "vkCreateComputePipelines: the workgroup's size[%" PRIu32 "] is %" PRIu32
                                  ", must be 1 to %" PRIu32 " (maxComputeWorkGroupSize)",
                                  i, usage.local_size[i], limits->maxComputeWorkGroupSize[i]);
        }
        invocations *= usage.local_size[i];
    }
    if (invocations > limits->maxComputeWorkGroupInvocations) {
        return held_violation(held,
                              "vkCreateComputePipelines: the workgroup has %" PRIu64
                              " invocations, must have at most %" PRIu32 " (maxComputeWorkGroupInvocations)",
                              invocations, limits->maxComputeWorkGroupInvocations);
    }
    if (usage.shared_bytes > limits->maxComputeSharedMemorySize) {
        return held_violation(held,
                              "vkCreateComputePipelines: the workgroup shares %" PRIu64
                              " bytes, must be at most %" PRIu32 " (maxComputeSharedMemorySize)",
                              usage.shared_bytes, limits->maxComputeSharedMemorySize);
    }
    return true;
}

/* Or one whose offset comes with the binding, of which the command's own kernel has one; every device has four. */
static bool is_storage_buffer(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

/* Counts the buffers that compute shaders see; false: a descriptor of another type. */
static bool count_buffers(const VkDescriptorSetLayoutCreateInfo *create, uint32_t *uniforms, uint32_t *storages) {
    *uniforms = *storages = 0;
    for (uint32_t i = 0; i < create->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *binding = &create->pBindings[i];
        const uint32_t count = (binding->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) != 0 ? binding->descriptorCount : 0;
        if (binding->descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER) {
            *uniforms += count;
        } else if (is_storage_buffer(binding->descriptorType)) {
            *storages += count;
        } else {
            return false;
        }
    }
    return true;
}

static bool check_at_most(struct held *held, const char *call, const char *what, uint32_t value, uint32_t limit,
                          const char *limit_name) {
    return value <= limit || held_violation(held, "%s: %" PRIu32 " %s, must be at most %" PRIu32 " (%s)", call, value,
                                            what, limit, limit_name);
}

static bool check_buffer_counts(struct held *held, const char *call, uint32_t uniforms, uint32_t storages) {
    const VkPhysicalDeviceLimits *limits = &held->limits;
    return check_at_most(held, call, "uniform buffers", uniforms, limits->maxPerStageDescriptorUniformBuffers,
                         "maxPerStageDescriptorUniformBuffers") &&
           check_at_most(held, call, "storage buffers", storages, limits->maxPerStageDescriptorStorageBuffers,
                         "maxPerStageDescriptorStorageBuffers") &&
           check_at_most(held, call, "resources", uniforms + storages, limits->maxPerStageResources,
                         "maxPerStageResources");
}

bool held_check_set_layout(struct held *held, const VkDescriptorSetLayoutCreateInfo *create) {
    uint32_t uniforms, storages;
    if (create->flags != 0 || create->pNext != NULL) {
        return held_violation(held, "vkCreateDescriptorSetLayout: flags and chains are not known to the profiles");
    }
    if (!count_buffers(create, &uniforms, &storages)) {
        return held_violation(held, "vkCreateDescriptorSetLayout: a descriptor is of a type not known to the profiles");
    }
    return check_buffer_counts(held, "vkCreateDescriptorSetLayout", uniforms, storages);
}

static size_t find_set_layout(const struct held *held, VkDevice device, VkDescriptorSetLayout layout) {
    size_t i = 0;
    while (i < HELD_MAX_SET_LAYOUTS &&
           !(held->set_layouts[i].handle == layout && held->set_layouts[i].device == device)) {
        i++;
    }
    return i;
}

bool held_keep_set_layout(struct held *held, VkDevice device, VkDescriptorSetLayout layout,
                          const VkDescriptorSetLayoutCreateInfo *create) {
    size_t i = 0;
    while (i < HELD_MAX_SET_LAYOUTS && held->set_layouts[i].handle != VK_NULL_HANDLE) {
        i++;
    }
    if (i == HELD_MAX_SET_LAYOUTS) {
        return held_violation(held, "vkCreateDescriptorSetLayout: more than %d layouts at a time",
                              HELD_MAX_SET_LAYOUTS);
    }
    held->set_layouts[i].device = device;
    held->set_layouts[i].handle = layout;
    return count_buffers(create, &held->set_layouts[i].uniform_buffers, &held->set_layouts[i].storage_buffers);
}

void held_forget_set_layout(struct held *held, VkDevice device, VkDescriptorSetLayout layout) {
    const size_t i = find_set_layout(held, device, layout);
    if (i < HELD_MAX_SET_LAYOUTS) {
        held->set_layouts[i].handle = VK_NULL_HANDLE;
    }
}

bool held_check_push_constants(struct held *held, const char *call, uint32_t offset, uint32_t size) {
    const uint32_t limit = held->limits.maxPushConstantsSize;
    if (size == 0 || offset % 4 != 0 || size % 4 != 0) {
        return held_violation(held,
                              "%s: push constants at %" PRIu32 ", %" PRIu32
                              " bytes: both must be multiples of 4, and the size not 0",
                              call, offset, size);
    }
    return (offset < limit && size <= limit - offset) ||
           held_violation(held,
                          "%s: push constants at %" PRIu32 ", %" PRIu32 " bytes, must end at %" PRIu32
                          " at most (maxPushConstantsSize)",
                          call, offset, size, limit);
}

bool held_check_pipeline_layout(struct held *held, VkDevice device, const VkPipelineLayoutCreateInfo *create) {
    const char *call = "vkCreatePipelineLayout";
    uint32_t uniforms = 0, storages = 0;
    if (!check_at_most(held, call, "sets", create->setLayoutCount, held->limits.maxBoundDescriptorSets,
                       "maxBoundDescriptorSets")) {
        return false;
    }
    for (uint32_t i = 0; i < create->setLayoutCount; i++) {
        const size_t set = find_set_layout(held, device, create->pSetLayouts[i]);
        if (set == HELD_MAX_SET_LAYOUTS) {
            return held_violation(held, "%s: set layout %" PRIu32 " is not known", call, i);
        }
        uniforms += held->set_layouts[set].uniform_buffers;
        storages += held->set_layouts[set].storage_buffers;
    }
    for (uint32_t i = 0; i < create->pushConstantRangeCount; i++) {
        const VkPushConstantRange *range = &create->pPushConstantRanges[i];
        if (!held_check_push_constants(held, call, range->offset, range->size)) {
            return false;
        }
    }
    return check_buffer_counts(held, call, uniforms, storages);
}

static bool check_buffer(struct held *held, const VkDescriptorBufferInfo *buffer, const char *what,
                         VkDeviceSize alignment, const char *alignment_name, VkDeviceSize limit,
                         const char *limit_name) {
    if (buffer->offset % alignment != 0) {
        return held_violation(
            held, "vkUpdateDescriptorSets: a %s buffer's offset is %" PRIu64 ", must be a multiple of %" PRIu64 " (%s)",
            what, buffer->offset, alignment, alignment_name);
    }
    /* VK_WHOLE_SIZE too: how much that is depends on a buffer which the caller made, elsewhere. */
    return (buffer->range != 0 && buffer->range <= limit) ||
           held_violation(held,
                          "vkUpdateDescriptorSets: a %s buffer's range is %" PRIu64 ", must be 1 to %" PRIu64 " (%s)",
                          what, buffer->range, limit, limit_name);
}

bool held_check_write(struct held *held, const VkWriteDescriptorSet *write) {
    const VkPhysicalDeviceLimits *limits = &held->limits;
    for (uint32_t i = 0; i < write->descriptorCount; i++) {
        bool held_to = false;
        if (write->descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER) {
            held_to =
                check_buffer(held, &write->pBufferInfo[i], "uniform", limits->minUniformBufferOffsetAlignment,
                             "minUniformBufferOffsetAlignment", limits->maxUniformBufferRange, "maxUniformBufferRange");
        } else if (is_storage_buffer(write->descriptorType)) {
            held_to =
                check_buffer(held, &write->pBufferInfo[i], "storage", limits->minStorageBufferOffsetAlignment,
                             "minStorageBufferOffsetAlignment", limits->maxStorageBufferRange, "maxStorageBufferRange");
        } else {
            held_violation(held, "vkUpdateDescriptorSets: a descriptor is of a type not known to the profiles");
        }
        if (!held_to) {
            return false;
        }
    }
    return true;
}

bool held_check_dispatch(struct held *held, const uint32_t groups[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t limit = held->limits.maxComputeWorkGroupCount[i];
        /* Vulkan allows 0, and does nothing; the library has nothing to gain from it. */
        if (groups[i] == 0 || groups[i] > limit) {
            return held_violation(held,
                                  "vkCmdDispatch: the group count[%" PRIu32 "] is %" PRIu32 ", must be 1 to %" PRIu32
                                  " (maxComputeWorkGroupCount)",
                                  i, groups[i], limit);
        }
    }
    return true;
}

bool held_check_transfer(struct held *held, const char *call) {
    return held->transfer || held_violation(held, "%s: transfer commands were not allowed", call);
}
