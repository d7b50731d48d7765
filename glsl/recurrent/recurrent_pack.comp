// Lays matrices out as the recurrent kernel reads them: fours of a row, along k, beside those of the other rows of its
// tile. What is beyond a row or the last row is 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

#include "binding.glsl"
#include "buffers.glsl"
#include "types.glsl"

layout(constant_id = 1) const uint TYPE_IN = 1; // 0: there is no input, and all is 0
layout(constant_id = 2) const uint TYPE_OUT = 1;

// The output is {directions, tiles, fours, gates, rows of a tile, 4}.
layout(std140, binding = 0) uniform RecurrentPackParameters {
    uint group_count;
    uint item_count; // fours of the output
    uint tiles;
    uint fours;
    uint gates;
    uint tile_rows;
    uint rows;       // of a gate
    uint depth;      // of a row
    uint first;      // element of the input
    uint direction_stride;
    uint gate_stride;
    uint row_stride;
    uint depth_stride;
} parameters;

BUFFER_OF_PAIRS(1, writeonly, OutputPairs, destination_pairs);
BUFFER_OF_VECTORS(1, writeonly, OutputVectors, destination_vectors);
BUFFER_OF_WORDS(2, readonly, Input, source);

uint bits_at(uint element)
{
    if (TYPE_IN == FLOAT16)
        return source.words[element / 2] >> (element % 2 * 16) & 0xFFFF;
    return source.words[element];
}

void main()
{
    uint group = group_index();
    uint item = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (group >= parameters.group_count || item >= parameters.item_count)
        return;
    uint rest = item / parameters.tile_rows;
    uint row = item - rest * parameters.tile_rows;
    uint gate = rest % parameters.gates;
    rest /= parameters.gates;
    uint k = rest % parameters.fours * 4;
    rest /= parameters.fours;
    row += rest % parameters.tiles * parameters.tile_rows;
    uint direction = rest / parameters.tiles;
    uint element = parameters.first + direction * parameters.direction_stride + gate * parameters.gate_stride +
                   row * parameters.row_stride + k * parameters.depth_stride;
    uvec4 bits = uvec4(0);
    if (TYPE_IN != 0 && row < parameters.rows) {
        element += push.base_bytes[1] * 8 / BITS_OF(TYPE_IN);
        for (uint v = 0; v < 4 && k + v < parameters.depth; ++v) {
            bits[v] = bits_at(element);
            element += parameters.depth_stride;
        }
    }
    uint at = item + push.base_bytes[0] / (BITS_OF(TYPE_OUT) / 2);
    if (TYPE_OUT == FLOAT16)
        destination_pairs.pairs[at] = uvec2(bits.x | bits.y << 16, bits.z | bits.w << 16);
    else if (TYPE_IN == FLOAT16)
        destination_vectors.vectors[at] =
            uvec4(widen_half(bits.x), widen_half(bits.y), widen_half(bits.z), widen_half(bits.w));
    else
        destination_vectors.vectors[at] = bits;
}
