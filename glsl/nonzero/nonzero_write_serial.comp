// The second pass of NONZERO_COORDINATES where invocations of a workgroup run one after the other: each has a chunk of
// its own, and needs no other.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "nonzero_output.glsl"

// Rows of the last dimension are so long that of a mask word's elements none lies further than in the next one.
layout(constant_id = 5) const bool WIDE = false;

// What a row takes of the parameters, kept: between stores loads would be repeated for every row.
uvec3 columns[8]; // size, multiplier, shifts
uint base;
uint row_first;
uint row_end;
uint row_stride;

void keep_parameters()
{
    [[unroll]] for (uint n = 0; n < COLUMNS; ++n) {
        columns[n] = uvec3(parameters.sizes[n >> 2][n & 3], parameters.multipliers[n >> 2][n & 3],
                           parameters.shifts[n >> 2][n & 3]);
    }
    base = push.base_bytes.w >> 2;
    row_first = parameters.row_first;
    row_end = parameters.row_end;
    row_stride = DENSE ? COLUMNS : parameters.row_stride;
}

uint[8] decode(uint element)
{
    uint values[8];
    [[unroll]] for (uint i = 1; i < COLUMNS; ++i) {
        uint n = COLUMNS - i;
        uint quotient = divide_element(element, columns[n].y, columns[n].z);
        values[n] = element - quotient * columns[n].x;
        element = quotient;
    }
    values[0] = element;
    return values;
}

// The coordinates of element `bit` of a mask word whose first is at `first`.
uint[8] step_from(uint first[8], uint bit)
{
    uint values[8];
    [[unroll]] for (uint i = 1; i < COLUMNS; ++i) {
        uint n = COLUMNS - i;
        uint value = first[n] + bit;
        bool beyond = value >= columns[n].x;
        values[n] = beyond ? value - columns[n].x : value;
        bit = beyond ? 1 : 0;
    }
    values[0] = first[0] + bit;
    return values;
}

void write_values(uint row, uint values[8])
{
    uint at = base + (row - row_first) * row_stride;
    if (DENSE && COLUMNS % 4 == 0) {
        [[unroll]] for (uint n = 0; n < COLUMNS; n += 4)
            coordinate_vectors.vectors[(at + n) / 4] = uvec4(values[n], values[n + 1], values[n + 2], values[n + 3]);
    } else if (DENSE) {
        [[unroll]] for (uint n = 0; n < COLUMNS; ++n)
            coordinates.words[at + n] = values[n];
    } else {
        [[unroll]] for (uint n = 0; n < COLUMNS; ++n)
            write_coordinate(row, n, values[n]);
    }
}

void write_element(uint row, uint first[8], uint element, uint bit)
{
    if (row >= row_first && row < row_end)
        write_values(row, WIDE ? step_from(first, bit) : decode(element + bit));
}

// Writes the rows of a chunk's elements, from `row` on.
void write_chunk(uint row, uint begin, uint end)
{
    for (uint word = begin; word < end; ++word) {
        uint first[8];
        if (WIDE)
            first = decode(word * 32);
        for (uint mask = load_mask(word); mask != 0; mask &= mask - 1)
            write_element(row++, first, word * 32, uint(findLSB(mask)));
    }
}

void main()
{
    uint chunk = parameters.chunk_first + group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (chunk >= parameters.chunk_end)
        return;
    keep_parameters();
    uint row = 0;
    uint all_rows = 0;
    for (uint c = 0; c < parameters.chunk_count; c += 4) {
        uvec4 four = total_vectors.vectors[(push.base_bytes.y >> 4) + c / 4];
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            all_rows += c + i < parameters.chunk_count ? four[i] : 0;
            row += c + i < chunk ? four[i] : 0;
        }
    }
    if (parameters.first_pass != 0 && chunk == 0)
        count.words[push.base_bytes.z >> 2] = all_rows;

    uint chunk_begin = chunk * parameters.chunk_words;
    uint chunk_end = min(chunk_begin + parameters.chunk_words, parameters.mask_words);
    // Of several windows most have none of a chunk's rows.
    if (row < row_end && row + load_total(chunk) > row_first)
        write_chunk(row, chunk_begin, chunk_end);

    if (ZERO_UNDEFINED) {
        uvec2 rows = undefined_rows(chunk_begin, chunk_end, all_rows);
        for (uint r = rows.x; r < rows.y; ++r)
            zero_row(r);
    }
}
