// (a - b) / sqrt(c + an argument) * d + e of floats, each step of it rounded to FLOAT32, and a function of what it
// gives.
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

const bool IS_BY_CHANNEL =
    BOTH(BOTH(ROWS_b == REPEATED, ROWS_c == REPEATED), BOTH(ROWS_d == REPEATED, ROWS_e == REPEATED));

// What is to be divided by: sqrt(c + an argument). The same for many items, mostly.
struct Deviation {
    uint variance;
    math_divisor divisor;
    bool good;
};

// Zero is not looked for: a deviation of that is not good, nor is one that a flushed denormal can matter to.
Deviation deviation_of(uint c)
{
    precise float sum = uintBitsToFloat(c) + uintBitsToFloat(parameters.arguments[1].x);
    uint variance = floatBitsToUint(sum);
    uint deviation = math_root_of_more(variance);
    bool good = math_root_is_common(variance, deviation) && math_may_divide(deviation);
    return Deviation(c, math_divisor_of(deviation), good);
}

Deviation known = Deviation(0, math_divisor(0.0, 0.0, 0.0, 0.0), false);

// As float_operation_fast(), with fewer questions: a difference that may be divided is at least 2^-69, so that nothing
// flushed can have mattered to it, and the quotient is no denormal. Differences of FLOAT16 numbers may always be, and 0
// is common there.
uint quotient_of(uint a, uint b, math_divisor by, inout bool good)
{
    precise float difference = uintBitsToFloat(a) - uintBitsToFloat(b);
    uint dividend = floatBitsToUint(difference);
    if (!IS_EXACT)
        good = good && math_may_divide(dividend);
    math_bounds bounds = math_quotient_bounds(dividend, by);
    good = good && bounds.low == bounds.high;
    return floatBitsToUint(bounds.low) | (dividend & SIGN_BIT); // that of zero, too
}

uint compute_fast(uint a, uint b, math_divisor by, uint d, uint e, inout bool good)
{
    return float_function_fast(scale_fast(quotient_of(a, b, by, good), d, e, good), good);
}

// Whether scale_fast() of a quotient can be wrong for no other reason than its result: of a scale that is no denormal.
bool may_scale(uint d)
{
    return IS_EXACT || (d & ~SIGN_BIT) - 1u >= 0x007FFFFFu;
}

uint compute_of_channel(uint a, uint b, uint d, uint e, inout bool good)
{
    precise float product = uintBitsToFloat(quotient_of(a, b, known.divisor, good)) * uintBitsToFloat(d);
    precise float sum = product + uintBitsToFloat(e);
    if (!IS_EXACT)
        good = good && math_sum_is_large(floatBitsToUint(sum));
    return float_function_fast(floatBitsToUint(sum), good);
}

uint compute_slow(uint a, uint b, uint c, uint d, uint e)
{
    uint quotient = float_operation_slow(a, b, c);
    return float_function_slow(math_add(math_multiply(d, quotient), e));
}

void put_pair(uint k, uvec2 result, inout bool good)
{
    uint word = k * BITS_OUT >> 5;
    if (TYPE_OUT == FLOAT16) {
        packed_out[0][word] = narrow_to_halves(result, good);
    } else {
        packed_out[0][word] = IS_EXACT ? canonical(result.x) : result.x;
        packed_out[0][word + 1] = IS_EXACT ? canonical(result.y) : result.y;
    }
}

void compute_pair(uint k, inout bool good)
{
    uvec2 a = pair_a(k);
    uvec2 b = pair_b(k);
    uvec2 c = pair_c(k);
    Deviation of_x = known;
    Deviation of_y = known;
    if (c.x != known.variance)
        of_x = deviation_of(c.x);
    if (c.y != known.variance)
        of_y = deviation_of(c.y);
    good = good && of_x.good && of_y.good;
    uvec2 d = pair_d(k);
    uvec2 e = pair_e(k);
    put_pair(k,
             uvec2(compute_fast(a.x, b.x, of_x.divisor, d.x, e.x, good),
                   compute_fast(a.y, b.y, of_y.divisor, d.y, e.y, good)),
             good);
}

void compute_pair_of_channel(uint k, uint b, uint d, uint e, inout bool good)
{
    uvec2 a = pair_a(k);
    put_pair(k, uvec2(compute_of_channel(a.x, b, d, e, good), compute_of_channel(a.y, b, d, e, good)), good);
}

// By no loop, for the reason that map_words.glsl gives.
bool compute_item()
{
    packed_out[0] = uvec4(0);
    uint c = pair_c(0).x;
    if (!known.good || c != known.variance)
        known = deviation_of(c);
    bool good = known.good;
    if (IS_BY_CHANNEL && is_in_one_row) {
        uint b = pair_b(0).x;
        uint d = pair_d(0).x;
        uint e = pair_e(0).x;
        good = good && may_scale(d);
        compute_pair_of_channel(0, b, d, e, good);
        if (ITEM > 2)
            compute_pair_of_channel(2, b, d, e, good);
        if (ITEM > 4) {
            compute_pair_of_channel(4, b, d, e, good);
            compute_pair_of_channel(6, b, d, e, good);
        }
        return good;
    }
    compute_pair(0, good);
    if (ITEM > 2)
        compute_pair(2, good);
    if (ITEM > 4) {
        compute_pair(4, good);
        compute_pair(6, good);
    }
    return good;
}

uint compute_element()
{
    uint result = compute_slow(single_a(), single_b(), single_c(), single_d(), single_e());
    return TYPE_OUT == FLOAT16 ? narrow_to_half(result) : result;
}

#include "map_main.glsl"
