// What the two passes of NONZERO_COORDINATES share. The input's elements in ascending order are marked in a bit mask,
// 32 to a word; a chunk is a run of mask words that one workgroup, or of the serial kernels one invocation, handles in
// both passes. Temporary memory: the mask, then a UINT32 total per chunk. What is larger than a descriptor can bind is
// covered by several dispatches, each with a window of the input, of the mask (whole chunks) or of the coordinates.
#ifndef VKDML_NONZERO_GLSL
#define VKDML_NONZERO_GLSL

#extension GL_EXT_control_flow_attributes : require

#include "binding.glsl"
#include "division.glsl"

layout(std140, binding = 0) uniform NonzeroParameters {
    uint element_count;
    uint mask_words;  // element_count / 32, rounded up
    uint chunk_words; // mask words per chunk
    uint chunk_count;
    uint significant_bits; // of a word of elements; all others (the sign of a float) do not make one nonzero
    uint row_stride;       // of the coordinates, in elements
    uint column_stride;
    uint chunk_first; // of this dispatch; the bound part of the mask begins with it
    uint chunk_end;
    uint first_pass;  // 1: write the mask, and the count; 0: they hold what an earlier dispatch put there
    uint input_first; // the window of the input, in elements from its first
    uint input_count;
    uint row_first; // the window of the coordinates
    uint row_end;
    uint column_first;
    uint column_end;
    uvec4 sizes[2]; // pass 1: of the input's collapsed dimensions; pass 2: of the dimensions the columns are of
    uvec4 strides[2];
    uvec4 multipliers[2]; // for divide() by the sizes
    uvec4 shifts[2];
} parameters;

// Element number / size of dimension d.
uint divide_by_size(uint n, uint d)
{
    return divide(n, parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3]);
}

// Where mask word `w` lies in the bound part of the mask.
uint mask_place(uint w)
{
    return w - parameters.chunk_first * parameters.chunk_words;
}

#endif
