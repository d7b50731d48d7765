/* What reads elements where a tensor of indices says: GATHER, GATHER_ELEMENTS, GATHER_ND, GATHER_ND1,
 * REVERSE_SUBSEQUENCES and ONE_HOT; and what writes them there: SCATTER_ELEMENTS and SCATTER_ND. */
#include "frames/index/index.h"

#include <inttypes.h>

#include "operators/fill_value.h"
#include "operators/operators.h"

#define INPUT   VKDML_INDEX_OF_INPUT
#define INDICES VKDML_INDEX_OF_INDICES
#define REST    VKDML_INDEX_OF_REST

#define OUTPUT VKDML_INDEX_OF_OUTPUT

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
                         const struct vkdml_tensor *output, const char *name, struct vkdml_report *report) {
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
        struct vkdml_dimension *dimension = &index->dimensions[index->rank - layout->count + n];
        dimension->strides[INPUT] = layout->sources[n].input_stride;
        dimension->strides[INDICES] = layout->sources[n].index_stride;
    }
}

static void add_column(struct vkdml_index *index, const struct vkdml_tensor *tensor, uint32_t d) {
    index->columns[index->column_count++] = (struct vkdml_index_column){tensor->sizes[d], tensor->strides[d]};
}

static void add_view_column(struct vkdml_index *index, const struct vkdml_view *view, uint32_t d) {
    index->columns[index->column_count++] = (struct vkdml_index_column){view->sizes[d], view->strides[d]};
}

/* Begins an index of one input by another onto the output. */
static void begin(const struct vkdml_instance *instance, uint32_t input, uint32_t indices, struct vkdml_index *index) {
    const struct vkdml_view views[] = {vkdml_output_view(instance, 0), vkdml_input_view(instance, input),
                                       vkdml_input_view(instance, indices)};
    vkdml_index_begin(index, &views[0], &views[1], &views[2]);
}

static VkdmlResult plan_index(const struct vkdml_index *index, const struct vkdml_planning *planning) {
    return vkdml_index_plan(index, planning->builder);
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
        check_layout(instance, &layout, &instance->outputs[0], vkdml_output_name(instance, 0), report);
    }
}

static VkdmlResult plan_gather(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_GATHER_OPERATOR_DESC *desc = instance->desc;
    (void)op;
    struct vkdml_index index;
    const struct layout layout = gather_layout(instance);
    begin(instance, 0, 1, &index);
    set_layout(&layout, &index);
    add_column(&index, &instance->inputs[0], desc->Axis);
    return plan_index(&index, planning);
}

const struct vkdml_operator vkdml_operator_gather = {.rules = check_gather, .plan = plan_gather};

/* ---- GATHER_ELEMENTS ---- */

/* A tensor's sizes must be input 0's, but along Axis. */
static void check_sizes_but_axis(const struct vkdml_instance *instance, uint32_t input, uint32_t axis,
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

static void check_gather_elements(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_GATHER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    if (check_axis(instance, desc->Axis, report) && has_one_rank(instance)) {
        check_sizes_but_axis(instance, 1, desc->Axis, report);
    }
}

static VkdmlResult plan_gather_elements(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_GATHER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    (void)op;
    struct vkdml_index index;
    begin(instance, 0, 1, &index);
    for (uint32_t d = 0; d < index.rank; ++d) {
        index.dimensions[d].strides[INPUT] = d == desc->Axis ? 0 : instance->inputs[0].strides[d];
        index.dimensions[d].strides[INDICES] = instance->inputs[1].strides[d];
    }
    add_column(&index, &instance->inputs[0], desc->Axis);
    return plan_index(&index, planning);
}

const struct vkdml_operator vkdml_operator_gather_elements = {.rules = check_gather_elements,
                                                              .plan = plan_gather_elements};

/* ---- GATHER_ND and GATHER_ND1 ---- */

/* What these operators have in common. */
struct gather_nd {
    uint32_t input_dimensions; /* the last ones, which count */
    uint32_t indices_dimensions;
    uint32_t batch_dimensions;
    bool has_batches; /* BatchDimensionCount is the descriptor's */
};

/* The first dimension of a tensor that counts. */
static uint32_t first_of(const struct vkdml_tensor *tensor, uint32_t dimensions) {
    return tensor->dimension_count - dimensions;
}

static uint32_t tuple_size(const struct vkdml_instance *instance) {
    const struct vkdml_tensor *indices = &instance->inputs[1];
    return indices->sizes[indices->dimension_count - 1];
}

/* The batches, the indices without their last dimension, the input's dimensions that a tuple leaves over. */
static struct layout gather_nd_layout(const struct vkdml_instance *instance, const struct gather_nd *nd) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const uint32_t first_input = first_of(input, nd->input_dimensions);
    const uint32_t first_index = first_of(indices, nd->indices_dimensions);
    struct layout layout = {.count = 0};
    for (uint32_t d = 0; d + 1 < nd->indices_dimensions; ++d) {
        add_indices(&layout, instance, first_index + d);
        if (d < nd->batch_dimensions) {
            layout.sources[d].input_stride = input->strides[first_input + d];
        }
    }
    for (uint32_t d = nd->batch_dimensions + tuple_size(instance); d < nd->input_dimensions; ++d) {
        add_input(&layout, instance, first_input + d);
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
        check_ignored(tensor, tensor_name, name, count, report);
    }
    return is_good;
}

static bool check_batches(const struct vkdml_instance *instance, const struct gather_nd *nd,
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
        const uint32_t i = first_of(input, nd->input_dimensions) + d;
        const uint32_t j = first_of(indices, nd->indices_dimensions) + d;
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
static void check_nd(const struct vkdml_instance *instance, const struct gather_nd *nd,
                     const struct vkdml_tensor *blocks, const char *blocks_name, struct vkdml_report *report) {
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
    if (tuple_size(instance) > most) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be at most %" PRIu32
                             ": a tuple has no more coordinates than InputDimensionCount%s",
                             indices_name, indices->dimension_count - 1, tuple_size(instance), most,
                             nd->has_batches ? " - BatchDimensionCount" : "");
    } else if (has_one_rank(instance)) {
        const struct layout layout = gather_nd_layout(instance, nd);
        check_layout(instance, &layout, blocks, blocks_name, report);
    }
}

static VkdmlResult plan_nd(const struct gather_nd *nd, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    struct vkdml_index index;
    const struct layout layout = gather_nd_layout(instance, nd);
    begin(instance, 0, 1, &index);
    set_layout(&layout, &index);
    for (uint32_t k = 0; k < tuple_size(instance); ++k) {
        add_column(&index, input, first_of(input, nd->input_dimensions) + nd->batch_dimensions + k);
    }
    index.column_index_stride = indices->strides[indices->dimension_count - 1];
    return plan_index(&index, planning);
}

static struct gather_nd read_gather_nd(const struct vkdml_instance *instance) {
    const DML_GATHER_ND_OPERATOR_DESC *desc = instance->desc;
    return (struct gather_nd){desc->InputDimensionCount, desc->IndicesDimensionCount, 0, false};
}

static void check_gather_nd(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct gather_nd nd = read_gather_nd(instance);
    check_nd(instance, &nd, &instance->outputs[0], vkdml_output_name(instance, 0), report);
}

static VkdmlResult plan_gather_nd(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const struct gather_nd nd = read_gather_nd(planning->instance);
    return plan_nd(&nd, planning);
}

static struct gather_nd read_gather_nd1(const struct vkdml_instance *instance) {
    const DML_GATHER_ND1_OPERATOR_DESC *desc = instance->desc;
    return (struct gather_nd){desc->InputDimensionCount, desc->IndicesDimensionCount, desc->BatchDimensionCount, true};
}

static void check_gather_nd1(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct gather_nd nd = read_gather_nd1(instance);
    check_nd(instance, &nd, &instance->outputs[0], vkdml_output_name(instance, 0), report);
}

static VkdmlResult plan_gather_nd1(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    const struct gather_nd nd = read_gather_nd1(planning->instance);
    return plan_nd(&nd, planning);
}

const struct vkdml_operator vkdml_operator_gather_nd = {.rules = check_gather_nd, .plan = plan_gather_nd};
const struct vkdml_operator vkdml_operator_gather_nd1 = {.rules = check_gather_nd1, .plan = plan_gather_nd1};

/* ---- REVERSE_SUBSEQUENCES ---- */

/* A tensor's sizes must be those of another, but 1 along Axis. */
static void check_sizes_one_along_axis(const struct vkdml_tensor *tensor, const char *name,
                                       const struct vkdml_tensor *other, const char *other_name, uint32_t axis,
                                       struct vkdml_report *report) {
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        if (d == axis && tensor->sizes[d] != 1) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1 along Axis (%" PRIu32 ")",
                                 name, d, tensor->sizes[d], axis);
        } else if (d != axis && tensor->sizes[d] != other->sizes[d]) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 name, d, tensor->sizes[d], other->sizes[d], other_name, d);
        }
    }
}

/* Strides of a tensor with an index for each sequence along Axis, and the coordinate along it. */
static void set_sequences(struct vkdml_index *index, const struct vkdml_tensor *indices, uint32_t axis) {
    for (uint32_t d = 0; d < index->rank; ++d) {
        index->dimensions[d].strides[INDICES] = d == axis ? 0 : indices->strides[d];
        index->dimensions[d].strides[REST] = d == axis;
    }
}

static void check_reverse(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC *desc = instance->desc;
    if (check_axis(instance, desc->Axis, report) && has_one_rank(instance)) {
        check_sizes_one_along_axis(&instance->inputs[1], vkdml_input_name(instance, 1), &instance->inputs[0],
                                   vkdml_input_name(instance, 0), desc->Axis, report);
    }
}

static VkdmlResult plan_reverse(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC *desc = instance->desc;
    (void)op;
    struct vkdml_index index;
    begin(instance, 0, 1, &index);
    index.mode = VKDML_INDEX_REVERSE;
    set_sequences(&index, &instance->inputs[1], desc->Axis);
    for (uint32_t d = 0; d < index.rank; ++d) {
        index.dimensions[d].strides[INPUT] = d == desc->Axis ? 0 : instance->inputs[0].strides[d];
    }
    add_column(&index, &instance->inputs[0], desc->Axis);
    return plan_index(&index, planning);
}

const struct vkdml_operator vkdml_operator_reverse_subsequences = {.rules = check_reverse, .plan = plan_reverse};

/* ---- ONE_HOT ---- */

/* The innermost dimension of more than one coordinate; the dimension count where there is none. */
static uint32_t innermost_dimension(const struct vkdml_tensor *tensor) {
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        if (tensor->sizes[d] > 1) {
            return d;
        }
    }
    return tensor->dimension_count;
}

static void check_one_hot(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_ONE_HOT_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *values = &instance->inputs[1];
    if (innermost_dimension(values) == values->dimension_count) {
        vkdml_report_invalid(report, "%s has one element, must have at least 2: the off value and the on value",
                             vkdml_input_name(instance, 1));
    }
    if (check_axis(instance, desc->Axis, report) && has_one_rank(instance)) {
        check_sizes_one_along_axis(&instance->inputs[0], vkdml_input_name(instance, 0), &instance->outputs[0],
                                   vkdml_output_name(instance, 0), desc->Axis, report);
    }
}

static VkdmlResult plan_one_hot(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_ONE_HOT_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *values = &instance->inputs[1];
    (void)op;
    struct vkdml_index index;
    begin(instance, 1, 0, &index);
    index.mode = VKDML_INDEX_ONE_HOT;
    set_sequences(&index, &instance->inputs[0], desc->Axis);
    index.columns[0] = (struct vkdml_index_column){instance->outputs[0].sizes[desc->Axis],
                                                   values->strides[innermost_dimension(values)]};
    index.column_count = 1;
    return plan_index(&index, planning);
}

const struct vkdml_operator vkdml_operator_one_hot = {.rules = check_one_hot, .plan = plan_one_hot};

/* ---- SCATTER_ELEMENTS and SCATTER_ND ----
 * In three passes: a UINT32 for each element, or block, that indices can name becomes 0, each index leaves its number
 * there where that is larger, and each element of the output is the input's or that of the update whose number is
 * there. So the last update decides whatever the order in which they come, and the output is written once. */

/* Room for the numbers, a packed tensor of UINT32: of `count` dimensions of a tensor from `first` on. */
static struct vkdml_view place_numbers(const struct vkdml_planning *planning, const struct vkdml_tensor *tensor,
                                       uint32_t first, uint32_t count) {
    struct vkdml_view numbers = {.at = {.type = DML_TENSOR_DATA_TYPE_UINT32}, .rank = tensor->dimension_count};
    for (uint32_t d = 0; d < numbers.rank; ++d) {
        numbers.sizes[d] = d >= first && d - first < count ? tensor->sizes[d] : 1;
    }
    vkdml_packed_strides(numbers.rank, numbers.sizes, numbers.strides);
    vkdml_builder_place(planning->builder, "the last updates' numbers", &numbers);
    return numbers;
}

/* Begins the pass that leaves numbers, an index for each element of a tensor of these sizes. */
static void begin_marks(struct vkdml_index *marks, const struct vkdml_tensor *sizes,
                        const struct vkdml_instance *instance, const struct vkdml_view *numbers) {
    const struct vkdml_view indices = vkdml_input_view(instance, 1);
    const struct vkdml_view of_sizes = vkdml_view_input(sizes, 1);
    vkdml_index_begin(marks, &of_sizes, numbers, &indices);
    marks->mode = VKDML_INDEX_MARK;
    marks->element_bytes = sizeof(uint32_t);
}

/* Begins the pass that reads them. The updates are what numbers lead to. */
static void begin_scatter(struct vkdml_index *scatter, const struct vkdml_view *numbers,
                          const struct vkdml_instance *instance) {
    const struct vkdml_view output = vkdml_output_view(instance, 0), updates = vkdml_input_view(instance, 2);
    vkdml_index_begin(scatter, &output, &updates, numbers);
    scatter->mode = VKDML_INDEX_SCATTER;
    scatter->rest = vkdml_input_view(instance, 0).at;
    for (uint32_t d = 0; d < scatter->rank; ++d) {
        scatter->dimensions[d].strides[REST] = instance->inputs[0].strides[d];
    }
}

static VkdmlResult plan_passes(const struct vkdml_view *numbers, const struct vkdml_index *marks,
                               const struct vkdml_index *scatter, const struct vkdml_planning *planning) {
    VkdmlResult result = vkdml_clear_plan(numbers, planning->builder);
    vkdml_builder_phase(planning->builder);
    if (result == VKDML_SUCCESS) {
        result = plan_index(marks, planning);
    }
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? plan_index(scatter, planning) : result;
}

static void check_scatter_elements(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_SCATTER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    if (check_axis(instance, desc->Axis, report) && has_one_rank(instance)) {
        check_sizes_but_axis(instance, 1, desc->Axis, report);
    }
}

/* The last dimension is Axis. */
static VkdmlResult plan_update(const struct vkdml_planning *planning, uint32_t axis, bool *is_planned) {
    const struct vkdml_instance *instance = planning->instance;
    struct vkdml_index update;
    begin(instance, 2, 1, &update);
    update.mode = VKDML_INDEX_UPDATE;
    update.rest = vkdml_input_view(instance, 0).at;
    add_column(&update, &instance->outputs[0], axis);
    for (uint32_t d = 0; d < update.rank; ++d) {
        update.dimensions[d].size = instance->inputs[1].sizes[d];
        update.dimensions[d].strides[INPUT] = instance->inputs[2].strides[d];
        update.dimensions[d].strides[INDICES] = instance->inputs[1].strides[d];
        update.dimensions[d].strides[REST] = instance->inputs[0].strides[d];
    }
    const struct vkdml_dimension last = update.dimensions[axis];
    for (uint32_t d = axis; d + 1 < update.rank; ++d) {
        update.dimensions[d] = update.dimensions[d + 1];
    }
    update.dimensions[update.rank - 1] = last;
    return vkdml_index_plan_update(&update, planning->builder, is_planned);
}

/* Indices that name one element differ along Axis alone: the coordinate there is their number. */
static VkdmlResult plan_scatter_elements(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_SCATTER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *output = &instance->outputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const struct vkdml_tensor *updates = &instance->inputs[2];
    (void)op;
    bool is_planned;
    const VkdmlResult result = plan_update(planning, desc->Axis, &is_planned);
    if (result != VKDML_SUCCESS || is_planned) {
        return result;
    }
    const struct vkdml_view numbers = place_numbers(planning, output, 0, output->dimension_count);
    struct vkdml_index marks;
    struct vkdml_index scatter;
    begin_marks(&marks, indices, instance, &numbers);
    begin_scatter(&scatter, &numbers, instance);
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        const bool is_axis = d == desc->Axis;
        marks.dimensions[d].strides[INPUT] = is_axis ? 0 : numbers.strides[d];
        marks.dimensions[d].strides[INDICES] = indices->strides[d];
        marks.dimensions[d].strides[REST] = is_axis;
        scatter.dimensions[d].strides[INPUT] = is_axis ? 0 : updates->strides[d];
        scatter.dimensions[d].strides[INDICES] = numbers.strides[d];
    }
    add_view_column(&marks, &numbers, desc->Axis);
    add_column(&scatter, updates, desc->Axis);
    return plan_passes(&numbers, &marks, &scatter, planning);
}

const struct vkdml_operator vkdml_operator_scatter_elements = {.rules = check_scatter_elements,
                                                               .plan = plan_scatter_elements};

static struct gather_nd read_scatter_nd(const struct vkdml_instance *instance) {
    const DML_SCATTER_ND_OPERATOR_DESC *desc = instance->desc;
    return (struct gather_nd){desc->InputDimensionCount, desc->IndicesDimensionCount, 0, false};
}

static void check_scatter_nd(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct gather_nd nd = read_scatter_nd(instance);
    check_nd(instance, &nd, &instance->inputs[2], vkdml_input_name(instance, 2), report);
}

/* Adds the dimension of the updates that comes outside those there are: merged with the outermost of them where they
 * are one run, so that mostly one remains and nothing is divided. */
static void add_outer_column(struct vkdml_index *index, uint32_t size, uint32_t stride) {
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

static VkdmlResult plan_scatter_nd(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct gather_nd nd = read_scatter_nd(instance);
    const struct vkdml_tensor *output = &instance->outputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const struct vkdml_tensor *updates = &instance->inputs[2];
    const uint32_t first = first_of(output, nd.input_dimensions);
    const uint32_t tuple = tuple_size(instance);
    const struct layout layout = gather_nd_layout(instance, &nd);
    const uint32_t first_update = updates->dimension_count - layout.count;
    const uint32_t last = indices->dimension_count - 1;
    (void)op;

    struct vkdml_tensor tuples = *indices;
    tuples.sizes[last] = 1;
    vkdml_packed_strides(tuples.dimension_count, tuples.sizes, tuples.strides);
    const struct vkdml_view numbers = place_numbers(planning, output, first, tuple);
    struct vkdml_index marks;
    struct vkdml_index scatter;
    begin_marks(&marks, &tuples, instance, &numbers);
    begin_scatter(&scatter, &numbers, instance);
    for (uint32_t d = 0; d <= last; ++d) {
        marks.dimensions[d].strides[INDICES] = indices->strides[d];
        marks.dimensions[d].strides[REST] = tuples.strides[d];
    }
    marks.column_index_stride = indices->strides[last];
    for (uint32_t k = 0; k < tuple; ++k) {
        add_view_column(&marks, &numbers, first + k);
        scatter.dimensions[first + k].strides[INDICES] = numbers.strides[first + k];
    }
    for (uint32_t d = first + tuple; d < output->dimension_count; ++d) {
        const uint32_t n = nd.indices_dimensions - 1 + (d - first - tuple);
        scatter.dimensions[d].strides[INPUT] = updates->strides[first_update + n];
    }
    add_outer_column(&scatter, 1, 0);
    for (uint32_t n = nd.indices_dimensions - 1; n-- > 0;) {
        add_outer_column(&scatter, layout.sources[n].size, updates->strides[first_update + n]);
    }
    return plan_passes(&numbers, &marks, &scatter, planning);
}

const struct vkdml_operator vkdml_operator_scatter_nd = {.rules = check_scatter_nd, .plan = plan_scatter_nd};
