/* What becomes of each element that a frame makes, before it is stored. */
#ifndef VKDML_PLAN_EPILOGUE_H
#define VKDML_PLAN_EPILOGUE_H

#include "plan/view.h"

/* What kernels compute: an operation of operands, then a function of what it gives; see
 * glsl/common/operation_list.inc. */
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

#define VKDML_FUNCTION_ARGUMENTS 4

struct vkdml_epilogue_step {
    enum vkdml_map_operation operation; /* of what there is and the operand: ADD or MULTIPLY; FIRST: there is none */
    struct vkdml_view operand;          /* of the output's sizes, or of 1 where one element serves all */
    float factor;                       /* of ADD: what its operand is multiplied by */
    enum vkdml_map_function function;   /* of that; NONE: it stays */
    uint32_t arguments[VKDML_FUNCTION_ARGUMENTS];
};

#define VKDML_EPILOGUE_STEPS 4

/* Steps one after the other; zero-initialized there is none. Maps and products take a function; products ADD and then
 * one; rows MULTIPLY, ADD, or both; reduce and neighbours what vkdml_epilogue_is_short() says. A frame that cannot do
 * what is asked says so before it plans. */
struct vkdml_epilogue {
    uint32_t count;
    struct vkdml_epilogue_step steps[VKDML_EPILOGUE_STEPS];
};

/* A step more, to be filled in; there is room. */
struct vkdml_epilogue_step *vkdml_epilogue_add(struct vkdml_epilogue *epilogue);

/* The step of an operation that has an operand, or NULL. */
const struct vkdml_epilogue_step *vkdml_epilogue_find(const struct vkdml_epilogue *epilogue,
                                                      enum vkdml_map_operation operation);

/* The function that ends it, and its arguments; NONE, of zeros, where there is none. */
enum vkdml_map_function vkdml_epilogue_function(const struct vkdml_epilogue *epilogue,
                                                uint32_t arguments[VKDML_FUNCTION_ARGUMENTS]);

/* ---- of frames whose kernels have glsl/common/epilogue.glsl ---- */

/* Whether it is ADD or MULTIPLY of an operand, a function, or both, of results that go to a FLOAT32 or FLOAT16 output.
 * Results are elements of the output first, so bits are those of a map behind the frame: of one that has both where one
 * step does, of two where the function has a step of its own. The operand is of the output's type, and is bound whole.
 * Functions are those that GEMM fuses; or of these, if only_arithmetic, those made of sums, products and choices. */
bool vkdml_epilogue_is_short(const struct vkdml_epilogue *epilogue, DML_TENSOR_DATA_TYPE output, bool only_arithmetic,
                             const struct vkdml_plan_limits *limits);

/* Whether there is one: NULL and no steps are none. */
bool vkdml_epilogue_exists(const struct vkdml_epilogue *epilogue);

/* What such a kernel is told of a short one, or of none. */
struct vkdml_ending {
    uint32_t constant; /* EPILOGUE */
    uint32_t factor;   /* FLOAT32's bits */
    uint32_t arguments[2];
    const struct vkdml_view *operand; /* NULL: there is none */
    uint32_t first;                   /* element of it, from what is bound on */
};

struct vkdml_ending vkdml_epilogue_ending(const struct vkdml_epilogue *epilogue);

/* How far apart the operand's elements are along dimension d of the output; 0 where there is none. */
uint32_t vkdml_ending_stride(const struct vkdml_ending *ending, uint32_t d);

/* Binds the operand, if there is one, behind a step's other buffers. */
void vkdml_ending_bind(const struct vkdml_ending *ending, struct vkdml_plan_step *step);

/* The most turns of loops that it takes an element. */
uint32_t vkdml_epilogue_turns(const struct vkdml_epilogue *epilogue);

#endif
