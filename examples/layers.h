/* What examples/network.c is built of: a layer is an operator of DirectML's and the tensors it goes from and to. */
#ifndef EXAMPLES_LAYERS_H
#define EXAMPLES_LAYERS_H

#include <vkdml/vkdml.h>

/* FLOAT32, of four dimensions. */
struct tensor {
    uint32_t sizes[4], strides[4]; /* strides count elements */
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
    uint64_t offset; /* bytes, on the device and on the host */
};

/* How far results may be from the reference's, as `vkdml operators` tells of each operator. All 0: the same bits. */
struct tolerance {
    double terms;    /* of the magnitudes of what is added up */
    double result;   /* of the result */
    double constant; /* of 1 */
};

struct layer {
    const char *name;
    DML_OPERATOR_DESC desc; /* of `fields` */
    union {
        DML_CONVOLUTION_OPERATOR_DESC convolution;
        DML_MAX_POOLING_OPERATOR_DESC max_pooling;
        DML_AVERAGE_POOLING_OPERATOR_DESC average_pooling;
        DML_ELEMENT_WISE_ADD_OPERATOR_DESC add;
        DML_GEMM_OPERATOR_DESC gemm;
        DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC softmax;
        DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC normalization;
    } fields;
    uint32_t window[2], stride[2], padding[2]; /* what descriptors of windows point to */
    struct tensor *inputs[3];                  /* in the descriptor's order; NULL: absent */
    uint32_t input_count;
    struct tensor *output;
    struct tolerance tolerance;

    VkdmlDispatchable compiled;
    VkdmlBindingProperties needs;
    uint64_t persistent; /* where its persistent resource begins on the device */
    VkdmlBindingTable table;
};

enum { MAX_TENSORS = 80, MAX_LAYERS = 24 }; /* enough for network.c's */

/* On the device tensors come first, then each layer's persistent resource, then the temporary resource of all. */
struct network {
    struct tensor tensors[MAX_TENSORS];
    struct layer layers[MAX_LAYERS];
    uint32_t tensor_count, layer_count;
    uint64_t tensor_bytes;
    uint64_t temporary, temporary_size; /* where it begins, and the most that a layer needs */
    VkdmlDispatchable initializer;
    VkdmlBindingTable initializer_table;
};

#define SIZES(...)   ((const uint32_t[4]){__VA_ARGS__})
#define STRIDES(...) ((const uint32_t[4]){__VA_ARGS__})

/* The next multiple of 256, at which any resource may begin. */
uint64_t align(uint64_t bytes);

/* A packed tensor with memory of its own. */
struct tensor *create(struct network *net, const uint32_t sizes[4]);

/* The same memory as another tensor. */
struct tensor *view(struct network *net, const struct tensor *tensor, const uint32_t sizes[4],
                    const uint32_t strides[4]);

/* Those that DirectML fuses into others. */
extern const DML_OPERATOR_DESC relu, gelu;

struct filter {
    uint32_t channels, size, stride, groups;
};

/* Each of these adds a layer, with what weights it needs, and returns its output. */

/* Padded so that pictures keep their size, but for the stride. */
struct tensor *convolve(struct network *net, const char *name, struct tensor *input, struct filter filter,
                        const DML_OPERATOR_DESC *activation);
/* Of 2 x 2 pixels. */
struct tensor *take_maxima(struct network *net, const char *name, struct tensor *input);
/* Of whole pictures. */
struct tensor *average(struct network *net, const char *name, struct tensor *input);
struct tensor *add(struct network *net, const char *name, struct tensor *a, struct tensor *b);
/* activation(row x weights + bias) of each row. */
struct tensor *connect(struct network *net, const char *name, struct tensor *input, uint32_t columns,
                       const DML_OPERATOR_DESC *activation);
/* scale * a x b, or a x b transposed, into a tensor that is there. */
struct tensor *multiply(struct network *net, const char *name, struct tensor *a, struct tensor *b,
                        DML_MATRIX_TRANSFORM transform, float scale, struct tensor *output);
/* Of each row. */
struct tensor *softmax(struct network *net, const char *name, struct tensor *input);
/* Each row to mean 0 and variance 1, then weighted. */
struct tensor *normalize(struct network *net, const char *name, struct tensor *input);

#endif
