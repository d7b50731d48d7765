/* Arithmetic, element by element. */
#include "onnx/operators.h"

/* Operators of two inputs, by NumPy's rules of broadcasting. */
#define BINARY(name, type)                                                                                             \
    static bool name(const struct onnx_call *call) {                                                                   \
        return onnx_output(call, 0, onnx_binary(call, type, onnx_input(call, 0), onnx_input(call, 1)));               \
    }
BINARY(add, DML_OPERATOR_ELEMENT_WISE_ADD)
BINARY(subtract, DML_OPERATOR_ELEMENT_WISE_SUBTRACT)
BINARY(multiply, DML_OPERATOR_ELEMENT_WISE_MULTIPLY)
BINARY(divide, DML_OPERATOR_ELEMENT_WISE_DIVIDE)

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Add", 7, add},
    {ONNX_ML, "Sub", 7, subtract},
    {ONNX_ML, "Mul", 7, multiply},
    {ONNX_ML, "Div", 7, divide},
};
ONNX_DEFINE_FAMILY(arithmetic, rows)
