/* Rows of the tests' own, with a field of every type and a rule of every kind: what holds of any row is tested on them,
 * whatever the operator table has. The operators' names and levels are DirectML's, their structs are not. */
#ifndef ROWS_OWN_ROWS_H
#define ROWS_OWN_ROWS_H

#include "vkdml/schema.h"

/* QUANTIZE (6_3): an array of inputs, 4-bit types. */
struct own_quantize {
    const DML_TENSOR_DESC *InputTensor;
    DML_PADDING_MODE Mode;
    uint32_t QuantizationTensorCount;
    const DML_TENSOR_DESC
        *QuantizationTensors;            /* of InputTensor's DimensionCount, sizes that divide its; sizes alike */
    const DML_TENSOR_DESC *OutputTensor; /* of InputTensor's sizes */
};

/* SPLIT (1_0): an array of outputs. */
struct own_split {
    const DML_TENSOR_DESC *InputTensor;
    uint32_t OutputCount;
    const DML_TENSOR_DESC *OutputTensors; /* of InputTensor's type */
};

/* ELEMENT_WISE_ADD1 (2_0): an operator to fuse; in place of either input. */
struct own_add1 {
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
    const DML_OPERATOR_DESC *FusedActivation;
};

/* GRU (1_0): an array of operators to fuse, not optional. */
struct own_gru {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    uint32_t ActivationDescCount;
    const DML_OPERATOR_DESC *ActivationDescs;
    int32_t LinearBeforeReset;
};

/* RESAMPLE (2_0): arrays of three kinds, a size, rules between tensors. */
struct own_resample {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *MeanTensor;      /* of InputTensor's type, sizes its or 1 */
    const DML_TENSOR_DESC *ScaleTensor;     /* of InputTensor's type below 3_0; one element */
    const DML_TENSOR_DESC *ZeroPointTensor; /* optional from 6_2 on */
    const DML_TENSOR_DESC *OutputTensor;
    DML_SIZE_2D Window;
    uint32_t ScaleCount;
    const float *Scales;
    const int32_t *Steps;
    const uint32_t *Offsets; /* optional */
    DML_TENSOR_DATA_TYPE ValueDataType;
    DML_SCALAR_UNION Value;
};

/* ACTIVATION_RELU (1_0): may be fused, no attributes. */
struct own_relu {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
};

/* ACTIVATION_CELU (3_0): may be fused. */
struct own_celu {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    float Alpha;
};

/* ACTIVATION_SHRINK (2_0): may be fused, with attributes that can be refused. */
struct own_shrink {
    const DML_TENSOR_DESC *InputTensor;
    const DML_TENSOR_DESC *OutputTensor;
    DML_PADDING_MODE Mode;
    uint32_t OffsetCount;
    const uint32_t *Offsets;
};

/* ACTIVATION_SOFTMAX has a row too (own_relu), but cannot be fused; ACTIVATION_TANH can, and has none. */

uint32_t own_row_count(void);
const VkdmlOperatorSchema *own_row_at(uint32_t index);
const VkdmlOperatorSchema *own_row_find(DML_OPERATOR_TYPE type);

/* A FLOAT32 tensor, packed, and what its descriptor points to: not to be copied. */
struct own_tensor {
    uint32_t sizes[DML_TENSOR_DIMENSION_COUNT_MAX1];
    DML_BUFFER_TENSOR_DESC buffer;
};

/* Makes the tensor of `rank` sizes; returns the descriptor that points to it. */
DML_TENSOR_DESC own_tensor(struct own_tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes);
#define OWN_TENSOR(tensor, TYPE, ...)                                                                                  \
    own_tensor(tensor, DML_TENSOR_DATA_TYPE_##TYPE, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),              \
               (const uint32_t[]){__VA_ARGS__})

#endif
