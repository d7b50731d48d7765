// Transposes without shared memory: an invocation owns four words of each of TILE_X output rows, which are runs of y's.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "transpose.glsl"

// Of TILE_Y places; a part of one where units are longer.
const uint WORDS = 4;

// Runs of the input are whole vectors.
const bool BY_VECTORS = ALIGNED && UNIT == 1;
const uint VECTOR = 4 * PACKED; // elements

// The words of PACKED output rows from word `word` of x on: column r of the result is row r's.
uvec4[4] load_rows(uint from[16], uint x, uint count)
{
    uvec4 rows[4] = uvec4[4](uvec4(0), uvec4(0), uvec4(0), uvec4(0));
    for (uint w = 0; w < WORDS; ++w) {
        uvec4 square = uvec4(0);
        for (uint row = 0; row < PACKED; ++row)
            square[row] = load(from[w * PACKED + row] + x * UNIT, count);
        uvec4 columns = transpose_square(square);
        for (uint row = 0; row < PACKED; ++row)
            rows[row][w] = columns[row];
    }
    return rows;
}

// Stores four words, of which the first `count` elements are the row's, from the output's element `begin` on.
void store_words(uint begin, uvec4 words, uint count)
{
    uint word = begin / PACKED;
    // Chosen for all invocations: a processor that runs several at once runs both sides of a choice of each.
    if (!SHIFTED) {
        destination_vectors.vectors[word / 4] = words;
        return;
    }
    for (uint w = 0; w < WORDS && w * PACKED < count; ++w) {
        uint left = count - w * PACKED;
        store_word(word + w, words[w], left < PACKED ? (1u << left * ELEMENT_BITS) - 1 : 0xFFFFFFFFu);
    }
}

// Moves x's [first, end), a multiple of VECTOR.
void move_vectors(uint from[16], uint first, uint end, uint begin, uint count)
{
    uvec4 kept = uvec4(0);
    for (uint x = first; x < end; x += VECTOR) {
        uvec4 vectors[16];
        [[unroll]] for (uint i = 0; i < VECTOR; ++i) {
            uint byte = push.base_bytes.x + (from[i] + x + parameters.input_first) * ELEMENT_BYTES;
            vectors[i] = source_vectors.vectors[byte >> 4];
        }
        [[unroll]] for (uint c = 0; c < 4; ++c) {
            uvec4 rows[4];
            [[unroll]] for (uint w = 0; w < WORDS; ++w) {
                uvec4 square = uvec4(0);
                [[unroll]] for (uint row = 0; row < PACKED; ++row)
                    square[row] = vectors[w * PACKED + row][c];
                uvec4 columns = transpose_square(square);
                [[unroll]] for (uint row = 0; row < PACKED; ++row)
                    rows[row][w] = columns[row];
            }
            [[unroll]] for (uint row = 0; row < PACKED; ++row) {
                store_words(begin + distances(x + c * PACKED + row, BATCH_RANK, BATCH_RANK + X_RANK).x, rows[row],
                            count);
                kept ^= rows[row];
            }
        }
    }
    if (first >= end) // never
        store_words(begin, kept, count);
}

void main()
{
    uint group = group_index();
    uint item = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (group >= parameters.group_count || item >= parameters.item_count)
        return;
    uvec3 place = place_of_tile(item); // y counts elements
    uvec2 first = distances(place.z, 0, BATCH_RANK);
    uint count = parameters.y_size * UNIT - place.y;
    uint from[16];
    for (uint i = 0; i < WORDS * PACKED; ++i) {
        uint y = min(place.y + i, parameters.y_size * UNIT - 1); // what lies behind the row is loaded and not stored
        from[i] = first.y + distances(y / UNIT, BATCH_RANK + X_RANK, BATCH_RANK + X_RANK + Y_RANK).y + y % UNIT;
    }
    uint begin = push.base_bytes.y / ELEMENT_BYTES + parameters.output_first + first.x + place.y;
    uint end = min(place.x + TILE_X, parameters.x_size);
    if (BY_VECTORS) {
        move_vectors(from, place.x, end, begin, count);
        return;
    }
    for (uint x = place.x; x < end; x += PACKED) {
        uint left = min(end - x, PACKED);
        uvec4 rows[4] = load_rows(from, x, left);
        for (uint row = 0; row < left; ++row)
            store_words(begin + distances(x + row, BATCH_RANK, BATCH_RANK + X_RANK).x, rows[row], count);
    }
}
