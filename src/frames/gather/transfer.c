#include "frames/gather/transfer.h"

#include "base/notes.h"
#include "plan/step.h"

_Static_assert(VKDML_MAX_DIMENSIONS - 1 <= VKDML_PLAN_MAX_COPY_RANK, "a copy has as many outer dimensions as a gather");

/* Sizes decide whether there is such a command, and a general plan must have a kernel then, too. */
static bool is_preferred(const struct vkdml_plan_limits *limits) {
    return limits->transfer_allowed && limits->transfer_is_faster && !limits->general;
}

bool vkdml_transfer_suits_copy(const struct vkdml_gather *gather, const struct vkdml_plan_limits *limits) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    uint64_t runs = 1; /* at most the output's elements: 32 bits */
    bool is_backward = row->is_backward;
    for (uint32_t d = 0; d + 1 < gather->count; ++d) {
        runs *= gather->dimensions[d].size;
        is_backward = is_backward || gather->dimensions[d].is_backward;
    }
    const bool in_words =
        (gather->output.first * gather->element_bytes | gather->input.first * gather->element_bytes) % 4 == 0;
    const bool dense =
        !is_backward && in_words && (row->size == 1 || (row->output_stride == 1 && row->input_stride == 1));
    return is_preferred(limits) && dense &&
           (runs == 1 || (runs <= VKDML_TRANSFER_MAX_RUNS &&
                          (uint64_t)row->size * gather->element_bytes >= VKDML_TRANSFER_MIN_RUN_BYTES));
}

/* The words that a gather's elements lie in, from its first on. */
static uint64_t span_bytes(const struct vkdml_gather *gather, bool of_input) {
    uint64_t elements = 1;
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *dimension = &gather->dimensions[d];
        elements += (uint64_t)(dimension->size - 1) * (of_input ? dimension->input_stride : dimension->output_stride);
    }
    return (elements * gather->element_bytes + 3) & ~UINT64_C(3);
}

VkdmlResult vkdml_transfer_plan_copy(const struct vkdml_gather *gather, struct vkdml_builder *builder) {
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_note_step(builder->report,
                    "a copy command: the elements of both lie side by side, and the device copies so faster");
    const uint64_t bytes = gather->element_bytes;
    step->kind = VKDML_PLAN_COPY;
    step->copy.rank = gather->count - 1;
    step->copy.run_bytes = bytes * gather->dimensions[gather->count - 1].size;
    for (uint32_t d = 0; d < step->copy.rank; ++d) {
        step->copy.sizes[d] = gather->dimensions[d].size;
        step->copy.source_strides[d] = bytes * gather->dimensions[d].input_stride;
        step->copy.target_strides[d] = bytes * gather->dimensions[d].output_stride;
    }
    step->buffer_count = 2;
    step->buffers[0] = vkdml_origin_buffer(&gather->input, bytes * gather->input.first, span_bytes(gather, true));
    step->buffers[1] = vkdml_origin_buffer(&gather->output, bytes * gather->output.first, span_bytes(gather, false));
    return VKDML_SUCCESS;
}

/* Whether the elements of a tensor lie side by side, in any order of its dimensions. */
static bool is_one_run(const struct vkdml_view *tensor) {
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, tensor, NULL);
    vkdml_gather_collapse(&gather, 0, gather.count);
    return gather.count == 1 && (gather.dimensions[0].size == 1 || gather.dimensions[0].output_stride == 1);
}

static bool repeats_in_words(const uint32_t value[2], uint32_t element_bytes, uint32_t *word) {
    switch (element_bytes) {
    case 1:
        *word = (value[0] & 0xFFu) * 0x01010101u;
        return true;
    case 2:
        *word = (value[0] & 0xFFFFu) * 0x00010001u;
        return true;
    case 4:
        *word = value[0];
        return true;
    default:
        *word = value[0];
        return value[0] == value[1];
    }
}

bool vkdml_transfer_suits_fill(const struct vkdml_view *output, const uint32_t value[2],
                               const struct vkdml_plan_limits *limits, uint32_t *word) {
    const uint32_t element_bytes = vkdml_data_type_size(output->at.type);
    uint64_t bytes = element_bytes;
    for (uint32_t d = 0; d < output->rank; ++d) {
        bytes *= output->sizes[d]; /* below 2^32 elements */
    }
    return is_preferred(limits) && bytes % 4 == 0 && output->at.first * element_bytes % 4 == 0 &&
           repeats_in_words(value, element_bytes, word) && is_one_run(output);
}

VkdmlResult vkdml_transfer_plan_fill(const struct vkdml_view *output, uint32_t word, struct vkdml_builder *builder) {
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result == VKDML_SUCCESS) {
        vkdml_note_step(builder->report, "a fill command: one word over and over, and the device fills so faster");
        step->kind = VKDML_PLAN_FILL;
        step->fill_word = word;
        step->buffer_count = 1;
        const uint64_t start = output->at.first * vkdml_data_type_size(output->at.type);
        step->buffers[0] = vkdml_origin_buffer(&output->at, start, vkdml_view_span(output) - start);
    }
    return result;
}
