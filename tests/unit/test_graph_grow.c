/* Nodes that passes add to a graph: where they come, what stays of the others, and memory that ends. On the machine's
 * first Vulkan device, which computes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/graph.h"
#include "fusion_fixture.h"
#include "graph/graph.h"
#include "graph/outline.h"
#include "one_device.h"
#include "operators/operators.h"
#include "vulkan/device.h"

#define F32   DML_TENSOR_DATA_TYPE_FLOAT32
#define ADDED 200

static struct vkdml_report report;

/* Two nodes. */
static VkdmlResult read_small(struct vkdml_graph **read) {
    vkdml_report_clear(&report);
    return vkdml_read_graph(device, &graph.desc, device->callbacks, &report, read);
}

static void begin_small(void) {
    begin(1, 1);
    const DML_TENSOR_DESC *tensor = TENSOR(F32, 1, 1, 3, 4);
    const uint32_t first = relu_node(tensor, tensor), second = relu_node(tensor, tensor);
    graph_input(&graph, 0, first, 0);
    graph_join(&graph, first, 0, second, 0);
    graph_output(&graph, second, 0, 0);
}

static VkdmlResult make_relu(const struct vkdml_graph *read, struct vkdml_instance **made) {
    static const uint32_t sizes[] = {1, 1, 3, 4};
    const DML_BUFFER_TENSOR_DESC buffer = {F32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, 48, 0};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ACTIVATION_RELU_OPERATOR_DESC desc = {&tensor, &tensor};
    const DML_OPERATOR_DESC op = {DML_OPERATOR_ACTIVATION_RELU, &desc};
    return vkdml_validate(&op, DML_FEATURE_LEVEL_6_4, read->callbacks, &report, made);
}

/* A relu of a value; false where memory ended. */
static bool add_relu(struct vkdml_graph *read, uint32_t source, const char *name, uint32_t *node) {
    struct vkdml_instance *own;
    if (make_relu(read, &own) != VKDML_SUCCESS ||
        vkdml_graph_add_node(read, own, name, &report, node) != VKDML_SUCCESS) {
        return false;
    }
    vkdml_graph_set_source(read, *node, 0, source);
    return true;
}

static const float numbers[] = {1, 2, 3};

/* Relus one behind the other, with constants between that nobody reads; false where memory ended. */
static bool add_many(struct vkdml_graph *read, uint32_t source) {
    for (uint32_t i = 0; i < ADDED; i++) {
        char name[16];
        uint32_t relu, constant;
        snprintf(name, sizeof name, "relu %u", (unsigned)i);
        if (!add_relu(read, source, name, &relu) ||
            vkdml_graph_add_constant(read, numbers, sizeof numbers, "numbers", &report, &constant) != VKDML_SUCCESS) {
            return false;
        }
        name[0] = '\0'; /* it was copied */
        source = vkdml_graph_value_of(read, relu, 0);
    }
    return true;
}

static void assert_added(const struct vkdml_graph *read, uint32_t i) {
    char name[16];
    const struct vkdml_graph_node *relu = &read->nodes[2 + 2 * i], *constant = &read->nodes[3 + 2 * i];
    snprintf(name, sizeof name, "relu %u", (unsigned)i);
    assert_string_equal(relu->name, name);
    assert_string_equal(constant->name, "numbers");
    assert_ptr_equal(constant->data, numbers);
    assert_int_equal(constant->data_bytes, sizeof numbers);
    assert_int_equal(read->values[constant->first_value].bytes, sizeof numbers);
    const struct vkdml_graph_value *value = &read->values[relu->first_value];
    assert_int_equal(value->bytes, 48);
    assert_int_equal(value->node, 2 + 2 * i);
    assert_int_equal(value->readers, i + 1 < ADDED);
    assert_int_equal(vkdml_graph_source(read, 2 + 2 * i, 0), i == 0 ? 2 : relu->first_value - 2);
}

static void nodes_come_behind_the_callers(void **state) {
    (void)state;
    struct vkdml_graph *read;
    begin_small();
    assert_int_equal(read_small(&read), VKDML_SUCCESS);
    struct vkdml_outline *outline = vkdml_outline_create(read, &report);
    assert_non_null(outline);
    const struct vkdml_graph_node first = read->nodes[0], second = read->nodes[1];
    assert_true(add_many(read, vkdml_graph_value_of(read, 1, 0)));
    assert_int_equal(read->node_count, 2 + 2 * ADDED);
    assert_int_equal(read->given_count, 2);
    assert_int_equal(read->value_count, 3 + 2 * ADDED);
    assert_int_equal(read->source_count, 2 + ADDED);
    assert_memory_equal(&read->nodes[0], &first, sizeof first);
    assert_memory_equal(&read->nodes[1], &second, sizeof second);
    assert_int_equal(read->values[2].readers, 1);
    assert_int_equal(read->values[2].outputs, 1);
    for (uint32_t i = 0; i < ADDED; i++) {
        assert_added(read, i);
    }
    assert_int_equal(outline->node_count, read->node_count);
    assert_int_equal(outline->nodes[2].schema->type, DML_OPERATOR_ACTIVATION_RELU);
    assert_int_equal(outline->nodes[2].output_bytes, 48);
    assert_null(outline->nodes[3].schema);
    assert_int_equal(outline->nodes[3].output_bytes, sizeof numbers);
    assert_int_equal(vkdml_graph_order(read, &report), VKDML_SUCCESS);
    assert_int_equal(read->levels[2 + 2 * (ADDED - 1)], ADDED + 1);
    vkdml_outline_destroy(outline);
    vkdml_graph_destroy(read);
    graph_end(&graph);
}

/* What comes before others that were there may be added behind them. */
static void order_is_found_again(void **state) {
    (void)state;
    struct vkdml_graph *read;
    uint32_t between;
    begin_small();
    assert_int_equal(read_small(&read), VKDML_SUCCESS);
    assert_true(add_relu(read, vkdml_graph_value_of(read, 0, 0), "between", &between));
    vkdml_graph_set_source(read, 1, 0, vkdml_graph_value_of(read, between, 0));
    assert_int_equal(vkdml_graph_order(read, &report), VKDML_SUCCESS);
    const uint32_t order[] = {0, between, 1};
    assert_memory_equal(read->order, order, sizeof order);
    assert_int_equal(read->levels[1], 2);
    vkdml_graph_destroy(read);
    graph_end(&graph);
}

static void nothing_leaks_where_memory_ends(void **state) {
    (void)state;
    begin_small();
    bool done = false;
    int fails = 0;
    while (!done) {
        const int live = atomic_load(&allocations.live);
        struct vkdml_graph *read = NULL;
        struct vkdml_outline *outline = NULL;
        atomic_store(&allocations.made, 0);
        atomic_store(&allocations.fails, ++fails);
        if (read_small(&read) == VKDML_SUCCESS) {
            outline = vkdml_outline_create(read, &report);
            done = outline != NULL && add_many(read, vkdml_graph_value_of(read, 1, 0));
        }
        atomic_store(&allocations.fails, 0);
        assert_int_equal(report.result, done ? VKDML_SUCCESS : VKDML_ERROR_OUT_OF_HOST_MEMORY);
        vkdml_outline_destroy(outline);
        vkdml_graph_destroy(read);
        assert_int_equal(atomic_load(&allocations.live), live);
    }
    assert_in_range(fails, 3 * ADDED, 3 * ADDED + 60); /* arrays grow by half, not by one */
    graph_end(&graph);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(nodes_come_behind_the_callers),
        TEST(order_is_found_again),
        TEST(nothing_leaks_where_memory_ends),
    };
    return cmocka_run_group_tests_name("graph_grow", tests, set_up_vulkan, tear_down_vulkan);
}
