#include "kernels/constant_fold.h"

#include "kernels/spirv.h"

/* Wide, so that no operation overflows. */
static int64_t as_signed(uint32_t word) {
    return (int64_t)(word ^ 0x80000000) - INT64_C(0x80000000);
}

/* With the divisor's sign. */
static int64_t modulo(int64_t a, int64_t b) {
    const int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* No word. */
#define NOT_KNOWN UINT64_MAX

/* What is undefined has a value too, and none that ends the program. */
static uint64_t divide(uint32_t opcode, uint32_t a, uint32_t b) {
    if (b == 0) {
        return 0;
    }
    switch (opcode) {
    case SPIRV_OP_U_DIV:
        return a / b;
    case SPIRV_OP_U_MOD:
        return a % b;
    case SPIRV_OP_S_DIV:
        return (uint32_t)(as_signed(a) / as_signed(b));
    case SPIRV_OP_S_REM:
        return (uint32_t)(as_signed(a) % as_signed(b));
    default:
        return (uint32_t)modulo(as_signed(a), as_signed(b));
    }
}

static uint64_t compute(uint32_t opcode, uint32_t a, uint32_t b) {
    switch (opcode) {
    case SPIRV_OP_I_ADD:
        return (uint32_t)(a + b);
    case SPIRV_OP_I_SUB:
        return (uint32_t)(a - b);
    case SPIRV_OP_I_MUL:
        return (uint32_t)((uint64_t)a * b);
    case SPIRV_OP_U_DIV:
    case SPIRV_OP_U_MOD:
    case SPIRV_OP_S_DIV:
    case SPIRV_OP_S_REM:
    case SPIRV_OP_S_MOD:
        return divide(opcode, a, b);
    case SPIRV_OP_SHIFT_RIGHT_LOGICAL:
        return a >> b % 32;
    case SPIRV_OP_SHIFT_RIGHT_ARITHMETIC:
        return as_signed(a) < 0 ? ~(~a >> b % 32) : a >> b % 32;
    case SPIRV_OP_SHIFT_LEFT_LOGICAL:
        return (uint32_t)(a << b % 32);
    case SPIRV_OP_BITWISE_OR:
    case SPIRV_OP_LOGICAL_OR:
        return a | b;
    case SPIRV_OP_BITWISE_XOR:
        return a ^ b;
    case SPIRV_OP_BITWISE_AND:
    case SPIRV_OP_LOGICAL_AND:
        return a & b;
    default:
        return NOT_KNOWN;
    }
}

static uint64_t compare(uint32_t opcode, uint32_t a, uint32_t b) {
    switch (opcode) {
    case SPIRV_OP_I_EQUAL:
    case SPIRV_OP_LOGICAL_EQUAL:
        return a == b;
    case SPIRV_OP_I_NOT_EQUAL:
    case SPIRV_OP_LOGICAL_NOT_EQUAL:
        return a != b;
    case SPIRV_OP_U_GREATER_THAN:
        return a > b;
    case SPIRV_OP_S_GREATER_THAN:
        return as_signed(a) > as_signed(b);
    case SPIRV_OP_U_GREATER_THAN_EQUAL:
        return a >= b;
    case SPIRV_OP_S_GREATER_THAN_EQUAL:
        return as_signed(a) >= as_signed(b);
    case SPIRV_OP_U_LESS_THAN:
        return a < b;
    case SPIRV_OP_S_LESS_THAN:
        return as_signed(a) < as_signed(b);
    case SPIRV_OP_U_LESS_THAN_EQUAL:
        return a <= b;
    case SPIRV_OP_S_LESS_THAN_EQUAL:
        return as_signed(a) <= as_signed(b);
    default:
        return NOT_KNOWN;
    }
}

static uint64_t of_one(uint32_t opcode, uint32_t a) {
    switch (opcode) {
    case SPIRV_OP_S_NEGATE:
        return (uint32_t)(0 - a);
    case SPIRV_OP_NOT:
        return (uint32_t)~a;
    case SPIRV_OP_LOGICAL_NOT:
        return a == 0;
    default:
        return NOT_KNOWN;
    }
}

/* What some operands decide, whatever the others are. */
static uint64_t of_some(uint32_t opcode, const struct vkdml_value *operands) {
    const struct vkdml_value *a = &operands[0], *b = &operands[1];
    switch (opcode) {
    case SPIRV_OP_SELECT: {
        const struct vkdml_value *chosen = &operands[a->word != 0 ? 1 : 2];
        return a->known && chosen->known ? chosen->word : NOT_KNOWN;
    }
    case SPIRV_OP_LOGICAL_AND:
        return (a->known && a->word == 0) || (b->known && b->word == 0) ? 0 : NOT_KNOWN;
    case SPIRV_OP_LOGICAL_OR:
        return (a->known && a->word != 0) || (b->known && b->word != 0) ? 1 : NOT_KNOWN;
    default:
        return NOT_KNOWN;
    }
}

bool vkdml_constant_fold(uint32_t opcode, const struct vkdml_value operands[VKDML_CONSTANT_FOLD_OPERANDS],
                         uint32_t *value) {
    uint64_t found = of_some(opcode, operands);
    if (found == NOT_KNOWN && operands[0].known) {
        found = of_one(opcode, operands[0].word);
    }
    if (found == NOT_KNOWN && operands[0].known && operands[1].known) {
        found = compute(opcode, operands[0].word, operands[1].word);
    }
    if (found == NOT_KNOWN && operands[0].known && operands[1].known) {
        found = compare(opcode, operands[0].word, operands[1].word);
    }
    *value = (uint32_t)found;
    return found != NOT_KNOWN;
}
