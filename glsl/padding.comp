// Copies the input into the middle of a larger output and fills the rim.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"

// DML_PADDING_MODE's values
const uint CONSTANT = 0;
const uint EDGE = 1;
const uint REFLECTION = 2;
const uint SYMMETRIC = 3;
const uint WRAP = 4;
layout(constant_id = 5) const uint MODE = CONSTANT;

const uint OUTSIDE = 0xFFFFFFFFu; // no coordinate: a size is at most 2^32-1

// The element that a mirror image of `size` elements repeated back to back holds at `distance` from its start.
uint fold_mirrored(uint distance, uint size)
{
    uint turn = distance / size;
    uint rest = distance - turn * size;
    return (turn & 1) == 0 ? rest : size - 1 - rest;
}

// The input coordinate that output coordinate `c` takes its value from, or OUTSIDE.
uint source_coordinate(uint c, uint start, uint size)
{
    bool before = c < start;
    uint distance = before ? start - c : c - start; // from the input's first element
    if (!before && distance < size)
        return distance;
    switch (MODE) {
    case EDGE:
        return before ? 0 : size - 1;
    case REFLECTION: { // the image turns on its edge elements: period 2 (size - 1), symmetric about the first
        if (size == 1)
            return 0;
        uint turn = distance / (size - 1);
        uint rest = distance - turn * (size - 1);
        return (turn & 1) == 0 ? rest : size - 1 - rest;
    }
    case SYMMETRIC: // the edge elements are mirrored too: period 2 size
        return fold_mirrored(before ? distance - 1 : distance, size);
    case WRAP:
        return before ? size - 1 - (distance - 1) % size : distance % size;
    default:
        return OUTSIDE;
    }
}

uint row_input;
bool row_outside;

void begin_row(uvec4 coordinates[2])
{
    row_input = 0;
    row_outside = false;
    for (uint d = 0; d < RANK; ++d) {
        uint c = source_coordinate(coordinates[d >> 2][d & 3], parameters.starts[d >> 2][d & 3],
                                   parameters.input_sizes[d >> 2][d & 3]);
        row_outside = row_outside || c == OUTSIDE;
        row_input += c * parameters.input_strides[d >> 2][d & 3];
    }
}

uvec2 element(uint x)
{
    uint c = source_coordinate(x, parameters.row_start, parameters.row_input_size);
    if (row_outside || c == OUTSIDE)
        return parameters.arguments.xy;
    return load_element(row_input + c * parameters.row_input_stride);
}

bool chunk(uint x, out uvec4 bits)
{
    bits = uvec4(0);
    bool inside = x >= parameters.row_start && x - parameters.row_start <= parameters.row_input_size &&
                  parameters.row_input_size - (x - parameters.row_start) >= CHUNK;
    if (row_outside)
        bits = repeat(parameters.arguments.xy);
    else if (inside && parameters.row_input_stride == 1)
        bits = load_chunk(row_input + (x - parameters.row_start));
    else
        return false;
    return true;
}

#include "gather_main.glsl"
