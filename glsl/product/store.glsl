// What becomes of four sums of a row, columns side by side from `n`, a multiple of four, on.

#include "finish.glsl"

vec4 c_four(uint m, uint n)
{
    uint element = c_first + m * parameters.more_steps.x + n * parameters.more_steps.y;
    if (C_IS_VECTOR)
        return LOAD_FOUR(c, TYPE_C, element);
    uint last = c_first + m * parameters.more_steps.x + (parameters.n - 1) * parameters.more_steps.y;
    uvec4 at = uvec4(element);
    [[dont_unroll]] for (uint v = 1; v < 4; ++v)
        at[v] = n + v < parameters.n ? at[v - 1] + parameters.more_steps.y : last;
    return vec4(LOAD_ONE(c, TYPE_C, at.x), LOAD_ONE(c, TYPE_C, at.y), LOAD_ONE(c, TYPE_C, at.z),
                LOAD_ONE(c, TYPE_C, at.w));
}

#define OUT_DIMENSION(d)                                                                                               \
    if (OUT_RANK > d) {                                                                                                \
        uvec4 coordinates = rest;                                                                                      \
        if (OUT_RANK > d + 1) {                                                                                        \
            rest = divide(rest, parameters.out_pixels[d].y, parameters.out_pixels[d].z);                               \
            coordinates -= rest * parameters.out_pixels[d].x;                                                          \
        }                                                                                                              \
        elements += coordinates * parameters.out_pixels[d].w;                                                          \
        if (HAS_OPERAND)                                                                                               \
            places += coordinates * parameters.operand_pixels[d];                                                      \
    }

// Where four columns of a row lie, and elements of an epilogue's operand for them. The last stands in for columns
// beyond it, which are not stored but whose operand is read.
uvec4 out_elements(uint m, uint n, out uvec4 places)
{
    uvec4 columns = n + uvec4(0, 1, 2, 3);
    if (HAS_OPERAND)
        columns = min(columns, uvec4(parameters.n - 1));
    uvec4 elements = uvec4(out_first + m * parameters.more_steps.z);
    places = uvec4(operand_first + m * parameters.operand_steps.z);
    if (OUT_RANK == 0) {
        places += columns * parameters.operand_steps.w;
        return elements + columns * parameters.more_steps.w;
    }
    uvec4 rest = parameters.n_first + columns;
    OUT_DIMENSION(0)
    OUT_DIMENSION(1)
    OUT_DIMENSION(2)
    OUT_DIMENSION(3)
    return elements;
}

void store_four(uint m, uint n, vec4 sums)
{
    if (m >= parameters.m || n >= parameters.n)
        return;
    uvec4 places;
    uvec4 elements = out_elements(m, n, places);
    uvec4 bits = floatBitsToUint(sums);
    if (!TO_SUMS) {
        precise vec4 x = uintBitsToFloat(parameters.alpha) * sums;
        if (HAS_C) {
            precise vec4 y = uintBitsToFloat(parameters.beta) * c_four(m, n);
            precise vec4 z = x + y;
            x = z;
        }
        bits = finished(floatBitsToUint(x), places, OPERAND_IS_VECTOR);
    }
    if (OUT_IS_VECTOR) {
        if (ACCUMULATES) {
            precise vec4 sum = uintBitsToFloat(destination_vectors.vectors[elements.x / 4]) + uintBitsToFloat(bits);
            bits = floatBitsToUint(sum);
        }
        if (TYPE_OUT == FLOAT16)
            destination_pairs.pairs[elements.x / 4] = uvec2(bits.x | bits.y << 16, bits.z | bits.w << 16);
        else
            destination_vectors.vectors[elements.x / 4] = bits;
    } else {
        [[dont_unroll]] for (uint v = 0; v < 4; ++v) {
            if (n + v < parameters.n) {
                if (ACCUMULATES) {
                    precise float sum = uintBitsToFloat(destination.words[elements[v]]) + uintBitsToFloat(bits[v]);
                    bits[v] = floatBitsToUint(sum);
                }
                store_one(elements[v], bits[v]);
            }
        }
    }
}
