/* SCATTER_ELEMENTS and SCATTER_ND: updates to where a tensor of indices says.
 *
 * In three passes: a UINT32 for each element, or block, that indices can name becomes 0, each index leaves its number
 * there where that is larger, and each element of the output is the input's or that of the update whose number is
 * there. So the last update decides whatever the order in which they come, and the output is written once. */
#include "operators/fill_value.h"
#include "operators/indices.h"
#include "operators/operators.h"
#include "operators/tuples.h"

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
        scatter->dimensions[d].strides[VKDML_INDEX_OF_REST] = instance->inputs[0].strides[d];
    }
}

static void add_view_column(struct vkdml_index *index, const struct vkdml_view *view, uint32_t d) {
    index->columns[index->column_count++] = (struct vkdml_index_column){view->sizes[d], view->strides[d]};
}

static VkdmlResult plan_passes(const struct vkdml_view *numbers, const struct vkdml_index *marks,
                               const struct vkdml_index *scatter, const struct vkdml_planning *planning) {
    VkdmlResult result = vkdml_clear_plan(numbers, planning->builder);
    vkdml_builder_phase(planning->builder);
    if (result == VKDML_SUCCESS) {
        result = vkdml_index_plan(marks, planning->builder);
    }
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? vkdml_index_plan(scatter, planning->builder) : result;
}

/* ---- SCATTER_ELEMENTS ---- */

static void check_scatter_elements(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_SCATTER_ELEMENTS_OPERATOR_DESC *desc = instance->desc;
    if (vkdml_indices_check_axis(instance, desc->Axis, report) && vkdml_indices_have_one_rank(instance)) {
        vkdml_indices_check_sizes(instance, 1, desc->Axis, report);
    }
}

/* The last dimension is Axis. */
static VkdmlResult plan_update(const struct vkdml_planning *planning, uint32_t axis, bool *is_planned) {
    const struct vkdml_instance *instance = planning->instance;
    struct vkdml_index update;
    vkdml_indices_begin(instance, 2, 1, &update);
    update.mode = VKDML_INDEX_UPDATE;
    update.rest = vkdml_input_view(instance, 0).at;
    vkdml_indices_add_column(&update, &instance->outputs[0], axis);
    for (uint32_t d = 0; d < update.rank; ++d) {
        update.dimensions[d].size = instance->inputs[1].sizes[d];
        update.dimensions[d].strides[VKDML_INDEX_OF_INPUT] = instance->inputs[2].strides[d];
        update.dimensions[d].strides[VKDML_INDEX_OF_INDICES] = instance->inputs[1].strides[d];
        update.dimensions[d].strides[VKDML_INDEX_OF_REST] = instance->inputs[0].strides[d];
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
        marks.dimensions[d].strides[VKDML_INDEX_OF_INPUT] = is_axis ? 0 : numbers.strides[d];
        marks.dimensions[d].strides[VKDML_INDEX_OF_INDICES] = indices->strides[d];
        marks.dimensions[d].strides[VKDML_INDEX_OF_REST] = is_axis;
        scatter.dimensions[d].strides[VKDML_INDEX_OF_INPUT] = is_axis ? 0 : updates->strides[d];
        scatter.dimensions[d].strides[VKDML_INDEX_OF_INDICES] = numbers.strides[d];
    }
    add_view_column(&marks, &numbers, desc->Axis);
    vkdml_indices_add_column(&scatter, updates, desc->Axis);
    return plan_passes(&numbers, &marks, &scatter, planning);
}

const struct vkdml_operator vkdml_operator_scatter_elements = {.rules = check_scatter_elements,
                                                               .plan = plan_scatter_elements};

/* ---- SCATTER_ND ---- */

static struct vkdml_tuples read_scatter_nd(const struct vkdml_instance *instance) {
    const DML_SCATTER_ND_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_tuples){desc->InputDimensionCount, desc->IndicesDimensionCount, 0, false, false};
}

static void check_scatter_nd(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tuples nd = read_scatter_nd(instance);
    vkdml_tuples_check(instance, &nd, &instance->inputs[2], vkdml_input_name(instance, 2), report);
}

static VkdmlResult plan_scatter_nd(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_tuples nd = read_scatter_nd(instance);
    const struct vkdml_tensor *output = &instance->outputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const struct vkdml_tensor *updates = &instance->inputs[2];
    const uint32_t first = vkdml_tuples_first(output, nd.input_dimensions);
    const uint32_t tuple = vkdml_tuples_size(instance);
    const struct vkdml_gathered layout = vkdml_tuples_gathered(instance, &nd);
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
        marks.dimensions[d].strides[VKDML_INDEX_OF_INDICES] = indices->strides[d];
        marks.dimensions[d].strides[VKDML_INDEX_OF_REST] = tuples.strides[d];
    }
    marks.column_index_stride = indices->strides[last];
    for (uint32_t k = 0; k < tuple; ++k) {
        add_view_column(&marks, &numbers, first + k);
        scatter.dimensions[first + k].strides[VKDML_INDEX_OF_INDICES] = numbers.strides[first + k];
    }
    for (uint32_t d = first + tuple; d < output->dimension_count; ++d) {
        const uint32_t n = nd.indices_dimensions - 1 + (d - first - tuple);
        scatter.dimensions[d].strides[VKDML_INDEX_OF_INPUT] = updates->strides[first_update + n];
    }
    vkdml_indices_add_outer_column(&scatter, 1, 0);
    for (uint32_t n = nd.indices_dimensions - 1; n-- > 0;) {
        vkdml_indices_add_outer_column(&scatter, layout.sources[n].size, updates->strides[first_update + n]);
    }
    return plan_passes(&numbers, &marks, &scatter, planning);
}

const struct vkdml_operator vkdml_operator_scatter_nd = {.rules = check_scatter_nd, .plan = plan_scatter_nd};
