// Transposes of elements narrower than words by tiles, where rows begin anywhere: 16 bytes of the input are put together
// from the 32 that they lie in, and a tile writes the aligned 16 bytes that begin in its part of a row, for which it holds
// as many elements more.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "transpose.glsl"

const uint HELD_Y = TILE_Y + 4 * PACKED;
#include "transpose_tile.glsl"

const uint HELD = 4 / PACKED; // squares at a time: 64 bytes are on their way per invocation

// 16 of 32 bytes, from byte `first` on, less than 16.
uvec4 shifted(uvec4 bits, uvec4 more, uint first)
{
    bool far = (first & 8) != 0;
    bits = far ? uvec4(bits.zw, more.xy) : bits;
    more.xy = far ? more.zw : more.xy;
    bool odd = (first & 4) != 0;
    bits = odd ? uvec4(bits.yzw, more.x) : bits;
    uvec4 next = uvec4(bits.yzw, odd ? more.y : more.x);
    uint shift = (first & 3) * 8;
    return (bits >> shift) | ((next << 1) << (31 - shift));
}

// The byte of the input that row `row` of a square begins at; of those that are none, that of the first.
uint square_byte(uint index, uint row, uint distance, uvec2 extent, uint y_first)
{
    uvec2 square = square_at(index);
    uint y = square.x * PACKED + row;
    uint x = square.y * CHUNK;
    if (index < SQUARES && y < extent.y && x < extent.x * UNIT)
        distance += distances(y_first + y, BATCH_RANK + X_RANK, BATCH_RANK + X_RANK + Y_RANK).y + x;
    return push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES;
}

// The 16 bytes after those that a byte lies in; the same ones where it is their first.
uvec4 more_of(uint byte)
{
    return bound_vector((byte + 15) >> 4);
}

// 16 bytes from a byte on, of what was loaded of them.
uvec4 joined(uvec4 bits, uvec4 more, uint byte)
{
    return shifted(with_tail(bits, byte >> 4), with_tail(more, (byte + 15) >> 4), byte & 15);
}

// Reads the tile whose first element lies at a distance, of `extent` places {x, y}, the first of y being y_first.
void read_tile(uint distance, uvec2 extent, uint y_first)
{
    const uint step = gl_WorkGroupSize.x;
    for (uint i = gl_LocalInvocationIndex; i < SQUARES; i += HELD * step) {
        uint index_c = PACKED == 2 ? i + step : i;
        // Written out, for what a loop indexes might not be kept in registers.
        uint byte_a = square_byte(i, 0, distance, extent, y_first);
        uint byte_b = square_byte(i, 1, distance, extent, y_first);
        uint byte_c = square_byte(index_c, 2 % PACKED, distance, extent, y_first);
        uint byte_d = square_byte(index_c, 3 % PACKED, distance, extent, y_first);
        uvec4 a = bound_vector(byte_a >> 4), more_a = more_of(byte_a);
        uvec4 b = bound_vector(byte_b >> 4), more_b = more_of(byte_b);
        uvec4 c = bound_vector(byte_c >> 4), more_c = more_of(byte_c);
        uvec4 d = bound_vector(byte_d >> 4), more_d = more_of(byte_d);
        a = joined(a, more_a, byte_a);
        b = joined(b, more_b, byte_b);
        c = joined(c, more_c, byte_c);
        d = joined(d, more_d, byte_d);
        if (PACKED == 2) {
            put_square(i, a, b, uvec4(0), uvec4(0));
            put_square(index_c, c, d, uvec4(0), uvec4(0));
        } else {
            put_square(i, a, b, c, d);
        }
    }
}

// 16 bytes of row x from its byte `first` on.
uvec4 tile_chunk(uint x, uint first)
{
    uvec4 bits = tile[slot(x, first / 16)];
    if (first % 16 == 0)
        return bits;
    uint next = first / 16 + 1;
    uvec4 more = next < GROUPS ? tile[slot(x, next)] : uvec4(0);
    return shifted(bits, more, first % 16);
}

// Writes 16 bytes of row x of the tile, which begins at output byte `begin`. A tile owns the 16 bytes that begin in its
// row, of which it holds `count` elements, and the first tile of a row those before.
void write_chunk(uint x, uint chunk, uint begin, uint count, bool is_first)
{
    uint lead = begin & 15; // bytes before the row in its first chunk
    uint before = lead / ELEMENT_BYTES;
    uint own = lead == 0 ? chunk - 1 : chunk; // chunk 0 is the one before the row
    if (own * CHUNK >= before + count || (own == 0 && lead != 0 && !is_first))
        return;
    uint place = (begin >> 4) + own;
    if (own * CHUNK >= before && (own + 1) * CHUNK <= before + count) {
        destination_vectors.vectors[place] = tile_chunk(x, own * 16 - lead);
        return;
    }
    uvec4 bits = own * 16 >= lead ? tile_chunk(x, own * 16 - lead) : shifted(uvec4(0), tile[slot(x, 0)], 16 - lead);
    for (uint w = 0; w < 4; ++w) {
        uint mask = row_mask(own * 4 + w, before, count);
        if (mask != 0)
            store_word(place * 4 + w, bits[w], mask);
    }
}

// Writes the tile; `begin` is the output's element of its first place.
void write_tile(uint begin, uvec2 extent, uvec2 first)
{
    const uint chunks = TILE_Y * UNIT / CHUNK + 1;
    for (uint i = gl_LocalInvocationIndex; i < extent.x * chunks; i += gl_WorkGroupSize.x) {
        uint x = i / chunks;
        uint row = begin + distances(first.x + x, BATCH_RANK, BATCH_RANK + X_RANK).x;
        write_chunk(x, i % chunks, row * ELEMENT_BYTES, extent.y * UNIT, first.y == 0);
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uvec3 place = place_of_tile(group);
    uvec2 rest = uvec2(parameters.x_size, parameters.y_size) - place.xy;
    uvec2 extent = min(rest, uvec2(TILE_X, TILE_Y + CHUNK));
    uvec2 first = distances(place.z, 0, BATCH_RANK);
    uint begin = push.base_bytes.y / ELEMENT_BYTES + parameters.output_first;

    read_tile(first.y + place.x * UNIT, extent, place.y);
    barrier();
    write_tile(begin + first.x + place.y * UNIT, extent, place.xy);
}
