// Data types, and how elements of up to 32 bits are expanded: to FLOAT32 from either float type, to 32 bits with their
// sign from integers.
#ifndef VKDML_TYPES_GLSL
#define VKDML_TYPES_GLSL

// As in C: DML_TENSOR_DATA_TYPE_...
const uint FLOAT32 = 1;
const uint FLOAT16 = 2;
const uint UINT32 = 3;
const uint UINT16 = 4;
const uint UINT8 = 5;
const uint INT32 = 6;
const uint INT16 = 7;
const uint INT8 = 8;
const uint FLOAT64 = 9;
const uint UINT64 = 10;
const uint INT64 = 11;
const uint UINT4 = 12;
const uint INT4 = 13;

// By macros, so that of specialization constants they are constants; and with conditions rather than && and ||, which
// glslang 12 turns into branches.
#define EITHER(a, b) ((a) ? true : (b))
#define BOTH(a, b)   ((a) ? (b) : false)
#define BITS_OF(type)                                                                                                  \
    ((type) == FLOAT32 ? 32u                                                                                           \
     : (type) == FLOAT16 ? 16u                                                                                         \
     : (type) >= UINT4   ? 4u                                                                                          \
     : (type) >= FLOAT64 ? 64u                                                                                         \
                         : 8u << (8u - (type)) % 3u)
#define IS_FLOAT(type)  ((type) <= FLOAT16)
#define IS_SIGNED(type) ((type) == INT64 ? true : (type) == INT4 ? true : (type) < INT32 ? false : (type) <= INT8)

const uint SIGN_BIT = 0x80000000u;
const uint INFINITY = 0x7F800000u;
const uint QUIET_NAN = 0x7FC00000u;

bool is_nan(uint x)
{
    return (x & ~SIGN_BIT) > INFINITY;
}

// FLOAT16 to FLOAT32 in integers.
uint widen_half(uint x)
{
    uint magnitude = x & 0x7FFF;
    uint wide = (magnitude + (112 << 10)) << 13;
    precise float number = float(magnitude) * uintBitsToFloat((127 - 24) << 23);
    if (magnitude < 0x400)
        wide = floatBitsToUint(number); // denormal: a product that is normal
    else if (magnitude >= 0x7C00)
        wide = INFINITY | (magnitude << 13);
    return ((x & 0x8000) << 16) | wide;
}

// The same back, rounded to nearest even; NaN is the quiet one without payload.
uint narrow_to_half(uint wide)
{
    uint magnitude = wide & ~SIGN_BIT;
    uint rounded = (magnitude - (112 << 23) + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
    if (magnitude < 113 << 23) {
        uint shift = min(126 - (magnitude >> 23), 31); // to units of 2^-24: at least 14, and 25 leaves nothing
        uint significand = (magnitude & 0x7FFFFF) | 0x800000;
        rounded = shift > 25 ? 0 : (significand + (1u << (shift - 1)) - 1 + ((significand >> shift) & 1)) >> shift;
    } else if (magnitude > INFINITY) {
        return 0x7E00;
    } else if (magnitude >= 143 << 23) {
        rounded = 0x7C00;
    }
    return ((wide >> 16) & 0x8000) | rounded;
}

// What the device promises of FLOAT32's arithmetic (bit 0), of FLOAT16's conversions (1) and of FLOAT32's denormals
// (2), declared as execution modes of the module; and that no such denormal matters (3), because operands and results
// are FLOAT16. See plan.h.
layout(constant_id = 11) const uint FLOAT_CONTROLS = 0;
const bool HALVES_ARE_EXACT = (FLOAT_CONTROLS & 2u) != 0;
// In C: VKDML_FLOAT_...
const bool NO_DENORMALS = (FLOAT_CONTROLS & 8u) != 0;
// FLOAT32 arithmetic is IEEE 754's as it is.
const bool IS_EXACT = BOTH((FLOAT_CONTROLS & 1u) != 0, (FLOAT_CONTROLS & 12u) != 0);

// A denormal FLOAT16, without its sign: the difference of two normal numbers.
uint widen_denormal(uint magnitude)
{
    precise float difference = uintBitsToFloat(0x38800000u | magnitude << 13) - uintBitsToFloat(0x38800000u);
    return floatBitsToUint(difference);
}

// Two FLOAT16.
uvec2 widen_halves(uint word)
{
    if (HALVES_ARE_EXACT)
        return floatBitsToUint(vec2(unpackFloat2x16(word)));
    // Devices may take denormals for 0.
    uvec2 wide = floatBitsToUint(unpackHalf2x16(word));
    uvec2 halves = uvec2(word & 0xFFFF, word >> 16);
    if ((word & 0x7C00u) == 0)
        wide.x = (halves.x & 0x8000) << 16 | widen_denormal(halves.x & 0x3FF);
    if ((word & 0x7C000000u) == 0)
        wide.y = (halves.y & 0x8000) << 16 | widen_denormal(halves.y & 0x3FF);
    return wide;
}

// One that is not NaN, in FLOAT32's arithmetic: adding 0.5 rounds to a multiple of 2^-24, FLOAT16's least.
uint narrow_number(uint wide)
{
    uint magnitude = wide & ~SIGN_BIT;
    precise float shifted = uintBitsToFloat(magnitude) + 0.5;
    uint denormal = floatBitsToUint(shifted) - 0x3F000000u;
    uint normal = min((magnitude - (112 << 23) + 0xFFF + (wide >> 13 & 1)) >> 13, 0x7C00);
    return (wide >> 16 & 0x8000) | mix(normal, denormal, magnitude < 113 << 23);
}

bool are_numbers(uvec2 wide)
{
    uvec2 magnitudes = wide & ~SIGN_BIT;
    return max(magnitudes.x, magnitudes.y) <= INFINITY;
}

// Two FLOAT32, neither NaN, to two FLOAT16 by integers: for what is widened again. NVIDIA's compiler (580.159) takes
// native conversions there and back for nothing to do, and leaves the rounding out.
uint narrow_numbers(uvec2 wide)
{
    return narrow_number(wide.x) | narrow_number(wide.y) << 16;
}

// Two FLOAT32 to two FLOAT16, rounded to nearest even; where one is NaN `good` becomes false.
uint narrow_to_halves(uvec2 wide, inout bool good)
{
    good = good && are_numbers(wide);
    return HALVES_ARE_EXACT ? packFloat2x16(f16vec2(uintBitsToFloat(wide))) : narrow_numbers(wide);
}

#endif
