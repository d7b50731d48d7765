/* One step of the integer product kernels. */
#ifndef VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_PRODUCT_STEP_H
#define VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_PRODUCT_STEP_H

#include "frames/integer_product/integer_product.h"
#include "frames/integer_product/integer_terms.h"
#include "plan/boxes.h"

/* An operand once it is packed. */
struct vkdml_integer_packed {
    struct vkdml_origin at; /* of words */
    uint32_t word_count;    /* sums included */
    bool has_sums;
    uint32_t sums_first;
    struct vkdml_integer_sums sums;
};

uint32_t vkdml_integer_column_count(const struct vkdml_integer_product *product);

/* Boxes have outer and inner batches, rows and dimensions of columns. */
uint32_t vkdml_integer_out_stride(const struct vkdml_integer_product *product, uint32_t dimension);
struct vkdml_window vkdml_integer_out_window(const struct vkdml_integer_product *product, const struct vkdml_box *box);

/* `packed`: a and b. */
VkdmlResult vkdml_integer_fill_step(const struct vkdml_integer_product *product,
                                    const struct vkdml_integer_packed *packed, const struct vkdml_integer_terms *terms,
                                    const struct vkdml_box *box, struct vkdml_builder *builder,
                                    struct vkdml_plan_step *step);

#endif
