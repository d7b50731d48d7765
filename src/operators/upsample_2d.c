/* UPSAMPLE_2D: what is between input elements, or copies of the nearest. */
#include <inttypes.h>

#include "frames/neighbours/neighbours.h"
#include "operators/neighbourhood.h"
#include "operators/operators.h"
#include "tensor/infer.h"

/* What each dimension is enlarged by: the last two are. */
static uint32_t factor_of(const DML_UPSAMPLE_2D_OPERATOR_DESC *desc, const struct vkdml_tensor *tensor, uint32_t d) {
    return d + 1 == tensor->dimension_count   ? desc->ScaleSize.Width
           : d + 2 == tensor->dimension_count ? desc->ScaleSize.Height
                                              : 1;
}

static void check_upsample_2d(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_UPSAMPLE_2D_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor *output = &instance->outputs[0];
    if (desc->ScaleSize.Width == 0 || desc->ScaleSize.Height == 0) {
        vkdml_report_invalid(report, "ScaleSize is %" PRIu32 " x %" PRIu32 " (Width x Height), must be at least 1 x 1",
                             desc->ScaleSize.Width, desc->ScaleSize.Height);
        return;
    }
    for (uint32_t d = 0; d < input->dimension_count && input->dimension_count == output->dimension_count; ++d) {
        const uint32_t factor = factor_of(desc, input, d);
        const uint64_t size = (uint64_t)input->sizes[d] * factor;
        if (!vkdml_size_is(output, d, size)) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %s.Sizes[%" PRIu32
                                 "] (%" PRIu32 ") * %" PRIu32,
                                 vkdml_output_name(instance, 0), d, output->sizes[d], size,
                                 vkdml_input_name(instance, 0), d, input->sizes[d], factor);
        }
    }
}

/* Where the input has one element there is nothing to interpolate. */
static VkdmlResult plan_linear(const struct vkdml_planning *planning) {
    const DML_UPSAMPLE_2D_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    struct vkdml_neighbours neighbours = vkdml_neighbours_begin(planning->instance);
    neighbours.kind = VKDML_NEIGHBOURS_LINEAR;
    neighbours.count = input->dimension_count;
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        const uint32_t factor = factor_of(desc, input, d);
        neighbours.dimensions[d] = (struct vkdml_neighbours_dimension){
            .size = output->sizes[d],
            .source_stride = input->sizes[d] == 1 ? 0 : input->strides[d],
            .target_stride = output->strides[d],
            .is_walked = input->sizes[d] > 1 && factor > 1,
            .taps = 2,
            .tap_step = 1,
            .source_size = input->sizes[d],
            .source_step = factor,
        };
    }
    return vkdml_neighbours_plan(&neighbours, planning->builder);
}

static VkdmlResult plan_upsample_2d(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_UPSAMPLE_2D_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    struct vkdml_copied copied[VKDML_MAX_DIMENSIONS];
    (void)op;
    if (desc->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR) {
        return plan_linear(planning);
    }
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        copied[d] = (struct vkdml_copied){factor_of(desc, input, d), 1, 0};
    }
    return vkdml_plan_copied(copied, planning);
}

const struct vkdml_operator vkdml_operator_upsample_2d = {.rules = check_upsample_2d, .plan = plan_upsample_2d};
