/* Batch normalizations that filters of convolutions take in: what is made, what is not and why, and how far results are
 * from the reference's. On the machine's first Vulkan device. */
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

/* Inputs of all graphs; what of them no node reads is not bound. */
enum { INPUT, FILTER, FILTER_BIAS, MEAN, VARIANCE, SCALE, BIAS, OTHER, INPUTS };

/* ---- graphs ---- */

struct shape {
    const char *name;
    uint32_t rank;
    uint32_t input[5], filter[5], output[5];
    uint32_t stride, padding, groups;
    DML_CONVOLUTION_DIRECTION direction;
};

static const struct shape shapes[] = {
    {"3 by 3", 4, {2, 6, 8, 8}, {6, 6, 3, 3}, {2, 6, 6, 6}, 1, 0, 1, 0},
    {"strides", 4, {1, 4, 9, 9}, {8, 4, 3, 3}, {1, 8, 5, 5}, 2, 1, 1, 0},
    {"1 by 1", 4, {1, 16, 4, 4}, {12, 16, 1, 1}, {1, 12, 4, 4}, 1, 0, 1, 0},
    {"groups", 4, {2, 6, 8, 8}, {4, 3, 3, 3}, {2, 4, 6, 6}, 1, 0, 2, 0},
    {"depthwise", 4, {1, 8, 9, 9}, {8, 1, 3, 3}, {1, 8, 7, 7}, 1, 0, 8, 0},
    {"two for each channel", 4, {1, 8, 9, 9}, {16, 1, 3, 3}, {1, 16, 5, 5}, 2, 1, 8, 0},
    {"one channel", 4, {1, 3, 5, 5}, {1, 3, 3, 3}, {1, 1, 5, 5}, 1, 1, 1, 0},
    {"1 dimension", 3, {2, 4, 20}, {6, 4, 5}, {2, 6, 16}, 1, 0, 1, 0},
    {"3 dimensions", 5, {1, 3, 5, 6, 6}, {4, 3, 2, 3, 3}, {1, 4, 4, 4, 4}, 1, 0, 1, 0},
    {"backward", 4, {1, 4, 5, 5}, {4, 6, 3, 3}, {1, 6, 7, 7}, 1, 0, 1, DML_CONVOLUTION_DIRECTION_BACKWARD},
};

#define SHAPES (sizeof shapes / sizeof shapes[0])

/* What a test changes of the graph, all 0: a convolution without a bias, and a normalization of owned numbers. */
struct change {
    DML_TENSOR_DATA_TYPE type; /* UNKNOWN: FLOAT32 */
    bool has_bias, is_activated, is_activated_between, is_strided;
    bool is_constant; /* the filter */
    uint32_t bound;   /* a bit for each input: bound in executions */
    enum { BY_CHANNEL, BROADCAST, ONE, BY_ELEMENT } numbers;
};

static DML_TENSOR_DATA_TYPE type_of(const struct change *change) {
    return change->type != DML_TENSOR_DATA_TYPE_UNKNOWN ? change->type : F32;
}

static const DML_TENSOR_DESC *input_of(const struct change *change, uint32_t input, const DML_TENSOR_DESC *desc) {
    return (change->bound >> input & 1) != 0 || input == INPUT ? desc : owned(desc);
}

static uint32_t add_convolution(const struct shape *shape, const struct change *change) {
    static const float numbers[16 * 16 * 9] = {0.5F, -0.25F, 0.75F, 1.5F, -1, 0.125F, 0.375F};
    const DML_TENSOR_DATA_TYPE type = type_of(change);
    const uint32_t strides[] = {shape->stride, shape->stride, shape->stride}, ones_of[] = {1, 1, 1},
                   padding[] = {shape->padding, shape->padding, shape->padding}, none[] = {0, 0, 0};
    const uint32_t sizes[] = {1, shape->output[1], 1, 1, 1};
    const float number = 1.25F;
    const DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC relu = {.Alpha = number};
    const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_LEAKY_RELU, &relu};
    const DML_TENSOR_DESC *filter = ranked(type, shape->rank, shape->filter, NULL);
    const DML_CONVOLUTION_OPERATOR_DESC desc = {
        .FilterTensor = change->is_constant ? filter : input_of(change, FILTER, filter),
        .InputTensor = ranked(type, shape->rank, shape->input, NULL),
        .BiasTensor = change->has_bias ? input_of(change, FILTER_BIAS, ranked(type, shape->rank, sizes, NULL)) : NULL,
        .OutputTensor = ranked(type, shape->rank, shape->output, NULL),
        .Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION,
        .Direction = shape->direction,
        .DimensionCount = shape->rank - 2,
        .Strides = strides,
        .Dilations = ones_of,
        .StartPadding = padding,
        .EndPadding = padding,
        .OutputPadding = none,
        .GroupCount = shape->groups,
        .FusedActivation = change->is_activated_between ? &activation : NULL};
    const uint32_t convolution = node(DML_OPERATOR_CONVOLUTION, &desc, "conv");
    graph_input(&graph, INPUT, convolution, 0);
    if (change->is_constant) {
        graph_join(&graph, graph_constant(&graph, numbers, sizeof numbers, "numbers"), 0, convolution, 1);
    } else {
        graph_input(&graph, FILTER, convolution, 1);
    }
    if (change->has_bias) {
        graph_input(&graph, FILTER_BIAS, convolution, 2);
    }
    return convolution;
}

/* A mean, a variance, .. */
static const DML_TENSOR_DESC *numbers_of(const struct shape *shape, const struct change *change, uint32_t input) {
    const uint32_t channel[] = {1, shape->output[1], 1, 1, 1}, one[] = {1, 1, 1, 1, 1}, strides[] = {0, 1, 0, 0, 0};
    const bool is_whole = change->numbers == BY_ELEMENT && input == MEAN;
    const uint32_t *sizes = change->numbers == BROADCAST || is_whole ? shape->output
                            : change->numbers == ONE                 ? one
                                                                     : channel;
    return input_of(change, input,
                    ranked(type_of(change), shape->rank, sizes, change->numbers == BROADCAST ? strides : NULL));
}

static uint32_t add_normalization(const struct shape *shape, const struct change *change) {
    const uint32_t strides[] = {2 * shape->output[1] * shape->output[2] * shape->output[3],
                                2 * shape->output[2] * shape->output[3], 2 * shape->output[3], 2};
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {NULL, NULL};
    const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    const DML_TENSOR_DATA_TYPE type = type_of(change);
    const DML_BATCH_NORMALIZATION_OPERATOR_DESC desc = {
        .InputTensor = ranked(type, shape->rank, shape->output, NULL),
        .MeanTensor = numbers_of(shape, change, MEAN),
        .VarianceTensor = numbers_of(shape, change, VARIANCE),
        .ScaleTensor = numbers_of(shape, change, SCALE),
        .BiasTensor = numbers_of(shape, change, BIAS),
        .OutputTensor = ranked(type, shape->rank, shape->output, change->is_strided ? strides : NULL),
        .Spatial = 1,
        .Epsilon = 20,
        .FusedActivation = change->is_activated ? &activation : NULL};
    const uint32_t normalization = node(DML_OPERATOR_BATCH_NORMALIZATION, &desc, "norm");
    for (uint32_t i = 0; i < 4; i++) {
        graph_input(&graph, MEAN + i, normalization, 1 + i);
    }
    return normalization;
}

/* Nodes 0 and 1, or 0 and 2 where the filter is a constant; the last. */
static uint32_t begin_pair(const struct shape *shape, const struct change *change, uint32_t outputs) {
    begin(INPUTS, outputs);
    const uint32_t convolution = add_convolution(shape, change), normalization = add_normalization(shape, change);
    graph_join(&graph, convolution, 0, normalization, 0);
    return normalization;
}

static void begin_folded(const struct shape *shape, const struct change *change) {
    graph_output(&graph, begin_pair(shape, change, 1), 0, 0);
}

/* Products that an element of the output is the sum of, at most. */
static uint32_t products_of(const struct shape *shape) {
    uint32_t products = shape->direction == DML_CONVOLUTION_DIRECTION_FORWARD ? shape->filter[1] : shape->filter[0];
    for (uint32_t d = 2; d < shape->rank; d++) {
        products *= shape->filter[d];
    }
    return products;
}

/* The convolution, the filter, the bias, and the element 0. */
#define FOLDED 4

/* A dispatch less, or more where one does not do for a device's normalization, and results within the bound. The graph
 * ends. */
static void agree_folded(const struct shape *shape, const char *what) {
    const uint32_t nodes = fuse(DML_EXECUTION_FLAG_NONE);
    const uint32_t steps = count_steps(0), apart = count_steps(VKDML_COMPILE_FLAG_NODE_BY_NODE);
    if (nodes != FOLDED || steps + 1 > apart) {
        fail_msg("%s, %s: %u nodes of %u steps, %u node by node:\n%s", shape->name, what, (unsigned)nodes,
                 (unsigned)steps, (unsigned)apart, notes_text);
    }
    assert_non_null(strstr(notes_text, "(norm) is fused into Nodes[0] (conv)"));
    agree_in_sums(products_of(shape), MEAN, VARIANCE);
}

/* ---- what is folded ---- */

static void agree_in_all_shapes(const struct change *change, const char *what) {
    for (size_t s = 0; s < SHAPES; s++) {
        begin_folded(&shapes[s], change);
        agree_folded(&shapes[s], what);
    }
}

static void filters_take_normalizations_in(void **state) {
    (void)state;
    agree_in_all_shapes(&(struct change){.has_bias = false}, "without a bias");
    agree_in_all_shapes(&(struct change){.has_bias = true, .is_activated = true}, "with a bias, activated");
}

static void numbers_may_be_broadcast(void **state) {
    (void)state;
    agree_in_all_shapes(&(struct change){.numbers = BROADCAST}, "by strides");
    agree_in_all_shapes(&(struct change){.numbers = ONE, .has_bias = true}, "one number for all");
}

static void filters_may_be_constants(void **state) {
    (void)state;
    begin_folded(&shapes[0], &(struct change){.is_constant = true});
    assert_int_equal(fuse(DML_EXECUTION_FLAG_NONE), FOLDED + 1);
    assert_true(count_steps(0) + 1 <= count_steps(VKDML_COMPILE_FLAG_NODE_BY_NODE));
    agree_in_sums(products_of(&shapes[0]), MEAN, VARIANCE);
}

/* What a filter is made of is read once, with what else there is of it. */
static void filters_may_have_two_readers(void **state) {
    (void)state;
    const struct change change = {.has_bias = true};
    const uint32_t first = begin_pair(&shapes[0], &change, 2);
    const uint32_t other = add_convolution(&shapes[0], &change);
    graph_output(&graph, first, 0, 0);
    graph_output(&graph, other, 0, 1);
    assert_int_equal(fuse(DML_EXECUTION_FLAG_NONE), FOLDED + 1);
    agree_in_sums(products_of(&shapes[0]), MEAN, VARIANCE);
}

/* One element 0 does for all. */
static void several_are_folded(void **state) {
    (void)state;
    const struct change change = {.has_bias = false};
    const uint32_t first = begin_pair(&shapes[0], &change, 2);
    const uint32_t convolution = add_convolution(&shapes[0], &change);
    const uint32_t second = add_normalization(&shapes[0], &change);
    graph_join(&graph, convolution, 0, second, 0);
    graph_output(&graph, first, 0, 0);
    graph_output(&graph, second, 0, 1);
    assert_int_equal(fuse(DML_EXECUTION_FLAG_NONE), 2 * FOLDED - 1);
    assert_true(count_steps(0) + 2 <= count_steps(VKDML_COMPILE_FLAG_NODE_BY_NODE));
    agree_in_sums(products_of(&shapes[0]), MEAN, VARIANCE);
}

/* conv, add, norm, relu become the convolution. */
static void biases_and_activations_come_along(void **state) {
    (void)state;
    const struct shape *shape = &shapes[0];
    const struct change change = {.has_bias = false};
    begin(INPUTS, 1);
    const DML_TENSOR_DESC *tensor = ranked(F32, 4, shape->output, NULL);
    const uint32_t convolution = add_convolution(shape, &change);
    const DML_TENSOR_DESC *channels = owned(STRIDED(F32, shape->output, SIZES(0, 1, 0, 0)));
    const uint32_t add = add_node(tensor, channels, tensor), norm = add_normalization(shape, &change);
    const uint32_t relu = relu_node(tensor, tensor);
    graph_join(&graph, convolution, 0, add, 0);
    graph_input(&graph, OTHER, add, 1);
    graph_join(&graph, add, 0, norm, 0);
    graph_join(&graph, norm, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_int_equal(fuse(DML_EXECUTION_FLAG_NONE), FOLDED);
    assert_true(count_steps(0) + 3 <= count_steps(VKDML_COMPILE_FLAG_NODE_BY_NODE));
    agree_in_sums(products_of(shape), MEAN, VARIANCE);
}

static void halves_are_folded_where_rounding_allows(void **state) {
    (void)state;
    begin_folded(&shapes[0], &(struct change){.type = F16, .has_bias = true});
    assert_nodes(2, "its FLOAT16 weights would be rounded again");
    assert_int_equal(fuse(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION), FOLDED);
    agree_about(F16);
    begin_folded(&shapes[0], &(struct change){.type = F16, .has_bias = true});
    agree(F16);
}

/* ---- what is told ---- */

static void what_is_added_is_told(void **state) {
    (void)state;
    static const char *const names[] = {"conv", "norm", "zero", "conv filter", "conv bias"};
    static const VkdmlNodeRole roles[] = {VKDML_NODE_ROLE_EXECUTED, VKDML_NODE_ROLE_FUSED, VKDML_NODE_ROLE_CONSTANT,
                                          VKDML_NODE_ROLE_INITIALIZED, VKDML_NODE_ROLE_INITIALIZED};
    static const uint32_t groups[] = {0, 0, 2, 3, 4};
    const VkdmlExplanation *e;
    begin_folded(&shapes[0], &(struct change){.has_bias = true});
    assert_nodes(FOLDED, "Nodes[3] (conv filter) is added\n");
    assert_int_equal(vkdmlExplainGraph(device, &graph.desc, NULL, &e), VKDML_SUCCESS);
    graph_end(&graph);
    assert_int_equal(e->nodeCount, 5);
    for (uint32_t n = 0; n < 5; n++) {
        assert_string_equal(e->nodes[n].name, names[n]);
        assert_int_equal(e->nodes[n].role, roles[n]);
        assert_int_equal(e->nodes[n].group, groups[n]);
        assert_int_equal(e->nodes[n].stepCount, n == 0);
        assert_true(e->nodes[n].initialStepCount > 0 || n < 3);
    }
    assert_string_equal(e->nodes[3].operatorName, "DML_OPERATOR_BATCH_NORMALIZATION");
    assert_int_equal(e->nodes[3].outputBytes, 6 * 6 * 9 * 4);
    vkdmlDestroyExplanation(e);
}

/* ---- what stays ---- */

static void numbers_must_be_known(void **state) {
    (void)state;
    static const struct {
        uint32_t input;
        const char *note;
    } bound[] = {{FILTER, "is not fused into Nodes[0] (conv): that one's filter is not known at initialization"},
                 {FILTER_BIAS, "that one's bias is not known at initialization"},
                 {MEAN, "MeanTensor is not known at initialization"},
                 {VARIANCE, "VarianceTensor is not known at initialization"},
                 {SCALE, "ScaleTensor is not known at initialization"},
                 {BIAS, "BiasTensor is not known at initialization"}};
    for (size_t i = 0; i < sizeof bound / sizeof bound[0]; i++) {
        begin_folded(&shapes[0], &(struct change){.has_bias = true, .bound = 1U << bound[i].input});
        assert_nodes(2, bound[i].note);
        agree(F32);
    }
    begin_folded(&shapes[0], &(struct change){.numbers = BY_ELEMENT});
    assert_nodes(2, "MeanTensor is not one number for each channel");
    agree(F32);
}

static void others_stay(void **state) {
    (void)state;
    static const struct shape grouped = {
        "backward, groups", 4, {1, 4, 5, 5}, {4, 3, 3, 3}, {1, 6, 7, 7}, 1, 0, 2, DML_CONVOLUTION_DIRECTION_BACKWARD};
    begin_folded(&grouped, &(struct change){.has_bias = false});
    assert_nodes(2, "its filter's channels are those of each group");
    agree(F32);
    begin_folded(&shapes[0], &(struct change){.is_activated_between = true});
    assert_nodes(2, "that has an activation already");
    agree(F32);
    begin_folded(&shapes[0], &(struct change){.is_strided = true});
    assert_nodes(2, "types, sizes or strides differ");
    agree(F32);
    const uint32_t norm = begin_pair(&shapes[0], &(struct change){.has_bias = false}, 2);
    graph_output(&graph, norm, 0, 0);
    graph_output(&graph, 0, 0, 1);
    assert_nodes(2, "its input is an output of the graph");
    agree(F32);
}

/* Of a convolution that is done at initialization nothing is to be gained. */
static void what_is_computed_once_stays(void **state) {
    (void)state;
    const struct shape *shape = &shapes[0];
    begin(INPUTS, 1);
    const DML_TENSOR_DESC *tensor = ranked(F32, 4, shape->output, NULL);
    const DML_CONVOLUTION_OPERATOR_DESC desc = {.InputTensor = owned(ranked(F32, 4, shape->input, NULL)),
                                                .FilterTensor = owned(ranked(F32, 4, shape->filter, NULL)),
                                                .OutputTensor = tensor,
                                                .Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                .DimensionCount = 2,
                                                .Strides = ones,
                                                .Dilations = ones,
                                                .StartPadding = zeros,
                                                .EndPadding = zeros,
                                                .OutputPadding = zeros,
                                                .GroupCount = 1};
    const uint32_t convolution = node(DML_OPERATOR_CONVOLUTION, &desc, "conv");
    const uint32_t norm = add_normalization(shape, &(struct change){.has_bias = false});
    const uint32_t add = add_node(tensor, tensor, tensor);
    graph_input(&graph, INPUT, convolution, 0);
    graph_input(&graph, FILTER, convolution, 1);
    graph_join(&graph, convolution, 0, norm, 0);
    graph_join(&graph, norm, 0, add, 0);
    graph_input(&graph, OTHER, add, 1);
    graph_output(&graph, add, 0, 0);
    assert_nodes(3, "that is computed once, when the graph is initialized");
    agree(F32);
}

/* ---- memory ---- */

static void nothing_leaks_where_memory_ends(void **state) {
    (void)state;
    const uint32_t norm = begin_pair(&shapes[0], &(struct change){.has_bias = true}, 1);
    const DML_TENSOR_DESC *tensor = ranked(F32, 4, shapes[0].output, NULL);
    const uint32_t relu = relu_node(tensor, tensor);
    graph_join(&graph, norm, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_no_leaks();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(filters_take_normalizations_in),
        TEST(numbers_may_be_broadcast),
        TEST(filters_may_be_constants),
        TEST(filters_may_have_two_readers),
        TEST(several_are_folded),
        TEST(biases_and_activations_come_along),
        TEST(halves_are_folded_where_rounding_allows),
        TEST(what_is_added_is_told),
        TEST(numbers_must_be_known),
        TEST(others_stay),
        TEST(what_is_computed_once_stays),
        TEST(nothing_leaks_where_memory_ends),
    };
    return cmocka_run_group_tests_name("graph_fold", tests, set_up_vulkan, tear_down_vulkan);
}
