// Integers of 64 bits as two words, the least significant in x, as any device has them.
#ifndef VKDML_INTEGER64_GLSL
#define VKDML_INTEGER64_GLSL

uvec2 add64(uvec2 a, uvec2 b)
{
    uint carry;
    uint low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

uvec2 subtract64(uvec2 a, uvec2 b)
{
    uint borrow;
    uint low = usubBorrow(a.x, b.x, borrow);
    return uvec2(low, a.y - b.y - borrow);
}

uvec2 negate64(uvec2 a)
{
    return subtract64(uvec2(0), a);
}

uvec2 multiply64(uvec2 a, uvec2 b)
{
    uint high, low;
    umulExtended(a.x, b.x, high, low);
    return uvec2(low, high + a.x * b.y + a.y * b.x);
}

bool less64(uvec2 a, uvec2 b, bool signs)
{
    if (a.y != b.y)
        return signs ? int(a.y) < int(b.y) : a.y < b.y;
    return a.x < b.x;
}

// By 0 to 63.
uvec2 shift_left64(uvec2 a, uint n)
{
    if ((n & 32) != 0)
        a = uvec2(0, a.x);
    n &= 31;
    return n == 0 ? a : uvec2(a.x << n, (a.y << n) | (a.x >> (32 - n)));
}

uvec2 shift_right64(uvec2 a, uint n)
{
    if ((n & 32) != 0)
        a = uvec2(a.y, 0);
    n &= 31;
    return n == 0 ? a : uvec2((a.x >> n) | (a.y << (32 - n)), a.y >> n);
}

float approximate(uvec2 a)
{
    return float(a.y) * 4294967296.0 + float(a.x);
}

// The quotient, and in `rest` the remainder, of magnitudes; b is not 0. Each turn takes from the rest what floats are
// sure that it holds: less than the quotient by a 2^-20th of it, of which conversions, the device's reciprocal and the
// product can have an error of a third. So the quotients left are below 2^64, 2^45, 2^26, 2^7 and 2.
uvec2 divide64(uvec2 a, uvec2 b, out uvec2 rest)
{
    float reciprocal = 1.0 / approximate(b) * (1.0 - 1.0 / 1048576.0);
    uvec2 quotient = uvec2(0);
    [[dont_unroll]] for (uint turn = 0; turn < 4; ++turn) {
        float part = approximate(a) * reciprocal;
        uint high = uint(part * (1.0 / 4294967296.0));
        uint low = uint(part - float(high) * 4294967296.0);
        quotient = add64(quotient, uvec2(low, high));
        a = subtract64(a, multiply64(uvec2(low, high), b));
    }
    if (!less64(a, b, false)) {
        a = subtract64(a, b);
        quotient = add64(quotient, uvec2(1, 0));
    }
    rest = a;
    return quotient;
}

#endif
