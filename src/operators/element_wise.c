/* ELEMENT_WISE_IDENTITY: a copy between two layouts, with ScaleBias an arithmetic one. */
#include "operators/gather.h"
#include "operators/operators.h"
#include "operators/plan_step.h"
#include "operators/scalar.h"

void vkdml_rules_element_wise_identity(const struct vkdml_instance *instance, struct vkdml_report *report) {
    /* The table says it all: equal types and sizes. */
    (void)instance;
    (void)report;
}

VkdmlResult vkdml_plan_element_wise_identity(const struct vkdml_instance *instance,
                                             const struct vkdml_plan_limits *limits, VkdmlCompileFlags flags,
                                             struct vkdml_report *report, struct vkdml_plan *plan) {
    (void)flags;
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *desc = instance->desc;
    struct vkdml_plan_step *step = &plan->steps[plan->step_count++];
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, &instance->outputs[0], &instance->inputs[0]);
    vkdml_gather_collapse(&gather, 0, gather.count);

    VkdmlResult result = vkdml_step_input(step, instance, 0, limits, report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_step_output(step, instance, 0, limits, report);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    if (desc->ScaleBias == NULL) {
        vkdml_gather_widen(&gather);
        return vkdml_gather_step(&gather, VKDML_KERNEL_COPY, 0, NULL, (const uint32_t[4]){0}, limits, report, step);
    }
    const uint32_t data_type = instance->outputs[0].data_type;
    const uint32_t arguments[4] = {vkdml_float_bits(desc->ScaleBias->Scale), vkdml_float_bits(desc->ScaleBias->Bias)};
    return vkdml_gather_step(&gather, VKDML_KERNEL_SCALE_BIAS, 1, &data_type, arguments, limits, report, step);
}
