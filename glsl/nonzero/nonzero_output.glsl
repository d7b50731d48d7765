// The second pass of NONZERO_COORDINATES: its buffers, and coordinates of elements.
#ifndef VKDML_NONZERO_OUTPUT_GLSL
#define VKDML_NONZERO_OUTPUT_GLSL

#include "buffers.glsl"
#include "nonzero.glsl"

layout(constant_id = 1) const bool ZERO_UNDEFINED = false; // rows past the count become 0
layout(constant_id = 2) const uint COLUMNS = 1;
// Rows lie side by side, in windows of all columns that begin at 16 bytes' multiples.
layout(constant_id = 3) const bool DENSE = true;
// Elements are at most 2^31, columns after the first of sizes above 1, and multipliers for divide_short().
layout(constant_id = 4) const bool SHORT_DIVISION = false;

BUFFER_OF_WORDS(1, readonly, Mask, marks);
BUFFER_OF_VECTORS(1, readonly, MaskVectors, mark_vectors);
BUFFER_OF_WORDS(2, readonly, Totals, totals);

// The room for totals is a multiple of four words, at a multiple of 16 bytes.
BUFFER_OF_VECTORS(2, readonly, TotalVectors, total_vectors);
BUFFER_OF_WORDS(3, writeonly, Count, count);
BUFFER_OF_WORDS(4, writeonly, Coordinates, coordinates);
BUFFER_OF_VECTORS(4, writeonly, CoordinateVectors, coordinate_vectors);

uint load_total(uint chunk)
{
    return totals.words[(push.base_bytes.y >> 2) + chunk];
}

uint load_mask(uint word)
{
    return marks.words[(push.base_bytes.x >> 2) + mask_place(word)];
}

uint divide_element(uint element, uint multiplier, uint shifts)
{
    return SHORT_DIVISION ? divide_short(element, multiplier, shifts) : divide(element, multiplier, shifts);
}

// Takes the last coordinate of those up to column `n` off an element's number.
uint take_coordinate(inout uint element, uint n)
{
    uint quotient = divide_element(element, parameters.multipliers[n >> 2][n & 3], parameters.shifts[n >> 2][n & 3]);
    uint coordinate = element - quotient * parameters.sizes[n >> 2][n & 3];
    element = quotient;
    return coordinate;
}

// The coordinates in columns 4 * quad and following of an element; COLUMNS is 4 or 8.
uvec4 four_coordinates(uint element, uint quad)
{
    uvec4 high = uvec4(0);
    if (COLUMNS == 8) {
        [[unroll]] for (uint i = 0; i < 4; ++i)
            high[3 - i] = take_coordinate(element, 7 - i);
    }
    if (quad == 1)
        return high;
    uvec4 low;
    [[unroll]] for (uint i = 0; i < 3; ++i)
        low[3 - i] = take_coordinate(element, 3 - i);
    low.x = element;
    return low;
}

uint coordinate(uint element, uint column)
{
    uint result = 0;
    [[unroll]] for (uint i = 1; i < COLUMNS; ++i) {
        uint taken = take_coordinate(element, COLUMNS - i);
        result = column == COLUMNS - i ? taken : result;
    }
    return column == 0 ? element : result;
}

// Where a row of the window begins.
uint row_place(uint row)
{
    return (push.base_bytes.w >> 2) + (row - parameters.row_first) * (DENSE ? COLUMNS : parameters.row_stride);
}

void write_coordinate(uint row, uint column, uint value)
{
    if (DENSE)
        coordinates.words[row_place(row) + column] = value;
    else if (column >= parameters.column_first && column < parameters.column_end) // else another dispatch's
        coordinates.words[row_place(row) + (column - parameters.column_first) * parameters.column_stride] = value;
}

void write_row(uint row, uint element)
{
    [[unroll]] for (uint i = 1; i < COLUMNS; ++i)
        write_coordinate(row, COLUMNS - i, take_coordinate(element, COLUMNS - i));
    write_coordinate(row, 0, element);
}

void zero_row(uint row)
{
    [[unroll]] for (uint n = 0; n < COLUMNS; ++n)
        write_coordinate(row, n, 0);
}

// The rows of the window that a chunk of mask words [begin, end) zeroes: of its own elements' numbers, as far as no
// coordinates are there.
uvec2 undefined_rows(uint begin, uint end, uint all_rows)
{
    uint last = end == parameters.mask_words ? parameters.element_count : end * 32;
    return uvec2(max(max(begin * 32, all_rows), parameters.row_first), min(last, parameters.row_end));
}

#endif
