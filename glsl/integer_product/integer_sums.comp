// Sums of packed lines: what zero points of the other operand are multiplied by.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "binding.glsl"
#include "buffers.glsl"

layout(constant_id = 2) const uint SHAPE = 0;
// In C: VKDML_INTEGER_SUMS_...
const bool BY_VECTORS = (SHAPE & 1u) != 0;
const bool IS_GATHERED = (SHAPE & 2u) != 0;
const uint RANK_SHIFT = 8;
const uint RANK = SHAPE >> RANK_SHIFT; // of the dimensions of lines, at most five

layout(constant_id = 3) const uint LANES = 1; // invocations that share a line, a power of two

layout(std140, binding = 0) uniform IntegerSumsParameters {
    uint group_count;
    uint line_count;
    uint word_count;     // of a line
    uint first;          // in words
    uint target_first;
    uvec4 sizes[5];      // of dimensions of lines, innermost first: size, multiplier, shifts, stride
    uvec4 taps;          // words of a tap, what divides by them, and how far apart taps are that lie side by side
    uvec4 tap_rows;      // taps of a row, what divides by them, and how far apart rows are
} parameters;

#include "lines.glsl"

BUFFER_OF_WORDS(1, readonly, Packed, packed_words);
BUFFER_OF_VECTORS(1, readonly, PackedVectors, packed_vectors);
BUFFER_OF_WORDS(2, writeonly, Sums, sums);

shared int shares[LANES > 1 ? gl_WorkGroupSize.x : 1];

#define LINE_DIMENSION(d)                                                                                              \
    if (RANK > d) {                                                                                                    \
        TAKE_COORDINATE(coordinate, rest, RANK == d + 1, parameters.sizes[d].x, parameters.sizes[d].y,                 \
                        parameters.sizes[d].z)                                                                         \
        first += coordinate * parameters.sizes[d].w;                                                                   \
    }

int share_of(uint line, uint lane)
{
    uint first = parameters.first + push.base_bytes[0] / 4;
    uint rest = line;
    LINE_DIMENSION(0)
    LINE_DIMENSION(1)
    LINE_DIMENSION(2)
    LINE_DIMENSION(3)
    LINE_DIMENSION(4)
    int sum = 0;
    const uint width = BY_VECTORS ? 4 : 1;
    for (uint k = lane * width; k < parameters.word_count; k += LANES * width) {
        uint place = first + word_of_line(IS_GATHERED, k);
        if (BY_VECTORS) {
            uvec4 words = packed_vectors.vectors[place / 4];
            sum += DOT_OF_ONES(words.x) + DOT_OF_ONES(words.y) + DOT_OF_ONES(words.z) + DOT_OF_ONES(words.w);
        } else {
            uint word = packed_words.words[place];
            sum += DOT_OF_ONES(word);
        }
    }
    return sum;
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint lines = gl_WorkGroupSize.x / LANES;
    uint line = group * lines + gl_LocalInvocationIndex / LANES;
    uint lane = gl_LocalInvocationIndex % LANES;
    int sum = line < parameters.line_count ? share_of(line, lane) : 0;
    if (LANES > 1) {
        shares[gl_LocalInvocationIndex] = sum;
        [[dont_unroll]] for (uint others = LANES / 2; others > 0; others /= 2) {
            barrier();
            if (lane < others)
                sum += shares[gl_LocalInvocationIndex + others];
            barrier();
            shares[gl_LocalInvocationIndex] = sum;
        }
    }
    if (lane == 0 && line < parameters.line_count)
        sums.words[parameters.target_first + push.base_bytes[1] / 4 + line] = uint(sum);
}
