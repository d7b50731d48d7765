#define _GNU_SOURCE /* M_PI, M_SQRT1_2 */
#include "oracle.h"

#include <math.h>
#include <string.h>

#include "cases/number.h"
#include "math/math.h"

float math_float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t math_bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint32_t math_widened(uint32_t half) {
    return math_bits_of((float)number_decode(DML_TENSOR_DATA_TYPE_FLOAT16, half));
}

uint32_t math_result(const struct math_function *function, uint32_t result) {
    return function->is_half
               ? math_widened((uint32_t)number_encode(DML_TENSOR_DATA_TYPE_FLOAT16, (double)math_float_of(result)))
               : result;
}

/* ---- functions of the C library under other names, and what it lacks ---- */

static double sigmoid_of(double x) {
    return 1 / (1 + exp(-x));
}

static double softplus_of(double x) {
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double gelu_of(double x) {
    return x == -INFINITY ? -0.0 : 0.5 * x * erfc(-x * M_SQRT1_2);
}

/* x / (1 + exp(-2 u)), which is 0.5 x (1 + tanh(u)) */
static double gelu_tanh_of(double x) {
    const double u = sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return x == -INFINITY ? -0.0 : x / (1 + exp(-2 * u));
}

static float reciprocal_of(float x) {
    return 1 / x;
}

static float add_of(float x, float y) {
    return x + y;
}

static float subtract_of(float x, float y) {
    return x - y;
}

static float multiply_of(float x, float y) {
    return x * y;
}

static float divide_of(float x, float y) {
    return x / y;
}

static float remainder_truncate_of(float x, float y) {
    return fmodf(x, y);
}

/* As Python's %: of the divisor's sign. */
static float remainder_floor_of(float x, float y) {
    const float remainder = fmodf(x, y);
    if (remainder == 0) {
        return copysignf(0, y);
    }
    return (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

/* The oracle of each function in the list. */
#define exp_value                exp
#define exp2_value               exp2
#define expm1_value              expm1
#define log_value                log
#define log2_value               log2
#define log1p_value              log1p
#define sin_value                sin
#define cos_value                cos
#define tan_value                tan
#define asin_value               asin
#define acos_value               acos
#define atan_value               atan
#define sinh_value               sinh
#define cosh_value               cosh
#define tanh_value               tanh
#define asinh_value              asinh
#define acosh_value              acosh
#define atanh_value              atanh
#define erf_value                erf
#define sigmoid_value            sigmoid_of
#define softplus_value           softplus_of
#define gelu_value               gelu_of
#define gelu_tanh_value          gelu_tanh_of
#define pow_value                pow
#define atan2_value              atan2
#define truncate_value           truncf
#define floor_value              floorf
#define ceil_value               ceilf
#define round_even_value         rintf
#define round_away_value         roundf
#define sqrt_value               sqrtf
#define reciprocal_value         reciprocal_of
#define add_value                add_of
#define subtract_value           subtract_of
#define multiply_value           multiply_of
#define divide_value             divide_of
#define remainder_truncate_value remainder_truncate_of
#define remainder_floor_value    remainder_floor_of

#ifdef MATH_HAS_MPFR

/* Enough for any of them to be right in its 100th bit. */
#define WIDE_BITS 400

#define PRECISE(name, call)                                                                                            \
    static void name##_precise(mpfr_t result, mpfr_t x, mpfr_t y) {                                                    \
        (void)y;                                                                                                       \
        call;                                                                                                          \
    }

PRECISE(exp, mpfr_exp(result, x, MPFR_RNDN))
PRECISE(exp2, mpfr_exp2(result, x, MPFR_RNDN))
PRECISE(expm1, mpfr_expm1(result, x, MPFR_RNDN))
PRECISE(log, mpfr_log(result, x, MPFR_RNDN))
PRECISE(log2, mpfr_log2(result, x, MPFR_RNDN))
PRECISE(log1p, mpfr_log1p(result, x, MPFR_RNDN))
PRECISE(sin, mpfr_sin(result, x, MPFR_RNDN))
PRECISE(cos, mpfr_cos(result, x, MPFR_RNDN))
PRECISE(tan, mpfr_tan(result, x, MPFR_RNDN))
PRECISE(asin, mpfr_asin(result, x, MPFR_RNDN))
PRECISE(acos, mpfr_acos(result, x, MPFR_RNDN))
PRECISE(atan, mpfr_atan(result, x, MPFR_RNDN))
PRECISE(sinh, mpfr_sinh(result, x, MPFR_RNDN))
PRECISE(cosh, mpfr_cosh(result, x, MPFR_RNDN))
PRECISE(tanh, mpfr_tanh(result, x, MPFR_RNDN))
PRECISE(asinh, mpfr_asinh(result, x, MPFR_RNDN))
PRECISE(acosh, mpfr_acosh(result, x, MPFR_RNDN))
PRECISE(atanh, mpfr_atanh(result, x, MPFR_RNDN))
PRECISE(erf, mpfr_erf(result, x, MPFR_RNDN))
PRECISE(pow, mpfr_pow(result, x, y, MPFR_RNDN))
PRECISE(atan2, mpfr_atan2(result, x, y, MPFR_RNDN))

static void sigmoid_precise(mpfr_t result, mpfr_t x, mpfr_t y) {
    (void)y;
    mpfr_neg(result, x, MPFR_RNDN);
    mpfr_exp(result, result, MPFR_RNDN);
    mpfr_add_ui(result, result, 1, MPFR_RNDN);
    mpfr_ui_div(result, 1, result, MPFR_RNDN);
}

static void softplus_precise(mpfr_t result, mpfr_t x, mpfr_t y) {
    (void)y;
    mpfr_exp(result, x, MPFR_RNDN);
    mpfr_log1p(result, result, MPFR_RNDN);
}

static void gelu_precise(mpfr_t result, mpfr_t x, mpfr_t y) {
    (void)y;
    mpfr_t root;
    mpfr_init2(root, WIDE_BITS);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(result, x, root, MPFR_RNDN);
    mpfr_neg(result, result, MPFR_RNDN);
    mpfr_erfc(result, result, MPFR_RNDN);
    mpfr_mul(result, result, x, MPFR_RNDN);
    mpfr_div_2ui(result, result, 1, MPFR_RNDN);
    mpfr_clear(root);
}

static void gelu_tanh_precise(mpfr_t result, mpfr_t x, mpfr_t y) {
    (void)y;
    mpfr_t u, v;
    mpfr_inits2(WIDE_BITS, u, v, (mpfr_ptr)0);
    mpfr_sqr(u, x, MPFR_RNDN);
    mpfr_mul_ui(u, u, 44715, MPFR_RNDN);
    mpfr_div_ui(u, u, 1000000, MPFR_RNDN);
    mpfr_add_ui(u, u, 1, MPFR_RNDN);
    mpfr_mul(u, u, x, MPFR_RNDN);
    mpfr_const_pi(v, MPFR_RNDN);
    mpfr_ui_div(v, 8, v, MPFR_RNDN);
    mpfr_sqrt(v, v, MPFR_RNDN); /* 2 sqrt(2 / pi) */
    mpfr_mul(u, u, v, MPFR_RNDN);
    mpfr_neg(u, u, MPFR_RNDN);
    mpfr_exp(u, u, MPFR_RNDN);
    mpfr_add_ui(u, u, 1, MPFR_RNDN);
    mpfr_div(result, x, u, MPFR_RNDN);
    mpfr_clears(u, v, (mpfr_ptr)0);
}

#define WITH_PRECISE(function) .precise = function##_precise,
#else
#define WITH_PRECISE(function)
#endif

const struct math_function math_functions[] = {
#define UNARY(number_, name_)                                                                                          \
    .name = #name_, .number = number_, .unary = vkdml_math_##name_, .unary_is_common = vkdml_math_##name_##_is_common
#define BINARY(number_, name_)                                                                                         \
    .name = #name_, .number = number_, .binary = vkdml_math_##name_, .binary_is_common = vkdml_math_##name_##_is_common
#define MATH_UNARY_EXACT(number_, name_) {UNARY(number_, name_), .exact = name_##_value},
#define MATH_UNARY(number_, name_, bound_)                                                                             \
    {UNARY(number_, name_), .bound = bound_, .value = name_##_value, WITH_PRECISE(name_)},
#define MATH_BINARY_EXACT(number_, name_) {BINARY(number_, name_), .exact2 = name_##_value},
#define MATH_BINARY(number_, name_, bound_)                                                                            \
    {BINARY(number_, name_), .bound = bound_, .value2 = name_##_value, WITH_PRECISE(name_)},
#define MATH_UNARY_CHECKED(number_, name_)  MATH_UNARY_EXACT(number_, name_)
#define MATH_BINARY_CHECKED(number_, name_) MATH_BINARY_EXACT(number_, name_)
#define MATH_HALF(number_, name_, arguments_)                                                                          \
    {UNARY(number_, half_##name_), .bound = MATH_HALF_BOUND, .is_half = true,                                          \
     .arguments = arguments_,      .value = name_##_value,   WITH_PRECISE(name_)},
#define MATH_HALF_EXACT(number_, name_)                                                                                \
    {UNARY(number_, half_##name_), .is_half = true, .arguments = OF_HALVES, .exact = name_##_value},
#define MATH_HALF_BINARY_EXACT(number_, name_)                                                                         \
    {BINARY(number_, half_##name_), .is_half = true, .arguments = OF_HALVES, .exact2 = name_##_value},
#define MATH_HALF_BINARY(number_, name_)                                                                               \
    {BINARY(number_, half_##name_), .bound = MATH_HALF_BOUND, .is_half = true,                                         \
     .arguments = OF_HALVES,        .value2 = name_##_value,  WITH_PRECISE(name_)},
#include "math/function_list.inc"
};
const uint32_t math_function_count = sizeof math_functions / sizeof math_functions[0];

/* ---- the judgement ---- */

#define QUIET_NAN 0x7FC00000u

static uint32_t canonical(float value) {
    return isnan(value) ? QUIET_NAN : math_bits_of(value);
}

#ifdef MATH_HAS_MPFR
static uint32_t rounded_by_mpfr(const struct math_function *function, uint32_t x, uint32_t y) {
    mpfr_t a, b, result;
    mpfr_inits2(24, a, b, (mpfr_ptr)0);
    mpfr_init2(result, WIDE_BITS);
    mpfr_set_flt(a, math_float_of(x), MPFR_RNDN);
    mpfr_set_flt(b, math_float_of(y), MPFR_RNDN);
    function->precise(result, a, b);
    const float rounded = mpfr_get_flt(result, MPFR_RNDN); /* denormals too are rounded once */
    mpfr_clears(a, b, result, (mpfr_ptr)0);
    return canonical(rounded);
}
#endif

/* 2^(150 - the biased exponent) */
static double units_per_one(uint32_t bits) {
    const uint32_t field = bits >> 23 & 0xFF;
    const uint64_t exponent = 1023 + 150 - (uint64_t)(field == 0 ? 1 : field == 255 ? 254 : field);
    const uint64_t scale = exponent << 52;
    double value;
    memcpy(&value, &scale, sizeof value);
    return value;
}

/* Infinity as what comes after the largest number. */
static double clipped(double value) {
    return value > 0x1p128 ? 0x1p128 : value < -0x1p128 ? -0x1p128 : value;
}

/* The value, and what a result is off it, in FLOAT16. The exact ones are of FLOAT16 numbers, whose quotients and roots
 * rounded to FLOAT32 first are rounded right: that has more than twice as many digits. */
static struct math_verdict judge_half(const struct math_function *function, uint32_t x, uint32_t y, uint32_t got) {
    const float a = math_float_of(x);
    double value;
    if (function->exact != NULL) {
        value = (double)function->exact(a);
    } else if (function->exact2 != NULL) {
        value = (double)function->exact2(a, math_float_of(y));
    } else {
        value = function->value != NULL ? function->value((double)a)
                                        : function->value2((double)a, (double)math_float_of(y));
    }
#ifdef MATH_HAS_MPFR
    if (function->precise != NULL && isfinite(value) && value != 0) {
        mpfr_t first, second, result;
        mpfr_inits2(24, first, second, (mpfr_ptr)0);
        mpfr_init2(result, WIDE_BITS);
        mpfr_set_flt(first, a, MPFR_RNDN);
        mpfr_set_flt(second, math_float_of(y), MPFR_RNDN);
        function->precise(result, first, second);
        value = mpfr_get_d(result, MPFR_RNDN);
        mpfr_clears(first, second, result, (mpfr_ptr)0);
    }
#endif
    const uint32_t want = (uint32_t)number_encode(DML_TENSOR_DATA_TYPE_FLOAT16, value);
    struct math_verdict verdict = {.want = canonical((float)number_decode(DML_TENSOR_DATA_TYPE_FLOAT16, want))};
    const double rounded = (double)math_float_of(math_result(function, got));
    verdict.rounded = canonical((float)rounded) == verdict.want;
    if (verdict.rounded && (function->bound == 0 || !isfinite(value) || value == 0)) {
        verdict.error = 0;
    } else if (function->bound == 0 || !isfinite(value) || value == 0 || isnan(rounded) ||
               signbit(rounded) != signbit(value)) {
        verdict.error = (double)INFINITY;
    } else {
        const int power = ilogb(value);
        const int exponent = power < -14 ? -14 : power > 15 ? 15 : power;
        const double error = fabs(fmin(fabs(rounded), 65536) - fmin(fabs(value), 65536));
        verdict.error = ldexp(error, 10 - exponent);
    }
    return verdict;
}

struct math_verdict math_judge(const struct math_function *function, uint32_t x, uint32_t y, uint32_t got) {
    struct math_verdict verdict;
    if (function->is_half) {
        return judge_half(function, x, y, got);
    }
    if (function->exact != NULL || function->exact2 != NULL) {
        const float a = math_float_of(x);
        verdict.want = canonical(function->exact != NULL ? function->exact(a) : function->exact2(a, math_float_of(y)));
        verdict.rounded = got == verdict.want;
        verdict.error = verdict.rounded ? 0 : (double)INFINITY;
        return verdict;
    }
    const double a = math_float_of(x);
    const double value = function->value != NULL ? function->value(a) : function->value2(a, math_float_of(y));
    verdict.want = canonical((float)value);
    if (isnan(value) || isinf(value) || value == 0) {
        verdict.rounded = got == verdict.want;
        verdict.error = verdict.rounded ? 0 : (double)INFINITY;
        return verdict;
    }
#ifdef MATH_HAS_MPFR
    /* 64 units of a double's last place */
    if (math_bits_of((float)(value * (1 - 0x1p-47))) != math_bits_of((float)(value * (1 + 0x1p-47)))) {
        verdict.want = rounded_by_mpfr(function, x, y);
    }
#endif
    verdict.rounded = got == verdict.want;
    if ((got & 0x7FFFFFFF) > 0x7F800000 || ((got ^ verdict.want) & 0x80000000) != 0) {
        verdict.error = (double)INFINITY;
    } else {
        verdict.error = fabs(clipped((double)math_float_of(got)) - clipped(value)) * units_per_one(verdict.want);
    }
    return verdict;
}
