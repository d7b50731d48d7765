/* Order along an axis: the greatest first, running sums, sequences backwards; and blocks put together. */
#include <string.h>

#include "onnx/operators/move.h"

/* ---- TopK ---- */

static bool find_k(const struct onnx_call *call, int64_t *k) {
    if (call->node->version < 10) {
        *k = onnx_int(call, "k", -1);
        return true;
    }
    uint32_t count = 0;
    const int64_t *number = onnx_host_ints(call, 1, &count);
    if (number == NULL || count != 1) {
        return onnx_refuse(call, "K is no number");
    }
    *k = number[0];
    return true;
}

static bool top_k(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t axis;
    int64_t k = 0;
    if (input == NULL || !onnx_axis(call, onnx_int(call, "axis", -1), input->rank, &axis) || !find_k(call, &k)) {
        return false;
    }
    if (k < 0 || k > input->sizes[axis]) {
        return onnx_refuse(call, "%lld of %u elements", (long long)k, (unsigned)input->sizes[axis]);
    }
    struct onnx_tensor sizes = *input;
    sizes.sizes[axis] = (uint32_t)k;
    struct onnx_tensor *made[2] = {onnx_declare(call, input->type, input->rank, sizes.sizes),
                                   onnx_declare(call, ONNX_UINT64, input->rank, sizes.sizes)};
    if (made[0] == NULL || made[1] == NULL) {
        return false;
    }
    if (!onnx_is_empty(made[0])) {
        DML_TOP_K1_OPERATOR_DESC desc = {.Axis = axis,
                                         .K = (uint32_t)k,
                                         .AxisDirection = onnx_int(call, "largest", 1) != 0
                                                              ? DML_AXIS_DIRECTION_DECREASING
                                                              : DML_AXIS_DIRECTION_INCREASING};
        if (!onnx_emit(call, DML_OPERATOR_TOP_K1, &desc, ONNX_TENSORS(input), 2, made)) {
            return false;
        }
    }
    return onnx_output(call, 0, made[0]) && onnx_output(call, 1, onnx_reinterpret(call, made[1], ONNX_INT64));
}

/* ---- CumSum, CumProd ---- */

/* Along an axis that is an input; DirectML has no FLOAT64 here. */
static bool cumulate(const struct onnx_call *call, DML_OPERATOR_TYPE type) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t count = 0, axis;
    const int64_t *number = input == NULL ? NULL : onnx_host_ints(call, 1, &count);
    if (number == NULL) {
        return false;
    }
    if (count != 1 || !onnx_axis(call, number[0], input->rank, &axis)) {
        return onnx_refuse(call, "no axis");
    }
    if (onnx_is_empty(input)) {
        return onnx_output(call, 0, input);
    }
    DML_CUMULATIVE_SUMMATION_OPERATOR_DESC desc = {.Axis = axis,
                                                   .AxisDirection = onnx_int(call, "reverse", 0) != 0
                                                                        ? DML_AXIS_DIRECTION_DECREASING
                                                                        : DML_AXIS_DIRECTION_INCREASING,
                                                   .HasExclusiveSum = onnx_int(call, "exclusive", 0) != 0};
    return onnx_output(call, 0, onnx_make(call, type, &desc, ONNX_TENSORS(input)));
}

static bool cumulative_sum(const struct onnx_call *call) {
    return cumulate(call, DML_OPERATOR_CUMULATIVE_SUMMATION);
}

static bool cumulative_product(const struct onnx_call *call) {
    return cumulate(call, DML_OPERATOR_CUMULATIVE_PRODUCT);
}

/* ---- ReverseSequence ---- */

static bool reverse_sequence(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0), *lengths = onnx_needed(call, 1);
    uint32_t time, batch, sizes[ONNX_MAX_RANK];
    if (input == NULL || lengths == NULL || !onnx_axis(call, onnx_int(call, "time_axis", 0), input->rank, &time) ||
        !onnx_axis(call, onnx_int(call, "batch_axis", 1), input->rank, &batch)) {
        return false;
    }
    if (time == batch || onnx_count(lengths) != input->sizes[batch] || lengths->type != ONNX_INT64) {
        return onnx_refuse(call, "lengths that do not fit the data");
    }
    if (onnx_is_empty(input)) {
        return onnx_output(call, 0, input);
    }
    for (uint32_t d = 0; d < input->rank; ++d) {
        sizes[d] = d == batch ? input->sizes[d] : 1;
    }
    lengths = onnx_reshape(call, onnx_reinterpret(call, lengths, ONNX_UINT64), input->rank, sizes);
    memcpy(sizes, input->sizes, sizeof sizes);
    sizes[time] = 1;
    lengths = onnx_broadcast(call, lengths, input->rank, sizes);
    struct onnx_tensor *bits = onnx_as_bits(call, input);
    DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC desc = {.Axis = time};
    struct onnx_tensor *made = onnx_make(call, DML_OPERATOR_REVERSE_SUBSEQUENCES, &desc, ONNX_TENSORS(bits, lengths));
    return onnx_output(call, 0, onnx_reinterpret(call, made, input->type));
}

/* ---- Col2Im ---- */

static bool set_numbers(const struct onnx_call *call, const char *name, uint32_t count, uint32_t otherwise,
                        uint32_t *numbers) {
    uint32_t given;
    const int64_t *ints = onnx_ints(call, name, &given);
    if (ints != NULL && given != count) {
        return onnx_refuse(call, "%u %s", (unsigned)given, name);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (ints != NULL && (ints[i] < 0 || ints[i] > UINT32_MAX)) {
            return onnx_refuse(call, "%s of %lld", name, (long long)ints[i]);
        }
        numbers[i] = ints == NULL ? otherwise : (uint32_t)ints[i];
    }
    return true;
}

static bool col2im(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t count = 0, block_count = 0;
    const int64_t *image = input == NULL ? NULL : onnx_host_ints(call, 1, &count);
    const int64_t *block = image == NULL ? NULL : onnx_host_ints(call, 2, &block_count);
    if (block == NULL) {
        return false;
    }
    if (input->rank != 3 || count == 0 || count != block_count || count > 6) {
        return onnx_refuse(call, "a picture of %u dimensions", (unsigned)count);
    }
    uint32_t windows[6], strides[6], dilations[6], pads[12], sizes[ONNX_MAX_RANK];
    uint64_t elements = 1;
    for (uint32_t i = 0; i < count; ++i) {
        if (image[i] <= 0 || image[i] > UINT32_MAX || block[i] <= 0 || block[i] > UINT32_MAX) {
            return onnx_refuse(call, "a size of %lld", (long long)image[i]);
        }
        windows[i] = (uint32_t)block[i];
        sizes[i + 2] = (uint32_t)image[i];
        elements = elements * windows[i] > UINT32_MAX ? UINT32_MAX : elements * windows[i];
    }
    if (!set_numbers(call, "strides", count, 1, strides) || !set_numbers(call, "dilations", count, 1, dilations) ||
        !set_numbers(call, "pads", 2 * count, 0, pads)) {
        return false;
    }
    if (onnx_is_empty(input) || input->sizes[1] % elements != 0) {
        return onnx_refuse(call, "blocks that do not fit the picture");
    }
    sizes[0] = input->sizes[0];
    sizes[1] = (uint32_t)(input->sizes[1] / elements);
    struct onnx_tensor *made = onnx_declare(call, input->type, count + 2, sizes);
    DML_FOLD_OPERATOR_DESC desc = {.DimensionCount = count,
                                   .WindowSizes = windows,
                                   .Strides = strides,
                                   .Dilations = dilations,
                                   .StartPadding = pads,
                                   .EndPadding = pads + count};
    return made != NULL && onnx_emit(call, DML_OPERATOR_FOLD, &desc, ONNX_TENSORS(input), 1, &made) &&
           onnx_output(call, 0, made);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "TopK", 1, top_k},
    {ONNX_ML, "CumSum", 11, cumulative_sum},
    {ONNX_ML, "CumProd", 26, cumulative_product},
    {ONNX_ML, "ReverseSequence", 10, reverse_sequence},
    {ONNX_ML, "Col2Im", 18, col2im},
};
ONNX_DEFINE_FAMILY(orders, rows)
