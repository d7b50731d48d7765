#include "frames/gather/copy.h"

#include <string.h>

#include "base/notes.h"
#include "frames/gather/gather_elements.h"
#include "frames/gather/transfer.h"

/* Of a gather of more dimensions than kernels take the smallest, but for the row. */
static uint32_t smallest_dimension(const struct vkdml_gather *gather) {
    uint32_t found = 0;
    for (uint32_t d = 1; d + 1 < gather->count; ++d) {
        found = gather->dimensions[d].size < gather->dimensions[found].size ? d : found;
    }
    return found;
}

/* A part for each coordinate of that dimension. */
static VkdmlResult plan_parts(const struct vkdml_gather *gather, bool shares_seams, struct vkdml_builder *builder) {
    const uint32_t along = smallest_dimension(gather);
    const struct vkdml_gather_dimension dimension = gather->dimensions[along];
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t c = 0; result == VKDML_SUCCESS && c < dimension.size; ++c) {
        struct vkdml_gather part = *gather;
        const uint64_t distance = (uint64_t)c * dimension.input_stride;
        part.output.first += (uint64_t)c * dimension.output_stride;
        part.input.first = dimension.is_backward ? part.input.first - distance : part.input.first + distance;
        --part.count;
        memmove(part.dimensions + along, part.dimensions + along + 1, (part.count - along) * sizeof(*part.dimensions));
        result = vkdml_copy_plan(&part, shares_seams, builder);
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
 * copies of a matrix of 128 MiB below one another reach 0.89 of the copy peak on an H200, and 0.75 without, in which
 * it is read twice. */
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

VkdmlResult vkdml_copy_plan(struct vkdml_gather *gather, bool shares_seams, struct vkdml_builder *builder) {
    vkdml_gather_collapse(gather, 0, gather->count);
    if (gather->count > VKDML_MAX_DIMENSIONS) {
        vkdml_note(builder->report, "copy: more than %d dimensions, so a copy for each coordinate of the smallest",
                   VKDML_MAX_DIMENSIONS);
        return plan_parts(gather, shares_seams, builder);
    }
    if (vkdml_transfer_suits_copy(gather, builder->limits)) {
        return vkdml_transfer_plan_copy(gather, builder);
    }
    if (builder->limits->general) {
        static const struct vkdml_gather_use general = {.kernel = VKDML_KERNEL_COPY};
        vkdml_gather_make_general(gather);
        return vkdml_gather_plan(gather, &general, builder);
    }
    const uint32_t element_bytes = gather->element_bytes;
    vkdml_gather_widen(gather);
    if (gather->element_bytes != element_bytes) {
        vkdml_note(builder->report, "copy: elements of %u bytes widened to %u", (unsigned)element_bytes,
                   (unsigned)gather->element_bytes);
    }
    struct vkdml_gather_use use = {.kernel = VKDML_KERNEL_COPY, .runs_kernel = VKDML_KERNEL_COPY_RUNS};
    if (builder->limits->variant != VKDML_KERNEL_VARIANT_SERIAL) {
        bring_repetitions_together(gather);
        use.has_seams = shares_seams && has_seams(gather);
        if (use.has_seams) {
            use.kernel = VKDML_KERNEL_PADDING;
            use.constants[0] = (struct vkdml_gather_constant){VKDML_GATHER_CONSTANT_MODE, DML_PADDING_MODE_CONSTANT};
            use.constants[1] = (struct vkdml_gather_constant){VKDML_GATHER_CONSTANT_PADDED, 0};
            use.constant_count = 2;
        }
    }
    return vkdml_gather_plan(gather, &use, builder);
}

VkdmlResult vkdml_copy_plan_identity(const struct vkdml_view *output, const struct vkdml_view *input,
                                     struct vkdml_builder *builder) {
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, output, input);
    return vkdml_copy_plan(&gather, false, builder);
}

VkdmlResult vkdml_copy_plan_words(const struct vkdml_origin *output, const struct vkdml_origin *input, uint32_t words,
                                  struct vkdml_builder *builder) {
    struct vkdml_gather gather = {
        .element_bytes = 4,
        .output = *output,
        .input = *input,
        .count = 1,
        .dimensions = {{.size = words, .output_stride = 1, .input_stride = 1, .input_size = words}},
    };
    return vkdml_copy_plan(&gather, false, builder);
}

VkdmlResult vkdml_copy_add_spare(DML_TENSOR_DATA_TYPE type, struct vkdml_builder *builder) {
    if (!vkdml_builder_wants_spares(builder)) {
        return VKDML_SUCCESS;
    }
    struct vkdml_plan_step spare = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
    vkdml_gather_set_general_copy(vkdml_data_type_size(type), builder->limits, &spare);
    return vkdml_builder_add_spare(builder, &spare);
}

bool vkdml_copy_add(struct vkdml_gather *gather, uint32_t size, uint64_t output_stride, uint64_t input_stride) {
    if (size == 1) {
        return true; /* its strides lead nowhere */
    }
    gather->dimensions[gather->count++] = (struct vkdml_gather_dimension){
        .size = size,
        .output_stride = (uint32_t)output_stride,
        .input_stride = (uint32_t)input_stride,
        .input_size = size,
    };
    return output_stride <= UINT32_MAX && input_stride <= UINT32_MAX;
}

VkdmlResult vkdml_copy_pack(struct vkdml_gather *gather, struct vkdml_origin *tensor, struct vkdml_builder *builder) {
    uint32_t stride = 1; /* at most 2^32-1 elements */
    for (uint32_t d = gather->count; d-- > 0;) {
        gather->dimensions[d].output_stride = stride;
        stride *= gather->dimensions[d].size;
    }
    gather->element_bytes = vkdml_data_type_size(tensor->type);
    gather->input = *tensor;
    gather->output = vkdml_builder_region(builder, "what lies too far apart", (uint64_t)stride * gather->element_bytes,
                                          tensor->type);
    *tensor = gather->output;
    struct vkdml_gather copied = *gather;
    return vkdml_copy_plan(&copied, false, builder);
}
