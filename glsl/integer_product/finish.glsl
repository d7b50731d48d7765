// What becomes of four sums of a row, columns side by side from `n`, a multiple of four, on.
#ifndef VKDML_INTEGER_FINISH_GLSL
#define VKDML_INTEGER_FINISH_GLSL

#include "../math/arithmetic.glsl"
#include "quantize.glsl"

uint term(uint which, uint m, uint n)
{
    uvec4 at = parameters.terms[which];
    return terms.words[parameters.firsts.w + push.base_bytes[3] / 4 + at.x + m * at.y + n * at.z + inner_batch * at.w];
}

int a_zero(uint m)
{
    int unsigned_zero = A_IS_UNSIGNED ? 128 : 0;
    return A_HAS_ZERO ? int(term(ZERO_A, m, 0)) - unsigned_zero : -unsigned_zero;
}

int b_zero(uint n)
{
    int unsigned_zero = B_IS_UNSIGNED ? 128 : 0;
    return B_HAS_ZERO ? int(term(ZERO_B, 0, n)) - unsigned_zero : -unsigned_zero;
}

// Takes off what zero points add to a sum of products of bytes.
int corrected(int sum, uint m, uint n, uint sum_of_b)
{
    if (TAKES_SUMS_OF_B)
        sum -= a_zero(m) * int(b.words[b_sums + sum_of_b]);
    if (TAKES_SUMS_OF_A) {
        int zero = b_zero(n);
        sum -= zero * int(a.words[a_sums + min(m, parameters.m - 1)]);
        if (TAKES_SUMS_OF_B)
            sum += int(parameters.depth) * a_zero(m) * zero;
    }
    return sum;
}

// The scales of both operands, and of the output where it is quantized.
uint scale_of(uint m, uint n)
{
    uint scale = math_multiply(term(SCALE_A, m, 0), term(SCALE_B, 0, n));
    return IS_FLOAT(TYPE_OUT) ? scale : math_divide(scale, term(SCALE_OUT, m, 0));
}

// The product of a sum and a scale, of which denormal ones need not be right: they are quantized to 0.
uint scaled(int sum, uint scale)
{
    if ((scale & INFINITY) == INFINITY) // infinite or NaN, as 0 times infinity is
        return is_nan(scale) || sum == 0 ? QUIET_NAN : scale ^ (sum < 0 ? SIGN_BIT : 0);
    precise float product = float(sum) * uintBitsToFloat(scale);
    return floatBitsToUint(product);
}

// The bits of an element of the output.
uint finished(int sum, uint m, uint scale)
{
    if (HAS_BIAS)
        sum += int(term(BIAS, m, 0));
    if (!IS_SCALED)
        return uint(sum);
    if (IS_FLOAT(TYPE_OUT)) {
        uint product = math_multiply(floatBitsToUint(float(sum)), scale);
        return TYPE_OUT == FLOAT16 ? narrow_to_half(product) : is_nan(product) ? QUIET_NAN : product;
    }
    return quantized(TYPE_OUT, scaled(sum, scale), OUT_HAS_ZERO ? int(term(ZERO_OUT, m, 0)) : 0);
}

// Other invocations may own the word's other bits, so only the bits that change are flipped, in one atomic.
void store_one(uint element, uint bits)
{
    const uint width = BITS_OF(TYPE_OUT);
    if (width < 32) {
        uint shift = element % (32 / width) * width;
        uint mask = ((1u << width % 32) - 1) << shift;
        uint old = atomicOr(destination.words[element / (32 / width)], 0);
        atomicXor(destination.words[element / (32 / width)], (old ^ bits << shift) & mask);
    } else {
        destination.words[element] = bits;
    }
}

void store_vector(uint element, uvec4 bits)
{
    if (BITS_OF(TYPE_OUT) == 8)
        destination.words[element / 4] = bits.x | bits.y << 8 | bits.z << 16 | bits.w << 24;
    else if (BITS_OF(TYPE_OUT) == 16)
        destination_pairs.pairs[element / 4] = uvec2(bits.x | bits.y << 16, bits.z | bits.w << 16);
    else
        destination_vectors.vectors[element / 4] = bits;
}

void store_four(uint m, uint n, ivec4 sums)
{
    if (m >= parameters.m || n >= parameters.n)
        return;
    uint row = out_first + m * parameters.out_step;
    uint scale = IS_SCALED ? scale_of(m, n) : 0;
    uvec4 bits;
    uint first;
    [[dont_unroll]] for (uint v = 0; v < 4; ++v) {
        uvec3 steps = column_steps(n + v);
        uint column = min(n + v, parameters.n - 1);
        if (BOTH(IS_SCALED, HAS_COLUMN_SCALES)) {
            if (v > 0)
                scale = scale_of(m, column);
        }
        bits[v] = finished(corrected(sums[v], m, column, steps.z), m, scale);
        if (OUT_IS_VECTOR) {
            if (v == 0)
                first = row + steps.y;
        } else if (n + v < parameters.n) {
            store_one(row + steps.y, bits[v]);
        }
    }
    if (OUT_IS_VECTOR)
        store_vector(first, bits);
}

#endif
