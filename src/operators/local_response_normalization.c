/* LOCAL_RESPONSE_NORMALIZATION: sums of squares around an element. */
#include <string.h>

#include "frames/neighbours/neighbours.h"
#include "operators/neighbourhood.h"
#include "operators/operators.h"

enum { BATCH, CHANNEL, HEIGHT, WIDTH };

/* More elements than these are summed row by row first, and the rows' sums then. */
#define MOST_AT_ONCE 81

static void check_local_response_normalization(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    if (desc->LocalSize == 0) {
        vkdml_report_invalid(report, "LocalSize is 0, must be at least 1");
    }
}

/* From (local_size - 1) / 2 elements before to as many, or one more, behind; those that there are. */
static void walk_around(struct vkdml_neighbours_dimension *dimension, uint32_t local_size) {
    const uint32_t most = dimension->size - 1;
    const uint32_t before = (local_size - 1) / 2 < most ? (local_size - 1) / 2 : most;
    const uint32_t behind = local_size / 2 < most ? local_size / 2 : most;
    dimension->is_walked = true;
    dimension->start = behind;
    dimension->taps = before + behind + 1;
    dimension->tap_step = 1;
    dimension->source_size = dimension->size;
    dimension->source_step = 1;
}

static VkdmlResult plan_local_response_normalization(const struct vkdml_operator *op,
                                                     const struct vkdml_planning *planning) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    (void)op;
    const float arguments[] = {(float)((double)desc->Alpha / desc->LocalSize), desc->Bias, desc->Beta};
    struct vkdml_neighbours all = vkdml_neighbours_begin(planning->instance);
    all.squares = true;
    all.finish = VKDML_NEIGHBOURS_NORMALIZED;
    memcpy(all.arguments, arguments, sizeof(arguments));
    all.count = input->dimension_count;
    for (uint32_t d = 0; d < all.count; ++d) {
        all.dimensions[d] = (struct vkdml_neighbours_dimension){
            .size = input->sizes[d],
            .source_stride = input->strides[d],
            .own_stride = input->strides[d],
            .target_stride = output->strides[d],
        };
        if (desc->CrossChannel ? d == CHANNEL : d >= HEIGHT) {
            walk_around(&all.dimensions[d], desc->LocalSize);
        }
    }
    const uint64_t rows = desc->CrossChannel ? 1 : all.dimensions[HEIGHT].taps;
    if (rows == 1 || rows * all.dimensions[WIDTH].taps <= MOST_AT_ONCE) {
        return vkdml_neighbours_plan(&all, planning->builder);
    }
    const struct vkdml_view whole = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view numbers =
        vkdml_builder_scratch(planning->builder, "sums", &whole, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_neighbours sums = all;
    sums.finish = VKDML_NEIGHBOURS_TOTAL;
    sums.target = numbers.at;
    all.source = sums.target;
    all.squares = false;
    sums.dimensions[HEIGHT].is_walked = false;
    all.dimensions[WIDTH].is_walked = false;
    for (uint32_t d = 0; d < all.count; ++d) {
        sums.dimensions[d].target_stride = numbers.strides[d];
        all.dimensions[d].source_stride = numbers.strides[d];
    }
    VkdmlResult result = vkdml_neighbours_plan(&sums, planning->builder);
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? vkdml_neighbours_plan(&all, planning->builder) : result;
}

const struct vkdml_operator vkdml_operator_local_response_normalization = {
    .rules = check_local_response_normalization,
    .plan = plan_local_response_normalization,
};
