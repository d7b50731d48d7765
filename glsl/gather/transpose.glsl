// What the transpose kernels share. They move elements, as bits, between two layouts whose innermost dimensions differ.
// The dimensions are, in this order: batch dimensions; those of x, whose elements lie side by side in the input; those
// of y, whose elements lie side by side in the output.
#ifndef VKDML_TRANSPOSE_GLSL
#define VKDML_TRANSPOSE_GLSL

#include "binding.glsl"
#include "division.glsl"
#include "words.glsl"

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16 or 32
// elements that lie side by side in both; 1 where narrower than words
layout(constant_id = 2) const uint UNIT = 1;
layout(constant_id = 3) const uint TILE_X = 64;       // powers of two
layout(constant_id = 4) const uint TILE_Y = 64;
layout(constant_id = 5) const uint BATCH_RANK = 6;
layout(constant_id = 6) const uint X_RANK = 1;
layout(constant_id = 7) const uint Y_RANK = 1;
layout(constant_id = 8) const bool ALIGNED = false; // every run of the input begins at a multiple of 16 bytes
layout(constant_id = 9) const bool SHIFTED = true;  // not every run of the output does

const uint ELEMENT_BYTES = ELEMENT_BITS / 8;
const uint PACKED = 32 / ELEMENT_BITS; // elements of a word
#include "square.glsl"

// Strides are in elements.
layout(std140, binding = 0) uniform TransposeParameters {
    uint group_count;
    uint x_size; // places, of UNIT elements
    uint y_size;
    uint tiles_x;
    uint tiles_y;
    uint output_first; // as the gather kernels'
    uint input_first;
    uint item_count; // invocations with work, where each works alone
    uvec2 tiles_x_divisor;
    uvec2 tiles_y_divisor;
    uvec4 sizes[2];
    uvec4 multipliers[2]; // for divide() by them
    uvec4 shifts[2];
    uvec4 output_strides[2];
    uvec4 input_strides[2];
} parameters;

// The distances, {output, input}, of place `index` along dimensions [first, end), which counts in row-major order.
uvec2 distances(uint index, uint first, uint end)
{
    uvec2 sum = uvec2(0);
    for (uint n = first; n < end; ++n) {
        uint d = first + end - 1 - n;
        TAKE_COORDINATE(coordinate, index, d == first, parameters.sizes[d >> 2][d & 3],
                        parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3])
        sum += coordinate * uvec2(parameters.output_strides[d >> 2][d & 3], parameters.input_strides[d >> 2][d & 3]);
    }
    return sum;
}

// Up to a word of input elements, `count` of them, from a distance on.
uint load(uint distance, uint count)
{
    uint byte = push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES;
    uint bits = source.words[byte >> 2];
    uint shift = (byte & 3) * 8;
    if (PACKED == 1 || shift == 0)
        return bits;
    bits >>= shift;
    if (count * ELEMENT_BITS > 32 - shift)
        bits |= source.words[(byte >> 2) + 1] << (32 - shift);
    return bits;
}

// A tile's first places, {x, y}, and its batch.
uvec3 place_of_tile(uint index)
{
    uint rest = divide(index, parameters.tiles_y_divisor.x, parameters.tiles_y_divisor.y);
    uint batch = divide(rest, parameters.tiles_x_divisor.x, parameters.tiles_x_divisor.y);
    return uvec3((rest - batch * parameters.tiles_x) * TILE_X, (index - rest * parameters.tiles_y) * TILE_Y, batch);
}

#endif
