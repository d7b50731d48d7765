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

bool onnx_each_operands(const struct onnx_call *call, struct onnx_tensor **a, struct onnx_tensor **b) {
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

struct onnx_tensor *onnx_each_apply(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc,
                                    struct onnx_tensor *tensor) {
    if (tensor == NULL) {
        if (call->error->text[0] == 0) {
            onnx_refuse(call, "no input");
        }
        return NULL;
    }
    if (onnx_is_empty(tensor)) {
        return tensor;
    }
    struct onnx_tensor *made = onnx_make(call, type, desc, ONNX_TENSORS(tensor));
    return onnx_reinterpret(call, onnx_reshape(call, made, tensor->rank, tensor->sizes), tensor->type);
}

struct onnx_tensor *onnx_each_unary(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *tensor) {
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {0};
    return onnx_each_apply(call, type, &desc, tensor);
}

struct onnx_tensor *onnx_each_by_number(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                        double number) {
    return a == NULL ? NULL : onnx_binary(call, type, a, onnx_number(call, a->type, number));
}

struct onnx_tensor *onnx_each_classify(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t count,
                                       struct onnx_tensor *const *inputs) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    struct onnx_tensor *all[2] = {NULL};
    for (uint32_t i = 0; i < count; ++i) {
        all[i] = inputs[i];
        if (all[i] == NULL) {
            return NULL;
        }
    }
    if (!onnx_broadcast_sizes(call, count, all, &rank, sizes)) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; ++i) {
        all[i] = onnx_broadcast(call, all[i], rank, sizes);
        if (all[i] == NULL) {
            return NULL;
        }
    }
    if (onnx_is_empty(all[0])) {
        return onnx_declare(call, ONNX_BOOL, rank, sizes);
    }
    struct onnx_tensor *made = onnx_declare(call, ONNX_BOOL, rank, sizes);
    if (made == NULL || !onnx_emit(call, type, desc, count, all, 1, &made)) {
        return NULL;
    }
    return onnx_reshape(call, made, rank, sizes);
}

struct onnx_tensor *onnx_each_compare(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                      struct onnx_tensor *b) {
    DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC desc = {0};
    return onnx_each_classify(call, type, &desc, ONNX_TENSORS(a, b));
}

struct onnx_tensor *onnx_each_linear(const struct onnx_call *call, struct onnx_tensor *tensor, float alpha,
                                     float beta) {
    DML_ACTIVATION_LINEAR_OPERATOR_DESC desc = {.Alpha = alpha, .Beta = beta};
    return onnx_each_apply(call, DML_OPERATOR_ACTIVATION_LINEAR, &desc, tensor);
}

struct onnx_tensor *onnx_each_select(const struct onnx_call *call, struct onnx_tensor *condition, struct onnx_tensor *a,
                                     struct onnx_tensor *b) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    struct onnx_tensor *all[] = {condition, a, b};
    if (condition == NULL || a == NULL || b == NULL || !onnx_broadcast_sizes(call, 3, all, &rank, sizes)) {
        return NULL;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        all[i] = onnx_broadcast(call, all[i], rank, sizes);
        if (all[i] == NULL) {
            return NULL;
        }
    }
    if (onnx_is_empty(all[1])) {
        return all[1];
    }
    DML_ELEMENT_WISE_IF_OPERATOR_DESC desc = {0};
    struct onnx_tensor *made = onnx_make(call, DML_OPERATOR_ELEMENT_WISE_IF, &desc, 3, all);
    return onnx_reinterpret(call, onnx_reshape(call, made, rank, sizes), a->type);
}

struct onnx_tensor *onnx_each_widen(const struct onnx_call *call, struct onnx_tensor *tensor) {
    return tensor != NULL && tensor->type == ONNX_FLOAT16 ? onnx_cast(call, tensor, ONNX_FLOAT) : tensor;
}

struct onnx_tensor *onnx_each_bits(const struct onnx_call *call, uint64_t bits) {
    return onnx_constant(call, ONNX_UINT64, 0, NULL, &bits);
}

bool onnx_each_is_unsigned(enum onnx_type type) {
    return type == ONNX_UINT8 || type == ONNX_UINT16 || type == ONNX_UINT32 || type == ONNX_UINT64;
}

bool onnx_each_is_integer(enum onnx_type type) {
    return onnx_each_is_unsigned(type) || type == ONNX_INT8 || type == ONNX_INT16 || type == ONNX_INT32 ||
           type == ONNX_INT64;
}
