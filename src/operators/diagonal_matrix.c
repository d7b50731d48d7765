/* DIAGONAL_MATRIX and DIAGONAL_MATRIX1: a band of diagonals over a stack of matrices. */
#include "frames/gather/band.h"
#include "operators/operators.h"
#include "operators/scalar.h"

static VkdmlResult plan_diagonal_matrix(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_DIAGONAL_MATRIX_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view input = {.at = {.type = DML_TENSOR_DATA_TYPE_UNKNOWN}};
    struct vkdml_band band = {.first = desc->Offset, .last = desc->Offset};
    (void)op;
    vkdml_scalar_from_float(desc->Value, output.at.type, band.value);
    return vkdml_band_plan(&band, &output, &input, planning->builder);
}

static VkdmlResult plan_diagonal_matrix1(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const DML_DIAGONAL_MATRIX1_OPERATOR_DESC *desc = planning->instance->desc;
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const int64_t begin = desc->DiagonalFillBegin;
    const int64_t end = desc->DiagonalFillEnd;
    struct vkdml_band band = begin <= end ? (struct vkdml_band){.first = begin, .last = end - 1}
                                          : (struct vkdml_band){.first = end, .last = begin - 1, .invert = true};
    (void)op;
    vkdml_scalar_from_union(&desc->Value, output.at.type, band.value);
    return vkdml_band_plan(&band, &output, &input, planning->builder);
}

const struct vkdml_operator vkdml_operator_diagonal_matrix = {.plan = plan_diagonal_matrix};
const struct vkdml_operator vkdml_operator_diagonal_matrix1 = {.plan = plan_diagonal_matrix1};
