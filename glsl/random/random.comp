// Words of Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011): four of
// them, a block, are a function of a 128-bit counter and a 64-bit key. Element number n of the output is word n % 4 of
// the block of counter + n / 4, so an item is the elements of a block. Rows are those of the numbers' order, whose
// elements may lie anywhere.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"

layout(constant_id = 1) const uint RANK = 7;  // outer dimensions
// items of an invocation, as many workgroup sizes apart; 0: side by side, for CPUs
layout(constant_id = 2) const uint ITEMS = 4;
layout(constant_id = 3) const bool HAS_NEXT = true;   // the first invocation advances the state
layout(constant_id = 4) const bool IS_WHOLE = false;  // blocks are 16 aligned bytes, but for the last one

layout(std140, binding = 0) uniform RandomParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;
    uint items_per_row;
    uint row_length;
    uint row_stride;   // of the output
    uint output_first; // elements from the bound range's start to the first
    uint number_first; // of the first element
    uint share;        // items of an invocation, for CPUs
    uint state_stride; // between the words of a state, and of the next one
    uint next_stride;
    uint block_count;  // of the whole output
    uvec2 items_divisor; // for divide(): items_per_row
    // of the outer dimensions, outermost first: a size, its multiplier and shifts, the output's stride
    uvec4 sizes[8];
    uvec4 numbers[2];  // how many elements a coordinate of these counts
} parameters;

BUFFER_OF_WORDS(1, readonly, State, state);
BUFFER_OF_WORDS(2, writeonly, Output, destination);
BUFFER_OF_VECTORS(2, writeonly, OutputVectors, destination_vectors);
BUFFER_OF_WORDS(3, writeonly, Next, next);

uvec4 counter;
uvec2 key;

uint state_word(uint n)
{
    return state.words[(push.base_bytes[0] >> 2) + n * parameters.state_stride];
}

// The counter so many blocks on, modulo 2^128.
uvec4 counter_after(uint blocks)
{
    uint carry;
    uvec4 sum;
    sum.x = uaddCarry(counter.x, blocks, carry);
    sum.y = uaddCarry(counter.y, carry, carry);
    sum.z = uaddCarry(counter.z, carry, carry);
    sum.w = counter.w + carry;
    return sum;
}

uvec4 block_at(uint number)
{
    uvec4 c = counter_after(number);
    uvec2 k = key;
    [[unroll]] for (uint turn = 0; turn < 10; ++turn) {
        uint high_0, low_0, high_1, low_1;
        umulExtended(0xD2511F53u, c.x, high_0, low_0);
        umulExtended(0xCD9E8D57u, c.z, high_1, low_1);
        c = uvec4(high_1 ^ c.y ^ k.x, low_1, high_0 ^ c.w ^ k.y, low_0);
        k += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}

void fill(uint item)
{
    uint row = RANK == 0 ? 0 : divide(item, parameters.items_divisor.x, parameters.items_divisor.y);
    uint slot = item - row * parameters.items_per_row;
    uint element = parameters.output_first + push.base_bytes[1] / 4;
    uint number = parameters.number_first;
    for (uint n = 0; n < RANK; ++n) {
        uint d = RANK - 1 - n;
        TAKE_COORDINATE(coordinate, row, d == 0, parameters.sizes[d].x, parameters.sizes[d].y, parameters.sizes[d].z)
        element += coordinate * parameters.sizes[d].w;
        number += coordinate * parameters.numbers[d / 4][d % 4];
    }
    uint first = slot * 4 - number % 4; // in the row; wraps around 0 before it
    uvec4 words = block_at(number / 4 + slot);
    bool is_inside = first < parameters.row_length && parameters.row_length - first >= 4;
    if (IS_WHOLE && is_inside) {
        destination_vectors.vectors[(element + first) / 4] = words;
    } else {
        [[unroll]] for (uint k = 0; k < 4; ++k) {
            if (first + k < parameters.row_length)
                destination.words[element + (first + k) * parameters.row_stride] = words[k];
        }
    }
}

void advance()
{
    uvec4 after = counter_after(parameters.block_count);
    uint at = push.base_bytes[2] >> 2;
    [[unroll]] for (uint n = 0; n < 4; ++n)
        next.words[at + n * parameters.next_stride] = after[n];
    next.words[at + 4 * parameters.next_stride] = key.x;
    next.words[at + 5 * parameters.next_stride] = key.y;
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    counter = uvec4(state_word(0), state_word(1), state_word(2), state_word(3));
    key = uvec2(state_word(4), state_word(5));
    if (HAS_NEXT && group == 0 && gl_LocalInvocationIndex == 0)
        advance();
    if (ITEMS == 0) {
        uint begin = (group * gl_WorkGroupSize.x + gl_LocalInvocationIndex) * parameters.share;
        for (uint n = 0; n < parameters.share; ++n) {
            if (begin + n < parameters.item_count)
                fill(begin + n);
        }
    } else {
        uint begin = group * gl_WorkGroupSize.x * ITEMS + gl_LocalInvocationIndex;
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            uint item = begin + n * gl_WorkGroupSize.x;
            if (item < parameters.item_count)
                fill(item);
        }
    }
}
