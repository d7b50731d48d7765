/* What a step of a map needs of a program. */
#ifndef VKDML_FRAMES_MAP_PROGRAM_STEP_H
#define VKDML_FRAMES_MAP_PROGRAM_STEP_H

#include "frames/map/program.h"
#include "kernels/blocks.h"

/* Turns of loops for one element, at most. */
uint32_t vkdml_program_turns(const struct vkdml_program *program);

bool vkdml_program_computes_much(const struct vkdml_program *program);

/* Whether a value on the way is of a type. */
bool vkdml_program_has(const struct vkdml_program *program, DML_TENSOR_DATA_TYPE type);

/* Gives a step the constants that are the program's, and a block its arguments. */
void vkdml_program_set(const struct vkdml_program *program, struct vkdml_map_parameters *parameters,
                       struct vkdml_plan_step *step);

#endif
