#include "rows/own_rows.h"

#include <stddef.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define BIT(TYPE) (1u << DML_TENSOR_DATA_TYPE_##TYPE)
#define FLOATS    (BIT(FLOAT32) | BIT(FLOAT16))
#define NARROW    (BIT(INT8) | BIT(UINT8) | BIT(INT4) | BIT(UINT4))

#define MEMBER(row, Field) .name = #Field, .offset = offsetof(struct own_##row, Field)
#define UNCOUNTED          .countField = VKDML_NONE
#define UNTYPED            .typeField = VKDML_NONE
#define SUPPORT(level_, types)                                                                                         \
    .support = (const VkdmlTensorSupport[]){{DML_FEATURE_LEVEL_##level_, 1, 8, types}}, .supportCount = 1
#define AGREES(...)                                                                                                    \
    .agreements = (const VkdmlAgreement[]){__VA_ARGS__},                                                               \
    .agreementCount = sizeof((const VkdmlAgreement[]){__VA_ARGS__}) / sizeof(VkdmlAgreement)
#define ALWAYS (DML_FEATURE_LEVEL)0

#define TENSOR_OF(KIND, index)                                                                                         \
    .kind = VKDML_FIELD_KIND_##KIND##_TENSOR, .type = VKDML_FIELD_TYPE_TENSOR_DESC, .bindingIndex = (index),           \
    UNCOUNTED, UNTYPED
#define TENSORS_OF(KIND, index, count)                                                                                 \
    .kind = VKDML_FIELD_KIND_##KIND##_TENSOR, .type = VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY, .bindingIndex = (index),     \
    .countField = (count), UNTYPED
#define ATTRIBUTE(TYPE)    .kind = VKDML_FIELD_KIND_ATTRIBUTE, .type = VKDML_FIELD_TYPE_##TYPE, .bindingIndex = VKDML_NONE
#define PLAIN(TYPE)        ATTRIBUTE(TYPE), UNCOUNTED, UNTYPED
#define ARRAY(TYPE, count) ATTRIBUTE(TYPE), .countField = (count), UNTYPED

static const VkdmlEnumerator mode_enumerators[] = {
    {"DML_PADDING_MODE_CONSTANT", DML_PADDING_MODE_CONSTANT, DML_FEATURE_LEVEL_1_0},
    {"DML_PADDING_MODE_SYMMETRIC", DML_PADDING_MODE_SYMMETRIC, DML_FEATURE_LEVEL_3_0},
    {"DML_PADDING_MODE_WRAP", DML_PADDING_MODE_WRAP, DML_FEATURE_LEVEL_6_4},
};
static const VkdmlEnumeration mode = {"DML_PADDING_MODE", COUNT_OF(mode_enumerators), mode_enumerators};

static const VkdmlEnumerator type_enumerators[] = {
    {"DML_TENSOR_DATA_TYPE_FLOAT32", DML_TENSOR_DATA_TYPE_FLOAT32, DML_FEATURE_LEVEL_1_0},
    {"DML_TENSOR_DATA_TYPE_FLOAT16", DML_TENSOR_DATA_TYPE_FLOAT16, DML_FEATURE_LEVEL_1_0},
};
static const VkdmlEnumeration data_type = {"DML_TENSOR_DATA_TYPE", COUNT_OF(type_enumerators), type_enumerators};

static const VkdmlFieldSchema quantize_fields[] = {
    {MEMBER(quantize, InputTensor), TENSOR_OF(INPUT, 0), SUPPORT(6_3, FLOATS)},
    {MEMBER(quantize, Mode), PLAIN(ENUM), .enumeration = &mode},
    {MEMBER(quantize, QuantizationTensorCount), PLAIN(UINT)},
    {MEMBER(quantize, QuantizationTensors), TENSORS_OF(INPUT, 1, 2), SUPPORT(6_3, FLOATS | NARROW),
     AGREES({0, VKDML_AGREE_SIZES_DIVIDE, ALWAYS}, {3, VKDML_AGREE_SIZES, ALWAYS})},
    {MEMBER(quantize, OutputTensor), TENSOR_OF(OUTPUT, 0), SUPPORT(6_3, NARROW),
     AGREES({0, VKDML_AGREE_SIZES, ALWAYS})},
};

static const VkdmlFieldSchema split_fields[] = {
    {MEMBER(split, InputTensor), TENSOR_OF(INPUT, 0), SUPPORT(1_0, FLOATS)},
    {MEMBER(split, OutputCount), PLAIN(UINT)},
    {MEMBER(split, OutputTensors), TENSORS_OF(OUTPUT, 0, 1), SUPPORT(1_0, FLOATS),
     AGREES({0, VKDML_AGREE_DATA_TYPE, ALWAYS})},
};

static const VkdmlFieldSchema add1_fields[] = {
    {MEMBER(add1, ATensor), TENSOR_OF(INPUT, 0), SUPPORT(2_0, FLOATS)},
    {MEMBER(add1, BTensor), TENSOR_OF(INPUT, 1), SUPPORT(2_0, FLOATS)},
    {MEMBER(add1, OutputTensor), TENSOR_OF(OUTPUT, 0), SUPPORT(2_0, FLOATS), .mayAliasFields = 1u << 0 | 1u << 1},
    {MEMBER(add1, FusedActivation), PLAIN(OPERATOR_DESC), .optional = 1},
};

static const VkdmlFieldSchema gru_fields[] = {
    {MEMBER(gru, InputTensor), TENSOR_OF(INPUT, 0), SUPPORT(1_0, FLOATS)},
    {MEMBER(gru, OutputTensor), TENSOR_OF(OUTPUT, 0), SUPPORT(1_0, FLOATS)},
    {MEMBER(gru, ActivationDescCount), PLAIN(UINT)},
    {MEMBER(gru, ActivationDescs), ARRAY(OPERATOR_DESC_ARRAY, 2)},
    {MEMBER(gru, LinearBeforeReset), PLAIN(BOOL)},
};

static const VkdmlFieldSchema resample_fields[] = {
    {MEMBER(resample, InputTensor), TENSOR_OF(INPUT, 0), SUPPORT(2_0, FLOATS)},
    {MEMBER(resample, MeanTensor), TENSOR_OF(INPUT, 1), SUPPORT(2_0, FLOATS),
     AGREES({0, VKDML_AGREE_DATA_TYPE | VKDML_AGREE_SIZES_OR_ONE, ALWAYS})},
    {MEMBER(resample, ScaleTensor), TENSOR_OF(INPUT, 2), SUPPORT(2_0, FLOATS),
     AGREES({0, VKDML_AGREE_DATA_TYPE, DML_FEATURE_LEVEL_3_0}, {VKDML_NONE, VKDML_AGREE_ONE_ELEMENT, ALWAYS})},
    {MEMBER(resample, ZeroPointTensor), TENSOR_OF(INPUT, 3), SUPPORT(2_0, FLOATS), .optional = 1,
     .optionalSince = DML_FEATURE_LEVEL_6_2},
    {MEMBER(resample, OutputTensor), TENSOR_OF(OUTPUT, 0), SUPPORT(2_0, FLOATS)},
    {MEMBER(resample, Window), PLAIN(SIZE_2D)},
    {MEMBER(resample, ScaleCount), PLAIN(UINT)},
    {MEMBER(resample, Scales), ARRAY(FLOAT_ARRAY, 6)},
    {MEMBER(resample, Steps), ARRAY(INT_ARRAY, 6)},
    {MEMBER(resample, Offsets), ARRAY(UINT_ARRAY, 6), .optional = 1},
    {MEMBER(resample, ValueDataType), PLAIN(ENUM), .enumeration = &data_type},
    {MEMBER(resample, Value), ATTRIBUTE(SCALAR_UNION), UNCOUNTED, .typeField = 10},
};

static const VkdmlFieldSchema relu_fields[] = {
    {MEMBER(relu, InputTensor), TENSOR_OF(INPUT, 0), SUPPORT(1_0, FLOATS)},
    {MEMBER(relu, OutputTensor), TENSOR_OF(OUTPUT, 0), SUPPORT(1_0, FLOATS), .mayAliasFields = 1u << 0},
};

static const VkdmlFieldSchema celu_fields[] = {
    {MEMBER(celu, InputTensor), TENSOR_OF(INPUT, 0), SUPPORT(3_0, FLOATS)},
    {MEMBER(celu, OutputTensor), TENSOR_OF(OUTPUT, 0), SUPPORT(3_0, FLOATS)},
    {MEMBER(celu, Alpha), PLAIN(FLOAT)},
};

static const VkdmlFieldSchema shrink_fields[] = {
    {MEMBER(shrink, InputTensor), TENSOR_OF(INPUT, 0), SUPPORT(2_0, FLOATS)},
    {MEMBER(shrink, OutputTensor), TENSOR_OF(OUTPUT, 0), SUPPORT(2_0, FLOATS)},
    {MEMBER(shrink, Mode), PLAIN(ENUM), .enumeration = &mode},
    {MEMBER(shrink, OffsetCount), PLAIN(UINT)},
    {MEMBER(shrink, Offsets), ARRAY(UINT_ARRAY, 3)},
};

#define ROW(NAME, row, level, inputs, outputs)                                                                         \
    .type = DML_OPERATOR_##NAME, .name = "DML_OPERATOR_" #NAME, .introduced = DML_FEATURE_LEVEL_##level,               \
    .descSize = sizeof(struct own_##row), .fieldCount = COUNT_OF(row##_fields), .fields = row##_fields,                \
    .inputCount = (inputs), .outputCount = (outputs)

static const VkdmlOperatorSchema rows[] = {
    {ROW(QUANTIZE, quantize, 6_3, 1, 1)},
    {ROW(SPLIT, split, 1_0, 1, 0)},
    {ROW(ELEMENT_WISE_ADD1, add1, 2_0, 2, 1)},
    {ROW(GRU, gru, 1_0, 1, 1)},
    {ROW(RESAMPLE, resample, 2_0, 4, 1)},
    {ROW(ACTIVATION_RELU, relu, 1_0, 1, 1), .fusableSince = DML_FEATURE_LEVEL_1_0},
    {ROW(ACTIVATION_CELU, celu, 3_0, 1, 1), .fusableSince = DML_FEATURE_LEVEL_3_0,
     .accuracy = {.kind = VKDML_ACCURACY_ULP, .ulp = 4}},
    {ROW(ACTIVATION_SHRINK, shrink, 2_0, 1, 1), .fusableSince = DML_FEATURE_LEVEL_2_0},
    {ROW(ACTIVATION_SOFTMAX, relu, 1_0, 1, 1), .accuracy = {.kind = VKDML_ACCURACY_SUM, .what = "sums of a row"}},
};

uint32_t own_row_count(void) {
    return COUNT_OF(rows);
}

const VkdmlOperatorSchema *own_row_at(uint32_t index) {
    return index < COUNT_OF(rows) ? &rows[index] : NULL;
}

const VkdmlOperatorSchema *own_row_find(DML_OPERATOR_TYPE type) {
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].type == type) {
            return &rows[i];
        }
    }
    return NULL;
}

DML_TENSOR_DESC own_tensor(struct own_tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes) {
    memcpy(tensor->sizes, sizes, rank * sizeof sizes[0]);
    tensor->buffer =
        (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                 .DimensionCount = rank,
                                 .Sizes = tensor->sizes,
                                 .TotalTensorSizeInBytes = vkdmlCalcBufferTensorSize(type, rank, sizes, NULL)};
    return (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
}
