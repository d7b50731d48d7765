/* Weights and states as the recurrent kernel reads them. */
#include "frames/recurrent/recurrent.h"

#include <inttypes.h>

#include "base/checked.h"
#include "plan/step.h"

#define LOCAL_SIZE 64
#define FOUR       4

/* Matrices of rows, which tiles share. */
struct packing {
    const struct vkdml_view *source; /* {1, directions, rows, depth}, or no tensor */
    struct vkdml_origin packed;
    uint32_t directions, tiles, gates, tile_rows, rows, depth;
};

static VkdmlResult pack(const struct packing *packing, struct vkdml_builder *builder) {
    const struct vkdml_view *source = packing->source;
    const bool exists = vkdml_view_exists(source);
    const uint64_t fours = vkdml_divide_up(packing->depth, FOUR);
    const uint64_t items = fours * packing->directions * packing->tiles * packing->gates *
                           packing->tile_rows; /* their bytes can be bound */
    const uint32_t bits = vkdml_data_type_bits(packing->packed.type);
    struct vkdml_plan_step *step;
    if (exists &&
        (!vkdml_fits(builder->limits, source->at.offset, vkdml_view_span(source)) || source->at.first > UINT32_MAX)) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "needs to bind a tensor of the recurrence or its first state, %" PRIu64
                                " bytes, which is more than maxStorageBufferRange allows",
                                vkdml_view_span(source));
    }
    VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const uint32_t local_size = vkdml_local_size(builder->limits, LOCAL_SIZE);
    const uint64_t groups = vkdml_divide_up(items, local_size);
    const uint32_t float_controls = builder->limits->float_controls;
    const struct vkdml_recurrent_pack_parameters parameters = {
        .group_count = (uint32_t)groups,
        .item_count = (uint32_t)items,
        .tiles = packing->tiles,
        .fours = (uint32_t)fours,
        .gates = packing->gates,
        .tile_rows = packing->tile_rows,
        .rows = packing->rows,
        .depth = packing->depth,
        .first = (uint32_t)source->at.first,
        .direction_stride = exists ? source->strides[1] : 0,
        .gate_stride = exists ? source->strides[2] * packing->rows : 0,
        .row_stride = exists ? source->strides[2] : 0,
        .depth_stride = exists ? source->strides[3] : 0,
    };
    step->kernel = VKDML_KERNEL_RECURRENT_PACK;
    step->float_controls = float_controls;
    vkdml_step_constant(step, VKDML_RECURRENT_PACK_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_RECURRENT_PACK_CONSTANT_TYPE_IN, exists ? (uint32_t)source->at.type : 0);
    vkdml_step_constant(step, VKDML_RECURRENT_PACK_CONSTANT_TYPE_OUT, (uint32_t)packing->packed.type);
    vkdml_step_constant(step, VKDML_RECURRENT_PACK_CONSTANT_FLOAT_CONTROLS, float_controls);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    step->buffers[step->buffer_count++] = vkdml_origin_buffer(&packing->packed, 0, items * FOUR * bits / 8);
    if (exists) {
        step->buffers[step->buffer_count++] = vkdml_origin_buffer(&source->at, 0, vkdml_view_span(source));
    }
    return vkdml_grid(groups, builder->limits, builder->report, step->groups);
}

VkdmlResult vkdml_recurrent_pack_weights(const struct vkdml_recurrent *recurrent, const struct vkdml_view *weights,
                                         struct vkdml_builder *builder) {
    const struct packing packing = {
        .source = weights,
        .packed = recurrent->weights,
        .directions = recurrent->directions,
        .tiles = (uint32_t)vkdml_divide_up(recurrent->hidden, recurrent->tile.units),
        .gates = vkdml_recurrent_gates(recurrent->cell),
        .tile_rows = recurrent->tile.units,
        .rows = recurrent->hidden,
        .depth = recurrent->hidden,
    };
    return pack(&packing, builder);
}

VkdmlResult vkdml_recurrent_pack_hidden(const struct vkdml_recurrent *recurrent, const struct vkdml_view *hidden,
                                        struct vkdml_builder *builder) {
    struct packing packing = {
        .source = hidden,
        .packed = recurrent->states,
        .directions = recurrent->directions,
        .tiles = 1,
        .gates = 1,
        .tile_rows = recurrent->batch,
        .rows = recurrent->batch,
        .depth = recurrent->hidden,
    };
    packing.packed.offset += (uint64_t)4 * recurrent->areas.hidden[0];
    return pack(&packing, builder);
}
