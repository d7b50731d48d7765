/* Cases of MATRIX_MULTIPLY_INTEGER, QUANTIZED_LINEAR_MATRIX_MULTIPLY and MATRIX_MULTIPLY_INTEGER_TO_FLOAT. */
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/number.h"
#include "cases/operators/quantized.h"
#include "cases/terms.h"

/* ---- random cases ---- */

static void set_sizes(struct case_tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *batches,
                      uint32_t rows, uint32_t columns) {
    tensor->type = type;
    tensor->rank = rank;
    memcpy(tensor->sizes, batches + 4 - rank, (rank - 2) * sizeof(*batches));
    tensor->sizes[rank - 2] = rows;
    tensor->sizes[rank - 1] = columns;
}

static DML_TENSOR_DATA_TYPE random_byte(struct random *random) {
    return random_chance(random, 50) ? DML_TENSOR_DATA_TYPE_INT8 : DML_TENSOR_DATA_TYPE_UINT8;
}

/* The matrices, of types that are given. */
static void generate_matrices(struct random *random, struct operator_case *c, DML_TENSOR_DATA_TYPE type_a,
                              DML_TENSOR_DATA_TYPE type_b, DML_TENSOR_DATA_TYPE type_out) {
    uint32_t order[3], sizes[3], left = 16 * generate_budget(random); /* products */
    random_permutation(random, 3, order);
    for (uint32_t i = 0; i < 3; i++) {
        sizes[order[i]] = generate_tile_size(random, left);
        left /= sizes[order[i]];
    }
    const uint32_t rank = random_between(random, 2, 4);
    const uint32_t inner = rank > 2 && left > 1 ? random_between(random, 1, left < 5 ? left : 5) : 1;
    const uint32_t batches[] = {rank > 3 && left / inner > 1 ? random_between(random, 1, 2) : 1, inner};
    struct case_tensor *a = case_tensor(c, "ATensor"), *b = case_tensor(c, "BTensor");
    set_sizes(a, type_a, rank, batches, sizes[0], sizes[2]);
    set_sizes(b, type_b, rank, batches, sizes[2], sizes[1]);
    set_sizes(case_tensor(c, "OutputTensor"), type_out, rank, batches, sizes[0], sizes[1]);
    quantized_fill(random, a);
    quantized_fill(random, b);
    generate_input_layout(random, a);
    generate_input_layout(random, b);
    generate_output_layout(random, case_tensor(c, "OutputTensor"));
}

static void choose_zero_points(struct random *random, struct operator_case *c, uint32_t rank_a, uint32_t rank_b) {
    const struct case_tensor *a = case_tensor(c, "ATensor"), *b = case_tensor(c, "BTensor");
    quantized_choose_optional(random, c, "AZeroPointTensor", a->type, rank_a, QUANTIZED_ROWS, a->sizes[a->rank - 2]);
    quantized_choose_optional(random, c, "BZeroPointTensor", b->type, rank_b, QUANTIZED_COLUMNS, b->sizes[b->rank - 1]);
}

static void choose_scales(struct random *random, struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t rank) {
    const struct case_tensor *a = case_tensor(c, "ATensor"), *b = case_tensor(c, "BTensor");
    quantized_choose(random, c, "AScaleTensor", type, rank, QUANTIZED_ROWS, a->sizes[a->rank - 2]);
    quantized_choose(random, c, "BScaleTensor", type, rank, QUANTIZED_COLUMNS, b->sizes[b->rank - 1]);
}

/* Dimension counts of what is not a matrix are their own, mostly the matrices'. */
static uint32_t random_rank(struct random *random, const struct operator_case *c) {
    return random_chance(random, 60) ? c->tensors[0].rank : random_between(random, 1, 4);
}

static void generate_plain(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_matrices(random, c, random_byte(random), random_byte(random), DML_TENSOR_DATA_TYPE_INT32);
    choose_zero_points(random, c, random_rank(random, c), random_rank(random, c));
    generate_call(random, c);
}

static void generate_quantized(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_matrices(random, c, random_byte(random), random_byte(random), random_byte(random));
    const struct case_tensor *out = case_tensor(c, "OutputTensor");
    const uint32_t rank = random_rank(random, c), rows = out->sizes[out->rank - 2];
    choose_zero_points(random, c, rank, rank);
    choose_scales(random, c, DML_TENSOR_DATA_TYPE_FLOAT32, rank);
    quantized_choose(random, c, "OutputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, rank, QUANTIZED_ROWS, rows);
    quantized_choose_optional(random, c, "OutputZeroPointTensor", out->type, rank, QUANTIZED_ROWS, rows);
    generate_call(random, c);
}

static void generate_to_float(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    const DML_TENSOR_DATA_TYPE type = generate_type(random, c, "ATensor");
    const DML_TENSOR_DATA_TYPE floats = generate_type(random, c, "OutputTensor");
    const bool are_bytes = number_bits(type) == 8;
    generate_matrices(random, c, type, are_bytes ? random_byte(random) : type, floats);
    const struct case_tensor *out = case_tensor(c, "OutputTensor");
    const uint32_t rank = random_rank(random, c);
    choose_zero_points(random, c, rank, rank);
    choose_scales(random, c, floats, rank);
    if (random_chance(random, 50)) {
        struct case_tensor *bias = case_tensor(c, "BiasTensor");
        bias->type = floats;
        bias->rank = out->rank;
        memcpy(bias->sizes, out->sizes, sizeof(bias->sizes));
        bias->fill = CASE_FILL_UNIT;
        generate_input_layout(random, bias);
    }
    generate_call(random, c);
}

/* ---- benchmarks ---- */

#define IS_OWNED  1u
#define IS_VECTOR 2u

static void make_matrices(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type,
                          DML_TENSOR_DATA_TYPE out, uint32_t argument, struct operator_case *c) {
    uint32_t side = 16;
    while ((uint64_t)4 * side * side <= bytes) {
        side *= 2;
    }
    const uint32_t rows = (argument & IS_VECTOR) != 0 ? 1 : side;
    case_begin(c, operator_type);
    benchmark_tensor(case_tensor(c, "ATensor"), type, 4, (const uint32_t[]){1, 1, rows, side});
    benchmark_tensor(case_tensor(c, "BTensor"), type, 4, (const uint32_t[]){1, 1, side, side});
    benchmark_tensor(case_tensor(c, "OutputTensor"), out, 4, (const uint32_t[]){1, 1, rows, side});
    case_tensor(c, "BTensor")->owned = (argument & IS_OWNED) != 0;
}

/* Signed without zero points, as other libraries multiply; of unsigned bytes with them. */
static void make_plain(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_matrices(DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, bytes, type, DML_TENSOR_DATA_TYPE_INT32, argument, c);
    if (type == DML_TENSOR_DATA_TYPE_UINT8) {
        quantized_set(c, "AZeroPointTensor", type, 4, 120);
        quantized_set(c, "BZeroPointTensor", type, 4, 128);
    }
}

static void make_quantized(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_matrices(DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY, bytes, type, type, argument, c);
    quantized_set(c, "AScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 0.01);
    quantized_set(c, "BScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 0.02);
    quantized_set(c, "OutputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 5);
    quantized_set(c, "AZeroPointTensor", type, 4, 3);
    quantized_set(c, "BZeroPointTensor", type, 4, type == DML_TENSOR_DATA_TYPE_UINT8 ? 128 : 0);
    quantized_set(c, "OutputZeroPointTensor", type, 4, 7);
}

static void make_to_float(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_matrices(DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT, bytes, type, DML_TENSOR_DATA_TYPE_FLOAT32, argument,
                  c);
    quantized_set(c, "AScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 0.01);
    quantized_set(c, "BScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, 4, 0.02);
}

/* Packed INT8 to INT32 without zero points, by blocks that fit the first-level cache. */
static void plain_loop(const struct operator_case *c, unsigned char *const *tensors) {
    enum { A, B = 2, OUT = 4, BLOCK = 128 };
    const struct case_tensor *a = &c->tensors[A], *out = &c->tensors[OUT];
    const size_t m = out->sizes[2], n = out->sizes[3], k = a->sizes[3];
    const signed char *as = (const signed char *)tensors[A], *bs = (const signed char *)tensors[B];
    int32_t *outs = (int32_t *)(void *)tensors[OUT];
    memset(outs, 0, m * n * sizeof(*outs));
    for (size_t k_first = 0; k_first < k; k_first += BLOCK) {
        for (size_t n_first = 0; n_first < n; n_first += BLOCK) {
            const size_t k_end = k_first + BLOCK < k ? k_first + BLOCK : k;
            const size_t n_end = n_first + BLOCK < n ? n_first + BLOCK : n;
            for (size_t i = 0; i < m; i++) {
                for (size_t l = k_first; l < k_end; l++) {
                    const int32_t x = as[i * k + l];
                    for (size_t j = n_first; j < n_end; j++) {
                        outs[i * n + j] += x * bs[l * n + j];
                    }
                }
            }
        }
    }
}

static double matrix_operations(const struct operator_case *c) {
    return 2 * (double)case_element_count(&c->tensors[case_index(c, "OutputTensor")]) *
           c->tensors[0].sizes[c->tensors[0].rank - 1];
}

#define INT8  CASE_TYPE(INT8)
#define UINT8 CASE_TYPE(UINT8)
#define BENCHMARKS(name, make, loop)                                                                                   \
    static const struct case_benchmark name##_benchmarks[] = {                                                         \
        {#name, INT8, 0, 0, make, loop},                                                                               \
        {#name, UINT8, 0, 0, make, NULL},                                                                              \
        {#name "_owned", INT8, IS_OWNED, 0, make, NULL},                                                               \
        {#name "_owned_vector", INT8, IS_OWNED | IS_VECTOR, 0, make, NULL},                                            \
    }
BENCHMARKS(integer, make_plain, plain_loop);
BENCHMARKS(quantized, make_quantized, NULL);
BENCHMARKS(integer_to_float, make_to_float, NULL);

/* ---- MATRIX_MULTIPLY_INTEGER ---- */

#define BYTES_FROM(least) CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, BYTES), AT_LEVEL(4_0, least, 4, BYTES))
#define SCALES            CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, CASE_TYPE(FLOAT32)), AT_LEVEL(4_0, 1, 4, CASE_TYPE(FLOAT32)))
static const struct case_tensor_support matrix_multiply_integer_support[] = {
    {"ATensor", BYTES_FROM(2)},
    {"AZeroPointTensor", BYTES_FROM(1)},
    {"BTensor", BYTES_FROM(2)},
    {"BZeroPointTensor",
     CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, BYTES), AT_LEVEL(4_0, 2, 4, BYTES), AT_LEVEL(5_2, 1, 4, BYTES))},
    {"OutputTensor", CASE_SUPPORT(AT_LEVEL(2_1, 4, 4, CASE_TYPE(INT32)), AT_LEVEL(4_0, 2, 4, CASE_TYPE(INT32)))},
};

#define PLAIN                   "MATRIX_MULTIPLY_INTEGER "
#define RANDOM(seed, a, b, out) PLAIN "seed=" seed " ATensor=" a " BTensor=" b " OutputTensor=INT32" out
static const char *const matrix_multiply_integer_fixed[] = {
    PLAIN "ATensor=UINT8[1,1,2,2] ATensor.data=1,2,3,4 BTensor=INT8[1,1,2,2] BTensor.data=5,-6,7,8 "
          "OutputTensor=INT32[1,1,2,2] OutputTensor.data=19,10,43,14",
    /* A zero point for each row, and for each column. */
    PLAIN "ATensor=UINT8[2,3] ATensor.data=11,7,3,10,6,2 AZeroPointTensor=UINT8[2,1] AZeroPointTensor.data=12,1 "
          "BTensor=INT8[3,2] BTensor.data=1,-4,2,5,0,3 BZeroPointTensor=INT8[1,2] BZeroPointTensor.data=-1,2 "
          "OutputTensor=INT32[2,2] OutputTensor.data=-26,-18,34,-38",
    /* Of all dimension counts one number stands for all. */
    PLAIN "ATensor=INT8[1,1,1,2] ATensor.data=-128,127 AZeroPointTensor=INT8[1] AZeroPointTensor.data=-3 "
          "BTensor=UINT8[1,1,2,1] BTensor.data=0,255 BZeroPointTensor=UINT8[1,1] BZeroPointTensor.data=200 "
          "OutputTensor=INT32[1,1,1,1] OutputTensor.data=32150",
    /* The ends of both types. */
    PLAIN "ATensor=UINT8[1,5] ATensor.data=255,255,255,255,255 BTensor=UINT8[5,1] BTensor.data=255,255,255,255,255 "
          "OutputTensor=INT32[1,1] OutputTensor.data=325125",
    PLAIN
    "ATensor=INT8[1,5] ATensor.data=-128,-128,-128,-128,-128 BTensor=INT8[5,1] BTensor.data=-128,-128,-128,-128,-128 "
    "OutputTensor=INT32[1,1] OutputTensor.data=81920",
    RANDOM("1", "INT8[128,64]", "INT8[64,128]", "[128,128]"),
    RANDOM("2", "UINT8[64,48]", "UINT8[48,192]", "[64,192]"),
    RANDOM("3", "INT8[131,67]", "UINT8[67,129]", "[131,129]"),
    RANDOM("4", "UINT8[33,31]", "INT8[31,35]", "[33,35]"),
    RANDOM("5", "UINT8[4,5000]", "INT8[5000,6]", "[4,6]"),
    RANDOM("6", "UINT8[1,40000]", "UINT8[40000,2]", "[1,2]"),
    RANDOM("7", "INT8[1,300]", "INT8[300,1000]", "[1,1000]"),
    RANDOM("8", "INT8[500,1]", "INT8[1,400]", "[500,400]"),
    /* Batches that share B, lines that lie across, gaps. */
    PLAIN "seed=9 ATensor=UINT8[2,3,40,32] BTensor=INT8[2,3,32,24] BTensor.strides=0,0,24,1 "
          "AZeroPointTensor=UINT8[1,1,40,1] BZeroPointTensor=INT8[1,1,1,24] OutputTensor=INT32[2,3,40,24]",
    PLAIN "seed=10 ATensor=UINT8[2,3,40,32] ATensor.strides=4000,1300,1,40 BTensor=INT8[2,3,32,24] "
          "BTensor.strides=0,768,1,32 OutputTensor=INT32[2,3,40,24] OutputTensor.strides=2880,1,72,3",
    /* Sums wrap. */
    RANDOM("11", "UINT8[1,150000]", "UINT8[150000,1]", "[1,1]"),
    /* Few rows, of batches, by what is packed once. */
    PLAIN "seed=12 ATensor=INT8[3,2,2,1000] BTensor=UINT8[3,2,1000,33] BTensor.owned=1 OutputTensor=INT32[3,2,2,33]",
};
static const struct case_refusal matrix_multiply_integer_refused[] = {
    {PLAIN "ATensor=UINT8[2,3] BTensor=INT8[4,2] OutputTensor=INT32[2,2]",
     "DML_OPERATOR_MATRIX_MULTIPLY_INTEGER: BTensor.Sizes[0] is 4, must be 3 = ATensor.Sizes[1], what is summed"},
    {PLAIN "ATensor=UINT8[2,3] BTensor=INT8[3,2] OutputTensor=INT32[3,1]",
     "DML_OPERATOR_MATRIX_MULTIPLY_INTEGER: OutputTensor.Sizes[0] is 3, must be 2 = ATensor.Sizes[0], the rows\n"
     "DML_OPERATOR_MATRIX_MULTIPLY_INTEGER: OutputTensor.Sizes[1] is 1, must be 2 = BTensor.Sizes[1], the columns"},
    {PLAIN "ATensor=UINT8[2,3] AZeroPointTensor=UINT8[1,2] BTensor=INT8[3,4] BZeroPointTensor=INT8[3] "
           "OutputTensor=INT32[2,4]",
     "DML_OPERATOR_MATRIX_MULTIPLY_INTEGER: AZeroPointTensor.Sizes[1] is 2, must be 1\n"
     "DML_OPERATOR_MATRIX_MULTIPLY_INTEGER: BZeroPointTensor.Sizes[0] is 3, must be 1 or 4, the number of columns"},
};
CASE_FAMILY(matrix_multiply_integer, MATRIX_MULTIPLY_INTEGER, .binds_whole = true, .has_frame = true,
            .generate = generate_plain, .group = "product", CASE_BENCHMARKS(integer_benchmarks),
            .operations = matrix_operations);

/* ---- QUANTIZED_LINEAR_MATRIX_MULTIPLY ---- */

static const struct case_tensor_support quantized_linear_matrix_multiply_support[] = {
    {"ATensor", BYTES_FROM(2)},
    {"AScaleTensor", SCALES},
    {"AZeroPointTensor", BYTES_FROM(1)},
    {"BTensor", BYTES_FROM(2)},
    {"BScaleTensor", SCALES},
    {"BZeroPointTensor", BYTES_FROM(1)},
    {"OutputScaleTensor", SCALES},
    {"OutputZeroPointTensor", BYTES_FROM(1)},
    {"OutputTensor", BYTES_FROM(2)},
};

#define QUANTIZED            "QUANTIZED_LINEAR_MATRIX_MULTIPLY "
#define SCALE(tensor, value) " " tensor "=FLOAT32[1,1] " tensor ".data=" value
static const char *const quantized_linear_matrix_multiply_fixed[] = {
    /* 19, 22, 43 and 50 by a quarter of 2: halves go to even ones. */
    QUANTIZED "ATensor=UINT8[2,2] ATensor.data=1,2,3,4" SCALE(
        "AScaleTensor", "0.5") " BTensor=INT8[2,2] "
                               "BTensor.data=5,6,7,8" SCALE("BScaleTensor", "2") SCALE(
                                   "OutputScaleTensor", "2") " OutputTensor=INT8[2,2] OutputTensor.data=10,11,22,25",
    /* The zero point is added behind the rounding, so that an odd one leaves ties as they were. */
    QUANTIZED "ATensor=INT8[1,1] ATensor.data=1" SCALE(
        "AScaleTensor", "1") " BTensor=INT8[1,6] BTensor.data=1,3,5,-1,-3,-5" SCALE("BScaleTensor", "0.5")
        SCALE("OutputScaleTensor",
              "1") " OutputZeroPointTensor=UINT8[1,1] "
                   "OutputZeroPointTensor.data=101 OutputTensor=UINT8[1,6] OutputTensor.data=101,103,103,101,99,99",
    /* Beyond both ends of the range. */
    QUANTIZED "ATensor=INT8[1,1] ATensor.data=100" SCALE(
        "AScaleTensor", "1") " BTensor=INT8[1,3] BTensor.data=100,-100,1" SCALE("BScaleTensor", "1e30")
        SCALE("OutputScaleTensor", "1e-30") " OutputTensor=INT8[1,3] "
                                            "OutputTensor.data=127,-128,127",
    /* Scales of each row, each column, and the output's of each row. */
    QUANTIZED "ATensor=INT8[2,1] ATensor.data=10,20 AScaleTensor=FLOAT32[2,1] AScaleTensor.data=1,2 BTensor=INT8[1,2] "
              "BTensor.data=1,2 BScaleTensor=FLOAT32[1,2] BScaleTensor.data=4,8 OutputScaleTensor=FLOAT32[2,1] "
              "OutputScaleTensor.data=2,16 OutputZeroPointTensor=UINT8[2,1] OutputZeroPointTensor.data=1,100 "
              "OutputTensor=UINT8[2,2] OutputTensor.data=21,81,110,140",
    /* A scale of 0: infinite, and NaN, which is the zero point. */
    QUANTIZED "ATensor=INT8[1,1] ATensor.data=1" SCALE(
        "AScaleTensor", "1") " BTensor=INT8[1,3] BTensor.data=1,-1,0" SCALE("BScaleTensor", "1")
        SCALE("OutputScaleTensor",
              "0") " OutputZeroPointTensor=UINT8[1,1] "
                   "OutputZeroPointTensor.data=9 OutputTensor=UINT8[1,3] OutputTensor.data=255,0,9",
    QUANTIZED "seed=1 ATensor=UINT8[130,70] AScaleTensor=FLOAT32[130,1] AScaleTensor.fill=UNIT "
              "AZeroPointTensor=UINT8[130,1] BTensor=INT8[70,66] BScaleTensor=FLOAT32[1,66] BScaleTensor.fill=UNIT "
              "BZeroPointTensor=INT8[1,66] OutputScaleTensor=FLOAT32[1,1] OutputScaleTensor.data=300 "
              "OutputZeroPointTensor=UINT8[1,1] OutputZeroPointTensor.data=128 OutputTensor=UINT8[130,66]",
    QUANTIZED
    "seed=2 ATensor=UINT8[3,700] AScaleTensor=FLOAT32[3,1] AScaleTensor.fill=UNIT AZeroPointTensor=UINT8[3,1] "
    "BTensor=INT8[700,67] BScaleTensor=FLOAT32[1,67] BScaleTensor.fill=UNIT BZeroPointTensor=INT8[1,67] "
    "OutputScaleTensor=FLOAT32[1,1] OutputScaleTensor.data=300 OutputTensor=UINT8[3,67]",
};
static const struct case_refusal quantized_linear_matrix_multiply_refused[] = {
    {QUANTIZED "ATensor=UINT8[2,3] AScaleTensor=FLOAT32[3,1] BTensor=INT8[3,4] BScaleTensor=FLOAT32[2,4] "
               "OutputScaleTensor=FLOAT32[1,4] OutputTensor=UINT8[2,4]",
     "DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY: AScaleTensor.Sizes[0] is 3, must be 1 or 2, the number of rows\n"
     "DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY: BScaleTensor.Sizes[0] is 2, must be 1\n"
     "DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY: OutputScaleTensor.Sizes[1] is 4, must be 1"},
};
CASE_FAMILY(quantized_linear_matrix_multiply, QUANTIZED_LINEAR_MATRIX_MULTIPLY, .binds_whole = true,
            .generate = generate_quantized, .group = "product", CASE_BENCHMARKS(quantized_benchmarks),
            .operations = matrix_operations);

/* ---- MATRIX_MULTIPLY_INTEGER_TO_FLOAT ---- */

enum { A, A_SCALE, A_ZERO_POINT, B, B_SCALE, B_ZERO_POINT, BIAS, OUT };

/* A scale or zero point of a row or column; one that is absent is 0. */
static double number_of(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                        uint32_t index) {
    const struct case_tensor *tensor = &c->tensors[slot];
    uint32_t at[CASE_MAX_RANK] = {0};
    for (uint32_t d = 0; d < tensor->rank; d++) {
        at[d] = tensor->sizes[d] > 1 ? index : 0;
    }
    return c->fields[slot].present ? case_number(c, tensors, slot, at) : 0;
}

static struct terms terms_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const uint32_t rank = c->tensors[OUT].rank, row = at[rank - 2], column = at[rank - 1];
    const double scales[] = {number_of(c, tensors, A_SCALE, row), number_of(c, tensors, B_SCALE, column)};
    const double zeros[] = {number_of(c, tensors, A_ZERO_POINT, row), number_of(c, tensors, B_ZERO_POINT, column)};
    struct terms terms = {.depth = c->tensors[A].sizes[rank - 1]};
    uint32_t of_a[CASE_MAX_RANK], of_b[CASE_MAX_RANK];
    memcpy(of_a, at, sizeof(of_a));
    memcpy(of_b, at, sizeof(of_b));
    for (uint32_t k = 0; k < c->tensors[A].sizes[rank - 1]; k++) {
        of_a[rank - 1] = of_b[rank - 2] = k;
        const double factors[] = {(double)((float)(case_number(c, tensors, A, of_a) - zeros[0]) * (float)scales[0]),
                                  (double)((float)(case_number(c, tensors, B, of_b) - zeros[1]) * (float)scales[1])};
        terms_add_product(c, &terms, (const uint32_t[]){OUT, OUT}, factors);
    }
    terms.largest = terms.magnitudes;
    if (c->fields[BIAS].present) {
        terms_add(c, &terms, BIAS, case_number(c, tensors, BIAS, at), 1);
    }
    return terms;
}

static struct accuracy_bounds to_float_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                              const uint32_t *at) {
    if (number_bits(c->tensors[A].type) == 8) {
        return accuracy_is_exact;
    }
    const struct terms t = terms_at(c, tensors, at);
    return terms_bounds(c, &t, accuracy_of_terms(c, t.depth) * t.magnitudes + (2 * t.depth + 4) * 0x1p-126);
}

static struct accuracy_exact to_float_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                            const uint32_t *at) {
    const struct terms t = terms_at(c, tensors, at);
    return terms_exact(c, &t);
}

#define WHOLE_NUMBERS(least) CASE_SUPPORT(AT_LEVEL(6_2, least, 4, SIGNED | UNSIGNED))
#define FLOATS_FROM(least)   CASE_SUPPORT(AT_LEVEL(6_2, least, 4, FLOATS))
static const struct case_tensor_support matrix_multiply_integer_to_float_support[] = {
    {"ATensor", WHOLE_NUMBERS(2)},  {"AScaleTensor", FLOATS_FROM(1)}, {"AZeroPointTensor", WHOLE_NUMBERS(1)},
    {"BTensor", WHOLE_NUMBERS(2)},  {"BScaleTensor", FLOATS_FROM(1)}, {"BZeroPointTensor", WHOLE_NUMBERS(1)},
    {"BiasTensor", FLOATS_FROM(2)}, {"OutputTensor", FLOATS_FROM(2)},
};

#define TO_FLOAT "MATRIX_MULTIPLY_INTEGER_TO_FLOAT "
static const char *const matrix_multiply_integer_to_float_fixed[] = {
    TO_FLOAT "ATensor=UINT8[2,2] ATensor.data=1,2,3,4" SCALE(
        "AScaleTensor", "0.5") " AZeroPointTensor=UINT8[1,1] "
                               "AZeroPointTensor.data=1 BTensor=UINT8[2,2] BTensor.data=5,6,7,8" SCALE(
                                   "BScaleTensor",
                                   "0.25") " OutputTensor=FLOAT32[2,2] OutputTensor.data=0.875,1,3.875,4.5",
    /* A bias, one row for all; signs that differ. */
    TO_FLOAT
    "ATensor=INT8[2,1] ATensor.data=-3,5 AScaleTensor=FLOAT16[2,1] AScaleTensor.data=1,2 BTensor=UINT8[1,2] "
    "BTensor.data=200,1 BScaleTensor=FLOAT16[1,2] BScaleTensor.data=0.5,4 BiasTensor=FLOAT16[2,2] "
    "BiasTensor.strides=0,1 BiasTensor.data=1,2,1,2 OutputTensor=FLOAT16[2,2] OutputTensor.data=-299,-10,1001,42",
    /* The sum is rounded to FLOAT32, and scaled then: 2^24 + 1 is none. */
    TO_FLOAT "seed=3 ATensor=UINT8[1,300] BTensor=UINT8[300,3] AScaleTensor=FLOAT32[1,1] AScaleTensor.data=0.1 "
             "BScaleTensor=FLOAT32[1,1] BScaleTensor.data=0.3 OutputTensor=FLOAT32[1,3]",
    /* Integers of more bits. */
    TO_FLOAT "ATensor=INT32[1,2] ATensor.data=2147483647,-2147483648" SCALE(
        "AScaleTensor", "1") " AZeroPointTensor=INT32[1,1] AZeroPointTensor.data=-1 BTensor=INT32[2,1] "
                             "BTensor.data=1,0" SCALE("BScaleTensor",
                                                      "0.5") " OutputTensor=FLOAT32[1,1] OutputTensor.data=1073741824",
    TO_FLOAT "ATensor=UINT16[2,2] ATensor.data=65535,0,1,2 AScaleTensor=FLOAT16[1] AScaleTensor.data=0.5 "
             "AZeroPointTensor=UINT16[1] AZeroPointTensor.data=1 BTensor=UINT16[2,1] BTensor.data=1,2 "
             "BScaleTensor=FLOAT16[1] BScaleTensor.data=1 BiasTensor=FLOAT16[2,1] BiasTensor.data=1,2 "
             "OutputTensor=FLOAT16[2,1] OutputTensor.data=32768,3",
};
static const struct case_refusal matrix_multiply_integer_to_float_refused[] = {
    {TO_FLOAT "ATensor=INT16[2,3] AScaleTensor=FLOAT32[1,1] BTensor=INT8[3,4] BScaleTensor=FLOAT32[1,1] "
              "OutputTensor=FLOAT32[2,4]",
     "DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT: BTensor.DataType is DML_TENSOR_DATA_TYPE_INT8, must be "
     "DML_TENSOR_DATA_TYPE_INT16 = ATensor.DataType, or both have 8 bits"},
    {TO_FLOAT "ATensor=INT8[2,3] AScaleTensor=FLOAT32[1,1] BTensor=INT8[3,4] BScaleTensor=FLOAT32[1,1] "
              "BiasTensor=FLOAT32[1,4] OutputTensor=FLOAT32[2,4]",
     "DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT: BiasTensor.Sizes[0] is 1, must be 2 = OutputTensor.Sizes[0], as "
     "all sizes of both"},
};
CASE_FAMILY(matrix_multiply_integer_to_float, MATRIX_MULTIPLY_INTEGER_TO_FLOAT, .binds_whole = true,
            .generate = generate_to_float, .group = "product", CASE_BENCHMARKS(integer_to_float_benchmarks),
            .operations = matrix_operations, .bounds = to_float_bounds, .exact = to_float_exact);
