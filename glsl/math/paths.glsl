// What functions of two paths are made of: math.glsl says what they are.
#include "prelude.glsl"
#ifndef VKDML_MATH_PATHS
#define VKDML_MATH_PATHS

#define MATH_OF_PATHS(name)                                                                                            \
    MATH uint math_##name(uint x)                                                                                      \
    {                                                                                                                  \
        return math_##name##_is_common(x) ? math_##name##_common(x) : math_##name##_rare(x);                           \
    }

// NaN wherever the short path is not right.
#define MATH_ELSE_NAN(name)                                                                                            \
    MATH uint math_##name##_rare(uint x)                                                                               \
    {                                                                                                                  \
        return 0x7FC00000u;                                                                                            \
    }                                                                                                                  \
    MATH_OF_PATHS(name)

// Of FLOAT16's grade: the function of FLOAT32 where the short path is not right.
#define MATH_ELSE_WHOLE(name)                                                                                          \
    MATH uint math_half_##name(uint x)                                                                                 \
    {                                                                                                                  \
        return math_half_##name##_is_common(x) ? math_half_##name##_common(x) : math_##name(x);                        \
    }

#endif
