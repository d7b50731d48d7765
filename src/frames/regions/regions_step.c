#include "frames/regions/regions_step.h"

#include <string.h>

#include "base/checked.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* Of processors: so many items are shared out at least, an invocation has so many at most. */
#define ENOUGH_SERIAL 512
#define SERIAL_ITEMS  256

/* How the output's dimensions are walked. */
struct shape {
    uint32_t order[4]; /* outermost first */
    uint32_t width;    /* elements of an item */
    uint32_t count;    /* of elements */
};

/* Of an element. */
static uint64_t turns_of(const struct vkdml_regions *regions, uint32_t height, uint32_t width) {
    const uint64_t most = regions->most_samples;
    const uint64_t times = regions->result == VKDML_REGIONS_CORNER_TERMS && !regions->averages ? 2 : 1;
    return 1 + (regions->has_samples ? times * most * (most + 1) : height * ((uint64_t)width + 1));
}

uint64_t vkdml_regions_turns(const struct vkdml_regions *regions, uint32_t height, uint32_t width) {
    return (regions->output.at.type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 2 : 1) * turns_of(regions, height, width);
}

/* Whether two elements that come one after the other always share a word, but for the last one. */
static bool has_pairs(const struct vkdml_regions_tensor *target, const struct vkdml_window *window,
                      const struct vkdml_box *box, const uint32_t *order, const struct vkdml_plan_limits *limits) {
    if (target->at.type != DML_TENSOR_DATA_TYPE_FLOAT16 ||
        vkdml_place_modulo_16(limits, target->at.offset + window->offset, 2 * (uint64_t)window->lead) % 4 != 0) {
        return false;
    }
    uint64_t run = 1;
    uint32_t n = 4;
    while (n > 0 && (box->size[order[n - 1]] == 1 || target->strides[order[n - 1]] == run)) {
        run *= box->size[order[--n]];
    }
    bool even = n == 0 || run % 2 == 0;
    while (n-- > 0) {
        even = even && (box->size[order[n]] == 1 || target->strides[order[n]] % 2 == 0);
    }
    return even && run > 1;
}

static void find_shape(const struct vkdml_regions_tensor *target, const struct vkdml_window *window,
                       const struct vkdml_box *box, const struct vkdml_plan_limits *limits, struct shape *shape) {
    shape->count = 1;
    for (uint32_t d = 0; d < 4; ++d) {
        uint32_t place = d;
        for (; place > 0; --place) {
            const uint32_t other = shape->order[place - 1];
            const bool is_outer = box->size[d] > 1 ? box->size[other] > 1 && target->strides[d] > target->strides[other]
                                                   : box->size[other] > 1;
            if (!is_outer) {
                break;
            }
            shape->order[place] = other;
        }
        shape->order[place] = d;
        shape->count *= box->size[d];
    }
    shape->width = has_pairs(target, window, box, shape->order, limits) ? 2 : 1;
}

/* Where dimensions are, 4 bits each. */
static uint32_t order_nibbles(const struct shape *shape) {
    uint32_t nibbles = 0;
    for (uint32_t n = 0; n < 4; ++n) {
        nibbles |= n << 4 * shape->order[n];
    }
    return nibbles;
}

void vkdml_regions_fill_points(const struct vkdml_regions *regions, uint32_t extents[2][4], uint32_t offsets[4]) {
    for (uint32_t axis = 0; axis < 2; ++axis) {
        const uint32_t size = regions->input.sizes[3 - axis];
        extents[axis][0] = size;
        extents[axis][1] = vkdml_float_bits((float)size);
        extents[axis][2] = vkdml_float_bits((float)(size - 1));
        offsets[2 + axis] = vkdml_float_bits(regions->scales[axis]);
    }
    offsets[0] = vkdml_float_bits(regions->output_offset);
    offsets[1] = vkdml_float_bits(regions->input_offset);
}

static void fill_axes(const struct vkdml_regions *regions, const struct vkdml_regions_tensor *input,
                      struct vkdml_regions_parameters *parameters) {
    uint32_t extents[2][4];
    vkdml_regions_fill_points(regions, extents, parameters->offsets);
    for (uint32_t axis = 0; axis < 2; ++axis) {
        const uint32_t count = regions->output.sizes[3 - axis];
        const struct vkdml_divisor divisor = vkdml_divisor(count);
        const uint32_t bins[] = {count, divisor.multiplier, divisor.shifts, vkdml_float_bits((float)count)};
        extents[axis][3] = input->strides[VKDML_REGIONS_X - axis];
        memcpy(&parameters->extents[4 * axis], extents[axis], sizeof(extents[axis]));
        memcpy(&parameters->bins[4 * axis], bins, sizeof(bins));
    }
}

static void fill_part(const struct vkdml_regions_bins *bins, const struct vkdml_regions_part *part,
                      const struct shape *shape, struct vkdml_regions_parameters *parameters) {
    const uint32_t *origin = part->box.origin;
    const uint32_t plane[] = {VKDML_REGIONS_PICTURE, VKDML_REGIONS_X, VKDML_REGIONS_Y};
    for (uint32_t n = 0; n < 4; ++n) {
        const uint32_t size = part->box.size[shape->order[n]];
        const struct vkdml_divisor divisor = vkdml_divisor(size);
        const uint32_t dimension[] = {size, divisor.multiplier, divisor.shifts,
                                      bins->tensors[VKDML_REGIONS_TARGET].strides[shape->order[n]]};
        memcpy(parameters->sizes[n], dimension, sizeof(dimension));
        parameters->gradient_strides[n] = bins->tensors[VKDML_REGIONS_GRADIENT].strides[shape->order[n]];
    }
    for (uint32_t n = 0; n < 3; ++n) {
        parameters->part_first[n] = origin[plane[n]];
        parameters->part_size[n] = part->box.size[plane[n]];
        parameters->origin[n] = origin[VKDML_REGIONS_CHANNEL + n];
    }
    parameters->source_strides[0] = bins->tensors[VKDML_REGIONS_INPUT].strides[VKDML_REGIONS_PICTURE];
    parameters->source_strides[1] = bins->tensors[VKDML_REGIONS_INPUT].strides[VKDML_REGIONS_CHANNEL];
}

static uint32_t flags_of(const struct vkdml_regions *regions, const struct vkdml_regions_part *part) {
    return (part->is_first ? VKDML_REGIONS_IS_FIRST : 0) | (regions->has_samples ? VKDML_REGIONS_HAS_SAMPLES : 0) |
           (regions->interpolates ? VKDML_REGIONS_INTERPOLATES : 0) | (regions->averages ? VKDML_REGIONS_AVERAGES : 0) |
           (regions->to_corners ? VKDML_REGIONS_TO_CORNERS : 0) |
           (!part->is_first && part->has_parts ? VKDML_REGIONS_HAS_PARTS : 0) |
           (part->accumulates ? VKDML_REGIONS_ACCUMULATES : 0) |
           (!part->is_first && regions->result == VKDML_REGIONS_WINNERS ? VKDML_REGIONS_FINDS_WINNERS : 0) |
           (!part->is_first && regions->result == VKDML_REGIONS_CORNER_TERMS ? VKDML_REGIONS_FINDS_CORNERS : 0);
}

/* Binds tensor t as the kernel's next buffer; returns the elements before the first that is used. */
static uint32_t bind(const struct vkdml_regions_bins *bins, const struct vkdml_regions_part *part, uint32_t t,
                     struct vkdml_plan_step *step) {
    const struct vkdml_regions_tensor *tensor = &bins->tensors[t];
    const uint32_t bits =
        t == VKDML_REGIONS_RECORDS ? 8 * VKDML_REGIONS_RECORD_BYTES : vkdml_data_type_bits(tensor->at.type);
    const struct vkdml_window window = vkdml_window_of(part->spans[t], bits);
    step->buffers[step->buffer_count++] = vkdml_origin_buffer(&tensor->at, window.offset, window.size);
    return window.lead;
}

/* Binds what records are made of; returns how many there are. */
static uint32_t fill_first(const struct vkdml_regions_bins *bins, const struct vkdml_regions_part *part,
                           struct vkdml_regions_parameters *parameters, struct vkdml_plan_step *step) {
    const struct vkdml_regions_tensor *corners = &bins->tensors[VKDML_REGIONS_CORNERS];
    parameters->corners_first = bind(bins, part, VKDML_REGIONS_CORNERS, step);
    parameters->corners_stride = corners->strides[VKDML_REGIONS_REGION];
    parameters->column_stride = corners->column_stride;
    bind(bins, part, VKDML_REGIONS_RECORDS, step);
    if (vkdml_view_exists(&bins->regions->indices)) {
        parameters->indices_first = bind(bins, part, VKDML_REGIONS_INDICES, step);
        parameters->indices_stride = bins->tensors[VKDML_REGIONS_INDICES].strides[VKDML_REGIONS_REGION];
    }
    return part->box.size[VKDML_REGIONS_REGION];
}

VkdmlResult vkdml_regions_fill_step(const struct vkdml_regions_bins *bins, const struct vkdml_regions_part *part,
                                    const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                    struct vkdml_plan_step *step) {
    const struct vkdml_regions *regions = bins->regions;
    const struct vkdml_regions_tensor *target = &bins->tensors[VKDML_REGIONS_TARGET];
    const struct vkdml_regions_tensor *source =
        &bins->tensors[part->is_first ? VKDML_REGIONS_CORNERS : VKDML_REGIONS_INPUT];
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const uint32_t height = part->box.size[VKDML_REGIONS_Y], width = part->box.size[VKDML_REGIONS_X];
    struct shape shape = {{0, 1, 2, 3}, 1, 0};
    uint64_t turns = 1;
    struct vkdml_regions_parameters parameters;
    memset(&parameters, 0, sizeof(parameters));
    parameters.picture_count = regions->input.sizes[0];
    parameters.outside = regions->outside;
    parameters.least = regions->least_samples;
    parameters.most = regions->most_samples;
    fill_axes(regions, &bins->tensors[VKDML_REGIONS_INPUT], &parameters);
    step->buffer_count = 0;
    if (part->is_first) {
        parameters.item_count = fill_first(bins, part, &parameters, step);
    } else {
        const struct vkdml_window window =
            vkdml_window_of(part->spans[VKDML_REGIONS_TARGET], vkdml_data_type_bits(target->at.type));
        parameters.source_first =
            bind(bins, part, VKDML_REGIONS_INPUT, step) - /* coordinates count from the tensor's first element */
            (uint32_t)(part->spans[VKDML_REGIONS_INPUT].first - source->at.first);
        parameters.target_first = bind(bins, part, VKDML_REGIONS_TARGET, step);
        bind(bins, part, VKDML_REGIONS_RECORDS, step);
        if (regions->result == VKDML_REGIONS_CORNER_TERMS) {
            parameters.gradient_first = bind(bins, part, VKDML_REGIONS_GRADIENT, step);
        }
        find_shape(target, &window, &part->box, limits, &shape);
        fill_part(bins, part, &shape, &parameters);
        parameters.element_count = shape.count;
        parameters.item_count = (uint32_t)vkdml_divide_up(shape.count, shape.width);
        turns = shape.width * turns_of(regions, height, width);
    }
    uint64_t share = serial ? parameters.item_count / ENOUGH_SERIAL : 1;
    share = share > SERIAL_ITEMS ? SERIAL_ITEMS : share;
    share = share > VKDML_REGIONS_MOST_TURNS / turns ? VKDML_REGIONS_MOST_TURNS / turns : share;
    parameters.share = share == 0 ? 1 : (uint32_t)share;
    const uint64_t groups = vkdml_divide_up(parameters.item_count, (uint64_t)local_size * parameters.share);
    parameters.group_count = (uint32_t)groups;

    const DML_TENSOR_DATA_TYPE target_type = part->is_first ? DML_TENSOR_DATA_TYPE_FLOAT32 : target->at.type;
    const bool has_halves =
        source->at.type == DML_TENSOR_DATA_TYPE_FLOAT16 || target_type == DML_TENSOR_DATA_TYPE_FLOAT16;
    step->float_controls = has_halves ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->kernel = VKDML_KERNEL_REGIONS;
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_TYPES,
                        (uint32_t)source->at.type | (uint32_t)target_type << 4 |
                            (uint32_t)bins->tensors[VKDML_REGIONS_INDICES].at.type << 8);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_FLAGS, flags_of(regions, part));
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_ORDER, order_nibbles(&shape));
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_V, shape.width);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(groups, limits, report, step->groups);
}
