// Operations and functions on integers of up to 32 bits, extended by their sign. What exceeds the type wraps around
// when it is put away.
#ifndef VKDML_INTEGER_OPERATIONS_GLSL
#define VKDML_INTEGER_OPERATIONS_GLSL

// All bits of x where it is negative, else none. Choices by it are made without branches: those of the elements of an
// item, one after the other, keep SwiftShader's compiler (Subzero) from ever ending.
uint sign_bits(uint x)
{
    return SIGNS ? uint(int(x) >> 31) : 0;
}

uint negate_by(uint bits, uint x)
{
    return (x ^ bits) - bits;
}

uint magnitude_of(uint x)
{
    return negate_by(sign_bits(x), x);
}

// The quotient of magnitudes, of which that of 32 bits is the device's and the others are too small for a device's
// division of floats to be wrong: (a + 1/2) / b is at least 1 / 2b from an integer, and its error, of 2.5 units in the
// last place of the reciprocal and two roundings, below 2^-5 / b.
uint quotient(uint a, uint b)
{
    if (BITS_A == 32)
        return a / b;
    const float whole = 8388608.0; // 2^23: added to an integer it stands in the lowest bits
    float numerator = uintBitsToFloat(0x4B000000u | a) - (whole - 0.5);
    float denominator = uintBitsToFloat(0x4B000000u | b) - whole;
    precise float q = numerator * (1.0 / denominator);
    return uint(q);
}

// Truncated toward zero; 0 where the divisor is.
uint divide_integers(uint a, uint b)
{
    uint magnitude = quotient(magnitude_of(a), max(magnitude_of(b), 1u));
    uint signed_quotient = negate_by(sign_bits(a ^ b), magnitude);
    return b == 0 ? 0 : signed_quotient;
}

uint remainder_of_integers(uint a, uint b)
{
    uint rest = a - divide_integers(a, b) * b;
    if (OPERATION == OP_MODULUS_FLOOR)
        rest += rest == 0 ? 0 : b & sign_bits(rest ^ b);
    return b == 0 ? 0 : rest;
}

bool less_integers(uint a, uint b)
{
    return SIGNS ? int(a) < int(b) : a < b;
}

// x^n modulo 2^32.
uint integer_power(uint x, uint n)
{
    uint power = 1;
    for (uint bit = 0; bit < 32 && n != 0; ++bit) {
        if ((n & 1) != 0)
            power *= x;
        x *= x;
        n >>= 1;
    }
    return power;
}

// 1 / x^n truncated is 0 unless x is 1 or -1; of 0 it is what division by 0 is.
uint power_of_integers(uint x, uint n)
{
    if (SIGNS_B && int(n) < 0)
        return x == 1 || (SIGNS && x == 0xFFFFFFFFu && (n & 1) == 0) ? 1 : SIGNS && x == 0xFFFFFFFFu ? x : 0;
    return integer_power(x, n);
}

uint integer_operation(uint a, uint b, uint c)
{
    switch (OPERATION) {
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_MULTIPLY:
        return a * b;
    case OP_DIVIDE:
        return divide_integers(a, b);
    case OP_MEAN:
        return SIGNS ? uint(int(a + b) / 2) : (a + b) / 2;
    case OP_DIFFERENCE_SQUARE:
        return (a - b) * (a - b);
    case OP_MODULUS_TRUNCATE:
    case OP_MODULUS_FLOOR:
        return remainder_of_integers(a, b);
    case OP_POW:
        return power_of_integers(a, b);
    case OP_MIN:
        return less_integers(b, a) ? b : a;
    case OP_MAX:
        return less_integers(a, b) ? b : a;
    case OP_EQUALS:
        return uint(a == b);
    case OP_ONE_WHERE_EQUAL: // 1 of any type
        return a == b ? parameters.arguments[1].x : 0;
    case OP_GREATER_THAN:
        return uint(less_integers(b, a));
    case OP_LESS_THAN:
        return uint(less_integers(a, b));
    case OP_GREATER_THAN_OR_EQUAL:
        return uint(!less_integers(a, b));
    case OP_LESS_THAN_OR_EQUAL:
        return uint(!less_integers(b, a));
    case OP_LOGICAL_AND:
        return uint(a != 0 && b != 0);
    case OP_LOGICAL_OR:
        return uint((a | b) != 0);
    case OP_LOGICAL_XOR:
        return uint((a != 0) != (b != 0));
    case OP_BIT_AND:
        return a & b;
    case OP_BIT_OR:
        return a | b;
    case OP_BIT_XOR:
        return a ^ b;
    case OP_BIT_SHIFT_LEFT:
        return b < BITS_A ? a << (b & 31) : 0;
    case OP_BIT_SHIFT_RIGHT:
        return b < BITS_A ? a >> (b & 31) : 0;
    case OP_IF:
        return c != 0 ? a : b;
    case OP_CLIP_GRAD:
        return less_integers(parameters.arguments[1].x, a) && less_integers(a, parameters.arguments[1].y) ? b : 0;
    case OP_RELU_GRAD:
        return less_integers(0, a) ? b : 0;
    case OP_PARAMETERIZED_RELU:
        return SIGNS && int(a) < 0 ? a * b : a;
    case OP_SEQUENCE:
        return parameters.arguments[1].x + a * parameters.arguments[1].z;
    case OP_CONSTANT:
        return parameters.arguments[1].x;
    default: // FIRST, and CAST between integers
        return a;
    }
}

uint integer_function(uint x)
{
    uint first = parameters.arguments[2].x;
    uint second = parameters.arguments[2].y;
    switch (FUNCTION) {
    case FN_ABS:
        return magnitude_of(x);
    case FN_NEGATE:
        return -x;
    case FN_SIGN:
        return SIGNS && int(x) < 0 ? 0xFFFFFFFFu : min(x, 1u);
    case FN_CLIP: {
        uint below = less_integers(second, x) ? second : x;
        return less_integers(first, below) ? below : first;
    }
    case FN_THRESHOLD:
        return less_integers(x, first) ? first : x;
    case FN_LOGICAL_NOT:
        return uint(x == 0);
    case FN_BIT_NOT:
        return ~x;
    case FN_BIT_COUNT:
        return uint(bitCount(x));
    case FN_RELU:
        return SIGNS && int(x) < 0 ? 0 : x;
    case FN_SHRINK: // arguments: Bias, Threshold and -Threshold
        return less_integers(second, x) ? x - first : less_integers(x, parameters.arguments[2].z) ? x + first : 0;
    default:
        return x;
    }
}

#endif
