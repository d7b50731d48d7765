/* Small operators that translations are made of. */
#include "onnx/operators/parts.h"

#include <string.h>

#include "onnx/plan_parts.h"

bool onnx_is_float(enum onnx_type type) {
    return type == ONNX_FLOAT || type == ONNX_FLOAT16;
}

bool onnx_is_unsigned(enum onnx_type type) {
    return type == ONNX_UINT8 || type == ONNX_UINT16 || type == ONNX_UINT32 || type == ONNX_UINT64;
}

bool onnx_is_integer(enum onnx_type type) {
    return onnx_is_unsigned(type) || type == ONNX_INT8 || type == ONNX_INT16 || type == ONNX_INT32 ||
           type == ONNX_INT64;
}

void *onnx_scratch(const struct onnx_call *call, size_t count, size_t size) {
    void *memory = onnx_allocate(&call->plan->arena, count, size);
    if (memory == NULL) {
        onnx_memory_is_out(call);
    }
    return memory;
}

void *onnx_table(const struct onnx_call *call, uint64_t count, size_t size) {
    const uint64_t most = call->plan->host_limit / 4;
    if (count > most / size) {
        onnx_refuse(call, "a table of %llu elements, which takes more than %llu bytes", (unsigned long long)count,
                    (unsigned long long)most);
        return NULL;
    }
    return onnx_scratch(call, (size_t)count, size);
}

bool onnx_is_wanted(const struct onnx_call *call, uint32_t index) {
    return index < call->output_count && call->wanted[index];
}

/* ---- element by element ---- */

struct onnx_tensor *onnx_apply(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc,
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
    struct onnx_tensor *aligned = tensor;
    struct onnx_tensor *made =
        onnx_align(call, 1, &aligned) ? onnx_make(call, type, desc, ONNX_TENSORS(aligned)) : NULL;
    return onnx_reinterpret(call, onnx_reshape(call, made, tensor->rank, tensor->sizes), tensor->type);
}

struct onnx_tensor *onnx_unary(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *tensor) {
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {0};
    return onnx_apply(call, type, &desc, tensor);
}

struct onnx_tensor *onnx_linear(const struct onnx_call *call, struct onnx_tensor *tensor, float scale, float bias) {
    const DML_SCALE_BIAS scale_bias = {scale, bias};
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {.ScaleBias = &scale_bias};
    return onnx_apply(call, DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, tensor);
}

struct onnx_tensor *onnx_clip(const struct onnx_call *call, struct onnx_tensor *tensor, float least, float greatest) {
    DML_ELEMENT_WISE_CLIP_OPERATOR_DESC desc = {.Min = least, .Max = greatest};
    return onnx_apply(call, DML_OPERATOR_ELEMENT_WISE_CLIP, &desc, tensor);
}

struct onnx_tensor *onnx_round(const struct onnx_call *call, struct onnx_tensor *tensor) {
    DML_ELEMENT_WISE_ROUND_OPERATOR_DESC desc = {.RoundingMode = DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN};
    return onnx_apply(call, DML_OPERATOR_ELEMENT_WISE_ROUND, &desc, tensor);
}

/* Up to three tensors, all of the sizes that they have together. */
static bool broadcast_all(const struct onnx_call *call, uint32_t count, struct onnx_tensor **tensors, uint32_t *rank,
                          uint32_t sizes[ONNX_MAX_RANK]) {
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] == NULL) {
            return false;
        }
    }
    bool is_done = onnx_broadcast_sizes(call, count, tensors, rank, sizes);
    for (uint32_t i = 0; i < count && is_done; ++i) {
        tensors[i] = onnx_broadcast(call, tensors[i], *rank, sizes);
        is_done = tensors[i] != NULL;
    }
    return is_done;
}

struct onnx_tensor *onnx_classify(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t count,
                                  struct onnx_tensor *const *inputs) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    struct onnx_tensor *all[2] = {inputs[0], inputs[count - 1]};
    if (!broadcast_all(call, count, all, &rank, sizes)) {
        return NULL;
    }
    struct onnx_tensor *made = onnx_declare(call, ONNX_BOOL, rank, sizes);
    if (made == NULL || onnx_is_empty(made)) {
        return made;
    }
    return onnx_emit(call, type, desc, count, all, 1, &made) ? onnx_reshape(call, made, rank, sizes) : NULL;
}

struct onnx_tensor *onnx_compare(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                 struct onnx_tensor *b) {
    DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC desc = {0};
    return onnx_classify(call, type, &desc, ONNX_TENSORS(a, b));
}

struct onnx_tensor *onnx_select(const struct onnx_call *call, struct onnx_tensor *condition, struct onnx_tensor *a,
                                struct onnx_tensor *b) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    struct onnx_tensor *all[] = {condition, onnx_as_bits(call, a), onnx_as_bits(call, b)};
    if (!broadcast_all(call, 3, all, &rank, sizes)) {
        return NULL;
    }
    if (a->type != b->type) {
        onnx_refuse_type(call, "values of %s and %s", onnx_type_name(a->type), onnx_type_name(b->type));
        return NULL;
    }
    struct onnx_tensor *chosen = onnx_declare(call, all[1]->type, rank, sizes);
    DML_ELEMENT_WISE_IF_OPERATOR_DESC desc = {0};
    if (chosen == NULL ||
        (!onnx_is_empty(chosen) && !onnx_emit(call, DML_OPERATOR_ELEMENT_WISE_IF, &desc, 3, all, 1, &chosen))) {
        return NULL;
    }
    return onnx_reinterpret(call, onnx_reshape(call, chosen, rank, sizes), a->type);
}

struct onnx_tensor *onnx_iota(const struct onnx_call *call, enum onnx_type type, uint32_t rank, uint32_t axis,
                              uint32_t count) {
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = d == axis ? count : 1;
    }
    struct onnx_tensor *numbers = onnx_declare(call, ONNX_INT32, rank, sizes);
    DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC desc = {.ValueDataType = DML_TENSOR_DATA_TYPE_INT32};
    desc.ValueDelta.Int32 = 1;
    if (numbers == NULL ||
        (count != 0 && !onnx_emit(call, DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, NULL, 1, &numbers))) {
        return NULL;
    }
    return onnx_cast(call, numbers, type);
}

struct onnx_tensor *onnx_sequence(const struct onnx_call *call, uint32_t count, int64_t start, int64_t delta) {
    struct onnx_tensor *numbers = onnx_declare(call, ONNX_INT64, 1, &count);
    DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC desc = {.ValueDataType = DML_TENSOR_DATA_TYPE_INT64};
    desc.ValueStart.Int64 = start;
    desc.ValueDelta.Int64 = delta;
    return numbers != NULL &&
                   (count == 0 || onnx_emit(call, DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, NULL, 1, &numbers))
               ? numbers
               : NULL;
}

/* ---- what moves elements ---- */

static bool is_all(const struct onnx_tensor *tensor, const uint32_t *offsets, const uint32_t *sizes,
                   const int32_t *steps) {
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        if (offsets[d] != 0 || sizes[d] != tensor->sizes[d] || (steps != NULL && sizes[d] > 1 && steps[d] != 1)) {
            return false;
        }
    }
    return true;
}

struct onnx_tensor *onnx_slice(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *offsets,
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
    DML_SLICE1_OPERATOR_DESC desc = {.DimensionCount = tensor->rank,
                                     .InputWindowOffsets = starts,
                                     .InputWindowSizes = windows,
                                     .InputWindowStrides = strides};
    struct onnx_tensor *bits = onnx_as_bits(call, tensor);
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_SLICE1, &desc, ONNX_TENSORS(bits)), tensor->type);
}

struct onnx_tensor *onnx_slice_axis(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis,
                                    uint32_t offset, uint32_t size, int32_t step) {
    if (tensor == NULL) {
        return NULL;
    }
    uint32_t offsets[ONNX_MAX_RANK] = {0}, sizes[ONNX_MAX_RANK];
    int32_t steps[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        sizes[d] = d == axis ? size : tensor->sizes[d];
        steps[d] = d == axis ? step : 1;
    }
    offsets[axis] = offset;
    return onnx_slice(call, tensor, offsets, sizes, steps);
}

static bool fits_behind(const struct onnx_tensor *first, const struct onnx_tensor *tensor, uint32_t axis) {
    bool fits = tensor->rank == first->rank && tensor->type == first->type;
    for (uint32_t d = 0; fits && d < tensor->rank; ++d) {
        fits = d == axis || tensor->sizes[d] == first->sizes[d];
    }
    return fits;
}

struct onnx_tensor *onnx_join(const struct onnx_call *call, uint32_t count, struct onnx_tensor *const *tensors,
                              uint32_t axis) {
    struct onnx_tensor **kept = onnx_scratch(call, count, sizeof *kept);
    const struct onnx_tensor *first = NULL;
    uint64_t total = 0;
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (kept == NULL || (tensors[i] == NULL && call->error->text[0] != 0)) {
            return NULL;
        }
        if (tensors[i] == NULL) {
            continue;
        }
        first = first == NULL ? tensors[i] : first;
        if (!fits_behind(first, tensors[i], axis)) {
            onnx_refuse(call, "tensors that do not fit one behind the other");
            return NULL;
        }
        total += tensors[i]->sizes[axis];
        if (!onnx_is_empty(tensors[i])) {
            kept[kept_count++] = onnx_as_bits(call, tensors[i]);
        }
    }
    if (kept_count == 0) {
        struct onnx_tensor sizes = first == NULL ? (struct onnx_tensor){0} : *first;
        sizes.sizes[axis] = (uint32_t)total;
        return first == NULL ? NULL : onnx_declare(call, sizes.type, sizes.rank, sizes.sizes);
    }
    if (kept_count == 1) {
        return onnx_reinterpret(call, kept[0], first->type);
    }
    DML_JOIN_OPERATOR_DESC desc = {.InputCount = kept_count, .Axis = axis};
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_JOIN, &desc, kept_count, kept), first->type);
}

struct onnx_tensor *onnx_pad_zeros(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *start,
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
    struct onnx_tensor *bits = onnx_as_bits(call, tensor);
    DML_PADDING_OPERATOR_DESC desc = {.DimensionCount = tensor->rank, .StartPadding = start, .EndPadding = end};
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_PADDING, &desc, ONNX_TENSORS(bits)), tensor->type);
}

/* ---- along axes ---- */

struct onnx_tensor *onnx_reduce(const struct onnx_call *call, DML_REDUCE_FUNCTION function, struct onnx_tensor *tensor,
                                uint32_t count, const uint32_t *axes) {
    if (tensor == NULL) {
        return NULL;
    }
    DML_REDUCE_OPERATOR_DESC desc = {.Function = function, .AxisCount = count, .Axes = axes};
    return onnx_reinterpret(call, onnx_make(call, DML_OPERATOR_REDUCE, &desc, ONNX_TENSORS(tensor)), tensor->type);
}

struct onnx_tensor *onnx_softmax(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *tensor,
                                 uint32_t count, const uint32_t *axes) {
    DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC desc = {.AxisCount = count, .Axes = axes};
    return tensor == NULL ? NULL : onnx_make(call, type, &desc, ONNX_TENSORS(tensor));
}

struct onnx_tensor *onnx_gemm(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b, bool b_turned,
                              float alpha, struct onnx_tensor *c) {
    if (a == NULL || b == NULL) {
        return NULL;
    }
    const uint32_t rank = a->rank;
    if (c != NULL) {
        uint32_t sizes[ONNX_MAX_RANK];
        memcpy(sizes, a->sizes, sizeof sizes);
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
