#include "frames/transfer.h"

#include <string.h>

#include "frames/plan_step.h"

_Static_assert(VKDML_MAX_DIMENSIONS - 1 <= VKDML_PLAN_MAX_COPY_RANK, "a copy has as many outer dimensions as a gather");

static bool is_preferred(const struct vkdml_plan_limits *limits) {
    return limits->transfer_allowed && limits->transfer_is_faster;
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
        (gather->output_first * gather->element_bytes | gather->input_first * gather->element_bytes) % 4 == 0;
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

VkdmlResult vkdml_transfer_plan_copy(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                                     const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                     struct vkdml_plan *plan, struct vkdml_plan_steps *steps) {
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_plan_add(plan, steps, limits, report, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
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
    step->buffers[0] =
        (struct vkdml_plan_buffer){use->input, use->input_index, bytes * gather->input_first, span_bytes(gather, true)};
    step->buffers[1] = (struct vkdml_plan_buffer){
        use->output, use->output_index, use->output_offset + bytes * gather->output_first, span_bytes(gather, false)};
    return VKDML_SUCCESS;
}

/* Of a gather of more dimensions than kernels take the smallest, but for the row. */
static uint32_t smallest_dimension(const struct vkdml_gather *gather) {
    uint32_t found = 0;
    for (uint32_t d = 1; d + 1 < gather->count; ++d) {
        found = gather->dimensions[d].size < gather->dimensions[found].size ? d : found;
    }
    return found;
}

/* A part for each coordinate of that dimension. */
static VkdmlResult plan_parts(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                              const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                              struct vkdml_plan *plan) {
    const uint32_t along = smallest_dimension(gather);
    const struct vkdml_gather_dimension dimension = gather->dimensions[along];
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t c = 0; result == VKDML_SUCCESS && c < dimension.size; ++c) {
        struct vkdml_gather part = *gather;
        const uint64_t distance = (uint64_t)c * dimension.input_stride;
        part.output_first += (uint64_t)c * dimension.output_stride;
        part.input_first = dimension.is_backward ? part.input_first - distance : part.input_first + distance;
        --part.count;
        memmove(part.dimensions + along, part.dimensions + along + 1, (part.count - along) * sizeof(*part.dimensions));
        result = vkdml_transfer_plan_elements(&part, use, limits, report, plan);
    }
    return result;
}

/* What GPUs hold of an input that several parts of the output repeat: less than an eighth of an H200's L2 cache. */
#define REPEATED_BYTES (UINT64_C(4) << 20)

/* The least divisor of `size` that leaves at most `most`, or 1 where it is a large one. */
static uint32_t blocks_of(uint32_t size, uint64_t most) {
    const uint64_t least = (size + most - 1) / most;
    for (uint64_t blocks = least; blocks <= 4 * least && blocks <= size; ++blocks) {
        if (size % blocks == 0) {
            return (uint32_t)blocks;
        }
    }
    return 1;
}

/* Where all of a large input is repeated, walks through all repetitions of a block of it before the next block: the
 * copies of a matrix of 128 MiB below one another reach 0.75 of the copy peak on an H200 without, in which it is read
 * twice. */
static void bring_repetitions_together(struct vkdml_gather *gather) {
    uint64_t bytes = gather->element_bytes;
    for (uint32_t d = gather->count; d-- > 0 && gather->count < VKDML_MAX_DIMENSIONS;) {
        const struct vkdml_gather_dimension repeated = gather->dimensions[d];
        if (repeated.input_stride != 0) {
            bytes *= repeated.size;
            continue;
        }
        if (d + 1 >= gather->count || bytes <= 2 * REPEATED_BYTES) {
            continue;
        }
        struct vkdml_gather_dimension inner = gather->dimensions[d + 1];
        const uint64_t step = bytes / inner.size;
        const uint32_t blocks = step >= REPEATED_BYTES ? 1 : blocks_of(inner.size, REPEATED_BYTES / step);
        const uint64_t output_stride = (uint64_t)inner.output_stride * (inner.size / blocks);
        const uint64_t input_stride = (uint64_t)inner.input_stride * (inner.size / blocks);
        if (blocks == 1 || output_stride > UINT32_MAX || input_stride > UINT32_MAX) {
            continue;
        }
        struct vkdml_gather_dimension outer = inner;
        outer.size = outer.input_size = blocks;
        outer.output_stride = (uint32_t)output_stride;
        outer.input_stride = (uint32_t)input_stride;
        inner.size = inner.input_size = inner.size / blocks;
        memmove(gather->dimensions + d + 3, gather->dimensions + d + 2,
                (gather->count - d - 2) * sizeof(*gather->dimensions));
        gather->dimensions[d] = outer;
        gather->dimensions[d + 1] = repeated;
        gather->dimensions[d + 2] = inner;
        ++gather->count;
        return;
    }
}

/* Longer rows have few ends. */
#define SEAMED_ROW_BYTES 1024

/* Whether short rows that lie side by side in the output, and apart in the input, end within 16 bytes: padding's kernel
 * shares what is around their ends out, without any padding. */
static bool has_seams(const struct vkdml_gather *gather) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    return gather->count > 1 && row->output_stride == 1 && row->input_stride == 1 && !row->is_backward &&
           row->size % (16 / gather->element_bytes) != 0 &&
           (uint64_t)row->size * gather->element_bytes <= SEAMED_ROW_BYTES &&
           gather->dimensions[gather->count - 2].output_stride == row->size;
}

VkdmlResult vkdml_transfer_plan_elements(struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                                         const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                         struct vkdml_plan *plan) {
    vkdml_gather_collapse(gather, 0, gather->count);
    if (gather->count > VKDML_MAX_DIMENSIONS) {
        return plan_parts(gather, use, limits, report, plan);
    }
    if (vkdml_transfer_suits_copy(gather, limits)) {
        return vkdml_transfer_plan_copy(gather, use, limits, report, plan, &plan->steps);
    }
    vkdml_gather_widen(gather);
    struct vkdml_gather_use seamed = *use;
    seamed.has_seams = false;
    if (limits->variant != VKDML_KERNEL_VARIANT_SERIAL) {
        bring_repetitions_together(gather);
        seamed.has_seams = use->has_seams && has_seams(gather);
        if (seamed.has_seams) {
            seamed.kernel = VKDML_KERNEL_PADDING;
            seamed.specialization_count = 2;
            seamed.specializations[0] = DML_PADDING_MODE_CONSTANT;
        }
    }
    return vkdml_gather_plan(gather, &seamed, limits, report, plan, &plan->steps);
}

VkdmlResult vkdml_transfer_plan_identity(const struct vkdml_tensor *output, const struct vkdml_tensor *input,
                                         const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                         struct vkdml_plan *plan) {
    const struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_COPY,
        .runs_kernel = VKDML_KERNEL_COPY_RUNS,
        .has_input = true,
        .input = VKDML_PLAN_INPUT,
        .output = VKDML_PLAN_OUTPUT,
    };
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, output, input);
    return vkdml_transfer_plan_elements(&gather, &use, limits, report, plan);
}

/* Whether the elements of a tensor lie side by side, in any order of its dimensions. */
static bool is_one_run(const struct vkdml_tensor *tensor) {
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

bool vkdml_transfer_suits_fill(const struct vkdml_tensor *output, const uint32_t value[2],
                               const struct vkdml_plan_limits *limits, uint32_t *word) {
    uint64_t bytes = output->element_size;
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        bytes *= output->sizes[d]; /* below 2^32 elements */
    }
    return is_preferred(limits) && bytes % 4 == 0 && repeats_in_words(value, output->element_size, word) &&
           is_one_run(output);
}

VkdmlResult vkdml_transfer_plan_fill(const struct vkdml_tensor *output, uint32_t word,
                                     const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                     struct vkdml_plan *plan) {
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_plan_add(plan, &plan->steps, limits, report, &step);
    if (result == VKDML_SUCCESS) {
        step->kind = VKDML_PLAN_FILL;
        step->fill_word = word;
        step->buffer_count = 1;
        step->buffers[0] = (struct vkdml_plan_buffer){VKDML_PLAN_OUTPUT, 0, 0, vkdml_tensor_span(output)};
    }
    return result;
}
