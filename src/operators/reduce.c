/* REDUCE, ARGMIN and ARGMAX: reductions of the dimensions that axes name. */
#include "frames/reduce/reduce.h"

#include <inttypes.h>

#include "operators/axes.h"
#include "operators/operators.h"
#include "schema/enumerations.h"
#include "tensor/infer.h"

/* ---- rules ---- */

static void check_sizes(const struct vkdml_instance *instance, const struct vkdml_axes *axes,
                        struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor *output = &instance->outputs[0];
    if (input->dimension_count != output->dimension_count) {
        return; /* the table refuses it */
    }
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        const bool is_listed = vkdml_axes_list(axes, d);
        if (vkdml_size_is(output, d, is_listed ? 1 : input->sizes[d]) || output->sizes[d] == 0) {
            continue; /* 0 was told */
        }
        if (is_listed) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: Axes list the dimension",
                                 vkdml_output_name(instance, 0), d, output->sizes[d]);
        } else {
            vkdml_report_invalid(
                report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                vkdml_output_name(instance, 0), d, output->sizes[d], input->sizes[d], vkdml_input_name(instance, 0), d);
        }
    }
}

#define TYPE(name) (1u << DML_TENSOR_DATA_TYPE_##name)
#define FLOATS     (TYPE(FLOAT32) | TYPE(FLOAT16))
#define FLOATS_32  (FLOATS | TYPE(INT32) | TYPE(UINT32))
#define UP_TO_32   (FLOATS_32 | TYPE(INT16) | TYPE(INT8) | TYPE(UINT16) | TYPE(UINT8))
#define LONG       (TYPE(INT64) | TYPE(UINT64))

/* What functions take from a level on: the table holds what any does. Newest level first. */
static const struct function_support {
    uint32_t functions; /* a bit each */
    DML_FEATURE_LEVEL level;
    uint32_t types;
} function_supports[] = {
#define FUNCTION(name) (1u << DML_REDUCE_FUNCTION_##name)
#define PLACES         (FUNCTION(ARGMIN) | FUNCTION(ARGMAX))
#define ORDER          (FUNCTION(MIN) | FUNCTION(MAX))
#define SUMS           (FUNCTION(MULTIPLY) | FUNCTION(SUM))
#define MAGNITUDES     (FUNCTION(L1) | FUNCTION(SUM_SQUARE))
#define FLOATS_ALONE   (FUNCTION(AVERAGE) | FUNCTION(L2) | FUNCTION(LOG_SUM) | FUNCTION(LOG_SUM_EXP))
    {PLACES, DML_FEATURE_LEVEL_4_1, UP_TO_32 | LONG},
    {PLACES, DML_FEATURE_LEVEL_2_1, UP_TO_32},
    {ORDER, DML_FEATURE_LEVEL_5_0, UP_TO_32 | LONG},
    {ORDER, DML_FEATURE_LEVEL_3_0, UP_TO_32},
    {SUMS | MAGNITUDES, DML_FEATURE_LEVEL_5_0, FLOATS_32 | LONG},
    {ORDER | SUMS, DML_FEATURE_LEVEL_2_1, FLOATS_32},
    {PLACES | ORDER | SUMS | MAGNITUDES | FLOATS_ALONE, DML_FEATURE_LEVEL_1_0, FLOATS},
};

/* What places are given as. */
#define PLACE_TYPES     (TYPE(UINT32) | TYPE(INT32) | LONG)
#define OLD_PLACE_TYPES TYPE(UINT32)

static bool is_place(DML_REDUCE_FUNCTION function) {
    return function == DML_REDUCE_FUNCTION_ARGMIN || function == DML_REDUCE_FUNCTION_ARGMAX;
}

static uint32_t types_of(DML_REDUCE_FUNCTION function, DML_FEATURE_LEVEL level) {
    for (uint32_t i = 0; i < sizeof(function_supports) / sizeof(function_supports[0]); ++i) {
        const struct function_support *support = &function_supports[i];
        if ((support->functions >> function & 1) != 0 && level >= support->level) {
            return support->types;
        }
    }
    return 0;
}

static const char *function_name(DML_REDUCE_FUNCTION function) {
    return vkdml_enumeration_reduce_function.enumerators[function].name; /* values count from 0 */
}

static void check_types(const struct vkdml_instance *instance, DML_REDUCE_FUNCTION function,
                        struct vkdml_report *report) {
    const DML_TENSOR_DATA_TYPE input = instance->inputs[0].data_type;
    const DML_TENSOR_DATA_TYPE output = instance->outputs[0].data_type;
    const char *input_name = vkdml_input_name(instance, 0);
    const char *output_name = vkdml_output_name(instance, 0);
    if ((types_of(function, instance->level) >> input & 1) == 0) {
        vkdml_report_invalid_type(report, "Function is %s, must be one that takes %s (%s.DataType) at feature level %s",
                                  function_name(function), vkdml_data_type_name(input), input_name,
                                  vkdml_level_name(instance->level));
    }
    if (is_place(function)) {
        const uint32_t types = instance->level >= DML_FEATURE_LEVEL_3_0 ? PLACE_TYPES : OLD_PLACE_TYPES;
        if (output != DML_TENSOR_DATA_TYPE_UNKNOWN && (types >> output & 1) == 0) {
            vkdml_report_invalid_type(report,
                                      "Function is %s, must be one that gives %s (%s.DataType) at feature level %s",
                                      function_name(function), vkdml_data_type_name(output), output_name,
                                      vkdml_level_name(instance->level));
        }
    } else if (!vkdml_data_type_is(&instance->outputs[0], input)) {
        vkdml_report_invalid_type(report, "%s.DataType is %s, must be %s = %s.DataType", output_name,
                                  vkdml_data_type_name(output), vkdml_data_type_name(input), input_name);
    }
}

static void check_reduce(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_REDUCE_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    if ((uint32_t)desc->Function < vkdml_enumeration_reduce_function.enumeratorCount) { /* others were told */
        check_types(instance, desc->Function, report);
    }
    vkdml_axes_check(instance, &axes, report);
    check_sizes(instance, &axes, report);
}

static void check_argmin(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ARGMIN_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    vkdml_axes_check(instance, &axes, report);
    check_sizes(instance, &axes, report);
}

static void check_argmax(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ARGMAX_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    vkdml_axes_check(instance, &axes, report);
    check_sizes(instance, &axes, report);
}

/* ---- plans ---- */

static struct vkdml_reduce reduce_of(const struct vkdml_planning *planning, const struct vkdml_axes *axes,
                                     enum vkdml_reduce_function function, bool takes_last) {
    return (struct vkdml_reduce){
        .input = vkdml_input_view(planning->instance, 0),
        .outputs = {vkdml_output_view(planning->instance, 0)},
        .function = function,
        .option = takes_last,
        .folded = vkdml_axes_bits(axes),
        .epilogue = planning->tail,
    };
}

static struct vkdml_reduce read_reduce(const struct vkdml_planning *planning) {
    static const enum vkdml_reduce_function functions[] = {
        [DML_REDUCE_FUNCTION_ARGMAX] = VKDML_REDUCE_ARGMAX,
        [DML_REDUCE_FUNCTION_ARGMIN] = VKDML_REDUCE_ARGMIN,
        [DML_REDUCE_FUNCTION_AVERAGE] = VKDML_REDUCE_AVERAGE,
        [DML_REDUCE_FUNCTION_L1] = VKDML_REDUCE_L1,
        [DML_REDUCE_FUNCTION_L2] = VKDML_REDUCE_L2,
        [DML_REDUCE_FUNCTION_LOG_SUM] = VKDML_REDUCE_LOG_SUM,
        [DML_REDUCE_FUNCTION_LOG_SUM_EXP] = VKDML_REDUCE_LOG_SUM_EXP,
        [DML_REDUCE_FUNCTION_MAX] = VKDML_REDUCE_MAX,
        [DML_REDUCE_FUNCTION_MIN] = VKDML_REDUCE_MIN,
        [DML_REDUCE_FUNCTION_MULTIPLY] = VKDML_REDUCE_MULTIPLY,
        [DML_REDUCE_FUNCTION_SUM] = VKDML_REDUCE_SUM,
        [DML_REDUCE_FUNCTION_SUM_SQUARE] = VKDML_REDUCE_SUM_SQUARE,
    };
    const DML_REDUCE_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    return reduce_of(planning, &axes, functions[desc->Function], false);
}

static VkdmlResult plan_reduce(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_reduce reduce = read_reduce(planning);
    (void)op;
    return vkdml_reduce_plan(&reduce, planning->builder);
}

static bool takes_tail(const struct vkdml_planning *planning) {
    const struct vkdml_reduce reduce = read_reduce(planning);
    return vkdml_reduce_takes(&reduce, planning->tail, planning->builder->limits);
}

static VkdmlResult plan_argmin(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_ARGMIN_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    (void)op;
    const struct vkdml_reduce reduce =
        reduce_of(planning, &axes, VKDML_REDUCE_ARGMIN, desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING);
    return vkdml_reduce_plan(&reduce, planning->builder);
}

static VkdmlResult plan_argmax(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_ARGMAX_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_axes axes = {desc->AxisCount, desc->Axes};
    (void)op;
    const struct vkdml_reduce reduce =
        reduce_of(planning, &axes, VKDML_REDUCE_ARGMAX, desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING);
    return vkdml_reduce_plan(&reduce, planning->builder);
}

const struct vkdml_operator vkdml_operator_reduce = {.rules = check_reduce, .plan = plan_reduce, .takes = takes_tail};
const struct vkdml_operator vkdml_operator_argmin = {.rules = check_argmin, .plan = plan_argmin};
const struct vkdml_operator vkdml_operator_argmax = {.rules = check_argmax, .plan = plan_argmax};
