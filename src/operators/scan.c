/* CUMULATIVE_SUMMATION and CUMULATIVE_PRODUCT: scans along Axis. */
#include "frames/scan/scan.h"

#include <inttypes.h>

#include "operators/operators.h"

/* ---- rules ---- */

static void check_axis(const struct vkdml_instance *instance, uint32_t axis, struct vkdml_report *report) {
    const uint32_t dimensions = instance->inputs[0].dimension_count;
    if (axis >= dimensions) {
        vkdml_report_invalid(report, "Axis is %" PRIu32 ", must be below %" PRIu32 " = %s.DimensionCount", axis,
                             dimensions, vkdml_input_name(instance, 0));
    }
}

static void check_summation(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_CUMULATIVE_SUMMATION_OPERATOR_DESC *desc = instance->desc;
    check_axis(instance, desc->Axis, report);
}

static void check_product(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_CUMULATIVE_PRODUCT_OPERATOR_DESC *desc = instance->desc;
    check_axis(instance, desc->Axis, report);
}

/* ---- plans ---- */

static VkdmlResult plan_scan(const struct vkdml_planning *planning, struct vkdml_scan scan) {
    scan.input = vkdml_input_view(planning->instance, 0);
    scan.output = vkdml_output_view(planning->instance, 0);
    return vkdml_scan_plan(&scan, planning->builder);
}

static VkdmlResult plan_summation(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_CUMULATIVE_SUMMATION_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    return plan_scan(planning, (struct vkdml_scan){
                                   .axis = desc->Axis,
                                   .is_backward = desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING,
                                   .is_exclusive = desc->HasExclusiveSum != 0,
                               });
}

static VkdmlResult plan_product(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_CUMULATIVE_PRODUCT_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    return plan_scan(planning, (struct vkdml_scan){
                                   .axis = desc->Axis,
                                   .multiplies = true,
                                   .is_backward = desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING,
                                   .is_exclusive = desc->HasExclusiveProduct != 0,
                               });
}

const struct vkdml_operator vkdml_operator_cumulative_summation = {.rules = check_summation, .plan = plan_summation};
const struct vkdml_operator vkdml_operator_cumulative_product = {.rules = check_product, .plan = plan_product};
