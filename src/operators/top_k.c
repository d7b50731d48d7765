/* TOP_K and TOP_K1: the first elements of rows in an order, and their places. */
#include "frames/top_k/top_k.h"

#include <inttypes.h>

#include "operators/operators.h"
#include "tensor/infer.h"

/* ---- rules ---- */

static void check_size(const struct vkdml_instance *instance, uint32_t output, uint32_t d, uint32_t axis, uint32_t k,
                       struct vkdml_report *report) {
    const uint32_t size = instance->outputs[output].sizes[d], wanted = d == axis ? k : instance->inputs[0].sizes[d];
    const char *name = vkdml_output_name(instance, output);
    if (vkdml_size_is(&instance->outputs[output], d, wanted) || size == 0 || wanted == 0) {
        return; /* 0 was told */
    }
    if (d == axis) {
        vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = K", name, d, size, k);
    } else {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]", name,
                             d, size, wanted, vkdml_input_name(instance, 0), d);
    }
}

static void check(const struct vkdml_instance *instance, uint32_t axis, uint32_t k, struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const uint32_t rank = input->dimension_count;
    if (axis >= rank) {
        vkdml_report_invalid(report, "Axis is %" PRIu32 ", must be below %" PRIu32 " = %s.DimensionCount", axis, rank,
                             vkdml_input_name(instance, 0));
        return;
    }
    if (k == 0) {
        vkdml_report_invalid(report, "K is 0, must be at least 1");
    } else if (k > input->sizes[axis] && input->sizes[axis] != 0) {
        vkdml_report_invalid(report, "K is %" PRIu32 ", must be at most %" PRIu32 " = %s.Sizes[%" PRIu32 "]", k,
                             input->sizes[axis], vkdml_input_name(instance, 0), axis);
    }
    if (instance->outputs[0].dimension_count == rank) { /* the indices' sizes are the values', says the table */
        for (uint32_t d = 0; d < rank; ++d) {
            check_size(instance, 0, d, axis, k, report);
        }
    }
}

static void check_top_k(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_TOP_K_OPERATOR_DESC *desc = instance->desc;
    check(instance, desc->Axis, desc->K, report);
}

static void check_top_k1(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_TOP_K1_OPERATOR_DESC *desc = instance->desc;
    check(instance, desc->Axis, desc->K, report);
}

/* ---- plans ---- */

static VkdmlResult plan(const struct vkdml_planning *planning, uint32_t axis, bool takes_least) {
    const struct vkdml_top_k top_k = {
        .input = vkdml_input_view(planning->instance, 0),
        .values = vkdml_output_view(planning->instance, 0),
        .indices = vkdml_output_view(planning->instance, 1),
        .axis = axis,
        .takes_least = takes_least,
    };
    return vkdml_top_k_plan(&top_k, planning->builder);
}

static VkdmlResult plan_top_k(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_TOP_K_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    return plan(planning, desc->Axis, false);
}

static VkdmlResult plan_top_k1(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_TOP_K1_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    return plan(planning, desc->Axis, desc->AxisDirection == DML_AXIS_DIRECTION_INCREASING);
}

const struct vkdml_operator vkdml_operator_top_k = {.rules = check_top_k, .plan = plan_top_k};
const struct vkdml_operator vkdml_operator_top_k1 = {.rules = check_top_k1, .plan = plan_top_k1};
