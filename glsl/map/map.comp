// Elements of up to 32 bits. FLOAT16 arithmetic is left in a pipeline's module where FLOAT_CONTROLS say that the device
// has it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "map_words.glsl"
