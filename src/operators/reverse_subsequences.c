/* REVERSE_SUBSEQUENCES: the first elements along an axis the other way round, as many as a tensor says. */
#include "operators/indices.h"
#include "operators/operators.h"

static void check_reverse(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC *desc = instance->desc;
    if (vkdml_indices_check_axis(instance, desc->Axis, report) && vkdml_indices_have_one_rank(instance)) {
        vkdml_indices_check_sequences(&instance->inputs[1], vkdml_input_name(instance, 1), &instance->inputs[0],
                                      vkdml_input_name(instance, 0), desc->Axis, report);
    }
}

static VkdmlResult plan_reverse(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC *desc = instance->desc;
    (void)op;
    struct vkdml_index index;
    vkdml_indices_begin(instance, 0, 1, &index);
    index.mode = VKDML_INDEX_REVERSE;
    vkdml_indices_set_sequences(&index, &instance->inputs[1], desc->Axis);
    for (uint32_t d = 0; d < index.rank; ++d) {
        index.dimensions[d].strides[VKDML_INDEX_OF_INPUT] = d == desc->Axis ? 0 : instance->inputs[0].strides[d];
    }
    vkdml_indices_add_column(&index, &instance->inputs[0], desc->Axis);
    return vkdml_index_plan(&index, planning->builder);
}

const struct vkdml_operator vkdml_operator_reverse_subsequences = {.rules = check_reverse, .plan = plan_reverse};
