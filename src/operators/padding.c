/* PADDING and PADDING1: a gather whose dimensions begin before and end after their input. */
#include <inttypes.h>

#include "operators/gather.h"
#include "operators/operators.h"
#include "operators/plan_step.h"
#include "operators/scalar.h"

/* What the operators of this family have in common. */
struct padding {
    DML_PADDING_MODE mode;
    uint32_t dimension_count;
    const uint32_t *start;
    const uint32_t *end;
    uint32_t value[2]; /* an element of the tensors' type, low word first */
};

static void check_padding(const struct vkdml_instance *instance, const struct padding *padding,
                          struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *output = &instance->outputs[0];
    const char *input_name = vkdml_input_name(instance, 0);
    const char *output_name = vkdml_output_name(instance, 0);
    if (padding->dimension_count != input->dimension_count) {
        vkdml_report_invalid(report, "DimensionCount is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount",
                             padding->dimension_count, input->dimension_count, input_name);
    }
    if (padding->dimension_count != input->dimension_count || input->dimension_count != output->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        uint64_t sum = (uint64_t)input->sizes[d] + padding->start[d] + padding->end[d];
        if (sum != output->sizes[d]) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %s.Sizes[%" PRIu32
                                 "] (%" PRIu32 ") + StartPadding[%" PRIu32 "] (%" PRIu32 ") + EndPadding[%" PRIu32
                                 "] (%" PRIu32 ")",
                                 output_name, d, output->sizes[d], sum, input_name, d, input->sizes[d], d,
                                 padding->start[d], d, padding->end[d]);
        }
    }
}

static VkdmlResult plan_padding(const struct vkdml_instance *instance, const struct padding *padding,
                                const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                struct vkdml_plan *plan) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_plan_step *step = &plan->steps[plan->step_count++];
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, &instance->outputs[0], input);
    for (uint32_t d = 0; d < gather.count; ++d) {
        gather.dimensions[d].input_size = input->sizes[d];
        gather.dimensions[d].start = padding->start[d];
    }
    vkdml_gather_collapse(&gather, 0, gather.count);

    const uint32_t mode = padding->mode;
    const uint32_t arguments[4] = {padding->value[0], padding->value[1]};
    VkdmlResult result = vkdml_step_input(step, instance, 0, limits, report);
    if (result == VKDML_SUCCESS) {
        result = vkdml_step_output(step, instance, 0, limits, report);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdml_gather_step(&gather, VKDML_KERNEL_PADDING, 1, &mode, arguments, limits, report, step);
    }
    return result;
}

static struct padding read_padding(const struct vkdml_instance *instance) {
    const DML_PADDING_OPERATOR_DESC *desc = instance->desc;
    struct padding padding = {
        .mode = desc->PaddingMode,
        .dimension_count = desc->DimensionCount,
        .start = desc->StartPadding,
        .end = desc->EndPadding,
    };
    vkdml_scalar_from_float(desc->PaddingValue, instance->outputs[0].data_type, padding.value);
    return padding;
}

void vkdml_rules_padding(const struct vkdml_instance *instance, struct vkdml_report *report) {
    struct padding padding = read_padding(instance);
    check_padding(instance, &padding, report);
}

VkdmlResult vkdml_plan_padding(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                               VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    (void)flags;
    struct padding padding = read_padding(instance);
    return plan_padding(instance, &padding, limits, report, plan);
}

static struct padding read_padding1(const struct vkdml_instance *instance) {
    const DML_PADDING1_OPERATOR_DESC *desc = instance->desc;
    struct padding padding = {
        .mode = desc->PaddingMode,
        .dimension_count = desc->DimensionCount,
        .start = desc->StartPadding,
        .end = desc->EndPadding,
    };
    vkdml_scalar_from_union(&desc->PaddingValue, instance->outputs[0].data_type, padding.value);
    return padding;
}

void vkdml_rules_padding1(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_PADDING1_OPERATOR_DESC *desc = instance->desc;
    struct padding padding = read_padding1(instance);
    vkdml_scalar_check_type(instance, "PaddingValueDataType", desc->PaddingValueDataType, report);
    check_padding(instance, &padding, report);
}

VkdmlResult vkdml_plan_padding1(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                                VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    (void)flags;
    struct padding padding = read_padding1(instance);
    return plan_padding(instance, &padding, limits, report, plan);
}
