// (a - b) / sqrt(c + an argument) * d + e of floats, each step of it rounded to FLOAT32, and a function of what it gives.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define OPERANDS 5
#define ELEMENT uint
#define ALL_ARE_FLOATS
#define IS_NORMALIZATION
#include "map.glsl"
#include "operations.glsl"

const bool IS_SCALED = false;
#include "float_operations.glsl"

// sqrt(c + an argument)
uint deviation_of(uint c, inout bool good)
{
    uint variance = add_fast(c, parameters.arguments[1].x, good);
    good = good && math_sqrt_is_common(variance);
    return math_sqrt_common(variance);
}

// As float_operation_fast(), with fewer questions: a difference that may be divided is at least 2^-100, so that nothing flushed
// can have mattered to it, and the quotient is no denormal, as scale_fast() wants it. A difference of 0 is common in FLOAT16.
uint compute_fast(uint a, uint b, uint deviation, uint d, uint e, inout bool good)
{
    precise float difference = uintBitsToFloat(a) - uintBitsToFloat(b);
    uint dividend = floatBitsToUint(difference);
    bool is_zero = IS_EXACT && (dividend << 1) == 0;
    good = good && math_divide_is_common(is_zero ? ONE : dividend, deviation);
    uint quotient = is_zero ? dividend : math_divide_common(dividend, deviation);
    return float_function_fast(scale_fast(quotient, d, e, good), good);
}

uint compute_slow(uint a, uint b, uint c, uint d, uint e)
{
    uint quotient = float_operation_slow(a, b, c);
    return float_function_slow(math_add(math_multiply(d, quotient), e));
}

// deviation: of c where it is as the item's first, as it mostly is.
void compute_pair(uint k, uint first, uint deviation, inout bool good)
{
    uvec2 a = pair_a(k);
    uvec2 b = pair_b(k);
    uvec2 c = pair_c(k);
    uvec2 deviations = uvec2(deviation);
    if (c.x != first)
        deviations.x = deviation_of(c.x, good);
    if (c.y != first)
        deviations.y = deviation_of(c.y, good);
    uvec2 d = pair_d(k);
    uvec2 e = pair_e(k);
    uvec2 result = uvec2(compute_fast(a.x, b.x, deviations.x, d.x, e.x, good),
                         compute_fast(a.y, b.y, deviations.y, d.y, e.y, good));
    uint word = k * BITS_OUT >> 5;
    if (TYPE_OUT == FLOAT16) {
        packed_out[0][word] = narrow_to_halves(result, good);
    } else {
        packed_out[0][word] = IS_EXACT ? canonical(result.x) : result.x;
        packed_out[0][word + 1] = IS_EXACT ? canonical(result.y) : result.y;
    }
}

// By no loop, for the reason that map_words.glsl gives.
bool compute_item()
{
    bool good = true;
    packed_out[0] = uvec4(0);
    uint first = pair_c(0).x;
    uint deviation = deviation_of(first, good);
    compute_pair(0, first, deviation, good);
    if (ITEM > 2)
        compute_pair(2, first, deviation, good);
    if (ITEM > 4) {
        compute_pair(4, first, deviation, good);
        compute_pair(6, first, deviation, good);
    }
    return good;
}

uint compute_element()
{
    uint result = compute_slow(single_a(), single_b(), single_c(), single_d(), single_e());
    return TYPE_OUT == FLOAT16 ? narrow_to_half(result) : result;
}

#include "map_main.glsl"
