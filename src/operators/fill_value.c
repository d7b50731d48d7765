/* FILL_VALUE_CONSTANT and FILL_VALUE_SEQUENCE. */
#include "operators/fill_value.h"

#include "frames/gather/transfer.h"
#include "operators/mapping.h"
#include "operators/scalar.h"

VkdmlResult vkdml_fill_plan(const struct vkdml_view *output, const uint32_t bits[2], struct vkdml_builder *builder) {
    uint32_t word;
    if (vkdml_transfer_suits_fill(output, bits, builder->limits, &word)) {
        return vkdml_transfer_plan_fill(output, word, builder);
    }
    struct vkdml_map map;
    vkdml_map_begin(&map, *output);
    vkdml_mapping_use_bits(&map);
    map.operation = VKDML_MAP_CONSTANT;
    map.arguments[4] = bits[0];
    map.arguments[5] = bits[1];
    return vkdml_map_plan(&map, builder);
}

VkdmlResult vkdml_clear_plan(const struct vkdml_view *output, struct vkdml_builder *builder) {
    struct vkdml_map map;
    vkdml_map_begin(&map, *output);
    map.operation = VKDML_MAP_CONSTANT;
    return vkdml_map_plan(&map, builder);
}

static VkdmlResult plan_constant(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    const DML_FILL_VALUE_CONSTANT_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    uint32_t bits[2];
    vkdml_scalar_from_union(&desc->Value, output->data_type, bits);
    const struct vkdml_view whole = vkdml_output_view(planning->instance, 0);
    return vkdml_fill_plan(&whole, bits, planning->builder);
}

/* Start + Delta * the number of the element. */
static VkdmlResult plan_sequence(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    const DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    uint32_t start[2];
    uint32_t delta[2];
    vkdml_scalar_from_union(&desc->ValueStart, output->data_type, start);
    vkdml_scalar_from_union(&desc->ValueDelta, output->data_type, delta);
    uint32_t numbers[VKDML_MAX_DIMENSIONS];
    vkdml_packed_strides(output->dimension_count, output->sizes, numbers);
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(planning->instance, 0));
    vkdml_map_set_index(&map, 0, numbers);
    map.operation = VKDML_MAP_SEQUENCE;
    vkdml_mapping_argument(start, output->data_type, &map.arguments[4]);
    vkdml_mapping_argument(delta, output->data_type, &map.arguments[6]);
    return vkdml_map_plan(&map, planning->builder);
}

const struct vkdml_operator vkdml_operator_fill_value_constant = {.plan = plan_constant};
const struct vkdml_operator vkdml_operator_fill_value_sequence = {.plan = plan_sequence};
