#include "operators/indices.h"

#include <inttypes.h>

#include "tensor/infer.h"

/* Whether tensors have as many dimensions as input 0, which the table asks for. */
bool vkdml_indices_have_one_rank(const struct vkdml_instance *instance) {
    const uint32_t rank = instance->inputs[0].dimension_count;
    return instance->inputs[1].dimension_count == rank && instance->outputs[0].dimension_count == rank;
}

bool vkdml_indices_check_axis(const struct vkdml_instance *instance, uint32_t axis, struct vkdml_report *report) {
    const uint32_t rank = instance->inputs[0].dimension_count;
    if (axis >= rank) {
        vkdml_report_invalid(report, "Axis is %" PRIu32 ", must be below %" PRIu32 " = %s.DimensionCount", axis, rank,
                             vkdml_input_name(instance, 0));
    }
    return axis < rank;
}

/* A tensor's sizes must be input 0's, but along Axis. */
void vkdml_indices_check_sizes(const struct vkdml_instance *instance, uint32_t input, uint32_t axis,
                               struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    const struct vkdml_tensor *data = &instance->inputs[0];
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        if (d != axis && tensor->sizes[d] != data->sizes[d]) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32
                                 "]: only along Axis (%" PRIu32 ") may they differ",
                                 vkdml_input_name(instance, input), d, tensor->sizes[d], data->sizes[d],
                                 vkdml_input_name(instance, 0), d, axis);
        }
    }
}

/* A tensor's sizes must be those of another, but 1 along Axis. */
void vkdml_indices_check_sequences(const struct vkdml_tensor *tensor, const char *name, struct vkdml_tensor *other,
                                   const char *other_name, uint32_t axis, struct vkdml_report *report) {
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        if (d == axis && tensor->sizes[d] != 1) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1 along Axis (%" PRIu32 ")",
                                 name, d, tensor->sizes[d], axis);
        } else if (d != axis && !vkdml_size_is(other, d, tensor->sizes[d])) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 name, d, tensor->sizes[d], other->sizes[d], other_name, d);
        }
    }
}

/* Begins an index of one input by another onto the output. */
void vkdml_indices_begin(const struct vkdml_instance *instance, uint32_t input, uint32_t indices,
                         struct vkdml_index *index) {
    const struct vkdml_view views[] = {vkdml_output_view(instance, 0), vkdml_input_view(instance, input),
                                       vkdml_input_view(instance, indices)};
    vkdml_index_begin(index, &views[0], &views[1], &views[2]);
}

void vkdml_indices_add_column(struct vkdml_index *index, const struct vkdml_tensor *tensor, uint32_t d) {
    index->columns[index->column_count++] = (struct vkdml_index_column){tensor->sizes[d], tensor->strides[d]};
}

/* Strides of a tensor with an index for each sequence along Axis, and the coordinate along it. */
void vkdml_indices_set_sequences(struct vkdml_index *index, const struct vkdml_tensor *indices, uint32_t axis) {
    for (uint32_t d = 0; d < index->rank; ++d) {
        index->dimensions[d].strides[VKDML_INDEX_OF_INDICES] = d == axis ? 0 : indices->strides[d];
        index->dimensions[d].strides[VKDML_INDEX_OF_REST] = d == axis;
    }
}

void vkdml_indices_add_outer_column(struct vkdml_index *index, uint32_t size, uint32_t stride) {
    struct vkdml_index_column *inner = &index->columns[0];
    if (size == 1 && index->column_count > 0) {
        return;
    }
    if (index->column_count > 0 && (inner->size == 1 || stride == (uint64_t)inner->stride * inner->size)) {
        inner->stride = inner->size == 1 ? stride : inner->stride;
        inner->size *= size;
        return;
    }
    for (uint32_t k = index->column_count++; k > 0; --k) {
        index->columns[k] = index->columns[k - 1];
    }
    index->columns[0] = (struct vkdml_index_column){size, stride};
}
