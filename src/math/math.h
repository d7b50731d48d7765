/* The library's mathematics in C: the same text as the kernels' (glsl/math/), so the same bits.
 *
 * Arguments and results are the bits of FLOAT32. Results are correctly rounded, or within the bound that
 * function_list.inc states, of every argument, denormals, infinities and NaN included; special values are those of C's
 * Annex F. A result that is NaN is 0x7FC00000. All functions are pure. Those of FLOAT16's grade are to be rounded to
 * FLOAT16. */
#ifndef VKDML_MATH_MATH_H
#define VKDML_MATH_MATH_H

#include <stdbool.h>
#include <stdint.h>

/* NAME(x); NAME_is_common(x) tells whether kernels compute it by their short path. */
#define MATH_UNARY_EXACT(number, name)                                                                                 \
    uint32_t vkdml_math_##name(uint32_t x);                                                                            \
    bool vkdml_math_##name##_is_common(uint32_t x);
#define MATH_UNARY(number, name, bound) MATH_UNARY_EXACT(number, name)
#define MATH_BINARY_EXACT(number, name)                                                                                \
    uint32_t vkdml_math_##name(uint32_t x, uint32_t y);                                                                \
    bool vkdml_math_##name##_is_common(uint32_t x, uint32_t y);
#define MATH_BINARY(number, name, bound)     MATH_BINARY_EXACT(number, name)
#define MATH_UNARY_CHECKED(number, name)     MATH_UNARY_EXACT(number, name)
#define MATH_BINARY_CHECKED(number, name)    MATH_BINARY_EXACT(number, name)
#define MATH_HALF(number, name, arguments)   MATH_UNARY_EXACT(number, half_##name)
#define MATH_HALF_EXACT(number, name)        MATH_UNARY_EXACT(number, half_##name)
#define MATH_HALF_BINARY_EXACT(number, name) MATH_BINARY_EXACT(number, half_##name)
#define MATH_HALF_BINARY(number, name)       MATH_BINARY_EXACT(number, half_##name)
#include "math/function_list.inc"
#undef MATH_UNARY_EXACT
#undef MATH_UNARY
#undef MATH_BINARY_EXACT
#undef MATH_BINARY
#undef MATH_UNARY_CHECKED
#undef MATH_BINARY_CHECKED
#undef MATH_HALF
#undef MATH_HALF_EXACT
#undef MATH_HALF_BINARY_EXACT
#undef MATH_HALF_BINARY

#endif
