/* SLICE, SLICE1 and SLICE_GRAD. */
#include <inttypes.h>
#include <string.h>

#include "frames/gather/padding.h"
#include "operators/copying.h"
#include "operators/fill_value.h"
#include "operators/operators.h"
#include "tensor/infer.h"

/* What the slices have in common: in each dimension the first element of the whole tensor that is taken, how far it is
 * to the next one, and which way. */
struct slice {
    uint32_t first[VKDML_MAX_DIMENSIONS];
    uint32_t step[VKDML_MAX_DIMENSIONS];
    bool is_backward[VKDML_MAX_DIMENSIONS];
};

static void check_slice(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_SLICE_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor *output = &instance->outputs[0];
    if (!vkdml_copying_check_count("DimensionCount", desc->DimensionCount, input, vkdml_input_name(instance, 0),
                                   report) ||
        input->dimension_count != output->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        if (!vkdml_size_is(output, d, desc->Sizes[d])) {
            vkdml_report_invalid(report,
                                 "Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]", d,
                                 desc->Sizes[d], output->sizes[d], vkdml_output_name(instance, 0), d);
        } else if (desc->Strides[d] == 0) {
            vkdml_report_invalid(report, "Strides[%" PRIu32 "] is 0, must be at least 1", d);
        } else if (output->sizes[d] != 0) {
            const uint64_t last = desc->Offsets[d] + (uint64_t)(output->sizes[d] - 1) * desc->Strides[d];
            if (last >= input->sizes[d]) {
                vkdml_report_invalid(report,
                                     "Offsets[%" PRIu32 "] (%" PRIu32 ") + (Sizes[%" PRIu32 "] (%" PRIu32
                                     ") - 1) * Strides[%" PRIu32 "] (%" PRIu32 ") is %" PRIu64
                                     ", must be below %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                     d, desc->Offsets[d], d, desc->Sizes[d], d, desc->Strides[d], last, input->sizes[d],
                                     vkdml_input_name(instance, 0), d);
            }
        }
    }
}

/* SLICE1 and SLICE_GRAD have the same attributes. */
struct window {
    uint32_t dimension_count;
    const uint32_t *offsets;
    const uint32_t *sizes;
    const int32_t *strides;
};

static uint32_t magnitude(int32_t stride) {
    return stride < 0 ? 0 - (uint32_t)stride : (uint32_t)stride;
}

/* The part may have fewer elements than the window; where it is not known it has all. */
static void check_part(const struct window *window, uint32_t d, struct vkdml_tensor *part, const char *part_name,
                       struct vkdml_report *report) {
    const uint32_t most = 1 + (window->sizes[d] - 1) / magnitude(window->strides[d]);
    vkdml_choose_size(part, d, most);
    if (part->sizes[d] > most) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be at most %" PRIu32
                             ": InputWindowSizes[%" PRIu32 "] is %" PRIu32 ", InputWindowStrides[%" PRIu32 "] %" PRId32,
                             part_name, d, part->sizes[d], most, d, window->sizes[d], d, window->strides[d]);
    }
}

/* whole: the tensor with the window; part: what is taken of it, or put there. */
static void check_window(const struct window *window, const struct vkdml_tensor *whole, const char *whole_name,
                         struct vkdml_tensor *part, const char *part_name, struct vkdml_report *report) {
    if (!vkdml_copying_check_count("DimensionCount", window->dimension_count, whole, whole_name, report) ||
        whole->dimension_count != part->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < whole->dimension_count; ++d) {
        const uint32_t size = window->sizes[d];
        const uint64_t end = (uint64_t)window->offsets[d] + size;
        if (window->strides[d] == 0) {
            vkdml_report_invalid(report, "InputWindowStrides[%" PRIu32 "] is 0, must be positive or negative", d);
        } else if (size == 0) {
            vkdml_report_invalid(report, "InputWindowSizes[%" PRIu32 "] is 0, must be at least 1", d);
        } else if (end > whole->sizes[d] && !vkdml_size_is_unknown(whole, d)) {
            vkdml_report_invalid(report,
                                 "InputWindowOffsets[%" PRIu32 "] (%" PRIu32 ") + InputWindowSizes[%" PRIu32
                                 "] (%" PRIu32 ") is %" PRIu64 ", must be at most %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 d, window->offsets[d], d, size, end, whole->sizes[d], whole_name, d);
        } else {
            check_part(window, d, part, part_name, report);
        }
    }
}

static struct slice slice_of(const struct window *window) {
    struct slice slice;
    for (uint32_t d = 0; d < window->dimension_count; ++d) {
        slice.is_backward[d] = window->strides[d] < 0;
        slice.step[d] = magnitude(window->strides[d]);
        slice.first[d] = window->offsets[d] + (slice.is_backward[d] ? window->sizes[d] - 1 : 0);
    }
    return slice;
}

static VkdmlResult plan_taking(const struct slice *slice, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    struct vkdml_gather gather = vkdml_copying_begin(planning->instance, 0, 0);
    bool fits = true;
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        const uint32_t before = gather.count;
        fits &=
            vkdml_copy_add(&gather, output->sizes[d], output->strides[d], (uint64_t)input->strides[d] * slice->step[d]);
        if (gather.count != before) {
            gather.dimensions[before].is_backward = slice->is_backward[d] && input->strides[d] != 0;
        }
        gather.input.first += (uint64_t)slice->first[d] * input->strides[d];
    }
    return vkdml_copying_plan(&gather, fits, planning);
}

/* Whether the part is taken, or put down, as it is. */
static bool is_plain(const struct slice *slice, const struct vkdml_tensor *part) {
    for (uint32_t d = 0; d < part->dimension_count; ++d) {
        if (part->sizes[d] > 1 && (slice->step[d] != 1 || slice->is_backward[d])) {
            return false;
        }
    }
    return true;
}

static bool moves_taken(const struct slice *slice, const struct vkdml_instance *instance, uint32_t index,
                        struct vkdml_move *move) {
    *move = (struct vkdml_move){.input = 0};
    for (uint32_t d = 0; d < instance->inputs[0].dimension_count; ++d) {
        move->from += (uint64_t)slice->first[d] * instance->inputs[0].strides[d];
    }
    return index == 0 && is_plain(slice, &instance->outputs[0]);
}

static struct slice read_slice(const struct vkdml_instance *instance) {
    const DML_SLICE_OPERATOR_DESC *desc = instance->desc;
    struct slice slice = {{0}, {0}, {false}};
    memcpy(slice.first, desc->Offsets, desc->DimensionCount * sizeof(*slice.first));
    memcpy(slice.step, desc->Strides, desc->DimensionCount * sizeof(*slice.step));
    return slice;
}

static VkdmlResult plan_slice(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct slice slice = read_slice(planning->instance);
    (void)op;
    return plan_taking(&slice, planning);
}

static bool moves_slice(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move) {
    const struct slice slice = read_slice(instance);
    return moves_taken(&slice, instance, index, move);
}

#define READER(name, NAME)                                                                                             \
    static struct window read_##name(const struct vkdml_instance *instance) {                                          \
        const DML_##NAME##_OPERATOR_DESC *desc = instance->desc;                                                       \
        return (struct window){desc->DimensionCount, desc->InputWindowOffsets, desc->InputWindowSizes,                 \
                               desc->InputWindowStrides};                                                              \
    }

READER(slice1, SLICE1)
READER(slice_grad, SLICE_GRAD)

static void check_slice1(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct window window = read_slice1(instance);
    check_window(&window, &instance->inputs[0], vkdml_input_name(instance, 0), &instance->outputs[0],
                 vkdml_output_name(instance, 0), report);
}

static VkdmlResult plan_slice1(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct window window = read_slice1(planning->instance);
    const struct slice slice = slice_of(&window);
    (void)op;
    return plan_taking(&slice, planning);
}

static bool moves_slice1(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move) {
    const struct window window = read_slice1(instance);
    const struct slice slice = slice_of(&window);
    return moves_taken(&slice, instance, index, move);
}

static void check_slice_grad(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct window window = read_slice_grad(instance);
    check_window(&window, &instance->outputs[0], vkdml_output_name(instance, 0), &instance->inputs[0],
                 vkdml_input_name(instance, 0), report);
}

/* Padding where that is all; else zeros, and over them the input at every step of the window. Kernels walk outputs
 * forward: where the window is walked backward, so is the input. */
static VkdmlResult plan_slice_grad(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    const struct window window = read_slice_grad(planning->instance);
    const struct slice slice = slice_of(&window);
    const struct vkdml_view to = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view from = vkdml_input_view(planning->instance, 0);
    (void)op;
    if (is_plain(&slice, input)) {
        const struct vkdml_padding padding = {.mode = DML_PADDING_MODE_CONSTANT, .start = slice.first};
        return vkdml_padding_plan(&padding, &to, &from, planning->builder);
    }
    struct vkdml_gather gather = vkdml_copying_begin(planning->instance, 0, 0);
    bool fits = true;
    bool is_all = true;
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        const uint32_t before = gather.count;
        const uint64_t reach = (uint64_t)(input->sizes[d] - 1) * slice.step[d];
        fits &=
            vkdml_copy_add(&gather, input->sizes[d], (uint64_t)output->strides[d] * slice.step[d], input->strides[d]);
        if (gather.count != before && slice.is_backward[d]) {
            gather.dimensions[before].is_backward = input->strides[d] != 0;
            gather.input.first += (uint64_t)(input->sizes[d] - 1) * input->strides[d];
        }
        gather.output.first += (slice.first[d] - (slice.is_backward[d] ? reach : 0)) * output->strides[d];
        is_all = is_all && input->sizes[d] == output->sizes[d];
    }
    if (is_all) {
        return vkdml_copying_plan(&gather, fits, planning);
    }
    const uint32_t zero[2] = {0, 0};
    VkdmlResult result = vkdml_fill_plan(&to, zero, planning->builder);
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? vkdml_copying_plan(&gather, fits, planning) : result;
}

const struct vkdml_operator vkdml_operator_slice = {.rules = check_slice, .plan = plan_slice, .moves = moves_slice};
const struct vkdml_operator vkdml_operator_slice1 = {.rules = check_slice1, .plan = plan_slice1, .moves = moves_slice1};
const struct vkdml_operator vkdml_operator_slice_grad = {.rules = check_slice_grad, .plan = plan_slice_grad};
