// The frame of kernels that compute each output element from several input elements near its place. An item is V
// elements of the innermost dimension that lie side by side in the target, from a multiple of V on, or one element. In
// a dimension that is walked coordinate c takes the steps t below `taps` for which c + start - t * tap_step is a
// coordinate q below source_size times source_step: the element at q * source_stride + t * tap_stride. In pools it
// takes those for which c * source_step + t * tap_step - start is a coordinate q.
#ifndef VKDML_WINDOW_GLSL
#define VKDML_WINDOW_GLSL

#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

#ifndef VECTORS_PER_WALK
#define VECTORS_PER_WALK 2
#endif

#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "types.glsl"

// of the source, of the element at the output's own place, of the target; 4 bits each
layout(constant_id = 1) const uint TYPES = 0x111;
const uint TYPE = TYPES & 15u;
const uint TYPE_OWN = TYPES >> 4 & 15u;
const uint TYPE_OUT = TYPES >> 8 & 15u;
const uint BITS = BITS_OF(TYPE);
const uint BITS_OWN = BITS_OF(TYPE_OWN);
const uint BITS_OUT = BITS_OF(TYPE_OUT);
const bool FLOATS = IS_FLOAT(TYPE);

layout(constant_id = 2) const uint OPERATION = 0;
// In C: VKDML_NEIGHBOURS_...
const bool SQUARES = (OPERATION & 1u) != 0;     // of elements are summed
const bool IS_LONG = (OPERATION & 2u) != 0;     // sums go by blocks
const bool ACCUMULATES = (OPERATION & 4u) != 0; // onto what the target has
// a dimension's first steps are another dispatch's: positions may be negative
const bool IS_CUT = (OPERATION & 8u) != 0;
const bool SOURCE_IS_ALIGNED = (OPERATION & 16u) != 0; // items of it begin at multiples of their size
const bool OWN_IS_ALIGNED = (OPERATION & 32u) != 0;
const bool OWN_IS_SIDE_BY_SIDE = (OPERATION & 64u) != 0;
// items begin anywhere in the target: a ring's neighbours begin differently
const bool IS_LOOSE = (OPERATION & 128u) != 0;
const bool ITEMS_ARE_WHOLE = (OPERATION & 256u) != 0; // rows begin and end with items
const bool IS_STEADY = (OPERATION & 512u) != 0; // divisors are NaN, or normal and above 0, or infinite
#ifdef POOLS
// In C: VKDML_POOL_...
const bool IS_REST = (OPERATION & 0x100000u) != 0; // the source is sums, which lie as places do
const uint OWN_BUFFER = IS_REST ? 0 : 2;
#else
// In C: VKDML_NEIGHBOURS_...
const uint FINISH_SHIFT = 12;
const uint FINISH = OPERATION >> FINISH_SHIFT;
const uint OWN_BUFFER = 2;
#endif

layout(constant_id = 3) const uint RANK = 8;
layout(constant_id = 4) const uint WALK_OF = 0xFFFFFFFFu; // of each dimension the walk, 4 bits; 15: it is not walked
layout(constant_id = 5) const uint OUTER_WALKS = 6;       // the first of them, which are not the ring's or the items'
layout(constant_id = 6) const uint V = 4;                 // 1, or 4 or 8 elements of whole words
layout(constant_id = 7) const uint MODE = 0;              // how an item's elements find theirs:
// In C: enum vkdml_neighbours_mode, VKDML_NEIGHBOURS_MODE_...
const uint SINGLE = 0; // one by one
const uint SIDE = 1;   // side by side; the innermost dimension is not walked
const uint SLIDE = 2;  // each from the next place on along the same elements
const uint TAPS = 3;   // side by side for each step
const uint DOUBLED = 4; // interpolated, from half as many
const uint HALVED = 5; // the same, from twice as many
// steps of a dimension whose elements stay in registers, 2 to 9, and the dimension, 8 bits more
layout(constant_id = 8) const uint RING = 0;
// of SLIDE by whole items: the steps, 2 to 9, and where the first leads, 4 bits more
layout(constant_id = 9) const uint SLIDING = 0;

const uint PER_WORD = 32 / (BITS < 32 ? BITS : 32);
const uint OWN_PER_WORD = 32 / (BITS_OWN < 32 ? BITS_OWN : 32);
const uint OUT_PER_WORD = 32 / (BITS_OUT < 32 ? BITS_OUT : 32);

// Strides are in elements.
layout(std140, binding = 0) uniform NeighboursParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;
    uint items_per_row;
    uint row_length;
    uvec2 row_divisor; // for divide(): items_per_row
    uint share;        // items of an invocation; of a ring, elements along it
    uint ring_length;
    uint source_first; // from the bound range's start, modulo 2^32
    uint own_first;
    uint target_first;
    uint place_first;  // of pools: the place of the source's first element
    uvec4 arguments;
    // outermost first: a size (of a ring how many shares), its multiplier and shifts, the source's stride
    uvec4 sizes[8];
    uvec4 own_strides[2];
    uvec4 target_strides[2];
    // Two of each: start, taps, tap_step, source_size; source_step, its multiplier and shifts, tap_stride. Three where
    // what they lead to is interpolated: places.glsl.
    uvec4 walks[12];
    uvec4 walk_strides[2];
#ifdef POOLS
    uvec4 place_strides[2];
#endif
} parameters;

BUFFER_OF_WORDS(1, readonly, Source, source);
BUFFER_OF_VECTORS(1, readonly, SourceVectors, source_vectors);
BUFFER_OF_WORDS(2, , Target, destination);
BUFFER_OF_VECTORS(2, , TargetVectors, destination_vectors);

#ifdef POOLS
BUFFER_OF_WORDS(3, , Places, places);
BUFFER_OF_VECTORS(3, , PlaceVectors, place_vectors);
#else
BUFFER_OF_WORDS(3, readonly, Own, own_elements);
BUFFER_OF_VECTORS(3, readonly, OwnVectors, own_vectors);
#endif

// The elements of an item, each expanded to 32 bits, of floats to FLOAT32: four, eight, or in x and y one.
struct Values {
    uvec4 a;
    uvec4 b;
};

const Values NOTHING = Values(uvec4(0), uvec4(0));

#define ELEMENT_TYPE TYPE
#define ELEMENT_BITS BITS
#define ELEMENTS_PER_WORD PER_WORD
#define IS_ALIGNED SOURCE_IS_ALIGNED
#define TENSOR source
#define TENSOR_VECTORS source_vectors
#define LOAD_ELEMENT source_element
#define LOAD_ITEM source_item
#include "item.glsl"

#ifdef HAS_OWN
#define ELEMENT_TYPE TYPE_OWN
#define ELEMENT_BITS BITS_OWN
#define ELEMENTS_PER_WORD OWN_PER_WORD
#define IS_ALIGNED OWN_IS_ALIGNED
#define TENSOR own_elements
#define TENSOR_VECTORS own_vectors
#define LOAD_ELEMENT own_element
#define LOAD_ITEM own_item
#include "item.glsl"
#endif

// ---- where an item is ----

uint source_base;
uint own_base;
uint target_base;
uint x;            // of the item's first element; wraps around 0 before the row
// c + start, of each walk; of pools the coordinate of the source that the first step leads to, modulo 2^32
uint positions[6];
uint ring_begin;
uint place_base;   // of pools

// In C: VKDML_NEIGHBOURS_...
const uint NO_WALK = 15;
const uint RING_DIMENSION = RING >> 8;

uint walk_of(uint d)
{
    return WALK_OF >> (4 * d) & 15u;
}

bool is_in_row(uint v)
{
    return ITEMS_ARE_WHOLE || x + v < parameters.row_length;
}

bool is_whole()
{
    return ITEMS_ARE_WHOLE || (x < parameters.row_length && parameters.row_length - x >= V);
}

void find_item(uint item)
{
    source_base = parameters.source_first + push.base_bytes[0] * 8 / BITS;
    own_base = parameters.own_first + push.base_bytes[OWN_BUFFER] * 8 / BITS_OWN;
    target_base = parameters.target_first + push.base_bytes[1] * 8 / BITS_OUT;
#ifdef POOLS
    place_base = parameters.place_first;
#endif
    uint rest = RANK > 1 ? divide(item, parameters.row_divisor.x, parameters.row_divisor.y) : 0;
    x = item - rest * parameters.items_per_row;
    for (uint n = 1; n < RANK; ++n) {
        uint d = RANK - 1 - n;
        TAKE_COORDINATE(coordinate, rest, d == 0, parameters.sizes[d].x, parameters.sizes[d].y, parameters.sizes[d].z)
        if (RING != 0 && d == RING_DIMENSION) {
            coordinate *= parameters.share;
            ring_begin = coordinate;
        }
        own_base += coordinate * parameters.own_strides[d / 4][d % 4];
        target_base += coordinate * parameters.target_strides[d / 4][d % 4];
        uint walk = walk_of(d);
        if (walk == NO_WALK)
            source_base += coordinate * parameters.sizes[d].w;
        else
#ifdef POOLS
            positions[walk] = coordinate * parameters.walks[2 * walk + 1].x + parameters.walks[2 * walk].x;
        if (walk == NO_WALK)
            place_base += coordinate * parameters.place_strides[d / 4][d % 4];
#else
            positions[walk] = coordinate + parameters.walks[VECTORS_PER_WALK * walk].x;
#endif
    }
    if (V > 1)
        x = x * V - (EITHER(IS_LOOSE, ITEMS_ARE_WHOLE) ? 0 : target_base % V);
}

// ---- the target ----

uint narrow(uint value)
{
    return TYPE_OUT == FLOAT16 ? narrow_to_half(value) : value;
}

// Other invocations may own the word's other bits, so only the bits that change are flipped, in one atomic.
void flip(uint index, uint bits, uint mask)
{
    uint old = atomicOr(destination.words[index], 0);
    atomicXor(destination.words[index], (old ^ bits) & mask);
}

void store_element(uint element, uvec2 bits)
{
    if (BITS_OUT == 64) {
        destination.words[element * 2] = bits.x;
        destination.words[element * 2 + 1] = bits.y;
    } else if (BITS_OUT < 32) {
        uint mask = (1u << (BITS_OUT & 31u)) - 1u;
        uint shift = element % OUT_PER_WORD * BITS_OUT;
        flip(element / OUT_PER_WORD, narrow(bits.x) << shift, mask << shift);
    } else {
        destination.words[element] = bits.x;
    }
}

uvec2 halves_of(uvec4 values)
{
    if (TYPE_OUT == FLOAT16) {
        bool good = true;
        uvec2 words = uvec2(narrow_to_halves(values.xy, good), narrow_to_halves(values.zw, good));
        if (good)
            return words;
        values = uvec4(narrow_to_half(values.x), narrow_to_half(values.y), narrow_to_half(values.z),
                       narrow_to_half(values.w));
    }
    return (values.xz & 0xFFFF) | values.yw << 16;
}

uint value_at(Values values, uint v)
{
    return v < 4 ? values.a[v] : values.b[v & 3];
}

// Four floats of 32 bits, or eight of 16.
void store_loose(uint element, Values values)
{
    if (BITS_OUT == 32) {
        destination.words[element] = values.a.x;
        destination.words[element + 1] = values.a.y;
        destination.words[element + 2] = values.a.z;
        destination.words[element + 3] = values.a.w;
        return;
    }
    uvec4 words = uvec4(halves_of(values.a), halves_of(values.b));
    uint index = element / 2;
    if ((element & 1) != 0) {
        flip(index, words.x << 16, 0xFFFF0000u);
        flip(index + 4, words.w >> 16, 0xFFFFu);
        destination.words[index + 1] = words.x >> 16 | words.y << 16;
        destination.words[index + 2] = words.y >> 16 | words.z << 16;
        destination.words[index + 3] = words.z >> 16 | words.w << 16;
    } else {
        destination.words[index] = words.x;
        destination.words[index + 1] = words.y;
        destination.words[index + 2] = words.z;
        destination.words[index + 3] = words.w;
    }
}

void store_item(Values values)
{
    uint element = target_base + x * (V > 1 ? 1 : parameters.target_strides[(RANK - 1) / 4][(RANK - 1) % 4]);
    if (V == 1) {
        store_element(element, values.a.xy);
    } else if (!ITEMS_ARE_WHOLE && !is_whole()) {
        [[dont_unroll]] for (uint v = 0; v < V; ++v)
            if (is_in_row(v))
                store_element(element + v, uvec2(value_at(values, v), 0));
    } else if (IS_LOOSE) {
        store_loose(element, values);
    } else if (BITS_OUT == 32) {
        destination_vectors.vectors[element / 4] = values.a;
        if (V > 4)
            destination_vectors.vectors[element / 4 + 1] = values.b;
    } else if (BITS_OUT == 16) {
        if (V > 4) {
            destination_vectors.vectors[element / 8] = uvec4(halves_of(values.a), halves_of(values.b));
        } else {
            uvec2 words = halves_of(values.a);
            destination.words[element / 2] = words.x;
            destination.words[element / 2 + 1] = words.y;
        }
    } else {
        uvec4 bytes = values.a & 0xFF;
        destination.words[element / 4] = bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24;
    }
}

// What the target has, of totals, which are FLOAT32 or integers.
Values stored_item()
{
    uint element = target_base + x * (V > 1 ? 1 : parameters.target_strides[(RANK - 1) / 4][(RANK - 1) % 4]);
    Values values = NOTHING;
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            uint at = element + v;
            uint bits = BITS_OUT == 64 ? destination.words[at * 2]
                                       : destination.words[at / OUT_PER_WORD] >> (at % OUT_PER_WORD * (BITS_OUT & 31u));
            if (v < 4)
                values.a[v] = bits;
            else
                values.b[v & 3] = bits;
            if (BITS_OUT == 64)
                values.a.y = destination.words[at * 2 + 1];
        }
    }
    return values;
}

// ---- sums ----

uvec4 add_bits(uvec4 a, uvec4 b)
{
    if (BITS == 64) {
        uint carry;
        uint low = uaddCarry(a.x, b.x, carry);
        return uvec4(low, a.y + b.y + carry, 0, 0);
    }
    if (!FLOATS)
        return a + b;
    precise vec4 sum = uintBitsToFloat(a) + uintBitsToFloat(b);
    return floatBitsToUint(sum);
}

Values add(Values s, Values t)
{
    s.a = add_bits(s.a, t.a);
    if (V > 4)
        s.b = add_bits(s.b, t.b);
    return s;
}

#endif
