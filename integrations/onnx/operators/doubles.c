/* Doubles, of which DirectML has no arithmetic nor comparison, in order by their bits: as integers, of which the
 * negative ones' magnitude is negated. Both zeros are 0; magnitudes beyond infinity's are NaN. */
#include "onnx/operators/element_wise.h"

#define INFINITE_BITS (UINT64_C(0x7FF) << 52)

struct ordered {
    struct onnx_tensor *keys;   /* INT64 */
    struct onnx_tensor *is_nan; /* BOOL */
};

static struct ordered put_in_order(const struct onnx_call *call, struct onnx_tensor *tensor) {
    struct onnx_tensor *mask = onnx_bits(call, UINT64_MAX >> 1), *infinity = onnx_bits(call, INFINITE_BITS);
    struct onnx_tensor *bits = onnx_reinterpret(call, tensor, ONNX_INT64);
    struct onnx_tensor *sign = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_MAX, bits, -1);
    sign = onnx_binary_number(call, DML_OPERATOR_ELEMENT_WISE_MIN, sign, 0); /* -1 or 0 */
    mask = onnx_reinterpret(call, mask, ONNX_INT64);
    infinity = onnx_reinterpret(call, infinity, ONNX_INT64);
    struct onnx_tensor *magnitude = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, bits, mask);
    struct onnx_tensor *keys = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_XOR, magnitude, sign);
    return (struct ordered){
        .keys = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, keys, sign),
        .is_nan = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN, magnitude, infinity)};
}

struct onnx_tensor *onnx_compare_doubles(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                         struct onnx_tensor *b) {
    const struct ordered first = put_in_order(call, a), second = put_in_order(call, b);
    struct onnx_tensor *any = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR, first.is_nan, second.is_nan);
    struct onnx_tensor *result = onnx_compare(call, type, first.keys, second.keys);
    return any == NULL ? NULL
                       : onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND, result,
                                      onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT, any));
}

struct onnx_tensor *onnx_bound(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                               struct onnx_tensor *b) {
    if (a == NULL || b == NULL || a->type != ONNX_DOUBLE || b->type != ONNX_DOUBLE) {
        return onnx_binary(call, type, a, b);
    }
    const DML_OPERATOR_TYPE is_first = type == DML_OPERATOR_ELEMENT_WISE_MIN
                                           ? DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN
                                           : DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN;
    const struct ordered first = put_in_order(call, a), second = put_in_order(call, b);
    struct onnx_tensor *takes_first = onnx_compare(call, is_first, first.keys, second.keys);
    struct onnx_tensor *result = onnx_select(call, takes_first, a, b);
    result = onnx_select(call, second.is_nan, b, result);
    return onnx_select(call, first.is_nan, a, result);
}
