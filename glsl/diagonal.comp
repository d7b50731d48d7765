// Fills a band of diagonals with a value and the rest with the input, or with zeros. The row is x, the innermost outer
// dimension y. arguments: value (low, high word), first and last diagonal x - y of the band, as signed integers.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"

layout(constant_id = 3) const bool HAS_INPUT = false;
layout(constant_id = 4) const bool INVERT = false; // fill what is outside the band

// x - y >= d and x - y <= d, for differences beyond 32 bits
bool difference_at_least(uint x, uint y, int d)
{
    return d >= 0 ? x >= y && x - y >= uint(d) : x >= y || y - x <= uint(-d);
}

bool difference_at_most(uint x, uint y, int d)
{
    return d >= 0 ? x <= y || x - y <= uint(d) : x <= y && y - x >= uint(-d);
}

uint row_input;
uint y;

void begin_row(uint row, uvec4 coordinates[2])
{
    y = coordinates[(RANK - 1) >> 2][(RANK - 1) & 3];
    row_input = 0;
    if (HAS_INPUT) {
        for (uint d = 0; d < RANK; ++d)
            row_input += coordinates[d >> 2][d & 3] * parameters.input_strides[d >> 2][d & 3];
    }
}

uvec4 element(uint x)
{
    bool inside = difference_at_least(x, y, int(parameters.arguments.z)) &&
                  difference_at_most(x, y, int(parameters.arguments.w));
    if (inside != INVERT)
        return uvec4(parameters.arguments.xy, 0, 0);
    return HAS_INPUT ? load_element(row_input + x * parameters.row_input_stride) : uvec4(0);
}

#include "gather_main.glsl"
