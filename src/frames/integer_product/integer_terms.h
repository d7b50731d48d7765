/* The numbers of an integer product, scales and zero points, collected in one region (integer_terms.comp). */
#ifndef VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_TERMS_H
#define VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_TERMS_H

#include "frames/integer_product/integer_product.h"

struct vkdml_integer_terms {
    struct vkdml_origin at; /* of words; of type UNKNOWN: there are none */
    uint32_t word_count;
    uint32_t firsts[VKDML_INTEGER_TERM_TERM_COUNT];
};

/* Adds the steps that collect them: one where the device binds so many buffers. */
VkdmlResult vkdml_integer_terms_plan(const struct vkdml_integer_term *terms, struct vkdml_builder *builder,
                                     struct vkdml_integer_terms *collected);

#endif
