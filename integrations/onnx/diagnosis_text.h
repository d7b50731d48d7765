/* What diagnosis.c says of a node that is wrong. */
#ifndef ONNX_DIAGNOSIS_TEXT_H
#define ONNX_DIAGNOSIS_TEXT_H

#include "onnx/comparison.h"
#include "onnx/elements.h"
#include "onnx/plan.h"

#define ONNX_DIAGNOSIS_TEXT 2048

/* Text that ends where its room does. {.size = 0} is empty. */
struct onnx_text_buffer {
    char text[ONNX_DIAGNOSIS_TEXT];
    size_t size;
};
void onnx_text_add(struct onnx_text_buffer *buffer, const char *format, ...) ONNX_PRINTF(2, 3);

/* An input of a node. */
struct onnx_read_value {
    const char *name;
    enum onnx_type type;
    uint32_t rank;
    const uint32_t *sizes;
    struct onnx_extent extent;
};

/* "node 'NAME' (OP)", or "node OP of 'OUTPUT'" where it has no name. */
void onnx_text_add_node(struct onnx_text_buffer *buffer, const struct onnx_graph *graph, const struct onnx_node *node);

/* "; inputs: 'x' FLOAT [2, 3] from -1 to 2.5, 1 inf, 0 NaN; .." */
void onnx_text_add_inputs(struct onnx_text_buffer *buffer, uint32_t count, const struct onnx_read_value *inputs);

/* "2 of 6 elements are wrong, most at [0, 1]: 3, must be 4 within ..." */
void onnx_text_add_difference(struct onnx_text_buffer *buffer, const struct onnx_comparison *comparison, uint32_t rank,
                         const uint32_t *sizes);

/* Why a node makes infinities or NaN. widened: what it makes of the same inputs in FLOAT, if these were FLOAT16; or
 * NULL. */
const char *onnx_non_finite_reason(const struct onnx_node *node, enum onnx_type type, const struct onnx_extent *made,
                                   uint32_t count, const struct onnx_read_value *inputs,
                                   const struct onnx_extent *widened);

#endif
