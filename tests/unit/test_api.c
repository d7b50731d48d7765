/* Devices: opening, importing, refusing, features, caches, logs and loss. On the machine's first Vulkan device. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/processor.h"
#include "interposer.h"
#include "vkdml/vkdml.h"
#include "vulkan/device.h"
#include "vulkan_fixture.h"

static struct vulkan vulkan;

static int set_up(void **state) {
    (void)state;
    unsetenv("VKDML_DEVICE");
    unsetenv("VKDML_KERNEL_VARIANT");
    vulkan_create(&vulkan);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    vulkan_destroy(&vulkan);
    return 0;
}

static VkdmlDevice import_device(void) {
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    return device;
}

/* ---- messages ---- */

struct messages {
    uint32_t count[3]; /* by level */
    char first[3][1024];
    char last[3][1024];
};

static void keep_message(void *user_data, VkdmlLogLevel level, const char *message) {
    struct messages *messages = user_data;
    if (messages->count[level]++ == 0) {
        snprintf(messages->first[level], sizeof messages->first[level], "%s", message);
    }
    snprintf(messages->last[level], sizeof messages->last[level], "%s", message);
}

/* ---- opening ---- */

static void opening_a_device_gives_its_vulkan_objects(void **state) {
    (void)state;
    VkdmlDevice device = NULL;
    VkdmlVulkanHandles handles;
    assert_int_equal(vkdmlOpenDevice(NULL, &device), VKDML_SUCCESS);
    assert_non_null(device);
    assert_int_equal(vkdmlGetVulkanHandles(device, &handles), VKDML_SUCCESS);
    assert_non_null(handles.instance);
    assert_non_null(handles.physicalDevice);
    assert_non_null(handles.device);
    assert_non_null(handles.queue);
    assert_non_null(handles.getInstanceProcAddr);
    assert_int_equal(vkdmlGetFeatureLevel(device), DML_FEATURE_LEVEL_6_4);
    vkdmlDestroyDevice(device);
}

static void opening_and_closing_frees_all_host_memory(void **state) {
    (void)state;
    struct allocations allocations = {0};
    VkAllocationCallbacks callbacks = counting_callbacks(&allocations);
    VkdmlDeviceOpenInfo info = {
        .structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .allocationCallbacks = &callbacks};
    VkdmlDevice device;
    assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_SUCCESS);
    memset(&callbacks, 0, sizeof callbacks); /* they were copied */
    assert_true(atomic_load(&allocations.live) > 0);
    vkdmlDestroyDevice(device);
    assert_int_equal(atomic_load(&allocations.live), 0);
}

static VkdmlDeviceOpenInfo told_to(struct messages *messages) {
    return (VkdmlDeviceOpenInfo){.structSize = sizeof(VkdmlDeviceOpenInfo),
                                 .headerVersion = VKDML_HEADER_VERSION,
                                 .logCallback = keep_message,
                                 .logUserData = messages};
}

static void a_device_opens_by_any_part_of_its_name_in_any_case(void **state) {
    (void)state;
    VkdmlPhysicalDeviceInfo infos[8];
    uint32_t count = 8;
    assert_int_equal(vkdmlEnumeratePhysicalDevices(&count, infos), VKDML_SUCCESS);
    assert_true(count > 0);
    char name[8] = "";
    for (size_t i = 0; i < sizeof name - 1 && infos[0].name[i + 1]; i++) {
        name[i] = (char)toupper((unsigned char)infos[0].name[i + 1]);
    }
    struct messages messages = {{0}, {{0}}, {{0}}};
    VkdmlDeviceOpenInfo info = told_to(&messages);
    info.name = name;
    VkdmlDevice device;
    assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_SUCCESS);
    /* Matrix cores are a message of their own. */
    assert_in_range(messages.count[VKDML_LOG_LEVEL_INFO], 1, 2);
    assert_non_null(strstr(messages.first[VKDML_LOG_LEVEL_INFO], infos[0].name));
    vkdmlDestroyDevice(device);
}

static void a_name_of_no_device_is_refused_with_the_names_there_are(void **state) {
    (void)state;
    VkdmlDeviceOpenInfo info = {
        .structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .name = "no such device"};
    VkdmlDevice device;
    assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_ERROR_INITIALIZATION_FAILED);
    assert_null(device);
    assert_reason("has a name that contains \"no such device\"");
    assert_reason(vulkan.properties.deviceName);
}

static void a_device_opens_by_its_number_and_by_its_uuid(void **state) {
    (void)state;
    VkdmlPhysicalDeviceInfo infos[8];
    uint32_t count = 8;
    assert_int_equal(vkdmlEnumeratePhysicalDevices(&count, infos), VKDML_SUCCESS);
    char uuid[40] = "";
    for (size_t i = 0, length = 0; i < VK_UUID_SIZE; i++) {
        length +=
            (size_t)snprintf(uuid + length, sizeof uuid - length, "%s%02X", i % 4 == 3 ? "-" : "", infos[0].uuid[i]);
    }
    const char *const names[] = {"#0", uuid};
    for (size_t i = 0; i < 2; i++) {
        VkdmlDeviceOpenInfo info = {.structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .name = names[i]};
        VkdmlDevice device;
        VkdmlVulkanHandles handles;
        assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_SUCCESS);
        assert_int_equal(vkdmlGetVulkanHandles(device, &handles), VKDML_SUCCESS);
        VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
        VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                  .pNext = &ids};
        PFN_vkGetPhysicalDeviceProperties2 get = (PFN_vkGetPhysicalDeviceProperties2)handles.getInstanceProcAddr(
            handles.instance, "vkGetPhysicalDeviceProperties2");
        get(handles.physicalDevice, &properties);
        assert_memory_equal(ids.deviceUUID, infos[0].uuid, VK_UUID_SIZE);
        vkdmlDestroyDevice(device);
    }
}

static void a_number_or_uuid_of_no_device_is_refused(void **state) {
    (void)state;
    VkdmlDeviceOpenInfo info = {.structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .name = "#99"};
    VkdmlDevice device;
    assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_ERROR_INITIALIZATION_FAILED);
    assert_reason("is number \"#99\"");
    info.name = "ffffffff-0123-4567-89ab-cdefffffffff";
    assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_ERROR_INITIALIZATION_FAILED);
    assert_reason("has the UUID \"ffffffff-0123");
    info.name = "#1x"; /* neither */
    assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_ERROR_INITIALIZATION_FAILED);
    assert_reason("has a name that contains \"#1x\"");
    info.name = "ffffffff-0123-4567-89ab-cdefffffffff0";
    assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_ERROR_INITIALIZATION_FAILED);
    assert_reason("has a name that contains \"ffffffff-0123");
}

static void the_environment_names_the_device_where_the_caller_does_not(void **state) {
    (void)state;
    VkdmlDevice device;
    setenv("VKDML_DEVICE", "no such device either", 1);
    assert_int_equal(vkdmlOpenDevice(NULL, &device), VKDML_ERROR_INITIALIZATION_FAILED);
    assert_reason("no such device either");
    VkdmlDeviceOpenInfo info = {
        .structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .name = vulkan.properties.deviceName};
    assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_SUCCESS);
    vkdmlDestroyDevice(device);
    setenv("VKDML_DEVICE", "", 1);
    assert_int_equal(vkdmlOpenDevice(NULL, &device), VKDML_SUCCESS);
    vkdmlDestroyDevice(device);
    unsetenv("VKDML_DEVICE");
}

static void opening_refuses_unknown_flags_and_levels(void **state) {
    (void)state;
    VkdmlDevice device;
    VkdmlDeviceOpenInfo flags = {.structSize = sizeof flags, .headerVersion = VKDML_HEADER_VERSION, .flags = 0x80};
    assert_int_equal(vkdmlOpenDevice(&flags, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("flags is 0x80");
    VkdmlDeviceOpenInfo level = {
        .structSize = sizeof level, .headerVersion = VKDML_HEADER_VERSION, .featureLevel = (DML_FEATURE_LEVEL)0x2200};
    assert_int_equal(vkdmlOpenDevice(&level, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("featureLevel is 0x2200");
    assert_int_equal(vkdmlOpenDevice(NULL, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("device is NULL");
}

static void devices_are_listed_in_the_manner_of_vulkan(void **state) {
    (void)state;
    uint32_t count = 77;
    assert_int_equal(vkdmlEnumeratePhysicalDevices(&count, NULL), VKDML_SUCCESS);
    assert_in_range(count, 1, 76);
    VkdmlPhysicalDeviceInfo info = {.apiVersion = 0};
    uint32_t one = 1;
    assert_int_equal(vkdmlEnumeratePhysicalDevices(&one, &info), VKDML_SUCCESS);
    assert_int_equal(one, 1);
    assert_true(info.name[0] && info.driver[0]);
    assert_true(info.apiVersion >= VK_API_VERSION_1_2);
    assert_true(info.deviceLocalBytes > 0);
    assert_null(info.unusable);
    uint32_t none = 0;
    assert_int_equal(vkdmlEnumeratePhysicalDevices(&none, &info), VKDML_SUCCESS);
    assert_int_equal(none, 0);
    assert_int_equal(vkdmlEnumeratePhysicalDevices(NULL, NULL), VKDML_ERROR_INVALID_ARGUMENT);
}

static void validation_messages_reach_the_log(void **state) {
    (void)state;
    struct messages messages = {{0}, {{0}}, {{0}}};
    VkdmlDeviceOpenInfo info = told_to(&messages);
    info.flags = VKDML_DEVICE_FLAG_VALIDATION;
    VkdmlDevice device;
    VkdmlVulkanHandles handles;
    VkResult result = vkdmlOpenDevice(&info, &device) == VKDML_SUCCESS ? VK_SUCCESS : VK_ERROR_LAYER_NOT_PRESENT;
    if (result != VK_SUCCESS) {
        assert_reason("VK_LAYER_KHRONOS_validation");
        print_message("no validation layer here\n");
        skip();
    }
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_WARNING], 0);
    assert_int_equal(vkdmlGetVulkanHandles(device, &handles), VKDML_SUCCESS);
    PFN_vkCreateFence create = (PFN_vkCreateFence)handles.getInstanceProcAddr(handles.instance, "vkCreateFence");
    VkFenceCreateInfo wrong = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    VkFence fence = VK_NULL_HANDLE;
    result = create(handles.device, &wrong, NULL, &fence);
    assert_true(messages.count[VKDML_LOG_LEVEL_WARNING] > 0);
    assert_non_null(strstr(messages.last[VKDML_LOG_LEVEL_WARNING], "VUID-VkFenceCreateInfo-sType"));
    if (result == VK_SUCCESS) {
        ((PFN_vkDestroyFence)handles.getInstanceProcAddr(handles.instance, "vkDestroyFence"))(handles.device, fence,
                                                                                              NULL);
    }
    vkdmlDestroyDevice(device);
}

/* ---- importing ---- */

static void an_imported_device_keeps_the_callers_handles_and_has_no_queue(void **state) {
    (void)state;
    VkdmlDevice device = import_device();
    VkdmlVulkanHandles handles;
    assert_int_equal(vkdmlGetVulkanHandles(device, &handles), VKDML_SUCCESS);
    assert_ptr_equal(handles.instance, vulkan.instance);
    assert_ptr_equal(handles.physicalDevice, vulkan.physical_device);
    assert_ptr_equal(handles.device, vulkan.device);
    assert_int_equal(handles.queueFamilyIndex, vulkan.queue_family);
    assert_null(handles.queue);
    vkdmlDestroyDevice(device);
    assert_int_equal(vkDeviceWaitIdle(vulkan.device), VK_SUCCESS); /* alive */
}

static void importing_and_destroying_leaves_nothing_behind(void **state) {
    (void)state;
    struct allocations allocations = {0};
    VkAllocationCallbacks callbacks = counting_callbacks(&allocations);
    interposer_reset(vkGetInstanceProcAddr);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    info.allocationCallbacks = &callbacks;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    assert_true(atomic_load(&allocations.live) > 0);
    assert_true(interposer.live > 0);
    vkdmlDestroyDevice(device);
    assert_int_equal(atomic_load(&allocations.live), 0);
    assert_int_equal(interposer.live, 0);
}

static const VkPhysicalDeviceFeatures2 wrong_features = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
static const VkAllocationCallbacks no_callbacks = {0};
static const char *const null_name[] = {NULL};

static void no_instance(VkdmlDeviceCreateInfo *info) {
    info->instance = VK_NULL_HANDLE;
}
static void no_physical_device(VkdmlDeviceCreateInfo *info) {
    info->physicalDevice = VK_NULL_HANDLE;
}
static void no_device(VkdmlDeviceCreateInfo *info) {
    info->device = VK_NULL_HANDLE;
}
static void no_proc_addr(VkdmlDeviceCreateInfo *info) {
    info->getInstanceProcAddr = NULL;
}
static void family_out_of_range(VkdmlDeviceCreateInfo *info) {
    info->queueFamilyIndex = 1000;
}
static void unknown_level(VkdmlDeviceCreateInfo *info) {
    info->featureLevel = (DML_FEATURE_LEVEL)0x7000;
}
static void unknown_flag(VkdmlDeviceCreateInfo *info) {
    info->flags = 0x40;
}
static void validation_flag(VkdmlDeviceCreateInfo *info) {
    info->flags = VKDML_DEVICE_FLAG_VALIDATION;
}
static void debug_utils_flag(VkdmlDeviceCreateInfo *info) {
    info->flags = VKDML_DEVICE_FLAG_DEBUG_UTILS;
}
static void features_of_wrong_type(VkdmlDeviceCreateInfo *info) {
    info->enabledFeatures = &wrong_features;
}
static void extensions_without_names(VkdmlDeviceCreateInfo *info) {
    info->enabledExtensionCount = 3;
}
static void extension_without_name(VkdmlDeviceCreateInfo *info) {
    info->enabledExtensionCount = 1;
    info->enabledExtensions = null_name;
}
static void callbacks_without_functions(VkdmlDeviceCreateInfo *info) {
    info->allocationCallbacks = &no_callbacks;
}
static void *VKAPI_PTR give_none(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    (void)user, (void)size, (void)alignment, (void)scope;
    return NULL;
}
static void *VKAPI_PTR give_none_again(void *user, void *memory, size_t size, size_t alignment,
                                       VkSystemAllocationScope scope) {
    (void)user, (void)memory, (void)size, (void)alignment, (void)scope;
    return NULL;
}
static void VKAPI_PTR take_none(void *user, void *memory) {
    (void)user, (void)memory;
}
static void VKAPI_PTR hear(void *user, size_t size, VkInternalAllocationType type, VkSystemAllocationScope scope) {
    (void)user, (void)size, (void)type, (void)scope;
}
static void callbacks_that_cannot_grow(VkdmlDeviceCreateInfo *info) {
    static const VkAllocationCallbacks callbacks = {.pfnAllocation = give_none, .pfnFree = take_none};
    info->allocationCallbacks = &callbacks;
}
static void callbacks_that_cannot_free(VkdmlDeviceCreateInfo *info) {
    static const VkAllocationCallbacks callbacks = {.pfnAllocation = give_none, .pfnReallocation = give_none_again};
    info->allocationCallbacks = &callbacks;
}
static void callbacks_that_hear_of_frees(VkdmlDeviceCreateInfo *info) {
    static const VkAllocationCallbacks callbacks = {
        .pfnAllocation = give_none, .pfnReallocation = give_none_again, .pfnFree = take_none, .pfnInternalFree = hear};
    info->allocationCallbacks = &callbacks;
}
static void callbacks_that_hear_of_allocations(VkdmlDeviceCreateInfo *info) {
    static const VkAllocationCallbacks callbacks = {.pfnAllocation = give_none,
                                                    .pfnReallocation = give_none_again,
                                                    .pfnFree = take_none,
                                                    .pfnInternalAllocation = hear};
    info->allocationCallbacks = &callbacks;
}
static void unknown_variant(VkdmlDeviceCreateInfo *info) {
    info->kernelVariant = (VkdmlKernelVariant)7;
}
static void cache_data_without_data(VkdmlDeviceCreateInfo *info) {
    info->pipelineCacheDataSize = 9;
}

static void a_wrong_import_is_refused_with_its_reason(void **state) {
    (void)state;
    static const struct {
        void (*spoil)(VkdmlDeviceCreateInfo *info);
        const char *reason;
    } cases[] = {
        {no_instance, "instance is NULL"},
        {no_physical_device, "physicalDevice is NULL"},
        {no_device, "device is NULL"},
        {no_proc_addr, "getInstanceProcAddr is NULL"},
        {family_out_of_range, "queueFamilyIndex is 1000, must be below"},
        {unknown_level, "featureLevel is 0x7000"},
        {unknown_flag, "flags is 0x40"},
        {validation_flag, "VKDML_DEVICE_FLAG_VALIDATION"},
        {debug_utils_flag, "VKDML_DEVICE_FLAG_DEBUG_UTILS"},
        {features_of_wrong_type, "enabledFeatures.sType is 0"},
        {extensions_without_names, "enabledExtensions is NULL, must point to 3 names"},
        {extension_without_name, "enabledExtensions[0] is NULL"},
        {callbacks_without_functions, "allocationCallbacks.pfnAllocation is NULL"},
        {callbacks_that_cannot_grow, "allocationCallbacks.pfnReallocation is NULL"},
        {callbacks_that_cannot_free, "allocationCallbacks.pfnFree is NULL"},
        {callbacks_that_hear_of_frees, "allocationCallbacks.pfnInternalAllocation is NULL, must be given with"},
        {callbacks_that_hear_of_allocations, "allocationCallbacks.pfnInternalFree is NULL, must be given with"},
        {unknown_variant, "kernelVariant is 7, must be a VkdmlKernelVariant"},
        {cache_data_without_data, "pipelineCacheData is NULL, must point to 9 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
        VkdmlDevice device = (VkdmlDevice)&info;
        cases[i].spoil(&info);
        assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_ERROR_INVALID_ARGUMENT);
        assert_null(device);
        assert_reason(cases[i].reason);
    }
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(NULL, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("info is NULL");
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    assert_int_equal(vkdmlCreateDevice(&info, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("device is NULL");
}

static void all_that_is_wrong_with_an_import_is_told_at_once(void **state) {
    (void)state;
    VkdmlDeviceCreateInfo info = {.structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .flags = 0x40};
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("instance is NULL");
    assert_reason("\ngetInstanceProcAddr is NULL");
    assert_reason("\nflags is 0x40");
}

static void every_missing_function_is_named(void **state) {
    (void)state;
    static const char *const needed[] = {
#define VKDML_VK_INSTANCE(name) "vk" #name,
#define VKDML_VK_DEVICE(name)   "vk" #name,
#include "vulkan/functions.inc"
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        interposer_reset(vkGetInstanceProcAddr);
        interposer.hidden = needed[i];
        VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
        info.getInstanceProcAddr = interposer_get_instance_proc_addr;
        VkdmlDevice device;
        assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_ERROR_INITIALIZATION_FAILED);
        assert_null(device);
        assert_reason(needed[i]);
        assert_int_equal(interposer.live, 0);
    }
}

/* ---- kernel variants ---- */

/* Whether the device has what the subgroup kernels need; profiles may hide it. */
static bool has_subgroup_arithmetic(void) {
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroup};
    vkGetPhysicalDeviceProperties2(vulkan.physical_device, &properties);
    return (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
           (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
}

/* PORTABLE also where SUBGROUP is forced on a device that must refuse it, and does with its reason. */
static VkdmlKernelVariant variant_of(VkdmlKernelVariant forced) {
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.kernelVariant = forced;
    VkdmlDevice device;
    VkdmlResult result = vkdmlCreateDevice(&info, &device);
    if (result == VKDML_ERROR_FEATURE_NOT_PRESENT) {
        assert_reason("the device cannot run the subgroup kernels: it has no VK_SUBGROUP_FEATURE");
        assert_false(has_subgroup_arithmetic());
        return VKDML_KERNEL_VARIANT_PORTABLE;
    }
    assert_int_equal(result, VKDML_SUCCESS);
    VkdmlKernelVariant variant = vkdmlGetKernelVariant(device);
    vkdmlDestroyDevice(device);
    return variant;
}

static void a_variant_is_forced_by_the_caller_and_above_it_by_the_environment(void **state) {
    (void)state;
    assert_int_not_equal(variant_of(VKDML_KERNEL_VARIANT_DEFAULT), VKDML_KERNEL_VARIANT_DEFAULT);
    assert_int_equal(variant_of(VKDML_KERNEL_VARIANT_PORTABLE), VKDML_KERNEL_VARIANT_PORTABLE);
    const VkdmlKernelVariant subgroup =
        has_subgroup_arithmetic() ? VKDML_KERNEL_VARIANT_SUBGROUP : VKDML_KERNEL_VARIANT_PORTABLE;
    assert_int_equal(variant_of(VKDML_KERNEL_VARIANT_SUBGROUP), subgroup);
    assert_int_equal(variant_of(VKDML_KERNEL_VARIANT_SERIAL), VKDML_KERNEL_VARIANT_SERIAL);
    setenv("VKDML_KERNEL_VARIANT", "portable", 1);
    assert_int_equal(variant_of(VKDML_KERNEL_VARIANT_DEFAULT), VKDML_KERNEL_VARIANT_PORTABLE);
    assert_int_equal(variant_of(VKDML_KERNEL_VARIANT_SUBGROUP), VKDML_KERNEL_VARIANT_PORTABLE);
    setenv("VKDML_KERNEL_VARIANT", "subgroup", 1);
    assert_int_equal(variant_of(VKDML_KERNEL_VARIANT_PORTABLE), subgroup);
    setenv("VKDML_KERNEL_VARIANT", "serial", 1);
    assert_int_equal(variant_of(VKDML_KERNEL_VARIANT_PORTABLE), VKDML_KERNEL_VARIANT_SERIAL);
    setenv("VKDML_KERNEL_VARIANT", "wave", 1);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("VKDML_KERNEL_VARIANT is \"wave\", must be portable, subgroup or serial");
    setenv("VKDML_KERNEL_VARIANT", "", 1);
    assert_int_not_equal(variant_of(VKDML_KERNEL_VARIANT_DEFAULT), VKDML_KERNEL_VARIANT_DEFAULT);
    unsetenv("VKDML_KERNEL_VARIANT");
    assert_int_equal(vkdmlGetKernelVariant(NULL), VKDML_KERNEL_VARIANT_DEFAULT);
}

/* Of the device that there is, as if its driver were lavapipe with that driverInfo. */
static uint32_t warnings_of(const char *driver_info, struct messages *messages) {
    memset(messages, 0, sizeof *messages);
    interposer_reset(vkGetInstanceProcAddr);
    interposer.driver_info = driver_info;
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    info.logCallback = keep_message;
    info.logUserData = messages;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    vkdmlDestroyDevice(device);
    return messages->count[VKDML_LOG_LEVEL_WARNING];
}

static void a_compiler_at_fault_is_a_warning_unless_the_environment_helps(void **state) {
    (void)state;
    static const char faulty[] = "Mesa 26.1.6-1 (LLVM 21.1.8)";
    const char *set = getenv("GALLIUM_OVERRIDE_CPU_CAPS");
    char before[16];
    struct messages messages;
    snprintf(before, sizeof before, "%s", set ? set : "");
    unsetenv("GALLIUM_OVERRIDE_CPU_CAPS");
    assert_int_equal(warnings_of(faulty, &messages), vkdml_processor_has_avx512());
    if (vkdml_processor_has_avx512()) {
        assert_non_null(strstr(messages.last[VKDML_LOG_LEVEL_WARNING], "set GALLIUM_OVERRIDE_CPU_CAPS=avx"));
    }
    assert_int_equal(warnings_of("Mesa 22.3.6 (LLVM 15.0.6)", &messages), 0);
    setenv("GALLIUM_OVERRIDE_CPU_CAPS", "avx2", 1); /* no word of Mesa's */
    assert_int_equal(warnings_of(faulty, &messages), vkdml_processor_has_avx512());
    setenv("GALLIUM_OVERRIDE_CPU_CAPS", "avx", 1);
    assert_int_equal(warnings_of(faulty, &messages), 0);
    setenv("GALLIUM_OVERRIDE_CPU_CAPS", "sse4.1", 1);
    assert_int_equal(warnings_of(faulty, &messages), 0);
    set ? setenv("GALLIUM_OVERRIDE_CPU_CAPS", before, 1) : unsetenv("GALLIUM_OVERRIDE_CPU_CAPS");
}

static void a_device_without_subgroups_runs_the_portable_kernels_and_no_others(void **state) {
    (void)state;
    interposer_reset(vkGetInstanceProcAddr);
    interposer.no_subgroups = true;
    interposer.discrete = true;
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetKernelVariant(device), VKDML_KERNEL_VARIANT_PORTABLE);
    vkdmlDestroyDevice(device);
    info.kernelVariant = VKDML_KERNEL_VARIANT_SUBGROUP;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_ERROR_FEATURE_NOT_PRESENT);
    assert_null(device);
    assert_reason("the device cannot run the subgroup kernels: it has no VK_SUBGROUP_FEATURE_BASIC_BIT");
    interposer_reset(vkGetInstanceProcAddr);
}

/* Of the device as the interposer tells it. */
static void expect_refused(VkdmlResult result, const char *reason) {
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), result);
    assert_reason(reason);
}

static void a_device_below_1_2_is_refused(void **state) {
    (void)state;
    interposer_reset(vkGetInstanceProcAddr);
    interposer.api_version = VK_API_VERSION_1_1;
    expect_refused(VKDML_ERROR_INITIALIZATION_FAILED, "apiVersion is 1.1, must be at least 1.2");
}

static void a_queue_family_that_cannot_compute_is_refused(void **state) {
    (void)state;
    interposer_reset(vkGetInstanceProcAddr);
    interposer.no_compute = true;
    expect_refused(VKDML_ERROR_INVALID_ARGUMENT, "must be of a family with VK_QUEUE_COMPUTE_BIT");
}

/* ---- pipeline caches ---- */

static void pipeline_cache_data_comes_out_and_goes_in_again(void **state) {
    (void)state;
    VkdmlDevice device = import_device();
    size_t size = 0;
    assert_int_equal(vkdmlGetPipelineCacheData(device, &size, NULL), VKDML_SUCCESS);
    assert_true(size >= sizeof(VkPipelineCacheHeaderVersionOne));
    unsigned char *data = malloc(size);
    assert_non_null(data);
    size_t too_small = size - 1;
    assert_int_equal(vkdmlGetPipelineCacheData(device, &too_small, data), VKDML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(too_small, size);
    assert_int_equal(vkdmlGetPipelineCacheData(device, &size, data), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetPipelineCacheData(device, NULL, data), VKDML_ERROR_INVALID_ARGUMENT);
    vkdmlDestroyDevice(device);

    struct messages messages = {{0}, {{0}}, {{0}}};
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.pipelineCacheData = data;
    info.pipelineCacheDataSize = size;
    info.logCallback = keep_message;
    info.logUserData = &messages;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_WARNING], 0);
    vkdmlDestroyDevice(device);

    data[offsetof(VkPipelineCacheHeaderVersionOne, pipelineCacheUUID)] ^= 1;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_WARNING], 1);
    assert_non_null(strstr(messages.last[VKDML_LOG_LEVEL_WARNING], "ignored"));
    vkdmlDestroyDevice(device);
    free(data);
}

static void pipeline_cache_data_goes_in_while_the_device_is_used(void **state) {
    (void)state;
    VkdmlDevice device = import_device();
    size_t size = 0;
    assert_int_equal(vkdmlGetPipelineCacheData(device, &size, NULL), VKDML_SUCCESS);
    unsigned char *data = malloc(size);
    assert_non_null(data);
    assert_int_equal(vkdmlGetPipelineCacheData(device, &size, data), VKDML_SUCCESS);
    vkdmlDestroyDevice(device);

    interposer_reset(vkGetInstanceProcAddr);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    assert_int_equal(vkdmlMergePipelineCacheData(device, size, data), VKDML_SUCCESS);
    assert_int_equal(interposer.calls[INTERPOSED_MergePipelineCaches], 1);
    assert_int_equal(vkdmlMergePipelineCacheData(device, size, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("data is NULL");
    assert_int_equal(vkdmlMergePipelineCacheData(device, 3, data), VKDML_ERROR_INVALID_ARGUMENT);
    data[offsetof(VkPipelineCacheHeaderVersionOne, pipelineCacheUUID)] ^= 1;
    assert_int_equal(vkdmlMergePipelineCacheData(device, size, data), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("data is not of this device and driver");
    assert_int_equal(interposer.calls[INTERPOSED_MergePipelineCaches], 1);
    vkdmlDestroyDevice(device);
    free(data);
}

static void the_callers_pipeline_cache_is_used_and_left_to_it(void **state) {
    (void)state;
    VkPipelineCacheCreateInfo create = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache;
    assert_int_equal(vkCreatePipelineCache(vulkan.device, &create, NULL, &cache), VK_SUCCESS);
    interposer_reset(vkGetInstanceProcAddr);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    info.pipelineCache = cache;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    assert_int_equal(vkdmlMergePipelineCacheData(device, 1, "x"), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("pipelineCache of the caller's");
    vkdmlDestroyDevice(device);
    assert_int_equal(interposer.calls[INTERPOSED_CreatePipelineCache], 0);
    assert_int_equal(interposer.calls[INTERPOSED_DestroyPipelineCache], 0);
    info.pipelineCacheData = "x";
    info.pipelineCacheDataSize = 1;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("pipelineCacheData is given, must be NULL");
    vkDestroyPipelineCache(vulkan.device, cache, NULL);
}

/* ---- messages ---- */

static void failures_are_logged_with_the_text_of_the_error_message(void **state) {
    (void)state;
    struct messages messages = {{0}, {{0}}, {{0}}};
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.logCallback = keep_message;
    info.logUserData = &messages;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 0);
    assert_int_equal(vkdmlGetVulkanHandles(device, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 1);
    assert_string_equal(messages.last[VKDML_LOG_LEVEL_ERROR], vkdmlGetErrorMessage());
    vkdmlMuteLog(device, 1);
    assert_int_equal(vkdmlCreateOperator(device, NULL, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("op is NULL");
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 1);
    vkdmlMuteLog(device, 0);
    vkdmlMuteLog(NULL, 0);
    assert_int_equal(vkdmlGetVulkanHandles(device, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 2);
    vkdmlDestroyDevice(device);
    info.flags = 0x40;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 3);
    assert_string_equal(messages.last[VKDML_LOG_LEVEL_ERROR], "flags is 0x40, must be of VkdmlDeviceFlagBits only");
}

static void a_success_leaves_the_latest_failures_message(void **state) {
    (void)state;
    VkdmlRequirements requirements;
    assert_int_equal(vkdmlGetRequirements(NULL), VKDML_ERROR_INVALID_ARGUMENT);
    const char *message = vkdmlGetErrorMessage();
    assert_string_equal(message, "requirements is NULL, must be given");
    assert_int_equal(vkdmlGetRequirements(&requirements), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetRequirements(&requirements), VKDML_SUCCESS);
    assert_ptr_equal(vkdmlGetErrorMessage(), message);
    assert_string_equal(message, "requirements is NULL, must be given");
}

static void *read_message_of_new_thread(void *result) {
    *(bool *)result = vkdmlGetErrorMessage()[0] == '\0';
    vkdmlValidateOperator(NULL, (DML_FEATURE_LEVEL)0);
    return NULL;
}

static void messages_are_each_threads_own(void **state) {
    (void)state;
    assert_int_equal(vkdmlGetRequirements(NULL), VKDML_ERROR_INVALID_ARGUMENT);
    bool was_empty = false;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_message_of_new_thread, &was_empty), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(was_empty);
    assert_string_equal(vkdmlGetErrorMessage(), "requirements is NULL, must be given");
}

/* ---- features ---- */

static void nothing_beyond_core_1_2_is_required(void **state) {
    (void)state;
    VkdmlRequirements requirements;
    memset(&requirements, 0xA5, sizeof requirements);
    assert_int_equal(vkdmlGetRequirements(&requirements), VKDML_SUCCESS);
    assert_int_equal(requirements.apiVersion, VK_API_VERSION_1_2);
    assert_int_equal(requirements.queueFlags, VK_QUEUE_COMPUTE_BIT);
    assert_int_equal(requirements.requiredFeatureCount, 0);
    assert_int_equal(requirements.requiredExtensionCount, 0);
    memset(&requirements, 0xA5, sizeof requirements);
    assert_int_equal(vkdmlGetOperatorRequirements(DML_OPERATOR_PADDING, DML_TENSOR_DATA_TYPE_FLOAT64, &requirements),
                     VKDML_SUCCESS);
    assert_int_equal(requirements.requiredFeatureCount, 0);
}

static void operator_requirements_know_operators_and_types(void **state) {
    (void)state;
    VkdmlRequirements requirements;
    assert_int_equal(
        vkdmlGetOperatorRequirements(DML_OPERATOR_NONZERO_COORDINATES, DML_TENSOR_DATA_TYPE_FLOAT64, &requirements),
        VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("dataType is DML_TENSOR_DATA_TYPE_FLOAT64");
    assert_int_equal(vkdmlGetOperatorRequirements((DML_OPERATOR_TYPE)5000, DML_TENSOR_DATA_TYPE_FLOAT64, &requirements),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("type is 5000, must be a DML_OPERATOR_TYPE");
    assert_int_equal(vkdmlGetOperatorRequirements(DML_OPERATOR_PADDING, (DML_TENSOR_DATA_TYPE)99, &requirements),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("dataType is 99");
    assert_int_equal(vkdmlGetOperatorRequirements(DML_OPERATOR_PADDING, DML_TENSOR_DATA_TYPE_INT8, NULL),
                     VKDML_ERROR_INVALID_ARGUMENT);
}

/* On a device that has all features. */
static struct vkdml_plan_limits import_with(void *chained) {
    static const VkBool32 all = VK_TRUE;
    interposer_reset(vkGetInstanceProcAddr);
    interposer.features = &all;
    const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                                .pNext = chained};
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    info.enabledFeatures = &features;
    info.kernelVariant = VKDML_KERNEL_VARIANT_PORTABLE;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    const struct vkdml_plan_limits limits = device->limits;
    vkdmlDestroyDevice(device);
    return limits;
}

/* Each by its own struct, and by that of a Vulkan version. No pipeline is made, and for portable kernels no driver is
 * asked for its matrix cores: the device need not have them. */
static void a_feature_is_enabled_by_any_struct_that_says_so(void **state) {
    (void)state;
    VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dot = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR};
    VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                 .pNext = &dot};
    assert_false(import_with(&vulkan13).dot_products);
    dot.shaderIntegerDotProduct = VK_TRUE;
    assert_true(import_with(&vulkan13).dot_products);
    dot.shaderIntegerDotProduct = VK_FALSE;
    vulkan13.shaderIntegerDotProduct = VK_TRUE;
    assert_true(import_with(&vulkan13).dot_products);

    VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .shaderFloat16 = VK_TRUE};
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, .vulkanMemoryModel = VK_TRUE};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
        .pNext = &memory_model,
        .cooperativeMatrix = VK_TRUE};
    VkPhysicalDeviceShaderFloat16Int8Features float16 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
        .pNext = &matrix,
        .shaderFloat16 = VK_TRUE};
    const struct vkdml_plan_limits by_version = import_with(&vulkan12), by_itself = import_with(&float16);
    assert_memory_equal(&by_version.float_controls, &by_itself.float_controls, sizeof by_itself.float_controls);
}

/* Of a device of which features are claimed, without or with the interposer. */
static VkdmlResult claim(void *chained, PFN_vkGetInstanceProcAddr get, VkdmlKernelVariant variant) {
    const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                                .pNext = chained};
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = get;
    info.enabledFeatures = &features;
    info.kernelVariant = variant;
    VkdmlDevice device;
    const VkdmlResult result = vkdmlCreateDevice(&info, &device);
    vkdmlDestroyDevice(device);
    return result;
}

static void a_feature_that_the_device_lacks_is_refused(void **state) {
    (void)state;
    static const VkBool32 none = VK_FALSE;
    interposer_reset(vkGetInstanceProcAddr);
    interposer.features = &none;
    VkPhysicalDeviceVulkan12Features float16 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .shaderFloat16 = VK_TRUE};
    VkPhysicalDeviceShaderFloat16Int8Features int8 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, .shaderInt8 = VK_TRUE};
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, .vulkanMemoryModel = VK_TRUE};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, .cooperativeMatrix = VK_TRUE};
    VkPhysicalDeviceVulkan13Features dot = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                            .shaderIntegerDotProduct = VK_TRUE};
    const struct {
        void *chained;
        const char *reason;
    } cases[] = {
        {&float16, "enabledFeatures has shaderFloat16, must not: physicalDevice does not support it"},
        {&int8, "enabledFeatures has shaderInt8, must not"},
        {&memory_model, "enabledFeatures has vulkanMemoryModel, must not"},
        {&matrix, "enabledFeatures has cooperativeMatrix, must not"},
        {&dot, "enabledFeatures has shaderIntegerDotProduct, must not"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(claim(cases[i].chained, interposer_get_instance_proc_addr, VKDML_KERNEL_VARIANT_PORTABLE),
                         VKDML_ERROR_INVALID_ARGUMENT);
        assert_reason(cases[i].reason);
    }
    float16.pNext = &matrix;
    assert_int_equal(claim(&float16, interposer_get_instance_proc_addr, VKDML_KERNEL_VARIANT_PORTABLE),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("enabledFeatures has shaderFloat16");
    assert_reason("\nenabledFeatures has cooperativeMatrix");
    VkPhysicalDeviceVulkan12Features nothing = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    assert_int_equal(claim(&nothing, interposer_get_instance_proc_addr, VKDML_KERNEL_VARIANT_PORTABLE), VKDML_SUCCESS);
}

static bool has_extension(const char *name) {
    VkExtensionProperties extensions[512];
    uint32_t count = sizeof extensions / sizeof *extensions;
    bool found = false;
    assert_int_equal(vkEnumerateDeviceExtensionProperties(vulkan.physical_device, NULL, &count, extensions),
                     VK_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        found = found || strcmp(extensions[i].extensionName, name) == 0;
    }
    return found;
}

/* What a loader gives for drivers without the extension: it ends in none. */
static VKAPI_ATTR void VKAPI_CALL end_in_no_driver(void) {
    fail_msg("a driver without matrix cores is asked for them");
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL give_all_functions(VkInstance instance, const char *name) {
    return strcmp(name, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR") == 0
               ? end_in_no_driver
               : vkGetInstanceProcAddr(instance, name);
}

static void features_are_held_to_what_the_driver_says(void **state) {
    (void)state;
    VkPhysicalDeviceVulkan12Features there = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &there};
    vkGetPhysicalDeviceFeatures2(vulkan.physical_device, &all);
    VkPhysicalDeviceVulkan12Features claimed = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .shaderFloat16 = VK_TRUE,
                                                .shaderInt8 = VK_TRUE,
                                                .vulkanMemoryModel = VK_TRUE};
    const bool has_all = there.shaderFloat16 && there.shaderInt8 && there.vulkanMemoryModel;
    const VkdmlKernelVariant variant =
        has_subgroup_arithmetic() ? VKDML_KERNEL_VARIANT_SUBGROUP : VKDML_KERNEL_VARIANT_PORTABLE;
    assert_int_equal(claim(&claimed, vkGetInstanceProcAddr, variant),
                     has_all ? VKDML_SUCCESS : VKDML_ERROR_INVALID_ARGUMENT);
    const char *profile = getenv("VKDML_TEST_PROFILE");
    if (has_extension("VK_KHR_cooperative_matrix") || (profile && *profile)) {
        return; /* profiles stop at structs of extensions */
    }
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
        .pNext = &claimed,
        .cooperativeMatrix = VK_TRUE};
    assert_int_equal(claim(&matrix, give_all_functions, variant), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("enabledFeatures has cooperativeMatrix, must not");
}

static VkdmlDevice import_at(DML_FEATURE_LEVEL level) {
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.featureLevel = level;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetFeatureLevel(device), level);
    return device;
}

static void operator_support_is_that_of_the_devices_level(void **state) {
    (void)state;
    VkdmlDevice device = import_at(DML_FEATURE_LEVEL_2_1);
    assert_int_equal(vkdmlCheckOperatorSupport(device, DML_OPERATOR_PADDING, DML_TENSOR_DATA_TYPE_INT8), VKDML_SUCCESS);
    assert_int_equal(vkdmlCheckOperatorSupport(device, DML_OPERATOR_PADDING, DML_TENSOR_DATA_TYPE_INT64),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("DML_OPERATOR_PADDING: dataType is DML_TENSOR_DATA_TYPE_INT64");
    assert_reason("2_1");
    assert_int_equal(vkdmlCheckOperatorSupport(device, DML_OPERATOR_NONZERO_COORDINATES, DML_TENSOR_DATA_TYPE_FLOAT32),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("must be at least 3_0");
    assert_int_equal(vkdmlCheckOperatorSupport(device, (DML_OPERATOR_TYPE)178, DML_TENSOR_DATA_TYPE_FLOAT32),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("type is 178, must be a DML_OPERATOR_TYPE");
    assert_int_equal(vkdmlCheckOperatorSupport(NULL, DML_OPERATOR_PADDING, DML_TENSOR_DATA_TYPE_FLOAT32),
                     VKDML_ERROR_INVALID_ARGUMENT);
    vkdmlDestroyDevice(device);
}

static int32_t supports(VkdmlDevice device, DML_TENSOR_DATA_TYPE type) {
    DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT query = {type};
    DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT support = {-1};
    assert_int_equal(vkdmlCheckFeatureSupport(device, DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, sizeof query, &query,
                                              sizeof support, &support),
                     VKDML_SUCCESS);
    return support.IsSupported;
}

static void type_support_is_that_of_the_devices_level(void **state) {
    (void)state;
    VkdmlDevice first = import_at(DML_FEATURE_LEVEL_1_0);
    VkdmlDevice newest = import_at(DML_FEATURE_LEVEL_6_4);
    assert_int_equal(supports(first, DML_TENSOR_DATA_TYPE_FLOAT16), 1);
    assert_int_equal(supports(first, DML_TENSOR_DATA_TYPE_INT64), 0);
    assert_int_equal(supports(first, DML_TENSOR_DATA_TYPE_INT4), 0);
    assert_int_equal(supports(newest, DML_TENSOR_DATA_TYPE_INT64), 1);
    assert_int_equal(supports(newest, DML_TENSOR_DATA_TYPE_INT4), 1);
    assert_int_equal(supports(newest, DML_TENSOR_DATA_TYPE_UNKNOWN), 0);
    vkdmlDestroyDevice(first);
    vkdmlDestroyDevice(newest);
}

static VkdmlResult query_levels(VkdmlDevice device, uint32_t count, const DML_FEATURE_LEVEL *levels,
                                DML_FEATURE_DATA_FEATURE_LEVELS *answer) {
    DML_FEATURE_QUERY_FEATURE_LEVELS query = {count, levels};
    return vkdmlCheckFeatureSupport(device, DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof *answer, answer);
}

static void the_newest_requested_level_up_to_the_devices_is_told(void **state) {
    (void)state;
    const DML_FEATURE_LEVEL levels[] = {(DML_FEATURE_LEVEL)0x7000, DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_3_0,
                                        DML_FEATURE_LEVEL_2_0, DML_FEATURE_LEVEL_6_4};
    VkdmlDevice device = import_at(DML_FEATURE_LEVEL_5_0);
    DML_FEATURE_DATA_FEATURE_LEVELS answer;
    assert_int_equal(query_levels(device, 5, levels, &answer), VKDML_SUCCESS);
    assert_int_equal(answer.MaxSupportedFeatureLevel, DML_FEATURE_LEVEL_3_0);
    assert_int_equal(query_levels(device, 1, levels, &answer), VKDML_ERROR_FEATURE_NOT_PRESENT);
    assert_reason("5_0");
    assert_int_equal(query_levels(device, 0, levels, &answer), VKDML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(query_levels(device, 1, NULL, &answer), VKDML_ERROR_INVALID_ARGUMENT);
    vkdmlDestroyDevice(device);
}

static void feature_queries_are_held_to_their_sizes(void **state) {
    (void)state;
    VkdmlDevice device = import_device();
    DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT query = {(DML_TENSOR_DATA_TYPE)99};
    DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT support;
    const DML_FEATURE feature = DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT;
    assert_int_equal(vkdmlCheckFeatureSupport(device, feature, 3, &query, sizeof support, &support),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("queryDataSize is 3, must be 4");
    assert_int_equal(vkdmlCheckFeatureSupport(device, feature, sizeof query, &query, 5, &support),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("supportDataSize is 5, must be 4");
    assert_int_equal(vkdmlCheckFeatureSupport(device, feature, sizeof query, NULL, sizeof support, NULL),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("queryData is NULL");
    assert_reason("supportData is NULL");
    assert_int_equal(vkdmlCheckFeatureSupport(device, feature, sizeof query, &query, sizeof support, &support),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("queryData.DataType is 99");
    assert_int_equal(vkdmlCheckFeatureSupport(device, (DML_FEATURE)7, sizeof query, &query, sizeof support, &support),
                     VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("feature is 7");
    vkdmlDestroyDevice(device);
}

/* ---- loss ---- */

static void a_lost_device_says_so_and_why_and_keeps_the_first_reason(void **state) {
    (void)state;
    VkdmlDevice device = import_device();
    VkdmlVulkanHandles handles;
    size_t size = 0;
    assert_int_equal(vkdmlGetDeviceLostReason(device), VKDML_SUCCESS);
    vkdmlReportDeviceLost(device, "vkQueueSubmit returned VK_ERROR_DEVICE_LOST");
    vkdmlReportDeviceLost(device, "something later");
    assert_int_equal(vkdmlGetDeviceLostReason(device), VKDML_ERROR_DEVICE_LOST);
    assert_reason("device is lost: vkQueueSubmit returned VK_ERROR_DEVICE_LOST");
    assert_int_equal(vkdmlGetVulkanHandles(device, &handles), VKDML_ERROR_DEVICE_LOST);
    assert_int_equal(vkdmlGetPipelineCacheData(device, &size, NULL), VKDML_ERROR_DEVICE_LOST);
    assert_int_equal(vkdmlCheckOperatorSupport(device, DML_OPERATOR_PADDING, DML_TENSOR_DATA_TYPE_INT8),
                     VKDML_ERROR_DEVICE_LOST);
    assert_int_equal(vkdmlGetFeatureLevel(device), DML_FEATURE_LEVEL_6_4);
    vkdmlDestroyDevice(device);
}

static void a_long_reason_is_cut_and_none_is_fine(void **state) {
    (void)state;
    char reason[400];
    memset(reason, 'x', sizeof reason - 1);
    reason[sizeof reason - 1] = '\0';
    VkdmlDevice device = import_device();
    vkdmlReportDeviceLost(device, reason);
    assert_int_equal(vkdmlGetDeviceLostReason(device), VKDML_ERROR_DEVICE_LOST);
    assert_int_equal(strspn(strchr(vkdmlGetErrorMessage(), ':') + 2, "x"), 255);
    vkdmlDestroyDevice(device);
    device = import_device();
    vkdmlReportDeviceLost(device, NULL);
    assert_int_equal(vkdmlGetDeviceLostReason(device), VKDML_ERROR_DEVICE_LOST);
    vkdmlDestroyDevice(device);
    vkdmlReportDeviceLost(NULL, "ignored");
}

static void destroying_nothing_is_allowed(void **state) {
    (void)state;
    vkdmlDestroyDevice(NULL);
    vkdmlDestroyOperator(NULL);
    vkdmlDestroyDispatchable(NULL);
    vkdmlDestroyBindingTable(NULL);
    assert_int_equal(vkdmlGetFeatureLevel(NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_a_device_gives_its_vulkan_objects),
        cmocka_unit_test(opening_and_closing_frees_all_host_memory),
        cmocka_unit_test(a_device_opens_by_any_part_of_its_name_in_any_case),
        cmocka_unit_test(a_name_of_no_device_is_refused_with_the_names_there_are),
        cmocka_unit_test(a_device_opens_by_its_number_and_by_its_uuid),
        cmocka_unit_test(a_number_or_uuid_of_no_device_is_refused),
        cmocka_unit_test(the_environment_names_the_device_where_the_caller_does_not),
        cmocka_unit_test(opening_refuses_unknown_flags_and_levels),
        cmocka_unit_test(devices_are_listed_in_the_manner_of_vulkan),
        cmocka_unit_test(validation_messages_reach_the_log),
        cmocka_unit_test(an_imported_device_keeps_the_callers_handles_and_has_no_queue),
        cmocka_unit_test(importing_and_destroying_leaves_nothing_behind),
        cmocka_unit_test(a_wrong_import_is_refused_with_its_reason),
        cmocka_unit_test(all_that_is_wrong_with_an_import_is_told_at_once),
        cmocka_unit_test(every_missing_function_is_named),
        cmocka_unit_test(a_variant_is_forced_by_the_caller_and_above_it_by_the_environment),
        cmocka_unit_test(a_compiler_at_fault_is_a_warning_unless_the_environment_helps),
        cmocka_unit_test(a_device_without_subgroups_runs_the_portable_kernels_and_no_others),
        cmocka_unit_test(a_device_below_1_2_is_refused),
        cmocka_unit_test(a_queue_family_that_cannot_compute_is_refused),
        cmocka_unit_test(pipeline_cache_data_comes_out_and_goes_in_again),
        cmocka_unit_test(pipeline_cache_data_goes_in_while_the_device_is_used),
        cmocka_unit_test(the_callers_pipeline_cache_is_used_and_left_to_it),
        cmocka_unit_test(failures_are_logged_with_the_text_of_the_error_message),
        cmocka_unit_test(a_success_leaves_the_latest_failures_message),
        cmocka_unit_test(messages_are_each_threads_own),
        cmocka_unit_test(nothing_beyond_core_1_2_is_required),
        cmocka_unit_test(operator_requirements_know_operators_and_types),
        cmocka_unit_test(a_feature_is_enabled_by_any_struct_that_says_so),
        cmocka_unit_test(a_feature_that_the_device_lacks_is_refused),
        cmocka_unit_test(features_are_held_to_what_the_driver_says),
        cmocka_unit_test(operator_support_is_that_of_the_devices_level),
        cmocka_unit_test(type_support_is_that_of_the_devices_level),
        cmocka_unit_test(the_newest_requested_level_up_to_the_devices_is_told),
        cmocka_unit_test(feature_queries_are_held_to_their_sizes),
        cmocka_unit_test(a_lost_device_says_so_and_why_and_keeps_the_first_reason),
        cmocka_unit_test(a_long_reason_is_cut_and_none_is_fine),
        cmocka_unit_test(destroying_nothing_is_allowed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
