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

/* batches: BatchDimensionCount, where the descriptor has it. */
#define OF_TUPLES(name, NAME, batches, has_batches)                                                                    \
    static struct vkdml_tuples read_##name(const struct vkdml_instance *instance) {                                    \
        const DML_##NAME##_OPERATOR_DESC *desc = instance->desc;                                                       \
        return (struct vkdml_tuples){desc->InputDimensionCount, desc->IndicesDimensionCount, batches, has_batches,     \
                                     true};                                                                            \
    }                                                                                                                  \
    static void check_##name(const struct vkdml_instance *instance, struct vkdml_report *report) {                     \
        const struct vkdml_tuples nd = read_##name(instance);                                                          \
        vkdml_tuples_check(instance, &nd, &instance->outputs[0], vkdml_output_name(instance, 0), report);              \
    }                                                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        (void)op;                                                                                                      \
        const struct vkdml_tuples nd = read_##name(planning->instance);                                                \
        return plan_nd(&nd, planning);                                                                                 \
    }                                                                                                                  \
    const struct vkdml_operator vkdml_operator_##name = {.rules = check_##name, .plan = plan_##name}

OF_TUPLES(gather_nd, GATHER_ND, 0, false);
OF_TUPLES(gather_nd1, GATHER_ND1, desc->BatchDimensionCount, true);
