// Transposes by tiles in shared memory: a workgroup reads rows of y's, each a run of x's, and writes rows of x's, each
// a run of y's, 16 bytes at a time.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "transpose.glsl"

const uint HELD_Y = TILE_Y;
#include "transpose_tile.glsl"

const uint HELD = 4 / PACKED;                         // of them at a time: 64 bytes are on their way per invocation

uint tile_word(uint x, uint word)
{
    return tile[slot(x, word / 4)][word % 4];
}

// 16 bytes of the input from a distance on, of which `count` elements are wanted.
uvec4 load_vector(uint distance, uint count)
{
    if (ALIGNED && count >= CHUNK)
        return source_vectors.vectors[(push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES) >> 4];
    uvec4 bits = uvec4(0);
    for (uint w = 0; w < 4; ++w)
        if (w * PACKED < count)
            bits[w] = load(distance + w * PACKED, count - w * PACKED);
    return bits;
}

uvec4 load_row(uint index, uint row, uint distance, uvec2 extent, uint y_first)
{
    uvec2 square = square_at(index);
    uint y = square.x * PACKED + row;
    uint x = square.y * CHUNK;
    if (index >= SQUARES || y >= extent.y || x >= extent.x * UNIT)
        return uvec4(0);
    uint from = distances(y_first + y, BATCH_RANK + X_RANK, BATCH_RANK + X_RANK + Y_RANK).y;
    return load_vector(distance + from + x, extent.x * UNIT - x);
}

// Reads the tile whose first element lies at a distance, of `extent` places {x, y}, the first of y being y_first.
void read_tile(uint distance, uvec2 extent, uint y_first)
{
    const uint step = gl_WorkGroupSize.x;
    const uvec4 none = uvec4(0);
    for (uint i = gl_LocalInvocationIndex; i < SQUARES; i += HELD * step) {
        // Written out, for what a loop indexes might not be kept in registers.
        uvec4 a = load_row(i, 0, distance, extent, y_first);
        uvec4 b = load_row(PACKED == 1 ? i + step : i, 1 % PACKED, distance, extent, y_first);
        uvec4 c = load_row(PACKED == 1   ? i + 2 * step
                           : PACKED == 2 ? i + step
                                         : i,
                           2 % PACKED, distance, extent, y_first);
        uvec4 d = load_row(PACKED == 1   ? i + 3 * step
                           : PACKED == 2 ? i + step
                                         : i,
                           3 % PACKED, distance, extent, y_first);
        if (PACKED == 1) {
            put_square(i, a, none, none, none);
            put_square(i + step, b, none, none, none);
            put_square(i + 2 * step, c, none, none, none);
            put_square(i + 3 * step, d, none, none, none);
        } else if (PACKED == 2) {
            put_square(i, a, b, none, none);
            put_square(i + step, c, d, none, none);
        } else {
            put_square(i, a, b, c, d);
        }
    }
}

// A word of row x whose elements begin `lead` bytes into the output's word 0.
uint shifted_word(uint x, uint word, uint lead)
{
    uint low = word - lead / 4; // wraps around 0 before the row
    uint bits = low < OUTPUT_WORDS ? tile_word(x, low) : 0;
    uint shift = lead % 4 * 8;
    if (PACKED == 1 || shift == 0)
        return bits;
    bits <<= shift;
    return low - 1 < OUTPUT_WORDS ? bits | (tile_word(x, low - 1) >> (32 - shift)) : bits;
}

// Writes 16 bytes of row x of the tile, `count` elements long, which begins at output byte `begin`.
void write_chunk(uint x, uint chunk, uint begin, uint count)
{
    uint lead = SHIFTED ? begin & 15 : 0; // bytes before the row in its first chunk
    uint before = lead / ELEMENT_BYTES;
    uvec4 bits;
    if (lead == 0 && chunk < GROUPS) {
        bits = tile[slot(x, chunk)];
    } else {
        for (uint w = 0; w < 4; ++w)
            bits[w] = shifted_word(x, chunk * 4 + w, lead);
    }
    uint place = (begin >> 4) + chunk;
    if (chunk * CHUNK >= before && (chunk + 1) * CHUNK <= before + count) {
        destination_vectors.vectors[place] = bits;
        return;
    }
    for (uint w = 0; w < 4; ++w) {
        uint mask = row_mask(chunk * 4 + w, before, count);
        if (mask != 0)
            store_word(place * 4 + w, bits[w], mask);
    }
}

// Writes the tile; `begin` is the output's element of its first place.
void write_tile(uint begin, uvec2 extent, uint x_first)
{
    const uint chunks = GROUPS + (SHIFTED ? 1 : 0);
    for (uint i = gl_LocalInvocationIndex; i < extent.x * chunks; i += gl_WorkGroupSize.x) {
        uint x = i / chunks;
        uint row = begin + distances(x_first + x, BATCH_RANK, BATCH_RANK + X_RANK).x;
        write_chunk(x, i % chunks, row * ELEMENT_BYTES, extent.y * UNIT);
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uvec3 place = place_of_tile(group);
    uvec2 extent = min(uvec2(parameters.x_size, parameters.y_size) - place.xy, uvec2(TILE_X, TILE_Y));
    uvec2 first = distances(place.z, 0, BATCH_RANK);
    uint begin = push.base_bytes.y / ELEMENT_BYTES + parameters.output_first;

    read_tile(first.y + place.x * UNIT, extent, place.y);
    barrier();
    write_tile(begin + first.x + place.y * UNIT, extent, place.x);
}
