#include "layers.h"

#include <string.h>

#define INPUTS(...) ((struct tensor *[3]){__VA_ARGS__})

static const DML_ACTIVATION_RELU_OPERATOR_DESC relu_fields = {NULL, NULL};
static const DML_ACTIVATION_GELU_OPERATOR_DESC gelu_fields = {NULL, NULL};
const DML_OPERATOR_DESC relu = {DML_OPERATOR_ACTIVATION_RELU, &relu_fields};
const DML_OPERATOR_DESC gelu = {DML_OPERATOR_ACTIVATION_GELU, &gelu_fields};

/* ---- tensors ---- */

static struct tensor *place(struct network *net, uint64_t offset, const uint32_t sizes[4], const uint32_t strides[4]) {
    struct tensor *tensor = &net->tensors[net->tensor_count++];
    uint64_t last = 0;
    tensor->offset = offset;
    memcpy(tensor->sizes, sizes, sizeof(tensor->sizes));
    memcpy(tensor->strides, strides, sizeof(tensor->strides));
    for (int d = 0; d < 4; d++) {
        last += (uint64_t)(sizes[d] - 1) * strides[d];
    }
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                              .DimensionCount = 4,
                                              .Sizes = tensor->sizes,
                                              .Strides = tensor->strides,
                                              .TotalTensorSizeInBytes = (last + 1) * sizeof(float)};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    return tensor;
}

uint64_t align(uint64_t bytes) {
    return (bytes + 255) / 256 * 256;
}

struct tensor *create(struct network *net, const uint32_t s[4]) {
    struct tensor *tensor = place(net, net->tensor_bytes, s, STRIDES(s[1] * s[2] * s[3], s[2] * s[3], s[3], 1));
    net->tensor_bytes = align(net->tensor_bytes + tensor->buffer.TotalTensorSizeInBytes);
    return tensor;
}

struct tensor *view(struct network *net, const struct tensor *tensor, const uint32_t sizes[4],
                    const uint32_t strides[4]) {
    return place(net, tensor->offset, sizes, strides);
}

/* Bound once, to the initializer: what an operator wants to keep is in its persistent resource from then on. */
static struct tensor *owned(struct tensor *tensor) {
    tensor->buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    return tensor;
}

static struct tensor *weights(struct network *net, const uint32_t sizes[4]) {
    return owned(create(net, sizes));
}

/* A weight for each column, the same in all rows. */
static struct tensor *row_weights(struct network *net, const uint32_t sizes[4]) {
    return owned(view(net, create(net, SIZES(1, 1, 1, sizes[3])), sizes, STRIDES(0, 0, 0, 1)));
}

/* ---- layers ---- */

static struct layer *add_layer(struct network *net, const char *name, DML_OPERATOR_TYPE type, struct tensor *output,
                               uint32_t input_count, struct tensor *const inputs[3]) {
    struct layer *layer = &net->layers[net->layer_count++];
    layer->name = name;
    layer->desc = (DML_OPERATOR_DESC){type, &layer->fields};
    layer->output = output;
    layer->input_count = input_count;
    memcpy(layer->inputs, inputs, sizeof(layer->inputs));
    return layer;
}

static void set_windows(struct layer *layer, uint32_t size, uint32_t stride, uint32_t padding) {
    for (int d = 0; d < 2; d++) {
        layer->window[d] = size;
        layer->stride[d] = stride;
        layer->padding[d] = padding;
    }
}

/* The bound of a sum of products, and the reference's own rounding. */
static double bound_of_sum(uint32_t terms) {
    return (terms + 7) * 0x1p-24;
}

struct tensor *convolve(struct network *net, const char *name, struct tensor *input, struct filter f,
                        const DML_OPERATOR_DESC *activation) {
    static const uint32_t ones[] = {1, 1}, zeros[] = {0, 0};
    const uint32_t channels = input->sizes[1] / f.groups, side = (input->sizes[2] - 1) / f.stride + 1;
    struct tensor *filter = weights(net, SIZES(f.channels, channels, f.size, f.size));
    struct tensor *bias = weights(net, SIZES(1, f.channels, 1, 1));
    struct tensor *output = create(net, SIZES(1, f.channels, side, side));
    struct layer *layer = add_layer(net, name, DML_OPERATOR_CONVOLUTION, output, 3, INPUTS(input, filter, bias));
    set_windows(layer, f.size, f.stride, f.size / 2);
    layer->fields.convolution = (DML_CONVOLUTION_OPERATOR_DESC){.InputTensor = &input->desc,
                                                                .FilterTensor = &filter->desc,
                                                                .BiasTensor = &bias->desc,
                                                                .OutputTensor = &output->desc,
                                                                .Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                                .Direction = DML_CONVOLUTION_DIRECTION_FORWARD,
                                                                .DimensionCount = 2,
                                                                .Strides = layer->stride,
                                                                .Dilations = ones,
                                                                .StartPadding = layer->padding,
                                                                .EndPadding = layer->padding,
                                                                .OutputPadding = zeros,
                                                                .GroupCount = f.groups,
                                                                .FusedActivation = activation};
    layer->tolerance.terms = bound_of_sum(channels * f.size * f.size);
    return output;
}

struct tensor *take_maxima(struct network *net, const char *name, struct tensor *input) {
    struct tensor *output = create(net, SIZES(1, input->sizes[1], input->sizes[2] / 2, input->sizes[3] / 2));
    struct layer *layer = add_layer(net, name, DML_OPERATOR_MAX_POOLING, output, 1, INPUTS(input));
    set_windows(layer, 2, 2, 0);
    layer->fields.max_pooling = (DML_MAX_POOLING_OPERATOR_DESC){
        &input->desc, &output->desc, 2, layer->stride, layer->window, layer->padding, layer->padding};
    return output;
}

struct tensor *average(struct network *net, const char *name, struct tensor *input) {
    struct tensor *output = create(net, SIZES(1, input->sizes[1], 1, 1));
    struct layer *layer = add_layer(net, name, DML_OPERATOR_AVERAGE_POOLING, output, 1, INPUTS(input));
    set_windows(layer, input->sizes[2], 1, 0);
    layer->fields.average_pooling = (DML_AVERAGE_POOLING_OPERATOR_DESC){
        &input->desc, &output->desc, 2, layer->stride, layer->window, layer->padding, layer->padding, 0};
    layer->tolerance.terms = (69 + input->sizes[2] * input->sizes[3] / 64.0) * 0x1p-24;
    return output;
}

struct tensor *add(struct network *net, const char *name, struct tensor *a, struct tensor *b) {
    struct tensor *output = create(net, a->sizes);
    struct layer *layer = add_layer(net, name, DML_OPERATOR_ELEMENT_WISE_ADD, output, 2, INPUTS(a, b));
    layer->fields.add = (DML_ELEMENT_WISE_ADD_OPERATOR_DESC){&a->desc, &b->desc, &output->desc};
    return output;
}

static struct layer *add_product(struct network *net, const char *name, struct tensor *a, struct tensor *b,
                                 struct tensor *output) {
    struct layer *layer = add_layer(net, name, DML_OPERATOR_GEMM, output, 3, INPUTS(a, b));
    layer->fields.gemm =
        (DML_GEMM_OPERATOR_DESC){.ATensor = &a->desc, .BTensor = &b->desc, .OutputTensor = &output->desc, .Alpha = 1};
    layer->tolerance.terms = bound_of_sum(a->sizes[3]);
    return layer;
}

struct tensor *connect(struct network *net, const char *name, struct tensor *input, uint32_t columns,
                       const DML_OPERATOR_DESC *activation) {
    struct tensor *output = create(net, SIZES(1, 1, input->sizes[2], columns));
    struct tensor *matrix = weights(net, SIZES(1, 1, input->sizes[3], columns));
    struct layer *layer = add_product(net, name, input, matrix, output);
    layer->inputs[2] = row_weights(net, output->sizes);
    layer->fields.gemm.CTensor = &layer->inputs[2]->desc;
    layer->fields.gemm.Beta = 1;
    layer->fields.gemm.FusedActivation = activation;
    /* GELU grows at most 1.13 times as fast as its argument, and of a magnitude at least half is left. */
    layer->tolerance.terms *= activation == &gelu ? 3 : 1;
    return output;
}

struct tensor *multiply(struct network *net, const char *name, struct tensor *a, struct tensor *b,
                        DML_MATRIX_TRANSFORM transform, float scale, struct tensor *output) {
    struct layer *layer = add_product(net, name, a, b, output);
    layer->fields.gemm.TransB = transform;
    layer->fields.gemm.Alpha = scale;
    return output;
}

static const uint32_t columns_axis = 3;

struct tensor *softmax(struct network *net, const char *name, struct tensor *input) {
    struct tensor *output = create(net, input->sizes);
    struct layer *layer = add_layer(net, name, DML_OPERATOR_ACTIVATION_SOFTMAX1, output, 1, INPUTS(input));
    layer->fields.softmax =
        (DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC){&input->desc, &output->desc, .AxisCount = 1, .Axes = &columns_axis};
    layer->tolerance = (struct tolerance){.result = 0x1p-15, .constant = 0x1p-125};
    return output;
}

struct tensor *normalize(struct network *net, const char *name, struct tensor *input) {
    struct tensor *output = create(net, input->sizes);
    struct tensor *scale = row_weights(net, input->sizes), *bias = row_weights(net, input->sizes);
    struct layer *layer =
        add_layer(net, name, DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, output, 3, INPUTS(input, scale, bias));
    layer->fields.normalization = (DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC){.InputTensor = &input->desc,
                                                                                   .ScaleTensor = &scale->desc,
                                                                                   .BiasTensor = &bias->desc,
                                                                                   .OutputTensor = &output->desc,
                                                                                   .AxisCount = 1,
                                                                                   .Axes = &columns_axis,
                                                                                   .NormalizeVariance = 1,
                                                                                   .Epsilon = 1e-5f};
    /* The bound is of the result without its bias, which is below 1, and of the mean in deviations, a few. */
    layer->tolerance = (struct tolerance){.result = 0x1p-15, .constant = 0x1p-15};
    return output;
}
