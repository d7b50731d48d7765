/* GATHER and GATHER_ELEMENTS: elements of a tensor where another says. */
#include <inttypes.h>

#include "operators/gathered.h"
#include "operators/indices.h"
#include "operators/operators.h"

/* ---- GATHER ---- */

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
    struct vkdml_gathered layout = {.count = 0};
    for (uint32_t d = 0; d < desc->Axis; ++d) {
        vkdml_gathered_add(&layout, instance, VKDML_GATHERED_INPUT, d);
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
    const char *indices_name = vkdml_input_name(instance, 1);
    const bool axis_is_good = vkdml_indices_check_axis(instance, desc->Axis, report);
    if (desc->IndexDimensions > indices->dimension_count) {
        vkdml_report_invalid(report, "IndexDimensions is %" PRIu32 ", must be at most %" PRIu32 " = %s.DimensionCount",
                             desc->IndexDimensions, indices->dimension_count, indices_name);
        return;
    }
    vkdml_gathered_check_ignored(indices, indices_name, "IndexDimensions", desc->IndexDimensions, report);
    if (axis_is_good && vkdml_indices_have_one_rank(instance)) {
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
