// What becomes of four sums of a row, columns side by side from `n`, a multiple of four, on.
#ifndef VKDML_INTEGER_FINISH_GLSL
#define VKDML_INTEGER_FINISH_GLSL

#include "results.glsl"

int a_zero(uint m)
{
    int unsigned_zero = A_IS_UNSIGNED ? 128 : 0;
    return A_HAS_ZERO ? int(term(ZERO_A, m, 0)) - unsigned_zero : -unsigned_zero;
}

// Four columns from n on, of which those beyond the last are the last.
uvec4 four_columns(uint n)
{
    return min(n + uvec4(0, 1, 2, 3), uvec4(parameters.n - 1));
}

uvec4 four_terms(uint which, uvec4 columns)
{
    return uvec4(term(which, 0, columns.x), term(which, 0, columns.y), term(which, 0, columns.z),
                 term(which, 0, columns.w));
}

ivec4 b_zeros(uvec4 columns)
{
    ivec4 unsigned_zero = ivec4(B_IS_UNSIGNED ? 128 : 0);
    if (!B_HAS_ZERO)
        return -unsigned_zero;
    return ivec4(HAS_COLUMN_ZEROS ? four_terms(ZERO_B, columns) : uvec4(term(ZERO_B, 0, 0))) - unsigned_zero;
}

// Takes off what zero points add to sums of products of bytes; sums of b's lines lie so far behind their first.
ivec4 corrected(ivec4 sums, uint m, uvec4 columns, uvec4 sums_of_b)
{
    int zero = TAKES_SUMS_OF_B ? a_zero(m) : 0;
    if (TAKES_SUMS_OF_B)
        sums -= zero * ivec4(b.words[b_sums + sums_of_b.x], b.words[b_sums + sums_of_b.y],
                             b.words[b_sums + sums_of_b.z], b.words[b_sums + sums_of_b.w]);
    if (TAKES_SUMS_OF_A)
        sums -= b_zeros(columns) * (int(a.words[a_sums + m]) - int(parameters.depth) * zero);
    return sums;
}

uvec4 scales_of(uint m, uvec4 columns)
{
    uint of_a = term(SCALE_A, m, 0);
    uint of_out = IS_FLOAT(TYPE_OUT) ? 0 : term(SCALE_OUT, m, 0);
    if (!HAS_COLUMN_SCALES)
        return uvec4(scale_of(of_a, term(SCALE_B, 0, 0), of_out));
    uvec4 scales = four_terms(SCALE_B, columns);
    [[dont_unroll]] for (uint v = 0; v < 4; ++v)
        scales[v] = scale_of(of_a, scales[v], of_out);
    return scales;
}

uint as_float(int sum, uint scale)
{
    uint product = math_multiply(floatBitsToUint(float(sum)), scale);
    return TYPE_OUT == FLOAT16 ? narrow_to_half(product) : is_nan(product) ? QUIET_NAN : product;
}

// The bits of elements of the output.
uvec4 finished(ivec4 sums, uint m, uvec4 columns)
{
    if (HAS_BIAS)
        sums += int(term(BIAS, m, 0));
    if (!IS_SCALED)
        return uvec4(sums);
    uvec4 scales = scales_of(m, columns);
    uvec4 bits;
    if (IS_FLOAT(TYPE_OUT)) {
        [[dont_unroll]] for (uint v = 0; v < 4; ++v)
            bits[v] = as_float(sums[v], scales[v]);
    } else {
        bits = quantized_sums(sums, scales, OUT_HAS_ZERO ? int(term(ZERO_OUT, m, 0)) : 0);
    }
    return bits;
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
    uvec4 columns = four_columns(n);
    uvec3 first = column_steps(n);
    uvec4 out_steps = uvec4(first.y);
    uvec4 sum_steps = first.z + uvec4(0, 1, 2, 3) * parameters.pixel_steps[0].z;
    if (!OUT_IS_VECTOR) { // else all four are of one innermost dimension
        [[dont_unroll]] for (uint v = 1; v < 4; ++v) {
            uvec3 steps = column_steps(columns[v]);
            out_steps[v] = steps.y;
            sum_steps[v] = steps.z;
        }
    }
    uvec4 bits = finished(corrected(sums, m, columns, sum_steps), m, columns);
    uint row = out_first + m * parameters.out_step;
    if (OUT_IS_VECTOR) {
        store_vector(row + out_steps.x, bits);
    } else {
        [[dont_unroll]] for (uint v = 0; v < 4; ++v) {
            if (n + v < parameters.n)
                store_one(row + out_steps[v], bits[v]);
        }
    }
}

#endif
