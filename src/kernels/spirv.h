/* What the library knows of SPIR-V: instructions are some words each, the first of which has their number and an
 * opcode. Opcodes and enumerators have the names and numbers of the specification's chapter 3. */
#ifndef VKDML_KERNELS_SPIRV_H
#define VKDML_KERNELS_SPIRV_H

#include <stdint.h>

#define SPIRV_HEADER_WORDS 5
#define SPIRV_HEADER_BOUND 3 /* the word above all ids */

enum spirv_opcode {
    SPIRV_OP_NAME = 5,
    SPIRV_OP_MEMBER_NAME = 6,
    SPIRV_OP_EXT_INST = 12,
    SPIRV_OP_ENTRY_POINT = 15,
    SPIRV_OP_EXECUTION_MODE = 16,
    SPIRV_OP_CAPABILITY = 17,
    SPIRV_OP_TYPE_VOID = 19, /* the first type */
    SPIRV_OP_TYPE_BOOL = 20,
    SPIRV_OP_TYPE_INT = 21,
    SPIRV_OP_TYPE_FLOAT = 22,
    SPIRV_OP_TYPE_VECTOR = 23,
    SPIRV_OP_TYPE_FUNCTION = 33, /* the last that kernels have */
    SPIRV_OP_CONSTANT_TRUE = 41,
    SPIRV_OP_CONSTANT_FALSE = 42,
    SPIRV_OP_CONSTANT = 43,
    SPIRV_OP_CONSTANT_COMPOSITE = 44,
    SPIRV_OP_CONSTANT_NULL = 46,
    SPIRV_OP_SPEC_CONSTANT_TRUE = 48,
    SPIRV_OP_SPEC_CONSTANT_FALSE = 49,
    SPIRV_OP_SPEC_CONSTANT = 50,
    SPIRV_OP_SPEC_CONSTANT_COMPOSITE = 51,
    SPIRV_OP_SPEC_CONSTANT_OP = 52,
    SPIRV_OP_FUNCTION = 54,
    SPIRV_OP_FUNCTION_END = 56,
    SPIRV_OP_FUNCTION_CALL = 57,
    SPIRV_OP_VARIABLE = 59,
    SPIRV_OP_LOAD = 61,
    SPIRV_OP_STORE = 62,
    SPIRV_OP_ACCESS_CHAIN = 65,
    SPIRV_OP_DECORATE = 71,
    SPIRV_OP_MEMBER_DECORATE = 72,
    SPIRV_OP_VECTOR_SHUFFLE = 79,
    SPIRV_OP_COMPOSITE_CONSTRUCT = 80,
    SPIRV_OP_COMPOSITE_EXTRACT = 81,
    SPIRV_OP_COMPOSITE_INSERT = 82,
    SPIRV_OP_CONVERT_F_TO_U = 109, /* the first of conversions, arithmetic, logic, comparisons, bits */
    SPIRV_OP_S_NEGATE = 126,
    SPIRV_OP_I_ADD = 128,
    SPIRV_OP_I_SUB = 130,
    SPIRV_OP_I_MUL = 132,
    SPIRV_OP_U_DIV = 134,
    SPIRV_OP_S_DIV = 135,
    SPIRV_OP_U_MOD = 137,
    SPIRV_OP_S_REM = 138,
    SPIRV_OP_S_MOD = 139,
    SPIRV_OP_LOGICAL_EQUAL = 164,
    SPIRV_OP_LOGICAL_NOT_EQUAL = 165,
    SPIRV_OP_LOGICAL_OR = 166,
    SPIRV_OP_LOGICAL_AND = 167,
    SPIRV_OP_LOGICAL_NOT = 168,
    SPIRV_OP_SELECT = 169,
    SPIRV_OP_I_EQUAL = 170,
    SPIRV_OP_I_NOT_EQUAL = 171,
    SPIRV_OP_U_GREATER_THAN = 172,
    SPIRV_OP_S_GREATER_THAN = 173,
    SPIRV_OP_U_GREATER_THAN_EQUAL = 174,
    SPIRV_OP_S_GREATER_THAN_EQUAL = 175,
    SPIRV_OP_U_LESS_THAN = 176,
    SPIRV_OP_S_LESS_THAN = 177,
    SPIRV_OP_U_LESS_THAN_EQUAL = 178,
    SPIRV_OP_S_LESS_THAN_EQUAL = 179,
    SPIRV_OP_SHIFT_RIGHT_LOGICAL = 194,
    SPIRV_OP_SHIFT_RIGHT_ARITHMETIC = 195,
    SPIRV_OP_SHIFT_LEFT_LOGICAL = 196,
    SPIRV_OP_BITWISE_OR = 197,
    SPIRV_OP_BITWISE_XOR = 198,
    SPIRV_OP_BITWISE_AND = 199,
    SPIRV_OP_NOT = 200,
    SPIRV_OP_BIT_COUNT = 205, /* the last of them */
    SPIRV_OP_PHI = 245,
    SPIRV_OP_LOOP_MERGE = 246,
    SPIRV_OP_SELECTION_MERGE = 247,
    SPIRV_OP_LABEL = 248,
    SPIRV_OP_BRANCH = 249,
    SPIRV_OP_BRANCH_CONDITIONAL = 250,
    SPIRV_OP_SWITCH = 251,
    SPIRV_OP_UNREACHABLE = 255,
    SPIRV_OP_TYPE_COOPERATIVE_MATRIX = 4456, /* of SPV_KHR_cooperative_matrix */
};

enum spirv_decoration {
    SPIRV_DECORATION_SPEC_ID = 1,
    SPIRV_DECORATION_BUILT_IN = 11,
};

#define SPIRV_BUILT_IN_WORKGROUP_SIZE 25

enum spirv_capability {
    SPIRV_CAPABILITY_FLOAT16 = 9,
    SPIRV_CAPABILITY_DENORM_PRESERVE = 4464,
    SPIRV_CAPABILITY_SIGNED_ZERO_INF_NAN_PRESERVE = 4466,
    SPIRV_CAPABILITY_ROUNDING_MODE_RTE = 4467,
};

/* Of a width, the word behind them. */
enum spirv_execution_mode {
    SPIRV_EXECUTION_MODE_DENORM_PRESERVE = 4459,
    SPIRV_EXECUTION_MODE_SIGNED_ZERO_INF_NAN_PRESERVE = 4461,
    SPIRV_EXECUTION_MODE_ROUNDING_MODE_RTE = 4462,
};

static inline uint32_t spirv_opcode(const uint32_t *instruction) {
    return instruction[0] & 0xFFFF;
}

static inline uint32_t spirv_length(const uint32_t *instruction) {
    return instruction[0] >> 16;
}

/* The first word of an instruction. */
static inline uint32_t spirv_first(uint32_t opcode, uint32_t length) {
    return length << 16 | opcode;
}

/* A word of an instruction; 0, which is no id, beyond its end. */
static inline uint32_t spirv_word(const uint32_t *instruction, uint32_t i) {
    return i < spirv_length(instruction) ? instruction[i] : 0;
}

#endif
