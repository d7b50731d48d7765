// Operations with elements of 64 bits among their operands or in their output.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define OPERANDS 3
#define ELEMENT uvec2
#define IS_WIDE
#include "map.glsl"
#include "operations.glsl"
#include "scale_bias.glsl"
#include "number64.glsl"
#include "fast_conversions64.glsl"

const uint BITS_A = BITS_OF(TYPE_A);
const uint BITS_B = BITS_OF(TYPE_B);
const uint BITS_C = BITS_OF(TYPE_C);
const bool SIGNS = IS_SIGNED(TYPE_A);
const bool SIGNS_OUT = IS_SIGNED(TYPE_OUT);

uvec2 scale_double(uvec2 x)
{
    return add_float64(multiply_float64(x, parameters.arguments[0].xy), parameters.arguments[0].zw, false);
}

// (x * arguments.x + arguments.zy) / 2^arguments.w truncated toward zero: the planner saw to it that no sum needs more
// than 31 bits beyond those of x.
uvec2 scale_fixed(uvec2 x)
{
    uint scale = parameters.arguments[0].x;
    uint shift = parameters.arguments[0].w;
    uint middle, addend, carry;
    uvec3 sum;
    umulExtended(x.x, scale, addend, sum.x);
    umulExtended(x.y, scale, sum.z, middle);
    sum.y = uaddCarry(middle, addend, carry);
    sum.z += carry;
    if (int(scale) < 0) { // x * 2^32 less
        sum.y = usubBorrow(sum.y, x.x, carry);
        sum.z -= x.y + carry;
    }
    sum.z -= SIGNS && int(x.y) < 0 ? scale : 0;
    sum.x = uaddCarry(sum.x, parameters.arguments[0].y, carry);
    uint bias = parameters.arguments[0].z + carry;
    sum.y = uaddCarry(sum.y, bias, carry);
    sum.z += carry - (int(bias) < 0 ? 1 : 0);

    bool negative = int(sum.z) < 0;
    if (negative) {
        sum.xy = negate64(sum.xy);
        sum.z = ~sum.z + (sum.xy == uvec2(0) ? 1 : 0);
    }
    sum = shift_right(uvec4(sum, 0), shift).xyz;
    bool huge = sum.z != 0 || (SIGNS && int(sum.y) < 0);
    if (!SIGNS)
        return negative ? uvec2(0) : huge ? uvec2(0xFFFFFFFFu) : sum.xy;
    if (huge)
        return negative ? uvec2(0, SIGN_BIT) : uvec2(0xFFFFFFFFu, 0x7FFFFFFF);
    return negative ? negate64(sum.xy) : sum.xy;
}

uvec2 scale(uvec2 x)
{
    if (SCALE_BIAS == DOUBLE_SCALE)
        return scale_double(x);
    if (SCALE_BIAS == WIDE_SCALE)
        return scale_fixed(x);
    if (SCALE_BIAS == FLOAT_SCALE)
        return scale_by_reals(x, 64, SIGNS);
    return x;
}

uvec2 magnitude_of(uvec2 x)
{
    return SIGNS && int(x.y) < 0 ? negate64(x) : x;
}

// Truncated toward zero, or the remainder of that or of what is rounded down; 0 where the divisor is.
uvec2 divide_integers(uvec2 a, uvec2 b)
{
    if (b == uvec2(0))
        return uvec2(0);
    uvec2 rest;
    uvec2 quotient = divide64(magnitude_of(a), magnitude_of(b), rest);
    if (OPERATION == OP_DIVIDE)
        return SIGNS && int(a.y ^ b.y) < 0 ? negate64(quotient) : quotient;
    if (SIGNS && int(a.y) < 0)
        rest = negate64(rest);
    if (OPERATION == OP_MODULUS_FLOOR && SIGNS && rest != uvec2(0) && int(rest.y ^ b.y) < 0)
        rest = add64(rest, b);
    return rest;
}

uvec2 truth(bool x)
{
    return uvec2(x ? 1 : 0, 0);
}

uvec2 converted(uvec2 a)
{
    Number number;
    if (TYPE_A == FLOAT64)
        number = number_of_double(a);
    else if (TYPE_A == FLOAT32)
        number = number_of_float(a.x);
    else if (TYPE_A == FLOAT16)
        number = number_of_float(widen_half(a.x));
    else if (TYPE_OUT == FLOAT64 || TYPE_OUT == FLOAT32 || TYPE_OUT == FLOAT16)
        number = number_of_integer(a, SIGNS);
    else
        return a;
    if (TYPE_OUT == FLOAT64)
        return float_of_number(number, 52, 0x7FF);
    if (TYPE_OUT == FLOAT32)
        return float_of_number(number, 23, 0xFF);
    if (TYPE_OUT == FLOAT16)
        return float_of_number(number, 10, 0x1F);
    return integer_of_number(number, BITS_OUT, SIGNS_OUT);
}

// The same where `good` stays true: of numbers that are neither denormal nor, but for zeros, at the ends of the range.
uvec2 converted_fast(uvec2 a, inout bool good)
{
    if (FROM_FLOATS) {
        uint x = TYPE_A == FLOAT16 ? widen_halves(a.x).x : a.x;
        return TYPE_OUT == FLOAT64 ? double_of_float(x, good) : integer_of_float_fast(x, SIGNS_OUT, good);
    }
    if (TYPE_A == FLOAT64 && TO_FLOATS) {
        uint x = float_of_double(a, TYPE_OUT == FLOAT16, good);
        return uvec2(TYPE_OUT == FLOAT16 ? narrow_to_halves(uvec2(x, 0), good) : x, 0);
    }
    if (TYPE_A == FLOAT64 && TYPE_OUT != FLOAT64)
        return integer_of_double(a, BITS_OUT, SIGNS_OUT, good);
    if (TO_FLOATS) {
        uint x = float_of_integer64(a, SIGNS);
        return uvec2(TYPE_OUT == FLOAT16 ? narrow_to_halves(uvec2(x, 0), good) : x, 0);
    }
    if (TYPE_OUT == FLOAT64 && BITS_A < 64)
        return double_of_integer(a.x, SIGNS);
    return converted(a);
}

uvec2 operation(uvec2 a, uvec2 b, uvec2 c)
{
    uvec4 arguments = parameters.arguments[1];
    switch (OPERATION) {
    case OP_ADD:
        return add64(a, b);
    case OP_SUBTRACT:
        return subtract64(a, b);
    case OP_MULTIPLY:
        return multiply64(a, b);
    case OP_DIVIDE:
    case OP_MODULUS_TRUNCATE:
    case OP_MODULUS_FLOOR:
        return divide_integers(a, b);
    case OP_MIN:
        return less64(b, a, SIGNS) ? b : a;
    case OP_MAX:
        return less64(a, b, SIGNS) ? b : a;
    case OP_EQUALS:
        return truth(a == b);
    case OP_GREATER_THAN:
        return truth(less64(b, a, SIGNS));
    case OP_LESS_THAN:
        return truth(less64(a, b, SIGNS));
    case OP_GREATER_THAN_OR_EQUAL:
        return truth(!less64(a, b, SIGNS));
    case OP_LESS_THAN_OR_EQUAL:
        return truth(!less64(b, a, SIGNS));
    case OP_BIT_AND:
        return a & b;
    case OP_BIT_OR:
        return a | b;
    case OP_BIT_XOR:
        return a ^ b;
    case OP_BIT_SHIFT_LEFT:
        return b.y == 0 && b.x < 64 ? shift_left64(a, b.x) : uvec2(0);
    case OP_BIT_SHIFT_RIGHT:
        return b.y == 0 && b.x < 64 ? shift_right64(a, b.x) : uvec2(0);
    case OP_IF:
        return c.x != 0 ? a : b;
    case OP_CLIP_GRAD:
        return less64(arguments.xy, a, SIGNS) && less64(a, arguments.zw, SIGNS) ? b : uvec2(0);
    case OP_CAST:
        return converted(a);
    case OP_SEQUENCE:
        return add64(arguments.xy, multiply64(uvec2(a.x, 0), arguments.zw));
    case OP_CONSTANT:
        return arguments.xy;
    default:
        return a;
    }
}

uvec2 function(uvec2 x)
{
    uvec4 arguments = parameters.arguments[2];
    switch (FUNCTION) {
    case FN_ABS:
        return magnitude_of(x);
    case FN_NEGATE:
        return negate64(x);
    case FN_SIGN:
        return SIGNS && int(x.y) < 0 ? uvec2(0xFFFFFFFFu) : truth(x != uvec2(0));
    case FN_CLIP: {
        uvec2 below = less64(arguments.zw, x, SIGNS) ? arguments.zw : x;
        return less64(arguments.xy, below, SIGNS) ? below : arguments.xy;
    }
    case FN_BIT_NOT:
        return ~x;
    case FN_BIT_COUNT:
        return uvec2(bitCount(x.x) + bitCount(x.y), 0);
    default:
        return x;
    }
}

uvec2 compute(uvec2 a, uvec2 b, uvec2 c)
{
    return function(operation(scale(a), b, c));
}

// A narrower integer with its sign.
uvec2 extended(uvec2 x, uint bits, bool signs)
{
    if (bits >= 64 || !signs)
        return x;
    uint low = uint(bitfieldExtract(int(x.x), 0, int(bits)));
    return uvec2(low, uint(int(low) >> 31));
}

bool compute_item()
{
    bool good = true;
    packed_out[0] = uvec4(0);
    [[unroll]] for (uint k = 0; k < ITEM; ++k) {
        uvec2 a = extended(item_a(k), BITS_A, SIGNS);
        uvec2 result = OPERATION == OP_CAST ? converted_fast(a, good) : compute(a, item_b(k), item_c(k));
        uint at = k * BITS_OUT;
        if (BITS_OUT == 64)
            packed_out[0] = k == 0 ? uvec4(result, 0, 0) : uvec4(packed_out[0].xy, result);
        else
            packed_out[0][at >> 5] |= (result.x & OUT_MASK) << (at & 31);
    }
    return good;
}

uvec2 compute_element()
{
    uvec2 result = compute(extended(single_a(), BITS_A, SIGNS), single_b(), single_c());
    return BITS_OUT < 32 ? uvec2(result.x & OUT_MASK, 0) : result;
}

#include "map_main.glsl"
