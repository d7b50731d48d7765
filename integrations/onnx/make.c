/* Tensors of numbers, and common operators, element by element. */
#include <string.h>

#include "onnx/plan_parts.h"

struct onnx_tensor *onnx_constant(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                  const uint32_t *sizes, const void *data) {
    if (!onnx_is_countable(rank, sizes)) {
        onnx_refuse(call, "a tensor of more than 2^32 - 1 elements");
        return NULL;
    }
    const size_t bytes = onnx_bytes_of(type, onnx_elements(rank, sizes));
    if (bytes > ONNX_SMALL_BYTES && (call->plan->host_bytes += bytes) > call->plan->host_limit) {
        onnx_refuse_with(call, VKDML_ERROR_LIMIT_EXCEEDED,
                         "tensors that are computed before the model runs take more than %llu bytes",
                         (unsigned long long)call->plan->host_limit);
        return NULL;
    }
    void *copy = bytes == SIZE_MAX ? NULL : onnx_allocate(&call->plan->arena, bytes + 4, 1);
    if (copy == NULL) {
        onnx_memory_is_out(call);
        return NULL;
    }
    if (bytes != 0) {
        memcpy(copy, data, bytes);
    }
    struct onnx_tensor *tensor = onnx_add_data(call->plan, type, rank, sizes, copy, bytes, 0);
    return tensor != NULL || onnx_memory_is_out(call) ? tensor : NULL;
}

struct onnx_tensor *onnx_number(const struct onnx_call *call, enum onnx_type type, double number) {
    if (type == ONNX_DOUBLE) {
        return onnx_constant(call, type, 0, NULL, &number);
    }
    if (type == ONNX_FLOAT || type == ONNX_FLOAT16) {
        const float value = (float)number;
        return onnx_cast(call, onnx_constant(call, ONNX_FLOAT, 0, NULL, &value), type);
    }
    const int64_t value = (int64_t)number;
    return onnx_cast(call, onnx_constant(call, ONNX_INT64, 0, NULL, &value), type);
}

struct onnx_tensor *onnx_fill(const struct onnx_call *call, enum onnx_type type, uint32_t rank, const uint32_t *sizes,
                              double number) {
    return onnx_broadcast(call, onnx_number(call, type, number), rank, sizes);
}

struct onnx_tensor *onnx_declare(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                 const uint32_t *sizes) {
    if (!onnx_is_countable(rank, sizes)) {
        onnx_refuse(call, "a tensor of more than 2^32 - 1 elements");
        return NULL;
    }
    struct onnx_tensor *tensor = onnx_add_tensor(call->plan, type, rank, sizes, ONNX_NONE);
    return tensor != NULL || onnx_memory_is_out(call) ? tensor : NULL;
}

/* ---- element by element ---- */

struct onnx_tensor *onnx_binary(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                struct onnx_tensor *b) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    if (a == NULL || b == NULL || !onnx_broadcast_sizes(call, 2, (struct onnx_tensor *[]){a, b}, &rank, sizes)) {
        return NULL;
    }
    a = onnx_broadcast(call, a, rank, sizes);
    b = onnx_broadcast(call, b, rank, sizes);
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (onnx_is_empty(a)) {
        return onnx_declare(call, a->type, rank, sizes);
    }
    struct onnx_tensor *both[] = {a, b};
    DML_ELEMENT_WISE_ADD_OPERATOR_DESC desc = {0};
    return onnx_align(call, 2, both) ? onnx_reshape(call, onnx_make(call, type, &desc, 2, both), rank, sizes) : NULL;
}

struct onnx_tensor *onnx_cast(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type) {
    if (tensor == NULL || tensor->type == type) {
        return tensor;
    }
    if (onnx_is_empty(tensor)) {
        return onnx_declare(call, type, tensor->rank, tensor->sizes);
    }
    DML_CAST_OPERATOR_DESC desc = {0};
    struct onnx_tensor *cast = onnx_declare(call, type, tensor->rank, tensor->sizes);
    return cast != NULL && onnx_emit(call, DML_OPERATOR_CAST, &desc, ONNX_TENSORS(tensor), 1, &cast)
               ? onnx_reshape(call, cast, tensor->rank, tensor->sizes)
               : NULL;
}
