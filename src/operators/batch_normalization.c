/* BATCH_NORMALIZATION */
#include <inttypes.h>
#include <string.h>

#include "base/notes.h"
#include "operators/mapping.h"

/* Among the inputs. */
enum { INPUT, MEAN, VARIANCE, SCALE, BIAS };

/* Where locations are not spatial each has a mean and a variance of its own. From feature level 4_0 on that is as good
 * as any other way to broadcast. */
static void check_locations(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_BATCH_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[INPUT];
    if (desc->Spatial || instance->level >= DML_FEATURE_LEVEL_4_0) {
        return;
    }
    for (uint32_t i = MEAN; i <= VARIANCE; ++i) {
        const struct vkdml_tensor *tensor = &instance->inputs[i];
        const uint32_t rank = tensor->dimension_count;
        for (uint32_t d = rank > 2 ? rank - 2 : 0; d < rank && rank == input->dimension_count; ++d) {
            if (tensor->sizes[d] == 1 && input->sizes[d] > 1) {
                vkdml_report_invalid(report,
                                     "%s.Sizes[%" PRIu32 "] is 1, must be %" PRIu32 " = %s.Sizes[%" PRIu32
                                     "] where Spatial is FALSE below DML_FEATURE_LEVEL_4_0; the feature level is %s",
                                     vkdml_input_name(instance, i), d, input->sizes[d],
                                     vkdml_input_name(instance, INPUT), d, vkdml_level_name(instance->level));
            }
        }
    }
}

/* What five operands at once would be, by three at a time: what lies between is FLOAT32 either way. */
static VkdmlResult plan_in_two(const struct vkdml_map *whole, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_view output = vkdml_output_view(instance, 0);
    const struct vkdml_view numbers =
        vkdml_builder_scratch(planning->builder, "numbers", &output, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_map map;
    vkdml_map_begin(&map, numbers);
    for (uint32_t i = INPUT; i <= VARIANCE; ++i) {
        vkdml_map_set_operand(&map, i, vkdml_input_view(instance, i));
    }
    map.operation = VKDML_MAP_NORMALIZE;
    memcpy(map.arguments, whole->arguments, sizeof(map.arguments));
    VkdmlResult result = vkdml_map_plan(&map, planning->builder);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_map_begin(&map, vkdml_output_view(instance, 0));
    vkdml_map_set_operand(&map, 0, vkdml_input_view(instance, SCALE));
    vkdml_map_set_operand(&map, 1, numbers);
    vkdml_map_set_operand(&map, 2, vkdml_input_view(instance, BIAS));
    map.operation = VKDML_MAP_MULTIPLY_ADD;
    map.function = whole->function;
    memcpy(map.arguments, whole->arguments, sizeof(map.arguments));
    vkdml_builder_phase(planning->builder);
    return vkdml_map_plan(&map, planning->builder);
}

static VkdmlResult plan_batch_normalization(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    struct vkdml_map map;
    vkdml_mapping_begin(op, planning, &map);
    if (planning->builder->limits->max_storage_buffers > VKDML_MAP_OPERANDS) {
        return vkdml_map_plan(&map, planning->builder);
    }
    vkdml_note(planning->builder->report,
               "two maps: a dispatch may have %u storage buffers, and one of five operands has 6",
               (unsigned)planning->builder->limits->max_storage_buffers);
    return plan_in_two(&map, planning);
}

const struct vkdml_operator vkdml_operator_batch_normalization = {
    .rules = check_locations,
    .plan = plan_batch_normalization,
    .mapping = {.operation = VKDML_MAP_NORMALIZE, .attributes_of_operation = true},
};
