#include "cases/family.h"
#include "cases/generate.h"
#include "cases/number.h"

static const char *const fixed[] = {
    /* The documented examples. */
    "DIAGONAL_MATRIX seed=1 OutputTensor=FLOAT32[1,1,3,3] OutputTensor.data=1,0,0,0,1,0,0,0,1 Offset=0 Value=1",
    "DIAGONAL_MATRIX seed=2 OutputTensor=FLOAT32[1,1,3,3] OutputTensor.data=0,1,0,0,0,1,0,0,0 Offset=1 Value=1",
    "DIAGONAL_MATRIX seed=3 OutputTensor=FLOAT32[1,1,3,2] OutputTensor.data=0,0,1,0,0,1 Offset=-1 Value=1",
    "DIAGONAL_MATRIX seed=4 OutputTensor=FLOAT32[1,1,3,2] OutputTensor.data=0,0,0,0,0,0 Offset=-3 Value=1",
    /* Offsets at which x - y wraps in 32 bits. */
    "DIAGONAL_MATRIX seed=5 OutputTensor=UINT8[2,3] OutputTensor.data=0,0,0,0,0,0 Offset=-2147483648 Value=1",
    "DIAGONAL_MATRIX seed=6 OutputTensor=UINT8[2,3] OutputTensor.data=0,0,0,0,0,0 Offset=2147483647 Value=1",
    "DIAGONAL_MATRIX seed=7 OutputTensor=INT16[2,2,2] OutputTensor.data=0,5,0,0,0,5,0,0 Offset=1 Value=5.9",
    /* The oldest level; a batch of matrices; a transposed output with gaps. */
    "DIAGONAL_MATRIX seed=8 level=2_0 OutputTensor=FLOAT16[2,1,2,2] OutputTensor.data=1,0,0,1,1,0,0,1 Offset=0 Value=1",
    ("DIAGONAL_MATRIX seed=9 OutputTensor=UINT8[3,3] OutputTensor.strides=2,7 OutputTensor.extra=3 "
     "OutputTensor.data=9,0,0,0,9,0,0,0,9 Offset=0 Value=9"),
    /* Conversion of Value: truncation, saturation, NaN. */
    "DIAGONAL_MATRIX seed=10 OutputTensor=INT8[1,1] OutputTensor.data=-128 Offset=0 Value=-1000",
    "DIAGONAL_MATRIX seed=11 OutputTensor=UINT32[1,1] OutputTensor.data=0 Offset=0 Value=-0.5",
    "DIAGONAL_MATRIX seed=12 OutputTensor=UINT64[1,1] OutputTensor.data=18446744073709551615 Offset=0 Value=inf",
    "DIAGONAL_MATRIX seed=13 OutputTensor=INT64[1,1] OutputTensor.data=0 Offset=0 Value=nan",
    "DIAGONAL_MATRIX seed=14 OutputTensor=FLOAT16[1,2] OutputTensor.data=0,0x7c00 Offset=1 Value=65520",
    "DIAGONAL_MATRIX seed=16 OutputTensor=FLOAT16[1,2] OutputTensor.data=0,0x8000 Offset=1 Value=-0.0",
    "DIAGONAL_MATRIX seed=15 OutputTensor=FLOAT64[1,1] OutputTensor.data=0x3fb99999a0000000 Offset=0 Value=0.1",
    /* Windows that begin within a 32-bit word, where a descriptor binds 32 KiB. */
    /* Matrices side by side, in any order of rows, columns and batch: a fill and the diagonals, where devices are to
       fill. */
    "DIAGONAL_MATRIX seed=41 OutputTensor=FLOAT32[2,3,5,7] Offset=2 Value=1.5",
    "DIAGONAL_MATRIX seed=42 OutputTensor=UINT8[2,2,8,5] OutputTensor.strides=1,80,2,16 Offset=-3 Value=7",
    "DIAGONAL_MATRIX seed=43 OutputTensor=INT16[4,6,9] OutputTensor.strides=54,1,6 Offset=8 Value=-3",
    "DIAGONAL_MATRIX seed=44 OutputTensor=UINT64[3,3,4] Offset=-1 Value=9 OutputTensor.extra=16",
    "DIAGONAL_MATRIX seed=40 OutputTensor=UINT8[3,40001] Offset=39000 Value=5",
    /* Columns side by side rather than rows. */
    "DIAGONAL_MATRIX seed=45 OutputTensor=UINT8[2,70,33] OutputTensor.strides=2310,1,70 Offset=-40 Value=5",
    "DIAGONAL_MATRIX seed=46 OutputTensor=FLOAT32[40,3] OutputTensor.strides=3,200 Offset=-2147483648 Value=5",
    "DIAGONAL_MATRIX seed=47 OutputTensor=INT16[130,1] OutputTensor.strides=1,7 Offset=-129 Value=5",
    /* Matrices side by side: rows of the batch, in the order of columns and rows or the other; in wider elements, up to
       where rows or columns are the innermost; with gaps; and more than one binds. */
    "DIAGONAL_MATRIX seed=50 OutputTensor=UINT8[2,35,7,9] OutputTensor.strides=2205,1,315,35 Offset=-2 Value=5",
    "DIAGONAL_MATRIX seed=51 OutputTensor=FLOAT16[35,7,9] OutputTensor.strides=1,35,245 Offset=8 Value=5",
    "DIAGONAL_MATRIX seed=52 OutputTensor=FLOAT64[3,7,9] OutputTensor.strides=1,27,3 OutputTensor.extra=16 Offset=1 "
    "Value=5",
    "DIAGONAL_MATRIX seed=53 OutputTensor=UINT8[8,5,9] OutputTensor.strides=1,8,40 Offset=-1 Value=5",
    "DIAGONAL_MATRIX seed=54 OutputTensor=INT16[2,2,33,9] OutputTensor.strides=1,2,37,1221 Offset=-1 Value=-300",
    "DIAGONAL_MATRIX seed=55 OutputTensor=INT8[12,5,9] OutputTensor.strides=1,14,70 Offset=3 Value=5",
    "DIAGONAL_MATRIX seed=56 OutputTensor=UINT8[33,5,9] OutputTensor.strides=2,69,345 Offset=3 Value=5",
    "DIAGONAL_MATRIX seed=57 OutputTensor=UINT8[3,160,170] OutputTensor.strides=1,3,480 Offset=-79 Value=5",
    /* Matrices of few columns, of few rows, and both, some beginning within a word. */
    "DIAGONAL_MATRIX seed=60 OutputTensor=UINT8[50,5,1] OutputTensor.extra=16 Offset=-3 Value=5",
    "DIAGONAL_MATRIX seed=61 OutputTensor=UINT8[3,40,3] OutputTensor.strides=121,3,1 Offset=-38 Value=5",
    "DIAGONAL_MATRIX seed=62 OutputTensor=FLOAT16[17,3,5] OutputTensor.strides=16,1,3 Offset=1 Value=5",
    "DIAGONAL_MATRIX seed=63 OutputTensor=FLOAT32[17,3,2] OutputTensor.strides=7,2,1 Offset=-1 Value=5",
    "DIAGONAL_MATRIX seed=64 OutputTensor=UINT8[9,3,3,2] OutputTensor.strides=20,1,6,3 Offset=1 Value=5",
    "DIAGONAL_MATRIX seed=65 OutputTensor=UINT8[3,5,2,3] OutputTensor.strides=2,18,1,6 Offset=1 Value=5",
    "DIAGONAL_MATRIX seed=66 OutputTensor=UINT8[21000,5] OutputTensor.strides=5,1 Offset=-20997 Value=5",
    /* Matrices of so few elements that what is filled repeats every few bytes, and of just too many; in wider elements.
     */
    "DIAGONAL_MATRIX seed=70 OutputTensor=UINT8[301,3,3] Offset=-1 Value=5",
    "DIAGONAL_MATRIX seed=71 OutputTensor=FLOAT16[30,3,37,1] OutputTensor.strides=111,1,3,9 Offset=-4 Value=5",
    "DIAGONAL_MATRIX seed=72 OutputTensor=FLOAT32[30,2,57] OutputTensor.extra=16 Offset=44 Value=5",
    "DIAGONAL_MATRIX seed=80 OutputTensor=UINT8[9,1,113] Offset=112 Value=5",
    "DIAGONAL_MATRIX seed=73 OutputTensor=UINT8[11,5,2,2] OutputTensor.strides=23,4,1,2 Offset=1 Value=5",
    "DIAGONAL_MATRIX seed=74 OutputTensor=UINT8[11,2,3,3] OutputTensor.strides=18,1,2,6 Offset=0 Value=5",
    "DIAGONAL_MATRIX seed=75 OutputTensor=FLOAT64[3,10,11] Offset=-7 Value=5",
    "DIAGONAL_MATRIX seed=76 OutputTensor=UINT8[4100,3,3] Offset=1 Value=5",
    /* Few columns or rows, far from the band, just at it, and where the next matrix begins. */
    "DIAGONAL_MATRIX seed=77 OutputTensor=UINT8[5,200,3] OutputTensor.strides=600,3,1 Offset=-199 Value=5",
    "DIAGONAL_MATRIX seed=78 OutputTensor=UINT8[5,200,7] OutputTensor.strides=1400,7,1 Offset=6 Value=5",
    "DIAGONAL_MATRIX seed=79 OutputTensor=FLOAT16[5,3,200] OutputTensor.strides=600,1,3 Offset=-1 Value=5",
    /* Outside a matrix, whatever its layout. */
    "DIAGONAL_MATRIX seed=67 OutputTensor=UINT8[3,5,7] OutputTensor.strides=1,22,3 Offset=-5 Value=5",
};

static int32_t generate_offset(struct random *random, uint32_t height, uint32_t width) {
    int32_t h = (int32_t)height, w = (int32_t)width;
    const int32_t offsets[] = {
        0, 0, 0, 1, -1, w - 1, w, w + 1, -h, 1 - h, -h - 1, w - h, INT32_MIN, INT32_MAX, INT32_MIN + 1, INT32_MIN + h};
    return random_chance(random, 60)   ? RANDOM_OF(random, offsets)
           : random_chance(random, 80) ? (int32_t)random_below(random, height + width) - h
                                       : (int32_t)(uint32_t)random_next(random);
}

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    (void)family;
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX);
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = generate_type(random, c, "OutputTensor");
    output->rank = random_between(random, 2, 4);
    generate_sizes(random, generate_budget(random), output);
    generate_output_layout(random, output);
    int32_t offset = generate_offset(random, output->sizes[output->rank - 2], output->sizes[output->rank - 1]);
    case_set_uint(c, "Offset", (uint32_t)offset);
    case_set_float(c, "Value", random_chance(random, 30) ? 1.0f : number_special_float(random));
    c->flags = random_chance(random, 5) ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0;
    generate_call(random, c);
}

#define BENCHMARK_TYPES (CASE_TYPES_FLOATS | CASE_TYPE(UINT8) | CASE_TYPE(INT64))

/* Of a square matrix, its side a multiple of 64. */
static uint32_t benchmark_side(uint64_t bytes, DML_TENSOR_DATA_TYPE type) {
    uint32_t side = 64;
    while ((uint64_t)(side + 64) * (side + 64) * vkdmlGetDataTypeSize(type) <= bytes) {
        side += 64;
    }
    return side;
}

/* argument 1: the diagonal lies outside the matrix, so that it is only filled. */
static void make_matrix(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const uint32_t side = benchmark_side(bytes, type);
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, (const uint32_t[]){side, side});
    case_set_uint(c, "Offset", argument * side);
    case_set_float(c, "Value", 1.0f);
}

static void set_strides(struct case_tensor *tensor, const uint32_t *strides) {
    tensor->has_strides = 1;
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        tensor->strides[d] = strides[d];
    }
}

/* Matrices of 8 x 8 elements side by side, element for element. */
static void make_interleaved(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const uint32_t count = benchmark_size(bytes, type, 64, 1);
    (void)argument;
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX);
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    benchmark_tensor(output, type, 3, (const uint32_t[]){count, 8, 8});
    set_strides(output, (const uint32_t[]){1, 8 * count, count});
    case_set_uint(c, "Offset", 0);
    case_set_float(c, "Value", 1.0f);
}

/* A stack of matrices of 5 x 5. */
static void make_small(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const uint32_t count = (uint32_t)(bytes / (25 * vkdmlGetDataTypeSize(type)));
    (void)argument;
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 3, (const uint32_t[]){count, 5, 5});
    case_set_uint(c, "Offset", 0);
    case_set_float(c, "Value", 1.0f);
}

static const struct case_benchmark benchmarks[] = {
    {"identity_matrix", BENCHMARK_TYPES, 0, CASE_BENCHMARK_FILL, make_matrix, NULL},
    {"identity_matrix/transfer", CASE_TYPE(FLOAT32), 0, CASE_BENCHMARK_FILL | CASE_BENCHMARK_TRANSFER, make_matrix,
     NULL},
    {"fill", BENCHMARK_TYPES, 1, CASE_BENCHMARK_FILL, make_matrix, NULL},
    {"fill/transfer", CASE_TYPE(FLOAT32), 1, CASE_BENCHMARK_FILL | CASE_BENCHMARK_TRANSFER, make_matrix, NULL},
    {"interleaved", BENCHMARK_TYPES, 0, CASE_BENCHMARK_FILL, make_interleaved, NULL},
    {"small", BENCHMARK_TYPES, 0, CASE_BENCHMARK_FILL, make_small, NULL},
};

static const struct case_tensor_support support[] = {
    {"OutputTensor",
     CASE_SUPPORT({DML_FEATURE_LEVEL_2_0, 4, 4, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_4_0, 2, 4, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_5_1, 2, 4, CASE_TYPES_UP_TO_64})},
};

const struct case_family vkdml_cases_diagonal_matrix = {.type = DML_OPERATOR_DIAGONAL_MATRIX,
                                                        CASE_SUPPORTED(support),
                                                        CASE_FIXED(fixed),
                                                        .has_frame = true,
                                                        .transfers = true,
                                                        .generate = generate,
                                                        .group = "diagonal",
                                                        CASE_BENCHMARKS(benchmarks)};

/* DIAGONAL_MATRIX1: the value is an element of the output's type, its bits low word first. */
static const char *const diagonal_matrix1_fixed[] = {
    /* The documented examples: a strip of three diagonals; above the diagonal; the diagonal only. The page's first
     * example prints ones where its value is 7; this is what its formula gives. */
    "DIAGONAL_MATRIX1 seed=1 OutputTensor=FLOAT32[4,5] OutputTensor.data=7,7,7,0,0,0,7,7,7,0,0,0,7,7,7,0,0,0,7,7 "
    "ValueDataType=FLOAT32 Value=0x40e00000,0x0 DiagonalFillBegin=0 DiagonalFillEnd=3",
    "DIAGONAL_MATRIX1 seed=2 InputTensor=FLOAT32[4,5] InputTensor.data=4,7,3,7,9,1,2,8,6,9,9,4,1,8,7,4,3,4,2,4 "
    "OutputTensor=FLOAT32[4,5] OutputTensor.data=0,7,3,7,9,0,0,8,6,9,0,0,0,8,7,0,0,0,0,4 ValueDataType=FLOAT32 "
    "Value=0x0,0x0 DiagonalFillBegin=-2147483648 DiagonalFillEnd=1",
    "DIAGONAL_MATRIX1 seed=3 InputTensor=FLOAT32[4,5] InputTensor.data=4,7,3,7,9,1,2,8,6,9,9,4,1,8,7,4,3,4,2,4 "
    "OutputTensor=FLOAT32[4,5] OutputTensor.data=4,0,0,0,0,0,2,0,0,0,0,0,1,0,0,0,0,0,2,0 ValueDataType=FLOAT32 "
    "Value=0x0,0x0 DiagonalFillBegin=1 DiagonalFillEnd=0",
    "DIAGONAL_MATRIX1 seed=4 OutputTensor=FLOAT32[4,5] OutputTensor.data=7,0,0,0,0,0,7,0,0,0,0,0,7,0,0,0,0,0,7,0 "
    "ValueDataType=FLOAT32 Value=0x40e00000,0x0 DiagonalFillBegin=0 DiagonalFillEnd=1",
    /* An empty band fills nothing; the widest fills all. */
    /* The value everywhere but on one diagonal, and nothing at all. */
    "DIAGONAL_MATRIX1 seed=41 OutputTensor=UINT8[3,4] OutputTensor.data=5,0,5,5,5,5,0,5,5,5,5,0 ValueDataType=UINT8 "
    "Value=0x5,0x0 DiagonalFillBegin=2 DiagonalFillEnd=1",
    "DIAGONAL_MATRIX1 seed=42 OutputTensor=INT64[2,2] OutputTensor.data=7,7,0,7 ValueDataType=INT64 Value=0x7,0x0 "
    "DiagonalFillBegin=0 DiagonalFillEnd=-1",
    "DIAGONAL_MATRIX1 seed=43 OutputTensor=FLOAT16[2,3,4] ValueDataType=FLOAT16 Value=0x3c00,0x0 DiagonalFillBegin=3 "
    "DiagonalFillEnd=3",
    "DIAGONAL_MATRIX1 seed=5 InputTensor=INT64[2,2] InputTensor.data=1,2,3,4 OutputTensor=INT64[2,2] "
    "OutputTensor.data=1,2,3,4 ValueDataType=INT64 Value=0xffffffff,0xffffffff DiagonalFillBegin=0 DiagonalFillEnd=0",
    "DIAGONAL_MATRIX1 seed=6 InputTensor=INT64[2,2] InputTensor.data=1,2,3,4 OutputTensor=INT64[2,2] "
    "OutputTensor.data=-1,-1,-1,-1 ValueDataType=INT64 Value=0xffffffff,0xffffffff DiagonalFillBegin=-2147483648 "
    "DiagonalFillEnd=2147483647",
    "DIAGONAL_MATRIX1 seed=7 OutputTensor=UINT8[2,2] OutputTensor.data=5,5,5,5 ValueDataType=UINT8 Value=0x5,0x0 "
    "DiagonalFillBegin=2147483647 DiagonalFillEnd=2147483646",
    /* Columns side by side, and a band without a beginning, or the value outside it. */
    "DIAGONAL_MATRIX1 seed=44 OutputTensor=FLOAT16[70,33] OutputTensor.strides=1,70 ValueDataType=FLOAT16 "
    "Value=0x3c00,0x0 DiagonalFillBegin=-2147483648 DiagonalFillEnd=-3",
    "DIAGONAL_MATRIX1 seed=45 InputTensor=UINT8[70,33] OutputTensor=UINT8[70,33] OutputTensor.strides=1,70 "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=9 DiagonalFillEnd=-20",
    /* Matrices side by side; of few columns, the input's elements lying alike, and otherwise. */
    "DIAGONAL_MATRIX1 seed=50 InputTensor=UINT8[35,7,9] InputTensor.strides=1,315,35 OutputTensor=UINT8[35,7,9] "
    "OutputTensor.strides=1,315,35 ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=-3 DiagonalFillEnd=2",
    "DIAGONAL_MATRIX1 seed=51 InputTensor=UINT16[4,7,9] InputTensor.strides=1,40,4 OutputTensor=UINT16[4,7,9] "
    "OutputTensor.strides=1,36,4 ValueDataType=UINT16 Value=0x1234,0x0 DiagonalFillBegin=4 DiagonalFillEnd=-1",
    "DIAGONAL_MATRIX1 seed=52 InputTensor=UINT8[50,7,3] OutputTensor=UINT8[50,7,3] OutputTensor.extra=16 "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=-4 DiagonalFillEnd=1",
    "DIAGONAL_MATRIX1 seed=53 InputTensor=FLOAT16[3,21,5] InputTensor.strides=107,5,1 OutputTensor=FLOAT16[3,21,5] "
    "OutputTensor.strides=106,5,1 ValueDataType=FLOAT16 Value=0x3c00,0x0 DiagonalFillBegin=1 DiagonalFillEnd=-17",
    "DIAGONAL_MATRIX1 seed=54 InputTensor=UINT8[3,21,5] InputTensor.strides=110,5,1 OutputTensor=UINT8[3,21,5] "
    "OutputTensor.strides=5,15,1 ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=1 DiagonalFillEnd=-17",
    /* The input beside what repeats; a wide band, in and around it, of few columns. */
    "DIAGONAL_MATRIX1 seed=70 InputTensor=UINT8[301,3,3] OutputTensor=UINT8[301,3,3] ValueDataType=UINT8 Value=0x5,0x0 "
    "DiagonalFillBegin=0 DiagonalFillEnd=-2",
    "DIAGONAL_MATRIX1 seed=71 InputTensor=UINT8[3,900,5] OutputTensor=UINT8[3,900,5] ValueDataType=UINT8 Value=0x5,0x0 "
    "DiagonalFillBegin=-700 DiagonalFillEnd=-300",
    "DIAGONAL_MATRIX1 seed=72 OutputTensor=FLOAT32[3,900,3] ValueDataType=FLOAT32 Value=0x5,0x0 DiagonalFillBegin=-30 "
    "DiagonalFillEnd=-700",
    /* Rows of the input apart, and one for all. */
    "DIAGONAL_MATRIX1 seed=55 InputTensor=UINT8[5,33,21] InputTensor.strides=1000,25,1 OutputTensor=UINT8[5,33,21] "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=-9 DiagonalFillEnd=4",
    "DIAGONAL_MATRIX1 seed=56 InputTensor=UINT8[5,33,21] InputTensor.strides=0,1,0 OutputTensor=UINT8[5,33,21] "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=-9 DiagonalFillEnd=4",
    /* More than a descriptor binds: short rows, and the input transposed. */
    "DIAGONAL_MATRIX1 seed=57 InputTensor=UINT8[15000,5] OutputTensor=UINT8[15000,5] ValueDataType=UINT8 "
    "Value=0x5,0x0 DiagonalFillBegin=-13500 DiagonalFillEnd=-7000",
    "DIAGONAL_MATRIX1 seed=58 InputTensor=FLOAT32[512,600] InputTensor.strides=1,512 OutputTensor=FLOAT32[512,600] "
    "ValueDataType=FLOAT32 Value=0x40a00000,0x0 DiagonalFillBegin=30 DiagonalFillEnd=-40",
    /* The input transposed: tiles, and the band over them; of one diagonal; outside it; of short rows. */
    "DIAGONAL_MATRIX1 seed=60 InputTensor=FLOAT32[470,600] InputTensor.strides=1,470 OutputTensor=FLOAT32[470,600] "
    "ValueDataType=FLOAT32 Value=0x40a00000,0x0 DiagonalFillBegin=-2147483648 DiagonalFillEnd=7",
    "DIAGONAL_MATRIX1 seed=61 InputTensor=UINT8[2,3000,200] OutputTensor=UINT8[2,3000,200] "
    "OutputTensor.strides=600000,1,3000 "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=-5 DiagonalFillEnd=-4",
    "DIAGONAL_MATRIX1 seed=62 InputTensor=INT16[2,3000,90] OutputTensor=INT16[2,3000,90] "
    "OutputTensor.strides=272000,1,3020 "
    "ValueDataType=INT16 Value=0x5,0x0 DiagonalFillBegin=9 DiagonalFillEnd=-4",
    "DIAGONAL_MATRIX1 seed=63 InputTensor=UINT8[7,640,257] OutputTensor=UINT8[7,640,257] OutputTensor.strides=1,7,4480 "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=-30 DiagonalFillEnd=8",
    /* Matrices near enough to the transposed input, or small enough, to go by elements. */
    "DIAGONAL_MATRIX1 seed=73 InputTensor=FLOAT32[70,600] InputTensor.strides=1,70 OutputTensor=FLOAT32[70,600] "
    "ValueDataType=FLOAT32 Value=0x40a00000,0x0 DiagonalFillBegin=-2147483648 DiagonalFillEnd=7",
    "DIAGONAL_MATRIX1 seed=68 InputTensor=INT16[3,33,70] InputTensor.strides=2310,1,33 OutputTensor=INT16[3,33,70] "
    "ValueDataType=INT16 Value=0x5,0x0 DiagonalFillBegin=-20 DiagonalFillEnd=33",
    /* Bands that are all of a matrix, or nothing of it, in other layouts. */
    "DIAGONAL_MATRIX1 seed=64 InputTensor=UINT8[7,64,12] OutputTensor=UINT8[7,64,12] OutputTensor.strides=1,7,448 "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=12 DiagonalFillEnd=-63",
    "DIAGONAL_MATRIX1 seed=65 InputTensor=UINT8[7,64,12] OutputTensor=UINT8[7,64,12] OutputTensor.strides=1,7,448 "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=-63 DiagonalFillEnd=12",
    "DIAGONAL_MATRIX1 seed=66 InputTensor=UINT8[7,64,12] OutputTensor=UINT8[7,64,12] OutputTensor.strides=1,7,448 "
    "ValueDataType=UINT8 Value=0x5,0x0 DiagonalFillBegin=-63 DiagonalFillEnd=11",
    "DIAGONAL_MATRIX1 seed=67 InputTensor=INT64[5,64,12] OutputTensor=INT64[5,64,12] OutputTensor.strides=1,5,320 "
    "ValueDataType=INT64 Value=0x5,0x1 DiagonalFillBegin=11 DiagonalFillEnd=-63",
};

static void generate1(const struct case_family *family, struct random *random, struct operator_case *c) {
    (void)family;
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_INDEX, CASE_FILL_SPECIAL};
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX1);
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = generate_type(random, c, "OutputTensor");
    output->rank = random_between(random, 2, 4);
    generate_sizes(random, generate_budget(random), output);
    const uint32_t height = output->sizes[output->rank - 2], width = output->sizes[output->rank - 1];
    if (random_chance(random, 60)) {
        struct case_tensor *input = case_tensor(c, "InputTensor");
        *input = *output;
        input->fill = RANDOM_OF(random, fills);
        generate_input_layout(random, input);
    }
    generate_output_layout(random, output);
    const uint64_t value = number_special(output->type, random);
    const uint32_t words[] = {(uint32_t)value, (uint32_t)(value >> 32)};
    case_set_uint(c, "ValueDataType", output->type);
    case_set(c, "Value", 2, words);
    case_set_uint(c, "DiagonalFillBegin", (uint32_t)generate_offset(random, height, width));
    case_set_uint(c, "DiagonalFillEnd", (uint32_t)generate_offset(random, height, width));
    c->flags = random_chance(random, 5) ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0;
    generate_call(random, c);
}

static const struct case_refusal diagonal_matrix1_refused[] = {
    {"DIAGONAL_MATRIX1 seed=1 OutputTensor=INT32[2,2] ValueDataType=UINT32 Value=0x0,0x0 DiagonalFillBegin=0 "
     "DiagonalFillEnd=0",
     "DML_OPERATOR_DIAGONAL_MATRIX1: ValueDataType is DML_TENSOR_DATA_TYPE_UINT32, must be DML_TENSOR_DATA_TYPE_INT32 "
     "= "
     "OutputTensor.DataType"},
};

/* The upper triangle, the rest filled, of a matrix or (argument > 0) of matrices with `argument` columns; of a matrix
 * TRANSPOSED. */
#define TRANSPOSED UINT32_MAX

static void make_triangle(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const bool is_small = argument != 0 && argument != TRANSPOSED;
    const uint32_t side = is_small ? argument : benchmark_side(bytes, type);
    const uint32_t count = is_small ? (uint32_t)(bytes / (vkdmlGetDataTypeSize(type) * side * side)) : 1;
    const uint32_t sizes[] = {count, side, side};
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX1);
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 3, sizes);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 3, sizes);
    if (argument == TRANSPOSED) {
        set_strides(case_tensor(c, "InputTensor"), (const uint32_t[]){side * side, 1, side});
    }
    case_set_uint(c, "ValueDataType", type);
    case_set(c, "Value", 2, (const uint32_t[]){0, 0});
    case_set_uint(c, "DiagonalFillBegin", (uint32_t)INT32_MIN);
    case_set_uint(c, "DiagonalFillEnd", 0);
}

static const struct case_benchmark benchmarks1[] = {
    {"triangle", BENCHMARK_TYPES, 0, 0, make_triangle, NULL},
    {"small_triangles", BENCHMARK_TYPES, 5, 0, make_triangle, NULL},
    {"transposed_triangle", BENCHMARK_TYPES, TRANSPOSED, 0, make_triangle, NULL},
};

static const struct case_tensor_support diagonal_matrix1_support[] = {
    {"InputTensor", CASE_SUPPORT({DML_FEATURE_LEVEL_5_1, 2, 4, CASE_TYPES_UP_TO_64})},
    {"OutputTensor", CASE_SUPPORT({DML_FEATURE_LEVEL_5_1, 2, 4, CASE_TYPES_UP_TO_64})},
};

CASE_FAMILY(diagonal_matrix1, DIAGONAL_MATRIX1, .has_frame = true, .transfers = true, .generate = generate1,
            .group = "diagonal1", CASE_BENCHMARKS(benchmarks1));
