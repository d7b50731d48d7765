/* ONE_HOT: along an axis the on value where an index says, the off value elsewhere. */
#include "operators/indices.h"
#include "operators/operators.h"

/* The innermost dimension of more than one coordinate; the dimension count where there is none. */
static uint32_t innermost_dimension(const struct vkdml_tensor *tensor) {
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        if (tensor->sizes[d] > 1) {
            return d;
        }
    }
    return tensor->dimension_count;
}

static void check_one_hot(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ONE_HOT_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *values = &instance->inputs[1];
    if (innermost_dimension(values) == values->dimension_count) {
        vkdml_report_invalid(report, "%s has one element, must have at least 2: the off value and the on value",
                             vkdml_input_name(instance, 1));
    }
    if (vkdml_indices_check_axis(instance, desc->Axis, report) && vkdml_indices_have_one_rank(instance)) {
        vkdml_indices_check_sequences(&instance->inputs[0], vkdml_input_name(instance, 0), &instance->outputs[0],
                                      vkdml_output_name(instance, 0), desc->Axis, report);
    }
}

static VkdmlResult plan_one_hot(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_ONE_HOT_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *values = &instance->inputs[1];
    (void)op;
    struct vkdml_index index;
    vkdml_indices_begin(instance, 1, 0, &index);
    index.mode = VKDML_INDEX_ONE_HOT;
    vkdml_indices_set_sequences(&index, &instance->inputs[0], desc->Axis);
    index.columns[0] = (struct vkdml_index_column){instance->outputs[0].sizes[desc->Axis],
                                                   values->strides[innermost_dimension(values)]};
    index.column_count = 1;
    return vkdml_index_plan(&index, planning->builder);
}

const struct vkdml_operator vkdml_operator_one_hot = {.rules = check_one_hot, .plan = plan_one_hot};
