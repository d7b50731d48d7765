/* The mathematics on few arguments of each kind, in seconds; `exhaustive` beside this tries them all. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cases/random.h"
#include "flush.h"
#include "inputs.h"
#include "math/math.h"
#include "math/prelude.h"
#include "oracle.h"

#include "../glsl/math/math.glsl"

#define SPACING    13
#define UNARY      ((uint32_t)1 << 20)
#define PAIRS      ((uint32_t)1 << 20)
#define MAX_REPORT 8
#define HALVES     65536

static uint32_t x[UNARY], y[PAIRS], results[PAIRS], flushed[PAIRS];

static void fill(const struct math_function *function, uint64_t first) {
    if (function->unary != NULL) {
        inputs_fill(function, SPACING, UNARY, x);
    } else {
        inputs_fill_pairs(function, first, PAIRS, x, y);
    }
}

static void compute(const struct math_function *function, uint32_t *to) {
    for (uint32_t i = 0; i < UNARY; i++) {
        to[i] = math_result(function, function->unary != NULL ? function->unary(x[i]) : function->binary(x[i], y[i]));
    }
}

/* One function: within its bound, and the same bits where denormals are flushed. */
static void check(const struct math_function *function, uint64_t first) {
    uint32_t failures = 0;
    fill(function, first);
    compute(function, results);
    const unsigned mode = flush_begin();
    compute(function, flushed);
    flush_end(mode);
    for (uint32_t i = 0; i < UNARY && failures < MAX_REPORT; i++) {
        const struct math_verdict verdict = math_judge(function, x[i], y[i], results[i]);
        if (verdict.error > function->bound || results[i] != flushed[i]) {
            print_error("%s of %08" PRIx32 " (and %08" PRIx32 ") is %08" PRIx32 ", with denormals flushed %08" PRIx32
                        ", should be %08" PRIx32 ": %g ULP, the bound is %g\n",
                        function->name, x[i], y[i], results[i], flushed[i], verdict.want, verdict.error,
                        function->bound);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

static void check_function(void **state) {
    const struct math_function *function = *state;
    check(function, 0);
    if (function->binary != NULL) {
        check(function, PAIRS);
    }
}

/* Of FLOAT16's grade: a number where the short path is good, which tells kernels that there is no NaN. */
static void halves_are_numbers_on_the_short_path(void **state) {
    (void)state;
    for (uint32_t f = 0; f < math_function_count; f++) {
        const struct math_function *function = &math_functions[f];
        if (!function->is_half || function->unary == NULL) {
            continue;
        }
        inputs_fill(function, SPACING, UNARY, x);
        for (uint32_t i = 0; i < UNARY; i++) {
            if (function->unary_is_common(x[i]) && (function->unary(x[i]) & 0x7FFFFFFF) > 0x7F800000) {
                fail_msg("%s of %08" PRIx32 " is NaN", function->name, x[i]);
            }
        }
    }
}

/* Kernels run the short paths on everything: under sanitizers this tells whether that is defined. */
static void short_paths_may_run_on_anything(void **state) {
    (void)state;
    inputs_fill(&math_functions[0], SPACING, UNARY, x);
    uint32_t all = 0;
    for (uint32_t i = 0; i < UNARY; i += 3) {
#define MATH_UNARY_EXACT(number, name)       all ^= math_##name##_common(x[i]);
#define MATH_UNARY(number, name, bound)      MATH_UNARY_EXACT(number, name)
#define MATH_BINARY_EXACT(number, name)      all ^= math_##name##_common(x[i], x[UNARY - 1 - i]);
#define MATH_BINARY(number, name, bound)     MATH_BINARY_EXACT(number, name)
#define MATH_UNARY_CHECKED(number, name)     MATH_UNARY_EXACT(number, name)
#define MATH_BINARY_CHECKED(number, name)    MATH_BINARY_EXACT(number, name)
#define MATH_HALF(number, name, arguments)   MATH_UNARY_EXACT(number, half_##name)
#define MATH_HALF_EXACT(number, name)        MATH_UNARY_EXACT(number, half_##name)
#define MATH_HALF_BINARY_EXACT(number, name) MATH_BINARY_EXACT(number, half_##name)
#define MATH_HALF_BINARY(number, name)       MATH_BINARY_EXACT(number, half_##name)
#include "math/function_list.inc"
    }
    results[0] = all;
}

/* Kernels quantize by it: off the halves it is near enough, and exact on them. */
static void quotients_of_halves_round_to_the_right_integer(void **state) {
    (void)state;
    struct random random = {1};
    for (uint32_t round = 0; round < 400; round++) {
        const uint32_t divisor = math_widened((uint32_t)(random_next(&random) % HALVES));
        if (!(divisor & 0x7FFFFFFF) || (divisor & 0x7F800000) == 0x7F800000) {
            continue;
        }
        for (uint32_t i = 0; i < HALVES; i++) {
            const uint32_t dividend = math_widened(i);
            const uint32_t exact = vkdml_math_divide(dividend, divisor);
            const uint32_t quotient = vkdml_math_half_divide(dividend, divisor);
            if ((exact & 0x7FFFFFFF) <= 0x43800000 && vkdml_math_round_even(exact) != vkdml_math_round_even(quotient)) {
                fail_msg("%08" PRIx32 " / %08" PRIx32, dividend, divisor);
            }
        }
    }
}

static void zeros_and_what_networks_hold_takes_the_short_paths(void **state) {
    (void)state;
    /* What is not: of no use there, or undefined. */
    static const char *const without_zero[] = {"log", "log2", "reciprocal", "acosh"};
    static const float values[] = {1e-20f, 1e-6f, 0.01f, 0.3f, 0.5f, 1, 2.5f, 10};
    for (uint32_t f = 0; f < math_function_count; f++) {
        const struct math_function *function = &math_functions[f];
        if (function->unary == NULL || function->is_half) {
            continue;
        }
        bool has_zero = true;
        for (uint32_t i = 0; i < sizeof without_zero / sizeof without_zero[0]; i++) {
            has_zero = has_zero && strcmp(without_zero[i], function->name) != 0;
        }
        if (has_zero && !function->unary_is_common(0)) {
            fail_msg("%s(0) takes the long path", function->name);
        }
        for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            const uint32_t bits = math_bits_of(values[i]);
            const uint32_t result = function->unary(bits);
            const bool is_defined = result != 0x7FC00000 && result != 0x7F800000;
            if (is_defined && !function->unary_is_common(bits)) {
                fail_msg("%s(%g) takes the long path", function->name, (double)values[i]);
            }
        }
    }
}

int main(void) {
    struct CMUnitTest *tests = calloc(math_function_count + 4, sizeof *tests);
    if (tests == NULL) {
        return 1;
    }
    for (uint32_t f = 0; f < math_function_count; f++) {
        const struct math_function *function = &math_functions[f];
        tests[f] = (struct CMUnitTest){function->name, check_function, NULL, NULL, (void *)(uintptr_t)function};
    }
    tests[math_function_count] = (struct CMUnitTest)cmocka_unit_test(short_paths_may_run_on_anything);
    tests[math_function_count + 1] =
        (struct CMUnitTest)cmocka_unit_test(zeros_and_what_networks_hold_takes_the_short_paths);
    tests[math_function_count + 2] = (struct CMUnitTest)cmocka_unit_test(halves_are_numbers_on_the_short_path);
    tests[math_function_count + 3] =
        (struct CMUnitTest)cmocka_unit_test(quotients_of_halves_round_to_the_right_integer);
    const int failed = _cmocka_run_group_tests("math", tests, math_function_count + 4, NULL, NULL);
    free(tests);
    return failed;
}
