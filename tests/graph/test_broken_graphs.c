/* Graphs of which one thing is wrong: the code, a reason that names it, nothing made and nothing left. No device work
 * is done. On the machine's first Vulkan device.
 *
 * test_broken_graphs [SEED [GRAPHS]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "breaking.h"
#include "unit/one_device.h"

#define OTHER_BYTES (4 * 4099) /* more than any random tensor has */

static uint64_t first_seed = 1, graph_count = 300;
static struct random_graph made;
static struct graph good, broken;

static VkdmlOperator other_identity(VkdmlDevice of) {
    struct identity identity;
    VkdmlOperator op;
    identity_init(&identity, OTHER_BYTES / 4);
    assert_int_equal(vkdmlCreateOperator(of, &identity.desc, &op), VKDML_SUCCESS);
    return op;
}

/* The descriptor and its lists point into themselves. */
static void copy_graph(void) {
    memcpy(&broken, &good, sizeof broken);
    broken.desc.Nodes = broken.nodes;
    broken.desc.InputEdges = broken.edges[0];
    broken.desc.OutputEdges = broken.edges[1];
    broken.desc.IntermediateEdges = broken.edges[2];
    for (uint32_t n = 0; n < good.desc.NodeCount; n++) {
        broken.nodes[n].Desc = good.nodes[n].Type == DML_GRAPH_NODE_TYPE_OPERATOR ? (const void *)&broken.operators[n]
                                                                                  : &broken.constants[n];
    }
    for (uint32_t e = 0; e < good.desc.InputEdgeCount; e++) {
        broken.edges[0][e].Desc = &broken.input_edges[e];
    }
    for (uint32_t e = 0; e < good.desc.OutputEdgeCount; e++) {
        broken.edges[1][e].Desc = &broken.output_edges[e];
    }
    for (uint32_t e = 0; e < good.desc.IntermediateEdgeCount; e++) {
        broken.edges[2][e].Desc = &broken.intermediate_edges[e];
    }
}

static void assert_refused(const struct way *way, uint64_t seed) {
    VkdmlDispatchable compiled = (VkdmlDispatchable)(void *)&broken;
    const int live = atomic_load(&allocations.live);
    const VkdmlResult result = vkdmlCompileGraph(device, &broken.desc, NULL, &compiled);
    const char *reason = vkdmlGetErrorMessage();
    if (result != VKDML_ERROR_INVALID_ARGUMENT || compiled != NULL || atomic_load(&allocations.live) != live ||
        strstr(reason, way->reason) == NULL) {
        random_graph_print(&made);
        fail_msg("graph 0x%" PRIx64 ", %s: %s: %s (%d allocations left)", seed, way->name, vkdmlResultToString(result),
                 reason, atomic_load(&allocations.live) - live);
    }
}

static void a_graph_of_which_one_thing_is_wrong_is_refused(void **state) {
    (void)state;
    uint64_t counts[64] = {0};
    VkdmlDevice elsewhere = import_device(0, NULL);
    VkdmlOperator other = other_identity(device), foreign = other_identity(elsewhere);
    for (uint64_t i = 0; i < graph_count; i++) {
        const uint64_t seed = random_mix(first_seed, i);
        struct random random = {.state = seed};
        const struct breaking breaking = {&random, &made, &broken, other, OTHER_BYTES, foreign};
        random_graph_make(&made, seed);
        assert_true(build_graph(device, &made, &good));
        for (uint32_t w = 0; w < way_count; w++) {
            copy_graph();
            if (ways[w].break_it(&breaking)) {
                assert_refused(&ways[w], seed);
                counts[w]++;
            }
        }
        graph_end(&good);
    }
    for (uint32_t w = 0; w < way_count; w++) {
        printf("# %s: %" PRIu64 "\n", ways[w].name, counts[w]);
        assert_true(counts[w] > 0 || graph_count < 100);
    }
    random_graph_free(&made);
    vkdmlDestroyOperator(other);
    vkdmlDestroyOperator(foreign);
    vkdmlDestroyDevice(elsewhere);
}

static VkdmlDevice import_at(DML_FEATURE_LEVEL level) {
    const VkAllocationCallbacks callbacks = counting_callbacks(&allocations);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    VkdmlDevice imported;
    info.allocationCallbacks = &callbacks;
    info.featureLevel = level;
    assert_int_equal(vkdmlCreateDevice(&info, &imported), VKDML_SUCCESS);
    return imported;
}

static void assert_invalid_at(DML_FEATURE_LEVEL level, bool has_constant, const char *reason) {
    static const float data[4];
    VkdmlDevice at = import_at(level);
    struct identity identity;
    VkdmlOperator op;
    VkdmlDispatchable compiled = (VkdmlDispatchable)(void *)&good;
    identity_init(&identity, 4);
    assert_int_equal(vkdmlCreateOperator(at, &identity.desc, &op), VKDML_SUCCESS);
    graph_begin(&good, 1, 1);
    const uint32_t node = graph_operator(&good, op, "identity");
    if (has_constant) {
        graph_join(&good, graph_constant(&good, data, sizeof data, "constant"), 0, node, 0);
    } else {
        graph_input(&good, 0, node, 0);
    }
    graph_output(&good, node, 0, 0);
    const VkdmlResult result = vkdmlCompileGraph(at, &good.desc, NULL, &compiled);
    if (reason != NULL) {
        assert_null(compiled);
        assert_invalid(result, reason);
    } else {
        assert_int_equal(result, VKDML_SUCCESS);
        vkdmlDestroyDispatchable(compiled);
    }
    graph_end(&good);
    vkdmlDestroyDevice(at);
}

static void feature_levels_have_graphs_and_constants(void **state) {
    (void)state;
    assert_invalid_at(DML_FEATURE_LEVEL_2_0, false,
                      "vkdmlCompileGraph() needs DML_FEATURE_LEVEL_2_1; the feature level is 2_0");
    assert_invalid_at(DML_FEATURE_LEVEL_2_1, false, NULL);
    assert_invalid_at(DML_FEATURE_LEVEL_6_1, true,
                      "Nodes[1]: DML_GRAPH_NODE_TYPE_CONSTANT needs DML_FEATURE_LEVEL_6_2; the feature level is 6_1");
    assert_invalid_at(DML_FEATURE_LEVEL_6_2, true, NULL);
}

static void arguments_are_given(void **state) {
    (void)state;
    VkdmlDispatchable compiled = (VkdmlDispatchable)(void *)&good;
    graph_begin(&good, 0, 0);
    assert_invalid(vkdmlCompileGraph(NULL, &good.desc, NULL, &compiled), "device is NULL");
    assert_null(compiled);
    compiled = (VkdmlDispatchable)(void *)&good;
    assert_invalid(vkdmlCompileGraph(device, NULL, NULL, &compiled), "desc is NULL");
    assert_null(compiled);
    assert_invalid(vkdmlCompileGraph(device, &good.desc, NULL, NULL), "compiled is NULL");
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = (VkdmlCompileFlags)0x40000000};
    assert_invalid(vkdmlCompileGraph(device, &good.desc, &info, &compiled), "flags");
}

int main(int count, char **arguments) {
    first_seed = count > 1 ? strtoull(arguments[1], NULL, 0) : first_seed;
    graph_count = count > 2 ? strtoull(arguments[2], NULL, 0) : graph_count;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_graph_of_which_one_thing_is_wrong_is_refused, begin_with_device,
                                        end_with_device),
        cmocka_unit_test_setup_teardown(feature_levels_have_graphs_and_constants, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(arguments_are_given, begin_with_device, end_with_device),
    };
    return cmocka_run_group_tests_name("broken graphs", tests, set_up_vulkan, tear_down_vulkan);
}
