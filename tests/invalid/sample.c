#include "sample.h"

#include <assert.h>
#include <string.h>

const DML_OPERATOR_TYPE sample_operators[SAMPLE_OPERATOR_COUNT] = {
    DML_OPERATOR_ELEMENT_WISE_IDENTITY,
    DML_OPERATOR_PADDING,
    DML_OPERATOR_DIAGONAL_MATRIX,
    DML_OPERATOR_NONZERO_COORDINATES,
};

uint32_t sample_element_bits(DML_TENSOR_DATA_TYPE type) {
    static const uint32_t bits[] = {
        [DML_TENSOR_DATA_TYPE_FLOAT64] = 64, [DML_TENSOR_DATA_TYPE_INT64] = 64, [DML_TENSOR_DATA_TYPE_UINT64] = 64,
        [DML_TENSOR_DATA_TYPE_FLOAT32] = 32, [DML_TENSOR_DATA_TYPE_INT32] = 32, [DML_TENSOR_DATA_TYPE_UINT32] = 32,
        [DML_TENSOR_DATA_TYPE_FLOAT16] = 16, [DML_TENSOR_DATA_TYPE_INT16] = 16, [DML_TENSOR_DATA_TYPE_UINT16] = 16,
        [DML_TENSOR_DATA_TYPE_INT8] = 8,     [DML_TENSOR_DATA_TYPE_UINT8] = 8,  [DML_TENSOR_DATA_TYPE_INT4] = 4,
        [DML_TENSOR_DATA_TYPE_UINT4] = 4,
    };
    return (uint32_t)type < sizeof(bits) / sizeof(bits[0]) ? bits[type] : 0;
}

/* Written apart from the library's: the position of the last element, and that element, in whole words. */
static void fit(struct sample_tensor *tensor) {
    DML_BUFFER_TENSOR_DESC *buffer = &tensor->buffer;
    uint64_t last = 0, packed = 1;
    for (uint32_t i = buffer->DimensionCount; i-- > 0;) {
        last += (uint64_t)(buffer->Sizes[i] - 1) * (buffer->Strides != NULL ? buffer->Strides[i] : packed);
        packed *= buffer->Sizes[i];
    }
    buffer->TotalTensorSizeInBytes = ((last + 1) * sample_element_bits(buffer->DataType) + 31) / 32 * 4;
}

void sample_set_sizes(struct sample_tensor *tensor, const uint32_t *sizes, uint32_t count) {
    assert(count <= SAMPLE_MAX_DIMENSIONS);
    memcpy(tensor->sizes, sizes, count * sizeof(*sizes));
    tensor->buffer.DimensionCount = count;
    tensor->buffer.Sizes = tensor->sizes;
    fit(tensor);
}

void sample_set_strides(struct sample_tensor *tensor, const uint32_t *strides) {
    memcpy(tensor->strides, strides, tensor->buffer.DimensionCount * sizeof(*strides));
    tensor->buffer.Strides = tensor->strides;
    fit(tensor);
}

void sample_set_type(struct sample_tensor *tensor, DML_TENSOR_DATA_TYPE type) {
    tensor->buffer.DataType = type;
    fit(tensor);
}

static const DML_TENSOR_DESC *init_tensor(struct sample_tensor *tensor, DML_TENSOR_DATA_TYPE type,
                                          const uint32_t *sizes) {
    tensor->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    tensor->buffer.DataType = type;
    sample_set_sizes(tensor, sizes, 4);
    return &tensor->tensor;
}

static const DML_TENSOR_DESC *init_float(struct sample_tensor *tensor, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return init_tensor(tensor, DML_TENSOR_DATA_TYPE_FLOAT32, (const uint32_t[]){a, b, c, d});
}

static const DML_TENSOR_DESC *init_uint(struct sample_tensor *tensor, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return init_tensor(tensor, DML_TENSOR_DATA_TYPE_UINT32, (const uint32_t[]){a, b, c, d});
}

static void init_identity(struct sample *sample) {
    sample->scale_bias = (DML_SCALE_BIAS){2.0f, 1.0f};
    sample->identity.InputTensor = init_float(&sample->input, 2, 3, 4, 5);
    sample->identity.OutputTensor = init_float(&sample->output, 2, 3, 4, 5);
    sample->identity.ScaleBias = &sample->scale_bias;
}

static void init_padding(struct sample *sample) {
    static const uint32_t start[] = {0, 0, 1, 2}, end[] = {0, 0, 3, 4};
    memcpy(sample->start, start, sizeof(start));
    memcpy(sample->end, end, sizeof(end));
    sample->padding.InputTensor = init_float(&sample->input, 1, 1, 4, 4);
    sample->padding.OutputTensor = init_float(&sample->output, 1, 1, 8, 10);
    sample->padding.PaddingMode = DML_PADDING_MODE_CONSTANT;
    sample->padding.PaddingValue = 9.0f;
    sample->padding.DimensionCount = 4;
    sample->padding.StartPadding = sample->start;
    sample->padding.EndPadding = sample->end;
}

static void init_diagonal(struct sample *sample) {
    sample->diagonal.OutputTensor = init_float(&sample->output, 1, 1, 3, 3);
    sample->diagonal.Offset = 1;
    sample->diagonal.Value = 1.0f;
}

static void init_nonzero(struct sample *sample) {
    sample->nonzero.InputTensor = init_float(&sample->input, 1, 1, 2, 4);
    sample->nonzero.OutputCountTensor = init_uint(&sample->count, 1, 1, 1, 1);
    sample->nonzero.OutputCoordinatesTensor = init_uint(&sample->coordinates, 1, 1, 8, 3);
}

void sample_init(struct sample *sample, DML_OPERATOR_TYPE type) {
    static const struct {
        DML_OPERATOR_TYPE type;
        void (*init)(struct sample *sample);
    } inits[] = {
        {DML_OPERATOR_ELEMENT_WISE_IDENTITY, init_identity},
        {DML_OPERATOR_PADDING, init_padding},
        {DML_OPERATOR_DIAGONAL_MATRIX, init_diagonal},
        {DML_OPERATOR_NONZERO_COORDINATES, init_nonzero},
    };
    memset(sample, 0, sizeof(*sample));
    sample->level = DML_FEATURE_LEVEL_6_4;
    /* All descriptor structs of the union begin at its start. */
    sample->op = (DML_OPERATOR_DESC){type, &sample->identity};
    for (size_t i = 0; i < sizeof(inits) / sizeof(inits[0]); i++) {
        if (inits[i].type == type) {
            inits[i].init(sample);
        }
    }
}
