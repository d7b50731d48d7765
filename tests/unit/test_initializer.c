/* Operator initializers: tensors that the library owns, copied once. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "one_device.h"
#include "vkdml/vkdml.h"

/* An identity of `count` floats whose input the library owns, or not. */
static VkdmlDispatchable compile(uint32_t count, DML_TENSOR_FLAGS flags) {
    struct identity identity;
    identity_init(&identity, count);
    identity.input.buffer.Flags = flags;
    return compile_desc(device, &identity.desc);
}

static VkdmlDispatchable initializer_of(uint32_t count, const VkdmlDispatchable *operators) {
    VkdmlDispatchable initializer;
    assert_int_equal(vkdmlCreateOperatorInitializer(device, count, operators, &initializer), VKDML_SUCCESS);
    return initializer;
}

static uint64_t persistent_bytes(VkdmlDispatchable dispatchable) {
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlGetBindingProperties(dispatchable, &properties), VKDML_SUCCESS);
    return properties.persistentResourceSize;
}

static void record_and_run(VkdmlDispatchable dispatchable, VkdmlBindingTable table) {
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), dispatchable, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
}

static void owned_tensors_are_bound_at_initialization_and_not_at_execution(void **state) {
    (void)state;
    VkdmlDispatchable compiled = compile(64, DML_TENSOR_FLAG_OWNED_BY_DML);
    VkdmlDispatchable initializer = initializer_of(1, &compiled);
    const uint64_t persistent_size = persistent_bytes(compiled);
    assert_true(persistent_size >= 256);
    assert_int_equal(persistent_bytes(initializer), 0);
    VkdmlBindingTable table = create_table(device, initializer, VK_NULL_HANDLE);
    VkdmlBufferBinding input = range(0, 256);
    VkdmlBufferBinding persistent = other_range(512, persistent_size);
    VkdmlBufferBinding askew = other_range(16, persistent_size);
    assert_invalid(vkdmlBindInputs(table, 1, &nothing), "operator initializer: operators[0].InputTensor: buffer is "
                                                        "VK_NULL_HANDLE");
    assert_int_equal(vkdmlBindInputs(table, 1, &input), VKDML_SUCCESS);
    assert_invalid(vkdmlBindOutputs(table, 1, &askew),
                   "operators[0].PersistentResource: offset is 16, must be a multiple of 256 "
                   "(DML_PERSISTENT_BUFFER_ALIGNMENT)");
    assert_int_equal(vkdmlBindOutputs(table, 1, &persistent), VKDML_SUCCESS);
    assert_invalid(vkdmlBindPersistentResource(table, &persistent), "an initializer's outputs are");
    for (uint32_t i = 0; i < 64; i++) {
        ((uint32_t *)vulkan.bytes)[i] = i * 3 + 1;
    }
    record_and_run(initializer, table);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);

    memmove(vulkan.bytes + 1024, vulkan.bytes, 256);
    memset(vulkan.bytes, 0xEE, 256); /* the initializer's input is needed no more */
    table = create_table(device, compiled, VK_NULL_HANDLE);
    VkdmlBufferBinding output = range(2048, 256);
    assert_invalid(vkdmlBindInputs(table, 1, &input), "InputTensor: buffer is given, must be VK_NULL_HANDLE: "
                                                      "DML_TENSOR_FLAG_OWNED_BY_DML");
    assert_int_equal(vkdmlBindInputs(table, 1, &nothing), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, &output), VKDML_SUCCESS);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table),
                   "PersistentResource: nothing is bound");
    assert_int_equal(vkdmlBindPersistentResource(table, &persistent), VKDML_SUCCESS);
    record_and_run(compiled, table);
    assert_memory_equal(vulkan.bytes + 2048, vulkan.bytes + 1024, 256);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void one_initializer_serves_several_operators(void **state) {
    (void)state;
    VkdmlDispatchable operators[] = {compile(64, DML_TENSOR_FLAG_OWNED_BY_DML), compile(64, DML_TENSOR_FLAG_NONE),
                                     compile(16, DML_TENSOR_FLAG_OWNED_BY_DML)};
    VkdmlDispatchable initializer = initializer_of(3, operators);
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlGetBindingProperties(initializer, &properties), VKDML_SUCCESS);
    assert_int_equal(properties.inputCount, 3);
    assert_int_equal(properties.outputCount, 3);
    assert_int_equal(properties.descriptorSetCount, 2);
    VkdmlBindingTable table = create_table(device, initializer, VK_NULL_HANDLE);
    const VkdmlBufferBinding inputs[] = {range(0, 256), nothing, range(512, 64)};
    const VkdmlBufferBinding surplus[] = {range(0, 256), range(0, 256), range(512, 64)};
    const VkdmlBufferBinding outputs[] = {other_range(0, persistent_bytes(operators[0])), nothing,
                                          other_range(1024, persistent_bytes(operators[2]))};
    const VkdmlBufferBinding same[] = {outputs[0], nothing, outputs[0]};
    const VkdmlBufferBinding unneeded[] = {outputs[0], outputs[0], outputs[2]};
    assert_invalid(vkdmlBindInputs(table, 3, surplus), "operators[1].InputTensor: buffer is given, must be "
                                                       "VK_NULL_HANDLE: only tensors flagged");
    assert_int_equal(vkdmlBindInputs(table, 3, inputs), VKDML_SUCCESS);
    const VkdmlBufferBinding lacking[] = {outputs[0], nothing, nothing};
    assert_invalid(vkdmlBindOutputs(table, 3, lacking), "operators[2].PersistentResource: buffer is VK_NULL_HANDLE");
    assert_int_equal(vkdmlBindOutputs(table, 3, unneeded), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 3, same), VKDML_SUCCESS);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), initializer, table),
                   "operators[0].PersistentResource: bytes 0 to 256 of its buffer overlap "
                   "operators[2].PersistentResource at 0");
    assert_int_equal(vkdmlBindOutputs(table, 3, outputs), VKDML_SUCCESS);
    memset(vulkan.bytes, 0x11, 256);
    memset(vulkan.bytes + 512, 0x22, 64);
    record_and_run(initializer, table);
    assert_memory_equal(vulkan.other_bytes, vulkan.bytes, 256);
    assert_memory_equal(vulkan.other_bytes + 1024, vulkan.bytes + 512, 64);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    for (size_t i = 0; i < 3; i++) {
        vkdmlDestroyDispatchable(operators[i]);
    }
}

/* Everything that dispatches an operator whose input is owned, on a device that checks handles. */
static void a_forgotten_initializer_is_told_where_handles_are_checked(void **state) {
    (void)state;
    static const char reason[] = "DML_OPERATOR_ELEMENT_WISE_IDENTITY: PersistentResource: no initializer of this "
                                 "operator was recorded, must be recorded and submitted before it";
    vkdmlDestroyDevice(device);
    device = import_device(VKDML_DEVICE_FLAG_CHECK_HANDLES, NULL);
    VkdmlDispatchable operators[] = {compile(64, DML_TENSOR_FLAG_OWNED_BY_DML), compile(64, DML_TENSOR_FLAG_NONE),
                                     compile(64, DML_TENSOR_FLAG_OWNED_BY_DML)};
    VkdmlBindingTable tables[3];
    const VkdmlBufferBinding persistent = other_range(0, persistent_bytes(operators[0])), input = range(0, 256);
    for (uint32_t i = 0; i < 3; i++) {
        const VkdmlBufferBinding output = range(1024, 256);
        tables[i] = create_table(device, operators[i], VK_NULL_HANDLE);
        assert_int_equal(vkdmlBindInputs(tables[i], 1, i == 1 ? &input : &nothing), VKDML_SUCCESS);
        assert_int_equal(vkdmlBindOutputs(tables[i], 1, &output), VKDML_SUCCESS);
        assert_int_equal(vkdmlBindPersistentResource(tables[i], &persistent), VKDML_SUCCESS);
    }
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), operators[0], tables[0]), reason);
    record_and_run(operators[1], tables[1]); /* has nothing to initialize */

    VkdmlDispatchable initializer = initializer_of(1, &operators[0]);
    VkdmlBindingTable table = create_table(device, initializer, VK_NULL_HANDLE);
    assert_int_equal(vkdmlBindInputs(table, 1, &input), VKDML_SUCCESS);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), initializer, table), "nothing is bound");
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), operators[0], tables[0]), reason);
    assert_int_equal(vkdmlBindOutputs(table, 1, &persistent), VKDML_SUCCESS);
    record_and_run(initializer, table);
    record_and_run(operators[0], tables[0]);
    record_and_run(operators[0], tables[0]);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), operators[2], tables[2]), reason);

    for (uint32_t i = 0; i < 3; i++) {
        vkdmlDestroyBindingTable(tables[i]);
        vkdmlDestroyDispatchable(operators[i]);
    }
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), initializer, table),
                   "operators[0] is a VkdmlDispatchable that was destroyed");
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
}

static void an_initializer_of_nothing_records_nothing(void **state) {
    (void)state;
    VkdmlDispatchable initializer = initializer_of(0, NULL);
    VkdmlBindingTable table = create_table(device, initializer, VK_NULL_HANDLE);
    assert_int_equal(vkdmlBindInputs(table, 0, NULL), VKDML_SUCCESS);
    record_and_run(initializer, table);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
}

static void an_initializer_takes_compiled_operators_of_its_device_only(void **state) {
    (void)state;
    VkdmlDispatchable operators[3];
    VkdmlDispatchable initializer;
    operators[0] = compile(64, DML_TENSOR_FLAG_NONE);
    operators[1] = initializer_of(1, operators);
    operators[2] = NULL;
    assert_invalid(vkdmlCreateOperatorInitializer(device, 3, operators, &initializer),
                   "operators[1] is an operator initializer, must be a compiled operator\noperators[2] is NULL");
    assert_null(initializer);
    assert_invalid(vkdmlCreateOperatorInitializer(device, 1, NULL, &initializer), "operators is NULL");
    assert_invalid(vkdmlCreateOperatorInitializer(device, 1, operators, NULL), "initializer is NULL");
    VkdmlDevice second = import_device(0, NULL);
    assert_invalid(vkdmlCreateOperatorInitializer(second, 1, operators, &initializer),
                   "operators[0] is of another device");
    vkdmlDestroyDevice(second);
    vkdmlDestroyDispatchable(operators[1]);
    vkdmlDestroyDispatchable(operators[0]);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)
    const struct CMUnitTest tests[] = {
        TEST(owned_tensors_are_bound_at_initialization_and_not_at_execution),
        TEST(one_initializer_serves_several_operators),
        TEST(a_forgotten_initializer_is_told_where_handles_are_checked),
        TEST(an_initializer_of_nothing_records_nothing),
        TEST(an_initializer_takes_compiled_operators_of_its_device_only),
    };
    return cmocka_run_group_tests(tests, set_up_vulkan, tear_down_vulkan);
}
