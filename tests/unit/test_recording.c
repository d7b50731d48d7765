/* Which commands a recording consists of, and what recording does not do. On the machine's first Vulkan device, which
 * passes for a CPU where transfer commands are to be planned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "one_device.h"
#include "vkdml/vkdml.h"

/* ---- host memory: the linker has every call in this program come here first, the library's among them ---- */

static unsigned allocated; /* calls */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
    allocated++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocated++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    allocated++;
    return __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    allocated++;
    return __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    allocated++;
    return __real_posix_memalign(memory, alignment, size);
}

/* ---- what tests have in common ---- */

static int set_up(void **state) {
    (void)state;
    interposer_reset(vkGetInstanceProcAddr);
    device = NULL;
    for (size_t i = 0; i < VULKAN_BUFFER_BYTES; i++) {
        vulkan.bytes[i] = (unsigned char)(i * 7 + i / 256);
        vulkan.other_bytes[i] = 0xA5;
    }
    return 0;
}

/* A device on which the library records copies and fills. */
static void import_transferring(void) {
    interposer.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    device = import_device(VKDML_DEVICE_FLAG_ALLOW_TRANSFER, NULL);
}

static void bind(VkdmlBindingTable table, VkdmlBufferBinding input, VkdmlBufferBinding output) {
    assert_int_equal(vkdmlBindInputs(table, 1, &input), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, &output), VKDML_SUCCESS);
}

static void record(VkdmlDispatchable dispatchable, VkdmlBindingTable table) {
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), dispatchable, table), VKDML_SUCCESS);
}

static void destroy(VkdmlDispatchable dispatchable, VkdmlBindingTable table) {
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(dispatchable);
}

/* Records, runs, and destroys an operator of one input, from `buffer` at 0 to `other` at 256. */
static void run_once(const DML_OPERATOR_DESC *desc, VkDeviceSize input_size, VkDeviceSize output_size) {
    VkdmlDispatchable compiled = compile_desc(device, desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    bind(table, range(0, input_size), other_range(256, output_size));
    record(compiled, table);
    vulkan_run(&vulkan);
    destroy(compiled, table);
}

/* ---- recording ---- */

static void assert_recording_allocates_nothing(const DML_OPERATOR_DESC *desc, uint32_t inputs, uint32_t outputs) {
    const VkdmlBufferBinding input = range(0, 1 << 19);
    const VkdmlBufferBinding output[] = {other_range(0, 1 << 18), other_range(1 << 18, 1 << 18)};
    const VkdmlBufferBinding temporary = other_range(1 << 19, 1 << 19);
    allocated = 0;
    VkdmlDispatchable compiled = compile_desc(device, desc);
    assert_true(allocated > 0); /* else nothing would be seen */
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    assert_int_equal(vkdmlBindInputs(table, inputs, &input), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, outputs, output), VKDML_SUCCESS);
    if (properties.temporaryResourceSize > 0) {
        assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
    }
    VkCommandBuffer commands = vulkan_begin(&vulkan);
    allocated = 0;
    for (int i = 0; i < 3; i++) { /* the first time with descriptors to write */
        assert_int_equal(vkdmlRecordDispatch(device, commands, compiled, table), VKDML_SUCCESS);
    }
    assert_int_equal(allocated, 0);
    destroy(compiled, table);
}

/* Rows of 257 floats, of which all but one are copied. */
static void rows_init(struct identity *identity, uint32_t rows, const uint32_t strides[4]) {
    identity_init(identity, 256);
    identity->input.sizes[2] = identity->output.sizes[2] = rows;
    identity->input.buffer.Strides = strides;
    identity->input.buffer.TotalTensorSizeInBytes = ((uint64_t)(rows - 1) * 257 + 256) * 4;
    identity->output.buffer.TotalTensorSizeInBytes = (uint64_t)rows * 256 * 4;
}

static const uint32_t row_strides[] = {0, 0, 257, 1};

static void recording_takes_no_memory_of_the_hosts(void **state) {
    (void)state;
    struct identity identity, rows;
    struct nonzero nonzero;
    struct diagonal diagonal;
    identity_init(&identity, 1024);
    rows_init(&rows, 100, row_strides);
    nonzero_init(&nonzero, 1024);
    diagonal_init(&diagonal, 64);
    device = import_device(0, NULL);
    assert_recording_allocates_nothing(&identity.desc, 1, 1);
    assert_recording_allocates_nothing(&nonzero.desc, 1, 2);
    vkdmlDestroyDevice(device);
    import_transferring();
    assert_recording_allocates_nothing(&identity.desc, 1, 1);
    assert_recording_allocates_nothing(&rows.desc, 1, 1);
    assert_recording_allocates_nothing(&diagonal.desc, 0, 1);
}

static void windows_share_their_pipeline_and_push_constants(void **state) {
    (void)state;
    enum { BYTES = 8 * 126 * 256 }; /* windows begin at multiples of any device's alignment */
    struct identity identity;
    identity_init(&identity, BYTES / 4);
    interposer.storage_range = 32768;
    device = import_device(0, NULL);
    run_once(&identity.desc, BYTES, BYTES);
    assert_int_equal(interposer.calls[INTERPOSED_CmdDispatch], 8);
    assert_int_equal(interposer.calls[INTERPOSED_CmdBindPipeline], 1);
    assert_int_equal(interposer.calls[INTERPOSED_CmdPushConstants], 1);
    assert_memory_equal(vulkan.other_bytes + 256, vulkan.bytes, BYTES);
}

static void what_is_bound_again_is_not_written_again(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    device = import_device(0, NULL);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    bind(table, range(0, 256), other_range(0, 256));
    record(compiled, table);
    const uint32_t written = interposer.calls[INTERPOSED_UpdateDescriptorSets];
    bind(table, range(0, 256), other_range(0, 256));
    record(compiled, table);
    assert_int_equal(interposer.calls[INTERPOSED_UpdateDescriptorSets], written);
    bind(table, range(0, 256), other_range(16, 256));
    record(compiled, table);
    assert_int_equal(interposer.calls[INTERPOSED_UpdateDescriptorSets], written + 1);
    destroy(compiled, table);
}

static void assert_nothing_recorded(void) {
    assert_int_equal(interposer.calls[INTERPOSED_CmdDispatch], 0);
    assert_int_equal(interposer.calls[INTERPOSED_CmdCopyBuffer], 0);
    assert_int_equal(interposer.calls[INTERPOSED_CmdFillBuffer], 0);
}

/* A copy onto itself: as a transfer command it would be an overlap, which Vulkan forbids. */
static void an_identity_in_place_records_nothing(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    for (int transfer = 0; transfer < 2; transfer++) {
        if (transfer) {
            import_transferring();
        } else {
            device = import_device(0, NULL);
        }
        VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
        VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
        bind(table, range(256, 256), range(256, 256));
        record(compiled, table);
        assert_nothing_recorded();
        bind(table, range(256, 256), range(512, 256)); /* elsewhere there is something to do again */
        record(compiled, table);
        vulkan_run(&vulkan);
        assert_memory_equal(vulkan.bytes + 512, vulkan.bytes + 256, 256);
        destroy(compiled, table);
        vkdmlDestroyDevice(device);
        device = NULL;
        interposer_reset(vkGetInstanceProcAddr);
        memset(vulkan.bytes + 512, 0, 256);
    }
}

static void an_identity_with_scale_and_bias_in_place_is_computed(void **state) {
    (void)state;
    const DML_SCALE_BIAS scale_bias = {2.0f, 0.0f};
    const float ones[] = {1.0f, 1.0f}, twos[] = {2.0f, 2.0f};
    struct identity identity;
    identity_init(&identity, 2);
    identity.identity.ScaleBias = &scale_bias;
    import_transferring();
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    memcpy(vulkan.bytes + 256, ones, sizeof ones);
    bind(table, range(256, 8), range(256, 8));
    record(compiled, table);
    vulkan_run(&vulkan);
    assert_memory_equal(vulkan.bytes + 256, twos, sizeof twos);
    destroy(compiled, table);
}

/* ---- transfer commands ---- */

static void transfer_commands_need_leave_and_a_device_where_they_are_faster(void **state) {
    (void)state;
    const VkdmlDeviceFlags allow = VKDML_DEVICE_FLAG_ALLOW_TRANSFER;
    const struct {
        VkdmlDeviceFlags flags;
        VkPhysicalDeviceType type;
        uint32_t copies;
    } devices[] = {
        {0, VK_PHYSICAL_DEVICE_TYPE_CPU, 0},
        {allow, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 0},
        {allow, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, 0},
        {allow, VK_PHYSICAL_DEVICE_TYPE_CPU, 1},
    };
    struct identity identity;
    identity_init(&identity, 64);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        vkdmlDestroyDevice(device);
        interposer_reset(vkGetInstanceProcAddr);
        interposer.type = devices[i].type;
        device = import_device(devices[i].flags, NULL);
        memset(vulkan.other_bytes, 0xA5, 1024);
        run_once(&identity.desc, 256, 256);
        assert_int_equal(interposer.calls[INTERPOSED_CmdCopyBuffer], devices[i].copies);
        assert_int_equal(interposer.calls[INTERPOSED_CmdDispatch], 1 - devices[i].copies);
        assert_memory_equal(vulkan.other_bytes + 256, vulkan.bytes, 256);
    }
}

static void a_copy_takes_no_descriptors_and_no_pipeline(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    import_transferring();
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    assert_int_equal(properties.descriptorSetCount, 0);
    assert_int_equal(properties.storageBufferDescriptorCount, 0);
    assert_int_equal(properties.uniformBufferDescriptorCount, 0);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    assert_int_equal(interposer.calls[INTERPOSED_CreateComputePipelines], 0);
    assert_int_equal(interposer.calls[INTERPOSED_CreateDescriptorPool], 0);
    assert_int_equal(interposer.calls[INTERPOSED_CreateBuffer], 0);
    destroy(compiled, table);
}

/* Any number of bytes, and none beside them. */
static void a_copy_ends_within_a_word(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 7);
    identity.input.buffer.DataType = identity.output.buffer.DataType = DML_TENSOR_DATA_TYPE_UINT8;
    identity.input.buffer.TotalTensorSizeInBytes = identity.output.buffer.TotalTensorSizeInBytes = 8;
    import_transferring();
    run_once(&identity.desc, 8, 8);
    assert_int_equal(interposer.copied_bytes, 7);
    assert_memory_equal(vulkan.other_bytes + 256, vulkan.bytes, 7);
    assert_int_equal(vulkan.other_bytes[256 + 7], 0xA5);
}

static void rows_are_regions_of_one_copy(void **state) {
    (void)state;
    enum { ROWS = 200 };
    struct identity identity;
    rows_init(&identity, ROWS, row_strides);
    import_transferring();
    run_once(&identity.desc, 1 << 19, 1 << 19);
    assert_int_equal(interposer.calls[INTERPOSED_CmdDispatch], 0);
    assert_int_equal(interposer.regions, ROWS);
    assert_int_equal(interposer.calls[INTERPOSED_CmdCopyBuffer], 1);
    for (size_t row = 0; row < ROWS; row++) {
        assert_memory_equal(vulkan.other_bytes + 256 + row * 1024, vulkan.bytes + row * 1028, 1024);
    }
    assert_int_equal(vulkan.other_bytes[256 + ROWS * 1024], 0xA5);
}

/* Drivers count a region's bytes in 31 bits. */
static void a_region_is_a_gibibyte_at_most(void **state) {
    (void)state;
    const VkDeviceSize bytes = UINT64_C(5) << 29;
    struct identity identity;
    identity_init(&identity, (uint32_t)(bytes / 4));
    import_transferring();
    interposer.drops_copies = true;
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    bind(table, range(0, bytes), other_range(0, bytes));
    record(compiled, table);
    assert_int_equal(interposer.regions, 3);
    assert_int_equal(interposer.copied_bytes, bytes);
    destroy(compiled, table);
}

static void a_fill_is_visible_to_the_dispatch_after_it(void **state) {
    (void)state;
    enum { SIZE = 64 };
    struct diagonal diagonal;
    diagonal_init(&diagonal, SIZE);
    import_transferring();
    VkdmlDispatchable compiled = compile_desc(device, &diagonal.desc);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    VkdmlBufferBinding output = other_range(256, SIZE * SIZE * 4);
    assert_int_equal(vkdmlBindOutputs(table, 1, &output), VKDML_SUCCESS);
    record(compiled, table);
    assert_int_equal(interposer.filled_bytes, SIZE * SIZE * 4);
    assert_int_equal(interposer.calls[INTERPOSED_CmdDispatch], 1);
    assert_int_equal(interposer.barrier.before, VK_PIPELINE_STAGE_TRANSFER_BIT);
    assert_int_equal(interposer.barrier.written, VK_ACCESS_TRANSFER_WRITE_BIT);
    assert_int_equal(interposer.barrier.after, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    assert_int_equal(interposer.barrier.used, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vulkan_run(&vulkan);
    for (size_t i = 0; i < SIZE * SIZE; i++) {
        float value;
        memcpy(&value, vulkan.other_bytes + 256 + i * 4, sizeof value);
        assert_true(value == (i % (SIZE + 1) == 0 ? 1.0f : 0.0f));
    }
    assert_int_equal(vulkan.other_bytes[256 + SIZE * SIZE * 4], 0xA5);
    destroy(compiled, table);
}

static void owned_inputs_are_copied_by_the_device(void **state) {
    (void)state;
    struct identity identity;
    identity_init(&identity, 64);
    identity.input.buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    import_transferring();
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc), initializer;
    assert_int_equal(vkdmlCreateOperatorInitializer(device, 1, &compiled, &initializer), VKDML_SUCCESS);
    VkdmlBindingTable table = create_table(device, initializer, VK_NULL_HANDLE);
    bind(table, range(0, 256), other_range(0, 256));
    record(initializer, table);
    vulkan_run(&vulkan);
    assert_int_equal(interposer.calls[INTERPOSED_CmdDispatch], 0);
    assert_int_equal(interposer.copied_bytes, 256);
    assert_memory_equal(vulkan.other_bytes, vulkan.bytes, 256);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    vkdmlDestroyDispatchable(compiled);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(recording_takes_no_memory_of_the_hosts),
        TEST(windows_share_their_pipeline_and_push_constants),
        TEST(what_is_bound_again_is_not_written_again),
        TEST(an_identity_in_place_records_nothing),
        TEST(an_identity_with_scale_and_bias_in_place_is_computed),
        TEST(transfer_commands_need_leave_and_a_device_where_they_are_faster),
        TEST(a_copy_takes_no_descriptors_and_no_pipeline),
        TEST(a_copy_ends_within_a_word),
        TEST(rows_are_regions_of_one_copy),
        TEST(a_region_is_a_gibibyte_at_most),
        TEST(a_fill_is_visible_to_the_dispatch_after_it),
        TEST(owned_inputs_are_copied_by_the_device),
    };
    return cmocka_run_group_tests(tests, set_up_vulkan, tear_down_vulkan);
}
