#include "one_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

VkdmlDevice device;

int begin_without_device(void **state) {
    (void)state;
    reset_vulkan();
    device = NULL;
    return 0;
}

int begin_with_device(void **state) {
    begin_without_device(state);
    device = import_device(0, NULL);
    return 0;
}

int end_with_device(void **state) {
    (void)state;
    vkdmlDestroyDevice(device);
    assert_nothing_left();
    return 0;
}

VkdmlBindingTable bind_all(VkdmlDispatchable dispatchable, const struct bindings *bindings) {
    VkdmlBindingProperties needs;
    assert_int_equal(vkdmlGetBindingProperties(dispatchable, &needs), VKDML_SUCCESS);
    const VkdmlBufferBinding temporary = other_range(bindings->temporary_at, needs.temporaryResourceSize);
    VkdmlBindingTable table = create_table(device, dispatchable, VK_NULL_HANDLE);
    assert_int_equal(vkdmlBindInputs(table, bindings->input_count, bindings->inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, bindings->output_count, bindings->outputs), VKDML_SUCCESS);
    if (needs.persistentResourceSize > 0) {
        assert_int_equal(vkdmlBindPersistentResource(table, &bindings->persistent), VKDML_SUCCESS);
    }
    if (needs.temporaryResourceSize > 0) {
        assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
    }
    return table;
}

void initialize_all(uint32_t count, const VkdmlDispatchable *dispatchables, const struct bindings *bindings) {
    VkdmlDispatchable initializer;
    assert_int_equal(vkdmlCreateOperatorInitializer(device, count, dispatchables, &initializer), VKDML_SUCCESS);
    VkdmlBindingTable table = bind_all(initializer, bindings);
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), initializer, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
}

void initialize_one(VkdmlDispatchable dispatchable, uint32_t input_count, const VkdmlBufferBinding *inputs,
                    VkdmlBufferBinding persistent) {
    const struct bindings bindings = {.input_count = input_count,
                                      .inputs = inputs,
                                      .output_count = 1,
                                      .outputs = &persistent,
                                      .temporary_at = VULKAN_BUFFER_BYTES / 2};
    initialize_all(1, &dispatchable, &bindings);
}

void survive_failing_allocations(VkdmlResult (*call)(void **handle), bool device_keeps, void **handle) {
    VkdmlResult result = VKDML_ERROR_OUT_OF_HOST_MEMORY;
    int fails = 0;
    while (result == VKDML_ERROR_OUT_OF_HOST_MEMORY) {
        const int live = atomic_load(&allocations.live);
        atomic_store(&allocations.made, 0);
        atomic_store(&allocations.fails, ++fails);
        result = call(handle);
        atomic_store(&allocations.fails, 0);
        if (result != VKDML_SUCCESS) {
            const int left = atomic_load(&allocations.live) - live;
            assert_int_equal(result, VKDML_ERROR_OUT_OF_HOST_MEMORY);
            assert_null(*handle);
            assert_true(device_keeps ? left >= 0 : left == 0);
        }
        assert_true(fails < 1000);
    }
    assert_true(fails > 8);
}
