/* Elements as another type. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/operators/element_wise.h"

static bool is_number(enum onnx_type type) {
    return onnx_is_integer(type) || type == ONNX_BOOL || type == ONNX_FLOAT || type == ONNX_FLOAT16 ||
           type == ONNX_DOUBLE;
}

/* Whether elements are not 0; of doubles as bits without their sign. */
static struct onnx_tensor *is_not_zero(const struct onnx_call *call, struct onnx_tensor *tensor) {
    if (tensor->type == ONNX_DOUBLE) {
        tensor = onnx_reinterpret(call, tensor, ONNX_UINT64);
        tensor = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, tensor, onnx_bits(call, UINT64_MAX >> 1));
    }
    struct onnx_tensor *zero = tensor == NULL ? NULL : onnx_number(call, tensor->type, 0);
    return onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT,
                      onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, tensor, zero));
}

/* ---- of 4 bits, which DirectML's CAST does not take: they are quantized by 1 ---- */

static bool is_of_4_bits(enum onnx_type type) {
    return type == ONNX_UINT4 || type == ONNX_INT4;
}

static struct onnx_tensor *quantize_by_1(const struct onnx_call *call, DML_OPERATOR_TYPE operator_type,
                                         struct onnx_tensor *tensor, enum onnx_type type) {
    if (tensor == NULL || onnx_is_empty(tensor)) {
        return tensor == NULL ? NULL : onnx_declare(call, type, tensor->rank, tensor->sizes);
    }
    static const uint32_t ones[ONNX_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct onnx_tensor *scale = onnx_number(call, ONNX_FLOAT, 1);
    scale = onnx_reshape(call, scale, tensor->rank, ones);
    struct onnx_tensor *made = onnx_declare(call, type, tensor->rank, tensor->sizes);
    DML_QUANTIZE_OPERATOR_DESC desc = {.QuantizationType = DML_QUANTIZATION_TYPE_SCALE, .QuantizationTensorCount = 1};
    if (scale == NULL || made == NULL ||
        !onnx_emit(call, operator_type, &desc, ONNX_TENSORS(tensor, scale), 1, &made)) {
        return NULL;
    }
    return onnx_reshape(call, made, tensor->rank, tensor->sizes);
}

/* The low bits of integers, and of floats truncated. */
static struct onnx_tensor *to_4_bits(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type) {
    tensor = onnx_cast(call, tensor, ONNX_INT32);
    tensor = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, tensor, 15);
    if (type == ONNX_INT4) {
        tensor = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_XOR, tensor, 8);
        tensor = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, tensor, 8);
    }
    return quantize_by_1(call, DML_OPERATOR_QUANTIZE, onnx_cast(call, tensor, ONNX_FLOAT), type);
}

/* ---- BFLOAT16, which DirectML has not: the upper half of a FLOAT ---- */

static struct onnx_tensor *from_bfloat16(const struct onnx_call *call, struct onnx_tensor *tensor) {
    tensor = onnx_cast(call, onnx_reinterpret(call, tensor, ONNX_UINT16), ONNX_UINT32);
    tensor = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT, tensor, 16);
    return onnx_reinterpret(call, tensor, ONNX_FLOAT);
}

/* To nearest, ties to even, by adding to the lower half what carries; a NaN has a pattern of its own. */
static struct onnx_tensor *to_bfloat16(const struct onnx_call *call, struct onnx_tensor *tensor) {
    DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC desc = {0};
    struct onnx_tensor *is_nan = onnx_classify(call, DML_OPERATOR_ELEMENT_WISE_IS_NAN, &desc, ONNX_TENSORS(tensor));
    struct onnx_tensor *bits = onnx_reinterpret(call, tensor, ONNX_UINT32);
    struct onnx_tensor *odd = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT, bits, 16);
    odd = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, odd, 1);
    bits = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_ADD, bits, 0x7FFF);
    bits = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, bits, odd);
    bits = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT, bits, 16);
    bits = onnx_select(call, is_nan, onnx_number(call, ONNX_UINT32, 0x7FC0), bits);
    return onnx_reinterpret(call, onnx_cast(call, bits, ONNX_UINT16), ONNX_BFLOAT16);
}

/* Types whose numbers are all FLOATs: they become BFLOAT16 by one rounding. */
static bool is_within_float(enum onnx_type type) {
    return type == ONNX_FLOAT || type == ONNX_FLOAT16 || type == ONNX_BOOL || type == ONNX_UINT8 || type == ONNX_INT8 ||
           type == ONNX_UINT16 || type == ONNX_INT16;
}

struct onnx_tensor *onnx_convert(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type) {
    if (tensor == NULL || tensor->type == type) {
        return tensor;
    }
    const enum onnx_type from = tensor->type;
    if (is_of_4_bits(from)) {
        tensor = quantize_by_1(call, DML_OPERATOR_DEQUANTIZE, tensor, ONNX_FLOAT);
        return onnx_convert(call, tensor, type);
    }
    if (from == ONNX_BFLOAT16) {
        return onnx_convert(call, from_bfloat16(call, tensor), type);
    }
    if (is_number(from) && is_of_4_bits(type)) {
        return to_4_bits(call, tensor, type);
    }
    if (is_within_float(from) && type == ONNX_BFLOAT16) {
        tensor = onnx_cast(call, tensor, ONNX_FLOAT);
        return tensor == NULL ? NULL : to_bfloat16(call, tensor);
    }
    if (!is_number(from) || !is_number(type)) {
        onnx_refuse_type(call, "from %s to type %d", onnx_type_name(from), (int)type);
        return NULL;
    }
    return type == ONNX_BOOL ? is_not_zero(call, tensor) : onnx_cast(call, tensor, type);
}

/* Below version 6 types are named. */
static enum onnx_type find_type(const struct onnx_call *call) {
    static const char *const names[] = {"",      "FLOAT",  "UINT8", "INT8",    "UINT16", "INT16",  "INT32",
                                        "INT64", "STRING", "BOOL",  "FLOAT16", "DOUBLE", "UINT32", "UINT64"};
    const char *name = onnx_text(call, "to", NULL);
    if (name == NULL) {
        const int64_t type = onnx_int(call, "to", ONNX_UNDEFINED);
        return type < 0 || type > ONNX_INT4 ? ONNX_UNDEFINED : (enum onnx_type)type;
    }
    for (int i = 1; i < (int)(sizeof names / sizeof names[0]); ++i) {
        if (strcmp(name, names[i]) == 0) {
            return (enum onnx_type)i;
        }
    }
    return ONNX_UNDEFINED;
}

static bool cast(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    return onnx_output(call, 0, onnx_convert(call, input, find_type(call)));
}

static bool cast_like(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    const struct onnx_tensor *like = onnx_input(call, 1);
    if (input == NULL || like == NULL) {
        return onnx_refuse(call, "an input is missing");
    }
    return onnx_output(call, 0, onnx_convert(call, input, like->type));
}

/* BOOL has bits of its own: whatever else is not 1 would be none. */
static bool bit_cast(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    const enum onnx_type type = find_type(call);
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    const bool is_known = type != ONNX_UNDEFINED && type != ONNX_STRING && !is_of_4_bits(type);
    if (input->type != type && (!is_known || is_of_4_bits(input->type) || type == ONNX_BOOL ||
                                onnx_bytes_of(input->type, 1) != onnx_bytes_of(type, 1))) {
        return onnx_refuse_type(call, "from %s to type %d", onnx_type_name(input->type), (int)type);
    }
    return onnx_output(call, 0, onnx_reinterpret(call, input, type));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Cast", 1, cast},
    {ONNX_ML, "CastLike", 15, cast_like},
    {ONNX_ML, "BitCast", 26, bit_cast},
};
ONNX_DEFINE_FAMILY(conversion, rows)
