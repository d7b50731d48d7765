/* The profiles can fail: each of their promises is broken on purpose, over a driver that is invented and allows all.
 *
 * test_profiles [NAME..]
 *   NAME..  the profiles that there are setups of; all of them, where any is given */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/run_case.h"
#include "harness/gpu_open.h"
#include "profiles/profiled.h"
#include "profiles/spirv.h"
#include "stub_driver.h"

static char told[512]; /* the last violation */

static void on_violation(void *user_data, const char *text) {
    (void)user_data;
    snprintf(told, sizeof told, "%s", text);
}

static struct stub_functions vk;

static int name_count; /* of the command line */
static char **names;

/* Puts a profile before the invented driver, and its functions into `vk`. */
static void begin(const char *profile, bool transfer) {
    struct profiled_info info = {.profile = profile_find(profile),
                                 .next = stub_get_instance_proc_addr,
                                 .transfer = transfer,
                                 .on_violation = on_violation};
    assert_non_null(info.profile);
    assert_true(profiled_begin(&info));
    stub_load(&vk, profiled_get_instance_proc_addr);
    assert_int_equal(profiled_violations(), 0);
    told[0] = '\0';
    stub_calls = 0;
}

static int set_up(void **state) {
    (void)state;
    begin("minimum", false);
    return 0;
}

/* Since the last such assertion: the driver was called, and nothing was told. */
static void assert_passed(void) {
    if (told[0] != '\0') {
        fail_msg("told: \"%s\"", told);
    }
    assert_int_equal(stub_calls, 1);
    stub_calls = 0;
}

static void assert_told(const char *part) {
    if (strstr(told, part) == NULL || strstr(told, "profile ") != told) {
        fail_msg("told: \"%s\", must begin with the profile and contain \"%s\"", told, part);
    }
    told[0] = '\0';
    stub_calls = 0;
}

/* Told, and kept from the driver. */
static void assert_refused(VkResult result, const char *part) {
    assert_true(result < 0);
    assert_int_equal(stub_calls, 0);
    assert_told(part);
}

static void every_profile_is_a_vulkan_1_2_device(void **state) {
    (void)state;
    for (size_t i = 0; i < profile_count; i++) {
        const struct profile_limits *least = &profiles[0].limits;
        const struct profile_limits *limits = &profiles[i].limits;
        assert_ptr_equal(profile_find(profiles[i].name), &profiles[i]);
        if (profiles[i].fictional) {
            continue;
        }
#define AT_LEAST(limit) assert_true(limits->limit == 0 || limits->limit >= least->limit)
        AT_LEAST(maxUniformBufferRange);
        AT_LEAST(maxStorageBufferRange);
        AT_LEAST(maxPushConstantsSize);
        AT_LEAST(maxBoundDescriptorSets);
        AT_LEAST(maxPerStageDescriptorUniformBuffers);
        AT_LEAST(maxPerStageDescriptorStorageBuffers);
        AT_LEAST(maxPerStageResources);
        AT_LEAST(maxComputeSharedMemorySize);
        AT_LEAST(maxComputeWorkGroupInvocations);
        for (size_t d = 0; d < 3; d++) {
            AT_LEAST(maxComputeWorkGroupCount[d]);
            AT_LEAST(maxComputeWorkGroupSize[d]);
        }
        const uint32_t alignments[] = {limits->minUniformBufferOffsetAlignment,
                                       limits->minStorageBufferOffsetAlignment};
        for (size_t a = 0; a < 2; a++) {
            assert_true(alignments[a] <= 256 && (alignments[a] & (alignments[a] - 1)) == 0);
        }
        assert_true((profiles[i].subgroup_operations & VK_SUBGROUP_FEATURE_BASIC_BIT) != 0);
        const uint32_t size = profiles[i].subgroup_size;
        assert_true(size <= 128 && (size & (size - 1)) == 0); /* VkPhysicalDeviceSubgroupProperties */
    }
}

/* The list of profiles stands twice: in the table, and in the build that runs the suites under each. */
static void there_is_a_setup_of_every_profile(void **state) {
    (void)state;
    assert_int_equal(name_count, profile_count);
    for (int i = 0; i < name_count; i++) {
        assert_ptr_equal(profile_find(names[i]), &profiles[i]);
    }
}

static void a_device_looks_like_the_minimum(void **state) {
    (void)state;
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroup};
    vk.GetPhysicalDeviceProperties2(STUB_PHYSICAL_DEVICE, &properties);
    const VkPhysicalDeviceLimits *limits = &properties.properties.limits;
    assert_int_equal(properties.properties.apiVersion, VK_API_VERSION_1_2);
    assert_int_equal(limits->maxStorageBufferRange, 134217728);
    assert_int_equal(limits->maxPushConstantsSize, 128);
    assert_int_equal(limits->maxComputeSharedMemorySize, 16384);
    assert_int_equal(limits->maxComputeWorkGroupInvocations, 128);
    assert_int_equal(limits->maxComputeWorkGroupSize[2], 64);
    assert_int_equal(limits->maxComputeWorkGroupCount[0], 65535);
    assert_int_equal(limits->maxPerStageDescriptorStorageBuffers, 4);
    assert_int_equal(limits->minStorageBufferOffsetAlignment, 256);
    assert_int_equal(subgroup.supportedOperations, VK_SUBGROUP_FEATURE_BASIC_BIT);
    assert_int_equal(subgroup.supportedStages, VK_SHADER_STAGE_COMPUTE_BIT);
    assert_int_equal(subgroup.subgroupSize, 1);
    uint32_t count = 7;
    assert_int_equal(vk.EnumerateDeviceExtensionProperties(STUB_PHYSICAL_DEVICE, NULL, &count, NULL), VK_SUCCESS);
    assert_int_equal(count, 0);
}

static void a_device_keeps_limits_that_are_stricter_than_the_profiles(void **state) {
    (void)state;
    VkPhysicalDeviceProperties properties;
    begin("nvidia", false);
    vk.GetPhysicalDeviceProperties(STUB_PHYSICAL_DEVICE, &properties);
    assert_int_equal(properties.limits.maxStorageBufferRange, STUB_STORAGE_BUFFER_RANGE);
    assert_int_equal(properties.limits.minUniformBufferOffsetAlignment, 256);
    assert_int_equal(properties.limits.maxComputeSharedMemorySize, 49152);
}

static void a_device_has_the_profiles_subgroups(void **state) {
    (void)state;
    VkPhysicalDeviceVulkan11Properties vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                                   .subgroupSize = 32};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &vulkan11};
    begin("adreno", false);
    vk.GetPhysicalDeviceProperties2(STUB_PHYSICAL_DEVICE, &properties);
    assert_int_equal(vulkan11.subgroupSize, 64);
    assert_true((vulkan11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0);
    assert_false((vulkan11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_CLUSTERED_BIT) != 0);
}

static void features_beyond_the_profile_are_hidden(void **state) {
    (void)state;
    VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan12};
    vk.GetPhysicalDeviceFeatures2(STUB_PHYSICAL_DEVICE, &features);
    assert_true(features.features.robustBufferAccess && vulkan12.timelineSemaphore);
    assert_false(features.features.shaderInt64 || features.features.geometryShader);
    assert_false(vulkan12.storageBuffer8BitAccess || vulkan12.shaderFloat16 || vulkan12.descriptorIndexing);
    begin("amd", false);
    vk.GetPhysicalDeviceFeatures2(STUB_PHYSICAL_DEVICE, &features);
    assert_true(features.features.shaderInt64 && vulkan12.storageBuffer8BitAccess);
    assert_false(features.features.geometryShader);
}

static void what_the_profiles_do_not_know_is_told(void **state) {
    (void)state;
    VkPhysicalDeviceMeshShaderFeaturesNV mesh = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_NV};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &mesh};
    vk.GetPhysicalDeviceFeatures2(STUB_PHYSICAL_DEVICE, &features);
    assert_told("structure type");
    assert_null(vk.GetDeviceProcAddr(STUB_DEVICE, "vkCmdDispatchBase"));
    assert_told("vkCmdDispatchBase");
    assert_null(profiled_get_instance_proc_addr(STUB_INSTANCE, "vkGetPhysicalDeviceImageFormatProperties"));
    assert_told("vkGetPhysicalDeviceImageFormatProperties");
}

static VkResult create_device(const VkPhysicalDeviceFeatures *features, const void *chain, const char *extension) {
    VkDevice device;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = chain,
                               .enabledExtensionCount = extension != NULL,
                               .ppEnabledExtensionNames = &extension,
                               .pEnabledFeatures = features};
    return vk.CreateDevice(STUB_PHYSICAL_DEVICE, &info, NULL, &device);
}

static void a_device_with_a_feature_that_is_hidden_is_refused(void **state) {
    (void)state;
    const VkPhysicalDeviceFeatures robust = {.robustBufferAccess = VK_TRUE}, wide = {.shaderInt64 = VK_TRUE},
                                   geometry = {.geometryShader = VK_TRUE};
    const VkPhysicalDeviceVulkan12Features bytes = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                    .storageBuffer8BitAccess = VK_TRUE};
    assert_int_equal(create_device(NULL, NULL, NULL), VK_SUCCESS);
    assert_passed();
    assert_int_equal(create_device(&robust, NULL, NULL), VK_SUCCESS);
    assert_passed();
    assert_refused(create_device(&wide, NULL, NULL), "shaderInt64");
    assert_refused(create_device(&geometry, NULL, NULL), "vkCreateDevice: member");
    assert_refused(create_device(NULL, &bytes, NULL), "storageBuffer8BitAccess");
    assert_refused(create_device(NULL, NULL, "VK_KHR_8bit_storage"), "VK_KHR_8bit_storage");
}

/* A module, word by word. */
struct code {
    uint32_t words[256];
    size_t count;
};

static void emit(struct code *code, uint32_t opcode, const uint32_t *operands, uint32_t count) {
    assert_true(code->count + 1 + count <= sizeof code->words / sizeof *code->words);
    code->words[code->count++] = (count + 1) << 16 | opcode;
    memcpy(code->words + code->count, operands, count * sizeof *operands);
    code->count += count;
}

#define EMIT(code, opcode, ...)                                                                                        \
    emit(code, opcode, (const uint32_t[]){__VA_ARGS__},                                                                \
         (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static struct code header(uint32_t version) {
    return (struct code){.words = {0x07230203, version, 0, 100, 0}, .count = 5};
}

static VkResult create_module(const struct code *code, VkShaderModule *module) {
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = code->count * sizeof(uint32_t),
                                     .pCode = code->words};
    return vk.CreateShaderModule(STUB_DEVICE, &info, NULL, module);
}

/* A module with Shader and another capability. */
static VkResult create_capable_module(uint32_t capability) {
    struct code code = header(0x00010500);
    VkShaderModule module;
    EMIT(&code, SPIRV_OP_CAPABILITY, 1);
    EMIT(&code, SPIRV_OP_CAPABILITY, capability);
    return create_module(&code, &module);
}

static void a_module_with_a_capability_that_is_not_there_is_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t capability;
        const char *need;
    } missing[] = {
        {9, "shaderFloat16"},
        {10, "shaderFloat64"},
        {11, "shaderInt64"},
        {12, "shaderBufferInt64Atomics"},
        {22, "shaderInt16"},
        {39, "shaderInt8"},
        {62, "subgroup operations 0x2"},  /* GroupNonUniformVote */
        {63, "subgroup operations 0x4"},  /* GroupNonUniformArithmetic */
        {64, "subgroup operations 0x8"},  /* GroupNonUniformBallot */
        {65, "subgroup operations 0x10"}, /* GroupNonUniformShuffle */
        {68, "subgroup operations 0x80"}, /* GroupNonUniformQuad */
        {4433, "storageBuffer16BitAccess"},
        {4448, "storageBuffer8BitAccess"},
        {5345, "vulkanMemoryModel"},
        {5346, "vulkanMemoryModelDeviceScope"},
        {5347, "bufferDeviceAddress"},
        {2, "not known"}, /* Geometry */
        {0xFFFF, "not known"},
    };
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        assert_refused(create_capable_module(missing[i].capability), missing[i].need);
    }
    assert_int_equal(create_capable_module(61), VK_SUCCESS); /* GroupNonUniform: basic operations are always there */
    assert_passed();
}

static void a_capability_needs_the_feature_enabled(void **state) {
    (void)state;
    const VkPhysicalDeviceFeatures wide = {.shaderInt64 = VK_TRUE};
    begin("amd", false);
    assert_refused(create_capable_module(11), "the device was not created with");
    assert_int_equal(create_device(&wide, NULL, NULL), VK_SUCCESS);
    assert_passed();
    assert_int_equal(create_capable_module(11), VK_SUCCESS);
    assert_passed();
    assert_int_equal(create_capable_module(63), VK_SUCCESS); /* subgroup operations are no feature */
    assert_passed();
    vk.DestroyDevice(STUB_DEVICE, NULL);
    assert_passed();
    assert_refused(create_capable_module(11), "the device was not created with");
    begin("apple", false);
    assert_int_equal(create_capable_module(65), VK_SUCCESS); /* shuffles */
    assert_passed();
    assert_refused(create_capable_module(67), "subgroup operations 0x40"); /* clustered */
}

static void a_module_that_is_not_of_vulkan_1_2_is_refused(void **state) {
    (void)state;
    VkShaderModule module;
    struct code newer = header(0x00010600), extended = header(0x00010500), cut = header(0x00010500),
                sized = header(0x00010500);
    assert_refused(create_module(&newer, &module), "version");
    EMIT(&extended, SPIRV_OP_EXTENSION, 0x5F565053, 0x00000058); /* "SPV_X" */
    assert_refused(create_module(&extended, &module), "SPV_X");
    EMIT(&sized, SPIRV_OP_EXECUTION_MODE_ID, 1, 38, 2, 2, 2); /* %1 LocalSizeId %2 %2 %2 */
    assert_refused(create_module(&sized, &module), "maintenance4");
    EMIT(&cut, SPIRV_OP_CAPABILITY, 1);
    cut.count--;
    assert_refused(create_module(&cut, &module), "no SPIR-V");
}

/* A kernel with a workgroup of x, y, z, and `shared` words of shared memory, a number by an opcode. */
static VkShaderModule create_kernel(uint32_t opcode, uint32_t x, uint32_t y, uint32_t z, uint32_t shared) {
    struct code code = header(0x00010500);
    VkShaderModule module = VK_NULL_HANDLE;
    EMIT(&code, 17, 1);                   /* OpCapability Shader */
    EMIT(&code, 14, 0, 1);                /* OpMemoryModel Logical GLSL450 */
    EMIT(&code, 15, 5, 1, 0x6E69616D, 0); /* OpEntryPoint GLCompute %1 "main" */
    EMIT(&code, 16, 1, 17, 1, 1, 1);      /* OpExecutionMode %1 LocalSize: WorkgroupSize stands above it */
    EMIT(&code, 71, 3, 11, 25);           /* OpDecorate %3 BuiltIn WorkgroupSize */
    EMIT(&code, 21, 4, 32, 0);            /* %4 = OpTypeInt 32 0 */
    EMIT(&code, 23, 5, 4, 3);             /* %5 = OpTypeVector %4 3 */
    EMIT(&code, 43, 4, 2, x);             /* %2 = OpConstant %4 x */
    EMIT(&code, 43, 4, 6, y);             /* %6 = OpConstant %4 y */
    EMIT(&code, 43, 4, 7, z);             /* %7 = OpConstant %4 z */
    EMIT(&code, 44, 5, 3, 2, 6, 7);       /* %3 = OpConstantComposite %5 %2 %6 %7 */
    EMIT(&code, opcode, 4, 8, shared);    /* %8 = OpConstant %4 shared */
    EMIT(&code, 28, 11, 4, 8);            /* %11 = OpTypeArray %4 %8 */
    EMIT(&code, 32, 12, 4, 11);           /* %12 = OpTypePointer Workgroup %11 */
    EMIT(&code, 59, 12, 13, 4);           /* %13 = OpVariable %12 Workgroup */
    assert_int_equal(create_module(&code, &module), VK_SUCCESS);
    assert_passed();
    return module;
}

static VkResult create_pipeline(VkShaderModule module) {
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main"}};
    VkPipeline pipeline;
    return vk.CreateComputePipelines(STUB_DEVICE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
}

#define CONSTANT      43u /* OpConstant */
#define SPEC_CONSTANT 50u /* OpSpecConstant */

static void a_workgroup_above_the_limits_is_refused(void **state) {
    (void)state;
    assert_int_equal(create_pipeline(create_kernel(CONSTANT, 128, 1, 1, 1)), VK_SUCCESS);
    assert_passed();
    assert_int_equal(create_pipeline(create_kernel(CONSTANT, 64, 2, 1, 1)), VK_SUCCESS);
    assert_passed();
    assert_refused(create_pipeline(create_kernel(CONSTANT, 129, 1, 1, 1)), "size[0] is 129, must be 1 to 128");
    assert_refused(create_pipeline(create_kernel(CONSTANT, 0, 1, 1, 1)), "size[0] is 0");
    assert_refused(create_pipeline(create_kernel(CONSTANT, 65, 2, 1, 1)), "130 invocations");
    assert_refused(create_pipeline(create_kernel(CONSTANT, 1, 1, 65, 1)), "size[2] is 65, must be 1 to 64");
}

static void shared_memory_above_the_limit_is_refused(void **state) {
    (void)state;
    assert_int_equal(create_pipeline(create_kernel(CONSTANT, 128, 1, 1, 4096)), VK_SUCCESS);
    assert_passed();
    assert_refused(create_pipeline(create_kernel(CONSTANT, 128, 1, 1, 4224)), "shares 16896 bytes");
}

static void a_shader_that_cannot_be_read_is_refused(void **state) {
    (void)state;
    struct code empty = header(0x00010500);
    VkShaderModule module;
    assert_int_equal(create_module(&empty, &module), VK_SUCCESS);
    assert_passed();
    assert_refused(create_pipeline(module), "no compute entry point");
    assert_refused(create_pipeline(create_kernel(SPEC_CONSTANT, 128, 1, 1, 1)), "to be specialized");
    vk.DestroyShaderModule(STUB_DEVICE, module, NULL);
    stub_calls = 0;
    assert_refused(create_pipeline(module), "module is not known");
}

static VkResult create_set_layout(VkDescriptorType type, uint32_t count, VkDescriptorSetLayout *layout) {
    const VkDescriptorSetLayoutBinding binding = {
        .descriptorType = type, .descriptorCount = count, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    return vk.CreateDescriptorSetLayout(STUB_DEVICE, &info, NULL, layout);
}

static void a_set_layout_with_too_many_buffers_is_refused(void **state) {
    (void)state;
    VkDescriptorSetLayout layout;
    assert_int_equal(create_set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4, &layout), VK_SUCCESS);
    assert_passed();
    assert_refused(create_set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 5, &layout),
                   "maxPerStageDescriptorStorageBuffers");
    assert_refused(create_set_layout(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 13, &layout),
                   "maxPerStageDescriptorUniformBuffers");
    assert_refused(create_set_layout(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, &layout), "not known");
}

static VkResult create_pipeline_layout(uint32_t set_count, const VkDescriptorSetLayout *sets, uint32_t offset,
                                       uint32_t size) {
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, offset, size};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = set_count,
                                             .pSetLayouts = sets,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    return vk.CreatePipelineLayout(STUB_DEVICE, &info, NULL, &layout);
}

static void a_pipeline_layout_above_the_limits_is_refused(void **state) {
    (void)state;
    VkDescriptorSetLayout sets[5];
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(create_set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, i < 2 ? 2 : 1, &sets[i]), VK_SUCCESS);
        assert_passed();
    }
    assert_int_equal(create_pipeline_layout(2, sets, 0, 128), VK_SUCCESS);
    assert_passed();
    assert_refused(create_pipeline_layout(3, sets, 0, 128), "5 storage buffers");
    assert_refused(create_pipeline_layout(5, sets, 0, 128), "maxBoundDescriptorSets");
    assert_refused(create_pipeline_layout(1, sets, 0, 132), "maxPushConstantsSize");
    assert_refused(create_pipeline_layout(1, sets, 4, 128), "maxPushConstantsSize");
    vk.DestroyDescriptorSetLayout(STUB_DEVICE, sets[0], NULL);
    stub_calls = 0;
    assert_refused(create_pipeline_layout(1, sets, 0, 4), "set layout 0 is not known");
}

static void write_descriptor(VkDescriptorType type, VkDeviceSize offset, VkDeviceSize range) {
    const VkDescriptorBufferInfo buffer = {.offset = offset, .range = range};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .descriptorCount = 1,
                                        .descriptorType = type,
                                        .pBufferInfo = &buffer};
    vk.UpdateDescriptorSets(STUB_DEVICE, 1, &write, 0, NULL);
}

static void an_unaligned_or_too_large_descriptor_is_told(void **state) {
    (void)state;
    const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, uniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    write_descriptor(storage, 256, 1u << 27);
    assert_passed();
    write_descriptor(uniform, 256, 16384);
    assert_passed();
    write_descriptor(storage, 128, 4);
    assert_told("minStorageBufferOffsetAlignment");
    write_descriptor(uniform, 128, 4);
    assert_told("minUniformBufferOffsetAlignment");
    write_descriptor(storage, 0, (1u << 27) + 4);
    assert_told("maxStorageBufferRange");
    write_descriptor(storage, 0, VK_WHOLE_SIZE);
    assert_told("maxStorageBufferRange");
    write_descriptor(storage, 0, 0);
    assert_told("maxStorageBufferRange");
    write_descriptor(uniform, 0, 16388);
    assert_told("maxUniformBufferRange");
    write_descriptor(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 0, 4);
    assert_told("not known");
}

static void a_dispatch_above_the_limits_is_told(void **state) {
    (void)state;
    vk.CmdDispatch(STUB_COMMANDS, 65535, 65535, 65535);
    assert_passed();
    vk.CmdDispatch(STUB_COMMANDS, 65536, 1, 1);
    assert_told("count[0] is 65536");
    vk.CmdDispatch(STUB_COMMANDS, 1, 65536, 1);
    assert_told("count[1]");
    vk.CmdDispatch(STUB_COMMANDS, 1, 1, 0);
    assert_told("count[2] is 0");
}

static void push_constants_above_the_limit_are_told(void **state) {
    (void)state;
    const char values[256] = {0};
    vk.CmdPushConstants(STUB_COMMANDS, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 64, 64, values);
    assert_passed();
    vk.CmdPushConstants(STUB_COMMANDS, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 64, 68, values);
    assert_told("maxPushConstantsSize");
    vk.CmdPushConstants(STUB_COMMANDS, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 2, 4, values);
    assert_told("multiples of 4");
}

static void transfer_commands_need_to_be_allowed(void **state) {
    (void)state;
    vk.CmdCopyBuffer(STUB_COMMANDS, VK_NULL_HANDLE, VK_NULL_HANDLE, 0, NULL);
    assert_told("vkCmdCopyBuffer");
    vk.CmdFillBuffer(STUB_COMMANDS, VK_NULL_HANDLE, 0, 4, 0);
    assert_told("vkCmdFillBuffer");
    vk.CmdUpdateBuffer(STUB_COMMANDS, VK_NULL_HANDLE, 0, 4, "abc");
    assert_told("vkCmdUpdateBuffer");
    begin("minimum", true);
    vk.CmdFillBuffer(STUB_COMMANDS, VK_NULL_HANDLE, 0, 4, 0);
    assert_passed();
}

/* Runs a case that passes, and once more after the limits that the device reported were lowered behind its back. */
static void assert_case_fails(void (*lower)(VkPhysicalDeviceLimits *limits), const char *part) {
    static struct gpu gpu;
    static struct operator_case c;
    struct runner runner = {.gpu = &gpu};
    char text[4096] = "";
    setenv("VKDML_TEST_PROFILE", "minimum", 1);
    VkdmlResult result = gpu_open(&gpu, 0);
    if (result == VKDML_ERROR_INITIALIZATION_FAILED) {
        print_message("no device: %s\n", gpu.error);
        gpu_close(&gpu);
        skip();
    }
    assert_int_equal(result, VKDML_SUCCESS);
    assert_non_null(strstr(gpu.properties.deviceName, "as profile minimum"));
    assert_true(
        case_parse("ELEMENT_WISE_IDENTITY seed=7 InputTensor=INT32[64] OutputTensor=INT32[64]", &c, text, sizeof text));
    assert_int_equal(run_case(&runner, &c, text, sizeof text), CASE_PASSED);
    assert_int_equal(gpu.message_count, 0);
    lower(profiled_limits());
    /* another rank of the same operator: a pipeline that there is not yet */
    assert_true(case_parse("ELEMENT_WISE_IDENTITY seed=7 InputTensor=INT32[8,8] InputTensor.strides=1,8 "
                           "OutputTensor=INT32[8,8]",
                           &c, text, sizeof text));
    assert_int_not_equal(run_case(&runner, &c, text, sizeof text), CASE_PASSED);
    assert_true(gpu.message_count > 0);
    assert_non_null(strstr(gpu.messages, part));
    runner_free(&runner);
    gpu_close(&gpu);
}

static void allow_one_invocation(VkPhysicalDeviceLimits *limits) {
    limits->maxComputeWorkGroupInvocations = 1;
}

static void allow_one_word(VkPhysicalDeviceLimits *limits) {
    limits->maxStorageBufferRange = 4;
}

static void a_case_fails_whose_call_is_refused(void **state) {
    (void)state;
    assert_case_fails(allow_one_invocation, "maxComputeWorkGroupInvocations");
}

/* Though all its results are right. */
static void a_case_fails_whose_call_is_told(void **state) {
    (void)state;
    assert_case_fails(allow_one_word, "maxStorageBufferRange");
}

static void a_profile_that_does_not_exist_opens_nothing(void **state) {
    static struct gpu gpu;
    (void)state;
    setenv("VKDML_TEST_PROFILE", "minimun", 1);
    assert_int_equal(gpu_open(&gpu, 0), VKDML_ERROR_INVALID_ARGUMENT);
    gpu_close(&gpu);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_a_setup_of_every_profile),
        cmocka_unit_test(every_profile_is_a_vulkan_1_2_device),
        cmocka_unit_test_setup(a_device_looks_like_the_minimum, set_up),
        cmocka_unit_test_setup(a_device_keeps_limits_that_are_stricter_than_the_profiles, set_up),
        cmocka_unit_test_setup(a_device_has_the_profiles_subgroups, set_up),
        cmocka_unit_test_setup(features_beyond_the_profile_are_hidden, set_up),
        cmocka_unit_test_setup(what_the_profiles_do_not_know_is_told, set_up),
        cmocka_unit_test_setup(a_device_with_a_feature_that_is_hidden_is_refused, set_up),
        cmocka_unit_test_setup(a_module_with_a_capability_that_is_not_there_is_refused, set_up),
        cmocka_unit_test_setup(a_capability_needs_the_feature_enabled, set_up),
        cmocka_unit_test_setup(a_module_that_is_not_of_vulkan_1_2_is_refused, set_up),
        cmocka_unit_test_setup(a_workgroup_above_the_limits_is_refused, set_up),
        cmocka_unit_test_setup(shared_memory_above_the_limit_is_refused, set_up),
        cmocka_unit_test_setup(a_shader_that_cannot_be_read_is_refused, set_up),
        cmocka_unit_test_setup(a_set_layout_with_too_many_buffers_is_refused, set_up),
        cmocka_unit_test_setup(a_pipeline_layout_above_the_limits_is_refused, set_up),
        cmocka_unit_test_setup(an_unaligned_or_too_large_descriptor_is_told, set_up),
        cmocka_unit_test_setup(a_dispatch_above_the_limits_is_told, set_up),
        cmocka_unit_test_setup(push_constants_above_the_limit_are_told, set_up),
        cmocka_unit_test_setup(transfer_commands_need_to_be_allowed, set_up),
        cmocka_unit_test(a_case_fails_whose_call_is_refused),
        cmocka_unit_test(a_case_fails_whose_call_is_told),
        cmocka_unit_test(a_profile_that_does_not_exist_opens_nothing),
    };
    name_count = count - 1;
    names = arguments + 1;
    const size_t first = name_count == 0 ? 1 : 0; /* no names: run by hand, nothing to compare */
    return _cmocka_run_group_tests("profiles", tests + first, sizeof tests / sizeof *tests - first, NULL, NULL);
}
