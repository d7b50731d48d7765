// Moves elements between two layouts, as bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"

uint row_input;

void begin_row(uint row, uvec4 coordinates[2])
{
    row_input = 0;
    for (uint d = 0; d < RANK; ++d)
        row_input += coordinates[d >> 2][d & 3] * parameters.input_strides[d >> 2][d & 3];
}

uvec4 element(uint i)
{
    return load_element(row_input + i * parameters.row_input_stride);
}

#include "gather_main.glsl"
