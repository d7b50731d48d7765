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
 * one; rows MULTIPLY, ADD, or both. A frame that cannot do what is asked says so before it plans. */
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

#endif
