#include "cases/operators/indices.h"

static const char *const scatter_nd_fixed[] = {
    /* The documented example, with the attributes and ranks that it lacks. */
    "SCATTER_ND seed=1 InputTensor=FLOAT32[1,8] InputTensor.data=1,2,3,4,5,6,7,8 IndicesTensor=UINT32[4,1] "
    "IndicesTensor.data=4,3,1,7 UpdatesTensor=FLOAT32[1,4] UpdatesTensor.data=9,10,11,12 OutputTensor=FLOAT32[1,8] "
    "OutputTensor.data=1,11,3,10,9,6,7,12 InputDimensionCount=1 IndicesDimensionCount=2",
    /* Blocks; of two in one place the last. */
    "SCATTER_ND seed=2 InputTensor=INT8[3,2] InputTensor.data=1,2,3,4,5,6 IndicesTensor=INT32[4,1] "
    "IndicesTensor.data=-1,0,2,-4 UpdatesTensor=INT8[4,2] UpdatesTensor.data=11,12,13,14,15,16,17,18 "
    "OutputTensor=INT8[3,2] OutputTensor.data=13,14,3,4,15,16 InputDimensionCount=2 IndicesDimensionCount=2",
    "SCATTER_ND seed=3 level=2_1 InputTensor=UINT8[1,9,30,77] InputTensor.fill=BITS IndicesTensor=UINT32[1,1,300,2] "
    "IndicesTensor.fill=INDICES:10 UpdatesTensor=UINT8[1,1,300,77] UpdatesTensor.fill=BITS "
    "OutputTensor=UINT8[1,9,30,77] InputDimensionCount=3 IndicesDimensionCount=2",
    "SCATTER_ND seed=4 InputTensor=FLOAT32[64,64] InputTensor.fill=BITS IndicesTensor=INT64[40,1] "
    "IndicesTensor.fill=INDICES:64 UpdatesTensor=FLOAT32[40,64] UpdatesTensor.fill=BITS OutputTensor=FLOAT32[64,64] "
    "InputDimensionCount=2 IndicesDimensionCount=2",
    /* A single tuple, and updates whose tuples lie in no order. */
    "SCATTER_ND seed=5 InputTensor=UINT16[2,3] InputTensor.data=1,2,3,4,5,6 IndicesTensor=UINT32[1,2] "
    "IndicesTensor.data=1,0 UpdatesTensor=UINT16[1,1] UpdatesTensor.data=9 OutputTensor=UINT16[2,3] "
    "OutputTensor.data=1,2,3,9,5,6 InputDimensionCount=2 IndicesDimensionCount=1",
    "SCATTER_ND seed=6 InputTensor=INT64[1,1,20,3] InputTensor.fill=BITS IndicesTensor=INT32[4,5,6,1] "
    "IndicesTensor.fill=INDICES:20 UpdatesTensor=INT64[4,5,6,3] UpdatesTensor.strides=3,84,14,1 "
    "UpdatesTensor.fill=BITS OutputTensor=INT64[1,1,20,3] InputDimensionCount=2 IndicesDimensionCount=4",
    /* Tensors of unequal dimension counts. */
    "SCATTER_ND InputTensor=INT32[1,2,3,2] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 IndicesTensor=INT32[2,2] "
    "IndicesTensor.data=1,0,0,2 UpdatesTensor=INT32[1,1,1,2,2] UpdatesTensor.data=21,22,23,24 "
    "OutputTensor=INT32[1,2,3,2] OutputTensor.data=1,2,3,4,23,24,21,22,9,10,11,12 InputDimensionCount=3 "
    "IndicesDimensionCount=2",
    "SCATTER_ND seed=8 InputTensor=FLOAT16[4,3,2,2,2,5,1] InputTensor.fill=BITS IndicesTensor=INT64[1,7,3] "
    "IndicesTensor.fill=INDICES:4 UpdatesTensor=FLOAT16[7,2,2,5,1] UpdatesTensor.fill=BITS "
    "OutputTensor=FLOAT16[4,3,2,2,2,5,1] InputDimensionCount=7 IndicesDimensionCount=2",
    /* Windows of updates, and tuples that lie apart, where a descriptor binds 32 KiB. */
    "SCATTER_ND seed=7 InputTensor=FLOAT32[50,60] InputTensor.fill=BITS IndicesTensor=INT32[9000,2] "
    "IndicesTensor.strides=1,9000 IndicesTensor.fill=INDICES:50 UpdatesTensor=FLOAT32[1,9000] UpdatesTensor.fill=BITS "
    "OutputTensor=FLOAT32[50,60] InputDimensionCount=2 IndicesDimensionCount=2",
};

static const char *const scatter_nd_repeated[] = {
    ("SCATTER_ND seed=1 InputTensor=FLOAT32[9,70] InputTensor.fill=BITS IndicesTensor=UINT32[3000,1] "
     "IndicesTensor.fill=INDICES:9 UpdatesTensor=FLOAT32[3000,70] UpdatesTensor.fill=BITS OutputTensor=FLOAT32[9,70] "
     "InputDimensionCount=2 IndicesDimensionCount=2"),
    ("SCATTER_ND seed=2 InputTensor=INT8[6,5] InputTensor.fill=BITS IndicesTensor=INT32[50000,2] "
     "IndicesTensor.fill=INDICES:5 UpdatesTensor=INT8[1,50000] UpdatesTensor.fill=BITS OutputTensor=INT8[6,5] "
     "InputDimensionCount=2 IndicesDimensionCount=2"),
};

static const struct case_tensor_support scatter_nd_support[] = {{"InputTensor", CASE_SUPPORT(INDEXED_FROM_2_1)},
                                                                {"IndicesTensor", INDICES_SINCE(2_1)},
                                                                {"UpdatesTensor", CASE_SUPPORT(INDEXED_FROM_2_1)},
                                                                {"OutputTensor", CASE_SUPPORT(INDEXED_FROM_2_1)}};

static const struct case_refusal scatter_nd_refused[] = {
    {"SCATTER_ND seed=1 InputTensor=FLOAT32[2,2] IndicesTensor=UINT32[2,1] UpdatesTensor=FLOAT32[3,2] "
     "OutputTensor=FLOAT32[2,2] InputDimensionCount=2 IndicesDimensionCount=2",
     "DML_OPERATOR_SCATTER_ND: UpdatesTensor.Sizes[0] is 3, must be 2 = IndicesTensor.Sizes[0]"},
    {"SCATTER_ND seed=1 InputTensor=FLOAT32[2,2] IndicesTensor=UINT32[2,3] UpdatesTensor=FLOAT32[1,2] "
     "OutputTensor=FLOAT32[2,2] InputDimensionCount=2 IndicesDimensionCount=2",
     "DML_OPERATOR_SCATTER_ND: IndicesTensor.Sizes[1] is 3, must be at most 2: a tuple has no more coordinates than "
     "InputDimensionCount"},
};

static void make_scatter_nd(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t row_bytes, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_SCATTER_ND);
    const uint32_t length = row_bytes / vkdmlGetDataTypeSize(type), rows = benchmark_size(bytes, type, length, 1);
    const uint32_t sizes[] = {rows, length};
    indices_make_others(c, type, 2, sizes);
    indices_make(case_tensor(c, "IndicesTensor"), 2, (const uint32_t[]){rows, 1}, rows);
    case_set_uint(c, "InputDimensionCount", 2);
    case_set_uint(c, "IndicesDimensionCount", 2);
}

static void make_scatter_nd_once(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t row_bytes,
                                 struct operator_case *c) {
    make_scatter_nd(bytes, type, row_bytes, c);
    case_tensor(c, "IndicesTensor")->fill = CASE_FILL_PERMUTED;
}

static void scatter_nd_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *updates = &c->tensors[2];
    const size_t bytes = input->sizes[1] * vkdmlGetDataTypeSize(input->type);
    memcpy(tensors[3], tensors[0], input->sizes[0] * bytes);
    for (size_t i = 0; i < updates->sizes[0]; i++) {
        memcpy(tensors[3] + loop_index(tensors, 1, i) * bytes, tensors[2] + i * bytes, bytes);
    }
}

static const struct case_benchmark scatter_nd_benchmarks[] = {
    {"rows", INDICES_BENCHMARKED, 1024, 0, make_scatter_nd, scatter_nd_loop},
    {"once", INDICES_BENCHMARKED, 1024, 0, make_scatter_nd_once, scatter_nd_loop},
};

CASE_FAMILY(scatter_nd, SCATTER_ND, .generate = indices_generate_tuples, .group = "scatter_nd",
            CASE_BENCHMARKS(scatter_nd_benchmarks), CASE_REPEATED(scatter_nd_repeated));
