// Transposes by tiles where rows begin anywhere. The input is read by whole words, side by side. Of elements narrower
// than words an invocation reads a set of PACKED rows, 4 apart, which begin alike within words, and exchanges them in
// registers. A tile writes the aligned 16 bytes that begin in its part of a row of the output, for which it holds as
// many elements more.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "transpose.glsl"

layout(constant_id = 10) const uint SHARE = 2; // words of sets that an invocation reads

const uint CHUNK = 4 * PACKED;                                      // elements of 16 bytes
const uint HELD_Y = TILE_Y + (CHUNK + UNIT - 1) / UNIT;             // rows of the input that a tile holds
const uint GROUPS = (HELD_Y * UNIT + CHUNK - 1) / CHUNK;            // 16 bytes of a row of the output
const uint COLUMNS = TILE_X * UNIT / PACKED + (PACKED > 1 ? 1 : 0); // words of a row of the input
const uint CHUNKS = TILE_Y * UNIT / CHUNK;                           // of them, that a tile owns
const uint SETS = PACKED == 1 ? HELD_Y : 4 * GROUPS;
const uint PITCH = 4 * GROUPS + UNIT; // of rows of the tile: a row of the input falls on different banks
const uint PLANE = ((PACKED == 1 ? TILE_X : COLUMNS + 1) * PITCH + 31) / 32 * 32 + 8;

shared uint tile[PACKED * PLANE + 1];

// The word of the tile that an element of row x lies in, from PACKED - 1 places before the first on. Words hold
// elements 4 apart, and the four words of 16 bytes lie apart, so that the same ones of many 16 bytes lie side by side.
uint slot(uint x, uint element)
{
    uint place = x + PACKED - 1;
    return place % PACKED * PLANE + place / PACKED * PITCH + element % 4 * GROUPS + element / CHUNK;
}

// Rows counted along several dimensions need not begin alike: each is shifted to begin at words.
const bool APART = PACKED > 1 && Y_RANK > 1;

uint first_row(uint set)
{
    return set / 4 * CHUNK + set % 4;
}

// The byte of the input that row y of the tile begins at.
uint row_byte(uint distance, uint y)
{
    distance += distances(y, BATCH_RANK + X_RANK, BATCH_RANK + X_RANK + Y_RANK).y;
    return push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES;
}

// A word of a row of `count` elements that begins at a byte; 0 where it holds none of them.
uint row_word(uint byte, uint column, uint count)
{
    uint lead = byte % 4 / ELEMENT_BYTES;
    uint word = (byte >> 2) + column;
    if (column * PACKED >= count + lead)
        return 0;
    if (!APART)
        return source.words[word];
    bool ends = (column + 1) * PACKED >= count + lead;
    return funnel(source.words[word], ends ? 0 : source.words[word + 1], lead * ELEMENT_BITS);
}

// Puts words of a set's rows, whose elements begin `lead` into the first, where the output's lie; `further` is a
// distance in the tile.
void put_set(uint set, uint column, uint lead, uvec4 rows, uint further)
{
    uvec4 columns = transpose_square(rows);
    [[unroll]] for (uint e = 0; e < PACKED; ++e) {
        uint element = column * PACKED + e - lead;
        uint row = PACKED == 1 ? set * UNIT + element % UNIT : first_row(set);
        tile[slot(element / UNIT, row) + further] = columns[e];
    }
}

// Reads a tile that is whole, and not the last along x: all rows of an invocation begin alike, and lie at equal
// distances.
void read_whole_tile(uint distance, uint y_first)
{
    uint set = gl_LocalInvocationIndex / COLUMNS, column = gl_LocalInvocationIndex % COLUMNS;
    uint abreast = gl_WorkGroupSize.x / COLUMNS; // a multiple of 4
    uint byte = row_byte(distance, y_first + first_row(set));
    uint word = (byte >> 2) + column;
    const uint d = BATCH_RANK + X_RANK;
    uint stride = parameters.input_strides[d >> 2][d & 3];
    uvec4 held[SHARE];
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        held[i] = uvec4(0);
        if (i * abreast + set < SETS)
            [[unroll]] for (uint k = 0; k < PACKED; ++k)
                held[i][k] = source.words[word + (i * abreast + k * ELEMENT_BYTES) * stride];
    }
    [[unroll]] for (uint i = 0; i < SHARE; ++i)
        if (i * abreast + set < SETS)
            put_set(set, column, byte % 4 / ELEMENT_BYTES, held[i], i * abreast / 4 * UNIT);
}

// Reads the tile whose first element lies at a distance, of `extent` places {x, y}, the first of y being y_first.
void read_tile(uint distance, uvec2 extent, uint y_first)
{
    uvec4 held[SHARE];
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        uint item = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        held[i] = uvec4(0);
        if (item < SETS * COLUMNS)
            [[unroll]] for (uint k = 0; k < PACKED; ++k) {
                uint y = min(first_row(item / COLUMNS) + 4 * k, extent.y - 1);
                held[i][k] = row_word(row_byte(distance, y_first + y), item % COLUMNS, extent.x * UNIT);
            }
    }
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        uint item = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        uint set = item / COLUMNS;
        uint lead = 0;
        if (PACKED > 1 && !APART)
            lead = row_byte(distance, y_first + min(first_row(set), extent.y - 1)) % 4 / ELEMENT_BYTES;
        if (set < SETS)
            put_set(set, item % COLUMNS, lead, held[i], 0);
    }
}

// 16 bytes of row x from an element on; `further` is a distance in the tile.
uvec4 tile_chunk(uint x, uint first, uint further)
{
    uvec4 words;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        uint at = slot(x, first + i) + further;
        words[i] = tile[at];
        if (PACKED > 1)
            words[i] = funnel(words[i], tile[at + 1], (first + i) / 4 % PACKED * ELEMENT_BITS);
    }
    if (PACKED == 2) {
        uvec2 low = uvec2(words.x, words.z), high = uvec2(words.y, words.w);
        return uvec4((low & 0xFFFFu) | (high << 16), (low >> 16) | (high & 0xFFFF0000u));
    }
    return transpose_square(words);
}

// 16 bytes, of which those from byte `first` on, less than 16, begin with those of `bits`.
uvec4 delayed(uvec4 bits, uint first)
{
    bits = (first & 8) != 0 ? uvec4(0, 0, bits.xy) : bits;
    bits = (first & 4) != 0 ? uvec4(0, bits.xyz) : bits;
    uint shift = (first & 3) * 8;
    return (bits << shift) | ((uvec4(0, bits.xyz) >> 1) >> (31 - shift));
}

// The bits of a word's elements that are among [first, end) of 16 bytes.
uint word_mask(uint word, uint first, uint end)
{
    uint mask = 0;
    for (uint e = 0; e < PACKED; ++e) {
        uint element = word * PACKED + e;
        mask |= element >= first && element < end ? (0xFFFFFFFFu >> (32 - ELEMENT_BITS)) << e * ELEMENT_BITS : 0;
    }
    return mask;
}

// Writes elements [first, end) of 16 bytes.
void write_part(uint place, uvec4 bits, uint first, uint end)
{
    for (uint w = 0; w < 4; ++w) {
        uint mask = word_mask(w, first, end);
        if (mask != 0)
            store_word(place * 4 + w, bits[w], mask);
    }
}

// Writes the tile; `begin` is the output's element of its first place, `count` the elements of a row from there on.
void write_tile(uint begin, uint extent, uint x_first, uint count)
{
    for (uint i = gl_LocalInvocationIndex; i < extent * CHUNKS; i += gl_WorkGroupSize.x) {
        uint x = i / CHUNKS;
        uint byte = (begin + distances(x_first + x, BATCH_RANK, BATCH_RANK + X_RANK).x) * ELEMENT_BYTES;
        uint before = (0 - byte) % 16 / ELEMENT_BYTES; // elements before the first 16 bytes that begin in the tile
        uint element = before + i % CHUNKS * CHUNK;
        uint place = ((byte + 15) >> 4) + i % CHUNKS;
        if (element + CHUNK <= count)
            destination_vectors.vectors[place] = tile_chunk(x, element, 0);
        else if (element < count)
            write_part(place, tile_chunk(x, element, 0), 0, count - element);
    }
}

// Writes the chunks of rows that all end beyond the tile. The rows of an invocation begin alike, and lie at equal
// distances.
void write_whole_tile(uint begin, uint extent, uint x_first)
{
    uint x = gl_LocalInvocationIndex / CHUNKS, chunk = gl_LocalInvocationIndex % CHUNKS;
    uint abreast = gl_WorkGroupSize.x / CHUNKS;
    const uint d = BATCH_RANK;
    uint stride = parameters.output_strides[d >> 2][d & 3];
    uint byte = (begin + (x_first + x) * stride) * ELEMENT_BYTES;
    uint element = (0 - byte) % 16 / ELEMENT_BYTES + chunk * CHUNK;
    uint place = ((byte + 15) >> 4) + chunk;
    [[unroll]] for (uint i = 0; i * abreast < TILE_X; ++i)
        if (i * abreast + x < extent) {
            uvec4 bits = tile_chunk(x, element, i * abreast / PACKED * PITCH);
            destination_vectors.vectors[place + i * (abreast * ELEMENT_BYTES / 16 * stride)] = bits;
        }
}

// Writes what of rows comes before their first 16 aligned bytes.
void write_heads(uint begin, uint extent, uint x_first, uint count)
{
    for (uint x = gl_LocalInvocationIndex; x < extent; x += gl_WorkGroupSize.x) {
        uint byte = (begin + distances(x_first + x, BATCH_RANK, BATCH_RANK + X_RANK).x) * ELEMENT_BYTES;
        uint before = (0 - byte) % 16 / ELEMENT_BYTES;
        if (before != 0)
            write_part(byte >> 4, delayed(tile_chunk(x, 0, 0), byte % 16), CHUNK - before, CHUNK - before + count);
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uvec3 place = place_of_tile(group);
    uvec2 rest = uvec2(parameters.x_size, parameters.y_size) - place.xy;
    uvec2 first = distances(place.z, 0, BATCH_RANK);

    uint distance = first.y + place.x * UNIT;
    bool abreast = Y_RANK == 1 && gl_WorkGroupSize.x % (4 * COLUMNS) == 0;
    if (abreast && rest.x > TILE_X && rest.y >= HELD_Y)
        read_whole_tile(distance, place.y);
    else
        read_tile(distance, min(rest, uvec2(TILE_X, HELD_Y)), place.y);
    barrier();

    uint begin = push.base_bytes.y / ELEMENT_BYTES + parameters.output_first + first.x + place.y * UNIT;
    uint extent = min(rest.x, TILE_X);
    bool alike =
        X_RANK == 1 && gl_WorkGroupSize.x % CHUNKS == 0 && gl_WorkGroupSize.x / CHUNKS * ELEMENT_BYTES % 16 == 0;
    if (alike && rest.y >= HELD_Y)
        write_whole_tile(begin, extent, place.x);
    else
        write_tile(begin, extent, place.x, rest.y * UNIT);
    if (place.y == 0)
        write_heads(begin, extent, place.x, rest.y * UNIT);
}
