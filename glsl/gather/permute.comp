// Permutations by blocks in shared memory. A block is a box of elements whose runs are long in both tensors, however
// small the dimensions that make them up. It is read in the input's order, 16 bytes at a time, as it lies there; each
// word of the output is put together from elements looked up at places that are the same for all blocks, found once.
// Elements narrower than words are looked up by words where squares of them can be exchanged in registers.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "binding.glsl"
#include "division.glsl"
#include "words.glsl"

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16 or 32
layout(constant_id = 2) const uint BLOCK_RANK = 2;    // dimensions of a block
layout(constant_id = 3) const uint OUTER_RANK = 0;    // of them, those outside its runs of the output
layout(constant_id = 4) const uint BATCH_RANK = 1;    // dimensions that blocks are counted along
layout(constant_id = 5) const uint SPLIT_RANK = 1;    // the last of them: whose parts are in the block; at most 2
layout(constant_id = 6) const uint BLOCKS = 8;        // of a workgroup
layout(constant_id = 7) const uint WORDS = 4;         // of a block's output, per invocation
layout(constant_id = 8) const uint VECTORS = 1;       // 16 bytes of its input, per invocation
layout(constant_id = 9) const uint TILE_WORDS = 4096;
layout(constant_id = 10) const uint COLUMN_RANK = 0;  // dimensions of columns; 0: elements go one by one
layout(constant_id = 11) const bool WHOLE_WORDS = false; // squares begin at words of the input

const uint ELEMENT_BYTES = ELEMENT_BITS / 8;
const uint PACKED = 32 / ELEMENT_BITS; // elements of a word
#include "square.glsl"
const uint ELEMENT_MASK = 0xFFFFFFFFu >> (32 - ELEMENT_BITS);
const uint NOWHERE = 0xFFFFFFFFu; // no place
const uint WORD_MASK = (1u << PACKED) - 1; // a bit per element

// Elements of less than a word go by squares where they can: PACKED columns, which lie side by side in the input, of a
// word of the output each. The dimensions of a block are then in this order: others, those of columns, the one of
// words.
const bool BY_SQUARES = COLUMN_RANK > 0;
const uint COLUMN_END = OUTER_RANK + COLUMN_RANK;

// Sizes and strides are in elements. Dimensions of a block, and those of batches,
// are in the output's order, outermost first.
layout(std140, binding = 0) uniform PermuteParameters {
    uint group_count;
    uint block_count;
    uint output_first; // as the gather kernels'
    uint input_first;
    uint input_slots; // vectors of all runs of a block's input
    uint run_vectors;
    uint output_slots; // words of all runs of its output; or squares, with run_words of them side by side
    uint run_words;
    uvec2 run_vectors_divisor;
    uvec2 run_words_divisor;
    uint run_length; // of the output
    uint columns; // squares of columns
    uvec2 split_sizes; // of the whole dimensions, the last one's first
    uvec2 columns_divisor;
    uvec2 reserved;
    uvec4 split_dimensions; // of a block, x and y; their sizes in it, z and w
    uvec4 sizes[2];
    uvec4 multipliers[2]; // for divide() by them
    uvec4 shifts[2];
    uvec4 output_strides[2];
    uvec4 input_strides[2];
    uvec4 run_strides[2]; // in the count of the input's runs; 0 within a run
    uvec4 batch_sizes[2];
    uvec4 batch_multipliers[2];
    uvec4 batch_shifts[2];
    uvec4 batch_output_strides[2];
    uvec4 batch_input_strides[2];
} parameters;

shared uint tile[TILE_WORDS];
shared uvec4 blocks[BLOCKS]; // where each begins, {input byte, output byte}, and the sizes of its parts

// Where a word of the block's input lies: rows of 33 words, so that words at even distances fall on different banks.
uint skewed(uint word)
{
    return word + (word >> 5);
}

uvec4 block_at(uint index)
{
    uvec2 sum = uvec2(parameters.output_first, parameters.input_first);
    uvec2 extent = parameters.split_dimensions.zw;
    for (uint n = 0; n < BATCH_RANK; ++n) {
        uint d = BATCH_RANK - 1 - n;
        TAKE_COORDINATE(coordinate, index, d == 0, parameters.batch_sizes[d >> 2][d & 3],
                        parameters.batch_multipliers[d >> 2][d & 3], parameters.batch_shifts[d >> 2][d & 3])
        sum += coordinate *
               uvec2(parameters.batch_output_strides[d >> 2][d & 3], parameters.batch_input_strides[d >> 2][d & 3]);
        if (n < SPLIT_RANK)
            extent[n] = min(extent[n], parameters.split_sizes[n] - coordinate * extent[n]);
    }
    return uvec4(push.base_bytes.xy + sum.yx * ELEMENT_BYTES, extent);
}

// A place in a block: distances from its first element.
struct Place {
    uint run;    // of the input
    uint begin;  // of that run, in the input
    uint within; // the run
    uint output_distance;
    bool exists;
};

// Moves a place by `index`, counted along the block's dimensions [first, end).
Place move(Place place, uint index, uint first, uint end, uvec2 extent)
{
    for (uint n = first; n < end; ++n) {
        uint d = first + end - 1 - n;
        TAKE_COORDINATE(coordinate, index, d == first, parameters.sizes[d >> 2][d & 3],
                        parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3])
        uint distance = coordinate * parameters.input_strides[d >> 2][d & 3];
        uint run_stride = parameters.run_strides[d >> 2][d & 3];
        place.run += coordinate * run_stride;
        place.begin += run_stride != 0 ? distance : 0;
        place.within += run_stride != 0 ? 0 : distance;
        place.output_distance += coordinate * parameters.output_strides[d >> 2][d & 3];
        bool cut = (SPLIT_RANK > 0 && d == parameters.split_dimensions.x && coordinate >= extent.x) ||
                   (SPLIT_RANK > 1 && d == parameters.split_dimensions.y && coordinate >= extent.y);
        place.exists = place.exists && !cut && coordinate < parameters.sizes[d >> 2][d & 3];
    }
    return place;
}

// The distance of the first element of a block's run of the input.
uint input_run(uint run)
{
    uint sum = 0;
    for (uint n = 0; n < BLOCK_RANK; ++n) {
        uint d = BLOCK_RANK - 1 - n;
        if (parameters.run_strides[d >> 2][d & 3] != 0) {
            uint rest = divide(run, parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3]);
            sum += (run - rest * parameters.sizes[d >> 2][d & 3]) * parameters.input_strides[d >> 2][d & 3];
            run = rest;
        }
    }
    return sum;
}

// What an invocation knows of every block that lies like the one it was found for.
uint from[VECTORS];           // the 16 bytes it reads, from those that the block begins in on
uint places[WORDS * PACKED];  // of the elements of its words: 32 times the word of the tile, and the bit in it
uint to[WORDS * (BY_SQUARES ? PACKED : 1)]; // where it writes them, from the word that the block begins in on
uint present;                 // a bit for each that exists

uint vector_from(uvec4 block, uint slot)
{
    uint run = divide(slot, parameters.run_vectors_divisor.x, parameters.run_vectors_divisor.y);
    uint first = ((block.x & 15) + input_run(run) * ELEMENT_BYTES) >> 4;
    return slot < parameters.input_slots ? first + slot - run * parameters.run_vectors : 0;
}

void find_vectors(uvec4 block)
{
    [[unroll]] for (uint j = 0; j < VECTORS; ++j)
        from[j] = vector_from(block, gl_LocalInvocationIndex + j * gl_WorkGroupSize.x);
}

uint byte_of(uvec4 block, Place place)
{
    uint lead = ((block.x & 15) + place.begin * ELEMENT_BYTES) & 15;
    return place.run * parameters.run_vectors * 16 + lead + place.within * ELEMENT_BYTES;
}

// The place of an element of a run of the output, if there is one.
uint place_of(uvec4 block, Place row, uint element)
{
    Place place = move(row, element, OUTER_RANK, BLOCK_RANK, block.zw);
    uint byte = byte_of(block, place);
    return place.exists && element < parameters.run_length ? skewed(byte >> 2) << 5 | (byte & 3) << 3 : NOWHERE;
}

void find_words(uvec4 block)
{
    present = 0;
    [[unroll]] for (uint j = 0; j < WORDS; ++j) {
        uint slot = gl_LocalInvocationIndex + j * gl_WorkGroupSize.x;
        uint run = divide(slot, parameters.run_words_divisor.x, parameters.run_words_divisor.y);
        uint word = slot - run * parameters.run_words;
        Place row = move(Place(0, 0, 0, 0, slot < parameters.output_slots), run, 0, OUTER_RANK, block.zw);
        uint begin = (block.y & 3) + row.output_distance * ELEMENT_BYTES;
        uint element = word * PACKED - (begin & 3) / ELEMENT_BYTES; // wraps around 0 before the run
        to[j] = (begin >> 2) + word;
        [[unroll]] for (uint e = 0; e < PACKED; ++e) {
            uint place = place_of(block, row, element + e);
            places[j * PACKED + e] = place != NOWHERE ? place : 0;
            present |= place != NOWHERE ? 1u << (j * PACKED + e) : 0;
        }
    }
}

// The same for squares: the places are those that a row of a square begins at, with bit 0 where the skew grows within
// it.
void find_squares(uvec4 block)
{
    present = 0;
    [[unroll]] for (uint j = 0; j < WORDS; ++j) {
        uint slot = gl_LocalInvocationIndex + j * gl_WorkGroupSize.x;
        uint rest = divide(slot, parameters.run_words_divisor.x, parameters.run_words_divisor.y);
        uint first = (slot - rest * parameters.run_words) * PACKED;
        uint outer = divide(rest, parameters.columns_divisor.x, parameters.columns_divisor.y);
        uint column = (rest - outer * parameters.columns) * PACKED;
        Place row = move(Place(0, 0, 0, 0, slot < parameters.output_slots), outer, 0, OUTER_RANK, block.zw);
        [[unroll]] for (uint e = 0; e < PACKED; ++e) {
            Place place = move(row, first + e, COLUMN_END, BLOCK_RANK, block.zw);
            place.within += column;
            uint word = byte_of(block, place) >> 2;
            uint bit = (byte_of(block, place) & 3) << 3;
            places[j * PACKED + e] = place.exists ? skewed(word) << 5 | bit | (word % 32 == 31 ? 1 : 0) : 0;
        }
        Place place = move(row, first, COLUMN_END, BLOCK_RANK, block.zw);
        [[unroll]] for (uint e = 0; e < PACKED; ++e) {
            Place at = move(place, column + e, OUTER_RANK, COLUMN_END, block.zw);
            to[j * PACKED + e] = at.output_distance * ELEMENT_BYTES >> 2;
            present |= at.exists ? 1u << (j * PACKED + e) : 0;
        }
    }
}

void put_vector(uint slot, uvec4 bits)
{
    if (slot >= parameters.input_slots)
        return;
    uint word = skewed(slot * 4);
    tile[word] = bits.x;
    tile[word + 1] = bits.y;
    tile[word + 2] = bits.z;
    tile[word + 3] = bits.w;
}

// The bits of a word's elements of which `bits` has one each.
uint element_mask(uint bits)
{
    uint mask = 0;
    for (uint e = 0; e < PACKED; ++e)
        mask |= (bits >> e & 1) != 0 ? ELEMENT_MASK << e * ELEMENT_BITS : 0;
    return mask;
}

uint tile_element(uint place)
{
    return tile[place >> 5] >> (place & 31) & ELEMENT_MASK;
}

uint tile_word(uint place)
{
    uint word = place >> 5;
    return WHOLE_WORDS ? tile[word] : funnel(tile[word], tile[word + 1 + (place & 1)], place & 24);
}

void write_squares(uvec4 block)
{
    [[unroll]] for (uint j = 0; j < WORDS; ++j) {
        uvec4 rows = uvec4(0);
        [[unroll]] for (uint e = 0; e < PACKED; ++e)
            rows[e] = tile_word(places[j * PACKED + e]);
        uvec4 columns = transpose_square(rows);
        [[unroll]] for (uint e = 0; e < PACKED; ++e)
            if ((present >> (j * PACKED + e) & 1) != 0)
                destination.words[(block.y >> 2) + to[j * PACKED + e]] = columns[e];
    }
}

void write_block(uvec4 block)
{
    [[unroll]] for (uint j = 0; j < WORDS; ++j) {
        uint bits = 0;
        [[unroll]] for (uint e = 0; e < PACKED; ++e)
            bits |= tile_element(places[j * PACKED + e]) << e * ELEMENT_BITS;
        uint exist = present >> j * PACKED & WORD_MASK;
        uint word = (block.y >> 2) + to[j];
        if (exist == WORD_MASK)
            destination.words[word] = bits;
        else if (exist != 0)
            store_word(word, bits, element_mask(exist));
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint count = min(BLOCKS, parameters.block_count - group * BLOCKS);
    for (uint i = gl_LocalInvocationIndex; i < count; i += gl_WorkGroupSize.x)
        blocks[i] = block_at(group * BLOCKS + i);
    barrier();

    uvec4 found = uvec4(0xFFFFFFFFu);
    uvec4 next = blocks[0];
    uvec4 held[VECTORS];
    find_vectors(next);
    [[unroll]] for (uint j = 0; j < VECTORS; ++j)
        held[j] = bound_vector((next.x >> 4) + from[j]);
    for (uint i = 0; i < count; ++i) {
        uvec4 block = next;
        uvec4 like = uvec4(block.x & 15, block.y & 3, block.zw);
        if (like != found && BY_SQUARES)
            find_squares(block);
        else if (like != found)
            find_words(block);
        found = like;
        [[unroll]] for (uint j = 0; j < VECTORS; ++j)
            put_vector(gl_LocalInvocationIndex + j * gl_WorkGroupSize.x,
                       with_tail(held[j], (block.x >> 4) + from[j]));
        barrier();
        // The next block is on its way while this one is written.
        if (i + 1 < count) {
            next = blocks[i + 1];
            if ((next.x & 15) != like.x)
                find_vectors(next);
            [[unroll]] for (uint j = 0; j < VECTORS; ++j)
                held[j] = bound_vector((next.x >> 4) + from[j]);
        }
        if (BY_SQUARES)
            write_squares(block);
        else
            write_block(block);
        barrier();
    }
}
