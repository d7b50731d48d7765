#include "frames/integer_product/integer_pool.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "frames/integer_product/integer_terms.h"
#include "plan/boxes.h"
#include "plan/step.h"

enum { INPUT, OUTPUT, TENSORS };

#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* Taps of an invocation, so that loops stay below what lavapipe ends silently. */
#define MOST_TAPS 8192

/* Taps from which on a window is worth several invocations. */
#define MANY_TAPS 256

struct pooling {
    const struct vkdml_integer_pool *pool;
    const struct vkdml_integer_terms *terms;
    uint64_t tap_count;
    uint32_t lanes;
    struct vkdml_builder *builder;
};

/* ---- what a box takes ---- */

/* Coordinates of the input in dimension d of a box; where all are padding the first, which is not read. */
static struct vkdml_span reached(const struct vkdml_integer_pool *pool, uint32_t d, uint32_t origin, uint32_t size) {
    if (d < 2) {
        return (struct vkdml_span){origin, size};
    }
    const struct vkdml_integer_walk *walk = &pool->walks[d - 2];
    int64_t first = (int64_t)origin * walk->step - walk->start;
    int64_t last = first + (int64_t)(size - 1) * walk->step + (int64_t)(walk->taps - 1) * walk->tap_step;
    first = first < 0 ? 0 : first;
    last = last >= pool->input.sizes[d] ? (int64_t)pool->input.sizes[d] - 1 : last;
    return last < first ? (struct vkdml_span){0, 1}
                        : (struct vkdml_span){(uint64_t)first, (uint64_t)(last - first) + 1};
}

static struct vkdml_span span_of(const struct vkdml_integer_pool *pool, uint32_t t, const struct vkdml_box *box) {
    const struct vkdml_view *view = t == INPUT ? &pool->input : &pool->output;
    struct vkdml_span span = {view->at.first, 1};
    for (uint32_t d = 0; d < view->rank; ++d) {
        const struct vkdml_span q = t == INPUT ? reached(pool, d, box->origin[d], box->size[d])
                                               : (struct vkdml_span){box->origin[d], box->size[d]};
        span.first += q.first * view->strides[d];
        span.count += (q.count - 1) * view->strides[d];
    }
    return span;
}

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct pooling *pooling = context;
    const struct vkdml_view *view = t == INPUT ? &pooling->pool->input : &pooling->pool->output;
    const struct vkdml_window window = vkdml_window_of(span_of(pooling->pool, t, box), 8);
    *fits = vkdml_fits(pooling->builder->limits, view->at.offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct pooling *pooling = context;
    struct vkdml_box line = *box;
    for (uint32_t other = 0; other < VKDML_MAX_BOX_RANK; ++other) {
        line.size[other] = other == d ? box->size[d] : 1;
    }
    return span_of(pooling->pool, t, &line).count - 1;
}

/* ---- a step ---- */

/* Whether four columns from a multiple of four on are a word. */
static bool has_vectors(const struct pooling *pooling, const struct vkdml_box *box, uint32_t lead, uint64_t offset) {
    const struct vkdml_view *output = &pooling->pool->output;
    const uint32_t last = output->rank - 1;
    bool has_vectors = !pooling->builder->limits->general && pooling->lanes == 1 && output->strides[last] == 1 && box->size[last] % 4 == 0 &&
                       vkdml_place_modulo_16(pooling->builder->limits, output->at.offset + offset, lead) % 4 == 0;
    for (uint32_t d = 0; d < last; ++d) {
        has_vectors = has_vectors && (box->size[d] == 1 || output->strides[d] % 4 == 0);
    }
    return has_vectors;
}

/* Dimensions innermost first: spatial ones, of which some may be missing, channels, pictures. */
static void fill_dimensions(const struct pooling *pooling, const struct vkdml_box *box,
                            struct vkdml_integer_pool_parameters *parameters) {
    const struct vkdml_integer_pool *pool = pooling->pool;
    const uint32_t spatial = pool->input.rank - 2;
    for (uint32_t i = 0; i < 5; ++i) {
        const bool is_missing = i < 3 && i >= spatial;
        const uint32_t d = is_missing ? 0 : i < 3 ? pool->input.rank - 1 - i : 4 - i;
        const uint32_t count = is_missing ? 1 : box->size[d];
        const struct vkdml_divisor divisor = vkdml_divisor(count);
        const uint32_t size[] = {count, divisor.multiplier, divisor.shifts, is_missing ? 0 : pool->input.strides[d]};
        memcpy(parameters->sizes[i], size, sizeof(size));
        parameters->out_strides[i] = is_missing ? 0 : pool->output.strides[d];
        if (i < 3) {
            const struct vkdml_integer_walk none = {1, 0, 1, 1};
            const struct vkdml_integer_walk *walk = is_missing ? &none : &pool->walks[d - 2];
            const struct vkdml_divisor tap = vkdml_divisor(walk->taps);
            const uint32_t start = walk->start - (is_missing ? 0 : box->origin[d] * walk->step);
            const uint32_t steps[] = {walk->step, start, walk->tap_step, is_missing ? 1 : pool->input.sizes[d]};
            const uint32_t taps[] = {walk->taps, tap.multiplier, tap.shifts};
            memcpy(parameters->walks[i], steps, sizeof(steps));
            memcpy(parameters->taps[i], taps, sizeof(taps));
        }
        if (i < 3 && !is_missing) { /* places are counted from the input's first */
            parameters->first -=
                (uint32_t)reached(pool, d, box->origin[d], box->size[d]).first * pool->input.strides[d];
        }
    }
}

static void fill_terms(const struct pooling *pooling, const struct vkdml_box *box,
                       struct vkdml_integer_pool_parameters *parameters) {
    static const uint32_t terms[] = {VKDML_INTEGER_TERM_SCALE_A, VKDML_INTEGER_TERM_ZERO_A,
                                     VKDML_INTEGER_TERM_SCALE_OUT, VKDML_INTEGER_TERM_ZERO_OUT};
    for (uint32_t i = 0; i < 4; ++i) {
        parameters->term_steps[i] = pooling->pool->terms[terms[i]].count > 1 ? 1 : 0;
        parameters->terms[i] = pooling->terms->firsts[terms[i]] + box->origin[1] * parameters->term_steps[i];
    }
}

static bool exists(const struct vkdml_integer_pool *pool, uint32_t term) {
    return pool->terms[term].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static uint32_t local_size_of(const struct pooling *pooling) {
    const struct vkdml_plan_limits *limits = pooling->builder->limits;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    return vkdml_local_size(limits, serial && pooling->lanes < SERIAL_LOCAL_SIZE ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
}

static void set_kernel(const struct pooling *pooling, bool vectors, struct vkdml_plan_step *step) {
    const struct vkdml_integer_pool *pool = pooling->pool;
    step->kernel = VKDML_KERNEL_INTEGER_POOL;
    step->float_controls = pooling->builder->limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    vkdml_step_constant(step, VKDML_INTEGER_POOL_CONSTANT_LOCAL_SIZE, local_size_of(pooling));
    vkdml_step_constant(step, VKDML_INTEGER_POOL_CONSTANT_TYPES,
                        (uint32_t)pool->input.at.type | (uint32_t)pool->output.at.type << 4);
    vkdml_step_constant(step, VKDML_INTEGER_POOL_CONSTANT_SHAPE,
                        (pool->counts_padding ? VKDML_INTEGER_POOL_COUNTS_PADDING : 0) |
                            (exists(pool, VKDML_INTEGER_TERM_ZERO_A) ? VKDML_INTEGER_POOL_HAS_ZERO : 0) |
                            (exists(pool, VKDML_INTEGER_TERM_ZERO_OUT) ? VKDML_INTEGER_POOL_OUT_HAS_ZERO : 0) |
                            (vectors ? VKDML_INTEGER_POOL_OUT_IS_VECTOR : 0));
    vkdml_step_constant(step, VKDML_INTEGER_POOL_CONSTANT_LANES, pooling->lanes);
    vkdml_step_constant(step, VKDML_INTEGER_POOL_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    step->buffer_count = 3;
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    const struct pooling *pooling = context;
    const struct vkdml_integer_pool *pool = pooling->pool;
    const struct vkdml_plan_limits *limits = pooling->builder->limits;
    const uint32_t local_size = local_size_of(pooling);
    struct vkdml_integer_pool_parameters parameters;
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(pooling->builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    memset(&parameters, 0, sizeof(parameters));
    const struct vkdml_window input = vkdml_window_of(span_of(pool, INPUT, box), 8);
    const struct vkdml_window output = vkdml_window_of(span_of(pool, OUTPUT, box), 8);
    const bool vectors = has_vectors(pooling, box, output.lead, output.offset);
    parameters.first = input.lead;
    parameters.out_first = output.lead;
    parameters.tap_count = (uint32_t)pooling->tap_count;
    fill_dimensions(pooling, box, &parameters);
    fill_terms(pooling, box, &parameters);
    uint64_t units = 1;
    for (uint32_t d = 0; d < pool->output.rank; ++d) {
        units *= box->size[d];
    }
    units /= vectors ? 4 : 1;
    const uint64_t groups = vkdml_divide_up(units, local_size / pooling->lanes);
    parameters.unit_count = (uint32_t)units;
    parameters.group_count = (uint32_t)groups;
    set_kernel(pooling, vectors, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    step->buffers[0] = vkdml_origin_buffer(&pool->input.at, input.offset, input.size);
    step->buffers[1] = vkdml_origin_buffer(&pool->output.at, output.offset, output.size);
    step->buffers[2] = vkdml_origin_buffer(&pooling->terms->at, 0, 4 * (uint64_t)pooling->terms->word_count);
    return vkdml_grid(groups, limits, pooling->builder->report, step->groups);
}

/* General plans of small windows, or of large ones, whichever this one's are not. */
static VkdmlResult add_spare(const struct pooling *pooling, uint32_t most) {
    struct vkdml_plan_step step = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
    struct pooling other = *pooling;
    other.lanes = pooling->lanes == 1 ? most : 1;
    set_kernel(&other, false, &step);
    return vkdml_builder_add_spare(pooling->builder, &step);
}

VkdmlResult vkdml_integer_pool_plan(const struct vkdml_integer_pool *pool, struct vkdml_builder *builder) {
    const uint32_t most = vkdml_local_size(builder->limits, LOCAL_SIZE);
    struct vkdml_integer_terms terms;
    struct pooling pooling = {pool, &terms, 1, 1, builder};
    for (uint32_t s = 0; s + 2 < pool->input.rank && pooling.tap_count <= UINT32_MAX; ++s) {
        pooling.tap_count *= pool->walks[s].taps;
    }
    if (builder->limits->general) {
        pooling.lanes = pooling.tap_count > MANY_TAPS ? most : 1;
    }
    while (pooling.lanes < most && pooling.tap_count > (uint64_t)pooling.lanes * MANY_TAPS) {
        pooling.lanes *= 2;
    }
    if (pooling.tap_count > (uint64_t)most * MOST_TAPS) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "a window has more elements, padding included, than %" PRIu64,
                                (uint64_t)most * MOST_TAPS);
    }
    VkdmlResult result = vkdml_integer_terms_plan(pool->terms, builder, &terms);
    vkdml_builder_phase(builder);
    const struct vkdml_covering covering = {&pooling, pool->output.rank, TENSORS, builder, bytes, reach, add};
    const struct vkdml_box whole = vkdml_box_of(pool->output.rank, pool->output.sizes, sizeof(*pool->output.sizes));
    result = result == VKDML_SUCCESS ? vkdml_cover(&covering, &whole) : result;
    return result == VKDML_SUCCESS && vkdml_builder_wants_spares(builder) ? add_spare(&pooling, most) : result;
}
