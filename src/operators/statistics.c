#include "operators/statistics.h"

#include "base/notes.h"
#include "operators/temporary.h"

VkdmlResult vkdml_statistics_plan_of(const struct vkdml_reduce *reduce, const struct vkdml_planning *planning,
                                     struct vkdml_statistics *statistics) {
    const struct vkdml_tensor *input = reduce->input;
    vkdml_note(planning->builder->report,
               "statistics: two words for each reduction go to the temporary resource, for a map to take");
    struct vkdml_tensor kept = *input;
    for (uint32_t d = 0; d < kept.dimension_count; ++d) {
        kept.sizes[d] = (reduce->folded >> d & 1) != 0 ? 1 : input->sizes[d];
    }
    statistics->tensor = vkdml_temporary_numbers(&kept);
    if (reduce->function == VKDML_REDUCE_ARGMAX) {
        statistics->tensor.data_type = DML_TENSOR_DATA_TYPE_UINT32;
    }
    statistics->offsets[0] = vkdml_temporary_add(planning->builder, &statistics->tensor);
    statistics->offsets[1] = vkdml_temporary_add(planning->builder, &statistics->tensor);
    struct vkdml_reduce whole = *reduce;
    whole.output = &statistics->tensor;
    whole.target = VKDML_PLAN_TEMPORARY;
    whole.offsets[0] = statistics->offsets[0];
    whole.offsets[1] = statistics->offsets[1];
    return vkdml_reduce_plan(&whole, planning->builder);
}

VkdmlResult vkdml_statistics_plan(const struct vkdml_reduce *reduce, const struct vkdml_planning *planning,
                                  struct vkdml_statistics *statistics) {
    struct vkdml_reduce of_input = *reduce;
    of_input.input = &planning->instance->inputs[0];
    return vkdml_statistics_plan_of(&of_input, planning, statistics);
}

void vkdml_statistics_use(const struct vkdml_statistics *statistics, uint32_t which, uint32_t operand,
                          struct vkdml_map *map) {
    vkdml_map_set_operand(map, operand, 0, &statistics->tensor);
    vkdml_map_set_temporary(map, operand, statistics->offsets[which]);
}
