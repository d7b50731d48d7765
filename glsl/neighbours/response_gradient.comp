// The gradient of a normalization by what is around an element across channels, as FLOAT32, in one pass. An invocation
// walks down some channels of one place, and keeps in registers what their boxes reach: elements, what each adds to
// those that it is around (a term), and what is left of its own gradient (a part). When channel k is met the box of
// k - BEHIND is complete, with it that one's term, and so all terms of k - SIZE + 1, which is stored.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "types.glsl"
#include "../math/math.glsl"

layout(constant_id = 1) const uint SIZE = 5;  // of a box, up to MOST_SIZE
layout(constant_id = 2) const uint POWER = 0; // which is the power
layout(constant_id = 3) const uint TYPE = 1;  // of the input's elements and the gradient's
// In C: VKDML_RESPONSE_...
const uint POWER_ANY = 0;
const uint POWER_3_4 = 1;
const uint POWER_1_2 = 2;
const uint POWER_1 = 3;
// In C: VKDML_RESPONSE_...
const uint MOST_SIZE = 15;

layout(std140, binding = 0) uniform ResponseGradientParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint unit_count;  // places, all but channels
    uint chunk_count; // .. each of which has so many invocations
    uint chunk;       // channels of an invocation
    uvec2 unit_divisor; // for divide(): unit_count, and two sizes
    uvec2 height_divisor;
    uvec2 width_divisor;
    uvec4 sizes; // batch, channels, height, width
    uvec4 input_strides;
    uvec4 gradient_strides;
    uvec4 output_strides;
    uvec4 numbers; // what squares come times, what is added, the power, what the sum of terms comes times
} parameters;

BUFFER_OF_WORDS(1, readonly, Input, source);
BUFFER_OF_WORDS(2, readonly, Gradient, gradient);
BUFFER_OF_WORDS(3, writeonly, Output, destination);

const uint BITS = BITS_OF(TYPE);
const uint PER_WORD = 32 / BITS;
const uint BEFORE = (SIZE - 1) / 2;
const uint BEHIND = SIZE / 2;
const int REACH = int(SIZE) - 1;
const uint BLOCK = 4; // channels that are loaded at once

float xs[MOST_SIZE]; // the last SIZE channels, the newest last
float gs[MOST_SIZE];
float terms[MOST_SIZE];
float parts[MOST_SIZE];

uint input_base;
uint gradient_base;
uint output_base;

void find_place(uint unit)
{
    uint row = divide(unit, parameters.width_divisor.x, parameters.width_divisor.y);
    uint picture = divide(row, parameters.height_divisor.x, parameters.height_divisor.y);
    uvec3 at = uvec3(picture, row - picture * parameters.sizes.z, unit - row * parameters.sizes.w);
    uvec3 from_input = at * parameters.input_strides.xzw;
    uvec3 from_gradient = at * parameters.gradient_strides.xzw;
    uvec3 from_output = at * parameters.output_strides.xzw;
    input_base = push.base_bytes[0] * 8 / BITS + from_input.x + from_input.y + from_input.z;
    gradient_base = push.base_bytes[1] * 8 / BITS + from_gradient.x + from_gradient.y + from_gradient.z;
    output_base = push.base_bytes[2] / 4 + from_output.x + from_output.y + from_output.z;
}

bool is_channel(int k)
{
    return k >= 0 && k < int(parameters.sizes.y);
}

float expanded(uint word, uint element)
{
    return uintBitsToFloat(TYPE == FLOAT16 ? widen_half(word >> (element & 1u) * 16 & 0xFFFFu) : word);
}

float load_input(int k)
{
    uint element = input_base + uint(k) * parameters.input_strides.y;
    uint word = 0;
    if (is_channel(k))
        word = source.words[element / PER_WORD];
    return expanded(word, element);
}

float load_gradient(int k)
{
    uint element = gradient_base + uint(k) * parameters.gradient_strides.y;
    uint word = 0;
    if (is_channel(k))
        word = gradient.words[element / PER_WORD];
    return expanded(word, element);
}

// divisor^-power, by roots where it is one of these, of what is not far from 1.
float common_power(float divisor)
{
    precise float root = math_inverse_root(divisor);
    if (POWER == POWER_1_2)
        return root;
    if (POWER == POWER_1)
        return root * root;
    precise float fourth = root * math_inverse_root(root);
    return root * fourth;
}

// What is rare is left to a loop that is mostly not entered: a processor goes through both sides of a branch.
float inverse_power(float divisor)
{
    uint bits = floatBitsToUint(divisor);
    uint power = parameters.numbers.z ^ SIGN_BIT;
    bool is_common = POWER == POWER_ANY ? math_pow_is_common(bits, power) : divisor > 1e-18 && divisor < 1e18;
    float result = POWER == POWER_ANY ? uintBitsToFloat(math_pow_common(bits, power)) : common_power(divisor);
    [[dont_unroll]] for (uint n = is_common ? 1 : 0; n < 1; ++n)
        result = uintBitsToFloat(math_pow(bits, power));
    return result;
}

void shift(float x, float g)
{
    [[unroll]] for (uint n = 0; n + 1 < SIZE; ++n) {
        xs[n] = xs[n + 1];
        gs[n] = gs[n + 1];
        terms[n] = terms[n + 1];
        parts[n] = parts[n + 1];
    }
    xs[SIZE - 1] = x;
    gs[SIZE - 1] = g;
}

// Takes channel k, and gives the result of channel k - REACH.
float take(int k, float x, float g)
{
    shift(x, g);
    precise float squares = 0.0;
    precise float sum = 0.0;
    [[unroll]] for (uint n = 0; n < SIZE; ++n)
        squares = squares + xs[n] * xs[n];
    precise float divisor = uintBitsToFloat(parameters.numbers.y) + uintBitsToFloat(parameters.numbers.x) * squares;
    uint own = SIZE - 1 - BEHIND;
    bool is_own = is_channel(k - int(BEHIND));
    precise float part = gs[own] * inverse_power(divisor);
    precise float term = part * xs[own] / divisor;
    parts[SIZE - 1] = part;
    terms[SIZE - 1] = is_own ? term : 0.0;
    [[unroll]] for (uint n = 0; n < SIZE; ++n)
        sum = sum + terms[n];
    precise float product = uintBitsToFloat(parameters.numbers.w) * (xs[0] * sum);
    return parts[SIZE - 1 - BEFORE] - product;
}

void store(int k, int first, int end, float result)
{
    if (k >= first && k < end)
        destination.words[output_base + uint(k) * parameters.output_strides.y] =
            isnan(result) ? QUIET_NAN : floatBitsToUint(result);
}

void main()
{
    uint index = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    uint chunk = divide(index, parameters.unit_divisor.x, parameters.unit_divisor.y);
    if (group_index() >= parameters.group_count || chunk >= parameters.chunk_count)
        return;
    find_place(index - chunk * parameters.unit_count);
    int first = int(chunk * parameters.chunk);
    int end = min(first + int(parameters.chunk), int(parameters.sizes.y));
    [[unroll]] for (uint n = 0; n < MOST_SIZE; ++n) {
        xs[n] = 0.0;
        gs[n] = 0.0;
        terms[n] = 0.0;
        parts[n] = 0.0;
    }
    for (int k = first - REACH; k < end + REACH; k += int(BLOCK)) {
        vec4 x = vec4(load_input(k), load_input(k + 1), load_input(k + 2), load_input(k + 3));
        vec4 g = vec4(load_gradient(k), load_gradient(k + 1), load_gradient(k + 2), load_gradient(k + 3));
        store(k - REACH, first, end, take(k, x.x, g.x));
        store(k + 1 - REACH, first, end, take(k + 1, x.y, g.y));
        store(k + 2 - REACH, first, end, take(k + 2, x.z, g.z));
        store(k + 3 - REACH, first, end, take(k + 3, x.w, g.w));
    }
}
