/* Plans of integer products (glsl/integer_product/integer_product.glsl): out[m][n] = f(the sum over k of (a[m][k] - a's
 * zero point) * (b[n][k] - b's)) of bytes, for each of some batches. Lines of b may be windows, which are gathered.
 * Both operands are packed first, those that vkdml owns once, when the operator is initialized. */
#ifndef VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_PRODUCT_H
#define VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_PRODUCT_H

#include "frames/integer_product/integer_pack.h"
#include "kernels/blocks.h"

/* An operand: how it is packed, and how its lines are walked, counted in packed lines. */
struct vkdml_integer_operand {
    struct vkdml_integer_lines lines;
    bool is_owned; /* packed at initialization; then nothing of it lies in padding */
    uint32_t outer_step;
    uint32_t inner_step;
    uint32_t row_step; /* of a */
};

/* A dimension of columns, that is of lines of b. */
struct vkdml_integer_columns {
    uint32_t size;
    uint32_t step; /* in packed lines */
    uint32_t out_stride;
};

#define VKDML_INTEGER_COLUMN_RANK 3

/* Scales, zero points or biases: one for all, or as many as there are rows, of all inner batches, or columns. */
struct vkdml_integer_term {
    struct vkdml_origin at; /* of type UNKNOWN: there are none */
    uint32_t count;
    uint32_t stride;
};

struct vkdml_integer_product {
    uint32_t outer; /* batches */
    uint32_t inner;
    uint32_t m;
    struct vkdml_integer_operand a;
    struct vkdml_integer_operand b;
    uint32_t column_rank;
    struct vkdml_integer_columns columns[VKDML_INTEGER_COLUMN_RANK]; /* outermost first; several have no column terms */
    /* A line of a is so many packed ones, rows of taps, that of b lines so far apart. */
    uint32_t tap_rows;
    uint32_t taps;
    uint32_t tap_row_step;
    uint32_t tap_step;
    struct vkdml_origin out; /* INT32: sums, or what else is_scaled */
    uint32_t out_strides[3]; /* of outer and inner batches, and rows */
    bool is_scaled;          /* by SCALE_A and SCALE_B, to floats, or to bytes by SCALE_OUT too */
    struct vkdml_integer_term terms[VKDML_INTEGER_TERM_TERM_COUNT];
};

/* Adds the steps. VKDML_ERROR_LIMIT_EXCEEDED where a packed operand cannot be bound. */
VkdmlResult vkdml_integer_product_plan(const struct vkdml_integer_product *product, struct vkdml_builder *builder);

#endif
