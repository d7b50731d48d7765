/* What the files of network operators share. */
#include "onnx/operators/network.h"

#include <string.h>

/* ---- windows ---- */

bool onnx_read_sizes(const struct onnx_call *call, const char *name, uint32_t count, uint32_t least, uint32_t otherwise,
                     uint32_t *sizes) {
    uint32_t given;
    const int64_t *ints = onnx_ints(call, name, &given);
    if (given != 0 && given != count) {
        return onnx_refuse(call, "%s of %u numbers, not %u", name, (unsigned)given, (unsigned)count);
    }
    for (uint32_t d = 0; d < count; ++d) {
        if (given != 0 && (ints[d] < least || ints[d] > INT32_MAX)) {
            return onnx_refuse(call, "%s has %lld", name, (long long)ints[d]);
        }
        sizes[d] = given == 0 ? otherwise : (uint32_t)ints[d];
    }
    return true;
}

bool onnx_read_kernel(const struct onnx_call *call, const struct onnx_tensor *x, const struct onnx_tensor *filter,
                      struct onnx_window *window) {
    *window = (struct onnx_window){0};
    if (x->rank < 3 || x->rank > 2 + ONNX_MOST_SPATIAL || (filter != NULL && filter->rank != x->rank)) {
        return onnx_refuse(call, "%u dimensions", (unsigned)x->rank);
    }
    window->count = x->rank - 2;
    uint32_t given;
    (void)onnx_ints(call, "kernel_shape", &given);
    const bool has_kernel = given != 0;
    if (!has_kernel && filter == NULL) {
        return onnx_refuse(call, "no kernel_shape");
    }
    if (!onnx_read_sizes(call, "kernel_shape", window->count, 1, 1, window->kernel) ||
        !onnx_read_sizes(call, "strides", window->count, 1, 1, window->strides) ||
        !onnx_read_sizes(call, "dilations", window->count, 1, 1, window->dilations)) {
        return false;
    }
    for (uint32_t d = 0; d < window->count; ++d) {
        if (filter != NULL && has_kernel && window->kernel[d] != filter->sizes[2 + d]) {
            return onnx_refuse(call, "kernel_shape is not the filter's");
        }
        window->kernel[d] = filter != NULL ? filter->sizes[2 + d] : window->kernel[d];
        if (window->kernel[d] == 0 || window->kernel[d] > INT32_MAX || x->sizes[2 + d] > INT32_MAX) {
            return onnx_refuse(call, "sizes of 0, or beyond 31 bits");
        }
    }
    return true;
}

/* Where one dimension's windows lie. */
static bool place_window(const struct onnx_call *call, int64_t size, const char *auto_pad, bool rounds_up,
                         struct onnx_window *w, uint32_t d) {
    const int64_t stride = w->strides[d], span = ((int64_t)w->kernel[d] - 1) * w->dilations[d] + 1;
    int64_t start = w->start[d], end = w->end[d], more = 0;
    if (strncmp(auto_pad, "SAME_", 5) == 0) {
        const int64_t output = (size + stride - 1) / stride;
        const int64_t needed = (output - 1) * stride + span - size, total = needed < 0 ? 0 : needed;
        if (needed < -1) { /* ONNX Runtime then cuts off both ends, others the last alone */
            return onnx_refuse(call, "auto_pad of windows that do not reach one another");
        }
        start = strcmp(auto_pad, "SAME_LOWER") == 0 ? total - total / 2 : total / 2;
        end = total - start;
    } else if (strcmp(auto_pad, "VALID") == 0) {
        start = end = 0;
    }
    const int64_t room = size + start + end - span;
    if (room < 0) {
        return onnx_refuse(call, "a window of %lld in %lld elements", (long long)span, (long long)(size + start + end));
    }
    int64_t output = room / stride + 1;
    if (rounds_up && room % stride != 0 && output * stride < size + start) {
        more = stride - room % stride;
        ++output;
    }
    if (start + end + more > INT32_MAX || output > UINT32_MAX) {
        return onnx_refuse(call, "sizes beyond 32 bits");
    }
    w->start[d] = (uint32_t)start;
    w->end[d] = (uint32_t)(end + more);
    w->more[d] = (uint32_t)more;
    w->output[d] = (uint32_t)output;
    return true;
}

bool onnx_read_window(const struct onnx_call *call, const struct onnx_tensor *x, const struct onnx_tensor *filter,
                      struct onnx_window *window) {
    uint32_t pads[2 * ONNX_MOST_SPATIAL];
    if (!onnx_read_kernel(call, x, filter, window) || !onnx_read_sizes(call, "pads", 2 * window->count, 0, 0, pads)) {
        return false;
    }
    const char *auto_pad = onnx_text(call, "auto_pad", "NOTSET");
    const bool rounds_up = onnx_int(call, "ceil_mode", 0) == 1;
    for (uint32_t d = 0; d < window->count; ++d) {
        window->start[d] = pads[d];
        window->end[d] = pads[window->count + d];
        if (!place_window(call, x->sizes[2 + d], auto_pad, rounds_up, window, d)) {
            return false;
        }
    }
    return true;
}

struct onnx_tensor *onnx_widen_window(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_window *window) {
    if (x == NULL || x->rank != 3) {
        return x;
    }
    uint32_t *const arrays[] = {window->kernel, window->strides, window->dilations, window->start,
                                window->end,    window->more,    window->output};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        const bool is_padding = arrays[i] == window->start || arrays[i] == window->end || arrays[i] == window->more;
        arrays[i][1] = arrays[i][0];
        arrays[i][0] = is_padding ? 0 : 1;
    }
    window->count = 2;
    return onnx_reshape(call, x, 4, (const uint32_t[]){x->sizes[0], x->sizes[1], 1, x->sizes[2]});
}

/* ---- activations ---- */

static bool is_same_word(const char *a, const char *b) {
    for (; *a != 0 && *b != 0; ++a, ++b) {
        const int x = *a >= 'A' && *a <= 'Z' ? *a - 'A' + 'a' : *a, y = *b >= 'A' && *b <= 'Z' ? *b - 'A' + 'a' : *b;
        if (x != y) {
            return false;
        }
    }
    return *a == *b;
}

bool onnx_find_activation(const char *name, struct onnx_activation *activation) {
    static const struct {
        const char *name;
        DML_OPERATOR_TYPE type;
        uint32_t number_count;
        float alpha, beta;
    } known[] = {
        {"Affine", DML_OPERATOR_ACTIVATION_LINEAR, 2, 1, 0}, /* ONNX Runtime and ONNX differ about defaults */
        {"Elu", DML_OPERATOR_ACTIVATION_ELU, 1, 1, 0},
        {"HardSigmoid", DML_OPERATOR_ACTIVATION_HARD_SIGMOID, 2, 0.2F, 0.5F},
        {"LeakyRelu", DML_OPERATOR_ACTIVATION_LEAKY_RELU, 1, 0.01F, 0},
        {"Relu", DML_OPERATOR_ACTIVATION_RELU, 0, 0, 0},
        {"ScaledTanh", DML_OPERATOR_ACTIVATION_SCALED_TANH, 2, 1, 1}, /* ONNX knows no defaults */
        {"Sigmoid", DML_OPERATOR_ACTIVATION_SIGMOID, 0, 0, 0},
        {"Softplus", DML_OPERATOR_ACTIVATION_SOFTPLUS, 0, 1, 0}, /* its Steepness */
        {"Softsign", DML_OPERATOR_ACTIVATION_SOFTSIGN, 0, 0, 0},
        {"Tanh", DML_OPERATOR_ACTIVATION_TANH, 0, 0, 0},
        {"ThresholdedRelu", DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (is_same_word(known[i].name, name)) {
            *activation =
                (struct onnx_activation){.type = known[i].type,
                                         .desc = {.Alpha = known[i].alpha, .Beta = known[i].beta},
                                         .number_count = known[i].number_count,
                                         .has_defaults = known[i].type != DML_OPERATOR_ACTIVATION_LINEAR &&
                                                         known[i].type != DML_OPERATOR_ACTIVATION_SCALED_TANH};
            return true;
        }
    }
    return false;
}

struct onnx_tensor *onnx_activate(const struct onnx_call *call, const struct onnx_activation *activation,
                                  struct onnx_tensor *x) {
    DML_ACTIVATION_LINEAR_OPERATOR_DESC desc = activation->desc;
    return onnx_apply(call, activation->type, &desc, x);
}

struct onnx_tensor *onnx_along(const struct onnx_call *call, struct onnx_tensor *x, uint32_t axis, uint32_t rank) {
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; x != NULL && d < rank; ++d) {
        sizes[d] = d == axis ? (uint32_t)onnx_count(x) : 1;
    }
    return onnx_reshape(call, x, rank, sizes);
}
