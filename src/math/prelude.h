/* What glsl/math/ needs of the language: C's half of glsl/math/prelude.glsl. It makes GLSL's text valid C11. */
#ifndef VKDML_MATH_PRELUDE
#define VKDML_MATH_PRELUDE

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static_assert(FLT_EVAL_METHOD == 0, "a float operation must round to float");
static_assert(FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128, "float must be IEEE 754's binary32");
static_assert((-1 >> 1) == -1, "right shifts of negative numbers must keep the sign");

/* GLSL has no way to say that a parameter is not looked at. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define MATH    static inline
#define precise /* the project compiles with -ffp-contract=off */

typedef uint32_t uint;
typedef struct math_divisor math_divisor;
typedef struct math_bounds math_bounds;

static inline float uintBitsToFloat(uint bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint floatBitsToUint(float value) {
    uint bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint math_multiply_high(uint a, uint b) {
    return (uint)((uint64_t)a * b >> 32);
}

static inline uint math_leading_zeros(uint x) {
    return (uint)__builtin_clz(x);
}

static inline bool math_is_zero(uint x) {
    return (x << 1) == 0;
}

static inline uint math_min(uint a, uint b) {
    return a < b ? a : b;
}

static inline uint math_max(uint a, uint b) {
    return a > b ? a : b;
}

static inline uint math_min_signed(uint a, uint b) {
    return (int)a < (int)b ? a : b;
}

static inline int math_int(uint x) {
    return (int)x;
}

static inline uint math_uint(int x) {
    return (uint)x;
}

static inline float math_inverse_root(float x) {
    return 1 / sqrtf(x);
}

static inline float math_float(int x) {
    return (float)x;
}

static inline int math_round(float x) {
    return (int)x;
}

#endif
