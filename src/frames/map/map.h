/* Plans of the map kernels (glsl/map/map.glsl): every output element is computed from the elements at its coordinates
 * in up to three operands, or five. */
#ifndef VKDML_FRAMES_MAP_MAP_H
#define VKDML_FRAMES_MAP_MAP_H

#include "base/report.h"
#include "kernels/blocks.h"
#include "plan/builder.h"
#include "plan/dimensions.h"
#include "plan/epilogue.h"
#include "tensor/tensor.h"

#define VKDML_MAP_OPERANDS           5 /* of NORMALIZE, of STANDARDIZE up to so many; else up to three */
#define VKDML_MAP_RECORD_WORDS       4
#define VKDML_MAP_ARGUMENTS          12
#define VKDML_MAP_FUNCTION_ARGUMENTS 8 /* where the function's begin */

/* Dimensions have a stride for each operand and, last, for the output. */
_Static_assert(VKDML_MAP_OPERANDS + 1 <= VKDML_DIMENSION_STRIDES, "each has a stride");

/* Of tensors and strides the output's, behind the operands'. */
#define VKDML_MAP_OUTPUT VKDML_MAP_OPERANDS

struct vkdml_program;

struct vkdml_map {
    enum vkdml_map_operation operation;
    enum vkdml_map_function function;
    enum vkdml_map_scale scale; /* of the first operand before; scale_bias.glsl says what arguments[0] then holds */
    const struct vkdml_program *program;     /* NULL, or what is computed in place of these, by a kernel of its own */
    uint32_t arguments[VKDML_MAP_ARGUMENTS]; /* four each of the scale, the operation and the function */
    /* Of a type that kernels take elements for: where their bits only move, an unsigned one of the width. Of NORMALIZE
     * all five are there, floats of one type. */
    struct vkdml_origin tensors[VKDML_MAP_OPERANDS + 1];
    struct vkdml_origin more_outputs[2]; /* of ADAM: its moments, which lie like the output */
    bool has_records;      /* the third operand's elements are VKDML_MAP_RECORD_WORDS FLOAT32 side by side, and so are
                              strides and `first` counted */
    uint64_t record_bytes; /* where these are found by elements' numbers: is_index too, and bound whole */
    bool is_index[VKDML_MAP_OPERANDS + 1]; /* no tensor: each element is its distance from the first, by the strides, of
                                              type UINT32 */
    uint32_t rank;
    struct vkdml_dimension dimensions[2 * VKDML_MAX_DIMENSIONS]; /* outermost first */
};

/* Begins a map onto a tensor. */
void vkdml_map_begin(struct vkdml_map *map, struct vkdml_view output);

/* Gives it operand `operand`: a tensor of the output's sizes, or of 1 where one element serves all. */
void vkdml_map_set_operand(struct vkdml_map *map, uint32_t operand, struct vkdml_view tensor);

/* Gives it records as the third operand: a view of what their first words are, as elements. Arguments but the
 * function's are theirs. */
void vkdml_map_set_records(struct vkdml_map *map, struct vkdml_view first_words,
                           const struct vkdml_plan_limits *limits);

/* Lets its results go through an epilogue of a function alone, in place of a function that it has. */
void vkdml_map_set_epilogue(struct vkdml_map *map, const struct vkdml_epilogue *epilogue);

/* Gives it numbers as operand `operand`: each coordinate counts so much. */
void vkdml_map_set_index(struct vkdml_map *map, uint32_t operand, const uint32_t *strides);

/* Lets two operands trade places. */
void vkdml_map_exchange(struct vkdml_map *map, uint32_t a, uint32_t b);

/* Makes two dimensions of dimension d: so many blocks, d, and the elements of a block, d + 1. */
void vkdml_map_split(struct vkdml_map *map, uint32_t d, uint32_t count);

/* Adds the map's steps: one where all tensors can be bound whole, else one per window. */
VkdmlResult vkdml_map_plan(const struct vkdml_map *map, struct vkdml_builder *builder);

#endif
