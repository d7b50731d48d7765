/* Graphs whose nodes only move elements, or may write over what they read: bits are those of the nodes one by one, and
 * of the reference, whatever was in the temporary memory before. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define MOST       8    /* inputs or outputs of a graph */
#define PART_BYTES 8192 /* .. each of which lies at a multiple of this */
#define OUTPUTS_AT (VULKAN_BUFFER_BYTES / 2)

static struct graph graph;
static uint64_t input_bytes[MOST], output_bytes[MOST];

/* ---- what graphs are made of ---- */

/* Points into itself. strides: NULL for packed. */
struct packed {
    uint32_t sizes[4];
    uint32_t strides[4];
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

static uint32_t node(DML_OPERATOR_TYPE type, const void *operator_desc, const char *name) {
    const DML_OPERATOR_DESC desc = {type, operator_desc};
    VkdmlOperator op;
    assert_int_equal(vkdmlCreateOperator(device, &desc, &op), VKDML_SUCCESS);
    return graph_operator(&graph, op, name);
}

static uint32_t relu(const uint32_t sizes[4]) {
    struct packed in, out;
    const DML_ACTIVATION_RELU_OPERATOR_DESC desc = {packed(&in, sizes), packed(&out, sizes)};
    return node(DML_OPERATOR_ACTIVATION_RELU, &desc, "relu");
}

static uint32_t add(const uint32_t sizes[4]) {
    struct packed a, b, out;
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC desc = {packed(&a, sizes), packed(&b, sizes), packed(&out, sizes)};
    return node(DML_OPERATOR_ELEMENT_WISE_ADD, &desc, "add");
}

/* x -> |x - 1|, so that what is read twice or too late shows. */
static uint32_t distance(const uint32_t sizes[4]) {
    struct packed in, out;
    const DML_SCALE_BIAS scale_bias = {1, -1};
    const DML_ELEMENT_WISE_ABS_OPERATOR_DESC desc = {packed(&in, sizes), packed(&out, sizes), &scale_bias};
    return node(DML_OPERATOR_ELEMENT_WISE_ABS, &desc, "distance");
}

static uint32_t identity(const uint32_t sizes[4]) {
    struct packed in, out;
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {packed(&in, sizes), packed(&out, sizes), NULL};
    return node(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, "identity");
}

static uint32_t slice(const uint32_t sizes[4], const uint32_t offsets[4], const uint32_t taken[4]) {
    static const uint32_t strides[4] = {1, 1, 1, 1};
    struct packed in, out;
    const DML_SLICE_OPERATOR_DESC desc = {packed(&in, sizes), packed(&out, taken), 4, offsets, taken, strides};
    return node(DML_OPERATOR_SLICE, &desc, "slice");
}

/* Halves along an axis. */
static uint32_t split(const uint32_t sizes[4], uint32_t axis) {
    struct packed in, halves[2];
    uint32_t half[4];
    memcpy(half, sizes, sizeof half);
    half[axis] /= 2;
    const DML_TENSOR_DESC outputs[2] = {*packed(&halves[0], half), *packed(&halves[1], half)};
    const DML_SPLIT_OPERATOR_DESC desc = {packed(&in, sizes), 2, outputs, axis};
    return node(DML_OPERATOR_SPLIT, &desc, "split");
}

static uint32_t join(const uint32_t (*parts)[4], uint32_t count, uint32_t axis) {
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
    return node(DML_OPERATOR_JOIN, &desc, "join");
}

static void begin(uint32_t inputs, uint32_t outputs) {
    graph_begin(&graph, inputs, outputs);
    memset(input_bytes, 0, sizeof input_bytes);
    memset(output_bytes, 0, sizeof output_bytes);
}

static uint64_t bytes_of(const uint32_t sizes[4]) {
    return UINT64_C(4) * sizes[0] * sizes[1] * sizes[2] * sizes[3];
}

static void input(uint32_t index, uint32_t to, uint32_t to_input, const uint32_t sizes[4]) {
    graph_input(&graph, index, to, to_input);
    input_bytes[index] = bytes_of(sizes);
}

static void output(uint32_t from, uint32_t from_output, uint32_t index, const uint32_t sizes[4]) {
    graph_output(&graph, from, from_output, index);
    output_bytes[index] = bytes_of(sizes);
}

/* ---- how they are executed ---- */

struct cost {
    uint32_t dispatches;
    uint32_t barriers;
    uint64_t temporary_bytes;
};

static VkdmlBindingTable bind(VkdmlDispatchable compiled, uint64_t temporary_bytes) {
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    const VkdmlBufferBinding temporary = other_range(0, temporary_bytes);
    VkdmlBufferBinding inputs[MOST], outputs[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        inputs[i] = input_bytes[i] > 0 ? range((VkDeviceSize)PART_BYTES * i, input_bytes[i]) : nothing;
        outputs[i] = range(OUTPUTS_AT + (VkDeviceSize)PART_BYTES * i, output_bytes[i]);
    }
    assert_int_equal(vkdmlBindInputs(table, graph.desc.InputCount, inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, graph.desc.OutputCount, outputs), VKDML_SUCCESS);
    if (temporary_bytes > 0) {
        assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
    }
    return table;
}

/* Executes the graph over two fillings of its temporary memory; outputs are what is expected. */
static struct cost execute(VkdmlCompileFlags flags, const unsigned char *expected) {
    static const int fillings[] = {0xFF, 0x5A};
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = flags};
    VkdmlDispatchable compiled;
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, &info, &compiled), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    VkdmlBindingTable table = bind(compiled, properties.temporaryResourceSize);
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
    const VkdmlReferenceGraphInfo info = {.structSize = sizeof info,
                                          .desc = &graph.desc,
                                          .inputCount = graph.desc.InputCount,
                                          .inputs = inputs,
                                          .outputCount = graph.desc.OutputCount,
                                          .outputs = outputs};
    assert_int_equal(vkdmlReferenceExecuteGraph(&info), VKDML_SUCCESS);
}

/* Executes the graph, and its nodes one by one, and ends it. */
static struct cost agree(void) {
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

/* With the kernels of GPUs and of CPUs, and where buffers begin at multiples of 256 alone. */
static void on_each_device(void (*check)(void)) {
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

/* ---- views ---- */

static const uint32_t square[4] = {1, 1, 16, 16}, row[4] = {1, 1, 1, 16}, half_square[4] = {1, 1, 8, 16};

static void check_taken(void) {
    begin(2, 2);
    const uint32_t first = distance(square), halves = split(square, 2),
                   one = slice(square, (uint32_t[4]){0, 0, 5, 0}, row);
    const uint32_t a = distance(half_square), b = add(half_square), c = relu(row), same = identity(half_square);
    input(0, first, 0, square);
    graph_join(&graph, first, 0, halves, 0);
    graph_join(&graph, first, 0, one, 0);
    graph_join(&graph, halves, 0, a, 0);
    graph_join(&graph, halves, 1, same, 0);
    graph_join(&graph, same, 0, b, 0);
    graph_join(&graph, a, 0, b, 1);
    graph_join(&graph, one, 0, c, 0);
    output(b, 0, 0, half_square);
    output(c, 0, 1, row);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 4); /* neither SPLIT, SLICE nor IDENTITY */
    assert_int_equal(cost.barriers, 2);
    assert_int_equal(cost.temporary_bytes, 1024 + 512);
}

static void what_is_taken_out_is_read_where_it_lies(void **state) {
    (void)state;
    on_each_device(check_taken);
}

static void check_put(void) {
    static const uint32_t parts[3][4] = {{1, 1, 8, 16}, {1, 1, 1, 16}, {1, 1, 3, 16}};
    static const uint32_t whole[4] = {1, 1, 12, 16};
    begin(1, 1);
    const uint32_t a = distance(parts[0]), b = slice(parts[0], (uint32_t[4]){0, 0, 3, 0}, parts[1]);
    const uint32_t c = slice(parts[0], (uint32_t[4]){0, 0, 2, 0}, parts[2]);
    const uint32_t b1 = distance(parts[1]), c1 = distance(parts[2]), all = join(parts, 3, 2), last = relu(whole);
    input(0, a, 0, parts[0]);
    graph_join(&graph, a, 0, b, 0);
    graph_join(&graph, a, 0, c, 0);
    graph_join(&graph, b, 0, b1, 0);
    graph_join(&graph, c, 0, c1, 0);
    graph_join(&graph, a, 0, all, 0);
    graph_join(&graph, b1, 0, all, 1);
    graph_join(&graph, c1, 0, all, 2);
    graph_join(&graph, all, 0, last, 0);
    output(last, 0, 0, whole);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 4);
    assert_int_equal(cost.barriers, 2);
    assert_int_equal(cost.temporary_bytes, 768);
}

static void what_is_joined_is_written_where_it_is_to_lie(void **state) {
    (void)state;
    on_each_device(check_put);
}

static void check_outputs(void) {
    static const uint32_t parts[2][4] = {{1, 1, 8, 16}, {1, 1, 8, 16}};
    begin(2, 3);
    const uint32_t a = distance(parts[0]), b = relu(parts[1]), all = join(parts, 2, 2),
                   back = slice(square, (uint32_t[4]){0, 0, 4, 0}, half_square);
    const uint32_t c = distance(square), same = identity(square), d = distance(half_square);
    input(0, a, 0, parts[0]);
    input(1, b, 0, parts[1]);
    graph_join(&graph, a, 0, all, 0);
    graph_join(&graph, b, 0, all, 1);
    graph_join(&graph, all, 0, back, 0);
    graph_join(&graph, back, 0, d, 0);
    graph_join(&graph, all, 0, c, 0);
    graph_join(&graph, c, 0, same, 0);
    output(all, 0, 0, square);
    output(same, 0, 1, square);
    output(d, 0, 2, half_square);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 4);
    assert_int_equal(cost.temporary_bytes, 0); /* all lies in outputs */
}

static void outputs_are_written_in_parts_and_read_back(void **state) {
    (void)state;
    on_each_device(check_outputs);
}

/* What must be copied after all: an input of the graph, a value that is put twice, columns, what begins at 8 bytes, and
 * what is an output itself. */
static void check_copied(void) {
    static const uint32_t parts[4][4] = {{1, 1, 8, 16}, {1, 1, 8, 16}, {1, 1, 8, 16}, {1, 1, 8, 16}};
    static const uint32_t whole[4] = {1, 1, 32, 16}, pair[4] = {1, 1, 1, 2}, column[4] = {1, 1, 16, 8};
    begin(2, 4);
    const uint32_t a = distance(parts[0]), b = relu(parts[1]), all = join(parts, 4, 2), last = relu(whole);
    const uint32_t odd = slice(half_square, (uint32_t[4]){0, 0, 0, 2}, pair), odd_last = relu(pair);
    const uint32_t part = slice(whole, (uint32_t[4]){0, 0, 16, 0}, square);
    const uint32_t wide = distance(square), columns = split(square, 3), sum = add(column);
    input(0, a, 0, parts[0]);
    input(1, b, 0, parts[1]);
    graph_join(&graph, a, 0, all, 0);
    input(1, all, 1, parts[1]);
    graph_join(&graph, b, 0, all, 2);
    graph_join(&graph, b, 0, all, 3);
    graph_join(&graph, all, 0, last, 0);
    graph_join(&graph, a, 0, odd, 0);
    graph_join(&graph, odd, 0, odd_last, 0);
    graph_join(&graph, last, 0, part, 0);
    graph_join(&graph, part, 0, wide, 0);
    graph_join(&graph, wide, 0, columns, 0);
    graph_join(&graph, columns, 0, sum, 0);
    graph_join(&graph, columns, 1, sum, 1);
    output(last, 0, 0, whole);
    output(odd_last, 0, 1, pair);
    output(sum, 0, 2, column);
    output(a, 0, 3, parts[0]);
    agree();
}

static void what_lies_otherwise_is_copied(void **state) {
    (void)state;
    on_each_device(check_copied);
}

/* A block of DenseNet: each layer reads all before it, joined. */
static void check_dense(void) {
    uint32_t parts[2][4] = {{1, 4, 8, 8}, {1, 4, 8, 8}}, sizes[4] = {1, 4, 8, 8};
    static const uint32_t begun[4] = {1, 4, 8, 8};
    begin(1, 1);
    uint32_t before = distance(begun);
    input(0, before, 0, begun);
    for (uint32_t layer = 0; layer < 5; layer++) {
        const uint32_t reads = distance(sizes), taken = slice(sizes, (uint32_t[4]){0, layer, 0, 0}, begun);
        const uint32_t grown = relu(begun), all = join((const uint32_t(*)[4])parts, 2, 1);
        graph_join(&graph, before, 0, reads, 0);
        graph_join(&graph, reads, 0, taken, 0);
        graph_join(&graph, taken, 0, grown, 0);
        graph_join(&graph, before, 0, all, 0);
        graph_join(&graph, grown, 0, all, 1);
        sizes[1] += 4;
        parts[0][1] = sizes[1];
        before = all;
    }
    const uint32_t last = relu(sizes);
    graph_join(&graph, before, 0, last, 0);
    output(last, 0, 0, sizes);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 12);
    /* The whole and the last layer's two maps. */
    assert_int_equal(cost.temporary_bytes, 24 * 256 + 20 * 256);
}

static void joins_of_joins_are_one_buffer(void **state) {
    (void)state;
    on_each_device(check_dense);
}

/* ---- in place ---- */

/* Where another reads the input, in the same level or later, or the same node twice, nothing is written over it. */
static void check_overwritten(void) {
    begin(1, 2);
    const uint32_t a = distance(square), b = distance(square), c = distance(square), sum = add(square);
    const uint32_t twice = add(square), d = distance(square), e = distance(square), last = add(square);
    input(0, a, 0, square);
    graph_join(&graph, a, 0, b, 0);
    graph_join(&graph, b, 0, c, 0);
    graph_join(&graph, a, 0, sum, 0);
    graph_join(&graph, c, 0, sum, 1);
    graph_join(&graph, sum, 0, twice, 0);
    graph_join(&graph, sum, 0, twice, 1);
    graph_join(&graph, twice, 0, d, 0);
    graph_join(&graph, twice, 0, e, 0);
    graph_join(&graph, d, 0, last, 0);
    graph_join(&graph, e, 0, last, 1);
    output(last, 0, 0, square);
    output(c, 0, 1, square);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 8);
    assert_int_equal(cost.temporary_bytes, 3 * 1024);
}

static void maps_write_over_what_is_read_last(void **state) {
    (void)state;
    on_each_device(check_overwritten);
}

/* ---- barriers ---- */

static void chains(uint32_t width, uint32_t depth) {
    static const uint32_t sizes[4] = {1, 1, 1, 64};
    begin(1, width);
    for (uint32_t w = 0; w < width; w++) {
        uint32_t before = 0;
        for (uint32_t d = 0; d < depth; d++) {
            const uint32_t n = distance(sizes);
            if (d == 0) {
                input(0, n, 0, sizes);
            } else {
                graph_join(&graph, before, 0, n, 0);
            }
            before = n;
        }
        output(before, 0, w, sizes);
    }
}

static void check_barriers(void) {
    for (uint32_t width = 1; width <= MOST; width += 3) {
        for (uint32_t depth = 1; depth <= 7; depth += 3) {
            chains(width, depth);
            const struct cost cost = agree();
            assert_int_equal(cost.dispatches, width * depth);
            assert_int_equal(cost.barriers, depth - 1);
        }
    }
}

static void chains_side_by_side_share_their_barriers(void **state) {
    (void)state;
    on_each_device(check_barriers);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_without_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_is_taken_out_is_read_where_it_lies),
        TEST(what_is_joined_is_written_where_it_is_to_lie),
        TEST(outputs_are_written_in_parts_and_read_back),
        TEST(what_lies_otherwise_is_copied),
        TEST(joins_of_joins_are_one_buffer),
        TEST(maps_write_over_what_is_read_last),
        TEST(chains_side_by_side_share_their_barriers),
    };
    return cmocka_run_group_tests_name("graph views", tests, set_up_vulkan, tear_down_vulkan);
}
