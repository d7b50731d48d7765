/* Shapes of convolutions, random ones and layers of networks. */
#ifndef CASES_CONVOLUTION_H
#define CASES_CONVOLUTION_H

#include "cases/case.h"
#include "cases/random.h"

#define CONVOLUTION_SPATIAL 3

/* Of a convolution, a word per spatial dimension. */
struct convolution_shape {
    uint32_t spatial, batches, groups, channels, made; /* channels in a group: of the input and the output */
    uint32_t filter[CONVOLUTION_SPATIAL], strides[CONVOLUTION_SPATIAL], dilations[CONVOLUTION_SPATIAL];
    uint32_t start[CONVOLUTION_SPATIAL], end[CONVOLUTION_SPATIAL], output_padding[CONVOLUTION_SPATIAL];
    uint32_t places[CONVOLUTION_SPATIAL]; /* where the filter is put: of the output, or backward of the input */
    uint32_t left_over;                   /* elements of the input behind the last place, below the strides */
    bool is_backward;
};

/* Any; a plain one is forward, of up to two spatial dimensions and without output padding. */
struct convolution_shape convolution_choose_shape(struct random *random, bool is_plain);

/* Sets types and sizes of InputTensor, FilterTensor and OutputTensor, and the attributes but for Mode. */
void convolution_set_shape(struct operator_case *c, DML_TENSOR_DATA_TYPE type, const struct convolution_shape *shape);

/* Makes an output smaller or larger than the formula says, as clients of DirectML ask for in gradients. */
void convolution_choose_any_size(struct random *random, struct case_tensor *output);

enum convolution_layer_name {
    CONVOLUTION_STEM,
    CONVOLUTION_EARLY,
    CONVOLUTION_LATE,
    CONVOLUTION_POINTWISE,
    CONVOLUTION_STRIDED,
    CONVOLUTION_DEPTHWISE,
    CONVOLUTION_TRANSPOSED
};

/* Of a batch of 32, or as many as `bytes` hold; where they do not hold one the sides are shorter. */
struct convolution_shape convolution_layer(uint64_t bytes, uint32_t element_bytes, enum convolution_layer_name name);

#endif
