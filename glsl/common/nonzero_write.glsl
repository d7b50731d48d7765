// Second pass of NONZERO_COORDINATES: sums the totals of the chunks before, then writes the coordinates of the chunk's
// marked elements from that row on. Chunk 0 also writes the count.
#include "nonzero.glsl"

layout(constant_id = 1) const bool ZERO_UNDEFINED = false; // rows past the count become 0

layout(std430, binding = 1) readonly buffer Mask {
    uint words[];
} marks;

layout(std430, binding = 2) readonly buffer Totals {
    uint words[];
} totals;

layout(std430, binding = 3) writeonly buffer Count {
    uint words[];
} count;

layout(std430, binding = 4) writeonly buffer Coordinates {
    uint words[];
} coordinates;

// Of a row in the window; columns outside it are another dispatch's.
void write_coordinate(uint row, uint column, uint value)
{
    if (column < parameters.column_first || column >= parameters.column_end)
        return;
    uint offset = (row - parameters.row_first) * parameters.row_stride +
                  (column - parameters.column_first) * parameters.column_stride;
    coordinates.words[(push.base_bytes.w >> 2) + offset] = value;
}

void write_row(uint row, uint element)
{
    for (uint n = 0; n < parameters.column_count; ++n) {
        uint column = parameters.column_count - 1 - n;
        uint size = parameters.sizes[column >> 2][column & 3];
        uint quotient = element / size;
        write_coordinate(row, column, element - quotient * size);
        element = quotient;
    }
}

// The rows before this chunk's, and of all chunks.
uint count_rows(uint chunk, out uint all_rows)
{
    uint lower = 0;
    uint all = 0;
    for (uint c = lane; c < parameters.chunk_count; c += gl_WorkGroupSize.x) {
        uint total = totals.words[(push.base_bytes.y >> 2) + c];
        all += total;
        lower += c < chunk ? total : 0;
    }
    uint before;
    all_rows = workgroup_sum(all, before);
    return workgroup_sum(lower, before);
}

void main()
{
    begin_workgroup();
    uint chunk = parameters.chunk_first + gl_WorkGroupID.x;
    uint chunk_begin = chunk * parameters.chunk_words;
    uint chunk_end = min(chunk_begin + parameters.chunk_words, parameters.mask_words);
    uint all_rows;
    uint row = count_rows(chunk, all_rows);
    if (parameters.first_pass != 0 && chunk == 0 && lane == 0)
        count.words[push.base_bytes.z >> 2] = all_rows;

    uint chunk_rows = totals.words[(push.base_bytes.y >> 2) + chunk];
    bool in_window = row < parameters.row_end && row + chunk_rows > parameters.row_first;
    for (uint tile = chunk_begin; in_window && tile < chunk_end; tile += gl_WorkGroupSize.x) {
        uint w = tile + lane;
        uint mask = w < chunk_end ? marks.words[(push.base_bytes.x >> 2) + mask_place(w)] : 0;
        uint before;
        uint tile_rows = workgroup_sum(bitCount(mask), before);
        for (uint r = row + before; mask != 0 && r < parameters.row_end; ++r) {
            if (r >= parameters.row_first)
                write_row(r, w * 32 + uint(findLSB(mask)));
            mask &= mask - 1;
        }
        row += tile_rows;
    }

    if (ZERO_UNDEFINED) {
        // The chunk zeroes the rows of its own elements' numbers, as far as no coordinates are there.
        uint first = max(max(chunk_begin * 32, all_rows), parameters.row_first);
        uint end = chunk_end == parameters.mask_words ? parameters.element_count : chunk_end * 32;
        end = min(end, parameters.row_end);
        for (uint r = first + lane; r < end; r += gl_WorkGroupSize.x) {
            for (uint column = 0; column < parameters.column_count; ++column)
                write_coordinate(r, column, 0);
        }
    }
}
