#include "frames/neighbours/gradient_step.h"

#include <string.h>

#include "base/checked.h"
#include "frames/neighbours/shares.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* lavapipe ends an invocation's loops after 65,535 turns in total, silently. */
#define MOST_TURNS 60000

/* Of a place's coordinate in the table: two binary searches. */
#define TABLE_TURNS 100

_Static_assert(sizeof(((struct vkdml_gradient_parameters *)NULL)->walks) == 2 * VKDML_GRADIENT_WALKS * 16,
               "two records a walk");
_Static_assert(sizeof(((struct vkdml_gradient_ranges_parameters *)NULL)->walks) == 3 * VKDML_GRADIENT_WALKS * 16,
               "three records a walk");

bool vkdml_gradient_has_shares(const struct vkdml_gradient *gradient) {
    return gradient->kind == VKDML_GRADIENT_SHARED || gradient->kind == VKDML_GRADIENT_LINEAR;
}

/* ---- the table ---- */

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint32_t vkdml_gradient_apart(const struct vkdml_neighbours_dimension *dimension) {
    return dimension->is_scaled ? 1 : dimension->tap_step / common_divisor(dimension->tap_step, dimension->source_step);
}

/* What a times it is 1 modulo m, to which a is prime. */
static uint32_t inverse_modulo(uint32_t a, uint32_t m) {
    int64_t rest = m, next = a % m, factor = 0, next_factor = 1;
    while (next > 1) {
        const int64_t quotient = rest / next, later = rest % next, later_factor = factor - quotient * next_factor;
        rest = next;
        next = later;
        factor = next_factor;
        next_factor = later_factor;
    }
    return (uint32_t)(next_factor < 0 ? next_factor + m : next_factor);
}

static void fill_window(const struct vkdml_neighbours_dimension *dimension, uint32_t (*vectors)[4]) {
    const uint32_t common = common_divisor(dimension->tap_step, dimension->source_step);
    const uint32_t modulus = dimension->tap_step / common;
    const uint32_t window[] = {dimension->start, dimension->taps, dimension->tap_step, dimension->source_step};
    memcpy(vectors[1], window, sizeof(window));
    vectors[2][0] = modulus;
    vectors[2][1] = modulus > 1 ? inverse_modulo(dimension->source_step / common, modulus) : 0;
    vectors[2][2] = common;
}

static uint32_t fill_place(const struct vkdml_neighbours_dimension *dimension, uint32_t (*vectors)[4]) {
    const struct vkdml_scaling *scaling = &dimension->scaling;
    vectors[1][0] = vkdml_float_bits(scaling->scale);
    vectors[1][1] = vkdml_float_bits(1 / scaling->scale);
    vectors[1][2] = vkdml_float_bits(scaling->output_offset);
    vectors[1][3] = vkdml_float_bits(scaling->input_offset);
    vectors[2][0] = vkdml_float_bits(vkdml_scaling_limit(dimension->size));
    vectors[2][1] = vkdml_float_bits(scaling->bias);
    return VKDML_GRADIENT_RANGES_IS_SCALED | (scaling->rounds_up ? VKDML_GRADIENT_RANGES_ROUNDS_UP : 0) |
           (vkdml_scaling_is_binary(scaling) ? 0 : VKDML_GRADIENT_RANGES_DIVIDES);
}

VkdmlResult vkdml_gradient_fill_table(const struct vkdml_gradient *gradient, const struct vkdml_gradient_table *table,
                                      const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                      struct vkdml_plan_step *step) {
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    struct vkdml_gradient_ranges_parameters parameters;
    struct vkdml_shares shares = {.items = table->pairs};
    uint32_t flags = gradient->kind == VKDML_GRADIENT_LINEAR ? VKDML_GRADIENT_RANGES_IS_LINEAR : 0;
    memset(&parameters, 0, sizeof(parameters));
    for (uint32_t walk = 0; walk < table->walk_count; ++walk) {
        const struct vkdml_neighbours_dimension *dimension = &gradient->neighbours.dimensions[table->walks[walk]];
        uint32_t(*vectors)[4] = &parameters.walks[3 * walk];
        const uint32_t counts[] = {(uint32_t)table->first[walk], dimension->size, dimension->source_size,
                                   dimension->size};
        memcpy(vectors[0], counts, sizeof(counts));
        if (dimension->is_scaled) {
            flags |= fill_place(dimension, vectors);
        } else {
            fill_window(dimension, vectors);
        }
    }
    vkdml_shares_of_items(&shares, MOST_TURNS / TABLE_TURNS, serial);
    const uint64_t groups = vkdml_divide_up(shares.items, local_size * shares.share);
    parameters.group_count = (uint32_t)groups;
    parameters.item_count = (uint32_t)shares.items;
    parameters.share = (uint32_t)shares.share;
    step->kernel = VKDML_KERNEL_GRADIENT_RANGES;
    step->float_controls = limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->buffer_count = 1;
    step->buffers[0] = vkdml_origin_buffer(&table->at, 0, 8 * table->pairs);
    vkdml_step_constant(step, VKDML_GRADIENT_RANGES_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_GRADIENT_RANGES_CONSTANT_FLAGS, flags);
    vkdml_step_constant(step, VKDML_GRADIENT_RANGES_CONSTANT_WALKS, table->walk_count);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(groups, limits, report, step->groups);
}

/* ---- sums ---- */

struct shape {
    uint32_t width; /* elements of an item */
    bool is_along;
    uint64_t turns; /* of an item */
    struct vkdml_shares shares;
};

static uint32_t width_of(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                         const struct vkdml_plan_limits *limits) {
    static const uint32_t of_words[] = {4}, of_halves[] = {8, 2};
    const bool halves = n->target.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const struct vkdml_neighbours_dimension *last = &n->dimensions[n->count - 1];
    if (last->target_stride != 1 || (last->is_walked && vkdml_gradient_apart(last) != 1)) {
        return 1;
    }
    for (uint32_t i = 0; i < (halves ? 2 : 1); ++i) {
        const uint32_t width = halves ? of_halves[i] : of_words[i];
        if (vkdml_neighbours_are_whole(n, part, width, limits)) {
            return width;
        }
    }
    return 1;
}

static struct shape shape_of(const struct vkdml_gradient *gradient, const struct vkdml_gradient_table *table,
                             const struct vkdml_neighbours_part *part, const struct vkdml_plan_limits *limits) {
    const struct vkdml_neighbours *n = &gradient->neighbours;
    struct shape shape = {.width = width_of(n, part, limits), .is_along = n->dimensions[n->count - 1].is_walked};
    uint64_t rows = 1;
    for (uint32_t walk = 0; walk + shape.is_along < table->walk_count; ++walk) {
        rows *= part->box.size[n->count + walk];
    }
    const uint64_t row = shape.is_along ? part->box.size[n->count + table->walk_count - 1] * (uint64_t)shape.width : 0;
    shape.turns = n->count + 4 + rows * (3 + row);
    shape.shares.items = part->box.size[n->count - 1] / shape.width;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        shape.shares.items *= part->box.size[d];
    }
    vkdml_shares_of_items(&shape.shares, MOST_TURNS / shape.turns, limits->variant == VKDML_KERNEL_VARIANT_SERIAL);
    return shape;
}

static void fill_dimensions(const struct vkdml_neighbours *n, const struct vkdml_box *box,
                            struct vkdml_gradient_parameters *parameters) {
    for (uint32_t d = 0; d < n->count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        const struct vkdml_divisor divisor = vkdml_divisor(box->size[d]);
        const uint32_t size[] = {box->size[d], divisor.multiplier, divisor.shifts, dimension->source_stride};
        memcpy(parameters->sizes[d], size, sizeof(size));
        parameters->target_strides[d] = dimension->target_stride;
        parameters->winner_strides[d] = dimension->own_stride;
        parameters->place_strides[d] = dimension->tap_stride;
        parameters->place_first += box->origin[d] * dimension->tap_stride;
        if (!dimension->is_walked) { /* walks' coordinates count from the tensors' first elements */
            parameters->source_first += box->origin[d] * dimension->source_stride;
            parameters->winners_first += box->origin[d] * dimension->own_stride;
        }
    }
}

static uint32_t fill_walks(const struct vkdml_neighbours *n, const struct vkdml_gradient_table *table,
                           const struct vkdml_box *box, struct vkdml_gradient_parameters *parameters) {
    uint32_t nibbles = UINT32_MAX;
    for (uint32_t walk = 0; walk < table->walk_count; ++walk) {
        const uint32_t d = table->walks[walk];
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        const uint32_t first = (uint32_t)table->first[walk];
        const uint32_t records[] = {box->origin[d],
                                    first,
                                    first + dimension->size,
                                    dimension->source_stride,
                                    box->origin[n->count + walk],
                                    box->size[n->count + walk],
                                    vkdml_gradient_apart(dimension),
                                    dimension->own_stride};
        memcpy(parameters->walks[2 * walk], records, sizeof(records));
        nibbles &= ~(UINT32_C(15) << 4 * d);
        nibbles |= walk << 4 * d;
    }
    return nibbles;
}

static uint32_t flags_of(const struct vkdml_gradient *gradient, const struct vkdml_gradient_table *table,
                         const struct vkdml_neighbours_part *part, bool is_along) {
    const bool has_walks = table->walk_count > 0;
    const bool has_places = gradient->kind == VKDML_GRADIENT_NEAREST || gradient->kind == VKDML_GRADIENT_LINEAR;
    return (has_places ? VKDML_GRADIENT_HAS_PLACES : 0) | (part->accumulates ? VKDML_GRADIENT_ACCUMULATES : 0) |
           (gradient->kind == VKDML_GRADIENT_WINNERS ? VKDML_GRADIENT_HAS_WINNERS : 0) |
           (is_along ? VKDML_GRADIENT_IS_ALONG : 0) | (part->is_cut ? VKDML_GRADIENT_HAS_PARTS : 0) |
           (gradient->kind == VKDML_GRADIENT_SHARED && has_walks ? VKDML_GRADIENT_HAS_COUNTS : 0) |
           (gradient->kind == VKDML_GRADIENT_LINEAR && has_walks ? VKDML_GRADIENT_IS_LINEAR : 0) |
           (gradient->factor != 1 ? VKDML_GRADIENT_HAS_FACTOR : 0);
}

/* Whether whole rows of the source are bound, which begin and end at multiples of four elements. */
static bool is_aligned(const struct vkdml_neighbours *n, const struct vkdml_window *source,
                       const struct vkdml_neighbours_part *part, const struct vkdml_plan_limits *limits) {
    const struct vkdml_neighbours_dimension *last = &n->dimensions[n->count - 1];
    const uint32_t bytes = vkdml_data_type_bits(n->source.type) / 8;
    const uint64_t place =
        vkdml_place_modulo_16(limits, n->source.offset + source->offset, (uint64_t)source->lead * bytes);
    bool aligned = !part->is_cut && last->source_stride == 1 && last->source_size % 4 == 0 &&
                   part->box.size[n->count - 1] == last->size && place % (4 * bytes) == 0;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        aligned = aligned && n->dimensions[d].source_stride % 4 == 0;
    }
    return aligned;
}

static void bind(const struct vkdml_origin *origin, const struct vkdml_window *window, struct vkdml_plan_step *step) {
    step->buffers[step->buffer_count++] = vkdml_origin_buffer(origin, window->offset, window->size);
}

VkdmlResult vkdml_gradient_fill_step(const struct vkdml_gradient *gradient, const struct vkdml_gradient_table *table,
                                     const struct vkdml_neighbours_part *part, const struct vkdml_plan_limits *limits,
                                     struct vkdml_report *report, struct vkdml_plan_step *step) {
    const struct vkdml_neighbours *n = &gradient->neighbours;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const bool has_winners = gradient->kind == VKDML_GRADIENT_WINNERS;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const struct shape shape = shape_of(gradient, table, part, limits);
    const struct vkdml_window source = vkdml_window_of(part->source, vkdml_data_type_bits(n->source.type));
    const struct vkdml_window target = vkdml_window_of(part->target, vkdml_data_type_bits(n->target.type));
    const struct vkdml_window winners = vkdml_window_of(part->own, 32);
    const struct vkdml_window whole_table = {.size = 8 * table->pairs};
    const uint64_t groups = vkdml_divide_up(shape.shares.items, local_size * shape.shares.share);
    struct vkdml_gradient_parameters parameters;
    memset(&parameters, 0, sizeof(parameters));
    parameters.group_count = (uint32_t)groups;
    parameters.item_count = (uint32_t)shape.shares.items;
    parameters.items_per_row = part->box.size[n->count - 1] / shape.width;
    parameters.row_length = part->box.size[n->count - 1];
    parameters.row_divisor = vkdml_divisor(parameters.items_per_row);
    parameters.share = (uint32_t)shape.shares.share;
    parameters.factor = vkdml_float_bits(gradient->factor);
    parameters.source_first = source.lead - (uint32_t)(part->source.first - n->source.first);
    parameters.winners_first = has_winners ? winners.lead - (uint32_t)(part->own.first - n->own.first) : 0;
    parameters.target_first = target.lead;
    fill_dimensions(n, &part->box, &parameters);
    const uint32_t walk_of = fill_walks(n, table, &part->box, &parameters);

    const bool has_halves =
        n->source.type == DML_TENSOR_DATA_TYPE_FLOAT16 || n->target.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    step->float_controls = has_halves ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->kernel = VKDML_KERNEL_GRADIENT;
    bind(&n->source, &source, step);
    bind(&n->target, &target, step);
    /* The kernel names a table even where no dimension is walked, and winners come behind it. */
    if (table->walk_count > 0) {
        bind(&table->at, &whole_table, step);
    } else {
        bind(&n->source, &source, step);
    }
    if (has_winners) {
        bind(&n->own, &winners, step);
    }
    vkdml_step_constant(step, VKDML_GRADIENT_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_GRADIENT_CONSTANT_TYPES, (uint32_t)n->source.type | (uint32_t)n->target.type << 4);
    vkdml_step_constant(step, VKDML_GRADIENT_CONSTANT_FLAGS,
                        flags_of(gradient, table, part, shape.is_along) |
                            (is_aligned(n, &source, part, limits) ? VKDML_GRADIENT_IS_ALIGNED : 0));
    vkdml_step_constant(step, VKDML_GRADIENT_CONSTANT_RANK, n->count);
    vkdml_step_constant(step, VKDML_GRADIENT_CONSTANT_WALK_OF, walk_of);
    vkdml_step_constant(step, VKDML_GRADIENT_CONSTANT_OUTER_WALKS, table->walk_count - shape.is_along);
    vkdml_step_constant(step, VKDML_GRADIENT_CONSTANT_V, shape.width);
    vkdml_step_constant(step, VKDML_GRADIENT_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(groups, limits, report, step->groups);
}
