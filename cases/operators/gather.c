#include "cases/operators/indices.h"

static const char *const gather_fixed[] = {
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
    /* Batches, as of TensorFlow's GatherV2: in both tensors, but for leading ones; and for scalar indices. */
    "GATHER seed=36 InputTensor=INT32[2,2,3,1] InputTensor.data=0,1,2,10,11,12,100,101,102,110,111,112 "
    "IndicesTensor=INT32[1,1,2,2] IndicesTensor.data=2,0,1,-1 OutputTensor=INT32[2,2,2,1] "
    "OutputTensor.data=2,0,12,10,101,102,111,112 Axis=2 IndexDimensions=1",
    "GATHER seed=37 InputTensor=INT32[2,2,3] InputTensor.data=0,1,2,10,11,12,100,101,102,110,111,112 "
    "IndicesTensor=UINT32[1,2,2] IndicesTensor.data=0,1,2,1 OutputTensor=INT32[1,2,2] OutputTensor.data=0,11,102,111 "
    "Axis=2 IndexDimensions=0",
    "GATHER seed=38 InputTensor=FLOAT32[1,3,1,4,9,5] InputTensor.fill=BITS IndicesTensor=INT64[1,3,1,4,2,3] "
    "IndicesTensor.fill=INDICES:9 OutputTensor=FLOAT32[3,1,4,2,3,5] Axis=4 IndexDimensions=2",
    "GATHER seed=39 InputTensor=UINT8[3,7,1030] InputTensor.fill=BITS IndicesTensor=UINT32[3,7,1201] "
    "IndicesTensor.fill=INDICES:1030 OutputTensor=UINT8[3,7,1201] Axis=2 IndexDimensions=1",
    "GATHER seed=40 InputTensor=FLOAT16[6,50,64] InputTensor.fill=BITS IndicesTensor=INT32[1,6,31] "
    "IndicesTensor.strides=0,32,1 IndicesTensor.fill=INDICES:50 OutputTensor=FLOAT16[6,31,64] Axis=1 "
    "IndexDimensions=1",
};

/* InputTensor has `relevant` dimensions after leading ones, and the output has room for the dimensions of the indices.
 * In half of the cases, some of the input's dimensions before Axis are batches. */
static void generate_gather(const struct case_family *family, struct random *random, struct operator_case *c) {
    const uint32_t budget = indices_budget(random);
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = input->type = generate_type(random, c, "InputTensor");
    indices->type = indices_type(random);
    input->rank = indices->rank = output->rank = indices_rank(random);
    const uint32_t relevant = random_between(random, 1, input->rank);
    const uint32_t index_rank = random_below(random, input->rank - relevant + 2);
    const uint32_t axis = input->rank - relevant + random_below(random, relevant);
    indices_last_sizes(random, budget, relevant, input);
    const uint32_t others = (uint32_t)case_element_count(input) / input->sizes[axis];
    indices_last_sizes(random, budget / others, index_rank, indices);
    const uint32_t before = axis - (input->rank - relevant), room = indices->rank - index_rank;
    const uint32_t batches = random_chance(random, 50) ? random_below(random, (before < room ? before : room) + 1) : 0;

    uint32_t sizes[2 * CASE_MAX_RANK], count = 0;
    for (uint32_t d = input->rank - relevant; d < axis; d++) {
        if (count < batches) {
            indices->sizes[room - batches + count] = input->sizes[d];
        }
        sizes[count++] = input->sizes[d];
    }
    for (uint32_t d = indices->rank - index_rank; d < indices->rank; d++) {
        sizes[count++] = indices->sizes[d];
    }
    for (uint32_t d = axis + 1; d < input->rank; d++) {
        sizes[count++] = input->sizes[d];
    }
    indices_set_last_sizes(output, count, sizes);
    case_set_uint(c, "Axis", axis);
    case_set_uint(c, "IndexDimensions", index_rank);
    indices_end(random, c, input, indices, input->sizes[axis], output);
}

static const struct case_tensor_support gather_support[] = {
    {"InputTensor", INDEXED_SINCE(1_0)}, {"IndicesTensor", INDICES_SINCE(1_0)}, {"OutputTensor", INDEXED_SINCE(1_0)}};

static const struct case_refusal gather_refused[] = {
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[1,4] OutputTensor=FLOAT32[4,2] Axis=2 "
     "IndexDimensions=1",
     "DML_OPERATOR_GATHER: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[1,4] OutputTensor=FLOAT32[4,2] Axis=0 "
     "IndexDimensions=3",
     "DML_OPERATOR_GATHER: IndexDimensions is 3, must be at most 2 = IndicesTensor.DimensionCount"},
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[5,4] OutputTensor=FLOAT32[4,2] Axis=0 "
     "IndexDimensions=1",
     "DML_OPERATOR_GATHER: IndicesTensor has 1 batch dimensions before its last IndexDimensions (1), must have at most "
     "0, "
     "the number of dimensions of InputTensor before Axis (0)"},
    {"GATHER seed=1 InputTensor=FLOAT32[3,2] IndicesTensor=UINT32[2,4] OutputTensor=FLOAT32[3,4] Axis=1 "
     "IndexDimensions=1",
     "DML_OPERATOR_GATHER: IndicesTensor.Sizes[0] is 2, must be 3 = InputTensor.Sizes[0]: batches are in both"},
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
    indices_make_others(c, type, 2, (const uint32_t[]){rows, columns});
    indices_make(case_tensor(c, "IndicesTensor"), 2, (const uint32_t[]){1, count}, count);
    case_set_uint(c, "Axis", axis);
    case_set_uint(c, "IndexDimensions", 1);
}

/* Along Axis of a packed matrix; all indices are good. */
static void gather_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *indices = &c->tensors[1];
    const size_t element = vkdmlGetDataTypeSize(input->type), count = (size_t)case_element_count(indices);
    const bool rows = c->fields[3].words[0] == 0;
    const size_t outer = rows ? 1 : input->sizes[0], size = input->sizes[rows ? 0 : 1];
    const size_t inner = (rows ? input->sizes[1] : 1) * element;
    for (size_t o = 0; o < outer; o++) {
        for (size_t i = 0; i < count; i++) {
            const unsigned char *from = tensors[0] + (o * size + loop_index(tensors, 1, i)) * inner;
            unsigned char *to = tensors[2] + (o * count + i) * inner;
            loop_copy(to, from, inner);
        }
    }
}

static const struct case_benchmark gather_benchmarks[] = {
    {"rows", INDICES_BENCHMARKED, 0, 0, make_gather, gather_loop},
    {"columns", INDICES_BENCHMARKED, 1, 0, make_gather, gather_loop},
};

CASE_FAMILY(gather, GATHER, .generate = generate_gather, .group = "gather", CASE_BENCHMARKS(gather_benchmarks),
            .has_frame = true);
