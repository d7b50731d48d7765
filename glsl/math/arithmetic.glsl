// Sum, difference, product, quotient, reciprocal and square root, correctly rounded.
#include "prelude.glsl"
#include "quotient.glsl"
#include "root.glsl"
#include "scaling.glsl"
#ifndef VKDML_MATH_ARITHMETIC
#define VKDML_MATH_ARITHMETIC

MATH uint math_add_common(uint x, uint y)
{
    precise float sum = uintBitsToFloat(x) + uintBitsToFloat(y);
    return floatBitsToUint(sum);
}

// The device's sum of what is not zero is good from 2^-100 on: what it flushed would have been lost in rounding.
MATH bool math_sum_is_large(uint sum)
{
    return (sum << 1) - (27u << 24) < 228u << 24;
}

MATH bool math_add_is_common(uint x, uint y, uint sum)
{
    return math_sum_is_large(sum) || (x | y) == 0u;
}

MATH uint math_add_rare(uint x, uint y)
{
    bool x_is_larger = (x & 0x7FFFFFFFu) > (y & 0x7FFFFFFFu);
    uint larger = x_is_larger ? x : y;
    uint smaller = x_is_larger ? y : x;
    uint magnitude = larger & 0x7FFFFFFFu;
    uint addend = smaller & 0x7FFFFFFFu;
    bool is_difference = ((x ^ y) & 0x80000000u) != 0u;
    if (magnitude >= 0x7F800000u)
        return magnitude > 0x7F800000u || (addend == magnitude && is_difference) ? 0x7FC00000u : larger;
    if (magnitude == 0u)
        return x & y;
    // In units of 2^-6 of the larger one's last place; the last bit is set where something is lost.
    uint exponent = math_max(magnitude >> 23, 1u);
    uint distance = exponent - math_max(addend >> 23, 1u);
    uint sum = ((magnitude & 0x7FFFFFu) | (magnitude < 0x00800000u ? 0u : 0x800000u)) << 6;
    uint term = ((addend & 0x7FFFFFu) | (addend < 0x00800000u ? 0u : 0x800000u)) << 6;
    if (distance > 31u)
        term = addend == 0u ? 0u : 1u;
    else if (distance != 0u)
        term = (term >> distance) | ((term << (32u - distance)) == 0u ? 0u : 1u);
    sum = is_difference ? sum - term : sum + term;
    if (sum == 0u)
        return 0u;
    uint zeros = math_leading_zeros(sum);
    return math_rounded(larger & 0x80000000u, math_int(exponent + 2u - zeros), sum << zeros);
}

MATH uint math_add(uint x, uint y)
{
    uint sum = math_add_common(x, y);
    return math_add_is_common(x, y, sum) ? sum : math_add_rare(x, y);
}

MATH uint math_subtract_common(uint x, uint y)
{
    precise float difference = uintBitsToFloat(x) - uintBitsToFloat(y);
    return floatBitsToUint(x == y ? 0.0f : difference);
}

MATH bool math_subtract_is_common(uint x, uint y, uint difference)
{
    return math_sum_is_large(difference) || (x == y && (x << 1) < 0xFF000000u);
}

MATH uint math_subtract_rare(uint x, uint y)
{
    return math_add_rare(x, y ^ 0x80000000u);
}

MATH uint math_subtract(uint x, uint y)
{
    uint difference = math_subtract_common(x, y);
    return math_subtract_is_common(x, y, difference) ? difference : math_subtract_rare(x, y);
}

MATH uint math_multiply_common(uint x, uint y)
{
    precise float product = uintBitsToFloat(x) * uintBitsToFloat(y);
    return floatBitsToUint(product) | ((x ^ y) & 0x80000000u); // the sign of zero, too
}

// The device's product is good from 2^-125 on, or where a factor is zero, and none is infinite or NaN.
MATH bool math_multiply_is_common(uint x, uint y, uint product)
{
    uint magnitude = product << 1;
    return magnitude - (2u << 24) < 253u << 24 || (math_min(x << 1, y << 1) | magnitude) == 0u;
}

MATH uint math_multiply_rare(uint x, uint y)
{
    uint sign = (x ^ y) & 0x80000000u;
    uint larger = math_max(x & 0x7FFFFFFFu, y & 0x7FFFFFFFu);
    bool has_zero = math_min(x & 0x7FFFFFFFu, y & 0x7FFFFFFFu) == 0u;
    if (larger >= 0x7F800000u)
        return larger > 0x7F800000u || has_zero ? 0x7FC00000u : sign | 0x7F800000u;
    if (has_zero)
        return sign;
    uint a = math_significand(x);
    uint b = math_significand(y);
    int exponent = math_exponent(x) + math_exponent(y) - 126;
    uint high = math_multiply_high(a, b);
    uint low = a * b;
    if (high < 0x80000000u) {
        high = (high << 1) | (low >> 31);
        low = low << 1;
        exponent = exponent - 1;
    }
    return math_rounded(sign, exponent, high | (low == 0u ? 0u : 1u));
}

MATH uint math_multiply(uint x, uint y)
{
    uint product = math_multiply_common(x, y);
    return math_multiply_is_common(x, y, product) ? product : math_multiply_rare(x, y);
}

// What to add to a quotient's significand where it may be one off: +-1 where |rest|, what it leaves of the dividend modulo
// 2^32, is more than half the divisor. Half of it is none: no quotient lies in the middle between two floats.
MATH uint math_quotient_adjustment(uint rest, uint divisor)
{
    uint twice = rest << 1;
    return math_uint((math_int(divisor + twice) >> 31) - (math_int(divisor - twice) >> 31));
}

// Both significands as numbers from 1 to 2, the quotient's from 1/2.
MATH uint math_divide_common(uint x, uint y)
{
    uint n = (x & 0x7FFFFFu) | 0x3F800000u;
    uint d = (y & 0x7FFFFFu) | 0x3F800000u;
    bool is_less = n < d;
    uint quotient = floatBitsToUint(math_quotient(uintBitsToFloat(n), uintBitsToFloat(d)));
    uint divisor = d & 0xFFFFFFu;
    uint rest = (n << (is_less ? 24u : 23u)) - (quotient - (is_less ? 0x3E800000u : 0x3F000000u)) * divisor;
    return quotient + math_quotient_adjustment(rest, divisor) + ((x - n) - (y - d));
}

// Both from 2^-100 to 2^24.
MATH bool math_divide_is_common(uint x, uint y)
{
    return math_max((x << 1) - (27u << 24), (y << 1) - (27u << 24)) < 124u << 24;
}

MATH uint math_divide_rare(uint x, uint y)
{
    uint sign = (x ^ y) & 0x80000000u;
    uint dividend = x & 0x7FFFFFFFu;
    uint divisor = y & 0x7FFFFFFFu;
    if (math_max(dividend, divisor) > 0x7F800000u || (dividend == divisor && (dividend == 0u || dividend == 0x7F800000u)))
        return 0x7FC00000u;
    if (dividend == 0u || divisor == 0x7F800000u)
        return sign;
    if (dividend == 0x7F800000u || divisor == 0u)
        return sign | 0x7F800000u;
    uint rest = math_significand(x) >> 8;
    uint by = math_significand(y) >> 8;
    int exponent = math_exponent(x) - math_exponent(y) + 127;
    if (rest < by) {
        rest = rest << 1;
        exponent = exponent - 1;
    }
    uint quotient = 0u;
    for (int bit = 0; bit < 26; ++bit) {
        quotient = quotient << 1;
        if (rest >= by) {
            rest = rest - by;
            quotient = quotient | 1u;
        }
        rest = rest << 1;
    }
    return math_rounded(sign, exponent, (quotient << 6) | (rest == 0u ? 0u : 1u));
}

MATH uint math_divide(uint x, uint y)
{
    return math_divide_is_common(x, y) ? math_divide_common(x, y) : math_divide_rare(x, y);
}

MATH bool math_reciprocal_is_common(uint x)
{
    return (x << 1) - (1u << 24) < 251u << 24; // normal, and below 2^125
}

MATH uint math_reciprocal_common(uint x)
{
    uint d = (x & 0x7FFFFFu) | 0x3F800000u;
    precise float y = math_reciprocal_estimate(uintBitsToFloat(d));
    precise float q = y + (1.0f - y * uintBitsToFloat(d)) * y;
    uint quotient = floatBitsToUint(q);
    uint divisor = d & 0xFFFFFFu;
    uint rest = (0x3E800000u - quotient) * divisor;
    return quotient + math_quotient_adjustment(rest, divisor) - (x - d);
}

MATH uint math_reciprocal_rare(uint x)
{
    return math_divide_rare(0x3F800000u, x);
}

MATH uint math_reciprocal(uint x)
{
    return math_reciprocal_is_common(x) ? math_reciprocal_common(x) : math_reciprocal_rare(x);
}

MATH bool math_sqrt_is_common(uint x)
{
    return x - 0x00800000u < 0x7F000000u || (x << 1) == 0u;
}

// The exponent is halved, its lowest bit left to the significand: a number from 1/2 to 2. Its root's significand may be one
// off; what its square leaves, modulo 2^32, tells.
MATH uint math_sqrt_common(uint x)
{
    uint m = (x & 0xFFFFFFu) | 0x3F000000u;
    uint root = floatBitsToUint(math_root(uintBitsToFloat(m)));
    uint s = root - 0x3E800000u - (x & 0x800000u);
    uint rest = (x << (150u - (m >> 23))) - s * s;
    uint up = math_uint(math_int(s - rest) >> 31);
    uint down = math_uint(math_int(s + rest - 1u) >> 31);
    uint result = root + down - up + math_uint(math_int(x - m) >> 1);
    return (x << 1) == 0u ? x : result;
}

MATH uint math_sqrt_rare(uint x)
{
    if (x >= 0x7F800000u)
        return x == 0x7F800000u ? x : 0x7FC00000u;
    uint whole = floatBitsToUint(math_float(math_int(x))); // a denormal number times 2^149
    return math_sqrt_common(whole + 0x00800000u) - (75u << 23);
}

MATH uint math_sqrt(uint x)
{
    return math_sqrt_is_common(x) ? math_sqrt_common(x) : math_sqrt_rare(x);
}

#endif
