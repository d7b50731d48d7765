// What gradient.comp looks up: of each coordinate of the target the first of the source's coordinates that have it in
// their neighbourhood, and how many there are; and of each coordinate of the source what it gives to those.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "binding.glsl"
#include "buffers.glsl"
#include "../math/arithmetic.glsl"
#include "../math/quotient.glsl"

layout(constant_id = 1) const uint FLAGS = 0;
// In C: VKDML_GRADIENT_RANGES_...
const bool IS_SCALED = (FLAGS & 1u) != 0;   // places are found by scales; else neighbourhoods are windows
const bool IS_LINEAR = (FLAGS & 2u) != 0;   // a place lies between two coordinates; else it is the nearest
const bool ROUNDS_UP = (FLAGS & 4u) != 0;
const bool DIVIDES = (FLAGS & 8u) != 0;     // some scale is no power of two
layout(constant_id = 2) const uint WALKS = 3;

const bool IS_CUT = false;
#define VECTORS_PER_WALK 3

layout(std140, binding = 0) uniform GradientRangesParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;
    uint share;       // items of an invocation
    uint unused;
    // Of a walk: its first item, how many there are of the target's coordinates, the source's coordinates, the target's
    // size. Then of windows start, elements, dilation, stride; and, where dilated, the dilation by what it and the
    // stride have in common, what the stride by that is multiplied with to be 1 modulo this, and that. Scales stand as
    // places.glsl has them.
    uvec4 walks[9];
} parameters;

BUFFER_OF_PAIRS(1, writeonly, Table, table);

#include "places.glsl"

// ---- windows ----

uint multiply_modulo(uint a, uint b, uint m)
{
    uint product = 0;
    [[dont_unroll]] for (uint n = 0; n < 31; ++n) {
        product = 2 * product % m + ((b >> (30 - n) & 1) != 0 ? a : 0);
        product -= product >= m ? m : 0;
    }
    return product;
}

uint divide_up(uint a, uint b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

// Windows o with i + start - o * stride = k * dilation, k below the window's elements.
uvec2 windows_of(uint walk, uint i)
{
    uvec4 steps = steps_of(walk);
    uvec4 window = scaling_of(walk);
    uvec4 common_part = rounding_of(walk);
    uint t = i + window.x;
    uint reach = (window.y - 1) * window.z;
    uint first = t > reach ? divide_up(t - reach, window.w) : 0;
    uint end = min(t / window.w + 1, steps.z);
    uint m = common_part.x;
    if (m > 1) {
        uint part = t / common_part.z;
        uint wanted = multiply_modulo(part % m, common_part.y, m);
        first += (wanted + m - first % m) % m;
        end = t == part * common_part.z ? end : first;
    }
    return uvec2(first, first < end ? (end - first - 1) / m + 1 : 0);
}

// One by the number of a window's elements that there are.
uvec2 share_of_window(uint walk, uint o)
{
    uvec4 window = scaling_of(walk);
    uint first = o * window.w;
    uint end = min(first + window.y, window.x + steps_of(walk).w);
    first = max(first, window.x);
    float count = float(first < end ? end - first : 1);
    return uvec2(0, math_divide(0x3F800000u, floatBitsToUint(count)));
}

// ---- scales ----

uint below(uint walk, uint o)
{
    return IS_LINEAR ? uint(places_of(walk, uvec4(o)).x) : nearest_of(walk, uvec4(o)).x;
}

// The first coordinate whose place is at element i or behind: places never fall.
uint first_at(uint walk, uint i)
{
    uint first = 0;
    uint end = steps_of(walk).z;
    [[dont_unroll]] for (uint n = 0; n < 32; ++n) {
        uint middle = first + (end - first) / 2;
        if (first < end) {
            if (below(walk, middle) >= i)
                end = middle;
            else
                first = middle + 1;
        }
    }
    return first;
}

uvec2 places_at(uint walk, uint i)
{
    uint first = IS_LINEAR ? first_at(walk, max(i, 1) - 1) : first_at(walk, i);
    return uvec2(first, first_at(walk, i + 1) - first);
}

uvec2 share_of_place(uint walk, uint o)
{
    float place = places_of(walk, uvec4(o)).x;
    precise float far = place - float(uint(place));
    return uvec2(uint(place), floatBitsToUint(far));
}

void make(uint item)
{
    uint walk = 0;
    [[unroll]] for (uint w = 1; w < WALKS; ++w)
        walk = item >= steps_of(w).x ? w : walk;
    uvec4 steps = steps_of(walk);
    uint c = item - steps.x;
    uvec2 pair;
    if (c < steps.y)
        pair = IS_SCALED ? places_at(walk, c) : windows_of(walk, c);
    else
        pair = IS_SCALED ? share_of_place(walk, c - steps.y) : share_of_window(walk, c - steps.y);
    table.pairs[push.base_bytes[0] / 8 + item] = pair;
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint invocation = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    for (uint n = 0; n < parameters.share; ++n) {
        uint item = invocation * parameters.share + n;
        if (item >= parameters.item_count)
            return;
        make(item);
    }
}
