/* Steps of glsl/neighbours/pool.comp. */
#include <string.h>

#include "base/checked.h"
#include "frames/neighbours/collapse.h"
#include "frames/neighbours/neighbours_step.h"
#include "frames/neighbours/shares.h"

/* Rings take many registers. */
#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* lavapipe ends an invocation's loops after 65,535 turns in total, silently. */
#define MOST_TURNS 60000

/* What is summed without blocks. */
#define LONG_SUM 64

/* Rings, and what an item's steps along its row lead to, are registers. */
#define MOST_RING        9
#define MOST_PLACES_RING 5
#define MOST_TAPS        9
#define NO_RING          VKDML_MAX_DIMENSIONS

struct shape {
    const struct vkdml_neighbours *pool;
    const struct vkdml_neighbours_part *part;
    const struct vkdml_plan_limits *limits;
    struct vkdml_window windows[3]; /* of the source, the target and the places */
    enum vkdml_neighbours_mode mode;
    uint32_t width;     /* elements of an item */
    uint32_t operation; /* its bits that hang on how tensors lie */
    uint32_t lead;
    uint32_t ring; /* the dimension; NO_RING */
    uint32_t outer;
    uint32_t walk_count;
    uint32_t walks[VKDML_NEIGHBOURS_WALKS]; /* dimensions: outer ones, the ring's, the items' */
    uint32_t taps[VKDML_MAX_DIMENSIONS];
    uint32_t first_tap[VKDML_MAX_DIMENSIONS];
    uint64_t rows;  /* that an item takes */
    uint64_t turns; /* of an item, or of one along a ring */
    uint64_t items_per_row;
    struct vkdml_shares shares;
};

static uint32_t last_of(const struct shape *shape) {
    return shape->pool->count - 1;
}

static uint32_t bytes_of(const struct vkdml_origin *tensor) {
    return vkdml_data_type_bits(tensor->type) / 8;
}

static int64_t start_of(const struct shape *shape, uint32_t d) {
    const struct vkdml_neighbours_dimension *dimension = &shape->pool->dimensions[d];
    return (int64_t)shape->part->box.origin[d] * dimension->source_step +
           (int64_t)shape->first_tap[d] * dimension->tap_step - dimension->start;
}

/* ---- alignment ---- */

/* Whether the element `first` elements before those of a window, which is one of the tensor's, begins an item. */
static bool begins_item(const struct shape *shape, const struct vkdml_origin *tensor, const struct vkdml_window *window,
                        uint64_t first) {
    const uint32_t bytes = bytes_of(tensor);
    const uint32_t item = shape->width * bytes < 16 ? shape->width * bytes : 16;
    const uint32_t place =
        vkdml_place_modulo_16(shape->limits, tensor->offset + window->offset, (uint64_t)window->lead * bytes);
    return (place - (uint32_t)(first * bytes)) % item == 0;
}

static bool target_is_aligned(const struct shape *shape) {
    bool aligned = begins_item(shape, &shape->pool->target, &shape->windows[1], 0);
    for (uint32_t d = 0; d < last_of(shape); ++d) {
        aligned = aligned && shape->pool->dimensions[d].target_stride % shape->width == 0;
    }
    return aligned;
}

static bool places_are_aligned(const struct shape *shape) {
    bool aligned = shape->pool->has_places && shape->width > 1 &&
                   shape->pool->dimensions[last_of(shape)].own_stride == 1 &&
                   begins_item(shape, &shape->pool->own, &shape->windows[2], 0);
    for (uint32_t d = 0; d < last_of(shape); ++d) {
        aligned = aligned && shape->pool->dimensions[d].own_stride % shape->width == 0;
    }
    return aligned;
}

/* Of items that begin at multiples of their width in their rows. */
static bool source_is_aligned(const struct shape *shape) {
    const uint32_t last = last_of(shape);
    const uint32_t row = shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE ? shape->pool->dimensions[last].source_size
                                                                    : shape->part->box.origin[last];
    bool aligned = row % shape->width == 0 && begins_item(shape, &shape->pool->source, &shape->windows[0],
                                                          shape->part->source.first - shape->pool->source.first);
    for (uint32_t d = 0; d < last; ++d) {
        aligned = aligned && shape->pool->dimensions[d].source_stride % shape->width == 0;
    }
    return aligned;
}

/* ---- the shape ---- */

static enum vkdml_neighbours_mode mode_of(const struct shape *shape) {
    const struct vkdml_neighbours_dimension *last = &shape->pool->dimensions[last_of(shape)];
    const uint32_t taps = shape->taps[last_of(shape)];
    if (shape->part->is_cut || shape->pool->is_rest || shape->pool->pool == VKDML_POOL_NORM ||
        last->source_stride != 1 || shape->width == 1) {
        return VKDML_NEIGHBOURS_MODE_SINGLE;
    }
    if (!last->is_walked) {
        return VKDML_NEIGHBOURS_MODE_SIDE;
    }
    const uint64_t span = (uint64_t)(shape->width - 1) * last->source_step + taps + shape->width - 1;
    const bool slides = last->source_step != 0 && last->tap_step == 1 && taps <= MOST_TAPS;
    return slides && span <= VKDML_POOL_MOST_SPAN ? VKDML_NEIGHBOURS_MODE_SLIDE : VKDML_NEIGHBOURS_MODE_SINGLE;
}

static bool can_ring(const struct shape *shape, uint32_t d) {
    const struct vkdml_neighbours_dimension *dimension = &shape->pool->dimensions[d];
    const uint32_t most = shape->pool->has_places ? MOST_PLACES_RING : MOST_RING;
    return dimension->is_walked && shape->mode != VKDML_NEIGHBOURS_MODE_SINGLE && d != last_of(shape) &&
           dimension->tap_step == 1 && dimension->taps <= most && dimension->source_step != 0 &&
           dimension->source_step <= dimension->taps && shape->part->box.size[d] > 1;
}

static void order_walks(struct shape *shape) {
    const uint32_t last = last_of(shape);
    const bool is_apart = shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE;
    shape->walk_count = 0;
    for (uint32_t d = 0; d <= last; ++d) {
        if (shape->pool->dimensions[d].is_walked && d != shape->ring && (d != last || !is_apart)) {
            shape->walks[shape->walk_count++] = d;
        }
    }
    shape->outer = shape->walk_count;
    if (shape->ring != NO_RING) {
        shape->walks[shape->walk_count++] = shape->ring;
    }
    if (is_apart) {
        shape->walks[shape->walk_count++] = last;
    }
}

/* Steps that lead nowhere take no turn. */
static void count_turns(struct shape *shape) {
    const uint64_t width = shape->width;
    uint64_t turns = 0;
    shape->rows = 1;
    for (uint32_t w = 0; w < shape->outer; ++w) {
        const uint32_t size = shape->pool->dimensions[shape->walks[w]].source_size;
        const uint32_t taps = shape->taps[shape->walks[w]];
        shape->rows *= size < taps ? size : taps; /* all elements fit 32 bits */
        turns += shape->rows + 1;
    }
    turns += shape->outer + 4;
    turns = shape->pool->pool == VKDML_POOL_NORM ? 2 * turns : turns;
    turns = shape->mode == VKDML_NEIGHBOURS_MODE_SINGLE ? turns * width : turns;
    if (shape->ring != NO_RING) {
        turns = turns * shape->pool->dimensions[shape->ring].source_step;
    }
    shape->turns = turns + shape->pool->count + 3 * width + 4;
}

/* Whether items may begin anywhere in the target. */
static bool can_be_loose(const struct shape *shape) {
    return shape->mode != VKDML_NEIGHBOURS_MODE_SINGLE && shape->width * bytes_of(&shape->pool->target) == 16;
}

/* Where rows do not begin with items these begin anywhere in the target, if the kernel stores such, or elsewhere in
 * each row. */
static bool lay_out(struct shape *shape) {
    const uint32_t row = shape->part->box.size[last_of(shape)];
    const bool aligned = target_is_aligned(shape);
    shape->operation = 0;
    if (aligned && row % shape->width == 0) {
        shape->operation |= VKDML_NEIGHBOURS_ITEMS_ARE_WHOLE;
    } else if (!aligned && can_be_loose(shape)) {
        shape->operation |= VKDML_NEIGHBOURS_IS_LOOSE;
    }
    const bool shifts = !aligned && (shape->operation & VKDML_NEIGHBOURS_IS_LOOSE) == 0;
    if (shape->mode != VKDML_NEIGHBOURS_MODE_SINGLE && !shifts && source_is_aligned(shape)) {
        shape->operation |= VKDML_NEIGHBOURS_SOURCE_IS_ALIGNED;
    }
    if (!shifts && places_are_aligned(shape)) {
        shape->operation |= VKDML_NEIGHBOURS_OWN_IS_ALIGNED;
    }
    return shifts;
}

static void find_shape(struct shape *shape, uint32_t width) {
    shape->width = width;
    shape->lead = 0;
    shape->mode = mode_of(shape);
    if (shape->mode == VKDML_NEIGHBOURS_MODE_SINGLE && bytes_of(&shape->pool->target) == 4) {
        shape->width = 1; /* elements gain nothing by one another */
    } else if (shape->mode == VKDML_NEIGHBOURS_MODE_SINGLE && width > 4) {
        shape->width = 4;
    }
    const bool shifts = lay_out(shape);
    shape->ring = NO_RING;
    for (uint32_t d = 0; d < shape->pool->count && shape->ring == NO_RING; ++d) {
        const bool is_even = !shifts || shape->pool->dimensions[d].target_stride % shape->width == 0;
        shape->ring = is_even && can_ring(shape, d) ? d : NO_RING;
    }
    order_walks(shape);
    count_turns(shape);
    if (shape->ring != NO_RING && shape->turns - shape->pool->count > MOST_TURNS / (8 * MOST_RING)) {
        shape->ring = NO_RING;
        order_walks(shape);
        count_turns(shape);
    }
    if (shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE && (shape->operation & VKDML_NEIGHBOURS_SOURCE_IS_ALIGNED) != 0) {
        shape->lead = (uint32_t)start_of(shape, last_of(shape)) % shape->width; /* a power of two */
    }
}

static uint32_t width_of(const struct vkdml_neighbours *pool, const struct vkdml_neighbours_part *part) {
    const uint32_t bits = vkdml_data_type_bits(pool->target.type);
    const struct vkdml_neighbours_dimension *last = &pool->dimensions[pool->count - 1];
    if (bits == 64 || part->is_cut || pool->is_rest || last->target_stride != 1 ||
        part->box.size[pool->count - 1] == 1) {
        return 1;
    }
    return bits == 16 ? 8 : 4;
}

/* Items of an invocation, or how far it walks a ring. */
static void choose_share(struct shape *shape) {
    const bool serial = shape->limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint64_t ending = shape->width * (uint64_t)vkdml_epilogue_turns(shape->pool->epilogue);
    /* At least 1: see frames/neighbours/neighbours.c's MOST_STEPS. */
    const uint64_t most = MOST_TURNS / (shape->turns + ending);
    shape->shares.items = shape->items_per_row;
    for (uint32_t d = 0; d < last_of(shape); ++d) {
        shape->shares.items *= shape->part->box.size[d];
    }
    if (shape->ring != NO_RING) {
        const struct vkdml_neighbours_dimension *dimension = &shape->pool->dimensions[shape->ring];
        vkdml_shares_of_ring(&shape->shares, shape->part->box.size[shape->ring],
                             4 * (uint64_t)(dimension->taps - dimension->source_step) + 1, most - MOST_RING, serial);
    } else {
        vkdml_shares_of_items(&shape->shares, most, serial);
    }
}

/* ---- what the kernel is told ---- */

static enum vkdml_pool_order order_of(DML_TENSOR_DATA_TYPE type) {
    return vkdml_data_type_is_float(type) ? VKDML_POOL_ORDER_FLOAT
           : type == DML_TENSOR_DATA_TYPE_INT64 || type == DML_TENSOR_DATA_TYPE_INT32 ||
                   type == DML_TENSOR_DATA_TYPE_INT16 || type == DML_TENSOR_DATA_TYPE_INT8
               ? VKDML_POOL_ORDER_SIGNED
               : VKDML_POOL_ORDER_UNSIGNED;
}

/* The bits of maxima are moved. */
static DML_TENSOR_DATA_TYPE moved_type(DML_TENSOR_DATA_TYPE type) {
    switch (vkdml_data_type_bits(type)) {
    case 8:
        return DML_TENSOR_DATA_TYPE_UINT8;
    case 16:
        return DML_TENSOR_DATA_TYPE_UINT16;
    case 32:
        return DML_TENSOR_DATA_TYPE_UINT32;
    default:
        return DML_TENSOR_DATA_TYPE_UINT64;
    }
}

/* Whether an item comes to elements in the order of their places, and to one at least that is above LEAST. */
static bool comes_in_order(const struct shape *shape) {
    const struct vkdml_neighbours *pool = shape->pool;
    const uint32_t bits = vkdml_data_type_bits(pool->source.type);
    bool in_order = !shape->part->accumulates && (shape->ring == NO_RING || shape->outer == 0) &&
                    (bits < 32 || pool->source.type == DML_TENSOR_DATA_TYPE_FLOAT32);
    for (uint32_t w = 1; w < shape->walk_count; ++w) {
        const struct vkdml_neighbours_dimension *inner = &pool->dimensions[shape->walks[w]];
        in_order = in_order &&
                   pool->dimensions[shape->walks[w - 1]].tap_stride >= (uint64_t)inner->tap_stride * inner->source_size;
    }
    return in_order;
}

static uint32_t operation_of(const struct shape *shape) {
    const struct vkdml_neighbours *pool = shape->pool;
    uint32_t operation = shape->operation | (uint32_t)pool->pool << VKDML_POOL_FUNCTION_SHIFT;
    operation |= (uint32_t)pool->ending << VKDML_POOL_ENDING_SHIFT;
    operation |= (uint32_t)order_of(pool->source.type) << VKDML_POOL_ORDER_SHIFT;
    operation |= shape->rows > LONG_SUM && pool->pool != VKDML_POOL_MAXIMUM ? VKDML_NEIGHBOURS_IS_LONG : 0;
    operation |= shape->part->accumulates ? VKDML_NEIGHBOURS_ACCUMULATES : 0;
    operation |= pool->is_rest ? VKDML_POOL_IS_REST : 0;
    if (pool->has_places) {
        operation |= VKDML_POOL_HAS_PLACES;
        operation |= comes_in_order(shape) ? 0 : VKDML_POOL_BY_PLACE;
    }
    return operation;
}

static uint32_t walk_nibbles(const struct shape *shape) {
    uint32_t nibbles = 0;
    for (uint32_t d = 0; d < VKDML_MAX_DIMENSIONS; ++d) {
        uint32_t walk = VKDML_NEIGHBOURS_NO_WALK;
        for (uint32_t w = 0; w < shape->walk_count; ++w) {
            walk = shape->walks[w] == d ? w : walk;
        }
        nibbles |= walk << (4 * d);
    }
    return nibbles;
}

static void fill_walks(const struct shape *shape, struct vkdml_neighbours_parameters *parameters) {
    for (uint32_t w = 0; w < shape->walk_count; ++w) {
        const uint32_t d = shape->walks[w];
        const struct vkdml_neighbours_dimension *dimension = &shape->pool->dimensions[d];
        const struct vkdml_divisor divisor = vkdml_divisor(dimension->tap_step);
        uint32_t *steps = parameters->walks[2 * w];
        uint32_t *step = parameters->walks[2 * w + 1];
        steps[0] = (uint32_t)start_of(shape, d);
        steps[1] = shape->taps[d];
        steps[2] = dimension->tap_step;
        steps[3] = dimension->source_size;
        step[0] = dimension->source_step;
        step[1] = divisor.multiplier;
        step[2] = divisor.shifts;
        step[3] = dimension->tap_stride;
        parameters->walk_strides[w] = dimension->source_stride;
    }
}

static void fill_dimensions(const struct shape *shape, struct vkdml_neighbours_parameters *parameters) {
    const struct vkdml_box *box = &shape->part->box;
    for (uint32_t d = 0; d < shape->pool->count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &shape->pool->dimensions[d];
        const uint32_t size = d == shape->ring ? (uint32_t)shape->shares.shares : box->size[d];
        vkdml_neighbours_fill_dimension(dimension, d, size, parameters);
        if (!dimension->is_walked) {
            parameters->place_strides[d] = dimension->tap_stride;
            parameters->place_first += box->origin[d] * dimension->tap_stride;
            parameters->source_first += box->origin[d] * dimension->source_stride;
        }
    }
}

/* What is bound as the third buffer, or named in its place. */
static const struct vkdml_origin *own_of(const struct vkdml_neighbours *pool) {
    return pool->has_places ? &pool->own : &pool->source;
}

static void find_steps(struct shape *shape) {
    const struct vkdml_neighbours *pool = shape->pool;
    const struct vkdml_neighbours_part *part = shape->part;
    shape->windows[0] = vkdml_window_of(part->source, vkdml_data_type_bits(pool->source.type));
    shape->windows[1] = vkdml_window_of(part->target, vkdml_data_type_bits(pool->target.type));
    shape->windows[2] = vkdml_window_of(part->own, vkdml_data_type_bits(own_of(pool)->type));
    uint32_t walk = pool->count;
    for (uint32_t d = 0; d < pool->count; ++d) {
        if (pool->dimensions[d].is_walked) {
            shape->first_tap[d] = part->box.origin[walk];
            shape->taps[d] = part->box.size[walk++];
        }
    }
}

static void choose_shape(struct shape *shape) {
    const struct vkdml_neighbours_part *part = shape->part;
    find_steps(shape);
    const uint32_t width = width_of(shape->pool, part);
    find_shape(shape, width);
    if (shape->mode == VKDML_NEIGHBOURS_MODE_SINGLE && width == 8) {
        find_shape(shape, 4); /* fewer elements may fit the registers */
    }
    if (shape->turns > MOST_TURNS) {
        find_shape(shape, 1);
    }
    const bool is_shifted = (shape->operation & (VKDML_NEIGHBOURS_ITEMS_ARE_WHOLE | VKDML_NEIGHBOURS_IS_LOOSE)) == 0;
    const uint32_t row = part->box.size[last_of(shape)];
    shape->items_per_row = vkdml_divide_up(row + (is_shifted ? shape->width - 1 : 0), shape->width);
    choose_share(shape);
}

static void fill_parameters(const struct shape *shape, uint64_t groups,
                            struct vkdml_neighbours_parameters *parameters) {
    const struct vkdml_neighbours *pool = shape->pool;
    const struct vkdml_neighbours_part *part = shape->part;
    memset(parameters, 0, sizeof(*parameters));
    parameters->group_count = (uint32_t)groups;
    parameters->item_count = (uint32_t)shape->shares.items;
    parameters->items_per_row = (uint32_t)shape->items_per_row;
    parameters->row_length = part->box.size[last_of(shape)];
    parameters->row_divisor = vkdml_divisor(parameters->items_per_row);
    parameters->share = (uint32_t)shape->shares.share;
    parameters->ring_length = shape->ring != NO_RING ? part->box.size[shape->ring] : 0;
    parameters->source_first = shape->windows[0].lead - (uint32_t)(part->source.first - pool->source.first);
    parameters->own_first = pool->is_rest ? shape->windows[0].lead : shape->windows[2].lead;
    parameters->target_first = shape->windows[1].lead;
    memcpy(parameters->arguments, pool->arguments, sizeof(pool->arguments));
    fill_dimensions(shape, parameters);
    fill_walks(shape, parameters);
}

/* Its types, as the kernel has them. */
static void set_types(const struct shape *shape, struct vkdml_plan_step *step) {
    const struct vkdml_neighbours *pool = shape->pool;
    const bool moves = pool->pool == VKDML_POOL_MAXIMUM;
    const DML_TENSOR_DATA_TYPE source = moves ? moved_type(pool->source.type) : pool->source.type;
    const DML_TENSOR_DATA_TYPE target = moves ? moved_type(pool->target.type) : pool->target.type;
    const DML_TENSOR_DATA_TYPE own = pool->has_places ? pool->own.type : source;
    const bool ends_halves = vkdml_epilogue_exists(pool->epilogue) && pool->target.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const bool has_halves =
        source == DML_TENSOR_DATA_TYPE_FLOAT16 || target == DML_TENSOR_DATA_TYPE_FLOAT16 || ends_halves;
    const uint32_t controls = shape->limits->float_controls;
    step->float_controls = has_halves ? controls : controls & ~VKDML_FLOAT_CONTROLS_16;
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_TYPES,
                        (uint32_t)source | (uint32_t)own << 4 | (uint32_t)target << 8);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_FLOAT_CONTROLS, step->float_controls);
}

static void set_kernel(const struct shape *shape, uint32_t local_size, struct vkdml_plan_step *step) {
    const struct vkdml_neighbours *pool = shape->pool;
    const struct vkdml_neighbours_dimension *last = &pool->dimensions[last_of(shape)];
    const struct vkdml_neighbours_dimension *ring = &pool->dimensions[shape->ring != NO_RING ? shape->ring : 0];
    step->kernel = VKDML_KERNEL_POOL;
    set_types(shape, step);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_OPERATION, operation_of(shape));
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_RANK, pool->count);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_WALK_OF, walk_nibbles(shape));
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_OUTER_WALKS, shape->outer);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_V, shape->width);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_MODE, (uint32_t)shape->mode);
    vkdml_step_constant(step, VKDML_NEIGHBOURS_CONSTANT_RING,
                        shape->ring != NO_RING ? ring->taps | ring->source_step << 4 | shape->ring << 8 : 0);
    vkdml_step_constant(
        step, VKDML_NEIGHBOURS_CONSTANT_SLIDING,
        shape->mode == VKDML_NEIGHBOURS_MODE_SLIDE ? last->taps | last->source_step << 4 | shape->lead << 8 : 0);
}

/* ---- general plans ---- */

/* How a general plan's kernel walks. Maxima are the same in any order; sums keep the order that sizes lead to. */
struct general_walk {
    bool by_rows; /* sums of rows are added up: items, of a ring or not, as in other plans; else element by element */
    bool has_ring;
    enum vkdml_neighbours_mode mode;
    uint32_t width;
};

static struct general_walk general_walk_of(const struct shape *best) {
    const bool has_ring = best->ring != NO_RING && best->outer > 0; /* without outer walks it changes no order */
    const bool is_sum = best->pool->pool != VKDML_POOL_MAXIMUM;
    const bool by_rows = is_sum && (best->mode == VKDML_NEIGHBOURS_MODE_SLIDE || has_ring);
    return (struct general_walk){by_rows, by_rows && has_ring, by_rows ? best->mode : VKDML_NEIGHBOURS_MODE_SINGLE,
                                 by_rows ? best->width : 1};
}

static void choose_general_shape(struct shape *shape, const struct general_walk *walk) {
    find_steps(shape);
    shape->width = walk->width;
    shape->mode = walk->mode;
    shape->operation = can_be_loose(shape) ? VKDML_NEIGHBOURS_IS_LOOSE : 0;
    shape->ring = NO_RING;
    for (uint32_t d = 0; d < shape->pool->count && shape->ring == NO_RING && walk->has_ring; ++d) {
        const bool is_even =
            shape->operation != 0 || shape->pool->dimensions[d].target_stride % shape->width == 0;
        shape->ring = is_even && can_ring(shape, d) ? d : NO_RING;
    }
    order_walks(shape);
    count_turns(shape);
    shape->rows = LONG_SUM + 1; /* blocks change no shorter sum */
    const uint32_t row = shape->part->box.size[last_of(shape)];
    shape->items_per_row = vkdml_divide_up(row + (shape->operation == 0 ? shape->width - 1 : 0), shape->width);
    choose_share(shape);
}

static struct shape shape_of(const struct vkdml_neighbours *pool, const struct vkdml_neighbours_part *part,
                             const struct vkdml_plan_limits *limits) {
    struct shape shape = {.pool = pool, .part = part, .limits = limits};
    choose_shape(&shape);
    return shape;
}

/* All of a step but the words of its parameters; returns its workgroups. */
static uint64_t describe_step(const struct shape *shape, struct vkdml_neighbours_parameters *parameters,
                              struct vkdml_plan_step *step) {
    const struct vkdml_neighbours *pool = shape->pool;
    const bool serial = shape->limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(shape->limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const uint64_t per_invocation = shape->ring != NO_RING ? 1 : shape->shares.share;
    const uint64_t groups = vkdml_divide_up(shape->shares.items, local_size * per_invocation);
    fill_parameters(shape, groups, parameters);
    set_kernel(shape, local_size, step);
    step->buffers[0] = vkdml_origin_buffer(&pool->source, shape->windows[0].offset, shape->windows[0].size);
    step->buffers[1] = vkdml_origin_buffer(&pool->target, shape->windows[1].offset, shape->windows[1].size);
    step->buffers[2] = vkdml_origin_buffer(own_of(pool), shape->windows[2].offset, shape->windows[2].size);
    step->buffer_count = pool->has_places ? 3 : 2;
    vkdml_neighbours_fill_ending(pool, shape->part, parameters, step);
    return groups;
}

static uint64_t describe_general(const struct vkdml_neighbours *pool, const struct vkdml_neighbours_part *part,
                                 const struct vkdml_plan_limits *limits, const struct general_walk *walk,
                                 struct vkdml_neighbours_parameters *parameters, struct vkdml_plan_step *step) {
    struct vkdml_neighbours general = *pool;
    struct vkdml_neighbours_part general_part = *part;
    struct shape shape = {.pool = &general, .part = &general_part, .limits = limits};
    vkdml_neighbours_make_general(&general, &general_part.box, walk->mode == VKDML_NEIGHBOURS_MODE_SIDE);
    choose_general_shape(&shape, walk);
    return describe_step(&shape, parameters, step);
}

VkdmlResult vkdml_pool_fill_step(const struct vkdml_neighbours *pool, const struct vkdml_neighbours_part *part,
                                 const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                 struct vkdml_plan_step *step) {
    const struct shape shape = shape_of(pool, part, limits);
    const struct general_walk walk = general_walk_of(&shape);
    struct vkdml_neighbours_parameters parameters;
    const uint64_t groups = limits->general ? describe_general(pool, part, limits, &walk, &parameters, step)
                                            : describe_step(&shape, &parameters, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(groups, limits, report, step->groups);
}

/* Other sizes may lead to another walk: elements alone, or rows of at least two items along a ring. */
VkdmlResult vkdml_pool_add_spares(const struct vkdml_neighbours *pool, const struct vkdml_neighbours_part *part,
                                  struct vkdml_builder *builder) {
    struct vkdml_neighbours_part larger = *part;
    for (uint32_t d = 0; d < pool->count; ++d) {
        larger.box.size[d] = larger.box.size[d] > 1 ? larger.box.size[d] : 2;
    }
    const struct shape shape = shape_of(pool, &larger, builder->limits);
    struct general_walk walks[3] = {general_walk_of(&shape), general_walk_of(&shape),
                                    {.mode = VKDML_NEIGHBOURS_MODE_SINGLE, .width = 1}};
    walks[1].has_ring = false;
    const uint32_t first = walks[0].by_rows ? 0 : 2;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t w = first; w < 3 && result == VKDML_SUCCESS && pool->pool != VKDML_POOL_MAXIMUM; ++w) {
        struct vkdml_plan_step spare = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
        struct vkdml_neighbours_parameters parameters;
        describe_general(pool, &larger, builder->limits, &walks[w], &parameters, &spare);
        result = vkdml_builder_add_spare(builder, &spare);
    }
    return result;
}
