/* MAX_UNPOOLING: the elements of the input go where indices say, counted in the output's row-major order. As SCATTER_ND
 * it leaves each index's number at the place that it names, the greatest stays, and each element of the output is read
 * once. */
#include "frames/index/index.h"
#include "operators/operators.h"
#include "operators/temporary.h"

#define INPUT   VKDML_INDEX_OF_INPUT
#define INDICES VKDML_INDEX_OF_INDICES
#define REST    VKDML_INDEX_OF_REST

static struct vkdml_tensor packed_numbers(const struct vkdml_tensor *tensor) {
    struct vkdml_tensor numbers = *tensor;
    numbers.data_type = DML_TENSOR_DATA_TYPE_UINT32;
    numbers.element_bits = vkdml_data_type_bits(numbers.data_type);
    numbers.element_size = vkdml_data_type_size(numbers.data_type);
    vkdml_packed_strides(numbers.dimension_count, numbers.sizes, numbers.strides);
    return numbers;
}

/* What elements that no index names are: as wide as the widest. */
static struct vkdml_tensor zero_element(const struct vkdml_tensor *numbers) {
    struct vkdml_tensor zero = *numbers;
    for (uint32_t d = 0; d < zero.dimension_count; ++d) {
        zero.sizes[d] = 1;
    }
    zero.sizes[zero.dimension_count - 1] = sizeof(uint64_t) / sizeof(uint32_t);
    vkdml_packed_strides(zero.dimension_count, zero.sizes, zero.strides);
    return zero;
}

/* Adds the input's dimension that comes outside those there are, merged with the outermost of them where they are one
 * run. */
static void add_outer_column(struct vkdml_index *index, uint32_t size, uint32_t stride) {
    struct vkdml_index_column *outer = &index->columns[0];
    if (index->column_count > 0 && stride == (uint64_t)outer->stride * outer->size) {
        outer->size *= size;
        return;
    }
    for (uint32_t k = index->column_count++; k > 0; --k) {
        index->columns[k] = index->columns[k - 1];
    }
    index->columns[0] = (struct vkdml_index_column){size, stride};
}

static VkdmlResult plan_max_unpooling(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *indices = &instance->inputs[1];
    const struct vkdml_tensor *output = &instance->outputs[0];
    const struct vkdml_tensor numbers = packed_numbers(output);
    const struct vkdml_tensor zero = zero_element(&numbers);
    const struct vkdml_tensor order = packed_numbers(input);
    const uint64_t offset = vkdml_temporary_add(planning->builder, &numbers);
    const uint64_t zero_offset = vkdml_temporary_add(planning->builder, &zero);
    (void)op;

    struct vkdml_index marks;
    vkdml_index_begin(&marks, indices, indices);
    marks.mode = VKDML_INDEX_MARK;
    marks.element_bytes = numbers.element_size;
    marks.input = (struct vkdml_index_tensor){.resource = VKDML_PLAN_TEMPORARY, .offset = offset};
    marks.columns[0] = (struct vkdml_index_column){numbers.strides[0] * numbers.sizes[0], 1};
    marks.column_count = 1;

    struct vkdml_index scatter;
    vkdml_index_begin(&scatter, output, &numbers);
    scatter.mode = VKDML_INDEX_SCATTER;
    scatter.indices = marks.input;
    scatter.rest = (struct vkdml_index_tensor){.resource = VKDML_PLAN_TEMPORARY, .offset = zero_offset};
    for (uint32_t d = input->dimension_count; d-- > 0;) {
        marks.dimensions[d].strides[INDICES] = indices->strides[d];
        marks.dimensions[d].strides[REST] = order.strides[d];
        scatter.dimensions[d].strides[INDICES] = numbers.strides[d];
        if (input->sizes[d] > 1 || (d == 0 && scatter.column_count == 0)) {
            add_outer_column(&scatter, input->sizes[d], input->strides[d]);
        }
    }
    VkdmlResult result = vkdml_temporary_clear(&numbers, offset, planning);
    result = result == VKDML_SUCCESS ? vkdml_temporary_clear(&zero, zero_offset, planning) : result;
    vkdml_builder_phase(planning->builder);
    result = result == VKDML_SUCCESS ? vkdml_index_plan(&marks, planning->builder) : result;
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? vkdml_index_plan(&scatter, planning->builder) : result;
}

const struct vkdml_operator vkdml_operator_max_unpooling = {.plan = plan_max_unpooling};
