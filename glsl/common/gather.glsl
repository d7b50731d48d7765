// The frame of every kernel that computes each output element from at most one input element. The output is walked as
// rows along its innermost dimension. A kernel defines
//     void begin_row(uint row, uvec4 coordinates[2])  keeps what it needs of a row; coordinates of the RANK outer dimensions
//     uvec4 element(uint i)                           the bits of the row's element i, least significant word in x
// and includes gather_main.glsl. Elements are moved as bits in 32-bit words, so no 8-, 16- or 64-bit feature is needed.
#ifndef VKDML_GATHER_GLSL
#define VKDML_GATHER_GLSL

#include "binding.glsl"

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16, 32, 64 or 128
layout(constant_id = 2) const uint RANK = 7;          // dimensions outside the row

const uint ELEMENT_BYTES = ELEMENT_BITS / 8;
const uint ELEMENT_MASK = ELEMENT_BITS < 32 ? (1u << (ELEMENT_BITS & 31u)) - 1u : 0xFFFFFFFFu;
const uint ELEMENTS_PER_WORD = ELEMENT_BITS < 32 ? 32 / ELEMENT_BITS : 1;

// Mirrored by struct vkdml_gather_parameters. Strides and sizes are in elements.
layout(std140, binding = 0) uniform Parameters {
    uint group_count;   // workgroups with work; the grid may hold more
    uint item_count;    // invocations with work
    uint items_per_row; // an item is an element, or a 32-bit word of a dense row of narrow elements
    uint row_length;
    uint row_output_stride;
    uint row_input_stride;
    uint row_input_size; // of padding: the input's size along the row, and the padding before it
    uint row_start;
    uint row_origin;   // of a window: the coordinate along the row that its elements begin at
    uint output_first; // elements from the bound range's start to the window's first
    uint input_first;  // added, modulo 2^32, to an element's distance from the input's first: its place in the window
    uint reserved;
    uvec4 arguments; // the kernel's own
    uvec4 sizes[2];  // of the outer dimensions, outermost first
    uvec4 output_strides[2];
    uvec4 input_strides[2];
    uvec4 input_sizes[2];
    uvec4 starts[2];
    uvec4 origins[2]; // of a window, as row_origin
} parameters;

layout(std430, binding = 1) readonly buffer Input {
    uint words[];
} source;

layout(std430, binding = 2) buffer Output {
    uint words[];
} destination;

// The bits of the input element at a distance in elements from the input's first.
uvec4 load_element(uint distance)
{
    uint offset = distance + parameters.input_first;
    uint base = push.base_bytes.x >> 2;
    if (ELEMENT_BITS < 32) {
        uint word = source.words[base + offset / ELEMENTS_PER_WORD];
        return uvec4((word >> (offset % ELEMENTS_PER_WORD) * ELEMENT_BITS) & ELEMENT_MASK, 0, 0, 0);
    }
    uint first = base + offset * (ELEMENT_BITS / 32);
    uvec4 bits = uvec4(source.words[first], 0, 0, 0);
    if (ELEMENT_BITS >= 64)
        bits.y = source.words[first + 1];
    if (ELEMENT_BITS == 128)
        bits.zw = uvec2(source.words[first + 2], source.words[first + 3]);
    return bits;
}

// Stores an element of 32 bits or more at an offset in elements.
void store_element(uint offset, uvec4 bits)
{
    uint first = (push.base_bytes.y >> 2) + offset * (ELEMENT_BITS / 32);
    destination.words[first] = bits.x;
    if (ELEMENT_BITS >= 64)
        destination.words[first + 1] = bits.y;
    if (ELEMENT_BITS == 128) {
        destination.words[first + 2] = bits.z;
        destination.words[first + 3] = bits.w;
    }
}

// Stores the bits under `mask` of the output's 32-bit word `index`. Other invocations may own the word's other bits, so of
// a part only the bits that change are flipped, in one atomic. It must be one: in place the output is the input too, which
// a compiler need not expect, and only because the flipped bits depend on the element is that loaded first. (Clearing
// and then setting let an NVIDIA driver load the element in between.)
void store_word(uint index, uint bits, uint mask)
{
    index += push.base_bytes.y >> 2;
    if (mask == 0xFFFFFFFFu) {
        destination.words[index] = bits;
    } else {
        uint old = atomicOr(destination.words[index], 0);
        atomicXor(destination.words[index], (old ^ bits) & mask);
    }
}

#endif
