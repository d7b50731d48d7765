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
    uint32_t rank = 0, sizes[ONNX_MAX_RANK];
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    const int64_t *shape = call->node->version < 5 ? onnx_ints(call, "shape", &rank) : onnx_host_ints(call, 1, &rank);
    if (shape == NULL && (call->node->version >= 5 || rank != 0)) {
        return onnx_refuse(call, "no shape");
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
    struct onnx_size_element sizes[ONNX_MAX_RANK];
    for (int64_t d = start; d < end; ++d) {
        sizes[d - start] = onnx_size_of(input, (uint32_t)d);
    }
    const uint32_t count = (uint32_t)(end - start);
    return onnx_output(call, 0, onnx_size_tensor(call, ONNX_INT64, 1, &count, sizes));
}

static bool size(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    const int64_t count = (int64_t)onnx_count(input);
    return onnx_output(call, 0, onnx_constant(call, ONNX_INT64, 0, NULL, &count));
}

/* A matrix: the sizes before the axis, and those from it on. */
static bool flatten(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    int64_t axis = onnx_int(call, "axis", 1);
    axis += axis < 0 ? input->rank : 0;
    if (axis < 0 || axis > input->rank) {
        return onnx_refuse(call, "axis %lld of %u dimensions", (long long)axis, (unsigned)input->rank);
    }
    uint64_t sizes[2] = {1, 1};
    for (uint32_t d = 0; d < input->rank; ++d) {
        sizes[d >= axis] *= input->sizes[d];
    }
    if (sizes[0] > UINT32_MAX || sizes[1] > UINT32_MAX) {
        return onnx_refuse(call, "sizes beyond 32 bits");
    }
    return onnx_output(call, 0, onnx_reshape(call, input, 2, (uint32_t[]){(uint32_t)sizes[0], (uint32_t)sizes[1]}));
}

/* Bits of axes, which are an attribute before version 13 and an input from then on. */
static bool find_axes(const struct onnx_call *call, uint32_t rank, bool *is_given, uint32_t *axes) {
    uint32_t count = 0;
    const int64_t *numbers = onnx_ints(call, "axes", &count);
    if (call->node->version >= 13) {
        numbers = onnx_input(call, 1) == NULL ? NULL : onnx_host_ints(call, 1, &count);
        if (numbers == NULL && onnx_input(call, 1) != NULL) {
            return false;
        }
    }
    *is_given = numbers != NULL;
    *axes = 0;
    for (uint32_t i = 0; numbers != NULL && i < count; ++i) {
        uint32_t axis;
        if (!onnx_axis(call, numbers[i], rank, &axis)) {
            return false;
        }
        if ((*axes >> axis & 1) != 0) {
            return onnx_refuse(call, "axis %u twice", (unsigned)axis);
        }
        *axes |= 1U << axis;
    }
    return true;
}

static bool squeeze(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    uint32_t axes, rank = 0, sizes[ONNX_MAX_RANK];
    bool is_given;
    if (input == NULL || !find_axes(call, input->rank, &is_given, &axes)) {
        return onnx_refuse(call, "no input");
    }
    for (uint32_t d = 0; d < input->rank; ++d) {
        const bool goes = is_given ? (axes >> d & 1) != 0 : input->sizes[d] == 1;
        if (goes && input->sizes[d] != 1) {
            return onnx_refuse(call, "axis %u has a size of %u", (unsigned)d, (unsigned)input->sizes[d]);
        }
        if (!goes) {
            sizes[rank++] = input->sizes[d];
        }
    }
    return onnx_output(call, 0, onnx_reshape(call, input, rank, sizes));
}

/* Axes are those of the result. */
static bool unsqueeze(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_input(call, 0);
    uint32_t axes, count = 0, sizes[ONNX_MAX_RANK], next = 0;
    bool is_given;
    if (input == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (call->node->version < 13) {
        onnx_ints(call, "axes", &count);
    } else if (onnx_host_ints(call, 1, &count) == NULL) {
        return false;
    }
    if (count > ONNX_MAX_RANK - input->rank) {
        return onnx_refuse(call, "more than 8 dimensions");
    }
    const uint32_t rank = input->rank + count;
    if (!find_axes(call, rank, &is_given, &axes)) {
        return false;
    }
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = (axes >> d & 1) != 0 ? 1 : input->sizes[next++];
    }
    return onnx_output(call, 0, onnx_reshape(call, input, rank, sizes));
}

/* Depth and blocks of pictures: {n, c, h, w} as six dimensions, reordered. Depth first ("DCR") or last ("CRD"). */
static bool move_blocks(const struct onnx_call *call, bool to_space) {
    struct onnx_tensor *input = onnx_input(call, 0);
    const int64_t block = onnx_int(call, "blocksize", 0);
    if (input == NULL || input->rank != 4 || block < 1 || block > 1 << 15) {
        return onnx_refuse(call, "no picture of 4 dimensions, or no blocks");
    }
    const char *mode = onnx_text(call, "mode", "DCR");
    const bool is_last = strcmp(mode, "CRD") == 0;
    if (!is_last && strcmp(mode, "DCR") != 0) {
        return onnx_refuse(call, "mode %s", mode);
    }
    const uint32_t b = (uint32_t)block, n = input->sizes[0], c = input->sizes[1], h = input->sizes[2],
                   w = input->sizes[3];
    if (to_space ? c % (b * b) != 0 : h % b != 0 || w % b != 0) {
        return onnx_refuse(call, "sizes that are no multiples of the block's");
    }
    if (to_space) {
        const uint32_t depth = c / (b * b);
        static const uint32_t orders[2][6] = {{0, 3, 4, 1, 5, 2}, {0, 1, 4, 2, 5, 3}};
        struct onnx_tensor *six = is_last ? onnx_reshape(call, input, 6, (uint32_t[]){n, depth, b, b, h, w})
                                          : onnx_reshape(call, input, 6, (uint32_t[]){n, b, b, depth, h, w});
        six = onnx_transpose(call, six, orders[is_last]);
        return onnx_output(call, 0, onnx_reshape(call, six, 4, (uint32_t[]){n, depth, h * b, w * b}));
    }
    static const uint32_t orders[2][6] = {{0, 3, 5, 1, 2, 4}, {0, 1, 3, 5, 2, 4}};
    struct onnx_tensor *six = onnx_reshape(call, input, 6, (uint32_t[]){n, c, h / b, b, w / b, b});
    six = onnx_transpose(call, six, orders[is_last]);
    return onnx_output(call, 0, onnx_reshape(call, six, 4, (uint32_t[]){n, c * b * b, h / b, w / b}));
}

static bool depth_to_space(const struct onnx_call *call) {
    return move_blocks(call, true);
}

static bool space_to_depth(const struct onnx_call *call) {
    return move_blocks(call, false);
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
    {ONNX_ML, "Identity", 1, identity},
    {ONNX_ML, "Transpose", 1, transpose},
    {ONNX_ML, "Reshape", 1, reshape},
    {ONNX_ML, "Shape", 1, shape},
    {ONNX_ML, "Constant", 1, constant},
    {ONNX_ML, "Size", 1, size},
    {ONNX_ML, "Flatten", 1, flatten},
    {ONNX_ML, "Squeeze", 1, squeeze},
    {ONNX_ML, "Unsqueeze", 1, unsqueeze},
    {ONNX_ML, "DepthToSpace", 1, depth_to_space},
    {ONNX_ML, "SpaceToDepth", 1, space_to_depth},
};
ONNX_DEFINE_FAMILY(shapes, rows)
