// copy.comp for CPUs.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_runs.glsl"

const bool READS_INPUT = true;
const bool FILLS = REPEATED;

void begin_row(uvec4 coordinates[2])
{
    begin_input_row(coordinates);
}

Segment segment(uint x)
{
    return input_segment(0xFFFFFFFFu, row_input + x * parameters.row_input_stride);
}

#include "gather_runs_main.glsl"
