/* Operators that translations are put together from. */
#include "onnx/operators/composing.h"

struct onnx_tensor *onnx_product(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b,
                                 bool b_turned, float alpha, struct onnx_tensor *c) {
    if (a == NULL || b == NULL) {
        return NULL;
    }
    const uint32_t rank = a->rank;
    if (c != NULL) {
        uint32_t sizes[ONNX_MAX_RANK];
        for (uint32_t d = 0; d < rank; ++d) {
            sizes[d] = a->sizes[d];
        }
        sizes[rank - 1] = b->sizes[b_turned ? rank - 2 : rank - 1];
        c = onnx_broadcast(call, c, rank, sizes);
        if (c == NULL) {
            return NULL;
        }
    }
    DML_GEMM_OPERATOR_DESC desc = {.TransB = b_turned ? DML_MATRIX_TRANSFORM_TRANSPOSE : DML_MATRIX_TRANSFORM_NONE,
                                   .Alpha = alpha,
                                   .Beta = c == NULL ? 0.0F : 1.0F};
    return onnx_make(call, DML_OPERATOR_GEMM, &desc, ONNX_TENSORS(a, b, c));
}

struct onnx_tensor *onnx_softmax_rows(const struct onnx_call *call, struct onnx_tensor *tensor) {
    if (tensor == NULL) {
        return NULL;
    }
    const uint32_t axis = tensor->rank - 1;
    DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC desc = {.AxisCount = 1, .Axes = &axis};
    return onnx_make(call, DML_OPERATOR_ACTIVATION_SOFTMAX1, &desc, ONNX_TENSORS(tensor));
}

struct onnx_tensor *onnx_part(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis, uint32_t start,
                              uint32_t size, uint32_t stride) {
    if (tensor == NULL || (start == 0 && stride == 1 && size == tensor->sizes[axis])) {
        return tensor;
    }
    uint32_t offsets[ONNX_MAX_RANK] = {0}, windows[ONNX_MAX_RANK], sizes[ONNX_MAX_RANK];
    int32_t strides[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        sizes[d] = windows[d] = tensor->sizes[d];
        strides[d] = 1;
    }
    if (size == 0) {
        sizes[axis] = 0;
        return onnx_declare(call, tensor->type, tensor->rank, sizes);
    }
    offsets[axis] = start;
    windows[axis] = (size - 1) * stride + 1;
    strides[axis] = (int32_t)stride;
    DML_SLICE1_OPERATOR_DESC desc = {.DimensionCount = tensor->rank,
                                     .InputWindowOffsets = offsets,
                                     .InputWindowSizes = windows,
                                     .InputWindowStrides = strides};
    return onnx_make(call, DML_OPERATOR_SLICE1, &desc, ONNX_TENSORS(tensor));
}

/* Tensors of no elements. */
static struct onnx_tensor *join_nothing(const struct onnx_call *call, uint32_t count,
                                        struct onnx_tensor *const *tensors, uint32_t axis) {
    uint32_t sizes[ONNX_MAX_RANK] = {0};
    const struct onnx_tensor *any = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] != NULL) {
            for (uint32_t d = 0; d < tensors[i]->rank; ++d) {
                sizes[d] = tensors[i]->sizes[d] + (d == axis ? sizes[d] : 0);
            }
            any = tensors[i];
        }
    }
    return any == NULL ? NULL : onnx_declare(call, any->type, any->rank, sizes);
}

struct onnx_tensor *onnx_join(const struct onnx_call *call, uint32_t count, struct onnx_tensor *const *tensors,
                              uint32_t axis) {
    struct onnx_tensor *joined[64];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] == NULL && call->error->text[0] != 0) {
            return NULL;
        }
        if (tensors[i] != NULL && !onnx_is_empty(tensors[i])) {
            if (kept == sizeof joined / sizeof joined[0]) {
                onnx_refuse(call, "more than 64 tensors to join");
                return NULL;
            }
            joined[kept++] = tensors[i];
        }
    }
    if (kept == 0) {
        return join_nothing(call, count, tensors, axis);
    }
    if (kept == 1) {
        return joined[0];
    }
    DML_JOIN_OPERATOR_DESC desc = {.InputCount = kept, .Axis = axis};
    return onnx_make(call, DML_OPERATOR_JOIN, &desc, kept, joined);
}

struct onnx_tensor *onnx_pick(const struct onnx_call *call, struct onnx_tensor *condition, struct onnx_tensor *a,
                              struct onnx_tensor *b) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    if (condition == NULL || a == NULL || b == NULL ||
        !onnx_broadcast_sizes(call, 3, (struct onnx_tensor *[]){condition, a, b}, &rank, sizes)) {
        return NULL;
    }
    condition = onnx_broadcast(call, condition, rank, sizes);
    a = onnx_broadcast(call, a, rank, sizes);
    b = onnx_broadcast(call, b, rank, sizes);
    if (condition == NULL || a == NULL || b == NULL) {
        return NULL;
    }
    struct onnx_tensor *chosen = onnx_declare(call, a->type, rank, sizes);
    if (chosen == NULL || onnx_is_empty(chosen)) {
        return chosen;
    }
    DML_ELEMENT_WISE_IF_OPERATOR_DESC desc = {0};
    return onnx_emit(call, DML_OPERATOR_ELEMENT_WISE_IF, &desc, ONNX_TENSORS(condition, a, b), 1, &chosen)
               ? onnx_reshape(call, chosen, rank, sizes)
               : NULL;
}

struct onnx_tensor *onnx_holds(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                               struct onnx_tensor *b) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    if (a == NULL || b == NULL || !onnx_broadcast_sizes(call, 2, (struct onnx_tensor *[]){a, b}, &rank, sizes)) {
        return NULL;
    }
    a = onnx_broadcast(call, a, rank, sizes);
    b = onnx_broadcast(call, b, rank, sizes);
    struct onnx_tensor *truth = onnx_declare(call, ONNX_UINT8, rank, sizes);
    if (a == NULL || b == NULL || truth == NULL) {
        return NULL;
    }
    DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC desc = {0};
    if (!onnx_is_empty(truth) && !onnx_emit(call, type, &desc, ONNX_TENSORS(a, b), 1, &truth)) {
        return NULL;
    }
    return onnx_reinterpret(call, onnx_reshape(call, truth, rank, sizes), ONNX_BOOL);
}

struct onnx_tensor *onnx_map(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *tensor) {
    if (tensor == NULL || onnx_is_empty(tensor)) {
        return tensor;
    }
    DML_ELEMENT_WISE_TANH_OPERATOR_DESC desc = {0};
    return onnx_reshape(call, onnx_make(call, type, &desc, ONNX_TENSORS(tensor)), tensor->rank, tensor->sizes);
}

struct onnx_tensor *onnx_count_up(const struct onnx_call *call, enum onnx_type type, uint32_t rank, uint32_t axis,
                                  uint32_t count) {
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = d == axis ? count : 1;
    }
    struct onnx_tensor *numbers = onnx_declare(call, ONNX_INT32, rank, sizes);
    if (numbers == NULL || count == 0) {
        return numbers;
    }
    DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC desc = {.ValueDataType = DML_TENSOR_DATA_TYPE_INT32};
    desc.ValueDelta.Int32 = 1;
    return onnx_emit(call, DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, NULL, 1, &numbers)
               ? onnx_cast(call, numbers, type)
               : NULL;
}

struct onnx_tensor *onnx_clip(const struct onnx_call *call, struct onnx_tensor *tensor, float least, float greatest) {
    if (tensor == NULL || onnx_is_empty(tensor)) {
        return tensor;
    }
    DML_ELEMENT_WISE_CLIP_OPERATOR_DESC desc = {.Min = least, .Max = greatest};
    return onnx_reshape(call, onnx_make(call, DML_OPERATOR_ELEMENT_WISE_CLIP, &desc, ONNX_TENSORS(tensor)),
                        tensor->rank, tensor->sizes);
}

struct onnx_tensor *onnx_round(const struct onnx_call *call, struct onnx_tensor *tensor) {
    if (tensor == NULL || onnx_is_empty(tensor)) {
        return tensor;
    }
    DML_ELEMENT_WISE_ROUND_OPERATOR_DESC desc = {.RoundingMode = DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN};
    return onnx_reshape(call, onnx_make(call, DML_OPERATOR_ELEMENT_WISE_ROUND, &desc, ONNX_TENSORS(tensor)),
                        tensor->rank, tensor->sizes);
}

bool onnx_single(const struct onnx_call *call, struct onnx_tensor **tensor, uint32_t rank) {
    uint32_t ones[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < rank; ++d) {
        ones[d] = 1;
    }
    if (*tensor == NULL) {
        return true;
    }
    if (onnx_count(*tensor) != 1) {
        return onnx_refuse(call, "a scale or zero point that must be one number has %llu",
                           (unsigned long long)onnx_count(*tensor));
    }
    *tensor = onnx_reshape(call, *tensor, rank, ones);
    return *tensor != NULL;
}

bool onnx_is_wanted(const struct onnx_call *call, uint32_t index) {
    return index < call->output_count && call->wanted[index];
}
