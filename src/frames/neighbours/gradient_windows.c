/* Small windows on pictures, and places of pictures twice as large, in one step: glsl/neighbours/gradient_windows.comp.
 * Its sums have the bits of gradient.comp's. */
#include <string.h>

#include "base/checked.h"
#include "frames/neighbours/collapse.h"
#include "frames/neighbours/gradient_step.h"
#include "frames/neighbours/shares.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* Loops are unrolled; should a driver not do it lavapipe's limit holds all the same. */
#define MOST_SERIAL_SHARE 16

/* What is unrolled, and registers: terms of a sum, windows that reach a patch, what these compare. */
#define MOST_TERMS    32
#define MOST_WINDOWS  64
#define MOST_COMPARED 256
#define MOST_ALONG    16
#define MOST_SUMS     32
#define MOST_OUTER    4

/* Windows along a dimension of a patch, as the kernel counts them. */
struct side {
    uint32_t elements; /* of the patch */
    uint32_t lead;     /* from the first window's first element to the patch's */
    uint32_t count;    /* of windows that reach the patch */
};

struct patch {
    uint32_t width; /* elements of 16 bytes */
    uint32_t rows;
    struct side x, y;
};

static struct side side_of(const struct vkdml_neighbours_dimension *dimension, uint32_t elements) {
    const uint32_t before = (dimension->taps - 1 - dimension->start) / dimension->source_step;
    return (struct side){elements, before * dimension->source_step + dimension->start,
                         before + (elements - 1 + dimension->start) / dimension->source_step + 1};
}

/* Whether windows are small, and the same for all patches. */
static bool is_regular(const struct vkdml_neighbours_dimension *dimension, uint32_t elements) {
    return dimension->is_walked && !dimension->is_scaled && dimension->tap_step == 1 && dimension->taps <= 15 &&
           dimension->source_step <= 15 && dimension->start < dimension->taps && elements % dimension->source_step == 0;
}

/* Whether places lie in a picture twice as large, centres on centres. */
static bool is_double(const struct vkdml_neighbours_dimension *dimension) {
    return dimension->is_walked && dimension->is_scaled && dimension->source_size == 2 * (uint64_t)dimension->size &&
           vkdml_scaling_is_centred(&dimension->scaling, 2, dimension->source_size);
}

static bool find_patch(const struct vkdml_neighbours *n, bool is_linear, struct patch *patch) {
    const uint32_t count = n->count;
    patch->width = n->target.type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 8 : 4;
    if (count < 2 || count - 2 > MOST_OUTER || n->source.type != n->target.type) {
        return false;
    }
    for (uint32_t d = 0; d + 2 < count; ++d) {
        if (n->dimensions[d].is_walked) {
            return false;
        }
    }
    const struct vkdml_neighbours_dimension *y = &n->dimensions[count - 2], *x = &n->dimensions[count - 1];
    patch->rows = y->source_step == 1 ? 2 : y->source_step;
    if (is_linear) {
        return is_double(y) && is_double(x);
    }
    if (!is_regular(y, patch->rows) || !is_regular(x, patch->width) || patch->rows * patch->width > MOST_SUMS ||
        x->taps * y->taps > MOST_TERMS) {
        return false;
    }
    patch->x = side_of(x, patch->width);
    patch->y = side_of(y, patch->rows);
    return patch->x.count <= MOST_ALONG && patch->x.count * patch->y.count <= MOST_WINDOWS;
}

/* Whether what windows compare lies in three vectors of a row, and in the order of places. */
static bool can_compare(const struct vkdml_neighbours *n, const struct patch *patch,
                        const struct vkdml_plan_limits *limits) {
    const struct vkdml_neighbours_dimension *y = &n->dimensions[n->count - 2], *x = &n->dimensions[n->count - 1];
    const uint32_t reach = (patch->x.count - 1) * x->source_step + x->taps;
    bool is_aligned = x->own_stride == 1 && y->tap_stride > x->tap_stride &&
                      vkdml_place_modulo_16(limits, n->own.offset, n->own.first * (16 / patch->width)) == 0;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        is_aligned = is_aligned && n->dimensions[d].own_stride % patch->width == 0;
    }
    return is_aligned && patch->x.lead <= patch->width && reach - patch->x.lead <= 2 * patch->width &&
           patch->x.count * patch->y.count * x->taps * y->taps <= MOST_COMPARED;
}

/* The elements from a tensor's first on. */
static struct vkdml_span whole_span(const struct vkdml_neighbours *n, const struct vkdml_origin *at) {
    struct vkdml_span span = {at->first, 1};
    for (uint32_t d = 0; d < n->count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        const bool is_source = at == &n->source;
        const uint64_t size = is_source && dimension->is_walked ? dimension->source_size : dimension->size;
        const uint64_t stride = is_source          ? dimension->source_stride
                                : at == &n->target ? dimension->target_stride
                                                   : dimension->own_stride;
        span.count += (size - 1) * stride;
    }
    return span;
}

static struct vkdml_window whole_window(const struct vkdml_neighbours *n, const struct vkdml_origin *at) {
    return vkdml_window_of(whole_span(n, at), vkdml_data_type_bits(at->type));
}

static bool fits(const struct vkdml_neighbours *n, const struct vkdml_origin *at,
                 const struct vkdml_plan_limits *limits) {
    const struct vkdml_window window = whole_window(n, at);
    return vkdml_fits(limits, at->offset + window.offset, window.size);
}

static bool are_whole(const struct vkdml_neighbours *n, const struct patch *patch,
                      const struct vkdml_plan_limits *limits) {
    struct vkdml_neighbours_part part = {.target = whole_span(n, &n->target)};
    for (uint32_t d = 0; d < n->count; ++d) {
        part.box.size[d] = n->dimensions[d].size;
    }
    return n->dimensions[n->count - 1].target_stride == 1 && vkdml_neighbours_are_whole(n, &part, patch->width, limits);
}

/* Whether the windows whose strides are a patch's lie side by side, at a multiple of as many; some words. */
static bool is_aligned(const struct vkdml_neighbours *n, const struct patch *patch,
                       const struct vkdml_plan_limits *limits) {
    const struct vkdml_neighbours_dimension *x = &n->dimensions[n->count - 1];
    const uint32_t bytes = 16 / patch->width, own = patch->width / x->source_step;
    const struct vkdml_window source = whole_window(n, &n->source);
    const uint32_t place =
        vkdml_place_modulo_16(limits, n->source.offset + source.offset, (uint64_t)source.lead * bytes);
    bool aligned = own * bytes >= 4 && x->source_stride == 1 && x->source_size % own == 0 && place % (own * bytes) == 0;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        aligned = aligned && n->dimensions[d].source_stride % own == 0;
    }
    return aligned;
}

static bool take(const struct vkdml_gradient *gradient, const struct vkdml_plan_limits *limits, struct patch *patch) {
    const struct vkdml_neighbours *n = &gradient->neighbours;
    const bool finds_maxima = gradient->kind == VKDML_GRADIENT_MAXIMA;
    const bool is_linear = gradient->kind == VKDML_GRADIENT_LINEAR;
    if (gradient->kind == VKDML_GRADIENT_WINNERS || gradient->kind == VKDML_GRADIENT_NEAREST) {
        return false;
    }
    if (finds_maxima && limits->avoids_long_code) {
        return false;
    }
    return find_patch(n, is_linear, patch) && are_whole(n, patch, limits) && fits(n, &n->source, limits) &&
           fits(n, &n->target, limits) && (!is_linear || is_aligned(n, patch, limits)) &&
           (!finds_maxima || (can_compare(n, patch, limits) && fits(n, &n->own, limits)));
}

bool vkdml_gradient_windows_take(const struct vkdml_gradient *gradient, const struct vkdml_plan_limits *limits) {
    struct vkdml_gradient collapsed = *gradient;
    struct patch patch;
    vkdml_neighbours_collapse(&collapsed.neighbours);
    return take(&collapsed, limits, &patch);
}

bool vkdml_gradient_finds_maxima(const struct vkdml_gradient *gradient, const struct vkdml_plan_limits *limits) {
    return vkdml_gradient_windows_take(gradient, limits);
}

static void fill_sizes(const struct vkdml_neighbours *n, const struct patch *patch,
                       struct vkdml_gradient_windows_parameters *parameters) {
    const struct vkdml_neighbours_dimension *y = &n->dimensions[n->count - 2], *x = &n->dimensions[n->count - 1];
    const uint32_t patches[] = {x->size / patch->width, (uint32_t)vkdml_divide_up(y->size, patch->rows)};
    for (uint32_t axis = 0; axis < 2; ++axis) {
        const struct vkdml_divisor divisor = vkdml_divisor(patches[axis]);
        const struct vkdml_neighbours_dimension *dimension = axis == 0 ? x : y;
        parameters->patches[axis] = patches[axis];
        parameters->divisors[2 * axis] = divisor.multiplier;
        parameters->divisors[2 * axis + 1] = divisor.shifts;
        parameters->size[axis] = dimension->size;
        parameters->size[2 + axis] = dimension->source_size;
        parameters->column_strides[axis] = dimension->source_stride;
    }
    for (uint32_t count = 1; count < 16; ++count) {
        parameters->shares[count / 4][count % 4] = vkdml_float_bits(1 / (float)count);
    }
    parameters->column_strides[2] = y->target_stride;
    parameters->column_strides[3] = y->own_stride;
    for (uint32_t d = 0; d + 2 < n->count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        const struct vkdml_divisor divisor = vkdml_divisor(dimension->size);
        const uint32_t outer[] = {dimension->size, divisor.multiplier, divisor.shifts, dimension->source_stride};
        memcpy(parameters->outer[d], outer, sizeof(outer));
        parameters->target_strides[d] = dimension->target_stride;
        parameters->input_strides[d] = dimension->own_stride;
    }
}

static uint64_t patches_of(const struct vkdml_neighbours *n, const struct vkdml_gradient_windows_parameters *p) {
    uint64_t patches = (uint64_t)p->patches[0] * p->patches[1];
    for (uint32_t d = 0; d + 2 < n->count; ++d) {
        patches *= n->dimensions[d].size;
    }
    return patches;
}

static uint32_t window_nibbles(const struct vkdml_neighbours *n) {
    const struct vkdml_neighbours_dimension *y = &n->dimensions[n->count - 2], *x = &n->dimensions[n->count - 1];
    return x->taps | y->taps << 4 | x->source_step << 8 | y->source_step << 12 | x->start << 16 | y->start << 20 |
           x->skipped << 24 | y->skipped << 28;
}

static uint32_t bind(const struct vkdml_neighbours *n, const struct vkdml_origin *at, struct vkdml_plan_step *step) {
    const struct vkdml_window window = whole_window(n, at);
    step->buffers[step->buffer_count++] = vkdml_origin_buffer(at, window.offset, window.size);
    return window.lead;
}

static VkdmlResult fill_step(const struct vkdml_gradient *gradient, const struct patch *patch,
                             const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                             struct vkdml_plan_step *step) {
    const struct vkdml_neighbours *n = &gradient->neighbours;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const bool has_halves = n->target.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    struct vkdml_gradient_windows_parameters parameters;
    memset(&parameters, 0, sizeof(parameters));
    fill_sizes(n, patch, &parameters);
    struct vkdml_shares shares = {.items = patches_of(n, &parameters)};
    vkdml_shares_of_items(&shares, MOST_SERIAL_SHARE, serial);
    const uint64_t groups = vkdml_divide_up(shares.items, local_size * shares.share);
    parameters.group_count = (uint32_t)groups;
    parameters.item_count = (uint32_t)shares.items;
    parameters.share = (uint32_t)shares.share;
    parameters.factor = vkdml_float_bits(gradient->factor);
    parameters.source_first = bind(n, &n->source, step);
    parameters.target_first = bind(n, &n->target, step);
    uint32_t flags = gradient->factor != 1 ? VKDML_GRADIENT_WINDOWS_HAS_FACTOR : 0;
    flags |= gradient->kind == VKDML_GRADIENT_SHARED ? VKDML_GRADIENT_WINDOWS_HAS_COUNTS : 0;
    flags |= gradient->kind == VKDML_GRADIENT_LINEAR ? VKDML_GRADIENT_WINDOWS_IS_LINEAR : 0;
    flags |= is_aligned(n, patch, limits) ? VKDML_GRADIENT_WINDOWS_IS_ALIGNED : 0;
    if (gradient->kind == VKDML_GRADIENT_MAXIMA) {
        flags |= VKDML_GRADIENT_WINDOWS_HAS_WINNERS;
        parameters.input_first = bind(n, &n->own, step);
    }
    step->kernel = VKDML_KERNEL_GRADIENT_WINDOWS;
    step->float_controls = has_halves ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    vkdml_step_constant(step, VKDML_GRADIENT_WINDOWS_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_GRADIENT_WINDOWS_CONSTANT_TYPE, (uint32_t)n->target.type);
    vkdml_step_constant(step, VKDML_GRADIENT_WINDOWS_CONSTANT_FLAGS, flags);
    vkdml_step_constant(step, VKDML_GRADIENT_WINDOWS_CONSTANT_OUTER_RANK, n->count - 2);
    vkdml_step_constant(step, VKDML_GRADIENT_WINDOWS_CONSTANT_ROWS, patch->rows);
    vkdml_step_constant(step, VKDML_GRADIENT_WINDOWS_CONSTANT_WINDOW, window_nibbles(n));
    vkdml_step_constant(step, VKDML_GRADIENT_WINDOWS_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(groups, limits, report, step->groups);
}

VkdmlResult vkdml_gradient_windows_plan(const struct vkdml_gradient *gradient, struct vkdml_builder *builder) {
    struct vkdml_gradient collapsed = *gradient;
    struct vkdml_plan_step *step;
    struct patch patch;
    vkdml_neighbours_collapse(&collapsed.neighbours);
    take(&collapsed, builder->limits, &patch);
    const VkdmlResult result = vkdml_builder_add(builder, &step);
    return result != VKDML_SUCCESS ? result : fill_step(&collapsed, &patch, builder->limits, builder->report, step);
}
