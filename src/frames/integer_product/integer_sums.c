#include <string.h>

#include "base/checked.h"
#include "frames/integer_product/integer_pack.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"
#include "plan/step.h"

#define LOCAL_SIZE        64
#define MOST_LANES        32
#define SERIAL_LOCAL_SIZE 8

/* So many words each before another invocation takes part. */
#define WORDS_OF_LANE 16

/* Of general plans, for lines of any length. */
#define GENERAL_LANES 8

static uint32_t choose_lanes(const struct vkdml_integer_sums *sums, const struct vkdml_plan_limits *limits) {
    uint32_t lanes = 1;
    if (limits->general && limits->variant != VKDML_KERNEL_VARIANT_SERIAL) {
        return GENERAL_LANES;
    }
    while (limits->variant != VKDML_KERNEL_VARIANT_SERIAL && lanes < MOST_LANES &&
           lanes * WORDS_OF_LANE < sums->word_count) {
        lanes *= 2;
    }
    return lanes;
}

static void fill_parameters(const struct vkdml_integer_sums *sums, struct vkdml_integer_sums_parameters *parameters) {
    memset(parameters, 0, sizeof(*parameters));
    parameters->line_count = 1;
    parameters->word_count = sums->word_count;
    for (uint32_t d = 0; d < sums->rank; ++d) {
        const uint32_t from = sums->rank - 1 - d;
        const struct vkdml_divisor divisor = vkdml_divisor(sums->sizes[from]);
        const uint32_t size[] = {sums->sizes[from], divisor.multiplier, divisor.shifts, sums->strides[from]};
        memcpy(parameters->sizes[d], size, sizeof(size));
        parameters->line_count *= sums->sizes[from];
    }
    if (!sums->is_gathered) {
        return;
    }
    const struct vkdml_divisor tap = vkdml_divisor(sums->tap_words);
    const struct vkdml_divisor row = vkdml_divisor(sums->taps_of_row);
    const uint32_t taps[] = {sums->tap_words, tap.multiplier, tap.shifts, sums->tap_step};
    const uint32_t rows[] = {sums->taps_of_row, row.multiplier, row.shifts, sums->row_step};
    memcpy(parameters->taps, taps, sizeof(taps));
    memcpy(parameters->tap_rows, rows, sizeof(rows));
}

VkdmlResult vkdml_integer_sums_plan(const struct vkdml_integer_sums *sums, struct vkdml_builder *builder) {
    const struct vkdml_plan_limits *limits = builder->limits;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const uint32_t lanes = choose_lanes(sums, limits);
    const uint32_t words = sums->is_gathered ? sums->tap_words : sums->word_count;
    struct vkdml_integer_sums_parameters parameters;
    fill_parameters(sums, &parameters);
    const struct vkdml_window from = vkdml_window_of((struct vkdml_span){sums->packed.first, sums->packed_words}, 32);
    const struct vkdml_window to = vkdml_window_of((struct vkdml_span){sums->sums.first, parameters.line_count}, 32);
    parameters.group_count = (uint32_t)vkdml_divide_up(parameters.line_count, local_size / lanes);
    parameters.first = from.lead;
    parameters.target_first = to.lead;
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    step->kernel = VKDML_KERNEL_INTEGER_SUMS;
    vkdml_step_constant(step, VKDML_INTEGER_SUMS_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_INTEGER_SUMS_CONSTANT_SHAPE,
                        sums->rank << VKDML_INTEGER_SUMS_RANK_SHIFT |
                            (words % 4 == 0 ? VKDML_INTEGER_SUMS_BY_VECTORS : 0) |
                            (sums->is_gathered ? VKDML_INTEGER_SUMS_IS_GATHERED : 0));
    vkdml_step_constant(step, VKDML_INTEGER_SUMS_CONSTANT_LANES, lanes);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    step->buffers[0] = vkdml_origin_buffer(&sums->packed, from.offset, from.size);
    step->buffers[1] = vkdml_origin_buffer(&sums->sums, to.offset, to.size);
    step->buffer_count = 2;
    return vkdml_grid(parameters.group_count, limits, builder->report, step->groups);
}
