/* How a part of an attention is computed: a kernel, and what of rows, keys and columns it has at once. */
#ifndef VKDML_FRAMES_ATTENTION_ATTENTION_WAY_H
#define VKDML_FRAMES_ATTENTION_ATTENTION_WAY_H

#include "frames/attention/attention_tensors.h"

/* What kernels are specialized by, as far as they have it. */
struct vkdml_attention_way {
    enum vkdml_kernel kernel;
    uint32_t local_size;
    uint32_t rows;          /* of a workgroup, or of ATTENTION_ROWS an invocation; of ATTENTION_JOIN 1 */
    uint32_t keys;          /* at once */
    uint32_t columns;       /* of a tile */
    uint32_t depth;         /* at once */
    uint32_t subgroup_rows; /* of ATTENTION_MATRIX */
};

struct vkdml_attention_way vkdml_attention_choose(const struct vkdml_attention *attention,
                                                  const struct vkdml_attention_part *part,
                                                  const struct vkdml_plan_limits *limits);

#define VKDML_ATTENTION_MOST_WAYS 16

struct vkdml_attention_ways {
    uint32_t count;
    struct vkdml_attention_way items[VKDML_ATTENTION_MOST_WAYS];
};

/* The ways of parts that have other batches, queries and keys. */
void vkdml_attention_list_ways(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                               const struct vkdml_plan_limits *limits, struct vkdml_attention_ways *ways);

/* How many shares keys are to have. */
uint32_t vkdml_attention_shares(const struct vkdml_attention *attention, const struct vkdml_plan_limits *limits);

#endif
