// The first pass of NONZERO_COORDINATES: its buffers, and which elements of the input are nonzero. A group is the
// elements of 16 bytes, as many as an invocation loads at once.
#ifndef VKDML_NONZERO_INPUT_GLSL
#define VKDML_NONZERO_INPUT_GLSL

#include "buffers.glsl"
#include "nonzero.glsl"

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16 or 32
layout(constant_id = 2) const uint RANK = 1;          // of the collapsed input, at least 1
// The input is one run, and all elements of this dispatch's chunks lie in its window, which begins at 16 bytes'
// multiple.
layout(constant_id = 3) const bool DENSE = true;

const uint ELEMENTS_PER_WORD = 32 / ELEMENT_BITS;
const uint GROUP = 4 * ELEMENTS_PER_WORD;
const uint GROUPS_PER_WORD = 32 / GROUP; // of the mask

BUFFER_OF_WORDS(1, readonly, Input, source);
BUFFER_OF_VECTORS(1, readonly, InputVectors, source_vectors);
BUFFER_OF_WORDS(2, , Mask, marks);
BUFFER_OF_WORDS(3, writeonly, Totals, totals);

// A bit per element of a word of the input, in the highest bits; those below are anything.
uint high_marks(uint word)
{
    word &= parameters.significant_bits;
    if (ELEMENT_BITS == 32)
        return word != 0 ? 0x80000000 : 0;
    // Adding carries into an element's highest bit from any other, and no further.
    uint others = ELEMENT_BITS == 16 ? 0x7FFF7FFF : 0x7F7F7F7F;
    uint highest = (((word & others) + others) | word) & ~others;
    // Copies of the word side by side: the highest bits of elements meet in their order.
    return highest * (ELEMENT_BITS == 16 ? 0x8001 : 0x00204081);
}

uint word_marks(uint word)
{
    return high_marks(word) >> (32 - ELEMENTS_PER_WORD);
}

// A bit per element of 16 bytes. Two shifts and an OR of this form are one funnel shift.
uint vector_marks(uvec4 words)
{
    uint marks = word_marks(words.w);
    marks = (marks << ELEMENTS_PER_WORD) | word_marks(words.z);
    marks = (marks << ELEMENTS_PER_WORD) | word_marks(words.y);
    return (marks << ELEMENTS_PER_WORD) | word_marks(words.x);
}

// Of a DENSE input: 16 bytes from an element on, a multiple of GROUP.
uvec4 load_group(uint element)
{
    return source_vectors.vectors[(push.base_bytes.x >> 4) + (element - parameters.input_first) / GROUP];
}

// Where an element lies in the window; wraps for one before it. *left: the elements from it to its row's end.
uint find_element(uint element, out uint left)
{
    uint offset = 0 - parameters.input_first;
    left = parameters.element_count - element;
    [[unroll]] for (uint n = 0; n + 1 < RANK; ++n) {
        uint d = RANK - 1 - n;
        uint quotient = divide_by_size(element, d);
        uint coordinate = element - quotient * parameters.sizes[d >> 2][d & 3];
        left = n == 0 ? parameters.sizes[d >> 2][d & 3] - coordinate : left;
        offset += coordinate * parameters.strides[d >> 2][d & 3];
        element = quotient;
    }
    return offset + element * parameters.strides[0].x;
}

// The marks of the first `count` of four elements, one bit each. All are loaded, whether or not they lie in the window,
// so that the loads are under way together.
uint four_marks(uint offsets[4], uint count)
{
    uint words[4];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        uint offset = offsets[i] < parameters.input_count ? offsets[i] : 0;
        words[i] = source.words[(push.base_bytes.x >> 2) + offset / ELEMENTS_PER_WORD];
    }
    uint result = 0;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        uint mark = (word_marks(words[i]) >> offsets[i] % ELEMENTS_PER_WORD) & 1;
        result |= i < count && offsets[i] < parameters.input_count ? mark << i : 0;
    }
    return result;
}

// The marks of GROUP elements from `element` on; those past the last and outside the window, another dispatch's, are 0.
uint group_marks(uint element)
{
    uint left;
    uint offset = find_element(element, left);
    uint stride = parameters.strides[(RANK - 1) >> 2][(RANK - 1) & 3];
    uint byte = push.base_bytes.x + offset * (ELEMENT_BITS / 8);
    bool inside = offset < parameters.input_count && parameters.input_count - offset >= GROUP;
    if (stride == 1 && left >= GROUP && inside && (byte & 15) == 0)
        return vector_marks(source_vectors.vectors[byte >> 4]);

    uint count = min(parameters.element_count - element, GROUP);
    uint result = 0;
    for (uint first = 0; first < count; first += 4) {
        uint offsets[4];
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            offsets[i] = offset;
            offset += stride;
            if (--left == 0)
                offset = find_element(element + first + i + 1, left);
        }
        result |= four_marks(offsets, count - first) << first;
    }
    return result;
}

#endif
