/* Operators between floats and integers with a scale and a zero point. */
#include <string.h>

#include "cases/generate.h"
#include "cases/number.h"
#include "cases/operators/mapping.h"

#define BYTES     (CASE_TYPE(UINT8) | CASE_TYPE(INT8))
#define QUANTIZED (BYTES | CASE_TYPE(UINT4) | CASE_TYPE(INT4))
static const struct case_support scale_types[] = {
    AT_LEVEL(1_0, 4, 4, CASE_TYPE(FLOAT32)), AT_LEVEL(3_0, 1, 8, CASE_TYPE(FLOAT32)), AT_LEVEL(6_0, 1, 8, FLOATS), {0}};
static const struct case_support linear_inputs[] = {AT_LEVEL(1_0, 4, 4, CASE_TYPE(FLOAT32)),
                                                    AT_LEVEL(2_1, 4, 4, CASE_TYPE(FLOAT32) | CASE_TYPE(INT32)),
                                                    AT_LEVEL(3_0, 1, 8, CASE_TYPE(FLOAT32) | CASE_TYPE(INT32)),
                                                    AT_LEVEL(6_0, 1, 8, FLOATS | CASE_TYPE(INT32)),
                                                    {0}};
static const struct case_support linear_bytes[] = {
    AT_LEVEL(1_0, 4, 4, CASE_TYPE(UINT8)), AT_LEVEL(2_1, 4, 4, BYTES), AT_LEVEL(3_0, 1, 8, BYTES), {0}};
static const struct case_support linear_integers[] = {AT_LEVEL(1_0, 4, 4, CASE_TYPE(UINT8)),
                                                      AT_LEVEL(2_1, 4, 4, SIGNED | UNSIGNED),
                                                      AT_LEVEL(3_0, 1, 8, SIGNED | UNSIGNED),
                                                      {0}};

/* ---- of every element its own scale, often one by strides ---- */

/* Scales are of the floats' type, but FLOAT32 of INT32. */
static void choose_scale_type(struct random *random, struct operator_case *c) {
    const DML_TENSOR_DATA_TYPE type = case_tensor(c, "InputTensor")->type;
    (void)random;
    case_tensor(c, "ScaleTensor")->type = type == DML_TENSOR_DATA_TYPE_INT32 ? DML_TENSOR_DATA_TYPE_FLOAT32 : type;
}

static void make_linear(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    benchmark_mapping(bytes, type, argument, c);
    if (c->schema->type == DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR) {
        choose_scale_type(NULL, c);
    }
    case_tensor(c, "ScaleTensor")->fill = CASE_FILL_ABOVE_ONE;
}

static const struct case_benchmark linear_benchmarks[] = {
    {"scalar", CASE_TYPES_UP_TO_32, MAPPING_SCALAR, 0, make_linear, NULL},
    {"channels", CASE_TYPES_UP_TO_32, MAPPING_CHANNELS, 0, make_linear, NULL},
    {"packed", CASE_TYPES_UP_TO_32, MAPPING_PACKED, 0, make_linear, NULL},
};
static const struct case_refusal quantize_linear_refused[] = {
    {"ELEMENT_WISE_QUANTIZE_LINEAR InputTensor=INT32[1] ScaleTensor=FLOAT16[1] ZeroPointTensor=UINT8[1] "
     "OutputTensor=UINT8[1]",
     "DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR: ScaleTensor.DataType is DML_TENSOR_DATA_TYPE_FLOAT16, must be "
     "DML_TENSOR_DATA_TYPE_FLOAT32 where InputTensor.DataType is DML_TENSOR_DATA_TYPE_INT32"},
    {"ELEMENT_WISE_QUANTIZE_LINEAR InputTensor=FLOAT16[1] ScaleTensor=FLOAT32[1] ZeroPointTensor=UINT8[1] "
     "OutputTensor=UINT8[1]",
     "DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR: ScaleTensor.DataType is DML_TENSOR_DATA_TYPE_FLOAT32, must be "
     "DML_TENSOR_DATA_TYPE_FLOAT16 = InputTensor.DataType"},
};
#define QUANTIZE_LINEAR_REFUSED                                                                                        \
    .refused = quantize_linear_refused,                                                                                \
    .refused_count = sizeof(quantize_linear_refused) / sizeof(quantize_linear_refused[0]),
TENSORS(element_wise_quantize_linear, {"InputTensor", linear_inputs}, {"ScaleTensor", scale_types},
        {"ZeroPointTensor", linear_bytes}, {"OutputTensor", linear_bytes});
FAMILY_WITH(QUANTIZE_LINEAR_REFUSED, element_wise_quantize_linear, ELEMENT_WISE_QUANTIZE_LINEAR, linear_benchmarks,
            NULL, choose_scale_type,
            "ELEMENT_WISE_QUANTIZE_LINEAR InputTensor=FLOAT32[7] InputTensor.data=1,3,5,-3,1e20,0x7fc00000,0xff800000 "
            "ScaleTensor=FLOAT32[7] ScaleTensor.data=2,2,2,2,2,2,2 ZeroPointTensor=UINT8[7] "
            "ZeroPointTensor.data=10,10,10,10,10,10,10 OutputTensor=UINT8[7] OutputTensor.data=10,12,12,8,255,10,0",
            "ELEMENT_WISE_QUANTIZE_LINEAR InputTensor=INT32[3] InputTensor.data=100,-100,300 ScaleTensor=FLOAT32[3] "
            "ScaleTensor.strides=0 ScaleTensor.data=2,2,2 OutputTensor=INT8[3] OutputTensor.data=50,-50,127");
TENSORS(element_wise_dequantize_linear, {"InputTensor", linear_integers}, {"ScaleTensor", scale_types},
        {"ZeroPointTensor", linear_integers}, {"OutputTensor", scale_types});
FAMILY(element_wise_dequantize_linear, ELEMENT_WISE_DEQUANTIZE_LINEAR, linear_benchmarks, NULL, NULL,
       "ELEMENT_WISE_DEQUANTIZE_LINEAR InputTensor=UINT8[3] InputTensor.data=0,10,255 ScaleTensor=FLOAT32[3] "
       "ScaleTensor.data=0.5,0.5,2 ZeroPointTensor=UINT8[3] ZeroPointTensor.data=10,10,10 OutputTensor=FLOAT32[3] "
       "OutputTensor.data=-5,0,490",
       "ELEMENT_WISE_DEQUANTIZE_LINEAR InputTensor=INT32[2] InputTensor.data=2147483647,-2147483648 "
       "ScaleTensor=FLOAT32[2] ScaleTensor.data=1,1 ZeroPointTensor=INT32[2] ZeroPointTensor.data=-1,2147483647 "
       "OutputTensor=FLOAT32[2] OutputTensor.data=2147483648,-4294967296");

/* ---- a sum ---- */

/* Every scale and zero point is one element. */
static void make_sum(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    static const char *const tensors[] = {"ATensor", "BTensor", "OutputTensor"};
    static const char *const scales[] = {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"};
    static const char *const zero_points[] = {"AZeroPointTensor", "BZeroPointTensor", "OutputZeroPointTensor"};
    const uint32_t columns = 4096, one[] = {1, 1};
    (void)argument;
    for (size_t i = 0; i < sizeof(tensors) / sizeof(tensors[0]); i++) {
        benchmark_tensor(case_tensor(c, tensors[i]), type, 2,
                         (const uint32_t[]){benchmark_size(bytes, type, columns, 1), columns});
        benchmark_tensor(case_tensor(c, scales[i]), DML_TENSOR_DATA_TYPE_FLOAT32, 2, one);
        benchmark_tensor(case_tensor(c, zero_points[i]), type, 2, one);
        case_tensor(c, scales[i])->fill = CASE_FILL_ABOVE_ONE;
    }
}

static const struct case_benchmark sum_benchmarks[] = {{"packed", BYTES, 0, 0, make_sum, NULL}};
static const struct case_support summed[] = {AT_LEVEL(4_0, 1, 8, BYTES), {0}};
static const struct case_support summed_scales[] = {AT_LEVEL(4_0, 1, 8, CASE_TYPE(FLOAT32)), {0}};
TENSORS(element_wise_quantized_linear_add, {"ATensor", summed}, {"AScaleTensor", summed_scales},
        {"AZeroPointTensor", summed}, {"BTensor", summed}, {"BScaleTensor", summed_scales},
        {"BZeroPointTensor", summed}, {"OutputScaleTensor", summed_scales}, {"OutputZeroPointTensor", summed},
        {"OutputTensor", summed});
FAMILY(element_wise_quantized_linear_add, ELEMENT_WISE_QUANTIZED_LINEAR_ADD, sum_benchmarks, NULL, NULL,
       "ELEMENT_WISE_QUANTIZED_LINEAR_ADD ATensor=UINT8[2,3] ATensor.data=0,10,255,11,12,13 AScaleTensor=FLOAT32[1,1] "
       "AScaleTensor.data=0.5 AZeroPointTensor=UINT8[1,1] AZeroPointTensor.data=10 BTensor=INT8[2,3] "
       "BTensor.data=-128,127,0,1,2,3 BScaleTensor=FLOAT32[1,1] BScaleTensor.data=2 BZeroPointTensor=INT8[1,1] "
       "BZeroPointTensor.data=-1 OutputScaleTensor=FLOAT32[1,1] OutputScaleTensor.data=0.5 "
       "OutputZeroPointTensor=UINT8[1,1] OutputZeroPointTensor.data=3 OutputTensor=UINT8[2,3] "
       "OutputTensor.data=0,255,252,12,17,22",
       /* Halves go to even ones: sums of 1, 3, -1 and -3 by a scale of 2. */
       "ELEMENT_WISE_QUANTIZED_LINEAR_ADD ATensor=INT8[4] ATensor.data=1,2,-2,-3 AScaleTensor=FLOAT32[1] "
       "AScaleTensor.data=1 BTensor=INT8[4] BTensor.data=0,1,1,0 BScaleTensor=FLOAT32[1] BScaleTensor.data=1 "
       "OutputScaleTensor=FLOAT32[1] OutputScaleTensor.data=2 OutputTensor=INT8[4] OutputTensor.data=0,2,0,-2",
       /* Infinities of both signs and 0 times infinity are NaN, which is the zero point. */
       "ELEMENT_WISE_QUANTIZED_LINEAR_ADD ATensor=INT8[3] ATensor.data=1,0,-1 AScaleTensor=FLOAT32[1] "
       "AScaleTensor.data=inf BTensor=INT8[3] BTensor.data=-1,1,-1 BScaleTensor=FLOAT32[1] BScaleTensor.data=inf "
       "OutputScaleTensor=FLOAT32[1] OutputScaleTensor.data=1 OutputZeroPointTensor=UINT8[1] "
       "OutputZeroPointTensor.data=7 OutputTensor=UINT8[3] OutputTensor.data=7,7,0");

/* ---- of blocks ---- */

/* QuantizationTensors: scales, and with chance zero points, that each serve a block. */
static void add_blocks(struct operator_case *c, uint32_t count, const uint32_t *sizes) {
    const bool quantizes = c->schema->type == DML_OPERATOR_QUANTIZE;
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    case_set_uint(c, "QuantizationType",
                  count == 1 ? DML_QUANTIZATION_TYPE_SCALE : DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT);
    case_set_uint(c, "QuantizationTensorCount", count);
    for (uint32_t i = 0; i < count; i++) {
        struct case_tensor *tensor = case_array_tensor(c, "QuantizationTensors", i);
        benchmark_tensor(tensor, quantizes == (i == 0) ? input->type : output->type, input->rank, sizes);
    }
}

static void choose_blocks(struct random *random, struct operator_case *c) {
    const struct case_tensor *input = case_tensor(c, "InputTensor");
    uint32_t sizes[DML_TENSOR_DIMENSION_COUNT_MAX1];
    for (uint32_t d = 0; d < input->rank; d++) {
        const uint32_t block = random_between(random, 1, 8);
        const uint32_t size = input->sizes[d];
        sizes[d] = random_chance(random, 30) ? 1 : size % block == 0 ? size / block : size;
    }
    add_blocks(c, random_chance(random, 30) ? 1 : 2, sizes);
}

/* Matrices with a scale for every 32 elements of a row, as language models' weights have. */
static void make_blocks(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    benchmark_mapping(bytes, type, argument, c);
    const struct case_tensor *input = case_tensor(c, "InputTensor");
    add_blocks(c, 2, (const uint32_t[]){input->sizes[0], input->sizes[1] / 32});
    case_array_tensor(c, "QuantizationTensors", 0)->fill = CASE_FILL_ABOVE_ONE;
}

static const struct case_benchmark quantize_benchmarks[] = {
    {"blocks/to_uint8", CASE_TYPES_FLOATS, MAPPING_TO(UINT8), 0, make_blocks, NULL},
    {"blocks/to_int4", CASE_TYPES_FLOATS, MAPPING_TO(INT4), 0, make_blocks, NULL},
};
static const struct case_benchmark dequantize_benchmarks[] = {
    {"blocks/to_float32", QUANTIZED, MAPPING_TO(FLOAT32), 0, make_blocks, NULL},
    {"blocks/to_float16", QUANTIZED, MAPPING_TO(FLOAT16), 0, make_blocks, NULL},
};

static const struct case_support quantized[] = {AT_LEVEL(6_3, 1, 8, QUANTIZED), {0}};
static const struct case_support block_types[] = {AT_LEVEL(6_3, 1, 8, FLOATS | QUANTIZED), {0}};
#define SAMPLE "QUANTIZE InputTensor=FLOAT32[2] QuantizationTensorCount="
static const struct case_refusal quantize_refused[] = {
    {SAMPLE "1 QuantizationType=NONE QuantizationTensors[0]=FLOAT32[1] OutputTensor=INT8[2]",
     "DML_OPERATOR_QUANTIZE: QuantizationType is DML_QUANTIZATION_TYPE_NONE, must be DML_QUANTIZATION_TYPE_SCALE or "
     "DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT"},
    {SAMPLE "1 QuantizationType=SCALE_ZERO_POINT QuantizationTensors[0]=FLOAT32[1] OutputTensor=INT8[2]",
     "DML_OPERATOR_QUANTIZE: QuantizationTensorCount is 1, must be 2 for this QuantizationType"},
    {SAMPLE "1 QuantizationType=SCALE QuantizationTensors[0]=FLOAT16[1] OutputTensor=INT8[2]",
     "DML_OPERATOR_QUANTIZE: QuantizationTensors[0].DataType is DML_TENSOR_DATA_TYPE_FLOAT16, must be "
     "DML_TENSOR_DATA_TYPE_FLOAT32 = InputTensor.DataType"},
    {SAMPLE "2 QuantizationType=SCALE_ZERO_POINT QuantizationTensors[0]=FLOAT32[1] QuantizationTensors[1]=UINT8[1] "
            "OutputTensor=INT8[2]",
     "DML_OPERATOR_QUANTIZE: QuantizationTensors[1].DataType is DML_TENSOR_DATA_TYPE_UINT8, must be "
     "DML_TENSOR_DATA_TYPE_INT8 = OutputTensor.DataType"},
    {SAMPLE "2 QuantizationType=SCALE_ZERO_POINT QuantizationTensors[0]=FLOAT32[1] QuantizationTensors[1]=INT8[2] "
            "OutputTensor=INT8[2]",
     "DML_OPERATOR_QUANTIZE: QuantizationTensors[1].Sizes[0] is 2, must be 1 = QuantizationTensors[0].Sizes[0]"},
};
#define QUANTIZE_REFUSED                                                                                               \
    .refused = quantize_refused, .refused_count = sizeof(quantize_refused) / sizeof(quantize_refused[0]),
TENSORS(quantize, {"InputTensor", floats_from_6_3}, {"QuantizationTensors", block_types}, {"OutputTensor", quantized});
FAMILY_WITH(QUANTIZE_REFUSED, quantize, QUANTIZE, quantize_benchmarks, NULL, choose_blocks,
            "QUANTIZE InputTensor=FLOAT32[2,4] InputTensor.data=1,3,-1,9,4,-8,2,0.5 QuantizationType=SCALE_ZERO_POINT "
            "QuantizationTensorCount=2 QuantizationTensors[0]=FLOAT32[2,2] QuantizationTensors[0].data=2,0.5,4,0.25 "
            "QuantizationTensors[1]=UINT8[2,2] QuantizationTensors[1].data=10,20,30,40 OutputTensor=UINT8[2,4] "
            "OutputTensor.data=10,12,18,38,31,28,48,42",
            /* Five of them fill two and a half bytes. */
            "QUANTIZE InputTensor=FLOAT16[5] InputTensor.data=-9,-1.5,0.5,7,100 QuantizationType=SCALE "
            "QuantizationTensorCount=1 "
            "QuantizationTensors[0]=FLOAT16[1] QuantizationTensors[0].data=1 OutputTensor=INT4[5] "
            "OutputTensor.data=-8,-2,0,7,7");
TENSORS(dequantize, {"InputTensor", quantized}, {"QuantizationTensors", block_types},
        {"OutputTensor", floats_from_6_3});
FAMILY(dequantize, DEQUANTIZE, dequantize_benchmarks, NULL, choose_blocks,
       "DEQUANTIZE InputTensor=UINT4[3] InputTensor.data=0,8,15 QuantizationType=SCALE_ZERO_POINT "
       "QuantizationTensorCount=2 QuantizationTensors[0]=FLOAT32[3] QuantizationTensors[0].data=1,2,0.5 "
       "QuantizationTensors[1]=UINT4[3] QuantizationTensors[1].data=8,8,1 OutputTensor=FLOAT32[3] "
       "OutputTensor.data=-8,0,7",
       "DEQUANTIZE InputTensor=INT8[4] InputTensor.data=-128,127,1,2 QuantizationType=SCALE QuantizationTensorCount=1 "
       "QuantizationTensors[0]=FLOAT16[2] QuantizationTensors[0].data=2,0.5 OutputTensor=FLOAT16[4] "
       "OutputTensor.data=-256,254,0.5,1");

/* ---- DYNAMIC_QUANTIZE_LINEAR ---- */

static void make_dynamic(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    (void)argument;
    case_begin(c, DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    benchmark_tensor(input, type, 2, (const uint32_t[]){benchmark_size(bytes, type, 1024, 1), 1024});
    input->fill = CASE_FILL_UNIT;
    benchmark_tensor(case_tensor(c, "OutputTensor"), DML_TENSOR_DATA_TYPE_UINT8, 2, input->sizes);
    benchmark_tensor(case_tensor(c, "OutputScaleTensor"), DML_TENSOR_DATA_TYPE_FLOAT32, 2, (const uint32_t[]){1, 1});
    benchmark_tensor(case_tensor(c, "OutputZeroPointTensor"), DML_TENSOR_DATA_TYPE_UINT8, 2, (const uint32_t[]){1, 1});
}

static void dynamic_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const float *in = (const float *)(const void *)tensors[0];
    const size_t count = (size_t)c->tensors[0].sizes[0] * c->tensors[0].sizes[1];
    float least = 0, greatest = 0;
    for (size_t i = 0; i < count; i++) {
        least = in[i] < least ? in[i] : least;
        greatest = in[i] > greatest ? in[i] : greatest;
    }
    const float scale = (greatest - least) / 255, zero_point = rintf(-least / scale);
    for (size_t i = 0; i < count; i++) {
        const float x = rintf(in[i] / scale) + zero_point;
        tensors[1][i] = (unsigned char)(x < 0 ? 0 : x > 255 ? 255 : x);
    }
    memcpy(tensors[2], &scale, sizeof(scale));
    tensors[3][0] = (unsigned char)zero_point;
}

static const struct case_benchmark dynamic_quantize_linear_benchmarks[] = {
    {"to_uint8", CASE_TYPE(FLOAT32), 0, 0, make_dynamic, dynamic_loop},
    {"to_uint8", CASE_TYPE(FLOAT16), 0, 0, make_dynamic, NULL},
};

#define DYNAMIC(FROM, TO, sizes, ones, in, out, scale, zero_point)                                                     \
    "DYNAMIC_QUANTIZE_LINEAR InputTensor=" FROM sizes " InputTensor.data=" in " OutputTensor=" TO sizes                \
    " OutputTensor.data=" out " OutputScaleTensor=FLOAT32" ones " OutputScaleTensor.data=" scale                       \
    " OutputZeroPointTensor=" TO ones " OutputZeroPointTensor.data=" zero_point
static const struct case_support bytes_from_4_0[] = {AT_LEVEL(4_0, 1, 8, CASE_TYPE(INT8) | CASE_TYPE(UINT8)), {0}};
static const struct case_support floats_from_4_0[] = {AT_LEVEL(4_0, 1, 8, FLOATS), {0}};
static const struct case_support float32_from_4_0[] = {AT_LEVEL(4_0, 1, 8, CASE_TYPE(FLOAT32)), {0}};
TENSORS(dynamic_quantize_linear, {"InputTensor", floats_from_4_0}, {"OutputTensor", bytes_from_4_0},
        {"OutputScaleTensor", float32_from_4_0}, {"OutputZeroPointTensor", bytes_from_4_0});
static const char *const dynamic_fixed[] = {
    DYNAMIC("FLOAT32", "UINT8", "[5]", "[1]", "-1,0,0.5,2,254", "0,1,1,3,255", "1", "1"),
    DYNAMIC("FLOAT16", "INT8", "[1,4]", "[1,1]", "-51,0,1,204", "-128,-77,-76,127", "1", "-77"),
    /* The range holds 0 from either side; nothing but zeros; NaN. */
    DYNAMIC("FLOAT32", "UINT8", "[2]", "[1]", "510,509", "255,254", "2", "0"),
    DYNAMIC("FLOAT32", "INT8", "[2]", "[1]", "-510,-2", "-128,126", "2", "127"),
    DYNAMIC("FLOAT32", "INT8", "[2]", "[1]", "0,0x80000000", "-128,-128", "1", "-128"),
    "DYNAMIC_QUANTIZE_LINEAR InputTensor=FLOAT32[300,301] InputTensor.fill=SMALL OutputTensor=INT8[300,301] "
    "OutputScaleTensor=FLOAT32[1,1] OutputZeroPointTensor=INT8[1,1]",
    "DYNAMIC_QUANTIZE_LINEAR InputTensor=FLOAT16[2,3,4] InputTensor.fill=SPECIAL OutputTensor=UINT8[2,3,4] "
    "OutputScaleTensor=FLOAT32[1,1,1] OutputZeroPointTensor=UINT8[1,1,1]",
};
const struct case_family vkdml_cases_dynamic_quantize_linear = {.type = DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR,
                                                                CASE_SUPPORTED(dynamic_quantize_linear_support),
                                                                CASE_FIXED(dynamic_fixed),
                                                                .generate = generate_mapping,
                                                                .group = "dynamic_quantize_linear",
                                                                CASE_BENCHMARKS(dynamic_quantize_linear_benchmarks)};
