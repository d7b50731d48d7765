// Products of bytes by dot products of four (SPV_KHR_integer_dot_product, of Vulkan 1.3). Pipelines are made of it
// where shaderIntegerDotProduct is enabled.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_spirv_intrinsics : require

// OpSDot of words, PackedVectorFormat4x8Bit; DotProduct and DotProductInput4x8BitPacked.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int dot_of_bytes(uint a, uint b, spirv_literal uint packed_format);
#define DOT_PRODUCT(a, b) dot_of_bytes(a, b, 0)

#include "integer_product.glsl"
#include "finish.glsl"
#include "tiles.glsl"
