/* Parts of tensors, and tensors one behind the other. */
#include <string.h>

#include "onnx/operators/move.h"

static bool concat(const struct onnx_call *call) {
    const struct onnx_tensor *first = onnx_needed(call, 0);
    uint32_t axis;
    if (first == NULL || !onnx_axis(call, onnx_int(call, "axis", 1), first->rank, &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < call->input_count; ++i) {
        if (onnx_needed(call, i) == NULL) {
            return false;
        }
    }
    return onnx_output(call, 0, onnx_join(call, call->input_count, call->inputs, axis));
}

/* ---- Split ---- */

/* Sizes of the parts: an attribute to version 11, then an input; without either equal ones, the last maybe less. */
static bool find_parts(const struct onnx_call *call, uint32_t size, uint32_t *parts) {
    uint32_t count;
    const int64_t *split = onnx_ints(call, "split", &count);
    if (split == NULL && onnx_input(call, 1) != NULL) {
        split = onnx_host_ints(call, 1, &count);
        if (split == NULL) {
            return false;
        }
    }
    const uint32_t equal = size / call->output_count + (size % call->output_count != 0);
    if (split == NULL && size % call->output_count != 0 && call->node->version < 18) {
        return onnx_refuse(call, "%u elements in %u equal parts", (unsigned)size, (unsigned)call->output_count);
    }
    if (split != NULL && count != call->output_count) {
        return onnx_refuse(call, "%u sizes of %u parts", (unsigned)count, (unsigned)call->output_count);
    }
    uint32_t left = size;
    for (uint32_t i = 0; i < call->output_count; ++i) {
        const int64_t part = split != NULL ? split[i] : equal < left ? equal : left;
        if (part < 0 || part > left) {
            return onnx_refuse(call, "parts of other sizes than the whole");
        }
        parts[i] = (uint32_t)part;
        left -= (uint32_t)part;
    }
    return left == 0 || onnx_refuse(call, "parts of other sizes than the whole");
}

static bool split(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t axis, offset = 0;
    uint32_t *parts = onnx_scratch(call, call->output_count, sizeof *parts);
    if (input == NULL || parts == NULL || !onnx_axis(call, onnx_int(call, "axis", 0), input->rank, &axis) ||
        !find_parts(call, input->sizes[axis], parts)) {
        return false;
    }
    for (uint32_t i = 0; i < call->output_count; ++i) {
        if (call->wanted[i] && !onnx_output(call, i, onnx_slice_axis(call, input, axis, offset, parts[i], 1))) {
            return false;
        }
        offset += parts[i];
    }
    return true;
}

/* ---- Slice ---- */

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* One axis, by NumPy's rules. */
static bool set_slice(const struct onnx_call *call, uint32_t size, int64_t start, int64_t end, int64_t step,
                      uint32_t *offset, uint32_t *count, int32_t *stride) {
    const int64_t n = size;
    if (step == 0 || n > INT32_MAX) {
        return onnx_refuse(call, step == 0 ? "a step of 0" : "more than 2^31 - 1 elements along an axis");
    }
    step = clamp(step, -n - 1, n + 1);
    start += start < 0 ? n : 0;
    end += end < 0 ? n : 0;
    start = step > 0 ? clamp(start, 0, n) : clamp(start, -1, n - 1);
    end = step > 0 ? clamp(end, 0, n) : clamp(end, -1, n - 1);
    const int64_t length = step > 0 ? end - start : start - end;
    const int64_t pace = step > 0 ? step : -step;
    *count = length <= 0 ? 0 : (uint32_t)((length + pace - 1) / pace);
    *offset = *count == 0 ? 0 : (uint32_t)start;
    *stride = (int32_t)step;
    return true;
}

/* Starts, ends, axes and steps of a node: attributes before version 10, then inputs. */
struct bounds {
    uint32_t counts[4];
    const int64_t *values[4];
};

static bool find_bounds(const struct onnx_call *call, struct bounds *bounds) {
    static const char *const names[] = {"starts", "ends", "axes"};
    for (uint32_t i = 0; i < 4; ++i) {
        bounds->counts[i] = 0;
        bounds->values[i] = NULL;
        if (call->node->version < 10 && i < 3) {
            bounds->values[i] = onnx_ints(call, names[i], &bounds->counts[i]);
        } else if (call->node->version >= 10 && onnx_input(call, i + 1) != NULL) {
            bounds->values[i] = onnx_host_ints(call, i + 1, &bounds->counts[i]);
            if (bounds->values[i] == NULL) {
                return false;
            }
        }
        if (i < 2 && bounds->values[i] == NULL) {
            return onnx_refuse(call, "no %s", names[i]);
        }
        if (bounds->values[i] != NULL && bounds->counts[i] != bounds->counts[0]) {
            return onnx_refuse(call, "starts, ends, axes and steps of different counts");
        }
    }
    return true;
}

static bool slice(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    struct bounds bounds;
    if (input == NULL || !find_bounds(call, &bounds)) {
        return false;
    }
    uint32_t offsets[ONNX_MAX_RANK] = {0}, sizes[ONNX_MAX_RANK];
    int32_t steps[ONNX_MAX_RANK];
    memcpy(sizes, input->sizes, sizeof sizes);
    for (uint32_t d = 0; d < ONNX_MAX_RANK; ++d) {
        steps[d] = 1;
    }
    for (uint32_t i = 0; i < bounds.counts[0]; ++i) {
        uint32_t axis;
        if (!onnx_axis(call, bounds.values[2] == NULL ? i : bounds.values[2][i], input->rank, &axis) ||
            !set_slice(call, input->sizes[axis], bounds.values[0][i], bounds.values[1][i],
                       bounds.values[3] == NULL ? 1 : bounds.values[3][i], &offsets[axis], &sizes[axis],
                       &steps[axis])) {
            return false;
        }
    }
    return onnx_output(call, 0, onnx_slice(call, input, offsets, sizes, steps));
}

/* ---- CenterCropPad ---- */

static bool center_crop_pad(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t count = 0, axis_count;
    const int64_t *shape = input == NULL ? NULL : onnx_host_ints(call, 1, &count);
    const int64_t *axes = onnx_ints(call, "axes", &axis_count);
    if (shape == NULL) {
        return false;
    }
    if (count != (axes == NULL ? input->rank : axis_count)) {
        return onnx_refuse(call, "a shape of %u sizes", (unsigned)count);
    }
    uint32_t offsets[ONNX_MAX_RANK] = {0}, sizes[ONNX_MAX_RANK], start[ONNX_MAX_RANK] = {0}, end[ONNX_MAX_RANK] = {0};
    memcpy(sizes, input->sizes, sizeof sizes);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t axis;
        if (shape[i] < 0 || shape[i] > UINT32_MAX || !onnx_axis(call, axes == NULL ? i : axes[i], input->rank, &axis)) {
            return onnx_refuse(call, "a size of %lld", (long long)shape[i]);
        }
        const uint32_t size = (uint32_t)shape[i], old = input->sizes[axis];
        if (size < old) {
            offsets[axis] = (old - size) / 2;
            sizes[axis] = size;
        } else {
            start[axis] = (size - old) / 2;
            end[axis] = size - old - start[axis];
        }
    }
    struct onnx_tensor *cropped = onnx_slice(call, input, offsets, sizes, NULL);
    return onnx_output(call, 0, onnx_pad_zeros(call, cropped, start, end));
}

/* ---- Crop ---- */

/* Of pictures: what borders leave, from the left and from above on as much as `scale` says. */
static bool crop(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t count, scale_count;
    const int64_t *border = onnx_ints(call, "border", &count), *scale = onnx_ints(call, "scale", &scale_count);
    if (input == NULL || input->rank != 4 || border == NULL || count != 4 || (scale != NULL && scale_count != 2)) {
        return onnx_refuse(call, "no picture of 4 dimensions, or no borders");
    }
    uint32_t offsets[4] = {0}, sizes[4] = {input->sizes[0], input->sizes[1]};
    for (uint32_t i = 0; i < 2; ++i) {
        const int64_t size = input->sizes[2 + i], before = border[1 - i], behind = border[3 - i];
        if (before < 0 || behind < 0 || before > size || behind > size) {
            return onnx_refuse(call, "borders of %lld and %lld", (long long)before, (long long)behind);
        }
        const int64_t left = scale != NULL ? scale[i] : size - before - behind;
        if (left < 0 || left > size - before) {
            return onnx_refuse(call, "borders beyond the picture");
        }
        offsets[2 + i] = (uint32_t)before;
        sizes[2 + i] = (uint32_t)left;
    }
    return onnx_output(call, 0, onnx_slice(call, input, offsets, sizes, NULL));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Concat", 1, concat}, {ONNX_ML, "Split", 1, split},
    {ONNX_ML, "Slice", 1, slice},   {ONNX_ML, "CenterCropPad", 18, center_crop_pad},
    {ONNX_ML, "Crop", 1, crop},
};
ONNX_DEFINE_FAMILY(slices, rows)
