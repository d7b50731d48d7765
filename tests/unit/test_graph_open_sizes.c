/* A network that is compiled for many sizes: after the first time no compilation waits for a pipeline. On the machine's
 * first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <string.h>

#include <cmocka.h>

#include "graph_execution.h"
#include "one_device.h"

#define CHANNELS 16
#define MADE     32
#define CLASSES  10
#define HEIGHT   8

/* Points into itself. */
struct packed {
    uint32_t sizes[4];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

static const DML_TENSOR_DESC *tensor_of(struct packed *tensor, uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const uint32_t sizes[4] = {n, c, h, w};
    memcpy(tensor->sizes, sizes, sizeof sizes);
    const uint64_t bytes = UINT64_C(4) * n * c * h * w;
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, tensor->sizes, NULL, bytes, 0};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    return &tensor->desc;
}

/* What each node's weights are: the values do not matter here. */
static uint32_t weights(uint32_t count) {
    static float zeros[CHANNELS * MADE * 9];
    assert_true(count <= sizeof zeros / sizeof *zeros);
    return graph_constant(&graph, zeros, count * sizeof *zeros, "weights");
}

/* Of so many pixels on each side of the one in the middle. */
static uint32_t convolution_node(const uint32_t in[4], uint32_t made, uint32_t groups, uint32_t reach) {
    static const uint32_t ones[2] = {1, 1}, none[2] = {0, 0};
    const uint32_t padding[2] = {reach, reach}, taps = 2 * reach + 1;
    struct packed input, filter, output;
    const DML_CONVOLUTION_OPERATOR_DESC desc = {tensor_of(&input, in[0], in[1], in[2], in[3]),
                                                tensor_of(&filter, made, in[1] / groups, taps, taps),
                                                NULL,
                                                tensor_of(&output, in[0], made, in[2], in[3]),
                                                DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                DML_CONVOLUTION_DIRECTION_FORWARD,
                                                2,
                                                ones,
                                                ones,
                                                padding,
                                                padding,
                                                none,
                                                groups,
                                                NULL};
    const uint32_t node = operator_node(DML_OPERATOR_CONVOLUTION, &desc, "convolution");
    graph_join(&graph, weights(made * in[1] / groups * taps * taps), 0, node, 1);
    return node;
}

static uint32_t pool_node(const uint32_t in[4]) {
    static const uint32_t twos[2] = {2, 2}, none[2] = {0, 0};
    struct packed input, output;
    const DML_MAX_POOLING_OPERATOR_DESC desc = {tensor_of(&input, in[0], in[1], in[2], in[3]),
                                                tensor_of(&output, in[0], in[1], in[2] / 2, in[3] / 2),
                                                2,
                                                twos,
                                                twos,
                                                none,
                                                none};
    return operator_node(DML_OPERATOR_MAX_POOLING, &desc, "pool");
}

static uint32_t mean_node(const uint32_t in[4]) {
    static const uint32_t axis = 2;
    struct packed input, output;
    const DML_REDUCE_OPERATOR_DESC desc = {DML_REDUCE_FUNCTION_AVERAGE, tensor_of(&input, in[0], in[1], in[2], in[3]),
                                           tensor_of(&output, in[0], in[1], 1, in[3]), 1, &axis};
    return operator_node(DML_OPERATOR_REDUCE, &desc, "mean");
}

static uint32_t gemm_node(uint32_t rows) {
    struct packed a, b, output;
    const DML_GEMM_OPERATOR_DESC desc = {tensor_of(&a, 1, 1, rows, MADE),
                                         tensor_of(&b, 1, 1, MADE, CLASSES),
                                         NULL,
                                         tensor_of(&output, 1, 1, rows, CLASSES),
                                         DML_MATRIX_TRANSFORM_NONE,
                                         DML_MATRIX_TRANSFORM_NONE,
                                         1,
                                         0,
                                         NULL};
    const uint32_t node = operator_node(DML_OPERATOR_GEMM, &desc, "classes");
    graph_join(&graph, weights(MADE * CLASSES), 0, node, 1);
    return node;
}

#define HIDDEN 32
#define HEADS  2

/* With a scale and a bias of each element of a row. */
static uint32_t normalization_node(uint32_t batch, uint32_t length) {
    static const uint32_t strides[4] = {0, 0, 0, 1}, axis = 3;
    struct packed input, scale, bias, output;
    tensor_of(&scale, 1, batch, length, HIDDEN);
    tensor_of(&bias, 1, batch, length, HIDDEN);
    scale.buffer.Strides = bias.buffer.Strides = strides;
    scale.buffer.TotalTensorSizeInBytes = bias.buffer.TotalTensorSizeInBytes = sizeof(float) * HIDDEN;
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {tensor_of(&input, 1, batch, length, HIDDEN),
                                                                 &scale.desc,
                                                                 &bias.desc,
                                                                 tensor_of(&output, 1, batch, length, HIDDEN),
                                                                 1,
                                                                 &axis,
                                                                 true,
                                                                 1e-5f,
                                                                 NULL};
    const uint32_t node = operator_node(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &desc, "normalization");
    graph_join(&graph, weights(HIDDEN), 0, node, 1);
    graph_join(&graph, weights(HIDDEN), 0, node, 2);
    return node;
}

static uint32_t attention_node(uint32_t batch, uint32_t length) {
    struct packed q, k, v, output;
    const DML_MULTIHEAD_ATTENTION_OPERATOR_DESC desc = {.QueryTensor = tensor_of(&q, 1, batch, length, HIDDEN),
                                                        .KeyTensor = tensor_of(&k, 1, batch, length, HIDDEN),
                                                        .ValueTensor = tensor_of(&v, 1, batch, length, HIDDEN),
                                                        .OutputTensor = tensor_of(&output, 1, batch, length, HIDDEN),
                                                        .Scale = 0.25f,
                                                        .HeadCount = HEADS};
    return operator_node(DML_OPERATOR_MULTIHEAD_ATTENTION, &desc, "attention");
}

static uint32_t softmax_node(const uint32_t in[4]) {
    static const uint32_t axis = 3;
    struct packed input, output;
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC desc = {tensor_of(&input, in[0], in[1], in[2], in[3]),
                                                        tensor_of(&output, in[0], in[1], in[2], in[3]), 1, &axis};
    return operator_node(DML_OPERATOR_ACTIVATION_SOFTMAX1, &desc, "softmax");
}

/* Rows of a fixed length, attention, and rows whose length changes. */
static VkdmlDispatchable compile_rows(uint32_t batch, uint32_t length, VkdmlCompileFlags flags) {
    const uint32_t in[4] = {1, batch, length, HIDDEN}, scores[4] = {1, batch, length, length};
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = flags};
    begin_graph(2, 2);
    const uint32_t normalization = normalization_node(batch, length), attention = attention_node(batch, length);
    const uint32_t softmax = softmax_node(scores);
    feed(0, normalization, 0, in);
    feed(1, softmax, 0, scores);
    JOIN({normalization, 0, attention, 0}, {normalization, 0, attention, 1}, {normalization, 0, attention, 2});
    yield_as(attention, 0, 0, in);
    yield_as(softmax, 0, 1, scores);
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, &info, &compiled), VKDML_SUCCESS);
    graph_end(&graph);
    return compiled;
}

static VkdmlDispatchable compile(uint32_t batch, uint32_t width, VkdmlCompileFlags flags) {
    const uint32_t in[4] = {batch, 4, HEIGHT, width}, wide[4] = {batch, CHANNELS, HEIGHT, width};
    const uint32_t half[4] = {batch, CHANNELS, HEIGHT / 2, width / 2}, made[4] = {batch, MADE, HEIGHT / 2, width / 2};
    const uint32_t rows = batch * (width / 2), out[4] = {1, 1, rows, CLASSES};
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = flags};
    begin_graph(1, 1);
    const uint32_t first = convolution_node(in, CHANNELS, 1, 1), relu = relu_node(wide);
    const uint32_t depthwise = convolution_node(wide, CHANNELS, CHANNELS, 1), shrink = shrink_node(wide);
    const uint32_t sum = add_node(wide), pool = pool_node(wide), second = convolution_node(half, MADE, 1, 0);
    const uint32_t mean = mean_node(made), classes = gemm_node(rows);
    feed(0, first, 0, in);
    JOIN({first, 0, relu, 0}, {relu, 0, depthwise, 0}, {depthwise, 0, shrink, 0}, {shrink, 0, sum, 0},
         {relu, 0, sum, 1}, {sum, 0, pool, 0}, {pool, 0, second, 0}, {second, 0, mean, 0}, {mean, 0, classes, 0});
    yield_as(classes, 0, 0, out);
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, &info, &compiled), VKDML_SUCCESS);
    graph_end(&graph);
    return compiled;
}

/* How many pipelines this thread created meanwhile. */
static uint32_t waits_for(uint32_t batch, uint32_t width, VkdmlCompileFlags flags) {
    const uint32_t before = interposer_own_calls[INTERPOSED_CreateComputePipelines];
    vkdmlDestroyDispatchable(compile(batch, width, flags));
    return interposer_own_calls[INTERPOSED_CreateComputePipelines] - before;
}

static uint32_t rows_wait_for(uint32_t batch, uint32_t length) {
    const uint32_t before = interposer_own_calls[INTERPOSED_CreateComputePipelines];
    vkdmlDestroyDispatchable(compile_rows(batch, length, VKDML_COMPILE_FLAG_OPEN_SIZES));
    return interposer_own_calls[INTERPOSED_CreateComputePipelines] - before;
}

/* Eight kernels of nodes, each as the general one and as the best of up to three kinds of sizes, and what initializers
 * take. */
#define MOST_PIPELINES 36

static void check_pipelines(void) {
    static const uint32_t batches[] = {1, 2, 3, 5};
    const uint32_t before = interposer.calls[INTERPOSED_CreateComputePipelines];
    const uint32_t first = waits_for(1, 40, VKDML_COMPILE_FLAG_OPEN_SIZES);
    assert_in_range(first, 5, MOST_PIPELINES);
    for (uint32_t width = 20; width < 40; width++) {
        assert_int_equal(waits_for(batches[width % 4], width * 3, VKDML_COMPILE_FLAG_OPEN_SIZES), 0);
    }
    /* Meanwhile a thread creates those that would have been better. */
    while (interposer.calls[INTERPOSED_CreateComputePipelines] - before == first) {
        assert_int_equal(waits_for(3, 43, VKDML_COMPILE_FLAG_OPEN_SIZES), 0);
    }
    assert_in_range(interposer.calls[INTERPOSED_CreateComputePipelines] - before, first + 1, MOST_PIPELINES);
}

static void only_the_first_sizes_wait_for_pipelines(void **state) {
    (void)state;
    on_each_device(check_pipelines);
}

static void check_general(void) {
    const VkdmlCompileFlags ahead = VKDML_COMPILE_FLAG_OPEN_SIZES | VKDML_COMPILE_FLAG_GENERAL_PIPELINES;
    assert_in_range(waits_for(1, 40, ahead), 5, MOST_PIPELINES / 2);
    for (uint32_t width = 20; width < 30; width++) {
        assert_int_equal(waits_for(1 + width % 3, width * 3, VKDML_COMPILE_FLAG_OPEN_SIZES), 0);
    }
}

static void general_pipelines_are_created_ahead(void **state) {
    (void)state;
    on_each_device(check_general);
}

static void check_lengths(void) {
    static const uint32_t lengths[] = {21, 24, 1, 3, 40, 64, 100, 2, 257, 1000};
    assert_int_not_equal(rows_wait_for(1, 20), 0);
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(rows_wait_for(1 + i % 3, lengths[i]), 0);
    }
}

static void no_length_waits_but_the_first(void **state) {
    (void)state;
    on_each_device(check_lengths);
}

/* Takes the second of two rows, which is a view where rows have a multiple of four elements; so many outputs are one
 * value, which is copied but for the first. */
static uint32_t copies_wait_for(uint32_t width, uint32_t outputs) {
    const uint32_t in[4] = {1, 1, 2, width}, out[4] = {1, 1, 1, width}, second[4] = {0, 0, 1, 0};
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = VKDML_COMPILE_FLAG_OPEN_SIZES};
    const uint32_t before = interposer_own_calls[INTERPOSED_CreateComputePipelines];
    VkdmlDispatchable compiled;
    begin_graph(1, outputs);
    const uint32_t first = relu_node(in), slice = slice_node(in, second, out), shrink = shrink_node(out);
    feed(0, first, 0, in);
    JOIN({first, 0, slice, 0}, {slice, 0, shrink, 0});
    for (uint32_t i = 0; i < outputs; i++) {
        yield_as(shrink, 0, i, out);
    }
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, &info, &compiled), VKDML_SUCCESS);
    graph_end(&graph);
    vkdmlDestroyDispatchable(compiled);
    return interposer_own_calls[INTERPOSED_CreateComputePipelines] - before;
}

static void check_views(void) {
    assert_int_not_equal(copies_wait_for(64, 1), 0);
    for (uint32_t width = 1; width < 6; width++) {
        assert_int_equal(copies_wait_for(width, 1), 0);
    }
}

static void views_that_become_copies_do_not_wait(void **state) {
    (void)state;
    on_each_device(check_views);
}

/* Of fewer than four words another kernel is best. */
static void check_outputs(void) {
    assert_int_not_equal(copies_wait_for(64, 2), 0);
    for (uint32_t width = 1; width < 6; width++) {
        assert_int_equal(copies_wait_for(width, 2), 0);
    }
}

static void outputs_that_are_copied_do_not_wait(void **state) {
    (void)state;
    on_each_device(check_outputs);
}

/* So that the tests above could fail. */
static void sizes_that_are_not_open_wait(void **state) {
    (void)state;
    device = import_device(0, NULL);
    assert_int_not_equal(waits_for(1, 40, 0), 0);
    assert_int_not_equal(waits_for(3, 43, 0), 0);
}

/* A thread that is at work ends with its device, whatever is left to do. */
static void a_device_is_destroyed_amid_requests(void **state) {
    (void)state;
    device = import_device(0, NULL);
    waits_for(1, 40, VKDML_COMPILE_FLAG_OPEN_SIZES);
    waits_for(3, 43, VKDML_COMPILE_FLAG_OPEN_SIZES);
}

static VkdmlGeneralPipelineInfo info_of(VkdmlDispatchable compiled) {
    VkdmlGeneralPipelineInfo info;
    assert_int_equal(vkdmlGetGeneralPipelineInfo(compiled, &info), VKDML_SUCCESS);
    return info;
}

static void a_graph_reports_when_better_pipelines_exist(void **state) {
    (void)state;
    device = import_device(0, NULL);
    VkdmlDispatchable first = compile(1, 40, VKDML_COMPILE_FLAG_OPEN_SIZES);
    assert_int_equal(info_of(first).nodeCount, 0);
    assert_int_equal(info_of(first).pendingCount, 0);
    VkdmlDispatchable general = compile(3, 43, VKDML_COMPILE_FLAG_OPEN_SIZES);
    const uint32_t nodes = info_of(general).nodeCount;
    assert_in_range(nodes, 1, 9);
    while (info_of(general).pendingCount != 0) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_int_equal(info_of(general).nodeCount, nodes);
    const uint32_t before = interposer_own_calls[INTERPOSED_CreateComputePipelines];
    VkdmlDispatchable best = compile(3, 43, VKDML_COMPILE_FLAG_OPEN_SIZES);
    assert_int_equal(interposer_own_calls[INTERPOSED_CreateComputePipelines] - before, 0);
    assert_int_equal(info_of(best).nodeCount, 0);
    assert_int_equal(info_of(best).pendingCount, 0);
    vkdmlDestroyDispatchable(first);
    vkdmlDestroyDispatchable(general);
    vkdmlDestroyDispatchable(best);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_first_sizes_wait_for_pipelines, begin_without_device, end_with_device),
        cmocka_unit_test_setup_teardown(general_pipelines_are_created_ahead, begin_without_device, end_with_device),
        cmocka_unit_test_setup_teardown(no_length_waits_but_the_first, begin_without_device, end_with_device),
        cmocka_unit_test_setup_teardown(views_that_become_copies_do_not_wait, begin_without_device, end_with_device),
        cmocka_unit_test_setup_teardown(outputs_that_are_copied_do_not_wait, begin_without_device, end_with_device),
        cmocka_unit_test_setup_teardown(sizes_that_are_not_open_wait, begin_without_device, end_with_device),
        cmocka_unit_test_setup_teardown(a_graph_reports_when_better_pipelines_exist, begin_without_device,
                                        end_with_device),
        cmocka_unit_test_setup_teardown(a_device_is_destroyed_amid_requests, begin_without_device, end_with_device),
    };
    return cmocka_run_group_tests_name("graph open sizes", tests, set_up_vulkan, tear_down_vulkan);
}
