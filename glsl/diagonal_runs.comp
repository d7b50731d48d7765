// diagonal.comp for CPUs.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_runs.glsl"

layout(constant_id = 7) const bool HAS_INPUT = false;
layout(constant_id = 8) const bool INVERT = false; // fill what is outside the band
const bool READS_INPUT = HAS_INPUT;
const bool FILLS = true;

uint band_begin; // the row's elements that lie on the band's diagonals
uint band_end;

// y + d within 0 to 2^32-1
uint saturated_sum(uint y, int d)
{
    if (d < 0)
        return y - min(y, uint(-d));
    return y + min(~y, uint(d));
}

void begin_row(uvec4 coordinates[2])
{
    uint y = coordinates[(RANK - 1) >> 2][(RANK - 1) & 3];
    int low = int(parameters.arguments.z);
    int high = int(parameters.arguments.w);
    band_begin = saturated_sum(y, low);
    band_end = high < 0 && y < uint(-high) ? 0 : saturated_sum(saturated_sum(y, high), 1);
    band_end = low > high ? band_begin : max(band_begin, band_end);
    if (HAS_INPUT)
        begin_input_row(coordinates);
}

Segment segment(uint x)
{
    bool inside = x >= band_begin && x < band_end;
    uint count = (x < band_begin && band_begin < band_end ? band_begin : inside ? band_end : 0xFFFFFFFFu) - x;
    if (inside != INVERT)
        return fill(count, parameters.arguments.xy);
    if (HAS_INPUT)
        return input_segment(count, row_input + x * parameters.row_input_stride);
    return fill(count, uvec2(0));
}

#include "gather_runs_main.glsl"
