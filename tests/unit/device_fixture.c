#include "device_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct vulkan vulkan;
struct allocations allocations;
const VkdmlBufferBinding nothing = {.buffer = VK_NULL_HANDLE};

int set_up_vulkan(void **state) {
    (void)state;
    vulkan_create(&vulkan);
    return 0;
}

int tear_down_vulkan(void **state) {
    (void)state;
    vulkan_destroy(&vulkan);
    return 0;
}

void reset_vulkan(void) {
    interposer_reset(vkGetInstanceProcAddr);
    memset(vulkan.bytes, 0, VULKAN_BUFFER_BYTES);
    memset(vulkan.other_bytes, 0, VULKAN_BUFFER_BYTES);
}

VkdmlDevice import_device(VkdmlDeviceFlags flags, VkdmlLogCallback log) {
    VkAllocationCallbacks callbacks = counting_callbacks(&allocations);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    info.allocationCallbacks = &callbacks;
    info.logCallback = log;
    info.flags = flags;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    return device;
}

void assert_nothing_left(void) {
    assert_int_equal(atomic_load(&allocations.live), 0);
    assert_int_equal(interposer.live, 0);
}

void assert_invalid(VkdmlResult result, const char *reason) {
    assert_int_equal(result, VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason(reason);
}

void destroy_objects(struct objects *objects) {
    vkdmlDestroyBindingTable(objects->table);
    vkdmlDestroyDispatchable(objects->initializer);
    vkdmlDestroyDispatchable(objects->compiled);
    vkdmlDestroyOperator(objects->op);
    vkdmlDestroyDevice(objects->device);
}

VkdmlDispatchable compile_desc(VkdmlDevice device, const DML_OPERATOR_DESC *desc) {
    VkdmlOperator op;
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCreateOperator(device, desc, &op), VKDML_SUCCESS);
    assert_int_equal(vkdmlCompileOperator(op, NULL, &compiled), VKDML_SUCCESS);
    vkdmlDestroyOperator(op);
    return compiled;
}

VkdmlBindingTable create_table(VkdmlDevice device, VkdmlDispatchable dispatchable, VkDescriptorPool pool) {
    VkdmlBindingTableCreateInfo info = {
        .structSize = sizeof info, .dispatchable = dispatchable, .descriptorPool = pool};
    VkdmlBindingTable table;
    assert_int_equal(vkdmlCreateBindingTable(device, &info, &table), VKDML_SUCCESS);
    return table;
}

VkdmlBufferBinding range(VkDeviceSize offset, VkDeviceSize size) {
    return (VkdmlBufferBinding){.buffer = vulkan.buffer, .offset = offset, .size = size};
}

VkdmlBufferBinding other_range(VkDeviceSize offset, VkDeviceSize size) {
    return (VkdmlBufferBinding){.buffer = vulkan.other, .offset = offset, .size = size};
}
