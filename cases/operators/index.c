/* What reads elements where a tensor of indices says. */
#include <string.h>

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/support.h"

#define MAX_RANK DML_TENSOR_DIMENSION_COUNT_MAX1

#define INDEX_TYPES (LONG | CASE_TYPE(INT32) | CASE_TYPE(UINT32))

static const struct case_support indexed_since_1_0[] = {AT_LEVEL(1_0, 4, 4, FLOATS),
                                                        AT_LEVEL(2_1, 4, 4, UP_TO_32),
                                                        AT_LEVEL(3_0, 1, 8, UP_TO_32),
                                                        AT_LEVEL(4_1, 1, 8, CASE_TYPES_UP_TO_64),
                                                        {0}};
static const struct case_support indexed_since_2_1[] = {
    AT_LEVEL(2_1, 4, 4, UP_TO_32), AT_LEVEL(3_0, 1, 8, UP_TO_32), AT_LEVEL(4_1, 1, 8, CASE_TYPES_UP_TO_64), {0}};
static const struct case_support indexed_since_3_0[] = {
    AT_LEVEL(3_0, 1, 8, UP_TO_32), AT_LEVEL(4_1, 1, 8, CASE_TYPES_UP_TO_64), {0}};
static const struct case_support indices_since_2_1[] = {
    AT_LEVEL(2_1, 4, 4, CASE_TYPE(UINT32)), AT_LEVEL(3_0, 1, 8, INDEX_TYPES), {0}};
static const struct case_support indices_since_3_0[] = {AT_LEVEL(3_0, 1, 8, INDEX_TYPES), {0}};
static const struct case_support indices_since_1_0[] = {
    AT_LEVEL(1_0, 4, 4, CASE_TYPE(UINT32)), AT_LEVEL(3_0, 1, 8, INDEX_TYPES), {0}};

static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_INDEX, CASE_FILL_SPECIAL};

/* Coordinates of a dimension of `size`, or of any such. */
static void fill_indices(struct case_tensor *indices, uint32_t size) {
    indices->fill = CASE_FILL_INDICES;
    indices->fill_permille = size;
}

static DML_TENSOR_DATA_TYPE generate_index_type(struct random *random) {
    static const DML_TENSOR_DATA_TYPE types[] = {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_UINT32,
                                                 DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_UINT64,
                                                 DML_TENSOR_DATA_TYPE_INT64};
    return RANDOM_OF(random, types);
}

/* Sizes of the last `rank` dimensions, with a product of at most `budget`; ones before them. */
static void generate_last_sizes(struct random *random, uint32_t budget, uint32_t rank, struct case_tensor *tensor) {
    struct case_tensor last = {.rank = rank};
    generate_sizes(random, budget > 0 ? budget : 1, &last);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        const uint32_t ones = tensor->rank - rank;
        tensor->sizes[d] = d < ones ? 1 : last.sizes[d - ones];
    }
}

/* The sizes given as the last ones of a tensor. */
static void set_last_sizes(struct case_tensor *tensor, uint32_t count, const uint32_t *sizes) {
    for (uint32_t d = 0; d < tensor->rank; d++) {
        const uint32_t ones = tensor->rank - count;
        tensor->sizes[d] = d < ones ? 1 : sizes[d - ones];
    }
}

/* Windows of what is bound in parts are many where both tensors are large. */
static uint32_t generate_index_budget(struct random *random) {
    const uint32_t budget = generate_budget(random);
    return budget > 100000 && !generate_budget_is_fixed() ? budget / 4 : budget;
}

/* ---- GATHER ---- */

static const char *const fixed_gather[] = {
    /* The documented examples. */
    "GATHER seed=1 InputTensor=FLOAT32[4] InputTensor.data=11,12,13,14 IndicesTensor=UINT32[5] "
    "IndicesTensor.data=3,1,3,0,2 OutputTensor=FLOAT32[5] OutputTensor.data=14,12,14,11,13 Axis=0 IndexDimensions=1",
    "GATHER seed=2 InputTensor=FLOAT32[3,2] InputTensor.data=1,2,3,4,5,6 IndicesTensor=UINT32[1,4] "
    "IndicesTensor.data=0,1,1,2 OutputTensor=FLOAT32[4,2] OutputTensor.data=1,2,3,4,3,4,5,6 Axis=0 IndexDimensions=1",
    "GATHER seed=3 InputTensor=FLOAT32[3,2] InputTensor.data=1,2,3,4,5,6 IndicesTensor=UINT32[1,2] "
    "IndicesTensor.data=1,0 OutputTensor=FLOAT32[3,2] OutputTensor.data=2,1,4,3,6,5 Axis=1 IndexDimensions=2",
    "GATHER seed=4 InputTensor=FLOAT32[1,3,3] InputTensor.data=1,2,3,4,5,6,7,8,9 IndicesTensor=UINT32[1,1,2] "
    "IndicesTensor.data=0,2 OutputTensor=FLOAT32[3,1,2] OutputTensor.data=1,3,4,6,7,9 Axis=2 IndexDimensions=2",
    "GATHER seed=5 InputTensor=FLOAT32[1,3,2] InputTensor.data=1,2,3,4,5,6 IndicesTensor=UINT32[1,2,2] "
    "IndicesTensor.data=0,1,1,2 OutputTensor=FLOAT32[2,2,2] OutputTensor.data=1,2,3,4,3,4,5,6 Axis=1 "
    "IndexDimensions=2",
    /* A scalar index leaves Axis out. */
    "GATHER seed=6 InputTensor=INT16[2,3] InputTensor.data=1,2,3,4,5,6 IndicesTensor=INT32[1,1] IndicesTensor.data=-1 "
    "OutputTensor=INT16[1,2] OutputTensor.data=3,6 Axis=1 IndexDimensions=0",
    /* Indices from the end, at both ends, beyond, and far beyond, which 32 bits of 64 do not show. */
    "GATHER seed=7 InputTensor=UINT8[3,2] InputTensor.data=1,2,3,4,5,6 IndicesTensor=INT32[1,7] "
    "IndicesTensor.data=-1,-3,-4,2,3,-2147483648,2147483647 OutputTensor=UINT8[7,2] "
    "OutputTensor.data=5,6,1,2,0,0,5,6,0,0,0,0,0,0 Axis=0 IndexDimensions=1",
    "GATHER seed=8 InputTensor=INT64[3] InputTensor.data=7,8,9 IndicesTensor=INT64[8] IndicesTensor.data="
    "-3,-4,2,3,0x100000001,0xffffffff00000001,0x8000000000000000,0x7fffffffffffffff OutputTensor=INT64[8] "
    "OutputTensor.data=7,0,9,0,0,0,0,0 Axis=0 IndexDimensions=1",
    "GATHER seed=9 InputTensor=UINT16[3] InputTensor.data=7,8,9 IndicesTensor=UINT64[4] "
    "IndicesTensor.data=0x100000000,2,0xffffffffffffffff,0xfffffffffffffffe OutputTensor=UINT16[4] "
    "OutputTensor.data=0,9,0,0 Axis=0 IndexDimensions=1",
    "GATHER seed=10 InputTensor=FLOAT16[3] InputTensor.data=0x7c01,0x8000,0x1 IndicesTensor=UINT32[4] "
    "IndicesTensor.data=0,1,2,0xffffffff OutputTensor=FLOAT16[4] OutputTensor.data=0x7c01,0x8000,0x1,0x0 Axis=0 "
    "IndexDimensions=1",
    /* The oldest levels, owned tensors. */
    "GATHER seed=11 level=1_0 InputTensor=FLOAT16[1,1,40,30] InputTensor.fill=BITS InputTensor.owned=1 "
    "IndicesTensor=UINT32[1,1,1,70] IndicesTensor.fill=INDICES:40 IndicesTensor.owned=1 "
    "OutputTensor=FLOAT16[1,1,70,30] "
    "Axis=2 IndexDimensions=1",
    "GATHER seed=12 level=3_0 InputTensor=INT8[9,300] InputTensor.fill=BITS IndicesTensor=INT64[1,50] "
    "IndicesTensor.fill=INDICES:9 OutputTensor=INT8[50,300] Axis=0 IndexDimensions=1",
    /* Rows of many times 16 bytes, aligned and at all distances from that, and columns. */
    "GATHER seed=13 InputTensor=FLOAT32[100,64] InputTensor.fill=BITS IndicesTensor=INT64[1,300] "
    "IndicesTensor.fill=INDICES:100 OutputTensor=FLOAT32[300,64] Axis=0 IndexDimensions=1",
    "GATHER seed=14 InputTensor=UINT8[100,203] InputTensor.fill=BITS IndicesTensor=UINT32[1,300] "
    "IndicesTensor.fill=INDICES:100 OutputTensor=UINT8[300,203] Axis=0 IndexDimensions=1",
    "GATHER seed=15 InputTensor=INT16[3,100,67] InputTensor.fill=BITS IndicesTensor=INT32[1,1,300] "
    "IndicesTensor.strides=0,0,2 IndicesTensor.fill=INDICES:100 OutputTensor=INT16[3,300,67] Axis=1 "
    "IndexDimensions=1",
    "GATHER seed=16 InputTensor=FLOAT32[50,401] InputTensor.fill=BITS IndicesTensor=UINT32[1,512] "
    "IndicesTensor.fill=INDICES:401 OutputTensor=FLOAT32[50,512] Axis=1 IndexDimensions=1",
    "GATHER seed=17 InputTensor=UINT8[50,401] InputTensor.fill=BITS IndicesTensor=INT64[1,513] "
    "IndicesTensor.fill=INDICES:401 OutputTensor=UINT8[50,513] Axis=1 IndexDimensions=1",
    "GATHER seed=18 InputTensor=INT64[50,401] InputTensor.fill=BITS IndicesTensor=INT64[1,512] "
    "IndicesTensor.fill=INDICES:401 OutputTensor=INT64[50,512] Axis=1 IndexDimensions=1",
    /* Short rows, and rows of one element that all indices share. */
    "GATHER seed=19 InputTensor=UINT8[300,3] InputTensor.fill=BITS IndicesTensor=UINT32[1,1000] "
    "IndicesTensor.fill=INDICES:300 OutputTensor=UINT8[1000,3] Axis=0 IndexDimensions=1",
    "GATHER seed=20 InputTensor=FLOAT16[30,100] InputTensor.strides=1,0 InputTensor.fill=BITS "
    "IndicesTensor=UINT32[1,40] IndicesTensor.fill=INDICES:30 OutputTensor=FLOAT16[40,100] Axis=0 IndexDimensions=1",
    /* An input that a descriptor of 32 KiB does not bind, nor do indices or output. */
    "GATHER seed=21 InputTensor=UINT8[20001,5] InputTensor.fill=BITS IndicesTensor=INT32[1,20000] "
    "IndicesTensor.fill=INDICES:20001 OutputTensor=UINT8[20000,5] Axis=0 IndexDimensions=1",
    "GATHER seed=22 InputTensor=FLOAT32[300,101] InputTensor.fill=BITS IndicesTensor=INT32[1,300] "
    "IndicesTensor.fill=INDICES:300 OutputTensor=FLOAT32[300,101] Axis=0 IndexDimensions=1",
    /* Lines of columns in shared memory, some of which have one more or less than share a word. */
    "GATHER seed=31 InputTensor=FLOAT32[3,7,1024] InputTensor.fill=BITS IndicesTensor=UINT32[1,1,1200] "
    "IndicesTensor.fill=INDICES:1024 OutputTensor=FLOAT32[3,7,1200] Axis=2 IndexDimensions=1",
    "GATHER seed=32 InputTensor=FLOAT16[3,7,1040] InputTensor.fill=BITS IndicesTensor=INT64[1,1,1204] "
    "IndicesTensor.fill=INDICES:1040 OutputTensor=FLOAT16[3,7,1204] Axis=2 IndexDimensions=1",
    "GATHER seed=33 InputTensor=UINT8[3,7,1056] InputTensor.fill=BITS IndicesTensor=INT32[1,1,516] "
    "IndicesTensor.fill=INDICES:1056 OutputTensor=UINT8[3,7,516] Axis=2 IndexDimensions=1",
    "GATHER seed=34 InputTensor=INT64[3,7,1030] InputTensor.fill=BITS IndicesTensor=INT64[1,1,1202] "
    "IndicesTensor.fill=INDICES:1030 OutputTensor=INT64[3,7,1202] Axis=2 IndexDimensions=1",
    "GATHER seed=35 InputTensor=INT8[3,7,2000] InputTensor.fill=BITS IndicesTensor=UINT32[1,1,1000] "
    "IndicesTensor.fill=INDICES:2000 OutputTensor=INT8[3,7,1000] Axis=2 IndexDimensions=1",
};

/* InputTensor of `relevant` dimensions behind ones, and indices of so many as the output has room for. */
static void generate_gather(const struct case_family *family, struct random *random, struct operator_case *c) {
    const uint32_t budget = generate_index_budget(random);
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = input->type = generate_type(random, c, "InputTensor");
    indices->type = generate_index_type(random);
    input->rank = indices->rank = output->rank = random_chance(random, 30) ? 4 : random_between(random, 1, MAX_RANK);
    const uint32_t relevant = random_between(random, 1, input->rank);
    const uint32_t index_rank = random_below(random, input->rank - relevant + 2);
    const uint32_t axis = input->rank - relevant + random_below(random, relevant);
    generate_last_sizes(random, budget, relevant, input);
    const uint32_t others = (uint32_t)case_element_count(input) / input->sizes[axis];
    generate_last_sizes(random, budget / others, index_rank, indices);

    uint32_t sizes[2 * MAX_RANK], count = 0;
    for (uint32_t d = input->rank - relevant; d < axis; d++) {
        sizes[count++] = input->sizes[d];
    }
    for (uint32_t d = indices->rank - index_rank; d < indices->rank; d++) {
        sizes[count++] = indices->sizes[d];
    }
    for (uint32_t d = axis + 1; d < input->rank; d++) {
        sizes[count++] = input->sizes[d];
    }
    set_last_sizes(output, count, sizes);
    generate_input_layout(random, input);
    generate_input_layout(random, indices);
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    fill_indices(indices, input->sizes[axis]);
    case_set_uint(c, "Axis", axis);
    case_set_uint(c, "IndexDimensions", index_rank);
    generate_call(random, c);
}

static const struct case_tensor_support support_gather[] = {
    {"InputTensor", indexed_since_1_0}, {"IndicesTensor", indices_since_1_0}, {"OutputTensor", indexed_since_1_0}};

static const struct case_refusal refused_gather[] = {
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[1,4] OutputTensor=FLOAT32[4,2] Axis=2 "
     "IndexDimensions=1",
     "DML_OPERATOR_GATHER: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[1,4] OutputTensor=FLOAT32[4,2] Axis=0 "
     "IndexDimensions=3",
     "DML_OPERATOR_GATHER: IndexDimensions is 3, must be at most 2 = IndicesTensor.DimensionCount"},
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[5,4] OutputTensor=FLOAT32[4,2] Axis=0 "
     "IndexDimensions=1",
     "DML_OPERATOR_GATHER: IndicesTensor.Sizes[0] is 5, must be 1: IndexDimensions (1) leaves it out"},
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[5,4] OutputTensor=FLOAT32[4,2] Axis=0 "
     "IndexDimensions=2",
     "DML_OPERATOR_GATHER: OutputTensor.DimensionCount is 2, must be at least 3: so many dimensions InputTensor and "
     "IndicesTensor make"},
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[1,4] OutputTensor=FLOAT32[5,3] Axis=0 "
     "IndexDimensions=1",
     "DML_OPERATOR_GATHER: OutputTensor.Sizes[0] is 5, must be 4 = IndicesTensor.Sizes[1]\n"
     "DML_OPERATOR_GATHER: OutputTensor.Sizes[1] is 3, must be 2 = InputTensor.Sizes[1]"},
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[1,1] OutputTensor=FLOAT32[3,2] Axis=0 "
     "IndexDimensions=0",
     "DML_OPERATOR_GATHER: OutputTensor.Sizes[0] is 3, must be 1: InputTensor and IndicesTensor make 1 dimensions"},
};

/* As many rows, or columns, as there are, in any order, some twice. */
static void make_gather(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_GATHER);
    const uint32_t columns = axis == 0 ? 1024 / vkdmlGetDataTypeSize(type) : 4096;
    const uint32_t rows = benchmark_size(bytes, type, columns, 1);
    const uint32_t count = axis == 0 ? rows : columns;
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 2, (const uint32_t[]){rows, columns});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, (const uint32_t[]){rows, columns});
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 2, (const uint32_t[]){1, count});
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = count;
    case_set_uint(c, "Axis", axis);
    case_set_uint(c, "IndexDimensions", 1);
}

#define BENCHMARK_TYPES (CASE_TYPES_FLOATS | CASE_TYPE(UINT8) | CASE_TYPE(INT64))

static const struct case_benchmark benchmarks_gather[] = {
    {"rows", BENCHMARK_TYPES, 0, 0, make_gather, loop_gather},
    {"columns", BENCHMARK_TYPES, 1, 0, make_gather, loop_gather},
};

/* ---- GATHER_ELEMENTS ---- */

static const char *const fixed_gather_elements[] = {
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

static void generate_gather_elements(const struct case_family *family, struct random *random, struct operator_case *c) {
    const uint32_t budget = generate_index_budget(random);
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_chance(random, 30) ? 4 : random_between(random, 1, MAX_RANK);
    generate_sizes(random, budget, input);
    const uint32_t axis = random_below(random, input->rank);
    const uint32_t most = budget / ((uint32_t)case_element_count(input) / input->sizes[axis]);
    *output = *indices = *input;
    indices->type = generate_index_type(random);
    if (random_chance(random, 80)) {
        output->sizes[axis] = indices->sizes[axis] = random_between(random, 1, most);
    }
    generate_input_layout(random, input);
    generate_input_layout(random, indices);
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    fill_indices(indices, input->sizes[axis]);
    case_set_uint(c, "Axis", axis);
    generate_call(random, c);
}

static const struct case_tensor_support support_gather_elements[] = {
    {"InputTensor", indexed_since_2_1}, {"IndicesTensor", indices_since_2_1}, {"OutputTensor", indexed_since_2_1}};

static const struct case_refusal refused_gather_elements[] = {
    {"GATHER_ELEMENTS seed=1 InputTensor=FLOAT32[3,3] IndicesTensor=UINT32[2,3] OutputTensor=FLOAT32[2,3] Axis=2",
     "DML_OPERATOR_GATHER_ELEMENTS: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
    {"GATHER_ELEMENTS seed=1 InputTensor=FLOAT32[3,3] IndicesTensor=UINT32[2,4] OutputTensor=FLOAT32[2,4] Axis=0",
     "DML_OPERATOR_GATHER_ELEMENTS: IndicesTensor.Sizes[1] is 4, must be 3 = InputTensor.Sizes[1]: only along Axis (0) "
     "may they differ"},
};

static void make_gather_elements(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_GATHER_ELEMENTS);
    const uint32_t columns = 4096, rows = benchmark_size(bytes, type, columns, 1);
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 2, (const uint32_t[]){rows, columns});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, (const uint32_t[]){rows, columns});
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 2, (const uint32_t[]){rows, columns});
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = axis == 0 ? rows : columns;
    case_set_uint(c, "Axis", axis);
}

static const struct case_benchmark benchmarks_gather_elements[] = {
    {"inner", BENCHMARK_TYPES, 1, 0, make_gather_elements, loop_gather_elements},
    {"outer", BENCHMARK_TYPES, 0, 0, make_gather_elements, loop_gather_elements},
};

/* ---- GATHER_ND and GATHER_ND1 ---- */

static const char *const fixed_gather_nd[] = {
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

static const char *const fixed_gather_nd1[] = {
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

/* Sizes and attributes: an input with dimensions that count behind ones, tuples of indices, and the blocks that they
 * name, as many as the tensors' ranks have room for. */
static void generate_nd_sizes(struct random *random, uint32_t budget, bool has_batches, struct case_tensor *input,
                              struct case_tensor *indices, struct case_tensor *blocks, struct operator_case *c) {
    const uint32_t rank = input->rank, relevant = random_between(random, 1, rank), first = rank - relevant;
    const uint32_t batches = has_batches ? random_below(random, relevant) : 0;
    const uint32_t tuple = random_between(random, 1, relevant - batches), left = relevant - batches - tuple;
    /* Blocks have the indices' dimensions but the last, and what is left of the input's. */
    const uint32_t most = rank - left + 1 < rank ? rank - left + 1 : rank;
    const uint32_t index_rank = random_between(random, batches + 1, most);
    generate_last_sizes(random, budget, relevant, input);

    uint32_t sizes[2 * MAX_RANK], count = 0;
    uint64_t others = tuple;
    for (uint32_t d = first; d < rank; d++) {
        others *= d < first + batches || d >= first + batches + tuple ? input->sizes[d] : 1;
    }
    struct case_tensor tuples = {.rank = index_rank - 1 - batches};
    generate_sizes(random, budget / others > 0 ? (uint32_t)(budget / others) : 1, &tuples);
    for (uint32_t d = 0; d < batches; d++) {
        sizes[count++] = input->sizes[first + d];
    }
    for (uint32_t d = 0; d < tuples.rank; d++) {
        sizes[count++] = tuples.sizes[d];
    }
    sizes[count] = tuple;
    set_last_sizes(indices, index_rank, sizes);
    for (uint32_t d = first + batches + tuple; d < rank; d++) {
        sizes[count++] = input->sizes[d];
    }
    set_last_sizes(blocks, count, sizes);
    fill_indices(indices, input->sizes[first + batches + random_below(random, tuple)]);
    case_set_uint(c, "InputDimensionCount", relevant);
    case_set_uint(c, "IndicesDimensionCount", index_rank);
    if (has_batches) {
        case_set_uint(c, "BatchDimensionCount", batches);
    }
}

static void generate_nd(struct random *random, struct operator_case *c, bool has_batches) {
    const uint32_t budget = generate_index_budget(random);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = input->type = generate_type(random, c, "InputTensor");
    indices->type = generate_index_type(random);
    input->rank = indices->rank = output->rank = random_chance(random, 30) ? 4 : random_between(random, 1, MAX_RANK);
    generate_nd_sizes(random, budget, has_batches, input, indices, output, c);
    generate_input_layout(random, input);
    generate_input_layout(random, indices);
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    generate_call(random, c);
}

static void generate_gather_nd(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_nd(random, c, false);
}

static void generate_gather_nd1(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_nd(random, c, true);
}

static const struct case_tensor_support support_gather_nd[] = {
    {"InputTensor", indexed_since_2_1}, {"IndicesTensor", indices_since_2_1}, {"OutputTensor", indexed_since_2_1}};
static const struct case_tensor_support support_gather_nd1[] = {
    {"InputTensor", indexed_since_3_0}, {"IndicesTensor", indices_since_3_0}, {"OutputTensor", indexed_since_3_0}};

static const struct case_refusal refused_gather_nd[] = {
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

static const struct case_refusal refused_gather_nd1[] = {
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
    const uint32_t count = benchmark_size(bytes, type, (uint64_t)length * side, 1), rows = count * side;
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    const uint32_t rank = row != 0 ? 3 : 2;
    benchmark_tensor(case_tensor(c, "InputTensor"), type, rank, (const uint32_t[]){count, side, length});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, rank,
                     row != 0 ? (const uint32_t[]){1, rows, length} : (const uint32_t[]){1, rows});
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, rank,
                     row != 0 ? (const uint32_t[]){1, rows, 2} : (const uint32_t[]){rows, 2});
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = count < side ? count : side;
    case_set_uint(c, "InputDimensionCount", rank);
    case_set_uint(c, "IndicesDimensionCount", 2);
}

static const struct case_benchmark benchmarks_gather_nd[] = {
    {"rows", BENCHMARK_TYPES, 1024, 0, make_gather_nd, loop_gather_nd},
    {"elements", BENCHMARK_TYPES, 0, 0, make_gather_nd, loop_gather_nd},
};

/* 32 batches. */
static void make_gather_nd1(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t row_bytes, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_GATHER_ND1);
    const uint32_t length = row_bytes / vkdmlGetDataTypeSize(type), batches = 32;
    const uint32_t count = benchmark_size(bytes, type, (uint64_t)length * batches, 1);
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 3, (const uint32_t[]){batches, count, length});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 3, (const uint32_t[]){batches, count, length});
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 3, (const uint32_t[]){batches, count, 1});
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = count;
    case_set_uint(c, "InputDimensionCount", 3);
    case_set_uint(c, "IndicesDimensionCount", 3);
    case_set_uint(c, "BatchDimensionCount", 1);
}

static const struct case_benchmark benchmarks_gather_nd1[] = {
    {"rows", BENCHMARK_TYPES, 1024, 0, make_gather_nd1, loop_gather_nd1},
};

/* ---- REVERSE_SUBSEQUENCES ---- */

static const struct case_support reversed[] = {AT_LEVEL(2_1, 4, 4, UP_TO_32),
                                               AT_LEVEL(3_0, 4, 5, UP_TO_32),
                                               AT_LEVEL(4_0, 1, 8, UP_TO_32),
                                               AT_LEVEL(5_0, 1, 8, CASE_TYPES_UP_TO_64),
                                               {0}};
static const struct case_support lengths[] = {AT_LEVEL(2_1, 4, 4, CASE_TYPE(UINT32)),
                                              AT_LEVEL(3_0, 4, 5, CASE_TYPE(UINT32)),
                                              AT_LEVEL(4_0, 1, 8, CASE_TYPE(UINT32)),
                                              AT_LEVEL(5_0, 1, 8, CASE_TYPE(UINT32) | CASE_TYPE(UINT64)),
                                              {0}};

static const char *const fixed_reverse_subsequences[] = {
    /* The documented examples. */
    "REVERSE_SUBSEQUENCES seed=1 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "SequenceLengthsTensor=UINT32[1,1,3,1] SequenceLengthsTensor.data=2,4,3 OutputTensor=FLOAT32[1,1,3,4] "
    "OutputTensor.data=2,1,3,4,8,7,6,5,11,10,9,12 Axis=3",
    "REVERSE_SUBSEQUENCES seed=2 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "SequenceLengthsTensor=UINT32[1,1,1,4] SequenceLengthsTensor.data=2,3,1,0 OutputTensor=FLOAT32[1,1,3,4] "
    "OutputTensor.data=5,10,3,4,1,6,7,8,9,2,11,12 Axis=2",
    /* Lengths beyond the size, of which 32 bits say otherwise. */
    "REVERSE_SUBSEQUENCES seed=3 InputTensor=INT8[4,3] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "SequenceLengthsTensor=UINT64[4,1] SequenceLengthsTensor.data=0x100000001,4,0xffffffffffffffff,1 "
    "OutputTensor=INT8[4,3] OutputTensor.data=3,2,1,6,5,4,9,8,7,10,11,12 Axis=1",
    "REVERSE_SUBSEQUENCES seed=4 level=2_1 InputTensor=UINT16[3,5,40,64] InputTensor.fill=BITS InputTensor.owned=1 "
    "SequenceLengthsTensor=UINT32[3,1,40,64] SequenceLengthsTensor.fill=INDICES:6 OutputTensor=UINT16[3,5,40,64] "
    "Axis=1",
    "REVERSE_SUBSEQUENCES seed=5 level=3_0 InputTensor=UINT8[1,20,9,7,33] InputTensor.fill=BITS "
    "SequenceLengthsTensor=UINT32[1,1,9,7,33] SequenceLengthsTensor.strides=0,0,7,1,0 "
    "SequenceLengthsTensor.fill=INDICES:21 OutputTensor=UINT8[1,20,9,7,33] Axis=1",
    "REVERSE_SUBSEQUENCES seed=6 InputTensor=FLOAT64[30,99] InputTensor.fill=BITS "
    "SequenceLengthsTensor=UINT64[30,1] SequenceLengthsTensor.fill=INDICES:100 OutputTensor=FLOAT64[30,99] Axis=1",
    /* Sequences whose ends a descriptor of 32 KiB does not bind together. */
    "REVERSE_SUBSEQUENCES seed=7 InputTensor=INT16[30001,2] InputTensor.fill=BITS "
    "SequenceLengthsTensor=UINT32[1,2] SequenceLengthsTensor.data=29999,40000 OutputTensor=INT16[30001,2] Axis=0",
};

static void generate_reverse_subsequences(const struct case_family *family, struct random *random,
                                          struct operator_case *c) {
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *sequences = case_tensor(c, "SequenceLengthsTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_chance(random, 30) ? 4 : random_between(random, 1, MAX_RANK);
    generate_sizes(random, generate_index_budget(random), input);
    const uint32_t axis = random_below(random, input->rank);
    *output = *sequences = *input;
    sequences->type = random_chance(random, 50) ? DML_TENSOR_DATA_TYPE_UINT32 : DML_TENSOR_DATA_TYPE_UINT64;
    sequences->sizes[axis] = 1;
    generate_input_layout(random, input);
    generate_input_layout(random, sequences);
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    fill_indices(sequences, input->sizes[axis] + 1);
    case_set_uint(c, "Axis", axis);
    generate_call(random, c);
}

static const struct case_tensor_support support_reverse_subsequences[] = {
    {"InputTensor", reversed}, {"SequenceLengthsTensor", lengths}, {"OutputTensor", reversed}};

static const struct case_refusal refused_reverse_subsequences[] = {
    {"REVERSE_SUBSEQUENCES seed=1 InputTensor=FLOAT32[3,4] SequenceLengthsTensor=UINT32[3,1] "
     "OutputTensor=FLOAT32[3,4] Axis=2",
     "DML_OPERATOR_REVERSE_SUBSEQUENCES: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
    {"REVERSE_SUBSEQUENCES seed=1 InputTensor=FLOAT32[3,4] SequenceLengthsTensor=UINT32[2,4] "
     "OutputTensor=FLOAT32[3,4] Axis=1",
     "DML_OPERATOR_REVERSE_SUBSEQUENCES: SequenceLengthsTensor.Sizes[0] is 2, must be 3 = InputTensor.Sizes[0]\n"
     "DML_OPERATOR_REVERSE_SUBSEQUENCES: SequenceLengthsTensor.Sizes[1] is 4, must be 1 along Axis (1)"},
};

/* Sequences of 1024, along Axis of a packed matrix. */
static void make_reverse(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_REVERSE_SUBSEQUENCES);
    const uint32_t length = 1024, count = benchmark_size(bytes, type, length, 1);
    const uint32_t sizes[] = {axis == 0 ? length : count, axis == 0 ? count : length};
    struct case_tensor *sequences = case_tensor(c, "SequenceLengthsTensor");
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 2, sizes);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, sizes);
    benchmark_tensor(sequences, DML_TENSOR_DATA_TYPE_UINT32, 2, sizes);
    sequences->sizes[axis] = 1;
    sequences->fill = CASE_FILL_COORDINATES;
    sequences->fill_permille = length + 1;
    case_set_uint(c, "Axis", axis);
}

static const struct case_benchmark benchmarks_reverse_subsequences[] = {
    {"inner", BENCHMARK_TYPES, 1, 0, make_reverse, loop_reverse_subsequences},
    {"outer", BENCHMARK_TYPES, 0, 0, make_reverse, loop_reverse_subsequences},
};

/* ---- ONE_HOT ---- */

static const struct case_support indexed_since_2_0[] = {AT_LEVEL(2_0, 4, 4, FLOATS),
                                                        AT_LEVEL(2_1, 4, 4, UP_TO_32),
                                                        AT_LEVEL(3_0, 1, 8, UP_TO_32),
                                                        AT_LEVEL(4_1, 1, 8, CASE_TYPES_UP_TO_64),
                                                        {0}};
static const struct case_support indices_since_2_0[] = {
    AT_LEVEL(2_0, 4, 4, CASE_TYPE(UINT32)), AT_LEVEL(3_0, 1, 8, INDEX_TYPES), {0}};

static const char *const fixed_one_hot[] = {
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
    output->rank = values->rank = random_chance(random, 30) ? 4 : random_between(random, 1, MAX_RANK);
    generate_sizes(random, generate_index_budget(random), output);
    const uint32_t axis = random_below(random, output->rank);
    *indices = *output;
    indices->type = generate_index_type(random);
    indices->sizes[axis] = 1;
    generate_sizes(random, 30, values);
    if (case_element_count(values) < 2) {
        values->sizes[random_below(random, values->rank)] = 2;
    }
    generate_input_layout(random, indices);
    generate_input_layout(random, values);
    generate_output_layout(random, output);
    values->fill = RANDOM_OF(random, fills);
    fill_indices(indices, output->sizes[axis]);
    case_set_uint(c, "Axis", axis);
    generate_call(random, c);
}

static const struct case_tensor_support support_one_hot[] = {
    {"IndicesTensor", indices_since_2_0}, {"ValuesTensor", indexed_since_2_0}, {"OutputTensor", indexed_since_2_0}};

static const struct case_refusal refused_one_hot[] = {
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
    const uint32_t classes = 1000, count = benchmark_size(bytes, type, classes, 1);
    const uint32_t sizes[] = {axis == 0 ? classes : count, axis == 0 ? count : classes};
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    benchmark_tensor(case_tensor(c, "ValuesTensor"), type, 2, (const uint32_t[]){1, 2});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, sizes);
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 2, sizes);
    indices->sizes[axis] = 1;
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = classes;
    case_set_uint(c, "Axis", axis);
}

static const struct case_benchmark benchmarks_one_hot[] = {
    {"inner", BENCHMARK_TYPES, 1, CASE_BENCHMARK_TYPE_OF_OUTPUT, make_one_hot, loop_one_hot},
    {"outer", BENCHMARK_TYPES, 0, CASE_BENCHMARK_TYPE_OF_OUTPUT, make_one_hot, loop_one_hot},
};

/* ---- SCATTER_ELEMENTS ---- */

static const char *const fixed_scatter_elements[] = {
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
static const char *const repeated_scatter_elements[] = {
    ("SCATTER_ELEMENTS seed=1 InputTensor=FLOAT32[7,30] InputTensor.fill=BITS IndicesTensor=UINT32[4000,30] "
     "IndicesTensor.fill=INDICES:7 UpdatesTensor=FLOAT32[4000,30] UpdatesTensor.fill=BITS OutputTensor=FLOAT32[7,30] "
     "Axis=0"),
    ("SCATTER_ELEMENTS seed=2 InputTensor=FLOAT16[64,100] InputTensor.fill=BITS IndicesTensor=INT64[64,2000] "
     "IndicesTensor.fill=INDICES:100 UpdatesTensor=FLOAT16[64,2000] UpdatesTensor.fill=BITS "
     "OutputTensor=FLOAT16[64,100] Axis=1"),
    ("SCATTER_ELEMENTS seed=3 InputTensor=UINT8[33] InputTensor.fill=BITS IndicesTensor=INT32[60000] "
     "IndicesTensor.fill=INDICES:33 UpdatesTensor=UINT8[60000] UpdatesTensor.fill=BITS OutputTensor=UINT8[33] Axis=0"),
};

static void generate_scatter_elements(const struct case_family *family, struct random *random,
                                      struct operator_case *c) {
    const uint32_t budget = generate_index_budget(random);
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *updates = case_tensor(c, "UpdatesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_chance(random, 30) ? 4 : random_between(random, 1, MAX_RANK);
    generate_sizes(random, budget, input);
    const uint32_t axis = random_below(random, input->rank);
    const uint32_t most = budget / ((uint32_t)case_element_count(input) / input->sizes[axis]);
    *output = *updates = *input;
    if (random_chance(random, 80)) {
        updates->sizes[axis] = random_between(random, 1, most);
    }
    *indices = *updates;
    indices->type = generate_index_type(random);
    generate_input_layout(random, input);
    generate_input_layout(random, indices);
    generate_input_layout(random, updates);
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    updates->fill = RANDOM_OF(random, fills);
    fill_indices(indices, input->sizes[axis]);
    case_set_uint(c, "Axis", axis);
    generate_call(random, c);
}

static const struct case_tensor_support support_scatter_elements[] = {{"InputTensor", indexed_since_1_0},
                                                                      {"IndicesTensor", indices_since_1_0},
                                                                      {"UpdatesTensor", indexed_since_1_0},
                                                                      {"OutputTensor", indexed_since_1_0}};

static const struct case_refusal refused_scatter_elements[] = {
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
    case_begin(c, DML_OPERATOR_SCATTER_ELEMENTS);
    const uint32_t columns = 4096, rows = benchmark_size(bytes, type, columns, 1);
    const uint32_t sizes[] = {rows, columns};
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 2, sizes);
    benchmark_tensor(case_tensor(c, "UpdatesTensor"), type, 2, sizes);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, sizes);
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 2, sizes);
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = axis == 0 ? rows : columns;
    case_set_uint(c, "Axis", axis);
}

/* No element twice. */
static void make_scatter_once(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    make_scatter_elements(bytes, type, axis, c);
    case_tensor(c, "IndicesTensor")->fill = CASE_FILL_PERMUTED;
}

static const struct case_benchmark benchmarks_scatter_elements[] = {
    {"inner", BENCHMARK_TYPES, 1, 0, make_scatter_elements, loop_scatter_elements},
    {"once", BENCHMARK_TYPES, 1, 0, make_scatter_once, loop_scatter_elements},
    {"outer", BENCHMARK_TYPES, 0, 0, make_scatter_elements, loop_scatter_elements},
};

/* ---- SCATTER_ND ---- */

static const char *const fixed_scatter_nd[] = {
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
    /* Windows of updates, and tuples that lie apart, where a descriptor binds 32 KiB. */
    "SCATTER_ND seed=7 InputTensor=FLOAT32[50,60] InputTensor.fill=BITS IndicesTensor=INT32[9000,2] "
    "IndicesTensor.strides=1,9000 IndicesTensor.fill=INDICES:50 UpdatesTensor=FLOAT32[1,9000] UpdatesTensor.fill=BITS "
    "OutputTensor=FLOAT32[50,60] InputDimensionCount=2 IndicesDimensionCount=2",
};

static const char *const repeated_scatter_nd[] = {
    ("SCATTER_ND seed=1 InputTensor=FLOAT32[9,70] InputTensor.fill=BITS IndicesTensor=UINT32[3000,1] "
     "IndicesTensor.fill=INDICES:9 UpdatesTensor=FLOAT32[3000,70] UpdatesTensor.fill=BITS OutputTensor=FLOAT32[9,70] "
     "InputDimensionCount=2 IndicesDimensionCount=2"),
    ("SCATTER_ND seed=2 InputTensor=INT8[6,5] InputTensor.fill=BITS IndicesTensor=INT32[50000,2] "
     "IndicesTensor.fill=INDICES:5 UpdatesTensor=INT8[1,50000] UpdatesTensor.fill=BITS OutputTensor=INT8[6,5] "
     "InputDimensionCount=2 IndicesDimensionCount=2"),
};

static void generate_scatter_nd(const struct case_family *family, struct random *random, struct operator_case *c) {
    const uint32_t budget = generate_index_budget(random);
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *updates = case_tensor(c, "UpdatesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    updates->type = input->type = generate_type(random, c, "InputTensor");
    indices->type = generate_index_type(random);
    input->rank = random_chance(random, 30) ? 4 : random_between(random, 1, MAX_RANK);
    indices->rank = updates->rank = input->rank;
    generate_nd_sizes(random, budget, false, input, indices, updates, c);
    *output = *input;
    generate_input_layout(random, input);
    generate_input_layout(random, indices);
    generate_input_layout(random, updates);
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    updates->fill = RANDOM_OF(random, fills);
    generate_call(random, c);
}

static const struct case_tensor_support support_scatter_nd[] = {{"InputTensor", indexed_since_2_1},
                                                                {"IndicesTensor", indices_since_2_1},
                                                                {"UpdatesTensor", indexed_since_2_1},
                                                                {"OutputTensor", indexed_since_2_1}};

static const struct case_refusal refused_scatter_nd[] = {
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
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 2, sizes);
    benchmark_tensor(case_tensor(c, "UpdatesTensor"), type, 2, sizes);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, sizes);
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 2, (const uint32_t[]){rows, 1});
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = rows;
    case_set_uint(c, "InputDimensionCount", 2);
    case_set_uint(c, "IndicesDimensionCount", 2);
}

static void make_scatter_nd_once(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t row_bytes,
                                 struct operator_case *c) {
    make_scatter_nd(bytes, type, row_bytes, c);
    case_tensor(c, "IndicesTensor")->fill = CASE_FILL_PERMUTED;
}

static const struct case_benchmark benchmarks_scatter_nd[] = {
    {"rows", BENCHMARK_TYPES, 1024, 0, make_scatter_nd, loop_scatter_nd},
    {"once", BENCHMARK_TYPES, 1024, 0, make_scatter_nd_once, loop_scatter_nd},
};

#define COUNT_OF(array)             (sizeof(array) / sizeof((array)[0]))
#define FAMILY(name, NAME)          FAMILY_OF(name, NAME, NULL, 0)
#define REPEATED_FAMILY(name, NAME) FAMILY_OF(name, NAME, repeated_##name, COUNT_OF(repeated_##name))
#define FAMILY_OF(name, NAME, REPEATED, repeated_cases)                                                                \
    const struct case_family vkdml_cases_##name = {                                                                    \
        .type = DML_OPERATOR_##NAME,                                                                                   \
        .support = support_##name,                                                                                     \
        .support_count = COUNT_OF(support_##name),                                                                     \
        .fixed = fixed_##name,                                                                                         \
        .fixed_count = COUNT_OF(fixed_##name),                                                                         \
        .repeated = REPEATED,                                                                                          \
        .repeated_count = repeated_cases,                                                                              \
        .refused = refused_##name,                                                                                     \
        .refused_count = COUNT_OF(refused_##name),                                                                     \
        .has_frame = DML_OPERATOR_##NAME == DML_OPERATOR_GATHER,                                                       \
        .generate = generate_##name,                                                                                   \
        .group = #name,                                                                                                \
        .benchmarks = benchmarks_##name,                                                                               \
        .benchmark_count = COUNT_OF(benchmarks_##name),                                                                \
    }

FAMILY(gather, GATHER);
FAMILY(gather_elements, GATHER_ELEMENTS);
FAMILY(gather_nd, GATHER_ND);
FAMILY(gather_nd1, GATHER_ND1);
FAMILY(reverse_subsequences, REVERSE_SUBSEQUENCES);
FAMILY(one_hot, ONE_HOT);
REPEATED_FAMILY(scatter_elements, SCATTER_ELEMENTS);
REPEATED_FAMILY(scatter_nd, SCATTER_ND);
