/* Programs: maps of several instructions (glsl/map/program.comp), what chains of maps become in graphs. */
#ifndef VKDML_FRAMES_MAP_PROGRAM_H
#define VKDML_FRAMES_MAP_PROGRAM_H

#include <stdbool.h>

#include "plan/builder.h"
#include "plan/epilogue.h"
#include "plan/view.h"

#define VKDML_PROGRAM_OPERANDS     5 /* where a dispatch may have a buffer for each and the output */
#define VKDML_PROGRAM_INSTRUCTIONS 8 /* each takes 2.7 KB of the library */
#define VKDML_PROGRAM_VALUES       (VKDML_PROGRAM_OPERANDS + VKDML_PROGRAM_INSTRUCTIONS)

/* An operation of values and a function of what it gives, which is a value too. */
struct vkdml_program_instruction {
    enum vkdml_map_operation operation;
    enum vkdml_map_function function;
    uint32_t arguments[VKDML_FUNCTION_ARGUMENTS]; /* of either: CLIP_GRAD's are the operation's */
    uint8_t values[3];         /* an operand, or VKDML_PROGRAM_OPERANDS and the number of an instruction before */
    DML_TENSOR_DATA_TYPE type; /* of its value, which is rounded to it; FLOAT32 of FLOAT16 stays as it is */
};

/* The output is the last instruction's value. */
struct vkdml_program {
    uint32_t operand_count;
    uint32_t count; /* of instructions */
    struct vkdml_view
        operands[VKDML_PROGRAM_OPERANDS]; /* of the output's sizes, or of 1 where one element serves all */
    struct vkdml_view output;
    struct vkdml_program_instruction instructions[VKDML_PROGRAM_INSTRUCTIONS];
};

/* The most operands that a program may have on a device. */
uint32_t vkdml_program_operands(const struct vkdml_plan_limits *limits);

/* Whether the kernel has an instruction: of an operation of values of types, UNKNOWN where it has none, and a function,
 * that gives one of a type. */
bool vkdml_program_suits(enum vkdml_map_operation operation, enum vkdml_map_function function,
                         const DML_TENSOR_DATA_TYPE types[3], DML_TENSOR_DATA_TYPE type);

/* Whether an instruction computes long. Drivers' compilers inline each: on lavapipe one takes some 20 ms of a pipeline
 * that is made cold, and of VKDML_PROGRAM_LONG all takes less than 100. */
#define VKDML_PROGRAM_LONG 4
bool vkdml_program_is_long(const struct vkdml_program_instruction *instruction);

/* Whether the output may lie where operand `operand` does: elements lie alike in both. */
bool vkdml_program_is_in_place(const struct vkdml_program *program, uint32_t operand);

/* Adds the program's steps: one where all tensors can be bound whole, else one per window. */
VkdmlResult vkdml_program_plan(const struct vkdml_program *program, struct vkdml_builder *builder);

#endif
