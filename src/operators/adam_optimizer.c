/* ADAM_OPTIMIZER: how far the step goes, one number of the device's, and then one map with three outputs. */
#include <string.h>

#include "base/notes.h"
#include "frames/adam/adam_step.h"
#include "frames/map/map.h"
#include "operators/operators.h"
#include "operators/scalar.h"

/* Among the inputs, and among the outputs. */
enum { PARAMETERS, FIRST_MOMENT, SECOND_MOMENT, GRADIENT, TRAINING_STEP };

/* The buffers of the map: four inputs, the rate, three outputs. */
#define BUFFERS 8

static void check_beta(const char *name, float beta, struct vkdml_report *report) {
    if (!(beta >= 0 && beta <= 1)) {
        vkdml_report_invalid(report, "%s is %g, must be from 0 to 1", name, (double)beta);
    }
}

static void check_adam(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = instance->desc;
    check_beta("Beta1", desc->Beta1, report);
    check_beta("Beta2", desc->Beta2, report);
}

/* ---- at once ---- */

static bool lie_alike(const struct vkdml_instance *instance) {
    const struct vkdml_tensor *output = &instance->outputs[PARAMETERS];
    const size_t bytes = output->dimension_count * sizeof(*output->strides);
    return memcmp(output->strides, instance->outputs[FIRST_MOMENT].strides, bytes) == 0 &&
           memcmp(output->strides, instance->outputs[SECOND_MOMENT].strides, bytes) == 0;
}

static VkdmlResult plan_at_once(const struct vkdml_planning *planning, const struct vkdml_view *rate) {
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = planning->instance->desc;
    const float arguments[] = {desc->Beta1, 1 - desc->Beta1, desc->Beta2, 1 - desc->Beta2, desc->Epsilon};
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(planning->instance, PARAMETERS));
    map.operation = VKDML_MAP_ADAM;
    for (uint32_t i = 0; i < TRAINING_STEP; ++i) {
        vkdml_map_set_operand(&map, i, vkdml_input_view(planning->instance, i));
    }
    vkdml_map_set_operand(&map, TRAINING_STEP, *rate);
    map.more_outputs[0] = vkdml_output_view(planning->instance, FIRST_MOMENT).at;
    map.more_outputs[1] = vkdml_output_view(planning->instance, SECOND_MOMENT).at;
    memcpy(map.arguments, arguments, sizeof(arguments));
    return vkdml_map_plan(&map, planning->builder);
}

/* ---- in turn ---- */

static void set_arguments(struct vkdml_map *map, float first, float second) {
    map->arguments[4] = vkdml_float_bits(first);
    map->arguments[5] = vkdml_float_bits(second);
}

/* A moment after the step, FLOAT32 in the temporary resource: outputs may lie where inputs are still to be read. */
static VkdmlResult plan_moment(const struct vkdml_planning *planning, uint32_t moment, float beta,
                               struct vkdml_view *result) {
    const struct vkdml_view output = vkdml_output_view(planning->instance, moment);
    *result = vkdml_builder_scratch(planning->builder, "a moment", &output, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_map map;
    vkdml_map_begin(&map, *result);
    map.operation = moment == FIRST_MOMENT ? VKDML_MAP_BLEND : VKDML_MAP_BLEND_SQUARES;
    vkdml_map_set_operand(&map, 0, vkdml_input_view(planning->instance, moment));
    vkdml_map_set_operand(&map, 1, vkdml_input_view(planning->instance, GRADIENT));
    set_arguments(&map, beta, 1 - beta);
    return vkdml_map_plan(&map, planning->builder);
}

static VkdmlResult plan_product(const struct vkdml_planning *planning, const struct vkdml_view *rate,
                                const struct vkdml_view *first, struct vkdml_view *result) {
    *result = vkdml_builder_scratch(planning->builder, "rate times first moment", first, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_map map;
    vkdml_map_begin(&map, *result);
    map.operation = VKDML_MAP_MULTIPLY;
    vkdml_map_set_operand(&map, 0, *rate);
    vkdml_map_set_operand(&map, 1, *first);
    return vkdml_map_plan(&map, planning->builder);
}

static VkdmlResult plan_parameters(const struct vkdml_planning *planning, const struct vkdml_view *product,
                                   const struct vkdml_view *second) {
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = planning->instance->desc;
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(planning->instance, PARAMETERS));
    map.operation = VKDML_MAP_DESCEND;
    vkdml_map_set_operand(&map, 0, vkdml_input_view(planning->instance, PARAMETERS));
    vkdml_map_set_operand(&map, 1, *product);
    vkdml_map_set_operand(&map, 2, *second);
    set_arguments(&map, desc->Epsilon, 0);
    return vkdml_map_plan(&map, planning->builder);
}

static VkdmlResult plan_copy(const struct vkdml_planning *planning, uint32_t moment, const struct vkdml_view *from) {
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(planning->instance, moment));
    vkdml_map_set_operand(&map, 0, *from);
    return vkdml_map_plan(&map, planning->builder);
}

static VkdmlResult plan_in_turn(const struct vkdml_planning *planning, const struct vkdml_view *rate) {
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = planning->instance->desc;
    struct vkdml_view first, second, product;
    VkdmlResult result = plan_moment(planning, FIRST_MOMENT, desc->Beta1, &first);
    if (result == VKDML_SUCCESS) {
        result = plan_moment(planning, SECOND_MOMENT, desc->Beta2, &second);
    }
    if (result == VKDML_SUCCESS) {
        vkdml_builder_phase(planning->builder);
        result = plan_product(planning, rate, &first, &product);
    }
    if (result == VKDML_SUCCESS) {
        vkdml_builder_phase(planning->builder);
        result = plan_parameters(planning, &product, &second);
    }
    if (result == VKDML_SUCCESS) {
        vkdml_builder_phase(planning->builder);
        result = plan_copy(planning, FIRST_MOMENT, &first);
    }
    return result == VKDML_SUCCESS ? plan_copy(planning, SECOND_MOMENT, &second) : result;
}

static VkdmlResult plan_adam(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = planning->instance->desc;
    struct vkdml_view rate = vkdml_output_view(planning->instance, PARAMETERS);
    (void)op;
    for (uint32_t d = 0; d < rate.rank; ++d) {
        rate.sizes[d] = 1;
    }
    rate = vkdml_builder_scratch(planning->builder, "the step's rate", &rate, DML_TENSOR_DATA_TYPE_FLOAT32);
    const struct vkdml_adam_step step = {
        .step = vkdml_input_view(planning->instance, TRAINING_STEP),
        .rate = desc->LearningRate,
        .beta1 = desc->Beta1,
        .beta2 = desc->Beta2,
        .result = rate.at,
    };
    const VkdmlResult result = vkdml_adam_step_plan(&step, planning->builder);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_builder_phase(planning->builder);
    if (planning->builder->limits->max_storage_buffers >= BUFFERS && lie_alike(planning->instance)) {
        return plan_at_once(planning, &rate);
    }
    vkdml_note(planning->builder->report,
               "several maps: one takes %u storage buffers, of %u that a dispatch may have, and outputs that lie alike",
               BUFFERS, (unsigned)planning->builder->limits->max_storage_buffers);
    return plan_in_turn(planning, &rate);
}

const struct vkdml_operator vkdml_operator_adam_optimizer = {.rules = check_adam, .plan = plan_adam};
