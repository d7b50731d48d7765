// x * scale + bias on every element, in any data type, bit for bit what dml_types.h says of it.
// arguments: the bits of scale and bias.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gather.glsl"
#include "gather_input.glsl"
#include "real.glsl"

// DML_TENSOR_DATA_TYPE's values
const uint FLOAT32 = 1;
const uint FLOAT16 = 2;
const uint UINT32 = 3;
const uint UINT16 = 4;
const uint UINT8 = 5;
const uint FLOAT64 = 9;
const uint UINT64 = 10;
layout(constant_id = 7) const uint DATA_TYPE = FLOAT32;
const bool IS_SIGNED = DATA_TYPE != UINT8 && DATA_TYPE != UINT16 && DATA_TYPE != UINT32 && DATA_TYPE != UINT64;

// Rounded after the multiplication and after the addition.
uvec2 scale_bias_exact(uvec2 x, Real scale, Real bias, Format f)
{
    uvec2 product = pack(multiply(unpack(x, f), scale), f);
    return pack(add(unpack(product, f), bias), f);
}

bool is_normal(uint float32_bits)
{
    uint biased = (float32_bits >> 23) & 0xFF;
    return biased != 0 && biased != 0xFF;
}

// In hardware where operands, product and sum are all normal numbers, far from what devices disagree on; rounding to
// nearest even is what all of them do there.
uint scale_bias_float32(uint x)
{
    uint scale = parameters.arguments.x;
    uint bias = parameters.arguments.y;
    uint product_exponent = ((x >> 23) & 0xFF) + ((scale >> 23) & 0xFF); // biased twice
    if (is_normal(x) && is_normal(scale) && product_exponent > 128 && product_exponent < 127 + 254) {
        precise float product = uintBitsToFloat(x) * uintBitsToFloat(scale);
        if ((bias << 1) == 0)
            return floatBitsToUint(product);
        precise float sum = product + uintBitsToFloat(bias);
        if (is_normal(bias) && is_normal(floatBitsToUint(sum)))
            return floatBitsToUint(sum);
    }
    Format f = float32_format();
    return scale_bias_exact(uvec2(x, 0), unpack(uvec2(scale, 0), f), unpack(uvec2(bias, 0), f), f).x;
}

// By way of FLOAT32, which holds products of FLOAT16 and FLOAT32 no better: the reference does the same.
uint scale_bias_float16(uint x)
{
    uint exponent = (x >> 10) & 31;
    uint wide = ((x & 0x8000) << 16) | (((x & 0x7FFF) + (112 << 10)) << 13);
    if (exponent == 0 || exponent == 31)
        wide = pack(unpack(uvec2(x, 0), float16_format()), float32_format()).x;
    uint result = scale_bias_float32(wide);
    uint magnitude = result & 0x7FFFFFFF;
    uint narrow = ((result >> 16) & 0x8000) | ((magnitude - (112 << 23) + 0xFFF + ((result >> 13) & 1)) >> 13);
    // Where the result is a normal number, also once rounded; others exactly.
    if (magnitude < 113 << 23 || magnitude >= 142 << 23)
        narrow = pack(unpack(uvec2(result, 0), float32_format()), float16_format()).x;
    return narrow;
}

const bool CONVERTS = true;

uvec2 convert(uvec2 x)
{
    if (DATA_TYPE == FLOAT32)
        return uvec2(scale_bias_float32(x.x), 0);
    if (DATA_TYPE == FLOAT16)
        return uvec2(scale_bias_float16(x.x), 0);
    Real scale = unpack(uvec2(parameters.arguments.x, 0), float32_format());
    Real bias = unpack(uvec2(parameters.arguments.y, 0), float32_format());
    if (DATA_TYPE == FLOAT64)
        return scale_bias_exact(x, scale, bias, float64_format());
    Real result = add(multiply(unpack_integer(x, ELEMENT_BITS, IS_SIGNED), scale), bias);
    return pack_integer(result, ELEMENT_BITS, IS_SIGNED);
}

struct Row {
    uint base;
};

Row begin_row()
{
    return Row(0);
}

void enter(inout Row row, uint d, uint coordinate)
{
    row.base += input_distance(d, coordinate);
}

uvec2 element(Row row, uint x)
{
    return input_element(row.base, x);
}

bool has_chunk(Row row, uint x)
{
    return has_input_chunk();
}

uvec4 chunk(Row row, uint x)
{
    return input_chunk(row.base, x);
}

#include "gather_main.glsl"
