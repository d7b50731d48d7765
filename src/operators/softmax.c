/* The softmax family: of all elements of a reduction, and each of them. */
#include "operators/softmax.h"

#include <inttypes.h>

#include "operators/axes.h"
#include "operators/mapping.h"
#include "operators/scalar.h"
#include "operators/statistics.h"

static void check_rank_of(const struct vkdml_tensor *tensor, const char *name, struct vkdml_report *report) {
    const uint32_t rank = vkdml_effective_rank(tensor);
    if (rank > 2) {
        vkdml_report_invalid(report, "%s has %" PRIu32 " dimensions without leading ones, must have at most 2", name,
                             rank);
    }
}

static bool is_fused(const struct vkdml_instance *instance) {
    return instance->role != NULL;
}

static void check_rank(const struct vkdml_instance *instance, struct vkdml_report *report) {
    if (!is_fused(instance)) {
        check_rank_of(&instance->inputs[0], vkdml_input_name(instance, 0), report);
    }
}

/* The axes of SOFTMAX1, which the others of the family have at the same place. */
static struct vkdml_axes axes_of(const struct vkdml_instance *instance) {
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_axes){desc->AxisCount, desc->Axes};
}

static void check_axes(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_axes axes = axes_of(instance);
    if (!is_fused(instance)) {
        vkdml_axes_check(instance, &axes, report);
    }
}

static uint32_t last_dimension(const struct vkdml_instance *instance) {
    return 1u << (instance->inputs[0].dimension_count - 1);
}

static uint32_t named_dimensions(const struct vkdml_instance *instance) {
    const struct vkdml_axes axes = axes_of(instance);
    return vkdml_axes_bits(&axes);
}

static VkdmlResult use_powers(const struct vkdml_planning *planning, const struct vkdml_statistics *statistics,
                              const void *context) {
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const enum vkdml_map_operation *operation = context;
    return vkdml_statistics_plan_map(planning, *operation, &input, statistics, 2);
}

/* At once, or what a reduction gives, and then what becomes of each element with that. */
static VkdmlResult plan_powers(const struct vkdml_planning *planning, uint32_t folded, bool takes_logarithm) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_rows rows = {
        .input = vkdml_input_view(instance, 0),
        .output = vkdml_output_view(instance, 0),
        .folded = folded,
        .function = takes_logarithm ? VKDML_ROWS_LOG_SOFTMAX : VKDML_ROWS_SOFTMAX,
    };
    const struct vkdml_reduce reduce = {
        .folded = folded,
        .function = takes_logarithm ? VKDML_REDUCE_LOG_POWERS : VKDML_REDUCE_POWERS,
    };
    const enum vkdml_map_operation operation = takes_logarithm ? VKDML_MAP_LOG_SOFTMAX : VKDML_MAP_SOFTMAX;
    return vkdml_statistics_plan_rows(&rows, &reduce, planning, use_powers, &operation);
}

/* ---- fused ---- */

static bool names_axes(const struct vkdml_instance *fused) {
    return fused->schema->type == DML_OPERATOR_ACTIVATION_SOFTMAX1;
}

bool vkdml_is_softmax(const struct vkdml_instance *fused) {
    return names_axes(fused) || fused->schema->type == DML_OPERATOR_ACTIVATION_SOFTMAX;
}

void vkdml_softmax_check_fused(const struct vkdml_instance *fused, const struct vkdml_tensor *tensor, const char *name,
                               struct vkdml_report *report) {
    if (names_axes(fused)) {
        const struct vkdml_axes axes = axes_of(fused);
        vkdml_axes_check_of(tensor, name, &axes, report);
    } else {
        check_rank_of(tensor, name, report);
    }
}

VkdmlResult vkdml_softmax_plan_fused(const struct vkdml_instance *fused, const struct vkdml_view *numbers,
                                     const struct vkdml_planning *planning) {
    const struct vkdml_axes axes = names_axes(fused) ? axes_of(fused) : (struct vkdml_axes){0, NULL};
    const struct vkdml_reduce reduce = {
        .input = *numbers,
        .folded = names_axes(fused) ? vkdml_axes_bits(&axes) : 1u << (numbers->rank - 1),
        .function = VKDML_REDUCE_POWERS,
    };
    struct vkdml_statistics statistics;
    vkdml_builder_phase(planning->builder);
    const VkdmlResult result = vkdml_statistics_plan_of(&reduce, planning, &statistics);
    return result == VKDML_SUCCESS ? vkdml_statistics_plan_map(planning, VKDML_MAP_SOFTMAX, numbers, &statistics, 2)
                                   : result;
}

/* 1 where an element's place in its reduction is the first greatest one's. */
static VkdmlResult plan_places(const struct vkdml_planning *planning, uint32_t folded) {
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    const struct vkdml_reduce reduce = {.folded = folded, .function = VKDML_REDUCE_ARGMAX};
    struct vkdml_statistics statistics;
    VkdmlResult result = vkdml_statistics_plan(&reduce, planning, &statistics);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    uint32_t numbers[VKDML_MAX_DIMENSIONS];
    uint32_t number = 1; /* at most the elements */
    for (uint32_t d = output->dimension_count; d-- > 0;) {
        const bool is_folded = (folded >> d & 1) != 0;
        numbers[d] = is_folded ? number : 0;
        number *= is_folded ? output->sizes[d] : 1;
    }
    uint32_t one[2];
    vkdml_scalar_from_float(1, output->data_type, one);
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(planning->instance, 0));
    vkdml_mapping_use_bits(&map);
    map.operation = VKDML_MAP_ONE_WHERE_EQUAL;
    map.arguments[4] = one[0];
    vkdml_map_set_index(&map, 0, numbers);
    vkdml_map_set_operand(&map, 1, statistics.numbers[0]);
    vkdml_builder_phase(planning->builder);
    return vkdml_map_plan(&map, planning->builder);
}

#define PLAN(name, folded, call, ...)                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        (void)op;                                                                                                      \
        return call(planning, folded(planning->instance) __VA_ARGS__);                                                 \
    }

PLAN(softmax, last_dimension, plan_powers, , false)
PLAN(softmax1, named_dimensions, plan_powers, , false)
PLAN(log_softmax, last_dimension, plan_powers, , true)
PLAN(log_softmax1, named_dimensions, plan_powers, , true)
PLAN(hardmax, last_dimension, plan_places, )
PLAN(hardmax1, named_dimensions, plan_places, )

#define SOFTMAX(name, RULES)                                                                                           \
    const struct vkdml_operator vkdml_operator_activation_##name = {.rules = (RULES), .plan = plan_##name}

SOFTMAX(softmax, check_rank);
SOFTMAX(softmax1, check_axes);
SOFTMAX(log_softmax, check_rank);
SOFTMAX(log_softmax1, check_axes);
SOFTMAX(hardmax, check_rank);
SOFTMAX(hardmax1, check_axes);
