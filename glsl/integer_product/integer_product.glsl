// The frame of products of packed bytes: out[m][n] = f(the sum over k of (a[m][k] - a's zero point) * (b[n][k] - b's)),
// of some batches. Sums are INT32's, modulo 2^32: that of the bytes themselves, from which sums of lines, times the
// other operand's zero point, are taken off. Bytes are signed, of unsigned operands less by 128, as their zero points.
#ifndef VKDML_INTEGER_PRODUCT_GLSL
#define VKDML_INTEGER_PRODUCT_GLSL

#extension GL_EXT_control_flow_attributes : require

#include "binding.glsl"
#include "buffers.glsl"
#include "term_list.glsl"
#include "types.glsl"

layout(constant_id = 1) const uint TYPE_OUT = INT32;
layout(constant_id = 2) const uint SHAPE = 0;
// In C: VKDML_INTEGER_PRODUCT_...
const bool BY_VECTORS = (SHAPE & 1u) != 0;     // lines are whole vectors of 16 bytes
const bool IS_GATHERED = (SHAPE & 2u) != 0;    // lines of b are windows
const bool OUT_IS_VECTOR = (SHAPE & 4u) != 0;  // four of a row are one store
const bool IS_SERIAL = (SHAPE & 8u) != 0;      // an invocation goes alone, for CPUs
const bool A_IS_UNSIGNED = (SHAPE & 16u) != 0;
const bool B_IS_UNSIGNED = (SHAPE & 32u) != 0;
const bool A_HAS_ZERO = (SHAPE & 64u) != 0;    // there is a tensor of zero points
const bool B_HAS_ZERO = (SHAPE & 128u) != 0;
const bool IS_SCALED = (SHAPE & 256u) != 0;    // sums are multiplied by both scales, to floats or to be quantized
const bool HAS_COLUMN_SCALES = (SHAPE & 512u) != 0;
const bool HAS_BIAS = (SHAPE & 1024u) != 0;    // is added to sums, as INT32
const bool OUT_HAS_ZERO = (SHAPE & 2048u) != 0;
const bool HAS_COLUMN_ZEROS = (SHAPE & 4096u) != 0;
const bool IS_THIN = (SHAPE & 8192u) != 0;     // of ROWS rows alone, at most four
const uint PIXEL_RANK_SHIFT = 16;
const uint PIXEL_RANK = SHAPE >> PIXEL_RANK_SHIFT & 3u; // dimensions of columns, at most three
const bool TAKES_SUMS_OF_A = EITHER(B_IS_UNSIGNED, B_HAS_ZERO);
const bool TAKES_SUMS_OF_B = EITHER(A_IS_UNSIGNED, A_HAS_ZERO);

layout(constant_id = 3) const uint TILE_M = 64; // of IS_SERIAL: of an invocation
layout(constant_id = 4) const uint TILE_N = 64; // of IS_THIN: 4, as columns go
layout(constant_id = 5) const uint ROWS = 8;    // of an invocation, or a subgroup of integer_product_matrix.comp
layout(constant_id = 6) const uint COLUMNS = 4; // ..

// Operands in words, the output in elements.
layout(std140, binding = 0) uniform IntegerProductParameters {
    uint group_count;
    uint unit_count;     // IS_SERIAL: invocations with work
    uint m;
    uint n;
    uint word_count;     // of a line
    uint depth;          // products of a sum
    uint tiles_m;
    uint tiles_n;
    uint inner_batches;
    uint row_step;       // of a
    uint out_step;       // between rows of the output
    uvec4 firsts;        // of a, b, the output and the terms
    uvec4 sums;          // of lines of a and b: their firsts, and how far batches of a are apart, outer and inner
    uvec4 batches[2];    // outer and inner: of a, b, the output and sums of b
    uvec4 taps;          // see lines.glsl
    uvec4 tap_rows;
    uvec4 pixels[3];     // dimensions of columns, innermost first: size, multiplier, shifts
    uvec4 pixel_steps[3]; // ..: of b, the output and sums of b
    uvec4 terms[7];
} parameters;

#include "lines.glsl"

BUFFER_OF_WORDS(1, readonly, A, a);
BUFFER_OF_VECTORS(1, readonly, AVectors, a_vectors);
BUFFER_OF_WORDS(2, , Output, destination);
BUFFER_OF_PAIRS(2, , OutputPairs, destination_pairs);
BUFFER_OF_VECTORS(2, , OutputVectors, destination_vectors);
BUFFER_OF_WORDS(3, readonly, B, b);
BUFFER_OF_VECTORS(3, readonly, BVectors, b_vectors);
BUFFER_OF_WORDS(4, readonly, Terms, terms);

// Where the matrices of a batch begin.
uint a_first;
uint b_first;
uint out_first;
uint a_sums;
uint b_sums;
uint inner_batch;

void find_batch(uint number)
{
    uint outer = number / parameters.inner_batches;
    inner_batch = number - outer * parameters.inner_batches;
    uvec4 begin = parameters.firsts + outer * parameters.batches[0] + inner_batch * parameters.batches[1];
    uint words_of_a = push.base_bytes[0] / 4;
    uint words_of_b = push.base_bytes[2] / 4;
    a_first = begin.x + words_of_a;
    b_first = begin.y + words_of_b;
    out_first = begin.z + push.base_bytes[1] * 8 / BITS_OF(TYPE_OUT);
    a_sums = parameters.sums.x + words_of_a + outer * parameters.sums.z + inner_batch * parameters.sums.w;
    b_sums = parameters.sums.y + words_of_b + outer * parameters.batches[0].w + inner_batch * parameters.batches[1].w;
}

// Tiles go by bands of so many rows of them, down each column, so that those at work at once share what they read.
const uint BAND = 8;

void find_tile(uint tile, out uint m, out uint n)
{
    uint band = tile / (BAND * parameters.tiles_n);
    uint rest = tile - band * BAND * parameters.tiles_n;
    uint height = min(BAND, parameters.tiles_m - band * BAND);
    n = rest / height;
    m = band * BAND + rest - n * height;
}

#define PIXEL_DIMENSION(d)                                                                                             \
    if (PIXEL_RANK > d) {                                                                                              \
        TAKE_COORDINATE(coordinate, rest, PIXEL_RANK == d + 1, parameters.pixels[d].x, parameters.pixels[d].y,         \
                        parameters.pixels[d].z)                                                                        \
        steps += coordinate * parameters.pixel_steps[d].xyz;                                                           \
    }

// How far column n is from the first: in b, the output, and sums of b.
uvec3 column_steps(uint n)
{
    uvec3 steps = uvec3(0);
    uint rest = min(n, parameters.n - 1);
    PIXEL_DIMENSION(0)
    PIXEL_DIMENSION(1)
    PIXEL_DIMENSION(2)
    return steps;
}

uint a_line(uint m)
{
    return a_first + min(m, parameters.m - 1) * parameters.row_step;
}

uint b_line(uint n)
{
    return b_first + column_steps(n).x;
}

// Vector `k` of a line, 0 beyond its last.
uvec4 a_vector(uint line, uint k)
{
    uvec4 words = uvec4(0);
    if (BY_VECTORS) {
        if (k * 4 < parameters.word_count)
            words = a_vectors.vectors[line / 4 + k];
    } else {
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            if (k * 4 + i < parameters.word_count)
                words[i] = a.words[line + k * 4 + i];
        }
    }
    return words;
}

uvec4 b_vector(uint line, uint k)
{
    uvec4 words = uvec4(0);
    if (BY_VECTORS) {
        if (k * 4 < parameters.word_count)
            words = b_vectors.vectors[(line + word_of_line(IS_GATHERED, k * 4)) / 4];
    } else {
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            if (k * 4 + i < parameters.word_count)
                words[i] = b.words[line + word_of_line(IS_GATHERED, k * 4 + i)];
        }
    }
    return words;
}

#endif
