// The frame of every kernel that computes each output element from at most one input element. Outer dimensions are the
// output's without its innermost, which is the row. A kernel defines
//     struct Row                        what it needs of a row
//     Row begin_row()                   .. before any of its coordinates is known
//     void enter(inout Row row, uint d, uint coordinate)  .. once the one of outer dimension d is
//     uvec2 element(Row row, uint x)    the bits of the row's element x, least significant word in x; others are 0
//     bool has_chunk(Row row, uint x)   whether chunk() knows the 16 bytes from element x on, all of them in the row
//     uvec4 chunk(Row row, uint x)      those bytes
//     const bool CONVERTS               whether elements are not stored as they are
//     uvec2 convert(uvec2 element)      but as this
//     bool convert_at_once(uvec4 bits, out uvec4 converted)  the same of 16 bytes, where that is fast
// and includes gather_main.glsl. It may also define
//     HAS_TABLE                         and void fill_table(), which the workgroup calls before it converts anything
//     HAS_SEAMS                         so that rows may be SEAMED or have RIMS, and
//     uint input_row(Row row)           the distance of the row's first input element from the input's first
//     bool has_rim_only(Row row)        whether the row has no input
//     uvec4 rim_chunk()                 16 bytes of such a row
//     HAS_PARTS                         and const bool IN_PARTS: where it is true chunk() knows all 16 bytes in a row
//     uvec4 part(Row row, uint x, uint from)  and 16 bytes, of which those from element `from` on begin with the row's
//                                       element x; others, and those beyond the row, have no meaning
//     HAS_BAND                          and IN_PARTS: where it is true gather_band.glsl sees to all chunks
// Elements are moved as bits in 32-bit words, so no 8-, 16- or 64-bit feature is needed.
#ifndef VKDML_GATHER_GLSL
#define VKDML_GATHER_GLSL

#extension GL_EXT_control_flow_attributes : require

#include "binding.glsl"
#include "division.glsl"
#include "words.glsl"

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16, 32 or 64
layout(constant_id = 2) const uint RANK = 7;          // outer dimensions
layout(constant_id = 3) const uint RUN_RANK = 7;      // of them, those outside a run
layout(constant_id = 4) const bool DENSE = true;      // row_output_stride is 1
// The rows: shorter than a chunk; any other; of padding, so much longer than seams that these are shared out (see
// gather_seams.glsl), or with rims of up to two or up to four elements in all (see gather_rims.glsl).
// In C: enum vkdml_gather_rows, VKDML_GATHER_ROWS_...
const uint SHORT = 0;
const uint LONG = 1;
const uint SEAMED = 2;
const uint TWO_RIMS = 3;
const uint FOUR_RIMS = 4;
layout(constant_id = 6) const uint ROWS = SHORT;
// The rows of the input: elements apart; side by side or one for all, as row_input_stride says; side by side, and
// aligned otherwise than the output's more often than not.
// In C: enum vkdml_gather_input_rows, VKDML_GATHER_INPUT_...
const uint APART = 0;
const uint TOGETHER = 1;
const uint UNALIGNED = 2;
layout(constant_id = 9) const uint INPUT_ROWS = TOGETHER;

const uint ELEMENT_BYTES = ELEMENT_BITS / 8;
const uint ELEMENT_MASK = ELEMENT_BITS < 32 ? (1u << (ELEMENT_BITS & 31u)) - 1u : 0xFFFFFFFFu;
const uint ELEMENTS_PER_WORD = ELEMENT_BITS < 32 ? 32 / ELEMENT_BITS : 1;
const uint CHUNK_BYTES = 16;
const uint CHUNK = CHUNK_BYTES / ELEMENT_BYTES; // elements

// Strides and sizes are in elements. A run is a part of the output whose
// elements lie side by side, rows after rows; of a row with gaps it is the row.
layout(std140, binding = 0) uniform GatherParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;  // invocations with work
    uint items_per_run; // an item is 16 aligned bytes of the output where rows are dense, an element elsewhere
    uint run_length;
    uint row_length;
    uint row_output_stride;
    uint row_input_stride;
    uint row_input_size; // of padding: the input's size along the row, and the padding before it
    uint row_start;
    uint row_origin;   // of a window: the coordinate along the row that its elements begin at
    uint output_first; // elements from the bound range's start to the window's first
    uint input_first;  // added, modulo 2^32, to an element's distance from the input's first: its place in the window
    uvec2 items_divisor; // for divide(): items_per_run, row_length
    uvec2 row_divisor;
    uvec2 row_period_divisor; // of padding, see period_multipliers
    uvec2 seam_divisor; // for divide() by seam_chunks
    uvec4 arguments; // the kernel's own, or what fills the RIMS of rows
    uvec4 sizes[2];  // of the outer dimensions, outermost first
    uvec4 multipliers[2]; // for divide() by them
    uvec4 shifts[2];
    uvec4 output_strides[2];
    uvec4 input_strides[2];
    uvec4 input_sizes[2];
    uvec4 starts[2];
    uvec4 origins[2]; // of a window, as row_origin
    uvec4 period_multipliers[2]; // of padding, for divide() by what the kernel's mode repeats after
    uvec4 period_shifts[2];
    uint group_length; // of gather_runs_main.glsl's items: elements of `parts` items of a run, whole rows
    uint parts;
    uint part_length; // elements of the first parts of a group
    uint seam_chunks; // of SEAMED rows: the most chunks that a seam touches
    uvec2 parts_divisor;
    uint seam_units;  // .. and the units of a workgroup's seams
    uint input_words; // bound of the input
} parameters;

// The bits of the input element at a distance in elements from the input's first.
uvec2 load_element(uint distance)
{
    uint offset = distance + parameters.input_first;
    uint base = push.base_bytes.x >> 2;
    uvec2 bits = uvec2(0);
    if (ELEMENT_BITS < 32) {
        uint word = source.words[base + offset / ELEMENTS_PER_WORD];
        bits.x = (word >> (offset % ELEMENTS_PER_WORD) * ELEMENT_BITS) & ELEMENT_MASK;
    } else {
        uint first = base + offset * (ELEMENT_BITS / 32);
        bits.x = source.words[first];
        if (ELEMENT_BITS == 64)
            bits.y = source.words[first + 1];
    }
    return bits;
}

// 16 bytes of the input from the element at a distance from its first on; all of them must be there.
uvec4 load_chunk(uint distance)
{
    uint byte = push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES;
    uint word = byte >> 2;
    uvec4 bits;
    if (INPUT_ROWS != UNALIGNED && (byte & 15) == 0) {
        bits = source_vectors.vectors[byte >> 4];
    } else {
        bits = uvec4(source.words[word], source.words[word + 1], source.words[word + 2], source.words[word + 3]);
        uint shift = (byte & 3) * 8;
        if (ELEMENT_BITS < 32 && shift != 0)
            bits = (bits >> shift) | (uvec4(bits.yzw, source.words[word + 4]) << (32 - shift));
    }
    return bits;
}

// 16 bytes of the input as the words that hold them: nothing waits for these until they are joined.
struct Words {
    uvec4 bits;
    uint next;
    uint shift;
};

// .. from the element at a distance on.
Words load_words(uint distance)
{
    uint byte = push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES;
    uint word = byte >> 2;
    Words words;
    words.shift = ELEMENT_BITS < 32 ? (byte & 3) * 8 : 0;
    words.bits = uvec4(source.words[word], source.words[word + 1], source.words[word + 2], source.words[word + 3]);
    words.next = 0;
    if (ELEMENT_BITS < 32)
        words.next = source.words[words.shift != 0 ? word + 4 : word];
    return words;
}

// .. of which element `from` is the one at a distance. Those beyond the input's ends have no meaning; at least five
// words must be there.
Words load_words_around(uint distance, uint from)
{
    uint byte = push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES;
    int offset = int(byte & 3) - int(from * ELEMENT_BYTES);
    uint first = (byte >> 2) + uint(offset >> 2); // wraps around 0 before the buffer
    uint last = (push.base_bytes.x >> 2) + parameters.input_words - 5;
    uint word = min(first, last);
    Words words;
    words.shift = (uint(offset) & 3) * 8;
    words.bits = uvec4(source.words[word], source.words[word + 1], source.words[word + 2], source.words[word + 3]);
    words.next = source.words[word + 4];
    if (first > last) {
        [[dont_unroll]] for (uint w = 0; w < 5; ++w) {
            words.bits = uvec4(words.bits.yzw, words.next);
            words.next = source.words[min(first + w, last + 4)];
        }
    }
    return words;
}

uvec4 join(Words words)
{
    if (ELEMENT_BITS < 32 && words.shift != 0)
        return (words.bits >> words.shift) | (uvec4(words.bits.yzw, words.next) << (32 - words.shift));
    return words.bits;
}

// 16 bytes of which those of elements [from, ..) are the input's from the element at a distance on. Others, and those
// beyond the input's ends, have no meaning.
uvec4 load_part(uint distance, uint from)
{
    uint byte = push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES;
    int offset = int(byte & 3) - int(from * ELEMENT_BYTES);
    uint word = (byte >> 2) + uint(offset >> 2); // wraps around 0 before the buffer
    uint last = (push.base_bytes.x >> 2) + parameters.input_words - 1;
    uint shift = (uint(offset) & 3) * 8;
    uvec4 words = min(word + uvec4(0, 1, 2, 3), uvec4(last));
    uvec4 bits = uvec4(source.words[words.x], source.words[words.y], source.words[words.z], source.words[words.w]);
    if (ELEMENT_BITS < 32 && shift != 0)
        bits = (bits >> shift) | (uvec4(bits.yzw, source.words[min(word + 4, last)]) << (32 - shift));
    return bits;
}

// 16 bytes of an element repeated.
uvec4 repeat(uvec2 bits)
{
    if (ELEMENT_BITS == 64)
        return bits.xyxy;
    uint word = bits.x & ELEMENT_MASK;
    if (ELEMENT_BITS == 8)
        word *= 0x01010101u;
    if (ELEMENT_BITS == 16)
        word *= 0x00010001u;
    return uvec4(word);
}

// The bits of 16 bytes that belong to elements [first, ..) of them; first is at most CHUNK.
uvec4 mask_from_element(uint first)
{
    uint bit = first * ELEMENT_BITS;
    uvec4 begun =
        mix(uvec4(0xFFFFFFFFu), uvec4(0xFFFFFFFFu << (bit & 31)), greaterThanEqual(uvec4(bit), uvec4(0, 32, 64, 96)));
    return mix(begun, uvec4(0), greaterThanEqual(uvec4(bit), uvec4(32, 64, 96, 128)));
}

// .. to elements [first, end) of them.
uvec4 mask_elements(uint first, uint end)
{
    return mask_from_element(first) & ~mask_from_element(end);
}

// b where the mask is set, elsewhere a.
uvec4 mix_bits(uvec4 a, uvec4 b, uvec4 mask)
{
    return (a & ~mask) | (b & mask);
}

// Stores the bits under a mask that may be empty.
void store_part(uint index, uint bits, uint mask)
{
    if (mask != 0)
        store_word(index, bits, mask);
}

#endif
