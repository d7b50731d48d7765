#include "frames/neighbours/neighbours_step.h"

#include <float.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "frames/neighbours/collapse.h"
#include "frames/neighbours/shares.h"
#include "plan/step.h"

/* Rings take many registers: of 256 an H200 runs fewer at once (LRN of FLOAT16 across channels 0.79 of the copy peak
 * instead of 0.81). */
#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* lavapipe ends an invocation's loops after 65,535 turns in total, silently. */
#define MOST_TURNS 60000

/* What is summed without blocks; so many steps slide along the same elements. */
#define LONG_SUM   64
#define MOST_SLIDE 16

/* Rings are registers. */
#define MOST_RING 9
#define NO_RING   VKDML_MAX_DIMENSIONS

struct shape {
    enum vkdml_neighbours_mode mode;
    uint32_t width; /* elements of an item */
    uint32_t ring;  /* the dimension; NO_RING */
    uint32_t ring_taps;
    bool is_loose;
    bool is_whole;  /* rows begin and end with items */
    uint32_t outer; /* walks */
    uint32_t walk_count;
    uint32_t walks[VKDML_NEIGHBOURS_WALKS]; /* dimensions */
    uint32_t taps[VKDML_MAX_DIMENSIONS];    /* of the part */
    uint32_t first_tap[VKDML_MAX_DIMENSIONS];
    uint64_t items_per_row;
    uint64_t terms;
    uint64_t turns; /* of an item, or of a row of a ring */
    struct vkdml_shares shares;
};

static const struct vkdml_neighbours_dimension *last_of(const struct vkdml_neighbours *n) {
    return &n->dimensions[n->count - 1];
}

static bool interpolates(const struct vkdml_neighbours *n) {
    return n->kind != VKDML_NEIGHBOURS_SUM;
}

static enum vkdml_neighbours_mode mode_of(const struct vkdml_neighbours *n, const struct shape *shape) {
    const struct vkdml_neighbours_dimension *last = last_of(n);
    if (shape->width == 1 || last->source_stride != 1 ||
        (last->is_walked && (last->source_step != 1 || interpolates(n)))) {
        return VKDML_NEIGHBOURS_MODE_SINGLE;
    }
    if (!last->is_walked) {
        return VKDML_NEIGHBOURS_MODE_SIDE;
    }
    const bool slides = last->tap_stride == 0 && last->tap_step == 1 && shape->taps[n->count - 1] <= MOST_SLIDE;
    return slides ? VKDML_NEIGHBOURS_MODE_SLIDE : VKDML_NEIGHBOURS_MODE_TAPS;
}

static bool can_ring(const struct vkdml_neighbours *n, const struct shape *shape,
                     const struct vkdml_neighbours_part *part, uint32_t d) {
    const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
    return dimension->is_walked && !part->is_cut && d + 1 != n->count && dimension->tap_step == 1 &&
           dimension->source_step == 1 && dimension->tap_stride == 0 && dimension->taps > 1 &&
           dimension->taps <= MOST_RING && dimension->start < dimension->taps && part->box.size[d] > 1 &&
           shape->mode != VKDML_NEIGHBOURS_MODE_SINGLE && !interpolates(n);
}

static void add_walk(struct shape *shape, uint32_t d) {
    shape->walks[shape->walk_count++] = d;
}

/* Outer walks first, then the ring's, then the items' own. */
static void order_walks(const struct vkdml_neighbours *n, struct shape *shape) {
    const uint32_t last = n->count - 1;
    const bool is_apart =
        interpolates(n) || shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE || shape->mode == VKDML_NEIGHBOURS_MODE_TAPS;
    for (uint32_t d = 0; d < n->count; ++d) {
        if (n->dimensions[d].is_walked && d != shape->ring && (d != last || !is_apart)) {
            add_walk(shape, d);
        }
    }
    shape->outer = shape->walk_count;
    if (shape->ring != NO_RING) {
        add_walk(shape, shape->ring);
    }
    if (n->dimensions[last].is_walked && is_apart) {
        add_walk(shape, last);
    }
}

/* The most steps of a walk that lead somewhere, or that are tried. */
static uint64_t turns_of(const struct vkdml_neighbours_dimension *dimension, uint32_t taps) {
    const uint64_t turns = dimension->tap_step == 1 ? vkdml_divide_up(taps, dimension->source_step) : taps;
    return dimension->tap_step == 1 && turns > dimension->source_size ? dimension->source_size : turns;
}

static uint64_t product(uint64_t a, uint64_t b) {
    return a > UINT32_MAX || b > UINT32_MAX ? UINT64_MAX : a * b;
}

/* Of an average the steps are walked twice, or once for each element of an item. */
static void count_interpolating(const struct vkdml_neighbours *n, struct shape *shape) {
    shape->turns = 40 + 32 * shape->width;
    if (n->kind == VKDML_NEIGHBOURS_AVERAGE) {
        const struct vkdml_neighbours_dimension *walk = &n->dimensions[shape->walks[0]];
        const uint64_t times = walk == last_of(n) ? shape->width : 1;
        shape->terms = walk->taps;
        shape->turns += 2 * times * walk->taps +
                        (shape->mode == VKDML_NEIGHBOURS_MODE_SIDE ? 0 : shape->width * (uint64_t)walk->taps);
    }
}

static void count_turns(const struct vkdml_neighbours *n, struct shape *shape) {
    const uint32_t taps = shape->taps[n->count - 1];
    const uint64_t width = shape->width;
    const uint64_t overhead = n->count + shape->walk_count + 2 + 2 * width;
    if (interpolates(n)) {
        count_interpolating(n, shape);
        return;
    }
    uint64_t rows = 1;
    for (uint32_t w = 0; w < shape->outer; ++w) {
        rows = product(rows, turns_of(&n->dimensions[shape->walks[w]], shape->taps[shape->walks[w]]));
    }
    const uint64_t row = shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE  ? taps + width
                         : shape->mode == VKDML_NEIGHBOURS_MODE_TAPS ? taps * (1 + width)
                         : shape->mode == VKDML_NEIGHBOURS_MODE_SIDE ? width
                                                                     : 0;
    shape->terms = product(
        rows, shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE || shape->mode == VKDML_NEIGHBOURS_MODE_TAPS ? taps : 1);
    shape->turns = product(rows, 1 + shape->outer + row) + overhead + shape->outer;
    if (shape->mode == VKDML_NEIGHBOURS_MODE_SINGLE) {
        shape->turns = product(shape->turns, width);
    }
}

static uint32_t width_of(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part) {
    const uint32_t bits = vkdml_data_type_bits(n->target.type);
    if (bits == 64 || last_of(n)->target_stride != 1 || part->box.size[n->count - 1] == 1) {
        return 1;
    }
    return bits == 16 ? 8 : 4;
}

/* How far a ring is walked at once. */
static void choose_share(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                         const struct vkdml_plan_limits *limits, struct shape *shape) {
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint64_t ending = shape->width * (uint64_t)vkdml_epilogue_turns(n->epilogue);
    const uint64_t most = MOST_TURNS / (shape->turns + shape->width + 2 + ending);
    if (shape->ring != NO_RING) {
        vkdml_shares_of_ring(&shape->shares, part->box.size[shape->ring], 4 * (uint64_t)shape->ring_taps,
                             most - shape->ring_taps, serial);
    } else {
        vkdml_shares_of_items(&shape->shares, most, serial);
    }
}

bool vkdml_neighbours_are_whole(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                                uint32_t width, const struct vkdml_plan_limits *limits) {
    const struct vkdml_window target = vkdml_window_of(part->target, vkdml_data_type_bits(n->target.type));
    const uint32_t bytes = vkdml_data_type_bits(n->target.type) / 8;
    const uint64_t first =
        vkdml_place_modulo_16(limits, n->target.offset + target.offset, (uint64_t)target.lead * bytes);
    const uint32_t item = width * bytes < 16 ? width * bytes : 16;
    bool whole = width > 1 && part->box.size[n->count - 1] % width == 0 && first % item == 0;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        whole = whole && n->dimensions[d].target_stride % width == 0;
    }
    return whole;
}

/* Whether centres of a whole dimension are mapped onto those of one `scale` times as small. */
static bool is_scaled_by(const struct vkdml_neighbours_dimension *dimension, float scale, uint32_t size) {
    return dimension->is_walked &&
           (dimension->is_scaled ? vkdml_scaling_is_centred(&dimension->scaling, scale, size)
                                 : (float)dimension->source_step == scale) &&
           size == dimension->size && size * (double)(1 / scale) <= dimension->source_size;
}

/* Whether whole items of rows of twice or half their size lie above elements that can be loaded at once. */
static enum vkdml_neighbours_mode whole_rows_of(const struct vkdml_neighbours *n,
                                                const struct vkdml_neighbours_part *part, const struct shape *shape,
                                                const struct vkdml_plan_limits *limits) {
    const struct vkdml_neighbours_dimension *last = last_of(n);
    const uint32_t size = part->box.size[n->count - 1];
    if (n->kind != VKDML_NEIGHBOURS_LINEAR || !shape->is_whole || part->is_cut || last->source_stride != 1 ||
        shape->outer > 1) {
        return VKDML_NEIGHBOURS_MODE_SINGLE;
    }
    if (is_scaled_by(last, 0.5f, size)) {
        return VKDML_NEIGHBOURS_MODE_HALVED;
    }
    const struct vkdml_window source = vkdml_window_of(part->source, vkdml_data_type_bits(n->source.type));
    const uint32_t half = shape->width / 2;
    const uint32_t bytes = vkdml_data_type_bits(n->source.type) / 8;
    const uint64_t first =
        vkdml_place_modulo_16(limits, n->source.offset + source.offset, (uint64_t)source.lead * bytes);
    bool doubles = is_scaled_by(last, 2, size) && size == 2 * (uint64_t)last->source_size &&
                   n->source.type == n->target.type && vkdml_data_type_is_float(n->source.type) &&
                   first % (half * bytes) == 0;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        doubles = doubles && n->dimensions[d].source_stride % half == 0;
    }
    return doubles ? VKDML_NEIGHBOURS_MODE_DOUBLED : VKDML_NEIGHBOURS_MODE_SINGLE;
}

static void find_taps(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                      struct shape *shape) {
    uint32_t walk = n->count;
    for (uint32_t d = 0; d < n->count; ++d) {
        if (n->dimensions[d].is_walked) {
            shape->first_tap[d] = part->box.origin[walk];
            shape->taps[d] = part->box.size[walk++];
        }
    }
}

static void find_shape(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                       const struct vkdml_plan_limits *limits, uint32_t width, struct shape *shape) {
    memset(shape, 0, sizeof(*shape));
    find_taps(n, part, shape);
    shape->width = width;
    shape->mode = mode_of(n, shape);
    shape->ring = NO_RING;
    for (uint32_t d = 0; d < n->count && shape->ring == NO_RING; ++d) {
        if (can_ring(n, shape, part, d)) {
            shape->ring = d;
            shape->ring_taps = n->dimensions[d].taps;
        }
    }
    order_walks(n, shape);
    count_turns(n, shape);
    if (shape->ring != NO_RING && shape->turns - n->count > MOST_TURNS / (4 * MOST_RING)) {
        shape->ring = NO_RING;
        shape->ring_taps = 0;
        shape->walk_count = 0;
        order_walks(n, shape);
        count_turns(n, shape);
    }
    const uint64_t row = part->box.size[n->count - 1];
    shape->is_loose = shape->ring != NO_RING && n->dimensions[shape->ring].target_stride % width != 0;
    shape->is_whole = vkdml_neighbours_are_whole(n, part, width, limits);
    const enum vkdml_neighbours_mode whole_rows = whole_rows_of(n, part, shape, limits);
    if (whole_rows != VKDML_NEIGHBOURS_MODE_SINGLE) {
        shape->mode = whole_rows;
        shape->turns = 16;
    }
    shape->items_per_row = vkdml_divide_up(row + (shape->is_loose || shape->is_whole ? 0 : width - 1), width);
    shape->shares.items = shape->items_per_row;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        shape->shares.items *= part->box.size[d];
    }
    if (shape->turns <= MOST_TURNS) {
        choose_share(n, part, limits, shape);
    }
}

static uint32_t finish_of(const struct vkdml_neighbours *n) {
    static const struct {
        float power;
        uint32_t finish;
    } powers[] = {{0.75f, VKDML_NEIGHBOURS_NORMALIZED_3_4},
                  {0.5f, VKDML_NEIGHBOURS_NORMALIZED_1_2},
                  {1.0f, VKDML_NEIGHBOURS_NORMALIZED_1}};
    if (n->finish == VKDML_NEIGHBOURS_TOTAL) {
        return VKDML_NEIGHBOURS_TOTAL;
    }
    for (uint32_t i = 0; i < sizeof(powers) / sizeof(powers[0]); ++i) {
        if (memcmp(&powers[i].power, &n->arguments[2], 4) == 0) {
            return powers[i].finish;
        }
    }
    return VKDML_NEIGHBOURS_NORMALIZED;
}

/* Whether items begin at multiples of their size in a tensor too, of which a dimension has the strides given. */
static bool is_aligned(const struct vkdml_neighbours *n, const struct vkdml_origin *tensor,
                       const struct vkdml_window *window, const struct vkdml_window *target, const uint32_t *strides,
                       uint32_t width, const struct vkdml_plan_limits *limits) {
    const uint32_t bits = vkdml_data_type_bits(tensor->type);
    const uint32_t bytes = width * bits / 8 < 16 ? width * bits / 8 : 16;
    const uint32_t target_bytes = width * vkdml_data_type_bits(n->target.type) / 8;
    bool aligned =
        width > 1 &&
        vkdml_place_modulo_16(limits, tensor->offset + window->offset, (uint64_t)window->lead * bits / 8) % bytes ==
            0 &&
        vkdml_place_modulo_16(limits, n->target.offset + target->offset,
                              (uint64_t)target->lead * vkdml_data_type_bits(n->target.type) / 8) %
                (target_bytes < 16 ? target_bytes : 16) ==
            0;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        aligned = aligned && strides[d] % width == 0 && n->dimensions[d].target_stride % width == 0 &&
                  (!n->dimensions[d].is_walked || n->dimensions[d].tap_stride % width == 0);
    }
    return aligned;
}

/* Of a dimension between whose elements places are found: three vectors. */
static void fill_place(const struct vkdml_neighbours *n, const struct vkdml_neighbours_dimension *dimension,
                       uint32_t first_tap, uint32_t (*vectors)[4]) {
    const struct vkdml_scaling *scaling = &dimension->scaling;
    vectors[0][2] = first_tap;
    if (!dimension->is_scaled) {
        vectors[1][3] = vkdml_float_bits(0.5f / (float)dimension->source_step);
        return;
    }
    vectors[1][0] = vkdml_float_bits(scaling->scale);
    vectors[1][1] = vkdml_float_bits(1 / scaling->scale);
    vectors[1][2] = vkdml_float_bits(scaling->output_offset);
    vectors[1][3] = vkdml_float_bits(scaling->input_offset);
    vectors[2][0] = vkdml_float_bits(vkdml_scaling_limit(dimension->source_size));
    vectors[2][1] = vkdml_float_bits(scaling->bias);
    if (n->kind == VKDML_NEIGHBOURS_AVERAGE) {
        vectors[2][2] = vkdml_scaling_reach(scaling);
    }
}

static void fill_walks(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                       const struct shape *shape, struct vkdml_neighbours_parameters *parameters) {
    const uint32_t vectors_per_walk = interpolates(n) ? 3 : 2;
    for (uint32_t w = 0; w < shape->walk_count; ++w) {
        const uint32_t d = shape->walks[w];
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        const struct vkdml_divisor divisor = vkdml_divisor(dimension->source_step);
        uint32_t(*vectors)[4] = &parameters->walks[vectors_per_walk * w];
        vectors[0][1] = shape->taps[d];
        vectors[0][3] = dimension->source_size;
        vectors[1][0] = dimension->source_step;
        vectors[1][1] = divisor.multiplier;
        vectors[1][2] = divisor.shifts;
        parameters->walk_strides[w] = dimension->source_stride;
        if (interpolates(n)) {
            vectors[0][0] = part->box.origin[d];
            fill_place(n, dimension, shape->first_tap[d], vectors);
        } else {
            vectors[0][0] = part->box.origin[d] + dimension->start - shape->first_tap[d] * dimension->tap_step;
            vectors[0][2] = dimension->tap_step;
            vectors[1][3] = dimension->tap_stride;
            parameters->source_first += shape->first_tap[d] * dimension->tap_stride;
        }
    }
}

void vkdml_neighbours_fill_dimension(const struct vkdml_neighbours_dimension *dimension, uint32_t d, uint32_t size,
                                     struct vkdml_neighbours_parameters *parameters) {
    const struct vkdml_divisor divisor = vkdml_divisor(size);
    parameters->sizes[d][0] = size;
    parameters->sizes[d][1] = divisor.multiplier;
    parameters->sizes[d][2] = divisor.shifts;
    parameters->sizes[d][3] = dimension->source_stride;
    parameters->own_strides[d] = dimension->own_stride;
    parameters->target_strides[d] = dimension->target_stride;
}

void vkdml_neighbours_fill_ending(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                                  struct vkdml_neighbours_parameters *parameters, struct vkdml_plan_step *step) {
    const struct vkdml_ending ending = vkdml_epilogue_ending(part->is_last ? n->epilogue : NULL);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_EPILOGUE, ending.constant);
    if (ending.constant == 0) {
        return;
    }
    parameters->operand_first = ending.first;
    parameters->factor = ending.factor;
    memcpy(parameters->function_arguments, ending.arguments, sizeof(ending.arguments));
    for (uint32_t d = 0; d < n->count; ++d) {
        parameters->operand_first += part->box.origin[d] * n->dimensions[d].operand_stride;
        parameters->operand_strides[d] = n->dimensions[d].operand_stride;
    }
    vkdml_ending_bind(&ending, step);
}

static void fill_dimensions(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                            const struct shape *shape, struct vkdml_neighbours_parameters *parameters) {
    for (uint32_t d = 0; d < n->count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        const uint32_t size = d == shape->ring ? (uint32_t)shape->shares.shares : part->box.size[d];
        vkdml_neighbours_fill_dimension(dimension, d, size, parameters);
        if (!dimension->is_walked) {
            parameters->source_first += part->box.origin[d] * dimension->source_stride;
        }
    }
}

static uint32_t walk_nibbles(const struct vkdml_neighbours *n, const struct shape *shape) {
    uint32_t nibbles = 0;
    for (uint32_t d = 0; d < VKDML_MAX_DIMENSIONS; ++d) {
        uint32_t walk = VKDML_NEIGHBOURS_NO_WALK;
        for (uint32_t w = 0; w < shape->walk_count && d < n->count; ++w) {
            walk = shape->walks[w] == d ? w : walk;
        }
        nibbles |= walk << (4 * d);
    }
    return nibbles;
}

/* Whether no divisor is 0, denormal or negative. */
static bool is_steady(const struct vkdml_neighbours *n) {
    float scale, bias;
    memcpy(&scale, &n->arguments[0], sizeof(scale));
    memcpy(&bias, &n->arguments[1], sizeof(bias));
    return scale >= 0 && bias >= FLT_MIN;
}

/* Steps of whole items that lead into an item and its neighbours: how many there are, and where the first leads. */
static uint32_t sliding_of(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                           const struct shape *shape, uint32_t operation) {
    const struct vkdml_neighbours_dimension *last = last_of(n);
    const uint32_t taps = shape->taps[n->count - 1];
    const bool is_near = taps >= 2 && taps <= MOST_RING && last->start < taps && last->start <= shape->width &&
                         taps - 1 - last->start <= shape->width && part->box.size[n->count - 1] == last->source_size;
    const bool slides = shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE && is_near &&
                        (operation & VKDML_NEIGHBOURS_SOURCE_IS_ALIGNED) != 0 &&
                        (operation & VKDML_NEIGHBOURS_ITEMS_ARE_WHOLE) != 0 &&
                        (operation & VKDML_NEIGHBOURS_IS_CUT) == 0 && vkdml_data_type_is_float(n->source.type);
    return slides ? taps | (shape->width + last->start + 1 - taps) << 4 : 0;
}

/* How interpolate.comp finds places, and what it makes of what is there. */
static uint32_t interpolation_of(const struct vkdml_neighbours *n, const struct vkdml_plan_limits *limits) {
    uint32_t interpolation = 0;
    for (uint32_t d = 0; d < n->count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        if (dimension->is_walked && dimension->is_scaled) {
            interpolation |= VKDML_INTERPOLATE_IS_SCALED;
            interpolation |= dimension->scaling.rounds_up ? VKDML_INTERPOLATE_ROUNDS_UP : 0;
            const bool is_exact = !limits->general && vkdml_scaling_is_binary(&dimension->scaling);
            interpolation |= is_exact ? 0 : VKDML_INTERPOLATE_DIVIDES;
        }
    }
    interpolation |= n->kind == VKDML_NEIGHBOURS_NEAREST ? VKDML_INTERPOLATE_IS_NEAREST : 0;
    interpolation |= n->kind == VKDML_NEIGHBOURS_AVERAGE ? VKDML_INTERPOLATE_IS_AVERAGE : 0;
    return interpolation;
}

static uint32_t operation_of(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                             const struct shape *shape, const struct vkdml_window windows[3],
                             const struct vkdml_plan_limits *limits) {
    uint32_t own_strides[VKDML_MAX_DIMENSIONS];
    uint32_t source_strides[VKDML_MAX_DIMENSIONS];
    for (uint32_t d = 0; d < n->count; ++d) {
        own_strides[d] = n->dimensions[d].own_stride;
        source_strides[d] = n->dimensions[d].source_stride;
    }
    uint32_t operation = (interpolates(n) ? interpolation_of(n, limits) : finish_of(n)) << VKDML_NEIGHBOURS_FINISH_SHIFT;
    operation |= n->squares ? VKDML_NEIGHBOURS_SQUARES : 0;
    operation |= shape->terms > LONG_SUM ? VKDML_NEIGHBOURS_IS_LONG : 0;
    operation |= part->accumulates ? VKDML_NEIGHBOURS_ACCUMULATES : 0;
    operation |= part->is_cut ? VKDML_NEIGHBOURS_IS_CUT : 0;
    operation |= shape->is_loose ? VKDML_NEIGHBOURS_IS_LOOSE : 0;
    operation |= shape->is_whole ? VKDML_NEIGHBOURS_ITEMS_ARE_WHOLE : 0;
    operation |= n->finish != VKDML_NEIGHBOURS_TOTAL && is_steady(n) ? VKDML_NEIGHBOURS_IS_STEADY : 0;
    if (!limits->general &&
        (shape->mode == VKDML_NEIGHBOURS_MODE_SIDE || shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE ||
         shape->mode == VKDML_NEIGHBOURS_MODE_HALVED) &&
        is_aligned(n, &n->source, &windows[0], &windows[1], source_strides, shape->width, limits)) {
        operation |= VKDML_NEIGHBOURS_SOURCE_IS_ALIGNED;
    }
    if (n->finish != VKDML_NEIGHBOURS_TOTAL && shape->width > 1 && last_of(n)->own_stride == 1) {
        operation |= VKDML_NEIGHBOURS_OWN_IS_SIDE_BY_SIDE;
        operation |= is_aligned(n, &n->own, &windows[2], &windows[1], own_strides, shape->width, limits)
                         ? VKDML_NEIGHBOURS_OWN_IS_ALIGNED
                         : 0;
    }
    return operation;
}

/* Whether a tensor is the one that is summed. */
static bool is_source(const struct vkdml_neighbours *n, const struct vkdml_origin *own) {
    return own->resource == n->source.resource && own->index == n->source.index && own->offset == n->source.offset;
}

static VkdmlResult refuse_turns(const struct shape *shape, struct vkdml_report *report) {
    return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "a sum of %" PRIu64 " elements takes %" PRIu64
                            " turns of a kernel's loops, must take at most %d",
                            shape->terms, shape->turns, MOST_TURNS);
}

/* All of a step but the words of its parameters; returns its workgroups. */
static uint64_t describe_step(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                              const struct shape *shape, const struct vkdml_plan_limits *limits,
                              struct vkdml_neighbours_parameters *parameters, struct vkdml_plan_step *step) {
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const bool has_own = n->finish != VKDML_NEIGHBOURS_TOTAL;
    const struct vkdml_origin *own = has_own ? &n->own : &n->source;
    const struct vkdml_window windows[] = {
        vkdml_window_of(part->source, vkdml_data_type_bits(n->source.type)),
        vkdml_window_of(part->target, vkdml_data_type_bits(n->target.type)),
        vkdml_window_of(part->own, vkdml_data_type_bits(own->type)),
    };
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    memset(parameters, 0, sizeof(*parameters));
    const uint64_t per_invocation = shape->ring != NO_RING ? 1 : shape->shares.share;
    const uint64_t groups = vkdml_divide_up(shape->shares.items, local_size * per_invocation);
    parameters->group_count = (uint32_t)groups;
    parameters->item_count = (uint32_t)shape->shares.items;
    parameters->items_per_row = (uint32_t)shape->items_per_row;
    parameters->row_length = part->box.size[n->count - 1];
    parameters->row_divisor = vkdml_divisor(parameters->items_per_row);
    parameters->share = (uint32_t)shape->shares.share;
    parameters->ring_length = shape->ring != NO_RING ? part->box.size[shape->ring] : 0;
    parameters->source_first = windows[0].lead - (uint32_t)(part->source.first - n->source.first);
    parameters->own_first = windows[2].lead;
    parameters->target_first = windows[1].lead;
    memcpy(parameters->arguments, n->arguments, sizeof(n->arguments));
    fill_dimensions(n, part, shape, parameters);
    fill_walks(n, part, shape, parameters);

    const bool has_halves = n->source.type == DML_TENSOR_DATA_TYPE_FLOAT16 ||
                            own->type == DML_TENSOR_DATA_TYPE_FLOAT16 || n->target.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    step->float_controls = has_halves ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    const uint32_t ring_own = shape->ring != NO_RING && has_own && is_source(n, own)
                                  ? shape->ring_taps - 1 - n->dimensions[shape->ring].start
                                  : VKDML_NEIGHBOURS_NO_OWN;
    const uint32_t operation = operation_of(n, part, shape, windows, limits);
    step->kernel = interpolates(n) ? VKDML_KERNEL_INTERPOLATE : VKDML_KERNEL_NEIGHBOURS;
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_TYPES,
                        (uint32_t)n->source.type | (uint32_t)own->type << 4 | (uint32_t)n->target.type << 8);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_OPERATION, operation);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_RANK, n->count);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_WALK_OF, walk_nibbles(n, shape));
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_OUTER_WALKS, shape->outer);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_V, shape->width);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_MODE, (uint32_t)shape->mode);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_RING,
                        shape->ring != NO_RING ? shape->ring_taps | ring_own << 4 | shape->ring << 8 : 0);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_SLIDING, sliding_of(n, part, shape, operation));
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    step->buffers[0] = vkdml_origin_buffer(&n->source, windows[0].offset, windows[0].size);
    step->buffers[1] = vkdml_origin_buffer(&n->target, windows[1].offset, windows[1].size);
    step->buffers[2] = vkdml_origin_buffer(own, windows[2].offset, windows[2].size);
    step->buffer_count = has_own ? 3 : 2;
    if (!interpolates(n)) {
        vkdml_neighbours_fill_ending(n, part, parameters, step);
    }
    return groups;
}

/* Whether items of whole rows may be twice as wide. */
static bool widens(const struct vkdml_neighbours *n, const struct vkdml_plan_limits *limits) {
    return limits->variant == VKDML_KERNEL_VARIANT_SERIAL && vkdml_data_type_bits(n->target.type) == 32 &&
           vkdml_data_type_is_float(n->source.type);
}

static void choose_shape(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                         const struct vkdml_plan_limits *limits, struct shape *shape) {
    const uint32_t width = width_of(n, part);
    find_shape(n, part, limits, interpolates(n) && widens(n, limits) && width == 4 ? 8 : width, shape);
    if (shape->mode != VKDML_NEIGHBOURS_MODE_DOUBLED && shape->mode != VKDML_NEIGHBOURS_MODE_HALVED &&
        shape->width != width) {
        find_shape(n, part, limits, width, shape);
    }
    if (shape->turns > MOST_TURNS) {
        find_shape(n, part, limits, 1, shape);
    }
}

/* ---- general plans ---- */

/* How a general plan's kernel walks. */
struct general_walk {
    enum vkdml_neighbours_mode mode;
    uint32_t width;
    bool keeps_last; /* the last dimension is not walked, and comes after those that are */
};

static bool is_by_whole_rows(enum vkdml_neighbours_mode mode) {
    return mode == VKDML_NEIGHBOURS_MODE_DOUBLED || mode == VKDML_NEIGHBOURS_MODE_HALVED;
}

/* Element by element where that gives the bits that `best` gives; false where sums have an order of their own there. */
static bool find_general_walk(const struct vkdml_neighbours *n, const struct shape *best, struct general_walk *walk) {
    const bool by_rows = interpolates(n) && is_by_whole_rows(best->mode);
    walk->mode = by_rows ? best->mode : VKDML_NEIGHBOURS_MODE_SINGLE;
    walk->width = by_rows ? best->width : 1;
    walk->keeps_last = interpolates(n) && !last_of(n)->is_walked;
    return interpolates(n) || (best->ring == NO_RING && best->mode != VKDML_NEIGHBOURS_MODE_SLIDE);
}

static void find_general_shape(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                               const struct vkdml_plan_limits *limits, const struct general_walk *walk,
                               struct shape *shape) {
    memset(shape, 0, sizeof(*shape));
    find_taps(n, part, shape);
    shape->width = walk->width;
    shape->mode = walk->mode;
    shape->ring = NO_RING;
    order_walks(n, shape);
    count_turns(n, shape);
    shape->is_whole = is_by_whole_rows(walk->mode);
    shape->terms = interpolates(n) ? 0 : LONG_SUM + 1; /* blocks change no shorter sum */
    shape->items_per_row = vkdml_divide_up(part->box.size[n->count - 1], walk->width);
    shape->shares.items = shape->items_per_row;
    for (uint32_t d = 0; d + 1 < n->count; ++d) {
        shape->shares.items *= part->box.size[d];
    }
    if (shape->turns <= MOST_TURNS) {
        choose_share(n, part, limits, shape);
    }
}

static bool describe_general(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                             const struct general_walk *walk, const struct vkdml_plan_limits *limits,
                             struct vkdml_neighbours_parameters *parameters, struct vkdml_plan_step *step,
                             uint64_t *groups) {
    struct vkdml_neighbours general = *n;
    struct vkdml_neighbours_part general_part = *part;
    struct shape shape;
    vkdml_neighbours_make_general(&general, &general_part.box, walk->keeps_last);
    find_general_shape(&general, &general_part, limits, walk, &shape);
    if (shape.turns > MOST_TURNS) {
        return false;
    }
    *groups = describe_step(&general, &general_part, &shape, limits, parameters, step);
    return true;
}

VkdmlResult vkdml_neighbours_fill_step(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                                       const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                       struct vkdml_plan_step *step) {
    struct shape shape;
    struct general_walk walk;
    struct vkdml_neighbours_parameters parameters;
    uint64_t groups;
    struct vkdml_plan_limits plain = *limits;
    plain.general = false;
    choose_shape(n, part, limits, &shape);
    if (shape.turns > MOST_TURNS) {
        return refuse_turns(&shape, report);
    }
    if (!limits->general || !find_general_walk(n, &shape, &walk) ||
        !describe_general(n, part, &walk, limits, &parameters, step, &groups)) {
        groups = describe_step(n, part, &shape, &plain, &parameters, step);
    }
    vkdml_step_parameters(step, &parameters,
                          interpolates(n) ? offsetof(struct vkdml_neighbours_parameters, operand_first)
                                          : offsetof(struct vkdml_neighbours_parameters, place_strides));
    return vkdml_grid(groups, limits, report, step->groups);
}

/* Of enlargements by two and halving other sizes may have rows of whole items, or none; and where one dimension has one
 * coordinate alone another is the last. */
static VkdmlResult add_spares(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                              struct vkdml_builder *builder) {
    const struct vkdml_neighbours_dimension *last = last_of(n);
    const bool doubles = n->kind == VKDML_NEIGHBOURS_LINEAR && is_scaled_by(last, 2, last->size);
    const bool halves = n->kind == VKDML_NEIGHBOURS_LINEAR && is_scaled_by(last, 0.5f, last->size);
    const enum vkdml_neighbours_mode by_rows =
        doubles ? VKDML_NEIGHBOURS_MODE_DOUBLED : VKDML_NEIGHBOURS_MODE_HALVED;
    const uint32_t width = vkdml_data_type_bits(n->target.type) == 16 ? 8 : 4;
    const struct general_walk walks[] = {{VKDML_NEIGHBOURS_MODE_SINGLE, 1, false},
                                         {VKDML_NEIGHBOURS_MODE_SINGLE, 1, !last->is_walked},
                                         {by_rows, width, false},
                                         {by_rows, 8, false}};
    const uint32_t count = doubles || halves ? (widens(n, builder->limits) ? 4 : 3) : interpolates(n) ? 2 : 1;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t w = 0; w < count && result == VKDML_SUCCESS; ++w) {
        struct vkdml_plan_step spare = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
        struct vkdml_neighbours_parameters parameters;
        uint64_t groups;
        if (describe_general(n, part, &walks[w], builder->limits, &parameters, &spare, &groups)) {
            result = vkdml_builder_add_spare(builder, &spare);
        }
    }
    return result;
}

/* Where the input has one coordinate, or as many as the output, a dimension is not walked. */
VkdmlResult vkdml_neighbours_add_spares(const struct vkdml_neighbours *n, const struct vkdml_neighbours_part *part,
                                        struct vkdml_builder *builder) {
    struct vkdml_neighbours fewer = *n;
    struct vkdml_neighbours_part fewer_part = *part;
    uint32_t walks = 0, first = n->count;
    for (uint32_t d = n->count; d-- > 0;) {
        walks += n->dimensions[d].is_walked;
        first = n->dimensions[d].is_walked ? d : first;
    }
    VkdmlResult result = add_spares(n, part, builder);
    if (result == VKDML_SUCCESS && interpolates(n) && walks > 1) {
        fewer.dimensions[first].is_walked = false;
        for (uint32_t w = n->count; w + 1 < n->count + walks; ++w) {
            fewer_part.box.origin[w] = part->box.origin[w + 1];
            fewer_part.box.size[w] = part->box.size[w + 1];
        }
        result = add_spares(&fewer, &fewer_part, builder);
    }
    return result;
}
