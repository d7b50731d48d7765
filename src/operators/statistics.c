#include "operators/statistics.h"

#include "base/notes.h"

VkdmlResult vkdml_statistics_plan_of(const struct vkdml_reduce *reduce, const struct vkdml_planning *planning,
                                     struct vkdml_statistics *statistics) {
    vkdml_note(planning->builder->report,
               "statistics: two words for each reduction go to the temporary resource, for a map to take");
    struct vkdml_view kept = reduce->input;
    for (uint32_t d = 0; d < kept.rank; ++d) {
        kept.sizes[d] = (reduce->folded >> d & 1) != 0 ? 1 : kept.sizes[d];
    }
    const DML_TENSOR_DATA_TYPE type =
        reduce->function == VKDML_REDUCE_ARGMAX ? DML_TENSOR_DATA_TYPE_UINT32 : DML_TENSOR_DATA_TYPE_FLOAT32;
    struct vkdml_reduce whole = *reduce;
    statistics->numbers[0] = vkdml_builder_scratch(planning->builder, "numbers of reductions", &kept, type);
    statistics->numbers[1] = statistics->numbers[0]; /* packed the same, elsewhere */
    vkdml_builder_place(planning->builder, "numbers of reductions", &statistics->numbers[1]);
    whole.outputs[0] = statistics->numbers[0];
    whole.outputs[1] = statistics->numbers[1];
    return vkdml_reduce_plan(&whole, planning->builder);
}

VkdmlResult vkdml_statistics_plan(const struct vkdml_reduce *reduce, const struct vkdml_planning *planning,
                                  struct vkdml_statistics *statistics) {
    struct vkdml_reduce of_input = *reduce;
    of_input.input = vkdml_input_view(planning->instance, 0);
    return vkdml_statistics_plan_of(&of_input, planning, statistics);
}

VkdmlResult vkdml_statistics_plan_rows(const struct vkdml_rows *rows, const struct vkdml_reduce *reduce,
                                       const struct vkdml_planning *planning, vkdml_statistics_use use,
                                       const void *context) {
    struct vkdml_statistics statistics;
    bool is_planned, is_only;
    VkdmlResult result = vkdml_rows_plan(rows, planning->builder, &is_planned, &is_only);
    if (result != VKDML_SUCCESS || is_only) {
        return result;
    }
    const struct vkdml_builder_mark mark = vkdml_builder_mark(planning->builder);
    result = vkdml_statistics_plan(reduce, planning, &statistics);
    if (result == VKDML_SUCCESS) {
        result = use(planning, &statistics, context);
    }
    return result == VKDML_SUCCESS && is_planned ? vkdml_builder_spare_since(planning->builder, &mark) : result;
}

VkdmlResult vkdml_statistics_plan_map(const struct vkdml_planning *planning, enum vkdml_map_operation operation,
                                      const struct vkdml_view *tensor, const struct vkdml_statistics *statistics,
                                      uint32_t count) {
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(planning->instance, 0));
    map.operation = operation;
    vkdml_map_set_operand(&map, 0, *tensor);
    for (uint32_t i = 0; i < count; ++i) {
        vkdml_map_set_operand(&map, 1 + i, statistics->numbers[i]);
    }
    vkdml_builder_phase(planning->builder);
    return vkdml_map_plan(&map, planning->builder);
}
