/* Tensors made larger: padded, repeated, broadcast. */
#include <math.h>
#include <string.h>

#include "onnx/operators/move.h"
#include "onnx/plan_parts.h"

/* ---- Pad ---- */

struct padding {
    DML_PADDING_MODE mode;
    uint32_t start[ONNX_MAX_RANK], end[ONNX_MAX_RANK];     /* to add */
    uint32_t offsets[ONNX_MAX_RANK], sizes[ONNX_MAX_RANK]; /* what is taken before that */
    uint32_t padded[ONNX_MAX_RANK];
};

static bool find_mode(const struct onnx_call *call, DML_PADDING_MODE *mode) {
    static const struct {
        const char *name;
        DML_PADDING_MODE mode;
    } modes[] = {{"constant", DML_PADDING_MODE_CONSTANT},
                 {"edge", DML_PADDING_MODE_EDGE},
                 {"reflect", DML_PADDING_MODE_REFLECTION},
                 {"wrap", DML_PADDING_MODE_WRAP}};
    const char *name = onnx_text(call, "mode", "constant");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
        if (strcmp(modes[i].name, name) == 0) {
            *mode = modes[i].mode;
            return true;
        }
    }
    return onnx_refuse(call, "mode %s", name);
}

/* One axis; negative pads take elements away. */
static bool set_padding(const struct onnx_call *call, struct padding *padding, uint32_t axis, uint32_t size,
                        int64_t start, int64_t end) {
    const int64_t limit = INT32_MAX;
    if (start < -limit || start > limit || end < -limit || end > limit) {
        return onnx_refuse(call, "a pad beyond 32 bits");
    }
    const int64_t less = (start < 0 ? -start : 0) + (end < 0 ? -end : 0);
    const int64_t left = (int64_t)size - less;
    if (left < 0 || (int64_t)size + start + end > UINT32_MAX) {
        return onnx_refuse(call, "pads of %lld and %lld on a size of %u", (long long)start, (long long)end,
                           (unsigned)size);
    }
    padding->offsets[axis] = start < 0 ? (uint32_t)-start : 0;
    padding->sizes[axis] = (uint32_t)left;
    padding->start[axis] = start > 0 ? (uint32_t)start : 0;
    padding->end[axis] = end > 0 ? (uint32_t)end : 0;
    padding->padded[axis] = (uint32_t)left + padding->start[axis] + padding->end[axis];
    if (left == 0 && padding->padded[axis] != 0 && padding->mode != DML_PADDING_MODE_CONSTANT) {
        return onnx_refuse(call, "nothing to go on with");
    }
    return true;
}

/* Pads are an attribute to version 2, then an input; from version 18 on of some axes. */
static bool find_padding(const struct onnx_call *call, const struct onnx_tensor *input, struct padding *padding) {
    uint32_t count = 0, axis_count = input->rank;
    const int64_t *axes = NULL, *pads;
    if (!find_mode(call, &padding->mode)) {
        return false;
    }
    if (call->node->version < 11) {
        pads = onnx_ints(call, call->node->version < 2 ? "paddings" : "pads", &count);
        if (pads == NULL) {
            return onnx_refuse(call, "no pads");
        }
    } else {
        pads = onnx_host_ints(call, 1, &count);
        axes = onnx_input(call, 3) == NULL ? NULL : onnx_host_ints(call, 3, &axis_count);
        if (pads == NULL || (axes == NULL && onnx_input(call, 3) != NULL)) {
            return false;
        }
    }
    if (count != 2 * axis_count) {
        return onnx_refuse(call, "%u pads for %u axes", (unsigned)count, (unsigned)axis_count);
    }
    for (uint32_t d = 0; d < input->rank; ++d) {
        padding->sizes[d] = padding->padded[d] = input->sizes[d];
        padding->offsets[d] = padding->start[d] = padding->end[d] = 0;
    }
    for (uint32_t i = 0; i < axis_count; ++i) {
        uint32_t axis;
        if (!onnx_axis(call, axes == NULL ? i : axes[i], input->rank, &axis) ||
            !set_padding(call, padding, axis, input->sizes[axis], pads[i], pads[axis_count + i])) {
            return false;
        }
    }
    return true;
}

static struct onnx_tensor *find_value(const struct onnx_call *call, enum onnx_type type) {
    struct onnx_tensor *value = call->node->version < 11 ? NULL : onnx_input(call, 2);
    if (value == NULL) {
        const float number = onnx_float(call, "value", 0);
        return onnx_as_bits(
            call, onnx_number(call, type == ONNX_BOOL || type == ONNX_BFLOAT16 ? ONNX_UINT8 : type, (double)number));
    }
    if (value->type != type || onnx_count(value) != 1) {
        onnx_refuse(call, "a value that is no element of the data");
        return NULL;
    }
    return onnx_reshape(call, onnx_as_bits(call, value), 0, NULL);
}

/* A value that is not known is set where ones are padded with zeros. */
static struct onnx_tensor *pad_value(const struct onnx_call *call, struct onnx_tensor *bits,
                                     const struct padding *padding, struct onnx_tensor *value) {
    struct onnx_tensor *ones = onnx_fill(call, ONNX_BOOL, bits->rank, bits->sizes, 1);
    ones = onnx_pad_zeros(call, ones, padding->start, padding->end);
    return onnx_select(call, ones, onnx_pad_zeros(call, bits, padding->start, padding->end), value);
}

static struct onnx_tensor *pad_bits(const struct onnx_call *call, struct onnx_tensor *bits,
                                    const struct padding *padding, struct onnx_tensor *value) {
    if (padding->mode == DML_PADDING_MODE_CONSTANT && value->data == NULL) {
        return pad_value(call, bits, padding, value);
    }
    DML_PADDING1_OPERATOR_DESC desc = {.PaddingMode = padding->mode,
                                       .DimensionCount = bits->rank,
                                       .StartPadding = padding->start,
                                       .EndPadding = padding->end};
    desc.PaddingValueDataType = onnx_dml_type(bits->type);
    if (value != NULL && value->data != NULL) {
        memcpy(&desc.PaddingValue, value->data, onnx_bytes_of(value->type, 1));
    }
    return onnx_make(call, DML_OPERATOR_PADDING1, &desc, ONNX_TENSORS(bits));
}

static bool pad(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    struct padding padding;
    if (input == NULL || !find_padding(call, input, &padding)) {
        return false;
    }
    struct onnx_tensor *value = NULL;
    if (padding.mode == DML_PADDING_MODE_CONSTANT) {
        value = find_value(call, input->type);
        if (value == NULL) {
            return false;
        }
    }
    struct onnx_tensor *part = onnx_slice(call, input, padding.offsets, padding.sizes, NULL);
    struct onnx_tensor *bits = onnx_as_bits(call, part);
    if (bits == NULL) {
        return false;
    }
    if (memcmp(padding.padded, padding.sizes, input->rank * sizeof padding.sizes[0]) == 0) {
        return onnx_output(call, 0, part);
    }
    struct onnx_tensor *padded = NULL;
    if (onnx_is_empty(bits)) {
        padded = value == NULL ? onnx_declare(call, bits->type, bits->rank, padding.padded)
                               : onnx_broadcast(call, value, bits->rank, padding.padded);
    } else {
        padded = pad_bits(call, bits, &padding, value);
    }
    return onnx_output(call, 0, onnx_reinterpret(call, padded, input->type));
}

/* ---- Expand, Tile ---- */

static bool expand(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t count = 0, rank, sizes[ONNX_MAX_RANK];
    const int64_t *shape = input == NULL ? NULL : onnx_host_ints(call, 1, &count);
    if (shape == NULL) {
        return false;
    }
    struct onnx_tensor target = {.rank = count};
    for (uint32_t d = 0; d < count; ++d) {
        if (count > ONNX_MAX_RANK || shape[d] < 0 || shape[d] > UINT32_MAX) {
            return onnx_refuse(call, "a shape of more than 8 dimensions, or a negative size");
        }
        target.sizes[d] = (uint32_t)shape[d];
    }
    return onnx_broadcast_sizes(call, 2, (struct onnx_tensor *[]){input, &target}, &rank, sizes) &&
           onnx_output(call, 0, onnx_broadcast(call, input, rank, sizes));
}

static bool tile_by(const struct onnx_call *call, struct onnx_tensor *input, const uint32_t *repeats) {
    uint32_t sizes[ONNX_MAX_RANK];
    bool is_same = true;
    for (uint32_t d = 0; d < input->rank; ++d) {
        const uint64_t size = (uint64_t)input->sizes[d] * repeats[d];
        if (size > UINT32_MAX) {
            return onnx_refuse(call, "sizes beyond 32 bits");
        }
        sizes[d] = (uint32_t)size;
        is_same = is_same && repeats[d] == 1;
    }
    if (is_same) {
        return onnx_output(call, 0, input);
    }
    struct onnx_tensor *tiled = onnx_declare(call, input->type, input->rank, sizes);
    if (tiled == NULL || onnx_is_empty(tiled)) {
        return onnx_output(call, 0, tiled);
    }
    DML_TILE_OPERATOR_DESC desc = {.RepeatsCount = input->rank, .Repeats = repeats};
    struct onnx_tensor *bits = onnx_as_bits(call, input);
    tiled = onnx_make(call, DML_OPERATOR_TILE, &desc, ONNX_TENSORS(bits));
    return onnx_output(call, 0, onnx_reinterpret(call, tiled, input->type));
}

/* Version 1 has one axis, and how often, of the data's type; then all are said. */
static bool find_repeats(const struct onnx_call *call, const struct onnx_tensor *input, uint32_t *repeats) {
    uint32_t count = 0, axis_count = 0, axis = ONNX_NONE;
    const double *numbers = onnx_host_floats(call, 1, &count);
    if (numbers == NULL) {
        return false;
    }
    if (call->node->version < 6) {
        const double *axes = onnx_host_floats(call, 2, &axis_count);
        if (axes == NULL || axis_count != 1 || !(fabs(axes[0]) <= ONNX_MAX_RANK) ||
            !onnx_axis(call, (int64_t)axes[0], input->rank, &axis)) {
            return onnx_refuse(call, "no axis");
        }
    }
    if (count != (axis != ONNX_NONE ? 1 : input->rank)) {
        return onnx_refuse(call, "%u repeats of %u dimensions", (unsigned)count, (unsigned)input->rank);
    }
    for (uint32_t d = 0; d < input->rank; ++d) {
        const double number = axis == ONNX_NONE ? numbers[d] : d == axis ? numbers[0] : 1;
        if (!(number >= 0 && number <= UINT32_MAX)) {
            return onnx_refuse(call, "%.0f repeats", number);
        }
        repeats[d] = (uint32_t)number;
    }
    return true;
}

static bool tile(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t repeats[ONNX_MAX_RANK];
    return input != NULL && find_repeats(call, input, repeats) && tile_by(call, input, repeats);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Pad", 1, pad},
    {ONNX_ML, "Expand", 8, expand},
    {ONNX_ML, "Tile", 1, tile},
};
ONNX_DEFINE_FAMILY(pads, rows)
