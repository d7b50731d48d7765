/* Patterns of nodes that vkdml_graph_fuse() looks for, and what they are found and replaced by. */
#ifndef VKDML_GRAPH_PATTERN_H
#define VKDML_GRAPH_PATTERN_H

#include "graph/graph.h"
#include "graph/rewrite.h"

/* What passes take along. */
struct vkdml_fusion {
    struct vkdml_graph *graph;
    DML_FEATURE_LEVEL level;
    const struct vkdml_plan_limits *limits;
    struct vkdml_report *report;
    bool *fixed;         /* by value: known at initialization */
    uint32_t fixed_room; /* for so many values */
    uint32_t zero;       /* VKDML_GRAPH_NONE, or the value of an element 0 of whatever type, in 4 bytes */
};

/* Nodes that become fewer, the last of which is looked for. */
struct vkdml_pattern {
    const char *name;
    bool (*matches)(const struct vkdml_instance *last);               /* so far as the operator alone tells */
    VkdmlResult (*apply)(struct vkdml_fusion *fusion, uint32_t last); /* where all suits; else a note says why not */
};

extern const struct vkdml_pattern vkdml_pattern_identity;
extern const struct vkdml_pattern vkdml_pattern_round_trip;
extern const struct vkdml_pattern vkdml_pattern_normalization;
extern const struct vkdml_pattern vkdml_pattern_normalization_scale;
extern const struct vkdml_pattern vkdml_pattern_padding;
extern const struct vkdml_pattern vkdml_pattern_scale;
extern const struct vkdml_pattern vkdml_pattern_bias;
extern const struct vkdml_pattern vkdml_pattern_attention;
extern const struct vkdml_pattern vkdml_pattern_attention_casts;
extern const struct vkdml_pattern vkdml_pattern_batch;
extern const struct vkdml_pattern vkdml_pattern_activation;
extern const struct vkdml_pattern vkdml_pattern_quantized;
extern const struct vkdml_pattern vkdml_pattern_dequantized;
extern const struct vkdml_pattern vkdml_pattern_projections;

/* The operator that makes what input `index` of a node reads, and its node; NULL: it is a graph input or a constant. */
const struct vkdml_instance *vkdml_fusion_producer(const struct vkdml_fusion *fusion, uint32_t node, uint32_t index,
                                                   uint32_t *producer);

/* Says, and lets the graph know, that a node is part of its producer now; or says that it is not and why. */
void vkdml_fusion_tell(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node);
void vkdml_fusion_refuse(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node, const char *format, ...)
    VKDML_PRINTF(4, 5);

/* Adds an operator that reads those values, by input, named after a node: "conv1 filter". Owned as by
 * vkdml_graph_add_node(). *value is the first that it makes. */
VkdmlResult vkdml_fusion_add_node(struct vkdml_fusion *fusion, struct vkdml_instance *own, const uint32_t *sources,
                                  uint32_t beside, const char *what, uint32_t *value);

/* The value of an element 0: a constant of 4 bytes, one for the graph. */
VkdmlResult vkdml_fusion_zero(struct vkdml_fusion *fusion, uint32_t *value);

/* Whether nobody but one node needs what its producer makes, and both are done at the same time; else refused. */
bool vkdml_fusion_is_private(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node);

/* A number that all elements of a constant are which input `input` of a node reads: whether it is one. */
bool vkdml_fusion_constant(const struct vkdml_fusion *fusion, uint32_t node, uint32_t input, float *number);

/* Whether a type's edges may stay unrounded: all but FLOAT16's, and these where half precision is allowed. */
bool vkdml_fusion_is_unrounded(const struct vkdml_fusion *fusion, DML_TENSOR_DATA_TYPE type);

/* Whether two tensors are of one type and their elements lie in the same places: as many dimensions or not. */
bool vkdml_fusion_lies_alike(const struct vkdml_tensor *a, const struct vkdml_tensor *b);

/* A tensor's elements, in their order, as those of another's sizes; false where no strides do for that. */
bool vkdml_fusion_reshape(const struct vkdml_tensor *tensor, const struct vkdml_tensor *sizes,
                          struct vkdml_tensor *reshaped);

/* The producer's output, bound as a node's output of as many bytes is. */
struct vkdml_tensor vkdml_fusion_output(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node);

/* Makes an operator out of a producer's; NULL where the rules refuse it, which a note then says. */
VkdmlResult vkdml_fusion_rewrite(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node,
                                 DML_OPERATOR_TYPE type, const struct vkdml_edit *edits, size_t edit_count,
                                 struct vkdml_instance **made);

/* Takes a node away whose work its producer does now: whoever read it reads that. */
void vkdml_fusion_absorb(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node);

/* Gives a producer another operator, of which a node is a part, and takes the node away. */
void vkdml_fusion_join(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node,
                       struct vkdml_instance *made);

#endif
