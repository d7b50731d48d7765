/* The device that is tested: opening it, once for each variant of the kernels, and what it says of itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/operator_names.h"
#include "selftest/selftest.h"

static const VkdmlKernelVariant all_variants[SELFTEST_VARIANTS] = {
    VKDML_KERNEL_VARIANT_PORTABLE, VKDML_KERNEL_VARIANT_SUBGROUP, VKDML_KERNEL_VARIANT_SERIAL};

const char *selftest_variant_name(VkdmlKernelVariant variant) {
    static const char *const names[] = {"default", "portable", "subgroup", "serial"};
    const size_t index = (size_t)variant;
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : "?";
}

/* What the library says when a device is opened is kept, and complaints of the validation layer are a case's. */
static void on_message(void *user_data, VkdmlLogLevel level, const char *message) {
    struct selftest *test = user_data;
    const size_t used = strlen(test->log);
    if (level == VKDML_LOG_LEVEL_WARNING && test->running) {
        gpu_log(&test->running->gpu, level, message);
    } else if (level != VKDML_LOG_LEVEL_ERROR && !test->running) {
        snprintf(test->log + used, sizeof(test->log) - used, "%s%s", used ? "; " : "", message);
    }
}

static bool is_wanted(const struct selftest *test, const struct selftest_variant *variant) {
    const char *wanted = test->options.variant;
    return wanted ? strcmp(wanted, "all") == 0 || strcmp(wanted, selftest_variant_name(variant->variant)) == 0
                  : variant->is_own || variant->variant == VKDML_KERNEL_VARIANT_PORTABLE;
}

/* Imports the VkDevice as one of the variant; whether it can be is what this tells. */
static bool open_variant(struct selftest *test, struct selftest_variant *variant) {
    struct gpu *gpu = &variant->gpu;
    *gpu = (struct gpu){.validation = test->options.validation,
                        .gives_up = selftest_is_interrupted,
                        .variant = variant->variant,
                        .flags = variant->is_own ? VKDML_DEVICE_FLAG_ALLOW_TRANSFER : 0u};
    if (gpu_use(gpu, test->opened) != VKDML_SUCCESS ||
        gpu_import(gpu, (DML_FEATURE_LEVEL)0, &gpu->device) != VKDML_SUCCESS) {
        snprintf(variant->unusable, sizeof(variant->unusable), "%s", gpu->error ? gpu->error : "it cannot be imported");
        return false;
    }
    if (vkdmlGetKernelVariant(gpu->device) != variant->variant) {
        snprintf(variant->unusable, sizeof(variant->unusable), "VKDML_KERNEL_VARIANT forces another");
        return false;
    }
    return true;
}

static bool open_variants(struct selftest *test) {
    const VkdmlKernelVariant own = vkdmlGetKernelVariant(test->opened);
    uint32_t tested = 0;
    for (size_t i = 0; i < SELFTEST_VARIANTS; i++) {
        struct selftest_variant *variant = &test->variants[i];
        variant->variant = all_variants[i];
        variant->is_own = all_variants[i] == own;
        const bool usable = open_variant(test, variant);
        variant->is_tested = usable && is_wanted(test, variant);
        variant->runner = (struct runner){.gpu = &variant->gpu, .bounds = case_bounds};
        variant->tallies = calloc(case_family_count, sizeof(*variant->tallies));
        if (!variant->tallies) {
            fprintf(stderr, "vkdml: out of memory\n");
            return false;
        }
        if (!usable && test->options.variant && is_wanted(test, variant) && strcmp(test->options.variant, "all") != 0) {
            fprintf(stderr, "vkdml: the %s kernels: %s\n", test->options.variant, variant->unusable);
            return false;
        }
        if (!variant->is_tested) {
            gpu_release(&variant->gpu);
        }
        tested += variant->is_tested;
    }
    return tested > 0;
}

bool selftest_wants(const struct selftest *test, const struct case_family *family) {
    return !test->options.operators || operator_names_fit(test->options.operators, vkdmlGetOperatorName(family->type));
}

/* What most of a network's time goes into: a short test has seen it. */
static const DML_OPERATOR_TYPE first_types[] = {
    DML_OPERATOR_GEMM,
    DML_OPERATOR_CONVOLUTION,
    DML_OPERATOR_MAX_POOLING2,
    DML_OPERATOR_AVERAGE_POOLING1,
    DML_OPERATOR_ACTIVATION_SOFTMAX1,
    DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1,
    DML_OPERATOR_BATCH_NORMALIZATION,
    DML_OPERATOR_ELEMENT_WISE_ADD,
    DML_OPERATOR_ACTIVATION_RELU,
    DML_OPERATOR_REDUCE,
};

#define FIRST_TYPES (sizeof(first_types) / sizeof(first_types[0]))

/* The place of a type among those; FIRST_TYPES for all others. */
static size_t rank_of(DML_OPERATOR_TYPE type) {
    size_t rank = 0;
    while (rank < FIRST_TYPES && first_types[rank] != type) {
        rank++;
    }
    return rank;
}

/* The families asked for, by rank and then as listed. False where memory is out. */
static bool choose_families(struct selftest *test) {
    test->order = calloc(case_family_count, sizeof(*test->order));
    for (size_t rank = 0; test->order && rank <= FIRST_TYPES; rank++) {
        for (size_t f = 0; f < case_family_count; f++) {
            const struct case_family *family = case_families[f];
            if (rank_of(family->type) == rank && selftest_wants(test, family)) {
                test->order[test->family_count++] = f;
                test->fixed_rounds =
                    family->fixed_count > test->fixed_rounds ? (uint32_t)family->fixed_count : test->fixed_rounds;
            }
        }
    }
    return test->order != NULL;
}

bool selftest_open(struct selftest *test, const struct selftest_options *options) {
    *test = (struct selftest){.options = *options};
    if (!choose_families(test)) {
        fprintf(stderr, "vkdml: out of memory\n");
        return false;
    }
    const VkdmlDeviceOpenInfo info = {.structSize = sizeof(info),
                                      .headerVersion = VKDML_HEADER_VERSION,
                                      .name = options->device,
                                      .flags = options->validation ? VKDML_DEVICE_FLAG_VALIDATION : 0u,
                                      .logCallback = on_message,
                                      .logUserData = test};
    if (vkdmlOpenDevice(&info, &test->opened) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
        return false;
    }
    test->probe = (struct gpu){.validation = options->validation};
    if (gpu_use(&test->probe, test->opened) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", test->probe.error);
        return false;
    }
    return open_variants(test);
}

void selftest_close(struct selftest *test) {
    for (size_t i = 0; i < SELFTEST_VARIANTS; i++) {
        struct selftest_variant *variant = &test->variants[i];
        runner_free(&variant->runner);
        gpu_release(&variant->gpu);
        free(variant->tallies);
    }
    for (uint32_t i = 0; i < test->failure_count && i < SELFTEST_MAX_FAILURES; i++) {
        free(test->failures[i].line);
    }
    free(test->order);
    gpu_release(&test->probe);
    vkdmlDestroyDevice(test->opened);
}

/* ---- what it says of itself ---- */

/* Numbers by a format. */
static bool add_formatted(struct json_object *parent, const char *name, const char *format, unsigned long long a,
                          unsigned long long b, unsigned long long c) {
    char text[128];
    snprintf(text, sizeof(text), format, a, b, c);
    return json_tree_text(parent, name, text);
}

static bool add_yes_or_no(struct json_object *parent, const char *name, VkBool32 value) {
    return json_tree_text(parent, name, value ? "yes" : "no");
}

static bool add_limits(struct json_object *parent, const VkPhysicalDeviceLimits *limits) {
    struct json_object *told = json_tree_object(parent, "limits");
    const uint32_t *counts = limits->maxComputeWorkGroupCount, *sizes = limits->maxComputeWorkGroupSize;
#define LIMIT(name) json_tree_count(told, #name, limits->name)
    return LIMIT(maxStorageBufferRange) && LIMIT(minStorageBufferOffsetAlignment) &&
           LIMIT(maxPerStageDescriptorStorageBuffers) && LIMIT(maxUniformBufferRange) && LIMIT(maxPushConstantsSize) &&
           LIMIT(maxComputeSharedMemorySize) && LIMIT(maxComputeWorkGroupInvocations) &&
           add_formatted(told, "maxComputeWorkGroupCount", "%llu x %llu x %llu", counts[0], counts[1], counts[2]) &&
           add_formatted(told, "maxComputeWorkGroupSize", "%llu x %llu x %llu", sizes[0], sizes[1], sizes[2]);
#undef LIMIT
}

static bool add_independence(struct json_object *parent, const char *name, VkShaderFloatControlsIndependence value) {
    static const char *const names[] = {"32 bits only", "all", "none"};
    return json_tree_text(parent, name, (size_t)value < 3 ? names[value] : "?");
}

static bool add_float_controls(struct json_object *parent, const VkPhysicalDeviceFloatControlsProperties *controls) {
    struct json_object *told = json_tree_object(parent, "floats promised");
#define CONTROL(name) add_yes_or_no(told, #name, controls->name)
    return add_independence(told, "denormBehaviorIndependence", controls->denormBehaviorIndependence) &&
           add_independence(told, "roundingModeIndependence", controls->roundingModeIndependence) &&
           CONTROL(shaderSignedZeroInfNanPreserveFloat16) && CONTROL(shaderSignedZeroInfNanPreserveFloat32) &&
           CONTROL(shaderDenormPreserveFloat16) && CONTROL(shaderDenormPreserveFloat32) &&
           CONTROL(shaderDenormFlushToZeroFloat16) && CONTROL(shaderDenormFlushToZeroFloat32) &&
           CONTROL(shaderRoundingModeRTEFloat16) && CONTROL(shaderRoundingModeRTEFloat32) &&
           CONTROL(shaderRoundingModeRTZFloat16) && CONTROL(shaderRoundingModeRTZFloat32);
#undef CONTROL
}

static bool add_subgroups(struct json_object *parent, const VkPhysicalDeviceSubgroupProperties *subgroups) {
    static const char *const names[] = {"BASIC",     "VOTE", "ARITHMETIC", "BALLOT", "SHUFFLE", "SHUFFLE_RELATIVE",
                                        "CLUSTERED", "QUAD"};
    struct json_object *told = json_tree_object(parent, "subgroups");
    bool good =
        json_tree_count(told, "size", subgroups->subgroupSize) &&
        add_yes_or_no(told, "in compute shaders", (subgroups->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0);
    struct json_object *operations = json_tree_array(told, "operations");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && good; i++) {
        good = (subgroups->supportedOperations >> i & 1) == 0 || json_tree_text(operations, NULL, names[i]);
    }
    return good && operations;
}

/* Those that make something faster. */
static bool add_features(struct json_object *parent, const struct gpu *gpu) {
    VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan12};
    struct json_object *told = json_tree_object(parent, "features");
    vkGetPhysicalDeviceFeatures2(gpu->vulkan.physicalDevice, &features);
    return add_yes_or_no(told, "shaderFloat16", vulkan12.shaderFloat16) &&
           add_yes_or_no(told, "vulkanMemoryModel", vulkan12.vulkanMemoryModel);
}

static bool add_identity(struct json_object *told, const VkPhysicalDeviceProperties *device,
                         const VkPhysicalDeviceDriverProperties *driver) {
    static const char *const types[] = {"other", "integrated GPU", "discrete GPU", "virtual GPU", "CPU"};
    const uint32_t version = device->apiVersion;
    return json_tree_text(told, "name", device->deviceName) &&
           json_tree_text(told, "type", (size_t)device->deviceType < 5 ? types[device->deviceType] : "?") &&
           add_formatted(told, "vendorID", "0x%04llX", device->vendorID, 0, 0) &&
           add_formatted(told, "deviceID", "0x%04llX", device->deviceID, 0, 0) &&
           add_formatted(told, "Vulkan", "%llu.%llu.%llu", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                         VK_API_VERSION_PATCH(version)) &&
           json_tree_text(told, "driver", driver->driverName) &&
           json_tree_text(told, "driverInfo", driver->driverInfo) &&
           json_tree_count(told, "driverID", (uint64_t)driver->driverID) &&
           add_formatted(told, "driverVersion", "0x%08llX", device->driverVersion, 0, 0);
}

bool selftest_add_device(struct json_object *parent, const struct gpu *gpu) {
    VkPhysicalDeviceSubgroupProperties subgroups = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceFloatControlsProperties controls = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, .pNext = &subgroups};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &controls};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &driver};
    vkGetPhysicalDeviceProperties2(gpu->vulkan.physicalDevice, &properties);
    struct json_object *told = json_tree_object(parent, "device");
    return add_identity(told, &properties.properties, &driver) && add_limits(told, &properties.properties.limits) &&
           add_features(told, gpu) && add_subgroups(told, &subgroups) && add_float_controls(told, &controls);
}
