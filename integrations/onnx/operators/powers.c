/* Pow, whose exponents may be of another type than its bases. */
#include "onnx/operators.h"
#include "onnx/operators/element_wise.h"

/* Integers, of which a base of 64 bits has no greater power but of 1, -1 and 0: the greater ones' parity is kept. */
static struct onnx_tensor *shorten(const struct onnx_call *call, struct onnx_tensor *exponent, double most) {
    struct onnx_tensor *one = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, exponent, 1);
    exponent = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_MIN, exponent, most);
    if (exponent != NULL && !onnx_is_unsigned(exponent->type)) {
        exponent = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_MAX, exponent, -most);
    }
    return onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_OR, exponent, one);
}

/* DirectML has powers of up to 32 bits. */
static struct onnx_tensor *power(const struct onnx_call *call, struct onnx_tensor *base, struct onnx_tensor *exponent) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    struct onnx_tensor *both[] = {base, exponent};
    if (exponent == NULL || !onnx_broadcast_sizes(call, 2, both, &rank, sizes)) {
        return NULL;
    }
    both[0] = onnx_broadcast(call, base, rank, sizes);
    both[1] = onnx_broadcast(call, exponent, rank, sizes);
    if (both[0] == NULL || both[1] == NULL || onnx_is_empty(both[0])) {
        return both[1] == NULL ? NULL : both[0];
    }
    DML_ELEMENT_WISE_POW_OPERATOR_DESC desc = {0};
    return onnx_reshape(call, onnx_make(call, DML_OPERATOR_ELEMENT_WISE_POW, &desc, 2, both), rank, sizes);
}

/* By squares, one for each of the exponent's six bits. A negative exponent is that of the reciprocal, truncated: it
 * leaves 1 and -1 alone, whose powers only parity tells. */
static struct onnx_tensor *power_of_64_bits(const struct onnx_call *call, struct onnx_tensor *base,
                                            struct onnx_tensor *exponent) {
    const enum onnx_type type = onnx_is_unsigned(exponent->type) ? ONNX_UINT64 : ONNX_INT64;
    struct onnx_tensor *zero = onnx_number(call, type, 0), *one = onnx_number(call, ONNX_INT64, 1);
    struct onnx_tensor *square = base, *result = one;
    exponent = onnx_cast(call, exponent, type);
    struct onnx_tensor *is_negative =
        type == ONNX_UINT64 ? NULL : onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, exponent, zero);
    struct onnx_tensor *bits = shorten(call, exponent, 62);
    for (uint32_t bit = 0; bit < 6 && result != NULL; ++bit) {
        struct onnx_tensor *is_set = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, bits, 1U << bit);
        is_set = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, is_set, zero);
        struct onnx_tensor *factor = onnx_select(call, is_set, one, square);
        result = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, result, factor);
        square = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, square, square);
    }
    if (type == ONNX_INT64) {
        struct onnx_tensor *magnitude = onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_ABS, base);
        struct onnx_tensor *is_unit = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, magnitude, one);
        struct onnx_tensor *odd = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, exponent, 1);
        odd = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, odd, one);
        struct onnx_tensor *unit = onnx_select(call, odd, base, one);
        unit = onnx_select(call, is_unit, unit, onnx_number(call, ONNX_INT64, 0));
        result = onnx_select(call, is_negative, unit, result);
    }
    return result;
}

/* DirectML rounds powers of integers by floats to FLOAT32 before they are truncated: 5 to 2.0 may be 24. Exponents that
 * are known and whole are integers. */
static struct onnx_tensor *whole(const struct onnx_call *call, struct onnx_tensor *exponent) {
    uint32_t count;
    if (exponent->type != ONNX_DOUBLE && !onnx_is_float(exponent->type)) {
        return exponent;
    }
    const double *numbers = onnx_host_floats(call, 1, &count);
    for (uint32_t i = 0; numbers != NULL && i < count; ++i) {
        if (!(numbers[i] >= -0x1p30 && numbers[i] <= 0x1p30) || numbers[i] != (double)(int64_t)numbers[i]) {
            onnx_refuse_with(call, VKDML_ERROR_NOT_IMPLEMENTED, "an exponent that is no integer, of an integer");
            return NULL;
        }
    }
    return numbers == NULL ? NULL : onnx_cast(call, exponent, ONNX_INT32);
}

/* Doubles that are known and no more than FLOATs. */
static struct onnx_tensor *narrow(const struct onnx_call *call, struct onnx_tensor *exponent) {
    uint32_t count;
    const double *numbers = onnx_host_floats(call, 1, &count);
    for (uint32_t i = 0; numbers != NULL && i < count; ++i) {
        if (!(numbers[i] >= -0x1p126 && numbers[i] <= 0x1p126) || numbers[i] != (double)(float)numbers[i]) {
            onnx_refuse(call, "an exponent that is no FLOAT");
            return NULL;
        }
    }
    return numbers == NULL ? NULL : onnx_cast(call, exponent, ONNX_FLOAT);
}

static bool pow_of(const struct onnx_call *call) {
    struct onnx_tensor *base, *exponent;
    if (!onnx_operands(call, &base, &exponent)) {
        return false;
    }
    if (!onnx_is_float(base->type)) {
        if (base->type != ONNX_INT32 && base->type != ONNX_INT64) {
            return onnx_refuse_type(call, "of %s", onnx_type_name(base->type));
        }
        exponent = whole(call, exponent);
        if (exponent == NULL) {
            return false;
        }
    }
    if (exponent->type == ONNX_DOUBLE) {
        exponent = narrow(call, exponent);
        if (exponent == NULL) {
            return false;
        }
    }
    if (base->type == ONNX_INT64) {
        if (!onnx_is_integer(exponent->type)) {
            return onnx_refuse_type(call, "an exponent of %s", onnx_type_name(exponent->type));
        }
        return onnx_output(call, 0, power_of_64_bits(call, base, exponent));
    }
    if (exponent->type == ONNX_INT64 || exponent->type == ONNX_UINT64) {
        exponent = onnx_cast(call, shorten(call, exponent, 0x1p30), ONNX_INT32);
    }
    return onnx_output(call, 0, power(call, base, exponent));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Pow", 1, pow_of},
};
ONNX_DEFINE_FAMILY(powers, rows)
