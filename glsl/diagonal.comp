// Fills a band of diagonals with a value and the rest with the input, or with zeros. The row is x, the innermost outer
// dimension y. arguments: value (low, high word), first and last diagonal x - y of the band, as signed integers.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_input.glsl"

layout(constant_id = 5) const bool HAS_INPUT = false;
layout(constant_id = 6) const bool INVERT = false; // fill what is outside the band

// x - y >= d and x - y <= d, for differences beyond 32 bits
bool difference_at_least(uint x, uint y, int d)
{
    return d >= 0 ? x >= y && x - y >= uint(d) : x >= y || y - x <= uint(-d);
}

bool difference_at_most(uint x, uint y, int d)
{
    return d >= 0 ? x <= y || x - y <= uint(d) : x <= y && y - x >= uint(-d);
}

uint y;

void begin_row(uvec4 coordinates[2])
{
    y = coordinates[(RANK - 1) >> 2][(RANK - 1) & 3];
    if (HAS_INPUT)
        begin_input_row(coordinates);
}

uvec2 element(uint x)
{
    bool inside = difference_at_least(x, y, int(parameters.arguments.z)) &&
                  difference_at_most(x, y, int(parameters.arguments.w));
    if (inside != INVERT)
        return parameters.arguments.xy;
    return HAS_INPUT ? input_element(x) : uvec2(0);
}

bool chunk(uint x, out uvec4 bits)
{
    uint last = x + CHUNK - 1;
    int low = int(parameters.arguments.z);
    int high = int(parameters.arguments.w);
    bits = uvec4(0);
    bool outside = !difference_at_least(last, y, low) || !difference_at_most(x, y, high);
    bool inside = difference_at_least(x, y, low) && difference_at_most(last, y, high);
    if (!outside && !inside)
        return false;
    if (inside != INVERT)
        bits = repeat(parameters.arguments.xy);
    else if (HAS_INPUT)
        return input_chunk(x, bits);
    return true;
}

#include "gather_main.glsl"
