/* VALUE_SCALE_2D */
#include <inttypes.h>

#include "operators/mapping.h"
#include "operators/scalar.h"

static void check_channels(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_VALUE_SCALE_2D_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    if (desc->ChannelCount != 1 && desc->ChannelCount != 3) {
        vkdml_report_invalid(report, "ChannelCount is %" PRIu32 ", must be 1 or 3", desc->ChannelCount);
    }
    if (input->dimension_count == 4 && input->sizes[1] != desc->ChannelCount) {
        vkdml_report_invalid(report, "ChannelCount is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[1]",
                             desc->ChannelCount, input->sizes[1], vkdml_input_name(instance, 0));
    }
}

static VkdmlResult plan_value_scale_2d(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_VALUE_SCALE_2D_OPERATOR_DESC *desc = planning->instance->desc;
    static const uint32_t channels[] = {0, 1, 0, 0};
    struct vkdml_map map;
    vkdml_mapping_begin(op, planning, &map);
    vkdml_map_set_index(&map, 1, channels);
    for (uint32_t c = 0; c < desc->ChannelCount; ++c) {
        map.arguments[4 + c] = vkdml_float_bits(desc->Bias[c]);
    }
    map.arguments[7] = vkdml_float_bits(desc->Scale);
    return vkdml_map_plan(&map, planning->builder);
}

const struct vkdml_operator vkdml_operator_value_scale_2d = {
    .rules = check_channels,
    .plan = plan_value_scale_2d,
    .mapping = {.operation = VKDML_MAP_ADD_BY_INDEX},
};
