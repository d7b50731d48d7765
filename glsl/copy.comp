// Moves elements between two layouts, as bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_input.glsl"

void begin_row(uvec4 coordinates[2])
{
    begin_input_row(coordinates);
}

uvec2 element(uint x)
{
    return input_element(x);
}

bool chunk(uint x, out uvec4 bits)
{
    return input_chunk(x, bits);
}

#include "gather_main.glsl"
