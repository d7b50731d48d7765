// Copies the input into the middle of a larger output and fills the rim.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_input.glsl"

// DML_PADDING_MODE's values
const uint CONSTANT = 0;
const uint EDGE = 1;
const uint REFLECTION = 2;
const uint SYMMETRIC = 3;
const uint WRAP = 4;
layout(constant_id = 7) const uint MODE = CONSTANT;

const uint OUTSIDE = 0xFFFFFFFFu; // no coordinate: a size is at most 2^32-1

// The input coordinate that output coordinate `c` takes its value from, or OUTSIDE. divisor: of the period, which is size
// - 1 (at least 1) for REFLECTION, else size.
uint source_coordinate(uint c, uint start, uint size, uvec2 divisor)
{
    bool before = c < start;
    uint distance = before ? start - c : c - start; // from the input's first element
    bool inside = !before && distance < size;
    uint beyond = OUTSIDE;
    if (MODE == EDGE)
        beyond = before ? 0 : size - 1;
    if (MODE == REFLECTION || MODE == SYMMETRIC || MODE == WRAP) {
        uint period = MODE == REFLECTION ? max(size, 2) - 1 : size;
        uint steps = distance - (MODE != REFLECTION && before ? 1 : 0); // the edge elements are repeated too
        uint turn = divide(steps, divisor.x, divisor.y);
        uint rest = steps - turn * period;
        bool backwards = MODE == WRAP ? before : (turn & 1) != 0;
        // REFLECTION turns on its edge elements, symmetric about the first.
        beyond = backwards ? size - 1 - rest : rest;
        if (MODE == REFLECTION && size == 1)
            beyond = 0;
    }
    return inside ? distance : beyond;
}

struct Row {
    uint base; // distance of the row's source from the input's first element
    bool outside;
};

Row begin_row()
{
    return Row(0, false);
}

void enter(inout Row row, uint d, uint coordinate)
{
    uvec2 divisor = uvec2(parameters.period_multipliers[d >> 2][d & 3], parameters.period_shifts[d >> 2][d & 3]);
    uint c = source_coordinate(coordinate, parameters.starts[d >> 2][d & 3], parameters.input_sizes[d >> 2][d & 3], divisor);
    row.outside = row.outside || c == OUTSIDE;
    row.base += input_distance(d, c);
}

uvec2 element(Row row, uint x)
{
    uint c = source_coordinate(x, parameters.row_start, parameters.row_input_size, parameters.row_period_divisor);
    bool is_rim = row.outside || c == OUTSIDE;
    // Loaded anyhow, from the window's first element where there is no other.
    uvec2 loaded = load_element(is_rim ? -parameters.input_first : row.base + c * parameters.row_input_stride);
    return is_rim ? parameters.arguments.xy & ELEMENT_MASK : loaded;
}

// Whether all of the 16 bytes from element x of a row on are in the rim.
bool is_rim_chunk(uint x)
{
    bool before = x < parameters.row_start && parameters.row_start - x >= CHUNK;
    return before || (x >= parameters.row_start && x - parameters.row_start >= parameters.row_input_size);
}

bool has_chunk(Row row, uint x)
{
    bool inside = x >= parameters.row_start && x - parameters.row_start <= parameters.row_input_size &&
                  parameters.row_input_size - (x - parameters.row_start) >= CHUNK;
    return row.outside || (inside && has_input_chunk()) || (MODE == CONSTANT && is_rim_chunk(x));
}

uvec4 chunk(Row row, uint x)
{
    uvec4 bits = repeat(parameters.arguments.xy);
    if (!row.outside && !(MODE == CONSTANT && is_rim_chunk(x)))
        bits = input_chunk(row.base, x - parameters.row_start);
    return bits;
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
