/* Cases of REDUCE. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/number.h"
#include "cases/operators/reduce.h"

/* ---- what floats may be ---- */

static uint32_t function_of(const struct operator_case *c) {
    return case_word(c, "Function");
}

/* What is known of a reduction's elements. */
struct terms {
    double count, sum, magnitudes, squares;
    double greatest, powers; /* powers: of e, beside the greatest */
    double significand;      /* of the product */
    int64_t exponent;
    bool all_finite;
};

static void add_term(struct terms *terms, double x) {
    int power;
    terms->count++;
    terms->sum += x;
    terms->magnitudes += fabs(x);
    terms->squares += x * x;
    if (x > terms->greatest) {
        terms->powers *= exp(terms->greatest - x);
        terms->greatest = x;
    }
    terms->powers += isfinite(terms->greatest) ? exp(x - terms->greatest) : 0;
    terms->significand = frexp(terms->significand * x, &power);
    terms->exponent += isfinite(terms->significand) && terms->significand != 0 ? power : 0;
    terms->all_finite = terms->all_finite && isfinite(x);
}

static struct terms read_terms(const struct operator_case *c, const unsigned char *const *tensors,
                               const uint32_t *coordinates) {
    const uint32_t slot = case_index(c, "InputTensor"), axes = case_index(c, "Axes");
    const struct case_tensor *input = &c->tensors[slot];
    uint32_t strides[CASE_MAX_RANK], at[CASE_MAX_RANK];
    struct case_tensor box = {.rank = 0}; /* of the folded dimensions */
    struct terms terms = {.greatest = -INFINITY, .significand = 1, .all_finite = true};
    case_strides(input, strides);
    uint64_t first = case_element_position(input, strides, coordinates);
    uint32_t box_strides[CASE_MAX_RANK] = {0};
    for (uint32_t i = 0; i < c->fields[axes].word_count; i++) {
        const uint32_t axis = c->fields[axes].words[i];
        box.sizes[box.rank] = input->sizes[axis];
        box_strides[box.rank++] = strides[axis];
    }
    memset(at, 0, sizeof(at));
    do {
        const uint64_t position = first + case_element_position(&box, box_strides, at);
        add_term(&terms, number_decode(input->type, case_read_element(input, tensors[slot], position)));
    } while (case_next_coordinates(&box, at));
    return terms;
}

/* log() of a sum somewhere around. */
static struct accuracy_bounds log_around(double sum, double distance) {
    const double least = sum - distance, greatest = sum + distance;
    const double error = 0x1p-21;
    struct accuracy_bounds bounds = {-INFINITY, greatest > 0 ? log(greatest) : -INFINITY, least < 0 || isnan(sum)};
    if (least > 0) {
        bounds.least = log(least) - fabs(log(least)) * error;
    }
    bounds.greatest += isfinite(bounds.greatest) ? fabs(bounds.greatest) * error : 0;
    return bounds;
}

/* As include/vkdml/dml_operators.h promises it, with FLOAT32 denormals taken for 0. Everything was summed in double. */
static struct accuracy_bounds bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *coordinates) {
    if (!number_is_float(c->tensors[case_index(c, "OutputTensor")].type)) {
        return accuracy_is_exact; /* exact */
    }
    const struct terms t = read_terms(c, tensors, coordinates);
    const bool flushes = c->tensors[case_index(c, "InputTensor")].type == DML_TENSOR_DATA_TYPE_FLOAT32;
    const double least = flushes ? 0x1p-126 : 0;
    const double error = accuracy_of_terms(c, t.count), sum_error = t.magnitudes * error + t.count * least;
    const double square_error = t.squares * error + t.count * least * least;
    switch ((DML_REDUCE_FUNCTION)function_of(c)) {
    case DML_REDUCE_FUNCTION_SUM:
        return accuracy_around(t.sum, t.all_finite ? sum_error : 0);
    case DML_REDUCE_FUNCTION_AVERAGE:
        return accuracy_around(t.sum / t.count, t.all_finite ? sum_error / t.count : 0);
    case DML_REDUCE_FUNCTION_L1:
        return accuracy_around(t.magnitudes, t.all_finite ? sum_error : 0);
    case DML_REDUCE_FUNCTION_SUM_SQUARE:
        return accuracy_around(t.squares, t.all_finite ? square_error : 0);
    case DML_REDUCE_FUNCTION_L2:
        return (struct accuracy_bounds){sqrt(t.all_finite ? fmax(t.squares - square_error, 0) : t.squares),
                                        sqrt(t.all_finite ? t.squares + square_error : t.squares), isnan(t.squares)};
    case DML_REDUCE_FUNCTION_LOG_SUM:
        return log_around(t.sum, t.all_finite ? sum_error : 0);
    case DML_REDUCE_FUNCTION_LOG_SUM_EXP: {
        const double value = t.greatest + log(t.powers);
        const double distance = 4 * error + 0x1p-22 * (fabs(value) + fabs(t.greatest));
        return isnan(t.sum) && !isinf(t.greatest) ? accuracy_around(NAN, 0)
               : isinf(t.greatest)                ? accuracy_around(t.greatest, 0)
                                                  : accuracy_around(value, distance);
    }
    case DML_REDUCE_FUNCTION_MULTIPLY: {
        const int power = t.exponent > 2000 ? 2000 : t.exponent < -2000 ? -2000 : (int)t.exponent;
        const double value = ldexp(t.significand, power);
        return accuracy_around(value, isfinite(value) ? fabs(value) * t.count * 0x1p-24 : 0);
    }
    default:
        return accuracy_around(NAN, 0); /* exact */
    }
}

/* The exact value, and what one rounding of FLOAT32 takes of the terms' magnitudes, of the value itself where it is one
 * of all factors or a root, and of the sum's effect on a logarithm. */
static struct accuracy_exact exact(const struct operator_case *c, const unsigned char *const *tensors,
                                   const uint32_t *coordinates) {
    const struct terms t = read_terms(c, tensors, coordinates);
    const double unit = 0x1p-24, sum_unit = unit * t.magnitudes + t.count * 0x1p-126;
    switch ((DML_REDUCE_FUNCTION)function_of(c)) {
    case DML_REDUCE_FUNCTION_SUM:
        return (struct accuracy_exact){t.sum, sum_unit};
    case DML_REDUCE_FUNCTION_AVERAGE:
        return (struct accuracy_exact){t.sum / t.count, sum_unit / t.count};
    case DML_REDUCE_FUNCTION_L1:
        return (struct accuracy_exact){t.magnitudes, sum_unit};
    case DML_REDUCE_FUNCTION_SUM_SQUARE:
        return (struct accuracy_exact){t.squares, unit * t.squares + t.count * 0x1p-126};
    case DML_REDUCE_FUNCTION_L2:
        return (struct accuracy_exact){sqrt(t.squares), unit * sqrt(t.squares) + 0x1p-126};
    case DML_REDUCE_FUNCTION_LOG_SUM:
        return (struct accuracy_exact){log(t.sum), sum_unit / t.sum + unit * fabs(log(t.sum))};
    case DML_REDUCE_FUNCTION_LOG_SUM_EXP: {
        const double value = t.greatest + log(t.powers);
        return (struct accuracy_exact){value, unit * (1 + fabs(value) + fabs(t.greatest))};
    }
    case DML_REDUCE_FUNCTION_MULTIPLY: {
        const int power = t.exponent > 2000 ? 2000 : t.exponent < -2000 ? -2000 : (int)t.exponent;
        const double value = ldexp(t.significand, power);
        return (struct accuracy_exact){value, unit * fabs(value) + 0x1p-126};
    }
    default:
        return accuracy_no_exact; /* exact */
    }
}

/* ---- REDUCE ---- */

static const char *const reduce_fixed[] = {
    /* The documented examples, of 4 dimensions, and as they are. */
    "REDUCE seed=1 level=1_0 Function=SUM InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,3,0,4,2,4,2 "
    "OutputTensor=FLOAT32[1,1,1,3] OutputTensor.data=6,6,9 AxisCount=1 Axes=2",
    "REDUCE seed=2 Function=SUM InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,4,2 "
    "OutputTensor=FLOAT32[1,3] OutputTensor.data=6,6,9 AxisCount=1 Axes=0",
    "REDUCE seed=3 Function=SUM InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,4,2 "
    "OutputTensor=FLOAT32[3,1] OutputTensor.data=6,7,8 AxisCount=1 Axes=1",
    "REDUCE seed=4 Function=SUM InputTensor=FLOAT32[3,3] InputTensor.data=1,2,3,3,0,4,2,4,2 "
    "OutputTensor=FLOAT32[1,1] OutputTensor.data=21 AxisCount=2 Axes=0,1",
    /* Each function. */
    "REDUCE seed=5 Function=AVERAGE InputTensor=FLOAT32[4] InputTensor.data=1,2,3,-8 OutputTensor=FLOAT32[1] "
    "OutputTensor.data=-0.5 AxisCount=1 Axes=0",
    "REDUCE seed=6 Function=L1 InputTensor=FLOAT16[4] InputTensor.data=1,2,3,-8 OutputTensor=FLOAT16[1] "
    "OutputTensor.data=14 AxisCount=1 Axes=0",
    "REDUCE seed=7 Function=L2 InputTensor=FLOAT32[2] InputTensor.data=3,-4 OutputTensor=FLOAT32[1] "
    "OutputTensor.data=5 AxisCount=1 Axes=0",
    "REDUCE seed=8 Function=LOG_SUM InputTensor=FLOAT32[2] InputTensor.data=3,-2 OutputTensor=FLOAT32[1] "
    "OutputTensor.data=0 AxisCount=1 Axes=0",
    "REDUCE seed=9 Function=LOG_SUM_EXP InputTensor=FLOAT32[2] InputTensor.data=1000,-1000 OutputTensor=FLOAT32[1] "
    "OutputTensor.data=1000 AxisCount=1 Axes=0",
    "REDUCE seed=10 Function=MULTIPLY InputTensor=INT32[3] InputTensor.data=-3,5,7 OutputTensor=INT32[1] "
    "OutputTensor.data=-105 AxisCount=1 Axes=0",
    "REDUCE seed=11 Function=SUM_SQUARE InputTensor=UINT32[2] InputTensor.data=65537,2 OutputTensor=UINT32[1] "
    "OutputTensor.data=131077 AxisCount=1 Axes=0",
    "REDUCE seed=12 Function=ARGMAX InputTensor=INT8[2,3] InputTensor.data=-1,-1,-2,3,4,4 OutputTensor=INT64[2,1] "
    "OutputTensor.data=0,1 AxisCount=1 Axes=1",
    "REDUCE seed=13 Function=ARGMIN InputTensor=UINT8[2,3] InputTensor.data=5,1,7,9,1,1 OutputTensor=UINT32[1,1] "
    "OutputTensor.data=1 AxisCount=2 Axes=1,0",
    /* NaN wins; -0 is below 0; infinities. */
    "REDUCE seed=14 Function=MAX InputTensor=FLOAT32[2,3] InputTensor.data=0x80000000,0,0x80000000,inf,nan,1 "
    "OutputTensor=FLOAT32[2,1] OutputTensor.data=0x0,0x7fc00000 AxisCount=1 Axes=1",
    "REDUCE seed=15 Function=MIN InputTensor=FLOAT16[2,3] InputTensor.data=0,0x8000,0,inf,1,0xfe01 "
    "OutputTensor=FLOAT16[2,1] OutputTensor.data=0x8000,0x7e00 AxisCount=1 Axes=1",
    "REDUCE seed=16 Function=SUM InputTensor=FLOAT32[3,3] InputTensor.data=1,inf,2,inf,-inf,1,nan,1,-inf "
    "OutputTensor=FLOAT32[3,1] OutputTensor.data=inf,0x7fc00000,0x7fc00000 AxisCount=1 Axes=1",
    "REDUCE seed=17 Function=LOG_SUM_EXP InputTensor=FLOAT32[4,2] InputTensor.data=-inf,-inf,-inf,3,inf,-inf,nan,inf "
    "OutputTensor=FLOAT32[4,1] OutputTensor.data=-inf,3,inf,0x7fc00000 AxisCount=1 Axes=1",
    "REDUCE seed=18 Function=MULTIPLY InputTensor=FLOAT32[4,3] InputTensor.data=0,inf,1,-2,0,5,inf,-1,2,nan,1,0 "
    "OutputTensor=FLOAT32[4,1] OutputTensor.data=0x7fc00000,0x80000000,-inf,0x7fc00000 AxisCount=1 Axes=1",
    /* Nothing on the way overflows or vanishes. */
    "REDUCE seed=19 Function=AVERAGE InputTensor=FLOAT32[4] InputTensor.data=3e38,3e38,3e38,3e38 "
    "OutputTensor=FLOAT32[1] OutputTensor.data=3e38 AxisCount=1 Axes=0",
    "REDUCE seed=20 Function=SUM InputTensor=FLOAT32[4] InputTensor.data=3e38,3e38,-3e38,-3e38 "
    "OutputTensor=FLOAT32[1] OutputTensor.data=0 AxisCount=1 Axes=0",
    "REDUCE seed=21 Function=L2 InputTensor=FLOAT32[4,2] InputTensor.data=3e30,4e30,3e-30,4e-30,3,0.0,1e30,1e-30 "
    "OutputTensor=FLOAT32[4,1] OutputTensor.data=5e30,5e-30,3,1e30 AxisCount=1 Axes=1",
    "REDUCE seed=22 Function=MULTIPLY InputTensor=FLOAT32[6] "
    "InputTensor.data=0x71800000,0x71800000,0x71800000,0x0d800000,0x0d800000,0x0d800000 OutputTensor=FLOAT32[1] "
    "OutputTensor.data=1 AxisCount=1 Axes=0",
    "REDUCE seed=23 Function=LOG_SUM InputTensor=FLOAT32[2] InputTensor.data=3e38,3e38 OutputTensor=FLOAT32[1] "
    "OutputTensor.data=0x42b2947a AxisCount=1 Axes=0",
    /* Long rows, and all to one: shares. */
    "REDUCE seed=30 Function=SUM InputTensor=FLOAT32[2,300001] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,1] "
    "AxisCount=1 Axes=1",
    "REDUCE seed=31 Function=LOG_SUM_EXP InputTensor=FLOAT16[1,200003] InputTensor.fill=UNIT "
    "OutputTensor=FLOAT16[1,1] AxisCount=1 Axes=1",
    "REDUCE seed=32 Function=MAX InputTensor=INT8[3,200003] InputTensor.fill=BITS OutputTensor=INT8[3,1] "
    "AxisCount=1 Axes=1",
    "REDUCE seed=33 Function=ARGMIN InputTensor=UINT8[2,100003] InputTensor.fill=BITS OutputTensor=UINT32[1,1] "
    "AxisCount=2 Axes=0,1",
    "REDUCE seed=34 Function=SUM InputTensor=INT64[2,100003] InputTensor.fill=BITS OutputTensor=INT64[2,1] "
    "AxisCount=1 Axes=1",
    "REDUCE seed=35 Function=ARGMAX InputTensor=UINT64[3,70001] InputTensor.fill=BITS OutputTensor=INT64[3,1] "
    "AxisCount=1 Axes=1",
    "REDUCE seed=36 Function=AVERAGE InputTensor=FLOAT16[70,3,1001] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,3,1] "
    "AxisCount=2 Axes=0,2",
    /* Columns: words of narrow elements, at any distance from words, long and short. */
    "REDUCE seed=40 Function=MIN InputTensor=INT8[1000,64] InputTensor.fill=BITS OutputTensor=INT8[1,64] AxisCount=1 "
    "Axes=0",
    "REDUCE seed=41 Function=MAX InputTensor=UINT16[1001,33] InputTensor.fill=BITS OutputTensor=UINT16[1,33] "
    "AxisCount=1 Axes=0",
    "REDUCE seed=42 Function=SUM InputTensor=FLOAT16[5,200,64] InputTensor.fill=UNIT OutputTensor=FLOAT16[5,1,64] "
    "AxisCount=1 Axes=1",
    "REDUCE seed=43 Function=ARGMAX InputTensor=UINT8[60000,4] InputTensor.fill=BITS OutputTensor=UINT32[1,4] "
    "AxisCount=1 Axes=0",
    "REDUCE seed=44 Function=MULTIPLY InputTensor=FLOAT32[30,70] InputTensor.fill=ABOVE_ONE OutputTensor=FLOAT32[1,70] "
    "AxisCount=1 Axes=0",
    "REDUCE seed=45 Function=SUM_SQUARE InputTensor=INT64[300,70] InputTensor.fill=BITS OutputTensor=INT64[1,70] "
    "AxisCount=1 Axes=0",
    "REDUCE seed=46 Function=SUM InputTensor=FLOAT32[70001,3] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,3] "
    "AxisCount=1 Axes=0",
    /* Neighbouring columns have scales of their own. */
    "REDUCE seed=49 Function=SUM InputTensor=FLOAT32[2,4] InputTensor.data=3e38,1e-30,1,-inf,3e37,2e-30,2,1 "
    "OutputTensor=FLOAT32[1,4] OutputTensor.data=3.3e38,3e-30,3,-inf AxisCount=1 Axes=0",
    /* A square that is scaled down twice, and not by both factors at once, which together are 0. */
    "REDUCE seed=54 Function=L2 InputTensor=FLOAT32[1,2,2] InputTensor.data=1e-40,2.9e13,3.6e14,1 "
    "OutputTensor=FLOAT32[1,1,1] AxisCount=2 Axes=1,2",
    "REDUCE seed=50 Function=L2 InputTensor=FLOAT32[2,4] InputTensor.data=3e30,3e-30,3,inf,4e30,4e-30,4,1 "
    "OutputTensor=FLOAT32[1,4] OutputTensor.data=5e30,5e-30,5,inf AxisCount=1 Axes=0",
    /* And in a long row one element asks for another scale than all before it. */
    "REDUCE seed=51 Function=SUM InputTensor=FLOAT32[20] "
    "InputTensor.data=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3e38,-3e38,1 OutputTensor=FLOAT32[1] AxisCount=1 Axes=0",
    "REDUCE seed=52 Function=AVERAGE InputTensor=FLOAT32[2,20] "
    "InputTensor.data=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,inf,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,inf,-inf,1 "
    "OutputTensor=FLOAT32[2,1] OutputTensor.data=inf,0x7fc00000 AxisCount=1 Axes=1",
    /* Blocks of different scales, in either order. */
    "REDUCE seed=53 Function=L2 InputTensor=FLOAT32[40] InputTensor.strides=2 InputTensor.data=1,1,1,1,1,"
    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-1"
    "0 OutputTensor=FLOAT32[1] OutputTensor.data=0x40b504f3 AxisCount=1 Axes=0",
    "REDUCE seed=54 Function=SUM_SQUARE InputTensor=FLOAT32[40] InputTensor.strides=2 InputTensor.data=1e"
    "-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,"
    "1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1e-10,1,1,1,1,1,"
    "1,1,1 OutputTensor=FLOAT32[1] OutputTensor.data=8 AxisCount=1 Axes=0",
    /* Every other dimension of eight, owned, with strides of 0. */
    "REDUCE seed=47 Function=ARGMIN InputTensor=INT16[3,2,3,2,3,2,3,2] InputTensor.fill=BITS InputTensor.owned=1 "
    "OutputTensor=UINT64[1,2,1,2,1,2,1,2] AxisCount=4 Axes=6,0,2,4",
    "REDUCE seed=48 Function=L1 InputTensor=INT32[5,7,9] InputTensor.strides=9,0,1 InputTensor.fill=BITS "
    "OutputTensor=INT32[5,1,1] AxisCount=2 Axes=1,2",
    /* An axis that is listed twice counts once. */
    "REDUCE Function=AVERAGE InputTensor=FLOAT32[2,3] InputTensor.data=1,2,3,4,5,6 OutputTensor=FLOAT32[2,1] "
    "OutputTensor.data=2,5 AxisCount=2 Axes=1,1",
    "REDUCE Function=L2 InputTensor=FLOAT32[2,2] InputTensor.data=1,1,1,1 OutputTensor=FLOAT32[1,1] "
    "OutputTensor.data=2 AxisCount=3 Axes=1,0,1",
};

/* Rows and columns so long that several workgroups share them. */
#define REPEATED(FUNCTION, TYPE, OUTPUT, fill)                                                                         \
    "REDUCE seed=1 Function=" #FUNCTION " InputTensor=" #TYPE "[3,30001] InputTensor.fill=" #fill                      \
    " OutputTensor=" #OUTPUT "[3,1] AxisCount=1 Axes=1",                                                               \
        "REDUCE seed=2 Function=" #FUNCTION " InputTensor=" #TYPE "[3001,20] InputTensor.fill=" #fill                  \
        " OutputTensor=" #OUTPUT "[1,20] AxisCount=1 Axes=0"
#define REPEATED_PRODUCTS(TYPE, count, others)                                                                         \
    "REDUCE seed=1 Function=MULTIPLY InputTensor=" #TYPE "[" #others "," #count "] InputTensor.fill=ABOVE_ONE "        \
    "OutputTensor=" #TYPE "[" #others ",1] AxisCount=1 Axes=1"
#define REPEATED_FLOATS(TYPE)                                                                                          \
    REPEATED(SUM, TYPE, TYPE, UNIT), REPEATED(AVERAGE, TYPE, TYPE, UNIT), REPEATED(L1, TYPE, TYPE, UNIT),              \
        REPEATED(L2, TYPE, TYPE, UNIT), REPEATED(SUM_SQUARE, TYPE, TYPE, UNIT), REPEATED(LOG_SUM, TYPE, TYPE, UNIT),   \
        REPEATED(LOG_SUM_EXP, TYPE, TYPE, UNIT), REPEATED(MIN, TYPE, TYPE, UNIT), REPEATED(MAX, TYPE, TYPE, UNIT),     \
        REPEATED(ARGMIN, TYPE, UINT32, SMALL), REPEATED(ARGMAX, TYPE, UINT32, SMALL)

static const char *const repeated[] = {
    REPEATED_FLOATS(FLOAT32),
    REPEATED_FLOATS(FLOAT16),
    REPEATED_PRODUCTS(FLOAT32, 200, 30),
    REPEATED_PRODUCTS(FLOAT16, 24, 300),
};

static void set_axes(struct operator_case *c, uint32_t count, const uint32_t *axes) {
    case_set_uint(c, "AxisCount", count);
    case_set(c, "Axes", count, axes);
}

void reduce_generate_tensors(struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL, CASE_FILL_UNIT,
                                           CASE_FILL_ABOVE_ONE};
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    uint32_t order[CASE_MAX_RANK];
    input->rank = random_between(random, 1, CASE_MAX_RANK);
    generate_sizes(random, generate_budget(random), input);
    const DML_TENSOR_DATA_TYPE type = output->type;
    *output = *input;
    output->type = type;
    random_permutation(random, input->rank, order);
    const uint32_t axes = random_between(random, 1, input->rank);
    for (uint32_t i = 0; i < axes; i++) {
        output->sizes[order[i]] = 1;
    }
    set_axes(c, axes, order);
    generate_input_layout(random, input);
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    generate_call(random, c);
}

static DML_TENSOR_DATA_TYPE type_among(struct random *random, uint32_t types) {
    for (;;) {
        const uint32_t type = random_below(random, 32);
        if ((types >> type & 1) != 0) {
            return (DML_TENSOR_DATA_TYPE)type;
        }
    }
}

/* What each function takes at the newest level, as documented. */
static const uint32_t function_types[] = {
    [DML_REDUCE_FUNCTION_ARGMAX] = NUMBERS,
    [DML_REDUCE_FUNCTION_ARGMIN] = NUMBERS,
    [DML_REDUCE_FUNCTION_AVERAGE] = FLOATS,
    [DML_REDUCE_FUNCTION_L1] = FLOATS_32 | LONG,
    [DML_REDUCE_FUNCTION_L2] = FLOATS,
    [DML_REDUCE_FUNCTION_LOG_SUM] = FLOATS,
    [DML_REDUCE_FUNCTION_LOG_SUM_EXP] = FLOATS,
    [DML_REDUCE_FUNCTION_MAX] = NUMBERS,
    [DML_REDUCE_FUNCTION_MIN] = NUMBERS,
    [DML_REDUCE_FUNCTION_MULTIPLY] = FLOATS_32 | LONG,
    [DML_REDUCE_FUNCTION_SUM] = FLOATS_32 | LONG,
    [DML_REDUCE_FUNCTION_SUM_SQUARE] = FLOATS_32 | LONG,
};

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    (void)family;
    case_begin(c, DML_OPERATOR_REDUCE);
    const uint32_t function = random_below(random, sizeof(function_types) / sizeof(function_types[0]));
    const DML_TENSOR_DATA_TYPE type = type_among(random, function_types[function]);
    case_set_uint(c, "Function", function);
    case_tensor(c, "InputTensor")->type = type;
    case_tensor(c, "OutputTensor")->type = function <= DML_REDUCE_FUNCTION_ARGMIN ? type_among(random, PLACES) : type;
    reduce_generate_tensors(random, c);
}

static const struct case_refusal reduce_refused[] = {
    {"REDUCE seed=1 Function=SUM " REFUSED "FLOAT32[2,1] AxisCount=1 Axes=2",
     "DML_OPERATOR_REDUCE: Axes[0] is 2, must be below 2 = InputTensor.DimensionCount\n"
     "DML_OPERATOR_REDUCE: OutputTensor.Sizes[1] is 1, must be 3 = InputTensor.Sizes[1]"},
    {"REDUCE seed=1 Function=SUM " REFUSED "FLOAT32[2,3] AxisCount=1 Axes=1",
     "DML_OPERATOR_REDUCE: OutputTensor.Sizes[1] is 3, must be 1: Axes list the dimension"},
    {"REDUCE seed=1 Function=SUM " REFUSED "FLOAT16[2,1] AxisCount=1 Axes=1",
     "DML_OPERATOR_REDUCE: OutputTensor.DataType is DML_TENSOR_DATA_TYPE_FLOAT16, must be "
     "DML_TENSOR_DATA_TYPE_FLOAT32 = InputTensor.DataType"},
    {"REDUCE seed=1 Function=ARGMAX " REFUSED "FLOAT32[2,1] AxisCount=1 Axes=1",
     "DML_OPERATOR_REDUCE: Function is DML_REDUCE_FUNCTION_ARGMAX, must be one that gives "
     "DML_TENSOR_DATA_TYPE_FLOAT32 (OutputTensor.DataType) at feature level 6_4"},
    {"REDUCE seed=1 Function=SUM InputTensor=INT8[2] OutputTensor=INT8[1] AxisCount=1 Axes=0",
     "DML_OPERATOR_REDUCE: Function is DML_REDUCE_FUNCTION_SUM, must be one that takes DML_TENSOR_DATA_TYPE_INT8 "
     "(InputTensor.DataType) at feature level 6_4"},
    {"REDUCE seed=1 level=4_1 Function=MAX InputTensor=INT64[2] OutputTensor=INT64[1] AxisCount=1 Axes=0",
     "DML_OPERATOR_REDUCE: Function is DML_REDUCE_FUNCTION_MAX, must be one that takes DML_TENSOR_DATA_TYPE_INT64 "
     "(InputTensor.DataType) at feature level 4_1"},
};

/* ---- benchmarks ---- */

void reduce_make_shape(uint64_t bytes, DML_TENSOR_DATA_TYPE type, enum reduce_shape shape, struct operator_case *c) {
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    uint32_t rank = 2, count = 1, axes[2] = {1, 0};
    if (shape == INNER || shape == OUTER) {
        rank = 4;
        count = 2;
        axes[0] = shape == INNER ? 2 : 0;
        axes[1] = axes[0] + 1;
        const uint32_t batch = benchmark_size(bytes, type, 32 * 32 * 64, 1);
        benchmark_tensor(input, type, rank, (const uint32_t[]){batch, 32, 32, 64});
    } else {
        const uint32_t width = 1024, height = benchmark_size(bytes, type, width, 1);
        benchmark_tensor(input, type, rank, (const uint32_t[]){height, width});
        count = shape == TO_ONE ? 2 : 1;
        axes[0] = shape == COLUMNS ? 0 : 1;
    }
    benchmark_tensor(output, type, rank, input->sizes);
    for (uint32_t i = 0; i < count; i++) {
        output->sizes[axes[i]] = 1;
    }
    set_axes(c, count, axes);
    input->fill = CASE_FILL_UNIT;
}

/* The argument is a function and a shape. */
#define BENCHMARK(FUNCTION, SHAPE) (DML_REDUCE_FUNCTION_##FUNCTION | (SHAPE) << 8)

static void make_reduce(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_REDUCE);
    case_set_uint(c, "Function", argument & 0xFF);
    reduce_make_shape(bytes, type, (enum reduce_shape)(argument >> 8), c);
}

#define SHAPES(name, types, FUNCTION)                                                                                  \
    {name "/all", types, BENCHMARK(FUNCTION, TO_ONE), CASE_BENCHMARK_READ, make_reduce, loop_reduce},                  \
        {name "/rows", types, BENCHMARK(FUNCTION, ROWS), CASE_BENCHMARK_READ, make_reduce, loop_reduce},               \
        {name "/columns", types, BENCHMARK(FUNCTION, COLUMNS), CASE_BENCHMARK_READ, make_reduce, loop_reduce},         \
        {name "/inner", types, BENCHMARK(FUNCTION, INNER), CASE_BENCHMARK_READ, make_reduce, loop_reduce},             \
        {name "/outer", types, BENCHMARK(FUNCTION, OUTER), CASE_BENCHMARK_READ, make_reduce, loop_reduce},

static const struct case_benchmark benchmarks[] = {
    SHAPES("sum", SUMMED, SUM) SHAPES("max", ORDERED, MAX){"l2/rows", CASE_TYPES_FLOATS, BENCHMARK(L2, ROWS),
                                                           CASE_BENCHMARK_READ, make_reduce, loop_reduce},
    {"l2/columns", CASE_TYPES_FLOATS, BENCHMARK(L2, COLUMNS), CASE_BENCHMARK_READ, make_reduce, loop_reduce},
    {"log_sum_exp/rows", CASE_TYPES_FLOATS, BENCHMARK(LOG_SUM_EXP, ROWS), CASE_BENCHMARK_READ, make_reduce,
     loop_reduce},
    {"log_sum_exp/columns", CASE_TYPES_FLOATS, BENCHMARK(LOG_SUM_EXP, COLUMNS), CASE_BENCHMARK_READ, make_reduce,
     loop_reduce},
    {"multiply/rows", CASE_TYPES_FLOATS, BENCHMARK(MULTIPLY, ROWS), CASE_BENCHMARK_READ, make_reduce, loop_reduce},
};

/* What some function takes. */
static const struct case_tensor_support reduce_support[] = {
    {"InputTensor", CASE_SUPPORT(AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(2_1, 4, 4, UP_TO_32),
                                 AT_LEVEL(3_0, 1, 8, UP_TO_32), AT_LEVEL(4_1, 1, 8, NUMBERS))},
    {"OutputTensor", CASE_SUPPORT(AT_LEVEL(1_0, 4, 4, FLOATS | CASE_TYPE(UINT32)), AT_LEVEL(2_1, 4, 4, FLOATS_32),
                                  AT_LEVEL(3_0, 1, 8, NUMBERS))},
};

CASE_FAMILY(reduce, REDUCE, CASE_REPEATED(repeated), .has_frame = true, .generate = generate, .group = "reduce",
            CASE_BENCHMARKS(benchmarks), .bounds = bounds, .exact = exact);
