/* Operators that only say how elements are looked at, and constants. */
#include <string.h>

#include "onnx/operators.h"

static bool identity(const struct onnx_call *call) {
    return onnx_output(call, 0, onnx_input(call, 0));
}

static bool transpose(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    uint32_t count, order[ONNX_MAX_RANK], seen = 0;
    const int64_t *perm = onnx_ints(call, "perm", &count);
    for (uint32_t d = 0; d < input->rank; ++d) {
        order[d] = input->rank - 1 - d;
        if (perm != NULL && (count != input->rank || !onnx_axis(call, perm[d], input->rank, &order[d]))) {
            return onnx_refuse(call, "perm is no permutation");
        }
        seen |= 1U << order[d];
    }
    if (seen != (1U << input->rank) - 1) {
        return onnx_refuse(call, "perm is no permutation");
    }
    return onnx_output(call, 0, onnx_transpose(call, onnx_input(call, 0), order));
}

/* Version 5 on: the shape is an input. 0 is the input's size, but with allowzero, and -1 what is left. */
static bool reshape(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    uint32_t rank, sizes[ONNX_MAX_RANK];
    const int64_t *shape = input == NULL ? NULL : onnx_host_ints(call, 1, &rank);
    if (shape == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (rank > ONNX_MAX_RANK) {
        return onnx_refuse(call, "more than 8 dimensions");
    }
    const bool allows_zero = onnx_int(call, "allowzero", 0) != 0;
    const uint64_t count = onnx_count(input);
    uint64_t known = 1;
    uint32_t rest = ONNX_NONE;
    for (uint32_t d = 0; d < rank; ++d) {
        int64_t size = shape[d];
        if (size == 0 && !allows_zero) {
            size = d < input->rank ? input->sizes[d] : 1;
        }
        if (size == -1 && rest == ONNX_NONE) {
            rest = d;
            size = 1;
        }
        if (size < 0 || size > UINT32_MAX) {
            return onnx_refuse(call, "a size of %lld", (long long)shape[d]);
        }
        sizes[d] = (uint32_t)size;
        known *= (uint64_t)size;
    }
    if (rest != ONNX_NONE) {
        if (known == 0 || count % known != 0 || count / known > UINT32_MAX) {
            return onnx_refuse(call, "sizes that do not divide the number of elements");
        }
        sizes[rest] = (uint32_t)(count / known);
    }
    return onnx_output(call, 0, onnx_reshape(call, input, rank, sizes));
}

/* From version 15 on a part of the sizes. */
static bool shape(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    const int64_t rank = input->rank;
    int64_t start = onnx_int(call, "start", 0), end = onnx_int(call, "end", rank);
    start += start < 0 ? rank : 0;
    end += end < 0 ? rank : 0;
    start = start < 0 ? 0 : start > rank ? rank : start;
    end = end < start ? start : end > rank ? rank : end;
    int64_t sizes[ONNX_MAX_RANK] = {0};
    for (int64_t d = start; d < end; ++d) {
        sizes[d - start] = input->sizes[d];
    }
    const uint32_t count = (uint32_t)(end - start);
    return onnx_output(call, 0, onnx_constant(call, ONNX_INT64, 1, &count, sizes));
}

static bool constant(const struct onnx_call *call) {
    const struct onnx_attribute *value = onnx_attribute(call, "value", ONNX_ATTRIBUTE_TENSOR);
    if (value != NULL) {
        const struct onnx_data *data = &value->tensor;
        return onnx_output(call, 0, onnx_constant(call, data->type, data->rank, data->sizes, data->data));
    }
    static const struct {
        const char *name;
        enum onnx_attribute_kind kind;
        enum onnx_type type;
        uint32_t rank;
    } forms[] = {{"value_float", ONNX_ATTRIBUTE_FLOAT, ONNX_FLOAT, 0},
                 {"value_floats", ONNX_ATTRIBUTE_FLOATS, ONNX_FLOAT, 1},
                 {"value_int", ONNX_ATTRIBUTE_INT, ONNX_INT64, 0},
                 {"value_ints", ONNX_ATTRIBUTE_INTS, ONNX_INT64, 1}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        value = onnx_attribute(call, forms[i].name, forms[i].kind);
        if (value != NULL) {
            const uint32_t count = (uint32_t)value->count;
            const void *data = forms[i].type == ONNX_FLOAT ? (const void *)value->floats : (const void *)value->ints;
            return onnx_output(call, 0, onnx_constant(call, forms[i].type, forms[i].rank, &count, data));
        }
    }
    return onnx_refuse(call, "a constant that is no tensor of numbers");
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Identity", 1, identity}, {ONNX_ML, "Transpose", 1, transpose}, {ONNX_ML, "Reshape", 5, reshape},
    {ONNX_ML, "Shape", 1, shape},       {ONNX_ML, "Constant", 1, constant},
};
ONNX_DEFINE_FAMILY(shapes, rows)
