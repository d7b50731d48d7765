#include "vulkan_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t find_queue_family(VkPhysicalDevice physical_device) {
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families);
    uint32_t family = 0;
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
        family++;
    }
    assert_true(family < count);
    return family;
}

/* Where a profile is asked for, the device is the profile's: tests/profiles/loader.c was found. */
static void assert_profile(const char *device) {
    const char *profile = getenv("VKDML_TEST_PROFILE");
    if (profile != NULL && *profile != '\0') {
        assert_non_null(strstr(device, "as profile"));
        assert_non_null(strstr(device, profile));
    }
}

static VKAPI_ATTR VkBool32 VKAPI_CALL count_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                    VkDebugUtilsMessageTypeFlagsEXT types,
                                                    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data) {
    struct vulkan *vulkan = user_data;
    (void)severity;
    (void)types;
    atomic_fetch_add(&vulkan->message_count, 1);
    print_message("%s\n", data->pMessage);
    return VK_FALSE;
}

static void create_messenger(struct vulkan *vulkan) {
    VkDebugUtilsMessengerCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                               .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                                  VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                               .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                               .pfnUserCallback = count_message,
                                               .pUserData = vulkan};
    assert_int_equal(vkCreateDebugUtilsMessengerEXT(vulkan->instance, &info, NULL, &vulkan->messenger), VK_SUCCESS);
}

static void create_instance(struct vulkan *vulkan, bool debug_utils) {
    const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &application,
                                     .enabledExtensionCount = debug_utils ? 1 : 0,
                                     .ppEnabledExtensionNames = &extension};
    assert_int_equal(volkInitialize(), VK_SUCCESS);
    assert_int_equal(vkCreateInstance(&instance, NULL, &vulkan->instance), VK_SUCCESS);
    volkLoadInstance(vulkan->instance);
    if (debug_utils) {
        create_messenger(vulkan);
    }
}

static void create_device(struct vulkan *vulkan) {
    uint32_t count = 1;
    assert_true(vkEnumeratePhysicalDevices(vulkan->instance, &count, &vulkan->physical_device) >= 0);
    assert_int_equal(count, 1);
    vkGetPhysicalDeviceProperties(vulkan->physical_device, &vulkan->properties);
    assert_profile(vulkan->properties.deviceName);
    vulkan->queue_family = find_queue_family(vulkan->physical_device);
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = vulkan->queue_family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    assert_int_equal(vkCreateDevice(vulkan->physical_device, &device, NULL, &vulkan->device), VK_SUCCESS);
    vkGetDeviceQueue(vulkan->device, vulkan->queue_family, 0, &vulkan->queue);
}

static void create_commands(struct vulkan *vulkan) {
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = vulkan->queue_family};
    assert_int_equal(vkCreateCommandPool(vulkan->device, &pool, NULL, &vulkan->command_pool), VK_SUCCESS);
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = vulkan->command_pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    assert_int_equal(vkAllocateCommandBuffers(vulkan->device, &commands, &vulkan->commands), VK_SUCCESS);
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    assert_int_equal(vkCreateFence(vulkan->device, &fence, NULL, &vulkan->fence), VK_SUCCESS);
}

static uint32_t find_memory_type(const struct vulkan *vulkan, uint32_t allowed) {
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(vulkan->physical_device, &memory);
    uint32_t type = 0;
    while (!(allowed >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted) {
        type++;
    }
    return type;
}

static void create_buffer(struct vulkan *vulkan, VkBuffer *buffer, VkDeviceMemory *memory, unsigned char **bytes) {
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = VULKAN_BUFFER_BYTES,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    assert_int_equal(vkCreateBuffer(vulkan->device, &info, NULL, buffer), VK_SUCCESS);
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(vulkan->device, *buffer, &requirements);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = requirements.size,
                                     .memoryTypeIndex = find_memory_type(vulkan, requirements.memoryTypeBits)};
    assert_int_equal(vkAllocateMemory(vulkan->device, &allocate, NULL, memory), VK_SUCCESS);
    assert_int_equal(vkBindBufferMemory(vulkan->device, *buffer, *memory, 0), VK_SUCCESS);
    void *mapped;
    assert_int_equal(vkMapMemory(vulkan->device, *memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
    *bytes = mapped;
    memset(mapped, 0, VULKAN_BUFFER_BYTES);
}

static void create_all(struct vulkan *vulkan, bool debug_utils) {
    memset(vulkan, 0, sizeof *vulkan);
    create_instance(vulkan, debug_utils);
    create_device(vulkan);
    create_commands(vulkan);
    create_buffer(vulkan, &vulkan->buffer, &vulkan->memory, &vulkan->bytes);
    create_buffer(vulkan, &vulkan->other, &vulkan->other_memory, &vulkan->other_bytes);
}

void vulkan_create(struct vulkan *vulkan) {
    create_all(vulkan, false);
}

void vulkan_create_with_debug_utils(struct vulkan *vulkan) {
    create_all(vulkan, true);
}

void vulkan_destroy(struct vulkan *vulkan) {
    vkDestroyBuffer(vulkan->device, vulkan->buffer, NULL);
    vkDestroyBuffer(vulkan->device, vulkan->other, NULL);
    vkFreeMemory(vulkan->device, vulkan->memory, NULL);
    vkFreeMemory(vulkan->device, vulkan->other_memory, NULL);
    vkDestroyFence(vulkan->device, vulkan->fence, NULL);
    vkDestroyCommandPool(vulkan->device, vulkan->command_pool, NULL);
    vkDestroyDevice(vulkan->device, NULL);
    if (vulkan->messenger) {
        vkDestroyDebugUtilsMessengerEXT(vulkan->instance, vulkan->messenger, NULL);
    }
    vkDestroyInstance(vulkan->instance, NULL);
    assert_int_equal(atomic_load(&vulkan->message_count), 0);
}

VkdmlDeviceCreateInfo vulkan_device_info(const struct vulkan *vulkan) {
    return (VkdmlDeviceCreateInfo){.structSize = sizeof(VkdmlDeviceCreateInfo),
                                   .headerVersion = VKDML_HEADER_VERSION,
                                   .instance = vulkan->instance,
                                   .physicalDevice = vulkan->physical_device,
                                   .device = vulkan->device,
                                   .queueFamilyIndex = vulkan->queue_family,
                                   .getInstanceProcAddr = vkGetInstanceProcAddr};
}

void assert_reason(const char *part) {
    if (!strstr(vkdmlGetErrorMessage(), part)) {
        fail_msg("the reason is \"%s\", must contain \"%s\"", vkdmlGetErrorMessage(), part);
    }
}

VkCommandBuffer vulkan_begin(struct vulkan *vulkan) {
    /* Tests may have left a recording unfinished. */
    assert_int_equal(vkResetCommandPool(vulkan->device, vulkan->command_pool, 0), VK_SUCCESS);
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(vkBeginCommandBuffer(vulkan->commands, &begin), VK_SUCCESS);
    return vulkan->commands;
}

void vulkan_run(struct vulkan *vulkan) {
    assert_int_equal(vkEndCommandBuffer(vulkan->commands), VK_SUCCESS);
    vulkan_run_again(vulkan);
}

void vulkan_run_again(struct vulkan *vulkan) {
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &vulkan->commands};
    assert_int_equal(vkQueueSubmit(vulkan->queue, 1, &submit, vulkan->fence), VK_SUCCESS);
    assert_int_equal(vkWaitForFences(vulkan->device, 1, &vulkan->fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(vkResetFences(vulkan->device, 1, &vulkan->fence), VK_SUCCESS);
}

/* Lies right before what an allocation returns. */
struct allocation {
    void *start; /* what malloc returned */
    size_t size;
};

static VKAPI_ATTR void *VKAPI_CALL allocate(void *user_data, size_t size, size_t alignment,
                                            VkSystemAllocationScope scope) {
    struct allocations *allocations = user_data;
    (void)scope;
    if (atomic_fetch_add(&allocations->made, 1) + 1 == atomic_load(&allocations->fails)) {
        return NULL;
    }
    const size_t aligned = alignment > _Alignof(max_align_t) ? alignment : _Alignof(max_align_t);
    char *start = malloc(sizeof(struct allocation) + aligned + size);
    if (!start) {
        return NULL;
    }
    const uintptr_t first = (uintptr_t)start + sizeof(struct allocation);
    char *memory = start + sizeof(struct allocation) + (aligned - first % aligned) % aligned;
    const struct allocation header = {.start = start, .size = size};
    memcpy(memory - sizeof header, &header, sizeof header);
    memset(memory, 0xA5, size); /* nothing may count on zeros */
    atomic_fetch_add(&allocations->live, 1);
    return memory;
}

static VKAPI_ATTR void VKAPI_CALL release(void *user_data, void *memory) {
    struct allocations *allocations = user_data;
    if (memory) {
        struct allocation header;
        memcpy(&header, (char *)memory - sizeof header, sizeof header);
        free(header.start);
        atomic_fetch_sub(&allocations->live, 1);
    }
}

static VKAPI_ATTR void *VKAPI_CALL reallocate(void *user_data, void *original, size_t size, size_t alignment,
                                              VkSystemAllocationScope scope) {
    void *memory = size > 0 ? allocate(user_data, size, alignment, scope) : NULL;
    if (memory && original) {
        struct allocation header;
        memcpy(&header, (char *)original - sizeof header, sizeof header);
        memcpy(memory, original, header.size < size ? header.size : size);
    }
    if (memory || size == 0) {
        release(user_data, original);
    }
    return memory;
}

VkAllocationCallbacks counting_callbacks(struct allocations *allocations) {
    return (VkAllocationCallbacks){
        .pUserData = allocations, .pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release};
}
