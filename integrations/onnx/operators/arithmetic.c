/* Arithmetic and functions of numbers, element by element. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/operators/element_wise.h"

/* Operators of two inputs, by NumPy's rules of broadcasting. Quotients of integers are truncated. */
#define BINARY(name, type)                                                                                             \
    static bool name(const struct onnx_call *call) {                                                                   \
        struct onnx_tensor *a, *b;                                                                                     \
        return onnx_operands(call, &a, &b) && onnx_output(call, 0, onnx_binary(call, type, a, b));                     \
    }
BINARY(add, DML_OPERATOR_ELEMENT_WISE_ADD)
BINARY(subtract, DML_OPERATOR_ELEMENT_WISE_SUBTRACT)
BINARY(multiply, DML_OPERATOR_ELEMENT_WISE_MULTIPLY)
BINARY(divide, DML_OPERATOR_ELEMENT_WISE_DIVIDE)

#define UNARY(name, type)                                                                                              \
    static bool name(const struct onnx_call *call) {                                                                   \
        return onnx_output(call, 0, onnx_unary(call, type, onnx_input(call, 0)));                                      \
    }
UNARY(sqrt_of, DML_OPERATOR_ELEMENT_WISE_SQRT)
UNARY(exp_of, DML_OPERATOR_ELEMENT_WISE_EXP)
UNARY(log_of, DML_OPERATOR_ELEMENT_WISE_LOG)
UNARY(sin_of, DML_OPERATOR_ELEMENT_WISE_SIN)
UNARY(cos_of, DML_OPERATOR_ELEMENT_WISE_COS)
UNARY(tan_of, DML_OPERATOR_ELEMENT_WISE_TAN)
UNARY(asin_of, DML_OPERATOR_ELEMENT_WISE_ASIN)
UNARY(acos_of, DML_OPERATOR_ELEMENT_WISE_ACOS)
UNARY(atan_of, DML_OPERATOR_ELEMENT_WISE_ATAN)
UNARY(sinh_of, DML_OPERATOR_ELEMENT_WISE_SINH)
UNARY(cosh_of, DML_OPERATOR_ELEMENT_WISE_COSH)
UNARY(asinh_of, DML_OPERATOR_ELEMENT_WISE_ASINH)
UNARY(acosh_of, DML_OPERATOR_ELEMENT_WISE_ACOSH)
UNARY(atanh_of, DML_OPERATOR_ELEMENT_WISE_ATANH)
UNARY(erf_of, DML_OPERATOR_ELEMENT_WISE_ERF)
UNARY(reciprocal, DML_OPERATOR_ELEMENT_WISE_RECIP)
UNARY(floor_of, DML_OPERATOR_ELEMENT_WISE_FLOOR)
UNARY(ceil_of, DML_OPERATOR_ELEMENT_WISE_CEIL)

#define DOUBLE_SIGN (UINT64_C(1) << 63)

/* DirectML has no arithmetic of doubles; their signs are bits. */
static bool change_sign(const struct onnx_call *call, DML_OPERATOR_TYPE type, uint64_t bits) {
    struct onnx_tensor *as_bits = onnx_reinterpret(call, onnx_input(call, 0), ONNX_UINT64);
    struct onnx_tensor *changed = onnx_binary(call, type, as_bits, onnx_bits(call, bits));
    return onnx_output(call, 0, onnx_reinterpret(call, changed, ONNX_DOUBLE));
}

static bool absolute(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    if (input != NULL && onnx_is_unsigned(input->type)) {
        return onnx_output(call, 0, input);
    }
    if (input != NULL && input->type == ONNX_DOUBLE) {
        return change_sign(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, ~DOUBLE_SIGN);
    }
    return onnx_output(call, 0, onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_ABS, input));
}

static bool negate(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    if (input != NULL && input->type == ONNX_DOUBLE) {
        return change_sign(call, DML_OPERATOR_ELEMENT_WISE_BIT_XOR, DOUBLE_SIGN);
    }
    return onnx_output(call, 0, onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_NEGATE, input));
}

/* ONNX's Sign of NaN is NaN; DirectML's SIGN, like HLSL's sign(), gives 0. */
static bool sign(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    struct onnx_tensor *signs = onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_SIGN, input);
    if (signs != NULL && (input->type == ONNX_FLOAT || input->type == ONNX_FLOAT16)) {
        DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC desc = {0};
        struct onnx_tensor *is_nan = onnx_classify(call, DML_OPERATOR_ELEMENT_WISE_IS_NAN, &desc, ONNX_TENSORS(input));
        signs = onnx_select(call, is_nan, input, signs);
    }
    return onnx_output(call, 0, signs);
}

static bool round_half_even(const struct onnx_call *call) {
    return onnx_output(call, 0, onnx_round(call, onnx_input(call, 0)));
}

static bool modulo(const struct onnx_call *call) {
    struct onnx_tensor *a, *b;
    const DML_OPERATOR_TYPE type = onnx_int(call, "fmod", 0) != 0 ? DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE
                                                                  : DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR;
    return onnx_operands(call, &a, &b) && onnx_output(call, 0, onnx_binary(call, type, a, b));
}

/* ---- bits ---- */

BINARY(bitwise_and, DML_OPERATOR_ELEMENT_WISE_BIT_AND)
BINARY(bitwise_or, DML_OPERATOR_ELEMENT_WISE_BIT_OR)
BINARY(bitwise_xor, DML_OPERATOR_ELEMENT_WISE_BIT_XOR)
UNARY(bitwise_not, DML_OPERATOR_ELEMENT_WISE_BIT_NOT)

static enum onnx_type unsigned_of(enum onnx_type type) {
    return type == ONNX_INT8    ? ONNX_UINT8
           : type == ONNX_INT16 ? ONNX_UINT16
           : type == ONNX_INT32 ? ONNX_UINT32
           : type == ONNX_INT64 ? ONNX_UINT64
                                : type;
}

/* DirectML shifts unsigned integers, and all bits out where the shift is the width or more, as a negative one is. To
 * the right the bits of a negative number are shifted inverted, so that ones move in. */
static bool bit_shift(const struct onnx_call *call) {
    struct onnx_tensor *a, *b, *inverted = NULL;
    const char *direction = onnx_text(call, "direction", "");
    const bool is_left = strcmp(direction, "LEFT") == 0;
    if (!is_left && strcmp(direction, "RIGHT") != 0) {
        return onnx_refuse(call, "a direction that is neither LEFT nor RIGHT");
    }
    if (!onnx_operands(call, &a, &b)) {
        return false;
    }
    const enum onnx_type type = a->type, bits = unsigned_of(type);
    if (!onnx_is_integer(type) || b->type != type) {
        return onnx_refuse(call, "operands that are no integers of one type");
    }
    if (type != bits && !is_left) {
        inverted = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_MAX, a, -1);
        inverted = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_MIN, inverted, 0); /* all bits or none */
        inverted = onnx_reinterpret(call, inverted, bits);
    }
    a = onnx_reinterpret(call, a, bits);
    b = onnx_reinterpret(call, b, bits);
    if (inverted != NULL) {
        a = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_XOR, a, inverted);
    }
    struct onnx_tensor *shifted = onnx_binary(
        call, is_left ? DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT : DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT, a, b);
    if (inverted != NULL) {
        shifted = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_XOR, shifted, inverted);
    }
    return onnx_output(call, 0, onnx_reinterpret(call, shifted, type));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Add", 1, add},
    {ONNX_ML, "Sub", 1, subtract},
    {ONNX_ML, "Mul", 1, multiply},
    {ONNX_ML, "Div", 1, divide},
    {ONNX_ML, "Mod", 10, modulo},
    {ONNX_ML, "Abs", 1, absolute},
    {ONNX_ML, "Neg", 1, negate},
    {ONNX_ML, "Sign", 9, sign},
    {ONNX_ML, "Floor", 1, floor_of},
    {ONNX_ML, "Ceil", 1, ceil_of},
    {ONNX_ML, "Round", 11, round_half_even},
    {ONNX_ML, "Reciprocal", 1, reciprocal},
    {ONNX_ML, "Sqrt", 1, sqrt_of},
    {ONNX_ML, "Exp", 1, exp_of},
    {ONNX_ML, "Log", 1, log_of},
    {ONNX_ML, "Erf", 9, erf_of},
    {ONNX_ML, "Sin", 7, sin_of},
    {ONNX_ML, "Cos", 7, cos_of},
    {ONNX_ML, "Tan", 7, tan_of},
    {ONNX_ML, "Asin", 7, asin_of},
    {ONNX_ML, "Acos", 7, acos_of},
    {ONNX_ML, "Atan", 7, atan_of},
    {ONNX_ML, "Sinh", 9, sinh_of},
    {ONNX_ML, "Cosh", 9, cosh_of},
    {ONNX_ML, "Asinh", 9, asinh_of},
    {ONNX_ML, "Acosh", 9, acosh_of},
    {ONNX_ML, "Atanh", 9, atanh_of},
    {ONNX_ML, "BitwiseAnd", 18, bitwise_and},
    {ONNX_ML, "BitwiseOr", 18, bitwise_or},
    {ONNX_ML, "BitwiseXor", 18, bitwise_xor},
    {ONNX_ML, "BitwiseNot", 18, bitwise_not},
    {ONNX_ML, "BitShift", 11, bit_shift},
};
ONNX_DEFINE_FAMILY(arithmetic, rows)
