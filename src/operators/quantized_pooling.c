/* QUANTIZED_LINEAR_AVERAGE_POOLING: windows of AVERAGE_POOLING, whose sums are integers. */
#include "frames/integer_product/integer_pool.h"
#include "operators/operators.h"
#include "operators/quantized.h"
#include "operators/windows.h"

enum { INPUT, SCALE, ZERO_POINT, OUT_SCALE, OUT_ZERO_POINT };

static struct vkdml_windows read(const struct vkdml_instance *instance) {
    const DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_windows)VKDML_WINDOWS(desc, desc->Dilations);
}

static void check(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_windows windows = read(instance);
    vkdml_windows_check(&windows, VKDML_WINDOWS_ANY, &instance->inputs[INPUT], vkdml_input_name(instance, INPUT),
                        &instance->outputs[0], vkdml_output_name(instance, 0), report);
    for (uint32_t input = SCALE; input <= OUT_ZERO_POINT; ++input) {
        vkdml_quantized_check(instance, input, VKDML_QUANTIZED_CHANNELS, instance->inputs[INPUT].sizes[1], report);
    }
}

static VkdmlResult plan(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_windows windows = read(instance);
    struct vkdml_integer_pool pool = {
        .input = vkdml_input_view(instance, INPUT),
        .output = vkdml_output_view(instance, 0),
        .counts_padding = desc->IncludePadding != 0,
        .terms = {[VKDML_INTEGER_TERM_SCALE_A] = vkdml_quantized_term(instance, SCALE, VKDML_QUANTIZED_CHANNELS),
                  [VKDML_INTEGER_TERM_ZERO_A] = vkdml_quantized_term(instance, ZERO_POINT, VKDML_QUANTIZED_CHANNELS),
                  [VKDML_INTEGER_TERM_SCALE_OUT] = vkdml_quantized_term(instance, OUT_SCALE, VKDML_QUANTIZED_CHANNELS),
                  [VKDML_INTEGER_TERM_ZERO_OUT] =
                      vkdml_quantized_term(instance, OUT_ZERO_POINT, VKDML_QUANTIZED_CHANNELS)},
    };
    (void)op;
    for (uint32_t s = 0; s < windows.dimension_count; ++s) {
        pool.walks[s] = (struct vkdml_integer_walk){
            .step = pool.output.sizes[2 + s] == 1 ? 1 : windows.strides[s],
            .start = windows.start[s],
            .taps = windows.window[s],
            .tap_step = windows.window[s] == 1 ? 1 : windows.dilations[s],
        };
    }
    const VkdmlResult result =
        vkdml_windows_check_lengths(&windows, &instance->inputs[INPUT], &instance->outputs[0],
                                    planning->builder->report);
    return result == VKDML_SUCCESS ? vkdml_integer_pool_plan(&pool, planning->builder) : result;
}

const struct vkdml_operator vkdml_operator_quantized_linear_average_pooling = {.rules = check, .plan = plan};
