// Powers of FLOAT16's grade: see half.glsl.
#include "half_exponential.glsl"
#include "power.glsl"
#include "prelude.glsl"
#ifndef VKDML_MATH_HALF_POWER
#define VKDML_MATH_HALF_POWER

// x positive and no infinity, which is below 2^31 in FLOAT16, and |y| below that: it may be any FLOAT32.
MATH bool math_half_pow_is_common(uint x, uint y)
{
    return math_max(x - 0x00800000u, y & 0x7FFFFFFFu) < 0x4F000000u;
}

// 2^(y * log2(x)), the logarithm within 2^-19 of it: from -26 to 17, which is 0 and infinity in FLOAT16, that is little
// enough.
MATH uint math_half_pow_common(uint x, uint y)
{
    uint k = (x - 0x3F2AAAABu) & 0xFF800000u;
    precise float f = uintBitsToFloat(x - k) - 1.0f;
    precise float l = f * 0.24619974f - 0.27999404f;
    l = l * f + 0.28569245f;
    l = l * f - 0.35838935f;
    l = l * f + 0.48096091f;
    l = l * f - 0.72137988f;
    l = l * f + 1.44269478f;
    precise float product = (l * f + math_float(math_int(k)) * 1.1920929e-7f) * uintBitsToFloat(y);
    precise float t = math_half_clamped(floatBitsToUint(product), 0x41880000u, 0xC1D00000u);
    return floatBitsToUint(math_half_power_of_two(t));
}

MATH uint math_half_pow(uint x, uint y)
{
    return math_half_pow_is_common(x, y) ? math_half_pow_common(x, y) : math_pow(x, y);
}

#endif
