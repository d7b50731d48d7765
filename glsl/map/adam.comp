// A step of Adam on parameters a with moments b and c, by gradient d and the step's rate e, FLOAT32: three outputs that
// lie alike, any of which may be where any of the first four operands is. What it computes is BLEND, BLEND_SQUARES and
// DESCEND, one after the other.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define OPERANDS 5
#define ELEMENT uint
#define NO_OPERATIONS
#define HAS_DESCENT
#define HAS_MORE_OUTPUTS
#include "map.glsl"
#include "operations.glsl"
#include "float_operations.glsl"

BUFFER_OF_WORDS(7, , First, firsts_out);
BUFFER_OF_VECTORS(7, , FirstVectors, first_vectors);
BUFFER_OF_WORDS(8, , Second, seconds_out);
BUFFER_OF_VECTORS(8, , SecondVectors, second_vectors);

uvec4 packed_first;
uvec4 packed_second;
uint element_first;
uint element_second;

// 0, by a parameter that says so: nothing is stored before all operands were loaded, though compilers need not expect
// outputs to be where operands are.
uint held;

uint held_item()
{
    uvec4 all = packed_a[0] | packed_b[0] | packed_c[0] | packed_d[0];
    return (all.x | all.y | all.z | all.w) & parameters.arguments[2].w;
}

uint held_element()
{
    return (element_a | element_b | element_c | element_d) & parameters.arguments[2].w;
}

// The parameters, and the moments.
uvec3 compute_fast(uint a, uint b, uint c, uint d, uint e, inout bool good)
{
    uint first = blend_fast(b, d, parameters.arguments[0].x, parameters.arguments[0].y, good);
    uint second = blend_squares_fast(c, d, parameters.arguments[0].z, parameters.arguments[0].w, good);
    uint step = multiply_fast(e, first, good);
    return uvec3(descend_fast(a, step, second, parameters.arguments[1].x, good), first, second);
}

uvec3 compute_slow(uint a, uint b, uint c, uint d, uint e)
{
    uint first = blend_slow(b, d, parameters.arguments[0].x, parameters.arguments[0].y);
    uint second = blend_squares_slow(c, d, parameters.arguments[0].z, parameters.arguments[0].w);
    uint step = math_multiply(e, first);
    return uvec3(descend_slow(a, step, second, parameters.arguments[1].x), first, second);
}

void put_pair(inout uvec4 packed, uint k, uvec2 result, inout bool good)
{
    uint word = k * BITS_OUT >> 5;
    if (TYPE_OUT == FLOAT16) {
        packed[word] = narrow_to_halves(result, good);
    } else {
        packed[word] = IS_EXACT ? canonical(result.x) : result.x;
        packed[word + 1] = IS_EXACT ? canonical(result.y) : result.y;
    }
}

void compute_pair(uint k, inout bool good)
{
    uvec2 a = pair_a(k);
    uvec2 b = pair_b(k);
    uvec2 c = pair_c(k);
    uvec2 d = pair_d(k);
    uvec2 e = pair_e(k);
    uvec3 x = compute_fast(a.x, b.x, c.x, d.x, e.x, good);
    uvec3 y = compute_fast(a.y, b.y, c.y, d.y, e.y, good);
    put_pair(packed_out[0], k, uvec2(x.x, y.x), good);
    put_pair(packed_first, k, uvec2(x.y, y.y), good);
    put_pair(packed_second, k, uvec2(x.z, y.z), good);
}

// By no loop, for the reason that map_words.glsl gives.
bool compute_item()
{
    bool good = true;
    packed_out[0] = uvec4(0);
    compute_pair(0, good);
    if (ITEM > 2)
        compute_pair(2, good);
    if (ITEM > 4) {
        compute_pair(4, good);
        compute_pair(6, good);
    }
    held = held_item();
    return good;
}

uint narrowed_to_output(uint x)
{
    return TYPE_OUT == FLOAT16 ? narrow_to_half(x) : x;
}

uint compute_element()
{
    uvec3 result = compute_slow(single_a(), single_b(), single_c(), single_d(), single_e());
    element_first = narrowed_to_output(result.y);
    element_second = narrowed_to_output(result.z);
    held = held_element();
    return narrowed_to_output(result.x);
}

// The element of another output that is where an element of the first one is.
uint element_beside(uint element, uint base_bytes)
{
    return element + held - push.base_bytes[0] * 8 / BITS_OUT + base_bytes * 8 / BITS_OUT;
}

void store_more(uint element)
{
    uint first = element_beside(element, push.more_base_bytes[2]) / ITEM;
    uint second = element_beside(element, push.more_base_bytes[3]) / ITEM;
    if (ITEM_BYTES == 16) {
        first_vectors.vectors[first] = packed_first;
        second_vectors.vectors[second] = packed_second;
    } else {
        firsts_out.words[first * 2] = packed_first.x;
        firsts_out.words[first * 2 + 1] = packed_first.y;
        seconds_out.words[second * 2] = packed_second.x;
        seconds_out.words[second * 2 + 1] = packed_second.y;
    }
}

// As store_element() in map_main.glsl does.
#define STORE_BITS(output, element, bits)                                                                              \
    if (BITS_OUT < 32) {                                                                                               \
        uint index = (element) / OUT_PER_WORD;                                                                         \
        uint shift = (element) % OUT_PER_WORD * BITS_OUT;                                                              \
        uint old = atomicOr(output.words[index], 0);                                                                   \
        atomicXor(output.words[index], (old ^ ((bits) << shift)) & (OUT_MASK << shift));                               \
    } else {                                                                                                           \
        output.words[element] = bits;                                                                                  \
    }

void store_more_of_element(uint element)
{
    uint first = element_beside(element, push.more_base_bytes[2]);
    uint second = element_beside(element, push.more_base_bytes[3]);
    STORE_BITS(firsts_out, first, element_first)
    STORE_BITS(seconds_out, second, element_second)
}

#include "map_main.glsl"
