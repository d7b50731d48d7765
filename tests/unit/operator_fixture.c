#include "operator_fixture.h"

#include <stddef.h>

static void tensor_init(struct tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rows, uint32_t columns) {
    const uint32_t sizes[] = {1, 1, rows, columns};
    for (size_t i = 0; i < 4; i++) {
        tensor->sizes[i] = sizes[i];
    }
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                              .DimensionCount = 4,
                                              .Sizes = tensor->sizes,
                                              .TotalTensorSizeInBytes = (uint64_t)rows * columns * 4};
    tensor->desc = (DML_TENSOR_DESC){.Type = DML_TENSOR_TYPE_BUFFER, .Desc = &tensor->buffer};
}

void identity_init(struct identity *identity, uint32_t count) {
    tensor_init(&identity->input, DML_TENSOR_DATA_TYPE_FLOAT32, 1, count);
    tensor_init(&identity->output, DML_TENSOR_DATA_TYPE_FLOAT32, 1, count);
    identity->identity = (DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC){.InputTensor = &identity->input.desc,
                                                                   .OutputTensor = &identity->output.desc};
    identity->desc = (DML_OPERATOR_DESC){.Type = DML_OPERATOR_ELEMENT_WISE_IDENTITY, .Desc = &identity->identity};
}

void diagonal_init(struct diagonal *diagonal, uint32_t size) {
    tensor_init(&diagonal->output, DML_TENSOR_DATA_TYPE_FLOAT32, size, size);
    diagonal->diagonal = (DML_DIAGONAL_MATRIX_OPERATOR_DESC){.OutputTensor = &diagonal->output.desc, .Value = 1.0f};
    diagonal->desc = (DML_OPERATOR_DESC){.Type = DML_OPERATOR_DIAGONAL_MATRIX, .Desc = &diagonal->diagonal};
}

void nonzero_init(struct nonzero *nonzero, uint32_t count) {
    tensor_init(&nonzero->input, DML_TENSOR_DATA_TYPE_UINT32, 1, count);
    tensor_init(&nonzero->output_count, DML_TENSOR_DATA_TYPE_UINT32, 1, 1);
    tensor_init(&nonzero->coordinates, DML_TENSOR_DATA_TYPE_UINT32, count, 4);
    nonzero->nonzero = (DML_NONZERO_COORDINATES_OPERATOR_DESC){.InputTensor = &nonzero->input.desc,
                                                               .OutputCountTensor = &nonzero->output_count.desc,
                                                               .OutputCoordinatesTensor = &nonzero->coordinates.desc};
    nonzero->desc = (DML_OPERATOR_DESC){.Type = DML_OPERATOR_NONZERO_COORDINATES, .Desc = &nonzero->nonzero};
}
