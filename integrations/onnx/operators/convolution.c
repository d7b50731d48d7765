/* Convolutions, forward and transposed. */
#include <string.h>

#include "onnx/operators/network.h"

/* What all of them come to. Tensors are {N, C, spatial sizes}. */
struct convolution {
    struct onnx_tensor *x, *filter, *bias;
    struct onnx_window window;
    uint32_t output_padding[ONNX_MOST_SPATIAL];
    uint32_t groups;
    bool is_transposed;
    const struct onnx_activation *fused;
};

static bool read_groups(const struct onnx_call *call, struct convolution *c) {
    const int64_t groups = onnx_int(call, "group", 1);
    if (groups < 1 || groups > UINT32_MAX) {
        return onnx_refuse(call, "%lld groups", (long long)groups);
    }
    c->groups = (uint32_t)groups;
    const uint64_t of_filter = (uint64_t)c->filter->sizes[1] * c->groups;
    const uint64_t channels = c->is_transposed ? c->filter->sizes[0] : of_filter;
    const uint64_t outputs = c->is_transposed ? of_filter : c->filter->sizes[0];
    if (channels != c->x->sizes[1] || c->x->sizes[1] % c->groups != 0 || outputs % c->groups != 0) {
        return onnx_refuse(call, "%u channels, and a filter for %llu in %u groups", (unsigned)c->x->sizes[1],
                           (unsigned long long)channels, (unsigned)c->groups);
    }
    if (outputs > UINT32_MAX || (c->bias != NULL && onnx_count(c->bias) != outputs)) {
        return onnx_refuse(call, "a bias of another size");
    }
    return true;
}

static struct onnx_tensor *convolve(const struct onnx_call *call, const struct convolution *c) {
    const struct onnx_window *w = &c->window;
    uint32_t sizes[2 + ONNX_MOST_SPATIAL] = {c->x->sizes[0],
                                             c->is_transposed ? c->filter->sizes[1] * c->groups : c->filter->sizes[0]};
    for (uint32_t d = 0; d < w->count; ++d) {
        sizes[2 + d] = w->output[d];
    }
    struct onnx_tensor *output = onnx_declare(call, c->x->type, c->x->rank, sizes);
    if (output == NULL || onnx_is_empty(output)) {
        return output;
    }
    const DML_OPERATOR_DESC fused = {c->fused == NULL ? DML_OPERATOR_INVALID : c->fused->type,
                                     c->fused == NULL ? NULL : &c->fused->desc};
    DML_CONVOLUTION_OPERATOR_DESC desc = {.Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                          .Direction = c->is_transposed ? DML_CONVOLUTION_DIRECTION_BACKWARD
                                                                        : DML_CONVOLUTION_DIRECTION_FORWARD,
                                          .DimensionCount = w->count,
                                          .Strides = w->strides,
                                          .Dilations = w->dilations,
                                          .StartPadding = w->start,
                                          .EndPadding = w->end,
                                          .OutputPadding = c->output_padding,
                                          .GroupCount = c->groups,
                                          .FusedActivation = c->fused == NULL ? NULL : &fused};
    struct onnx_tensor *inputs[] = {c->x, c->filter, c->bias};
    if (c->bias != NULL) {
        inputs[2] = onnx_along(call, c->bias, 1, c->x->rank);
        if (inputs[2] == NULL) {
            return NULL;
        }
    }
    return onnx_emit(call, DML_OPERATOR_CONVOLUTION, &desc, 3, inputs, 1, &output) ? output : NULL;
}

static bool start(const struct onnx_call *call, uint32_t bias, struct convolution *c) {
    c->x = onnx_input(call, 0);
    c->filter = onnx_input(call, 1);
    c->bias = onnx_input(call, bias);
    return (c->x != NULL && c->filter != NULL) || onnx_refuse(call, "no input");
}

static bool conv(const struct onnx_call *call) {
    struct convolution c = {0};
    return start(call, 2, &c) && onnx_read_window(call, c.x, c.filter, &c.window) && read_groups(call, &c) &&
           onnx_output(call, 0, convolve(call, &c));
}

/* ---- with activations ---- */

/* By activation and activation_params; `clips` where it is Clip, which DirectML does not fuse. */
static bool read_fused(const struct onnx_call *call, struct onnx_activation *activation, bool *is_there, bool *clips,
                       float bounds[2]) {
    const char *name = onnx_text(call, "activation", "");
    const struct onnx_attribute *numbers = onnx_attribute(call, "activation_params", ONNX_ATTRIBUTE_FLOATS);
    const size_t count = numbers == NULL ? 0 : numbers->count;
    *is_there = *clips = false;
    if (name[0] == 0) {
        return true;
    }
    if (strcmp(name, "Clip") == 0 && count == 2) {
        *clips = true;
        memcpy(bounds, numbers->floats, 2 * sizeof *bounds);
        return true;
    }
    if (!onnx_find_activation(name, activation) || count > activation->number_count ||
        (count == 0 && !activation->has_defaults)) {
        return onnx_refuse(call, "activation %s", name);
    }
    activation->desc.Alpha = count > 0 ? numbers->floats[0] : activation->desc.Alpha;
    activation->desc.Beta = count > 1 ? numbers->floats[1] : activation->desc.Beta;
    *is_there = true;
    return true;
}

/* X, W, B, and Z, which is added before the activation. */
static bool fused_conv(const struct onnx_call *call) {
    struct convolution c = {0};
    struct onnx_activation activation;
    bool is_there, clips;
    float bounds[2];
    if (!start(call, 2, &c) || !onnx_read_window(call, c.x, c.filter, &c.window) || !read_groups(call, &c) ||
        !read_fused(call, &activation, &is_there, &clips, bounds)) {
        return false;
    }
    struct onnx_tensor *z = onnx_input(call, 3);
    c.fused = is_there && z == NULL ? &activation : NULL;
    struct onnx_tensor *y = convolve(call, &c);
    if (y != NULL && z != NULL) {
        y = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, y, z);
        y = is_there ? onnx_activate(call, &activation, y) : y;
    }
    return onnx_output(call, 0, clips ? onnx_clip(call, y, bounds[0], bounds[1]) : y);
}

/* Writers disagree whether filters are Conv's or {M, H, W, C}: channels and kernel_shape tell, or nothing does. */
static struct onnx_tensor *find_filter(const struct onnx_call *call, const struct onnx_tensor *x,
                                       struct onnx_tensor *filter) {
    uint32_t count;
    const int64_t *kernel = onnx_ints(call, "kernel_shape", &count);
    const int64_t groups = onnx_int(call, "group", 1);
    bool fits[2] = {filter->rank == 4, filter->rank == 4};
    if (groups < 1 || groups > INT32_MAX) {
        onnx_refuse(call, "%lld groups", (long long)groups);
        return NULL;
    }
    for (uint32_t i = 0; i < 2 && fits[i]; ++i) {
        const uint32_t *spatial = filter->sizes + (i == 0 ? 2 : 1);
        fits[i] = filter->sizes[i == 0 ? 1 : 3] * groups == x->sizes[3] &&
                  (kernel == NULL || (count == 2 && kernel[0] == spatial[0] && kernel[1] == spatial[1]));
    }
    if (fits[0] && fits[1] && (filter->sizes[1] != 1 || filter->sizes[2] != 1 || filter->sizes[3] != 1)) {
        onnx_refuse(call, "a filter that is NCHW or NHWC alike");
        return NULL;
    }
    return fits[1] && !fits[0] ? onnx_transpose(call, filter, (const uint32_t[]){0, 3, 1, 2}) : filter;
}

/* X and Y are {N, H, W, C}. */
static bool nhwc_conv(const struct onnx_call *call) {
    struct convolution c = {0};
    if (!start(call, 2, &c)) {
        return false;
    }
    if (c.x->rank != 4) {
        return onnx_refuse(call, "%u dimensions", (unsigned)c.x->rank);
    }
    c.filter = find_filter(call, c.x, c.filter);
    c.x = onnx_transpose(call, c.x, (const uint32_t[]){0, 3, 1, 2});
    if (c.x == NULL || c.filter == NULL || !onnx_read_window(call, c.x, c.filter, &c.window) ||
        !read_groups(call, &c)) {
        return false;
    }
    return onnx_output(call, 0, onnx_transpose(call, convolve(call, &c), (const uint32_t[]){0, 2, 3, 1}));
}

/* ---- transposed ---- */

/* output_shape, of spatial sizes or of all; NULL: absent. */
static const int64_t *read_output_shape(const struct onnx_call *call, uint32_t count) {
    uint32_t given;
    const int64_t *shape = onnx_ints(call, "output_shape", &given);
    return shape == NULL || given == 0 ? NULL : given == count + 2 ? shape + 2 : given == count ? shape : NULL;
}

/* Of what there is without padding this is cut off, or, where it is less than nothing, added at the end. */
static bool place_output(const struct onnx_call *call, struct convolution *c, const int64_t *shape,
                         const uint32_t *pads, uint32_t d) {
    struct onnx_window *w = &c->window;
    const char *auto_pad = onnx_text(call, "auto_pad", "NOTSET");
    const bool is_same = strncmp(auto_pad, "SAME_", 5) == 0;
    const int64_t size = c->x->sizes[2 + d];
    const int64_t whole =
        (size - 1) * w->strides[d] + c->output_padding[d] + ((int64_t)w->kernel[d] - 1) * w->dilations[d] + 1;
    int64_t first = pads[d], last = pads[w->count + d];
    if (shape != NULL || is_same) {
        const int64_t output = shape != NULL ? shape[d] : size * w->strides[d];
        if (output < 1 || output > INT32_MAX || whole > INT32_MAX ||
            output - whole >= (shape != NULL ? w->strides[d] : 1)) {
            return onnx_refuse(call, "a size of %lld", (long long)output);
        }
        const int64_t total = whole - output, cut = total < 0 ? 0 : total;
        if (total < 0) {
            c->output_padding[d] += (uint32_t)-total;
        }
        first = strcmp(auto_pad, "SAME_UPPER") == 0 ? cut / 2 : cut - cut / 2;
        last = cut - first;
        w->output[d] = (uint32_t)output;
    } else {
        first = strcmp(auto_pad, "VALID") == 0 ? 0 : first;
        last = strcmp(auto_pad, "VALID") == 0 ? 0 : last;
        if (whole - first - last < 1 || whole > INT32_MAX) {
            return onnx_refuse(call, "more padding than there is");
        }
        w->output[d] = (uint32_t)(whole - first - last);
    }
    w->start[d] = (uint32_t)first;
    w->end[d] = (uint32_t)last;
    return true;
}

static bool transpose_by(const struct onnx_call *call, struct convolution *c, const uint32_t *pads) {
    struct onnx_window *w = &c->window;
    if (!onnx_read_sizes(call, "output_padding", w->count, 0, 0, c->output_padding) || !read_groups(call, c)) {
        return false;
    }
    const int64_t *shape = read_output_shape(call, w->count);
    uint32_t given;
    if (shape == NULL && onnx_ints(call, "output_shape", &given) != NULL && given != 0) {
        return onnx_refuse(call, "an output_shape of %u numbers", (unsigned)given);
    }
    for (uint32_t d = 0; d < w->count; ++d) {
        if (!place_output(call, c, shape, pads, d)) {
            return false;
        }
    }
    return onnx_output(call, 0, convolve(call, c));
}

static bool conv_transpose(const struct onnx_call *call) {
    struct convolution c = {.is_transposed = true};
    uint32_t pads[2 * ONNX_MOST_SPATIAL];
    return start(call, 2, &c) && onnx_read_kernel(call, c.x, c.filter, &c.window) &&
           onnx_read_sizes(call, "pads", 2 * c.window.count, 0, 0, pads) && transpose_by(call, &c, pads);
}

/* X, W, Pads, B. */
static bool conv_transpose_dynamic(const struct onnx_call *call) {
    struct convolution c = {.is_transposed = true};
    uint32_t pads[2 * ONNX_MOST_SPATIAL] = {0}, count = 0;
    if (!start(call, 3, &c) || !onnx_read_kernel(call, c.x, c.filter, &c.window)) {
        return false;
    }
    const int64_t *given = onnx_input(call, 2) == NULL ? NULL : onnx_host_ints(call, 2, &count);
    if (onnx_input(call, 2) != NULL && (given == NULL || count != 2 * c.window.count)) {
        return onnx_refuse(call, "pads of %u numbers", (unsigned)count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (given[i] < 0 || given[i] > INT32_MAX) {
            return onnx_refuse(call, "a padding of %lld", (long long)given[i]);
        }
        pads[i] = (uint32_t)given[i];
    }
    return transpose_by(call, &c, pads);
}

/* ---- causal ---- */

/* Each channel by itself, on elements up to its own: those that are past, or zeros, stand before. */
static bool causal_conv(const struct onnx_call *call) {
    struct convolution c = {0};
    struct onnx_tensor *past = onnx_input(call, 3);
    const char *activation = onnx_text(call, "activation", "none");
    const bool is_swish = strcmp(activation, "silu") == 0 || strcmp(activation, "swish") == 0;
    if (!start(call, 2, &c)) {
        return false;
    }
    if (c.x->rank != 3 || c.filter->rank != 3 || c.filter->sizes[0] != c.x->sizes[1] || c.filter->sizes[1] != 1 ||
        c.filter->sizes[2] == 0 || onnx_is_empty(c.x) || (!is_swish && strcmp(activation, "none") != 0)) {
        return onnx_refuse(call, "a filter that is not of one channel for each, no elements, or activation %s",
                           activation);
    }
    const uint32_t length = c.x->sizes[2], more = c.filter->sizes[2] - 1;
    const uint32_t before[] = {0, 0, more}, none[] = {0, 0, 0};
    if (past != NULL && (past->rank != 3 || past->type != c.x->type || past->sizes[0] != c.x->sizes[0] ||
                         past->sizes[1] != c.x->sizes[1] || past->sizes[2] != more)) {
        return onnx_refuse(call, "a past state whose sizes do not fit");
    }
    c.x = past == NULL ? onnx_pad_zeros(call, c.x, before, none)
                       : onnx_join(call, 2, (struct onnx_tensor *[]){past, c.x}, 2);
    if (c.x == NULL || !onnx_read_window(call, c.x, c.filter, &c.window)) {
        return false;
    }
    c.groups = c.x->sizes[1];
    if (c.bias != NULL && onnx_count(c.bias) != c.groups) {
        return onnx_refuse(call, "a bias of another size");
    }
    struct onnx_tensor *y = convolve(call, &c);
    if (is_swish) {
        DML_ACTIVATION_SWISH_OPERATOR_DESC desc = {.SigmoidInputScale = 1.0F};
        y = onnx_apply(call, DML_OPERATOR_ACTIVATION_SWISH, &desc, y);
    }
    return onnx_output(call, 0, y) &&
           (!onnx_is_wanted(call, 1) || onnx_output(call, 1, onnx_slice_axis(call, c.x, 2, length, more, 1)));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "CausalConvWithState", 27, causal_conv},
    {ONNX_ML, "Conv", 1, conv},
    {ONNX_ML, "ConvTranspose", 1, conv_transpose},
    {ONNX_MICROSOFT, "ConvTransposeWithDynamicPads", 1, conv_transpose_dynamic},
    {ONNX_MICROSOFT, "FusedConv", 1, fused_conv},
    {ONNX_MICROSOFT, "NhwcConv", 1, nhwc_conv},
};
ONNX_DEFINE_FAMILY(convolution, rows)
