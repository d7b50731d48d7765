#include "bench/host_network.h"

#include <stdio.h>
#include <string.h>

/* ---- tensors and nodes ---- */

/* FLOAT32 of four dimensions; points into itself. */
struct tensor {
    uint32_t sizes[4], strides[4];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

struct shape {
    uint32_t sizes[4];
};

static uint64_t bytes_of(struct shape shape) {
    return (uint64_t)4 * shape.sizes[0] * shape.sizes[1] * shape.sizes[2] * shape.sizes[3];
}

static const DML_TENSOR_DESC *packed(struct tensor *tensor, struct shape shape, DML_TENSOR_FLAGS flags) {
    memcpy(tensor->sizes, shape.sizes, sizeof tensor->sizes);
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){
        DML_TENSOR_DATA_TYPE_FLOAT32, flags, 4, tensor->sizes, NULL, bytes_of(shape), 0};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    return &tensor->desc;
}

/* As packed(), of other strides and `bytes`. */
static const DML_TENSOR_DESC *strided(struct tensor *tensor, struct shape shape, struct shape strides, uint64_t bytes,
                                      DML_TENSOR_FLAGS flags) {
    packed(tensor, shape, flags);
    memcpy(tensor->strides, strides.sizes, sizeof tensor->strides);
    tensor->buffer.Strides = tensor->strides;
    tensor->buffer.TotalTensorSizeInBytes = bytes;
    return &tensor->desc;
}

/* What an input of a node reads: a node's output or, with is_input, an input of the graph. */
struct value {
    bool is_input;
    uint32_t number;
};

static struct value graph_input(struct network *network, uint64_t bytes, bool is_weight) {
    const uint32_t i = network->desc.InputCount++;
    network->input_bytes[i] = bytes;
    network->weight_ids[i] = is_weight ? i + 1 : 0;
    return (struct value){true, i};
}

static struct value weight(struct network *network, uint64_t bytes) {
    return graph_input(network, bytes, true);
}

static void read_value(struct network *network, struct value from, uint32_t node, uint32_t input) {
    if (from.is_input) {
        const uint32_t e = network->desc.InputEdgeCount++;
        network->inputs[e] = (DML_INPUT_GRAPH_EDGE_DESC){from.number, node, input, NULL};
        network->edges[0][e] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INPUT, &network->inputs[e]};
    } else {
        const uint32_t e = network->desc.IntermediateEdgeCount++;
        network->intermediates[e] = (DML_INTERMEDIATE_GRAPH_EDGE_DESC){from.number, 0, node, input, NULL};
        network->edges[1][e] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &network->intermediates[e]};
    }
}

/* A node whose operator is that of a slot, which is created the first time. */
static struct value add_node(struct network *network, uint32_t slot, DML_OPERATOR_TYPE type, const void *desc,
                             uint32_t count, const struct value *inputs) {
    const uint32_t n = network->desc.NodeCount++;
    VkdmlOperator *op = &network->operators[slot];
    if (*op == NULL && !network->failed &&
        vkdmlCreateOperator(network->device, &(DML_OPERATOR_DESC){type, desc}, op) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
        network->failed = true;
    }
    network->node_descs[n] = (DML_OPERATOR_GRAPH_NODE_DESC){vkdmlGraphOperator(*op), NULL};
    network->nodes[n] = (DML_GRAPH_NODE_DESC){DML_GRAPH_NODE_TYPE_OPERATOR, &network->node_descs[n]};
    for (uint32_t i = 0; i < count; i++) {
        read_value(network, inputs[i], n, i);
    }
    return (struct value){false, n};
}

#define NODE(network, slot, type, desc, ...)                                                                           \
    add_node(network, slot, type, desc, sizeof((struct value[]){__VA_ARGS__}) / sizeof(struct value),                  \
             (const struct value[]){__VA_ARGS__})

static void graph_output(struct network *network, uint64_t bytes, struct value value) {
    const uint32_t i = network->desc.OutputCount++;
    network->output_bytes[i] = bytes;
    network->desc.OutputEdgeCount = network->desc.OutputCount;
    network->outputs[i] = (DML_OUTPUT_GRAPH_EDGE_DESC){value.number, 0, i, NULL};
    network->edges[2][i] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_OUTPUT, &network->outputs[i]};
}

static void begin(struct network *network, VkdmlDevice device) {
    memset(network, 0, sizeof *network);
    network->device = device;
    network->desc.Nodes = network->nodes;
    network->desc.InputEdges = network->edges[0];
    network->desc.IntermediateEdges = network->edges[1];
    network->desc.OutputEdges = network->edges[2];
}

void network_destroy(struct network *network) {
    for (uint32_t i = 0; i < NETWORK_OPERATORS; i++) {
        vkdmlDestroyOperator(network->operators[i]);
        network->operators[i] = NULL;
    }
}

/* ---- layers; each takes its slots from `slot` on ---- */

static struct value sum(struct network *network, uint32_t slot, struct shape shape, struct value a, struct value b) {
    struct tensor tensor;
    const DML_TENSOR_DESC *desc = packed(&tensor, shape, DML_TENSOR_FLAG_NONE);
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {desc, desc, desc};
    return NODE(network, slot, DML_OPERATOR_ELEMENT_WISE_ADD, &add, a, b);
}

static struct value relu(struct network *network, uint32_t slot, struct shape shape, struct value x) {
    struct tensor tensor;
    const DML_TENSOR_DESC *desc = packed(&tensor, shape, DML_TENSOR_FLAG_NONE);
    return NODE(network, slot, DML_OPERATOR_ACTIVATION_RELU, (&(DML_ACTIVATION_RELU_OPERATOR_DESC){desc, desc}), x);
}

static struct value gelu(struct network *network, uint32_t slot, struct shape shape, struct value x) {
    struct tensor tensor;
    const DML_TENSOR_DESC *desc = packed(&tensor, shape, DML_TENSOR_FLAG_NONE);
    return NODE(network, slot, DML_OPERATOR_ACTIVATION_GELU, (&(DML_ACTIVATION_GELU_OPERATOR_DESC){desc, desc}), x);
}

static struct value normalize(struct network *network, uint32_t slot, uint32_t rows, uint32_t width, struct value x) {
    static const uint32_t axis = 3;
    struct tensor data, factors;
    const DML_TENSOR_DESC *desc = packed(&data, (struct shape){{1, 1, rows, width}}, DML_TENSOR_FLAG_NONE);
    const DML_TENSOR_DESC *broadcast = strided(&factors, (struct shape){{1, 1, rows, width}},
                                               (struct shape){{0, 0, 0, 1}}, 4 * width, DML_TENSOR_FLAG_OWNED_BY_DML);
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC norm = {desc, broadcast, broadcast, desc, 1,
                                                                 &axis, 1, 1e-5F, NULL};
    const struct value scale = weight(network, 4 * width), bias = weight(network, 4 * width);
    return NODE(network, slot, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &norm, x, scale, bias);
}

static struct value linear(struct network *network, uint32_t slot, uint32_t rows, uint32_t in, uint32_t out,
                           struct value x) {
    struct tensor a, b, c;
    const struct shape matrix = {{1, 1, in, out}};
    const DML_GEMM_OPERATOR_DESC gemm = {packed(&a, (struct shape){{1, 1, rows, in}}, DML_TENSOR_FLAG_NONE),
                                         packed(&b, matrix, DML_TENSOR_FLAG_OWNED_BY_DML),
                                         NULL,
                                         packed(&c, (struct shape){{1, 1, rows, out}}, DML_TENSOR_FLAG_NONE),
                                         DML_MATRIX_TRANSFORM_NONE,
                                         DML_MATRIX_TRANSFORM_NONE,
                                         1,
                                         0,
                                         NULL};
    return NODE(network, slot, DML_OPERATOR_GEMM, &gemm, x, weight(network, bytes_of(matrix)));
}

/* Rows of all heads side by side, as one matrix a head. */
static const DML_TENSOR_DESC *heads_of(struct tensor *tensor, uint32_t heads, uint32_t rows, uint32_t width) {
    const struct shape shape = {{1, heads, rows, width}}, strides = {{0, width, heads * width, 1}};
    return strided(tensor, shape, strides, bytes_of(shape), DML_TENSOR_FLAG_NONE);
}

/* Keys and values: rows of all heads side by side, or, if they are joined to earlier ones, one matrix a head. */
struct attended {
    struct value keys, values;
    uint32_t rows;
    bool is_joined;
};

/* Softmax(Q K^T) V: three nodes. */
static struct value attend(struct network *network, uint32_t slot, uint32_t heads, uint32_t width, uint32_t rows,
                           struct value queries, const struct attended *to) {
    static const uint32_t axis = 3;
    struct tensor q, k, s;
    const struct shape matrix = {{1, heads, to->rows, width}};
    const DML_TENSOR_DESC *kept = to->is_joined ? packed(&k, matrix, DML_TENSOR_FLAG_NONE)
                                                : heads_of(&k, heads, to->rows, width);
    const DML_TENSOR_DESC *scores =
        packed(&s, (struct shape){{1, heads, rows, to->rows}}, DML_TENSOR_FLAG_NONE), *query =
        heads_of(&q, heads, rows, width);
    const DML_GEMM_OPERATOR_DESC first = {query, kept, NULL, scores, DML_MATRIX_TRANSFORM_NONE,
                                          DML_MATRIX_TRANSFORM_TRANSPOSE, 0.125F, 0, NULL};
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC softmax = {scores, scores, 1, &axis};
    const DML_GEMM_OPERATOR_DESC second = {scores, kept, NULL, query, DML_MATRIX_TRANSFORM_NONE,
                                           DML_MATRIX_TRANSFORM_NONE, 1, 0, NULL};
    struct value x = NODE(network, slot, DML_OPERATOR_GEMM, &first, queries, to->keys);
    x = NODE(network, slot + 1, DML_OPERATOR_ACTIVATION_SOFTMAX1, &softmax, x);
    return NODE(network, slot + 2, DML_OPERATOR_GEMM, &second, x, to->values);
}

/* What earlier tokens left, which is an input, with that of a new one: an output. */
static struct value remember(struct network *network, uint32_t slot, uint32_t heads, uint32_t width, uint32_t past,
                             struct value x) {
    struct tensor earlier, fresh, all;
    const struct shape before = {{1, heads, past, width}};
    const DML_TENSOR_DESC parts[] = {*packed(&earlier, before, DML_TENSOR_FLAG_NONE),
                                     *heads_of(&fresh, heads, 1, width)};
    const DML_JOIN_OPERATOR_DESC join = {
        2, parts, packed(&all, (struct shape){{1, heads, past + 1, width}}, DML_TENSOR_FLAG_NONE), 2};
    const struct value joined =
        NODE(network, slot, DML_OPERATOR_JOIN, &join, graph_input(network, bytes_of(before), false), x);
    graph_output(network, bytes_of(before) + (uint64_t)4 * heads * width, joined);
    return joined;
}

/* A transformer's layer: 14 nodes, 16 of a decoder's. past 0: it is none. */
static struct value transform(struct network *network, uint32_t slot, uint32_t heads, uint32_t width, uint32_t rows,
                              uint32_t past, struct value x) {
    const uint32_t hidden = heads * width;
    const struct shape shape = {{1, 1, rows, hidden}}, wide = {{1, 1, rows, 4 * hidden}};
    struct value y = normalize(network, slot, rows, hidden, x);
    const struct value queries = linear(network, slot + 1, rows, hidden, hidden, y);
    struct attended to = {linear(network, slot + 1, rows, hidden, hidden, y),
                          linear(network, slot + 1, rows, hidden, hidden, y), past + rows, past > 0};
    if (to.is_joined) {
        to.keys = remember(network, slot + 2, heads, width, past, to.keys);
        to.values = remember(network, slot + 2, heads, width, past, to.values);
    }
    y = attend(network, slot + 3, heads, width, rows, queries, &to);
    x = sum(network, slot + 6, shape, linear(network, slot + 1, rows, hidden, hidden, y), x);
    y = normalize(network, slot, rows, hidden, x);
    y = gelu(network, slot + 8, wide, linear(network, slot + 7, rows, hidden, 4 * hidden, y));
    return sum(network, slot + 6, shape, linear(network, slot + 9, rows, 4 * hidden, hidden, y), x);
}

static struct value convolve(struct network *network, uint32_t slot, uint32_t in, uint32_t out, uint32_t groups,
                             uint32_t taps, const uint32_t image[2], struct value x) {
    static const uint32_t ones[2] = {1, 1}, none[2] = {0, 0};
    const uint32_t padding[2] = {taps / 2, taps / 2};
    struct tensor input, filter, bias, output;
    const struct shape weights = {{out, in / groups, taps, taps}}, biases = {{1, out, 1, 1}};
    const DML_CONVOLUTION_OPERATOR_DESC convolution = {
        packed(&input, (struct shape){{1, in, image[0], image[1]}}, DML_TENSOR_FLAG_NONE),
        packed(&filter, weights, DML_TENSOR_FLAG_OWNED_BY_DML),
        packed(&bias, biases, DML_TENSOR_FLAG_OWNED_BY_DML),
        packed(&output, (struct shape){{1, out, image[0], image[1]}}, DML_TENSOR_FLAG_NONE),
        DML_CONVOLUTION_MODE_CROSS_CORRELATION,
        DML_CONVOLUTION_DIRECTION_FORWARD,
        2,
        ones,
        ones,
        padding,
        padding,
        none,
        groups,
        NULL};
    const struct value w = weight(network, bytes_of(weights)), b = weight(network, bytes_of(biases));
    return NODE(network, slot, DML_OPERATOR_CONVOLUTION, &convolution, x, w, b);
}

/* ---- networks ---- */

#define CHANNELS     32 /* of the recognizer's images, which have 6 rows: 192 features a column */
#define IMAGE_ROWS   6
#define CONVOLUTIONS 10 /* blocks of five nodes */
#define MIXING       27

bool network_recognizer(struct network *network, VkdmlDevice device, uint32_t width) {
    const uint32_t image[2] = {IMAGE_ROWS, width}, features = CHANNELS * IMAGE_ROWS;
    const struct shape shape = {{1, CHANNELS, IMAGE_ROWS, width}};
    begin(network, device);
    struct value x = graph_input(network, (uint64_t)4 * 3 * IMAGE_ROWS * width, false);
    x = relu(network, 1, shape, convolve(network, 0, 3, CHANNELS, 1, 3, image, x));
    for (uint32_t b = 0; b < CONVOLUTIONS; b++) {
        struct value y = relu(network, 1, shape, convolve(network, 2, CHANNELS, CHANNELS, CHANNELS, 3, image, x));
        y = relu(network, 1, shape, convolve(network, 3, CHANNELS, CHANNELS, 1, 1, image, y));
        x = sum(network, 4, shape, y, x);
    }
    /* A column's features side by side. */
    struct tensor columns, rows;
    const struct shape table = {{1, 1, width, features}};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC turn = {
        strided(&columns, table, (struct shape){{0, 0, 1, width}}, bytes_of(table), DML_TENSOR_FLAG_NONE),
        packed(&rows, table, DML_TENSOR_FLAG_NONE), NULL};
    x = NODE(network, 5, DML_OPERATOR_ELEMENT_WISE_IDENTITY, &turn, x);
    for (uint32_t m = 0; m < MIXING; m++) {
        x = transform(network, 6, 6, features / 6, width, 0, x);
    }
    x = normalize(network, 6, width, features, x);
    graph_output(network, (uint64_t)4 * width * 512, linear(network, 16, width, features, 512, x));
    return !network->failed;
}

#define LAYERS     24
#define HEADS      8
#define HEAD_WIDTH 64

bool network_decoder(struct network *network, VkdmlDevice device, uint32_t past) {
    begin(network, device);
    struct value x = graph_input(network, 4 * HEADS * HEAD_WIDTH, false);
    for (uint32_t l = 0; l < LAYERS; l++) {
        x = transform(network, 0, HEADS, HEAD_WIDTH, 1, past, x);
    }
    graph_output(network, 4 * 1024, linear(network, 10, 1, HEADS * HEAD_WIDTH, 1024, x));
    return !network->failed;
}
