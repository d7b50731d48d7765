/* Averages of windows of bytes that are quantized anew (glsl/integer_product/integer_pool.comp). */
#ifndef VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_POOL_H
#define VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_POOL_H

#include "frames/integer_product/integer_product.h"

#define VKDML_INTEGER_POOL_SPATIAL 3

/* A spatial dimension: coordinate c of the output takes tap t at c * step - start + t * tap_step. */
struct vkdml_integer_walk {
    uint32_t step;
    uint32_t start;
    uint32_t taps;
    uint32_t tap_step;
};

/* Pictures, channels and up to three spatial dimensions. Terms SCALE_A, ZERO_A, SCALE_OUT and ZERO_OUT have one number
 * or one for each channel. */
struct vkdml_integer_pool {
    struct vkdml_view input;
    struct vkdml_view output;
    struct vkdml_integer_walk walks[VKDML_INTEGER_POOL_SPATIAL];
    bool counts_padding;
    struct vkdml_integer_term terms[VKDML_INTEGER_TERM_TERM_COUNT];
};

/* Adds the steps. VKDML_ERROR_LIMIT_EXCEEDED where a window has too many elements. */
VkdmlResult vkdml_integer_pool_plan(const struct vkdml_integer_pool *pool, struct vkdml_builder *builder);

#endif
