#include "frames/regions/region_gradient_step.h"

#include <string.h>

#include "base/checked.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE        64
#define TABLE_LOCAL_SIZE  128
#define SERIAL_LOCAL_SIZE 8

/* Of processors: an invocation has so many items of the table, each of which takes some fifty turns. */
#define SERIAL_ITEMS 64

uint64_t vkdml_region_gradient_pairs(const struct vkdml_regions *regions) {
    return 2 + (uint64_t)regions->input.sizes[2] + regions->input.sizes[3];
}

VkdmlResult vkdml_region_gradient_fill_table(const struct vkdml_region_gradient *gradient,
                                             const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                             struct vkdml_plan_step *step) {
    const struct vkdml_regions *regions = gradient->regions;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : TABLE_LOCAL_SIZE);
    const uint64_t items = gradient->table_bytes / 8;
    struct vkdml_regions_parameters parameters;
    uint32_t extents[2][4] = {{0}};
    memset(&parameters, 0, sizeof(parameters));
    vkdml_regions_fill_points(regions, extents, parameters.offsets);
    memcpy(parameters.extents, extents, sizeof(extents));
    parameters.bins[0] = regions->output.sizes[3];
    parameters.bins[4] = regions->output.sizes[2];
    parameters.item_count = (uint32_t)items;
    parameters.share = serial ? SERIAL_ITEMS : 1;
    const uint64_t groups = vkdml_divide_up(items, (uint64_t)local_size * parameters.share);
    parameters.group_count = (uint32_t)groups;
    step->kernel = VKDML_KERNEL_REGION_RANGES;
    step->float_controls = limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->buffer_count = 2;
    step->buffers[0] = vkdml_origin_buffer(&gradient->records, 0, gradient->record_bytes);
    step->buffers[1] = vkdml_origin_buffer(&gradient->records, gradient->record_bytes, gradient->table_bytes);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_TYPES,
                        (uint32_t)DML_TENSOR_DATA_TYPE_FLOAT32 | (uint32_t)DML_TENSOR_DATA_TYPE_FLOAT32 << 4);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_FLAGS, regions->interpolates ? VKDML_REGIONS_INTERPOLATES : 0);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_ORDER, 0);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_V, 1);
    vkdml_step_constant(step, VKDML_REGIONS_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(groups, limits, report, step->groups);
}

/* Binds a tensor as the kernel's next buffer; returns the elements before the first, counted from the box's. */
static uint32_t bind(const struct vkdml_region_gradient *gradient, const struct vkdml_region_gradient_part *part,
                     uint32_t t, struct vkdml_plan_step *step) {
    const struct vkdml_origin *at = &gradient->tensors[t].at;
    const struct vkdml_window window = vkdml_window_of(part->spans[t], vkdml_data_type_bits(at->type));
    step->buffers[step->buffer_count++] = vkdml_origin_buffer(at, window.offset, window.size);
    return window.lead;
}

/* Strides of those of a box's dimensions that are given, and what is before the first element where coordinates count
 * from the tensor's: regions' and bins', but not channels'. */
static void fill_strides(const struct vkdml_regions_tensor *tensor, const uint32_t dimensions[4], uint32_t strides[4]) {
    for (uint32_t n = 0; n < 4; ++n) {
        strides[n] = tensor->strides[dimensions[n]];
    }
}

static uint32_t before(const struct vkdml_regions_tensor *tensor, const struct vkdml_box *box) {
    return box->origin[VKDML_REGIONS_REGION] * tensor->strides[VKDML_REGIONS_REGION] +
           box->origin[VKDML_REGIONS_BIN_Y] * tensor->strides[VKDML_REGIONS_BIN_Y] +
           box->origin[VKDML_REGIONS_BIN_X] * tensor->strides[VKDML_REGIONS_BIN_X];
}

static void fill_box(const struct vkdml_regions *regions, const struct vkdml_box *box,
                     struct vkdml_region_gradient_parameters *parameters) {
    uint32_t extents[2][4];
    vkdml_regions_fill_points(regions, extents, parameters->offsets);
    for (uint32_t axis = 0; axis < 2; ++axis) {
        const uint32_t plane = VKDML_REGIONS_X - axis, bin = VKDML_REGIONS_BIN_X - axis;
        extents[axis][3] = box->size[plane];
        parameters->origin[axis] = box->origin[plane];
        parameters->bins[axis] = box->origin[bin];
        parameters->bins[2 + axis] = box->origin[bin] + box->size[bin];
    }
    memcpy(parameters->extents, extents, sizeof(extents));
    parameters->origin[2] = box->origin[VKDML_REGIONS_CHANNEL];
    parameters->origin[3] = box->origin[VKDML_REGIONS_PICTURE];
    parameters->first_region = box->origin[VKDML_REGIONS_REGION];
    parameters->end_region = box->origin[VKDML_REGIONS_REGION] + box->size[VKDML_REGIONS_REGION];
    parameters->channels = box->size[VKDML_REGIONS_CHANNEL];
}

VkdmlResult vkdml_region_gradient_fill_step(const struct vkdml_region_gradient *gradient,
                                            const struct vkdml_region_gradient_part *part,
                                            const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                            struct vkdml_plan_step *step) {
    static const uint32_t bins[] = {VKDML_REGIONS_REGION, VKDML_REGIONS_CHANNEL, VKDML_REGIONS_BIN_Y,
                                    VKDML_REGIONS_BIN_X};
    static const uint32_t planes[] = {VKDML_REGIONS_PICTURE, VKDML_REGIONS_CHANNEL, VKDML_REGIONS_Y, VKDML_REGIONS_X};
    const struct vkdml_regions *regions = gradient->regions;
    const struct vkdml_regions_tensor *tensors = gradient->tensors;
    const struct vkdml_box *box = &part->box;
    const uint32_t local_size = vkdml_local_size(limits, LOCAL_SIZE);
    const uint32_t width =
        local_size < VKDML_REGION_GRADIENT_TILE_WIDTH ? local_size : VKDML_REGION_GRADIENT_TILE_WIDTH;
    struct vkdml_region_gradient_parameters parameters;
    memset(&parameters, 0, sizeof(parameters));
    fill_box(regions, box, &parameters);
    parameters.tiles_along = (uint32_t)vkdml_divide_up(box->size[VKDML_REGIONS_X], width);
    parameters.tiles_down = (uint32_t)vkdml_divide_up(box->size[VKDML_REGIONS_Y], local_size / width);
    parameters.channel_groups =
        (uint32_t)vkdml_divide_up(box->size[VKDML_REGIONS_CHANNEL], VKDML_REGION_GRADIENT_PLANES);
    const uint64_t groups = (uint64_t)parameters.tiles_along * parameters.tiles_down * parameters.channel_groups *
                            box->size[VKDML_REGIONS_PICTURE]; /* no more than elements */
    parameters.group_count = (uint32_t)groups;
    parameters.table_first = (uint32_t)(gradient->record_bytes / 8);
    parameters.region_pairs = (uint32_t)vkdml_region_gradient_pairs(regions);
    fill_strides(&tensors[VKDML_REGION_GRADIENT_SOURCE], bins, parameters.source_strides);
    fill_strides(&tensors[VKDML_REGION_GRADIENT_TARGET], planes, parameters.target_strides);
    fill_strides(&tensors[VKDML_REGION_GRADIENT_WINNERS], bins, parameters.winner_strides);
    parameters.source_first =
        bind(gradient, part, VKDML_REGION_GRADIENT_SOURCE, step) - before(&tensors[VKDML_REGION_GRADIENT_SOURCE], box);
    parameters.target_first = bind(gradient, part, VKDML_REGION_GRADIENT_TARGET, step);
    step->buffers[step->buffer_count++] =
        vkdml_origin_buffer(&gradient->records, 0, gradient->record_bytes + gradient->table_bytes);
    if (!regions->averages) {
        parameters.winners_first = bind(gradient, part, VKDML_REGION_GRADIENT_WINNERS, step) -
                                   before(&tensors[VKDML_REGION_GRADIENT_WINNERS], box);
    }
    const DML_TENSOR_DATA_TYPE source = tensors[VKDML_REGION_GRADIENT_SOURCE].at.type;
    const DML_TENSOR_DATA_TYPE target = tensors[VKDML_REGION_GRADIENT_TARGET].at.type;
    const bool has_halves = source == DML_TENSOR_DATA_TYPE_FLOAT16 || target == DML_TENSOR_DATA_TYPE_FLOAT16;
    step->float_controls = has_halves ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->kernel = VKDML_KERNEL_REGION_GRADIENT;
    vkdml_step_constant(step, VKDML_REGION_GRADIENT_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_REGION_GRADIENT_CONSTANT_TYPES, (uint32_t)source | (uint32_t)target << 4);
    vkdml_step_constant(step, VKDML_REGION_GRADIENT_CONSTANT_FLAGS,
                        (part->accumulates ? VKDML_REGION_GRADIENT_ACCUMULATES : 0) |
                            (regions->interpolates ? VKDML_REGION_GRADIENT_INTERPOLATES : 0) |
                            (regions->averages ? VKDML_REGION_GRADIENT_AVERAGES : 0));
    vkdml_step_constant(step, VKDML_REGION_GRADIENT_CONSTANT_SAMPLES,
                        regions->least_samples == regions->most_samples ? regions->least_samples : 0);
    vkdml_step_constant(step, VKDML_REGION_GRADIENT_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(groups, limits, report, step->groups);
}
