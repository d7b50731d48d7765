// Writes words that its parameters hold, one an invocation: the constants of graphs, on their way to the GPU.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "binding.glsl"
#include "buffers.glsl"

const uint MOST_VECTORS = 59;

layout(std140, binding = 0) uniform DataParameters {
    uvec4 words[MOST_VECTORS];
    uint word_count;
} parameters;

BUFFER_OF_WORDS(1, writeonly, Destination, destination);

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < parameters.word_count)
        destination.words[(push.base_bytes.x >> 2) + i] = parameters.words[i >> 2][i & 3u];
}
