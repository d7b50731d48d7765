// Exact arithmetic on integers and FLOAT32 in 32-bit integers: GPUs may lack wider ones.
#ifndef VKDML_REAL_GLSL
#define VKDML_REAL_GLSL

const uint FINITE = 0;
const uint INFINITE = 1;
const uint NOT_A_NUMBER = 2;

// (-1)^negative * magnitude * 2^exponent; magnitude is a 128-bit integer, least significant word in x.
struct Real {
    uint kind;
    bool negative;
    int exponent;
    uvec4 magnitude;
};

// Shifts of 128-bit integers by 0 to 127.
uvec4 shift_left(uvec4 v, uint n)
{
    if ((n & 64) != 0)
        v = uvec4(0, 0, v.xy);
    if ((n & 32) != 0)
        v = uvec4(0, v.xyz);
    n &= 31;
    return n == 0 ? v : (v << n) | (uvec4(0, v.xyz) >> (32 - n));
}

uvec4 shift_right(uvec4 v, uint n)
{
    if ((n & 64) != 0)
        v = uvec4(v.zw, 0, 0);
    if ((n & 32) != 0)
        v = uvec4(v.yzw, 0);
    n &= 31;
    return n == 0 ? v : (v >> n) | (uvec4(v.yzw, 0) << (32 - n));
}

// Shift right by any amount; the lowest bit of the result is set where any bit that fell out was.
uvec4 shift_right_sticky(uvec4 v, uint n)
{
    if (n == 0)
        return v;
    if (n > 127)
        return uvec4(any(notEqual(v, uvec4(0))) ? 1 : 0, 0, 0, 0);
    uvec4 shifted = shift_right(v, n);
    if (any(notEqual(shift_left(shifted, n), v)))
        shifted.x |= 1;
    return shifted;
}

// The index of the highest set bit, -1 for zero.
int highest_bit(uvec4 v)
{
    if (v.w != 0)
        return 96 + findMSB(v.w);
    if (v.z != 0)
        return 64 + findMSB(v.z);
    if (v.y != 0)
        return 32 + findMSB(v.y);
    return findMSB(v.x);
}

uvec4 add_wide(uvec4 a, uvec4 b)
{
    uvec4 sum;
    uint carry;
    uint carry_in = 0;
    for (uint i = 0; i < 4; ++i) {
        uint carry_out;
        sum[i] = uaddCarry(a[i], b[i], carry);
        sum[i] = uaddCarry(sum[i], carry_in, carry_out);
        carry_in = carry | carry_out;
    }
    return sum;
}

// a - b for a >= b
uvec4 subtract_wide(uvec4 a, uvec4 b)
{
    return add_wide(add_wide(a, ~b), uvec4(1, 0, 0, 0));
}

bool less_wide(uvec4 a, uvec4 b)
{
    if (a.w != b.w)
        return a.w < b.w;
    if (a.z != b.z)
        return a.z < b.z;
    if (a.y != b.y)
        return a.y < b.y;
    return a.x < b.x;
}

uvec4 multiply_wide(uvec2 a, uvec2 b)
{
    uvec4 low, high;
    umulExtended(a.xyxy, b.xxyy, high, low);
    uvec4 product = uvec4(low.x, high.x, low.w, high.w);
    product = add_wide(product, uvec4(0, low.y, high.y, 0));
    return add_wide(product, uvec4(0, low.z, high.z, 0));
}

bool is_zero(Real a)
{
    return a.kind == FINITE && all(equal(a.magnitude, uvec4(0)));
}

// The value of a FLOAT32.
Real unpack(uint bits)
{
    bool negative = (bits >> 31) != 0;
    uint biased = (bits >> 23) & 0xFF;
    uint fraction = bits & 0x7FFFFF;
    if (biased == 0xFF)
        return Real(fraction != 0 ? NOT_A_NUMBER : INFINITE, negative, 0, uvec4(0));
    if (biased != 0)
        fraction |= 0x800000;
    return Real(FINITE, negative, int(max(biased, 1)) - 127 - 23, uvec4(fraction, 0, 0, 0));
}

// The exact product of two reals with magnitudes of up to 64 bits.
Real multiply(Real a, Real b)
{
    bool negative = a.negative != b.negative;
    if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER)
        return Real(NOT_A_NUMBER, false, 0, uvec4(0));
    if (a.kind == INFINITE || b.kind == INFINITE)
        return Real(is_zero(a) || is_zero(b) ? NOT_A_NUMBER : INFINITE, negative, 0, uvec4(0));
    return Real(FINITE, negative, a.exponent + b.exponent, multiply_wide(a.magnitude.xy, b.magnitude.xy));
}

// With the highest bit of a nonzero magnitude at 126, which leaves room for a carry.
Real normalize(Real a)
{
    uint n = uint(126 - highest_bit(a.magnitude));
    return Real(a.kind, a.negative, a.exponent - int(n), shift_left(a.magnitude, n));
}

// The sum of two reals, exact but for a lowest bit that stands for all bits below it ("sticky"). Bits are lost only
// from an operand far smaller than the other, and never near where pack_integer() truncates, because magnitudes have at
// most 88 bits (64 of an integer, 24 of a factor) of the 127 that are kept.
Real add(Real a, Real b)
{
    if (a.kind != FINITE || b.kind != FINITE) {
        bool clash = a.kind == INFINITE && b.kind == INFINITE && a.negative != b.negative;
        if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER || clash)
            return Real(NOT_A_NUMBER, false, 0, uvec4(0));
        return a.kind == INFINITE ? a : b;
    }
    if (is_zero(a) && is_zero(b))
        return Real(FINITE, a.negative && b.negative, 0, uvec4(0));
    if (is_zero(a))
        return b;
    if (is_zero(b))
        return a;

    a = normalize(a);
    b = normalize(b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && less_wide(a.magnitude, b.magnitude))) {
        Real larger = b;
        b = a;
        a = larger;
    }
    b.magnitude = shift_right_sticky(b.magnitude, uint(a.exponent - b.exponent));
    if (a.negative == b.negative) {
        a.magnitude = add_wide(a.magnitude, b.magnitude);
    } else {
        a.magnitude = subtract_wide(a.magnitude, b.magnitude);
        a.negative = a.negative && !is_zero(a);
    }
    return a;
}

// A two's complement integer of up to 64 bits.
Real unpack_integer(uvec2 bits, uint width, bool is_signed)
{
    uvec4 wide = shift_left(uvec4(bits, 0, 0), 128 - width);
    bool negative = is_signed && (wide.w >> 31) != 0;
    wide = shift_right(wide, 128 - width);
    if (negative)
        wide = subtract_wide(shift_left(uvec4(1, 0, 0, 0), width), wide);
    return Real(FINITE, negative, 0, wide);
}

// Truncates toward zero and saturates; NaN becomes 0.
uvec2 pack_integer(Real a, uint width, bool is_signed)
{
    if (a.kind == NOT_A_NUMBER)
        return uvec2(0);
    bool huge = a.kind == INFINITE;
    uvec4 magnitude = uvec4(0);
    if (!huge && !is_zero(a)) {
        huge = a.exponent + highest_bit(a.magnitude) >= 64;
        if (!huge && a.exponent > -128)
            magnitude = a.exponent >= 0 ? shift_left(a.magnitude, uint(a.exponent))
                                        : shift_right(a.magnitude, uint(-a.exponent));
    }
    uvec4 one = uvec4(1, 0, 0, 0);
    // The largest magnitude of the sign: 2^width - 1, 0, 2^(width-1) - 1 or 2^(width-1).
    uvec4 limit = subtract_wide(shift_left(one, is_signed ? width - 1 : width), one);
    if (a.negative)
        limit = is_signed ? add_wide(limit, one) : uvec4(0);
    if (huge || less_wide(limit, magnitude))
        magnitude = limit;
    return a.negative ? (add_wide(~magnitude, one)).xy : magnitude.xy;
}

#endif
