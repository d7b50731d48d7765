// Products of bytes in FLOAT32's arithmetic, which every device has, and none does faster without dot products.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "integer_product.glsl"
#include "finish.glsl"
#include "tiles.glsl"
