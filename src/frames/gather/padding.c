#include "frames/gather/padding.h"

#include "frames/gather/gather.h"

static uint32_t mirror(uint32_t distance, uint32_t size) {
    const uint32_t rest = distance % size;
    return distance / size % 2 == 0 ? rest : size - 1 - rest;
}

/* Where a coordinate of the rim takes its value from, as glsl/gather/padding.comp decides it. */
static uint32_t rim_source(const struct vkdml_gather_dimension *dimension, uint32_t mode, uint32_t c) {
    const bool before = c < dimension->start;
    const uint32_t distance = before ? dimension->start - c : c - dimension->start; /* from the input's first element */
    const uint32_t size = dimension->input_size;
    switch (mode) {
    case DML_PADDING_MODE_EDGE:
        return before ? 0 : size - 1;
    case DML_PADDING_MODE_REFLECTION: {
        const uint32_t period = size > 1 ? size - 1 : 1;
        const uint32_t rest = distance % period;
        return size == 1 ? 0 : distance / period % 2 == 0 ? rest : size - 1 - rest;
    }
    case DML_PADDING_MODE_SYMMETRIC:
        return mirror(before ? distance - 1 : distance, size);
    case DML_PADDING_MODE_WRAP:
        return before ? size - 1 - (distance - 1) % size : distance % size;
    default:
        return VKDML_GATHER_OUTSIDE;
    }
}

/* Whether some rim is longer than the first mirror image or copy of the input beside it. */
static bool is_far(const struct vkdml_gather *gather, DML_PADDING_MODE mode) {
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *dimension = &gather->dimensions[d];
        const uint32_t end = dimension->size - dimension->start - dimension->input_size;
        const uint32_t rim = end > dimension->start ? end : dimension->start;
        const uint32_t image = mode == DML_PADDING_MODE_REFLECTION ? dimension->input_size - 1 : dimension->input_size;
        if (mode != DML_PADDING_MODE_CONSTANT && mode != DML_PADDING_MODE_EDGE && rim > image) {
            return true;
        }
    }
    return false;
}

/* Of general plans: all outer dimensions may be padded, by any rims. */
#define ANY_PADDED (VKDML_PADDING_FAR | ((1u << (VKDML_MAX_DIMENSIONS - 1)) - 1))

/* The outer dimensions that are padded, and whether a rim is far, as padding.comp is told. */
static uint32_t padded_dimensions(const struct vkdml_gather *gather, DML_PADDING_MODE mode) {
    uint32_t padded = is_far(gather, mode) ? VKDML_PADDING_FAR : 0;
    for (uint32_t d = 0; d + 1 < gather->count; ++d) {
        padded |= vkdml_gather_is_padded(&gather->dimensions[d]) ? 1u << d : 0;
    }
    return padded;
}

/* Makes rows of the padded dimension before them, where rows are not padded and lie side by side in both tensors: what
 * a rim is filled with, or repeats, is whole rows then. */
static void fold_rows(struct vkdml_gather *gather, DML_PADDING_MODE mode) {
    if (gather->count < 2 || (mode != DML_PADDING_MODE_CONSTANT && mode != DML_PADDING_MODE_WRAP)) {
        return;
    }
    const struct vkdml_gather_dimension row = gather->dimensions[gather->count - 1];
    struct vkdml_gather_dimension *outer = &gather->dimensions[gather->count - 2];
    if (!vkdml_gather_is_padded(&row) && row.output_stride == 1 && row.input_stride == 1 &&
        outer->output_stride == row.size && outer->input_stride == row.size) {
        outer->size *= row.size; /* all at most the elements, which fit 32 bits */
        outer->input_size *= row.size;
        outer->start *= row.size;
        outer->period *= row.size;
        outer->output_stride = 1;
        outer->input_stride = 1;
        --gather->count;
    }
}

VkdmlResult vkdml_padding_plan(const struct vkdml_padding *padding, const struct vkdml_view *output,
                               const struct vkdml_view *input, struct vkdml_builder *builder) {
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, output, input);
    for (uint32_t d = 0; d < gather.count; ++d) {
        gather.dimensions[d].input_size = input->sizes[d];
        gather.dimensions[d].start = padding->start[d];
        const uint32_t turns = padding->mode == DML_PADDING_MODE_REFLECTION && input->sizes[d] > 1;
        gather.dimensions[d].period = input->sizes[d] - turns;
    }
    gather.source = rim_source;
    gather.source_mode = padding->mode;
    vkdml_gather_collapse(&gather, 0, gather.count);
    if (builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL && !builder->limits->general) { /* whose kernel goes through rows from end to end */
        fold_rows(&gather, padding->mode);
    }

    const bool is_general = builder->limits->general;
    if (is_general) {
        vkdml_gather_make_general(&gather);
    }
    const uint32_t padded = is_general ? ANY_PADDED : padded_dimensions(&gather, padding->mode);
    const bool in_runs = (padded & VKDML_PADDING_FAR) == 0 && gather.dimensions[gather.count - 1].input_stride == 1;
    const struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_PADDING,
        .runs_kernel = in_runs ? VKDML_KERNEL_PADDING_RUNS : VKDML_KERNEL_COPY /* none */,
        .constants = {{VKDML_GATHER_CONSTANT_MODE, padding->mode}, {VKDML_GATHER_CONSTANT_PADDED, padded}},
        .constant_count = 2,
        .arguments = {padding->value[0], padding->value[1]},
        .has_seams = true,
        .reads_rims = padding->mode != DML_PADDING_MODE_CONSTANT,
    };
    return vkdml_gather_plan(&gather, &use, builder);
}
