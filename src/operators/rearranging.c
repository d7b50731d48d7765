/* Operators that move elements and change none: slices, joins, splits, tiles, blocks and windows. Each is a copy
 * between two tensors whose dimensions are walked in some other way. */
#include <inttypes.h>
#include <string.h>

#include "frames/gather/copy.h"
#include "frames/gather/padding.h"
#include "operators/fill_value.h"
#include "operators/operators.h"
#include "operators/unfolding.h"

/* ---- copies ---- */

static struct vkdml_gather begin(const struct vkdml_instance *instance, uint32_t input, uint32_t output) {
    const struct vkdml_view to = vkdml_output_view(instance, output), from = vkdml_input_view(instance, input);
    struct vkdml_gather gather;
    vkdml_gather_begin(&gather, &to, &from);
    return gather;
}

static VkdmlResult refuse_stride(const struct vkdml_planning *planning) {
    return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "elements that are moved lie %" PRIu64 " elements apart or more, must lie at most %" PRIu32,
                            (uint64_t)UINT32_MAX + 1, UINT32_MAX);
}

/* Adds the copy; `fits`: what vkdml_copy_add() said. */
static VkdmlResult plan_copy(struct vkdml_gather *gather, bool fits, const struct vkdml_planning *planning) {
    return fits ? vkdml_copy_plan(gather, true, planning->builder) : refuse_stride(planning);
}

/* ---- slices ---- */

/* What the slices have in common: in each dimension the first element of the whole tensor that is taken, how far it is
 * to the next one, and which way. */
struct slice {
    uint32_t first[VKDML_MAX_DIMENSIONS];
    uint32_t step[VKDML_MAX_DIMENSIONS];
    bool is_backward[VKDML_MAX_DIMENSIONS];
};

static bool has_all_dimensions(const char *field, uint32_t count, const struct vkdml_tensor *tensor, const char *name,
                               struct vkdml_report *report) {
    if (count == tensor->dimension_count) {
        return true;
    }
    vkdml_report_invalid(report, "%s is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount", field, count,
                         tensor->dimension_count, name);
    return false;
}

static void check_slice(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_SLICE_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *output = &instance->outputs[0];
    if (!has_all_dimensions("DimensionCount", desc->DimensionCount, input, vkdml_input_name(instance, 0), report) ||
        input->dimension_count != output->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        if (desc->Sizes[d] != output->sizes[d]) {
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

/* whole: the tensor with the window; part: what is taken of it, or put there. */
static void check_window(const struct window *window, const struct vkdml_tensor *whole, const char *whole_name,
                         const struct vkdml_tensor *part, const char *part_name, struct vkdml_report *report) {
    if (!has_all_dimensions("DimensionCount", window->dimension_count, whole, whole_name, report) ||
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
        } else if (end > whole->sizes[d]) {
            vkdml_report_invalid(report,
                                 "InputWindowOffsets[%" PRIu32 "] (%" PRIu32 ") + InputWindowSizes[%" PRIu32
                                 "] (%" PRIu32 ") is %" PRIu64 ", must be at most %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 d, window->offsets[d], d, size, end, whole->sizes[d], whole_name, d);
        } else if (part->sizes[d] > 1 + (size - 1) / magnitude(window->strides[d])) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be at most %" PRIu32
                                 ": InputWindowSizes[%" PRIu32 "] is %" PRIu32 ", InputWindowStrides[%" PRIu32
                                 "] %" PRId32,
                                 part_name, d, part->sizes[d], 1 + (size - 1) / magnitude(window->strides[d]), d, size,
                                 d, window->strides[d]);
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
    struct vkdml_gather gather = begin(planning->instance, 0, 0);
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
    return plan_copy(&gather, fits, planning);
}

static VkdmlResult plan_slice(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_SLICE_OPERATOR_DESC *desc = planning->instance->desc;
    (void)op;
    struct slice slice = {{0}, {0}, {false}};
    memcpy(slice.first, desc->Offsets, desc->DimensionCount * sizeof(*slice.first));
    memcpy(slice.step, desc->Strides, desc->DimensionCount * sizeof(*slice.step));
    return plan_taking(&slice, planning);
}

static struct window read_slice1(const struct vkdml_instance *instance) {
    const DML_SLICE1_OPERATOR_DESC *desc = instance->desc;
    return (struct window){desc->DimensionCount, desc->InputWindowOffsets, desc->InputWindowSizes,
                           desc->InputWindowStrides};
}

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

static struct window read_slice_grad(const struct vkdml_instance *instance) {
    const DML_SLICE_GRAD_OPERATOR_DESC *desc = instance->desc;
    return (struct window){desc->DimensionCount, desc->InputWindowOffsets, desc->InputWindowSizes,
                           desc->InputWindowStrides};
}

static void check_slice_grad(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct window window = read_slice_grad(instance);
    check_window(&window, &instance->outputs[0], vkdml_output_name(instance, 0), &instance->inputs[0],
                 vkdml_input_name(instance, 0), report);
}

/* Whether the part is put down as it is. */
static bool is_padding(const struct slice *slice, const struct vkdml_tensor *part) {
    for (uint32_t d = 0; d < part->dimension_count; ++d) {
        if (part->sizes[d] > 1 && (slice->step[d] != 1 || slice->is_backward[d])) {
            return false;
        }
    }
    return true;
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
    if (is_padding(&slice, input)) {
        const struct vkdml_padding padding = {.mode = DML_PADDING_MODE_CONSTANT, .start = slice.first};
        return vkdml_padding_plan(&padding, &to, &from, planning->builder);
    }
    struct vkdml_gather gather = begin(planning->instance, 0, 0);
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
        return plan_copy(&gather, fits, planning);
    }
    const uint32_t zero[2] = {0, 0};
    VkdmlResult result = vkdml_fill_plan(&to, zero, planning->builder);
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? plan_copy(&gather, fits, planning) : result;
}

const struct vkdml_operator vkdml_operator_slice = {.rules = check_slice, .plan = plan_slice};
const struct vkdml_operator vkdml_operator_slice1 = {.rules = check_slice1, .plan = plan_slice1};
const struct vkdml_operator vkdml_operator_slice_grad = {.rules = check_slice_grad, .plan = plan_slice_grad};

/* ---- several tensors ---- */

/* Whether the parts lie side by side in the whole, along the axis. */
static void check_parts(uint32_t axis, const struct vkdml_tensor *whole, const char *whole_name,
                        const struct vkdml_tensor *parts, const char *const *names, uint32_t count,
                        struct vkdml_report *report) {
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
        sum += parts[p].sizes[axis];
        for (uint32_t d = 0; d < whole->dimension_count; ++d) {
            if (d != axis && parts[p].sizes[d] != whole->sizes[d]) {
                vkdml_report_invalid(
                    report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                    names[p], d, parts[p].sizes[d], whole->sizes[d], whole_name, d);
            }
        }
    }
    if (sum != whole->sizes[axis]) {
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
        struct vkdml_gather gather = begin(instance, splits ? 0 : p, splits ? p : 0);
        bool fits = true;
        for (uint32_t d = 0; d < output->dimension_count; ++d) {
            fits &= vkdml_copy_add(&gather, sizes[d], output->strides[d], input->strides[d]);
        }
        gather.input.first += splits ? at * input->strides[axis] : 0;
        gather.output.first += splits ? 0 : at * output->strides[axis];
        at += sizes[axis];
        result = plan_copy(&gather, fits, planning);
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

const struct vkdml_operator vkdml_operator_split = {.rules = check_split, .plan = plan_split};
const struct vkdml_operator vkdml_operator_join = {.rules = check_join, .plan = plan_join};

/* ---- tiles ---- */

static void check_tile(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_TILE_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *output = &instance->outputs[0];
    if (!has_all_dimensions("RepeatsCount", desc->RepeatsCount, input, vkdml_input_name(instance, 0), report) ||
        input->dimension_count != output->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        const uint64_t size = (uint64_t)input->sizes[d] * desc->Repeats[d];
        if (desc->Repeats[d] == 0) {
            vkdml_report_invalid(report, "Repeats[%" PRIu32 "] is 0, must be at least 1", d);
        } else if (size != output->sizes[d]) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %s.Sizes[%" PRIu32
                                 "] (%" PRIu32 ") * Repeats[%" PRIu32 "] (%" PRIu32 ")",
                                 vkdml_output_name(instance, 0), d, output->sizes[d], size,
                                 vkdml_input_name(instance, 0), d, input->sizes[d], d, desc->Repeats[d]);
        }
    }
}

static VkdmlResult plan_tile(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_TILE_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    (void)op;
    struct vkdml_gather gather = begin(planning->instance, 0, 0);
    bool fits = true;
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        fits &= vkdml_copy_add(&gather, desc->Repeats[d], (uint64_t)output->strides[d] * input->sizes[d], 0);
        fits &= vkdml_copy_add(&gather, input->sizes[d], output->strides[d], input->strides[d]);
    }
    return plan_copy(&gather, fits, planning);
}

const struct vkdml_operator vkdml_operator_tile = {.rules = check_tile, .plan = plan_tile};

/* ---- blocks ---- */

enum { BATCH, CHANNEL, HEIGHT, WIDTH };

/* A tensor whose channels hold blocks of BlockSize * BlockSize elements of one that is as much higher and wider. */
struct blocks {
    const struct vkdml_tensor *deep;
    const struct vkdml_tensor *wide;
    const char *deep_name;
    const char *wide_name;
    uint32_t size;
    bool channels_first; /* of the parts of a deep channel: else the block's row and column are */
};

static struct blocks blocks_of(const struct vkdml_instance *instance, bool to_depth, uint32_t size,
                               DML_DEPTH_SPACE_ORDER order) {
    return (struct blocks){
        .deep = to_depth ? &instance->outputs[0] : &instance->inputs[0],
        .wide = to_depth ? &instance->inputs[0] : &instance->outputs[0],
        .deep_name = to_depth ? vkdml_output_name(instance, 0) : vkdml_input_name(instance, 0),
        .wide_name = to_depth ? vkdml_input_name(instance, 0) : vkdml_output_name(instance, 0),
        .size = size,
        .channels_first = order == DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH,
    };
}

/* The size of the deep tensor in a dimension times `factor` is that of the wide one, or the other way round. */
static void check_block_sizes(const struct blocks *blocks, uint32_t d, bool deep_is_larger, uint64_t factor,
                              struct vkdml_report *report) {
    const struct vkdml_tensor *larger = deep_is_larger ? blocks->deep : blocks->wide;
    const struct vkdml_tensor *smaller = deep_is_larger ? blocks->wide : blocks->deep;
    const char *larger_name = deep_is_larger ? blocks->deep_name : blocks->wide_name;
    const char *smaller_name = deep_is_larger ? blocks->wide_name : blocks->deep_name;
    if (larger->sizes[d] % factor != 0 || larger->sizes[d] / factor != smaller->sizes[d]) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %s.Sizes[%" PRIu32 "] (%" PRIu32
                             ") * %" PRIu64 "; BlockSize is %" PRIu32,
                             larger_name, d, larger->sizes[d], smaller_name, d, smaller->sizes[d], factor,
                             blocks->size);
    }
}

static void check_blocks(const struct blocks *blocks, struct vkdml_report *report) {
    if (blocks->size == 0) {
        vkdml_report_invalid(report, "BlockSize is 0, must be at least 1");
    } else if (blocks->deep->dimension_count == 4 && blocks->wide->dimension_count == 4) {
        check_block_sizes(blocks, BATCH, false, 1, report);
        check_block_sizes(blocks, CHANNEL, true, (uint64_t)blocks->size * blocks->size, report);
        check_block_sizes(blocks, HEIGHT, false, blocks->size, report);
        check_block_sizes(blocks, WIDTH, false, blocks->size, report);
    }
}

static VkdmlResult plan_blocks(const struct blocks *blocks, bool to_depth, const struct vkdml_planning *planning) {
    const uint32_t *deep = blocks->deep->strides;
    const uint32_t *wide = blocks->wide->strides;
    const uint64_t size = blocks->size;
    const uint32_t channels = blocks->wide->sizes[CHANNEL];
    const uint64_t channel = deep[CHANNEL] * (blocks->channels_first ? size * size : 1);
    const uint64_t column = (uint64_t)deep[CHANNEL] * (blocks->channels_first ? 1 : channels);
    const struct {
        uint32_t size;
        uint64_t deep;
        uint64_t wide;
    } dimensions[] = {
        {blocks->deep->sizes[BATCH], deep[BATCH], wide[BATCH]},           {channels, channel, wide[CHANNEL]},
        {blocks->deep->sizes[HEIGHT], deep[HEIGHT], wide[HEIGHT] * size}, {blocks->size, column * size, wide[HEIGHT]},
        {blocks->deep->sizes[WIDTH], deep[WIDTH], wide[WIDTH] * size},    {blocks->size, column, wide[WIDTH]},
    };
    struct vkdml_gather gather = begin(planning->instance, 0, 0);
    bool fits = true;
    for (uint32_t d = 0; d < sizeof(dimensions) / sizeof(dimensions[0]); ++d) {
        fits &= vkdml_copy_add(&gather, dimensions[d].size, to_depth ? dimensions[d].deep : dimensions[d].wide,
                               to_depth ? dimensions[d].wide : dimensions[d].deep);
    }
    return plan_copy(&gather, fits, planning);
}

#define OF_BLOCKS(name, NAME, to_depth, order)                                                                         \
    static void check_##name(const struct vkdml_instance *instance, struct vkdml_report *report) {                     \
        const DML_##NAME##_OPERATOR_DESC *desc = instance->desc;                                                       \
        const struct blocks blocks = blocks_of(instance, to_depth, desc->BlockSize, order);                            \
        check_blocks(&blocks, report);                                                                                 \
    }                                                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        const DML_##NAME##_OPERATOR_DESC *desc = planning->instance->desc;                                             \
        const struct blocks blocks = blocks_of(planning->instance, to_depth, desc->BlockSize, order);                  \
        (void)op;                                                                                                      \
        return plan_blocks(&blocks, to_depth, planning);                                                               \
    }                                                                                                                  \
    const struct vkdml_operator vkdml_operator_##name = {.rules = check_##name, .plan = plan_##name}

OF_BLOCKS(space_to_depth, SPACE_TO_DEPTH, true, DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW);
OF_BLOCKS(space_to_depth1, SPACE_TO_DEPTH1, true, desc->Order);
OF_BLOCKS(depth_to_space, DEPTH_TO_SPACE, false, DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW);
OF_BLOCKS(depth_to_space1, DEPTH_TO_SPACE1, false, desc->Order);

/* ---- windows ---- */

static struct vkdml_unfolding read_unfold(const struct vkdml_instance *instance) {
    const DML_UNFOLD_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_unfolding){
        .image = &instance->inputs[0],
        .columns = &instance->outputs[0],
        .image_name = vkdml_input_name(instance, 0),
        .columns_name = vkdml_output_name(instance, 0),
        .dimension_count = desc->DimensionCount,
        .window_sizes = desc->WindowSizes,
        .strides = desc->Strides,
        .dilations = desc->Dilations,
        .start = desc->StartPadding,
        .end = desc->EndPadding,
    };
}

static void check_unfold(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_unfolding unfolding = read_unfold(instance);
    vkdml_unfolding_check(&unfolding, report);
}

/* Puts zeros around the input: a packed tensor in the temporary resource. */
static VkdmlResult plan_padded(const struct vkdml_planning *planning, struct vkdml_view *padded) {
    const struct vkdml_view input = *padded;
    const DML_UNFOLD_OPERATOR_DESC *desc = planning->instance->desc;
    uint32_t start[VKDML_MAX_DIMENSIONS] = {0};
    uint64_t elements = 1;
    for (uint32_t d = 0; d < input.rank; ++d) {
        start[d] = d < 2 ? 0 : desc->StartPadding[d - 2];
        const uint64_t size = (uint64_t)input.sizes[d] + (d < 2 ? 0 : (uint64_t)start[d] + desc->EndPadding[d - 2]);
        elements = elements > UINT64_MAX / size ? UINT64_MAX : elements * size;
        padded->sizes[d] = (uint32_t)size;
    }
    if (elements > UINT32_MAX) {
        return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "the padded input has %" PRIu64 " elements, must have at most %" PRIu32, elements,
                                UINT32_MAX);
    }
    vkdml_packed_strides(padded->rank, padded->sizes, padded->strides);
    vkdml_builder_place(planning->builder, "the padded input", padded);
    const struct vkdml_padding padding = {.mode = DML_PADDING_MODE_CONSTANT, .start = start};
    return vkdml_padding_plan(&padding, padded, &input, planning->builder);
}

static bool is_padded(const DML_UNFOLD_OPERATOR_DESC *desc) {
    for (uint32_t s = 0; s < desc->DimensionCount; ++s) {
        if (desc->StartPadding[s] != 0 || desc->EndPadding[s] != 0) {
            return true;
        }
    }
    return false;
}

static VkdmlResult plan_unfold(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_UNFOLD_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_unfolding unfolding = read_unfold(planning->instance);
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    const uint32_t *strides = &output->strides[output->dimension_count - 3];
    const struct vkdml_view to = vkdml_output_view(planning->instance, 0);
    struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    (void)op;
    if (is_padded(desc)) {
        VkdmlResult result = plan_padded(planning, &input);
        if (result != VKDML_SUCCESS) {
            return result;
        }
    }
    struct vkdml_gather gather;
    vkdml_gather_begin(&gather, &to, &input);
    uint64_t window_stride = strides[1];
    uint64_t block_stride = strides[2];
    bool fits = vkdml_copy_add(&gather, input.sizes[0], strides[0], input.strides[0]);
    for (uint32_t s = desc->DimensionCount; s-- > 0;) {
        const uint64_t stride = input.strides[2 + s];
        const uint32_t blocks = (uint32_t)vkdml_unfolding_blocks(&unfolding, s);
        fits &= vkdml_copy_add(&gather, desc->WindowSizes[s], window_stride, stride * desc->Dilations[s]);
        fits &= vkdml_copy_add(&gather, blocks, block_stride, stride * desc->Strides[s]);
        window_stride *= desc->WindowSizes[s];
        block_stride *= blocks;
    }
    fits &= vkdml_copy_add(&gather, input.sizes[1], window_stride, input.strides[1]);
    vkdml_builder_phase(planning->builder);
    return plan_copy(&gather, fits, planning);
}

const struct vkdml_operator vkdml_operator_unfold = {.rules = check_unfold, .plan = plan_unfold};
