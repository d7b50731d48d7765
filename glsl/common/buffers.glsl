// Storage buffers as 32-bit words, as pairs of these, and as 16 bytes; several names for one binding are views of it.
// `access` is readonly, writeonly or nothing.
#ifndef VKDML_BUFFERS_GLSL
#define VKDML_BUFFERS_GLSL

#define BUFFER_OF_WORDS(number, access, Name, name) \
    layout(std430, binding = number) access buffer Name { uint words[]; } name
#define BUFFER_OF_PAIRS(number, access, Name, name) \
    layout(std430, binding = number) access buffer Name { uvec2 pairs[]; } name
#define BUFFER_OF_VECTORS(number, access, Name, name) \
    layout(std430, binding = number) access buffer Name { uvec4 vectors[]; } name

#endif
