// Fills a band of diagonals with a value and the rest with the input, or with zeros. The row is x, the innermost outer
// dimension y. arguments: value (low, high word), first and last diagonal x - y of the band, as signed integers.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_input.glsl"

layout(constant_id = 7) const bool HAS_INPUT = false;
layout(constant_id = 8) const bool INVERT = false; // fill what is outside the band

// x - y >= d and x - y <= d, for differences beyond 32 bits
bool difference_at_least(uint x, uint y, int d)
{
    return d >= 0 ? x >= y && x - y >= uint(d) : x >= y || y - x <= uint(-d);
}

bool difference_at_most(uint x, uint y, int d)
{
    return d >= 0 ? x <= y || x - y <= uint(d) : x <= y && y - x >= uint(-d);
}

struct Row {
    uint y;
    uint base;
};

Row begin_row()
{
    return Row(0, 0);
}

void enter(inout Row row, uint d, uint coordinate)
{
    if (d == RANK - 1)
        row.y = coordinate;
    if (HAS_INPUT)
        row.base += input_distance(d, coordinate);
}

uvec2 element(Row row, uint x)
{
    bool inside = difference_at_least(x, row.y, int(parameters.arguments.z)) &&
                  difference_at_most(x, row.y, int(parameters.arguments.w));
    uvec2 bits = parameters.arguments.xy & ELEMENT_MASK;
    if (inside == INVERT)
        bits = HAS_INPUT ? input_element(row.base, x) : uvec2(0);
    return bits;
}

bool has_chunk(Row row, uint x)
{
    return !HAS_INPUT || has_input_chunk();
}

// How many of the elements from x on lie before diagonal d.
uint elements_before(uint x, uint y, int d)
{
    // Where x is less than y + d it is by less than 2^32: rows of more than one element are fewer than 2^31.
    return difference_at_least(x, y, d) ? 0 : min(y + uint(d) - x, CHUNK);
}

uvec4 chunk(Row row, uint x)
{
    int last = int(parameters.arguments.w);
    // The element behind the band is x' = y + last + 1; past diagonal 2^31 - 1 it is told by the difference alone.
    uint first = elements_before(x, row.y, int(parameters.arguments.z));
    uint end = difference_at_most(x, row.y, last) ? min(row.y + uint(last) - x, CHUNK - 1) + 1 : 0;
    uvec4 mask = end > first ? mask_elements(first, end) : uvec4(0);
    mask = INVERT ? ~mask : mask;
    uvec4 value = repeat(parameters.arguments.xy);
    uvec4 other = uvec4(0);
    if (HAS_INPUT && any(notEqual(mask, uvec4(0xFFFFFFFFu))))
        other = input_chunk(row.base, x);
    return (value & mask) | (other & ~mask);
}

const bool CONVERTS = false;

uvec2 convert(uvec2 element)
{
    return element;
}

bool convert_at_once(uvec4 bits, out uvec4 converted)
{
    converted = bits;
    return false;
}

#include "gather_main.glsl"
