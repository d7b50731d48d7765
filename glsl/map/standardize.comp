// (a - b) * c * d + e of a mean b, the inverse of a deviation c, FLOAT32 both, a scale d and a bias e, either of which
// may be absent, and a function of what it gives. The difference comes first: what a large mean has in common with the
// elements must be gone before anything is rounded beside it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define OPERANDS 5
#define ELEMENT uint
#define NO_OPERATIONS
#include "map.glsl"
#include "operations.glsl"
#include "float_operations.glsl"

const bool HAS_SCALE = ROWS_d == ABSENT ? false : true;
const bool HAS_BIAS = ROWS_e == ABSENT ? false : true;

// Denormals that are flushed before the scale are less than a mean's rounding, but for a mean of 0; then they are next
// to nothing of a deviation that results are held to.
uint compute_fast(uint a, uint b, uint c, uint d, uint e, inout bool good)
{
    precise float difference = uintBitsToFloat(a) - uintBitsToFloat(b);
    precise float result = difference * uintBitsToFloat(c);
    uint scaled = scale_fast(floatBitsToUint(result), HAS_SCALE ? d : ONE, HAS_BIAS ? e : 0, good);
    return float_function_fast(scaled, good);
}

uint compute_slow(uint a, uint b, uint c, uint d, uint e)
{
    uint result = math_multiply(math_subtract(a, b), c);
    return float_function_slow(scale_slow(result, HAS_SCALE ? d : ONE, HAS_BIAS ? e : 0));
}

void compute_pair(uint k, inout bool good)
{
    uvec2 a = pair_a(k);
    uvec2 b = pair_b(k);
    uvec2 c = pair_c(k);
    uvec2 d = pair_d(k);
    uvec2 e = pair_e(k);
    uvec2 result = uvec2(compute_fast(a.x, b.x, c.x, d.x, e.x, good), compute_fast(a.y, b.y, c.y, d.y, e.y, good));
    uint word = k * BITS_OUT >> 5;
    if (TYPE_OUT == FLOAT16) {
        packed_out[0][word] = narrow_to_halves(result, good);
    } else {
        packed_out[0][word] = IS_EXACT ? canonical(result.x) : result.x;
        packed_out[0][word + 1] = IS_EXACT ? canonical(result.y) : result.y;
    }
}

// By no loop, for the reason that map_words.glsl gives. Statistics are FLOAT32: an item has four elements.
bool compute_item()
{
    bool good = true;
    packed_out[0] = uvec4(0);
    compute_pair(0, good);
    compute_pair(2, good);
    return good;
}

uint compute_element()
{
    uint result = compute_slow(single_a(), single_b(), single_c(), single_d(), single_e());
    return TYPE_OUT == FLOAT16 ? narrow_to_half(result) : result;
}

#include "map_main.glsl"
