/* Compiling graphs where memory or the driver fails, where operators are gone and on several threads; what may be bound
 * to them, and what initializes them. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "small_graph.h"
#include "unit/one_device.h"

static struct graph graph;

/* ---- faults ---- */

/* The graph of a fresh device, which has no pipelines yet. */
static void begin_fresh(void) {
    reset_vulkan();
    device = import_device(0, NULL);
    small_graph(device, &graph);
}

static void end_fresh(void) {
    graph_end(&graph);
    vkdmlDestroyDevice(device);
    assert_nothing_left();
}

/* A failure leaves nothing but what the device keeps, pipelines that were made, and the same call then succeeds. */
static void assert_failed_and_done_again(VkdmlResult result, VkdmlResult expected, VkdmlDispatchable compiled) {
    if (result == VKDML_SUCCESS) {
        return;
    }
    assert_int_equal(result, expected);
    assert_null(compiled);
    assert_true(vkdmlGetErrorMessage()[0] != '\0');
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_SUCCESS);
    vkdmlDestroyDispatchable(compiled);
}

static void any_host_allocation_may_fail(void **state) {
    (void)state;
    int failures = 0;
    bool done = false;
    for (int i = 1; !done; i++) {
        VkdmlDispatchable compiled = (VkdmlDispatchable)(void *)&graph;
        begin_fresh();
        atomic_store(&allocations.made, 0);
        atomic_store(&allocations.fails, i);
        const VkdmlResult result = vkdmlCompileGraph(device, &graph.desc, NULL, &compiled);
        done = atomic_load(&allocations.made) < i;
        atomic_store(&allocations.fails, 0);
        failures += result != VKDML_SUCCESS;
        /* A driver may have another name for it. */
        const VkdmlResult expected =
            result == VKDML_ERROR_OUT_OF_DEVICE_MEMORY ? result : VKDML_ERROR_OUT_OF_HOST_MEMORY;
        assert_failed_and_done_again(result, expected, compiled);
        if (result == VKDML_SUCCESS) {
            vkdmlDestroyDispatchable(compiled);
        }
        end_fresh();
    }
    assert_true(failures >= 12); /* the graph, its order, its nodes' plans, places, steps, words, pipelines, .. */
}

static const enum interposed failing_calls[] = {
    INTERPOSED_CreateShaderModule, INTERPOSED_CreateComputePipelines, INTERPOSED_CreateBuffer,
    INTERPOSED_AllocateMemory,     INTERPOSED_BindBufferMemory,       INTERPOSED_MapMemory,
};

/* Whether the nth call of a function while the graph is compiled is one. */
static bool fail_call(enum interposed function, uint32_t nth, VkResult failure, VkdmlResult expected) {
    VkdmlDispatchable compiled = (VkdmlDispatchable)(void *)&graph;
    begin_fresh();
    const uint32_t before = interposer.calls[function];
    interposer.failing = function;
    interposer.fail_at = before + nth;
    interposer.failure = failure;
    const VkdmlResult result = vkdmlCompileGraph(device, &graph.desc, NULL, &compiled);
    const bool reached = interposer.calls[function] >= before + nth;
    interposer.fail_at = 0;
    if (reached && result != VKDML_SUCCESS) {
        assert_reason(interposed_name(function));
    }
    if (expected == VKDML_ERROR_DEVICE_LOST && result != VKDML_SUCCESS) {
        assert_int_equal(result, expected);
        assert_null(compiled);
        assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_ERROR_DEVICE_LOST);
        assert_null(compiled);
    } else {
        assert_failed_and_done_again(result, expected, compiled);
    }
    if (result == VKDML_SUCCESS) {
        /* Memory that is full is replaced by another type's. */
        assert_true(!reached || (function == INTERPOSED_AllocateMemory && failure == VK_ERROR_OUT_OF_DEVICE_MEMORY));
        vkdmlDestroyDispatchable(compiled);
    }
    end_fresh();
    return reached;
}

static void any_driver_call_may_fail(void **state) {
    (void)state;
    static const struct {
        VkResult failure;
        VkdmlResult expected;
    } failures[] = {{VK_ERROR_OUT_OF_DEVICE_MEMORY, VKDML_ERROR_OUT_OF_DEVICE_MEMORY},
                    {VK_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_OUT_OF_HOST_MEMORY},
                    {VK_ERROR_DEVICE_LOST, VKDML_ERROR_DEVICE_LOST}};
    uint32_t reached = 0;
    for (size_t f = 0; f < sizeof failures / sizeof *failures; f++) {
        for (size_t i = 0; i < sizeof failing_calls / sizeof *failing_calls; i++) {
            uint32_t nth = 1;
            while (fail_call(failing_calls[i], nth, failures[f].failure, failures[f].expected)) {
                nth++;
            }
            reached += nth - 1;
        }
    }
    assert_true(reached >= 3 * 8); /* two calls for each of three pipelines at least, and one of each for memory */
}

/* ---- handles ---- */

static void operators_that_are_gone_are_told(void **state) {
    (void)state;
    VkdmlDispatchable compiled = (VkdmlDispatchable)(void *)&graph;
    reset_vulkan();
    device = import_device(VKDML_DEVICE_FLAG_CHECK_HANDLES, NULL);
    small_graph(device, &graph);
    VkdmlOperator op = (VkdmlOperator)(void *)graph.operators[3].Operator;
    vkdmlDestroyOperator(op);
    assert_invalid(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled),
                   "Nodes[3] (sum).Operator is a VkdmlOperator that was destroyed, must be a live VkdmlOperator");
    assert_null(compiled);
    graph.operators[3].Operator = (IDMLOperator *)(void *)device;
    assert_invalid(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled),
                   "Nodes[3] (sum).Operator is a VkdmlDevice, must be a VkdmlOperator");
    graph.operators[3].Operator = vkdmlGraphOperator(small_add(device, false));
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_SUCCESS);
    /* Operators are not needed afterwards, and a dispatchable is no operator. */
    graph_end(&graph);
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    vkdmlDestroyDispatchable(compiled);
    assert_invalid(vkdmlGetBindingProperties(compiled, &properties), "VkdmlDispatchable that was destroyed");
    vkdmlDestroyDevice(device);
    assert_nothing_left();
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 20 };

static void *compile_again(void *argument) {
    uintptr_t *failures = argument;
    for (int i = 0; i < ROUNDS; i++) {
        VkdmlDispatchable compiled;
        VkdmlBindingProperties properties;
        const bool good = vkdmlCompileGraph(device, &graph.desc, NULL, &compiled) == VKDML_SUCCESS &&
                          vkdmlGetBindingProperties(compiled, &properties) == VKDML_SUCCESS &&
                          properties.inputCount == 3 && properties.outputCount == 2 &&
                          properties.persistentResourceSize == SMALL_BYTES;
        vkdmlDestroyDispatchable(compiled);
        *failures += !good;
    }
    return NULL;
}

static void threads_compile_one_graph_at_once(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    uintptr_t failures[THREADS] = {0};
    begin_fresh();
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, compile_again, &failures[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(failures[i], 0);
    }
    end_fresh();
}

/* ---- binding ---- */

static VkdmlBindingTable table_of(VkdmlDispatchable compiled, const VkdmlBufferBinding *inputs,
                                  const VkdmlBufferBinding *outputs, VkDeviceSize persistent_at) {
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    return bind_all(compiled, &(struct bindings){3, inputs, 2, outputs,
                                                 other_range(persistent_at, properties.persistentResourceSize),
                                                 VULKAN_BUFFER_BYTES / 2});
}

static void assert_not_recorded(VkdmlDispatchable compiled, const VkdmlBufferBinding *inputs,
                                const VkdmlBufferBinding *outputs, const char *reason) {
    VkdmlBindingTable table = table_of(compiled, inputs, outputs, 0);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), reason);
    vkdmlDestroyBindingTable(table);
}

static VkdmlDispatchable compile_small_graph(void) {
    VkdmlDispatchable compiled;
    small_graph(device, &graph);
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_SUCCESS);
    graph_end(&graph);
    return compiled;
}

static void outputs_lie_apart_from_all_else(void **state) {
    (void)state;
    VkdmlDispatchable compiled = compile_small_graph();
    const VkdmlBufferBinding inputs[3] = {range(0, SMALL_BYTES), nothing, nothing};
    assert_not_recorded(compiled, inputs,
                        (const VkdmlBufferBinding[2]){range(0, SMALL_BYTES), range(1024, SMALL_BYTES)},
                        "GraphOutputs[0]: bytes 0 to 256 of its buffer overlap GraphInputs[0] at 0");
    assert_not_recorded(compiled, inputs,
                        (const VkdmlBufferBinding[2]){range(1024, SMALL_BYTES), range(128, SMALL_BYTES)},
                        "GraphOutputs[1]: bytes 128 to 384 of its buffer overlap GraphInputs[0] at 0");
    assert_not_recorded(compiled, inputs,
                        (const VkdmlBufferBinding[2]){range(1024, SMALL_BYTES), range(1040, SMALL_BYTES)}, "overlap");
    assert_not_recorded(compiled, inputs,
                        (const VkdmlBufferBinding[2]){range(1024, SMALL_BYTES), other_range(0, SMALL_BYTES)},
                        "PersistentResource");
    vkdmlDestroyDispatchable(compiled);
}

static void what_nothing_reads_has_nothing_bound(void **state) {
    (void)state;
    VkdmlDispatchable compiled = compile_small_graph();
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    const VkdmlBufferBinding some = range(0, SMALL_BYTES);
    assert_invalid(vkdmlBindInputs(table, 3, (const VkdmlBufferBinding[3]){some, nothing, some}),
                   "GraphInputs[2]: buffer is given, must be VK_NULL_HANDLE: no edge names it");
    assert_invalid(vkdmlBindInputs(table, 3, (const VkdmlBufferBinding[3]){some, some, nothing}),
                   "GraphInputs[1]: buffer is given, must be VK_NULL_HANDLE: DML_TENSOR_FLAG_OWNED_BY_DML");
    assert_invalid(vkdmlBindInputs(table, 3, (const VkdmlBufferBinding[3]){nothing, nothing, nothing}),
                   "GraphInputs[0]: buffer is VK_NULL_HANDLE");
    assert_invalid(vkdmlBindInputs(table, 2, (const VkdmlBufferBinding[2]){some, nothing}), "must be 3");
    assert_invalid(vkdmlBindOutputs(table, 1, &some), "must be 2");
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

/* ---- initializers ---- */

static float at(VkDeviceSize offset, uint32_t i) {
    float value;
    memcpy(&value, vulkan.bytes + offset + 4 * (size_t)i, sizeof value);
    return value;
}

static void fill(VkDeviceSize offset, float first, float step) {
    for (uint32_t i = 0; i < SMALL_COUNT; i++) {
        const float value = first + step * (float)i;
        memcpy(vulkan.bytes + offset + 4 * (size_t)i, &value, sizeof value);
    }
}

static void initialize(const VkdmlDispatchable *dispatchables) {
    const VkdmlBufferBinding first = range(0, SMALL_BYTES), second = range(1024, SMALL_BYTES),
                             third = range(2048, SMALL_BYTES);
    const VkdmlBufferBinding inputs[8] = {nothing, first, nothing, second, nothing, nothing, third, nothing};
    VkdmlBufferBinding outputs[3];
    for (uint32_t i = 0; i < 3; i++) {
        VkdmlBindingProperties own;
        assert_int_equal(vkdmlGetBindingProperties(dispatchables[i], &own), VKDML_SUCCESS);
        outputs[i] = other_range((VkDeviceSize)4096 * i, own.persistentResourceSize);
    }
    initialize_all(3, dispatchables,
                   &(struct bindings){.input_count = 3 + 2 + 3,
                                      .inputs = inputs,
                                      .output_count = 3,
                                      .outputs = outputs,
                                      .temporary_at = VULKAN_BUFFER_BYTES / 2});
}

static void one_initializer_serves_graphs_and_operators(void **state) {
    (void)state;
    static const float constant[5] = {1, -2, 3, -4, 5};
    VkdmlDispatchable dispatchables[3];
    VkdmlOperator add = small_add(device, true);
    small_graph(device, &graph);
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &dispatchables[0]), VKDML_SUCCESS);
    assert_int_equal(vkdmlCompileOperator(add, NULL, &dispatchables[1]), VKDML_SUCCESS);
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &dispatchables[2]), VKDML_SUCCESS);
    graph_end(&graph);
    vkdmlDestroyOperator(add);
    fill(0, -2, 1);
    fill(1024, 7, 2);
    fill(2048, 10, -3);
    initialize(dispatchables);
    fill(4096, -5, 0.5F); /* input 0 of the graphs */
    for (uint32_t g = 0; g < 3; g += 2) {
        const VkdmlBufferBinding inputs[3] = {range(4096, SMALL_BYTES), nothing, nothing};
        const VkdmlBufferBinding outputs[2] = {range(8192, SMALL_BYTES), range(12288, SMALL_BYTES)};
        VkdmlBindingTable table = table_of(dispatchables[g], inputs, outputs, (VkDeviceSize)4096 * g);
        assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), dispatchables[g], table), VKDML_SUCCESS);
        vulkan_run(&vulkan);
        for (uint32_t i = 0; i < SMALL_COUNT; i++) {
            const float fixed = (i < 5 ? constant[i] : 0) + (g == 0 ? -2 + (float)i : 10 - 3 * (float)i);
            const float sum = (fixed > 0 ? fixed : 0) + -5 + 0.5F * (float)i;
            assert_true(at(8192, i) == sum && at(12288, i) == (sum > 0 ? sum : 0));
        }
        vkdmlDestroyBindingTable(table);
    }
    for (uint32_t i = 0; i < 3; i++) {
        vkdmlDestroyDispatchable(dispatchables[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_host_allocation_may_fail),
        cmocka_unit_test(any_driver_call_may_fail),
        cmocka_unit_test(operators_that_are_gone_are_told),
        cmocka_unit_test(threads_compile_one_graph_at_once),
        cmocka_unit_test_setup_teardown(outputs_lie_apart_from_all_else, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(what_nothing_reads_has_nothing_bound, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(one_initializer_serves_graphs_and_operators, begin_with_device,
                                        end_with_device),
    };
    return cmocka_run_group_tests_name("graph faults", tests, set_up_vulkan, tear_down_vulkan);
}
