#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"
#include "cases/support.h"

static bool is_product(const struct operator_case *c) {
    return c->schema->type == DML_OPERATOR_CUMULATIVE_PRODUCT;
}

static bool is_exclusive(const struct operator_case *c) {
    return case_word(c, is_product(c) ? "HasExclusiveProduct" : "HasExclusiveSum") != 0;
}

/* ---- what floats may be ---- */

struct tally {
    double count, sum, magnitudes; /* magnitudes: of what is finite */
    double significand;            /* of the product */
    int64_t exponent;
};

static void add_term(struct tally *t, double x) {
    int power;
    t->count++;
    t->sum += x;
    t->magnitudes += isfinite(x) ? fabs(x) : 0;
    t->significand = frexp(t->significand * x, &power);
    t->exponent += isfinite(t->significand) && t->significand != 0 ? power : 0;
}

/* As docs/OPERATORS.md promises it, with FLOAT32 denormals taken for 0. */
static struct accuracy_bounds bounds_of_sum(const struct operator_case *c, const struct tally *t,
                                            DML_TENSOR_DATA_TYPE type) {
    const double denormal = type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 0x1p-126 : 0;
    if (t->magnitudes >= 0x1.fffffep127) {
        return accuracy_anything; /* some of the terms may overflow */
    }
    const double distance = t->magnitudes * accuracy_of_terms(c, t->count) + t->count * denormal;
    return accuracy_around(t->sum, isfinite(t->sum) ? distance : 0);
}

static struct accuracy_bounds bounds_of_product(const struct operator_case *c, const struct tally *t) {
    const int power = t->exponent > 2000 ? 2000 : t->exponent < -2000 ? -2000 : (int)t->exponent;
    const double value = ldexp(t->significand, power);
    return accuracy_around(value, isfinite(value) ? fabs(value) * accuracy_of_result(c, t->count) : 0);
}

/* The exact values, and one rounding of FLOAT32. */
static struct accuracy_exact exact_of(const struct tally *t, bool product) {
    if (!product) {
        return (struct accuracy_exact){t->sum, 0x1p-24 * t->magnitudes + 0x1p-126};
    }
    if (t->exponent > 120 || t->exponent < -120) {
        return accuracy_no_exact;
    }
    const double value = ldexp(t->significand, (int)t->exponent);
    return (struct accuracy_exact){value, 0x1p-24 * fabs(value) + 0x1p-126};
}

/* The bounds of all elements, in row-major order: each takes what came before it. Kept for one occasion. */
static _Thread_local struct {
    uint64_t occasion;
    struct accuracy_item {
        struct accuracy_bounds bounds;
        struct accuracy_exact exact;
    } * items;
} all;

static uint64_t place_of(const struct case_tensor *tensor, const uint32_t *coordinates) {
    uint64_t place = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        place = place * tensor->sizes[d] + coordinates[d];
    }
    return place;
}

static void bound_line(const struct operator_case *c, const unsigned char *memory, uint32_t *at) {
    const struct case_tensor *input = &c->tensors[case_index(c, "InputTensor")];
    const uint32_t axis = case_word(c, "Axis"), length = input->sizes[axis];
    const bool backward = case_word(c, "AxisDirection") == DML_AXIS_DIRECTION_DECREASING;
    const bool product = is_product(c), exclusive = is_exclusive(c);
    uint32_t strides[CASE_MAX_RANK];
    struct tally before, t = {.significand = 1};
    case_strides(input, strides);
    for (uint32_t i = 0; i < length; i++) {
        at[axis] = backward ? length - 1 - i : i;
        const uint64_t position = case_element_position(input, strides, at);
        before = t;
        add_term(&t, number_decode(input->type, case_read_element(input, memory, position)));
        const struct tally *known = exclusive ? &before : &t;
        all.items[place_of(input, at)] = (struct accuracy_item){
            product ? bounds_of_product(c, known) : bounds_of_sum(c, known, input->type), exact_of(known, product)};
    }
    at[axis] = 0;
}

static void bound_all(const struct operator_case *c, const unsigned char *const *tensors) {
    const uint32_t slot = case_index(c, "InputTensor");
    struct case_tensor lines = {.rank = c->tensors[slot].rank};
    uint32_t at[CASE_MAX_RANK] = {0};
    uint64_t elements = 1;
    for (uint32_t d = 0; d < lines.rank; d++) {
        lines.sizes[d] = d == case_word(c, "Axis") ? 1 : c->tensors[slot].sizes[d];
        elements *= c->tensors[slot].sizes[d];
    }
    free(all.items);
    all.items = malloc(elements * sizeof(all.items[0]));
    assert(all.items != NULL);
    do {
        bound_line(c, tensors[slot], at);
    } while (case_next_coordinates(&lines, at));
}

static const struct accuracy_item *item_at(const struct operator_case *c, const unsigned char *const *tensors,
                                           const uint32_t *coordinates) {
    if (all.items == NULL || all.occasion != accuracy_occasion()) {
        bound_all(c, tensors);
        all.occasion = accuracy_occasion();
    }
    return &all.items[place_of(&c->tensors[case_index(c, "InputTensor")], coordinates)];
}

static struct accuracy_bounds bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *coordinates) {
    if (!number_is_float(c->tensors[0].type)) {
        return accuracy_is_exact; /* exact */
    }
    return item_at(c, tensors, coordinates)->bounds;
}

static struct accuracy_exact exact(const struct operator_case *c, const unsigned char *const *tensors,
                                   const uint32_t *coordinates) {
    return item_at(c, tensors, coordinates)->exact;
}

/* ---- cases ---- */

#define DATA        "InputTensor.data=2,1,3,5,3,8,7,3,9,6,2,4 "
#define TENSORS     "InputTensor=FLOAT32[1,1,3,4] " DATA "OutputTensor=FLOAT32[1,1,3,4] "
#define FORWARD(n)  " Axis=" #n " AxisDirection=INCREASING"
#define BACKWARD(n) " Axis=" #n " AxisDirection=DECREASING"
#define UP_TO       " HasExclusiveSum=0"
#define BEFORE      " HasExclusiveSum=1"

static const char *const cumulative_summation_fixed[] = {
    /* The documented examples. */
    "CUMULATIVE_SUMMATION seed=1 level=2_1 " TENSORS "OutputTensor.data=2,3,6,11,3,11,18,21,9,15,17,21" FORWARD(3)
        UP_TO,
    "CUMULATIVE_SUMMATION seed=2 " TENSORS "OutputTensor.data=0,2,3,6,0,3,11,18,0,9,15,17" FORWARD(3) BEFORE,
    "CUMULATIVE_SUMMATION seed=3 " TENSORS "OutputTensor.data=11,9,8,5,21,18,10,3,21,12,6,4" BACKWARD(3) UP_TO,
    "CUMULATIVE_SUMMATION seed=4 " TENSORS "OutputTensor.data=2,1,3,5,5,9,10,8,14,15,12,12" FORWARD(2) UP_TO,
    "CUMULATIVE_SUMMATION seed=5 " TENSORS "OutputTensor.data=12,14,9,7,9,6,2,4,0,0,0,0" BACKWARD(2) BEFORE,
    /* What is no number stays, from where it comes on; infinities of both signs are none. */
    "CUMULATIVE_SUMMATION seed=6 InputTensor=FLOAT32[3,5] "
    "InputTensor.data=1,inf,2,-inf,1,1,-inf,-inf,3,4,1,nan,2,inf,1 "
    "OutputTensor=FLOAT32[3,5] OutputTensor.data=1,inf,inf,0x7fc00000,0x7fc00000,1,-inf,-inf,-inf,-inf,1,0x7fc00000,"
    "0x7fc00000,0x7fc00000,0x7fc00000" FORWARD(1) UP_TO,
    "CUMULATIVE_SUMMATION seed=7 InputTensor=FLOAT16[2,5] InputTensor.data=60000,60000,-60000,-inf,0xfe01,-1,2,inf,1,1 "
    "OutputTensor=FLOAT16[2,5] OutputTensor.data=60000,inf,60000,-inf,0x7e00,-1,1,inf,inf,inf" FORWARD(1) UP_TO,
    "CUMULATIVE_SUMMATION seed=8 InputTensor=FLOAT32[4] InputTensor.data=3e38,3e38,3e38,1 OutputTensor=FLOAT32[4] "
    "OutputTensor.data=3e38,inf,inf,inf" FORWARD(0) UP_TO,
    /* Integers wrap. */
    "CUMULATIVE_SUMMATION seed=9 InputTensor=INT32[4] InputTensor.data=2147483647,1,-5,7 OutputTensor=INT32[4] "
    "OutputTensor.data=2147483647,-2147483648,2147483643,-2147483646" FORWARD(0) UP_TO,
    "CUMULATIVE_SUMMATION seed=10 InputTensor=UINT64[3] InputTensor.data=0xffffffff,1,0xffffffff00000000 "
    "OutputTensor=UINT64[3] OutputTensor.data=0xffffffff,0x100000000,0" FORWARD(0) UP_TO,
    /* Lines of many tiles, and of shares. */
    "CUMULATIVE_SUMMATION seed=20 InputTensor=INT32[300001] InputTensor.fill=BITS OutputTensor=INT32[300001]" FORWARD(0)
        UP_TO,
    "CUMULATIVE_SUMMATION seed=21 InputTensor=INT32[3,100003] InputTensor.fill=BITS "
    "OutputTensor=INT32[3,100003]" BACKWARD(1) BEFORE,
    "CUMULATIVE_SUMMATION seed=22 InputTensor=INT64[2,70001] InputTensor.fill=BITS "
    "OutputTensor=INT64[2,70001]" BACKWARD(1) UP_TO,
    "CUMULATIVE_SUMMATION seed=23 InputTensor=UINT32[200,2049] InputTensor.fill=BITS "
    "OutputTensor=UINT32[200,2049]" FORWARD(1) BEFORE,
    "CUMULATIVE_SUMMATION seed=24 InputTensor=FLOAT16[2,20011] InputTensor.fill=UNIT "
    "OutputTensor=FLOAT16[2,20011]" FORWARD(1) UP_TO,
    "CUMULATIVE_SUMMATION seed=25 InputTensor=FLOAT32[2,20480] InputTensor.fill=UNIT "
    "OutputTensor=FLOAT32[2,20480]" BACKWARD(1) UP_TO,
    /* Columns: many, few, narrow, ragged, in shares. */
    "CUMULATIVE_SUMMATION seed=30 InputTensor=INT32[300,512] InputTensor.fill=BITS OutputTensor=INT32[300,512]" FORWARD(
        0) UP_TO,
    "CUMULATIVE_SUMMATION seed=31 InputTensor=INT32[100003,4] InputTensor.fill=BITS "
    "OutputTensor=INT32[100003,4]" BACKWARD(0) BEFORE,
    "CUMULATIVE_SUMMATION seed=32 InputTensor=UINT32[70001,3] InputTensor.fill=BITS "
    "OutputTensor=UINT32[70001,3]" FORWARD(0) UP_TO,
    "CUMULATIVE_SUMMATION seed=33 InputTensor=FLOAT16[3,2001,16] InputTensor.fill=UNIT "
    "OutputTensor=FLOAT16[3,2001,16]" FORWARD(1) UP_TO,
    "CUMULATIVE_SUMMATION seed=34 InputTensor=FLOAT16[5,301,6] InputTensor.fill=UNIT "
    "OutputTensor=FLOAT16[5,301,6]" BACKWARD(1) BEFORE,
    "CUMULATIVE_SUMMATION seed=35 InputTensor=INT64[40001,2] InputTensor.fill=BITS OutputTensor=INT64[40001,2]" FORWARD(
        0) BEFORE,
    /* Rows that begin anywhere, the input's and the output's alike and not. */
    "CUMULATIVE_SUMMATION seed=40 InputTensor=INT32[30,133] InputTensor.strides=135,1 InputTensor.fill=BITS "
    "OutputTensor=INT32[30,133] OutputTensor.strides=139,1" BACKWARD(1) UP_TO,
    "CUMULATIVE_SUMMATION seed=41 InputTensor=INT32[30,133] InputTensor.strides=135,1 InputTensor.fill=BITS "
    "OutputTensor=INT32[30,133] OutputTensor.strides=140,1" FORWARD(1) BEFORE,
    "CUMULATIVE_SUMMATION seed=42 InputTensor=FLOAT16[30,133] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT16[30,133]" BACKWARD(1) BEFORE,
    /* In place; of elements that are one. */
    "CUMULATIVE_SUMMATION seed=43 InputTensor=INT32[7,9000] InputTensor.fill=BITS OutputTensor=INT32[7,9000] "
    "OutputTensor.in_place=1" FORWARD(1) BEFORE,
    "CUMULATIVE_SUMMATION seed=44 InputTensor=FLOAT16[7,903] InputTensor.fill=SMALL OutputTensor=FLOAT16[7,903] "
    "OutputTensor.in_place=1" BACKWARD(1) BEFORE,
    "CUMULATIVE_SUMMATION seed=45 InputTensor=INT64[5,700] InputTensor.strides=0,0 InputTensor.fill=BITS "
    "OutputTensor=INT64[5,700]" FORWARD(1) UP_TO,
};

#undef UP_TO
#undef BEFORE
#define UP_TO  " HasExclusiveProduct=0"
#define BEFORE " HasExclusiveProduct=1"

static const char *const cumulative_product_fixed[] = {
    "CUMULATIVE_PRODUCT seed=1 level=3_1 " TENSORS "OutputTensor.data=2,2,6,30,3,24,168,504,9,54,108,432" FORWARD(3)
        UP_TO,
    "CUMULATIVE_PRODUCT seed=2 " TENSORS "OutputTensor.data=1,2,2,6,1,3,24,168,1,9,54,108" FORWARD(3) BEFORE,
    "CUMULATIVE_PRODUCT seed=3 " TENSORS "OutputTensor.data=30,15,15,5,504,168,21,3,432,48,8,4" BACKWARD(3) UP_TO,
    "CUMULATIVE_PRODUCT seed=4 " TENSORS "OutputTensor.data=2,1,3,5,6,8,21,15,54,48,42,60" FORWARD(2) UP_TO,
    /* What is too large or too small stands for what it is: the product goes on from there. */
    "CUMULATIVE_PRODUCT seed=5 InputTensor=FLOAT32[8] InputTensor.data=0x71800000,0x71800000,0x0d800000,0x0d800000,"
    "0x0d800000,0x0d800000,-2,0x71800000 OutputTensor=FLOAT32[8] OutputTensor.data=0x71800000,inf,0x71800000,1,"
    "0x0d800000,0,0x80000000,0x8e000000" FORWARD(0) UP_TO,
    /* Denormals. */
    "CUMULATIVE_PRODUCT seed=6 InputTensor=FLOAT32[5] InputTensor.data=0x00000003,0x3f000000,0x3f000000,0x4b000000,"
    "0x80000001 OutputTensor=FLOAT32[5] "
    "OutputTensor.data=0x00000003,0x00000002,0x00000001,0x00600000,0x80000000" FORWARD(0) UP_TO,
    "CUMULATIVE_PRODUCT seed=7 InputTensor=FLOAT32[4,4] InputTensor.data=0,inf,1,2,-2,0,5,-1,inf,-1,2,0,nan,1,0,2 "
    "OutputTensor=FLOAT32[4,4] "
    "OutputTensor.data=0,0x7fc00000,0x7fc00000,0x7fc00000,-2,0x80000000,0x80000000,0,inf,-inf,"
    "-inf,0x7fc00000,0x7fc00000,0x7fc00000,0x7fc00000,0x7fc00000" FORWARD(1) UP_TO,
    "CUMULATIVE_PRODUCT seed=8 InputTensor=FLOAT16[4] InputTensor.data=60000,2,0.25,0x0001 OutputTensor=FLOAT16[4] "
    "OutputTensor.data=60000,inf,30000,0x1753" FORWARD(0) UP_TO,
    "CUMULATIVE_PRODUCT seed=9 InputTensor=UINT32[3] InputTensor.data=65537,65537,3 OutputTensor=UINT32[3] "
    "OutputTensor.data=65537,131073,393219" FORWARD(0) UP_TO,
    "CUMULATIVE_PRODUCT seed=10 InputTensor=INT64[3] InputTensor.data=0x100000001,0x100000001,-3 OutputTensor=INT64[3] "
    "OutputTensor.data=0x100000001,0x200000001,0xfffffff9fffffffd" FORWARD(0) UP_TO,
    "CUMULATIVE_PRODUCT seed=20 InputTensor=FLOAT32[2,30011] InputTensor.fill=ABOVE_ONE "
    "OutputTensor=FLOAT32[2,30011]" BACKWARD(1) UP_TO,
    "CUMULATIVE_PRODUCT seed=21 InputTensor=INT32[100003] InputTensor.fill=BITS OutputTensor=INT32[100003]" FORWARD(0)
        BEFORE,
    "CUMULATIVE_PRODUCT seed=22 InputTensor=FLOAT32[3001,8] InputTensor.fill=ABOVE_ONE "
    "OutputTensor=FLOAT32[3001,8]" FORWARD(0) BEFORE,
    "CUMULATIVE_PRODUCT seed=23 InputTensor=UINT64[500,70] InputTensor.fill=BITS OutputTensor=UINT64[500,70]" BACKWARD(
        0) UP_TO,
};

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL, CASE_FILL_UNIT,
                                           CASE_FILL_ABOVE_ONE};
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_between(random, 1, CASE_MAX_RANK);
    generate_sizes(random, generate_budget(random), input);
    *output = *input;
    generate_output_layout(random, output);
    if (random_chance(random, 20)) {
        *input = *output;
        output->in_place = 1;
    } else if (random_chance(random, 30)) {
        *input = *output;
    } else {
        generate_input_layout(random, input);
    }
    input->fill = RANDOM_OF(random, fills);
    case_set_uint(c, "Axis", random_below(random, input->rank));
    case_set_uint(c, "AxisDirection", random_below(random, 2));
    case_set_uint(c, is_product(c) ? "HasExclusiveProduct" : "HasExclusiveSum", random_below(random, 2));
    generate_call(random, c);
}

/* ---- benchmarks ---- */

/* A matrix scanned along its rows of 8192, all of it one line, down 8192 columns or fewer, and images along
 * their channels. */
enum shape { ROWS, LINE, COLUMNS, NARROW, BATCHES };
#define IS_BACKWARD  0x100u
#define IS_EXCLUSIVE 0x200u

static void make(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, DML_OPERATOR_TYPE operator_type,
                 struct operator_case *c) {
    static const uint32_t widths[] = {[ROWS] = 8192, [LINE] = 1, [COLUMNS] = 8192, [NARROW] = 64, [BATCHES] = 1024};
    const enum shape shape = (enum shape)(argument & 0xFF);
    case_begin(c, operator_type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    const uint32_t width = widths[shape];
    if (shape == LINE) {
        benchmark_tensor(input, type, 1, (const uint32_t[]){benchmark_size(bytes, type, 1, 1)});
    } else if (shape == BATCHES) {
        const uint32_t batch = benchmark_size(bytes, type, (uint64_t)512 * width, 1);
        benchmark_tensor(input, type, 3, (const uint32_t[]){batch, 512, width});
    } else {
        benchmark_tensor(input, type, 2, (const uint32_t[]){benchmark_size(bytes, type, width, 1), width});
    }
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, input->rank, input->sizes);
    input->fill = CASE_FILL_UNIT;
    case_set_uint(c, "Axis", shape == ROWS || shape == BATCHES ? 1 : 0);
    case_set_uint(c, "AxisDirection", (argument & IS_BACKWARD) != 0);
    case_set_uint(c, is_product(c) ? "HasExclusiveProduct" : "HasExclusiveSum", (argument & IS_EXCLUSIVE) != 0);
}

static void make_summation(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make(bytes, type, argument, DML_OPERATOR_CUMULATIVE_SUMMATION, c);
}

static void make_product(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make(bytes, type, argument, DML_OPERATOR_CUMULATIVE_PRODUCT, c);
}

/* A line at a time where memory runs along it, else all lines of a row at a time. */
#define LOOP(name, type, READ, WRITE, sum, one, combined)                                                              \
    static void name(const struct operator_case *c, const type *in, type *out) {                                       \
        const struct case_tensor *input = &c->tensors[case_index(c, "InputTensor")];                                   \
        const uint32_t axis = case_word(c, "Axis");                                                                    \
        size_t outer = 1, inner = 1, length = input->sizes[axis];                                                      \
        for (uint32_t d = 0; d < input->rank; d++) {                                                                   \
            outer *= d < axis ? input->sizes[d] : 1;                                                                   \
            inner *= d > axis ? input->sizes[d] : 1;                                                                   \
        }                                                                                                              \
        static sum tallies[8192];                                                                                      \
        for (size_t o = 0; o < outer; o++, in += length * inner, out += length * inner) {                              \
            sum line = one;                                                                                            \
            for (size_t i = 0; inner == 1 && i < length; i++) {                                                        \
                const sum a = line, b = READ(in[i]);                                                                   \
                line = combined;                                                                                       \
                out[i] = WRITE(line);                                                                                  \
            }                                                                                                          \
            for (size_t j = 0; inner > 1 && j < inner; j++) {                                                          \
                tallies[j] = one;                                                                                      \
            }                                                                                                          \
            for (size_t i = 0; inner > 1 && i < length; i++) {                                                         \
                for (size_t j = 0; j < inner; j++) {                                                                   \
                    const sum a = tallies[j], b = READ(in[i * inner + j]);                                             \
                    tallies[j] = combined;                                                                             \
                    out[i * inner + j] = WRITE(tallies[j]);                                                            \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

#define SAME(x) (x)
LOOP(sum_floats, float, SAME, SAME, float, 0, a + b)
LOOP(sum_halves, uint16_t, loop_widen, loop_narrow, float, 0, a + b)
LOOP(sum_words, uint32_t, SAME, SAME, uint32_t, 0, a + b)
LOOP(sum_longs, uint64_t, SAME, SAME, uint64_t, 0, a + b)
LOOP(multiply_floats, float, SAME, SAME, float, 1, a *b)

/* Forward and with the element itself alone: what others take is no less. */
static void loop(const struct operator_case *c, unsigned char *const *tensors) {
    const unsigned char *in = tensors[case_index(c, "InputTensor")];
    unsigned char *out = tensors[case_index(c, "OutputTensor")];
    const DML_TENSOR_DATA_TYPE type = c->tensors[case_index(c, "InputTensor")].type;
    if (is_product(c)) {
        multiply_floats(c, (const float *)(const void *)in, (float *)(void *)out);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        sum_floats(c, (const float *)(const void *)in, (float *)(void *)out);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        sum_halves(c, (const uint16_t *)(const void *)in, (uint16_t *)(void *)out);
    } else if (type == DML_TENSOR_DATA_TYPE_INT64) {
        sum_longs(c, (const uint64_t *)(const void *)in, (uint64_t *)(void *)out);
    } else {
        sum_words(c, (const uint32_t *)(const void *)in, (uint32_t *)(void *)out);
    }
}

#define SUMMED (CASE_TYPES_FLOATS | CASE_TYPE(INT32) | CASE_TYPE(INT64))
static const struct case_benchmark cumulative_summation_benchmarks[] = {
    {"rows", SUMMED, ROWS, 0, make_summation, loop},
    {"line", SUMMED, LINE, 0, make_summation, loop},
    {"columns", SUMMED, COLUMNS, 0, make_summation, loop},
    {"narrow", SUMMED, NARROW, 0, make_summation, loop},
    {"batches", SUMMED, BATCHES, 0, make_summation, loop},
    {"rows_backward", CASE_TYPES_FLOATS, ROWS | IS_BACKWARD | IS_EXCLUSIVE, 0, make_summation, NULL},
};

static const struct case_benchmark cumulative_product_benchmarks[] = {
    {"rows", CASE_TYPE(FLOAT32), ROWS, 0, make_product, loop},
    {"line", CASE_TYPE(FLOAT32), LINE, 0, make_product, loop},
    {"columns", CASE_TYPE(FLOAT32), COLUMNS, 0, make_product, loop},
};

#define REFUSED "InputTensor=FLOAT32[2,3] OutputTensor="
static const struct case_refusal cumulative_summation_refused[] = {
    {"CUMULATIVE_SUMMATION seed=1 " REFUSED "FLOAT32[2,3] Axis=2 AxisDirection=INCREASING HasExclusiveSum=0",
     "DML_OPERATOR_CUMULATIVE_SUMMATION: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
};

static const struct case_refusal cumulative_product_refused[] = {
    {"CUMULATIVE_PRODUCT seed=1 " REFUSED "FLOAT32[2,3] Axis=4294967295 AxisDirection=INCREASING HasExclusiveProduct=0",
     "DML_OPERATOR_CUMULATIVE_PRODUCT: Axis is 4294967295, must be below 2 = InputTensor.DimensionCount"},
};

#define SCANNED_SINCE(level)                                                                                           \
    CASE_SUPPORT(AT_LEVEL(level, 4, 4, FLOATS_32), AT_LEVEL(4_0, 1, 8, FLOATS_32),                                     \
                 AT_LEVEL(5_0, 1, 8, FLOATS_32 | LONG))

static const struct case_tensor_support cumulative_summation_support[] = {{"InputTensor", SCANNED_SINCE(2_1)},
                                                                          {"OutputTensor", SCANNED_SINCE(2_1)}};
static const struct case_tensor_support cumulative_product_support[] = {{"InputTensor", SCANNED_SINCE(3_1)},
                                                                        {"OutputTensor", SCANNED_SINCE(3_1)}};

#define SCAN_FAMILY(name, NAME, own_frame, group_name)                                                                 \
    CASE_FAMILY(name, NAME, .has_frame = own_frame, .generate = generate, .group = group_name,                         \
                CASE_BENCHMARKS(name##_benchmarks), .bounds = bounds, .exact = exact)

SCAN_FAMILY(cumulative_summation, CUMULATIVE_SUMMATION, true, "scan");
SCAN_FAMILY(cumulative_product, CUMULATIVE_PRODUCT, false, "scan_product");
