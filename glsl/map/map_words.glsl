// The kernels whose elements have up to 32 bits. An operation of up to three operands, of which the first may be scaled
// before, and a function of what it gives.
#define OPERANDS 3
#define ELEMENT uint
#define HAS_TABLE
#include "map.glsl"
#include "operations.glsl"

const uint BITS_A = BITS_OF(TYPE_A);
const bool SIGNS = IS_SIGNED(TYPE_A);
const bool SIGNS_B = IS_SIGNED(TYPE_B);
const bool SIGNS_OUT = IS_SIGNED(TYPE_OUT);
const bool FLOATS = IS_FLOAT(TYPE_A);
const bool FLOATS_B = IS_FLOAT(TYPE_B);
const bool FLOATS_OUT = IS_FLOAT(TYPE_OUT);

#include "scale_bias.glsl"
#include "integer_operations.glsl"
#include "float_operations.glsl"
#include "conversions.glsl"

const bool MAKES_FLOATS = BOTH(FLOATS_OUT, EITHER(OPERATION == OP_SEQUENCE, OPERATION == OP_CONSTANT));
const bool COMPUTES_FLOATS = EITHER(FLOATS, MAKES_FLOATS);
const bool HAS_INTEGER_EXPONENT = BOTH(OPERATION == OP_POW, FLOATS_B ? false : true);
const bool HAS_FLOAT_EXPONENT = BOTH(OPERATION == OP_POW, FLOATS_B);

// Where fast arithmetic is good whatever it makes, its NaNs are the device's.
const bool MAKES_NAN = BOTH(IS_EXACT, BOTH(FLOATS_OUT, OPERATION == OP_CONSTANT ? false : true));

// What functions of FLOAT16's grade, and its quotient, say is good is no NaN: results need not be looked at.
const bool IS_GRADED =
    EITHER(EITHER(FUNCTION == FN_SQRT, FUNCTION == FN_RECIPROCAL),
           EITHER(FUNCTION == FN_GELU,
                  BOTH(FUNCTION >= FN_EXP, FUNCTION == FN_CONSTANT_POW ? false : FUNCTION <= FN_SIGMOID)));
const bool IS_QUOTIENT = BOTH(BOTH(OPERATION == OP_DIVIDE, TYPE_B == FLOAT16), FUNCTION == FN_NONE);
const bool NEVER_NAN = BOTH(HALVES, EITHER(IS_GRADED, IS_QUOTIENT));

uint compute_fast(uint a, uint b, uint c, inout bool good)
{
    if (OPERATION == OP_QUANTIZE)
        return quantize_fast(a, b, c, good);
    if (OPERATION == OP_DEQUANTIZE)
        return dequantize_fast(a, b, c, good);
    if (OPERATION == OP_CAST)
        return cast_fast(a, good);
    if (COMPUTES_FLOATS) {
        if (SCALE_BIAS == FLOAT_SCALE)
            a = scale_fast(a, parameters.arguments[0].x, parameters.arguments[0].y, good);
        if (HAS_INTEGER_EXPONENT)
            b = float_of_integer(b, SIGNS_B);
        a = float_operation_fast(a, b, c, good);
        return float_function_fast(a, good);
    }
    if (SCALE_BIAS != NO_SCALE)
        a = scale_integer(a, BITS_A, SIGNS);
    if (HAS_FLOAT_EXPONENT) {
        good = false;
        return 0;
    }
    a = integer_operation(a, b, c);
    return integer_function(a);
}

uint compute_slow(uint a, uint b, uint c)
{
    if (OPERATION == OP_QUANTIZE)
        return quantize_slow(a, b, c);
    if (OPERATION == OP_DEQUANTIZE)
        return dequantize_slow(a, b, c);
    if (OPERATION == OP_CAST)
        return cast_slow(a);
    if (COMPUTES_FLOATS) {
        if (SCALE_BIAS == FLOAT_SCALE)
            a = scale_slow(a, parameters.arguments[0].x, parameters.arguments[0].y);
        if (HAS_INTEGER_EXPONENT)
            b = float_of_integer(b, SIGNS_B);
        a = float_operation_slow(a, b, c);
        return float_function_slow(a);
    }
    if (SCALE_BIAS != NO_SCALE)
        a = scale_integer(a, BITS_A, SIGNS);
    if (HAS_FLOAT_EXPONENT)
        return integer_of_float(math_pow(float_of_integer(a, SIGNS), b), BITS_A, SIGNS);
    a = integer_operation(a, b, c);
    return integer_function(a);
}

// Integers of 8 bits are few: each workgroup computes them all.
const bool BY_TABLE = SCALE_BIAS == TABLE_SCALE;
const uint TABLE_SIZE = BY_TABLE ? 256 : 1;
shared uint table[TABLE_SIZE];

void fill_table()
{
    if (BY_TABLE) {
        for (uint x = gl_LocalInvocationIndex; x < TABLE_SIZE; x += gl_WorkGroupSize.x)
            table[x] = compute_slow(SIGNS ? uint(bitfieldExtract(int(x), 0, 8)) : x, 0, 0);
        barrier();
    }
}

uint compute_one(uint a, uint b, uint c, inout bool good)
{
    if (BY_TABLE)
        return table[a & 0xFF];
    return compute_fast(a, b, c, good);
}

void compute_pair(uint k, inout bool good)
{
    uvec2 a = pair_a(k);
    uvec2 b = pair_b(k);
    uvec2 c = pair_c(k);
    uvec2 result = uvec2(compute_one(a.x, b.x, c.x, good), compute_one(a.y, b.y, c.y, good));
    uint at = k * BITS_OUT;
    if (TYPE_OUT == FLOAT16) {
        bool numbers = true;
        packed_out[0][at >> 5] = narrow_to_halves(result, numbers);
        if (!NEVER_NAN)
            good = good && numbers;
    } else if (BITS_OUT == 32) {
        packed_out[0][at >> 5] = MAKES_NAN ? canonical(result.x) : result.x;
        packed_out[0][(at >> 5) + 1] = MAKES_NAN ? canonical(result.y) : result.y;
    } else {
        result &= OUT_MASK;
        packed_out[0][at >> 5] |= (result.x | result.y << BITS_OUT) << (at & 31);
    }
}

// Pair by pair, and not by a loop that is to be unrolled: spirv-opt, which SwiftShader runs, forgets in the copies that
// it makes of a loop's body what is precise, and makes x of (x + c) - c. An item has a power of two of elements.
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
    if (ITEM > 8) {
        compute_pair(8, good);
        compute_pair(10, good);
        compute_pair(12, good);
        compute_pair(14, good);
    }
    if (ITEM > 16) {
        compute_pair(16, good);
        compute_pair(18, good);
        compute_pair(20, good);
        compute_pair(22, good);
        compute_pair(24, good);
        compute_pair(26, good);
        compute_pair(28, good);
        compute_pair(30, good);
    }
    return good;
}

uint compute_element()
{
    uint result = BY_TABLE ? table[single_a() & 0xFF] : compute_slow(single_a(), single_b(), single_c());
    return TYPE_OUT == FLOAT16 ? narrow_to_half(result) : result & OUT_MASK;
}

#include "map_main.glsl"
