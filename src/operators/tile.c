/* TILE. */
#include <inttypes.h>

#include "operators/copying.h"
#include "operators/operators.h"
#include "tensor/infer.h"

static void check_tile(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_TILE_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor *output = &instance->outputs[0];
    if (!vkdml_copying_check_count("RepeatsCount", desc->RepeatsCount, input, vkdml_input_name(instance, 0), report) ||
        input->dimension_count != output->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        const uint64_t size = (uint64_t)input->sizes[d] * desc->Repeats[d];
        if (desc->Repeats[d] == 0) {
            vkdml_report_invalid(report, "Repeats[%" PRIu32 "] is 0, must be at least 1", d);
        } else if (!vkdml_size_is(output, d, size)) {
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
    struct vkdml_gather gather = vkdml_copying_begin(planning->instance, 0, 0);
    bool fits = true;
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        fits &= vkdml_copy_add(&gather, desc->Repeats[d], (uint64_t)output->strides[d] * input->sizes[d], 0);
        fits &= vkdml_copy_add(&gather, input->sizes[d], output->strides[d], input->strides[d]);
    }
    return vkdml_copying_plan(&gather, fits, planning);
}

const struct vkdml_operator vkdml_operator_tile = {.rules = check_tile, .plan = plan_tile};
