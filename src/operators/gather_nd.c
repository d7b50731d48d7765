/* GATHER_ND and GATHER_ND1: blocks of a tensor that tuples of indices name. */
#include "operators/indices.h"
#include "operators/operators.h"
#include "operators/tuples.h"

static VkdmlResult plan_nd(const struct vkdml_tuples *nd, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    struct vkdml_index index;
    const struct vkdml_gathered layout = vkdml_tuples_gathered(instance, nd);
    vkdml_indices_begin(instance, 0, 1, &index);
    vkdml_gathered_set(&layout, &index);
    for (uint32_t k = 0; k < vkdml_tuples_size(instance); ++k) {
        vkdml_indices_add_column(&index, input,
                                 vkdml_tuples_first(input, nd->input_dimensions) + nd->batch_dimensions + k);
    }
    index.column_index_stride = indices->strides[indices->dimension_count - 1];
    return vkdml_index_plan(&index, planning->builder);
}

static struct vkdml_tuples read_gather_nd(const struct vkdml_instance *instance) {
    const DML_GATHER_ND_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_tuples){desc->InputDimensionCount, desc->IndicesDimensionCount, 0, false};
}

static void check_gather_nd(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tuples nd = read_gather_nd(instance);
    vkdml_tuples_check(instance, &nd, &instance->outputs[0], vkdml_output_name(instance, 0), report);
}

static VkdmlResult plan_gather_nd(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const struct vkdml_tuples nd = read_gather_nd(planning->instance);
    return plan_nd(&nd, planning);
}

static struct vkdml_tuples read_gather_nd1(const struct vkdml_instance *instance) {
    const DML_GATHER_ND1_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_tuples){desc->InputDimensionCount, desc->IndicesDimensionCount, desc->BatchDimensionCount,
                                 true};
}

static void check_gather_nd1(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tuples nd = read_gather_nd1(instance);
    vkdml_tuples_check(instance, &nd, &instance->outputs[0], vkdml_output_name(instance, 0), report);
}

static VkdmlResult plan_gather_nd1(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const struct vkdml_tuples nd = read_gather_nd1(planning->instance);
    return plan_nd(&nd, planning);
}

const struct vkdml_operator vkdml_operator_gather_nd = {.rules = check_gather_nd, .plan = plan_gather_nd};
const struct vkdml_operator vkdml_operator_gather_nd1 = {.rules = check_gather_nd1, .plan = plan_gather_nd1};
