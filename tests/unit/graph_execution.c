#include "graph_execution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "one_device.h"

struct graph graph;
static uint64_t input_bytes[MOST], output_bytes[MOST];

/* ---- what graphs are made of ---- */

/* Points into itself. */
struct packed {
    uint32_t sizes[4];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

static const DML_TENSOR_DESC *typed(struct packed *tensor, DML_TENSOR_DATA_TYPE type, uint32_t element_bytes,
                                    const uint32_t sizes[4]) {
    const uint64_t bytes = (uint64_t)sizes[0] * sizes[1] * sizes[2] * sizes[3] * element_bytes;
    memcpy(tensor->sizes, sizes, sizeof tensor->sizes);
    tensor->buffer =
        (DML_BUFFER_TENSOR_DESC){type, DML_TENSOR_FLAG_NONE, 4, tensor->sizes, NULL, (bytes + 3) / 4 * 4, 0};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    return &tensor->desc;
}

static const DML_TENSOR_DESC *packed(struct packed *tensor, const uint32_t sizes[4]) {
    return typed(tensor, DML_TENSOR_DATA_TYPE_FLOAT32, 4, sizes);
}

uint32_t operator_node(DML_OPERATOR_TYPE type, const void *operator_desc, const char *name) {
    const DML_OPERATOR_DESC desc = {type, operator_desc};
    VkdmlOperator op;
    assert_int_equal(vkdmlCreateOperator(device, &desc, &op), VKDML_SUCCESS);
    return graph_operator(&graph, op, name);
}

uint32_t relu_node(const uint32_t sizes[4]) {
    struct packed in, out;
    const DML_ACTIVATION_RELU_OPERATOR_DESC desc = {packed(&in, sizes), packed(&out, sizes)};
    return operator_node(DML_OPERATOR_ACTIVATION_RELU, &desc, "relu");
}

uint32_t add_node(const uint32_t sizes[4]) {
    struct packed a, b, out;
    const DML_ACTIVATION_SHRINK_OPERATOR_DESC same = {.Bias = 0, .Threshold = 0};
    const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_SHRINK, &same};
    const DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc = {packed(&a, sizes), packed(&b, sizes), packed(&out, sizes),
                                                      &activation};
    return operator_node(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, "add");
}

uint32_t shrink_node(const uint32_t sizes[4]) {
    struct packed in, out;
    const DML_ACTIVATION_SHRINK_OPERATOR_DESC desc = {packed(&in, sizes), packed(&out, sizes), .Bias = 1};
    return operator_node(DML_OPERATOR_ACTIVATION_SHRINK, &desc, "shrink");
}

uint32_t identity_node(const uint32_t sizes[4]) {
    struct packed in, out;
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {packed(&in, sizes), packed(&out, sizes), NULL};
    return operator_node(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, "identity");
}

uint32_t slice_node(const uint32_t sizes[4], const uint32_t offsets[4], const uint32_t taken[4]) {
    static const uint32_t strides[4] = {1, 1, 1, 1};
    struct packed in, out;
    const DML_SLICE_OPERATOR_DESC desc = {packed(&in, sizes), packed(&out, taken), 4, offsets, taken, strides};
    return operator_node(DML_OPERATOR_SLICE, &desc, "slice");
}

uint32_t split_node(const uint32_t sizes[4], uint32_t axis) {
    struct packed in, halves[2];
    uint32_t half[4];
    memcpy(half, sizes, sizeof half);
    half[axis] /= 2;
    const DML_TENSOR_DESC outputs[2] = {*packed(&halves[0], half), *packed(&halves[1], half)};
    const DML_SPLIT_OPERATOR_DESC desc = {packed(&in, sizes), 2, outputs, axis};
    return operator_node(DML_OPERATOR_SPLIT, &desc, "split");
}

uint32_t join_node(const uint32_t (*parts)[4], uint32_t count, uint32_t axis) {
    struct packed tensors[4], out;
    DML_TENSOR_DESC inputs[4];
    uint32_t whole[4];
    memcpy(whole, parts[0], sizeof whole);
    whole[axis] = 0;
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = *packed(&tensors[i], parts[i]);
        whole[axis] += parts[i][axis];
    }
    const DML_JOIN_OPERATOR_DESC desc = {count, inputs, packed(&out, whole), axis};
    return operator_node(DML_OPERATOR_JOIN, &desc, "join");
}

void begin_graph(uint32_t inputs, uint32_t outputs) {
    graph_begin(&graph, inputs, outputs);
    memset(input_bytes, 0, sizeof input_bytes);
    memset(output_bytes, 0, sizeof output_bytes);
}

static uint64_t bytes_of(const uint32_t sizes[4]) {
    return UINT64_C(4) * sizes[0] * sizes[1] * sizes[2] * sizes[3];
}

void feed(uint32_t index, uint32_t to, uint32_t to_input, const uint32_t sizes[4]) {
    graph_input(&graph, index, to, to_input);
    input_bytes[index] = bytes_of(sizes);
}

void yield_as(uint32_t from, uint32_t from_output, uint32_t index, const uint32_t sizes[4]) {
    graph_output(&graph, from, from_output, index);
    output_bytes[index] = bytes_of(sizes);
}

void join_all(const struct joint *joints, size_t count) {
    for (size_t i = 0; i < count; i++) {
        graph_join(&graph, joints[i].from, joints[i].output, joints[i].to, joints[i].input);
    }
}

/* ---- how they are executed ---- */

static VkdmlBindingTable bind(VkdmlDispatchable compiled) {
    VkdmlBufferBinding inputs[MOST], outputs[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        inputs[i] = input_bytes[i] > 0 ? range((VkDeviceSize)PART_BYTES * i, input_bytes[i]) : nothing;
        outputs[i] = range(OUTPUTS_AT + (VkDeviceSize)PART_BYTES * i, output_bytes[i]);
    }
    return bind_all(compiled, &(struct bindings){.input_count = graph.desc.InputCount,
                                                 .inputs = inputs,
                                                 .output_count = graph.desc.OutputCount,
                                                 .outputs = outputs});
}

/* Executes the graph over two fillings of its temporary memory; outputs are what is expected. */
static struct cost execute(VkdmlCompileFlags flags, const unsigned char *expected) {
    static const int fillings[] = {0xFF, 0x5A};
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = flags};
    VkdmlDispatchable compiled;
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, &info, &compiled), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    VkdmlBindingTable table = bind(compiled);
    struct cost cost = {.temporary_bytes = properties.temporaryResourceSize};
    for (size_t f = 0; f < 2; f++) {
        memset(vulkan.other_bytes, fillings[f], VULKAN_BUFFER_BYTES);
        memset(vulkan.bytes + OUTPUTS_AT, 0x11, (size_t)MOST * PART_BYTES);
        const uint32_t dispatches = interposer.calls[INTERPOSED_CmdDispatch];
        const uint32_t barriers = interposer.calls[INTERPOSED_CmdPipelineBarrier];
        VkCommandBuffer commands = vulkan_begin(&vulkan);
        assert_int_equal(vkdmlRecordDispatch(device, commands, compiled, table), VKDML_SUCCESS);
        cost.dispatches = interposer.calls[INTERPOSED_CmdDispatch] - dispatches;
        cost.barriers = interposer.calls[INTERPOSED_CmdPipelineBarrier] - barriers;
        vulkan_run(&vulkan);
        assert_memory_equal(vulkan.bytes + OUTPUTS_AT, expected, (size_t)MOST * PART_BYTES);
    }
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    return cost;
}

static void execute_reference(unsigned char *expected) {
    VkdmlHostBinding inputs[MOST], outputs[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        inputs[i] = (VkdmlHostBinding){input_bytes[i] > 0 ? vulkan.bytes + (size_t)PART_BYTES * i : NULL,
                                       (size_t)input_bytes[i]};
        outputs[i] = (VkdmlHostBinding){expected + (size_t)PART_BYTES * i, (size_t)output_bytes[i]};
    }
    assert_int_equal(graph_reference(&graph, inputs, outputs), VKDML_SUCCESS);
}

struct cost agree(void) {
    static unsigned char expected[MOST * PART_BYTES];
    for (uint32_t i = 0; i < MOST * PART_BYTES / 4; i++) {
        ((float *)vulkan.bytes)[i] = (float)((int32_t)(i * 37 % 1013) - 500) / 8;
    }
    memset(expected, 0x11, sizeof expected);
    execute_reference(expected);
    execute(VKDML_COMPILE_FLAG_NODE_BY_NODE, expected);
    const struct cost cost = execute(0, expected);
    graph_end(&graph);
    return cost;
}

void on_each_device(void (*check)(void)) {
    static const struct {
        VkdmlKernelVariant variant;
        uint32_t offset_alignment;
    } devices[] = {
        {VKDML_KERNEL_VARIANT_PORTABLE, 0}, {VKDML_KERNEL_VARIANT_SERIAL, 0}, {VKDML_KERNEL_VARIANT_PORTABLE, 256}};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
        info.getInstanceProcAddr = interposer_get_instance_proc_addr;
        info.kernelVariant = devices[i].variant;
        interposer.offset_alignment = devices[i].offset_alignment;
        assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
        check();
        vkdmlDestroyDevice(device);
        device = NULL;
    }
}
