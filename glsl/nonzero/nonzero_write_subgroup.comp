// The second pass of NONZERO_COORDINATES, with subgroup operations.
#version 450
#extension GL_GOOGLE_include_directive : require
#define VKDML_SUBGROUPS
#include "nonzero_write.glsl"
