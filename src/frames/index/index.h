/* Plans of the index kernel (glsl/index/index.glsl): every output element comes from the place in the input that its
 * own coordinates and a tensor of indices say. */
#ifndef VKDML_FRAMES_INDEX_INDEX_H
#define VKDML_FRAMES_INDEX_INDEX_H

#include "base/report.h"
#include "kernels/blocks.h"
#include "plan/builder.h"
#include "plan/dimensions.h"
#include "tensor/tensor.h"

/* What a dimension has a stride in, in elements. */
enum vkdml_index_stride {
    VKDML_INDEX_OF_INPUT,
    VKDML_INDEX_OF_INDICES,
    VKDML_INDEX_OF_REST, /* SCATTER's; of MARK in numbers; of REVERSE and ONE_HOT: 1 along the column's dimension, else
                            0 */
    VKDML_INDEX_OF_OUTPUT,
    VKDML_INDEX_STRIDES
};

_Static_assert(VKDML_INDEX_STRIDES <= VKDML_DIMENSION_STRIDES, "each has a stride");

/* A dimension of the input that is walked by indices. */
struct vkdml_index_column {
    uint32_t size;
    uint32_t stride;
};

struct vkdml_index {
    enum vkdml_index_mode mode; /* index.glsl says what an index stands for */
    uint32_t element_bytes;     /* 1, 2, 4 or 8 */
    uint32_t index_bytes;       /* 4 or 8 */
    bool index_is_signed;
    uint32_t rank;
    struct vkdml_dimension dimensions[VKDML_MAX_DIMENSIONS]; /* of output 0; of MARK the indices' */
    uint32_t column_count;                                   /* at least 1; 1 of REVERSE and ONE_HOT */
    struct vkdml_index_column columns[VKDML_MAX_DIMENSIONS];
    uint32_t column_index_stride; /* between an element's indices */
    struct vkdml_origin input;
    struct vkdml_origin indices;
    struct vkdml_origin rest;   /* of SCATTER */
    struct vkdml_origin output; /* of all but MARK */
};

/* Begins an index of a tensor by another onto a third, all strides but the output's 0. */
void vkdml_index_begin(struct vkdml_index *index, const struct vkdml_view *output, const struct vkdml_view *input,
                       const struct vkdml_view *indices);

/* Adds the steps: one where all tensors can be bound whole, else one per window. */
VkdmlResult vkdml_index_plan(const struct vkdml_index *index, struct vkdml_builder *builder);

/* MARK and SCATTER in one step, if lines of the output and of the updates lie side by side, and the former's numbers
 * fit shared memory: whether it was added. The last dimension is the updates' along the column, which is of the output
 * and the rest; an index is a coordinate of it, and of updates that have one index the last stays. */
VkdmlResult vkdml_index_plan_update(const struct vkdml_index *index, struct vkdml_builder *builder, bool *is_planned);

#endif
