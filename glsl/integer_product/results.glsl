// Sums scaled and quantized, and elements stored. Who includes this has TYPE_OUT, parameters.terms and
// .firsts, whose last is where terms begin, and inner_batch.
#ifndef VKDML_INTEGER_RESULTS_GLSL
#define VKDML_INTEGER_RESULTS_GLSL

#include "../math/arithmetic.glsl"
#include "quantize.glsl"

uint term(uint which, uint m, uint n)
{
    uvec4 at = parameters.terms[which];
    return terms.words[parameters.firsts.w + push.base_bytes[3] / 4 + at.x + m * at.y + n * at.z + inner_batch * at.w];
}

// The scales of both operands, and of the output where it is quantized.
uint scale_of(uint of_a, uint of_b, uint of_out)
{
    uint scale = math_multiply(of_a, of_b);
    return IS_FLOAT(TYPE_OUT) ? scale : math_divide(scale, of_out);
}

// The product of a sum and a scale, of which denormal ones need not be right: they are quantized to 0.
uint scaled(int sum, uint scale)
{
    if ((scale & INFINITY) == INFINITY) // infinite or NaN, as 0 times infinity is
        return is_nan(scale) || sum == 0 ? QUIET_NAN : scale ^ (sum < 0 ? SIGN_BIT : 0);
    precise float product = float(sum) * uintBitsToFloat(scale);
    return floatBitsToUint(product);
}

// Sums that are quantized, by a scale each.
uvec4 quantized_sums(ivec4 sums, uvec4 scales, int zero)
{
    return uvec4(quantized(TYPE_OUT, scaled(sums.x, scales.x), zero),
                 quantized(TYPE_OUT, scaled(sums.y, scales.y), zero),
                 quantized(TYPE_OUT, scaled(sums.z, scales.z), zero),
                 quantized(TYPE_OUT, scaled(sums.w, scales.w), zero));
}

// Other invocations may own the word's other bits, so only the bits that change are flipped, in one atomic.
void store_masked(uint at, uint bits, uint mask)
{
    uint old = atomicOr(destination.words[at], 0);
    atomicXor(destination.words[at], (old ^ bits) & mask);
}

void store_one(uint element, uint bits)
{
    const uint width = BITS_OF(TYPE_OUT);
    if (width < 32) {
        uint shift = element % (32 / width) * width;
        store_masked(element / (32 / width), bits << shift, ((1u << width % 32) - 1) << shift);
    } else {
        destination.words[element] = bits;
    }
}

#endif
