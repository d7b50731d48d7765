// What glsl/math/ needs of the language: this is GLSL's half, src/math/prelude.h is C's, which has the same names.
#ifndef VKDML_MATH_PRELUDE
#define VKDML_MATH_PRELUDE

#define MATH

uint math_multiply_high(uint a, uint b)
{
    uint high, low;
    umulExtended(a, b, high, low);
    return high;
}

// x must not be 0.
uint math_leading_zeros(uint x)
{
    return uint(31 - findMSB(x));
}

#ifdef VKDML_TYPES_GLSL
const bool MATH_KEEPS_DENORMALS = (FLOAT_CONTROLS & 4u) != 0;
#else
const bool MATH_KEEPS_DENORMALS = false;
#endif

// Whether a number is zero, of either sign: see math.glsl. Along z there is one workgroup, as no compiler knows. Where
// denormals are kept a comparison of floats is as good.
bool math_is_zero(uint x)
{
    return (x << 1) == (MATH_KEEPS_DENORMALS ? 0u : gl_NumWorkGroups.z >> 1);
}

uint math_min(uint a, uint b)
{
    return min(a, b);
}

uint math_max(uint a, uint b)
{
    return max(a, b);
}

// Of x and y as numbers with a sign.
uint math_min_signed(uint a, uint b)
{
    return uint(min(int(a), int(b)));
}

int math_int(uint x)
{
    return int(x);
}

uint math_uint(int x)
{
    return uint(x);
}

// The device's: within 2 ULP.
float math_inverse_root(float x)
{
    return inversesqrt(x);
}

// |x| at most 2^24: exact.
float math_float(int x)
{
    return float(x);
}

// Of an integer.
int math_round(float x)
{
    return int(x);
}

#endif
