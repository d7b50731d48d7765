/* A graph that is compiled again for tensors of another shape, as where a sequence grows. On the machine's first Vulkan
 * device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph_execution.h"
#include "one_device.h"

#define WIDTH 64

/* Rows of WIDTH numbers by a matrix. */
static uint32_t product_node(uint32_t rows) {
    const uint32_t sizes[4] = {1, 1, rows, WIDTH}, square[4] = {1, 1, WIDTH, WIDTH};
    const uint64_t bytes = UINT64_C(4) * rows * WIDTH;
    const DML_BUFFER_TENSOR_DESC buffers[2] = {
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, bytes, 0},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, square, NULL, UINT64_C(4) * WIDTH * WIDTH, 0}};
    const DML_TENSOR_DESC in = {DML_TENSOR_TYPE_BUFFER, &buffers[0]}, matrix = {DML_TENSOR_TYPE_BUFFER, &buffers[1]};
    const DML_GEMM_OPERATOR_DESC desc = {&in, &matrix, NULL, &in, DML_MATRIX_TRANSFORM_NONE, DML_MATRIX_TRANSFORM_NONE,
                                         1,   0,       NULL};
    return operator_node(DML_OPERATOR_GEMM, &desc, "product");
}

/* Rows, softened. */
static uint32_t softmax_node(uint32_t rows) {
    const uint32_t sizes[4] = {1, 1, rows, WIDTH}, axis = 3;
    const DML_BUFFER_TENSOR_DESC buffer = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, UINT64_C(4) * rows * WIDTH, 0};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC desc = {&tensor, &tensor, 1, &axis};
    return operator_node(DML_OPERATOR_ACTIVATION_SOFTMAX1, &desc, "softmax");
}

/* A product, an activation, what was there before added, rows normalized and both halves of them added. */
static VkdmlDispatchable compile(uint32_t rows) {
    const uint32_t sizes[4] = {1, 1, rows, WIDTH}, half[4] = {1, 1, rows, WIDTH / 2}, square[4] = {1, 1, WIDTH, WIDTH};
    begin_graph(2, 1);
    const uint32_t product = product_node(rows), relu = relu_node(sizes), sum = add_node(sizes);
    const uint32_t softmax = softmax_node(rows), halves = split_node(sizes, 3), last = add_node(half);
    feed(0, product, 0, sizes);
    feed(1, product, 1, square);
    feed(0, sum, 1, sizes);
    JOIN({product, 0, relu, 0}, {relu, 0, sum, 0}, {sum, 0, softmax, 0}, {softmax, 0, halves, 0}, {halves, 0, last, 0},
         {halves, 1, last, 1});
    yield_as(last, 0, 0, half);
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_SUCCESS);
    graph_end(&graph);
    return compiled;
}

static void check_recompiled(void) {
    const uint32_t before = interposer.calls[INTERPOSED_CreateShaderModule];
    VkdmlDispatchable compiled = compile(96);
    const uint32_t modules = interposer.calls[INTERPOSED_CreateShaderModule];
    const uint32_t pipelines = interposer.calls[INTERPOSED_CreateComputePipelines];
    assert_in_range(modules - before, 3, 8);         /* of products, rows and maps at least */
    static const uint32_t others[] = {100, 108, 96}; /* so near that kernels are the same on all devices */
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        VkdmlDispatchable again = compile(others[i]);
        assert_int_equal(interposer.calls[INTERPOSED_CreateShaderModule], modules);
        assert_int_equal(interposer.calls[INTERPOSED_CreateComputePipelines], pipelines);
        vkdmlDestroyDispatchable(again);
    }
    vkdmlDestroyDispatchable(compiled);
}

static void another_shape_takes_no_new_shader_module(void **state) {
    (void)state;
    on_each_device(check_recompiled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(another_shape_takes_no_new_shader_module, begin_without_device,
                                        end_with_device),
    };
    return cmocka_run_group_tests_name("graph recompile", tests, set_up_vulkan, tear_down_vulkan);
}
