/* JOIN and SPLIT. */
#include <inttypes.h>

#include "operators/copying.h"
#include "operators/operators.h"
#include "tensor/infer.h"

/* What of the whole no part has yet goes to the one whose size is unknown; where all are, each gets as much. Returns
 * how many remain unknown. */
static uint32_t share_out(uint32_t axis, const struct vkdml_tensor *whole, struct vkdml_tensor *parts, uint32_t count) {
    uint64_t sum = 0;
    uint32_t unknown = 0;
    for (uint32_t p = 0; p < count; ++p) {
        sum += parts[p].sizes[axis];
        unknown += vkdml_size_is_unknown(&parts[p], axis);
    }
    const uint64_t rest = whole->sizes[axis] > sum ? whole->sizes[axis] - sum : 0;
    const bool is_settled = unknown == 1 || (unknown == count && rest % count == 0);
    for (uint32_t p = 0; p < count && is_settled && rest != 0; ++p) {
        vkdml_choose_size(&parts[p], axis, rest / unknown);
    }
    return is_settled || rest == 0 ? 0 : unknown;
}

/* Whether the parts lie side by side in the whole, along the axis. */
static void check_parts(uint32_t axis, struct vkdml_tensor *whole, const char *whole_name, struct vkdml_tensor *parts,
                        const char *const *names, uint32_t count, struct vkdml_report *report) {
    if (axis >= whole->dimension_count) {
        vkdml_report_invalid(report, "Axis is %" PRIu32 ", must be below %" PRIu32 " = %s.DimensionCount", axis,
                             whole->dimension_count, whole_name);
        return;
    }
    uint64_t sum = 0;
    for (uint32_t p = 0; p < count; ++p) {
        if (parts[p].dimension_count != whole->dimension_count) {
            return; /* told by the table's rules */
        }
        for (uint32_t d = 0; d < whole->dimension_count; ++d) {
            if (d != axis && !vkdml_sizes_are_same(whole, d, &parts[p], d)) {
                vkdml_report_invalid(
                    report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                    names[p], d, parts[p].sizes[d], whole->sizes[d], whole_name, d);
            }
        }
    }
    const uint32_t unknown = share_out(axis, whole, parts, count);
    for (uint32_t p = 0; p < count; ++p) {
        sum += parts[p].sizes[axis];
    }
    if (unknown == 0 && !vkdml_size_is(whole, axis, sum)) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64
                             ", the sum of the sizes along Axis of the %" PRIu32 " tensors",
                             whole_name, axis, whole->sizes[axis], sum, count);
    }
}

static void check_split(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_SPLIT_OPERATOR_DESC *desc = instance->desc;
    check_parts(desc->Axis, &instance->inputs[0], vkdml_input_name(instance, 0), instance->outputs,
                instance->output_names, instance->output_count, report);
}

static void check_join(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_JOIN_OPERATOR_DESC *desc = instance->desc;
    check_parts(desc->Axis, &instance->outputs[0], vkdml_output_name(instance, 0), instance->inputs,
                instance->input_names, instance->input_count, report);
}

/* A copy for each part, none of which waits for another. */
static VkdmlResult plan_parts(const struct vkdml_planning *planning, uint32_t axis, bool splits) {
    const struct vkdml_instance *instance = planning->instance;
    const uint32_t count = splits ? instance->output_count : instance->input_count;
    uint64_t at = 0;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t p = 0; p < count && result == VKDML_SUCCESS; ++p) {
        const struct vkdml_tensor *input = &instance->inputs[splits ? 0 : p];
        const struct vkdml_tensor *output = &instance->outputs[splits ? p : 0];
        const uint32_t *sizes = splits ? output->sizes : input->sizes;
        struct vkdml_gather gather = vkdml_copying_begin(instance, splits ? 0 : p, splits ? p : 0);
        bool fits = true;
        for (uint32_t d = 0; d < output->dimension_count; ++d) {
            fits &= vkdml_copy_add(&gather, sizes[d], output->strides[d], input->strides[d]);
        }
        gather.input.first += splits ? at * input->strides[axis] : 0;
        gather.output.first += splits ? 0 : at * output->strides[axis];
        at += sizes[axis];
        result = vkdml_copying_plan(&gather, fits, planning);
    }
    return result;
}

static VkdmlResult plan_split(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_SPLIT_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    return plan_parts(planning, desc->Axis, true);
}

static VkdmlResult plan_join(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_JOIN_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    return plan_parts(planning, desc->Axis, false);
}

/* The element along the axis that part `index` begins with, in the whole. */
static uint64_t first_of(const struct vkdml_tensor *parts, uint32_t index, uint32_t axis,
                         const struct vkdml_tensor *whole) {
    uint64_t at = 0;
    for (uint32_t p = 0; p < index; ++p) {
        at += parts[p].sizes[axis];
    }
    return at * whole->strides[axis];
}

static bool moves_split(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move) {
    const DML_SPLIT_OPERATOR_DESC *desc = instance->desc;
    *move = (struct vkdml_move){.output = index};
    if (index < instance->output_count) {
        move->from = first_of(instance->outputs, index, desc->Axis, &instance->inputs[0]);
    }
    return index < instance->output_count;
}

static bool moves_join(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move) {
    const DML_JOIN_OPERATOR_DESC *desc = instance->desc;
    *move = (struct vkdml_move){.input = index};
    if (index < instance->input_count) {
        move->to = first_of(instance->inputs, index, desc->Axis, &instance->outputs[0]);
    }
    return index < instance->input_count;
}

const struct vkdml_operator vkdml_operator_split = {.rules = check_split, .plan = plan_split, .moves = moves_split};
const struct vkdml_operator vkdml_operator_join = {.rules = check_join, .plan = plan_join, .moves = moves_join};
