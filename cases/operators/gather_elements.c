#include "cases/operators/indices.h"

static const char *const gather_elements_fixed[] = {
    /* The documented example. */
    "GATHER_ELEMENTS seed=1 InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,4,5,6,7,8,9 IndicesTensor=UINT32[2,3] "
    "IndicesTensor.data=1,2,0,2,0,0 OutputTensor=FLOAT32[2,3] OutputTensor.data=4,8,3,7,2,3 Axis=0",
    /* Another axis, from the end and beyond. */
    "GATHER_ELEMENTS seed=2 InputTensor=INT8[2,3] InputTensor.data=1,2,3,4,5,6 IndicesTensor=INT64[2,4] "
    "IndicesTensor.data=-1,0,3,-3,2,2,-4,1 OutputTensor=INT8[2,4] OutputTensor.data=3,1,0,1,6,6,0,5 Axis=1",
    "GATHER_ELEMENTS seed=3 level=2_1 InputTensor=UINT16[2,3,4,50] InputTensor.fill=BITS "
    "IndicesTensor=UINT32[2,3,9,50] IndicesTensor.fill=INDICES:4 OutputTensor=UINT16[2,3,9,50] Axis=2",
    "GATHER_ELEMENTS seed=4 InputTensor=FLOAT32[40,99] InputTensor.fill=BITS InputTensor.owned=1 "
    "IndicesTensor=INT32[40,100] IndicesTensor.fill=INDICES:99 OutputTensor=FLOAT32[40,100] Axis=1",
    "GATHER_ELEMENTS seed=5 InputTensor=UINT8[40,99] InputTensor.fill=BITS IndicesTensor=INT64[40,101] "
    "IndicesTensor.fill=INDICES:99 OutputTensor=UINT8[40,101] OutputTensor.strides=128,1 Axis=1",
    "GATHER_ELEMENTS seed=6 InputTensor=INT64[40,99] InputTensor.fill=BITS IndicesTensor=UINT32[50,99] "
    "IndicesTensor.strides=1,50 IndicesTensor.fill=INDICES:40 OutputTensor=INT64[50,99] Axis=0",
    /* Indices that all rows share. */
    "GATHER_ELEMENTS seed=7 InputTensor=UINT16[40,3,64] InputTensor.fill=BITS IndicesTensor=UINT32[40,5,64] "
    "IndicesTensor.strides=0,1,0 IndicesTensor.fill=INDICES:3 OutputTensor=UINT16[40,5,64] Axis=1",
    /* Windows of the input, where a descriptor binds 32 KiB. */
    "GATHER_ELEMENTS seed=8 InputTensor=INT16[50001,2] InputTensor.fill=BITS IndicesTensor=UINT32[3000,2] "
    "IndicesTensor.fill=INDICES:50001 OutputTensor=INT16[3000,2] Axis=0",
    /* Rows beyond a strip's, and strips of which the last is narrower. */
    "GATHER_ELEMENTS seed=20 InputTensor=FLOAT32[2,4100,604] InputTensor.fill=BITS IndicesTensor=UINT32[2,4100,604] "
    "IndicesTensor.fill=INDICES:4100 OutputTensor=FLOAT32[2,4100,604] Axis=1",
};

static const struct case_tensor_support gather_elements_support[] = {{"InputTensor", CASE_SUPPORT(INDEXED_FROM_2_1)},
                                                                     {"IndicesTensor", INDICES_SINCE(2_1)},
                                                                     {"OutputTensor", CASE_SUPPORT(INDEXED_FROM_2_1)}};

static const struct case_refusal gather_elements_refused[] = {
    {"GATHER_ELEMENTS seed=1 InputTensor=FLOAT32[3,3] IndicesTensor=UINT32[2,3] OutputTensor=FLOAT32[2,3] Axis=2",
     "DML_OPERATOR_GATHER_ELEMENTS: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
    {"GATHER_ELEMENTS seed=1 InputTensor=FLOAT32[3,3] IndicesTensor=UINT32[2,4] OutputTensor=FLOAT32[2,4] Axis=0",
     "DML_OPERATOR_GATHER_ELEMENTS: IndicesTensor.Sizes[1] is 4, must be 3 = InputTensor.Sizes[1]: only along Axis (0) "
     "may they differ"},
};

static void make_gather_elements(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    indices_make_elements(DML_OPERATOR_GATHER_ELEMENTS, bytes, type, axis, c);
}

/* Along Axis of a packed matrix. */
static void gather_elements_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *indices = &c->tensors[1];
    const size_t element = vkdmlGetDataTypeSize(input->type), width = input->sizes[1];
    const bool rows = c->fields[3].words[0] == 0;
    for (size_t i = 0; i < indices->sizes[0]; i++) {
        for (size_t j = 0; j < width; j++) {
            const size_t named = loop_index(tensors, 1, i * width + j);
            const size_t from = rows ? named * width + j : i * width + named;
            loop_copy(tensors[2] + (i * width + j) * element, tensors[0] + from * element, element);
        }
    }
}

static const struct case_benchmark gather_elements_benchmarks[] = {
    {"inner", INDICES_BENCHMARKED, 1, 0, make_gather_elements, gather_elements_loop},
    {"outer", INDICES_BENCHMARKED, 0, 0, make_gather_elements, gather_elements_loop},
};

CASE_FAMILY(gather_elements, GATHER_ELEMENTS, .generate = indices_generate_elements, .group = "gather_elements",
            CASE_BENCHMARKS(gather_elements_benchmarks));
