/* What translations of operators that go element by element share. */
#include "onnx/operators/element_wise.h"

#include <string.h>

/* Before version 7 the second operand has the first's sizes, or, where broadcast says so, one element or a run of the
 * first's sizes, from axis on or at its end. */
static struct onnx_tensor *lay_along(const struct onnx_call *call, const struct onnx_tensor *a, struct onnx_tensor *b) {
    if (onnx_int(call, "broadcast", 0) == 0) {
        if (a->rank != b->rank || memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes) != 0) {
            onnx_refuse(call, "operands of other sizes without broadcast");
            return NULL;
        }
        return b;
    }
    if (onnx_count(b) == 1) {
        return onnx_broadcast(call, onnx_reshape(call, b, 0, NULL), a->rank, a->sizes);
    }
    const struct onnx_attribute *attribute = onnx_attribute(call, "axis", ONNX_ATTRIBUTE_INT);
    if (attribute != NULL) {
        uint32_t axis, sizes[ONNX_MAX_RANK];
        if (!onnx_axis(call, attribute->ints[0], a->rank, &axis)) {
            return NULL;
        }
        if (axis + b->rank > a->rank) {
            onnx_refuse(call, "an operand that ends behind the other");
            return NULL;
        }
        for (uint32_t d = 0; d < a->rank - axis; ++d) {
            sizes[d] = d < b->rank ? b->sizes[d] : 1;
        }
        b = onnx_reshape(call, b, a->rank - axis, sizes);
    }
    return onnx_broadcast(call, b, a->rank, a->sizes);
}

bool onnx_operands(const struct onnx_call *call, struct onnx_tensor **a, struct onnx_tensor **b) {
    *a = onnx_input(call, 0);
    *b = onnx_input(call, 1);
    if (*a == NULL || *b == NULL) {
        return onnx_refuse(call, "an operand is missing");
    }
    if (call->node->version < 7) {
        *b = lay_along(call, *a, *b);
    }
    return *b != NULL;
}

struct onnx_tensor *onnx_binary_number(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                       double number) {
    return a == NULL ? NULL : onnx_binary(call, type, a, onnx_number(call, a->type, number));
}

struct onnx_tensor *onnx_widen_half(const struct onnx_call *call, struct onnx_tensor *tensor) {
    return tensor != NULL && tensor->type == ONNX_FLOAT16 ? onnx_cast(call, tensor, ONNX_FLOAT) : tensor;
}

struct onnx_tensor *onnx_bits(const struct onnx_call *call, uint64_t bits) {
    return onnx_constant(call, ONNX_UINT64, 0, NULL, &bits);
}
