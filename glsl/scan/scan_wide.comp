// Tallies of integers of 64 bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define VALUE uvec2
#define MOST_TALLIES 2
#include "scan.glsl"
#include "integer64.glsl"

const uint TALLY_WORDS = 2;

Tally no_tally()
{
    return Tally(uvec2(MULTIPLIES ? 1u : 0u, 0), 0u);
}

Tally combine(Tally a, Tally b)
{
    return Tally(MULTIPLIES ? multiply64(a.value, b.value) : add64(a.value, b.value), 0u);
}

uvec2 put(uint element, uvec2 x)
{
    uint w = ACROSS ? element : 0;
    Tally before = tallies[w];
    tallies[w] = combine(before, Tally(x, 0u));
    return IS_EXCLUSIVE ? before.value : tallies[w].value;
}

uvec4 put_item(uvec4 bits)
{
    bits.xy = put(0, bits.xy);
    if (WIDTH > 1)
        bits.zw = put(1, bits.zw);
    return bits;
}

void add_item(uvec4 bits)
{
    put_item(bits);
}

Tally read_entry(uint at)
{
    return Tally(uvec2(entries.words[at], entries.words[at + 1]), 0u);
}

void store_total(uint at, Tally t)
{
    destination.words[at] = t.value.x;
    destination.words[at + 1] = t.value.y;
}

void store_last(uint at, Tally t)
{
    entries.words[at] = t.value.x;
    entries.words[at + 1] = t.value.y;
}

#include "scan_main.glsl"
