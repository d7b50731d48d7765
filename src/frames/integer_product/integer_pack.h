/* Bytes laid out for integer products (glsl/integer_product/integer_pack.comp): lines along which sums go, and these
 * lines' own sums. */
#ifndef VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_PACK_H
#define VKDML_FRAMES_INTEGER_PRODUCT_INTEGER_PACK_H

#include "base/report.h"
#include "plan/builder.h"

#define VKDML_INTEGER_LINE_RANK 4

/* A dimension of lines. Those at coordinates outside [start, start + source_size) lie in padding; the others are
 * coordinate - start of the source. */
struct vkdml_integer_dimension {
    uint32_t size;
    uint32_t stride; /* in elements of the source */
    uint32_t start;
    uint32_t source_size;
};

/* Lines of bytes, packed in row-major order of their dimensions. */
struct vkdml_integer_lines {
    struct vkdml_origin source; /* of INT8 or UINT8 */
    uint32_t rank;
    struct vkdml_integer_dimension dimensions[VKDML_INTEGER_LINE_RANK]; /* outermost first */
    uint32_t count;                                                     /* elements of a line */
    uint32_t step;                                                      /* between them */
    struct vkdml_origin zero_point;                                     /* what is in padding; of type UNKNOWN: 0 */
};

/* The words that a packed line takes: whole vectors of 16 bytes but for the shortest. */
uint32_t vkdml_integer_line_words(const struct vkdml_integer_lines *lines);

/* How many lines there are; more than UINT32_MAX where they are too many. */
uint64_t vkdml_integer_line_count(const struct vkdml_integer_lines *lines);

/* Adds the steps that pack them at an origin of words. */
VkdmlResult vkdml_integer_pack_plan(const struct vkdml_integer_lines *lines, const struct vkdml_origin *packed,
                                    struct vkdml_builder *builder);

/* What is added up of packed words: a sum for each coordinate, in row-major order. */
#define VKDML_INTEGER_SUM_RANK 5

struct vkdml_integer_sums {
    struct vkdml_origin packed; /* of words */
    uint64_t packed_words;
    struct vkdml_origin sums;
    uint32_t rank;
    uint32_t sizes[VKDML_INTEGER_SUM_RANK];
    uint32_t strides[VKDML_INTEGER_SUM_RANK]; /* in words */
    uint32_t word_count;                      /* of a sum */
    bool is_gathered;                         /* from so many rows of taps, else from words side by side */
    uint32_t tap_words;
    uint32_t taps_of_row;
    uint32_t tap_step; /* in words, as the next */
    uint32_t row_step;
};

VkdmlResult vkdml_integer_sums_plan(const struct vkdml_integer_sums *sums, struct vkdml_builder *builder);

#endif
