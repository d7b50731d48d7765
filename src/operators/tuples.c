#include "operators/tuples.h"

#include <inttypes.h>

#include "operators/indices.h"

/* The first dimension of a tensor that counts. */
uint32_t vkdml_tuples_first(const struct vkdml_tensor *tensor, uint32_t dimensions) {
    return tensor->dimension_count - dimensions;
}

uint32_t vkdml_tuples_size(const struct vkdml_instance *instance) {
    const struct vkdml_tensor *indices = &instance->inputs[1];
    return indices->sizes[indices->dimension_count - 1];
}

/* The batches, the indices without their last dimension, the input's dimensions that a tuple leaves over. */
struct vkdml_gathered vkdml_tuples_gathered(const struct vkdml_instance *instance, const struct vkdml_tuples *nd) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const uint32_t first_input = vkdml_tuples_first(input, nd->input_dimensions);
    const uint32_t first_index = vkdml_tuples_first(indices, nd->indices_dimensions);
    struct vkdml_gathered layout = {.count = 0};
    for (uint32_t d = 0; d + 1 < nd->indices_dimensions; ++d) {
        vkdml_gathered_add(&layout, instance, VKDML_GATHERED_INDICES, first_index + d);
        if (d < nd->batch_dimensions) {
            layout.sources[d].input_stride = input->strides[first_input + d];
        }
    }
    for (uint32_t d = nd->batch_dimensions + vkdml_tuples_size(instance); d < nd->input_dimensions; ++d) {
        vkdml_gathered_add(&layout, instance, VKDML_GATHERED_INPUT, first_input + d);
    }
    return layout;
}

static bool check_dimension_count(const char *name, uint32_t count, const struct vkdml_tensor *tensor,
                                  const char *tensor_name, struct vkdml_report *report) {
    const bool is_good = count >= 1 && count <= tensor->dimension_count;
    if (!is_good) {
        vkdml_report_invalid(report, "%s is %" PRIu32 ", must be 1 to %" PRIu32 " = %s.DimensionCount", name, count,
                             tensor->dimension_count, tensor_name);
    } else {
        vkdml_gathered_check_ignored(tensor, tensor_name, name, count, report);
    }
    return is_good;
}

static bool check_batches(const struct vkdml_instance *instance, const struct vkdml_tuples *nd,
                          struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const uint32_t least =
        nd->input_dimensions < nd->indices_dimensions ? nd->input_dimensions : nd->indices_dimensions;
    if (nd->batch_dimensions >= least) {
        vkdml_report_invalid(report,
                             "BatchDimensionCount is %" PRIu32 ", must be below %" PRIu32
                             ", the less of InputDimensionCount and IndicesDimensionCount",
                             nd->batch_dimensions, least);
        return false;
    }
    for (uint32_t d = 0; d < nd->batch_dimensions; ++d) {
        const uint32_t i = vkdml_tuples_first(input, nd->input_dimensions) + d;
        const uint32_t j = vkdml_tuples_first(indices, nd->indices_dimensions) + d;
        if (indices->sizes[j] != input->sizes[i]) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32
                                 "]: batches are in both",
                                 vkdml_input_name(instance, 1), j, indices->sizes[j], input->sizes[i],
                                 vkdml_input_name(instance, 0), i);
        }
    }
    return true;
}

/* `blocks` has what tuples name: the output, or the updates. */
void vkdml_tuples_check(const struct vkdml_instance *instance, const struct vkdml_tuples *nd,
                        struct vkdml_tensor *blocks, const char *blocks_name, struct vkdml_report *report) {
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const char *input_name = vkdml_input_name(instance, 0);
    const char *indices_name = vkdml_input_name(instance, 1);
    const bool input_is_good =
        check_dimension_count("InputDimensionCount", nd->input_dimensions, &instance->inputs[0], input_name, report);
    const bool indices_are_good =
        check_dimension_count("IndicesDimensionCount", nd->indices_dimensions, indices, indices_name, report);
    if (!input_is_good || !indices_are_good || !check_batches(instance, nd, report)) {
        return;
    }
    const uint32_t most = nd->input_dimensions - nd->batch_dimensions;
    if (vkdml_tuples_size(instance) > most) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be at most %" PRIu32
                             ": a tuple has no more coordinates than InputDimensionCount%s",
                             indices_name, indices->dimension_count - 1, vkdml_tuples_size(instance), most,
                             nd->has_batches ? " - BatchDimensionCount" : "");
    } else if (!nd->has_one_rank || vkdml_indices_have_one_rank(instance)) {
        const struct vkdml_gathered layout = vkdml_tuples_gathered(instance, nd);
        vkdml_gathered_check(instance, &layout, blocks, blocks_name, report);
    }
}
