/* What compiling a large graph costs the host, the driver's work on pipelines aside. */
#include <stdio.h>
#include <string.h>

#include "base/timing.h"
#include "bench/small.h"

#define NODES   1000 /* blocks of four: a product, a sum, an activation, another sum */
#define BLOCKS  (NODES / 4)
#define WIDTH   64
#define DEVICES 5
#define AGAIN   21

/* ---- pipelines ---- */

/* What the driver takes for modules and pipelines: Vulkan's functions have no place for a context. */
static struct {
    PFN_vkGetInstanceProcAddr next_instance;
    PFN_vkGetDeviceProcAddr next_device;
    PFN_vkCreateShaderModule create_module;
    PFN_vkCreateComputePipelines create_pipelines;
    double milliseconds;
    uint32_t pipelines;
} driver;

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkShaderModule *module) {
    const double start = timing_now();
    const VkResult result = driver.create_module(device, info, callbacks, module);
    driver.milliseconds += timing_now() - start;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *callbacks, VkPipeline *pipelines) {
    const double start = timing_now();
    const VkResult result = driver.create_pipelines(device, cache, count, infos, callbacks, pipelines);
    driver.milliseconds += timing_now() - start;
    driver.pipelines += count;
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name) {
    PFN_vkVoidFunction found = driver.next_device(device, name);
    if (strcmp(name, "vkCreateShaderModule") == 0) {
        driver.create_module = (PFN_vkCreateShaderModule)found;
        return (PFN_vkVoidFunction)create_module;
    }
    if (strcmp(name, "vkCreateComputePipelines") == 0) {
        driver.create_pipelines = (PFN_vkCreateComputePipelines)found;
        return (PFN_vkVoidFunction)create_pipelines;
    }
    return found;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char *name) {
    PFN_vkVoidFunction found = driver.next_instance(instance, name);
    if (found && strcmp(name, "vkGetDeviceProcAddr") == 0) {
        driver.next_device = (PFN_vkGetDeviceProcAddr)found;
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    return found;
}

/* ---- the graph ---- */

struct graph {
    VkdmlOperator operators[4]; /* product, sum, activation, sum: nodes of a kind share one */
    DML_OPERATOR_GRAPH_NODE_DESC node_descs[NODES];
    DML_GRAPH_NODE_DESC nodes[NODES];
    DML_INPUT_GRAPH_EDGE_DESC inputs[2 * BLOCKS + 2];
    DML_INTERMEDIATE_GRAPH_EDGE_DESC intermediates[2 * NODES];
    DML_OUTPUT_GRAPH_EDGE_DESC output;
    DML_GRAPH_EDGE_DESC edges[2][2 * NODES];
    DML_GRAPH_EDGE_DESC output_edge;
    DML_GRAPH_DESC desc;
};

static bool create_operators(VkdmlDevice device, uint32_t rows, struct graph *graph) {
    const uint32_t sizes[] = {1, 1, rows, WIDTH}, square[] = {1, 1, WIDTH, WIDTH}, row_strides[] = {0, 0, 0, 1};
    const uint64_t bytes = (uint64_t)4 * rows * WIDTH;
    const DML_BUFFER_TENSOR_DESC buffers[] = {
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, bytes, 0},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, square, NULL, (uint64_t)4 * WIDTH * WIDTH, 0},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, row_strides, (uint64_t)4 * WIDTH, 0}};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffers[0]},
                          matrix = {DML_TENSOR_TYPE_BUFFER, &buffers[1]}, bias = {DML_TENSOR_TYPE_BUFFER, &buffers[2]};
    const DML_GEMM_OPERATOR_DESC product = {
        &tensor, &matrix, NULL, &tensor, DML_MATRIX_TRANSFORM_NONE, DML_MATRIX_TRANSFORM_NONE, 1, 0, NULL};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC biased = {&tensor, &bias, &tensor}, added = {&tensor, &tensor, &tensor};
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {&tensor, &tensor};
    const DML_OPERATOR_DESC descs[] = {{DML_OPERATOR_GEMM, &product},
                                       {DML_OPERATOR_ELEMENT_WISE_ADD, &biased},
                                       {DML_OPERATOR_ACTIVATION_RELU, &relu},
                                       {DML_OPERATOR_ELEMENT_WISE_ADD, &added}};
    bool good = true;
    for (size_t i = 0; i < 4; i++) {
        good = vkdmlCreateOperator(device, &descs[i], &graph->operators[i]) == VKDML_SUCCESS && good;
    }
    return good;
}

static void feed(struct graph *graph, uint32_t input, uint32_t node, uint32_t node_input) {
    const uint32_t e = graph->desc.InputEdgeCount++;
    graph->inputs[e] = (DML_INPUT_GRAPH_EDGE_DESC){input, node, node_input, NULL};
    graph->edges[0][e] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INPUT, &graph->inputs[e]};
}

static void join(struct graph *graph, uint32_t from, uint32_t to, uint32_t to_input) {
    const uint32_t e = graph->desc.IntermediateEdgeCount++;
    graph->intermediates[e] = (DML_INTERMEDIATE_GRAPH_EDGE_DESC){from, 0, to, to_input, NULL};
    graph->edges[1][e] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &graph->intermediates[e]};
}

/* Inputs are what goes in, the matrix and the bias of all blocks; each adds what went into it to its result. */
static void describe(struct graph *graph) {
    for (uint32_t n = 0; n < NODES; n++) {
        graph->node_descs[n] = (DML_OPERATOR_GRAPH_NODE_DESC){vkdmlGraphOperator(graph->operators[n % 4]), NULL};
        graph->nodes[n] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_OPERATOR, &graph->node_descs[n]};
    }
    for (uint32_t n = 0; n < NODES; n += 4) {
        for (uint32_t to = n; to <= n + 3; to += 3) {
            if (n == 0) {
                feed(graph, 0, to, to == n ? 0 : 1);
            } else {
                join(graph, n - 1, to, to == n ? 0 : 1);
            }
        }
        feed(graph, 1, n, 1);
        feed(graph, 2, n + 1, 1);
        for (uint32_t to = n + 1; to < n + 4; to++) {
            join(graph, to - 1, to, 0);
        }
    }
    graph->output = (DML_OUTPUT_GRAPH_EDGE_DESC){NODES - 1, 0, 0, NULL};
    graph->output_edge = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_OUTPUT, &graph->output};
    graph->desc.InputCount = 3;
    graph->desc.OutputCount = 1;
    graph->desc.NodeCount = NODES;
    graph->desc.Nodes = graph->nodes;
    graph->desc.InputEdges = graph->edges[0];
    graph->desc.IntermediateEdges = graph->edges[1];
    graph->desc.OutputEdgeCount = 1;
    graph->desc.OutputEdges = &graph->output_edge;
}

/* ---- timing ---- */

/* Microseconds that vkdmlCompileGraph() takes, without the driver's for pipelines. */
static bool time_graph(VkdmlDevice device, uint32_t rows, double *microseconds) {
    static struct graph graph;
    VkdmlDispatchable compiled = NULL;
    memset(&graph, 0, sizeof(graph));
    bool good = create_operators(device, rows, &graph);
    if (good) {
        describe(&graph);
        driver.milliseconds = 0;
        const double start = timing_now();
        good = vkdmlCompileGraph(device, &graph.desc, NULL, &compiled) == VKDML_SUCCESS;
        *microseconds = (timing_now() - start - driver.milliseconds) * 1e3;
    }
    if (!good) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
    }
    vkdmlDestroyDispatchable(compiled);
    for (size_t i = 0; i < 4; i++) {
        vkdmlDestroyOperator(graph.operators[i]);
    }
    return good;
}

bool bench_host_graph(const struct bench_device *device) {
    double colds[DEVICES] = {0}, agains[AGAIN] = {0};
    bool good = true;
    for (int i = 0; good && i < DEVICES; i++) {
        VkdmlDeviceCreateInfo info = bench_import_info(device);
        VkdmlDevice fresh = NULL;
        driver.next_instance = info.getInstanceProcAddr;
        driver.pipelines = 0;
        info.getInstanceProcAddr = get_instance_proc_addr;
        good = vkdmlCreateDevice(&info, &fresh) == VKDML_SUCCESS && time_graph(fresh, 128, &colds[i]);
        const uint32_t pipelines = driver.pipelines;
        for (uint32_t again = 0; good && i == 0 && again < AGAIN; again++) {
            good = time_graph(fresh, 160 + 32 * again, &agains[again]);
        }
        if (driver.pipelines != pipelines) {
            fprintf(stderr, "vkdml: warning: other shapes of a graph took pipelines of their own\n");
        }
        vkdmlDestroyDevice(fresh);
    }
    if (!good) {
        return false;
    }
    const double first = colds[0], cold = bench_median(colds, DEVICES), again = bench_median(agains, AGAIN);
    printf(
        "# compiling a graph of %d nodes, without what the driver takes for %u pipelines: %.0f the first time, %.0f on "
        "another device, %.0f again for another shape\n",
        NODES, driver.pipelines, first, cold, again);
    return true;
}
