// What becomes of four results before they are stored, and of one when it is.

#define RESULT_TYPE TYPE_OUT
#define OPERAND_BINDING 5
#define OPERAND_FACTOR parameters.ending.y
#define HAS_OWN_FUNCTION
#include "operations.glsl"
#include "epilogue.glsl"

layout(std430, binding = OPERAND_BINDING) readonly buffer OperandPairs { uvec2 pairs[]; } operand_pairs;
layout(std430, binding = OPERAND_BINDING) readonly buffer OperandVectors { uvec4 vectors[]; } operand_vectors;

// Four results, with places of the epilogue's operand if it has one, as they are stored.
uvec4 finished(uvec4 bits, uvec4 places, bool operand_is_vector)
{
    if (FUNCTION != FN_NONE && EPILOGUE_FUNCTION == FN_NONE)
        bits = activated(bits);
    bits = narrowed(bits);
    if (EPILOGUE == 0)
        return bits;
    if (!HAS_OPERAND || !operand_is_vector)
        return ended(bits, places);
    if (TYPE_OUT != FLOAT16)
        return ended_with(bits, operand_vectors.vectors[places.x / 4]);
    uvec2 words = operand_pairs.pairs[places.x / 4];
    return ended_with(bits, uvec4(words.x & 0xFFFF, words.x >> 16, words.y & 0xFFFF, words.y >> 16));
}

// Other invocations may own the word's other bits, so only the bits that change are flipped, in one atomic.
void store_one(uint element, uint bits)
{
    if (TYPE_OUT == FLOAT16) {
        uint shift = element % 2 * 16;
        uint old = atomicOr(destination.words[element / 2], 0);
        atomicXor(destination.words[element / 2], (old ^ bits << shift) & 0xFFFFu << shift);
    } else {
        destination.words[element] = bits;
    }
}
