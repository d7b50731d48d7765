// Copies rows of keys or values behind those that a buffer has, as many as a number of the batch says. Rows that have
// no place there are left out.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "binding.glsl"
#include "buffers.glsl"

// Of an element that is moved: 16, or 32.
layout(constant_id = 1) const uint BITS = 32;

// In elements; of two numbers the first is of the rows, the second of the buffer.
layout(std140, binding = 0) uniform AttentionAppendParameters {
    uint unit_count;
    uint heads;
    uint rows;
    uint width;
    uint capacity; // rows of the buffer
    uint length_first;
    uint length_step;
    uvec2 firsts;
    uvec2 batch_steps;
    uvec2 head_steps;
    uvec2 row_steps;
    uvec2 element_steps;
} parameters;

BUFFER_OF_WORDS(1, readonly, Rows, source);
BUFFER_OF_WORDS(2, , Buffer, destination);
BUFFER_OF_WORDS(3, readonly, Lengths, lengths);

void main()
{
    uint unit = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (unit >= parameters.unit_count)
        return;
    uint column = unit % parameters.width;
    uint rest = unit / parameters.width;
    uint row = rest % parameters.rows;
    rest /= parameters.rows;
    uint head = rest % parameters.heads;
    uint batch = rest / parameters.heads;
    int number =
        int(lengths.words[parameters.length_first + push.base_bytes.z / 4 + batch * parameters.length_step]);
    uint past = min(uint(max(number, 0)), parameters.capacity);
    if (row >= parameters.capacity - past)
        return;
    uvec2 at = parameters.firsts + push.base_bytes.xy * 8 / BITS + batch * parameters.batch_steps +
               head * parameters.head_steps + uvec2(row, past + row) * parameters.row_steps +
               column * parameters.element_steps;
    if (BITS == 32) {
        destination.words[at.y] = source.words[at.x];
    } else {
        // Other invocations may own the word's other half.
        uint bits = source.words[at.x / 2] >> at.x % 2 * 16;
        uint shift = at.y % 2 * 16;
        uint old = atomicOr(destination.words[at.y / 2], 0);
        atomicXor(destination.words[at.y / 2], (old ^ bits << shift) & 0xFFFFu << shift);
    }
}
