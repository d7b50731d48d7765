// Folds of integers of 64 bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define VALUE uvec2
#include "reduce.glsl"
#include "totals64.glsl"

uvec2 read_value(uvec4 bits, uint element)
{
    return bits.xy;
}

void take_vector(uvec4 bits, uint index)
{
    take(totals[0], bits.xy, index);
    take(totals[1], bits.zw, index + parameters.run_index_stride);
}

void take_single(uvec2 value, uint index)
{
    take(totals[0], value, index);
}

void take_across(uvec4 bits, uint index)
{
    take(totals[0], bits.xy, index);
    take(totals[1], bits.zw, index);
}

const bool HAS_EPILOGUE = false;
const bool NUMBERS_OUTPUTS = false;
const bool IS_QUICK = false;

void begin_quickly()
{
}

void take_quickly(uvec4 bits, uint element, uint index)
{
}

bool end_quickly()
{
    return true;
}

void close_block()
{
    if (DENSE)
        totals[0] = combine(totals[0], totals[1]);
}

Total total_of(uvec4 bits)
{
    return a_total(bits.xy, bits.z);
}

void store_total(uint at, Total t)
{
    destination.words[at] = t.value.x;
    destination.words[at + 1] = t.value.y;
    destination.words[at + 2] = t.mark;
}

#include "reduce_main.glsl"
