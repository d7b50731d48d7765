// padding.comp for CPUs, where every element of the rim mirrors or repeats the input once at most.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_runs.glsl"

// As in C: DML_PADDING_MODE_...
const uint CONSTANT = 0;
const uint EDGE = 1;
const uint REFLECTION = 2;
const uint SYMMETRIC = 3;
const uint WRAP = 4;
layout(constant_id = 7) const uint MODE = CONSTANT;

const bool READS_INPUT = true;
const bool FILLS = MODE == CONSTANT || MODE == EDGE;

// The input coordinate that output coordinate `c` takes its value from; with CONSTANT only where there is one.
uint source_coordinate(uint c, uint start, uint size)
{
    bool before = c < start;
    if (!before && c - start < size)
        return c - start;
    switch (MODE) {
    case EDGE:
        return before ? 0 : size - 1;
    case REFLECTION:
        return before ? start - c : 2 * (size - 1) - (c - start);
    case SYMMETRIC:
        return before ? start - c - 1 : 2 * size - 1 - (c - start);
    default:
        return before ? size - (start - c) : c - start - size;
    }
}

bool row_outside;

void begin_row(uvec4 coordinates[2])
{
    row_input = 0;
    row_outside = false;
    for (uint d = 0; d < RANK; ++d) {
        uint c = coordinates[d >> 2][d & 3];
        uint start = parameters.starts[d >> 2][d & 3];
        uint size = parameters.input_sizes[d >> 2][d & 3];
        row_outside = row_outside || (MODE == CONSTANT && (c < start || c - start >= size));
        row_input += source_coordinate(c, start, size) * parameters.input_strides[d >> 2][d & 3];
    }
}

Segment segment(uint x)
{
    uint start = parameters.row_start;
    uint size = parameters.row_input_size;
    bool before = x < start;
    bool inside = !before && x - start < size;
    uint count = (before ? start : inside ? start + size : 0xFFFFFFFFu) - x;
    if (MODE == CONSTANT && (row_outside || !inside)) {
        Segment rim = fill(row_outside ? 0xFFFFFFFFu : count, parameters.arguments.xy);
        rim.beyond = min(start - min(start, parameters.row_origin), parameters.row_length - 1);
        return rim;
    }
    uint distance = row_input + source_coordinate(x, start, size);
    if (!inside && MODE == EDGE)
        return fill(count, load_element(distance));
    if (!inside && (MODE == REFLECTION || MODE == SYMMETRIC))
        return backward(count, distance);
    return forward(count, distance);
}

#include "gather_runs_main.glsl"
