/* Products of one matrix that become one of batches: which do, which do not and why, and what they make. On the
 * machine's first Vulkan device. */
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

#define PRODUCTS 3

/* Inputs of all graphs: the matrix, what it is multiplied by, what is added. */
enum { MATRIX, FACTOR, ADDEND = FACTOR + PRODUCTS, INPUTS = ADDEND + PRODUCTS };

/* ---- graphs ---- */

/* What a test changes of three products of one matrix, all 0: of FLOAT32, 1 x 1 x 6 x 8 by owned matrices of 8 x 12. */
struct change {
    DML_TENSOR_DATA_TYPE type;     /* UNKNOWN: FLOAT32 */
    uint32_t rank, outer, inner;   /* 0: 4, 1 and 1 */
    uint32_t rows, columns, depth; /* 0: 6, 12, 8 */
    bool turns_a, turns_b, has_activation;
    enum { NO_ADDENDS, ROWS_OF_ALL, WHOLE } addends;
    bool shares_factors; /* batches are multiplied by the same matrices */
    bool is_strided;
    /* Of the last product alone: */
    bool is_bound, is_addend_bound, is_longer, is_scaled, is_turned, is_squashed, is_output, is_softmax;
};

static uint32_t or (uint32_t number, uint32_t usual) {
    return number != 0 ? number : usual;
}

static DML_TENSOR_DATA_TYPE type_of(const struct change *change) {
    return change->type != DML_TENSOR_DATA_TYPE_UNKNOWN ? change->type : F32;
}

/* A matrix for each batch. */
static const DML_TENSOR_DESC *matrices(const struct change *change, uint32_t rows, uint32_t columns, bool is_turned,
                                       bool is_shared) {
    const uint32_t rank = or (change->rank, 4);
    const uint32_t height = is_turned ? columns : rows, width = is_turned ? rows : columns;
    const uint32_t sizes[] = { or (change->outer, 1), or (change->inner, 1), height, width};
    const uint32_t strides[] = {0, 0, width, 1};
    return ranked(type_of(change), rank, sizes + 4 - rank, is_shared ? strides + 4 - rank : NULL);
}

static const DML_TENSOR_DESC *addend_of(const struct change *change, uint32_t rows, uint32_t columns) {
    const uint32_t rank = or (change->rank, 4), strides[] = {0, 0, 0, 1};
    const uint32_t sizes[] = { or (change->outer, 1), or (change->inner, 1), rows, columns};
    return change->addends == NO_ADDENDS
               ? NULL
               : ranked(type_of(change), rank, sizes + 4 - rank, change->addends == WHOLE ? NULL : strides + 4 - rank);
}

static uint32_t columns_of(const struct change *change, uint32_t n) {
    return or (change->columns, 12) + (n + 1 == PRODUCTS && change->is_longer ? 4 : 0);
}

/* Every other element, where they are to be strided. */
static const DML_TENSOR_DESC *output_of(const struct change *change, uint32_t n) {
    const uint32_t rows = or (change->rows, 6), columns = columns_of(change, n);
    return change->is_strided ? STRIDED(type_of(change), SIZES(1, 1, rows, columns),
                                        SIZES(2 * rows * columns, 2 * rows * columns, 2 * columns, 2))
                              : matrices(change, rows, columns, false, false);
}

static uint32_t add_product(const struct change *change, uint32_t n) {
    static const char *const names[PRODUCTS] = {"query", "key", "value"};
    const bool is_last = n + 1 == PRODUCTS;
    const uint32_t rows = or (change->rows, 6), columns = columns_of(change, n), depth = or (change->depth, 8);
    const bool turns_b = change->turns_b != (is_last && change->is_turned);
    const DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC leaky = {.Alpha = is_last && change->is_squashed ? 0.25F : 0.125F};
    const DML_ACTIVATION_SOFTMAX_OPERATOR_DESC softmax = {NULL, NULL};
    const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_LEAKY_RELU, &leaky};
    const DML_OPERATOR_DESC row_wise = {DML_OPERATOR_ACTIVATION_SOFTMAX, &softmax};
    const DML_TENSOR_DESC *b = matrices(change, depth, columns, turns_b, change->shares_factors);
    const DML_TENSOR_DESC *c = addend_of(change, rows, columns);
    const DML_GEMM_OPERATOR_DESC desc = {.ATensor = matrices(change, rows, depth, change->turns_a, false),
                                         .BTensor = is_last && change->is_bound ? b : owned(b),
                                         .CTensor = c == NULL || (is_last && change->is_addend_bound) ? c : owned(c),
                                         .OutputTensor = output_of(change, n),
                                         .TransA = change->turns_a ? DML_MATRIX_TRANSFORM_TRANSPOSE
                                                                   : DML_MATRIX_TRANSFORM_NONE,
                                         .TransB = turns_b ? DML_MATRIX_TRANSFORM_TRANSPOSE : DML_MATRIX_TRANSFORM_NONE,
                                         .Alpha = is_last && change->is_scaled ? 0.5F : 1,
                                         .Beta = 0.5F,
                                         .FusedActivation = change->is_softmax       ? &row_wise
                                                            : change->has_activation ? &activation
                                                                                     : NULL};
    const uint32_t product = node(DML_OPERATOR_GEMM, &desc, names[n]);
    graph_input(&graph, MATRIX, product, 0);
    graph_input(&graph, FACTOR + n, product, 1);
    if (c != NULL) {
        graph_input(&graph, ADDEND + n, product, 2);
    }
    return product;
}

/* Nodes 0 to 2 are the products; what each makes is negated behind it. */
static void begin_products(const struct change *change) {
    begin(INPUTS, PRODUCTS + change->is_output);
    for (uint32_t n = 0; n < PRODUCTS; n++) {
        add_product(change, n);
    }
    for (uint32_t n = 0; n < PRODUCTS; n++) {
        const DML_TENSOR_DESC *tensor = output_of(change, n);
        const DML_ELEMENT_WISE_ABS_OPERATOR_DESC desc = {tensor, tensor, NULL};
        const uint32_t reader = node(DML_OPERATOR_ELEMENT_WISE_ABS, &desc, "reader");
        graph_join(&graph, n, 0, reader, 0);
        graph_output(&graph, reader, 0, n);
    }
    if (change->is_output) {
        graph_output(&graph, PRODUCTS - 1, 0, PRODUCTS);
    }
}

static uint32_t products_of(const struct change *change) {
    return or (change->depth, 8) + (change->addends != NO_ADDENDS);
}

/* Within the bound, where numbers are FLOAT32. The graph ends. */
static void agree_in_products(const struct change *change) {
    if (type_of(change) == F32 && !change->has_activation && !change->is_softmax) {
        agree_in_sums(products_of(change), INPUTS, INPUTS);
    } else {
        agree_nearly(type_of(change));
    }
}

/* So many of the products go; the others are done by one, whose parts are a view. The graph ends. */
static void agree_joined(const struct change *change, uint32_t joined, const char *what) {
    const uint32_t added = change->addends != NO_ADDENDS ? 4 : 3;
    begin_products(change);
    const uint32_t nodes = fuse(DML_EXECUTION_FLAG_NONE);
    const uint32_t steps = count_steps(0), apart = count_steps(VKDML_COMPILE_FLAG_NODE_BY_NODE);
    if (nodes != 2 * PRODUCTS - joined + added || steps + joined - 1 > apart) {
        fail_msg("%s: %u nodes of %u steps, %u node by node:\n%s", what, (unsigned)nodes, (unsigned)steps,
                 (unsigned)apart, notes_text);
    }
    assert_non_null(strstr(notes_text, "Nodes[0] (query) is fused into Nodes["));
    agree_in_products(change);
}

/* ---- what is joined ---- */

static const struct change joined[] = {
    {.rows = 0},
    {.type = F16},
    {.rank = 2},
    {.rank = 3},
    {.rank = 3, .inner = 2},
    {.outer = 3},
    {.inner = 3},
    {.inner = 2, .shares_factors = true},
    {.outer = 2, .shares_factors = true},
    {.rows = 1, .depth = 64},
    {.columns = 1, .depth = 64},
    {.rows = 5, .columns = 7, .depth = 3},
    {.rows = 5, .columns = 7, .depth = 3, .type = F16},
    {.turns_a = true},
    {.turns_b = true, .rows = 3, .columns = 5},
    {.turns_a = true, .turns_b = true, .inner = 2, .type = F16},
    {.depth = 1},
};

#define JOINED (sizeof joined / sizeof joined[0])

static void products_of_one_matrix_are_joined(void **state) {
    (void)state;
    for (size_t i = 0; i < JOINED; i++) {
        char what[32];
        snprintf(what, sizeof what, "row %zu", i);
        agree_joined(&joined[i], PRODUCTS, what);
    }
}

static void what_they_add_is_joined(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * JOINED; i++) {
        struct change change = joined[i / 2];
        char what[32];
        change.addends = i % 2 == 0 ? ROWS_OF_ALL : WHOLE;
        snprintf(what, sizeof what, "row %zu, addends %u", i / 2, (unsigned)change.addends);
        agree_joined(&change, PRODUCTS, what);
    }
}

static void activations_come_along(void **state) {
    (void)state;
    agree_joined(&(struct change){.has_activation = true}, PRODUCTS, "activated");
    agree_joined(&(struct change){.has_activation = true, .addends = ROWS_OF_ALL, .type = F16}, PRODUCTS, "halves");
}

/* Two of three are alike. */
static void others_stay(void **state) {
    (void)state;
    static const struct {
        struct change change;
        const char *note;
    } others[] = {
        {{.is_bound = true}, "what it multiplies by or adds is not known at initialization"},
        {{.is_addend_bound = true, .addends = WHOLE}, "what it multiplies by or adds is not known at initialization"},
        {{.is_longer = true}, "both multiply one matrix, but not alike"},
        {{.is_scaled = true}, "both multiply one matrix, but not alike"},
        {{.is_turned = true}, "both multiply one matrix, but not alike"},
        {{.is_squashed = true, .has_activation = true}, "both multiply one matrix, but not alike"},
        {{.is_output = true}, "its output is an output of the graph"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        agree_joined(&others[i].change, PRODUCTS - 1, others[i].note);
        assert_non_null(strstr(notes_text, "Nodes[2] (value) is not fused into "));
        assert_non_null(strstr(notes_text, others[i].note));
    }
}

static void none_may_be_joined(void **state) {
    (void)state;
    static const struct {
        struct change change;
        const char *note;
    } none[] = {
        {{.outer = 2, .inner = 2}, "it has two dimensions of batches"},
        {{.is_strided = true}, "its output is not packed"},
        {{.is_softmax = true}, "that has a softmax"},
    };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        begin_products(&none[i].change);
        assert_nodes(2 * PRODUCTS, none[i].note);
        agree_in_products(&none[i].change);
    }
}

/* Their results are not needed in time: they would be computed at initialization alone. */
static void products_of_what_is_known_stay(void **state) {
    (void)state;
    begin(INPUTS, 1);
    const DML_TENSOR_DESC *matrix = TENSOR(F32, 1, 1, 6, 6);
    const DML_GEMM_OPERATOR_DESC desc = {.ATensor = owned(TENSOR(F32, 1, 1, 6, 8)),
                                         .BTensor = owned(TENSOR(F32, 1, 1, 8, 6)),
                                         .OutputTensor = matrix,
                                         .Alpha = 1};
    const uint32_t one = node(DML_OPERATOR_GEMM, &desc, "one"), other = node(DML_OPERATOR_GEMM, &desc, "other");
    const uint32_t sum = add_node(matrix, matrix, matrix);
    for (uint32_t n = 0; n < 2; n++) {
        graph_input(&graph, 0, n == 0 ? one : other, 0);
        graph_input(&graph, 1 + n, n == 0 ? one : other, 1);
        graph_join(&graph, n == 0 ? one : other, 0, sum, n);
    }
    graph_output(&graph, sum, 0, 0);
    fuse(DML_EXECUTION_FLAG_NONE);
    assert_null(strstr(notes_text, "is added"));
    graph_end(&graph);
}

/* Of which a device's processors are busy with each. Nothing is executed. */
static void large_products_stay(void **state) {
    (void)state;
    begin_products(&(struct change){.rows = 4096, .columns = 4096});
    assert_nodes(2 * PRODUCTS, "it is large enough to keep a device busy");
    graph_end(&graph);
}

/* ---- what is told ---- */

static void what_is_added_is_told(void **state) {
    (void)state;
    static const struct {
        const char *name;
        VkdmlNodeRole role;
        uint32_t group;
    } expected[] = {{"query", VKDML_NODE_ROLE_FUSED, 8},
                    {"key", VKDML_NODE_ROLE_FUSED, 8},
                    {"value", VKDML_NODE_ROLE_FUSED, 8},
                    {"reader", VKDML_NODE_ROLE_EXECUTED, 3},
                    {"reader", VKDML_NODE_ROLE_EXECUTED, 4},
                    {"reader", VKDML_NODE_ROLE_EXECUTED, 5},
                    {"query matrices", VKDML_NODE_ROLE_INITIALIZED, 6},
                    {"query addends", VKDML_NODE_ROLE_INITIALIZED, 7},
                    {"query and others", VKDML_NODE_ROLE_EXECUTED, 8},
                    {"query parts", VKDML_NODE_ROLE_VIEW, 9}};
    const VkdmlExplanation *e;
    begin_products(&(struct change){.addends = ROWS_OF_ALL});
    assert_nodes(PRODUCTS + 4, "Nodes[8] (query and others) is added\n");
    assert_int_equal(vkdmlExplainGraph(device, &graph.desc, NULL, &e), VKDML_SUCCESS);
    graph_end(&graph);
    assert_int_equal(e->nodeCount, sizeof expected / sizeof expected[0]);
    for (uint32_t n = 0; n < e->nodeCount; n++) {
        assert_string_equal(e->nodes[n].name, expected[n].name);
        assert_int_equal(e->nodes[n].role, expected[n].role);
        assert_int_equal(e->nodes[n].group, expected[n].group);
    }
    vkdmlDestroyExplanation(e);
}

static void nothing_leaks_where_memory_ends(void **state) {
    (void)state;
    begin_products(&(struct change){.addends = ROWS_OF_ALL});
    assert_no_leaks();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(products_of_one_matrix_are_joined),
        TEST(what_they_add_is_joined),
        TEST(activations_come_along),
        TEST(others_stay),
        TEST(none_may_be_joined),
        TEST(products_of_what_is_known_stay),
        TEST(large_products_stay),
        TEST(what_is_added_is_told),
        TEST(nothing_leaks_where_memory_ends),
    };
    return cmocka_run_group_tests_name("graph_projections", tests, set_up_vulkan, tear_down_vulkan);
}
