#include <stdlib.h>

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/support.h"

/* ---- cases ---- */

static const char *const top_k_fixed[] = {
    /* The documented examples, at the first level, at the newest, along another axis, tied. */
    "TOP_K seed=1 level=2_0 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=0,1,10,11,3,2,9,8,4,5,6,7 "
    "OutputValueTensor=FLOAT32[1,1,3,2] OutputValueTensor.data=11,10,9,8,7,6 OutputIndexTensor=UINT32[1,1,3,2] "
    "OutputIndexTensor.data=3,2,2,3,3,2 Axis=3 K=2",
    "TOP_K seed=2 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=0,1,10,11,3,2,9,8,4,5,6,7 "
    "OutputValueTensor=FLOAT32[1,1,2,4] OutputValueTensor.data=4,5,10,11,3,2,9,8 OutputIndexTensor=UINT32[1,1,2,4] "
    "OutputIndexTensor.data=2,2,0,0,1,1,1,1 Axis=2 K=2",
    "TOP_K seed=3 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=1,2,2,3,3,4,5,5,6,6,6,6 "
    "OutputValueTensor=FLOAT32[1,1,3,3] OutputValueTensor.data=3,2,2,5,5,4,6,6,6 OutputIndexTensor=UINT32[1,1,3,3] "
    "OutputIndexTensor.data=3,1,2,2,3,1,0,1,2 Axis=3 K=3",
    /* NaN is the greatest, without payload; zeros are equal and keep their signs. */
    "TOP_K seed=4 InputTensor=FLOAT32[8] InputTensor.data=0xffc00001,0x80000000,0,-inf,inf,0x7f800001,0x80000000,-1 "
    "OutputValueTensor=FLOAT32[8] OutputValueTensor.data=0x7fc00000,0x7fc00000,inf,0x80000000,0,0x80000000,-1,-inf "
    "OutputIndexTensor=UINT64[8] OutputIndexTensor.data=0,5,4,1,2,6,7,3 Axis=0 K=8",
    "TOP_K1 seed=7 InputTensor=FLOAT32[4] InputTensor.data=0xffc00001,2,inf,-inf OutputValueTensor=FLOAT32[4] "
    "OutputValueTensor.data=-inf,2,inf,0x7fc00000 OutputIndexTensor=UINT32[4] OutputIndexTensor.data=3,1,2,0 Axis=0 K=4 "
    "AxisDirection=INCREASING",
    "TOP_K seed=5 InputTensor=FLOAT16[7] InputTensor.data=0,0x8000,0xfe01,0x7c01,-inf,0x0001,0x8001 "
    "OutputValueTensor=FLOAT16[6] OutputValueTensor.data=0x7e00,0x7e00,0x0001,0,0x8000,0x8001 "
    "OutputIndexTensor=UINT32[6] OutputIndexTensor.data=2,3,5,0,1,6 Axis=0 K=6",
    /* 64 bits compare by both words. */
    "TOP_K seed=6 InputTensor=INT64[5] InputTensor.data=-1,0x100000000,0,0x8000000000000000,0xffffffff "
    "OutputValueTensor=INT64[5] OutputValueTensor.data=0x100000000,0xffffffff,0,-1,0x8000000000000000 "
    "OutputIndexTensor=UINT64[5] OutputIndexTensor.data=1,4,2,0,3 Axis=0 K=5",
    /* Selected in registers, with few and many kept; all alike; of any byte. */
    "TOP_K seed=10 InputTensor=FLOAT32[3,8192] InputTensor.fill=UNIT OutputValueTensor=FLOAT32[3,10] "
    "OutputIndexTensor=UINT32[3,10] Axis=1 K=10",
    "TOP_K seed=11 InputTensor=FLOAT32[2,8192] InputTensor.fill=BITS OutputValueTensor=FLOAT32[2,1000] "
    "OutputIndexTensor=UINT32[2,1000] Axis=1 K=1000",
    "TOP_K seed=12 InputTensor=FLOAT32[2,5000] InputTensor.fill=SPARSE:2 OutputValueTensor=FLOAT32[2,40] "
    "OutputIndexTensor=UINT32[2,40] Axis=1 K=40",
    "TOP_K seed=13 InputTensor=INT8[2,8000] InputTensor.fill=BITS OutputValueTensor=INT8[2,700] "
    "OutputIndexTensor=UINT32[2,700] Axis=1 K=700",
    "TOP_K seed=14 InputTensor=FLOAT16[2,4001] InputTensor.fill=SPECIAL OutputValueTensor=FLOAT16[2,40] "
    "OutputIndexTensor=UINT64[2,40] Axis=1 K=40",
    "TOP_K seed=15 InputTensor=UINT64[2,4003] InputTensor.fill=BITS OutputValueTensor=UINT64[2,300] "
    "OutputIndexTensor=UINT64[2,300] Axis=1 K=300",
    "TOP_K seed=16 InputTensor=INT64[2,4096] InputTensor.fill=SMALL OutputValueTensor=INT64[2,900] "
    "OutputIndexTensor=UINT32[2,900] Axis=1 K=900",
    "TOP_K seed=17 InputTensor=INT16[1,8192] InputTensor.strides=0,0 InputTensor.fill=BITS "
    "OutputValueTensor=INT16[1,300] OutputIndexTensor=UINT32[1,300] Axis=1 K=300",
    "TOP_K seed=18 InputTensor=UINT8[2,1040] InputTensor.fill=BITS OutputValueTensor=UINT8[2,48] "
    "OutputIndexTensor=UINT32[2,48] Axis=1 K=48",
    /* Shares, and shares of what they keep; the last one has less than is kept. */
    "TOP_K seed=20 InputTensor=FLOAT32[1,300001] InputTensor.fill=UNIT OutputValueTensor=FLOAT32[1,5] "
    "OutputIndexTensor=UINT32[1,5] Axis=1 K=5",
    "TOP_K seed=21 InputTensor=FLOAT16[2,90000] InputTensor.fill=SPECIAL OutputValueTensor=FLOAT16[2,1000] "
    "OutputIndexTensor=UINT32[2,1000] Axis=1 K=1000",
    "TOP_K seed=22 InputTensor=INT64[2,24580] InputTensor.fill=BITS OutputValueTensor=INT64[2,500] "
    "OutputIndexTensor=UINT64[2,500] Axis=1 K=500",
    "TOP_K seed=23 InputTensor=UINT8[1,100000] InputTensor.fill=SMALL OutputValueTensor=UINT8[1,900] "
    "OutputIndexTensor=UINT32[1,900] Axis=1 K=900",
    /* Merged: sorted whole, and until blocks hold what is kept. */
    "TOP_K seed=30 InputTensor=FLOAT32[2,10000] InputTensor.fill=BITS OutputValueTensor=FLOAT32[2,10000] "
    "OutputIndexTensor=UINT32[2,10000] Axis=1 K=10000",
    "TOP_K seed=31 InputTensor=FLOAT32[1,70001] InputTensor.fill=SPECIAL OutputValueTensor=FLOAT32[1,70001] "
    "OutputIndexTensor=UINT32[1,70001] Axis=1 K=70001",
    "TOP_K seed=32 InputTensor=INT32[2,60000] InputTensor.fill=BITS OutputValueTensor=INT32[2,5000] "
    "OutputIndexTensor=UINT32[2,5000] Axis=1 K=5000",
    "TOP_K seed=33 InputTensor=UINT64[3,20000] InputTensor.fill=BITS OutputValueTensor=UINT64[3,4100] "
    "OutputIndexTensor=UINT64[3,4100] Axis=1 K=4100",
    "TOP_K seed=34 InputTensor=UINT8[2,3,9000] InputTensor.fill=BITS OutputValueTensor=UINT8[2,3,8193] "
    "OutputIndexTensor=UINT32[2,3,8193] Axis=2 K=8193",
    /* Columns: short, long, of what a workgroup holds several. */
    "TOP_K seed=40 InputTensor=FLOAT32[33,70] InputTensor.fill=BITS OutputValueTensor=FLOAT32[5,70] "
    "OutputIndexTensor=UINT32[5,70] Axis=0 K=5",
    "TOP_K seed=41 InputTensor=FLOAT16[3000,40] InputTensor.fill=BITS OutputValueTensor=FLOAT16[8,40] "
    "OutputIndexTensor=UINT32[8,40] Axis=0 K=8",
    "TOP_K seed=42 InputTensor=INT8[3000,3,9] InputTensor.fill=BITS OutputValueTensor=INT8[1500,3,9] "
    "OutputIndexTensor=UINT32[1500,3,9] Axis=0 K=1500",
    /* Many short rows; of one element; of eight dimensions, owned. */
    "TOP_K seed=50 InputTensor=FLOAT32[1000,32] InputTensor.fill=BITS OutputValueTensor=FLOAT32[1000,4] "
    "OutputIndexTensor=UINT32[1000,4] Axis=1 K=4",
    "TOP_K seed=51 InputTensor=UINT16[70,1] InputTensor.fill=BITS OutputValueTensor=UINT16[70,1] "
    "OutputIndexTensor=UINT32[70,1] Axis=1 K=1",
    "TOP_K seed=52 InputTensor=INT16[3,2,3,2,3,2,3,2] InputTensor.fill=SMALL InputTensor.owned=1 "
    "OutputValueTensor=INT16[3,2,3,2,2,2,3,2] OutputIndexTensor=UINT64[3,2,3,2,2,2,3,2] Axis=4 K=2",
};

static const char *const top_k1_fixed[] = {
    "TOP_K1 seed=1 level=2_1 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=0,1,10,11,3,2,9,8,4,5,6,7 "
    "OutputValueTensor=FLOAT32[1,1,3,2] OutputValueTensor.data=11,10,9,8,7,6 OutputIndexTensor=UINT32[1,1,3,2] "
    "OutputIndexTensor.data=3,2,2,3,3,2 Axis=3 K=2 AxisDirection=DECREASING",
    "TOP_K1 seed=2 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=0,1,10,11,3,2,9,8,4,5,6,7 "
    "OutputValueTensor=FLOAT32[1,1,2,4] OutputValueTensor.data=4,5,10,11,3,2,9,8 OutputIndexTensor=UINT32[1,1,2,4] "
    "OutputIndexTensor.data=2,2,0,0,1,1,1,1 Axis=2 K=2 AxisDirection=DECREASING",
    "TOP_K1 seed=3 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=1,2,2,3,3,4,5,5,6,6,6,6 "
    "OutputValueTensor=FLOAT32[1,1,3,3] OutputValueTensor.data=3,2,2,5,5,4,6,6,6 OutputIndexTensor=UINT32[1,1,3,3] "
    "OutputIndexTensor.data=3,1,2,2,3,1,0,1,2 Axis=3 K=3 AxisDirection=DECREASING",
    "TOP_K1 seed=4 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=1,2,2,3,3,4,5,5,6,6,6,6 "
    "OutputValueTensor=FLOAT32[1,1,3,3] OutputValueTensor.data=1,2,2,3,4,5,6,6,6 OutputIndexTensor=UINT32[1,1,3,3] "
    "OutputIndexTensor.data=0,1,2,0,1,2,0,1,2 Axis=3 K=3 AxisDirection=INCREASING",
    "TOP_K1 seed=5 InputTensor=FLOAT32[8] InputTensor.data=0xffc00001,0x80000000,0,-inf,inf,0x7f800001,0x80000000,-1 "
    "OutputValueTensor=FLOAT32[8] OutputValueTensor.data=-inf,-1,0x80000000,0,0x80000000,inf,0x7fc00000,0x7fc00000 "
    "OutputIndexTensor=UINT64[8] OutputIndexTensor.data=3,7,1,2,6,4,0,5 Axis=0 K=8 AxisDirection=INCREASING",
    "TOP_K1 seed=6 InputTensor=UINT64[3] InputTensor.data=0xffffffffffffffff,0,0xffffffff OutputValueTensor=UINT64[3] "
    "OutputValueTensor.data=0,0xffffffff,0xffffffffffffffff OutputIndexTensor=UINT32[3] "
    "OutputIndexTensor.data=1,2,0 Axis=0 K=3 AxisDirection=INCREASING",
    "TOP_K1 seed=10 InputTensor=FLOAT32[2,8192] InputTensor.fill=SPECIAL OutputValueTensor=FLOAT32[2,1000] "
    "OutputIndexTensor=UINT32[2,1000] Axis=1 K=1000 AxisDirection=INCREASING",
    "TOP_K1 seed=11 InputTensor=FLOAT16[1,40000] InputTensor.fill=BITS OutputValueTensor=FLOAT16[1,30000] "
    "OutputIndexTensor=UINT32[1,30000] Axis=1 K=30000 AxisDirection=INCREASING",
    "TOP_K1 seed=12 InputTensor=INT32[3,3000] InputTensor.fill=BITS OutputValueTensor=INT32[3,3000] "
    "OutputIndexTensor=UINT32[3,3000] Axis=1 K=3000 AxisDirection=INCREASING",
};

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL, CASE_FILL_UNIT,
                                           CASE_FILL_INDEX};
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *values = case_tensor(c, "OutputValueTensor");
    struct case_tensor *indices = case_tensor(c, "OutputIndexTensor");
    input->type = generate_type(random, c, "InputTensor");
    const DML_TENSOR_DATA_TYPE index_type = generate_type(random, c, "OutputIndexTensor");
    input->rank = random_between(random, 1, CASE_MAX_RANK);
    generate_sizes(random, generate_budget(random), input);
    uint32_t axis = random_below(random, input->rank);
    if (random_below(random, 2) != 0) { /* the longest */
        for (uint32_t d = 0; d < input->rank; d++) {
            axis = input->sizes[d] > input->sizes[axis] ? d : axis;
        }
    }
    const uint32_t size = input->sizes[axis];
    uint32_t k = random_between(random, 1, size);
    switch (random_below(random, 4)) {
    case 0:
        k = size;
        break;
    case 1:
        k = size < 16 ? k : random_between(random, 1, 16);
        break;
    default:
        break;
    }
    *values = *input;
    values->sizes[axis] = k;
    *indices = *values;
    indices->type = index_type;
    case_set_uint(c, "Axis", axis);
    case_set_uint(c, "K", k);
    if (family->type == DML_OPERATOR_TOP_K1) {
        case_set_uint(c, "AxisDirection", random_below(random, 2));
    }
    generate_input_layout(random, input);
    generate_output_layout(random, values);
    generate_output_layout(random, indices);
    input->fill = RANDOM_OF(random, fills);
    generate_call(random, c);
}

#define REFUSED "InputTensor=FLOAT32[2,3] OutputValueTensor="
static const struct case_refusal top_k_refused[] = {
    {"TOP_K seed=1 " REFUSED "FLOAT32[2,1] OutputIndexTensor=UINT32[2,1] Axis=2 K=1",
     "DML_OPERATOR_TOP_K: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
    {"TOP_K seed=1 " REFUSED "FLOAT32[2,3] OutputIndexTensor=UINT32[2,3] Axis=1 K=0",
     "DML_OPERATOR_TOP_K: K is 0, must be at least 1"},
    {"TOP_K seed=1 " REFUSED "FLOAT32[2,4] OutputIndexTensor=UINT32[2,4] Axis=1 K=4",
     "DML_OPERATOR_TOP_K: K is 4, must be at most 3 = InputTensor.Sizes[1]"},
    {"TOP_K seed=1 " REFUSED "FLOAT32[1,3] OutputIndexTensor=UINT32[1,3] Axis=1 K=2",
     "DML_OPERATOR_TOP_K: OutputValueTensor.Sizes[0] is 1, must be 2 = InputTensor.Sizes[0]\n"
     "DML_OPERATOR_TOP_K: OutputValueTensor.Sizes[1] is 3, must be 2 = K"},
};

static const struct case_refusal top_k1_refused[] = {
    {"TOP_K1 seed=1 " REFUSED "FLOAT32[2,3] OutputIndexTensor=UINT32[2,3] Axis=1 K=4 AxisDirection=INCREASING",
     "DML_OPERATOR_TOP_K1: K is 4, must be at most 3 = InputTensor.Sizes[1]\n"
     "DML_OPERATOR_TOP_K1: OutputValueTensor.Sizes[1] is 3, must be 4 = K"},
};

/* ---- benchmarks ---- */

/* The argument: a row's elements, 0 for all of them, and what is kept. */
#define ROWS(length, kept) ((length) << 14 | (kept))

static void make_rows(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, DML_OPERATOR_TYPE operator_type,
                      bool columns, struct operator_case *c) {
    const uint32_t length = argument >> 14, axis = columns ? 0 : 1;
    uint32_t kept = argument & 0x3FFF;
    case_begin(c, operator_type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *values = case_tensor(c, "OutputValueTensor");
    struct case_tensor *indices = case_tensor(c, "OutputIndexTensor");
    uint32_t sizes[2];
    sizes[axis] = length == 0 ? benchmark_size(bytes, type, 1, 1) : length;
    sizes[1 - axis] = length == 0 ? 1 : benchmark_size(bytes, type, length, 1);
    kept = kept == 0 || kept > sizes[axis] ? sizes[axis] : kept;
    benchmark_tensor(input, type, 2, sizes);
    sizes[axis] = kept;
    benchmark_tensor(values, type, 2, sizes);
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 2, sizes);
    case_set_uint(c, "Axis", axis);
    case_set_uint(c, "K", kept);
    input->fill = CASE_FILL_BITS;
}

static void make_top_k(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_rows(bytes, type, argument, DML_OPERATOR_TOP_K, false, c);
}

static void make_columns(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_rows(bytes, type, argument, DML_OPERATOR_TOP_K, true, c);
}

static void make_top_k1(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_rows(bytes, type, argument, DML_OPERATOR_TOP_K1, false, c);
    case_set_uint(c, "AxisDirection", DML_AXIS_DIRECTION_INCREASING);
}

/* ---- in plain C ---- */

/* Packed rows of FLOAT32, greatest first: what is kept is a heap, the last of it on top, by keys whose lower words are
 * places. */
static void sift(uint64_t *heap, size_t size, size_t at, uint64_t key) {
    for (size_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
        child += child + 1 < size && heap[child + 1] > heap[child];
        if (heap[child] <= key) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = key;
}

static uint64_t key_of(uint32_t bits, size_t place) {
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    bits = bits == 0x80000000u ? 0 : bits;
    bits = (bits & 0x80000000u) != 0 ? bits : ~bits & 0x7fffffffu; /* less: greater */
    return (uint64_t)(is_nan ? 0 : bits) << 32 | place;
}

static void loop_rows(const struct operator_case *c, unsigned char *const *tensors) {
    const size_t length = c->tensors[0].sizes[1], kept = c->tensors[1].sizes[1], rows = c->tensors[0].sizes[0];
    uint64_t *heap = malloc(kept * sizeof(*heap));
    const uint32_t *from = (const uint32_t *)(const void *)tensors[0];
    uint32_t *values = (uint32_t *)(void *)tensors[1], *places = (uint32_t *)(void *)tensors[2];
    if (heap == NULL) {
        return; /* which tells itself: the outputs are not the reference's */
    }
    for (size_t row = 0; row < rows; row++, from += length, values += kept, places += kept) {
        for (size_t i = 0; i < kept; i++) {
            heap[i] = key_of(from[i], i);
        }
        for (size_t i = kept / 2; i > 0; i--) {
            sift(heap, kept, i - 1, heap[i - 1]);
        }
        for (size_t i = kept; i < length; i++) {
            const uint64_t key = key_of(from[i], i);
            if (key < heap[0]) {
                sift(heap, kept, 0, key);
            }
        }
        for (size_t left = kept; left > 0; left--) {
            const uint64_t last = heap[0];
            sift(heap, left - 1, 0, heap[left - 1]);
            places[left - 1] = (uint32_t)last;
            values[left - 1] = last >> 32 == 0 ? 0x7fc00000u : from[(uint32_t)last];
        }
    }
    free(heap);
}

#define F32    CASE_TYPE(FLOAT32)
#define OTHERS (CASE_TYPE(FLOAT16) | CASE_TYPE(INT8) | CASE_TYPE(INT64))
static const struct case_benchmark top_k_benchmarks[] = {
    {"rows-of-8192/10", F32, ROWS(8192, 10), 0, make_top_k, loop_rows},
    {"rows-of-8192/10", OTHERS, ROWS(8192, 10), 0, make_top_k, NULL},
    {"rows-of-8192/1000", F32, ROWS(8192, 1000), 0, make_top_k, loop_rows},
    {"rows-of-8192/1000", OTHERS, ROWS(8192, 1000), 0, make_top_k, NULL},
    {"one-row/10", F32, ROWS(0, 10), 0, make_top_k, loop_rows},
    {"one-row/1000", F32, ROWS(0, 1000), 0, make_top_k, loop_rows},
    {"rows-of-32/4", F32, ROWS(32, 4), 0, make_top_k, loop_rows},
    {"rows-of-128/8", F32, ROWS(128, 8), 0, make_top_k, loop_rows},
    {"rows-of-128/8", OTHERS, ROWS(128, 8), 0, make_top_k, NULL},
    {"rows-of-1024/10", F32, ROWS(1024, 10), 0, make_top_k, loop_rows},
    {"rows-of-1024/all", F32, ROWS(1024, 1024), 0, make_top_k, loop_rows},
    {"rows-of-1024/all", OTHERS, ROWS(1024, 1024), 0, make_top_k, NULL},
    {"rows-of-8192/all", F32, ROWS(8192, 8192), 0, make_top_k, loop_rows},
    {"one-row/all", F32, ROWS(0, 0), 0, make_top_k, loop_rows},
    {"columns-of-8192/10", F32, ROWS(8192, 10), 0, make_columns, NULL},
};

static const struct case_benchmark top_k1_benchmarks[] = {
    {"rows-of-8192/10", F32, ROWS(8192, 10), 0, make_top_k1, NULL},
};

/* ---- families ---- */

#define OLD_INDICES CASE_TYPE(UINT32)
#define SINCE_2_1(name)                                                                                                \
    { name, CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, UP_TO_32), AT_LEVEL(3_1, 1, 8, UP_TO_32), AT_LEVEL(5_0, 1, 8, NUMBERS)) }
#define SINCE_2_0(name)                                                                                                \
    {                                                                                                                  \
        name, CASE_SUPPORT(AT_LEVEL(2_0, 4, 4, FLOATS), AT_LEVEL(2_1, 4, 4, UP_TO_32), AT_LEVEL(3_1, 1, 8, UP_TO_32),  \
                           AT_LEVEL(5_0, 1, 8, NUMBERS))                                                               \
    }
static const struct case_tensor_support top_k_support[] = {
    SINCE_2_0("InputTensor"),
    SINCE_2_0("OutputValueTensor"),
    {"OutputIndexTensor", CASE_SUPPORT(AT_LEVEL(2_0, 4, 4, OLD_INDICES), AT_LEVEL(3_1, 1, 8, OLD_INDICES),
                                       AT_LEVEL(5_0, 1, 8, CASE_TYPE(UINT64) | CASE_TYPE(UINT32)))},
};

static const struct case_tensor_support top_k1_support[] = {
    SINCE_2_1("InputTensor"),
    SINCE_2_1("OutputValueTensor"),
    {"OutputIndexTensor", CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, OLD_INDICES), AT_LEVEL(3_1, 1, 8, OLD_INDICES),
                                       AT_LEVEL(5_0, 1, 8, CASE_TYPE(UINT64) | CASE_TYPE(UINT32)))},
};

#define FAMILY(name, NAME, own_frame)                                                                                  \
    CASE_FAMILY(name, NAME, .has_frame = own_frame, .generate = generate, .group = #name,                              \
                CASE_BENCHMARKS(name##_benchmarks))

FAMILY(top_k, TOP_K, true);
FAMILY(top_k1, TOP_K1, false);
