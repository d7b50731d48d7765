/* GATHER and GATHER_ELEMENTS: elements of a tensor where another says. */
#include <inttypes.h>

#include "operators/gathered.h"
#include "operators/indices.h"
#include "operators/operators.h"

/* ---- GATHER ---- */

/* The indices' dimensions before the last IndexDimensions, without leading ones, are batches. They correspond to the
 * input's first dimensions, without leading ones, all before Axis. */
struct batches {
    uint32_t count;
    uint32_t first_input;
    uint32_t first_index;
};

static struct batches batches_of(const struct vkdml_instance *instance) {
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *indices = &instance->inputs[1];
    const uint32_t end = indices->dimension_count - desc->IndexDimensions;
    struct batches batches = {.count = 0};
    while (batches.first_index < end && indices->sizes[batches.first_index] == 1) {
        ++batches.first_index;
    }
    while (batches.first_input < desc->Axis && input->sizes[batches.first_input] == 1) {
        ++batches.first_input;
    }
    batches.count = end - batches.first_index;
    return batches;
}

static void check_batches(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *indices = &instance->inputs[1];
    const char *input_name = vkdml_input_name(instance, 0), *indices_name = vkdml_input_name(instance, 1);
    const struct batches batches = batches_of(instance);
    const uint32_t most = desc->Axis - batches.first_input;
    if (batches.count > most) {
        vkdml_report_invalid(report,
                             "%s has %" PRIu32 " batch dimensions before its last IndexDimensions (%" PRIu32
                             "), must have at most %" PRIu32 ", the number of dimensions of %s before Axis (%" PRIu32
                             ")",
                             indices_name, batches.count, desc->IndexDimensions, most, input_name, desc->Axis);
        return;
    }
    for (uint32_t n = 0; n < batches.count; ++n) {
        const uint32_t d = batches.first_input + n, i = batches.first_index + n;
        if (indices->sizes[i] != input->sizes[d]) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32
                                 "]: batches are in both",
                                 indices_name, i, indices->sizes[i], input->sizes[d], input_name, d);
        }
    }
}

/* Removes a source of size 1. */
static void remove_source(struct vkdml_gathered *layout, uint32_t n) {
    for (--layout->count; n < layout->count; ++n) {
        layout->sources[n] = layout->sources[n + 1];
    }
}

/* The indices' dimensions in place of Axis. Where these are more than the tensors have, ones go: leading ones of the
 * input first, then the indices' leading ones. */
static struct vkdml_gathered gather_layout(const struct vkdml_instance *instance) {
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    const uint32_t rank = instance->inputs[0].dimension_count;
    const struct batches batches = batches_of(instance);
    struct vkdml_gathered layout = {.count = 0};
    for (uint32_t d = 0; d < desc->Axis; ++d) {
        vkdml_gathered_add(&layout, instance, VKDML_GATHERED_INPUT, d);
    }
    for (uint32_t n = 0; n < batches.count && batches.first_input + n < desc->Axis; ++n) {
        layout.sources[batches.first_input + n].index_stride = instance->inputs[1].strides[batches.first_index + n];
    }
    for (uint32_t d = rank - desc->IndexDimensions; d < rank; ++d) {
        vkdml_gathered_add(&layout, instance, VKDML_GATHERED_INDICES, d);
    }
    for (uint32_t d = desc->Axis + 1; d < rank; ++d) {
        vkdml_gathered_add(&layout, instance, VKDML_GATHERED_INPUT, d);
    }
    uint32_t before = desc->Axis;
    while (layout.count > rank && before > 0 && layout.sources[0].size == 1) {
        remove_source(&layout, 0);
        --before;
    }
    uint32_t inserted = desc->IndexDimensions;
    while (layout.count > rank && inserted > 1 && layout.sources[before].size == 1) {
        remove_source(&layout, before);
        --inserted;
    }
    return layout;
}

static void check_gather(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const bool axis_is_good = vkdml_indices_check_axis(instance, desc->Axis, report);
    if (desc->IndexDimensions > indices->dimension_count) {
        vkdml_report_invalid(report, "IndexDimensions is %" PRIu32 ", must be at most %" PRIu32 " = %s.DimensionCount",
                             desc->IndexDimensions, indices->dimension_count, vkdml_input_name(instance, 1));
        return;
    }
    if (axis_is_good && vkdml_indices_have_one_rank(instance)) {
        check_batches(instance, report);
        const struct vkdml_gathered layout = gather_layout(instance);
        vkdml_gathered_check(instance, &layout, &instance->outputs[0], vkdml_output_name(instance, 0), report);
    }
}

static VkdmlResult plan_gather(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    (void)op;
    struct vkdml_index index;
    const struct vkdml_gathered layout = gather_layout(instance);
    vkdml_indices_begin(instance, 0, 1, &index);
    vkdml_gathered_set(&layout, &index);
    vkdml_indices_add_column(&index, &instance->inputs[0], desc->Axis);
    return vkdml_index_plan(&index, planning->builder);
}

const struct vkdml_operator vkdml_operator_gather = {.rules = check_gather, .plan = plan_gather};

/* ---- GATHER_ELEMENTS ---- */

static void check_gather_elements(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_GATHER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    if (vkdml_indices_check_axis(instance, desc->Axis, report) && vkdml_indices_have_one_rank(instance)) {
        vkdml_indices_check_sizes(instance, 1, desc->Axis, report);
    }
}

static VkdmlResult plan_gather_elements(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_GATHER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    (void)op;
    struct vkdml_index index;
    vkdml_indices_begin(instance, 0, 1, &index);
    for (uint32_t d = 0; d < index.rank; ++d) {
        index.dimensions[d].strides[VKDML_INDEX_OF_INPUT] = d == desc->Axis ? 0 : instance->inputs[0].strides[d];
        index.dimensions[d].strides[VKDML_INDEX_OF_INDICES] = instance->inputs[1].strides[d];
    }
    vkdml_indices_add_column(&index, &instance->inputs[0], desc->Axis);
    return vkdml_index_plan(&index, planning->builder);
}

const struct vkdml_operator vkdml_operator_gather_elements = {.rules = check_gather_elements,
                                                              .plan = plan_gather_elements};
