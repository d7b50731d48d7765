/* MAX_UNPOOLING: the elements of the input go where indices say, counted in the output's row-major order. As SCATTER_ND
 * it leaves each index's number at the place that it names, the greatest stays, and each element of the output is read
 * once. */
#include "frames/index/index.h"
#include "operators/fill_value.h"
#include "operators/indices.h"
#include "operators/operators.h"

#define INPUT   VKDML_INDEX_OF_INPUT
#define INDICES VKDML_INDEX_OF_INDICES
#define REST    VKDML_INDEX_OF_REST

/* UINT32, packed, of a tensor's sizes. */
static struct vkdml_view numbers_of(const struct vkdml_tensor *tensor) {
    struct vkdml_view numbers = vkdml_view_output(tensor, 0);
    numbers.at.type = DML_TENSOR_DATA_TYPE_UINT32;
    vkdml_packed_strides(numbers.rank, numbers.sizes, numbers.strides);
    return numbers;
}

/* What elements that no index names are: as wide as the widest. */
static const struct vkdml_view zero_element = {
    .at = {.type = DML_TENSOR_DATA_TYPE_UINT32}, .rank = 1, .sizes = {2}, .strides = {1}};

static VkdmlResult plan_max_unpooling(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const struct vkdml_tensor *output = &instance->outputs[0];
    const struct vkdml_view order = numbers_of(input);
    const struct vkdml_view to = vkdml_output_view(instance, 0), from = vkdml_input_view(instance, 0);
    const struct vkdml_view names = vkdml_input_view(instance, 1);
    struct vkdml_view numbers = numbers_of(output);
    struct vkdml_view zero = zero_element;
    (void)op;
    vkdml_builder_place(planning->builder, "the greatest numbers", &numbers);
    vkdml_builder_place(planning->builder, "an element of 0", &zero);

    struct vkdml_index marks;
    vkdml_index_begin(&marks, &names, &numbers, &names);
    marks.mode = VKDML_INDEX_MARK;
    marks.element_bytes = sizeof(uint32_t);
    marks.columns[0] = (struct vkdml_index_column){numbers.strides[0] * numbers.sizes[0], 1};
    marks.column_count = 1;

    struct vkdml_index scatter;
    vkdml_index_begin(&scatter, &to, &from, &numbers);
    scatter.mode = VKDML_INDEX_SCATTER;
    scatter.rest = zero.at;
    for (uint32_t d = input->dimension_count; d-- > 0;) {
        marks.dimensions[d].strides[INDICES] = indices->strides[d];
        marks.dimensions[d].strides[REST] = order.strides[d];
        scatter.dimensions[d].strides[INDICES] = numbers.strides[d];
        if (input->sizes[d] > 1 || (d == 0 && scatter.column_count == 0)) {
            vkdml_indices_add_outer_column(&scatter, input->sizes[d], input->strides[d]);
        }
    }
    VkdmlResult result = vkdml_clear_plan(&numbers, planning->builder);
    result = result == VKDML_SUCCESS ? vkdml_clear_plan(&zero, planning->builder) : result;
    vkdml_builder_phase(planning->builder);
    result = result == VKDML_SUCCESS ? vkdml_index_plan(&marks, planning->builder) : result;
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? vkdml_index_plan(&scatter, planning->builder) : result;
}

const struct vkdml_operator vkdml_operator_max_unpooling = {.plan = plan_max_unpooling};
