// LearningRate * sqrt(1 - Beta2^T) / (1 - Beta1^T), or where T is 0 LearningRate: one number for a step of Adam, whose
// T is known on the device alone. Powers are fixed point numbers below 1 of 64 bits, cut off, so that every device has
// the same and what they lack is below T * 2^-64, while their distance from 1 is T * 2^-24 at least.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "binding.glsl"
#include "buffers.glsl"
#include "../math/math.glsl"

layout(std140, binding = 0) uniform AdamStepParameters {
    uvec4 betas;     // as such numbers, the low word first; of a Beta that is 1 not looked at
    uvec2 are_ones;
    uint rate;
} parameters;

BUFFER_OF_WORDS(1, readonly, Step, training_step);
BUFFER_OF_WORDS(2, writeonly, Output, destination);

uint add_carrying(uint a, uint b, inout uint carries)
{
    uint carry;
    uint sum = uaddCarry(a, b, carry);
    carries += carry;
    return sum;
}

// The high half of the product.
uvec2 multiply_fractions(uvec2 a, uvec2 b)
{
    uint high_00, low_00, high_01, low_01, high_10, low_10, high_11, low_11;
    umulExtended(a.x, b.x, high_00, low_00);
    umulExtended(a.x, b.y, high_01, low_01);
    umulExtended(a.y, b.x, high_10, low_10);
    umulExtended(a.y, b.y, high_11, low_11);
    uint middle_carries = 0;
    uint carries = 0;
    uint middle = add_carrying(high_00, low_01, middle_carries);
    middle = add_carrying(middle, low_10, middle_carries);
    uint low = add_carrying(low_11, high_01, carries);
    low = add_carrying(low, high_10, carries);
    low = add_carrying(low, middle_carries, carries);
    return uvec2(low, high_11 + carries);
}

// Of an exponent of 1 at least, by squares.
uvec2 power_of(uvec2 base, uint exponent)
{
    uvec2 power = uvec2(0);
    bool is_begun = false;
    [[dont_unroll]] for (uint left = exponent; left != 0; left >>= 1) {
        if ((left & 1) != 0) {
            power = is_begun ? multiply_fractions(power, base) : base;
            is_begun = true;
        }
        base = multiply_fractions(base, base);
    }
    return power;
}

// What lacks to 1, as FLOAT32, rounded to nearest even.
uint lack_of(uvec2 fraction)
{
    if (fraction.x == 0 && fraction.y == 0)
        return 0x3F800000u;
    uvec2 lack = ~fraction;
    lack.x += 1;
    lack.y += lack.x == 0 ? 1 : 0;
    uint exponent = 126; // of what has its highest bit set
    [[dont_unroll]] for (uint n = 0; n < 64 && (lack.y & 0x80000000u) == 0; ++n) {
        lack = uvec2(lack.x << 1, lack.y << 1 | lack.x >> 31);
        --exponent;
    }
    uint significand = lack.y >> 8;
    uint rest = lack.y & 0xFFu;
    bool is_more = rest > 0x80u || (rest == 0x80u && (lack.x != 0 || (significand & 1) != 0));
    return (exponent << 23) + (significand - 0x00800000u) + (is_more ? 1 : 0);
}

uint lack_of_power(uvec2 beta, bool is_one, uint exponent)
{
    return is_one ? 0 : lack_of(power_of(beta, exponent));
}

void main()
{
    if (gl_GlobalInvocationID.x != 0)
        return;
    uint t = training_step.words[push.base_bytes[0] >> 2];
    uint alpha = 0x3F800000u;
    if (t != 0) {
        uint first = lack_of_power(parameters.betas.xy, parameters.are_ones.x != 0, t);
        uint second = lack_of_power(parameters.betas.zw, parameters.are_ones.y != 0, t);
        alpha = math_divide(math_sqrt(second), first);
    }
    destination.words[push.base_bytes[1] >> 2] = math_multiply(parameters.rate, alpha);
}
