/* RANDOM_GENERATOR */
#include <inttypes.h>

#include "frames/random/random.h"
#include "operators/operators.h"

/* A state is one row of words. */
static void check_random_generator(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tensor *state = &instance->inputs[0];
    for (uint32_t d = 0; d < state->dimension_count; ++d) {
        const uint32_t size = d + 1 == state->dimension_count ? VKDML_RANDOM_STATE_WORDS : 1;
        if (state->sizes[d] != size) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32
                                 ": a state is a counter of four words and a key of two",
                                 vkdml_input_name(instance, 0), d, state->sizes[d], size);
        }
    }
}

static VkdmlResult plan_random_generator(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_random random = {
        .output = vkdml_output_view(planning->instance, 0),
        .state = vkdml_input_view(planning->instance, 0),
        .next = vkdml_output_view(planning->instance, 1),
    };
    (void)op;
    return vkdml_random_plan(&random, planning->builder);
}

const struct vkdml_operator vkdml_operator_random_generator = {
    .rules = check_random_generator,
    .plan = plan_random_generator,
};
