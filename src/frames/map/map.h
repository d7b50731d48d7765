/* Plans of the map kernels (glsl/map/map.glsl): every output element is computed from the elements at its coordinates
 * in up to three operands, or five. */
#ifndef VKDML_FRAMES_MAP_MAP_H
#define VKDML_FRAMES_MAP_MAP_H

#include "base/report.h"
#include "plan/builder.h"
#include "plan/dimensions.h"
#include "tensor/tensor.h"

/* What is computed: an operation of the operands, then a function of what it gives; see glsl/common/operation_list.inc.
 */
enum vkdml_map_operation {
#define OPERATION(NAME, value, turns, work) VKDML_MAP_##NAME = value,
#define FUNCTION(NAME, value, turns, work)
#include "../glsl/common/operation_list.inc"
};

enum vkdml_map_function {
#define OPERATION(NAME, value, turns, work)
#define FUNCTION(NAME, value, turns, work) VKDML_FUNCTION_##NAME = value,
#include "../glsl/common/operation_list.inc"
};

/* How the first operand is scaled before, if at all: glsl/map/scale_bias.glsl says what arguments[0] then holds. */
enum vkdml_map_scale {
    VKDML_MAP_NO_SCALE,
    VKDML_MAP_FLOAT_SCALE,
    VKDML_MAP_DOUBLE_SCALE,
    VKDML_MAP_WIDE_SCALE,
    VKDML_MAP_NARROW_SCALE,
    VKDML_MAP_TABLE_SCALE,
};

#define VKDML_MAP_OPERANDS  5 /* of NORMALIZE, and of STANDARDIZE up to so many; other operations have up to three */
#define VKDML_MAP_ARGUMENTS 12

/* Dimensions have a stride for each operand and, last, for the output. */
_Static_assert(VKDML_MAP_OPERANDS + 1 <= VKDML_DIMENSION_STRIDES, "each has a stride");

/* An operand, or the output, which is strides[VKDML_MAP_OPERANDS]. */
struct vkdml_map_tensor {
    enum vkdml_plan_resource resource;
    uint32_t index;
    uint64_t offset; /* bytes from where the resource begins to the tensor's first element; a multiple of 16 */
    DML_TENSOR_DATA_TYPE type; /* UNKNOWN: there is none. What kernels take elements for: where their bits only move, an
                                  unsigned type of the width */
    bool is_index; /* no tensor: each element is its distance from the first, by the strides, of type UINT32 */
};

#define VKDML_MAP_OUTPUT VKDML_MAP_OPERANDS

struct vkdml_map {
    enum vkdml_map_operation operation;
    enum vkdml_map_function function;
    enum vkdml_map_scale scale;
    uint32_t arguments[VKDML_MAP_ARGUMENTS]; /* four each of the scale, the operation and the function */
    struct vkdml_map_tensor tensors[VKDML_MAP_OPERANDS + 1]; /* of NORMALIZE of five all are bound, floats of one
                                                                type */
    uint32_t rank;
    struct vkdml_dimension dimensions[2 * VKDML_MAX_DIMENSIONS]; /* outermost first */
};

/* Begins a map onto output 0. */
void vkdml_map_begin(struct vkdml_map *map, const struct vkdml_tensor *output);

/* Gives it input `input` as operand `operand`: a tensor of the output's sizes, or of 1 where one element serves all. */
void vkdml_map_set_operand(struct vkdml_map *map, uint32_t operand, uint32_t input, const struct vkdml_tensor *tensor);

/* Puts one of its tensors, of the type and strides that it was given, into the plan's temporary resource: `offset`
 * bytes from the start, a multiple of 16. */
void vkdml_map_set_temporary(struct vkdml_map *map, uint32_t tensor, uint64_t offset);

/* Gives it numbers as operand `operand`: each coordinate counts so much. */
void vkdml_map_set_index(struct vkdml_map *map, uint32_t operand, const uint32_t *strides);

/* Lets two operands trade places. */
void vkdml_map_exchange(struct vkdml_map *map, uint32_t a, uint32_t b);

/* Makes two dimensions of dimension d: so many blocks, d, and the elements of a block, d + 1. */
void vkdml_map_split(struct vkdml_map *map, uint32_t d, uint32_t count);

/* Adds the map's steps: one where all tensors can be bound whole, else one per window. */
VkdmlResult vkdml_map_plan(const struct vkdml_map *map, struct vkdml_builder *builder);

#endif
