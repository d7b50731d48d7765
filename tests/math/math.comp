// One function of glsl/math/ on each element: what the GPU gives is held to what C gives, and its instructions are
// counted.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "math.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint FUNCTION_NUMBER = 0;
layout(constant_id = 1) const uint PART = 0;
const uint WHOLE = 0;
const uint COMMON = 1; // what a kernel runs of every element: the short path, and whether it is good
const uint HALF = 2;

layout(set = 0, binding = 0, std430) readonly buffer First {
    uint first[];
};
layout(set = 0, binding = 1, std430) readonly buffer Second {
    uint second[];
};
layout(set = 0, binding = 2, std430) writeonly buffer Results {
    uint results[];
};

#define MATH_UNARY_WHEN(number, name, is_common)                                                                       \
    case number:                                                                                                       \
        result = math_##name##_common(x);                                                                              \
        if (PART == COMMON)                                                                                            \
            result = is_common ? result : 0;                                                                           \
        if (PART == WHOLE)                                                                                             \
            result = math_##name(x);                                                                                   \
        break;
#define MATH_UNARY_EXACT(number, name)   MATH_UNARY_WHEN(number, name, math_##name##_is_common(x))
#define MATH_UNARY_CHECKED(number, name) MATH_UNARY_WHEN(number, name, math_##name##_is_common(x, result))
#define MATH_UNARY(number, name, bound) MATH_UNARY_EXACT(number, name)
#define MATH_BINARY_WHEN(number, name, is_common)                                                                      \
    case number:                                                                                                       \
        result = math_##name##_common(x, y);                                                                           \
        if (PART == COMMON)                                                                                            \
            result = is_common ? result : 0;                                                                           \
        if (PART == WHOLE)                                                                                             \
            result = math_##name(x, y);                                                                                \
        break;
#define MATH_BINARY_EXACT(number, name)  MATH_BINARY_WHEN(number, name, math_##name##_is_common(x, y))
#define MATH_BINARY(number, name, bound) MATH_BINARY_WHEN(number, name, math_##name##_is_common(x, y))
#define MATH_BINARY_CHECKED(number, name) MATH_BINARY_WHEN(number, name, math_##name##_is_common(x, y, result))
#define MATH_HALF(number, name, arguments)   MATH_UNARY_EXACT(number, half_##name)
#define MATH_HALF_EXACT(number, name)        MATH_UNARY_EXACT(number, half_##name)
#define MATH_HALF_BINARY_EXACT(number, name) MATH_BINARY_EXACT(number, half_##name)
#define MATH_HALF_BINARY(number, name)       MATH_BINARY_EXACT(number, half_##name)

void main()
{
    uint i = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * gl_WorkGroupSize.x * gl_NumWorkGroups.x;
    uint x = first[i];
    uint y = second[i];
    uint result = x;
    switch (FUNCTION_NUMBER) {
#include "function_list.inc"
    }
    results[i] = result;
}
