// Moves elements between two layouts, as bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_input.glsl"

struct Row {
    uint base;
};

Row begin_row()
{
    return Row(0);
}

void enter(inout Row row, uint d, uint coordinate)
{
    row.base += input_distance(d, coordinate);
}

uvec2 element(Row row, uint x)
{
    return input_element(row.base, x);
}

bool has_chunk(Row row, uint x)
{
    return has_input_chunk();
}

uvec4 chunk(Row row, uint x)
{
    return input_chunk(row.base, x);
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
