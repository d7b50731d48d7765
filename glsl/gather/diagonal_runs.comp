// diagonal.comp for CPUs.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_runs.glsl"
#include "band.glsl"

const bool READS_INPUT = HAS_INPUT;
const bool FILLS = true;

uint band_begin; // the row's elements that lie on the band's diagonals
uint band_end;

void begin_row(uvec4 coordinates[2])
{
    uint difference = -parameters.arguments.z;
    for (uint d = 0; d < RANK; ++d)
        difference += step_of(d) * coordinates[d >> 2][d & 3];
    bool begun = in_band(difference);
    band_begin = begun ? 0 : -difference;
    band_end = parameters.arguments.w - (begun ? difference : 0);
    band_end = band_begin + min(band_end, 0xFFFFFFFEu - band_begin) + 1;
    if (step_of(RANK) == 0) {
        band_begin = 0;
        band_end = begun ? 0xFFFFFFFFu : 0;
    }
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
