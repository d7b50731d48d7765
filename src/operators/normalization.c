/* MEAN_VARIANCE_NORMALIZATION and LP_NORMALIZATION. */
#include <inttypes.h>
#include <string.h>

#include "operators/axes.h"
#include "operators/mapping.h"
#include "operators/scalar.h"
#include "operators/statistics.h"

/* Among the inputs. */
enum { INPUT, SCALE, BIAS };

/* What the descriptors of the three versions say. */
struct normalization {
    uint32_t folded; /* dimensions, a bit each */
    bool uses_mean;
    bool uses_variance;
    float epsilon;
};

/* ---- rules ---- */

static bool has(const struct vkdml_instance *instance, uint32_t input) {
    return instance->inputs[input].dimension_count != 0;
}

static void check_together(const struct vkdml_instance *instance, struct vkdml_report *report) {
    if (instance->level < DML_FEATURE_LEVEL_5_2 && has(instance, SCALE) != has(instance, BIAS)) {
        vkdml_report_invalid(report,
                             "%s is %s, must be as %s is: both or neither below DML_FEATURE_LEVEL_5_2; the feature "
                             "level is %s",
                             vkdml_input_name(instance, BIAS), has(instance, BIAS) ? "given" : "NULL",
                             vkdml_input_name(instance, SCALE), vkdml_level_name(instance->level));
    }
}

/* Below 4_0 every channel has a scale and a bias of its own. */
static void check_channels(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[INPUT];
    for (uint32_t i = SCALE; i <= BIAS; ++i) {
        const struct vkdml_tensor *tensor = &instance->inputs[i];
        if (instance->level < DML_FEATURE_LEVEL_4_0 && tensor->dimension_count > 1 && input->dimension_count > 1 &&
            tensor->sizes[1] == 1 && input->sizes[1] > 1) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[1] is 1, must be %" PRIu32
                                 " = %s.Sizes[1] below DML_FEATURE_LEVEL_4_0; the feature level is %s",
                                 vkdml_input_name(instance, i), input->sizes[1], vkdml_input_name(instance, INPUT),
                                 vkdml_level_name(instance->level));
        }
    }
}

static void check_normalization(const struct vkdml_instance *instance, struct vkdml_report *report) {
    check_together(instance, report);
}

static void check_normalization1(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    vkdml_axes_check(instance, &axes, report);
    check_together(instance, report);
    check_channels(instance, report);
}

static void check_normalization2(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    vkdml_axes_check(instance, &axes, report);
}

static void check_lp(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_LP_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const uint32_t dimensions = instance->inputs[INPUT].dimension_count;
    if (desc->Axis >= dimensions) {
        vkdml_report_invalid(report, "Axis is %" PRIu32 ", must be below %" PRIu32 " = %s.DimensionCount", desc->Axis,
                             dimensions, vkdml_input_name(instance, INPUT));
    }
    if (desc->P != 1 && desc->P != 2) {
        vkdml_report_invalid(report, "P is %" PRIu32 ", must be 1 or 2", desc->P);
    }
}

/* ---- plans ---- */

static void scale_and_bias(const struct vkdml_instance *instance, struct vkdml_epilogue *epilogue) {
    epilogue->count = 0;
    if (has(instance, SCALE)) {
        *vkdml_epilogue_add(epilogue) =
            (struct vkdml_epilogue_step){.operation = VKDML_MAP_MULTIPLY, .operand = vkdml_input_view(instance, SCALE)};
    }
    if (has(instance, BIAS)) {
        *vkdml_epilogue_add(epilogue) = (struct vkdml_epilogue_step){
            .operation = VKDML_MAP_ADD, .operand = vkdml_input_view(instance, BIAS), .factor = 1};
    }
}

/* A map whose result goes through the fused activation, if there is one. */
static void begin_last(const struct vkdml_planning *planning, struct vkdml_map *map) {
    struct vkdml_epilogue fused;
    vkdml_mapping_epilogue(planning->instance, &fused);
    vkdml_map_begin(map, vkdml_output_view(planning->instance, 0));
    vkdml_map_set_epilogue(map, &fused);
}

/* Gives a map, which is onto something, input 0 without its mean, divided by its deviation. */
static void standardize(const struct normalization *n, const struct vkdml_statistics *statistics,
                        const struct vkdml_instance *instance, struct vkdml_map *map) {
    vkdml_map_set_operand(map, 0, vkdml_input_view(instance, INPUT));
    if (n->uses_mean) {
        vkdml_map_set_operand(map, 1, statistics->numbers[0]);
        map->operation = VKDML_MAP_SUBTRACT;
    }
    if (n->uses_variance) {
        vkdml_map_set_operand(map, n->uses_mean ? 2 : 1, statistics->numbers[1]);
        map->operation = n->uses_mean ? VKDML_MAP_STANDARDIZE : VKDML_MAP_MULTIPLY;
    }
}

/* Gives a map, which is onto the output, the scale times an operand that it has, and the bias. */
static void scale(const struct vkdml_instance *instance, struct vkdml_map *map) {
    const bool has_scale = has(instance, SCALE);
    if (has_scale) {
        vkdml_map_exchange(map, 0, 1);
        vkdml_map_set_operand(map, 0, vkdml_input_view(instance, SCALE));
        map->operation = VKDML_MAP_MULTIPLY;
    }
    if (has(instance, BIAS)) {
        vkdml_map_set_operand(map, has_scale ? 2 : 1, vkdml_input_view(instance, BIAS));
        map->operation = has_scale ? VKDML_MAP_MULTIPLY_ADD : VKDML_MAP_ADD;
    }
}

/* Gives a map that standardizes by mean and deviation the scale and the bias, too: the mean is subtracted before
 * anything else, so that nothing is rounded beside it. */
static void scale_as_well(const struct vkdml_instance *instance, struct vkdml_map *map) {
    for (uint32_t i = SCALE; i <= BIAS; ++i) {
        if (has(instance, i)) {
            vkdml_map_set_operand(map, 2 + i, vkdml_input_view(instance, i));
        }
    }
}

/* Of no statistics: a scale and a bias alone. */
static VkdmlResult plan_scaling(const struct vkdml_planning *planning) {
    struct vkdml_map map;
    begin_last(planning, &map);
    vkdml_map_set_operand(&map, 0, vkdml_input_view(planning->instance, INPUT));
    scale(planning->instance, &map);
    return vkdml_map_plan(&map, planning->builder);
}

/* One map that standardizes, and scales if it should. */
static VkdmlResult plan_at_once(const struct vkdml_planning *planning, const struct normalization *n,
                                const struct vkdml_statistics *statistics, bool is_scaled) {
    struct vkdml_map map;
    begin_last(planning, &map);
    standardize(n, statistics, planning->instance, &map);
    if (is_scaled) {
        scale_as_well(planning->instance, &map);
    }
    vkdml_builder_phase(planning->builder);
    return vkdml_map_plan(&map, planning->builder);
}

/* One map that standardizes, and one that scales what it gives. */
static VkdmlResult plan_in_turn(const struct vkdml_planning *planning, const struct normalization *n,
                                const struct vkdml_statistics *statistics) {
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view numbers =
        vkdml_builder_scratch(planning->builder, "numbers", &output, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_map map;
    vkdml_map_begin(&map, numbers);
    standardize(n, statistics, planning->instance, &map);
    vkdml_builder_phase(planning->builder);
    const VkdmlResult result = vkdml_map_plan(&map, planning->builder);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    begin_last(planning, &map);
    vkdml_map_set_operand(&map, 0, numbers);
    scale(planning->instance, &map);
    vkdml_builder_phase(planning->builder);
    return vkdml_map_plan(&map, planning->builder);
}

/* Plans what maps make of mean and deviation. */
static VkdmlResult use_moments(const struct vkdml_planning *planning, const struct vkdml_statistics *statistics,
                               const void *context) {
    const struct normalization *n = context;
    const bool is_scaled = has(planning->instance, SCALE) || has(planning->instance, BIAS);
    const bool fits =
        n->uses_mean && n->uses_variance && planning->builder->limits->max_storage_buffers > VKDML_MAP_OPERANDS;
    return !is_scaled || fits ? plan_at_once(planning, n, statistics, is_scaled)
                              : plan_in_turn(planning, n, statistics);
}

/* Whether a weight has an element for each of a row. */
static bool has_fixed_rows(const struct vkdml_instance *instance, uint32_t folded) {
    bool is_fixed = false;
    for (uint32_t i = SCALE; i <= BIAS; ++i) {
        const struct vkdml_tensor *tensor = &instance->inputs[i];
        bool has_all = has(instance, i) && (tensor->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
        for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
            const bool is_repeated = tensor->sizes[d] == 1 || tensor->strides[d] == 0;
            has_all = has_all && ((folded >> d & 1) == 0 || !is_repeated);
        }
        is_fixed = is_fixed || has_all;
    }
    return is_fixed;
}

static VkdmlResult plan_normalization(const struct vkdml_planning *planning, const struct normalization *n) {
    const struct vkdml_instance *instance = planning->instance;
    if (!n->uses_mean && !n->uses_variance) {
        return plan_scaling(planning);
    }
    struct vkdml_epilogue epilogue;
    scale_and_bias(instance, &epilogue);
    const struct vkdml_rows rows = {
        .input = vkdml_input_view(instance, INPUT),
        .output = vkdml_output_view(instance, 0),
        .epilogue = &epilogue,
        .folded = n->folded,
        .function = VKDML_ROWS_MOMENTS,
        .option = !n->uses_mean,
        .argument = vkdml_float_bits(n->epsilon),
        .is_fixed = has_fixed_rows(instance, n->folded),
    };
    const struct vkdml_reduce reduce = {
        .folded = n->folded,
        .function = VKDML_REDUCE_MOMENTS, /* whose mean is exact of equal elements; an average's is not */
        .option = !n->uses_mean,
        .argument = vkdml_float_bits(n->epsilon),
    };
    if (n->uses_variance && instance->activation_count == 0) {
        return vkdml_statistics_plan_rows(&rows, &reduce, planning, use_moments, n);
    }
    struct vkdml_statistics statistics;
    const VkdmlResult result = vkdml_statistics_plan(&reduce, planning, &statistics);
    return result == VKDML_SUCCESS ? use_moments(planning, &statistics, n) : result;
}

static VkdmlResult plan_mean_variance(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC *desc = planning->instance->desc;
    const struct normalization n = {desc->CrossChannel ? 0xEu : 0xCu, true, desc->NormalizeVariance != 0,
                                    desc->Epsilon};
    return plan_normalization(planning, &n);
}

static VkdmlResult plan_mean_variance1(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    const struct normalization n = {vkdml_axes_bits(&axes), true, desc->NormalizeVariance != 0, desc->Epsilon};
    return plan_normalization(planning, &n);
}

static VkdmlResult plan_mean_variance2(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    const struct normalization n = {vkdml_axes_bits(&axes), desc->UseMean != 0, desc->UseVariance != 0, desc->Epsilon};
    return plan_normalization(planning, &n);
}

static VkdmlResult use_norm(const struct vkdml_planning *planning, const struct vkdml_statistics *statistics,
                            const void *context) {
    const struct vkdml_view input = vkdml_input_view(planning->instance, INPUT);
    (void)context;
    return vkdml_statistics_plan_map(planning, VKDML_MAP_DIVIDE, &input, statistics, 1);
}

/* By the norm, or where that is less by Epsilon. */
static VkdmlResult plan_lp(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_LP_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_reduce reduce = {
        .folded = 1u << desc->Axis,
        .function = desc->P == 1 ? VKDML_REDUCE_L1 : VKDML_REDUCE_L2,
        .argument = desc->Epsilon > 0 ? vkdml_float_bits(desc->Epsilon) : 0,
    };
    (void)op;
    const struct vkdml_rows rows = {
        .input = vkdml_input_view(instance, INPUT),
        .output = vkdml_output_view(instance, 0),
        .folded = reduce.folded,
        .function = VKDML_ROWS_NORM,
        .option = desc->P == 2,
        .argument = reduce.argument,
    };
    return vkdml_statistics_plan_rows(&rows, &reduce, planning, use_norm, NULL);
}

#define NORMALIZATION(NAME, RULES, PLAN)                                                                               \
    const struct vkdml_operator vkdml_operator_##NAME = {                                                              \
        .rules = (RULES),                                                                                              \
        .plan = (PLAN),                                                                                                \
        .mapping = {.operation = VKDML_MAP_FIRST, .attributes_of_operation = true},                                    \
    }

NORMALIZATION(mean_variance_normalization, check_normalization, plan_mean_variance);
NORMALIZATION(mean_variance_normalization1, check_normalization1, plan_mean_variance1);
NORMALIZATION(mean_variance_normalization2, check_normalization2, plan_mean_variance2);

const struct vkdml_operator vkdml_operator_lp_normalization = {.rules = check_lp, .plan = plan_lp};
