/* DYNAMIC_QUANTIZE_LINEAR */
#include "operators/mapping.h"
#include "operators/statistics.h"

/* Among the outputs. */
enum { OUTPUT, SCALE, ZERO_POINT };

/* Writes a number that was found to an output of one element. */
static VkdmlResult plan_number(const struct vkdml_planning *planning, const struct vkdml_statistics *statistics,
                               uint32_t which) {
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(planning->instance, which));
    map.operation = which == SCALE ? VKDML_MAP_FIRST : VKDML_MAP_CAST;
    vkdml_map_set_operand(&map, 0, statistics->numbers[which - 1]);
    if (which == ZERO_POINT) {
        map.tensors[0].type = DML_TENSOR_DATA_TYPE_INT32;
    }
    return vkdml_map_plan(&map, planning->builder);
}

static VkdmlResult plan_dynamic_quantization(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_reduce reduce = {
        .folded = (1u << instance->inputs[0].dimension_count) - 1,
        .function = VKDML_REDUCE_RANGE,
        .option = instance->outputs[OUTPUT].data_type == DML_TENSOR_DATA_TYPE_INT8,
    };
    (void)op;
    struct vkdml_statistics statistics;
    VkdmlResult result = vkdml_statistics_plan(&reduce, planning, &statistics);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(instance, OUTPUT));
    map.operation = VKDML_MAP_QUANTIZE;
    vkdml_map_set_operand(&map, 0, vkdml_input_view(instance, 0));
    vkdml_map_set_operand(&map, 1, statistics.numbers[0]);
    vkdml_map_set_operand(&map, 2, statistics.numbers[1]);
    map.tensors[2].type = DML_TENSOR_DATA_TYPE_INT32;
    vkdml_builder_phase(planning->builder);
    result = vkdml_map_plan(&map, planning->builder);
    for (uint32_t i = SCALE; i <= ZERO_POINT && result == VKDML_SUCCESS; ++i) {
        result = plan_number(planning, &statistics, i);
    }
    return result;
}

const struct vkdml_operator vkdml_operator_dynamic_quantize_linear = {.plan = plan_dynamic_quantization};
