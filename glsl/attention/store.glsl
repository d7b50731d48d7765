// What becomes of four sums of values of a row, columns side by side from `column`, a multiple of four, on.

void store_half(uint element, uint bits)
{
    // Other invocations may own the word's other half, so only the bits that change are flipped, in one atomic.
    uint shift = element % 2 * 16;
    uint old = atomicOr(destination.words[element / 2], 0);
    atomicXor(destination.words[element / 2], (old ^ bits << shift) & 0xFFFFu << shift);
}

// As elements of the output.
uvec4 narrowed(vec4 x)
{
    uvec4 bits = floatBitsToUint(x);
    if (TYPE != FLOAT16)
        return uvec4(is_nan(bits.x) ? QUIET_NAN : bits.x, is_nan(bits.y) ? QUIET_NAN : bits.y,
                     is_nan(bits.z) ? QUIET_NAN : bits.z, is_nan(bits.w) ? QUIET_NAN : bits.w);
    bool good = true;
    uvec2 words = uvec2(narrow_to_halves(bits.xy, good), narrow_to_halves(bits.zw, good));
    if (!good)
        words = uvec2(narrow_to_half(bits.x) | narrow_to_half(bits.y) << 16,
                      narrow_to_half(bits.z) | narrow_to_half(bits.w) << 16);
    return uvec4(words.x & 0xFFFF, words.x >> 16, words.y & 0xFFFF, words.y >> 16);
}

void store_elements(uint first, uint column, vec4 x)
{
    if (column >= parameters.columns)
        return;
    uvec4 bits = narrowed(x);
    if (OUT_IN_VECTORS) {
        uint at = (first + column) / 4;
        if (TYPE == FLOAT16)
            destination_pairs.pairs[at] = uvec2(bits.x | bits.y << 16, bits.z | bits.w << 16);
        else
            destination_vectors.vectors[at] = bits;
        return;
    }
    [[dont_unroll]] for (uint v = 0; v < 4; ++v) {
        if (column + v < parameters.columns) {
            uint element = first + (column + v) * parameters.element_steps[0].w;
            if (TYPE == FLOAT16)
                store_half(element, bits.x);
            else
                destination.words[element] = bits.x;
        }
        bits = bits.yzwx; // an index that is no constant would take them out of registers
    }
}

// `factor`: 1 / the sum of the weights, or 0, whatever values are.
void store_four(uint first, uint share, uint column, vec4 sums, float factor)
{
    sums = mix(sums, vec4(0.0), bvec4(factor == 0.0));
    if (IS_OPEN) {
        if (parameters.share_count == 1) {
            store_elements(first, column, sums * factor);
            return;
        }
    }
    if (TO_SUMS) {
        if (column < parameters.columns)
            destination_vectors.vectors[(first + share * parameters.out_share + SUMS_FIRST + column) / 4] =
                floatBitsToUint(sums);
    } else {
        store_elements(first, column, sums * factor);
    }
}

// Of a share: what its sums are beside.
void store_statistics(uint first, uint share, float greatest, float sum)
{
    if (IS_OPEN) {
        if (parameters.share_count == 1)
            return;
    }
    destination_vectors.vectors[(first + share * parameters.out_share) / 4] =
        uvec4(floatBitsToUint(greatest), floatBitsToUint(sum), 0, 0);
}

// A row that sees nothing, or scores of -infinity alone, is 0.
float factor_of(float sum)
{
    return sum == 0.0 ? 0.0 : 1.0 / sum;
}
