/* What reads elements where a tensor of indices says: GATHER. */
#include "frames/index.h"

#include <inttypes.h>

#include "operators/operators.h"

#define INPUT      VKDML_INDEX_OF_INPUT
#define INDICES    VKDML_INDEX_OF_INDICES
#define COORDINATE VKDML_INDEX_OF_COORDINATE

/* Whether tensors have as many dimensions as input 0, which the table asks for. */
static bool has_one_rank(const struct vkdml_instance *instance) {
    const uint32_t rank = instance->inputs[0].dimension_count;
    return instance->inputs[1].dimension_count == rank && instance->outputs[0].dimension_count == rank;
}

static bool check_axis(const struct vkdml_instance *instance, uint32_t axis, struct vkdml_report *report) {
    const uint32_t rank = instance->inputs[0].dimension_count;
    if (axis >= rank) {
        vkdml_report_invalid(report, "Axis is %" PRIu32 ", must be below %" PRIu32 " = %s.DimensionCount", axis, rank,
                             vkdml_input_name(instance, 0));
    }
    return axis < rank;
}

/* The dimensions of a tensor before the last `count` must have one coordinate. */
static void check_ignored(const struct vkdml_tensor *tensor, const char *name, const char *count_name, uint32_t count,
                          struct vkdml_report *report) {
    for (uint32_t d = 0; d + count < tensor->dimension_count; ++d) {
        if (tensor->sizes[d] != 1) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: %s (%" PRIu32 ") leaves it out",
                                 name, d, tensor->sizes[d], count_name, count);
        }
    }
}

/* ---- dimensions of an output ---- */

/* Where a dimension of the output comes from. */
struct source {
    const char *name; /* of the tensor; NULL: none, its size is 1 */
    uint32_t dimension;
    uint32_t size;
    uint32_t input_stride;
    uint32_t index_stride;
};

/* The dimensions of the output, the last `count` of them given, before which there are ones. */
struct layout {
    uint32_t count;
    struct source sources[2 * VKDML_MAX_DIMENSIONS];
};

static void add_input(struct layout *layout, const struct vkdml_instance *instance, uint32_t d) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    layout->sources[layout->count++] = (struct source){.name = vkdml_input_name(instance, 0),
                                                       .dimension = d,
                                                       .size = input->sizes[d],
                                                       .input_stride = input->strides[d]};
}

static void add_indices(struct layout *layout, const struct vkdml_instance *instance, uint32_t d) {
    const struct vkdml_tensor *indices = &instance->inputs[1];
    layout->sources[layout->count++] = (struct source){.name = vkdml_input_name(instance, 1),
                                                       .dimension = d,
                                                       .size = indices->sizes[d],
                                                       .index_stride = indices->strides[d]};
}

/* Removes a source of size 1. */
static void remove_source(struct layout *layout, uint32_t n) {
    for (--layout->count; n < layout->count; ++n) {
        layout->sources[n] = layout->sources[n + 1];
    }
}

static void check_layout(const struct vkdml_instance *instance, const struct layout *layout,
                         struct vkdml_report *report) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    const char *name = vkdml_output_name(instance, 0);
    const uint32_t rank = output->dimension_count;
    if (layout->count > rank) {
        vkdml_report_invalid(
            report, "%s.DimensionCount is %" PRIu32 ", must be at least %" PRIu32 ": so many dimensions %s and %s make",
            name, rank, layout->count, vkdml_input_name(instance, 0), vkdml_input_name(instance, 1));
        return;
    }
    for (uint32_t d = 0; d < rank; ++d) {
        const uint32_t ones = rank - layout->count;
        if (d < ones && output->sizes[d] != 1) {
            vkdml_report_invalid(
                report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: %s and %s make %" PRIu32 " dimensions", name,
                d, output->sizes[d], vkdml_input_name(instance, 0), vkdml_input_name(instance, 1), layout->count);
        } else if (d >= ones && output->sizes[d] != layout->sources[d - ones].size) {
            const struct source *source = &layout->sources[d - ones];
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 name, d, output->sizes[d], source->size, source->name, source->dimension);
        }
    }
}

static void set_layout(const struct layout *layout, struct vkdml_index *index) {
    for (uint32_t n = 0; n < layout->count; ++n) {
        struct vkdml_index_dimension *dimension = &index->dimensions[index->rank - layout->count + n];
        dimension->strides[INPUT] = layout->sources[n].input_stride;
        dimension->strides[INDICES] = layout->sources[n].index_stride;
    }
}

static void add_column(struct vkdml_index *index, const struct vkdml_tensor *tensor, uint32_t d) {
    index->columns[index->column_count++] = (struct vkdml_index_column){tensor->sizes[d], tensor->strides[d]};
}

static VkdmlResult plan_index(const struct vkdml_index *index, const struct vkdml_planning *planning) {
    return vkdml_index_plan(index, planning->limits, planning->report, planning->plan);
}

/* ---- GATHER ---- */

/* The indices' dimensions in place of Axis. Where these are more than the tensors have, ones go: leading ones of the
 * input first, then the indices' leading ones. */
static struct layout gather_layout(const struct vkdml_instance *instance) {
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    const uint32_t rank = instance->inputs[0].dimension_count;
    struct layout layout = {.count = 0};
    for (uint32_t d = 0; d < desc->Axis; ++d) {
        add_input(&layout, instance, d);
    }
    for (uint32_t d = rank - desc->IndexDimensions; d < rank; ++d) {
        add_indices(&layout, instance, d);
    }
    for (uint32_t d = desc->Axis + 1; d < rank; ++d) {
        add_input(&layout, instance, d);
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
    const bool axis_is_good = check_axis(instance, desc->Axis, report);
    if (desc->IndexDimensions > indices->dimension_count) {
        vkdml_report_invalid(report, "IndexDimensions is %" PRIu32 ", must be at most %" PRIu32 " = %s.DimensionCount",
                             desc->IndexDimensions, indices->dimension_count, indices_name);
        return;
    }
    check_ignored(indices, indices_name, "IndexDimensions", desc->IndexDimensions, report);
    if (axis_is_good && has_one_rank(instance)) {
        const struct layout layout = gather_layout(instance);
        check_layout(instance, &layout, report);
    }
}

static VkdmlResult plan_gather(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    (void)op;
    struct vkdml_index index;
    const struct layout layout = gather_layout(instance);
    vkdml_index_begin(&index, &instance->outputs[0], &instance->inputs[1]);
    set_layout(&layout, &index);
    add_column(&index, &instance->inputs[0], desc->Axis);
    return plan_index(&index, planning);
}

const struct vkdml_operator vkdml_operator_gather = {.rules = check_gather, .plan = plan_gather};
