#include "frames/integer_product/integer_depthwise.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/integer_product/integer_terms.h"
#include "plan/boxes.h"
#include "plan/step.h"

enum { A, OUT, B, TENSORS }; /* as they are bound */
enum { COLUMNS, ROWS, MADE, GROUPS, PICTURES, RANK };

#define WIDTH             4 /* pixels of a row that an invocation makes */
#define MOST_ROWS         4
#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* What keeps the largest GPUs busy. */
#define ENOUGH_INVOCATIONS (1u << 17)

/* Registers: weights, of which FLOAT32 has the sums exactly, and the bytes that four pixels reach along a row. */
#define MOST_WEIGHTS 49
#define MOST_SPAN    64

/* Of a group: more are better off in tiles. */
#define MOST_CHANNELS 4

struct covered {
    const struct vkdml_integer_depthwise *depthwise;
    const struct vkdml_origin *origins[TENSORS];
    /* How far elements are apart in dimensions that are none of pixels of the filter or the input. */
    uint32_t strides[TENSORS][RANK];
    struct vkdml_integer_terms terms;
    struct vkdml_builder *builder;
};

/* ---- what a box takes ---- */

static const struct vkdml_integer_axis *axis_of(const struct vkdml_integer_depthwise *p, uint32_t d) {
    return d == COLUMNS ? &p->columns : &p->rows;
}

/* Coordinates of the input in a dimension of pixels; where all are padding the first, which is not read. */
static struct vkdml_span reached(const struct vkdml_integer_axis *axis, uint32_t origin, uint32_t size) {
    int64_t first = (int64_t)origin * axis->step - axis->start;
    int64_t last = first + (int64_t)(size - 1) * axis->step + (int64_t)(axis->taps - 1) * axis->tap_step;
    first = first < 0 ? 0 : first;
    last = last >= axis->source_size ? (int64_t)axis->source_size - 1 : last;
    return last < first ? (struct vkdml_span){0, 1}
                        : (struct vkdml_span){(uint64_t)first, (uint64_t)(last - first) + 1};
}

static struct covered cover(const struct vkdml_integer_depthwise *p, struct vkdml_builder *builder) {
    return (struct covered){
        .depthwise = p,
        .origins = {[A] = &p->a, [B] = &p->b, [OUT] = &p->out},
        .strides = {[A] = {[MADE] = p->a_strides[0], [GROUPS] = p->made * p->a_strides[0]},
                    [B] = {[GROUPS] = p->channels * p->b_strides[1], [PICTURES] = p->b_strides[0]},
                    [OUT] = {p->columns.out_stride, p->rows.out_stride, p->out_strides[1], p->made * p->out_strides[1],
                             p->out_strides[0]}},
        .builder = builder,
    };
}

static struct vkdml_window window_of(const struct covered *covered, uint32_t t, const struct vkdml_box *box) {
    const struct vkdml_integer_depthwise *p = covered->depthwise;
    struct vkdml_span span = {covered->origins[t]->first, 1};
    for (uint32_t d = 0; d < RANK; ++d) {
        const uint64_t stride = covered->strides[t][d];
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    for (uint32_t d = 0; d < MADE && t != OUT; ++d) {
        const struct vkdml_integer_axis *axis = axis_of(p, d);
        const struct vkdml_span q = reached(axis, box->origin[d], box->size[d]);
        span.first += t == B ? q.first * axis->source_stride : 0;
        span.count += t == B ? (q.count - 1) * axis->source_stride : (uint64_t)(axis->taps - 1) * axis->filter_stride;
    }
    span.count += t == OUT ? 0 : (uint64_t)(p->channels - 1) * (t == A ? p->a_strides : p->b_strides)[1];
    return vkdml_window_of(span, vkdml_data_type_bits(covered->origins[t]->type));
}

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct covered *covered = context;
    const struct vkdml_window window = window_of(covered, t, box);
    *fits = vkdml_fits(covered->builder->limits, covered->origins[t]->offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct covered *covered = context;
    const struct vkdml_integer_depthwise *p = covered->depthwise;
    const uint64_t length = box->size[d] - 1;
    return t == B && d < MADE ? length * axis_of(p, d)->step * axis_of(p, d)->source_stride
                              : length * covered->strides[t][d];
}

/* ---- a step ---- */

static bool exists(const struct vkdml_integer_depthwise *p, uint32_t term) {
    return p->terms[term].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static uint64_t count_units(const struct vkdml_box *box, uint32_t rows) {
    uint64_t count = vkdml_divide_up(box->size[COLUMNS], WIDTH) * vkdml_divide_up(box->size[ROWS], rows);
    for (uint32_t d = MADE; d < RANK; ++d) {
        count *= box->size[d];
    }
    return count;
}

static uint32_t choose_rows(const struct covered *covered, const struct vkdml_box *box) {
    const struct vkdml_integer_axis *axis = &covered->depthwise->rows;
    const bool serial = covered->builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const bool is_general = covered->builder->limits->general;
    uint32_t rows = !is_general && axis->tap_step == 1 && axis->step < axis->taps && box->size[ROWS] > 1 ? MOST_ROWS : 1;
    while (rows > 1 && !serial && count_units(box, rows) < ENOUGH_INVOCATIONS) {
        rows /= 2;
    }
    return rows;
}

/* Whether four columns from a multiple of four on are one store. */
static bool has_vectors(const struct covered *covered, const struct vkdml_box *box) {
    const struct vkdml_integer_depthwise *p = covered->depthwise;
    const uint32_t size = vkdml_data_type_size(p->out.type);
    const struct vkdml_window window = window_of(covered, OUT, box);
    const uint32_t place =
        vkdml_place_modulo_16(covered->builder->limits, p->out.offset + window.offset, (uint64_t)window.lead * size);
    bool has_vectors = !covered->builder->limits->general && p->columns.out_stride == 1 && box->size[COLUMNS] % WIDTH == 0 && place % (WIDTH * size) == 0;
    for (uint32_t d = ROWS; d < RANK; ++d) {
        has_vectors = has_vectors && (box->size[d] == 1 || covered->strides[OUT][d] % WIDTH == 0);
    }
    return has_vectors;
}

static uint32_t shape_of(const struct covered *covered, const struct vkdml_box *box) {
    const struct vkdml_integer_depthwise *p = covered->depthwise;
    const bool channels_inner = box->size[GROUPS] > 1 && covered->strides[OUT][GROUPS] < p->columns.out_stride;
    return (p->a.type == DML_TENSOR_DATA_TYPE_INT8 ? VKDML_INTEGER_DEPTHWISE_A_IS_SIGNED : 0) |
           (p->b.type == DML_TENSOR_DATA_TYPE_INT8 ? VKDML_INTEGER_DEPTHWISE_B_IS_SIGNED : 0) |
           (exists(p, VKDML_INTEGER_TERM_ZERO_A) ? VKDML_INTEGER_DEPTHWISE_A_HAS_ZERO : 0) |
           (exists(p, VKDML_INTEGER_TERM_ZERO_B) ? VKDML_INTEGER_DEPTHWISE_B_HAS_ZERO : 0) |
           (p->is_scaled ? VKDML_INTEGER_DEPTHWISE_IS_SCALED : 0) |
           (exists(p, VKDML_INTEGER_TERM_BIAS) ? VKDML_INTEGER_DEPTHWISE_HAS_BIAS : 0) |
           (exists(p, VKDML_INTEGER_TERM_ZERO_OUT) ? VKDML_INTEGER_DEPTHWISE_OUT_HAS_ZERO : 0) |
           (p->columns.source_stride == 1 ? VKDML_INTEGER_DEPTHWISE_B_IS_PACKED : 0) |
           (p->columns.out_stride == 1 ? VKDML_INTEGER_DEPTHWISE_OUT_IS_PACKED : 0) |
           (has_vectors(covered, box) ? VKDML_INTEGER_DEPTHWISE_OUT_IS_VECTOR : 0) |
           (channels_inner ? VKDML_INTEGER_DEPTHWISE_CHANNELS_INNER : 0);
}

static void fill_parameters(const struct covered *covered, const struct vkdml_box *box, uint32_t rows,
                            struct vkdml_integer_depthwise_parameters *parameters) {
    const struct vkdml_integer_depthwise *p = covered->depthwise;
    memset(parameters, 0, sizeof(*parameters));
    parameters->channels = p->channels;
    parameters->pictures = p->b_strides[0];
    for (uint32_t t = 0; t < TENSORS; ++t) {
        parameters->firsts[t] = window_of(covered, t, box).lead;
    }
    const uint32_t steps[][4] = {{covered->strides[A][MADE]},
                                 {covered->strides[A][GROUPS], covered->strides[B][GROUPS]},
                                 {p->a_strides[1], p->b_strides[1]}};
    memcpy(parameters->steps, steps, sizeof(steps));
    for (uint32_t d = 0; d < RANK; ++d) {
        const uint32_t count = (uint32_t)vkdml_divide_up(box->size[d], d == COLUMNS ? WIDTH : d == ROWS ? rows : 1);
        const struct vkdml_divisor divisor = vkdml_divisor(count);
        const uint32_t units[] = {count, divisor.multiplier, divisor.shifts, covered->strides[OUT][d]};
        memcpy(parameters->units[d], units, sizeof(units));
    }
    for (uint32_t d = 0; d < MADE; ++d) { /* places are counted from the input's first */
        const struct vkdml_integer_axis *axis = axis_of(p, d);
        const struct vkdml_span q = reached(axis, box->origin[d], box->size[d]);
        const uint32_t window[] = {box->origin[d] * axis->step - axis->start, (uint32_t)(q.first + q.count),
                                   axis->filter_stride, axis->source_stride};
        memcpy((unsigned char *)parameters->windows + d * sizeof(window), window, sizeof(window));
        parameters->firsts[B] -= (uint32_t)q.first * axis->source_stride;
        parameters->sizes[d] = box->size[d];
    }
    parameters->sizes[2] = p->rows.tap_step;
    for (uint32_t t = 0; t < VKDML_INTEGER_TERM_TERM_COUNT; ++t) {
        const uint32_t step = p->terms[t].count > 1 ? 1 : 0;
        const uint32_t group = step * p->made;
        const uint32_t term[] = {covered->terms.firsts[t] + box->origin[MADE] * step + box->origin[GROUPS] * group,
                                 step, 0, group};
        memcpy(parameters->terms[t], term, sizeof(term));
    }
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    const struct covered *covered = context;
    const struct vkdml_integer_depthwise *p = covered->depthwise;
    const struct vkdml_plan_limits *limits = covered->builder->limits;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const uint32_t rows = choose_rows(covered, box);
    const uint64_t units = count_units(box, rows); /* no more than the output has elements */
    struct vkdml_integer_depthwise_parameters parameters;
    struct vkdml_plan_step *step;
    const VkdmlResult result = vkdml_builder_add(covered->builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    fill_parameters(covered, box, rows, &parameters);
    parameters.unit_count = (uint32_t)units;
    parameters.group_count = (uint32_t)vkdml_divide_up(units, local_size);
    step->kernel = VKDML_KERNEL_INTEGER_DEPTHWISE;
    step->float_controls = limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_TYPE_OUT, (uint32_t)p->out.type);
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_SHAPE, shape_of(covered, box));
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_COLUMN_TAPS, p->columns.taps);
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_ROW_TAPS, p->rows.taps);
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_COLUMN_STEP, p->columns.step);
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_ROW_STEP, p->rows.step);
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_COLUMN_GAP, p->columns.tap_step);
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_ROWS, rows);
    vkdml_step_constant(step, VKDML_INTEGER_DEPTHWISE_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    for (uint32_t t = 0; t < TENSORS; ++t) {
        const struct vkdml_window window = window_of(covered, t, box);
        step->buffers[t] = vkdml_origin_buffer(covered->origins[t], window.offset, window.size);
    }
    /* The module names the terms whether or not there are some: what it names is bound. */
    step->buffers[3] = covered->terms.word_count != 0
                           ? vkdml_origin_buffer(&covered->terms.at, 0, 4 * (uint64_t)covered->terms.word_count)
                           : step->buffers[0];
    step->buffer_count = 4;
    return vkdml_grid(parameters.group_count, limits, covered->builder->report, step->groups);
}

/* ---- plans ---- */

bool vkdml_integer_depthwise_suits_filter(const struct vkdml_integer_depthwise *depthwise, uint32_t step) {
    const struct vkdml_integer_axis *columns = &depthwise->columns, *rows = &depthwise->rows;
    const uint64_t span = (uint64_t)(WIDTH - 1) * step + (uint64_t)(columns->taps - 1) * columns->tap_step + 1;
    return depthwise->channels <= MOST_CHANNELS && depthwise->made <= MOST_CHANNELS && span <= MOST_SPAN &&
           columns->taps <= MOST_WEIGHTS / rows->taps;
}

bool vkdml_integer_depthwise_suits(const struct vkdml_integer_depthwise *depthwise,
                                   const struct vkdml_plan_limits *limits) {
    const struct covered covered = cover(depthwise, NULL);
    const struct vkdml_box one = {{0}, {1, 1, 1, 1, 1}};
    bool suits = depthwise->columns.source_size <= INT32_MAX;
    for (uint32_t t = 0; t < TENSORS && suits; ++t) { /* what a pixel takes can be bound, wherever it begins */
        suits = vkdml_fits(limits, 4, window_of(&covered, t, &one).size + 4);
    }
    return suits;
}

VkdmlResult vkdml_integer_depthwise_plan(const struct vkdml_integer_depthwise *depthwise,
                                         struct vkdml_builder *builder) {
    struct covered covered = cover(depthwise, builder);
    const struct vkdml_covering covering = {&covered, RANK, TENSORS, builder, bytes, reach, add};
    const struct vkdml_box whole = {
        {0}, {depthwise->columns.size, depthwise->rows.size, depthwise->made, depthwise->groups, depthwise->pictures}};
    vkdml_note(builder->report,
               "depthwise: few channels in a group, so an invocation makes %d pixels of a row from registers", WIDTH);
    const VkdmlResult result = vkdml_integer_terms_plan(depthwise->terms, builder, &covered.terms);
    vkdml_builder_phase(builder);
    return result == VKDML_SUCCESS ? vkdml_cover(&covering, &whole) : result;
}
