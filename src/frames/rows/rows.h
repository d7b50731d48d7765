/* Plans of the rows kernel (glsl/rows/rows.comp): each output element is made of the one at its coordinates and of all
 * that differ from it in some dimensions alone, where the registers of a workgroup hold these. */
#ifndef VKDML_FRAMES_ROWS_ROWS_H
#define VKDML_FRAMES_ROWS_ROWS_H

#include "base/report.h"
#include "kernels/blocks.h"
#include "plan/builder.h"
#include "plan/epilogue.h"
#include "tensor/tensor.h"

/* All of one float type. */
struct vkdml_rows {
    struct vkdml_view input;
    struct vkdml_view output;              /* of the input's sizes */
    const struct vkdml_epilogue *epilogue; /* borrowed. Of MOMENTS: MULTIPLY, ADD, or both; else NULL, there is none */
    uint32_t folded;                       /* a bit for each dimension in which a row's elements differ */
    enum vkdml_rows_function function;     /* rows.comp says what they are */
    bool option;                           /* MOMENTS: about 0, which takes the mean's place; NORM: L2, else L1 */
    uint32_t argument;                     /* FLOAT32's bits */
    bool is_fixed;                         /* rows have the same number of elements for all sizes of activations */
};

/* Adds a step, where rows are short enough, lie as the kernel has them, and all tensors can be bound whole:
 * *is_planned. Processors have other ways. In general plans the kernels for other sizes become spare steps. *is_only:
 * the caller needs no spare steps for sizes that this does not suit. */
VkdmlResult vkdml_rows_plan(const struct vkdml_rows *rows, struct vkdml_builder *builder, bool *is_planned,
                            bool *is_only);

#endif
