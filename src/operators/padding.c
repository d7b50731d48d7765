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

static void check_sizes(const struct vkdml_instance *instance, const struct padding *padding,
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

/* The operator of a descriptor, whose value a function takes. */
#define PADDING(name, NAME, take_value, given)                                                                         \
    static struct padding read_##name(const struct vkdml_instance *instance) {                                         \
        const DML_##NAME##_OPERATOR_DESC *desc = instance->desc;                                                       \
        struct padding padding = {.mode = desc->PaddingMode,                                                           \
                                  .dimension_count = desc->DimensionCount,                                             \
                                  .start = desc->StartPadding,                                                         \
                                  .end = desc->EndPadding};                                                            \
        take_value(given, instance->outputs[0].data_type, padding.value);                                              \
        return padding;                                                                                                \
    }                                                                                                                  \
    static void check_##name(const struct vkdml_instance *instance, struct vkdml_report *report) {                     \
        const struct padding padding = read_##name(instance);                                                          \
        check_sizes(instance, &padding, report);                                                                       \
    }                                                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        const struct padding padding = read_##name(planning->instance);                                                \
        (void)op;                                                                                                      \
        return plan(&padding, planning);                                                                               \
    }                                                                                                                  \
    const struct vkdml_operator vkdml_operator_##name = {.rules = check_##name, .plan = plan_##name}

PADDING(padding, PADDING, vkdml_scalar_from_float, desc->PaddingValue);
PADDING(padding1, PADDING1, vkdml_scalar_from_union, &desc->PaddingValue);
