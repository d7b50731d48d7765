/* AVERAGE_POOLING_GRAD and MAX_POOLING_GRAD: each element of the input collects what the windows that have it give. */
#include <string.h>

#include "frames/neighbours/gradient.h"
#include "operators/operators.h"
#include "operators/windows.h"
#include "tensor/infer.h"

/* ---- rules ---- */

/* Several inputs have as many windows; taken is the least that has no element outside of all, as far as its type and
 * padding allow. */
static void choose_sizes(const struct vkdml_windows *windows, const struct vkdml_tensor *pooled,
                         struct vkdml_tensor *tensor) {
    if (tensor->dimension_count != pooled->dimension_count || tensor->dimension_count != windows->dimension_count + 2) {
        return;
    }
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        uint64_t size = pooled->sizes[d];
        if (d >= 2) {
            const uint32_t s = d - 2;
            const uint64_t padding = (uint64_t)windows->start[s] + windows->end[s];
            size = (size - 1) * windows->strides[s] + windows->window[s];
            size = size > padding ? size - padding : 1;
        }
        if (size <= UINT32_MAX) {
            vkdml_choose_size(tensor, d, size);
        }
    }
}

static void check_average(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_windows windows = VKDML_WINDOWS(desc, vkdml_no_dilations);
    choose_sizes(&windows, &instance->inputs[0], &instance->outputs[0]);
    vkdml_windows_check(&windows, VKDML_WINDOWS_APART, &instance->outputs[0], vkdml_output_name(instance, 0),
                        &instance->inputs[0], vkdml_input_name(instance, 0), report);
}

static void check_maximum(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_MAX_POOLING_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_windows windows = VKDML_WINDOWS(desc, desc->Dilations);
    vkdml_windows_check(&windows, VKDML_WINDOWS_THAT_FIT, &instance->inputs[0], vkdml_input_name(instance, 0),
                        &instance->inputs[1], vkdml_input_name(instance, 1), report);
}

/* ---- plans ---- */

/* From a gradient of windows onto that of what they are on. Of maxima `own` is where these are, or their places. */
static void set_gradient(const struct vkdml_windows *windows, const struct vkdml_view *from,
                         const struct vkdml_view *to, const struct vkdml_view *own, struct vkdml_gradient *gradient) {
    struct vkdml_neighbours *n = &gradient->neighbours;
    uint32_t place_stride = 1;
    n->source = from->at;
    n->target = to->at;
    n->count = to->rank;
    for (uint32_t d = n->count; d-- > 0;) {
        n->dimensions[d] = (struct vkdml_neighbours_dimension){
            .size = to->sizes[d],
            .source_stride = from->strides[d],
            .own_stride = own != NULL ? own->strides[d] : 0,
            .target_stride = to->strides[d],
            .tap_stride = own != NULL ? place_stride : 0,
        };
        if (d >= 2) {
            const uint32_t s = d - 2;
            n->dimensions[d].is_walked = true;
            n->dimensions[d].start = windows->start[s];
            n->dimensions[d].taps = windows->window[s];
            n->dimensions[d].tap_step = windows->window[s] == 1 ? 1 : windows->dilations[s];
            n->dimensions[d].source_size = from->sizes[d];
            n->dimensions[d].source_step = from->sizes[d] == 1 ? 1 : windows->strides[s];
        }
        place_stride *= to->sizes[d]; /* all elements fit 32 bits */
    }
}

static VkdmlResult plan_average(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_windows windows = VKDML_WINDOWS(desc, vkdml_no_dilations);
    const struct vkdml_view from = vkdml_input_view(planning->instance, 0),
                            to = vkdml_output_view(planning->instance, 0);
    const VkdmlResult result =
        vkdml_windows_check_lengths(&windows, &planning->instance->outputs[0], &planning->instance->inputs[0],
                                    planning->builder->report);
    struct vkdml_gradient gradient;
    bool is_equal = true;
    double elements = 1;
    (void)op;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    memset(&gradient, 0, sizeof(gradient));
    for (uint32_t s = 0; s < windows.dimension_count; ++s) {
        elements *= windows.window[s];
        is_equal = is_equal && (desc->IncludePadding != 0 ||
                                !vkdml_windows_have_padding(&windows, &planning->instance->outputs[0],
                                                            &planning->instance->inputs[0], s));
    }
    gradient.kind = is_equal ? VKDML_GRADIENT_ALL : VKDML_GRADIENT_SHARED;
    gradient.factor = is_equal ? (float)(1 / elements) : 1;
    set_gradient(&windows, &from, &to, NULL, &gradient);
    return vkdml_gradient_plan(&gradient, planning->builder);
}

/* The place of the greatest element of each window, as MAX_POOLING2 has it. */
static VkdmlResult plan_winners(const struct vkdml_windows *windows, const struct vkdml_planning *planning,
                                struct vkdml_view *winners) {
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const struct vkdml_view pooled = vkdml_input_view(planning->instance, 1);
    struct vkdml_neighbours pool;
    *winners = vkdml_builder_scratch(planning->builder, "places of maxima", &pooled, DML_TENSOR_DATA_TYPE_UINT32);
    const struct vkdml_view maxima = vkdml_builder_scratch(planning->builder, "maxima", &pooled, input.at.type);
    memset(&pool, 0, sizeof(pool));
    pool.pool = VKDML_POOL_MAXIMUM;
    pool.ending = VKDML_POOL_AS_IT_IS;
    pool.has_places = true;
    pool.source = input.at;
    pool.target = maxima.at;
    pool.own = winners->at;
    vkdml_windows_set_dimensions(windows, (1u << windows->dimension_count) - 1, &input, &maxima, winners, &pool);
    return vkdml_neighbours_plan(&pool, planning->builder);
}

static VkdmlResult plan_maximum(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_MAX_POOLING_GRAD_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_windows windows = VKDML_WINDOWS(desc, desc->Dilations);
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const struct vkdml_view from = vkdml_input_view(planning->instance, 1);
    const struct vkdml_view to = vkdml_output_view(planning->instance, 0);
    struct vkdml_gradient gradient;
    struct vkdml_view winners;
    (void)op;
    VkdmlResult result =
        vkdml_windows_check_lengths(&windows, &planning->instance->inputs[0], &planning->instance->inputs[1],
                                    planning->builder->report);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    memset(&gradient, 0, sizeof(gradient));
    gradient.kind = VKDML_GRADIENT_MAXIMA;
    gradient.factor = 1;
    gradient.neighbours.own = input.at;
    set_gradient(&windows, &from, &to, &input, &gradient);
    if (vkdml_gradient_finds_maxima(&gradient, planning->builder->limits)) {
        return vkdml_gradient_plan(&gradient, planning->builder);
    }
    result = plan_winners(&windows, planning, &winners);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    gradient.kind = VKDML_GRADIENT_WINNERS;
    gradient.neighbours.own = winners.at;
    set_gradient(&windows, &from, &to, &winners, &gradient);
    vkdml_builder_phase(planning->builder);
    return vkdml_gradient_plan(&gradient, planning->builder);
}

const struct vkdml_operator vkdml_operator_average_pooling_grad = {.rules = check_average, .plan = plan_average};
const struct vkdml_operator vkdml_operator_max_pooling_grad = {.rules = check_maximum, .plan = plan_maximum};
