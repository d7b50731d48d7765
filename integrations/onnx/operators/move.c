/* What operators that move data are made of. */
#include "onnx/operators/move.h"

#include <string.h>

void *onnx_move_scratch(const struct onnx_call *call, size_t count, size_t size) {
    void *memory = onnx_allocate(&call->plan->arena, count, size);
    if (memory == NULL) {
        onnx_memory_is_out(call);
    }
    return memory;
}

struct onnx_tensor *onnx_move_needed(const struct onnx_call *call, uint32_t index) {
    struct onnx_tensor *tensor = onnx_input(call, index);
    if (tensor == NULL) {
        onnx_refuse(call, "input %u is missing", (unsigned)index);
    }
    return tensor;
}

struct onnx_tensor *onnx_move_as_bits(const struct onnx_call *call, struct onnx_tensor *tensor) {
    if (tensor == NULL) {
        return NULL;
    }
    switch (tensor->type) {
    case ONNX_BOOL:
        return onnx_reinterpret(call, tensor, ONNX_UINT8);
    case ONNX_BFLOAT16:
        return onnx_reinterpret(call, tensor, ONNX_UINT16);
    case ONNX_DOUBLE: /* TILE has no FLOAT64 */
    case ONNX_COMPLEX64:
        return onnx_reinterpret(call, tensor, ONNX_UINT64);
    default:
        return tensor;
    }
}

struct onnx_tensor *onnx_move_as_three(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis) {
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

/* ---- slices ---- */

static bool is_all(const struct onnx_tensor *tensor, const uint32_t *offsets, const uint32_t *sizes,
                   const int32_t *steps) {
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        if (offsets[d] != 0 || sizes[d] != tensor->sizes[d] || (steps != NULL && sizes[d] > 1 && steps[d] != 1)) {
            return false;
        }
    }
    return true;
}

struct onnx_tensor *onnx_move_slice(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *offsets,
                                    const uint32_t *sizes, const int32_t *steps) {
    if (tensor == NULL || is_all(tensor, offsets, sizes, steps)) {
        return tensor;
    }
    struct onnx_tensor *result = onnx_declare(call, tensor->type, tensor->rank, sizes);
    if (result == NULL || onnx_is_empty(result)) {
        return result;
    }
    uint32_t starts[ONNX_MAX_RANK], windows[ONNX_MAX_RANK];
    int32_t strides[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        strides[d] = steps == NULL || sizes[d] == 1 ? 1 : steps[d];
        const uint32_t step = strides[d] < 0 ? 0 - (uint32_t)strides[d] : (uint32_t)strides[d];
        windows[d] = (sizes[d] - 1) * step + 1;
        starts[d] = strides[d] < 0 ? offsets[d] + 1 - windows[d] : offsets[d];
    }
    const DML_SLICE1_OPERATOR_DESC desc = {.DimensionCount = tensor->rank,
                                           .InputWindowOffsets = starts,
                                           .InputWindowSizes = windows,
                                           .InputWindowStrides = strides};
    DML_SLICE1_OPERATOR_DESC copy = desc;
    struct onnx_tensor *bits = onnx_move_as_bits(call, tensor);
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_SLICE1, &copy, ONNX_TENSORS(bits)), tensor->type);
}

struct onnx_tensor *onnx_move_part(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis,
                                   uint32_t offset, uint32_t size) {
    if (tensor == NULL) {
        return NULL;
    }
    uint32_t offsets[ONNX_MAX_RANK] = {0}, sizes[ONNX_MAX_RANK];
    memcpy(sizes, tensor->sizes, sizeof sizes);
    offsets[axis] = offset;
    sizes[axis] = size;
    return onnx_move_slice(call, tensor, offsets, sizes, NULL);
}

/* ---- joins ---- */

struct onnx_tensor *onnx_move_join(const struct onnx_call *call, uint32_t count, struct onnx_tensor *const *tensors,
                                   uint32_t axis) {
    struct onnx_tensor **kept = onnx_move_scratch(call, count, sizeof *kept);
    uint64_t total = 0;
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct onnx_tensor *tensor = tensors[i];
        if (kept == NULL || tensor == NULL) {
            return NULL;
        }
        bool fits = tensor->rank == tensors[0]->rank && tensor->type == tensors[0]->type;
        for (uint32_t d = 0; fits && d < tensor->rank; ++d) {
            fits = d == axis || tensor->sizes[d] == tensors[0]->sizes[d];
        }
        if (!fits) {
            onnx_refuse(call, "tensors that do not fit one behind the other");
            return NULL;
        }
        total += tensor->sizes[axis];
        if (!onnx_is_empty(tensor)) {
            kept[kept_count++] = onnx_move_as_bits(call, tensors[i]);
        }
    }
    if (kept_count == 0) {
        struct onnx_tensor sizes = *tensors[0];
        sizes.sizes[axis] = (uint32_t)total;
        return onnx_declare(call, sizes.type, sizes.rank, sizes.sizes);
    }
    if (kept_count == 1) {
        return onnx_reinterpret(call, kept[0], tensors[0]->type);
    }
    DML_JOIN_OPERATOR_DESC desc = {.InputCount = kept_count, .Axis = axis};
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_JOIN, &desc, kept_count, kept), tensors[0]->type);
}

/* ---- gathers ---- */

static struct onnx_tensor *gather_three(const struct onnx_call *call, struct onnx_tensor *tensor,
                                        struct onnx_tensor *indices, uint32_t axis) {
    const uint32_t count = (uint32_t)onnx_count(indices);
    struct onnx_tensor *data = onnx_move_as_three(call, onnx_move_as_bits(call, tensor), axis);
    indices = onnx_reshape(call, indices, 3, (uint32_t[]){1, 1, count});
    DML_GATHER_OPERATOR_DESC desc = {.Axis = 1, .IndexDimensions = 1};
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_GATHER, &desc, ONNX_TENSORS(data, indices)),
                            tensor->type);
}

struct onnx_tensor *onnx_move_gather(const struct onnx_call *call, struct onnx_tensor *tensor,
                                     struct onnx_tensor *indices, uint32_t axis) {
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

struct onnx_tensor *onnx_move_pick(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis,
                                   uint32_t count, const uint32_t *indices) {
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
        return onnx_move_slice(call, tensor, offsets, sizes, steps);
    }
    return onnx_move_gather(call, tensor, onnx_constant(call, ONNX_UINT32, 1, &count, indices), axis);
}

/* ---- others ---- */

struct onnx_tensor *onnx_move_pad_zero(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *start,
                                       const uint32_t *end) {
    if (tensor == NULL) {
        return NULL;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    bool is_none = true;
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        sizes[d] = tensor->sizes[d] + start[d] + end[d];
        is_none = is_none && sizes[d] == tensor->sizes[d];
    }
    if (is_none) {
        return tensor;
    }
    if (onnx_is_empty(tensor)) {
        return onnx_fill(call, tensor->type, tensor->rank, sizes, 0);
    }
    struct onnx_tensor *bits = onnx_move_as_bits(call, tensor);
    if (bits == NULL) {
        return NULL;
    }
    DML_PADDING_OPERATOR_DESC desc = {.DimensionCount = tensor->rank, .StartPadding = start, .EndPadding = end};
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_PADDING, &desc, ONNX_TENSORS(bits)), tensor->type);
}

struct onnx_tensor *onnx_move_select(const struct onnx_call *call, struct onnx_tensor *condition, struct onnx_tensor *a,
                                     struct onnx_tensor *b) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    if (condition == NULL || a == NULL || b == NULL ||
        !onnx_broadcast_sizes(call, 3, (struct onnx_tensor *[]){condition, a, b}, &rank, sizes)) {
        return NULL;
    }
    condition = onnx_move_as_bits(call, onnx_broadcast(call, condition, rank, sizes));
    struct onnx_tensor *first = onnx_move_as_bits(call, onnx_broadcast(call, a, rank, sizes));
    struct onnx_tensor *second = onnx_move_as_bits(call, onnx_broadcast(call, b, rank, sizes));
    if (condition == NULL || first == NULL || second == NULL || onnx_is_empty(first)) {
        return first;
    }
    struct onnx_tensor *result = onnx_declare(call, first->type, rank, sizes);
    DML_ELEMENT_WISE_IF_OPERATOR_DESC desc = {0};
    if (result == NULL ||
        !onnx_emit(call, DML_OPERATOR_ELEMENT_WISE_IF, &desc, ONNX_TENSORS(condition, first, second), 1, &result)) {
        return NULL;
    }
    return onnx_reinterpret(call, onnx_reshape(call, result, rank, sizes), a->type);
}

struct onnx_tensor *onnx_move_compare(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                      struct onnx_tensor *b) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    if (a == NULL || b == NULL || !onnx_broadcast_sizes(call, 2, (struct onnx_tensor *[]){a, b}, &rank, sizes)) {
        return NULL;
    }
    a = onnx_broadcast(call, a, rank, sizes);
    b = onnx_broadcast(call, b, rank, sizes);
    struct onnx_tensor *result = onnx_declare(call, ONNX_BOOL, rank, sizes);
    if (a == NULL || b == NULL || result == NULL || onnx_is_empty(result)) {
        return result;
    }
    DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC desc = {0};
    if (!onnx_emit(call, type, &desc, ONNX_TENSORS(a, b), 1, &result)) {
        return NULL;
    }
    return onnx_reinterpret(call, onnx_reshape(call, result, rank, sizes), ONNX_BOOL);
}

struct onnx_tensor *onnx_move_iota(const struct onnx_call *call, uint32_t count) {
    int64_t *numbers = onnx_move_scratch(call, count, sizeof *numbers);
    if (numbers == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; ++i) {
        numbers[i] = i;
    }
    return onnx_constant(call, ONNX_INT64, 1, &count, numbers);
}

struct onnx_tensor *onnx_move_from_start(const struct onnx_call *call, struct onnx_tensor *indices, uint32_t size) {
    indices = onnx_cast(call, indices, ONNX_INT64);
    struct onnx_tensor *is_negative =
        onnx_move_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, indices, onnx_number(call, ONNX_INT64, 0));
    struct onnx_tensor *moved =
        onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, indices, onnx_number(call, ONNX_INT64, (double)size));
    return onnx_move_select(call, is_negative, moved, indices);
}
