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

/* The paddings of a dimension. Where their sum with the input's size exceeds 32 bits they have a sign, as DirectML adds
 * them modulo 2^32: negative ones remove elements of the input. */
struct rims {
    int64_t start, end;
};

static struct rims rims_of(const struct padding *padding, const struct vkdml_tensor *input, uint32_t d) {
    const uint32_t start = padding->start[d], end = padding->end[d];
    const bool wraps = (uint64_t)input->sizes[d] + start + end > UINT32_MAX;
    const int64_t wrap = INT64_C(1) << 32;
    return (struct rims){wraps && start > INT32_MAX ? start - wrap : start, wraps && end > INT32_MAX ? end - wrap : end};
}

/* The elements of the input that the output has. */
struct kept {
    int64_t first, count;
};

/* Edges remain where all elements are removed. */
static struct kept kept_of(const struct padding *padding, const struct rims *rims, const struct vkdml_tensor *input,
                           uint32_t d) {
    const int64_t size = input->sizes[d], first = rims->start < 0 ? -rims->start : 0;
    const int64_t count = size - first + (rims->end < 0 ? rims->end : 0);
    const bool is_edge = padding->mode == DML_PADDING_MODE_EDGE && count < 1;
    return is_edge ? (struct kept){first > 0 ? size - 1 : 0, 1} : (struct kept){first, count};
}

static void check_dimension(const struct vkdml_instance *instance, const struct padding *padding, uint32_t d,
                            struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor *output = &instance->outputs[0];
    const char *input_name = vkdml_input_name(instance, 0);
    const struct rims rims = rims_of(padding, input, d);
    const int64_t sum = input->sizes[d] + rims.start + rims.end;
    const bool repeats = padding->mode != DML_PADDING_MODE_CONSTANT && padding->mode != DML_PADDING_MODE_EDGE;
    if (sum < 1 || kept_of(padding, &rims, input, d).count < 1) {
        vkdml_report_invalid(report,
                             "StartPadding[%" PRIu32 "] (%" PRId64 ") and EndPadding[%" PRIu32 "] (%" PRId64
                             ") remove all of %s.Sizes[%" PRIu32 "] (%" PRIu32 ")",
                             d, rims.start, d, rims.end, input_name, d, input->sizes[d]);
    } else if (!vkdml_size_is(output, d, (uint64_t)sum)) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRId64 " = %s.Sizes[%" PRIu32
                             "] (%" PRIu32 ") + StartPadding[%" PRIu32 "] (%" PRId64 ") + EndPadding[%" PRIu32
                             "] (%" PRId64 ")",
                             vkdml_output_name(instance, 0), d, output->sizes[d], sum, input_name, d, input->sizes[d],
                             d, rims.start, d, rims.end);
    } else if (repeats && (rims.start < 0 || rims.end < 0) && (rims.start > 0 || rims.end > 0)) {
        vkdml_report_invalid(report,
                             "StartPadding[%" PRIu32 "] (%" PRId64 ") and EndPadding[%" PRIu32 "] (%" PRId64
                             ") remove and add elements, must do only one where PaddingMode repeats elements",
                             d, rims.start, d, rims.end);
    }
}

static void check_sizes(const struct vkdml_instance *instance, const struct padding *padding,
                        struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    if (padding->dimension_count != input->dimension_count) {
        vkdml_report_invalid(report, "DimensionCount is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount",
                             padding->dimension_count, input->dimension_count, vkdml_input_name(instance, 0));
    }
    if (padding->dimension_count != input->dimension_count || input->dimension_count != output->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        check_dimension(instance, padding, d, report);
    }
}

static VkdmlResult plan(const struct padding *padding, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *tensor = &planning->instance->inputs[0];
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    uint32_t start[VKDML_MAX_DIMENSIONS];
    for (uint32_t d = 0; d < input.rank; ++d) {
        const struct rims rims = rims_of(padding, tensor, d);
        const struct kept kept = kept_of(padding, &rims, tensor, d);
        const int64_t most = output.sizes[d] - kept.count;
        start[d] = (uint32_t)(rims.start < 0 ? 0 : rims.start < most ? rims.start : most);
        input.at.first += (uint64_t)kept.first * input.strides[d];
        input.sizes[d] = (uint32_t)kept.count;
    }
    const struct vkdml_padding whole = {
        .mode = padding->mode, .start = start, .value = {padding->value[0], padding->value[1]}};
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
