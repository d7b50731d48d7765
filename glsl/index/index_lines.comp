// What index.comp and index_mark.comp do, where an index leads along a line of elements side by side that fits shared
// memory: there neighbours may lie anywhere, while in memory each takes a cycle of a cache. A workgroup takes a line,
// or some that have their indices in common. GATHER loads lines from the input; SCATTER replaces elements of lines, in
// one pass: the index is a coordinate of the output, the input the updates, and the rest what they replace.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "buffers.glsl"
#include "index.glsl"
#include "place.glsl"

layout(constant_id = 10) const uint SHARED_LENGTH = 1;
layout(constant_id = 11) const uint VALUES_LENGTH = 1;

BUFFER_OF_PAIRS(2, , OutputPairs, destination_pairs);

const uint UNIT = ELEMENT_BITS == 64 ? 2 : 4; // elements that an invocation takes at once
const uint UNIT_WORDS = UNIT * ELEMENT_BITS / 32;
const uint UNIT_VECTORS = UNIT * INDEX_WORDS >= 4 ? UNIT * INDEX_WORDS / 4 : 1; // of indices

// The coordinates that indices name, from a place on.
uvec4 load_coordinates(uint place)
{
    uvec4 loaded[UNIT_VECTORS];
    uint word = (push.base_bytes.z >> 2) + place * INDEX_WORDS;
    if (UNIT * INDEX_WORDS < 4) {
        loaded[0].xy = uvec2(indices.words[word], indices.words[word + 1]);
    } else {
        [[unroll]] for (uint n = 0; n < UNIT_VECTORS; ++n)
            loaded[n] = index_vectors.vectors[(word >> 2) + n];
    }
    uvec4 coordinates;
    [[unroll]] for (uint k = 0; k < UNIT; ++k) {
        uint w = k * INDEX_WORDS;
        uvec2 index =
            IS_LONG ? uvec2(loaded[w >> 2][w & 3], loaded[w >> 2][(w & 3) + 1]) : widen(loaded[w >> 2][w & 3]);
        coordinates[k] = coordinate_of(index, column_size(0));
    }
    return coordinates;
}

// The words of a unit of the input, from a place on.
uvec4 load_unit(uint place)
{
    uint byte = push.base_bytes.x + place * ELEMENT_BYTES;
    if (UNIT_WORDS == 4)
        return source_vectors.vectors[byte >> 4];
    return uvec4(source.words[byte >> 2], UNIT_WORDS == 2 ? source.words[(byte >> 2) + 1] : 0, 0, 0);
}

uvec4 load_rest_unit(uint place)
{
    uint byte = push.base_bytes.w + place * ELEMENT_BYTES;
    if (UNIT_WORDS == 4)
        return rest_vectors.vectors[byte >> 4];
    return uvec4(rest.words[byte >> 2], UNIT_WORDS == 2 ? rest.words[(byte >> 2) + 1] : 0, 0, 0);
}

void store_unit(uint element, uvec4 bits)
{
    uint word = (push.base_bytes.y + element * ELEMENT_BYTES) >> 2;
    if (UNIT_WORDS == 1)
        destination.words[word] = bits.x;
    else if (UNIT_WORDS == 2)
        destination_pairs.pairs[word >> 1] = bits.xy;
    else
        destination_vectors.vectors[word >> 2] = bits;
}

// ---- GATHER ----

// Lines of narrow elements that have their indices in common lie in shared memory as words of an element of each, so
// that one access serves them all.
const uint LINES = IS_BUNDLED ? ELEMENTS_PER_WORD : 1;
shared uvec4 lines[MODE == SCATTER ? 1 : SHARED_LENGTH];

// Words of elements in a line that become words of elements in lines, and back: 4 x 4 of 8 bits; of 16 those of xy and
// those of zw.
uvec4 crossed(uvec4 a)
{
    const uint low = 0xFFFF;
    if (ELEMENT_BITS == 8) {
        const uint even = 0x00FF00FF;
        a = uvec4((a.xz & even) | (a.yw & even) << 8, (a.xz >> 8 & even) | (a.yw & ~even));
        return uvec4((a.xz & low) | a.yw << 16, (a.xz >> 16) | (a.yw & ~low));
    }
    return uvec4((a.x & low) | a.y << 16, a.x >> 16 | (a.y & ~low), (a.z & low) | a.w << 16, a.z >> 16 | (a.w & ~low));
}

uint place_of_line(uint line)
{
    return parameters.firsts.x + decode(line, 0, RANK).x;
}

// A bundle is LINES lines, or what there is left of them.
void load_bundle(uint first, uint last, uint slot)
{
    uint length = column_size(0);
    if (LINES == 1) {
        uint from = (push.base_bytes.x + place_of_line(first) * ELEMENT_BYTES) >> 4;
        uint vectors = length * ELEMENT_BYTES / 16;
        for (uint v = gl_LocalInvocationIndex; v < vectors; v += gl_WorkGroupSize.x)
            lines[slot * vectors + v] = source_vectors.vectors[from + v];
        return;
    }
    uvec4 places;
    [[unroll]] for (uint n = 0; n < LINES; ++n)
        places[n] = place_of_line(min(first + n, last));
    for (uint i = gl_LocalInvocationIndex * 4; i < length; i += gl_WorkGroupSize.x * 4) {
        uvec4 words;
        [[unroll]] for (uint n = 0; n < LINES; ++n) {
            uvec4 unit = load_unit(places[n] + i);
            words[n] = unit.x;
            if (LINES == 2)
                words[n + 2] = unit.y;
        }
        lines[(slot * length + i) / 4] = crossed(words);
    }
}

// A word of what shared memory holds.
uint word_of_lines(uint word)
{
    return lines[word >> 2][word & 3];
}

// What coordinates name in a bundle, or in a line.
uvec4 gather_unit(uint slot, uvec4 coordinates)
{
    uvec4 bits = uvec4(0);
    [[unroll]] for (uint k = 0; k < UNIT; ++k) {
        bool found = coordinates[k] != NONE;
        uint place = slot * column_size(0) + (found ? coordinates[k] : 0);
        if (LINES != 1 || ELEMENT_BITS == 32) {
            uint word = word_of_lines(place);
            bits[k] = found ? word : 0;
        } else if (ELEMENT_BITS == 64) {
            uvec2 words = uvec2(word_of_lines(place * 2), word_of_lines(place * 2 + 1));
            insert(bits, k, found ? words : uvec2(0));
        } else {
            uint word = word_of_lines(place / ELEMENTS_PER_WORD) >> place % ELEMENTS_PER_WORD * ELEMENT_BITS;
            insert(bits, k, uvec2(found ? word & ELEMENT_MASK : 0, 0));
        }
    }
    return LINES == 1 ? bits : LINES == 2 ? crossed(bits).xzyw : crossed(bits);
}

// Of a bundle: the words of its line n come first.
uvec4 unit_of_line(uvec4 bits, uint n)
{
    return LINES == 1 ? bits : LINES == 2 ? uvec4(bits[n * 2], bits[n * 2 + 1], 0, 0) : uvec4(bits[n], 0, 0, 0);
}

void gather_lines(uint first, uint count)
{
    uint i = gl_LocalInvocationIndex * UNIT;
    uint places = (parameters.firsts + decode(first, 0, RANK)).y;
    uvec4 coordinates = uvec4(0);
    if (i < parameters.row_length)
        coordinates = load_coordinates(places + i); // on its way with the lines
    for (uint slot = 0; slot * LINES < count; ++slot)
        load_bundle(first + slot * LINES, first + count - 1, slot);
    barrier();
    while (i < parameters.row_length) {
        for (uint slot = 0; slot * LINES < count; ++slot) {
            uvec4 bits = gather_unit(slot, coordinates);
            [[unroll]] for (uint n = 0; n < LINES; ++n) {
                uint line = slot * LINES + n;
                if (line < count)
                    store_unit(parameters.firsts.w + decode(first + line, 0, RANK).w + i, unit_of_line(bits, n));
            }
        }
        i += gl_WorkGroupSize.x * UNIT;
        if (i < parameters.row_length)
            coordinates = load_coordinates(places + i);
    }
}

// ---- SCATTER ----

// Of an element of the output: one more than the number of the last update so far, 0: there is none. Where both fit a
// word, with the element that it has in the bits below.
const bool HOLDS_ELEMENTS = ELEMENT_BITS < 32;
const uint NUMBER_SHIFT = HOLDS_ELEMENTS ? ELEMENT_BITS : 0;
shared uint numbers[MODE == SCATTER ? SHARED_LENGTH : 1];
shared uint values[VALUES_LENGTH]; // else of the last update

// Element k of a unit of up to 32 bits.
uint element_in(uvec4 bits, uint k)
{
    return (bits[k / ELEMENTS_PER_WORD] >> k % ELEMENTS_PER_WORD * ELEMENT_BITS) & ELEMENT_MASK;
}

// Leaves the values of the last updates.
void leave_values(uint i, uvec4 coordinates, uvec4 bits)
{
    [[unroll]] for (uint k = 0; k < UNIT; ++k) {
        uint c = coordinates[k];
        if (c != NONE && numbers[c] == i + k + 1) {
            values[c] = bits[k * WORDS_PER_ELEMENT];
            if (WORDS_PER_ELEMENT == 2)
                values[column_size(0) + c] = bits[k * WORDS_PER_ELEMENT + 1];
        }
    }
}

void scatter_line(uint line)
{
    uvec4 places = parameters.firsts + decode(line, 0, RANK);
    uint length = column_size(0);
    uint first = gl_LocalInvocationIndex * UNIT;
    uint step = gl_WorkGroupSize.x * UNIT;
    uvec4 coordinates = uvec4(NONE);
    uvec4 bits = uvec4(0);
    if (first < parameters.row_length) { // on their way with the rest
        coordinates = load_coordinates(places.y + first);
        bits = load_unit(places.x + first);
    }
    uvec4 held = first < length ? load_rest_unit(places.z + first) : uvec4(0);
    for (uint i = first; i < length; i += step) {
        [[unroll]] for (uint k = 0; k < UNIT; ++k)
            numbers[i + k] = HOLDS_ELEMENTS ? element_in(held, k) : 0;
        if (HOLDS_ELEMENTS && i + step < length)
            held = load_rest_unit(places.z + i + step);
    }
    barrier();
    for (uint i = first; i < parameters.row_length; i += step) {
        if (i != first) {
            coordinates = load_coordinates(places.y + i);
            bits = load_unit(places.x + i);
        }
        [[unroll]] for (uint k = 0; k < UNIT; ++k) if (coordinates[k] != NONE) atomicMax(
            numbers[coordinates[k]], ((i + k + 1) << NUMBER_SHIFT) | (HOLDS_ELEMENTS ? element_in(bits, k) : 0));
    }
    barrier();
    if (!HOLDS_ELEMENTS) {
        for (uint i = first; i < parameters.row_length; i += step) {
            if (parameters.row_length > step) { // else they are still there
                coordinates = load_coordinates(places.y + i);
                bits = load_unit(places.x + i);
            }
            leave_values(i, coordinates, bits);
        }
        barrier();
    }
    for (uint i = first; i < length; i += step) {
        uvec4 replaced = HOLDS_ELEMENTS ? uvec4(0) : i == first ? held : load_rest_unit(places.z + i);
        [[unroll]] for (uint k = 0; k < UNIT; ++k) {
            if (HOLDS_ELEMENTS) {
                insert(replaced, k, uvec2(numbers[i + k] & ELEMENT_MASK, 0));
            } else if (numbers[i + k] != 0) {
                replaced[k * WORDS_PER_ELEMENT] = values[i + k];
                if (WORDS_PER_ELEMENT == 2)
                    replaced[k * WORDS_PER_ELEMENT + 1] = values[length + i + k];
            }
        }
        store_unit(places.w + i, replaced);
    }
}

// item_count: lines; share: lines of a workgroup.
void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    if (MODE == SCATTER) {
        scatter_line(group);
    } else {
        uint first = group * parameters.share;
        gather_lines(first, min(parameters.share, parameters.item_count - first));
    }
}
