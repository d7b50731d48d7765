// Tallies of elements of up to 32 bits. FLOAT16 arithmetic is left in a pipeline's module where FLOAT_CONTROLS say that
// the device has it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define VALUE uint
#define MOST_TALLIES 8
#include "scan.glsl"

const uint TALLY_WORDS = HAS_MARKS ? 2 : 1;
const uint ONE = 0x3F800000u;

// Products of floats are a significand in [1, 2), or 0, infinity or NaN, and an exponent: so nothing on the way
// overflows or vanishes whose result would not. The exponents of 2^23 elements could leave an integer's range: they
// stay where no result is but 0 or infinity.
const int FARTHEST = 1 << 29;

Tally no_tally()
{
    return Tally(MULTIPLIES ? (FLOATS ? ONE : 1u) : 0u, 0u);
}

Tally combine(Tally a, Tally b)
{
    if (IS_FLOAT_SUM) {
        precise float sum = uintBitsToFloat(a.value) + uintBitsToFloat(b.value);
        return Tally(floatBitsToUint(sum), 0u);
    }
    if (HAS_MARKS) {
        precise float both = uintBitsToFloat(a.value) * uintBitsToFloat(b.value);
        uint product = floatBitsToUint(both);
        uint above = (product & INFINITY) == 1u << 30 ? 1u : 0u;
        int exponent = clamp(int(a.mark + b.mark + above), -FARTHEST, FARTHEST);
        return Tally(product - (above << 23), uint(exponent));
    }
    return Tally(MULTIPLIES ? a.value * b.value : a.value + b.value, 0u);
}

Tally tally_of(uint x)
{
    if (!HAS_MARKS)
        return Tally(x, 0u);
    uint magnitude = x & ~SIGN_BIT;
    uint scaled = floatBitsToUint(float(magnitude));
    bool is_denormal = magnitude < 1u << 23;
    uint number = is_denormal ? scaled : magnitude;
    uint bias = is_denormal ? 276u : 127u;
    bool is_special = number - 1 >= INFINITY - 1; // 0, infinity, NaN
    uint significand = mix((number & 0x7FFFFFu) | ONE, number, is_special);
    uint exponent = mix((number >> 23) - bias, 0u, is_special);
    return Tally((x & SIGN_BIT) | significand, exponent);
}

uint denormal_of(uint significand, int exponent)
{
    int distance = clamp(-126 - exponent, 1, 25);
    uint whole = (significand & 0x7FFFFFu) | 0x800000u;
    uint rounded = whole + (1u << (distance - 1)) - 1 + (whole >> distance & 1);
    return rounded >> distance;
}

uint finish(Tally t)
{
    uint x = t.value;
    if (HAS_MARKS) {
        int exponent = int(t.mark);
        uint denormal = denormal_of(x, exponent);
        uint normal = (x & 0x7FFFFFu) | uint(exponent + 127) << 23;
        uint magnitude = mix(normal, denormal, exponent < -126);
        magnitude = mix(magnitude, INFINITY, exponent > 127);
        x = mix(x, (x & SIGN_BIT) | magnitude, (x & INFINITY) == ONE);
    }
    return TYPE == FLOAT32 ? mix(x, QUIET_NAN, is_nan(x)) : x; // of FLOAT16 when it is narrowed
}

void add(uint element, uint x)
{
    uint w = ACROSS ? element : 0;
    tallies[w] = combine(tallies[w], tally_of(x));
}

uint put(uint element, uint x)
{
    uint w = ACROSS ? element : 0;
    Tally before = tallies[w];
    tallies[w] = combine(before, tally_of(x));
    Tally result = before;
    if (!IS_EXCLUSIVE)
        result = tallies[w];
    if (IS_BLOCKED)
        result = combine(bases[w], result);
    return finish(result);
}

void add_pair(uint element, uint word)
{
    uvec2 pair = widen_halves(word);
    add(element, pair.x);
    add(element + 1, pair.y);
}

uvec2 put_pair(uint element, uint word)
{
    uvec2 pair = widen_halves(word);
    pair.x = put(element, pair.x);
    pair.y = put(element + 1, pair.y);
    return pair;
}

uint narrow_pair(uvec2 pair)
{
    return narrow_to_half(pair.x) | narrow_to_half(pair.y) << 16;
}

// One question for all: with one for each pair SwiftShader's compiler (Subzero) never comes to an end.
uvec4 narrow_pairs(uvec2 a, uvec2 b, uvec2 c, uvec2 d)
{
    bool good = true;
    uvec4 words = uvec4(narrow_to_halves(a, good), narrow_to_halves(b, good), narrow_to_halves(c, good),
                        narrow_to_halves(d, good));
    if (!good)
        words = uvec4(narrow_pair(a), narrow_pair(b), narrow_pair(c), narrow_pair(d));
    return words;
}

void add_item(uvec4 bits)
{
    if (BITS == 16) {
        if (WIDTH == 1) {
            add(0, widen_halves(bits.x).x);
        } else {
            add_pair(0, bits.x);
            if (WIDTH > 2) {
                add_pair(2, bits.y);
                add_pair(4, bits.z);
                add_pair(6, bits.w);
            }
        }
    } else {
        add(0, bits.x);
        if (WIDTH > 1) {
            add(1, bits.y);
            add(2, bits.z);
            add(3, bits.w);
        }
    }
}

uvec4 put_item(uvec4 bits)
{
    if (BITS == 16) {
        if (WIDTH == 1) {
            bits.x = narrow_to_half(put(0, widen_halves(bits.x).x));
        } else {
            uvec2 a = put_pair(0, bits.x);
            uvec2 b = a;
            uvec2 c = a;
            uvec2 d = a;
            if (WIDTH > 2) {
                b = put_pair(2, bits.y);
                c = put_pair(4, bits.z);
                d = put_pair(6, bits.w);
            }
            bits = narrow_pairs(a, b, c, d);
        }
    } else {
        bits.x = put(0, bits.x);
        if (WIDTH > 1) {
            bits.y = put(1, bits.y);
            bits.z = put(2, bits.z);
            bits.w = put(3, bits.w);
        }
    }
    return bits;
}

Tally read_entry(uint at)
{
    return Tally(entries.words[at], HAS_MARKS ? entries.words[at + TALLY_WORDS - 1] : 0);
}

void store_total(uint at, Tally t)
{
    destination.words[at] = t.value;
    if (HAS_MARKS)
        destination.words[at + 1] = t.mark;
}

void store_last(uint at, Tally t)
{
    entries.words[at] = t.value;
    if (HAS_MARKS)
        entries.words[at + 1] = t.mark;
}

#include "scan_main.glsl"
