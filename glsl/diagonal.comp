// Fills a band of diagonals with a value and the rest with the input, or with zeros. arguments: value (low, high word), the
// first diagonal x - y of the band, and how many more than one it has. Differences are taken modulo 2^32, which is exact:
// those of a matrix, which the band's are among, are no more than its elements.
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

// The bits of the elements on the band's diagonals, of 16 bytes whose first is at x.
uvec4 band_mask(Row row, uint x)
{
    uint difference = difference_at(row, x);
    bool begun = in_band(difference);
    if (step_of(RANK) == 0)
        return uvec4(begun ? 0xFFFFFFFFu : 0);
    uint first = begun ? 0 : min(-difference, CHUNK);
    uint count = min(parameters.arguments.w - (begun ? difference : 0), CHUNK - 1) + 1;
    return first == CHUNK ? uvec4(0) : mask_elements(first, min(first + count, CHUNK));
}

bool has_chunk(Row row, uint x)
{
    return SOURCE != OUTPUT && (!HAS_INPUT || has_input_chunk());
}

uvec4 chunk(Row row, uint x)
{
    uvec4 mask = band_mask(row, x);
    mask = INVERT ? ~mask : mask;
    uvec4 other = uvec4(0);
    if (HAS_INPUT && any(notEqual(mask, uvec4(0xFFFFFFFFu))))
        other = input_chunk(row.base, x);
    return mix_bits(other, repeat(parameters.arguments.xy), mask);
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
