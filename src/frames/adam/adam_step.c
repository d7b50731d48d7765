#include "frames/adam/adam_step.h"

#include <math.h>
#include <string.h>

#include "kernels/blocks.h"
#include "plan/step.h"

/* In units of 2^-64, cut off; of less than 1. */
static void set_fraction(float beta, uint32_t words[2]) {
    const uint64_t fraction = beta < 1 ? (uint64_t)ldexp((double)beta, 64) : 0;
    words[0] = (uint32_t)fraction;
    words[1] = (uint32_t)(fraction >> 32);
}

VkdmlResult vkdml_adam_step_plan(const struct vkdml_adam_step *adam, struct vkdml_builder *builder) {
    struct vkdml_adam_step_parameters parameters;
    struct vkdml_plan_step *step;
    const VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    memset(&parameters, 0, sizeof parameters);
    set_fraction(adam->beta1, parameters.betas);
    set_fraction(adam->beta2, parameters.betas + 2);
    parameters.are_ones[0] = adam->beta1 == 1;
    parameters.are_ones[1] = adam->beta2 == 1;
    parameters.rate = vkdml_float_bits(adam->rate);
    step->kernel = VKDML_KERNEL_ADAM_STEP;
    vkdml_step_constant(step, VKDML_ADAM_STEP_CONSTANT_LOCAL_SIZE, 1);
    vkdml_step_parameters(step, &parameters, sizeof parameters);
    step->buffer_count = 2;
    step->buffers[0] = vkdml_origin_buffer(&adam->step.at, 0, vkdml_view_span(&adam->step));
    step->buffers[1] = vkdml_origin_buffer(&adam->result, 0, sizeof(float));
    return vkdml_grid(1, builder->limits, builder->report, step->groups);
}
