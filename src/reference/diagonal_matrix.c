#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

/* Writes value, the bits of an element, on the diagonals x - y in [begin, end) of every matrix, and 0 beside them. */
static void fill_diagonals(const struct vkdml_tensor *output, void *memory, int64_t begin, int64_t end,
                           uint64_t value) {
    const uint32_t row = output->dimension_count - 2, column = output->dimension_count - 1;
    struct vkdml_coordinate at = {{0}};
    do {
        const int64_t diagonal = (int64_t)at.index[column] - at.index[row];
        vkdml_element_write(output, memory, &at, begin <= diagonal && diagonal < end ? value : 0);
    } while (vkdml_coordinate_next(output, &at));
}

void vkdml_reference_diagonal_matrix(const struct vkdml_instance *instance,
                                     const struct vkdml_reference_memory *memory) {
    const DML_DIAGONAL_MATRIX_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *output = &instance->outputs[0];
    const int64_t offset = desc->Offset;
    fill_diagonals(output, memory->outputs[0], offset, offset + 1,
                   vkdml_convert_attribute(&desc->Value, output->data_type));
}

void vkdml_reference_diagonal_matrix1(const struct vkdml_instance *instance,
                                      const struct vkdml_reference_memory *memory) {
    const DML_DIAGONAL_MATRIX1_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const uint32_t row = output->dimension_count - 2, column = output->dimension_count - 1;
    const int64_t begin = desc->DiagonalFillBegin, end = desc->DiagonalFillEnd;
    const struct vkdml_coordinate first = {{0}};
    const uint64_t value = vkdml_element_read(output, &desc->Value, &first);
    struct vkdml_coordinate at = {{0}};
    do {
        /* DirectML's formula as it stands: inside [begin, end), or, with begin above end, outside [end, begin). */
        const int64_t diagonal = (int64_t)at.index[column] - at.index[row];
        const bool fill = (end >= begin) != ((diagonal >= begin) != (diagonal < end));
        const uint64_t other = memory->inputs[0] != NULL ? vkdml_element_read(input, memory->inputs[0], &at) : 0;
        vkdml_element_write(output, memory->outputs[0], &at, fill ? value : other);
    } while (vkdml_coordinate_next(output, &at));
}
