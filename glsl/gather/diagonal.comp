// Fills a band of diagonals with a value and the rest with the input, or with zeros. arguments: value (low, high word),
// the first diagonal x - y of the band, and how many more than one it has. Differences are taken modulo 2^32, which is
// exact: those of a matrix, which the band's are among, are no more than its elements.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_input.glsl"
#include "band.glsl"

struct Row {
    uint difference; // from the band's first diagonal; x of the row is to be added
    uint base;
};

Row begin_row()
{
    return Row(-parameters.arguments.z, 0);
}

void enter(inout Row row, uint d, uint coordinate)
{
    row.difference += step_of(d) * coordinate;
    if (HAS_INPUT)
        row.base += input_distance(d, coordinate);
}

uint difference_at(Row row, uint x)
{
    return row.difference + step_of(RANK) * x;
}

uvec2 element(Row row, uint x)
{
    uvec2 bits = parameters.arguments.xy & ELEMENT_MASK;
    if (in_band(difference_at(row, x)) == INVERT)
        bits = HAS_INPUT ? input_element(row.base, x) : uvec2(0);
    return bits;
}

// Chunks are the band's affair, or go element by element.
bool has_chunk(Row row, uint x)
{
    return false;
}

uvec4 chunk(Row row, uint x)
{
    return uvec4(0);
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

#define HAS_BAND
const bool IN_TWO_ROWS = ROWS == LONG && INPUT_ROWS != APART;
const bool IN_PARTS = SOURCE != INPUT || IN_TWO_ROWS;
#include "gather_main.glsl"
