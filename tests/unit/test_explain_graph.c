/* Explanations of graphs: what becomes of nodes, what is refused, and that nothing leaks. On the machine's first Vulkan
 * device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define COUNT 64 /* elements of every tensor, 256 bytes */

static struct graph graph;
static const VkdmlCompileInfo node_by_node = {.structSize = sizeof(VkdmlCompileInfo),
                                              .flags = VKDML_COMPILE_FLAG_NODE_BY_NODE};

static uint32_t add_node(const char *name, DML_TENSOR_FLAGS second_flags) {
    static const uint32_t sizes[] = {1, 1, 1, COUNT};
    const DML_BUFFER_TENSOR_DESC plain = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, 4 * COUNT, 0};
    DML_BUFFER_TENSOR_DESC second = plain;
    second.Flags = second_flags;
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &plain}, b = {DML_TENSOR_TYPE_BUFFER, &second};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {&tensor, &b, &tensor};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_ADD, &add};
    VkdmlOperator op;
    assert_int_equal(vkdmlCreateOperator(device, &desc, &op), VKDML_SUCCESS);
    return graph_operator(&graph, op, name);
}

/* y = (x + w) + (half + half), of which the second sum is known at initialization. */
static void begin_sums(void) {
    static const float half[COUNT] = {0.5f};
    graph_begin(&graph, 2, 1);
    const uint32_t first = add_node("first", DML_TENSOR_FLAG_OWNED_BY_DML);
    const uint32_t known = add_node("known", DML_TENSOR_FLAG_NONE);
    const uint32_t last = add_node(NULL, DML_TENSOR_FLAG_NONE);
    const uint32_t constant = graph_constant(&graph, half, sizeof half, "half");
    graph_input(&graph, 0, first, 0);
    graph_input(&graph, 1, first, 1);
    graph_join(&graph, constant, 0, known, 0);
    graph_join(&graph, constant, 0, known, 1);
    graph_join(&graph, first, 0, last, 0);
    graph_join(&graph, known, 0, last, 1);
    graph_output(&graph, last, 0, 0);
}

static void nodes_are_told_of(void **state) {
    (void)state;
    begin_sums();
    const VkdmlExplanation *e;
    assert_int_equal(vkdmlExplainGraph(device, &graph.desc, &node_by_node, &e), VKDML_SUCCESS);
    graph_end(&graph); /* nothing of it is needed */
    assert_string_equal(e->operatorName, "graph");
    assert_int_equal(e->nodeCount, 4);
    static const VkdmlNodeRole roles[] = {VKDML_NODE_ROLE_EXECUTED, VKDML_NODE_ROLE_INITIALIZED,
                                          VKDML_NODE_ROLE_EXECUTED, VKDML_NODE_ROLE_CONSTANT};
    static const char *const names[] = {"first", "known", "", "half"};
    for (uint32_t n = 0; n < 4; ++n) {
        assert_int_equal(e->nodes[n].role, roles[n]);
        assert_string_equal(e->nodes[n].name, names[n]);
        assert_int_equal(e->nodes[n].group, n);
        assert_int_equal(e->nodes[n].outputBytes, 4 * COUNT);
    }
    assert_null(e->nodes[3].operatorName);
    assert_string_equal(e->nodes[0].operatorName, "DML_OPERATOR_ELEMENT_WISE_ADD");
    assert_int_equal(e->nodes[2].level, 1);
    assert_int_equal(e->nodes[0].stepCount, 1);
    assert_int_equal(e->nodes[1].initialStepCount, 1);
    assert_int_equal(e->nodes[1].stepCount, 0);
    const VkdmlStep *step = &e->steps[e->nodes[2].step];
    assert_true(step->barrierBefore && !step->initializes);
    assert_true(e->steps[e->nodes[1].initialStep].initializes);
    bool writes = false;
    for (uint32_t b = 0; b < step->bufferCount; ++b) {
        writes = writes || (step->buffers[b].written && strcmp(step->buffers[b].name, "GraphOutputs[0]") == 0);
    }
    assert_true(writes);
    assert_int_equal(e->inputBytes, 2 * 4 * COUNT);
    assert_true(e->levelCount >= 2 && e->leastTemporaryBytes <= e->temporaryResourceSize);
    assert_int_equal(e->levelBytes[0], 4 * COUNT);
    vkdmlDestroyExplanation(e);
}

static void what_is_compiled_is_told(void **state) {
    (void)state;
    begin_sums();
    const VkdmlExplanation *e;
    VkdmlDispatchable compiled;
    VkdmlBindingProperties needs;
    assert_int_equal(vkdmlExplainGraph(device, &graph.desc, NULL, &e), VKDML_SUCCESS);
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetBindingProperties(compiled, &needs), VKDML_SUCCESS);
    assert_int_equal(e->temporaryResourceSize, needs.temporaryResourceSize);
    assert_int_equal(e->persistentResourceSize, needs.persistentResourceSize);
    for (uint32_t n = 0; n < e->nodeCount; ++n) {
        assert_true(e->nodes[n].group < e->nodeCount);
        assert_true(e->nodes[n].step + e->nodes[n].stepCount <= e->stepCount);
    }
    vkdmlDestroyExplanation(e);
    vkdmlDestroyDispatchable(compiled);
    graph_end(&graph);
}

/* Every other row of a matrix, by a command. */
static void copies_are_told_of(void **state) {
    (void)state;
    enum { ROWS = 3, COLUMNS = 256 };
    static const uint32_t sizes[] = {1, 1, ROWS, COLUMNS}, strides[] = {0, 0, 2 * COLUMNS, 1};
    interposer.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    device = import_device(VKDML_DEVICE_FLAG_ALLOW_TRANSFER, NULL);
    const DML_BUFFER_TENSOR_DESC packed = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, 4 * ROWS * COLUMNS, 0};
    const DML_BUFFER_TENSOR_DESC apart = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, strides, 4 * (2 * ROWS - 1) * COLUMNS, 0};
    const DML_TENSOR_DESC input = {DML_TENSOR_TYPE_BUFFER, &apart}, output = {DML_TENSOR_TYPE_BUFFER, &packed};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity = {&input, &output, NULL};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &identity};
    const VkdmlExplanation *e;
    VkdmlOperator op;
    assert_int_equal(vkdmlCreateOperator(device, &desc, &op), VKDML_SUCCESS);
    assert_int_equal(vkdmlExplainOperator(op, NULL, &e), VKDML_SUCCESS);
    assert_int_equal(e->stepCount, 1);
    assert_int_equal(e->steps[0].kind, VKDML_STEP_KIND_COPY);
    assert_int_equal(e->steps[0].copiedRuns, ROWS);
    assert_int_equal(e->steps[0].copiedBytes, 4 * ROWS * COLUMNS);
    vkdmlDestroyExplanation(e);
    vkdmlDestroyOperator(op);
}

static void broken_graphs_are_refused(void **state) {
    (void)state;
    const VkdmlExplanation *e;
    begin_sums();
    graph.desc.OutputEdgeCount = 0;
    assert_int_equal(vkdmlExplainGraph(device, &graph.desc, NULL, &e), VKDML_ERROR_INVALID_ARGUMENT);
    assert_null(e);
    assert_int_equal(vkdmlExplainGraph(device, NULL, NULL, &e), VKDML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(vkdmlExplainGraph(device, &graph.desc, NULL, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    graph_end(&graph);
}

static VkdmlResult explain(void **handle) {
    const VkdmlExplanation *e;
    const VkdmlResult result = vkdmlExplainGraph(device, &graph.desc, NULL, &e);
    *handle = (void *)e;
    return result;
}

static void nothing_leaks_where_memory_ends(void **state) {
    (void)state;
    begin_sums();
    void *e;
    survive_failing_allocations(explain, false, &e);
    vkdmlDestroyExplanation(e);
    graph_end(&graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nodes_are_told_of, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(what_is_compiled_is_told, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(copies_are_told_of, begin_without_device, end_with_device),
        cmocka_unit_test_setup_teardown(broken_graphs_are_refused, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(nothing_leaks_where_memory_ends, begin_with_device, end_with_device),
    };
    return cmocka_run_group_tests_name("explain graph", tests, set_up_vulkan, tear_down_vulkan);
}
