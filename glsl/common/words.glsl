// A kernel's input and output as 32-bit words, and as 16 bytes.
#ifndef VKDML_WORDS_GLSL
#define VKDML_WORDS_GLSL

#include "buffers.glsl"

BUFFER_OF_WORDS(1, readonly, Input, source);
BUFFER_OF_VECTORS(1, readonly, InputVectors, source_vectors);
BUFFER_OF_WORDS(2, , Output, destination);
BUFFER_OF_VECTORS(2, , OutputVectors, destination_vectors);

// 16 bytes of the input, any where they are not bound; with_tail() puts the last ones right. Two functions, so that
// many loads are on their way before one is looked at.
uvec4 bound_vector(uint index)
{
    return source_vectors.vectors[min(index, source_vectors.vectors.length() - 1)];
}

// What was loaded, or where fewer than 16 bytes are bound those, and 0.
uvec4 with_tail(uvec4 bits, uint index)
{
    if (index >= source_vectors.vectors.length()) {
        bits = uvec4(0);
        for (uint w = 0; w < 4; ++w)
            if (index * 4 + w < source.words.length())
                bits[w] = source.words[index * 4 + w];
    }
    return bits;
}

// Stores the bits under `mask` of the output's 32-bit word `index`. Other invocations may own the word's other bits, so
// of a part only the bits that change are flipped, in one atomic. It must be one: in place the output is the input too,
// which a compiler need not expect, and only because the flipped bits depend on the element is that loaded first.
// (Clearing and then setting let an NVIDIA driver load the element in between.)
void store_word(uint index, uint bits, uint mask)
{
    if (mask == 0xFFFFFFFFu) {
        destination.words[index] = bits;
    } else {
        uint old = atomicOr(destination.words[index], 0);
        atomicXor(destination.words[index], (old ^ bits) & mask);
    }
}

#endif
