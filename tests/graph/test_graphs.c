/* Random graphs: what one dispatch of a graph gives is what its nodes give one by one.
 *
 * test_graphs [--seed S] [--graphs N] [--seconds T] [--graph SEED]
 *   --seed S     the graphs' seeds come of it; 1
 *   --graphs N   so many; 300; 0: no end, with --seconds
 *   --seconds T  stops after that time
 *   --graph SEED only the graph of that seed, as a failure printed it
 * Each graph is compiled as it is and with VKDML_COMPILE_FLAG_NODE_BY_NODE, executed twice each time, and compared with
 * the reference and with its operators executed alone, bit for bit; sums that are not exact within what their order may
 * change. A graph with constant inputs is compiled twice more with a weight store: the second time nothing is left to
 * initialize, and both give the same bits as without the store. The environment is test_differential's: of VKDML_TEST_MAX_CASES=N the ten first graphs for each. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "built.h"
#include "cases/case_data.h"
#include "cases/number.h"
#include "execute.h"
#include "harness/gpu_open.h"
#include "weight_pages.h"

#define EXIT_SKIPPED 77
#define TEXT_SIZE    4096

static struct options {
    uint64_t seed, graphs, seconds, graph;
    bool has_graph;
} options = {.seed = 1, .graphs = 300};

static struct gpu gpu;
static struct random_graph made;
static struct graph built;
static char text[TEXT_SIZE];

/* Outputs of the graph, 8 bytes apart from one another at least: of both ways of compiling it, and of the reference. */
enum { FUSED, NODE_BY_NODE, STORED, REFERENCE, WAYS };
static uint64_t outputs[WAYS][2][GRAPH_MAX_BINDINGS][GRAPH_ROOM / 8];
/* What the nodes give one by one. */
static uint64_t alone[2][GRAPH_MAX_VALUES][GRAPH_ROOM / 8];

static bool refused(const char *what) {
    char reason[TEXT_SIZE];
    snprintf(reason, sizeof reason, "%s: %s", what, vkdmlGetErrorMessage());
    memcpy(text, reason, sizeof text);
    return false;
}

/* ---- equality ---- */

static bool is_near(const struct graph_value *value, uint64_t a, uint64_t b) {
    const double difference = fabs(number_decode(value->tensor.type, a) - number_decode(value->tensor.type, b));
    return a == b || difference <= value->range.error;
}

/* Elements alone: of other bytes nothing is promised. */
static bool equals(uint32_t v, const void *got, const void *want, bool is_exact, const char *what) {
    const struct graph_value *value = &made.values[v];
    uint32_t coordinates[CASE_MAX_RANK] = {0}, strides[CASE_MAX_RANK];
    if (value->kind == GRAPH_CONSTANT) {
        snprintf(text, sizeof text, "%s: a constant", what);
        return memcmp(got, want, value->given < value->bytes ? value->given : value->bytes) == 0;
    }
    case_strides(&value->tensor, strides);
    do {
        const uint64_t position = case_element_position(&value->tensor, strides, coordinates);
        const uint64_t a = case_read_element(&value->tensor, got, position);
        const uint64_t b = case_read_element(&value->tensor, want, position);
        if (a != b && (is_exact || !is_near(value, a, b))) {
            snprintf(text, sizeof text,
                     "%s: output %" PRIu32 " of Nodes[%" PRIu32 "], element %" PRIu64 ": 0x%" PRIx64
                     " (%g), not 0x%" PRIx64 " (%g); may differ by %g",
                     what, value->output, made.places[value->node], position, a, number_decode(value->tensor.type, a),
                     b, number_decode(value->tensor.type, b), is_exact ? 0 : value->range.error);
            return false;
        }
    } while (case_next_coordinates(&value->tensor, coordinates));
    return true;
}

static bool all_equal(int way, const char *what) {
    for (uint32_t i = 0; i < made.output_count; i++) {
        const uint32_t v = made.outputs[i];
        const void *got = outputs[way][0][i];
        if (!equals(v, outputs[way][1][i], got, true, "the second execution") ||
            !equals(v, got, alone[0][v], way == NODE_BY_NODE, what)) {
            return false;
        }
    }
    return true;
}

/* ---- ways of executing it ---- */

static void list_bindings(int way, struct execution *execution) {
    memset(execution, 0, sizeof *execution);
    execution->input_count = made.input_count;
    execution->output_count = made.output_count;
    for (uint32_t i = 0; i < made.input_count; i++) {
        if (made.inputs[i] != GRAPH_NONE && made.values[made.inputs[i]].readers > 0) {
            const struct graph_value *value = &made.values[made.inputs[i]];
            execution->inputs[i] = (struct given){value->data, value->bytes, value->is_owned};
        }
    }
    for (uint32_t i = 0; i < made.output_count; i++) {
        memset(outputs[way][0][i], 0x11, GRAPH_ROOM);
        execution->outputs[i] =
            (struct result){{(unsigned char *)outputs[way][0][i], (unsigned char *)outputs[way][1][i]},
                            made.values[made.outputs[i]].bytes};
    }
}

static bool execute_compiled(int way) {
    static struct execution execution;
    const VkdmlCompileInfo info = {.structSize = sizeof info,
                                   .flags = way == NODE_BY_NODE ? VKDML_COMPILE_FLAG_NODE_BY_NODE : 0};
    const char *name = way == NODE_BY_NODE ? "node by node" : "as one";
    VkdmlDispatchable compiled;
    list_bindings(way, &execution);
    if (vkdmlCompileGraph(gpu.device, &built.desc, &info, &compiled) != VKDML_SUCCESS) {
        return refused("vkdmlCompileGraph");
    }
    execution.compiled = compiled;
    char why[TEXT_SIZE / 2] = "";
    const bool good = execute_twice(&gpu, &execution, made.seed, why, sizeof why);
    if (!good) {
        snprintf(text, sizeof text, "%s: %s", name, why);
    }
    vkdmlDestroyDispatchable(compiled);
    return good;
}

/* ---- weights in a store ---- */

static VkdmlDispatchable compile_stored(VkdmlWeightStore store) {
    uint64_t ids[GRAPH_MAX_BINDINGS];
    for (uint32_t i = 0; i < made.input_count; i++) {
        ids[i] = i + 1;
    }
    const VkdmlCompileInfo info = {
        .structSize = sizeof info, .weightStore = store, .weightIdCount = made.input_count, .weightIds = ids};
    VkdmlDispatchable compiled;
    if (vkdmlCompileGraph(gpu.device, &built.desc, &info, &compiled) != VKDML_SUCCESS) {
        refused("vkdmlCompileGraph with a store");
    }
    return compiled;
}

static bool execute_stored(VkdmlDispatchable compiled, const char *name) {
    static struct execution execution;
    char why[TEXT_SIZE / 2] = "";
    list_bindings(STORED, &execution);
    execution.compiled = compiled;
    execution.has_store = true;
    if (!execute_twice(&gpu, &execution, made.seed, why, sizeof why)) {
        snprintf(text, sizeof text, "%s: %s", name, why);
        return false;
    }
    for (uint32_t i = 0; i < made.output_count; i++) {
        if (!equals(made.outputs[i], outputs[STORED][0][i], outputs[FUSED][0][i], true, name) ||
            !equals(made.outputs[i], outputs[STORED][1][i], outputs[FUSED][0][i], true, name)) {
            return false;
        }
    }
    return true;
}

/* The second graph finds all weights of the first, which is gone by the time it is executed. */
static bool agrees_with_store(void) {
    VkdmlWeightStore store = weight_pages_store(&gpu, 1024);
    VkdmlDispatchable first = store == NULL ? NULL : compile_stored(store), second = NULL, left = NULL;
    bool good = first != NULL && execute_stored(first, "with a weight store");
    if (good) {
        second = compile_stored(store);
        good = second != NULL && (vkdmlCreateWeightInitializer(second, 0, &left) == VKDML_SUCCESS ||
                                  refused("vkdmlCreateWeightInitializer"));
    }
    if (good && left != NULL) {
        snprintf(text, sizeof text, "compiled again with the same weights: there is something to initialize");
        good = false;
    }
    vkdmlDestroyDispatchable(left);
    vkdmlDestroyDispatchable(first);
    good = good && execute_stored(second, "with the weights of another graph");
    vkdmlDestroyDispatchable(second);
    if (good && vkdmlTrimWeightStore(store) == VKDML_SUCCESS && weight_pages_live != 0) {
        snprintf(text, sizeof text, "a store without graphs keeps %" PRIu32 " pages", weight_pages_live);
        good = false;
    }
    vkdmlDestroyWeightStore(store);
    return good;
}

static bool has_constants(void) {
    for (uint32_t v = 0; v < made.value_count; v++) {
        if (made.values[v].is_owned || made.values[v].kind == GRAPH_CONSTANT) {
            return true;
        }
    }
    return false;
}

static bool execute_reference(void) {
    static struct execution execution;
    VkdmlHostBinding inputs[GRAPH_MAX_BINDINGS] = {{0}}, bindings[GRAPH_MAX_BINDINGS] = {{0}};
    list_bindings(REFERENCE, &execution);
    for (uint32_t i = 0; i < made.input_count; i++) {
        inputs[i] = (VkdmlHostBinding){(void *)(uintptr_t)execution.inputs[i].data, execution.inputs[i].bytes};
    }
    for (uint32_t i = 0; i < made.output_count; i++) {
        bindings[i] = (VkdmlHostBinding){execution.outputs[i].data[0], execution.outputs[i].bytes};
    }
    const VkdmlReferenceGraphInfo info = {.structSize = sizeof info,
                                          .desc = &built.desc,
                                          .inputCount = made.input_count,
                                          .inputs = inputs,
                                          .outputCount = made.output_count,
                                          .outputs = bindings};
    if (vkdmlReferenceExecuteGraph(&info) != VKDML_SUCCESS) {
        return refused("vkdmlReferenceExecuteGraph");
    }
    memcpy(outputs[REFERENCE][1], outputs[REFERENCE][0], sizeof outputs[REFERENCE][0]);
    return true;
}

static void list_alone(const struct operator_case *c, const struct graph_node *node, struct execution *execution) {
    memset(execution, 0, sizeof *execution);
    execution->input_count = case_input_count(c);
    execution->output_count = case_output_count(c);
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        const uint32_t v = at.is_input ? node->sources[at.binding] : node->first_value + at.binding;
        const uint32_t bytes = (uint32_t)case_total_bytes(at.tensor);
        if (at.is_input) {
            execution->inputs[at.binding] =
                (struct given){(const unsigned char *)alone[0][v], bytes, at.tensor->owned != 0};
        } else {
            execution->outputs[at.binding] =
                (struct result){{(unsigned char *)alone[0][v], (unsigned char *)alone[1][v]}, bytes};
        }
    }
}

static bool execute_node(uint32_t n) {
    static struct operator_case c;
    static struct execution execution;
    VkdmlDispatchable compiled = NULL;
    VkdmlOperator op = build_alone(gpu.device, &made, n, &c);
    bool good = op != NULL && vkdmlCompileOperator(op, NULL, &compiled) == VKDML_SUCCESS;
    vkdmlDestroyOperator(op);
    if (!good) {
        return refused("an operator alone");
    }
    list_alone(&c, &made.nodes[n], &execution);
    execution.compiled = compiled;
    good = execute_twice(&gpu, &execution, made.seed + n, text, sizeof text);
    vkdmlDestroyDispatchable(compiled);
    return good;
}

static bool execute_alone(void) {
    for (uint32_t v = 0; v < made.value_count; v++) {
        if (made.values[v].data != NULL) {
            memcpy(alone[0][v], made.values[v].data, GRAPH_ROOM);
        }
    }
    for (uint32_t n = 0; n < made.node_count; n++) {
        if (!made.nodes[n].is_constant && !execute_node(n)) {
            return false;
        }
    }
    return true;
}

static bool graph_agrees(uint64_t seed) {
    gpu_clear_messages(&gpu);
    text[0] = '\0';
    random_graph_make(&made, seed);
    bool good = build_graph(gpu.device, &made, &built) || refused("vkdmlCreateOperator");
    good = good && execute_alone() && execute_reference() && all_equal(REFERENCE, "the reference, and nodes alone");
    good = good && execute_compiled(NODE_BY_NODE) && all_equal(NODE_BY_NODE, "node by node, and nodes alone");
    good = good && execute_compiled(FUSED) && all_equal(FUSED, "as one, and nodes alone");
    good = good && (!has_constants() || agrees_with_store());
    if (good && gpu.message_count != 0) {
        snprintf(text, sizeof text, "%" PRIu32 " messages:\n%s", gpu.message_count, gpu.messages);
        good = false;
    }
    graph_end(&built);
    if (!good) {
        printf("# FAILED: %s\n#   again: test_graphs --graph 0x%" PRIx64 "\n", text, seed);
        random_graph_print(&made);
        fflush(stdout);
    }
    return good;
}

/* ---- tests ---- */

static void random_graphs_agree(void **state) {
    (void)state;
    const time_t end = time(NULL) + (time_t)options.seconds;
    uint64_t failed = 0, nodes = 0, rough = 0, done = 0;
    for (; (options.graphs == 0 || done < options.graphs) && failed < 5; done++) {
        if (options.seconds != 0 && time(NULL) >= end) {
            break;
        }
        failed += !graph_agrees(random_mix(options.seed, done));
        nodes += made.node_count;
        rough += made.is_rough;
    }
    printf("# %" PRIu64 " graphs of %" PRIu64 " nodes, %" PRIu64 " with inexact sums: %" PRIu64 " failed\n", done,
           nodes, rough, failed);
    assert_int_equal(failed, 0);
    assert_true(done > 0);
}

static void the_given_graph_agrees(void **state) {
    (void)state;
    const bool good = graph_agrees(options.graph);
    if (good) {
        random_graph_print(&made);
    }
    assert_true(good);
}

static bool parse_number(const char *number, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(number, &end, 0);
    return errno == 0 && end != number && *end == '\0';
}

static bool parse_options(int count, char **arguments) {
    for (int i = 1; i < count; i += 2) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
        const bool is_graph = strcmp(name, "--graph") == 0;
        uint64_t *option = strcmp(name, "--seed") == 0      ? &options.seed
                           : strcmp(name, "--graphs") == 0  ? &options.graphs
                           : strcmp(name, "--seconds") == 0 ? &options.seconds
                           : is_graph                       ? &options.graph
                                                            : NULL;
        if (option == NULL || !parse_number(value, option)) {
            fprintf(stderr, "test_graphs: cannot read %s %s\n", name, value);
            return false;
        }
        options.has_graph = options.has_graph || is_graph;
    }
    uint64_t most;
    const char *limit = getenv("VKDML_TEST_MAX_CASES");
    if (limit != NULL && parse_number(limit, &most) && (options.graphs == 0 || options.graphs > 10 * most)) {
        options.graphs = 10 * most;
    }
    return options.graphs != 0 || options.seconds != 0;
}

int main(int count, char **arguments) {
    if (!parse_options(count, arguments)) {
        return EXIT_FAILURE;
    }
    const VkdmlResult result = gpu_open(&gpu, 0);
    if (result != VKDML_SUCCESS) {
        printf("# no device: %s: %s\n", vkdmlResultToString(result), gpu.error);
        gpu_close(&gpu);
        /* Where validation was asked for, there is Vulkan: what is missing is the layer, and that must show. */
        return result == VKDML_ERROR_INITIALIZATION_FAILED && !gpu.validation ? EXIT_SKIPPED : EXIT_FAILURE;
    }
    const struct CMUnitTest random[] = {cmocka_unit_test(random_graphs_agree)};
    const struct CMUnitTest given[] = {cmocka_unit_test(the_given_graph_agrees)};
    const int failed = options.has_graph ? cmocka_run_group_tests_name("graphs", given, NULL, NULL)
                                         : cmocka_run_group_tests_name("graphs", random, NULL, NULL);
    random_graph_free(&made);
    execute_end();
    gpu_close(&gpu);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
