/* Plans of the attention kernels (glsl/attention/attention.glsl): out = softmax(scale * q k^T + bias, masked) v, for
 * each head of some batches. Query heads that share a head of keys are its groups. */
#ifndef VKDML_FRAMES_ATTENTION_ATTENTION_H
#define VKDML_FRAMES_ATTENTION_ATTENTION_H

#include "base/report.h"
#include "kernels/blocks.h"
#include "plan/builder.h"

/* The dimensions of an attention, and of its tensors beside them the elements of a row. */
enum {
    VKDML_ATTENTION_BATCH,
    VKDML_ATTENTION_HEAD, /* of keys */
    VKDML_ATTENTION_GROUP,
    VKDML_ATTENTION_QUERY,
    VKDML_ATTENTION_KEY,
    VKDML_ATTENTION_ELEMENT,
    VKDML_ATTENTION_RANK
};

enum {
    VKDML_ATTENTION_Q,
    VKDML_ATTENTION_K,
    VKDML_ATTENTION_V,
    VKDML_ATTENTION_OUT,
    VKDML_ATTENTION_MASK,
    VKDML_ATTENTION_BIAS,
    VKDML_ATTENTION_TENSORS
};

struct vkdml_attention_tensor {
    struct vkdml_origin
        at; /* of FLOAT32 or FLOAT16, all the same one; the mask INT32; mask and bias may be no tensor */
    uint64_t strides[VKDML_ATTENTION_RANK]; /* in elements; 0 in a dimension that it does not have */
};

struct vkdml_attention {
    uint32_t sizes[VKDML_ATTENTION_ELEMENT]; /* at least 1 each */
    uint32_t depth;                          /* elements of queries and keys */
    uint32_t columns;                        /* .. of values and the output */
    struct vkdml_attention_tensor tensors[VKDML_ATTENTION_TENSORS];
    enum vkdml_attention_mask mask; /* attention.glsl says what they are; NONE: the mask is no tensor */
    uint64_t mask_start;            /* END_START: where the number of the first key is, elements from that of the end */
    float scale;
    float filter; /* what masks set or add */
};

/* Adds the steps. Sums come in an order that shapes and limits alone decide. */
VkdmlResult vkdml_attention_plan(const struct vkdml_attention *attention, struct vkdml_builder *builder);

#endif
