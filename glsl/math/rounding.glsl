// To integers, by their bits.
#include "paths.glsl"
#include "prelude.glsl"
#ifndef VKDML_MATH_ROUNDING
#define VKDML_MATH_ROUNDING

// The bits behind the point of a magnitude that is at least 1.
MATH uint math_fraction(uint magnitude)
{
    return 0x7FFFFFu >> math_min((magnitude >> 23) - 127u, 23u);
}

MATH bool math_truncate_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x7F800000u;
}

MATH uint math_truncate_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    return magnitude < 0x3F800000u ? x & 0x80000000u : x & ~math_fraction(magnitude);
}

MATH_ELSE_NAN(truncate)

MATH bool math_floor_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x7F800000u;
}

MATH uint math_floor_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    uint fraction = math_fraction(magnitude);
    uint whole = (x + (x > 0x80000000u ? fraction : 0u)) & ~fraction;
    uint small = x > 0x80000000u ? 0xBF800000u : x & 0x80000000u;
    return magnitude < 0x3F800000u ? small : whole;
}

MATH_ELSE_NAN(floor)

MATH bool math_ceil_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x7F800000u;
}

MATH uint math_ceil_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    uint fraction = math_fraction(magnitude);
    bool is_positive = math_int(x) > 0;
    uint whole = (x + (is_positive ? fraction : 0u)) & ~fraction;
    uint small = is_positive ? 0x3F800000u : x & 0x80000000u;
    return magnitude < 0x3F800000u ? small : whole;
}

MATH_ELSE_NAN(ceil)

MATH bool math_round_even_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x7F800000u;
}

// To a multiple of its last place, which is 1, the addition rounds.
MATH uint math_round_even_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    precise float whole = (uintBitsToFloat(magnitude) + 8388608.0f) - 8388608.0f;
    return (magnitude < 0x4B000000u ? floatBitsToUint(whole) : magnitude) | (x & 0x80000000u);
}

MATH_ELSE_NAN(round_even)

MATH bool math_round_away_is_common(uint x)
{
    return (x & 0x7FFFFFFFu) <= 0x7F800000u;
}

MATH uint math_round_away_common(uint x)
{
    uint magnitude = x & 0x7FFFFFFFu;
    uint fraction = math_fraction(magnitude);
    uint whole = (x + ((fraction + 1u) >> 1)) & ~fraction;
    uint small = (x & 0x80000000u) | (magnitude >= 0x3F000000u ? 0x3F800000u : 0u);
    return magnitude < 0x3F800000u ? small : whole;
}

MATH_ELSE_NAN(round_away)

#endif
