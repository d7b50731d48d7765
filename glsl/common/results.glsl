// What becomes of four results before they are stored, in kernels whose functions are those that are fused: they define
// RESULT_TYPE, FLOAT32 or FLOAT16, FUNCTION and, where arguments are not parameters.arguments[2], FUNCTION_ARGUMENTS.
#ifndef VKDML_RESULTS_GLSL
#define VKDML_RESULTS_GLSL

#define NO_OPERATIONS
#include "float_operations.glsl"

uvec4 activated(uvec4 x)
{
    bool good = true;
    uvec4 y = uvec4(float_function_fast(x.x, good), float_function_fast(x.y, good), float_function_fast(x.z, good),
                    float_function_fast(x.w, good));
    if (!good) {
        [[dont_unroll]] for (uint v = 0; v < 4; ++v)
            y[v] = float_function_slow(x[v]);
    }
    return y;
}

// Whether results are widened again.
#ifdef HAS_GRADES
const bool ARE_WIDENED = EPILOGUE != 0;
#else
const bool ARE_WIDENED = false;
#endif

// As elements of the output.
uvec4 narrowed(uvec4 x)
{
    if (RESULT_TYPE != FLOAT16)
        return uvec4(canonical(x.x), canonical(x.y), canonical(x.z), canonical(x.w));
    bool good = are_numbers(x.xy) && are_numbers(x.zw);
    uvec2 words = ARE_WIDENED ? uvec2(narrow_numbers(x.xy), narrow_numbers(x.zw))
                              : uvec2(narrow_to_halves(x.xy, good), narrow_to_halves(x.zw, good));
    if (!good)
        words = uvec2(narrow_to_half(x.x) | narrow_to_half(x.y) << 16, narrow_to_half(x.z) | narrow_to_half(x.w) << 16);
    return uvec4(words.x & 0xFFFF, words.x >> 16, words.y & 0xFFFF, words.y >> 16);
}

#endif
