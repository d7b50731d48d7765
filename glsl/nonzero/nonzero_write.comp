// The second pass of NONZERO_COORDINATES.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "nonzero_write.glsl"
