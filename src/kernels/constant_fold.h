/* The value of an operation on constants. */
#ifndef VKDML_KERNELS_CONSTANT_FOLD_H
#define VKDML_KERNELS_CONSTANT_FOLD_H

#include <stdbool.h>
#include <stdint.h>

/* A scalar of 32 bits, or a bool as 0 or 1. */
struct vkdml_value {
    uint32_t word;
    bool known;
};

#define VKDML_CONSTANT_FOLD_OPERANDS 3

/* The value of a SPIR-V operation whose operands are scalars of 32 bits or bools. False where operands that it depends
 * on are not known, and for opcodes other than OpSelect and the arithmetic, comparisons, logic and bits of integers and
 * bools. What SPIR-V leaves undefined has some value: quotients by 0 are 0, shifts count modulo 32. */
bool vkdml_constant_fold(uint32_t opcode, const struct vkdml_value operands[VKDML_CONSTANT_FOLD_OPERANDS],
                         uint32_t *value);

#endif
