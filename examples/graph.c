/*
 * A graph: a picture goes through a convolution with its bias, an activation, a pooling, a matrix product and softmax,
 * as one dispatch. Weights belong to the graph: they are bound once, when it is initialized.
 *
 * Prints how likely each class is, which the CPU reference agrees with.
 */
#include "application.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, NODES = 5, WEIGHTS = 3, INPUTS = WEIGHTS + 1 };

/* Each at a multiple of 4 KiB in the buffer: the inputs of the graph in their order, its output, and what it needs. */
enum { PICTURE, FILTERS, BIAS, MATRIX, PROBABILITIES, TEMPORARY, PERSISTENT = TEMPORARY + 16, PAGES = PERSISTENT + 16 };
#define PAGE 4096

static struct tensor inputs[INPUTS], features, activated, pooled, row, sums, probabilities;

static void describe_tensors(void) {
    const uint32_t sizes[INPUTS][4] = {{1, 3, 8, 8}, {4, 3, 3, 3}, {1, 4, 1, 1}, {1, 1, 64, CLASSES}};
    for (int i = 0; i < INPUTS; i++) {
        tensor_init(&inputs[i], DML_TENSOR_DATA_TYPE_FLOAT32, 4, sizes[i]);
        inputs[i].buffer.Flags = i == PICTURE ? DML_TENSOR_FLAG_NONE : DML_TENSOR_FLAG_OWNED_BY_DML;
    }
    tensor_init(&features, DML_TENSOR_DATA_TYPE_FLOAT32, 4, (const uint32_t[]){1, 4, 8, 8});
    tensor_init(&activated, DML_TENSOR_DATA_TYPE_FLOAT32, 4, (const uint32_t[]){1, 4, 8, 8});
    tensor_init(&pooled, DML_TENSOR_DATA_TYPE_FLOAT32, 4, (const uint32_t[]){1, 4, 4, 4});
    tensor_init(&row, DML_TENSOR_DATA_TYPE_FLOAT32, 4, (const uint32_t[]){1, 1, 1, 64}); /* the same bytes, as a row */
    tensor_init(&sums, DML_TENSOR_DATA_TYPE_FLOAT32, 4, (const uint32_t[]){1, 1, 1, CLASSES});
    tensor_init(&probabilities, DML_TENSOR_DATA_TYPE_FLOAT32, 4, (const uint32_t[]){1, 1, 1, CLASSES});
}

static bool create_operators(VkdmlDevice device, VkdmlOperator operators[NODES]) {
    static const uint32_t none[2] = {0, 0}, one[2] = {1, 1}, two[2] = {2, 2};
    const DML_CONVOLUTION_OPERATOR_DESC conv = {.InputTensor = &inputs[PICTURE].desc,
                                                .FilterTensor = &inputs[FILTERS].desc,
                                                .BiasTensor = &inputs[BIAS].desc,
                                                .OutputTensor = &features.desc,
                                                .Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                .Direction = DML_CONVOLUTION_DIRECTION_FORWARD,
                                                .DimensionCount = 2,
                                                .Strides = one,
                                                .Dilations = one,
                                                .StartPadding = one,
                                                .EndPadding = one,
                                                .OutputPadding = none,
                                                .GroupCount = 1};
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {&features.desc, &activated.desc};
    const DML_MAX_POOLING_OPERATOR_DESC pool = {&activated.desc, &pooled.desc, 2, two, two, none, none};
    const DML_GEMM_OPERATOR_DESC dense = {
        .ATensor = &row.desc, .BTensor = &inputs[MATRIX].desc, .OutputTensor = &sums.desc, .Alpha = 1};
    const DML_ACTIVATION_SOFTMAX_OPERATOR_DESC softmax = {&sums.desc, &probabilities.desc};
    const DML_OPERATOR_DESC descs[NODES] = {{DML_OPERATOR_CONVOLUTION, &conv},
                                            {DML_OPERATOR_ACTIVATION_RELU, &relu},
                                            {DML_OPERATOR_MAX_POOLING, &pool},
                                            {DML_OPERATOR_GEMM, &dense},
                                            {DML_OPERATOR_ACTIVATION_SOFTMAX, &softmax}};
    for (int i = 0; i < NODES; i++) {
        if (!succeeded(vkdmlCreateOperator(device, &descs[i], &operators[i]))) {
            return false;
        }
    }
    return true;
}

/* Each node reads the one before it. Holds a few floats on the host to the reference, and compiles for the device. */
static bool build(struct application *app, const VkdmlOperator operators[NODES], float expected[CLASSES],
                  VkdmlDispatchable *compiled) {
    static const char *const names[NODES] = {"conv", "relu", "pool", "dense", "softmax"};
    static const DML_INPUT_GRAPH_EDGE_DESC ends[INPUTS] = {
        {PICTURE, 0, 0, "picture"}, {FILTERS, 0, 1, "filters"}, {BIAS, 0, 2, "bias"}, {MATRIX, 3, 1, "matrix"}};
    static const DML_OUTPUT_GRAPH_EDGE_DESC last = {NODES - 1, 0, 0, "classes"};
    const DML_GRAPH_EDGE_DESC output_edge = {DML_GRAPH_EDGE_TYPE_OUTPUT, &last};
    DML_OPERATOR_GRAPH_NODE_DESC node_descs[NODES];
    DML_INTERMEDIATE_GRAPH_EDGE_DESC between[NODES - 1];
    DML_GRAPH_NODE_DESC nodes[NODES];
    DML_GRAPH_EDGE_DESC input_edges[INPUTS], intermediate_edges[NODES - 1];
    VkdmlHostBinding host[INPUTS];
    for (uint32_t i = 0; i < INPUTS; i++) {
        input_edges[i] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INPUT, &ends[i]};
        host[i] = (VkdmlHostBinding){app->bytes + i * PAGE, PAGE};
    }
    for (uint32_t i = 0; i < NODES; i++) {
        node_descs[i] = (DML_OPERATOR_GRAPH_NODE_DESC){vkdmlGraphOperator(operators[i]), names[i]};
        nodes[i] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_OPERATOR, &node_descs[i]};
        if (i > 0) {
            between[i - 1] = (DML_INTERMEDIATE_GRAPH_EDGE_DESC){i - 1, 0, i, 0, NULL};
            intermediate_edges[i - 1] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &between[i - 1]};
        }
    }
    const DML_GRAPH_DESC desc = {INPUTS,      1, NODES,        nodes,     INPUTS,
                                 input_edges, 1, &output_edge, NODES - 1, intermediate_edges};
    const VkdmlHostBinding output = {expected, CLASSES * sizeof expected[0]};
    const VkdmlReferenceGraphInfo reference = {.structSize = sizeof reference,
                                               .desc = &desc,
                                               .inputCount = INPUTS,
                                               .inputs = host,
                                               .outputCount = 1,
                                               .outputs = &output};
    return succeeded(vkdmlReferenceExecuteGraph(&reference)) &&
           succeeded(vkdmlCompileGraph(app->device, &desc, NULL, compiled));
}

static VkdmlBufferBinding place(const struct application *app, int page, uint64_t size) {
    return size == 0 ? (VkdmlBufferBinding){0} : (VkdmlBufferBinding){app->buffer, (VkDeviceSize)page * PAGE, size};
}

/* What a table takes: the weights at initialization, and the picture in executions. */
static bool bind(const struct application *app, VkdmlDispatchable dispatchable, bool initializes,
                 const VkdmlBufferBinding *output, VkdmlBindingTable *table) {
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = dispatchable};
    VkdmlBindingProperties needs;
    VkdmlBufferBinding bindings[INPUTS] = {0};
    if (!succeeded(vkdmlGetBindingProperties(dispatchable, &needs)) ||
        !succeeded(vkdmlCreateBindingTable(app->device, &info, table))) {
        return false;
    }
    for (int i = 0; i < INPUTS; i++) {
        if (initializes == (i != PICTURE)) {
            bindings[i] = place(app, i, inputs[i].buffer.TotalTensorSizeInBytes);
        }
    }
    const VkdmlBufferBinding temporary = place(app, TEMPORARY, needs.temporaryResourceSize);
    const VkdmlBufferBinding persistent = place(app, PERSISTENT, needs.persistentResourceSize);
    return succeeded(vkdmlBindInputs(*table, INPUTS, bindings)) && succeeded(vkdmlBindOutputs(*table, 1, output)) &&
           succeeded(vkdmlBindTemporaryResource(*table, &temporary)) &&
           (initializes || succeeded(vkdmlBindPersistentResource(*table, &persistent)));
}

/* Pseudo-random numbers from -0.5 to 0.5. */
static void fill(struct application *app) {
    uint32_t state = 1;
    for (int i = 0; i < INPUTS; i++) {
        float *elements = (float *)(void *)(app->bytes + i * PAGE);
        for (uint64_t e = 0; e < inputs[i].buffer.TotalTensorSizeInBytes / sizeof(float); e++) {
            state = state * 1664525 + 1013904223;
            elements[e] = (float)(state >> 8) * 0x1p-24f - 0.5f;
        }
    }
}

static bool run(struct application *app, VkdmlDispatchable compiled, VkdmlDispatchable *initializer,
                VkdmlBindingTable tables[2]) {
    VkdmlBindingProperties needs;
    if (!succeeded(vkdmlCreateOperatorInitializer(app->device, 1, &compiled, initializer)) ||
        !succeeded(vkdmlGetBindingProperties(compiled, &needs))) {
        return false;
    }
    const VkdmlBufferBinding persistent = place(app, PERSISTENT, needs.persistentResourceSize);
    const VkdmlBufferBinding output = binding_of(app, &probabilities, PROBABILITIES * PAGE);
    if (!bind(app, *initializer, true, &persistent, &tables[0]) || !bind(app, compiled, false, &output, &tables[1]) ||
        !application_begin(app) ||
        !succeeded(vkdmlRecordDispatch(app->device, app->commands, *initializer, tables[0]))) {
        return false;
    }
    application_order(app);
    return succeeded(vkdmlRecordDispatch(app->device, app->commands, compiled, tables[1])) && application_submit(app);
}

int main(void) {
    struct application app;
    VkdmlOperator operators[NODES] = {NULL};
    VkdmlDispatchable compiled = NULL, initializer = NULL;
    VkdmlBindingTable tables[2] = {NULL, NULL};
    _Alignas(8) float expected[CLASSES];
    describe_tensors();
    bool done = application_open(&app, NULL, PAGES * PAGE);
    if (done) {
        fill(&app);
        done = create_operators(app.device, operators) && build(&app, operators, expected, &compiled) &&
               run(&app, compiled, &initializer, tables);
    }
    for (int i = 0; i < CLASSES && done; i++) {
        float got;
        memcpy(&got, app.bytes + PROBABILITIES * PAGE + i * sizeof got, sizeof got);
        printf("class %d: %.1f %%\n", i, 100 * (double)got);
        done = fabsf(got - expected[i]) < 1e-5f;
    }
    for (int i = 0; i < NODES; i++) {
        vkdmlDestroyOperator(operators[i]);
    }
    for (int i = 0; i < 2; i++) {
        vkdmlDestroyBindingTable(tables[i]);
    }
    vkdmlDestroyDispatchable(initializer);
    vkdmlDestroyDispatchable(compiled);
    application_close(&app);
    return done ? 0 : 1;
}
