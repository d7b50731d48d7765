/* Rules for nodes that read growing sizes: growing_nodes.c looks them up, growing_elements.c and growing_shapes.c have
 * them. */
#ifndef ONNX_GROWING_RULES_H
#define ONNX_GROWING_RULES_H

#include "onnx/plan_parts.h"

/* Elements of the longest vector of sizes. */
#define ONNX_MOST_SIZES 64

/* A call, and its inputs without growing dimensions. */
struct onnx_growing_node {
    const struct onnx_call *call;
    onnx_translation translate;
    struct onnx_tensor **plain;
};

/* Translates a node on tensors of the capacity and marks the growing dimensions of its results. False with a reason. */
typedef bool (*onnx_growing_rule)(const struct onnx_growing_node *node);

struct onnx_growing_row {
    const char *domain, *op;
    uint32_t inputs; /* a bit for each that may grow */
    uint32_t shapes; /* a bit for each that may be computed from growing sizes and decides sizes of results */
    onnx_growing_rule rule;
};

#define ONNX_ALL_INPUTS UINT32_MAX

/* A row whose `op` is NULL ends a table. */
extern const struct onnx_growing_row onnx_growing_elements[]; /* growing_elements.c */
extern const struct onnx_growing_row onnx_growing_shapes[];   /* growing_shapes.c */

/* Integers of an input, known or computed from sizes. */
struct onnx_sizes {
    uint32_t count;
    struct onnx_size_element elements[ONNX_MOST_SIZES];
};

/* ---- growing_nodes.c ---- */

/* The growing dimension of an input; NULL: it has none. */
const struct onnx_growing_dimension *onnx_growing_of(const struct onnx_growing_node *node, uint32_t input);

struct onnx_size_element onnx_growing_size(const struct onnx_growing_dimension *growing);

/* Whether a size depends on an input's. */
bool onnx_size_grows(const struct onnx_size_element *size);

/* Makes the plan fix the sizes that the node reads. Returns false with a reason. */
bool onnx_fix_inputs(const struct onnx_call *call);

/* Translates the node on the plain inputs. */
bool onnx_run_at_capacity(const struct onnx_growing_node *node);

/* States that a dimension of an output has a growing size. */
bool onnx_mark_growing(const struct onnx_growing_node *node, uint32_t output, uint32_t dimension,
                       const struct onnx_size_element *size, bool is_zero);

/* Whether no inputs grow but those of these bits. */
bool onnx_grows_only(const struct onnx_growing_node *node, uint32_t inputs);

/* A rule for results whose growing dimension is that of input 0. is_zero: unused elements that are 0 stay 0. */
bool onnx_keep_dimension(const struct onnx_growing_node *node, bool is_zero);

/* The attribute `axis` of input 0; ONNX_NONE: it is out of range. */
uint32_t onnx_growing_axis(const struct onnx_growing_node *node, int64_t otherwise);

/* The integers of an input, known or computed from sizes. */
bool onnx_read_growing_sizes(const struct onnx_growing_node *node, uint32_t input, struct onnx_sizes *sizes);

#endif
