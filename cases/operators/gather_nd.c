#include "cases/operators/indices.h"

static const char *const gather_nd_fixed[] = {
    /* The documented examples. */
    "GATHER_ND seed=1 InputTensor=FLOAT32[2,2] InputTensor.data=0,1,2,3 IndicesTensor=UINT32[2,1] "
    "IndicesTensor.data=1,0 OutputTensor=FLOAT32[2,2] OutputTensor.data=2,3,0,1 InputDimensionCount=2 "
    "IndicesDimensionCount=2",
    "GATHER_ND seed=2 InputTensor=FLOAT32[1,2,2,2] InputTensor.data=0,1,2,3,4,5,6,7 IndicesTensor=UINT32[1,1,2,2] "
    "IndicesTensor.data=0,1,1,0 OutputTensor=FLOAT32[1,1,2,2] OutputTensor.data=2,3,4,5 InputDimensionCount=3 "
    "IndicesDimensionCount=2",
    /* The documented sizes. */
    "GATHER_ND seed=3 InputTensor=INT32[3,4,5,6,7] InputTensor.fill=INDEX IndicesTensor=INT32[1,1,1,2,3] "
    "IndicesTensor.data=-3,3,-1,2,0,1 OutputTensor=INT32[1,1,2,6,7] InputDimensionCount=5 IndicesDimensionCount=3",
    /* One coordinate of a tuple that is none is enough. */
    "GATHER_ND seed=4 InputTensor=UINT8[2,3] InputTensor.data=1,2,3,4,5,6 IndicesTensor=INT64[5,2] "
    "IndicesTensor.data=1,-1,2,0,0,3,-3,0,-2,-3 OutputTensor=UINT8[1,5] OutputTensor.data=6,0,0,0,1 "
    "InputDimensionCount=2 IndicesDimensionCount=2",
    /* A single tuple of everything. */
    "GATHER_ND seed=5 InputTensor=FLOAT64[2,3] InputTensor.data=1,2,3,4,5,6 IndicesTensor=UINT32[1,2] "
    "IndicesTensor.data=1,1 OutputTensor=FLOAT64[1,1] OutputTensor.data=5 InputDimensionCount=2 "
    "IndicesDimensionCount=1",
    "GATHER_ND seed=6 level=2_1 InputTensor=UINT8[1,9,30,77] InputTensor.fill=BITS IndicesTensor=UINT32[1,1,300,2] "
    "IndicesTensor.fill=INDICES:10 OutputTensor=UINT8[1,1,300,77] InputDimensionCount=3 IndicesDimensionCount=2",
    "GATHER_ND seed=7 InputTensor=FLOAT16[50,60] InputTensor.fill=BITS IndicesTensor=INT32[700,2] "
    "IndicesTensor.fill=INDICES:50 OutputTensor=FLOAT16[1,700] InputDimensionCount=2 IndicesDimensionCount=2",
    /* Eight coordinates. */
    "GATHER_ND seed=8 InputTensor=UINT16[2,2,3,2,2,3,2,2] InputTensor.fill=INDEX IndicesTensor=INT32[1,1,1,1,1,5,7,8] "
    "IndicesTensor.fill=INDICES:2 OutputTensor=UINT16[1,1,1,1,1,1,5,7] InputDimensionCount=8 IndicesDimensionCount=3",
    /* Tuples whose coordinates lie further apart than a descriptor of 32 KiB binds. */
    "GATHER_ND seed=9 InputTensor=FLOAT32[50,60] InputTensor.fill=BITS IndicesTensor=INT32[9000,2] "
    "IndicesTensor.strides=1,9000 IndicesTensor.fill=INDICES:50 IndicesTensor.owned=1 OutputTensor=FLOAT32[1,9000] "
    "InputDimensionCount=2 IndicesDimensionCount=2",
};

static const char *const gather_nd1_fixed[] = {
    /* The documented examples. */
    "GATHER_ND1 seed=1 InputTensor=FLOAT32[2,2] InputTensor.data=0,1,2,3 IndicesTensor=UINT32[2,1] "
    "IndicesTensor.data=1,0 OutputTensor=FLOAT32[2,2] OutputTensor.data=2,3,0,1 InputDimensionCount=2 "
    "IndicesDimensionCount=2 BatchDimensionCount=0",
    "GATHER_ND1 seed=2 InputTensor=FLOAT32[1,3,2,2] InputTensor.data=0,1,2,3,4,5,6,7,8,9,10,11 "
    "IndicesTensor=UINT32[1,3,2,2] IndicesTensor.data=0,0,1,1,1,1,0,0,0,1,1,0 OutputTensor=FLOAT32[1,1,3,2] "
    "OutputTensor.data=0,3,7,4,9,10 InputDimensionCount=3 IndicesDimensionCount=3 BatchDimensionCount=1",
    "GATHER_ND1 seed=3 level=3_0 InputTensor=INT8[5,9,64] InputTensor.fill=BITS IndicesTensor=INT64[5,20,1] "
    "IndicesTensor.fill=INDICES:9 OutputTensor=INT8[5,20,64] InputDimensionCount=3 IndicesDimensionCount=3 "
    "BatchDimensionCount=1",
    "GATHER_ND1 seed=4 InputTensor=INT64[3,4,9,33] InputTensor.fill=BITS IndicesTensor=UINT64[1,3,4,2] "
    "IndicesTensor.fill=INDICES:9 OutputTensor=INT64[1,1,3,4] InputDimensionCount=4 IndicesDimensionCount=3 "
    "BatchDimensionCount=2",
};

static const struct case_tensor_support gather_nd_support[] = {{"InputTensor", CASE_SUPPORT(INDEXED_FROM_2_1)},
                                                               {"IndicesTensor", INDICES_SINCE(2_1)},
                                                               {"OutputTensor", CASE_SUPPORT(INDEXED_FROM_2_1)}};
static const struct case_tensor_support gather_nd1_support[] = {
    {"InputTensor", CASE_SUPPORT(INDEXED_FROM_3_0)},
    {"IndicesTensor", CASE_SUPPORT(AT_LEVEL(3_0, 1, 8, INDEX_TYPES))},
    {"OutputTensor", CASE_SUPPORT(INDEXED_FROM_3_0)}};

static const struct case_refusal gather_nd_refused[] = {
    {"GATHER_ND seed=1 InputTensor=FLOAT32[2,2] IndicesTensor=UINT32[2,1] OutputTensor=FLOAT32[2,2] "
     "InputDimensionCount=0 IndicesDimensionCount=3",
     "DML_OPERATOR_GATHER_ND: InputDimensionCount is 0, must be 1 to 2 = InputTensor.DimensionCount\n"
     "DML_OPERATOR_GATHER_ND: IndicesDimensionCount is 3, must be 1 to 2 = IndicesTensor.DimensionCount"},
    {"GATHER_ND seed=1 InputTensor=FLOAT32[2,2] IndicesTensor=UINT32[2,1] OutputTensor=FLOAT32[1,2] "
     "InputDimensionCount=1 IndicesDimensionCount=2",
     "DML_OPERATOR_GATHER_ND: InputTensor.Sizes[0] is 2, must be 1: InputDimensionCount (1) leaves it out"},
    {"GATHER_ND seed=1 InputTensor=FLOAT32[2,2] IndicesTensor=UINT32[2,1] OutputTensor=FLOAT32[1,2] "
     "InputDimensionCount=2 IndicesDimensionCount=1",
     "DML_OPERATOR_GATHER_ND: IndicesTensor.Sizes[0] is 2, must be 1: IndicesDimensionCount (1) leaves it out"},
    {"GATHER_ND seed=1 InputTensor=FLOAT32[2,2] IndicesTensor=UINT32[2,3] OutputTensor=FLOAT32[1,2] "
     "InputDimensionCount=2 IndicesDimensionCount=2",
     "DML_OPERATOR_GATHER_ND: IndicesTensor.Sizes[1] is 3, must be at most 2: a tuple has no more coordinates than "
     "InputDimensionCount"},
    {"GATHER_ND seed=1 InputTensor=FLOAT32[2,2] IndicesTensor=UINT32[2,1] OutputTensor=FLOAT32[3,4] "
     "InputDimensionCount=2 IndicesDimensionCount=2",
     "DML_OPERATOR_GATHER_ND: OutputTensor.Sizes[0] is 3, must be 2 = IndicesTensor.Sizes[0]\n"
     "DML_OPERATOR_GATHER_ND: OutputTensor.Sizes[1] is 4, must be 2 = InputTensor.Sizes[1]"},
};

static const struct case_refusal gather_nd1_refused[] = {
    {"GATHER_ND1 seed=1 InputTensor=FLOAT32[3,2,2] IndicesTensor=UINT32[1,3,2] OutputTensor=FLOAT32[1,1,3] "
     "InputDimensionCount=3 IndicesDimensionCount=2 BatchDimensionCount=2",
     "DML_OPERATOR_GATHER_ND1: BatchDimensionCount is 2, must be below 2, the less of InputDimensionCount and "
     "IndicesDimensionCount"},
    {"GATHER_ND1 seed=1 InputTensor=FLOAT32[3,2,2] IndicesTensor=UINT32[1,4,2] OutputTensor=FLOAT32[1,1,4] "
     "InputDimensionCount=3 IndicesDimensionCount=2 BatchDimensionCount=1",
     "DML_OPERATOR_GATHER_ND1: IndicesTensor.Sizes[1] is 4, must be 3 = InputTensor.Sizes[0]: batches are in both"},
    {"GATHER_ND1 seed=1 InputTensor=FLOAT32[3,2,2] IndicesTensor=UINT32[1,3,3] OutputTensor=FLOAT32[1,1,3] "
     "InputDimensionCount=3 IndicesDimensionCount=2 BatchDimensionCount=1",
     "DML_OPERATOR_GATHER_ND1: IndicesTensor.Sizes[2] is 3, must be at most 2: a tuple has no more coordinates than "
     "InputDimensionCount - BatchDimensionCount"},
};

static void make_gather_nd(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t row_bytes, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_GATHER_ND);
    const uint32_t row = row_bytes / vkdmlGetDataTypeSize(type), length = row != 0 ? row : 1, side = 64;
    const uint32_t fitting = benchmark_size(bytes, type, (uint64_t)length * side, 1);
    const uint32_t most = UINT32_MAX / 2 / side; /* of the coordinates, two for a row, there are fewer than 2^32 */
    const uint32_t count = fitting < most ? fitting : most, rows = count * side, rank = row != 0 ? 3 : 2;
    benchmark_tensor(case_tensor(c, "InputTensor"), type, rank, (const uint32_t[]){count, side, length});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, rank,
                     row != 0 ? (const uint32_t[]){1, rows, length} : (const uint32_t[]){1, rows});
    indices_make(case_tensor(c, "IndicesTensor"), rank,
                 row != 0 ? (const uint32_t[]){1, rows, 2} : (const uint32_t[]){rows, 2}, count < side ? count : side);
    case_set_uint(c, "InputDimensionCount", rank);
    case_set_uint(c, "IndicesDimensionCount", 2);
}

/* Tuples of two coordinates, of a row or of an element. */
static void gather_nd_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *output = &c->tensors[2];
    const size_t last = input->rank == 3 ? input->sizes[2] : 1, bytes = last * vkdmlGetDataTypeSize(input->type);
    const size_t count = (size_t)case_element_count(output) / last;
    for (size_t i = 0; i < count; i++) {
        const size_t from = loop_index(tensors, 1, 2 * i) * input->sizes[1] + loop_index(tensors, 1, 2 * i + 1);
        loop_copy(tensors[2] + i * bytes, tensors[0] + from * bytes, bytes);
    }
}

static const struct case_benchmark gather_nd_benchmarks[] = {
    {"rows", INDICES_BENCHMARKED, 1024, 0, make_gather_nd, gather_nd_loop},
    {"elements", INDICES_BENCHMARKED, 0, 0, make_gather_nd, gather_nd_loop},
};

/* 32 batches. */
static void make_gather_nd1(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t row_bytes, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_GATHER_ND1);
    const uint32_t length = row_bytes / vkdmlGetDataTypeSize(type), batches = 32;
    const uint32_t count = benchmark_size(bytes, type, (uint64_t)length * batches, 1);
    indices_make_others(c, type, 3, (const uint32_t[]){batches, count, length});
    indices_make(case_tensor(c, "IndicesTensor"), 3, (const uint32_t[]){batches, count, 1}, count);
    case_set_uint(c, "InputDimensionCount", 3);
    case_set_uint(c, "IndicesDimensionCount", 3);
    case_set_uint(c, "BatchDimensionCount", 1);
}

/* Tuples of one coordinate, of a row of its batch. */
static void gather_nd1_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0];
    const size_t bytes = input->sizes[2] * vkdmlGetDataTypeSize(input->type), count = input->sizes[1];
    for (size_t b = 0; b < input->sizes[0]; b++) {
        for (size_t i = b * count; i < (b + 1) * count; i++) {
            const unsigned char *from = tensors[0] + (b * count + loop_index(tensors, 1, i)) * bytes;
            memcpy(tensors[2] + i * bytes, from, bytes);
        }
    }
}

static const struct case_benchmark gather_nd1_benchmarks[] = {
    {"rows", INDICES_BENCHMARKED, 1024, 0, make_gather_nd1, gather_nd1_loop},
};

CASE_FAMILY(gather_nd, GATHER_ND, .generate = indices_generate_tuples, .group = "gather_nd",
            CASE_BENCHMARKS(gather_nd_benchmarks));

CASE_FAMILY(gather_nd1, GATHER_ND1, .generate = indices_generate_tuples, .group = "gather_nd1",
            CASE_BENCHMARKS(gather_nd1_benchmarks));
