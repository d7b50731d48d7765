#include "cases/operators/indices.h"

static const char *const one_hot_fixed[] = {
    /* The documented examples. */
    "ONE_HOT seed=1 IndicesTensor=UINT32[1,1,3,1] IndicesTensor.data=0,3,2 ValuesTensor=FLOAT32[1,1,1,2] "
    "ValuesTensor.data=0,1 OutputTensor=FLOAT32[1,1,3,4] OutputTensor.data=1,0,0,0,0,0,0,1,0,0,1,0 Axis=3",
    "ONE_HOT seed=2 IndicesTensor=UINT32[1,1,1,4] IndicesTensor.data=0,2,1,0 ValuesTensor=FLOAT32[1,1,1,2] "
    "ValuesTensor.data=0,1 OutputTensor=FLOAT32[1,1,3,4] OutputTensor.data=1,0,0,1,0,0,1,0,0,1,0,0 Axis=2",
    "ONE_HOT seed=3 IndicesTensor=UINT32[1,1,3,1] IndicesTensor.data=0,3,2 ValuesTensor=FLOAT32[1,1,3,1] "
    "ValuesTensor.data=4,2,9 OutputTensor=FLOAT32[1,1,3,4] OutputTensor.data=2,4,4,4,4,4,4,2,4,4,2,4 Axis=3",
    "ONE_HOT seed=4 IndicesTensor=INT32[1,1,3,1] IndicesTensor.data=-3,100,3 ValuesTensor=FLOAT32[1,1,1,2] "
    "ValuesTensor.data=0,1 OutputTensor=FLOAT32[1,1,3,4] OutputTensor.data=0,1,0,0,0,0,0,0,0,0,0,1 Axis=3",
    /* 64 bits, of which 32 would name one. */
    "ONE_HOT seed=5 IndicesTensor=INT64[4,1] IndicesTensor.data=0x100000001,-1,-4,-3 ValuesTensor=UINT8[2,1] "
    "ValuesTensor.data=7,9 OutputTensor=UINT8[4,3] OutputTensor.data=7,7,7,7,7,9,7,7,7,9,7,7 Axis=1",
    /* Which two values: those along the innermost dimension that has two. */
    "ONE_HOT seed=6 IndicesTensor=UINT64[1,2] IndicesTensor.data=0,0xffffffffffffffff ValuesTensor=INT64[2,2] "
    "ValuesTensor.strides=1,2 ValuesTensor.data=1,2,3,4 OutputTensor=INT64[2,2] OutputTensor.data=2,1,1,1 Axis=0",
    "ONE_HOT seed=7 level=2_0 IndicesTensor=UINT32[3,1,20,33] IndicesTensor.fill=INDICES:40 "
    "ValuesTensor=FLOAT16[1,1,1,2] ValuesTensor.owned=1 OutputTensor=FLOAT16[3,40,20,33] Axis=1",
    "ONE_HOT seed=8 IndicesTensor=INT32[300,1] IndicesTensor.fill=INDICES:67 ValuesTensor=UINT8[1,2] "
    "OutputTensor=UINT8[300,67] Axis=1",
    "ONE_HOT seed=9 IndicesTensor=INT64[1,300] IndicesTensor.fill=INDICES:67 ValuesTensor=INT16[1,2] "
    "OutputTensor=INT16[67,300] Axis=0",
    /* Values that a descriptor of 32 KiB does not bind together. */
    "ONE_HOT seed=10 IndicesTensor=INT64[1,300] IndicesTensor.fill=INDICES:67 ValuesTensor=INT16[1,2] "
    "ValuesTensor.strides=1,50000 ValuesTensor.data=3,4 OutputTensor=INT16[67,300] Axis=0",
};

static void generate_one_hot(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *values = case_tensor(c, "ValuesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = values->type = generate_type(random, c, "ValuesTensor");
    output->rank = values->rank = indices_rank(random);
    generate_sizes(random, indices_budget(random), output);
    const uint32_t axis = random_below(random, output->rank);
    *indices = *output;
    indices->type = indices_type(random);
    indices->sizes[axis] = 1;
    generate_sizes(random, 30, values);
    if (case_element_count(values) < 2) {
        values->sizes[random_below(random, values->rank)] = 2;
    }
    case_set_uint(c, "Axis", axis);
    indices_end(random, c, values, indices, output->sizes[axis], output);
}

static const struct case_tensor_support one_hot_support[] = {
    {"IndicesTensor", INDICES_SINCE(2_0)}, {"ValuesTensor", INDEXED_SINCE(2_0)}, {"OutputTensor", INDEXED_SINCE(2_0)}};

static const struct case_refusal one_hot_refused[] = {
    {"ONE_HOT seed=1 IndicesTensor=UINT32[3,1] ValuesTensor=FLOAT32[1,2] OutputTensor=FLOAT32[3,4] Axis=2",
     "DML_OPERATOR_ONE_HOT: Axis is 2, must be below 2 = IndicesTensor.DimensionCount"},
    {"ONE_HOT seed=1 IndicesTensor=UINT32[3,1] ValuesTensor=FLOAT32[1,1] OutputTensor=FLOAT32[3,4] Axis=1",
     "DML_OPERATOR_ONE_HOT: ValuesTensor has one element, must have at least 2: the off value and the on value"},
    {"ONE_HOT seed=1 IndicesTensor=UINT32[2,4] ValuesTensor=FLOAT32[1,2] OutputTensor=FLOAT32[3,4] Axis=1",
     "DML_OPERATOR_ONE_HOT: IndicesTensor.Sizes[0] is 2, must be 3 = OutputTensor.Sizes[0]\n"
     "DML_OPERATOR_ONE_HOT: IndicesTensor.Sizes[1] is 4, must be 1 along Axis (1)"},
};

/* 1000 classes. */
static void make_one_hot(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_ONE_HOT);
    uint32_t sizes[2];
    indices_make_lines(c, "IndicesTensor", bytes, type, axis, 1000, 1000, sizes);
    benchmark_tensor(case_tensor(c, "ValuesTensor"), type, 2, (const uint32_t[]){1, 2});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, sizes);
}

/* Everything off, then what is on. */
static void one_hot_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *output = &c->tensors[2];
    const size_t element = vkdmlGetDataTypeSize(output->type), height = output->sizes[0], width = output->sizes[1];
    const bool rows = c->fields[3].words[0] == 0;
    const unsigned char *off = tensors[1], *on = tensors[1] + element;
    for (size_t j = 0; j < width; j++) {
        loop_copy(tensors[2] + j * element, off, element);
    }
    for (size_t i = 1; i < height; i++) {
        memcpy(tensors[2] + i * width * element, tensors[2], width * element);
    }
    for (size_t i = 0; i < (rows ? width : height); i++) {
        const size_t named = loop_index(tensors, 0, i);
        loop_copy(tensors[2] + (rows ? named * width + i : i * width + named) * element, on, element);
    }
}

static const struct case_benchmark one_hot_benchmarks[] = {
    {"inner", INDICES_BENCHMARKED, 1, CASE_BENCHMARK_TYPE_OF_OUTPUT, make_one_hot, one_hot_loop},
    {"outer", INDICES_BENCHMARKED, 0, CASE_BENCHMARK_TYPE_OF_OUTPUT, make_one_hot, one_hot_loop},
};

CASE_FAMILY(one_hot, ONE_HOT, .generate = generate_one_hot, .group = "one_hot", CASE_BENCHMARKS(one_hot_benchmarks));
