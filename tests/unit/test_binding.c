/* Operators, dispatchables, binding tables and recording. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "one_device.h"
#include "vkdml/vkdml.h"

static void bind(VkdmlBindingTable table, VkdmlBufferBinding input, VkdmlBufferBinding output) {
    assert_int_equal(vkdmlBindInputs(table, 1, &input), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, &output), VKDML_SUCCESS);
}

static void fill(unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(i * 7 + 1);
    }
}

/* ---- operators ---- */

static void operators_refuse_wrong_arguments(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlOperator op = (VkdmlOperator)&identity;
    assert_invalid(vkdmlCreateOperator(device, NULL, &op), "NULL");
    assert_null(op);
    assert_invalid(vkdmlCreateOperator(NULL, &identity.desc, &op), "device is NULL");
    assert_invalid(vkdmlCreateOperator(device, &identity.desc, NULL), "op is NULL");
    identity.output.sizes[3] = 63;
    assert_invalid(vkdmlCreateOperator(device, &identity.desc, &op),
                   "DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor.Sizes[3] is 63, must be 64");
    DML_OPERATOR_DESC unknown = {(DML_OPERATOR_TYPE)178, &identity};
    assert_invalid(vkdmlCreateOperator(device, &unknown, &op), "DML_OPERATOR_DESC.Type is 178");
}

static void every_operator_refuses_a_descriptor_of_zeros_by_name(void **state) {
    (void)state;
    static const uint64_t zeros[32]; /* more than the largest descriptor struct has */
    for (int type = 1; type <= DML_OPERATOR_UNFOLD; type++) {
        DML_OPERATOR_DESC desc = {(DML_OPERATOR_TYPE)type, zeros};
        VkdmlOperator op = (VkdmlOperator)&desc;
        assert_invalid(vkdmlCreateOperator(device, &desc, &op), vkdmlGetOperatorName(desc.Type));
        assert_null(op);
    }
}

static void validation_needs_no_device_and_frees_its_copy(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    assert_int_equal(vkdmlValidateOperator(&identity.desc, (DML_FEATURE_LEVEL)0), VKDML_SUCCESS);
    identity.input.buffer.DataType = identity.output.buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT64;
    assert_invalid(vkdmlValidateOperator(&identity.desc, DML_FEATURE_LEVEL_3_0), "InputTensor.DataType");
    assert_invalid(vkdmlValidateOperator(&identity.desc, (DML_FEATURE_LEVEL)3), "feature level is 0x3");
    assert_invalid(vkdmlValidateOperator(NULL, DML_FEATURE_LEVEL_3_0), "NULL");
}

static void compilation_refuses_unknown_flags(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlOperator op;
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCreateOperator(device, &identity.desc, &op), VKDML_SUCCESS);
    VkdmlCompileInfo info = {.structSize = sizeof info, .executionFlags = (DML_EXECUTION_FLAGS)8, .flags = 128};
    assert_invalid(vkdmlCompileOperator(op, &info, &compiled), "executionFlags is 0x8");
    assert_reason("\nDML_OPERATOR_ELEMENT_WISE_IDENTITY: flags is 0x80");
    assert_null(compiled);
    info.structSize = 0;
    assert_invalid(vkdmlCompileOperator(op, &info, &compiled),
                   "info.structSize is 0, must be sizeof(VkdmlCompileInfo)");
    assert_invalid(vkdmlCompileOperator(NULL, NULL, &compiled), "op is NULL");
    assert_invalid(vkdmlCompileOperator(op, NULL, NULL), "compiled is NULL");
    info = (VkdmlCompileInfo){.structSize = sizeof(VkdmlCompileInfo),
                              .executionFlags = (DML_EXECUTION_FLAGS)7,
                              .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED};
    assert_int_equal(vkdmlCompileOperator(op, &info, &compiled), VKDML_SUCCESS);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyOperator(op);
}

static void operators_of_one_kind_share_a_pipeline(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable first = compile_desc(device, &identity.desc);
    const uint32_t pipelines = interposer.calls[INTERPOSED_CreateComputePipelines];
    const uint32_t modules = interposer.calls[INTERPOSED_CreateShaderModule];
    assert_int_equal(pipelines, 1);
    assert_int_equal(modules, 1);
    identity_init(&identity, 128);
    VkdmlDispatchable second = compile_desc(device, &identity.desc);
    assert_int_equal(interposer.calls[INTERPOSED_CreateComputePipelines], pipelines);
    assert_int_equal(interposer.calls[INTERPOSED_CreateShaderModule], modules);
    vkdmlDestroyDispatchable(first);
    vkdmlDestroyDispatchable(second);
}

static void many_dispatchables_share_few_parameter_buffers_and_give_them_back(void **state) {
    (void)state;
    enum { COUNT = 300 }; /* 128 blocks a buffer: three buffers */
    static VkdmlDispatchable compiled[COUNT];
    struct identity identity;
    identity_init(&identity, 64);
    for (size_t i = 0; i < COUNT; i++) {
        compiled[i] = compile_desc(device, &identity.desc);
    }
    assert_int_equal(interposer.calls[INTERPOSED_CreateBuffer], 3);
    for (size_t i = 0; i < COUNT; i += 2) { /* room in each, but none is empty */
        vkdmlDestroyDispatchable(compiled[i]);
    }
    assert_int_equal(interposer.calls[INTERPOSED_DestroyBuffer], 0);
    for (size_t i = 0; i < COUNT; i += 2) {
        compiled[i] = compile_desc(device, &identity.desc);
    }
    assert_int_equal(interposer.calls[INTERPOSED_CreateBuffer], 3);
    for (size_t i = 0; i < COUNT; i++) {
        vkdmlDestroyDispatchable(compiled[i]);
    }
    assert_int_equal(interposer.calls[INTERPOSED_DestroyBuffer], 2); /* one is kept for what comes */
}

/* ---- binding ---- */

static void binding_properties_are_the_operators(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingProperties properties;
    memset(&properties, 0xA5, sizeof properties);
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    assert_int_equal(properties.inputCount, 1);
    assert_int_equal(properties.outputCount, 1);
    assert_int_equal(properties.temporaryResourceSize, 0);
    assert_int_equal(properties.persistentResourceSize, 0);
    assert_int_equal(properties.descriptorSetCount, 1);
    assert_int_equal(properties.storageBufferDescriptorCount, 2);
    assert_int_equal(properties.uniformBufferDescriptorCount, 1);
    assert_invalid(vkdmlGetBindingProperties(compiled, NULL), "properties is NULL");
    assert_invalid(vkdmlGetBindingProperties(NULL, &properties), "dispatchable is NULL");
    vkdmlDestroyDispatchable(compiled);
}

static void a_table_refuses_wrong_arguments(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table;
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = compiled};
    assert_invalid(vkdmlCreateBindingTable(NULL, &info, &table), "device is NULL");
    assert_invalid(vkdmlCreateBindingTable(device, NULL, &table), "info is NULL");
    assert_invalid(vkdmlCreateBindingTable(device, &info, NULL), "table is NULL");
    info.structSize = 0;
    assert_invalid(vkdmlCreateBindingTable(device, &info, &table),
                   "info.structSize is 0, must be sizeof(VkdmlBindingTableCreateInfo)");
    info = (VkdmlBindingTableCreateInfo){.structSize = sizeof info};
    assert_invalid(vkdmlCreateBindingTable(device, &info, &table), "info.dispatchable is NULL");
    assert_null(table);
    VkdmlDevice own = device;
    device = import_device(0, NULL);
    info.dispatchable = compiled;
    assert_invalid(vkdmlCreateBindingTable(device, &info, &table), "info.dispatchable is of another device");
    vkdmlDestroyDevice(device);
    device = own;
    vkdmlDestroyDispatchable(compiled);
}

static void a_wrong_binding_is_refused_with_its_reason_and_changes_nothing(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64); /* 256 bytes each */
    identity.output.buffer.GuaranteedBaseOffsetAlignment = 64;
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    bind(table, range(0, 256), range(256, 256));

    const struct {
        VkdmlBufferBinding binding;
        const char *reason;
    } cases[] = {
        {nothing, "buffer is VK_NULL_HANDLE, must be a buffer of at least 256 bytes"},
        {range(8, 256), "offset is 8, must be a multiple of 16 (DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT)"},
        {range(0, 252), "size is 252, must be at least 256"},
        {range(0, VK_WHOLE_SIZE), "size is VK_WHOLE_SIZE"},
        {range(UINT64_C(0xFFFFFFFFFFFFFF00), 512), "offset + size is 18446744073709551360 + 512, must fit 64 bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_invalid(vkdmlBindInputs(table, 1, &cases[i].binding), cases[i].reason);
        assert_reason("DML_OPERATOR_ELEMENT_WISE_IDENTITY: InputTensor: ");
        assert_invalid(vkdmlBindOutputs(table, 1, &cases[i].binding), cases[i].reason);
        assert_reason("DML_OPERATOR_ELEMENT_WISE_IDENTITY: OutputTensor: ");
    }
    VkdmlBufferBinding unguaranteed = range(48, 256);
    assert_invalid(vkdmlBindOutputs(table, 1, &unguaranteed),
                   "OutputTensor: offset is 48, must be a multiple of 64 (its GuaranteedBaseOffsetAlignment)");
    VkdmlBufferBinding two[2] = {range(0, 256), range(512, 256)};
    assert_invalid(vkdmlBindInputs(table, 2, two), "count is 2, must be 1 (inputCount), or 0 to unbind");
    assert_invalid(vkdmlBindOutputs(table, 2, two), "count is 2, must be 1 (outputCount), or 0 to unbind");
    assert_invalid(vkdmlBindInputs(table, 1, NULL), "bindings is NULL");
    assert_invalid(vkdmlBindInputs(NULL, 1, two), "table is NULL");

    fill(vulkan.bytes, 256); /* as before: the first bindings hold */
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    assert_memory_equal(vulkan.bytes + 256, vulkan.bytes, 256);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void surplus_resources_are_not_used_and_null_unbinds(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    /* Whatever it is: even where the input and the output lie. */
    const VkdmlBufferBinding some = range(8, 700), input = range(0, 256), output = range(256, 256);
    assert_int_equal(vkdmlBindTemporaryResource(table, &some), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindPersistentResource(table, &some), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindInputs(table, 1, &input), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, &output), VKDML_SUCCESS);
    fill(vulkan.bytes, 256);
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    assert_memory_equal(vulkan.bytes + 256, vulkan.bytes, 256);
    assert_int_equal(vkdmlBindTemporaryResource(table, NULL), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindPersistentResource(table, &nothing), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindInputs(table, 0, NULL), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 0, NULL), VKDML_SUCCESS);
    VkCommandBuffer commands = vulkan_begin(&vulkan);
    assert_invalid(vkdmlRecordDispatch(device, commands, compiled, table), "InputTensor: nothing is bound");
    assert_reason("OutputTensor: nothing is bound");
    assert_int_equal(vkdmlBindInputs(table, 1, &input), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, &output), VKDML_SUCCESS);
    fill(vulkan.bytes, 256);
    vulkan.bytes[0] ^= 1;
    assert_int_equal(vkdmlRecordDispatch(device, commands, compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    assert_memory_equal(vulkan.bytes + 256, vulkan.bytes, 256);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void a_temporary_resource_must_be_bound_where_it_is_needed(void **state) {
    (void)state;
    struct nonzero nonzero;
    nonzero_init(&nonzero, 100);
    VkdmlOperator op;
    VkdmlDispatchable compiled;
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlCreateOperator(device, &nonzero.desc, &op), VKDML_SUCCESS);
    assert_int_equal(vkdmlCompileOperator(op, NULL, &compiled), VKDML_SUCCESS);
    vkdmlDestroyOperator(op);
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    assert_true(properties.temporaryResourceSize > 0);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    VkdmlBufferBinding input = range(0, 400);
    VkdmlBufferBinding outputs[] = {range(512, 4), range(1024, 1600)};
    VkdmlBufferBinding temporary = {vulkan.other, 256, properties.temporaryResourceSize};
    VkdmlBufferBinding askew = {vulkan.other, 128, properties.temporaryResourceSize};
    VkdmlBufferBinding short_of = {vulkan.other, 0, properties.temporaryResourceSize - 1};
    VkdmlBufferBinding over_input = {vulkan.buffer, 256, properties.temporaryResourceSize};
    assert_int_equal(vkdmlBindInputs(table, 1, &input), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 2, outputs), VKDML_SUCCESS);
    VkCommandBuffer commands = vulkan_begin(&vulkan);
    assert_invalid(vkdmlRecordDispatch(device, commands, compiled, table), "TemporaryResource: nothing is bound");
    assert_invalid(vkdmlBindTemporaryResource(table, &askew),
                   "TemporaryResource: offset is 128, must be a multiple of 256 (DML_TEMPORARY_BUFFER_ALIGNMENT)");
    assert_invalid(vkdmlBindTemporaryResource(table, &short_of), "must be at least");
    assert_int_equal(vkdmlBindTemporaryResource(table, &over_input), VKDML_SUCCESS);
    assert_invalid(vkdmlRecordDispatch(device, commands, compiled, table), "TemporaryResource: bytes 256 to");
    assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
    assert_int_equal(interposer.calls[INTERPOSED_CmdDispatch], 0);

    ((uint32_t *)vulkan.bytes)[42] = 1;
    assert_int_equal(vkdmlRecordDispatch(device, commands, compiled, table), VKDML_SUCCESS);
    assert_true(interposer.calls[INTERPOSED_CmdPipelineBarrier] > 0);
    vulkan_run(&vulkan);
    const uint32_t found[] = {1, 0};
    const uint32_t coordinates[] = {0, 0, 0, 42};
    assert_memory_equal(vulkan.bytes + 512, found, 4);
    assert_memory_equal(vulkan.bytes + 1024, coordinates, 16);
    assert_int_equal(vkdmlBindTemporaryResource(table, NULL), VKDML_SUCCESS);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table),
                   "TemporaryResource: nothing is bound");
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

/* ---- recording ---- */

static void a_recorded_dispatch_runs_after_its_operator_is_gone(void **state) {
    (void)state;
    struct identity *identity = malloc(sizeof *identity);
    assert_non_null(identity);
    identity_init(identity, 1000);
    VkdmlDispatchable compiled = compile_desc(device, &identity->desc);
    memset(identity, 0xFF, sizeof *identity);
    free(identity);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    fill(vulkan.bytes, 4000);
    bind(table, range(0, 4000), range(4096, 4096));
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    assert_memory_equal(vulkan.bytes + 4096, vulkan.bytes, 4000);
    assert_int_equal(vulkan.bytes[4096 + 4000], 0);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void offsets_that_vulkan_cannot_bind_are_rounded_down_and_the_rest_pushed(void **state) {
    (void)state;
    vkdmlDestroyDevice(device);
    interposer.offset_alignment = 256; /* the most that Vulkan allows */
    device = import_device(0, NULL);
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    fill(vulkan.bytes + 1040, 256);
    bind(table, range(1040, 256), range(3312, 256));
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    assert_memory_equal(vulkan.bytes + 3312, vulkan.bytes + 1040, 256);
    assert_int_equal(interposer.storage.offset, 1024);
    assert_int_equal(interposer.storage.range, 16 + 256);
    assert_int_equal(interposer.push_constants[0], 16);
    assert_int_equal(interposer.push_constants[1], 3312 % 256);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void recording_allocates_nothing_and_writes_descriptors_only_after_a_change(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    bind(table, range(0, 256), range(256, 256));
    const int made = atomic_load(&allocations.made);
    const uint32_t written = interposer.calls[INTERPOSED_UpdateDescriptorSets];
    for (int i = 0; i < 10; i++) {
        assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
        assert_int_equal(interposer.calls[INTERPOSED_UpdateDescriptorSets], written + 1);
        vulkan_run(&vulkan);
    }
    bind(table, range(0, 256), range(512, 256));
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    assert_int_equal(interposer.calls[INTERPOSED_UpdateDescriptorSets], written + 2);
    assert_int_equal(atomic_load(&allocations.made), made);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void recording_refuses_what_does_not_belong_together(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable one = compile_desc(device, &identity.desc);
    VkdmlDispatchable two = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, one, VK_NULL_HANDLE);
    VkCommandBuffer commands = vulkan_begin(&vulkan);
    assert_invalid(vkdmlRecordDispatch(device, commands, one, table), "InputTensor: nothing is bound");
    assert_reason("OutputTensor: nothing is bound");
    bind(table, range(0, 256), range(256, 256));
    assert_invalid(vkdmlRecordDispatch(device, commands, two, table), "table is of another dispatchable");
    assert_invalid(vkdmlRecordDispatch(NULL, commands, one, table), "device is NULL");
    assert_invalid(vkdmlRecordDispatch(device, NULL, one, table), "commandBuffer is NULL");
    assert_invalid(vkdmlRecordDispatch(device, commands, NULL, table), "dispatchable is NULL");
    assert_invalid(vkdmlRecordDispatch(device, commands, one, NULL), "table is NULL");
    VkdmlDevice own = device;
    device = import_device(0, NULL);
    assert_invalid(vkdmlRecordDispatch(device, commands, one, table), "dispatchable is of another device");
    vkdmlDestroyDevice(device);
    device = own;
    assert_int_equal(interposer.calls[INTERPOSED_CmdDispatch], 0);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(one);
    vkdmlDestroyDispatchable(two);
}

static void overlapping_buffers_are_refused_but_in_place_is_allowed(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    bind(table, range(1024, 256), range(1024 + 240, 256));
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table),
                   "OutputTensor: bytes 1264 to 1520 of its buffer overlap InputTensor at 1024 to 1280, must be "
                   "disjoint (in place needs the same first byte)");
    bind(table, range(1024, 256), range(1024 - 240, 256));
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), "overlap");
    bind(table, range(1024, 512), range(1024 + 256, 256)); /* what is bound beyond the tensor does not count */
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    bind(table, range(1024, 256), range(1024, 256));
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    VkdmlBufferBinding elsewhere = {vulkan.other, 1040, 256};
    bind(table, range(1024, 256), elsewhere);
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void overlapped_inputs_are_listed_and_wrong_arguments_refused(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    uint32_t count = 1, input = 7;
    assert_int_equal(vkdmlGetOverlappedInputs(table, &count, &input), VKDML_SUCCESS); /* nothing is bound */
    assert_int_equal(count, 0);
    bind(table, range(1024, 256), range(1024 + 240, 256));
    assert_int_equal(vkdmlGetOverlappedInputs(table, &count, NULL), VKDML_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(vkdmlGetOverlappedInputs(table, &count, &input), VKDML_SUCCESS);
    assert_int_equal(input, 0);
    input = 7;
    assert_invalid(vkdmlGetOverlappedInputs(NULL, &count, &input), "table is NULL");
    assert_invalid(vkdmlGetOverlappedInputs(table, NULL, &input), "count is NULL, must point to a number");
    assert_int_equal(count, 1);
    assert_int_equal(input, 7);
    bind(table, range(1024, 256), range(1024, 256)); /* in place */
    assert_int_equal(vkdmlGetOverlappedInputs(table, &count, &input), VKDML_SUCCESS);
    assert_int_equal(count, 0);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void written_sizes_are_those_of_outputs_without_gaps(void **state) {
    (void)state;
    static const struct {
        uint32_t strides[4];
        uint64_t bytes, written;
    } cases[] = {{{64, 64, 8, 1}, 256, 256}, {{64, 64, 1, 8}, 256, 256}, {{64, 64, 9, 1}, 284, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct identity identity;
        identity_init(&identity, 64);
        identity.input.sizes[2] = identity.output.sizes[2] = 8;
        identity.input.sizes[3] = identity.output.sizes[3] = 8;
        identity.output.buffer.Strides = cases[i].strides;
        identity.output.buffer.TotalTensorSizeInBytes = cases[i].bytes;
        VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
        uint64_t bytes = 7;
        assert_int_equal(vkdmlGetWrittenSize(compiled, 0, &bytes), VKDML_SUCCESS);
        assert_int_equal(bytes, cases[i].written);
        bytes = 7;
        assert_invalid(vkdmlGetWrittenSize(compiled, 1, &bytes), "output is 1, must be below 1, the number of outputs");
        assert_invalid(vkdmlGetWrittenSize(compiled, 0, NULL), "bytes is NULL");
        assert_invalid(vkdmlGetWrittenSize(NULL, 0, &bytes), "dispatchable is NULL");
        assert_int_equal(bytes, 7);
        vkdmlDestroyDispatchable(compiled);
    }
}

/* Coordinates after the count are not written. */
static void outputs_with_undefined_elements_count_as_unwritten(void **state) {
    (void)state;
    struct nonzero nonzero;
    nonzero_init(&nonzero, 100);
    VkdmlDispatchable compiled = compile_desc(device, &nonzero.desc);
    uint64_t count = 7, coordinates = 7;
    assert_int_equal(vkdmlGetWrittenSize(compiled, 0, &count), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetWrittenSize(compiled, 1, &coordinates), VKDML_SUCCESS);
    assert_int_equal(count, 4);
    assert_int_equal(coordinates, 0);
    vkdmlDestroyDispatchable(compiled);
}

static void in_place_needs_equal_layouts(void **state) {
    (void)state;
    const uint32_t transposed[] = {64, 64, 1, 8};
    struct identity identity;
    identity_init(&identity, 64);
    identity.input.sizes[2] = identity.output.sizes[2] = 8;
    identity.input.sizes[3] = identity.output.sizes[3] = 8;
    identity.output.buffer.Strides = transposed;
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    bind(table, range(0, 256), range(0, 256));
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table),
                   "must be disjoint (in place needs the same sizes, strides and type)");
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void a_table_lives_off_a_pool_of_the_callers_with_room_as_told(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, properties.storageBufferDescriptorCount},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, properties.uniformBufferDescriptorCount},
    };
    VkDescriptorPoolCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                         .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                         .maxSets = properties.descriptorSetCount,
                                         .poolSizeCount = 2,
                                         .pPoolSizes = sizes};
    VkDescriptorPool pool;
    assert_int_equal(vkCreateDescriptorPool(vulkan.device, &create, NULL, &pool), VK_SUCCESS);
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = compiled, .descriptorPool = pool};
    for (int i = 0; i < 3; i++) { /* the sets go back to the pool */
        VkdmlBindingTable table;
        VkdmlBindingTable second;
        assert_int_equal(vkdmlCreateBindingTable(device, &info, &table), VKDML_SUCCESS);
        interposer.failing = INTERPOSED_AllocateDescriptorSets; /* not every driver minds an overfull pool */
        interposer.fail_at = interposer.calls[INTERPOSED_AllocateDescriptorSets] + 1;
        interposer.failure = VK_ERROR_OUT_OF_POOL_MEMORY;
        assert_int_equal(vkdmlCreateBindingTable(device, &info, &second), VKDML_ERROR_OUT_OF_DEVICE_MEMORY);
        assert_reason("vkAllocateDescriptorSets returned VK_ERROR_OUT_OF_POOL_MEMORY");
        assert_null(second);
        vkdmlDestroyBindingTable(table);
    }
    assert_int_equal(interposer.calls[INTERPOSED_CreateDescriptorPool], 0);
    vkDestroyDescriptorPool(vulkan.device, pool, NULL);
    vkdmlDestroyDispatchable(compiled);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)
    const struct CMUnitTest tests[] = {
        TEST(operators_refuse_wrong_arguments),
        TEST(every_operator_refuses_a_descriptor_of_zeros_by_name),
        TEST(validation_needs_no_device_and_frees_its_copy),
        TEST(compilation_refuses_unknown_flags),
        TEST(operators_of_one_kind_share_a_pipeline),
        TEST(many_dispatchables_share_few_parameter_buffers_and_give_them_back),
        TEST(binding_properties_are_the_operators),
        TEST(a_table_refuses_wrong_arguments),
        TEST(a_wrong_binding_is_refused_with_its_reason_and_changes_nothing),
        TEST(surplus_resources_are_not_used_and_null_unbinds),
        TEST(a_temporary_resource_must_be_bound_where_it_is_needed),
        TEST(a_recorded_dispatch_runs_after_its_operator_is_gone),
        TEST(offsets_that_vulkan_cannot_bind_are_rounded_down_and_the_rest_pushed),
        TEST(recording_allocates_nothing_and_writes_descriptors_only_after_a_change),
        TEST(recording_refuses_what_does_not_belong_together),
        TEST(overlapping_buffers_are_refused_but_in_place_is_allowed),
        TEST(overlapped_inputs_are_listed_and_wrong_arguments_refused),
        TEST(written_sizes_are_those_of_outputs_without_gaps),
        TEST(outputs_with_undefined_elements_count_as_unwritten),
        TEST(in_place_needs_equal_layouts),
        TEST(a_table_lives_off_a_pool_of_the_callers_with_room_as_told),
    };
    return cmocka_run_group_tests(tests, set_up_vulkan, tear_down_vulkan);
}
