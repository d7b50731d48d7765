// Division by numbers that are the same for all invocations.
#ifndef VKDML_DIVISION_GLSL
#define VKDML_DIVISION_GLSL

// n / d for any 32-bit n and d, where multiplier and shifts (s1 + 256 s2) are what vkdml_divisor() made of d. Four
// times as fast as native division on lavapipe.
uint divide(uint n, uint multiplier, uint shifts)
{
    uint high, low;
    umulExtended(multiplier, n, high, low);
    return (high + ((n - high) >> (shifts & 0xFF))) >> (shifts >> 8);
}

uvec4 divide(uvec4 n, uint multiplier, uint shifts)
{
    uvec4 high, low;
    umulExtended(uvec4(multiplier), n, high, low);
    return (high + ((n - high) >> (shifts & 0xFF))) >> (shifts >> 8);
}

// n / d for n below 2^31 and d above 1, where multiplier and shift are what vkdml_short_divisor() made of d.
uint divide_short(uint n, uint multiplier, uint shift)
{
    uint high, low;
    umulExtended(multiplier, n, high, low);
    return high >> shift;
}

// Declares the coordinate of a dimension, of what counts coordinates in row-major order: from the innermost on each
// takes its own off what is left. The outermost has all of it, and is not divided by its size.
#define TAKE_COORDINATE(coordinate, left, is_outermost, size, multiplier, shifts)                                      \
    uint coordinate = left;                                                                                            \
    if (!(is_outermost)) {                                                                                             \
        left = divide(left, multiplier, shifts);                                                                       \
        coordinate -= left * (size);                                                                                   \
    }

#endif
