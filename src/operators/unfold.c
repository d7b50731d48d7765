/* UNFOLD. */
#include <inttypes.h>

#include "frames/gather/padding.h"
#include "operators/copying.h"
#include "operators/operators.h"
#include "operators/unfolding.h"

static void check_unfold(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_unfolding unfolding = vkdml_unfolding_of_unfold(instance);
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
    const struct vkdml_unfolding unfolding = vkdml_unfolding_of_unfold(planning->instance);
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
    return vkdml_copying_plan(&gather, fits, planning);
}

const struct vkdml_operator vkdml_operator_unfold = {.rules = check_unfold, .plan = plan_unfold};
