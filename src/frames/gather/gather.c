#include "frames/gather/gather.h"

#include <string.h>

void vkdml_gather_begin(struct vkdml_gather *gather, const struct vkdml_view *output, const struct vkdml_view *input) {
    memset(gather, 0, sizeof(*gather));
    gather->element_bytes = vkdml_data_type_size(output->at.type);
    gather->output = output->at;
    gather->input = input != NULL ? input->at : (struct vkdml_origin){.type = DML_TENSOR_DATA_TYPE_UNKNOWN};
}

void vkdml_gather_init(struct vkdml_gather *gather, const struct vkdml_view *output, const struct vkdml_view *input) {
    vkdml_gather_begin(gather, output, input);
    gather->count = output->rank;
    for (uint32_t d = 0; d < gather->count; ++d) {
        gather->dimensions[d] = (struct vkdml_gather_dimension){
            .size = output->sizes[d],
            .output_stride = output->strides[d],
            .input_stride = input != NULL ? input->strides[d] : 0,
            .input_size = output->sizes[d],
        };
    }
}

bool vkdml_gather_has_input(const struct vkdml_gather *gather) {
    return gather->input.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

bool vkdml_gather_is_padded(const struct vkdml_gather_dimension *dimension) {
    return dimension->input_size != dimension->size;
}

/* Whether `outer` walks over whole runs of `inner`, in both tensors. */
static bool is_one_run(const struct vkdml_gather_dimension *outer, const struct vkdml_gather_dimension *inner) {
    return !vkdml_gather_is_padded(outer) && !vkdml_gather_is_padded(inner) && outer->role == 0 && inner->role == 0 &&
           outer->is_backward == inner->is_backward &&
           outer->output_stride == (uint64_t)inner->output_stride * inner->size &&
           outer->input_stride == (uint64_t)inner->input_stride * inner->size;
}

static uint32_t drop_ones(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (dimensions[d].size != 1) {
            dimensions[kept++] = dimensions[d];
        }
    }
    return kept;
}

static void sort_by_output_stride(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        struct vkdml_gather_dimension moved = dimensions[i];
        uint32_t place = i;
        for (; place > 0 && dimensions[place - 1].output_stride < moved.output_stride; --place) {
            dimensions[place] = dimensions[place - 1];
        }
        dimensions[place] = moved;
    }
}

static uint32_t merge_runs(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (kept > 0 && is_one_run(&dimensions[kept - 1], &dimensions[d])) {
            struct vkdml_gather_dimension merged = dimensions[d];
            merged.size *= dimensions[kept - 1].size; /* at most all elements, which fit 32 bits */
            merged.input_size = merged.size;
            dimensions[kept - 1] = merged;
        } else {
            dimensions[kept++] = dimensions[d];
        }
    }
    return kept;
}

void vkdml_gather_collapse(struct vkdml_gather *gather, uint32_t first, uint32_t count) {
    struct vkdml_gather_dimension *dimensions = gather->dimensions + first;
    uint32_t after = gather->count - first - count;
    uint32_t kept = drop_ones(dimensions, count);
    sort_by_output_stride(dimensions, kept);
    kept = merge_runs(dimensions, kept);
    memmove(dimensions + kept, dimensions + count, after * sizeof(*dimensions));
    gather->count = first + kept + after;
    if (gather->count == 0) {
        gather->dimensions[0] =
            (struct vkdml_gather_dimension){.size = 1, .output_stride = 1, .input_stride = 1, .input_size = 1};
        gather->count = 1;
    }
}

void vkdml_gather_make_general(struct vkdml_gather *gather) {
    static const struct vkdml_gather_dimension one = {
        .size = 1, .output_stride = 1, .input_stride = 1, .input_size = 1, .period = 1};
    if (gather->count < VKDML_MAX_DIMENSIONS && gather->dimensions[gather->count - 1].output_stride != 1) {
        gather->dimensions[gather->count++] = one;
    }
    const uint32_t more = gather->count < VKDML_MAX_DIMENSIONS ? VKDML_MAX_DIMENSIONS - gather->count : 0;
    memmove(gather->dimensions + more, gather->dimensions, gather->count * sizeof(*gather->dimensions));
    for (uint32_t d = 0; d < more; ++d) {
        gather->dimensions[d] = one;
    }
    gather->count += more;
}

/* Whether elements twice as wide lie side by side: the row is dense and even, and every row starts at an even element.
 */
static bool can_double(const struct vkdml_gather *gather) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    if (gather->element_bytes >= 4 || row->output_stride != 1 || row->input_stride != 1 || row->size % 2 != 0 ||
        row->role != 0 || row->is_backward || gather->output.first % 2 != 0 || gather->input.first % 2 != 0) {
        return false;
    }
    for (uint32_t d = 0; d + 1 < gather->count; ++d) {
        if (gather->dimensions[d].output_stride % 2 != 0 || gather->dimensions[d].input_stride % 2 != 0) {
            return false;
        }
    }
    return true;
}

void vkdml_gather_widen(struct vkdml_gather *gather) {
    while (can_double(gather)) {
        gather->element_bytes *= 2;
        gather->output.first /= 2;
        gather->input.first /= 2;
        for (uint32_t d = 0; d + 1 < gather->count; ++d) {
            gather->dimensions[d].output_stride /= 2;
            gather->dimensions[d].input_stride /= 2;
        }
        gather->dimensions[gather->count - 1].size /= 2;
        gather->dimensions[gather->count - 1].input_size /= 2;
    }
}
