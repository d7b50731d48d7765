/* Fusion into operators that have a field for it: what is made, and what is not and why; and that results are those of
 * the nodes one by one, bit for bit, and the reference's within what sums may be off. On the machine's first Vulkan
 * device. */
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

/* ---- activations ---- */

static uint32_t sum_producer(DML_TENSOR_DATA_TYPE type) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_OTHER, NULL);
    const uint32_t add = add_node(tensor, tensor, tensor);
    graph_input(&graph, 0, add, 0);
    graph_input(&graph, 1, add, 1);
    return add;
}

static uint32_t sum1_producer(DML_TENSOR_DATA_TYPE type) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_OTHER, NULL);
    const DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc = {tensor, tensor, tensor, NULL};
    const uint32_t add = node(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, "add1");
    graph_input(&graph, 0, add, 0);
    graph_input(&graph, 1, add, 1);
    return add;
}

static uint32_t gemm_producer(DML_TENSOR_DATA_TYPE type) {
    return gemm_node(type, NULL, 1);
}

static uint32_t batch_producer(DML_TENSOR_DATA_TYPE type) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_OTHER, NULL), *channels = TENSOR(type, 1, 6, 1, 1);
    const DML_BATCH_NORMALIZATION_OPERATOR_DESC desc = {tensor, channels, channels, channels, channels,
                                                        tensor, 1,        20,       NULL};
    const uint32_t batch = node(DML_OPERATOR_BATCH_NORMALIZATION, &desc, "batch");
    for (uint32_t i = 0; i < 5; i++) {
        graph_input(&graph, i, batch, i);
    }
    return batch;
}

static uint32_t mean_producer(DML_TENSOR_DATA_TYPE type) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_OTHER, NULL);
    static const uint32_t axes[] = {2, 3};
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {tensor, NULL, NULL, tensor, 2, axes, 0, 1e-5f, NULL};
    const uint32_t mean = node(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &desc, "mean");
    graph_input(&graph, 0, mean, 0);
    return mean;
}

static const struct {
    uint32_t (*add)(DML_TENSOR_DATA_TYPE type);
    uint32_t sizes[4];
} producers[] = {{sum_producer, {2, 6, 8, 8}},           {sum1_producer, {2, 6, 8, 8}},
                 {gemm_producer, {1, 1, ROWS, COLUMNS}}, {convolution_node, {2, 6, 8, 8}},
                 {batch_producer, {2, 6, 8, 8}},         {mean_producer, {2, 6, 8, 8}}};

static uint32_t begin_activated(size_t producer, DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE data_type) {
    begin(5, 1);
    const uint32_t made = producers[producer].add(data_type);
    const DML_TENSOR_DESC *tensor = tensor_of(data_type, producers[producer].sizes, NULL);
    const uint32_t activation = activation_node(type, tensor, tensor);
    graph_join(&graph, made, 0, activation, 0);
    graph_output(&graph, activation, 0, 0);
    return activation;
}

/* The row at an index of the table, if it is an activation that any operator takes. */
static const VkdmlOperatorSchema *activation_at(uint32_t index) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(index);
    return (int)schema->fusableSince != 0 && schema->fusableInto == DML_OPERATOR_INVALID ? schema : NULL;
}

#define PRODUCERS (sizeof producers / sizeof producers[0])

/* All behind one operator, and one behind all. */
static void activations_are_fused(void **state) {
    (void)state;
    uint32_t count = 0;
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = activation_at(i);
        for (size_t p = 0; schema != NULL && p < PRODUCERS; p++) {
            if (schema->type != DML_OPERATOR_ACTIVATION_TANH && p != i % PRODUCERS) {
                continue;
            }
            begin_activated(p, schema->type, F32);
            const bool is_erased = schema->type == DML_OPERATOR_ACTIVATION_IDENTITY;
            assert_nodes(1, is_erased ? "Nodes[1] (activation) is erased" : "Nodes[1] (activation) is fused into");
            agree(F32);
            count++;
        }
    }
    assert_int_equal(count, 19 - 1 + PRODUCERS);
}

static void activations_of_halves_are_fused_where_rounding_allows(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = activation_at(i);
        if (schema == NULL || schema->type == DML_OPERATOR_ACTIVATION_IDENTITY) {
            continue;
        }
        const bool commutes = schema->type == DML_OPERATOR_ACTIVATION_RELU;
        begin_activated(i % PRODUCERS, schema->type, F16);
        assert_nodes(commutes ? 1 : 2, commutes ? "is fused" : "its FLOAT16 input would not be rounded");
        assert_int_equal(fuse(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION), 1);
        agree_about(F16);
    }
    for (size_t p = 0; p < PRODUCERS; p++) {
        begin_activated(p, DML_OPERATOR_ACTIVATION_RELU, F16);
        assert_nodes(1, "is fused");
        agree(F16);
    }
}

static void tensors_of_other_dimensions_may_be_the_same_bytes(void **state) {
    (void)state;
    begin(2, 1);
    const uint32_t gemm = gemm_node(F32, NULL, 1),
                   relu = relu_node(TENSOR(F32, ROWS, 1, COLUMNS, 1), TENSOR(F32, ROWS, 1, COLUMNS, 1));
    graph_join(&graph, gemm, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(1, "is fused");
    agree(F32);
}

static void activations_stay_where_others_need_what_they_read(void **state) {
    (void)state;
    begin_activated(2, DML_OPERATOR_ACTIVATION_TANH, F32);
    graph.desc.OutputCount = 2;
    graph_output(&graph, 0, 0, 1);
    assert_nodes(2, "Nodes[1] (activation) is not fused into Nodes[0] (gemm): its input is an output of the graph");
    agree(F32);

    begin_activated(2, DML_OPERATOR_ACTIVATION_TANH, F32);
    graph.desc.OutputCount = 2;
    const uint32_t other = relu_node(TENSOR(F32, 1, 1, ROWS, COLUMNS), TENSOR(F32, 1, 1, ROWS, COLUMNS));
    graph_join(&graph, 0, 0, other, 0);
    graph_output(&graph, other, 0, 1);
    assert_nodes(3, "Nodes[1] (activation) is not fused into Nodes[0] (gemm): its input is read 2 times");
    agree(F32);

    begin_activated(2, DML_OPERATOR_ACTIVATION_TANH, F32);
    graph.desc.OutputEdgeCount = 0;
    graph_join(&graph, 1, 0, relu_node(TENSOR(F32, 1, 1, ROWS, COLUMNS), TENSOR(F32, 1, 1, ROWS, COLUMNS)), 0);
    graph_output(&graph, 2, 0, 0);
    assert_nodes(2, "Nodes[2] (activation) is not fused into Nodes[0] (gemm): that has an activation already");
    agree(F32);

    begin(2, 1);
    const uint32_t gemm = gemm_node(F32, NULL, 1);
    const uint32_t relu = relu_node(TENSOR(F32, 1, 1, ROWS, COLUMNS), STRIDED(F32, MADE_OF_GEMM, SIZES(0, 0, 1, ROWS)));
    graph_join(&graph, gemm, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, "types, sizes or strides differ");
    agree(F32);
}

static void the_rules_of_operators_hold(void **state) {
    (void)state;
    begin(2, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(DML_TENSOR_DATA_TYPE_INT32, MADE_OF_OTHER, NULL);
    const uint32_t add = add_node(tensor, tensor, tensor), relu = relu_node(tensor, tensor);
    graph_input(&graph, 0, add, 0);
    graph_input(&graph, 1, add, 1);
    graph_join(&graph, add, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, "Nodes[1] (activation) is not fused into Nodes[0] (add): DML_OPERATOR_ELEMENT_WISE_ADD1: "
                    "ATensor.DataType is DML_TENSOR_DATA_TYPE_INT32, must be one of FLOAT32, FLOAT16");
    agree(F32);
}

static void rows_take_no_activation(void **state) {
    (void)state;
    static const uint32_t axes[] = {3};
    begin(1, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_OTHER, NULL);
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {tensor, NULL, NULL, tensor, 1, axes, 1, 1e-5f, NULL};
    const uint32_t mean = node(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &desc, "mean");
    const uint32_t relu = relu_node(tensor, tensor);
    graph_input(&graph, 0, mean, 0);
    graph_join(&graph, mean, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, "its rows may be one dispatch, which takes no activation");
    agree(F32);
}

static void what_is_computed_once_stays_so(void **state) {
    (void)state;
    begin(3, 1);
    const DML_GEMM_OPERATOR_DESC desc = {owned(TENSOR(F32, 1, 1, ROWS, DEPTH)),
                                         owned(TENSOR(F32, 1, 1, DEPTH, COLUMNS)),
                                         NULL,
                                         TENSOR(F32, 1, 1, ROWS, COLUMNS),
                                         0,
                                         0,
                                         1,
                                         0,
                                         NULL};
    const uint32_t gemm = node(DML_OPERATOR_GEMM, &desc, "gemm");
    const DML_TENSOR_DESC *tensor = TENSOR(F32, 1, 1, ROWS, COLUMNS);
    const uint32_t add = add_node(tensor, tensor, tensor);
    graph_input(&graph, 0, gemm, 0);
    graph_input(&graph, 1, gemm, 1);
    graph_join(&graph, gemm, 0, add, 1);
    graph_input(&graph, 2, add, 0);
    graph_output(&graph, add, 0, 0);
    assert_nodes(2, "its input is computed once, when the graph is initialized");
    agree(F32);
}

/* ---- biases ---- */

/* A sum of what a product makes and input 2 by strides; the product is operand `place`. */
static uint32_t begin_sum(DML_TENSOR_DATA_TYPE type, bool is_gemm, const uint32_t *strides, uint32_t place) {
    begin(4, 1);
    const uint32_t *sizes = is_gemm ? MADE_OF_GEMM : MADE_OF_OTHER;
    const uint32_t made = is_gemm ? gemm_node(type, NULL, 0.75f) : convolution_node(type);
    const DML_TENSOR_DESC *packed = tensor_of(type, sizes, NULL), *other = tensor_of(type, sizes, strides);
    const uint32_t add = add_node(place == 0 ? packed : other, place == 0 ? other : packed, packed);
    graph_join(&graph, made, 0, add, place);
    graph_input(&graph, 2, add, 1 - place);
    graph_output(&graph, add, 0, 0);
    return add;
}

static void sums_become_biases(void **state) {
    (void)state;
    for (uint32_t place = 0; place < 2; place++) {
        static const uint32_t of_gemm[][4] = {
            {0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 0, 0}, {ROWS * COLUMNS, ROWS * COLUMNS, COLUMNS, 1}};
        for (size_t i = 0; i < sizeof of_gemm / sizeof of_gemm[0]; i++) {
            begin_sum(F32, true, of_gemm[i], place);
            assert_nodes(1, "Nodes[1] (add) is fused into Nodes[0] (gemm)");
            agree(F32);
        }
        begin_sum(F32, false, SIZES(0, 1, 0, 0), place);
        assert_nodes(1, "Nodes[1] (add) is fused into Nodes[0] (convolution)");
        agree(F32);
        begin_sum(F32, false, SIZES(0, 3, 0, 0), place);
        assert_nodes(1, "Nodes[1] (add) is fused into Nodes[0] (convolution)");
        agree(F32);
    }
}

static void sums_take_their_activation_along(void **state) {
    (void)state;
    for (uint32_t is_gemm = 0; is_gemm < 2; is_gemm++) {
        const uint32_t *sizes = is_gemm ? MADE_OF_GEMM : MADE_OF_OTHER;
        begin_sum(F32, is_gemm, is_gemm ? SIZES(0, 0, 0, 1) : SIZES(0, 1, 0, 0), 0);
        graph.desc.OutputEdgeCount = 0;
        const uint32_t tanh =
            activation_node(DML_OPERATOR_ACTIVATION_TANH, tensor_of(F32, sizes, NULL), tensor_of(F32, sizes, NULL));
        graph_join(&graph, 1, 0, tanh, 0);
        graph_output(&graph, tanh, 0, 0);
        assert_nodes(1, "Nodes[2] (activation) is fused into Nodes[0]");
        agree(F32);
    }
    begin(3, 1);
    const DML_TENSOR_DESC *tensor = TENSOR(F32, 1, 1, ROWS, COLUMNS);
    const DML_ACTIVATION_SIGMOID_OPERATOR_DESC sigmoid = {NULL, NULL};
    const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_SIGMOID, &sigmoid};
    const DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc = {tensor, tensor, tensor, &activation};
    const uint32_t gemm = gemm_node(F32, NULL, 1), add = node(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, "add1");
    graph_join(&graph, gemm, 0, add, 1);
    graph_input(&graph, 2, add, 0);
    graph_output(&graph, add, 0, 0);
    assert_nodes(1, "Nodes[1] (add1) is fused into Nodes[0] (gemm)");
    agree(F32);
}

static void other_sums_stay(void **state) {
    (void)state;
    begin_sum(F32, false, SIZES(0, 0, 0, 1), 0);
    assert_nodes(2, "Nodes[1] (add) is not fused into Nodes[0] (convolution): what is added is not one number for each "
                    "channel");
    agree(F32);
    begin_sum(F16, true, SIZES(0, 0, 0, 1), 0);
    assert_nodes(2, "its FLOAT16 input would not be rounded");
    agree(F16);
    begin_sum(F16, true, SIZES(0, 0, 0, 1), 0);
    assert_int_equal(fuse(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION), 1);
    agree_about(F16);

    begin_sum(F32, true, SIZES(0, 0, 0, 1), 0); /* and another sum behind it */
    graph.desc.OutputEdgeCount = 0;
    const DML_TENSOR_DESC *tensor = TENSOR(F32, 1, 1, ROWS, COLUMNS);
    const uint32_t last = add_node(tensor, tensor, tensor);
    graph_join(&graph, 1, 0, last, 0);
    graph_input(&graph, 3, last, 1);
    graph_output(&graph, last, 0, 0);
    assert_nodes(2, "Nodes[2] (add) is not fused into Nodes[0] (gemm): that has a CTensor already");
    agree(F32);

    begin(2, 1); /* the product and itself */
    const uint32_t gemm = gemm_node(F32, NULL, 1),
                   add = add_node(tensor_of(F32, MADE_OF_GEMM, NULL), tensor_of(F32, MADE_OF_GEMM, NULL),
                                  tensor_of(F32, MADE_OF_GEMM, NULL));
    graph_join(&graph, gemm, 0, add, 0);
    graph_join(&graph, gemm, 0, add, 1);
    graph_output(&graph, add, 0, 0);
    assert_nodes(2, "its input is read 2 times");
    agree(F32);
}

/* A sum of two products waits for one of them only. */
static void one_of_two_products_takes_the_other(void **state) {
    (void)state;
    begin(2, 1);
    const uint32_t first = gemm_node(F32, NULL, 1), second = gemm_node(F32, NULL, -0.5f);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
    const uint32_t add = add_node(tensor, tensor, tensor);
    graph_join(&graph, first, 0, add, 0);
    graph_join(&graph, second, 0, add, 1);
    graph_output(&graph, add, 0, 0);
    assert_nodes(2, "Nodes[2] (add) is fused into Nodes[0] (gemm)");
    agree(F32);
}

/* ---- factors ---- */

static uint32_t begin_scaled(DML_TENSOR_DATA_TYPE type, bool has_c, float alpha, const DML_SCALE_BIAS *scale) {
    begin(3, 1);
    const uint32_t gemm = gemm_node(type, has_c ? TENSOR(type, 1, 1, ROWS, COLUMNS) : NULL, alpha);
    const uint32_t identity =
        identity_node(TENSOR(type, 1, 1, ROWS, COLUMNS), TENSOR(type, 1, 1, ROWS, COLUMNS), scale);
    if (has_c) {
        graph_input(&graph, 2, gemm, 2);
    }
    graph_join(&graph, gemm, 0, identity, 0);
    graph_output(&graph, identity, 0, 0);
    return identity;
}

static void factors_become_alpha(void **state) {
    (void)state;
    begin_scaled(F32, false, 1, &(DML_SCALE_BIAS){0.3f, 0});
    assert_nodes(1, "Nodes[1] (identity) is fused into Nodes[0] (gemm)");
    agree(F32);
    begin_scaled(F32, false, 1, &(DML_SCALE_BIAS){-0.3f, -0.0f});
    assert_nodes(1, "Nodes[1] (identity) is fused into Nodes[0] (gemm)");
    agree(F32);
    for (uint32_t place = 0; place < 2; place++) {
        static const float factor = -1.7f;
        begin(2, 1);
        const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
        const DML_TENSOR_DESC *constant = STRIDED(F32, MADE_OF_GEMM, SIZES(0, 0, 0, 0));
        const DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC desc = {place == 0 ? tensor : constant,
                                                              place == 0 ? constant : tensor, tensor};
        const uint32_t gemm = gemm_node(F32, NULL, 1), multiply = node(DML_OPERATOR_ELEMENT_WISE_MULTIPLY, &desc, "by");
        graph_join(&graph, gemm, 0, multiply, place);
        graph_join(&graph, graph_constant(&graph, &factor, sizeof factor, "factor"), 0, multiply, 1 - place);
        graph_output(&graph, multiply, 0, 0);
        assert_nodes(1, "Nodes[1] (by) is fused into Nodes[0] (gemm)"); /* nor is there the constant any more */
        agree(F32);
    }
}

static void other_factors_stay(void **state) {
    (void)state;
    begin_scaled(F32, false, 1, &(DML_SCALE_BIAS){0.3f, 1});
    assert_nodes(2, NULL);
    agree(F32);
    begin_scaled(F32, false, 1, &(DML_SCALE_BIAS){-0.3f, 0});
    assert_nodes(2, NULL);
    agree(F32);
    begin_scaled(F32, false, 0.7f, &(DML_SCALE_BIAS){0.3f, 0});
    assert_nodes(2, "that has an Alpha already");
    agree(F32);
    begin_scaled(F16, false, 1, &(DML_SCALE_BIAS){0.3f, 0});
    assert_nodes(2, "its FLOAT16 input would not be rounded");
    agree(F16);
    begin_scaled(F32, true, 1, &(DML_SCALE_BIAS){0.3f, 0});
    assert_nodes(2, "that has a CTensor");
    agree(F32);
    begin(2, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {NULL, NULL};
    const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    const DML_GEMM_OPERATOR_DESC desc = {.ATensor = TENSOR(F32, 1, 1, ROWS, DEPTH),
                                         .BTensor = TENSOR(F32, 1, 1, DEPTH, COLUMNS),
                                         .OutputTensor = tensor,
                                         .Alpha = 1,
                                         .FusedActivation = &activation};
    const uint32_t activated = node(DML_OPERATOR_GEMM, &desc, "activated");
    const uint32_t behind = identity_node(tensor, tensor, &(DML_SCALE_BIAS){0.3f, 0});
    graph_input(&graph, 0, activated, 0);
    graph_input(&graph, 1, activated, 1);
    graph_join(&graph, activated, 0, behind, 0);
    graph_output(&graph, behind, 0, 0);
    assert_nodes(2, "Nodes[1] (identity) is not fused into Nodes[0] (activated): that has an activation");
    agree(F32);
    begin(2, 1);
    const DML_TENSOR_DESC *turned = STRIDED(F32, MADE_OF_GEMM, SIZES(0, 0, 1, ROWS));
    const uint32_t gemm = gemm_node(F32, NULL, 1);
    const uint32_t turning = identity_node(TENSOR(F32, 1, 1, ROWS, COLUMNS), turned, &(DML_SCALE_BIAS){0.3f, 0});
    graph_join(&graph, gemm, 0, turning, 0);
    graph_output(&graph, turning, 0, 0);
    assert_nodes(2, "types, sizes or strides differ");
    agree(F32);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(activations_are_fused),
        TEST(activations_of_halves_are_fused_where_rounding_allows),
        TEST(tensors_of_other_dimensions_may_be_the_same_bytes),
        TEST(activations_stay_where_others_need_what_they_read),
        TEST(the_rules_of_operators_hold),
        TEST(rows_take_no_activation),
        TEST(what_is_computed_once_stays_so),
        TEST(sums_become_biases),
        TEST(sums_take_their_activation_along),
        TEST(other_sums_stay),
        TEST(one_of_two_products_takes_the_other),
        TEST(factors_become_alpha),
        TEST(other_factors_stay),
    };
    return cmocka_run_group_tests_name("graph_fuse", tests, set_up_vulkan, tear_down_vulkan);
}
