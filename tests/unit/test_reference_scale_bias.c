/* x * Scale + Bias in the reference, per type, against results worked out by hand and against other arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases/random.h"
#include "reference_fixture.h"

#define RANDOM_CASES 20000

/* The bits of x * scale + bias, through the public call. */
static uint64_t scale_bias(DML_TENSOR_DATA_TYPE type, uint64_t x, float scale, float bias) {
    static struct host_tensor input, output;
    host_tensor_init(&input, type, LIST(1), NULL);
    host_tensor_init(&output, type, LIST(1), NULL);
    host_tensor_set(&input, 0, x);
    const DML_SCALE_BIAS scale_and_bias = {scale, bias};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&input.desc, &output.desc, &scale_and_bias};
    assert_int_equal(reference_run(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, 0, &input, &output, NULL), VKDML_SUCCESS);
    return host_tensor_get(&output, 0);
}

static void expect(DML_TENSOR_DATA_TYPE type, uint64_t x, float scale, float bias, uint64_t expected) {
    const uint64_t got = scale_bias(type, x, scale, bias);
    if (got != expected) {
        fail_msg("type %d: 0x%llx * %a + %a gave 0x%llx, not 0x%llx", (int)type, (unsigned long long)x, (double)scale,
                 (double)bias, (unsigned long long)got, (unsigned long long)expected);
    }
}

/* ---- floats, by hand ---- */

struct float_case {
    uint64_t x;
    uint32_t scale, bias; /* bits of a float */
    uint64_t expected;
};

static void expect_floats(DML_TENSOR_DATA_TYPE type, const struct float_case *cases, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        expect(type, cases[i].x, float_of(cases[i].scale), float_of(cases[i].bias), cases[i].expected);
    }
}

#define ONE       0x3F800000u
#define TWO       0x40000000u
#define HALF      0x3F000000u
#define MINUS_ONE 0xBF800000u
#define ZERO      0u
#define MINUS_0   0x80000000u
#define INF       0x7F800000u
#define MINUS_INF 0xFF800000u
#define A_NAN     0xFFC12345u
#define SIGNALING 0x7F800001u

static void float32_rounds_the_product_and_then_the_sum(void **state) {
    (void)state;
    static const struct float_case cases[] = {
        {0x3FC00000, TWO, 0x3E800000, 0x40500000}, /* 1.5 * 2 + 0.25 = 3.25 */
        /* (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46 rounds to 1 + 2^-22: nothing is left, where a fused operation has 2^-46 */
        {0x3F800001, 0x3F800001, 0xBF800002, 0},
        {0x3F800001, HALF, 0x4B000000, 0x4B000001}, /* 2^23 + (0.5 + 2^-24): above half way */
        {0x3F800000, HALF, 0x4B000000, 0x4B000000}, /* 2^23 + 0.5: half way, to even */
        {0x3FC00000, ONE, 0x4B000000, 0x4B000002},  /* 2^23 + 1.5: half way, to even */
        {0x7F7FFFFF, TWO, ZERO, INF},               /* overflow */
        {0x7F7FFFFF, TWO, 0xFF7FFFFF, INF},         /* the product overflowed before the sum could bring it back */
        {0xFF7FFFFF, ONE, 0xFF7FFFFF, MINUS_INF},
        {MINUS_0, ONE, ZERO, 0},
        {MINUS_0, ONE, MINUS_0, MINUS_0},
    };
    expect_floats(DML_TENSOR_DATA_TYPE_FLOAT32, cases, COUNT_OF(cases));
}

static void float32_keeps_denormals(void **state) {
    (void)state;
    static const struct float_case cases[] = {
        {1, ONE, ZERO, 1},                    /* operand */
        {1, ONE, 1, 2},                       /* operands and sum */
        {0x00800000, HALF, ZERO, 0x00400000}, /* product */
        {1, HALF, ZERO, 0},                   /* half way, to even */
        {3, HALF, ZERO, 2},                   /* half way, to even */
        {0x4B000000, 1, ZERO, 0x00800000},    /* denormal Scale: 2^23 * 2^-149 = 2^-126 */
        {0x00800001, ONE, 0x80800000, 1},     /* neighbours of the smallest normal */
    };
    expect_floats(DML_TENSOR_DATA_TYPE_FLOAT32, cases, COUNT_OF(cases));
}

static void any_nan_of_float32_is_the_positive_quiet_one(void **state) {
    (void)state;
    static const struct float_case cases[] = {
        {A_NAN, ONE, ZERO, 0x7FC00000}, {SIGNALING, ONE, ZERO, 0x7FC00000}, {ONE, A_NAN, ZERO, 0x7FC00000},
        {ONE, ONE, A_NAN, 0x7FC00000},  {ZERO, INF, ZERO, 0x7FC00000},      {ONE, INF, MINUS_INF, 0x7FC00000},
        {INF, ZERO, ONE, 0x7FC00000},   {INF, MINUS_ONE, INF, 0x7FC00000},
    };
    expect_floats(DML_TENSOR_DATA_TYPE_FLOAT32, cases, COUNT_OF(cases));
}

static void float64_computes_in_double_with_scale_and_bias_widened(void **state) {
    (void)state;
    static const struct float_case cases[] = {
        {0x3FF0000000000000, 0x3DCCCCCD, ZERO, 0x3FB99999A0000000}, /* 1 * 0.1f */
        /* (1 + 2^-52) * (1 + 2^-23) rounds to 1 + 2^-23 + 2^-52; fused, 2^-75 would stay */
        {0x3FF0000000000001, 0x3F800001, MINUS_ONE, 0x3E80000000800000},
        {0x7FEFFFFFFFFFFFFF, TWO, ZERO, 0x7FF0000000000000},
        {0x47F0000000000000, 0x7F7FFFFF, ZERO, 0x4FEFFFFFE0000000}, /* 2^128, beyond float */
        {1, ONE, ZERO, 1},
        {0x0010000000000000, HALF, ZERO, 0x0008000000000000},
        {3, HALF, ZERO, 2},
        {0x8000000000000000, ONE, MINUS_0, 0x8000000000000000},
        {0, 1, 1, 0x36A0000000000000}, /* a denormal Bias is normal in double: 2^-149 */
        {0xFFF8000000000001, ONE, ZERO, 0x7FF8000000000000},
        {0x7FF0000000000001, ONE, ZERO, 0x7FF8000000000000},
        {0, INF, ZERO, 0x7FF8000000000000},
        {0x3FF0000000000000, ONE, SIGNALING, 0x7FF8000000000000},
    };
    expect_floats(DML_TENSOR_DATA_TYPE_FLOAT64, cases, COUNT_OF(cases));
}

static void float16_computes_in_float32_and_rounds_once_more(void **state) {
    (void)state;
    static const struct float_case cases[] = {
        {0x3E00, TWO, 0x3E800000, 0x4280}, /* 1.5 * 2 + 0.25 = 3.25 */
        {0x3C00, ONE, 0x3A000000, 0x3C00}, /* 1 + 2^-11: half way, to even */
        {0x3C01, ONE, 0x3A000000, 0x3C02}, /* 1 + 3 * 2^-11: half way, to even */
        {0x3C00, ONE, 0x3A001000, 0x3C01}, /* 1 + 2^-11 + 2^-20: above half way */
        {0x3C00, ONE, 0x3A000010, 0x3C00}, /* 1 + 2^-11 + 2^-30: FLOAT32 drops 2^-30, and then it is half way */
        {0x3C00, ONE, 0xB9800000, 0x3C00}, /* 1 - 2^-12: half way below a power of two, to even */
        {0x3C00, ONE, 0xB9800800, 0x3BFF}, /* and beyond, by 2^-24 */
        {0x7BFF, ONE, 0x417F0000, 0x7BFF}, /* 65504 + 15.9375 */
        {0x7BFF, ONE, 0x41800000, 0x7C00}, /* 65504 + 16: half way to 2^16, to even: overflow */
        {0xFBFF, ONE, 0xC1800000, 0xFC00}, {0x7BFF, 0x7F000000, 0, 0x7C00}, /* far beyond */
        {0x7C00, MINUS_ONE, ZERO, 0xFC00}, {0x3C00, TWO, 0xC0000000, 0},    {0x8000, ONE, ZERO, 0},
        {0x8000, ONE, MINUS_0, 0x8000},
    };
    expect_floats(DML_TENSOR_DATA_TYPE_FLOAT16, cases, COUNT_OF(cases));
}

static void float16_keeps_and_makes_denormals(void **state) {
    (void)state;
    static const struct float_case cases[] = {
        {0x0001, ONE, ZERO, 0x0001},        {0x8001, ONE, ZERO, 0x8001},
        {0x0400, HALF, ZERO, 0x0200},       {0x0001, HALF, ZERO, 0},            /* 2^-25: half way, to even */
        {0x0001, 0x3F000001, ZERO, 0x0001},                                     /* above half way */
        {0x0003, HALF, ZERO, 0x0002},       {0x0001, 0x3F400000, ZERO, 0x0001}, /* 0.75 */
        {0x03FF, ONE, 0x33000000, 0x0400}, /* 1023.5 units: half way, to even: the smallest normal */
        {0x0401, ONE, 0xB3800000, 0x0400}, /* less one unit, 2^-24 */
        {0x0400, ONE, 0xB3800000, 0x03FF},  {0x0000, ONE, 1, 0x0000}, /* far below */
        {0x0000, ONE, 0x80000001, 0x8000},
    };
    expect_floats(DML_TENSOR_DATA_TYPE_FLOAT16, cases, COUNT_OF(cases));
}

static void any_nan_of_float16_is_the_positive_quiet_one(void **state) {
    (void)state;
    static const struct float_case cases[] = {
        {0xFE01, ONE, ZERO, 0x7E00}, {0x7C01, ONE, ZERO, 0x7E00},      {0x3C00, A_NAN, ZERO, 0x7E00},
        {0x0000, INF, ZERO, 0x7E00}, {0x7C00, ONE, MINUS_INF, 0x7E00},
    };
    expect_floats(DML_TENSOR_DATA_TYPE_FLOAT16, cases, COUNT_OF(cases));
}

static void every_float16_survives_one_times_itself_less_zero(void **state) {
    (void)state;
    for (uint32_t x = 0; x <= UINT16_MAX; x++) {
        const int is_nan = (x & 0x7FFF) > 0x7C00;
        expect(DML_TENSOR_DATA_TYPE_FLOAT16, x, 1.0f, -0.0f, is_nan ? 0x7E00 : x);
    }
}

/* ---- integers, by hand ---- */

struct integer_case {
    DML_TENSOR_DATA_TYPE type;
    int64_t x;
    float scale, bias;
    int64_t expected;
};

#define T(TYPE) DML_TENSOR_DATA_TYPE_##TYPE

/* The low bits of a two's complement number, as many as the type has. */
static uint64_t in_type(DML_TENSOR_DATA_TYPE type, int64_t value) {
    static const uint64_t masks[] = {
        [T(UINT8)] = UINT8_MAX,   [T(INT8)] = UINT8_MAX,   [T(UINT16)] = UINT16_MAX, [T(INT16)] = UINT16_MAX,
        [T(UINT32)] = UINT32_MAX, [T(INT32)] = UINT32_MAX, [T(UINT64)] = UINT64_MAX, [T(INT64)] = UINT64_MAX,
    };
    return (uint64_t)value & masks[type];
}

static void expect_integers(const struct integer_case *cases, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        expect(cases[i].type, in_type(cases[i].type, cases[i].x), cases[i].scale, cases[i].bias,
               in_type(cases[i].type, cases[i].expected));
    }
}

static void integers_are_truncated_toward_zero_after_the_sum(void **state) {
    (void)state;
    static const struct integer_case cases[] = {
        {T(INT32), 7, 0.5f, 0, 3},
        {T(INT32), -7, 0.5f, 0, -3},
        {T(UINT32), 7, 0.5f, 0, 3},
        {T(INT8), 1, 0.5f, 0.5f, 1},
        {T(INT8), -1, 0.5f, 0.5f, 0},
        {T(INT8), -3, 0.5f, -0.5f, -2},
        {T(UINT8), 1, -0.5f, 0, 0},
        {T(UINT8), 1, -1, 1.75f, 0},
        {T(INT16), 100, 2.5f, -50, 200},
        {T(UINT16), 3, 0x1.555556p-2f, 0, 1}, /* a third rounded up: 1.00000003 */
        {T(UINT16), 3, 0x1.555554p-2f, 0, 0}, /* a third rounded down: 0.99999991 */
        {T(INT8), 10, 1, 0.6f, 10},
        {T(INT8), -10, 1, -0.6f, -10},
    };
    expect_integers(cases, COUNT_OF(cases));
}

static void integers_are_exact_whatever_the_distance_of_the_operands(void **state) {
    (void)state;
    static const struct integer_case cases[] = {
        {T(INT64), (int64_t)1 << 40, 0x1p30f, -0x1p70f, 0},
        {T(INT64), ((int64_t)1 << 40) + 1, 0x1p30f, -0x1p70f, (int64_t)1 << 30},
        {T(INT64), -((int64_t)1 << 40) - 1, 0x1p30f, 0x1p70f, -((int64_t)1 << 30)},
        {T(INT64), ((int64_t)1 << 24) + 1, 0x1p104f, -0x1p127f, INT64_MAX},
        {T(UINT64), -1, 0x1p64f, -0x1.fffffep127f, -1}, /* 2^104 - 2^64: saturates */
        {T(INT32), 1, 1, -0x1p-149f, 0},                /* a hair below 1 */
        {T(INT32), -1, 1, 0x1p-149f, 0},                /* a hair above -1 */
        {T(INT32), 0, 1, -0x1p-149f, 0},
        {T(INT64), INT64_MIN, 1, -0x1p-149f, INT64_MIN},
        {T(INT64), INT64_MAX, 1, 0x1p-149f, INT64_MAX},
        {T(INT64), INT64_MAX, 1, -0x1p-149f, INT64_MAX - 1},
        {T(INT64), INT64_MAX, 1, 0, INT64_MAX}, /* more digits than a double has */
        {T(INT64), INT64_MAX - 1, 1, 1, INT64_MAX},
        {T(INT64), INT64_MIN + 1, -1, 0, INT64_MAX},
        {T(INT64), 1, -1, 0x1p63f, INT64_MAX},
        {T(UINT64), -1, 1, 0, -1},
        {T(UINT64), -1, 0.5f, 0, INT64_MAX}, /* 2^63 - 0.5 */
        {T(UINT64), 1, -1, 0x1p64f, -1},     /* 2^64 - 1 */
        {T(UINT64), 2, -1, 0x1p64f, -2},
        {T(UINT64), -1, 0x1p-149f, 0, 0}, /* the smallest product */
        {T(UINT64), -1, 0x1p-64f, 0x1p-64f, 1},
        {T(UINT64), -1, 0x1p-64f, 0x1p-65f, 0},
    };
    expect_integers(cases, COUNT_OF(cases));
}

static void integers_saturate(void **state) {
    (void)state;
    static const struct integer_case cases[] = {
        {T(UINT8), 200, 2, 0, UINT8_MAX},
        {T(UINT8), 255, 1, 0.99f, UINT8_MAX},
        {T(UINT8), 255, 1, 1, UINT8_MAX},
        {T(UINT8), 5, -1, 0, 0},
        {T(INT8), -128, -1, 0, INT8_MAX},
        {T(INT8), 100, -2, 0, INT8_MIN},
        {T(INT8), -128, 1, -0.99f, INT8_MIN},
        {T(UINT16), 65535, 1, 1, UINT16_MAX},
        {T(INT16), 32767, 1, 1, INT16_MAX},
        {T(INT16), -32768, 1, -1, INT16_MIN},
        {T(UINT32), UINT32_MAX, 1, 1, UINT32_MAX},
        {T(UINT32), 1, -0x1p32f, 0, 0},
        {T(INT32), INT32_MAX, 1, 1, INT32_MAX},
        {T(INT32), INT32_MIN, 1, -1, INT32_MIN},
        {T(INT32), 1, 0x1p64f, 0, INT32_MAX}, /* low digits all zero */
        {T(UINT64), -1, 1, 1, -1},
        {T(UINT64), -1, 0x1.fffffep127f, 0x1.fffffep127f, -1}, /* the largest sum */
        {T(UINT64), -1, -0x1.fffffep127f, -0x1.fffffep127f, 0},
        {T(INT64), INT64_MIN, -1, 0, INT64_MAX},
        {T(INT64), INT64_MIN, 1, -1, INT64_MIN},
        {T(INT64), INT64_MIN, 0x1.fffffep127f, -0x1.fffffep127f, INT64_MIN},
    };
    expect_integers(cases, COUNT_OF(cases));
}

static void infinities_saturate_integers_and_nan_is_zero(void **state) {
    (void)state;
    const struct integer_case cases[] = {
        {T(INT32), 5, INFINITY, 0, INT32_MAX},
        {T(INT32), -5, INFINITY, 0, INT32_MIN},
        {T(INT32), 5, -INFINITY, 1, INT32_MIN},
        {T(INT64), 5, 1, -INFINITY, INT64_MIN},
        {T(INT8), 0, 1, INFINITY, INT8_MAX},
        {T(UINT32), 5, -INFINITY, 0, 0},
        {T(UINT64), 5, INFINITY, 0, -1},
        {T(UINT64), 5, INFINITY, INFINITY, -1},
        {T(UINT8), 5, 0x1.fffffep127f, INFINITY, UINT8_MAX},
        {T(INT32), 0, INFINITY, 3, 0},         /* NaN */
        {T(INT32), 0, -INFINITY, INFINITY, 0}, /* NaN */
        {T(INT16), 5, INFINITY, -INFINITY, 0}, /* NaN */
        {T(INT64), -5, INFINITY, INFINITY, 0}, /* NaN */
        {T(UINT64), 5, NAN, 1, 0},
        {T(UINT64), 0, NAN, 1, 0},
        {T(INT8), 5, 1, NAN, 0},
        {T(INT8), 5, INFINITY, NAN, 0},
    };
    expect_integers(cases, COUNT_OF(cases));
}

/* ---- against other arithmetic ---- */

/* A random float, of any kind or near enough to another to cancel. */
static float random_float(struct random *random, float near) {
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    switch (random_below(random, 4)) {
    case 0:
        return float_of((uint32_t)random_next(random));
    case 1: /* the same size with the other sign */
        return float_of((bits ^ 0x80000000u) + random_below(random, 9) - 4);
    case 2: /* around 1 */
        return ldexpf((float)random_below(random, 1u << 24), (int)random_below(random, 40) - 40);
    default: /* around the smallest normal */
        return float_of((random_below(random, 1u << 26)) | (random_below(random, 2) << 31));
    }
}

static void float32_agrees_with_the_compilers_own(void **state) {
    (void)state;
    struct random random = {1};
    for (uint32_t i = 0; i < RANDOM_CASES; i++) {
        const float x = random_float(&random, 1.0f), scale = random_float(&random, x);
        const volatile float product = x * scale;
        const float bias = random_float(&random, product);
        const volatile float sum = product + bias;
        const float result = sum;
        uint32_t x_bits, expected;
        memcpy(&x_bits, &x, sizeof x_bits);
        memcpy(&expected, &result, sizeof expected);
        expect(DML_TENSOR_DATA_TYPE_FLOAT32, x_bits, scale, bias, isnan(result) ? 0x7FC00000 : expected);
    }
}

static void float64_agrees_with_the_compilers_own(void **state) {
    (void)state;
    struct random random = {2};
    for (uint32_t i = 0; i < RANDOM_CASES; i++) {
        const uint64_t x_bits =
            random_chance(&random, 50) ? random_next(&random) : (random_next(&random) >> 12) | 0x3FF0000000000000;
        double x;
        memcpy(&x, &x_bits, sizeof x);
        const float scale = random_float(&random, 1.0f);
        const volatile double product = x * scale;
        const float bias = random_float(&random, (float)fmax(-1e30, fmin(1e30, product)));
        const volatile double sum = product + bias;
        const double result = sum;
        uint64_t expected;
        memcpy(&expected, &result, sizeof expected);
        expect(DML_TENSOR_DATA_TYPE_FLOAT64, x_bits, scale, bias, isnan(result) ? 0x7FF8000000000000 : expected);
    }
}

static int64_t random_sign(struct random *random, int64_t magnitude) {
    return random_chance(random, 50) ? -magnitude : magnitude;
}

static int64_t clamp(int64_t value, int64_t lowest, int64_t highest) {
    return value < lowest ? lowest : value > highest ? highest : value;
}

/* With Scale = m / 2^s and Bias = b / 2^s the result is (x * m + b) / 2^s, and C's division truncates toward zero. */
static void integers_agree_with_whole_number_arithmetic(void **state) {
    (void)state;
    static const struct {
        DML_TENSOR_DATA_TYPE type;
        uint32_t x_bits; /* of |x|: inside the type, and below 2^38 */
        int64_t lowest, highest;
    } types[] = {
        {T(INT8), 7, INT8_MIN, INT8_MAX},     {T(UINT8), 8, 0, UINT8_MAX},
        {T(INT16), 15, INT16_MIN, INT16_MAX}, {T(UINT16), 16, 0, UINT16_MAX},
        {T(INT32), 31, INT32_MIN, INT32_MAX}, {T(UINT32), 32, 0, UINT32_MAX},
        {T(INT64), 38, INT64_MIN, INT64_MAX}, {T(UINT64), 38, 0, INT64_MAX},
    };
    struct random random = {3};
    for (uint32_t i = 0; i < RANDOM_CASES; i++) {
        const uint32_t t = random_below(&random, COUNT_OF(types));
        const DML_TENSOR_DATA_TYPE type = types[t].type;
        /* |x * m| < 2^38 * 2^24 and |b| < 2^24 * 2^37: the sum fits 63 bits */
        const int64_t magnitude = (int64_t)(random_next(&random) >> (64 - types[t].x_bits));
        const int64_t x = types[t].lowest < 0 ? random_sign(&random, magnitude) : magnitude;
        const int64_t m = random_sign(&random, random_below(&random, 1u << 24));
        const int64_t b = random_sign(&random, (int64_t)random_below(&random, 1u << 24) << random_below(&random, 38));
        const int s = (int)random_below(&random, 63);
        const int64_t expected = clamp((x * m + b) / ((int64_t)1 << s), types[t].lowest, types[t].highest);
        expect(type, in_type(type, x), ldexpf((float)m, -s), ldexpf((float)b, -s), in_type(type, expected));
    }
}

/* Where product and sum fit 53 bits, double is exact. */
static void integers_agree_with_double_where_that_is_exact(void **state) {
    (void)state;
    struct random random = {4};
    for (uint32_t i = 0; i < RANDOM_CASES; i++) {
        const int32_t x = (int32_t)random_between(&random, 0, 1u << 20) - (1 << 19);
        const float scale = ldexpf((float)random_below(&random, 1u << 20) - (float)(1 << 19), -12);
        const float bias = ldexpf((float)random_below(&random, 1u << 24) - (float)(1 << 23), -12);
        double exact = trunc(x * (double)scale + (double)bias);
        exact = fmax(INT32_MIN, fmin(INT32_MAX, exact));
        expect(T(INT32), (uint32_t)x, scale, bias, (uint32_t)(int32_t)exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float32_rounds_the_product_and_then_the_sum),
        cmocka_unit_test(float32_keeps_denormals),
        cmocka_unit_test(any_nan_of_float32_is_the_positive_quiet_one),
        cmocka_unit_test(float64_computes_in_double_with_scale_and_bias_widened),
        cmocka_unit_test(float16_computes_in_float32_and_rounds_once_more),
        cmocka_unit_test(float16_keeps_and_makes_denormals),
        cmocka_unit_test(any_nan_of_float16_is_the_positive_quiet_one),
        cmocka_unit_test(every_float16_survives_one_times_itself_less_zero),
        cmocka_unit_test(integers_are_truncated_toward_zero_after_the_sum),
        cmocka_unit_test(integers_are_exact_whatever_the_distance_of_the_operands),
        cmocka_unit_test(integers_saturate),
        cmocka_unit_test(infinities_saturate_integers_and_nan_is_zero),
        cmocka_unit_test(float32_agrees_with_the_compilers_own),
        cmocka_unit_test(float64_agrees_with_the_compilers_own),
        cmocka_unit_test(integers_agree_with_whole_number_arithmetic),
        cmocka_unit_test(integers_agree_with_double_where_that_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
