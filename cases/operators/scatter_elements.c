#include "cases/operators/indices.h"

static const char *const scatter_elements_fixed[] = {
    /* The documented examples, of which the first names an element twice. */
    "SCATTER_ELEMENTS seed=1 InputTensor=FLOAT32[5] InputTensor.data=0,1,2,3,4 IndicesTensor=UINT32[4] "
    "IndicesTensor.data=3,1,3,0 UpdatesTensor=FLOAT32[4] UpdatesTensor.data=5,6,7,8 OutputTensor=FLOAT32[5] "
    "OutputTensor.data=8,6,2,7,4 Axis=0",
    "SCATTER_ELEMENTS seed=2 InputTensor=FLOAT32[3,3] InputTensor.data=0,0,0,0,0,0,0,0,0 IndicesTensor=UINT32[2,3] "
    "IndicesTensor.data=1,0,2,0,2,1 UpdatesTensor=FLOAT32[2,3] UpdatesTensor.data=10,11,12,20,21,22 "
    "OutputTensor=FLOAT32[3,3] OutputTensor.data=20,11,0,10,0,22,0,21,12 Axis=0",
    /* From the end and beyond; the last one stays, wherever it is. */
    "SCATTER_ELEMENTS seed=3 InputTensor=UINT8[2,3] InputTensor.data=1,2,3,4,5,6 IndicesTensor=INT64[2,5] "
    "IndicesTensor.data=-1,2,3,-4,0,1,1,1,0x100000000,-2 UpdatesTensor=UINT8[2,5] "
    "UpdatesTensor.data=11,12,13,14,15,16,17,18,19,20 OutputTensor=UINT8[2,3] OutputTensor.data=15,2,12,4,20,6 Axis=1",
    "SCATTER_ELEMENTS seed=4 level=1_0 InputTensor=FLOAT16[2,9,5,30] InputTensor.fill=BITS "
    "IndicesTensor=UINT32[2,4,5,30] "
    "IndicesTensor.fill=INDICES:9 UpdatesTensor=FLOAT16[2,4,5,30] UpdatesTensor.fill=BITS UpdatesTensor.owned=1 "
    "OutputTensor=FLOAT16[2,9,5,30] Axis=1",
    /* Many updates of few elements. */
    "SCATTER_ELEMENTS seed=5 InputTensor=INT64[7,3] InputTensor.fill=BITS IndicesTensor=INT32[3000,3] "
    "IndicesTensor.fill=INDICES:7 UpdatesTensor=INT64[3000,3] UpdatesTensor.fill=BITS OutputTensor=INT64[7,3] Axis=0",
    /* Rows with gaps, of elements that share words with what is nobody's. */
    "SCATTER_ELEMENTS seed=6 InputTensor=UINT8[9,50] InputTensor.fill=BITS IndicesTensor=UINT32[9,40] "
    "IndicesTensor.fill=INDICES:50 UpdatesTensor=UINT8[9,40] UpdatesTensor.strides=1,9 UpdatesTensor.fill=BITS "
    "OutputTensor=UINT8[9,50] OutputTensor.strides=151,3 Axis=1",
    /* Windows of all of them, where a descriptor binds 32 KiB. */
    "SCATTER_ELEMENTS seed=7 InputTensor=INT16[2,30001] InputTensor.fill=BITS IndicesTensor=UINT32[2,40001] "
    "IndicesTensor.fill=INDICES:30001 UpdatesTensor=INT16[2,40001] UpdatesTensor.fill=BITS OutputTensor=INT16[2,30001] "
    "Axis=1",
    /* By strips. */
    "SCATTER_ELEMENTS seed=8 InputTensor=INT16[5000,908] InputTensor.fill=BITS IndicesTensor=UINT32[4000,908] "
    "IndicesTensor.fill=INDICES:5000 UpdatesTensor=INT16[4000,908] UpdatesTensor.fill=BITS "
    "OutputTensor=INT16[5000,908] "
    "Axis=0",
    /* Lines in shared memory. */
    "SCATTER_ELEMENTS seed=9 InputTensor=FLOAT32[3,7,1024] InputTensor.fill=BITS IndicesTensor=UINT32[3,7,1200] "
    "IndicesTensor.fill=INDICES:1024 UpdatesTensor=FLOAT32[3,7,1200] UpdatesTensor.fill=BITS "
    "OutputTensor=FLOAT32[3,7,1024] Axis=2",
    "SCATTER_ELEMENTS seed=10 InputTensor=FLOAT16[3,7,1040] InputTensor.fill=BITS IndicesTensor=INT64[3,7,2604] "
    "IndicesTensor.fill=INDICES:1040 UpdatesTensor=FLOAT16[3,7,2604] UpdatesTensor.fill=BITS "
    "OutputTensor=FLOAT16[3,7,1040] Axis=2",
    "SCATTER_ELEMENTS seed=11 InputTensor=UINT8[3,7,1056] InputTensor.fill=BITS IndicesTensor=INT32[3,7,516] "
    "IndicesTensor.fill=INDICES:1056 UpdatesTensor=UINT8[3,7,516] UpdatesTensor.fill=BITS OutputTensor=UINT8[3,7,1056] "
    "Axis=2",
    "SCATTER_ELEMENTS seed=12 InputTensor=INT64[3,7,1030] InputTensor.fill=BITS IndicesTensor=INT64[3,7,1202] "
    "IndicesTensor.fill=INDICES:1030 UpdatesTensor=INT64[3,7,1202] UpdatesTensor.fill=BITS "
    "OutputTensor=INT64[3,7,1030] Axis=2",
};

/* Thousands of updates of each of a few elements, here and there. */
static const char *const scatter_elements_repeated[] = {
    ("SCATTER_ELEMENTS seed=1 InputTensor=FLOAT32[7,30] InputTensor.fill=BITS IndicesTensor=UINT32[4000,30] "
     "IndicesTensor.fill=INDICES:7 UpdatesTensor=FLOAT32[4000,30] UpdatesTensor.fill=BITS OutputTensor=FLOAT32[7,30] "
     "Axis=0"),
    ("SCATTER_ELEMENTS seed=2 InputTensor=FLOAT16[64,100] InputTensor.fill=BITS IndicesTensor=INT64[64,2000] "
     "IndicesTensor.fill=INDICES:100 UpdatesTensor=FLOAT16[64,2000] UpdatesTensor.fill=BITS "
     "OutputTensor=FLOAT16[64,100] Axis=1"),
    ("SCATTER_ELEMENTS seed=3 InputTensor=UINT8[33] InputTensor.fill=BITS IndicesTensor=INT32[60000] "
     "IndicesTensor.fill=INDICES:33 UpdatesTensor=UINT8[60000] UpdatesTensor.fill=BITS OutputTensor=UINT8[33] Axis=0"),
};

static const struct case_tensor_support scatter_elements_support[] = {{"InputTensor", INDEXED_SINCE(1_0)},
                                                                      {"IndicesTensor", INDICES_SINCE(1_0)},
                                                                      {"UpdatesTensor", INDEXED_SINCE(1_0)},
                                                                      {"OutputTensor", INDEXED_SINCE(1_0)}};

static const struct case_refusal scatter_elements_refused[] = {
    {"SCATTER_ELEMENTS seed=1 InputTensor=FLOAT32[3,3] IndicesTensor=UINT32[2,3] UpdatesTensor=FLOAT32[2,3] "
     "OutputTensor=FLOAT32[3,3] Axis=2",
     "DML_OPERATOR_SCATTER_ELEMENTS: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
    {"SCATTER_ELEMENTS seed=1 InputTensor=FLOAT32[3,3] IndicesTensor=UINT32[2,4] UpdatesTensor=FLOAT32[2,4] "
     "OutputTensor=FLOAT32[3,3] Axis=0",
     "DML_OPERATOR_SCATTER_ELEMENTS: IndicesTensor.Sizes[1] is 4, must be 3 = InputTensor.Sizes[1]: only along Axis "
     "(0) "
     "may they differ"},
};

static void make_scatter_elements(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    indices_make_elements(DML_OPERATOR_SCATTER_ELEMENTS, bytes, type, axis, c);
}

/* No element twice. */
static void make_scatter_once(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    make_scatter_elements(bytes, type, axis, c);
    case_tensor(c, "IndicesTensor")->fill = CASE_FILL_PERMUTED;
}

/* The input, then the updates in their order. */
static void scatter_elements_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *indices = &c->tensors[1];
    const size_t element = vkdmlGetDataTypeSize(input->type), width = input->sizes[1];
    const bool rows = c->fields[4].words[0] == 0;
    memcpy(tensors[3], tensors[0], (size_t)case_element_count(input) * element);
    for (size_t i = 0; i < indices->sizes[0]; i++) {
        for (size_t j = 0; j < width; j++) {
            const size_t named = loop_index(tensors, 1, i * width + j);
            const size_t to = rows ? named * width + j : i * width + named;
            loop_copy(tensors[3] + to * element, tensors[2] + (i * width + j) * element, element);
        }
    }
}

static const struct case_benchmark scatter_elements_benchmarks[] = {
    {"inner", INDICES_BENCHMARKED, 1, 0, make_scatter_elements, scatter_elements_loop},
    {"once", INDICES_BENCHMARKED, 1, 0, make_scatter_once, scatter_elements_loop},
    {"outer", INDICES_BENCHMARKED, 0, 0, make_scatter_elements, scatter_elements_loop},
};

CASE_FAMILY(scatter_elements, SCATTER_ELEMENTS, .generate = indices_generate_elements, .group = "scatter_elements",
            CASE_BENCHMARKS(scatter_elements_benchmarks), CASE_REPEATED(scatter_elements_repeated));
