// Conversions between integers of up to 32 bits and FLOAT32, and what is made of them.
#ifndef VKDML_CONVERSIONS_GLSL
#define VKDML_CONVERSIONS_GLSL

// Rounded to nearest even.
uint float_of_integer(uint x, bool signs)
{
    return floatBitsToUint(signs ? float(int(x)) : float(x));
}

// Truncated toward zero and saturated; NaN gives 0.
uint integer_of_float(uint x, uint bits, bool signs)
{
    uint magnitude = x & ~SIGN_BIT;
    uint significand = (magnitude & 0x7FFFFF) | 0x800000;
    uint exponent = magnitude >> 23; // of 2^-150 times the significand
    uint whole = exponent < 127   ? 0
                 : exponent < 150 ? significand >> (150 - exponent)
                                  : significand << min(exponent - 150, 8);
    return is_nan(x) ? 0 : saturated((x & SIGN_BIT) != 0, whole, exponent >= 159, bits, signs);
}

// The same by the device where it is defined: of numbers that fit 31 bits.
uint integer_of_float_fast(uint x, uint bits, bool signs, inout bool good)
{
    good = good && (x & ~SIGN_BIT) < 0x4F000000u;
    int whole = int(uintBitsToFloat(x));
    return saturated(whole < 0, uint(abs(whole)), false, bits, signs);
}

const bool TO_INTEGERS = BOTH(FLOATS, FLOATS_OUT ? false : true);

uint cast_fast(uint a, inout bool good)
{
    if (TO_INTEGERS)
        return integer_of_float_fast(a, BITS_OUT, SIGNS_OUT, good);
    if (FLOATS) {
        good = good && !is_nan(a);
        return a;
    }
    return FLOATS_OUT ? float_of_integer(a, SIGNS) : a;
}

uint cast_slow(uint a)
{
    if (TO_INTEGERS)
        return integer_of_float(a, BITS_OUT, SIGNS_OUT);
    if (FLOATS)
        return canonical(a);
    return FLOATS_OUT ? float_of_integer(a, SIGNS) : a;
}

uint quantized(int rounded, uint zero_point)
{
    int least = SIGNS_OUT ? -int((OUT_MASK >> 1) + 1) : 0;
    int most = SIGNS_OUT ? int(OUT_MASK >> 1) : int(OUT_MASK);
    return uint(clamp(rounded + int(zero_point), least, most));
}

const bool DIVIDES_EXACTLY = EITHER(IS_SERIAL, TYPE_A == FLOAT16);
const bool DIVIDES_HALVES = BOTH(TYPE_A == FLOAT16, TYPE_B == FLOAT16);

// x / scale, rounded, and that rounded to an integer, halves to even; plus the zero point, in the range of the type.
// Which integer it is shows without exact division, but near halves: the device's reciprocal and a product are off by
// less than a 2^-21st, where scale is far from the ends of the range and nothing that is flushed is of weight. CPUs
// would do both. Of FLOAT16 halves are common, and their quotient is exact where it is a half, and off by less than a
// 2^-23rd elsewhere: up to 256 no half is as near. Beyond that the zero point does not bring it back into the range of
// 8 bits.
uint quantize_fast(uint x, uint scale, uint zero_point, inout bool good)
{
    if (!FLOATS)
        x = float_of_integer(x, SIGNS);
    uint quotient;
    if (DIVIDES_EXACTLY) {
        if (DIVIDES_HALVES) {
            good = good && math_half_divide_is_common(x, scale);
            quotient = math_half_divide_common(x, scale);
        } else {
            quotient = divide_fast(x, scale, good);
        }
        good = good && (quotient & ~SIGN_BIT) < 0x4A000000u; // 2^21
    } else {
        precise float product = uintBitsToFloat(x) * (1.0 / uintBitsToFloat(scale));
        quotient = floatBitsToUint(product);
    }
    precise float shifted = uintBitsToFloat(quotient) + 12582912.0; // 3 * 2^22: the integer stands in the lowest bits
    if (!DIVIDES_EXACTLY) {
        precise float whole = shifted - 12582912.0;
        precise float rest =
            abs(uintBitsToFloat(quotient) - whole) + abs(uintBitsToFloat(quotient)) * (1.0 / 2097152.0);
        good = good && rest < 0.5 && (scale & ~SIGN_BIT) - 0x0D800000u < 0x64000000u; // 2^-100 to 2^100
    }
    return quantized(int(floatBitsToUint(shifted) - 0x4B400000u), zero_point);
}

uint quantize_slow(uint x, uint scale, uint zero_point)
{
    if (!FLOATS)
        x = float_of_integer(x, SIGNS);
    uint rounded = math_round_even(math_divide(x, scale));
    return quantized(int(integer_of_float(rounded, 21, true)), zero_point);
}

// x - zero_point, exactly, as a number. Of 32 bits it may need 33.
uint difference_of_integers(uint x, uint zero_point)
{
    if (BITS_A < 32)
        return float_of_integer(x - zero_point, true);
    bool negative = SIGNS ? int(x) < int(zero_point) : x < zero_point;
    uint magnitude = float_of_integer(negative ? zero_point - x : x - zero_point, false);
    return (negative ? SIGN_BIT : 0) | magnitude;
}

// (x - zero_point) * scale
uint dequantize_fast(uint x, uint scale, uint zero_point, inout bool good)
{
    return multiply_fast(difference_of_integers(x, zero_point), scale, good);
}

uint dequantize_slow(uint x, uint scale, uint zero_point)
{
    return math_multiply(difference_of_integers(x, zero_point), scale);
}

#endif
