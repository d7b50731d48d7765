#define _POSIX_C_SOURCE 200809L /* unsetenv */
/* What tools that show Vulkan's objects and commands are told, through VK_EXT_debug_utils, and that they are told
 * nothing where it is not enabled. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Of LeakSanitizer: lavapipe (Mesa 22.3) does not free the names of descriptor sets when their pool goes. What the
 * library leaves of Vulkan's objects the interposer counts. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libvulkan_lvp.so";
}

static uint32_t warnings;

static void count_warning(void *user_data, VkdmlLogLevel level, const char *message) {
    (void)user_data;
    (void)message;
    warnings += level <= VKDML_LOG_LEVEL_WARNING;
}

static int set_up_all(void **state) {
    (void)state;
    unsetenv("VKDML_KERNEL_VARIANT");
    vulkan_create_with_debug_utils(&vulkan);
    return 0;
}

static void import(const struct vulkan *of, VkdmlDeviceFlags flags) {
    VkdmlDeviceCreateInfo info = vulkan_device_info(of);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    info.logCallback = count_warning;
    info.kernelVariant = VKDML_KERNEL_VARIANT_PORTABLE;
    info.flags = flags;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
}

static int set_up(void **state) {
    (void)state;
    interposer_reset(vkGetInstanceProcAddr);
    interposer.traces = true;
    device = NULL;
    warnings = 0;
    return 0;
}

/* A table whose inputs, the first `given` that there are, outputs and resources lie one behind another in the fixture's
 * buffer. */
static VkdmlBindingTable bound_table(VkdmlDispatchable dispatchable, uint32_t given) {
    VkdmlBindingProperties properties;
    VkdmlBindingTable table = create_table(device, dispatchable, VK_NULL_HANDLE);
    VkdmlBufferBinding bindings[4], temporary = {vulkan.buffer, 65536 * 8, 65536};
    assert_int_equal(vkdmlGetBindingProperties(dispatchable, &properties), VKDML_SUCCESS);
    assert_true(properties.inputCount <= 4 && properties.outputCount <= 4);
    for (uint32_t i = 0; i < 4; i++) {
        bindings[i] = (VkdmlBufferBinding){i < given ? vulkan.buffer : VK_NULL_HANDLE, 65536 * (uint64_t)i, 65536};
    }
    assert_int_equal(vkdmlBindInputs(table, properties.inputCount, bindings), VKDML_SUCCESS);
    for (uint32_t i = 0; i < 4; i++) {
        bindings[i].buffer = vulkan.buffer;
        bindings[i].offset += UINT64_C(65536) * 4;
    }
    assert_int_equal(vkdmlBindOutputs(table, properties.outputCount, bindings), VKDML_SUCCESS);
    if (properties.temporaryResourceSize > 0) {
        assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
    }
    return table;
}

/* Records once; what that traces is the trace. */
static VkdmlResult record(VkdmlDispatchable dispatchable, VkdmlBindingTable table) {
    vulkan_begin(&vulkan);
    interposer.trace[0] = '\0';
    return vkdmlRecordDispatch(device, vulkan.commands, dispatchable, table);
}

static void expect_in_trace(const char *text) {
    if (!strstr(interposer.trace, text)) {
        fail_msg("\"%s\" is not in\n%s", text, interposer.trace);
    }
}

/* Labels of a recording: as many ends as beginnings, none before its beginning, two deep. Returns how many there are.
 */
static uint32_t expect_balanced(void) {
    uint32_t begun = 0;
    int depth = 0;
    for (const char *line = interposer.trace; *line; line = strchr(line, '\n') + 1) {
        begun += *line == '{';
        depth += (*line == '{') - (*line == '}');
        assert_in_range(depth, 0, 2);
    }
    assert_int_equal(depth, 0);
    return begun;
}

/* GEMM of FLOAT32: A has 64 rows, B 16 columns. Points into itself. */
struct gemm {
    uint32_t sizes[3][4];
    DML_BUFFER_TENSOR_DESC buffers[3];
    DML_TENSOR_DESC tensors[3];
    DML_GEMM_OPERATOR_DESC gemm;
    DML_OPERATOR_DESC desc;
};

static void gemm_init(struct gemm *gemm, DML_TENSOR_FLAGS flags_of_b) {
    static const uint32_t sizes[3][4] = {{1, 1, 64, 32}, {1, 1, 32, 16}, {1, 1, 64, 16}};
    memcpy(gemm->sizes, sizes, sizeof sizes);
    for (size_t i = 0; i < 3; i++) {
        gemm->buffers[i] = (DML_BUFFER_TENSOR_DESC){.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                                    .Flags = i == 1 ? flags_of_b : DML_TENSOR_FLAG_NONE,
                                                    .DimensionCount = 4,
                                                    .Sizes = gemm->sizes[i],
                                                    .TotalTensorSizeInBytes = UINT64_C(4) * sizes[i][2] * sizes[i][3]};
        gemm->tensors[i] = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &gemm->buffers[i]};
    }
    gemm->gemm = (DML_GEMM_OPERATOR_DESC){
        .ATensor = &gemm->tensors[0], .BTensor = &gemm->tensors[1], .OutputTensor = &gemm->tensors[2], .Alpha = 1};
    gemm->desc = (DML_OPERATOR_DESC){DML_OPERATOR_GEMM, &gemm->gemm};
}

/* ---- labels ---- */

static void a_dispatch_is_labelled_with_operator_tensors_and_kernel(void **state) {
    (void)state;
    struct gemm gemm;
    import(&vulkan, 0);
    gemm_init(&gemm, DML_TENSOR_FLAG_NONE);
    VkdmlDispatchable compiled = compile_desc(device, &gemm.desc);
    VkdmlBindingTable table = bound_table(compiled, 2);
    assert_int_equal(record(compiled, table), VKDML_SUCCESS);
    expect_in_trace("{ DML_OPERATOR_GEMM: ATensor FLOAT32 1x1x64x32, BTensor FLOAT32 1x1x32x16, OutputTensor FLOAT32 "
                    "1x1x64x16\n{ product");
    expect_in_trace(": ATensor, OutputTensor, BTensor; ");
    expect_in_trace(" workgroups\nvkCmdBindPipeline\nvkCmdPushConstants\nvkCmdDispatch\n}\n}\n");
    assert_int_equal(expect_balanced(), 2);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void each_command_has_its_label_with_its_barrier_in_it(void **state) {
    (void)state;
    struct nonzero nonzero;
    import(&vulkan, 0);
    nonzero_init(&nonzero, 1000);
    VkdmlDispatchable compiled = compile_desc(device, &nonzero.desc);
    VkdmlBindingTable table = bound_table(compiled, 1);
    for (int i = 0; i < 2; i++) { /* again: there is nothing left to write then */
        assert_int_equal(record(compiled, table), VKDML_SUCCESS);
        const uint32_t dispatches =
            i == 0 ? interposer.calls[INTERPOSED_CmdDispatch] : interposer.calls[INTERPOSED_CmdDispatch] / 2;
        assert_true(dispatches > 1);
        assert_int_equal(expect_balanced(), 1 + dispatches);
        expect_in_trace("{ DML_OPERATOR_NONZERO_COORDINATES: InputTensor UINT32 1x1x1x1000, OutputCountTensor UINT32 "
                        "1x1x1x1, OutputCoordinatesTensor UINT32 1x1x1000x4\n");
        expect_in_trace(" workgroups\nvkCmdPipelineBarrier\n");
        expect_in_trace("TemporaryResource");
        vulkan_run(&vulkan);
    }
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void transfer_commands_are_labelled_with_their_bytes(void **state) {
    (void)state;
    struct identity identity;
    struct diagonal diagonal;
    interposer.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    import(&vulkan, VKDML_DEVICE_FLAG_ALLOW_TRANSFER);
    identity_init(&identity, 1000);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = bound_table(compiled, 1);
    assert_int_equal(record(compiled, table), VKDML_SUCCESS);
    assert_string_equal(interposer.trace, "{ DML_OPERATOR_ELEMENT_WISE_IDENTITY: InputTensor FLOAT32 1x1x1x1000, "
                                          "OutputTensor FLOAT32 1x1x1x1000\n{ copy: InputTensor, OutputTensor; 4000 "
                                          "bytes\nvkCmdCopyBuffer\n}\n}\n");
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    diagonal_init(&diagonal, 64);
    compiled = compile_desc(device, &diagonal.desc);
    table = bound_table(compiled, 0);
    assert_int_equal(record(compiled, table), VKDML_SUCCESS);
    expect_in_trace("{ fill: OutputTensor; 16384 bytes\nvkCmdFillBuffer\n}\n");
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void initialization_names_the_operators_whose_it_is(void **state) {
    (void)state;
    struct gemm gemm;
    import(&vulkan, 0);
    gemm_init(&gemm, DML_TENSOR_FLAG_OWNED_BY_DML);
    VkdmlDispatchable compiled = compile_desc(device, &gemm.desc), initializer;
    assert_int_equal(vkdmlCreateOperatorInitializer(device, 1, &compiled, &initializer), VKDML_SUCCESS);
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = initializer};
    VkdmlBufferBinding inputs[3] = {[1] = {vulkan.buffer, 0, 65536}}, output = {vulkan.buffer, 65536, 65536};
    VkdmlBindingTable table;
    assert_int_equal(vkdmlCreateBindingTable(device, &info, &table), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindInputs(table, 3, inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, &output), VKDML_SUCCESS);
    assert_int_equal(record(initializer, table), VKDML_SUCCESS);
    expect_in_trace("{ operator initializer of 1 operator\n{ DML_OPERATOR_GEMM: ");
    expect_in_trace(": BTensor, PersistentResource; ");
    assert_int_equal(expect_balanced(), 2);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    vkdmlDestroyDispatchable(compiled);
}

static void steps_of_a_graph_name_their_nodes(void **state) {
    (void)state;
    static struct graph graph;
    struct gemm gemm;
    import(&vulkan, 0);
    graph_begin(&graph, 3, 2);
    gemm_init(&gemm, DML_TENSOR_FLAG_NONE);
    for (uint32_t i = 0; i < 2; i++) {
        VkdmlOperator op;
        assert_int_equal(vkdmlCreateOperator(device, &gemm.desc, &op), VKDML_SUCCESS);
        graph_operator(&graph, op, i == 0 ? "query" : NULL);
        graph_input(&graph, 0, i, 0);
        graph_input(&graph, 1 + i, i, 1);
        graph_output(&graph, i, 0, i);
    }
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_SUCCESS);
    graph_end(&graph);
    VkdmlBindingTable table = bound_table(compiled, 3);
    expect_in_trace("descriptor set = graph: query: product");
    assert_int_equal(record(compiled, table), VKDML_SUCCESS);
    expect_in_trace("{ graph of 2 nodes\n{ query: product");
    expect_in_trace("{ Nodes[1]: product");
    expect_in_trace(": GraphInputs[0], GraphOutputs[1], GraphInputs[2]; ");
    assert_int_equal(expect_balanced(), 3);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void what_records_nothing_has_no_label(void **state) {
    (void)state;
    struct identity identity;
    import(&vulkan, 0);
    identity_init(&identity, 1000);
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = bound_table(compiled, 1);
    VkdmlBufferBinding binding = {vulkan.buffer, 0, 65536}, overlapping = {vulkan.buffer, 16, 65536};
    assert_int_equal(vkdmlBindOutputs(table, 1, &binding), VKDML_SUCCESS); /* in place */
    assert_int_equal(record(compiled, table), VKDML_SUCCESS);
    assert_string_equal(interposer.trace, "");
    assert_int_equal(vkdmlBindOutputs(table, 1, &overlapping), VKDML_SUCCESS);
    assert_int_equal(record(compiled, table), VKDML_ERROR_INVALID_ARGUMENT);
    assert_string_equal(interposer.trace, "");
    vkdmlReportDeviceLost(device, "for this test");
    assert_int_equal(record(compiled, table), VKDML_ERROR_DEVICE_LOST);
    assert_string_equal(interposer.trace, "");
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void many_tensors_are_cut_behind_one_of_them(void **state) {
    (void)state;
    enum { PARTS = 64 };
    uint32_t whole_sizes[] = {1, 1, 1, PARTS}, part_sizes[] = {1, 1, 1, 1};
    DML_BUFFER_TENSOR_DESC whole = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, whole_sizes, NULL, PARTS * 4, 0};
    DML_BUFFER_TENSOR_DESC part = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, part_sizes, NULL, 4, 0};
    const DML_TENSOR_DESC out = {DML_TENSOR_TYPE_BUFFER, &whole};
    DML_TENSOR_DESC parts[PARTS];
    VkdmlBufferBinding inputs[PARTS], output = {vulkan.buffer, 65536, 65536};
    for (uint32_t i = 0; i < PARTS; i++) {
        parts[i] = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &part};
        inputs[i] = (VkdmlBufferBinding){vulkan.buffer, UINT64_C(16) * i, 16};
    }
    const DML_JOIN_OPERATOR_DESC join = {PARTS, parts, &out, 3};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_JOIN, &join};
    import(&vulkan, 0);
    VkdmlDispatchable compiled = compile_desc(device, &desc);
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = compiled};
    VkdmlBindingTable table;
    assert_int_equal(vkdmlCreateBindingTable(device, &info, &table), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindInputs(table, PARTS, inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, &output), VKDML_SUCCESS);
    interposer.traces = true;
    assert_int_equal(record(compiled, table), VKDML_SUCCESS);
    expect_in_trace("{ DML_OPERATOR_JOIN: InputTensors[0] FLOAT32 1x1x1x1, InputTensors[1] FLOAT32 1x1x1x1, ");
    expect_in_trace(" 1x1x1x1, ..\n{ ");
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

/* ---- names ---- */

static void objects_are_named_when_they_are_made(void **state) {
    (void)state;
    struct gemm gemm;
    import(&vulkan, 0);
    expect_in_trace("descriptor set layout = vkdml, 1 storage buffers\npipeline layout = vkdml, 1 storage buffers\n");
    gemm_init(&gemm, DML_TENSOR_FLAG_NONE);
    interposer.trace[0] = '\0';
    VkdmlDispatchable compiled = compile_desc(device, &gemm.desc);
    expect_in_trace("shader module = vkdml product");
    expect_in_trace("pipeline = vkdml product");
    expect_in_trace(", portable kernels, constants ");
    expect_in_trace("buffer = vkdml parameters\n");
    interposer.trace[0] = '\0';
    VkdmlBindingTable table = bound_table(compiled, 2);
    expect_in_trace("descriptor set = DML_OPERATOR_GEMM: product");
    expect_in_trace(": ATensor, OutputTensor, BTensor; ");
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void an_object_that_gets_no_name_does_as_well(void **state) {
    (void)state;
    struct identity identity;
    import(&vulkan, 0);
    identity_init(&identity, 1000);
    assert_int_equal(warnings, 0);
    interposer.naming = VK_ERROR_OUT_OF_HOST_MEMORY;
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc);
    VkdmlBindingTable table = bound_table(compiled, 1);
    assert_true(warnings > 0);
    assert_int_equal(record(compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

/* ---- where it is off ---- */

static void expect_silence(const struct vulkan *of) {
    struct gemm gemm;
    import(of, 0);
    gemm_init(&gemm, DML_TENSOR_FLAG_NONE);
    VkdmlDispatchable compiled = compile_desc(device, &gemm.desc);
    vkdmlDestroyDispatchable(compiled);
    assert_null(strstr(interposer.trace, " = "));
    assert_int_equal(expect_balanced(), 0);
}

static void without_the_extension_nothing_is_called(void **state) {
    (void)state;
    struct vulkan plain;
    vulkan_create(&plain);
    expect_silence(&plain);
    vkdmlDestroyDevice(device);
    device = NULL;
    vulkan_destroy(&plain);
    volkLoadInstance(vulkan.instance);
}

static void without_one_of_its_functions_nothing_is_called(void **state) {
    (void)state;
    static const char *const functions[] = {"vkSetDebugUtilsObjectNameEXT", "vkCmdBeginDebugUtilsLabelEXT",
                                            "vkCmdEndDebugUtilsLabelEXT"};
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        interposer.hidden = functions[i];
        interposer.trace[0] = '\0';
        expect_silence(&vulkan);
        vkdmlDestroyDevice(device);
        device = NULL;
    }
}

static void opening_enables_it_on_request(void **state) {
    (void)state;
    for (VkdmlDeviceFlags flags = 0; flags <= VKDML_DEVICE_FLAG_DEBUG_UTILS; flags += VKDML_DEVICE_FLAG_DEBUG_UTILS) {
        VkdmlDeviceOpenInfo info = {.structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .flags = flags};
        VkdmlVulkanHandles handles;
        assert_int_equal(vkdmlOpenDevice(&info, &device), VKDML_SUCCESS);
        assert_int_equal(vkdmlGetVulkanHandles(device, &handles), VKDML_SUCCESS);
        assert_int_equal(handles.getInstanceProcAddr(handles.instance, "vkSetDebugUtilsObjectNameEXT") != NULL,
                         flags != 0);
        vkdmlDestroyDevice(device);
        device = NULL;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_dispatch_is_labelled_with_operator_tensors_and_kernel),
        TEST(each_command_has_its_label_with_its_barrier_in_it),
        TEST(transfer_commands_are_labelled_with_their_bytes),
        TEST(initialization_names_the_operators_whose_it_is),
        TEST(steps_of_a_graph_name_their_nodes),
        TEST(what_records_nothing_has_no_label),
        TEST(many_tensors_are_cut_behind_one_of_them),
        TEST(objects_are_named_when_they_are_made),
        TEST(an_object_that_gets_no_name_does_as_well),
        TEST(without_the_extension_nothing_is_called),
        TEST(without_one_of_its_functions_nothing_is_called),
        TEST(opening_enables_it_on_request),
    };
    return cmocka_run_group_tests(tests, set_up_all, tear_down_vulkan);
}
