#include "math/math.h"

#include "math/prelude.h"

#include "../glsl/math/math.glsl"

#define WHOLE_UNARY(name)                                                                                              \
    uint32_t vkdml_math_##name(uint32_t x) {                                                                           \
        return math_##name(x);                                                                                         \
    }
#define UNARY(name)                                                                                                    \
    WHOLE_UNARY(name)                                                                                                  \
    bool vkdml_math_##name##_is_common(uint32_t x) {                                                                   \
        return math_##name##_is_common(x);                                                                             \
    }
#define WHOLE_BINARY(name)                                                                                             \
    uint32_t vkdml_math_##name(uint32_t x, uint32_t y) {                                                               \
        return math_##name(x, y);                                                                                      \
    }
#define MATH_UNARY_EXACT(number, name)  UNARY(name)
#define MATH_UNARY(number, name, bound) UNARY(name)
#define MATH_UNARY_CHECKED(number, name)                                                                               \
    WHOLE_UNARY(name) bool vkdml_math_##name##_is_common(uint32_t x) {                                                 \
        return math_##name##_is_common(x, math_##name##_common(x));                                                    \
    }
#define MATH_BINARY_EXACT(number, name)                                                                                \
    WHOLE_BINARY(name)                                                                                                 \
    bool vkdml_math_##name##_is_common(uint32_t x, uint32_t y) {                                                       \
        return math_##name##_is_common(x, y);                                                                          \
    }
#define MATH_BINARY(number, name, bound) MATH_BINARY_EXACT(number, name)
#define MATH_BINARY_CHECKED(number, name)                                                                              \
    WHOLE_BINARY(name)                                                                                                 \
    bool vkdml_math_##name##_is_common(uint32_t x, uint32_t y) {                                                       \
        return math_##name##_is_common(x, y, math_##name##_common(x, y));                                              \
    }
#define MATH_HALF(number, name, arguments)   MATH_UNARY_EXACT(number, half_##name)
#define MATH_HALF_EXACT(number, name)        MATH_UNARY_EXACT(number, half_##name)
#define MATH_HALF_BINARY_EXACT(number, name) MATH_BINARY_EXACT(number, half_##name)
#define MATH_HALF_BINARY(number, name)       MATH_BINARY_EXACT(number, half_##name)
#include "math/function_list.inc"
