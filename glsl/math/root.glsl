// Square roots within an ULP, by + - x alone.
#include "prelude.glsl"
#ifndef VKDML_MATH_ROOT
#define VKDML_MATH_ROOT

// The square root of m, zero or from 2^-100 to 2^100: half a straight line through its bits, once as an inverse by
// Newton's method, and twice as the root.
MATH float math_root(float m)
{
    precise float y = uintBitsToFloat(0x5F1FFFF9u - (floatBitsToUint(m) >> 1));
    y = y * (1.68191391f - 0.703952253f * m * y * y);
    precise float s = m * y;
    precise float half_y = y * 0.5f;
    s = s + half_y * (m - s * s);
    s = s + half_y * (m - s * s);
    return s;
}

#endif
