// Logarithms.
#include "paths.glsl"
#include "prelude.glsl"
#ifndef VKDML_MATH_LOGARITHM
#define VKDML_MATH_LOGARITHM

// A number is 2^k * (1 + f), its significand between sqrt(1/2) and sqrt(2). This is k * 2^23 of a number's bits.
MATH uint math_log_exponent(uint bits)
{
    return (bits - 0x3F3504F3u) & 0xFF800000u;
}

// ln(1 + f) - f
MATH float math_log_polynomial(float f)
{
    precise float p = f * 0.0870035887f - 0.142669216f;
    p = p * f + 0.149145141f;
    p = p * f - 0.165776536f;
    p = p * f + 0.199631006f;
    p = p * f - 0.250013351f;
    p = p * f + 0.333339095f;
    p = p * f - 0.5f;
    precise float ff = f * f;
    p = p * ff;
    return p;
}

// ln(2^k * (1 + f)), k given as k * 2^23: of ln(2), too, the first part has 16 bits.
MATH float math_log_sum(float k, float f)
{
    precise float tail = k * 1.70303198e-13f + math_log_polynomial(f);
    precise float result = (tail + f) + k * 8.26294126e-8f;
    return result;
}

MATH bool math_log_is_common(uint x)
{
    return x - 0x00800000u < 0x7F000000u;
}

MATH uint math_log_common(uint x)
{
    uint k = math_log_exponent(x);
    precise float f = uintBitsToFloat(x - k) - 1.0f;
    return floatBitsToUint(math_log_sum(math_float(math_int(k)), f));
}

// A denormal number times 2^149: an integer.
MATH uint math_denormal(uint x)
{
    return floatBitsToUint(math_float(math_int(x)));
}

MATH uint math_log_rare(uint x)
{
    if (math_is_zero(x))
        return 0xFF800000u;
    if (x >= 0x7F800000u)
        return x == 0x7F800000u ? x : 0x7FC00000u;
    uint bits = math_denormal(x);
    uint k = math_log_exponent(bits);
    precise float f = uintBitsToFloat(bits - k) - 1.0f;
    precise float biased = math_float(math_int(k)) - 1249902592.0f; // 149 * 2^23
    return floatBitsToUint(math_log_sum(biased, f));
}

MATH_OF_PATHS(log)

// log2(2^k * (1 + f)), k given as k * 2^23.
MATH float math_log2_sum(float k, float f)
{
    precise float p = f * 0.126211405f - 0.207067534f;
    p = p * f + 0.215453297f;
    p = p * f - 0.238962829f;
    p = p * f + 0.287951738f;
    p = p * f - 0.360703707f;
    p = p * f + 0.480909079f;
    p = p * f - 0.721347332f;
    p = p * f + 1.44269502f;
    precise float result = p * f + k * 1.1920929e-7f;
    return result;
}

MATH bool math_log2_is_common(uint x)
{
    return x - 0x00800000u < 0x7F000000u;
}

MATH uint math_log2_common(uint x)
{
    uint k = math_log_exponent(x);
    precise float f = uintBitsToFloat(x - k) - 1.0f;
    return floatBitsToUint(math_log2_sum(math_float(math_int(k)), f));
}

MATH uint math_log2_rare(uint x)
{
    if (math_is_zero(x))
        return 0xFF800000u;
    if (x >= 0x7F800000u)
        return x == 0x7F800000u ? x : 0x7FC00000u;
    uint bits = math_denormal(x);
    uint k = math_log_exponent(bits);
    precise float f = uintBitsToFloat(bits - k) - 1.0f;
    precise float biased = math_float(math_int(k)) - 1249902592.0f; // 149 * 2^23
    return floatBitsToUint(math_log2_sum(biased, f));
}

MATH_OF_PATHS(log2)

// Where 1 + x rounds to a positive number below 2^126.
MATH bool math_log1p_is_common(uint x)
{
    precise float sum = 1.0f + uintBitsToFloat(x);
    return floatBitsToUint(sum) - 1u < 0x7E800000u - 1u;
}

// 1 + x = 2^k * (1 + f), but f from x itself and 2^-k, so that it is rounded once.
MATH uint math_log1p_common(uint x)
{
    precise float a = uintBitsToFloat(x);
    precise float sum = 1.0f + a;
    uint k = math_log_exponent(floatBitsToUint(sum));
    precise float scale = uintBitsToFloat(0x3F800000u - k);
    precise float f = a * scale + (scale - 1.0f);
    precise float result = math_log_sum(math_float(math_int(k)), f);
    return (x & 0x7FFFFFFFu) < 0x33800000u ? x : floatBitsToUint(result); // below 2^-24 x is nearer
}

MATH uint math_log1p_rare(uint x)
{
    return x == 0xBF800000u ? 0xFF800000u : math_log(x);
}

MATH_OF_PATHS(log1p)

#endif
