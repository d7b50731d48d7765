// What is multiplied, added and stored, and how elements of it are loaded.
#ifndef VKDML_PRODUCT_TENSORS_GLSL
#define VKDML_PRODUCT_TENSORS_GLSL

#include "types.glsl"

layout(constant_id = 1) const uint TYPES = 0x111; // of a and b, of c, of the output; 4 bits each
const uint TYPE = TYPES & 15u;
const uint TYPE_C = TYPES >> 4 & 15u;
const uint TYPE_OUT = TYPES >> 8 & 15u;

#define VIEWS(access, Name, name, number)                                                                              \
    layout(std430, binding = number) access buffer Name##Words { uint words[]; } name;                                 \
    layout(std430, binding = number) access buffer Name##Pairs { uvec2 pairs[]; } name##_pairs;                        \
    layout(std430, binding = number) access buffer Name##Vectors { uvec4 vectors[]; } name##_vectors;
VIEWS(readonly, A, a, 1)
VIEWS(, Output, destination, 2)
VIEWS(readonly, B, b, 3)
VIEWS(readonly, C, c, 4)

float half_at(uint word, uint element)
{
    uint bits = word >> (element % 2 * 16) & 0xFFFF;
    return HALVES_ARE_EXACT ? float(unpackFloat2x16(bits).x) : uintBitsToFloat(widen_half(bits));
}

vec4 halves(uvec2 words)
{
    return uintBitsToFloat(uvec4(widen_halves(words.x), widen_halves(words.y)));
}

// An element, or four side by side.
#define LOAD_ONE(name, type, element)                                                                                  \
    ((type) == FLOAT16 ? half_at(name.words[(element) / 2], element) : uintBitsToFloat(name.words[element]))
#define LOAD_FOUR(name, type, element)                                                                                 \
    ((type) == FLOAT16 ? halves(name##_pairs.pairs[(element) / 4])                                                     \
                       : uintBitsToFloat(name##_vectors.vectors[(element) / 4]))

#endif
