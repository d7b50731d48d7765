/* ELEMENT_WISE_IDENTITY: a copy between two layouts, with ScaleBias an arithmetic one. */
#include "operators/gather.h"
#include "operators/operators.h"
#include "operators/scalar.h"
#include "operators/transfer.h"

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
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, &instance->outputs[0], &instance->inputs[0]);
    vkdml_gather_collapse(&gather, 0, gather.count);

    struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_COPY,
        .runs_kernel = VKDML_KERNEL_COPY_RUNS,
        .has_input = true,
        .input = VKDML_PLAN_INPUT,
        .output = VKDML_PLAN_OUTPUT,
    };
    if (desc->ScaleBias == NULL) {
        plan->keeps_input = true;
        if (vkdml_transfer_suits_copy(&gather, limits)) {
            return vkdml_transfer_plan_copy(&gather, &use, limits, report, plan, &plan->steps);
        }
        vkdml_gather_widen(&gather);
    } else {
        use.kernel = VKDML_KERNEL_SCALE_BIAS;
        use.runs_kernel = VKDML_KERNEL_COPY; /* none */
        use.specialization_count = 1;
        use.specializations[0] = instance->outputs[0].data_type;
        use.arguments[0] = vkdml_float_bits(desc->ScaleBias->Scale);
        use.arguments[1] = vkdml_float_bits(desc->ScaleBias->Bias);
    }
    return vkdml_gather_plan(&gather, &use, limits, report, plan, &plan->steps);
}
