#include "layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- values ---- */

static bool fail(struct network *net, const char *why) {
    if (!net->failed) {
        fprintf(stderr, "%s\n", why);
    }
    net->failed = true;
    return false;
}

struct value view(const struct value *of, const uint32_t sizes[4], const uint32_t strides[4]) {
    struct value value = *of;
    memcpy(value.sizes, sizes, sizeof(value.sizes));
    memcpy(value.strides, strides, sizeof(value.strides));
    return value;
}

/* Of packed elements, from nowhere yet. */
static struct value packed(const uint32_t s[4]) {
    const struct value none = {.bytes = (uint64_t)s[0] * s[1] * s[2] * s[3] * sizeof(float)};
    return view(&none, s, STRIDES(s[1] * s[2] * s[3], s[2] * s[3], s[3], 1));
}

static struct value add_input(struct network *net, struct value value, struct input input) {
    if (net->input_count == MAX_INPUTS) {
        fail(net, "the network has more inputs than MAX_INPUTS");
        return value;
    }
    value.is_input = true;
    value.index = net->input_count++;
    input.bytes = value.bytes;
    net->inputs[value.index] = input;
    net->weight_bytes += input.is_weight ? value.bytes : 0;
    return value;
}

struct value take(struct network *net, const uint32_t sizes[4]) {
    return add_input(net, packed(sizes), (struct input){.spread = 1});
}

static struct value weights(struct network *net, const uint32_t sizes[4], float center, float spread) {
    return add_input(net, packed(sizes), (struct input){.is_weight = true, .center = center, .spread = spread});
}

/* Of sums of so many products, which are then about as large as what is multiplied. */
static struct value factors(struct network *net, const uint32_t sizes[4], uint32_t terms) {
    return weights(net, sizes, 0, sqrtf(3.0f / (float)terms));
}

/* A weight for each column, the same in all rows. */
static struct value row_weights(struct network *net, const uint32_t sizes[4], float center) {
    const struct value row = weights(net, SIZES(1, 1, 1, sizes[3]), center, 0.1f);
    return view(&row, sizes, STRIDES(0, 0, 0, 1));
}

/* ---- nodes ---- */

/* A tensor as descriptors have it: they are copied when the operator is created. */
struct described {
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

static const DML_TENSOR_DESC *describe(const struct network *net, const struct value *value, struct described *of) {
    const bool is_weight = value->is_input && net->inputs[value->index].is_weight;
    of->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                          .Flags = is_weight ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE,
                                          .DimensionCount = 4,
                                          .Sizes = value->sizes,
                                          .Strides = value->strides,
                                          .TotalTensorSizeInBytes = value->bytes};
    of->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &of->buffer};
    return &of->desc;
}

#define DESCRIBE(value) describe(net, &(value), &(struct described){{0}, {0}})

static void add_edge(struct network *net, const struct value *from, uint32_t to, uint32_t index) {
    if (from->is_input && net->input_edge_count < MAX_INPUTS) {
        net->input_edges[net->input_edge_count++] = (DML_INPUT_GRAPH_EDGE_DESC){from->index, to, index, NULL};
    } else if (!from->is_input && net->edge_count < MAX_EDGES) {
        net->edges[net->edge_count++] = (DML_INTERMEDIATE_GRAPH_EDGE_DESC){from->index, 0, to, index, NULL};
    } else {
        fail(net, "the network has more edges than MAX_EDGES");
    }
}

/* `inputs` in the descriptor's order. Behind the first refusal nothing is added. */
static struct value add_node(struct network *net, const char *name, DML_OPERATOR_TYPE type, const void *fields,
                             struct value output, uint32_t count, const struct value *inputs) {
    const DML_OPERATOR_DESC desc = {type, fields};
    const uint32_t index = net->node_count;
    if (index == MAX_NODES) {
        fail(net, "the network has more nodes than MAX_NODES");
    }
    if (net->failed || vkdmlCreateOperator(net->app->device, &desc, &net->operators[index]) != VKDML_SUCCESS) {
        fail(net, vkdmlGetErrorMessage());
        return output;
    }
    net->nodes[index] = (struct node){.name = name, .type = type};
    memcpy(net->nodes[index].sizes, output.sizes, sizeof(output.sizes));
    for (uint32_t i = 0; i < count; i++) {
        add_edge(net, &inputs[i], index, i);
    }
    net->node_count++;
    net->node_bytes += output.bytes;
    output.is_input = false;
    output.index = index;
    return output;
}

#define INPUTS(...) ((const struct value[]){__VA_ARGS__})

struct value convolve(struct network *net, const char *name, struct value x, struct filter f, bool has_bias) {
    static const uint32_t ones[] = {1, 1}, zeros[] = {0, 0};
    const uint32_t channels = x.sizes[1] / f.groups, terms = channels * f.size * f.size;
    const uint32_t strides[] = {f.stride, f.stride}, padding[] = {f.size / 2, f.size / 2};
    const uint32_t height = (x.sizes[2] - 1) / f.stride + 1, width = (x.sizes[3] - 1) / f.stride + 1;
    const struct value filter = factors(net, SIZES(f.channels, channels, f.size, f.size), terms);
    const struct value bias = has_bias ? weights(net, SIZES(1, f.channels, 1, 1), 0, 0.1f) : x;
    const struct value y = packed(SIZES(x.sizes[0], f.channels, height, width));
    const DML_CONVOLUTION_OPERATOR_DESC fields = {.InputTensor = DESCRIBE(x),
                                                  .FilterTensor = DESCRIBE(filter),
                                                  .BiasTensor = has_bias ? DESCRIBE(bias) : NULL,
                                                  .OutputTensor = DESCRIBE(y),
                                                  .Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                  .Direction = DML_CONVOLUTION_DIRECTION_FORWARD,
                                                  .DimensionCount = 2,
                                                  .Strides = strides,
                                                  .Dilations = ones,
                                                  .StartPadding = padding,
                                                  .EndPadding = padding,
                                                  .OutputPadding = zeros,
                                                  .GroupCount = f.groups};
    return add_node(net, name, DML_OPERATOR_CONVOLUTION, &fields, y, has_bias ? 3 : 2, INPUTS(x, filter, bias));
}

struct value normalize_batch(struct network *net, const char *name, struct value x) {
    const uint32_t *sizes = SIZES(1, x.sizes[1], 1, 1);
    const struct value mean = weights(net, sizes, 0, 0.1f), variance = weights(net, sizes, 1, 0.1f);
    const struct value scale = weights(net, sizes, 1, 0.1f), bias = weights(net, sizes, 0, 0.1f);
    const struct value y = packed(x.sizes);
    const DML_BATCH_NORMALIZATION_OPERATOR_DESC fields = {.InputTensor = DESCRIBE(x),
                                                          .MeanTensor = DESCRIBE(mean),
                                                          .VarianceTensor = DESCRIBE(variance),
                                                          .ScaleTensor = DESCRIBE(scale),
                                                          .BiasTensor = DESCRIBE(bias),
                                                          .OutputTensor = DESCRIBE(y),
                                                          .Spatial = 1,
                                                          .Epsilon = 1e-5f};
    return add_node(net, name, DML_OPERATOR_BATCH_NORMALIZATION, &fields, y, 5, INPUTS(x, mean, variance, scale, bias));
}

struct value take_maxima(struct network *net, const char *name, struct value x, uint32_t size, uint32_t stride) {
    const uint32_t edge = (size - 1) / 2, windows[] = {size, size}, strides[] = {stride, stride};
    const uint32_t padding[] = {edge, edge};
    const struct value y = packed(SIZES(x.sizes[0], x.sizes[1], (x.sizes[2] + 2 * edge - size) / stride + 1,
                                        (x.sizes[3] + 2 * edge - size) / stride + 1));
    const DML_MAX_POOLING_OPERATOR_DESC fields = {DESCRIBE(x), DESCRIBE(y), 2, strides, windows, padding, padding};
    return add_node(net, name, DML_OPERATOR_MAX_POOLING, &fields, y, 1, INPUTS(x));
}

struct value average(struct network *net, const char *name, struct value x) {
    static const uint32_t ones[] = {1, 1}, zeros[] = {0, 0};
    const struct value y = packed(SIZES(x.sizes[0], x.sizes[1], 1, 1));
    const DML_AVERAGE_POOLING_OPERATOR_DESC fields = {DESCRIBE(x), DESCRIBE(y), 2, ones, x.sizes + 2, zeros, zeros, 0};
    return add_node(net, name, DML_OPERATOR_AVERAGE_POOLING, &fields, y, 1, INPUTS(x));
}

struct value add(struct network *net, const char *name, struct value a, struct value b) {
    const struct value y = packed(a.sizes);
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC fields = {DESCRIBE(a), DESCRIBE(b), DESCRIBE(y)};
    return add_node(net, name, DML_OPERATOR_ELEMENT_WISE_ADD, &fields, y, 2, INPUTS(a, b));
}

struct value relu(struct network *net, struct value x) {
    const struct value y = packed(x.sizes);
    const DML_ACTIVATION_RELU_OPERATOR_DESC fields = {DESCRIBE(x), DESCRIBE(y)};
    return add_node(net, "relu", DML_OPERATOR_ACTIVATION_RELU, &fields, y, 1, INPUTS(x));
}

struct value gelu(struct network *net, struct value x) {
    const struct value y = packed(x.sizes);
    const DML_ACTIVATION_GELU_OPERATOR_DESC fields = {DESCRIBE(x), DESCRIBE(y)};
    return add_node(net, "gelu", DML_OPERATOR_ACTIVATION_GELU, &fields, y, 1, INPUTS(x));
}

struct value connect(struct network *net, const char *name, struct value x, uint32_t columns) {
    const struct value matrix = factors(net, SIZES(1, 1, x.sizes[3], columns), x.sizes[3]);
    const struct value y = packed(SIZES(1, 1, x.sizes[2], columns)), bias = row_weights(net, y.sizes, 0);
    const DML_GEMM_OPERATOR_DESC fields = {.ATensor = DESCRIBE(x),
                                           .BTensor = DESCRIBE(matrix),
                                           .CTensor = DESCRIBE(bias),
                                           .OutputTensor = DESCRIBE(y),
                                           .Alpha = 1,
                                           .Beta = 1};
    return add_node(net, name, DML_OPERATOR_GEMM, &fields, y, 3, INPUTS(x, matrix, bias));
}

struct value multiply(struct network *net, const char *name, struct value a, struct value b,
                      DML_MATRIX_TRANSFORM transform, float scale, const uint32_t sizes[4], const uint32_t strides[4]) {
    const struct value whole = packed(sizes), y = view(&whole, sizes, strides);
    const DML_GEMM_OPERATOR_DESC fields = {.ATensor = DESCRIBE(a),
                                           .BTensor = DESCRIBE(b),
                                           .OutputTensor = DESCRIBE(y),
                                           .TransB = transform,
                                           .Alpha = scale};
    return add_node(net, name, DML_OPERATOR_GEMM, &fields, y, 2, INPUTS(a, b));
}

static const uint32_t columns_axis = 3;

struct value softmax(struct network *net, const char *name, struct value x) {
    const struct value y = packed(x.sizes);
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC fields = {DESCRIBE(x), DESCRIBE(y), 1, &columns_axis};
    return add_node(net, name, DML_OPERATOR_ACTIVATION_SOFTMAX1, &fields, y, 1, INPUTS(x));
}

struct value normalize(struct network *net, const char *name, struct value x) {
    const struct value scale = row_weights(net, x.sizes, 1), bias = row_weights(net, x.sizes, 0), y = packed(x.sizes);
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC fields = {.InputTensor = DESCRIBE(x),
                                                                   .ScaleTensor = DESCRIBE(scale),
                                                                   .BiasTensor = DESCRIBE(bias),
                                                                   .OutputTensor = DESCRIBE(y),
                                                                   .AxisCount = 1,
                                                                   .Axes = &columns_axis,
                                                                   .NormalizeVariance = 1,
                                                                   .Epsilon = 1e-5f};
    return add_node(net, name, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &fields, y, 3, INPUTS(x, scale, bias));
}

/* ---- the graph ---- */

static void describe_graph(struct network *net, const struct value *output) {
    for (uint32_t i = 0; i < net->node_count; i++) {
        net->node_descs[i] = (DML_OPERATOR_GRAPH_NODE_DESC){vkdmlGraphOperator(net->operators[i]), net->nodes[i].name};
        net->graph_nodes[i] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_OPERATOR, &net->node_descs[i]};
    }
    for (uint32_t i = 0; i < net->input_edge_count; i++) {
        net->graph_input_edges[i] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INPUT, &net->input_edges[i]};
    }
    for (uint32_t i = 0; i < net->edge_count; i++) {
        net->graph_edges[i] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &net->edges[i]};
    }
    net->output_edge = (DML_OUTPUT_GRAPH_EDGE_DESC){output->index, 0, 0, NULL};
    net->graph_output_edge = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_OUTPUT, &net->output_edge};
    net->desc = (DML_GRAPH_DESC){.InputCount = net->input_count,
                                 .OutputCount = 1,
                                 .NodeCount = net->node_count,
                                 .Nodes = net->graph_nodes,
                                 .InputEdgeCount = net->input_edge_count,
                                 .InputEdges = net->graph_input_edges,
                                 .OutputEdgeCount = 1,
                                 .OutputEdges = &net->graph_output_edge,
                                 .IntermediateEdgeCount = net->edge_count,
                                 .IntermediateEdges = net->graph_edges};
}

/* Where the next thing of so many bytes begins: at a multiple of 256, as any resource may. */
static uint64_t place(uint64_t *end, uint64_t bytes) {
    const uint64_t offset = *end;
    *end = (offset + bytes + 255) / 256 * 256;
    return offset;
}

static void fill(struct network *net) {
    uint32_t state = 1;
    for (uint32_t i = 0; i < net->input_count; i++) {
        const struct input *input = &net->inputs[i];
        float *elements = (float *)(void *)(net->app->bytes + input->offset);
        for (uint64_t e = 0; e < input->bytes / sizeof(float); e++) {
            state = state * 1664525 + 1013904223;
            elements[e] = input->center + input->spread * ((float)(state >> 8) * 0x1p-23f - 1);
        }
    }
}

static VkdmlBufferBinding range(const struct network *net, uint64_t offset, uint64_t size) {
    return size == 0 ? (VkdmlBufferBinding){0} : (VkdmlBufferBinding){net->app->buffer, offset, size};
}

/* The initializer is given the weights and writes what the graph keeps; executions read that, and all else. */
static bool bind(struct network *net, bool initializes, VkdmlBufferBinding persistent, VkdmlBufferBinding temporary) {
    const VkdmlDispatchable dispatchable = initializes ? net->initializer : net->compiled;
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = dispatchable};
    VkdmlBindingTable *table = initializes ? &net->initializer_table : &net->table;
    VkdmlBufferBinding inputs[MAX_INPUTS];
    for (uint32_t i = 0; i < net->input_count; i++) {
        const struct input *input = &net->inputs[i];
        inputs[i] = range(net, input->offset, input->is_weight == initializes ? input->bytes : 0);
    }
    return succeeded(vkdmlCreateBindingTable(net->app->device, &info, table)) &&
           succeeded(vkdmlBindInputs(*table, net->input_count, inputs)) &&
           succeeded(vkdmlBindOutputs(*table, 1, initializes ? &persistent : &net->output)) &&
           succeeded(vkdmlBindTemporaryResource(*table, &temporary)) &&
           (initializes || succeeded(vkdmlBindPersistentResource(*table, &persistent)));
}

bool network_compile(struct network *net, struct value output) {
    VkdmlBindingProperties initially;
    uint64_t end = 0;
    describe_graph(net, &output);
    if (net->failed || !succeeded(vkdmlCompileGraph(net->app->device, &net->desc, NULL, &net->compiled)) ||
        !succeeded(vkdmlCreateOperatorInitializer(net->app->device, 1, &net->compiled, &net->initializer)) ||
        !succeeded(vkdmlGetBindingProperties(net->compiled, &net->needs)) ||
        !succeeded(vkdmlGetBindingProperties(net->initializer, &initially))) {
        return false;
    }
    for (uint32_t i = 0; i < net->input_count; i++) {
        net->inputs[i].offset = place(&end, net->inputs[i].bytes);
    }
    const uint64_t result = place(&end, output.bytes);
    const uint64_t persistent = place(&end, net->needs.persistentResourceSize);
    const uint64_t temporary = place(&end, net->needs.temporaryResourceSize);
    const uint64_t first = place(&end, initially.temporaryResourceSize);
    if (!application_create_buffer(net->app, end)) {
        return false;
    }
    fill(net);
    net->output = range(net, result, output.bytes);
    const VkdmlBufferBinding kept = range(net, persistent, net->needs.persistentResourceSize);
    return bind(net, true, kept, range(net, first, initially.temporaryResourceSize)) &&
           bind(net, false, kept, range(net, temporary, net->needs.temporaryResourceSize));
}

static bool submit(struct network *net, VkdmlDispatchable dispatchable, VkdmlBindingTable table) {
    return application_begin(net->app) &&
           succeeded(vkdmlRecordDispatch(net->app->device, net->app->commands, dispatchable, table)) &&
           application_submit(net->app);
}

bool network_initialize(struct network *net) {
    return submit(net, net->initializer, net->initializer_table);
}

bool network_run(struct network *net, double *milliseconds) {
    const double start = now();
    const bool good = submit(net, net->compiled, net->table);
    *milliseconds = now() - start;
    return good;
}

const float *network_output(const struct network *net) {
    return (const float *)(const void *)(net->app->bytes + net->output.offset);
}

bool network_check(struct network *net, float tolerance) {
    const size_t count = net->output.size / sizeof(float);
    float *expected = malloc(net->output.size);
    VkdmlHostBinding inputs[MAX_INPUTS];
    for (uint32_t i = 0; i < net->input_count; i++) {
        inputs[i] = (VkdmlHostBinding){net->app->bytes + net->inputs[i].offset, net->inputs[i].bytes};
    }
    const VkdmlHostBinding output = {expected, net->output.size};
    const VkdmlReferenceGraphInfo info = {.structSize = sizeof info,
                                          .desc = &net->desc,
                                          .inputCount = net->input_count,
                                          .inputs = inputs,
                                          .outputCount = 1,
                                          .outputs = &output};
    bool good = expected != NULL && succeeded(vkdmlReferenceExecuteGraph(&info));
    for (size_t i = 0; i < count && good; i++) {
        const float got = network_output(net)[i];
        good = fabsf(got - expected[i]) <= tolerance;
        if (!good) {
            fprintf(stderr, "element %zu is %.9g, must be %.9g within %g\n", i, (double)got, (double)expected[i],
                    (double)tolerance);
        }
    }
    free(expected);
    return good;
}

void network_destroy(struct network *net) {
    vkdmlDestroyBindingTable(net->table);
    vkdmlDestroyBindingTable(net->initializer_table);
    vkdmlDestroyDispatchable(net->compiled);
    vkdmlDestroyDispatchable(net->initializer);
    for (uint32_t i = 0; i < net->node_count; i++) {
        vkdmlDestroyOperator(net->operators[i]);
    }
}

double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* The likeliest class of those that are less likely than `below`, or as likely and behind `after`. */
static uint32_t find_next(const float *probabilities, uint32_t count, float below, uint32_t after) {
    uint32_t found = count;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_left = probabilities[i] < below || (probabilities[i] == below && i > after);
        found = is_left && (found == count || probabilities[i] > probabilities[found]) ? i : found;
    }
    return found;
}

void print_classes(const float *probabilities, uint32_t class_count, uint32_t count) {
    static const char bar[] = "########################################";
    const uint32_t answer = find_next(probabilities, class_count, INFINITY, 0);
    uint32_t next = answer;
    printf("\nWhat it takes a picture of random numbers for, with weights of random numbers:\n\n");
    for (uint32_t i = 0; i < count && next < class_count; i++) {
        const float part = probabilities[next];
        const int length = (int)(part * (float)(sizeof(bar) - 1) / probabilities[answer] + 0.5f);
        printf("  class %3u  %4.1f %%  %.*s%s\n", next, 100 * (double)part, length, bar,
               next == answer ? "  <- its answer" : "");
        next = find_next(probabilities, class_count, part, next);
    }
}
