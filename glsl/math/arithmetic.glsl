// Sum, difference, product, quotient, reciprocal and square root, correctly rounded.
#include "prelude.glsl"
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
    if (math_is_zero(magnitude))
        return x & y;
    // In units of 2^-6 of the larger one's last place; the last bit is set where something is lost.
    uint exponent = math_max(magnitude >> 23, 1u);
    uint distance = exponent - math_max(addend >> 23, 1u);
    uint sum = ((magnitude & 0x7FFFFFu) | (magnitude < 0x00800000u ? 0u : 0x800000u)) << 6;
    uint term = ((addend & 0x7FFFFFu) | (addend < 0x00800000u ? 0u : 0x800000u)) << 6;
    if (distance > 31u)
        term = math_is_zero(addend) ? 0u : 1u;
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
    return magnitude - (2u << 24) < 253u << 24 || (math_is_zero(product) && (math_is_zero(x) || math_is_zero(y)));
}

MATH uint math_multiply_rare(uint x, uint y)
{
    uint sign = (x ^ y) & 0x80000000u;
    uint larger = math_max(x & 0x7FFFFFFFu, y & 0x7FFFFFFFu);
    bool has_zero = math_is_zero(x) || math_is_zero(y);
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

// What a short path gives where it is not sure.
#define MATH_UNSURE 0x7FC00000u

// What an exact result lies between, or is.
struct math_bounds {
    float low;
    float high;
};

// An estimate and what is missing from it, known to 2^-20 of itself. Where the sum rounds to one number either way, it
// is that.
MATH math_bounds math_corrected(float estimate, float missing)
{
    precise float low = estimate + missing * 0.99999905f;
    precise float high = estimate + missing * 1.00000095f;
    math_bounds bounds;
    bounds.low = low;
    bounds.high = high;
    return bounds;
}

MATH uint math_agreed(math_bounds bounds)
{
    uint low = floatBitsToUint(bounds.low);
    return low == floatBitsToUint(bounds.high) ? low : MATH_UNSURE;
}

// A number's upper 12 bits; the rest has 11 and a sign. The number is below 2^115.
MATH float math_upper(float x)
{
    precise float scaled = x * 4097.0f;
    precise float upper = scaled - (scaled - x);
    return upper;
}

struct math_divisor {
    float value;
    float upper;
    float lower;
    float inverse; // within 2^-20.8: the device's inverse roots are within 2 ULP, as Vulkan demands
};

MATH math_divisor math_divisor_of(uint y)
{
    math_divisor by;
    precise float value = uintBitsToFloat(y);
    precise float upper = math_upper(value);
    precise float lower = value - upper;
    precise float root = math_inverse_root(uintBitsToFloat(y & 0x7FFFFFFFu));
    precise float inverse = uintBitsToFloat(floatBitsToUint(root * root) | (y & 0x80000000u));
    by.value = value;
    by.upper = upper;
    by.lower = lower;
    by.inverse = inverse;
    return by;
}

// The estimate is within 10 ULP, so all but the last of these differences are exact: those of the dividend and the
// products of estimate and divisor, each of the two in halves.
MATH math_bounds math_quotient_bounds(uint x, math_divisor by)
{
    precise float n = uintBitsToFloat(x);
    precise float q = n * by.inverse;
    precise float upper = math_upper(q);
    precise float lower = q - upper;
    precise float rest = n - upper * by.upper;
    rest = rest - upper * by.lower;
    rest = rest - lower * by.upper;
    rest = rest - lower * by.lower;
    rest = rest * by.inverse;
    return math_corrected(q, rest);
}

MATH uint math_divide_common(uint x, uint y)
{
    return math_agreed(math_quotient_bounds(x, math_divisor_of(y))) | ((x ^ y) & 0x80000000u); // the sign of zero, too
}

// From 2^-69 to 2^33.
MATH bool math_may_divide(uint x)
{
    return (x << 1) - (58u << 24) < 102u << 24;
}

// Both are, or the dividend is zero.
MATH bool math_divide_is_common(uint x, uint y, uint quotient)
{
    return (math_may_divide(x) || math_is_zero(x)) && math_may_divide(y) && (quotient & 0x7FFFFFFFu) != MATH_UNSURE;
}

MATH uint math_divide_rare(uint x, uint y)
{
    uint sign = (x ^ y) & 0x80000000u;
    uint dividend = x & 0x7FFFFFFFu;
    uint divisor = y & 0x7FFFFFFFu;
    if (math_max(dividend, divisor) > 0x7F800000u ||
        (dividend == divisor && (math_is_zero(dividend) || dividend == 0x7F800000u)))
        return 0x7FC00000u;
    if (math_is_zero(dividend) || divisor == 0x7F800000u)
        return sign;
    if (dividend == 0x7F800000u || math_is_zero(divisor))
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
    uint quotient = math_divide_common(x, y);
    return math_divide_is_common(x, y, quotient) ? quotient : math_divide_rare(x, y);
}

MATH uint math_reciprocal_common(uint x)
{
    return math_agreed(math_quotient_bounds(0x3F800000u, math_divisor_of(x)));
}

MATH bool math_reciprocal_is_common(uint x, uint reciprocal)
{
    return math_may_divide(x) && reciprocal != MATH_UNSURE;
}

MATH uint math_reciprocal_rare(uint x)
{
    return math_divide_rare(0x3F800000u, x);
}

MATH uint math_reciprocal(uint x)
{
    uint reciprocal = math_reciprocal_common(x);
    return math_reciprocal_is_common(x, reciprocal) ? reciprocal : math_reciprocal_rare(x);
}

// The device's inverse root, within 2 ULP, gives an estimate within 5. What its square leaves is exact but for the last
// difference. Of a number that is not zero.
MATH uint math_root_of_more(uint x)
{
    precise float m = uintBitsToFloat(x);
    precise float y = math_inverse_root(m);
    precise float s = m * y;
    precise float upper = math_upper(s);
    precise float lower = s - upper;
    precise float rest = m - upper * upper;
    rest = rest - upper * (lower + lower);
    rest = rest - lower * lower;
    rest = rest * (y * 0.5f);
    return math_agreed(math_corrected(s, rest));
}

// From 2^-70 to 2^127.
MATH bool math_root_is_common(uint x, uint root)
{
    return x - (57u << 23) < 197u << 23 && root != MATH_UNSURE;
}

MATH uint math_sqrt_common(uint x)
{
    return math_is_zero(x) ? x : math_root_of_more(x);
}

MATH bool math_sqrt_is_common(uint x, uint root)
{
    return math_root_is_common(x, root) || math_is_zero(x);
}

// A bit at a time, two of the number's for one of the root's.
MATH uint math_sqrt_rare(uint x)
{
    if (math_is_zero(x) || x == 0x7F800000u)
        return x;
    if (x > 0x7F800000u)
        return 0x7FC00000u;
    int exponent = math_exponent(x) - 127;
    uint digits = math_significand(x) >> ((exponent & 1) == 0 ? 1u : 0u);
    uint root = 0u;
    uint rest = 0u;
    for (int bit = 0; bit < 26; ++bit) {
        rest = (rest << 2) | (digits >> 30);
        digits = digits << 2;
        uint trial = (root << 2) | 1u;
        root = root << 1;
        if (rest >= trial) {
            rest = rest - trial;
            root = root | 1u;
        }
    }
    return math_rounded(0u, (exponent >> 1) + 127, (root << 6) | (rest == 0u ? 0u : 1u));
}

MATH uint math_sqrt(uint x)
{
    uint root = math_sqrt_common(x);
    return math_sqrt_is_common(x, root) ? root : math_sqrt_rare(x);
}

#endif
