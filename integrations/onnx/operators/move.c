/* What operators that move data are made of. */
#include "onnx/operators/move.h"

struct onnx_tensor *onnx_needed(const struct onnx_call *call, uint32_t index) {
    struct onnx_tensor *tensor = onnx_input(call, index);
    if (tensor == NULL) {
        onnx_refuse(call, "input %u is missing", (unsigned)index);
    }
    return tensor;
}

struct onnx_tensor *onnx_as_three(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis) {
    if (tensor == NULL) {
        return NULL;
    }
    uint64_t sizes[3] = {1, 1, 1};
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        sizes[d < axis ? 0 : d == axis ? 1 : 2] *= tensor->sizes[d];
    }
    if (sizes[0] > UINT32_MAX || sizes[2] > UINT32_MAX) {
        onnx_refuse(call, "sizes beyond 32 bits");
        return NULL;
    }
    return onnx_reshape(call, tensor, 3, (uint32_t[]){(uint32_t)sizes[0], (uint32_t)sizes[1], (uint32_t)sizes[2]});
}

static struct onnx_tensor *gather_three(const struct onnx_call *call, struct onnx_tensor *tensor,
                                        struct onnx_tensor *indices, uint32_t axis) {
    const uint32_t count = (uint32_t)onnx_count(indices);
    struct onnx_tensor *data = onnx_as_three(call, onnx_as_bits(call, tensor), axis);
    indices = onnx_reshape(call, indices, 3, (uint32_t[]){1, 1, count});
    DML_GATHER_OPERATOR_DESC desc = {.Axis = 1, .IndexDimensions = 1};
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_GATHER, &desc, ONNX_TENSORS(data, indices)),
                            tensor->type);
}

struct onnx_tensor *onnx_gather(const struct onnx_call *call, struct onnx_tensor *tensor, struct onnx_tensor *indices,
                                uint32_t axis) {
    if (tensor == NULL || indices == NULL) {
        return NULL;
    }
    if (tensor->rank - 1 + indices->rank > ONNX_MAX_RANK) {
        onnx_refuse(call, "more than 8 dimensions");
        return NULL;
    }
    uint32_t sizes[2 * ONNX_MAX_RANK], rank = 0;
    uint64_t count = 1;
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        for (uint32_t i = 0; d == axis && i < indices->rank; ++i) {
            sizes[rank++] = indices->sizes[i];
        }
        if (d != axis) {
            sizes[rank++] = tensor->sizes[d];
        }
    }
    for (uint32_t d = 0; d < rank; ++d) {
        count *= sizes[d];
    }
    if (count == 0) {
        return onnx_declare(call, tensor->type, rank, sizes);
    }
    return onnx_reshape(call, gather_three(call, tensor, indices, axis), rank, sizes);
}

struct onnx_tensor *onnx_take(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis, uint32_t count,
                              const uint32_t *indices) {
    if (tensor == NULL) {
        return NULL;
    }
    int64_t step = count < 2 ? 1 : (int64_t)indices[1] - (int64_t)indices[0];
    bool is_even = step != 0 && step >= INT32_MIN && step <= INT32_MAX;
    for (uint32_t i = 1; i < count; ++i) {
        is_even = is_even && (int64_t)indices[i] - (int64_t)indices[i - 1] == step;
    }
    if (count == 0 || is_even) {
        uint32_t offsets[ONNX_MAX_RANK] = {0}, sizes[ONNX_MAX_RANK];
        int32_t steps[ONNX_MAX_RANK];
        for (uint32_t d = 0; d < tensor->rank; ++d) {
            sizes[d] = d == axis ? count : tensor->sizes[d];
            steps[d] = d == axis ? (int32_t)step : 1;
        }
        offsets[axis] = count == 0 ? 0 : indices[0];
        return onnx_slice(call, tensor, offsets, sizes, steps);
    }
    return onnx_gather(call, tensor, onnx_constant(call, ONNX_UINT32, 1, &count, indices), axis);
}

struct onnx_tensor *onnx_from_start(const struct onnx_call *call, struct onnx_tensor *indices, uint32_t size) {
    indices = onnx_cast(call, indices, ONNX_INT64);
    struct onnx_tensor *is_negative =
        onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, indices, onnx_number(call, ONNX_INT64, 0));
    struct onnx_tensor *moved =
        onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, indices, onnx_number(call, ONNX_INT64, (double)size));
    return onnx_select(call, is_negative, moved, indices);
}
