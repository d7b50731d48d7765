/* Copies and padding that graphs do without: what is made, and what is not and why; and that results keep their bits.
 * On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fusion_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define F16 DML_TENSOR_DATA_TYPE_FLOAT16

/* ---- copies ---- */

static void copies_between_equal_layouts_are_erased(void **state) {
    (void)state;
    begin(3, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
    const uint32_t first = identity_node(tensor, tensor, NULL), gemm = gemm_node(F32, NULL, 1);
    const uint32_t second = cast_node(tensor, tensor), add = add_node(tensor, tensor, tensor);
    graph_input(&graph, 2, first, 0);
    graph_join(&graph, gemm, 0, second, 0);
    graph_join(&graph, first, 0, add, 0);
    graph_join(&graph, second, 0, add, 1);
    graph_output(&graph, add, 0, 0);
    assert_nodes(1, "Nodes[0] (identity) is erased"); /* what is left is a GEMM and its C */
    agree(F32);
}

static void copies_of_inputs_to_outputs_stay(void **state) {
    (void)state;
    begin(1, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
    const uint32_t identity = identity_node(tensor, tensor, NULL);
    graph_input(&graph, 0, identity, 0);
    graph_output(&graph, identity, 0, 0);
    assert_nodes(1, "Nodes[0] (identity) is not erased: an output of the graph would be an input");
    agree(F32);
}

static void copies_of_what_is_computed_once_stay(void **state) {
    (void)state;
    begin(1, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
    const uint32_t relu = relu_node(owned(tensor_of(F32, MADE_OF_GEMM, NULL)), tensor);
    const uint32_t identity = identity_node(tensor, tensor, NULL);
    graph_input(&graph, 0, relu, 0);
    graph_join(&graph, relu, 0, identity, 0);
    graph_output(&graph, identity, 0, 0);
    assert_nodes(2, "Nodes[1] (identity) is not erased: what it copies is computed once");
    agree(F32);
}

static void copies_that_move_elements_stay(void **state) {
    (void)state;
    begin(1, 1);
    const DML_TENSOR_DESC *turned = STRIDED(F32, MADE_OF_GEMM, SIZES(0, 0, 1, ROWS));
    const uint32_t identity = identity_node(turned, tensor_of(F32, MADE_OF_GEMM, NULL), NULL);
    const uint32_t relu = relu_node(tensor_of(F32, MADE_OF_GEMM, NULL), tensor_of(F32, MADE_OF_GEMM, NULL));
    graph_input(&graph, 0, identity, 0);
    graph_join(&graph, identity, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, NULL);
    agree(F32);
}

static void transposes_there_and_back_are_erased(void **state) {
    (void)state;
    for (uint32_t is_other = 0; is_other < 2; is_other++) {
        begin(1, 1);
        const uint32_t there =
            identity_node(STRIDED(F32, SIZES(1, 4, 5, 6), SIZES(120, 1, 24, 4)), TENSOR(F32, 1, 4, 5, 6), NULL);
        const uint32_t back = identity_node(
            STRIDED(F32, SIZES(1, 5, 6, 4), SIZES(120, 6, 1, 30)),
            is_other ? STRIDED(F32, SIZES(1, 5, 6, 4), SIZES(120, 1, 20, 5)) : TENSOR(F32, 1, 5, 6, 4), NULL);
        const uint32_t relu = relu_node(TENSOR(F32, 1, 5, 6, 4), TENSOR(F32, 1, 5, 6, 4));
        graph_input(&graph, 0, there, 0);
        graph_join(&graph, there, 0, back, 0);
        graph_join(&graph, back, 0, relu, 0);
        graph_output(&graph, relu, 0, 0);
        assert_nodes(is_other ? 3 : 1, is_other ? NULL : "Nodes[1] (identity) is erased");
        agree(F32);
    }
}

/* What RELU makes is cast there and back. */
static void begin_casts(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE between, bool behind_relu) {
    begin(1, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_GEMM, NULL);
    const DML_TENSOR_DESC *other = tensor_of(between, MADE_OF_GEMM, NULL);
    const uint32_t there = cast_node(tensor, other), back = cast_node(other, tensor);
    const uint32_t relu = relu_node(tensor, tensor), last = relu_node(tensor, tensor);
    graph_input(&graph, 0, behind_relu ? relu : there, 0);
    if (behind_relu) {
        graph_join(&graph, relu, 0, there, 0);
    } else {
        graph_join(&graph, back, 0, relu, 0);
    }
    graph_join(&graph, there, 0, back, 0);
    graph_join(&graph, behind_relu ? back : relu, 0, last, 0);
    graph_output(&graph, last, 0, 0);
}

static void casts_that_lose_nothing_are_erased(void **state) {
    (void)state;
    begin_casts(F16, F32, true);
    assert_nodes(2, "Nodes[1] (cast) is erased");
    agree(F16);
    begin_casts(F32, F16, true);
    assert_nodes(4, "casts there and back may change elements");
    agree(F32);
    begin_casts(F16, F32, false); /* NaNs of the caller's */
    assert_nodes(4, "casts there and back may change elements");
    agree(F16);
    begin_casts(DML_TENSOR_DATA_TYPE_INT16, DML_TENSOR_DATA_TYPE_INT64, false);
    assert_nodes(2, "Nodes[1] (cast) is erased");
    agree(F16);
    begin_casts(DML_TENSOR_DATA_TYPE_INT32, F32, false);
    assert_nodes(4, "casts there and back may change elements");
    agree(F32);
}

/* ---- padding ---- */

struct padded {
    float value;
    DML_PADDING_MODE mode;
    uint32_t channels;       /* before the first */
    bool is_newer;           /* PADDING1; its value is 1, or -0 */
    const uint32_t *strides; /* of what it makes; NULL: packed */
    bool removes;            /* the first row, and adds another one behind */
};

static uint32_t padding_node(DML_TENSOR_DATA_TYPE type, const struct padded *padded, const uint32_t *from,
                             const uint32_t *to) {
    const uint32_t start[] = {0, padded->channels, padded->removes ? UINT32_MAX : 1, 1};
    const uint32_t end[] = {0, 0, padded->removes ? 3 : 1, 1};
    const DML_TENSOR_DESC *input = tensor_of(type, from, NULL), *output = tensor_of(type, to, padded->strides);
    const DML_PADDING_OPERATOR_DESC desc = {input, output, padded->mode, padded->value, 4, start, end};
    DML_PADDING1_OPERATOR_DESC newer = {input, output, padded->mode, type, {.UInt16 = 0x8000}, 4, start, end};
    if (type == F32) {
        newer.PaddingValue.Float32 = -0.0f;
    }
    if (padded->value != 0) {
        newer.PaddingValue = type == F32 ? (DML_SCALAR_UNION){.Float32 = 1} : (DML_SCALAR_UNION){.UInt16 = 0x3C00};
    }
    const uint32_t padding = padded->is_newer ? node(DML_OPERATOR_PADDING1, &newer, "padding")
                                              : node(DML_OPERATOR_PADDING, &desc, "padding");
    graph_input(&graph, 0, padding, 0);
    return padding;
}

/* 8 by 8 is padded to 10 by 10, and further to 12 by 12 by the convolution. */
static void begin_padded(DML_TENSOR_DATA_TYPE type, const struct padded *padded, DML_CONVOLUTION_DIRECTION direction) {
    const bool is_forward = direction == DML_CONVOLUTION_DIRECTION_FORWARD;
    begin(2, 1);
    const uint32_t lacking = is_forward ? 1 : 2;
    const uint32_t size = is_forward ? 8 : 10;
    const uint32_t convolution = convolution_of(type, direction, lacking);
    const uint32_t padding =
        padding_node(type, padded, SIZES(2, 6 - padded->channels, size - 2, size - 2), SIZES(2, 6, size, size));
    graph_join(&graph, padding, 0, convolution, 0);
    graph_output(&graph, convolution, 0, 0);
}

static void padding_becomes_the_convolutions(void **state) {
    (void)state;
    static const struct padded with_zero = {.value = 0}, with_one = {.value = 1}, of_channels = {.channels = 1},
                               of_edges = {.mode = DML_PADDING_MODE_EDGE};
    static const DML_TENSOR_DATA_TYPE types[] = {F32, F16};
    static const uint32_t channels_last[] = {384, 1, 48, 6};
    static const struct padded newer = {.is_newer = true}, newer_one = {.is_newer = true, .value = 1},
                               of_pixels = {.strides = channels_last};
    for (size_t i = 0; i < 2; i++) {
        begin_padded(types[i], &with_zero, DML_CONVOLUTION_DIRECTION_FORWARD);
        assert_nodes(1, "Nodes[1] (padding) is fused into Nodes[0] (convolution)");
        agree(types[i]);
        begin_padded(types[i], &newer, DML_CONVOLUTION_DIRECTION_FORWARD);
        assert_nodes(1, "Nodes[1] (padding) is fused into Nodes[0] (convolution)");
        agree(types[i]);
        begin_padded(types[i], &newer_one, DML_CONVOLUTION_DIRECTION_FORWARD);
        assert_nodes(2, "it pads by other than 0");
        agree(types[i]);
    }
    begin_padded(F32, &of_pixels, DML_CONVOLUTION_DIRECTION_FORWARD);
    assert_nodes(2, "Nodes[1] (padding) is not fused into Nodes[0] (convolution): types, sizes or strides differ");
    agree(F32);
    begin_padded(F32, &with_one, DML_CONVOLUTION_DIRECTION_FORWARD);
    assert_nodes(2, "Nodes[1] (padding) is not fused into Nodes[0] (convolution): it pads by other than 0");
    agree(F32);
    begin_padded(F32, &of_edges, DML_CONVOLUTION_DIRECTION_FORWARD);
    assert_nodes(2, "it pads by other than 0");
    agree(F32);
    begin_padded(F32, &of_channels, DML_CONVOLUTION_DIRECTION_FORWARD);
    assert_nodes(2, "it pads batches or channels");
    agree(F32);
    begin_padded(F32, &with_zero, DML_CONVOLUTION_DIRECTION_BACKWARD);
    assert_nodes(2, "padding of a backward convolution takes away");
    agree(F32);
    begin_padded(F32, &with_zero, DML_CONVOLUTION_DIRECTION_FORWARD);
    graph.desc.OutputCount = 2;
    graph_output(&graph, 1, 0, 1);
    assert_nodes(2, "its output is an output of the graph");
    agree(F32);
    begin_padded(F32, &with_zero, DML_CONVOLUTION_DIRECTION_FORWARD);
    const uint32_t relu = relu_node(TENSOR(F32, 2, 6, 8, 8), TENSOR(F32, 2, 6, 8, 8));
    graph_join(&graph, 1, 0, relu, 0);
    graph.desc.OutputCount = 2;
    graph_output(&graph, relu, 0, 1);
    assert_nodes(3, "Nodes[1] (padding) is not fused into Nodes[0] (convolution): its output is read 2 times");
    agree(F32);
}

static void padding_becomes_the_poolings(void **state) {
    (void)state;
    static const struct padded with_zero = {.value = 0};
    static const uint32_t window[] = {3, 3};
    for (int32_t included = 0; included < 2; included++) {
        begin(1, 2);
        const DML_TENSOR_DESC *input = TENSOR(F32, 1, 3, 10, 10), *output = TENSOR(F32, 1, 3, 8, 8);
        const DML_AVERAGE_POOLING_OPERATOR_DESC average = {input, output, 2, ones, window, zeros, zeros, included};
        const DML_LP_POOLING_OPERATOR_DESC norm = {input, output, 2, ones, window, zeros, zeros, 2};
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t padding = padding_node(F32, &with_zero, SIZES(1, 3, 8, 8), SIZES(1, 3, 10, 10));
            const uint32_t pooling = i == 0 ? node(DML_OPERATOR_AVERAGE_POOLING, &average, "average")
                                            : node(DML_OPERATOR_LP_POOLING, &norm, "norm");
            graph_join(&graph, padding, 0, pooling, 0);
            graph_output(&graph, pooling, 0, i);
        }
        assert_nodes(included ? 2 : 3,
                     included ? "Nodes[0] (padding) is fused into Nodes[1] (average)" : "IncludePadding is FALSE");
        assert_non_null(strstr(notes_text, "Nodes[2] (padding) is fused into Nodes[3] (norm)"));
        agree(F32);
    }
    static const struct padded removes = {.removes = true};
    begin(1, 1);
    const DML_LP_POOLING_OPERATOR_DESC norm = {
        TENSOR(F32, 1, 3, 10, 10), TENSOR(F32, 1, 3, 8, 8), 2, ones, window, zeros, zeros, 2};
    const uint32_t padding = padding_node(F32, &removes, SIZES(1, 3, 8, 8), SIZES(1, 3, 10, 10));
    const uint32_t pooling = node(DML_OPERATOR_LP_POOLING, &norm, "norm");
    graph_join(&graph, padding, 0, pooling, 0);
    graph_output(&graph, pooling, 0, 0);
    assert_nodes(2, "it pads batches or channels, or too much");
    agree(F32);
}

/* A network's block: padding, convolution, bias, sum, activation, and a copy. */
static void a_block_becomes_two_nodes(void **state) {
    (void)state;
    static const struct padded with_zero = {.value = 0};
    begin_padded(F32, &with_zero, DML_CONVOLUTION_DIRECTION_FORWARD);
    graph.desc.OutputEdgeCount = 0;
    graph.desc.InputCount = 4;
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_OTHER, NULL);
    const uint32_t bias = add_node(tensor, STRIDED(F32, MADE_OF_OTHER, SIZES(0, 1, 0, 0)), tensor);
    const uint32_t residual = add_node(tensor, tensor, tensor), copy = identity_node(tensor, tensor, NULL);
    const uint32_t relu = relu_node(tensor, tensor);
    graph_join(&graph, 0, 0, bias, 0);
    graph_input(&graph, 2, bias, 1);
    graph_join(&graph, bias, 0, residual, 1);
    graph_input(&graph, 3, residual, 0);
    graph_join(&graph, residual, 0, copy, 0);
    graph_join(&graph, copy, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, "Nodes[5] (activation) is fused into Nodes[3] (add)");
    agree(F32);
}

static void nothing_leaks_where_memory_ends(void **state) {
    (void)state;
    begin_padded(F32, &(struct padded){.value = 0}, DML_CONVOLUTION_DIRECTION_FORWARD);
    VkdmlDispatchable compiled;
    VkdmlResult result = VKDML_ERROR_OUT_OF_HOST_MEMORY;
    for (int fails = 1; result != VKDML_SUCCESS; fails++) {
        atomic_store(&allocations.made, 0);
        atomic_store(&allocations.fails, fails);
        result = vkdmlCompileGraph(device, &graph.desc, NULL, &compiled);
        atomic_store(&allocations.fails, 0);
        if (result != VKDML_SUCCESS) {
            assert_int_equal(result, VKDML_ERROR_OUT_OF_HOST_MEMORY);
            assert_null(compiled);
        }
    }
    vkdmlDestroyDispatchable(compiled);
    graph_end(&graph);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(copies_between_equal_layouts_are_erased),
        TEST(copies_of_inputs_to_outputs_stay),
        TEST(copies_of_what_is_computed_once_stay),
        TEST(copies_that_move_elements_stay),
        TEST(transposes_there_and_back_are_erased),
        TEST(casts_that_lose_nothing_are_erased),
        TEST(padding_becomes_the_convolutions),
        TEST(padding_becomes_the_poolings),
        TEST(a_block_becomes_two_nodes),
        TEST(nothing_leaks_where_memory_ends),
    };
    return cmocka_run_group_tests_name("graph_copies", tests, set_up_vulkan, tear_down_vulkan);
}
