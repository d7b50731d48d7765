/* LOCAL_RESPONSE_NORMALIZATION, sums of squares around an element, and its gradient. */
#include <string.h>

#include "frames/map/map.h"
#include "frames/neighbours/neighbours.h"
#include "frames/neighbours/response_gradient.h"
#include "operators/neighbourhood.h"
#include "operators/operators.h"
#include "operators/scalar.h"

enum { BATCH, CHANNEL, HEIGHT, WIDTH };

/* More elements than these are summed row by row first, and the rows' sums then. */
#define MOST_AT_ONCE 81

static void check_local_size(uint32_t local_size, struct vkdml_report *report) {
    if (local_size == 0) {
        vkdml_report_invalid(report, "LocalSize is 0, must be at least 1");
    }
}

static void check_local_response_normalization(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    check_local_size(desc->LocalSize, report);
}

static void check_gradient(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC *desc = instance->desc;
    check_local_size(desc->LocalSize, report);
}

/* What is summed: in a box around an element, from (local_size - 1) / 2 elements before to as many, or one more,
 * behind, those that there are; mirrored, the elements in whose box this one is. */
struct surroundings {
    uint32_t local_size;
    bool across_channels;
    bool is_mirrored;
};

static void walk_around(struct vkdml_neighbours_dimension *dimension, const struct surroundings *around) {
    const uint32_t most = dimension->size - 1, fewer = (around->local_size - 1) / 2, more = around->local_size / 2;
    const uint32_t wanted_before = around->is_mirrored ? more : fewer;
    const uint32_t wanted_behind = around->is_mirrored ? fewer : more;
    const uint32_t before = wanted_before < most ? wanted_before : most;
    const uint32_t behind = wanted_behind < most ? wanted_behind : most;
    dimension->is_walked = true;
    dimension->start = behind;
    dimension->taps = before + behind + 1;
    dimension->tap_step = 1;
    dimension->source_size = dimension->size;
    dimension->source_step = 1;
}

/* Gives sums of a tensor their dimensions; own elements lie as those do, and the target as strides say. */
static void set_dimensions(struct vkdml_neighbours *sums, const struct vkdml_view *source,
                           const struct surroundings *around, const struct vkdml_view *target) {
    sums->source = source->at;
    sums->own = source->at;
    sums->target = target->at;
    sums->count = source->rank;
    for (uint32_t d = 0; d < sums->count; ++d) {
        sums->dimensions[d] = (struct vkdml_neighbours_dimension){
            .size = source->sizes[d],
            .source_stride = source->strides[d],
            .own_stride = source->strides[d],
            .target_stride = target->strides[d],
        };
        if (around->across_channels ? d == CHANNEL : d >= HEIGHT) {
            walk_around(&sums->dimensions[d], around);
        }
    }
}

/* Plans sums of boxes, of many elements by rows' sums first. */
static VkdmlResult plan_sums(const struct vkdml_neighbours *all, const struct surroundings *around,
                             const struct vkdml_view *target, struct vkdml_builder *builder) {
    const uint64_t rows = around->across_channels ? 1 : all->dimensions[HEIGHT].taps;
    if (rows == 1 || rows * all->dimensions[WIDTH].taps <= MOST_AT_ONCE) {
        return vkdml_neighbours_plan(all, builder);
    }
    const struct vkdml_view numbers = vkdml_builder_scratch(builder, "sums", target, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_neighbours sums = *all, rest = *all;
    sums.finish = VKDML_NEIGHBOURS_TOTAL;
    sums.target = numbers.at;
    rest.source = sums.target;
    rest.squares = false;
    sums.dimensions[HEIGHT].is_walked = false;
    rest.dimensions[WIDTH].is_walked = false;
    for (uint32_t d = 0; d < all->count; ++d) {
        sums.dimensions[d].target_stride = numbers.strides[d];
        rest.dimensions[d].source_stride = numbers.strides[d];
    }
    VkdmlResult result = vkdml_neighbours_plan(&sums, builder);
    vkdml_builder_phase(builder);
    return result == VKDML_SUCCESS ? vkdml_neighbours_plan(&rest, builder) : result;
}

static float scale_of(float alpha, uint32_t local_size) {
    return (float)((double)alpha / local_size);
}

static VkdmlResult plan_local_response_normalization(const struct vkdml_operator *op,
                                                     const struct vkdml_planning *planning) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const float arguments[] = {scale_of(desc->Alpha, desc->LocalSize), desc->Bias, desc->Beta};
    const struct surroundings around = {desc->LocalSize, desc->CrossChannel != 0, false};
    (void)op;
    struct vkdml_neighbours all = vkdml_neighbours_begin(planning->instance);
    all.squares = true;
    all.finish = VKDML_NEIGHBOURS_NORMALIZED;
    memcpy(all.arguments, arguments, sizeof(arguments));
    set_dimensions(&all, &input, &around, &output);
    return plan_sums(&all, &around, &output, planning->builder);
}

const struct vkdml_operator vkdml_operator_local_response_normalization = {
    .rules = check_local_response_normalization,
    .plan = plan_local_response_normalization,
};

/* ---- the gradient ---- */

static float factor_of(float scale, float beta) {
    return (float)(2 * (double)scale * (double)beta);
}

/* Sums of a tensor's elements, or of their squares, FLOAT32. */
static VkdmlResult plan_totals(const struct vkdml_planning *planning, const struct vkdml_view *source, bool squares,
                               const struct surroundings *around, struct vkdml_view *sums) {
    *sums = vkdml_builder_scratch(planning->builder, squares ? "sums of squares" : "sums of terms", source,
                                  DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_neighbours all = vkdml_neighbours_begin(planning->instance);
    all.squares = squares;
    all.finish = VKDML_NEIGHBOURS_TOTAL;
    set_dimensions(&all, source, around, sums);
    return plan_sums(&all, around, sums, planning->builder);
}

/* What an operation with up to three numbers makes of two or three tensors. */
static VkdmlResult plan_map(const struct vkdml_view *target, enum vkdml_map_operation operation,
                            const struct vkdml_view *const operands[3], const float arguments[3],
                            struct vkdml_builder *builder) {
    struct vkdml_map map;
    vkdml_map_begin(&map, *target);
    map.operation = operation;
    for (uint32_t i = 0; i < 3 && operands[i] != NULL; ++i) {
        vkdml_map_set_operand(&map, i, *operands[i]);
    }
    for (uint32_t i = 0; i < 3; ++i) {
        map.arguments[4 + i] = vkdml_float_bits(arguments[i]);
    }
    vkdml_builder_phase(builder);
    return vkdml_map_plan(&map, builder);
}

/* By several passes. With D = Bias + scale * the sum of squares and g the gradient: g / D^Beta, from which 2 * scale *
 * Beta * x times the sum of g / D^Beta * x / D over those in whose boxes x is is taken. */
static VkdmlResult plan_gradient_in_turn(const struct vkdml_planning *planning) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC *desc = planning->instance->desc;
    struct vkdml_builder *builder = planning->builder;
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const struct vkdml_view gradient = vkdml_input_view(planning->instance, 1);
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const float scale = scale_of(desc->Alpha, desc->LocalSize);
    const float divisor[3] = {scale, desc->Bias, desc->Beta};
    const float factor[3] = {factor_of(scale, desc->Beta), 0, 0};
    const struct surroundings around = {desc->LocalSize, desc->CrossChannel != 0, false};
    const struct surroundings mirrored = {desc->LocalSize, desc->CrossChannel != 0, true};
    struct vkdml_view squares, sums;
    const struct vkdml_view part =
        vkdml_builder_scratch(builder, "gradients over powers", &output, DML_TENSOR_DATA_TYPE_FLOAT32);
    const struct vkdml_view terms = vkdml_builder_scratch(builder, "terms", &output, DML_TENSOR_DATA_TYPE_FLOAT32);
    VkdmlResult result = plan_totals(planning, &input, true, &around, &squares);
    if (result == VKDML_SUCCESS) {
        const struct vkdml_view *const operands[3] = {&gradient, &squares};
        result = plan_map(&part, VKDML_MAP_OVER_POWER, operands, divisor, builder);
    }
    if (result == VKDML_SUCCESS) {
        const struct vkdml_view *const operands[3] = {&part, &input, &squares};
        result = plan_map(&terms, VKDML_MAP_OVER_SCALED, operands, divisor, builder);
    }
    vkdml_builder_phase(builder);
    if (result == VKDML_SUCCESS) {
        result = plan_totals(planning, &terms, false, &mirrored, &sums);
    }
    const struct vkdml_view *const operands[3] = {&part, &input, &sums};
    return result == VKDML_SUCCESS ? plan_map(&output, VKDML_MAP_SUBTRACT_PRODUCT, operands, factor, builder) : result;
}

/* Of FLOAT16 through FLOAT32. */
static VkdmlResult plan_gradient_at_once(const struct vkdml_planning *planning,
                                         const struct vkdml_response_gradient *response) {
    static const float nothing[3] = {0, 0, 0};
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view *const operands[3] = {&response->output};
    const VkdmlResult result = vkdml_response_gradient_plan(response, planning->builder);
    if (result != VKDML_SUCCESS || response->output.at.resource == VKDML_PLAN_OUTPUT) {
        return result;
    }
    return plan_map(&output, VKDML_MAP_FIRST, operands, nothing, planning->builder);
}

static VkdmlResult plan_gradient(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC *desc = planning->instance->desc;
    const float scale = scale_of(desc->Alpha, desc->LocalSize);
    struct vkdml_response_gradient response = {
        .input = vkdml_input_view(planning->instance, 0),
        .gradient = vkdml_input_view(planning->instance, 1),
        .output = vkdml_output_view(planning->instance, 0),
        .size = desc->LocalSize,
        .scale = scale,
        .bias = desc->Bias,
        .power = desc->Beta,
        .factor = factor_of(scale, desc->Beta),
    };
    const struct vkdml_builder_mark mark = vkdml_builder_mark(planning->builder);
    (void)op;
    if (response.output.at.type != DML_TENSOR_DATA_TYPE_FLOAT32) {
        response.output =
            vkdml_builder_scratch(planning->builder, "numbers", &response.output, DML_TENSOR_DATA_TYPE_FLOAT32);
    }
    if (desc->CrossChannel && vkdml_response_gradient_suits(&response, planning->builder->limits)) {
        return plan_gradient_at_once(planning, &response);
    }
    vkdml_builder_undo(planning->builder, &mark);
    return plan_gradient_in_turn(planning);
}

const struct vkdml_operator vkdml_operator_local_response_normalization_grad = {
    .rules = check_gradient,
    .plan = plan_gradient,
};
