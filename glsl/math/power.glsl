// Powers.
#include "exponential.glsl"
#include "logarithm.glsl"
#include "prelude.glsl"
#include "scaling.glsl"
#ifndef VKDML_MATH_POWER
#define VKDML_MATH_POWER

// x normal and positive, and y times a bound on x's logarithm so small that the result is normal.
MATH bool math_pow_is_common(uint x, uint y)
{
    precise float k = math_float(math_int(math_log_exponent(x))) * 1.1920929e-7f;
    precise float bound = uintBitsToFloat(floatBitsToUint(k) & 0x7FFFFFFFu) + 0.5f;
    bound = bound * uintBitsToFloat(y & 0x7FFFFFFFu);
    return x - 0x00800000u < 0x7F000000u && floatBitsToUint(bound) <= 0x42FA0000u; // 125
}

// (x * 2^(offset / 2^23))^y for normal positive x. The logarithm to base 2 is k + log2(m), m from sqrt(1/2) to sqrt(2),
// that of s = (m - 1) / (m + 1) times a polynomial. It needs some 32 bits: m, s, 2 / ln(2), y and the logarithm itself
// are cut in parts of 11 to 13 bits, whose products are exact, and what is left.
MATH uint math_pow_scaled(uint x, float offset, uint y, bool is_common)
{
    uint exponent = math_log_exponent(x);
    uint bits = x - exponent;
    precise float k = math_float(math_int(exponent)) * 1.1920929e-7f;
    if (!is_common)
        k = k - offset;
    precise float m = uintBitsToFloat(bits);
    precise float m_high = uintBitsToFloat(bits & 0xFFFFF000u);
    precise float m_low = m - m_high;
    precise float d = m + 1.0f;
    precise float inverse = 0.985045772f - 0.239007564f * d;
    inverse = inverse * (2.00011163f - d * inverse);
    inverse = inverse * (2.0f - d * inverse);
    precise float f = m - 1.0f;
    precise float s_high = uintBitsToFloat(floatBitsToUint(f * inverse) & 0xFFFFE000u);
    precise float rest = (f - s_high - s_high * m_high) - s_high * m_low;
    precise float s_low = rest * inverse;
    precise float s = s_high + s_low;
    precise float ss = s_high * s_high + (s_high + s) * s_low;
    precise float p = ss * 0.336922884f + 0.4119066f;
    p = p * ss + 0.577079058f;
    p = p * ss + 0.961796701f;
    precise float high = s_high * 2.88525391f;
    precise float low = (s_low * 2.88539004f + p * ss * s) + s_high * 0.000136175528f;

    precise float log_high = uintBitsToFloat(floatBitsToUint(k + (high + low)) & 0xFFFFF000u);
    precise float log_low = (k - log_high + high) + low;
    precise float b = uintBitsToFloat(y);
    precise float b_high = uintBitsToFloat(y & 0xFFFFF000u);
    precise float product = b_high * log_high;
    precise float product_low = (b - b_high) * log_high + b * log_low;

    precise float shifted = (product + product_low) + 12583039.0f;
    precise float n = math_shifted_integer(shifted);
    if (!is_common) {
        uint magnitude = floatBitsToUint(product) & 0x7FFFFFFFu;
        if (magnitude >= 0x43180000u) // 152
            return floatBitsToUint(product) == magnitude ? 0x7F800000u : 0u;
        precise float r = (product - n) + product_low;
        return math_scale(math_exp2_polynomial(r), math_round(n));
    }
    precise float r = (product - n) + product_low;
    precise float power = math_exp2_polynomial(r) * math_shifted_power(shifted);
    return floatBitsToUint(power);
}

MATH uint math_pow_common(uint x, uint y)
{
    return math_pow_scaled(x, 0.0f, y, true);
}

// 0: no integer, 1: an odd one, 2: an even one. Of finite numbers other than zero.
MATH uint math_parity(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    if (magnitude < 0x3F800000u)
        return 0u;
    uint exponent = (magnitude >> 23) - 127u;
    if (exponent > 23u)
        return 2u;
    uint behind = ((magnitude & 0x7FFFFFu) | 0x800000u) << exponent; // the point stands below bit 23
    return (behind & 0x7FFFFFu) != 0u ? 0u : (behind & 0x800000u) != 0u ? 1u : 2u;
}

MATH uint math_pow_rare(uint x, uint y)
{
    uint a = x & 0x7FFFFFFFu;
    uint b = y & 0x7FFFFFFFu;
    if (math_is_zero(y) || x == 0x3F800000u)
        return 0x3F800000u;
    if (a > 0x7F800000u || b > 0x7F800000u)
        return 0x7FC00000u;
    bool is_inverse = y >= 0x80000000u;
    if (b == 0x7F800000u)
        return a == 0x3F800000u ? a : (a > 0x3F800000u) == is_inverse ? 0u : 0x7F800000u;
    uint parity = math_parity(y);
    uint sign = parity == 1u ? x & 0x80000000u : 0u;
    if (math_is_zero(x) || a == 0x7F800000u)
        return sign | (math_is_zero(x) == is_inverse ? 0x7F800000u : 0u);
    if (x >= 0x80000000u && parity == 0u)
        return 0x7FC00000u;
    if (a < 0x00800000u)
        return sign | math_pow_scaled(math_denormal(a), 149.0f, y, false);
    return sign | math_pow_scaled(a, 0.0f, y, false);
}

MATH uint math_pow(uint x, uint y)
{
    return math_pow_is_common(x, y) ? math_pow_common(x, y) : math_pow_rare(x, y);
}

#endif
