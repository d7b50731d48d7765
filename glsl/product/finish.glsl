// What becomes of four results before they are stored, and of one when it is.

#define RESULT_TYPE TYPE_OUT
#include "operations.glsl"
#include "results.glsl"

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
