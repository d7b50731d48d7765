/* Plans of the product kernel (glsl/product/product.glsl): out[m][n] = f(alpha * the sum over k of a[m][k] * b[k][n] +
 * beta * c[m][n]), for each of some batches. Columns may be pixels: then b's elements are gathered from around each,
 * and the output's lie as pixels do. */
#ifndef VKDML_FRAMES_PRODUCT_PRODUCT_H
#define VKDML_FRAMES_PRODUCT_PRODUCT_H

#include "base/report.h"
#include "plan/builder.h"
#include "plan/epilogue.h"

/* The dimensions of a product. */
enum {
    VKDML_PRODUCT_OUTER,
    VKDML_PRODUCT_INNER,
    VKDML_PRODUCT_M,
    VKDML_PRODUCT_N,
    VKDML_PRODUCT_K,
    VKDML_PRODUCT_RANK
};

enum {
    VKDML_PRODUCT_A,
    VKDML_PRODUCT_B,
    VKDML_PRODUCT_C,
    VKDML_PRODUCT_OUT,
    VKDML_PRODUCT_OPERAND, /* of a tail */
    VKDML_PRODUCT_TENSORS
};

struct vkdml_product_tensor {
    struct vkdml_origin at;               /* of FLOAT32 or FLOAT16, of a and b the same one; c may be no tensor */
    uint32_t strides[VKDML_PRODUCT_RANK]; /* in elements; 0 in a dimension that it does not have */
};

#define VKDML_PRODUCT_PIXELS 4

/* A dimension of pixels in b. Coordinate c takes tap t at (c * step + t * tap_step + start) / divisor, where that is a
 * coordinate below source_size; elsewhere it takes 0. */
struct vkdml_product_walk {
    uint32_t size;
    uint32_t taps;
    uint32_t step;
    int32_t tap_step;
    int64_t start; /* of 31 bits where there are coordinates that are none of b's */
    uint32_t divisor;
    uint32_t source_size;
    uint32_t stride;
};

/* A b that is gathered: column n is a pixel, and k counts channels and taps, whichever are last fastest. */
struct vkdml_product_gather {
    uint32_t rank;                                         /* 0: it is not gathered */
    struct vkdml_product_walk walks[VKDML_PRODUCT_PIXELS]; /* outermost first; their sizes make n */
    uint32_t channels;
    uint32_t channel_stride;
    bool channels_last;
};

/* Columns of the output that are pixels: the same ones, where b is gathered. */
struct vkdml_product_scatter {
    uint32_t rank; /* 0: columns are strides[N] apart */
    uint32_t sizes[VKDML_PRODUCT_PIXELS];
    uint32_t strides[VKDML_PRODUCT_PIXELS];
    uint32_t operand_strides[VKDML_PRODUCT_PIXELS]; /* of a tail's operand, which has none along n either */
};

struct vkdml_product {
    uint32_t sizes[VKDML_PRODUCT_RANK]; /* at least 1 each */
    struct vkdml_product_tensor tensors[VKDML_PRODUCT_TENSORS];
    struct vkdml_product_gather gather;   /* then b has no strides along n and k, and c none along n */
    struct vkdml_product_scatter scatter; /* then the output has none along n */
    bool is_empty;                        /* there is nothing to add up, though sizes[K] is 1 */
    bool keeps_pixels;                    /* of general plans: dimensions of one pixel are walked, too, so that more
                                             pixels need no other pipeline */
    uint32_t open_dimension;              /* M or N: the one that changes with activations; 0: any, of two activations */
    float alpha;
    const struct vkdml_epilogue *epilogue; /* borrowed, not NULL: ADD of c, whose place is tensors[C], and a function */
    const struct vkdml_epilogue *tail;     /* borrowed, or NULL: what becomes of elements of the output behind that */
};

/* Adds `factor` times a tensor, c, before the function that an epilogue of a product has, if any; nothing where there
 * is no tensor, whose place along the product's dimensions the caller says. */
void vkdml_product_add(struct vkdml_epilogue *epilogue, float factor, const struct vkdml_view *tensor);

/* Whether a tail may become of what an epilogue gives: what vkdml_epilogue_is_short() says, an operand where a dispatch
 * has a fifth buffer for it, and no function behind one. It changes no bit of results before it. */
bool vkdml_product_takes(const struct vkdml_epilogue *epilogue, const struct vkdml_epilogue *tail,
                         DML_TENSOR_DATA_TYPE output, const struct vkdml_plan_limits *limits);

/* Gives it a tail that it takes; returns its operand, whose strides the caller says along the product's dimensions, or
 * NULL where there is none. */
const struct vkdml_view *vkdml_product_set_tail(struct vkdml_product *product, const struct vkdml_epilogue *tail);

/* The function of either, and its arguments. */
enum vkdml_map_function vkdml_product_function(const struct vkdml_product *product,
                                               uint32_t arguments[VKDML_FUNCTION_ARGUMENTS]);

/* Adds the steps: one where all tensors can be bound whole and workgroups are many, else sums of shares of k in the
 * temporary resource, and what becomes of them. Sums come in an order that shapes and limits alone decide. */
VkdmlResult vkdml_product_plan(const struct vkdml_product *product, struct vkdml_builder *builder);

/* Whether a product of such sizes, of operands of a type, has fewer workgroups than a large GPU runs side by side. */
bool vkdml_product_is_small(const uint32_t *sizes, DML_TENSOR_DATA_TYPE type, const struct vkdml_plan_limits *limits);

/* Whether a step, of products or depthwise, stores whole words, even of FLOAT16. */
bool vkdml_product_stores_words(const struct vkdml_plan_step *step);

#endif
