/* Maps that operators do behind their own work: what is joined, what is not and why, and that results are those of the
 * nodes one by one, bit for bit. On the machine's first Vulkan device, of the kernels' variant that
 * VKDML_KERNEL_VARIANT names. */
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

static const DML_TENSOR_DATA_TYPE types[] = {F32, F16};

/* ---- what is before the maps: of inputs 0, 1 and 2 ---- */

static uint32_t plain_gemm(DML_TENSOR_DATA_TYPE type) {
    return gemm_node(type, NULL, 1);
}

static uint32_t gemm_with_c(DML_TENSOR_DATA_TYPE type) {
    const uint32_t gemm = gemm_node(type, STRIDED(type, MADE_OF_GEMM, SIZES(0, 0, 0, 1)), 0.75f);
    graph_input(&graph, 2, gemm, 2);
    return gemm;
}

/* So long that shares of sums are joined. */
static uint32_t long_gemm(DML_TENSOR_DATA_TYPE type) {
    const DML_GEMM_OPERATOR_DESC desc = {
        TENSOR(type, 1, 1, 2, 900), TENSOR(type, 1, 1, 900, 2), NULL, TENSOR(type, 1, 1, 2, 2), 0, 0, 1, 0, NULL};
    const uint32_t gemm = node(DML_OPERATOR_GEMM, &desc, "gemm");
    graph_input(&graph, 0, gemm, 0);
    graph_input(&graph, 1, gemm, 1);
    return gemm;
}

/* Of 4 batches of a matrix with few columns, or rows. */
static uint32_t batched_gemm(DML_TENSOR_DATA_TYPE type) {
    const DML_GEMM_OPERATOR_DESC desc = {
        TENSOR(type, 2, 2, 5, 70), TENSOR(type, 2, 2, 70, 3), NULL, TENSOR(type, 2, 2, 5, 3), 0, 0, 1, 0, NULL};
    const uint32_t gemm = node(DML_OPERATOR_GEMM, &desc, "gemm");
    graph_input(&graph, 0, gemm, 0);
    graph_input(&graph, 1, gemm, 1);
    return gemm;
}

static uint32_t convolve(DML_TENSOR_DATA_TYPE type, uint32_t groups, uint32_t filter, uint32_t stride,
                         const DML_TENSOR_DESC *output, bool has_bias, bool is_backward) {
    const uint32_t strides[2] = {stride, stride};
    const uint32_t channels = is_backward ? 6 : 6 / groups, size = is_backward ? 4 : 8;
    const DML_CONVOLUTION_OPERATOR_DESC desc = {TENSOR(type, 2, 6, size, size),
                                                TENSOR(type, 6, channels, filter, filter),
                                                has_bias ? TENSOR(type, 1, 6, 1, 1) : NULL,
                                                output,
                                                DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                is_backward ? DML_CONVOLUTION_DIRECTION_BACKWARD
                                                            : DML_CONVOLUTION_DIRECTION_FORWARD,
                                                2,
                                                strides,
                                                ones,
                                                zeros,
                                                zeros,
                                                zeros,
                                                groups,
                                                NULL};
    const uint32_t convolution = node(DML_OPERATOR_CONVOLUTION, &desc, "convolution");
    graph_input(&graph, 0, convolution, 0);
    graph_input(&graph, 1, convolution, 1);
    if (has_bias) {
        graph_input(&graph, 2, convolution, 2);
    }
    return convolution;
}

static uint32_t convolution_3x3(DML_TENSOR_DATA_TYPE type) {
    return convolve(type, 1, 3, 1, TENSOR(type, 2, 6, 6, 6), true, false);
}

static uint32_t convolution_1x1(DML_TENSOR_DATA_TYPE type) {
    return convolve(type, 1, 1, 1, TENSOR(type, 2, 6, 8, 8), false, false);
}

static uint32_t convolution_in_groups(DML_TENSOR_DATA_TYPE type) {
    return convolve(type, 2, 3, 2, TENSOR(type, 2, 6, 3, 3), true, false);
}

static uint32_t convolution_by_channel(DML_TENSOR_DATA_TYPE type) {
    return convolve(type, 6, 3, 1, TENSOR(type, 2, 6, 6, 6), false, false);
}

static uint32_t pointwise_by_channel(DML_TENSOR_DATA_TYPE type) {
    return convolve(type, 6, 1, 1, TENSOR(type, 2, 6, 8, 8), true, false);
}

/* In four parts, between which strides lead. */
static uint32_t backward_convolution(DML_TENSOR_DATA_TYPE type) {
    return convolve(type, 1, 2, 2, TENSOR(type, 2, 6, 8, 8), false, true);
}

static uint32_t pool_of(DML_TENSOR_DATA_TYPE type, bool is_average, uint32_t size, const DML_TENSOR_DESC *output) {
    const uint32_t window[2] = {size, size}, strides[2] = {2, 2};
    const DML_AVERAGE_POOLING_OPERATOR_DESC average = {
        TENSOR(type, 2, 6, 8, 8), output, 2, strides, window, zeros, zeros, 0};
    const DML_MAX_POOLING_OPERATOR_DESC maximum = {TENSOR(type, 2, 6, 8, 8), output, 2, strides, window, zeros, zeros};
    const uint32_t pool = is_average ? node(DML_OPERATOR_AVERAGE_POOLING, &average, "pool")
                                     : node(DML_OPERATOR_MAX_POOLING, &maximum, "pool");
    graph_input(&graph, 0, pool, 0);
    return pool;
}

static uint32_t average_pool(DML_TENSOR_DATA_TYPE type) {
    return pool_of(type, true, 2, TENSOR(type, 2, 6, 4, 4));
}

static uint32_t maximum_pool(DML_TENSOR_DATA_TYPE type) {
    return pool_of(type, false, 3, TENSOR(type, 2, 6, 3, 3));
}

static uint32_t global_pool(DML_TENSOR_DATA_TYPE type) {
    return pool_of(type, true, 8, TENSOR(type, 2, 6, 1, 1));
}

static uint32_t sum_of_rows(DML_TENSOR_DATA_TYPE type) {
    static const uint32_t axes[] = {3};
    const DML_REDUCE_OPERATOR_DESC desc = {DML_REDUCE_FUNCTION_SUM, TENSOR(type, 2, 6, 8, 8), TENSOR(type, 2, 6, 8, 1),
                                           1, axes};
    const uint32_t reduce = node(DML_OPERATOR_REDUCE, &desc, "reduce");
    graph_input(&graph, 0, reduce, 0);
    return reduce;
}

static const struct producer {
    uint32_t (*add)(DML_TENSOR_DATA_TYPE type);
    uint32_t sizes[4];
    bool has_fifth_buffer; /* for an operand */
} producers[] = {
    {plain_gemm, {1, 1, ROWS, COLUMNS}, true},
    {gemm_with_c, {1, 1, ROWS, COLUMNS}, true},
    {long_gemm, {1, 1, 2, 2}, true},
    {batched_gemm, {2, 2, 5, 3}, true},
    {convolution_3x3, {2, 6, 6, 6}, true},
    {convolution_1x1, {2, 6, 8, 8}, true},
    {convolution_in_groups, {2, 6, 3, 3}, true},
    {convolution_by_channel, {2, 6, 6, 6}, true},
    {pointwise_by_channel, {2, 6, 8, 8}, true},
    {backward_convolution, {2, 6, 8, 8}, true},
    {average_pool, {2, 6, 4, 4}, false},
    {maximum_pool, {2, 6, 3, 3}, false},
    {global_pool, {2, 6, 1, 1}, false},
    {sum_of_rows, {2, 6, 8, 1}, false},
};

#define PRODUCERS (sizeof producers / sizeof producers[0])

/* Whether the device binds so few that operands find no place behind products. */
static bool has_four_buffers(void) {
    return count_storage_buffers() <= 4;
}

/* One node is left, or of those maps one more. */
static void assert_joined(const struct producer *producer) {
    const uint32_t left = fuse_all(DML_EXECUTION_FLAG_NONE, UINT32_MAX);
    assert_true(left == 1 || (left == 2 && producer->has_fifth_buffer && has_four_buffers()));
}

/* ---- maps ---- */

/* Sums, differences and products of what a node makes and input 3, which is read by those strides; the fused activation
 * is in ADD1's field. */
static uint32_t operate(const struct producer *producer, DML_TENSOR_DATA_TYPE type, DML_OPERATOR_TYPE operator_type,
                        const uint32_t *strides, uint32_t from, uint32_t place) {
    static const DML_ACTIVATION_RELU_OPERATOR_DESC relu;
    static const DML_OPERATOR_DESC fused = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    const DML_TENSOR_DESC *own = tensor_of(type, producer->sizes, NULL);
    const DML_TENSOR_DESC *other = tensor_of(type, producer->sizes, strides);
    /* of the same fields as SUBTRACT and MULTIPLY */
    const DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc = {place == 0 ? own : other, place == 0 ? other : own, own, &fused};
    const uint32_t made = node(operator_type, &desc, "map");
    graph_join(&graph, from, 0, made, place);
    graph_input(&graph, 3, made, 1 - place);
    return made;
}

static uint32_t apply(const struct producer *producer, DML_TENSOR_DATA_TYPE type, DML_OPERATOR_TYPE function,
                      uint32_t from) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, producer->sizes, NULL);
    const uint32_t made = activation_node(function, tensor, tensor);
    graph_join(&graph, from, 0, made, 0);
    return made;
}

static const uint32_t strides_of[][4] = {{0, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}};

/* As they lie in the output, by channel, all one, by column. */
#define LAYOUTS 4
static const uint32_t *layout(uint32_t number) {
    return number == 0 ? NULL : strides_of[number - 1];
}

static void residuals_are_joined(void **state) {
    (void)state;
    static const DML_OPERATOR_TYPE operators[] = {DML_OPERATOR_ELEMENT_WISE_ADD1, DML_OPERATOR_ELEMENT_WISE_SUBTRACT,
                                                  DML_OPERATOR_ELEMENT_WISE_MULTIPLY};
    for (size_t i = 0; i < 2 * PRODUCERS; i++) {
        const struct producer *producer = &producers[i % PRODUCERS];
        const DML_TENSOR_DATA_TYPE type = types[i / PRODUCERS];
        const size_t number = i + i / PRODUCERS; /* types have other layouts and operators each */
        const DML_OPERATOR_TYPE operator_type = operators[number % 3];
        const bool is_second = operator_type != DML_OPERATOR_ELEMENT_WISE_SUBTRACT && number % 2 == 1;
        begin(4, 1);
        const uint32_t from = producer->add(type);
        graph_output(&graph, operate(producer, type, operator_type, layout(number % LAYOUTS), from, is_second), 0, 0);
        assert_joined(producer);
        agree(type);
    }
}

/* A sum, and the function behind it: RELU goes into ADD1's field, the other is a step of its own. */
static void functions_are_joined_behind_sums(void **state) {
    (void)state;
    for (size_t i = 0; i < PRODUCERS; i++) {
        const struct producer *producer = &producers[i];
        const DML_TENSOR_DATA_TYPE type = types[i % 2];
        begin(4, 1);
        const uint32_t from = producer->add(type);
        const uint32_t sum = operate(producer, type, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, NULL, from, 0);
        graph_output(&graph, apply(producer, type, DML_OPERATOR_ACTIVATION_GELU, sum), 0, 0);
        assert_joined(producer);
        agree(type);
    }
}

/* Alone: of FLOAT16, which is rounded before it, and of pools and sums, which have no field for one. */
static void functions_are_joined(void **state) {
    (void)state;
    for (size_t i = 0; i < PRODUCERS; i++) {
        const struct producer *producer = &producers[i];
        const DML_TENSOR_DATA_TYPE type = types[i % 2];
        begin(4, 1);
        const uint32_t from = producer->add(type);
        graph_output(&graph, apply(producer, type, DML_OPERATOR_ACTIVATION_SIGMOID, from), 0, 0);
        assert_joined(producer);
        agree(type);
    }
}

/* What there is where a dispatch may have five buffers: with four the bits alone tell. */
static void assert_nodes_of_five(uint32_t expected, const char *note) {
    if (!has_four_buffers()) {
        assert_all_nodes(expected, note);
    }
}

/* A fused activation comes before the sum. */
static void sums_are_joined_behind_activations(void **state) {
    (void)state;
    const struct producer *producer = &producers[0];
    begin(4, 1);
    const uint32_t activated = apply(producer, F32, DML_OPERATOR_ACTIVATION_TANH, producer->add(F32));
    const uint32_t sum = operate(producer, F32, DML_OPERATOR_ELEMENT_WISE_ADD, NULL, activated, 0);
    graph_output(&graph, sum, 0, 0);
    assert_nodes_of_five(1, "Nodes[2] (map) is fused into Nodes[0] (gemm)");
    agree(F32);
    begin(4, 1);
    const uint32_t before = apply(producer, F32, DML_OPERATOR_ACTIVATION_TANH, producer->add(F32));
    graph_output(&graph, operate(producer, F32, DML_OPERATOR_ELEMENT_WISE_ADD1, NULL, before, 0), 0, 0);
    assert_nodes_of_five(2, "its kernels take no such epilogue"); /* of a second function */
    agree(F32);
}

/* The first, where none waits for another. */
static void one_of_two_takes_the_sum(void **state) {
    (void)state;
    const struct producer *producer = &producers[5];
    begin(4, 1);
    const uint32_t a = convolution_1x1(F32), b = convolution_1x1(F32);
    const uint32_t add = add_node(tensor_of(F32, producer->sizes, NULL), tensor_of(F32, producer->sizes, NULL),
                                  tensor_of(F32, producer->sizes, NULL));
    graph_join(&graph, a, 0, add, 0);
    graph_join(&graph, b, 0, add, 1);
    graph_output(&graph, add, 0, 0);
    assert_nodes_of_five(2, "Nodes[2] (add) is fused into Nodes[0] (convolution)");
    agree(F32);
}

static void what_others_need_stays(void **state) {
    (void)state;
    const struct producer *producer = &producers[5];
    begin(4, 2);
    const uint32_t a = convolution_1x1(F32);
    graph_output(&graph, operate(producer, F32, DML_OPERATOR_ELEMENT_WISE_ADD, NULL, a, 0), 0, 0);
    graph_output(&graph, a, 0, 1);
    assert_all_nodes(2, "Nodes[1] (map) is not fused into Nodes[0] (convolution): its input is an output of the graph");
    agree(F32);
    begin(4, 2);
    const uint32_t b = convolution_1x1(F32);
    graph_output(&graph, operate(producer, F32, DML_OPERATOR_ELEMENT_WISE_ADD, NULL, b, 0), 0, 0);
    graph_output(&graph, operate(producer, F32, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, NULL, b, 1), 0, 1);
    assert_all_nodes(3, "its input is read 2 times");
    agree(F32);
}

static void other_maps_stay(void **state) {
    (void)state;
    const struct producer *producer = &producers[0];
    begin(4, 1);
    graph_output(&graph, operate(producer, F32, DML_OPERATOR_ELEMENT_WISE_DIVIDE, NULL, plain_gemm(F32), 0), 0, 0);
    assert_nodes_of_five(2, "it is no sum, product or function of one type");
    agree(F32);
    begin(4, 1);
    const uint32_t sum = operate(producer, F32, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, NULL, plain_gemm(F32), 0);
    graph_output(&graph, operate(producer, F32, DML_OPERATOR_ELEMENT_WISE_ADD, NULL, sum, 0), 0, 0);
    assert_nodes_of_five(2, "Nodes[2] (map) is not fused into Nodes[0] (gemm): its kernels take no such epilogue");
    agree(F32);
}

static void four_buffers_are_enough_for_others(void **state) {
    (void)state;
    for (size_t i = 0; i < PRODUCERS; i++) {
        begin(4, 1);
        const uint32_t from = producers[i].add(F32);
        graph_output(&graph, operate(&producers[i], F32, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, NULL, from, 0), 0, 0);
        assert_int_equal(fuse_all(DML_EXECUTION_FLAG_NONE, 4), producers[i].has_fifth_buffer ? 2 : 1);
        graph_end(&graph);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(residuals_are_joined),     TEST(functions_are_joined_behind_sums),
        TEST(functions_are_joined),     TEST(sums_are_joined_behind_activations),
        TEST(one_of_two_takes_the_sum), TEST(what_others_need_stays),
        TEST(other_maps_stay),          TEST(four_buffers_are_enough_for_others),
    };
    return cmocka_run_group_tests_name("graph_tails", tests, set_up_vulkan, tear_down_vulkan);
}
