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

struct onnx_tensor *onnx_convert(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type) {
    if (tensor == NULL || tensor->type == type) {
        return tensor;
    }
    if (!is_number(tensor->type) || !is_number(type)) {
        onnx_refuse(call, "from %s to type %d", onnx_type_name(tensor->type), (int)type);
        return NULL;
    }
    return type == ONNX_BOOL ? is_not_zero(call, tensor) : onnx_cast(call, tensor, type);
}

/* Below version 6 types are named. */
static enum onnx_type find_type(const struct onnx_call *call) {
    static const char *const names[] = {"",      "FLOAT", "UINT8",  "INT8", "UINT16",  "INT16",  "INT32",
                                        "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32", "UINT64"};
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
    if (input->type != type && (!is_number(input->type) || !is_number(type) || type == ONNX_BOOL ||
                                onnx_bytes_of(input->type, 1) != onnx_bytes_of(type, 1))) {
        return onnx_refuse(call, "from %s to type %d", onnx_type_name(input->type), (int)type);
    }
    return onnx_output(call, 0, onnx_reinterpret(call, input, type));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Cast", 1, cast},
    {ONNX_ML, "CastLike", 15, cast_like},
    {ONNX_ML, "BitCast", 26, bit_cast},
};
ONNX_DEFINE_FAMILY(conversion, rows)
