/* Logic, comparisons, and what is chosen by them. */
#include "onnx/operators.h"
#include "onnx/operators/element_wise.h"

static bool compare(const struct onnx_call *call, DML_OPERATOR_TYPE type) {
    struct onnx_tensor *a, *b;
    if (!onnx_operands(call, &a, &b)) {
        return false;
    }
    const bool are_doubles = a->type == ONNX_DOUBLE && b->type == ONNX_DOUBLE;
    return onnx_output(call, 0, are_doubles ? onnx_compare_doubles(call, type, a, b) : onnx_compare(call, type, a, b));
}

#define COMPARISON(name, type)                                                                                         \
    static bool name(const struct onnx_call *call) {                                                                   \
        return compare(call, type);                                                                                    \
    }
COMPARISON(and_of, DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND)
COMPARISON(or_of, DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR)
COMPARISON(xor_of, DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR)
COMPARISON(equal, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS)
COMPARISON(greater, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN)
COMPARISON(less, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN)
COMPARISON(greater_or_equal, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL)
COMPARISON(less_or_equal, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL)

static bool not_of(const struct onnx_call *call) {
    return onnx_output(call, 0, onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT, onnx_input(call, 0)));
}

#define DOUBLE_MAGNITUDE (UINT64_MAX >> 1)
#define DOUBLE_INFINITY  (UINT64_C(0x7FF) << 52)

/* DirectML has no comparison of doubles, but of their bits: those of a NaN are beyond an infinity's. */
static struct onnx_tensor *compare_bits(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *input,
                                        uint64_t mask, uint64_t bits) {
    input = onnx_reinterpret(call, input, ONNX_UINT64);
    input = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, input, onnx_bits(call, mask));
    return onnx_compare(call, type, input, onnx_bits(call, bits));
}

static bool is_nan(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (input->type == ONNX_DOUBLE) {
        return onnx_output(call, 0,
                           compare_bits(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN, input, DOUBLE_MAGNITUDE,
                                        DOUBLE_INFINITY));
    }
    DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC desc = {0};
    return onnx_output(call, 0, onnx_classify(call, DML_OPERATOR_ELEMENT_WISE_IS_NAN, &desc, ONNX_TENSORS(input)));
}

static bool is_infinity(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    const bool negative = onnx_int(call, "detect_negative", 1) != 0;
    const bool positive = onnx_int(call, "detect_positive", 1) != 0;
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (!negative && !positive) {
        return onnx_output(call, 0, onnx_fill(call, ONNX_BOOL, input->rank, input->sizes, 0));
    }
    if (input->type == ONNX_DOUBLE) {
        const uint64_t mask = negative && positive ? DOUBLE_MAGNITUDE : UINT64_MAX;
        const uint64_t bits = positive ? DOUBLE_INFINITY : ~DOUBLE_MAGNITUDE | DOUBLE_INFINITY;
        return onnx_output(call, 0, compare_bits(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, input, mask, bits));
    }
    DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC desc = {.InfinityMode = negative && positive
                                                                           ? DML_IS_INFINITY_MODE_EITHER
                                                                       : positive ? DML_IS_INFINITY_MODE_POSITIVE
                                                                                  : DML_IS_INFINITY_MODE_NEGATIVE};
    return onnx_output(call, 0, onnx_classify(call, DML_OPERATOR_ELEMENT_WISE_IS_INFINITY, &desc, ONNX_TENSORS(input)));
}

static bool where(const struct onnx_call *call) {
    struct onnx_tensor *condition = onnx_input(call, 0), *a = onnx_input(call, 1), *b = onnx_input(call, 2);
    if (condition == NULL || a == NULL || b == NULL) {
        return onnx_refuse(call, "an input is missing");
    }
    return onnx_output(call, 0, onnx_select(call, condition, a, b));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "And", 1, and_of},
    {ONNX_ML, "Or", 1, or_of},
    {ONNX_ML, "Xor", 1, xor_of},
    {ONNX_ML, "Not", 1, not_of},
    {ONNX_ML, "Equal", 1, equal},
    {ONNX_ML, "Greater", 1, greater},
    {ONNX_ML, "Less", 1, less},
    {ONNX_ML, "GreaterOrEqual", 12, greater_or_equal},
    {ONNX_ML, "LessOrEqual", 12, less_or_equal},
    {ONNX_ML, "IsNaN", 9, is_nan},
    {ONNX_ML, "IsInf", 10, is_infinity},
    {ONNX_ML, "Where", 9, where},
};
ONNX_DEFINE_FAMILY(logic, rows)
