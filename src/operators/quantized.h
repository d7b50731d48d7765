/* Scales and zero points of quantized matrices and pictures: one for all, or one for each row, column or channel. */
#ifndef VKDML_OPERATORS_QUANTIZED_H
#define VKDML_OPERATORS_QUANTIZED_H

#include "frames/integer_product/integer_product.h"
#include "schema/schema.h"

/* Along which dimension there may be several. */
enum vkdml_quantized_along { VKDML_QUANTIZED_ROWS, VKDML_QUANTIZED_COLUMNS, VKDML_QUANTIZED_CHANNELS };

/* Checks the sizes of such an input, absent or not: `count` along its dimension or 1, 1 along the others. */
void vkdml_quantized_check(const struct vkdml_instance *instance, uint32_t input, enum vkdml_quantized_along along,
                           uint32_t count, struct vkdml_report *report);

/* Such an input as a term of an integer product; one that is absent is none. */
struct vkdml_integer_term vkdml_quantized_term(const struct vkdml_instance *instance, uint32_t input,
                                               enum vkdml_quantized_along along);

#endif
