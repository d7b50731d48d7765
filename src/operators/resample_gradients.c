/* RESAMPLE_GRAD and RESAMPLE_GRAD1: each element of the forward input collects what the places near it give. */
#include <math.h>
#include <string.h>

#include "frames/neighbours/gradient.h"
#include "operators/operators.h"
#include "operators/resampling.h"
#include "tensor/infer.h"

/* Coordinates below are exact in FLOAT32, and offsets too. */
#define EXACT_SIZE   (1u << 22)
#define EXACT_OFFSET 0x1p20f

#define OF_GRADIENT(desc)                                                                                              \
    .mode = (desc)->InterpolationMode, .count_name = "DimensionCount", .count = (desc)->DimensionCount,                \
    .scales = (desc)->Scales, .input_offsets = (desc)->InputPixelOffsets, .output_offsets = (desc)->OutputPixelOffsets

static struct vkdml_resampling read_resample_grad(const struct vkdml_instance *instance) {
    const DML_RESAMPLE_GRAD_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_resampling){OF_GRADIENT(desc), .bias = 0.5f};
}

static struct vkdml_resampling read_resample_grad1(const struct vkdml_instance *instance) {
    const DML_RESAMPLE_GRAD1_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_resampling){
        OF_GRADIENT(desc),
        .rounds_up = desc->RoundingDirection == DML_AXIS_DIRECTION_INCREASING,
    };
}

/* The forward operator's. InputPixelOffsets are of this operator's own input, which is the forward operator's output. */
static struct vkdml_resampling forward_of(const struct vkdml_resampling *r) {
    struct vkdml_resampling forward = *r;
    forward.input_offsets = r->output_offsets;
    forward.output_offsets = r->input_offsets;
    return forward;
}

/* Any sizes are some; what callers have mostly is the forward output's by the scale. */
static void choose_sizes(const struct vkdml_resampling *r, const struct vkdml_tensor *gradient,
                         struct vkdml_tensor *output) {
    for (uint32_t d = 0; d < gradient->dimension_count && output->dimension_count == gradient->dimension_count; ++d) {
        const double size = rint((double)gradient->sizes[d] / (double)r->scales[d]);
        if (size <= UINT32_MAX) {
            vkdml_choose_size(output, d, size >= 1 ? (uint64_t)size : 1);
        }
    }
}

static void check(const struct vkdml_resampling *r, const struct vkdml_instance *instance,
                  struct vkdml_report *report) {
    if (vkdml_resampling_check(r, &instance->inputs[0], vkdml_input_name(instance, 0), report)) {
        choose_sizes(r, &instance->inputs[0], &instance->outputs[0]);
    }
}

/* Whether each coordinate's place is itself, exactly. */
static bool stays(const struct vkdml_scaling *scaling, uint32_t input_size, uint32_t output_size) {
    return input_size == output_size && input_size <= EXACT_SIZE && scaling->scale == 1 &&
           fabsf(scaling->input_offset) <= EXACT_OFFSET &&
           2 * scaling->input_offset == truncf(2 * scaling->input_offset) &&
           scaling->output_offset == -scaling->input_offset;
}

static VkdmlResult plan(const struct vkdml_resampling *r, const struct vkdml_planning *planning) {
    const struct vkdml_view from = vkdml_input_view(planning->instance, 0),
                            to = vkdml_output_view(planning->instance, 0);
    const bool is_nearest = r->mode == DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR;
    const struct vkdml_resampling forward = forward_of(r);
    struct vkdml_gradient gradient;
    memset(&gradient, 0, sizeof(gradient));
    gradient.kind = is_nearest ? VKDML_GRADIENT_NEAREST : VKDML_GRADIENT_LINEAR;
    gradient.factor = 1;
    gradient.neighbours.source = from.at;
    gradient.neighbours.target = to.at;
    gradient.neighbours.count = to.rank;
    for (uint32_t d = 0; d < to.rank; ++d) {
        const struct vkdml_scaling scaling = vkdml_resampling_scaling(&forward, d);
        gradient.neighbours.dimensions[d] = (struct vkdml_neighbours_dimension){
            .size = to.sizes[d],
            .source_stride = from.strides[d],
            .target_stride = to.strides[d],
            .is_walked = !stays(&scaling, to.sizes[d], from.sizes[d]),
            .taps = 2,
            .tap_step = 1,
            .source_size = from.sizes[d],
            .source_step = 1,
            .is_scaled = true,
            .scaling = scaling,
        };
    }
    return vkdml_gradient_plan(&gradient, planning->builder);
}

#define GRADIENT(name)                                                                                                 \
    static void check_##name(const struct vkdml_instance *instance, struct vkdml_report *report) {                     \
        const struct vkdml_resampling r = read_##name(instance);                                                       \
        check(&r, instance, report);                                                                                   \
    }                                                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        const struct vkdml_resampling r = read_##name(planning->instance);                                             \
        (void)op;                                                                                                      \
        return plan(&r, planning);                                                                                     \
    }                                                                                                                  \
    const struct vkdml_operator vkdml_operator_##name = {.rules = check_##name, .plan = plan_##name}

GRADIENT(resample_grad);
GRADIENT(resample_grad1);
