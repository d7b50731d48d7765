/* PADDING and PADDING1: a gather whose dimensions begin before and end after their input. */
#include "frames/gather/padding.h"

#include <inttypes.h>

#include "operators/operators.h"
#include "operators/scalar.h"
#include "tensor/infer.h"

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
    struct vkdml_tensor *output = &instance->outputs[0];
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
        if (!vkdml_size_is(output, d, sum)) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %s.Sizes[%" PRIu32
                                 "] (%" PRIu32 ") + StartPadding[%" PRIu32 "] (%" PRIu32 ") + EndPadding[%" PRIu32
                                 "] (%" PRIu32 ")",
                                 output_name, d, output->sizes[d], sum, input_name, d, input->sizes[d], d,
                                 padding->start[d], d, padding->end[d]);
        }
    }
}

static VkdmlResult plan(const struct padding *padding, const struct vkdml_planning *planning) {
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const struct vkdml_padding whole = {
        .mode = padding->mode, .start = padding->start, .value = {padding->value[0], padding->value[1]}};
    return vkdml_padding_plan(&whole, &output, &input, planning->builder);
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

static void check(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct padding padding = read_padding(instance);
    check_padding(instance, &padding, report);
}

static VkdmlResult plan_padding(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const struct padding padding = read_padding(planning->instance);
    return plan(&padding, planning);
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

static void check1(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct padding padding = read_padding1(instance);
    check_padding(instance, &padding, report);
}

static VkdmlResult plan_padding1(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const struct padding padding = read_padding1(planning->instance);
    return plan(&padding, planning);
}

const struct vkdml_operator vkdml_operator_padding = {.rules = check, .plan = plan_padding};
const struct vkdml_operator vkdml_operator_padding1 = {.rules = check1, .plan = plan_padding1};
