/* GELU in its forms, SwiGLU, and sums with biases. FLOAT16 is computed in FLOAT where there are several steps. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/operators/element_wise.h"

/* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), which is x * sigmoid() of twice that: so nothing cancels. */
static struct onnx_tensor *approximate(const struct onnx_call *call, struct onnx_tensor *x) {
    const float twice = 1.5957691216057308F;
    struct onnx_tensor *square = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, x, x);
    struct onnx_tensor *inner = square == NULL ? NULL : onnx_linear(call, square, twice * 0.044715F, twice);
    inner = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, x, inner);
    struct onnx_tensor *factor = inner == NULL ? NULL : onnx_unary(call, DML_OPERATOR_ACTIVATION_SIGMOID, inner);
    return onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, x, factor);
}

static struct onnx_tensor *exact(const struct onnx_call *call, struct onnx_tensor *x) {
    return x == NULL ? NULL : onnx_unary(call, DML_OPERATOR_ACTIVATION_GELU, x);
}

/* Rounded to the type that inputs have. */
static bool give(const struct onnx_call *call, struct onnx_tensor *result) {
    return onnx_output(call, 0, onnx_cast(call, result, onnx_input(call, 0)->type));
}

/* The inputs there are, added. False where one of the needed first ones is absent. */
static bool add_inputs(const struct onnx_call *call, uint32_t needed, uint32_t most, struct onnx_tensor **total) {
    *total = NULL;
    for (uint32_t i = 0; i < most; ++i) {
        struct onnx_tensor *input = onnx_input(call, i);
        if (input == NULL && i < needed) {
            return onnx_refuse(call, "input %u is missing", (unsigned)i);
        }
        if (input == NULL) {
            continue;
        }
        input = onnx_widen_half(call, input);
        *total = i == 0 ? input : onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, *total, input);
        if (*total == NULL) {
            return false;
        }
    }
    return true;
}

static bool gelu(const struct onnx_call *call) {
    struct onnx_tensor *x = onnx_input(call, 0);
    const char *form = onnx_text(call, "approximate", "none");
    if (x == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (strcmp(form, "tanh") == 0) {
        return give(call, approximate(call, onnx_widen_half(call, x)));
    }
    return strcmp(form, "none") == 0 ? give(call, exact(call, x)) : onnx_refuse(call, "approximate is %s", form);
}

static bool fast_gelu(const struct onnx_call *call) {
    struct onnx_tensor *x;
    return add_inputs(call, 1, 2, &x) && give(call, approximate(call, x));
}

static bool bias_gelu(const struct onnx_call *call) {
    struct onnx_tensor *x;
    return add_inputs(call, 2, 2, &x) && give(call, exact(call, x));
}

static bool bias_add(const struct onnx_call *call) {
    struct onnx_tensor *x;
    return add_inputs(call, 3, 3, &x) && give(call, x);
}

/* Half of the last dimension of the sum by the GELU of its other half. */
static bool bias_split_gelu(const struct onnx_call *call) {
    struct onnx_tensor *x;
    if (!add_inputs(call, 2, 2, &x)) {
        return false;
    }
    if (x->rank == 0 || x->sizes[x->rank - 1] % 2 != 0) {
        return onnx_refuse(call, "a last dimension that has no half");
    }
    uint32_t sizes[ONNX_MAX_RANK];
    memcpy(sizes, x->sizes, sizeof sizes);
    sizes[x->rank - 1] /= 2;
    if (onnx_is_empty(x)) {
        return onnx_output(call, 0, onnx_declare(call, onnx_input(call, 0)->type, x->rank, sizes));
    }
    struct onnx_tensor *halves[2];
    for (int i = 0; i < 2; ++i) {
        halves[i] = onnx_declare(call, x->type, x->rank, sizes);
        if (halves[i] == NULL) {
            return false;
        }
    }
    DML_SPLIT_OPERATOR_DESC desc = {.OutputCount = 2, .Axis = x->rank - 1};
    if (!onnx_emit(call, DML_OPERATOR_SPLIT, &desc, ONNX_TENSORS(x), 2, halves)) {
        return false;
    }
    return give(call, onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, halves[0], exact(call, halves[1])));
}

/* a * sigmoid(alpha * a) * b */
static bool swiglu(const struct onnx_call *call) {
    struct onnx_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 1);
    if (a == NULL || b == NULL || a->rank != b->rank || memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes) != 0) {
        return onnx_refuse(call, "no two inputs of the same sizes");
    }
    DML_ACTIVATION_SWISH_OPERATOR_DESC desc = {.SigmoidInputScale = onnx_float(call, "alpha", 1)};
    a = onnx_apply(call, DML_OPERATOR_ACTIVATION_SWISH, &desc, onnx_widen_half(call, a));
    return give(call, onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, a, onnx_widen_half(call, b)));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Gelu", 20, gelu},
    {ONNX_ML, "SwiGLU", 28, swiglu},
    {ONNX_MICROSOFT, "Gelu", 1, gelu},
    {ONNX_MICROSOFT, "FastGelu", 1, fast_gelu},
    {ONNX_MICROSOFT, "BiasGelu", 1, bias_gelu},
    {ONNX_MICROSOFT, "BiasSplitGelu", 1, bias_split_gelu},
    {ONNX_MICROSOFT, "BiasAdd", 1, bias_add},
};
ONNX_DEFINE_FAMILY(gelu, rows)
