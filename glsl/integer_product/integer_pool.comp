// Averages of windows of bytes: sums are exact, and scaled, divided and quantized with a rounding each.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "types.glsl"

layout(constant_id = 1) const uint TYPES = 0; // of the input, of the output; 4 bits each
const uint TYPE = TYPES & 15u;
const uint TYPE_OUT = TYPES >> 4;
layout(constant_id = 2) const uint SHAPE = 0;
// In C: VKDML_INTEGER_POOL_...
const bool COUNTS_PADDING = (SHAPE & 1u) != 0;
const bool HAS_ZERO = (SHAPE & 2u) != 0;
const bool OUT_HAS_ZERO = (SHAPE & 4u) != 0;
const bool OUT_IS_VECTOR = (SHAPE & 8u) != 0; // an invocation makes four columns, which are one word

layout(constant_id = 3) const uint LANES = 1; // invocations that share a window, a power of two

layout(std140, binding = 0) uniform IntegerPoolParameters {
    uint group_count;
    uint unit_count; // elements of the output, or words
    uint first;
    uint out_first;
    uint tap_count;  // of a window, padding included
    uvec4 terms;     // the input's scale and zero point, the output's: where they begin
    uvec4 term_steps; // .. and how far apart channels' are
    uvec4 sizes[5];  // of dimensions, innermost first, channels fourth: size, multiplier, shifts, stride in the input
    uvec4 out_strides[2];
    uvec4 walks[3];  // of spatial ones: step, start, step of taps, size of the input
    uvec4 taps[3];   // ..: number, multiplier, shifts
} parameters;

BUFFER_OF_WORDS(1, readonly, Source, source);
BUFFER_OF_WORDS(2, , Output, destination);
BUFFER_OF_WORDS(3, readonly, Terms, terms);

#include "../math/arithmetic.glsl"
#include "quantize.glsl"

// The elements of a window that are there.
struct Window {
    int sum;
    uint count;
};

shared int shared_sums[LANES > 1 ? gl_WorkGroupSize.x : 1];
shared uint shared_counts[LANES > 1 ? gl_WorkGroupSize.x : 1];

#define COORDINATE(d)                                                                                                  \
    {                                                                                                                  \
        TAKE_COORDINATE(coordinate, rest, d == 4, parameters.sizes[d].x, parameters.sizes[d].y, parameters.sizes[d].z) \
        at[d] = coordinate;                                                                                            \
    }

void find_element(uint index, out uint at[5])
{
    uint rest = index;
    COORDINATE(0)
    COORDINATE(1)
    COORDINATE(2)
    COORDINATE(3)
    COORDINATE(4)
}

#define TAP(d)                                                                                                         \
    {                                                                                                                  \
        TAKE_COORDINATE(number, rest, d == 2, parameters.taps[d].x, parameters.taps[d].y, parameters.taps[d].z)        \
        uint place = at[d] * parameters.walks[d].x - parameters.walks[d].y + number * parameters.walks[d].z;           \
        exists = exists && place < parameters.walks[d].w;                                                              \
        element += place * parameters.sizes[d].w;                                                                      \
    }

Window fold(uint at[5], uint lane)
{
    Window window = Window(0, 0);
    uint first = parameters.first + push.base_bytes[0] + at[3] * parameters.sizes[3].w + at[4] * parameters.sizes[4].w;
    for (uint tap = lane; tap < parameters.tap_count; tap += LANES) {
        uint rest = tap;
        uint element = first;
        bool exists = true;
        TAP(0)
        TAP(1)
        TAP(2)
        if (exists) {
            uint word = source.words[element / 4];
            int bit = int(element % 4 * 8);
            window.sum += TYPE == INT8 ? bitfieldExtract(int(word), bit, 8) : int(bitfieldExtract(word, bit, 8));
            ++window.count;
        }
    }
    return window;
}

uint term(uint which, uint channel)
{
    return terms.words[push.base_bytes[2] / 4 + parameters.terms[which] + channel * parameters.term_steps[which]];
}

// Averages of padding alone are 0.
uint finished(Window window, uint channel)
{
    int sum = window.sum - (HAS_ZERO ? int(window.count) * int(term(1, channel)) : 0);
    uint count = COUNTS_PADDING ? parameters.tap_count : window.count;
    uint scaled = math_multiply(floatBitsToUint(float(sum)), term(0, channel));
    uint average = math_divide(scaled, floatBitsToUint(float(count)));
    uint quotient = window.count == 0 ? 0 : math_divide(average, term(2, channel));
    return quantized(TYPE_OUT, quotient, OUT_HAS_ZERO ? int(term(3, channel)) : 0);
}

uint out_element(uint at[5])
{
    uint element = parameters.out_first + push.base_bytes[1];
    [[unroll]] for (uint d = 0; d < 4; ++d)
        element += at[d] * parameters.out_strides[0][d];
    return element + at[4] * parameters.out_strides[1].x;
}

void store_one(uint element, uint bits)
{
    uint shift = element % 4 * 8;
    uint old = atomicOr(destination.words[element / 4], 0);
    atomicXor(destination.words[element / 4], (old ^ bits << shift) & 0xFFu << shift);
}

// What all lanes of a window have found.
Window joined(Window window, uint lane)
{
    uint own = gl_LocalInvocationIndex;
    if (LANES > 1) {
        shared_sums[own] = window.sum;
        shared_counts[own] = window.count;
        [[dont_unroll]] for (uint others = LANES / 2; others > 0; others /= 2) {
            barrier();
            if (lane < others) {
                window.sum += shared_sums[own + others];
                window.count += shared_counts[own + others];
            }
            barrier();
            shared_sums[own] = window.sum;
            shared_counts[own] = window.count;
        }
    }
    return window;
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint unit = group * (gl_WorkGroupSize.x / LANES) + gl_LocalInvocationIndex / LANES;
    uint lane = gl_LocalInvocationIndex % LANES;
    uint at[5];
    if (OUT_IS_VECTOR) {
        if (unit >= parameters.unit_count)
            return;
        uint word = 0;
        find_element(unit * 4, at);
        uint element = out_element(at);
        [[dont_unroll]] for (uint v = 0; v < 4; ++v) {
            word |= finished(fold(at, 0), at[3]) << (v * 8);
            ++at[0];
        }
        destination.words[element / 4] = word;
        return;
    }
    find_element(min(unit, parameters.unit_count - 1), at);
    Window window = joined(fold(at, lane), lane);
    if (lane == 0 && unit < parameters.unit_count)
        store_one(out_element(at), finished(window, at[3]));
}
