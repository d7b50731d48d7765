/* What the functions of src/math/ should give: by the C library's functions of doubles, which are within a few units of
 * their last place, and by its operations on floats where results are correctly rounded. Nothing of it is shared with
 * src/math/. */
#ifndef TESTS_MATH_ORACLE_H
#define TESTS_MATH_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef MATH_HAS_MPFR
#include <mpfr.h>
#endif

struct math_function {
    const char *name;
    uint32_t number;
    double bound; /* in ULP; 0: correctly rounded */
    /* Its results are to be rounded to FLOAT16, whose ULP is meant. */
    bool is_half;
    enum math_arguments { OF_FLOATS, OF_SUMS, OF_HALVES } arguments;

    /* Under test: either the first two, or the last two. */
    uint32_t (*unary)(uint32_t x);
    bool (*unary_is_common)(uint32_t x);
    uint32_t (*binary)(uint32_t x, uint32_t y);
    bool (*binary_is_common)(uint32_t x, uint32_t y);

    /* The oracle: one of these. */
    double (*value)(double x);
    double (*value2)(double x, double y);
    float (*exact)(float x);
    float (*exact2)(float x, float y);
#ifdef MATH_HAS_MPFR
    /* Where a double is too near to the middle between two floats. y is not used by functions of one argument. */
    void (*precise)(mpfr_t result, mpfr_t x, mpfr_t y);
#endif
};

/* Of those of FLOAT16's grade. */
#define MATH_HALF_BOUND 0.6

/* All of function_list.inc, in its order. */
extern const struct math_function math_functions[];
extern const uint32_t math_function_count;

float math_float_of(uint32_t bits);
uint32_t math_bits_of(float value);

/* Of FLOAT16, as FLOAT32. A result of FLOAT16's grade rounded: what is to be the same everywhere. */
uint32_t math_widened(uint32_t half);
uint32_t math_result(const struct math_function *function, uint32_t result);

struct math_verdict {
    double error;  /* in ULP of the correctly rounded result; infinite where another sign, NaN or infinity is wanted */
    bool rounded;  /* the result is the correctly rounded one */
    uint32_t want; /* the correctly rounded result */
};

/* Judges a result. y is not used by functions of one argument. */
struct math_verdict math_judge(const struct math_function *function, uint32_t x, uint32_t y, uint32_t got);

#endif
