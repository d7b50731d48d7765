#include "reference/element.h"
#include "reference/reference.h"

/* Both zeros of a float are zero; nothing else is, denormals and NaN included. */
static bool is_nonzero(const struct vkdml_tensor *tensor, uint64_t bits) {
    const uint64_t sign = (uint64_t)1 << (8 * tensor->element_size - 1);
    return (vkdml_data_type_is_float(tensor->data_type) ? bits & ~sign : bits) != 0;
}

/* The output {1, .., M, N} as a matrix. */
struct matrix {
    const struct vkdml_tensor *tensor;
    void *memory;
    uint32_t row, column; /* dimensions */
};

/* Writes the last N indices of a coordinate of `dimension_count` dimensions; coordinate NULL: zeros. */
static void write_row(const struct matrix *matrix, uint32_t row, uint32_t dimension_count,
                      const struct vkdml_coordinate *coordinate) {
    const uint32_t columns = matrix->tensor->sizes[matrix->column];
    const uint32_t first = dimension_count - columns;
    struct vkdml_coordinate at = {{0}};
    at.index[matrix->row] = row;
    for (uint32_t i = 0; i < columns; i++) {
        at.index[matrix->column] = i;
        vkdml_element_write(matrix->tensor, matrix->memory, &at, coordinate != NULL ? coordinate->index[first + i] : 0);
    }
}

void vkdml_reference_nonzero_coordinates(const struct vkdml_instance *instance,
                                         const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct vkdml_tensor *count_output = &instance->outputs[0], *rows_output = &instance->outputs[1];
    const struct matrix matrix = {rows_output, memory->outputs[1], rows_output->dimension_count - 2,
                                  rows_output->dimension_count - 1};
    uint32_t count = 0;
    struct vkdml_coordinate at = {{0}};
    do {
        if (is_nonzero(input, vkdml_element_read(input, memory->inputs[0], &at))) {
            write_row(&matrix, count, input->dimension_count, &at);
            count++;
        }
    } while (vkdml_coordinate_next(input, &at));

    const struct vkdml_coordinate scalar = {{0}};
    vkdml_element_write(count_output, memory->outputs[0], &scalar, count);
    if ((memory->flags & VKDML_COMPILE_FLAG_ZERO_UNDEFINED) != 0) {
        for (uint32_t row = count; row < rows_output->sizes[matrix.row]; row++) {
            write_row(&matrix, row, input->dimension_count, NULL);
        }
    }
}
