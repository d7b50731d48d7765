// Convolutions of bytes by groups of few channels, where they lie. An invocation makes ROWS rows of four pixels side by
// side, of one channel of the output: coordinate c of a dimension takes tap t at c * step + t * gap + start of the
// input, where that is one of its elements; padding adds nothing. Products less zero points have at most 16 bits, and
// sums of a channel's taps below 24, so FLOAT32 has them exactly.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "term_list.glsl"
#include "types.glsl"

layout(constant_id = 1) const uint TYPE_OUT = INT32;
layout(constant_id = 2) const uint SHAPE = 0;
// In C: VKDML_INTEGER_DEPTHWISE_...
const bool A_IS_SIGNED = (SHAPE & 1u) != 0;
const bool B_IS_SIGNED = (SHAPE & 2u) != 0;
const bool A_HAS_ZERO = (SHAPE & 4u) != 0;     // there is a tensor of zero points
const bool B_HAS_ZERO = (SHAPE & 8u) != 0;
const bool IS_SCALED = (SHAPE & 16u) != 0;     // sums are multiplied by both scales and quantized
const bool HAS_BIAS = (SHAPE & 32u) != 0;
const bool OUT_HAS_ZERO = (SHAPE & 64u) != 0;
const bool B_IS_PACKED = (SHAPE & 128u) != 0;  // columns of the input lie side by side, four to a word
const bool OUT_IS_PACKED = (SHAPE & 256u) != 0; // .. of the output
const bool OUT_IS_VECTOR = (SHAPE & 512u) != 0; // .. of which four from a multiple of four on are one store
const bool CHANNELS_INNER = (SHAPE & 1024u) != 0; // neighbours have channels side by side, not pixels

layout(constant_id = 3) const uint COLUMN_TAPS = 1;
layout(constant_id = 4) const uint ROW_TAPS = 1;
layout(constant_id = 5) const uint COLUMN_STEP = 1;
layout(constant_id = 6) const uint ROW_STEP = 1;
layout(constant_id = 7) const uint COLUMN_GAP = 1;
layout(constant_id = 8) const uint ROWS = 1; // at most 4; 1 where taps of a column do not lie side by side
const uint SPAN = 3 * COLUMN_STEP + (COLUMN_TAPS - 1) * COLUMN_GAP + 1; // bytes of a row for four pixels
const uint WORDS = (SPAN + 3) / 4;
const uint LOADS = (SPAN + 6) / 4; // wherever in a word the first byte is

// In elements: of the filter, a, the input, b, and the output.
layout(std140, binding = 0) uniform IntegerDepthwiseParameters {
    uint group_count;
    uint unit_count;
    uint channels;     // of a group of the input
    uint pictures;     // how far apart they are in the input
    uvec4 firsts;      // of a, the output and b; words of terms
    uvec4 steps[3];    // of a and b: between channels that are made, groups, channels of the input
    uvec4 units[5];    // columns, rows, channels made, groups, pictures: count, multiplier, shifts, output's stride
    uvec4 windows[2];  // columns and rows: start, end of what is taken of b, strides of a and b
    uvec4 sizes;       // of the output: columns, rows; then how far taps of a column are apart
    uvec4 terms[7];
} parameters;

BUFFER_OF_WORDS(1, readonly, A, a);
BUFFER_OF_WORDS(2, , Output, destination);
BUFFER_OF_VECTORS(2, , OutputVectors, destination_vectors);
BUFFER_OF_WORDS(3, readonly, B, b);
BUFFER_OF_WORDS(4, readonly, Terms, terms);

uint inner_batch;

#include "results.glsl"

uint rest;

uint take(uint d)
{
    uint quotient = divide(rest, parameters.units[d].y, parameters.units[d].z);
    uint coordinate = rest - quotient * parameters.units[d].x;
    rest = quotient;
    return coordinate;
}

ivec4 sums[ROWS];
vec4 parts[ROWS];
float weights[ROW_TAPS * COLUMN_TAPS];
float line[SPAN];

// A byte less its zero point, as FLOAT32: `bias` is 2^23, whose last bits it takes, and the zero point; signed ones
// are more by 128.
float number(uint word, uint element, float bias)
{
    return uintBitsToFloat(0x4B000000u | bitfieldExtract(word, int(element % 4 * 8), 8)) - bias;
}

float bias_of(bool is_signed, bool has_zero, uint which, uint m)
{
    return float(0x800000 + (is_signed ? 128 : 0) + (has_zero ? int(term(which, m, 0)) : 0));
}

uint word_of_b(uint element, bool exists)
{
    return b.words[(exists ? element : push.base_bytes[2]) / 4] ^ (B_IS_SIGNED ? 0x80808080u : 0);
}

// What four pixels and their taps reach along a row, from a column on, which may lie in padding.
void load_line(uint row, uint first, float bias)
{
    uint end = parameters.windows[0].y;
    uint words[WORDS + 1];
    uint lead = B_IS_PACKED ? (row + first) % 4 : 0;
    if (B_IS_PACKED) {
        [[unroll]] for (uint i = 0; i < WORDS + 1; ++i) {
            uint column = first - lead + 4 * i;
            words[i] = i < LOADS ? word_of_b(row + column, column + 3 < end + 3) : 0; // any of four columns is there
        }
        [[unroll]] for (uint i = 0; i < WORDS; ++i)
            words[i] = words[i] >> (8 * lead) | words[i + 1] << (24 - 8 * lead) << 8;
    }
    [[unroll]] for (uint i = 0; i < SPAN; ++i) {
        bool exists = first + i < end;
        uint element = row + (first + i) * parameters.windows[0].w;
        float x = B_IS_PACKED ? number(words[i / 4], i, bias)
                              : number(word_of_b(element, exists), element, bias);
        line[i] = exists ? x : 0.0;
    }
}

// Each line is loaded once, for all rows of pixels that it is a tap of.
void add_channel(uint a_first, uint b_first, uint x, uint y, float bias_a, float bias_b)
{
    [[unroll]] for (uint i = 0; i < ROW_TAPS * COLUMN_TAPS; ++i) {
        uint element = a_first + i / COLUMN_TAPS * parameters.windows[1].z + i % COLUMN_TAPS * parameters.windows[0].z;
        weights[i] = number(a.words[element / 4] ^ (A_IS_SIGNED ? 0x80808080u : 0), element, bias_a);
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        parts[r] = vec4(0.0);
    [[unroll]] for (uint i = 0; i < (ROWS - 1) * ROW_STEP + ROW_TAPS; ++i) {
        uint q = y * ROW_STEP + parameters.windows[1].x + i * parameters.sizes.z;
        if (q < parameters.windows[1].y) {
            load_line(b_first + q * parameters.windows[1].w, x * COLUMN_STEP + parameters.windows[0].x, bias_b);
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                [[unroll]] for (uint t = 0; t < COLUMN_TAPS; ++t) {
                    if (i - r * ROW_STEP < ROW_TAPS) {
                        uint at = t * COLUMN_GAP;
                        parts[r] = fma(vec4(weights[(i - r * ROW_STEP) * COLUMN_TAPS + t]),
                                       vec4(line[at], line[at + COLUMN_STEP], line[at + 2 * COLUMN_STEP],
                                            line[at + 3 * COLUMN_STEP]),
                                       parts[r]);
                    }
                }
            }
        }
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        sums[r] += ivec4(parts[r]);
}

void store_part(uint at, uint bits, uint mask)
{
    if (mask == 0xFFFFFFFFu)
        destination.words[at] = bits;
    else if (mask != 0)
        store_masked(at, bits, mask);
}

// Four pixels of a row, of which so many are there.
void store_row(uint element, uvec4 bits, uint count)
{
    if (BOTH(OUT_IS_PACKED, BITS_OF(TYPE_OUT) == 8)) { // bytes of one word, or two
        uint bytes = bits.x | bits.y << 8 | bits.z << 16 | bits.w << 24;
        uint mask = 0xFFFFFFFFu >> (OUT_IS_VECTOR ? 0 : 32 - 8 * min(count, 4));
        uint shift = OUT_IS_VECTOR ? 0 : element % 4 * 8;
        store_part(element / 4, bytes << shift, mask << shift);
        store_part(element / 4 + 1, bytes >> (24 - shift) >> 8, mask >> (24 - shift) >> 8);
    } else if (OUT_IS_VECTOR) {
        destination_vectors.vectors[element / 4] = bits;
    } else {
        [[dont_unroll]] for (uint v = 0; v < min(count, 4); ++v)
            store_one(element + v * parameters.units[0].w, bits[v]);
    }
}

void main()
{
    uint group = group_index();
    rest = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (group >= parameters.group_count || rest >= parameters.unit_count)
        return;
    uint m = CHANNELS_INNER ? take(2) : 0;
    inner_batch = CHANNELS_INNER ? take(3) : 0;
    uint x = take(0) * 4;
    uint y = take(1) * ROWS;
    if (!CHANNELS_INNER) {
        m = take(2);
        inner_batch = take(3);
    }
    uvec2 firsts = parameters.firsts.xz + push.base_bytes.xz + m * parameters.steps[0].xy +
                   inner_batch * parameters.steps[1].xy + uvec2(0, rest * parameters.pictures);
    float bias_a = bias_of(A_IS_SIGNED, A_HAS_ZERO, ZERO_A, m);
    float bias_b = bias_of(B_IS_SIGNED, B_HAS_ZERO, ZERO_B, m);
    int bias = HAS_BIAS ? int(term(BIAS, m, 0)) : 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        sums[r] = ivec4(bias);
    for (uint c = 0; c < parameters.channels; ++c) {
        add_channel(firsts.x, firsts.y, x, y, bias_a, bias_b);
        firsts += parameters.steps[2].xy;
    }
    uvec4 scales = uvec4(0);
    int zero = OUT_HAS_ZERO ? int(term(ZERO_OUT, m, 0)) : 0;
    if (IS_SCALED)
        scales = uvec4(scale_of(term(SCALE_A, m, 0), term(SCALE_B, m, 0), term(SCALE_OUT, m, 0)));
    uint element = parameters.firsts.y + push.base_bytes[1] * 8 / BITS_OF(TYPE_OUT) + x * parameters.units[0].w +
                   y * parameters.units[1].w + m * parameters.units[2].w + inner_batch * parameters.units[3].w +
                   rest * parameters.units[4].w;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        if (y + r < parameters.sizes.y)
            store_row(element + r * parameters.units[1].w,
                      IS_SCALED ? quantized_sums(sums[r], scales, zero) : uvec4(sums[r]), parameters.sizes.x - x);
    }
}
