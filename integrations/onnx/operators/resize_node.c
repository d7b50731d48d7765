/* Reads the nodes of Resize and Upsample. */
#include <math.h>
#include <string.h>

#include "onnx/operators/resize.h"

struct name {
    const char *name;
    int value;
};

static bool find_name(const struct onnx_call *call, const char *attribute, const char *otherwise,
                      const struct name *names, size_t count, int *value) {
    const char *text = onnx_text(call, attribute, otherwise);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(names[i].name, text) == 0) {
            *value = names[i].value;
            return true;
        }
    }
    return onnx_refuse(call, "%s %s", attribute, text);
}

static bool find_mode(const struct onnx_call *call, struct onnx_resize *r) {
    static const struct name modes[] = {
        {"nearest", ONNX_NEAREST}, {"linear", ONNX_LINEAR}, {"bilinear", ONNX_LINEAR}, {"cubic", ONNX_CUBIC}};
    int mode = 0;
    if (!find_name(call, "mode", "nearest", modes, sizeof modes / sizeof modes[0], &mode)) {
        return false;
    }
    r->mode = (enum onnx_resize_mode)mode;
    return true;
}

/* From version 11 on. */
static bool find_attributes(const struct onnx_call *call, struct onnx_resize *r) {
    static const struct name coordinates[] = {
        {"half_pixel", ONNX_HALF_PIXEL},
        {"half_pixel_symmetric", ONNX_HALF_PIXEL_SYMMETRIC},
        {"pytorch_half_pixel", ONNX_PYTORCH_HALF_PIXEL},
        {"align_corners", ONNX_ALIGN_CORNERS},
        {"asymmetric", ONNX_ASYMMETRIC},
        {"tf_crop_and_resize", ONNX_TF_CROP_AND_RESIZE},
        {"tf_half_pixel_for_nn", ONNX_TF_HALF_PIXEL_FOR_NN},
    };
    static const struct name roundings[] = {{"round_prefer_floor", ONNX_ROUND_PREFER_FLOOR},
                                            {"round_prefer_ceil", ONNX_ROUND_PREFER_CEIL},
                                            {"floor", ONNX_FLOOR},
                                            {"ceil", ONNX_CEIL}};
    int coordinate = 0, rounding = 0;
    if (!find_name(call, "coordinate_transformation_mode", "half_pixel", coordinates,
                   sizeof coordinates / sizeof coordinates[0], &coordinate) ||
        !find_name(call, "nearest_mode", "round_prefer_floor", roundings, sizeof roundings / sizeof roundings[0],
                   &rounding)) {
        return false;
    }
    r->coordinates = (enum onnx_coordinates)coordinate;
    r->rounding = (enum onnx_rounding)rounding;
    r->antialias = onnx_int(call, "antialias", 0) != 0;
    r->exclude_outside = onnx_int(call, "exclude_outside", 0) != 0;
    r->cubic_a = (double)onnx_float(call, "cubic_coeff_a", -0.75F);
    r->extrapolation = (double)onnx_float(call, "extrapolation_value", 0);
    if (r->mode == ONNX_NEAREST && (r->antialias || r->exclude_outside)) {
        return onnx_refuse(call, "antialias or exclude_outside of the nearest element");
    }
    return true;
}

static bool start_axes(const struct onnx_call *call, const struct onnx_tensor *input, struct onnx_resize *r) {
    uint32_t count;
    const int64_t *axes = onnx_ints(call, "axes", &count);
    r->order_count = axes == NULL ? input->rank : count;
    if (r->order_count > input->rank) {
        return onnx_refuse(call, "more axes than dimensions");
    }
    for (uint32_t i = 0; i < r->order_count; ++i) {
        if (!onnx_axis(call, axes == NULL ? i : axes[i], input->rank, &r->order[i])) {
            return false;
        }
    }
    for (uint32_t d = 0; d < input->rank; ++d) {
        r->axes[d] = (struct onnx_resize_axis){input->sizes[d], input->sizes[d], 1, input->sizes[d], 0, 1};
    }
    return true;
}

/* Output sizes are counted in float, as ONNX infers them. */
static bool set_scales(const struct onnx_call *call, struct onnx_resize *r, uint32_t count, const double *scales) {
    if (count != r->order_count) {
        return onnx_refuse(call, "%u scales of %u axes", (unsigned)count, (unsigned)r->order_count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        struct onnx_resize_axis *a = &r->axes[r->order[i]];
        const float size = floorf((float)a->in * (float)scales[i]);
        if (!(scales[i] > 0) || !(size < 4294967040.0F)) {
            return onnx_refuse(call, "a scale of %g", scales[i]);
        }
        a->out = (uint32_t)size;
        a->scale = scales[i];
        a->width = a->in * scales[i];
    }
    return true;
}

static bool set_sizes(const struct onnx_call *call, struct onnx_resize *r, uint32_t count, const int64_t *sizes) {
    const char *policy = onnx_text(call, "keep_aspect_ratio_policy", "stretch");
    const bool is_least = strcmp(policy, "not_larger") == 0, is_most = strcmp(policy, "not_smaller") == 0;
    double common = 0;
    if (count != r->order_count || (!is_least && !is_most && strcmp(policy, "stretch") != 0)) {
        return onnx_refuse(call, "%u sizes, keep_aspect_ratio_policy %s", (unsigned)count, policy);
    }
    for (uint32_t i = 0; i < count; ++i) {
        struct onnx_resize_axis *a = &r->axes[r->order[i]];
        if (sizes[i] < 0 || sizes[i] > UINT32_MAX || a->in == 0) {
            return onnx_refuse(call, "a size of %lld", (long long)sizes[i]);
        }
        a->out = (uint32_t)sizes[i];
        a->scale = (double)a->out / a->in;
        a->width = a->out;
        common = i == 0 || (is_least ? a->scale < common : a->scale > common) ? a->scale : common;
    }
    for (uint32_t i = 0; (is_least || is_most) && i < count; ++i) {
        struct onnx_resize_axis *a = &r->axes[r->order[i]];
        const double size = common * a->in + 0.5;
        if (!(size < UINT32_MAX)) {
            return onnx_refuse(call, "a size of %.0f", size);
        }
        a->out = (uint32_t)size;
        a->scale = common;
        a->width = common * a->in;
    }
    return true;
}

static bool set_region(const struct onnx_call *call, struct onnx_resize *r) {
    uint32_t count = 0;
    if (r->coordinates != ONNX_TF_CROP_AND_RESIZE) {
        return true;
    }
    const double *roi = onnx_host_floats(call, 1, &count);
    if (roi == NULL || count != 2 * r->order_count) {
        return onnx_refuse(call, "no region of interest");
    }
    for (uint32_t i = 0; i < r->order_count; ++i) {
        r->axes[r->order[i]].start = roi[i];
        r->axes[r->order[i]].end = roi[r->order_count + i];
    }
    return true;
}

static bool is_given(const struct onnx_call *call, uint32_t index) {
    return onnx_input(call, index) != NULL && !onnx_is_empty(onnx_input(call, index));
}

static bool resize(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    struct onnx_resize r = {.rounding = ONNX_SIMPLE, .coordinates = ONNX_ASYMMETRIC};
    uint32_t count = 0;
    if (input == NULL || !find_mode(call, &r) || !start_axes(call, input, &r)) {
        return false;
    }
    const bool is_old = call->node->version < 11;
    if (!is_old && (!find_attributes(call, &r) || !set_region(call, &r))) {
        return false;
    }
    if (is_old || is_given(call, 2)) {
        const double *scales = onnx_host_floats(call, is_old ? 1 : 2, &count);
        if (r.coordinates == ONNX_TF_CROP_AND_RESIZE) {
            return onnx_refuse(call, "scales of a region: its sizes are not defined alike everywhere");
        }
        return scales != NULL && set_scales(call, &r, count, scales) && onnx_resize(call, &r, input);
    }
    const int64_t *sizes = onnx_host_ints(call, 3, &count);
    return sizes != NULL && set_sizes(call, &r, count, sizes) && onnx_resize(call, &r, input);
}

/* Scales are attributes to version 8, then an input. */
static bool upsample(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    struct onnx_resize r = {.rounding = ONNX_SIMPLE, .coordinates = ONNX_ASYMMETRIC};
    uint32_t count = 0;
    double numbers[ONNX_MAX_RANK] = {1, 1, 1, 1};
    if (input == NULL || !find_mode(call, &r) || !start_axes(call, input, &r)) {
        return false;
    }
    const double *scales = numbers;
    if (call->node->version >= 9) {
        scales = onnx_host_floats(call, 1, &count);
    } else if (call->node->version >= 7) {
        const struct onnx_attribute *given = onnx_attribute(call, "scales", ONNX_ATTRIBUTE_FLOATS);
        count = given == NULL || given->count > ONNX_MAX_RANK ? 0 : (uint32_t)given->count;
        for (uint32_t i = 0; i < count; ++i) {
            numbers[i] = (double)given->floats[i];
        }
    } else {
        count = 4;
        numbers[2] = (double)onnx_float(call, "height_scale", 0);
        numbers[3] = (double)onnx_float(call, "width_scale", 0);
    }
    return scales != NULL && set_scales(call, &r, count, scales) && onnx_resize(call, &r, input);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Resize", 10, resize},
    {ONNX_ML, "Upsample", 1, upsample},
};
ONNX_DEFINE_FAMILY(resize, rows)
