// Copies the input into the middle of a larger output and fills the rim.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_input.glsl"

// As in C: DML_PADDING_MODE_...
const uint CONSTANT = 0;
const uint EDGE = 1;
const uint REFLECTION = 2;
const uint SYMMETRIC = 3;
const uint WRAP = 4;
layout(constant_id = 7) const uint MODE = CONSTANT;
// Bit d: outer dimension d is padded; FAR: some rim is longer than the input's first mirror image or copy.
layout(constant_id = 8) const uint PADDED = 0xFFFFFFFFu;
// In C: VKDML_PADDING_...
const uint FAR = 256;

const uint OUTSIDE = 0xFFFFFFFFu; // no coordinate: a size is at most 2^32-1

// The input coordinate of the rim that is `distance` from the input's first element, where no rim is FAR.
uint near_coordinate(bool before, uint distance, uint size)
{
    if (MODE == REFLECTION)
        return before ? distance : 2 * (size - 1) - distance;
    if (MODE == SYMMETRIC)
        return before ? distance - 1 : 2 * size - 1 - distance;
    return before ? size - distance : distance - size; // WRAP
}

// .. wherever. divisor: of the period, which is size - 1 (at least 1) for REFLECTION, else size.
uint far_coordinate(bool before, uint distance, uint size, uvec2 divisor)
{
    uint period = MODE == REFLECTION ? max(size, 2) - 1 : size;
    uint steps = distance - (MODE != REFLECTION && before ? 1 : 0); // the edge elements are repeated too
    uint turn = divide(steps, divisor.x, divisor.y);
    uint rest = steps - turn * period;
    bool backwards = MODE == WRAP ? before : (turn & 1) != 0;
    if (MODE == REFLECTION && size == 1)
        return 0;
    // REFLECTION turns on its edge elements, symmetric about the first.
    return backwards ? size - 1 - rest : rest;
}

// The input coordinate that output coordinate `c` takes its value from, or OUTSIDE.
uint source_coordinate(uint c, uint start, uint size, uvec2 divisor)
{
    bool before = c < start;
    uint distance = before ? start - c : c - start; // from the input's first element
    bool inside = !before && distance < size;
    uint beyond = OUTSIDE;
    if (MODE == EDGE)
        beyond = before ? 0 : size - 1;
    else if (MODE != CONSTANT && (PADDED & FAR) != 0)
        beyond = far_coordinate(before, distance, size, divisor);
    else if (MODE != CONSTANT)
        beyond = near_coordinate(before, distance, size);
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
    uint c = coordinate;
    if ((PADDED & 1u << d) != 0)
        c = source_coordinate(c, parameters.starts[d >> 2][d & 3], parameters.input_sizes[d >> 2][d & 3], divisor);
    row.outside = row.outside || (MODE == CONSTANT && c == OUTSIDE);
    row.base += input_distance(d, c);
}

uvec2 element(Row row, uint x)
{
    uint c = source_coordinate(x, parameters.row_start, parameters.row_input_size, parameters.row_period_divisor);
    bool is_rim = MODE == CONSTANT && (row.outside || c == OUTSIDE);
    // Loaded anyhow, from the window's first element where there is no other.
    uvec2 loaded = load_element(is_rim ? -parameters.input_first : row.base + c * parameters.row_input_stride);
    return is_rim ? parameters.arguments.xy & ELEMENT_MASK : loaded;
}

// The rim is known without the input: a row takes one load, wherever it begins and ends.
#define HAS_PARTS
const bool IN_PARTS = ROWS == LONG && MODE == CONSTANT && INPUT_ROWS != APART && ELEMENT_BITS < 64;

uvec4 part(Row row, uint x, uint from)
{
    uint end = parameters.row_start + parameters.row_input_size;
    uint first = min(from + min(parameters.row_start - min(parameters.row_start, x), CHUNK), CHUNK);
    uint count = row.outside || x >= end ? 0 : end - max(x, parameters.row_start);
    uint last = first + min(count, CHUNK - first);
    uvec4 bits = repeat(parameters.arguments.xy);
    if (first < last) {
        uvec4 inside = input_part(row.base, max(x, parameters.row_start) - parameters.row_start, first);
        bits = mix_bits(bits, inside, mask_elements(first, last));
    }
    return bits;
}

bool has_chunk(Row row, uint x)
{
    bool inside = x >= parameters.row_start && x - parameters.row_start <= parameters.row_input_size &&
                  parameters.row_input_size - (x - parameters.row_start) >= CHUNK;
    return IN_PARTS || row.outside || (inside && has_input_chunk());
}

uvec4 chunk(Row row, uint x)
{
    uvec4 bits = repeat(parameters.arguments.xy);
    if (IN_PARTS)
        bits = part(row, x, 0);
    else if (!row.outside)
        bits = input_chunk(row.base, x - parameters.row_start);
    return bits;
}

uint input_row(Row row)
{
    return row.base;
}

bool has_rim_only(Row row)
{
    return row.outside;
}

uvec4 rim_chunk()
{
    return repeat(parameters.arguments.xy);
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

#define HAS_SEAMS
#include "gather_main.glsl"
